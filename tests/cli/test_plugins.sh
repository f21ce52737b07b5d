#!/bin/sh
# Plugins of Claude Code as extensions: hooks, what a plugin may consist of, marketplaces.
# shellcheck disable=SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
export GEMINI_CLI_SYSTEM_DEFAULTS_PATH="$tmp/none"
ext() { "$TROTLINE" extensions "$@"; }
fire() { run "$TROTLINE" hooks run "$@" --no-record </dev/null; }
# put FILE: its text is on stdin.
put() { mkdir -p "$(dirname "$1")" && cat >"$1"; }
script() { put "$1" && chmod +x "$1"; }

umask 022
# With blanks, as home directories may have.
HOME="$tmp/home of neill" && export HOME
all=$HOME/.gemini/extensions
mkdir -p p/.git "$HOME"
here=$(pwd -P)
cd p || exit 2

# ---- a plugin with plugin.json and hooks/hooks.json ----

# Every way in which commands name the plugin's directory.
put ../src/ralph/.claude-plugin/plugin.json <<'END2'
{ "name": "ralph", "version": "1.2.0", "description": "Goes on and on.", "author": { "name": "A" },
  "keywords": ["loop"], "license": "MIT", "outputStyles": "./styles", "unknown": [1] }
END2
script ../src/ralph/hooks/say.sh <<'END2'
#!/bin/sh
printf '%s root=%s data=%s\n' "$1" "$CLAUDE_PLUGIN_ROOT" "$CLAUDE_PLUGIN_DATA" >>"$OUT"
END2
put ../src/ralph/hooks/say.py <<'END2'
import os, sys
open(os.environ["OUT"], "a").write("%s root=%s\n" % (sys.argv[1], os.environ["CLAUDE_PLUGIN_ROOT"]))
END2
put ../src/ralph/hooks/hooks.json <<'END2'
{ "description": "with a word about it",
  "hooks": { "PreToolUse": [ { "matcher": "Bash", "hooks": [
    { "type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/say.sh bare" },
    { "type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/hooks/say.sh\" double", "timeout": 10 },
    { "type": "command", "command": "'${CLAUDE_PLUGIN_ROOT}/hooks/say.sh' single" },
    { "type": "command", "command": "\"$CLAUDE_PLUGIN_ROOT\"/hooks/say.sh plain" },
    { "type": "command", "command": "sh '${CLAUDE_PLUGIN_ROOT}/hooks/say.sh' sh-single" },
    { "type": "command", "command": "python3 ${CLAUDE_PLUGIN_ROOT}/hooks/say.py python" },
    { "type": "command", "command": "cd \"${CLAUDE_PLUGIN_ROOT}\" && ./hooks/say.sh cd" },
    { "type": "command", "command": "bash -c '\"${CLAUDE_PLUGIN_ROOT}/hooks/say.sh\" inner'" },
    { "type": "command", "command": "${CLAUDE_PLUGIN_ROOT}/hooks/say.sh", "args": ["${CLAUDE_PLUGIN_ROOT}"] }
  ] } ] } }
END2
answer_no() { printf 'n\n' | ext install ../src/ralph; }
shown=$(answer_no 2>&1)
has "the question shows the hook as it will run" "$shown" "  PreToolUse
      matcher Bash
      $all/ralph/hooks/say.sh bare
      script hooks/say.sh"
is "no is no" "$(ls "$all" 2>/dev/null)" ""
run ext install ../src/ralph --consent
is "install: exit status" "$status $err" "0 "
has "install: name and version of plugin.json" "$out" '"ralph" 1.2.0 is installed and enabled'
has "list: what it brings" "$(ext list)" "    9 hooks"
export OUT="$tmp/out"
fire BeforeTool --tool run_shell_command
is "its hooks run" "$status" 0
root="$all/ralph" data="$HOME/.trotline/plugins/ralph"
for how in bare double single plain sh-single cd inner "$root"; do
	has "the directory in the command: $how" "$(cat "$OUT")" "$how root=$root data=$data"
