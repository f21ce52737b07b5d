#!/bin/sh
# The checker finds each violation of tests/tools/fixture, and nothing else there.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

cp -r "$TEST_SOURCE_ROOT/tests/tools/fixture" tree
# Written here, so that no file of ours holds such a path or citation.
mkdir tree/docs
printf 'See /%s/x, not https://example.org/%s/x. %s is a word here.\n' farm work "TO"DO >tree/docs/guide.md
printf 'C4.6 and U+0041, not %s.5 nor %s.md.\n' A15 host >tree/docs/other.md

run "$TEST_SOURCE_ROOT/tools/checkstyle" tree
is "exit status of a tree with violations" "$status" 1
printf '%s\n' "$out" >got
is "what it finds" "$(diff "$TEST_SOURCE_ROOT/tests/tools/fixture.expected" got)" ""

find tree/src tree/docs -type f ! -name good.c ! -name banned.h -delete
run "$TEST_SOURCE_ROOT/tools/checkstyle" tree
is "exit status of a tree without" "$status" 0
has "its summary" "$out" "3 files checked, 0 violations"
done_testing
