#!/usr/bin/env python3
"""trotline hooks install --into AGENT: every agent's own file, edited in place, and as it was before
afterwards."""

import json
import os
import re
import shutil
import subprocess

from agentbox import TROTLINE, Box, Tap, check
from hostfiles import BEFORE, USER

tap = Tap()
point = tap.case


def at(doc, pointer):
    for key in pointer.split('/')[1:]:
        doc = doc[key]
    return doc


def command_of(entry):
    hooks = entry.get('hooks', [entry])
    return hooks[0].get('command') or hooks[0]['action']['command']


def tree(top):
    found = {}
    for where, _, files in os.walk(top):
        for name in files:
            if '/.trotline' not in where:
                with open(os.path.join(where, name), 'rb') as f:
                    found[os.path.join(where, name)] = f.read()
    return found


def run(box, *args):
    r = box.run('hooks', *args)
    check(r.status == 0, args, r)
    return r


for agent, path in USER.items():
    with point('C8.2 no variable for the agent to put in: ' + agent), Box() as box:
        run(box, 'install', '--into', agent)
        found = re.findall(rb'[$][{]?[A-Za-z_]+', tree(box.home)[os.path.join(box.home, path)])
        check(not found, 'Grok makes the call where a variable in the command is not set', found)

    with point('installed, run, taken out: ' + agent), Box() as box:
        before, file = tree(box.home), os.path.join(box.home, path)
        dry = run(box, 'install', '--into', agent, '--dry-run')
        check('trotline-hook' in dry.out and not os.path.exists(file), 'a dry run', dry)
        run(box, 'install', '--into', agent)
        with open(file, encoding='utf-8') as f:
            text = f.read()
        again = run(box, 'install', '--into', agent, '--json')
        check(json.loads(again.out)[0]['status'] == 'unchanged', 'done twice', again)
        with open(file, encoding='utf-8') as f:
            check(f.read() == text, 'changed by the second time')
        doc = json.loads(text)
        command = command_of(at(doc, BEFORE.get(agent, '/hooks/PreToolUse'))[0])
        # The command is what the agent will start: as the agent does it, with a guard that denies.
        box.write('home/.trotline/settings.json', json.dumps({'hooks': {'BeforeTool': [{'hooks': [
            {'type': 'command', 'command': 'echo NO >&2; exit 2'}]}]}}))
        # A payload that nothing reads is a denial as well.
        for payload in ('{}', 'x'):
            p = subprocess.run(['sh', '-c', command], input=payload, env=box.env, text=True,
                               capture_output=True, cwd=box.project, check=False)
            check(p.returncode == 2 and p.stderr, 'the command does not deny', p)
        # Gone, killed, not executable: the command itself denies.
        program = command.split("'")[1]
        copy = os.path.join(box.root, "it's here")
        os.makedirs(copy)
        other = os.path.join(copy, 'trotline-hook')
        moved = command.replace("'%s'" % program, '"%s"' % other, 1)
        for make in (None, '#!/nonexistent\n', '#!/bin/sh\nkill -9 $$\n', ''):
            if make is not None:
                with open(other, 'w', encoding='utf-8') as f:
                    f.write(make)
                os.chmod(other, 0o755 if make else 0o644)
            p = subprocess.run(['sh', '-c', moved], input='{}', env=box.env, text=True,
                               capture_output=True, cwd=box.project, check=False)
            check(p.returncode == 2 and 'trotline hooks uninstall' in p.stderr, 'no denial', make, p)
        shutil.rmtree(box.home + '/.trotline/settings.json', ignore_errors=True)
        os.remove(box.home + '/.trotline/settings.json')
        run(box, 'uninstall', '--into', agent)
        check(tree(box.home) == before, 'traces', set(tree(box.home)) ^ set(before))

    with point('next to what is there: ' + agent), Box() as box:
        old = {'other': [1, 2.50, {'a': 'b'}]}
        mine = {'type': 'command', 'command': 'mine'}
        target = old
        keys = BEFORE.get(agent, '/hooks/PreToolUse').split('/')[1:]
        for key in keys[:-1]:
            target = target.setdefault(key, {})
        target[keys[-1]] = [mine if agent in ('kiro', 'crush', 'copilot', 'cursor', 'windsurf')
                            else {'hooks': [mine]}]
        for text in (json.dumps(old), '// mine\n' + json.dumps(old, indent=3) + '\n\n',
                     json.dumps(old, indent='\t').replace('\n', '\r\n')):
            box.write('home/' + path, text)
            before = tree(box.home)
            run(box, 'install', '--into', agent)
            now = tree(box.home)[os.path.join(box.home, path)].decode()
            check('trotline-hook' in now and '"mine"' in now, 'not both', now)
            run(box, 'uninstall', '--into', agent)
            check(tree(box.home) == before, 'not byte for byte', tree(box.home))

