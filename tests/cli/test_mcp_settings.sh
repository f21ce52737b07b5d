#!/bin/sh
# trotline mcp add, list and remove: mcpServers, edited in place.
# shellcheck disable=SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/system.json" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
export GEMINI_CLI_SYSTEM_DEFAULTS_PATH="$tmp/none"
mcp() { "$TROTLINE" mcp "$@"; }
umask 022
mkdir -p p/.git p/.gemini && cd p || exit 2
file=.gemini/settings.json
add() { mcp add --json "$@" 2>/dev/null | sed -n 's/.*"status": "\(.*\)".*/\1/p'; }

printf '{\n\t// mine\n\t"theme": "Dark", // dark\n}\n' >$file
cp $file ../before
run mcp add web htp://example.com/mcp
is "an address with a slip is no command" "$status" 1
has "an address with a slip: what there is" "$err" "https://"
run mcp add files npx -y @scope/server --flag .
has "the next step is to try it" "$out" "Next: trotline mcp test files"
is "add: exit status" "$status $err" "0 "
has "add: message" "$out" 'MCP server "files" added to the project settings'
is "what follows the command belongs to it; the rest stays" "$(cat $file)" '{
	// mine
	"theme": "Dark", // dark
	"mcpServers": {
		"files": {
			"command": "npx",
			"args": ["-y", "@scope/server", "--flag", "."]
		}
	},
}'
cp $file ../added
is "again: unchanged" "$(add files npx -y @scope/server --flag .)" unchanged
is "again: no byte changed" "$(cmp $file ../added)" ""
run mcp remove fles
is "remove: a slip" "$status $out$err" \
	'1 trotline: no MCP server is named "fles" in the project settings; did you mean "files"?'
is "remove: a slip changes nothing" "$(cmp $file ../added)" ""
run mcp remove files
is "remove restores the file" "$status $(cmp $file ../before)" "0 "
run mcp remove files
is "remove again" "$status $out$err" '1 trotline: no MCP server is named "files" in the project settings; all servers: trotline mcp list'
run mcp remove files --json
has "remove again, as JSON" "$status $out" '"code": "unknown-server"'
run mcp remove files --dry-run
is "and when only tried" "$status" 1

# Off and on, without touching the settings.
off=$HOME/.gemini/mcp-server-enablement.json
add -s user Notes true >/dev/null
cp "$HOME/.gemini/settings.json" ../notes
run mcp disable Nots
is "disable: a slip" "$status $(printf '%s\n' "$err" | head -1)" \
	'1 trotline: no MCP server is named "Nots"; did you mean "Notes"?'
run mcp disable Notes
is "disable" "$status $out" '0 MCP server "Notes" is disabled.'
is "disable: the file" "$(tr -d ' \n\t' <"$off")" '{"notes":{"enabled":false}}'
run mcp list
has "list says so" "$out" '; does not count: it is disabled; "trotline mcp enable" enables it'
run mcp test Notes
is "test does not start it" "$status" 1
has "and says why" "$out$err" 'it is disabled; "trotline mcp enable" enables it'
run mcp disable Notes
is "disable again" "$status $out" '0 MCP server "Notes" is already disabled.'
run mcp enable Notes
is "enable" "$status $out $(tr -d ' \n\t' <"$off")" '0 MCP server "Notes" is enabled. {}'
run mcp disable nothing
is "disable: a name that there is not" "$status $(tr -d ' \n\t' <"$off")" '1 {}'
is "disable: the settings stay" "$(cmp "$HOME/.gemini/settings.json" ../notes)" ""
run mcp remove -s user Notes

is "the lock does not stay behind" "$(ls ../.trotline/settings.lock 2>/dev/null)" ""

# Many at once: each waits for the others, although the lock's file comes and goes.
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$TROTLINE" mcp add --scope user "s$i" /bin/true >/dev/null 2>&1 &
done
wait
is "twelve at once: none is lost" "$(grep -c /bin/true ../.gemini/settings.json)" 12
is "twelve at once: no lock" "$(ls ../.trotline/settings.lock 2>/dev/null)" ""
rm ../.gemini/settings.json

# A stale entry: what somebody added stays.
cat >$file <<'END'
{
  "mcpServers": {
    "docs": {
      "command": "/old/docs", // moved
      "args": ["--stdio"],
      "env": { "LOG": "1", "TOKEN": "$OLD" },
      "trust": true, "includeTools": ["search"]
    }
  }
}
END
is "a stale entry is updated" "$(add -e 'TOKEN=$NEW' docs /new/docs --stdio)" updated
is "in place" "$(cat $file)" '{
  "mcpServers": {
    "docs": {
      "command": "/new/docs", // moved
      "args": ["--stdio"],
      "env": { "LOG": "1", "TOKEN": "$NEW" },
      "trust": true, "includeTools": ["search"]
    }
  }
}'
is "another transport takes the keys of the old one away" "$(add docs https://example.com/mcp)" updated
is "another transport: the file" "$(tr -d ' \n' <$file)" \
	'{"mcpServers":{"docs":{//moved"env":{"LOG":"1","TOKEN":"$NEW"},"trust":true,"includeTools":["search"],"url":"https://example.com/mcp","type":"http"}}}'
