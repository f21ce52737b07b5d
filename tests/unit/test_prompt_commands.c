/* Custom commands: names, quoting of arguments for the shell, prompts of MCP servers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "agent/catalog/prompt_commands.h"
#include "os/proc.h"
#include "tools_fixture.h"

/* ---- files ---- */

static struct buf complaints;

static void complain(void *data, enum note_kind kind, const char *text)
{
	(void)data;
	(void)kind;
	buf_addf(&complaints, "%s\n", text);
}

static bool is_taken(void *data, struct str name)
{
	(void)data;
	return str_eqz(name, "help");
}

/* "name=prompt;" of each, from the homes, projects and extensions user/, project/, a/, b/ of a test. */
static struct str names_of(struct arena *a, const char *test)
{
	struct extension e[] = { { .name = "a", .chosen = true }, { .name = "b", .chosen = true } };
	const struct extensions extensions = { .p = e, .n = ARRAY_LEN(e) };
	AUTO(buf_done) struct buf out = { 0 };
	const struct prompt_commands *all;

	for (size_t i = 0; i < ARRAY_LEN(e); i++)
		e[i].dir = e[i].root = arena_printf(a, "%s/%s/%s", fx.dir, test, e[i].name).p;
	buf_clear(&complaints);
	all = prompt_commands_read(
		a, &(struct prompt_commands_options){
			   .files = { .home = arena_printf(a, "%s/%s/user", fx.dir, test).p,
				      .project = arena_printf(a, "%s/%s/project", fx.dir, test).p,
				      .trusted = true,
				      .extensions = &extensions,
				      .notes = { complain, NULL } },
			   .is_taken = is_taken });
	for (size_t i = 0; i < all->n; i++) {
		assert_ptr_equal(prompt_command_find(all, str_from(all->p[i].name)), &all->p[i]);
		buf_addf(&out, "%s=%.*s;", all->p[i].name, STR_ARG(all->p[i].prompt));
	}
	return arena_str(a, buf_str(&out));
}

static void names_H6_3(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	put("n/user/.gemini/commands/two.toml", "prompt='U'");
	put("n/user/.gemini/commands/only.toml", "prompt='O'");
	put("n/user/.gemini/commands/help.toml", "prompt='H'");
	put("n/project/.gemini/commands/two.toml", "prompt='P'");
	put("n/project/.gemini/commands/user.two.toml", "prompt='FAKE'");
	put("n/a/commands/two.toml", "prompt='A'");
	put("n/a/commands/one.toml", "prompt='A1'");
	put("n/b/commands/one.toml", "prompt='B1'");
	put("n/user/.gemini/commands/b/one.toml", "prompt='UB1'");
	assert_string_equal(names_of(&a, "n").p,
			    "a:one=A1;a:two=A;b:one=UB1;b:one1=B1;only=O;two=P;user.help=H;"
			    "user.two=U;workspace.two=P;workspace.user.two=FAKE;");
	assert_string_equal(buf_z(&complaints), "");
}

static void names_are_words(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };

	(void)state;
	put("w/user/.gemini/commands/a b.toml", "prompt='1'");
	put("w/user/.gemini/commands/a:b.toml", "prompt='2'");
	put("w/user/.gemini/commands/x\033[2J\n.toml", "prompt='3'");
	put("w/user/.gemini/commands/\xe2\x80\xaegnp.toml", "prompt='4'");
	put("w/user/.gemini/commands/caf\xc3\xa9.toml", "prompt='5'");
	put("w/user/.gemini/commands/.hidden.toml", "prompt='6'");
	put("w/user/.gemini/commands/other.txt", "prompt='7'");
	put("w/user/.gemini/commands/.toml", "prompt='8'");
	put("w/user/.gemini/commands/\xff.toml", "prompt='9'");
	put("w/user/.gemini/commands/$(id).toml", "prompt='10'");
	assert_string_equal(names_of(&a, "w").p,
			    "_=9;__id_=10;_gnp=4;a-b=1;a_b=2;caf\xc3\xa9=5;x__2J_=3;");
}

