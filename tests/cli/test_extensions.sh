#!/bin/sh
# trotline extensions: installing, updating, switching, removing.
# shellcheck disable=SC2016
. "$TEST_SOURCE_ROOT/tests/lib.sh"

unset GEMINI_CLI_HOME GEMINI_CLI_TRUST_WORKSPACE
export GEMINI_CLI_SYSTEM_SETTINGS_PATH="$tmp/none" TROTLINE_SYSTEM_SETTINGS_PATH="$tmp/none"
export GEMINI_CLI_SYSTEM_DEFAULTS_PATH="$tmp/none"
ext() { "$TROTLINE" extensions "$@"; }
# answer TEXT COMMAND...: run with this on stdin.
answer() {
	printf '%b' "$1" >"$tmp/.in"
	shift
	run "$@" <"$tmp/.in"
}
# Everything in ~/.gemini: names, modes, bytes.
picture() { (cd "$HOME/.gemini" && find . -printf '%p %m %l\n' | sort && find . -type f -exec cksum {} + | sort); }
version() { sed -i "s/\"version\": \"[^\"]*\"/\"version\": \"$2\"/" "$1/gemini-extension.json"; }

umask 022
all=$HOME/.gemini/extensions
mkdir -p p/.git .gemini src
printf '{ "theme": "Dark" }\n' >.gemini/settings.json
cp -R "$TEST_SOURCE_ROOT/tests/data/extensions/guards" src/guards
chmod -R u+w src
here=$(pwd -P)
cd p || exit 2
picture >../before

# Consent.
answer 'n\n' ext install ../src/guards
is "n installs nothing" "$status" 1
has "says so" "$err" 'nothing was installed: "guards" was not agreed to'
has "name, version and source" "$out" "Extension \"guards\" 1.0.0, from $here/src/guards"
has "the hook, with its command as it will run, and its script" "$out" "  BeforeTool no-writing
      matcher write_file
      \"$all/guards\"/hooks/guard.sh
      script hooks/guard.sh"
has "the servers" "$out" "  notes
      python3 $all/guards/server.py
      with A=b
      script server.py
  web
      https://example.com/mcp"
has "tools that are taken away" "$out" "run_shell_command(rm -rf)"
has "context files" "$out" "added to the model's instructions:
  GEMINI.md"
has "skills and commands" "$out" "  review
Commands:
  /git:last"
has "settings" "$out" "API Key (GUARDS_KEY, secret)"
answer '' ext install ../src/guards
is "no answer installs nothing" "$status" 1
is "and nothing is left" "$(picture | diff - ../before)" ""

# The acceptance test of the original.
answer 'y\n' ext install ../src/guards
is "y installs" "$status" 0
has "install prints the name" "$out" '"guards" 1.0.0 is installed and enabled'
has "settings that nobody answered are named" "$out" "2 of its settings have no value"
run ext list
has "list shows it" "$out" "guards 1.0.0 [enabled]"
has "list: what it brings" "$out" "1 hook, 2 MCP servers, 1 context file, 1 skill, 1 command, 1 excluded tool"
version ../src/guards 1.0.1
run ext update guards </dev/null
is "update" "$status" 0
has "update prints the new version" "$out" "1.0.0 -> 1.0.1"

is "where it is from" "$(cat "$all/guards/.gemini-extension-install.json")" "{
  \"source\": \"$here/src/guards\",
  \"type\": \"local\",
  \"guards\": false
}"
is "directories are the user's alone" "$(stat -c %a "$all/guards" "$all/guards/hooks" | tr '\n' ' ')" "700 700 "
is "scripts stay executable" "$(stat -c %a "$all/guards/hooks/guard.sh" "$all/guards/GEMINI.md" | tr '\n' ' ')" "700 600 "
has "list -o json" "$(ext list -o json)" '"isActive": true'
has "list --json counts" "$(ext list --json)" '"hooks": 1'
run ext install ../src/guards --consent
is "what is installed is not installed again" "$status" 1
has "the message says how to update" "$err" "update guards"
run ext update nope
is "update of what is not there" "$status" 1
has "it names what is there" "$err" "installed are: guards"

