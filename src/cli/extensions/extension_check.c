/* trotline extensions validate: what is wrong with an extension, and where. */
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/catalog/skills.h"
#include "agent/hook_hosts.h"
#include "base/env.h"
#include "base/path.h"
#include "base/toml.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/extensions/extension_tree.h"
#include "cli/extensions/extensions.h"
#include "os/fs.h"
#include "workbench/commands.h"
#include "workbench/lint.h"

struct check {
	struct arena arena;
	const char *dir;
	const struct extension *e;
	struct str text; /* of the file that is being looked at */
	const char *file;
	size_t errors, warnings;
	struct wb *wb;
	struct json_list found;
};

static void check_done(struct check *c)
{
	arena_done(&c->arena);
}
DEFINE_AUTO(struct check, check_done)

/* ---- findings ---- */

static void say_as(struct check *c, const struct tl_diagnostic *d)
{
	bool error = d->severity == TL_SEVERITY_ERROR;
	AUTO(buf_done) struct buf place = { 0 }, clean = { 0 };

	if (d->severity != TL_SEVERITY_NOTE)
		*(error ? &c->errors : &c->warnings) += 1;
	json_list_add(&c->found, diagnostic_value(&c->wb->arena, d));
	if (c->wb->json)
		return;
	(void)utf8_add_visible(&place, str_from(d->file), false);
	if (d->line)
		buf_addf(&place, ":%u:%u", d->line, d->column);
	(void)utf8_add_visible(&clean, str_from(d->text), false);
	sheet_f(&c->wb->sheet, BOLD, "%s: ", buf_z(&place));
	sheet_f(&c->wb->sheet,
		error                             ? RED
		: d->severity == TL_SEVERITY_NOTE ? DIM
						  : YELLOW,
		"%s: ", tl_severity_name(d->severity));
	sheet_f(&c->wb->sheet, PLAIN, "%s\n", buf_z(&clean));
}

static void say(struct check *c, bool error, unsigned line, unsigned column, const char *text)
{
	say_as(c,
	       &(struct tl_diagnostic){ .severity = error ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING,
					.file = c->file,
					.line = line,
					.column = column,
					.path = "",
					.code = "extension",
					.text = text });
}

/* About the value at this place of the file; NULL = the whole file. */
static void report(struct check *c, bool error, const struct json *at, const char *fmt, ...)
	PRINTF_LIKE(4, 5);

static void report(struct check *c, bool error, const struct json *at, const char *fmt, ...)
{
	struct json_where where = { 0 };
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	if (at)
		where = json_locate(c->text, at->pos);
	say(c, error, where.line, where.column, text);
}

/* Says what lint has found, and frees it. */
static void say_found(struct check *c, struct lint *l)
{
	for (size_t i = 0; i < l->found.n; i++) {
		struct tl_diagnostic d = l->found.p[i].d;

		d.file = c->file;
		say_as(c, &d);
	}
	lint_done(l);
}

/* Reads a file of the extension; false after having said why not. */
static bool open_file(struct check *c, const char *name)
{
	const char *path = extension_path(&c->arena, c->e, name);
	AUTO(buf_done) struct buf text = { 0 };
	struct err err;

	c->file = name;
	c->text = STR("");
	if (!path || fs_read(path, EXTENSION_FILE_MAX, &text, &err) < 0) {
		report(c, true, NULL, "%s", path ? err.text : "it leads out of the extension");
		return false;
	}
	c->text = arena_str(&c->arena, buf_str(&text));
	return true;
}

/* ---- the manifest ---- */

static const char *const known_keys[] = {
	"contextFileName", "description", "excludeTools", "mcpServers",
	"migratedTo",      "name",        "plan",         "settings",
	"themes",          "version",
};

static void check_keys(struct check *c, const struct json *manifest)
{
	for (size_t i = 0; i < manifest->n; i++) {
		const struct json_member *m = &manifest->members[i];
		struct json at = { .pos = m->pos };
		const char *key = arena_z(&c->arena, m->key);
		bool known = false;

		for (size_t k = 0; k < ARRAY_LEN(known_keys); k++)
			known |= str_eqz(m->key, known_keys[k]);
		if (str_eqz(m->key, "hooks"))
			report(c, false, &at,
			       "hooks belong in hooks/hooks.json; here they are not "
			       "read");
		else if (!known)
			report(c, false, &at, "\"%s\" means nothing%s", key,
			       did_you_mean(&c->arena, key, known_keys, ARRAY_LEN(known_keys)));
	}
}

