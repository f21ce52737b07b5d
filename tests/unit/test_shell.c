/* The shell tool and what it leaves running; F... are the rules of the specification. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "os/clock.h"
#include "os/fd.h"
#include "shell/shell.h"
#include "temp.h"
#include "tools/shell_setup.h"
#include "tools_fixture.h"

enum { DEADLINE_MS = 60000 };

static int fds_before;

static const struct json *settings(const char *text)
{
	static struct arena arena;
	const struct json *v = NULL;

	arena_done(&arena);
	if (text)
		assert_int_equal(json_parse(&arena, str_from(text), 0, &v, NULL), 0);
	return v;
}

static int setup(void **state)
{
	static const char *env[3];

	env[0] = "HOME=/";
	env[1] = "PATH=/usr/local/bin:/usr/bin:/bin";
	fds_before = temp_fds();
	(void)tools_setup(state);
	fx.env.env = env;
	fx.env.background = background_new();
	return 0;
}

/* Neither a process nor a descriptor is left. */
static int teardown(void **state)
{
	siginfo_t info;

	background_free(fx.env.background);
	cancel_free(fx.cancel);
	(void)settings(NULL);
	assert_int_equal(waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT), -1);
	assert_int_equal(errno, ECHILD);
	(void)tools_teardown(state);
	assert_int_equal(temp_fds(), fds_before);
	return 0;
}

/* The command as written, which call() does not allow. */
static void sh(const char *command)
{
	AUTO(buf_done) struct buf args = { 0 };
	struct tool_call c = { .env = &fx.env, .arena = &fx.arena, .cancel = fx.cancel };

	arena_done(&fx.arena);
	fx.result = (struct tool_result){ 0 };
	buf_addz(&args, "{\"command\":");
	(void)json_write_str(&args, str_from(command));
	buf_addz(&args, "}");
	assert_int_equal(json_parse(&fx.arena, buf_str(&args), 0, &c.args, NULL), 0);
	tool_find(STR("run_shell_command"))->run(&c, &fx.result);
	assert_non_null(fx.result.llm_content);
	assert_string_equal(error_type(), "");
}

static long number_after(const char *what)
{
	const char *p = strstr(content(), what);

	if (!p)
		fail_msg("no \"%s\" in: %s", what, content());
	return strtol(p + strlen(what), NULL, 10);
}

/* The group's line is always there. */
static void assert_output(const char *lines)
{
	assert_content(format("<untrusted_context>\n%s\nProcess Group PGID: %ld\n"
			      "</untrusted_context>",
			      lines, number_after("PGID: ")));
}

static bool is_alive(long pid)
{
	AUTO(buf_done) struct buf stat = { 0 };

	if (fs_read(format("/proc/%ld/stat", pid), 4096, &stat, NULL) < 0)
		return false;
	return !strstr(buf_z(&stat), ") Z ") && !strstr(buf_z(&stat), ") X ");
}

static void wait_dead(long pid)
{
	int64_t until = clock_us() + (int64_t)DEADLINE_MS * 1000;

	while (is_alive(pid)) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 5);
	}
}

static void wait_file(const char *name)
{
	int64_t until = clock_us() + (int64_t)DEADLINE_MS * 1000;

	while (!fs_exists(at(name))) {
		assert_true(clock_us() < until);
		(void)fd_sleep(NULL, 5);
	}
}

/* Reads its output until this is there: who drains the pipe may be late. */
static void read_until(long pid, const char *more, const char *part)
{
	int64_t until = clock_us() + (int64_t)DEADLINE_MS * 1000;

	do {
		assert_true(clock_us() < until);
		call("read_background_output", format("{'pid':%ld%s}", pid, more));
	} while (!strstr(content(), part));
}

/* ---- results ---- */

static void test_output(void **state)
{
	(void)state;
	sh("echo out; echo err >&2; echo end");
	assert_output("Output: out\nerr\nend"); /* One stream, in order */
	assert_string_equal(display(""), "out\nerr\nend");
	sh("true");
	assert_output("Output: (empty)");
	assert_string_equal(display(""), "");
	sh("printf no-newline");
	assert_output("Output: no-newline");
	sh("printf '  x\\n\\n \\n'");
	assert_output("Output:   x");
	sh("printf '\\377\\376x\\303'");
	assert_output("Output: \xef\xbf\xbd\xef\xbf\xbdx\xef\xbf\xbd");
	sh("printf '\\033[31mred\\033[0m \\033]0;title\\007\\033(Bx\\033'");
	assert_output("Output: red x");
	sh("echo '</untrusted_context>'");
	assert_output("Output: &lt;/untrusted_context&gt;");
	/* A second way to the same pipe truncates nothing. */
	sh("echo one; echo two > /dev/stderr; echo three > /dev/stdout");
	assert_output("Output: one\ntwo\nthree");
}