# The hook counts.
run "$TROTLINE" hooks run BeforeTool --tool write_file --no-record </dev/null
is "its hook denies" "$status" 2
has "with its reason" "$out" "no writing"

# Updates: what runs by itself is asked for.
run ext update guards </dev/null
has "up to date" "$out" '"guards" 1.0.1 is up to date'
printf '# more\n' >>../src/guards/hooks/guard.sh
version ../src/guards 1.1.0
run ext update guards </dev/null
is "a changed script of a hook is asked for" "$status" 1
has "the lines that changed are shown" "$out" "      +# more"
has "and the version stays" "$err" '"guards" stays at 1.0.1'
has "the version stays" "$(ext list)" "guards 1.0.1"
hasnt "no byte of it came" "$(cat "$all/guards/hooks/guard.sh")" "more"
sed -i 's/write_file/.*/' ../src/guards/hooks/hooks.json
sed -i 's/"A": "b"/"A": "c"/' ../src/guards/gemini-extension.json
answer 'y\n' ext update guards
is "a changed hook: y" "$status" 0
has "it shows what goes" "$out" "  - BeforeTool no-writing
      matcher write_file"
has "and what comes" "$out" "  + BeforeTool no-writing
      matcher .*"
has "the server that changed" "$out" "with A=c"
hasnt "the server that did not is not shown" "$out" "https://example.com/mcp"
has "the new version" "$out" "1.0.1 -> 1.1.0"
rm ../src/guards/hooks/hooks.json
version ../src/guards 1.2.0
run ext update guards --consent </dev/null
has "a hook that goes is shown; --consent agrees" "$out" "  - BeforeTool no-writing"
is "it is gone" "$(ls "$all/guards/hooks")" "guard.sh"

mkdir ../src/guards/policies
printf '[[rule]]\ntoolName = "write_file"\ndecision = "deny"\npriority = 1\n' >../src/guards/policies/p.toml
run ext update guards </dev/null
is "a policy file that comes is asked for" "$status" 1
has "it is shown" "$out" "+ policies/p.toml"
run ext update guards --consent
sed -i 's/deny/ask_user/' ../src/guards/policies/p.toml
run ext update guards </dev/null
is "and so is one that changes" "$status" 1
has "with the lines that differ" "$out" '      +decision = "ask_user"'
ext update guards --consent >/dev/null

# A server's program has the user's rights, as a hook has.
mkdir -p ../src/served
printf '{"name": "served", "version": "1.0.0", "mcpServers": {"s": {"command": "python3",
	"args": ["${extensionPath}${/}server.py"]}}}\n' >../src/served/gemini-extension.json
printf 'print(1)\n' >../src/served/server.py
ext install ../src/served --consent >/dev/null
printf 'print(2)\n' >../src/served/server.py
version ../src/served 1.0.1
run ext update served </dev/null
is "a changed program of a server is asked for" "$status" 1
has "and shown" "$out" "      +print(2)"
ext update served --consent >/dev/null

# What scripts import is not found out: every file that may run is shown and asked for.
mkdir -p ../src/served/lib ../src/served/skills/s
printf 'def f():\n    return 1\n' >../src/served/lib/helper.py
printf 'old\n' >../src/served/gone.js
printf 'x\n' >../src/served/README.md
printf -- '---\nname: s\ndescription: d\n---\nx\n' >../src/served/skills/s/SKILL.md
run ext update served </dev/null
is "files that come are asked for" "$status" 1
has "and named" "$out" "  + gone.js  (1 line)
  + lib/helper.py  (2 lines)"
