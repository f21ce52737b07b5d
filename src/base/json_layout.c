/* Where things are in a JSONC text, and how an entry is put in, replaced and taken out. */
#include "base/json_layout.h"

#include "base/json_impl.h"
#include "base/vec.h"

/* An indentation: blanks from the text, and steps of the text's own unit. */
struct indent {
	struct str blanks;
	unsigned steps;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_white(char c)
{
	return is_blank(c) || c == '\n' || c == '\r';
}

static bool at(struct str t, size_t i, struct str what)
{
	return str_starts(str_sub(t, i, t.n), what);
}

/* The end of the comment at i, without its line end; i itself when there is none. */
static size_t comment_end(struct str t, size_t i)
{
	ptrdiff_t end;

	if (at(t, i, STR("//"))) {
		end = str_chr(t, '\n', i);
		return end < 0 ? t.n : (size_t)end;
	}
	if (at(t, i, STR("/*"))) {
		end = str_find(t, STR("*/"), i + 2);
		return end < 0 ? t.n : (size_t)end + 2;
	}
	return i;
}

static size_t skip_trivia(struct str t, size_t i)
{
	size_t end;

	for (;;) {
		while (i < t.n && is_white(t.p[i]))
			i++;
		end = comment_end(t, i);
		if (end == i)
			return i;
		i = end;
	}
}

static size_t skip_blanks(struct str t, size_t i)
{
	while (i < t.n && is_blank(t.p[i]))
		i++;
	return i;
}

static size_t string_end(struct str t, size_t i)
{
	for (i++; i < t.n && t.p[i] != '"'; i++)
		if (t.p[i] == '\\')
			i++;
	return i + 1;
}

static void scan_value(struct arena *a, struct str t, size_t i, struct span *s);

static void scan_entries(struct arena *a, struct str t, struct span *s)
{
	char close = s->kind == '{' ? '}' : ']';
	struct {
		struct span *p;
		size_t n, cap;
	} kids = { 0 };
	size_t i = skip_trivia(t, s->start + 1);

	while (t.p[i] != close) {
		struct span kid = { .entry = i, .comma = NO_COMMA };

		if (close == '}') {
			size_t end = string_end(t, i);
			const struct json *key = NULL;

			if (json_parse(a, str_sub(t, i, end), 0, &key, NULL) < 0)
				BUG();
			kid.key = json_str(key, STR(""));
			i = skip_trivia(t, skip_trivia(t, end) + 1);
		}
		scan_value(a, t, i, &kid);
		i = skip_trivia(t, kid.end);
		if (t.p[i] == ',') {
			kid.comma = i;
			i = skip_trivia(t, i + 1);
		}
		*VEC_ADD(&kids) = kid;
	}
	s->end = i + 1;
	s->n = kids.n;
	s->kids = ARENA_ARRAY(a, struct span, kids.n);
	if (kids.n)
		memcpy(s->kids, kids.p, kids.n * sizeof *kids.p);
	free(kids.p);
}

static void scan_value(struct arena *a, struct str t, size_t i, struct span *s)
{
	s->start = i;
	if (t.p[i] == '{' || t.p[i] == '[') {
		s->kind = t.p[i];
		scan_entries(a, t, s);
		return;
	}
	s->kind = '"';
	if (t.p[i] == '"') {
		s->end = string_end(t, i);
		return;
	}
	while (i < t.n && !is_white(t.p[i]) && !strchr(",]}/", t.p[i]))
		i++;
	s->end = i;
}

static size_t line_start(const struct layout *l, size_t i)
{
	while (i > l->base && l->text.p[i - 1] != '\n')
		i--;
	return i;
}

static struct str indent_of(const struct layout *l, size_t i)
{
	size_t start = line_start(l, i);

