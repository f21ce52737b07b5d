#!/bin/sh
# The commands that the documentation shows print what it says.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

cp -R "$TEST_SOURCE_ROOT/examples/guarded-project" project
cd project || exit 2
python3 "$TEST_SOURCE_ROOT/tests/cli/doc_examples.py" "$TEST_SOURCE_ROOT"
