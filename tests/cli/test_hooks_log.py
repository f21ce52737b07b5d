#!/usr/bin/env python3
"""One place to look (C8.10): every firing has an id, whichever agent it was of; a denial names the command
that explains it; `hooks log` shows them all, also as they happen.  Prints TAP."""

import json
import os
import re
import select
import time

from agentbox import PATIENCE, Box, Failed, Tap, check

tap = Tap()
WHY = re.compile(r'Why: trotline hooks why ([0-9a-f]{10})$', re.M)
DENY = 'echo "never \033[31mthat" >&2; exit 2'
PAYLOADS = {
    'claude': {'hook_event_name': 'PreToolUse', 'session_id': 'mine', 'agent_id': 'sub', 'tool_name': 'Bash',
               'tool_input': {'command': 'ls'}},
    'codex': {'hook_event_name': 'PreToolUse', 'session_id': 'mine', 'turn_id': 't', 'tool_name': 'Bash',
              'tool_input': {'command': 'ls'}},
    'windsurf': {'agent_action_name': 'pre_run_command', 'trajectory_id': 'mine', 'tool_info': {
        'command_line': 'ls'}},
    'opencode': {'event': 'tool.before', 'session': 'mine', 'tool': 'bash', 'args': {'command': 'ls'}},
}


def settings(box, command=DENY, **more):
    box.write('home/.trotline/settings.json', json.dumps({'hooks': {'BeforeTool': [{'hooks': [
        {'type': 'command', 'name': 'my-guard', 'guard': True, 'command': command}]}]}, **more}))


def ask(box, agent, payload=None, *options):
    text = payload if isinstance(payload, str) else json.dumps(payload or PAYLOADS[agent])
    with open(box.write('payload', text), 'rb') as stdin:
        return box.run('hook', agent, *options, stdin=stdin)


def records(box):
    path = os.path.join(box.home, '.trotline/records.jsonl')
    with open(path, encoding='utf-8') as f:
        return [json.loads(line) for line in f]


def id_of(r):
    found = WHY.findall(r.err)
    check(r.status == 2 and len(found) == 1, 'no denial that names one id', r)
    return found[0]


def why(box, found):
    r = box.run('hooks', 'why', '--json', found)
    check(r.status == 0, 'why', r)
    return json.loads(r.out)['records']


for agent in PAYLOADS:
    with tap.case('C8.10 a denial names the command that explains it: %s' % agent), Box() as box:
        settings(box)
        r = ask(box, agent)
        found = id_of(r)
        if agent != 'windsurf':
            check(found in r.out, 'the reason in JSON', r)
        shown = box.run('hooks', 'why', found)
        for part in (agent, 'session mine', 'BeforeTool run_shell_command: denied', 'my-guard', 'exit 2',
                     'never \\x1b[31mthat', '~/.trotline/settings.json:1'):
            check(part in shown.out, part, shown)
        check('\033' not in shown.out and shown.status == 0, 'escaped', shown)
        record, = why(box, found)
        check(record['host'] == agent and record['session_id'] == 'mine' and record['id'] == found and
              record['outcome']['verdict'] == 'deny' and record['hooks'][0]['line'] == 1, 'record', record)
        check(agent != 'claude' or ('sub-agent sub' in shown.out and record['agent_id'] == 'sub'), 'sub-agent', shown)

with tap.case('C8.10 a call of several files has one id'), Box() as box:
    settings(box, 'grep -q second && { echo no >&2; exit 2; } || true')
    patch = '*** Begin Patch\n*** Delete File: first\n*** Delete File: second\n*** End Patch\n'
    found = id_of(ask(box, 'codex', dict(PAYLOADS['codex'], tool_name='apply_patch', tool_input={'command': patch})))
    got = why(box, found)
    check([r['outcome']['verdict'] for r in got] == ['none', 'deny'], 'two records', got)

with tap.case('C8.10 a denial of our own is explained, whatever is wrong with the settings'), Box() as box:
    settings(box)
    for text, word in (('{', 'cannot use its settings'), (None, 'cannot read the payload')):
        if text:
            box.write('home/.trotline/settings.json', text)
        r = ask(box, 'codex', None if text else 'garbage')
        shown = box.run('hooks', 'why', id_of(r))
        check(shown.status == 0 and word in shown.out and 'codex' in shown.out, word, shown)

with tap.case('C8.10 what is not kept is not named'), Box() as box:
    settings(box)
    r = ask(box, 'codex', None, '--no-record')
    check(r.status == 2 and 'hooks why' not in r.out + r.err, '--no-record', r)
    os.mkdir(os.path.join(box.home, '.trotline/records.jsonl'))
    r = ask(box, 'codex')
    check(r.status == 2 and 'hooks why' not in r.out + r.err, 'no place for it', r)
    box.env['HOME'] = '/gone'
    r = ask(box, 'codex')
    check(r.status == 2 and 'hooks why' not in r.out + r.err, 'no home directory', r)

