/* The session of a run, headless or interactive, with its policy and MCP servers. */
#include "cli/agent/agent_run.h"
#include "extensions/extension.h"
#include "hosts/history.h"
#include "os/clock.h"
#include "settings/settings.h"
#include "workbench/reaper.h"

static void keep_record(void *data, const struct tl_outcome *o)
{
	const struct run *r = data;
	static bool told; /* once: a session fires for each chunk of an answer */
	struct err err;

	if (history_keep(r->hooks, NULL, NULL, o, &err) < 0 && !told) {
		complain("%s", err.text);
		told = true;
	}
}

static void complain_of_telemetry(void *data, const char *text)
{
	const struct run *r = data;

	r->sink.note(r->sink.data, NOTE_WARNING, str_from(text));
}

/* The command under which hooks run that outlive the session (C2.3). */
static const char *const *reaper_command(struct run *r)
{
	enum { WORDS_MAX = 24 };
	const char **argv = ARENA_ARRAY(&r->arena, const char *, WORDS_MAX);
	const char *const words[] = {
		"trotline", "hooks",       "reap",
		"--json",   "--payload=-", "--dir",
		r->cwd,     "--expect",    reaper_digest(r->hooks, &r->arena)
	};
	const char *extensions = run_extension_words(r);
	const char *recorded = r->args->fake_responses ? r->args->fake_responses
						       : r->args->fake_responses_non_strict;
	size_t n = ARRAY_LEN(words);

	memcpy(argv, words, sizeof words);
	/* The keys are in the environment. */
	if (r->model) {
		argv[n++] = "--model";
		argv[n++] = r->model;
	}
	if (recorded) {
		argv[n++] = "--fake-responses";
		argv[n++] = recorded;
	}
	if (extensions) {
		argv[n++] = "--extensions";
		argv[n++] = extensions;
	}
	if (r->args->skip_trust)
		argv[n++] = "--skip-trust";
	if (r->args->no_project_hooks)
		argv[n++] = "--no-project-hooks";
	argv[n] = NULL;
	return argv;
}

/* With the plans of this session; NULL = of the one to come. */
static struct policy *make_policy(struct run *r, const struct session *s, enum approval_mode mode,
				  struct err *ret_err)
{
	struct err err;
	AUTO(free) char *temp = project_temp_dir(r->home, r->project, &err);
	const char *id = s ? session_id(s) : r->id;
	AUTO(free) char *plans = temp ? xasprintf("%s/%s/plans", temp, id) : NULL;

	return policy_new(&(struct policy_options){ .settings = r->settings,
						    .allowed = r->args->allowed_tools.p,
						    .servers = r->args->allowed_mcp_servers.p,
						    .policies = r->args->policy.p,
						    .admin_policies = r->args->admin_policy.p,
						    .extension_policies = extensions_dirs(
							    &r->arena, r->extensions, "policies"),
						    /* Once, not with every mode. */
						    .complain = r->policy ? NULL : output_complain,
						    .data = &r->out,
						    .home = r->home,
						    .project = r->project,
						    .cwd = r->cwd,
						    .plans_dir = plans,
						    .mode = mode,
						    .interactive = r->interactive,
						    .trusted = r->trusted },
			  ret_err);
}

struct policy *run_policy(struct run *r, enum approval_mode mode, struct err *err)
{
	return make_policy(r, NULL, mode, err);
}

int run_set_mode(struct run *r, struct session *s, enum approval_mode mode, struct err *err)
{
	struct policy *policy;

	if (mode == MODE_YOLO && settings_bool(r->settings, "/security/disableYoloMode", false))
		return err_set(err, E_CONFIG,
			       "security.disableYoloMode forbids yolo mode; auto_edit is allowed.");
	if (mode != MODE_DEFAULT && mode != MODE_PLAN && !r->trusted)
		return err_set(
			err, E_UNTRUSTED,
			"The mode stays %s: %s needs a trusted folder; /trust shows what this "
			"one would switch on, and trusts it.",
			mode_name(r->mode), mode_name(mode));
	policy = make_policy(r, s, mode, err);
	if (!policy)
		return -E_CONFIG;
	policy_take_said(policy, r->policy);
	session_set_mode(s, mode, policy);
	policy_free(r->policy);
	r->policy = policy;
	r->mode = mode;
	return 0;
}

/* For a tool. */
static int change_mode(void *data, struct session *s, const char *name, struct err *err)
{
	enum approval_mode mode;

	if (!mode_find(str_from(name), &mode))
		return err_set(err, E_CONFIG, "Unknown approval mode %s.", name);
	return run_set_mode(data, s, mode, err);
}

/* "waiting for MCP servers: files, docs" */
static void add_waiting(const struct run *r, struct buf *out)
{
	const char *between = "waiting for MCP servers: ";

	for (size_t i = 0; i < mcp_servers_count(r->mcp); i++) {
		struct mcp_server_info info;

		mcp_server_info(r->mcp, i, &info);
		if (info.state != MCP_CONNECTING)
			continue;
		buf_addf(out, "%s%s", between, info.name);
		between = ", ";
	}
}

