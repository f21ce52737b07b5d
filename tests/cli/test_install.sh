#!/bin/sh
# trotline hooks install and uninstall: what test_registration.py does not see.
# shellcheck disable=SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
hooks() { "$TROTLINE" hooks "$@"; }
umask 022
mkdir -p p/.git outside && cd p || exit 2
project=$(pwd -P)

# The hook that is written is one that runs.
printf '#!/bin/sh\necho "{\\"decision\\":\\"deny\\",\\"reason\\":\\"no $1\\"}"\n' >guard.sh && chmod +x guard.sh
run hooks install guard BeforeTool '$GEMINI_PROJECT_DIR/guard.sh writing' --matcher write_file --timeout 5000
is "install: exit status" "$status" 0
is "install: message" "$out" "Hook \"guard\" installed in $project/.gemini/settings.json
Next:
  trotline hooks trust    look at it and approve it
  trotline hooks run BeforeTool    try it
  trotline hooks uninstall guard    take it out again"
is "the modes of file and directory" "$(stat -c %a .gemini .gemini/settings.json | tr '\n' ' ')" "755 644 "
run hooks run BeforeTool --tool write_file
is "C7.4: it must be approved" "$status" 55
hooks trust --yes >/dev/null
run hooks run BeforeTool --tool write_file
is "it denies" "$status" 2
has "it denies: the reason" "$out" "no writing"
run hooks install guard BeforeTool '$GEMINI_PROJECT_DIR/guard.sh writing' --matcher write_file --timeout 5000
is "again" "$status: $out" "0: Hook \"guard\" is already as wanted in $project/.gemini/settings.json"
run hooks disable guard
run hooks install guard BeforeTool '$GEMINI_PROJECT_DIR/guard.sh other' --matcher write_file --json
has "a stale entry is updated" "$out" '"status": "updated"'
has "it is disabled, and install says so" "$out" '"disabled": true'
run hooks uninstall gurad
is "uninstall: a slip" "$status: $out$err" \
	"1: trotline: hook \"gurad\" is not in $project/.gemini/settings.json; did you mean \"guard\"?"
run hooks install x BeforeTol true
is "an event: a slip" "$status: $err" '1: trotline: Gemini CLI has no event "BeforeTol"; did you mean "BeforeTool"?'
run hooks install x Nothing true
has "no event at all" "$status: $err" '1: trotline: Gemini CLI has no event "Nothing"; it has BeforeTool, AfterTool'
run hooks uninstall guard
is "uninstall: message" "$status: $out" "0: Hook \"guard\" removed from $project/.gemini/settings.json"
run hooks uninstall guard
is "uninstall again: exit status" "$status" 1
has "uninstall again: says so" "$err" 'hook "guard" is not in'
run hooks uninstall guard --json
has "as JSON" "$status $out" '"code": "unknown-hook"'
rm -r .gemini

# Each agent has its own file, unit and names.
run hooks install guard BeforeTool /opt/guard --timeout 1500 --into claude --with-mcp --json
is "claude: exit status" "$status $err" "0 "
is "claude: its event, its unit, no name, and * for all" "$(cat .claude/settings.json)" '{
  "hooks": {
    "PreToolUse": [
      {
        "matcher": "*",
        "hooks": [
          {
            "type": "command",
            "command": "/opt/guard",
            "timeout": 2
          }
        ]
      }
    ]
  }
}'
has "claude: servers stand in a file of their own" "$(cat .mcp.json)" '"args": ["mcp", "serve"]'
run hooks install guard PreToolUse /usr/bin/guard --into claude
has "claude: the ledger knows the hook under its name" "$out" updated
is "claude: one hook" "$(grep -c '"command": ' .claude/settings.json)" 1
run hooks install second PreToolUse /usr/bin/guard2 --into claude
is "claude: another hook is another one" "$(grep -c '"command": ' .claude/settings.json)" 2
rm ../.trotline/installed.json
run hooks install guard PreToolUse '/new/guard x' --program /usr/bin/guard --into claude --json
has "without the ledger: by the program, to its end" "$out" '"status": "updated"'
is "without the ledger: the other program is not it" "$(grep -c /usr/bin/guard2 .claude/settings.json)" 1
rm ../.trotline/installed.json
run hooks uninstall guard --into claude
has "without the ledger and the command it is not found" "$status $err" "1 trotline: hook \"guard\" is not in"
has "and a way is shown" "$err" "--command"
run hooks uninstall guard --into claude --command '/new/guard x' --with-mcp
has "by its command" "$out" "removed from"
is "the server is gone, too; its file had not been ours any more" "$(cat .mcp.json)" '{
  "mcpServers": {}
}'
rm -r .claude .mcp.json

