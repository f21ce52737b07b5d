/* What functions make of texts: decoded, split, joined, formatted. */
#include "effects/code_act.h"

#include "base/words.h"
#include "effects/code_reader.h"

static void add_char(struct buf *out, const struct code_value *v)
{
	int64_t n;

	if (v->kind == VALUE_LIST)
		for (unsigned i = 0; i < v->n; i++)
			add_char(out, &v->items[i]);
	else if (value_int(v, &n) && n > 1 && n < 128)
		buf_addc(out, (char)n);
	else
		buf_addc(out, CODE_GAP);
}

static struct code_value chars(const struct act *x)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct code_value v;

	if (x->f->arg < 0 && x->self)
		add_char(&out, x->self);
	for (unsigned i = 0; i < x->args->n && x->f->arg >= 0; i++)
		add_char(&out, &x->args->p[i].value);
	if (!x->args->n && (x->f->flags & FN_DEFAULT) && act_argument(x, 0)) /* chr of Perl */
		add_char(&out, act_argument(x, 0));
	v = value_text(arena_str(x->c->e->arena, buf_str(&out)));
	v.flags = act_taints(x);
	return v;
}

static bool is_printable(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' && str_chr(STR("\t\n\r\f"), s.p[i], 0) < 0)
			return false;
	return true;
}

/* zlib.decompress(b64decode("...")), cipher.decrypt(text) */
static struct code_value unpacked(const struct act *x, const struct code_value *v)
{
	if (v && v->kind == VALUE_TEXT && str_eqz(v->type, TYPE_PACKED))
		return value_text(v->text);
	if (act_taints(x) & VALUE_FETCHED)
		return value_unknown(act_taints(x));
	return value_unknown(v && (value_is_known(v) || (v->flags & VALUE_HIDDEN)) ? VALUE_HIDDEN
										   : 0);
}

static struct code_value decoded(const struct act *x, enum code_act how)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct arena *a = x->c->e->arena;
	struct code_value result = value_text(STR(""));
	int64_t size;
	struct str s;
	char *p;

	if (v && v->kind == VALUE_LIST && !(v->flags & VALUE_ANY) && how == GIVES_REVERSED) {
		result = value_list(a, v->items, v->n);
		for (unsigned i = 0; i < v->n; i++)
			result.items[i] = v->items[v->n - 1 - i];
		return result;
	}
	if (v && how == GIVES_REVERSED && v->kind != VALUE_LIST && v->type.n)
		return *v; /* objects */
	if (v && v->kind == VALUE_LIST && how == GIVES_DECODED)
		return chars(x);
	if (v && how == GIVES_DECODED && (v->flags & VALUE_NUMBER) && value_int(v, &size) &&
	    size >= CODE_MEMORY_BIG) /* bytearray(1 << 30) */
		return code_memory();
	if (v && str_eqz(v->type, TYPE_MEMORY))
		return code_memory();
	if (!v || !value_is_known(v))
		return value_unknown(v ? v->flags : 0);
	if (how == GIVES_BASE64 && str_eqz(v->type, TYPE_PACKED))
		return *v;
	s = v->text;
	if (how == GIVES_DECODED) {
		const struct code_value *codec = act_positional(x->args, (unsigned)x->f->arg + 1);

		if (!codec || codec->kind != VALUE_TEXT)
			return *v;
		if (str_eqz(codec->text, "hex"))
			how = GIVES_HEX;
		else if (str_starts(codec->text, STR("base64")))
			how = GIVES_BASE64;
		else if (!str_starts(codec->text, STR("rot")))
			return *v;
	}
	if (how == GIVES_DECODED)
		how = GIVES_ROT13;
	if (how == GIVES_HEX && x->c->g->language == CODE_PERL && /* pack(format, ...) */
	    act_positional(x->args, 0) && !str_starts(act_positional(x->args, 0)->text, STR("H")))
		return value_unknown(0);
	if (how == GIVES_BASE64 || how == GIVES_HEX) {
		bool done = how == GIVES_HEX ? code_unhex(a, s, &result.text)
					     : code_unbase64(a, s, &result.text);

		return !done                       ? value_unknown(0)
		       : is_printable(result.text) ? result
						   : value_unknown(VALUE_HIDDEN);
	}
	p = arena_z(a, s);
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i], l = char_lower(c);

		if (how == GIVES_REVERSED)
			p[i] = s.p[s.n - 1 - i];
		else if (how == GIVES_LOWER)
			p[i] = l;
		else if (char_is_letter(c))
			p[i] = (char)((l - 'a' + 13) % 26 + (c == l ? 'a' : 'A'));
	}
	result.text = (struct str){ p, s.n };
	return result;
}

