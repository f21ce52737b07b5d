#!/bin/sh
# The figures of a tree of three files: what has one caller, and which files are a circle.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

mkdir -p src/base build
cat >src/base/ring.c <<'END'
int odd(int n);
static int less(int n);

static int table(int n)
{
	return n;
}

static int (*const tables[])(int) = { table };

static int twice(int n)
{
	return n * 2;
}

int even(int n)
{
	return n ? odd(less(n)) : tables[0](twice(twice(1)));
}

/* less(2) in a comment, and "less(2)" in a text, call nothing. */
static int less(int n)
{
	return n - 1;
}
END
printf 'int even(int n);\n\nint odd(int n)\n{\n\treturn n ? even(n - 1) : 0;\n}\n' >src/base/odd.c
printf 'int even(int n);\n\nint main(void)\n{\n\treturn even(4);\n}\n' >src/base/main.c
for name in ring odd main; do
	cc -c -o "build/$name.o" "src/base/$name.c"
	printf '{"file": "../src/base/%s.c", "output": "%s.o"}\n' "$name" "$name"
done | sed '1s/^/[/; $!s/$/,/; $s/$/]/' >build/compile_commands.json

run "$TEST_SOURCE_ROOT/tools/figures" build .
is "its exit status" "$status" 0
has "files" "$out" "# note: src: files 3, lines p50 6, p90 25, max 25"
has "functions" "$out" "# note: src: functions 6, lines p50 1, p90 1, max 1"
has "one caller" "$out" "static functions with one caller: 1 of 6 = 16.7 % (aim: 25)"
has "the short ones of them" "$out" "of 10 lines or less: 1 of 6 = 16.7 % (aim: 8)"
has "circles" "$out" "files in circles of calls: 2 of 3 = 66.7 % (aim: 10), in 1 circles"

run "$TEST_SOURCE_ROOT/tools/figures" --list build .
is "the list" "$out" "src/base/ring.c:23: less() has one caller and 1 lines
circle of 2: src/base/odd.c src/base/ring.c"
done_testing
