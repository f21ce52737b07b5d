/* Tools as the claude dialect sees them: arguments both ways, "if" rules (C3.7), C4.4. */
#include "claude_fixture.h"

/* ---- arguments, both ways (3.5) ---- */

static const struct json *parsed(struct arena *a, const char *text)
{
	const struct json *v = NULL;

	if (json_parse(a, str_from(text), 0, &v, NULL) < 0)
		fail_msg("%s", text);
	return v;
}

static const struct arguments {
	const char *tool, *host, *claude; /* what the hook reads */
	const char *said, *now; /* what it says, and what the host then has */
	const char *dropped;
} arguments[] = {
	{ "run_shell_command", "{\"command\":\"a\",\"is_background\":true,\"dir_path\":\"d\"}",
	  "{\"command\":\"a\",\"run_in_background\":true,\"dir_path\":\"d\"}",
	  "{\"command\":\"b\",\"timeout\":5}", "{\"command\":\"b\",\"dir_path\":\"d\"}",
	  "timeout" },
	{ "run_shell_command", "{\"command\":\"a\",\"dir_path\":\"d\"}",
	  "{\"command\":\"a\",\"dir_path\":\"d\"}", "{\"command\":\"b\",\"dir_path\":\"e\"}",
	  "{\"command\":\"b\",\"dir_path\":\"e\"}", "" },
	{ "write_file", "{\"file_path\":\"~/x\",\"content\":\"c\"}",
	  "{\"file_path\":\"/home/ana/x\",\"content\":\"c\"}",
	  "{\"file_path\":\"/home/ana/x\",\"content\":\"d\"}",
	  "{\"file_path\":\"~/x\",\"content\":\"d\"}", "" },
	{ "write_file", "{\"file_path\":\"a/./b/../x\",\"content\":\"c\"}",
	  "{\"file_path\":\"/srv/a/x\",\"content\":\"c\"}",
	  "{\"file_path\":\"/srv/y\",\"content\":\"c\"}",
	  "{\"file_path\":\"/srv/y\",\"content\":\"c\"}", "" },
	{ "replace",
	  "{\"file_path\":\"x\",\"instruction\":\"i\",\"old_string\":\"o\","
	  "\"new_string\":\"n\"}",
	  "{\"file_path\":\"/srv/x\",\"instruction\":\"i\",\"old_string\":\"o\","
	  "\"new_string\":\"n\",\"replace_all\":false}",
	  "{\"file_path\":\"/srv/x\",\"old_string\":\"o\",\"new_string\":\"m\","
	  "\"replace_all\":true}",
	  "{\"file_path\":\"x\",\"instruction\":\"i\",\"old_string\":\"o\",\"new_string\":\"m\","
	  "\"allow_multiple\":true}",
	  "" },
	{ "read_file", "{\"file_path\":\"/x\",\"start_line\":5,\"end_line\":9}",
	  "{\"file_path\":\"/x\",\"offset\":5,\"limit\":5}",
	  "{\"file_path\":\"/x\",\"offset\":10,\"limit\":2}",
	  "{\"file_path\":\"/x\",\"start_line\":10,\"end_line\":11}", "" },
	{ "read_file", "{\"file_path\":\"/x\",\"end_line\":9}",
	  "{\"file_path\":\"/x\",\"limit\":9}", "{\"file_path\":\"/x\",\"limit\":4}",
	  "{\"file_path\":\"/x\",\"end_line\":4}", "" },
	{ "glob", "{\"pattern\":\"*\",\"dir_path\":\"d\",\"case_sensitive\":true}",
	  "{\"pattern\":\"*\",\"path\":\"/srv/d\",\"case_sensitive\":true}",
	  "{\"pattern\":\"*.c\",\"path\":\"/srv/d\"}",
	  "{\"pattern\":\"*.c\",\"dir_path\":\"d\",\"case_sensitive\":true}", "" },
	{ "search_file_content",
	  "{\"pattern\":\"p\",\"include_pattern\":\"*.c\",\"names_only\":true,"
	  "\"case_sensitive\":false,\"after\":1,\"before\":2,\"context\":3,"
	  "\"total_max_matches\":4}",
	  "{\"pattern\":\"p\",\"glob\":\"*.c\",\"output_mode\":\"files_with_matches\",\"-i\":true,"
	  "\"-A\":1,\"-B\":2,\"-C\":3,\"head_limit\":4}",
	  "{\"pattern\":\"q\",\"output_mode\":\"content\",\"-i\":false,\"type\":\"c\"}",
	  "{\"pattern\":\"q\",\"names_only\":false,\"case_sensitive\":true}", "type" },
	{ "grep_search", "{\"pattern\":\"p\"}", "{\"pattern\":\"p\",\"output_mode\":\"content\"}",
	  "{\"pattern\":\"q\",\"output_mode\":\"count\"}", "{\"pattern\":\"q\"}", "output_mode" },
	{ "list_directory", "{\"dir_path\":\".\",\"ignore\":[]}",
	  "{\"path\":\"/srv\",\"ignore\":[]}", "{\"path\":\"/tmp\"}", "{\"dir_path\":\"/tmp\"}",
	  "" },
	{ "google_web_search", "{\"query\":\"q\"}", "{\"query\":\"q\"}",
	  "{\"query\":\"r\",\"allowed_domains\":[]}", "{\"query\":\"r\"}", "allowed_domains" },
	{ "web_fetch", "{\"prompt\":\"sum up https://a.b/c, please\"}",
	  "{\"prompt\":\"sum up https://a.b/c, please\",\"url\":\"https://a.b/c\"}",
	  "{\"prompt\":\"sum up https://a.b/c, please\",\"url\":\"https://d.e\"}",
	  "{\"prompt\":\"sum up https://d.e, please\"}", "" },
	{ "web_fetch", "{\"prompt\":\"https://a.b\"}",
	  "{\"prompt\":\"https://a.b\",\"url\":\"https://a.b\"}",
	  "{\"prompt\":\"sum up\",\"url\":\"https://a.b\"}", "{\"prompt\":\"sum up\"}", "" },
	{ "write_todos", "{\"todos\":[{\"description\":\"d\",\"status\":\"pending\"}]}",
	  "{\"todos\":[{\"content\":\"d\",\"activeForm\":\"d\",\"status\":\"pending\"}]}",
	  "{\"todos\":[{\"content\":\"e\",\"status\":\"done\"}]}",
	  "{\"todos\":[{\"description\":\"e\",\"status\":\"done\"}]}", "" },
	{ "invoke_agent", "{\"agent_name\":\"a\",\"prompt\":\"p\"}",
	  "{\"subagent_type\":\"a\",\"prompt\":\"p\",\"description\":\"p\"}",
	  "{\"subagent_type\":\"b\",\"prompt\":\"q\",\"description\":\"p\"}",
	  "{\"agent_name\":\"b\",\"prompt\":\"q\"}", "" },
	{ "ask_user", "{\"questions\":[]}", "{\"questions\":[]}",
	  "{\"questions\":[1],\"answers\":{}}", "{\"questions\":[1]}", "answers" },
	{ "exit_plan_mode", "{\"plan_filename\":\"p.md\"}", "{\"planFilePath\":\"p.md\"}",
	  "{\"plan\":\"x\",\"planFilePath\":\"p.md\"}", "{\"plan_filename\":\"p.md\"}", "plan" },
	{ "activate_skill", "{\"name\":\"n\"}", "{\"skill\":\"n\"}", "{\"skill\":\"m\"}",
	  "{\"name\":\"m\"}", "" },
	{ "read_many_files", "{\"include\":[\"a\",\"b\"]}",
	  "{\"include\":[\"a\",\"b\"],\"file_path\":\"/srv/a\"}", "{\"file_path\":\"/x\"}",
	  "{\"include\":[\"a\",\"b\"]}", "" },
	{ "unknown_tool", "{\"dir_path\":\"d\"}", "{\"dir_path\":\"d\"}", "{\"x\":1}", "{\"x\":1}",
	  "" },
	/* Values of unexpected types are passed on. */
	{ "read_file", "{\"file_path\":7,\"end_line\":\"9\"}", "{\"file_path\":7,\"limit\":\"9\"}",
	  "{\"file_path\":null,\"limit\":[]}", "{\"file_path\":null,\"end_line\":[]}", "" },
	{ "write_todos", "{\"todos\":[1,{}]}", "{\"todos\":[1,{}]}", "{\"todos\":5}",
	  "{\"todos\":5}", "" },
};

