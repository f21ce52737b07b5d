#!/bin/sh
# trotline hooks lint: MCP servers, and matchers that name some (C5.2): every code of docs/linting.md.
# shellcheck disable=SC2016,SC2088
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
export GEMINI_CLI_SYSTEM_DEFAULTS_PATH="$tmp/none"
lint() { run "$TROTLINE" hooks lint "$@"; }
mkdir -p p/.gemini "$HOME/.gemini" && cd p || exit 2

# settings TEXT: the project's;  server MEMBERS: one server, "s", of it on line 2, column 3.
settings() { printf '%s\n' "$1" >.gemini/settings.json; }
server() { settings "{ \"mcpServers\": {
  \"s\": { $1 } } }"; }
# says NAME STATUS SEVERITY CODE PART: in the line with the code;  silent NAME
says() {
	lint
	is "$1: exit status" "$status" "$2"
	has "$1" "$(printf '%s\n' "$out" | grep -F "[$4]")" "$3: "
	has "$1: text" "$(printf '%s\n' "$out" | grep -F "[$4]")" "$5"
}
silent() {
	lint
	is "$1" "$status $out" "0 0 hooks in 1 file: no problems found."
}

# Keys.
server '"comand": "cat"'
says "a slip in a key" 1 warning unknown-key '"comand"; did you mean "command"?'
is "a place of its own" "$(printf '%s\n' "$out" | grep -o '^[^ ]*' | head -2 | tr '\n' ' ')" \
	".gemini/settings.json:2:3: .gemini/settings.json:2:10: "
has "and nothing to start" "$out" \
	'error: the server "s" has no command, url, httpUrl or tcp [no-transport]'
server '"command": "cat", "environment": {}'
says "a key of other programs" 0 warning unknown-key 'did you mean "env"?'
server '"command": "cat", "disabled": true, "transport": "stdio"'
silent "what other programs write, and is understood"
server '"command": "cat", "includeTools": "read"'
says "a value of another type" 1 error wrong-type '"includeTools" must be an array'
settings '{ "mcpServers": [] }'
says "servers that are no object" 1 error wrong-type '"mcpServers" must be an object, this is an array'
settings '{ "mcpServers": null }'
silent "no servers"
settings '{ "mcpServers": { "s": "cat" } }'
says "a server that is no object" 1 error wrong-type 'a server must be an object'
settings '{ "mcpServers": { "s": { "command": "cat" }, "s": { "command": "ls" } } }'
says "a server twice" 0 warning repeated-key 'only the last one applies'
settings '{ "mcpServers": { "a b": { "command": "cat" }, "a_b": { "command": "cat" } } }'
says "two names that read the same" 1 error same-name '"a b"'
# many N: so many servers, each with a name that would be told of if it were looked at.
many() { settings "{ \"mcpServers\": { \"a b\": { \"command\": \"cat\" }, \"a_b\": { \"command\": \"cat\" }$(
	seq 3 "$1" | sed 's/.*/, "s&": { "command": "cat" }/' | tr -d '\n') } }"; }
many 1000
says "many servers" 1 error same-name '"a b"'
many 1001
says "more servers than anybody has" 0 warning too-large 'the limits are 1000 servers'
hasnt "and no other word about them" "$out" "[same-name]"
settings '{ "mcpServers": { "*": { "command": "cat" } } }'
says "a name for all" 1 error bad-name '"*"'
server '"command": "cat", "args": ["-u", 5, true], "env": { "A": "b", "N": 1 }, "cwd": "/",
	"timeout": 30000, "description": "x", "includeTools": ["a", "b(c)"], "excludeTools": ["d"]'
silent "a server that is right"
server '"httpUrl": "https://example.com/mcp", "headers": { "Authorization": "Bearer $TOKEN" }'
silent "a server with an address"

