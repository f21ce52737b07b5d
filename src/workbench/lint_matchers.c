/*
 * Matchers, and rules of permissions, for servers and tools that do not exist.  A matcher is a
 * regular expression: only its literal text is looked at, and nothing is claimed of the rest.
 */
#include "hooks/claude.h"
#include "mcp/mcp.h"
#include "workbench/lint.h"
#include "workbench/tool_names.h"

/* The matcher that is being looked at. */
struct look {
	struct lint *l;
	const struct hook *h;
	struct place at;
	struct str matcher;
	bool exact; /* a list of names, compared as they are (Claude) */
	const struct tool_names *names;
	struct regex_scratch *scratch;
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

/* "mcp__plugin_PLUGIN_SERVER__TOOL", as Claude Code calls those of plugins. */
static bool is_plugins(const struct look *k, struct str text)
{
	struct arena *a = &k->l->arena;

	for (size_t i = 0; str_starts(text, STR("mcp__plugin_")) && i < k->l->servers->n; i++) {
		const char *own =
			mcp_tool_name(a, false, arena_z(a, k->l->servers->members[i].key), "");

		if (str_find(arena_printf(a, "%.*s__", STR_ARG(text)),
			     arena_printf(a, "_%s", own + strlen("mcp__")), 0) >= 0)
			return true;
	}
	return false;
}

static void check_mcp_name(const struct look *k, struct literal name)
{
	const struct json *servers = k->l->servers;
	struct str tool;
	size_t found = 0, last = 0;

	if (is_plugins(k, name.text))
		return;
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

static bool matches_a_tool(const struct look *k, const struct matcher *m)
{
	for (size_t i = 0; i < k->names->tools->n; i++) {
		struct match_subject s =
			match_subject_of_tool(k->names->tools->p[i]->name, k->scratch);

		if (matcher_test(m, &s) != MATCH_NO)
			return true;
	}
	return false;
}

/* The first literal text of an alternative: "run_command" of ".*run_command.*". */
static struct str first_literal(struct arena *a, struct str s)
{
	bool in_class = false;

	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (in_class || s.p[i] == '[')
			in_class = s.p[i] != ']';
		else if (is_name_char(s.p[i]))
			return literal_at(a, s, i).text;
	}
	return (struct str){ 0 };
}

/* An alternative that no tool matches, and what was meant by it. */
static void report_tool(const struct look *k, struct str text)
{
	struct str word = first_literal(&k->l->arena, text);
	const char *tool = word.n > 1 ? tool_meant(k->names, word) : NULL;
	/* How matchers of this dialect call it. */
	const char *theirs =
		tool ? tool_name_in(k->h->matcher.dialect->tools, str_from(tool)) : NULL;
	const char *here = theirs ? theirs : tool;
	enum tl_severity odd = k->h->guard ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING;

	/* "Write|Edit|MultiEdit" is what people write. */
	if (k->h->matcher.dialect->claude_keys && tool_is_claudes(word) &&
	    matches_a_tool(k, &k->h->matcher))
		lint_add(k->l, TL_SEVERITY_NOTE, "unknown-tool", &k->at,
			 "matcher \"%.*s\": no tool here is called \"%.*s\"", STR_ARG(k->matcher),
			 STR_ARG(word));
	else if (here && k->h->matcher.dialect->claude_keys && str_chr(text, '(', 0) > 0)
		lint_add(k->l, odd, "unknown-tool", &k->at,
			 "matcher \"%.*s\" matches no tool: write \"%s\", and what it is called "
			 "with in \"if\"",
			 STR_ARG(k->matcher), here);
	else if (here)
		lint_add(k->l, odd, "unknown-tool", &k->at, "matcher \"%.*s\": no tool \"%.*s\"%s",
			 STR_ARG(k->matcher), STR_ARG(word), meant_as("", here).text);
	else if (k->exact || str_starts(text, STR("^"))) /* no server's, which begin with mcp_ */
		lint_add(k->l, k->exact ? TL_SEVERITY_NOTE : odd, "unknown-tool", &k->at,
			 "matcher \"%.*s\": no tool here is called \"%.*s\"", STR_ARG(k->matcher),
			 STR_ARG(str_trim(text)));
	else if (!k->l->servers->n && tiers[k->h->tier].foreign)
		lint_add(
			k->l, TL_SEVERITY_NOTE, "unknown-tool", &k->at,
			"matcher \"%.*s\": no tool of trotline has \"%.*s\" in its name, and no MCP "
			"server is configured",
			STR_ARG(k->matcher), STR_ARG(word));
}

/* One alternative, between what surrounds all of them. */
static void check_alternative(const struct look *k, struct str before, struct str text,
			      struct str after)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct diags unheard = { .arena = &a };
	struct matcher m;

	/* Servers have checks of their own; of what has no literal text nothing is claimed. */
	if (str_find(text, STR("mcp_"), 0) >= 0 || !first_literal(&a, text).n ||
	    str_find(text, STR("(?"), 0) >= 0)
		return;
	text = arena_printf(&k->l->arena, "%.*s%.*s%.*s", STR_ARG(before), STR_ARG(text),
			    STR_ARG(after));
	matcher_init(&m, &a, k->h->event, k->h->matcher.dialect, text, &k->at, &unheard);
	/* What cannot be read was said by who loaded it. */
	if ((m.kind == MATCHER_WORDS && !m.invalid) || m.kind == MATCHER_REGEX)
		if (!matches_a_tool(k, &m))
			report_tool(k, text);
	free(unheard.p);
	matcher_done(&m);
}

