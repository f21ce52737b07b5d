/*
 * Second filters of the claude dialect: "if" rules (dialects.md 3.4) and the matchers of sub-agent
 * events.  An "if" rule saves starting a process and is no protection, so everything that is not
 * understood counts as a match.
 */
#include "base/path.h"
#include "hooks/claude.h"

/* Rules are compared in at most this many steps (pattern bytes times text bytes). */
#define GLOB_STEPS_MAX ((size_t)16 << 20)

/*
 * Whether the pattern covers the whole text: * stands for anything, but in paths only ** crosses
 * slashes, and "**" "/" also stands for no directory at all.  One row of the usual table is kept:
 * at[i] says whether the pattern so far covers text[0..i).
 */
static bool glob_covers(struct str pattern, struct str text, bool path)
{
	size_t n = text.n + 1;

	if (n > GLOB_STEPS_MAX / (pattern.n + 1))
		return true;
	AUTO(free) bool *at = xcalloc(n, sizeof *at);
	at[0] = true;
	for (size_t k = 0; k < pattern.n; k++) {
		bool deep = !path || (k + 1 < pattern.n && pattern.p[k + 1] == '*');
		bool dirs = path && deep && k + 2 < pattern.n && pattern.p[k + 2] == '/' &&
			    (k == 0 || pattern.p[k - 1] == '/');

		if (pattern.p[k] != '*') {
			for (size_t i = n; --i > 0;)
				at[i] = at[i - 1] && text.p[i - 1] == pattern.p[k];
			at[0] = false;
			continue;
		}
		bool open = at[0];
		for (size_t i = 1; i < n; i++) {
			bool here = at[i];

			if (!deep && text.p[i - 1] == '/')
				open = false;
			open |= here;
			/* After "**" "/" a name begins: where one does, or where none was taken. */
			at[i] = dirs ? here || (open && text.p[i - 1] == '/') : open;
		}
		k += dirs ? 2 : path && deep;
	}
	return at[n - 1];
}

/* ---- commands ---- */

/* A shell command being cut: the piece at hand as it stands, and without its quotes. */
struct pieces {
	struct str pattern;
	struct buf raw, plain;
	bool matches, odd; /* odd: not understood */
};

/* What may stand before the program's name without being it. */
static bool is_prefix_word(struct str w)
{
	static const char *const words[] = {
		"!",    "(",  "{",    "builtin", "command", "do",   "elif", "else",  "env",
		"exec", "if", "nice", "nohup",   "sudo",    "then", "time", "until", "while"
	};
	ptrdiff_t eq = str_chr(w, '=', 0);

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eqz(w, words[i]))
			return true;
	for (ptrdiff_t i = 0; i < eq; i++)
		if (!char_is_word(w.p[i]))
			return false;
	return eq > 0;
}

static struct str without_prefix(struct str s)
{
	for (s = str_trim(s); s.n;) {
		size_t n = 0;

		while (n < s.n && (unsigned char)s.p[n] > ' ')
			n++;
		if (s.p[0] == '(' || s.p[0] == '{')
			n = 1;
		else if (!is_prefix_word(str_sub(s, 0, n)))
			break;
		s = str_trim(str_sub(s, n, s.n));
	}
	return s;
}

/* "git *" also covers "git", and "git:*" is the old way to write it. */
static bool command_covers(struct str pattern, struct str command)
{
	AUTO(buf_done) struct buf p = { 0 };

	if (str_ends(pattern, STR(":*"))) {
		buf_adds(&p, str_sub(pattern, 0, pattern.n - 2));
		buf_addz(&p, " *");
	} else {
		buf_adds(&p, pattern);
	}
	pattern = buf_str(&p);
	return glob_covers(pattern, command, false) ||
	       (str_ends(pattern, STR(" *")) &&
		str_eq(str_sub(pattern, 0, pattern.n - 2), command));
}

/* The whole piece, and what is left of it without a closing parenthesis. */
static bool piece_covers(struct str pattern, struct str piece)
{
	piece = without_prefix(piece);
	if (command_covers(pattern, piece))
		return true;
	while (piece.n && strchr(")}", piece.p[piece.n - 1]))
		piece = str_trim(str_sub(piece, 0, piece.n - 1));
	return command_covers(pattern, piece);
}

/*
 * Is it not plain to see what runs?  A redirection in front, a name made by quoting, a function, a
 * branch of a case, an option of sudo; or a program that runs another one.
 */
static bool is_odd(struct str piece)
{
	static const char *const runners[] = { "bash", "case",     "coproc",   "eval",
					       "find", "function", "parallel", "setsid",
					       "sh",   "stdbuf",   "timeout",  "xargs" };
	size_t n = 0;

	for (; n < piece.n && (unsigned char)piece.p[n] > ' '; n++)
		if (strchr("<>'\"\\$`()", piece.p[n]))
			return true;
	for (size_t i = 0; i < ARRAY_LEN(runners); i++)
		if (str_eqz(str_sub(piece, 0, n), runners[i]))
			return true;
	return piece.n && piece.p[0] == '-';
}

