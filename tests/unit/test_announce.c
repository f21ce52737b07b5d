/*
 * Scripts that announce their exit status (C6.9): of each in tests/data/announce everything that a
 * run tells is what it is without, and what the process leaves behind is, too.
 *
 *	== EXTENSION announced|waited: what it is
 *
 * TEST_PYTHON and TEST_NODE name other interpreters than those on PATH.
 */
#include "proc_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>

#include "base/env.h"
#include "base/vec.h"
#include "hooks/announce.h"
#include "os/clock.h"
#include "os/fs.h"

/* What a run told. */
struct told {
	enum proc_end end;
	int code;
	bool announced;
	struct buf out, err, result, left;
};

static void told_done(struct told *t)
{
	buf_done(&t->out);
	buf_done(&t->err);
	buf_done(&t->result);
	buf_done(&t->left);
}

DEFINE_AUTO(struct told, told_done)

static char work_dir[256];

static void use_work_dir(void)
{
	(void)snprintf(work_dir, sizeof work_dir, "%s/work", scratch_dir());
	(void)mkdir(work_dir, 0700);
}

static const char *in_work_dir(const char *name)
{
	static char path[320];

	(void)snprintf(path, sizeof path, "%s/%s", work_dir, name);
	return path;
}

static const char payload[] = "{\"tool_name\": \"Bash\", \"tool_input\": {\"command\": \"ls\"}}";
static const struct iovec input = { (void *)(uintptr_t)payload, sizeof payload - 1 };

static void take(struct proc *p, struct told *t)
{
	t->end = p->result.end;
	t->code = p->result.code;
	t->announced = p->result.announced;
	buf_adds(&t->out, buf_str(&p->result.out));
	buf_adds(&t->err, buf_str(&p->result.err));
	buf_adds(&t->result, buf_str(&p->result.result));
}

static void run_plain(const struct proc_spec *spec, struct told *t)
{
	struct proc_spec as = *spec;
	AUTO(proc_done) struct proc p;

	as.input = &input;
	as.ninput = 1;
	as.timeout_ms = DEADLINE_MS;
	(void)unlink(in_work_dir("left"));
	assert_int_equal(proc_run(&p, &as, NULL, NULL), 0);
	take(&p, t);
	(void)fs_read(in_work_dir("left"), 1 << 20, &t->left, NULL);
}

/* The same that was started ahead of time; what it has announced is how it ends. */
static void run_ahead(const struct proc_spec *spec, struct told *t)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct proc_spec as = *spec;
	struct announcer by;
	AUTO(proc_done) struct proc p;

	as.waits = true;
	announce_prepare(&a, scratch_dir(), &as, &by);
	assert_true(as.announces);
	(void)unlink(in_work_dir("left"));
	assert_int_equal(proc_start(&p, &as, NULL), 0);
	assert_true(announce_is_intact(&by));
	assert_true(proc_ask(&p, &input, 1, DEADLINE_MS));
	step_to_end(&p);
	take(&p, t);
	if (t->announced) {
		proc_go_on(&p);
		step_to_end(&p);
		assert_int_equal(p.result.end, PROC_EXITED);
		assert_int_equal(p.result.code, t->code);
	}
	(void)fs_read(in_work_dir("left"), 1 << 20, &t->left, NULL);
	announce_done(&by);
}

static bool is_same(const struct buf *a, const struct buf *b, const char *what, const char *name)
{
	if (str_eq(buf_str(a), buf_str(b)))
		return true;
	print_error("%s: %s is\n%.*s\nand not\n%.*s\n", name, what, STR_ARG(buf_str(b)),
		    STR_ARG(buf_str(a)));
	return false;
}

/* How many things differ. */
static int compare(const struct proc_spec *spec, const char *name, bool announced)
{
	AUTO(told_done) struct told plain = { 0 }, ahead = { 0 };
	int wrong = 0;

	run_plain(spec, &plain);
	run_ahead(spec, &ahead);
	wrong += !is_same(&plain.out, &ahead.out, "stdout", name);
	wrong += !is_same(&plain.err, &ahead.err, "stderr", name);
	wrong += !is_same(&plain.result, &ahead.result, "the result channel", name);
	wrong += !is_same(&plain.left, &ahead.left, "the file", name);
	/* A script that fails before it reads was not asked. */
	if ((plain.end != ahead.end && ahead.end != PROC_UNHEARD) || plain.code != ahead.code) {
		print_error("%s: ended with %d %d and not %d %d\n", name, (int)ahead.end,
			    ahead.code, (int)plain.end, plain.code);
		wrong++;
	}
	if (ahead.announced != announced) {
		print_error("%s: was %s\n", name, announced ? "waited for" : "announced");
		wrong++;
	}
	return wrong;
}

