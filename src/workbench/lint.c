/* trotline hooks lint: everything that is wrong or suspicious in the configuration. */
#include <stdarg.h>
#include <unistd.h>

#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"
#include "settings/read.h"
#include "workbench/commands.h"
#include "workbench/lint.h"

struct lint_args {
	struct load_args load;
	const char *dialect;
	bool strict;
};

static const struct opt opts[] = {
	{ "strict", 's', NULL, OPT_FLAG, offsetof(struct lint_args, strict),
	  "exit with 1 for warnings, too" },
	{ "dialect", 'd', "NAME", OPT_STR, offsetof(struct lint_args, dialect),
	  "what the given files are written in: gemini, tabnine, terminai, jpfork, claude" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct lint_args, load.dir),
	  "check the project of this directory instead of the current one" },
	{ "no-project-hooks", 0, NULL, OPT_FLAG, offsetof(struct lint_args, load.no_project),
	  "leave the project's hooks out" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct lint_args, load.json), "print JSON" },
};
const struct opt_set lint_opts = OPT_SET(opts, struct lint_args);

/* ---- findings ---- */

static size_t file_index(const struct lint *l, const char *file)
{
	for (size_t i = 0; i < l->files.n; i++)
		if (strcmp(l->files.p[i], file) == 0)
			return i;
	return SIZE_MAX;
}

static void file_add(struct lint *l, const char *file)
{
	if (file_index(l, file) == SIZE_MAX)
		*VEC_ADD(&l->files) = arena_z(&l->arena, str_from(file));
}

void lint_add(struct lint *l, enum tl_severity severity, const char *code,
	      const struct lint_place *at, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	struct finding *f;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	f = VEC_ADD(&l->found);
	*f = (struct finding){
		.d = { .size = sizeof f->d,
		       .severity = severity,
		       .code = code,
		       .file = arena_z(&l->arena, str_from(at->file)),
		       .line = at->line,
		       .column = at->column,
		       .path = arena_z(&l->arena, str_from(at->path)),
		       .text = arena_z(&l->arena, str_from(text)) },
		.file = file_index(l, at->file),
		.order = l->found.n,
	};
}

static int by_place(const void *a_, const void *b_)
{
	const struct finding *a = a_, *b = b_;
	const size_t keys[][2] = { { a->file, b->file },
				   { a->d.line, b->d.line },
				   { a->d.column, b->d.column },
				   { a->order, b->order } };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (keys[i][0] != keys[i][1])
			return keys[i][0] < keys[i][1] ? -1 : 1;
	return 0;
}

static size_t count(const struct lint *l, enum tl_severity severity)
{
	size_t n = 0;

	for (size_t i = 0; i < l->found.n; i++)
		n += l->found.p[i].d.severity == severity;
	return n;
}

/* ---- the text of a file ---- */

/* "hooks_config", "Hooks": what the key is meant to be, or NULL. */
static const char *meant(struct str key)
{
	static const char *const right[] = { "hooks", "hooksConfig" };
	static const char *const plain[] = { "hooks", "hooksconfig" };
	char word[16];
	size_t n = 0;

	if (str_eqz(key, right[0]) || str_eqz(key, right[1]))
		return NULL;
	for (size_t i = 0; i < key.n && n < sizeof word; i++) {
		char c = key.p[i];

		if (!strchr("_- ", c))
			word[n++] = c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
	}
	for (size_t i = 0; i < ARRAY_LEN(plain); i++)
		if (str_distance((struct str){ word, n }, str_from(plain[i])) <= i + 1)
			return right[i];
	return NULL;
}

static bool is_event(struct str key)
{
	for (size_t i = 0; i < tl_event_count(); i++) {
		struct tl_event_info info = TL_EVENT_INFO_INIT();

		(void)tl_event_get(i, &info);
		if (str_eqz(key, info.name))
			return true;
	}
	return false;
}

/* Keys beside "hooks" and "hooksConfig" that were meant to be one of them, or to stand in one. */
static void check_top_keys(struct lint *l, const struct lint_file *f)
{
	for (size_t i = 0; i < f->doc->n; i++) {
		const struct json_member *m = &f->doc->members[i];
		struct json_where where = json_locate(f->text, m->pos);
		struct lint_place at = { f->name, arena_z(&l->arena, m->key), where.line,
					 where.column };
		const char *near = meant(m->key);

		if (near)
			lint_add(l, TL_SEVERITY_WARNING, "unknown-key", &at,
				 "\"%s\" means nothing here; did you mean \"%s\"?", at.path, near);
		else if (json_is(&m->v, J_ARR) && is_event(m->key))
			lint_add(l, TL_SEVERITY_WARNING, "misplaced-event", &at,
				 "%s stands outside of \"hooks\"; its hooks never run", at.path);
	}
}

