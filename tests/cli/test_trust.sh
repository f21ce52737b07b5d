#!/bin/sh
# trotline hooks trust: what of a project runs is looked at and approved first (C7.4).
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
hooks() { "$TROTLINE" hooks "$@"; }
fire() { run hooks run BeforeTool --tool write_file --no-record </dev/null; }
store=$tmp/.trotline/trusted_hooks.json

mkdir -p p/.gemini p/hooks empty .gemini
cd p || exit 2
cat >.gemini/settings.json <<'END'
{
  "security": { "folderTrust": { "enabled": false } },
  "hooks": {
    "BeforeTool": [ { "matcher": "write_file", "hooks": [
      { "name": "guard", "type": "command", "command": "hooks/guard.sh" },
      { "name": "note", "type": "command", "command": "touch ../noted" } ] } ]
  }
}
END
printf '#!/bin/sh\necho "no writing" >&2\nexit 2\n' >hooks/guard.sh
chmod +x hooks/guard.sh

# A folder that nobody approved.
fire
is "C7.4: without approval a run refuses to start" "$status" 55
has "C7.4: with the list of hooks" "$err" "BeforeTool  guard  .gemini/settings.json:5"
has "C7.4: how to trust" "$err" "trotline hooks trust"
has "C7.4: and how to leave them out" "$err" "--no-project-hooks"
run test -e ../noted
is "and runs nothing" "$status" 1
has "C7.4: a project cannot switch its own folder trust off" "$(hooks list --all)" "new"

run hooks trust </dev/null
is "trust without a terminal and without --yes approves nothing" "$status" 55
has "it shows each hook with its place" "$out" "  new     BeforeTool guard
    .gemini/settings.json:5  matcher write_file
    hooks/guard.sh
    script hooks/guard.sh"
has "it says how to approve" "$err" "trotline hooks trust --yes"
run test -e "$store"
is "nothing is remembered" "$status" 1
run hooks trust --json </dev/null
is "--json is the same" "$status" 55
has "--json counts" "$out" '"unapproved": 2'

run hooks trust --list
is "--list only looks" "$status" 0
hasnt "--list shows no scripts" "$out" "no writing"
printf '\033]0;title\007 \000hidden\n' >>hooks/guard.sh
run hooks trust --show
is "--show only looks" "$status" 0
has "--show shows the text of the scripts" "$out" '      echo "no writing" >&2'
has "what could fool a terminal is made visible" "$out" '      \x1b]0;title\x07 \x00hidden'
run test -e "$store"
is "still nothing is remembered" "$status" 1
printf '#!/bin/sh\necho "no writing" >&2\nexit 2\n' >hooks/guard.sh

# C7.4: consent is a person's: a command of an agent gives none, with or without a terminal.
GEMINI_CLI=1 run hooks trust --yes
has "C7.4: an agent approves nothing" "$status:$err" "55:trotline: nothing was approved: this is a command of an agent"
GEMINI_CLI=1 run python3 "$TEST_SOURCE_ROOT/tests/cli/on_terminal.py" -- "$TROTLINE" trust
has "C7.4: nor at a terminal that it has made" "$status:$out" "and an agent does not approve what watches it"
run test -e "$store"
is "C7.4: and nothing is remembered" "$status" 1
GEMINI_CLI=1 run hooks trust --list
is "C7.4: it may look" "$status" 0

# Approving.
run hooks trust --yes
is "--yes approves" "$status" 0
has "it says what is remembered and where" "$out" "Approved 2 hooks of ~/p.
Remembered: the hooks in ~/.trotline/trusted_hooks.json, the folder in ~/.gemini/trustedFolders.json."
fire
is "C7.4: approved hooks run" "$status" 2
run hooks trust </dev/null
is "then there is nothing to do" "$status: $out" "0: ~/p: its 2 hooks are approved; nothing to do."
run hooks trust --json
is "and --json agrees" "$status" 0
has "each hook is trusted" "$out" '"trust": "trusted"'

