/* Words to what programs get: values with marks (run.h). */
#include "base/env.h"
#include "base/words.h"
#include "effects/run.h"

#include "shell/calls.h"

enum { BRACES_MAX = 1024 };

/* ---- variables ---- */

/* What is so nearly everywhere. */
static struct str usual(struct run *r, struct str name)
{
	static const struct {
		const char *name, *value;
	} values[] = {
		{ "PATH", "/usr/local/bin:/usr/bin:/bin" },
		{ "IFS", " \t\n" },
		{ "SHELL", "/bin/bash" },
		{ "BASH", "/bin/bash" },
		{ "TMPDIR", "/tmp" },
		{ "0", "bash" },
		{ "?", "0" },
		{ "UID", "1000" },
		{ "EUID", "1000" },
		{ "OSTYPE", "linux-gnu" },
		{ "HOSTNAME", "\1" },
		{ "RANDOM", "\1" },
		{ "SECONDS", "\1" },
		{ "LINENO", "\1" },
		{ "PPID", "1" }, /* for kill as bad as that one: the agent */
		{ "$", "40961" },
		{ "!", "\1" },
		{ "#", "\1" },
		{ "_", "\1" },
		{ "-", "\1" },
		{ "OLDPWD", "\1" },
		{ "REPLY", "\1" },
		{ "EDITOR", "vi" },
		{ "VISUAL", "vi" },
		{ "PAGER", "less" },
	};

	if (str_eqz(name, "HOME"))
		return effects_home(r->e);
	if (str_eqz(name, "PWD"))
		return r->cwd.n ? r->cwd : ANY;
	if (str_eqz(name, "USER") || str_eqz(name, "LOGNAME"))
		return r->e->world->home.n > 1 ? sh_file_name(r->e->world->home) : STR("user");
	for (size_t i = 0; i < ARRAY_LEN(values); i++)
		if (str_eqz(name, values[i].name))
			return str_from(values[i].value);
	return (struct str){ 0 };
}

static struct str argument(struct run *r, struct str name)
{
	int64_t want;
	struct str part;

	if (str_eqz(name, "@") || str_eqz(name, "*"))
		return r->args.p ? r->args : STR("");
	if (!r->args.n || !str_to_int(name, &want) || want < 1)
		return (struct str){ 0 };
	for (struct str rest = r->args; str_split(&rest, MARK_FIELD, &part);)
		if (--want == 0)
			return part.p ? part : STR("");
	return (struct str){ 0 };
}

/* TOKEN_FILE, PASSWORD_MIN_LENGTH, STRIPE_PUBLISHABLE_KEY: what it is about is no secret. */
static bool is_about_secret(struct str name)
{
	static const char *const ends[] = { "_KEY_ID", "_FILE", "_PATH",    "_DIR",     "_LENGTH",
					    "_NAME",   "_TTL",  "_EXPIRY",  "_SECONDS", "_ENDPOINT",
					    "_ARN",    "_TYPE", "_LIFETIME" };

	return TEXT_ENDS(name, ends) || str_find(name, STR("PUBLIC_"), 0) >= 0 ||
	       str_find(name, STR("PUBLISHABLE"), 0) >= 0;
}

bool is_secret_name(struct str name)
{
	static const char *const parts[] = { "TOKEN",        "SECRET",      "PASSWORD",
					     "PASSWD",       "API_KEY",     "APIKEY",
					     "ACCESS_KEY",   "PRIVATE_KEY", "CREDENTIAL",
					     "DATABASE_URL", "PGPASSWORD" };
	struct str rest = name;

	for (size_t i = 0; i < name.n; i++)
		if (char_is_lower(name.p[i]))
			return false;
	if (str_ends(name, STR("_PASS")))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (str_find(rest, str_from(parts[i]), 0) >= 0)
			return !is_about_secret(name);
	return false;
}

/* .p NULL: nothing sets it. */
static struct str variable_or_none(struct run *r, struct str name)
{
	const struct binding *b = r->vars;
	struct str v;
	size_t steps = 0;

