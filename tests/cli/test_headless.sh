#!/bin/sh
# The headless agent as programs and people use it: answers, forms, exit statuses, sessions, signals.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_API_KEY GOOGLE_API_KEY OPENAI_API_KEY OPENAI_BASE_URL OPENAI_MODEL GEMINI_MODEL GEMINI_CLI_HOME \
	GEMINI_SANDBOX GOOGLE_GENAI_USE_GCA GOOGLE_GENAI_USE_VERTEXAI CI GITHUB_ACTIONS GITHUB_SHA SURFACE
export GEMINI_CLI_TRUST_WORKSPACE=true
mkdir -p p home/.gemini
export HOME="$tmp/home"
cd p || exit 2

# say FINISH TEXT...: one answer of the model, a chunk a text.
say() {
	finish=$1 sep=
	shift
	printf '{"method":"generateContentStream","response":['
	for text; do
		printf '%s{"candidates":[{"content":{"role":"model","parts":[{"text":"%s"}]}}]}' "$sep" "$text"
		sep=,
	done
	printf ',{"candidates":[{"finishReason":"%s"}],"usageMetadata":{"promptTokenCount":10,' "$finish"
	printf '"candidatesTokenCount":2,"totalTokenCount":12}}]}\n'
}

# call NAME ARGS: the model calls a tool.
call() {
	printf '{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model",'
	printf '"parts":[{"functionCall":{"name":"%s","args":%s}}]},"finishReason":"STOP"}]}]}\n' "$1" "$2"
}

# hook EVENT SCRIPT: the project's only hook.
hook() {
	mkdir -p .gemini
	printf '{"hooks":{"%s":[{"hooks":[{"type":"command","name":"h","command":"sh .gemini/h.sh"}]}]}}\n' \
		"$1" >.gemini/settings.json
	printf '%s\n' "$2" >.gemini/h.sh
}

# agent ARGS...: with the answers in "fake" and nothing on stdin.  That the project's hooks are shown
# is left out of $err, and kept in $shown.
agent() {
	run "$TROTLINE" --fake-responses fake "$@" </dev/null
	shown=$(printf '%s\n' "$err" | sed -n '/^WARNING: The following/,/approves them\.$/p')
	err=$(printf '%s\n' "$err" | sed '/^WARNING: The following/,/approves them\.$/d')
}

# field PATH: of the JSON in $out, as Python sees it.
field() { printf '%s' "$out" | python3 -c 'import json,sys; print(eval("json.load(sys.stdin)" + sys.argv[1]))' "$1"; }

# error_of TEXT: what it/json-output takes for the error object.
error_of() {
	printf '%s' "$1" | python3 -c 'import json,re,sys
t = sys.stdin.read(); t = t[re.search(r"\{\s*\"", t).start():t.rindex("}") + 1]
e = json.loads(t)["error"]; print(e["type"], e["code"], e["message"].split("\n")[0])'
}

# ---- the three forms ----

say STOP 'Hel' 'lo\u001b[31m wor' 'ld' >fake
agent -p hi
is "the text, with a line break, without control sequences" "$status:$out:$err" "0:Hello world:"
agent -p hi --raw-output
is "raw output" "$out" "$(printf 'Hello\033[31m world')"

agent -p hi -o json -m flash
is "the answer" "$(field '["response"]')" "Hello world"
is "tokens" "$(field '["stats"]["models"]["gemini-2.5-flash"]["tokens"]["total"]')" "12"
is "no line break at the end" "$(tail -c 1 "$tmp/.out")" "}"

agent -p hi -o stream-json
is "the lines" "$(printf '%s\n' "$out" | sed 's/{"type":"\([a-z]*\)".*/\1/' | tr '\n' ' ')" \
	"init message message message message result "
has "success" "$out" '"status":"success"'

call read_file '{"file_path":"none"}' >fake
say STOP 'gone' >>fake
agent -p hi -o stream-json
has "a tool is used" "$out" '"tool_name":"read_file","tool_id":"read_file__'
has "and fails" "$out" '"status":"error"'
agent -p hi
has "a tool's error is on stderr" "$err" "Error executing tool read_file: "
is "and not on stdout" "$out" "gone"

# ---- the prompt ----

