/*
 * A request in Gemini's form as one of chat completions.
 *
 * There, each call of a tool is answered by a message of its own, right after the message with the
 * calls, which it names by an id.  So ids are made up where Gemini has none, calls without an
 * answer get one, and an answer without its call (the history was compressed) becomes text.
 */
#include "base/vec.h"
#include "model/openai_impl.h"

struct call {
	struct str id, name;
	bool answered;
};

struct translation {
	struct jw *w;
	struct arena a;
	struct {
		struct call *p;
		size_t n, cap;
	} calls; /* of the last message with calls */
};

struct leftovers {
	const struct json **p;
	size_t n, cap;
};

static bool is_thought(const struct json *part)
{
	return json_is_true(json_getz(part, "thought"));
}

static const struct json *parts_of(const struct json *content)
{
	return json_getz(content, "parts");
}

/* All text but thoughts. */
static struct str text_of(struct arena *a, const struct json *content)
{
	AUTO(buf_done) struct buf all = { 0 };
	const struct json *part;

	if (json_is(content, J_STR))
		return json_str(content, STR(""));
	for (size_t i = 0; (part = json_at(parts_of(content), i)) != NULL; i++)
		if (!is_thought(part))
			buf_adds(&all, json_get_str(part, "text"));
	return arena_str(a, buf_str(&all));
}

static void write_message(struct jw *w, const char *role, struct str text)
{
	jw_obj(w);
	jw_kv_z(w, "role", role);
	jw_kv_str(w, "content", text);
	jw_end(w);
}

static void write_tool_message(struct jw *w, struct str id, struct str text)
{
	jw_obj(w);
	jw_kv_z(w, "role", "tool");
	jw_kv_str(w, "tool_call_id", id);
	jw_kv_str(w, "content", text);
	jw_end(w);
}

/* Before any other message: unanswered calls. */
static void close_calls(struct translation *t)
{
	for (size_t i = 0; i < t->calls.n; i++)
		if (!t->calls.p[i].answered)
			write_tool_message(t->w, t->calls.p[i].id,
					   STR("No result: the call did not finish."));
	t->calls.n = 0;
}

static void write_call(struct translation *t, const struct json *call, struct str id)
{
	const struct json *args = json_getz(call, "args");
	struct str name = json_get_str(call, "name");
	struct str text = STR("{}");

	if (json_is(args, J_OBJ))
		text = json_text(&t->a, args, JSON_COMPACT);
	jw_obj(t->w);
	jw_kv_str(t->w, "id", id);
	jw_kv_z(t->w, "type", "function");
	jw_key(t->w, "function");
	jw_obj(t->w);
	jw_kv_str(t->w, "name", name);
	jw_kv_str(t->w, "arguments", text);
	jw_end(t->w);
	jw_end(t->w);
	*VEC_ADD(&t->calls) = (struct call){ .id = id, .name = name };
}

static void write_assistant(struct translation *t, const struct json *content, size_t number)
{
	struct str text = text_of(&t->a, content);
	const struct json *parts = parts_of(content);
	bool calls = false;

	for (size_t i = 0; json_at(parts, i); i++)
		calls |= json_is(json_getz(json_at(parts, i), "functionCall"), J_OBJ);
	if (!text.n && !calls)
		return;
	close_calls(t);
	jw_obj(t->w);
	jw_kv_z(t->w, "role", "assistant");
	jw_key(t->w, "content");
	if (text.n)
		jw_str(t->w, text);
	else
		jw_null(t->w);
	if (calls) {
		jw_key(t->w, "tool_calls");
		jw_arr(t->w);
	}
	for (size_t i = 0; json_at(parts, i); i++) {
		const struct json *call = json_getz(json_at(parts, i), "functionCall");
		struct str id;

		if (!json_is(call, J_OBJ))
			continue;
		/* The call's own id, else one that is the same in every request of this
		 * conversation. */
		id = json_get_str(call, "id");
		write_call(t, call, id.n ? id : arena_printf(&t->a, "call_%zu_%zu", number, i));
	}
	if (calls)
		jw_end(t->w);
	jw_end(t->w);
}

/* What a tool's result says to the model. */
static struct str response_text(struct arena *a, const struct json *response)
{
	const struct json *output = json_getz(response, "output");
	const struct json *error = json_getz(response, "error");

	if (json_is(output, J_STR))
		return json_str(output, STR(""));
	if (json_is(error, J_STR))
		return arena_printf(a, "Error: %.*s", STR_ARG(json_str(error, STR(""))));
	return response ? json_text(a, response, JSON_COMPACT) : STR("");
}

