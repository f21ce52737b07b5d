/* trotline mcp list: the servers of extensions and all settings files, and which of them count. */
#include "base/vec.h"
#include "base/words.h"
#include "cli/commands.h"
#include "extensions/extension.h"
#include "mcp/transport.h"
#include "os/fs.h"
#include "settings/settings.h"
#include "workbench/settings_args.h"

struct list_args {
	const char *into, *dir;
	bool json;
};

static const struct opt list_rows[] = {
	{ "into", 0, "AGENT", OPT_STR, offsetof(struct list_args, into),
	  "whose servers (default: gemini, whose files trotline reads, too): " AGENT_TARGETS },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct list_args, dir),
	  "work in this directory instead of the current one" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct list_args, json), "print JSON" },
};
const struct opt_set mcp_list_opts = OPT_SET(list_rows, struct list_args);

/* A settings file, or a manifest; later ones override earlier ones. */
struct source {
	const char *scope;
	const char *path;
	bool foreign; /* it counts where the folder is trusted */
	const char *extension; /* whose manifest it is, or NULL */
};

struct server {
	struct str name;
	const struct json *value;
	const struct source *source;
	struct json_where at;
	bool counts, untrusted;
	const char *state; /* "configured", or why it does not count */
};

struct list {
	struct wb *wb;
	struct arena arena;
	struct {
		struct server *p;
		size_t n, cap;
	} servers;
	struct tl_hooks *hooks; /* for short paths */
	bool trusted;
	bool misshapen; /* mcpServers of some file */
};

static void list_done(struct list *l)
{
	free(l->servers.p);
	arena_done(&l->arena);
	tl_hooks_unref(l->hooks);
}
DEFINE_AUTO(struct list, list_done)

static void discount(struct server *s, const char *why)
{
	s->counts = s->untrusted = false;
	s->state = why;
}

static void add_server(struct list *l, struct server s, bool untrusted)
{
	s.untrusted = json_is(s.value, J_OBJ) && untrusted;
	s.state = !json_is(s.value, J_OBJ)       ? "not an object"
		  : untrusted                    ? "the folder is not trusted"
		  : !mcp_way_of(s.value)         ? MCP_NO_WAY
		  : mcp_is_switched_off(s.value) ? MCP_SWITCHED_OFF
						 : NULL;
	s.counts = !s.state;
	s.state = s.counts ? "configured" : s.state;
	/* Of the extensions the first counts, and settings count more than any of them. */
	for (size_t i = 0; i < l->servers.n && s.counts; i++) {
		struct server *older = &l->servers.p[i];

		if (!str_eq(older->name, s.name))
			continue;
		if (!s.source->extension)
			discount(older,
				 arena_printf(&l->arena, "overridden by the %s's", s.source->scope)
					 .p);
		else if (older->counts)
			discount(&s, arena_printf(&l->arena, "the extension %s also has it",
						  older->source->extension)
					     .p);
	}
	*VEC_ADD(&l->servers) = s;
}

/* Values are those of the manifest with its variables expanded, places those of the file. */
static void add_extension(struct list *l, const struct extension *e)
{
	const struct json *doc = NULL, *servers = json_getz(e->manifest, "mcpServers");
	struct source *source = ARENA_NEW(&l->arena, struct source);
	AUTO(free) char *path = fs_join(e->dir, EXTENSION_MANIFEST);
	struct str text = STR("");

	*source = (struct source){ .scope = "extension",
				   .path = arena_z(&l->arena, str_from(path)),
				   .extension = e->name };
	(void)settings_read(&l->arena, path, &text, &doc, NULL);
	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++) {
		const struct json_member *m = &servers->members[i];
		struct server s = { .name = m->key, .value = &m->v, .source = source };
		const struct json_member *raw = json_member(json_getz(doc, "mcpServers"), m->key);

		s.at = json_locate(text, raw ? raw->pos : 0);
		add_server(l, s, e->untrusted);
	}
}