# What changes is held back.
echo '# changed' >>hooks/guard.sh
run hooks trust --list
has "C7.4: other bytes in the script: changed" "$out" "  changed BeforeTool guard"
has "C7.4: and shown as a difference" "$out" "    changed since it was approved:"
has "C7.4: of the script's lines" "$out" "      +# changed"
hasnt "C7.4: what is as it was is not in it" "$out" "-matcher"
is "the texts are the owner's alone" "$(stat -c %a "$tmp/.trotline/approved" \
	"$tmp"/.trotline/approved/* | sort -u | tr '\n' ' ')" "600 700 "
has "C7.4: the other hook is still trusted" "$out" "  trusted BeforeTool note"
fire
is "C7.4: a changed script does not run" "$status" 55
has "C7.4: and the refusal says why" "$err" "changed since it was approved"
run hooks trust --yes
fire
is "until it is approved again" "$status" 2
sed -i 's,touch ../noted,touch ../noted2,' .gemini/settings.json
run hooks trust --list
has "C7.4: another command: new or changed" "$out" "  changed BeforeTool note"
sed -i 's/write_file/write_.*/' .gemini/settings.json
run hooks trust --list
has "C7.4: another matcher: changed" "$out" "  changed BeforeTool guard"
has "C7.4: the matcher as it was" "$out" "      -matcher write_file"
has "C7.4: and as it is" "$out" "      +matcher write_.*"
fire
is "C7.4: and does not run" "$status" 55

# A terminal is asked.
question='Approve these 2 hooks? [y/N'
ask() { run python3 "$TEST_SOURCE_ROOT/tests/cli/on_terminal.py" "$@" -- "$TROTLINE" hooks trust; }
ask "$question" 'n
'
has "a terminal is asked" "$out" "$question"
is "no is no" "$status" 55
fire
is "and nothing runs" "$status" 55
ask "$question" 's
' "$question" 'y
' 'in a sandbox' 'n
'
has "s shows the scripts" "$out" "no writing"
is "y approves" "$status" 0
fire
is "and the hooks run" "$status" 2

# A sandbox is asked about once, and is the default.
run hooks trust --revoke
ask "$question" 'y
' 'in a sandbox' '
'
has "C6.15: Enter is yes" "$out" "Its hooks run in a sandbox from now on"
run hooks trust --list
has "C6.15: and it is shown" "$out" "In a sandbox: they read the project, write nothing, have no network."
sed -i 's,touch ../noted2,touch ../noted3,' .gemini/settings.json
ask "$question" 'y
'
hasnt "C6.15: it is asked once" "$out" "Run them in"
is "and approving is all that there is" "$status" 0

# The text that is shown is the one that an approval is of, or none.
run hooks trust --revoke
cp hooks/guard.sh "$tmp/guard.sh"
printf '#!/bin/sh\necho harmful\n' >hooks/guard.sh
ask "$question" ../p/hooks/guard.sh '' 's
' "$question" 's
' "$question" 'n
'
has "C7.4: a script that changed while the question is open is not shown" "$out" \
	"guard.sh changed after the hooks were read"
hasnt "nor what it was" "$out" "harmful"
is "and nothing was approved" "$status" 55
cp "$tmp/guard.sh" hooks/guard.sh
run hooks trust --yes

# Taking it back.
run hooks trust --revoke
is "--revoke forgets" "$status: $out" \
	"0: Forgot the approval of 2 hooks; ~/p is not trusted any longer."
is "no text is kept" "$(find "$tmp/.trotline/approved" -type f)" ""
fire
is "C7.4: and nothing runs any longer" "$status" 55
run hooks trust --revoke --yes
is "--revoke --yes is refused" "$status" 1

# What was approved and is gone is told until the user has agreed.
run hooks trust --yes
cp .gemini/settings.json "$tmp/settings"
echo '{}' >.gemini/settings.json
run hooks trust --yes
has "C7.4: approved hooks that are gone" "$err" "no longer in the project's settings"
has "are forgotten with a yes" "$out" "Forgot 2 hooks that are gone."
run hooks trust --yes
hasnt "and told no longer" "$err" "no longer in"
cp "$tmp/settings" .gemini/settings.json
run hooks trust --revoke