static void same_json(const char *tool, const char *what, struct arena *a, const struct json *is,
		      const char *expected)
{
	if (!json_equal(is, parsed(a, expected)))
		fail_msg("%s, %s: %s instead of %s", tool, what, json_text(a, is, 0).p, expected);
}

static void arguments_both_ways(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
		const struct arguments *t = &arguments[i];
		AUTO(arena_done) struct arena a = { 0 };
		struct claude_call c = {
			.arena = &a, .tool = str_from(t->tool), .cwd = "/srv", .home = "/home/ana"
		};
		const struct json *host = parsed(&a, t->host), *back;

		same_json(t->tool, "to the hook", &a, claude_args_from_host(&c, host), t->claude);
		/* Who changes nothing changes nothing. */
		back = claude_args_to_host(&c, parsed(&a, t->claude), host);
		same_json(t->tool, "identity", &a, back, t->host);
		assert_int_equal(c.dropped.n, 0);
		assert_false(c.refused);
		back = claude_args_to_host(&c, parsed(&a, t->said), host);
		same_json(t->tool, "to the host", &a, back, t->now);
		if (!str_eqz(c.dropped, t->dropped))
			fail_msg("%s: dropped \"%s\"", t->tool, c.dropped.p);
		assert_int_equal(c.refused, strcmp(t->tool, "read_many_files") == 0);
	}
}

