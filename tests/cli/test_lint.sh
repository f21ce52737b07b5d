#!/bin/sh
# trotline hooks lint: every code of docs/linting.md, and silence where nothing is wrong (C7.1).
# shellcheck disable=SC2016,SC2088
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
lint() { run "$TROTLINE" hooks lint "$@"; }
mkdir -p p/.gemini/hooks p/sub && cd p || exit 2
scripts=.gemini/hooks

# settings TEXT: the project's settings;  hook JSON: one BeforeTool hook, from its members.
settings() { printf '%s\n' "$1" >.gemini/settings.json; }
hook() { settings "{ \"hooks\": { \"BeforeTool\": [ { \"hooks\": [
  { \"type\": \"command\", $1 } ] } ] } }"; }
with() { hook "\"command\": \"$1\""; }
# script NAME TEXT: an executable one.
script() {
	printf '%b' "$2" >"$scripts/$1"
	chmod +x "$scripts/$1"
}
# says NAME STATUS SEVERITY CODE PART;  silent NAME
says() {
	lint
	is "$1: exit status" "$status" "$2"
	has "$1" "$(printf '%s\n' "$out" | grep -F "[$4]")" "$3: "
	has "$1: text" "$(printf '%s\n' "$out" | grep -F "[$4]")" "$5"
}
silent() {
	lint
	is "$1" "$status $out" "0 1 hook in 1 file: no problems found."
}

lint
is "no settings at all" "$status $out" "0 0 hooks in 0 files: no problems found."

script ok.sh '#!/bin/sh\ncat >/dev/null\n'
with '$GEMINI_PROJECT_DIR/.gemini/hooks/ok.sh'
silent "a hook that is right"

# What only Gemini CLI does.
settings '{ "security": { "disableAlwaysAllow": true, "blockGitExtensions": false },
  "general": { "checkpointing": { "enabled": true } } }'
says "C7.1 settings without effect" 0 note no-effect "security.disableAlwaysAllow has no effect in trotline, only in Gemini CLI"
has "its place" "$out" ".gemini/settings.json:2:46: note: general.checkpointing.enabled has no effect"
hasnt "one that asks for nothing" "$out" blockGitExtensions

# The text of the settings.
settings '{ "hooks": {,} }'
lint
is "syntax: exit status" "$status" 1
is "syntax: file, line, column, severity, code" \
	"$(printf '%s\n' "$out" | sed -n '1s/error: .* \[/error: ... [/p')" \
	".gemini/settings.json:1:13: error: ... [syntax]"
settings '{
  "Hooks": {} }'
says "Hooks" 0 warning unknown-key 'did you mean "hooks"?'
has "the place of a key" "$out" '.gemini/settings.json:2:3: '
for key in hook hooksconfig hookConfig hooks_config hookscofnig; do
	settings "{ \"$key\": {} }"
	lint
	has "$key" "$out" 'did you mean "hooks'
done
# Settings that a session would not take.
settings '{ "general": {
  "defaultApprovalMode": "autoedit" } }'
says "a mode that there is not" 1 error bad-value 'general.defaultApprovalMode: "autoedit" is not accepted in settings; it is one of: plan, default, auto_edit; did you mean "auto_edit"?'
has "its place" "$out" ".gemini/settings.json:2:26: "
settings '{ "general": { "defaultApprovalMode": "yolo" } }'
says "a mode that settings cannot have" 0 warning bad-value '"yolo" is not accepted in settings'
settings '{ "security": { "disableYoloMode": "yes", "folderTrust": [] }, "tools": { "exclude": "x" }, "model": { "provider": "openia", "maxSessionTurns": "ten" } }'
says "a text for true or false" 1 error wrong-type 'security.disableYoloMode must be true or false, this is a string'
has "an array for an object" "$out" 'security.folderTrust must be an object, this is an array'
has "a text for a list" "$out" 'tools.exclude must be an array'
has "a text for a number" "$out" 'model.maxSessionTurns must be a number'
has "a provider" "$out" 'model.provider: "openia" is not accepted in settings; it is one of: gemini, openai; did you mean "openai"?'
settings '{ "general": { "defaultApprovalMode": "${MODE}" }, "model": { "maxSessionTurns": "12", "name": null }, "tools": { "sandbox": "project" } }'
lint
is "variables, numbers in texts, nothing" "$status $out" "0 0 hooks in 1 file: no problems found."

