#!/bin/sh
# trotline policy why, what lint says of policy files, and names of tools that do not exist.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
mkdir -p p/.gemini/policies "$HOME/.gemini/policies" && cd p || exit 2
policies=.gemini/policies
why() { run "$TROTLINE" policy why "$@"; }
lint() { run "$TROTLINE" hooks lint "$@"; }

why write_file
is "without rules" "$status $out" "4 ask  no rule fits"
why write_file --headless
is "without a person" "$status" 2
has "and why" "$out" "non-interactive mode"
why read_file --all
has "a built-in rule" "$out" "allow  built-in  no file, priority 1.050"

cat >"$HOME/.gemini/policies/mine.toml" <<'END'
[[rule]]
toolName = "run_shell_command"
commandPrefix = ["make", "git push"]
decision = "deny"
priority = 200
denyMessage = "Only people push."

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git"
decision = "allow"
priority = 100
END
why run_shell_command '{"command":"ls; git push origin"}'
is "the rule of a file" "$status $(printf '%s\n' "$out" | head -3)" "2 deny  ~/.gemini/policies/mine.toml:1  user, priority 4.200
  because of: git push origin
  Only people push."
has "why another one does not" "$out" "allow 4.100  ~/.gemini/policies/mine.toml:8  a rule above it decides"
why run_shell_command '{"command":"git log"}'
is "the other one decides" "$status $(printf '%s\n' "$out" | head -1)" "0 allow  ~/.gemini/policies/mine.toml:8  user, priority 4.100"
has "whose conditions do not fit" "$out" "deny  4.200  ~/.gemini/policies/mine.toml:1  its conditions do not fit the arguments"
why write_file '{}' --approval-mode yolo
is "a mode" "$status $(printf '%s\n' "$out" | head -1)" "0 allow  built-in  no file, priority 1.998"
why write_file --allowed-tools write_file
is "an option" "$status $(printf '%s\n' "$out" | head -1)" "0 allow  --allowed-tools  no file, priority 4.300"
why run_shell_command '{"command":"git push"}' --json
is "--json" "$(printf '%s\n' "$out" | python3 -c '
import json, sys
v = json.load(sys.stdin)
d = [r for r in v["rules"] if r["decides"]]
print(v["tool"], v["decision"], v["part"], v["why"], len(d), d[0]["line"], d[0]["source"], d[0]["priority"],
      sum("why" in r for r in v["rules"]) > 5)')" "run_shell_command deny git push Only people push. 1 1 user 4.200 True"
why Bash
is "no such tool" "$status $err" '1 trotline: no tool "Bash"; did you mean "run_shell_command"?'
why Bash --json
has "no such tool, as JSON" "$out" '"code": "unknown-tool"'
why write_file '[]'
is "arguments of another type" "$status" 1
why write_file --approval-mode fast
is "no such mode" "$status" 1

# ---- the project ----
cat >$policies/a.toml <<'END'
[[rule]]
toolName = "write_file"
decision = "deny"
priority = 100
END
why write_file
is "an untrusted project has no say" "$status $out" "4 ask  no rule fits
deny  4.200  ~/.gemini/policies/mine.toml:1  it is about other tools
allow 4.100  ~/.gemini/policies/mine.toml:8  it is about other tools"
has "and that is said" "$err" "is not trusted"
why write_file --skip-trust
is "a trusted one has" "$status $(printf '%s\n' "$out" | head -1)" "2 deny  .gemini/policies/a.toml:1  project, priority 3.100"

# ---- lint ----
lint
is "policies that are right" "$status $(printf '%s\n' "$out" | tail -1)" "0 0 hooks in 2 files: no problems found."
cat >$policies/b.toml <<'END'
[[rule]]
toolName = ["Bash", "write_fil", "codebase_investigator"]
decision = "deny"
priority = 100

[[rule]]
toolName = "frob*"
decision = "ask_user"
priority = 100

[[rule]]
toolName = "run_shell_command"
commandPrefix = "git push origin"
decision = "allow"
priority = 300

[[rule]]
toolName = "x"
mcpName = "fils"
decision = "allow"
priority = 1

