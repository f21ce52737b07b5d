/*
 * Arguments of tools, between the host's names and Claude Code's.
 * What is in no table is passed as it is.
 */
#include "hooks/claude.h"

#include "base/utf8.h"
#include "os/fs.h"

enum { TITLE_MAX_CHARS = 60, PLAN_MAX_BYTES = 1 << 20 };

/* How one argument becomes another. */
enum arg_how {
	ARG_RENAMED,
	ARG_PATH, /* absolute over there */
	ARG_FLAG, /* always there: absent is false */
	ARG_NOT, /* means the opposite */
	ARG_KEPT, /* only the host knows it: taken over when the hook left it out */
	ARG_LOST, /* only Claude Code knows it */
	ARG_LIMIT, /* last line -> number of lines */
	ARG_OUTPUT_MODE, /* names only -> a word */
	ARG_URL, /* made from the URL in the prompt */
	ARG_URL_PROMPT, /* the prompt with the hook's URL in it */
	ARG_TODOS,
	ARG_TITLE, /* made from the prompt's beginning */
	ARG_PLAN_FILE, /* a name in a directory that the host knows */
	ARG_PLAN, /* made from what is in that file */
	ARG_FIRST_FILE, /* made from a list; the tool cannot be rewritten */
	ARG_HOWS,
};

static const struct arg_map {
	const char *tool, *host, *claude; /* host NULL: the host has no such argument */
	enum arg_how how;
} maps[] = {
	{ "activate_skill", "name", "skill", ARG_RENAMED },
	{ "activate_skill", NULL, "args", ARG_LOST },
	{ "ask_user", NULL, "answers", ARG_LOST },
	{ "exit_plan_mode", "plan_filename", "planFilePath", ARG_PLAN_FILE },
	{ "exit_plan_mode", NULL, "plan", ARG_PLAN },
	{ "glob", "case_sensitive", "case_sensitive", ARG_KEPT },
	{ "glob", "dir_path", "path", ARG_PATH },
	{ "glob", "respect_gemini_ignore", "respect_gemini_ignore", ARG_KEPT },
	{ "glob", "respect_git_ignore", "respect_git_ignore", ARG_KEPT },
	{ "google_web_search", NULL, "allowed_domains", ARG_LOST },
	{ "google_web_search", NULL, "blocked_domains", ARG_LOST },
	{ "grep_search", "after", "-A", ARG_RENAMED },
	{ "grep_search", "before", "-B", ARG_RENAMED },
	{ "grep_search", "case_sensitive", "-i", ARG_NOT },
	{ "grep_search", "context", "-C", ARG_RENAMED },
	{ "grep_search", "dir_path", "path", ARG_PATH },
	{ "grep_search", "exclude_pattern", "exclude_pattern", ARG_KEPT },
	{ "grep_search", "fixed_strings", "fixed_strings", ARG_KEPT },
	{ "grep_search", "include_pattern", "glob", ARG_RENAMED },
	{ "grep_search", "max_matches_per_file", "max_matches_per_file", ARG_KEPT },
	{ "grep_search", "names_only", "output_mode", ARG_OUTPUT_MODE },
	{ "grep_search", "no_ignore", "no_ignore", ARG_KEPT },
	{ "grep_search", "total_max_matches", "head_limit", ARG_RENAMED },
	{ "grep_search", NULL, "-n", ARG_LOST },
	{ "grep_search", NULL, "multiline", ARG_LOST },
	{ "grep_search", NULL, "offset", ARG_LOST },
	{ "grep_search", NULL, "type", ARG_LOST },
	{ "invoke_agent", "agent_name", "subagent_type", ARG_RENAMED },
	{ "invoke_agent", NULL, "description", ARG_TITLE },
	{ "invoke_agent", NULL, "model", ARG_LOST },
	{ "list_directory", "dir_path", "path", ARG_PATH },
	{ "read_file", "end_line", "limit", ARG_LIMIT },
	{ "read_file", "file_path", "file_path", ARG_PATH },
	{ "read_file", "start_line", "offset", ARG_RENAMED },
	{ "read_many_files", NULL, "file_path", ARG_FIRST_FILE },
	{ "replace", "allow_multiple", "replace_all", ARG_FLAG },
	{ "replace", "file_path", "file_path", ARG_PATH },
	{ "replace", "instruction", "instruction", ARG_KEPT },
	{ "run_shell_command", "dir_path", "dir_path", ARG_KEPT },
	{ "run_shell_command", "is_background", "run_in_background", ARG_RENAMED },
	{ "run_shell_command", NULL, "dangerouslyDisableSandbox", ARG_LOST },
	{ "run_shell_command", NULL, "timeout", ARG_LOST },
	{ "web_fetch", "prompt", "prompt", ARG_URL_PROMPT },
	{ "web_fetch", NULL, "url", ARG_URL },
	{ "write_file", "file_path", "file_path", ARG_PATH },
	{ "write_todos", "todos", "todos", ARG_TODOS },
};

