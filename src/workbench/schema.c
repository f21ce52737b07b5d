/* trotline hooks schema: JSON Schemas of settings, payloads and answers. */
#include "base/meant.h"
#include "hooks/dialects.h"
#include "hooks/events.h"
#include "workbench/commands.h"

struct schema_args {
	char nothing; /* it has no options of its own */
};

const struct opt_set schema_opts = { NULL, 0, sizeof(struct schema_args) };

/* Says that `word` is none of the names; returns the exit status. */
static int not_one_of(struct wb *wb, const char *word, const char *const *names, size_t n,
		      const char *what)
{
	struct meant meant = meant_of(str_from(word), names, n);
	AUTO(buf_done) struct buf list = { 0 };

	if (*meant.text)
		return wb_fail(wb, EXIT_USAGE, "no %s \"%s\"%s", what, word, meant.text);
	for (size_t i = 0; i < n; i++)
		buf_addf(&list, "%s%s", i ? ", " : "", names[i]);
	return wb_fail(wb, EXIT_USAGE, "no %s \"%s\"; choose from %s", what, word, buf_z(&list));
}

/* Our event that a name is near to, or that Claude Code calls so. */
static const char *event_meant(const char *name)
{
	const char *near = dialect_event_nearest(str_from(name));
	const struct dialect_event *e =
		near ? dialect_event_find(&dialects[DIALECT_CLAUDE], str_from(near)) : NULL;

	return e && !event_find(str_from(near)) ? events[e->moment].name : near;
}

int wb_schema(struct wb *wb, const void *args, int n, char **rest)
{
	static const char *const kinds[] = { "settings", "answers", "input", "output" };
	const char *kind = n > 0 ? rest[0] : "settings", *names[EV_COUNT];
	size_t k = 0;
	AUTO(free) char *what = NULL;

	(void)args;
	while (k < ARRAY_LEN(kinds) && strcmp(kind, kinds[k]) != 0)
		k++;
	for (size_t i = 0; i < EV_COUNT; i++)
		names[i] = events[i].name;
	if (k == ARRAY_LEN(kinds) && n == 1 && event_meant(kind))
		return wb_fail(wb, EXIT_USAGE,
			       "\"%s\" is no schema; did you mean \"trotline hooks schema input "
			       "%s\"?",
			       kind, event_meant(kind));
	if (k == ARRAY_LEN(kinds))
		return not_one_of(wb, kind, kinds, ARRAY_LEN(kinds), "schema");
	if (k > 1 && n < 2)
		return wb_fail(wb, EXIT_USAGE,
			       "this schema needs an event: trotline hooks schema %s BeforeTool",
			       kind);
	if (k < 2 && n > 1)
		return wb_fail(wb, EXIT_USAGE, "%s takes no event", kind);
	what = k < 2 ? xstrdup(kind) : xasprintf("%s %s", kind, rest[1]);
	AUTO(free) char *schema = tl_schema(what);
	if (!schema && event_meant(rest[1]))
		return wb_fail(wb, EXIT_USAGE, "no event \"%s\"%s", rest[1],
			       meant_as("", event_meant(rest[1])).text);
	if (!schema)
		return not_one_of(wb, rest[1], names, EV_COUNT, "event");
	if (k == 1) {
		buf_addz(&wb->sheet.out, schema);
		return EXIT_OK;
	}
	json_visible(&wb->sheet.out, str_from(schema));
	buf_addc(&wb->sheet.out, '\n');
	return EXIT_OK;
}