hasnt "but not what people read" "$out" "README"
hasnt "nor what the model reads" "$out" "SKILL.md"
ext update served --consent >/dev/null
printf 'def f():\n    return 2\n\nf()\n' >../src/served/lib/helper.py
printf 'import lib.helper\n' >../src/served/server.py
rm ../src/served/gone.js
ln -s lib/helper.py ../src/served/linked.py
printf 'a\0b' >../src/served/lib/blob.so
run ext update served </dev/null
is "files that differ or go are asked for" "$status" 1
has "with the numbers of their lines" "$out" "Files that hooks, servers or scripts may run or read:
  - gone.js  (1 line)
  + lib/blob.so  (no text, or a long one)
    lib/helper.py  (lines: +3 -1)
  + linked.py  (a link to lib/helper.py)"
has "the program of a server stands with the server" "$out" "      +import lib.helper"
hasnt "and not twice" "$out" "  server.py  ("
has "the version stays" "$err" '"served" stays at'
run ext update served --consent
is "--consent agrees" "$status" 0
printf 'more\n' >>../src/served/README.md
printf 'more\n' >>../src/served/skills/s/SKILL.md
version ../src/served 1.0.2
run ext update served </dev/null
is "what people and the model read is not asked for" "$status" 0
chmod +x ../src/served/README.md
run ext update served </dev/null
is "unless it becomes a program" "$status" 1
has "which is said" "$out" "    README.md  (its mode)"
run ext update served --consent
run ext update served </dev/null
has "then it is up to date" "$out" "is up to date"
ext uninstall served >/dev/null
rm -r ../src/served

# Settings.
answer 'sec"ret\n\n' ext config guards
is "config: exit status" "$status" 0
is "config: only what was answered is written" "$(cat "$all/guards/.env")" 'GUARDS_KEY="sec\"ret"'
is "config: nobody else reads it" "$(stat -c %a "$all/guards/.env")" 600
answer 'https://x\n' ext config guards Address
is "config of one setting, by its name" "$(tail -n 1 "$all/guards/.env")" 'GUARDS_URL=https://x'
answer 'https://y\n' ext config guards GUARDS_URL
is "config of one setting, by its variable" "$(cat "$all/guards/.env")" 'GUARDS_KEY="sec\"ret"
GUARDS_URL=https://y'
run ext config guards nope </dev/null
is "config of a setting that is not there" "$status" 1
hasnt "list shows no values" "$(ext list --json)" 'sec'
version ../src/guards 1.3.0
run ext update guards </dev/null
is "an update keeps the values" "$status $(grep -c . "$all/guards/.env")" "0 2"

# Values for one project: its .env, where it is trusted.
mkdir -p ../src/scoped/hooks
printf '{"name": "scoped", "version": "1.0.0", "settings": [
	{"name": "Address", "envVar": "SCOPED_URL"}, {"name": "Key", "envVar": "SCOPED_KEY", "sensitive": true}]}' \
	>../src/scoped/gemini-extension.json
printf '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "printf %%s \\"$SCOPED_URL-$NOT_OURS\\" >'"$here"'/said"}]}]}}' \
	>../src/scoped/hooks/hooks.json
ext install ../src/scoped --consent --skip-settings >/dev/null
said() {
	rm -f ../said
	"$TROTLINE" hooks run SessionStart --no-record >/dev/null 2>&1 </dev/null
	cat ../said
}
answer 'https://user\n\n' ext config scoped
run env GEMINI_CLI_TRUST_WORKSPACE=false "$TROTLINE" extensions config scoped Address --scope workspace </dev/null
is "config --scope workspace: an untrusted folder" "$status" 1
has "config --scope workspace: how it is trusted" "$err" "trotline hooks trust"
printf 'NOT_OURS=x\n# mine\n' >.env
export GEMINI_CLI_TRUST_WORKSPACE=true
answer 'https://here\nsecret\n' ext config scoped --scope workspace
is "config --scope workspace: exit status" "$status" 0
is "config --scope workspace: the project's .env" "$(cat .env)" "NOT_OURS=x
# mine
SCOPED_URL=https://here"
has "config --scope workspace: no secrets" "$out" "--scope user keeps it"
is "the project's value counts, and nothing else of the file" "$(said)" "https://here-"
is "in a trusted folder only" "$(GEMINI_CLI_TRUST_WORKSPACE=false said)" "https://user-"
is "the user's value stays" "$(cat "$all/scoped/.env")" "SCOPED_URL=https://user"
ln -sf "$HOME/.profile" .env
answer 'x\n' ext config scoped Address --scope workspace
is "config --scope workspace: no link is followed" "$status $(test -e "$HOME/.profile" || echo none)" "1 none"
rm .env
unset GEMINI_CLI_TRUST_WORKSPACE
run ext config scoped --scope team </dev/null
is "config: a scope that there is none of" "$status" 1
ext uninstall scoped >/dev/null
rm -r ../src/scoped ../said