with point('--all takes the agents that are used here'), Box() as box:
    for name in ('.claude', '.codex', '.cursor'):
        os.mkdir(os.path.join(box.home, name))
    r = run(box, 'install', '--all', '--json')
    check([x['agent'] for x in json.loads(r.out)] == ['claude', 'codex', 'cursor'], 'which', r)
    check('then' in json.loads(r.out)[1], 'Codex has to approve it', r)
    r = run(box, 'uninstall', '--all')
    check(not [p for p in tree(box.home)], 'traces', tree(box.home))

with point("a project's files"), Box() as box:
    run(box, 'install', '--into', 'claude,codex', '--scope', 'project')
    check(os.path.exists(box.project + '/.claude/settings.json') and
          os.path.exists(box.project + '/.codex/hooks.json'), 'not there')
    run(box, 'uninstall', '--into', 'claude,codex', '--scope', 'project')
    check(not tree(box.project), 'traces', tree(box.project))

with point('an event that gets less time says so'), Box() as box:
    run(box, 'install', '--into', 'codex,claude')
    for agent, want in (('codex', 3), ('claude', 600)):
        with open(os.path.join(box.home, USER[agent]), encoding='utf-8') as f:
            hooks = json.load(f)['hooks']
        check(hooks['SessionEnd'][0]['hooks'][0]['timeout'] == want and
              hooks['Stop'][0]['hooks'][0]['timeout'] == 600, agent, hooks['SessionEnd'])

with point('the words'), Box() as box:
    for args, word in ((['install'], 'installed in'), (['install'], 'already in'),
                       (['uninstall'], 'removed from'), (['uninstall'], 'not in')):
        r = run(box, *args, '--into', 'codex')
        check(r.out.startswith('Codex: %s ' % word), word, r)
        check(('runs the hooks and packs of ~/.trotline/settings.json' in r.out) is (args == ['install']), 'which', r)
    run(box, 'install', '--into', 'codex,codex')
    path = os.path.join(box.home, '.codex/hooks.json')
    with open(path, encoding='utf-8') as f:
        text = f.read()
    box.write('home/.codex/hooks.json', text.replace('600', '500'))
    r = run(box, 'install', '--into', 'codex')
    check(r.out.startswith('Codex: updated in '), 'updated', r)

OTHERS = {'hooks': [{'type': 'command', 'command': 'other'}]}


def places(box, agent):
    """Where ours is among the hooks before a tool, and how many there are."""
    with open(os.path.join(box.home, USER[agent]), encoding='utf-8') as f:
        entries = at(json.loads(f.read().replace('// mine', '')), BEFORE.get(agent, '/hooks/PreToolUse'))
    return ['trotline-hook' in json.dumps(e) for e in entries]


with point('C8.9 ours is put where it wins'), Box() as box:
    for agent, first, empty in (('droid', True, {}), ('qwen', False, {'hooks': {}})):
        path = os.path.join(box.home, USER[agent])
        doc = json.loads(json.dumps(empty))
        (doc['hooks'] if 'hooks' in doc else doc)['PreToolUse'] = [OTHERS, OTHERS]
        for text in (json.dumps(doc), json.dumps(doc, indent=2), '// mine\n' + json.dumps(doc, indent='\t')):
            box.write('home/' + USER[agent], text)
            run(box, 'install', '--into', agent)
            check(places(box, agent) == ([True, False, False] if first else [False, False, True]), agent)
            run(box, 'uninstall', '--into', agent)
            with open(path, encoding='utf-8') as f:
                check(f.read() == text, agent, 'not byte for byte')
        run(box, 'install', '--into', agent)
        with open(path, encoding='utf-8') as f:
            doc = json.loads(f.read().replace('// mine', ''))
        entries = (doc['hooks'] if 'hooks' in doc else doc)['PreToolUse']
        entries.insert(0 if first else len(entries), OTHERS)
        box.write('home/' + USER[agent], json.dumps(doc))
        r = run(box, 'status', '--json')
        found = [a for a in json.loads(r.out) if a['agent'] == agent][0]
        check(found['overruledBy'] == path, 'overruled', found)
        check('can overrule it' in run(box, 'status').out, 'for people')
        r = run(box, 'install', '--into', agent)
        check(': updated in' in r.out, agent, r)
        check(places(box, agent) == ([True] + [False] * 3 if first else [False] * 3 + [True]), agent)
        found = [a for a in json.loads(run(box, 'status', '--json').out) if a['agent'] == agent][0]
        check('overruledBy' not in found, 'not any more', found)