	name = variable_name(r, name);
	for (; b && !str_eq(b->name, name); b = b->next)
		steps++;
	if (steps > 64 && !run_spend(r, steps / 8)) /* a loop that sets much */
		return ANY;
	if (b)
		return b->value;
	v = argument(r, name);
	if (!v.p && is_secret_name(name))
		return SECRET;
	/* What a shell sets when it starts, and the home, whatever our own environment says. */
	if (!v.p && !word_in_text(name, "HOME PWD IFS PPID RANDOM SECONDS LINENO BASH")) {
		const char *inherited = env_find(r->e->world->env, name);

		if (inherited)
			v = str_from(inherited);
	}
	return v.p ? v : usual(r, name);
}

struct str variable(struct run *r, struct str name)
{
	struct str v = variable_or_none(r, name);

	return v.p ? v : (struct str){ "\5", 1 };
}

static struct str nth_field(struct str v, size_t n)
{
	struct str part = { 0 };

	for (struct str rest = v; str_split(&rest, MARK_FIELD, &part);)
		if (n-- == 0)
			return part;
	return STR("");
}

/* One of several values, it is not known which. */
static struct str alternatives(struct run *r, struct str v)
{
	struct text t = { 0 };
	struct str part;

	if (!value_has(v, MARK_FIELD))
		return v;
	for (struct str rest = v; str_split(&rest, MARK_FIELD, &part);) {
		text_add(r, &t, (struct str){ t.n ? "\17" : "\16", 1 });
		text_add(r, &t, part);
	}
	text_add(r, &t, (struct str){ "\20", 1 });
	return value_has(text_str(&t), MARK_CUT) ? CUT : text_str(&t);
}

static struct str subscripted(struct run *r, const struct sh_piece *p, struct str v)
{
	struct str index = { p->text.p + p->text.n + 1, p->subscript - 2 };
	struct str name = variable_name(r, p->text), one;
	int64_t n;

	if (p->index)
		index = expand_text(r, p->index);
	if (str_eqz(index, "@") || str_eqz(index, "*"))
		return v;
	if (value_has(v, MARK_CUT))
		return CUT;
	if (variable_has_keys(r, name))
		return element_find(r, name, index, &one) ? one : alternatives(r, v);
	run_arithmetic(r, index);
	if (sh_is_name(index))
		index = variable(r, index);
	if (element_find(r, name, index, &one) && str_to_int(index, &n))
		return one;
	if (r->e->state->elements || !str_to_int(index, &n))
		return alternatives(r, v);
	if (n < 0) { /* from the end */
		n++;
		for (size_t i = 0; i < v.n; i++)
			n += v.p[i] == MARK_FIELD;
		if (n < 0)
			return STR("");
	}
	return nth_field(v, (size_t)n);
}

enum { HINT_MAX = 4 }; /* so many characters of a secret tell which one it is, and no more */

/* ${x:1:2} */
static struct str sliced(struct run *r, struct str v, const struct sh_piece *p, struct str range)
{
	struct str from = range, length = { 0 };
	ptrdiff_t colon = str_chr(range, ':', 0);
	bool literal = p->operand && p->operand->n == 1 && p->operand->p[0].kind == SH_TEXT;
	int64_t at, n = 0;

	run_arithmetic(r, range);
	if (colon >= 0) {
		from = str_sub(range, 0, (size_t)colon);
		length = str_trim(str_sub(range, (size_t)colon + 1, range.n));
	}
	if (!str_to_int(str_trim(from), &at) || (length.n && !str_to_int(length, &n)))
		return value_changed(v);
	/* A hint is ${x:0:4}, ${x: -4}: of the text, not of variables that a loop may count up. */
	if (value_has(v, MARK_FIELD) || !value_known(v))
		return literal && (at == 0 ? length.n && n >= 0 && n <= HINT_MAX
					   : at < 0 && at >= -HINT_MAX)
			       ? ANY
			       : value_changed(v);
	at = at < 0 ? (int64_t)v.n + at : at;
	v = str_sub(v, at < 0 ? 0 : (size_t)at, v.n);
	if (length.n)
		v = str_sub(v, 0, n >= 0 ? (size_t)n : v.n - min_size(v.n, (size_t)-n));
	return arena_str(r->a, v);
}