printf '{"mcpServers": {"docs": {"httpUrl": "https://example.com/mcp"}}}' >$file
is "httpUrl is the older spelling of the same" "$(add docs https://example.com/mcp)" unchanged

# Transports and their options.
rm $file
add a https://h/mcp --transport sse --header 'Authorization: Bearer $T' --timeout 30000 >/dev/null
add b ws://h/mcp >/dev/null
add --cwd sub -e A=1 -e 'B=x=y' --trust --description d --include-tools 'x, y' --exclude-tools z c ./server >/dev/null
is "the entries" "$(tr -d ' \n' <$file)" '{"mcpServers":{"a":{"url":"https://h/mcp","type":"sse","headers":{"Authorization":"Bearer$T"},"timeout":30000},"b":{"tcp":"ws://h/mcp"},"c":{"command":"./server","env":{"A":"1","B":"x=y"},"cwd":"sub","description":"d","trust":true,"includeTools":["x","y"],"excludeTools":["z"]}}}'
add --into claude d ./server >/dev/null
is "Claude's servers stand in .mcp.json" "$(tr -d ' \n' <.mcp.json)" '{"mcpServers":{"d":{"command":"./server"}}}'
add --into claude --scope user d ./server >/dev/null
is "the user's in ~/.claude.json" "$(stat -c %a ../.claude.json)" 600
mcp remove --into claude d >/dev/null
is "a file that was made for it goes with it" "$(ls -A)" ".gemini
.git"
mkdir .trotline && printf '{"mcpServers": {"own": {"command": "x"}}}' >.trotline/settings.json
is "where a server stands it is edited" "$(add own y)$(cat .trotline/settings.json)" \
	'updated{"mcpServers": {"own": {"command": "y"}}}'
rm -r .trotline

# Listing.
mkdir -p ../.gemini
printf '{"mcpServers": {"a": {"command": "/bin/a"}, "u": {"command": "/bin/u", "args": ["--key=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789"]}}}' >../.gemini/settings.json
printf '{"mcpServers": {"c": {"command": "/bin/company"}}}' >../system.json
run mcp list
is "an untrusted project: exit status" "$status" 0
has "an untrusted project: its servers do not count" "$out" "does not count: the folder is not trusted"
has "an untrusted project: what to do" "$out" "trotline hooks trust"
export GEMINI_CLI_TRUST_WORKSPACE=true
run mcp list
is "which count" "$(printf '%s\n' "$out" | grep -A 1 '^[a-z]')" 'a  stdio  /bin/a
    user, ~/.gemini/settings.json:1; does not count: overridden by the project'"'"'s
u  stdio  /bin/u --key=[redacted: Anthropic key]
    user, ~/.gemini/settings.json:1
a  sse  https://h/mcp
    project, .gemini/settings.json:3
b  ws  ws://h/mcp
    project, .gemini/settings.json:11
c  stdio  ./server
    project, .gemini/settings.json:14; does not count: overridden by the system'"'"'s
c  stdio  /bin/company
    '"system, ~/system.json:1"
run mcp list --json
has "JSON: names of variables, not their values" "$out" '"A",
      "B"'
hasnt "JSON: no values" "$out" "x=y"
hasnt "JSON: no headers' values" "$out" Bearer
has "remove tells where it is" "$(mcp remove u 2>&1)" "trotline mcp remove u --scope user"

# Servers of extensions: settings override them; of two extensions the first counts.
for name in one two off; do
	mkdir -p ../.gemini/extensions/$name
	printf '{"name": "%s", "version": "1",\n "mcpServers": {\n  "%s": {"command": "${extensionPath}/srv"}, "e": {"command": "e"},\n  "u": {"url": "http://h/", "type": "ws"}}}\n' \
		$name $name >../.gemini/extensions/$name/gemini-extension.json
done
"$TROTLINE" extensions disable off >/dev/null 2>&1
run mcp list
is "servers of extensions" "$(printf '%s\n' "$out" | grep -A 1 "^[eotu][a-z]*  " | grep -v "^--")" "one  stdio  $tmp/.gemini/extensions/one/srv
    extension one, ~/.gemini/extensions/one/gemini-extension.json:3
e  stdio  e
    extension one, ~/.gemini/extensions/one/gemini-extension.json:3
u  ws  http://h/
    extension one, ~/.gemini/extensions/one/gemini-extension.json:4; does not count: overridden by the user's
two  stdio  $tmp/.gemini/extensions/two/srv
    extension two, ~/.gemini/extensions/two/gemini-extension.json:3
