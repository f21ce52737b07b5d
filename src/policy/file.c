/*
 * Policy files: [[rule]] tables in TOML.  They are read strictly; an unknown
 * key might be a condition, without which the rule would say something else.
 */
#include <errno.h>
#include <sys/stat.h>

#include "base/meant.h"
#include "base/toml.h"
#include "os/fs.h"
#include "policy/reader.h"

enum { PRIORITY_UNSAID = 500 };

/* What a rule at this place begins as. */
static struct rule rule_at(struct reader *r, const struct json *v, enum tl_tier tier)
{
	size_t pos = v ? v->pos : 0;
	struct json_where where = r->last.line && pos >= r->last.pos
					  ? json_locate_from(r->text, pos, r->last)
					  : json_locate(r->text, pos);

	r->last = where;
	return (struct rule){ .priority = tiers[tier].policies,
			      .name = "",
			      .file = r->file,
			      .line = r->first_line + where.line,
			      .column = where.column,
			      .tier = tier };
}

static int read_decision(struct reader *r, const struct json *v)
{
	static const struct {
		const char *name;
		enum policy_decision decision;
		bool comments, redact;
	} words[] = {
		{ "allow", POLICY_ALLOW, false },       { "ask_user", POLICY_ASK, false },
		{ "ask", POLICY_ASK, false },           { "deny", POLICY_DENY, false },
		{ "context", POLICY_ALLOW, true },      { "rewrite", POLICY_ALLOW, true },
		{ "redact", POLICY_ALLOW, true, true },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eqz(json_str(v, STR("")), words[i].name)) {
			r->rule.decision = words[i].decision;
			r->rule.comments = words[i].comments;
			r->rule.redact = words[i].redact;
			return 0;
		}
	return reader_fail(r, v->pos,
			   "decision must be \"allow\", \"ask_user\", \"deny\", \"context\", "
			   "\"rewrite\" or \"redact\"");
}

static int read_priority(struct reader *r, const struct json *v)
{
	double d = json_num(v, -1);

	if (!(d >= 0 && d <= 999) || d != (int)d)
		return reader_fail(r, v->pos, "priority must be a whole number from 0 to 999");
	r->rule.priority += (int)d;
	return 0;
}

static int read_tool(struct reader *r, const struct json *v)
{
	return reader_strings(r, v, "toolName must be a name, or an array of names",
			      &r->rule.tools);
}

static int read_server(struct reader *r, const struct json *v)
{
	const char *const *list;
	int k = json_is(v, J_STR) ? 0
				  : reader_fail(r, v->pos, "mcpName must be the name of a server");

	if (k == 0)
		k = reader_strings(r, v, "mcpName must be the name of a server", &list);
	if (k == 0)
		r->rule.server = list[0];
	return k;
}

static int read_modes(struct reader *r, const struct json *v)
{
	const char *const *list;
	int k = reader_strings(r, v, "modes must be an array of approval modes", &list);

	for (; k == 0 && *list; list++) {
		enum approval_mode mode;

		if (!mode_find(str_from(*list), &mode))
			return reader_fail(r, v->pos,
					   "modes must be \"default\", \"autoEdit\", \"plan\" "
					   "or \"yolo\"");
		r->rule.modes |= 1U << mode;
	}
	return k;
}

static int read_interactive(struct reader *r, const struct json *v)
{
	bool yes = false;
	int k = reader_bool(r, v, &yes);

	r->rule.when = yes ? WHEN_INTERACTIVE : WHEN_HEADLESS;
	return k;
}

static int read_redirection(struct reader *r, const struct json *v)
{
	return reader_bool(r, v, &r->rule.redirection);
}

static int read_message(struct reader *r, const struct json *v)
{
	if (!json_is(v, J_STR))
		return reader_fail(r, v->pos, "denyMessage must be a text");
	r->rule.message = arena_z(&r->policy->arena, json_str(v, STR("")));
	return 0;
}

static int read_args(struct reader *r, const struct json *v)
{
	return reader_regex(r, v, false, &r->rule.args);
}