static void descriptions_are_one_clean_line(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct prompt_commands *all;

	(void)state;
	put("d/.gemini/commands/x.toml",
	    "prompt='1'\ndescription=\"a\\tb\\nc \\u001b[31mred \\u202e\"");
	all = prompt_commands_read(&a, &(struct prompt_commands_options){
					       .files.home = arena_printf(&a, "%s/d", fx.dir).p });
	assert_int_equal(all->n, 1);
	assert_string_equal(all->p[0].description, "a b c \\x1b[31mred \\u202e");
}

static void limits_of_files(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf deep = { 0 };

	(void)state;
	buf_addz(&deep, "l/user/.gemini/commands");
	for (int i = 0; i < COMMAND_DEPTH_MAX + 2; i++)
		buf_addz(&deep, "/d");
	buf_addz(&deep, "/x.toml");
	put(buf_z(&deep), "prompt='1'");
	for (int i = 0; i < COMMAND_FILES_MAX + 5; i++) {
		AUTO(free) char *name = xasprintf("l/a/commands/c%d.toml", i);

		put(name, "prompt='1'");
	}
	assert_int_equal(strlen(names_of(&a, "l").p) > 0, 1);
	assert_non_null(strstr(buf_z(&complaints), "more than 8 levels deep"));
	assert_non_null(strstr(buf_z(&complaints), "after the first 1000"));
}

