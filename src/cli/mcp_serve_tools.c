/*
 * trotline mcp serve, the tools.  Each is a command of `trotline hooks` with --json, run as a
 * process of its own: what the CLI does and what the tool does cannot differ, every call sees the
 * files as they are now, and any call can be cancelled while the server goes on answering.
 */
#include <limits.h>

#include "base/utf8.h"
#include "cli/mcp_serve_tools.h"
#include "os/fs.h"
#include "trotline.h"

enum { TIMEOUT_MS = 300000, TIMEOUT_MAX_MS = 3600000, WHY_MAX_BYTES = 8 << 10 };

/* ---- the table ---- */

enum kind { TEXT, EVENT, OBJECT, FLAG, MS, TEXTS };

struct param {
	const char *name;
	enum kind kind;
	bool required;
	const char *option; /* of the command; NULL = it is given in another way */
	const char *text;
};

struct serve_tool {
	const char *name, *title, *command, *text;
	const struct param *params;
	size_t nparams;
	bool runs_hooks; /* anything may happen */
	serve_text_fn *tell;
};

static const char dir_text[] =
	"absolute path of the project (default: the directory the server works in)";

static const struct param list_params[] = {
	{ "all", FLAG, false, "--all",
	  "also the hooks that are disabled, not trusted or the same as another" },
	{ "dir", TEXT, false, NULL, dir_text },
};

/* The last one is of hooks_run alone. */
static const struct param run_params[] = {
	{ "event", EVENT, true, NULL, "the moment" },
	{ "tool", TEXT, false, "--tool=", "the tool's name; of BeforeTool and AfterTool" },
	{ "input", OBJECT, false, NULL, "the tool's arguments; of BeforeTool and AfterTool" },
	{ "payload", OBJECT, false, NULL,
	  "fields of the event, over a sample's; their schema: trotline://hooks/contract" },
	{ "subject", TEXT, false, "--subject=",
	  "source, reason, trigger or notification_type of the other events" },
	{ "mcp_server", TEXT, false, "--mcp-server=", "the tool belongs to this MCP server" },
	{ "mcp_tool", TEXT, false, "--mcp-tool=", "the tool's name on that server" },
	{ "failed", FLAG, false, "--failed", "AfterTool: the tool failed" },
	{ "dir", TEXT, false, NULL, dir_text },
	{ "timeout_ms", MS, false, NULL,
	  "milliseconds for all hooks together (default: 300000); each has its own timeout, too" },
};

static const struct param lint_params[] = {
	{ "files", TEXTS, false, NULL,
	  "settings files to check instead of those of the project; relative ones are below dir" },
	{ "dialect", TEXT, false, "--dialect=",
	  "what the files are written in: gemini, tabnine, terminai, jpfork or claude" },
	{ "dir", TEXT, false, NULL, dir_text },
};

static const struct param report_params[] = {
	{ "session", TEXT, false, "--session=", "default: the last one that has a record" },
	{ "last", FLAG, false, "--last",
	  "the whole record of the last moment in which a hook ran" },
	{ "dir", TEXT, false, NULL, dir_text },
};

static const struct serve_tool tools[] = {
	{ "hooks_list", "List hooks", "list",
	  "Lists the hooks of a project in the order in which they run: event, matcher, command, "
	  "where each is configured, and whether it is in force. Runs nothing. Use it to learn "
	  "what watches over the work before changing hooks or settings.",
	  list_params, ARRAY_LEN(list_params), false, serve_text_list },
	{ "hooks_why", "Explain which hooks would run", "why",
	  "Says for one moment (an event, and for tool events a tool with its arguments) which "
	  "hooks would run and why the others would not: the matcher, the trust, the settings. "
	  "Runs nothing.",
	  run_params, ARRAY_LEN(run_params) - 1, false, serve_text_why },
	{ "hooks_run", "Run hooks for an event", "run",
	  "Fires an event with the project's real hooks and returns what each printed and what "
	  "they decided together: allowed, denied, asks the user, stopped. The hooks are really "
	  "executed and may do anything; the tool that the event is about is not. Hooks of the "
	  "project that nobody approved are refused: only the user can approve them, with "
	  "`trotline hooks trust` in a terminal.",
	  run_params, ARRAY_LEN(run_params), true, serve_text_run },
	{ "hooks_lint", "Check hook settings", "lint",
	  "Checks hook settings for everything wrong or suspicious (syntax, unknown events and "
	  "keys, matchers that never match, scripts that are not there, timeouts in the wrong "
	  "unit) and returns each finding with file, line and column. Runs nothing. Use it after "
	  "every change of hooks.",
	  lint_params, ARRAY_LEN(lint_params), false, serve_text_lint },
	{ "hooks_report", "Report what hooks did", "report",
	  "Tells from the records what each hook did in a session: how often it ran, what it "
	  "denied, changed or added, how long it took, how it failed. Runs nothing.",
	  report_params, ARRAY_LEN(report_params), false, serve_text_report },
};

