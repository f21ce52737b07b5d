/* Matchers and commands of other agents in Gemini's words. */
#include "workbench/migrate.h"

#include "base/vec.h"
#include "hooks/claude.h"
#include "shell/shell.h"

void migrated_add(struct texts *t, const char *text)
{
	if (t->n < ARRAY_LEN(t->p))
		t->p[t->n++] = text;
}

static void matcher_add(struct matchers *m, const char *matcher)
{
	for (size_t i = 0; i < m->n; i++)
		if (m->p[i] && matcher && strcmp(m->p[i], matcher) == 0)
			return;
	if (m->n < ARRAY_LEN(m->p))
		m->p[m->n++] = matcher;
}

/* Claude reads a text of these as a list of names. */
static bool is_name_list(struct str s)
{
	return str_is_word(s, " ,|-");
}

/* The next name of a list with | or , between; .n 0 for an empty one. */
static bool next_name(struct str *rest, struct str *ret_name)
{
	size_t n = 0;

	if (!rest->p)
		return false;
	while (n < rest->n && rest->p[n] != '|' && rest->p[n] != ',')
		n++;
	*ret_name = str_trim(str_sub(*rest, 0, n));
	*rest = n < rest->n ? str_sub(*rest, n + 1, rest->n) : (struct str){ 0 };
	return true;
}

/* mcp__server__tool -> mcp_server_tool */
static void add_mcp(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		buf_addc(out, s.p[i]);
		if (s.p[i] == '_' && i + 1 < s.n && s.p[i + 1] == '_')
			i++;
	}
}

static void no_tool(struct arena *a, struct str name, struct texts *losses)
{
	migrated_add(losses, arena_printf(a, "no tool corresponds to %.*s; left out of the matcher",
					  STR_ARG(name))
				     .p);
}

static const char *tool_list(struct arena *a, const struct agent *from, struct str list,
			     struct texts *losses)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (struct str rest = list, name; next_name(&rest, &name);) {
		const char *tool = agent_tool(a, from, name);

		if (tool && !*tool)
			no_tool(a, name, losses);
		if (name.n == 0 || (tool && !*tool))
			continue;
		if (out.n)
			buf_addc(&out, '|');
		if (tool)
			buf_addz(&out, tool);
		else if (str_starts(name, STR("mcp__")))
			add_mcp(&out, name);
		else
			buf_adds(&out, name);
	}
	if (out.n == 0)
		return NULL;
	/* A list of names is exact there; here it would be searched for. */
	return arena_printf(a, strchr(buf_z(&out), '|') ? "^(%s)$" : "^%s$", buf_z(&out)).p;
}

/* A regular expression: whole words that are names are replaced. */
static const char *tool_regex(struct arena *a, const struct agent *from, struct str regex,
			      struct texts *losses)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(buf_done) struct buf mcp = { 0 };
	bool replaced = false;

	for (size_t i = 0; i < regex.n;) {
		size_t end = i;

		while (end < regex.n && char_is_word(regex.p[end]))
			end++;
		struct str word = str_sub(regex, i, end > i ? end : i + 1);
		bool escaped = i && regex.p[i - 1] == '\\';
		const char *tool = end > i && !escaped ? agent_tool(a, from, word) : NULL;

		if (tool && !*tool)
			no_tool(a, word, losses);
		replaced |= tool && *tool;
		if (tool && *tool)
			buf_addf(&out, strchr(tool, '|') ? "(%s)" : "%s", tool);
		else
			buf_adds(&out, word);
		i += word.n;
	}
	if (!from->dialect->claude_keys)
		return arena_z(a, buf_str(&out));
	if (replaced)
		migrated_add(losses, "the matcher is a regular expression, in which names were "
				     "replaced word by word; check it");
	if (str_find(buf_str(&out), STR("mcp__"), 0) < 0)
		return arena_z(a, buf_str(&out));
	/* All names of MCP tools begin so, hence nothing changes by saying that they do. */
	if (str_starts(buf_str(&out), STR("mcp__")) && !strchr(buf_z(&out), '|'))
		buf_addc(&mcp, '^');
	add_mcp(&mcp, buf_str(&out));
	return arena_z(a, buf_str(&mcp));
}

/* The fork ignores case; the names of tools are in lower case. */
static struct str lower(struct arena *a, struct str s, struct texts *losses)
{
	char *out = arena_z(a, s);

	if (str_chr(s, '\\', 0) >= 0) {
		migrated_add(losses, "matchers are case-sensitive here; check this one");
		return s;
	}
	for (size_t i = 0; i < s.n; i++)
		out[i] = char_lower(out[i]);
	return str_from(out);
}

/* A word is compared exactly, so each gets a definition. */
static void lifecycle(struct matchers *m, struct arena *a, const struct event *event,
		      struct str matcher, struct texts *losses)
{
	/* Of Notification any word may come; this is the one that both have. */
	const char *words = *event->subjects ? event->subjects : "ToolPermission";

	if (!is_name_list(matcher)) {
		matcher_add(m, arena_z(a, matcher));
		migrated_add(losses, "the matcher is compared exactly here, not as a regular "
				     "expression");
		return;
	}
	for (struct str rest = matcher, word; next_name(&rest, &word);) {
		bool found = word.n == 0;

		for (struct str all = str_from(words), ours; str_split(&all, ' ', &ours);)
			if (str_eq(word, claude_word(event, ours))) {
				matcher_add(m, arena_z(a, ours));
				found = true;
			}
		if (!found)
			migrated_add(losses, arena_printf(a, "%s never comes with \"%.*s\" here",
							  event->name, STR_ARG(word))
						     .p);
	}
}