/* ${x#p} ${x%p} and the longest ones. */
static struct str trimmed(struct str v, const struct sh_piece *p, struct str pattern)
{
	bool front = p->op.p[0] == '#', longest = p->op.n == 2;
	const struct sh_word *w = p->operand;
	const struct sh_piece *in = w && w->n == 1 ? &w->p[0] : NULL;
	/* ${x%"${x#????}"}: what the inner one leaves out. */
	bool leaves_hint = in && in->kind == SH_VARIABLE && str_eq(in->text, p->text) &&
			   in->op.n == 1 && (in->op.p[0] == '#' || in->op.p[0] == '%') &&
			   in->op.p[0] != p->op.p[0] && in->operand &&
			   in->operand->end - in->operand->at <= HINT_MAX;

	if (value_has(v, MARK_SECRET))
		return leaves_hint ? ANY : value_changed(v);
	if (value_has(v, MARK_FIELD))
		return ANY;
	for (size_t k = 0; k <= v.n; k++) {
		size_t i = longest ? v.n - k : k; /* how much goes */
		struct str cut = front ? str_sub(v, 0, i) : str_sub(v, v.n - i, v.n);

		if (v.n > 512)
			return ANY;
		if (value_fits(pattern, cut))
			return front ? str_sub(v, i, v.n) : str_sub(v, 0, v.n - i);
	}
	return v;
}

/* ${x/a/b} ${x//a/b}: `operand` is "a/b". */
static struct str replaced(struct run *r, struct str v, struct str op, struct str operand)
{
	bool all = op.n > 1 && op.p[1] == '/';
	struct text out = { 0 };
	ptrdiff_t slash = str_chr(operand, '/', 0);
	struct str from = str_sub(operand, 0, slash < 0 ? operand.n : (size_t)slash);
	struct str to = slash < 0 ? STR("") : str_sub(operand, (size_t)slash + 1, operand.n);
	size_t at = 0;

	/* ${x//?/-} masks all of it, ${x/x/} nothing. */
	if (value_has(v, MARK_SECRET))
		return from.n == 1 && (from.p[0] == MARK_STAR || from.p[0] == '*' ||
				       (all && (from.p[0] == MARK_ONE || from.p[0] == '?')))
			       ? ANY
			       : value_changed(v);
	if (!from.n || !value_known(from) || op.n > 2 || (op.n == 2 && !all))
		return value_known(v) && !from.n ? v : ANY;
	while (at < v.n) {
		ptrdiff_t hit = str_find(v, from, at);

		if (hit < 0)
			break;
		text_add(r, &out, str_sub(v, at, (size_t)hit));
		text_add(r, &out, to);
		at = (size_t)hit + from.n;
		if (!all)
			break;
	}
	text_add(r, &out, str_sub(v, at, v.n));
	return text_str(&out);
}

static struct str cased(struct run *r, struct str v, struct str op)
{
	char *p = arena_raw(r->a, v.n + 1);

	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];

		if (op.n == 2 || i == 0)
			c = op.p[0] == '^' ? char_upper(c) : op.p[0] == ',' ? char_lower(c) : c;
		p[i] = c;
	}
	return (struct str){ p, v.n };
}

static bool is_empty(struct str v)
{
	return v.n == 0 || (v.n == 1 && v.p[0] == MARK_UNSET);
}

/* With -, =, ?, +: what a variable is when it has a value, or has none. */
static struct str defaulted(struct run *r, const struct sh_piece *p, struct str v, bool set,
			    struct str operand)
{
	char op = p->op.p[p->op.n - 1];
	bool empty = !set || (p->op.p[0] == ':' && is_empty(v));
	struct str name = p->text;

