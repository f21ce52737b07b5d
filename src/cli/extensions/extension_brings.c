#include "cli/extensions/extension_brings.h"

#include <sha2.h>
#include <sys/stat.h>

#include "agent/catalog/front_hooks.h"
#include "agent/hook_hosts.h"
#include "base/path.h"
#include "base/vec.h"
#include "mcp/transport.h"
#include "os/fs.h"
#include "trotline.h"

enum { COMMANDS_DEPTH = 8, LIST_MAX = 1000 };
/* A file longer than this is no text to compare; all bodies together are not longer than that. */
enum { BODY_MAX = 256 << 10, BODIES_MAX = 8 << 20 };

/* One reading. */
struct reading {
	struct arena *a;
	const char *project;
	struct extension here; /* its files where they are now */
	struct extension there; /* and where they will be */
	size_t bodies; /* bytes of them */
	struct brings *out;
};

/* What a person is shown of a thing, and what differs when it does. */
struct shown {
	struct buf text, identity, body;
};

static void shown_done(struct shown *s)
{
	buf_done(&s->text);
	buf_done(&s->identity);
	buf_done(&s->body);
}
DEFINE_AUTO(struct shown, shown_done)

void brings_done(struct brings *b)
{
	free(b->p);
	free(b->files);
	*b = (struct brings){ 0 };
}

size_t brings_count(const struct brings *b, enum bring_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < b->n; i++)
		n += b->p[i].kind == kind;
	return n;
}

const struct bring *brings_next(const struct brings *b, enum bring_kind kind, size_t *at)
{
	while (*at < b->n) {
		const struct bring *one = &b->p[(*at)++];

		if (one->kind == kind)
			return one;
	}
	return NULL;
}

static void add_with_body(struct reading *r, enum bring_kind kind, struct str title,
			  const struct shown *s)
{
	r->out->full |= r->out->n == LIST_MAX;
	if (!r->out->full)
		*VEC_ADD(r->out) = (struct bring){ kind, arena_z(r->a, title),
						   arena_z(r->a, str_trim(buf_str(&s->text))),
						   arena_z(r->a, buf_str(&s->identity)),
						   arena_z(r->a, buf_str(&s->body)) };
}

static void add(struct reading *r, enum bring_kind kind, struct str title, struct str text,
		struct str identity)
{
	r->out->full |= r->out->n == LIST_MAX;
	if (!r->out->full)
		*VEC_ADD(r->out) = (struct bring){ kind, arena_z(r->a, title), arena_z(r->a, text),
						   arena_z(r->a, identity), "" };
}

/* A file that is part of a thing: its hash identifies it, its text can be compared. */
static void add_file(struct reading *r, const char *name, const char *path, struct shown *s)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	AUTO(free) char *dir = fs_real(r->here.dir);
	const char *below = path_below(dir, path);
	struct brings *b = r->out;
	char hex[SHA256_DIGEST_STRING_LENGTH] = "";

	/* All of it, whatever its size: what is not looked at could change unseen. */
	(void)SHA256File(path, hex);
	if (below && *below) {
		VEC_ROOM(b->files, b->nfiles, b->files_cap);
		b->files[b->nfiles++] = arena_z(r->a, str_from(below));
	}
	bool is_read = fs_read(path, BODY_MAX, &bytes, NULL) == 0;

	buf_addf(&s->identity, "\n%s %s", name, hex);
	buf_addf(&s->body, "%s\n", name);
	if (is_read && r->bodies + bytes.n <= BODIES_MAX && !memchr(buf_z(&bytes), 0, bytes.n)) {
		buf_adds(&s->body, buf_str(&bytes));
		r->bodies += bytes.n;
	} else {
		buf_addf(&s->body, "no text, or a long one; its SHA-256 is %s", hex);
	}
	buf_addc(&s->body, '\n');
}

/* below: in the extension; NULL for the file of the installation, which may be next to it. */
static const struct json *read_json(struct reading *r, const char *below, const char *path,
				    struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *v = NULL;

	path = below ? extension_path(r->a, &r->here, below) : path;

	if (!path) {
		(void)err_set(err, E_NOTFOUND, "it leads nowhere, or out of the extension");
		return NULL;
	}
	if (fs_read(path, EXTENSION_FILE_MAX, &text, err) < 0 ||
	    json_parse(r->a, arena_str(r->a, buf_str(&text)), JSON_C, &v, err) < 0)
		return NULL;
	return v;
}

static struct str expand(struct reading *r, struct str text)
{
	return extension_expand(r->a, &r->there, r->project, text);
}

/* ---- hooks ---- */

