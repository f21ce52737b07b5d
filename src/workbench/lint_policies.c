/*
 * Policy files: what cannot be read, with its place; rules about tools that do not exist; rules
 * that never decide, because another one comes before them.
 */
#include "agent/catalog/agent_defs.h"
#include "os/fs.h"
#include "settings/settings.h"
#include "workbench/lint.h"
#include "workbench/policy_setup.h"
#include "workbench/tool_names.h"

/* What the rules are held against. */
struct review {
	struct lint *l;
	struct policy *policy;
	struct tool_names names;
	const struct agents *agents; /* whom rules may name as if they were tools; NULL = unknown */
	struct policy_subject *tools; /* of the agent, its sub-agents and of servers */
	size_t ntools;
	const struct tl_hooks *hooks; /* for names of files; NULL = as they are */
};

static void complain(void *data, const char *text)
{
	lint_add(data, TL_SEVERITY_WARNING, "broken-policy", &(struct place){ 0 }, "%s", text);
}

static void report_error(struct lint *l, const char *file, const struct err *err)
{
	struct place at = { *err->file ? err->file : file, err->line, err->column, "" };

	if (*at.file)
		lint_add_file(l, at.file);
	lint_add(l, TL_SEVERITY_ERROR, "broken-policy", &at, "%s", err->text + err->sentence);
}

static void report_mistake(void *data, const struct err *err)
{
	report_error(data, "", err);
}

/* ---- which tools ---- */

/* The pattern with something for each star. */
static const char *sample(struct arena *a, const char *pattern)
{
	char *s = arena_z(a, str_from(pattern));

	for (char *c = s; *c; c++)
		if (*c == '*')
			*c = 'x';
	return s;
}

/* What only this rule is about: tools of servers, whose names are not known. */
static struct policy_subject *tools_of_rule(struct review *r, const struct policy_rule *rule,
					    size_t *ret_n)
{
	struct arena *a = &r->l->arena;
	struct policy_subject *list;
	size_t n = 0;

	while (rule->tools && rule->tools[n])
		n++;
	list = ARENA_ARRAY(a, struct policy_subject, r->ntools + n + 1);
	memcpy(list, r->tools, r->ntools * sizeof *list);
	*ret_n = r->ntools;
	for (size_t i = 0; i < n || (i == 0 && rule->server); i++) {
		const char *name = i < n ? sample(a, rule->tools[i]) : "x";
		const char *server = rule->server ? sample(a, rule->server) : NULL;

		if (server || str_starts(str_from(name), STR("mcp_")))
			list[(*ret_n)++] = (struct policy_subject){
				.name = name, .mcp_server = server, .mcp_tool = server ? name : NULL
			};
	}
	return list;
}

/* ---- names ---- */

/* Returns whether every name of the rule is unknown. */
static bool check_names(struct review *r, const struct policy_rule *rule, const struct place *at)
{
	bool restricts = rule->decision != POLICY_ALLOW;
	size_t unknown = 0, n = 0;

	if (rule->server && r->l->servers && strcmp(rule->server, "*") != 0 &&
	    !json_getz(r->l->servers, rule->server))
		lint_add(r->l, TL_SEVERITY_WARNING, "unknown-server", at, "no MCP server \"%s\"%s",
			 rule->server, lint_near_server(r->l, str_from(rule->server)));
	for (; rule->tools && rule->tools[n] && !rule->server; n++) {
		struct str name = str_from(rule->tools[n]);
		const char *meant;

		if (str_chr(name, '*', 0) >= 0 || tool_is_called(&r->names, name) ||
		    (r->agents && agent_find(r->agents, name)))
			continue;
		meant = tool_meant(&r->names, name);
		/* Of one file alone it is not known which sub-agents there are. */
		if (!meant && !r->agents)
			return false;
		unknown++;
		lint_add(r->l, meant && restricts ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING,
			 "unknown-tool", at, "no tool \"%s\"%s", rule->tools[n],
			 meant_as("", meant).text);
	}
	return n > 0 && unknown == n;
}

/* ---- rules ---- */

/* The rules i..end are one of the file: one each prefix of a command. */
static void check_rule(struct review *r, size_t i, size_t end)
{
	struct policy_rule rule = policy_rule_get(r->policy, i), by;
	struct place at = { rule.file, rule.line, rule.column, "" };
	enum policy_use use = RULE_USED;
	size_t n, above = SIZE_MAX;
	struct policy_subject *tools;

	if (check_names(r, &rule, &at))
		return;
	tools = tools_of_rule(r, &rule, &n);
	for (; i < end; i++) {
		use = policy_rule_use(r->policy, i, tools, n, &above);
		if (use == RULE_USED)
			return;
	}
	if (use == RULE_NEVER_FITS) {
		lint_add(r->l, TL_SEVERITY_WARNING, "never-matches", &at,
			 "this rule fits no tool, in no mode");
		return;
	}
	by = policy_rule_get(r->policy, above);
	lint_add(r->l, TL_SEVERITY_WARNING, "shadowed-rule", &at,
		 "this rule (%s) never decides: %s (%s, priority %d.%03d) comes before it",
		 policy_decision_name(rule.decision), rule_place(r->hooks, &by, &r->l->arena),
		 policy_decision_name(by.decision), by.priority / 1000, by.priority % 1000);
}