# Rules of Claude's permissions (C7.8).
mkdir -p rules/.claude && cd rules || exit 2
rules() {
	printf '{ "permissions": { %s } }' "$1" >.claude/settings.json
	lint .claude/settings.json
}
rules '"allow": ["Edit:*"]'
has "C7.8: a rule that is none allows nothing" "$status $out" '0 .claude/settings.json:1:30: warning: "Edit:*" is no rule, and allows nothing; did you mean "Edit"? [bad-rule]'
rules '"deny": ["Bash:git push"]'
has "C7.8: and denies the tool" "$out" '"Bash:git push" is no rule, and counts for Bash as a whole; did you mean "Bash(git push)"?'
rules '"ask": ["Bash(x"]'
has "C7.8: or all tools" "$out" '"Bash(x" is no rule, and counts for every tool'
rules '"allow": ["bash", "Frobnicate", "Bash(npm *:*)", "WebFetch(domain:example.com)", "mcp__x__get*"]'
has "C7.8: a name in other letters" "$out" 'no tool is called "bash" in these rules; did you mean "Bash"?'
has "C7.8: a name of nobody" "$out" 'no tool is called "Frobnicate"'
is "C7.8: what is too narrow to allow" "$(printf '%s\n' "$out" | grep -c 'note: .*saves no question')" 3
rules '"allow": ["Bash", "Bash(git push:*)", "Bash(make)", "Edit(*)", "mcp__x", "mcp__x__*", "mcp__x__get", "NotebookEdit"], "deny": ["Read(./.env)", "run_shell_command", "*"]'
is "C7.8: rules as they are" "$status $out" "0 12 hooks in 1 file: no problems found."
rules '"defaultMode": "acceptEdit"'
has "C7.8: a mode of Claude's" "$status $out" '1 .claude/settings.json:1:35: error: permissions.defaultMode: "acceptEdit" is not accepted in settings; it is one of: plan, default, acceptEdits; did you mean "acceptEdits"?'
cd .. || exit 2

for key in tools ui model context books-and-more; do
	settings "{ \"$key\": {} }"
	lint
	is "$key is somebody else's" "$out" "0 hooks in 1 file: no problems found."
done
settings '{ "BeforeTool": [] }'
says "an event at the top" 0 warning misplaced-event 'outside of "hooks"'
settings '{ "hooksConfig": { "maxRetrys": 1 } }'
says "an untrusted project's hooksConfig is looked at" 0 warning unknown-key '"maxRetries"'

# What the loader says.
hook '"command": "true", "timout": 1'
says "an unknown key" 0 warning unknown-key 'did you mean "timeout"?'
hook '"command": "true", "timeout": 5'
says "a short timeout" 0 warning short-timeout '5000'
hook '"command": "true", "onFailure": "x"'
says "a bad value" 1 error bad-value onFailure
settings '{ "hooks": { "SessionStart": [ { "matcher": "boot", "hooks": [
  { "type": "command", "command": "true" } ] } ] } }'
says "a matcher that never matches" 0 warning never-matches 'startup'
lint --strict
is "--strict" "$status" 1

# Programs.
with 'no-such-program -e .x | cat'
says "a program" 1 error program-not-found '"no-such-program"'
with 'cat | no-such-program'
says "a program behind a pipe" 1 error program-not-found '"no-such-program"'
with 'X=1 no-such-program >/dev/null 2>&1 && true'
says "a program behind an assignment" 1 error program-not-found '"no-such-program"'
with 'no-such-program || true'
says "a program that may be missing" 0 warning program-not-found '"no-such-program"'
# Programs of other machines, which this one need not have.
mkdir "$tmp/others" && ln -s "$(command -v cat)" "$tmp/others/docker" && ln -s "$(command -v cat)" "$tmp/others/ssh"
path=$PATH
PATH=$tmp/others:$PATH
for c in 'if command -v no-such-program >/dev/null; then no-such-program; fi' \
	'type no-such-program && no-such-program' \
	'echo no-such-program' "echo 'a|no-such-program;b'" 'echo \"$(no-such-program)\"' \
	'# no-such-program' 'ulimit -n 20; umask 077; [ -d /x ]; [[ -d /x ]] && let x=1' \
	'for i in no such program; do true; done' \
	'cat >no-such-program.log' 'f() { true; }; f' \
	'hash no-such-program || exit 0; no-such-program' "P=('*/x/*' no-such-program)" \
	'case x in no-such-program) true;; */no/such) true;; esac' \
	'PATH=/x:$PATH no-such-program' 'PATH=$PATH:/x; no-such-program' \
	'docker run image no-such-program' 'ssh host ./none.sh' 'env PATH=/x no-such-program' \
	'[ -x ./none.sh ] && ./none.sh' 'if [[ -x ./none.sh ]]; then ./none.sh; fi' \
	'f=./none.sh; test -x \"$f\" && \"$f\"' '(cd /tmp; ./none.sh)' 'node none' \
	"trap 'no-such-program' EXIT"; do
	with "$c"
	silent "no complaint about: $c"
