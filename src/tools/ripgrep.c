/* The files are named one by one, so ripgrep's own ignore rules, which are not ours, do not count.
 */
#include "tools/ripgrep.h"

#include "base/env.h"
#include "base/vec.h"
#include "os/fs.h"
#include "os/proc.h"

enum { BATCH_FILES = 4000, BATCH_BYTES = 256 << 10, TIMEOUT_MS = 30000 };

/* ---- the pattern ---- */

struct translation {
	struct str js;
	size_t i;
	bool in_class;
	struct buf *out;
};

/* What a backslash and c mean in JavaScript, said in the other dialect; its \w knows all scripts.
 */
static const struct escape {
	char c;
	const char *outside, *inside; /* NULL = cannot be said */
} escapes[] = {
	{ 'B', NULL, NULL },        { 'D', "[^0-9]", NULL },
	{ 'S', "\\S", "\\S" },      { 'W', "[^0-9A-Za-z_]", NULL },
	{ 'b', "(?-u:\\b)", NULL }, { 'd', "[0-9]", "0-9" },
	{ 'f', "\\f", "\\f" },      { 'r', "\\r", "\\r" },
	{ 's', "\\s", "\\s" },      { 't', "\\t", "\\t" },
	{ 'v', "\\v", "\\v" },      { 'w', "[0-9A-Za-z_]", "0-9A-Za-z_" },
};

static bool add_char(struct translation *t)
{
	struct str rest = str_sub(t->js, t->i, t->js.n);
	char c = rest.p[0];

	t->i++;
	if (c == '\\') {
		if (rest.n < 2)
			return false;
		t->i++;
		for (size_t k = 0; k < ARRAY_LEN(escapes); k++) {
			const char *text = t->in_class ? escapes[k].inside : escapes[k].outside;

			if (escapes[k].c != rest.p[1])
				continue;
			buf_addz(t->out, text ? text : "");
			return text;
		}
		if (char_is_word(rest.p[1]) || (rest.p[1] & 0x80))
			return false; /* back references, \u, \x, \c, \k, \p, and letters that mean
					 themselves */
		buf_addf(t->out, "\\x%02x", (unsigned)rest.p[1]);
		return true;
	}
	if ((unsigned char)c >= 0xf0 || c == '\n' || c == '\0')
		return false; /* two UTF-16 units; a line has no newline */
	if (t->in_class) {
		if (str_starts(rest, STR("--")) || str_starts(rest, STR("&&")) ||
		    str_starts(rest, STR("~~")))
			return false;
		t->in_class = c != ']';
		buf_adds(t->out, c == '[' ? STR("\\[") : str_sub(rest, 0, 1));
		return true;
	}
	if (str_starts(rest, STR("[]")) || str_starts(rest, STR("[^]")))
		return false;
	if (str_starts(rest, STR("(?")) && !str_starts(rest, STR("(?:")))
		return false;
	t->in_class = c == '[';
	buf_addc(t->out, c);
	return true;
}

/* ---- the program ---- */

void ripgrep_init(struct ripgrep *rg, const char *const *env, const char *dir, struct str pattern,
		  bool icase)
{
	struct translation t = { .js = pattern, .out = &rg->pattern };
	bool good = pattern.n > 0;

	*rg = (struct ripgrep){ .env = env, .dir = dir, .icase = icase };
	while (good && t.i < pattern.n)
		good = add_char(&t);
	if (good)
		(void)fs_find_program("rg", env_get(env, "PATH"), &rg->program);
}

void ripgrep_done(struct ripgrep *rg)
{
	free(rg->program);
	buf_done(&rg->pattern);
}

size_t ripgrep_batch(char *const *names, size_t n)
{
	size_t bytes = 0, k = 0;

	while (k < n && k < BATCH_FILES && bytes < BATCH_BYTES)
		bytes += strlen(names[k++]) + 3 + sizeof(char *);
	return k;
}

static int by_name(const void *a, const void *b, void *names)
{
	char *const *all = names;

	return strcmp(all[*(const size_t *)a], all[*(const size_t *)b]);
}

static void read_answer(struct ripgrep *rg, const struct proc_result *p, char *const *names,
			size_t n, bool *maybe)
{
	AUTO(free) size_t *order = xmalloc((n + 1) * sizeof *order);

	/* A pattern that it refuses, a file that it cannot read: all of them may match. */
	if (p->end != PROC_EXITED || p->code > 1) {
		free(rg->program);
		rg->program = NULL;
		return;
	}
	for (size_t i = 0; i < n; i++) {
		order[i] = i;
		maybe[i] = false;
	}
	qsort_r(order, n, sizeof *order, by_name, (void *)names);
	for (struct str rest = buf_str(&p->out), name; str_split(&rest, '\0', &name);) {
		size_t low = 0, high = n;

		name = str_sub(name, 2, name.n); /* "./" */
		while (low < high) {
			size_t mid = (low + high) / 2;

			if (str_cmp(str_from(names[order[mid]]), name) < 0)
				low = mid + 1;
			else
				high = mid;
		}
		if (low < n && str_eqz(name, names[order[low]]))
			maybe[order[low]] = true;
	}
}

void ripgrep_sieve(struct ripgrep *rg, char *const *names, size_t n, bool *maybe,
		   struct cancel *cancel)
{
	const char *icase = rg->icase ? "--ignore-case" : "--case-sensitive";
	const char *const fixed[] = {
		/* What is searched, and how, are our decisions, not those of its settings. */
		"rg",
		"--no-config",
		"--text",
		"--crlf",
		"--no-messages",
		"--color=never",
		"--files-with-matches",
		"--null",
		icase,
		"-e",
		buf_z(&rg->pattern),
		"--",
	};
	AUTO(free) const char **argv = xcalloc(ARRAY_LEN(fixed) + n + 1, sizeof *argv);
	AUTO(buf_done) struct buf paths = { 0 };
	AUTO(proc_done) struct proc p;
	size_t at = 0;

	for (size_t i = 0; i < n; i++)
		buf_addf(&paths, "./%s%c", names[i], 0);
	memcpy(argv, fixed, sizeof fixed);
	for (size_t i = 0; i < n; i++, at += strlen(paths.p + at) + 1)
		argv[ARRAY_LEN(fixed) + i] = paths.p + at;
	(void)proc_run(&p,
		       &(struct proc_spec){ .file = rg->program,
					    .argv = argv,
					    .envp = rg->env,
					    .cwd = rg->dir,
					    .timeout_ms = TIMEOUT_MS },
		       cancel, NULL);
	read_answer(rg, &p.result, names, n, maybe);
}