done
has "the directory in the command: python" "$(cat "$OUT")" "python root=$root"
is "its data directory is there, and the user's alone" "$(stat -c %a "$data" "$HOME/.trotline/plugins")" "700
700"
echo kept >"$data/kept"
has "hooks list: dialect and plugin" "$("$TROTLINE" hooks list)" "timeout 10 s  claude PreToolUse  of ralph"
sed -i 's/1\.2\.0/1.3.0/' ../src/ralph/.claude-plugin/plugin.json
run ext update ralph </dev/null
is "an update without a change of what runs asks nothing" "$status" 0
has "update: versions" "$out" "1.2.0 -> 1.3.0"
printf '# more\n' >>../src/ralph/hooks/say.sh
run ext update ralph </dev/null
is "a changed script of a hook is asked for" "$status" 1
has "and its lines are shown" "$out" "+# more"
ext update ralph --consent >/dev/null
is "data survive updates" "$(cat "$data/kept")" kept
ext uninstall ralph >/dev/null
is "and the plugin's end" "$(cat "$data/kept")" kept

# ---- paths that need a shell's care keep it ----

# The directory has what would be code: it never becomes code.
HOME="$tmp/h\$(touch $tmp/ran)"
mkdir -p "$HOME/.gemini/extensions"
cp -R ../src/ralph "$HOME/.gemini/extensions/ralph"
rm "$OUT"
fire BeforeTool --tool run_shell_command
has "a directory with a command in its name" "$(cat "$OUT")" 'bare root='"$HOME"'/.gemini/extensions/ralph'
is "which is not run (C6.6)" "$(ls "$tmp/ran" 2>/dev/null)" ""
HOME="$tmp/home of neill"

# ---- where hooks may stand ----

put ../src/many/.claude-plugin/plugin.json <<'END2'
{ "name": "many", "hooks": ["./config/more.json", "./hooks/hooks.json",
  { "PostToolUse": [ { "matcher": "Bash", "hooks": [ { "type": "command", "command": "echo inline" } ] } ] },
  { "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "echo wrapped" } ] } ] } } ] }
END2
put ../src/many/hooks/hooks.json <<'END2'
{ "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command", "command": "echo standard" } ] } ] } }
END2
put ../src/many/config/more.json <<'END2'
{ "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command", "command": "echo more" } ] } ] } }
END2
ext install ../src/many --consent >/dev/null
run "$TROTLINE" hooks list
for command in standard more inline wrapped; do
	is "hooks: $command, once" "$(printf '%s\n' "$out" | grep -c "^  echo $command$")" 1
done
has "with the place in plugin.json" "$out" "plugin.json:2"
ext uninstall many >/dev/null
printf '{ "name": "many", "hooks": "./config/none.json" }' >../src/many/.claude-plugin/plugin.json
ext install ../src/many --consent >/dev/null
run "$TROTLINE" hooks list
is "a file of hooks that is not there" "$status" 0
has "is named" "$err$out" "config/none.json"
has "and the others run" "$out" "echo standard"
ext uninstall many >/dev/null

# A directory that has only hooks/hooks.json.
rm -r ../src/many/.claude-plugin
run ext install ../src/many --consent
has "only hooks/hooks.json: the directory's name" "$out" '"many" 0.0.0 is installed'
has "only hooks/hooks.json: it runs" "$("$TROTLINE" hooks list)" "claude PreToolUse  of many"
run ext link ../src/many --consent
is "it is not installed twice" "$status" 1
ext uninstall many >/dev/null
run ext link ../src/many --consent
is "link: exit status" "$status" 0
has "link: it runs from there" "$("$TROTLINE" hooks list)" "of many"
sed -i 's/echo standard/echo changed/' ../src/many/hooks/hooks.json
has "link: what changes counts at once" "$("$TROTLINE" hooks list)" "echo changed"
ext uninstall many >/dev/null

# Several at once: each has its own values, and equal commands are two hooks (C4.1).
for name in one two; do
	put ../src/$name/.claude-plugin/plugin.json <<END2
{ "name": "$name" }
END2
	put ../src/$name/hooks/hooks.json <<'END2'
{ "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}\"/say.sh same" } ] } ] } }
END2
	cp ../src/ralph/hooks/say.sh ../src/$name/
	ext install ../src/$name --consent >/dev/null
done
rm -f "$OUT"
fire BeforeTool --tool read_file
for name in one two; do
	has "several: $name" "$(cat "$OUT")" "same root=$all/$name data=$HOME/.trotline/plugins/$name"
done
ext uninstall one two >/dev/null

