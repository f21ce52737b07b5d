#!/bin/sh
# What a command line means: a command, with options before it or not, or a prompt.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE GEMINI_API_KEY OPENAI_BASE_URL GOOGLE_API_KEY
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
mkdir -p "$tmp/p" "$tmp/ext" && cd "$tmp/p" || exit 2
echo '{"name":"ext","version":"1.0.0"}' >"$tmp/ext/gemini-extension.json"
trotline() { run "$TROTLINE" "$@" </dev/null; }
says='To send these words to the model: trotline --'

# Options before the command, and between its words.
trotline --debug extensions install --consent "$tmp/ext"
has "an option before a command" "$status: $out" '0: Extension "ext" 1.0.0'
trotline extensions --debug list
has "between its words" "$status: $out" "0: ext"
trotline -e none extensions list
has "the agent's option that the command lacks is named" "$err" \
	'--extensions: no option of "trotline extensions list"; it is not used'
for line in "--json hooks list" "hooks --json list" "-o json hooks list" "-d hooks --dir $tmp/p --json list"; do
	# shellcheck disable=SC2086 # words
	trotline $line
	has "$line" "$status: $out" '"project"'
done
trotline --skip-trust hooks list
is "an option of both is the command's" "$status: $err" "0: "
trotline --frob hooks list
has "an option of nobody" "$status: $err" "1: trotline: unknown option --frob"
trotline --help hooks
has "--help before a command" "$status: $out" "0: Hooks are programs"
trotline help hooks run
has "help of a command" "$status: $out" "0: Usage: trotline hooks run"
# How a group's help is asked for: of an unknown command it is the same complaint everywhere.
for group in hooks mcp policy guard skills extensions; do
	for line in "help $group nosuch" "$group help nosuch" "$group nosuch"; do
		# shellcheck disable=SC2086 # words
		trotline $line
		is "$line" "$status: $out${err%%.*}" "1: trotline: unknown command \"nosuch\"
trotline $group --help lists them"
		# shellcheck disable=SC2086 # words
		trotline $line --json
		has "$line --json" "$status: $out" '"message": "unknown command \"nosuch\""'
	done
done
trotline help trust list
has "help of a group without commands" "$status: $out" "0: Usage: trotline trust"
trotline help hooks
has "help of a group" "$status: $out" "0: Hooks are programs"
trotline --version hooks
has "--version before a command" "$status: $out" "0: trotline "

# Words that look like a command.
meant() { # LINE WHAT: the line is no prompt, and WHAT was meant
	# shellcheck disable=SC2086 # words
	trotline $1
	has "$1: no prompt" "$status: $err" "1: trotline: unknown command"
	has "$1: what was meant" "$err" "$2"
}
meant "hoks list" 'did you mean "trotline hooks list"?'
has "how to send them" "$err" "$says hoks list"
meant "Hooks list" '"trotline hooks list"'
meant "hook lst" 'did you mean "list"?'
meant "hoks" '"trotline hooks"'
meant "extnsions install ./x" '"trotline extensions install"'
meant "mpc add files" '"trotline mcp add"'
meant "skils" '"trotline skills"'
meant "lint" '"trotline hooks lint"'
meant "list" '"trotline mcp list"'
meant "install ./x" '"trotline extensions install"'
meant "why BeforeTool" '"trotline hooks why"'
meant "trsut" '"trotline trust"'
meant "-d hoks list" '"trotline hooks list"'
meant "plugin install x" 'trotline extensions'
meant "login" 'GEMINI_API_KEY'
meant "update" 'trotline --help'
# The value of an option that may have one is no command.
for line in "--resume latest" "-r latest" "-m x --resume list"; do
	# shellcheck disable=SC2086 # words
	trotline $line </dev/null
	hasnt "$line: no command" "$err" "unknown command"
done
meant "--resume=latest hoks list" '"trotline hooks list"'
trotline --resume hooks list
has "--resume before a command" "$err" "--resume"
trotline hoks --json
has "with --json the error is JSON, too" "$status: $out" '"code": "unknown-command"'

# What a command is called elsewhere: LINE, and what it is here.
while IFS=: read -r line what; do
	# shellcheck disable=SC2086 # words
	trotline $line
	has "$line: what it is called here" "$status: $err" "1: trotline: unknown command \"${line##* }\"; did you mean \"$what\"?"
done <<'EOF'
hooks add:install
hooks new:init
hooks remove:uninstall
hooks ls:list
hooks check:lint
hooks explain:why
mcp rm:remove
mcp uninstall:remove
mcp install:add
mcp get:list
mcp login:auth
mcp logout:auth
skills remove:uninstall
skills add:install
extensions create:new
extensions remove:uninstall
extensions check:validate
guard enable:on
guard disable:off
guard status:list
guard explain:why
policy explain:why
hooks help lsit:list
EOF
while IFS=: read -r line what; do
	# shellcheck disable=SC2086 # words
	trotline $line
	has "$line: an option's name here" "$status: $err" "1: trotline: unknown option --${line##* --}; did you mean \"$what\"?"
