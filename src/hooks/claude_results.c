/*
 * Results of tools as Claude Code's hooks know them: what PostToolUse shows, a shape for each tool,
 * and back, to what the model is told.  Of what the host does not tell a shape has nothing.
 */
#include "hooks/claude.h"

#include "base/json_pack.h"

/* A list of texts and text parts, and nothing else. */
static bool is_texts(const struct json *list)
{
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		const struct json *part = json_at(list, i);

		if (part->type != J_STR && !json_is(json_getz(part, "text"), J_STR))
			return false;
	}
	return json_is(list, J_ARR);
}

/* Parts that are no text (images) are left out when there is some text. */
static struct str parts_text(struct arena *a, const struct json *list)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < list->n; i++) {
		const struct json *part = json_at(list, i);
		const struct json *text = json_is(part, J_OBJ) ? json_getz(part, "text") : part;

		if (!json_is(text, J_STR))
			continue;
		if (out.n)
			buf_addc(&out, '\n');
		buf_adds(&out, json_str(text, STR("")));
	}
	return out.n || is_texts(list) ? arena_str(a, buf_str(&out))
				       : json_text(a, list, JSON_COMPACT);
}

/* stdout and stderr, one below the other; .p NULL when v has neither. */
static struct str streams_text(struct arena *a, const struct json *v)
{
	struct str out = json_get_str(v, "stdout"), err = json_get_str(v, "stderr");
	bool gap = out.n && err.n && out.p[out.n - 1] != '\n';

	if (!json_is(json_getz(v, "stdout"), J_STR) && !json_is(json_getz(v, "stderr"), J_STR))
		return (struct str){ 0 };
	return arena_printf(a, "%.*s%s%.*s", STR_ARG(out), gap ? "\n" : "", STR_ARG(err));
}

struct str claude_result_text(struct arena *a, const struct json *result)
{
	/* "result" of a page, "file" of what was read. */
	static const char *const inner[] = { "llmContent", "content", "text", "result", "file" };
	AUTO(buf_done) struct buf lines = { 0 };
	const struct json *names;
	struct str streams;

	if (!result || result->type == J_NULL)
		return STR("");
	if (result->type == J_STR)
		return json_str(result, STR(""));
	if (result->type == J_ARR)
		return parts_text(a, result);
	streams = streams_text(a, result);
	if (streams.p)
		return streams;
	for (size_t i = 0; i < ARRAY_LEN(inner); i++) {
		const struct json *v = json_getz(result, inner[i]);

		if (json_is(v, J_STR))
			return json_str(v, STR(""));
		if (is_texts(v) || (i == 0 && json_is(v, J_ARR)))
			return parts_text(a, v);
		if (strchr("lf", inner[i][0]) && json_is(v, J_OBJ))
			return claude_result_text(a, v);
	}
	names = json_getz(result, "filenames");
	if (!is_texts(names))
		return json_text(a, result, JSON_COMPACT);
	for (size_t i = 0; i < names->n; i++)
		buf_addf(&lines, "%s%.*s", i ? "\n" : "",
			 STR_ARG(json_str(json_at(names, i), STR(""))));
	return arena_str(a, buf_str(&lines));
}

/* What the shapes of results are made of. */
struct result_in {
	const struct claude_call *c;
	const struct claude_result *r;
	const struct json *args; /* in Claude's names */
	struct str text; /* as the model sees it */
};

static const struct json *with(const struct result_in *in, const struct json *obj, const char *key,
			       const struct json *v)
{
	return json_set(in->c->arena, obj, str_from(key), v);
}

static const struct json *with_str(const struct result_in *in, const struct json *obj,
				   const char *key, struct str s)
{
	return with(in, obj, key, json_new_str(in->c->arena, s));
}

static const struct json *text_parts(const struct result_in *in)
{
	const struct json *part = with_str(in, NULL, "type", STR("text"));

	part = with_str(in, part, "text", in->text);
	return json_new_arr(in->c->arena, &part, 1);
}

/* What the model is told around texts of others is not part of the result. */
static struct str without_frame(struct str text)
{
	static const struct str open = { "<untrusted_context>\n", 20 };
	static const struct str close = { "\n</untrusted_context>", 21 };

	if (!str_starts(text, open) || !str_ends(text, close) || text.n < open.n + close.n ||
	    str_find(text, open, 1) >= 0)
		return text;
	return str_sub(text, open.n, text.n - close.n);
}

/* The output alone, without what the model is told around it. */
static struct str shell_output(const struct result_in *in)
{
	const struct json *display = json_getz(in->r->response, "returnDisplay");
	struct str text = in->text;

