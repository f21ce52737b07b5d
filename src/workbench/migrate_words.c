/* Matchers and commands of other agents in Gemini's words. */
#include "workbench/migrate.h"

#include "shell/shell.h"

void text_add(struct texts *t, const char *text)
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

/* Claude reads a text of these as a list of names (dialects.md 3.4). */
static bool is_name_list(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!char_is_word(s.p[i]) && !strchr(" ,|-", s.p[i]))
			return false;
	return true;
}

/* The next name of a list with | or , between. */
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
	text_add(losses, arena_printf(a,
				      "there is no tool like %.*s; it was left out of the "
				      "matcher",
				      STR_ARG(name))
				 .p);
}

/* ---- names of tools ---- */

static const char *tool_list(struct arena *a, const struct agent *from, struct str list,
			     struct texts *losses)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (struct str rest = list, name; next_name(&rest, &name);) {
		const char *tool = agent_tool(from, name);

		if (name.n == 0)
			continue;
		if (tool && !*tool) {
			no_tool(a, name, losses);
			continue;
		}
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

/* A regular expression: whole words that are names are replaced (host.md K3.1). */
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
		const char *tool = end > i && !escaped ? agent_tool(from, word) : NULL;

		if (tool && !*tool)
			no_tool(a, word, losses);
		replaced |= tool && *tool;
		if (tool && *tool)
			buf_addf(&out, strchr(tool, '|') ? "(%s)" : "%s", tool);
		else
			buf_adds(&out, word);
		i += word.n;
	}
	if (replaced && from->seconds)
		text_add(losses, "the matcher is a regular expression, in which names were "
				 "replaced word by word; look at it");
	if (!from->seconds || str_find(buf_str(&out), STR("mcp__"), 0) < 0)
		return arena_z(a, buf_str(&out));
	/* All names of MCP tools begin so, hence nothing changes by saying that they do. */
	if (str_starts(buf_str(&out), STR("mcp__")) && !strchr(buf_z(&out), '|'))
		buf_addc(&mcp, '^');
	add_mcp(&mcp, buf_str(&out));
	return arena_z(a, buf_str(&mcp));
}

/* The fork compares without regard to case; the names of tools are in lower case. */
static struct str lower(struct arena *a, struct str s, struct texts *losses)
{
	char *out = arena_z(a, s);
	bool escape = str_chr(s, '\\', 0) >= 0, changed = false;

	for (size_t i = 0; i < s.n && !escape; i++)
		if (out[i] >= 'A' && out[i] <= 'Z') {
			out[i] = (char)(out[i] + 'a' - 'A');
			changed = true;
		}
	if (escape)
		text_add(losses, "the case of letters matters in matchers here; look at it");
	return changed ? str_from(out) : s;
}

/* ---- words of the other events ---- */

static const char *lifecycle_word(const struct agent *from, const char *event, struct str word)
{
	static const struct {
		const char *event, *words[6];
	} known[] = {
		{ "SessionStart", { "startup", "resume", "clear", "compact" } },
		{ "SessionEnd", { "exit", "clear", "logout", "prompt_input_exit", "other" } },
		{ "PreCompress", { "manual", "auto" } },
	};

	if (strcmp(event, "Notification") == 0)
		return agent_notification(from, word);
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		for (size_t k = 0; k < 6 && known[i].words[k]; k++)
			if (strcmp(known[i].event, event) == 0 && str_eqz(word, known[i].words[k]))
				return known[i].words[k];
	return NULL;
}

static bool takes_word(const char *event)
{
	return strcmp(event, "SessionStart") == 0 || strcmp(event, "SessionEnd") == 0 ||
	       strcmp(event, "PreCompress") == 0 || strcmp(event, "Notification") == 0;
}

/* A word is compared exactly, so each gets a definition of its own. */
static struct matchers lifecycle(struct arena *a, const struct agent *from, const char *event,
				 struct str matcher, struct texts *losses)
{
	struct matchers m = { 0 };

	if (!is_name_list(matcher)) {
		matcher_add(&m, arena_z(a, matcher));
		text_add(losses, "the matcher is compared exactly here, not as a regular "
				 "expression");
		return m;
	}
	for (struct str rest = matcher, word; next_name(&rest, &word);) {
		const char *ours = lifecycle_word(from, event, word);

		if (ours)
			matcher_add(&m, ours);
		else if (word.n)
			text_add(losses, arena_printf(a, "%s never comes with \"%.*s\" here", event,
						      STR_ARG(word))
						 .p);
	}
	return m;
}