static void check_context_file(struct check *c, const struct json *v)
{
	struct str name = extension_expand(&c->arena, c->e, NULL, json_str(v, STR("")));
	AUTO(free) char *path = xstrndup(name.p, name.n);
	const char *real;

	if (!json_is(v, J_STR)) {
		report(c, true, v, "the name of a context file must be a string, this is %s",
		       json_what(v));
		return;
	}
	real = *path ? extension_path(&c->arena, c->e, path) : NULL;
	if (!real || fs_is_dir(real))
		report(c, true, v, "the extension has no context file \"%s\"", path);
}

/* A word of a server's command line that means a file of the extension, which is not there. */
static void check_word(struct check *c, const struct json *v)
{
	struct str word = extension_expand(&c->arena, c->e, NULL, json_str(v, STR("")));
	AUTO(free) char *path = xstrndup(word.p, word.n);

	if (path_below(c->e->dir, path) && !fs_exists(path))
		report(c, false, v, "%s is not there", path_below(c->e->dir, path));
}

/* What lint finds of servers wherever they are. */
static void check_servers(struct check *c, const struct json *manifest)
{
	const struct json *list = json_getz(manifest, "mcpServers");
	struct lint l = { .cwd = c->e->dir, .root = c->e->dir };
	struct source file = {
		.tier = TL_TIER_EXTENSION, .path = c->file, .text = c->text, .doc = manifest
	};

	for (size_t i = 0; json_is(list, J_OBJ) && i < list->n; i++) {
		const struct json_member *m = &list->members[i];
		const struct json *args = json_getz(&m->v, "args");
		const struct json *trust = json_getz(&m->v, "trust");

		if (trust)
			report(c, false, trust,
			       "\"trust\" of an extension's server does not count");
		if (str_chr(m->key, '_', 0) >= 0)
			report(c, false, &m->v,
			       "Gemini CLI takes the text before the first _ for the "
			       "server's name; better without");
		check_word(c, json_getz(&m->v, "command"));
		for (size_t k = 0; json_is(args, J_ARR) && k < args->n; k++)
			check_word(c, json_at(args, k));
	}
	lint_servers(&l, &file);
	say_found(c, &l);
}

static void check_manifest(struct check *c)
{
	const struct json *v, *list, *version;
	struct json_where where;
	struct str number;
	struct err err;

	if (!open_file(c, EXTENSION_MANIFEST))
		return;
	if (json_parse_at(&c->arena, c->text, JSON_C, NULL, &v, &where, &err) < 0) {
		say(c, true, where.line, where.column, err.text);
		return;
	}
	check_keys(c, v);
	version = json_getz(v, "version");
	number = json_str(version, STR(""));
	if (!number.n)
		report(c, true, version, "the manifest has no \"version\"");
	else if (!char_is_digit(number.p[0]) || str_chr(number, '.', 0) < 0)
		report(c, false, version, "\"%.*s\" is not a version like 1.0.0", STR_ARG(number));
	list = json_getz(v, "contextFileName");
	if (json_is(list, J_STR))
		check_context_file(c, list);
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++)
		check_context_file(c, json_at(list, i));
	if (json_is(v, J_OBJ))
		check_servers(c, v);
	list = json_getz(v, "settings");
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		const struct json *s = json_at(list, i);
		struct str variable = json_get_str(s, "envVar");

		if (!json_is(json_getz(s, "name"), J_STR))
			report(c, true, s, "a setting needs a \"name\"");
		if (!env_name_is_valid(variable))
			report(c, true, s,
			       "a setting needs an \"envVar\" of letters, digits and _");
	}
	list = json_getz(v, "excludeTools");
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++)
		if (!json_is(json_at(list, i), J_STR))
			report(c, true, json_at(list, i), "the name of a tool must be a string");
}