say STOP ok >fake
# seen ARGS...: the prompt that BeforeAgent sees.
hook BeforeAgent 'cat >../seen'
seen() {
	run "$TROTLINE" --fake-responses fake "$@"
	out=$(cat ../seen)
	field '["prompt"]'
}
# piped TEXT ARGS...: the same with a pipe that holds TEXT and has ended: stdin is waited for half a
# second, and on a busy machine a process beside it may take longer.
piped() {
	exec 8<>../pipe
	printf '%b' "$1" >&8
	exec 7<../pipe
	exec 8>&-
	shift
	seen "$@" <&7 7<&-
	exec 7<&-
}
mkfifo ../pipe
is "words are the prompt" "$(seen say it -- -p </dev/null)" "say it -p"
is "stdin alone" "$(piped ' piped \n')" "piped"
is "stdin and prompt" "$(piped 'piped' -p 'and this')" "$(printf 'piped\n\nand this')"
is "an empty stdin" "$(piped '\n' -p only)" "only"
is "a closed stdin" "$(seen -p only <&-)" "only"
rm -r .gemini

run sh -c 'mkfifo fifo; sleep 60 >fifo & "$TROTLINE" --fake-responses fake -p hi <fifo; kill $!'
is "a silent stdin is given up" "$out" "ok"
dd if=/dev/zero bs=1M count=9 2>/dev/null | tr '\0' x >big
run "$TROTLINE" --fake-responses fake -p hi <big
has "a long stdin is cut, with a warning" "$status:$err" "0:[WARNING] stdin is larger than 8 MiB"

agent
is "no input" "$status:$err" \
	"42:No input provided via stdin. Input can be provided by piping data into trotline or using the --prompt option."
agent -o json
is "no input, for programs" "$out:$(error_of "$err")" ":FatalInputError 42 No input provided \
via stdin. Input can be provided by piping data into trotline or using the --prompt option."
agent -o stream-json
has "no input, in a stream" "$out" '"status":"error","error":{"type":"FatalInputError"'
hook SessionStart 'echo "{\"hookSpecificOutput\":{\"additionalContext\":\"facts\"}}"'
agent
is "the context alone is a prompt" "$status:$out" "0:ok"
rm -r .gemini
agent -p '/help me'
is "a command of the interactive session" "$status:$err" \
	"42:Exiting due to command result that is not supported in non-interactive mode.
/help is a command of interactive sessions: run trotline without -p."
for name in mode export vim; do # of ours alone, of Gemini CLI alone
	agent -p "/$name plan"
	has "/$name is one, too" "$status:$err" "/$name is a command of interactive sessions"
done
agent -p '/etc/passwd is what?'
is "an unknown command is a prompt" "$status:$out" "0:ok"

# ---- refusals ----

run "$TROTLINE" -i x </dev/null
is "a prompt that waits, with a pipe" "$status:$err" \
	"42:Error: The --prompt-interactive flag cannot be used when input is piped from stdin."
run "$TROTLINE" --nope </dev/null
is "the status of a usage error" "$status" "1"
is "a wrong option: one line" "$err" "Unknown argument: nope; trotline --help lists the options"
run "$TROTLINE" --modle x </dev/null
is "what was meant" "$status:$err" '1:Unknown argument: modle; did you mean "--model"?'
agent -p x --worktree
is "what is not there is refused" "$status" 1
has "and the message says what to do instead" "$err" "--worktree is not supported: run \"git worktree add\""
agent -p x --sandbox=docker
has "a sandbox that is not there" "$status:$err" "1:"
has "and those that are" "$err" 'Choices: "project", "read-only", "no-network"'
agent -p x -e none --allowed-mcp-server-names a --screen-reader
is "what changes nothing is accepted" "$status:$out" "0:ok"
run "$TROTLINE" gemma </dev/null
has "a command that is not there" "$status:$err" "1:"
run "$TROTLINE" -p hi </dev/null
has "no key" "$status:$err" "41:Please set an Auth method in your $HOME/.gemini/settings.json or specify"
run "$TROTLINE" -p hi -o json </dev/null
is "no key, for programs" "$(error_of "$err" | cut -c 1-36)" "Error 41 Please set an Auth method i"
echo '{"security":{"auth":{"enforcedType":"gemini-api-key"}}}' >"$HOME/.gemini/settings.json"
run env GOOGLE_GENAI_USE_GCA=true "$TROTLINE" -p hi -o json </dev/null
is "another way to sign in" "$status:$(error_of "$err")" "41:Error 41 The enforced authentication type is \
'gemini-api-key', but the current type is 'oauth-personal'. Please re-authenticate with the correct type."
rm "$HOME/.gemini/settings.json"
# What is said of an answer has a line of its own, where both go to one file or pipe.
printf '%s\n' '{"method":"generateContentStream","response":[{"candidates":[{"content":{"role":"model","parts":[{"text":"half"}]},"finishReason":"MAX_TOKENS"}]}]}' >half
run sh -c '"$TROTLINE" --fake-responses half -p hi </dev/null 2>&1'
is "a warning behind half a line" "$out" "half
[WARNING] The answer was cut off at the model's token limit."

