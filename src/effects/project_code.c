/* What code loads by names, and texts of languages that have no reader of their own. */
#include "effects/project.h"

#include "base/words.h"

/* ---- modules ---- */

/* Words before a quoted name of a file; the ends that are tried. */
static const struct loader {
	enum code_language lang;
	const char *words, *ends;
	bool plain; /* names without a "./" are files, too */
} loaders[] = {
	{ CODE_JAVASCRIPT, "require from import",
	  "{} {}.js {}.mjs {}.cjs {}.ts {}/index.js {}/index.ts" },
	{ CODE_PYTHON, "run_path execfile open spec_from_file_location", "{}", true },
	{ CODE_PYTHON, "__import__ import_module run_module", "{}.py {}/__init__.py", true },
	{ CODE_RUBY, "require_relative load", "{} {}.rb", true },
	{ CODE_RUBY, "require", "{} {}.rb" },
	{ CODE_PERL, "do require", "{}", true },
	{ CODE_PHP, "include include_once require require_once", "{}", true },
	{ CODE_LUA, "dofile loadfile", "{}", true },
	{ CODE_LUA, "require", "{}.lua", true },
};

static void load_as(struct run *r, const struct call *c, enum code_language lang, struct str name,
		    const char *ends)
{
	struct str end, dir = r->e->state->dir;
	struct str base = name.p[0] == '/' || !dir.n
				  ? name
				  : arena_printf(r->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name));

	for (struct str rest = str_from(ends); str_split(&rest, ' ', &end);)
		if (project_load(r, c, lang,
				 arena_printf(r->a, "%.*s%.*s", STR_ARG(base),
					      STR_ARG(str_sub(end, 2, end.n)))))
			return;
}

/* The word in front of a quote, with nothing but blanks and a bracket between. */
static struct str word_before(struct str code, size_t at)
{
	size_t end = at, from;

	while (end && strchr(" (", code.p[end - 1]))
		end--;
	for (from = end; from && char_is_word(code.p[from - 1]);)
		from--;
	return str_sub(code, from, end);
}

static void load_quoted(struct run *r, const struct call *c, enum code_language lang,
			struct str code)
{
	for (size_t i = 0; i < code.n; i++) {
		ptrdiff_t end;
		struct str word, name;

		if (!strchr("'\"", code.p[i]) || !(word = word_before(code, i)).n)
			continue;
		end = str_chr(code, code.p[i], i + 1);
		name = str_sub(code, i + 1, end < 0 ? i + 1 : (size_t)end);
		for (size_t k = 0; name.n && name.n < 200 && k < ARRAY_LEN(loaders); k++)
			if (loaders[k].lang == lang && word_in_text(word, loaders[k].words) &&
			    (loaders[k].plain || strchr("./", name.p[0])) &&
			    (!str_eqz(word, "open") || str_ends(name, STR(".py"))))
				load_as(r, c, lang, name, loaders[k].ends);
	}
}

/* import a.b, c as d; from .a import b */
static void load_imported(struct run *r, const struct call *c, struct str line)
{
	struct str one, part;
	bool from = str_starts(line, STR("from "));

	line = str_trim(str_sub(line, from ? 5 : 7, line.n));
	while (str_split(&line, ',', &one)) {
		char *p;

		one = str_trim(one);
		if (!str_split(&one, ' ', &part) || !part.n)
			return;
		while (str_starts(part, STR(".")))
			part = str_sub(part, 1, part.n);
		p = arena_z(r->a, part);
		for (size_t i = 0; i < part.n; i++)
			p[i] = p[i] == '.' ? '/' : p[i];
		if (part.n)
			load_as(r, c, CODE_PYTHON, (struct str){ p, part.n },
				"{}.py {}/__init__.py");
		if (from)
			return;
	}
}

/* \i file, .read file, source file: as if it were typed. */
static void run_included(struct run *r, const struct call *c, struct str line)
{
	static const char *const words[] = { "\\i ", "\\ir ", ".read ", "source ", "\\. ", "@" };
	struct str text;

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct str path = str_starts(line, str_from(words[i]))
					  ? str_trim(str_sub(line, strlen(words[i]), line.n))
					  : STR("");

		path.n -= str_ends(path, STR(";"));
		if (path.n > 1 && strchr("'\"", path.p[0]))
			path = str_sub(path, 1, path.n - 1);
		if (path.n && file_read(r, path, &text) && project_is_new(r, path))
			call_code(r, c, CODE_SQL, text);
	}
}

