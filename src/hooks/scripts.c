#include "hooks/scripts.h"

#include <fnmatch.h>
#include <unistd.h>

#include "base/path.h"
#include "base/words.h"
#include "hooks/command.h"
#include "os/fs.h"
#include "shell/calls.h"

enum { BASES_MAX = 8, DEPTH_MAX = 6, SCRIPT_TEXT_MAX = 256 << 10, WATCH_DIRS_MAX = 4096 };

struct finder {
	struct tl_hooks *h;
	struct arena *a;
	const struct hook *hook;
	bool wide; /* not of the project alone: of a guard, or of one whose process waits */
	struct script_paths *out;
	struct vars vars;
	const char *const *env;
	/* Directories in which names are looked up: the project, the current one, those of cd. */
	const char *bases[BASES_MAX];
	size_t nbases;
	bool moved; /* after a cd to an unknown place */
	unsigned depth; /* 0: the command itself; else a text that it runs, or a file */
	const char *file; /* whose text is looked at, or NULL */
	enum { RUNS, NAMES, READS } use; /* what is done with the files that are added */
	struct str *written; /* files that its text writes, shared by all copies of the finder */
	size_t *nwritten;
};

enum { WRITTEN_MAX = 512, PACKAGE_DIRS_MAX = 64 };

static void look_at_text(struct finder *f, struct str text);
static void look_at_file(struct finder *f, const char *path);
static void look_at_code(struct finder *f, struct str code);
static bool add_module(struct finder *f, struct str name, bool dotted);

/* Only the command says whether a hook is watched: files are looked through for literal names. */
static void give_up(struct finder *f, const char *why)
{
	if (!f->file && !f->out->unwatched)
		f->out->unwatched = why;
}

static bool is_of_the_project(const struct finder *f, const char *path)
{
	return path_below(f->h->dirs.project, path) || fs_is_in(f->h->dirs.project, path);
}

/* Of a guard any file counts, but for those of the system, which this account cannot change. */
static bool counts(const struct finder *f, const char *path)
{
	static const char *const systems[] = { "/usr", "/bin", "/sbin",      "/lib",  "/lib64",
					       "/dev", "/sys", "/nix/store", "/proc", "/etc" };

	if (is_of_the_project(f, path) || !f->wide)
		return is_of_the_project(f, path);
	for (size_t i = 0; i < ARRAY_LEN(systems); i++)
		if (path_below(systems[i], path))
			return geteuid() != 0 && i < 5 && access(path, W_OK) == 0;
	return true;
}

static void add(struct finder *f, const char *path, enum script_kind kind)
{
	struct script_paths *l = f->out;

	for (size_t i = 0; i < l->n; i++)
		if (strcmp(l->p[i].path, path) == 0 &&
		    (l->p[i].kind == kind || kind <= SCRIPT_ABSENT)) {
			l->p[i].data &= f->use == READS;
			l->p[i].notes &= f->use != RUNS;
			return;
		}
	if (l->n == SCRIPTS_MAX) {
		l->unwatched = "it has too many files";
		return;
	}
	struct script_path *p = &l->p[l->n++];

	*p = (struct script_path){ arena_z(f->a, str_from(path)), kind, f->use == READS,
				   f->use != RUNS };
	if (kind != SCRIPT_FILE)
		return;
	look_at_file(f, p->path);
	/* Its own words do not make data a program: a text may name its own file. */
	p->data = f->use == READS;
	p->notes = f->use != RUNS;
}

/* A file that counts and that the word names; false when there is none. */
static bool add_word(struct finder *f, struct str word)
{
	bool found = false;

	if (!word.n || word.n > 4096)
		return false;
	for (size_t i = 0; i < f->nbases; i++) {
		AUTO(free) char *path = fs_absolute(f->bases[i], arena_z(f->a, word));

		if (!fs_exists(path) || fs_is_dir(path) || !counts(f, path))
			continue;
		add(f, path, SCRIPT_FILE);
		found = true;
		if (word.p[0] == '/')
			break;
	}
	return found;
}

/* Names of files of which no program runs anything. */
static bool is_data_name(struct str word)
{
	static const char *const ends[] = { ".json", ".jsonl", ".ndjson", ".json5",   ".jsonc",
					    ".txt",  ".md",    ".log",    ".csv",     ".tsv",
					    ".yaml", ".yml",   ".toml",   ".ini",     ".conf",
					    ".db",   ".lock",  ".sqlite", ".sqlite3", ".pid",
					    ".xml",  ".html",  ".state",  ".cache" };

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(word, str_from(ends[i])))
			return true;
	return false;
}

/* What a guard reads: rules, say.  Files that it writes as well, such as a log, do not count. */
static void add_data(struct finder *f, struct str word)
{
	struct finder in = *f;

	in.use = READS;
	if (f->wide && !f->hook->watch)
		(void)add_word(&in, word);
}

/* What a program is given.  In a script data are none of ours; a hook's own notes never are. */
static void add_argument(struct finder *f, struct str word)
{
	struct finder in = *f;

	in.use = NAMES;
	if (f->file && is_data_name(word))
		add_data(f, word);
	else
		(void)add_word(&in, word);
}

