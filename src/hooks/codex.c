#include "hooks/codex.h"

#include "base/utf8.h"
#include "base/words.h"
#include "hooks/claude.h"
#include "hooks/patch.h"
#include "settings/mode.h"

/* ---- tools ---- */

static const char *tool_of(const struct firing *f)
{
	return f->in.mcp_server ? NULL : tool_name_in(TOOLS_CODEX, str_from(f->in.subject));
}

static bool is_patch(const struct firing *f)
{
	const char *tool = tool_of(f);

	return tool && strcmp(tool, "apply_patch") == 0;
}

static bool is_command(const struct firing *f)
{
	const char *tool = tool_of(f);

	return tool && strcmp(tool, "Bash") == 0;
}

static const struct json *with_command(struct arena *a, const struct json *command)
{
	return command ? json_set(a, NULL, STR("command"), command) : json_new_obj(a);
}

/* As Codex shows them: a command, a patch, else as they are. */
static const struct json *shown_args(struct firing *f)
{
	const struct json *args = firing_tool_input(f);
	struct str patch = { f->in.patch, f->in.patch_length };

	if (is_command(f))
		return with_command(f->arena, json_getz(args, "command"));
	if (!is_patch(f))
		return args;
	/* What the agent sent, unless a hook has changed a part of it. */
	if (!patch.p || f->current)
		patch = patch_of(f->arena, args);
	return with_command(f->arena, json_new_str(f->arena, patch));
}

static const struct json *patch_to_host(struct firing *f, struct str text)
{
	static const char *const texts[] = { "content", "old_string", "new_string" };
	const struct json *had = firing_tool_input(f), **files;
	struct arena *a = f->arena;
	size_t n;

	files = patch_files(a, text, &n);
	/* One file of several cannot be told what becomes of the others. */
	if (n != 1 || f->in.patch_part)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct json *v = json_getz(files[0], texts[i]),
				  *was = json_getz(had, texts[i]);

		if (!v != !was)
			return NULL;
		/* It ends as before: lines of a patch always end with a line break. */
		text = json_str(v, STR(""));
		if (str_ends(text, STR("\n")) && !str_ends(json_str(was, STR("\n")), STR("\n")))
			v = json_new_str(a, str_sub(text, 0, text.n - 1));
		if (v)
			had = json_set(a, had, str_from(texts[i]), v);
	}
	return json_set(a, had, STR("file_path"), json_getz(files[0], "file_path"));
}

const struct json *codex_args_to_host(struct firing *f, const struct json *args)
{
	const struct json *had = firing_tool_input(f), *command = json_getz(args, "command");

	if (!is_command(f) && !is_patch(f))
		return args;
	if (json_equal(args, shown_args(f)))
		return had;
	if (!json_is(command, J_STR))
		return NULL;
	return is_command(f) ? json_set(f->arena, had, STR("command"), command)
			     : patch_to_host(f, json_str(command, STR("")));
}

/* ---- the payload ---- */

enum {
	HAS_TURN = 1 << 0,
	HAS_MODEL = 1 << 1,
	HAS_MODE = 1 << 2,
	HAS_AGENT = 1 << 3, /* of a sub-agent: its id and type */
	HAS_CALL = 1 << 4,
	HAS_TOOL = 1 << 5,
	HAS_RESPONSE = 1 << 6,
	HAS_SUBJECT = 1 << 7, /* under the moment's own name for it */
	HAS_PROMPT = 1 << 8,
	HAS_LAST = 1 << 9, /* last_assistant_message and stop_hook_active */
	HAS_AGENT_PATH = 1 << 10,
	HAS_REASON = 1 << 11, /* of the end: one word for all */
	IN_TURN = HAS_TURN | HAS_MODEL | HAS_MODE,
};

static const struct {
	const char *event;
	unsigned has;
} payloads[] = {
	{ "PreToolUse", IN_TURN | HAS_AGENT | HAS_TOOL | HAS_CALL },
	{ "PermissionRequest", IN_TURN | HAS_AGENT | HAS_TOOL },
	{ "PostToolUse", IN_TURN | HAS_AGENT | HAS_TOOL | HAS_CALL | HAS_RESPONSE },
	{ "UserPromptSubmit", IN_TURN | HAS_AGENT | HAS_PROMPT },
	{ "Stop", IN_TURN | HAS_LAST },
	{ "SubagentStart", IN_TURN | HAS_AGENT },
	{ "SubagentStop", IN_TURN | HAS_AGENT | HAS_LAST | HAS_AGENT_PATH },
	{ "SessionStart", HAS_MODEL | HAS_MODE | HAS_SUBJECT },
	{ "SessionEnd", HAS_REASON },
	{ "PreCompact", HAS_TURN | HAS_MODEL | HAS_AGENT | HAS_SUBJECT },
	{ "PostCompact", HAS_TURN | HAS_MODEL | HAS_AGENT | HAS_SUBJECT },
};

