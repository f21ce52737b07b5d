#!/bin/sh
# trotline hooks migrate: hooks of other agents in Gemini's words.
# shellcheck disable=SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
hooks() { "$TROTLINE" hooks "$@"; }
umask 022
target=.gemini/settings.json
mkdir -p p/.git p/.claude p/.gemini && cd p || exit 2

# What a text of a .claude file becomes: without blanks, "" for no file.
becomes() {
	rm -f $target
	printf '%s' "$1" >.claude/settings.json
	run hooks migrate --from-claude
	[ ! -f $target ] || tr -d ' \n' <$target
}
# One hook: EVENT MATCHER HOOK-MEMBERS; shows what stands in hooks.
one() {
	becomes "{\"hooks\": {\"$1\": [{\"matcher\": \"$2\", \"hooks\": [{\"type\": \"command\", $3}]}]}}" |
		sed 's/^{"hooks":{\(.*\)}}$/\1/'
}

# Events and default timeouts.
while read -r theirs ours timeout; do
	is "$theirs is $ours" "$(one "$theirs" '' '"command": "x"')" \
		"\"$ours\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"x\",\"timeout\":$timeout,\"dialect\":\"claude\"}]}]"
done <<'END'
PreToolUse BeforeTool 600000
PostToolUse AfterTool 600000
UserPromptSubmit BeforeAgent 30000
Stop AfterAgent 600000
SessionStart SessionStart 600000
SessionEnd SessionEnd 60000
PreCompact PreCompress 600000
Notification Notification 600000
END
is "a hook of PreCompact" "$(one PreCompact '' '"command": "echo NO >&2; exit 2"' | cut -c 1-14)" '"PreCompress":'
run hooks migrate --from-claude
has "PreCompact: what is lost in Gemini CLI" "$out" "Gemini CLI compresses whatever PreCompress says"
run hooks trust --yes
run hooks run PreCompress
has "PreCompact: a refusal still counts here" "$out" "denied: NO"
for event in PostToolUseFailure WorktreeCreate NoSuchEvent; do
	is "$event is left out" "$(one $event '' '"command": "x"')" ""
	run hooks migrate --from-claude
	is "$event: exit status" "$status" 3
	has "$event: the report has the place" "$out" ".claude/settings.json:1:"
done

# What only Claude has a name for stays as it is, seconds and names of tools, too.
for event in SubagentStop PermissionRequest TaskCreated; do
	is "$event stays" "$(one $event 'Bash' '"command": "x", "timeout": 5')" \
		"\"$event\":[{\"matcher\":\"Bash\",\"hooks\":[{\"type\":\"command\",\"command\":\"x\",\"timeout\":5,\"dialect\":\"claude\"}]}]"
done

