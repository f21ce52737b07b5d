#include "agent/transcript/claude_log.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fd.h"
#include "os/fs.h"

#define SNAPSHOT "<state_snapshot"
#define HOOK_CONTEXT_END "</hook_context>"
enum { TITLE_MAX = 200, BRANCH_MAX = 200 };

/* A result that was written. */
struct given {
	struct str id;
	uint64_t hash;
};

struct claude_log {
	struct claude_log_options o;
	int fd; /* -1: nothing is written any more */
	char last[TRANSCRIPT_ID_SIZE]; /* uuid of the last line; "" = none */
	struct arena arena; /* of the answer whose calls are open */
	struct str answer; /* its id */
	const struct json *parts;
	struct {
		struct given *p;
		size_t n, cap;
	} given; /* results of its calls */
	char *branch;
	char *failure; /* NULL = none */
	bool told;
};

static void give_up(struct claude_log *l, const char *why)
{
	l->failure = xasprintf("Hooks get no transcript any more: %s: %s", l->o.path, why);
	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
}

static void put(struct claude_log *l, struct str lines)
{
	int r = l->fd >= 0 && lines.n ? fd_append(l->fd, lines) : 0;

	if (r < 0)
		give_up(l, strerror(-r));
}

/* ---- one line ---- */

/* Head and tail of a line are the same for all: `own` is what only this one has. */
static void add_line(struct claude_log *l, struct arena *a, struct buf *out, struct str uuid,
		     struct str timestamp, const struct json *own)
{
	struct jw w = { .out = out };

	jw_obj(&w);
	jw_kv_z(&w, "parentUuid", *l->last ? l->last : NULL);
	jw_kv_bool(&w, "isSidechain", l->o.agent_id != NULL);
	if (l->o.agent_id)
		jw_kv_z(&w, "agentId", l->o.agent_id);
	jw_members(&w, own);
	jw_kv_str(&w, "uuid", uuid);
	jw_kv_str(&w, "timestamp", timestamp.n ? timestamp : recording_now(a));
	jw_kv_z(&w, "userType", "external");
	jw_kv_z(&w, "cwd", l->o.cwd);
	jw_kv_z(&w, "sessionId", l->o.session_id);
	jw_kv_z(&w, "version", tl_version());
	jw_kv_z(&w, "gitBranch", l->branch ? l->branch : "");
	jw_end(&w);
	buf_addc(out, '\n');
	(void)snprintf(l->last, sizeof l->last, "%.*s", (int)min_size(uuid.n, 36), uuid.p);
}

static struct str new_uuid(struct arena *a)
{
	char id[TRANSCRIPT_ID_SIZE];

	transcript_id_new(id);
	return arena_str(a, str_from(id));
}

static const struct json *text_block(struct arena *a, struct str text)
{
	return json_pack(a, "type:z text:s", "text", text);
}

/* An image as a block; of other media the type. */
static const struct json *media_block(struct arena *a, const struct json *data)
{
	struct str type = json_get_str(data, "mimeType");

	if (!str_starts(type, STR("image/")))
		return text_block(a, arena_printf(a, "[%.*s]", STR_ARG(type)));
	return json_pack(a, "type:z source:j", "image",
			 json_pack(a, "type:z media_type:s data:s", "base64", type,
				   json_get_str(data, "data")));
}

/* ---- what Claude Code calls a call ---- */

/* The payload of such an event, as a hook of the claude dialect reads it; NULL when there is none.
 */
static const struct json *as_claude(const struct claude_log *l, struct arena *a, const char *event,
				    struct str tool, const struct tl_field *fields, size_t n)
{
	struct tl_event e = TL_EVENT_INIT(.name = event, .subject = arena_z(a, tool),
					  .cwd = l->o.cwd, .fields = fields, .nfields = n);
	const struct json *v = NULL;

	if (l->o.server_of)
		l->o.server_of(l->o.data, e.subject, &e.mcp_server, &e.mcp_tool);
	AUTO(free) char *text = tl_event_payload(l->o.hooks, &e, "claude", NULL);

	if (text)
		(void)json_parse(a, str_from(text), 0, &v, NULL);
	return v;
}

static struct tl_field field_of(struct arena *a, const char *name, const struct json *v)
{
	struct str text = json_text(a, v ? v : json_new_obj(a), JSON_COMPACT);

	return (struct tl_field){ name, text.p, text.n };
}