static void piece_end(struct pieces *ps)
{
	struct str raw = without_prefix(buf_str(&ps->raw));

	ps->odd |= is_odd(raw);
	if (raw.n)
		ps->matches |= piece_covers(ps->pattern, raw) ||
			       piece_covers(ps->pattern, buf_str(&ps->plain));
	buf_clear(&ps->raw);
	buf_clear(&ps->plain);
}

/* A command is the same however its words are spaced. */
static void add_plain(struct pieces *ps, char c)
{
	if (c == '\t')
		c = ' ';
	if (c != ' ' || !ps->plain.n || ps->plain.p[ps->plain.n - 1] != ' ')
		buf_addc(&ps->plain, c);
}

/* Offset behind the quoted part that begins at s[at], whose content goes to plain. */
static size_t skip_quotes(struct pieces *ps, struct str s, size_t at)
{
	char quote = s.p[at];
	size_t i = at + 1;

	for (; i < s.n && s.p[i] != quote; i++) {
		if (quote == '"' && s.p[i] == '\\' && i + 1 < s.n)
			i++;
		add_plain(ps, s.p[i]);
	}
	ps->odd |= i >= s.n;
	return min_size(i + 1, s.n);
}

/* Where the line ends; a comment has neither quotes nor continuations. */
static size_t skip_comment(struct str s, size_t at)
{
	ptrdiff_t end = str_chr(s, '\n', at);

	return end < 0 ? s.n : (size_t)end;
}

/* Everything but substitutions, which command_matches() looks at besides. */
static void split_command(struct pieces *ps, struct str s)
{
	bool fresh = true; /* a word may begin here */
	size_t next;

	for (size_t i = 0; i < s.n; i = next) {
		char c = s.p[i];
		bool breaks = c && strchr(";&|\n", c), comment = c == '#' && fresh;

		next = comment ? skip_comment(s, i) : i + 1;
		fresh = breaks || (c && strchr(" \t()", c));
		if (comment)
			continue;
		if (breaks) {
			piece_end(ps);
			continue;
		}
		if (c == '\'' || c == '"') {
			next = skip_quotes(ps, s, i);
		} else if (c == '\\' && i + 1 < s.n) {
			next = i + 2;
			if (s.p[i + 1] != '\n')
				add_plain(ps, s.p[i + 1]);
		} else {
			add_plain(ps, c);
		}
		buf_adds(&ps->raw, str_sub(s, i, next));
	}
	piece_end(ps);
}

/* "git push *" does; "git *" is any git. */
static bool names_arguments(struct str pattern)
{
	if (str_ends(pattern, STR(" *")) || str_ends(pattern, STR(":*")))
		pattern = str_sub(pattern, 0, pattern.n - 2);
	return str_chr(pattern, ' ', 0) >= 0;
}

/*
 * Substitutions are commands, too: their text is cut out at every place where one may begin or end.
 * Where they are nested in quotes this finds more commands than there are, never fewer.
 */
static void split_substitutions(struct pieces *ps, struct str s)
{
	AUTO(buf_done) struct buf open = { 0 };

	for (size_t i = 0; i < s.n; i++) {
		bool begins = s.p[i] == '`' || (s.p[i] == '(' && i && strchr("$<>", s.p[i - 1]));

		if (begins || s.p[i] == ')')
			buf_addc(&open, '\n');
		else if (!s.p[i] || !strchr("'\"\\#", s.p[i]))
			buf_addc(&open, s.p[i]);
	}
	split_command(ps, buf_str(&open));
}

static bool command_matches(struct str pattern, struct str command)
{
	struct pieces ps = { .pattern = pattern };
	bool substitutes = str_chr(command, '`', 0) >= 0, varies = false;

	for (size_t i = 0; i + 1 < command.n; i++) {
		char next = command.p[i + 1];

		substitutes |= next == '(' && command.p[i] && strchr("$<>", command.p[i]);
		varies |= command.p[i] == '$' && (char_is_word(next) || next == '{');
	}
	if ((substitutes || varies) && names_arguments(pattern))
		return true;
	split_command(&ps, command);
	if (substitutes && !ps.matches)
		split_substitutions(&ps, command);
	buf_done(&ps.raw);
	buf_done(&ps.plain);
	return ps.matches || ps.odd;
}

/* ---- files ---- */

static bool path_covers(struct str pattern, struct str path)
{
	AUTO(buf_done) struct buf below = { 0 };

	while (str_ends(pattern, STR("/")))
		pattern = str_sub(pattern, 0, pattern.n - 1);
	buf_adds(&below, pattern);
	buf_addz(&below, "/**");
	return glob_covers(pattern, path, true) || glob_covers(buf_str(&below), path, true);
}

/* The part of path below dir; .p NULL when it is not there. */
static struct str below(const char *dir, struct str path)
{
	struct str rest = path_below_str(str_from(dir), path);

	return rest.n ? rest : (struct str){ 0 };
}