/* C4.6's rule for arguments: an identity hook changes nothing, and can still approve. */
static void identity_changes_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < 6; i++) {
		struct moment m = { .event = "BeforeTool",
				    .subject = arguments[i].tool,
				    .fields = { { "tool_input", arguments[i].host } } };
		AUTO(shot_done) struct shot s = fire_script("PreToolUse", "echo.py", &m);

		assert_null(tl_outcome_change(s.o, TL_CHANGE_TOOL_INPUT));
		assert_true(tl_outcome_approved(s.o));
	}
}

static void dropped_arguments_are_reported(void **state)
{
	AUTO(shot_done) struct shot s =
		said(PRE("\"updatedInput\":{\"command\":\"ls\",\"timeout\":9}"));

	(void)state;
	assert_true(has_diagnostic(&s, "dropped-argument"));
}

/* C3.9: what cannot be applied whole is no answer of a guard, and no allowance of anybody. */
static void nothing_is_dropped_of_a_guards_arguments(void **state)
{
	static const struct {
		const char *how, *extra;
		enum tl_verdict cut, whole;
	} hooks[] = {
		{ "", "\"guard\":true", TL_VERDICT_DENY, TL_VERDICT_NONE },
		{ "\"permissionDecision\":\"allow\",", "\"guard\":true", TL_VERDICT_DENY,
		  TL_VERDICT_ALLOW },
		{ "\"permissionDecision\":\"ask\",", "\"guard\":true", TL_VERDICT_DENY,
		  TL_VERDICT_ASK },
		{ "", "\"onFailure\":\"deny\"", TL_VERDICT_DENY, TL_VERDICT_NONE },
		{ "\"permissionDecision\":\"allow\",", "\"timeout\":60", TL_VERDICT_NONE,
		  TL_VERDICT_ALLOW },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
		for (size_t k = 0; k < ARRAY_LEN(hooks); k++) {
			const struct arguments *t = &arguments[i];
			/* The same words again would change a new address back. */
			if (strcmp(t->tool, "web_fetch") == 0)
				continue;
			bool cut = *t->dropped || strcmp(t->tool, "read_many_files") == 0;
			enum tl_verdict wanted = cut ? hooks[k].cut : hooks[k].whole;
			struct moment m = { .event = "BeforeTool",
					    .subject = t->tool,
					    .fields = { { "tool_input", t->host } } };
			AUTO(free) char *command =
				xasprintf("printf '%%s' '" PRE("%s\"updatedInput\":%s") "'",
					  hooks[k].how, t->said);
			AUTO(shot_done) struct shot s =
				fire(&(struct setup){ .event = "PreToolUse",
						      .command = command,
						      .extra = hooks[k].extra },
				     &m);

			if (tl_outcome_verdict(s.o) != wanted || (cut && tl_outcome_approved(s.o)))
				fail_msg("%s %s, %s: %d", t->tool, t->said, command,
					 (int)tl_outcome_verdict(s.o));
		}
}

/* ---- "if" rules (C3.7) ---- */

static const struct rule {
	const char *rule, *tool, *args;
	bool runs;
} rules[] = {
	{ "Bash", "run_shell_command", "{\"command\":\"ls\"}", true },
	{ "Bash(*)", "run_shell_command", "{\"command\":\"ls\"}", true },
	{ "Bash", "write_file", "{\"file_path\":\"x\"}", false },
	{ "Bash(git *)", "run_shell_command", "{\"command\":\"git push\"}", true },
	{ "Bash(git *)", "run_shell_command", "{\"command\":\"git\"}", true },
	{ "Bash(git:*)", "run_shell_command", "{\"command\":\"git status\"}", true },
	{ "Bash(git *)", "run_shell_command", "{\"command\":\"gitk --all\"}", false },
	{ "Bash(git*)", "run_shell_command", "{\"command\":\"gitk --all\"}", true },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"git pull\"}", false },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"cd x && A=1 git push -f\"}",
	  true },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"ls | wc; (git push)\"}", true },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"true\\ngit push\"}", true },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"if git push; then ls; fi\"}",
	  true },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"git \\\"push\\\" x\"}", true },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"git \\t push x\"}", true },
	{ "Bash(git push *)", "run_shell_command", "{\"command\":\"git pu\\\\\\nsh x\"}", true },
	{ "Bash(git *)", "run_shell_command", "{\"command\":\"echo 'x; git push'\"}", false },
	{ "Bash(git *)", "run_shell_command", "{\"command\":\"echo \\\"x\"}", true },
	{ "Bash(git *)", "run_shell_command", "{\"command\":\"g\\\"it\\\" push\"}", true },
	{ "Bash(rm)", "run_shell_command", "{\"command\":\"echo $(rm)\"}", true },
	{ "Bash(rm)", "run_shell_command", "{\"command\":\"echo `rm`\"}", true },
	{ "Bash(rm)", "run_shell_command", "{\"command\":\"echo \\\"$(rm)\\\"\"}", true },
	{ "Bash(rm)", "run_shell_command", "{\"command\":\"echo $(ls)\"}", false },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"ls $HOME\"}", false },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"X=rm; $X -r /\"}", true },
	{ "Bash(rm -r *)", "run_shell_command", "{\"command\":\"rm $ARGS\"}", true },
	{ "Bash(rm -r *)", "run_shell_command", "{\"command\":\"ls $(pwd)\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"f() { rm x; }; f\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"case a in a) rm x;; esac\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"sudo -n rm x\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"timeout 5 rm x\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\">log rm x\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"# it's\\nrm 'x'\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"ls # ; rm x\"}", false },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"ls a\\\\ #; rm x\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"ls a#; rm x\"}", true },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"ls 2>&1 | wc -l\"}", false },
	{ "Bash(rm *)", "run_shell_command", "{\"command\":\"ls\"}", false },
	{ "Bash(rm *)", "run_shell_command", "{}", true },
	{ "Bash(rm *", "run_shell_command", "{\"command\":\"ls\"}", true },
	{ "Edit(*.ts)", "replace", "{\"file_path\":\"src/a.ts\"}", true },
	{ "Edit(*.ts)", "replace", "{\"file_path\":\"src/a.js\"}", false },
	{ "Edit(*.ts)", "write_file", "{\"file_path\":\"src/a.ts\"}", false },
	{ "Edit(src/**)", "replace", "{\"file_path\":\"src/x/a.ts\"}", true },
	{ "Edit(src/**)", "replace", "{\"file_path\":\"lib/src/a.ts\"}", false },
	{ "Edit(src/*.ts)", "replace", "{\"file_path\":\"src/x/a.ts\"}", false },
	{ "Edit(src/*/a.ts)", "replace", "{\"file_path\":\"src/x/a.ts\"}", true },
	{ "Edit(src/**/a.ts)", "replace", "{\"file_path\":\"src/a.ts\"}", true },
	{ "Edit(src/**/a.ts)", "replace", "{\"file_path\":\"src/x/y/a.ts\"}", true },
	{ "Edit(src/**/a.ts)", "replace", "{\"file_path\":\"src/ba.ts\"}", false },
	{ "Edit(./src)", "replace", "{\"file_path\":\"src/a.ts\"}", true },
	{ "Edit(**/src/**)", "replace", "{\"file_path\":\"lib/src/a.ts\"}", true },
	{ "Edit(**/src/**)", "replace", "{\"file_path\":\"src/a.ts\"}", true },
	{ "Edit(**/src/**)", "replace", "{\"file_path\":\"xsrc/a.ts\"}", false },
	{ "Edit(//etc/*)", "replace", "{\"file_path\":\"/etc/passwd\"}", true },
	{ "Edit(~/*)", "replace", "{\"file_path\":\"/home/ana/x\"}", true },
	{ "Edit(~/*)", "replace", "{\"file_path\":\"/home/bob/x\"}", false },
	{ "Edit(src/**)", "replace", "{\"file_path\":\"lib/../src/a.ts\"}", true },
	{ "Edit(src/**)", "replace", "{\"file_path\":\"/./src//a.ts\"}", true },
	{ "Edit(src/**)", "replace", "{\"file_path\":\"/proc/self/root/src/a.ts\"}", true },
	{ "Edit(src/**)", "replace", "{\"file_path\":\"src/../lib/a.ts\"}", false },
	{ "Edit(src/**.ts)", "replace", "{\"file_path\":\"src/x/a.ts\"}", true },
	{ "Edit(app/[id]/**)", "replace", "{\"file_path\":\"app/[id]/x\"}", true },
	{ "Edit(*.{ts,js})", "replace", "{\"file_path\":\"app/x.js\"}", true },
	{ "Agent(scout)", "invoke_agent", "{\"agent_name\":\"scout\"}", true },
	{ "Task(scout)", "invoke_agent", "{\"agent_name\":\"other\"}", false },
	{ "mcp__s", "mcp__s__t", "{}", true },
	{ "mcp__s__*", "mcp__s__t", "{}", true },
	{ "mcp__x", "mcp__s__t", "{}", false },
	{ "WebFetch(domain:a.b)", "web_fetch", "{\"prompt\":\"x\"}", true },
};