	return str_sub(l->text, start, skip_blanks(l->text, start));
}

/* Do only blanks precede i on its line? */
static bool begins_line(const struct layout *l, size_t i)
{
	return skip_blanks(l->text, line_start(l, i)) >= i;
}

static bool has_lines(const struct layout *l, size_t from, size_t to)
{
	return str_chr(str_sub(l->text, from, to), '\n', 0) >= 0;
}

static bool only_white(const struct layout *l, size_t from, size_t to)
{
	while (from < to && is_white(l->text.p[from]))
		from++;
	return from == to;
}

/* What the first entry that begins a line is indented by, more than the line of its container. */
static bool find_unit(const struct layout *l, const struct span *s, struct str *ret_unit)
{
	for (size_t i = 0; i < s->n; i++) {
		const struct span *kid = &s->kids[i];

		if (begins_line(l, kid->entry)) {
			struct str inner = indent_of(l, kid->entry), outer = indent_of(l, s->start);

			if (inner.n > outer.n && str_starts(inner, outer)) {
				*ret_unit = str_sub(inner, outer.n, inner.n);
				return true;
			}
		}
		if (find_unit(l, kid, ret_unit))
			return true;
	}
	return false;
}

void layout_open(struct arena *a, struct str text, struct layout *l)
{
	struct span *root = ARENA_NEW(a, struct span);
	ptrdiff_t line = str_chr(text, '\n', 0);

	*l = (struct layout){ .text = text, .root = root, .unit = STR("  ") };
	l->base = str_starts(text, STR("\xef\xbb\xbf")) ? 3 : 0;
	root->comma = NO_COMMA;
	root->entry = skip_trivia(text, l->base);
	scan_value(a, text, root->entry, root);
	l->eol = line > 0 && text.p[line - 1] == '\r' ? STR("\r\n") : STR("\n");
	(void)find_unit(l, root, &l->unit);
}

static void add_range(const struct layout *l, size_t from, size_t to, struct buf *out)
{
	buf_adds(out, str_sub(l->text, from, to));
}

static void add_line(const struct layout *l, struct indent in, struct buf *out)
{
	buf_adds(out, l->eol);
	buf_adds(out, in.blanks);
	for (unsigned i = 0; i < in.steps; i++)
		buf_adds(out, l->unit);
}

static struct indent deeper(struct indent in)
{
	in.steps++;
	return in;
}

/* On one line, with a space after commas and colons. */
static void add_flat(const struct json *v, struct buf *out)
{
	if (v->type != J_ARR && v->type != J_OBJ) {
		(void)json_write(out, v, JSON_COMPACT);
		return;
	}
	buf_addc(out, v->type == J_ARR ? '[' : '{');
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			buf_addz(out, ", ");
		if (v->type == J_ARR) {
			add_flat(&v->items[i], out);
			continue;
		}
		(void)json_write_str(out, v->members[i].key);
		buf_addz(out, ": ");
		add_flat(&v->members[i].v, out);
	}
	buf_addc(out, v->type == J_ARR ? ']' : '}');
}

/* A list of scalars that are short together stays on one line. */
static bool is_short_list(const struct json *v)
{
	enum { SHORT = 60 };
	AUTO(buf_done) struct buf text = { 0 };

	if (v->type != J_ARR)
		return false;
	for (size_t i = 0; i < v->n; i++) {
		if (v->items[i].type == J_ARR || v->items[i].type == J_OBJ)
			return false;
		(void)json_write(&text, &v->items[i], JSON_COMPACT);
	}
	return utf8_count(buf_str(&text)) < SHORT;
}

/* Over several lines; in is the indentation of the line it starts on. */
static void add_lines(const struct layout *l, const struct json *v, struct indent in,
		      struct buf *out)
{
	if ((v->type != J_ARR && v->type != J_OBJ) || v->n == 0 || is_short_list(v)) {
		add_flat(v, out);
		return;
	}
	buf_addc(out, v->type == J_ARR ? '[' : '{');
	for (size_t i = 0; i < v->n; i++) {
		if (i)
			buf_addc(out, ',');
		add_line(l, deeper(in), out);
		if (v->type == J_ARR) {
			add_lines(l, &v->items[i], deeper(in), out);
			continue;
		}
		(void)json_write_str(out, v->members[i].key);
		buf_addz(out, ": ");
		add_lines(l, &v->members[i].v, deeper(in), out);
	}
	add_line(l, in, out);
	buf_addc(out, v->type == J_ARR ? ']' : '}');
}

