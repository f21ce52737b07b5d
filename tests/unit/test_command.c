/* From a command to a process (contract section 6): direct execution, variables, environment. */
#include "engine_fixture.h"

#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "hooks/command.h"
#include "os/fs.h"
#include "os/proc.h"
#include "shell/shell.h"

/* ---- C6.1: with and without a shell ---- */

struct result {
	enum tl_class how;
	int exit_code;
	const char *out, *err;
};

static struct result run_command(const char *command, const char *more)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command(command, more);
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "run_shell_command");
	struct tl_report r = fx_report(o, 0);

	return (struct result){ r.how, r.exit_code,
				arena_z(&fx.arena, (struct str){ r.output, r.output_length }),
				arena_z(&fx.arena, (struct str){ r.errors, r.errors_length }) };
}

/* How this command would be started. */
static struct launch prepare(const char *command)
{
	struct hook *hook = ARENA_NEW(&fx.arena, struct hook);
	struct vars vars = { .v = { { "GEMINI_PROJECT_DIR", "/p q" } }, .n = 1 };
	struct launch_request rq = {
		.hook = hook, .vars = &vars, .env = fx.env, .cwd = fx.project, .shell = "/bin/bash"
	};
	struct launch l = { 0 };

	hook->command = command;
	launch_prepare(&l, &fx.arena, &rq);
	return l;
}

/* Commands that start a program need no shell. */
static void c6_1_plain_words_are_direct(void **state)
{
	static const char *const commands[] = {
		"cat",
		"  cat  ",
		"\tls\t-l",
		"/bin/cat",
		"./run.sh",
		"sub/run.sh a b",
		"env A=b ./run.sh",
		"'cat' \"-n\" '' \"\"",
		"ls 'a b' \"c d\"e",
		"ls a=b +x @y %z a,b:c",
		"ls \xc3\xa4",
		"ls 'a*b?c[d]~{e}'",
		"ls $GEMINI_PROJECT_DIR/x",
		"ls \"${GEMINI_PROJECT_DIR}\"",
	};

	(void)state;
	(void)fx_script("project/run.sh", "#!/bin/sh\n");
	(void)fx_script("project/sub/run.sh", "#!/bin/sh\n");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (!prepare(commands[i]).direct)
			fail_msg("with a shell: %s", commands[i]);
}

/* Whatever a shell would read in another way goes to the shell. */
static void c6_1_everything_else_has_a_shell(void **state)
{
	static const char *const commands[] = {
		/* builtins and keywords, even when a program of that name exists */
		"echo hi",
		"printf x",
		"test -f x",
		"[ -f x ]",
		"true",
		"false",
		"pwd",
		"kill 1",
		"time ls",
		"if",
		"exit 3",
		"exec ls",
		"cd sub",
		"type ls",
		": x",
		". ./run.sh",
		"source ./run.sh",
		"\"echo\" hi",
		"'[' x ]",
		"! ls",
		"{ ls",
		"[[ x",
		"command ls",
		"umask",
		"export A=b",
		/* assignments */
		"FOO=bar ls",
		"FOO= ls",
		"FOO+=x ls",
		"A[0]=x ls",
		/* what a shell expands */
		"ls *.c",
		"ls ?",
		"ls [ab]",
		"ls ~",
		"ls ~/x",
		"ls a{b,c}",
		"ls $HOME",
		"ls ${HOME}",
		"ls \"$HOME\"",
		"ls `id`",
		"ls $(id)",
		"ls $((1+1))",
		"ls \"a`id`\"",
		"ls $'a'",
		"ls $\"a\"",
		"ls a\\ b",
		"ls \"a\\\"b\"",
		"ls !x",
		"ls \"!x\"",
		"ls ^a^b",
		"ls a~",
		"ls $1",
		"ls $",
		/* more than one command, other descriptors, comments */
		"ls; ls",
		"ls && ls",
		"ls | ls",
		"ls &",
		"ls > x",
		"ls 2>&1",
		"ls < x",
		"(ls)",
		"ls\nls",
		"ls # x",
		"#ls",
		"ls <(id)",
		/* quotes that do not end, nothing at all */
		"ls 'a",
		"ls \"a",
		"ls \"a$GEMINI_PROJECT_DIR",
		"''",
		"\"\" x",
		/* no such program: the shell says so, with 127 or 126 */
		"no_such_program_here",
		"./no_such_file",
		"./not_executable",
		"./",
		"/",
		"sub",
		/* the case of command_for_shell() */
		"ls '$GEMINI_PROJECT_DIR'",
	};
	size_t failed = 0;

	(void)state;
	(void)fx_script("project/run.sh", "#!/bin/sh\n");
	(void)fx_write("project/not_executable", "#!/bin/sh\n");
	(void)fx_script("project/sub/x", "");
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		if (!prepare(commands[i]).direct)
			continue;
		print_error("direct: %s\n", commands[i]);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* No builtin and no keyword of the bash of this machine is executed directly. */
static void c6_1_every_builtin_of_bash(void **state)
{
	struct str rest, word;
	const char *list = run_command("compgen -b; compgen -k", "").out;
	size_t n = 0;

	(void)state;
	rest = str_from(list);
	while (str_split(&rest, '\n', &word)) {
		if (!word.n || str_eqz(word, "]]"))
			continue; /* only the end of [[ */
		n++;
		if (!sh_is_builtin(word))
			fail_msg("%.*s", STR_ARG(word));
	}
	assert_true(n > 50);
}

/* A startup file, exported functions, options: then a shell does more than the words say. */
static void c6_1_special_environment_forces_the_shell(void **state)
{
	static const char *const names[] = { "BASH_ENV", "BASH_FUNC_cat%%", "SHELLOPTS",
					     "BASHOPTS" };

	(void)state;
	assert_true(prepare("cat").direct);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		fx_setenv(names[i], "x");
		assert_false(prepare("cat").direct);
		fx_setenv(names[i], NULL);
	}
	fx_setenv("BASH_ENV", fx_write("rc", "echo startup\n"));
	assert_string_equal(run_command("/bin/cat /dev/null", "").out, "startup\n");
	/* Of the hook's own environment, too. */
	fx_setenv("BASH_ENV", NULL);
	assert_string_equal(
		run_command("/bin/cat /dev/null", fx_fmt("'env':{'BASH_ENV':'%s'}", fx_path("rc")))
			.out,
		"startup\n");
}