static struct code_value replaced(const struct act *x)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	const struct code_value *self = x->self, *from = act_positional(x->args, 0),
				*to = act_positional(x->args, 1);
	struct code_value v;
	struct str s;

	if (!self || !from || !to || self->kind != VALUE_TEXT || !value_is_known(from) ||
	    !value_is_known(to) || from->text.n == 0)
		return self ? value_unknown(self->flags) : value_unknown(0);
	s = self->text;
	for (size_t i = 0; i < s.n;)
		if (str_starts(str_sub(s, i, s.n), from->text)) {
			buf_adds(&out, to->text);
			i += from->text.n;
		} else {
			buf_addc(&out, s.p[i++]);
		}
	v = *self;
	v.text = out.full ? STR("\1") : arena_str(x->c->e->arena, buf_str(&out));
	return v;
}

static struct code_value split(const struct act *x);

/* A line of a file of secrets: its name gives nothing away. FN_OTHER: "=" is between them. */
static struct code_value name_and_value(const struct act *x)
{
	struct code_value parts[] = { value_unknown(0), value_unknown(VALUE_SECRET),
				      value_unknown(VALUE_SECRET) };

	x->c->names_told = true;
	return value_list(x->c->e->arena, parts, x->f->flags & FN_OTHER ? 3 : 2);
}

enum { GROUPS_MAX = 8 };

/* "(?<name>...", "(?P<name>..." */
static struct str group_name(struct str group)
{
	ptrdiff_t from = str_chr(group, '<', 0), to = str_chr(group, '>', 0);

	return from > 0 && to > from ? str_sub(group, (size_t)from + 1, (size_t)to) : STR("");
}

/* Of a line `NAME=value` the groups of a pattern, behind the whole: those before "=" are names. */
static unsigned groups_of(struct str pattern, struct code_value *parts)
{
	unsigned open[GROUPS_MAX], depth = 0, n = 1;
	bool equals = false;

	parts[0] = value_unknown(VALUE_SECRET);
	for (size_t i = 0; i < pattern.n && n < GROUPS_MAX && depth < GROUPS_MAX; i++) {
		char c = pattern.p[i], next = i + 1 < pattern.n ? pattern.p[i + 1] : '\0';

		if (c == '\\') {
			i++;
		} else if (c == '(') {
			bool named = next == '?' &&
				     (str_starts(str_sub(pattern, i + 2, pattern.n), STR("<")) ||
				      str_starts(str_sub(pattern, i + 2, pattern.n), STR("P<")));

			open[depth++] = next == '?' && !named ? 0 : n;
			if (next != '?' || named) {
				parts[n] = value_unknown(equals ? VALUE_SECRET : 0);
				if (named)
					parts[n].key = group_name(str_sub(pattern, i, pattern.n));
				n++;
			}
			i += next == '?' ? 2 : 0;
		} else if (c == ')' && depth) {
			depth--;
		} else if (c == '=') {
			equals = true;
			for (unsigned k = 0; k < depth; k++) /* it is in them */
				if (open[k])
					parts[open[k]].flags |= VALUE_SECRET;
		}
	}
	return equals && n > 1 ? n : 0;
}

/*
 * line.match(/^([A-Z_]+)=/): [all, the name]
 * FN_OTHER: the pattern is the object; FN_KEYED: of each line.
 */
