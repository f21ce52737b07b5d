#include "settings/mode.h"
#include "base/util.h"

/* The first word of a mode is ours; Claude's is marked. */
static const struct {
	const char *word;
	enum approval_mode mode;
	bool claude;
} words[] = {
	{ "default", MODE_DEFAULT, true },     { "auto_edit", MODE_AUTO_EDIT, false },
	{ "autoEdit", MODE_AUTO_EDIT, false }, { "acceptEdits", MODE_AUTO_EDIT, true },
	{ "yolo", MODE_YOLO, false },          { "bypassPermissions", MODE_YOLO, true },
	{ "dontAsk", MODE_YOLO, false },       { "plan", MODE_PLAN, true },
};

static const char *word_of(enum approval_mode mode, bool claude)
{
	size_t i = 0;

	while (words[i].mode != mode || (claude && !words[i].claude))
		i++;
	return words[i].word;
}

const char *mode_name(enum approval_mode mode)
{
	return word_of(mode, false);
}

bool mode_find(struct str word, enum approval_mode *ret_mode)
{
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eqz(word, words[i].word)) {
			*ret_mode = words[i].mode;
			return true;
		}
	return false;
}

const char *mode_claude(const char *word)
{
	enum approval_mode mode = MODE_DEFAULT;

	if (word)
		(void)mode_find(str_from(word), &mode);
	return word_of(mode, true);
}