done
PATH=$path
for c in 'f() { true; }; no-such-program' 'if true; then no-such-program; fi' \
	'for i in a b; do no-such-program; done' 'case x in x) no-such-program;; esac' \
	'{ no-such-program; } 2>&1' '(no-such-program)' 'timeout 5 env X=1 no-such-program' \
	'p=no-such-program; \"$p\" x' 'true && [ -x ./f ] && no-such-program'; do
	with "$c"
	says "found in: $c" 1 error program-not-found '"no-such-program"'
done
mkdir "$tmp/bin" && ln -s "$(command -v cat)" "$tmp/bin/sudo"
with 'sudo no-such-program'
run env PATH="$tmp/bin:$PATH" "$TROTLINE" hooks lint
is "sudo has a PATH of its own" "$status" 0
with '$PROGRAM x'
says "C7.4: a program in an unknown variable" 0 note unwatched-hook 'in a way that is not known'
hook '"command": "$PROGRAM x", "guard": true'
says "C7.4: of a guard" 1 error unwatched-hook 'in a way that is not known'
hook '"command": "$PROGRAM x", "guard": true, "watch": ["tools/*"]'
silent "C7.4: with its files named"
with 'cat <<X\nno-such-program\nX'
silent "no complaint about a here-document"

# What the shell cannot read.
for c in "echo 'it" 'echo \"it' 'echo `date' '(true' 'if true; then' 'true )' 'echo ${X' '&& true'; do
	with "$c"
	lint
	is "unreadable: $c" "$status $(printf '%s\n' "$out" | grep -c 'error: the shell cannot read the command: .* \[shell-syntax\]')" \
		"1 1"
done
touch_env=$tmp/env.sh
echo 'touch ran' >"$touch_env"
with 'echo \"it'
run env BASH_ENV="$touch_env" ENV="$touch_env" "$TROTLINE" hooks lint
is "looking at it runs nothing" "$status $(ls ran 2>/dev/null)" "1 "

# Scripts.
with '.gemini/hooks/none.sh'
says "a script that is not there" 1 error missing-script '.gemini/hooks/none.sh'
with 'python3 -u .gemini/hooks/none.py --fast'
says "a script of an interpreter" 1 error missing-script '.gemini/hooks/none.py'
for c in 'node --require none.js .gemini/hooks/none.js' 'timeout 5 .gemini/hooks/none.js' \
	'. .gemini/hooks/none.js' 'if true; then python3.11 .gemini/hooks/none.js; fi' \
	'd=.gemini/hooks; \"$d/none.js\"' "'\$GEMINI_PROJECT_DIR'/.gemini/hooks/none.js"; do
	with "$c"
	says "a script in: $c" 1 error missing-script '.gemini/hooks/none.js'
done
with '\"$GEMINI_PROJECT_DIR\"/.gemini/hooks'
says "a directory" 1 error missing-script 'directory'
for c in 'python3 -m none' 'sh -c none' 'node --require none.js -e 1' 'python3 $X/none.py' \
	'cd /tmp && ./none.sh' '$HOME_OF_X/none.sh' '/bin/sh -e .gemini/hooks/ok.sh' \
	'sh \"${GEMINI_PROJECT_DIR}\"/.gemini/hooks/ok.sh' \
	"'\$GEMINI_PROJECT_DIR'/.gemini/hooks/ok.sh" '${CLAUDE_PROJECT_DIR}/.gemini/hooks/ok.sh'; do
	with "$c"
	silent "no complaint about: $c"
done
mkdir -p "$HOME/bin" && cp $scripts/ok.sh "$HOME/bin/ok"
with '~/bin/ok'
silent "a script in the home directory"
with '~/bin/none'
says "none in the home directory" 1 error missing-script '~/bin/none'

