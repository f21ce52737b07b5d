#!/bin/sh
# Every shell script of this repository parses, and shellcheck has nothing to say about it.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

cd "$TEST_SOURCE_ROOT" || exit 2
# Scripts inside of other texts (scenarios, documents) begin further down.
scripts=$(grep -rnE --exclude-dir='build*' --exclude-dir=.git --exclude-dir=.cache '^#!/bin/(ba)?sh' . |
	sed -n 's/^\([^:]*\):1:.*/\1/p' | sort)
problems=$(for script in $scripts; do
	"$(sed -n '1s,.*/,,p' "$script")" -n "$script" 2>&1
done)
is "they parse" "$problems" ""
if command -v shellcheck >/dev/null; then
	# shellcheck disable=SC2086  # a list of words
	run shellcheck $scripts
	is "shellcheck" "$out" ""
else
	skip "shellcheck" "it is not installed"
fi
done_testing
