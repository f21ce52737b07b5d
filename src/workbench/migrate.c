/* Walking through another agent's settings, and planning what Gemini's get. */
#include "workbench/migrate.h"
#include "base/words.h"

#include "base/vec.h"
#include "os/fs.h"

enum { MS_FROM = 1000, SCRIPT_MAX_BYTES = 1 << 20 };

/* The file that is read. */
struct reader {
	struct migration *m;
	const char *file;
	struct str text;
};

void migration_done(struct migration *m)
{
	for (size_t i = 0; i < m->items.n; i++)
		free(m->items.p[i].remarks.p);
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

static struct migrated *item_add(struct reader *r, struct str event, struct str matcher,
				 const struct json *hook)
{
	struct migration *m = r->m;
	struct migrated *it = VEC_ADD(&m->items);

	*it = (struct migrated){
		.file = r->file,
		.at = json_locate(r->text, hook->pos),
		.event = arena_z(&m->arena, event),
		.matcher = matcher,
		.command = arena_z(&m->arena, json_get_str(hook, "command")),
	};
	return it;
}

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
static double timeout_of(struct reader *r, struct migrated *it, const struct agent_event *event,
			 const struct json *hook)
{
	const struct json *t = json_getz(hook, "timeout");
	int64_t whole;
	double value = json_num(t, 0);

	if (json_is(t, J_STR) && str_to_int(str_trim(json_str(t, STR(""))), &whole))
		value = (double)whole;
	if (!t || value <= 0) {
		if (t)
			lose(r, it, t->pos, "the timeout is no positive number; left out");
		return event->timeout_ms;
	}
	if (!r->m->from->seconds)
		return value;
	if (value >= MS_FROM) {
		remark_add(&it->remarks, r, t->pos,
			   "a timeout of 1000 or more was taken for milliseconds");
		return value;
	}
	return value * 1000;
}

/* Members of a hook that Gemini does not know, and what becomes of them. */
struct member_rule {
	const char *name, *text;
};

static const struct member_rule claude_rules[] = {
	{ "async", "\"async\": nobody waited for it; here it is waited for, and only observes" },
	{ "asyncRewake",
	  "\"asyncRewake\": nobody waited for it; here it is waited for, and only observes" },
	{ "once", "\"once\" has no counterpart" },
	{ "statusMessage", "\"statusMessage\" has no counterpart" },
};

static bool is_carried(struct str key, const struct agent *from)
{
	static const char *const same[] = { "type", "command", "timeout", "args", "shell" };
	static const char *const family[] = { "name", "description", "env" };

	if (from->seconds && str_eqz(key, "if"))
		return true;
	return WORD_IN(key, same) || (!from->seconds && WORD_IN(key, family));
}

static void check_members(struct reader *r, struct migrated *it, const struct json *hook)
{
	for (size_t i = 0; i < hook->n; i++) {
		const struct json_member *m = &hook->members[i];
		const struct member_rule *rule = NULL;

		if (is_carried(m->key, r->m->from))
			continue;
		for (size_t k = 0; r->m->from->seconds && k < ARRAY_LEN(claude_rules); k++)
			if (str_eqz(m->key, claude_rules[k].name))
				rule = &claude_rules[k];
		if (json_is_false(&m->v))
			continue;
		lose(r, it, m->pos,
		     rule ? rule->text
			  : arena_printf(&r->m->arena, "\"%.*s\" was left out", STR_ARG(m->key)).p);
	}
}

static bool has_bad_args(const struct json *hook)
{
	const struct json *args = json_getz(hook, "args");

	for (size_t i = 0; json_is(args, J_ARR) && i < args->n; i++)
		if (!json_is(json_at(args, i), J_STR))
			return true;
	return args && !json_is(args, J_ARR);
}

/* Its rule is of the dialect that the migrated hook speaks. */
static void check_if(struct reader *r, struct migrated *it, const struct json *hook)
{
	const struct json *rule = json_getz(hook, "if");

	if (!rule || !r->m->from->seconds)
		return;
	if (!json_is(rule, J_STR))
		leave_out(r, it, rule->pos, "\"if\" is a rule as text, \"Bash(git *)\"");
	else
		remark_add(&it->remarks, r, rule->pos,
			   "Gemini CLI does not know \"if\": there the hook runs for every call "
			   "that the matcher allows");
}

/* True when the hook is a command that a POSIX shell or the system can run. */
static bool check_kind(struct reader *r, struct migrated *it, const struct json *hook)
{
	struct str type = json_str(json_getz(hook, "type"), STR("command"));

	if (!json_is(hook, J_OBJ))
		leave_out(r, it, hook->pos, "a hook is an object");
	else if (!str_eqz(type, "command"))
		leave_out(r, it, json_getz(hook, "type")->pos,
			  arena_printf(&r->m->arena,
				       "there are no hooks of type \"%.*s\" here, only "
				       "commands",
				       STR_ARG(type))
				  .p);
	else if (str_trim(str_from(it->command)).n == 0)
		leave_out(r, it, hook->pos, "there is no command");
	else if (has_bad_args(hook))
		leave_out(r, it, json_getz(hook, "args")->pos, "args is a list of strings");
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

/* Each word of the command may be a file of the project. */
static void scan_scripts(struct reader *r, struct migrated *it)
{
	static const char *const variables[] = { "${CLAUDE_PROJECT_DIR}/", "$CLAUDE_PROJECT_DIR/" };
	AUTO(buf_done) struct buf plain = { 0 };

	for (const char *c = it->command; *c; c++)
		if (!strchr("\"'", *c))
			buf_addc(&plain, *c == '\n' || *c == '\t' || *c == ';' ? ' ' : *c);
	for (struct str rest = buf_str(&plain), word; str_split(&rest, ' ', &word);) {
		for (size_t i = 0; i < ARRAY_LEN(variables); i++)
			if (str_starts(word, str_from(variables[i])))
				word = str_sub(word, strlen(variables[i]), word.n);
		if (word.n == 0 || str_chr(word, '.', 0) < 0)
			continue;
		AUTO(free) char *name = xstrndup(word.p, word.n);
		AUTO(free) char *path = fs_absolute(r->m->project, name);
		scan_script(r, it, path);
	}
}

/* ---- making the hook ---- */

/* What its script reads and says stays as it was; the fork's Stop has no such moment here. */
static bool speaks_on(const struct agent *from, const struct migrated *it)
{
	return strcmp(from->name, "jpfork") != 0 || strcmp(it->event, "Stop") != 0;
}

static const struct json *make_hook(struct reader *r, struct migrated *it,
				    const struct agent_event *event, const struct json *hook)
{
	struct arena *a = &r->m->arena;
	const struct agent *from = r->m->from;
	const struct json *args = json_getz(hook, "args"), *h;
	static const char *const kept[] = { "description", "env" };
	struct texts losses = { 0 };
	struct str command = str_from(it->command);
	double timeout = timeout_of(r, it, event, hook);
	bool observes = json_is_true(json_getz(hook, "async")) ||
			json_is_true(json_getz(hook, "asyncRewake")) ||
			(strcmp(from->name, "jpfork") == 0 && strcmp(it->event, "Stop") == 0);

	if (json_is(args, J_ARR) && from->seconds)
		command = command_quote(a, command, args);
	command = command_translate(a, from, command, &losses);
	for (size_t i = 0; i < losses.n; i++)
		lose(r, it, json_getz(hook, "command")->pos, losses.p[i]);
	h = json_new_obj(a);
	if (json_getz(hook, "name") && !from->seconds)
		h = json_set(a, h, STR("name"), json_dup(a, json_getz(hook, "name")));
	h = json_set(a, h, STR("type"), json_new_str(a, STR("command")));
	h = json_set(a, h, STR("command"), json_new_str(a, command));
	if (timeout > 0)
		h = json_set(a, h, STR("timeout"), json_new_num(a, timeout));
	if (from->seconds && json_getz(hook, "if"))
		h = json_set(a, h, STR("if"), json_dup(a, json_getz(hook, "if")));
	for (size_t i = 0; i < ARRAY_LEN(kept) && !from->seconds; i++)
		if (json_getz(hook, kept[i]))
			h = json_set(a, h, str_from(kept[i]),
				     json_dup(a, json_getz(hook, kept[i])));
	if (observes)
		h = json_set(a, h, STR("mode"), json_new_str(a, STR("observe")));
	/* In the fork a hook that fails blocks. */
	if (strcmp(from->name, "jpfork") == 0 && strcmp(event->gemini, "BeforeTool") == 0)
		h = json_set(a, h, STR("onFailure"), json_new_str(a, STR("deny")));
	if (speaks_on(from, it))
		h = json_set(a, h, STR("dialect"), json_new_str(a, str_from(from->name)));
	return h;
}

/* ---- definitions ---- */

static void group_add(struct migration *m, const struct json *def, const char *event,
		      const struct matchers *matchers, const struct json **hooks, size_t *items,
		      size_t n)
{
	for (size_t i = 0; i < matchers->n; i++)
		*VEC_ADD(&m->groups) = (struct group){
			.event = event,
			.matcher = matchers->p[i],
			.sequential = json_is_true(json_getz(def, "sequential")),
			.hooks = hooks,
			.items = items,
			.n = n,
		};
}

/* One hook of a definition; NULL when it is left out. */
static const struct json *read_hook(struct reader *r, const struct agent_event *event,
				    struct str name, const struct json *def,
				    const struct matchers *matchers, const struct texts *losses,
				    const struct json *hook)
{
	const struct json *matcher = json_getz(def, "matcher");
	struct migrated *it = item_add(r, name, json_str(matcher, STR("")), hook);
	size_t pos = matcher ? matcher->pos : hook->pos;

	it->to = event ? event->gemini : NULL;
	if (!it->to) {
		leave_out(r, it, hook->pos, event ? event->loss : "an event that nobody knows");
		return NULL;
	}
	if (!check_kind(r, it, hook))
		return NULL;
	for (size_t i = 0; i < losses->n; i++)
		lose(r, it, pos, losses->p[i]);
	if (matchers->n == 0)
		leave_out(r, it, pos, "nothing is left that the matcher could match");
	if (event->loss)
		lose(r, it, hook->pos, event->loss);
	check_members(r, it, hook);
	check_if(r, it, hook);
	if (it->status == NOT_MIGRATED)
		return NULL;
	if (r->m->from->seconds)
		scan_scripts(r, it);
	return make_hook(r, it, event, hook);
}

/* True when all of it was translated. */
static bool read_definition(struct reader *r, const struct agent_event *event, struct str name,
			    const struct json *def)
{
	struct migration *m = r->m;
	const struct json *list = json_getz(def, "hooks");
	struct str matcher = json_get_str(def, "matcher");
	struct matchers matchers = { 0 };
	struct texts losses = { 0 };
	const struct json **hooks;
	size_t *items, n = 0;

	if (!json_is(list, J_ARR)) {
		remark_add(&m->remarks, r, def->pos,
			   "a definition is an object with an array \"hooks\"; left out");
		return false;
	}
	if (json_getz(def, "matcher") && !json_is(json_getz(def, "matcher"), J_STR))
		text_add(&losses, "a matcher is a string; this one was taken for all");
	if (event && event->gemini)
		matchers = matcher_translate(&m->arena, m->from, event, matcher, &losses);
	hooks = ARENA_ARRAY(&m->arena, const struct json *, list->n + 1);
	items = ARENA_ARRAY(&m->arena, size_t, list->n + 1);
	for (size_t i = 0; i < list->n; i++) {
		hooks[n] = read_hook(r, event, name, def, &matchers, &losses, json_at(list, i));
		if (hooks[n])
			items[n++] = m->items.n - 1;
	}
	if (n)
		group_add(m, def, event->gemini, &matchers, hooks, items, n);
	return n == list->n;
}

static void read_event(struct reader *r, const struct json_member *member)
{
	struct migration *m = r->m;
	const struct agent_event *event = agent_event_find(m->from, member->key);
	const struct json *defs = &member->v;

	/* In the fork's file stand Gemini's events, too: those are at home already. */
	if (!event && strcmp(m->from->name, "jpfork") == 0)
		return;
	if (!json_is(defs, J_ARR)) {
		remark_add(&m->remarks, r, member->pos,
			   "an event is a list of definitions; left "
			   "out");
		return;
	}
	m->events += defs->n > 0;
	for (size_t i = 0; i < defs->n; i++)
		if (read_definition(r, event, member->key, json_at(defs, i)))
			*VEC_ADD(&m->moved) = (struct moved){ member->key, i };
}

/* ---- the file ---- */

static void read_disabled(struct reader *r, const struct json *list)
{
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++)
		if (json_is(json_at(list, i), J_STR))
			*VEC_ADD(&r->m->disabled) = json_str(json_at(list, i), STR(""));
}

/* What governs all hooks of the file. */
static void read_switches(struct reader *r, const struct json *doc)
{
	static const char *const off[] = { "/hooksConfig/enabled", "/hooks/enabled",
					   "/tools/enableHooks" };
	const struct json *v = json_getz(doc, "disableAllHooks");

	if (json_is_true(v))
		remark_add(&r->m->remarks, r, v->pos,
			   "all hooks are switched off there (disableAllHooks); the migrated ones "
			   "run");
	v = json_getz(doc, "env");
	if (r->m->from->seconds && json_is(v, J_OBJ) && v->n)
		remark_add(&r->m->remarks, r, v->pos,
			   "the variables of \"env\" are not set here; hooks that need them: give "
			   "each an \"env\"");
	/* The fork's file is Gemini's own: its switches stay where they are. */
	if (r->m->from->seconds || strcmp(r->m->from->name, "jpfork") == 0)
		return;
	for (size_t i = 0; i < ARRAY_LEN(off); i++) {
		v = json_pointer(doc, str_from(off[i]));
		if (json_is_false(v))
			remark_add(&r->m->remarks, r, v->pos,
				   "all hooks are switched off there; the migrated ones run");
	}
	read_disabled(r, json_pointer(doc, STR("/hooksConfig/disabled")));
	read_disabled(r, json_pointer(doc, STR("/hooks/disabled")));
}

static bool is_switch(struct str key)
{
	return str_eqz(key, "enabled") || str_eqz(key, "disabled") || str_eqz(key, "notifications");
}

void migration_add(struct migration *m, const char *file, struct str text, const struct json *doc)
{
	struct reader r = { .m = m, .file = file, .text = text };
	const struct json *hooks = json_getz(doc, "hooks");

	read_switches(&r, doc);
	if (hooks && !json_is(hooks, J_OBJ))
		remark_add(&m->remarks, &r, hooks->pos, "\"hooks\" is no object; left out");
	for (size_t i = 0; json_is(hooks, J_OBJ) && i < hooks->n; i++)
		if (!is_switch(hooks->members[i].key))
			read_event(&r, &hooks->members[i]);
}
