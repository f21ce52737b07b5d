#!/bin/sh
# The examples do what they say: the guarded project's fixtures pass, and the embedding programs
# compile against an installed library and run.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

cp -R "$TEST_SOURCE_ROOT/examples/guarded-project" project
cp -R "$TEST_SOURCE_ROOT/examples/embed" embed

# ---- guarded-project ----

cd project || exit 2
run "$TROTLINE" hooks test --skip-trust tests/hooks/*.json
is "the guarded project's fixtures pass" "$status" 0
has "all of them" "$out" ", 0 failed"
[ "$status" -eq 0 ] || printf '%s\n' "$out" "$err" | sed 's/^/# /'

run "$TROTLINE" hooks lint
is "lint has nothing to say about it" "$status $out$err" "0 $out"

# C3.6: without Python the guard cannot run, and denies.
mkdir bin
for tool in sh bash grep sed awk tr head wc cat; do
	path=$(command -v "$tool") && ln -s "$path" "bin/$tool"
done
run env PATH="$PWD/bin" "$TROTLINE" hooks run BeforeTool --skip-trust --input '{"command":"ls"}'
is "C3.6: without Python the guard denies" "$status" 2

# git-context outside of a repository, and in one.
run "$TROTLINE" hooks run SessionStart --skip-trust
hasnt "no context outside of a repository" "$out" "context for the agent"
if command -v git >/dev/null; then
	git init -q . && git checkout -q -b 'a"b' && : >'new file'
	run "$TROTLINE" hooks run SessionStart --skip-trust
	has "the branch is context" "$out" 'Git branch: a"b'
	has "so are new files" "$out" 'new file'
fi
cd ..

# ---- guarded-session ----

# Done when (issue 3): one hook adds context, one rewrites, one denies, one redacts, the report names each.
cp -R "$TEST_SOURCE_ROOT/examples/guarded-session" session
cd session || exit 2
run "$TROTLINE" -p 'Tidy up' --fake-responses replies.jsonl --yolo --skip-trust
is "the session ends well" "$status" 0
has "redacted" "$out" 'the key: [key removed]'
hasnt "the key is nowhere" "$out$err$(cat "$HOME"/.gemini/tmp/*/chats/*.jsonl)" 'sk-live'
has "denied" "$err" 'Tool execution blocked: .env files hold secrets'
has "rewritten" "$(ls .trash)" 'old-report.txt'
has "with context" "$(cat "$HOME"/.trotline/records.jsonl)" '"gave":["context"]'
run "$TROTLINE" hooks report --skip-trust
for word in folder-facts 'added context' trash-instead 'rewrote the arguments' guard-env denied \
	redact-keys 'replaced the answer' ' events with hooks' ' ms on average' 'did not match '; do
	has "the report says: $word" "$out" "$word"
done
run "$TROTLINE" hooks report --skip-trust --json
has "and as JSON" "$out" '"tool_input": 1'
here=$(pwd -P)
mkdir ../elsewhere
run "$TROTLINE" hooks report --dir ../elsewhere
has "another project's session names its folder" "$out" "
in $here
"
# Two projects, one name of a session: each report has its own.
run "$TROTLINE" hooks run BeforeTool --skip-trust --tool run_shell_command --input '{"command":"ls"}'
mkdir -p ../elsewhere/.gemini
echo '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","name":"theirs","command":"true"}]}]}}' >../elsewhere/.gemini/settings.json
run "$TROTLINE" hooks run BeforeTool --skip-trust --tool run_shell_command --input '{"command":"ls"}' --dir ../elsewhere
run "$TROTLINE" hooks report --dir ../elsewhere
has "a report is of its project" "$out" theirs
hasnt "and of no other" "$out" guard-env
run "$TROTLINE" hooks report --skip-trust --session sample-session
has "also by the session's name" "$out" 'BeforeTool'
hasnt "of this project" "$out" theirs
run "$TROTLINE" hooks report --skip-trust --last
hasnt "and the last record" "$out" theirs
rm -r ../elsewhere
run "$TROTLINE" hooks report --skip-trust --session nobody
has "a session without a record" "$out" 'No record of hooks'
cd ..

# ---- embed ----

# A library with a sanitizer wants a program with it.
sanitize=
grep -q __asan_init "$TEST_BUILD_ROOT/libtrotline.so" && sanitize=address,undefined
grep -q __tsan_init "$TEST_BUILD_ROOT/libtrotline.so" && sanitize=thread
if ! meson install -C "$TEST_BUILD_ROOT" --no-rebuild --quiet --destdir "$tmp/root" >install.log 2>&1; then
	fail "meson install" "$(cat install.log)"
	done_testing
fi
pc=$(find "$tmp/root" -name trotline.pc)
export PKG_CONFIG_SYSROOT_DIR="$tmp/root" PKG_CONFIG_LIBDIR="${pc%/*}"
LD_LIBRARY_PATH=${pc%/pkgconfig/*}
export LD_LIBRARY_PATH

flags="-O1 -Wall -Wextra -Wshadow -Wstrict-prototypes -Werror ${sanitize:+-fsanitize=$sanitize}"
run make -s -C embed CFLAGS="$flags"
is "the embedding programs compile" "$status$out$err" "0"

cd project || exit 2
run ../embed/fire ls
is "C7.4: fire refuses what nobody approved" "$status" 2
has "and says how to approve it" "$err" "trotline hooks trust"
run "$TROTLINE" hooks trust --yes
is "they are approved" "$status" 0
run ../embed/fire ls
is "fire: ls may run" "$status $out" "0 allowed"
run ../embed/fire 'rm -rf /'
is "fire: rm -rf / may not" "$status" 1
has "and says why" "$out" "deny: Dangerous: rm would delete /"

# The same in Python: it says what fire says.
if [ -n "$sanitize" ]; then
	skip "fire.py" "Python has no sanitizer's runtime"
else
	# Itself: a wrapper such as pyenv's changes PATH, and guards of another python3 were not approved.
	python=$(python3 -c 'import sys; print(sys.executable)')
	# shellcheck disable=SC2016  # a command for the guard to read
	for command in ls 'rm -rf /' 'echo "$(rm -rf ~)" \ é'; do
		run "$python" ../embed/fire.py "$command"
		said="$status $out"
		case $command in *'"'*) want="1 deny: Dangerous" ;; *) run ../embed/fire "$command" && want="$status $out" ;; esac
		has "fire.py: $command" "$said" "$want"
	done
	mkdir ../nobody && cd ../nobody || exit 2
	run "$python" ../embed/fire.py 'rm -rf /'
	is "fire.py: without hooks all may run" "$status $out" "0 allowed"
	mkdir .gemini && echo '{ "hooks": 1 ' >.gemini/settings.json
	run "$python" ../embed/fire.py ls
	is "fire.py: settings that are no JSON are no permission" "$status $out" "2 "
	has "it says where the mistake is" "$err" "settings.json:2:1: "
	cd ../project || exit 2
fi
# What the page shows of it is in it.
# shellcheck disable=SC2016  # $ is sed's last line
page=$(sed -n '/^    def fire(/,/^```/{/^```/!p}' "$TEST_SOURCE_ROOT/docs/embedding.md")
has "docs/embedding.md shows a part of fire.py" "$(cat ../embed/fire.py)" "$page"
is "that is not empty" "${page:+there}" there

# Its stdin stays open, by a fifo that this shell holds.
mkfifo ../stdin && exec 9<>../stdin
run ../embed/poll ls <&9
is "poll: ls may run" "$status" 0
has "it lists the hooks" "$out" "  guard-shell: none"
run ../embed/poll 'rm -rf /' <&9
is "poll: rm -rf / may not" "$status" 1
run ../embed/poll ls </dev/null
is "poll: a closed stdin cancels" "$status" 2
has "and it says so" "$err" "cancelled"
cd ..

done_testing