	if (streams_text(in->c->arena, in->r->response).p)
		return json_get_str(in->r->response, "stdout");
	if (!str_starts(text, STR("Output: ")) || !json_is(display, J_STR))
		return in->text;
	return str_starts(text, STR("Output: (empty)\n")) ? STR("") : json_str(display, STR(""));
}

static const struct json *shell_result(const struct result_in *in)
{
	const struct json *no = json_new_bool(in->c->arena, false), *obj;
	const struct json *cut = json_getz(in->r->response, "interrupted");

	obj = with_str(in, NULL, "stdout", shell_output(in));
	obj = with_str(in, obj, "stderr", json_get_str(in->r->response, "stderr"));
	obj = with(in, obj, "interrupted", json_is(cut, J_BOOL) ? cut : no);
	return with(in, obj, "isImage", no);
}

/* ---- files ---- */

static size_t line_count(struct str text)
{
	size_t n = text.n && text.p[text.n - 1] != '\n';

	for (size_t i = 0; i < text.n; i++)
		n += text.p[i] == '\n';
	return n;
}

/* A picture or a document, which the model was given as such; NULL = it was given a text. */
static const struct json *media_file(const struct result_in *in, struct str path)
{
	const struct json *parts = json_getz(in->r->response, "llmContent");
	const struct json *data =
		json_getz(json_is(parts, J_ARR) ? json_at(parts, 0) : parts, "inlineData");
	struct str type = json_get_str(data, "mimeType"), bytes = json_get_str(data, "data");
	bool image = str_starts(type, STR("image/"));
	struct arena *a = in->c->arena;

	if (!data || (!image && !str_eqz(type, "application/pdf")))
		return NULL;
	return json_pack(a, "type:z file:j", image ? "image" : "pdf",
			 json_pack(a, "?filePath:s base64:s ?type:s originalSize:n",
				   image ? STR("") : path, bytes, image ? type : STR(""),
				   bytes.n / 4 * 3));
}

static const struct json *read_result(const struct result_in *in)
{
	static const struct str mark = STR("\n--- FILE CONTENT (truncated) ---\n");
	static const struct str status = STR("\nStatus: Showing lines ");
	struct str path = json_get_str(in->args, "file_path"), text = in->text, word;
	const struct json *media = media_file(in, path);
	ptrdiff_t at = str_find(text, mark, 0), shown = str_find(text, status, 0);
	int64_t first = 1, total = 0;
	struct arena *a = in->c->arena;

	if (media)
		return media;
	if (at >= 0 && shown >= 0 && shown < at) {
		struct str rest = str_sub(text, (size_t)shown + status.n, (size_t)at);

		(void)(str_split(&rest, '-', &word) && str_to_int(word, &first));
		(void)(str_split(&rest, ' ', &word) && str_split(&rest, ' ', &word) &&
		       str_split(&rest, ' ', &word) && str_to_int(word, &total));
		text = str_sub(text, (size_t)at + mark.n, text.n);
	}
	if (total < 1)
		total = (int64_t)line_count(text);
	return json_pack(a, "type:z file:j", "text",
			 json_pack(a, "filePath:s content:s numLines:n startLine:l totalLines:l",
				   path, text, line_count(text), first, total));
}

/* "@@ -1,2 +3,4 @@": the four numbers, of which the second and the fourth may be missing. */
static const struct json *hunk_begin(struct arena *a, struct str line)
{
	int64_t v[4] = { 0, 1, 0, 1 };
	struct str word, side;

	(void)str_split(&line, ' ', &word);
	for (size_t i = 0; i < 4; i += 2) {
		if (!str_split(&line, ' ', &word) || !word.n)
			return NULL;
		side = str_sub(word, 1, word.n);
		for (size_t k = i; k < i + 2 && str_split(&side, ',', &word); k++)
			(void)str_to_int(word, &v[k]);
	}
	return json_pack(a, "oldStart:l oldLines:l newStart:l newLines:l", v[0], v[1], v[2], v[3]);
}

static void end_hunk(struct arena *a, struct json_list *hunks, const struct json *begin,
		     struct json_list *lines)
{
	const struct json *all = json_list_take(a, lines);

	if (begin)
		json_list_add(hunks, json_pack_more(a, begin, "lines:j", all));
}