with point('C8.3 C8.9 hooks status: what is where'), Box() as box:
    r = run(box, 'status')
    box.env['PATH'] = '/usr/bin:/bin'
    r = run(box, 'status')
    check('No agent' in r.out, 'none', r)
    package = 'lib/node_modules/@anthropic-ai/claude-code/'
    box.write(package + 'package.json', '{"name": "@anthropic-ai/claude-code", "version": "2.1.330"}')
    program = box.write(package + 'bin/claude.exe', '#!/bin/sh\ntouch %s/started\n' % box.root)
    os.chmod(program, 0o755)
    os.mkdir(box.root + '/bin')
    os.symlink(program, box.root + '/bin/claude')
    box.env['PATH'] = box.root + '/bin:/usr/bin:/bin'
    r = run(box, 'status')
    check(r.out == 'Claude Code 2.1.330 (proven 2026-11-23 by make agents): not installed\n', 'before', r)
    run(box, 'install', '--into', 'claude')
    run(box, 'install', '--into', 'claude', '--scope', 'project')
    r = run(box, 'status', '--json')
    check(json.loads(r.out) == [{
        'agent': 'claude', 'title': 'Claude Code', 'found': True, 'program': box.root + '/bin/claude',
        'version': '2.1.330', 'proven': True, 'provenVersion': '2.1.330',
        'provenOn': '2026-11-23', 'provenBy': 'make agents',
        'user': box.home + '/.claude/settings.json', 'project': box.project + '/.claude/settings.json',
        'changed': False, 'notGuarded': '', 'unasked': {'calls': 0}}], 'installed', r)
    check('no record yet: with a guard on, let it run a command' in run(box, 'status').out, 'no canary yet')
    box.write('home/.trotline/settings.json', json.dumps({'hooks': {'BeforeTool': [{'hooks': [{'type': 'command', 'command': 'exit 2'}]}]}}))
    with open(box.write('payload', json.dumps({'hook_event_name': 'PreToolUse', 'tool_name': 'Bash', 'tool_input': {
            'command': 'x'}, 'tool_use_id': 'c'})), 'rb') as stdin:
        id_ = re.findall('why ([0-9a-f]+)', box.run('hook', 'claude', stdin=stdin).err)[0]
    v, text = json.loads(run(box, 'status', '--json').out)[0], run(box, 'status').out
    check(v['lastAsked']['id'] == id_ and v['lastAsked']['event'] == 'BeforeTool' and
          'BeforeTool run_shell_command: denied (trotline hooks why %s)' % id_ in text, v, text)
    box.write(package + 'package.json', '{"version": "2.2.0"}')
    check('2.2.0 (unproven: last tested with 2.1.330)' in run(box, 'status').out, 'another version')
    check(not os.path.exists(box.root + '/started'), 'the program was started')
    # Codex has to approve what it runs.
    run(box, 'install', '--into', 'codex')
    r = run(box, 'status')
    check('not approved: it does not run' in r.out, 'Codex', r)
    with open(box.home + '/.codex/hooks.json', encoding='utf-8') as f:
        events = list(json.load(f)['hooks'])

    def approve(events, line='trusted_hash = "sha256:00"'):
        box.write('home/.codex/config.toml', ''.join('[hooks.state."%s/.codex/hooks.json:%s:0:0"]\n%s\n\n' % (
            box.home, re.sub('(?<!^)(?=[A-Z])', '_', e).lower(), line) for e in events) + '[other]\ntrusted_hash = ""\n')
        r = run(box, 'status', '--json')
        return json.loads(r.out)[1], run(box, 'status').out

    v, text = approve(events)
    check(v['approved'] is True and 'notApproved' not in v and 'does not run' not in text, 'approved', v, text)
    v, text = approve(events[1:])
    check(v['approved'] is False and v['notApproved'] == events[0] and
          'not approved for %s: there it does not run' % events[0] in text, 'all but one', v, text)
    for line in ('enabled = true', 'trusted_hash = "sha256:00"\nenabled = false'):
        v, text = approve(events, line)
        check(v['approved'] is False and 'not approved: it does not run' in text, line, v, text)
    run(box, 'install', '--into', 'opencode,cline')
    r = run(box, 'status', '--json')
    check({a['agent'] for a in json.loads(r.out) if 'user' in a} == {'claude', 'codex', 'cline', 'opencode'}, r)
    check(len(json.loads(run(box, 'status', '--all', '--json').out)) == 23, 'all')