	if (op == '+')
		return empty ? STR("") : operand;
	if (op == '?') {
		if (empty)
			binding_set(r, &r->vars, name, ANY); /* the shell ends when it is empty */
		return empty ? ANY : v;
	}
	if (!empty)
		return v;
	if (op == '=')
		variable_set(r, name, operand);
	return operand;
}

static struct str arithmetic(struct run *r, const struct sh_piece *p)
{
	struct str text = p->operand ? str_trim(expand_text(r, p->operand)) : STR("");
	int64_t n;

	run_arithmetic(r, text);
	return str_to_int(text, &n) ? text : ANY;
}

static struct str piece_variable(struct run *r, const struct sh_piece *p)
{
	struct str v = variable_or_none(r, p->text), operand = { 0 };
	bool set = v.p != NULL;

	if (!set)
		v = (struct str){ "\5", 1 };
	if (p->indirect && set && value_known(v)) {
		run_subscripts(r, v);
		v = variable(r, v);
	} else if (p->indirect)
		v = ANY;
	if (p->length)
		return ANY;
	if (p->subscript > 2)
		v = subscripted(r, p, v);
	else if (!str_eqz(p->text, "@") && !str_eqz(p->text, "*") && value_has(v, MARK_FIELD))
		v = nth_field(v, 0);
	if (p->operand)
		operand = expand_text(r, p->operand);
	if (!p->op.n)
		return v;
	if (strchr("-=?+", p->op.p[p->op.n - 1]))
		return defaulted(r, p, v, set, operand);
	if (p->op.p[0] == ':')
		return sliced(r, v, p, operand);
	if (p->op.p[0] == '#' || p->op.p[0] == '%')
		return is_empty(v) ? v : trimmed(v, p, operand);
	if (p->op.p[0] == '/')
		return replaced(r, v, p->op, operand);
	if (p->op.p[0] == '^' || p->op.p[0] == ',')
		return cased(r, v, p->op);
	if (p->op.p[0] != '@')
		return ANY;
	if (str_eqz(operand, "P")) /* as a prompt */
		run_prompt(r, v);
	return v;
}

/* ---- process substitution: a file with a name of its own ---- */

/* `kubectl completion bash`, `direnv hook zsh`: what an installed program says to a shell. */
static bool is_setup(const struct sh_script *script, struct str output)
{
	static const char says[] =
		"completion completions completion-script shell-completion init hook "
		"shellenv activate --bash --zsh --completion";
	size_t n = 0;
	bool found = false;
	struct str word;

	for (size_t i = 0; i < output.n; i++)
		if (output.p[i] != MARK_ANY && output.p[i] != '\n')
			return false;
	if (!script->first || script->first->next)
		return false;
	for (struct str rest =
		     str_trim(str_sub(script->text, script->first->at, script->first->end));
	     str_split(&rest, ' ', &word); n++) {
		for (size_t i = 0; i < word.n; i++)
			if (!char_is_word(word.p[i]) && word.p[i] != '-')
				return false;
		found |= n && word_in_text(word, says);
	}
	return found && n <= 4;
}

static struct str piece_process(struct run *r, const struct sh_piece *p)
{
	struct str name = arena_printf(r->a, "/dev/fd/%u", 63 + r->e->state->substitutions++);
	struct run inner = *r;
	struct str output;

	if (str_starts(p->text, STR(">"))) {
		run_input(&inner, r->has_in ? r->in : ANY);
		(void)run_captured(&inner, p->script);
		return name;
	}
	output = run_captured(r, p->script);
	file_set(r, name, is_setup(p->script, output) ? STR("") : output);
	return name;
}

/* ---- words ---- */

struct expansion {
	struct run *r;
	struct fields *to;
	struct text field;
	bool begun, split; /* there is a field, even an empty one */
	bool braces, glob_set;
};

static void end_field(struct expansion *x)
{
	if (x->begun)
		field_add(x->r, x->to, text_str(&x->field));
	x->field = (struct text){ 0 };
	x->begun = false;
}

