#!/bin/sh
# libtrotline.so exports what tests/abi/trotline.symbols lists and nothing else.
# After a change that is meant, the command below with its output in tests/abi/trotline.symbols.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

lib=$TEST_BUILD_ROOT/libtrotline.so
if ! command -v nm >/dev/null || [ ! -e "$lib" ]; then
	skip "symbols" "no nm, or no shared library"
	done_testing
fi
nm -D --defined-only "$lib" | awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >got
run diff "$TEST_SOURCE_ROOT/tests/abi/trotline.symbols" got
is "exported symbols" "$status $out" "0 "

# What the header declares is what is exported.
sed -n 's/^.*[ *]\(tl_[a-z_]*\)(.*$/\1/p' "$TEST_SOURCE_ROOT/include/trotline.h" | grep -v '^tl_.*_fn$' |
	LC_ALL=C sort -u >declared
run comm -3 got declared
is "exported is what is declared" "$out" ""
done_testing
