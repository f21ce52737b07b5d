#include "mcp/elicit.h"

#include <math.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"

const char *const elicit_actions[3] = { "cancel", "decline", "accept" };

/* ---- what is asked ---- */

static const char *text_of(struct arena *a, const struct json *v, const char *key)
{
	return arena_z(a, utf8_prefix(json_get_str(v, key), ELICIT_TEXT_MAX));
}

/* "enum" with "enumNames", or a list of {"const", "title"}. */
static int read_options(struct arena *a, const struct json *v, struct elicit_field *f,
			struct err *err)
{
	const struct json *words = json_getz(v, "enum"), *names = json_getz(v, "enumNames");
	const struct json *rows =
		json_getz(v, "oneOf") ? json_getz(v, "oneOf") : json_getz(v, "anyOf");
	const struct json *list = words ? words : rows;
	struct elicit_option *options;

	if (!json_is(list, J_ARR))
		return 0;
	if (list->n == 0 || list->n > ELICIT_OPTIONS_MAX)
		return err_set(err, E_INVAL, "a field has no options, or more than %d",
			       ELICIT_OPTIONS_MAX);
	options = ARENA_ARRAY(a, struct elicit_option, list->n);
	for (size_t i = 0; i < list->n; i++) {
		const struct json *item = json_at(list, i);
		const struct json *value = words ? item : json_getz(item, "const");
		const struct json *title = words ? json_at(names, i) : json_getz(item, "title");

		if (!json_is(value, J_STR))
			return err_set(err, E_INVAL, "an option is not a string");
		options[i].value = json_str(value, STR(""));
		options[i].title = arena_z(a, json_str(title, options[i].value));
	}
	f->options = options;
	f->n = list->n;
	return 0;
}

static int check(const struct elicit_field *f, const struct json *v, struct err *err);

static int read_field(struct arena *a, const struct json_member *m, const struct json *required,
		      struct elicit_field *f, struct err *err)
{
	static const struct {
		const char *name;
		enum elicit_type type;
		const char *min, *max;
	} types[] = {
		{ "string", ELICIT_TEXT, "minLength", "maxLength" },
		{ "number", ELICIT_NUMBER, "minimum", "maximum" },
		{ "integer", ELICIT_INTEGER, "minimum", "maximum" },
		{ "boolean", ELICIT_BOOL, "", "" },
		{ "array", ELICIT_SOME, "minItems", "maxItems" },
	};
	const struct json *v = &m->v;
	struct str type = json_get_str(v, "type");
	size_t i = 0;
	int r;

	while (i < ARRAY_LEN(types) && !str_eqz(type, types[i].name))
		i++;
	if (i == ARRAY_LEN(types))
		return err_set(err, E_INVAL, "the field %.*s has no type that can be asked for",
			       STR_ARG(str_sub(m->key, 0, 80)));
	*f = (struct elicit_field){ .name = m->key,
				    .title = text_of(a, v, "title"),
				    .about = text_of(a, v, "description"),
				    .type = types[i].type,
				    .format = text_of(a, v, "format") };
	if (!*f->title)
		f->title = arena_z(a, m->key);
	f->min = json_num(json_getz(v, types[i].min), -INFINITY);
	f->max = json_num(json_getz(v, types[i].max), INFINITY);
	r = read_options(a, f->type == ELICIT_SOME ? json_getz(v, "items") : v, f, err);
	if (r < 0)
		return r;
	if (f->type == ELICIT_SOME && !f->n)
		return err_set(err, E_INVAL, "the list %.*s has no options",
			       STR_ARG(str_sub(m->key, 0, 80)));
	if (f->type == ELICIT_TEXT && f->n)
		f->type = ELICIT_ONE;
	for (i = 0; json_is(required, J_ARR) && i < required->n; i++)
		f->required |= str_eq(json_str(json_at(required, i), STR("")), m->key);
	f->preset = json_getz(v, "default");
	if (f->preset && check(f, f->preset, NULL) < 0)
		f->preset = NULL;
	return 0;
}

