/* Walking through another agent's settings, and planning what Gemini's get. */
#include "workbench/migrate.h"

#include "base/json_pack.h"
#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"
#include "settings/project_rules.h"
#include "shell/calls.h"

enum { LONG_MS = 1000 * 1000, SCRIPT_MAX_BYTES = 1 << 20 };

/* The file that is read. */
struct reader {
	struct migration *m;
	const char *file;
	struct str text;
	const struct json *env; /* that the file gives to its hooks, or NULL */
};

/* Does Gemini CLI know the event?  Another one stays Claude's in our file, also in its unit. */
static bool is_geminis(const char *event)
{
	return dialect_event_find(&dialects[DIALECT_GEMINI], str_from(event)) != NULL;
}

void migration_done(struct migration *m)
{
	for (size_t i = 0; i < m->items.n; i++)
		free(m->items.p[i].remarks.p);
	for (size_t i = 0; i < m->rules.n; i++)
		free(m->rules.p[i].it.remarks.p);
	free(m->rules.p);
	free(m->settings.p);
	free(m->items.p);
	free(m->groups.p);
	free(m->moved.p);
	free(m->remarks.p);
	free(m->disabled.p);
	arena_done(&m->arena);
}

static void remark_add(struct remarks *list, const struct reader *r, size_t pos, const char *text)
{
	struct json_where at = json_locate(r->text, pos);

	*VEC_ADD(list) = (struct remark){ r->file, at.line, at.column, text };
}

/* ---- one hook ---- */

static void lose(struct reader *r, struct migrated *it, size_t pos, const char *text)
{
	remark_add(&it->remarks, r, pos, text);
	if (it->status == MIGRATED)
		it->status = MIGRATED_WITH_LOSS;
}

static void leave_out(struct reader *r, struct migrated *it, size_t pos, const char *text)
{
	remark_add(&it->remarks, r, pos, text);
	it->status = NOT_MIGRATED;
}

/* Milliseconds; 0 = none is to be written. */
static double timeout_of(struct reader *r, struct migrated *it, const struct json *hook)
{
	const struct dialect *d = r->m->from->dialect;
	const struct dialect_event *e = dialect_event_find(d, str_from(it->event));
	const struct json *t = json_getz(hook, "timeout");
	int64_t whole;
	double value = json_num(t, 0);

	if (json_is(t, J_STR) && str_to_int(str_trim(json_str(t, STR(""))), &whole))
		value = (double)whole;
	if (t && value > 0 && !is_geminis(it->to))
		return value;
	if (t && value > 0) {
		value *= d->timeout_unit_ms;
		/* The unit is the dialect's, whatever the number looks like (C6.7). */
		if (value >= LONG_MS && d->timeout_unit_ms > 1)
			remark_add(&it->remarks, r, t->pos,
				   arena_printf(&r->m->arena,
						"%.15g seconds is long: \"timeout\" is in seconds "
						"there",
						value / 1000)
					   .p);
		return value;
	}
	if (t)
		lose(r, it, t->pos, "the timeout is not a positive number; left out");
	/* Gemini CLI's own default need not be written. */
	return d->timeout_ms == dialects[DIALECT_GEMINI].timeout_ms || !is_geminis(it->to) ? 0
	       : e && e->timeout_ms ? e->timeout_ms
				    : d->timeout_ms;
}

/* Members of a hook that Gemini does not know, and what becomes of them. */
static void check_members(struct reader *r, struct migrated *it, const struct json *hook)
{
	static const char *const same[] = { "type", "command", "timeout", "args", "shell" };
	static const char *const family[] = { "name", "description", "env" };
	static const struct {
		const char *name, *text;
	} claudes[] = {
		{ "async", "\"async\": the agent did not wait for it; here it waits, and the hook "
			   "only observes" },
		{ "asyncRewake", "\"asyncRewake\": the agent did not wait for it; here it waits, "
				 "and the hook only observes" },
		{ "once", "\"once\" has no counterpart" },
		{ "statusMessage", "\"statusMessage\" has no counterpart" },
	};
	bool claude = r->m->from->dialect->claude_keys;

	for (size_t i = 0; i < hook->n; i++) {
		const struct json_member *m = &hook->members[i];
		const char *text = NULL;

		if (json_is_false(&m->v) || WORD_IN(m->key, same) ||
		    (claude ? str_eqz(m->key, "if") : WORD_IN(m->key, family)))
			continue;
		for (size_t k = 0; claude && k < ARRAY_LEN(claudes); k++)
			if (str_eqz(m->key, claudes[k].name))
				text = claudes[k].text;
		lose(r, it, m->pos,
		     text ? text
			  : arena_printf(&r->m->arena, "\"%.*s\" was left out", STR_ARG(m->key)).p);
	}
}