static void if_rules(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		char extra[128];
		struct moment m = { .event = "BeforeTool",
				    .subject = rules[i].tool,
				    .fields = { { "tool_input", rules[i].args } } };
		(void)snprintf(extra, sizeof extra, "\"if\":\"%s\"", rules[i].rule);
		AUTO(shot_done) struct shot s = fire(&(struct setup){ .event = "PreToolUse",
								      .command = "/bin/true",
								      .extra = extra },
						     &m);

		if ((s.r.state == TL_STATE_RAN) != rules[i].runs)
			fail_msg("%s on %s: %s", rules[i].rule, rules[i].args,
				 tl_state_name(s.r.state));
	}
}

/* Ways to start another command; %s is where its text goes. */
static const struct way {
	const char *text;
	enum {
		LIST, /* any shell text goes in */
		WORDS, /* a program with its arguments, which takes one */
		BEFORE, /* takes one, but is none */
		QUOTED, /* text in '...': what goes in has no quotes itself */
	} kind;
	bool clear; /* the reader sees all that runs */
} ways[] = {
	{ "%s", LIST, true },
	{ "cd x && %s", LIST, true },
	{ "false || %s", LIST, true },
	{ "%s | tee log", LIST, true },
	{ "yes | %s", LIST, true },
	{ "%s & wait", LIST, true },
	{ "ls; %s; ls", LIST, true },
	{ "ls\n%s", LIST, true },
	{ "(%s)", LIST, true },
	{ "{ %s; }", LIST, true },
	{ "! %s", BEFORE, true },
	{ "time %s", BEFORE, true },
	{ "if true; then %s; fi", LIST, true },
	{ "while %s; do :; done", LIST, true },
	{ "for i in a b; do %s; done", LIST, true },
	{ "case a in a) %s;; esac", LIST, true },
	{ "f() { %s; }; f", LIST, true },
	{ "echo \"$( %s )\"", LIST, false },
	{ "echo `%s`", LIST, false },
	{ "diff <( %s ) x", LIST, false },
	{ "cat <<X\n$( %s )\nX", LIST, true },
	{ "A=1 B=2 %s", BEFORE, true },
	{ ">log 2>&1 %s", BEFORE, true },
	{ "sudo -n -u root %s", WORDS, true },
	{ "env -i A=1 %s", WORDS, true },
	{ "timeout -k 5 10s %s", WORDS, true },
	{ "nice -n 5 %s", WORDS, true },
	{ "nohup %s", WORDS, true },
	{ "setsid -w %s", WORDS, true },
	{ "stdbuf -oL %s", WORDS, true },
	{ "command %s", WORDS, true },
	{ "exec %s", WORDS, true },
	{ "xargs -n 1 %s", WORDS, false },
	{ "find . -name x -exec %s {} ;", WORDS, false },
	{ "ssh host '%s'", QUOTED, true },
	{ "docker exec box %s", WORDS, true },
	{ "npx -y %s", WORDS, true },
	{ "bash -c '%s'", QUOTED, true },
	{ "sh -ec '%s'", QUOTED, true },
	{ "eval '%s'", QUOTED, true },
	{ "trap '%s' EXIT", QUOTED, true },
	{ "bash <<X\n%s\nX", LIST, false },
	{ "echo '%s' | sh", QUOTED, false },
	{ "watch '%s'", QUOTED, false },
	{ "tmux new '%s'", QUOTED, false },
};