static void add_written(struct finder *f, struct str word)
{
	for (size_t k = 0; k < f->nbases && *f->nwritten < WRITTEN_MAX; k++) {
		AUTO(free) char *path = fs_absolute(f->bases[k], arena_z(f->a, word));

		f->written[(*f->nwritten)++] = str_from(arena_z(f->a, str_from(path)));
	}
}

/* What would be found first, if it were there. */
static void add_absent(struct finder *f, const char *base, const char *name)
{
	AUTO(free) char *path = fs_absolute(base, name);

	if (!fs_exists(path) && counts(f, path))
		add(f, path, SCRIPT_ABSENT);
}

/* What is run: one that is not there yet would be run as soon as it is. */
static void add_program(struct finder *f, struct str word)
{
	if (f->moved && word.p[0] != '/') {
		give_up(f, "it goes to a directory that is not known before it runs");
		if (!f->file || !f->wide)
			return;
	}
	if (add_word(f, word) || (f->file && (!f->wide || word.p[0] == '/')))
		return;
	for (size_t i = 0; i < f->nbases; i++)
		add_absent(f, f->bases[i], arena_z(f->a, word));
}

/* ---- what is known about variables and substitutions ---- */

static enum sh_known variable(void *data, struct str name, struct str *ret)
{
	/* The shell's own, and what is different each time. */
	static const char *const varying[] = { "DIRSTACK", "EUID",     "FUNCNAME", "GROUPS",
					       "HOSTNAME", "HOSTTYPE", "LINENO",   "MACHTYPE",
					       "OLDPWD",   "OPTARG",   "OPTIND",   "OSTYPE",
					       "PPID",     "RANDOM",   "REPLY",    "SECONDS",
					       "SHLVL",    "UID",      "_",        NULL };
	const struct finder *f = data;
	const char *value;

	if (f->file && (str_eqz(name, "0") || str_eqz(name, "BASH_SOURCE"))) {
		*ret = str_from(f->file);
		return SH_KNOWN;
	}
	if (!sh_is_name(name) || sh_is_among(name, varying) || str_starts(name, STR("BASH")) ||
	    str_starts(name, STR("EPOCH")) || str_starts(name, STR("TROTLINE_RESULT")) ||
	    str_ends(name, STR("SESSION_ID")))
		return SH_UNKNOWN;
	value = vars_get(&f->vars, f->hook, name);
	if (!value && f->hook->extension && f->hook->extension->env)
		value = env_get(f->hook->extension->env, arena_z(f->a, name));
	if (!value)
		value = env_get(f->env, arena_z(f->a, name));
	if (!value)
		return f->file ? SH_UNKNOWN : SH_UNSET;
	*ret = str_from(value);
	return SH_KNOWN;
}

/* The directory that a word names, in the last base where there is one; NULL when nowhere. */
static const char *directory(struct finder *f, struct str word)
{
	for (size_t i = f->nbases; i > 0; i--) {
		AUTO(free) char *path = fs_absolute(f->bases[i - 1], arena_z(f->a, word));

		if (fs_is_dir(path))
			return arena_z(f->a, str_from(path));
	}
	return NULL;
}

/* The directory above `from` that holds .git. */
static const char *git_top(struct finder *f, const char *from)
{
	for (AUTO(free) char *dir = xstrdup(from); dir[0] == '/';) {
		AUTO(free) char *mark = fs_join(dir, ".git");
		char *parent;

		if (fs_exists(mark))
			return arena_z(f->a, str_from(dir));
		if (!dir[1])
			break;
		parent = path_parent(dir);
		free(dir);
		dir = parent;
	}
	return NULL;
}

static bool program_output(struct finder *f, const struct sh_call *c, struct str *ret)
{
	const char *here = f->bases[f->nbases - 1], *out = NULL;
	struct str last = c->n ? c->words[c->n - 1].text : STR("");

	if (sh_call_opaque(c, 0) || c->more || c->unknown || f->moved)
		return false;
	if (sh_call_is(c, 0, "pwd")) {
		out = here;
	} else if (sh_call_is(c, 0, "git") && c->n == 3 && sh_call_is(c, 1, "rev-parse") &&
		   sh_call_is(c, 2, "--show-toplevel")) {
		out = git_top(f, here);
	} else if (sh_call_is(c, 0, "dirname") && last.n && c->n <= 3) {
		AUTO(free) char *dir = path_parent(arena_z(f->a, last));

		out = arena_z(f->a, str_from(dir));
	} else if (sh_call_is(c, 0, "basename") && c->n == 2) {
		out = path_name(arena_z(f->a, last));
	} else if (sh_call_is(c, 0, "realpath") || sh_call_is(c, 0, "readlink")) {
		AUTO(free) char *path = fs_absolute(here, arena_z(f->a, last));

		out = arena_z(f->a, str_from(path));
	} else if (sh_call_is(c, 0, "echo") && c->n == 2 && last.n && last.p[0] != '-') {
		out = arena_z(f->a, last);
	}
	*ret = str_from(out);
	return out != NULL;
}

