#!/usr/bin/env python3
"""trotline guard (C9): packs switched on stop what cannot be undone in every agent, in its words; policy
files that cannot be read deny; exceptions; and off leaves nothing behind.  Prints TAP."""

import glob
import json
import os
import subprocess
import tomllib

from agentbox import TROTLINE, Box, Tap, call, check, say

tap = Tap()
PACKS = os.path.join(os.path.dirname(__file__), '../../packs')
SETTINGS = 'home/.trotline/settings.json'


def run(box, *args, payload=None, cwd=None):
    return subprocess.run([TROTLINE, *args], input=payload and json.dumps(payload), text=True, env=box.env,
                          cwd=cwd or box.project, capture_output=True, check=False)


def guard(box, *args, status=0):
    r = run(box, 'guard', *args)
    check(r.returncode == status, 'guard %s ends with %d' % (' '.join(args), r.returncode), r.stdout, r.stderr)
    return r.stdout


def claude(box, command, tool='Bash', **args):
    return {'session_id': 's', 'transcript_path': '/t.jsonl', 'cwd': box.project,
            'hook_event_name': 'PreToolUse', 'tool_name': tool, 'tool_input': args or {'command': command}}


def codex(box, command):
    return dict(claude(box, command), turn_id='t', model='gpt-5.5', tool_use_id='call_1')


def gemini(box, command):
    return dict(claude(box, command), hook_event_name='BeforeTool', tool_name='run_shell_command')


def cursor(box, command):
    return {'conversation_id': 's', 'generation_id': 'g', 'hook_event_name': 'preToolUse',
            'workspace_roots': [box.project], 'tool_name': 'Shell', 'cwd': '',
            'tool_input': {'command': command, 'working_directory': ''}}


def claude_reason(said):
    return said['hookSpecificOutput']['permissionDecision'], said['hookSpecificOutput']['permissionDecisionReason']


AGENTS = {'claude': (claude, claude_reason), 'codex': (codex, claude_reason),
          'gemini': (gemini, lambda said: (said['decision'], said['reason'])),
          'cursor': (cursor, lambda said: (said['permission'], said['agent_message']))}


def ask(box, agent, command, cwd=None):
    """What the agent is told: ('deny', reason), or None."""
    payload, reason = AGENTS[agent]
    r = run(box, 'hook', agent, payload=payload(box, command), cwd=cwd)
    said = json.loads(r.stdout) if r.stdout.strip() else {}
    try:
        return reason(said)
    except KeyError:
        check(r.returncode == 0, 'an answer that says nothing', r)
        return None


def check_denied(box, command, words, agent='claude'):
    said = ask(box, agent, command)
    check(said and said[0] == 'deny' and words in said[1], '%s: not denied because of %s' % (command, words), said)


def check_free(box, command, agent='claude'):
    said = ask(box, agent, command)
    check(not said or said[0] == 'allow', '%s: %s' % (command, said))


@tap.case('C9.1 guard on: an agent is told no, why, where and what to do instead')
def on():
    for agent in AGENTS:
        with Box() as box:
            check_free(box, 'rm -rf ~', agent)
            guard(box, 'on')
            verdict, reason = ask(box, agent, 'rm -rf ~')
            check(verdict == 'deny', agent, verdict)
            for words in ('`rm -rf ', 'destructive/home', 'packs/destructive.toml:', 'Instead:'):
                check(words in reason, '%s: no %s in the reason' % (agent, words), reason)
            check_free(box, 'ls -la', agent)


@tap.case('C9.1 each rule of a pack that denies or asks says what to do instead')
def advice():
    for path in glob.glob(os.path.join(PACKS, '*.toml')):
        with open(path, 'rb') as f:
            rules = tomllib.load(f)['rule']
        check(rules, path)
        for rule in rules:
            said = rule['decision'] in ('allow', 'redact') or rule.get('reason') and rule.get('instead', '').endswith('.')
            check(said, path, rule['name'])


@tap.case('C9.1 guard on and off keep every other byte of the settings')
def bytes_stay():
    with Box() as box:
        for before in (None, '{\n  // mine\n  "hooks": {},\n\n\t"model": {"name": "x"}\n}\n', '{ "guard": {} }'):
            path = os.path.join(box.root, SETTINGS)
            if before is None:
                check(not os.path.exists(path), 'the box has settings')
            else:
                box.write(SETTINGS, before)
            guard(box, 'on')
            with open(path, encoding='utf-8') as f:
                text = f.read()
            check(before is None or '// mine' in text or 'guard' in before, 'a comment was lost', text)
            check('Nothing to do' in guard(box, 'on'), 'on twice')
            guard(box, 'off')
            if before is None:
                check(not os.path.exists(path), 'a file stays behind')
                check(not os.path.exists(os.path.join(box.home, '.trotline/installed.json')), 'a receipt stays')
            else:
                with open(path, encoding='utf-8') as f:
                    check(f.read() == before, 'not as before', before)
            check_free(box, 'rm -rf ~')