/* "hooks.BeforeTool[0].hooks[1]" as a JSON Pointer. */
static struct str pointer_of(struct arena *a, const char *path)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addc(&out, '/');
	for (; *path; path++)
		if (*path != ']')
			buf_addc(&out, *path == '.' || *path == '[' ? '/' : *path);
	return arena_str(a, buf_str(&out));
}

/* Quotes taken away, and \1 in the place of the extension's directory. */
static struct str marked(struct reading *r, struct str command)
{
	const struct extension e = {
		.name = "", .root = "\1", .dir = "\1", .is_plugin = r->here.is_plugin
	};
	struct str s = extension_expand(r->a, &e, r->project, command);
	const struct str variable =
		r->here.is_plugin ? STR("$CLAUDE_PLUGIN_ROOT") : STR("$extensionPath");
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < s.n; i++) {
		if (str_starts(str_sub(s, i, s.n), variable)) {
			buf_addc(&out, '\1');
			i += variable.n - 1;
		} else if (s.p[i] != '"' && s.p[i] != '\'') {
			buf_addc(&out, s.p[i]);
		}
	}
	return arena_str(r->a, buf_str(&out));
}

/* Roughly the words of a command: relative ones, too, as a cd may precede them. */
static void add_scripts(struct reading *r, struct str command, struct shown *into)
{
	struct str s = marked(r, command);

	for (size_t i = 0, n; i < s.n; i += n + 1) {
		struct str word = str_sub(s, i, s.n);

		for (n = 0; n < word.n && !strchr(" \t\n;&|()<>=", word.p[n]); n++)
			;
		word = str_sub(word, str_starts(word, STR("\1/")) ? 2 : 0, n);
		AUTO(free) char *name = xstrndup(word.p, word.n);
		const char *path =
			*name && *name != '/' ? extension_path(r->a, &r->here, name) : NULL;

		/* A file of the extension; what it holds is part of the hook. */
		if (path && !fs_is_dir(path)) {
			buf_addf(&into->text, "script %s\n", name);
			add_file(r, name, path, into);
		}
	}
}

static void add_env(struct reading *r, const struct json *env, struct buf *text)
{
	for (size_t i = 0; json_is(env, J_OBJ) && i < env->n; i++)
		buf_addf(text, "with %.*s=%.*s\n", STR_ARG(env->members[i].key),
			 STR_ARG(expand(r, json_str(&env->members[i].v, STR("?")))));
}

static void add_hook(struct reading *r, const struct json *doc, const struct tl_hook *h)
{
	AUTO(shown_done) struct shown s = { 0 };
	const struct json *v = json_pointer(doc, pointer_of(r->a, h->path));
	struct str command = expand(r, str_from(h->command));

	buf_addf(&s.identity, "%s %s %d\n", h->event, h->matcher, h->sequential);
	if (v)
		(void)json_write(&s.identity, v, JSON_COMPACT);
	if (*h->matcher)
		buf_addf(&s.text, "matcher %s\n", h->matcher);
	/* What is no process has no file behind it: all of it is shown. */
	if (strcmp(h->type, "command") != 0)
		buf_addf(&s.text, "%s %.*s\n", h->type,
			 STR_ARG(v ? json_text(r->a, v, JSON_COMPACT) : command));
	else
		buf_addf(&s.text, "%.*s\n", STR_ARG(command));
	add_env(r, json_getz(v, "env"), &s.text);
	if (strcmp(h->type, "command") == 0)
		add_scripts(r, str_from(h->command), &s);
	add_with_body(r, BRING_HOOK,
		      strcmp(h->name, h->command) == 0
			      ? str_from(h->event)
			      : arena_printf(r->a, "%s %s", h->event, h->name),
		      &s);
}

static void add_broken(struct reading *r, const char *what, const char *why)
{
	add(r, BRING_HOOK, arena_printf(r->a, "%s cannot be used", what), str_from(why),
	    arena_printf(r->a, "broken %s", why));
}

/* Every hook of the document; is a guard among them?  What cannot be read may be one. */
static bool add_loaded(struct reading *r, const struct json *doc, const char *name)
{
	const char *const env[] = { NULL };
	struct str text = json_text(r->a, doc, JSON_COMPACT);
	struct tl_source source =
		TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = name, .text = text.p, .length = text.n,
			       .dialect = r->here.is_plugin ? "claude" : "gemini");
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES | TL_LOAD_TRUST, .cwd = r->here.dir,
				.project_dir = r->here.dir, .home = r->here.dir, .env = env,
				.sources = &source, .nsources = 1);
	struct tl_hooks *loaded;
	struct tl_err why;
	bool guards = false;

	o.handlers = hook_kinds_known(&o.nhandlers);
	if (tl_hooks_load(&o, &loaded, &why) < 0) {
		add_broken(r, name, why.text);
		return true;
	}
	for (size_t i = 0; i < tl_hooks_count(loaded); i++) {
		struct tl_hook h = TL_HOOK_INIT();

		(void)tl_hooks_get(loaded, i, &h);
		guards |= h.guard || strcmp(h.on_failure, "deny") == 0;
		add_hook(r, doc, &h);
	}
	tl_hooks_unref(loaded);
	return guards;
}

