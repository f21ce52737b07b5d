#!/bin/sh
# trotline hooks enable and disable: hooksConfig.disabled, edited in place (C7.2, C7.3).
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/system.json" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
hooks() { "$TROTLINE" hooks "$@"; }
state() { hooks list --all --json | grep -A 25 "\"name\": \"$1\"" | sed -n 's/.*"state": "\(.*\)".*/\1/p' | head -n 1; }

mkdir -p p/.gemini outside .gemini
cat >system.json <<'END'
{ "hooks": { "BeforeTool": [ { "hooks": [
  { "name": "company", "type": "command", "command": "true # company" } ] } ] } }
END
chmod 644 system.json
cat >.gemini/settings.json <<'END'
{ "hooks": { "BeforeTool": [ { "hooks": [
  { "name": "mine", "type": "command", "command": "true # mine" } ] } ] } }
END
cp .gemini/settings.json user.orig
cd p || exit 2
project=$(pwd -P)/.gemini/settings.json
user=$tmp/.gemini/settings.json
cat >.gemini/settings.json <<'END'
{
	// what we run
	"hooks": {
		"BeforeTool": [ { "hooks": [
			{ "name": "lint me", "type": "command", "command": "true # lint" }, /* slow */
			{ "type": "command", "command": "true # plain" },
		] } ],
	},
}
END
cp .gemini/settings.json ../project.orig
hooks trust --yes >/dev/null

run hooks disable "lint me"
is "disable: exit status" "$status" 0
is "disable: message" "$out" \
	"Hook \"lint me\" disabled by adding it to the disabled list in workspace ($project) settings."
run hooks list --all
has "the list says why, once" "$out" "  disabled by hooksConfig.disabled in "
hasnt "and not the state before it" "$out" "disabled: disabled"
is "C7.3: the hook is disabled" "$(state 'lint me')" disabled
is "comments and layout are kept" "$(cat .gemini/settings.json)" '{
	// what we run
	"hooks": {
		"BeforeTool": [ { "hooks": [
			{ "name": "lint me", "type": "command", "command": "true # lint" }, /* slow */
			{ "type": "command", "command": "true # plain" },
		] } ],
	},
	"hooksConfig": {
		"disabled": ["lint me"]
	},
}'
is "no other file is left in the project" "$(ls -A .gemini)" settings.json
run hooks disable "lint me"
is "again: message" "$status: $out" '0: Hook "lint me" is already disabled.'
run hooks disable "lint me" --scope user
is "the user's list is another" "$out" \
	"Hook \"lint me\" disabled by adding it to the disabled list in user ($user) settings."
run hooks enable "lint me"
is "enable takes it out of both" "$status: $out" \
	"0: Hook \"lint me\" enabled by removing it from the disabled list in workspace ($project) and user ($user) settings."
is "C7.3: the hook is on again" "$(state 'lint me')" would-run
run hooks enable "lint me"
is "again: message" "$status: $out" '0: Hook "lint me" is already enabled.'
run hooks enable "never heard of"
is "an unknown name is not enabled" "$status: $out$err" '1: trotline: no hook is called "never heard of"'
run hooks enable "lint mee"
is "enable: a slip" "$status: $err" '1: trotline: no hook is called "lint mee"; did you mean "lint me"?'
run hooks disable "lint mee"
is "disable: a slip" "$status: $err" '1: trotline: no hook is called "lint mee"; did you mean "lint me"?'

run hooks disable "true # plain"
is "C7.3: a hook without a name is disabled by its command" "$(state 'true # plain')" disabled
run hooks enable "true # plain"
is "and enabled" "$(state 'true # plain')" would-run
run hooks disable "true # lint"
has "the command of a hook that has a name stands for the name" "$out" 'Hook "lint me" disabled'
run hooks enable "lint me"

run hooks disable "lint mee"
is "disable of an unknown hook" "$status: $err" \
	'1: trotline: no hook is called "lint mee"; did you mean "lint me"?'
run hooks disable company
is "C7.2: a hook of the system cannot be disabled" "$status: $err" \
	'1: trotline: hook "company" belongs to the system'"'"'s settings and cannot be disabled'
is "C7.2: and goes on" "$(state company)" would-run
cp "$user" ../user.now
sed 's/^{/{ "hooksConfig": { "disabled": ["company"] },/' ../user.now >"$user"
is "C7.2: nor by a list in the user's settings" "$(state company)" would-run
cp ../user.now "$user"

