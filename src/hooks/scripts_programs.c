/* Which programs a command runs, and which files each of them takes. */
#include "base/path.h"
#include "base/words.h"
#include "hooks/scripts_impl.h"
#include "os/fs.h"
#include "shell/calls.h"

/* Programs whose arguments are data: changing those changes nothing of what runs... */
static const char *const data_tools[] = {
	"[",     "basename", "cat",      "cd",       "chmod", "cp",     "curl",  "cut",
	"date",  "diff",     "dirname",  "echo",     "exit",  "export", "false", "git",
	"grep",  "head",     "jq",       "ls",       "mkdir", "mktemp", "mv",    "printf",
	"pwd",   "read",     "readlink", "realpath", "rg",    "rm",     "sed",   "set",
	"sleep", "sort",     "stat",     "tail",     "tee",   "test",   "touch", "tr",
	"true",  "uniq",     "wc",       "which",    ":",     NULL
};

/* ...but what a guard says, when it is these that read them. */
static const char *const readers[] = { "cat", "cut",  "diff", "grep", "head", "jq", "rg",
				       "sed", "sort", "tail", "uniq", "wc",   NULL };

/* Programs that run what a file of the directory says; without a file: what they build. */
static const struct builder {
	const char *name, *files[4];
} builders[] = {
	{ "bazel", { NULL } },
	{ "bun", { "package.json" } },
	{ "cargo", { NULL } },
	{ "cmake", { NULL } },
	{ "dotnet", { NULL } },
	{ "gmake", { "GNUmakefile", "makefile", "Makefile" } },
	{ "go", { NULL } },
	{ "gradle", { NULL } },
	{ "just", { "justfile", "Justfile", ".justfile" } },
	{ "make", { "GNUmakefile", "makefile", "Makefile" } },
	{ "meson", { NULL } },
	{ "mvn", { NULL } },
	{ "ninja", { NULL } },
	{ "npm", { "package.json" } },
	{ "pnpm", { "package.json" } },
	{ "pre-commit", { NULL } },
	{ "pytest", { NULL } },
	{ "rake", { "Rakefile", "rakefile" } },
	{ "run-parts", { NULL } },
	{ "task", { "Taskfile.yml", "Taskfile.yaml" } },
	{ "tox", { NULL } },
	{ "yarn", { "package.json" } },
};

/* bun FILE: what a file of that name says, not package.json. */
static bool runs_file(struct finder *f, const struct sh_call *c)
{
	const struct sh_program *p = sh_program_find(c->words[0].text);
	bool code = false;
	size_t i = p && p->starts == SH_STARTS_CODE ? sh_call_script(c, p, &code) : 0;

	/* A bare name may be that of a script of package.json. */
	if (!i || i >= c->n ||
	    (str_chr(c->words[i].text, '/', 0) < 0 && str_chr(c->words[i].text, '.', 0) < 0))
		return false;
	for (size_t k = 0; k < f->nbases; k++) {
		AUTO(free) char *path = fs_absolute(f->bases[k], arena_z(f->a, c->words[i].text));

		if (fs_exists(path) && !fs_is_dir(path))
			return true;
	}
	return false;
}

/* False when it is no such program. */
static bool look_at_builder(struct finder *f, const struct sh_call *c)
{
	struct str name = sh_file_name(c->words[0].text);
	size_t nbases = f->nbases;
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(builders); i++) {
		if (!str_eqz(name, builders[i].name))
			continue;
		if (runs_file(f, c)) {
			/* Which may name what is loaded before. */
			for (size_t k = 0; k < f->nbases; k++)
				finder_add_absent(f, f->bases[k], "bunfig.toml");
			if (finder_add_word(f, STR("bunfig.toml")))
				finder_give_up(f, "it runs what other files say");
			return false;
		}
		for (size_t k = 1; k + 1 < c->n; k++) { /* make -C dir */
			const char *dir = sh_call_is(c, k, "-C") || sh_call_is(c, k, "--prefix")
						  ? finder_directory(f, c->words[k + 1].text)
						  : NULL;

			if (dir && f->nbases < BASES_MAX)
				f->bases[f->nbases++] = dir;
		}
		for (size_t k = 0; k < 4 && builders[i].files[k]; k++)
			found |= finder_add_word(f, str_from(builders[i].files[k]));
		if (!found || sh_call_opaque(c, 1))
			finder_give_up(f, "it runs what other files say");
		f->nbases = nbases;
		return true;
	}
	return false;
}

