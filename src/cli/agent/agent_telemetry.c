/* What telemetry learns of a run: its configuration (gemini_cli.config) and slash commands. */
#include "cli/agent/agent_run.h"
#include "extensions/extension.h"
#include "settings/settings.h"

/* Comma-separated: the texts of an array, or the names of an object's members. */
static struct str joined(struct arena *a, const struct json *list)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++)
		buf_addf(&out, "%s%.*s", i ? "," : "", STR_ARG(json_str(&list->items[i], STR(""))));
	for (size_t i = 0; json_is(list, J_OBJ) && i < list->n; i++)
		buf_addf(&out, "%s%.*s", i ? "," : "", STR_ARG(list->members[i].key));
	return arena_str(a, buf_str(&out));
}

void run_tell_configuration(struct run *r)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *set = r->settings, *servers = json_getz(set, "mcpServers");
	const char *auth = r->auth_type ? r->auth_type : "";
	AUTO(buf_done) struct buf names = { 0 }, ids = { 0 };
	const struct json *core = json_pointer(set, STR("/tools/core"));
	int64_t active = 0;

	if (!telemetry_on(r->telemetry))
		return;
	for (size_t i = 0; i < r->extensions->n; i++) {
		const struct extension *e = &r->extensions->p[i];

		if (!extension_is_active(e))
			continue;
		buf_addf(&names, "%s%s", active ? "," : "", e->name);
		buf_addf(&ids, "%s%s", active++ ? "," : "", extension_id(&a, e));
	}
	const struct {
		const char *key, *value;
	} texts[] = {
		{ "model", r->model },
		{ "embedding_model", "" },
		{ "core_tools_enabled", joined(&a, json_is(core, J_ARR) ? core : NULL).p },
		{ "approval_mode", mode_name(r->mode) },
		{ "mcp_servers", joined(&a, json_is(servers, J_OBJ) ? servers : NULL).p },
		{ "output_format", r->args->output_format ? r->args->output_format : "text" },
		{ "extensions", buf_z(&names) },
		{ "extension_ids", buf_z(&ids) },
	};
	const struct {
		const char *key;
		bool value;
	} flags[] = {
		{ "sandbox_enabled", r->sandbox != NULL },
		{ "api_key_enabled", strcmp(auth, "gemini-api-key") == 0 },
		{ "vertex_ai_enabled", strcmp(auth, "vertex-ai") == 0 },
		{ "log_user_prompts_enabled", telemetry_prompts(r->telemetry) },
		{ "file_filtering_respect_git_ignore",
		  settings_bool(set, "/context/fileFiltering/respectGitIgnore", true) },
		{ "debug_mode", r->args->debug },
		{ "worktree_active", false },
	};
	const struct json *at = json_new_obj(&a);

	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		at = json_set(&a, at, str_from(texts[i].key),
			      json_new_str(&a, str_from(texts[i].value)));
	for (size_t i = 0; i < ARRAY_LEN(flags); i++)
		at = json_set(&a, at, str_from(flags[i].key), json_new_bool(&a, flags[i].value));
	at = json_set(&a, at, STR("mcp_servers_count"),
		      json_new_int(&a, json_is(servers, J_OBJ) ? (int64_t)servers->n : 0));
	at = json_set(&a, at, STR("extensions_count"), json_new_int(&a, active));
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
