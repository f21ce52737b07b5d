/* Which files count, and what the text of one names in its turn. */
#include <unistd.h>

#include "base/path.h"
#include "base/words.h"
#include "hooks/scripts_impl.h"
#include "os/fs.h"
#include "shell/calls.h"

void finder_give_up(struct finder *f, const char *why)
{
	if (!f->file && !f->out->unwatched)
		f->out->unwatched = why;
}

bool finder_of_project(const struct finder *f, const char *path)
{
	return path_below(f->h->dirs.project, path) || fs_is_in(f->h->dirs.project, path);
}

bool finder_counts(const struct finder *f, const char *path)
{
	static const char *const systems[] = { "/usr", "/bin", "/sbin",      "/lib",  "/lib64",
					       "/dev", "/sys", "/nix/store", "/proc", "/etc" };

	if (finder_of_project(f, path) || !f->wide)
		return finder_of_project(f, path);
	for (size_t i = 0; i < ARRAY_LEN(systems); i++)
		if (path_below(systems[i], path))
			return geteuid() != 0 && i < 5 && access(path, W_OK) == 0;
	return true;
}

void finder_add(struct finder *f, const char *path, enum script_kind kind)
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

bool finder_add_word(struct finder *f, struct str word)
{
	bool found = false;

	if (!word.n || word.n > 4096)
		return false;
	for (size_t i = 0; i < f->nbases; i++) {
		AUTO(free) char *path = fs_absolute(f->bases[i], arena_z(f->a, word));

		if (!fs_exists(path) || fs_is_dir(path) || !finder_counts(f, path))
			continue;
		finder_add(f, path, SCRIPT_FILE);
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

	return TEXT_ENDS(word, ends);
}

void finder_add_data(struct finder *f, struct str word)
{
	struct finder in = *f;

	in.use = READS;
	if (f->wide && !f->hook->watch)
		(void)finder_add_word(&in, word);
}

void finder_add_argument(struct finder *f, struct str word)
{
	struct finder in = *f;

	in.use = NAMES;
	if (f->file && is_data_name(word))
		finder_add_data(f, word);
	else
		(void)finder_add_word(&in, word);
}

void finder_add_written(struct finder *f, struct str word)
{
	for (size_t k = 0; k < f->nbases && *f->nwritten < WRITTEN_MAX; k++) {
		AUTO(free) char *path = fs_absolute(f->bases[k], arena_z(f->a, word));

		f->written[(*f->nwritten)++] = str_from(arena_z(f->a, str_from(path)));
	}
}

void finder_add_absent(struct finder *f, const char *base, const char *name)
{
	AUTO(free) char *path = fs_absolute(base, name);

	if (!fs_exists(path) && finder_counts(f, path))
		finder_add(f, path, SCRIPT_ABSENT);
}

void finder_add_program(struct finder *f, struct str word)
{
	if (f->moved && word.p[0] != '/') {
		finder_give_up(f, "it goes to a directory that is not known before it runs");
		if (!f->file || !f->wide)
			return;
	}
	if (finder_add_word(f, word) || (f->file && (!f->wide || word.p[0] == '/')))
		return;
	for (size_t i = 0; i < f->nbases; i++)
		finder_add_absent(f, f->bases[i], arena_z(f->a, word));
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
		(void)finder_add_module(&in, name, false);
		look_at_package(f, name);
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
			finder_add_written(f, name);
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

void look_at_code(struct finder *f, struct str code)
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

	if (TEXT_ENDS(name, ends))
		return true;
	return str_starts(first, STR("#!")) ? str_find(first, STR("sh"), 0) > 0
					    : str_chr(name, '.', 0) < 0;
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

void look_at_file(struct finder *f, const char *path)
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
				(void)finder_add_word(&in, w);
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