/* The open call that this is the answer to: by its id, else the first of its name. */
static struct call *find_call(struct translation *t, const struct json *response)
{
	struct str id = json_get_str(response, "id");
	struct str name = json_get_str(response, "name");

	for (size_t i = 0; id.n && i < t->calls.n; i++)
		if (!t->calls.p[i].answered && str_eq(t->calls.p[i].id, id))
			return &t->calls.p[i];
	for (size_t i = 0; i < t->calls.n; i++)
		if (!t->calls.p[i].answered && str_eq(t->calls.p[i].name, name))
			return &t->calls.p[i];
	return NULL;
}

/* Answers to calls are written; everything else is left over. */
static void write_answers(struct translation *t, const struct json *parts, struct leftovers *rest)
{
	for (size_t i = 0; json_at(parts, i); i++) {
		const struct json *part = json_at(parts, i);
		const struct json *response = json_getz(part, "functionResponse"), *inner;
		struct call *call = json_is(response, J_OBJ) ? find_call(t, response) : NULL;

		if (!call)
			*VEC_ADD(rest) = part;
		for (size_t k = 0; (inner = json_at(parts_of(response), k)) != NULL; k++)
			*VEC_ADD(rest) = inner;
		if (!call)
			continue;
		call->answered = true;
		write_tool_message(t->w, call->id,
				   response_text(&t->a, json_getz(response, "response")));
	}
}

/* The URL of a part's image: data, or a web address; empty when it is none. */
static struct str image_url(struct arena *a, const struct json *part)
{
	const struct json *data = json_getz(part, "inlineData");
	const struct json *file = json_getz(part, "fileData");
	struct str type = json_get_str(data ? data : file, "mimeType");
	struct str uri = json_get_str(file, "fileUri");
	AUTO(buf_done) struct buf url = { 0 };

	if (!str_starts(type, STR("image/")))
		return STR("");
	if (!data)
		return str_starts(uri, STR("https:")) || str_starts(uri, STR("http:")) ? uri
										       : STR("");
	buf_addz(&url, "data:");
	buf_adds(&url, type);
	buf_addz(&url, ";base64,");
	buf_adds(&url, json_get_str(data, "data"));
	return arena_str(a, buf_str(&url));
}

/* What a part says in words. */
static struct str words_of(struct arena *a, const struct json *part)
{
	const struct json *response = json_getz(part, "functionResponse"), *media;
	struct str text = json_get_str(part, "text"), type;

	if (is_thought(part))
		return STR("");
	if (json_is(response, J_OBJ)) {
		text = response_text(a, json_getz(response, "response"));
		return arena_printf(a, "Result of %.*s: %.*s\n",
				    STR_ARG(json_str(json_getz(response, "name"), STR("a tool"))),
				    STR_ARG(text));
	}
	media = json_getz(part, "inlineData");
	media = media ? media : json_getz(part, "fileData");
	if (!media)
		return json_is(part, J_STR) ? json_str(part, STR("")) : text;
	type = json_str(json_getz(media, "mimeType"), STR("a file"));
	return arena_printf(a, "[%.*s left out: this model takes text and images only]\n",
			    STR_ARG(type));
}

static void write_text_item(struct jw *w, struct buf *text)
{
	if (!text->n)
		return;
	jw_obj(w);
	jw_kv_z(w, "type", "text");
	jw_kv_str(w, "text", buf_str(text));
	jw_end(w);
	buf_clear(text);
}

static void write_items(struct translation *t, const struct leftovers *rest)
{
	AUTO(buf_done) struct buf text = { 0 };

	jw_obj(t->w);
	jw_kv_z(t->w, "role", "user");
	jw_key(t->w, "content");
	jw_arr(t->w);
	for (size_t i = 0; i < rest->n; i++) {
		struct str url = image_url(&t->a, rest->p[i]);

		if (!url.n) {
			buf_adds(&text, words_of(&t->a, rest->p[i]));
			continue;
		}
		write_text_item(t->w, &text);
		jw_obj(t->w);
		jw_kv_z(t->w, "type", "image_url");
		jw_key(t->w, "image_url");
		jw_obj(t->w);
		jw_kv_str(t->w, "url", url);
		jw_end(t->w);
		jw_end(t->w);
	}
	write_text_item(t->w, &text);
	jw_end(t->w);
	jw_end(t->w);
}