printf '#!/bin/sh\n' >$scripts/plain.sh
with '.gemini/hooks/plain.sh'
says "not executable" 1 error not-executable 'chmod +x'
with 'sh .gemini/hooks/plain.sh'
silent "an interpreter needs no execute bit"
script crlf.sh '#!/bin/sh\r\ntrue\r\n'
with '.gemini/hooks/crlf.sh'
says "CRLF" 1 error crlf '.gemini/hooks/crlf.sh'
with 'bash .gemini/hooks/crlf.sh'
says "CRLF in a shell's script" 1 error crlf '.gemini/hooks/crlf.sh'
script crlf.py '#!/usr/bin/env python3\r\npass\r\n'
with 'python3 .gemini/hooks/crlf.py'
silent "Python reads CRLF"
script bare 'true\n'
with '.gemini/hooks/bare'
says "no #! line" 0 warning no-hash-bang '#!'
script gone '#!/no/such/interpreter\n'
with '.gemini/hooks/gone'
says "no such interpreter" 1 error no-interpreter '/no/such/interpreter'
script envgone '#!/usr/bin/env -S no-such-interpreter -x\n'
with '.gemini/hooks/envgone'
says "no such interpreter for env" 1 error no-interpreter 'no-such-interpreter'
with '/bin/cat'
silent "a program is no script"

# The terminal.
with 'echo hi >/dev/tty'
says "/dev/tty in the command" 0 warning uses-tty 'terminal'
script tty.sh '#!/bin/sh\n# not /dev/tty\necho hi >/dev/tty\n'
with '.gemini/hooks/tty.sh'
says "/dev/tty in the script" 0 warning uses-tty 'tty.sh:3'

# Guards (C3.6).
hook '"command": "echo fine", "guard": true'
says "a guard that prints text" 0 warning guard-prints-text 'JSON'
script guard.sh '#!/bin/sh\ncat >/dev/null\necho "checking" >&2\necho all is well\n'
hook '"command": "setsid .gemini/hooks/ok.sh", "guard": true'
says "a guard in the background" 1 error guard-detaches 'background'
hook '"command": "setsid .gemini/hooks/ok.sh"'
silent "another hook in the background"
hook '"command": ".gemini/hooks/guard.sh", "guard": true'
says "a guard's script that prints text" 0 warning guard-prints-text 'guard.sh:4'
for c in 'cat >/dev/null; echo x >&2' "echo '{}'" 'echo x | sh .gemini/hooks/ok.sh' \
	'echo $RESULT' '{ echo x; } >&2' 'f() { echo x; }; f | cat' 'exec >&2; echo x' \
	'if false; then echo no; exit 2; fi' 'for i in 1; do echo x; done >/dev/null'; do
	hook "\"command\": \"$c\", \"guard\": true"
	silent "no complaint about a guard: $c"
done
with 'echo fine'
silent "who is no guard may print text"
hook '"command": "true", "guard": true, "mode": "observe"'
says "a guard that only observes" 0 warning guard-observes 'guards nothing'

# Names.
settings '{ "hooks": { "BeforeTool": [ { "hooks": [
  { "type": "command", "name": "n", "command": "true" },
  { "type": "command", "name": "n", "command": "true 2" },
  { "type": "command", "name": "n", "command": "true" } ] } ],
  "AfterTool": [ { "hooks": [ { "type": "command", "name": "n", "command": "true 3" } ] } ] } }'
says "a name that is taken" 0 warning same-name '.gemini/settings.json:2'
is "once a hook" "$(printf '%s\n' "$out" | grep -cF '[same-name]')" 1
has "the same hook twice" "$out" '[duplicate]'

# In file order; nothing is run and nothing is written.
settings '{
  "hooks": { "BeforeTool": [ { "hooks": [
    { "type": "command", "command": "touch ran; ./b" },
    { "type": "command", "command": "true", "timeout": 1 } ] } ] },
  "Hooks": 1 }'
lint
is "file order" "$(printf '%s\n' "$out" | sed -n 's/^[^:]*:\([0-9]*\):.*/\1/p' | tr '\n' ' ')" \
	"3 4 5 "
has "the sum" "$out" "1 error, 2 warnings"
is "nothing was run" "$(ls ran 2>/dev/null)" ""
is "nothing was written" "$(ls -d "$HOME/.trotline" .trotline 2>/dev/null)" ""

