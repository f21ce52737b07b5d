/* Rules from settings and options. */
#include "policy/impl.h"

/* NAME or NAME(BEGINNING OF A COMMAND) */
static int add_entry(struct policy *p, const char *list, struct rule rule, struct str entry,
		     struct err *err)
{
	struct str s = str_trim(entry);
	ptrdiff_t open = str_chr(s, '(', 0);

	if (open >= 0 && str_ends(s, STR(")"))) {
		struct str args = str_trim(str_sub(s, (size_t)open + 1, s.n - 1));

		s = str_trim(str_sub(s, 0, (size_t)open));
		if (!policy_is_shell(s))
			return err_set(err, E_CONFIG,
				       "%s: \"%.*s\": only run_shell_command takes the beginning "
				       "of a command in parentheses",
				       list, STR_ARG(entry));
		if (!str_eqz(args, "*") && !shell_prefix(&p->arena, arena_str(&p->arena, args),
							 &rule.prefix, &rule.nprefix))
			return err_set(err, E_CONFIG,
				       "%s: \"%.*s\": the parentheses must hold the "
				       "beginning of one simple command",
				       list, STR_ARG(entry));
	}
	if (s.n == 0 || memchr(s.p, '\0', s.n) || str_chr(s, '(', 0) >= 0)
		return err_set(err, E_CONFIG, "%s: \"%.*s\" is not the name of a tool", list,
			       STR_ARG(entry));
	rule.tools = policy_names(p, s);
	rule.from = list;
	policy_add(p, &rule);
	return 0;
}

static int add_server(struct policy *p, const char *list, struct rule rule, struct str name,
		      struct err *err)
{
	if (name.n == 0 || memchr(name.p, '\0', name.n))
		return err_set(err, E_CONFIG, "%s: the name of a server is expected", list);
	rule.server = arena_z(&p->arena, name);
	rule.from = list;
	policy_add(p, &rule);
	return 0;
}

static const struct {
	const char *name; /* for messages */
	struct str pointer;
	bool servers;
	int priority;
	enum policy_decision decision;
	int others; /* the priority at which all others are denied, where the list has entries */
} lists[] = {
	{ "mcp.excluded", STR("/mcp/excluded"), true, 4900, POLICY_DENY },
	{ "tools.exclude", STR("/tools/exclude"), false, 4400, POLICY_DENY },
	{ "tools.confirmationRequired", STR("/tools/confirmationRequired"), false, 4350,
	  POLICY_ASK },
	{ "tools.allowed", STR("/tools/allowed"), false, 4300, POLICY_ALLOW },
	{ "tools.core", STR("/tools/core"), false, 4250, POLICY_ALLOW, 4240 },
	{ "mcp.allowed", STR("/mcp/allowed"), true, 4100, POLICY_ALLOW },
	/* What a project allows itself (settings/project_rules.h) counts less than the user's word.
	 */
	{ "tools.allowed", STR("/$project/tools/allowed"), false, 3300, POLICY_ALLOW },
	{ "tools.core", STR("/$project/tools/core"), false, 3250, POLICY_ALLOW, 3240 },
};
enum { ALLOWED_SERVERS = 4100, TRUSTED_SERVER = 4200, ALLOWED_TOOLS = 4300 };

/* A server that a project defines has only its name from what the user allows. */
static bool is_projects(const struct json *settings, struct str server)
{
	return json_get(json_pointer(settings, STR("/$project/mcpServers")), server);
}

static int read_list(struct policy *p, size_t k, const struct json *settings, struct err *err)
{
	const struct json *v = json_pointer(settings, lists[k].pointer);
	struct rule rule = { .priority = lists[k].priority, .decision = lists[k].decision };
	int r = 0;

	if (!v || v->type == J_NULL)
		return 0;
	if (v->type != J_ARR)
		return err_set(err, E_CONFIG, "%s must be an array of strings, not %s",
			       lists[k].name, json_what(v));
	for (size_t i = 0; r >= 0 && i < v->n; i++) {
		const struct json *item = json_at(v, i);

		if (!json_is(item, J_STR))
			return err_set(err, E_CONFIG,
				       "%s must be an array of strings, but one is %s",
				       lists[k].name, json_what(item));
		if (lists[k].servers && rule.decision == POLICY_ALLOW &&
		    is_projects(settings, json_str(item, STR(""))))
			continue;
		r = (lists[k].servers ? add_server : add_entry)(p, lists[k].name, rule,
								json_str(item, STR("")), err);
	}
	if (lists[k].others && v->n)
		policy_add(p, &(struct rule){ .priority = lists[k].others,
					      .decision = POLICY_DENY,
					      .from = lists[k].name });
	return r;
}

/* A comma separates two entries, outside of parentheses. */
static int read_allowed(struct policy *p, struct str text, struct err *err)
{
	struct rule rule = { .priority = ALLOWED_TOOLS, .decision = POLICY_ALLOW };
	size_t from = 0;
	int depth = 0, r = 0;

	for (size_t i = 0; r >= 0 && i <= text.n; i++) {
		char c = i < text.n ? text.p[i] : ',';

		depth += (c == '(') - (c == ')');
		if (i < text.n && (c != ',' || depth > 0))
			continue;
		if (str_trim(str_sub(text, from, i)).n)
			r = add_entry(p, "--allowed-tools", rule, str_sub(text, from, i), err);
		from = i + 1;
	}
	return r;
}

int policy_read_settings(struct policy *p, const struct policy_options *o, struct err *err)
{
	const struct json *servers = json_getz(o->settings, "mcpServers");
	int r = 0;

	for (size_t i = 0; r >= 0 && i < ARRAY_LEN(lists); i++)
		r = read_list(p, i, o->settings, err);
	for (const char *const *s = o->allowed; r >= 0 && s && *s; s++)
		r = read_allowed(p, str_from(*s), err);
	for (const char *const *s = o->servers; r >= 0 && s && *s; s++)
		if (!is_projects(o->settings, str_from(*s)))
			r = add_server(p, "--allowed-mcp-server-names",
				       (struct rule){ .priority = ALLOWED_SERVERS,
						      .decision = POLICY_ALLOW },
				       str_from(*s), err);
	for (size_t i = 0; r >= 0 && json_is(servers, J_OBJ) && i < servers->n; i++)
		if (json_is_true(json_getz(&servers->members[i].v, "trust")) &&
		    !str_eqz(servers->members[i].key, "*"))
			r = add_server(p, "mcpServers",
				       (struct rule){ .priority = TRUSTED_SERVER,
						      .decision = POLICY_ALLOW },
				       servers->members[i].key, err);
	return r;
}
