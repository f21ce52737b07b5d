#!/bin/sh
# trotline hooks test and run --save: fixtures in, TAP, JUnit and JSON out.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
data="$TEST_SOURCE_ROOT/tests/data/fixtures"
hooks() { "$TROTLINE" hooks "$@"; }

mkdir -p p/.gemini p/hooks
cd p || exit 2
cat >.gemini/settings.json <<'END'
{ "hooks": {
  "BeforeTool": [
    { "matcher": "write_file", "hooks": [
      { "name": "protect-env", "type": "command", "command": "hooks/protect.sh" },
      { "name": "tidy", "type": "command", "command": "cat >/dev/null" } ] },
    { "matcher": "run_shell_command", "hooks": [
      { "name": "tidy-shell", "type": "command", "command": "cat >/dev/null; cat hooks/tidy.json" } ] } ],
  "BeforeAgent": [ { "hooks": [
    { "name": "limit", "type": "command",
      "command": "grep -q 'stop now' && echo '{\"continue\":false,\"stopReason\":\"enough\"}'; true" } ] } ],
  "SessionStart": [ { "hooks": [
    { "name": "greet", "type": "command",
      "command": "sed -n 's/.*\"source\":\"\\([a-z]*\\)\".*/{\"hookSpecificOutput\":{\"additionalContext\":\"from \\1\"}}/p'" } ] } ],
  "AfterAgent": [ { "hooks": [
    { "name": "broken", "type": "command", "command": "echo oh no >&2; exit 7" } ] } ]
} }
END
cat >hooks/protect.sh <<'END'
#!/bin/sh
if grep -q '"file_path":"\.env"'; then
	echo '.env is private' >&2
	exit 2
fi
END
cat >hooks/tidy.json <<'END'
{ "systemMessage": "tidied", "hookSpecificOutput": { "tool_input": { "command": "ls -l" } } }
END
chmod +x hooks/protect.sh

run hooks test "$data/basic.json"
is "C7.4: nothing runs before the project's hooks were approved" "$status" 55
has "and what is to be approved is listed" "$err" "protect-env"
is "and nothing is printed that looks like a result" "$out" ""
hooks trust --yes >/dev/null

run hooks test "$data/basic.json"
is "all fixtures hold" "$status" 0
is "the output is TAP" "$out" "TAP version 13
1..5
ok 1 - writing .env is denied
ok 2 - other files pass
ok 3 - arguments are tidied
ok 4 - $data/basic.json[3]: BeforeAgent
ok 5 - a session gets context
# 5 passed, 0 failed"
is "and nothing is on stderr" "$err" ""

run hooks test --filter '^(writing|OTHER)' "$data/basic.json"
has "--filter is a JavaScript regular expression over names" "$out" "1..1
ok 1 - writing"
run hooks test --filter '^nobody$' "$data/basic.json"
is "a filter that leaves nothing is a failure" "$status" 1
run hooks test --filter '(' "$data/basic.json"
is "so is one that does not compile" "$status" 1

run hooks test --json "$data/basic.json"
is "--json succeeds" "$status" 0
has "--json counts" "$out" '"passed": 5'
hasnt "--json prints no TAP" "$out" "1..5"

run hooks test --junit "$tmp/report.xml" "$data/wrong.json" "$data/basic.json"
is "one that does not hold is exit status 1" "$status" 1
has "every fixture runs all the same" "$out" "# 5 passed, 2 failed"
has "a # in a name begins no directive" "$out" 'not ok 1 - wrong \# in <every>'
has "the verdict: expected" "$out" '    - what: "verdict"
      expected: "pass"
      got: "deny"'
has "the reason" "$out" '      expected: "/^allowed/"
      got: ".env is private"'
has "the context" "$out" '      got: "(nothing)"'
has "the output" "$out" '    - what: "output.tool_input"
      expected: "{}"
      got: "(no change)"'
has "a hook that is not there" "$out" 'did you mean \"protect-env\"?'
has "a hook that said something else" "$out" '    - what: "hooks.tidy"
      expected: "deny"
      got: "ran, ok, none"'
has "the time that it took" "$out" '      expected: "at most 0.001 ms"'
has "what the hooks did, with their place" "$out" '"protect-env (project, .gemini/settings.json:4): ran, blocked, deny, '
has "where the fixture stands" "$out" "  at: \"$data/wrong.json:2:3\""
has "a stop is never overlooked" "$out" '    - what: "stop"
      expected: "false"
      got: "true"'

xml=$(cat "$tmp/report.xml")
has "JUnit counts" "$xml" 'tests="7" failures="2" errors="0"'
has "JUnit escapes and drops control characters" "$xml" \
	'name="wrong # in &lt;every&gt; &quot;way&quot;" time='
has "JUnit tells why" "$xml" '<failure message="verdict: expected pass, got deny">'
if command -v xmllint >/dev/null; then
	run xmllint --noout "$tmp/report.xml"
	is "JUnit is XML" "$status" 0
elif command -v python3 >/dev/null; then
	run python3 -c 'import sys, xml.dom.minidom as m; m.parse(sys.argv[1])' "$tmp/report.xml"
	is "JUnit is XML" "$status" 0
else
	skip "JUnit is XML" "no parser is installed"
fi

# The examples of the documentation.
awk '/^```/ { inside = /json/; n += inside; next } inside { print > ("example" n ".json") }' \
	"$TEST_SOURCE_ROOT/docs/testing-hooks.md"
run hooks test example1.json example2.json
is "the examples of docs/testing-hooks.md hold" "$status: $err" "0: "
has "all four" "$out" "# 4 passed, 0 failed"

