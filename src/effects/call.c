/* One program with its words: which one it is, and who knows what it does. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/project.h"

/* ---- code ---- */

void call_shell(struct run *r, const struct call *c, struct str text)
{
	struct str rest = str_trim(text);
	size_t unknown = 0;

	if (value_has(text, MARK_FETCHED)) {
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_FETCHED });
		if (rest.n < 3)
			return;
	}
	/* Code that somebody has hidden is no ordinary input of a shell. */
	if (value_has(text, MARK_HIDDEN)) {
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN });
		return;
	}
	while (unknown < rest.n && (rest.p[unknown] == MARK_ANY || rest.p[unknown] == MARK_UNSET ||
				    strchr(" \t\n", rest.p[unknown])))
		unknown++;
	if (rest.n && unknown == rest.n) {
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .maybe = true });
		return;
	}
	run_inner(r, text);
}

/* A value for readers of code: what is not known of it is a gap. */
static struct str value_given(struct arena *a, struct str value)
{
	char *p = arena_raw(a, value.n + 1);

	for (size_t i = 0; i < value.n; i++)
		p[i] = char_is_mark(value.p[i]) ? MARK_ANY : value.p[i];
	return (struct str){ p, value.n };
}

static bool given_variable(void *data, struct str name, struct str *ret_value)
{
	struct run *r = data;
	const struct binding *b = binding_find(r->vars, name);

	if (!b || value_has(b->value, MARK_UNSET))
		return false;
	*ret_value = value_given(r->a, b->value);
	return true;
}

/* What the shell gives to code that it starts here. */
static void given_of(struct run *r, struct effects_given *g)
{
	const struct binding *script = binding_find(r->vars, STR("0"));
	struct fields args = { 0 };
	struct str one;

	for (struct str rest = r->args; rest.n && str_split(&rest, MARK_FIELD, &one);)
		field_add(r, &args, value_given(r->a, one));
	*g = (struct effects_given){ .args = args.p,
				     .nargs = args.n,
				     .has_args = r->args.p && !value_has(r->args, MARK_CUT),
				     .names = r->given_names.p,
				     .values = r->given_values.p,
				     .nset = r->given_names.n,
				     .variable = given_variable,
				     .data = r };
	g->script = script ? value_given(r->a, script->value) : STR("");
	if (!r->has_in)
		return;
	g->in = value_given(r->a, r->in);
	g->has_in = !str_eq(r->in, ANY) && !value_has(r->in, MARK_CUT);
	g->fetched = value_has(r->in, MARK_FETCHED);
	g->secret = value_has(r->in, MARK_SECRET);
}

void call_code(struct run *r, const struct call *c, enum code_language lang, struct str code)
{
	struct str rest = str_trim(code), cwd = r->e->cwd;
	const struct effects_given *given = r->e->given;
	const struct frame *frame = r->e->state->frame;
	struct effects_given here;
	bool many = r->e->many;

	if (lang == CODE_SHELL) {
		call_shell(r, c, code);
		return;
	}
	if (value_has(code, MARK_FETCHED))
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (value_has(code, MARK_HIDDEN)) {
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN });
		return;
	}
	if (rest.n == 1 && char_is_mark(rest.p[0])) {
		if (rest.p[0] != MARK_FETCHED)
			call_add(r, c, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .maybe = true });
		return;
	}
	if (value_has(code, MARK_CUT))
		effects_unjudged(r->e, STR("(code that is too long)"));
	if (effects_too_deep(r->e) || !run_spend(r, 20 + code.n / 16)) {
		effects_unjudged(r->e, call_shown(r, c));
		return;
	}
	r->e->depth++;
	if (lang == CODE_OTHER)
		(void)presume_code(r, c, code, true);
	r->e->cwd = r->cwd;
	given_of(r, &here);
	r->e->given = &here;
	r->e->state->frame = r->frame;
	r->e->many = false;
	effects_of_code(r->e, lang, value_shown(r->a, code), call_shown(r, c));
	r->e->many = many;
	r->e->state->frame = frame;
	r->e->cwd = cwd;
	r->e->given = given;
	project_imports(r, c, lang, code);
	r->e->depth--;
}