@tap.case('C8.1 the example of trotline hook --help does what it says')
def hook_help():
    with Box() as box:
        guard(box, 'on')
        text = run(box, 'hook', '--help').stdout
        line = text[text.index('  echo'):text.index('\n\n', text.index('  echo'))]
        r = run(box, 'hook', 'claude', payload=json.loads(line[line.index('{'):line.rindex("'")]))
        check('| trotline hook claude' in line and 'destructive/home' in r.stdout, line, r.stdout, r.stderr)


@tap.case('C9.1 where no agent is, guard on and install say how to name one')
def no_agent():
    with Box() as box:
        for line in (('guard', 'on', '--into', 'all'), ('hooks', 'install', '--all')):
            r = run(box, *line)
            check('No agent was found on this machine; name one all the same with --into' in r.stdout, line, r.stdout)
        r = run(box, 'hooks', 'status')
        check('No agent was found on this machine; --all shows' in r.stdout, r.stdout)


@tap.case('C9.1 one pack more, one less; names that are none')
def single():
    with Box() as box:
        guard(box, 'on', 'git')
        check_free(box, 'rm -rf ~')
        guard(box, 'on', 'destructive')
        check_denied(box, 'rm -rf ~', 'destructive/home')
        guard(box, 'off', 'destructive')
        check_free(box, 'rm -rf ~')
        r = run(box, 'guard', 'on', 'destructiv')
        check(r.returncode == 1 and 'did you mean "destructive"' in r.stderr, 'a slip', r.stderr)
        r = run(box, 'guard', 'off', 'gti')
        check(r.returncode == 1 and 'did you mean "git"' in r.stderr, 'a slip, off', r.stderr)
        packs = json.loads(guard(box, 'list', '--json'))['packs']
        check([p['name'] for p in packs if p['on']] == ['git'], 'list', packs)


@tap.case('C9.2 a pack that settings name and that does not exist is no pack less')
def unknown_pack():
    with Box() as box:
        box.write(SETTINGS, json.dumps({'guard': {'packs': ['destroctive']}}))
        check_denied(box, 'ls', 'no such pack')
        box.write(SETTINGS, json.dumps({'guard': {'packs': 'destructive'}}))
        check_denied(box, 'ls', 'an array')


@tap.case('C9.2 what cannot be read of a policy file denies what it could have denied')
def broken():
    with Box() as box:
        rules = 'home/.trotline/policies/mine.toml'
        box.write(rules, '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\nefect = "delete"\n')
        check_denied(box, 'ls', 'mine.toml')
        said = run(box, 'hook', 'claude', payload=claude(box, '', tool='Read', file_path='a')).stdout
        check(not said.strip(), 'a rule for the shell denies reading', said)
        box.write(rules, 'this is no TOML')
        check_denied(box, 'ls', 'mine.toml')  # which rules it had cannot be told
        os.unlink(os.path.join(box.root, rules))
        os.mkdir(os.path.join(box.root, rules))
        check_denied(box, 'ls', 'cannot be read')


@tap.case('C9.3 rules on members, with groups, context and rewrites')
def rules():
    with Box() as box:
        box.write('home/.trotline/policies/mine.toml', '''
[[rule]]
name = "prod"
decision = "deny"
reason = "Production is not for agents"
instead = "use staging."
[[rule.when]]
any = [
  { pointer = "/tool_input/command", regex = "--env[= ]prod" },
  { all = [ { pointer = "/tool_name", equals = "web_fetch" }, { pointer = "/tool_input/url", glob = "*prod*" } ] },
]
[[rule.when]]
not = { pointer = "/tool_input/command", in = ["deploy --env prod --dry-run"] }

[[rule]]
toolName = "run_shell_command"
decision = "rewrite"
context = "The linter runs with --fix here."
rewrite = { command = "make lint FIX=1" }
[[rule.when]]
pointer = "/tool_input/command"
equals = "make lint"
''')
        check_denied(box, 'deploy --env prod', 'Production is not for agents')
        check_denied(box, 'deploy --env=prod', 'Instead: use staging.')
        check_free(box, 'deploy --env prod --dry-run')
        check_free(box, 'deploy --env staging')
        said = json.loads(run(box, 'hook', 'claude', payload=claude(box, 'make lint')).stdout)['hookSpecificOutput']
        check(said['updatedInput']['command'] == 'make lint FIX=1' and 'FIX' not in said['additionalContext'] and
              '--fix' in said['additionalContext'], 'not rewritten', said)