# Values that it asks for.
put ../src/asks/.claude-plugin/plugin.json <<'END2'
{ "name": "asks", "userConfig": { "api_key": { "title": "Key", "description": "of the service", "sensitive": true, "type": "string" } },
  "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command", "command": "echo \"$CLAUDE_PLUGIN_OPTION_API_KEY\" ${user_config.api_key} >>\"$OUT\"" } ] } ] } }
END2
printf 'y\nsesame\n' | ext install ../src/asks >/dev/null
rm -f "$OUT"
fire BeforeTool --tool read_file
is "values of userConfig" "$(cat "$OUT")" "sesame sesame"
hasnt "which no list shows" "$(ext list --json; "$TROTLINE" hooks list --json)" sesame
ext uninstall asks >/dev/null

# Both manifests: an extension whose hooks are the plugin's.
put ../src/both/gemini-extension.json <<'END2'
{ "name": "both-gemini", "version": "3.0.0", "contextFileName": "GEMINI.md" }
END2
echo context >../src/both/GEMINI.md
put ../src/both/.claude-plugin/plugin.json <<'END2'
{ "name": "both", "version": "3.0.0" }
END2
put ../src/both/hooks/hooks.json <<'END2'
{ "hooks": { "SessionStart": [ { "matcher": "startup|clear|compact", "hooks": [ { "type": "command", "command": "\"${CLAUDE_PLUGIN_ROOT}/hooks/start\" now", "async": false } ] } ] } }
END2
ext install ../src/both --consent >/dev/null
has "both manifests: Gemini's name" "$(ext list)" "both-gemini 3.0.0 [enabled]"
has "both manifests: context" "$(ext list)" "1 hook, 1 context file"
has "both manifests: hooks are Claude's" "$("$TROTLINE" hooks list)" "claude  of both-gemini"
sed -i 's/"SessionStart"/"BeforeTool": [], "SessionStart"/' "$all/both-gemini/hooks/hooks.json"
has "but for a file that Gemini alone could mean" "$("$TROTLINE" hooks list)" "gemini  of both-gemini"
ext uninstall both-gemini >/dev/null

# ---- what is wrong with one ----

put ../src/wrong/.claude-plugin/plugin.json <<'END2'
{ "version": "1.0.0" }
END2
run ext install ../src/wrong --consent
is "no name" "$status" 1
has "says so" "$err" 'plugin.json: the manifest has no "name"'
printf '{ "name": "wrong", ' >../src/wrong/.claude-plugin/plugin.json
run ext install ../src/wrong --consent
has "bad JSON, with its place" "$err" "plugin.json:1:"
printf '{ "name": "wrong", "hooks": "../../../etc/hooks.json" }' >../src/wrong/.claude-plugin/plugin.json
ext install ../src/wrong --consent >/dev/null
run "$TROTLINE" hooks list
has "a path that leads out is not followed" "$err$out" "etc/hooks.json"
hasnt "and nothing of it runs" "$out" "of wrong"
ext uninstall wrong >/dev/null

# ---- what is lost with a file (C7.7) ----

put ../src/guarded/gemini-extension.json <<'END2'
{ "name": "guarded", "version": "1.0.0" }
END2
put ../src/guarded/hooks/hooks.json <<'END2'
{ "hooks": { "BeforeTool": [ { "hooks": [ { "type": "command", "command": "true", "guard": true } ] } ] } }
END2
# lost NAME STATUS: hooks.json of the extension is deleted, then a directory stands in its place, then no JSON.
lost() {
	cp "$all/$1/hooks/hooks.json" ../kept.json
	rm "$all/$1/hooks/hooks.json"
	run "$TROTLINE" hooks list
	is "$1: hooks.json is deleted" "$status" "$2"
	[ "$2" = 0 ] || has "$1: it is named" "$err" "$1/hooks/hooks.json"
	mkdir "$all/$1/hooks/hooks.json"
	run "$TROTLINE" hooks list
	is "$1: hooks.json cannot be read" "$status" "$2"
	has "$1: it is named, too" "$err$out" "$1/hooks/hooks.json"
	rmdir "$all/$1/hooks/hooks.json"
	printf '{ "hooks": {' >"$all/$1/hooks/hooks.json"
	run "$TROTLINE" hooks list
	is "$1: hooks.json is no JSON" "$status" "$2"
	has "$1: with its place" "$err$out" "$1/hooks/hooks.json:1:"
	cp ../kept.json "$all/$1/hooks/hooks.json"
	run "$TROTLINE" hooks list
	is "$1: and back again" "$status" 0
}
ext install ../src/guarded --consent >/dev/null
lost guarded 52
has "what to do is said" "$(rm "$all/guarded/hooks/hooks.json"; "$TROTLINE" hooks list 2>&1)" \
	"trotline extensions disable guarded"