# Somebody else's entries.
mkdir .gemini
printf '{ "mcpServers": { "trotline": { "command": "other" } } }' >.gemini/settings.json
run hooks install guard BeforeTool /opt/guard --with-mcp
is "another server of that name: exit status" "$status" 52
has "another server of that name: what to do" "$err" "trotline mcp remove trotline"
is "another server of that name: nothing is written" "$(cat .gemini/settings.json)" \
	'{ "mcpServers": { "trotline": { "command": "other" } } }'
for text in '{ "hooks": [] }' '{ "hooks": { "BeforeTool": {} } }' '[]' '{ "a": }' '{ a: 1 }'; do
	printf '%s' "$text" >.gemini/settings.json
	run hooks install guard BeforeTool /opt/guard --json
	is "$text: exit status" "$status" 52
	has "$text: names the file" "$err" ".gemini/settings.json"
	has "$text: as JSON" "$out" '"status": 52'
	is "$text: untouched" "$(cat .gemini/settings.json)" "$text"
done
printf '{ "a": }' >.gemini/settings.json
run hooks install guard BeforeTool /opt/guard
has "a syntax error has its place" "$err" ".gemini/settings.json:1:8: "

# Links.
rm -r .gemini
ln -s ../outside .gemini
run hooks install guard BeforeTool /opt/guard
is "a link out of the project is not followed" "$status $(ls ../outside)" "1 "
has "a link out of the project: why" "$err" "symbolic link"
rm .gemini
mkdir .gemini && ln -s ../../outside/new.json .gemini/settings.json
run hooks install guard BeforeTool /opt/guard
is "nor one to a file that is not there" "$status $(ls ../outside)" "1 "
rm -r .gemini
mkdir .tabnine && ln -s ../../outside .tabnine/agent
run hooks install guard BeforeTool /opt/guard --into tabnine
is "nor a directory on the way" "$status $(ls ../outside)" "1 "
rm -r .tabnine
mkdir shared && ln -s shared .gemini
run hooks install guard BeforeTool /opt/guard
is "a link inside of the project is" "$status $(ls shared)" "0 settings.json"
run hooks uninstall guard
is "and gone again" "$(ls shared)" ""
rm .gemini

# The user's file.
echo '{}' >../outside/mine.json && mkdir -p ../.gemini && ln -s ../outside/mine.json ../.gemini/settings.json
run hooks install guard BeforeTool /opt/guard --scope user
is "the user's link stays a link" "$status $(readlink ../.gemini/settings.json)" "0 ../outside/mine.json"
has "its target has the hook" "$(cat ../outside/mine.json)" /opt/guard
run hooks uninstall guard --scope user
is "and not any more" "$(cat ../outside/mine.json)" '{}'
run hooks install guard BeforeTool /opt/guard --scope user --into terminai
is "a new file of the user is his own" "$(stat -c %a ../.terminai/settings.json)" 600
run hooks uninstall guard --scope user --into terminai
is "the directory is gone, too" "$(ls -d ../.terminai 2>/dev/null)" ""

