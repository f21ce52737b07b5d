/*
 * Of YAML we take a mapping with texts in it, and lists of texts where they are wanted; its events
 * are counted and nothing else is built from them, so that no document can become bigger
 * than its text.  Aliases are refused.  What is not YAML in a SKILL.md ("description: Use when:
 * always") is read line by line.
 */
#include "agent/catalog/front_matter.h"

#include "agent/catalog/front_yaml.h"
#include "base/utf8.h"
#include "tools/files.h"

enum {
	EVENTS_MAX = 20000,
	DEPTH_MAX = 32,
	BRACKETS_MAX = 64, /* open ones: the parser's time grows with their square */
};

struct front {
	struct arena *a;
	struct str text; /* between the lines */
	struct str name, description; /* .p == NULL: not there */
	struct front_field *fields; /* that are wanted, too; then no others may be there */
	size_t nfields;
	bool lenient; /* front_read_claude() */
	struct str lines[FRONT_FIELDS_MAX]; /* of the fields, when they are read line by line */
	unsigned line, column; /* of the mistake, in the file; line 0 = there is none */
	char why[200];
};

/* Line and column count from 0 in the front matter, which begins in the second line. */
static int mistake(struct front *f, size_t line, size_t column, const char *why)
{
	f->line = (unsigned)line + 2;
	f->column = (unsigned)column + 1;
	(void)snprintf(f->why, sizeof f->why, "%s", why);
	return -E_PARSE;
}

/* ---- one line ---- */

/* Runs of white space become one blank; control characters are made visible. */
static struct str one_line(struct arena *a, struct str text)
{
	AUTO(buf_done) struct buf words = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	bool gap = false;

	text = utf8_trim(text);
	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
			gap = true;
			continue;
		}
		if (gap)
			buf_addc(&words, ' ');
		gap = false;
		buf_addc(&words, c);
	}
	(void)utf8_add_visible(&out, buf_str(&words), false);
	return arena_str(a, buf_str(&out));
}

/* ---- YAML ---- */

struct reading {
	struct front *f;
	yaml_parser_t parser;
	unsigned depth, events;
	bool at_value; /* of the top mapping: the next event is one */
	struct str *slot; /* where that value belongs; NULL = it is ignored */
	struct front_field *field; /* the same for those of front->fields */
	bool in_list; /* of such a field */
	bool anchors; /* there was one */
	bool over; /* the top mapping has ended */
	bool refused; /* not for the reader of lines, either */
};

static int refuse(struct reading *r, const yaml_event_t *e, const char *why)
{
	r->refused = true;
	return mistake(r->f, e->start_mark.line, e->start_mark.column, why);
}

static struct str scalar_text(const yaml_event_t *e)
{
	return (struct str){ (const char *)e->data.scalar.value, e->data.scalar.length };
}

static bool is_null(const yaml_event_t *e)
{
	struct str s = scalar_text(e);

	return e->data.scalar.style == YAML_PLAIN_SCALAR_STYLE &&
	       (s.n == 0 || str_eqz(s, "~") || str_eqz(s, "null"));
}

static const struct json *scalar_value(struct reading *r, const yaml_event_t *e)
{
	struct arena *a = r->f->a;

	return is_null(e) ? json_new_null(a) : json_new_str(a, one_line(a, scalar_text(e)));
}

/* A text, or the beginning of a list; anything else is ignored. */
static int take_field(struct reading *r, const yaml_event_t *e)
{
	if (e->type == YAML_SCALAR_EVENT) {
		r->field->value = scalar_value(r, e);
		return 0;
	}
	if (e->type == YAML_MAPPING_START_EVENT && r->f->lenient)
		return 0;
	if (e->type == YAML_MAPPING_START_EVENT)
		return refuse(r, e, "a text or a list of texts was expected");
	r->in_list = true;
	r->field->value = json_new_arr(r->f->a, NULL, 0);
	return 0;
}

