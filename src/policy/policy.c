/*
 * The list of rules and what it says about a call.  A shell command is judged part by part, the
 * strictest answer counts; a rule that allows must surely fit, one that asks or denies only might.
 */
#include "policy/impl.h"

#include "base/path.h"
#include "base/vec.h"
#include "base/wild.h"
#include "base/words.h"
#include "os/fs.h"
#include "settings/places.h"

#define NAMES(...) ((const char *const[]){ __VA_ARGS__, NULL })
#define MODE(m) (1U << MODE_##m)
#define KIND(k) (1U << TOOL_##k)

static enum fit plan_file_fits(struct question *q);
static enum fit safe_command_fits(struct question *q);
static enum fit own_file_fits(struct question *q);
static enum fit investigator_fits(struct question *q);

/*
 * The policy without any settings.  A call that no rule fits needs confirmation, so a session
 * without a person to ask denies it: edits, commands, web_fetch, tools of MCP servers.
 */
static const struct rule builtin[] = {
	{ .priority = BUILT_IN + 999,
	  .tools = NAMES("ask_user"),
	  .when = WHEN_HEADLESS,
	  .decision = POLICY_DENY },
	{ .priority = BUILT_IN + 999,
	  .tools = NAMES("ask_user"),
	  .when = WHEN_INTERACTIVE,
	  .modes = MODE(YOLO),
	  .decision = POLICY_ASK },
	{ .priority = BUILT_IN + 999,
	  .tools = NAMES("enter_plan_mode", "exit_plan_mode"),
	  .modes = MODE(YOLO),
	  .when = WHEN_INTERACTIVE,
	  .decision = POLICY_DENY },
	{ .priority = BUILT_IN + 998,
	  .modes = MODE(YOLO),
	  .redirection = true,
	  .decision = POLICY_ALLOW },
	{ .priority = BUILT_IN + 70,
	  .kinds = KIND(EDIT),
	  .modes = MODE(PLAN),
	  .fits = plan_file_fits,
	  .decision = POLICY_ALLOW },
	{ .priority = BUILT_IN + 70,
	  .tools = NAMES("ask_user", "exit_plan_mode", "activate_skill"),
	  .modes = MODE(PLAN),
	  .when = WHEN_INTERACTIVE,
	  .decision = POLICY_ASK },
	/* Who put a skill there, or trusted its project, agreed to it: that counts where nobody
	 * can be asked.  It brings text, and its directory to read. */
	{ .priority = BUILT_IN + 70,
	  .tools = NAMES("activate_skill"),
	  .when = WHEN_HEADLESS,
	  .decision = POLICY_ALLOW },
	/* Without a person exit_plan_mode leads back to where the model came from, no further. */
	{ .priority = BUILT_IN + 70,
	  .tools = NAMES("exit_plan_mode"),
	  .modes = MODE(PLAN),
	  .when = WHEN_HEADLESS,
	  .decision = POLICY_ALLOW },
	{ .priority = BUILT_IN + 70,
	  .tools = NAMES("enter_plan_mode"),
	  .modes = MODE(PLAN),
	  .decision = POLICY_DENY,
	  .message = "This is plan mode." },
	{ .priority = BUILT_IN + 65,
	  .kinds = KIND(EDIT),
	  .modes = MODE(PLAN),
	  .decision = POLICY_DENY,
	  .message = "In plan mode only Markdown files in the plans directory may be written." },
	{ .priority = BUILT_IN + 50, .harmless = true, .decision = POLICY_ALLOW },
	{ .priority = BUILT_IN + 50,
	  .tools = NAMES("invoke_agent"),
	  .fits = investigator_fits,
	  .decision = POLICY_ALLOW },
	/* What an agent does is judged like what the model does. */
	{ .priority = BUILT_IN + 50,
	  .tools = NAMES("invoke_agent"),
	  .modes = MODE(DEFAULT) | MODE(AUTO_EDIT),
	  .decision = POLICY_ALLOW },
	{ .priority = BUILT_IN + 50,
	  .tools = NAMES("enter_plan_mode"),
	  .when = WHEN_HEADLESS,
	  .decision = POLICY_ALLOW },
	{ .priority = BUILT_IN + 50,
	  .tools = NAMES("exit_plan_mode"),
	  .modes = MODE(DEFAULT) | MODE(AUTO_EDIT),
	  .decision = POLICY_DENY,
	  .message = "This is not plan mode." },
	{ .priority = BUILT_IN + 40,
	  .modes = MODE(PLAN),
	  .models = true,
	  .decision = POLICY_DENY,
	  .message = "In plan mode only tools that read are available." },
	/* Where the workspace is the home directory: what decides about the model is the user's. */
	{ .priority = BUILT_IN + 16,
	  .kinds = KIND(EDIT),
	  .modes = MODE(AUTO_EDIT),
	  .fits = own_file_fits,
	  .decision = POLICY_ASK,
	  .message = "This file decides what the agent may do" },
	/* The tools themselves stay in the workspace. */
	{ .priority = BUILT_IN + 15,
	  .kinds = KIND(EDIT) | KIND(FETCH),
	  .modes = MODE(AUTO_EDIT),
	  .decision = POLICY_ALLOW },
	/* Any explicit rule is above it. */
	{ .priority = BUILT_IN + 11,
	  .commands = true,
	  .modes = MODE(DEFAULT) | MODE(AUTO_EDIT),
	  .when = WHEN_INTERACTIVE,
	  .fits = safe_command_fits,
	  .decision = POLICY_ALLOW },
};

