#include "hooks/match.h"

#include "base/utf8.h"
#include "base/vec.h"

/* Is `word` in the text with no word character next to it? */
static bool has_word(struct str text, struct str word)
{
	for (ptrdiff_t at = 0; (at = str_find(text, word, (size_t)at)) >= 0; at++) {
		size_t end = (size_t)at + word.n;

		if ((at == 0 || !char_is_word(text.p[at - 1])) &&
		    (end == text.n || !char_is_word(text.p[end])))
			return true;
	}
	return false;
}

static void add_words(struct matcher *m, struct arena *a, struct str text, const char *separators)
{
	size_t max = 1;

	for (size_t i = 0; i < text.n; i++)
		max += strchr(separators, text.p[i]) != NULL;
	m->words = ARENA_ARRAY(a, struct str, max);
	for (size_t from = 0, i = 0; i <= text.n; i++) {
		if (i < text.n && !strchr(separators, text.p[i]))
			continue;
		struct str word = str_trim(str_sub(text, from, i));
		if (word.n)
			m->words[m->nwords++] = word;
		from = i + 1;
	}
}

/* A pattern that is about no name in particular: "^(?!write_file)", ".*". */
static bool is_general(const struct matcher *m)
{
	static const char *const no_tools[] = { "q", "Q", "qq_qq", "QqQq" };

	for (size_t i = 0; i < ARRAY_LEN(no_tools); i++)
		if (regex_test(m->re, str_from(no_tools[i]), NULL) != REGEX_NO)
			return true;
	return false;
}

/*
 * Names of tools in another dialect, which people take along when they move (C5.3): those that
 * are in the pattern, and those that it matches.
 */
static void find_aliases(struct matcher *m, struct arena *a, const struct place *at,
			 struct diags *diags)
{
	bool tested = m->kind == MATCHER_REGEX && !is_general(m);
	struct tool_alias found;

	for (size_t i = 0; tool_alias_at(i, &found); i++) {
		struct str alias = str_from(found.alias);
		bool fits = m->kind != MATCHER_REGEX || regex_test(m->re, alias, NULL) != REGEX_NO;

		/* "Bash(git:*)" has the word, and matches no tool. */
		if (!fits ||
		    (!has_word(m->text, alias) &&
		     !(tested && regex_test(m->re, str_from(found.canonical), NULL) != REGEX_YES)))
			continue;
		if (!m->aliases)
			m->aliases = ARENA_ARRAY(a, struct tool_alias, tool_alias_count());
		m->aliases[m->naliases++] = found;
		diag_add(diags, TL_SEVERITY_NOTE, "tool-alias", at,
			 "matcher \"%.*s\": the tool \"%s\" is called \"%s\" here; both match",
			 STR_ARG(m->text), found.alias, found.canonical);
	}
}

/* `invalid`: what a text that is no regular expression then matches, unless a guard has it. */
static void compile(struct matcher *m, struct arena *a, bool icase, const char *invalid,
		    const struct place *at, struct diags *diags)
{
	struct err err;
	int r = regex_compile(m->text, REGEX_JIT | (icase ? REGEX_ICASE : 0), &m->re, &err);

	m->icase = icase;
	if (r == 0) {
		m->kind = MATCHER_REGEX;
		return;
	}
	if (r == -E_LIMIT) {
		m->kind = MATCHER_LIMIT;
		diag_add(diags, TL_SEVERITY_WARNING, "regex-limit", at,
			 "matcher \"%.*s\" cannot be decided here (%s): a guard runs always, "
			 "other hooks never",
			 STR_ARG(m->text), err.text);
		return;
	}
	m->invalid = true;
	m->kind = MATCHER_WORDS;
	m->words = ARENA_ARRAY(a, struct str, 1);
	m->words[m->nwords++] = m->text;
	diag_add(diags, TL_SEVERITY_WARNING, "invalid-regex", at,
		 "matcher \"%.*s\" is invalid (%s): a guard runs always, other hooks %s",
		 STR_ARG(m->text), err.text, invalid);
}

static void init_tool(struct matcher *m, struct arena *a, const struct dialect *d,
		      const struct place *at, struct diags *diags)
{
	switch (d->tool_match) {
	case TOOL_LIST:
		m->their_names = true;
		/* Plain names are a list of exact names, anything else a regex. */
		if (str_is_word(m->text, d->list_marks)) {
			m->kind = MATCHER_WORDS;
			add_words(m, a, m->text, ",|");
			return;
		}
		compile(m, a, false, "never", at, diags);
		/* An invalid pattern matches nothing there, not even itself. */
		if (m->kind == MATCHER_WORDS)
			m->kind = MATCHER_NEVER;
		return;
	case TOOL_REGEX:
	case TOOL_REGEX_ICASE:
		compile(m, a, d->tool_match == TOOL_REGEX_ICASE, "compare it literally", at, diags);
		find_aliases(m, a, at, diags);
		return;
	}
}

/* Does any of the words name a value that the subject can have? */
static bool can_match(const struct matcher *m, const char *subjects)
{
	if (!*subjects)
		return true;
	for (size_t i = 0; i < m->nwords; i++) {
		struct str rest = str_from(subjects), value;

		while (str_split(&rest, ' ', &value))
			if (str_eq(value, m->words[i]))
				return true;
	}
	return false;
}

