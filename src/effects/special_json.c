/* jq and its kin: a text of the filter, or of what it is given, may be what a shell runs. */
#include "base/json.h"
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

struct filter {
	struct str text; /* the filter itself */
	struct str in; /* the file behind it */
	struct fields names, values; /* --arg */
	bool raw, alone; /* strings without quotes; no input */
};

static void filter_read(struct run *r, const struct call *c, struct filter *f)
{
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];

		if (word_in_text(w, "--arg --argjson") && i + 2 < c->n) {
			field_add(r, &f->names, c->words[i + 1]);
			field_add(r, &f->values, c->words[i + 2]);
			i += 2;
		} else if (word_in_text(w,
					"--slurpfile --rawfile --indent --tab -f --from-file -L")) {
			i += str_eqz(w, "--tab")                                    ? 0
			     : str_eqz(w, "--slurpfile") || str_eqz(w, "--rawfile") ? 2
										    : 1;
		} else if (w.n > 1 && w.p[0] == '-') {
			f->raw |= str_starts(w, STR("--raw")) || str_starts(w, STR("--join")) ||
				  (w.p[1] != '-' &&
				   (str_chr(w, 'r', 0) > 0 || str_chr(w, 'j', 0) > 0));
			f->alone |= str_eqz(w, "--null-input") ||
				    (w.p[1] != '-' && str_chr(w, 'n', 0) > 0);
		} else if (!f->text.n) {
			f->text = w;
		} else if (!f->in.n) {
			f->in = w;
		}
	}
}

/* .a.b[0] as a pointer; "" where the filter is more than a path. */
static struct str path_pointer(struct run *r, struct str filter)
{
	struct text t = { 0 };

	for (size_t i = 0; i < filter.n; i++) {
		char c = filter.p[i];

		if (c == '.' || c == '[')
			text_add(r, &t,
				 i + 1 < filter.n && filter.p[i + 1] == '[' ? STR("") : STR("/"));
		else if (char_is_word(c))
			text_add(r, &t, str_sub(filter, i, i + 1));
		else if (c != ']' && c != '"')
			return STR("");
	}
	return filter.n > 1 && filter.p[0] == '.' ? text_str(&t) : STR("");
}

/* What the filter prints: its own text, an argument, or a member of the input. */
static bool filter_value(struct run *r, const struct filter *f, struct str *ret_text)
{
	struct str filter = str_trim(f->text), pointer, in = r->has_in ? r->in : STR("");
	const struct json *v;
	struct err err = { 0 };

	for (size_t i = 0; i < f->names.n; i++)
		if (filter.n > 1 && filter.p[0] == '$' &&
		    str_eq(str_sub(filter, 1, filter.n), f->names.p[i])) {
			*ret_text = f->values.p[i];
			return true;
		}
	if (str_starts(filter, STR("\""))) {
		if (json_parse(r->a, filter, 0, &v, &err) < 0 || !json_is(v, J_STR))
			return false;
		*ret_text = json_str(v, STR(""));
		return true;
	}
	pointer = path_pointer(r, filter);
	if (f->in.n && !file_get(r, f->in, &in))
		return false;
	if (f->alone || !pointer.n || !value_known(in) || json_parse(r->a, in, 0, &v, &err) < 0 ||
	    !json_is(json_pointer(v, pointer), J_STR))
		return false;
	*ret_text = json_str(json_pointer(v, pointer), STR(""));
	return true;
}

static bool run_jq(struct run *r, const struct call *c)
{
	struct filter f = { 0 };
	struct str text;

	filter_read(r, c, &f);
	if (f.in.n)
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, f.in);
	if (r->out && f.raw && filter_value(r, &f, &text))
		run_emit(r, arena_printf(r->a, "%.*s\n", STR_ARG(text)));
	else
		run_pass_on(r);
	return true;
}

const struct special special_json[] = {
	{ "jq gojq jaq jql", run_jq },
	{ NULL, NULL },
};