static int read_source(struct list *l, const struct source *source, struct err *err)
{
	const struct json *doc, *servers;
	struct str text;
	int r = settings_read(&l->arena, source->path, &text, &doc, err);

	if (r <= 0)
		return r;
	servers = json_getz(doc, "mcpServers");
	if (servers && !json_is(servers, J_OBJ) && !json_is(servers, J_NULL)) {
		l->misshapen = true;
		(void)wb_fail(l->wb, EXIT_USAGE, "%s:%u: " SETTINGS_SERVERS_SHAPE,
			      short_path(l->hooks, source->path, &l->arena),
			      json_locate(text, json_member(doc, STR("mcpServers"))->pos).line,
			      json_type_name(servers));
	}
	for (size_t i = 0; json_is(servers, J_OBJ) && i < servers->n; i++) {
		const struct json_member *m = &servers->members[i];

		add_server(l,
			   (struct server){ .name = m->key,
					    .value = &m->v,
					    .source = source,
					    .at = json_locate(text, m->pos) },
			   !l->trusted && source->foreign);
	}
	return 0;
}

/* Claude's file, where its files count: the settings that follow count more. */
static void add_mcp_json(struct list *l, const struct dirs *dirs)
{
	struct tl_settings set = TL_SETTINGS_INIT();
	struct source *source = ARENA_NEW(&l->arena, struct source);
	const struct json *settings = NULL;
	struct err err;

	tl_hooks_settings(l->hooks, &set);
	*source = (struct source){ .scope = tiers[TL_TIER_PROJECT].name,
				   .path = place_path(
					   place_find(TL_TIER_PROJECT, "claude", PLACE_SERVERS),
					   dirs, &l->arena),
				   .foreign = true };
	if (!source->path || !word_in_text(STR("claude"), set.sources))
		return;
	if (read_source(l, source, &err) < 0)
		wb_complain(l->wb, "%s", err.text);
	if (!l->trusted ||
	    settings_load(&l->arena,
			  &(struct settings_dirs){
				  .dirs = *dirs, .trusted = true, .sources = set.sources },
			  &settings, NULL) < 0)
		return;
	for (size_t i = 0; i < l->servers.n; i++)
		if (l->servers.p[i].source == source &&
		    !json_get(json_getz(settings, "mcpServers"), l->servers.p[i].name))
			discount(&l->servers.p[i],
				 "enabledMcpjsonServers and disabledMcpjsonServers leave it out");
}

/* What `mcp disable` says holds for every server of that name. */
static int switch_off(struct list *l, struct err *err)
{
	const struct json *enablement;
	int r = mcp_enablement_read(&l->arena, tl_hooks_home(l->hooks), &enablement, err);

	for (size_t i = 0; r >= 0 && i < l->servers.n; i++) {
		struct server *s = &l->servers.p[i];

		if (s->counts && mcp_enablement_is_off(enablement, arena_z(&l->arena, s->name)))
			discount(s, "it is disabled; \"trotline mcp enable\" enables it");
	}
	return r;
}

/* ---- showing ---- */

static const char *transport(const struct server *s)
{
	const struct mcp_way *way = mcp_way_of(s->value);
	enum mcp_transport t = way ? mcp_transport_of(s->value, way) : MCP_STDIO;

	return way ? mcp_transports[t == MCP_HTTP_OR_SSE ? MCP_HTTP : t].name : "none";
}

/* The names only: values of env and headers are secrets. */
static const struct json *names(struct arena *a, const struct server *s, const char *key)
{
	const struct json *v = json_getz(s->value, key);
	struct json_list list = { 0 };

	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++)
		json_list_add(&list, json_new_copy(a, v->members[i].key));
	return json_is(v, J_OBJ) ? json_list_take(a, &list) : NULL;
}