with tap.case('an id that leads nowhere'), Box() as box:
    for name in ('0123456789', 'abcdefabcd'):
        r = box.run('hooks', 'why', name)
        check(r.status == 1 and 'no record has the id ' + name in r.err, name, r)
    for name in ('012345678', '0123456789a', 'BeforeTooI', 'ABCDEF0123'):
        r = box.run('hooks', 'why', name)
        check(r.status == 1 and 'no record' not in r.err, name, r)


with tap.case('an agent that trotline does not know'), Box() as box:
    for command in ('log', 'history'):
        for name, meant in (('clade', '; did you mean "claude"?'), ('mcp-gard', '; did you mean "mcp-guard"?'),
                            ('somebody', '')):
            r = box.run('hooks', command, '--agent', name)
            check(r.status == 1 and r.err == f'trotline: no agent is called "{name}"{meant}\n' and not r.out, name, r)
        for name in ('claude', 'trotline', 'mcp-guard'):
            check(box.run('hooks', command, '--agent', name).status == 0, name)
    settings(box)
    ask(box, 'claude')
    r = box.run('hooks', 'log', '--agent', 'codex')
    check(r.status == 0 and r.out == 'No record of hooks fits.\n', 'none fits', r)
    path = os.path.join(box.home, '.trotline/records.jsonl')
    with open(path, encoding='utf-8') as f:
        text = f.read()
    with open(path, 'a', encoding='utf-8') as f:
        f.write(text.replace('"host":"claude"', '"host":"embedder"'))
    r = box.run('hooks', 'log', '--agent', 'embedder')
    check(r.status == 0 and '  embedder' in r.out, 'an embedder names itself', r)


def some_firings(box):
    settings(box)
    for agent in PAYLOADS:
        ask(box, agent)
    settings(box, 'echo "{}"')
    ask(box, 'codex', dict(PAYLOADS['codex'], session_id='other'))
    ask(box, 'codex', {'hook_event_name': 'BrandNew', 'session_id': 'other\033[2J'})


