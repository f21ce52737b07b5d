#!/usr/bin/env python3
"""C8.15: calls of other agents that ran although trotline was not asked about them.  The events before and after a
tool are compared by the agent's id of the call, whichever process was asked.  Prints TAP."""

import json
import os

from agentbox import Box, Tap, check
from hostagents import AGENTS, COMMAND, GROK_CALL, ask, claude, grok, hook, named

tap = Tap()
RECORDS = '.trotline/records.jsonl'


def family(tool, **names):
    def of(call, session):
        before = dict(claude(hook_event_name='PreToolUse', tool_name=tool, tool_input={'command': COMMAND}),
                      session_id=session, **names.get('ids', lambda c: {'tool_use_id': c})(call))
        return before, dict(before, hook_event_name='PostToolUse', tool_response='OUT')

    return of


def plugin(tool, key='command'):
    def of(call, session):
        before = {'event': 'tool.before', 'session': session, 'cwd': '{project}', 'tool': tool,
                  'args': {key: COMMAND}, 'call': call}
        return before, dict(before, event='tool.after', result='OUT')

    return of


def cline(call, session):
    base = {'taskId': session, 'workspaceRoots': ['{project}'], 'agent_id': 'a'}
    one = {'id': call, 'name': 'run_commands', 'input': {'commands': [COMMAND]}}
    return dict(base, hookName='tool_call', tool_call=one), dict(base, hookName='tool_result', tool_result=one)


def grok_calls(call, session):
    one = dict(GROK_CALL, toolUseId=call, sessionId=session, session_id=session)
    return grok('PreToolUse', 'pre_tool_use', **one), grok('PostToolUse', 'post_tool_use', toolResult='OUT', **one)


# As they were captured: the event before a tool and the one after it.
NAMING = {
    'claude': family('Bash'), 'codex': family('Bash'),
    'qwen': family('run_shell_command', ids=lambda c: {'tool_use_id': 'toolu_' + c, 'tool_call_id': c}),
    'cline': cline, 'grok': grok_calls, 'opencode': plugin('bash'), 'kilo': plugin('bash'), 'pi': plugin('bash'), 'openclaw': plugin('exec'),
}


def batch(name, *calls):
    """Qwen Code's second name of a call is the only one there."""
    return claude(hook_event_name='PostToolBatch', tool_calls=[
        dict({'tool_name': 'Bash', 'tool_input': {'command': COMMAND}, 'tool_use_id': c},
             **({'tool_call_id': c} if name == 'qwen' else {})) for c in calls])


def guard(box, event='BeforeTool', **more):
    hook(box, event, '{}', **more)


def unasked(box):
    with open(os.path.join(box.home, RECORDS), encoding='utf-8') as f:
        return [r for r in map(json.loads, f) if r.get('asked') is False]


def status(box, name):
    r = box.run('hooks', 'status', '--all', '--json')
    return [a for a in json.loads(r.out) if a['agent'] == name][0]


for name, events in NAMING.items():
    with tap.case('C8.15 a call that was asked about is none, one that was not is: ' + name), Box() as box:
        guard(box)
        agent, (before, after) = named(name), events('call_1', 's')
        ask(box, agent, before)
        said = ask(box, agent, after)
        check(said.status == 0 and not unasked(box), 'asked', said.r, unasked(box))
        said = ask(box, agent, events('call_2', 's')[1])
        found = unasked(box)
        check(said.status == 0 and said.json == agent.none and len(found) == 1, 'not asked', said.r, found)
        check(found[0]['host'] == name and found[0]['tool_call_id'] == 'call_2' and found[0]['session_id'] == 's' and
              found[0]['subject'] == 'run_shell_command' and found[0]['event'] == 'AfterTool', 'its record', found)
        ask(box, agent, events('call_2', 's')[1])
        check(len(unasked(box)) == 1, 'told once', unasked(box))
        ask(box, agent, events('call_1', 'other')[1])
        check(len(unasked(box)) == 2, 'the id of another session', unasked(box))
        check(status(box, name)['unasked']['calls'] == 2, 'status', status(box, name))

for name in ('claude', 'qwen'):
    with tap.case('C8.15 the calls of a batch are looked at, too: ' + name), Box() as box:
        guard(box)
        ask(box, named(name), NAMING[name]('call_1', 's')[0])
        ask(box, named(name), NAMING[name]('call_2', 's')[1])
        ask(box, named(name), batch(name, 'call_1', 'call_2', 'call_3'))
        check([(r['tool_call_id'], r['event']) for r in unasked(box)] ==
              [('call_2', 'AfterTool'), ('call_3', 'PostToolBatch')], 'of three', unasked(box))