run hooks disable mine --json
is "--json: exit status" "$status" 0
has "--json: says what was changed" "$out" "\"files\": [
    \"$project\"
  ],
  \"changed\": true"
run hooks enable mine --scope user
is "enable in one scope only" "$status" 1
has "says when the other still disables it" "$err" "but it does not run: disabled by hooksConfig.disabled in $project"
run hooks enable mine
is "enable in both" "$status" 0

# Several at once: no name gets lost.
for name in "lint me" "true # plain" mine; do hooks disable "$name" >/dev/null & done
wait
is "disabling at once loses nothing" \
	"$(state 'lint me') $(state 'true # plain') $(state mine)" "disabled disabled disabled"
for name in "lint me" "true # plain" mine; do hooks enable "$name" >/dev/null & done
wait
is "nor does enabling" \
	"$(state 'lint me') $(state 'true # plain') $(state mine)" "would-run would-run would-run"

# Other places that a name may stand in.
mkdir .trotline
echo '{"hooksConfig":{"disabled":["x","lint me","lint me"]}}' >.trotline/settings.json
echo '{"hooks":{"disabled":["lint me"]}}' >"$user"
run hooks enable "lint me"
is "C7.3: every list that counts is cleaned" "$(state 'lint me')" would-run
is "of that name only" "$(cat .trotline/settings.json)" '{"hooksConfig":{"disabled":["x"]}}'
rm -r .trotline
cp ../user.orig "$user"

# Files that are not as they should be.
echo '{"hooksConfig":{"disabled":"all"}}' >"$user"
run hooks disable "lint me" --scope user
is "what is no list is not replaced" "$status: $(cat "$user")" \
	'1: {"hooksConfig":{"disabled":"all"}}'
cp ../user.orig "$user"
run hooks disable "lint me" --scope system
is "an unknown scope" "$status" 1
cp ../project.orig ../outside/settings.json
ln -sf ../../outside/settings.json .gemini/settings.json
run hooks disable "lint me"
is "a symbolic link out of the project is not followed" "$status" 1
has "and the message says so" "$err" "symbolic link"
is "its target is as it was" "$(cat ../outside/settings.json)" "$(cat ../project.orig)"
rm .gemini/settings.json
rmdir .gemini
ln -s ../outside .gemini
run hooks disable "lint me"
is "nor is a linked folder" "$status: $(cat ../outside/settings.json)" "1: $(cat ../project.orig)"
rm .gemini
run hooks disable mine
is "a missing settings file is made" "$(cat .gemini/settings.json)" '{
  "hooksConfig": {
    "disabled": ["mine"]
  }
}'

# The settings of an untrusted folder do not count.
hooks trust --revoke >/dev/null
rm .gemini/settings.json
mkdir .git
run hooks disable mine
is "disable in an untrusted folder has no effect, which is a failure" "$status" 1
has "and says what would" "$err" "--scope user"
run hooks disable mine --scope user
is "it does" "$status, $(state mine)" "0, disabled"

# Failures for programs: code, place and hook (C7.1, C7.4).
error() { run hooks "$@" --json; error=$(printf '%s' "$out" | node -e '
	const e = JSON.parse(require("fs").readFileSync(0, "utf8")).error;
	console.log(e.status, e.code, (e.file || "").split("/").pop(), e.line, e.column, e.hook);'); }
error disable "lint mee"
is "--json: unknown hook" "$error" "1 unknown-hook  undefined undefined undefined"
error disable company
is "--json: a hook of the system" "$error" "1 system-hook  undefined undefined undefined"
cp ../project.orig .gemini/settings.json
error run BeforeTool
is "--json: an unapproved hook has its place" "$error" "55 unapproved-hook settings.json 5 4 lint me"
printf '{\n  "hooks": {,} }' >.gemini/settings.json
error list
is "--json: broken settings" "$error" "52 syntax settings.json 2 13 undefined"
hasnt "--json: the message is the sentence alone" "$out" '"message": "/'
error run BeforeTol
is "--json: an unknown event" "$error" "1 invalid  undefined undefined undefined"
rm .gemini/settings.json

cd .. || exit 2
run hooks enable mine
is "in the home directory only the user's settings are meant" "$out" \
	"Hook \"mine\" enabled by removing it from the disabled list in user ($user) settings."
done_testing