/* ---- tools/list ---- */

static void write_events(struct jw *w)
{
	jw_key(w, "enum");
	jw_arr(w);
	for (size_t i = 0; i < tl_events(); i++) {
		struct tl_event_info info = { .size = sizeof info };

		(void)tl_event_info(i, &info);
		jw_z(w, info.name);
	}
	jw_end(w);
}

static void write_param(struct jw *w, const struct param *p)
{
	static const char *const types[] = {
		[TEXT] = "string",  [EVENT] = "string", [OBJECT] = "object",
		[FLAG] = "boolean", [MS] = "integer",   [TEXTS] = "array"
	};

	jw_key(w, p->name);
	jw_obj(w);
	jw_kv_z(w, "type", types[p->kind]);
	jw_kv_z(w, "description", p->text);
	if (p->kind == EVENT)
		write_events(w);
	if (p->kind == MS) {
		jw_kv_int(w, "minimum", 1);
		jw_kv_int(w, "maximum", TIMEOUT_MAX_MS);
	}
	if (p->kind == TEXTS) {
		jw_key(w, "items");
		jw_raw(w, STR("{\"type\":\"string\"}"));
	}
	jw_end(w);
}

static void write_schema(struct jw *w, const struct serve_tool *t)
{
	jw_key(w, "inputSchema");
	jw_obj(w);
	jw_kv_z(w, "type", "object");
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < t->nparams; i++)
		write_param(w, &t->params[i]);
	jw_end(w);
	jw_key(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < t->nparams; i++)
		if (t->params[i].required)
			jw_z(w, t->params[i].name);
	jw_end(w);
	jw_kv_bool(w, "additionalProperties", false);
	jw_end(w);
}

static void write_annotations(struct jw *w, const struct serve_tool *t)
{
	jw_key(w, "annotations");
	jw_obj(w);
	jw_kv_z(w, "title", t->title);
	jw_kv_bool(w, "readOnlyHint", !t->runs_hooks);
	jw_kv_bool(w, "destructiveHint", t->runs_hooks);
	jw_kv_bool(w, "idempotentHint", !t->runs_hooks);
	jw_kv_bool(w, "openWorldHint", t->runs_hooks);
	jw_end(w);
}

int serve_tools_list(const struct json *params, struct jw *w, struct err *err)
{
	(void)params;
	(void)err;
	jw_obj(w);
	jw_key(w, "tools");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		jw_obj(w);
		jw_kv_z(w, "name", tools[i].name);
		jw_kv_z(w, "title", tools[i].title);
		jw_kv_z(w, "description", tools[i].text);
		write_schema(w, &tools[i]);
		write_annotations(w, &tools[i]);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
	return 0;
}

/* ---- the arguments of a call ---- */

/* What a call becomes; argv has room for all that tools have, and for FILES_MAX files. */
struct maker {
	struct serve_call *call;
	const struct serve_tool *tool;
	struct serve_command *to;
	size_t n; /* of to->argv */
};

enum { FILES_MAX = 32 };

static const struct serve_tool *tool_find(const char *name, struct err *err)
{
	const char *names[ARRAY_LEN(tools)], *near;

	for (size_t i = 0; i < ARRAY_LEN(tools); i++) {
		if (strcmp(tools[i].name, name) == 0)
			return &tools[i];
		names[i] = tools[i].name;
	}
	near = str_nearest(str_from(name), names, ARRAY_LEN(names));
	(void)err_set(err, E_INVAL, "there is no tool \"%.100s\"%s%s%s", name,
		      near ? "; did you mean " : "", near ? near : "", near ? "?" : "");
	return NULL;
}