static int take_item(struct reading *r, const yaml_event_t *e)
{
	struct front_field *f = r->field;
	const struct json *items[FRONT_LIST_MAX];
	size_t n = f->value->n;

	if (e->type != YAML_SCALAR_EVENT && r->f->lenient)
		return 0;
	if (e->type != YAML_SCALAR_EVENT)
		return refuse(r, e, "the list may hold texts only");
	if (n == FRONT_LIST_MAX)
		return refuse(r, e, "the list is too long");
	for (size_t i = 0; i < n; i++)
		items[i] = json_at(f->value, i);
	items[n] = scalar_value(r, e);
	f->value = json_new_arr(r->f->a, items, n + 1);
	return 0;
}

static int take_key(struct reading *r, const yaml_event_t *e)
{
	struct front *f = r->f;
	struct str key = e->type == YAML_SCALAR_EVENT ? scalar_text(e) : STR("");
	char why[120];

	r->slot = str_eqz(key, "name")          ? &f->name
		  : str_eqz(key, "description") ? &f->description
						: NULL;
	if (r->slot && r->slot->p && r->f->lenient)
		r->slot = NULL;
	if (r->slot && r->slot->p)
		return refuse(r, e,
			      r->slot == &f->name ? "duplicate key \"name\""
						  : "duplicate key \"description\"");
	r->field = NULL;
	if (r->slot || !f->fields)
		return 0;
	for (size_t i = 0; i < f->nfields; i++)
		if (str_eqz(key, f->fields[i].name))
			r->field = &f->fields[i];
	if (r->field && !r->field->value) {
		if (r->field->passed_over) {
			r->field->value = json_new_null(f->a);
			r->field = NULL;
		}
		return 0;
	}
	if (f->lenient) {
		r->field = NULL;
		return 0;
	}
	(void)snprintf(why, sizeof why,
		       r->field ? "duplicate key \"%.*s\"" : "\"%.*s\" is not known here",
		       (int)min_size(key.n, 60), key.p);
	return refuse(r, e, why);
}

static int take_value(struct reading *r, const yaml_event_t *e)
{
	const char *key = r->slot == &r->f->name ? "name" : "description";
	char why[80];

	if (!r->slot)
		return r->field ? take_field(r, e) : 0;
	if (e->type != YAML_SCALAR_EVENT && r->f->lenient)
		return 0;
	if (e->type != YAML_SCALAR_EVENT) {
		(void)snprintf(why, sizeof why, "\"%s\" must be a text, not %s", key,
			       e->type == YAML_SEQUENCE_START_EVENT ? "a list" : "a mapping");
		return refuse(r, e, why);
	}
	*r->slot = is_null(e) ? STR("") : one_line(r->f->a, scalar_text(e));
	if (r->slot->n || r->f->lenient)
		return 0;
	(void)snprintf(why, sizeof why, "\"%s\" is empty", key);
	return refuse(r, e, why);
}

static int take_event(struct reading *r, const yaml_event_t *e)
{
	if (++r->events > EVENTS_MAX)
		return refuse(r, e, "it has too many parts");
	r->anchors |= yaml_has_anchor(e);
	if (e->type == YAML_ALIAS_EVENT) {
		static const char why[] = "aliases of YAML are not accepted";

		/* Without anything that it could stand for it is a text that begins with an
		 * asterisk. */
		return r->anchors ? refuse(r, e, why)
				  : mistake(r->f, e->start_mark.line, e->start_mark.column, why);
	}
	if (e->type == YAML_SCALAR_EVENT || yaml_begins(e)) {
		/* A node that begins; those of the top mapping are its keys and values, in turn. */
		int ret = 0;

		if (r->depth == 0 && e->type != YAML_MAPPING_START_EVENT)
			return mistake(r->f, e->start_mark.line, e->start_mark.column,
				       "\"name: ...\" and \"description: ...\" were expected");
		if (r->depth == 1) {
			ret = r->at_value ? take_value(r, e) : take_key(r, e);
			r->at_value = !r->at_value;
		}
		if (r->depth == 2 && r->in_list)
			ret = take_item(r, e);
		if (e->type != YAML_SCALAR_EVENT && ++r->depth > DEPTH_MAX)
			return refuse(r, e, "it is nested too deep");
		return ret;
	}
	if (yaml_ends(e)) {
		r->depth--;
		r->in_list = false;
	}
	r->over = r->depth == 0 && r->events > 3; /* begin of stream, document, mapping */
	return 0;
}