/* What both ways to change a file have; of one that is new there was nothing before. */
static const struct json *changed(const struct result_in *in, const struct json *obj)
{
	const struct json *shown = json_getz(in->r->response, "returnDisplay");
	const struct json *before = json_getz(shown, "originalContent"), *begin = NULL;
	bool new = json_is_true(json_getz(shown, "isNewFile"));
	struct str diff = new ? STR("") : json_get_str(shown, "fileDiff"), line;
	struct json_list hunks = { 0 }, lines = { 0 };
	struct arena *a = in->c->arena;

	/* A unified difference, hunk by hunk. */
	while (str_split(&diff, '\n', &line)) {
		if (str_starts(line, STR("@@ "))) {
			end_hunk(a, &hunks, begin, &lines);
			begin = hunk_begin(a, line);
		} else if (begin && line.n && strchr(" +-\\", line.p[0])) {
			json_list_add(&lines, json_new_str(a, line));
		}
	}
	end_hunk(a, &hunks, begin, &lines);
	obj = json_pack_more(a, obj, "originalFile:j structuredPatch:j", new ? NULL : before,
			     json_list_take(a, &hunks));
	/* "success" is what Claude Code's own documentation shows. */
	return json_pack_more(a, obj, "userModified:b success:b", false, true);
}

static const struct json *write_result(const struct result_in *in)
{
	const struct json *shown = json_getz(in->r->response, "returnDisplay");
	bool new = json_is_true(json_getz(shown, "isNewFile"));

	return changed(in, json_pack(in->c->arena, "type:z filePath:s content:s",
				     new ? "create" : "update", json_get_str(in->args, "file_path"),
				     json_get_str(in->args, "content")));
}

static const struct json *edit_result(const struct result_in *in)
{
	return changed(in,
		       json_pack(in->c->arena, "filePath:s oldString:s newString:s replaceAll:b",
				 json_get_str(in->args, "file_path"),
				 json_get_str(in->args, "old_string"),
				 json_get_str(in->args, "new_string"),
				 json_is_true(json_getz(in->args, "replace_all"))));
}

/* ---- searches ---- */

static const struct json *glob_result(const struct result_in *in)
{
	struct json_list files = { 0 };
	struct str rest = in->text, line;
	bool cut = false;

	while (str_split(&rest, '\n', &line)) {
		if (str_starts(line, STR("/")))
			json_list_add(&files, json_new_str(in->c->arena, line));
		cut |= str_starts(line, STR("("));
	}
	size_t n = files.n;
	return json_pack(in->c->arena, "filenames:j durationMs:f numFiles:n truncated:b",
			 json_list_take(in->c->arena, &files), in->r->ms, n, cut);
}

/* Lines as ripgrep prints them: FILE:NUMBER:TEXT, of the context FILE-NUMBER-TEXT. */
static void add_match(struct buf *out, struct str file, struct str line)
{
	struct str number;
	char mark;

	(void)str_split(&line, ' ', &number);
	if (number.n < 3)
		return;
	mark = number.p[number.n - 1];
	buf_addf(out, "%s%.*s%c%.*s%c%.*s", out->n ? "\n" : "", STR_ARG(file), mark,
		 STR_ARG(str_sub(number, 1, number.n - 1)), mark, STR_ARG(line));
}

static const struct json *grep_result(const struct result_in *in)
{
	static const struct str of_file = STR("File: ");
	AUTO(buf_done) struct buf content = { 0 };
	struct json_list files = { 0 };
	struct str mode = json_get_str(in->args, "output_mode"), rest = in->text, line, file;
	bool names = str_eqz(mode, "files_with_matches"), title = true;
	struct arena *a = in->c->arena;

	file = STR("");
	/* Behind the title. */
	for (; str_split(&rest, '\n', &line); title = false) {
		if (title || str_starts(line, STR("(")) || str_eqz(line, "---"))
			continue;
		if (!names && str_starts(line, of_file))
			file = str_sub(line, of_file.n, line.n);
		else if (!names && str_starts(line, STR("L")))
			add_match(&content, file, line);
		if (line.n && (names || str_starts(line, of_file)))
			json_list_add(&files, json_new_str(a, names ? line : file));
	}
	size_t n = files.n;
	const struct json *obj =
		json_pack(a, "mode:s numFiles:n filenames:j", mode, n, json_list_take(a, &files));
	return names ? obj
		     : json_pack_more(a, obj, "content:s numLines:n", buf_str(&content),
				      line_count(buf_str(&content)));
}

/* ---- the rest ---- */

static const struct json *fetch_result(const struct result_in *in)
{
	return json_pack(in->c->arena, "bytes:n code:i codeText:z result:s durationMs:f url:s",
			 in->text.n, 200, "OK", in->text, in->r->ms, json_get_str(in->args, "url"));
}

static const struct json *search_result(const struct result_in *in)
{
	const struct json *text = json_new_str(in->c->arena, in->text);

	return json_pack(in->c->arena, "query:s results:j durationSeconds:f",
			 json_get_str(in->args, "query"), json_new_arr(in->c->arena, &text, 1),
			 in->r->ms / 1000);
}

static const struct json *todo_result(const struct result_in *in)
{
	return json_pack(in->c->arena, "oldTodos:j newTodos:j", json_new_arr(in->c->arena, NULL, 0),
			 json_getz(in->args, "todos"));
}