with point('without a program that can run nothing is entered'), Box() as box:
    os.mkdir(os.path.join(box.root, 'bin'))
    os.symlink(TROTLINE + '-hook', os.path.join(box.root, 'bin/trotline-hook'))
    shutil.copy(TROTLINE, os.path.join(box.root, 'bin/trotline'))
    program = os.path.join(box.root, 'bin/trotline-hook')

    def install(*more):
        return subprocess.run([os.path.join(box.root, 'bin/trotline'), 'hooks', *more, '--into', 'claude'],
                              env=box.env, cwd=box.project, capture_output=True, text=True, check=False)

    r = install('install')
    check(r.returncode == 0, 'next to it', r)
    for make in (os.remove, lambda path: box.write('bin/trotline-hook', ''), lambda path: (
            os.remove(path), os.mkdir(path))):
        make(program)
        r = install('install')
        check(r.returncode == 1 and 'bin/trotline-hook' in r.stderr, 'missing', r)
    r = install('uninstall')
    check(r.returncode == 0 and not tree(box.home), 'taken out all the same', r)

with point('status names what is not as it was installed'), Box() as box:
    def changed(agent):
        found = [a for a in json.loads(run(box, 'status', '--json', '--all').out) if a['agent'] == agent][0]
        text = run(box, 'status', '--all').out
        check(found['changed'] == ('changed since it was installed' in text), 'text', text)
        return found['changed']

    for agent, path, text in (
            ('claude', '.claude/settings.json', ('exit 2', 'exit 0')), ('cursor', '.cursor/hooks.json', ('true', 'false')),
            ('claude', '.claude/settings.json', ('"matcher": ', '"Matcher": ')),
            ('opencode', '.config/opencode/plugins/trotline.js', ("=== 'deny'", "=== 'never'")),
            ('cline', '.cline/hooks/PostToolUse', ('cline PostToolUse', 'cline Other'))):
        run(box, 'install', '--into', agent)
        check(not changed(agent), agent + ': as installed')
        file = os.path.join(box.home, path)
        with open(file, encoding='utf-8') as f:
            was = f.read()
        check(text[0] in was, agent, was)
        box.write('home/' + path, was.replace(*text))
        check(changed(agent), '%s: %s' % (agent, text[1]))
        run(box, 'install', '--into', agent)
        check(not changed(agent), agent + ': installed again')
        if agent == 'cline':
            os.chmod(file, 0o644)
            check(changed(agent), 'no program')
            os.chmod(file, 0o755)
            os.remove(file)
            check(changed(agent), 'one is gone')
        run(box, 'uninstall', '--into', agent)
    before = tree(box.root)
    run(box, 'status', '--all')
    check(tree(box.root) == before, 'looking changes nothing')

GUARD = json.dumps({'hooks': {'BeforeTool': [{'hooks': [{'type': 'command', 'guard': True, 'command': 'exit 2'}]}]}})