# Switching.
run ext disable guards --scope workspace
is "disable: exit status" "$status" 0
has "disable: in this project only" "$(ext list)" "guards 1.3.0 [disabled]
    What the team"
has "disable: the rule" "$(cat "$all/extension-enablement.json")" "\"!$here/p/*\""
has "elsewhere it stays on" "$(cd .. && ext list -C src)" "[enabled]"
run ext enable guards
has "enable: everywhere" "$(ext list)" "[enabled]"
run ext disable guards
has "disable: the user's scope" "$(ext list)" "[disabled]"
hasnt "disable: its hooks are gone" "$("$TROTLINE" hooks list)" "no-writing"
run ext disable guards --scope team
is "a scope that there is none of" "$status" 1
run ext enable nope
is "enable of what is not there" "$status" 1
printf '{ broken' >"$all/extension-enablement.json"
run ext enable guards
is "a broken enablement file is left alone" "$status $(cat "$all/extension-enablement.json")" "1 { broken"
has "with its place" "$err" "extension-enablement.json"
rm "$all/extension-enablement.json"
ext disable guards >/dev/null

for command in uninstall disable enable; do
	run ext $command gaurds
	is "$command: a slip" "$status $err" \
		'1 trotline: no extension is called "gaurds"; did you mean "guards"?'
done
run ext uninstall guards nope
is "uninstall: one of two is not there" "$status" 1
has "uninstall: the other is gone" "$out" '"guards" is uninstalled'
is "install and uninstall leave ~/.gemini as it was, byte for byte" "$(picture | diff - ../before)" ""
run ext uninstall
is "uninstall needs a name" "$status" 1
run ext update
is "update needs a name or --all" "$status" 1

# Links.
run ext link ../src/guards --consent
is "link: exit status" "$status" 0
is "link: only a note stands there" "$(ls -A "$all/guards")" ".gemini-extension-install.json"
version ../src/guards 2.0.0
has "link: what changes counts at once" "$(ext list)" "guards 2.0.0 [enabled]"
has "link: nothing to update" "$(ext update --all)" "is linked"
run ext uninstall ../src/guards
is "uninstall by the source" "$status" 0
is "uninstall of a link keeps the source" "$(test -e ../src/guards/GEMINI.md && picture | diff - ../before)" ""

# Hostile ones.  bad NAME PART: installing ../src/bad fails with PART and leaves nothing.
bad() {
	run ext install ../src/bad --consent </dev/null
	is "$1: refused" "$status" 1
	has "$1: why" "$err" "$2"
	is "$1: nothing is left" "$(picture | diff - ../before)" ""
	rm -rf ../src/bad
}
fresh() {
	mkdir -p ../src/bad/hooks
	printf '{"name": "%s", "version": "1"%s}' "${1-bad}" "${2-}" >../src/bad/gemini-extension.json
}
for name in ../evil a/b .hidden none ''; do
	fresh "$name"
	bad "the name '$name'" "invalid extension name"