done <<'EOF'
extensions install x --yes:--consent
skills install x --force:--consent
hooks trust --consent:--yes
hooks install x BeforeTool y --check:--dry-run
hooks list --cwd:--dir
mcp list --format:--json
hooks log --watch:--follow
EOF
# Scopes: project is workspace in other agents.
for scope in project workspace Workspace; do
	trotline mcp add --scope "$scope" one cmd
	has "--scope $scope of servers" "$status: $out" '0: MCP server "one" added to the project settings'
	trotline mcp remove one --scope "$scope"
	has "--scope $scope of servers, removed" "$status" 0
done
for line in "mcp add -s both a b" "hooks init -s both" "hooks disable x -s both" "skills enable x -s both" \
	"extensions enable x -s both" "hooks install --into claude -s both"; do
	# shellcheck disable=SC2086 # words
	trotline $line
	has "$line" "$status: $err" '1: trotline: --scope is project or user, not "both"'
done
for line in "trust yes:--yes" "trust remove:revoke" "trust ls:list"; do
	# shellcheck disable=SC2086 # words
	trotline ${line%:*}
	has "$line" "$status: $err" "no such directory; did you mean \"${line#*:}\"?"
done
meant "help hoks" '"trotline hooks"'
meant "help nosuch" 'unknown command "nosuch"'
has "help nosuch: how to send it" "$err" "$says help nosuch"
for line in "help nosuch" "help hoks" "--frob" "nosuch"; do
	# shellcheck disable=SC2086 # words
	trotline $line --json
	has "$line --json" "$status: $out" '1: {
  "error": {'
done
trotline help --json
has "help --json" "$status: $out" "0: Usage: trotline"
# Sentences that begin with the program's name have no other in front.
for line in "mcp" "mcp add" "mcp enable nosuch" "mcp disable nosuch" "hooks install" "hooks --json" "policy why" "guard why" "skills install" \
	"extensions link" "trust nosuch" "mcp guard" "mcp test nosuch" "mcp auth nosuch" "mcp remove nosuch" "hooks run" "hooks why"; do
	# shellcheck disable=SC2086 # words
	trotline $line
	is "$line: one name" "$status: $(printf '%s' "$err" | grep -c 'trotline: trotline')" "1: 0"
done
for line in "extensions list --debug" "hooks --debug list" "mcp list --json --debug"; do
	# shellcheck disable=SC2086 # words
	trotline $line
	is "$line: --debug is welcome anywhere" "$status: $err" "0: "
done
trotline hooks list --debg
has "but not misspelt" "$status: $err" "1: trotline: unknown option --debg"

# Commands of a session.
meant "settings" '/settings in a session'
meant "stats" '/stats in a session'
meant "usage" '/stats in a session'
meant "commands list" '/commands in a session'
meant "mode plan" '/mode in a session'

# Output that is lost is a failure, unless its reader has seen enough.
mkfifo "$tmp/gone-reader"
for line in "--help" "--version" "hooks --help" "hooks list" "hooks list --json" "hooks schema" "guard list" \
	"mcp list" "skills list" "extensions list"; do
	# shellcheck disable=SC2086 # words
	status=0 && err=$("$TROTLINE" $line 2>&1 >/dev/full </dev/null) || status=$?
	has "$line: a full disk" "$status: $err" "1: trotline: writing the output failed"
	# shellcheck disable=SC2086 # words
	{
		read -r _ <"$tmp/gone-reader"
		(trap '' PIPE && exec "$TROTLINE" $line 2>"$tmp/said" </dev/null)
		echo $? >>"$tmp/said"
	} | { exec <&- && echo >"$tmp/gone-reader"; }
	is "$line: a reader that has gone" "$(cat "$tmp/said")" 0
done
mkdir "$tmp/gone"
for line in "hooks list" "hooks lint" "guard list" "mcp list" "skills list" "hooks init"; do
	# shellcheck disable=SC2086 # words
	run sh -c 'cd "$1" && rmdir "$1" && shift && "$@"' sh "$tmp/gone" "$TROTLINE" $line </dev/null
	has "$line: a directory that is gone" "$status: $err" "1: trotline: the current directory does not exist any longer"
	mkdir "$tmp/gone"
done

# A prompt stays a prompt: without a key each ends with 41.
for line in "list all files" "update the readme" "test this" "-- hoks list" "-p hoks" "hello" "explain hooks" "stats for nerds" "memory leak"; do
	# shellcheck disable=SC2086 # words
	trotline $line
	is "$line: a prompt" "$status" 41
done
trotline "hooks list"
is "words with blanks are a prompt" "$status" 41

done_testing
