#!/bin/sh
# The commands that the documentation shows print what it says, and the man page has every option.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

cp -R "$TEST_SOURCE_ROOT/examples/guarded-project" project
cd project || exit 2
# The file that docs/linting.md shows, and what is said of it.
mkdir -p slips/.gemini
# shellcheck disable=SC2016  # sed's own $
sed -n '/^It checked this file/,/^## /{/^```json/,/^```/{/^```/!p}}' "$TEST_SOURCE_ROOT/docs/linting.md" \
	>slips/.gemini/settings.json
run python3 "$TEST_SOURCE_ROOT/tests/cli/doc_examples.py" "$TEST_SOURCE_ROOT"
is "the examples print what the pages say" "$status$err" "0"
[ "$status" -eq 0 ] || printf '%s\n' "$out" | sed 's/^/# /'

page=$TEST_SOURCE_ROOT/man/trotline-hooks.1
missing=
for command in $("$TROTLINE" hooks --help | sed -n '/^Commands:/,$s/^  \([a-z]*\) .*/\1/p'); do
	grep -q "^\.It Cm .*\<$command\>" "$page" || missing="$missing $command"
	for option in $("$TROTLINE" hooks "$command" --help | sed -nE 's/^  (-., )?--([a-z-]+).*/\2/p'); do
		grep -qE "^\.It .*Fl -$option( |$)" "$page" || missing="$missing $command:$option"
	done
done
is "the man page has every command and option" "$missing" ""

page=$TEST_SOURCE_ROOT/man/trotline.1
missing=
for group in mcp skills extensions; do
	for command in $("$TROTLINE" $group --help | sed -n '/^Commands:/,$s/^  \([a-z]*\) .*/\1/p'); do
		grep -qE "^\.(It )?Cm $group .*\<$command\>" "$page" || missing="$missing $group:$command"
		for option in $("$TROTLINE" $group "$command" --help |
			sed -nE 's/^  (-., )?--([a-z-]+).*/\2/p'); do
			grep -qE "^\.(It |Op ).*Fl -$option( |$)" "$page" ||
				missing="$missing $group:$command:$option"
		done
	done
done
is "the man page has every option of mcp, skills and extensions" "$missing" ""

missing=
for option in $("$TROTLINE" --help | sed -nE 's/^  (-., )?--([a-z-]+).*/\2/p'); do
	grep -qE "^\.It .*Fl -$option( |$)" "$page" || missing="$missing $option"
done
is "the man page has every option of a session" "$missing" ""

done_testing