# --json
lint --json
is "--json: exit status" "$status" 1
is "--json" "$(printf '%s\n' "$out" | node -e '
	const r = JSON.parse(require("fs").readFileSync(0, "utf8"));
	console.log(Object.keys(r).join(), r.files.length, r.errors, r.warnings,
		r.diagnostics.map((d) => [d.severity, d.code, d.line, typeof d.text]).join(";"));')" \
	"files,diagnostics,errors,warnings 1 1 2 error,missing-script,3,string;warning,short-timeout,4,string;warning,unknown-key,5,string"

# Claude's `args`: no shell.
mkdir -p ../args/.claude ../args/s
printf '#!/bin/sh\n' >../args/s/plain.sh
claude() { echo "{ \"hooks\": { \"PreToolUse\": [ { \"hooks\": [ $1 ] } ] } }" >../args/.claude/settings.json; }
member() { printf '{ "type": "command", "command": "%s", "args": [%s] }' "$1" "$2"; }
claude "$(member python3 '"-u", "s/none.py"')"
lint ../args/.claude/settings.json
has "args: a script" "$out" "starts s/none.py, which does not exist [missing-script]"
# shellcheck disable=SC2016
claude "$(member '${CLAUDE_PROJECT_DIR}/s/plain.sh' '"it'"'"'s", "$(x", "a b"')"
lint ../args/.claude/settings.json
is "args: not executable, and nothing for a shell" "$(printf '%s\n' "$out" | grep -o '\[.*\]')" "[not-executable]"
claude "$(member no-such-program '"true"')"
lint ../args/.claude/settings.json
has "args: a program" "$out" '"no-such-program", which is not on PATH'
claude "$(member shopt '"-n"')"
lint ../args/.claude/settings.json
has "args: no builtin" "$out" '"shopt", which is not on PATH'
claude "$(member cat '"a"'), $(member cat '"b"'), $(member cat '"a"')"
lint ../args/.claude/settings.json
is "args: other arguments, another hook" "$(printf '%s\n' "$out" | grep -o '\[.*\]' | tr '\n' ' ')" \
	"[duplicate] "
claude "$(member cat '"/dev/tty"')"
lint ../args/.claude/settings.json
has "args: the terminal" "$out" "[uses-tty]"

# Files: as if they were a project's, in the dialect that their place says.
mkdir -p ../other/.claude ../other/hooks
cat >../other/.claude/settings.json <<'END'
{ "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [
  { "type": "command", "command": "hooks/here.sh", "timeout": 5 } ] } ] } }
END
printf '#!/bin/sh\n' >../other/hooks/here.sh
chmod +x ../other/hooks/here.sh
lint ../other/.claude/settings.json
is "a file of another project, in its dialect" "$status $out" \
	"0 1 hook in 1 file: no problems found."
lint --dialect gemni ../other/.claude/settings.json
is "--dialect: unknown" "$status" 1
lint --dialect claude
is "--dialect without a file" "$status" 1
cp ../other/.claude/settings.json plain.json
printf '{' >broken.json
lint plain.json broken.json missing.json
is "several files: exit status" "$status" 1
has "several files: the first" "$out" "plain.json:2:"
has "another place, another dialect" "$out" "[foreign-events]"
has "several files: a broken one" "$out" "broken.json:1:2: error: "
has "several files: one that is not there" "$out" "missing.json: error: "
has "the file that is not there is named once" "$out" \
	"missing.json: error: No such file or directory [unreadable]"
is "its own project is not looked at" "$(printf '%s\n' "$out" | grep -c '^.gemini')" 0

lint --dialect claude plain.json
hasnt "--dialect" "$out" "[foreign-events]"

# A settings file that cannot be read is named once, too.
mkdir -p ../closed/.gemini/settings.json
lint --dir ../closed
is "a directory: exit status" "$status" 1
is "a directory" "$(printf '%s\n' "$out" | head -1)" \
	".gemini/settings.json:1:1: error: this settings file cannot be used: not a regular file [unusable]"
run "$TROTLINE" hooks list --dir ../closed
is "a directory: list" "$status $(printf '%s\n' "$err" | head -1)" "52 trotline: $tmp/closed/.gemini/settings.json:1:1: this settings \
file cannot be used: not a regular file"
rmdir ../closed/.gemini/settings.json
ln -s nowhere ../closed/.gemini/settings.json
run "$TROTLINE" hooks list --dir ../closed
is "a link to nothing" "$(printf '%s\n' "$err" | head -1)" "trotline: $tmp/closed/.gemini/settings.json:1:1: this settings \
file cannot be used: No such file or directory"

