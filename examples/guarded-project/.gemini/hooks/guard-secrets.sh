#!/bin/sh
# BeforeTool guard: keeps secrets out of files.  POSIX sh, sed and grep: nothing to install.
#
# It searches the payload as it is, one line of JSON.  What is replaced (old_string) does not count:
# taking a secret out of a file is welcome.  When anything goes wrong it exits with 1; because this
# is a guard, the tool call is then denied.
set -eu

fail() {
	echo "guard-secrets: $*" >&2
	exit 1
}

deny() {
	printf '{"decision":"deny","reason":"This would write %s into a file. %s"}\n' "$1" \
		"Read it from the environment instead."
	exit 0
}

payload=$(cat)
case $payload in
'{'*'"tool_input"'*'}') ;;
*) fail "this is not the payload of a tool event" ;;
esac
# \\ goes, so that every backslash that is left begins an escape.
text=$(printf '%s\n' "$payload" |
	sed -E 's/"old_string"[[:space:]]*:[[:space:]]*"([^"\\]|\\.)*"//; s/\\\\/ /g; s|\\/|/|g')

# finds REGEX: a broken grep is not taken for "no".
finds() {
	status=0
	printf '%s\n' "$text" | grep -Eq -e "$1" || status=$?
	[ "$status" -le 1 ] || fail "grep failed"
	return "$status"
}

# Nobody writes letters and digits as \u0041 without something to hide.
disguise='\\u00(2[dDfF]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])'
private_key='-----BEGIN [A-Z0-9 ]*PRIVATE KEY'
aws='(^|[^A-Z0-9])(AKIA|ASIA)[A-Z0-9]{16}([^A-Z0-9]|$)'
google='AIza[A-Za-z0-9_-]{35}'
github='gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22}'
# NAME=value with a long value; $OTHER, <your key> and other placeholders are none.
name='(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]*'
variable="${name} *= *(\\\\\"|')?[A-Za-z0-9+/_.~-]{16}"

# Most files are innocent: one search for them, and only then which it is.
finds "$disguise|$private_key|$aws|$google|$github|$variable" || exit 0
finds "$disguise" && deny "text in disguise"
finds "$private_key" && deny "a private key"
finds "$aws" && deny "an AWS access key"
finds "$google" && deny "a Google API key"
finds "$github" && deny "a GitHub token"
deny "a secret"