agent -p hi -o json --fake-responses none
has "no file of answers" "$status:$err" "1:"
echo '{ "model": ' >"$HOME/.gemini/settings.json"
agent -p hi -o json
has "broken settings" "$status:$(error_of "$err")" "52:FatalConfigError 52 "
echo '{ "model": { "maxSessionTurns": 1 } }' >"$HOME/.gemini/settings.json"
call read_file '{"file_path":"none"}' >fake
say STOP never >>fake
agent -p hi -o json
is "the limit" "$status:$(error_of "$err")" "53:FatalTurnLimitedError 53 Reached max session turns for \
this session. Increase the number of turns by specifying maxSessionTurns in settings.json."
rm "$HOME/.gemini/settings.json"
: >fake
agent -p hi
has "no more answers" "$status:$err" "1:No more mock responses for generateContentStream, got request:"


# The rule of docs/headless.md: who is asked, told by where nobody listens.
asked() {
	run env TROTLINE_RETRY_UNIT_MS=1 GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1 "$@" \
		"$TROTLINE" -p hi -d </dev/null
	printf '%s:%s' "$status" "$(printf '%s\n' "$err" | sed -n 's/^\[DEBUG\] model //p')"
}
is "a key for Gemini" "$(asked GEMINI_API_KEY=k)" "1:gemini-2.5-pro (gemini-api-key)"
is "another name of it, and a short name" "$(asked GOOGLE_API_KEY=k GEMINI_MODEL=flash)" \
	"1:gemini-2.5-flash (gemini-api-key)"
is "a server of the other kind" "$(asked OPENAI_BASE_URL=http://127.0.0.1:1 OPENAI_MODEL=m)" "1:m (openai)"
is "both" "$(asked OPENAI_BASE_URL=http://127.0.0.1:1 GEMINI_API_KEY=k)" "1:gemini-2.5-pro (gemini-api-key)"
echo '{"model":{"provider":"openai","name":"n"}}' >"$HOME/.gemini/settings.json"
is "both, and a setting" "$(asked OPENAI_BASE_URL=http://127.0.0.1:1 GEMINI_API_KEY=k)" "1:n (openai)"
is "a setting without what it needs" "$(asked GEMINI_API_KEY=k)" "41:"
echo '{"model":{"provider":"x"},"tools":{"sandbox":"docker"}}' >"$HOME/.gemini/settings.json"
is "an unknown provider" "$(asked GEMINI_API_KEY=k)" "52:"
say STOP answer >fake
agent -p hi
has "a sandbox that is not there is said" "$status:$err" \
	"0:[WARNING] tools.sandbox names a sandbox that trotline does not have; commands run in its own"
rm "$HOME/.gemini/settings.json"

# ---- hooks on the screen ----

say STOP answer >fake
hook BeforeAgent 'echo no >&2; exit 2'
agent -p hi
is "blocked" "$status:$out:$err" "0::[WARNING] Agent execution blocked: no [h]"
agent -p hi -o json
is "blocked, json" "$(field '["response"]'):$(field '["warnings"]')" ":['Agent execution blocked: no [h]']"
agent -p hi -o stream-json
has "blocked, stream" "$out" '"severity":"warning","message":"Agent execution blocked: no [h]"'
hook AfterAgent 'echo "{\"continue\":false,\"stopReason\":\"enough\"}"'
agent -p hi
is "stopped" "$status:$out:$err" "0:answer:Agent execution stopped: enough [h]"
hook SessionEnd 'echo "{\"systemMessage\":\"bye {now}\"}"'
agent -p hi
is "C2.3: the last message" "$err" "Hook system message: bye {now}"
: >fake
agent -p hi -o json
is "no other braces" "$(error_of "$err")" "Error 1 No more mock responses for generateContentStream, got request:"
has "and nothing is lost" "$err" "Hook system message: bye (now)"

# ---- trust (C7.4) ----