mkdir .git && cd sub || exit 2
lint
has "the project of a subdirectory" "$out" "1 error"
lint --no-project-hooks
has "--no-project-hooks: the project's file is none of those looked at" "$out" " in 0 files"
lint --no-project-hooks --json
has "nor in JSON" "$out" '"files": []'
lint --dir "$tmp/other"
has "--dir" "$out" "0 hooks in 0 files"
lint --dir "$tmp/none"
is "--dir: none" "$status" 1

# ---- what a matcher can match ----
cd "$tmp/p" || exit 2
rm -f ../.gemini/settings.json
# matcher TEXT [MEMBERS]: a BeforeTool hook behind it.
matcher() { settings "{ \"hooks\": { \"BeforeTool\": [ { \"matcher\": \"$1\", \"hooks\": [
  { \"type\": \"command\", \"command\": \"true\"${2-} } ] } ] } }"; }
for m in bash Bsh 'Bash(git:*)' '.*run_command.*' '^(glob|bash)$' 'write_file|Bsh'; do
	matcher "$m"
	says "C5.3: $m matches no tool" 0 warning unknown-tool 'did you mean "run_shell_command"?'
	hasnt "C5.3: and is not said to match: $m" "$out" '[tool-alias]'
	matcher "$m" ', "guard": true'
	says "C5.3: a guard: $m" 1 error unknown-tool 'did you mean "run_shell_command"?'
done
for m in '.*' 'write_.*' '^(?!glob)' 'run_shell_command' '(read|write)_file' 'activate_skill|complete_task' \
	'list_mcp_resources' '[a-z]+_fetch' 'mcp__.*' 'read_.*|.*shell.*'; do
	matcher "$m"
	silent "a matcher that matches: $m"
done
matcher '^frobnicate$'
says "a name that no server's tool can have" 0 warning unknown-tool 'no tool here is called'
matcher 'frobnicate'
says "a server's tool could have it" 0 note unknown-tool 'no MCP server is configured'
# What migrate writes: the matcher is of the definition's dialect, whatever the hook itself is written in.
matcher '^(run_shell_command|replace)$' ', "dialect": "claude"'
silent "C5.3: a hook of Claude behind a matcher of Gemini"
matcher 'Bsh' ', "dialect": "claude"'
says "C5.3: what was meant is said in the matcher's words" 0 warning unknown-tool 'did you mean "run_shell_command"?'
claude_hook() { echo "{ \"hooks\": { \"$1\": [ { \"matcher\": \"$2\", \"hooks\": [
  { \"type\": \"command\", \"command\": \"true\"${3-} } ] } ] } }" >../args/.claude/settings.json; }
for m in bash Bsh '.*run_command.*' 'Write|bash'; do
	claude_hook PreToolUse "$m"
	lint ../args/.claude/settings.json
	has "Claude: $m" "$out" 'did you mean "Bash"? [unknown-tool]'
done
claude_hook PreToolUse Bash
# shellcheck disable=SC2016
sed -i 's/"true"/"echo $CLAUDE_TOOL_NAME $CLAUDE_FILE_PATHS >>log"/' ../args/.claude/settings.json
lint ../args/.claude/settings.json
# shellcheck disable=SC2016
has 'Claude: a variable that was never there' "$out" \
	'warning: nothing sets $CLAUDE_TOOL_NAME: the hook reads tool and arguments from its stdin [unset-variable]'
claude_hook PreToolUse 'Bash(git:*)'
lint ../args/.claude/settings.json
has 'Claude: a rule is no matcher' "$out" 'write "Bash", and what it is called with in "if"'
claude_hook PreToolUse 'Edit|NotebookEdit|Write'
lint ../args/.claude/settings.json
has 'Claude: a tool of its own' "$out" 'note: matcher "Edit|NotebookEdit|Write": no tool here is called "NotebookEdit"'
for m in 'Edit|Write' 'Bash' 'Task' 'run_shell_command' 'Web.*' '*'; do
	claude_hook PreToolUse "$m"
	lint ../args/.claude/settings.json
	is "Claude: a matcher that matches: $m" "$out" "1 hook in 1 file: no problems found."
done

# ---- events and units (C7.6) ----
settings '{ "hooks": { "BeforeTol": [] } }'
says "C7.6: an event that does not exist" 1 error unknown-event 'did you mean "BeforeTool"?'
claude_hook PreToolUs Bash
lint ../args/.claude/settings.json
has "C7.6: one of Claude's, misspelt" "$out" 'error: unknown event "PreToolUs"'
claude_hook ToolEvaporated Bash
lint ../args/.claude/settings.json
has "C7.6: one of a later Claude" "$out" 'note: unknown event "ToolEvaporated"'
matcher run_shell_command ', "timeout": 60'
says "C7.6: 60 milliseconds" 0 warning timeout-unit '60 seconds would be 60000'
matcher run_shell_command ', "timeout": 60, "guard": true'
says "C7.6: 60 milliseconds of a guard" 1 error timeout-unit '60 seconds would be 60000'
matcher run_shell_command ', "timeout": 300, "guard": true'
says "C7.6: what may be meant" 0 note timeout-unit '300 seconds'
claude_hook PreToolUse Bash ', "timeout": 60000'
lint ../args/.claude/settings.json
has "C7.6: 60000 seconds" "$out" 'warning: the timeout is 60000 seconds'
claude_hook PreToolUse Bash ', "timeout": 60000, "guard": true'
lint ../args/.claude/settings.json
has "C7.6: 60000 seconds of a guard" "$out" 'error: the timeout is 60000 seconds'

# ---- the same hook ----
echo '{ "hooks": { "PostToolUse": [ { "hooks": [ { "type": "command", "command": "true" } ] } ],
  "PostToolUseFailure": [ { "hooks": [ { "type": "command", "command": "true" } ] } ] } }' >../args/.claude/settings.json