/* Whoever starts us cannot tell the shells of guards to do nothing. */
static void c8_2_an_odd_environment_silences_no_guard(void **state)
{
	static const char *const odd[][2] = {
		{ "SHELLOPTS", "noexec" },
		{ "BASHOPTS", "extdebug" },
		{ "BASH_FUNC_echo%%", "() { :; }" },
		{ "BASH_FUNC_exit%%", "() { builtin exit 0; }" },
		{ "BASH_ENV", "rc" },
		{ "ENV", "rc" },
	};
	const char *rc = fx_write("rc", "exit 0\n");

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(odd); i++) {
		fx_setenv(odd[i][0], strcmp(odd[i][1], "rc") == 0 ? rc : odd[i][1]);
		struct result r =
			run_command("cat >/dev/null; echo no >&2; exit 2", "'guard':true");
		if (r.exit_code != 2 || strcmp(r.err, "no\n") != 0)
			fail_msg("%s: %d \"%s\"", odd[i][0], r.exit_code, r.err);
		fx_setenv(odd[i][0], NULL);
	}
}

/* The same command as written, and so that only a shell can run it. */
static const char *const both_ways[] = {
	"cat /dev/null",
	"cat no_such_file",
	"ls -a empty",
	"/bin/sh -c 'exit 7'",
	"sh -c 'echo out; echo err >&2; exit 2'",
	"sh -c 'kill -9 $$'",
	"./args a 'b c' \"d e\" '' \"\" f'g'\"h\" $GEMINI_PROJECT_DIR \"$GEMINI_CWD/x\" i=j",
	"./args $GEMINI_SESSION_ID x",
	"./args \xc3\xa4 'tab\there' 'new\nline' ,:@%+-./_=",
	"./exit 0",
	"./exit 1",
	"./exit 2",
	"./exit 127",
	"./exit 255",
	"./zero",
	"sub/zero",
	"./noshebang a b",
	"env noshebang a b",
	"noshebang a b",
	"./not_executable",
	"./no_such_file",
	"no_such_program",
	"./badinterpreter",
	"./empty_file",
	"./sub",
	"./wd",
};