# Matchers.
while read -r theirs ours; do
	is "matcher $theirs" "$(one PreToolUse "$theirs" '"command": "x"' | sed -n 's/.*"matcher":"\([^"]*\)".*/\1/p')" "$ours"
done <<'END'
Bash ^run_shell_command$
Edit ^replace$
Edit|Write ^(replace|write_file)$
Edit,Write ^(replace|write_file)$
Read ^(read_file|read_many_files)$
Glob|Grep|LS ^(glob|grep_search|list_directory)$
WebFetch|WebSearch|TodoWrite|Task ^(web_fetch|google_web_search|write_todos|invoke_agent)$
MultiEdit|Edit ^replace$
mcp__stock__get ^mcp_stock_get$
mcp__stock__.* ^mcp_stock_.*
mcp__.*__write.* ^mcp_.*_write.*
Edit.* replace.*
^(Bash|Read)$ ^(run_shell_command|(read_file|read_many_files))$
Bashful.* Bashful.*
*
.*
END
is "a matcher of which nothing is left" "$(one PreToolUse 'MultiEdit|NotebookEdit' '"command": "x"')" ""
is "words of lifecycle events are exact: one definition each" \
	"$(one SessionStart 'startup|fork|resume|compact' '"command": "x", "timeout": 1' | grep -o '"matcher":"[a-z]*"' | tr '\n' ' ')" \
	'"matcher":"startup" "matcher":"resume" "matcher":"compact" '
is "Notification" "$(one Notification permission_prompt '"command": "x"' | grep -o '"matcher":"[A-Za-z]*"')" '"matcher":"ToolPermission"'
is "a word that means two of ours" \
	"$(one SessionEnd 'other|logout' '"command": "x"' | grep -o '"matcher":"[a-z]*"' | tr '\n' ' ')" \
	'"matcher":"exit" "matcher":"other" "matcher":"logout" '
is "Notification that never comes" "$(one Notification idle_prompt '"command": "x"')" ""

# Timeouts (C6.7), commands.
timeout() { one PreToolUse '' "\"command\": \"x\", \"timeout\": $1" | sed -n 's/.*"timeout":\([0-9.]*\).*/\1/p'; }
is "seconds become milliseconds" "$(timeout 30)" 30000
is "half a second" "$(timeout 0.5)" 500
is "seconds as text" "$(timeout '"7"')" 7000
is "C6.7: a large number is seconds, too" "$(timeout 5000)" 5000000
run hooks migrate --from-claude
has "C6.7: with a remark" "$out" "5000 seconds is long"
command_of() { one PreToolUse '' "\"command\": \"$1\"" | sed -n 's/.*"command":"\(.*\)","timeout.*/\1/p'; }
is "\$CLAUDE_PROJECT_DIR" "$(command_of '$CLAUDE_PROJECT_DIR/a')" '$GEMINI_PROJECT_DIR/a'
is "in any quoting" "$(command_of "\\\"\$CLAUDE_PROJECT_DIR\\\"/a \$(cat '\$CLAUDE_PROJECT_DIR/b') \\\\\$CLAUDE_PROJECT_DIR")" \
	'\"$GEMINI_PROJECT_DIR\"/a$(cat'"'\$GEMINI_PROJECT_DIR/b'"')\\$CLAUDE_PROJECT_DIR'
is "\${CLAUDE_PROJECT_DIR}" "$(command_of '${CLAUDE_PROJECT_DIR}/a;${CLAUDE_PROJECT_DIR:-.}')" \
	'${GEMINI_PROJECT_DIR}/a;${GEMINI_PROJECT_DIR:-.}'
is "another name that begins so" "$(command_of '$CLAUDE_PROJECT_DIRS')" '$CLAUDE_PROJECT_DIRS'
run hooks migrate --from-claude
has "a variable that is not set" "$out" "CLAUDE_... that is not set here"
is "args become words of the shell" \
	"$(one PreToolUse '' '"command": "node", "args": ["-e", "it'"'"'s", "${CLAUDE_PROJECT_DIR}/$x"]')" \
	'"BeforeTool":[{"hooks":[{"type":"command","command":"node-e'"'it'\\\\''s'"'\"${GEMINI_PROJECT_DIR}/\\$x\"","timeout":600000,"dialect":"claude"}]}]'
has "async only observes" "$(one Stop '' '"command": "x", "async": true')" '"mode":"observe"'
is "if goes along" "$(one PreToolUse Bash '"command": "x", "timeout": 1, "if": "Bash(git *)"')" \
	'"BeforeTool":[{"matcher":"^run_shell_command$","hooks":[{"type":"command","command":"x","timeout":1000,"if":"Bash(git*)","dialect":"claude"}]}]'
run hooks migrate --from-claude
has "if: what Gemini CLI makes of it" "$out" '.claude/settings.json:1:'
has "if: what Gemini CLI makes of it" "$out" 'Gemini CLI does not know "if"'
is "if: nothing is lost" "$status" 0
is "an if that is no text" "$(one PreToolUse Bash '"command": "x", "if": 5')" ""
becomes '{"hooks": {"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "if": "Bash(git *)"}]},
	{"matcher": "Bash", "hooks": [{"type": "command", "command": "x", "if": "Bash(npm *)"}]}]}}' >/dev/null