/* One translation under way; `from` is the whole object on the side that it comes from. */
struct turning {
	const struct claude_call *c;
	const struct arg_map *row;
	const struct json *from;
	const struct json *original; /* back to the host: what it had */
	bool lost; /* the value means nothing to the host */
	bool refused;
};

static struct str member_str(const struct json *obj, const char *key)
{
	return json_get_str(obj, key);
}

static const struct json *original_of(const struct turning *t)
{
	return t->row->host ? json_get(t->original, str_from(t->row->host)) : NULL;
}

/* ---- single arguments: v is NULL when it is absent, and so is what is returned ---- */

static const struct json *same(struct turning *t, const struct json *v)
{
	(void)t;
	return v;
}

static const struct json *nothing(struct turning *t, const struct json *v)
{
	(void)t;
	(void)v;
	return NULL;
}

static const struct json *lost(struct turning *t, const struct json *v)
{
	t->lost = v != NULL;
	return NULL;
}

static const struct json *kept_to(struct turning *t, const struct json *v)
{
	return v ? v : original_of(t);
}

static const struct json *path_from(struct turning *t, const struct json *v)
{
	struct str s = json_str(v, STR("")), rest;
	const char *base = t->c->cwd;

	if (!s.n || memchr(s.p, '\0', s.n))
		return v;
	rest = s;
	if (s.p[0] == '~' && (s.n == 1 || s.p[1] == '/') && *t->c->home) {
		base = t->c->home;
		rest = str_sub(s, 2, s.n);
	}
	AUTO(free) char *path = xstrndup(rest.n ? rest.p : ".", rest.n ? rest.n : 1);
	AUTO(free) char *full = fs_absolute(base, path);
	return json_new_copy(t->c->arena, str_from(full));
}

/* What we made absolute and the hook left alone comes back as the host had it. */
static const struct json *path_to(struct turning *t, const struct json *v)
{
	const struct json *had = original_of(t);

	return v && had && json_equal(path_from(t, had), v) ? had : v;
}

static const struct json *flag_from(struct turning *t, const struct json *v)
{
	return v ? v : json_new_bool(t->c->arena, false);
}

static const struct json *flag_to(struct turning *t, const struct json *v)
{
	return json_is_false(v) && !original_of(t) ? NULL : v;
}

static const struct json *negated(struct turning *t, const struct json *v)
{
	return json_is(v, J_BOOL) ? json_new_bool(t->c->arena, !v->yes) : v;
}

static double first_line(const struct json *args, const char *key)
{
	double d = json_num(json_getz(args, key), 1);

	return d > 0 ? d : 1;
}

static const struct json *limit_from(struct turning *t, const struct json *v)
{
	if (!json_is(v, J_NUM))
		return v;
	return json_new_num(t->c->arena, json_num(v, 0) - first_line(t->from, "start_line") + 1);
}

static const struct json *limit_to(struct turning *t, const struct json *v)
{
	if (!json_is(v, J_NUM))
		return v;
	return json_new_num(t->c->arena, first_line(t->from, "offset") + json_num(v, 0) - 1);
}

static const struct json *output_mode_from(struct turning *t, const struct json *v)
{
	return json_new_str(t->c->arena,
			    json_is_true(v) ? STR("files_with_matches") : STR("content"));
}

static const struct json *output_mode_to(struct turning *t, const struct json *v)
{
	struct str mode = json_str(v, STR(""));
	const struct json *had = original_of(t);

	if (str_eqz(mode, "files_with_matches"))
		return json_new_bool(t->c->arena, true);
	if (str_eqz(mode, "content"))
		return had ? json_new_bool(t->c->arena, false) : NULL;
	t->lost = v != NULL;
	return had;
}

struct str claude_url_in(struct str text)
{
	for (ptrdiff_t at = 0; (at = str_find(text, STR("http"), (size_t)at)) >= 0; at++) {
		struct str url = str_sub(text, (size_t)at, text.n);
		size_t n = 0;

		if (!str_starts(url, STR("http://")) && !str_starts(url, STR("https://")))
			continue;
		while (n < url.n && (unsigned char)url.p[n] > ' ' && !strchr("\"<>`", url.p[n]))
			n++;
		while (n && strchr(".,;:!?)]}'", url.p[n - 1]))
			n--;
		return str_sub(url, 0, n);
	}
	return STR("");
}

static const struct json *url_from(struct turning *t, const struct json *v)
{
	struct str url = json_str(t->c->url, claude_url_in(member_str(t->from, "prompt")));

	return url.n ? json_new_str(t->c->arena, url) : v;
}

