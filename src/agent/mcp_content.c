#include "agent/mcp_content.h"

#include "base/json_pack.h"
#include "base/utf8.h"
#include "tools/spool.h"

enum { MIME_MAX = 100 };
#define MEDIA_MAX ((size_t)20 << 20) /* bytes of all in base64 */

struct str mcp_fit(struct tool_call *call, struct tool_result *r, struct str text)
{
	double limit = json_num_in_text(
		json_pointer(call->env->settings, STR("/tools/truncateToolOutputThreshold")),
		MCP_TEXT_CHARS);
	size_t max = limit >= 1 ? (size_t)(limit < 1e9 ? limit : 1e9) : 0;

	if (text.n <= max || !max || utf8_count(text) <= max)
		return text;
	/* The first that is too long has the file. */
	AUTO(spool_done) struct spool spool;
	spool_init(&spool, r->saved ? NULL : call->env->temp_dir, max);
	spool_add(&spool, text);
	text = spool_text(&spool, call->arena);
	if (spool.path)
		r->saved = arena_z(call->arena, str_from(spool.path));
	r->long_bytes = spool.total;
	r->long_limit = max;
	return text;
}

void mcp_fail(struct tool_call *call, struct tool_result *r, struct str text)
{
	struct str framed = text.n ? tool_untrusted(call->arena, text) : STR("The tool failed.");

	tool_fail(call, r, "mcp_tool_error", "%.*s", STR_ARG(framed));
	tool_fail_as(call, r, framed, text.n ? text : framed);
}

/* A service refuses the whole request over one part that is none. */
static bool is_base64(struct str s)
{
	size_t pad = 0;

	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		pad += c == '=';
		if (c != '=' && (pad || (!char_is_word(c) && c != '+' && c != '/') || c == '_'))
			return false;
	}
	return s.n > 0 && s.n % 4 == 0 && pad <= 2;
}

const struct json *mcp_media_part(struct arena *a, const struct json *mime, struct str data,
				  size_t *bytes, const char **ret_why)
{
	struct str type = json_str(mime, STR(""));
	bool known = type.n <= MIME_MAX && str_chr(type, '/', 0) > 0 && str_is_word(type, "/+.-");

	*ret_why = !known                        ? "unknown media type"
		   : !is_base64(data)            ? "not base64"
		   : data.n > MEDIA_MAX - *bytes ? "too large"
						 : NULL;
	if (*ret_why)
		return NULL;
	*bytes += data.n;
	return json_pack(a, "inlineData:j", json_pack(a, "mimeType:j data:s", mime, data));
}