/* ---- names ---- */

/* Server and tool of an MCP tool; from mcp__server__tool (C5.2) where only the name is known. */
static bool mcp_name(const struct policy_subject *t, struct str *ret_server, struct str *ret_tool)
{
	const struct str mark = STR("mcp__"), name = str_from(t->name);
	ptrdiff_t end = str_starts(name, mark) ? str_find(name, STR("__"), mark.n) : -1;

	if (t->mcp_server) {
		*ret_server = str_from(t->mcp_server);
		*ret_tool = str_from(t->mcp_tool);
		return true;
	}
	if (end < 0)
		return false;
	*ret_server = str_sub(name, mark.n, (size_t)end);
	*ret_tool = str_sub(name, (size_t)end + 2, name.n);
	return true;
}

/*
 * Could a pattern for tools of this server be meant for another one?  "mcp_a_*" could be server "a"
 * or tools of "a_b", "mcp__a__*" tools of "a__b".  That is not enough to allow.
 */
static bool is_ambiguous(struct str pattern, struct str server)
{
	if (str_starts(pattern, STR("mcp__")))
		return str_find(server, STR("__"), 0) >= 0 || str_starts(server, STR("_")) ||
		       str_ends(server, STR("_"));
	return str_starts(pattern, STR("mcp_")) && str_chr(server, '_', 0) >= 0;
}

/* A rule's pattern on a tool's name, which MCP tools have two of, whichever of them it is. */
static bool tool_fits(const struct rule *r, struct str pattern, const struct policy_subject *t)
{
	struct str server, tool;

	if (!mcp_name(t, &server, &tool))
		return wild_fits(tool_current_name(pattern), str_from(t->name));
	if (r->server && wild_fits(pattern, tool))
		return true;
	if (r->decision == POLICY_ALLOW && is_ambiguous(pattern, server))
		return false;
	AUTO(free) char *single = xasprintf("mcp_%.*s_%.*s", STR_ARG(server), STR_ARG(tool));
	AUTO(free) char *twice = xasprintf("mcp__%.*s__%.*s", STR_ARG(server), STR_ARG(tool));
	return wild_fits(tool_current_name(pattern), str_from(t->name)) ||
	       wild_fits(pattern, str_from(single)) || wild_fits(pattern, str_from(twice));
}

static bool server_fits(const struct rule *r, const struct policy_subject *t)
{
	struct str of, tool;

	return mcp_name(t, &of, &tool) && (strcmp(r->server, "*") == 0 || str_eqz(of, r->server)) &&
	       (!r->server_tool || str_eqz(tool, r->server_tool));
}

/* Somebody else may have given it the name of one that the user allowed. */
static bool is_projects_server(const struct policy *p, const struct policy_subject *t)
{
	struct str of, tool;

	return p->project_servers && mcp_name(t, &of, &tool) &&
	       word_in(of, p->project_servers, WORDS_ALL);
}

