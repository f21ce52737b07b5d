#!/bin/sh
# A tool of it is missing.
echo 'eslint: not found' >&2
exit 1