static int read_command(struct reader *r, const struct json *v)
{
	return reader_regex(r, v, true, &r->rule.command);
}

static int read_prefix(struct reader *r, const struct json *v)
{
	const char *const *list;

	r->prefixes = v;
	return reader_strings(
		r, v, "commandPrefix must be the beginning of a command, or an array of them",
		&list);
}

static int read_subagent(struct reader *r, const struct json *v)
{
	return reader_strings(r, v, "subagent must be a name", &r->rule.agents);
}

static int read_annotations(struct reader *r, const struct json *v)
{
	r->rule.never = true;
	return json_is(v, J_OBJ) ? 0 : reader_fail(r, v->pos, "toolAnnotations must be a table");
}

static int read_name(struct reader *r, const struct json *v)
{
	r->rule.name = arena_z(&r->policy->arena, json_str(v, STR("")));
	return json_is(v, J_STR) ? 0 : reader_fail(r, v->pos, "expected a text here");
}

static int read_description(struct reader *r, const struct json *v)
{
	return json_is(v, J_STR) ? 0 : reader_fail(r, v->pos, "expected a text here");
}

/* Sorted by name; both spellings of Gemini CLI. */
static const struct reader_field fields[] = {
	{ "allowRedirection", read_redirection },
	{ "allow_redirection", read_redirection },
	{ "argsPattern", read_args },
	{ "commandPrefix", read_prefix },
	{ "commandRegex", read_command },
	{ "decision", read_decision },
	{ "denyMessage", read_message },
	{ "deny_message", read_message },
	{ "description", read_description },
	{ "interactive", read_interactive },
	{ "mcpName", read_server },
	{ "modes", read_modes },
	{ "name", read_name },
	{ "priority", read_priority },
	{ "subagent", read_subagent },
	{ "toolAnnotations", read_annotations },
	{ "toolName", read_tool },
};

static const struct reader_field *field_at(size_t i)
{
	return i < ARRAY_LEN(fields) ? &fields[i] : &condition_fields[i - ARRAY_LEN(fields)];
}

static int read_field(struct reader *r, const struct json_member *m)
{
	const size_t n = ARRAY_LEN(fields) + condition_fields_n;
	const char **names;

	for (size_t i = 0; i < n; i++)
		if (str_eqz(m->key, field_at(i)->name))
			return field_at(i)->read(r, &m->v);
	names = ARENA_ARRAY(&r->policy->arena, const char *, n);
	for (size_t i = 0; i < n; i++)
		names[i] = field_at(i)->name;
	return reader_fail(r, m->pos,
			   arena_printf(&r->policy->arena, "a rule has no such key%s",
					meant_of(m->key, names, n).text)
				   .p);
}

/* Has the rule or its file anything that only we read? */
static bool is_ours(const struct reader *r)
{
	const struct rule *rule = &r->rule;

	return r->policy->pack.n || rule_looks_at_call(rule) || rule->events || rule->instead ||
	       rule->context || rule->rewrite;
}

static int check_rule(const struct reader *r, const struct json *v)
{
	bool shell =
		r->rule.tools && !r->rule.tools[1] && policy_is_shell(str_from(r->rule.tools[0]));

	/* Gemini CLI wants a priority; it does not read files with our keys. */
	if (!json_getz(v, "decision") || (!json_getz(v, "priority") && !is_ours(r)))
		return reader_fail(r, v->pos, "a rule needs a decision and a priority");
	if (r->rule.comments && !r->rule.context && !r->rule.rewrite && !r->rule.redact)
		return reader_fail(r, v->pos,
				   "a rule that decides nothing needs a context or a rewrite");
	if (r->rule.redact && (!r->rule.events || r->rule.events & ~(1u << POLICY_AFTER_TOOL |
								     1u << POLICY_AFTER_MODEL)))
		return reader_fail(r, v->pos,
				   "results of tools and answers are redacted: event = "
				   "\"AfterTool\" or \"AfterModel\"");
	if (r->rule.rewrite && r->rule.events)
		return reader_fail(r, v->pos, "arguments are rewritten before a tool only");
	if ((r->prefixes || r->rule.command) && !shell)
		return reader_fail(r, v->pos,
				   "commandPrefix and commandRegex need "
				   "toolName = \"run_shell_command\"");
	if ((r->prefixes != NULL) + (r->rule.command != NULL) + (r->rule.args != NULL) > 1)
		return reader_fail(r, v->pos,
				   "a rule has one of commandPrefix, commandRegex and "
				   "argsPattern");
	return 0;
}