/* By its first line, or by its name. */
static enum code_language language_of(struct str path, struct str text, enum code_language lang)
{
	static const struct {
		const char *word;
		enum code_language lang;
	} programs[] = {
		{ "python", CODE_PYTHON },  { "node", CODE_JAVASCRIPT }, { "deno", CODE_JAVASCRIPT },
		{ "bun", CODE_JAVASCRIPT }, { "perl", CODE_PERL },	 { "ruby", CODE_RUBY },
		{ "Rscript", CODE_R },	    { "julia", CODE_JULIA },
		{ "php", CODE_PHP },	    { "awk", CODE_AWK },	 { "lua", CODE_LUA },
		{ "pwsh", CODE_POWERSHELL }, { "make", CODE_MAKEFILE },
	}, ends[] = {
		{ ".py", CODE_PYTHON },	      { ".js", CODE_JAVASCRIPT },  { ".mjs", CODE_JAVASCRIPT },
		{ ".cjs", CODE_JAVASCRIPT },  { ".ts", CODE_JAVASCRIPT },  { ".pl", CODE_PERL },
		{ ".rb", CODE_RUBY },	      { ".php", CODE_PHP },	   { ".lua", CODE_LUA },
		{ ".R", CODE_R },	      { ".r", CODE_R },		   { ".jl", CODE_JULIA },
		{ ".ps1", CODE_POWERSHELL },  { ".awk", CODE_AWK },	   { ".sh", CODE_SHELL },
		{ ".bash", CODE_SHELL },
	};
	ptrdiff_t end = str_chr(text, '\n', 0);
	struct str first = str_sub(text, 0, end < 0 ? text.n : (size_t)end);

	if (lang != CODE_OTHER)
		return lang;
	if (str_starts(first, STR("#!"))) {
		for (size_t i = 0; i < ARRAY_LEN(programs); i++)
			if (str_find(first, str_from(programs[i].word), 0) > 0)
				return programs[i].lang;
		return CODE_SHELL;
	}
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(path, str_from(ends[i].word)))
			return ends[i].lang;
	return CODE_SHELL;
}

bool is_input_path(struct str path)
{
	return str_eqz(path, "-") || str_eqz(path, "/dev/stdin") || str_eqz(path, "/dev/fd/0") ||
	       str_eqz(path, "/proc/self/fd/0");
}

void call_input(struct run *r, const struct call *c, enum code_language lang)
{
	struct str file = r->in_file;
	struct run inner = *r;

	inner.has_in = false;
	inner.in_file = (struct str){ 0 };
	if (file.n)
		call_script(&inner, c, lang, file);
	else
		call_code(&inner, c, lang, r->in);
}

/* find -name x -exec sh {}: a file that the text has written under this name, wherever. */
static bool written_somewhere(struct run *r, struct str path, struct str *ret_text)
{
	struct str name = sh_file_name(path);

	if (value_known(path) || !name.n || !value_known(name))
		return false;
	for (const struct binding *b = r->e->state->files; b; b = b->next)
		if (str_eq(sh_file_name(b->name), name)) {
			*ret_text = b->value;
			return true;
		}
	return false;
}

