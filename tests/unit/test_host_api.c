/* tl_host_fire(): the hook protocols of other agents for programs that link the library (C8.1). */
#include "base/words.h"
#include "effects/effects.h"
#include "engine_fixture.h"
#include "hooks/dialects.h"
#include "hosts/host.h"
#include "hosts/plugins.h"

DEFINE_AUTO_PTR(struct tl_host_answer, tl_host_answer_free)

static const char bash_call[] =
	"{'hook_event_name':'PreToolUse','session_id':'s','tool_name':'Bash',"
	"'tool_input':{'command':'rm -rf x'}}";

static struct tl_hooks *load_guard(const char *script)
{
	return fx_load_command(fx_script("guard", script), "'guard':true,'name':'g'");
}

static struct tl_host_answer *fired(struct tl_hooks *h, const char *agent, const char *event,
				    const char *payload)
{
	struct tl_host_answer *answer = NULL;
	struct tl_err err = { 0 };

	if (tl_host_fire(h, agent, event, payload, 0, NULL, &answer, &err) < 0)
		fail_msg("%s: %s", agent, err.text);
	return answer;
}

static const struct json *said(const struct tl_host_answer *answer)
{
	const struct json *v = NULL;
	struct str text = arena_str(&fx.arena, str_from(tl_host_answer_out(answer)));

	assert_int_equal(json_parse(&fx.arena, text, 0, &v, NULL), 0);
	return v;
}

static void a_denial_is_said_three_times(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		load_guard("#!/bin/sh\ncat >/dev/null\necho 'not that' >&2; exit 2\n");
	AUTO(tl_host_answer_free)
	struct tl_host_answer *answer = fired(h, "claude", NULL, fx_json("%s", bash_call));

	(void)state; /* C8.6 */
	assert_true(tl_host_answer_denied(answer));
	assert_int_equal(tl_host_answer_status(answer), 2);
	assert_string_equal(tl_host_answer_err(answer), "not that");
	assert_true(str_eqz(json_str(json_pointer(said(answer), STR("/hookSpecificOutput/"
								    "permissionDecision")),
				     STR("")),
			    "deny"));
}

static void a_rewrite_is_in_the_agent_s_own_arguments(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command(
		fx_script(
			"rewrite",
			"#!/bin/sh\ncat >/dev/null\n"
			"echo '{\"hookSpecificOutput\":{\"tool_input\":{\"command\":\"ls\"}}}'\n"),
		"");
	AUTO(tl_host_answer_free)
	struct tl_host_answer *answer = fired(h, "claude", NULL, fx_json("%s", bash_call));

	(void)state;
	assert_false(tl_host_answer_denied(answer));
	assert_int_equal(tl_host_answer_status(answer), 0);
	assert_true(str_eqz(json_str(json_pointer(said(answer),
						  STR("/hookSpecificOutput/updatedInput/command")),
				     STR("")),
			    "ls"));
}

static void nothing_to_say_is_nothing(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_guard("#!/bin/sh\ncat >/dev/null\n");
	AUTO(tl_host_answer_free)
	struct tl_host_answer *answer = fired(h, "claude", NULL, fx_json("%s", bash_call));
	AUTO(tl_host_answer_free)
	struct tl_host_answer *unknown =
		fired(h, "claude", NULL, fx_json("%s", "{'hook_event_name':'NewThing','x':1}"));

	(void)state; /* C8.4 */
	assert_string_equal(tl_host_answer_out(answer), "");
	assert_int_equal(tl_host_answer_status(answer), 0);
	assert_false(tl_host_answer_denied(unknown));
	assert_int_equal(tl_host_answer_status(unknown), 0);
}

/* The home directory is that of when the hooks were loaded. */
static void c6_6_the_environment_is_not_read(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_guard(
		"#!/bin/sh\ngrep -q '\"tool_paths\":\\[\"/[^~]*/x\"' && exit 2\nexit 0\n");
	char **before = fx_hide_environment();
	AUTO(tl_host_answer_free)
	struct tl_host_answer *answer = fired(
		h, "claude", NULL,
		fx_json("%s", "{'hook_event_name':'PreToolUse','session_id':'s',"
			      "'tool_name':'mcp__a__read_file','tool_input':{'path':'~/x'}}"));

	(void)state;
	fx_show_environment(before);
	assert_true(tl_host_answer_denied(answer));
}

/* Whatever cannot be read is denied in every agent's words, with the error as well. */
static void a_failure_denies(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_guard("#!/bin/sh\nexit 0\n");
	struct tl_cancel *cancel = tl_cancel_new(NULL);
	struct tl_host_answer *answer;
	struct tl_err err = { 0 };

	(void)state; /* C8.2 */
	for (size_t i = 0; i < tl_host_count(); i++) {
		struct tl_host_info info = TL_HOST_INFO_INIT();

		assert_int_equal(tl_host_get(i, &info), 0);
		assert_true(*info.name && *info.title);
		assert_int_equal(
			tl_host_fire(h, info.name, NULL, "no JSON", 0, NULL, &answer, &err),
			-TL_E_PARSE);
		assert_true(tl_host_answer_status(answer) == 2 || *tl_host_answer_out(answer));
		assert_true(*tl_host_answer_err(answer) || *tl_host_answer_out(answer));
		tl_host_answer_free(answer);
	}
	tl_cancel_fire(cancel);
	assert_int_equal(
		tl_host_fire(h, "claude", NULL, fx_json("%s", bash_call), 0, cancel, &answer, &err),
		-TL_E_CANCEL);
	assert_true(tl_host_answer_denied(answer));
	tl_host_answer_free(answer);
	tl_cancel_free(cancel);
}