/* Not in plan mode, unless it says so; below what the settings want confirmed. */
static void take_saved(struct rule *rule, enum tl_tier tier)
{
	const int max = tiers[tier].policies + 100;

	rule->said = rule->saved = true;
	if (!rule->modes)
		rule->modes = policy_said_modes(MODE_DEFAULT);
	if (rule->priority > max)
		rule->priority = max;
}

/* Goes on behind a mistake where all of them are wanted: the file is refused at its end. */
static int note(struct reader *r, int k)
{
	const struct policy_options *o = &r->policy->o;

	if (k >= 0 || !o->mistake)
		return k;
	o->mistake(o->data, r->err);
	r->mistakes++;
	return 0;
}

static int read_rule(struct reader *r, const struct json *v, enum tl_tier tier)
{
	const size_t before = r->mistakes;
	const unsigned modes = 1U << MODE_DEFAULT | 1U << MODE_AUTO_EDIT | 1U << MODE_YOLO;
	struct rule *rule = &r->rule;
	int k;
	size_t n;

	if (!json_is(v, J_OBJ))
		return reader_fail(r, v->pos, "a rule must be a table: write [[rule]]");
	r->rule = rule_at(r, v, tier);
	r->prefixes = NULL;
	for (size_t i = 0; i < v->n; i++) {
		k = note(r, read_field(r, &v->members[i]));
		if (k < 0)
			return k;
	}
	/* What its members lack follows from a mistake in them. */
	if (r->mistakes > before)
		return 0;
	k = check_rule(r, v);
	if (k < 0)
		return k;
	if (!json_getz(v, "priority"))
		rule->priority += PRIORITY_UNSAID;
	/* An extension permits nothing; in plan mode even asking is less than the denial there. */
	if (tiers[tier].restricts && rule->decision == POLICY_ASK)
		rule->modes = rule->modes ? rule->modes & modes : modes;
	if (tiers[tier].restricts &&
	    (rule->decision == POLICY_ALLOW || (rule->decision == POLICY_ASK && !rule->modes))) {
		r->left_out++;
		return 0;
	}
	if (r->saved && rule->decision == POLICY_ALLOW)
		take_saved(rule, tier);
	n = json_is(r->prefixes, J_ARR) ? r->prefixes->n : 1;
	for (size_t i = 0; i < n; i++) {
		const struct json *prefix =
			json_is(r->prefixes, J_ARR) ? json_at(r->prefixes, i) : r->prefixes;

		if (prefix && !shell_prefix(&r->policy->arena,
					    arena_str(&r->policy->arena, json_str(prefix, STR(""))),
					    &r->rule.prefix, &r->rule.nprefix)) {
			k = note(r, reader_fail(r, prefix->pos,
						"this is not the beginning of one simple "
						"command, so no command would fit"));
			if (k < 0)
				return k;
			continue;
		}
		policy_add(r->policy, &r->rule);
	}
	return 0;
}

/* ---- [[safety_checker]] ---- */

/*
 * A program of Gemini CLI's that looks at calls.  The one that keeps paths in the workspace is what
 * tools here do anyway; in the place of any other one the user is asked.
 */
static int read_checker(struct reader *r, const struct json *v, enum tl_tier tier)
{
	const struct json *checker = json_getz(v, "checker"), *rule = v;
	struct arena *a = &r->policy->arena;
	struct str name = json_get_str(checker, "name");

	if (!json_is(v, J_OBJ) || !json_is(checker, J_OBJ) || !name.n)
		return reader_fail(r, v->pos, "a [[safety_checker]] needs a checker with a name");
	if (str_eqz(json_get_str(checker, "type"), "in-process") && str_eqz(name, "allowed-path"))
		return 0;
	rule = json_without(a, rule, STR("checker"));
	rule = json_set(a, rule, STR("decision"), json_new_str(a, STR("ask_user")));
	if (!json_getz(rule, "priority"))
		rule = json_set(a, rule, STR("priority"), json_new_int(a, 0));
	r->checkers++;
	return read_rule(r, rule, tier);
}

