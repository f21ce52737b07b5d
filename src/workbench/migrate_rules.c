/*
 * `permissions` of Claude Code as rules of policy files.  What denies or asks goes to
 * .trotline/policies, whose rules are about what a call does and hold in every agent; what allows
 * goes to .gemini/policies, where it saves the question.  A translated rule that denies or asks
 * never covers less than the original, one that allows never more.
 */
#include "base/json_pack.h"
#include "policy/policy.h"
#include "settings/ledger.h"
#include "workbench/migrate.h"

/* A rule while it is translated. */
struct rule {
	struct migration *m;
	const struct claude_list *list;
	struct claude_rule says;
	const struct json *out; /* the members of its [[rule]] */
	const struct json *tools;
	const char *loss, *left_out; /* what the translation changes, why there is none */
};

static void set(struct rule *r, const char *key, const struct json *v)
{
	r->out = json_set(&r->m->arena, r->out, str_from(key), v);
}

static void set_text(struct rule *r, const char *key, struct str text)
{
	set(r, key, json_new_str(&r->m->arena, arena_str(&r->m->arena, text)));
}

/* ---- tools ---- */

static const struct json *add_name(struct arena *a, const struct json *list, struct str name)
{
	if (json_holds(list, name, NULL))
		return list;
	return list_add(a, list ? list : json_new_arr(a, NULL, 0), json_new_str(a, name));
}

/* "write|overwrite" */
static const struct json *add_names(struct arena *a, const struct json *list, const char *names)
{
	for (struct str rest = str_from(names), name; rest.n;
	     rest = str_sub(rest, name.n + (name.n < rest.n), rest.n)) {
		ptrdiff_t bar = str_chr(rest, '|', 0);

		name = str_sub(rest, 0, bar < 0 ? rest.n : (size_t)bar);
		list = add_name(a, list, name);
	}
	return list;
}

/* mcp__SERVER, mcp__SERVER__*, mcp__SERVER__TOOL */
static void server_of(struct rule *r, struct str name)
{
	struct str rest = str_sub(name, 5, name.n);
	ptrdiff_t end = str_find(rest, STR("__"), 0);
	struct str tool = end < 0 ? STR("*") : str_sub(rest, (size_t)end + 2, rest.n);
	struct str server = str_sub(rest, 0, end < 0 ? rest.n : (size_t)end);

	/* Policies know a server, or all of them. */
	if (str_chr(server, '*', 0) >= 0 && !str_eqz(server, "*")) {
		server = STR("*");
		r->loss = "it applies to every server";
	}
	set_text(r, "mcpName", server);
	if (tool.n && !str_eqz(tool, "*"))
		set_text(r, "toolName", tool);
}

/* Which tools the rule names; in permissions, Edit is every tool that edits. */
static void tools_of(struct rule *r)
{
	struct arena *a = &r->m->arena;
	struct str name = r->says.name;
	const char *ours = agent_tool(a, r->m->from, name);

	if (str_starts(name, STR("mcp__")))
		server_of(r, name);
	else if (str_eqz(name, "*"))
		return;
	else if (!ours || !*ours)
		r->left_out = "trotline has no such tool";
	else
		r->tools = add_names(a, r->tools, ours);
	if (str_eqz(name, "Read") && r->list->strict && r->says.pattern.n)
		r->tools = add_name(a, r->tools, STR("grep_search"));
	if (str_eqz(name, "Edit"))
		r->tools = add_names(a, r->tools, agent_tool(a, r->m->from, STR("Write")));
}

/* ---- what is in the parentheses ---- */

static void add_quoted(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		if (s.p[i] == '*')
			buf_addz(out, ".*");
		else
			buf_addf(out, strchr(".+?()[]{}|^$\\/", s.p[i]) ? "\\%c" : "%c", s.p[i]);
	}
}