static bool file_matches(struct str pattern, struct str path, const struct firing *f)
{
	struct str in_cwd = below(f->cwd, path), in_project = below(f->h->dirs.project, path);
	struct str in_home = below(f->h->dirs.home, path);

	if (str_starts(pattern, STR("~/")))
		return in_home.p && path_covers(str_sub(pattern, 2, pattern.n), in_home);
	if (str_starts(pattern, STR("//")))
		return path_covers(str_sub(pattern, 1, pattern.n), path);
	/* "/x" is meant from the project's directory, and often taken for an absolute name. */
	if (str_starts(pattern, STR("/")))
		return path_covers(pattern, path) ||
		       (in_project.p && path_covers(str_sub(pattern, 1, pattern.n), in_project));
	if (str_starts(pattern, STR("./")))
		pattern = str_sub(pattern, 2, pattern.n);
	if (str_chr(pattern, '/', 0) < 0)
		return path_covers(arena_printf(f->arena, "**/%.*s", STR_ARG(pattern)), path);
	if (str_starts(pattern, STR("**/")))
		return path_covers(arena_printf(f->arena, "/%.*s", STR_ARG(pattern)), path);
	return in_cwd.p && path_covers(pattern, in_cwd);
}

/* ---- rules ---- */

enum if_kind { IF_COMMAND, IF_FILE, IF_WORD };

/* What stands in the parentheses, and which argument it is compared with. */
static const struct if_tool {
	const char *tool, *argument;
	enum if_kind kind;
} if_tools[] = {
	{ "Agent", "subagent_type", IF_WORD }, { "Bash", "command", IF_COMMAND },
	{ "Edit", "file_path", IF_FILE },      { "Glob", "path", IF_FILE },
	{ "Grep", "path", IF_FILE },           { "LS", "path", IF_FILE },
	{ "Read", "file_path", IF_FILE },      { "Skill", "skill", IF_WORD },
	{ "Write", "file_path", IF_FILE },
};

static const struct json *claude_input(struct firing *f)
{
	const struct json *args = NULL;
	struct claude_call c;

	claude_call_init(&c, f);
	if (f->event->chained)
		args = firing_current(f);
	else if (firing_field(f, "tool_input").p)
		(void)json_parse(f->arena, firing_field(f, "tool_input"), 0, &args, NULL);
	return claude_args_from_host(&c, args);
}

static bool argument_matches(const struct if_tool *t, struct str pattern, struct firing *f)
{
	const struct json *v = json_get(claude_input(f), str_from(t->argument));
	struct str value = json_str(v, STR(""));

	if (!value.n)
		return true;
	switch (t->kind) {
	case IF_COMMAND:
		return command_matches(pattern, value);
	case IF_FILE:
		return file_matches(pattern, value, f);
	case IF_WORD:
		return glob_covers(pattern, value, false);
	}
	return true;
}

/* The name may have a star, and that of an MCP server covers all its tools. */
static bool name_matches_one(struct str rule, struct str tool, const struct firing *f)
{
	if (glob_covers(rule, tool, false) || str_eqz(rule, f->in.subject))
		return true;
	if (str_eqz(rule, "Task"))
		return str_eqz(tool, "Agent");
	return str_starts(rule, STR("mcp__")) && str_starts(tool, rule) &&
	       str_starts(str_sub(tool, rule.n, tool.n), STR("__"));
}

/* Long names of MCP tools are cut, which rules know nothing of. */
static bool name_matches(struct str rule, struct str tool, const struct firing *f)
{
	AUTO(arena_done) struct arena a = { 0 };

	return name_matches_one(rule, tool, f) ||
	       (f->in.mcp_server && f->in.mcp_tool &&
		name_matches_one(rule, mcp_whole_name(&a, f->in.mcp_server, f->in.mcp_tool, false),
				 f));
}

bool claude_if_matches(const struct hook *hook, struct firing *f)
{
	struct str rule = str_trim(str_from(hook->if_rule)), tool, name, pattern;
	ptrdiff_t open = str_chr(rule, '(', 0);

	if (f->event->subject_kind != SUBJECT_TOOL || hook->as->when == CASE_SUBAGENT)
		return false;
	tool = claude_tool_of(f);
	name = str_trim(open < 0 ? rule : str_sub(rule, 0, (size_t)open));
	if (!name.n || (open >= 0 && !str_ends(rule, STR(")"))))
		return true;
	if (!name_matches(name, tool, f))
		return false;
	pattern = open < 0 ? STR("*") : str_trim(str_sub(rule, (size_t)open + 1, rule.n - 1));
	if (!pattern.n || str_eqz(pattern, "*") || str_eqz(pattern, "**"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(if_tools); i++)
		if (str_eqz(tool, if_tools[i].tool))
			return argument_matches(&if_tools[i], pattern, f);
	return true;
}

bool claude_agent_matches(const struct hook *hook, struct firing *f)
{
	struct match_subject s = { 0 };

	if (hook->as->when != CASE_SUBAGENT || hook->matcher.kind == MATCHER_ALL)
		return true;
	s.name = json_get_str(claude_input(f), "subagent_type");
	switch (matcher_test(&hook->matcher, &s)) {
	case MATCH_YES:
		return true;
	case MATCH_NO:
		return false;
	case MATCH_LIMIT:
		return hook->on_failure == FAIL_DENY;
	}
	return false;
}
