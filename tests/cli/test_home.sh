#!/bin/sh
# Where the user's guards are (C7.9): whatever HOME is, the user's guard denies, or nothing runs.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
# The preloaded file comes before a sanitizer's runtime.
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0"
home=$tmp/me
mkdir -p "$home/.gemini" p/home empty
cat >"$home/.gemini/settings.json" <<'END'
{ "hooks": { "BeforeTool": [ { "hooks": [
  { "name": "mine", "type": "command", "command": "exit 2", "guard": true } ] } ] } }
END
: >file
ln -s nowhere to-nothing
ln -s circle circle
ln -s me to-me
cd p || exit 2

# with NAME=VALUE... COMMAND...: in an environment that has no other HOME.
# shellcheck disable=SC2317  # called through run
with() { env -u HOME LD_PRELOAD="$PWD_SHIM" PWD_HOME="$home" "$@"; }
check() {
	case $status in
	2 | 52) pass "$1: $status" ;;
	*) fail "$1: status $status" "$out" "$err" ;;
	esac
}

run with "$TROTLINE" hooks run BeforeTool
is "no HOME: the password database has one" "$status" 2
run with "$TROTLINE" hooks list --json
has "no HOME: the guard is listed" "$out" '"name": "mine"'

for name in HOME GEMINI_CLI_HOME; do
	for value in '' . .. '~' home ../me ./ "$home" "$tmp/to-me" "$home/" "$tmp/p/../me" /nonexistent \
		/dev/null /dev/null/x "$tmp/file" "$tmp/file/x" "$tmp/to-nothing" "$tmp/circle"; do
		run with "$name=$value" "$TROTLINE" hooks run BeforeTool
		check "$name=$value"
		run with "$name=$value" PWD_HOME=/nonexistent "$TROTLINE" hooks run BeforeTool
		check "$name=$value, and the registered one does not exist"
		run with PWD_HOME= "$name=$value" "$TROTLINE" hooks run BeforeTool
		check "$name=$value, and none is registered"
	done
done

run with PWD_HOME= "$TROTLINE" hooks run BeforeTool
is "no home at all: 52" "$status" 52
has "no home at all: the sentence" "$err" "no home directory"
run with PWD_HOME= "$TROTLINE" -p hi
is "no home at all: no session" "$status" 52
run with "HOME=$tmp/absent" "$TROTLINE" -p hi
is "a home that does not exist: no session" "$status" 52
has "a home that does not exist: which" "$err" "$tmp/absent: this home directory (HOME) cannot be used"
is "it is not made" "$([ -e "$tmp/absent" ] || echo absent)" absent
for command in "hooks list" "hooks disable x" "mcp list" "mcp disable x" "mcp add --scope user s true" \
	"skills list" "extensions list" "hooks install --name x --event BeforeTool --scope user true" \
	"hooks trust --yes" "hooks report" "--list-sessions" "--list-extensions"; do
	# shellcheck disable=SC2086
	run with "HOME=$tmp/absent" "$TROTLINE" $command </dev/null
	if [ -e "$tmp/absent" ]; then
		fail "$command makes a home directory"
		rm -rf "$tmp/absent"
	else
		pass "$command makes no home directory"
	fi
done

# Whoever needs one says why there is none.
for command in "guard on" "guard off" "extensions list" "extensions uninstall x" "skills install ./x --scope user" \
	"hooks install x BeforeTool true --scope user" "hooks uninstall x --scope user" "hooks trust --yes" "mcp add --scope user s true" "hooks list" "hooks log"; do
	# shellcheck disable=SC2086
	run with "HOME=$tmp/absent" "$TROTLINE" $command </dev/null
	has "$command: why" "$err" "$tmp/absent: this home directory (HOME) cannot be used"
	has "$command: fails" " 1 52 " " $status "
done

# The directory of the settings, in place of the guard's own.
for kind in file to-nothing circle; do
	mkdir -p "$tmp/h-$kind"
	ln -s "../$kind" "$tmp/h-$kind/.gemini"
	run with "HOME=$tmp/h-$kind" "$TROTLINE" hooks run BeforeTool
	is "settings in a directory that is $kind: 52" "$status" 52
	has "settings in a directory that is $kind: which" "$err" "h-$kind/.gemini/settings.json"
	run with "HOME=$tmp/h-$kind" "$TROTLINE" -p hi
	is "settings in a directory that is $kind: no session" "$status" 52
done

# The agent reads each system file whole, not only its hooks (C7.1).
: >fake
echo '{ "model": { "name": "sys-model" } }' >"$tmp/sys.json"
for name in GEMINI_CLI_SYSTEM_SETTINGS_PATH TROTLINE_SYSTEM_SETTINGS_PATH \
	GEMINI_CLI_SYSTEM_DEFAULTS_PATH; do
	run with "HOME=$tmp/empty" "$name=$tmp/sys.json" "$TROTLINE" --fake-responses fake -p hi -d
	has "$name: its model" "$err" "[DEBUG] model sys-model"
done
# What killed writers have left goes with the next start; what a writer holds stays.
old=.trotline-0123456789abcdef.tmp
held=.trotline-fedcba9876543210.tmp
for start in "hooks list" "--list-sessions" "mcp list" "skills list"; do
	mkdir -p "$home/.trotline/approved" .gemini .trotline .claude
	for dir in "$home/.gemini" "$home/.trotline" "$home/.trotline/approved" .gemini .trotline .claude; do
		: >"$dir/$old"
		: >"$dir/$held"
		: >"$dir/.trotline-mine.tmp"
	done
	# shellcheck disable=SC2086
	run with flock .gemini/$held flock "$home/.trotline/$held" "$TROTLINE" $start
	is "$start: leftovers are gone" "$(find "$home" . -name "$old")" ""
	is "$start: what is held is not" "$(find "$home" . -name "$held" | sort | xargs)" \
		"./.gemini/$held $home/.trotline/$held"
	is "$start: nothing else goes" "$(find "$home" . -name .trotline-mine.tmp | wc -l)" 6
done
done_testing