say STOP answer >fake
unset GEMINI_CLI_TRUST_WORKSPACE
agent -p hi
has "C7.4: nothing runs unguarded" "$status:$err" "55:trotline is not running in a trusted directory."
has "C7.4: the list" "$err" "  - SessionEnd  h  .gemini/settings.json:1"
agent -p hi -o json
has "C7.4: for programs" "$status:$(error_of "$err")" "55:FatalUntrustedWorkspaceError 55 "
agent -p hi --skip-trust
is "--skip-trust runs them" "$status:$err" "0:Hook system message: bye {now}"
has "C7.4: and shows them" "$shown" "WARNING: The following project-level hooks have been detected \
in this workspace:
  - h (SessionEnd)"
agent -p hi --no-project-hooks
is "C7.4: a flag leaves them out" "$status:$out" "0:answer"
has "and what else is not read is told of" "$err" "[WARNING] .gemini/settings.json is not read"
run env OPENAI_BASE_URL=localhost:11434 "$TROTLINE" -m x -p hi --no-project-hooks
has "an address without its scheme" "$status:$err" "OPENAI_BASE_URL must begin with http:// or https://"
run "$TROTLINE" --list-sessions </dev/null
is "looking at sessions runs no hook" "$status" "0"
rm -r .gemini
agent -p hi -y
has "no yolo in a folder that is not trusted" "$status:$out:$err" \
	"0:answer:[WARNING] The approval mode is default"
export GEMINI_CLI_TRUST_WORKSPACE=true
agent -p hi -y
is "yolo is said" "$err" "YOLO mode is enabled. All tool calls will be automatically approved."

# ---- sessions ----

rm -rf "$HOME/.gemini/tmp"
run "$TROTLINE" --list-sessions </dev/null
is "none" "$status:$out" "0:No previous sessions found for this project."
agent -p 'first one' -r
has "nothing to resume" "$status:$out:$err" "0:answer:[WARNING] No previous sessions found"
rm -rf "$HOME/.gemini/tmp"
for which in nosuch 1 7f9c1b1e-0000-4000-8000-000000000000; do
	agent -p 'first one' -r "$which"
	has "no session is $which" "$status:$out:$err" "42::Error resuming session: Invalid session identifier \"$which\""
done
agent -p 'first one'
agent -p 'second one' --session-id my-id
# recent: what a slow machine did a minute ago was now on another.
recent() { sed -E 's/\([0-9]+ minutes? ago\)/(Just now)/g'; }
run "$TROTLINE" --list-sessions </dev/null
is "the head" "$(head -n 2 "$tmp/.out")" "$(printf '\nAvailable sessions for this project (2):')"
has "a line" "$(printf '%s\n' "$out" | recent)" "  2. second one (Just now) [my-id]"
agent -p x --session-id my-id
is "an id that is taken" "$status:$err" '42:Error starting session: Session ID "my-id" already exists. Use --resume to resume it, or provide a different ID.'
agent -p 'go on' -r my-id -o json
is "the same id" "$status:$(field '["session_id"]')" "0:my-id"
agent -p x -r nobody
has "an id that no session has" "$status:$err" '42:Error resuming session: Invalid session identifier "nobody".'
has "a hint" "$err" "Use --list-sessions to see available sessions, then --resume {number}, --resume {uuid}, or --resume latest."
run "$TROTLINE" --delete-session 99 </dev/null
has "deleting one that is not there" "$status:$err" '42:Error deleting session: Invalid session identifier "99".'
has "a hint of its own" "$err" "Use --list-sessions to see available sessions, then --delete-session {number} or --delete-session {uuid}."
run "$TROTLINE" --delete-session 1 </dev/null
is "deleting a session" "$status:$(printf '%s\n' "$out" | recent)" "0:Deleted session 1: first one (Just now)"

# ---- .env files ----

# Which address a request goes to is seen by the refusal of it.
mkdir -p "$HOME/.gemini"
printf '# keys\nexport GEMINI_API_KEY="from-home" # mine\nGOOGLE_GEMINI_BASE_URL=http://127.0.0.1:1\n' \
	>"$HOME/.gemini/.env"
run env -u GEMINI_API_KEY TROTLINE_RETRY_UNIT_MS=1 "$TROTLINE" -p hi </dev/null
is "a key and an address of the home's .env" "$status" 1
has "the address counts" "$err" '127.0.0.1:1'
printf 'GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:2\n' >.env
run env -u GEMINI_API_KEY TROTLINE_RETRY_UNIT_MS=1 "$TROTLINE" -p hi --skip-trust </dev/null
has "a project's .env names no address" "$err" '127.0.0.1:1'
rm "$HOME/.gemini/.env" .env
run env -u GEMINI_API_KEY "$TROTLINE" -p hi </dev/null
is "without them nobody answers" "$status" 41