ext uninstall guarded >/dev/null
sed -i 's/, "guard": true//' ../src/guarded/hooks/hooks.json
ext install ../src/guarded --consent >/dev/null
lost guarded 0
sed -i 's/"true"/"true", "onFailure": "deny"/' ../src/guarded/hooks/hooks.json
ext update guarded --consent >/dev/null
lost guarded 52
ext uninstall guarded >/dev/null
ext install ../src/many --consent >/dev/null
lost many 0
ext uninstall many >/dev/null
# A link's content may have changed since.
sed -i 's/, "onFailure": "deny"//' ../src/guarded/hooks/hooks.json
ext link ../src/guarded --consent >/dev/null
printf '{' >../src/guarded/hooks/hooks.json
run "$TROTLINE" hooks list
is "a link that is no JSON" "$status" 52
ext uninstall guarded >/dev/null

# ---- marketplaces ----

put ../market/.claude-plugin/marketplace.json <<'END2'
{ "name": "tools", "owner": { "name": "A" }, "metadata": { "pluginRoot": "./plugins" },
  "plugins": [
    { "name": "fmt", "source": "fmt", "description": "Formats." },
    { "name": "entry", "source": "./plugins/entry", "strict": false, "version": "2.0.0",
      "hooks": { "PreToolUse": [ { "matcher": "Read", "hooks": [ { "type": "command", "command": "echo entry" } ] } ] } },
    { "name": "far", "source": { "source": "github", "repo": "a/b" } },
    { "name": "npm", "source": { "source": "npm", "package": "x" } },
    { "name": "up", "source": "../src/ralph" },
    { "name": "gone", "source": "./plugins/gone" } ] }
END2
put ../market/plugins/fmt/.claude-plugin/plugin.json <<'END2'
{ "name": "fmt", "version": "1.0.0" }
END2
put ../market/plugins/fmt/hooks/hooks.json <<'END2'
{ "hooks": { "PostToolUse": [ { "matcher": "Write|Edit", "hooks": [ { "type": "command", "command": "echo fmt" } ] } ] } }
END2
put ../market/plugins/entry/readme <<'END2'
no manifest here
END2
put ../market/shared/lib.sh <<'END2'
# shared
END2
ln -s ../../shared ../market/plugins/fmt/shared
ln -s /etc/passwd ../market/plugins/fmt/passwd
run ext install ../market --consent
is "several: none is taken" "$status" 1
has "they are listed" "$err" "the marketplace tools has 6 plugins: fmt, entry, far, npm, up, gone"
has "with what to do" "$err" "trotline extensions install $here/market fmt"
run ext install ../market nofmt --consent
has "one that it has not" "$err" 'has no plugin "nofmt"'
for name in npm up gone; do
	run ext install ../market $name --consent
	is "$name cannot be installed" "$status" 1
	has "$name: why" "$err" "the plugin \"$name\" of the marketplace tools: "
done
run ext install ../market fmt --consent
is "by name" "$status" 0
has "by name: which" "$out" '"fmt" 1.0.0 is installed'
is "a link to another directory of the marketplace is a copy" "$(cat "$all/fmt/shared/lib.sh")" "# shared"
has "one that leads out is named" "$err" "passwd is left out"
has "the description is the entry's" "$(ext list)" "    Formats."
sed -i 's/1\.0\.0/1.1.0/' ../market/plugins/fmt/.claude-plugin/plugin.json
has "update finds it there again" "$(ext update fmt 2>/dev/null)" "1.0.0 -> 1.1.0"
ext uninstall fmt >/dev/null
run ext install "fmt@../market" --consent
has "NAME@SOURCE" "$out" '"fmt" 1.1.0 is installed'
ext uninstall fmt >/dev/null
run ext install ../market/plugins/fmt --consent
has "by its path" "$out" '"fmt" 1.1.0 is installed'
ext uninstall fmt >/dev/null
for how in "../market entry" ../market/plugins/entry; do
	# shellcheck disable=SC2086
	run ext install $how --consent
	has "all of it in the entry: $how" "$out" '"entry" 2.0.0 is installed'
	has "its hooks: $how" "$("$TROTLINE" hooks list)" "of entry"
	ext uninstall entry >/dev/null