static void write_user(struct translation *t, const struct leftovers *rest)
{
	AUTO(buf_done) struct buf text = { 0 };
	bool images = false;

	for (size_t i = 0; i < rest->n; i++) {
		if (image_url(&t->a, rest->p[i]).n)
			images = true;
		else
			buf_adds(&text, words_of(&t->a, rest->p[i]));
	}
	if (!images && !text.n)
		return;
	close_calls(t);
	if (images)
		write_items(t, rest);
	else
		write_message(t->w, "user", buf_str(&text));
}

static void write_messages(struct translation *t, const struct model_request *rq)
{
	struct str system = text_of(&t->a, rq->system);
	const struct json *content;

	jw_arr(t->w);
	if (system.n)
		write_message(t->w, "system", system);
	for (size_t i = 0; (content = json_at(rq->contents, i)) != NULL; i++) {
		struct leftovers rest = { 0 };

		if (str_eqz(json_get_str(content, "role"), "model")) {
			write_assistant(t, content, i);
			continue;
		}
		if (json_is(content, J_STR))
			*VEC_ADD(&rest) = content;
		write_answers(t, parts_of(content), &rest);
		write_user(t, &rest);
		free(rest.p);
	}
	close_calls(t);
	jw_end(t->w);
}

/* True when there was one. */
static bool write_tools(struct jw *w, const struct json *tools)
{
	bool some = false;
	const struct json *tool, *schema;

	for (size_t i = 0; (tool = json_at(tools, i)) != NULL; i++) {
		if (!json_is(json_getz(tool, "name"), J_STR))
			continue;
		if (!some) {
			jw_key(w, "tools");
			jw_arr(w);
		}
		some = true;
		schema = json_getz(tool, "parametersJsonSchema");
		schema = schema ? schema : json_getz(tool, "parameters");
		jw_obj(w);
		jw_kv_z(w, "type", "function");
		jw_key(w, "function");
		jw_obj(w);
		jw_kv_str(w, "name", json_get_str(tool, "name"));
		jw_kv_str(w, "description", json_get_str(tool, "description"));
		jw_key(w, "parameters");
		if (schema)
			jw_json(w, schema);
		else
			jw_raw(w, STR("{\"type\":\"object\",\"properties\":{}}"));
		jw_end(w);
		jw_end(w);
	}
	if (some)
		jw_end(w);
	return some;
}

static void write_config(struct jw *w, const struct json *config)
{
	static const struct {
		const char *theirs, *ours;
	} keys[] = {
		{ "temperature", "temperature" },
		{ "top_p", "topP" },
		{ "max_tokens", "maxOutputTokens" },
		{ "stop", "stopSequences" },
		{ "seed", "seed" },
		{ "presence_penalty", "presencePenalty" },
		{ "frequency_penalty", "frequencyPenalty" },
	};
	struct str type = json_get_str(config, "responseMimeType");

	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		const struct json *v = json_get(config, str_from(keys[i].ours));

		if (!v || v->type == J_NULL)
			continue;
		jw_key(w, keys[i].theirs);
		jw_json(w, v);
	}
	if (str_eqz(type, "application/json")) {
		jw_key(w, "response_format");
		jw_raw(w, STR("{\"type\":\"json_object\"}"));
	}
}

void openai_write_request(struct jw *w, const struct model_request *rq, bool stream)
{
	struct translation t = { .w = w };

	jw_obj(w);
	jw_kv_z(w, "model", rq->model ? rq->model : "");
	jw_key(w, "messages");
	write_messages(&t, rq);
	if (write_tools(w, rq->tools)) {
		const struct json *calling = json_getz(rq->tool_config, "functionCallingConfig");
		const struct json *names = json_getz(calling, "allowedFunctionNames");
		struct str mode = json_get_str(calling, "mode");

		if (str_eqz(mode, "AUTO")) {
			jw_kv_z(w, "tool_choice", "auto");
		} else if (str_eqz(mode, "NONE")) {
			jw_kv_z(w, "tool_choice", "none");
		} else if (str_eqz(mode, "ANY") && json_is(names, J_ARR) && names->n == 1) {
			jw_key(w, "tool_choice");
			jw_obj(w);
			jw_kv_z(w, "type", "function");
			jw_key(w, "function");
			jw_obj(w);
			jw_kv_str(w, "name", json_str(json_at(names, 0), STR("")));
			jw_end(w);
			jw_end(w);
		} else if (str_eqz(mode, "ANY")) {
			jw_kv_z(w, "tool_choice", "required");
		}
	}
	write_config(w, rq->config);
	if (stream) {
		jw_kv_bool(w, "stream", true);
		jw_key(w, "stream_options");
		jw_raw(w, STR("{\"include_usage\":true}"));
	}
	jw_end(w);
	free(t.calls.p);
	arena_done(&t.a);
}