/* Compared exactly, but where a list is a rule of its own, it is the same for all events. */
static void init_word(struct matcher *m, struct arena *a, const struct event *ev,
		      const struct dialect *d, const struct place *at, struct diags *diags)
{
	bool list = d->tool_match == TOOL_LIST;

	if (list && !ev->literal && !str_is_word(m->text, d->list_marks)) {
		init_tool(m, a, d, at, diags);
		m->their_names = false;
		return;
	}
	m->kind = MATCHER_WORDS;
	add_words(m, a, m->text, list && !ev->literal ? ",|" : "|");
	if (m->nwords && can_match(m, ev->subjects))
		return;
	m->kind = MATCHER_NEVER;
	diag_add(diags, TL_SEVERITY_WARNING, "never-matches", at,
		 "matcher \"%.*s\" can never match: it is compared exactly with %s, one of: %s",
		 STR_ARG(m->text), ev->subject, ev->subjects);
}

/*
 * As every provider accepts it.  Lengths are counted as in JavaScript, which made the rule:
 * a character beyond U+FFFF is two.
 */
static void add_tool_name(struct buf *out, struct str s)
{
	for (size_t i = 0, n; i < s.n; i += n) {
		uint32_t c = utf8_decode(s.p + i, s.n - i, true, &n);
		bool plain =
			c < 0x80 && (char_is_word((char)c) || c == '.' || c == ':' || c == '-');

		buf_addc(out, plain ? (char)c : '_');
		if (c > 0xffff)
			buf_addc(out, '_');
	}
}

/* A character that is literal in a matcher, but in no name of a tool (C5.2). */
static bool is_replaced(struct str s, size_t i)
{
	if (s.p[i] == ' ')
		return i + 1 < s.n && char_is_word(s.p[i - 1]) && char_is_word(s.p[i + 1]);
	return (unsigned char)s.p[i] >= 0x80 || strchr("@/!%&=#~;'\"<>", s.p[i] ? s.p[i] : ' ');
}

/* "mcp__my server__.*": who calls a server so does not know what its tools are called. */
static void check_servers(const struct matcher *m, const struct place *at, struct diags *diags)
{
	for (ptrdiff_t from = 0; (from = str_find(m->text, STR("mcp_"), (size_t)from)) >= 0;) {
		AUTO(buf_done) struct buf name = { 0 };
		size_t i = (size_t)from;
		bool replaced = false;

		for (; i < m->text.n; i++) {
			bool odd = is_replaced(m->text, i);

			if (!odd && !char_is_word(m->text.p[i]) && !strchr("-:", m->text.p[i]))
				break;
			replaced |= odd;
		}
		if (replaced) {
			add_tool_name(&name, str_sub(m->text, (size_t)from, i));
			diag_add(diags, TL_SEVERITY_WARNING, "server-name", at,
				 "matcher \"%.*s\": names of tools have \"_\" for blanks and other "
				 "special characters of a server's name: write %.*s",
				 STR_ARG(m->text), STR_ARG(buf_str(&name)));
		}
		from = (ptrdiff_t)i;
	}
}

void matcher_init(struct matcher *m, struct arena *a, const struct event *ev,
		  const struct dialect *d, struct str text, const struct place *at,
		  struct diags *diags)
{
	*m = (struct matcher){ .text = arena_str(a, str_trim(text)), .dialect = d };
	if (m->text.n == 0 || str_eqz(m->text, "*"))
		return;
	if (ev->subject_kind == SUBJECT_NONE) {
		diag_add(diags, TL_SEVERITY_NOTE, "matcher-ignored", at,
			 "matcher \"%.*s\" is ignored: %s hooks always run", STR_ARG(m->text),
			 ev->name);
		return;
	}
	if (ev->subject_kind == SUBJECT_WORD)
		init_word(m, a, ev, d, at, diags);
	else
		init_tool(m, a, d, at, diags);
	if (ev->subject_kind != SUBJECT_WORD)
		check_servers(m, at, diags);
}

void matcher_done(struct matcher *m)
{
	regex_free(m->re);
	m->re = NULL;
}

static enum match_result test_one(const struct matcher *m, struct str name,
				  struct regex_scratch *scratch)
{
	if (!name.p)
		return MATCH_NO;
	if (m->kind == MATCHER_REGEX) {
		switch (regex_test(m->re, name, scratch)) {
		case REGEX_YES:
			return MATCH_YES;
		case REGEX_LIMIT:
			return MATCH_LIMIT;
		case REGEX_NO:
			return MATCH_NO;
		}
	}
	for (size_t i = 0; i < m->nwords; i++)
		if (str_eq(m->words[i], name))
			return MATCH_YES;
	return MATCH_NO;
}

static enum match_result test_theirs(const struct matcher *m, const struct match_subject *s)
{
	enum tools whose = m->dialect->tools;
	struct str theirs = s->theirs[whose];
	enum match_result r = test_one(m, theirs.p ? theirs : s->name, s->scratch);
	const char *also;

