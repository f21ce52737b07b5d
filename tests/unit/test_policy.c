/*
 * What may run: every row of its table, who wins over whom, and ways around rules
 * about shell commands.  Each of those attempts runs something that no rule names; none may be
 * allowed.
 */
/* checkstyle: table */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/toml.h"
#include "os/fs.h"
#include "policy/image.h"
#include "policy/impl.h"
#include "policy/judge.h"
#include "policy/packs.h"
#include "policy/policy.h"
#include "policy/shell.h"
#include "temp.h"
#include "tools/registry.h"
#include "trotline.h"

enum { ALLOW = POLICY_ALLOW, ASK = POLICY_ASK, DENY = POLICY_DENY };
enum { HIDDEN = 8 }; /* in addition to DENY: not even declared */

static const char *const decisions[] = { "allow", "ask", "deny" };

struct setup {
	const char *settings; /* JSON or NULL */
	const char *allowed; /* of --allowed-tools */
	const char *toml; /* of --policy */
	enum approval_mode mode;
	bool interactive;
};

static char temp[] = "/tmp/test_policy.XXXXXX";

static const char *write_temp(const char *name, const char *text)
{
	static char path[256];
	AUTO(free) char *full = fs_join(temp, name);
	char *slash = strrchr(full, '/');

	*slash = '\0';
	assert_int_equal(fs_mkdirs(full, 0700, NULL), 0);
	*slash = '/';
	assert_int_equal(fs_replace(full, str_from(text), 0600, NULL), 0);
	(void)snprintf(path, sizeof path, "%s", full);
	return path;
}

static struct policy *make(struct arena *a, const struct setup *s, struct err *err)
{
	const struct json *settings = NULL;
	const char *allowed[] = { s->allowed, NULL };
	const char *files[] = { s->toml ? write_temp("test.toml", s->toml) : NULL, NULL };

	if (s->settings)
		assert_int_equal(json_parse(a, str_from(s->settings), 0, &settings, NULL), 0);
	return policy_new(
		&(struct policy_options){
			.settings = settings,
			.allowed = allowed,
			.policies = files,
			.cwd = temp,
			.plans_dir = "/tmp/no-such-place/plans",
			.mode = s->mode,
			.interactive = s->interactive,
		},
		err);
}

static int ask(const struct setup *s, const char *name, const char *args)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct err err = { 0 };
	AUTO(policy_free) struct policy *p = make(&a, s, &err);
	const struct tool unlisted = { .name = name }, *t = tool_find(str_from(name));
	const struct json *v;
	struct str why;

	if (!p)
		fail_msg("%s", err.text);
	t = t ? t : &unlisted;
	assert_int_equal(json_parse(&a, str_from(args), 0, &v, NULL), 0);
	int d = (int)policy_check(p, tool_subject(t), v, &a, &why);
	assert_true(d == DENY || why.n == 0);
	/* What is hidden is denied, whatever the arguments. */
	if (policy_hides(p, tool_subject(t))) {
		assert_int_equal(d, DENY);
		d |= HIDDEN;
	}
	return d;
}

static int ask_shell(const struct setup *s, const char *command)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *args =
		json_set(&a, NULL, STR("command"), json_new_str(&a, str_from(command)));

	return ask(s, "run_shell_command", json_text(&a, args, JSON_COMPACT).p);
}

static void expect(int got, int wanted, const char *what)
{
	if (got != wanted)
		fail_msg("%s: %s%s, not %s%s", what, decisions[got & 3],
			 got & HIDDEN ? ", hidden" : "", decisions[wanted & 3],
			 wanted & HIDDEN ? ", hidden" : "");
}

/* ---- the table of F6 ---- */