/* True when the hook is a command that a POSIX shell or the system can run. */
static bool check_kind(struct reader *r, struct migrated *it, const struct json *hook)
{
	struct str type = json_str(json_getz(hook, "type"), STR("command"));
	const struct json *args = json_getz(hook, "args");
	bool bad_args = args && !json_is(args, J_ARR);

	for (size_t i = 0; json_is(args, J_ARR) && i < args->n; i++)
		bad_args |= !json_is(json_at(args, i), J_STR);
	if (!json_is(hook, J_OBJ))
		leave_out(r, it, hook->pos, "a hook must be an object");
	else if (!str_eqz(type, "command"))
		leave_out(r, it, json_getz(hook, "type")->pos,
			  arena_printf(&r->m->arena,
				       "hooks of type \"%.*s\" are not supported, only commands",
				       STR_ARG(type))
				  .p);
	else if (str_trim(str_from(it->command)).n == 0)
		leave_out(r, it, hook->pos, "the hook has no command");
	else if (bad_args)
		leave_out(r, it, args->pos, "args must be a list of strings");
	else if (str_eqz(json_get_str(hook, "shell"), "powershell"))
		leave_out(r, it, hook->pos, "commands are run by bash or sh here, not PowerShell");
	return it->status != NOT_MIGRATED;
}

/* ---- the script ---- */

/*
 * What scripts for Claude say that Gemini CLI does not understand.  The hook's "dialect" makes them
 * work in trotline, where only the transcript differs.
 */
static const struct {
	const char *word, *text;
	bool lost;
} claude_words[] = {
	{ "permissionDecision",
	  "Gemini CLI does not know permissionDecision, which denies nothing there: print "
	  "{\"decision\": \"deny\", \"reason\": ...}",
	  false },
	{ "updatedInput",
	  "Gemini CLI does not know updatedInput: print hookSpecificOutput.tool_input", false },
	{ "updatedToolOutput", "Gemini CLI does not know updatedToolOutput", false },
	{ "tool_input",
	  "Gemini CLI has other names for tools and some arguments than Claude: Bash is "
	  "run_shell_command, file_path may be relative",
	  false },
	{ "transcript_path", "the transcript has another format here", true },
};

static void scan_script(struct reader *r, struct migrated *it, const char *path)
{
	struct arena *a = &r->m->arena;
	AUTO(buf_done) struct buf text = { 0 };

	if (fs_read(path, SCRIPT_MAX_BYTES, &text, NULL) < 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(claude_words); i++) {
		ptrdiff_t at = str_find(buf_str(&text), str_from(claude_words[i].word), 0);
		struct json_where where;

		if (at < 0)
			continue;
		where = json_locate(buf_str(&text), (size_t)at);
		*VEC_ADD(&it->remarks) = (struct remark){ arena_z(a, str_from(path)), where.line,
							  where.column, claude_words[i].text };
		if (claude_words[i].lost && it->status == MIGRATED)
			it->status = MIGRATED_WITH_LOSS;
	}
}

static enum sh_known project_variable(void *data, struct str name, struct str *ret)
{
	*ret = str_from(data);
	return str_ends(name, STR("_PROJECT_DIR")) ? SH_KNOWN : SH_UNKNOWN;
}

/* Each word of the command may be a file of the project. */
static void scan_scripts(struct reader *r, struct migrated *it, struct str command)
{
	const struct sh_values values = { project_variable, NULL, (char *)r->m->project, false };
	AUTO(sh_calls_done) struct sh_calls s = { .arena = &r->m->arena, .values = &values };

	sh_calls_read(&s, command);
	for (size_t i = 0; i < s.n; i++)
		for (size_t k = 0; k < s.p[i].n && !s.p[i].by; k++) {
			struct str word = s.p[i].words[k].text;

			if (s.p[i].words[k].opaque || str_chr(word, '.', 0) < 0)
				continue;
			AUTO(free) char *path =
				fs_absolute(r->m->project, arena_z(&r->m->arena, word));
			scan_script(r, it, path);
		}
}