/* $(pwd), $(git rev-parse --show-toplevel), $(dirname "$0"), $(cd x && pwd) */
static bool output_of(void *data, const struct sh_script *s, struct str *ret)
{
	struct finder *f = data, in = *f;
	const struct sh_values values = { variable, output_of, &in, true };
	bool known = false;

	for (const struct sh_node *n = s->first; n; n = n->next) {
		struct sh_arg *words = ARENA_ARRAY(f->a, struct sh_arg, n->nwords + 1);
		struct sh_call call = { .words = words, .n = n->nwords };

		for (size_t i = 0; i < n->nwords; i++)
			words[i].opaque = !sh_value(f->a, &n->words[i], &values, &words[i].text);
		/* 2>/dev/null changes nothing of the output, and what `cd` prints is none. */
		if (n->kind != SH_SIMPLE || n->nassigns || n->op == SH_PIPE || n->op == SH_OR ||
		    (n->nredirects && !sh_call_is(&call, 0, "cd") &&
		     !str_eqz(n->redirects[0].fd, "2")))
			return false;
		if (!sh_call_is(&call, 0, "cd")) {
			known = program_output(&in, &call, ret);
			if (n->next)
				return false;
			continue;
		}
		const char *dir = call.n > 1 && !sh_call_opaque(&call, 0)
					  ? directory(&in, words[call.n - 1].text)
					  : NULL;
		if (!dir)
			return false;
		in.bases[in.nbases - 1] = dir;
	}
	return known;
}

/* ---- programs ---- */

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

/* False when it is no such program. */
static bool look_at_builder(struct finder *f, const struct sh_call *c)
{
	struct str name = sh_file_name(c->words[0].text);
	size_t nbases = f->nbases;
	bool found = false;

	for (size_t i = 0; i < ARRAY_LEN(builders); i++) {
		if (!str_eqz(name, builders[i].name))
			continue;
		for (size_t k = 1; k + 1 < c->n; k++) { /* make -C dir */
			const char *dir = sh_call_is(c, k, "-C") || sh_call_is(c, k, "--prefix")
						  ? directory(f, c->words[k + 1].text)
						  : NULL;

			if (dir && f->nbases < BASES_MAX)
				f->bases[f->nbases++] = dir;
		}
		for (size_t k = 0; k < 4 && builders[i].files[k]; k++)
			found |= add_word(f, str_from(builders[i].files[k]));
		if (!found || sh_call_opaque(c, 1))
			give_up(f, "it runs what other files say");
		f->nbases = nbases;
		return true;
	}
	return false;
}

/* A directory as node takes it: the "main" of its package.json. */
static bool add_main(struct finder *f, struct str dir)
{
	struct str package = arena_printf(f->a, "%.*s/package.json", STR_ARG(dir));

	for (size_t i = 0; dir.n && i < f->nbases; i++) {
		AUTO(free) char *path = fs_absolute(f->bases[i], package.p);
		AUTO(buf_done) struct buf bytes = { 0 };
		const struct json *v;

		if (!counts(f, path) || fs_read(path, SCRIPT_TEXT_MAX, &bytes, NULL) < 0)
			continue;
		(void)add_word(f, package);
		if (json_parse(f->a, arena_str(f->a, buf_str(&bytes)), 0, &v, NULL) < 0)
			continue;
		struct str name = json_get_str(v, "main");
		return name.n &&
		       add_module(f, arena_printf(f->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)),
				  false);
	}
	return false;
}

/* Names for what a word may mean as a module: "./x" is ./x.js, "a.b" is a/b.py. */
static bool add_module(struct finder *f, struct str name, bool dotted)
{
	static const char *const ends[] = { "",          ".js",          ".cjs",        ".mjs",
					    ".ts",       ".json",        ".py",         ".rb",
					    ".pm",       ".pl",          ".sh",         "/index.js",
					    "/index.ts", "/__init__.py", "/__main__.py" };
	char *path = arena_z(f->a, name);
	bool found = false;

	for (char *p = path; dotted && *p; p++)
		if (*p == '.')
			*p = '/';
	for (size_t i = 0; i < ARRAY_LEN(ends); i++) {
		struct str candidate = arena_printf(f->a, "%s%s", path, ends[i]);

		found |= add_word(f, candidate);
		/* A new ./x, ./x.js, ... would be taken for what "./x" means today. */
		if (f->wide && f->nbases && !dotted && str_starts(name, STR(".")))
			add_absent(f, f->bases[f->nbases - 1], candidate.p);
	}
	if (!dotted)
		found |= add_main(f, name);
	return found;
}

/*
 * Python looks for modules in this directory before its own library: a new json.py here is what
 * "import json" means.  A directory that becomes a package is one, too.
 */
static void add_modules(struct finder *f, const char *dir)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (!f->wide || !counts(f, dir) || fs_list(dir, &names, NULL) < 0)
		return;
	add(f, dir, SCRIPT_MODULES);
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (sh_is_name(str_from(names.p[i])) && fs_is_dir(path))
			add(f, path, SCRIPT_PACKAGE);
	}
}