int elicit_read(struct arena *a, const struct json *params, struct elicit *ret, struct err *err)
{
	struct str mode = json_str(json_getz(params, "mode"), STR("form"));
	const struct json *schema = json_getz(params, "requestedSchema");
	const struct json *fields = json_getz(schema, "properties");
	struct elicit e = { .message = text_of(a, params, "message"), .url = "", .id = "" };
	struct elicit_field *list;
	int r = 0;

	if (str_eqz(mode, "url")) {
		e.is_url = true;
		e.url = text_of(a, params, "url");
		e.id = text_of(a, params, "elicitationId");
		*ret = e;
		return *e.url ? 0 : err_set(err, E_INVAL, "the url is missing");
	}
	if (!str_eqz(mode, "form") || !json_is(fields, J_OBJ))
		return err_set(err, E_INVAL,
			       "mode must be form or url, and a form needs a "
			       "requestedSchema with properties");
	if (fields->n > ELICIT_FIELDS_MAX)
		return err_set(err, E_INVAL, "there are more than %d fields", ELICIT_FIELDS_MAX);
	list = ARENA_ARRAY(a, struct elicit_field, fields->n + 1);
	for (size_t i = 0; r >= 0 && i < fields->n; i++)
		r = read_field(a, &fields->members[i], json_getz(schema, "required"), &list[i],
			       err);
	e.fields = list;
	e.n = fields->n;
	e.schema = schema;
	if (r >= 0)
		*ret = e;
	return r;
}

/* ---- what fits ---- */

static int number_at(struct str s, size_t from, size_t n)
{
	struct str digits = str_sub(s, from, from + n);
	int64_t v = 0;

	return digits.n == n && str_is_of(digits, "0123456789") && str_to_int(digits, &v) ? (int)v
											  : -1;
}

/* RFC 3339 */
static bool is_time(struct str s)
{
	size_t i = 8;

	if (s.n < 9 || s.p[2] != ':' || s.p[5] != ':' || number_at(s, 0, 2) < 0 ||
	    number_at(s, 0, 2) > 23 || number_at(s, 3, 2) < 0 || number_at(s, 3, 2) > 59 ||
	    number_at(s, 6, 2) < 0 || number_at(s, 6, 2) > 60)
		return false;
	if (s.p[i] == '.') {
		size_t first = ++i;

		while (i < s.n && char_is_digit(s.p[i]))
			i++;
		if (i == first)
			return false;
	}
	if (i + 1 == s.n)
		return s.p[i] == 'Z' || s.p[i] == 'z';
	return s.n == i + 6 && (s.p[i] == '+' || s.p[i] == '-') && s.p[i + 3] == ':' &&
	       number_at(s, i + 1, 2) >= 0 && number_at(s, i + 1, 2) <= 23 &&
	       number_at(s, i + 4, 2) >= 0 && number_at(s, i + 4, 2) <= 59;
}

static bool fits_format(struct str s, const char *format)
{
	ptrdiff_t at = str_chr(s, '@', 0), colon = str_chr(s, ':', 0);

	if (strcmp(format, "email") == 0)
		return at > 0 && !str_has_blank(s) && str_chr(s, '@', (size_t)at + 1) < 0 &&
		       str_chr(s, '.', (size_t)at + 2) > 0 && s.p[s.n - 1] != '.';
	if (strcmp(format, "uri") == 0)
		return colon > 0 && (size_t)colon + 1 < s.n && !str_has_blank(s) &&
		       char_is_word(s.p[0]) && !char_is_digit(s.p[0]);
	if (strcmp(format, "date") == 0)
		return str_is_date(s);
	if (strcmp(format, "date-time") == 0)
		return s.n > 11 && str_is_date(str_sub(s, 0, 10)) &&
		       (s.p[10] == 'T' || s.p[10] == 't') && is_time(str_sub(s, 11, s.n));
	return true;
}

static bool is_option(const struct elicit_field *f, const struct json *v)
{
	for (size_t i = 0; json_is(v, J_STR) && i < f->n; i++)
		if (str_eq(f->options[i].value, json_str(v, STR(""))))
			return true;
	return false;
}

static bool is_in(const struct elicit_field *f, double n)
{
	return n >= f->min && n <= f->max;
}