static struct code_value matched(const struct act *x)
{
	bool of_pattern = x->f->flags & FN_OTHER;
	const struct code_value *pattern =
		of_pattern ? x->self : act_argument(x, x->f->arg < 0 ? 0 : x->f->arg);
	const struct code_value *of = of_pattern      ? act_positional(x->args, 0)
				      : x->f->arg < 0 ? x->self
						      : act_positional(x->args, 1);
	struct code_value parts[GROUPS_MAX], v;
	unsigned n = 0;

	if (of && of->kind == VALUE_TEXT && (of->flags & VALUE_WALKED)) {
		v = *of; /* a line of a listing */
		v.flags |= str_eqz(v.type, TYPE_PROCESSES) ? 0 : VALUE_CHOSEN;
		return v;
	}
	if (of && (of->flags & VALUE_SECRET) && pattern && pattern->text.n)
		n = groups_of(pattern->text, parts);
	if (!n)
		return value_unknown(act_taints(x));
	x->c->names_told = true;
	v = value_list(x->c->e->arena, parts, n);
	v.type = STR(TYPE_MATCH);
	if (x->f->flags & FN_KEYED) {
		v = value_list(x->c->e->arena, &v, 1);
		v.flags |= VALUE_ANY;
	}
	return v;
}

/* Of each alternative. */
static struct code_value split_each(const struct act *x, const struct code_value *v)
{
	struct code_value *items = ARENA_ARRAY(x->c->e->arena, struct code_value, v->n + 1), self;
	struct code_function f = *x->f;
	struct code_args args = *x->args;
	struct act one = { x->c, &f, &self, &args };

	for (unsigned i = 0; i < v->n; i++) {
		self = v->items[i];
		if (f.arg >= 0)
			args.p[0].value = self;
		items[i] = self.kind == VALUE_TEXT ? split(&one) : value_unknown(self.flags);
	}
	self = value_list(x->c->e->arena, items, v->n);
	self.flags |= VALUE_ANY;
	return self;
}

static struct code_value split(const struct act *x)
{
	struct code_value words[64], *all = words;
	const struct code_value *v = act_argument(x, x->f->arg);
	const struct code_value line = value_text(STR("\n"));
	const struct code_value *by = x->f->act == GIVES_LINES ? &line
				      : x->f->arg < 0          ? act_positional(x->args, 0)
				      : x->f->flags & FN_KEYED ? act_positional(x->args, 1)
				      : x->f->flags & FN_ALL   ? act_positional(x->args, 0)
							       : NULL;
	size_t n = 0;
	struct str s;

	if (v && v->kind == VALUE_TEXT && (v->flags & VALUE_WALKED))
		return *v; /* a listing, line by line */
	if (v && v->kind == VALUE_LIST && (v->flags & VALUE_ANY) && x->f->act == GIVES_SPLIT)
		return split_each(x, v);
	if (v && v->kind == VALUE_UNKNOWN && (v->flags & VALUE_SECRET) && by &&
	    str_eqz(by->text, "="))
		return name_and_value(x);
	if (!v || v->kind != VALUE_TEXT || (by && !value_is_known(by)))
		return value_unknown(v ? v->flags : 0);
	s = v->text;
	if (by && by->text.n == 0) { /* characters */
		all = arena_raw(x->c->e->arena, (CODE_ITEMS_MAX + 1) * sizeof *all);
		for (; n < s.n && n < CODE_ITEMS_MAX; n++)
			all[n] = value_text(str_sub(s, n, n + 1));
		return n < s.n ? value_unknown(0) : value_list(x->c->e->arena, all, n);
	}
	for (size_t i = 0; i <= s.n && n < ARRAY_LEN(words);) {
		size_t end;
		ptrdiff_t at;

		if (!by) {
			while (i < s.n && strchr(" \t\n\r", s.p[i]))
				i++;
			if (i == s.n)
				break;
			for (end = i; end < s.n && !strchr(" \t\n\r", s.p[end]);)
				end++;
		} else {
			at = str_find(s, by->text, i);
			end = at < 0 ? s.n : (size_t)at;
		}
		words[n++] = value_text(str_sub(s, i, end));
		i = end + (by ? by->text.n : 1);
	}
	return value_list(x->c->e->arena, words, n);
}

