/* trotline mcp serve: the answer of a command, for programs and in a few lines for people. */
#include "base/utf8.h"
#include "cli/mcp/mcp_serve_tools.h"

enum { TEXT_MAX_CHARS = 32 << 10, ANSWER_MAX_BYTES = 8 << 20 };

static const struct json *text_item(struct arena *a, struct str text)
{
	return json_pack(a, "type:z text:s", "text", text);
}

void serve_result(struct buf *out, struct wb *wb, int status, const char *failure)
{
	struct arena *a = &wb->arena;
	const struct json *value = failure || json_getz(wb->value, "error") ? NULL : wb->value;
	struct json_list content = { 0 };
	struct str text = { 0 }, shown = buf_str(&wb->sheet.out);
	AUTO(buf_done) struct buf why = { 0 };

	if (value)
		text = json_text(a, value, JSON_COMPACT);
	if (text.n > ANSWER_MAX_BYTES) {
		value = NULL;
		failure = "The answer is longer than 8 MiB.";
	}
	/* What went wrong, as the command has said it. */
	if (!value) {
		if (failure)
			buf_addf(&why, "%s\n", failure);
		buf_adds(&why, buf_str(&wb->said));
		if (!str_trim(buf_str(&why)).n)
			buf_addf(&why, "the command ended with status %d", status);
		shown = buf_str(&why);
	}
	json_list_add(&content, text_item(a, utf8_prefix(str_trim(shown), TEXT_MAX_CHARS)));
	/* The protocol wants the same as text, for clients that know no structured content. */
	if (json_is(value, J_OBJ))
		json_list_add(&content, text_item(a, text));
	(void)json_write(out,
			 json_pack(a, "content:j ?structuredContent:j isError:b",
				   json_list_take(a, &content),
				   json_is(value, J_OBJ) ? value : NULL, !value),
			 JSON_COMPACT);
}