for agent, path in (('claude', None), ('codex', None), ('copilot', None), ('windsurf', None),
                    ('cline', '.cline/hooks/PreToolUse')):
    with point("C8.11 another HOME loses no guard: " + agent), Box() as box:
        box.home = os.path.join(box.root, "it's a home")
        box.env['HOME'] = box.home
        box.write("it's a home/.trotline/settings.json", GUARD)
        run(box, 'install', '--into', agent)
        if path:
            command = "'%s'" % os.path.join(box.home, path).replace("'", "'\\''")
        else:
            with open(os.path.join(box.home, USER[agent]), encoding='utf-8') as f:
                command = command_of(at(json.load(f), BEFORE.get(agent, '/hooks/PreToolUse'))[0])
        payload = json.dumps({
            'copilot': {'sessionId': 's', 'toolName': 'bash', 'toolArgs': '{"command": "ls"}'},
            'windsurf': {'agent_action_name': 'pre_run_command', 'tool_info': {'command_line': 'ls'}},
            'cline': {'hookName': 'tool_call', 'tool_call': {'name': 'run_commands', 'input': {'commands': ['ls']}}},
        }.get(agent, {'hook_event_name': 'PreToolUse', 'tool_name': 'Bash', 'tool_input': {'command': 'ls'}}))
        os.mkdir(os.path.join(box.root, 'other'))

        def asked(**env):
            p = subprocess.run(['sh', '-c', command], input=payload, env=dict(box.env, **env), text=True,
                               capture_output=True, cwd=box.project, check=False)
            return 'trotline hooks why' in p.stdout + p.stderr, p

        for env in ({}, {'HOME': box.root + '/other'}, {'HOME': ''}, {'HOME': '/gone'}, {'HOME': 'relative'},
                    {'GEMINI_CLI_HOME': box.root + '/other'}, {'GEMINI_CLI_HOME': 'relative'}):
            denied, p = asked(**env)
            check(denied, env, p)
        check(not tree(box.root + '/other'), 'nothing is kept elsewhere')
        shutil.rmtree(box.home + '/.trotline')
        check(not asked()[0], 'without the guard')

with point('C8.11 a home directory that is none is a denial'), Box() as box:
    for home in ('/gone', 'relative', '', '/dev/null'):
        with open(box.write('payload', '{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{}}'), 'rb') as f:
            r = box.run('hook', 'claude', '--home', home, stdin=f)
        check(r.status == 2 and '--home' in r.err, home, r)
    r = box.run('mcp', 'guard', '--home', '/gone', '--', 'true')
    check(r.status == 52 and '--home' in r.err, 'mcp guard', r)

with point('C8.11 a HOME that is none loses no guard without --home, either'), Box() as box:
    box.write('home/.trotline/settings.json', GUARD)
    os.mkdir(box.root + '/empty')
    # Into the program that has shared libraries.  The preloaded file comes before a sanitizer's runtime.
    box.env.update(LD_PRELOAD=os.environ['PWD_SHIM'],
                   ASAN_OPTIONS=os.environ.get('ASAN_OPTIONS', '') + ':verify_asan_link_order=0')
    for event, denied in (('PreToolUse', 2), ('UserPromptSubmit', 0)):
        for home in (None, '', 'relative', '.', '~'):
            for registered, want in ((box.home, denied), ('', 2), ('/gone', 2), (box.root + '/empty', 0)):
                env = {k: v for k, v in box.env.items() if k not in ('HOME', 'GEMINI_CLI_HOME')}
                env.update({'HOME': home} if home is not None else {}, PWD_HOME=registered)
                p = subprocess.run([TROTLINE, 'hook', 'claude'], env=env, text=True, capture_output=True, check=False,
                                   cwd=box.root + '/project', input=json.dumps({
                                       'hook_event_name': event, 'tool_name': 'Bash', 'tool_input': {}, 'prompt': 'x'}))
                check(p.returncode == want, event, home, registered, p)

SHELLS = [s.split() for s in ('sh', 'bash', 'bash -l', 'dash', 'zsh', 'zsh -l', 'fish', 'fish -l', 'busybox sh', 'mksh',
                              'ksh93', 'yash') if shutil.which(s.split()[0])]