/* join(between, x, ...), join(list, between) */
static struct code_value joined_arguments(const struct act *x)
{
	const struct code_value *a = act_positional(x->args, 0), *b = act_positional(x->args, 1);
	struct code_value items[CODE_ARGS_MAX];
	struct arena *arena = x->c->e->arena;
	unsigned n = 0;

	if (a && a->kind == VALUE_LIST)
		return value_join_all(arena, *a, b && b->kind == VALUE_TEXT ? b->text : STR(""));
	if (!a || a->kind != VALUE_TEXT)
		return value_unknown(act_taints(x));
	if (b && b->kind == VALUE_LIST)
		return value_join_all(arena, *b, a->text);
	for (unsigned i = 1; i < x->args->n; i++)
		items[n++] = x->args->p[i].value;
	return value_join_all(arena, value_list(arena, items, n), a->text);
}

/* Template("rm $x").substitute(x="y"), substitute({"x": "y"}) */
static struct code_value substituted(const struct act *x)
{
	struct arena *a = x->c->e->arena;
	struct code_value v = value_text(STR(""));
	struct str s = x->self ? x->self->text : STR("");
	size_t from = 0;

	for (size_t i = 0; i + 1 < s.n; i++) {
		bool braces = s.p[i + 1] == '{';
		size_t name = i + 1 + braces, end = name;
		const struct code_value *part;

		while (end < s.n && char_is_word(s.p[end]))
			end++;
		if (s.p[i] != '$' || end == name)
			continue;
		part = act_keyed(x->args, arena_z(a, str_sub(s, name, end)));
		v = value_join(a, v, STR(""), value_text(str_sub(s, from, i)));
		v = value_join(a, v, STR(""), part ? *part : value_unknown(0));
		from = min_size(end + braces, s.n);
		i = from - 1;
	}
	return value_join(a, v, STR(""), value_text(str_sub(s, from, s.n)));
}

static struct code_value format(const struct act *x)
{
	struct arena *a = x->c->e->arena;
	struct code_value v = value_text(STR(""));
	bool first = x->f->flags & FN_OTHER;
	const struct code_value *self = first ? act_positional(x->args, 0) : x->self;
	size_t from = 0, n = first;

	if (!self || self->kind != VALUE_TEXT)
		return value_unknown(act_taints(x));
	for (size_t i = 0; i < self->text.n; i++) {
		ptrdiff_t end;
		struct str name;
		const struct code_value *part;
		struct code_value number;
		int64_t k;

		if (self->text.p[i] != '{')
			continue;
		end = str_chr(self->text, '}', i);
		if (end < 0)
			break;
		name = str_sub(self->text, i + 1, (size_t)end);
		number = value_text(name);
		part = name.n == 0              ? act_positional(x->args, (unsigned)n++)
		       : value_int(&number, &k) ? act_positional(x->args, (unsigned)k)
						: NULL;
		for (unsigned q = 0; !part && q < x->args->n; q++)
			if (x->args->p[q].key.n && str_eq(x->args->p[q].key, name))
				part = &x->args->p[q].value;
		if (!part && x->c->g->language == CODE_R) /* glue("{x}") */
			part = code_variable(x->c, name);
		v = value_join(a, v, STR(""), value_text(str_sub(self->text, from, i)));
		v = value_join(a, v, STR(""), part ? *part : value_unknown(0));
		from = (size_t)end + 1;
		i = (size_t)end;
	}
	return value_join(a, v, STR(""), value_text(str_sub(self->text, from, self->text.n)));
}

/* sprintf("%s/%s", x, y) */
static struct code_value formatted(const struct act *x, const struct code_value *format)
{
	struct code_value items[CODE_ARGS_MAX];
	const struct code_value *v;
	unsigned n = 0;

	if (!format || format->kind != VALUE_TEXT)
		return value_unknown(act_taints(x));
	while (n < CODE_ARGS_MAX && (v = act_positional(x->args, (unsigned)x->f->arg + 1 + n)))
		items[n++] = *v;
	return code_percent(x->c, *format, value_list(x->c->e->arena, items, n));
}

