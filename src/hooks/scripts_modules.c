/* Modules and packages: what an import by a literal name loads, and what would take its place. */
#include "base/path.h"
#include "hooks/scripts_impl.h"
#include "os/fs.h"
#include "shell/calls.h"

/* A directory as node takes it: the "main" of its package.json. */
static bool add_main(struct finder *f, struct str dir)
{
	struct str package = arena_printf(f->a, "%.*s/package.json", STR_ARG(dir));

	for (size_t i = 0; dir.n && i < f->nbases; i++) {
		AUTO(free) char *path = fs_absolute(f->bases[i], package.p);
		AUTO(buf_done) struct buf bytes = { 0 };
		const struct json *v;

		if (!finder_counts(f, path) || fs_read(path, SCRIPT_TEXT_MAX, &bytes, NULL) < 0)
			continue;
		(void)finder_add_word(f, package);
		if (json_parse(f->a, arena_str(f->a, buf_str(&bytes)), 0, &v, NULL) < 0)
			continue;
		struct str name = json_get_str(v, "main");
		return name.n &&
		       finder_add_module(
			       f, arena_printf(f->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)),
			       false);
	}
	return false;
}

bool finder_add_module(struct finder *f, struct str name, bool dotted)
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

		found |= finder_add_word(f, candidate);
		/* A new ./x, ./x.js, ... would be taken for what "./x" means today. */
		if (f->wide && f->nbases && !dotted && str_starts(name, STR(".")))
			finder_add_absent(f, f->bases[f->nbases - 1], candidate.p);
	}
	if (!dotted)
		found |= add_main(f, name);
	return found;
}

/*
 * Python looks for modules in this directory before its own library: a new json.py here is what
 * "import json" means.  A directory that becomes a package is one, too.
 */
static void finder_add_modules(struct finder *f, const char *dir)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (!f->wide || !finder_counts(f, dir) || fs_list(dir, &names, NULL) < 0)
		return;
	finder_add(f, dir, SCRIPT_MODULES);
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (sh_is_name(str_from(names.p[i])) && fs_is_dir(path))
			finder_add(f, path, SCRIPT_PACKAGE);
	}
}

void finder_add_package_dir(struct finder *f, const char *dir, size_t *left)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (*left == 0 || !finder_counts(f, dir) || fs_list(dir, &names, NULL) < 0) {
		if (!*left)
			f->out->unwatched = "it imports a package with too many directories";
		return;
	}
	(*left)--;
	finder_add_modules(f, dir);
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		/* There has to be room for what the command itself names. */
		if (f->out->n >= SCRIPTS_MAX / 2) {
			f->out->unwatched = "it can import too many files";
			return;
		}
		if (str_ends(str_from(names.p[i]), STR(".py")))
			finder_add(f, path, SCRIPT_FILE);
		else if (sh_is_name(str_from(names.p[i])) &&
			 strcmp(names.p[i], "__pycache__") != 0 && fs_is_dir(path))
			finder_add_package_dir(f, path, left);
	}
}

/* In any directory; "." is that of the file. */
static void add_package(struct finder *f, struct str name)
{
	size_t left = PACKAGE_DIRS_MAX;

	for (size_t i = name.p[0] == '.' ? f->nbases - 1 : 0; f->wide && i < f->nbases; i++) {
		AUTO(free) char *dir = fs_absolute(f->bases[i], arena_z(f->a, name));

		if (fs_is_dir(dir))
			finder_add_package_dir(f, dir, &left);
	}
}

void look_at_package(struct finder *f, struct str name)
{
	if (!f->wide || !f->file || !name.n || name.p[0] == '.' || name.p[0] == '/')
		return;
	for (AUTO(free) char *dir = path_parent(f->file); dir[1];) {
		AUTO(free) char *package =
			fs_join(dir, arena_printf(f->a, "node_modules/%.*s", STR_ARG(name)).p);
		char *parent = path_parent(dir);

		if (fs_is_dir(package) && finder_counts(f, package))
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

void look_at_imports(struct finder *f, const struct sh_call *c, struct str script)
{
	if (!f->wide || !imports_from_there(c))
		return;
	for (size_t i = 0; i < f->nbases; i++) {
		AUTO(free) char *path = fs_absolute(f->bases[i], arena_z(f->a, script));
		AUTO(free) char *real = fs_real(path);
		AUTO(free) char *dir = real && script.n ? path_parent(real) : NULL;

		if (!script.n)
			finder_add_modules(f, f->bases[i]);
		else if (dir && !fs_is_dir(real))
			finder_add_modules(f, dir);
	}
}

void look_at_import(struct finder *f, struct str line)
{
	struct str rest, word;

	if (str_starts(line, STR("use "))) {
		size_t n = 4;

		while (n < line.n && (char_is_word(line.p[n]) || line.p[n] == ':'))
			n++;
		char *name = arena_z(f->a, str_sub(line, 4, n));
		for (char *p; (p = strstr(name, "::"));)
			memmove(p + 1, p + 2, strlen(p + 2) + 1), *p = '/';
		(void)finder_add_module(f, str_from(name), false);
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
			(void)finder_add_module(f, str_sub(word, 0, n), true);
		if (dot > 0)
			(void)finder_add_module(f, str_sub(word, 0, (size_t)dot), false);
		if (n)
			add_package(f, str_sub(word, 0, dot > 0 ? (size_t)dot : n));
		else if (f->file && f->wide) /* from . import x */
			add_package(f, STR("."));
		if (str_starts(line, STR("from ")))
			break;
	}
}

void look_at_sys_path(struct finder *f, struct str line)
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
		const char *named = end < 0 ? NULL : finder_directory(f, text);

		if (!named && str_starts(text, STR("/"))) /* HERE + "/lib" */
			named = finder_directory(f, str_sub(text, 1, text.n));

		if (named && strcmp(named, dir) != 0) {
			f->bases[f->nbases++] = named;
			finder_add_modules(f, named);
		}
		i = end < 0 ? i : (size_t)end;
	}
	for (size_t i = 0; i < ABOVE && dir[1] && f->nbases < BASES_MAX; i++) {
		AUTO(free) char *above = path_parent(dir);

		dir = f->bases[f->nbases++] = arena_z(f->a, str_from(above));
	}
}
