#!/usr/bin/env python3
"""Hooks that were written for Codex, in other agents and in Codex itself (C8.5): what they are sent, what becomes
of what they answer, and that nothing that Codex refuses is an allowance here (C3.12)."""

import json
import os

from agentbox import Box, Tap, check
from hostagents import WHY, ask, claude, named, output, permission, settings

tap = Tap()
BASE = {'session_id', 'transcript_path', 'cwd', 'hook_event_name'}
TURN = BASE | {'turn_id', 'model', 'permission_mode'}
AGENT = {'agent_id', 'agent_type'}
TOOL = TURN | {'tool_name', 'tool_input', 'tool_use_id'}
MEMBERS = {  # of Codex's schemas, which allow no other
    'PreToolUse': TOOL, 'PostToolUse': TOOL | {'tool_response'}, 'PermissionRequest': TOOL - {'tool_use_id'},
    'UserPromptSubmit': TURN | {'prompt'}, 'Stop': TURN | {'stop_hook_active', 'last_assistant_message'},
    'SubagentStart': TURN | AGENT,
    'SubagentStop': TURN | AGENT | {'agent_transcript_path', 'stop_hook_active', 'last_assistant_message'},
    'SessionStart': (TURN | {'source'}) - {'turn_id'}, 'SessionEnd': BASE | {'reason'},
    'PreCompact': BASE | {'turn_id', 'model', 'trigger'}, 'PostCompact': BASE | {'turn_id', 'model', 'trigger'},
}


def hooked(box, command, event='PreToolUse', **members):
    settings(box, {event: [{'dialect': 'codex', 'hooks': [dict({'type': 'command', 'command': command}, **members)]}]})


def answering(box, answer, **members):
    path = box.write('answer', answer if isinstance(answer, str) else json.dumps(answer))
    hooked(box, 'cat %s' % path, **members)


def call(tool='Bash', args=None, event='PreToolUse', **more):
    return claude(hook_event_name=event, tool_name=tool, tool_input=args or {'command': 'ls'}, tool_use_id='c1',
                  turn_id='t1', model='m1', permission_mode='acceptEdits', **more)


def seen(box):
    with open(os.path.join(box.root, 'seen'), encoding='utf-8') as f:
        return [json.loads(line) for line in f]


def keep(box):
    path = os.path.join(box.root, 'seen')
    if os.path.exists(path):
        os.unlink(path)
    return 'cat >> ' + path


# ---- what it is sent ----

with tap.case('C2.4 every payload has the members of Codex, and no other'), Box() as box:
    sent = {'PreToolUse': call(), 'PostToolUse': call(event='PostToolUse', tool_response={'stdout': 'OUT', 'stderr': ''}),
            'PermissionRequest': call(event='PermissionRequest'),
            'UserPromptSubmit': claude(prompt='do it'), 'Stop': claude(stop_hook_active=True),
            'SubagentStart': claude(agent_id='a', agent_type='x'),
            'SubagentStop': claude(agent_id='a', agent_type='x', last_assistant_message='done'),
            'SessionStart': claude(source='startup'), 'SessionEnd': claude(reason='logout'),
            'PreCompact': claude(trigger='auto'), 'PostCompact': claude(trigger='manual')}
    for event, payload in sent.items():
        hooked(box, keep(box), event)
        ask(box, named('claude'), dict(payload, hook_event_name=event))
        got, = seen(box)
        check(set(got) - AGENT == MEMBERS[event] - AGENT, event, set(got) ^ MEMBERS[event])
        check(AGENT <= MEMBERS[event] or not AGENT & set(got), event, 'an agent that is none', got)
        check(got['hook_event_name'] == event, got)
        if event == 'PreToolUse':
            check((got['turn_id'], got['model'], got['permission_mode'], got['tool_use_id'], got['tool_input']) ==
                  ('t1', 'm1', 'acceptEdits', 'c1', {'command': 'ls'}), got)
        if event == 'PostToolUse':
            check(got['tool_response'] == 'OUT', got)
        if event == 'SessionEnd':
            check(got['reason'] == 'other', got)

PATCH = ('*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@ class X\n y\n-1\n+2\n'
         '*** Delete File: d\n*** End Patch')