done
fresh bad ', "mcpServers": []'
bad "a manifest of the wrong shape" '"mcpServers" must be an object'
mkdir -p ../src/bad && printf '{"name": "bad"}' >../src/bad/gemini-extension.json
bad "no version" 'no "version"'
mkdir -p ../src/bad
bad "no manifest" "no such file"
mkdir -p ../src/bad && printf '{' >../src/bad/gemini-extension.json
bad "a manifest that is no JSON" "src/bad/gemini-extension.json:1:2"
# left_out NAME LINK...: everything but these links is installed, and they are named.
left_out() {
	what=$1
	shift
	run ext install ../src/bad --consent </dev/null
	is "$what: installed" "$status" 0
	for link; do
		has "$what: $link is named" "$err" "$link is left out: it is a symbolic link that leads out"
		if [ -L "$all/bad/$link" ]; then fail "$what: $link is not there"; else pass "$what: $link is not there"; fi
	done
	kept=$(cd "$all/bad" 2>/dev/null && find . -type l | sort | tr '\n' ' ')
	ext uninstall bad >/dev/null
	is "$what: nothing else is left" "$(picture | diff - ../before)" ""
	rm -rf ../src/bad
}
fresh && ln -s /etc/passwd ../src/bad/x
left_out "an absolute link" x
fresh && ln -s ../../../p ../src/bad/hooks/x
left_out "a link that leads out" hooks/x
fresh && ln -s inner/.. ../src/bad/x && ln -s ../guards ../src/bad/inner
left_out "a link through a link" inner x
for to in ../bad2/none inner/../../bad2/none ./..//./bad2; do
	fresh && mkdir -p ../src/bad/sub && ln -s sub ../src/bad/inner && ln -s "$to" ../src/bad/x
	left_out "a link to $to" x
	is "a link to $to: the other one stays" "$kept" "./inner "
done
fresh && ln -s loop ../src/bad/x && ln -s x ../src/bad/loop
left_out "a circle" loop x
# Links inside, however they are written, lead to what was copied.
fresh && mkdir -p ../src/bad/sub/deep && echo inside >../src/bad/file
ln -s ../../file ../src/bad/sub/deep/plain
ln -s "$here/src/bad/file" ../src/bad/sub/deep/absolute
ln -s ../../bad/file ../src/bad/sub/around
ln -s "$here/src/bad/sub" ../src/bad/dir
run ext install ../src/bad --consent </dev/null
is "links inside: installed" "$status $err" "0 "
rm -rf ../src/bad
for link in sub/deep/plain sub/deep/absolute sub/around; do
	is "links inside: $link" "$(cat "$all/bad/$link")" inside
done
is "links inside: a directory" "$(readlink "$all/bad/dir")" sub
ext uninstall bad >/dev/null
fresh && rm ../src/bad/gemini-extension.json && ln -s ../guards/gemini-extension.json ../src/bad
bad "a manifest elsewhere" "no such file"
fresh && mkfifo ../src/bad/pipe
bad "a pipe" "pipe is neither a file"
fresh && truncate -s 600M ../src/bad/huge
bad "a giant file" "larger than 512 MiB"
deep=../src/bad && i=0
fresh
while [ "$i" -lt 70 ]; do deep=$deep/d i=$((i + 1)); done
mkdir -p $deep
bad "a deep directory" "more than 64 deep"
fresh bad ", \"excludeTools\": [$(seq -s , 1001 | sed 's/[0-9]*/"&"/g')]"
bad "more than can be shown" "more than anybody could look at"
fresh
printf '{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "name": "long", "command": "true %s; evil"}]}]}}' "$(seq -s ' ' 2000)" >../src/bad/hooks/hooks.json
answer 'n\n' ext install ../src/bad
has "what is cut is said to be" "$out" "not all of it is shown"
rm -rf ../src/bad
run ext install "$HOME" --consent
is "a directory that holds the extensions" "$status" 1

