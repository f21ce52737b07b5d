#!/bin/sh
# Refuses commands with "rm -rf" in them.
payload=$(cat)
case $payload in
*'"tool_name":"Bash"'*'"command":"'*'rm -rf'*)
	echo 'rm -rf is not allowed here' >&2
	exit 2
	;;
esac
