#!/bin/sh
# trotline hooks init: a configuration that works in every language, and nothing is overwritten.
# shellcheck disable=SC1003,SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
hooks() { "$TROTLINE" hooks "$@"; }
try() {
	run hooks run BeforeTool --skip-trust --tool run_shell_command --input "$1"
}
umask 022

run hooks init
is "the home directory is no project" "$status" 1
has "the home directory: why" "$err" "home directory"
is "the home directory is left alone" "$(ls -d .gemini 2>/dev/null)" ""

# works LANGUAGE FILE PROGRAM
works() {
	mkdir "$tmp/$1" && cd "$tmp/$1" || exit 2
	if [ "$1" = sh ]; then run hooks init; else run hooks init --language "$1"; fi
	is "$1: exit status" "$status" 0
	has "$1: says what it wrote" "$out" ".gemini/hooks/$2"
	is "$1: next steps" "$(printf '%s\n' "$out" | sed -n '/^Next/,$p' | grep -c '  trotline hooks ')" 3
	is "$1: modes" "$(stat -c %a .gemini .gemini/hooks .gemini/settings.json ".gemini/hooks/$3" |
		tr '\n' ' ')" "755 755 644 755 "
	for c in '{"command":"rm -rf /"}' '{"command":"rm -fr ~"}' '{"command":"cd x && rm -r -f /*"}' \
		'{"command":"true\nrm -rf \"$HOME\""}' '{"command":"\u0072m -rf /"}' \
		'{"command":"rm -rf ."}' '{"command":"rm -rf ./*"}' '{"command":"rm -rf /etc"}' \
		'{"command":"rm -rf /usr/lib/x"}' '{"command":"cd / && rm -rf *"}' '{"command":"rm -rf .."}' \
		'{"command":"rm -rf build /etc"}' '{"command":"(cd x; rm -r -- *)"}' \
		'{"command":"rm --recursive ${HOME}"}' \
		'{"command":"mkfs.ext4 /dev/sda1"}' '{"command":"dd if=x of=/dev/sda"}'; do
		try "$c"
		is "$1 denies $(printf '%s' "$c" | tr '\\' '/')" "$status" 2
	done
	has "$1: the reason" "$out" "This would "
	for c in '{"command":"ls"}' '{"command":"rm -rf build"}' '{"command":"rm -rf ./build"}' \
		'{"command":"rm -rf *.o"}' '{"command":"rm -f ."}' '{"command":"rm -rf .cache"}' \
		'{"command":"rm -rf /home/me/project/build"}' '{"command":"ls -r /etc; rm x"}' '{"command":"rm -rf /tmp/x y"}' \
		'{"command":"echo \"storm -r /x\"","description":"a\nb"}' \
		'{"command":"farm -r / x"}' '{"command":"a \u003e b \u0026"}' '{}'; do
		try "$c"
		is "$1 allows $(printf '%s' "$c" | tr '\\' '/')" "$status $err" "0 "
	done
	run hooks run BeforeTool --skip-trust --tool write_file --input '{"content":"rm -rf /"}'
	is "$1: other tools are not concerned" "$status" 0
	run hooks lint --strict
	is "$1: lint" "$status $out" "0 1 hook in 1 file: no problems found."
	find .gemini -type f | sort | xargs cksum >before
	run hooks init --language "$1"
	is "$1: again" "$status" 0
	has "$1: again says so" "$out" "left alone"
	is "$1: again changes nothing" "$(find .gemini -type f | sort | xargs cksum)" "$(cat before)"
	cd "$tmp" || exit 2
}
works sh block-dangerous.sh block-dangerous.sh
works python block-dangerous.py block-dangerous.py
works node block-dangerous.mjs block-dangerous.mjs
works c block-dangerous.c block-dangerous

# Project hooks are not trusted just because init wrote them.
cd sh || exit 2
run hooks run BeforeTool --tool run_shell_command --input '{"command":"ls"}'
is "C7.4: they must be approved" "$status" 55
hooks trust --yes >/dev/null
run hooks run BeforeTool --tool run_shell_command --input '{"command":"rm -rf /"}'
is "approved as the next step says" "$status" 2
cd .. || exit 2

# The same hook in another language would never run: its script is not written.
find sh/.gemini -type f | sort | xargs cksum >before
for language in python node c; do
	run hooks init --dir sh --language "$language"
	has "a second language, $language: what is there" "$status $(printf %s "$out" | tr -s '[:space:]' ' ')" \
		'has the hook "block-dangerous" already: $GEMINI_PROJECT_DIR/.gemini/hooks/block-dangerous.sh Nothing was written.'
done
is "a second language: nothing changes" "$(find sh/.gemini -type f | sort | xargs cksum)" "$(cat before)"
run hooks uninstall --dir sh block-dangerous
run hooks init --dir sh --language python
has "a second language, after the first was removed" "$status $out" "0 "
has "a second language, after the first was removed: it counts" "$(cat sh/.gemini/settings.json)" "block-dangerous.py"

# Settings that exist get the hook, and keep every other byte.
mkdir -p mine/.gemini
printf '{ // mine\n  "theme":   "x", /* keep */\n}\n' >mine/.gemini/settings.json
run hooks init --dir mine --language python
is "settings exist: exit status" "$status" 0
has "settings exist: says so" "$out" "edited   .gemini/settings.json"
is "settings exist: they are kept" "$(sed -n 1,2p mine/.gemini/settings.json)" '{ // mine
  "theme":   "x", /* keep */'
