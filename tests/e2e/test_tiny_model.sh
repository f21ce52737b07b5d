#!/bin/sh
# The agent with a real language model, through both providers: what the model asks for really
# happens, and hooks really stop it.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

here=$TEST_SOURCE_ROOT/tests/e2e
cache=$TEST_SOURCE_ROOT/.cache/e2e
skip_all() {
	echo "1..0 # SKIP $1"
	exit 0
}

node -e 'process.exit(parseInt(process.versions.node) < 20 ? 1 : 0)' 2>/dev/null ||
	skip_all "node 20 is not installed"
[ -d "$cache/node_modules" ] ||
	skip_all "no llama.cpp: tools/npm-install tests/e2e .cache/e2e (Linux on x86-64)"

mkdir home project
export HOME="$tmp/home" NO_COLOR=1
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
unset GEMINI_API_KEY GOOGLE_GEMINI_BASE_URL OPENAI_API_KEY OPENAI_BASE_URL GEMINI_CLI_HOME
unset GEMINI_MODEL OPENAI_MODEL http_proxy HTTP_PROXY all_proxy ALL_PROXY

mkfifo port
node "$here/server.mjs" "$cache/node_modules" "$here/tiny.gguf" "$tmp/log" >port &
server=$!
trap 'kill "$server"; cd / && rm -rf "$tmp"' EXIT
# shellcheck disable=SC2094  # a fifo
read -r port <port || {
	fail "the model's server starts"
	done_testing
}
cd project || exit 2

# The results of tools in the last request, a line each.
cat >"$tmp/told.mjs" <<'END'
import { readFileSync } from 'node:fs';
const { body } = JSON.parse(readFileSync(process.argv[2], 'utf8').trim().split('\n').at(-1));
const parts = (body.contents ?? []).flatMap((content) => content.parts);
for (const { functionResponse: r } of parts)
	if (r)
		console.log(r.response.output ?? r.response.error);
for (const message of body.messages ?? [])
	if (message.role === 'tool')
		console.log(message.content);
END

