#include "mcp/guard_result.h"

#include "base/json_pack.h"

#define CONTEXT_URI "trotline:hook-context"

/* Where the blocks of a result are. */
static const char *const lists[] = {
	[GUARD_TOOL] = "content", [GUARD_RESOURCE] = "contents", [GUARD_PROMPT] = "messages"
};

/* ---- what hooks see ---- */

static void add_line(struct buf *out, struct str text)
{
	if (out->n && text.n)
		buf_addc(out, '\n');
	buf_adds(out, text);
}

static struct str all_text(struct arena *a, const struct guard_call *c)
{
	const char *key = lists[c->kind];
	const struct json *blocks = json_getz(c->result, key);
	AUTO(buf_done) struct buf out = { 0 };

	if (c->error)
		return json_text(a, c->error, JSON_COMPACT);
	/* Of a block its text, or all of it: a guard looks for words. */
	for (size_t i = 0; json_is(blocks, J_ARR) && i < blocks->n; i++) {
		const struct json *block = json_at(blocks, i), *text = json_getz(block, "text");

		add_line(&out, json_is(text, J_STR) && block->n <= 2
				       ? json_str(text, STR(""))
				       : json_text(a, block, JSON_COMPACT));
	}
	/* The rest of it reaches the client, too. */
	for (size_t i = 0; json_is(c->result, J_OBJ) && i < c->result->n; i++) {
		const struct json_member *m = &c->result->members[i];

		if (!str_eqz(m->key, "isError") && !(str_eqz(m->key, key) && m->v.type == J_ARR))
			add_line(&out, json_text(a, &m->v, JSON_COMPACT));
	}
	return arena_str(a, buf_str(&out));
}

const struct json *guard_response(struct arena *a, const struct guard_call *c)
{
	const struct json *text = json_new_str(a, all_text(a, c));
	const struct json *v = json_is(c->result, J_OBJ) ? c->result : NULL;

	v = json_set(a, v, STR("llmContent"), text);
	v = json_set(a, v, STR("returnDisplay"), text);
	return c->error ? json_set(a, v, STR("error"), c->error) : v;
}

struct str guard_failure(struct arena *a, const struct guard_call *c)
{
	if (c->error && json_get_str(c->error, "message").n)
		return json_get_str(c->error, "message");
	if (c->error || json_is_true(json_getz(c->result, "isError"))) {
		struct str text = all_text(a, c);

		return text.n ? text : STR("The tool failed.");
	}
	return STR("");
}

/* ---- what they make of it ---- */

static const struct json *text_block(struct arena *a, struct str text)
{
	return json_pack(a, "type:z text:s", "text", text);
}

const struct json *guard_tool_error(struct arena *a, struct str text)
{
	return json_pack(a, "content:j isError:b", json_append(a, NULL, text_block(a, text)), true);
}

/* A text among the blocks of a list. */
static const struct json *as_block(struct arena *a, const struct guard_call *c, const char *uri,
				   struct str text)
{
	if (c->kind == GUARD_RESOURCE)
		return json_pack(a, "uri:z mimeType:z text:s", uri, "text/plain", text);
	if (c->kind == GUARD_PROMPT)
		return json_pack(a, "role:z content:j", "user", text_block(a, text));
	return text_block(a, text);
}

const struct json *guard_result_with(struct arena *a, const struct guard_call *c,
				     const struct json *text, struct str context)
{
	struct str key = str_from(lists[c->kind]);
	const struct json *v = json_is(c->result, J_OBJ) ? c->result : json_new_obj(a);
	const struct json *blocks = json_get(v, key);

	if (text) {
		const struct json *data = NULL;

		/* Data next to the text is the same once more: what was taken out of one is not in
		 * the other. */
		if (json_getz(c->result, "structuredContent"))
			(void)json_parse(a, json_str(text, STR("")), 0, &data, NULL);
		v = json_pack(a, "?isError:b ?structuredContent:j",
			      json_is_true(json_getz(c->result, "isError")),
			      json_is(data, J_OBJ) ? data : NULL);
		blocks = json_append(a, NULL, as_block(a, c, c->name, json_str(text, STR(""))));
	}
	if (!json_is(blocks, J_ARR))
		blocks = NULL;
	if (context.n)
		blocks = json_append(a, blocks, as_block(a, c, CONTEXT_URI, context));
	return json_set(a, v, key, blocks ? blocks : json_new_arr(a, NULL, 0));
}

const struct json *guard_error_with(struct arena *a, const struct json *error,
				    const struct json *text, struct str context)
{
	struct str says = text ? json_str(text, STR("")) : json_get_str(error, "message");
	const struct json *code = json_getz(error, "code");

	if (context.n)
		says = arena_printf(a, "%.*s\n%.*s", STR_ARG(says), STR_ARG(context));
	if (text)
		error = json_pack(a, "code:j", code ? code : json_new_int(a, GUARD_DENIED));
	return json_set(a, error, STR("message"), json_new_str(a, says));
}