/* C6.1: same result, one process less. */
static void c6_1_same_result_with_and_without(void **state)
{
	size_t failed = 0;

	(void)state;
	(void)fx_script("project/args", "#!/bin/sh\nprintf '<%s>' \"$@\"\n");
	(void)fx_script("project/exit", "#!/bin/sh\necho leaving\nexit $1\n");
	(void)fx_script("project/zero", "#!/bin/sh\necho \"$0\"\n");
	(void)fx_script("project/sub/zero", "#!/bin/sh\necho \"$0\"\n");
	(void)fx_script("project/noshebang", "echo ran \"$@\"\n");
	(void)fx_script("project/badinterpreter", "#!/no/such/interpreter\n");
	(void)fx_script("project/empty_file", "");
	(void)fx_script("project/wd", "#!/bin/sh\npwd\necho \"$PWD\"\n");
	(void)fx_write("project/not_executable", "#!/bin/sh\n");
	(void)fx_script("project/empty/x", "");
	fx_setenv("PATH", fx_fmt("%s:%s", getenv("PATH"), fx.project));
	for (size_t i = 0; i < ARRAY_LEN(both_ways); i++) {
		struct result direct = run_command(both_ways[i], "");
		struct result shell = run_command(fx_fmt("%s;exit", both_ways[i]), "");
		bool same = direct.how == shell.how && direct.exit_code == shell.exit_code &&
			    strcmp(direct.out, shell.out) == 0;

		/* With "exit" added the shell stays and turns a signal into 128 + n. */
		if (same || (direct.how == TL_CLASS_SIGNALLED && shell.exit_code == 128 + 9))
			continue;
		print_error("%s\n  direct %s %d %s  shell %s %d %s\n", both_ways[i],
			    tl_class_name(direct.how), direct.exit_code, direct.out,
			    tl_class_name(shell.how), shell.exit_code, shell.out);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C6.1: ".." behind a symbolic link is what the kernel says, not what the text says. */
static void c6_1_parent_of_a_linked_directory(void **state)
{
	static const char *const commands[] = { "../which", "../which;exit" };

	(void)state;
	(void)fx_script("project/sub/x", "");
	(void)fx_script("project/which", "#!/bin/sh\necho project\n");
	(void)fx_script("which", "#!/bin/sh\necho outside\n");
	assert_int_equal(symlink(fx_path("project/sub"), fx_path("link")), 0);
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command(commands[i], "");
		AUTO(tl_outcome_free) struct tl_outcome *o =
			FX_FIRE(h, .name = "BeforeTool", .subject = "x", .cwd = fx_path("link"));

		assert_string_equal(fx_report(o, 0).output, "project\n");
	}
}

/* C6.1: PATH is the hook's; an entry that is relative is for a shell to decide. */
static void c6_1_path_of_the_hook(void **state)
{
	(void)state;
	(void)fx_script("bin1/tool", "#!/bin/sh\necho one\n");
	(void)fx_script("bin2/tool", "#!/bin/sh\necho two\n");
	(void)fx_script("project/rel/tool", "#!/bin/sh\necho relative\n");
	fx_setenv("PATH", fx_fmt("%s:%s:/usr/bin:/bin", fx_path("bin1"), fx_path("bin2")));
	assert_string_equal(run_command("tool", "").out, "one\n");
	assert_string_equal(
		run_command("tool", fx_fmt("'env':{'PATH':'%s:/bin'}", fx_path("bin2"))).out,
		"two\n");
	fx_setenv("PATH", fx_fmt("rel:%s:/usr/bin:/bin", fx_path("bin1")));
	assert_string_equal(run_command("tool", "").out, "relative\n");
	fx_setenv("PATH", fx_fmt(":%s:/usr/bin:/bin", fx_path("bin1")));
	assert_string_equal(run_command("tool", "").out, "one\n");
}

/* C6.1: the words are split as a shell splits them: a few hundred commands, compared with bash. */
static uint32_t random_state;

static uint32_t random_below(uint32_t n)
{
	random_state = random_state * 1664525u + 1013904223u;
	return (random_state >> 8) % n;
}

static const char *random_words(void)
{
	static const char *const pieces[] = { "a",
					      "bc",
					      "-x",
					      "--long=v",
					      "'s q'",
					      "\"d q\"",
					      "''",
					      "\"\"",
					      "'a'\"b\"c",
					      "\xc3\xa9",
					      "./p/q",
					      "a=b",
					      "@:%+,",
					      "'#'",
					      "\"#\"",
					      "x'\n'y",
					      "'\"'",
					      "\"'\"",
					      "$GEMINI_PROJECT_DIR",
					      "\"$GEMINI_PROJECT_DIR\"",
					      "${GEMINI_PROJECT_DIR}/x",
					      "1",
					      "0x",
					      "a\\b",
					      "*",
					      "~",
					      "$HOME",
					      "{a,b}",
					      ";",
					      "'un",
					      "a#b" };
	static const char *const gaps[] = { " ", "  ", "\t", "", " \t " };
	AUTO(buf_done) struct buf out = { 0 };
	size_t n = 1 + random_below(6);

	for (size_t i = 0; i < n; i++) {
		buf_addz(&out, gaps[random_below(ARRAY_LEN(gaps))]);
		/* Mostly what needs no shell. */
		size_t limit = random_below(8) ? ARRAY_LEN(pieces) - 8 : ARRAY_LEN(pieces);
		buf_addz(&out, pieces[random_below((uint32_t)limit)]);
	}
	return arena_z(&fx.arena, buf_str(&out));
}

static void c6_1_words_as_bash_splits_them(void **state)
{
	enum { COMMANDS = 600 };
	AUTO(buf_done) struct buf script = { 0 }, want = { 0 };
	struct vars vars = { .v = { { "GEMINI_PROJECT_DIR", "/p'q r" } }, .n = 1 };
	struct hook hook = { .command = "" };
	size_t compared = 0;

	(void)state;
	random_state = 42;
	for (size_t i = 0; i < COMMANDS; i++) {
		const char *command = random_words(), *const * words;
		size_t n;

		if (!command_words(&fx.arena, str_from(command), &vars, &hook, &words, &n))
			continue;
		compared++;
		for (size_t k = 0; k < n; k++)
			buf_addf(&want, "<%s>", words[k]);
		buf_addc(&want, '\n');
		/* The program's name as an argument: the first word may be an assignment else.
		 */
		struct str safe = command_for_shell(&fx.arena, str_from(command), &vars, &hook);
		buf_addf(&script, "printf '<%%s>' %.*s\necho\n", STR_ARG(safe));
	}
	assert_true(compared > 300);
	fx_setenv("GEMINI_PROJECT_DIR", "/p'q r");
	const char *file = fx_write("split.sh", buf_z(&script));
	struct proc p;
	struct proc_spec spec = { .file = "/bin/bash",
				  .argv = (const char *[]){ "bash", file, NULL },
				  .envp = fx.env,
				  .timeout_ms = WAIT_MS };
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	assert_string_equal(buf_z(&p.result.out), buf_z(&want));
	proc_done(&p);
}

/* ---- C6.6: variables ---- */

/* Names of directories that are code wherever a shell reads them: unquoted, in "...", in '...'. */
#define HOSTILE "a b'c\"d$(touch pwned);e`touch pwned`&\\|*"
static const char *const hostile_names[] = { HOSTILE,
					     "a $(touch pwned) b",
					     "x; touch pwned; y",
					     "'; touch pwned; '",
					     "\"; touch pwned; \"",
					     "a\ntouch pwned\n" };

struct form {
	const char *command;
	const char *out; /* NULL: it need not work, but nothing may be executed from the value */
};

static const struct form forms[] = {
	{ "$GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "${GEMINI_PROJECT_DIR}/run", "ran\n" },
	{ "\"$GEMINI_PROJECT_DIR/run\"", "ran\n" },
	{ "\"${GEMINI_PROJECT_DIR}/run\"", "ran\n" },
	{ "\"$GEMINI_PROJECT_DIR\"/run", "ran\n" },
	{ "\"${GEMINI_PROJECT_DIR}\"/run", "ran\n" },
	{ "'$GEMINI_PROJECT_DIR/run'", "ran\n" },
	{ "'$GEMINI_PROJECT_DIR'/run", "ran\n" },
	{ "'$GEMINI_PROJECT_DIR'/'run'", "ran\n" },
	{ "''$GEMINI_PROJECT_DIR''/run", "ran\n" },
	{ "$GEMINI_CWD/run", "ran\n" },
	{ "$CLAUDE_PROJECT_DIR/run", "ran\n" },
	{ "$TROTLINE_PROJECT_DIR/run", "ran\n" },
	{ "sh $GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "true; $GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "true && \"$GEMINI_PROJECT_DIR/run\" | cat", "ran\n" },
	{ "true; '$GEMINI_PROJECT_DIR/run'", "ran\n" },
	{ "(cd $GEMINI_PROJECT_DIR && ./run)", "ran\n" },
	{ "if [ -d $GEMINI_PROJECT_DIR ]; then $GEMINI_PROJECT_DIR/run; fi", "ran\n" },
	{ "for i in 1 2; do $GEMINI_PROJECT_DIR/run; done", "ran\nran\n" },
	{ "case x in x) $GEMINI_PROJECT_DIR/run;; esac", "ran\n" },
	{ "f() { $GEMINI_PROJECT_DIR/run; }; f", "ran\n" },
	{ "x=$GEMINI_PROJECT_DIR; \"$x/run\"", "ran\n" },
	{ "echo $($GEMINI_PROJECT_DIR/run)", "ran\n" },
	{ "echo \"$($GEMINI_PROJECT_DIR/run)\"", "ran\n" },
	{ "echo \"$(\"$GEMINI_PROJECT_DIR/run\")\"", "ran\n" },
	{ "echo \"$(echo $(\"${GEMINI_PROJECT_DIR}\"/run))\"", "ran\n" },
	{ "echo \"$(echo ')' >/dev/null; '$GEMINI_PROJECT_DIR/run')\"", "ran\n" },
	{ "echo `$GEMINI_PROJECT_DIR/run`", "ran\n" },
	{ "echo `\"$GEMINI_PROJECT_DIR/run\"`", "ran\n" },
	{ "echo \"`$GEMINI_PROJECT_DIR/run`\"", "ran\n" },
	{ "cat <<X >/dev/null\n$GEMINI_PROJECT_DIR\nX\n\"$GEMINI_PROJECT_DIR/run\"", "ran\n" },
	{ "cat <<'X' >/dev/null\n$GEMINI_PROJECT_DIR\nX\n$GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "cat <<< $GEMINI_PROJECT_DIR >/dev/null; $GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "echo $((1<<2)) >/dev/null; $GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "$GEMINI_PROJECT_DIR/run # $GEMINI_PROJECT_DIR it's \"", "ran\n" },
	{ "# '$GEMINI_PROJECT_DIR'\n$GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "echo a#b >/dev/null; $GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "echo ${#GEMINI_CWD} >/dev/null; $GEMINI_PROJECT_DIR/run", "ran\n" },
	{ "${GEMINI_PROJECT_DIR:-x}/run", NULL },
	{ "\"${GEMINI_PROJECT_DIR:-x}/run\"", "ran\n" },
	{ "\"${X:-$GEMINI_PROJECT_DIR}/run\"", "ran\n" },
	{ "echo \\$GEMINI_PROJECT_DIR", "$GEMINI_PROJECT_DIR\n" },
	{ "echo \"\\$GEMINI_PROJECT_DIR\"", "$GEMINI_PROJECT_DIR\n" },
	{ "echo \"it's\"; $GEMINI_PROJECT_DIR/run", "it's\nran\n" },
	{ "echo 'say \"'; $GEMINI_PROJECT_DIR/run", "say \"\nran\n" },
	{ "echo $'it\\'s'; $GEMINI_PROJECT_DIR/run", "it's\nran\n" },
	{ "echo \"$'x'\"; $GEMINI_PROJECT_DIR/run", "$'x'\nran\n" },
	{ "echo $GEMINI_PROJECT_DIRX-", "-\n" },
	{ "echo \"a\\\"b\" '$GEMINI_SESSION_ID'", "a\"b s-1\n" },
	{ "bash -c '\"$GEMINI_PROJECT_DIR/run\"'", "ran\n" },
	{ "bash -c '\"$0/run\"' $GEMINI_PROJECT_DIR", "ran\n" },
};

/* Programs given as text to an interpreter: the value never becomes a part of the program. */
static const char *const code_forms[] = {
	"bash -c '$GEMINI_PROJECT_DIR/run'",
	"bash -c 'echo $GEMINI_PROJECT_DIR'",
	"bash -c 'echo \"$GEMINI_PROJECT_DIR\"'",
	"bash -ec 'echo $GEMINI_PROJECT_DIR'",
	"bash -ce 'echo $GEMINI_PROJECT_DIR'",
	"bash -cx 'echo $GEMINI_PROJECT_DIR'",
	"bash -cu 'echo $GEMINI_PROJECT_DIR'",
	"bash -cl 'echo $GEMINI_PROJECT_DIR'",
	"bash -c -- 'echo $GEMINI_PROJECT_DIR'",
	"bash -c -e 'echo $GEMINI_PROJECT_DIR'",
	"bash -c -x 'echo $GEMINI_PROJECT_DIR'",
	"bash -c +o posix 'echo $GEMINI_PROJECT_DIR'",
	"bash -c \\\n'echo $GEMINI_PROJECT_DIR'",
	"bash '-c' 'echo $GEMINI_PROJECT_DIR'",
	"bash \"-c\" 'echo $GEMINI_PROJECT_DIR'",
	"bash -\"c\" 'echo $GEMINI_PROJECT_DIR'",
	"bash -c 'echo ''$GEMINI_PROJECT_DIR'",
	"bash -c 'echo '\"x\"'$GEMINI_PROJECT_DIR'",
	"bash -c \"echo \"'$GEMINI_PROJECT_DIR'",
	"bash -c echo\\ '$GEMINI_PROJECT_DIR'",
	"sh -c 'echo $GEMINI_PROJECT_DIR'",
	"env bash -c 'echo $GEMINI_PROJECT_DIR'",
	"env -S 'bash -c \"echo $GEMINI_PROJECT_DIR\"'",
	"eval 'echo $GEMINI_PROJECT_DIR'",
	"eval echo '$GEMINI_PROJECT_DIR'",
	"trap 'echo $GEMINI_PROJECT_DIR' EXIT",
	"bash <<< 'echo $GEMINI_PROJECT_DIR'",
	"bash <<X\necho '$GEMINI_PROJECT_DIR'\nX",
	"bash <<'X'\necho \"$GEMINI_PROJECT_DIR\"\nX",
	"echo 'echo $GEMINI_PROJECT_DIR' | bash",
	"printf '%s\\n' 'echo $GEMINI_PROJECT_DIR' | sh",
	"xargs -I{} sh -c 'echo $GEMINI_PROJECT_DIR' </dev/null",
	"find . -maxdepth 0 -exec sh -c 'echo $GEMINI_PROJECT_DIR' \\;",
	"timeout 5 bash -c 'echo $GEMINI_PROJECT_DIR'",
	"alias x='echo $GEMINI_PROJECT_DIR'",
	"PS4='$GEMINI_PROJECT_DIR' bash -xc true",
	"PROMPT_COMMAND='$GEMINI_PROJECT_DIR' bash -c true",
	"source <(echo 'echo $GEMINI_PROJECT_DIR')",
};

static const char *hostile_project(const char *name)
{
	const char *dir = fx_fmt("%s/project/%s", fx.dir, name);

	(void)fx_script(fx_fmt("%s/run", dir), "#!/bin/sh\necho ran\n");
	fx.project = dir;
	fx.home = fx_path("home");
	return dir;
}

static struct tl_outcome *fire_hostile(struct tl_hooks *h, const char *dir)
{
	return FX_FIRE(h, .name = "BeforeTool", .subject = "x", .session_id = "s-1", .cwd = dir);
}

static void assert_not_pwned(const char *command, size_t *failed)
{
	const char *places[] = { fx_fmt("%s/pwned", fx.project), fx_path("project/pwned"),
				 "pwned" };

	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (access(places[i], F_OK) < 0)
			continue;
		print_error("the value was executed: %s\n", command);
		(void)unlink(places[i]);
		(*failed)++;
	}
}

/* C6.6: every variable works with any path, in any quoting. */
static void c6_6_variables_work_in_any_quoting(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t k = 0; k < ARRAY_LEN(hostile_names); k++) {
		const char *dir = hostile_project(hostile_names[k]);

		for (size_t i = 0; i < ARRAY_LEN(forms) && (k < 2 || i < 20); i++) {
			AUTO(tl_hooks_unref) struct tl_hooks *h =
				fx_load_command(forms[i].command, "");
			AUTO(tl_outcome_free) struct tl_outcome *o = fire_hostile(h, dir);
			struct tl_report r = fx_report(o, 0);

			if (forms[i].out && strcmp(r.output, forms[i].out) != 0) {
				print_error("%s\n  printed: %s%s\n", forms[i].command, r.output,
					    r.errors);
				failed++;
			}
			assert_not_pwned(forms[i].command, &failed);
		}
	}
	assert_int_equal(failed, 0);
}

/* C6.6: a value never becomes shell code. */
static void c6_6_values_are_never_code(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t k = 1; k <= 2; k++) {
		const char *dir = hostile_project(hostile_names[k]);

		for (size_t i = 0; i < ARRAY_LEN(code_forms); i++) {
			AUTO(tl_hooks_unref) struct tl_hooks *h =
				fx_load_command(code_forms[i], "");
			AUTO(tl_outcome_free) struct tl_outcome *o = fire_hostile(h, dir);

			assert_non_null(o);
			assert_not_pwned(code_forms[i], &failed);
		}
	}
	assert_int_equal(failed, 0);
}

/* C6.6: a hook's own variables are a shell's business: split, and left alone in single quotes. */
static void c6_6_own_variables_are_the_shells(void **state)
{
	static const char *const more = "'env':{'FLAGS':'-a -b','X':'y'}";

	(void)state;
	(void)fx_script("project/args", "#!/bin/sh\nprintf '<%s>' \"$@\"\n");
	assert_string_equal(run_command("./args $FLAGS", more).out, "<-a><-b>");
	assert_string_equal(run_command("./args \"$FLAGS\"", more).out, "<-a -b>");
	assert_string_equal(run_command("./args '$X'", more).out, "<$X>");
	assert_string_equal(run_command("true; ./args $FLAGS '$X'", more).out, "<-a><-b><$X>");
}

/* C6.6: what every hook has, and the prefixes of two dialects. */
static void c6_6_environment(void **state)
{
	static const struct {
		const char *dialect, *name,
			*value; /* value: "p" project, "c" cwd, else as it is; NULL = unset */
	} cases[] = {
		{ "gemini", "GEMINI_PROJECT_DIR", "p" },
		{ "gemini", "GEMINI_CWD", "c" },
		{ "gemini", "GEMINI_SESSION_ID", "s-1" },
		{ "gemini", "CLAUDE_PROJECT_DIR", "p" },
		{ "gemini", "TROTLINE_PROJECT_DIR", "p" },
		{ "gemini", "PWD", "c" },
		{ "gemini", "TABNINE_PROJECT_DIR", NULL },
		{ "gemini", "TERMINAI_CWD", NULL },
		{ "tabnine", "TABNINE_PROJECT_DIR", "p" },
		{ "tabnine", "TABNINE_CWD", "c" },
		{ "tabnine", "TABNINE_SESSION_ID", "s-1" },
		{ "tabnine", "GEMINI_PROJECT_DIR", "p" },
		{ "terminai", "TERMINAI_PROJECT_DIR", "p" },
		{ "terminai", "TERMINAI_CWD", "c" },
		{ "terminai", "TERMINAI_SESSION_ID", "s-1" },
		{ "terminai", "TABNINE_CWD", NULL },
	};

	(void)state;
	(void)fx_script("project/sub/x", "");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_text(
			TL_TIER_USER, cases[i].dialect,
			fx_fmt("{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':"
			       "'echo ${%s-unset}'}]}]}}",
			       cases[i].name));
		AUTO(tl_outcome_free) struct tl_outcome *o =
			FX_FIRE(h, .name = "BeforeTool", .subject = "x", .session_id = "s-1",
				.cwd = fx_path("project/sub"));
		const char *value = cases[i].value ? cases[i].value : "unset";

		value = strcmp(value, "p") == 0   ? fx.project
			: strcmp(value, "c") == 0 ? fx_path("project/sub")
						  : value;
		assert_string_equal(fx_report(o, 0).output, fx_fmt("%s\n", value));
	}
}