/* A package that a guard imports: all of it. */
static void add_package_dir(struct finder *f, const char *dir, size_t *left)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (*left == 0 || !counts(f, dir) || fs_list(dir, &names, NULL) < 0) {
		if (!*left)
			f->out->unwatched = "it imports a package with too many directories";
		return;
	}
	(*left)--;
	add_modules(f, dir);
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		/* There has to be room for what the command itself names. */
		if (f->out->n >= SCRIPTS_MAX / 2) {
			f->out->unwatched = "it can import too many files";
			return;
		}
		if (str_ends(str_from(names.p[i]), STR(".py")))
			add(f, path, SCRIPT_FILE);
		else if (sh_is_name(str_from(names.p[i])) &&
			 strcmp(names.p[i], "__pycache__") != 0 && fs_is_dir(path))
			add_package_dir(f, path, left);
	}
}

/* In any directory; "." is that of the file. */
static void add_package(struct finder *f, struct str name)
{
	size_t left = PACKAGE_DIRS_MAX;

	for (size_t i = name.p[0] == '.' ? f->nbases - 1 : 0; f->wide && i < f->nbases; i++) {
		AUTO(free) char *dir = fs_absolute(f->bases[i], arena_z(f->a, name));

		if (fs_is_dir(dir))
			add_package_dir(f, dir, &left);
	}
}

/* node_modules/x: whatever it loads is not followed. */
static void look_for_package(struct finder *f, struct str name)
{
	if (!f->wide || !f->file || !name.n || name.p[0] == '.' || name.p[0] == '/')
		return;
	for (AUTO(free) char *dir = path_parent(f->file); dir[1];) {
		AUTO(free) char *package =
			fs_join(dir, arena_printf(f->a, "node_modules/%.*s", STR_ARG(name)).p);
		char *parent = path_parent(dir);

		if (fs_is_dir(package) && counts(f, package))
			f->out->unwatched = "it loads packages of node_modules";
		free(dir);
		dir = parent;
	}
}

/* Does this python look for modules in the script's or the current directory first? */
static bool imports_from_there(const struct sh_call *c)
{
	if (!str_starts(sh_file_name(c->words[0].text), STR("python")) &&
	    !str_starts(sh_file_name(c->words[0].text), STR("pypy")))
		return false;
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i].text;

		if (w.n < 2 || w.p[0] != '-' || c->words[i].opaque)
			break;
		if (w.p[1] == '-')
			continue;
		for (size_t k = 1; k < w.n && !strchr("cmWX", w.p[k]); k++)
			if (w.p[k] == 'I' || w.p[k] == 'P')
				return false;
		if (strchr("cm", w.p[w.n - 1]))
			break;
		i += strchr("WX", w.p[w.n - 1]) != NULL;
	}
	return true;
}

/* Where it looks: next to the script, or where it is started. */
static void look_at_imports(struct finder *f, const struct sh_call *c, struct str script)
{
	if (!f->wide || !imports_from_there(c))
		return;
	for (size_t i = 0; i < f->nbases; i++) {
		AUTO(free) char *path = fs_absolute(f->bases[i], arena_z(f->a, script));
		AUTO(free) char *real = fs_real(path);
		AUTO(free) char *dir = real && script.n ? path_parent(real) : NULL;

		if (!script.n)
			add_modules(f, f->bases[i]);
		else if (dir && !fs_is_dir(real))
			add_modules(f, dir);
	}
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
			add_written(f, w);
		}
	}
}

/* Is it a path with stars in it, and nothing that is known only when it runs? */
static bool is_pattern(struct str w)
{
	return (str_chr(w, '*', 0) >= 0 || str_chr(w, '?', 0) >= 0) && str_chr(w, '$', 0) < 0 &&
	       str_chr(w, '`', 0) < 0;
}

/* The arguments of a program that are files. */
static void look_at_arguments(struct finder *f, const struct sh_call *c)
{
	bool data = sh_is_among(sh_file_name(c->words[0].text), data_tools);
	bool reads = sh_is_among(sh_file_name(c->words[0].text), readers);

	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i].text;
		bool program = sh_call_is(c, i - 1, "-f") || sh_call_is(c, i - 1, "--from-file");
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (c->words[i].opaque && (program || !data)) {
			if (program)
				give_up(f, "it names a program in a way that is not known");
			continue;
		}
		if (reads && !program) {
			if (c->words[i].opaque && f->wide && !f->hook->watch && is_pattern(w))
				give_up(f, "it reads files that a pattern names");
			add_data(f, w);
			if (eq > 0)
				add_data(f, str_sub(w, (size_t)eq + 1, w.n));
		}
		if (data && !program)
			continue;
		/* What is not of the project may be the guard's own notes. */
		if (program)
			(void)add_word(f, w);
		else if (f->wide && !is_of_the_project(f, word_path(f, f->bases[0], w).p))
			add_data(f, w);
		else
			add_argument(f, w);
		if (eq > 0)
			add_argument(f, str_sub(w, (size_t)eq + 1, w.n));
		if (w.n > 2 && w.p[0] == '-') /* -fFILE */
			(void)add_word(f, str_sub(w, 2, w.n));
		if (sh_call_is(c, i - 1, "-r") || sh_call_is(c, i - 1, "--require") ||
		    sh_call_is(c, i - 1, "--import") || sh_call_is(c, i - 1, "--loader"))
			(void)add_module(f, w, false);
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
			(void)add_module(f, w, true);
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
				give_up(f, "it names a module in a way that is not known");
			else
				look_at_module(f, c, i + 1);
			return;
		}
		if (i + 1 < c->n && strchr("ceEpr", w.p[w.n - 1])) { /* code as an argument */
			if (c->words[i + 1].opaque)
				give_up(f, "it runs code that is not known");
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
		const struct sh_values values = { variable, output_of, f, true };
		bool known = sh_value(f->a, str_eqz(r->op, "<<") ? &r->body : &r->target, &values,
				      &body);

		fed = true;
		if (!known)
			give_up(f, "it runs code that is not known");
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
			fed |= add_word(f, from->words[k].text);
	}
	if (!fed)
		give_up(f, "it runs what it reads");
}

