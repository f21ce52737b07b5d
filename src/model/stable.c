/* Requests in the form of the Stable Model API, and what hooks change in them. */
#include "model/stable.h"

#include "base/json_pack.h"
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

bool stable_same_text(struct arena *a, struct str shown, struct str given)
{
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *seen = NULL;

	if (str_eq(shown, given))
		return true;
	if (json_write_str(&text, shown) < 0 || json_parse(a, buf_str(&text), 0, &seen, NULL) < 0)
		return false;
	return str_eq(json_str(seen, STR("")), given);
}

const struct json *stable_set(struct arena *a, const struct json *obj, struct str key,
			      const struct json *v)
{
	return json_equal(json_get(obj, key), v) ? obj : json_set(a, obj, key, v);
}

/* All text of a content, in one piece; empty when it has none and is not shown. */
static struct str content_text(struct arena *a, const struct json *content)
{
	AUTO(buf_done) struct buf all = { 0 };
	const struct json *parts = json_getz(content, "parts");
	struct str text, only = STR("");
	size_t count = 0;

	if (json_is(content, J_STR))
		return json_str(content, STR(""));
	for (size_t i = 0; json_at(parts, i); i++) {
		if (!stable_part_text(json_at(parts, i), &text) || !text.n)
			continue;
		if (count++ == 0) {
			only = text;
			continue;
		}
		if (count == 2)
			buf_adds(&all, only);
		buf_adds(&all, text);
	}
	return count > 1 ? arena_str(a, buf_str(&all)) : only;
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

static const struct json *shown_messages(struct arena *a, const struct json *contents)
{
	struct stable_list list = { 0 };

	for (size_t i = 0; json_at(contents, i); i++) {
		const struct json *content = json_at(contents, i);
		struct str text = content_text(a, content);

		if (text.n) {
			const struct json *m = json_set(a, NULL, STR("role"),
							json_new_str(a, shown_role(content)));

			*VEC_ADD(&list) = json_set(a, m, STR("content"), json_new_str(a, text));
		}
	}
	return stable_array(a, &list);
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
	const struct json *config = json_new_obj(a);

	for (size_t i = 0; i < ARRAY_LEN(config_keys); i++) {
		const struct json *v = json_get(rq->config, config_keys[i]);

		if (json_is(v, J_NUM))
			config = json_set(a, config, config_keys[i], v);
	}
	return json_pack(a, "model:z messages:j config:j ?toolConfig:j", rq->model,
			 shown_messages(a, rq->contents), config,
			 shown_tool_config(a, rq->tool_config));
}

/* The text of a hook's message: a string, or an array of strings and {text}. */
static bool message_text(struct arena *a, const struct json *message, struct str *ret_text)
{
	AUTO(buf_done) struct buf all = { 0 };
	const struct json *content = json_getz(message, "content");
	bool some = false;
	struct str text;

	if (json_is(content, J_STR)) {
		*ret_text = json_str(content, STR(""));
		return true;
	}
	for (size_t i = 0; json_at(content, i); i++) {
		const struct json *item = json_at(content, i);

		if (json_is(item, J_STR))
			text = json_str(item, STR(""));
		else if (!stable_part_text(item, &text))
			continue;
		buf_adds(&all, text);
		some = true;
	}
	if (some)
		*ret_text = arena_str(a, buf_str(&all));
	return some;
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

/* Does a text part carry anything besides its text, such as a thoughtSignature? */
static bool carries_more(const struct json *part)
{
	return part->n > 1U + (json_getz(part, "thought") != NULL);
}

struct text_edit {
	struct arena *a;
	struct str rest; /* of the new text */
	bool placed; /* the rest has its part */
	struct stable_list head, tail;
};

/* What becomes of a part that had `text`. */
static void edit_text_part(struct text_edit *e, const struct json *part, struct str text)
{
	bool thought = json_is_true(json_getz(part, "thought"));

	if (!e->placed && thought && str_starts(e->rest, text)) {
		*VEC_ADD(&e->head) = part;
		e->rest = str_sub(e->rest, text.n, e->rest.n);
	} else if (!e->placed) {
		part = json_without(e->a, part, STR("thought"));
		if (e->rest.n || carries_more(part))
			*VEC_ADD(&e->head) =
				json_set(e->a, part, STR("text"), json_new_str(e->a, e->rest));
		e->placed = true;
	} else if (carries_more(part)) {
		*VEC_ADD(&e->tail) = json_set(e->a, part, STR("text"), json_new_str(e->a, STR("")));
	}
}

/* The content's parts with another text: that first, then what is not text (C2.3). */
static const struct json *parts_with_text(struct arena *a, const struct json *parts,
					  struct str new_text)
{
	struct text_edit e = { .a = a, .rest = new_text };
	struct str text;

	for (size_t i = 0; json_at(parts, i); i++) {
		if (stable_part_text(json_at(parts, i), &text))
			edit_text_part(&e, json_at(parts, i), text);
		else
			*VEC_ADD(&e.tail) = json_at(parts, i);
	}
	if ((!e.placed && e.rest.n) || e.head.n + e.tail.n == 0)
		*VEC_ADD(&e.head) = stable_text_part(a, e.rest);
	for (size_t i = 0; i < e.tail.n; i++)
		*VEC_ADD(&e.head) = e.tail.p[i];
	free(e.tail.p);
	return stable_array(a, &e.head);
}

/* The content as the message wants it; the same pointer when that is as it was shown. */
static const struct json *apply_message(struct arena *a, const struct json *content,
					struct str shown, const struct json *message)
{
	struct str role = shown_role(content), new_role = message_role(message, role), text;
	bool new_text;

	if (!message_text(a, message, &text))
		return content;
	new_text = !stable_same_text(a, shown, text);
	if (!new_text && str_eq(role, new_role))
		return content;
	if (!json_is(content, J_OBJ)) {
		const struct json *part = stable_text_part(a, text);

		return new_content(a, new_role, json_new_arr(a, &part, 1));
	}
	if (new_text)
		content = json_set(a, content, STR("parts"),
				   parts_with_text(a, json_getz(content, "parts"), text));
	if (str_eq(role, new_role))
		return content;
	return json_set(a, content, STR("role"), json_new_str(a, new_role));
}

static void append_messages(struct arena *a, struct stable_list *list, const struct json *messages,
			    size_t from)
{
	for (size_t i = from; i < messages->n; i++) {
		const struct json *message = json_at(messages, i), *part;
		struct str text;

		if (!message_text(a, message, &text) || !text.n)
			continue;
		part = stable_text_part(a, text);
		*VEC_ADD(list) = new_content(a, message_role(message, STR("user")),
					     json_new_arr(a, &part, 1));
	}
}

static const struct json *apply_messages(struct arena *a, const struct json *contents,
					 const struct json *messages)
{
	size_t count = json_is(contents, J_ARR) ? contents->n : 0, next = 0;
	struct stable_list list = { 0 };
	bool changed = false;

	for (size_t i = 0; i < count; i++) {
		const struct json *content = json_at(contents, i), *now = content;
		struct str shown = content_text(a, content);

		if (shown.n && next < messages->n)
			now = apply_message(a, content, shown, json_at(messages, next++));
		changed |= now != content;
		*VEC_ADD(&list) = now;
	}
	append_messages(a, &list, messages, next);
	if (changed || list.n > count)
		return stable_array(a, &list);
	free(list.p);
	return contents;
}

static const struct json *apply_tool_config(struct arena *a, const struct json *tool_config,
					    const struct json *given)
{
	const struct json *current = json_getz(tool_config, "functionCallingConfig");
	const struct json *wanted = stable_tool_config(a, given), *merged;

	if (!wanted || json_equal(given, shown_tool_config(a, tool_config)))
		return tool_config;
	merged = json_overlay(a, current, json_getz(wanted, "functionCallingConfig"));
	if (str_eqz(json_get_str(merged, "mode"), "NONE"))
		merged = json_without(a, merged, STR("allowedFunctionNames"));
	return stable_set(a, tool_config, STR("functionCallingConfig"), merged);
}

void stable_apply_request(struct arena *a, struct model_request *rq, const struct json *llm_request)
{
	const struct json *messages = json_getz(llm_request, "messages");
	struct str model = json_get_str(llm_request, "model");
	const struct json *config;

	if (model.n && !memchr(model.p, '\0', model.n) &&
	    !stable_same_text(a, str_from(rq->model), model))
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
	rq->tool_config =
		apply_tool_config(a, rq->tool_config, json_getz(llm_request, "toolConfig"));
}

static bool is_mode(const struct json *v)
{
	struct str mode = json_str(v, STR(""));

	return str_eqz(mode, "AUTO") || str_eqz(mode, "ANY") || str_eqz(mode, "NONE");
}

const struct json *stable_tool_config(struct arena *a, const struct json *tool_config)
{
	const struct json *mode = json_getz(tool_config, "mode"), *inner = NULL;
	const struct json *given = json_getz(tool_config, "allowedFunctionNames");
	struct stable_list names = { 0 };

	if (is_mode(mode))
		inner = json_set(a, inner, STR("mode"), mode);
	for (size_t i = 0; json_at(given, i); i++)
		if (json_is(json_at(given, i), J_STR))
			*VEC_ADD(&names) = json_at(given, i);
	if (json_is(given, J_ARR) && !str_eqz(json_get_str(inner, "mode"), "NONE"))
		inner = json_set(a, inner, STR("allowedFunctionNames"), stable_array(a, &names));
	free(names.p);
	return inner ? json_set(a, NULL, STR("functionCallingConfig"), inner) : NULL;
}