static const struct json *value(struct list *l)
{
	struct arena *a = &l->wb->arena;
	struct json_list rows = { 0 };

	for (size_t i = 0; i < l->servers.n; i++) {
		const struct server *s = &l->servers.p[i];

		json_list_add(
			&rows,
			json_pack(a,
				  "name:s transport:z target:z ?env:j ?headers:j trust:b scope:z "
				  "?extension:z file:z line:u column:u state:z",
				  s->name, transport(s), mcp_target(a, s->value),
				  names(a, s, "env"), names(a, s, "headers"),
				  json_is_true(json_getz(s->value, "trust")), s->source->scope,
				  s->source->extension, s->source->path, s->at.line, s->at.column,
				  s->state));
	}
	return json_list_take(a, &rows);
}

static void show(struct list *l)
{
	bool untrusted = false;

	if (l->servers.n == 0)
		sheet_f(&l->wb->sheet, PLAIN,
			"No MCP servers are configured.  Add one: trotline mcp add NAME "
			"COMMAND\n");
	for (size_t i = 0; i < l->servers.n; i++) {
		const struct server *s = &l->servers.p[i];
		AUTO(buf_done) struct buf line = { 0 };

		buf_addf(&line, "%.*s  %s  %s", STR_ARG(s->name), transport(s),
			 mcp_target(&l->arena, s->value));
		sheet_text(&l->wb->sheet, s->counts ? PLAIN : DIM, buf_z(&line), 0);
		buf_clear(&line);
		buf_addf(&line, "%s%s%s, %s:%u%s%s", s->source->scope,
			 s->source->extension ? " " : "",
			 s->source->extension ? s->source->extension : "",
			 short_path(l->hooks, s->source->path, &l->arena), s->at.line,
			 s->counts ? "" : "; does not count: ", s->counts ? "" : s->state);
		sheet_text(&l->wb->sheet, DIM, buf_z(&line), 4);
		untrusted |= s->untrusted;
	}
	if (untrusted)
		sheet_f(&l->wb->sheet, PLAIN,
			"The project's settings count when the folder is trusted: trotline "
			"hooks trust\n");
}

int wb_mcp_list(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct list_args *args = args_;
	const struct agent *agent;
	AUTO(list_done) struct list l = { .wb = wb };
	struct err err;
	int status;
	struct dirs dirs;
	int r = 0;

	(void)n;
	(void)rest;
	if (agent_target_find(wb, args->into, &agent) != EXIT_OK)
		return EXIT_USAGE;
	bool ours = agent_is_read(agent);
	status = wb_load(wb, &(struct load_args){ .dir = args->dir }, WB_QUIET, &l.hooks);
	if (status != EXIT_OK)
		return status;
	/* Other agents decide for themselves whom they trust. */
	l.trusted = !ours || tl_hooks_folder_trusted(l.hooks);
	if (ours) {
		const struct extension_options options = { .home = tl_hooks_home(l.hooks),
							   .project = tl_hooks_project_dir(l.hooks),
							   .untrusted = !l.trusted };
		const struct extensions *all = extensions_read(&l.arena, &options);

		for (size_t i = 0; i < all->n; i++)
			if (!all->p[i].problem && all->p[i].chosen)
				add_extension(&l, &all->p[i]);
	}
	dirs = hooks_dirs(l.hooks, NULL);
	if (ours)
		add_mcp_json(&l, &dirs);
	for (const struct settings_place *p = NULL;
	     r >= 0 && (p = place_next(p, agent->files, PLACE_SERVERS));) {
		struct source *source = ARENA_NEW(&l.arena, struct source);

		*source = (struct source){ .scope = tiers[p->tier].name,
					   .path = place_path(p, &dirs, &l.arena),
					   .foreign = tiers[p->tier].foreign };
		r = source->path ? read_source(&l, source, &err) : 0;
	}
	if (r < 0 || (ours && switch_off(&l, &err) < 0))
		return settings_failed(wb, &err);
	wb->value = value(&l);
	show(&l);
	return l.misshapen ? EXIT_USAGE : EXIT_OK;
}