/* ---- making the hook ---- */

static const struct json *make_hook(struct reader *r, struct migrated *it, const struct json *hook)
{
	static const char *const kept[] = { "description", "env" };
	struct arena *a = &r->m->arena;
	const struct agent *from = r->m->from;
	bool claude = from->dialect->claude_keys;
	/* The fork's Stop has no such moment here; other scripts go on to speak as they did. */
	bool idle = from->at_home && strcmp(it->event, "Stop") == 0;
	const struct json *args = json_getz(hook, "args"), *h = json_new_obj(a);
	struct texts losses = { 0 };
	struct str command = str_from(it->command);
	double timeout = timeout_of(r, it, hook);

	if (json_is(args, J_ARR) && claude)
		command = command_quote(a, command, args);
	if (claude)
		scan_scripts(r, it, command);
	command = command_translate(a, from, command, &losses);
	for (size_t i = 0; i < losses.n; i++)
		lose(r, it, json_getz(hook, "command")->pos, losses.p[i]);
	if (json_getz(hook, "name") && !claude)
		h = json_set(a, h, STR("name"), json_dup(a, json_getz(hook, "name")));
	h = json_pack_more(a, h, "type:z command:s", "command", command);
	if (timeout > 0)
		h = json_set(a, h, STR("timeout"), json_new_num(a, timeout));
	if (claude && json_getz(hook, "if"))
		h = json_set(a, h, STR("if"), json_dup(a, json_getz(hook, "if")));
	for (size_t i = 0; i < ARRAY_LEN(kept) && !claude; i++)
		if (json_getz(hook, kept[i]))
			h = json_set(a, h, str_from(kept[i]),
				     json_dup(a, json_getz(hook, kept[i])));
	if (r->env)
		h = json_set(a, h, STR("env"), json_dup(a, r->env));
	if (idle || json_is_true(json_getz(hook, "async")) ||
	    json_is_true(json_getz(hook, "asyncRewake")))
		h = json_pack_more(a, h, "mode:z", "observe");
	if (strcmp(it->to, "BeforeTool") == 0 && from->dialect->before_tool_failure == FAIL_DENY)
		h = json_pack_more(a, h, "onFailure:z", "deny");
	return idle ? h : json_pack_more(a, h, "dialect:z", from->name);
}

/* ---- definitions ---- */

/* A definition, and what its hooks share. */
struct definition {
	struct str event; /* as its file calls it */
	const struct agent_event *as; /* NULL = an unknown event */
	const struct json *matcher;
	struct matchers matchers;
	struct texts losses;
};

/* One hook of a definition; NULL when it is left out. */
static const struct json *read_hook(struct reader *r, const struct definition *d,
				    const struct json *hook)
{
	struct migrated *it = VEC_ADD(&r->m->items);
	const struct json *rule = json_getz(hook, "if");
	size_t pos = d->matcher ? d->matcher->pos : hook->pos;

	*it = (struct migrated){
		.file = r->file,
		.at = json_locate(r->text, hook->pos),
		.event = arena_z(&r->m->arena, d->event),
		.matcher = json_str(d->matcher, STR("")),
		.command = arena_z(&r->m->arena, json_get_str(hook, "command")),
		.to = d->as && d->as->to ? d->as->to->name : NULL,
	};
	if (!it->to) {
		leave_out(r, it, hook->pos, d->as ? d->as->loss : "unknown event");
		return NULL;
	}
	if (!check_kind(r, it, hook))
		return NULL;
	for (size_t i = 0; i < d->losses.n; i++)
		lose(r, it, pos, d->losses.p[i]);
	if (d->matchers.n == 0)
		leave_out(r, it, pos, "nothing is left that the matcher could match");
	if (d->as->loss)
		lose(r, it, hook->pos, d->as->loss);
	check_members(r, it, hook);
	if (!is_geminis(it->to))
		remark_add(&it->remarks, r, hook->pos,
			   arena_printf(&r->m->arena,
					"Gemini CLI does not know %s and passes the hook over",
					it->to)
				   .p);
	/* The rule is of the dialect that the migrated hook speaks. */
	if (rule && r->m->from->dialect->claude_keys && !json_is(rule, J_STR))
		leave_out(r, it, rule->pos, "\"if\" must be a rule as text, \"Bash(git *)\"");
	else if (rule && r->m->from->dialect->claude_keys)
		remark_add(&it->remarks, r, rule->pos,
			   "Gemini CLI does not know \"if\": there the hook runs for every call "
			   "that the matcher allows");
	return it->status == NOT_MIGRATED ? NULL : make_hook(r, it, hook);
}

