/*
 * From YAML to the JSON that the engine reads.  The engine names places by line, so the JSON is
 * laid out as the YAML is: blanks and line breaks go in front of a value until it is where it was.
 * Texts of any length go through once, event by event; aliases are refused, so that nothing grows.
 */
#include "agent/catalog/front_hooks.h"

#include <yaml.h>

#include "agent/catalog/front_matter.h"
#include "agent/catalog/front_yaml.h"
#include "base/words.h"

enum { EVENTS_MAX = 20000, DEPTH_MAX = 32 };

struct level {
	bool is_map;
	bool at_value; /* of a map: a key was written */
	bool any; /* a member or item was */
};

struct layout {
	struct buf out;
	size_t line, column; /* of the next byte of out, from 0, in the text */
	struct level levels[DEPTH_MAX];
	size_t depth; /* inside of "hooks" */
	unsigned skipping; /* depth inside of another member */
	bool at_value; /* of the top mapping */
	bool wanted; /* that value is the hooks' */
	bool found;
	char why[120];
	yaml_mark_t at; /* of the mistake */
};

/* ---- writing ---- */

static void put(struct layout *l, struct str s)
{
	buf_adds(&l->out, s);
	l->column += s.n;
}

static void go_to(struct layout *l, const yaml_mark_t *mark)
{
	for (; l->line < mark->line; l->line++, l->column = 0)
		buf_addc(&l->out, '\n');
	while (l->line == mark->line && l->column < mark->column)
		put(l, STR(" "));
}

static void put_scalar(struct layout *l, const yaml_event_t *e, bool is_key)
{
	static const char *const words[][3] = { { "true", "True", "TRUE" },
						{ "false", "False", "FALSE" },
						{ "null", "Null", "NULL" } };
	struct str s = { (const char *)e->data.scalar.value, e->data.scalar.length };
	bool plain =
		!is_key && !e->data.scalar.tag && e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *v;

	for (size_t i = 0; plain && i < ARRAY_LEN(words); i++)
		if (WORD_IN(s, words[i]))
			s = str_from(words[i][0]);
	if (plain && (s.n == 0 || str_eqz(s, "~")))
		s = STR("null");
	/* What YAML's core schema makes of a plain word. */
	if (plain && json_parse(&a, s, 0, &v, NULL) == 0 &&
	    (v->type == J_NUM || v->type == J_BOOL || v->type == J_NULL)) {
		put(l, s);
		return;
	}
	(void)json_write_str(&text, s);
	put(l, buf_str(&text));
}

/* ---- reading ---- */

static int mistake(struct layout *l, const yaml_event_t *e, const char *why)
{
	l->at = e->start_mark;
	(void)snprintf(l->why, sizeof l->why, "%s", why);
	return -E_PARSE;
}

/* A node of the hooks. */
static int take_node(struct layout *l, const yaml_event_t *e)
{
	struct level *in = l->depth ? &l->levels[l->depth - 1] : NULL;
	bool is_key = in && in->is_map && !in->at_value;

	if (is_key && e->type != YAML_SCALAR_EVENT)
		return mistake(l, e, "a key must be a text");
	if (yaml_begins(e) && l->depth == DEPTH_MAX)
		return mistake(l, e, "it is nested too deep");
	if (in && in->any && (is_key || !in->is_map))
		put(l, STR(","));
	go_to(l, &e->start_mark);
	if (e->type == YAML_SCALAR_EVENT)
		put_scalar(l, e, is_key);
	if (is_key)
		put(l, STR(":"));
	if (in) {
		in->any = true;
		in->at_value = is_key;
	}
	if (yaml_begins(e)) {
		l->levels[l->depth++] =
			(struct level){ .is_map = e->type == YAML_MAPPING_START_EVENT };
		put(l, l->levels[l->depth - 1].is_map ? STR("{") : STR("["));
	}
	return 0;
}