/* Whose settings the path says they are; what is above their directory is the project. */
static const char *dialect_of(const char *path, char **ret_project)
{
	size_t n;
	const struct settings_place *p = place_by_path(path, (const char *const *)environ, &n);

	*ret_project = n ? xstrndup(path, n) : NULL;
	return p ? p->dialect : "gemini";
}

/* In the project, but not in the home directory: a person's own settings are for them alone. */
static bool is_shared(const struct tl_hooks *hooks, const char *project)
{
	return project && strcmp(project, tl_hooks_project_dir(hooks)) == 0 &&
	       strcmp(project, tl_hooks_home(hooks)) != 0;
}

static void read_text(struct lint *l, const struct tl_hooks *hooks, const char *name)
{
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *full = fs_absolute(here ? here : "/", name);
	AUTO(free) char *project = NULL;
	const char *dialect = dialect_of(full, &project);
	struct lint_file f = { .name = name };

	if (fs_read(name, SETTINGS_MAX_BYTES, &text, NULL) < 0)
		return;
	f.text = arena_str(&l->arena, buf_str(&text));
	if (json_parse(&l->arena, f.text, JSON_C, &f.doc, NULL) < 0 || !json_is(f.doc, J_OBJ))
		return;
	f.claude = strcmp(l->dialect ? l->dialect : dialect, "claude") == 0;
	f.shared = l->as_project || is_shared(hooks, project);
	*VEC_ADD(&l->texts) = f;
}

const struct json *lint_value(const struct lint *l, const char *file, struct str path,
			      const struct lint_file **ret_file)
{
	const struct json *v;
	struct str part, key;
	int64_t index;
	size_t i = 0;

	while (i < l->texts.n && strcmp(l->texts.p[i].name, file) != 0)
		i++;
	if (i == l->texts.n)
		return NULL;
	*ret_file = &l->texts.p[i];
	v = l->texts.p[i].doc;
	for (struct str rest = path; v && str_split(&rest, '.', &part);) {
		(void)str_split(&part, '[', &key);
		v = json_get(v, key);
		if (part.p) /* "0]" */
			v = str_to_int(str_sub(part, 0, part.n - 1), &index) && index >= 0
				    ? json_at(v, (size_t)index)
				    : NULL;
	}
	return v;
}

/* ---- hooks ---- */

static struct lint_place place_of(const struct tl_hook *h)
{
	return (struct lint_place){ h->file, h->path, h->line, h->column };
}

/* Of Claude's hooks: two programs with different arguments are two commands. */
static bool same_args(const struct lint *l, const struct tl_hook *a, const struct tl_hook *b)
{
	const struct lint_file *f;
	const struct json *x = lint_value(l, a->file, str_from(a->path), &f);
	const struct json *y = lint_value(l, b->file, str_from(b->path), &f);

	x = json_getz(x, "args");
	y = json_getz(y, "args");
	return x && y ? json_equal(x, y) : !x == !y;
}

/* The hooks before this one that listen to the same moment under the same name. */
static void check_name(struct lint *l, const struct tl_hooks *hooks, size_t i,
		       const struct tl_hook *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct lint_place at = place_of(h);

	for (size_t k = 0; k < i; k++) {
		struct tl_hook other = TL_HOOK_INIT();

		(void)tl_hooks_get(hooks, k, &other);
		if (strcmp(other.moment, h->moment) != 0 || strcmp(other.name, h->name) != 0 ||
		    strcmp(other.dialect, h->dialect) != 0)
			continue;
		const char *file = short_path(hooks, other.file, &a);
		if (strcmp(other.command, h->command) != 0 || !same_args(l, &other, h))
			lint_add(l, TL_SEVERITY_WARNING, "same-name", &at,
				 "another command for %s is called \"%s\", too (%s:%u); "
				 "disabling one disables both",
				 h->event, h->name, file, other.line);
		else if (strcmp(other.matcher, h->matcher) == 0 &&
			 strcmp(other.if_rule, h->if_rule) == 0)
			lint_add(l, TL_SEVERITY_NOTE, "duplicate", &at,
				 "hook \"%s\" stands in %s:%u already; it runs once", h->name, file,
				 other.line);
		else
			continue;
		return;
	}
}

static void check_hook(struct lint *l, const struct tl_hooks *hooks, size_t i)
{
	struct tl_hook h = TL_HOOK_INIT();
	struct lint_place at;

	(void)tl_hooks_get(hooks, i, &h);
	at = place_of(&h);
	if (h.guard && h.observe)
		lint_add(l, TL_SEVERITY_WARNING, "guard-observes", &at,
			 "a guard with \"mode\": \"observe\" guards nothing");
	check_name(l, hooks, i, &h);
	lint_command(l, hooks, &h);
}