/* The hooks in the front matter of an agent or a skill; what cannot be read is not used. */
static void add_front_hooks(struct reading *r, const char *name, const char *path)
{
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *doc = NULL;
	struct str hooks;

	if (fs_read(path, EXTENSION_FILE_MAX, &text, NULL) == 0 &&
	    front_hooks_read(r->a, buf_str(&text), &hooks, NULL) > 0 &&
	    json_parse(r->a, hooks, 0, &doc, NULL) == 0)
		(void)add_loaded(r, doc, name);
}

static void add_hooks(struct reading *r)
{
	const struct extension_hooks *files;
	size_t n = extension_hook_files(r->a, &r->here, &files);
	struct stat st;

	for (size_t i = 0; i < n; i++) {
		const char *file = files[i].file, *below = path_below(r->here.dir, file);
		const char *name = below ? below : EXTENSION_INSTALL_FILE;
		const struct json *doc, *hooks;
		struct err err;

		if (!r->here.is_plugin && lstat(file, &st) < 0)
			continue;
		doc = read_json(r, below, file, &err);
		hooks = json_pointer(doc, str_from(files[i].pointer));
		if (hooks) {
			/* Only this member counts in an extension. */
			r->out->guards |=
				add_loaded(r, json_set(r->a, NULL, STR("hooks"), hooks), name);
			continue;
		}
		/* What cannot be read may be anything. */
		r->out->guards |= !doc && fs_exists(file);
		add_broken(r, name, doc ? "it has no member \"hooks\"" : err.text);
	}
}

/* ---- what the manifest says ---- */

static void add_server(struct reading *r, const struct json_member *m)
{
	AUTO(shown_done) struct shown s = { 0 };
	struct buf *text = &s.text;
	const struct json *args = json_getz(&m->v, "args"), *v;
	const struct json *headers = json_getz(&m->v, "headers");

	v = json_getz(&m->v, "command");
	if (v)
		buf_adds(text, expand(r, json_str(v, STR("?"))));
	for (size_t i = 0; v && json_is(args, J_ARR) && i < args->n; i++)
		buf_addf(text, " %.*s", STR_ARG(expand(r, json_str(json_at(args, i), STR("?")))));
	for (size_t i = 0; i < mcp_ways_n; i++) {
		const struct json *url = json_getz(&m->v, mcp_ways[i].key);

		if (!mcp_is_program(mcp_ways[i].transport) && url)
			buf_addf(text, "%s%.*s", text->n ? "\n" : "",
				 STR_ARG(expand(r, json_str(url, STR("?")))));
	}
	buf_addc(text, '\n');
	add_env(r, json_getz(&m->v, "env"), text);
	for (size_t i = 0; json_is(headers, J_OBJ) && i < headers->n; i++)
		buf_addf(text, "with the header %.*s\n", STR_ARG(headers->members[i].key));
	(void)json_write(&s.identity, json_without(r->a, &m->v, STR("trust")), JSON_COMPACT);
	/* The program runs with the user's rights, as a hook does. */
	add_scripts(r, json_str(v, STR("")), &s);
	for (size_t i = 0; v && json_is(args, J_ARR) && i < args->n; i++)
		add_scripts(r, json_str(json_at(args, i), STR("")), &s);
	add_with_body(r, BRING_SERVER, m->key, &s);
}

static void add_names(struct reading *r, enum bring_kind kind, const struct json *v)
{
	if (json_is(v, J_STR))
		add(r, kind, json_str(v, STR("")), STR(""), STR(""));
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		add_names(r, kind, json_is(json_at(v, i), J_STR) ? json_at(v, i) : NULL);
}

/* ---- what is in directories ---- */

typedef void list_fn(struct reading *r, const char *relative, const char *path, void *data);

static void each_name(struct reading *r, const char *dir, const char *relative, list_fn *fn,
		      void *data)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (!dir || fs_list(dir, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *inner = fs_join(relative, names.p[i]);
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		fn(r, inner, path, data);
	}
}

