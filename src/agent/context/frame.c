/*
 * Texts of files are between lines ("--- End of Context from: x ---"), comments and tags that
 * tell where they end.  A file that contains such a line could pretend that what follows comes from
 * somebody else.  So what looks like framing is changed a little where it would count: "<" becomes
 * "&lt;", and a line gets a backslash in front.  Texts that hold nothing of the kind stay as they
 * are.
 */

#include "agent/context/context_impl.h"
#include "base/utf8.h"

static const struct mark {
	struct str lead, word; /* white space between them does not matter, nor does case */
	unsigned where;
} marks[] = {
	{ STR("</"), STR("session_context"), FRAME_CONTEXT },
	{ STR("</"), STR("loaded_context"), FRAME_CONTEXT },
	{ STR("</"), STR("project_context"), FRAME_CONTEXT },
	{ STR("</"), STR("extension_context"), FRAME_CONTEXT },
	{ STR("</"), STR("hook_context"), FRAME_CONTEXT },
	{ STR("<"), STR("session_context"), FRAME_CONTEXT },
	{ STR("<"), STR("loaded_context"), FRAME_CONTEXT },
	{ STR("<"), STR("project_context"), FRAME_CONTEXT },
	{ STR("<"), STR("extension_context"), FRAME_CONTEXT },
	{ STR("<"), STR("hook_context"), FRAME_CONTEXT },
	{ STR("</"), STR("activated_skill"), FRAME_CONTEXT },
	{ STR("</"), STR("available_skills"), FRAME_CONTEXT },
	{ STR("</"), STR("server_instructions"), FRAME_CONTEXT },
	{ STR("</"), STR("available_resources"), FRAME_CONTEXT },
	{ STR("</"), STR("instructions"), FRAME_SKILL },
	{ STR("<"), STR("activated_skill"), FRAME_CONTEXT },
	{ STR("<"), STR("available_skills"), FRAME_CONTEXT },
	{ STR("<"), STR("server_instructions"), FRAME_CONTEXT },
	{ STR("<!--"), STR("Imported from:"), FRAME_CONTEXT },
	{ STR("<!--"), STR("End of import from:"), FRAME_CONTEXT },
	{ STR("<!--"), STR("Import failed:"), FRAME_CONTEXT },
	{ STR("<!--"), STR("File already processed:"), FRAME_CONTEXT },
	{ STR("---"), STR("Context from:"), FRAME_CONTEXT | FRAME_PROMPT },
	{ STR("---"), STR("End of Context from:"), FRAME_CONTEXT | FRAME_PROMPT },
	{ STR("---"), STR("Newly Discovered Project Context"), FRAME_CONTEXT | FRAME_PROMPT },
	{ STR("---"), STR("End Project Context"), FRAME_CONTEXT | FRAME_PROMPT },
	{ STR("---"), STR("Instructions of the MCP server"), FRAME_CONTEXT },
	{ STR("---"), STR("End of Instructions"), FRAME_CONTEXT },
	{ STR("---"), STR("File:"), FRAME_CONTEXT },
	{ STR("---"), STR("End of File:"), FRAME_CONTEXT },
	{ STR("---"), STR("Content from referenced files"), FRAME_PROMPT },
	{ STR("---"), STR("End of content"), FRAME_PROMPT },
	{ STR("Content"), STR("from @"), FRAME_PROMPT },
};

static size_t blanks(struct str s, size_t i)
{
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t'))
		i++;
	return i;
}

static bool is_mark(struct str s, enum frame where)
{
	for (size_t i = 0; i < ARRAY_LEN(marks); i++) {
		const struct mark *m = &marks[i];
		size_t n = str_starts_icase(s, m->lead) ? m->lead.n : 0;

		/* "< /" is "</" for a lenient reader. */
		if (!n && str_eqz(m->lead, "</") && str_starts(s, STR("<"))) {
			n = blanks(s, 1);
			n = str_at(s, n) == '/' ? n + 1 : 0;
		}
		if (n && (m->where & where) &&
		    str_starts_icase(str_sub(s, blanks(s, n), s.n), m->word))
			return true;
	}
	return false;
}

static void add_guarded(struct buf *out, struct str text, enum frame where)
{
	bool fresh = true; /* nothing but white space in this line yet */
	size_t from = 0;

	for (size_t i = 0; i < text.n; i++) {
		char c = text.p[i];
		bool is_tag = c == '<';
		bool may_be = is_tag || (fresh && (c == '-' || c == 'C' || c == 'c'));

		if (may_be && is_mark(str_sub(text, i, text.n), where)) {
			buf_adds(out, str_sub(text, from, i));
			buf_addz(out, is_tag ? "&lt;" : "\\");
			from = i + is_tag;
		}
		if (c == '\n' || c == '\r')
			fresh = true;
		else if (c != ' ' && c != '\t')
			fresh = false;
	}
	buf_adds(out, str_sub(text, from, text.n));
}

void frame_add(struct buf *out, struct str text, enum frame where)
{
	AUTO(buf_done) struct buf clean = { 0 };

	if (utf8_valid(text) == text.n) {
		add_guarded(out, text, where);
		return;
	}
	(void)utf8_add_clean(&clean, text);
	add_guarded(out, buf_str(&clean), where);
}

void frame_add_name(struct buf *out, struct str name)
{
	AUTO(buf_done) struct buf shown = { 0 };

	(void)utf8_add_visible(&shown, name, false);
	add_guarded(out, buf_str(&shown), FRAME_CONTEXT);
}

const char *frame_name(struct arena *a, const char *name)
{
	AUTO(buf_done) struct buf shown = { 0 };

	frame_add_name(&shown, str_from(name));
	return arena_z(a, buf_str(&shown));
}