# agent PROMPT [ARGUMENT...]: asks through $provider; leaves how many $requests that took, the $last
# one, and what the model was $told about its calls.
agent() {
	: >"$tmp/log"
	prompt=$1
	shift
	case $provider in
	gemini) set -- GEMINI_API_KEY=x GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" \
		"$TROTLINE" -m tiny -p "$prompt" "$@" ;;
	openai) set -- OPENAI_API_KEY=x OPENAI_BASE_URL="http://127.0.0.1:$port" \
		"$TROTLINE" -m tiny -p "$prompt" "$@" ;;
	esac
	run env "$@" --approval-mode yolo --skip-trust </dev/null
	requests=$(wc -l <"$tmp/log")
	last=$(tail -1 "$tmp/log")
	told=$(node "$tmp/told.mjs" "$tmp/log")
}
# hook EVENT MATCHER SCRIPT: the only hook; no arguments: none.
hook() {
	mkdir -p "$HOME/.gemini"
	rm -f "$HOME/.gemini/settings.json"
	[ $# -gt 0 ] || return 0
	printf '#!/bin/sh\n%s\n' "$3" >"$tmp/hook.sh"
	cat >"$HOME/.gemini/settings.json" <<-END
		{ "hooks": { "$1": [ { "matcher": "$2", "hooks": [
		  { "type": "command", "command": "sh $tmp/hook.sh" } ] } ] } }
	END
}

echo "3 lines" >notes.md
echo "here is a needle" >hay.txt
mkdir sub

for provider in gemini openai; do
	hook
	agent "hi bob"
	is "$provider: an answer" "$status $out" "0 Hello, bob!"
	is "$provider: takes one request" "$requests" 1

	agent "read notes.md"
	is "$provider: a file is read and the model says so" "$status $out" "0 Tool said: 3 lines"
	is "$provider: in two requests" "$requests" 2

	agent "run pwd"
	has "$provider: a command runs" "$told" "Output: $tmp/project"
	is "$provider: and the turn ends" "$status $requests" "0 2"

	agent "search for needle"
	has "$provider: a search finds" "$told" "here is a needle"

	agent "run cat notes.md"
	has "$provider: a path that the model misspelt is told to it" "$told" "File not found"
	is "$provider: and the turn ends" "$status $requests" "0 2"

	hook BeforeTool run_shell_command \
		"cat >'$tmp/seen'; echo '{\"decision\":\"deny\",\"reason\":\"no shell today\"}'"
	agent "run mkdir"
	has "$provider: BeforeTool is asked first" "$(cat "$tmp/seen")" '"command":"mkdir"'
	has "$provider: it denies, and the model learns why" "$told" "no shell today"
	has "$provider: so does the user" "$err" "no shell today"
	hasnt "$provider: nothing ran" "$told" "Output:"

	hook BeforeTool "" "echo '{\"continue\":false,\"stopReason\":\"that is enough\"}'"
	agent "read notes.md"
	is "$provider: BeforeTool stops the agent before the next request" "$status $requests" "0 1"
	has "$provider: and says so" "$err" "that is enough"

	hook BeforeTool read_file \
		'echo "{\"hookSpecificOutput\":{\"tool_input\":{\"file_path\":\"hay.txt\"}}}"'
	agent "read notes.md"
	has "$provider: BeforeTool changes what is read" "$told" "here is a needle"

	hook AfterTool read_file \
		'echo "{\"hookSpecificOutput\":{\"additionalContext\":\"it is an old file\"}}"'
	agent "read notes.md"
	has "$provider: AfterTool adds to the result" "$told" "it is an old file"

	hook AfterModel "" 'grep -q "bob!" || exit 0
		echo "{\"hookSpecificOutput\":{\"llm_response\":{\"candidates\":[{\"content\":
		{\"role\":\"model\",\"parts\":[\"[name]\"]}}]}}}"'
	rm -rf "$HOME/.gemini/tmp"
	agent "hi bob"
	is "$provider: AfterModel redacts a word of the stream" "$status $out" "0 Hello, [name]"
	has "$provider: in the transcript, too" "$(cat "$HOME"/.gemini/tmp/*/chats/*)" "[name]"
	hasnt "$provider: which never held it" "$(cat "$HOME"/.gemini/tmp/*/chats/*)" "bob!"
	agent "read notes.md" --resume latest
	has "$provider: in the next request, too" "$last" "Hello, [name]"
	hasnt "$provider: which never holds it" "$last" "bob!"

	hook
	agent "hi bob" -o json
	has "$provider: JSON output counts the tokens" "$out" '"candidates": 11'

	agent "hi bob"
	agent "read notes.md" --resume latest
	has "$provider: a resumed conversation goes on" "$last" "Hello, bob!"
done

# What the model writes as arguments is not always JSON.
provider=openai
agent "read the file notes.md and tell me"
is "a broken call is answered, not fatal" "$status $requests" "0 2"

# On a terminal, with a question in between (issue 4).
echo 'The word is plum.' >notes.md
mkdir -p "$HOME/.gemini"
echo '{"tools": {"confirmationRequired": ["run_shell_command"]}}' >"$HOME/.gemini/settings.json"
if python3 -c 'import pexpect' 2>/dev/null; then
	for provider in gemini openai; do
		case $provider in
		gemini) set -- GEMINI_API_KEY=x GOOGLE_GEMINI_BASE_URL="http://127.0.0.1:$port" ;;
		openai) set -- OPENAI_API_KEY=x OPENAI_BASE_URL="http://127.0.0.1:$port" ;;
		esac
		run env "$@" TERM=xterm-256color python3 "$here/on_chat.py" "$TROTLINE" -m tiny --skip-trust
		is "$provider: a session on a terminal" "$status" 0
		[ "$status" = 0 ] || printf '%s\n' "$out" "$err" | tail -20 | sed 's/^/# /'
	done
fi

done_testing