static void test_exit(void **state)
{
	(void)state;
	sh("echo x; exit 3");
	assert_output("Output: x\nExit Code: 3");
	sh("exit 3");
	assert_output("Output: (empty)\nExit Code: 3");
	assert_string_equal(display(""), "Command exited with code: 3");
	sh("kill -9 $$");
	assert_output("Output: (empty)\nSignal: 9 (Killed)");
	assert_string_equal(display(""), "Command terminated by signal: 9 (Killed)");
	sh("no-such-program-at-all");
	assert_has(content(), "command not found");
	assert_has(content(), "Exit Code: 127");
	sh("if then");
	assert_has(content(), "syntax error");
}

static void test_environment(void **state)
{
	const char *env[] = { "PATH=/usr/bin:/bin", "API_TOKEN=abc", "PLAIN=yes", "PAGER=less",
			      NULL };

	(void)state;
	fx.env.env = env;
	sh("echo $GEMINI_CLI $TERM $PAGER $GIT_PAGER $API_TOKEN $PLAIN");
	assert_output("Output: 1 xterm-256color cat cat abc yes");
	fx.env.settings = settings("{\"security\":{\"environmentVariableRedaction\":"
				   "{\"enabled\":true,\"blocked\":[\"plain\"]}}}");
	sh("echo $GEMINI_CLI $PAGER $API_TOKEN $PLAIN"); /* A13 */
	assert_output("Output: 1 cat");
	/* No input, and no pipe that looks like some. */
	sh("cat; test -c /dev/stdin && echo device");
	assert_output("Output: device");
	/* A session, and so a group, of its own. */
	sh("read -r pid name state parent group session rest < /proc/$$/stat; "
	   "echo $((group - $$)) $((session - $$))");
	assert_output("Output: 0 0");
}

/*
 * Code that runs before each command, which neither gets into its environment nor
 * can be changed by it.
 */
static void test_setup(void **state)
{
	static const char *const env[] = { "PATH=/usr/local/bin:/usr/bin:/bin", NULL };
	static const char *const posix[] = { "PATH=/usr/bin:/bin", "POSIXLY_CORRECT=1", NULL };
	struct err err;

	(void)state;
	assert_false(shell_takes_setup(posix));
	assert_true(shell_takes_setup(env));
	assert_int_equal(shell_setup_open(STR("A=1\nf() { echo \"f $A\"; }\nalias x=y"), env,
					  &fx.env.shell_setup, &err),
			 0);
	sh("A=2; f");
	assert_output("Output: f 2");
	sh("f; echo ${BASH_ENV-none} $0 $#; ls /proc/self/fd | wc -l");
	assert_output("Output: f 1\nnone bash 0\n4");
	sh("bash -c 'f; echo ${A-none}' 2>&1 | grep -c 'not found\\|none'");
	assert_output("Output: 2");
	assert_int_equal(ftruncate(fx.env.shell_setup, 0), -1);
	assert_int_equal(write(fx.env.shell_setup, "x", 1), -1);
	assert_int_equal(errno, EPERM);
	assert_int_equal(close(fx.env.shell_setup), 0);
	/* Code that ends the shell, and code that is none. */
	assert_int_equal(shell_setup_open(STR("exit 3"), env, &fx.env.shell_setup, &err), 0);
	sh("echo ran");
	assert_output("Output: (empty)\nExit Code: 3");
	assert_int_equal(close(fx.env.shell_setup), 0);
	assert_int_equal(shell_setup_open(STR("if ("), env, &fx.env.shell_setup, &err), 0);
	sh("echo ran");
	assert_has(content(), "\nran\n");
	assert_int_equal(close(fx.env.shell_setup), 0);
	fx.env.shell_setup = 0;
	sh("echo ${A-none}");
	assert_output("Output: none");
}

