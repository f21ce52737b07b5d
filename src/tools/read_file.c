/* read_file: a text, whole or by lines, or an image and the like as bytes. */
#include "base/utf8.h"
#include "tools/files.h"
#include "tools/read.h"
#include "tools/registry.h"
#include "tools/walk.h"

enum { LINES_MAX = 2000, LINE_CHARS_MAX = 2000 };

struct range {
	size_t first, last; /* from 1; last included */
};

static struct str render(struct arena *a, struct str text, struct range lines, size_t total,
			 bool *ret_cut)
{
	AUTO(buf_done) struct buf shown = { 0 }, out = { 0 };
	size_t from = 0;

	*ret_cut = lines.first > 1 || lines.last < total;
	for (size_t n = 1; n <= lines.last && from < text.n; n++) {
		ptrdiff_t end = str_chr(text, '\n', from);
		struct str line = str_sub(text, from, end < 0 ? text.n : (size_t)end);
		struct str kept;

		from += line.n + 1;
		if (n < lines.first)
			continue;
		kept = utf8_prefix(line, LINE_CHARS_MAX);
		buf_addz(&shown, n > lines.first ? "\n" : "");
		buf_adds(&shown, kept);
		if (kept.n < line.n) {
			buf_addz(&shown, "... [truncated]");
			*ret_cut = true;
		}
		if (n == lines.last && end >= 0)
			buf_addc(&shown, '\n');
	}
	if (!*ret_cut)
		return tool_clean(a, buf_str(&shown));
	buf_addf(&out,
		 "IMPORTANT: The file content has been truncated.\n"
		 "Status: Showing lines %zu-%zu of %zu total lines.\n",
		 lines.first, lines.last, total);
	if (lines.last < total)
		buf_addf(&out,
			 "Action: To read more, call 'read_file' with the parameters "
			 "'start_line' and 'end_line'; the next part begins at start_line: "
			 "%zu.\n",
			 lines.last + 1);
	else
		buf_addz(&out, "Action: This is the end of the file; for earlier lines "
			       "give a smaller 'start_line'.\n");
	buf_addz(&out, "\n--- FILE CONTENT (truncated) ---\n");
	buf_adds(&out, buf_str(&shown));
	return tool_clean(a, buf_str(&out));
}

struct str read_text(struct arena *a, struct str text, bool *ret_cut)
{
	size_t total = text_lines(text);

	return render(a, text, (struct range){ 1, min_size(total, LINES_MAX) }, total, ret_cut);
}

static void answer_text(struct tool_call *call, struct tool_result *r, struct str text,
			const char *path)
{
	struct arena *a = call->arena;
	size_t total = text_lines(text), start = (size_t)arg_int(call, "start_line", 1, 1);
	size_t end = (size_t)arg_int(call, "end_line", 1, 0);
	struct range lines = { start, min_size(total, start + LINES_MAX - 1) };
	struct str content, display = STR("");
	bool cut;

	if (end)
		lines.last = min_size(end, total);
	if (start > 1 && start > total) {
		tool_fail(call, r, "invalid_tool_params",
			  "start_line %zu is past the end of the file, which has %zu lines: %s",
			  start, total, path);
		return;
	}
	content = render(a, text, lines, total, &cut);
	if (cut)
		display = arena_printf(a, "Read lines %zu-%zu of %zu from %.*s", lines.first,
				       lines.last, total, STR_ARG(file_shown(call, path)));
	tool_ok(call, r, content, display);
}

/* The path to read, or NULL after tool_fail(). */
static const char *find_file(struct tool_call *call, struct tool_result *r)
{
	struct str path = arg_str(call, "file_path");
	int64_t end = arg_int(call, "end_line", 1, INT64_MAX);
	const char *real;

	if (arg_int(call, "start_line", 1, 1) > end) {
		tool_fail(call, r, "invalid_tool_params",
			  "'start_line' must not be greater than 'end_line'.");
		return NULL;
	}
	real = check_file_path(call, r) ? workspace_path(call, r, path) : NULL;
	if (!real || !walk_ignores(ignore_top(call, real), real,
				   arg_ignore_flags(call, NULL) & WALK_GEMINIIGNORE))
		return real;
	tool_fail(call, r, "invalid_tool_params", "%s is kept back by a .geminiignore file.", real);
	return NULL;
}

/* What hooks know of a file that cannot be read, where that is not the message. */
static void tell_hooks(struct tool_call *call, struct tool_result *r)
{
	static const struct {
		const char *type;
		struct str content, display;
	} rows[] = {
		{ "file_not_found",
		  STR("Could not read file because no file was found at the specified path."),
		  STR("File not found.") },
		{ "target_is_directory",
		  STR("Could not read file because the provided path is a directory, not a file."),
		  STR("Path is a directory.") },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(r->error_type, rows[i].type) == 0)
			tool_fail_as(call, r, rows[i].content, rows[i].display);
}

static void read_file(struct tool_call *call, struct tool_result *r)
{
	const char *path = find_file(call, r), *mime;
	AUTO(buf_done) struct buf bytes = { 0 };
	enum text_encoding encoding;

	if (!path)
		return;
	if (!file_load(call, r, path, &bytes)) {
		tell_hooks(call, r);
		return;
	}
	mime = media_type(path, buf_str(&bytes));
	if (mime) {
		const struct json *part = media_part(call->arena, mime, buf_str(&bytes));
		struct str kind =
			str_sub(str_from(mime), 0, (size_t)str_chr(str_from(mime), '/', 0));

		if (str_eq(kind, STR("application")))
			kind = STR("pdf");
		r->llm_content = json_new_arr(call->arena, &part, 1);
		r->display = json_new_str(
			call->arena, arena_printf(call->arena, "Read %.*s file: %.*s",
						  STR_ARG(kind), STR_ARG(file_shown(call, path))));
		return;
	}
	encoding = text_encoding(buf_str(&bytes));
	if (encoding != TEXT_BINARY) {
		answer_text(call, r, text_decode(call->arena, buf_str(&bytes), encoding), path);
		return;
	}
	struct str shown = file_shown(call, path);
	tool_ok(call, r,
		arena_printf(call->arena, "Cannot display content of binary file: %.*s",
			     STR_ARG(shown)),
		arena_printf(call->arena, "Skipped binary file: %.*s", STR_ARG(shown)));
}

static bool check(struct tool_call *call, struct tool_result *r)
{
	return find_file(call, r) != NULL;
}

const struct tool tool_read_file = {
	.name = "read_file",
	.display_name = "ReadFile",
	.description =
		"Reads a file of the workspace. A long text is cut after 2000 lines; the answer "
		"then says how to read on with start_line and end_line. Images, audio, video and "
		"PDF files are returned as they are.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"file_path\":{\"type\":\"string\",\"description\":\"Path of the file, absolute "
		"or relative to the working directory.\"},"
		"\"start_line\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"First line "
		"to read, from 1.\"},"
		"\"end_line\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"Last line to "
		"read, included.\"}},"
		"\"required\":[\"file_path\"]}",
	.kind = TOOL_READ,
	.read_only = true,
	.harmless = true,
	.path_arg = "file_path",
	.example = "{\"file_path\":\"README.md\"}",
	.check = check,
	.run = read_file,
	.describe = describe_file_path,
};
