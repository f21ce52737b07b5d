#!/bin/sh
# trotline mcp test: servers of the settings, commands and URLs, what they offer and why not.  The
# server is tests/mcp/server.py.
# shellcheck disable=SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
export GEMINI_CLI_SYSTEM_DEFAULTS_PATH="$tmp/none" TROTLINE_RETRY_UNIT_MS=10
server="$TEST_SOURCE_ROOT/tests/mcp/server.py"
# What is waited for is said after 3 s, which a busy machine may take: that is no complaint.
# shellcheck disable=SC2317  # run calls it
mcp() {
	"$TROTLINE" mcp "$@" 2>"$tmp/.said"
	set -- $?
	grep -v '^trotline: waiting for ' "$tmp/.said" >&2
	return "$1"
}
umask 022
mkdir -p p/.git && cd p || exit 2
# value JSON POINTER-OF-NAMES...
value() {
	printf '%s' "$1" | python3 -c '
import json, sys
v = json.load(sys.stdin)
for key in sys.argv[1:]:
    v = v[int(key)] if isinstance(v, list) else v[key]
print(json.dumps(v))' "$2" ${3+"$3"} ${4+"$4"} ${5+"$5"}
}

run mcp test
is "nothing is configured: exit status" "$status" 0
has "nothing is configured: how to go on" "$out" "trotline mcp add"

# Servers that are not configured.
run mcp test -- python3 "$server"
is "a command: exit status" "$status" 0
has "a command: ready, with a ping" "$out" "ready in"
has "a command: its tools as the model sees them" "$out" "mcp__test__echo"
has "a command: what a tool does" "$out" "Does echo"
has "a command: prompts" "$out" "1 prompt"
has "a command: resources" "$out" "test://one"
has "a command: what it calls itself" "$out" "  test 1, protocol 2025-11-25"
is "a command: nothing on stderr" "$err" ""
run mcp test --json -- python3 "$server"
is "json: state" "$(value "$out" 0 state)" '"ready"'
is "json: transport" "$(value "$out" 0 transport)" '"stdio"'
is "json: its version" "$(value "$out" 0 serverInfo version)" '"1"'
is "json: its protocol" "$(value "$out" 0 protocolVersion)" '"2025-11-25"'
is "json: no instructions" "$(value "$out" 0 instructions)" '""'
is "json: a tool's own name" "$(value "$out" 0 tools 0 tool)" '"echo"'
is "json: prompts" "$(value "$out" 0 prompts 0 name)" '"greet"'
is "json: resources" "$(value "$out" 0 resources 0 uri)" '"test://one"'
run mcp test -- /no/such/program
is "no such program: exit status" "$status" 1
has "no such program: says so" "$out" "cannot start /no/such/program"
has "no such program: what to do" "$out" "Is the command right?"
run mcp test -- nosuchprogram-of-nobody
has "not in PATH: what to do" "$out" "it is not in PATH"
run mcp test -- sh -c 'printf "oh \033[31mno\n" >&2; exit 3'
is "it ends: exit status" "$status" 1
has "it ends: its status and its words" "$out" "ended with status 3: oh"
hasnt "it ends: nothing foreign gets to the terminal" "$out" "$(printf '\033')"
hasnt "it ends: its words are not shown twice" "$out" "what it said last"
run mcp test -- sh -c 'echo first >&2; echo second >&2; exit 3'
has "it ends after several lines: those that the reason lacks" "$(printf '%s' "$out" | tr '\n' ' ')" \
	"said last:     first"
has "it ends after several lines: the last is the reason" "$out" "status 3: second"
run mcp test --json -- sh -c 'echo oh no >&2; exit 3'
is "it ends, json: state" "$(value "$out" 0 state)" '"failed"'
is "it ends, json: connectMs" "$(value "$out" 0 connectMs)" null
run mcp test --timeout 300 -- sleep 600
is "silence: exit status" "$status" 1
has "silence: says so" "$out" "not ready in time"
has "silence: what to do" "$out" "--timeout MS"
run mcp test http://127.0.0.1:9/mcp
is "nobody listens: exit status" "$status" 1
has "nobody listens: what to do" "$out" "Is it running"
# Servers that answer, with no.
cat >"$tmp/refuses.py" <<'EOF'
import json, sys
for line in sys.stdin:
    m = json.loads(line)
    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], **json.loads(sys.argv[1])}), flush=True)
EOF
run mcp test -- python3 "$tmp/refuses.py" '{"error":{"code":-32000,"message":"licence expired"}}'
is "it says no: exit status" "$status" 1
has "it says no: its words" "$out" "failed: initialize: licence expired"
has "it says no: what to do" "$out" "its documentation"
hasnt "it says no: its stdout is not the reason" "$out" "print nothing else"
run mcp test -- python3 "$tmp/refuses.py" '{"result":{"protocolVersion":"1999-01-01","capabilities":{}}}'
has "another protocol" "$status: $(printf '%s' "$out" | tr '\n' ' ')" \
	"not supported: 1999-01-01   It speaks another version of MCP: update it."
run mcp test nosuch
has "a name that no server has" "$err" "goes after --"
run mcp auth nosuch
has "a name that no server has, to sign in" "$status: $err" "1: trotline: no MCP server is named"
hasnt "a name that no server has, to sign in: no advice about test" "$err" "goes after --"
run mcp test --header nonsense http://127.0.0.1:9/mcp
has "a header without its colon" "$err" "--header takes a name and a value"
run mcp test --
has "no command behind --" "$err" "a command is missing"
run mcp test http://127.0.0.1:9/mcp more
has "more than a URL" "$err" "unexpected argument"
run mcp test -x
has "an unknown option" "$err" "unknown option -x"