static const struct json *url_prompt_to(struct turning *t, const struct json *v)
{
	struct arena *a = t->c->arena;
	struct str had = claude_url_in(member_str(t->original, "prompt"));
	struct str url = member_str(t->from, "url"), prompt = json_str(v, STR(""));
	ptrdiff_t at = had.n ? str_find(prompt, had, 0) : -1;

	if (!url.n || str_eq(url, had) || !json_is(v, J_STR))
		return v;
	if (at < 0)
		return str_find(prompt, url, 0) >= 0
			       ? v
			       : json_new_str(a, arena_printf(a, "%.*s %.*s", STR_ARG(prompt),
							      STR_ARG(url)));
	return json_new_str(a,
			    arena_printf(a, "%.*s%.*s%.*s", (int)at, prompt.p, STR_ARG(url),
					 STR_ARG(str_sub(prompt, (size_t)at + had.n, prompt.n))));
}

static const struct json *todo_from(struct arena *a, const struct json *todo)
{
	const struct json *text = json_getz(todo, "description");

	if (!text)
		return todo;
	todo = json_without(a, todo, STR("description"));
	return json_set(a, json_set(a, todo, STR("content"), text), STR("activeForm"), text);
}

static const struct json *todo_to(struct arena *a, const struct json *todo)
{
	const struct json *text = json_getz(todo, "content");

	if (!text)
		return todo;
	todo = json_without(a, json_without(a, todo, STR("content")), STR("activeForm"));
	return json_set(a, todo, STR("description"), text);
}

static const struct json *each(struct arena *a, const struct json *list,
			       const struct json *(*one)(struct arena *, const struct json *))
{
	if (!json_is(list, J_ARR))
		return list;
	const struct json **items = ARENA_ARRAY(a, const struct json *, list->n + 1);
	for (size_t i = 0; i < list->n; i++)
		items[i] = one(a, json_at(list, i));
	return json_new_arr(a, items, list->n);
}

static const struct json *todos_from(struct turning *t, const struct json *v)
{
	return each(t->c->arena, v, todo_from);
}

static const struct json *todos_to(struct turning *t, const struct json *v)
{
	return each(t->c->arena, v, todo_to);
}

static const struct json *title_from(struct turning *t, const struct json *v)
{
	struct str prompt = member_str(t->from, "prompt");

	return v ? v : json_new_str(t->c->arena, utf8_prefix(prompt, TITLE_MAX_CHARS));
}

static const struct json *plan_file_from(struct turning *t, const struct json *v)
{
	return t->c->path ? t->c->path : v;
}

static const struct json *plan_file_to(struct turning *t, const struct json *v)
{
	return v && t->c->path && json_equal(v, t->c->path) ? original_of(t) : v;
}

static const struct json *plan_from(struct turning *t, const struct json *v)
{
	const char *file = t->c->path ? arena_z(t->c->arena, json_str(t->c->path, STR(""))) : NULL;
	AUTO(buf_done) struct buf text = { 0 }, clean = { 0 };

	if (v || !file || fs_read(file, PLAN_MAX_BYTES, &text, NULL) < 0)
		return v;
	(void)utf8_add_clean(&clean, buf_str(&text));
	return json_new_copy(t->c->arena, buf_str(&clean));
}

static const struct json *first_file_from(struct turning *t, const struct json *v)
{
	const struct json *list = json_getz(t->from, "include");
	const struct json *first = json_is(list, J_STR) ? list : json_at(list, 0);

	if (t->c->path)
		return t->c->path;
	return first ? path_from(t, first) : v;
}

static const struct json *refuse(struct turning *t, const struct json *v)
{
	(void)v;
	t->refused = true;
	return NULL;
}

static const struct {
	const struct json *(*from_host)(struct turning *t, const struct json *v);
	const struct json *(*to_host)(struct turning *t, const struct json *v);
} hows[] = {
	[ARG_RENAMED] = { same, same },
	[ARG_PATH] = { path_from, path_to },
	[ARG_FLAG] = { flag_from, flag_to },
	[ARG_NOT] = { negated, negated },
	[ARG_KEPT] = { same, kept_to },
	[ARG_LOST] = { same, lost },
	[ARG_LIMIT] = { limit_from, limit_to },
	[ARG_OUTPUT_MODE] = { output_mode_from, output_mode_to },
	[ARG_URL] = { url_from, nothing },
	[ARG_URL_PROMPT] = { same, url_prompt_to },
	[ARG_PLAN_FILE] = { plan_file_from, plan_file_to },
	[ARG_PLAN] = { plan_from, lost },
	[ARG_TODOS] = { todos_from, todos_to },
	[ARG_TITLE] = { title_from, nothing },
	[ARG_FIRST_FILE] = { first_file_from, refuse },
};
_Static_assert(ARRAY_LEN(hows) == ARG_HOWS, "one conversion for each enum arg_how");

