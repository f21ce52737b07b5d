/*
 * What a person allows in a dialog: for the session in the policy, for every session in a policy
 * file of the user's, as Gemini CLI keeps it.  Never more than the dialog said.
 */
#include "base/toml.h"
#include "base/vec.h"
#include "os/fs.h"
#include "policy/impl.h"
#include "settings/edit.h"
#include "settings/home.h"

/* ---- in the session ---- */

static bool rule_of(struct arena *a, const struct policy_said *said, struct rule *ret)
{
	const char **names = ARENA_ARRAY(a, const char *, 2);

	*ret = (struct rule){
		.priority = tiers[TL_TIER_PROJECT].policies + 950,
		.decision = POLICY_ALLOW,
		.server = said->server,
		.server_tool = said->server ? said->tool : NULL,
		.said = true,
	};
	if (!said->server) {
		names[0] = said->tool;
		ret->tools = names;
	}
	return !said->prefix ||
	       shell_prefix(a, str_from(said->prefix), &ret->prefix, &ret->nprefix);
}

static const char *copy(struct arena *a, const char *s)
{
	return s ? arena_z(a, str_from(s)) : NULL;
}

static bool say_in(struct policy *p, const struct policy_said *said, unsigned modes)
{
	const struct policy_said own = { copy(&p->arena, said->tool), copy(&p->arena, said->server),
					 copy(&p->arena, said->prefix) };
	struct rule rule;

	if (!rule_of(&p->arena, &own, &rule))
		return false;
	rule.modes = modes;
	policy_add(p, &rule);
	*VEC_ADD(&p->said) = (struct said){ own, modes };
	return true;
}

bool policy_say(struct policy *p, const struct policy_said *said)
{
	return say_in(p, said, policy_said_modes(p->o.mode));
}

bool policy_said_get(const struct policy *p, size_t i, struct policy_said *ret)
{
	if (i < p->said.n)
		*ret = p->said.p[i].what;
	return i < p->said.n;
}

/* The rule goes with the next policy. */
void policy_unsay(struct policy *p, size_t i)
{
	for (; i + 1 < p->said.n; i++)
		p->said.p[i] = p->said.p[i + 1];
	p->said.n -= p->said.n > 0;
}

void policy_take_said(struct policy *p, const struct policy *from)
{
	for (size_t i = 0; i < from->said.n; i++)
		(void)say_in(p, &from->said.p[i].what, from->said.p[i].modes);
}

/* ---- what a call could be allowed by ---- */

static bool is_of(struct str s, const char *more)
{
	for (size_t i = 0; i < s.n; i++) {
		char c = s.p[i];

		if (!char_is_letter(c) && !char_is_digit(c) && !(c && strchr(more, c)))
			return false;
	}
	return s.n > 0;
}

static bool is_subcommand(const struct sh_arg *w)
{
	return !w->opaque && is_of(w->text, "-_:") && w->text.p[0] != '-';
}

/*
 * "npm run build", "python3 tool.py", "make": the program, and what says what it does.  Where that
 * begins with an option it is all of the command, since "python3 -c" would be any program.
 */
static const char *prefix_of_part(struct arena *a, const struct sh_call *part)
{
	enum { WORDS_MAX = 3 };
	AUTO(buf_done) struct buf out = { 0 };
	size_t n = 1;

	if (part->n > 1 && part->words[1].text.n && part->words[1].text.p[0] == '-')
		n = part->n;
	else if (part->n > 1)
		n = 2;
	while (n >= 2 && n < min_size(part->n, WORDS_MAX) && is_subcommand(&part->words[n - 1]) &&
	       is_subcommand(&part->words[n]))
		n++;
	for (size_t i = 0; i < n; i++) {
		const struct sh_arg *w = &part->words[i];

		if (w->opaque || !is_of(w->text, "-_:./@%+=,"))
			return NULL;
		buf_addf(&out, "%s%.*s", i ? " " : "", STR_ARG(w->text));
	}
	return arena_z(a, buf_str(&out));
}

/* One for each program of the command; 0 = it cannot be told. */
static size_t say_command(const struct policy_subject *t, struct str command, struct arena *a,
			  struct policy_said **ret)
{
	AUTO(sh_calls_done) struct sh_calls split = { .arena = a };
	size_t n = 0;

	policy_calls(&split, command);
	*ret = ARENA_ARRAY(a, struct policy_said, split.n + 1);
	for (size_t i = 0; i < split.n; i++) {
		const struct sh_call *part = &split.p[i];
		const char *prefix =
			policy_part_is_clear(part) && !part->more ? prefix_of_part(a, part) : NULL;

		if (!prefix)
			return 0;
		size_t same = 0;

		while (same < n && strcmp((*ret)[same].prefix, prefix) != 0)
			same++;
		if (same == n)
			(*ret)[n++] = (struct policy_said){ .tool = t->name, .prefix = prefix };
	}
	return n;
}