done
run ext link ../market entry --consent
has "linked by name" "$("$TROTLINE" hooks list)" "of entry"
ext uninstall entry >/dev/null
mkdir -p "$HOME/.claude/plugins"
printf '{ "known": { "source": { "source": "directory" }, "installLocation": "%s" } }' "$here/market" \
	>"$HOME/.claude/plugins/known_marketplaces.json"
run ext install entry@known --consent
has "a marketplace that Claude Code knows" "$out" '"entry" 2.0.0 is installed'
ext uninstall entry >/dev/null

put ../single/.claude-plugin/marketplace.json <<'END2'
{ "name": "single", "plugins": [ { "name": "alone", "source": "./" } ] }
END2
put ../single/hooks/hooks.json <<'END2'
{ "hooks": { "Stop": [ { "hooks": [ { "type": "command", "command": "echo alone" } ] } ] } }
END2
run ext install ../single --consent
has "one plugin needs no name" "$out" '"alone" 0.0.0 is installed'
ext uninstall alone >/dev/null
printf '{ "plugins": {} }' >../single/.claude-plugin/marketplace.json
run ext install ../single --consent
has "a marketplace of the wrong shape" "$err" 'marketplace.json: it has no array "plugins"'

if command -v git >/dev/null; then
	g() { git -c user.name=a -c user.email=a@b.c -c init.defaultBranch=main "$@" >/dev/null 2>&1; }
	(cd ../market && g init . && g add . && g commit -m one)
	run ext install "file://$here/market" fmt --consent
	is "a marketplace in a repository" "$status" 0
	has "update clones it again" "$(ext update fmt 2>/dev/null)" "up to date"
	ext uninstall fmt >/dev/null
	put ../links/.claude-plugin/marketplace.json <<END2
{ "name": "links", "plugins": [
  { "name": "fmt", "source": { "source": "git-subdir", "url": "file://$here/market", "path": "plugins/fmt" } },
  { "name": "whole", "source": { "source": "url", "url": "file://$here/repo.git", "ref": "main" } } ] }
END2
	cp -R ../src/ralph ../repo.git
	(cd ../repo.git && g init . && g add . && g commit -m one)
	run ext install ../links fmt --consent
	is "a directory of another repository" "$status $(ls "$all")" "0 fmt"
	run ext install ../links whole --consent
	has "another repository" "$out" '"ralph" 1.3.0 is installed'
	ext uninstall fmt ralph >/dev/null
fi
# ---- plugins that Claude Code has installed ----

export GEMINI_CLI_TRUST_WORKSPACE=true
claude=$HOME/.claude
rm -rf "$claude"
# hook DIR COMMAND [KEYS]
hook() {
	put "$1/hooks/hooks.json" <<END2
{ "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command", "command": "$2"${3-} } ] } ] } }
END2
}
hook "$claude/plugins/cache/tools/first/1.0.0" "echo first"
hook "$claude/plugins/cache/tools/second/1.9.0" "echo old"
hook "$claude/plugins/cache/tools/second/1.10.0" "echo second-\${CLAUDE_PLUGIN_DATA} >&2; exit 2"
hook "$here/market/plugins/third" "echo third"
hook "$claude/plugins/cache/tools/off/1.0.0" "echo off"
put "$claude/plugins/installed_plugins.json" <<END2
{ "version": 2, "plugins": {
  "first@tools": [ { "scope": "user", "installPath": "$claude/plugins/cache/tools/first/1.0.0", "version": "1.0.0" } ],
  "off@tools": [ { "scope": "user", "installPath": "$claude/plugins/cache/tools/off/1.0.0" } ] } }