bool is_build_file(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(builders); i++)
		for (size_t k = 0; k < 4 && builders[i].files[k]; k++)
			if (str_eqz(name, builders[i].files[k]))
				return true;
	return false;
}

static struct str word_path(struct finder *f, const char *base, struct str word)
{
	AUTO(free) char *path = fs_absolute(base, arena_z(f->a, word));

	return str_from(arena_z(f->a, str_from(path)));
}

/* Programs that write the files that they are given. */
static void look_at_writer(struct finder *f, const struct sh_call *c)
{
	static const struct {
		const char *name;
		enum { ALL, FIRST, LAST, IN_PLACE } which;
	} writers[] = {
		{ "cp", LAST }, { "install", LAST }, { "ln", LAST },      { "mv", LAST },
		{ "rm", ALL },  { "sed", IN_PLACE }, { "sponge", ALL },   { "sqlite3", FIRST },
		{ "tee", ALL }, { "touch", ALL },    { "truncate", ALL },
	};
	struct str name = sh_file_name(c->words[0].text);
	bool in_place = false, found = false;

	for (size_t i = 0; i < ARRAY_LEN(writers); i++) {
		if (!str_eqz(name, writers[i].name))
			continue;
		for (size_t k = 1; k < c->n; k++) {
			struct str w = c->words[k].text;
			bool option = w.n && w.p[0] == '-';

			in_place |= str_starts(w, STR("-i")) || str_starts(w, STR("--in-place"));
			if (option || c->words[k].opaque || (writers[i].which == FIRST && found) ||
			    (writers[i].which == LAST && k + 1 < c->n) ||
			    (writers[i].which == IN_PLACE && !in_place))
				continue;
			found = true;
			finder_add_written(f, w);
		}
	}
}

/* Is it a path with stars in it, and nothing that is known only when it runs? */
static bool is_pattern(struct str w)
{
	return (str_chr(w, '*', 0) >= 0 || str_chr(w, '?', 0) >= 0) && str_chr(w, '$', 0) < 0 &&
	       str_chr(w, '`', 0) < 0;
}

/* Does -f name what this program runs, or what a guard decides by?  For rm it is a flag. */
static bool takes_program(const struct finder *f, struct str name, bool data)
{
	static const char *const runs[] = { "grep", "jq", "rg", "sed", NULL };
	static const char *const tests[] = { "[", "test", NULL };

	return !data || sh_is_among(name, runs) || (f->wide && sh_is_among(name, tests));
}

/* The arguments of a program that are files. */
static void look_at_arguments(struct finder *f, const struct sh_call *c)
{
	struct str name = sh_file_name(c->words[0].text);
	bool data = sh_is_among(name, data_tools);
	bool reads = sh_is_among(name, readers), takes = takes_program(f, name, data);

	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i].text;
		bool program = takes &&
			       (sh_call_is(c, i - 1, "-f") || sh_call_is(c, i - 1, "--from-file"));
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (c->words[i].opaque && (program || !data)) {
			if (program)
				finder_give_up(f, "it names a program in a way that is not known");
			continue;
		}
		if (reads && !program) {
			if (c->words[i].opaque && f->wide && !f->hook->watch && is_pattern(w))
				finder_give_up(f, "it reads files that a pattern names");
			finder_add_data(f, w);
			if (eq > 0)
				finder_add_data(f, str_sub(w, (size_t)eq + 1, w.n));
		}
		if (data && !program)
			continue;
		/* What is not of the project may be the guard's own notes. */
		if (program)
			(void)finder_add_word(f, w);
		else if (f->wide && !finder_of_project(f, word_path(f, f->bases[0], w).p))
			finder_add_data(f, w);
		else
			finder_add_argument(f, w);
		if (eq > 0)
			finder_add_argument(f, str_sub(w, (size_t)eq + 1, w.n));
		if (w.n > 2 && w.p[0] == '-') /* -fFILE */
			(void)finder_add_word(f, str_sub(w, 2, w.n));
		if (sh_call_is(c, i - 1, "-r") || sh_call_is(c, i - 1, "--require") ||
		    sh_call_is(c, i - 1, "--import") || sh_call_is(c, i - 1, "--loader"))
			(void)finder_add_module(f, w, false);
		/* What is not followed by the reader may run a text: su -c './x.sh now'. */
		if (str_chr(w, ' ', 0) > 0 && sh_program_find(c->words[0].text) &&
		    sh_program_find(c->words[0].text)->starts == SH_STARTS_ODDLY)
			look_at_text(f, w);
	}
}

