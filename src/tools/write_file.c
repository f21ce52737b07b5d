/* write_file: a whole file, new or over an old one. */
#include "tools/files.h"
#include "tools/registry.h"

struct plan {
	struct file_change change;
	enum text_encoding encoding;
};

/* Encoding and line endings of an existing text are kept. */
static bool prepare(struct tool_call *call, struct tool_result *r, struct plan *p)
{
	bool loaded = change_load(call, r, &p->change, &p->encoding);

	p->change.after = arg_str(call, "content");
	if (!loaded)
		return false;
	if (p->encoding == TEXT_BINARY)
		p->encoding = TEXT_UTF8;
	if (text_is_crlf(p->change.before))
		p->change.after = text_dos(call->arena, p->change.after);
	return true;
}

static void write_file(struct tool_call *call, struct tool_result *r)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	struct plan p;

	if (!prepare(call, r, &p))
		return;
	p.change.label_before = "Original";
	p.change.label_after = "Written";
	text_encode(&bytes, p.change.after, p.encoding);
	if (cancel_fired(call->cancel)) {
		tool_fail(call, r, "file_write_failure", "Writing %s was cancelled.",
			  p.change.path);
		return;
	}
	if (!file_store(call, r, p.change.path, buf_str(&bytes)))
		return;
	tool_ok(call, r,
		arena_printf(call->arena, "Successfully %s: %s. Here is the updated code:\n%s",
			     p.change.is_new ? "created and wrote to new file" : "overwrote file",
			     p.change.path, change_snippet(call, &p.change).p),
		STR(""));
	r->display = change_display(call, &p.change, r);
}

static const struct json *confirm(struct tool_call *call)
{
	struct tool_result ignored = { 0 };
	struct plan p;

	if (!prepare(call, &ignored, &p))
		p.change.path = p.change.path ? p.change.path : "/";
	p.change.label_before = "Current";
	p.change.label_after = "Proposed";
	return change_confirm(call, &p.change, "Confirm Write");
}

const struct tool tool_write_file = {
	.name = "write_file",
	.display_name = "WriteFile",
	.description =
		"Writes a whole file in the workspace: creates it, with missing directories, or "
		"replaces all of its content. Line endings and encoding of an existing file are "
		"kept.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"file_path\":{\"type\":\"string\",\"description\":\"Path of the file, absolute "
		"or relative to the working directory.\"},"
		"\"content\":{\"type\":\"string\",\"description\":\"The whole new content.\"}},"
		"\"required\":[\"file_path\",\"content\"]}",
	.kind = TOOL_EDIT,
	.path_arg = "file_path",
	.example = "{\"file_path\":\"example.txt\",\"content\":\"hello\\n\"}",
	.check = check_file_path,
	.run = write_file,
	.confirm = confirm,
	.describe = describe_file_path,
};