static void bad_arguments_are_refused(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load_guard("#!/bin/sh\nexit 0\n");
	struct tl_host_info info = TL_HOST_INFO_INIT();
	struct tl_host_answer *answer = NULL;
	struct tl_err err = { 0 };

	(void)state;
	assert_int_equal(tl_host_fire(h, "nosuch", NULL, "{}", 0, NULL, &answer, &err),
			 -TL_E_INVAL);
	assert_int_equal(tl_host_fire(NULL, "claude", NULL, "{}", 0, NULL, &answer, NULL),
			 -TL_E_INVAL);
	assert_null(answer);
	assert_int_equal(tl_host_get(tl_host_count(), &info), -TL_E_NOTFOUND);
	tl_host_answer_free(NULL);
}

static void is_agents(const char *dir, const char *file)
{
	static const struct str root = STR("/home/dev/project");
	const struct effects_world world = {
		.cwd = root, .home = STR("/home/dev"), .roots = &root, .nroots = 1
	};
	AUTO(free) char *path = xasprintf("%s/%s", dir, file ? file : "");

	if (file && !(effect_places(&world, str_from(path)) & PLACE_AGENT))
		fail_msg("%s is not in the table of effects/places.c", path);
}

/* Where hooks are installed, guards know that they can be taken off. */
static void files_of_agents_are_known_to_guards(void **state)
{
	(void)state;
	for (size_t i = 0; i < hosts_n; i++) {
		const struct host_file *f = &hosts[i]->file;

		is_agents("/home/dev", f->user);
		is_agents("/home/dev/project", f->project);
		for (const struct host_plugin *p = f->plugins; p && p->user; p++) {
			is_agents("/home/dev", p->user);
			is_agents("/home/dev/project", p->project);
		}
	}
}

/* Does the dialect's row let a hook deny or stop there? */
static bool may_refuse(const struct dialect_event *e)
{
	const struct event *moment = &events[e->moment];

	if (e->when == CASE_NEVER)
		return false;
	if (!e->honours)
		return event_can_block(moment);
	return e->honours & (PART_DECISION | PART_STOP) &&
	       (e->blocks == BLOCK_DENY || !(e->honours & PART_DECISION));
}

static bool some_hook_may_refuse(const char *moment)
{
	for (size_t d = 0; d < DIALECT_COUNT; d++)
		for (size_t i = 0; i < dialects[d].nevents; i++) {
			const struct dialect_event *e = &dialects[d].events[i];

			if (strcmp(events[e->moment].name, moment) == 0 &&
			    (may_refuse(e) || event_can_block(&events[e->moment])))
				return true;
		}
	return false;
}

/* What an agent can be refused is an event on which a denial of hooks counts. */
static void what_can_be_refused_hooks_may_refuse(void **state)
{
	(void)state;
	for (size_t i = 0; i < hosts_n; i++)
		for (const struct host_event *e = hosts[i]->events; e->name; e++) {
			const char *moment = host_moment(e->kind);

			if (moment && host_can_deny(hosts[i], e->kind) &&
			    !some_hook_may_refuse(moment))
				fail_msg("%s: no hook can refuse %s", hosts[i]->name, e->name);
		}
}

static bool hears_a_stop(const struct host *h, enum host_kind kind)
{
	for (const struct host_word *w = h->words; w->at; w++)
		if (w->when == SAY_STOP && w->on & host_on(kind))
			return true;
	return false;
}

/* What a hook may refuse in the agent it was written for, trotline tells that agent. */
static void what_hooks_may_refuse_their_agent_is_told(void **state)
{
	static const char *const own[] = { "claude", "codex", "gemini" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(own); i++) {
		const struct host *h = host_find(str_from(own[i]));
		const struct dialect *d = dialect_find(str_from(own[i]));

		for (size_t k = 0; k < d->nevents; k++) {
			const struct dialect_event *as = &d->events[k];
			const struct host_event *e = host_event_find(h, str_from(as->name));

			if (!may_refuse(as))
				continue;
			if (!e || !word_in_text(str_from(as->name), h->file.events))
				fail_msg("%s: %s is not installed", own[i], as->name);
			if (!host_can_deny(h, e->kind) &&
			    !(as->honours & PART_STOP && hears_a_stop(h, e->kind)))
				fail_msg("%s: a denial of %s is lost", own[i], as->name);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(a_denial_is_said_three_times),
		ENGINE_TEST(a_rewrite_is_in_the_agent_s_own_arguments),
		ENGINE_TEST(nothing_to_say_is_nothing),
		ENGINE_TEST(c6_6_the_environment_is_not_read),
		ENGINE_TEST(a_failure_denies),
		ENGINE_TEST(bad_arguments_are_refused),
		cmocka_unit_test(files_of_agents_are_known_to_guards),
		cmocka_unit_test(what_can_be_refused_hooks_may_refuse),
		cmocka_unit_test(what_hooks_may_refuse_their_agent_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