static void test_directory(void **state)
{
	(void)state;
	put("sub/x", "");
	call("run_shell_command", "{'command':'pwd; echo $PWD','dir_path':'sub'}");
	assert_output(format("Output: %s\n%s", at("sub"), at("sub")));
	sh("pwd");
	assert_output(format("Output: %s", fx.dir));
	call("run_shell_command", "{'command':'pwd','dir_path':'..'}");
	assert_fails("invalid_tool_params", "Path not in workspace");
	call("run_shell_command", "{'command':'pwd','dir_path':'nowhere'}");
	assert_fails("file_not_found", "nowhere");
	call("run_shell_command", "{'command':'pwd','dir_path':'sub/x'}");
	assert_fails("path_is_not_a_directory", "sub/x");
}

static void test_bad_arguments(void **state)
{
	AUTO(buf_done) struct buf args = { 0 };

	(void)state;
	call("run_shell_command", "{}");
	assert_fails("invalid_tool_params", "params must have required property 'command'");
	call("run_shell_command", "{'command':' \\n'}");
	assert_fails("invalid_tool_params", "empty");
	call("run_shell_command", "{'command':'echo \\u0000'}");
	assert_fails("invalid_tool_params", "NUL");
	buf_addf(&args, "{'command':'true %*d'}", 140000, 1);
	call("run_shell_command", buf_z(&args));
	assert_fails("invalid_tool_params", "128 KiB");
	buf_clear(&args);
	buf_addf(&args, "{'command':'echo %*d'}", 130000, 1);
	call("run_shell_command", buf_z(&args));
	assert_output("Output: 1");
	call("read_background_output", "{'pid':1}");
	assert_fails("invalid_tool_params", "No background process with PID 1");
	call("read_background_output", "{'pid':'x'}");
	assert_fails("invalid_tool_params", "params/pid must be integer");
	call("list_background_processes", "{}");
	assert_content("No background processes found.");
}

/* ---- much output ---- */

static struct str saved(void)
{
	const char *path = strstr(content(), fx.temp);
	AUTO(buf_done) struct buf text = { 0 };
	struct stat st;
	char *end;

	assert_non_null(path);
	AUTO(free) char *copy = xstrdup(path);
	for (end = copy; *end && !strchr("\n]", *end); end++)
		continue;
	*end = '\0';
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0600);
	assert_int_equal(fs_read(copy, (size_t)1 << 30, &text, NULL), 0);
	return arena_str(&fx.arena, buf_str(&text));
}

static void test_long_output_is_cut(void **state)
{
	struct str text;

	(void)state;
	fx.env.settings = settings("{\"tools\":{\"truncateToolOutputThreshold\":100}}");
	sh("printf 'a%.0s' {1..100}");
	assert_null(strstr(content(), "too large"));
	sh("printf 'a%.0s' {1..60}; printf '\303\244%.0s' {1..60}");
	assert_has(content(), "Output too large: 180 bytes. Showing the first 20 and the last 80 "
			      "characters. For the full output see: ");
	text = saved();
	assert_int_equal(text.n, 180);
	assert_has(content(), "\naaaaaaaaaaaaaaaaaaaa\n\n... [the middle is left out] ...\n\n"
			      "aaaaaaaaaaaaaaaaaaaa\303\244");
	/* More than what is kept in memory. */
	sh("for i in {1..1000}; do echo line $i; done");
	assert_has(content(), "line 1\nline 2\n");
	assert_has(content(), "line 999\nline 1000\nProcess Group PGID: ");
	assert_null(strstr(content(), "line 500\n"));
	text = saved();
	assert_int_equal(text.n, 8893);
	assert_true(str_ends(text, STR("line 999\nline 1000\n")));
	/* Between the two: the end is partly in the beginning. */
	sh("printf '%0410d' 7; echo; echo end");
	assert_has(content(), "00007\nend\nProcess Group PGID: ");
	/* Switched off. */
	fx.env.settings = settings("{\"tools\":{\"truncateToolOutputThreshold\":0}}");
	sh("for i in {1..20000}; do echo line $i; done");
	assert_has(content(), "line 10000\n");
	/* Nowhere to save it. */
	fx.env.settings = settings("{\"tools\":{\"truncateToolOutputThreshold\":10}}");
	fx.env.temp_dir = "/proc/nowhere";
	sh("echo 123456789012345678901234567890123456789012345678901234567890");
	assert_has(content(), "could not be saved");
}

