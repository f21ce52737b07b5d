/*
 * A rule of Claude Code, "Bash(git push *)", as it is written: what it is made of, and what it says
 * of a command.  Whether it fits a firing: claude_if.c.
 */
#include "hooks/claude.h"

const struct claude_list claude_lists[CLAUDE_LISTS] = {
	{ "deny", true, "deny", 900 },
	{ "ask", true, "ask_user", 800 },
	{ "allow", false, "allow", 700 },
};

static const struct claude_tool tools[] = {
	{ "Agent", "subagent_type", CLAUDE_WORD },
	{ "Bash", "command", CLAUDE_COMMAND },
	{ "Edit", "file_path", CLAUDE_FILE },
	{ "Glob", "path", CLAUDE_DIR },
	{ "Grep", "path", CLAUDE_DIR },
	{ "LS", "path", CLAUDE_DIR },
	{ "Read", "file_path", CLAUDE_FILE },
	{ "Skill", "skill", CLAUDE_WORD },
	{ "WebFetch", "url", CLAUDE_DOMAIN },
	{ "Write", "file_path", CLAUDE_FILE },
};

const struct claude_tool *claude_tool_find(struct str tool)
{
	for (size_t i = 0; i < ARRAY_LEN(tools); i++)
		if (str_eqz(tool, tools[i].tool))
			return &tools[i];
	return NULL;
}

struct claude_rule claude_rule_read(struct str text)
{
	struct claude_rule r = { 0 };
	struct str rule = str_trim(text);
	ptrdiff_t open = str_chr(rule, '(', 0);

	r.name = str_trim(open < 0 ? rule : str_sub(rule, 0, (size_t)open));
	/* Several rules in one are none: "Bash(a)|Bash(b)", "Bash|Write". */
	r.odd = !r.name.n || (open >= 0 && !str_ends(rule, STR(")"))) ||
		str_chr(r.name, '|', 0) >= 0 || str_chr(r.name, ',', 0) >= 0 ||
		str_find(rule, STR(")|"), 0) >= 0 || str_find(rule, STR("),"), 0) >= 0;
	if (open >= 0)
		r.pattern = str_trim(str_sub(rule, (size_t)open + 1, rule.n - !r.odd));
	/* "Edit:*", "Bash git push": the tool can be told, and nothing else of it. */
	for (size_t i = 0; i < r.name.n && !str_starts(r.name, STR("mcp__")); i++) {
		if (char_is_word(r.name.p[i]) || strchr("*.-", r.name.p[i]))
			continue;
		r.rest = str_sub(r.name, i, r.name.n);
		r.name = str_sub(r.name, 0, i);
		r.odd |= i == 0;
	}
	return r;
}

/* A command that a rule may allow: nothing in it that a shell reads as more than words. */
static bool is_plain(struct str command)
{
	return str_is_word(command, " ./:=+,@%-");
}

/* "git push:*" is the old way to write "git push *"; false when the pattern is a whole command. */
static bool is_beginning(struct str pattern, struct str *ret_begin)
{
	*ret_begin = pattern;
	if (!str_ends(pattern, STR(" *")) && !str_ends(pattern, STR(":*")))
		return false;
	*ret_begin = str_sub(pattern, 0, pattern.n - 2);
	return true;
}

bool claude_rule_may_allow(const struct claude_rule *r)
{
	bool server = str_starts(r->name, STR("mcp__"));
	struct str begin, name = r->name;

	if (server && str_ends(name, STR("__*")))
		name = str_sub(name, 0, name.n - 3);
	if (r->odd || r->rest.n || str_chr(name, '*', 0) >= 0)
		return false;
	if (!r->pattern.p || (str_eqz(r->pattern, "*") && !server))
		return true;
	(void)is_beginning(r->pattern, &begin);
	return str_eqz(name, "Bash") && begin.n && is_plain(begin);
}

bool claude_rule_allows(const struct claude_rule *r, struct str command)
{
	struct str begin;

	if (!command.n || !is_plain(command))
		return false;
	if (!is_beginning(r->pattern, &begin))
		return str_eq(r->pattern, command);
	return str_starts(command, begin) && (command.n == begin.n || command.p[begin.n] == ' ');
}
