/* Text that a shell runs though no command says so: subscripts, arithmetic, prompts, variables. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

enum { NAMES_DEPTH_MAX = 8 };

/* ---- what is expanded once more ---- */

static bool may_substitute(struct str s)
{
	return str_chr(s, '$', 0) >= 0 || str_chr(s, '`', 0) >= 0;
}

/* As in double quotes: a here-document is read like that, and quotes are text in it. */
static void run_expanded(struct run *r, struct str text)
{
	struct text t = { 0 };

	text_add(r, &t, STR(": <<END_OF_THIS_TEXT\n"));
	text_add(r, &t, text);
	text_add(r, &t, STR("\nEND_OF_THIS_TEXT\n"));
	run_inner(r, text_str(&t));
}

void run_subscripts(struct run *r, struct str text)
{
	ptrdiff_t open = str_chr(text, '[', 0);

	if (open >= 0 && may_substitute(str_sub(text, (size_t)open, text.n)))
		run_expanded(r, str_sub(text, (size_t)open, text.n));
}

/* The values of names in it are arithmetic, too. */
static void run_names(struct run *r, struct str text, unsigned depth)
{
	run_subscripts(r, text);
	for (size_t i = 0, from; depth < NAMES_DEPTH_MAX && i < text.n; i += i == from) {
		struct str value;

		for (from = i; i < text.n && char_is_word(text.p[i]);)
			i++;
		if (i == from || char_is_digit(text.p[from]))
			continue;
		if (!run_spend(r, 2))
			return;
		value = variable(r, str_sub(text, from, i));
		if (value_has(value, MARK_FIELD) && run_spend(r, value.n / 64))
			run_subscripts(r, value);
		else if (value.n && !char_is_digit(value.p[0]))
			run_names(r, value, depth + 1);
	}
}

void run_arithmetic(struct run *r, struct str text)
{
	run_names(r, text, 0);
}

void run_prompt(struct run *r, struct str text)
{
	if (may_substitute(text))
		run_expanded(r, text);
	for (size_t i = 0; i + 1 < text.n; i++)
		if (text.p[i] == '\\' && char_is_digit(text.p[i + 1])) { /* \044 is a $ */
			run_expanded(r, text_unescaped(r, text, false));
			return;
		}
}

/* ---- variables with a meaning ---- */

enum meaning { IS_COMMAND, IS_PROMPT };

static const struct {
	const char *names;
	enum meaning meaning;
} meanings[] = {
	{ "EDITOR VISUAL PAGER MANPAGER GIT_PAGER GIT_EDITOR GIT_SSH GIT_SSH_COMMAND GIT_ASKPASS "
	  "GIT_SEQUENCE_EDITOR GIT_EXTERNAL_DIFF PROMPT_COMMAND BROWSER LESSOPEN SYSTEMD_PAGER "
	  "GIT_PROXY_COMMAND RSYNC_RSH SUDO_EDITOR FCEDIT RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER "
	  "npm_config_script_shell",
	  IS_COMMAND },
	{ "PS0 PS1 PS2 PS4", IS_PROMPT },
};

static void run_assigned(struct run *r, struct str name, struct str value)
{
	ptrdiff_t end = str_find(name, STR("%%"), 0);

	/* BASH_FUNC_x%%='() { ... }' is a function for each bash that is started. */
	if (end >= 0 && str_starts(name, STR("BASH_FUNC_")) && str_starts(value, STR("()"))) {
		struct text t = { 0 };

		text_add(r, &t, str_sub(name, 10, (size_t)end));
		text_add(r, &t, STR(" "));
		text_add(r, &t, value);
		run_text(r, text_str(&t));
	}
	if (str_starts(name, STR("CARGO_TARGET_")) && str_ends(name, STR("_RUNNER")))
		run_inner(r, value);
	for (size_t i = 0; i < ARRAY_LEN(meanings); i++) {
		if (!word_in_text(name, meanings[i].names))
			continue;
		if (meanings[i].meaning == IS_PROMPT)
			run_prompt(r, value);
		else if (str_chr(value, ' ', 0) >= 0) {
			while (value.n && strchr("|-", value.p[0])) /* LESSOPEN='|lesspipe %s' */
				value = str_sub(value, 1, value.n);
			run_inner(r, value);
		}
	}
}

/* ---- names and elements ---- */

struct str variable_name(struct run *r, struct str name)
{
	for (unsigned i = 0; r->attributes && i < NAMES_DEPTH_MAX; i++) {
		const struct binding *b = binding_find(r->attributes, name);

		if (!b || !b->value.n || char_is_mark(b->value.p[0]))
			break;
		name = b->value;
	}
	return name;
}

bool variable_has_keys(struct run *r, struct str name)
{
	const struct binding *b = binding_find(r->attributes, name);

	return b && value_has(b->value, MARK_FIELD);
}

static struct str element_name(struct run *r, struct str name, struct str key)
{
	return arena_printf(r->a, "%.*s[%.*s]", STR_ARG(name), STR_ARG(key));
}

bool element_find(struct run *r, struct str name, struct str key, struct str *ret_value)
{
	struct str whole = element_name(r, name, STR("")), one = element_name(r, name, key);
	size_t steps = 0;

	if (!r->e->state->elements)
		return false;
	for (const struct binding *b = r->vars; b && !str_eq(b->name, whole); b = b->next, steps++)
		if (str_eq(b->name, one)) {
			*ret_value = b->value;
			return true;
		}
	(void)run_spend(r, steps / 8);
	return false;
}

