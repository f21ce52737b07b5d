/* replace: part of a file, by quoting it. */
#include "tools/files.h"
#include "tools/match.h"
#include "tools/registry.h"

struct plan {
	struct file_change change;
	enum text_encoding encoding;
	size_t replaced;
};

static bool fail(struct tool_call *call, struct tool_result *r, const char *type, const char *text,
		 const char *path)
{
	tool_fail(call, r, type, "%s: %s", text, path);
	return false;
}

/*
 * Applies edits whose places count \r\n as one character, so that the rest of the file keeps its
 * line endings, mixed ones too.
 */
static struct str apply(struct arena *a, struct str raw, const struct match_edits *edits)
{
	AUTO(buf_done) struct buf out = { 0 };
	size_t i = 0, at = 0; /* in raw, and as edits count */

	for (size_t k = 0; k < edits->n; k++) {
		const struct match_edit *e = &edits->p[k];
		size_t from;
		ptrdiff_t newline;

		for (from = i; at < e->from; at++)
			i += str_starts(str_sub(raw, i, raw.n), STR("\r\n")) ? 2 : 1;
		buf_adds(&out, str_sub(raw, from, i));
		/* Which line ending is in use at this place of the file? */
		newline = str_chr(raw, '\n', i);
		if (newline < 0)
			newline = str_chr(raw, '\n', 0);
		buf_adds(&out, newline > 0 && raw.p[newline - 1] == '\r' ? text_dos(a, e->new_text)
									 : e->new_text);
		for (; at < e->to; at++)
			i += str_starts(str_sub(raw, i, raw.n), STR("\r\n")) ? 2 : 1;
	}
	buf_adds(&out, str_sub(raw, i, raw.n));
	return arena_str(a, buf_str(&out));
}

static bool check_count(struct tool_call *call, struct tool_result *r, size_t n)
{
	const char *path = tool_clean(call->arena, arg_str(call, "file_path")).p;

	if (n == 0) {
		tool_fail(call, r, "edit_no_occurrence_found",
			  "Could not find an exact match for 'old_string' in '%s'. Failed to "
			  "edit, 0 occurrences found for old_string in %s. Nothing was changed. "
			  "Check white space, indentation and escapes against what read_file "
			  "returns for this file.",
			  path, path);
		tool_fail_as(call, r, r->error,
			     arena_printf(call->arena,
					  "Error: Could not find an exact match for old_string "
					  "in '%s'.",
					  path));
		return false;
	}
	if (n > 1 && !arg_bool(call, "allow_multiple", false)) {
		tool_fail(call, r, "edit_expected_occurrence_mismatch",
			  "Failed to edit, Expected 1 occurrence but found %zu for old_string in "
			  "file: %s. If you intended to replace multiple occurrences, set "
			  "'allow_multiple' to true.",
			  n, path);
		return false;
	}
	return true;
}

static bool prepare(struct tool_call *call, struct tool_result *r, struct plan *p)
{
	struct str old = arg_str(call, "old_string");
	struct arena *a = call->arena;
	struct match_edits edits;
	bool ok;

	*p = (struct plan){ 0 };
	if (!change_load(call, r, &p->change, &p->encoding))
		return false;
	if (p->change.is_new && old.n)
		return fail(call, r, "file_not_found",
			    "File not found. To make a new file, use an empty old_string",
			    p->change.path);
	if (p->change.is_new) {
		p->change.after = arg_str(call, "new_string");
		return true;
	}
	if (p->encoding == TEXT_BINARY)
		return fail(call, r, "edit_preparation_failure", "The file is binary",
			    p->change.path);
	if (old.n == 0)
		return fail(call, r, "attempt_to_create_existing_file",
			    "Failed to edit: an empty old_string makes a new file, but the file "
			    "already exists",
			    p->change.path);
	match_find(a, text_unix(a, p->change.before), text_unix(a, old),
		   text_unix(a, arg_str(call, "new_string")), call->cancel, &edits);
	p->replaced = edits.n;
	ok = check_count(call, r, edits.n);
	if (ok) {
		p->change.after = apply(a, p->change.before, &edits);
		r->strategy = edits.way;
	}
	free(edits.p);
	if (ok && str_eq(p->change.after, p->change.before))
		return fail(call, r, "edit_no_change",
			    "No changes to apply: the new content is identical to the current "
			    "content of the file",
			    p->change.path);
	return ok;
}

static void replace(struct tool_call *call, struct tool_result *r)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct arena *a = call->arena;
	struct plan p;
	struct str text;

	if (!prepare(call, r, &p))
		return;
	text_encode(&bytes, p.change.after, p.encoding);
	if (cancel_fired(call->cancel)) {
		(void)fail(call, r, "edit_preparation_failure", "The edit was cancelled",
			   p.change.path);
		return;
	}
	if (!file_store(call, r, p.change.path, buf_str(&bytes)))
		return;
	p.change.label_before = "Current";
	p.change.label_after = "Proposed";
	if (p.change.is_new)
		text = arena_printf(a, "Created new file: %s with provided content.",
				    p.change.path);
	else
		text = arena_printf(a,
				    "Successfully modified file: %s (%zu replacements). Here is "
				    "the updated code:\n%s",
				    p.change.path, p.replaced, change_snippet(call, &p.change).p);
	tool_ok(call, r, text, STR(""));
	r->display = change_display(call, &p.change, r);
}

static const struct json *confirm(struct tool_call *call)
{
	struct tool_result ignored = { 0 };
	struct plan p;

	/* An edit that will fail has no changes to show. */
	if (!prepare(call, &ignored, &p)) {
		p.change.path = p.change.path ? p.change.path : "/";
		p.change.after = p.change.before;
	}
	p.change.label_before = "Current";
	p.change.label_after = "Proposed";
	return change_confirm(call, &p.change, "Confirm Edit");
}

const struct tool tool_replace = {
	.name = "replace",
	.display_name = "Edit",
	.description =
		"Replaces text in a file of the workspace. old_string must quote the text "
		"literally, with enough context to occur once; set allow_multiple to replace "
		"every occurrence. An empty old_string creates a new file.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"file_path\":{\"type\":\"string\",\"description\":\"Path of the file, absolute "
		"or relative to the working directory.\"},"
		"\"instruction\":{\"type\":\"string\",\"description\":\"What this edit does and "
		"why, in one sentence.\"},"
		"\"old_string\":{\"type\":\"string\",\"description\":\"The text to replace, "
		"exactly as in the file.\"},"
		"\"new_string\":{\"type\":\"string\",\"description\":\"What comes in its place.\"},"
		"\"allow_multiple\":{\"type\":\"boolean\",\"description\":\"Replace every place "
		"where old_string occurs (default false: it must occur once).\"}},"
		"\"required\":[\"file_path\",\"instruction\",\"old_string\",\"new_string\"]}",
	.kind = TOOL_EDIT,
	.path_arg = "file_path",
	.example =
		"{\"file_path\":\"README.md\",\"instruction\":\"fix a word\",\"old_string\":\"teh\",\"new_string\":\"the\"}",
	.check = check_file_path,
	.run = replace,
	.confirm = confirm,
	.describe = describe_file_path,
};