# Transports.
server '"command": "cat", "url": "https://example.com/"'
says "two transports" 0 warning several-transports '"url" is ignored, because "command"'
server '"tcp": "ws://example.com/", "url": "https://example.com/"'
says "two addresses" 0 warning several-transports '"url" is ignored, because "tcp"'
server '"httpUrl": "https://example.com/a", "url": "https://example.com/b"'
says "two addresses for HTTP" 0 warning several-transports '"url" is ignored'
server '"httpUrl": "https://example.com/a", "url": "https://example.com/a", "type": "http"'
silent "one address under both keys"
server '"url": "https://example.com/", "env": { "A": "b" }'
says "variables for an address" 0 warning unused-key '"env" is for programs'
server '"command": "cat", "headers": { "A": "b" }'
says "headers for a program" 0 warning unused-key '"headers" is for servers with a URL'
server '"url": "https://example.com/", "type": "htp"'
says "an unknown type" 0 warning bad-value 'did you mean "http"?'
server '"command": "cat", "type": "sse"'
says "a type that does not count" 0 warning bad-value '"command" says how'
server '"command": "cat", "type": "stdio"'
silent "the type of a program"
for pair in 'url htp://x' 'url localhost:3000' 'httpUrl ws://x' 'tcp https://x' 'tcp x:1'; do
	server "\"${pair% *}\": \"${pair#* }\""
	says "an address: $pair" 1 error bad-url "the address in \"${pair% *}\" must begin with"
done
for pair in 'url HTTPS://x' 'url ws://x' 'url $ADDRESS' 'tcp wss://x' 'httpUrl http://[::1]:3000/'; do
	server "\"${pair% *}\": \"${pair#* }\""
	silent "no complaint about an address: $pair"
done
server '"url": "https://example.com/", "oauth": { "enabled": true }'
says "there is no login" 0 warning no-login '"oauth" is ignored'

# Programs.
server '"command": "no-such-program"'
says "C7.7: a program" 0 warning program-not-found '"no-such-program", which is not on PATH'
server '"command": "no-such-program", "env": { "PATH": "/opt/bin" }'
silent "a PATH of its own"
server '"command": "$PROGRAM"'
silent "a program from a variable"
server '"command": "cat -u"'
says "a command line" 1 error program-not-found 'put arguments into "args"'
server '"command": "/no/such/server"'
says "a path" 1 error program-not-found '/no/such/server, which does not exist'
server '"command": "~/server"'
says "the home directory" 1 error program-not-found 'use $HOME'
server '"command": "/tmp"'
says "a directory" 1 error program-not-found 'which is a directory'
printf '#!/bin/sh\n' >srv
server '"command": "./srv"'
says "not executable" 1 error not-executable 'chmod +x'
chmod +x srv
says "a relative path" 0 note relative-path 'the directory that the session is started in'
server '"command": "./srv", "cwd": "'"$PWD"'"'
silent "a relative path with a directory"
server '"command": "python3", "args": ["none.py"]'
says "a script" 1 error missing-script 'the server starts none.py'
server '"command": "python3", "args": ["-m", "none.py"]'
silent "a module"
server '"command": "cat", "args": [{}]'
says "an argument that is none" 1 error wrong-type 'an argument must be a string'

# Other keys.
for t in 0 -1 '"30"' '"x"' null; do
	server "\"command\": \"cat\", \"timeout\": $t"
	says "a timeout of $t" 1 error bad-timeout 'a number of milliseconds above 0'
done
server '"command": "cat", "timeout": 30'
says "seconds by the look of it" 0 warning short-timeout 'did you mean 30000 (30 s)?'
server '"command": "cat", "env": { "A=B": "c" }'
says "a variable's name" 1 error bad-env '"A=B"'
server '"command": "cat", "env": { "A": {} }'
says "a variable's value" 1 error bad-env 'the value of A'
server '"url": "https://example.com/", "headers": { "A B": "c" }'
says "a header" 1 error bad-header '"A B"'
server '"command": "cat", "includeTools": ["a", "b"], "excludeTools": ["b(x)"]'
says "a tool in both lists" 0 warning tool-excluded '"b" is also in "excludeTools"'
server '"command": "cat", "includeTools": []'
says "no tool at all" 0 warning no-tools 'leaves the server no tool'
server '"command": "cat", "excludeTools": [5]'
says "a tool that is no name" 1 error wrong-type 'the name of a tool'
settings '{ "mcp": { "excludd": [] } }'
says "a slip in mcp" 0 warning unknown-key 'did you mean "excluded"?'
settings '{ "mcp": [] }'
says "mcp that is no object" 1 error wrong-type '"mcp" must be an object'
settings '{ "mcp": { "toolNaming": "one" } }'
says "a naming that there is not" 0 warning bad-value 'is "single" or "double"'
settings '{ "mcpServers": { "notes": { "command": "cat" } }, "mcp": { "excluded": ["nots", "zebra"] } }'
says "a slip in a list of servers" 0 warning unknown-server '"nots"; did you mean "notes"?'
is "others may stand there" "$(printf '%s\n' "$out" | grep -c zebra)" 0