/* As payloads name it in tool_use_id. */
static struct str use_id(struct arena *a, const struct json *call)
{
	return arena_printf(a, "toolu_%.*s__%.*s", STR_ARG(json_get_str(call, "name")),
			    STR_ARG(json_get_str(call, "id")));
}

static const struct json *call_block(const struct claude_log *l, struct arena *a,
				     const struct json *call)
{
	struct tl_field field = field_of(a, "tool_input", json_getz(call, "args"));
	struct str name = json_get_str(call, "name");
	const struct json *v = as_claude(l, a, "BeforeTool", name, &field, 1);
	const struct json *input = json_getz(v, "tool_input");

	return json_pack(a, "type:z id:s name:s input:j", "tool_use", use_id(a, call),
			 json_str(json_getz(v, "tool_name"), name),
			 input ? input : json_new_obj(a));
}

/* ---- the user ---- */

static struct str texts_of(struct arena *a, const struct json *parts)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str text;
	ptrdiff_t end;

	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++)
		buf_adds(&out, json_get_str(json_at(parts, i), "text"));
	text = buf_str(&out);
	/* What hooks of SessionStart put in front. */
	end = str_starts(text, STR("<hook_context>")) ? str_find(text, STR(HOOK_CONTEXT_END), 0)
						      : -1;
	if (end >= 0)
		text = str_trim(str_sub(text, (size_t)end + strlen(HOOK_CONTEXT_END), text.n));
	return arena_str(a, text);
}

/* A text, or blocks when the parts have media as well. */
static const struct json *text_and_media(struct arena *a, struct str text, const struct json *parts)
{
	struct json_list blocks = { 0 };

	json_list_add(&blocks, text_block(a, text));
	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++) {
		const struct json *data = json_getz(json_at(parts, i), "inlineData");

		if (data)
			json_list_add(&blocks, media_block(a, data));
	}
	if (blocks.n > 1)
		return json_list_take(a, &blocks);
	free(blocks.p);
	return json_new_str(a, text);
}

static const struct json *user_line(struct arena *a, const struct json *content)
{
	return json_pack(a, "type:z message:j", "user",
			 json_pack(a, "role:z content:j", "user", content));
}

static void add_user(struct claude_log *l, struct arena *a, struct buf *out, const struct json *m)
{
	const struct json *shown = json_getz(m, "displayContent");
	const struct json *parts = recording_parts(a, m), *line;
	bool by_hook = json_is_true(json_getz(m, "byHook"));
	struct str text = texts_of(a, shown && !by_hook ? shown : parts);
	bool summary = str_starts(str_trim(text), STR(SNAPSHOT));

	if (!parts->n || !json_getz(json_at(parts, 0), "text"))
		return; /* responses that are with their calls */
	if (by_hook)
		text = arena_printf(a, "Stop hook feedback:\n%.*s", STR_ARG(text));
	line = user_line(a, text_and_media(a, text, parts));
	if (by_hook)
		line = json_pack_more(a, line, "isMeta:b", true);
	if (summary)
		line = json_pack_more(a, line, "isVisibleInTranscriptOnly:b isCompactSummary:b",
				      true, true);
	add_line(l, a, out, json_get_str(m, "id"), json_get_str(m, "timestamp"), line);
}

/* ---- the model ---- */

/* Texts that follow each other are one block. */
static const struct json *blocks_of(const struct claude_log *l, struct arena *a,
				    const struct json *m, const struct json *parts, bool *ret_calls)
{
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *thoughts = json_getz(m, "thoughts"), *t;
	struct json_list blocks = { 0 };

	*ret_calls = false;
	for (size_t i = 0; (t = json_at(thoughts, i)); i++) {
		struct str subject = json_get_str(t, "subject");
		struct str said = json_get_str(t, "description");

		if (subject.n && said.n)
			said = arena_printf(a, "%.*s\n%.*s", STR_ARG(subject), STR_ARG(said));
		json_list_add(&blocks, json_pack(a, "type:z thinking:s signature:z", "thinking",
						 said.n ? said : subject, ""));
	}
	for (size_t i = 0; i <= parts->n; i++) {
		const struct json *part = json_at(parts, i);
		const struct json *call = json_getz(part, "functionCall");
		const struct json *data = json_getz(part, "inlineData");

		if (i < parts->n && !call && !data) {
			buf_adds(&text, json_get_str(part, "text"));
			continue;
		}
		if (text.n)
			json_list_add(&blocks, text_block(a, arena_str(a, buf_str(&text))));
		buf_clear(&text);
		if (call)
			json_list_add(&blocks, call_block(l, a, call));
		else if (data)
			json_list_add(&blocks, media_block(a, data));
		*ret_calls |= call != NULL;
	}
	return json_list_take(a, &blocks);
}

