#!/bin/sh
# What CI asks of the real programs of other agents: it can fail for an agent that makes a call which was
# denied, and for nothing that npm or the machine does.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

agents=$TEST_SOURCE_ROOT/tests/agents
mkdir -p bin
printf '#!/bin/sh\nexit 1\n' >bin/npm
chmod +x bin/npm
run env PATH="$tmp/bin:$PATH" "$agents/ci" "$tmp/none"
is "npm cannot be reached: no failure" "$status" 0
has "... a line says so" "$out" "agents: claude cannot be installed"
has "... and what counts then" "$out" "captured payloads count"
has "... no case is counted" "$out" "0 passed, 0 failed"

# fake NAME: an agent that is a script, from stdin.
fake() {
	mkdir -p "agents/$1/node_modules/.bin"
	cat >"agents/$1/node_modules/.bin/$1"
	chmod +x "agents/$1/node_modules/.bin/$1"
	: >"agents/$1/.is-1"
}
fake claude <<'END'
#!/bin/sh
echo OUT-71 >mark
END
run "$agents/run" agents claude
is "an agent that asks no hook: failed" "$status" 1
has "... which case" "$out" "claude: deny, once more alone: LET THROUGH, not denied"
has "... and how many" "$out" "3 passed, 17 failed"
rm agents/claude/.is-1
run "$agents/run" agents claude
is "one that is not whole: no failure" "$status" 0
has "... a line says so" "$out" "agents: claude is not installed"

fake gemini <<'END'
#!/bin/sh
exit 1
END
run "$agents/run" agents gemini
is "one that does not run here: no failure" "$status" 0
has "... a line says so" "$out" "agents: gemini does not run here without trotline, either"
run "$agents/run" --seconds 0 agents gemini
has "no time" "$out" "agents: no time for gemini"
done_testing