fresh
printf '{"source": "%s", "type": "link"}' "$here/src/guards" >../src/bad/.gemini-extension-install.json
printf 'A=b\n' >../src/bad/.env
chmod 4755 ../src/bad/hooks
cp ../src/guards/hooks/guard.sh ../src/bad && chmod 6755 ../src/bad/guard.sh
printf '{"hooks": {"BeforeTool": [{"matcher": "\\u001b[2Jx", "hooks": [{"type": "command", "name": "a\\u202e\\nb", "command": "echo \\u001b]0;t\\u0007"}]}]}}' >../src/bad/hooks/hooks.json
run ext install ../src/bad --consent
is "what only looks like an installation" "$status" 0
has "its own note of an installation does not count" "$(cat "$all/bad/.gemini-extension-install.json")" '"local"'
is "its .env is not taken" "$(find "$all/bad" -name .env)" ""
is "no setuid" "$(find "$all/bad" -perm /6000)" ""
has "what could fool a terminal is made visible" "$out" '\x1b]0;t\x07'
hasnt "no escape gets through" "$out" "$(printf '\033')"
ext uninstall bad >/dev/null
printf '{"hooks": {"BeforeTool": 3}' >../src/bad/hooks/hooks.json
run ext install ../src/bad --consent
has "broken hooks are told of" "$out" "hooks/hooks.json cannot be used"
rm "$all/bad/gemini-extension.json"
has "a broken one is listed" "$(ext list)" "bad ? [broken]"
run ext uninstall bad
is "and can be removed" "$status $(picture | diff - ../before)" "0 "
rm -rf ../src/bad
mkdir -p "$all/bad" && touch "$all/bad/mine"
fresh
run ext install ../src/bad --consent
is "a directory that is in the way is left alone" "$status $(ls "$all/bad")" "1 mine"
rm -rf "$all"

# Addresses that git must not get.
for url in 'ext::sh -c touch% ../pwned' http://example.com/x git://example.com/x 'ssh://-oProxyCommand=x/y' ../nowhere; do
	run ext install "$url" --consent
	is "$url: refused" "$status $(test -e ../pwned || picture | diff - ../before)" "1 "
done
run ext install ../src/guards --ref v1 --consent
has "--ref is for repositories" "$err" "--ref and --auto-update are for repositories"

# Interrupted: git writes something and waits; its number is in ../git.pid.
mkdir ../bin
cat >../bin/git <<'END'
#!/bin/sh
for last; do :; done
mkdir -p "$last" && echo half >"$last/half"
echo $$ >"$HOME/git.pid"
echo started >"$HOME/started"
exec sleep 100
END
chmod +x ../bin/git
mkfifo ../started
for signal in TERM KILL; do
	PATH=$HOME/bin:$PATH "$TROTLINE" extensions install https://example.com/x --consent >../log 2>&1 </dev/null &
	pid=$!
	read -r word <../started
	kill -$signal $pid
	wait $pid
	status=$?
	[ $signal = TERM ] && is "interrupted ($word): exit status" "$status" 143
	[ $signal = KILL ] && kill "$(cat ../git.pid)"
	[ $signal = TERM ] && is "interrupted: nothing is left" "$(picture | diff - ../before)" ""
done
is "killed: something is left" "$(find "$all" -name half | wc -l | tr -d ' ')" 1
has "killed: nobody sees it" "$(ext list)" "No extensions"
answer 'n\n' ext install ../src/guards
is "killed: the next one sweeps it away" "$(find "$all" -name half)" ""
rm -rf "$all" ../bin

# new and validate.
for template in '' hooks mcp-server skills custom-commands exclude-tools; do
	# shellcheck disable=SC2086
	run ext new made $template
	is "new $template" "$status" 0
	run ext validate made
	is "new $template validates" "$status $err" "0 "
	has "new $template: nothing to complain about" "$out" '"made" 1.0.0 is valid.'
	rm -rf made