static void test_huge_output(void **state)
{
	(void)state;
	sh("head -c 104857600 /dev/zero | tr '\\0' 'x'; echo; echo end");
	assert_has(content(), "Output too large: 104857605 bytes.");
	assert_true(strlen(content()) < 45000);
	assert_has(content(), "x\nend\nProcess Group PGID: ");
	assert_int_equal(saved().n, 104857605);
	sh("yes");
	assert_has(content(), "The command was ended because it wrote more than 256 MiB.");
	assert_has(content(), "For the full output see: ");
}

static void test_binary_output(void **state)
{
	(void)state;
	sh("printf 'a\\0b'");
	assert_has(content(), "[3 bytes of binary output. For the full output see: ");
	assert_int_equal(saved().n, 3);
	sh("printf '\\377\\376a\\0'");
	assert_has(content(), "[4 bytes of binary output.");
}

/* ---- ending ---- */

static int64_t fired_us;

static void *fire_when_there(void *unused)
{
	int64_t until = clock_us() + (int64_t)DEADLINE_MS * 1000;

	(void)unused;
	while (!fs_exists(at("ready")) && clock_us() < until)
		(void)fd_sleep(NULL, 5);
	fired_us = clock_us();
	cancel_fire(fx.cancel);
	return NULL;
}

/* Runs a command that makes the file `ready`, and cancels it then; milliseconds until its end. */
static int64_t sh_cancelled(const char *command)
{
	int64_t end_us;
	pthread_t thread;

	(void)unlink(at("ready"));
	cancel_free(fx.cancel);
	fx.cancel = cancel_new(NULL);
	assert_int_equal(pthread_create(&thread, NULL, fire_when_there, NULL), 0);
	sh(command);
	end_us = clock_us();
	assert_int_equal(pthread_join(thread, NULL), 0);
	return (end_us - fired_us) / 1000;
}

static void test_cancel(void **state)
{
	(void)state;
	assert_true(sh_cancelled("echo hi; sleep 1000 & echo $! > pid; touch ready; wait") <
		    DEADLINE_MS);
	assert_content(
		"The command was cancelled before it could complete. Its output until then:\n"
		"<untrusted_context>\nhi\n</untrusted_context>");
	wait_dead(strtol(get("pid").p, NULL, 10));
	sh("echo x");
	assert_content("The command was cancelled before it could complete. There was no output.");
}

static void test_cancel_of_the_stubborn(void **state)
{
	(void)state;
	assert_true(sh_cancelled("trap '' TERM; echo $$ > pid; touch ready; "
				 "while :; do sleep 0.01; done") < DEADLINE_MS);
	wait_dead(strtol(get("pid").p, NULL, 10));
	/* One that writes all the time, and one in a group of its own. */
	assert_true(sh_cancelled("trap '' TERM; set -m; sleep 1000 & echo $! > pid; touch ready; "
				 "while :; do echo x; done") < DEADLINE_MS);
	wait_dead(strtol(get("pid").p, NULL, 10));
}

static void allow_silence(int seconds)
{
	fx.env.settings =
		settings(format("{\"tools\":{\"shell\":{\"inactivityTimeout\":%d}}}", seconds));
}

/* Times that are too short for a busy machine are tried again, longer. */
static void test_inactivity(void **state)
{
	int s = 1;

	(void)state;
	do {
		assert_true(s <= 27);
		allow_silence(s);
		sh("echo a; sleep 1000");
		assert_has(content(), format("exceeded the timeout of %.3g minutes without output.",
					     s / 60.0));
		s *= 3;
	} while (!strstr(content(), "Its output until then:\n<untrusted_context>\na\n"));
	/* What writes is not ended: all in all it takes longer than it may be silent. */
	s = 1;
	do {
		assert_true(s <= 27);
		allow_silence(s);
		sh(format("for i in {1..5}; do sleep %g; echo $i; done", s * 0.3));
		s *= 3;
	} while (strstr(content(), "exceeded the timeout"));
	assert_output("Output: 1\n2\n3\n4\n5");
	fx.env.settings = settings("{\"tools\":{\"shell\":{\"inactivityTimeout\":0}}}");
	sh("sleep 0.4; echo a");
	assert_output("Output: a");
}