/* python -m MODULE: what it is given may be code, or a module: -m runpy x, -m timeit 'import x'. */
static void look_at_module(struct finder *f, const struct sh_call *c, size_t at)
{
	for (size_t i = at; i < c->n; i++) {
		struct str w = c->words[i].text;

		if (i > at && (str_chr(w, ' ', 0) > 0 || str_chr(w, '(', 0) > 0))
			look_at_code(f, w);
		else
			(void)finder_add_module(f, w, true);
	}
}

/* Code that an interpreter reads: from standard input, or from a module. */
static void look_at_input(struct finder *f, const struct sh_calls *s, size_t at)
{
	const struct sh_call *c = &s->p[at];
	bool fed = false;

	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i].text;

		if (w.n < 2 || w.p[0] != '-' || w.p[1] == '-')
			continue;
		if (i + 1 < c->n && w.p[w.n - 1] == 'm') { /* python -m mod */
			if (c->words[i + 1].opaque)
				finder_give_up(f, "it names a module in a way that is not known");
			else
				look_at_module(f, c, i + 1);
			return;
		}
		if (i + 1 < c->n && strchr("ceEpr", w.p[w.n - 1])) { /* code as an argument */
			if (c->words[i + 1].opaque)
				finder_give_up(f, "it runs code that is not known");
			look_at_code(f, c->words[i + 1].text);
			return;
		}
	}
	for (size_t i = 0; c->node && i < c->node->nredirects; i++) {
		const struct sh_redirect *r = &c->node->redirects[i];

		fed |= str_eqz(r->op, "<"); /* added with the other redirections */
		if (!str_starts(r->op, STR("<<")))
			continue;
		struct str body;
		const struct sh_values values = finder_values(f, true);
		bool known = sh_value(f->a, str_eqz(r->op, "<<") ? &r->body : &r->target, &values,
				      &body);

		fed = true;
		if (!known)
			finder_give_up(f, "it runs code that is not known");
		look_at_text(f, body);
	}
	if (fed)
		return;
	/* cat a b | sh, echo text | sh */
	for (size_t i = at; c->fed && i > 0 && s->p[i - 1].piped && !fed; i--) {
		const struct sh_call *from = &s->p[i - 1];

		if (sh_call_opaque(from, 0) || from->more)
			break;
		if (sh_call_is(from, 0, "echo") || sh_call_is(from, 0, "printf")) {
			struct sh_call rest = { .words = from->words + 1, .n = from->n - 1 };

			look_at_text(f, sh_call_text(f->a, &rest));
			fed = true;
		}
		for (size_t k = 1; k < from->n; k++)
			fed |= finder_add_word(f, from->words[k].text);
	}
	if (!fed)
		finder_give_up(f, "it runs what it reads");
}

void look_at_variable(struct finder *f, struct str name, struct str value, bool known)
{
	struct str rest = value, part;
	size_t left = PACKAGE_DIRS_MAX;

	if (!sh_is_code_variable(name) || str_eqz(name, "HOME") || str_eqz(name, "IFS"))
		return;
	if (!known)
		finder_give_up(f, "it sets a variable in which programs are looked for");
	if (known && str_starts(value, STR("-"))) {
		/* NODE_OPTIONS='--require ./x.js' */
		struct str options = value;
		struct str word;
		bool found = false;

		while (str_split(&options, ' ', &word))
			found |= word.n &&
				 finder_add_module(
					 f,
					 str_sub(word, (size_t)(str_chr(word, '=', 0) + 1), word.n),
					 false);
		if (!found)
			finder_give_up(f, "it sets options of a program");
		return;
	}
	while (known && str_split(&rest, ':', &part)) {
		AUTO(free) char *path = fs_absolute(f->bases[0], arena_z(f->a, part));

		if (!part.n || part.p[0] == '-' || finder_add_word(f, part))
			continue;
		if (str_eqz(name, "PYTHONPATH") && f->wide)
			finder_add_package_dir(f, path, &left);
		else if (fs_exists(path) && finder_counts(f, path))
			finder_give_up(f, "it looks for programs in a directory that can change");
	}
}