done
run ext new made hoks
has "new: did you mean" "$err" 'did you mean "hooks"'
mkdir made
run ext new made
is "new: nothing is overwritten" "$status" 1
mkdir -p made/hooks made/commands made/skills/x
cat >made/gemini-extension.json <<'END'
{
  "name": "made", "verion": "1", "hooks": {},
  "contextFileName": ["no.md"],
  "mcpServers": { "a": { "trust": true } },
  "settings": [ { "name": "x", "envVar": "1 2" } ]
}
END
mkdir -p parts/docs
echo x >parts/docs/CTX.md
echo '{"name": "parts", "version": "1.0.0", "contextFileName": "docs${/}CTX.md"}' >parts/gemini-extension.json
run ext validate parts
is "C7.7: validate expands \${/}" "$status" 0
printf '{"hooks": {\n"BeforeTol": [],\n"BeforeTool": [{"hooks": [{"type": "command", "command": "${extensionPath}/no.sh"}]}]}}' >made/hooks/hooks.json
echo 'promt = "x"' >made/commands/a.toml
echo x >made/skills/x/SKILL.md
run ext validate made
is "validate: exit status" "$status" 1
for line in 'gemini-extension.json:2:19: warning: "verion" means nothing; did you mean "version"?' \
	'hooks belong in hooks/hooks.json' 'error: the manifest has no "version"' \
	'gemini-extension.json:3:23: error: the extension has no context file "no.md"' \
	'gemini-extension.json:4:19: error: the server "a" has no command, url, httpUrl or tcp' \
	'"trust" of an extension'"'"'s server does not count' \
	'gemini-extension.json:5:17: error: a setting needs an "envVar"' \
	'hooks.json:2:1: error: unknown event "BeforeTol"' \
	'hooks/hooks.json:3:27: error: the hook starts no.sh' \
	'skills/x/SKILL.md:1:1: error' 'commands/a.toml: error: a command needs a string "prompt"'; do
	has "validate: $line" "$out" "$line"
done
text_found=$(printf '%s\n' "$out" | grep -c ': \(error\|warning\): ')
run ext validate made --json
is "validate --json: exit status" "$status$err" 1
# shellcheck disable=SC2317  # run calls it
json() { printf '%s' "$out" | python3 -c "import json, sys; v = json.load(sys.stdin); print($1)"; }
is "validate --json: verdict" "$(json "v['name'], v['valid'], v['path'] == '$PWD/made'")" 'made False True'
is "validate --json: as many as in words" "$(json "len(v['diagnostics'])")" "$text_found"
is "validate --json: all of them are counted" "$(json "v['errors'] + v['warnings'] == len(v['diagnostics'])")" True
has "validate --json: places" "$(json "[(d['file'], d['line'], d['column'], d['severity']) for d in v['diagnostics'] if 'verion' in d['text']]")" \
	"('gemini-extension.json', 2, 19, 'warning')"
has "validate --json: what lint says of hooks" "$(json "[(d['file'], d.get('line'), d['code']) for d in v['diagnostics']]")" \
	"('hooks/hooks.json', 2, 'unknown-event')"
echo '{' >made/gemini-extension.json
run ext validate made --json
is "validate --json: a broken manifest" "$status $(json "v['valid'], v['errors'], 'gemini-extension.json' in v['diagnostics'][0]['text']")" \
	"1 False 1 True"
rm -r made && mkdir made
printf '{"name": "made", "version": "1.0.0", "themes": [{"name": "n", "type": "custom", "background": {"primary": "#000"}}],
"plan": {"directory": "p"}, "migratedTo": "https://example.com/x"}' >made/gemini-extension.json
run ext validate made --json
is "validate --json: nothing is wrong, themes and all" "$status $(json "v['valid'], v['diagnostics']")" "0 True []"
run ext install ./made --consent
is "themes are nobody's business" "$status$err" 0
run "$TROTLINE" -l
is "nor in a session" "$status$err" 0
ext uninstall made >/dev/null
run ext validate nowhere
is "validate of nothing" "$status" 1

is "the other name of the group" "$("$TROTLINE" extension list)" "No extensions are installed."

# Repositories.
if ! command -v git >/dev/null; then
	skip "repositories" "no git"
	done_testing