/* A value in double quotes, or in an assignment: one field, but for arrays. */
static void add_quoted(struct expansion *x, struct str v, bool fields)
{
	struct str part;

	x->begun |= !fields || v.n;
	if (!value_has(v, MARK_FIELD)) {
		text_add(x->r, &x->field, v);
		return;
	}
	for (struct str rest = v; str_split(&rest, MARK_FIELD, &part);) {
		text_add(x->r, &x->field, part);
		x->begun = true;
		if (rest.p && fields && x->split)
			end_field(x);
		else if (rest.p)
			text_addc(x->r, &x->field, x->split ? ' ' : MARK_FIELD);
	}
}

static void add_split(struct expansion *x, struct str v)
{
	const struct binding *ifs = binding_find(x->r->vars, STR("IFS"));
	struct str blanks = ifs && value_known(ifs->value) ? ifs->value : STR(" \t\n");

	for (size_t i = 0; i < v.n; i++) {
		char c = v.p[i];

		if (c == MARK_FIELD || (blanks.n && memchr(blanks.p, c, blanks.n))) {
			end_field(x);
			continue;
		}
		x->begun = true;
		text_addc(x->r, &x->field, c == '*' ? MARK_STAR : c == '?' ? MARK_ONE : c);
	}
}

void split_value(struct run *r, struct str value, struct fields *to)
{
	struct expansion x = { .r = r, .to = to, .split = true };

	add_split(&x, value);
	end_field(&x);
}

/* "$*", "${a[*]}": with the first character of an IFS that the text sets, or nothing, between. */
static bool is_joined(const struct expansion *x, const struct sh_piece *p, struct str *v)
{
	const struct binding *ifs = binding_find(x->r->vars, STR("IFS"));
	struct text t = { 0 };
	struct str part;

	if (p->kind != SH_VARIABLE || p->quote == SH_BARE || !ifs || !value_known(ifs->value) ||
	    !(str_eqz(p->text, "*") || (p->subscript == 3 && p->text.p[p->text.n + 1] == '*')))
		return false;
	for (struct str rest = *v; str_split(&rest, MARK_FIELD, &part);) {
		text_add(x->r, &t, part);
		if (rest.p)
			text_add(x->r, &t, str_sub(ifs->value, 0, min_size(1, ifs->value.n)));
	}
	*v = text_str(&t);
	return true;
}

static void add_value(struct expansion *x, const struct sh_piece *p, struct str v)
{
	if (is_joined(x, p, &v))
		add_quoted(x, v, false);
	else if (x->split && p->quote == SH_BARE)
		add_split(x, v);
	else
		add_quoted(x, v, p->kind == SH_VARIABLE && x->split);
}

/* {~,a}: each alternative is a word of its own. */
static bool begins_alternative(const struct expansion *x)
{
	char last = x->field.n ? x->field.p[x->field.n - 1] : '\0';

	return (last == MARK_OPEN || last == MARK_COMMA) && x->field.p[0] == MARK_OPEN;
}

/* How much of the text is ~ or ~user. */
static size_t add_home(struct expansion *x, struct str s)
{
	size_t n = 1;
	struct str user;

	while (n < s.n && !strchr("/,}:", s.p[n]))
		n++;
	user = str_sub(s, 1, n);
	text_add(x->r, &x->field,
		 !user.n                 ? variable(x->r, STR("HOME"))
		 : str_eqz(user, "+")    ? variable(x->r, STR("PWD"))
		 : str_eqz(user, "-")    ? variable(x->r, STR("OLDPWD"))
		 : str_eqz(user, "root") ? STR("/root")
					 : arena_printf(x->r->a, "/home/%.*s", STR_ARG(user)));
	return n;
}

/* ~ and ~/x, ~user, and in the value of an assignment x:~/y */
static void add_homes(struct expansion *x, struct str s)
{
	size_t from = 0;

	x->begun = true;
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] != '~' || (i && s.p[i - 1] != ':'))
			continue;
		text_add(x->r, &x->field, str_sub(s, from, i));
		from = i + add_home(x, str_sub(s, i, s.n));
		i = from - 1;
	}
	text_add(x->r, &x->field, str_sub(s, from, s.n));
}