size_t policy_sayable(const struct policy *p, struct policy_subject t, const struct json *args,
		      struct arena *a, const struct policy_said **ret)
{
	struct policy_said *list = ARENA_ARRAY(a, struct policy_said, 1);
	struct rule *rules;
	size_t n = 0;

	if (t.command_arg) {
		n = say_command(&t, json_get_str(args, t.command_arg), a, &list);
	} else if (t.mcp_server && !strpbrk(t.mcp_server, "*") && !strpbrk(t.mcp_tool, "*")) {
		list[0] = (struct policy_said){ .tool = t.mcp_tool, .server = t.mcp_server };
		n = 1;
	}
	rules = ARENA_ARRAY(a, struct rule, n + 1);
	for (size_t i = 0; i < n; i++) {
		if (!rule_of(a, &list[i], &rules[i]))
			return 0;
		rules[i].saved = true;
		rules[i].modes = policy_said_modes(MODE_DEFAULT);
		rules[i].priority = tiers[TL_TIER_USER].policies + 100;
	}
	*ret = list;
	return n && policy_allows_with(p, rules, n, &t, args, a) ? n : 0;
}

struct str policy_said_text(struct arena *a, const struct policy_said *said)
{
	if (said->prefix)
		return arena_printf(a, "shell commands that begin with \"%s\"", said->prefix);
	if (said->server && said->tool)
		return arena_printf(a, "%s of the MCP server %s", said->tool, said->server);
	if (said->server)
		return arena_printf(a, "all tools of the MCP server %s", said->server);
	return str_from(said->tool);
}

/* ---- the file ---- */

struct saved_file {
	char *path;
	struct arena arena;
	struct buf text;
	const struct json *doc, *rules; /* NULL = none */
};

static void saved_done(struct saved_file *f)
{
	free(f->path);
	buf_done(&f->text);
	arena_done(&f->arena);
}
DEFINE_AUTO(struct saved_file, saved_done)

int policy_check_text(const char *path, struct str text, struct err *err)
{
	AUTO(policy_free) struct policy *p = xcalloc(1, sizeof *p);

	return policy_read_text(p, path, text, TL_TIER_USER, err);
}

/* A file that is not there has no rules. */
static int saved_open(const char *home, struct saved_file *f, struct err *err)
{
	int r;

	if (!*home)
		return home_missing(err);
	f->path = xasprintf("%s/.gemini/policies/%s", home, POLICY_SAVED);
	if (!fs_exists(f->path))
		return 0;
	r = fs_read(f->path, TOML_BYTES_MAX, &f->text, err);
	if (r >= 0)
		r = policy_check_text(f->path, buf_str(&f->text), err);
	if (r >= 0)
		r = toml_parse(&f->arena, buf_str(&f->text), &f->doc, NULL, err);
	if (r >= 0)
		f->rules = json_getz(f->doc, "rule");
	return r;
}

static void add_string(struct buf *out, const char *key, const char *value)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (value)
		buf_addf(out, "%s = %.*s\n", key,
			 STR_ARG(json_text(&a, json_new_str(&a, str_from(value)), JSON_COMPACT)));
}

static bool has(const struct json *rule, const char *key, const char *value)
{
	const struct json *v = json_getz(rule, key);

	return value ? json_is(v, J_STR) && str_eqz(json_str(v, STR("")), value) : !v;
}

/* Exactly this, so that it need not be said again. */
static bool is_saved(const struct saved_file *f, const struct policy_said *said)
{
	for (size_t i = 0; json_at(f->rules, i); i++) {
		const struct json *rule = json_at(f->rules, i), *modes = json_getz(rule, "modes");

		if (has(rule, "toolName", said->tool) && has(rule, "mcpName", said->server) &&
		    has(rule, "commandPrefix", said->prefix) && has(rule, "decision", "allow") &&
		    has(rule, "argsPattern", NULL) && has(rule, "subagent", NULL) &&
		    has(rule, "interactive", NULL) && (!modes || modes->n == 3))
			return true;
	}
	return false;
}

static int replace(const struct saved_file *f, struct str text, struct err *err)
{
	AUTO(free) char *dir = xstrndup(f->path, (size_t)(strrchr(f->path, '/') - f->path));
	int r = policy_check_text(f->path, text, err);

	if (r >= 0)
		r = fs_mkdirs(dir, 0700, err);
	return r < 0 ? r : fs_replace(f->path, text, 0600, err);
}