/* What a directory or file of this kind holds: names are told from there on. */
static void each_place(struct reading *r, const char *kind, list_fn *fn)
{
	const char *const *places = extension_places(r->a, &r->here, kind);

	for (; *places; places++)
		if (fs_is_dir(*places))
			each_name(r, *places, "", fn, NULL);
		else
			fn(r, path_name(*places), *places, NULL);
}

static void on_skill(struct reading *r, const char *relative, const char *path, void *data)
{
	AUTO(free) char *file = fs_join(path, "SKILL.md");

	(void)data;
	if (!fs_exists(file))
		return;
	add(r, BRING_SKILL, str_from(relative), STR(""), STR(""));
	add_front_hooks(r, relative, file);
}

static void on_command(struct reading *r, const char *relative, const char *path, void *data)
{
	const unsigned depth = data ? *(unsigned *)data : 0;
	const struct str ending = r->here.is_plugin ? STR(".md") : STR(".toml");
	struct str name = str_from(relative);
	struct stat st;

	if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && depth < COMMANDS_DEPTH) {
		unsigned deeper = depth + 1;

		each_name(r, path, relative, on_command, &deeper);
		return;
	}
	if (!str_ends(name, ending) && !str_ends(name, STR(".toml")))
		return;
	if (!str_ends(name, ending))
		name.n -= strlen(".toml") - ending.n;
	AUTO(free) char *shown = xasprintf("/%.*s", (int)(name.n - ending.n), name.p);
	for (char *p = shown + 1; *p; p++)
		if (*p == '/')
			*p = ':';
	add(r, BRING_COMMAND, str_from(shown), STR(""), STR(""));
}

static void on_policy(struct reading *r, const char *relative, const char *path, void *data)
{
	AUTO(shown_done) struct shown s = { 0 };
	AUTO(free) char *name = fs_join("policies", relative);

	(void)data;
	if (!str_ends(str_from(path), STR(".toml")))
		return;
	add_file(r, name, path, &s);
	add_with_body(r, BRING_POLICY, str_from(name), &s);
}

/* Those that agents.c reads. */
static void on_agent(struct reading *r, const char *relative, const char *path, void *data)
{
	AUTO(shown_done) struct shown s = { 0 };
	AUTO(free) char *name = fs_join("agents", relative);

	(void)data;
	if (relative[0] == '.' || relative[0] == '_' || !str_ends(str_from(relative), STR(".md")))
		return;
	add_file(r, name, path, &s);
	add_with_body(r, BRING_AGENT, str_from(name), &s);
	add_front_hooks(r, name, path);
}

void brings_read(struct arena *a, const struct extension *e, const char *target,
		 const char *project, struct brings *ret_brings)
{
	struct reading r = { .a = a, .project = project, .out = ret_brings };
	const struct json *servers, *v, *all;

	/* Values of settings stay out: names of variables are what is agreed to. */
	r.here = *e;
	r.here.env = NULL;
	r.there = r.here;
	r.there.root = r.there.dir = target;
	add_hooks(&r);
	servers = json_getz(e->written, "mcpServers");
	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++)
		if (json_is(&servers->members[i].v, J_OBJ))
			add_server(&r, &servers->members[i]);
	add_names(&r, BRING_EXCLUDED, json_getz(e->written, "excludeTools"));
	v = json_getz(e->written, "contextFileName");
	if (v)
		add_names(&r, BRING_CONTEXT, v);
	else if (extension_path(a, e, "GEMINI.md"))
		add(&r, BRING_CONTEXT, STR("GEMINI.md"), STR(""), STR(""));
	for (const char *const *p = extension_places(a, &r.here, "skills"); *p; p++) {
		on_skill(&r, r.here.is_plugin ? path_name(*p) : "skills/SKILL.md", *p, NULL);
		each_name(&r, *p, "", on_skill, NULL);
	}
	each_place(&r, "commands", on_command);
	each_name(&r, extension_path(a, e, "policies"), "", on_policy, NULL);
	each_place(&r, "agents", on_agent);
	all = json_getz(e->written, "settings");
	for (size_t i = 0; json_is(all, J_ARR) && i < all->n; i++) {
		const struct json *s = json_at(all, i);
		struct str name = json_str(json_getz(s, "name"), STR("?"));

		add(&r, BRING_SETTING,
		    arena_printf(a, "%.*s (%.*s%s)", STR_ARG(name),
				 STR_ARG(json_str(json_getz(s, "envVar"), STR("?"))),
				 json_is_true(json_getz(s, "sensitive")) ? ", secret" : ""),
		    json_get_str(s, "description"), STR(""));
	}
}