# In a project's file: trust, and secrets.  The user's own file is theirs.
server '"command": "cat", "trust": true'
says "trust" 0 warning trust-ignored "in a project's file is ignored"
key="sk-$(printf '%030d' 7)"
server "\"command\": \"cat\", \"env\": { \"X\": \"$key\" }"
says "a key by its shape" 0 warning secret-in-file 'X looks like a secret'
hasnt "it is not shown" "$out" "$key"
server '"command": "cat", "env": { "GITHUB_TOKEN": "hunter2hunter2" }'
says "a key by its name" 0 warning secret-in-file 'GITHUB_TOKEN'
server '"url": "https://example.com/", "headers": { "Authorization": "Bearer hunter2hunter2" }'
says "a token in a header" 0 warning secret-in-file 'Authorization'
server '"url": "https://me:hunter2@example.com/"'
says "a password in an address" 0 warning secret-in-file 'url'
server "\"command\": \"cat\", \"args\": [\"--key\", \"$key\"]"
says "a key in the arguments" 0 warning secret-in-file 'args'
for v in '$GITHUB_TOKEN' '${GITHUB_TOKEN:-none at all}' '<your token>' 'YOUR_TOKEN_HERE' 'short' \
	'/run/secrets/token' '~/.token'; do
	server "\"command\": \"cat\", \"env\": { \"GITHUB_TOKEN\": \"$v\" }"
	silent "no secret: $v"
done
server '"command": "cat", "env": { "MAX_TOKENS": "4096409640964096", "MONKEY": "chimpanzee" }'
silent "names that hold such a word"
server '"command": "cat", "env": { "GITHUB_TOKEN": "hunter2hunter2" }, "trust": true'
mv .gemini/settings.json ../.gemini/settings.json
lint
is "the user's own file" "$status $out" "0 0 hooks in 1 file: no problems found."
lint ../.gemini/settings.json
has "a file that is given is a project's" "$out" "[trust-ignored]"

# Matchers.
printf '{ "mcpServers": { "mine": { "command": "cat" } } }\n' >../.gemini/settings.json
ext=$HOME/.gemini/extensions/e
mkdir -p "$ext"
echo '{ "name": "e", "version": "1.0.0", "mcpServers": { "theirs": { "command": "cat" } } }' \
	>"$ext/gemini-extension.json"
# matcher TEXT [EVENT]: on line 4, column 18.
matcher() { settings "{ \"mcpServers\": { \"notes\": { \"command\": \"cat\",
  \"includeTools\": [\"read\", \"write(x)\"], \"excludeTools\": [\"rm\"] }, \"git hub\": { \"command\": \"cat\" } },
  \"hooks\": { \"${2-BeforeTool}\": [
   { \"matcher\": \"$1\", \"hooks\": [
    { \"type\": \"command\", \"command\": \"true\" }, { \"type\": \"command\", \"command\": \"true 2\" } ] } ] } }"; }
for m in 'mcp__nots__.*' 'mcp_nots_*' '^mcp__nots__read$' 'write_file|mcp__nots__read' '(?:mcp__nots__)' \
	'mcp_nots_read' 'mcp__Notes__'; do
	matcher "$m"
	says "a slip: $m" 0 warning unknown-server 'did you mean "notes"?'
	is "once: $m" "$(printf '%s\n' "$out" | grep -cF '[unknown-server]')" 1
	has "its place: $m" "$out" ".gemini/settings.json:4:17: "
done
matcher 'mcp_git_hubb_read'
says "a slip in a name with _" 0 warning unknown-server 'did you mean "git hub"?'
matcher 'mcp_server_tool'
says "no such server" 0 warning unknown-server 'no MCP server "server"'
matcher 'mcp__mien__.*'
says "one of the user's" 0 warning unknown-server 'did you mean "mine"?'
matcher 'mcp__thiers__.*'
says "one of an extension" 0 warning unknown-server 'did you mean "theirs"?'
matcher 'mcp__notes__rm'
says "a tool that is left out" 0 warning unknown-tool 'does not offer rm'
matcher 'mcp__notes__delete'
says "a tool that is not offered" 0 warning unknown-tool 'does not offer delete'
matcher 'run_shel_command'
says "a tool of the agent" 0 warning unknown-tool 'did you mean "run_shell_command"?'
matcher 'complete_tasks'
says "a tool of sub-agents" 0 warning unknown-tool 'did you mean "complete_task"?'
for m in 'mcp__notes__.*' 'mcp_notes_' 'mcp__no' 'mcp__.*__read' 'mcp__(notes|x)__read' 'mcp__git_hub__x' \
	'mcp_git_hub_x' 'mcp__mine__x' 'mcp__theirs__x' '(?!mcp__nots__).*' 'mcp__notes__(read|rm)' 'mcp__' 'mcp_*' \
	'mcp__notes__re' 'mcp_notes_write' 'write' 'write_file|replace' 'complete_task' 'frobnicate' '.*' '^(glob|grep_search)$' 'read_.*'; do
	matcher "$m"
	lint
	is "no complaint about $m" "$status $out" "0 2 hooks in 2 files: no problems found."
done
matcher 'mcp__nots__.*' PreCompress
lint
hasnt "other events" "$out" "[unknown-server]"

# Whoever configures hooks for many projects may mean servers of others.
settings '{}'
cat >../.gemini/settings.json <<'END'
{ "mcpServers": { "mine": { "command": "cat" } },
  "hooks": { "BeforeTool": [ { "matcher": "mcp__zebra__.*|mcp__mien__x", "hooks": [
    { "type": "command", "command": "true" } ] } ] } }
END
says "the user's hooks: a slip" 0 warning unknown-server '"mien"; did you mean "mine"?'
has "the user's hooks: another server" "$out" 'note: matcher "mcp__zebra__.*|mcp__mien__x": no MCP server "zebra"'

# Claude's lists of names are compared exactly.
mkdir -p ../c/.claude
echo '{ "hooks": { "PreToolUse": [ { "matcher": "Bash|mcp__mine", "hooks": [
  { "type": "command", "command": "true" } ] } ] }, "mcpServers": { "x": 1 } }' >../c/.claude/settings.json