/* a[key]=value: one more of its elements, and known by its key. */
static void element_set(struct run *r, struct str name, struct str key, struct str value)
{
	const struct binding *old = binding_find(r->vars, name);
	struct str both[2] = { old ? old->value : STR(""), value };

	if (!run_spend(r, 1 + both[0].n / 64))
		return;
	if (may_substitute(key))
		run_expanded(r, key);
	if (str_eqz(name, "BASH_ALIASES") || str_eqz(name, "BASH_CMDS"))
		binding_set(r, &r->aliases, key, value);
	r->e->state->elements = true;
	binding_set(r, &r->vars, name, old ? text_join(r, both, 2, MARK_FIELD) : value);
	binding_set(r, &r->vars, element_name(r, name, key), value);
}

void variable_set(struct run *r, struct str name, struct str value)
{
	ptrdiff_t open;

	name = variable_name(r, name);
	open = str_chr(name, '[', 1);
	if (open > 0) {
		struct str key = str_sub(name, (size_t)open + 1, name.n);

		key.n -= str_ends(key, STR("]"));
		element_set(r, str_sub(name, 0, (size_t)open), key, value);
		return;
	}
	if (r->e->state->elements) /* no element of before counts from here on */
		binding_set(r, &r->vars, element_name(r, name, STR("")), STR(""));
	binding_set(r, &r->vars, name, value);
	run_assigned(r, name, value);
}

/* (a [x]=b c) */
static void set_items(struct run *r, struct str name, const struct sh_assign *as)
{
	struct fields items = { 0 }, keys = { 0 };
	bool keyed = false;

	for (size_t i = 0; i < as->nitems; i++)
		expand_word(r, &as->items[i], &items);
	for (size_t i = 0; i < items.n; i++) {
		ptrdiff_t end = str_find(items.p[i], STR("]="), 0);

		field_add(r, &keys, STR(""));
		if (end < 0 || items.p[i].p[0] != '[')
			continue;
		keyed = true;
		keys.p[i] = str_sub(items.p[i], 1, (size_t)end);
		items.p[i] = str_sub(items.p[i], (size_t)end + 2, items.p[i].n);
		if (str_eqz(items.p[i], "~") || str_starts(items.p[i], STR("~/")))
			items.p[i] =
				arena_printf(r->a, "%.*s%.*s", STR_ARG(variable(r, STR("HOME"))),
					     STR_ARG(str_sub(items.p[i], 1, items.p[i].n)));
	}
	if (!as->append)
		variable_set(r, name, text_join(r, items.p, items.n, MARK_FIELD));
	else if (items.n && !keyed) {
		const struct binding *old = binding_find(r->vars, name);
		struct str both[2] = { old ? old->value : STR(""),
				       text_join(r, items.p, items.n, MARK_FIELD) };

		variable_set(r, name, old ? text_join(r, both, 2, MARK_FIELD) : both[1]);
	}
	for (size_t i = 0; keyed && i < keys.n && i < items.n; i++) {
		if (!keys.p[i].n)
			continue;
		if (as->append) {
			element_set(r, name, keys.p[i], items.p[i]);
			continue;
		}
		r->e->state->elements = true;
		binding_set(r, &r->vars, element_name(r, name, keys.p[i]), items.p[i]);
	}
}

void run_assign(struct run *r, const struct sh_assign *as)
{
	struct str name = variable_name(r, as->name), value, old;
	struct text t = { 0 };

	if (as->array) {
		run_arithmetic(r, expand_text(r, &as->index));
		set_items(r, name, as);
		return;
	}
	value = expand_text(r, &as->value);
	if (as->subscript) {
		struct str key = expand_text(r, &as->index);

		name = element_name(r, name, str_sub(key, 1, key.n));
		run_arithmetic(r, str_sub(key, 1, key.n));
		if (as->append && element_find(r, as->name, str_sub(key, 1, key.n), &old)) {
			text_add(r, &t, old);
			text_add(r, &t, value);
			value = text_str(&t);
		}
	} else if (as->append) {
		const struct binding *b = binding_find(r->vars, name);

		text_add(r, &t, b ? b->value : STR(""));
		text_add(r, &t, value);
		value = text_str(&t);
	}
	variable_set(r, name, value);
}

/* ---- traps ---- */

struct trap {
	const struct trap *next;
	struct str text;
	const struct binding *vars, *functions; /* when it was set */
	const struct made *made;
	bool seen; /* what it does with these has been told */
};

static void run_trapped(struct run *r, struct str text)
{
	bool trapped = r->trapped;

	r->trapped = true;
	run_inner(r, text);
	r->trapped = trapped;
}

void trap_set(struct run *r, struct str text)
{
	struct trap *t = ARENA_NEW(r->a, struct trap);
	size_t n = r->e->n;
	bool opaque = r->e->opaque, depends = false, unjudged = false;

	run_trapped(r, text);
	for (size_t i = n; i < r->e->n; i++) {
		const struct effect *e = &r->e->p[i];

		unjudged |= e->kind == EFFECT_UNJUDGED;
		depends |= (e->places & PLACE_UNKNOWN) || e->kind == EFFECT_OPAQUE;
	}
	*t = (struct trap){ r->e->state->traps, text, r->vars, r->functions, r->made, true };
	if (depends && !unjudged) { /* what it needs may be set until it runs */
		r->e->n = n;
		r->e->opaque = opaque;
		t->seen = false;
	}
	r->e->state->traps = t;
}

void traps_run(struct run *r, const struct trap *before)
{
	const struct trap *t = r->e->state->traps;

	if (t == before)
		return;
	r->e->state->traps = before;
	for (; t && t != before && run_spend(r, 4); t = t->next) {
		r->made = t->made;
		if (!t->seen || t->vars != r->vars || t->functions != r->functions)
			run_trapped(r, t->text);
	}
}