/* ---- what cannot be read, of an extension ---- */

static void complain(struct reader *r, const char *what)
{
	if (r->policy->o.complain)
		r->policy->o.complain(r->policy->o.data, what);
}

/* Whether it allows or asks can still be told, or it denies all that it could be about. */
static void take_strictly(struct reader *r, const struct json *v, enum tl_tier tier)
{
	struct str decision = json_get_str(v, "decision");
	struct str server = json_get_str(v, "mcpName"), message = json_get_str(v, "denyMessage");
	double priority = json_num(json_getz(v, "priority"), 999);
	struct reader quiet = { .policy = r->policy, .path = r->path, .text = r->text };
	const struct json *tools = json_getz(v, "toolName");
	const char *const *names;

	if (!json_is(v, J_OBJ) || str_eqz(decision, "allow") || str_eqz(decision, "ask_user"))
		return;
	if (!message.n)
		message = json_get_str(v, "deny_message");
	if (!message.n)
		message = arena_printf(&r->policy->arena,
				       "A rule in %s that cannot be read denies this.", r->path);
	r->rule = rule_at(r, v, tier);
	r->rule.priority += priority >= 0 && priority <= 999 ? (int)priority : 999;
	r->rule.decision = POLICY_DENY;
	/* The names that the rule surely has; NULL = it may mean every tool. */
	r->rule.tools = tools && reader_strings(&quiet, tools, "", &names) == 0 ? names : NULL;
	r->rule.message = arena_z(&r->policy->arena, message);
	if (server.n && !memchr(server.p, '\0', server.n))
		r->rule.server = arena_z(&r->policy->arena, server);
	policy_add(r->policy, &r->rule);
}

/* What went wrong with a rule: the end, but for an extension's, whose user did not write it. */
static int give_up(struct reader *r, const struct json *v, enum tl_tier tier)
{
	if (!tiers[tier].restricts && !r->policy->strict)
		return note(r, -r->err->code);
	AUTO(free) char *said =
		xasprintf("%s; such a rule%s denies all that it names, or is left "
			  "out when it does not deny",
			  r->err->text, tiers[tier].restricts ? " of an extension" : "");
	complain(r, said);
	take_strictly(r, v, tier);
	return 0;
}

/* In any notation, and in any place: "DENY", deny: true, {"decision": "deny"}. */
static bool speaks_of_denying(struct str text)
{
	return str_find_icase(text, STR("deny"), 0) >= 0;
}

/* Whether this is a value of what can be read, at any depth. */
static bool has_denial(const struct json *v)
{
	struct str text = json_str(v, STR(""));
	bool found = text.n == 4 && speaks_of_denying(text);

	for (size_t i = 0; json_is(v, J_ARR) && i < v->n && !found; i++)
		found = has_denial(json_at(v, i));
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n && !found; i++)
		found = has_denial(&v->members[i].v);
	return found;
}

/*
 * The members that are on lines of their own in what is no TOML; one that is there twice is not
 * known.
 */
static const struct json *salvage_rule(struct reader *r, struct str block)
{
	static const struct json unknown = { .type = J_NULL };
	struct arena *a = &r->policy->arena;
	const struct json *v = json_new_obj(a), *one;
	struct json_where where;

	for (struct str line; str_split(&block, '\n', &line);) {
		if (toml_parse(a, arena_str(a, line), &one, &where, NULL) < 0)
			continue;
		for (size_t i = 0; i < one->n; i++) {
			struct str key = one->members[i].key;

			v = json_set(a, v, key, json_get(v, key) ? &unknown : &one->members[i].v);
		}
	}
	return v;
}

