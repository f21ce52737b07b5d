/* Requests in the form of the Stable Model API, and what hooks change in them. */
#include "model/stable.h"

#include "base/json_pack.h"
#include "base/words.h"
#include "hooks/messages.h"
#include "model/stable_impl.h"

static const struct str config_keys[] = {
	{ "temperature", 11 },
	{ "maxOutputTokens", 15 },
	{ "topP", 4 },
	{ "topK", 4 },
};

const struct json *stable_array(struct arena *a, struct stable_list *list)
{
	const struct json *v = json_new_arr(a, list->p, list->n);

	free(list->p);
	*list = (struct stable_list){ 0 };
	return v;
}

bool stable_part_text(const struct json *part, struct str *ret_text)
{
	const struct json *text = json_getz(part, "text");

	if (!json_is(text, J_STR))
		return false;
	*ret_text = json_str(text, STR(""));
	return true;
}

const struct json *stable_text_part(struct arena *a, struct str text)
{
	return json_set(a, NULL, STR("text"), json_new_str(a, text));
}

const struct json *stable_set(struct arena *a, const struct json *obj, struct str key,
			      const struct json *v)
{
	return json_equal(json_get(obj, key), v) ? obj : json_set(a, obj, key, v);
}

static struct str shown_role(const struct json *content)
{
	struct str role = json_str(json_getz(content, "role"), STR("user"));

	return str_eqz(role, "model") || str_eqz(role, "system") ? role : STR("user");
}

static const struct json *new_content(struct arena *a, struct str role, const struct json *parts)
{
	const struct json *c = json_set(a, NULL, STR("role"), json_new_str(a, role));

	return json_set(a, c, STR("parts"), parts);
}

/* ---- parts as hooks see them ---- */

/* What a result says: its output or error, or else all that it holds. */
static const char *output_key(const struct json *response)
{
	const char *key = json_getz(response, "error") ? "error" : "output";

	return response && response->n == 1 && json_is(json_getz(response, key), J_STR) ? key
											: NULL;
}

static const struct json *media_entry(struct arena *a, const struct json *data)
{
	struct str base64 = json_get_str(data, "data");
	size_t n = base64.n;

	while (n && base64.p[n - 1] == '=')
		n--;
	return json_pack(a, "type:z mimeType:s size:n", "media", json_get_str(data, "mimeType"),
			 n / 4 * 3 + n % 4 * 3 / 4);
}

/* The entries of a part (hooks/messages.h): mostly one. */
static void part_entries(struct arena *a, const struct json *part, struct stable_list *list)
{
	static const char *const known[] = { "text",       "functionCall", "functionResponse",
					     "inlineData", "thought",      "thoughtSignature" };
	const struct json *call = json_getz(part, "functionCall");
	const struct json *result = json_getz(part, "functionResponse"), *nested;
	const struct json *data = json_getz(part, "inlineData");
	const struct json *response = json_getz(result, "response");
	const char *key = output_key(response);
	struct str text;

	if (stable_part_text(part, &text))
		*VEC_ADD(list) = json_pack(a, "type:z text:s ?thought:b", "text", text,
					   json_is_true(json_getz(part, "thought")));
	if (json_is(call, J_OBJ))
		*VEC_ADD(list) = json_pack(a, "type:z ?id:s name:s args:j", "call",
					   json_get_str(call, "id"), json_get_str(call, "name"),
					   json_getz(call, "args") ? json_getz(call, "args")
								   : json_new_obj(a));
	if (json_is(result, J_OBJ))
		*VEC_ADD(list) = json_pack(a, "type:z ?id:s name:s output:s", "result",
					   json_get_str(result, "id"), json_get_str(result, "name"),
					   key        ? json_get_str(response, key)
					   : response ? json_text(a, response, JSON_COMPACT)
						      : STR(""));
	for (size_t i = 0; (nested = json_at(json_getz(result, "parts"), i)); i++)
		if (json_is(json_getz(nested, "inlineData"), J_OBJ))
			*VEC_ADD(list) = media_entry(a, json_getz(nested, "inlineData"));
	if (json_is(data, J_OBJ))
		*VEC_ADD(list) = media_entry(a, data);
	for (size_t i = 0; json_is(part, J_OBJ) && i < part->n; i++) {
		const struct json_member *m = &part->members[i];
		size_t k = 0;

		while (k < ARRAY_LEN(known) && !str_eqz(m->key, known[k]))
			k++;
		if (k == ARRAY_LEN(known))
			*VEC_ADD(list) = json_pack(a, "type:z name:s value:s", "other", m->key,
						   json_text(a, &m->v, JSON_COMPACT));
	}
}