int policy_save(const char *home, const struct policy_said *said, size_t n, struct err *err)
{
	AUTO(saved_done) struct saved_file f = { 0 };
	AUTO(settings_unlock) int lock = settings_lock(home, err);
	size_t before;
	int r = lock < 0 ? lock : saved_open(home, &f, err);

	if (r < 0)
		return r;
	before = f.text.n;
	for (size_t i = 0; i < n; i++) {
		if (is_saved(&f, &said[i]))
			continue;
		if (f.text.n && f.text.p[f.text.n - 1] != '\n')
			buf_addc(&f.text, '\n');
		buf_addz(&f.text, f.text.n ? "\n[[rule]]\n" : "[[rule]]\n");
		add_string(&f.text, "toolName", said[i].tool);
		add_string(&f.text, "mcpName", said[i].server);
		add_string(&f.text, "commandPrefix", said[i].prefix);
		buf_addz(&f.text, "decision = \"allow\"\npriority = 100\n"
				  "modes = [\"default\", \"autoEdit\", \"yolo\"]\n");
	}
	return f.text.n == before ? 0 : replace(&f, buf_str(&f.text), err);
}

/* "git push", or "a, b" of several. */
static struct str words(struct arena *a, const struct json *v)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (!json_is(v, J_ARR))
		return json_str(v, STR(""));
	for (size_t i = 0; json_at(v, i); i++) {
		buf_addz(&out, i ? ", " : "");
		buf_adds(&out, json_str(json_at(v, i), STR("")));
	}
	return arena_str(a, buf_str(&out));
}

/* A rule of this file, which may be somebody else's and have any member. */
static struct str rule_text(struct arena *a, const struct json *rule)
{
	static const char *const conditions[] = { "commandRegex", "argsPattern", "subagent",
						  "interactive" };
	struct policy_said said = { 0 };
	AUTO(buf_done) struct buf out = { 0 };

	if (json_getz(rule, "toolName"))
		said.tool = arena_z(a, words(a, json_getz(rule, "toolName")));
	if (json_getz(rule, "mcpName"))
		said.server = arena_z(a, words(a, json_getz(rule, "mcpName")));
	if (json_getz(rule, "commandPrefix"))
		said.prefix = arena_z(a, words(a, json_getz(rule, "commandPrefix")));
	if (!has(rule, "decision", "allow"))
		buf_addf(&out, "%.*s: ", STR_ARG(json_get_str(rule, "decision")));
	if (said.tool || said.server)
		buf_adds(&out, policy_said_text(a, &said));
	else
		buf_addz(&out, "every tool");
	for (size_t i = 0; i < ARRAY_LEN(conditions); i++)
		if (json_getz(rule, conditions[i]))
			buf_addf(&out, ", %s %.*s", conditions[i],
				 STR_ARG(json_text(a, json_getz(rule, conditions[i]),
						   JSON_COMPACT)));
	return arena_str(a, buf_str(&out));
}

int policy_saved_read(const char *home, struct arena *a, struct policy_saved *ret, struct err *err)
{
	AUTO(saved_done) struct saved_file f = { 0 };
	int r = saved_open(home, &f, err);
	size_t n = r >= 0 && json_is(f.rules, J_ARR) ? f.rules->n : 0;

	*ret = (struct policy_saved){ ARENA_ARRAY(a, struct str, n + 1), n };
	for (size_t i = 0; i < n; i++)
		ret->texts[i] = rule_text(a, json_at(f.rules, i));
	return r;
}

/* Where the table begins: with its header, and the comments right above it. */
static size_t table_start(struct str text, size_t pos)
{
	size_t start = pos, line;

	while (start > 0 && text.p[start - 1] != '\n')
		start--;
	for (; start > 0; start = line) {
		line = start - 1;
		while (line > 0 && text.p[line - 1] != '\n')
			line--;
		if (text.p[line] != '#')
			break;
	}
	return start;
}

/* Where the next table begins. */
static size_t table_end(const struct saved_file *f, size_t pos)
{
	size_t end = f->text.n;

	for (size_t i = 0; i < f->doc->n; i++)
		for (size_t k = 0; k < f->doc->members[i].v.n; k++) {
			size_t at = json_at(&f->doc->members[i].v, k)->pos;

			if (at > pos && at < end)
				end = at;
		}
	return end < f->text.n ? table_start(buf_str(&f->text), end) : end;
}

int policy_saved_remove(const char *home, struct str text, struct err *err)
{
	AUTO(saved_done) struct saved_file f = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(settings_unlock) int lock = settings_lock(home, err);
	int r = lock < 0 ? lock : saved_open(home, &f, err);
	struct str whole;
	size_t i = 0, pos;

	if (r < 0)
		return r;
	while (json_at(f.rules, i) && !str_eq(rule_text(&f.arena, json_at(f.rules, i)), text))
		i++;
	if (!json_at(f.rules, i))
		return err_set(err, E_NOTFOUND, "%s has no such rule any more", f.path);
	whole = buf_str(&f.text);
	pos = json_at(f.rules, i)->pos;
	buf_adds(&out, str_sub(whole, 0, table_start(whole, pos)));
	buf_adds(&out, str_sub(whole, table_end(&f, pos), whole.n));
	return replace(&f, buf_str(&out), err);
}