# ---- a terminal ----

# terminal TEXT FILE ARGS...: the agent on a terminal, FILE is made once TEXT is shown; see on_terminal.py.
terminal() {
	text=$1 file=$2
	shift 2
	run python3 "$TEST_SOURCE_ROOT/tests/cli/on_terminal.py" "$text" "$file" -- "$TROTLINE" --fake-responses fake "$@"
}
export CI=true
terminal '' ../none some words
is "with CI=true a terminal is none" "$status:$out" "0:answer"
unset CI
hook BeforeAgent 'until [ -e ../go ]; do sleep 0.01; done'
"$TROTLINE" hooks trust --yes >/dev/null
rm -f ../go
terminal 'Executing Hook: h ' ../go -p hi
has "it says what is waited for" "$status:$out" '0:\x1b[2K'
is "and takes it away" "${out##*2K}" "answer"
rm -f ../go
: >../go
terminal '' ../none -p hi --screen-reader
is "not for screen readers" "$out" "answer"
rm -r .gemini
"$TROTLINE" hooks trust --yes >/dev/null # that its hook is gone

# ---- ends ----

"$TROTLINE" --fake-responses fake -p hi </dev/null 2>"$tmp/.err" | true
is "a reader that has gone is no complaint" "$(cat "$tmp/.err")" ""
if [ -w /dev/full ]; then
	run sh -c '"$TROTLINE" --fake-responses fake -p hi </dev/null >/dev/full'
	is "a full disk is one" "$status:$err" "1:Cannot write the answer: No space left on device"
fi

# alive PID: a process that runs; one that its parent has not asked for yet does not.
alive() {
	case $(sed 's/.*) //' "/proc/$1/stat" 2>/dev/null) in
	'' | Z*) return 1 ;;
	esac
}

# wait_for FILE: at most 5 min.
wait_for() {
	for _ in $(seq 30000); do
		[ -s "$1" ] && return 0
		sleep 0.01
	done
	return 1
}

cat >.gemini.json <<'END'
{"hooks": {
  "BeforeAgent": [{"hooks": [{"type": "command", "name": "slow", "command": "echo $$ >../slow; exec sleep 60"}]}],
  "SessionEnd": [{"hooks": [{"type": "command", "name": "end", "command": "echo x >>../ends"}]}]
}}
END
mkdir .gemini
mv .gemini.json .gemini/settings.json
"$TROTLINE" hooks trust --yes >/dev/null
for signal in INT TERM HUP; do
	rm -f ../slow ../ends
	"$TROTLINE" --fake-responses fake -p hi </dev/null >"$tmp/.out" 2>"$tmp/.err" &
	pid=$!
	wait_for ../slow
	kill -s "$signal" $pid
	status=0
	wait $pid || status=$?
	is "C2.3: SIG$signal" "$status:$(cat ../ends):$(cat "$tmp/.err")" "0:x:Operation cancelled."
	if alive "$(cat ../slow)"; then
		fail "SIG$signal leaves no process" "$(cat ../slow)"
	else
		pass "SIG$signal leaves no process"
	fi
done

# A hook that does not go: the second signal ends all of it at once.
sed -i 's|exec sleep 60|trap "echo x >../termed" TERM; while :; do sleep 60 \& wait; done|' .gemini/settings.json
sed -i 's|"echo x >../termed"|\\"echo x >../termed\\"|' .gemini/settings.json
# Once more when it came too late: after 2 s the hook is killed, and the session ends by itself.
for _ in $(seq 20); do
	rm -f ../slow ../termed
	"$TROTLINE" --fake-responses fake -p hi </dev/null >"$tmp/.out" 2>"$tmp/.err" &
	pid=$!
	wait_for ../slow
	since=$(date +%s%N)
	kill -s INT $pid
	wait_for ../termed
	kill -s INT $pid
	quick=$(($(date +%s%N) - since < 1000000000))
	status=0
	wait $pid || status=$?
	if [ $quick -ne 0 ] || [ $status -ne 0 ]; then
		break
	fi
done
is "the second signal" "$status" "130"
for _ in $(seq 30000); do
	alive "$(cat ../slow)" || break
	sleep 0.01
done
if alive "$(cat ../slow)"; then fail "it kills what was started"; else pass "it kills what was started"; fi
done_testing
