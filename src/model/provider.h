/*
 * Providers of model answers behind one table of functions.
 *
 * Inside the agent a conversation is what the Gemini API calls contents: an array of {role, parts},
 * kept as JSON, so that parts which we do not know survive.  A provider for another API translates
 * at its edge.
 *
 *	AUTO(provider_free) struct provider *p = provider_gemini_new(&options);
 *	r = provider_stream(p, &rq, &sink, cancel, err);
 *	if (r < 0)
 *		... err->text, or provider_error(p) for all of it; p->status
 *
 * A provider belongs to one thread at a time and answers one request at a time.
 */
#pragma once

#include "base/cancel.h"
#include "base/json.h"

/* All borrowed; NULL = none. */
struct model_request {
	const char *model; /* "gemini-2.5-pro", also "models/gemini-2.5-pro" */
	const struct json *contents; /* array of contents */
	const struct json *system; /* one content: the system instruction */
	/*
	 * Array of function declarations {name, description, parametersJsonSchema}.  An entry
	 * without a name ({"googleSearch": {}}) is a tool of the Gemini API itself; other APIs do
	 * not see it.
	 */
	const struct json *tools;
	const struct json *config; /* members of generationConfig: temperature, topP, topK... */
	/* {"functionCallingConfig": {"mode", "allowedFunctionNames"}} */
	const struct json *tool_config;
};

/*
 * Called with each piece of a streamed answer: a response in Gemini's form ({candidates,
 * usageMetadata...}), which lives until the call returns.  A negative return ends the stream with
 * that error.
 *
 * Any member may be missing: a piece may have a candidate without content, no parts, or only
 * usageMetadata.  An answer that is whole has a finishReason in one of its pieces; a stream that
 * ends well without any was cut, and is for the caller to judge.
 *
 * In a functionCall, besides name, args and id, "invalidArguments" is a text that a model of the
 * openai provider wrote and that is no JSON object; args is {} then.
 */
struct model_sink {
	int (*chunk)(void *data, const struct json *response, struct err *err);
	void *data;
};

struct provider;

struct provider_ops {
	const char *name; /* "gemini", "openai", "replay", "recorder" */
	/*
	 * (waits) All three return 0; what the sink returned; -E_CANCEL; -E_IO for a refusal or a
	 * broken connection; -E_PARSE for an answer that is not what the API promises.
	 */
	int (*stream)(struct provider *p, const struct model_request *rq,
		      const struct model_sink *sink, struct cancel *cancel, struct err *err);
	int (*generate)(struct provider *p, const struct model_request *rq, struct arena *a,
			const struct json **ret_response, struct cancel *cancel, struct err *err);
	/* Also -E_NOTFOUND: the API does not count, the caller estimates. */
	int (*count_tokens)(struct provider *p, const struct model_request *rq, int64_t *ret_tokens,
			    struct cancel *cancel, struct err *err);
	void (*free)(struct provider *p);
};

/* The common part; a provider's own struct begins with it. */
struct provider {
	const struct provider_ops *ops;
	bool foreign; /* not the API of Gemini: no model names, search or thinking of its own */
	int status; /* HTTP status of the last failed call, 0 = none */
	bool cut; /* it failed in its answer, which broke off or says so, and may succeed later */
	void (*on_retry)(void *data, int attempt, int wait_ms, const char *why); /* NULL allowed */
	void *on_retry_data;
	struct buf message; /* private: of the last failed call */
};

struct provider_options {
	const char *base_url; /* NULL or "" = the API's own */
	const char *key; /* NULL or "" = none */
	int idle_timeout_ms; /* 0 = http.h's default */
	int retries; /* -1 = none, 0 = the default of 5 */
	/* Of Gemini alone: "v1", NULL or "" = the usual one; Vertex AI in its express mode, where a
	 * key is all there is. */
	const char *api_version;
	bool vertex;
};

/*
 * Gemini REST: streamGenerateContent?alt=sse, generateContent, countTokens; key in x-goog-api-key.
 * base_url with or without the version.  What the API sends reaches the sink as it came.
 */
struct provider *provider_gemini_new(const struct provider_options *o) MUST_CHECK;
/*
 * OpenAI-compatible chat completions, streamed, with tool calls (llama.cpp, Ollama, vLLM).
 * base_url with or without /v1.  Tool calls arrive in the last chunk.
 */
struct provider *provider_openai_new(const struct provider_options *o) MUST_CHECK;
/* A file of recorded responses; strict: in the file's order. NULL with *err. */
struct provider *provider_replay_new(const char *path, bool strict, struct err *err);
/*
 * Passes through to inner (which it owns) and appends what came to the file.  A file
 * that cannot be written is an error of the call, after the answer was delivered.
 */
struct provider *provider_recorder_new(struct provider *take_inner, const char *path) MUST_CHECK;

/* (waits) See struct provider_ops. */
static inline int provider_stream(struct provider *p, const struct model_request *rq,
				  const struct model_sink *sink, struct cancel *cancel,
				  struct err *err)
{
	return p->ops->stream(p, rq, sink, cancel, err);
}

/* (waits) The response lives in the arena. */
static inline int provider_generate(struct provider *p, const struct model_request *rq,
				    struct arena *a, const struct json **ret_response,
				    struct cancel *cancel, struct err *err)
{
	return p->ops->generate(p, rq, a, ret_response, cancel, err);
}

/* (waits) */
static inline int provider_count_tokens(struct provider *p, const struct model_request *rq,
					int64_t *ret_tokens, struct cancel *cancel, struct err *err)
{
	return p->ops->count_tokens(p, rq, ret_tokens, cancel, err);
}

/*
 * The whole sentence of the last call's error, of which struct err may hold only the beginning; ""
 * when the call did not fail.  It may have several lines and is not cleaned for a terminal.
 */
const char *provider_error(struct provider *p);
void provider_free(struct provider *p); /* NULL allowed */

/* The request as the Gemini API wants it, as one JSON object without the model. */
void gemini_write_request(struct jw *w, const struct model_request *rq);

/*
 * For providers: a call begins; it fails with this sentence; it failed with this result and, unless
 * somebody forgot to, *from.  err may be NULL; the last two return the negative code.
 */
void provider_begin(struct provider *p);
int provider_fail(struct provider *p, struct err *err, int code, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
int provider_failed(struct provider *p, int result, const struct err *from, struct err *err);

DEFINE_AUTO_PTR(struct provider, provider_free)