/* export x=~/y, dd of=~/y: where the value begins, or 0.  x=~'.+' is none. */
static size_t value_with_home(const struct sh_word *w, size_t i)
{
	struct str s = w->p[i].text;
	size_t n = 0, end;

	if (i || w->p[i].quote != SH_BARE || w->p[i].kind != SH_TEXT)
		return 0;
	while (n < s.n && char_is_word(s.p[n]))
		n++;
	for (end = n; end < s.n && s.p[end] != '/' && s.p[end] != ':';)
		end++;
	return n && !char_is_digit(s.p[0]) && str_starts(str_sub(s, n, s.n), STR("=~")) &&
			       (end < s.n || w->n == 1)
		       ? n + 1
		       : 0;
}

static void add_plain(struct expansion *x, const struct sh_piece *p)
{
	struct str s = p->text;

	x->begun = true;
	if (p->quote != SH_BARE || (!x->braces && !x->glob_set)) {
		text_add(x->r, &x->field, s);
		return;
	}
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (c == '~' && x->braces && begins_alternative(x)) {
			i += add_home(x, str_sub(s, i, s.n)) - 1;
			continue;
		}
		if (x->glob_set) { /* what is left of [...] */
			x->glob_set = c != ']' || i == 0;
			continue;
		}
		text_addc(x->r, &x->field,
			  !x->braces ? c
			  : c == ',' ? MARK_COMMA
			  : c == '}' ? MARK_CLOSE
				     : c);
	}
}

/* Is there an end to the [...] that begins here? */
static bool set_ends(const struct sh_word *w, size_t i)
{
	for (i++; i < w->n; i++)
		if (w->p[i].quote == SH_BARE && str_chr(w->p[i].text, ']', 0) >= 0)
			return true;
	return false;
}

static void expand_piece(struct expansion *x, const struct sh_word *w, size_t i)
{
	const struct sh_piece *p = &w->p[i];
	size_t value;

	switch (p->kind) {
	case SH_TEXT:
		value = value_with_home(w, i);
		if (value) {
			text_add(x->r, &x->field, str_sub(p->text, 0, value));
			add_homes(x, str_sub(p->text, value, p->text.n));
		} else {
			add_plain(x, p);
		}
		break;
	case SH_VARIABLE:
		add_value(x, p, piece_variable(x->r, p));
		break;
	case SH_COMMAND:
		add_value(x, p, without_line_ends(run_captured(x->r, p->script)));
		break;
	case SH_PROCESS:
		add_quoted(x, piece_process(x->r, p), false);
		break;
	case SH_ARITH:
		add_quoted(x, arithmetic(x->r, p), false);
		break;
	case SH_GLOB:
		x->begun = true;
		if (str_eqz(p->text, "[") && !set_ends(w, i)) {
			text_addc(x->r, &x->field, '[');
			break;
		}
		x->glob_set = str_eqz(p->text, "[");
		text_addc(x->r, &x->field, str_eqz(p->text, "*") ? MARK_STAR : MARK_ONE);
		break;
	case SH_BRACE:
		x->begun = true;
		x->braces = x->split;
		text_addc(x->r, &x->field, x->split ? MARK_OPEN : '{');
		break;
	case SH_TILDE:
		add_homes(x, p->text);
		break;
	}
}

/* ---- braces ---- */

/* The end of what begins at `at`; *ret_commas: it has commas of its own. */
static size_t brace_end(struct str s, size_t at, bool *ret_commas)
{
	size_t level = 0;

	*ret_commas = false;
	for (size_t i = at; i < s.n; i++) {
		level += s.p[i] == MARK_OPEN;
		*ret_commas |= s.p[i] == MARK_COMMA && level == 1;
		if (s.p[i] == MARK_CLOSE && --level == 0)
			return i;
	}
	return SIZE_MAX;
}

static struct str three(struct run *r, struct str a, struct str b, struct str c)
{
	struct text t = { 0 };

	text_add(r, &t, a);
	text_add(r, &t, b);
	text_add(r, &t, c);
	return text_str(&t);
}