/* PATH=./bin, LD_PRELOAD=./x.so: files that run without being named as a program. */
static void look_at_variable(struct finder *f, struct str name, struct str value, bool known)
{
	struct str rest = value, part;
	size_t left = PACKAGE_DIRS_MAX;

	if (!sh_is_code_variable(name) || str_eqz(name, "HOME") || str_eqz(name, "IFS"))
		return;
	if (!known)
		give_up(f, "it sets a variable in which programs are looked for");
	if (known && str_starts(value, STR("-"))) {
		/* NODE_OPTIONS='--require ./x.js' */
		struct str options = value;
		struct str word;
		bool found = false;

		while (str_split(&options, ' ', &word))
			found |= word.n &&
				 add_module(
					 f,
					 str_sub(word, (size_t)(str_chr(word, '=', 0) + 1), word.n),
					 false);
		if (!found)
			give_up(f, "it sets options of a program");
		return;
	}
	while (known && str_split(&rest, ':', &part)) {
		AUTO(free) char *path = fs_absolute(f->bases[0], arena_z(f->a, part));

		if (!part.n || part.p[0] == '-' || add_word(f, part))
			continue;
		if (str_eqz(name, "PYTHONPATH") && f->wide)
			add_package_dir(f, path, &left);
		else if (fs_exists(path) && counts(f, path))
			give_up(f, "it looks for programs in a directory that can change");
	}
}

static void look_at_outside(struct finder *f, const struct sh_node *n)
{
	const struct sh_values values = { variable, output_of, f, false };
	struct str value;

	for (size_t i = 0; i < n->nassigns; i++) {
		bool known = sh_value(f->a, &n->assigns[i].value, &values, &value);

		look_at_variable(f, n->assigns[i].name, value, known);
	}
	for (size_t i = 0; i < n->nredirects; i++)
		if (!sh_value(f->a, &n->redirects[i].target, &values, &value))
			continue;
		else if (str_eqz(n->redirects[i].op, "<"))
			(void)add_word(f, value);
		else if (str_starts(n->redirects[i].op, STR(">")))
			add_written(f, value);
}

static void look_at_cd(struct finder *f, const struct sh_call *c)
{
	const char *dir =
		c->n > 1 && !sh_call_opaque(c, 1) ? directory(f, c->words[c->n - 1].text) : NULL;

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
		(void)add_word(f, arena_printf(f->a, "node_modules/.bin/%s", name));
	if (sh_is_builtin(c->words[0].text) || !path || !fs_find_program(name, path, &found))
		return;
	if (is_of_the_project(f, found))
		add(f, found, SCRIPT_FILE);
	else if (counts(f, found))
		add(f, found, SCRIPT_PROGRAM);
	/* A new one in a directory that is looked in before takes its place. */
	while (f->wide && str_split(&rest, ':', &dir)) {
		AUTO(free) char *here = fs_absolute(f->bases[0], arena_z(f->a, dir));
		AUTO(free) char *first = fs_join(here, name);

		if (strcmp(first, found) == 0)
			break;
		add_absent(f, here, name);
	}
}

/* What is in the home directory and runs first: of a guard, or what takes its place. */
static void add_of_home(struct finder *f, const char *name)
{
	const char *home = env_get(f->env, "HOME");

	if (!f->wide || !home || home[0] != '/')
		return;
	AUTO(free) char *path = fs_join(home, name);
	if (!add_word(f, str_from(path)))
		add_absent(f, home, name);
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
				give_up(f, "it loads modules of jq");
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
			give_up(f, "it gives a name another meaning");
	}
}