[[rule]]
toolName = "write_file"
argsPattern = "a"
decision = "allow"
priority = 99
END
lint
is "lint: exit status" "$status" 1
has "lint: no such tool" "$out" '.gemini/policies/b.toml:1:3: error: no tool "Bash"; did you mean "run_shell_command"? [unknown-tool]'
has "lint: a slip" "$out" 'no tool "write_fil"; did you mean "write_file"?'
hasnt "lint: a sub-agent may be named" "$out" 'codebase_investigator'
has "lint: a rule that fits nothing" "$out" '.gemini/policies/b.toml:6:3: warning: this rule fits no tool, in no mode [never-matches]'
has "lint: a rule below another one" "$out" '.gemini/policies/b.toml:11:3: warning: this rule (allow) never decides: ~/.gemini/policies/mine.toml:1 (deny, priority 4.200) comes before it [shadowed-rule]'
has "lint: with conditions, below one without" "$out" '.gemini/policies/b.toml:23:3: warning: this rule (allow) never decides: .gemini/policies/a.toml:1 (deny, priority 3.100)'
has "lint: no such server" "$out" '.gemini/policies/b.toml:17:3: warning: no MCP server "fils" [unknown-server]'
lint $policies/b.toml
has "lint: one file" "$out" '.gemini/policies/b.toml:1:3: error: no tool "Bash"'
lint --no-project-hooks
hasnt "lint: --no-project-hooks" "$out" "b.toml"

printf '[[rule]]\ntoolName = "x\n' >$policies/b.toml
printf '[[rule]]\ntoolName = "write_file"\nargsPattern = "("\ndecision = "deny"\npriority = 1\n' >$policies/c.toml
lint
has "lint: no TOML" "$out" '.gemini/policies/b.toml:2:14: error: '
has "lint: no regular expression" "$out" '.gemini/policies/c.toml:3:15: error: regular expression'
why write_file --skip-trust
is "a broken file" "$status" 52
cat >$policies/c.toml <<'END'
[[rule]]
toolName = 5
decision = "denied"
prioritee = 1

[[rule]]
toolName = "write_file"
decision = "deny"

[[rules]]
decision = "deny"

[[rule]]
toolName = "run_shell_command"
commandPrefix = ["ls", "a | b"]
decision = "allow"
priority = 1

[[safety_checker]]
toolName = "*"
END
rm $policies/b.toml
for all in "lint" "lint $policies/c.toml"; do
	$all
	is "every mistake of a file: $all" "$status $(printf '%s\n' "$out" | grep -c ': error: ')" "1 7"
	for at in 2:12 3:12 4:1 6:3 10:3 15:24 19:3; do
		has "$all: $at" "$out" ".gemini/policies/c.toml:$at: error: "
	done
done
rm $policies/c.toml

# ---- names elsewhere ----
: >"$tmp/no.responses"
run "$TROTLINE" hooks run BeforeTool --tool run_shel_command
is "hooks run --tool" "$status $err" '0 trotline: --tool: no tool "run_shel_command"; did you mean "run_shell_command"?'
run "$TROTLINE" hooks run BeforeTool --tool mcp__files__read
is "hooks run --tool: of a server" "$status $err" "0 "
run "$TROTLINE" -p hi --allowed-tools 'write_fil,Bash' --fake-responses "$tmp/no.responses"
has "--allowed-tools: a slip" "$err" '[WARNING] --allowed-tools: no tool "write_fil"; did you mean "write_file"?'
has "--allowed-tools: another agent's name" "$err" '[WARNING] --allowed-tools: no tool "Bash"; did you mean "run_shell_command"?'
sed -i s/run_shell_command/Bsh/ "$HOME/.gemini/policies/mine.toml"
sed -i /commandPrefix/d "$HOME/.gemini/policies/mine.toml"
run "$TROTLINE" -p hi --fake-responses "$tmp/no.responses"
has "a policy file" "$err" '/.gemini/policies/mine.toml:1: no tool "Bsh"; did you mean "run_shell_command"?'

done_testing