/* True when all of it was translated. */
static bool read_definition(struct reader *r, const struct agent_event *as, struct str event,
			    const struct json *v)
{
	struct migration *m = r->m;
	const struct json *list = json_getz(v, "hooks");
	struct definition d = { .event = event, .as = as, .matcher = json_getz(v, "matcher") };
	struct str matcher = json_str(d.matcher, STR(""));
	const struct json **hooks;
	size_t *items, n = 0;

	if (!json_is(list, J_ARR)) {
		remark_add(&m->remarks, r, v->pos,
			   "a definition must be an object with an array \"hooks\"; left out");
		return false;
	}
	if (d.matcher && !json_is(d.matcher, J_STR))
		migrated_add(&d.losses, "a matcher must be a string; this one was taken for all");
	/* Where the event stays Claude's, its names do. */
	if (as && as->to && !is_geminis(as->to->name))
		d.matchers = (struct matchers){
			.n = 1,
			.p = { matcher.n ? arena_z(&m->arena, matcher) : NULL },
		};
	else if (as && as->to)
		d.matchers = matcher_translate(&m->arena, m->from, as->to, matcher, &d.losses);
	hooks = ARENA_ARRAY(&m->arena, const struct json *, list->n + 1);
	items = ARENA_ARRAY(&m->arena, size_t, list->n + 1);
	for (size_t i = 0; i < list->n; i++) {
		hooks[n] = read_hook(r, &d, json_at(list, i));
		if (hooks[n])
			items[n++] = m->items.n - 1;
	}
	for (size_t i = 0; n && i < d.matchers.n; i++)
		*VEC_ADD(&m->groups) = (struct group){
			.event = as->to->name,
			.matcher = d.matchers.p[i],
			.sequential = json_is_true(json_getz(v, "sequential")),
			.hooks = hooks,
			.items = items,
			.n = n,
		};
	return n == list->n;
}

static void read_event(struct reader *r, const struct json_member *member)
{
	struct migration *m = r->m;
	struct agent_event event;
	bool known = agent_event_find(m->from, member->key, &event);
	const struct json *defs = &member->v;

	/* The file holds Gemini's events, too. */
	if (m->from->at_home &&
	    (!known || dialect_event_find(&dialects[DIALECT_GEMINI], member->key)))
		return;
	if (!json_is(defs, J_ARR)) {
		remark_add(&m->remarks, r, member->pos,
			   "an event must be a list of definitions; left out");
		return;
	}
	m->events += defs->n > 0;
	for (size_t i = 0; i < defs->n; i++)
		if (read_definition(r, known ? &event : NULL, member->key, json_at(defs, i)))
			*VEC_ADD(&m->moved) = (struct moved){ member->key, i };
}

/* ---- the file ---- */

/* ---- permissions ---- */

static void read_rule(struct reader *r, const struct claude_list *list, const struct json *v)
{
	struct migrated_rule *rule = VEC_ADD(&r->m->rules);

	*rule = (struct migrated_rule){
		.it = { .file = r->file,
			.at = json_locate(r->text, v->pos),
			.event = arena_printf(&r->m->arena, "permissions.%s", list->key).p,
			.matcher = str_trim(json_str(v, STR(""))),
			.command = "",
			.to = rule_file(list->strict) },
		.list = list,
	};
	rule_translate(r->m, rule);
	if (rule->left_out) {
		rule->it.to = NULL;
		leave_out(r, &rule->it, v->pos, rule->left_out);
	} else if (rule->loss) {
		lose(r, &rule->it, v->pos, rule->loss);
	}
}

/* Where the complaints about modes and directories go. */
struct complaints {
	struct reader *r;
	size_t pos;
};