static void look_at_call(struct finder *f, const struct sh_calls *s, size_t at)
{
	const struct sh_call *c = &s->p[at];
	const struct sh_program *p;
	bool code = false;
	size_t i;

	if (c->node)
		look_at_outside(f, c->node);
	if (c->unknown)
		give_up(f, "it is not clear what it starts");
	if (!c->n || c->unknown)
		return;
	if (c->words[0].opaque) {
		give_up(f, "it names a program in a way that is not known");
		return;
	}
	if (sh_call_is(c, 0, "cd") || sh_call_is(c, 0, "pushd")) {
		look_at_cd(f, c);
		return;
	}
	look_at_names(f, c);
	look_at_start(f, c);
	if (str_chr(c->words[0].text, '/', 0) >= 0)
		add_program(f, c->words[0].text);
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
			give_up(f, "it sets what git runs");
	}
	if (look_at_builder(f, c))
		return;
	p = sh_program_find(c->words[0].text);
	if (!p)
		return;
	if (p->starts == SH_STARTS_ODDLY && c->fed)
		give_up(f, "it runs what it reads");
	i = sh_call_script(c, p, &code);
	if (p->starts == SH_STARTS_CODE && (i == 0 || i < c->n))
		look_at_imports(f, c, i ? c->words[i].text : STR(""));
	if (i == SIZE_MAX)
		give_up(f, "it names a script in a way that is not known");
	else if (i) {
		/* node ./x is ./x.js, and python3 DIRECTORY what is in it. */
		if (p->starts == SH_STARTS_CODE && add_module(f, c->words[i].text, false))
			return;
		if (directory(f, c->words[i].text))
			give_up(f, "it runs a directory");
		add_program(f, c->words[i].text);
	} else if (code && (p->starts == SH_STARTS_CODE || p->starts == SH_STARTS_SHELL) &&
		   !str_ends(str_from(p->name), STR("awk")))
		look_at_input(f, s, at);
}

static void look_at_text(struct finder *f, struct str text)
{
	const struct sh_values values = { variable, output_of, f, true };
	AUTO(sh_calls_done) struct sh_calls s = { .arena = f->a, .values = &values, .track = true };

	if (f->depth >= DEPTH_MAX) {
		give_up(f, "it is nested too deeply");
		return;
	}
	f->depth++;
	sh_calls_read(&s, text);
	if (s.script.dubious)
		give_up(f, "shells may read it differently");
	for (size_t i = 0; i < s.n; i++)
		look_at_call(f, &s, i);
	f->depth--;
}

/* ---- files ---- */

/* import a.b, from .a import b; of perl use A::B */
static void look_at_import(struct finder *f, struct str line)
{
	struct str rest, word;

	if (str_starts(line, STR("use "))) {
		size_t n = 4;

		while (n < line.n && (char_is_word(line.p[n]) || line.p[n] == ':'))
			n++;
		char *name = arena_z(f->a, str_sub(line, 4, n));
		for (char *p; (p = strstr(name, "::"));)
			memmove(p + 1, p + 2, strlen(p + 2) + 1), *p = '/';
		(void)add_module(f, str_from(name), false);
	}
	if (!str_starts(line, STR("import ")) && !str_starts(line, STR("from ")))
		return;
	rest = str_sub(line, str_starts(line, STR("from ")) ? 5 : 7, line.n);
	while (str_split(&rest, ',', &word)) {
		size_t n = 0;

		word = str_trim(word);
		while (word.n && word.p[0] == '.')
			word = str_sub(word, 1, word.n);
		while (n < word.n && (char_is_word(word.p[n]) || word.p[n] == '.'))
			n++;
		ptrdiff_t dot = str_chr(str_sub(word, 0, n), '.', 0);
		if (n)
			(void)add_module(f, str_sub(word, 0, n), true);
		if (dot > 0)
			(void)add_module(f, str_sub(word, 0, (size_t)dot), false);
		if (n)
			add_package(f, str_sub(word, 0, dot > 0 ? (size_t)dot : n));
		else if (f->file && f->wide) /* from . import x */
			add_package(f, STR("."));
		if (str_starts(line, STR("from ")))
			break;
	}
}

/* A text in quotes behind s[*i], which is put behind it. */
static bool next_quoted(struct str s, size_t *i, struct str *ret)
{
	for (; *i < s.n; (*i)++) {
		ptrdiff_t end = s.p[*i] == '"' || s.p[*i] == '\'' ? str_chr(s, s.p[*i], *i + 1) : 0;

		if (end < 0)
			return false;
		if (end == 0)
			continue;
		*ret = str_sub(s, *i + 1, (size_t)end);
		*i = (size_t)end + 1;
		return true;
	}
	return false;
}

/* What a line of code loads.  Data do not run, but a guard may decide by them. */
static void look_at_quoted(struct finder *f, struct str line)
{
	struct str name;

	for (size_t i = 0; next_quoted(line, &i, &name);) {
		struct finder in = *f;
		ptrdiff_t dot = str_chr(sh_file_name(name), '.', 1);

		in.use = is_data_name(name) ? READS : dot < 0 ? NAMES : RUNS;
		if (in.use == READS && (!f->wide || f->hook->watch))
			continue;
		(void)add_module(&in, name, false);
		look_for_package(f, name);
	}
}

/* A line of code that writes the files in it: open("x", "w"), Path("x").write_text(y). */
static void look_at_written(struct finder *f, struct str line)
{
	static const char *const writes[] = { "write_text(", "write_bytes(", "writeFile",
					      "appendFile",  "WriteStream(", "File.write(",
					      "unlink(",     "touch(" };
	static const char *const modes[] = { "w",  "a",  "wb", "ab", "w+", "a+",
					     "wt", "at", "x",  "r+", NULL };
	bool opens = TEXT_HAS(line, writes);
	struct str name;

	for (size_t i = 0; !opens && next_quoted(line, &i, &name);)
		opens = sh_is_among(name, modes) && str_find(line, STR("open("), 0) >= 0;
	for (size_t i = 0; opens && next_quoted(line, &i, &name);)
		if (name.n && name.n < 4096 && !memchr(name.p, '\0', name.n))
			add_written(f, name);
}