void call_script(struct run *r, const struct call *c, enum code_language lang, struct str path)
{
	struct frame here = { r->frame, NULL, { 0 }, { 0 } };
	struct str text, dir;
	struct run inner = *r;

	if (is_input_path(path)) {
		if (r->has_in)
			call_input(r, c, lang == CODE_OTHER ? CODE_SHELL : lang);
		return;
	}

	if (!file_read(r, path, &text) && !written_somewhere(r, path, &text)) {
		struct effect unseen = { .kind = is_fetched(r, path) ? EFFECT_RUN_FETCHED
								     : EFFECT_RUN_UNSEEN };

		call_path(r, c, unseen, path);
		return;
	}
	if (text.n && memchr(text.p, '\0', min_size(text.n, 512))) /* a binary */
		return;
	if (project_source(r, c, path, text))
		return;
	here.text = text;
	here.args = inner.args;
	if (run_repeats(r, c, &here)) {
		call_add(r, c, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		return;
	}
	inner.frame = &here;
	inner.many = false;
	binding_set(&inner, &inner.vars, STR("0"), path);
	binding_set(&inner, &inner.vars, STR("BASH_SOURCE"), path);
	for (size_t i = 0; i < c->n; i++)
		if (c->words[i].p == path.p)
			inner.args = text_join(r, c->words + i + 1, c->n - i - 1, MARK_FIELD);
	dir = r->e->state->dir;
	r->e->state->dir = directory_of(joined(r, path));
	call_code(&inner, c, language_of(path, text, lang), text);
	r->e->state->dir = dir;
}

/* ---- which program ---- */

void call_rest(struct run *r, const struct call *c, size_t from)
{
	if (from < c->n)
		run_call(r, c->words + from, c->n - from);
}

static struct str program_name(struct str word)
{
	struct str name = sh_file_name(word);

	if (str_ends(name, STR(".exe")) || str_ends(name, STR(".EXE")))
		name.n -= 4;
	return name;
}

/* python3.11 is python; what else ends with digits is known as it is. */
static struct str without_version(struct str name)
{
	size_t n = name.n;

	while (n > 2 && (char_is_digit(name.p[n - 1]) || name.p[n - 1] == '.'))
		n--;
	return n < name.n && str_chr(name, '.', 0) != (ptrdiff_t)name.n - 1 ? str_sub(name, 0, n)
									    : name;
}

/* A file of the project, by its path. */
static bool is_project_file(struct run *r, struct str word)
{
	struct str text;

	if (str_chr(word, '/', 0) < 0 || str_find(word, STR("://"), 0) >= 0)
		return str_ends(word, STR(".exe")) && file_get(r, word, &text);
	if (file_get(r, word, &text))
		return true;
	if (word.p[0] != '/')
		return str_find(word, STR("node_modules/.bin/"), 0) < 0 &&
		       str_find(word, STR("vendor/bin/"), 0) < 0 &&
		       str_find(word, STR("/bin/"), 0) < 0;
	return (effect_places(r->e->world, word) & (PLACE_PROJECT | PLACE_TEMP | PLACE_HOME)) !=
		       0 &&
	       str_find(word, STR("/bin/"), 0) < 0;
}

/* The same words behind another program. */
static struct call renamed(struct run *r, const struct call *c, struct str name)
{
	struct str *words = ARENA_ARRAY(r->a, struct str, c->n);

	memcpy(words, c->words, c->n * sizeof *words);
	words[0] = name;
	return (struct call){ words, c->n };
}

static bool run_row(struct run *r, const struct call *c, struct str name)
{
	struct call named = renamed(r, c, name);

	return programs_apply(r, &named, name);
}

void call_tables(struct run *r, const struct call *c, size_t from)
{
	struct call rest = { c->words + from, c->n - from };

	if (from < c->n && c->words[from].n)
		(void)run_row(r, &rest, sh_file_name(c->words[from]));
}

/* Under the name that the tables have: neither a path nor a version. */
static bool run_known(struct run *r, const struct call *c, struct str name)
{
	/* Their rows tell what others may use from what is one's own. */
	static const char containers[] =
		"docker podman nerdctl docker-compose podman-compose buildah "
		"minikube kind k3d vagrant colima limactl";
	special_fn *special = special_find(name);
	struct call named = str_eq(c->words[0], name) ? *c : renamed(r, c, name);
	size_t before = r->e->n, printed, told;
	bool known;

	project_runs(r, &named);
	made_see(r, &named);
	if (word_in_text(name, "sort gsort ag bat batcat delta npm pnpm tcpdump fzf sk scp"))
		options_run(r, &named);
	printed = r->out ? r->out->n : 0;
	if (special && special(r, &named))
		return true;
	told = r->out ? r->out->n : 0;
	known = programs_apply(r, &named, name);
	if (told > printed &&
	    str_eqz(str_sub(text_str(r->out), printed, told), CONTAINER_MADE "\n"))
		r->out->n = told; /* no more than that is printed */
	if (!known)
		return special;
	if (!special)
		presume_words(r, &named, true, r->e->n > before || code_knows(name));
	if (r->e->n == before && programs_are_remote(name) && !word_in_text(name, containers))
		presume_verbs(r, &named, true);
	return true;
}

static void run_unknown(struct run *r, const struct call *c)
{
	size_t before = r->e->n;

	presume_words(r, c, false, false);
	if (r->e->n == before)
		presume_verbs(r, c, false);
	run_pass_on(r);
}

/* The first word is not known: `$SUDO rm -rf x`, "$(which rm)". */
static void run_nameless(struct run *r, const struct call *c)
{
	struct str w = c->words[0];
	bool fetched = value_has(w, MARK_FETCHED);
	struct str next = c->n > 1 ? program_name(c->words[1]) : STR("");

	if (value_has(w, MARK_CUT))
		effects_unjudged(r->e, STR("(a program whose name is too long)"));

	call_add(r, c,
		 (struct effect){ .kind = fetched ? EFFECT_RUN_FETCHED : EFFECT_OPAQUE,
				  .maybe = true });
	if (next.n && value_known(next) && next.p[0] != '-' &&
	    (special_find(next) || str_eq(programs_find(next), next))) {
		bool maybe = r->e->maybe;

		r->e->maybe |= w.p[0] != MARK_UNSET;
		call_rest(r, c, 1);
		r->e->maybe = maybe;
	}
}

static bool run_alias(struct run *r, const struct call *c)
{
	const struct binding *b = binding_find(r->aliases, c->words[0]);
	const struct binding *aliases = r->aliases;
	struct text t = { 0 };

	if (!b)
		return false;
	text_add(r, &t, b->value);
	for (size_t i = 1; i < c->n; i++) {
		AUTO(buf_done) struct buf quoted = { 0 };

		sh_quote(&quoted, c->words[i]);
		text_add(r, &t, STR(" "));
		text_add(r, &t, buf_str(&quoted));
	}
	r->aliases = b->next; /* not once more in its own text */
	run_text(r, text_str(&t));
	r->aliases = aliases;
	return true;
}

/* A program under another name, as the text has copied or linked it. */
static bool run_renamed(struct run *r, const struct call *c, struct str path)
{
	const struct binding *b =
		r->e->state->programs ? binding_find(r->e->state->programs, joined(r, path)) : NULL;

	if (b)
		run_call(r, renamed(r, c, b->value).words, c->n);
	return b != NULL;
}

/* PATH=.:$PATH x: a file of the project by its name alone. */
static bool run_by_path(struct run *r, const struct call *c, struct str name)
{
	const struct binding *b = binding_find(r->vars, STR("PATH"));
	struct str dir, text;

	for (struct str rest = b ? b->value : (struct str){ 0 };
	     rest.p && str_split(&rest, ':', &dir);) {
		struct str path =
			dir.n ? arena_printf(r->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)) : name;

		if (str_starts(dir, STR("/usr")) || str_starts(dir, STR("/bin")) ||
		    str_starts(dir, STR("/sbin")) || !value_known(path))
			continue;
		if (run_renamed(r, c, path))
			return true;
		if (file_read(r, path, &text)) {
			call_script(r, c, CODE_OTHER, path);
			return true;
		}
	}
	return false;
}