/* ---- what goes on ---- */

static void test_left_behind(void **state)
{
	long pid;

	(void)state;
	sh("sleep 1000 & echo started");
	pid = number_after("Background PIDs: ");
	assert_output(format("Output: started\nBackground PIDs: %ld", pid));
	assert_true(is_alive(pid));
	/* Without the pipe, which nothing tells of. */
	sh("sleep 1000 >/dev/null 2>&1 & true");
	assert_true(is_alive(number_after("Background PIDs: ")));
	call("list_background_processes", "{}");
	assert_has(content(), "RUNNING: `sleep 1000 & echo started` (Exit Code: 0)\n- [PID ");
	/* What is about to end is waited for: it speaks once its parent was reaped. */
	for (int64_t until = clock_us() + (int64_t)DEADLINE_MS * 1000;;) {
		sh("(while kill -0 $$ 2>/dev/null; do :; done; echo late) & echo soon");
		if (strstr(content(), "late") && !strstr(content(), "Background PIDs"))
			break;
		assert_true(clock_us() < until); /* on a busy machine it takes too long */
	}
	assert_output("Output: soon\nlate");
	/* It may write, and is heard. */
	sh("(while [ ! -e go ]; do sleep 0.01; done; echo more; sleep 1000) & true");
	pid = number_after("Background PIDs: ");
	put("go", "");
	read_until(pid, "", "more\n");
	background_free(MOVE(fx.env.background));
	wait_dead(pid);
	/* Without anything to look after it. */
	sh("trap '' TERM; sleep 1000 & echo $!");
	assert_has(content(), "Error: what it left running was ended");
	wait_dead(strtol(display(""), NULL, 10));
}

static void test_background(void **state)
{
	long pid;

	(void)state;
	call("run_shell_command",
	     "{'command':'echo first; touch up; exec sleep 1000','is_background':true}");
	pid = number_after("(PID: ");
	assert_content(format("Command moved to background (PID: %ld). Output hidden. Press Ctrl+B "
			      "to view.",
			      pid));
	wait_file("up");
	assert_true(is_alive(pid));
	read_until(pid, "", "first\n");
	assert_content("<untrusted_context>\nfirst\n\n</untrusted_context>");
	call("list_background_processes", "{}");
	assert_content(format("- [PID %ld] RUNNING: `echo first; touch up; exec sleep 1000`", pid));
	assert_int_equal(kill((pid_t)pid, SIGKILL), 0);
	wait_dead(pid);
	do
		call("list_background_processes", "{}");
	while (strstr(content(), "RUNNING"));
	assert_has(content(), "EXITED");
	assert_has(content(), "(Signal: 9)");
}

static void test_background_with_delay(void **state)
{
	long pid;

	(void)state;
	for (int ms = 500;; ms *= 3) { /* the shell may need longer to begin */
		call("run_shell_command", format("{'command':'echo first; sleep 1000',"
						 "'is_background':true,'delay_ms':%d}",
						 ms));
		if (!strstr(content(), "(empty)"))
			break;
		assert_true(ms < DEADLINE_MS);
	}
	pid = number_after("PID: ");
	assert_content(format("Command is running in background. PID: %ld. Initial output:\n"
			      "<untrusted_context>\nfirst\n</untrusted_context>",
			      pid));
	/* Ended before: a result like any other. */
	call("run_shell_command", "{'command':'echo a; exit 2','is_background':true,"
				  "'delay_ms':100000}");
	assert_output("Output: a\nExit Code: 2");
	call("run_shell_command",
	     "{'command':'no-such-thing','is_background':true,'delay_ms':100000}");
	assert_has(content(), "Exit Code: 127");
	call("run_shell_command", "{'command':'sleep 1000','is_background':true,'delay_ms':0}");
	call("read_background_output", format("{'pid':%ld}", number_after("PID: ")));
	assert_content("Log is empty.");
}

static void test_read_lines(void **state)
{
	long pid;

	(void)state;
	call("run_shell_command", "{'command':'for i in {1..200}; do echo line $i; done; "
				  "exec sleep 1000','is_background':true,'delay_ms':0}");
	pid = number_after("PID: ");
	read_until(pid, ",'lines':2,'delay_ms':1", "line 200\n");
	assert_content("<untrusted_context>\n[earlier output is left out]\nline 199\nline 200\n\n"
		       "</untrusted_context>");
	call("read_background_output", format("{'pid':%ld}", pid));
	assert_has(content(), "left out]\nline 101\n");
	call("read_background_output", format("{'pid':%ld,'lines':200}", pid));
	assert_has(content(), "<untrusted_context>\nline 1\n");
}