/* Where it is in the arguments, as JSON. */
static void in_arguments(struct rule *r, const char *before, struct str pattern, const char *after)
{
	struct arena *a = &r->m->arena;
	struct str json = json_text(a, json_new_str(a, pattern), JSON_COMPACT);
	AUTO(buf_done) struct buf regex = { 0 };

	buf_addz(&regex, before);
	add_quoted(&regex, str_sub(json, 1, json.n - 1));
	buf_addz(&regex, after);
	set_text(r, "argsPattern", buf_str(&regex));
}

/* More than the words of one command, such as "curl * | sh"? */
static bool is_compound(struct str pattern)
{
	for (size_t i = 0; i < pattern.n; i++)
		if (strchr("|&;<>()$`\"'\\\n", pattern.p[i]))
			return true;
	return false;
}

static void command_of(struct rule *r, struct str pattern)
{
	bool beginning = str_ends(pattern, STR(" *")) || str_ends(pattern, STR(":*"));
	struct str begin = beginning ? str_sub(pattern, 0, pattern.n - 2) : pattern;
	AUTO(buf_done) struct buf regex = { 0 };

	if (is_compound(begin)) {
		in_arguments(r, "", begin, "");
	} else if (str_chr(begin, '*', 0) >= 0) {
		add_quoted(&regex, begin);
		set_text(r, "commandRegex", buf_str(&regex));
	} else if (r->list->strict || beginning) {
		set_text(r, "commandPrefix", begin);
		if (!beginning)
			r->loss = "it also applies to commands with more words";
	} else {
		in_arguments(r, "\"command\":\"", begin, "\"[,}]");
	}
}

/* A path as a pattern for what is touched, in which * is any text. */
static struct str target_of(struct rule *r, struct str pattern)
{
	AUTO(buf_done) struct buf out = { 0 };
	bool absolute = str_starts(pattern, STR("//"));
	bool deep = str_starts(pattern, STR("**/")) || str_chr(pattern, '/', 0) < 0;

	if (!absolute && !deep)
		r->loss = "it applies to this path in every directory";
	while (pattern.n && strchr("~./", pattern.p[0]) &&
	       (pattern.p[0] == '/' || str_starts(str_sub(pattern, 1, pattern.n), STR("/"))))
		pattern = str_sub(pattern, 1, pattern.n);
	while (str_starts(pattern, STR("**/")) || str_starts(pattern, STR("../")))
		pattern = str_sub(pattern, 3, pattern.n);
	/* What is touched has a plain path, which this would never fit. */
	if (str_find(pattern, STR("/../"), 0) >= 0 || str_find(pattern, STR("/./"), 0) >= 0 ||
	    str_find(pattern, STR("//"), 0) >= 0)
		r->left_out = "write its path without \"..\", \".\" and \"//\"";
	while (str_ends(pattern, STR("/**")) || str_ends(pattern, STR("/")))
		pattern = str_sub(pattern, 0, pattern.n - (str_ends(pattern, STR("/")) ? 1 : 3));
	buf_addz(&out, absolute ? "/" : "*/");
	for (size_t i = 0; i < pattern.n; i++) {
		char c = pattern.p[i];
		ptrdiff_t end = strchr("[{", c) ? str_chr(pattern, c == '[' ? ']' : '}', i) : -1;

		i = end > 0 ? (size_t)end : i;
		c = strchr("*?[]{}\\", c) ? '*' : c;
		if (c != '*' || out.p[out.n - 1] != '*')
			buf_addc(&out, c);
	}
	return arena_str(&r->m->arena, buf_str(&out));
}

/* Whatever tool or command touches the files. */
static void files_of(struct rule *r, struct str pattern)
{
	struct arena *a = &r->m->arena;
	bool edits = str_eqz(r->says.name, "Edit") || str_eqz(r->says.name, "Write");
	struct str target = target_of(r, pattern);

	r->tools = NULL;
	set(r, "effect", add_names(a, NULL, edits ? "write|overwrite|delete|move" : "read"));
	set(r, "target",
	    add_name(a, add_name(a, NULL, target), arena_printf(a, "%.*s/*", STR_ARG(target))));
	if (!r->loss && claude_tool_find(r->says.name)->kind == CLAUDE_DIR)
		r->loss = "it applies to whatever reads these files";
}