/* (waits) A line of progress says so at once on a terminal, elsewhere a note once it takes long. */
static void wait_for_servers(struct run *r, const struct halt *halt)
{
	enum { SILENT = 5 }; /* seconds, units of clock_patience() */
	int ms = r->progress ? 1000 : SILENT * clock_patience();
	AUTO(buf_done) struct buf text = { 0 };

	add_waiting(r, &text);
	progress_set(r->progress, text.n ? buf_z(&text) : NULL);
	while (mcp_servers_wait_ms(r->mcp, ms, halt->work) == -E_AGAIN) {
		buf_clear(&text);
		add_waiting(r, &text);
		if (!text.n)
			continue;
		progress_say(r->progress, buf_z(&text));
		if (r->progress)
			continue;
		output_say_str(&r->out, "", buf_str(&text));
		ms = -1;
	}
	progress_set(r->progress, NULL);
}

/* (waits) A headless run needs all servers before its only prompt. */
static void start_servers(struct run *r, const struct agent_sink *sink, const struct halt *halt)
{
	const struct json *servers = json_getz(r->settings, "mcpServers"), *enablement = NULL;
	struct err err;

	if (!json_is(servers, J_OBJ) || !servers->n)
		return;
	if (mcp_enablement_read(&r->arena, r->home, &enablement, &err) < 0)
		sink->note(sink->data, NOTE_WARNING, str_from(err.text));
	r->mcp = mcp_servers_new(&(struct mcp_options){
		.home = r->home,
		.settings = r->settings,
		.env = r->server_env,
		.cwd = r->cwd,
		.untrusted = !r->trusted,
		.enablement = enablement,
		.on_change = r->on_servers,
		.data = r->on_servers_data,
		.only = r->args->allowed_mcp_servers.n ? r->args->allowed_mcp_servers.p : NULL,
	});
	if (r->interactive)
		return;
	wait_for_servers(r, halt);
	/* The session goes on without servers that failed. */
	for (size_t i = 0; i < mcp_servers_count(r->mcp); i++) {
		struct mcp_server_info info;

		mcp_server_info(r->mcp, i, &info);
		if (info.state != MCP_FAILED)
			continue;
		AUTO(free) char *text = xasprintf("MCP server %s: %s", info.name, info.reason);
		sink->note(sink->data, NOTE_WARNING, str_from(text));
	}
}

struct session *run_make_session(struct run *r, struct agent_sink sink, const struct halt *halt,
				 struct err *err)
{
	struct session *s;

	r->sink = sink;
	r->telemetry = telemetry_new(&(struct telemetry_options){ .settings = r->settings,
								  .env = r->env,
								  .home = r->home,
								  .session_id = r->id,
								  .interactive = r->interactive,
								  .auth_type = r->auth_type,
								  .complain = complain_of_telemetry,
								  .data = r });
	start_servers(r, &sink, halt);
	s = session_new(
		&(struct session_options){
			.hooks = r->hooks,
			.hosts = r->hosts,
			.settings = r->settings,
			.take_provider = MOVE(r->provider),
			.model = r->model,
			.home = r->home,
			.cwd = r->cwd,
			.project = r->project,
			.env = r->env,
			.tool_env = r->tool_env,
			.unrecorded = r->unrecorded,
			.debug = r->args->debug,
			.session_id = r->id,
			.resume_path = r->resume_path,
			.setup = r->args->maintenance                  ? "maintenance"
				 : r->args->init || r->args->init_only ? "init"
								       : NULL,
			.policy = r->policy,
			.mcp = r->mcp,
			.skills = r->skills,
			.agents = r->agents,
			.mode = r->mode,
			.change_mode = change_mode,
			.change_data = r,
			.roots = r->roots.p,
			.sandbox = r->sandbox,
			.extension_files = extensions_context_files(&r->arena, r->extensions),
			.telemetry = r->telemetry,
			.sink = sink,
			.halt = halt,
			.interactive = r->interactive,
			.trusted = r->trusted,
			.record = keep_record,
			.record_data = r,
			.reaper = reaper_command(r),
		},
		err);
	if (s && strcmp(r->id, session_id(s)) != 0)
		telemetry_session(r->telemetry, session_id(s));
	run_tell_configuration(r);
	return s;
}

static void take_hooks(struct run *r, struct session *s, struct tl_hooks *take_hooks,
		       struct tl_hooks *take_unmuted)
{
	struct tl_hooks *before = r->hooks, *unmuted_before = r->unmuted;

	r->hooks = take_hooks;
	r->unmuted = take_unmuted;
	session_set_hooks(s, r->hooks, reaper_command(r));
	session_set_unmuted(s, r->unmuted, r->unmute_at_us);
	tl_hooks_unref(before);
	tl_hooks_unref(unmuted_before);
}

int run_reload_hooks(struct run *r, struct session *s, struct tl_err *err)
{
	struct tl_hooks *hooks = NULL, *unmuted = NULL;
	int e = setup_load_hooks(r, NULL, r->muted.n ? &unmuted : &hooks, err);

	if (e >= 0 && r->muted.n)
		e = setup_load_hooks(r, &r->muted, &hooks, err);
	if (e < 0) {
		tl_hooks_unref(unmuted);
		return e;
	}
	take_hooks(r, s, hooks, unmuted);
	return 0;
}

void run_unmute_hooks(struct run *r, struct session *s)
{
	r->muted.n = 0;
	if (r->unmuted)
		take_hooks(r, s, tl_hooks_ref(r->unmuted), NULL);
}