static const struct {
	const char *command;
	bool fits;
} commands[] = {
	{ "git push", true },
	{ "git push origin main", true },
	{ "/usr/bin/git push -f", true },
	{ "git -C /srv push", true },
	{ "g\\it \"pu\"sh x", true },
	{ "git $X", true },
	{ "$X push", true },
	{ "git \"$(cat x)\"", true },
	{ "$'\\x67it' push", true },
	{ "git pull", false },
	{ "git pushy", false },
	{ "gitk push", false },
	{ "ls push", false },
};

static bool rule_fits(struct tl_hooks *hooks, const char *command)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *args =
		json_set(&a, json_new_obj(&a), STR("command"), json_new_str(&a, str_from(command)));
	struct str text = json_text(&a, args, JSON_COMPACT);
	struct tl_field field = { "tool_input", text.p, text.n };
	struct tl_event ev = TL_EVENT_INIT(.name = "BeforeTool", .subject = "run_shell_command",
					   .fields = &field, .nfields = 1);
	struct firing f;

	assert_int_equal(firing_init(&f, hooks, &ev, &a, NULL), 0);
	return claude_if_matches(hooks->hooks[0], &f);
}

/* A rule sees a command through two of the ways to start one, each in the other. */
static void if_rules_see_through_wrappers(void **state)
{
	static const char *const written[] = { "\"if\":\"Bash(git push:*)\"",
					       "\"if\":\"Bash(git push *)\"",
					       "\"if\":\"Bash(/bin/git push *)\"" };

	(void)state;
	for (size_t r = 0; r < ARRAY_LEN(written); r++) {
		struct tl_hooks *hooks = load_hook(&(struct setup){
			.event = "PreToolUse", .command = "true", .extra = written[r] });

		for (size_t i = 0; i < ARRAY_LEN(ways) * ARRAY_LEN(ways); i++) {
			const struct way *out = &ways[i / ARRAY_LEN(ways)];
			const struct way *in = &ways[i % ARRAY_LEN(ways)];

			/* What does not go in there, or goes in as something else. */
			if ((out->kind == QUOTED && in->kind == QUOTED) ||
			    ((out->kind == WORDS || out->kind == BEFORE) && in != ways &&
			     (in->kind == LIST || in->kind == BEFORE)))
				continue;
			for (size_t k = 0; k < ARRAY_LEN(commands); k++) {
				char inner[256], whole[256];
				bool quoted = strchr(commands[k].command, '\'') != NULL;

				if (quoted && (in->kind == QUOTED || out->kind == QUOTED))
					continue;
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
				(void)snprintf(inner, sizeof inner, in->text, commands[k].command);
				(void)snprintf(whole, sizeof whole, out->text, inner);
#pragma GCC diagnostic pop
				bool fits = rule_fits(hooks, whole);
				if (commands[k].fits && !fits)
					fail_msg("%s does not see %s", written[r], whole);
				if (!commands[k].fits && fits && in == ways && out->clear)
					fail_msg("%s sees %s", written[r], whole);
			}
		}
		tl_hooks_unref(hooks);
	}
}