/* A file that is no TOML: each of its rules alone, with the ones that can be read as they are. */
static void salvage(struct reader *r, enum tl_tier tier)
{
	struct str whole = r->text, rest = whole, line;
	bool is_text = str_chr(whole, '\0', 0) < 0, known = false;
	size_t at = is_text ? 0 : whole.n; /* UTF-16 is none */

	while (at < whole.n) {
		size_t end = at;
		const struct json *doc = NULL, *list = NULL, *rule;
		struct json_where where;

		rest = str_sub(whole, at, whole.n);
		/* Up to the next table; its own first line begins one, too. */
		while (str_split(&rest, '\n', &line)) {
			size_t from = (size_t)(line.p - whole.p);

			if (from > at && str_starts(str_trim(line), STR("[")))
				break;
			end = rest.p ? (size_t)(rest.p - whole.p) : whole.n;
		}
		end = end > at ? end : whole.n;
		r->text = arena_str(&r->policy->arena, str_sub(whole, at, end));
		r->last = (struct json_where){ 0 };
		r->first_line = json_locate(whole, at).line - 1;
		at = end;
		if (toml_parse(&r->policy->arena, r->text, &doc, &where, NULL) == 0)
			list = json_getz(doc, "rule");
		known = known || json_is(list, J_ARR);
		if (json_is(list, J_ARR) && list->n == 1 &&
		    read_rule(r, json_at(list, 0), tier) == 0)
			continue;
		rule = salvage_rule(r, r->text);
		/* Of a rule the first line may be what cannot be read, and all of it in a notation
		 * that is not TOML's. */
		if (str_starts(str_trim(r->text), STR("[[rule")) || json_getz(rule, "decision") ||
		    speaks_of_denying(r->text)) {
			known = true;
			take_strictly(r, rule, tier);
		}
	}
	/* What is in it, or was about to be written, is unknown. */
	if (!known && (!is_text || !tiers[tier].restricts))
		take_strictly(r, json_new_obj(&r->policy->arena), tier);
	r->text = whole;
	r->last = (struct json_where){ 0 };
	r->first_line = 0;
}

/* ---- the file ---- */

/* [pack] */
static int read_pack(struct reader *r, const struct json_member *m)
{
	const struct {
		const char *key;
		struct str *to;
	} texts[] = { { "name", &r->policy->pack },
		      { "version", &r->policy->version },
		      { "description", &r->policy->about } };

	if (!m)
		return 0;
	for (size_t i = 0; json_is(&m->v, J_OBJ) && i < m->v.n; i++) {
		const struct json_member *one = &m->v.members[i];
		size_t k = 0;

		while (k < ARRAY_LEN(texts) && !str_eqz(one->key, texts[k].key))
			k++;
		if (k == ARRAY_LEN(texts) || !json_is(&one->v, J_STR))
			return reader_fail(r, one->pos,
					   "a pack has a name, a version and a description");
		*texts[k].to = arena_str(&r->policy->arena, json_str(&one->v, STR("")));
	}
	return r->policy->pack.n ? 0 : reader_fail(r, m->pos, "a pack needs a name");
}

/* [[rule]] and [[safety_checker]] */
static int read_tables(struct reader *r, const struct json_member *m, enum tl_tier tier)
{
	static const struct {
		const char *name;
		int (*read)(struct reader *r, const struct json *v, enum tl_tier tier);
	} tables[] = { { "rule", read_rule }, { "safety_checker", read_checker } };
	size_t k = 0;

	while (k < ARRAY_LEN(tables) && !str_eqz(m->key, tables[k].name))
		k++;
	if (str_eqz(m->key, "pack"))
		return 0; /* read before the rules */
	if (k == ARRAY_LEN(tables)) {
		(void)reader_fail(
			r, m->pos,
			"a policy file holds [[rule]] and [[safety_checker]] tables, [pack] "
			"and nothing else");
		if (give_up(r, NULL, tier) < 0)
			return -r->err->code;
		/* [[rules]]: what says that it denies does; if it says so further inside
		 * ([[policy.rule]]), of every tool. */
		for (size_t i = 0; i < (json_is(&m->v, J_ARR) ? m->v.n : 1); i++) {
			const struct json *one = json_is(&m->v, J_ARR) ? json_at(&m->v, i) : &m->v;
			bool flat = str_eqz(json_get_str(one, "decision"), "deny");

			if (has_denial(one))
				take_strictly(r, flat ? one : json_new_obj(&r->policy->arena),
					      tier);
		}
		return 0;
	}
	if (!json_is(&m->v, J_ARR)) {
		(void)reader_fail(r, m->v.pos,
				  arena_printf(&r->policy->arena,
					       "write [[%s]], there may be several", tables[k].name)
					  .p);
		return give_up(r, &m->v, tier);
	}
	for (size_t i = 0; i < m->v.n; i++) {
		int e = tables[k].read(r, json_at(&m->v, i), tier);

		if (e < 0)
			e = give_up(r, json_at(&m->v, i), tier);
		if (e < 0)
			return e;
	}
	return 0;
}