with tap.case('C8.5 in Codex it sees the patch once, as Codex sent it'), Box() as box:
    for matcher in ('apply_patch', 'Edit', ''):
        settings(box, {'PreToolUse': [{'matcher': matcher, 'dialect': 'codex', 'hooks': [
            {'type': 'command', 'command': keep(box)}]}]})
        said = ask(box, named('codex'), call('apply_patch', {'command': PATCH}))
        got, = seen(box)
        check(said.status == 0 and got['tool_name'] == 'apply_patch' and got['tool_input'] == {'command': PATCH}, got)
        check(got['turn_id'] == 't1', got)

with tap.case('C8.5 ... and denies all of it; another dialect is asked about each file'), Box() as box:
    hooked(box, 'grep -q "File: d" && { echo "%s" >&2; exit 2; }' % WHY)
    check(ask(box, named('codex'), call('apply_patch', {'command': PATCH})).status == 2, 'not denied')
    # A matcher of another dialect knows a file by its kind: whichever it fits, the hook is asked.
    settings(box, {'BeforeTool': [{'matcher': '^replace$', 'hooks': [
        {'type': 'command', 'dialect': 'codex', 'command': 'cat > /dev/null; echo "%s" >&2; exit 2' % WHY}]}]})
    check(ask(box, named('codex'), call('apply_patch', {'command': PATCH})).status == 2, 'not asked')

with tap.case('C8.1 no name of a file makes a line of the patch'), Box() as box:
    hooked(box, keep(box))
    for end in ('\n', '\r', '\x0b', '\x0c', '\x1c', '\x85', '\u2028'):
        hooked(box, keep(box))
        ask(box, named('claude'), call('Write', {'file_path': 'a%s/../.env' % end, 'content': '*** Delete File: c\n'}))
        check(seen(box)[0]['tool_input']['command'].splitlines()[1:3] ==
              ['*** Add File: a /../.env', '+*** Delete File: c'], seen(box))

# ---- where it is ----

with tap.case('C7.6 files of Codex are read where sources names it, as Codex reads them'), Box() as box:
    entry = {'type': 'command', 'command': 'echo json >&2; exit 2', 'timeout': 5, 'statusMessage': 'x'}
    box.write('home/.codex/hooks.json', json.dumps({'hooks': {'PreToolUse': [{'matcher': '^Bash$', 'hooks': [entry]}]}}))
    box.write('home/.codex/config.toml', 'model = "m"\n[features]\nhooks = true\n[[hooks.PreToolUse]]\n'
              'matcher = "apply_patch"\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ntimeout = 5\n'
              'command = "echo toml >&2; exit 2"\n[hooks.state."/x:pre_tool_use:0:0"]\ntrusted_hash = "sha256:1"\n')
    write = call('Write', {'file_path': 'a', 'content': 'x'})
    check(ask(box, named('claude'), call()).status == 0, 'without sources')
    settings(box, {}, hooksConfig={'sources': ['codex']})
    for agent, payload, why in ((named('claude'), call(), 'json'), (named('claude'), write, 'toml')):
        said = ask(box, agent, payload)
        check(said.status == 2 and why in said.err, why, said.r)
    check(ask(box, named('codex'), call()).status == 0, 'Codex runs its own')
    r = box.run('hooks', 'list')
    check(r.out.count('codex PreToolUse') == 2 and r.out.count('timeout 5 s') == 2 and
          '.codex/config.toml:6' in r.out, r)
    r = box.run('hooks', 'lint')
    check(r.status == 0 and 'state' not in r.out, r)
    r = box.run('hooks', 'migrate', '--from', 'codex', '--scope', 'user', '--dry-run')
    check('^(replace|write_file)$' in r.out and r.out.count('"dialect": "codex"') == 2, r)

with tap.case('C8.5 what is installed in the files of other agents is not asked again'), Box() as box:
    hooked(box, 'echo x >> %s/count; cat > /dev/null' % box.root)
    for name in ('claude', 'codex', 'gemini'):
        r = box.run('hooks', 'install', '--into', name)
        check(r.status == 0, r)
    with open(os.path.join(box.root, 'home/.trotline/settings.json'), encoding='utf-8') as f:
        hooks = json.load(f)['hooks']
    settings(box, hooks, hooksConfig={'sources': ['claude', 'codex', 'gemini']})
    for agent in ('claude', 'codex', 'gemini', 'qwen'):
        said = ask(box, named(agent), named(agent).tool)
        check(said.status == 0, said.r)
    with open(os.path.join(box.root, 'count'), encoding='utf-8') as f:
        check(f.read() == 'x\n' * 4, 'asked another time')
    for command, ours in (("'/a b/trotline-hook' claude --home '/x' || { exit 2; }", True), ('trotline-hook codex', True),
                          ('/usr/bin/trotline hook claude', True), ('trotline hooks list', False),
                          ('./guard trotline-hook claude', False), ('trotline-hook', False),
                          ('trotline-hook-guard claude', False)):
        settings(box, {'BeforeTool': [{'hooks': [{'type': 'command', 'command': command}]}]})
        r = box.run('hooks', 'list', '--all', '--json')
        state, = [h['state'] for h in json.loads(r.out)['hooks'] if h['command'] == command]
        check((state == 'disabled') == ours, command, state)

