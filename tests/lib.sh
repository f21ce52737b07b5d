# TAP for the shell tests.  Source it first:  . "$TEST_SOURCE_ROOT/tests/lib.sh"
# Each test runs in $tmp, an empty folder that is also $HOME and is gone afterwards.
# shellcheck shell=sh disable=SC2034
set -u

t_count=0
t_failed=0
tmp=$(mktemp -d)
trap 'cd / && rm -rf "$tmp"' EXIT
cd "$tmp" || exit 2
export HOME="$tmp"
# Quick hooks of a session's end are waited for, however slow the machine makes them.
export TROTLINE_END_WAIT_MS=600000

# pass NAME, fail NAME [WHY...]; in TAP a # would begin a directive.
pass() {
	t_count=$((t_count + 1))
	printf 'ok %s - %s\n' "$t_count" "$1" | sed 's/#/(hash)/g'
}
fail() {
	t_count=$((t_count + 1))
	t_failed=$((t_failed + 1))
	printf 'not ok %s - %s\n' "$t_count" "$1" | sed 's/#/(hash)/g'
	shift
	[ $# -eq 0 ] || printf '%s\n' "$@" | sed 's/^/# /'
}
skip() {
	t_count=$((t_count + 1))
	echo "ok $t_count - $1 # SKIP ${2-}"
}

# run COMMAND...: leaves $out, $err and $status.
run() {
	status=0
	"$@" >"$tmp/.out" 2>"$tmp/.err" || status=$?
	out=$(cat "$tmp/.out")
	err=$(cat "$tmp/.err")
}

# is NAME GOT WANTED
is() {
	if [ "$2" = "$3" ]; then pass "$1"; else fail "$1" "got:    $2" "wanted: $3"; fi
}

# has NAME TEXT PART: PART stands in TEXT;  hasnt: it does not.
has() {
	case $2 in
	*"$3"*) pass "$1" ;;
	*) fail "$1" "no '$3' in:" "$2" ;;
	esac
}
hasnt() {
	case $2 in
	*"$3"*) fail "$1" "'$3' in:" "$2" ;;
	*) pass "$1" ;;
	esac
}

# The last line of every test.
done_testing() {
	echo "1..$t_count"
	exit $((t_failed > 0))
}
