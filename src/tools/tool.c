/* What every tool needs: its declaration, results, failures, and untrusted text. */
#include "tools/tool.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/utf8.h"

struct policy_subject tool_subject(const struct tool *t)
{
	return (struct policy_subject){ .name = t->name,
					.mcp_server = t->mcp_server,
					.mcp_tool = t->mcp_tool,
					.kind = t->kind,
					.harmless = t->harmless,
					.path_arg = t->path_arg,
					.command_arg = t->command_arg };
}

const char *tool_said_name(const struct tool *t)
{
	return t->mcp_server ? t->mcp_tool : t->name;
}

const struct json *tool_declaration(struct arena *a, const struct tool *t)
{
	const struct json *o = json_set(a, NULL, STR("name"), json_new_str(a, str_from(t->name)));
	const struct json *schema;

	if (json_parse(a, str_from(t->parameters), 0, &schema, NULL) < 0)
		BUG();
	o = json_set(a, o, STR("description"), json_new_str(a, str_from(t->description)));
	return json_set(a, o, STR("parametersJsonSchema"), schema);
}

enum { SUGGESTIONS = 3 };

struct near {
	const char *name;
	size_t distance;
};

struct str tool_not_found(struct arena *a, struct str name, const char *const *names, size_t n)
{
	struct near best[SUGGESTIONS + 1];
	size_t k = 0;
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < n; i++) {
		struct near c = { names[i], str_distance(name, str_from(names[i])) };
		size_t at = k;

		for (; at > 0 && c.distance < best[at - 1].distance; at--)
			best[at] = best[at - 1];
		best[at] = c;
		k = min_size(k + 1, SUGGESTIONS);
	}
	buf_addf(&out, "Tool \"%.*s\" not found.", STR_ARG(name));
	if (k == 1)
		buf_addf(&out, " Did you mean \"%s\"?", best[0].name);
	for (size_t i = 0; k > 1 && i < k; i++)
		buf_addf(&out, "%s\"%s\"%s", i ? ", " : " Did you mean one of: ", best[i].name,
			 i + 1 == k ? "?" : "");
	return tool_clean(a, buf_str(&out));
}

struct str tool_name(struct arena *a, const char *name)
{
	AUTO(buf_done) struct buf out = { 0 };

	(void)utf8_add_visible(&out, str_from(name), false);
	return arena_str(a, buf_str(&out));
}

struct str tool_clean(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf clean = { 0 };

	if (utf8_valid(s) == s.n)
		return arena_str(a, s);
	(void)utf8_add_clean(&clean, s);
	return arena_str(a, buf_str(&clean));
}

static size_t skip_blanks(struct str s, size_t i)
{
	while (i < s.n && strchr(" \t\r\n", s.p[i]))
		i++;
	return i;
}

/* The length of "</untrusted_context>" at text[at], also as a lenient reader takes it; 0 = none. */
static size_t frame_end_at(struct str text, size_t at)
{
	const struct str name = STR("untrusted_context");
	size_t i = skip_blanks(text, at + 1);

	if (i >= text.n || text.p[i] != '/')
		return 0;
	i = skip_blanks(text, i + 1);
	if (!str_starts_icase(str_sub(text, i, text.n), name))
		return 0;
	i = skip_blanks(text, i + name.n);
	return i < text.n && text.p[i] == '>' ? i + 1 - at : 0;
}

struct str tool_untrusted(struct arena *a, struct str text)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t from = 0, n;

	buf_addz(&out, "<untrusted_context>\n");
	for (ptrdiff_t at = 0; (at = str_chr(text, '<', (size_t)at)) >= 0; at += (ptrdiff_t)n) {
		n = frame_end_at(text, (size_t)at);
		if (!n) {
			n = 1;
			continue;
		}
		buf_adds(&out, str_sub(text, from, (size_t)at));
		buf_addz(&out, "&lt;/untrusted_context&gt;");
		from = (size_t)at + n;
	}
	buf_adds(&out, str_sub(text, from, text.n));
	buf_addz(&out, "\n</untrusted_context>");
	return tool_clean(a, buf_str(&out));
}

void tool_fail(struct tool_call *call, struct tool_result *r, const char *type, const char *fmt,
	       ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	r->error_type = type;
	r->error = tool_clean(call->arena, buf_str(&text));
	r->llm_content = r->display = json_new_str(call->arena, r->error);
}

void tool_fail_as(struct tool_call *call, struct tool_result *r, struct str content,
		  struct str display)
{
	tool_ok(call, r, content, display);
}

void tool_ok(struct tool_call *call, struct tool_result *r, struct str content, struct str display)
{
	r->llm_content = json_new_str(call->arena, tool_clean(call->arena, content));
	r->display = json_new_str(call->arena, tool_clean(call->arena, display));
}
