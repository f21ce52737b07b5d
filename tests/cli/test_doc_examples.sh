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

# Each option of --help, as tools/man puts it into the pages.
missing=
for page in trotline trotline-hooks; do
	python3 "$TEST_SOURCE_ROOT/tools/man" "$TROTLINE" "$TEST_SOURCE_ROOT/man/$page.1.in" >"$page.1"
done
for group in '' hooks mcp skills extensions; do
	# shellcheck disable=SC2086  # the empty one is no word
	for command in '' $("$TROTLINE" $group --help | sed -n '/^Commands:/,$s/^  \([a-z]*\) .*/\1/p'); do
		for option in $("$TROTLINE" $group $command --help | sed -nE 's/^  (-., )?--([a-z-]+).*/\2/p'); do
			grep -qE "^\.It .*Fl -$option( |$)" trotline*.1 || missing="$missing $group:$command:$option"
		done
	done
done
is "the man pages have every option" "$missing" ""

done_testing