const char *policy_unconcerned(const struct policy *p, const struct rule *r,
			       const struct policy_subject *t)
{
	bool any = !r->tools;

	if (!((r->events ? r->events : 1U << POLICY_BEFORE_TOOL) & 1U << p->event))
		return "it is about another event";
	if (r->comments != p->comments)
		return "it decides nothing";
	if (r->never)
		return "no tool here has its annotations";
	if (r->server && !server_fits(r, t))
		return "it is about tools of another server";
	if (r->saved && is_projects_server(p, t))
		return "a project's server may have the name of one that was allowed";
	for (const char *const *pattern = r->tools; !any && *pattern; pattern++)
		any = tool_fits(r, str_from(*pattern), t);
	if (!any || (r->harmless && !t->harmless) || (r->commands && !t->command_arg) ||
	    (r->kinds && !(r->kinds & 1U << t->kind)))
		return "it is about other tools";
	if (r->agents && !(p->agent && word_in(str_from(p->agent), r->agents, WORDS_ALL)))
		return "it is about calls of a sub-agent";
	if (r->modes && !(r->modes & 1U << p->o.mode))
		return "it is of another mode";
	if (r->when == WHEN_INTERACTIVE && !p->o.interactive)
		return "it is for sessions at a terminal";
	if (r->when == WHEN_HEADLESS && p->o.interactive)
		return "it is for sessions without a terminal";
	return NULL;
}

static bool concerns(const struct policy *p, const struct rule *r, const struct policy_subject *t)
{
	return !policy_unconcerned(p, r, t);
}

static bool policy_has_conditions(const struct rule *r)
{
	return r->prefix || r->command || r->args || r->fits || rule_looks_at_call(r);
}

/* ---- conditions ---- */

/* The document with the keys of every object in order. */
static const struct json *sorted(struct arena *a, const struct json *v)
{
	if (json_is(v, J_ARR)) {
		const struct json **items = ARENA_ARRAY(a, const struct json *, v->n + 1);

		for (size_t i = 0; i < v->n; i++)
			items[i] = sorted(a, json_at(v, i));
		return json_new_arr(a, items, v->n);
	}
	if (!json_is(v, J_OBJ))
		return v;
	struct json_member *m = ARENA_ARRAY(a, struct json_member, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		size_t at = i;

		for (; at > 0 && str_cmp(v->members[i].key, m[at - 1].key) < 0; at--)
			m[at] = m[at - 1];
		m[at] = v->members[i];
		m[at].v = *sorted(a, &v->members[i].v);
	}
	return json_new_members(a, m, v->n);
}

static enum fit test(const struct regex *re, struct str s)
{
	enum regex_result r = regex_test(re, s, NULL);

	return r == REGEX_YES ? FIT_YES : r == REGEX_NO ? FIT_NO : FIT_MAYBE;
}

static enum fit more_of(enum fit a, enum fit b)
{
	return a > b ? a : b;
}

/* Does the policy know what this part runs? */
bool policy_part_is_clear(const struct sh_call *p)
{
	return !p->unknown && !p->assigned && p->n && !p->words[0].opaque;
}

static enum fit unclear_fits(const struct rule *r, const struct sh_call *p)
{
	if (r->decision == POLICY_ALLOW)
		return FIT_NO;
	return p->unknown || (p->n && p->words[0].opaque) ? FIT_MAYBE : FIT_NO;
}

/* The part as plain words, the program without its directory. */
static struct str plain_text(struct question *q)
{
	struct str s = sh_call_text(q->arena, q->part);

	return q->part->n
		       ? str_sub(s,
				 q->part->words[0].text.n - sh_file_name(q->part->words[0].text).n,
				 s.n)
		       : s;
}

static struct str part_source(struct question *q)
{
	return q->part->source.n ? q->part->source : sh_call_text(q->arena, q->part);
}

static enum fit command_fits(const struct rule *r, struct question *q)
{
	enum fit f;

	if (!q->part)
		return FIT_NO;
	if (r->decision == POLICY_ALLOW)
		return policy_part_is_clear(q->part) ? test(r->command, part_source(q)) : FIT_NO;
	f = more_of(test(r->command, part_source(q)), test(r->command, plain_text(q)));
	return more_of(f, unclear_fits(r, q->part));
}

static struct str args_with(struct question *q, struct str command)
{
	const struct json *v = json_set(q->arena, q->args, str_from(q->tool->command_arg),
					json_new_str(q->arena, command));