static const struct json *skill_result(const struct result_in *in)
{
	return json_pack(in->c->arena, "success:b commandName:s content:s", true,
			 json_get_str(in->args, "skill"), in->text);
}

/* The answers are told by the number of their question; there by its text. */
static const struct json *answers_result(const struct result_in *in)
{
	const struct json *questions = json_getz(in->args, "questions"), *said = NULL;
	struct arena *a = in->c->arena;
	const struct json *answers = json_new_obj(a);

	(void)json_parse(a, in->text, 0, &said, NULL);
	said = json_getz(said, "answers");
	for (size_t i = 0; json_is(said, J_OBJ) && i < said->n; i++) {
		const struct json_member *m = &said->members[i];
		struct str asked = m->key;
		int64_t nth;

		if (str_to_int(m->key, &nth) && nth >= 0 && json_at(questions, (size_t)nth))
			asked = json_get_str(json_at(questions, (size_t)nth), "question");
		answers = json_set(a, answers, asked, &m->v);
	}
	return json_pack(a, "questions:j answers:j", questions, answers);
}

static const struct json *agent_result(const struct result_in *in)
{
	struct arena *a = in->c->arena;

	return json_pack(a, "status:z agentId:z agentType:s prompt:s content:j totalDurationMs:f",
			 "completed", in->r->call_id ? in->r->call_id : "",
			 json_get_str(in->args, "subagent_type"), json_get_str(in->args, "prompt"),
			 text_parts(in), in->r->ms);
}

static const struct result_shape {
	const char *tool;
	const struct json *(*make)(const struct result_in *in);
} shapes[] = {
	{ "activate_skill", skill_result },
	{ "ask_user", answers_result },
	{ "glob", glob_result },
	{ "google_web_search", search_result },
	{ "grep_search", grep_result },
	{ "invoke_agent", agent_result },
	{ "read_file", read_result },
	{ "read_many_files", read_result },
	{ "replace", edit_result },
	{ "run_shell_command", shell_result },
	{ "web_fetch", fetch_result },
	{ "write_file", write_result },
	{ "write_todos", todo_result },
};

static bool is_text_or_none(const struct json *v)
{
	return !v || json_is(v, J_STR);
}

const char *claude_result_misfit(struct str tool, bool mcp, const struct json *v)
{
	const char *alias = mcp ? NULL : tool_alias(tool);
	const struct json *out = json_getz(v, "stdout"), *err = json_getz(v, "stderr"), *item;

	if (v->type == J_STR)
		return NULL;
	for (size_t i = 0; (item = json_at(v, i)); i++)
		if (!json_is(item, J_OBJ) && !json_is(item, J_STR))
			return "is not a list of content blocks";
	if (v->type == J_ARR)
		return NULL;
	if (v->type != J_OBJ)
		return "is neither a text, an object nor a list of content blocks";
	if (!mcp && str_eqz(alias ? str_from(alias) : tool, "run_shell_command") &&
	    ((!out && !err) || !is_text_or_none(out) || !is_text_or_none(err)))
		return "is not the result of a command, which is {\"stdout\", \"stderr\", "
		       "\"interrupted\", \"isImage\"} with texts";
	return NULL;
}

const struct json *claude_response(const struct claude_call *c, const struct claude_result *r)
{
	const char *alias = c->mcp ? NULL : tool_alias(c->tool);
	struct str tool = alias ? str_from(alias) : c->tool;
	struct result_in in = {
		.c = c,
		.r = r,
		.args = claude_args_from_host(c, r->args),
		.text = without_frame(claude_result_text(c->arena, r->response)),
	};

	if (c->mcp) {
		const struct json *raw = json_getz(r->response, "content");

		return json_is(raw, J_ARR) ? raw : text_parts(&in);
	}
	for (size_t i = 0; i < ARRAY_LEN(shapes); i++)
		if (str_eqz(tool, shapes[i].tool))
			return shapes[i].make(&in);
	return with_str(&in, NULL, "content", in.text);
}

struct str claude_failure(const struct claude_call *c, const struct claude_result *r)
{
	const char *alias = c->mcp ? NULL : tool_alias(c->tool);
	struct result_in in = { .c = c,
				.r = r,
				.text = without_frame(claude_result_text(c->arena, r->response)) };

	if (c->mcp || !str_eqz(alias ? str_from(alias) : c->tool, "run_shell_command") ||
	    !r->exit_code.n)
		return in.text;
	return arena_printf(c->arena, "Exit code %.*s\n%.*s", STR_ARG(r->exit_code),
			    STR_ARG(shell_output(&in)));
}

struct str claude_told(struct str text)
{
	return without_frame(text);
}