@tap.case('C9.2 a typo in settings does not leave the guard off')
def slips():
    names = ['Guard', 'guards', 'guard ', ' guard', '_guard', 'guar', 'gaurd', 'gu@rd', 'GUARDS', 'policy']
    packs = '{"packs": ["destructive"]}'
    texts = ['{%s: %s}' % (json.dumps(n), packs) for n in names]
    texts += ['{"guard": {"pack": ["destructive"]}}', '{"guard": {"Packs": ["destructive"]}}', packs,
              '{"gaurd": ["destructive"]}', '{"guard": %s, "guard": {}}' % packs]
    with Box() as box:
        for text in texts:
            box.write('home/.trotline/settings.json', text)
            check_denied(box, 'ls', 'cannot be read')
        box.write('home/.trotline/settings.json', '{"guard": {"packs": [], "exceptions": []}, "general": {}}')
        check_free(box, 'ls')


@tap.case('C9.4 a project forbids and asks; it allows, adds and rewrites nothing')
def project():
    with Box() as box:
        guard(box, 'on')
        box.write('project/.trotline/policies/own.toml', '''
[[rule]]
toolName = "run_shell_command"
decision = "allow"
priority = 999
[[rule]]
decision = "deny"
reason = "No pushing"
[[rule.when]]
pointer = "/tool_input/command"
glob = "git push*"
[[rule]]
decision = "rewrite"
rewrite = { command = "true" }
''')
        check_denied(box, 'rm -rf ~', 'destructive/home')
        r = run(box, 'hook', 'claude', payload=claude(box, 'ls'))
        check('updatedInput' not in r.stdout, 'rewritten', r.stdout)


@tap.case('C9.2 a rule denies whatever its first line, or the encoding of its file, is')
def garbled():
    rule = '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\n'
    with Box() as box:
        box.write(SETTINGS, '{}')
        for text in (b'\xef\xbb\xbf' + rule.encode(), b'\0' + rule.encode(), rule.encode('utf-16'),
                     rule.encode('utf-16-be'), b'x' + rule.encode(), b'\xff\xfe' + rule.encode(),
                     rule.replace('[[rule]]', '[rule').encode(), rule.replace('[[rule]]', '[[rul]').encode(),
                     b'broken\n' + rule.replace('[[rule]]', '[[ rule ]]').encode(),
                     b'broken\n' + rule.replace('[[rule]]', '[["rule"]]').encode()):
            path = box.write('home/.trotline/policies/mine.toml', '')
            with open(path, 'wb') as f:
                f.write(text)
            check_denied(box, 'ls', '')
        box.write('home/.trotline/policies/mine.toml', 'broken\n' + rule.replace('deny', 'allow'))
        check_free(box, 'ls')


@tap.case('C9.1 "guard" that says a thing twice denies all calls')
def twice():
    with Box() as box:
        box.write(SETTINGS, '{"guard": {"packs": ["destructive"], "packs": []}}')
        check_denied(box, 'ls', 'more than once')


@tap.case('C9.5 exceptions of the user count, and none for agents\' settings')
def exceptions():
    with Box() as box:
        packs = ['destructive', 'agents']
        box.write(SETTINGS, json.dumps({'guard': {'packs': packs, 'exceptions': [
            {'pack': 'destructive', 'rule': 'home', 'project': '/elsewhere'}, {'pack': 'agents'}]}}))
        check_denied(box, 'rm -rf ~', 'destructive/home')
        box.write(SETTINGS, json.dumps({'guard': {'packs': packs, 'exceptions': [
            {'pack': 'destructive', 'rule': 'home', 'project': box.project}]}}))
        check_free(box, 'rm -rf ~')
        listed = json.loads(guard(box, 'list', '--json'))['exceptions']
        check(listed == [{'pack': 'destructive', 'rule': 'home', 'project': box.project}], 'not listed', listed)
        listed = guard(box, 'list')
        check('exception: destructive/home  project %s\n' % box.project in listed, 'no project', listed)