static void add_complaint(void *data, const char *text)
{
	struct complaints *c = data;

	text += strspn(text, ": "); /* the place is the remark's */
	remark_add(&c->r->m->remarks, c->r, c->pos, arena_printf(&c->r->m->arena, "%s", text).p);
}

static void read_permissions(struct reader *r, const struct json *doc, const struct json *v)
{
	struct migration *m = r->m;
	struct complaints complaints = { r, v->pos };
	const struct settings_dirs dirs = { .dirs = { .project = m->project, .home = m->home },
					    .complain = add_complaint,
					    .data = &complaints };

	if (!json_is(v, J_OBJ)) {
		remark_add(&m->remarks, r, v->pos, "permissions are an object of lists; left out");
		return;
	}
	for (size_t i = 0; i < CLAUDE_LISTS; i++) {
		const struct json *list = json_getz(v, claude_lists[i].key);

		if (list && !json_is(list, J_ARR))
			remark_add(&m->remarks, r, list->pos, "expected a list of rules; left out");
		for (size_t k = 0; json_is(list, J_ARR) && k < list->n; k++)
			read_rule(r, &claude_lists[i], json_at(list, k));
	}
	*VEC_ADD(&m->settings) =
		settings_of_claude(&m->arena, &dirs, "", m->before, doc, tier_of_scope(m->user));
}

/* What governs all hooks of the file. */
static void read_switches(struct reader *r, const struct json *doc)
{
	static const char *const off[] = { "/hooksConfig/enabled", "/hooks/enabled",
					   "/tools/enableHooks" };
	static const char *const lists[] = { "/hooksConfig/disabled", "/hooks/disabled" };
	const struct dialect *d = r->m->from->dialect;
	bool claude = d->claude_keys;
	const struct json *v = d->off_key ? json_getz(doc, d->off_key) : NULL;

	if (json_is_true(v))
		remark_add(&r->m->remarks, r, v->pos,
			   "all hooks are switched off there (disableAllHooks); the migrated ones "
			   "run");
	v = d->env_key ? json_getz(doc, d->env_key) : NULL;
	if (json_is(v, J_OBJ) && v->n) {
		/* The members that are texts, as variables are. */
		for (size_t i = 0; i < v->n; i++)
			if (json_is(&v->members[i].v, J_STR))
				r->env = json_set(&r->m->arena, r->env, v->members[i].key,
						  &v->members[i].v);
		remark_add(&r->m->remarks, r, v->pos,
			   "each hook gets the variables of \"env\"; tools and MCP servers do not");
	}
	v = d->permissions_key ? json_getz(doc, d->permissions_key) : NULL;
	if (v)
		read_permissions(r, doc, v);
	/* Switches of Gemini's own file stay where they are. */
	if (claude || r->m->from->at_home)
		return;
	for (size_t i = 0; i < ARRAY_LEN(off); i++) {
		v = json_pointer(doc, str_from(off[i]));
		if (json_is_false(v))
			remark_add(&r->m->remarks, r, v->pos,
				   "all hooks are switched off there; the migrated ones run");
	}
	for (size_t i = 0; i < ARRAY_LEN(lists); i++) {
		v = json_pointer(doc, str_from(lists[i]));
		for (size_t k = 0; json_is(v, J_ARR) && k < v->n; k++)
			if (json_is(json_at(v, k), J_STR))
				*VEC_ADD(&r->m->disabled) = json_str(json_at(v, k), STR(""));
	}
}

void migration_add(struct migration *m, const char *file, struct str text, const struct json *doc)
{
	static const char *const switches[] = { "enabled", "disabled", "notifications" };
	struct reader r = { .m = m, .file = file, .text = text };
	const struct json *hooks = json_getz(doc, "hooks");
	const char *others = m->from->dialect->no_events;

	read_switches(&r, doc);
	if (hooks && !json_is(hooks, J_OBJ))
		remark_add(&m->remarks, &r, hooks->pos, "\"hooks\" must be an object; left out");
	for (size_t i = 0; json_is(hooks, J_OBJ) && i < hooks->n; i++)
		if (!WORD_IN(hooks->members[i].key, switches) &&
		    !(others && word_in_text(hooks->members[i].key, others)))
			read_event(&r, &hooks->members[i]);
}
