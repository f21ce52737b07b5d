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
if finds '\\u00(2[dDfF]|3[0-9]|4[1-9a-fA-F]|5[0-9aAfF]|6[1-9a-fA-F]|7[0-9aA])'; then
	deny "text in disguise"
fi
if finds '-----BEGIN [A-Z0-9 ]*PRIVATE KEY'; then deny "a private key"; fi
if finds '(^|[^A-Z0-9])(AKIA|ASIA)[A-Z0-9]{16}([^A-Z0-9]|$)'; then deny "an AWS access key"; fi
if finds 'AIza[A-Za-z0-9_-]{35}'; then deny "a Google API key"; fi
if finds 'gh[pousr]_[A-Za-z0-9]{36}|github_pat_[A-Za-z0-9_]{22}'; then deny "a GitHub token"; fi
# NAME=value with a long value; $OTHER, <your key> and other placeholders are none.
name='[A-Z0-9_]*(SECRET|TOKEN|PASSWORD|PASSWD|API_?KEY|ACCESS_KEY|PRIVATE_KEY)[A-Z0-9_]*'
if finds "${name}[ ]*=[ ]*(\\\\\"|')?[A-Za-z0-9+/_.~-]{16}"; then deny "a secret"; fi