struct matchers matcher_translate(struct arena *a, const struct agent *from,
				  const struct agent_event *event, struct str matcher,
				  struct texts *losses)
{
	struct matchers m = { 0 };
	const char *tool;

	if (matcher.n == 0 || str_eqz(matcher, "*") || str_eqz(matcher, ".*")) {
		matcher_add(&m, NULL);
		return m;
	}
	if (is_tool_event(event->gemini)) {
		if (from->seconds && is_name_list(matcher))
			tool = tool_list(a, from, matcher, losses);
		else
			tool = tool_regex(a, from,
					  strcmp(from->name, "jpfork") == 0
						  ? lower(a, matcher, losses)
						  : matcher,
					  losses);
		if (tool)
			matcher_add(&m, tool);
		return m;
	}
	if (from->seconds && takes_word(event->gemini))
		return lifecycle(a, from, event->gemini, matcher, losses);
	if (from->seconds) {
		matcher_add(&m, NULL);
		text_add(losses, arena_printf(a, "%s has no matcher; \"%.*s\" was left out",
					      event->gemini, STR_ARG(matcher))
					 .p);
		return m;
	}
	matcher_add(&m, arena_z(a, matcher));
	return m;
}

/* ---- commands ---- */

/* The length of "$PREFIX_NAME" or "${PREFIX_NAME" at s; 0 when it is not there. */
static size_t variable_at(struct str s, const char *prefix, const char *name, bool *ret_brace)
{
	size_t at = 1, n = strlen(prefix);

	if (s.n < 2 || s.p[0] != '$')
		return 0;
	*ret_brace = s.p[1] == '{';
	at += *ret_brace;
	if (!str_starts(str_sub(s, at, s.n), str_from(prefix)) || at + n >= s.n ||
	    s.p[at + n] != '_')
		return 0;
	at += n + 1;
	if (!str_starts(str_sub(s, at, s.n), str_from(name)))
		return 0;
	at += strlen(name);
	return at < s.n && *name && char_is_word(s.p[at]) ? 0 : at;
}

struct str command_translate(struct arena *a, const struct agent *from, struct str command,
			     struct texts *losses)
{
	static const char *const names[] = { "PROJECT_DIR", "CWD", "SESSION_ID" };
	size_t known = from->seconds ? 1 : ARRAY_LEN(names); /* Claude has the first only */
	AUTO(buf_done) struct buf out = { 0 };
	bool brace = false, strange = false;

	if (strcmp(from->env_prefix, "GEMINI") == 0)
		return command;
	for (size_t i = 0; i < command.n;) {
		struct str rest = str_sub(command, i, command.n);
		size_t n = 0;

		for (size_t k = 0; k < known && n == 0; k++) {
			n = variable_at(rest, from->env_prefix, names[k], &brace);
			if (n)
				buf_addf(&out, "$%sGEMINI_%s", brace ? "{" : "", names[k]);
		}
		if (n == 0) {
			strange |= variable_at(rest, from->env_prefix, "", &brace) > 0;
			buf_addc(&out, command.p[i]);
			n = 1;
		}
		i += n;
	}
	if (strange)
		text_add(losses, arena_printf(a,
					      "the command uses a variable %s_... that is not "
					      "set here",
					      from->env_prefix)
					 .p);
	return arena_str(a, buf_str(&out));
}

/* One word; variables in braces are replaced in it, as they were. */
static void add_quoted(struct buf *out, struct str s)
{
	size_t plain = 0;

	while (plain < s.n && sh_is_plain(s.p[plain]))
		plain++;
	if (s.n && plain == s.n) {
		buf_adds(out, s);
		return;
	}
	if (str_find(s, STR("${"), 0) < 0) {
		sh_quote(out, s);
		return;
	}
	buf_addc(out, '"');
	for (size_t i = 0; i < s.n; i++) {
		if (strchr("\"\\`", s.p[i]) ||
		    (s.p[i] == '$' && !str_starts(str_sub(s, i, s.n), STR("${"))))
			buf_addc(out, '\\');
		buf_addc(out, s.p[i]);
	}
	buf_addc(out, '"');
}

struct str command_quote(struct arena *a, struct str command, const struct json *args)
{
	AUTO(buf_done) struct buf out = { 0 };

	add_quoted(&out, command);
	for (size_t i = 0; i < args->n; i++) {
		buf_addc(&out, ' ');
		add_quoted(&out, json_str(json_at(args, i), STR("")));
	}
	return arena_str(a, buf_str(&out));
}
