/*
 * Matchers for servers and tools that there are not.  A matcher is a regular expression: only what
 * stands in it literally is looked at, so nothing is claimed of what cannot be told.
 */
#include "mcp/mcp.h"
#include "tools/registry.h"
#include "workbench/lint.h"

/* The matcher that is being looked at. */
struct look {
	struct lint *l;
	const struct tl_hooks *hooks;
	const struct tl_hook *h;
	struct lint_place at;
	bool exact; /* a list of names, compared as they are (Claude) */
};

/* Literal text from a place of a matcher on. */
struct literal {
	struct str text;
	bool ends; /* the alternative ends behind it */
};

/* ---- the matcher's text ---- */

static bool is_name_char(char c)
{
	return char_is_word(c) || c == '-' || c == ':';
}

/* "mcp__fil.*" has "mcp__fil", "mcp_files_*" has "mcp_files". */
static struct literal literal_at(struct arena *a, struct str s, size_t i)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (; i < s.n; i++) {
		if (s.p[i] == '\\' && i + 1 < s.n && strchr("._-:", s.p[i + 1]))
			i++;
		else if (!is_name_char(s.p[i]))
			break;
		buf_addc(&out, s.p[i]);
	}
	/* The last character may be there or not. */
	if (i < s.n && strchr("*?{", s.p[i]) && out.n)
		out.n--;
	return (struct literal){ arena_str(a, buf_str(&out)),
				 i == s.n || strchr("|)$", s.p[i]) != NULL };
}

/* Does a name begin here?  A look-ahead like (?!mcp__) says what is not meant. */
static bool begins(struct str s, size_t i)
{
	if (i == 0 || strchr("^|(", s.p[i - 1]))
		return true;
	return i >= 3 && strncmp(s.p + i - 3, "(?:", 3) == 0;
}

static bool is_list(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!char_is_word(s.p[i]) && !strchr(" ,|-", s.p[i]))
			return false;
	return true;
}

/* ---- servers ---- */

/* What the names of the server's tools begin with. */
static struct str spelling(struct arena *a, const char *server, bool single)
{
	return str_from(mcp_tool_name(a, single, server, ""));
}

/* Of server i what stands behind its name in the literal; false when that means another server. */
static bool means(const struct look *k, size_t i, struct str text, struct str *ret_tool)
{
	struct arena *a = &k->l->arena;
	const char *server = arena_z(a, k->l->servers->members[i].key);

	for (int single = 0; single <= 1; single++) {
		struct str whole = spelling(a, server, single);

		if (str_starts(whole, text) || str_starts(text, whole)) {
			*ret_tool = str_sub(text, whole.n, text.n);
			return true;
		}
	}
	return false;
}

/* The server that is meant and is there under another name, or NULL. */
static const char *near_server(const struct look *k, struct str text, struct str *ret_name)
{
	bool twice = str_starts(text, STR("mcp__"));
	struct str rest = str_sub(text, twice ? 5 : 4, text.n);
	ptrdiff_t end = twice ? str_find(rest, STR("__"), 0) : str_chr(rest, '_', 0);
	const char *near;

	*ret_name = end < 0 ? rest : str_sub(rest, 0, (size_t)end);
	near = lint_near_server(k->l, *ret_name);
	/* In mcp_git_hub_read the server may be git or git_hub. */
	for (; !twice && !near && end >= 0;) {
		end = str_chr(rest, '_', (size_t)end + 1);
		near = lint_near_server(k->l, end < 0 ? rest : str_sub(rest, 0, (size_t)end));
	}
	return near;
}

/* Who configures for many projects, or comes from elsewhere, may mean servers of others. */
static void unknown_server(const struct look *k, struct str text)
{
	struct str name;
	const char *near = near_server(k, text, &name);
	bool sure = near || tiers[k->h->tier].foreign;

	lint_add(k->l, sure ? TL_SEVERITY_WARNING : TL_SEVERITY_NOTE, "unknown-server", &k->at,
		 "matcher \"%s\": there is no MCP server \"%.*s\"%s%s%s", k->h->matcher,
		 STR_ARG(name), near ? "; did you mean \"" : "", near ? near : "",
		 near ? "\"?" : "");
}