/* Text of JSON is a list or an object of these languages, too. */
static struct code_value from_json(const struct act *x, const struct code_value *v)
{
	struct str s = v && value_is_known(v) ? str_trim(v->text) : STR("");

	if (!s.n || !strchr("[{", s.p[0]))
		return v ? *v : value_unknown(0);
	code_run_text(x->c, arena_printf(x->c->e->arena, "(%.*s)", STR_ARG(s)));
	return x->c->last;
}

/* paste("rm", path), paste(words, collapse = " ") of R */
static struct code_value pasted(const struct act *x)
{
	const struct code_value *by = act_keyed(x->args, "sep"),
				*within = act_keyed(x->args, "collapse"), *v;
	struct code_value out = value_text(STR("")), one;
	struct arena *a = x->c->e->arena;

	for (unsigned i = 0; (v = act_positional(x->args, i)); i++) {
		one = v->kind == VALUE_LIST && within && within->kind == VALUE_TEXT
			      ? value_join_all(a, *v, within->text)
			      : *v;
		out = i ? value_join(a, out, by && by->kind == VALUE_TEXT ? by->text : STR(" "),
				     one)
			: one;
	}
	return out;
}

/* pipeline(IOBuffer(x), `curl -d @- y`), pipeline(`x`, `y`) of Julia */
static struct code_value pipeline(const struct act *x)
{
	struct code_value out = value_unknown(0);
	const struct code_value *v;

	for (unsigned i = 0; (v = act_positional(x->args, i)); i++) {
		unsigned taints = (out.flags | v->flags) & VALUE_TAINTS;

		if (str_eqz(v->type, TYPE_PIPE))
			out = out.kind == VALUE_TEXT
				      ? value_join(x->c->e->arena, out, STR(" | "), *v)
				      : *v;
		out.flags |= taints;
	}
	out.type = STR(TYPE_PIPE);
	return out;
}

struct code_value act_gives_text(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct arena *a = x->c->e->arena;
	struct code_value other;

	switch ((unsigned)x->f->act) {
	case GIVES_MATCHED:
		return matched(x);
	case GIVES_JSON:
		return from_json(x, v);
	case GIVES_UNPACKED:
		return unpacked(x, v);
	case GIVES_CODE:
		return v && value_is_known(v) && v->text.n == 1
			       ? value_number(a, (unsigned char)v->text.p[0])
			       : value_unknown(act_taints(x));
	case GIVES_FORMAT:
		return x->f->flags & FN_KEYED ? substituted(x) : format(x);
	case GIVES_SPRINTF:
		return formatted(x, v);
	case GIVES_JOINED:
		return x->self && act_positional(x->args, 0) && x->self->kind == VALUE_TEXT
			       ? value_join_all(a, *act_positional(x->args, 0), x->self->text)
			       : value_unknown(act_taints(x));
	case GIVES_JOINED_BY:
		if (x->f->flags & FN_OTHER)
			return joined_arguments(x);
		v = act_positional(x->args, 0);
		return x->self ? value_join_all(a, *x->self,
						v && v->kind == VALUE_TEXT       ? v->text
						: x->c->g->language == CODE_RUBY ? STR("")
										 : STR(","))
			       : value_unknown(0);
	case GIVES_PIPELINE:
		return pipeline(x);
	case GIVES_CONCAT:
		if (x->f->flags & FN_OTHER)
			return pasted(x);
		other = x->self ? *x->self : value_text(STR(""));
		for (unsigned i = 0; i < x->args->n; i++)
			other = value_join(a, other, STR(""), x->args->p[i].value);
		return other;
	case GIVES_BASE64:
	case GIVES_HEX:
	case GIVES_DECODED:
	case GIVES_ROT13:
	case GIVES_REVERSED:
	case GIVES_LOWER:
		return decoded(x, x->f->act);
	case GIVES_CHARS:
		return chars(x);
	case GIVES_REPLACED:
		return replaced(x);
	case GIVES_SPLIT:
	case GIVES_LINES:
		return split(x);
	default:
		return act_gives_path(x);
	}
}