static int unknown_param(const struct serve_tool *t, struct str name, struct err *err)
{
	const char *names[SERVE_ARGS_MAX], *near;

	for (size_t i = 0; i < t->nparams; i++)
		names[i] = t->params[i].name;
	near = str_nearest(name, names, t->nparams);
	return err_set(err, E_INVAL, "%s has no argument \"%.*s\"%s%s%s", t->name,
		       STR_ARG(str_sub(name, 0, 100)), near ? "; did you mean " : "",
		       near ? near : "", near ? "?" : "");
}

static bool is_text(const struct json *v)
{
	return json_is(v, J_STR) && !memchr(v->s, '\0', v->n);
}

static bool is_texts(const struct json *v)
{
	if (!json_is(v, J_ARR) || v->n > FILES_MAX)
		return false;
	for (size_t i = 0; i < v->n; i++)
		if (!is_text(json_at(v, i)) || !json_at(v, i)->n)
			return false;
	return true;
}

static bool is_ms(const struct json *v)
{
	double d = json_num(v, 0);

	return json_is(v, J_NUM) && d >= 1 && d <= TIMEOUT_MAX_MS && d == (double)(int64_t)d;
}

static bool is_event(const struct json *v)
{
	struct tl_event_info info = { .size = sizeof info };

	for (size_t i = 0; i < tl_events(); i++)
		if (tl_event_info(i, &info) == 0 && str_eqz(json_str(v, STR("")), info.name))
			return true;
	return false;
}

static int check_param(const struct serve_tool *t, const struct param *p, const struct json *v,
		       struct err *err)
{
	static const char *const wanted[] = {
		[TEXT] = "a string without NUL",
		[EVENT] = "the name of an event, for example BeforeTool",
		[OBJECT] = "an object",
		[FLAG] = "true or false",
		[MS] = "a whole number of milliseconds, at most 3600000",
		[TEXTS] = "an array of at most 32 paths",
	};
	bool good = p->kind == TEXT     ? is_text(v)
		    : p->kind == EVENT  ? is_event(v)
		    : p->kind == OBJECT ? json_is(v, J_OBJ)
		    : p->kind == FLAG   ? json_is(v, J_BOOL)
		    : p->kind == MS     ? is_ms(v)
					: is_texts(v);

	if (good)
		return 0;
	return err_set(err, E_INVAL, "%s: \"%s\" must be %s", t->name, p->name, wanted[p->kind]);
}

static int check_args(const struct serve_tool *t, const struct json *args, struct err *err)
{
	for (size_t i = 0; i < t->nparams; i++) {
		const struct param *p = &t->params[i];
		const struct json *v = json_get(args, str_from(p->name));
		int r = v ? check_param(t, p, v, err) : 0;

		if (r < 0)
			return r;
		if (!v && p->required)
			return err_set(err, E_INVAL, "%s needs \"%s\"", t->name, p->name);
	}
	for (size_t i = 0; i < args->n; i++) {
		size_t k = 0;

		while (k < t->nparams && !str_eqz(args->members[i].key, t->params[k].name))
			k++;
		if (k == t->nparams)
			return unknown_param(t, args->members[i].key, err);
	}
	return 0;
}

/* ---- the command ---- */

static const struct json *arg(const struct maker *m, const char *name)
{
	return json_get(m->call->args, str_from(name));
}

static void add_word(struct maker *m, const char *word)
{
	if (m->n + 1 == SERVE_ARGS_MAX)
		BUG();
	m->to->argv[m->n++] = word;
}

static void add_options(struct maker *m)
{
	for (size_t i = 0; i < m->tool->nparams; i++) {
		const struct param *p = &m->tool->params[i];
		const struct json *v = arg(m, p->name);

		if (!v || !p->option)
			continue;
		if (p->kind == TEXT)
			add_word(m, arena_printf(&m->call->arena, "%s%.*s", p->option,
						 STR_ARG(json_str(v, STR(""))))
					    .p);
		else if (json_is_true(v))
			add_word(m, p->option);
	}
}

static bool is_tool_event(struct str name)
{
	struct tl_event_info info = { .size = sizeof info };

	for (size_t i = 0; i < tl_events(); i++)
		if (tl_event_info(i, &info) == 0 && str_eqz(name, info.name))
			return strcmp(info.subject, "tool_name") == 0;
	return false;
}