const char *elicit_wants(struct arena *a, const struct elicit_field *f)
{
	static const struct {
		const char *what, *unit;
	} kinds[] = {
		[ELICIT_TEXT] = { "a text", " characters" },
		[ELICIT_NUMBER] = { "a number", "" },
		[ELICIT_INTEGER] = { "a whole number", "" },
		[ELICIT_BOOL] = { "yes or no", "" },
		[ELICIT_ONE] = { "one of the options", "" },
		[ELICIT_SOME] = { "some of the options", " of them" },
	};
	static const char *const formats[][2] = {
		{ "email", "an e-mail address" },
		{ "uri", "an address with its scheme (https://...)" },
		{ "date", "a date (2026-01-31)" },
		{ "date-time", "a time (2026-01-31T12:00:00Z)" },
	};
	AUTO(buf_done) struct buf limits = { 0 };
	const char *what = kinds[f->type].what;

	for (size_t i = 0; f->type == ELICIT_TEXT && i < ARRAY_LEN(formats); i++)
		if (strcmp(f->format, formats[i][0]) == 0)
			what = formats[i][1];
	if (isfinite(f->min) && isfinite(f->max))
		buf_addf(&limits, ", %g to %g", f->min, f->max);
	else if (isfinite(f->min))
		buf_addf(&limits, ", at least %g", f->min);
	else if (isfinite(f->max))
		buf_addf(&limits, ", at most %g", f->max);
	return arena_printf(a, "%s%s%s", what, buf_z(&limits), limits.n ? kinds[f->type].unit : "")
		.p;
}

static int check(const struct elicit_field *f, const struct json *v, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	double n = json_num(v, NAN);
	bool fits = false;

	switch (f->type) {
	case ELICIT_TEXT:
		fits = json_is(v, J_STR) && is_in(f, (double)utf8_count(json_str(v, STR("")))) &&
		       fits_format(json_str(v, STR("")), f->format);
		break;
	case ELICIT_NUMBER:
		fits = json_is(v, J_NUM) && is_in(f, n);
		break;
	case ELICIT_INTEGER:
		fits = json_is(v, J_NUM) && n == trunc(n) && is_in(f, n);
		break;
	case ELICIT_BOOL:
		fits = json_is(v, J_BOOL);
		break;
	case ELICIT_ONE:
		fits = is_option(f, v);
		break;
	case ELICIT_SOME:
		fits = json_is(v, J_ARR) && is_in(f, (double)v->n);
		for (size_t i = 0; fits && i < v->n; i++)
			fits = is_option(f, json_at(v, i));
		break;
	}
	return fits ? 0
		    : err_set(err, E_INVAL, "%.*s must be %s", STR_ARG(str_sub(f->name, 0, 80)),
			      elicit_wants(&a, f));
}

int elicit_content(struct arena *a, const struct elicit *e, const struct json *content,
		   const struct json **ret_content, struct err *err)
{
	const struct json *out = json_new_obj(a);

	for (size_t i = 0; i < e->n; i++) {
		const struct elicit_field *f = &e->fields[i];
		const struct json *v = json_get(content, f->name);

		if (!v)
			v = f->preset;
		if (!v && f->required)
			return err_set(err, E_INVAL, "%.*s is missing",
				       STR_ARG(str_sub(f->name, 0, 80)));
		if (!v)
			continue;
		if (check(f, v, err) < 0)
			return -E_INVAL;
		out = json_set(a, out, f->name, v);
	}
	*ret_content = out;
	return 0;
}

/* ---- what was typed ---- */

/* By its value, its title, or its number. */
static const struct elicit_option *option_of(const struct elicit_field *f, struct str text)
{
	int64_t number;

	for (size_t i = 0; i < f->n; i++)
		if (str_eq(f->options[i].value, text) || str_eqz(text, f->options[i].title))
			return &f->options[i];
	return str_to_int(text, &number) && number >= 1 && (uint64_t)number <= f->n
		       ? &f->options[number - 1]
		       : NULL;
}

int elicit_typed(struct arena *a, const struct elicit_field *f, struct str text,
		 const struct json **ret_v, struct err *err)
{
	const struct json *v = NULL;
	struct str word = str_trim(text);

	if (f->type == ELICIT_TEXT) {
		v = json_new_copy(a, text);
	} else if (f->type == ELICIT_BOOL) {
		bool yes = word_in_text(word, "y yes true");

		v = yes || word_in_text(word, "n no false") ? json_new_bool(a, yes) : NULL;
	} else if (f->type == ELICIT_ONE) {
		const struct elicit_option *o = option_of(f, word);

		v = o ? json_new_str(a, o->value) : NULL;
	} else if (f->type == ELICIT_SOME) {
		v = json_new_arr(a, NULL, 0);
		for (struct str part; v && str_split(&word, ',', &part);) {
			const struct elicit_option *o = option_of(f, str_trim(part));

			if (o)
				v = json_append(a, v, json_new_str(a, o->value));
			else if (str_trim(part).n)
				v = NULL;
		}
	} else if (json_parse(a, arena_str(a, word), 0, &v, NULL) < 0) {
		v = NULL;
	}
	if (check(f, v, err) < 0)
		return -E_INVAL;
	*ret_v = v;
	return 0;
}