has "settings exist: the hook" "$(cat mine/.gemini/settings.json)" '"python3 -I $GEMINI_PROJECT_DIR/.gemini/hooks/block-dangerous.py"'
run hooks run BeforeTool --dir mine --skip-trust --tool run_shell_command --input '{"command":"rm -rf /"}'
is "settings exist: it works" "$status" 2
cksum mine/.gemini/settings.json >before
run hooks init --dir mine
is "settings exist: one hook of the name is enough" "$(cksum mine/.gemini/settings.json)" "$(cat before)"
mkdir -p broken/.gemini
echo '{ "hooks": ' >broken/.gemini/settings.json
run hooks init --dir broken
is "settings are broken: exit status" "$status" 52
is "settings are broken: they are kept" "$(cat broken/.gemini/settings.json)" '{ "hooks": '

# What lies beside a Python hook is not imported by it.
echo 'raise SystemExit(0)' >python/.gemini/hooks/json.py
run hooks run BeforeTool --dir python --skip-trust --tool run_shell_command --input '{"command":"rm -rf /"}'
is "a json.py beside the Python hook changes nothing" "$status" 2
rm python/.gemini/hooks/json.py

# Without a compiler.
mkdir nocc bin
ln -s "$(command -v sh)" bin/sh
run env PATH="$tmp/bin" "$TROTLINE" hooks init --dir nocc --language c
is "without cc: exit status" "$status" 0
has "without cc: what to do" "$out" "cc -O2 -o .gemini/hooks/block-dangerous "
is "without cc: the source is there" "$(ls nocc/.gemini/hooks)" block-dangerous.c
run hooks run BeforeTool --dir nocc --skip-trust --tool run_shell_command --input '{"command":"ls"}'
is "C3.6: a guard that is not there denies" "$status" 2

# From inside of a repository its top is meant.
mkdir -p repo/.git repo/a/b
(cd repo/a/b && hooks init >/dev/null)
is "from inside of a repository" "$(cd repo && find . -name settings.json)" "./.gemini/settings.json"

# Symbolic links do not lead out of the project.
mkdir linked outside
ln -s ../outside linked/.gemini
run hooks init --dir linked
is "a linked directory: refused" "$status" 1
has "a linked directory: why" "$err" "not a directory of the project"
is "a linked directory: nothing outside" "$(ls outside)" ""
mkdir -p linked2/.gemini/hooks
ln -s "$tmp/outside/new" linked2/.gemini/settings.json
ln -s "$tmp/outside/new" linked2/.gemini/hooks/block-dangerous.sh
run hooks init --dir linked2
is "linked files: left alone" "$(printf '%s\n' "$out" | grep -c 'left alone') $(ls outside)" "2 "

run hooks init --language cobol
is "an unknown language" "$status" 1
has "an unknown language: which there are" "$err" "sh, python, node or c"
run hooks init --dir "$tmp/nowhere"
is "no such directory" "$status" 1

# The user's own hook: for every project, and for the agents that trotline is installed in (C8.1).
export HOME="$tmp/it's me"
mkdir -p "$HOME/project" && cd "$HOME/project" || exit 2
payload='{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"rm -rf /"}}'
run hooks init --scope both
has "an unknown scope" "$status $err" '1 trotline: --scope is project or user, not "both"'
run hooks install --into claude --dry-run
has "install says that no hook is there" "$out" "They have none yet; this switches the guard on: trotline guard on, and this writes a hook: trotline hooks init --scope user"
mkdir -p .trotline sub/.trotline && cd sub || exit 2
echo '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"true"}]}]}}' >../.trotline/settings.json
echo '{}' >.trotline/settings.json
run hooks install --into claude --dry-run
is "C7.9: the hooks of a project around this one are there" "$(printf '%s' "$out" | grep -c 'They have none')" 0
cd .. && rm -r .trotline sub
for lang in sh python node c; do
	rm -rf "$HOME/.trotline"
	run hooks init --scope user --language "$lang"
	is "user, $lang: exit status" "$status $err" "0 "
	has "user, $lang: says what it wrote" "$out" ".trotline/settings.json"
	run hooks run BeforeTool --tool run_shell_command --input '{"command":"rm -rf /"}'
	is "C7.4: user, $lang: it runs without an approval" "$status" 2
	run hooks lint --strict
	is "user, $lang: lint" "$status $out" "0 1 hook in 1 file: no problems found."
	is "user, $lang: nothing in the project" "$(ls -A)" ""
done
run hooks init
run hooks lint --strict
is "C4.1: the project's hook next to the user's has a name of its own" "$status $out" "0 2 hooks in 2 files: no problems found."
rm -r .gemini
sed -i 's/block-dangerous-user/block-dangerous/' "$HOME/.trotline/settings.json"
run hooks init --scope user --language sh
has "a hook that has the project's name is called so" "$out" 'has the hook "block-dangerous" already'
sed -i 's/"block-dangerous"/"block-dangerous-user"/' "$HOME/.trotline/settings.json"
printf '%s' "$payload" >payload
run "$TROTLINE" hook claude <payload
is "C8.1: the same hook in another agent" "$status" 2
run hooks install --into claude --dry-run
is "install has a hook to run" "$(printf '%s' "$out" | grep -c 'They have none')" 0
printf '{ // mine\n "theme": 1 }\n' >"$HOME/.trotline/settings.json"
run hooks init --scope user
has "the user's settings are edited" "$(cat "$HOME/.trotline/settings.json")" '// mine'
run "$TROTLINE" hook claude <payload
is "the user's edited settings deny" "$status" 2
cd "$HOME" || exit 2
run hooks init
has "at home: what to do" "$err" "use --scope user"
printf '{' >.trotline/settings.json
run hooks install --into claude --dry-run
has "install says that settings are broken" "$out" "They cannot be read, so it denies; see: trotline hooks lint"

done_testing