static void lint_snapshot(struct lint *l, const struct tl_hooks *hooks)
{
	size_t known = l->found.n;

	for (size_t i = 0; *tl_hooks_file_get(hooks, i); i++)
		file_add(l, tl_hooks_file_get(hooks, i));
	for (size_t i = 0; i < tl_hooks_diagnostic_count(hooks); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_hooks_diagnostic_get(hooks, i, &d);
		if (strcmp(d.code, "unapproved-hook") == 0)
			continue; /* only says that we asked for TL_LOAD_TRUST */
		/* What a session warns of is an error here. */
		if (strcmp(d.code, "unwatched-hook") == 0 && d.severity == TL_SEVERITY_WARNING)
			d.severity = TL_SEVERITY_ERROR;
		lint_add(l, d.severity, d.code,
			 &(struct lint_place){ d.file, d.path, d.line, d.column }, "%s", d.text);
	}
	l->texts.n = 0;
	l->root = tl_hooks_project_dir(hooks);
	for (size_t i = 0; *tl_hooks_file_get(hooks, i); i++)
		read_text(l, hooks, tl_hooks_file_get(hooks, i));
	l->servers = lint_known_servers(l, hooks);
	for (size_t i = 0; i < l->texts.n; i++) {
		check_top_keys(l, &l->texts.p[i]);
		lint_servers(l, &l->texts.p[i]);
	}
	for (size_t i = 0; i < tl_hooks_count(hooks); i++)
		check_hook(l, hooks, i);
	lint_matchers(l, hooks);
	for (size_t i = known; i < l->found.n; i++) {
		struct finding *f = &l->found.p[i];

		f->shown = arena_z(&l->arena, str_from(short_path(hooks, f->d.file, &l->arena)));
	}
	l->nhooks += tl_hooks_count(hooks);
}

/* ---- loading ---- */

/* How messages name the file of the last finding, when there is no snapshot to ask. */
static void show_as(struct lint *l, const char *name)
{
	l->found.p[l->found.n - 1].shown = name;
}

/* What a file that cannot be used ends the loading with. */
static void add_load_error(struct lint *l, const struct tl_err *e)
{
	struct lint_place at = { e->file, "", e->line, e->column };

	if (*e->file)
		file_add(l, e->file);
	lint_add(l, TL_SEVERITY_ERROR, e->code == TL_E_PARSE ? "syntax" : "unusable", &at, "%s",
		 e->text + e->sentence);
	show_as(l, path_shown(l->cwd, l->found.p[l->found.n - 1].d.file));
}

static int lint_with(struct wb *wb, struct lint *l, const struct tl_options *o)
{
	struct tl_hooks *hooks;
	struct tl_err err;

	if (tl_hooks_load(o, &hooks, &err) < 0) {
		if (err.code == TL_E_INVAL)
			return wb_fail_tl(wb, EXIT_USAGE, &err);
		add_load_error(l, &err);
		return EXIT_OK;
	}
	lint_snapshot(l, hooks);
	tl_hooks_unref(hooks);
	return EXIT_OK;
}

static int lint_project(struct wb *wb, struct lint *l, const struct lint_args *args)
{
	/* Nothing is run, so an untrusted folder's settings are looked at like any others. */
	return lint_with(
		wb, l,
		&(struct tl_options)TL_OPTIONS_INIT(.cwd = l->cwd,
						    .flags =
							    TL_LOAD_TRUST |
							    (args->load.no_project || wb->no_project
								     ? TL_LOAD_NO_PROJECT
								     : 0)));
}

static int lint_file(struct wb *wb, struct lint *l, const struct lint_args *args, const char *file)
{
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(free) char *project = NULL;
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *full = fs_absolute(here ? here : "/", file);
	const char *dialect = dialect_of(full, &project);
	struct err err;

	if (fs_read(file, SETTINGS_MAX_BYTES, &text, &err) < 0) {
		file_add(l, file);
		lint_add(l, TL_SEVERITY_ERROR, "unreadable",
			 &(struct lint_place){ .file = file, .path = "" }, "%s",
			 err_sentence(&err));
		show_as(l, l->found.p[l->found.n - 1].d.file);
		return EXIT_OK;
	}
	struct tl_source source =
		TL_SOURCE_INIT(.tier = TL_TIER_PROJECT,
			       .dialect = args->dialect ? args->dialect : dialect, .name = file,
			       .text = buf_z(&text), .length = text.n);
	return lint_with(
		wb, l,
		&(struct tl_options)TL_OPTIONS_INIT(.cwd = l->cwd, .project_dir = project,
						    .flags = TL_LOAD_TRUST | TL_LOAD_NO_FILES,
						    .sources = &source, .nsources = 1));
}