/* Is a tool whose name begins so in the list?  An entry may have arguments: "read(...)". */
static bool lists(const struct json *list, struct str tool, bool whole)
{
	for (size_t i = 0; i < list->n; i++) {
		struct str entry = json_str(json_at(list, i), STR(""));

		if (str_starts(entry, tool) &&
		    (!whole || entry.n == tool.n || entry.p[tool.n] == '('))
			return true;
	}
	return false;
}

/* What the server offers is known only as far as its settings say it. */
static void check_tool(const struct look *k, const struct json_member *server, struct str tool)
{
	const struct json *in = json_getz(&server->v, "includeTools");
	const struct json *out = json_getz(&server->v, "excludeTools");

	if (json_is(out, J_ARR) && lists(out, tool, true))
		lint_add(k->l, TL_SEVERITY_WARNING, "unknown-tool", &k->at,
			 "matcher \"%s\": \"excludeTools\" of the server \"%.*s\" leaves %.*s out",
			 k->h->matcher, STR_ARG(server->key), STR_ARG(tool));
	else if (json_is(in, J_ARR) && !lists(in, tool, false))
		lint_add(k->l, TL_SEVERITY_WARNING, "unknown-tool", &k->at,
			 "matcher \"%s\": \"includeTools\" of the server \"%.*s\" does not name "
			 "%.*s",
			 k->h->matcher, STR_ARG(server->key), STR_ARG(tool));
}

static void check_mcp_name(const struct look *k, struct literal name)
{
	const struct json *servers = k->l->servers;
	struct str tool;
	size_t found = 0, last = 0;

	for (size_t i = 0; i < servers->n; i++)
		if (means(k, i, name.text, &tool)) {
			found++;
			last = i;
		}
	if (!found) {
		unknown_server(k, name.text);
		return;
	}
	if (found > 1 || !means(k, last, name.text, &tool))
		return;
	if (tool.n && name.ends)
		check_tool(k, &servers->members[last], tool);
	else if (!tool.n && k->exact)
		lint_add(
			k->l, TL_SEVERITY_WARNING, "never-matches", &k->at,
			"matcher \"%s\": %.*s is compared with whole names of tools; mcp__%.*s__.* "
			"means all of the server",
			k->h->matcher, STR_ARG(name.text), STR_ARG(servers->members[last].key));
}

static void check_servers(const struct look *k)
{
	struct str s = str_from(k->h->matcher);

	for (ptrdiff_t at = 0; (at = str_find(s, STR("mcp_"), (size_t)at)) >= 0; at += 4) {
		struct literal name = literal_at(&k->l->arena, s, (size_t)at);
		bool begun =
			k->exact ? at == 0 || !is_name_char(s.p[at - 1]) : begins(s, (size_t)at);

		/* "mcp__.*" is any server. */
		if (begun && name.text.n > 4 && !str_eqz(name.text, "mcp__"))
			check_mcp_name(k, name);
	}
}

/* ---- tools of the agent itself ---- */

static const char *const others[] = { "activate_skill",   "complete_task", "enter_plan_mode",
				      "exit_plan_mode",   "invoke_agent",  "list_mcp_resources",
				      "read_mcp_resource" };

/* Names from elsewhere have a diagnostic of their own. */
static bool is_alias(const struct look *k, const char *word)
{
	AUTO(free) char *told = xasprintf("the tool \"%s\" is called", word);

	for (size_t i = 0; i < tl_hooks_diagnostic_count(k->hooks); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_hooks_diagnostic_get(k->hooks, i, &d);
		if (strcmp(d.code, "tool-alias") == 0 && strstr(d.text, told))
			return true;
	}
	return false;
}

