/*
 * Which model answers, and who serves it.  The provider is, in this order: replayed answers;
 * model.provider; Google's when the selected way (Gemini API, Vertex AI) has its key; openai when
 * it has a server or a key.
 */
#include "cli/agent/agent_run.h"

#include "base/words.h"
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

/* ---- authentication ---- */

/* How Gemini CLI would sign in, supported here or not; NULL = not at all. */
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
	"(GOOGLE_GENAI_USE_GCA) is not supported. For an OpenAI-compatible server (llama.cpp, "
	"Ollama, vLLM) set OPENAI_BASE_URL.";

/* Gemini CLI's ways to sign in that cannot be used, or what they lack. */
static const struct {
	const char *type, *text;
} unusable[] = {
	{ "gemini-api-key", "The Gemini API is selected, but its key is missing: set "
			    "GEMINI_API_KEY" },
	{ "vertex-ai", "Vertex AI is used with an API key (express mode): set GOOGLE_API_KEY. "
		       "Service accounts (GOOGLE_CLOUD_PROJECT with GOOGLE_CLOUD_LOCATION) are not "
		       "supported; GEMINI_API_KEY is a key for the Gemini API" },
	{ "oauth-personal", "Signing in with a Google account is not supported: set "
			    "GEMINI_API_KEY" },
	{ "compute-default-credentials",
	  "Application default credentials are not supported: set GEMINI_API_KEY" },
	{ "cloud-shell", "The credentials of Cloud Shell are not supported: set GEMINI_API_KEY" },
};

static int fail_without_auth(struct run *r, const char *type)
{
	AUTO(buf_done) struct buf text = { 0 };
	const char *selected =
		settings_str(&r->arena, r->settings, "/security/auth/selectedType", "");

	if (!type)
		buf_addf(&text,
			 "Please set an Auth method in your %s/.gemini/settings.json or "
			 "specify one of the following environment variables before "
			 "running: GEMINI_API_KEY, GOOGLE_GENAI_USE_VERTEXAI, "
			 "GOOGLE_GENAI_USE_GCA",
			 r->home);
	for (size_t i = 0; type && i < ARRAY_LEN(unusable); i++)
		if (strcmp(type, unusable[i].type) == 0)
			buf_addz(&text, unusable[i].text);
	if (type && !text.n)
		buf_addf(&text, "The authentication type '%s' is not supported: set GEMINI_API_KEY",
			 type);
	/* Vertex AI takes only its own key: what else another one needs. */
	if (type && strcmp(type, "vertex-ai") == 0 && *selected)
		buf_addf(&text,
			 ", which needs security.auth.selectedType to be "
			 "\"gemini-api-key\" in %s/.gemini/settings.json",
			 r->home);
	else if (type && strcmp(type, "vertex-ai") == 0)
		buf_addz(&text, ", which needs GOOGLE_GENAI_USE_VERTEXAI to be unset");
	return run_finish(r, EXIT_AUTH,
			  &(struct run_end){ .type = "Error",
					     .message = buf_z(&text),
					     .code = EXIT_AUTH,
					     .hint = type ? openai_hint : no_auth_hint });
}

/* ---- the provider ---- */

/* Vertex AI's key implies project and region; only two regions have a server of their own. */
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

/* The run's provider; an address without a scheme ("localhost:11434") is refused. */
static int use_provider(struct run *r, const char *auth, const char *address_name,
			struct provider_options *options)
{
	const char *url = run_env(r, address_name);
	double idle_s = settings_num(r->settings, "/model/idleTimeoutSeconds", 0);

	if (url && !str_starts_icase(str_from(url), STR("http://")) &&
	    !str_starts_icase(str_from(url), STR("https://")))
		return run_fail(r, EXIT_USAGE, "Error", "%s must begin with http:// or https://",
				address_name);
	if (idle_s > 0 && idle_s < 86400)
		options->idle_timeout_ms = (int)(idle_s * 1000);
	r->auth = auth;
	r->provider = strcmp(auth, "openai") == 0 ? provider_openai_new(options)
						  : provider_gemini_new(options);
	return EXIT_OK;
}

static int make_replay(struct run *r, const char *path, bool strict)
{
	struct err err;

	r->provider = provider_replay_new(path, strict, &err);
	if (r->provider)
		return EXIT_OK;
	return run_fail(r, EXIT_USAGE, "Error", "%s", err.text);
}

static int make_remote(struct run *r, const char *type)
{
	const char *wanted = settings_str(&r->arena, r->settings, "/model/provider", "");
	bool gemini = strcmp(wanted, "openai") != 0, openai = strcmp(wanted, "gemini") != 0;
	const char *google_key = run_env(r, "GOOGLE_API_KEY");
	struct provider_options o = { .api_version = run_env(r, "GOOGLE_GENAI_API_VERSION") };

	if (*wanted && gemini && openai)
		return run_fail(r, EXIT_CONFIG, "FatalConfigError",
				"model.provider is \"gemini\" or \"openai\", not \"%s\"", wanted);
	if (gemini && type && strcmp(type, "vertex-ai") == 0 && google_key) {
		o.base_url = vertex_address(r);
		o.key = google_key;
		o.vertex = true;
		return use_provider(r, "vertex-ai", "GOOGLE_VERTEX_BASE_URL", &o);
	}
	if (gemini && type && strcmp(type, "gemini-api-key") == 0 && gemini_key(r)) {
		o.base_url = run_env(r, "GOOGLE_GEMINI_BASE_URL");
		o.key = gemini_key(r);
		return use_provider(r, "gemini-api-key", "GOOGLE_GEMINI_BASE_URL", &o);
	}
	if (openai && has_openai(r)) {
		o = (struct provider_options){ .base_url = run_env(r, "OPENAI_BASE_URL"),
					       .key = run_env(r, "OPENAI_API_KEY") };
		return use_provider(r, "openai", "OPENAI_BASE_URL", &o);
	}
	return fail_without_auth(r, type);
}

static void on_retry(void *data, int attempt, int wait_ms, const char *why)
{
	struct run *r = data;

	/* On a terminal it is a part of the status line. */
	if (r->sink.retry) {
		r->sink.retry(r->sink.data, attempt, wait_ms, why);
		return;
	}
	output_say(&r->out, "[INFO] Attempt %d failed: %s. Retrying in %.1f s.", attempt, why,
		   wait_ms / 1000.0);
}

static int make_provider(struct run *r)
{
	const struct agent_options *args = r->args;
	bool replay = args->fake_responses || args->fake_responses_non_strict;
	static const char *const supported[] = { "gemini-api-key", "vertex-ai", "openai" };
	const char *type = auth_type(r);
	int status;

	/* Gemini CLI's settings for another way to sign in work with a key that is set. */
	if (!replay && type && !WORD_IN(str_from(type), supported) && gemini_key(r)) {
		output_warn(&r->out, "The authentication type '%s' is not supported; using %s.",
			    type,
			    run_env(r, "GEMINI_API_KEY") ? "GEMINI_API_KEY" : "GOOGLE_API_KEY");
		type = "gemini-api-key";
	}
	status = type || !replay ? check_enforced(r, type) : EXIT_OK;
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