# Looking only, and mistakes.
run hooks install guard BeforeTool /opt/guard --dry-run
is "dry run: nothing is written" "$status $(ls -A)" "0 .git
guard.sh
shared"
has "dry run: shows the lines" "$out" '+            "command": "/opt/guard"'
run hooks install guard PreToolUse /opt/guard
is "an event of another agent" "$status" 1
has "an event of another agent: which there are" "$err" "BeforeTool, AfterTool"
run hooks install guard BeforeTool /opt/guard --agent claude
is "an option by the word for its value" "$status" 1
has "an option by the word for its value: its name" "$err" "unknown option --agent; did you mean \"--into\"?"
run hooks install guard BeforeTool /opt/guard --into emacs
is "an unknown agent" "$status" 1
run hooks install guard BeforeTool /opt/guard --scope world
is "an unknown scope" "$status" 1
run hooks install guard BeforeTool ' '
is "an empty command" "$status" 1
run hooks install guard BeforeTool /opt/guard --timeout -5
is "a negative timeout" "$status" 1
run hooks install guard BeforeTool
is "too few arguments" "$status" 1
cd .. || exit 2
run hooks install guard BeforeTool /opt/guard
is "the home directory is no project" "$status" 1
has "the home directory: what to do" "$err" "--scope user"

# Guards, as C3.5 and C3.6 have them.
mkdir written && cd written || exit 2
run hooks install g BeforeTool 'exit 1' --guard
has "C3.6: --guard" "$(cat .gemini/settings.json)" '"guard": true'
run hooks run BeforeTool --skip-trust --tool write_file
is "C3.6: it denies when it fails" "$status" 2
run hooks install g BeforeTool 'exit 1' --guard --on-failure ask
has "C3.5: --on-failure" "$(cat .gemini/settings.json)" '"onFailure": "ask"'
run hooks run BeforeTool --skip-trust --tool write_file
is "C3.5: it asks when it fails" "$status" 4
run hooks install g BeforeTool 'exit 1' --on-failure allow
is "C3.5: --on-failure: another word" "$status: $err" '1: trotline: --on-failure is warn, ask or deny, not "allow"'
run hooks install g BeforeTol
is "an event that does not exist comes first" "$status: $err" '1: trotline: Gemini CLI has no event "BeforeTol"; did you mean "BeforeTool"?'
run hooks enable nosuch
is "enable: no such hook" "$status: $err" '1: trotline: no hook is called "nosuch"'
run hooks enable gg
is "enable: a slip" "$status: $err" '1: trotline: no hook is called "gg"; did you mean "g"?'

# trotline's own settings are one more file of the same agent: what is there is edited there.
cd .. && mkdir -p own/.trotline && cd own || exit 2
cat >.trotline/settings.json <<'END'
{"hooks": {"PreToolUse": [{"hooks": [{"type": "command", "name": "mine", "command": "true"},
  {"type": "http", "name": "web", "url": "https://example.com"}]}]}}
END
cp .trotline/settings.json ../own.before
run hooks install new BeforeTool true --into trotline
is "--into trotline: exit status" "$status" 0
has "--into trotline: its file" "$(cat .trotline/settings.json)" '"name": "new"'
run hooks install new BeforeTool false
has "an update where the hook is" "$(cat .trotline/settings.json)" '"command": "false"'
is "an update where the hook is: no second file" "$(ls .gemini 2>&1)" \
	"ls: cannot access '.gemini': No such file or directory"
run hooks uninstall new
is "uninstalled where it is: exit status" "$status" 0
is "uninstalled where it is: byte for byte" "$(cat .trotline/settings.json)" "$(cat ../own.before)"
run hooks uninstall mine && run hooks uninstall web
is "a hook that is no command" "$status" 0
hasnt "both are gone" "$(cat .trotline/settings.json)" '"name"'
run hooks uninstall mien
is "neither file has it" "$status" 1
mkdir -p "$HOME/.trotline" && cp ../own.before "$HOME/.trotline/settings.json"
run hooks uninstall mine --scope user
is "of the user: exit status" "$status" 0
hasnt "of the user: it is gone" "$(cat "$HOME/.trotline/settings.json")" '"mine"'

done_testing