is "the same command under another if is another hook" "$(grep -o '"if": "[^"]*"' $target | tr '\n' ' ')" \
	'"if": "Bash(git *)" "if": "Bash(npm *)" '
run hooks migrate --from-claude
has "if again: already there" "$out" "2 already there"
is "other types are left out" "$(becomes '{"hooks": {"Stop": [{"hooks": [{"type": "prompt", "prompt": "ok?"}]}]}}')" ""

# A whole file into one that has entries already: they stay, with their layout.
cat >.claude/settings.json <<'END'
{
  // Claude's
  "env": { "A": "1" },
  "hooks": {
    "PreToolUse": [
      { "matcher": "Bash",
        "hooks": [
          { "type": "command", "command": "python3 $CLAUDE_PROJECT_DIR/guard.py", "timeout": 5 },
          { "type": "http", "url": "https://example.com" }
        ] }
    ]
  }
}
END
cat >.claude/settings.local.json <<'END'
{ "hooks": { "PreToolUse": [ { "matcher": "Write", "hooks": [ { "type": "command", "command": "local" } ] } ] } }
END
printf 'import json\n\nprint(json.dumps({"permissionDecision": "deny"}))\n' >guard.py
printf '{\r\n\t// ours\r\n\t"hooks": {\r\n\t\t"BeforeTool": [ { "hooks": [ { "type": "command", "command": "mine" } ] } ]\r\n\t}\r\n}' >$target
cp $target ../before
run hooks migrate --from-claude --dry-run
is "dry run: exit status" "$status" 3
has "dry run: the difference" "$out" '"matcher": "^run_shell_command$"'
hasnt "dry run: only what changes" "$out" "// ours"
is "dry run: nothing is written" "$(cmp $target ../before)" ""
run hooks migrate --from-claude
is "exit status: something was left out" "$status" 3
has "the report: what was found" "$out" "Found Claude Code settings in: $(pwd -P)/.claude/settings.json"
has "the report: also the local file" "$out" "settings.local.json"
has "the report: what is lost, file:line" "$out" 'guard.py:3:20: Gemini CLI does not know permissionDecision'
has "the report: what was left out, file:line" "$out" '.claude/settings.json:9:21: hooks of type "http" are not supported'
has "the report: variables" "$out" '.claude/settings.json:3:10: each hook gets the variables of "env"'
has "then: approve and try" "$out" "trotline hooks trust"
is "appended, in the file's own layout" "$(tr -d '\r' <$target)" '{
	// ours
	"hooks": {
		"BeforeTool": [ { "hooks": [ { "type": "command", "command": "mine" } ] }, {"matcher": "^run_shell_command$", "hooks": [{"type": "command", "command": "python3 $GEMINI_PROJECT_DIR/guard.py", "timeout": 5000, "env": {"A": "1"}, "dialect": "claude"}]}, {"matcher": "^write_file$", "hooks": [{"type": "command", "command": "local", "timeout": 600000, "dialect": "claude"}]} ]
	}
}'
cp $target ../after
run hooks migrate --from-claude
has "again: already there" "$out" "0 migrated, 0 with loss, 2 already there, 1 not migrated"
is "again: no byte changes" "$(cmp $target ../after)" ""
run hooks migrate --from claude --json
run python3 - "$out" <<'END'
import json, sys
d = json.loads(sys.argv[1])
assert d['from'] == 'claude' and not d['changed'] and len(d['sources']) == 2, d
assert [h['status'] for h in d['hooks']] == ['present', 'skipped', 'present'], d
assert d['hooks'][0]['to'][0]['event'] == 'BeforeTool' and d['hooks'][0]['line'] == 8, d
assert d['hooks'][1]['remarks'][0]['line'] == 9, d
END
is "JSON" "$status$err" 0
# What came of it runs.
hooks trust --yes >/dev/null
run hooks why BeforeTool --tool run_shell_command
has "the migrated hooks are hooks" "$out" 'python3 $GEMINI_PROJECT_DIR/guard.py'
printf '{"hooksConfig": {"sources": ["claude"]}}' >$target
has "hooks that would run twice" "$(hooks migrate --from-claude)" "would run twice"
rm -r .claude $target

# Tabnine, TerminaI.
mkdir -p .tabnine/agent .terminai
cat >.tabnine/agent/settings.json <<'END'
{ "hooks": { "AfterTool": [ { "matcher": "run_shell_command|search_file_content", "sequential": true, "hooks": [
  { "name": "mask", "type": "command", "command": "$TABNINE_PROJECT_DIR/m $TABNINE_CWD", "timeout": 2500, "env": {"A": "b"} } ] } ] },
  "hooksConfig": { "disabled": ["old"] } }
END
run hooks migrate --from tabnine
is "tabnine" "$status$(tr -d ' \n' <$target)" '0{"hooks":{"AfterTool":[{"matcher":"run_shell_command|grep_search","sequential":true,"hooks":[{"name":"mask","type":"command","command":"$GEMINI_PROJECT_DIR/m$GEMINI_CWD","timeout":2500,"env":{"A":"b"},"dialect":"tabnine"}]}]},"hooksConfig":{"disabled":["old"]}}'
echo '{ "hooks": { "before-tool": [ { "hooks": [ { "command": "x" } ] } ] } }' >.tabnine/agent/settings.json
run hooks migrate --from tabnine
is "tabnine's older events" "$status" 3
has "tabnine's older events: why" "$out" "older Tabnine"
echo '{ "tools": {"enableHooks": false}, "hooks": { "disabled": ["off"], "BeforeTool": [ { "matcher": "delegate_to_agent", "hooks": [ { "type": "command", "command": "t" } ] } ] } }' >.terminai/settings.json
rm $target
run hooks migrate --from terminai
is "terminai" "$(tr -d ' \n' <$target)" '{"hooks":{"BeforeTool":[{"matcher":"invoke_agent","hooks":[{"type":"command","command":"t","dialect":"terminai"}]}]},"hooksConfig":{"disabled":["off"]}}'
has "terminai: they were switched off" "$out" ".terminai/settings.json:1:28: all hooks are switched off there"