struct matchers matcher_translate(struct arena *a, const struct agent *from,
				  const struct event *event, struct str matcher,
				  struct texts *losses)
{
	bool claude = from->dialect->claude_keys;
	struct matchers m = { 0 };

	if (matcher.n == 0 || str_eqz(matcher, "*") || str_eqz(matcher, ".*")) {
		matcher_add(&m, NULL);
	} else if (event->subject_kind == SUBJECT_TOOL) {
		if (from->dialect->tool_match == TOOL_REGEX_ICASE)
			matcher = lower(a, matcher, losses);
		const char *tool = claude && is_name_list(matcher)
					   ? tool_list(a, from, matcher, losses)
					   : tool_regex(a, from, matcher, losses);
		if (tool)
			matcher_add(&m, tool);
	} else if (!claude) {
		matcher_add(&m, arena_z(a, matcher));
	} else if (event->subject_kind == SUBJECT_WORD) {
		lifecycle(&m, a, event, matcher, losses);
	} else {
		matcher_add(&m, NULL);
		migrated_add(losses, arena_printf(a, "%s has no matcher; \"%.*s\" was left out",
						  event->name, STR_ARG(matcher))
					     .p);
	}
	return m;
}

/* ---- commands ---- */

struct renaming {
	const struct agent *from;
	struct str text; /* the whole command */
	struct {
		struct str *p; /* names in it, in the order of the text */
		size_t n, cap;
	} names;
	bool unset; /* a variable of theirs that is not set here */
};

static void see_variable(void *data, const struct sh_script *s, const struct sh_piece *p,
			 unsigned nested)
{
	struct renaming *r = data;
	size_t prefix = strlen(r->from->env_prefix);
	struct str rest = str_sub(p->text, prefix, p->text.n);

	(void)nested;
	if (p->kind == SH_TEXT && p->quote == SH_SINGLE && !s->copied) {
		/* Text for another shell: sh -c '...' */
		AUTO(arena_done) struct arena a = { 0 };
		struct sh_script inner;

		if (str_find(p->text, str_from(r->from->env_prefix), 0) >= 0 &&
		    sh_read(&inner, &a, str_sub(s->text, p->at, p->end)))
			sh_visit(&inner, &(struct sh_visitor){ .piece = see_variable, .data = r });
		return;
	}
	if (p->kind != SH_VARIABLE || !str_starts(p->text, str_from(r->from->env_prefix)) ||
	    !str_starts(rest, STR("_")))
		return;
	/* Claude Code sets the first only. */
	if (!(str_eqz(rest, "_PROJECT_DIR") ||
	      (!r->from->dialect->claude_keys &&
	       (str_eqz(rest, "_CWD") || str_eqz(rest, "_SESSION_ID")))))
		r->unset = true;
	else if (p->text.p >= r->text.p && p->text.p < r->text.p + r->text.n)
		*VEC_ADD(&r->names) = p->text;
}

static int by_position(const void *a, const void *b)
{
	const struct str *x = a, *y = b;

	return x->p < y->p ? -1 : x->p > y->p;
}

struct str command_translate(struct arena *a, const struct agent *from, struct str command,
			     struct texts *losses)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct renaming r = { .from = from, .text = command };
	const char *at = command.p;
	struct sh_script s;

	if (strcmp(from->env_prefix, "GEMINI") == 0)
		return command;
	(void)sh_read(&s, a, command);
	sh_visit(&s, &(struct sh_visitor){ .piece = see_variable, .data = &r });
	if (r.names.n)
		qsort(r.names.p, r.names.n, sizeof *r.names.p, by_position);
	for (size_t i = 0; i < r.names.n; i++) {
		struct str name = r.names.p[i];

		buf_adds(&out, (struct str){ at, (size_t)(name.p - at) });
		buf_addz(&out, "GEMINI");
		at = name.p + strlen(from->env_prefix);
	}
	buf_adds(&out, (struct str){ at, (size_t)(command.p + command.n - at) });
	free(r.names.p);
	if (r.unset)
		migrated_add(losses,
			     arena_printf(a,
					  "the command uses a variable %s_... that is not set here",
					  from->env_prefix)
				     .p);
	return arena_str(a, buf_str(&out));
}

struct str command_quote(struct arena *a, struct str command, const struct json *args)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i <= args->n; i++) {
		struct str s = i ? json_str(json_at(args, i - 1), STR("")) : command;
		size_t plain = 0;

		if (i)
			buf_addc(&out, ' ');
		while (plain < s.n && sh_is_plain(s.p[plain]))
			plain++;
		if (s.n && plain == s.n) {
			buf_adds(&out, s);
			continue;
		}
		if (str_find(s, STR("${"), 0) < 0) {
			sh_quote(&out, s);
			continue;
		}
		/* Variables in braces are replaced in it, as they were. */
		buf_addc(&out, '"');
		for (size_t k = 0; k < s.n; k++) {
			bool dollar = s.p[k] == '$' && !(k + 1 < s.n && s.p[k + 1] == '{');

			if (dollar || strchr("\"\\`", s.p[k]))
				buf_addc(&out, '\\');
			buf_addc(&out, s.p[k]);
		}
		buf_addc(&out, '"');
	}
	return arena_str(a, buf_str(&out));
}