# The flags for one run.
run hooks run BeforeTool --tool write_file --skip-trust --no-record
is "--skip-trust runs them once" "$status" 2
run hooks run BeforeTool --tool write_file --no-project-hooks --no-record
is "--no-project-hooks leaves them out" "$status" 0
GEMINI_CLI_TRUST_WORKSPACE=false run hooks trust --yes
is "GEMINI_CLI_TRUST_WORKSPACE=false is stronger than an approval" "$status" 55
has "and trust says so" "$err" "GEMINI_CLI_TRUST_WORKSPACE=false"
run hooks trust --revoke

# User hooks, and folder trust switched off by the user.
cat >"$tmp/.gemini/settings.json" <<'END'
{ "hooks": { "BeforeTool": [ { "hooks": [
  { "name": "mine", "type": "command", "command": "echo mine >&2; exit 2" } ] } ] } }
END
run hooks run BeforeTool --tool write_file --no-project-hooks --no-record
is "C7.4: user hooks never depend on folder trust" "$status" 2
has "C7.4: theirs is the denial" "$out" "mine"
cd ../empty || exit 2
fire
is "C7.4: a folder without hooks just runs" "$status" 2
run hooks trust </dev/null
is "and has nothing to approve" "$status: $out" \
	"0: Trusting ~/empty would switch on:
  modes        auto_edit and yolo; default and plan need no trust
  folders      those below this one are then trusted as well
~/empty has no hooks; nothing to approve.
The folder is not trusted yet: the agent reads neither its settings nor its context files."
run hooks trust --dir / </dev/null
has "the root directory: what is below it" "$out" "every folder of this machine is below this one"
echo Hello. >GEMINI.md
printf '%s' '{"method":"generateContent","response":{}}' >"$tmp/none.jsonl"
run "$TROTLINE" -p x --fake-responses "$tmp/none.jsonl"
has "a context file that is not read is told of" "$err" "GEMINI.md is not read"
run hooks trust --yes
has "a folder without hooks can be trusted, too" "$status: $out" "The folder is trusted now"
run "$TROTLINE" -p x --fake-responses "$tmp/none.jsonl"
hasnt "then its files count" "$err" "is not read"
cd ../p || exit 2
echo '{ "security": { "folderTrust": { "enabled": false } } }' >"$tmp/.gemini/settings.json"
fire
is "C7.4: where the user switched folder trust off, the project's hooks run" "$status" 2
run hooks trust </dev/null
is "C7.4: trust shows them" "$status" 0
has "with their state" "$out" "  new     BeforeTool guard"
has "and says that nobody is asked" "$out" "Folder trust is switched off"
# The same as a command of its own, with what the folder brings besides hooks.
rm "$tmp/.gemini/settings.json"
mkdir -p "$tmp/full/.gemini/commands" "$tmp/full/.gemini/skills/review" "$tmp/full/.gemini/policies"
mkdir -p "$tmp/full/.claude/skills/brew" "$tmp/full/.claude/agents" "$tmp/full/.claude/commands"
cd "$tmp/full" || exit 2
cat >.gemini/settings.json <<'END'
{ "model": { "name": "x" }, "hooksConfig": { "sources": ["claude"] }, "context": { "fileName": ["AGENTS.md", "GEMINI.md"] },
  "mcpServers": { "files": { "command": "npx", "args": ["-y", "files"] }, "docs": { "url": "https://docs.example/mcp" } } }
END
cat >.claude/settings.json <<'END'
{ "env": { "LEVEL": 3, "API_BASE": "https://api.example", "GITHUB_TOKEN": "ghp_abcdefghijklmnopqrstuvwxyz0123456789" },
  "permissions": { "allow": ["Bash(make:*)"] }, "enabledPlugins": { "x@y": true } }