e  stdio  e
    extension two, ~/.gemini/extensions/two/gemini-extension.json:3; does not count: the extension one also has it
u  ws  http://h/
    extension two, ~/.gemini/extensions/two/gemini-extension.json:4; does not count: overridden by the user's
u  stdio  /bin/u --key=[redacted: Anthropic key]
    user, ~/.gemini/settings.json:1"
run mcp list --json
has "JSON: whose it is" "$out" '"extension": "two"'
run mcp list --into claude
hasnt "extensions are not Claude's" "$out" extension
run mcp test one --timeout 5000
has "mcp test has them, too" "$out" "one  stdio  $tmp/.gemini/extensions/one/srv"
rm -r ../.gemini/extensions

# Mistakes, each with what to do.
while IFS='|' read -r args want; do
	eval "run mcp $args"
	is "mcp $args: exit status" "$status" 1
	has "mcp $args" "$err" "$want"
done <<'END'
add x|needs NAME COMMAND
add x https://h more|unexpected argument after the URL
add -t http x srv|needs a URL
add -t pigeon x srv|is stdio, http, sse or ws
add -e A x srv|takes a name and a value
add -H A:b x srv|--header is for servers that have a URL
add -e A=b x https://h|--env and --cwd are for programs
add '' srv|NAME is empty
add x ''|COMMAND is empty
add --timeout soon x srv|takes a whole number
add --into emacs x srv|--into is
delete x|trotline mcp --help
END
run mcp add -e 'KEY=sk-ant-api03-abcdefghijklmnopqrstuvwxyz0123456789' s srv
has "a secret in the file is pointed out" "$err" "KEY looks like a secret"
printf '{"mcpServers": []}' >$file
run mcp add x srv
is "a wrong type is never replaced" "$status$(cat $file)" '52{"mcpServers": []}'
has "a wrong type: which" "$err" '"mcpServers" must be an object'
run mcp list
is "a wrong type is said by mcp list: exit status" "$status" 1
has "a wrong type is said by mcp list" "$err" 'settings.json:1: mcpServers must be an object, { "NAME": { "command": ... } }, and is of type array: it does not count'
run mcp list --json
is "JSON: a wrong type" "$status" 1
has "JSON: a wrong type is said" "$err" "mcpServers must be an object"
printf '{"mcpServers": null}' >$file
run mcp list
is "null is none" "$status$err" 0

printf '{}' >$file
# What follows the command is never silently the server's: Claude's and Gemini's forms.
while IFS='|' read -r args want; do
	cp $file before
	eval "run mcp add $args"
	case $want in
	refused*)
		is "mcp add $args: refused" "$status $(cmp $file before)" "1 "
		has "mcp add $args: both ways to mean it" "$err" "${want#refused } comes after the command"
		has "mcp add $args: the server's" "$err" "trotline mcp add x -- "
		;;
	*)
		is "mcp add $args: exit status" "$status$err" 0
		[ -f ~/.gemini/settings.json ] || echo '{}' >~/.gemini/settings.json
		got=$(cat $file ~/.gemini/settings.json | tr -d ' \t\n')
		has "mcp add $args" "$got" "$want"
		;;
	esac
	rm -f ~/.gemini/settings.json
	printf '{}' >$file
done <<'END'
x npx y --scope user|refused --scope
x npx y --scope=user|refused --scope=user
x npx y -s user|refused -s
x npx y -t http|refused -t
x npx mcp-remote https://h/mcp --header "A: b"|refused --header
x npx y --trust|refused --trust
x --scope user npx y|"x":{"command":"npx","args":["y"]}
--scope user x npx y|"x":{"command":"npx","args":["y"]}
x -- npx y --scope user|"args":["y","--scope","user"]
--transport stdio x --env A=b -- npx -y srv|"args":["-y","srv"],"env":{"A":"b"}
-- x npx y --trust|"args":["y","--trust"]
x npm exec -- srv --trust|"args":["exec","--","srv","--trust"]
x docker run -i -e TOKEN -t img|"args":["run","-i","-e","TOKEN","-t","img"]
--transport http x https://h/mcp --header "A: b"|"headers":{"A":"b"}
x https://h/mcp --scope user|"url":"https://h/mcp"
END
run mcp add --env A=1 B=2 -- x npx
has "one variable an option" "$status $err" '1 trotline: expected a name, not "B=2"'
run mcp add x --
has "nothing behind --" "$status $err" "1 trotline mcp add needs NAME COMMAND"
mcp add x old --flag >/dev/null
run mcp add x new
has "what a server was is said" "$out" "It was: old --flag"
# What is not there cannot be removed, whatever it would be.
for command in "mcp remove" "hooks uninstall" "skills uninstall" "extensions uninstall"; do
	eval "run \"\$TROTLINE\" $command nope"
	is "$command: exit status for what does not exist" "$status" 1
	has "$command: what does not exist is named" "$err" '"nope"'
done

done_testing