/* r${x}m, whose x nothing sets; `=rm` of zsh, `^rm` of nushell: rm. */
static struct call plain_name(struct run *r, struct call c)
{
	struct str w = c.words[0];
	struct text t = { 0 };

	for (size_t i = 0; i < w.n; i++)
		if (w.p[i] != MARK_UNSET)
			text_add(r, &t, str_sub(w, i, i + 1));
	if (!t.n || !value_known(text_str(&t)))
		return c;
	w = text_str(&t);
	if (w.n > 1 && strchr("=^", w.p[0]))
		w = str_sub(w, 1, w.n);
	return renamed(r, &c, w);
}

void run_call(struct run *r, const struct str *words, size_t n)
{
	static const char *const scripts[] = { "/etc/init.d/", "/etc/rc.d/" };
	struct call c = { words, n };
	struct str name;
	bool outside = r->outside;
	size_t emitted = r->out ? r->out->n : 0;

	r->outside = false;
	while (c.n && !c.words[0].n) { /* "" rm: no such program, but who knows */
		c.words++;
		c.n--;
	}
	if (!c.n || !run_spend(r, 1 + c.n))
		return;
	if (effects_too_deep(r->e)) {
		effects_unjudged(r->e, call_shown(r, &c));
		return;
	}
	if (str_chr(c.words[0], '/', 0) >= 0 && run_renamed(r, &c, c.words[0]))
		return;
	/* /etc/init.d/x stop is what `service x stop` runs. */
	if (c.n > 1 && TEXT_BEGINS(c.words[0], scripts)) {
		struct str *service = ARENA_ARRAY(r->a, struct str, c.n + 1);

		service[0] = STR("service");
		service[1] = sh_file_name(c.words[0]);
		memcpy(service + 2, c.words + 1, (c.n - 1) * sizeof *service);
		c = (struct call){ service, c.n + 1 };
	}
	if (value_has(c.words[0], MARK_UNSET) || strchr("=^", c.words[0].p[0]))
		c = plain_name(r, c);
	name = program_name(c.words[0]);
	if (!value_known(c.words[0])) {
		bool glob = value_has(name, MARK_STAR) || value_has(name, MARK_ONE);
		struct str found =
			glob && !value_has(name, MARK_ANY) ? programs_find(name) : STR("");

		if (!found.n && (!name.n || !value_known(name))) {
			run_nameless(r, &c);
			return;
		}
		name = found.n ? found : name;
	}
	r->e->depth++;
	if (outside ||
	    ((!r->aliases || !run_alias(r, &c)) && (!r->functions || !run_function(r, &c)))) {
		if (value_known(c.words[0]) && is_project_file(r, c.words[0]) &&
		    !(special_find(name) && str_find(c.words[0], STR("bin/"), 0) >= 0)) {
			/* What it says, and what the tables know of its name (gradlew publish). */
			call_script(r, &c, CODE_OTHER, c.words[0]);
			(void)run_row(r, &c, name);
		} else if (r->vars && run_by_path(r, &c, name))
			;
		else if (!run_known(r, &c, name) && !(without_version(name).n < name.n &&
						      run_known(r, &c, without_version(name))))
			run_unknown(r, &c);
	}
	r->e->depth--;
	r->shown = call_shows(r, &c);
	shown_passes(r, &c, emitted);
}
