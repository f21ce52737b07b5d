/* The flags of the agent. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "cli/agent/agent_options.h"

enum { WORDS_MAX = 16 };

/* Parses the words of a line, cut at blanks; a word "''" is empty, "~" in a word is a blank. */
static int parse(struct agent_options *o, struct err *err, const char *line)
{
	static char text[512];
	char *argv[WORDS_MAX];
	int argc = 0;
	size_t n = 0;

	for (struct str rest = str_from(line), word; str_split(&rest, ' ', &word);) {
		if (!word.n)
			continue;
		argv[argc++] = text + n;
		for (size_t i = 0; i < word.n && !str_eqz(word, "''"); i++)
			text[n++] = word.p[i] == '~' ? ' ' : word.p[i];
		text[n++] = '\0';
	}
	return agent_options_parse(o, argc, argv, err);
}

static void test_forms(void **state)
{
	static const char *const lines[] = {
		"-p Say~hi -m flash -o json -y -d",
		"--prompt Say~hi --model flash --output-format json --yolo --debug",
		"--prompt=Say~hi --model=flash --output-format=json --yolo=true --debug",
		"-pSay~hi -mflash -ojson -yd",
		"-p=Say~hi -m=flash -ydo=json",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		AUTO(agent_options_done) struct agent_options o;
		struct err err;

		assert_int_equal(parse(&o, &err, lines[i]), 0);
		assert_string_equal(o.prompt, "Say hi");
		assert_string_equal(o.model, "flash");
		assert_int_equal(agent_options_format(&o), OUTPUT_JSON);
		assert_true(o.yolo && o.debug && !o.help);
		assert_null(o.words);
	}
}

static void test_words_and_end(void **state)
{
	AUTO(agent_options_done) struct agent_options o, p;
	struct err err;

	(void)state;
	assert_int_equal(parse(&o, &err, "fix -d the bug -- --all -x"), 0);
	assert_string_equal(o.words, "fix the bug --all -x");
	assert_true(o.debug);
	assert_int_equal(agent_options_format(&o), OUTPUT_TEXT);
	assert_int_equal(parse(&p, &err, "-y --no-yolo -p ''"), 0);
	assert_false(p.yolo);
	assert_string_equal(p.prompt, "");
}

static void test_resume_value(void **state)
{
	static const struct {
		const char *line, *value;
	} cases[] = {
		{ "-r -p x", "" },          { "-p x --resume", "" },        { "-r 3 -p x", "3" },
		{ "--resume=3 -p x", "3" }, { "-r latest -p x", "latest" }, { "-r3 -p x", "3" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(agent_options_done) struct agent_options o;
		struct err err;

		assert_int_equal(parse(&o, &err, cases[i].line), 0);
		assert_string_equal(o.resume, cases[i].value);
		assert_string_equal(o.prompt, "x");
	}
}

static void test_lists(void **state)
{
	AUTO(agent_options_done) struct agent_options o;
	struct err err;

	(void)state;
	assert_int_equal(parse(&o, &err,
			       "--include-directories a,~b --include-directories=c -p x "
			       "--allowed-tools glob,run_shell_command(a,b),read_file"),
			 0);
	assert_int_equal(o.include_directories.n, 3);
	assert_string_equal(o.include_directories.p[1], "b");
	assert_string_equal(o.include_directories.p[2], "c");
	assert_null(o.include_directories.p[3]);
	assert_int_equal(o.allowed_tools.n, 3);
	assert_string_equal(o.allowed_tools.p[1], "run_shell_command(a,b)");
	assert_null(o.extensions.p);
}

static void test_refused(void **state)
{
	static const struct {
		const char *line, *text;
	} cases[] = {
		{ "-p a b",
		  "Cannot use both a positional prompt and the --prompt (-p) flag together" },
		{ "-p a -i b", "Cannot use both --prompt (-p) and --prompt-interactive (-i) "
			       "together" },
		{ "-y --approval-mode plan",
		  "Cannot use both --yolo (-y) and --approval-mode together. Use "
		  "--approval-mode=yolo instead." },
		{ "-o xml", "Invalid values:\n  Argument: output-format, Given: \"xml\", Choices: "
			    "\"text\", \"json\", \"stream-json\"" },
		{ "-o jsn", "Invalid values:\n  Argument: output-format, Given: \"jsn\", Choices: "
			    "\"text\", \"json\", \"stream-json\"; did you mean \"json\"?" },
		{ "--approval-mode PLAN",
		  "Invalid values:\n  Argument: approval-mode, Given: \"PLAN\", Choices: "
		  "\"default\", \"auto_edit\", \"yolo\", \"plan\"; did you mean \"plan\"?" },
		{ "--approval-mode acceptEdits",
		  "Invalid values:\n  Argument: approval-mode, Given: \"acceptEdits\", Choices: "
		  "\"default\", \"auto_edit\", \"yolo\", \"plan\"; did you mean \"auto_edit\"?" },
		{ "--continue", "Unknown argument: continue; did you mean \"--resume\"?" },
		{ "-c", "Unknown argument: c; did you mean \"--resume\"?" },
		{ "--permission-mode plan",
		  "Unknown argument: permission-mode; did you mean \"--approval-mode\"?" },
		{ "--json", "Unknown argument: json; did you mean \"--output-format=json\"?" },
		{ "--nope", "Unknown argument: nope; trotline --help lists the options" },
		{ "--nope=1", "Unknown argument: nope; trotline --help lists the options" },
		{ "--no-model", "Unknown argument: no-model; trotline --help lists the options" },
		{ "--promt x", "Unknown argument: promt; did you mean \"--prompt\"?" },
		{ "-z", "Unknown argument: z; trotline --help lists the options" },
		{ "-yz", "Unknown argument: z; trotline --help lists the options" },
		{ "-p", "Not enough arguments following: prompt" },
		{ "--yolo=maybe", "--yolo takes no value, not \"maybe\"" },
		{ "-r --session-id x", "Cannot use both --resume (-r) and --session-id together" },
		{ "--session-file a --session-id x",
		  "Cannot use both --session-id and --session-file together" },
		{ "--session-id a/b", "Invalid session ID \"a/b\": use letters, digits, - and _" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(agent_options_done) struct agent_options o;
		struct err err = { 0 };

		assert_int_equal(parse(&o, &err, cases[i].line), -E_INVAL);
		assert_string_equal(err.text, cases[i].text);
	}
}

static void test_help(void **state)
{
	AUTO(buf_done) struct buf help = { 0 };

	(void)state;
	agent_options_help(&help, 80);
	assert_non_null(strstr(buf_z(&help), "-p, --prompt TEXT"));
	assert_non_null(strstr(buf_z(&help), "trotline hooks --help"));
	assert_null(strstr(buf_z(&help), "responses"));
	for (struct str rest = buf_str(&help), line; str_split(&rest, '\n', &line);)
		assert_true(line.n <= 80);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_forms),        cmocka_unit_test(test_words_and_end),
		cmocka_unit_test(test_resume_value), cmocka_unit_test(test_lists),
		cmocka_unit_test(test_refused),      cmocka_unit_test(test_help),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