/* A new entry: what is to be added, to which container. */
struct entry {
	const struct span *container;
	struct str key;
	const struct json *v;
};

static void add_key(const struct entry *e, struct buf *out)
{
	if (e->container->kind != '{')
		return;
	(void)json_write_str(out, e->key);
	buf_addz(out, ": ");
}

static void add_entry_flat(const struct entry *e, struct buf *out)
{
	add_key(e, out);
	add_flat(e->v, out);
}

static void add_entry_line(const struct layout *l, const struct entry *e, struct indent in,
			   struct buf *out)
{
	add_line(l, in, out);
	add_key(e, out);
	add_lines(l, e->v, in, out);
}

/* Past the comments that start on i's line. */
static size_t past_comments(const struct layout *l, size_t i)
{
	size_t last = i, end;

	for (;;) {
		i = skip_blanks(l->text, i);
		end = comment_end(l->text, i);
		if (end == i)
			return last;
		last = end;
		if (l->text.p[i + 1] == '*') {
			i = end;
			continue;
		}
		return l->text.p[end - 1] == '\r' ? end - 1 : end;
	}
}

static void append_line(const struct layout *l, const struct entry *e, const struct span *last,
			struct buf *out)
{
	const struct span *c = e->container;
	struct indent indent = { .blanks = indent_of(l, c->start), .steps = 1 };
	bool trailing = last->comma != NO_COMMA;
	size_t where = past_comments(l, trailing ? last->comma + 1 : last->end);
	size_t next = skip_blanks(l->text, where);

	for (size_t i = 0; i < c->n; i++) /* as the last entry that begins a line */
		if (begins_line(l, c->kids[i].entry))
			indent = (struct indent){ .blanks = indent_of(l, c->kids[i].entry) };
	if (trailing) {
		add_range(l, 0, where, out);
	} else {
		add_range(l, 0, last->end, out);
		buf_addc(out, ',');
		add_range(l, last->end, where, out);
	}
	add_entry_line(l, e, indent, out);
	if (trailing)
		buf_addc(out, ',');
	if (next == c->end - 1) {
		add_line(l, (struct indent){ indent_of(l, c->start), 0 }, out);
		where = next;
	}
	add_range(l, where, l->text.n, out);
}

void layout_append(const struct layout *l, const struct span *container, struct str key,
		   const struct json *v, struct buf *out)
{
	struct entry e = { container, key, v };
	const struct span *last;

	if (container->n == 0) {
		const struct span *c = e.container;
		size_t close = c->end - 1, inside = close;
		struct indent in = { .blanks = indent_of(l, c->start) };

		while (is_white(l->text.p[inside - 1]))
			inside--;
		add_range(l, 0, inside, out);
		if (inside == c->start + 1 && c != l->root &&
		    !has_lines(l, l->root->start, l->root->end)) {
			add_entry_flat(&e, out);
		} else {
			add_entry_line(l, &e, deeper(in), out);
			add_line(l, in, out);
		}
		add_range(l, close, l->text.n, out);
		return;
	}
	last = &container->kids[container->n - 1];
	if (has_lines(l, container->start, container->end)) {
		append_line(l, &e, last, out);
	} else {
		bool trailing = last->comma != NO_COMMA;
		size_t where = trailing ? last->comma + 1 : last->end;

		add_range(l, 0, where, out);
		buf_addz(out, trailing ? " " : ", ");
		add_entry_flat(&e, out);
		if (trailing)
			buf_addc(out, ',');
		add_range(l, where, l->text.n, out);
	}
}

bool layout_prepend(const struct layout *l, const struct span *list, const struct json *v,
		    struct buf *out)
{
	struct entry e = { list, STR(""), v };
	size_t where = list->start + 1, first = where;