lint ../args/.claude/settings.json
is "C4.1: equal hooks of different events" "$out" "2 hooks in 1 file: no problems found."
with './none.sh'
lint .gemini/settings.json .gemini/settings.json
is "a file that is given twice" "$(printf '%s\n' "$out" | grep -c missing-script)" 1
run env HOME="$PWD" "$TROTLINE" hooks lint
is "the project is the home directory" "$(printf '%s\n' "$out" | grep -c missing-script)" 1

# ---- variables ----
for v in '$CLAUDE_PROJECT_DR' '\"${GEMINI_PROJECT_DR}\"/x' '$(cat $TROTLINE_PROJECTDIR)'; do
	with "true $v"
	says "C6.6: nothing sets $v" 0 warning unset-variable '_PROJECT_DIR"?'
done
with 'true $TABNINE_CWD'
says "C6.6: of another dialect" 0 warning unset-variable 'nothing sets $TABNINE_CWD for this hook'
for v in '$CLAUDE_PROJECT_DIR $GEMINI_CWD $TROTLINE_RESULT_FD $GEMINI_SESSION_ID' '${CLAUDE_PLUGIN_ROOT:-x}' \
	'$MY_OWN $GEMINI_API_KEY' "'\$CLAUDE_PROJECT_DR'"; do
	with "true $v"
	silent "no complaint about: $v"
done
with 'CLAUDE_PROJECT_DR=x; true $CLAUDE_PROJECT_DR'
silent "one that the command sets"
hook '"command": "true $CLAUDE_PROJECT_DR", "env": { "CLAUDE_PROJECT_DR": "x" }'
silent "one that the hook sets"
claude "$(member true '"${CLAUDE_PROJECT_DR}/x"')"
lint ../args/.claude/settings.json
has "args: nothing sets it" "$out" 'nothing sets $CLAUDE_PROJECT_DR; did you mean "$CLAUDE_PROJECT_DIR"?'

# ---- what becomes of an exit status ----
printf '#!/bin/sh\n' >../args/go
chmod +x ../args/go
cp ../args/go ../args/make
there=$PATH
export PATH="$PWD/../args:$PATH"
with 'go run ./guard'
says "a program that loses a status of 2" 0 warning exit-status '"go run" ends with 1 when its program ends with 2'
hook '"guard": true, "command": "make -s guard"'
says "one that makes a 2 of every failure, for a guard" 1 error exit-status 'make ends with 2 when anything in it fails'
for c in 'go build ./guard' 'go run ./guard || exit 2'; do
	with "$c"
	lint
	hasnt "no complaint about: $c" "$out" exit-status
done
settings '{ "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "go run ./x" } ] } ] } }'
lint
hasnt "nor where no status denies" "$out" exit-status
PATH=$there

