/*
 * A result of a tool in the shape of Claude Code, and back.  The first byte selects the tool; the
 * rest is the text of the result, and the difference that is shown.  Each is JSON that can be
 * printed and read again, and as text it is UTF-8.
 */
#include "base/json_pack.h"
#include "base/utf8.h"
#include "hooks/claude.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const tools[] = {
	"ask_user", "glob",       "grep_search",       "read_file", "read_many_files",
	"replace",  "write_file", "run_shell_command", "web_fetch", "invoke_agent"
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf clean = { 0 };
	const struct json *v;

	if (!n)
		return 0;
	utf8_add_clean(&clean, (struct str){ (const char *)data + 1, n - 1 });
	struct claude_call c = { .arena = &a,
				 .tool = str_from(tools[data[0] % ARRAY_LEN(tools)]),
				 .cwd = "/",
				 .home = "/h" };
	const struct json *args =
		json_pack(&a, "file_path:z pattern:z names_only:b", "f", "p", data[0] & 0x80);
	const struct json *shown =
		json_pack(&a, "fileDiff:s originalContent:s", buf_str(&clean), buf_str(&clean));
	struct claude_result r = {
		.args = args,
		.response = json_pack(&a, "llmContent:s returnDisplay:j", buf_str(&clean), shown),
		.exit_code = STR("1"),
	};
	struct str text = json_text(&a, claude_response(&c, &r), JSON_COMPACT);

	if (json_parse(&a, text, 0, &v, NULL) < 0 ||
	    utf8_valid(claude_result_text(&a, v)) != claude_result_text(&a, v).n ||
	    utf8_valid(claude_failure(&c, &r)) != claude_failure(&c, &r).n)
		abort();
	return 0;
}