/* The one that a test is to use, or that is on PATH and no script. */
static bool find_interpreter(const char *variable, const char *name, char **ret)
{
	const char *given = getenv(variable);

	if (given) {
		*ret = xstrdup(given);
		return true;
	}
	AUTO(free) char *usual = xasprintf("/usr/bin/%s", name);
	if (!fs_is_program(usual))
		return false;
	*ret = MOVE(usual);
	return true;
}

static int compare_script(const char *interpreter, struct str kind, struct str script,
			  const char *name, bool announced)
{
	AUTO(free) char *file = xasprintf("hook.%.*s", STR_ARG(kind));
	AUTO(free) char *own = xasprintf("./%s", file);
	AUTO(free) char *path =
		xasprintf("PATH=%.*s:/usr/bin:/bin", (int)(strrchr(interpreter, '/') - interpreter),
			  interpreter);
	AUTO(free) char *home = xasprintf("HOME=%s", scratch_dir());
	bool shebang = str_starts(script, STR("#!"));
	const char *env[] = { path, home, "PYTHONDONTWRITEBYTECODE=1", NULL };
	const char *named[] = { interpreter, file, NULL }, *alone[] = { own, NULL };
	const struct proc_spec spec = {
		.file = shebang ? own : interpreter,
		.argv = shebang ? alone : named,
		.envp = env,
		.cwd = work_dir,
		.result_pipe = true,
	};

	assert_int_equal(fs_replace(in_work_dir(file), script, 0700, NULL), 0);
	return compare(&spec, name, announced);
}

/* All of a file, or those whose name has TEST_ANNOUNCE in it. */
static void compare_all(const char *data, const char *interpreter)
{
	const char *root = getenv("TEST_SOURCE_ROOT"), *only = getenv("TEST_ANNOUNCE");
	AUTO(free) char *path = xasprintf("%s/tests/data/announce/%s", root ? root : ".", data);
	AUTO(buf_done) struct buf text = { 0 };
	struct str rest;
	int wrong = 0, n = 0;

	use_work_dir();
	assert_int_equal(fs_read(path, 1 << 20, &text, NULL), 0);
	rest = buf_str(&text);
	while (str_starts(rest, STR("== "))) {
		ptrdiff_t line = str_chr(rest, '\n', 0), end = str_find(rest, STR("\n== "), 0);
		struct str head = str_sub(rest, 3, (size_t)line), kind;
		struct str script =
			str_sub(rest, (size_t)line + 1, end < 0 ? rest.n : (size_t)end + 1);
		ptrdiff_t blank = str_chr(head, ' ', 0);
		AUTO(free) char *name = xasprintf("%.*s", STR_ARG(head));

		assert_true(blank > 0);
		kind = str_sub(head, 0, (size_t)blank);
		if (!only || strstr(name, only))
			wrong += compare_script(interpreter, kind, script, name,
						strstr(name, " announced: ") != NULL);
		n++;
		rest = str_sub(rest, end < 0 ? rest.n : (size_t)end + 1, rest.n);
	}
	assert_true(n > 20);
	assert_int_equal(wrong, 0);
}

static void c6_9_python_ends_as_it_would(void **state)
{
	AUTO(free) char *python = NULL;

	(void)state;
	if (!find_interpreter("TEST_PYTHON", "python3", &python))
		skip();
	compare_all("python.txt", python);
}

static void c6_9_node_ends_as_it_would(void **state)
{
	AUTO(free) char *node = NULL;

	(void)state;
	if (!find_interpreter("TEST_NODE", "node", &node))
		skip();
	compare_all("node.txt", node);
}