# ---- what scripts answer and read (C3.9) ----
# answers EVENT TEXT: a script that begins so, in Python.
answers() {
	printf '#!/usr/bin/env python3\n%s\n' "$2" >answer.py
	chmod +x answer.py
	settings "{ \"hooks\": { \"$1\": [ { \"hooks\": [ { \"type\": \"command\", \"command\": \"./answer.py\" } ] } ] } }"
}
answers BeforeTool 'print({"hookSpecificOutput": {"permissionDecison": "deny"}})'
says "C3.9: a slip" 0 warning no-effect 'answer.py:2 answers with "permissionDecison", which has no effect on BeforeTool; did you mean "decision"?'
answers BeforeTool 'print({"hookSpecificOutput": {"updatedInput": {}}})'
says "C3.9: a member of another dialect" 0 warning no-effect 'did you mean "hookSpecificOutput.tool_input"?'
answers BeforeTool 'updated_input = {}; print({"hookSpecificOutput": {"updated_input": updated_input}})'
says "C3.9: a slip whose value is called so, too" 0 warning no-effect 'answers with "updated_input"'
answers BeforeTool 'out["stopReson"] = "x"'
says "C3.9: a slip in an index" 0 warning no-effect 'did you mean "stopReason"?'
answers BeforeTool 'const out = {
  systemMesage: await text(),
};'
says "C3.9: a slip without quotes" 0 warning no-effect 'answer.py:3 answers with "systemMesage"'
answers SessionStart 'print({"decision": "deny"})'
says "C3.9: a member of another event" 0 warning no-effect 'no effect on SessionStart'
answers BeforeModel 'print({"hookSpecificOutput": {"additionalContext": "x"}})'
says "C3.9: context where none is taken" 0 warning no-effect 'no effect on BeforeModel'
with "echo '{\\\"decison\\\": \\\"deny\\\"}'"
says "C3.9: in the command" 0 warning no-effect 'the hook answers with "decison"'
for text in 'print({"decision": "deny", "reason": "x", "hookSpecificOutput": {"tool_input": {}, "additionalContext": "y"}})' \
	'# {"permissionDecison": 1}' 'x = d["permissionDecison"]' 'print({"anything": 1, "messages": [], "decisions": []})' \
	'print({"decision": "deny", "permissionDecision": "deny"})' \
	'log({tool_output: input.tool_output, x: 1})' 'json.dump({"toolOutput": d["toolOutput"]}, f)' \
	'jq --arg o "$X" "{toolInput: \$toolInput, permissionSuggestions: \$permissionSuggestions}"' \
	'log({"tool": v.get("tool_name"), "toolOutput": d.get("toolOutput")})' 'echo "Key Context:"' 'echo "see Messages: none"' \
	'log({"sessionState": s})' 'print({"continue": True, "suppressOutput": False, "decision": "deny"})' \
	'rows.append({"session_id": s, "tool_output": t[:200], "systemMesage": 1})'; do
	answers BeforeTool "$text"
	silent "no complaint about: $text"
done
answers SessionStart 'print({"continue": True})'
silent "no complaint about what changes nothing"
answers BeforeTool 'REASON = """Not so.
CONTEXT: what it is about
context: use make test
Contnet: this
  reson: the tests come first"""'
silent "C3.9: no complaint about a text of several lines"
answers BeforeModel 'if d["hook_event_name"] == "BeforeTool": print({"hookSpecificOutput": {"additionalContext": "x"}})'
silent "a script for many events"
answers BeforeTool 'for m in open(d["transcript_path"]): print(m["type"] == "assistant")'
says "C2: Claude's transcripts in a hook of Gemini's" 0 warning transcript-form "answer.py:2 reads the transcript in the form of Claude Code's transcripts"
answers BeforeTool 'json.load(open(d["transcript_path"]))["messages"]'
says "C2: one document" 0 warning transcript-form 'one JSON object a line'
answers BeforeTool 'for m in open(d["transcript_path"]): print(m["type"] == "gemini")'
silent "a recording that is read as one"
printf '#!/bin/sh\njq .toolCalls "$transcript_path"\n' >../args/s/ok.sh
chmod +x ../args/s/ok.sh
claude '{ "type": "command", "command": "s/ok.sh" }'
lint ../args/.claude/settings.json
has "C2: Gemini's recordings in a hook of Claude's" "$out" "s/ok.sh:2 reads the transcript in the form of Gemini CLI's recordings"

done_testing