static void add_text(struct jw *w, const char *key, const char *text)
{
	jw_kv_z(w, key, text ? text : "");
}

static void add_text_or_null(struct jw *w, const char *key, struct str text)
{
	if (text.n) {
		jw_kv_str(w, key, text);
		return;
	}
	jw_key(w, key);
	jw_raw(w, STR("null"));
}

static struct str field_str(const struct firing *f, const char *name)
{
	return json_str(firing_value(f, name), STR(""));
}

static void add_tool(struct jw *w, struct firing *f, unsigned has)
{
	const struct json *response = firing_value(f, "tool_response");
	const struct json *content = json_getz(response, "content");
	const char *tool = tool_of(f);

	jw_kv_str(w, "tool_name",
		  f->in.mcp_server && f->in.mcp_tool
			  ? mcp_name(f->arena, f->in.mcp_server, f->in.mcp_tool, false)
			  : str_from(tool ? tool : f->in.subject));
	jw_key(w, "tool_input");
	jw_json(w, shown_args(f));
	/* What the model is told: a text, or of a server's tool its content. */
	if (has & HAS_RESPONSE) {
		jw_key(w, "tool_response");
		jw_json(w, f->in.mcp_server && json_is(content, J_ARR)
				   ? json_set(f->arena, NULL, STR("content"), content)
				   : json_new_str(f->arena, claude_told(claude_result_text(
								    f->arena, response))));
	}
	if (has & HAS_CALL)
		add_text(w, "tool_use_id", f->in.tool_call_id);
}

static void add_members(struct jw *w, struct firing *f, unsigned has)
{
	bool stops = f->event->id == EV_AFTER_AGENT;
	bool about_agent = f->event->subject && strcmp(f->event->subject, "agent_type") == 0;

	if (has & HAS_TURN)
		add_text(w, "turn_id", f->in.turn_id);
	if (has & HAS_MODEL)
		add_text(w, "model", f->in.model);
	if (has & HAS_MODE)
		jw_kv_z(w, "permission_mode", mode_claude(f->in.permission_mode));
	if (has & HAS_AGENT && (f->in.agent_id || about_agent)) {
		add_text(w, "agent_id", f->in.agent_id);
		add_text(w, "agent_type", f->in.agent_type);
	}
	if (has & HAS_TOOL)
		add_tool(w, f, has);
	if (has & HAS_SUBJECT)
		jw_kv_z(w, f->event->subject, f->in.subject);
	if (has & HAS_REASON)
		jw_kv_z(w, "reason", "other");
	if (has & HAS_PROMPT)
		jw_kv_str(w, "prompt", field_str(f, "prompt"));
	if (has & HAS_AGENT_PATH)
		add_text_or_null(w, "agent_transcript_path", field_str(f, "agent_transcript_path"));
	if (has & HAS_LAST) {
		jw_kv_bool(w, "stop_hook_active",
			   json_is_true(firing_value(f, "stop_hook_active")));
		add_text_or_null(
			w, "last_assistant_message",
			field_str(f, stops ? "prompt_response" : "last_assistant_message"));
	}
}

struct str codex_payload(struct firing *f, const struct hook *hook)
{
	AUTO(buf_done) struct buf out = { 0 };
	const char *path = f->in.transcript_path;
	struct jw w = { .out = &out };

	jw_obj(&w);
	jw_kv_z(&w, "session_id", f->session_id);
	add_text_or_null(&w, "transcript_path", str_from(path ? path : ""));
	jw_kv_z(&w, "cwd", f->cwd);
	jw_kv_z(&w, "hook_event_name", hook->as->name);
	for (size_t i = 0; i < ARRAY_LEN(payloads); i++)
		if (strcmp(payloads[i].event, hook->as->name) == 0)
			add_members(&w, f, payloads[i].has);
	/* An answer has to name its question (C6.8). */
	if (hook->persistent)
		jw_kv_int(&w, "seq", (int64_t)f->in.seq);
	jw_end(&w);
	buf_addc(&out, '\n');
	return arena_str(f->arena, buf_str(&out));
}

/* ---- what Codex refuses ---- */