/* ---- printing ---- */

static const struct json *value(struct wb *wb, const struct lint *l)
{
	struct json_list files = { 0 }, found = { 0 };
	struct arena *a = &wb->arena;

	for (size_t i = 0; i < l->files.n; i++)
		json_list_add(&files, json_pack_str(a, l->files.p[i]));
	for (size_t i = 0; i < l->found.n; i++)
		json_list_add(&found, diagnostic_value(a, &l->found.p[i].d));
	return json_pack(a, "files:j diagnostics:j errors:n warnings:n", json_list_take(a, &files),
			 json_list_take(a, &found), count(l, TL_SEVERITY_ERROR),
			 count(l, TL_SEVERITY_WARNING));
}

static void show_finding(struct sheet *p, const struct finding *f)
{
	static const enum style styles[] = {
		[TL_SEVERITY_NOTE] = CYAN, [TL_SEVERITY_WARNING] = YELLOW, [TL_SEVERITY_ERROR] = RED
	};
	AUTO(buf_done) struct buf place = { 0 }, text = { 0 };

	(void)utf8_add_visible(&place, str_from(f->shown), false);
	if (f->d.line)
		buf_addf(&place, ":%u:%u", f->d.line, f->d.column);
	(void)utf8_add_visible(&text, str_from(f->d.text), false);
	sheet_f(p, BOLD, "%s%s", buf_z(&place), place.n ? ": " : "");
	sheet_f(p, styles[f->d.severity], "%s: ", severity_word(f->d.severity));
	sheet_f(p, PLAIN, "%s [%s]\n", buf_z(&text), f->d.code);
}

static const char *plural(size_t n)
{
	return n == 1 ? "" : "s";
}

static void show(struct sheet *p, const struct lint *l)
{
	size_t errors = count(l, TL_SEVERITY_ERROR), warnings = count(l, TL_SEVERITY_WARNING);

	for (size_t i = 0; i < l->found.n; i++)
		show_finding(p, &l->found.p[i]);
	if (errors || warnings)
		sheet_f(p, PLAIN, "%zu error%s, %zu warning%s\n", errors, plural(errors), warnings,
			plural(warnings));
	else
		sheet_f(p, GREEN, "%zu hook%s in %zu file%s: nothing to complain about.\n",
			l->nhooks, plural(l->nhooks), l->files.n, plural(l->files.n));
}

static void lint_done(struct lint *l)
{
	free(l->found.p);
	free(l->files.p);
	free(l->texts.p);
	arena_done(&l->arena);
}
DEFINE_AUTO(struct lint, lint_done)

static int lint_all(struct wb *wb, struct lint *l, const struct lint_args *args, int n, char **rest)
{
	int status = EXIT_OK;

	if (n == 0)
		return lint_project(wb, l, args);
	for (int i = 0; i < n && status == EXIT_OK; i++)
		status = lint_file(wb, l, args, wb_path(wb, rest[i]));
	return status;
}

static bool is_clean(const struct lint *l, bool strict)
{
	return count(l, TL_SEVERITY_ERROR) == 0 && (!strict || count(l, TL_SEVERITY_WARNING) == 0);
}

int lint_file_alone(struct wb *wb, struct lint *l, const char *file)
{
	static const struct lint_args none;
	int status;

	l->as_project = true;
	status = lint_file(wb, l, &none, file);
	if (l->found.n)
		qsort(l->found.p, l->found.n, sizeof *l->found.p, by_place);
	return status;
}

int wb_lint(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct lint_args *args = args_;
	AUTO(lint_done) struct lint l = { 0 };
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *cwd = fs_absolute(wb->cwd ? wb->cwd
					   : here  ? here
						   : "/",
					   args->load.dir ? args->load.dir : ".");
	AUTO(free) char *shell = NULL;
	int status;

	if (!fs_is_dir(cwd))
		return wb_fail(wb, EXIT_USAGE, "%s: there is no such directory", args->load.dir);
	if (n == 0 && args->dialect)
		return wb_fail(wb, EXIT_USAGE,
			       "--dialect belongs to files: trotline hooks lint --dialect %s FILE",
			       args->dialect);
	l.cwd = cwd;
	l.dialect = args->dialect;
	l.as_project = n > 0;
	l.shell = fs_find_program("bash", getenv("PATH"), &shell) ? shell : "/bin/sh";
	status = lint_all(wb, &l, args, n, rest);
	if (status != EXIT_OK)
		return status;
	if (l.found.n)
		qsort(l.found.p, l.found.n, sizeof *l.found.p, by_place);
	wb->value = value(wb, &l);
	show(&wb->sheet, &l);
	return is_clean(&l, args->strict) ? EXIT_OK : EXIT_USAGE;
}