	return json_text(q->arena, sorted(q->arena, v), JSON_COMPACT);
}

static enum fit args_fit(const struct rule *r, struct question *q)
{
	enum fit f;

	if (!q->json.p)
		q->json = json_text(q->arena, sorted(q->arena, q->args), JSON_COMPACT);
	if (!q->part)
		return test(r->args, q->json);
	if (r->decision == POLICY_ALLOW)
		return policy_part_is_clear(q->part) ? test(r->args, args_with(q, part_source(q)))
						     : FIT_NO;
	f = more_of(test(r->args, q->json), test(r->args, args_with(q, part_source(q))));
	f = more_of(f, test(r->args, args_with(q, plain_text(q))));
	return more_of(f, unclear_fits(r, q->part));
}

/* Whole words: "ls" is the beginning of "ls -l", not of "lsof". */
static enum fit prefix_fits(const struct rule *r, const struct sh_call *p)
{
	bool allow = r->decision == POLICY_ALLOW;

	if (!p)
		return FIT_NO;
	if (!policy_part_is_clear(p) && (allow || p->unknown))
		return unclear_fits(r, p);
	for (size_t i = 0; i < r->nprefix; i++) {
		if (i >= p->n)
			return p->more ? FIT_MAYBE : FIT_NO;
		if (p->words[i].opaque)
			return FIT_MAYBE;
		if (str_eq(p->words[i].text, r->prefix[i].text))
			continue;
		/* /bin/rm is an rm when it is denied; when it is allowed it may be any program. */
		if (i > 0 || allow ||
		    !str_eq(sh_file_name(p->words[0].text), sh_file_name(r->prefix[0].text)))
			return FIT_NO;
	}
	return FIT_YES;
}

static enum fit safe_command_fits(struct question *q)
{
	return q->split && shell_is_safe(q->split) ? FIT_YES : FIT_NO;
}

static enum fit investigator_fits(struct question *q)
{
	struct str name = json_get_str(q->args, "agent_name");

	return str_eqz(name, "codebase_investigator") || str_eqz(name, "cli_help") ? FIT_YES
										   : FIT_NO;
}

/* Policies, settings, and what was approved; they may not exist yet. */
static bool is_own(const char *home, const char *path, const char *real)
{
	AUTO(free) char *mine = fs_join(home, path);
	AUTO(free) char *place = fs_resolve(mine);

	return !real || !place || path_below(place, real);
}

static enum fit own_file_fits(struct question *q)
{
	const unsigned holds = PLACE_SETTINGS | PLACE_POLICIES;
	const char *home = q->policy->o.home;
	struct str arg = q->tool->path_arg ? json_get_str(q->args, q->tool->path_arg) : STR("");

	if (!home || arg.n == 0 || memchr(arg.p, '\0', arg.n))
		return FIT_NO;
	AUTO(free) char *path = fs_absolute(q->policy->o.cwd, arena_z(q->arena, arg));
	AUTO(free) char *real = fs_resolve(path);
	for (const struct settings_place *p = NULL; (p = place_next(p, "gemini", holds));)
		if (p->root == ROOT_HOME && is_own(home, p->path, real))
			return FIT_YES;
	return is_own(home, ".trotline", real) ? FIT_YES : FIT_NO;
}

/* A Markdown file in the plans directory, links followed. */
static enum fit plan_file_fits(struct question *q)
{
	struct str arg = q->tool->path_arg ? json_get_str(q->args, q->tool->path_arg) : STR("");

	if (!q->policy->o.plans_dir || arg.n == 0 || memchr(arg.p, '\0', arg.n))
		return FIT_NO;
	AUTO(free) char *path = fs_absolute(q->policy->o.cwd, arena_z(q->arena, arg));
	struct str name = sh_file_name(str_from(path));
	/* The directory may not exist yet; the file may be a link elsewhere. */
	AUTO(free) char *plans = fs_resolve(q->policy->o.plans_dir), *real = fs_resolve(path);
	const char *in_dir = path_below(plans, real);

	return in_dir && str_eqz(name, in_dir) && name.n > 3 && str_ends(name, STR(".md")) ? FIT_YES
											   : FIT_NO;
}