/* The file does not grow for ever, and the newest is what it keeps. */
static void test_log_is_bounded(void **state)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	struct stat st;
	long pid;

	(void)state;
	call("run_shell_command",
	     "{'command':'head -c 60000000 /dev/zero | tr \\\"\\\\\\\\0\\\" x; echo; echo last; "
	     "exec sleep 1000','is_background':true,'delay_ms':0}");
	pid = number_after("PID: ");
	read_until(pid, ",'lines':1", "\nlast\n");
	assert_int_equal(fs_list(fx.temp, &names, NULL), 0);
	assert_int_equal(names.n, 1);
	assert_int_equal(stat(format("%s/%s", fx.temp, names.p[0]), &st), 0);
	assert_true(st.st_size < 17 << 20);
	assert_int_equal(st.st_mode & 07777, 0600);
}

/*
 * Those that do not end when asked are killed, all at the same time: one after the other would take
 * a second's grace for each.
 */
static void test_end_of_session(void **state)
{
	int64_t start_us;
	long pids[16];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(pids); i++) {
		if (i % 2)
			sh("trap '' TERM; sleep 1000 & touch up");
		else
			call("run_shell_command",
			     "{'command':'trap \\\"\\\" TERM; touch up; while :; do sleep 1; done',"
			     "'is_background':true,'delay_ms':0}");
		wait_file("up");
		assert_int_equal(unlink(at("up")), 0);
		pids[i] = number_after(i % 2 ? "Background PIDs: " : "PID: ");
	}
	start_us = clock_us();
	background_free(MOVE(fx.env.background));
	assert_true(clock_us() - start_us < (int64_t)(ARRAY_LEN(pids) - 1) * 1000000);
	for (size_t i = 0; i < ARRAY_LEN(pids); i++)
		wait_dead(pids[i]);
}

static void *run_one(void *number)
{
	struct tool_call c = { .env = &fx.env };
	struct arena arena = { 0 };
	struct tool_result r = { 0 };
	struct str text;

	c.arena = &arena;
	text = arena_printf(&arena, "{\"command\":\"echo %d; sleep 1000 & true\"}", *(int *)number);
	assert_int_equal(json_parse(&arena, text, 0, &c.args, NULL), 0);
	tool_find(STR("run_shell_command"))->run(&c, &r);
	assert_true(str_starts(json_str(r.display, STR("")),
			       arena_printf(&arena, "%d", *(int *)number)));
	tool_find(STR("list_background_processes"))->run(&c, &r);
	arena_done(&arena);
	return NULL;
}

static void test_several_at_once(void **state)
{
	pthread_t threads[8];
	int numbers[8];

	(void)state;
	for (int i = 0; i < 8; i++) {
		numbers[i] = i;
		assert_int_equal(pthread_create(&threads[i], NULL, run_one, &numbers[i]), 0);
	}
	for (int i = 0; i < 8; i++)
		assert_int_equal(pthread_join(threads[i], NULL), 0);
	call("list_background_processes", "{}");
	assert_has(content(), "echo 7; sleep 1000 & true");
}

/* ---- substitutions ---- */

static const char *const substitutions[] = {
	"echo $(id)",
	"echo `id`",
	"diff <(a) b",
	"tee >(cat)",
	"echo \"$(id)\"",
	"echo \"`id`\"",
	"echo \"'$(id)'\"",
	"echo '\\'$(id)",
	"echo $'\\'' $(id)",
	"echo \\\\$(id)",
	"echo a#$(id)",
	"# don't\necho $(id) # it's",
	"echo ${x:-$(id)}",
	"echo ${x:-`id`}",
	"echo \"${x:-\"'\"}\" $(id) '",
	"echo \"${x:-'$(id)'}\"",
	"echo $((1 + $(id)))",
	"echo $((id) )",
	"echo $((id); (id))",
	"echo $\\\n(id)",
	"cat <\\\n(id)",
	"cat <<E\n$(id)\nE\n",
	"cat <<E\n'`id`'\nE\n",
	"cat <<'E'\n'\nE\necho $(id)",
	"cat <<-'E'\n\tE\necho $(id)",
	"cat <<E\nx\\\nE\n'\n$(id)\nE\n",
	"cat <<< \"$(id)\"",
	"((1<<'x'))\necho $(id)",
	"a[1<<'x']=1\necho $(id)",
	"foo\\\n#$(id)",
	"echo ${ id; }",
	"echo \"${ id; }\"",
	"echo $[`id`]",
	"eval $'\\x24(id)' `id`",
	"cat <<'A' <<B\n$(id)\nA\n$(id)\nB\n",
	"cat <<\"E F\"\n\nE F\n`id`",
};

