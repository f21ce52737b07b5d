/*
 * Which model answers, and who serves it.  The provider is, in this order: the files of replayed
 * answers; what model.provider says; Google's when there is a key for the way that was selected
 * (the Gemini API, Vertex AI); openai when there is a server or a key for it.
 */
#include "cli/agent/agent_run.h"

#include <strings.h>

#include "model/alias.h"
#include "settings/settings.h"

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

static const char openai_hint[] = "For an OpenAI-compatible server (llama.cpp, Ollama, vLLM) set "
				  "OPENAI_BASE_URL.";
static const char no_auth_hint[] =
	"GOOGLE_GENAI_USE_VERTEXAI also needs GOOGLE_API_KEY; signing in with Google "
	"(GOOGLE_GENAI_USE_GCA) is not available here. For an OpenAI-compatible server (llama.cpp, "
	"Ollama, vLLM) set OPENAI_BASE_URL.";

/* What Gemini CLI can do and we cannot, or what is missing for it. */
static const struct {
	const char *type, *text;
} missing[] = {
	{ "gemini-api-key", "The Gemini API is selected, and there is no key for it: set "
			    "GEMINI_API_KEY" },
	{ "vertex-ai",
	  "Vertex AI is used with an API key here (its express mode): set "
	  "GOOGLE_API_KEY. Service accounts, that is GOOGLE_CLOUD_PROJECT with "
	  "GOOGLE_CLOUD_LOCATION alone, are not available; GEMINI_API_KEY is a key for "
	  "the Gemini API" },
	{ "oauth-personal",
	  "Signing in with a Google account is not available here: set GEMINI_API_KEY" },
	{ "compute-default-credentials",
	  "Application default credentials are not available here: set GEMINI_API_KEY" },
	{ "cloud-shell",
	  "The credentials of Cloud Shell are not available here: set GEMINI_API_KEY" },
};

/* What else would have to change so that another key is used: Vertex AI takes only its own. */
static void add_selection(struct run *r, struct buf *out)
{
	if (*settings_str(&r->arena, r->settings, "/security/auth/selectedType", ""))
		buf_addf(out,
			 ", which needs security.auth.selectedType to be "
			 "\"gemini-api-key\" in %s/.gemini/settings.json",
			 r->home);
	else
		buf_addz(out, ", which needs GOOGLE_GENAI_USE_VERTEXAI to be unset");
}

static int no_auth(struct run *r, const char *type)
{
	AUTO(buf_done) struct buf text = { 0 };

	if (!type)
		buf_addf(&text,
			 "Please set an Auth method in your %s/.gemini/settings.json or "
			 "specify one of the following environment variables before "
			 "running: GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, "
			 "GOOGLE_GENAI_USE_GCA",
			 r->home);
	for (size_t i = 0; type && i < ARRAY_LEN(missing); i++)
		if (strcmp(type, missing[i].type) == 0)
			buf_addz(&text, missing[i].text);
	if (type && !text.n)
		buf_addf(&text,
			 "The authentication type '%s' is not available here: set "
			 "GEMINI_API_KEY",
			 type);
	if (type && strcmp(type, "vertex-ai") == 0)
		add_selection(r, &text);
	return run_finish(r, EXIT_AUTH,
			  &(struct run_end){ .type = "Error",
					     .message = buf_z(&text),
					     .code = EXIT_AUTH,
					     .hint = type ? openai_hint : no_auth_hint });
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
	r->provider = provider_gemini_new(
		&(struct provider_options){ .base_url = run_env(r, "GOOGLE_GEMINI_BASE_URL"),
					    .key = gemini_key(r),
					    .api_version = run_env(r, "GOOGLE_GENAI_API_VERSION"),
					    .idle_timeout_ms = idle_timeout_ms(r) });
}

/* The key knows the project and where it is; two places have a server of their own all the same. */
static const char *vertex_address(const struct run *r)
{
	const char *url = run_env(r, "GOOGLE_VERTEX_BASE_URL");
	const char *location = run_env(r, "GOOGLE_CLOUD_LOCATION");

	if (url || !location)
		return url;
	if (strcmp(location, "us") == 0)
		return "https://aiplatform.us.rep.googleapis.com";
	return strcmp(location, "eu") == 0 ? "https://aiplatform.eu.rep.googleapis.com" : NULL;
}

static void make_vertex(struct run *r)
{
	r->auth = "vertex-ai";
	r->provider = provider_gemini_new(
		&(struct provider_options){ .base_url = vertex_address(r),
					    .key = run_env(r, "GOOGLE_API_KEY"),
					    .api_version = run_env(r, "GOOGLE_GENAI_API_VERSION"),
					    .vertex = true,
					    .idle_timeout_ms = idle_timeout_ms(r) });
}

static void make_openai(struct run *r)
{
	r->auth = "openai";
	r->provider = provider_openai_new(
		&(struct provider_options){ .base_url = run_env(r, "OPENAI_BASE_URL"),
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

static int make_google(struct run *r, const char *type)
{
	if (strcmp(type, "vertex-ai") == 0) {
		make_vertex(r);
		return check_address(r, "GOOGLE_VERTEX_BASE_URL");
	}
	make_gemini(r);
	return check_address(r, "GOOGLE_GEMINI_BASE_URL");
}

/* Is there all that this way needs? */
static bool can_google(const struct run *r, const char *type)
{
	if (!type)
		return false;
	if (strcmp(type, "vertex-ai") == 0)
		return run_env(r, "GOOGLE_API_KEY");
	return strcmp(type, "gemini-api-key") == 0 && gemini_key(r);
}

static int make_remote(struct run *r, const char *type)
{
	const char *wanted = settings_str(&r->arena, r->settings, "/model/provider", "");

	if (*wanted && strcmp(wanted, "gemini") != 0 && strcmp(wanted, "openai") != 0)
		return run_fail(r, EXIT_CONFIG, "FatalConfigError",
				"model.provider is \"gemini\" or \"openai\", not \"%s\"", wanted);
	if (strcmp(wanted, "openai") != 0 && can_google(r, type))
		return make_google(r, type);
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

/*
 * Settings that Gemini CLI signs in with serve here as they are: a key that is there stands in for
 * the way that is not, and it is said.
 */
static const char *way_that_is_here(struct run *r, const char *type)
{
	static const char *const here[] = { "gemini-api-key", "vertex-ai", "openai" };

	for (size_t i = 0; type && i < ARRAY_LEN(here); i++)
		if (strcmp(type, here[i]) == 0)
			return type;
	if (!type || !gemini_key(r))
		return type;
	output_say(&r->out,
		   "[WARNING] The authentication type '%s' is not available here; %s is used.",
		   type, run_env(r, "GEMINI_API_KEY") ? "GEMINI_API_KEY" : "GOOGLE_API_KEY");
	return "gemini-api-key";
}

static int make_provider(struct run *r)
{
	const struct agent_options *args = r->args;
	bool replay = args->fake_responses || args->fake_responses_non_strict;
	const char *type = replay ? auth_type(r) : way_that_is_here(r, auth_type(r));
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