enum fit policy_rule_fits(const struct rule *r, struct question *q)
{
	enum fit f = FIT_YES;

	if (r->prefix)
		f = prefix_fits(r, q->part);
	if (f != FIT_NO && r->command)
		f = command_fits(r, q);
	if (f != FIT_NO && r->args)
		f = args_fit(r, q);
	if (f != FIT_NO && r->fits)
		f = r->fits(q);
	if (f != FIT_NO && rule_looks_at_call(r)) {
		enum fit more = condition_fits(r, q);

		f = more < f ? more : f;
	}
	return f == FIT_MAYBE && r->decision == POLICY_ALLOW ? FIT_NO : f;
}

static enum fit rule_fits(const struct rule *r, struct question *q)
{
	return (r->models && q->typed) || !concerns(q->policy, r, q->tool) ? FIT_NO
									   : policy_rule_fits(r, q);
}

/* ---- decisions ---- */

struct verdict {
	enum policy_decision decision;
	const char *why; /* NULL = nothing to say */
	size_t rule; /* that decided; as many as there are = none */
};

static struct verdict default_verdict(const struct policy *p)
{
	return (struct verdict){ p->o.mode == MODE_YOLO ? POLICY_ALLOW : POLICY_ASK, NULL,
				 p->rules.n };
}

static struct verdict decide(struct question *q)
{
	const struct policy *p = q->policy;
	struct verdict v = default_verdict(p);
	bool redirection = p->o.mode == MODE_YOLO || p->o.mode == MODE_AUTO_EDIT, said = false;

	for (size_t i = 0; i < p->rules.n; i++) {
		const struct rule *r = &p->rules.p[i];
		enum fit f = said && r->decision != POLICY_DENY ? FIT_NO : rule_fits(r, q);

		if (f == FIT_NO)
			continue;
		v = (struct verdict){ r->decision, r->message, i };
		if (f == FIT_MAYBE && !v.why)
			v.why = "It cannot be told what this command runs, and a rule denies "
				"some commands.";
		redirection |= r->redirection;
		said = r->said;
		if (!said)
			break;
	}
	if (v.decision != POLICY_ALLOW || !q->part)
		return v;
	if (q->part->redirects && !redirection)
		v = (struct verdict){ POLICY_ASK,
				      "The command reads or writes files by redirection", v.rule };
	else if (p->o.mode != MODE_YOLO && shell_is_dangerous(q->part))
		v = (struct verdict){ POLICY_ASK, "The command is dangerous", v.rule };
	return v;
}

/* What each rule says of the question; `v` is what they decided. */
static void explain(struct question *q, const struct verdict *v, struct policy_answer *ret)
{
	const struct policy *p = q->policy;
	struct str source = q->part ? part_source(q) : STR("");

	ret->part = arena_str(q->arena, source);
	ret->decided = v->rule;
	for (size_t i = 0; i < ret->n; i++) {
		const struct rule *r = &p->rules.p[i];
		const char *why = policy_unconcerned(p, r, q->tool);

		if (!why && rule_fits(r, q) == FIT_NO)
			why = "its conditions do not fit the arguments";
		if (!why && i > v->rule)
			why = "a rule above it decides";
		if (!why && i < v->rule)
			why = "a denial counts more than what was allowed in a dialog";
		ret->rules[i] = policy_rule_get(p, i);
		ret->rules[i].why = why;
	}
}

/* Of a command every part, and the strictest answer. */
static struct verdict decide_call(struct question *q, struct policy_answer *ret)
{
	static const struct sh_call nothing = { .unknown = true };
	AUTO(sh_calls_done) struct sh_calls split = { .arena = q->arena };
	const struct sh_call *strictest = NULL;
	const char *command = q->tool->command_arg;
	struct verdict worst = { POLICY_ALLOW, NULL, 0 }, v;

	if (command) {
		policy_calls(&split, json_get_str(q->args, command));
		q->split = &split;
	}
	for (size_t i = 0; i == 0 || i < split.n; i++) {
		if (command)
			q->part = split.n ? &split.p[i] : &nothing;
		v = decide(q);
		if (i == 0 || v.decision > worst.decision) {
			worst = v;
			strictest = q->part;
		}
	}
	q->part = strictest;
	if (ret)
		explain(q, &worst, ret);
	return worst;
}