with point("C8.2 the command is read by every shell that an agent may start"), Box() as box:
    run(box, 'install', '--into', 'claude,copilot')
    commands = []
    for path, entry in (('.claude/settings.json', '/hooks/PreToolUse'), ('.copilot/hooks/trotline.json',
                                                                      '/hooks/userPromptSubmitted')):
        with open(os.path.join(box.home, path), encoding='utf-8') as f:
            commands.append(command_of(at(json.load(f), entry)[0]))
    bad = {name: box.write('%s/trotline-hook' % name, text) for name, text in (
        ('killed', '#!/bin/sh\nkill -9 $$\n'), ('no program', 'x'), ('missing', ''))}
    os.chmod(bad['killed'], 0o755)
    os.remove(bad['missing'])

    def start(shell, command, hook='exit 0'):
        box.write('home/.trotline/settings.json', json.dumps({'hooks': {event: [{'hooks': [
            {'type': 'command', 'command': hook}]}] for event in ('BeforeTool', 'BeforeAgent')}}))
        text = json.dumps({'prompt': 'x'} if 'copilot' in command else {
            'hook_event_name': 'PreToolUse', 'tool_name': 'Bash', 'tool_input': {'command': 'ls'}})
        return subprocess.run([*shell, '-c', command], input=text, env=box.env, text=True, capture_output=True,
                              cwd=box.project, check=False)

    for shell in SHELLS:
        for command in commands:
            json_only = 'decision' in command
            p = start(shell, command)
            check((p.returncode, p.stdout, p.stderr) == (0, '', ''), 'no opinion', p)
            p = start(shell, command, 'echo NO >&2; exit 2')
            check(p.returncode == (0 if json_only else 2) and p.stderr.startswith('NO\n'), 'a denial', p)
            check(shell[0] == 'fish' or 'could not run' not in p.stderr, 'the program ran', p)
            for name, program in bad.items() if not (json_only and shell[0] == 'fish') else ():
                p = start(shell, command.replace(TROTLINE + '-hook', program))
                check(json.loads(p.stdout)['decision'] == 'block' if json_only else p.returncode == 2, name, p)
                check('uninstall --into' in p.stdout + p.stderr, 'how it is repaired: ' + name, p)

for tail in (r" || { [ $? = 2 ] || echo 'trotline-hook could not run: repair it' >&2; exit 2; }", ''):
    with point('an entry as older versions wrote it is known, renewed and taken out: ' + (tail or 'alone')), Box() as box:
        file = box.write('home/.claude/settings.json', '{}\n')
        run(box, 'install', '--into', 'claude')
        new = tree(box.home)[file].decode()
        old = re.sub(r' \|\| eval .*?(?=")', lambda _: tail, new.replace(r'\"', "'"))
        check(old != new and 'eval' not in old and json.loads(old), 'an older entry', old)
        box.write('home/.claude/settings.json', old)
        r = run(box, 'status', '--all')
        check('or of another version: install it again' in r.out, 'status', r)
        check(json.loads(run(box, 'install', '--into', 'claude', '--json').out)[0]['status'] == 'updated', 'install')
        check(tree(box.home)[file].decode() == new, 'renewed')
        box.write('home/.claude/settings.json', old)
        run(box, 'uninstall', '--into', 'claude')
        check(tree(box.home)[file] == b'{}\n', 'taken out', tree(box.home))

with point("C8.11 a project's file names no home directory"), Box() as box:
    run(box, 'install', '--into', 'claude,cline,opencode', '--scope', 'project')
    files = tree(box.project)
    check(files and not any(b'--home' in text for text in files.values()), 'a project', files)
    run(box, 'install', '--into', 'claude,cline,opencode')
    files = {k: v for k, v in tree(box.home).items() if 'installed' not in k}
    check(len(files) > 9 and all(b'--home' in text for text in files.values()), 'a user', files)

with point('what cannot be is said'), Box() as box:
    for args in (['--into', 'nosuch'], ['--into', 'openclaw', '--scope', 'project'], [], ['--into', 'vscode'],
                 ['--into', 'claude', '--scope', 'galaxy']):
        r = box.run('hooks', 'install', *args)
        check(r.status == 1 and r.err, args, r)
    box.write('home/.claude/settings.json', '{ "hooks": [] }')
    r = box.run('hooks', 'install', '--into', 'claude')
    check(r.status == 52 and not r.out, 'hooks is a list', r)
    box.write('home/.claude/settings.json', '{ ')
    check(box.run('hooks', 'install', '--into', 'claude').status == 52, 'no JSON')

tap.done()
