#!/bin/sh
# trotline hooks schema: what the engine sends and what it reads agrees with the schemas (C2.4).
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
hooks() { "$TROTLINE" hooks "$@"; }
mkdir -p p/.gemini && cd p || exit 2

# C3.9: the reference is what the engine judges by.
is "docs/answers.md is what schema answers prints" "$(hooks schema answers)" \
	"$(cat "$TEST_SOURCE_ROOT/docs/answers.md")"

# check SCHEMA FILE...: as much of draft 7 as the schemas use; says what is wrong, or nothing.
cat >../check.mjs <<'END'
import { readFileSync } from 'node:fs';

const [schemaFile, ...files] = process.argv.slice(2);
const root = JSON.parse(readFileSync(schemaFile, 'utf8'));
const known = new Set(['$schema', '$ref', 'title', 'description', 'type', 'enum', 'properties',
  'required', 'items', 'definitions', 'additionalProperties', 'minLength', 'minimum', 'maximum',
  'exclusiveMinimum', 'allOf', 'if', 'then']);

const typeOf = (v) => v === null ? 'null' : Array.isArray(v) ? 'array' : typeof v;
const isType = (v, t) => t === 'integer' ? Number.isInteger(v) : typeOf(v) === t;

function* problems(v, s, at) {
  for (const key of Object.keys(s)) if (!known.has(key)) yield `${at}: keyword ${key}?`;
  if (s.$ref) {
    yield* problems(v, s.$ref.slice(2).split('/').reduce((o, k) => o[k], root), at);
    return;
  }
  for (const rule of s.allOf ?? []) {
    for (const key of Object.keys(rule)) if (!known.has(key)) yield `${at}: keyword ${key}?`;
    if ([...problems(v, rule.if, at)].length === 0) yield* problems(v, rule.then, at);
  }
  if (s.type && ![].concat(s.type).some((t) => isType(v, t))) yield `${at}: not ${s.type}`;
  if (s.enum && !s.enum.includes(v)) yield `${at}: not one of ${s.enum}`;
  if (s.minLength > v.length) yield `${at}: too short`;
  if (v < s.minimum || v <= s.exclusiveMinimum) yield `${at}: too small`;
  if (v > s.maximum) yield `${at}: too large`;
  if (typeOf(v) === 'array' && s.items)
    for (const [i, item] of v.entries()) yield* problems(item, s.items, `${at}[${i}]`);
  if (typeOf(v) !== 'object') return;
  for (const key of s.required ?? []) if (!(key in v)) yield `${at}: no ${key}`;
  for (const [key, item] of Object.entries(v)) {
    const member = s.properties?.[key] ?? s.additionalProperties;
    if (member) yield* problems(item, member, `${at}.${key}`);
  }
}

for (const file of files)
  for (const p of problems(JSON.parse(readFileSync(file, 'utf8')), root, '$')) console.log(p);
END
check() { node "$tmp/check.mjs" "$@" 2>&1; }

run hooks schema
is "settings: exit status" "$status" 0
printf '%s' "$out" >settings.schema
cat >settings.json <<'END'
{ "theme": "x",
  "hooksConfig": { "enabled": true, "disabled": ["a"], "onFailure": "ask", "maxRetries": 3,
    "sources": ["claude"], "dialect": "jpfork", "notifications": false },
  "hooks": { "BeforeTool": [ { "matcher": "x", "sequential": true, "hooks": [
    { "type": "command", "command": "true", "name": "n", "description": "d", "timeout": 5000,
      "env": { "A": "b" }, "guard": true, "onFailure": "deny", "mode": "observe",
      "persistent": false, "unknown": 1 } ] } ], "PreToolUse": [] } }
END
is "settings: what is right is accepted" "$(check settings.schema settings.json)" ""

# wrong NAME TEXT: the schema must refuse what the reader complains about.
wrong() {
	printf '%s' "$2" >wrong.json
	run check settings.schema wrong.json
	has "settings: $1" "$out" '$.'
}
on() { printf '{"hooks":{"AfterTool":[{"hooks":[%s]}]}}' "$1"; }
wrong "the type of hooks" '{"hooks":[]}'
wrong "the type of an event" '{"hooks":{"BeforeTool":{}}}'
wrong "a definition without hooks" '{"hooks":{"BeforeTool":[{"matcher":"x"}]}}'
wrong "a hook without a command" "$(on '{"type":"command"}')"
wrong "an empty command" "$(on '{"type":"command","command":""}')"
wrong "another type of hook" "$(on '{"type":"http","command":"x"}')"
claudes() { printf '{"hooks":{"PostToolUse":[{"hooks":[%s]}]}}' "$1"; }
wrong "a type that there is not" "$(claudes '{"type":"python","command":"x"}')"
wrong "a hook of type http without an address" "$(claudes '{"type":"http","command":"x"}')"
wrong "a hook of type mcp_tool without a tool" "$(claudes '{"type":"mcp_tool","server":"x"}')"
wrong "a hook of type prompt without one" "$(claudes '{"type":"prompt","url":"x"}')"
wrong "headers of another type" "$(claudes '{"type":"http","url":"https://x","headers":[]}')"
mkdir -p .trotline
# shellcheck disable=SC2016 # a variable of the hook
for entry in '"http","url":"https://x","headers":{"A":"$B"},"allowedEnvVars":["B"]' \
	'"mcp_tool","server":"s","tool":"t","input":{"a":"b"}' '"prompt","prompt":"Is it safe?"' \
	'"agent","prompt":"Look at it","model":"m","timeout":5' '"command","command":"x","async":true'; do
	printf '{"hooks":{"PreToolUse":[{"hooks":[{"type":%s}]}]}}' "$entry" >right.json
	is "settings: $entry" "$(check settings.schema right.json)" ""
	cp right.json .trotline/settings.json
	is "the reader has no other opinion: $entry" "$(hooks lint 2>&1 | grep -c 'unknown-key\|unknown-type\|wrong-type')" 0