END2
put "$claude/plugins/known_marketplaces.json" <<END2
{ "market": { "source": { "source": "directory", "path": "$here/market" }, "installLocation": "$here/market" } }
END2
sed -i 's/{ "name": "fmt"/{ "name": "third", "source": "third" }, &/' ../market/.claude-plugin/marketplace.json
put "$claude/settings.json" <<'END2'
{ "enabledPlugins": { "first@tools": true, "second@tools": true, "third@market": true, "off@tools": false, "gone@nowhere": true, "../x@y": true } }
END2
run "$TROTLINE" hooks list
hasnt "without sources they are Claude's alone" "$out$err" "echo first"
put "$HOME/.gemini/settings.json" <<'END2'
{ "hooksConfig": { "sources": ["claude"] } }
END2
run "$TROTLINE" hooks list
is "plugins of Claude Code: exit status" "$status" 0
has "by installed_plugins.json" "$out" "echo first"
has "by the cache, the newest" "$out" "echo second-"
hasnt "and not the one before" "$out" "echo old"
has "by the marketplace" "$out" "echo third"
hasnt "what is switched off" "$out" "echo off"
has "what is missing has a line with its place" "$err" 'settings.json:1:108: warning: the plugin "gone@nowhere" is enabled, but not installed'
is "one line" "$(printf '%s\n' "$err" | grep -c gone@nowhere)" 1
has "in lint, too" "$("$TROTLINE" hooks lint 2>&1)" "gone@nowhere"
has "and what is no name" "$err" '"../x@y" is enabled, but not installed'
fire BeforeTool --tool read_file
has "its data directory is Claude's" "$out" "second-$claude/plugins/data/second-tools"
# The same plugin as an extension: once.
ext install "$claude/plugins/cache/tools/first/1.0.0" --consent >/dev/null
mv "$all/1.0.0" "$all/first" && sed -i 's/"1.0.0"/"first"/' "$all/first/.gemini-extension-install.json"
is "an extension of the same name takes its place" "$("$TROTLINE" hooks list | grep -c "echo first")" 1
ext uninstall first >/dev/null
# A project switches on and off, but loses the user no guard.
put .claude/settings.json <<'END2'
{ "enabledPlugins": { "first@tools": false, "off@tools": true } }
END2
run "$TROTLINE" hooks list
hasnt "a project switches off" "$out" "echo first"
has "a project switches on" "$out" "echo off"
hook "$claude/plugins/cache/tools/first/1.0.0" "echo first" ', "guard": true'
run "$TROTLINE" hooks list
has "but not a guard (C7.2)" "$out" "echo first"
has "which is said" "$err" '"first@tools" is not disabled: it has a guard'
GEMINI_CLI_TRUST_WORKSPACE=false run "$TROTLINE" hooks list
hasnt "an untrusted project switches nothing on" "$out" "echo off"
has "and nothing off" "$out" "echo first"

# ---- validate ----

run ext validate ../src/ralph
is "validate: a plugin" "$status" 0
has "validate: its name" "$out" 'Extension "ralph" 1.3.0 is valid'
put ../src/bad/.claude-plugin/plugin.json <<'END2'
{ "name": "bad", "commands": "./none" }
END2
put ../src/bad/hooks/hooks.json <<'END2'
{ "hooks": { "PreToolUse": [ { "hooks": [ { "type": "command" } ] } ] } }
END2
run ext validate ../src/bad
is "validate: what is wrong" "$status" 1
has "validate: a path that leads nowhere" "$out" '"commands": the plugin has no none'
has "validate: a hook without a command" "$out" "hooks.json:1:"

# C7.7: what is no file of hooks is one line at a start, and validate and the session agree.
put ../src/odd/.claude-plugin/plugin.json <<'END2'
{ "name": "odd", "version": "1.0.0" }
END2
put ../src/odd/hooks/hooks.json <<'END2'
{ "hooks": {} }
END2
run ext link ../src/odd --consent
n=0
for text in '' '7' '{}' '[]' '{"hooks": null}' '{"hooks": []}' '{"hooks": [{"event": "Stop", "command": "true"}]}' \
	'{"hooks": "hooks.json"}' '{"hooks": {"PreToolUse": {}}}' '{"PreToolUse": []}'; do
	n=$((n + 1))
	echo "$text" | put ../src/odd/hooks/hooks.json
	run ext validate ../src/odd
	is "validate: no file of hooks, $n: $text" "$status" 1
	case $text in *.json*|''|7|'[]') continue ;; esac # a guard may have been in these
	run "$TROTLINE" hooks list
	is "a start: one line, $n: $text" "$(printf '%s\n' "$err" | grep -c 'odd/hooks/hooks.json.*error: ')" 1
done
done_testing