with tap.case('C8.2 a file of Codex that cannot be read denies'), Box() as box:
    settings(box, {}, hooksConfig={'sources': ['codex']})
    for name, text in (('config.toml', 'x = \n'), ('config.toml', '[hooks]\n[hooks]\n'), ('hooks.json', '{')):
        path = box.write('home/.codex/' + name, text)
        said = ask(box, named('claude'), call())
        check(said.status == 2 and name in said.err, text, said.r)
        os.unlink(path)

with tap.case('C7.6 a project says with a note that its hooks of Codex do not run'), Box() as box:
    box.write('project/.codex/hooks.json', json.dumps({'hooks': {'PreToolUse': [{'hooks': [
        {'type': 'command', 'command': 'true'}]}]}}))
    r = box.run('hooks', 'lint')
    check('"sources": ["codex"]' in r.out + r.err, r)

# ---- what it answers ----

SAFE = {'command': 'echo SAFE'}
REFUSED = [  # what Codex refuses, and what it is here
    ('deny', permission('deny', more=1)), ('deny', dict(permission('deny'), more=1)),
    ('deny', {'hookSpecificOutput': {'permissionDecision': 'deny', 'permissionDecisionReason': WHY}}),
    ('deny', output('PreToolUse', permissionDecision='deny')),
    ('deny', output('PreToolUse', permissionDecision='deny', permissionDecisionReason=' ')),
    ('deny', {'decision': 'block'}), ('deny', {'decision': 'deny', 'reason': WHY}),
    ('deny', {'continue': False, 'stopReason': WHY}), ('deny', dict(permission('deny'), suppressOutput=True)),
    ('deny', dict(permission('deny'), stopReason='x')), ('deny', permission('defer')),
    ('ask', permission('ask')), ('none', output('PreToolUse', permissionDecision='allow')),
    ('none', {'decision': 'approve', 'reason': 'x'}), ('none', {'reason': 'x'}),
    ('rewrite', output('PreToolUse', updatedInput=SAFE)),
    ('rewrite', dict(output('PreToolUse', permissionDecision='allow', updatedInput=SAFE), more=1)),
]
for strict in (False, True):
    with tap.case('C3.12 what Codex refuses allows nothing here' + (', of a guard' if strict else '')), Box() as box:
        for wanted, answer in REFUSED:
            answering(box, answer, guard=strict)
            r = box.run('hooks', 'run', 'BeforeTool', '--tool', 'run_shell_command', '--json', '--input',
                        json.dumps({'command': 'rm x'}))
            check('codex-refuses' in r.out, answer, 'nothing is said about it', r)
            said = ask(box, named('claude'), call())
            if wanted == 'deny' or (strict and wanted != 'ask'):
                check(said.status == 2, answer, said.r)
            elif wanted == 'ask':
                check(said.json['hookSpecificOutput']['permissionDecision'] == 'ask', answer, said.r)
            elif wanted == 'rewrite':
                check(said.json == output('PreToolUse', updatedInput=SAFE), answer, said.r)
            else:
                check(said.status == 0 and said.json is None, answer, said.r)

with tap.case('C3.12 nothing is said about what Codex takes'), Box() as box:
    for answer, status in ((permission('deny'), 2), ({'decision': 'block', 'reason': WHY}, 2), ({}, 0), ('', 0),
                           (output('PreToolUse', permissionDecision='allow', updatedInput=SAFE), 0),
                           (output('PreToolUse', additionalContext='x'), 0), ({'systemMessage': 'x'}, 0)):
        answering(box, answer)
        r = box.run('hooks', 'run', 'BeforeTool', '--tool', 'run_shell_command', '--json', '--input', '{"command": "x"}')
        check('codex-refuses' not in r.out and 'unknown-field' not in r.out, answer, r)
        check(ask(box, named('codex'), call()).status == status, answer)