static void say_more(struct reader *r)
{
	AUTO(free) char *left_out =
		xasprintf("%s: %zu rule%s left out: an extension may only deny or ask", r->path,
			  r->left_out, r->left_out == 1 ? "" : "s");
	AUTO(free) char *checkers =
		xasprintf("%s: %zu safety checker%s not run here; the user is asked instead",
			  r->path, r->checkers, r->checkers == 1 ? " is" : "s are");

	if (r->left_out)
		complain(r, left_out);
	if (r->checkers)
		complain(r, checkers);
}

int policy_read_text(struct policy *p, const char *path, struct str text, enum tl_tier tier,
		     struct err *err)
{
	AUTO(arena_done) struct arena parsed = { 0 }; /* rules have copies of what they need */
	struct err own = { 0 };
	struct reader r = { .policy = p, .path = path, .err = err ? err : &own };
	const char *slash = strrchr(path, '/');
	const struct json *doc;
	struct json_where where;
	struct err cause = { 0 };

	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_sub(text, 3, text.n);
	r.text = text;
	r.file = arena_z(&p->arena, str_from(path));
	r.saved = tiers[tier].keeps_answers && strcmp(slash ? slash + 1 : path, POLICY_SAVED) == 0;
	if (toml_parse(&parsed, text, &doc, &where, &cause) < 0) {
		(void)err_set_at(r.err, cause.code, path, where.line, where.column, "%s",
				 cause.text);
		if (!tiers[tier].restricts && !p->strict)
			return -r.err->code;
		AUTO(free) char *note =
			xasprintf("%s; of the rules%s that cannot be read those that "
				  "deny count for all that they name",
				  r.err->text, tiers[tier].restricts ? " of an extension" : "");
		complain(&r, note);
		r.err = &own;
		salvage(&r, tier);
		say_more(&r);
		return 0;
	}
	if (read_pack(&r, json_member(doc, STR("pack"))) < 0 && give_up(&r, NULL, tier) < 0)
		return -r.err->code;
	for (size_t i = 0; i < doc->n; i++) {
		int k = read_tables(&r, &doc->members[i], tier);

		if (k < 0)
			return k;
	}
	say_more(&r);
	return r.mistakes ? -r.err->code : 0;
}

static int read_file(struct policy *p, const char *path, enum tl_tier tier, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	int r = fs_read(path, TOML_BYTES_MAX, &text, err);

	return r < 0 ? r
		     : policy_read_text(p, path, arena_str(&p->arena, buf_str(&text)), tier, err);
}

int policy_read(struct policy *p, const char *path, enum tl_tier tier, bool optional,
		struct err *err)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	int r;

	struct stat st;

	/* A link to nothing is there, and cannot be read. */
	if (optional && lstat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR))
		return 0;
	if (!fs_is_dir(path))
		return read_file(p, path, tier, err);
	r = fs_list(path, &names, err);
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *file = fs_join(path, names.p[i]);

		if (r >= 0 && str_ends(str_from(names.p[i]), STR(".toml")))
			r = read_file(p, file, tier, err);
	}
	return r;
}