/* Flow collections that stay open make the parser slow: such a text is not given to it. */
bool front_is_deep(struct str text)
{
	size_t open = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '[' || text.p[i] == '{')
			open++;
		else if ((text.p[i] == ']' || text.p[i] == '}') && open)
			open--;
		if (open > BRACKETS_MAX)
			return true;
	}
	return false;
}

/* 1 when the reader of lines may try it; -E_PARSE when none may. */
static int read_yaml(struct front *f)
{
	struct reading r = { .f = f };
	const yaml_parser_t *p = &r.parser;
	bool last = false;
	int ret = 0;

	if (front_is_deep(f->text))
		return (void)mistake(f, 0, 0, "it has too many open brackets"), 1;
	if (!yaml_parser_initialize(&r.parser))
		abort();
	yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&r.parser, (const unsigned char *)f->text.p, f->text.n);
	while (ret >= 0 && !r.over && !last) {
		yaml_event_t e;

		if (!yaml_parser_parse(&r.parser, &e)) {
			ret = mistake(f, p->problem_mark.line, p->problem_mark.column,
				      p->problem ? p->problem : "it is no YAML");
			break;
		}
		last = e.type == YAML_STREAM_END_EVENT;
		ret = take_event(&r, &e);
		yaml_event_delete(&e);
	}
	yaml_parser_delete(&r.parser);
	return ret < 0 && !r.refused ? 1 : ret;
}

/* ---- line by line ---- */

/* The slot of a line "key: value" that is still empty; the first one counts. */
static struct str *slot_of(struct front *f, struct str line, struct str *ret_value)
{
	ptrdiff_t colon = str_chr(line, ':', 0);
	struct str key = str_trim(str_sub(line, 0, colon < 0 ? 0 : (size_t)colon));
	struct str *slot = str_eqz(key, "name")          ? &f->name
			   : str_eqz(key, "description") ? &f->description
							 : NULL;

	for (size_t i = 0; f->lenient && !slot && i < f->nfields; i++)
		if (str_eqz(key, f->fields[i].name))
			slot = &f->lines[i];
	if (!slot || slot->p)
		return NULL;
	*ret_value = str_trim(str_sub(line, (size_t)colon + 1, line.n));
	return slot;
}

static void store(struct front *f, struct str *slot, struct buf *value)
{
	struct str s = str_trim(buf_str(value));

	if (s.n >= 2 && (s.p[0] == '"' || s.p[0] == '\'') && s.p[s.n - 1] == s.p[0])
		s = str_sub(s, 1, s.n - 1);
	if (slot)
		*slot = one_line(f->a, s);
	buf_clear(value);
}

static void read_lines(struct front *f)
{
	AUTO(buf_done) struct buf value = { 0 };
	struct str *slot = NULL;

	f->name = f->description = (struct str){ 0 };
	for (struct str rest = f->text, line; str_split(&rest, '\n', &line);) {
		struct str first = { 0 };

		if ((line.n && (line.p[0] == ' ' || line.p[0] == '\t')) || !str_trim(line).n) {
			buf_addc(&value, ' ');
			buf_adds(&value, str_trim(line));
			continue;
		}
		store(f, slot, &value);
		slot = slot_of(f, line, &first);
		/* ">-" and the like say that the text is on the lines below. */
		if (!first.n || !str_is_of(str_sub(first, 0, 1), ">|") ||
		    !str_is_of(str_sub(first, 1, first.n), "+-0123456789"))
			buf_adds(&value, first);
	}
	store(f, slot, &value);
	for (size_t i = 0; i < f->nfields; i++)
		if (f->lines[i].p)
			f->fields[i].value = json_new_str(f->a, f->lines[i]);
}

/* ---- the file ---- */

static bool is_fence(struct str line)
{
	if (!str_starts(line, STR("---")))
		return false;
	return str_trim(str_sub(line, 3, line.n)).n == 0;
}