/* C6.6: the plans directory, and the hook's own variables above all others. */
static void c6_6_plans_and_own_variables(void **state)
{
	(void)state;
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("echo $GEMINI_PLANS_DIR", "");
	AUTO(tl_outcome_free) struct tl_outcome *o = fire_hostile(h, fx.project);
	fx_assert_has(fx_report(o, 0).output, fx_fmt("%s/.gemini/tmp/project/s-1/plans", fx.home));
	fx_setenv("FOO", "inherited");
	assert_string_equal(run_command("echo $FOO", "").out, "inherited\n");
	assert_string_equal(run_command("echo $FOO", "'env':{'FOO':'own'}").out, "own\n");
	assert_string_equal(run_command("echo \"$FOO\"", "'env':{'FOO':7}").out, "7\n");
	assert_string_equal(run_command("echo $GEMINI_CWD", "'env':{'GEMINI_CWD':'mine'}").out,
			    "mine\n");
	assert_string_equal(run_command("env", "'env':{'FOO':'own'}").how == TL_CLASS_OK ? "" : "x",
			    "");
	/* Values of env are expanded when they are loaded. */
	assert_string_equal(
		run_command("echo \"$A|$B|$C|$D\"",
			    "'env':{'A':'$FOO','B':'${FOO}x','C':'${NO:-dflt}','D':'$NO'}")
			.out,
		"inherited|inheritedx|dflt|$NO\n");
}