	while (first < l->text.n && is_white(l->text.p[first]))
		first++;
	if (list->n == 0 || first != list->kids[0].entry)
		return false;
	add_range(l, 0, where, out);
	if (begins_line(l, list->kids[0].entry)) {
		add_entry_line(l, &e, (struct indent){ indent_of(l, list->kids[0].entry), 0 }, out);
		buf_addc(out, ',');
	} else {
		add_entry_flat(&e, out);
		buf_addz(out, ", ");
	}
	add_range(l, where, l->text.n, out);
	return true;
}

void layout_replace(const struct layout *l, const struct span *old, const struct json *v,
		    struct buf *out)
{
	add_range(l, 0, old->start, out);
	if (has_lines(l, old->start, old->end) || begins_line(l, old->entry))
		add_lines(l, v, (struct indent){ indent_of(l, old->entry), 0 }, out);
	else
		add_flat(v, out);
	add_range(l, old->end, l->text.n, out);
}

/* The bytes of an entry with its comma, or with what else of its lines goes when it goes. */
static void cut_of(const struct layout *l, const struct span *s, bool last, size_t *ret_from,
		   size_t *ret_to)
{
	size_t from = s->entry, to = s->comma == NO_COMMA ? s->end : s->comma + 1;
	size_t next = skip_blanks(l->text, to), blanks = from;
	bool ends_line = next == l->text.n || strchr("\r\n", l->text.p[next]);

	while (blanks > l->base && is_blank(l->text.p[blanks - 1]))
		blanks--;
	if (begins_line(l, from) && ends_line) {
		from = line_start(l, from);
		to = next;
		to += at(l->text, to, STR("\r"));
		to += at(l->text, to, STR("\n"));
	} else if (!begins_line(l, from) && (ends_line || last)) {
		from = blanks;
	} else {
		to = next;
	}
	*ret_from = from;
	*ret_to = to;
}

/* Comments are between the value and its comma: they stay, the entry and the comma go. */
static void remove_around_comments(const struct layout *l, const struct span *s, struct buf *out)
{
	struct str t = l->text;
	size_t from = s->end, to, end, next = skip_blanks(t, s->comma + 1);
	bool line_comment = false;

	while (is_white(t.p[from]))
		from++;
	for (to = from;; to = end) {
		size_t comment = to;

		while (is_white(t.p[comment]))
			comment++;
		end = comment_end(t, comment);
		if (end == comment)
			break;
		line_comment = t.p[comment + 1] == '/';
	}
	if (line_comment && t.p[to - 1] == '\r')
		to--; /* a part of the line end */
	add_range(l, 0, s->entry, out);
	add_range(l, from, to, out);
	/* What follows the comma may not become part of a comment that ends with its line. */
	if (line_comment && next < t.n && !strchr("\r\n", t.p[next]))
		buf_adds(out, l->eol);
	add_range(l, s->comma + 1, t.n, out);
}

void layout_remove(const struct layout *l, const struct span *container, size_t i, struct buf *out)
{
	const struct span *s = &container->kids[i];
	bool last = i + 1 == container->n;
	size_t to = s->comma == NO_COMMA ? s->end : s->comma + 1, from;

	if (container->n == 1 && only_white(l, container->start + 1, s->entry) &&
	    only_white(l, to, container->end - 1) &&
	    (s->comma == NO_COMMA || only_white(l, s->end, s->comma))) {
		add_range(l, 0, container->start + 1, out);
		add_range(l, container->end - 1, l->text.n, out);
		return;
	}
	if (s->comma != NO_COMMA && !only_white(l, s->end, s->comma)) {
		remove_around_comments(l, s, out);
		return;
	}
	cut_of(l, s, last, &from, &to);
	if (last && i > 0 && s->comma == NO_COMMA) {
		add_range(l, 0, s[-1].comma, out);
		add_range(l, s[-1].comma + 1, from, out);
	} else {
		add_range(l, 0, from, out);
	}
	add_range(l, to, l->text.n, out);
}