/* A plugin's: its name and version may be missing, what else it says is Claude Code's business. */
static void check_plugin(struct check *c)
{
	static const char *const kinds[] = { "commands", "skills", "agents" };

	c->file = PLUGIN_MANIFEST;
	c->text = STR("");
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		const struct json *list = json_getz(c->e->written, kinds[i]);

		for (size_t k = 0; list && k < list->n; k++) {
			const char *path = arena_z(&c->arena, json_str(json_at(list, k), STR("")));

			if (strcmp(path, kinds[i]) != 0 && !extension_path(&c->arena, c->e, path))
				report(c, true, NULL, "\"%s\": the plugin has no %s", kinds[i],
				       path);
		}
	}
	check_servers(c, c->e->written);
}

/* ---- hooks ---- */

/* Its words are those of `hooks lint`. */
static void lint_hooks(struct check *c, const char *path)
{
	AUTO(free) void *args = xcalloc(1, lint_opts.size);
	AUTO(free) char *file = xstrdup(path);
	char *files[] = { file, NULL };
	struct lint l = { .cwd = c->e->dir };

	if (!c->wb->json && !c->e->is_plugin) {
		if (wb_lint(c->wb, args, 1, files) != EXIT_OK)
			c->errors++;
		return;
	}
	l.plugin = c->e->is_plugin ? c->e : NULL;
	l.dialect = l.plugin ? "claude" : NULL;
	(void)lint_file_alone(c->wb, &l, path);
	say_found(c, &l);
}

static void check_hook_file(struct check *c, const struct extension_hooks *at)
{
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER);
	const char *below = path_below(c->e->dir, at->file), *path = at->file;
	const struct json *doc;
	struct tl_hooks *hooks;
	struct tl_err err;
	struct lint l;

	/* Events that are elsewhere are checked where they are loaded. */
	if (!below || strcmp(at->pointer, "/hooks") != 0 ||
	    (!c->e->is_plugin && !fs_exists(path)) || !open_file(c, below))
		return;
	lint_hooks(c, path);
	/* Of settings these are no mistakes. */
	if (str_trim(c->text).n == 0)
		report(c, true, NULL, "the file is empty");
	else if (json_parse(&c->arena, c->text, JSON_C, &doc, NULL) == 0 && json_is(doc, J_OBJ) &&
		 !json_getz(doc, "hooks"))
		report(c, true, NULL, "\"hooks\" property must be an object");
	if (c->e->is_plugin)
		return;
	source.name = path;
	source.text = c->text.p;
	source.length = c->text.n;
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES | TL_LOAD_TRUST, .cwd = c->e->dir,
				.project_dir = c->e->dir, .sources = &source, .nsources = 1);
	o.handlers = hook_kinds_known(&o.nhandlers);
	if (tl_hooks_load(&o, &hooks, &err) < 0)
		return;
	/* Commands that name the extension's directory: what they start, with the directory put
	 * in. */
	l = (struct lint){ .cwd = c->e->dir };
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();

		(void)tl_hooks_get(hooks, i, &h);
		if (strcmp(h.type, "command") == 0 && strstr(h.command, "${"))
			lint_command(&l, hooks, i,
				     arena_z(&c->arena, extension_expand(&c->arena, c->e, NULL,
									 str_from(h.command))));
	}
	say_found(c, &l);
	tl_hooks_unref(hooks);
}

/* ---- policies ---- */

static void check_policies(struct check *c)
{
	const char *dirs[] = { extension_path(&c->arena, c->e, "policies"), NULL };
	struct lint l = { 0 };

	if (!dirs[0])
		return;
	c->file = "policies";
	lint_policies(&l, dirs);
	say_found(c, &l);
}

/* ---- skills, commands ---- */

static void check_skill(struct check *c, const char *name)
{
	struct front_matter front;
	struct err err;

	/* Claude Code takes any. */
	if (c->e->is_plugin)
		return;
	if (!open_file(c, name) || front_read(&c->arena, c->text, &front, NULL, 0, &err) == 0)
		return;
	say(c, true, err.line, err.column, err_sentence(&err));
}

