#!/bin/sh
# include/trotline.h stands alone, as C99 and as C++.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

compiles() {
	name=$1
	shift
	if ! command -v "$1" >/dev/null; then
		skip "$name" "$1 is not installed"
		return
	fi
	run "$@" -Wall -Wextra -pedantic -Werror -fsyntax-only -I "$TEST_SOURCE_ROOT/include" use.c
	is "$name" "$status $err" "0 "
}

printf '#include <trotline.h>\n#include <trotline.h>\n' >use.c
compiles "as C99" cc -std=c99
compiles "as C17" cc -std=c17
compiles "as C++" c++ -std=c++11 -x c++
done_testing