done
rm -r .trotline
wrong "no timeout at all" "$(on '{"type":"command","command":"x","timeout":0}')"
wrong "onFailure" "$(on '{"type":"command","command":"x","onFailure":"die"}')"
wrong "an environment with objects" "$(on '{"type":"command","command":"x","env":{"A":{}}}')"
wrong "hooksConfig.onFailure" '{"hooksConfig":{"onFailure":"die"}}'
wrong "hooksConfig.sources" '{"hooksConfig":{"sources":["cursor"]}}'
wrong "hooksConfig.maxRetries" '{"hooksConfig":{"maxRetries":-1}}'

# C2.4: what a hook of each event really reads.
events='BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel BeforeToolSelection AfterModel
	SessionStart SessionEnd Notification PreCompress'
{
	sep=
	printf '{"hooks":{'
	for e in $events; do
		printf '%s"%s":[{"hooks":[{"type":"command","command":"cat >%s.json"}]}]' "$sep" "$e" "$e"
		sep=,
	done
	printf '}}'
} >.gemini/settings.json
is "settings of this test" "$(check settings.schema .gemini/settings.json)" ""
for e in $events; do
	hooks run "$e" --skip-trust >/dev/null 2>&1
	hooks schema input "$e" >"$e.schema"
	is "C2.4: payload of $e" "$(check "$e.schema" "$e.json")" ""
	has "$e: base fields are required" "$(cat "$e.schema")" '"schema_version"'
	echo '{}' >empty.json
	has "$e: an empty payload is refused" "$(check "$e.schema" empty.json)" 'no session_id'
done
has "the words of a subject" "$(tr -d ' \n' <SessionStart.schema)" \
	'"enum":["startup","resume","clear"'
has "fields that may be missing are described" "$(cat BeforeTool.schema)" '"mcp_context"'

# What a hook may print.
hooks schema output BeforeTool >out.schema
echo '{"decision":"deny","reason":"r","hookSpecificOutput":{"tool_input":{}},"mine":1}' >out.json
is "output: accepted" "$(check out.schema out.json)" ""
echo '{"decision":"maybe","continue":"no","hookSpecificOutput":{"tool_input":"x"}}' >out.json
is "output: refused" "$(check out.schema out.json)" '$.decision: not one of allow,approve,ask,deny,block
$.continue: not boolean
$.hookSpecificOutput.tool_input: not object'
hasnt "C2.1: no decision on SessionStart" "$(hooks schema output SessionStart)" '"decision"'
hasnt "C2.2: no message on BeforeToolSelection" \
	"$(hooks schema output BeforeToolSelection)" '"systemMessage"'

# Words that are wrong.
run hooks schema inptu
is "a wrong kind: exit status" "$status" 1
has "a wrong kind" "$err" 'did you mean "input"'
run hooks schema input BeforeTol
is "a wrong event: exit status" "$status" 1
has "a wrong event" "$err" 'did you mean "BeforeTool"'
run hooks schema output Nonsense
has "a strange event: all are named" "$err" "PreCompress"
run hooks schema input
is "no event: exit status" "$status" 1
has "no event" "$err" "needs an event"
run hooks schema settings BeforeTool
is "settings of an event: exit status" "$status" 1

# The help of a command without options of its own shows --json; that of run knows all events.
run "$TROTLINE" hooks schema --help
is "help without options" "$(printf '%s\n' "$out" | sed -n '/^Options/,$p' | wc -l)" 2
run "$TROTLINE" hooks why Foo
events=$(printf '%s\n' "${err#*the events are }" | tr -d ',')
run "$TROTLINE" hooks run --help
missing=
for event in $events; do
	case $out in *" $event"[,.]* | *"
$event"[,.]*) ;; *) missing="$missing $event" ;; esac
done
is "help names every event" "$missing" ""

done_testing