static void lines_are_commands_or_not(void **state)
{
	static const struct {
		const char *line, *name, *args;
	} rows[] = {
		{ "/two", "two", "" },        { "  /two  x  y ", "two", "x  y" },
		{ "/a:b\nx", "a:b", "x" },    { "/two\tx", "two", "x" },
		{ "/etc/hosts", NULL, NULL }, { "/", NULL, NULL },
		{ "/ two", NULL, NULL },      { "two", NULL, NULL },
		{ "", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct str name, args;
		bool is = prompt_command_split(str_from(rows[i].line), &name, &args);

		assert_int_equal(is, rows[i].name != NULL);
		if (!is)
			continue;
		assert_true(str_eqz(name, rows[i].name));
		assert_true(str_eqz(args, rows[i].args));
	}
}

/* ---- expansion ---- */

static int echo_shell(void *data, struct str command, struct arena *a, struct str *ret_output,
		      struct err *err)
{
	(void)data, (void)err;
	*ret_output = arena_printf(a, "<%.*s>", STR_ARG(command));
	return 0;
}

static int echo_file(void *data, struct str path, struct arena *a, struct str *ret_text,
		     struct err *err)
{
	(void)data;
	if (str_eqz(path, "none"))
		return err_set(err, E_NOTFOUND, "none");
	*ret_text = arena_printf(a, "(%.*s)", STR_ARG(path));
	return 0;
}

/* "-" and the error when there is one. */
static struct str expand(struct arena *a, const char *prompt, const char *args)
{
	struct prompt_command c = { .name = "t",
				    .origin = CATALOG_USER,
				    .prompt = str_from(prompt) };
	struct prompt_expand e = { .shell = echo_shell, .file = echo_file };
	struct err err = { 0 };
	struct str out = { 0 }, line = arena_printf(a, "/t %s", args);

	if (prompt_command_expand(a, &c, str_from(args), line, &e, &out, &err) < 0)
		return arena_printf(a, "-%s", err.text);
	return out;
}

static void expansion_H6_4_H6_5(void **state)
{
	static const struct {
		const char *prompt, *args, *out;
	} rows[] = {
		{ "plain", "", "plain" },
		{ "plain", "x y", "plain\n\n/t x y" },
		{ "a {{args}} b", "", "a  b" },
		{ "a {{args}} b {{args}}", "x", "a x b x" },
		{ "{{args}}", "{{args}} !{id} @{x}", "{{args}} !{id} @{x}" },
		{ "@{a}@{none}@{}@{ b c }", "", "(a)@{none}(b c)" },
		{ "@{d/{{args}}.md}", "x", "(d/x.md)" },
		{ "!{a}!{}!{ {b} {} }", "", "<a><{b} {}>" },
		{ "!{echo @{x}}", "", "<echo @{x}>" },
		{ "@{!{x}}", "", "(!{x})" },
		{ "@x !x { } @ ! {{x}} {{args}", "", "@x !x { } @ ! {{x}} {{args}" },
		{ "!{echo {{args}}}", "x", "<echo 'x'>" },
		{ "!{a {{args}} b}", "", "<a  b>" },
		{ "!{a", "", "-\"!{a\" in its prompt has no closing \"}\"" },
		{ "x @{a {}", "", "-\"@{a {}\" in its prompt has no closing \"}\"" },
		{ "", "x", "\n\n/t x" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct str out = expand(&a, rows[i].prompt, rows[i].args);

		if (!str_eqz(out, rows[i].out))
			fail_msg("%s with %s\ngives %s\n  not %s", rows[i].prompt, rows[i].args,
				 out.p, rows[i].out);
	}
}

/* Commands that print their words one a line; the argument must be where ARG is. */
static const char *const safe[] = {
	"p {{args}}",
	"p a{{args}}b",
	"p \"{{args}}\"",
	"p 'a {{args}} b'",
	"p \"a {{args}} 'b\"",
	"p 'x'\\''y' {{args}}",
	"p \"x\\\"y\" {{args}}",
	"p $X \"$X\" {{args}}",
	"p <<<y {{args}}",
	"p a#b {{args}}",
	"p x; p {{args}}",
	"true # c\np {{args}}",
	"p \"$\"{{args}}",
	"p \"$'\" {{args}}",
	"grep -c x /dev/null; p \"{{args}}\"",
	"p '{{args}}' \"{{args}}\" {{args}}",
	"p \"${{args}}\"",
	"find . -name \"{{args}}\"; p {{args}}",
	"p $'a' {{args}}",
	"p \"${X}\" {{args}}",
	"p $(true {}) {{args}}",
	"X={{args}} p {{args}}",
	"for i in {{args}}; do p \"$i\" {{args}}; done",
	"p x > /dev/null; { p {{args}}; }",
	"p x; printf '%s' {{args}} >/dev/null; p {{args}}",
	"test x = {{args}}; p {{args}}",
	"[ -n {{args}} ] && p {{args}}",
};

static const char *const unsafe[] = {
	"p `echo {{args}}`",
	"p $(echo {{args}})",
	"cat <<X\n{{args}}\nX\n",
	"p \"$(echo {{args}})\"",
	"p \"`echo {{args}}`\"",
	"p ${X:-{{args}}}",
	"p $'{{args}}'",
	"p ${{args}}",
	"p \\{{args}}",
	"p \"\\{{args}}\"",
	"true # {{args}}",
	"true # a\n# {{args}}",
	"true;# {{args}}",
	"(( {{args}} ))",
	"[[ 1 -eq {{args}} ]]",
	"let x={{args}}",
	"unset {{args}}",
	"declare \"x={{args}}\"",
	"a[{{args}}]=1",
	"p 'unfinished {{args}}",
	"a=([{{args}}]=1)",
	"a+=(1 [x{{args}}]=1)",
	"p $\\\n{{args}}",
	"sh -c \"p {{args}}\"",
	"bash -lc 'p {{args}}'",
	"eval \"p {{args}}\"",
	"ssh h 'p {{args}}'",
	"perl -ne 'print \"{{args}}\"'",
	"awk '/{{args}}/'",
	"sed \"s/{{args}}//\"",
	"p <(echo {{args}})",
	"python3 -c 'print(\"{{args}}\")'",
	"printf -v \"a[{{args}}]\" x",
	"printf -v{{args}} x",
	"printf {{args}} x",
	"printf \"{{args}}\" x",
	"[ -v {{args}} ]",
	"test -v \"a[{{args}}]\"",
	"read {{args}} </dev/null",
	"builtin read \"a[{{args}}]\"",
	"mapfile {{args}}",
	"command printf -v \"a[{{args}}]\" x",
	"getopts x {{args}}",
	"wait -p \"a[{{args}}]\"",
	"readarray -t {{args}}",
	"compgen -W {{args}}",
	"[ ! -v {{args}} ]",
	"test -R {{args}}",
};

static const char *const nasty[] = {
	"x",
	"'; touch PWNED; '",
	"\"; touch PWNED; \"",
	"$(touch PWNED)",
	"`touch PWNED`",
	"x\ntouch PWNED\n",
	"\\'; touch PWNED #",
	"' \" \\ ` $ ! # & | ; < > ( ) { } [ ] * ? ~",
	"'\\''; touch PWNED; '\\''",
	"\r\ttouch PWNED",
	"\xff\xfe",
	"${IFS}",
	"\\",
	"-va[$(touch PWNED)]",
	"a[$(touch PWNED)]",
};

/* What a real shell makes of it: PWNED is never made, and the words hold the argument. */
static void run_safe(struct arena *a, const char *command, const char *arg)
{
	struct str prompt = arena_printf(a, "!{%s\n}", command);
	struct str out = expand(a, prompt.p, arg);
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(proc_done) struct proc p;

	if (out.p[0] != '<')
		fail_msg("%s: %s", command, out.p);
	buf_addf(&text, "p() { printf '%%s\\n' \"$@\"; }\n%.*s\n", (int)out.n - 2, out.p + 1);
	const char *const argv[] = { "bash", "-c", buf_z(&text), NULL };
	struct proc_spec spec = { .file = "/bin/bash", .argv = argv, .cwd = fx.dir };
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	if (access(at("PWNED"), F_OK) == 0 ||
	    str_find(buf_str(&p.result.out), str_from(arg), 0) < 0)
		fail_msg("%s with %s\nran %s\nand said %s", command, arg, buf_z(&text),
			 buf_z(&p.result.out));
}

static void arguments_are_quoted_H6_4(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(safe); i++)
		for (size_t k = 0; k < ARRAY_LEN(nasty); k++) {
			AUTO(arena_done) struct arena a = { 0 };

			run_safe(&a, safe[i], nasty[k]);
		}
}

static void uncertain_places_are_refused(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(unsafe); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct str out = expand(&a, arena_printf(&a, "!{%s}", unsafe[i]).p, "x");

		if (!str_starts(out, STR("-{{args}} cannot be used")))
			fail_msg("%s: %s", unsafe[i], out.p);
	}
}