void project_imports(struct run *r, const struct call *c, enum code_language lang, struct str code)
{
	struct str line;

	if (!r->e->world->read && !r->e->state->files)
		return;
	if (lang == CODE_PYTHON || lang == CODE_SQL)
		for (struct str rest = code; rest.p && str_split(&rest, '\n', &line);) {
			struct str part;

			for (line = str_trim(line); str_split(&line, ';', &part);) {
				part = str_trim(part);
				if (lang == CODE_SQL)
					run_included(r, c, part);
				else if (str_starts(part, STR("import ")) ||
					 str_starts(part, STR("from ")))
					load_imported(r, c, part);
			}
		}
	load_quoted(r, c, lang, code);
}

/* ---- languages without a reader: the texts that a call is given ---- */

static const char starters[] =
	"run Command CommandContext command exec Exec system popen spawn Popen call commandLine "
	"execute ProcessBuilder sh shell execl execlp execle execv execvp execve script";
static const char removers[] =
	"RemoveAll remove_dir_all remove_all deleteDirectory deleteRecursively "
	"remove_file Remove unlink rmdir deleteDir";

/* Up to the end of what follows a name: its brackets, and the calls that are chained to it. */
static size_t call_end(struct str code, size_t i)
{
	size_t depth = 0;

	for (; i < code.n; i++) {
		char ch = code.p[i];

		if (ch == '"' || ch == '`') {
			for (i++; i < code.n && code.p[i] != ch; i++)
				i += ch == '"' && code.p[i] == '\\';
			continue;
		}
		if (strchr("([{", ch))
			depth++;
		else if (strchr(")]}", ch) && depth-- == 0)
			return i;
		else if (!depth && ch == ';')
			return i;
		else if (!depth && ch == '\n') {
			size_t next = i;

			while (next < code.n && strchr(" \t\r\n", code.p[next]))
				next++;
			if (next >= code.n || code.p[next] != '.')
				return i;
		}
	}
	return code.n;
}

static void run_literals(struct run *r, const struct call *c, struct str name, struct str inside)
{
	struct fields words = { 0 };

	for (size_t i = 0; i < inside.n; i++) {
		size_t from = i + 1;

		if (!strchr("\"`'", inside.p[i]))
			continue;
		for (i++; i < inside.n && inside.p[i] != inside.p[from - 1]; i++)
			i += inside.p[i] == '\\';
		field_add(r, &words, str_sub(inside, from, min_size(i, inside.n)));
	}
	if (!words.n || !words.p[0].n)
		return;
	if (word_in_text(name, removers))
		for (size_t i = 0; i < words.n; i++)
			call_path(r, c,
				  (struct effect){
					  .kind = EFFECT_DELETE, .recursive = true, .maybe = true },
				  words.p[i]);
	else if (words.n == 1)
		call_shell(r, c, words.p[0]);
	else
		run_call(r, words.p, words.n);
}

void project_literals(struct run *r, const struct call *c, struct str code)
{
	static const char generate[] = "//go:generate ";

	for (size_t i = 0; i < code.n && run_spend(r, 1);) {
		struct str rest = str_sub(code, i, code.n), name;
		size_t from = i;
		ptrdiff_t end;

		if (str_starts(rest, STR("/*"))) {
			end = str_find(code, STR("*/"), i);
			i = end < 0 ? code.n : (size_t)end + 2;
		} else if (str_starts(rest, STR("//"))) {
			end = str_chr(code, '\n', i);
			i = end < 0 ? code.n : (size_t)end;
			if (str_starts(rest, str_from(generate)) && str_eqz(c->words[0], "go") &&
			    c->n > 1 && str_eqz(c->words[1], "generate"))
				call_shell(r, c, str_sub(code, from + sizeof generate - 1, i));
		} else if (strchr("\"`", code.p[i])) {
			for (i++; i < code.n && code.p[i] != code.p[from]; i++)
				i += code.p[i] == '\\';
			i++;
		} else if (!char_is_word(code.p[i])) {
			i++;
		} else {
			while (i < code.n && char_is_word(code.p[i]))
				i++;
			name = str_sub(code, from, i);
			/* Command::new(...), exec.Command(...), commandLine "rm" */
			if (!word_in_text(name, starters) && !word_in_text(name, removers))
				continue;
			run_literals(r, c, name, str_sub(code, i, call_end(code, i)));
		}
	}
}