static void test_modes(void **state)
{
	static const struct {
		const char *tool, *args;
		int interactive, headless, edit, edit_headless, yolo, yolo_headless, plan;
	} rows[] = {
		{ "read_file", "{}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW },
		{ "glob", "{}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW },
		{ "grep_search", "{}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW },
		{ "list_directory", "{}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW },
		{ "google_web_search", "{}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW },
		{ "update_topic", "{}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW },
		{ "write_todos", "{}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW, ALLOW },
		{ "write_file", "{\"file_path\":\"x\"}", ASK, DENY | HIDDEN, ALLOW, ALLOW, ALLOW,
		  ALLOW, DENY },
		{ "replace", "{\"file_path\":\"x\"}", ASK, DENY | HIDDEN, ALLOW, ALLOW, ALLOW,
		  ALLOW, DENY },
		{ "web_fetch", "{}", ASK, DENY | HIDDEN, ALLOW, ALLOW, ALLOW, ALLOW,
		  DENY | HIDDEN },
		{ "run_shell_command", "{\"command\":\"make\"}", ASK, DENY | HIDDEN, ASK,
		  DENY | HIDDEN, ALLOW, ALLOW, DENY | HIDDEN },
		{ "run_shell_command", "{\"command\":\"make > x; sudo rm -rf /\"}", ASK,
		  DENY | HIDDEN, ASK, DENY | HIDDEN, ALLOW, ALLOW, DENY | HIDDEN },
		{ "run_shell_command", "{\"command\":\"ls\"}", ALLOW, DENY | HIDDEN, ALLOW,
		  DENY | HIDDEN, ALLOW, ALLOW, DENY | HIDDEN },
		{ "activate_skill", "{}", ASK, ALLOW, ASK, ALLOW, ALLOW, ALLOW, ASK },
		{ "mcp__srv__add", "{}", ASK, DENY | HIDDEN, ASK, DENY | HIDDEN, ALLOW, ALLOW,
		  DENY | HIDDEN },
		{ "unheard_of", "{}", ASK, DENY | HIDDEN, ASK, DENY | HIDDEN, ALLOW, ALLOW,
		  DENY | HIDDEN },
		{ "ask_user", "{}", ASK, DENY | HIDDEN, ASK, DENY | HIDDEN, ASK, DENY | HIDDEN,
		  ASK },
		{ "enter_plan_mode", "{}", ASK, ALLOW, ASK, ALLOW, DENY | HIDDEN, ALLOW,
		  DENY | HIDDEN },
		{ "exit_plan_mode", "{}", DENY | HIDDEN, DENY | HIDDEN, DENY | HIDDEN,
		  DENY | HIDDEN, DENY | HIDDEN, ALLOW, ASK },
		{ "invoke_agent", "{\"agent_name\":\"cli_help\"}", ALLOW, ALLOW, ALLOW, ALLOW,
		  ALLOW, ALLOW, ALLOW },
		{ "invoke_agent", "{\"agent_name\":\"other\"}", ALLOW, ALLOW, ALLOW, ALLOW, ALLOW,
		  ALLOW, DENY },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct {
			enum approval_mode mode;
			bool interactive;
			int wanted;
		} cases[] = {
			{ MODE_DEFAULT, true, rows[i].interactive },
			{ MODE_DEFAULT, false, rows[i].headless },
			{ MODE_AUTO_EDIT, true, rows[i].edit },
			{ MODE_AUTO_EDIT, false, rows[i].edit_headless },
			{ MODE_YOLO, true, rows[i].yolo },
			{ MODE_YOLO, false, rows[i].yolo_headless },
			{ MODE_PLAN, true, rows[i].plan },
		};

		for (size_t k = 0; k < ARRAY_LEN(cases); k++)
			expect(ask(&(struct setup){ .mode = cases[k].mode,
						    .interactive = cases[k].interactive },
				   rows[i].tool, rows[i].args),
			       cases[k].wanted, rows[i].tool);
	}
}

static void plan_mode_writes_plans(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *plans = fs_join(temp, "plans");
	AUTO(free) char *link = fs_join(plans, "link.md"), *sub = fs_join(plans, "sub");
	const struct tool *write = tool_find(STR("write_file"));
	static const struct {
		const char *path;
		int wanted;
	} rows[] = {
		{ "plans/a.md", ALLOW },    { "plans/new/../a.md", ALLOW }, { "plans/a.txt", DENY },
		{ "plans/.md", DENY },      { "plans/../a.md", DENY },      { "a.md", DENY },
		{ "plans/sub/a.md", DENY }, { "plans/link.md", DENY },      { "", DENY },
	};

	(void)state;
	assert_int_equal(fs_mkdirs(plans, 0700, NULL), 0);
	(void)write_temp("elsewhere/x.md", "");
	(void)!symlink("../elsewhere/x.md", link);
	(void)!symlink("../elsewhere", sub);
	AUTO(policy_free) struct policy *p = policy_new(
		&(struct policy_options){ .cwd = temp, .plans_dir = plans, .mode = MODE_PLAN },
		NULL);
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct json *args = json_set(&a, NULL, STR("file_path"),
						   json_new_str(&a, str_from(rows[i].path)));

		expect((int)policy_check(p, tool_subject(write), args, &a, NULL), rows[i].wanted,
		       rows[i].path);
	}
	assert_false(policy_hides(p, tool_subject(write)));
}

/* ---- who wins over whom ---- */

#define SHELL_RULE(more) "[[rule]]\ntoolName = \"run_shell_command\"\n" more "\n"

static void precedence(void **state)
{
	static const struct {
		const char *what, *settings, *allowed, *toml, *tool;
		enum approval_mode mode;
		int wanted; /* in a headless session */
	} rows[] = {
		{ "exclude over allowed",
		  "{\"tools\":{\"exclude\":[\"glob\"],\"allowed\":[\"glob\"]}}", NULL, NULL, "glob",
		  MODE_YOLO, DENY | HIDDEN },
		{ "exclude over --allowed-tools", "{\"tools\":{\"exclude\":[\"web_fetch\"]}}",
		  "web_fetch", NULL, "web_fetch", MODE_DEFAULT, DENY | HIDDEN },
		{ "confirmation over allowed",
		  "{\"tools\":{\"confirmationRequired\":[\"glob\"],\"allowed\":[\"glob\"]}}", NULL,
		  NULL, "glob", MODE_YOLO, DENY | HIDDEN },
		{ "allowed over core",
		  "{\"tools\":{\"core\":[\"glob\"],\"allowed\":[\"web_fetch\"]}}", NULL, NULL,
		  "web_fetch", MODE_DEFAULT, ALLOW },
		{ "core denies the rest", "{\"tools\":{\"core\":[\"glob\"]}}", NULL, NULL,
		  "read_file", MODE_YOLO, DENY | HIDDEN },
		{ "core allows", "{\"tools\":{\"core\":[\"glob\",\"write_file\"]}}", NULL, NULL,
		  "write_file", MODE_DEFAULT, ALLOW },
		{ "old names", "{\"tools\":{\"exclude\":[\"ReadFileTool\"]}}", NULL, NULL,
		  "read_file", MODE_YOLO, DENY | HIDDEN },
		{ "--allowed-tools", NULL, "web_fetch, write_file", NULL, "write_file",
		  MODE_DEFAULT, ALLOW },
		{ "mcp.excluded over a trusted server",
		  "{\"mcp\":{\"excluded\":[\"s\"]},\"mcpServers\":{\"s\":{\"trust\":true}}}", NULL,
		  NULL, "mcp__s__t", MODE_YOLO, DENY | HIDDEN },
		{ "a trusted server", "{\"mcpServers\":{\"s\":{\"trust\":true}}}", NULL, NULL,
		  "mcp__s__t", MODE_DEFAULT, ALLOW },
		{ "not another one", "{\"mcpServers\":{\"s\":{\"trust\":true}}}", NULL, NULL,
		  "mcp__s_t__t", MODE_DEFAULT, DENY | HIDDEN },
		{ "mcp.allowed", "{\"mcp\":{\"allowed\":[\"s\"]}}", NULL, NULL, "mcp__s__t",
		  MODE_DEFAULT, ALLOW },
		{ "user 4.5 over allowed 4.3", NULL, "web_fetch",
		  "[[rule]]\ntoolName=\"web_fetch\"\ndecision=\"deny\"\npriority=500", "web_fetch",
		  MODE_YOLO, DENY | HIDDEN },
		{ "allowed 4.3 over user 4.1", NULL, "web_fetch",
		  "[[rule]]\ntoolName=\"web_fetch\"\ndecision=\"deny\"\npriority=100", "web_fetch",
		  MODE_DEFAULT, ALLOW },
		{ "higher priority first", NULL, NULL,
		  "[[rule]]\ntoolName=\"web_*\"\ndecision=\"deny\"\npriority=1\n"
		  "[[rule]]\ntoolName=[\"x\",\"web_fetch\"]\ndecision=\"allow\"\npriority=2",
		  "web_fetch", MODE_DEFAULT, ALLOW },
		{ "equal: the first", NULL, NULL,
		  "[[rule]]\ntoolName=\"web_*\"\ndecision=\"deny\"\npriority=2\n"
		  "[[rule]]\ntoolName=\"web_fetch\"\ndecision=\"allow\"\npriority=2",
		  "web_fetch", MODE_DEFAULT, DENY | HIDDEN },
		{ "mode fits", NULL, NULL,
		  "[[rule]]\ntoolName=\"glob\"\ndecision=\"deny\"\npriority=2\nmodes=[\"yolo\"]",
		  "glob", MODE_YOLO, DENY | HIDDEN },
		{ "mode does not", NULL, NULL,
		  "[[rule]]\ntoolName=\"glob\"\ndecision=\"deny\"\npriority=2\nmodes=[\"yolo\"]",
		  "glob", MODE_DEFAULT, ALLOW },
		{ "interactive only", NULL, NULL,
		  "[[rule]]\ntoolName=\"glob\"\ndecision=\"deny\"\npriority=2\ninteractive=true",
		  "glob", MODE_DEFAULT, ALLOW },
		{ "of a sub-agent", NULL, NULL,
		  "[[rule]]\ntoolName=\"glob\"\ndecision=\"deny\"\npriority=2\nsubagent=\"x\"",
		  "glob", MODE_DEFAULT, ALLOW },
		{ "ask is a denial", NULL, NULL,
		  "[[rule]]\ntoolName=\"glob\"\ndecision=\"ask_user\"\npriority=2", "glob",
		  MODE_YOLO, DENY | HIDDEN },
		{ "a server and its tool", NULL, NULL,
		  "[[rule]]\nmcpName=\"s\"\ntoolName=\"get_*\"\ndecision=\"allow\"\npriority=2",
		  "mcp__s__get_x", MODE_DEFAULT, ALLOW },
		{ "the other form of the name", NULL, NULL,
		  "[[rule]]\ntoolName=\"mcp_s_t\"\ndecision=\"allow\"\npriority=2", "mcp__s__t",
		  MODE_DEFAULT, ALLOW },
		{ "every server", NULL, NULL,
		  "[[rule]]\nmcpName=\"*\"\ndecision=\"deny\"\npriority=2", "mcp__s__t", MODE_YOLO,
		  DENY | HIDDEN },
		{ "no server's", NULL, NULL,
		  "[[rule]]\nmcpName=\"*\"\ndecision=\"deny\"\npriority=2", "glob", MODE_YOLO,
		  ALLOW },
		{ "arguments with sorted keys", NULL, NULL,
		  "[[rule]]\ntoolName=\"glob\"\nargsPattern='\"a\":\\{\"x\":1,\"y\":2\\},\"b\":3'\n"
		  "decision=\"deny\"\npriority=2",
		  "glob", MODE_YOLO, DENY },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		expect(ask(&(struct setup){ rows[i].settings, rows[i].allowed, rows[i].toml,
					    rows[i].mode, false },
			   rows[i].tool, "{\"b\":3,\"a\":{\"y\":2,\"x\":1}}"),
		       rows[i].wanted, rows[i].what);
}

static void tiers_of_files(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *home = fs_join(temp, "home"), *project = fs_join(temp, "project");
	AUTO(free) char *admin = fs_join(temp, "admin.toml");
	const char *admins[] = { admin, NULL };
	const struct tool *glob = tool_find(STR("glob"));
	const struct json *none = json_new_obj(&a);
	struct policy_options o = { .home = home, .project = project, .trusted = true };

	(void)state;
	(void)write_temp("admin.toml", "[[rule]]\ntoolName='glob'\ndecision='allow'\npriority=0\n");
	(void)write_temp("project/.gemini/policies/a.toml",
			 "[[rule]]\ntoolName='glob'\ndecision='deny'\npriority=999\n"
			 "denyMessage='not here'\n");
	struct str why;
	AUTO(policy_free) struct policy *workspace = policy_new(&o, NULL);
	assert_int_equal(policy_check(workspace, tool_subject(glob), none, &a, &why), DENY);
	assert_true(str_eqz(why, "not here"));
	o.trusted = false;
	AUTO(policy_free) struct policy *untrusted = policy_new(&o, NULL);
	assert_int_equal(policy_check(untrusted, tool_subject(glob), none, &a, NULL), ALLOW);
	o.trusted = true;
	(void)write_temp("home/.gemini/policies/a.toml",
			 "[[rule]]\ntoolName='glob'\ndecision='ask_user'\npriority=0\n");
	AUTO(policy_free) struct policy *user = policy_new(&o, NULL);
	assert_int_equal(policy_check(user, tool_subject(glob), none, &a, &why), DENY);
	assert_true(str_starts(why, STR("Confirmation")));
	o.admin_policies = admins;
	AUTO(policy_free) struct policy *admined = policy_new(&o, NULL);
	assert_int_equal(policy_check(admined, tool_subject(glob), none, &a, NULL), ALLOW);
}

static bool say(struct policy *p, const char *tool, const char *prefix)
{
	return policy_say(p, &(struct policy_said){ .tool = tool, .prefix = prefix });
}

static void always(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct setup s = { .interactive = true };
	AUTO(policy_free) struct policy *p = make(&a, &s, NULL);
	const struct tool *shell = tool_find(STR("run_shell_command")),
			  *write = tool_find(STR("write_file"));
	const struct json *args =
		json_set(&a, NULL, STR("command"), json_new_str(&a, STR("make all")));

	(void)state;
	assert_int_equal(policy_check(p, tool_subject(shell), args, &a, NULL), ASK);
	assert_false(say(p, "run_shell_command", "make; rm"));
	assert_false(say(p, "run_shell_command", "make $X"));
	assert_int_equal(policy_check(p, tool_subject(shell), args, &a, NULL), ASK);
	assert_true(say(p, "run_shell_command", "make"));
	assert_int_equal(policy_check(p, tool_subject(shell), args, &a, NULL), ALLOW);
	assert_true(say(p, "write_file", NULL));
	assert_int_equal(policy_check(p, tool_subject(write), args, &a, NULL), ALLOW);

	/* Another mode keeps it, but not the stricter one. */
	s.mode = MODE_PLAN;
	AUTO(policy_free) struct policy *plan = make(&a, &s, NULL);
	s.mode = MODE_DEFAULT;
	policy_take_said(plan, p);
	assert_int_equal(policy_check(plan, tool_subject(shell), args, &a, NULL), DENY);
	AUTO(policy_free) struct policy *again = make(&a, &s, NULL);
	policy_take_said(again, plan);
	assert_int_equal(policy_check(again, tool_subject(shell), args, &a, NULL), ALLOW);

	/* A rule that denies counts more, however low it is. */
	s.toml = SHELL_RULE("commandPrefix = \"make all\"\ndecision = \"deny\"\npriority = 0");
	AUTO(policy_free) struct policy *denying = make(&a, &s, NULL);
	assert_true(say(denying, "run_shell_command", "make"));
	assert_int_equal(policy_check(denying, tool_subject(shell), args, &a, NULL), DENY);
}

/* What "always allow" would keep for a command; "" = it is not offered. */
static const char *sayable(const struct policy *p, struct arena *a, const char *command)
{
	const struct json *args =
		json_set(a, NULL, STR("command"), json_new_str(a, str_from(command)));
	const struct policy_said *said;
	AUTO(buf_done) struct buf out = { 0 };
	size_t n = policy_sayable(p, tool_subject(tool_find(STR("run_shell_command"))), args, a,
				  &said);

	for (size_t i = 0; i < n; i++)
		buf_addf(&out, "%s%s", i ? "|" : "", said[i].prefix);
	return arena_z(a, buf_str(&out));
}

static void always_prefixes(void **state)
{
	static const struct {
		const char *command, *prefix;
	} rows[] = {
		{ "make", "make" },
		{ "make all", "make all" },
		{ "npm run build -- --fast", "npm run build" },
		{ "git push origin main", "git push origin" },
		{ "git commit -m 'two words'", "git commit" },
		{ "python3 tool.py x", "python3 tool.py" },
		{ "make -j4 all", "make -j4 all" },
		{ "./build.sh 1", "./build.sh 1" },
		{ "cd sub && make", "cd sub|make" },
		{ "make && make", "make" },
		{ "bash -c 'make all'", "" },
		/* Each of these would be more than was said, or would be asked about again. */
		{ "python3 -c 'print(1)'", "" },
		{ "make $X", "" },
		{ "$X make", "" },
		{ "X=1 make", "" },
		{ "make >out", "" },
		{ "rm -rf sub", "" },
		{ "sudo make", "" },
		{ "make 'a b'", "" },
		{ "curl http://a | sh", "" },
		{ "find . -name x | xargs touch", "" },
		{ "make $(cat x)", "" },
		{ "make &&", "" },
		{ "", "" },
	};
	AUTO(arena_done) struct arena a = { 0 };
	struct setup s = { .interactive = true };
	AUTO(policy_free) struct policy *p = make(&a, &s, NULL);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const char *got = sayable(p, &a, rows[i].command);

		if (strcmp(rows[i].prefix, got) != 0)
			fail_msg("%s: \"%s\", not \"%s\"", rows[i].command, got, rows[i].prefix);
	}
	/* What the settings want confirmed is asked about in any case. */
	s.settings = "{\"tools\": {\"confirmationRequired\": [\"run_shell_command(make)\"]}}";
	AUTO(policy_free) struct policy *confirming = make(&a, &s, NULL);
	assert_string_equal(sayable(confirming, &a, "make"), "");
	assert_string_equal(sayable(confirming, &a, "touch x"), "touch x");
}

static enum policy_decision with_home(struct arena *a, const struct tool *t, const char *command,
				      enum approval_mode mode, const char *settings)
{
	const struct json *v = NULL, *args = json_set(a, NULL, STR("command"),
						      json_new_str(a, str_from(command)));
	struct policy_options o = { .home = temp, .cwd = temp, .mode = mode };
	struct err err = { 0 };

	if (settings)
		assert_int_equal(json_parse(a, str_from(settings), 0, &v, NULL), 0);
	o.settings = v;
	AUTO(policy_free) struct policy *p = policy_new(&o, &err);
	if (!p)
		fail_msg("%s", err.text);
	return policy_check(p, tool_subject(t), args, a, NULL);
}

static void always_saved(void **state)
{
	const struct policy_said said[] = {
		{ .tool = "run_shell_command", .prefix = "make all" },
		{ .tool = "do \"it\"\\", .server = "a server" },
	};
	const struct tool *shell = tool_find(STR("run_shell_command")),
			  mcp = { .name = "mcp__a_server__do_it",
				  .mcp_server = "a server",
				  .mcp_tool = "do \"it\"\\" },
			  other = { .name = "mcp__a_server__do_that",
				    .mcp_server = "a server",
				    .mcp_tool = "do that" };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *path = fs_join(temp, ".gemini/policies/" POLICY_SAVED);
	AUTO(buf_done) struct buf text = { 0 };
	struct policy_saved saved;
	struct stat st;
	struct err err;

	(void)state;
	assert_int_equal(policy_saved_read(temp, &a, &saved, &err), 0);
	assert_int_equal(saved.n, 0);
	assert_int_equal(policy_save(temp, said, 2, &err), 0);
	assert_int_equal(policy_save(temp, said, 2, &err), 0); /* not twice */
	assert_int_equal(stat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(policy_saved_read(temp, &a, &saved, &err), 0);
	assert_int_equal(saved.n, 2);
	assert_true(str_eqz(saved.texts[0], "shell commands that begin with \"make all\""));

	/* Every session, and no more than was said. */
	assert_int_equal(with_home(&a, shell, "make all", MODE_DEFAULT, NULL), ALLOW);
	assert_int_equal(with_home(&a, shell, "make all x", MODE_AUTO_EDIT, NULL), ALLOW);
	assert_int_equal(with_home(&a, shell, "make", MODE_DEFAULT, NULL), DENY);
	assert_int_equal(with_home(&a, shell, "make all; touch x", MODE_DEFAULT, NULL), DENY);
	assert_int_equal(with_home(&a, shell, "make all", MODE_PLAN, NULL), DENY);
	assert_int_equal(with_home(&a, &mcp, "", MODE_DEFAULT, NULL), ALLOW);
	assert_int_equal(with_home(&a, &other, "", MODE_DEFAULT, NULL), DENY);
	/* Not another project's server of the same name, nothing that is excluded. */
	assert_int_equal(with_home(&a, &mcp, "", MODE_DEFAULT,
				   "{\"$project\": {\"mcpServers\": {\"a server\": {}}}}"),
			 DENY);
	assert_int_equal(with_home(&a, shell, "make all", MODE_DEFAULT,
				   "{\"tools\": {\"exclude\": [\"run_shell_command(make)\"]}}"),
			 DENY);
	assert_int_equal(with_home(&a, shell, "make all", MODE_DEFAULT,
				   "{\"tools\": {\"core\": [\"read_file\"]}}"),
			 DENY);

	/* Rules of others stay where they are; comments go with the rule below them. */
	assert_int_equal(fs_read(path, 10000, &text, NULL), 0);
	buf_addz(&text, "\n# mine\n[[rule]]\ntoolName = \"glob\"\ndecision = \"deny\"\n"
			"priority = 1\n");
	assert_int_equal(fs_replace(path, buf_str(&text), 0600, NULL), 0);
	assert_int_equal(policy_saved_remove(temp, saved.texts[1], &err), 0);
	assert_int_equal(policy_saved_remove(temp, saved.texts[1], &err), -E_NOTFOUND);
	assert_int_equal(policy_saved_read(temp, &a, &saved, &err), 0);
	assert_int_equal(saved.n, 2);
	assert_true(str_eqz(saved.texts[1], "deny: glob"));
	buf_clear(&text);
	assert_int_equal(fs_read(path, 10000, &text, NULL), 0);
	assert_true(str_find(buf_str(&text), STR("\n# mine\n[[rule]]\n"), 0) > 0);
	assert_int_equal(with_home(&a, &mcp, "", MODE_DEFAULT, NULL), DENY);
	assert_int_equal(with_home(&a, tool_find(STR("glob")), "", MODE_DEFAULT, NULL), DENY);

	/* Where the home directory is the workspace, auto_edit does not cover them. */
	const struct policy_options edits = {
		.home = temp, .cwd = temp, .mode = MODE_AUTO_EDIT, .interactive = true
	};
	AUTO(policy_free) struct policy *p = policy_new(&edits, &err);
	static const struct {
		const char *path;
		int decision;
	} files[] = {
		{ "a.txt", ALLOW },
		{ ".gemini/policies/auto-saved.toml", ASK },
		{ ".gemini/tmp/x", ALLOW },
		{ "x/../.gemini/policies/new.toml", ASK },
		{ ".gemini/settings.json", ASK },
		{ ".trotline/trusted_hooks.json", ASK },
	};
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		const struct json *args = json_set(&a, NULL, STR("file_path"),
						   json_new_str(&a, str_from(files[i].path)));

		expect((int)policy_check(p, tool_subject(tool_find(STR("write_file"))), args, &a,
					 NULL),
		       files[i].decision, files[i].path);
	}

	/* A broken file is left alone. */
	assert_int_equal(fs_replace(path, STR("[[rule\n"), 0600, NULL), 0);
	assert_true(policy_save(temp, said, 1, &err) < 0);
	assert_non_null(strstr(err.text, POLICY_SAVED ":1:"));
	buf_clear(&text);
	assert_int_equal(fs_read(path, 10000, &text, NULL), 0);
	assert_true(str_eqz(buf_str(&text), "[[rule\n"));
	assert_int_equal(unlink(path), 0);
}

/* ---- shell commands ---- */

static void prefix_headless(void **state)
{
	struct setup s = { .toml = SHELL_RULE("commandPrefix = \"ls\"\ndecision = \"allow\"\n"
					      "priority = 100") };

	(void)state;
	expect(ask_shell(&s, "ls"), ALLOW, "ls");
	expect(ask_shell(&s, "ls -l dir"), ALLOW, "ls -l");
	expect(ask_shell(&s, "lsof"), DENY, "lsof");
	expect(ask_shell(&(struct setup){ 0 }, "ls"), DENY | HIDDEN, "without a rule");
}

/* What the rules below do allow. */
static const char *const allowed_commands[] = {
	"ls",
	"ls -l",
	" ls  -l ",
	"ls; ls",
	"ls && git log --oneline | cat",
	"ls\nls\n",
	"ls 2>/dev/null",
	"ls >/dev/null 2>&1",
	"ls </dev/null",
	"ls 2>&-",
	"ls &>/dev/null",
	"(ls; ls)",
	"{ ls; }",
	"if ls; then ls; else cat x; fi",
	"while ls; do cat y; done",
	"for i in 1 2; do ls $i; done",
	"for i in $(ls); do cat \"$i\"; done",
	"case x in a|b) ls;; *) cat;; esac",
	"ls $(ls)",
	"ls `ls`",
	"ls \"$(ls)\"",
	"cat <(ls)",
	"! ls",
	"time ls",
	"ls # ; rm",
	"ls '#' \"; rm\" '$(rm)'",
	"ls \\; rm",
	"'ls' \"-l\"",
	"l\\s",
	"ls $((1 + 2))",
	"for i in 1 2 {3..5}; do ls $((i * 2)); done",
	"for f in x*; do ls $((1 + 1)) $f ${f:1}; done",
	"ls {fd}>&1",
	"ls ${HOME}/x",
	"ls ~/x *.c",
	"git log",
	"git log -p $REV",
	"timeout 5 ls",
	"timeout -s KILL 5 ls",
	"nice -n 5 ls",
	"nice -5 ls",
	"env ls",
	"xargs ls",
	"find . -name x -exec ls {} \\;",
	"bash -c 'ls -l'",
	"bash -c \"ls; ls\"",
	"bash -lc ls",
	"sed s/a/b/g x",
	"sed -n '1,5p' x",
	"ls & ls",
	"ls &&\\\nls",
	"f() { ls; }; ls",
	"ls; # rm\nls",
	"nice timeout 5 env ls -l",
	"bash script.sh",
	"ls a{}b",
	"git grep x",
	"ls --x=\"a;b\"",
	"ls 'a\nb'",
	"eval ls",
	"eval 'ls; ls'",
};

/* Attempts to get something else run by what looks like the rules' commands. */
static const char *const evasions[] = {
	/* lists, in every form */
	"ls; rm x",
	"ls && rm x",
	"ls || rm x",
	"ls | rm x",
	"ls & rm x",
	"ls\nrm x",
	"ls |& rm x",
	"ls;rm x",
	"ls&rm x",
	"ls\n\nrm x",
	"rm x; ls",
	"ls;;rm x",
	"ls ; ; rm",
	/* substitutions */
	"ls $(rm x)",
	"ls `rm x`",
	"ls \"$(rm x)\"",
	"ls \"`rm x`\"",
	"ls <(rm x)",
	"ls >(rm x)",
	"ls ${X:-$(rm x)}",
	"ls \"${X:-`rm x`}\"",
	"ls $(ls; rm x)",
	"ls $(ls $(rm x))",
	"ls `ls \\`rm x\\``",
	"ls \"a$(ls \"$(rm x)\")\"",
	"ls $((a[$(rm x)]))",
	"ls $[a[$(rm)]]",
	"ls $((ls) ; rm x)",
	"ls ${X@P}",
	"ls ${!X}",
	"ls $(< x rm)",
	"ls \"$\\\n(rm x)\"",
	"ls $\\\n(rm x)",
	"ls ${X:-<(rm)}",
	/* compound commands */
	"(rm x)",
	"(ls; rm x)",
	"{ rm x; }",
	"if ls; then rm x; fi",
	"if rm x; then ls; fi",
	"while ls; do rm x; done",
	"until ls; do rm x; done",
	"for i in a; do rm x; done",
	"for i in a\ndo rm x\ndone",
	"for rm in a; do $rm; done",
	"case a in a) rm x;; esac",
	"case $(rm x) in a) ls;; esac",
	"case a in $(rm x)) ls;; esac",
	"case a in b) ls;; a) rm;; esac",
	"! rm x",
	"time rm x",
	"time -p rm x",
	"ls() { rm x; }; ls",
	"function ls { rm x; }; ls",
	"coproc rm x",
	"[[ a ]] && rm x",
	"[[ x =~ #a ]]; rm x",
	"(( 1 # )); rm x\n))",
	"select i in a; do rm x; done",
	"for ((;;)); do rm; done",
	"ls() (rm x); ls",
	"if ls; then ls; elif rm x; then ls; fi",
	/* quotes and comments that are none */
	"ls '\n'; rm x",
	"ls a#b; rm x",
	"ls $#; rm x",
	"ls '' # '\nrm x",
	"ls \\\n; rm x",
	"ls \\'; rm x '",
	"ls \"\\\"; rm x",
	"ls #\\\nrm x",
	"ls ${#X}; rm x",
	"ls $'\\''; rm x '",
	"ls $'a' ; rm x",
	"ls 'a' 'b'; rm 'x'",
	/* names that are not what they seem */
	"/tmp/ls",
	"./ls",
	"lsof",
	"ls-l",
	"$X",
	"$X ls",
	"l$X",
	"\"$X\"",
	"l*",
	"l?",
	"{rm,x}",
	"ls{,x}",
	"$'l\\x73'",
	"~/ls",
	"l\\\ns$X",
	"lS",
	/* here-documents */
	"cat <<E\n$(rm x)\nE",
	"cat <<E\n`rm x`\nE",
	"cat <<E\nE\nrm x",
	"cat <<'E'\nx\nE\nrm x",
	"cat <<-E\n\tE\nrm x",
	"cat <<E\nx\\\nE\nrm x\nE",
	"bash <<E\nrm x\nE",
	"bash <<< 'rm x'",
	"cat <<\"E\n\"\nrm x",
	/* redirections */
	"ls > x",
	"ls >> x",
	"ls < x",
	"ls >| x",
	"ls <> x",
	"ls &> x",
	"ls >& x",
	"ls 2> x",
	"ls 2>&1 > x",
	"> x ls",
	"ls >$X",
	"ls > /dev/null/../x",
	"{ ls; } > x",
	"(ls) > x",
	"> x",
	"ls >'/dev/nul'",
	"ls >&$X",
	"while ls; do ls; done < x",
	"ls <<< x",
	/* variables before a command */
	"X=1 ls",
	"PATH=. ls",
	"LD_PRELOAD=./x.so ls",
	"X+=1 ls",
	"PATH=.; ls",
	"X=$(rm x) ls",
	"GIT_PAGER=rm git log",
	"export PS4='$(rm x)'; set -x; ls",
	"declare -x LD_PRELOAD=./x.so; ls",
	"readonly PATH=.; ls",
	"read PATH; ls",
	"printf -v PATH .; ls",
	"BASH_ENV=x bash -c ls",
	"2>/dev/null X=1 ls",
	"X=(rm) ls",
	/* programs that run others */
	"env rm x",
	"env -i rm x",
	"env - rm x",
	"env X=1 ls",
	"env -S 'rm x'",
	"env -u X rm x",
	"env --split-string='rm x'",
	"/usr/bin/env rm x",
	"xargs rm",
	"xargs -n 1 rm",
	"xargs -I{} rm {}",
	"xargs -0 -P4 bash -c 'rm x'",
	"ls | xargs rm",
	"sudo ls",
	"sudo rm x",
	"sudo -u root rm x",
	"timeout 5 rm x",
	"timeout -k 1 5 rm x",
	"timeout --signal KILL 5 rm",
	"nice rm x",
	"nice -n 5 rm x",
	"nice -5 rm x",
	"nohup rm x",
	"stdbuf -o0 rm x",
	"command rm x",
	"builtin eval 'rm x'",
	"exec rm x",
	"exec -a ls rm x",
	"eval rm x",
	"eval 'ls; rm x'",
	"eval \"$X\"",
	"bash -c 'rm x'",
	"bash -c 'ls; rm x'",
	"bash -c \"$X\"",
	"bash -ec 'rm x'",
	"bash -o pipefail -c 'rm x'",
	"bash --norc -c 'rm x'",
	"bash",
	"bash -s",
	"bash -",
	"bash /dev/stdin",
	"ls | bash",
	"bash -c 'bash -c \"rm x\"'",
	"bash -c 'eval rm x'",
	"bash --rcfile x -c ls",
	"bash -c 'ls > x'",
	"trap 'rm x' EXIT",
	"trap -- 'rm x' EXIT",
	"builtin trap -- 'rm x' EXIT",
	"eval -- 'rm x'",
	"builtin eval -- rm x",
	"xargs env",
	"xargs -0 env A=1",
	"xargs nohup",
	"xargs -n1 timeout 5",
	"xargs nice -n 5",
	"xargs xargs",
	"xargs find .",
	"x[$(rm x)]=1",
	"x[`rm x`]+=1",
	"y='x[$(rm x)]'; ls $((y))",
	"declare -i y; y='x[$(rm x)]'",
	"y='x[`rm x`]'; z[y]=1",
	"y=x[\\$\\(rm x\\)]; ls ${z:y}",
	"for y in 'x[$(rm x)]'; do ls $((y)); done",
	"for y in 'x[$''(rm x)]'; do ls $((y)); done",
	"for y in x*; do ls $((y)); done",
	"for y in $(cat x); do ls ${z[y]}; done",
	"for i in 1 2; do ls ${HOME:y}; for y in x*; do ls; done; done",
	"for y; do ls $((1 + y)); done",
	"select y in x*; do ls $((y)); done",
	"ls ${y:=x[$''(rm x)]} $((y))",
	"set -- 'x[$(rm x)]'; ls $(($1))",
	"read y <<< 'x[$(rm x)]'; ls $((y))",
	"BASH_ALIASES[ls]=rm",
	"BASH_CMDS[ls]=/bin/rm; ls",
	"env 'BASH_FUNC_ls%%=() { rm x; }' ls",
	"find . -exec rm {} \\;",
	"find . -exec rm {} +",
	"find . -execdir rm {} ';'",
	"find . -ok rm {} \\;",
	"find . -delete",
	"find . -exec bash -c 'rm {}' \\;",
	"find . -exec {} \\;",
	"find $X",
	"find . -exec ls {} + -exec rm {} +",
	"git -c core.pager='rm x' log",
	"git -c alias.x='!rm' x",
	"git --exec-path=. log",
	"git -C . -c x=y log",
	"git $X",
	"git rebase -x 'rm x' HEAD~",
	"git rebase --exec='rm x' HEAD",
	"git bisect run rm x",
	"git submodule foreach rm x",
	"git grep -Orm x",
	"git fetch --upload-pack='rm x' y",
	"git clone -u 'rm x' y",
	"git clone 'ext::sh -c rm'",
	"git config core.pager rm",
	"git difftool -x rm",
	"git push --receive-pack=rm x",
	"git --config-env=core.pager=X log",
	"git rebase --exe 'rm x'",
	"git archive --remote=x",
	"sed 1e x",
	"sed 's/a/rm/e' x",
	"sed -e p -e '1e rm' x",
	"sed -f x",
	"sed 'w x' y",
	"sed --expression='1e rm'",
	"timeout 5 env nice rm x",
	"busybox rm x",
	"su -c 'rm x'",
	"script -c 'rm x'",
	"watch rm x",
	"strace rm x",
	"parallel rm",
	"alias ls=rm; ls",
	"hash -p /tmp/rm ls; ls",
	"enable -f x ls",
	"source <(rm x)",
	". /dev/stdin",
	"test -v 'a[$(rm x)]'",
	"printf -v 'a[$(rm x)]' x",
	"jobs -x rm x",
	/* not commands at all */
	"ls (",
	"ls )",
	"ls 'a",
	"ls \"a",
	"ls `a",
	"ls $(a",
	"ls ${a",
	"ls <<E\nx",
	"ls \\",
	"ls >",
	"case x in",
	"a=(",
	"ls | | rm",
};

/* Variables that make programs run something else, however they are set. */
static const char *const code_variables[] = {
	"PS4='$(rm x)' bash -x y",
	"PROMPT_COMMAND='rm x' ls",
	"BASH_ENV=x bash y",
	"ENV=x sh -i",
	"LD_PRELOAD=./x.so ls",
	"LD_AUDIT=./x.so ls",
	"IFS=x; ls",
	"PATH=.:$PATH ls",
	"GIT_SSH_COMMAND='rm x' git fetch",
	"GIT_CONFIG_COUNT=1 git log",
	"PYTHONSTARTUP=x python3",
	"NODE_OPTIONS='--require ./x' node y",
	"PERL5OPT=-Mx perl y",
	"LESSOPEN='|rm %s' less x",
	"env PS4='$(rm x)' bash -x y",
	"sudo LD_PRELOAD=./x.so ls",
	"PATH+=:. ls",
	"for PATH in .; do ls; done",
	"select PATH in .; do ls; done",
	"ls $((PATH=5)); ls",
	"ls $((5 + PATH++)); ls",
	"ls ${x[PATH=5]}; ls",
	"ls ${HOME:PATH=5}; ls",
	"ls ${LD_PRELOAD:=x}; ls",
	"ls {PATH}>&1; ls",
	"{ ls; } {PATH}>&1; ls",
	"a=1 PATH=. b=2 ls",
	"{ PATH=.; ls; }",
	"(PATH=.; ls)",
	"ls $(PATH=. x)",
	"if PATH=.; then ls; fi",
	"bash -c 'PATH=. ls'",
	"eval PATH=.",
};

static const struct setup shell_rules = {
	.allowed = "run_shell_command(ls),run_shell_command(git log),run_shell_command(cat),"
		   "run_shell_command(timeout),run_shell_command(nice),run_shell_command(env),"
		   "run_shell_command(xargs),run_shell_command(find),run_shell_command(bash),"
		   "run_shell_command(sed),run_shell_command(git),run_shell_command(eval),"
		   "run_shell_command(sudo),run_shell_command(command),run_shell_command(exec),"
		   "run_shell_command(builtin),run_shell_command(nohup),run_shell_command(stdbuf),"
		   "run_shell_command(trap),run_shell_command(source),run_shell_command(.),"
		   "run_shell_command(busybox),run_shell_command(su),run_shell_command(script),"
		   "run_shell_command(watch),run_shell_command(strace),run_shell_command(alias),"
		   "run_shell_command(hash),run_shell_command(enable),run_shell_command(test),"
		   "run_shell_command(printf),run_shell_command(jobs),run_shell_command(parallel)",
	.interactive = true,
};

static void what_rules_allow(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(allowed_commands); i++)
		expect(ask_shell(&shell_rules, allowed_commands[i]), ALLOW, allowed_commands[i]);
}

static void no_way_around_an_allow(void **state)
{
	struct setup regex = { .toml = SHELL_RULE("commandRegex = 'ls( |$)'\ndecision = 'allow'\n"
						  "priority = 1"),
			       .interactive = true };
	struct setup args = { .toml = SHELL_RULE("argsPattern = '\"command\":\"ls[ \"]'\n"
						 "decision = 'allow'\npriority = 1"),
			      .interactive = true };

	(void)state;
	assert_true(ARRAY_LEN(evasions) >= 60);
	for (size_t i = 0; i < ARRAY_LEN(evasions); i++) {
		expect(ask_shell(&shell_rules, evasions[i]), ASK, evasions[i]);
		expect(ask_shell(&regex, evasions[i]), ASK, evasions[i]);
		expect(ask_shell(&args, evasions[i]), ASK, evasions[i]);
		/* Nor around the list of safe commands */
		expect(ask_shell(&(struct setup){ .interactive = true }, evasions[i]), ASK,
		       evasions[i]);
	}
}

/* In yolo mode only a rule is in the way; what might be an rm is one. */
static void no_way_around_a_deny(void **state)
{
	static const char *const hits[] = {
		"rm x",
		"ls; rm x",
		"/bin/rm x",
		"\\rm x",
		"'rm' x",
		"r\"m\" x",
		"X=1 rm x",
		"ls $(rm x)",
		"ls <(rm x)",
		"sudo rm x",
		"sudo -u root rm x",
		"sudo -n -- rm x",
		"env X=1 rm x",
		"env - rm x",
		"xargs rm",
		"find . -exec rm {} +",
		"bash -c 'rm x'",
		"bash -c \"ls; rm x\"",
		"$X x",
		"{rm,x}",
		"r? x",
		"eval 'rm x'",
		"eval \"$X\"",
		"f() { \"$@\"; }; f rm",
		"time -p rm x",
		"timeout 5 rm x",
		"command rm x",
		"ls | bash",
		"case a in a) rm x;; esac",
		"cat <<E\n$(rm x)\nE",
		"[[ a ]]; rm x",
		"ls 'a",
		"trap 'rm x' EXIT",
		"trap -- 'rm x' EXIT",
		"eval -- 'rm x'",
		"echo 'rm x' | xargs env",
		"xargs find . <<< '-exec rm x ;'",
		"x[$(rm x)]=1",
		"y='x[$(rm x)]'; ls $((y))",
		"read y <<< 'x[$(rm x)]'; ls $((y))",
		"BASH_ALIASES[ls]=rm",
		"env 'BASH_FUNC_ls%%=() { rm x; }' ls",
		"busybox rm x",
		"su -c 'rm x'",
		"find . -exec {} \\;",
		"git -c alias.x='!rm x' x",
		"function f { rm x; }; f",
		"coproc rm x",
		"nice -n5 rm x",
		"(rm x) > y",
		"if a; then rm x; fi",
		"xargs -I X X",
		"$'\\x72m' x",
	};
	static const char *const misses[] = { "ls",
					      "rmdir x",
					      "echo rm",
					      "make rm",
					      "git rm x",
					      "x[$i]=1; i=$((i + 1))",
					      "sed 's/[`]//' x",
					      "git commit -m 'see $(rm x)'",
					      "env A=1 ls",
					      "find . | xargs nice ls",
					      "trap -- 'ls' EXIT",
					      "trap -p EXIT",
					      "ls > x; make \"$X\"",
					      "cat <<'E'\nrm x\nE" };
	struct setup rules[] = {
		{ .settings = "{\"tools\":{\"exclude\":[\"run_shell_command(rm)\"]}}",
		  .mode = MODE_YOLO },
		{ .toml = SHELL_RULE("commandPrefix = 'rm'\ndecision = 'deny'\npriority = 1"),
		  .mode = MODE_YOLO },
		{ .toml = SHELL_RULE("commandRegex = 'rm( |$)'\ndecision = 'deny'\npriority = 1"),
		  .mode = MODE_YOLO },
	};

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(rules); k++) {
		for (size_t i = 0; i < ARRAY_LEN(hits); i++)
			expect(ask_shell(&rules[k], hits[i]), DENY, hits[i]);
		for (size_t i = 0; i < ARRAY_LEN(misses); i++)
			expect(ask_shell(&rules[k], misses[i]), ALLOW, misses[i]);
	}
	struct setup push = { .settings = "{\"tools\":{\"exclude\":[\"ShellTool(git push)\"]}}",
			      .mode = MODE_YOLO };
	expect(ask_shell(&push, "git -C /x --no-pager push"), DENY, "git -C");
	expect(ask_shell(&push, "git $X"), DENY, "git $X");
	expect(ask_shell(&push, "xargs git"), DENY, "xargs git");
	expect(ask_shell(&push, "git pull"), ALLOW, "git pull");
}

static void strictest_part_and_redirection(void **state)
{
	struct setup s = {
		.toml = SHELL_RULE("commandPrefix = ['make', 'echo']\ndecision = 'allow'\n"
				   "allowRedirection = true\npriority = 5")
			SHELL_RULE("commandPrefix = 'rm'\ndecision = 'deny'\npriority = 5")
				SHELL_RULE(
					"commandPrefix = 'go'\ndecision = 'allow'\npriority = 5"),
		.interactive = true,
	};

	(void)state;
	expect(ask_shell(&s, "make > log"), ALLOW, "allowRedirection");
	expect(ask_shell(&s, "go test > log"), ASK, "without");
	expect(ask_shell(&s, "make; go test"), ALLOW, "both");
	expect(ask_shell(&s, "make; other"), ASK, "ask beats allow");
	expect(ask_shell(&s, "other; rm x; make"), DENY, "deny beats ask");
	s.mode = MODE_AUTO_EDIT;
	expect(ask_shell(&s, "go test > log"), ALLOW, "auto_edit");
	s = (struct setup){ .allowed = "run_shell_command", .interactive = true };
	expect(ask_shell(&s, "X=1 make $Y"), ALLOW, "the whole tool");
	expect(ask_shell(&s, "make > x"), ASK, "the whole tool, redirected");
	expect(ask_shell(&s, "[[ a < b ]]"), ASK, "the whole tool, not understood");
	for (size_t i = 0; i < ARRAY_LEN(code_variables); i++)
		expect(ask_shell(&s, code_variables[i]), ASK, code_variables[i]);
}

static void safe_commands(void **state)
{
	static const char *const safe[] = {
		"cat x",
		"cd x",
		"cut -f1 x",
		"echo hi $X",
		"grep -r x .",
		"head x",
		"ls -la *",
		"nl x",
		"pwd",
		"stat x",
		"tail -5 x",
		"wc -l",
		"which ls",
		"uniq -c x",
		"base64 -d x",
		"find . -name x",
		"rg -n x",
		"git status",
		"git log --oneline -5",
		"git diff HEAD",
		"git branch -a",
		"sed -n 5p x",
		"sed -n 1,5p x",
		"ls 2>/dev/null",
		"tac",
		"true",
	};
	static const char *const unsafe[] = {
		"ls | wc",
		"ls; ls",
		"cat x > y",
		"find . -delete",
		"find . -fprint x",
		"find $X",
		"rg --pre x y",
		"rg -z x",
		"rg -nz x",
		"git -c x=y log",
		"git log --output=x",
		"git diff --outp=x",
		"git branch new",
		"git branch -D x",
		"git commit",
		"git log $X",
		"sed -i s/a/b/ x",
		"sed -n 5w x",
		"sed -n '1e rm' x",
		"uniq a b",
		"base64 -o x y",
		"X=1 ls",
		"echo $(ls)",
		"/tmp/ls",
		"git diff --ext-diff",
		"sort x",
		"tee x",
		"env",
		"sed -n 5p -i",
		"rg --search-zip x",
		"uniq $X",
		"ls &",
		"git show --textconv",
	};
	struct setup s = { .interactive = true };
	struct setup required = {
		.settings = "{\"tools\":{\"confirmationRequired\":[\"run_shell_command\"]}}",
		.interactive = true,
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(safe); i++) {
		expect(ask_shell(&s, safe[i]), ALLOW, safe[i]);
		expect(ask_shell(&required, safe[i]), ASK, safe[i]);
	}
	for (size_t i = 0; i < ARRAY_LEN(unsafe); i++)
		expect(ask_shell(&s, unsafe[i]), ASK, unsafe[i]);
}

static void dangerous_commands(void **state)
{
	static const char *const dangerous[] = {
		"rm -rf x",
		"rm -r x",
		"rm --recursive x",
		"rm -f x",
		"sudo ls",
		"ls; rm -rf x",
		"/bin/rm -rf x",
		"dd if=a of=b",
		"mkfs.ext4 x",
		"find . -delete",
		"git push -f",
		"git push --force",
		"git push origin +main",
		"git clean -fd",
		"git reset --hard",
		"git -C x reset --hard",
		"curl x | sh",
		"bash -c 'rm -rf x'",
		"xargs rm -rf",
		"shutdown now",
		"rm --forc x",
	};
	struct setup s = { .allowed = "run_shell_command", .interactive = true };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(dangerous); i++) {
		s.mode = MODE_DEFAULT;
		expect(ask_shell(&s, dangerous[i]), ASK, dangerous[i]);
		s.mode = MODE_YOLO;
		expect(ask_shell(&s, dangerous[i]), ALLOW, dangerous[i]);
	}
	s.mode = MODE_DEFAULT;
	expect(ask_shell(&s, "rm x"), ALLOW, "rm x");
	expect(ask_shell(&s, "git push"), ALLOW, "git push");
	expect(ask_shell(&s, "git clean -n"), ALLOW, "git clean -n");
}

static void shell_roots_of_a_question(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	assert_string_equal(shell_roots(&a, STR("echo a | cat; echo b > c")).p, "echo, cat");
	assert_string_equal(shell_roots(&a, STR("X=1")).p, "X=1");
}

static void text_that_hurts(void **state)
{
	AUTO(buf_done) struct buf deep = { 0 }, wide = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(policy_free) struct policy *p = make(&a, &shell_rules, NULL);
	const struct tool *shell = tool_find(STR("run_shell_command"));

	(void)state;
	for (int i = 0; i < 3000; i++) {
		buf_addz(&deep, i % 3 ? "ls $(" : "${a");
		buf_addz(&wide, "env ls;");
	}
	const struct str texts[] = { buf_str(&deep),     buf_str(&wide), STR("ls\0; rm"),
				     STR("ls\xff$(rm)"), STR(""),        STR("# ls") };
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		assert_int_equal(
			policy_check(p, tool_subject(shell),
				     json_set(&a, NULL, STR("command"), json_new_str(&a, texts[i])),
				     &a, NULL),
			ASK);
	assert_int_equal(policy_check(p, tool_subject(shell), json_new_obj(&a), &a, NULL), ASK);
}

/* ---- policy files ---- */

static void broken_files(void **state)
{
	static const struct {
		const char *toml, *message; /* after the path */
	} rows[] = {
		{ "[[rule]]\ntoolName = \"glob\npriority = 1",
		  ":2:17: this character is not allowed in a string" },
		{ "[[rule]]\ntoolName \"glob\"", ":2:10: expected '='" },
		{ "x = 1", ":1:1: a policy file holds [[rule]]" },
		{ "[[safety_check]]\n", ":1:3: a policy file holds [[rule]]" },
		{ "[[safety_checker]]\n", ":1:3: a [[safety_checker]] needs a checker" },
		{ "[rule]\ndecision = \"deny\"", ":1:2: write [[rule]]" },
		{ "[[rule]]\ndecision = 'deny'", ":1:3: a rule needs a decision and a priority" },
		{ "[[rule]]\ndecision = 'no'\npriority=1", ":2:12: decision must be" },
		{ "[[rule]]\ndecision = 'deny'\npriority=1000", ":3:10: priority must be" },
		{ "[[rule]]\ndecision = 'deny'\npriority='1'", ":3:10: priority must be" },
		{ "[[rule]]\ndecision='deny'\npriority=1\nargPattern='x'",
		  ":4:1: a rule has no such key; did you mean \"argsPattern\"?" },
		{ "[[rule]]\ndecision='deny'\npriority=1\nargsPattern='('", ":4:13: " },
		{ "[[rule]]\ndecision='deny'\npriority=1\ncommandPrefix='rm'",
		  ":1:3: commandPrefix and commandRegex need" },
		{ SHELL_RULE("decision='deny'\npriority=1\ncommandPrefix='rm; ls'"),
		  ":5:15: this is not the beginning" },
		{ SHELL_RULE("decision='deny'\npriority=1\ncommandPrefix=['rm','']"),
		  ":5:21: commandPrefix must be" },
		{ SHELL_RULE("decision='deny'\npriority=1\ncommandPrefix='rm'\nargsPattern='x'"),
		  ":1:3: a rule has one of" },
		{ "[[rule]]\ndecision='deny'\npriority=1\nmodes=['fast']", ":4:7: modes must be" },
		{ "[[rule]]\ndecision='deny'\npriority=1\ntoolName=[]", ":4:10: toolName must be" },
		{ "[[rule]]\ndecision='deny'\npriority=1\nallowRedirection=1",
		  ":4:18: expected true" },
		{ "[[rule]]\ndecision='deny'\ndecision='allow'\npriority=1",
		  ":3:1: \"decision\" is already defined" },
		{ "[[rule]]\ndecision='deny'\npriority = 1.5",
		  ":3:12: priority must be a whole number" },
		{ "[[rule]]\npriority = 1.", ":2:12: expected a number" },
		{ "\xff", ":1:1: not valid UTF-8" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct err err = { 0 };
		struct setup s = { .toml = rows[i].toml };
		AUTO(policy_free) struct policy *p = make(&a, &s, &err);
		AUTO(free) char *wanted = xasprintf("%s/test.toml%s", temp, rows[i].message);

		if (p || !str_starts(str_from(err.text), str_from(wanted)))
			fail_msg("%s\ngives: %s", rows[i].toml, p ? "no error" : err.text);
	}
}

/* The example of docs/policy.md is taken as written. */
static void documented_example(void **state)
{
	AUTO(buf_done) struct buf page = { 0 };
	AUTO(free) char *path = xasprintf("%s/docs/policy.md", getenv("TEST_SOURCE_ROOT"));
	const struct str mark = STR("```toml\n");

	(void)state;
	assert_int_equal(fs_read(path, 1 << 20, &page, NULL), 0);
	size_t from = (size_t)str_find(buf_str(&page), mark, 0) + mark.n;
	struct str toml =
		str_sub(buf_str(&page), from, (size_t)str_find(buf_str(&page), STR("```"), from));
	AUTO(free) char *text = xstrndup(toml.p, toml.n);
	struct setup s = { .toml = text };
	expect(ask_shell(&s, "make all && git log -3"), ALLOW, "make");
	expect(ask_shell(&s, "make; git push"), DENY, "git push");
	s.mode = MODE_AUTO_EDIT;
	expect(ask(&s, "replace", "{\"file_path\":\"a/x.lock\"}"), DENY, "a lock file");
	expect(ask(&s, "replace", "{\"file_path\":\"a/x\"}"), ALLOW, "another file");
}

static void missing_files(void **state)
{
	const char *missing[] = { "/no/such/file.toml", NULL };
	AUTO(free) char *home = fs_join(temp, "home2");
	AUTO(free) char *dangling = fs_join(home, ".gemini/policies");
	struct err err = { 0 };

	(void)state;
	assert_null(policy_new(&(struct policy_options){ .policies = missing }, &err));
	assert_int_equal(err.code, E_NOTFOUND);
	/* The sentence is the subject: which of the options is it about? */
	assert_ptr_equal(strstr(err.text, "--policy: "), err.text);
	assert_null(policy_new(&(struct policy_options){ .admin_policies = missing }, &err));
	assert_ptr_equal(strstr(err.text, "--admin-policy: "), err.text);
	AUTO(policy_free) struct policy *none =
		policy_new(&(struct policy_options){ .home = home, .project = "/no/such" }, &err);
	assert_non_null(none);
	/* A link to nothing may have been a guard. */
	(void)write_temp("home2/.gemini/x", "");
	assert_int_equal(symlink("/no/such", dangling), 0);
	assert_null(policy_new(&(struct policy_options){ .home = home }, &err));
}

static void settings_that_make_no_sense(void **state)
{
	static const char *const rows[] = {
		"{\"tools\":{\"exclude\":\"glob\"}}",
		"{\"tools\":{\"exclude\":[1]}}",
		"{\"tools\":{\"allowed\":[\"run_shell_command(ls; rm)\"]}}",
		"{\"tools\":{\"allowed\":[\"run_shell_command()\"]}}",
		"{\"tools\":{\"exclude\":[\"run_shell_command(rm\"]}}",
		"{\"tools\":{\"allowed\":[\"write_file(x)\"]}}",
		"{\"tools\":{\"core\":[\"\"]}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct err err = { 0 };
		struct setup s = { .settings = rows[i] };

		if (make(&a, &s, &err))
			fail_msg("%s is taken", rows[i]);
		assert_int_equal(err.code, E_CONFIG);
	}
}

static int make_temp(void **state)
{
	(void)state;
	return mkdtemp(temp) ? 0 : -1;
}

static int remove_temp(void **state)
{
	(void)state;
	return temp_remove(temp);
}

/* ---- policies of the engine (C9) ---- */

struct told {
	unsigned n;
	char first[512];
};

static void tell(void *data, const char *text)
{
	struct told *told = data;

	if (told->n++ == 0)
		(void)snprintf(told->first, sizeof told->first, "%s", text);
}

static int judge_toml(const char *toml, const char *command, struct told *told)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct policy_source source = { .path = "f",
					      .text = str_from(toml),
					      .tier = TL_TIER_USER,
					      .complain = tell,
					      .data = told };
	AUTO(policy_free) struct policy *p = policy_open(&source);
	struct str root = STR("/home/u/p");
	struct policy_call call = {
		.event = "BeforeTool",
		.subject = policy_subject_of("run_shell_command", NULL, NULL),
		.input = json_set(&a, NULL, STR("command"), json_new_str(&a, str_from(command))),
		.world = { .cwd = root, .home = STR("/home/u"), .roots = &root, .nroots = 1 },
		.arena = &a
	};
	struct policy_verdict v;

	policy_judge(p, &call, NULL, &v);
	return v.decided ? (int)v.decision : -1;
}

#define RULE "[[rule]]\ndecision = \"deny\"\n"

static void must_deny(const char *toml)
{
	struct told told = { 0 };

	if (judge_toml(toml, "ls", &told) != DENY)
		fail_msg("%s", toml);
}

/* C9.2: no slip of a finger, and no file that is half written, takes a rule that denies away. */
static void c9_2_slips_deny(void **state)
{
	static const char rule[] = "[[rule]]\ndecision = \"deny\"\npriority = 5\n";
	static const char slips[] = "\"'[]{}=,#\\.x0- \n\r\t\x01\xff";
	static const char allowing[] = "[[rule]]\ndecision = \"allow\"\npriority = 1\n";
	char text[256];

	(void)state;
	for (size_t at = 0; at < sizeof rule; at++) {
		for (const char *slip = slips; *slip; slip++) {
			(void)snprintf(text, sizeof text, "%.*s%c%s%s", (int)at, rule, *slip,
				       rule + at, allowing);
			must_deny(text);
		}
		if (at == sizeof rule - 1)
			break;
		(void)snprintf(text, sizeof text, "%.*s%s%s", (int)at, rule, rule + at + 1,
			       allowing);
		must_deny(text);
		(void)snprintf(text, sizeof text, "%.*s", (int)at, rule);
		if (at > 0)
			must_deny(text);
	}
}

/* C9.2: nor does another notation, or a member that is there twice. */
static void c9_2_notations_deny(void **state)
{
	static const char *const texts[] = {
		"rule = [{ decision = \"deny\", priority = 5 }, {",
		"{\"rule\": [{\"decision\": \"deny\", \"priority\": 5}]}",
		"{\"decision\": \"Deny\"}",
		"rule:\n  - decision: deny\n    priority: 5\n",
		"[policy]\n[[policy.rule]]\ndecision = \"deny\"\npriority = 5\n",
		"[policy]\nrules = [[{ decision = \"deny\" }]]\n",
		"[[rule]]\ndecision = \"deny\"\ndecision = \"allow\"\npriority = 5\n",
		"[[rule]]\ndecision = \"allow\"\ndecision = \"deny\"\npriority = 5\n",
		"[[rule]]\ndecision=\"deny\"\ntoolName=\"glob\"\ntoolName=\"x\"\npriority = 5\n",
		"deny = [\"run_shell_command\"\n",
		"[[rule]]\rdecision = \"deny\"\rpriority = 5\r",
		/* Without a word of denying, or of a rule: nothing is known of it. */
		"[pac",
		"[pack]\nname = \"x",
		"# rules\n[",
		"{\"rule\": []}",
		"%%%",
		"rule",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++)
		must_deny(texts[i]);
}

/* C9.2: what is wrong with a rule has its place, and the rule denies all that it names. */
static void c9_2_misread_rules_deny(void **state)
{
	static const struct {
		const char *toml, *says;
	} rows[] = {
		{ RULE "efect = \"delete\"\n", "f:3:1: a rule has no such key" },
		{ RULE "effect = \"delet\"\n",
		  "f:3:10: unknown effect \"delet\"; did you mean \"delete\"?" },
		{ RULE "effect = [\"read\", \"rite\"]\n", "f:3:19: unknown effect" },
		{ RULE "place = \"hom\"\n", "did you mean \"home\"?" },
		{ RULE "event = \"BeforeTol\"\n", "did you mean \"BeforeTool\"?" },
		{ RULE "recursive = \"yes\"\n", "f:3:13: expected true or false" },
		{ RULE "[[rule.when]]\nequals = 1\n", "a condition needs a pointer" },
		{ RULE "[[rule.when]]\npointer = \"a\"\n", "a pointer must name a member" },
		{ RULE "[[rule.when]]\npointer = \"/a\"\nequal = 1\n", "no such key" },
		{ RULE "[[rule.when]]\npointer = \"/a\"\nregex = \"(\"\n", "f:5:9: " },
		{ RULE "[[rule.when]]\nany = []\n", "an empty group" },
		{ RULE "[[rule.when]]\npointer = \"/a\"\nnot = { pointer = \"/b\" }\n",
		  "alone in their table" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct told told = { 0 };

		if (judge_toml(rows[i].toml, "ls", &told) != DENY || !told.n ||
		    !strstr(told.first, rows[i].says))
			fail_msg("%s: %s", rows[i].toml, told.first);
	}
}

/* C9.3: groups to eight levels, and what of each effect decides first. */
static void c9_3_conditions(void **state)
{
	static const struct {
		const char *toml, *command;
		int wanted; /* -1 = nothing */
	} rows[] = {
		{ RULE "effect = \"delete\"\nplace = \"home-whole\"\n", "rm -rf ~", DENY },
		{ RULE "effect = \"delete\"\nplace = \"home-whole\"\n", "rm -rf x", -1 },
		{ RULE "effect = \"delete\"\nrecursive = false\n", "rm -rf x", -1 },
		{ RULE "effect = \"delete\"\nexcept = \"project\"\n", "rm -rf x", -1 },
		{ RULE "effect = \"delete\"\ntarget = \"*/x\"\n", "rm -rf x", DENY },
		{ RULE "effect = \"read\"\nwith = \"send\"\n", "cat a", -1 },
		/* What is presumed is asked about, unless the rule means it. */
		{ RULE "effect = \"delete\"\n", "unknown rm -rf ~", ASK },
		{ RULE "effect = \"delete\"\n", "unknown -- rm -rf ~", DENY },
		{ RULE "effect = \"delete\"\npresumed = true\n", "unknown rm -rf ~", DENY },
		{ RULE "effect = \"delete\"\npresumed = true\n", "rm -rf ~", -1 },
		{ RULE "effect = \"delete\"\npresumed = false\n", "unknown rm -rf ~", -1 },
		/* An allowance excuses the effects that it fits, and no other. */
		{ "[[rule]]\ndecision = \"allow\"\neffect = \"delete\"\ntarget = \"*/x\"\n" RULE
		  "effect = \"delete\"\n",
		  "rm x", ALLOW },
		{ "[[rule]]\ndecision = \"allow\"\neffect = \"delete\"\ntarget = \"*/x\"\n" RULE
		  "effect = \"delete\"\n",
		  "rm x; rm y", DENY },
		{ RULE
		  "[[rule.when]]\nnot = { pointer = \"/tool_input/command\", glob = \"l*\" }\n",
		  "ls", -1 },
		{ RULE "[[rule.when]]\nany = [{ pointer = \"/x\", equals = 1 }, { pointer = "
		       "\"/tool_input/command\", in = [\"ls\"] }]\n",
		  "ls", DENY },
		{ RULE "event = \"AfterTool\"\n", "ls", -1 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct told told = { 0 };
		int got = judge_toml(rows[i].toml, rows[i].command, &told);

		if (got != rows[i].wanted || told.n)
			fail_msg("%s on %s: %d %s", rows[i].toml, rows[i].command, got, told.first);
	}
	for (int depth = 8; depth <= 9; depth++) {
		AUTO(buf_done) struct buf toml = { 0 };
		struct told told = { 0 };

		buf_addz(&toml, RULE "[[rule.when]]\n");
		for (int i = 0; i < depth; i++)
			buf_addf(&toml, "%s", i ? "{ not = " : "not = ");
		buf_addz(&toml, "{ pointer = \"/x\" }");
		for (int i = 1; i < depth; i++)
			buf_addz(&toml, " }");
		buf_addz(&toml, "\n");
		(void)judge_toml(buf_z(&toml), "ls", &told);
		assert_int_equal(told.n > 0, depth > 8);
	}
}

/* ---- packs ---- */

static void must_not_complain(void *data, const char *text)
{
	(void)data;
	fail_msg("%s", text);
}

static struct policy *read_again(struct str text, struct str image)
{
	return policy_open(&(struct policy_source){ .path = "f",
						    .text = text,
						    .image = image,
						    .tier = TL_TIER_USER,
						    .complain = must_not_complain });
}

/* C9.7: what the program has read already is what is in the file; addresses in it would differ. */
static void c9_7_images_are_their_texts(void **state)
{
	(void)state;
	for (size_t i = 0; i < packs_n; i++) {
		AUTO(policy_free) struct policy *p = read_again(packs[i].text, STR(""));
		AUTO(buf_done) struct buf image = { 0 };

		assert_true(policy_image_write(&image, p));
		assert_true(str_eq(buf_str(&image), packs[i].image));
	}
}

/* All that a pack may say comes back, and a call is judged by it as by the text. */
static void c9_7_images_have_all_of_a_rule(void **state)
{
	static const char text[] =
		"[pack]\nname = 'p'\nversion = '7'\n"
		"[[rule]]\nname = 'r'\ndecision = 'deny'\nreason = 'no'\ninstead = 'so'\n"
		"toolName = ['a', 'run_shell_command']\nsubagent = 's'\nmodes = ['yolo']\n"
		"when = [{ not = { pointer = '/x', in = [1, 'two', false] } },\n"
		"{ any = [{ pointer = '/y', equals = { z = [true] } },\n"
		"{ pointer = '/tool_input/command', regex = '(?=l)[a-z]{2} \\S+' },\n"
		"{ pointer = '/w', glob = ['*.c', 'b?'] }] }]\n"
		"[[rule]]\nmcpName = 'm'\ndecision = 'deny'\npriority = 3\nargsPattern = 'x+y'\n"
		"[[rule]]\ndecision = 'rewrite'\nrewrite = { a = 1 }\ncontext = 'c'\n"
		"[[rule]]\ndecision = 'deny'\neffect = 'delete'\ntarget = ''\n"
		"[[rule]]\ndecision = 'ask'\neffect = ['write', 'send']\ntarget = ['a*']\n"
		"words = 'b'\nplace = 'home'\nexcept = 'temp'\nforced = true\n"
		"[[rule]]\ndecision = 'redact'\nevent = 'AfterTool'\nsecrets = true\n";
	AUTO(policy_free) struct policy *p = read_again(str_from(text), STR("")), *q = NULL;
	AUTO(buf_done) struct buf image = { 0 }, again = { 0 };

	(void)state;
	assert_true(policy_image_write(&image, p));
	q = read_again(STR(""), buf_str(&image));
	assert_int_equal(q->rules.n, 6);
	assert_true(str_eq(policy_version(q), STR("7")));
	assert_true(policy_image_write(&again, q));
	assert_true(str_eq(buf_str(&image), buf_str(&again)));
}

/* Rules that permit are left out of a pack that an extension switches on, image or not. */
static void c9_7_extensions_permit_nothing(void **state)
{
	(void)state;
	for (size_t i = 0; i < packs_n; i++) {
		AUTO(policy_free) struct policy *p =
			policy_open(&(struct policy_source){ .path = packs[i].path,
							     .text = packs[i].text,
							     .image = packs[i].image,
							     .tier = TL_TIER_EXTENSION });

		for (size_t k = 0; k < p->rules.n; k++)
			assert_int_not_equal(p->rules.p[k].decision, POLICY_ALLOW);
	}
}

/* What no pack has is not written without it. */
static void images_refuse_what_they_have_no_place_for(void **state)
{
	AUTO(policy_free) struct policy *p = read_again(
		STR("[[rule]]\ndecision = 'deny'\npriority = 1\ntoolName = 'run_shell_command'\n"
		    "commandPrefix = 'ls'\n"),
		STR(""));
	AUTO(buf_done) struct buf image = { 0 };

	(void)state;
	assert_false(policy_image_write(&image, p));
}

/* Policies are below the table of events: their list has the events that Gemini CLI has. */
static void events_of_rules(void **state)
{
	const char *name;
	unsigned n = 0;

	(void)state;
	for (; policy_event_name(n); n++) {
		size_t i = 0;

		while (*(name = tl_dialect_event_get(0, i, NULL)) &&
		       strcmp(name, policy_event_name(n)) != 0)
			i++;
		assert_string_equal(name, policy_event_name(n));
	}
	assert_string_equal(tl_dialect_event_get(0, n, NULL), "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(events_of_rules),
		cmocka_unit_test(test_modes),
		cmocka_unit_test(plan_mode_writes_plans),
		cmocka_unit_test(precedence),
		cmocka_unit_test(tiers_of_files),
		cmocka_unit_test(always),
		cmocka_unit_test(always_prefixes),
		cmocka_unit_test(always_saved),
		cmocka_unit_test(prefix_headless),
		cmocka_unit_test(what_rules_allow),
		cmocka_unit_test(no_way_around_an_allow),
		cmocka_unit_test(no_way_around_a_deny),
		cmocka_unit_test(strictest_part_and_redirection),
		cmocka_unit_test(safe_commands),
		cmocka_unit_test(dangerous_commands),
		cmocka_unit_test(shell_roots_of_a_question),
		cmocka_unit_test(text_that_hurts),
		cmocka_unit_test(broken_files),
		cmocka_unit_test(documented_example),
		cmocka_unit_test(missing_files),
		cmocka_unit_test(settings_that_make_no_sense),
		cmocka_unit_test(c9_2_slips_deny),
		cmocka_unit_test(c9_2_notations_deny),
		cmocka_unit_test(c9_2_misread_rules_deny),
		cmocka_unit_test(c9_3_conditions),
		cmocka_unit_test(c9_7_images_are_their_texts),
		cmocka_unit_test(c9_7_images_have_all_of_a_rule),
		cmocka_unit_test(c9_7_extensions_permit_nothing),
		cmocka_unit_test(images_refuse_what_they_have_no_place_for),
	};

	return cmocka_run_group_tests(tests, make_temp, remove_temp);
}