static void add_model(struct claude_log *l, struct arena *a, struct buf *out, const struct json *m,
		      const struct json *parts)
{
	struct str id = json_get_str(m, "id"), model = json_get_str(m, "model");
	const struct json *content, *message, *usage;
	struct arena fresh = { 0 };
	bool calls;

	parts = parts ? parts : json_new_arr(a, NULL, 0);
	/* From now on results are those of its calls. */
	l->answer = arena_str(&fresh, id);
	l->parts = json_dup(&fresh, parts);
	l->given.n = 0;
	arena_done(&l->arena);
	l->arena = fresh;
	content = blocks_of(l, a, m, parts, &calls);
	/* A line each, for scripts that look at the first block of the last line.  What the answer
	 * cost is in the last one alone, so that sums are right. */
	for (size_t i = 0; i < content->n; i++) {
		const struct json *block = json_at(content, i);
		bool last = i + 1 == content->n;
		const struct json *tokens = last ? json_getz(m, "tokens") : NULL;
		int64_t input = json_int(json_getz(tokens, "input"), 0);
		int64_t cached = json_int(json_getz(tokens, "cached"), 0);
		int64_t output = json_int(json_getz(tokens, "output"), 0) +
				 json_int(json_getz(tokens, "thoughts"), 0);

		cached = cached < input ? cached : input;
		usage = json_pack(a,
				  "input_tokens:l cache_creation_input_tokens:i "
				  "cache_read_input_tokens:l output_tokens:l service_tier:z",
				  input - cached, 0, cached, output, "standard");

		message = json_pack(
			a,
			"model:s id:s type:z role:z content:j stop_reason:z stop_sequence:j usage:j",
			model.n ? model : STR("<synthetic>"),
			arena_printf(a, "msg_%.*s", STR_ARG(id)), "message", "assistant",
			json_new_arr(a, &block, 1), calls ? "tool_use" : "end_turn",
			json_new_null(a), usage);
		add_line(l, a, out, last ? id : new_uuid(a), json_get_str(m, "timestamp"),
			 json_pack(a, "message:j requestId:s type:z", message,
				   arena_printf(a, "req_%.*s", STR_ARG(id)), "assistant"));
	}
}

/* ---- results ---- */

/* What the model got: the text of the response, and the media behind it. */
static const struct json *result_content(struct arena *a, const struct json *parts,
					 struct str *ret_text)
{
	const struct json *response =
		json_getz(json_getz(json_at(parts, 0), "functionResponse"), "response");
	const struct json *error = json_getz(response, "error");

	*ret_text = json_str(error ? error : json_getz(response, "output"), STR(""));
	if (!json_is(error, J_STR) && !json_is(json_getz(response, "output"), J_STR) && response)
		*ret_text = json_text(a, response, JSON_COMPACT);
	return text_and_media(a, *ret_text, parts);
}

/* What surrounds texts of others is for the model. */
static struct str without_frame(struct str text)
{
	static const struct str open_tag = { "<untrusted_context>\n", 20 };
	static const struct str close_tag = { "\n</untrusted_context>", 21 };

	if (!str_starts(text, open_tag) || !str_ends(text, close_tag) ||
	    text.n < open_tag.n + close_tag.n)
		return text;
	return str_sub(text, open_tag.n, text.n - close_tag.n);
}

static void add_result(struct claude_log *l, struct arena *a, struct buf *out,
		       const struct json *row)
{
	const struct json *parts = recording_part_list(a, json_getz(row, "result"));
	struct str text, name = json_get_str(row, "name");
	const struct json *content = result_content(a, parts, &text), *block, *v, *response, *line;
	const struct json *display = json_getz(row, "resultDisplay");
	/* A command that ended with another status is a failed tool in Claude Code. */
	struct str code = str_behind_last(text, STR("\nExit Code: ")), out_text;
	bool failed = !str_eqz(json_get_str(row, "status"), "success");
	struct tl_field fields[2];

	if (!str_eqz(name, "run_shell_command"))
		code = STR("");
	failed |= code.n > 0;
	fields[0] = field_of(a, "tool_input", json_getz(row, "args"));
	fields[1] = field_of(a, "tool_response",
			     json_pack(a, "llmContent:s ?returnDisplay:j", text, display));
	v = as_claude(l, a, "AfterTool", name, fields, 2);
	response = json_getz(v, "tool_response");
	out_text = without_frame(text);
	if (json_is(json_getz(response, "stdout"), J_STR) && json_is(content, J_STR))
		out_text = json_get_str(response, "stdout");
	if (code.n)
		out_text =
			arena_printf(a, "Exit code %.*s\n%.*s", STR_ARG(code), STR_ARG(out_text));
	if (json_is(content, J_STR))
		content = json_new_str(a, out_text);
	if (failed || !response)
		response = json_new_str(
			a, failed ? arena_printf(a, "Error: %.*s", STR_ARG(out_text)) : out_text);
	block = json_pack(a, "tool_use_id:s type:z content:j is_error:b", use_id(a, row),
			  "tool_result", content, failed);
	line = user_line(a, json_new_arr(a, &block, 1));
	line = json_pack_more(a, line, "toolUseResult:j sourceToolAssistantUUID:s", response,
			      l->answer);
	add_line(l, a, out, new_uuid(a), json_get_str(row, "timestamp"), line);
}