static void check_prompt(struct check *c, const char *name)
{
	struct json_where where = { 0 };
	const struct json *v;
	struct err err;

	if (!open_file(c, name))
		return;
	if (toml_parse(&c->arena, c->text, &v, &where, &err) < 0)
		say(c, true, where.line, where.column, err.text);
	else if (!json_is(json_getz(v, "prompt"), J_STR))
		report(c, true, NULL, "a command needs a string \"prompt\"");
}

typedef void file_fn(struct check *c, const char *name);

/* Files below a directory of the extension whose names end so. */
static void each_file(struct check *c, const char *relative, const char *ending, unsigned depth,
		      file_fn *fn)
{
	const char *dir = extension_path(&c->arena, c->e, relative);
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (!dir || !fs_is_dir(dir) || fs_list(dir, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *name = fs_join(relative, names.p[i]);
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (fs_is_dir(path) && depth > 0)
			each_file(c, name, ending, depth - 1, fn);
		else if (str_ends(str_from(names.p[i]), str_from(ending)))
			fn(c, arena_z(&c->arena, str_from(name)));
	}
}

/* ---- the command ---- */

static void check_all(struct check *c)
{
	enum { DEPTH = 8 };
	AUTO(buf_done) struct buf left_out = { 0 };
	const struct extension_hooks *files;
	size_t n;
	struct err err;

	c->file = c->dir;
	if (tree_check(c->dir, &left_out, &err) < 0)
		say(c, true, 0, 0, err.text);
	for (struct str rest = buf_str(&left_out), name; str_split(&rest, '\n', &name);)
		if (name.n)
			report(c, false, NULL,
			       "%.*s is a symbolic link that leads out of the source; an "
			       "installation leaves it out",
			       STR_ARG(name));
	if (c->e->problem && c->wb->json) {
		c->file = "";
		say(c, true, 0, 0, c->e->problem);
		return;
	}
	if (c->e->problem) {
		sheet_f(&c->wb->sheet, RED, "error: ");
		sheet_text(&c->wb->sheet, PLAIN, c->e->problem, 0);
		c->errors++;
		return;
	}
	if (c->e->is_plugin && !c->e->is_both)
		check_plugin(c);
	else
		check_manifest(c);
	n = extension_hook_files(&c->arena, c->e, &files);
	for (size_t i = 0; i < n; i++)
		check_hook_file(c, &files[i]);
	for (const char *const *file = extension_misplaced_hooks(&c->arena, c->e); *file; file++) {
		c->file = *file;
		say(c, false, 0, 0,
		    "these hooks do not run: a plugin's are in " EXTENSION_HOOKS
		    ", or where plugin.json says");
	}
	check_policies(c);
	each_file(c, "skills", "SKILL.md", 1, check_skill);
	each_file(c, "commands", ".toml", DEPTH, check_prompt);
}

int cmd_extension_validate(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(ext_done) struct ext x = { 0 };
	AUTO(check_done) struct check c = { .wb = wb };
	AUTO(free) char *real = fs_real(rest[0]);
	struct extension e = { 0 };
	struct found found = { 0 };
	struct err err;

	(void)args;
	(void)n;
	if (!real || !fs_is_dir(real))
		return wb_fail(wb, EXIT_USAGE, "%s: no such directory", rest[0]);
	if (found_in(&c.arena, real, NULL, rest[0], &found, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	x.options.plugin = found.plugin;
	real = (free(real), xstrdup(found.dir ? found.dir : rest[0]));
	e = extension_read(&c.arena, &x.options, real);
	c.dir = real;
	c.e = &e;
	check_all(&c);
	if (c.errors) {
		sheet_f(&wb->sheet, PLAIN, "The extension is not valid.\n");
	} else {
		sheet_f(&wb->sheet, GREEN, "Extension \"%s\" %s is valid", e.name, e.version);
		sheet_f(&wb->sheet, PLAIN, "%s.\n", c.warnings ? ", with warnings" : "");
	}
	wb->value = json_pack(&wb->arena,
			      "path:z name:z version:z diagnostics:j errors:n warnings:n valid:b",
			      c.dir, e.name, e.version, json_list_take(&wb->arena, &c.found),
			      c.errors, c.warnings, !c.errors);
	return c.errors ? EXIT_USAGE : EXIT_OK;
}