with tap.case('C8.15 a failed call, a sub-agent, hooks of the event itself'), Box() as box:
    guard(box)
    with open(os.path.join(box.home, '.trotline/settings.json'), encoding='utf-8') as f:
        hooks = json.load(f)['hooks']
    hooks['AfterTool'] = [{'hooks': [{'type': 'command', 'command': 'echo "no" >&2; exit 2'}]}]
    box.write('home/.trotline/settings.json', json.dumps({'hooks': hooks}))
    after = NAMING['claude']('call_1', 's')[1]
    said = ask(box, named('claude'), dict(after, agent_id='sub', hook_event_name='PostToolUseFailure', error='x'))
    check(said.status == 2 and len(unasked(box)) == 1 and unasked(box)[0]['agent_id'] == 'sub', said.r, unasked(box))
    ids = [r['id'] for r in map(json.loads, open(os.path.join(box.home, RECORDS), encoding='utf-8'))]
    check(len(ids) == 2 and len(set(ids)) == 1, 'one answer, one id', ids)

with tap.case('C8.15 agents that do not name the call, hooks that are not asked, records that are not kept'), Box() as box:
    guard(box)
    for agent in AGENTS:
        if agent.name not in NAMING and agent.result:
            ask(box, agent, agent.result)
            check('unasked' not in status(box, agent.name), agent.name)
    after = NAMING['claude']('call_1', 's')[1]
    ask(box, named('claude'), {k: v for k, v in after.items() if k != 'tool_use_id'})
    ask(box, named('claude'), after, '--no-record')
    guard(box, 'AfterTool', command='exit 0')
    ask(box, named('claude'), after)
    check(not unasked(box), unasked(box))

with tap.case('C8.15 the question may be far back, and in the older file'), Box() as box:
    guard(box)
    before, after = NAMING['claude']('call_1', 's')
    ask(box, named('claude'), before)
    path = os.path.join(box.home, RECORDS)
    other = json.dumps({'id': '0123456789', 'host': 'claude', 'session_id': 'x', 'hooks': [], 'more': 'call_1' * 99})
    with open(path, 'a', encoding='utf-8') as f:
        f.write((other + '\n') * 4000)
    ask(box, named('claude'), after)
    check(not unasked(box), 'far back')
    os.rename(path, path + '.1')
    ask(box, named('claude'), after)
    check(not os.path.exists(path) or not unasked(box), 'moved away')
    os.remove(path + '.1')
    ask(box, named('claude'), after)
    check(len(unasked(box)) == 1, 'gone', unasked(box))

with tap.case('C8.15 what the record of a hook says is no question'), Box() as box:
    guard(box, command='echo \'"tool_call_id":"call_2","host":"claude","session_id":"s"\' >&2')
    ask(box, named('claude'), NAMING['claude']('call_1', 's')[0])
    ask(box, named('claude'), NAMING['claude']('call_2', 's')[1])
    check([r['tool_call_id'] for r in unasked(box)] == ['call_2'], unasked(box))

with tap.case('C8.15 ids and sessions of any text are compared as they are'), Box() as box:
    guard(box)
    for i, text in enumerate(('a"b\\c\n', 'x' * 5000, '\ud800 \u0000', 'ghp_' + '0123456789' * 4, '\u00e9\u4e2d')):
        before, after = NAMING['claude'](text, text)
        ask(box, named('claude'), before)
        ask(box, named('claude'), after)
        check(not unasked(box), 'asked about', i, unasked(box))

with tap.case('C8.15 log, why, report and status name them'), Box() as box:
    guard(box)
    ask(box, named('claude'), NAMING['claude']('call_1', 's')[0])
    ask(box, named('claude'), NAMING['claude']('call_2', 's')[1])
    found, = unasked(box)
    r = box.run('hooks', 'log')
    check('run_shell_command: ended, and trotline has no record of being asked' in r.out, 'log', r)
    r = box.run('hooks', 'why', found['id'])
    check(r.status == 0 and 'has no record of being asked' in r.out, 'why', r)
    r = box.run('hooks', 'report', '--session', 's')
    check('1 event with hooks' in r.out and '1 call ended that trotline has no record of being asked about: '
          'run_shell_command' in r.out and 'hooks why ' + found['id'] in r.out, 'report', r)
    r = box.run('hooks', 'report', '--session', 's', '--json')
    check(json.loads(r.out)['unasked'] == {'calls': 1, 'tool': 'run_shell_command', 'last': found['timestamp'],
                                           'id': found['id']}, 'report --json', r)
    box.run('hooks', 'install', '--into', 'claude,gemini')
    r = box.run('hooks', 'status')
    check('1 call ended that trotline has no record' in r.out and r.out.count('not known: calls that no hook') == 1, 'status', r)

with tap.case('C8.10 a firing in which no hook ran has its session'), Box() as box:
    hook(box, 'BeforeTool', '{}', command='exit 0')
    with open(os.path.join(box.home, '.trotline/settings.json'), encoding='utf-8') as f:
        s = json.load(f)
    s['hooks']['BeforeTool'][0]['matcher'] = '^other$'
    box.write('home/.trotline/settings.json', json.dumps(s))
    ask(box, named('claude'), NAMING['claude']('call_1', 'mine')[0])
    r = box.run('hooks', 'log', '--all', '--session', 'mine', '--json')
    record, = json.loads(r.out)['records']
    check(record['cwd'] == box.project and record['hooks'][0]['state'] == 'no-match', record)

tap.done()