static void expand_braces(struct run *r, struct fields *to, struct str s, size_t limit);

/* What {a..c} is: unknown text when it is long.  More braces may follow. */
static void range_add(struct run *r, struct fields *to, struct str head, struct str in,
		      struct str tail, size_t limit)
{
	ptrdiff_t dots = str_find(in, STR(".."), 0);
	struct str part = ANY;

	if (dots == 1 && in.n == 4) {
		int last = in.p[3], by = in.p[0] <= last ? 1 : -1;

		for (int c = in.p[0];; c += by) {
			char one[1] = { (char)c };

			part = (struct str){ one, 1 };
			expand_braces(r, to, three(r, head, part, tail), limit);
			if (c == last)
				return;
		}
	}
	expand_braces(r, to, three(r, head, part, tail), limit);
}

static struct str literal_braces(struct run *r, struct str s)
{
	char *p = arena_raw(r->a, s.n + 1);

	for (size_t i = 0; i < s.n; i++)
		p[i] = s.p[i] == MARK_OPEN    ? '{'
		       : s.p[i] == MARK_COMMA ? ','
		       : s.p[i] == MARK_CLOSE ? '}'
					      : s.p[i];
	return (struct str){ p, s.n };
}

static void expand_braces(struct run *r, struct fields *to, struct str s, size_t limit)
{
	ptrdiff_t open = str_chr(s, MARK_OPEN, 0);
	bool commas = false;
	size_t close = open < 0 ? SIZE_MAX : brace_end(s, (size_t)open, &commas);

	if (close != SIZE_MAX && to->n >= limit)
		effects_unjudged(r->e, STR("(too many words from braces)"));
	if (close == SIZE_MAX || to->n >= limit || !run_spend(r, 1 + s.n / 16)) {
		field_add(r, to, literal_braces(r, s));
		return;
	}
	struct str head = str_sub(s, 0, (size_t)open), tail = str_sub(s, close + 1, s.n);
	struct str in = str_sub(s, (size_t)open + 1, close);
	if (!commas && str_find(in, STR(".."), 0) > 0) {
		range_add(r, to, head, in, tail, limit);
		return;
	}
	if (!commas) { /* {x} is text; what follows may expand */
		expand_braces(r, to, three(r, three(r, head, STR("{"), in), STR("}"), tail), limit);
		return;
	}
	for (size_t i = 0, from = 0, level = 0; i <= in.n; i++) {
		level += i < in.n && in.p[i] == MARK_OPEN;
		level -= i < in.n && in.p[i] == MARK_CLOSE;
		if (i < in.n && (in.p[i] != MARK_COMMA || level))
			continue;
		expand_braces(r, to, three(r, head, str_sub(in, from, i), tail), limit);
		from = i + 1;
	}
}

/* ---- whole words ---- */

void expand_word(struct run *r, const struct sh_word *w, struct fields *to)
{
	struct fields found = { 0 };
	struct expansion x = { .r = r, .to = &found, .split = true };

	/* Most words are one piece of plain text. */
	if (w->n == 1 && w->p[0].kind == SH_TEXT && !value_with_home(w, 0)) {
		field_add(r, to, w->p[0].text);
		return;
	}
	x.begun = w->quoted && w->n == 0;
	for (size_t i = 0; i < w->n; i++)
		expand_piece(&x, w, i);
	end_field(&x);
	for (size_t i = 0; i < found.n; i++)
		if (value_has(found.p[i], MARK_OPEN))
			expand_braces(r, to, found.p[i], to->n + BRACES_MAX);
		else
			field_add(r, to, found.p[i]);
}

struct str expand_text(struct run *r, const struct sh_word *w)
{
	struct fields one = { 0 };
	struct expansion x = { .r = r, .to = &one };

	if (w->n == 1 && w->p[0].kind == SH_TEXT && !value_with_home(w, 0))
		return w->p[0].text;
	for (size_t i = 0; i < w->n; i++)
		expand_piece(&x, w, i);
	end_field(&x);
	return one.n ? one.p[0] : STR("");
}