static void check_word(const struct look *k, struct str word)
{
	const char *names[64], *near, *z = arena_z(&k->l->arena, word);
	size_t n = 0;

	for (size_t i = 0; i < tools_n && n < ARRAY_LEN(names); i++)
		names[n++] = tools[i]->name;
	for (size_t i = 0; i < ARRAY_LEN(others) && n < ARRAY_LEN(names); i++)
		names[n++] = others[i];
	for (size_t i = 0; i < n; i++)
		if (strstr(names[i], z))
			return;
	near = str_nearest(word, names, n);
	if (near && !is_alias(k, z))
		lint_add(k->l, TL_SEVERITY_WARNING, "unknown-tool", &k->at,
			 "matcher \"%s\": there is no tool \"%s\"; did you mean \"%s\"?",
			 k->h->matcher, z, near);
}

/* Alternatives that are plain words: "write_file|replace", "^(glob|ls)$". */
static void check_words(const struct look *k)
{
	struct str rest = str_from(k->h->matcher), word;

	if (str_starts(rest, STR("^")))
		rest = str_sub(rest, 1, rest.n);
	if (str_ends(rest, STR("$")))
		rest = str_sub(rest, 0, rest.n - 1);
	if (str_starts(rest, STR("(")) && str_ends(rest, STR(")")))
		rest = str_sub(rest, 1, rest.n - 1);
	for (size_t i = 0; i < rest.n; i++)
		if (!char_is_word(rest.p[i]) && rest.p[i] != '|')
			return;
	while (str_split(&rest, '|', &word))
		if (word.n && !str_starts(word, STR("mcp_")))
			check_word(k, word);
}

/* ---- all of them ---- */

static bool is_about_tools(const char *moment)
{
	for (size_t i = 0; i < tl_event_count(); i++) {
		struct tl_event_info info = TL_EVENT_INFO_INIT();

		(void)tl_event_get(i, &info);
		if (strcmp(info.name, moment) == 0)
			return strcmp(info.subject, "tool_name") == 0;
	}
	return false;
}

/* "hooks.BeforeTool[0].hooks[1]": the path up to the definition, whose the matcher is. */
static struct str definition_of(const struct tl_hook *h)
{
	struct str path = str_from(h->path);
	ptrdiff_t end = str_find(path, STR("]"), 0);

	return end < 0 ? path : str_sub(path, 0, (size_t)end + 1);
}

/* Hooks of one definition share its matcher, which is told of once. */
static bool was_seen(const struct tl_hooks *hooks, size_t n, const struct tl_hook *h)
{
	for (size_t i = 0; i < n; i++) {
		struct tl_hook other = TL_HOOK_INIT();

		(void)tl_hooks_get(hooks, i, &other);
		if (strcmp(other.file, h->file) == 0 &&
		    str_eq(definition_of(&other), definition_of(h)))
			return true;
	}
	return false;
}

/* Where the matcher stands; in a file that was not read, where the hook does. */
static struct lint_place place_of(struct lint *l, const struct tl_hook *h)
{
	struct lint_place at = { h->file, h->path, h->line, h->column };
	struct str path = arena_printf(&l->arena, "%.*s.matcher", STR_ARG(definition_of(h)));
	const struct lint_file *f;
	const struct json *v = lint_value(l, h->file, path, &f);
	struct json_where where;

	if (!v)
		return at;
	where = json_locate(f->text, v->pos);
	at.line = where.line;
	at.column = where.column;
	return at;
}

void lint_matchers(struct lint *l, const struct tl_hooks *hooks)
{
	for (size_t i = 0; l->servers && i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();
		struct look k = { .l = l, .hooks = hooks, .h = &h };
		bool claude;

		(void)tl_hooks_get(hooks, i, &h);
		if (!*h.matcher || !is_about_tools(h.moment) || was_seen(hooks, i, &h))
			continue;
		claude = strcmp(h.dialect, "claude") == 0;
		k.exact = claude && is_list(str_from(h.matcher));
		k.at = place_of(l, &h);
		check_servers(&k);
		/* Claude's own tools are more than ours. */
		if (!claude && strcmp(h.dialect, "jpfork") != 0)
			check_words(&k);
	}
}