static bool add_results(struct claude_log *l, struct arena *a, struct buf *out,
			const struct json *rows)
{
	bool same = true;

	for (size_t i = 0; json_is(rows, J_ARR) && i < rows->n; i++) {
		const struct json *row = json_at(rows, i), *result = json_getz(row, "result");
		uint64_t hash =
			str_hash(STR_HASH, json_text(a, result ? result : row, JSON_COMPACT));
		struct str id = use_id(a, row);
		size_t at = 0;

		while (at < l->given.n && !str_eq(l->given.p[at].id, id))
			at++;
		if (at < l->given.n) {
			same &= l->given.p[at].hash == hash;
			continue;
		}
		*VEC_ADD(&l->given) = (struct given){ arena_str(&l->arena, id), hash };
		add_result(l, a, out, row);
	}
	return same;
}

bool claude_log_results(struct claude_log *l, const struct json *rows)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	bool same = l->fd < 0 || add_results(l, &a, &out, rows);

	put(l, buf_str(&out));
	return same;
}

void claude_log_message(struct claude_log *l, const struct json *m, const struct json *parts)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };

	if (l->fd < 0)
		return;
	if (recording_is_user(m))
		add_user(l, &a, &out, m);
	else if (recording_is_model(m))
		add_model(l, &a, &out, m, parts);
	put(l, buf_str(&out));
}

/* ---- a summary takes the place of what was before ---- */

void claude_log_compacted(struct claude_log *l, const struct json *messages)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	char before[TRANSCRIPT_ID_SIZE];
	const struct json *first = json_at(messages, 0), *title;
	struct jw w = { .out = &out };
	struct str text;

	if (l->fd < 0 || !first)
		return;
	memcpy(before, l->last, sizeof before);
	*l->last = '\0';
	add_line(l, &a, &out, new_uuid(&a), STR(""),
		 json_pack(&a, "logicalParentUuid:z type:z subtype:z content:z isMeta:b level:z",
			   *before ? before : NULL, "system", "compact_boundary",
			   "Conversation compacted", false, "info"));
	add_user(l, &a, &out, first);
	text = utf8_prefix(texts_of(&a, recording_parts(&a, first)), TITLE_MAX);
	title = json_pack(&a, "type:z summary:s leafUuid:s", "summary", text,
			  json_get_str(json_at(messages, messages->n - 1), "id"));
	jw_json(&w, title);
	buf_addc(&out, '\n');
	put(l, buf_str(&out));
}

/* ---- the whole file ---- */

/* The last line of a log, or NULL. */
static const struct json *last_line(struct arena *a, struct str text)
{
	const struct json *v = NULL;
	ptrdiff_t at = -1;

	if (!text.n || text.p[text.n - 1] != '\n')
		return NULL;
	for (size_t i = text.n - 1; i > 0 && at < 0; i--)
		if (text.p[i - 1] == '\n')
			at = (ptrdiff_t)i;
	return json_parse(a, str_sub(text, at < 0 ? 0 : (size_t)at, text.n), 0, &v, NULL) == 0
		       ? v
		       : NULL;
}