static void if_rules_elsewhere_never_run(void **state)
{
	struct setup c = { .event = "Stop", .command = "true", .extra = "\"if\":\"Bash\"" };
	struct moment m = { .event = "AfterAgent" };
	AUTO(shot_done) struct shot s = fire(&c, &m);

	(void)state;
	assert_int_equal(s.r.state, TL_STATE_NO_MATCH);
}

/* SubagentStart and SubagentStop are matched by the kind of agent. */
static void sub_agents_are_matched_by_kind(void **state)
{
	static const struct {
		const char *matcher, *agent;
		bool matches;
	} cases[] = { { "scout", "scout", true },
		      { "scout|Plan", "Plan", true },
		      { "scout", "scouts", false },
		      { "^sc", "scout", true },
		      { "*", "x", true } };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		char def[64];
		(void)snprintf(def, sizeof def, "\"matcher\":\"%s\"", cases[i].matcher);
		struct tl_event ev =
			TL_EVENT_INIT(.name = "SubagentStart", .subject = cases[i].agent);
		struct tl_hooks *hooks = load_hook(
			&(struct setup){ .event = "SubagentStart", .command = "true", .def = def });

		assert_int_equal(tl_wants(hooks, &ev), cases[i].matches);
		tl_hooks_unref(hooks);
	}
}