static void review_rules(struct lint *l, struct policy *policy, const struct agents *agents,
			 const struct tl_hooks *hooks)
{
	struct review r = { .l = l, .policy = policy, .agents = agents, .hooks = hooks };
	const struct toolbox *box;
	size_t nservers;
	size_t nagents;

	tool_names_init(&r.names);
	box = r.names.tools;
	nservers = r.l->servers ? r.l->servers->n : 0;
	nagents = r.agents ? r.agents->n : 0;
	r.tools = ARENA_ARRAY(&r.l->arena, struct policy_subject, box->n + nservers + nagents + 1);
	for (size_t i = 0; i < box->n; i++)
		r.tools[r.ntools++] = tool_subject(box->p[i]);
	for (size_t i = 0; i < nservers; i++)
		r.tools[r.ntools++] = (struct policy_subject){
			.name = "mcp",
			.mcp_server = arena_z(&r.l->arena, r.l->servers->members[i].key),
			.mcp_tool = ""
		};
	for (size_t i = 0; i < nagents; i++)
		r.tools[r.ntools++] = (struct policy_subject){ .name = r.agents->p[i].name };
	for (size_t i = 0, end; i < policy_rule_count(policy); i = end) {
		struct policy_rule rule = policy_rule_get(policy, i), next;

		for (end = i + 1; end < policy_rule_count(policy); end++) {
			next = policy_rule_get(policy, end);
			if (!rule.file || !next.file || strcmp(rule.file, next.file) != 0 ||
			    rule.line != next.line || rule.column != next.column)
				break;
		}
		if (rule.file)
			check_rule(&r, i, end);
	}
	tool_names_done(&r.names);
}

/* ---- files ---- */

/* True when the file can be used by itself. */
static bool try_file(struct lint *l, const char *file)
{
	const char *const one[] = { file, NULL };
	const struct policy_options o = { .policies = one, .mistake = report_mistake, .data = l };
	struct err err;
	size_t before = l->found.n;
	struct policy *p;

	lint_add_file(l, file);
	p = policy_new(&o, &err);
	/* What is no TOML, or cannot be read, is the one mistake. */
	if (!p && l->found.n == before)
		report_error(l, file, &err);
	policy_free(p);
	return p != NULL;
}

/* The agent's own policy is looked at as a whole, a file of the engine's by itself. */
static bool try_dir(struct lint *l, const char *dir, bool own)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	bool ok = true;
	struct err err;

	if (!fs_exists(dir))
		return true;
	if (fs_list(dir, &names, &err) < 0) {
		report_error(l, dir, &err);
		return false;
	}
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *file = fs_join(dir, names.p[i]);

		if (str_ends(str_from(names.p[i]), STR(".toml")) && own)
			lint_policy_file(l, file);
		else if (str_ends(str_from(names.p[i]), STR(".toml")))
			ok &= try_file(l, file);
	}
	return ok;
}

void lint_policy_file(struct lint *l, const char *file)
{
	const char *const one[] = { file, NULL };
	struct err err;
	struct policy *p;

	if (!try_file(l, file))
		return;
	p = policy_new(&(struct policy_options){ .policies = one }, &err);
	review_rules(l, p, NULL, NULL);
	policy_free(p);
}

void lint_policies(struct lint *l, const char *const *dirs)
{
	struct err err;
	struct policy_options o = { .extension_policies = dirs, .complain = complain, .data = l };
	struct policy *p = policy_new(&o, &err);

	if (!p)
		lint_add(l, TL_SEVERITY_ERROR, "unusable", &(struct place){ 0 }, "%s", err.text);
	policy_free(p);
}

void lint_all_policies(struct lint *l, const struct tl_hooks *hooks)
{
	struct policy_setup setup = {
		.hooks = hooks, .trusted = !l->no_project, .complain = complain, .data = l
	};
	bool ok = true;
	struct policy *p;
	struct err err;

	for (const struct settings_place *at = NULL; (at = place_next(at, NULL, PLACE_POLICIES));) {
		struct dirs dirs = hooks_dirs(hooks, NULL);
		const char *path =
			lint_leaves_out(l, at->tier) ? NULL : place_path(at, &dirs, &l->arena);

		ok &= !path || try_dir(l, path, at->own);
	}
	if (!ok)
		return;
	p = policy_setup(&setup, &l->arena, &err);
	if (!p) {
		report_error(l, "", &err);
		return;
	}
	review_rules(l, p, setup.agents, hooks);
	policy_free(p);
}