# Calls.
run mcp test --call echo --args '{"text":"hello"}' -- python3 "$server"
is "call: the result and nothing else" "$status $out$err" "0 hello"
run mcp test --call mcp__test__echo --args '{"text":"hello"}' --json -- python3 "$server"
is "call by the model's name, json" "$(value "$out" structuredContent echo text)" '"hello"'
run mcp test --call fail -- python3 "$server"
is "call: the tool fails: exit status" "$status" 1
is "call: the tool fails: its words" "$out" "it went wrong"
run mcp test --call ecko -- python3 "$server"
is "call: no such tool: exit status" "$status" 1
has "call: no such tool: the near one" "$err" 'did you mean "echo"'
run mcp test --call echo --args '[1]' -- python3 "$server"
has "call: the arguments are no object" "$err" "must be a JSON object"
run mcp test --args '{}' -- python3 "$server"
has "call: arguments without a tool" "$err" "--call"
run mcp test --timeout 1000 --call never -- python3 "$server"
is "call: no answer in time" "$status" 1

# Servers of the settings, and trust.
mkdir -p .gemini "$HOME/.gemini"
printf '{"mcpServers":{"toys":{"command":"python3","args":["%s"]},"gone":{"command":"/no/such"}}}' \
	"$server" >"$HOME/.gemini/settings.json"
printf '{"mcpServers":{"mine":{"command":"python3","args":["%s"]}}}' "$server" >.gemini/settings.json
run mcp test toys
has "an untrusted folder starts no program" "$out" "the folder is not trusted"
has "what to do" "$out" "trotline hooks trust"
is "exit status" "$status" 1
run mcp test mine
is "an untrusted project's server: exit status" "$status" 1
has "an untrusted project's server: why it is not known" "$err" \
	".gemini/settings.json is not read, because this folder is not trusted"
mv "$HOME/.gemini/settings.json" ../user.json
run mcp test
is "only servers that are not read: exit status" "$status" 1
hasnt "only servers that are not read: nobody is told that there are none" "$out" "No MCP servers"
mv ../user.json "$HOME/.gemini/settings.json"
run mcp test --skip-trust mine
is "--skip-trust: exit status" "$status" 0
has "--skip-trust: its tools" "$out" "mcp__mine__echo"
run mcp test -- python3 "$server"
is "a command that was given is its user's word, trusted or not" "$status" 0
export GEMINI_CLI_TRUST_WORKSPACE=true
run mcp test
is "all: one has failed" "$status" 1
has "all: the user's" "$out" "mcp__toys__echo"
has "all: the project's" "$out" "mcp__mine__echo"
has "all: the one that has failed" "$out" "cannot start /no/such"
run mcp test toys mine --json
is "two of them: exit status" "$status" 0
is "two of them: how many" "$(printf '%s' "$out" | python3 -c 'import json, sys; print(len(json.load(sys.stdin)))')" 2
printf '{"mcpServers":{"slip":{"comand":"x"}}}' >.gemini/settings.json
run mcp test slip
has "no transport: it is none" "$out" "slip  none"
has "no transport: what to do" "$out" "Correct its entry"
run mcp list
has "list: it does not count" "$out" "does not count: it has no command, url, httpUrl or tcp"
run mcp test toyz
has "a typo" "$err" 'did you mean "toys"'

# The environment is the session's: variables are expanded, secrets are not shown.
printf '{"mcpServers":{"toys":{"command":"python3","args":["%s"],"env":{"A":"$B"}}}}' "$server" >.gemini/settings.json
run env B=plum "$TROTLINE" mcp test toys --call env --args '{"name":"A"}'
has "env of the settings is expanded" "$out" "plum"
key=gh
key=${key}p_$(printf %036d 7) # in one piece it would look like one to others, too
printf '{"mcpServers":{"web":{"url":"http://127.0.0.1:9/x?token=%s"}}}' "$key" >.gemini/settings.json
run mcp test web
has "the address is shown" "$out" "127.0.0.1:9/x?token="
hasnt "what looks like a secret in it is not" "$out" "$key"

# What is no object does not count, and takes nothing away that stands elsewhere.
mkdir -p "$tmp/.gemini"
printf '{"mcpServers":{"mine":{"command":"python3","args":["%s"]}}}' "$server" >"$tmp/.gemini/settings.json"
printf '{"mcpServers":[]}' >.gemini/settings.json
run mcp test
is "mcpServers is a list: exit status" "$status" 1
has "mcpServers is a list: it is said" "$err" '/p/.gemini/settings.json: mcpServers must be an object, { "NAME": { "command": ... } }, and is of type array'
has "mcpServers is a list: those of other files count" "$out" "mine  stdio"
has "mcpServers is a list: they start" "$out" "ready in"
run mcp test mine
is "mcpServers is a list: a server by name" "$status" 0
rm -r "$tmp/.gemini"

# A signal.
mkfifo "$tmp/started"
printf '{"mcpServers":{"toys":{"command":"sh","args":["-c","echo $$ >%s; exec sleep 600"]}}}' "$tmp/started" \
	>.gemini/settings.json
"$TROTLINE" mcp test toys >"$tmp/out" 2>"$tmp/err" &
read -r server_pid <"$tmp/started"
kill -TERM $!
status=0
wait $! || status=$?
is "SIGTERM ends it: exit status" "$status" 143
run kill -0 "$server_pid"
is "SIGTERM ends it: and its servers" "$status" 1

done_testing