@tap.case('C9.5 an exception that is wrong in anything is none, and says so')
def wrong_exceptions():
    with Box() as box:
        for text in ('"rule": ["containers"]', '"rule": ""', '"rule": null', '"rules": "containers"', '"project": 5',
                     '"project": ["/elsewhere"]', '"path": {}', '"path": "*\\u0000/srv"', '"command": true',
                     '"rule": "containers", "rule": "home"', '"Path": "/srv"'):
            for x in ('{"pack": "destructive", %s}' % text, '[{"pack": "destructive"}]', '"destructive"'):
                box.write(SETTINGS, '{"guard": {"packs": ["destructive"], "exceptions": [%s]}}' % x)
                check_denied(box, 'rm -rf ~', 'destructive/home')
            said = json.loads(run(box, 'hooks', 'lint', '--json').stdout or '{}')
            check('bad-exception' in json.dumps(said), 'not said', said)


@tap.case('C9.5 exceptions of a project count once they are approved, as they are')
def projects_exceptions():
    with Box() as box:
        del box.env['GEMINI_CLI_TRUST_WORKSPACE']
        box.write(SETTINGS, json.dumps({'guard': {'packs': ['destructive']},
                                        'security': {'folderTrust': {'enabled': True}}}))
        own = {'guard': {'exceptions': [{'pack': 'destructive', 'rule': 'home'}]}}
        box.write('project/.trotline/settings.json', json.dumps(own))
        check_denied(box, 'rm -rf ~', 'destructive/home')
        shown = run(box, 'hooks', 'trust', '--yes')
        check(shown.returncode == 0 and '"rule":"home"' in shown.stdout, 'not shown', shown.stdout, shown.stderr)
        check_free(box, 'rm -rf ~')
        own['guard']['exceptions'][0].pop('rule')
        box.write('project/.trotline/settings.json', json.dumps(own))
        check_denied(box, 'rm -rf ~', 'destructive/home')


@tap.case('C9.6 shown like a hook: list, why, run, report')
def shown():
    with Box() as box:
        guard(box, 'on', 'destructive')
        listed = run(box, 'hooks', 'list').stdout
        check('destructive' in listed and 'policy' in listed, 'list', listed)
        check('destructive' in run(box, 'hooks', 'why', 'BeforeTool', '--tool', 'run_shell_command').stdout, 'why')
        r = run(box, 'hooks', 'run', 'BeforeTool', '--tool', 'run_shell_command', '--input',
                '{"command": "rm -rf ~"}')
        check(r.returncode == 2 and 'destructive/home' in r.stdout, 'run', r.stdout)
        check_denied(box, 'rm -rf ~', 'destructive/home')
        check('destructive' in run(box, 'hooks', 'report').stdout, 'report')
        why = run(box, 'guard', 'why', 'rm -rf ~')
        check(why.returncode == 2 and 'delete' in why.stdout and 'home-whole' in why.stdout, 'guard why', why.stdout)


@tap.case('C9.1 in the agent itself a call is judged once: one denial, which the model reads')
def agent():
    with Box() as box:
        guard(box, 'on', 'destructive')
        box.write('home/.gemini/policies/own.toml', '[[rule]]\ntoolName = "run_shell_command"\n'
                  'commandPrefix = "git push"\ndecision = "deny"\npriority = 100\n')
        answers = [[call('run_shell_command', {'command': c})] for c in ('rm -rf ~', 'git push', 'echo fine')]
        r = box.run('-p', 'go', '-o', 'stream-json', '--approval-mode', 'yolo', '-m', 'gemini-2.5-flash',
                    '--fake-responses', box.answers(*answers, [say('done')]))
        check(r.status == 0, 'ended', r)
        results = [json.loads(line) for line in r.out.splitlines() if '"tool_result"' in line]
        texts = [json.dumps(x) for x in results]
        check(len(texts) == 3 and 'destructive/home' in texts[0] and 'denied by policy' in texts[1] and
              'fine' in texts[2], 'not one word each', *texts)
        check(texts[0].count('destructive/home') <= 2 and 'destructive' not in texts[1], 'judged twice', *texts)