/* os.system("sh ./x"), `./x now` */
static void look_at_commands(struct finder *f, struct str line)
{
	for (size_t i = 0; i < line.n; i++) {
		ptrdiff_t end;

		if (!strchr("\"'`", line.p[i]) || !line.p[i])
			continue;
		end = str_chr(line, line.p[i], i + 1);
		if (end < 0)
			return;
		struct str text = str_sub(line, i + 1, (size_t)end), rest = text, word;
		if (str_split(&rest, ' ', &word) && rest.n &&
		    (sh_program_find(word) || str_chr(word, '/', 0) >= 0))
			look_at_text(f, text);
		i = (size_t)end;
	}
}

/* python3 -c 'import x', node -e 'require("./x")' */
static void look_at_code(struct finder *f, struct str code)
{
	struct str line, part;

	while (str_split(&code, '\n', &line)) {
		look_at_quoted(f, line);
		look_at_commands(f, line);
		while (str_split(&line, ';', &part))
			look_at_import(f, str_trim(part));
	}
}

static bool is_shell_script(struct str text, struct str name)
{
	static const char *const ends[] = { ".sh", ".bash", ".zsh", ".ksh", ".bats" };
	ptrdiff_t eol = str_chr(text, '\n', 0);
	struct str first = str_sub(text, 0, eol < 0 ? text.n : (size_t)eol);

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(name, str_from(ends[i])))
			return true;
	return str_starts(first, STR("#!")) ? str_find(first, STR("sh"), 0) > 0
					    : str_chr(name, '.', 0) < 0;
}

static bool is_build_file(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(builders); i++)
		for (size_t k = 0; k < 4 && builders[i].files[k]; k++)
			if (str_eqz(name, builders[i].files[k]))
				return true;
	return false;
}

/*
 * sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib")): where python looks for modules
 * from here on.  The directories above the file's are taken along: how often dirname() is called is
 * not counted.  `use lib "lib"` is perl's.
 */
static void look_at_sys_path(struct finder *f, struct str line)
{
	enum { ABOVE = 2 };
	const char *dir = f->bases[f->nbases - 1];

	if (str_find(line, STR("sys.path"), 0) < 0 && !str_starts(line, STR("use lib")))
		return;
	for (size_t i = 0; i < line.n && f->nbases < BASES_MAX; i++) {
		ptrdiff_t end = line.p[i] == '"' || line.p[i] == '\''
					? str_chr(line, line.p[i], i + 1)
					: -1;
		struct str text = end < 0 ? STR("") : str_sub(line, i + 1, (size_t)end);
		const char *named = end < 0 ? NULL : directory(f, text);

		if (!named && str_starts(text, STR("/"))) /* HERE + "/lib" */
			named = directory(f, str_sub(text, 1, text.n));

		if (named && strcmp(named, dir) != 0) {
			f->bases[f->nbases++] = named;
			add_modules(f, named);
		}
		i = end < 0 ? i : (size_t)end;
	}
	for (size_t i = 0; i < ABOVE && dir[1] && f->nbases < BASES_MAX; i++) {
		AUTO(free) char *above = path_parent(dir);

		dir = f->bases[f->nbases++] = arena_z(f->a, str_from(above));
	}
}

/* #!/usr/bin/env -S python3 -X dev: what starts the file, when it is started by itself. */
static void look_at_interpreter(struct finder *f, struct str text)
{
	ptrdiff_t eol = str_chr(text, '\n', 0);
	struct str line = str_trim(str_sub(text, 2, eol < 0 ? text.n : (size_t)eol));
	ptrdiff_t split = str_find(line, STR("env -S "), 0);

	if (split >= 0) /* which words these are is told as well without it */
		line = arena_printf(f->a, "env %.*s", (int)(line.n - (size_t)split - 7),
				    line.p + split + 7);
	look_at_text(f, arena_printf(f->a, "%.*s '%s'", STR_ARG(line), f->file));
}