/* False without front matter; else the text between the lines, and after them. */
static bool split_front(struct str text, struct str *ret_front, struct str *ret_body,
			const char **ret_why)
{
	struct str rest = text, line;
	const char *start;

	*ret_why = "the file must begin with a line \"---\"";
	if (!str_split(&rest, '\n', &line) || !is_fence(line))
		return false;
	*ret_why = "the line \"---\" that ends the front matter is missing";
	if (!rest.p)
		return false;
	start = rest.p;
	while (str_split(&rest, '\n', &line))
		if (is_fence(line)) {
			*ret_front = (struct str){ start, (size_t)(line.p - start) };
			*ret_body = rest.p ? rest : STR("");
			return true;
		}
	return false;
}

bool front_find(struct str text, struct str *ret_front)
{
	const char *why;
	struct str body;

	return split_front(text, ret_front, &body, &why);
}

static int read_fields(struct front *f)
{
	int r = read_yaml(f);

	if (f->lenient) {
		for (size_t i = 0; r != 0 && i < f->nfields; i++)
			f->fields[i].value = NULL;
		if (r != 0)
			read_lines(f);
		return 0;
	}
	/* Lines have no lists. */
	if (r > 0 && f->fields)
		return -E_PARSE;
	if (r > 0) {
		read_lines(f);
		r = f->name.n && f->description.n ? 0 : -E_PARSE;
	}
	if (r == 0 && (!f->name.n || !f->description.n))
		r = mistake(f, 0, 0,
			    !f->name.n ? "the front matter has no \"name\""
				       : "the front matter has no \"description\"");
	return r;
}

static int read_front(struct front *front, struct str text, struct front_matter *ret_front,
		      struct err *err)
{
	struct front f = *front;
	struct arena *a = f.a;
	struct str body = { 0 };
	const char *why;
	size_t at;
	ptrdiff_t nul;

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_sub(text, 3, text.n);
	if (!split_front(text, &f.text, &body, &why)) {
		if (!f.lenient)
			return err_set_at(err, E_PARSE, "", 1, 1, "%s", why);
		f.text = str_sub(text, 0, 0);
		body = text;
	}
	/* What no part of YAML is: the first byte that does not belong into a text. */
	nul = str_chr(text, '\0', 0);
	at = utf8_valid(f.text);
	if (nul >= 0 || at < f.text.n) {
		struct json_where where = json_locate(
			text, nul >= 0 ? (size_t)nul : (size_t)(f.text.p - text.p) + at);

		return err_set_at(err, E_PARSE, "", where.line, where.column, "%s",
				  nul >= 0 ? "not a text file: it has a NUL character"
					   : "the front matter is not valid UTF-8");
	}
	if (f.text.n > FRONT_MAX)
		return err_set_at(err, E_PARSE, "", 1, 1, "the front matter is longer than %d KiB",
				  FRONT_MAX >> 10);
	if (read_fields(&f) < 0)
		return err_set_at(err, E_PARSE, "", f.line, f.column, "%s", f.why);
	if (utf8_count(f.name) > FRONT_NAME_MAX)
		return err_set_at(err, E_PARSE, "", 2, 1, "the name is longer than %d characters",
				  FRONT_NAME_MAX);
	ret_front->name = f.name;
	ret_front->description = f.description;
	ret_front->body = tool_clean(a, utf8_trim(text_unix(a, body)));
	return 0;
}

int front_read(struct arena *a, struct str text, struct front_matter *ret_front,
	       struct front_field *fields, size_t nfields, struct err *err)
{
	struct front f = { .a = a, .fields = fields, .nfields = nfields };

	return read_front(&f, text, ret_front, err);
}

int front_read_claude(struct arena *a, struct str text, struct front_matter *ret_front,
		      struct front_field *fields, size_t nfields, struct err *err)
{
	struct front f = { .a = a, .fields = fields, .nfields = nfields, .lenient = true };

	if (nfields > FRONT_FIELDS_MAX)
		BUG();
	return read_front(&f, text, ret_front, err);
}