	for (size_t i = 0; r == MATCH_NO && theirs.p && (also = tool_also_in(whose, theirs, i));
	     i++)
		r = test_one(m, str_from(also), s->scratch);
	/* For the half-migrated: a matcher that is exactly the host's name.  Several tools are one
	 * of Codex's, and its hooks see a patch of several files once. */
	if (r == MATCH_NO && whose == TOOLS_CLAUDE && str_eq(m->text, s->name))
		r = MATCH_YES;
	return r;
}

size_t match_alternative_end(struct str text, size_t i)
{
	bool in_class = false;

	for (int depth = 0; i < text.n; i++) {
		char c = text.p[i];

		if (c == '\\')
			i++;
		else if (in_class)
			in_class = c != ']';
		else if (c == '[')
			in_class = true;
		else if (c == '|' && depth <= 0)
			break;
		else
			depth += (c == '(') - (c == ')');
	}
	return min_size(i, text.n);
}

/*
 * A pattern that spells a server as the server does, where its name has characters that mean
 * something in a pattern ("mcp__my(toys)__.*"): the name counts literally, the rest is a pattern
 * for the tool (C5.2).
 */
static enum match_result test_server(const struct matcher *m, const struct match_subject *s)
{
	unsigned flags = m->icase ? REGEX_ICASE : 0;

	for (size_t from = 0, end; from < m->text.n; from = end + 1) {
		end = match_alternative_end(m->text, from);
		struct str text = str_sub(m->text, from, end);

		if (str_starts(text, STR("^")))
			text = str_sub(text, 1, text.n);
		for (size_t i = 0; i < ARRAY_LEN(s->server); i++) {
			struct regex *re = NULL;
			enum regex_result r = REGEX_NO;
			struct str rest;

			if (!str_starts(text, s->server[i]))
				continue;
			rest = str_sub(text, s->server[i].n, text.n);
			AUTO(free) char *pattern = xasprintf("^(?:%.*s)", STR_ARG(rest));
			if (str_eq(rest, s->tool))
				return MATCH_YES;
			if (regex_compile(str_from(pattern), flags, &re, NULL) == 0)
				r = regex_test(re, s->tool, s->scratch);
			regex_free(re);
			if (r != REGEX_NO)
				return r == REGEX_YES ? MATCH_YES : MATCH_LIMIT;
		}
	}
	return MATCH_NO;
}

struct match_subject match_subject_of_tool(const char *name, struct regex_scratch *scratch)
{
	struct match_subject s = { .name = str_from(name), .scratch = scratch };

	for (enum tools whose = TOOLS_CLAUDE; whose < TOOLS_COUNT; whose++) {
		const char *theirs = tool_name_in(whose, s.name);

		if (theirs)
			s.theirs[whose] = str_from(theirs);
	}
	return s;
}

enum match_result matcher_test(const struct matcher *m, const struct match_subject *s)
{
	enum match_result r;

	if (LIKELY(m->kind == MATCHER_REGEX && !m->their_names)) {
		r = test_one(m, s->name, s->scratch);
	} else {
		if (m->kind == MATCHER_ALL)
			return MATCH_YES;
		if (m->kind == MATCHER_NEVER)
			return MATCH_NO;
		if (m->kind == MATCHER_LIMIT)
			return MATCH_LIMIT;
		r = m->their_names ? test_theirs(m, s) : test_one(m, s->name, s->scratch);
	}
	if (LIKELY(!s->has_more && !m->naliases))
		return r;
	for (struct str rest = s->also, one; r == MATCH_NO && str_split(&rest, '\n', &one);)
		r = test_one(m, one, s->scratch);
	if (r == MATCH_NO && s->other.p)
		r = test_one(m, s->other, s->scratch);
	for (size_t i = 0; r == MATCH_NO && i < ARRAY_LEN(s->whole); i++)
		r = test_one(m, s->whole[i], s->scratch);
	for (size_t i = 0; r == MATCH_NO && i < ARRAY_LEN(s->plugin); i++)
		r = test_one(m, s->plugin[i], s->scratch);
	for (size_t i = 0; r == MATCH_NO && i < m->naliases; i++)
		if (str_eqz(s->name, m->aliases[i].canonical))
			r = test_one(m, str_from(m->aliases[i].alias), s->scratch);
	if (r == MATCH_NO && s->tool.p)
		r = test_server(m, s);
	return r;
}

struct str mcp_whole_name(struct arena *a, const char *server, const char *tool, bool single)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addz(&out, single ? "mcp_" : "mcp__");
	add_tool_name(&out, str_from(server));
	buf_addz(&out, single ? "_" : "__");
	add_tool_name(&out, str_from(tool));
	return arena_str(a, buf_str(&out));
}

struct str mcp_name(struct arena *a, const char *server, const char *tool, bool single)
{
	struct str whole = mcp_whole_name(a, server, tool, single);
	enum { LONGEST = 63, END = 30 };

	if (whole.n <= LONGEST)
		return whole;
	return arena_printf(a, "%.*s...%.*s", END, whole.p, END, whole.p + whole.n - END);
}
