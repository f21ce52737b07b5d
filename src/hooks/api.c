/* What every part of the public API shares: errors, the version, names of values. */
#include "hooks/api.h"

#include "settings/tiers.h"

#define SAME_CODE(name) _Static_assert((int)E_##name == (int)TL_E_##name, #name)
SAME_CODE(INVAL);
SAME_CODE(IO);
SAME_CODE(PARSE);
SAME_CODE(LIMIT);
SAME_CODE(CONFIG);
SAME_CODE(NOTFOUND);
SAME_CODE(CANCEL);
SAME_CODE(SPAWN);
SAME_CODE(UNTRUSTED);
SAME_CODE(BUSY);
_Static_assert(sizeof((struct tl_err *)0)->text == ERR_TEXT_MAX, "error texts");
_Static_assert(sizeof((struct tl_err *)0)->file == ERR_FILE_MAX, "error places");

int api_err(struct tl_err *ret, const struct err *err, int code)
{
	if (ret && code < 0) {
		ret->code = -code;
		ret->line = err->line;
		ret->column = err->column;
		ret->sentence = err->file[0] ? err->sentence : 0;
		memcpy(ret->text, err->text, sizeof ret->text);
		memcpy(ret->file, err->file, sizeof ret->file);
	}
	return code;
}

const char *tl_version(void)
{
	return TL_VERSION;
}

/* ---- names ---- */

static const char *word(const char *const *words, size_t n, size_t i)
{
	return i < n ? words[i] : "unknown";
}

const char *tl_verdict_name(enum tl_verdict v)
{
	static const char *const words[] = { "none", "allow", "ask", "deny" };

	return word(words, ARRAY_LEN(words), (size_t)v);
}

const char *tl_tier_name(enum tl_tier t)
{
	return (size_t)t < TIERS ? tiers[t].name : "unknown";
}

const char *tl_class_name(enum tl_class c)
{
	static const char *const words[] = { "ok",        "blocked",     "warned",     "timed-out",
					     "signalled", "not-started", "bad-output", "too-big",
					     "cancelled", "not-run" };

	return word(words, ARRAY_LEN(words), (size_t)c);
}

const char *tl_state_name(enum tl_state s)
{
	static const char *const words[] = { "ran",       "would-run", "no-match", "disabled",
					     "untrusted", "duplicate", "skipped",  "not-here" };

	return word(words, ARRAY_LEN(words), (size_t)s);
}

const char *tl_severity_name(enum tl_severity s)
{
	static const char *const words[] = { "note", "warning", "error" };

	return word(words, ARRAY_LEN(words), (size_t)s);
}