run hooks test --no-project-hooks "$data/basic.json"
is "without the project's hooks the fixtures fail" "$status" 1
has "and the report says why" "$out" "untrusted"

# Saving.
run hooks run BeforeTool --tool write_file --input '{"file_path":".env"}' --save saved.json
is "run --save leaves the exit status alone" "$status" 2
saved=$(cat saved.json)
has "a saved fixture knows the tool" "$saved" '"tool": "write_file"'
has "and the verdict" "$saved" '"verdict": "deny"'
has "and the reason as a regular expression" "$saved" '"reason": "\\.env is private"'
has "and what each hook of the project said" "$saved" '"protect-env": "deny"'
run hooks test saved.json
is "it holds as it was saved" "$status" 0
run hooks run SessionStart --subject resume --save start.json
run hooks run BeforeTool --input '{"command":"ls  -l"}' --save change.json
run hooks run BeforeAgent --payload '{"prompt":"stop now","session_id":"s-7"}' --save stop.json
has "a stop is saved" "$(cat stop.json)" '"stop": true'
has "and the session" "$(cat stop.json)" '"session_id": "s-7"'
has "and a change" "$(cat change.json)" '"tool_input": {'
run hooks test start.json change.json stop.json
is "others hold too" "$status: $out" "0: TAP version 13
1..3
ok 1 - SessionStart resume: none
ok 2 - BeforeTool run_shell_command: none
ok 3 - BeforeAgent: stop
# 3 passed, 0 failed"

printf 'echo {} \n' >hooks/protect.sh
run hooks test --skip-trust saved.json
is "a hook that denies no longer is noticed" "$status" 1

run hooks run AfterAgent --skip-trust --save broken.json
run hooks test --skip-trust broken.json
is "a hook that fails as it did is as expected" "$status" 0
has "but it is named" "$out" "# a hook failed: broken (project, "

run hooks run BeforeAgent --skip-trust --save saved.json
is "a fixture may be saved again" "$status" 0
has "and is replaced" "$(cat saved.json)" '"event": "BeforeAgent"'
echo 'precious' >precious.txt
run hooks run BeforeAgent --skip-trust --save precious.txt
is "another file is not replaced" "$status" 1
is "but left as it is" "$(cat precious.txt)" precious
echo '{"hooks":{}}' >settings.json
run hooks run BeforeAgent --skip-trust --save settings.json
is "nor is JSON that is no fixture" "$status" 1
cp "$data/basic.json" list.json
run hooks run BeforeAgent --skip-trust --save list.json
has "nor a list of fixtures" "$err" "holds a list of 5 fixtures"

# What is wrong with a fixture is said with its place, before anything runs.
broken() {
	printf '%s\n' "$2" >bad.json
	run hooks test bad.json "$data/basic.json"
	is "$1: exit status" "$status" 1
	is "$1: message" "$err" "trotline: bad.json:$3"
	is "$1: nothing ran" "$out" ""
}
printf '{\n  "event" }' >bad.json
run hooks test bad.json
is "a syntax error: exit status" "$status" 1
has "a syntax error: its place" "$err" "trotline: bad.json:2:11: "
has "a syntax error: what it is" "$err" "expected ':' after a key"
broken "an unknown member" '{"event": "BeforeAgent", "expcet": {}}' \
	'1:26: unknown member "expcet"; did you mean "expect"?'
broken "an unknown event" '[{"event": "BeforeTol", "expect": {}}]' \
	'1:12: no event "BeforeTol"; did you mean "BeforeTool"?'
broken "a missing member" '{"event": "BeforeAgent"}' '1:1: a fixture needs "expect"'
broken "a wrong type" '{"event": "BeforeAgent", "expect": {"stop": "yes"}}' \
	'1:45: "stop" must be of type boolean, this is a string'
broken "an unknown verdict" '{"event": "BeforeAgent", "expect": {"verdict": "deni"}}' \
	'1:48: unknown verdict "deni"; did you mean "deny"?'
broken "an unknown word for a hook" \
	'{"event": "BeforeAgent", "expect": {"hooks": {"limit": "skiped"}}}' \
	'1:56: a hook cannot be "skiped"; did you mean "skipped"?'
broken "an unknown change" '{"event": "BeforeAgent", "expect": {"output": {"toolinput": {}}}}' \
	'1:48: hooks cannot change "toolinput"; did you mean "tool_input"?'
broken "a tool where there is none" '{"event": "BeforeAgent", "tool": "x", "expect": {}}' \
	'1:34: "tool" is for tool events, not for BeforeAgent'
broken "no object" '[7]' '1:2: a fixture is an object, this is a number'
broken "a time of nothing" '{"event": "BeforeAgent", "expect": {"maxMs": 0}}' \
	'1:46: "maxMs" must be more than 0'
printf '{"event": "BeforeAgent", "expect": {"reason": "("}}' >bad.json
run hooks test bad.json
has "a bad regular expression has its place" "$err" "bad.json:1:47: "
echo '[]' >empty.json
run hooks test empty.json
is "no fixture at all is a failure" "$status" 1
run hooks test missing.json
is "so is a file that is not there" "$status" 1

echo '{' >.gemini/settings.json
run hooks test "$data/basic.json"
is "C7.1: broken settings are exit status 52" "$status" 52
run "$TROTLINE" hooks test "none/*.json"
has "a fixture that is not there: what to do" "$err" \
	'none/*.json: no such file; a fixture is made with: trotline hooks run EVENT --save FILE'
run "$TROTLINE" hooks why Foo
has "an event that is not there: which there are" "$err" 'no event "Foo"; the events are '
has "an event that is not there: all" "$err" 'BeforeToolSelection'

done_testing