# The fork: its events stand in Gemini's own file and are replaced there.
cat >$target <<'END'
{
  // the fork's
  "hooks": {
    "PreToolUse": [
      { "matcher": "WRITE_FILE|replace", "hooks": [ { "type": "command", "command": "guard", "timeout": 2000 } ] }
    ],
    "Notification": [ { "hooks": [ { "type": "command", "command": "note" } ] } ],
    "Stop": [ { "hooks": [ { "type": "command", "command": "ding" } ] } ]
  }
}
END
run hooks migrate --from jpfork
is "jpfork" "$status$(tr -d ' \n' <$target)" '0{//thefork'"'"'s"hooks":{"Notification":[{"hooks":[{"type":"command","command":"note"}]}],"BeforeTool":[{"matcher":"write_file|replace","hooks":[{"type":"command","command":"guard","timeout":2000,"onFailure":"deny","dialect":"jpfork"}]}],"AfterAgent":[{"hooks":[{"type":"command","command":"ding","mode":"observe"}]}]}}'
run hooks migrate --from jpfork
has "jpfork again: nothing is left" "$out" "No hooks found"

# C7.8 permissions: modes and directories become settings; what the files have stays (the lists: test_migrate_permissions.py).
rm -rf .gemini .trotline && mkdir -p .claude .gemini/policies .trotline/policies sub
echo '{"context": {"includeDirectories": ["a"]}} // mine' >$target
echo '# mine' >.trotline/policies/claude.toml
cat >.claude/settings.json <<'END'
{"permissions": {"deny": ["Bash(rm:*)", 5], "allow": ["Bash(ls:*)"], "defaultMode": "plan",
  "additionalDirectories": ["sub", "/etc"], "disableBypassPermissionsMode": "disable"}}
END
run hooks migrate --from-claude --dry-run
is "permissions, dry run: nothing is written" "$(cat $target .trotline/policies/claude.toml)" '{"context": {"includeDirectories": ["a"]}} // mine
# mine'
has "permissions, dry run: the diff" "$out" '+commandPrefix = "rm"'
run hooks migrate --from-claude
is "permissions: a rule that is none" "$status" 3
has "permissions: its place" "$out" ".claude/settings.json:1:"
has "permissions: a project names only directories inside of it" "$out" '"/etc" is outside of the project'
has "permissions: the mode" "$(tr -d ' \n' <$target)" '"defaultApprovalMode":"plan"'
has "permissions: no yolo" "$(tr -d ' \n' <$target)" '"disableYoloMode":true'
has "permissions: the directories" "$(tr -d ' \n' <$target)" '"includeDirectories":["a","sub"]'
has "permissions: comments stay" "$(cat $target .trotline/policies/claude.toml | tr '\n' ' ')" '// mine # mine'
cp .trotline/policies/claude.toml before
run hooks migrate --from-claude
has "permissions: twice is once" "$out" "2 already there, 1 not migrated"
is "permissions: the file is as before" "$(cat .trotline/policies/claude.toml)" "$(cat before)"
echo '[[rule' >.trotline/policies/claude.toml
run hooks migrate --from-claude
is "permissions: a broken policy file" "$status $(cat .trotline/policies/claude.toml)" "52 [[rule"
has "permissions: its place" "$err" "claude.toml:1:"
rm -rf .trotline && ln -s "$tmp/elsewhere" .trotline && mkdir "$tmp/elsewhere"
run hooks migrate --from-claude
is "permissions: a link that leaves the project is not followed" "$status $(ls "$tmp/elsewhere")" "1 "
rm -rf .trotline .claude

# The user's own settings; mistakes.
mkdir ../.claude && echo '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}' >../.claude/settings.json
run hooks migrate --from-claude --scope user
is "the user's: exit status" "$status" 0
has "the user's: the file" "$(cat ../$target)" '"AfterAgent"'
run hooks migrate --from-claude
is "no files: exit status" "$status" 1
has "no files" "$err" "No Claude Code settings found in .claude directory. Expected settings.json or settings.local.json"
run hooks migrate
is "no agent" "$status" 1
has "no agent: how" "$err" "trotline hooks migrate --from-claude"
run hooks migrate --from emacs
is "an unknown agent" "$status" 1
mkdir -p .claude && echo '{ "hooks": }' >.claude/settings.json
run hooks migrate --from-claude
is "a broken file: exit status" "$status" 52
has "a broken file: where" "$err" ".claude/settings.json:1:12: "
echo '{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "x"}]}]}}' >.claude/settings.json
echo '{ "hooks": [] }' >$target
run hooks migrate --from-claude
is "a wrong type in the target is never replaced" "$status$(cat $target)" '52{ "hooks": [] }'

done_testing