/* C6.6: jpfork's notification hooks find what their document shows. */
static void c6_6_jpfork_notification(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_text(TL_TIER_USER, "jpfork",
			     "{'hooks':{'Notification':[{'hooks':[{'type':'command','command':"
			     "'echo \\\"$notification_type: $message\\\" >out'}]}]}}");
	static const char message[] = "\"may I $(touch pwned)?\"";
	struct tl_field f = { "message", message, sizeof message - 1 };
	AUTO(tl_outcome_free) struct tl_outcome *o = FX_FIRE(
		h, .name = "Notification", .subject = "ToolPermission", .fields = &f, .nfields = 1);

	(void)state;
	assert_non_null(o);
	assert_string_equal(fx_read("project/out"), "ToolPermission: may I $(touch pwned)?\n");
}

/* ---- C6.6: redaction ---- */

static const struct redaction {
	const char *name, *value;
	bool off, on, strict; /* is it there with redaction off, on, and under GitHub? */
} redactions[] = {
	{ "PLAIN_ENTRY", "x", true, true, false },
	{ "MY_TOKEN", "x", true, false, false },
	{ "API_KEY", "x", true, false, false },
	{ "my_password", "x", true, false, false },
	{ "DATABASE_URL", "x", true, false, false },
	{ "GOOGLE_CLOUD_PROJECT", "x", true, false, false },
	{ "GEMINI_CLI_SOMETHING_KEY", "x", true, true, true },
	{ "GIT_CONFIG_KEY_0", "x", true, true, true },
	{ "LANG", "C", true, true, true },
	{ "PULL_REQUEST_NUMBER", "7", true, true, true },
	{ "HARMLESS1", "ghp_0123456789abcdef0123456789abcdef0123", true, false, false },
	{ "HARMLESS2", "https://user:pass@example.org/", true, false, false },
	{ "HARMLESS3", "AIzaSy0123456789abcdef0123456789abcdef0", true, false, false },
	{ "HARMLESS4", "-----BEGIN RSA PRIVATE KEY-----", true, false, false },
	{ "LC_ALL", "ghp_0123456789abcdef0123456789abcdef0123", true, false, false },
	{ "ALLOWED_KEY", "x", true, true, true },
	{ "BLOCKED_ENTRY", "x", true, false, false },
	{ "allowed_token", "x", true, true, true },
};