/* ---- whole objects ---- */

static const char *canonical(const struct claude_call *c)
{
	const char *name = c->mcp ? NULL : tool_alias(c->tool);

	if (c->mcp)
		return NULL;
	for (size_t i = 0; !name && i < ARRAY_LEN(maps); i++)
		if (str_eqz(c->tool, maps[i].tool))
			name = maps[i].tool;
	return name;
}

static bool is_row_of(const struct arg_map *row, const char *tool)
{
	return tool && strcmp(row->tool, tool) == 0;
}

/* First everything that has another name there is taken away, so that names may cross. */
static const struct json *without_rows(struct arena *a, const char *tool, const struct json *args,
				       bool host_names)
{
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		const char *mine = host_names ? maps[i].host : maps[i].claude;
		const char *other = host_names ? maps[i].claude : maps[i].host;

		if (is_row_of(&maps[i], tool) && mine && (!other || strcmp(mine, other) != 0))
			args = json_without(a, args, str_from(mine));
	}
	return args;
}

const struct json *claude_args_from_host(const struct claude_call *c, const struct json *args)
{
	const char *tool = canonical(c);
	struct turning t = { .c = c, .from = args };

	if (!tool || !json_is(args, J_OBJ))
		return args;
	const struct json *out = without_rows(c->arena, tool, args, true);
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		const struct json *v;

		if (!is_row_of(&maps[i], tool))
			continue;
		t.row = &maps[i];
		v = t.row->host ? json_get(args, str_from(t.row->host)) : NULL;
		v = hows[t.row->how].from_host(&t, v);
		if (v)
			out = json_set(c->arena, out, str_from(t.row->claude), v);
	}
	return out;
}

const struct json *claude_args_to_host(struct claude_call *c, const struct json *args,
				       const struct json *original)
{
	const char *tool = canonical(c);
	struct turning t = { .c = c, .from = args, .original = original };
	const struct json *shown;

	c->dropped = STR("");
	c->refused = false;
	if (!tool || !json_is(args, J_OBJ))
		return args;
	shown = json_is(original, J_OBJ) ? claude_args_from_host(c, original) : NULL;
	if (shown && json_equal(args, shown))
		return original;
	const struct json *out = without_rows(c->arena, tool, args, false);
	for (size_t i = 0; i < ARRAY_LEN(maps); i++) {
		const struct json *v, *said, *had;

		if (!is_row_of(&maps[i], tool))
			continue;
		t.row = &maps[i];
		t.lost = false;
		said = json_get(args, str_from(t.row->claude));
		had = json_get(shown, str_from(t.row->claude));
		v = hows[t.row->how].to_host(&t, said);
		/* What is as it was shown, or switched off, asks for nothing. */
		if (t.lost && !json_is_false(said) && !(had && json_equal(said, had))) {
			c->dropped = arena_printf(c->arena, "%.*s%s%s", STR_ARG(c->dropped),
						  c->dropped.n ? ", " : "", t.row->claude);
		}
		if (v && t.row->host)
			out = json_set(c->arena, out, str_from(t.row->host), v);
	}
	c->refused = t.refused;
	return t.refused ? original : out;
}

/* ---- calls ---- */

struct str claude_tool_of(const struct firing *f)
{
	struct str name = str_from(f->in.subject);
	const char *claude, *plugin;

	if (f->in.mcp_server && f->in.mcp_tool) {
		plugin = plugin_server(f->h, f->arena, f->in.mcp_server);
		return plugin ? mcp_whole_name(f->arena, plugin, f->in.mcp_tool, false)
			      : mcp_name(f->arena, f->in.mcp_server, f->in.mcp_tool, false);
	}
	claude = tool_name_in(TOOLS_CLAUDE, name);
	return claude ? str_from(claude) : name;
}

/* The one of several that a hook is asked about; not after a hook has changed the arguments. */
static const struct json *asked_about(const struct firing *f, const char *field)
{
	const struct json *all = f->event->chained && f->current ? NULL : firing_value(f, field);

	return json_is(json_at(all, f->in.nth), J_STR) ? json_at(all, f->in.nth) : NULL;
}

void claude_call_init(struct claude_call *c, const struct firing *f)
{
	*c = (struct claude_call){
		.arena = f->arena,
		.tool = str_from(f->in.subject),
		.cwd = f->cwd,
		.home = f->h->dirs.home,
		.mcp = f->in.mcp_server != NULL,
		.path = asked_about(f, "tool_paths"),
		.url = asked_about(f, "tool_urls"),
		.dropped = STR(""),
	};
}
