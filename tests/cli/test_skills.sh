#!/bin/sh
# trotline skills: list, enable, disable, install, link and uninstall.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

# names DIR: what is in it, on one line.
names() { find "$1" -mindepth 1 -maxdepth 1 -printf '%f\n' | sort | tr '\n' ' '; }

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/system.json" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
export GEMINI_CLI_SYSTEM_DEFAULTS_PATH="$tmp/none"
export TMPDIR="$tmp"
umask 022
HOME="$tmp/home"
mkdir -p "$HOME" p/.git p/.gemini && cd p || exit 2
skills() { "$TROTLINE" skills "$@"; }
# skill DIR NAME [BODY]
skill() {
	mkdir -p "$1"
	printf -- '---\nname: %s\ndescription: What %s is for.\n---\n%s\n' "$2" "$2" "${3-}" >"$1/SKILL.md"
}

run skills list
is "none: exit status" "$status $err" "0 "
has "none: says so" "$out" "No skills discovered."

skill "$HOME/.gemini/skills/alpha" alpha
skill .gemini/skills/beta beta
run skills list
is "an untrusted folder has no skills" "$out" "Discovered Agent Skills:

alpha [Enabled]
  Description: What alpha is for.
  Location:    $HOME/.gemini/skills/alpha/SKILL.md
The skills of this folder are not read, because it is not trusted: trotline hooks trust"
run skills list --skip-trust
has "a trusted one has" "$out" "beta [Enabled]"
run skills list --all
has "--all is known" "$out" "alpha [Enabled]"
run "$TROTLINE" skill list --json
has "json, and the other spelling" "$out" '"scope": "user"'
is "json is JSON" "$(printf %s "$out" | python3 -c 'import json,sys; print(json.load(sys.stdin)["skills"][0]["name"])')" alpha
skill "$HOME/.agents/skills/other" alpha
run skills list
is "a conflict is said on stderr" "$err" "[WARNING] Skill conflict detected: \"alpha\" from \
\"$HOME/.agents/skills/other/SKILL.md\" is overriding the same skill from \
\"$HOME/.gemini/skills/alpha/SKILL.md\"."
rm -r "$HOME/.agents"

# Settings are edited in place.
export GEMINI_CLI_TRUST_WORKSPACE=true
printf '{\n\t// mine\n\t"theme": "Dark", // dark\n}\n' >.gemini/settings.json
run skills disable ALPHA
is "disable: exit status" "$status $err" "0 "
is "disable: message" "$out" "Skill \"alpha\" disabled by adding it to the disabled list in \
workspace ($tmp/p/.gemini/settings.json) settings."
is "the rest of the file stays" "$(cat .gemini/settings.json)" '{
	// mine
	"theme": "Dark", // dark
	"skills": {
		"disabled": ["alpha"]
	},
}'
run skills list
has "it is disabled" "$out" "alpha [Disabled]"
run skills disable alpha
is "again" "$status $out" '0 Skill "alpha" is already disabled.'
run skills disable alpha --scope user
has "in the user's settings, too" "$out" "in user ($HOME/.gemini/settings.json) settings."
run skills enable alpah
is "enable: no such skill" "$status" 1
has "enable: what was meant" "$err" 'did you mean "alpha"'
run skills enable alpha
is "enable: both" "$status $out" "0 Skill \"alpha\" enabled by removing it from the disabled list in \
user ($HOME/.gemini/settings.json) and workspace ($tmp/p/.gemini/settings.json) settings."
run skills list
has "it is enabled" "$out" "alpha [Enabled]"
run skills disable alpa
is "a typo" "$status $err" '1 trotline: no skill is called "alpa"; did you mean "alpha"?'
run skills disable beta --scope everywhere
is "another scope" "$status $err" '1 trotline: --scope is project or user, not "everywhere"'
printf '{"skills": {"disabled": ["alpha"]}}' >"$GEMINI_CLI_SYSTEM_SETTINGS_PATH"
run skills enable alpha
is "what the system disables stays so" "$status $err" \
	"1 trotline: but it is still disabled, by settings that this did not change"
printf '{"skills": {"enabled": false}}' >"$GEMINI_CLI_SYSTEM_SETTINGS_PATH"
run skills list
has "skills.enabled" "$out" "Skills are disabled: skills.enabled is false in the settings."
rm "$GEMINI_CLI_SYSTEM_SETTINGS_PATH"
export GEMINI_CLI_TRUST_WORKSPACE=false
run skills disable alpha
is "settings that do not count" "$status $err" "1 trotline: but it is still enabled: the settings of \
an untrusted folder do not count; use --scope user"
export GEMINI_CLI_TRUST_WORKSPACE=true
skills enable alpha >/dev/null