/* What the file names in its turn; its directory is one more place to look in. */
static void look_at_file(struct finder *f, const char *path)
{
	/* Behind these words languages name a file that they load. */
	static const char *const loads[] = { "require", "import", "from", "include",
					     "load",    "do",     "use" };
	AUTO(buf_done) struct buf bytes = { 0 };
	AUTO(free) char *dir = path_parent(path);
	struct str name = sh_file_name(str_from(path)), text, line;
	struct finder in = *f;

	if (f->depth >= DEPTH_MAX || fs_read(path, SCRIPT_TEXT_MAX, &bytes, NULL) < 0 ||
	    (bytes.n && memchr(bytes.p, '\0', bytes.n)))
		return;
	text = arena_str(f->a, buf_str(&bytes));
	in.file = path;
	in.use = RUNS;
	in.depth++;
	if (in.nbases == BASES_MAX)
		in.nbases--;
	in.bases[in.nbases++] = arena_z(f->a, str_from(dir));
	if (str_starts(text, STR("#!")))
		look_at_interpreter(&in, text);
	if (is_build_file(name)) {
		/*
		 * Makefiles and their kin: any word that is a file with a directory, or begins a
		 * recipe.
		 */
		for (size_t i = 0, from = 0; i <= text.n; i++) {
			if (i < text.n && (char_is_word(text.p[i]) || strchr("./-+@", text.p[i])))
				continue;
			struct str w = str_sub(text, from, i);
			while (w.n && strchr("@-+", w.p[0]))
				w = str_sub(w, 1, w.n);
			if (str_chr(w, '.', 0) >= 0 || str_chr(w, '/', 0) >= 0)
				(void)add_word(&in, w);
			from = i + 1;
		}
	} else if (is_shell_script(text, name)) {
		look_at_text(&in, text);
	} else {
		while (str_split(&text, '\n', &line)) {
			line = str_trim(line);
			look_at_written(&in, line);
			look_at_sys_path(&in, line);
			if (!TEXT_HAS(line, loads))
				continue;
			look_at_import(&in, line);
			look_at_quoted(&in, line);
		}
	}
}

/* ---- "watch" ---- */

static void watch_dir(struct finder *f, const char *pattern, const char *dir, size_t *left)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (*left == 0 || fs_list(dir, &names, NULL) < 0)
		return;
	(*left)--;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (fs_is_dir(path)) {
			if (strcmp(names.p[i], ".git") != 0)
				watch_dir(f, pattern, path, left);
		} else if (fnmatch(pattern, path, 0) == 0) {
			add(f, path, SCRIPT_FILE);
		}
	}
}

/* A path, or a pattern in which * covers slashes, too. */
static void watch(struct finder *f, const char *pattern)
{
	AUTO(free) char *path = fs_absolute(f->h->dirs.project, pattern);
	size_t left = WATCH_DIRS_MAX, n = strcspn(path, "*?[");

	if (!path[n] && !fs_is_dir(path)) {
		add(f, path, fs_exists(path) ? SCRIPT_FILE : SCRIPT_ABSENT);
		return;
	}
	AUTO(free) char *all = path[n] ? xstrdup(path) : fs_join(path, "*");
	while (n > 0 && path[n - 1] != '/')
		n--;
	AUTO(free) char *dir =
		path[strcspn(path, "*?[")] ? xstrndup(path, max_size(n, 1)) : xstrdup(path);
	watch_dir(f, all, dir, &left);
	if (!left)
		f->out->unwatched = "\"watch\" names too many directories";
}

void scripts_find(struct tl_hooks *h, const struct hook *hook, struct script_paths *ret)
{
	struct finder f = { .h = h,
			    .a = &h->arena,
			    .hook = hook,
			    .wide = hook->guard || hook->stamps_only,
			    .out = ret };
	size_t n = 0;

	struct str written[WRITTEN_MAX];
	size_t nwritten = 0, kept = 0;

	f.written = written;
	f.nwritten = &nwritten;
	ret->n = 0;
	ret->unwatched = NULL;
	f.bases[f.nbases++] = h->dirs.project;
	if (strcmp(h->dirs.cwd, h->dirs.project) != 0)
		f.bases[f.nbases++] = h->dirs.cwd;
	struct str command = STR("");
	vars_fill(&f.vars, f.a, h, hook->dialect, h->dirs.cwd, "");
	if (!hook->args)
		command = command_for_shell(f.a, str_from(hook->command), &f.vars, hook);
	f.vars.v[f.vars.n++] = (struct env_pair){ "PWD", h->dirs.cwd };
	f.env = h->dirs.env;
	for (size_t i = 0; i < hook->nenv; i++)
		look_at_variable(&f, str_from(hook->env[i].name), str_from(hook->env[i].value),
				 true);
	if (!hook->args) {
		look_at_text(&f, command);
	} else {
		AUTO(sh_calls_done) struct sh_calls s = { .arena = f.a };

		while (hook->args[n])
			n++;
		struct sh_arg *words = ARENA_ARRAY(f.a, struct sh_arg, n + 1);
		for (size_t i = 0; i <= n; i++)
			words[i].text = command_argument(f.a, &f.vars, hook,
							 i ? hook->args[i - 1] : hook->command);
		sh_calls_program(&s, words, n + 1);
		for (size_t i = 0; i < s.n; i++)
			look_at_call(&f, &s, i);
	}
	/* Whoever names the files says that these are all, unless they are too many. */
	if (hook->watch && ret->n < SCRIPTS_MAX)
		ret->unwatched = NULL;
	for (size_t i = 0; hook->watch && hook->watch[i]; i++)
		watch(&f, hook->watch[i]);
	for (size_t i = 0; i < ret->n; i++) {
		bool own = false;

		for (size_t k = 0; ret->p[i].notes && k < nwritten && !own; k++)
			own = str_eqz(written[k], ret->p[i].path);
		if (!own)
			ret->p[kept++] = ret->p[i];
	}
	ret->n = kept;
}