/* C5.4: patterns that make other matchers blow up. */
static void if_rules_are_bounded(void **state)
{
	AUTO(buf_done) struct buf args = { 0 }, extra = { 0 };

	(void)state;
	buf_addz(&args, "{\"command\":\"");
	for (size_t i = 0; i < 20000; i++)
		buf_addc(&args, 'a');
	buf_addz(&args, "\"}");
	buf_addz(&extra, "\"if\":\"Bash(");
	for (size_t i = 0; i < 100; i++)
		buf_addz(&extra, "a*");
	buf_addz(&extra, "b)\"");
	struct moment m = shell_call(buf_z(&args));
	AUTO(shot_done) struct shot s = fire(&(struct setup){ .event = "PreToolUse",
							      .command = "/bin/true",
							      .extra = buf_z(&extra) },
					     &m);
	assert_int_equal(s.r.state, TL_STATE_NO_MATCH);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(arguments_both_ways),
		cmocka_unit_test(identity_changes_nothing),
		cmocka_unit_test(dropped_arguments_are_reported),
		cmocka_unit_test(nothing_is_dropped_of_a_guards_arguments),
		cmocka_unit_test(if_rules),
		cmocka_unit_test(if_rules_see_through_wrappers),
		cmocka_unit_test(if_rules_elsewhere_never_run),
		cmocka_unit_test(sub_agents_are_matched_by_kind),
		cmocka_unit_test(if_rules_are_bounded),
	};

	return cmocka_run_group_tests_name("claude_tools", tests, NULL, NULL);
}