# Installing.
skill ../src/gamma gamma BODY
mkdir -p ../src/gamma/bin ../src/gamma/.git
printf '#!/bin/sh\n' >../src/gamma/bin/run && chmod +x ../src/gamma/bin/run
echo secret >../src/gamma/.git/config
run skills install ../src/gamma </dev/null
is "without consent nothing happens" "$status $(ls "$HOME/.gemini/skills")" "1 alpha"
has "what would be installed is shown" "$out" "gamma: What gamma is for."
has "with its files" "$out" "└───run"
has "why" "$err" "nothing was installed"
echo y >../yes
run skills install ../src/gamma <../yes
is "with consent" "$status" 0
has "says where" "$out" \
	"Successfully installed skill: gamma (scope: user, location: $HOME/.gemini/skills/gamma)"
is "the copy" "$(cd "$HOME/.gemini/skills/gamma" && find . | sort | tr '\n' ' ')" \
	". ./SKILL.md ./bin ./bin/run "
is "nothing is left over" "$(names "$HOME/.gemini/skills")" "alpha gamma "
if [ -x "$HOME/.gemini/skills/gamma/bin/run" ]; then pass "a script stays one"; else fail "a script stays one"; fi
skill ../src/gamma gamma NEW
rm ../src/gamma/bin/run
run skills install ../src --path gamma --consent
has "again" "$out" 'Skill "gamma" already exists at destination. Overwriting...'
is "the old one is gone" "$(cd "$HOME/.gemini/skills" && find . | sort | tr '\n' ' ')" \
	". ./alpha ./alpha/SKILL.md ./gamma ./gamma/SKILL.md ./gamma/bin "
has "the new one is there" "$(cat "$HOME/.gemini/skills/gamma/SKILL.md")" NEW
run skills install "$HOME/.gemini/skills/gamma" --consent
is "onto itself" "$status $err" "1 trotline: gamma is installed from there already"
skill ../pack/skills/one one
skill ../pack/skills/two 'a:b'
run skills install ../pack --scope workspace --consent
is "several, from skills/" "$status $(names .gemini/skills)" "0 a-b beta one "
run skills install ../nowhere --consent
is "no directory" "$status" 1
has "says so" "$err" "nowhere"
ln -s "$tmp/p" ../src/gamma/away
run skills install ../src/gamma --consent
is "a link that leads out is left out" "$status $(ls "$HOME/.gemini/skills/gamma")" "0 SKILL.md
bin"
has "which one" "$err" "away is left out: it is a symbolic link that leads out"
rm ../src/gamma/away
run skills install ../src --path ../pack --consent
is "--path stays inside" "$status $err" "1 trotline: the source has no directory ../pack"

# A repository.
if command -v git >/dev/null; then
	git init -q ../repo && skill ../repo/skills/delta delta
	(cd ../repo && git add . && git -c user.name=x -c user.email=x@example.com commit -q -m x)
	run skills install "file://$tmp/repo" --consent
	is "a repository" "$status $(ls -A "$HOME/.gemini/skills/delta")" "0 SKILL.md"
	run skills install "file://$tmp/repo" --path skills/delta --consent
	has "a directory of it" "$out" "Successfully installed skill: delta"
	run skills install "file://$tmp/no-repo" --consent
	is "no repository" "$status" 1
	is "no clone is left" "$(find "$tmp" -maxdepth 1 -name 'trotline-skill.*')" ""
	skills uninstall delta >/dev/null
fi
run skills install ../p/.git --consent
is "no skill" "$status $err" \
	"1 trotline: no skill in $tmp/p/.git: neither SKILL.md nor */SKILL.md"
skill ../hidden .hidden
run skills install ../hidden --consent
is "a hidden name" "$status $err" "1 trotline: .hidden cannot be the name of a directory"
skill ../up ../../up
run skills install ../up --consent
is "no name leads out" "$status $(ls -d "$HOME/up" "$HOME/.gemini/up" 2>/dev/null)" "1 "
mkdir ../q ../q/.git ../elsewhere && ln -s ../elsewhere ../q/.gemini
run skills install ../src/gamma --scope workspace --consent -C ../q
is "a project's link is not followed" "$status" 1
is "nothing was written there" "$(ls ../elsewhere)" ""

# Linking.
run skills link ../src/gamma --scope workspace --consent
is "a project's link must stay inside" "$status" 1
has "says so" "$err" "is outside of the project"
run skills link ../src/gamma --consent
is "link: exit status" "$status" 0
is "link" "$(readlink "$HOME/.gemini/skills/gamma")" "$tmp/src/gamma"
run skills list
has "it counts" "$out" "gamma [Enabled]"
run skills uninstall GAMMA
has "uninstall" "$out" "Successfully uninstalled skill: GAMMA (scope: user, location: $HOME/.gemini/skills/gamma)"
is "only the link is gone" "$(names "$HOME/.gemini/skills"); $(names ../src/gamma | grep -o SKILL.md)" \
	"alpha ; SKILL.md"
run skills uninstall one --scope workspace
is "uninstall of the project" "$status $(names .gemini/skills)" "0 a-b beta "
run skills uninstall one
is "uninstall of nothing" "$status $out$err" '1 trotline: skill "one" is not installed in the user scope'
run skills uninstall bet --scope workspace
is "uninstall: a slip" "$status $out$err" \
	'1 trotline: skill "bet" is not installed in the workspace scope; did you mean "beta"?'

run skills
has "help" "$out$err" "copy skills from"
done_testing