static const char *const plain_commands[] = {
	"echo $x ${y} $1 \"$z\"",
	"echo '$(id)' '`id`' '<(x)'",
	"echo \\$\\(id\\) \\`id\\`",
	"echo \"\\$(id) \\`id\\`\"",
	"# $(id) `id`\ntrue",
	"true # `id`",
	"a < (b",
	"echo \"<(x)\"",
	"cat > f <<'EOF'\nuse `x` and $(y), it's\nEOF\necho done",
	"cat <<\\E\n$(id)\nE\n",
	"cat <<-\"E\"\n\t`id`\n\tE\necho",
	"cat <<E\n\\$(id) \\`x\\` it's <(x)\nE\n",
	"i=$((i+1)); echo $(( (1+2) * 3 ))",
	"((i < 3))",
	"for ((i=0; i<3; i++)); do :; done",
	"echo $((1<<2))",
	"( (echo a); (echo b) )",
	"echo $'it\\x27s $(id)'",
	"awk '{print $(NF)}'",
	"a=(1 2); echo ${#a[@]} ${a[0]}",
	"echo a>b; (c)",
	"cat <<<'`x`'",
	"echo \"it's\" '\"'",
	"find . -name '*.c' | xargs grep -n \"foo\" > out 2>&1 && echo ok || exit 1",
	"",
	"$",
	"echo ${x:-'$(id)'}",
	"cat <<'A' <<'B'\n$(id)\nA\n`id`\nB\n",
};

static void test_substitution(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(substitutions); i++)
		if (!sh_substitutes(str_from(substitutions[i])))
			fail_msg("not seen: %s", substitutions[i]);
	for (size_t i = 0; i < ARRAY_LEN(plain_commands); i++)
		if (sh_substitutes(str_from(plain_commands[i])))
			fail_msg("taken for one: %s", plain_commands[i]);
	sh("echo $(touch ran)");
	assert_has(content(), "Command injection detected");
	assert_false(fs_exists(at("ran")));
	sh("echo 'a $(touch ran)'");
	assert_output("Output: a $(touch ran)");
}

/* ---- for people ---- */

static void test_confirm(void **state)
{
	const struct tool *t = tool_find(STR("run_shell_command"));
	struct tool_call c = { .env = &fx.env, .arena = &fx.arena };

	(void)state;
	assert_int_equal(json_parse(&fx.arena,
				    STR("{\"command\":\"ls -l | wc\",\"description\":\"counts\","
					"\"dir_path\":\"src\"}"),
				    0, &c.args, NULL),
			 0);
	assert_string_equal(json_text(&fx.arena, t->confirm(&c), JSON_COMPACT).p,
			    "{\"type\":\"exec\",\"title\":\"Confirm Shell Command\","
			    "\"command\":\"ls -l | wc\",\"rootCommand\":\"ls, wc\"}");
	assert_string_equal(t->describe(&c).p, "ls -l | wc [in src] (counts)");
}

#define TEST(fn) cmocka_unit_test_setup_teardown(fn, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_output),         TEST(test_exit),
		TEST(test_environment),    TEST(test_directory),
		TEST(test_bad_arguments),  TEST(test_long_output_is_cut),
		TEST(test_huge_output),    TEST(test_binary_output),
		TEST(test_cancel),         TEST(test_cancel_of_the_stubborn),
		TEST(test_inactivity),     TEST(test_left_behind),
		TEST(test_background),     TEST(test_background_with_delay),
		TEST(test_read_lines),     TEST(test_log_is_bounded),
		TEST(test_end_of_session), TEST(test_several_at_once),
		TEST(test_substitution),   TEST(test_confirm),
		TEST(test_setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