/* NULL when there is nothing to be seen in it. */
static const struct json *shown_message(struct arena *a, const struct json *content)
{
	const struct json *parts = json_getz(content, "parts"), *m;
	struct stable_list entries = { 0 };

	if (json_is(content, J_STR))
		*VEC_ADD(&entries) = json_pack(a, "type:z text:j", "text", content);
	for (size_t i = 0; json_at(parts, i); i++)
		part_entries(a, json_at(parts, i), &entries);
	m = message_shown(a, shown_role(content), stable_array(a, &entries));
	return json_get_str(m, "content").n ? m : NULL;
}

/* NULL when none is set. */
static const struct json *shown_tool_config(struct arena *a, const struct json *tool_config)
{
	const struct json *from = json_getz(tool_config, "functionCallingConfig");
	const struct json *mode = json_getz(from, "mode");
	const struct json *names = json_getz(from, "allowedFunctionNames");
	const struct json *shown = NULL;

	if (json_is(mode, J_STR))
		shown = json_set(a, shown, STR("mode"), mode);
	if (json_is(names, J_ARR))
		shown = json_set(a, shown, STR("allowedFunctionNames"), names);
	return shown;
}

const struct json *stable_request(struct arena *a, const struct model_request *rq)
{
	const struct json *config = json_new_obj(a), *m;
	struct stable_list messages = { 0 };

	for (size_t i = 0; json_at(rq->contents, i); i++)
		if ((m = shown_message(a, json_at(rq->contents, i))))
			*VEC_ADD(&messages) = m;
	for (size_t i = 0; i < ARRAY_LEN(config_keys); i++) {
		const struct json *v = json_get(rq->config, config_keys[i]);

		if (json_is(v, J_NUM))
			config = json_set(a, config, config_keys[i], v);
	}
	return json_pack(a, "model:z messages:j config:j ?toolConfig:j", rq->model,
			 stable_array(a, &messages), config, shown_tool_config(a, rq->tool_config));
}

/* The role that a hook has given, as a model's API takes it: no "system" inside the contents. */
static struct str message_role(const struct json *message, struct str dflt)
{
	const struct json *role = json_getz(message, "role");
	struct str s = json_str(role, STR(""));

	if (!json_is(role, J_STR) || str_eq(s, dflt))
		return dflt;
	return str_eqz(s, "model") || str_eqz(s, "assistant") ? STR("model") : STR("user");
}

/* A part with one of its entries changed; NULL when nothing is left of it. */
static const struct json *part_with(struct arena *a, const struct json *part,
				    const struct json *entry)
{
	const struct json *text = json_getz(entry, "text"), *output = json_getz(entry, "output");
	const struct json *result = json_getz(part, "functionResponse"), *response;
	const char *key;

	/* A text part may carry more than its text, such as a thoughtSignature. */
	if (text && !text->n && part->n <= 1U + (json_getz(part, "thought") != NULL))
		return NULL;
	if (text && !json_is_true(json_getz(entry, "thought")))
		part = json_without(a, part, STR("thought"));
	if (text)
		return json_set(a, part, STR("text"), text);
	if (!output)
		return part;
	key = output_key(json_getz(result, "response"));
	response = json_set(a, NULL, str_from(key ? key : "output"), output);
	return json_set(a, part, STR("functionResponse"),
			json_set(a, result, STR("response"), response));
}

/* The parts with these entries in place of the old ones; those behind are new texts. */
static const struct json *parts_with(struct arena *a, const struct json *parts,
				     const struct json *old, const struct json *now)
{
	struct stable_list list = { 0 };
	size_t at = 0;

	for (size_t i = 0; json_at(parts, i); i++) {
		const struct json *part = json_at(parts, i);
		struct stable_list own = { 0 };

		part_entries(a, part, &own);
		for (size_t k = 0; k < own.n; k++, at++)
			if (part && !json_equal(json_at(old, at), json_at(now, at)))
				part = part_with(a, part, json_at(now, at));
		free(own.p);
		if (part)
			*VEC_ADD(&list) = part;
	}
	for (; json_at(now, at); at++)
		if (json_get_str(json_at(now, at), "text").n)
			*VEC_ADD(&list) =
				stable_text_part(a, json_get_str(json_at(now, at), "text"));
	if (!list.n)
		*VEC_ADD(&list) = stable_text_part(a, STR(""));
	return stable_array(a, &list);
}

/* The content as the message wants it; the same pointer when that is as it was shown. */
static const struct json *apply_message(struct arena *a, const struct json *content,
					const struct json *shown, const struct json *message)
{
	struct str role = shown_role(content), new_role = message_role(message, role);
	const struct json *old = json_getz(shown, "parts"), *now;

	now = json_getz(message_edited(a, shown, message, "of the host", NULL), "parts");
	if (json_is(now, J_ARR) && now != old && !json_is(content, J_OBJ))
		return new_content(a, new_role, parts_with(a, NULL, NULL, now));
	if (json_is(now, J_ARR) && now != old)
		content = json_set(a, content, STR("parts"),
				   parts_with(a, json_getz(content, "parts"), old, now));
	else if (!json_is(content, J_OBJ) && !str_eq(role, new_role))
		return new_content(a, new_role, parts_with(a, NULL, NULL, old));
	return str_eq(role, new_role)
		       ? content
		       : json_set(a, content, STR("role"), json_new_str(a, new_role));
}