static void domain_of(struct rule *r, struct str pattern)
{
	AUTO(buf_done) struct buf regex = { 0 };

	if (!str_starts(pattern, STR("domain:")))
		return;
	pattern = str_trim(str_sub(pattern, 7, pattern.n));
	if (str_starts(pattern, STR("*.")))
		pattern = str_sub(pattern, 2, pattern.n);
	buf_addz(&regex, "[^A-Za-z0-9-]");
	for (size_t i = 0; i < pattern.n; i++) {
		char c = char_lower(pattern.p[i]);

		if (char_is_lower(c))
			buf_addf(&regex, "[%c%c]", c, char_upper(c));
		else
			add_quoted(&regex, str_sub(pattern, i, i + 1));
	}
	buf_addz(&regex, "(?![A-Za-z0-9-])");
	set_text(r, "argsPattern", buf_str(&regex));
}

static void word_of(struct rule *r, struct str pattern)
{
	in_arguments(r, "\"", pattern, "\"");
}

static void pattern_of(struct rule *r)
{
	static void (*const of[])(struct rule * r, struct str pattern) = {
		[CLAUDE_COMMAND] = command_of, [CLAUDE_FILE] = files_of,    [CLAUDE_DIR] = files_of,
		[CLAUDE_WORD] = word_of,       [CLAUDE_DOMAIN] = domain_of,
	};
	const struct claude_tool *tool = claude_tool_find(r->says.name);
	struct str pattern = r->says.pattern;

	if (!pattern.n || str_eqz(pattern, "*") || str_eqz(pattern, "**") || r->left_out)
		return;
	if (tool)
		of[tool->kind](r, pattern);
	else
		r->loss = "it applies to the whole tool";
}

/* ---- a rule ---- */

const char *rule_file(bool strict)
{
	return strict ? ".trotline/policies/claude.toml" : ".gemini/policies/claude.toml";
}

void rule_translate(struct migration *m, struct migrated_rule *it)
{
	struct arena *a = &m->arena;
	struct rule r = { .m = m, .list = it->list, .says = claude_rule_read(it->it.matcher) };
	AUTO(buf_done) struct buf toml = { 0 };
	struct err err = { 0 };

	it->name = arena_printf(a, "%s: %.*s", it->it.event, STR_ARG(it->it.matcher));
	r.out = json_pack(a, "name:s", it->name);
	if (r.says.odd)
		r.left_out = "this is not a rule";
	else if (!r.list->strict && !claude_rule_may_allow(&r.says))
		r.left_out = "no rule here allows exactly this; you are asked instead";
	else
		tools_of(&r);
	if (r.says.rest.n)
		r.loss = "it applies to the whole tool";
	else
		pattern_of(&r);
	if (r.tools)
		set(&r, "toolName", r.tools);
	r.out = json_pack_more(a, r.out, "decision:z priority:u", r.list->decision,
			       r.list->priority);
	if (r.list->strict)
		set_text(&r, "denyMessage", it->name);
	buf_addz(&toml, "[[rule]]\n");
	for (size_t i = 0; i < r.out->n; i++)
		buf_addf(&toml, "%.*s = %.*s\n", STR_ARG(r.out->members[i].key),
			 STR_ARG(json_text(a, &r.out->members[i].v, JSON_COMPACT)));
	it->toml = arena_str(a, buf_str(&toml));
	if (!r.left_out && policy_check_text(it->it.file, it->toml, &err) < 0)
		r.left_out = arena_printf(a, "no rule can be made of it: %s", err.text).p;
	it->loss = r.loss;
	it->left_out = r.left_out;
}