END
echo '{"mcpServers":{"shop":{"command":"node","args":["shop.js"]}}}' >.mcp.json
touch AGENTS.md .claude/agents/plum.md .claude/commands/eat.md
echo 'prompt = "x"' >.gemini/commands/go.toml
touch .gemini/policies/a.toml GEMINI.md .env
run "$TROTLINE" trust </dev/null
is "trust shows what a folder would switch on" "$status: $out" "0: Trusting ~/full would switch on:
  settings     .gemini/settings.json: model, hooksConfig, context
  MCP servers  .gemini/settings.json: files (npx -y files), docs (https://docs.example/mcp)
  settings     .claude/settings.json: permissions, enabledPlugins
  variables    .claude/settings.json: LEVEL=3, API_BASE=https://api.example, GITHUB_TOKEN=[redacted: GitHub token]
  MCP servers  .mcp.json: shop (node shop.js)
  policies     .gemini/policies: a.toml
  skills       .claude/skills: brew
  skills       .gemini/skills: review
  agents       .claude/agents: plum.md
  commands     .claude/commands: eat.md
  commands     .gemini/commands: go.toml
  context      AGENTS.md
  context      GEMINI.md
  environment  .env
  modes        auto_edit and yolo; default and plan need no trust
  folders      those below this one are then trusted as well
~/full has no hooks; nothing to approve.
The folder is not trusted yet: the agent reads neither its settings nor its context files."
run python3 "$TEST_SOURCE_ROOT/tests/cli/on_terminal.py" 'Trust this folder?' 'n
' -- "$TROTLINE" trust
has "C7.4: rows are wrapped between words, under their beginning" "$out" \
	"https://api.example,
               GITHUB_TOKEN=[redacted: GitHub token]"
cd / && run "$TROTLINE" trust --json "$tmp/full"
has "of another folder, as JSON" "$status: $out" '"what": "MCP servers"'
run "$TROTLINE" trust "$tmp/full" --yes
has "and trusts it" "$status: $out" "0: "
run "$TROTLINE" trust list "$tmp/full"
has "list says so" "$status: $out" "0: ~/full is trusted and switches on:"
has "list names all folders" "$out" "  TRUST_FOLDER ~/full"
run "$TROTLINE" trust list --json "$tmp/full"
has "as JSON" "$out" '"rule": "TRUST_FOLDER"'
run "$TROTLINE" trust revoke "$tmp/full"
has "revoke takes it back" "$status: $out" "0: Forgot"
run "$TROTLINE" trust revoke "$tmp/full"
has "revoke again: nothing was trusted" "$status: $out" "0: ~/full was not trusted; nothing to forget."
run "$TROTLINE" trust lsit
has "a slip" "$status: $err" '1: trotline: lsit: no such directory; did you mean "list"?'
run "$TROTLINE" trust list "$tmp/full" more
has "too much" "$status: $err" ": one argument too many: more"

# What would take a script's place is approved, too; only --show names what is not there.
mkdir -p "$tmp/places/.gemini" && cd "$tmp/places" || exit 2
echo 'import json' >guard.py
printf '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","guard":true,"command":"python3 guard.py"}]}]}}' \
	>.gemini/settings.json
run hooks trust --list
has "C7.4: the script is listed" "$out" "    script guard.py"
hasnt "C7.4: no file that is not there" "$out" "not there yet"
hasnt "C7.4: nor a directory" "$out" directory
mkdir -p first && run env PATH="$PWD/first:$PATH" "$TROTLINE" hooks trust --show
has "C7.4: --show lists what would take its place" "$out" "    not there yet, watched: first/python3"
has "C7.4: and the directory that is imported from" "$out" "    directory ~/places"
# A command that serves as the name stands there once.
mkdir -p "$tmp/once/.gemini" && cd "$tmp/once" || exit 2
printf '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"true once-only"}]}]}}' >.gemini/settings.json
run "$TROTLINE" hooks trust --list
is "a hook without a name is shown once" "$(printf '%s\n' "$out" | grep -c once-only)" 1

# C7.4: which hooks are unwatched is in the list, whoever has configured them.
mkdir -p "$tmp/unwatched" && cd "$tmp/unwatched" || exit 2
# shellcheck disable=SC2016 # a variable of the hook
printf '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","guard":true,"command":"$PROGRAM x"}]}]}}' \
	>"$tmp/user.json"
run env GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/user.json" "$TROTLINE" hooks list --json
has "C7.4: unwatched, in the list of all hooks" "$out" '"unwatched": "it names a program in a way that is not known"'

done_testing