with tap.case('C8.10 log has the firings of all agents'), Box() as box:
    check(box.run('hooks', 'log').out == 'No record of hooks: none has run yet.\n', 'none')
    some_firings(box)
    r = box.run('hooks', 'log')
    lines = r.out.splitlines()
    check(len(lines) == 6 and '\033' not in r.out, 'lines', r)
    for agent, line, record in zip(PAYLOADS, lines, records(box)):
        check(re.match(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ  %s' % agent, line) and
              'BeforeTool run_shell_command: denied: never \\x1b[31mthat' in line and
              line.endswith(record['id']), agent, line)
    check('claude/sub' in lines[0] and 'no opinion' in lines[4] and 'BrandNew' in lines[5], 'words', r)
    for args, n in ((('--agent', 'codex'), 3), (('--session', 'mine'), 4), (('--denied',), 4), (('-n', '1'), 1),
                    (('-n', '6'), 6), (('-n', '7'), 6), (('--denied', '-n', '2', '-a', 'codex'), 1)):
        got = box.run('hooks', 'log', *args).out.splitlines()
        check(len(got) == n and got[-1] in lines, args, got)
        check(len(json.loads(box.run('hooks', 'log', '--json', *args).out)['records']) == n, 'JSON', args)
    check(box.run('hooks', 'log', '-n', '1').out.rstrip('\n') == lines[5], 'the last one')
    check(box.run('hooks', 'log', '-n', '-1').status == 1, 'a negative number')

with tap.case('C8.10 history has the sessions of all agents'), Box() as box:
    check(box.run('hooks', 'history').out == 'No session has such records.\n', 'none')
    some_firings(box)
    ask(box, 'claude', dict(PAYLOADS['claude'], cwd=box.home))
    r = box.run('hooks', 'history')
    lines = r.out.splitlines()
    check(len(lines) == 6 and '\033' not in r.out and r.status == 0, 'a line each', r)
    for agent, session, events, ran, denied, line in (
            ('codex', 'mine', '1 event', 1, 1, lines[0]), ('windsurf', 'mine', '1 event', 1, 1, lines[1]),
            ('opencode', 'mine', '1 event', 1, 1, lines[2]),
            ('codex', 'other', '1 event', 1, 0, lines[3]), ('claude', 'mine', '2 events', 2, 1, lines[5])):
        words = '%s  %s  %s, %d with hooks' % (agent, session, events, ran)
        check(re.match(r'\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ  %s' % words, line) and
              (', %d denied' % denied in line) == (denied > 0), words, lines)
    check(lines[5].endswith(box.home), 'where it was', lines[5])
    for args, want in (((), [0, 1, 2, 3, 4, 5]), (('--denied',), [0, 1, 2, 5]), (('-a', 'codex'), [0, 3, 4]),
                       (('-n', '2'), [4, 5]), (('-n', '6'), [0, 1, 2, 3, 4, 5]), (('-n', '7'), [0, 1, 2, 3, 4, 5]),
                       (('--denied', '-n', '1', '-a', 'codex'), [0])):
        r = box.run('hooks', 'history', *args)
        check(r.out.splitlines() == [lines[i] for i in want], args, r)
        found = json.loads(box.run('hooks', 'history', '--json', *args).out)['sessions']
        check(len(found) == len(want), 'JSON', found)
    last = json.loads(box.run('hooks', 'history', '--json', '-n', '1').out)['sessions'][0]
    check(last['agent'] == 'claude' and last['session_id'] == 'mine' and last['cwd'] == box.home and
          (last['firings'], last['ran'], last['denied'], last['unasked']) == (2, 2, 1, 0) and
          last['first'] < last['last'], 'JSON', last)
    check('unasked' not in json.loads(box.run('hooks', 'history', '--json', '-a', 'windsurf').out)['sessions'][0],
          'what its records cannot tell is not 0')
    check(box.run('hooks', 'history', '-n', '-1').status == 1, 'a negative number')

with tap.case('C8.10 history: a session goes on in the next file, and its name is only text'), Box() as box:
    settings(box)
    path = os.path.join(box.home, '.trotline/records.jsonl')
    ask(box, 'codex')
    os.rename(path, path + '.1')  # as it is done beyond 8 MiB
    ask(box, 'codex')
    ask(box, 'codex', dict(PAYLOADS['codex'], session_id='a\033[2J\nb'))
    with open(path, 'a', encoding='utf-8') as f:
        f.write('[]\n7\n{"event":"E","session_id":7}\n{"session_id":"bare"}\n{"session_id":"half"')
    r = box.run('hooks', 'history')
    lines = r.out.splitlines()
    check(len(lines) == 3 and '2 events' in lines[0] and '(no time)  trotline  bare  1 event' in lines[2] and '\033' not in r.out,
          'lines', r)

with tap.case('C8.10 report has a session of another agent, and says whose'), Box() as box:
    settings(box)
    ask(box, 'codex')
    r = box.run('hooks', 'report')
    check('Session of codex mine' in ' '.join(r.out.split()) and 'denied' in r.out, 'text', r)
    check(json.loads(box.run('hooks', 'report', '--json').out)['agent'] == 'codex', 'JSON')

with tap.case('records: those that no hook ran in, and those without an id'), Box() as box:
    box.write('home/.trotline/records.jsonl', json.dumps(
        {'version': 1, 'event': 'BeforeTool', 'outcome': {'verdict': 'none'}, 'hooks': [{'state': 'no-match'}]}) + '\n'
        + 'half a li\n[]\n7\n{"version":1}\n{"event":"BeforeTool","hooks":7,"outcome":[],"id":5}\n{"event":"cut of')
    check(box.run('hooks', 'log').out.count('\n') == 2, 'shown', box.run('hooks', 'log'))
    check(box.run('hooks', 'log', '--all').out.count('\n') == 3, 'all', box.run('hooks', 'log', '--all'))


# ---- as they happen ----


class Follow:
    def __init__(self, box, *args):
        self.p, self.seen = box.start(['hooks', 'log', '--follow', *args]), b''

    def line(self):
        until = time.monotonic() + 10 * PATIENCE
        while b'\n' not in self.seen:
            if not select.select([self.p.stdout], [], [], max(0, until - time.monotonic()))[0]:
                raise Failed('no line: %r' % self.seen)
            got = os.read(self.p.stdout.fileno(), 65536)
            check(got, 'it ended')
            self.seen += got
        line, self.seen = self.seen.split(b'\n', 1)
        return line.decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.p.terminate()
        self.p.communicate()


with tap.case('C8.10 log --follow shows firings as they happen'), Box() as box:
    with Follow(box) as f, Follow(box, '--json', '--agent', 'codex') as j:  # before there is a directory
        settings(box)
        for agent in PAYLOADS:
            found = id_of(ask(box, agent))
            line = f.line()
            check(found in line and agent in line and '\033' not in line, agent, line)
            if agent == 'codex':
                check(json.loads(j.line())['id'] == found, 'JSON')
    with Follow(box, '-n', '2') as f:
        check('windsurf' in f.line() and 'opencode' in f.line(), 'the last two')
        path = os.path.join(box.home, '.trotline/records.jsonl')
        os.rename(path, path + '.1')  # as it is done beyond 8 MiB
        found = id_of(ask(box, 'codex'))
        check(found in f.line(), 'in the next file')
        with open(path, 'a', encoding='utf-8') as out:
            out.write('{"event":"Half","hooks":[],')
        with open(path, 'a', encoding='utf-8') as out:
            out.write('"id":"9999999999"}\n')
        check('Half' in f.line(), 'a line that came in two parts')

with tap.case('log --follow ends when its reader has gone'), Box() as box:
    settings(box)
    ask(box, 'codex')
    f = Follow(box)
    f.line()
    f.p.stdout.close()
    ask(box, 'codex')
    try:
        f.p.wait(10 * PATIENCE)
    except Exception as e:
        f.p.kill()
        raise Failed('it goes on') from e
    finally:
        f.p.stderr.close()

tap.done()