/* The decision and its reason, for a person or without one. */
static struct verdict check(struct question *q, struct policy_answer *ret, struct str *ret_why)
{
	const struct policy *p = q->policy;
	struct arena *a = q->arena;
	struct verdict v = decide_call(q, ret);
	struct str why = str_from(v.why);

	if (v.decision == POLICY_ASK && !p->o.interactive) {
		v.decision = POLICY_DENY;
		why = arena_printf(a,
				   "%s%sonfirmation by the user is needed, which is not "
				   "possible in non-interactive mode.",
				   v.why ? v.why : "", v.why ? "; c" : "C");
	}
	*ret_why = arena_str(a, why);
	return v;
}

static enum policy_decision checked(struct question *q, struct str *ret_why)
{
	struct str why;
	struct verdict v = check(q, NULL, &why);

	if (ret_why)
		*ret_why = v.decision == POLICY_DENY ? why : STR("");
	return v.decision;
}

enum policy_decision policy_check(const struct policy *p, struct policy_subject t,
				  const struct json *args, struct arena *a, struct str *ret_why)
{
	return checked(&(struct question){ .policy = p, .tool = &t, .args = args, .arena = a },
		       ret_why);
}

enum policy_decision policy_check_typed(const struct policy *p, struct policy_subject t,
					const struct json *args, struct arena *a,
					struct str *ret_why)
{
	return checked(&(struct question){ .policy = p,
					   .tool = &t,
					   .args = args,
					   .arena = a,
					   .typed = t.command_arg != NULL },
		       ret_why);
}

bool policy_allows_with(const struct policy *p, const struct rule *more, size_t n,
			const struct policy_subject *t, const struct json *args, struct arena *a)
{
	struct policy with = *p;
	struct question q = { .policy = &with, .tool = t, .args = args, .arena = a };
	enum policy_decision d;

	with.rules = (struct rules){ 0 };
	for (size_t i = 0; i < p->rules.n; i++)
		policy_add(&with, &p->rules.p[i]);
	for (size_t i = 0; i < n; i++)
		policy_add(&with, &more[i]);
	d = decide_call(&q, NULL).decision;
	free(with.rules.p);
	return d == POLICY_ALLOW;
}

void policy_explain(const struct policy *p, struct policy_subject t, const struct json *args,
		    struct arena *a, struct policy_answer *ret)
{
	struct question q = { .policy = p, .tool = &t, .args = args, .arena = a };

	*ret = (struct policy_answer){ .n = p->rules.n };
	ret->rules = ARENA_ARRAY(a, struct policy_rule, ret->n + 1);
	ret->decision = check(&q, ret, &ret->why).decision;
}

bool policy_would_ask(const struct policy *p, struct policy_subject t, const struct json *args,
		      struct arena *a)
{
	struct question q = { .policy = p, .tool = &t, .args = args, .arena = a };

	return decide_call(&q, NULL).decision == POLICY_ASK;
}

static bool hides(const struct policy *p, const struct policy_subject *t, bool can_ask)
{
	enum policy_decision d = default_verdict(p).decision;
	bool said = false;

	for (size_t i = 0; i < p->rules.n; i++) {
		const struct rule *r = &p->rules.p[i];
		bool denies = r->decision == POLICY_DENY || (r->decision == POLICY_ASK && !can_ask);

		if (!concerns(p, r, t) || (policy_has_conditions(r) && denies) ||
		    (said && r->decision != POLICY_DENY))
			continue;
		d = r->decision;
		said = r->said;
		if (!said)
			break;
	}
	return d == POLICY_DENY || (d == POLICY_ASK && !can_ask);
}

bool policy_hides(const struct policy *p, struct policy_subject t)
{
	return hides(p, &t, p->o.interactive);
}

bool policy_forbids(const struct policy *p, struct policy_subject t)
{
	return hides(p, &t, true);
}

bool policy_denies_server(const struct policy *p, const char *server)
{
	const struct policy_subject all = { .name = "", .mcp_server = server, .mcp_tool = "" };

	for (size_t i = 0; i < p->rules.n; i++) {
		const struct rule *r = &p->rules.p[i];

		if (r->server && !r->said &&
		    (!r->tools || word_in(STR("*"), r->tools, WORDS_ALL)) &&
		    !policy_has_conditions(r) && concerns(p, r, &all))
			return r->decision == POLICY_DENY;
	}
	return false;
}