static bool has_part(const struct json *content, const char *key)
{
	const struct json *parts = json_getz(content, "parts");

	for (size_t i = 0; json_at(parts, i); i++)
		if (json_getz(json_at(parts, i), key))
			return true;
	return false;
}

/* The content of a message that is new, or NULL when it says nothing. */
static const struct json *content_of(struct arena *a, const struct json *message)
{
	const struct json *part;
	struct str text;

	if (!message_text(a, message, &text) || !text.n)
		return NULL;
	part = stable_text_part(a, text);
	return new_content(a, message_role(message, STR("user")), json_new_arr(a, &part, 1));
}

static const struct json *apply_messages(struct arena *a, const struct json *contents,
					 const struct json *messages)
{
	size_t count = json_is(contents, J_ARR) ? contents->n : 0, next = 0, seen = 0;
	struct stable_list list = { 0 }, shown = { 0 };
	const size_t *places;
	bool changed = false;

	for (size_t i = 0; i < count; i++) {
		const struct json *m = shown_message(a, json_at(contents, i));

		if (m)
			*VEC_ADD(&shown) = m;
	}
	places = messages_places(a, json_new_arr(a, shown.p, shown.n), messages);
	for (size_t i = 0; i <= count; i++) {
		const struct json *content = json_at(contents, i), *now = content;
		const struct json *was = content ? shown_message(a, content) : NULL;

		for (; next < messages->n && (was || !content) &&
		       (places[next] == SIZE_MAX || places[next] < seen);
		     next++) {
			const struct json *new = content_of(a, json_at(messages, next));

			if (!new)
				continue;
			changed = true;
			*VEC_ADD(&list) = new;
			/* Models refuse what stands between calls and their results. */
			if (list.n > 1 && has_part(content, "functionResponse") &&
			    has_part(list.p[list.n - 2], "functionCall")) {
				list.p[list.n - 1] = list.p[list.n - 2];
				list.p[list.n - 2] = new;
			}
		}
		if (was && next < messages->n && places[next] == seen)
			now = apply_message(a, content, was, json_at(messages, next++));
		seen += was != NULL;
		changed |= now != content;
		if (content)
			*VEC_ADD(&list) = now;
	}
	free(shown.p);
	if (changed)
		return stable_array(a, &list);
	free(list.p);
	return contents;
}

void stable_apply_request(struct arena *a, struct model_request *rq, const struct json *llm_request)
{
	const struct json *messages = json_getz(llm_request, "messages");
	struct str model = json_get_str(llm_request, "model");
	const struct json *given = json_getz(llm_request, "toolConfig");
	const struct json *wanted = stable_tool_config(a, given), *config;

	if (model.n && !memchr(model.p, '\0', model.n) &&
	    !message_same_text(a, str_from(rq->model), model))
		rq->model = arena_z(a, model);
	if (json_is(messages, J_ARR))
		rq->contents = apply_messages(a, rq->contents, messages);
	config = rq->config;
	for (size_t i = 0; i < ARRAY_LEN(config_keys); i++) {
		const struct json *v = json_get(json_getz(llm_request, "config"), config_keys[i]);

		if (json_is(v, J_NUM) && __builtin_isfinite(json_num(v, 0)))
			config = stable_set(a, config, config_keys[i], v);
	}
	rq->config = config;
	if (!wanted || json_equal(given, shown_tool_config(a, rq->tool_config)))
		return;
	config = json_overlay(a, json_getz(rq->tool_config, "functionCallingConfig"),
			      json_getz(wanted, "functionCallingConfig"));
	if (str_eqz(json_get_str(config, "mode"), "NONE"))
		config = json_without(a, config, STR("allowedFunctionNames"));
	rq->tool_config = stable_set(a, rq->tool_config, STR("functionCallingConfig"), config);
}

const struct json *stable_tool_config(struct arena *a, const struct json *tool_config)
{
	static const char *const modes[] = { "AUTO", "ANY", "NONE" };
	const struct json *mode = json_getz(tool_config, "mode"), *inner = NULL;
	const struct json *given = json_getz(tool_config, "allowedFunctionNames");
	struct stable_list names = { 0 };

	if (WORD_IN(json_str(mode, STR("")), modes))
		inner = json_set(a, inner, STR("mode"), mode);
	for (size_t i = 0; json_at(given, i); i++)
		if (json_is(json_at(given, i), J_STR))
			*VEC_ADD(&names) = json_at(given, i);
	if (json_is(given, J_ARR) && !str_eqz(json_get_str(inner, "mode"), "NONE"))
		inner = json_set(a, inner, STR("allowedFunctionNames"), stable_array(a, &names));
	free(names.p);
	return inner ? json_set(a, NULL, STR("functionCallingConfig"), inner) : NULL;
}
