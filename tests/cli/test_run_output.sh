#!/bin/sh
# trotline hooks run: what it shows of hooks that fail, of what they read and print.
# shellcheck disable=SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
mkdir -p p/.gemini && cd p || exit 2
hooks_run() { run "$TROTLINE" hooks run --skip-trust --no-record "$@"; }
# hook COMMAND [MEMBERS]
hook() {
	printf '{ "hooks": { "BeforeTool": [ { "hooks": [ { "type": "command", "command": "%s"%s } ] } ] } }\n' \
		"$1" "${2-}" >.gemini/settings.json
}
# says NAME WORD: the word in front of the hook, which is never "pass" for one that had no say.
says() {
	hooks_run BeforeTool
	is "$1" "$(printf '%s\n' "$out" | sed -n '3s/^  \([a-z]*\) .*/\1/p')" "$2"
}

hook "echo '{}'"
says "C3: one that has nothing against it" pass
hook 'exit 1'
says "C3: another exit status" warn
hook 'kill -9 $$'
says "C3: killed" fail
hook 'sleep 60' ', "timeout": 300'
says "C3: timed out" fail
hook 'echo no >&2; exit 2'
says "C3: it denies" deny
hook 'kill -9 $$' ', "guard": true'
says "C3.5: a guard that was killed" deny
hook "echo '{ not JSON'" ', "guard": true'
says "C3.6: a guard that says no JSON" deny

hook 'for i in one two three; do echo $i >&2; done; exit 1'
hooks_run BeforeTool
for line in one two three; do
	has "stderr of a hook that fails: $line" "$out" "$line"
done
hook 'for i in one two three; do echo $i >&2; done; exit 1' ', "guard": true'
hooks_run BeforeTool
has "stderr of a guard that fails" "$out" "three"
hook 'echo seen >&2; echo {}'
hooks_run BeforeTool
hasnt "stderr of one that does not" "$out" "         stderr:"
hooks_run BeforeTool --show-output
has "--show-output: stderr" "$out" "         stderr:
           seen"
has "--show-output: stdout" "$out" "         stdout:
           {}"

hook 'echo dangerous >&2'
hooks_run BeforeTool
has "C3.1: a message on stderr without exit 2" "$out" "         stderr, which denies only with exit 2:
           dangerous"

# A guard whose output cannot be used says what is wrong with it, to the agent, too.
hook "echo '{\\\"decison\\\": \\\"deny\\\"}'" ', "guard": true'
hooks_run BeforeTool
has "C3.6: a misspelt member" "$out" 'failed (its output: "decison" has no effect; did you mean "decision"?)'
hook 'echo all is well; echo more' ', "guard": true, "name": "g"'
hooks_run BeforeTool
has "C3.6: a text" "$out" 'denied: guard "g" failed (it must print one JSON object or nothing, and printed: all is well)'

# What lint says of a hook that failed is shown with it.
printf '#!/bin/sh\r\nexit 2\r\n' >crlf.sh && chmod +x crlf.sh
printf '#!/bin/sh\nexit 2\n' >plain.sh
hook ./crlf.sh
hooks_run BeforeTool
has "run: CRLF line ends" "$out" "         lint: crlf.sh has CRLF line ends"
hook ./plain.sh
hooks_run BeforeTool
has "run: not executable" "$out" "         lint: the hook starts plain.sh, which is not executable; chmod +x it"
chmod +x plain.sh
hooks_run BeforeTool
hasnt "run: nothing of one that works" "$out" "lint:"

hook 'cat >read; echo {}'
hooks_run BeforeTool --show-payload
has "--show-payload" "$out" '"hook_event_name": "BeforeTool"'
hooks_run BeforeTool --show-payload --json
is "--show-payload: what it reads" "$(printf '%s\n' "$out" | python3 -c '
import json, sys
shown = json.load(sys.stdin)["payloads"]
read = json.load(open("read"))
shown["gemini"].pop("timestamp"), read.pop("timestamp")
print(list(shown), shown["gemini"] == read)')" "['gemini'] True"
rm .gemini/settings.json
hooks_run AfterTool --tool read_file --show-payload
has "--show-payload: without hooks" "$out" '"duration_ms": 12'

# A fixture does not pass because a hook crashed.
cat >f.json <<'END'
{ "event": "BeforeTool", "expect": { "verdict": "pass" } }
END
hook "echo '{}'"
run "$TROTLINE" hooks test --skip-trust f.json
is "a fixture that passes" "$status" 0
hook 'kill -9 $$'
run "$TROTLINE" hooks test --skip-trust f.json
is "a crash is no pass" "$status" 1
has "and named" "$out" 'signalled'

# Remarks of C3.9 propose what was meant.
hook "echo '{\\\"permissionDecison\\\": \\\"deny\\\"}'"
hooks_run BeforeTool
has "C3.9: a slip in another dialect's word" "$err" '"permissionDecison" has no effect; did you mean "decision"?'
hook "echo '{\\\"systemMesage\\\": \\\"x\\\"}'"
hooks_run BeforeTool
has "C3.9: a slip" "$err" 'did you mean "systemMessage"?'

# C4.3: several hooks may have the same reason, which people read once.
hook 'echo no >&2; exit 2", "name": "a" }, { "type": "command", "command": "echo no >&2; exit 2", "name": "b" }, { "type": "command", "command": "echo nor so >&2; exit 2'
hooks_run BeforeTool
has "a reason of two hooks is shown once" "$out" "
denied: no
        nor so"
hooks_run BeforeTool --json
has "and is each one's in the outcome" "$out" '"reason": "no\nno\nnor so"'

done_testing