void policy_set_agent(struct policy *p, const char *name)
{
	p->agent = name;
}

/* A rule that names an agent as if it were a tool. */
bool policy_denies_agent(const struct policy *p, const char *name)
{
	const struct policy_subject agent = { .name = name };

	for (size_t i = 0; i < p->rules.n; i++) {
		const struct rule *r = &p->rules.p[i];

		if (r->tools && !r->server && !r->said && !policy_has_conditions(r) &&
		    concerns(p, r, &agent))
			return r->decision == POLICY_DENY;
	}
	return false;
}

bool policy_name_fits(const char *pattern, struct policy_subject t)
{
	const struct rule all = { .decision = POLICY_ALLOW };

	return tool_fits(&all, str_from(pattern), &t);
}

/* ---- making ---- */

/* `given` is the option that named them, or NULL; a place in a file says enough. */
static int read_all(struct policy *p, const char *given, const char *const *paths,
		    enum tl_tier tier, struct err *err)
{
	int r = 0;

	for (; r >= 0 && paths && *paths; paths++)
		r = policy_read(p, *paths, tier, false, err);
	return r < 0 && given && !err->line ? err_wrap(err, "%s", given) : r;
}

static int read_places(struct policy *p, const struct policy_options *o, enum tl_tier tier,
		       struct err *err)
{
	const struct dirs dirs = { .home = o->home ? o->home : "",
				   .project = o->project ? o->project : "" };
	int r = 0;

	for (const struct settings_place *at = NULL;
	     r >= 0 && (at = place_next(at, NULL, PLACE_POLICIES));) {
		/* Ours are the engine's: it judges them for every host. */
		bool counts = at->tier == tier && !at->own && (o->trusted || !tiers[tier].foreign);
		const char *path = counts ? place_path(at, &dirs, &p->arena) : NULL;

		r = path ? policy_read(p, path, tier, true, err) : 0;
	}
	return r;
}

static const char *const *project_servers(struct policy *p, const struct json *settings)
{
	const struct json *v = json_pointer(settings, STR("/$project/mcpServers"));
	size_t n = json_is(v, J_OBJ) ? v->n : 0;
	const char **names = ARENA_ARRAY(&p->arena, const char *, n + 1);

	for (size_t i = 0; i < n; i++)
		names[i] = arena_z(&p->arena, v->members[i].key);
	return names;
}

struct policy *policy_new(const struct policy_options *o, struct err *err)
{
	AUTO(policy_free) struct policy *p = xcalloc(1, sizeof *p);
	int r;

	p->o = (struct policy_options){
		.mode = o->mode,
		.interactive = o->interactive,
		.cwd = arena_z(&p->arena, str_from(o->cwd ? o->cwd : "/")),
		.home = o->home ? arena_z(&p->arena, str_from(o->home)) : NULL,
		.plans_dir = o->plans_dir ? arena_z(&p->arena, str_from(o->plans_dir)) : NULL,
		.complain = o->complain,
		.mistake = o->mistake,
		.data = o->data,
	};
	p->project_servers = project_servers(p, o->settings);
	r = read_places(p, o, TL_TIER_SYSTEM, err);
	if (r >= 0)
		r = read_all(p, "--admin-policy", o->admin_policies, TL_TIER_SYSTEM, err);
	if (r >= 0)
		r = read_all(p, "--policy", o->policies, TL_TIER_USER, err);
	if (r >= 0)
		r = read_places(p, o, TL_TIER_USER, err);
	if (r >= 0)
		r = read_places(p, o, TL_TIER_PROJECT, err);
	if (r >= 0)
		r = read_all(p, NULL, o->extension_policies, TL_TIER_EXTENSION, err);
	if (r < 0 || policy_read_settings(p, o, err) < 0)
		return NULL;
	for (size_t i = 0; i < ARRAY_LEN(builtin); i++)
		policy_add(p, &builtin[i]);
	return MOVE(p);
}

void policy_free(struct policy *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->regexes.n; i++)
		regex_free(p->regexes.p[i]);
	free(p->regexes.p);
	free(p->rules.p);
	free(p->said.p);
	arena_done(&p->arena);
	free(p);
}