static void check_redaction(const char *config, bool strict, size_t member)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_text(
		TL_TIER_USER, NULL,
		fx_fmt("{%s'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':'env',"
		       "'env':{'OWN_TOKEN':'kept'}}]}]}}",
		       config));
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
	const char *out = fx_fmt("\n%s", fx_report(o, 0).output);

	for (size_t i = 0; i < ARRAY_LEN(redactions); i++) {
		const struct redaction *r = &redactions[i];
		bool want = strict ? r->strict : member ? r->on : r->off;

		if (!!strstr(out, fx_fmt("\n%s=", r->name)) != want)
			fail_msg("%s%s: %s", config, strict ? " (strict)" : "", r->name);
	}
	fx_assert_has(out, "\nOWN_TOKEN=kept");
	fx_assert_has(out, "\nGEMINI_PROJECT_DIR=");
	fx_assert_has(out, "\nPATH=");
}

static void c6_6_redaction(void **state)
{
	static const char on[] =
		"'security':{'environmentVariableRedaction':{'enabled':true,"
		"'allowed':['ALLOWED_KEY','Allowed_Token'],'blocked':['blocked_entry']}},";
	static const char off[] =
		"'security':{'environmentVariableRedaction':{'enabled':false,"
		"'allowed':['ALLOWED_KEY','Allowed_Token'],'blocked':['blocked_entry']}},";

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(redactions); i++)
		fx_setenv(redactions[i].name, redactions[i].value);
	check_redaction("", false, 0);
	check_redaction(off, false, 0);
	check_redaction(on, false, 1);
	fx_setenv("GITHUB_SHA", "abc");
	check_redaction(off, true, 0);
	fx_setenv("GITHUB_SHA", NULL);
	fx_setenv("SURFACE", "Github");
	check_redaction(on, true, 0);
	fx_setenv("SURFACE", "other");
	check_redaction("", false, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c6_1_plain_words_are_direct),
		ENGINE_TEST(c6_1_everything_else_has_a_shell),
		ENGINE_TEST(c6_1_every_builtin_of_bash),
		ENGINE_TEST(c6_1_special_environment_forces_the_shell),
		ENGINE_TEST(c8_2_an_odd_environment_silences_no_guard),
		ENGINE_TEST(c6_1_same_result_with_and_without),
		ENGINE_TEST(c6_1_parent_of_a_linked_directory),
		ENGINE_TEST(c6_1_path_of_the_hook),
		ENGINE_TEST(c6_1_words_as_bash_splits_them),
		ENGINE_TEST(c6_6_variables_work_in_any_quoting),
		ENGINE_TEST(c6_6_values_are_never_code),
		ENGINE_TEST(c6_6_own_variables_are_the_shells),
		ENGINE_TEST(c6_6_environment),
		ENGINE_TEST(c6_6_plans_and_own_variables),
		ENGINE_TEST(c6_6_jpfork_notification),
		ENGINE_TEST(c6_6_redaction),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
