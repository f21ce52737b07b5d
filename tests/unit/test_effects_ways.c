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

#include "effects/run.h"

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

static bool deletes_root(struct arena *a, struct str command)
{
	struct effects e = { .arena = a, .world = &world };
	bool found = false;

	effects_of_shell(&e, command);
	for (size_t i = 0; i < e.n; i++)
		found |= e.p[i].kind == EFFECT_DELETE && (e.p[i].places & PLACE_ROOT) &&
			 !e.p[i].maybe;
	return found;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(elements_are_expanded),
		cmocka_unit_test(texts_are_run),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