lint ../c/.claude/settings.json
is "Claude: one finding" "$(printf '%s\n' "$out" | grep -c '\[')" 1
has "Claude: a server is no tool" "$out" "mcp__mine__.* for all tools of the server [never-matches]"

# An extension's own hooks know its servers before it is installed.
mkdir -p ../ext/hooks
echo '{ "name": "x", "version": "1.0.0", "mcpServers": { "own": { "command": "./no", "comand": 1 } } }' \
	>../ext/gemini-extension.json
echo '{ "hooks": { "BeforeTool": [ { "matcher": "mcp__own__.*", "hooks": [
  { "type": "command", "command": "true" } ] } ] } }' >../ext/hooks/hooks.json
lint ../ext/hooks/hooks.json
is "an extension's hooks" "$status $out" "0 1 hook in 1 file: no problems found."
run "$TROTLINE" extensions validate ../ext
has "extensions validate: keys of servers" "$out" 'did you mean "command"?'
has "extensions validate: programs" "$out" 'the server starts ./no, which does not exist'

# --json; nothing was started or written.
server '"command": "touch", "args": ["ran"], "timout": 1'
lint --json
is "--json" "$(printf '%s\n' "$out" | python3 -c '
import json, sys
r = json.load(sys.stdin)
print([[d["severity"], d["code"], d["line"], d["column"], d["path"]] for d in r["diagnostics"] if "zebra" not in d["text"] and "mien" not in d["text"]])')" \
	"[['warning', 'unknown-key', 2, 47, 'mcpServers.s.timout']]"
is "nothing was started" "$(ls ran 2>/dev/null)" ""
is "nothing was written" "$(ls -d "$HOME/.trotline" .trotline 2>/dev/null)" ""

# C7.7 the programs of an installed extension's servers, as those of settings.
mkdir -p ../shop
printf '%s\n' '{ "name": "shop", "version": "1.0.0", "mcpServers": {' \
	'  "a": { "command": "no-such-program" }, "b": { "command": "${extensionPath}${/}none" },' \
	'  "c": { "command": "cat", "comand": 1 } } }' >../shop/gemini-extension.json
lint
hasnt "before it is installed" "$out" no-such-program
run "$TROTLINE" extensions install ../shop --consent
lint
has "an extension's program" "$out" \
	'.gemini/extensions/shop/gemini-extension.json:2:3: warning: the server starts "no-such-program", which is not on PATH'
has "an extension's file" "$out" 'extensions/shop/none, which does not exist'
hasnt "its keys are for validate" "$out" comand
run "$TROTLINE" extensions disable shop
lint
hasnt "one that is disabled" "$out" no-such-program

done_testing