static void limits_of_a_prompt(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf many = { 0 }, large = { 0 }, open = { 0 };

	(void)state;
	for (int i = 0; i < COMMAND_PIECES_MAX; i++)
		buf_addz(&many, "@{x}y");
	for (size_t i = 0; i < COMMAND_PROMPT_MAX / 10; i++)
		buf_addz(&large, "0123456789");
	for (int i = 0; i < 100000; i++)
		buf_addz(&open, "!{");
	assert_non_null(strstr(expand(&a, buf_z(&many), "").p, "more than 1000 pieces"));
	assert_non_null(
		strstr(expand(&a, "{{args}}{{args}}", buf_z(&large)).p, "longer than 8 MiB"));
	assert_non_null(strstr(expand(&a, buf_z(&open), "").p, "has no closing \"}\""));
}

/* ---- prompts of servers ---- */

static const struct json *json_of(struct arena *a, const char *text)
{
	const struct json *v = NULL;

	assert_int_equal(json_parse(a, str_from(text), 0, &v, NULL), 0);
	return v;
}

static void mcp_arguments_H5_9(void **state)
{
	static const char two[] = "[{\"name\":\"a\",\"required\":true},{\"name\":\"b\","
				  "\"required\":true},{\"name\":\"c\"}]";
	static const char free_text[] = "[{\"name\":\"c\"}]";
	static const struct {
		const char *known, *args, *out;
	} rows[] = {
		{ two, "x y", "{\"a\":\"x\",\"b\":\"y\"}" },
		{ two, "x y z  w", "{\"a\":\"x\",\"b\":\"y z w\"}" },
		{ two, "\"x y\" z", "{\"a\":\"x y\",\"b\":\"z\"}" },
		{ two, "--b=1 x y", "{\"a\":\"x y\",\"b\":\"1\"}" },
		{ two, "--a=\"q \\\"r\\\" \\\\\" --b= --c=3",
		  "{\"a\":\"q \\\"r\\\" \\\\\",\"b\":\"\",\"c\":\"3\"}" },
		{ two, "x", "-Missing required argument(s): --b" },
		{ two, "", "-Missing required argument(s): --a, --b" },
		{ two, "--d=1 x y", "-unknown argument --d; it takes --a, --b, --c." },
		{ two, "--b -x", "{\"a\":\"--b\",\"b\":\"-x\"}" },
		{ free_text, "any words", "{\"c\":\"any words\"}" },
		{ free_text, "", "null" },
		{ free_text, "\"open", "{\"c\":\"\\\"open\"}" },
		{ "[]", "", "null" },
		{ "[]", "x", "-It takes no arguments." },
		{ "[7,null,{}]", "", "null" },
		{ "\"odd\"", "", "null" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *v = NULL;
		struct err err = { 0 };
		int r = prompt_mcp_arguments(&a, json_of(&a, rows[i].known), str_from(rows[i].args),
					     &v, &err);
		struct str out = r < 0 ? arena_printf(&a, "-%s", err.text)
				 : v   ? json_text(&a, v, JSON_COMPACT)
				       : STR("null");

		if (!str_eqz(out, rows[i].out))
			fail_msg("%s\ngives %s\n  not %s", rows[i].args, out.p, rows[i].out);
	}
}

static void mcp_messages_H5_9(void **state)
{
	static const struct {
		const char *messages, *out;
	} rows[] = {
		{ "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Hi\"}}]", "Hi" },
		{ "[{\"role\":\"user\",\"content\":[{\"type\":\"text\",\"text\":\"Hi\"},"
		  "{\"type\":\"image\",\"mimeType\":\"image/png\",\"data\":\"AA\"}]}]",
		  "Hi\n[image image/png that is not text]" },
		{ "[{\"role\":\"user\",\"content\":{\"type\":\"resource\",\"resource\":"
		  "{\"uri\":\"a://b\",\"text\":\"T\"}}}]",
		  "[resource a://b]\nT" },
		{ "[{\"role\":\"user\",\"content\":{\"type\":\"text\",\"text\":\"Hi\"}},"
		  "{\"role\":\"assistant\",\"content\":{\"type\":\"text\",\"text\":\"Ho\"}}]",
		  "User: Hi\n\nAssistant: Ho" },
		{ "[]", "" },
		{ "{}", "" },
		{ "[7]", "[content that is not text]" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct str out = prompt_mcp_text(&a, json_of(&a, rows[i].messages));

		if (!str_eqz(out, rows[i].out))
			fail_msg("%s\ngives %s\n  not %s", rows[i].messages, out.p, rows[i].out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_H6_3),
		cmocka_unit_test(names_are_words),
		cmocka_unit_test(descriptions_are_one_clean_line),
		cmocka_unit_test(limits_of_files),
		cmocka_unit_test(lines_are_commands_or_not),
		cmocka_unit_test(expansion_H6_4_H6_5),
		cmocka_unit_test(arguments_are_quoted_H6_4),
		cmocka_unit_test(uncertain_places_are_refused),
		cmocka_unit_test(limits_of_a_prompt),
		cmocka_unit_test(mcp_arguments_H5_9),
		cmocka_unit_test(mcp_messages_H5_9),
	};
	int r = cmocka_run_group_tests(tests, tools_setup, tools_teardown);

	buf_done(&complaints);
	return r;
}