enum { WORD_SHOWN_MAX = 60 };

/*
 * What its schema has, and its judge does not take; and a decision that is none of its words:
 * "ask" is one that its parser knows, and its judge does not.
 */
static const char *odd_value(const struct judging *j)
{
	static const struct {
		const char *events; /* NULL = all */
		const char *at, *value; /* NULL = any */
		const char *words; /* the texts that it may be */
	} rows[] = {
		{ .at = "/decision", .words = "block" },
		{ .at = "/hookSpecificOutput/permissionDecision", .words = "allow deny" },
		{ "PreToolUse PermissionRequest", "/continue", "false", NULL },
		{ "PreToolUse PermissionRequest", "/stopReason", NULL, NULL },
		{ "PreToolUse PermissionRequest PostToolUse", "/suppressOutput", "true", NULL },
		{ .at = "/hookSpecificOutput/decision/updatedInput" },
		{ .at = "/hookSpecificOutput/decision/updatedPermissions" },
		{ .at = "/hookSpecificOutput/decision/interrupt", .value = "true" },
	};
	struct arena *a = j->f->arena;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct json *v = json_pointer(j->answer.obj, str_from(rows[i].at));
		const char *name = strrchr(rows[i].at, '/') + 1;
		struct str text;

		if (!v || v->type == J_NULL ||
		    (rows[i].events &&
		     !word_in_text(str_from(j->hook->as->name), rows[i].events)) ||
		    (rows[i].words &&
		     (!json_is(v, J_STR) || word_in_text(json_str(v, STR("")), rows[i].words))))
			continue;
		text = json_text(a, v, JSON_COMPACT);
		if (rows[i].value && !str_eqz(text, rows[i].value))
			continue;
		return rows[i].value || rows[i].words
			       ? arena_printf(a, "\"%s\": %.*s", name,
					      STR_ARG(utf8_prefix(text, WORD_SHOWN_MAX)))
					 .p
			       : arena_printf(a, "\"%s\"", name).p;
	}
	return NULL;
}

/* What belongs together and is not there. */
static const char *odd_pair(const struct judging *j)
{
	const struct json *obj = j->answer.obj, *inner = answer_get(obj, "hookSpecificOutput");
	struct str decision = json_get_str(obj, "decision");
	struct str permission = json_get_str(inner, "permissionDecision");
	bool allows = str_eqz(permission, "allow"),
	     rewrites = answer_get(inner, "updatedInput") != NULL;

	if (inner && !str_eqz(json_get_str(inner, "hookEventName"), j->hook->as->name))
		return "no \"hookEventName\" of this event";
	if (str_eqz(decision, "block") && !str_trim(json_get_str(obj, "reason")).n)
		return "\"decision\": \"block\" without a \"reason\"";
	if (str_eqz(permission, "deny") &&
	    !str_trim(json_get_str(inner, "permissionDecisionReason")).n)
		return "\"permissionDecision\": \"deny\" without a \"permissionDecisionReason\"";
	if (allows && !rewrites)
		return "\"permissionDecision\": \"allow\" without \"updatedInput\"";
	if (rewrites && !allows)
		return "\"updatedInput\" without \"permissionDecision\": \"allow\"";
	if (answer_get(obj, "reason") && !decision.n)
		return "a \"reason\" without a \"decision\"";
	return NULL;
}

static const char *unknown_member(const struct judging *j, const struct json *obj, bool inner)
{
	for (size_t i = 0; json_is(obj, J_OBJ) && i < obj->n; i++)
		if (!answer_member_find(WORDS_CODEX, inner, obj->members[i].key))
			return arena_printf(j->f->arena, "\"%.*s\", which it does not know",
					    STR_ARG(utf8_prefix(
						    clean_text(j->f->arena, obj->members[i].key),
						    WORD_SHOWN_MAX)))
				.p;
	return NULL;
}

const char *codex_objection(const struct judging *j)
{
	const struct json *obj = j->answer.obj;
	const char *why = NULL;

	if (j->r->how == TL_CLASS_BLOCKED)
		return str_trim(j->end->err).n ? NULL : "exit 2 with nothing on stderr";
	if (!obj)
		return NULL;
	if (j->r->how == TL_CLASS_WARNED)
		return arena_printf(j->f->arena, "exit %d", j->end->code).p;
	why = unknown_member(j, obj, false);
	why = why ? why : unknown_member(j, answer_get(obj, "hookSpecificOutput"), true);
	why = why ? why : odd_value(j);
	return why ? why : odd_pair(j);
}