with tap.case('C3.12 a denial of a hook that fails is one, and its allowance is none'), Box() as box:
    for answer, exit_status, status in ((permission('deny'), 1, 2), ({}, 2, 2),
                                        (output('PreToolUse', permissionDecision='allow', updatedInput=SAFE), 1, 0)):
        path = box.write('answer', json.dumps(answer))
        hooked(box, 'cat %s; exit %d' % (path, exit_status))
        said = ask(box, named('claude'), call())
        check(said.status == status and 'SAFE' not in said.r.out, answer, said.r)

with tap.case('C3.12 a permission is given in the words of Codex alone'), Box() as box:
    for decision, wanted in (({'behavior': 'allow'}, 'allow'), ({'behavior': 'deny', 'message': WHY}, 'deny'),
                             ({'behavior': 'allow', 'updatedInput': SAFE}, None),
                             ({'behavior': 'allow', 'updatedPermissions': []}, None),
                             ({'behavior': 'deny', 'message': WHY, 'interrupt': True}, 'deny')):
        answering(box, output('PermissionRequest', decision=decision), event='PermissionRequest')
        said = ask(box, named('claude'), call(event='PermissionRequest'))
        got = said.json and said.json.get('hookSpecificOutput', {}).get('decision', {}).get('behavior')
        check(got == wanted, decision, said.r)

with tap.case('C4.4 a rewritten command or patch returns in the agent\'s own arguments'), Box() as box:
    def rewriting(text):
        answering(box, output('PreToolUse', permissionDecision='allow', updatedInput={'command': text}))

    rewriting('echo SAFE')
    said = ask(box, named('claude'), call(args={'command': 'ls', 'timeout': 5000}))
    check(said.json['hookSpecificOutput']['updatedInput'] == {'command': 'echo SAFE', 'timeout': 5000}, said.r)
    rewriting('*** Begin Patch\n*** Add File: new\n+one\n+two\n*** End Patch\n')
    said = ask(box, named('copilot'), ({'sessionId': 's', 'cwd': '{project}', 'toolName': 'create', 'toolArgs': {
        'path': 'a', 'file_text': 'x'}}, 'preToolUse'))
    check(said.json == {'modifiedArgs': {'path': 'new', 'file_text': 'one\ntwo'}}, said.r)
    rewriting('*** Begin Patch\n*** Update File: a\n@@\n-old\n+new\n*** End Patch\n')
    said = ask(box, named('claude'), call('Edit', {'file_path': 'a', 'old_string': 'x', 'new_string': 'y'}))
    check(said.json['hookSpecificOutput']['updatedInput'] ==
          {'file_path': 'a', 'old_string': 'old', 'new_string': 'new'}, said.r)
    # Codex's own patch, where it says no more than a call of ours.
    rewriting('*** Begin Patch\n*** Add File: new\n+one\n*** End Patch\n')
    said = ask(box, named('codex'), call('apply_patch', {'command': '*** Begin Patch\n*** Add File: a\n+x\n*** End Patch'}))
    check(said.json['hookSpecificOutput']['updatedInput'] ==
          {'command': '*** Begin Patch\n*** Add File: new\n+one\n*** End Patch\n'}, said.r)

with tap.case('C8.1 a rewrite that cannot be said is a denial that gives it'), Box() as box:
    edit = call('Edit', {'file_path': 'a', 'old_string': 'x', 'new_string': 'y'})
    for text in ('*** Begin Patch\n*** Delete File: NEW\n*** End Patch\n', 'NEW',
                 '*** Begin Patch\n*** Add File: NEW\n+x\n*** Add File: b\n+x\n*** End Patch\n'):
        answering(box, output('PreToolUse', permissionDecision='allow', updatedInput={'command': text}))
        for agent, payload in ((named('claude'), edit), (named('codex'), call('apply_patch', {'command': PATCH}))):
            said = ask(box, agent, payload)
            check(said.status == 2 and 'NEW' in said.err, text, said.r)
    answering(box, output('PreToolUse', permissionDecision='allow', updatedInput={'cmd': 'NEW'}))
    said = ask(box, named('claude'), call())
    check(said.status == 2 and 'NEW' in said.err, said.r)

with tap.case('C3.7 a blocked result is replaced by the reason'), Box() as box:
    answering(box, {'decision': 'block', 'reason': WHY}, event='PostToolUse')
    said = ask(box, named('codex'), call(event='PostToolUse', tool_response='OUT'))
    check(said.json['decision'] == 'block' and said.json['reason'] == WHY, said.r)

tap.done()