static void check_tools(const struct look *k)
{
	struct str s = k->matcher, before = { 0 }, after = { 0 };

	for (size_t i = 0; k->exact && i < k->h->matcher.nwords; i++)
		check_alternative(k, before, k->h->matcher.words[i], after);
	if (k->exact || k->h->matcher.kind != MATCHER_REGEX)
		return;
	/* "^(a|b)$" is about "^a$" and "^b$". */
	if (str_starts(s, STR("^(")) && str_ends(s, STR(")$")) &&
	    match_alternative_end(str_sub(s, 2, s.n - 2), 0) < s.n - 4) {
		before = STR("^");
		after = STR("$");
		s = str_sub(s, str_starts(s, STR("^(?:")) ? 4 : 2, s.n - 2);
	}
	for (size_t from = 0, end; from < s.n; from = end + 1) {
		end = match_alternative_end(s, from);
		check_alternative(k, before, str_sub(s, from, end), after);
	}
}

/* ---- all of them ---- */

static uint64_t hash_definition(const struct hook *h)
{
	return str_hash(str_hash(STR_HASH, str_from(h->at.file)), str_from(h->matcher_at.path));
}

static bool same_definition(const struct hook *a, const struct hook *b)
{
	return strcmp(a->at.file, b->at.file) == 0 &&
	       strcmp(a->matcher_at.path, b->matcher_at.path) == 0;
}

static void check_servers(const struct look *k)
{
	struct str s = k->matcher;

	for (ptrdiff_t at = 0; (at = str_find(s, STR("mcp_"), (size_t)at)) >= 0; at += 4) {
		struct literal name = literal_at(&k->l->arena, s, (size_t)at);
		/* Does a name begin here?  A look-ahead like (?!mcp__) says what is not meant. */
		bool begun = at == 0 ||
			     (k->exact ? !is_name_char(s.p[at - 1])
				       : strchr("^|(", s.p[at - 1]) != NULL ||
						 (at >= 3 && strncmp(s.p + at - 3, "(?:", 3) == 0));

		/* "mcp__.*" is any server. */
		if (begun && name.text.n > 4 && !str_eqz(name.text, "mcp__"))
			check_mcp_name(k, name);
	}
}

/* A rule of Claude's permissions, as far as loading has nothing to say about it. */
static void check_rule(struct lint *l, const struct tool_names *names, const struct hook *h)
{
	struct claude_rule r = claude_rule_read(str_from(h->if_rule));
	const char *claudes = tool_name_in(TOOLS_CLAUDE, r.name), *tool, *here;
	const char *alias = tool_alias(r.name);

	if (r.odd || r.rest.n)
		return;
	if (!h->surely && str_chr(r.name, '*', 0) >= 0)
		return;
	if (!claudes && alias)
		claudes = tool_name_in(TOOLS_CLAUDE, str_from(alias));
	if (str_starts(r.name, STR("mcp__")) || tool_is_claudes(r.name) ||
	    (claudes && str_eqz(r.name, claudes)) ||
	    (!h->surely && (claudes || tool_is_called(names, r.name)))) {
		if (h->surely && !claude_rule_may_allow(&r))
			lint_add(
				l, TL_SEVERITY_NOTE, "no-effect", &h->at,
				"\"%s\" saves no question: only a whole tool, a server's tools and "
				"the beginning of a plain command are allowed by a rule",
				h->if_rule);
		return;
	}
	tool = claudes ? NULL : tool_meant(names, r.name);
	here = tool ? tool_name_in(TOOLS_CLAUDE, str_from(tool)) : claudes;
	lint_add(l, TL_SEVERITY_WARNING, "unknown-tool", &h->at,
		 "no tool is called \"%.*s\" in these rules%s", STR_ARG(r.name),
		 meant_as("", here ? here : tool).text);
}

void lint_matchers(struct lint *l, const struct tl_hooks *hooks)
{
	AUTO(regex_scratch_free) struct regex_scratch *scratch = regex_scratch_new();
	AUTO(hook_index_done) struct hook_index definitions = { 0 };
	AUTO(tool_names_done) struct tool_names names = { 0 };

	hook_index_init(&definitions, hooks->nhooks, hash_definition, same_definition);
	tool_names_init(&names);
	for (size_t i = 0; i < hooks->nhooks; i++) {
		const struct hook *h = hooks->hooks[i];

		if (h->is_rule && h->event->id == EV_BEFORE_TOOL && !lint_leaves_out(l, h->tier))
			check_rule(l, &names, h);
	}
	for (size_t i = 0; l->servers && i < hooks->nhooks; i++) {
		const struct hook *h = hooks->hooks[i];
		struct look k = { .l = l,
				  .h = h,
				  .names = &names,
				  .scratch = scratch,
				  .at = h->matcher_at,
				  .matcher = h->matcher.text,
				  .exact = h->matcher.kind == MATCHER_WORDS };

		if (lint_leaves_out(l, h->tier) || h->runtime || !k.matcher.n ||
		    h->event->subject_kind != SUBJECT_TOOL ||
		    hook_index_first(&definitions, h)) /* they share its matcher */
			continue;
		check_servers(&k);
		check_tools(&k);
	}
}