static void look_at_outside(struct finder *f, const struct sh_node *n)
{
	const struct sh_values values = finder_values(f, false);
	struct str value;

	for (size_t i = 0; i < n->nassigns; i++) {
		bool known = sh_value(f->a, &n->assigns[i].value, &values, &value);

		look_at_variable(f, n->assigns[i].name, value, known);
	}
	for (size_t i = 0; i < n->nredirects; i++)
		if (!sh_value(f->a, &n->redirects[i].target, &values, &value))
			continue;
		else if (str_eqz(n->redirects[i].op, "<"))
			(void)finder_add_word(f, value);
		else if (str_starts(n->redirects[i].op, STR(">")))
			finder_add_written(f, value);
}

static void look_at_cd(struct finder *f, const struct sh_call *c)
{
	const char *dir = c->n > 1 && !sh_call_opaque(c, 1)
				  ? finder_directory(f, c->words[c->n - 1].text)
				  : NULL;

	if (dir && f->nbases < BASES_MAX)
		f->bases[f->nbases++] = dir;
	else
		f->moved = true;
}

/* A program without a path: on PATH, or among those that packages of the project bring. */
static void look_on_path(struct finder *f, const struct sh_call *c)
{
	const char *name = arena_z(f->a, c->words[0].text), *path = env_get(f->env, "PATH");
	struct str rest = str_from(path), dir;
	AUTO(free) char *found = NULL;

	if (c->by && c->by->n && !sh_call_opaque(c->by, 0))
		(void)finder_add_word(f, arena_printf(f->a, "node_modules/.bin/%s", name));
	if (sh_is_builtin(c->words[0].text) || !path || !fs_find_program(name, path, &found))
		return;
	if (finder_of_project(f, found))
		finder_add(f, found, SCRIPT_FILE);
	else if (finder_counts(f, found))
		finder_add(f, found, SCRIPT_PROGRAM);
	/* A new one in a directory that is looked in before takes its place. */
	while (f->wide && str_split(&rest, ':', &dir)) {
		AUTO(free) char *here = fs_absolute(f->bases[0], arena_z(f->a, dir));
		AUTO(free) char *first = fs_join(here, name);

		if (strcmp(first, found) == 0)
			break;
		finder_add_absent(f, here, name);
	}
}

/* What is in the home directory and runs first: of a guard, or what takes its place. */
static void add_of_home(struct finder *f, const char *name)
{
	const char *home = env_get(f->env, "HOME");

	if (!f->wide || !home || home[0] != '/')
		return;
	AUTO(free) char *path = fs_join(home, name);
	if (!finder_add_word(f, str_from(path)))
		finder_add_absent(f, home, name);
}

/* What a program loads before it does what it was told. */
static void look_at_start(struct finder *f, const struct sh_call *c)
{
	static const struct {
		const char *program, *variables, *files;
	} rows[] = {
		{ "python", "PYTHONPATH PYTHONHOME PYTHONSTARTUP", "" },
		{ "node", "NODE_OPTIONS NODE_PATH", "" },
		{ "perl", "PERL5LIB PERL5OPT", "" },
		{ "ruby", "RUBYLIB RUBYOPT", "" },
		{ "jq", "", ".jq" },
	};
	static const char *const loads[] = {
		"-r", "-M", "-I", "--require", "--import", "--loader", "--experimental-loader"
	};
	struct str program = sh_file_name(c->words[0].text), rest, name;

	for (size_t i = 0; f->wide && i < ARRAY_LEN(rows); i++) {
		if (!str_starts(program, str_from(rows[i].program)))
			continue;
		rest = str_from(rows[i].variables);
		while (str_split(&rest, ' ', &name)) {
			const char *value = env_get(f->env, arena_z(f->a, name));
			bool option = value && value[0] == '-', counts_here = value && !option;

			for (size_t k = 0; option && k < ARRAY_LEN(loads); k++)
				counts_here |= strstr(value, loads[k]) != NULL;
			if (counts_here)
				look_at_variable(f, name, str_from(value), true);
		}
		if (*rows[i].files)
			add_of_home(f, rows[i].files);
		for (size_t k = 1; str_eqz(program, "jq") && k < c->n; k++)
			if (str_find(c->words[k].text, STR("include \""), 0) >= 0 ||
			    str_find(c->words[k].text, STR("import \""), 0) >= 0)
				finder_give_up(f, "it loads modules of jq");
	}
	/* bash -lc, bash -ic */
	static const char *const login[] = { ".bash_profile", ".bash_login", ".profile" };
	for (size_t i = 1; str_eqz(program, "bash") && i < c->n && c->words[i].text.n > 1 &&
			   c->words[i].text.p[0] == '-';
	     i++) {
		if (sh_option_fits(c->words[i].text, "-l") || sh_call_is(c, i, "--login"))
			for (size_t k = 0; k < ARRAY_LEN(login); k++)
				add_of_home(f, login[k]);
		if (sh_option_fits(c->words[i].text, "-i"))
			add_of_home(f, ".bashrc");
	}
}