/* Does the file there end with what the recording ends with?  Then it goes on. */
static bool is_in_step(struct claude_log *l, const struct recording *r)
{
	static const char *const keys[] = { "uuid", "sourceToolAssistantUUID", "leafUuid" };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct str id = STR("");
	const struct json *v;

	for (size_t i = r->messages.n; i > 0 && !id.n; i--)
		if (recording_is_user(r->messages.p[i - 1].message) ||
		    recording_is_model(r->messages.p[i - 1].message))
			id = json_get_str(r->messages.p[i - 1].message, "id");
	if (!id.n || fs_read_nofollow(l->o.path, RECORDING_MAX_BYTES, &text, NULL) < 0)
		return false;
	v = last_line(&a, buf_str(&text));
	for (size_t i = 0; i < ARRAY_LEN(keys); i++) {
		struct str uuid = json_get_str(v, "uuid");

		if (!str_eq(json_get_str(v, keys[i]), id))
			continue;
		uuid = uuid.n ? uuid : id;
		(void)snprintf(l->last, sizeof l->last, "%.*s", (int)min_size(uuid.n, 36), uuid.p);
		return true;
	}
	return false;
}

static void write_whole(struct claude_log *l, const struct recording *r,
			const struct claude_log_open *at)
{
	AUTO(buf_done) struct buf out = { 0 };
	const int flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW;

	if (l->fd >= 0)
		(void)close(l->fd);
	l->fd = -1;
	*l->last = '\0';
	for (size_t i = 0; i < r->messages.n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *m = r->messages.p[i].message, *parts = NULL;

		if (recording_is_user(m)) {
			add_user(l, &a, &out, m);
		} else if (recording_is_model(m)) {
			bool is_open = at && at->message && at->parts &&
				       json_equal(json_getz(m, "id"), json_getz(at->message, "id"));

			parts = is_open ? at->parts : recording_answer(&a, m);
			add_model(l, &a, &out, m, parts);
			(void)add_results(l, &a, &out, json_getz(m, "toolCalls"));
		}
	}
	/* A file of another's making, or a link, is not written to. */
	if (unlink(l->o.path) < 0 && errno != ENOENT)
		give_up(l, strerror(errno));
	else if ((l->fd = open(l->o.path, flags, 0600)) < 0)
		give_up(l, strerror(errno));
	put(l, buf_str(&out));
}

void claude_log_rewrite(struct claude_log *l, const struct recording *r)
{
	if (!l->failure)
		write_whole(l, r, NULL);
}

struct claude_log *claude_log_new(const struct claude_log_options *o, const struct recording *r,
				  const struct claude_log_open *at, struct err *err)
{
	struct claude_log *l = xcalloc(1, sizeof *l);
	AUTO(free) char *git = fs_join(o->cwd, ".git/HEAD");
	AUTO(buf_done) struct buf head = { 0 };
	struct str ref = STR("ref: refs/heads/"), line;
	AUTO(free) char *dir = xstrndup(o->path, (size_t)(strrchr(o->path, '/') - o->path));

	l->o = *o;
	l->o.hooks = tl_hooks_ref(o->hooks);
	l->o.path = xstrdup(o->path);
	l->o.session_id = xstrdup(o->session_id);
	l->o.cwd = xstrdup(o->cwd);
	l->o.agent_id = o->agent_id ? xstrdup(o->agent_id) : NULL;
	/* "main", by the project's .git; not told when it is not in one line. */
	line = fs_read_nofollow(git, BRANCH_MAX, &head, NULL) < 0 ? STR("")
								  : str_trim(buf_str(&head));
	if (str_starts(line, ref))
		l->branch = xstrndup(line.p + ref.n, line.n - ref.n);
	l->fd = -1;
	if (fs_mkdirs(dir, 0700, err) < 0) {
		claude_log_free(l);
		return NULL;
	}
	if (!at->message && is_in_step(l, r)) {
		l->fd = recording_open(l->o.path, O_WRONLY | O_APPEND, NULL);
		if (l->fd >= 0)
			return l;
	}
	write_whole(l, r, at);
	if (l->fd < 0) {
		(void)err_set(err, E_IO, "%s", l->failure);
		claude_log_free(l);
		return NULL;
	}
	return l;
}

void claude_log_free(struct claude_log *l)
{
	if (!l)
		return;
	if (l->fd >= 0)
		(void)close(l->fd);
	tl_hooks_unref(l->o.hooks);
	arena_done(&l->arena);
	free(l->given.p);
	free((char *)l->o.path);
	free((char *)l->o.session_id);
	free((char *)l->o.cwd);
	free((char *)l->o.agent_id);
	free(l->branch);
	free(l->failure);
	free(l);
}

const char *claude_log_path(const struct claude_log *l)
{
	return l && l->fd >= 0 ? l->o.path : "";
}

const char *claude_log_error(struct claude_log *l)
{
	if (!l || !l->failure || l->told)
		return NULL;
	l->told = true;
	return l->failure;
}