/* By stdin, where nothing can be taken for an option or a file, and length does not matter. */
static int add_event(struct maker *m, struct err *err)
{
	const struct json *payload = arg(m, "payload"), *input = arg(m, "input");
	struct arena *a = &m->call->arena;
	struct str event = json_str(arg(m, "event"), STR(""));

	if (input && !is_tool_event(event))
		return err_set(err, E_INVAL, "%s: \"input\" is for tool events; %.*s has a payload",
			       m->tool->name, STR_ARG(event));
	if (input)
		payload = json_set(a, payload, STR("tool_input"), input);
	if (payload) {
		add_word(m, "--payload=-");
		m->to->input = json_text(a, payload, JSON_COMPACT);
	}
	add_word(m, "--");
	add_word(m, arena_z(a, event));
	return 0;
}

static void add_files(struct maker *m)
{
	const struct json *files = arg(m, "files");

	for (size_t i = 0; files && i < files->n; i++) {
		if (i == 0)
			add_word(m, "--");
		add_word(m, arena_z(&m->call->arena, json_str(json_at(files, i), STR(""))));
	}
}

static int set_dir(struct maker *m, struct err *err)
{
	const char *dir;

	if (!arg(m, "dir"))
		return 0;
	dir = arena_z(&m->call->arena, json_str(arg(m, "dir"), STR("")));
	if (dir[0] != '/')
		return err_set(err, E_INVAL, "%s: \"dir\" must be an absolute path", m->tool->name);
	if (!fs_is_dir(dir))
		return err_set(err, E_INVAL, "%.200s: there is no such directory", dir);
	m->to->dir = dir;
	return 0;
}

int serve_command_make(struct serve_call *c, struct serve_command *ret_command, struct err *err)
{
	struct serve_command made = { .timeout_ms = TIMEOUT_MS };
	struct maker m = { .call = c, .to = &made, .tool = tool_find(c->tool, err) };
	int r;

	if (!m.tool)
		return -E_INVAL;
	r = check_args(m.tool, c->args, err);
	if (r >= 0)
		r = set_dir(&m, err);
	if (r < 0)
		return r;
	made.tool = m.tool;
	made.timeout_ms = (int64_t)json_num(arg(&m, "timeout_ms"), TIMEOUT_MS);
	add_word(&m, "trotline");
	add_word(&m, "hooks");
	add_word(&m, m.tool->command);
	add_word(&m, "--json");
	add_options(&m);
	add_files(&m);
	if (arg(&m, "event"))
		r = add_event(&m, err);
	if (r < 0)
		return r;
	*ret_command = made;
	return 0;
}

/* ---- the result ---- */

static void add_text(struct jw *w, struct str text)
{
	jw_obj(w);
	jw_kv_z(w, "type", "text");
	jw_kv_str(w, "text", text);
	jw_end(w);
}

/* What went wrong, as the command has said it on stderr; without our own name before each line. */
static void add_why(struct buf *out, const struct serve_printed *p)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str text = str_trim(p->err);

	if (p->failure)
		(void)buf_addf(out, "%s\n", p->failure);
	(void)utf8_add_visible(&clean, str_sub(text, 0, WHY_MAX_BYTES), true);
	for (struct str rest = buf_str(&clean), line; str_split(&rest, '\n', &line);) {
		if (str_starts(line, STR("trotline: ")))
			line = str_sub(line, 10, line.n);
		(void)buf_addf(out, "%.*s\n", STR_ARG(line));
	}
	if (!str_trim(buf_str(out)).n)
		(void)buf_addf(out, "the command has ended with status %d", p->status);
}

/* NULL when the command has printed no answer. */
static const struct json *answer_of(struct arena *a, const struct serve_printed *p)
{
	const struct json *doc;

	if (p->failure || json_parse(a, p->out, 0, &doc, NULL) < 0 || json_get(doc, STR("error")))
		return NULL;
	return doc;
}

void serve_result(struct buf *out, const struct serve_command *command,
		  const struct serve_printed *printed)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *doc = answer_of(&a, printed);
	struct jw w = { .out = out };

	if (doc)
		command->tool->tell(&text, doc);
	else
		add_why(&text, printed);
	jw_obj(&w);
	jw_key(&w, "content");
	jw_arr(&w);
	add_text(&w, str_trim(buf_str(&text)));
	/* The protocol wants the same as text, for clients that know no structured content. */
	if (json_is(doc, J_OBJ))
		add_text(&w, json_text(&a, doc, JSON_COMPACT));
	jw_end(&w);
	if (json_is(doc, J_OBJ)) {
		jw_key(&w, "structuredContent");
		jw_json(&w, doc);
	}
	jw_kv_bool(&w, "isError", !doc);
	jw_end(&w);
}
