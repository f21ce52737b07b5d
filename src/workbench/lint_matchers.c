/*
 * Matchers for servers and tools that do not exist.  A matcher is a regular expression: only its
 * literal text is looked at, and nothing is claimed of the rest.
 */
#include "mcp/mcp.h"
#include "tools/registry.h"
#include "workbench/lint.h"

/* The matcher that is being looked at. */
struct look {
	struct lint *l;
	const struct hook *h;
	struct place at;
	struct str matcher;
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

/* ---- servers ---- */

/* What follows the name of server i in the literal; false when that means another server. */
static bool means(const struct look *k, size_t i, struct str text, struct str *ret_tool)
{
	struct arena *a = &k->l->arena;
	const char *server = arena_z(a, k->l->servers->members[i].key);

	for (int single = 0; single <= 1; single++) {
		struct str whole = str_from(mcp_tool_name(a, single, server, ""));

		if (str_starts(whole, text) || str_starts(text, whole)) {
			*ret_tool = str_sub(text, whole.n, text.n);
			return true;
		}
	}
	return false;
}

/* Who configures for many projects, or comes from elsewhere, may mean servers of others. */
static void unknown_server(const struct look *k, struct str text)
{
	bool twice = str_starts(text, STR("mcp__"));
	struct str rest = str_sub(text, twice ? 5 : 4, text.n), name;
	ptrdiff_t end = twice ? str_find(rest, STR("__"), 0) : str_chr(rest, '_', 0);
	const char *near;

	name = end < 0 ? rest : str_sub(rest, 0, (size_t)end);
	near = lint_near_server(k->l, name);
	/* In mcp_git_hub_read the server may be git or git_hub. */
	while (!twice && !*near && end >= 0) {
		end = str_chr(rest, '_', (size_t)end + 1);
		near = lint_near_server(k->l, end < 0 ? rest : str_sub(rest, 0, (size_t)end));
	}
	lint_add(k->l, *near || tiers[k->h->tier].foreign ? TL_SEVERITY_WARNING : TL_SEVERITY_NOTE,
		 "unknown-server", &k->at, "matcher \"%.*s\": no MCP server \"%.*s\"%s",
		 STR_ARG(k->matcher), STR_ARG(name), near);
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
	const char *wrong =
		json_is(out, J_ARR) && lists(out, tool, true)   ? "excludeTools\" excludes"
		: json_is(in, J_ARR) && !lists(in, tool, false) ? "includeTools\" does not name"
								: NULL;

	if (wrong)
		lint_add(k->l, TL_SEVERITY_WARNING, "unknown-tool", &k->at,
			 "matcher \"%.*s\": the server \"%.*s\" does not offer %.*s: its \"%s it",
			 STR_ARG(k->matcher), STR_ARG(server->key), STR_ARG(tool), wrong);
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
		lint_add(k->l, TL_SEVERITY_WARNING, "never-matches", &k->at,
			 "matcher \"%.*s\": %.*s is compared with whole tool names; use "
			 "mcp__%.*s__.* for all tools of the server",
			 STR_ARG(k->matcher), STR_ARG(name.text),
			 STR_ARG(servers->members[last].key));
}

/* ---- tools of the agent itself ---- */

static const char *const others[] = { "activate_skill",   "complete_task", "enter_plan_mode",
				      "exit_plan_mode",   "invoke_agent",  "list_mcp_resources",
				      "read_mcp_resource" };

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
	/* Names from elsewhere have a diagnostic of their own. */
	if (near && !tool_alias(word))
		lint_add(k->l, TL_SEVERITY_WARNING, "unknown-tool", &k->at,
			 "matcher \"%.*s\": no tool \"%s\"; did you mean \"%s\"?",
			 STR_ARG(k->matcher), z, near);
}

/* Alternatives that are plain words: "write_file|replace", "^(glob|ls)$". */
static void check_words(const struct look *k)
{
	struct str rest = k->matcher, word;

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

void lint_matchers(struct lint *l, const struct tl_hooks *hooks)
{
	for (size_t i = 0; l->servers && i < hooks->nhooks; i++) {
		const struct hook *h = hooks->hooks[i];
		struct look k = { .l = l,
				  .h = h,
				  .matcher = h->matcher.text,
				  .exact = h->matcher.kind == MATCHER_WORDS };
		bool seen = false; /* hooks of one definition share its matcher */
		struct str s;

		if (lint_leaves_out(l, h->tier))
			continue;
		for (size_t j = 0; j < i && !seen && !h->runtime; j++)
			seen = strcmp(hooks->hooks[j]->at.file, h->at.file) == 0 &&
			       strcmp(hooks->hooks[j]->matcher_at.path, h->matcher_at.path) == 0;
		if (seen || h->runtime || !k.matcher.n || h->event->subject_kind != SUBJECT_TOOL)
			continue;
		k.at = h->matcher_at;
		s = k.matcher;
		for (ptrdiff_t at = 0; (at = str_find(s, STR("mcp_"), (size_t)at)) >= 0; at += 4) {
			struct literal name = literal_at(&k.l->arena, s, (size_t)at);
			bool begun = k.exact ? at == 0 || !is_name_char(s.p[at - 1])
					     : begins(s, (size_t)at);

			/* "mcp__.*" is any server. */
			if (begun && name.text.n > 4 && !str_eqz(name.text, "mcp__"))
				check_mcp_name(&k, name);
		}
		/* Claude's own tools are more than ours. */
		if (h->dialect->tool_match == TOOL_REGEX)
			check_words(&k);
	}
}
