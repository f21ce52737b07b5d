/*
 * Which model answers, and who serves it.  The provider is, in this order: the files of replayed
 * answers; what model.provider says; gemini when there is a key for it; openai when there is a
 * server or a key for it.
 */
#include "cli/agent/agent_run.h"

#include <strings.h>

#include "agent/settings.h"
#include "model/alias.h"

#define DEFAULT_MODEL "gemini-2.5-pro"

static const char *gemini_key(const struct run *r)
{
	const char *key = run_env(r, "GEMINI_API_KEY");

	return key ? key : run_env(r, "GOOGLE_API_KEY");
}

static bool has_openai(const struct run *r)
{
	return run_env(r, "OPENAI_BASE_URL") || run_env(r, "OPENAI_API_KEY");
}

/* ---- authentication (host.md E3.1, E3.2) ---- */

/* How the user would be signed in, whether we can do it or not; NULL = not at all. */
static const char *auth_type(struct run *r)
{
	const char *selected =
		settings_str(&r->arena, r->settings, "/security/auth/selectedType", "");

	if (*selected)
		return selected;
	if (run_env_is_true(r, "GOOGLE_GENAI_USE_GCA"))
		return "oauth-personal";
	if (run_env_is_true(r, "GOOGLE_GENAI_USE_VERTEXAI"))
		return "vertex-ai";
	if (gemini_key(r))
		return "gemini-api-key";
	return has_openai(r) ? "openai" : NULL;
}

static int check_enforced(struct run *r, const char *type)
{
	const char *enforced =
		settings_str(&r->arena, r->settings, "/security/auth/enforcedType", "");

	if (!*enforced || (type && strcmp(enforced, type) == 0))
		return EXIT_OK;
	if (!type)
		return run_fail(
			r, EXIT_AUTH, "Error",
			"The enforced authentication type is '%s', but no authentication is "
			"configured.",
			enforced);
	return run_fail(r, EXIT_AUTH, "Error",
			"The enforced authentication type is '%s', but the current type is '%s'. "
			"Please re-authenticate with the correct type.",
			enforced, type);
}

static int no_auth(struct run *r, const char *type)
{
	AUTO(free) char *text = NULL;

	if (type && strcmp(type, "gemini-api-key") != 0)
		text = xasprintf(
			"The authentication type '%s' is not available here: set "
			"GEMINI_API_KEY, or OPENAI_BASE_URL for an OpenAI-compatible server",
			type);
	else
		text = xasprintf("Please set an Auth method in your %s/.gemini/settings.json or "
				 "specify one of the following environment variables before "
				 "running: GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, "
				 "GOOGLE_GENAI_USE_GCA",
				 r->home);
	return run_fail_end(
		r, EXIT_AUTH,
		&(struct run_end){ .type = "Error",
				   .message = text,
				   .code = EXIT_AUTH,
				   .hint = "For an OpenAI-compatible server (llama.cpp, Ollama, "
					   "vLLM) set OPENAI_BASE_URL." });
}

/* ---- the provider ---- */

/* How long a server may say nothing: a model of one's own can need its time. */
static int idle_timeout_ms(const struct run *r)
{
	double s = settings_num(r->settings, "/model/idleTimeoutSeconds", 0);

	return s > 0 && s < 86400 ? (int)(s * 1000) : 0;
}

static void make_gemini(struct run *r)
{
	r->auth = "gemini-api-key";
	r->provider = provider_gemini_new(&(struct provider_options){
		.base_url = run_env(r, "GOOGLE_GEMINI_BASE_URL"),
		.key = gemini_key(r),
		.idle_timeout_ms = idle_timeout_ms(r) });
}

static void make_openai(struct run *r)
{
	r->auth = "openai";
	r->provider = provider_openai_new(&(struct provider_options){
		.base_url = run_env(r, "OPENAI_BASE_URL"),
		.key = run_env(r, "OPENAI_API_KEY"),
		.idle_timeout_ms = idle_timeout_ms(r) });
}

static int make_replay(struct run *r, const char *path, bool strict)
{
	struct err err;

	r->provider = provider_replay_new(path, strict, &err);
	if (r->provider)
		return EXIT_OK;
	return run_fail(r, EXIT_USAGE, "Error", "%s", err.text);
}

/* "localhost:11434" is what people forget the scheme of. */
static int check_address(struct run *r, const char *name)
{
	const char *url = run_env(r, name);

	if (!url || strncasecmp(url, "http://", 7) == 0 || strncasecmp(url, "https://", 8) == 0)
		return EXIT_OK;
	return run_fail(r, EXIT_USAGE, "Error", "%s must begin with http:// or https://", name);
}

static int make_remote(struct run *r, const char *type)
{
	const char *wanted = settings_str(&r->arena, r->settings, "/model/provider", "");

	if (*wanted && strcmp(wanted, "gemini") != 0 && strcmp(wanted, "openai") != 0)
		return run_fail(r, EXIT_CONFIG, "FatalConfigError",
				"model.provider is \"gemini\" or \"openai\", not \"%s\"", wanted);
	if (strcmp(wanted, "openai") != 0 && gemini_key(r)) {
		make_gemini(r);
		return check_address(r, "GOOGLE_GEMINI_BASE_URL");
	}
	if (strcmp(wanted, "gemini") != 0 && has_openai(r)) {
		make_openai(r);
		return check_address(r, "OPENAI_BASE_URL");
	}
	return no_auth(r, type);
}

static void on_retry(void *data, int attempt, int wait_ms, const char *why)
{
	struct run *r = data;

	output_say(&r->out, "[INFO] Attempt %d failed: %s. Trying again in %.1f s.", attempt, why,
		   wait_ms / 1000.0);
}

static int make_provider(struct run *r)
{
	const struct agent_options *args = r->args;
	bool replay = args->fake_responses || args->fake_responses_non_strict;
	const char *type = auth_type(r);
	int status = type || !replay ? check_enforced(r, type) : EXIT_OK;

	r->auth_type = type;
	if (status != EXIT_OK)
		return status;
	status = args->fake_responses ? make_replay(r, args->fake_responses, true)
		 : replay             ? make_replay(r, args->fake_responses_non_strict, false)
				      : make_remote(r, type);
	if (status != EXIT_OK)
		return status;
	if (args->record_responses)
		r->provider = provider_recorder_new(MOVE(r->provider), args->record_responses);
	r->provider->on_retry = on_retry;
	r->provider->on_retry_data = r;
	return EXIT_OK;
}

int setup_model(struct run *r)
{
	const char *set = settings_str(&r->arena, r->settings, "/model/name", NULL);
	const char *name = r->args->model;
	bool openai;
	int status = make_provider(r);

	if (status != EXIT_OK)
		return status;
	openai = r->auth && strcmp(r->auth, "openai") == 0;
	if (!name || !*name)
		name = run_env(r, openai ? "OPENAI_MODEL" : "GEMINI_MODEL");
	if (!name)
		name = set && *set ? set : openai ? "default" : DEFAULT_MODEL;
	r->model = openai ? name : model_alias(name);
	return EXIT_OK;
}
