/* What telemetry is told of a run's configuration (host.md J4, gemini_cli.config). */
#include "cli/agent/agent_run.h"
#include "extensions/extension.h"
#include "settings/settings.h"

static bool signed_in_by(const struct run *r, const char *type)
{
	return r->auth_type && strcmp(r->auth_type, type) == 0;
}

/* "a,b", or "" */
static struct str joined(struct arena *a, const struct json *list)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++)
		buf_addf(&out, "%s%.*s", i ? "," : "",
			 STR_ARG(json_str(json_at(list, i), STR(""))));
	return arena_str(a, buf_str(&out));
}

/* The members' names: "a,b", or "". */
static struct str joined_names(struct arena *a, const struct json *members)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_is(members, J_OBJ) && i < members->n; i++)
		buf_addf(&out, "%s%.*s", i ? "," : "", STR_ARG(members->members[i].key));
	return arena_str(a, buf_str(&out));
}

/* Of those that are active: their names, or what tells them from others. */
static struct str joined_extensions(struct arena *a, const struct extensions *all, bool ids)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < all->n; i++)
		if (extension_is_active(&all->p[i]))
			buf_addf(&out, "%s%s", out.n ? "," : "",
				 ids ? extension_id(a, &all->p[i]) : all->p[i].name);
	return arena_str(a, buf_str(&out));
}

static int64_t count_extensions(const struct extensions *all)
{
	int64_t n = 0;

	for (size_t i = 0; i < all->n; i++)
		n += extension_is_active(&all->p[i]);
	return n;
}

void run_tell_configuration(struct run *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *set = r->settings, *servers = json_getz(set, "mcpServers");
	const struct {
		const char *key, *value;
	} texts[] = {
		{ "model", r->model },
		{ "embedding_model", "" },
		{ "core_tools_enabled", joined(&a, json_pointer(set, STR("/tools/core"))).p },
		{ "approval_mode", mode_name(r->mode) },
		{ "mcp_servers", joined_names(&a, servers).p },
		{ "output_format", r->args->output_format ? r->args->output_format : "text" },
		{ "extensions", joined_extensions(&a, r->extensions, false).p },
		{ "extension_ids", joined_extensions(&a, r->extensions, true).p },
	};
	const struct {
		const char *key;
		bool value;
	} flags[] = {
		{ "sandbox_enabled", false },
		{ "api_key_enabled", signed_in_by(r, "gemini-api-key") },
		{ "vertex_ai_enabled", signed_in_by(r, "vertex-ai") },
		{ "log_user_prompts_enabled", telemetry_prompts(r->telemetry) },
		{ "file_filtering_respect_git_ignore",
		  settings_bool(set, "/context/fileFiltering/respectGitIgnore", true) },
		{ "debug_mode", r->args->debug },
		{ "worktree_active", false },
	};
	const struct json *at = json_new_obj(&a);

	if (!telemetry_on(r->telemetry))
		return;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		at = json_set(&a, at, str_from(texts[i].key),
			      json_new_str(&a, str_from(texts[i].value)));
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		at = json_set(&a, at, str_from(flags[i].key), json_new_bool(&a, flags[i].value));
	at = json_set(&a, at, STR("mcp_servers_count"),
		      json_new_int(&a, json_is(servers, J_OBJ) ? (int64_t)servers->n : 0));
	at = json_set(&a, at, STR("extensions_count"),
		      json_new_int(&a, count_extensions(r->extensions)));
	telemetry_event(r->telemetry, "config", "CLI configuration loaded.", at);
}

void run_tell_slash(struct run *r, struct str command, struct str subcommand, bool ok)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *at = json_set(&a, NULL, STR("command"), json_new_str(&a, command));

	if (!telemetry_on(r->telemetry))
		return;
	if (subcommand.n)
		at = json_set(&a, at, STR("subcommand"), json_new_str(&a, subcommand));
	at = json_set(&a, at, STR("status"), json_new_str(&a, ok ? STR("success") : STR("error")));
	telemetry_event(r->telemetry, "slash_command",
			arena_printf(&a, "Slash command: %.*s.", STR_ARG(command)).p, at);
}
