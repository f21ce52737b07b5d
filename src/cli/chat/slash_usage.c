/* The words that a slash command takes, as its row lists them. */
#include "base/meant.h"
#include "cli/chat/chat.h"

/* "[list|why|enable NAME]": names in capitals are no verbs. */
struct str slash_verb(const struct slash *s, struct str args)
{
	struct str rest = str_from(s->args), word = { 0 }, verb, name;

	(void)str_split(&args, ' ', &word);
	rest = str_sub(rest, 1, rest.n ? rest.n - 1 : 0);
	while (word.n && str_split(&rest, '|', &verb))
		if (str_split(&verb, ' ', &name) && str_eq(name, word))
			return word;
	return (struct str){ 0 };
}

void slash_usage(struct worker *w, struct str args, const char *more)
{
	const struct slash *s = w->command;
	struct str rest = str_from(s->args), verb, name, word = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	const char *names[16], *near;
	AUTO(buf_done) struct buf out = { 0 };
	size_t n = 0;

	(void)str_split(&args, ' ', &word);
	rest = str_sub(rest, 1, rest.n ? rest.n - 1 : 0);
	while (n < ARRAY_LEN(names) && str_split(&rest, '|', &verb))
		if (str_split(&verb, ' ', &name))
			names[n++] = arena_z(&a, name);
	if (word.n && !slash_verb(s, word).n) {
		near = str_nearest(word, names, n);
		buf_addf(&out, "/%s has no \"%.*s\"%s\n", s->name, STR_ARG(word),
			 near ? meant_as("", near).text : ".");
	}
	buf_addf(&out, "Usage: /%s %s%s%s", s->name, s->args, more ? "; " : "", more ? more : "");
	worker_say(w, SAID_NOTE, NOTE_ERROR, buf_str(&out), (struct str){ 0 });
}