/* What the interpreter is given may be read there, and a script that was the program. */
static void c6_12_also_in_a_sandbox(void **state)
{
	static const struct {
		const char *variable, *name, *file, *text;
	} cases[] = {
		{ "TEST_PYTHON", "python3", "../alone.py",
		  "#!/usr/bin/env python3\nimport sys\nsys.stdin.read()\nsys.exit(2)\n" },
		{ "TEST_NODE", "node", "../alone.cjs",
		  "#!/usr/bin/env node\nrequire('fs').readFileSync(0);\nprocess.exit(2);\n" },
	};
	const char *read[] = { work_dir, NULL };
	struct sandbox may = { .read = read };

	(void)state;
	if (sandbox_check(sandbox_abi(), NULL) < 0)
		skip();
	use_work_dir();
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *env[] = { "PATH=/usr/bin:/bin", NULL };
		const char *argv[] = { cases[i].file, NULL };
		const struct proc_spec spec = {
			.file = cases[i].file,
			.argv = argv,
			.envp = env,
			.cwd = work_dir,
			.result_pipe = true,
			.sandbox = &may,
		};
		AUTO(free) char *there = NULL;

		if (!find_interpreter(cases[i].variable, cases[i].name, &there))
			continue;
		assert_int_equal(
			fs_replace(in_work_dir(cases[i].file), str_from(cases[i].text), 0700, NULL),
			0);
		assert_int_equal(compare(&spec, cases[i].file, true), 0);
	}
}

/* What is started as it is: nothing that could change for the script is touched. */
static void c6_9_what_cannot_announce_is_left_alone(void **state)
{
	static const struct {
		const char *words[5], *variable;
	} cases[] = {
		{ { "/usr/bin/python3", "-c", "pass" }, NULL },
		{ { "/usr/bin/python3", "-m", "json.tool" }, NULL },
		{ { "/usr/bin/python3", "-" }, NULL },
		{ { "/usr/bin/python3", "-x", "hook.py" }, NULL },
		{ { "/usr/bin/python3", "-Wall", "hook.py" }, NULL },
		{ { "/usr/bin/python3" }, NULL },
		{ { "/usr/bin/python3", "hook.py" }, "PYTHONINSPECT=1" },
		{ { "/usr/bin/node", "-e", "0" }, NULL },
		{ { "/usr/bin/node", "--permission", "hook.cjs" }, NULL },
		{ { "/usr/bin/node", "--import", "./x.mjs", "hook.cjs" }, NULL },
		{ { "/usr/bin/node", "hook.cjs" }, "NODE_OPTIONS=--no-warnings --permission" },
		{ { "/bin/sh", "hook.sh" }, NULL },
		{ { "./python3", "hook.py" }, NULL }, /* a script of that name */
		{ { "./closed.py" }, NULL }, /* it may not be executed */
	};

	(void)state;
	use_work_dir();
	assert_int_equal(fs_replace(in_work_dir("python3"), STR("#!/bin/sh\nexit 2\n"), 0700, NULL),
			 0);
	assert_int_equal(
		fs_replace(in_work_dir("closed.py"), STR("#!/usr/bin/python3\n"), 0600, NULL), 0);
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const char *env[] = { "PATH=/usr/bin:/bin", cases[i].variable, NULL };
		struct proc_spec spec = {
			.file = cases[i].words[0],
			.argv = cases[i].words,
			.envp = env,
			.cwd = work_dir,
			.result_pipe = true,
		};
		struct announcer by;

		announce_prepare(&a, scratch_dir(), &spec, &by);
		assert_false(spec.announces);
		assert_ptr_equal(spec.argv, cases[i].words);
		assert_null(by.file);
	}
}

/* The file in the home directory is no other than ours when it is loaded. */
static void c6_9_a_changed_file_is_not_used(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *argv[] = { "node", "hook.cjs", NULL }, *env[] = { "PATH=/usr/bin:/bin", NULL };
	const struct proc_spec spec = {
		.file = "/usr/bin/node", .argv = argv, .envp = env, .cwd = "/", .result_pipe = true
	};
	AUTO(buf_done) struct buf text = { 0 };
	struct proc_spec first = spec, second = spec;
	struct announcer by, again;

	(void)state;
	if (!fs_is_program(spec.file))
		skip();
	announce_prepare(&a, scratch_dir(), &first, &by);
	assert_non_null(by.file);
	assert_int_equal(fs_replace(by.file, STR("process.exit(0)"), 0600, NULL), 0);
	assert_false(announce_is_intact(&by));
	announce_prepare(&a, scratch_dir(), &second, &again);
	assert_true(announce_is_intact(&again));
	assert_int_equal(fs_read(again.file, 1 << 20, &text, NULL), 0);
	assert_true(str_eqz(buf_str(&text), announce_cjs));
	assert_false(announce_is_intact(&by));
	announce_done(&by);
	announce_done(&again);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c6_9_python_ends_as_it_would),
		cmocka_unit_test(c6_9_node_ends_as_it_would),
		cmocka_unit_test(c6_12_also_in_a_sandbox),
		cmocka_unit_test(c6_9_what_cannot_announce_is_left_alone),
		cmocka_unit_test(c6_9_a_changed_file_is_not_used),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