/* What gives a name another meaning: alias x='./y', declare -n x=y. */
static void look_at_names(struct finder *f, const struct sh_call *c)
{
	static const char *const declares[] = { "declare", "local", "typeset", NULL };
	bool alias = sh_call_is(c, 0, "alias");

	if (!alias && !sh_is_among(c->words[0].text, declares))
		return;
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i].text;
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (alias && eq > 0 && !c->words[i].opaque)
			look_at_text(f, str_sub(w, (size_t)eq + 1, w.n));
		else if (alias ? c->words[i].opaque : sh_option_fits(w, "-n") || c->words[i].opaque)
			finder_give_up(f, "it gives a name another meaning");
	}
}

void look_at_call(struct finder *f, const struct sh_calls *s, size_t at)
{
	const struct sh_call *c = &s->p[at];
	const struct sh_program *p;
	bool code = false;
	size_t i;

	if (c->node)
		look_at_outside(f, c->node);
	if (c->unknown)
		finder_give_up(f, "it is not clear what it starts");
	if (!c->n || c->unknown)
		return;
	if (c->words[0].opaque) {
		finder_give_up(f, "it names a program in a way that is not known");
		return;
	}
	if (sh_call_is(c, 0, "cd") || sh_call_is(c, 0, "pushd")) {
		look_at_cd(f, c);
		return;
	}
	look_at_names(f, c);
	look_at_start(f, c);
	if (str_chr(c->words[0].text, '/', 0) >= 0)
		finder_add_program(f, c->words[0].text);
	else
		look_on_path(f, c);
	look_at_arguments(f, c);
	look_at_writer(f, c);
	for (i = 1; i < c->n; i++) { /* export PATH=., env PATH=. x, git -c alias.x='!./x' */
		struct str w = c->words[i].text;
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (eq > 0)
			look_at_variable(f, str_sub(w, 0, (size_t)eq),
					 str_sub(w, (size_t)eq + 1, w.n), !c->words[i].opaque);
		if (sh_call_is(c, 0, "git") && sh_call_is(c, i, "-c"))
			finder_give_up(f, "it sets what git runs");
	}
	if (look_at_builder(f, c))
		return;
	p = sh_program_find(c->words[0].text);
	if (!p)
		return;
	if (p->starts == SH_STARTS_ODDLY && c->fed)
		finder_give_up(f, "it runs what it reads");
	i = sh_call_script(c, p, &code);
	if (p->starts == SH_STARTS_CODE && (i == 0 || i < c->n))
		look_at_imports(f, c, i ? c->words[i].text : STR(""));
	if (i == SIZE_MAX)
		finder_give_up(f, "it names a script in a way that is not known");
	else if (i) {
		/* node ./x is ./x.js, and python3 DIRECTORY what is in it. */
		if (p->starts == SH_STARTS_CODE && finder_add_module(f, c->words[i].text, false))
			return;
		if (finder_directory(f, c->words[i].text))
			finder_give_up(f, "it runs a directory");
		finder_add_program(f, c->words[i].text);
	} else if (code && (p->starts == SH_STARTS_CODE || p->starts == SH_STARTS_SHELL) &&
		   !word_in_text(STR("awk"), p->names))
		look_at_input(f, s, at);
}

void look_at_text(struct finder *f, struct str text)
{
	const struct sh_values values = finder_values(f, true);
	AUTO(sh_calls_done) struct sh_calls s = { .arena = f->a, .values = &values, .track = true };

	if (f->depth >= DEPTH_MAX) {
		finder_give_up(f, "it is nested too deeply");
		return;
	}
	f->depth++;
	sh_calls_read(&s, text);
	if (s.script.dubious)
		finder_give_up(f, "shells may read it differently");
	for (size_t i = 0; i < s.n; i++)
		look_at_call(f, &s, i);
	f->depth--;
}