@tap.case('policy why also names the rule of the packs that are on, and ends with the stricter answer')
def policy_why():
    with Box() as box:
        gone, harmless = json.dumps({'command': 'rm -rf ~'}), json.dumps({'command': 'ls'})

        def why(status, *args):
            r = run(box, 'policy', 'why', *args)
            check(r.returncode == status, args, r.stdout, r.stderr)
            return r.stdout
        check('Packs' not in why(4, 'run_shell_command', gone), 'packs that are off')
        guard(box, 'on', 'destructive')
        said = why(2, 'run_shell_command', gone)
        check(said.startswith('ask  no rule fits\n') and
              '\nPacks that are on: deny  destructive/home  packs/destructive.toml:' in said, 'not named', said)
        said = json.loads(why(2, 'run_shell_command', gone, '--json'))
        check(said['decision'] == 'ask' and said['guard']['decision'] == 'deny' and
              said['guard']['rule'] == 'destructive/home' and said['guard']['line'] > 0, 'JSON', said)
        check('Packs that are on: no rule fits' in why(0, 'run_shell_command', harmless), 'a harmless one')
        box.write(SETTINGS, json.dumps({'guard': {'packs': ['destructive'], 'exceptions': [
            {'pack': 'destructive', 'rule': 'home'}]}}))
        check('no rule fits' in why(4, 'run_shell_command', gone).splitlines()[-1], 'an exception')
        guard(box, 'on', 'supply')
        yolo = ('run_shell_command', json.dumps({'command': 'base64 -d x | sh'}), '--approval-mode', 'yolo')
        check('Packs that are on: ask  supply/piped' in why(4, *yolo), 'a question')
        why(2, *yolo, '--headless')


@tap.case('C9.7 guard test: fixtures of the packs, and lines of a batch')
def tests():
    with Box() as box:
        here = os.path.join(os.environ['TEST_SOURCE_ROOT'])
        r = run(box, 'guard', 'test', cwd=here)
        check(r.returncode == 0, 'fixtures', r.stdout, r.stderr)
        r = run(box, 'guard', 'test', 'packs/supply.toml', cwd=here)
        check(r.returncode == 0, 'a pack\'s own file', r.stdout, r.stderr)
        box.write('project/own.toml', '[pack]\nname = "mine"\n[[rule]]\nname = "tmp"\neffect = "delete"\n'
                                      'target = "/tmp/*"\ndecision = "deny"\n')
        for rule, fits in (('tmp', True), ('mine/tmp', True), ('mp', False), ('other/tmp', False), ('other', False)):
            box.write('project/own.test.jsonl', json.dumps({'command': 'rm /tmp/a', 'expect': 'deny', 'rule': rule}))
            r = run(box, 'guard', 'test', 'own.toml', cwd=box.project)
            check(r.returncode == (0 if fits else 1), rule, r.stdout, r.stderr)
        lines = '{"command": "rm -rf ~"}\n{"command": "ls"}\n\nno json\n'
        r = subprocess.run([TROTLINE, 'guard', 'test', '--batch', 'destructive'], input=lines, text=True, env=box.env,
                           cwd=box.project, capture_output=True, check=False)
        got = [json.loads(line) for line in r.stdout.splitlines()]
        check([g['verdict'] for g in got] == ['deny', 'allow', 'deny'] and r.returncode == 1, 'batch', got)
        check(got[0]['rule'] == 'destructive/home' and got[0]['effects'][0]['kind'] == 'delete' and
              got[0]['us'] < 1000000, 'effects', got[0])


@tap.case('C9.8 results go on without their secrets, in the form that the agent has; files keep none')
def secrets():
    with Box() as box:
        guard(box, 'on', 'secrets')
        value = 'q7Zp2Lk9Xv4T'
        forms = {'Bash': {'stdout': 'DB_PASSWORD=%s\nA=1', 'stderr': '', 'interrupted': False},
                 'Read': {'type': 'text', 'file': {'filePath': 'a', 'content': 'password = %s\n', 'numLines': 1}},
                 'mcp__db__query': [{'type': 'text', 'text': 'password=%s'}]}
        for tool, form in forms.items():
            payload = dict(claude(box, 'x', tool=tool), hook_event_name='PostToolUse',
                           tool_response=json.loads(json.dumps(form).replace('%s', value)))
            said = json.loads(run(box, 'hook', 'claude', payload=payload).stdout)['hookSpecificOutput']
            check(said['updatedToolOutput'] == json.loads(json.dumps(form).replace('%s', '[redacted: password]')),
                  tool, said)
            payload['tool_response'] = json.loads(json.dumps(form).replace('%s', '$PASSWORD'))
            check(not run(box, 'hook', 'claude', payload=payload).stdout.strip(), tool + ': nothing to redact')
        for name, denied in (('a.js', True), ('.env', False)):
            r = run(box, 'hook', 'claude', payload=claude(box, '', tool='Write', content="password = '%s'" % value,
                                                          file_path=os.path.join(box.project, name)))
            check(('"deny"' in r.stdout) == denied, name, r.stdout)


for case in (on, advice, bytes_stay, hook_help, no_agent, single, unknown_pack, broken, slips, rules, project, exceptions,
             garbled, twice, wrong_exceptions, projects_exceptions, shown, agent, policy_why, tests, secrets):
    case()
tap.done()