static int take_hooks(struct layout *l, const yaml_event_t *e)
{
	if (e->type == YAML_ALIAS_EVENT || yaml_has_anchor(e))
		return mistake(l, e, "hooks may hold no aliases and anchors of YAML");
	if (!yaml_ends(e)) {
		int r = take_node(l, e);

		l->wanted = r == 0 && l->depth;
		return r;
	}
	put(l, l->levels[--l->depth].is_map ? STR("}") : STR("]"));
	l->wanted = l->depth;
	return 0;
}

/* A key of the top mapping, or a value that is ignored. */
static int take_other(struct layout *l, const yaml_event_t *e)
{
	struct str key;

	if (yaml_ends(e)) {
		l->skipping -= l->skipping > 0;
		return 0;
	}
	if (!l->skipping)
		l->at_value = !l->at_value;
	if (yaml_begins(e) || l->skipping) {
		l->skipping += yaml_begins(e);
		return 0;
	}
	if (!l->at_value || e->type != YAML_SCALAR_EVENT)
		return 0;
	key = (struct str){ (const char *)e->data.scalar.value, e->data.scalar.length };
	if (!str_eqz(key, "hooks"))
		return 0;
	if (l->found)
		return mistake(l, e, "duplicate key \"hooks\"");
	go_to(l, &e->start_mark);
	put(l, STR("{\"hooks\":"));
	l->found = l->wanted = true;
	l->at_value = false;
	return 0;
}

static int read_events(struct layout *l, yaml_parser_t *parser)
{
	bool inside = false;

	for (unsigned n = 0;; n++) {
		yaml_event_t e;
		int r = 0;
		bool over;

		if (!yaml_parser_parse(parser, &e)) {
			l->at = parser->problem_mark;
			(void)snprintf(l->why, sizeof l->why, "%s",
				       parser->problem ? parser->problem : "it is no YAML");
			return -E_PARSE;
		}
		over = e.type == YAML_STREAM_END_EVENT || e.type == YAML_DOCUMENT_END_EVENT;
		if (n > EVENTS_MAX)
			r = mistake(l, &e, "it has too many parts");
		else if (inside && l->wanted)
			r = take_hooks(l, &e);
		else if (inside)
			r = take_other(l, &e);
		inside |= yaml_begins(&e);
		yaml_event_delete(&e);
		if (r < 0 || over)
			return r;
	}
}

/* May there be hooks in what is no YAML? */
static bool names_hooks(struct str text)
{
	for (struct str line; str_split(&text, '\n', &line);) {
		while (line.n && strchr("\"'{ \t", line.p[0]))
			line = str_sub(line, 1, line.n);
		if (str_starts(line, STR("hooks")))
			return true;
	}
	return false;
}

int front_hooks_read(struct arena *a, struct str text, struct str *ret_json, struct err *err)
{
	struct layout l = { 0 };
	yaml_parser_t parser;
	struct str front;
	int r;

	if (!front_find(text, &front) || str_find(front, STR("hooks"), 0) < 0)
		return 0;
	if (front_is_deep(front))
		return names_hooks(front)
			       ? err_set_at(err, E_PARSE, "", 2, 1, "it has too many open brackets")
			       : 0;
	if (!yaml_parser_initialize(&parser))
		abort();
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)front.p, front.n);
	r = read_events(&l, &parser);
	yaml_parser_delete(&parser);
	if (r < 0 && !l.found && !names_hooks(front))
		r = l.found = 0;
	if (r < 0)
		(void)err_set_at(err, E_PARSE, "", (unsigned)l.at.line + 2,
				 (unsigned)l.at.column + 1, "%s", l.why);
	if (r == 0 && l.found) {
		put(&l, STR("}"));
		/* The front matter begins in the second line. */
		*ret_json = arena_printf(a, "\n%.*s", STR_ARG(buf_str(&l.out)));
		r = 1;
	}
	buf_done(&l.out);
	return r;
}