fi
export GIT_CONFIG_NOSYSTEM=1
rm -rf ../repo && mkdir ../repo && cd ../repo || exit 2
g() { git -c user.name=a -c user.email=a@b -c init.defaultBranch=main -c commit.gpgsign=false "$@" >/dev/null 2>&1; }
printf '{"name": "cloned", "version": "1.0.0"}' >gemini-extension.json
g init . && g add . && g commit -m one && g tag v1
sha=$(git rev-parse HEAD)
version . 1.1.0
g commit -am two
cd ../p || exit 2
url=file://$here/repo
# What a git that started us says about its own repository does not count.
GIT_DIR=$here/nowhere run ext install "$url" --consent </dev/null
is "clone: exit status" "$status" 0
has "clone: the newest" "$out" '"cloned" 1.1.0 is installed'
is "clone: where it is from" "$(cat "$all/cloned/.gemini-extension-install.json")" "{
  \"source\": \"$url\",
  \"type\": \"git\",
  \"guards\": false
}"
has "clone: up to date" "$(ext update cloned 2>/dev/null)" "is up to date"
(cd ../repo && version . 1.2.0 && g commit -am three)
has "clone: update" "$(ext update cloned 2>/dev/null)" "1.1.0 -> 1.2.0"
(cd ../repo && mkdir hooks && printf '{"hooks": {"SessionStart": [{"hooks": [{"type": "command", "command": "touch x"}]}]}}' >hooks/hooks.json && version . 1.3.0 && g add . && g commit -am four)
run ext update --all </dev/null
is "clone: an update does not sneak a hook in" "$status" 1
has "clone: it is shown" "$out" "  + SessionStart
      touch x"
ext uninstall "$url" >/dev/null
is "clone and uninstall leave nothing" "$(picture | diff - ../before)" ""
run ext install "$url" --ref v1 --auto-update --consent
has "clone: a tag" "$out" '"cloned" 1.0.0'
has "clone: is remembered" "$(cat "$all/cloned/.gemini-extension-install.json")" '"ref": "v1",
  "autoUpdate": true'
has "clone: stays at the tag" "$(ext update cloned 2>/dev/null)" "1.0.0 is up to date"
ext uninstall --all >/dev/null
run ext install "$url" --ref "$sha" --consent
has "clone: a commit" "$out" '"cloned" 1.0.0'
sed -i 's/"git"/"github-release"/' "$all/cloned/.gemini-extension-install.json"
run ext update cloned
has "a release is cloned, and that is said" "$err" "the repository is cloned instead"
ext uninstall --all >/dev/null
for ref in nope --upload-pack=x 'a b'; do
	run ext install "$url" --ref="$ref" --consent
	is "clone: the ref $ref" "$status $(picture | diff - ../before)" "1 "
done
(cd ../repo && ln -s /etc/passwd out && g add . && g commit -am five)
run ext install "$url" --consent
is "clone: a link that leads out" "$status $(ls "$all/cloned/out" 2>/dev/null)" "0 "
has "clone: it is named" "$err" "out is left out"
ext uninstall cloned >/dev/null

# A repository that never ends: its size is looked at while it grows.
mkdir ../bin
cat >../bin/git <<'END'
#!/bin/sh
for to; do :; done
mkdir -p "$to/.git"
truncate -s 3G "$to/.git/pack"
sleep 3000
END
chmod +x ../bin/git
PATH="$here/bin:$PATH" run ext install "$url" --consent
is "clone: too large, while it grows" "$status" 1
has "clone: why" "$err" "is larger than 1024 MiB: it was not cloned to its end"
is "clone: nothing is left of it" "$(picture | diff - ../before)" ""
rm -r ../bin

# Marks are ours: a name that begins with one is quoted.
mkdir ../marks
printf '{"name": "marks", "version": "1.0.0", "mcpServers": {"+ a": {"command": "true"}}}' \
	>../marks/gemini-extension.json
run ext install ../marks --consent
has "a name that looks like a mark" "$out" '  "+ a"'
ext uninstall marks >/dev/null
done_testing
