#!/usr/bin/env python3
"""trotline mcp guard between a client and a server that say exactly what a test wants.  Prints TAP."""

import http.server
import json
import os
import random
import select
import signal
import subprocess
import sys
import threading
import time

from agentbox import PATIENCE, TROTLINE, Box, Tap, check, wait_until

ROOT = os.environ.get('TEST_SOURCE_ROOT', '.')
RAW = os.path.join(ROOT, 'tests/mcp/raw_server.py')

class Skipped(Exception):
    pass


HOOK = r'''
import json, os, sys, time
mode, box = sys.argv[1], sys.argv[2]
said = sys.stdin.read()
with open(box + '/asked', 'a') as f:
    f.write(said.strip() + '\n')
event = json.loads(said)
text = json.dumps([event['tool_input'], event.get('tool_response')])
def deny(reason): print(json.dumps({'decision': 'deny', 'reason': reason}))
def give(**more): print(json.dumps({'hookSpecificOutput': {'hookEventName': event['hook_event_name'], **more}}))
def wait(name):
    while not os.path.exists(box + '/' + name): time.sleep(0.005)
if mode == 'deny-bad' and 'bad' in text: deny('nothing bad here')
elif mode == 'deny': deny('not this')
elif mode == 'deny-secret' and 'secret' in json.dumps(event['tool_response']): deny('that was secret')
elif mode == 'rewrite': give(tool_input={'path': '/safe'})
elif mode == 'redact': give(updatedMCPToolOutput=text.count('secret') and 'REDACTED' or 'clean')
elif mode == 'redact-any': give(updatedToolOutput='REDACTED')
elif mode == 'redact-json': give(updatedMCPToolOutput='{"x": "***"}')
elif mode == 'context': give(additionalContext='look <here>')
elif mode == 'ask': print(json.dumps({'decision': 'ask', 'reason': 'is that right?'}))
elif mode == 'stop': print(json.dumps({'continue': False, 'stopReason': 'enough'}))
elif mode == 'tail': give(tailToolCallRequest={'name': 'other', 'args': {}})
elif mode == 'crash': os.kill(os.getpid(), 11)
elif mode == 'noise': print('no JSON')
elif mode == 'wait': wait('go-' + str(event['tool_input'].get('key', '')))
elif mode == 'say': print(json.dumps({'systemMessage': 'seen \x1b[31mit'}))
'''


def hook(box, mode, matcher='', guard=True, **more):
    path = box.write('hook.py', HOOK)
    return {'matcher': matcher, 'hooks': [{'type': 'command', 'guard': guard, 'name': mode,
                                           'command': 'python3 %s %s %s' % (path, mode, box.root), **more}]}


def settings(box, before=(), after=(), **more):
    box.write('home/.trotline/settings.json', json.dumps({
        'hooks': {'BeforeTool': list(before), 'AfterTool': list(after)}, **more}))


def asked(box):
    try:
        with open(os.path.join(box.root, 'asked'), encoding='utf-8') as f:
            return [json.loads(line) for line in f]
    except FileNotFoundError:
        return []


class Guard:
    """The program, its server, and a client that reads line by line with a deadline."""

    def __init__(self, box, *server, args=('--name', 'files'), command=None, alone=False):
        self.box = box
        self.log = os.path.join(box.root, 'heard')
        open(self.log, 'wb').close()
        if command is None:
            command = ['--', sys.executable, RAW, self.log, *server]
        argv = command[1:] if alone else [TROTLINE, 'mcp', 'guard', *args, *command]
        self.p = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                  stderr=subprocess.PIPE, cwd=box.project, env=box.env)
        self.buf, self.id, self.err = b'', 0, b''
        self.thread = threading.Thread(target=self.read_err)
        self.thread.start()

    def read_err(self):
        for data in iter(lambda: os.read(self.p.stderr.fileno(), 65536), b''):
            self.err += data

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.p.poll() is None:
            self.p.kill()
        self.p.wait()
        if not self.p.stdin.closed:
            try:
                self.p.stdin.close()
            except BrokenPipeError:
                pass
        left = self.box.left()
        for pid in left:
            os.kill(pid, 9)
        self.thread.join()
        self.p.stdout.close()
        self.p.stderr.close()

    def put(self, data):
        self.p.stdin.write(data if isinstance(data, bytes) else data.encode() + b'\n')
        self.p.stdin.flush()

    def send(self, method, params=None, **more):
        self.id += 1
        m = {'jsonrpc': '2.0', 'id': self.id, 'method': method, **more}
        if params is not None:
            m['params'] = params
        self.put(json.dumps(m))
        return m['id']

    def raw_line(self, seconds=20):
        until = time.monotonic() + seconds * PATIENCE
        while b'\n' not in self.buf:
            left = until - time.monotonic()
            check(left > 0 and select.select([self.p.stdout], [], [], left)[0], 'no answer',
                  self.err.decode(errors='replace'))
            data = os.read(self.p.stdout.fileno(), 1 << 20)
            check(data, 'stdout has ended', self.err.decode(errors='replace'))
            self.buf += data
        line, _, self.buf = self.buf.partition(b'\n')
        return line

    def line(self):
        return json.loads(self.raw_line())

    def ask(self, method, params=None, **more):
        id = self.send(method, params, **more)
        m = self.line()
        check(m['id'] == id, 'another answer', m)
        return m

    def call(self, tool, args=None, **more):
        return self.ask('tools/call', {'name': tool, 'arguments': args or {}}, **more)

    def heard(self):
        with open(self.log, 'rb') as f:
            return f.read()

    def settle(self):
        """All before has reached the server."""
        self.ask('ping')

    def end(self, seconds=20):
        self.p.stdin.close()
        return self.p.wait(seconds * PATIENCE)


def is_denied(m, *words):
    r = m.get('result', {})
    check(r.get('isError') is True, 'no denial', m)
    for word in words:
        check(word in r['content'][0]['text'], 'no "%s"' % word, m)


def is_error(m, *words):
    check('error' in m and 'result' not in m, 'no error', m)
    for word in words:
        check(word in m['error']['message'], 'no "%s"' % word, m)


def call_text(id, tool, args='{}', method='tools/call'):
    return ('{"jsonrpc":"2.0","id":%s,"method":"%s","params":{"name":"%s","arguments":%s}}'
            % (json.dumps(id), method, tool, args))


# ---- what hooks may do ----

def test_denied_call_never_reaches_the_server(box):  # C8.13
    settings(box, [hook(box, 'deny-bad', 'mcp__files__echo')])
    with Guard(box) as g:
        is_denied(g.call('echo', {'x': 'bad'}), 'nothing bad here')
        check(g.call('echo', {'x': 'good'})['result']['content'][0]['text'] == '{"x": "good"}', 'not called')
        g.call('other', {'x': 'bad'})
        check(b'"echo", "arguments": {"x": "bad"}' not in g.heard(), 'it was sent', g.heard())
        check(g.end() == 0, 'exit status')
    e = asked(box)[0]
    check(e['tool_name'] == 'mcp__files__echo' and e['tool_input'] == {'x': 'bad'} and
          e['mcp_context']['server_name'] == 'files' and e['mcp_context']['tool_name'] == 'echo' and
          e['tool_call_id'] == '1' and e['session_id'].startswith('mcp-guard-files-'), 'payload', e)


def test_names_by_dialect(box):
    settings(box, [hook(box, 'deny', 'mcp__files__.*', dialect='claude')], mcp={'toolNaming': 'single'})
    with Guard(box) as g:
        is_denied(g.call('echo'), 'not this')
    check(asked(box)[0]['tool_name'] == 'mcp__files__echo' and
          asked(box)[0]['hook_event_name'] == 'PreToolUse', 'claude', asked(box))


def test_rewritten_arguments_are_what_the_server_gets(box):
    settings(box, [hook(box, 'rewrite', 'mcp__files__echo')])
    with Guard(box) as g:
        g.put('{"jsonrpc":"2.0","id":12345678901234567890,"method":"tools/call",'
              '"params":{"name":"echo","_meta":{"n":1.50},"arguments":{"path":"/etc"}}}')
        m = g.line()
        check(json.loads(m['result']['content'][0]['text']) == {'path': '/safe'}, 'result', m)
        check(b'"id":12345678901234567890' in g.heard() and b'1.50' in g.heard() and
              b'/etc' not in g.heard(), 'numbers keep their digits', g.heard())
        g.put('{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"echo"}}')
        check(json.loads(g.line()['result']['content'][0]['text']) == {'path': '/safe'}, 'no arguments')


def test_results_are_withheld_and_replaced(box):
    settings(box, after=[hook(box, 'deny-secret', 'mcp__files__result'),
                         hook(box, 'redact', 'mcp__files__echo', dialect='claude')])
    secret = {'content': [{'type': 'text', 'text': 'a secret'}], 'structuredContent': {'x': 1}}
    with Guard(box) as g:
        is_denied(g.call('result', {'result': secret}), 'that was secret')
        m = g.call('echo', {'x': 'secret'})
        check(m['result'] == {'content': [{'type': 'text', 'text': 'REDACTED'}]}, 'not replaced', m)
        clean = {'content': [{'type': 'text', 'text': 'fine'}]}
        check(g.call('result', {'result': clean})['result'] == clean, 'changed')


def test_data_beside_the_text_is_replaced_with_it(box):
    settings(box, after=[hook(box, 'redact-json', 'mcp__files__result', dialect='claude')])
    with Guard(box) as g:
        m = g.call('result', {'result': {'content': [], 'structuredContent': {'x': 'secret'},
                                         '_meta': {'y': 'secret'}}})
        check(m['result'] == {'structuredContent': {'x': '***'},
                              'content': [{'type': 'text', 'text': '{"x": "***"}'}]}, 'result', m)
    e = asked(box)[0]
    check('secret' in json.dumps(e), 'hooks see all of it', e)


def test_errors_of_the_server_are_results(box):
    settings(box, after=[hook(box, 'deny-secret')])
    with Guard(box) as g:
        m = g.call('fail')
        is_denied(m, 'that was secret')
        check('it failed' not in json.dumps(m), 'the error has come through', m)
    check(asked(box)[0]['tool_error'] == 'it failed with a secret', 'payload', asked(box))


def test_context_is_a_further_block(box):
    settings(box, [hook(box, 'context', 'mcp__files__echo')], [hook(box, 'context', 'mcp__files__fail')])
    with Guard(box) as g:
        blocks = g.call('echo', {'x': 1})['result']['content']
        check(len(blocks) == 2 and 'look &lt;here&gt;' in blocks[1]['text'], 'context', blocks)
        is_error(g.call('fail'), 'it failed', 'look')


def test_ask_stop_and_tail_calls_are_denials(box):
    settings(box, [hook(box, 'ask', 'mcp__files__a'), hook(box, 'stop', 'mcp__files__b')],
             [hook(box, 'tail', 'mcp__files__c'), hook(box, 'stop', 'mcp__files__d')])
    with Guard(box) as g:
        is_denied(g.call('a'), 'is that right?', 'Ask the user')
        is_denied(g.call('b'), 'enough')
        is_denied(g.call('c'), 'another tool')
        is_denied(g.call('d'), 'enough')
        check(b'"a"' not in g.heard() and b'"b"' not in g.heard(), 'sent', g.heard())


def test_messages_and_records(box):
    settings(box, [hook(box, 'say', 'mcp__files__echo')])
    with Guard(box) as g:
        g.call('echo')
        g.end()
        g.thread.join()
        check(b'seen' in g.err and b'\x1b' not in g.err, 'stderr', g.err)
    with open(os.path.join(box.home, '.trotline/records.jsonl'), encoding='utf-8') as f:
        r = json.loads(f.readline())
    check(r['event'] == 'BeforeTool' and r['session_id'].startswith('mcp-guard-files-'), 'record', r)


# ---- never open ----

def test_a_denial_names_the_command_that_explains_it(box):  # C8.10
    settings(box, [hook(box, 'deny-bad')], [hook(box, 'deny-secret')])
    with Guard(box) as g:
        for args in ({'x': 'bad'}, {'text': 'secret'}):
            text = g.call('echo', args)['result']['content'][0]['text']
            reason, _, command = text.rpartition('\nWhy: trotline ')
            shown = box.run(*command.split())
            check(shown.status == 0 and reason in shown.out and 'mcp-guard' in shown.out and
                  'mcp__files__echo: denied' in shown.out, command, shown)
    with Guard(box, args=('--name', 'files', '--no-record')) as g:
        check('hooks why' not in json.dumps(g.call('echo', {'x': 'bad'})), 'no record, no name')


def test_hooks_that_fail_deny(box):
    settings(box, [hook(box, 'crash', 'mcp__files__a'), hook(box, 'noise', 'mcp__files__b'),
                   hook(box, 'wait', 'mcp__files__c', timeout=50)],
             [hook(box, 'crash', 'mcp__files__d')])
    with Guard(box) as g:
        for tool in 'abcd':
            is_denied(g.call(tool))
        check(g.call('e')['result'], 'the session goes on')
        check(g.heard().count(b'tools/call') == 2, 'sent', g.heard())


AMBIGUOUS = [
    '{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","method":"ping","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"Method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"ping","METHOD":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"Tools/Call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call ","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call\\u0000","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tool\\u017f/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","Name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo "}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other\\u0000"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":["echo",{}]}',
    '{"jsonrpc":"2.0","id":1,"method":["tools/call"],"params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":[["tools/call"]],"params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":["echo"]}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x"},"params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","param\\u017f":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"id":2,"method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","result":{},"params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":null,"method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":[1],"method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":[1]}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1,"a":2}}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"b":{"a":1,"A":2}}}}',
    '[[{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}]]',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"},}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"n":NaN}}}',
    '\ufeff{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}',
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":' + '[' * 600
    + ']' * 600 + '}}',
]


def test_what_could_be_read_in_two_ways_is_denied(box):
    settings(box, [hook(box, 'deny', 'mcp__files__echo')])
    with Guard(box) as g:
        for text in AMBIGUOUS:
            g.put(text)
            is_error(g.line(), 'trotline mcp guard')
        bad = (b'{"jsonrpc":"2.0","id":1,"method":"tools/ca\xffll","params":{"name":"echo"}}\n',
               b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":"\xff"}}}\n')
        for data in bad:
            g.put(data)
            is_error(g.line(), 'trotline mcp guard')
        g.settle()
        check(b'call' not in g.heard() and b'echo' not in g.heard(), 'sent', g.heard())


def test_a_carriage_return_ends_no_line(box):
    settings(box, [hook(box, 'deny', 'mcp__files__echo')])
    with Guard(box) as g:
        g.put('{"x":[\r%s\r]}\r' % call_text(1, 'echo'))
        g.settle()
        check(g.heard().startswith(b'{"x":[ {') and b'} ]}\r\n' in g.heard(), 'sent', g.heard())


def test_a_call_without_id_is_a_call(box):
    settings(box, [hook(box, 'deny', 'mcp__files__echo')])
    with Guard(box) as g:
        g.put('{"jsonrpc":"2.0","method":"tools/call","params":{"name":"echo"}}')
        is_denied(g.call('echo'))
        wait_until(lambda: len(asked(box)) == 2, 20, 'the hooks of the first')
        g.settle()
        check(b'call' not in g.heard(), 'sent', g.heard())


def test_ids(box):
    settings(box, [hook(box, 'wait', 'mcp__files__echo')], [hook(box, 'deny-secret', 'mcp__files__say')])
    with Guard(box) as g:
        g.put(call_text(7, 'echo', '{"key":"a"}'))
        for text in (call_text(7, 'other'), call_text(7, 'echo'), call_text('7', 'other'),
                     call_text(7, 'x', method='ping')):
            g.put(text)
            is_error(g.line(), 'not answered yet')
        box.write('go-a', '')
        check(g.line()['id'] == 7, 'the first goes on')
        # Answers to a call that was denied, was never sent, has been answered.
        stray = json.dumps({'jsonrpc': '2.0', 'id': 99, 'result': {'content': []}})
        answer = '{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"%s"}]}}'
        g.put(call_text(8, 'say', json.dumps({'lines': [stray, answer % 'ok', answer % 'secret']})))
        m = g.line()
        check(m['id'] == 8 and m['result']['content'][0]['text'] == 'ok', 'answer', m)
        g.put(call_text('9', 'say', json.dumps({'lines': [(answer % 'secret').replace('ID', '9'),
                                                          answer % 'fine']})))
        m = g.line()
        check(m['id'] == '9' and m['result']['content'][0]['text'] == 'fine', 'another type of id', m)
        g.settle()


def test_answers_that_could_be_read_in_two_ways(box):
    settings(box, after=[hook(box, 'deny-secret', 'mcp__files__say')])
    with Guard(box) as g:
        for line in ('{"jsonrpc":"2.0","id":ID,"result":{"content":[]},"result":{"content":["secret"]}}',
                     '{"jsonrpc":"2.0","id":ID,"Result":{"content":["secret"]}}',
                     '{"jsonrpc":"2.0","ID":ID,"result":{"content":["secret"]}}'.replace('"ID"', '"Id"'),
                     '{"jsonrpc":"2.0","id":ID,"id":77,"result":{"content":["secret"]}}',
                     '{"jsonrpc":"2.0","id":ID,"method":"x","result":{"content":["secret"]}}',
                     '{"jsonrpc":"2.0","id":ID,"result":{"content":["secret"]},"error":{"message":"x"}}',
                     '{"jsonrpc":"2.0","id":ID,"result":{"content":["secret"],"content":[]}}',
                     '{"jsonrpc":"2.0","id":ID,"result":{"content":[NaN,"secret"]}}'):
            m = g.call('say', {'lines': [line]})
            is_denied(m, 'without doubt')
            check('secret' not in json.dumps(m), 'it came through', m)
        is_denied(g.call('say', {'lines': [json.dumps({'jsonrpc': '2.0', 'id': g.id + 1, 'result': {
            'content': [{'type': 'text', 'text': 'secret'}]}})]}), 'that was secret')


def test_too_long(box):
    settings(box, [hook(box, 'deny', 'mcp__files__echo')], [hook(box, 'deny-secret', 'mcp__files__long')])
    with Guard(box) as g:
        text = call_text(5, 'echo', '{"x":"%s"}' % ('x' * (33 << 20)))
        writer = threading.Thread(target=g.put, args=(text,))
        writer.start()
        m = g.line()
        writer.join()
        check(m['id'] == 5, 'which one', m)
        is_error(m, 'longer than')
        is_denied(g.call('long'), 'without doubt')
        check(g.call('other')['result'], 'the session goes on')
        check(b'"echo"' not in g.heard(), 'sent')


def test_broken_settings(box):
    box.write('home/.trotline/settings.json', '{"hooks": ')
    with Guard(box) as g:
        is_error(g.ask('initialize', {}), 'cannot start', 'settings.json')
        check(g.p.wait(20 * PATIENCE) == 52, 'exit status', g.p.returncode)
        check(not g.heard(), 'the server was started')


def in_sub(box, inner, **hooks):
    """The root project has these hooks, and the guard starts in a project inside of it."""
    box.write('project/.trotline/settings.json', json.dumps({'hooks': hooks}))
    box.write('project/sub/.trotline/settings.json', json.dumps({'hooks': inner} if inner else {}))
    root = box.project
    for box.project in (root, os.path.join(root, 'sub')):
        box.run('hooks', 'trust', '--yes')


def test_a_project_in_a_project_takes_no_guard_away(box):  # C7.9, C8.2
    in_sub(box, {}, BeforeTool=[hook(box, 'deny-bad', 'mcp__files__echo')],
           AfterTool=[hook(box, 'deny-secret', 'mcp__files__.*')])
    with Guard(box) as g:
        is_denied(g.call('echo', {'x': 'bad'}), 'nothing bad here')
        is_denied(g.call('echo', {'x': 'secret'}), 'that was secret')
        check(g.call('echo', {'x': 'good'})['result']['content'][0]['text'] == '{"x": "good"}', 'not called')
        check(b'"bad"' not in g.heard(), 'it was sent', g.heard())
        check(g.end() == 0, 'exit status')


def test_the_strictest_of_several_projects_counts(box):  # C7.9, C8.2
    in_sub(box, {'BeforeTool': [hook(box, 'ask', '.*echo_ask'), hook(box, 'rewrite', '.*echo_new'),
                                hook(box, 'context', '.*echo')],
                 'AfterTool': [hook(box, 'redact', '.*echo', dialect='claude')]},
           BeforeTool=[hook(box, 'deny', '.*echo_ask'), hook(box, 'deny-bad', '.*'), hook(box, 'crash', '.*crash')])
    with Guard(box) as g:
        is_denied(g.call('echo', {'x': 'bad'}), 'nothing bad here')
        is_denied(g.call('echo_ask'), 'not this')
        is_denied(g.call('crash'))
        check('REDACTED' in json.dumps(g.call('echo', {'x': 'secret'})), 'the inner hooks are not asked')
        is_denied(g.call('echo_new', {'path': '/etc'}), 'hooks of another project')
        check(b'"bad"' not in g.heard() and b'/safe' not in g.heard(), 'it was sent', g.heard())
        check(g.end() == 0, 'exit status')


def test_settings_that_change_count_for_what_the_server_answers(box):  # C8.14
    with Guard(box) as g:
        def late(change, *others):
            go = os.path.join(box.root, 'go-%d' % g.id)
            g.send('tools/call', {'name': 'wait', 'arguments': {'for': go, 'result': secret}})
            wait_until(lambda: go.encode() in g.heard(), 20, 'the call')
            change()
            for line in others:
                g.put(line)
            box.write(os.path.basename(go), '')
            return g.line()

        secret = {'content': [{'type': 'text', 'text': 'secret'}]}
        guarded = lambda: settings(box, after=[hook(box, 'deny-secret', 'mcp__files__.*')])
        check(late(lambda: None)['result'] == secret, 'not passed', g.err)
        is_denied(late(guarded), 'that was secret')
        settings(box)
        is_denied(late(guarded, json.dumps({'jsonrpc': '2.0', 'method': 'notifications/x'})), 'that was secret')
        settings(box)
        is_denied(late(lambda: box.write('home/.trotline/settings.json', '{ "hooks": ')), 'cannot ask the hooks')
        guarded()
        check(late(lambda: settings(box))['result'] == secret, 'nobody forbids it any longer', g.err)
        check(g.end() == 0, 'exit status')


def test_settings_that_change_count_at_the_next_call(box):  # C8.14
    def passes(g, **args):
        check(g.call('echo', args)['result']['content'][0]['text'] == json.dumps(args), 'not called', args, g.err)

    del box.env['GEMINI_CLI_TRUST_WORKSPACE']
    with Guard(box) as g:
        passes(g, x='bad')
        settings(box, [hook(box, 'deny-bad', 'mcp__files__echo')])  # the first file that there is
        is_denied(g.call('echo', {'x': 'bad'}), 'nothing bad here')
        passes(g, x='good')
        settings(box, [hook(box, 'deny', 'mcp__files__echo')])
        is_denied(g.call('echo', {'x': 'good'}), 'not this')
        box.write('home/.trotline/settings.json', '{ "hooks": ')
        is_denied(g.call('echo', {'x': 'good'}), 'cannot ask the hooks', 'settings.json')
        is_denied(g.call('other'), 'cannot ask the hooks')
        g.settle()  # no hook could concern that
        settings(box)
        passes(g, x='bad')
        project = json.dumps({'hooks': {'BeforeTool': [hook(box, 'deny-bad', '.*')]}})
        box.write('project/.trotline/settings.json', project)
        passes(g, x='bad')  # not approved
        check(box.run('hooks', 'trust', '--yes').status == 0, 'approved')
        is_denied(g.call('echo', {'x': 'bad'}), 'nothing bad here')
        os.remove(os.path.join(box.project, '.trotline/settings.json'))
        passes(g, x='bad')
        check(g.end() == 0, 'exit status')


def test_policies_that_change_count_at_the_next_call(box):  # C8.14
    rule = '[[rule]]\ntoolName = "%s"\ndecision = "deny"\npriority = 100\n'
    with Guard(box) as g:
        check('isError' not in g.call('echo')['result'], 'without')
        box.write('home/.trotline/policies/mine.toml', rule % 'mcp__files__echo')
        is_denied(g.call('echo'))
        box.write('home/.trotline/policies/mine.toml', rule % 'mcp__files__other')
        check('isError' not in g.call('echo')['result'], 'changed')
        os.remove(os.path.join(box.home, '.trotline/policies/mine.toml'))
        check('isError' not in g.call('other')['result'], 'gone')


def test_a_call_that_waits_keeps_the_hooks_of_its_time(box):  # C8.14
    settings(box, [hook(box, 'wait', 'mcp__files__echo')], [hook(box, 'deny-secret')])
    with Guard(box) as g:
        first = g.send('tools/call', {'name': 'echo', 'arguments': {'key': 'a', 'text': 'secret'}})
        wait_until(lambda: asked(box), 5, 'the hook')
        settings(box, [hook(box, 'deny', 'mcp__files__echo')])
        is_denied(g.call('echo'), 'not this')
        box.write('go-a', '')
        check(g.line()['id'] == first, 'answered')


def test_hooks_that_are_no_processes(box):  # C6.11, C8.13
    class Says(http.server.BaseHTTPRequestHandler):
        def do_POST(self):
            self.rfile.read(int(self.headers['Content-Length']))
            text = json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': 'deny',
                                                      'permissionDecisionReason': 'said on the web'}}).encode()
            self.send_response(200)
            self.send_header('Content-Length', str(len(text)))
            self.end_headers()
            self.wfile.write(text)

        def log_message(self, *_):
            pass

    web = http.server.HTTPServer(('127.0.0.1', 0), Says)
    thread = threading.Thread(target=web.serve_forever)
    thread.start()

    def use(**entry):
        box.write('home/.trotline/settings.json', json.dumps({
            'allowedHttpHookUrls': ['http://127.0.0.1:*'],
            'hooks': {'PreToolUse': [{'matcher': '', 'hooks': [dict(entry, dialect='claude')]}]}}))

    try:
        use(type='http', url='http://127.0.0.1:%d/x' % web.server_port)
        with Guard(box) as g:
            is_denied(g.call('echo'), 'said on the web')
            # What cannot be asked: a guard denies; another hook has failed, which its record says.
            for entry in (dict(type='http', url='http://127.0.0.1:1/'), dict(type='prompt', prompt='Is $ARGUMENTS safe?'),
                          dict(type='agent', prompt='Is it?'), dict(type='mcp_tool', server='gone', tool='scan')):
                use(guard=True, **entry)
                is_denied(g.call('echo'), 'guard')
                use(**entry)
                check('isError' not in g.call('echo')['result'], 'no guard', entry)
                with open(os.path.join(box.home, '.trotline/records.jsonl'), encoding='utf-8') as f:
                    last = json.loads(f.readlines()[-1])['hooks'][0]
                check(last['state'] == 'ran' and last['class'] not in ('ok', 'blocked'), 'passed without a word', last)
            check(g.end() == 0, 'exit status')
    finally:
        web.shutdown()
        thread.join()
        web.server_close()


def test_rewritten_where_no_other_project_has_hooks(box):  # C7.9
    in_sub(box, {}, BeforeTool=[hook(box, 'rewrite', '.*echo')])
    with Guard(box) as g:
        check('/safe' in json.dumps(g.call('echo', {'path': '/etc'})), 'not rewritten')
        check(g.end() == 0, 'exit status')


def test_server_that_cannot_start(box):
    settings(box)
    with Guard(box, command=['--', 'no-such-program-here']) as g:
        is_error(g.ask('initialize', {}), 'no-such-program-here')
        check(g.p.wait(20 * PATIENCE) == 1, 'exit status', g.p.returncode)


# ---- transparent ----

ODD = [
    '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"other","arguments":{"a":1,"a":2}}}',
    ' { "method" : "ping" ,\t"id":2,"jsonrpc":"2.0"} ',
    '{"jsonrpc":"2.0","id":"x","method":"no/such","params":[1,{"a":1e400}],"extra":"\\ud800"}',
    '{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"progress":1.00}}',
    '{"id":9,"jsonrpc":"2.0","result":{"roots":[]}}',
    '{"jsonrpc":"2.0","id":9,"error":{"code":-1,"message":"caf\u00e9"}}',
    '{"jsonrpc":"2.0","id":3,"method":"ping","method":"ping"}',
    '', '   ', '7', '"x"', 'null', '[]', '{}\r',
    '[{"jsonrpc":"2.0","id":11,"method":"ping"} ,\t{"jsonrpc":"2.0","method":"notifications/x"}]',
]


def test_bytes_pass_where_no_hook_concerns_them(box):  # C8.12
    settings(box, [hook(box, 'deny', 'mcp__files__echo')])
    with Guard(box) as g:
        data = '\n'.join(ODD).encode() + b'\n' + b'{"jsonrpc":"2.0","method":"x","params":"\xff\xfe"}\n'
        g.put(data + b'{"jsonrpc":"2.0","method":"last"}')  # without a newline
        g.p.stdin.close()
        g.p.stdout.read()
        check(g.p.wait(20 * PATIENCE) == 0, 'exit status')
        check(g.heard() == data + b'{"jsonrpc":"2.0","method":"last"}\n', 'bytes', g.heard())


def test_ambiguous_passes_without_hooks(box):
    settings(box)
    with Guard(box) as g:
        texts = [t for t in AMBIGUOUS if t.startswith('{') and 'NaN' not in t and '},}' not in t
                 and '[[[' not in t]
        g.put('\n'.join(texts))
        g.p.stdin.close()
        g.p.stdout.read()
        check(g.heard() == '\n'.join(texts).encode() + b'\n', 'bytes', g.heard())


def random_value(r, depth=0):
    kind = r.randrange(8 if depth < 4 else 5)
    if kind == 0:
        return r.choice(['1', '-0', '1.50', '1E+3', '12345678901234567890', 'true', 'false', 'null'])
    if kind < 5:
        return json.dumps(''.join(r.choice('abz\u00e9\u2028\U0001f600"\\\n/{}[],:') for _ in range(r.randrange(9))),
                          ensure_ascii=r.random() < .5)
    space = r.choice(['', ' ', '\t', '  '])
    if kind < 7:
        return '[' + (',' + space).join(random_value(r, depth + 1) for _ in range(r.randrange(4))) + ']'
    return '{' + (space + ',').join('%s:%s%s' % (json.dumps(r.choice(['a', 'b', 'id', 'method', 'name', 'A'])),
                                                 space, random_value(r, depth + 1))
                                    for _ in range(r.randrange(4))) + '}'


def random_line(r, n, method, answer=False):
    members = ['"jsonrpc":"2.0"']
    if answer:
        members += ['"id":%d' % n, r.choice(['"result":', '"error":']) + '{"x":%s}' % random_value(r)]
    else:
        members += ['"method":%s' % json.dumps(method), '"params":' + random_value(r)]
        if r.random() < .5:
            members.append('"id":%s' % r.choice([str(n), '"s%d"' % n, '%d.5' % n]))
    r.shuffle(members)
    return (r.choice(['', ' ']) + '{' + r.choice([',', ' , ']).join(members) + '}' + r.choice(['', ' ', '\r']))


def test_random_streams_pass_byte_for_byte(box):
    """What no hook concerns: messages of all kinds in both directions, in any order."""
    seed = int(os.environ.get('SEED', random.randrange(1 << 30)))
    r = random.Random(seed)
    methods = ['ping', 'tools/list', 'x/y', 'notifications/progress', 'sampling/createMessage',
               'elicitation/create', 'resources/list', 'completion/complete', 'tools/callx']
    settings(box, [hook(box, 'deny', 'mcp__files__echo')], [hook(box, 'deny', 'mcp__files__echo')])
    for _ in range(5):
        there = [random_line(r, n, r.choice(methods), r.random() < .2) for n in range(200)]
        back = [random_line(r, n, r.choice(methods)) for n in range(200)]
        said = box.write('say', '')
        with open(said, 'wb') as f:
            f.write('\n'.join(back).encode('utf-8', 'surrogatepass') + b'\n')
        with Guard(box, said) as g:
            data = '\n'.join(there).encode() + b'\n'
            threading.Thread(target=g.put, args=(data,)).start()
            got = [g.raw_line() for _ in back]
            want = [line.encode('utf-8', 'surrogatepass') for line in back]
            check(got == want, 'from the server, seed %d' % seed)
            wait_until(lambda: len(g.heard()) >= len(data), 20, 'the server to hear it all')
            check(g.heard() == data, 'from the client, seed %d' % seed)


def test_both_directions_have_requests(box):
    settings(box, [hook(box, 'deny-bad', 'mcp__files__.*')], [hook(box, 'deny-secret', 'mcp__files__.*')])
    ask = '{"jsonrpc": "2.0","id":ID,"method":"%s","params":{"message":"secret"}}'
    with Guard(box) as g:
        for method in ('sampling/createMessage', 'elicitation/create', 'roots/list'):
            id = g.send('tools/call', {'name': 'say', 'arguments': {'lines': [ask % method]}})
            check(g.raw_line().decode() == (ask % method).replace('ID', str(id)), 'request of the server')
            reply = '{"jsonrpc":"2.0", "id":%d,"result":{"bad":"secret"}}' % id
            g.put(reply)
            g.settle()
            check(reply.encode() + b'\n' in g.heard(), 'answer of the client', g.heard())


def test_arrays_are_judged_one_by_one(box):
    settings(box, [hook(box, 'deny-bad', 'mcp__files__echo')], [hook(box, 'deny-secret', 'mcp__files__say')])
    with Guard(box) as g:
        g.put('[%s, {"jsonrpc":"2.0","id":2, "method":"ping"},%s]'
              % (call_text(1, 'echo', '{"x":"bad"}'), call_text(3, 'echo', '{"x":"good"}')))
        got = {}
        while len(got) < 3:
            m = g.line()
            got.update({one['id']: one for one in (m if isinstance(m, list) else [m])})
        is_denied(got[1])
        check('result' in got[2] and 'good' in json.dumps(got[3]), 'the others', got)
        check(b'[{"jsonrpc":"2.0","id":2, "method":"ping"}]\n' in g.heard() and b'bad' not in g.heard(),
              'sent', g.heard())
        batch = ('[{"jsonrpc":"2.0","id":ID,"result":{"content":[{"type":"text","text":"secret"}]}}, '
                 '{"jsonrpc":"2.0","method":"x", "params":{}}]')
        g.send('tools/call', {'name': 'say', 'arguments': {'lines': [batch]}})
        check(g.raw_line() == b'[{"jsonrpc":"2.0","method":"x", "params":{}}]', 'the rest')
        is_denied(g.line(), 'that was secret')


# ---- resources, prompts, tasks ----

def test_resources(box):
    settings(box, [hook(box, 'deny-bad', 'read_mcp_resource')],
             [hook(box, 'redact-any', 'ReadMcpResourceTool', dialect='claude')])
    with Guard(box) as g:
        is_error(g.ask('resources/read', {'uri': 'file:///bad%20file'}), 'nothing bad')
        m = g.ask('resources/read', {'uri': 'https://example.com/x'})
        check(m['result'] == {'contents': [{'uri': 'https://example.com/x', 'mimeType': 'text/plain',
                                            'text': 'REDACTED'}]}, 'result', m)
        check(b'bad' not in g.heard(), 'sent')
    a, b = asked(box)[:2]
    check(a['tool_name'] == 'read_mcp_resource' and a['tool_paths'] == ['/bad file'] and
          a['tool_input'] == {'uri': 'file:///bad%20file', 'serverName': 'files'} and
          a['mcp_context']['server_name'] == 'files', 'payload', a)
    check(b['tool_urls'] == ['https://example.com/x'] and b['tool_paths'] == [], 'payload', b)


def test_prompts(box):
    settings(box, [hook(box, 'deny-bad', 'mcp__files__prompts_get')],
             [hook(box, 'context', 'mcp__files__prompts_get')])
    with Guard(box) as g:
        is_error(g.ask('prompts/get', {'name': 'bad'}), 'nothing bad')
        m = g.ask('prompts/get', {'name': 'p', 'arguments': {'x': 'y'}})['result']['messages']
        check(len(m) == 2 and 'look' in m[1]['content']['text'], 'context', m)
    check(asked(box)[1]['tool_input'] == {'name': 'p', 'arguments': {'x': 'y'}}, 'payload', asked(box))


def test_tasks(box):
    settings(box, after=[hook(box, 'deny-secret', 'mcp__files__echo')])
    with Guard(box) as g:
        m = g.ask('tools/call', {'name': 'echo', 'arguments': {}, 'task': {}})
        check(m['result']['task']['taskId'] == 'task-1', 'task', m)
        is_denied(g.ask('tasks/result', {'taskId': 'task-1'}), 'that was secret')
        m = g.ask('tools/call', {'name': 'other', 'arguments': {}, 'task': {}})
        m = g.ask('tasks/result', {'taskId': m['result']['task']['taskId']})
        check('the secret' in json.dumps(m), 'no hook concerns it', m)
        is_error(g.ask('tasks/result', {'taskId': 'task-77'}), 'the beginning')


def test_what_a_task_says_at_once_is_a_result(box):
    settings(box, after=[hook(box, 'deny-secret', 'mcp__files__result')])
    meta = {'io.modelcontextprotocol/model-immediate-response': 'the secret'}
    with Guard(box) as g:
        for says in ({'_meta': meta}, {'structuredContent': {'x': 'secret'}}):
            m = g.ask('tools/call', {'name': 'result', 'task': {}, 'arguments': {
                'result': {'task': {'taskId': 't', 'status': 'working'}, **says}}})
            check('secret' in m['error']['message'] and 'the secret' not in json.dumps(m), 'denied', m)
        m = g.ask('tools/call', {'name': 'result', 'task': {}, 'arguments': {
            'result': {'task': {'taskId': 't', 'statusMessage': 'a secret'}}}})
        check('that was secret' in m['error']['message'], 'the status', m)
        m = g.ask('tools/call', {'name': 'result', 'task': {}, 'arguments': {
            'result': {'task': {'taskId': 't2', 'status': 'working'}, '_meta': {'x': 'fine'}}}})
        check(m['result'] == {'task': {'taskId': 't2', 'status': 'working'}, '_meta': {'x': 'fine'}},
              'passes', m)
        is_denied(g.ask('tasks/result', {'taskId': 't2'}), 'that was secret')


# ---- many at once, cancelled, ended ----

def test_calls_do_not_wait_for_each_other(box):
    settings(box, [hook(box, 'wait', 'mcp__files__echo')])
    with Guard(box) as g:
        keys = ['k%d' % i for i in range(12)]
        ids = {k: g.send('tools/call', {'name': 'echo', 'arguments': {'key': k}}) for k in keys}
        check(g.call('other')['result'], 'a call without hooks')
        for k in reversed(keys):
            box.write('go-' + k, '')
            check(g.line()['id'] == ids[k], 'order')


def test_cancelled(box):
    settings(box, [hook(box, 'wait', 'mcp__files__echo')], [hook(box, 'wait', 'mcp__files__quiet')])
    cancel = '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}'
    with Guard(box) as g:
        id = g.send('tools/call', {'name': 'echo', 'arguments': {}})
        wait_until(lambda: asked(box), 20, 'the hook')
        g.put(cancel % id)
        g.settle()
        check(b'cancelled' not in g.heard(), 'the server has never heard of the call')
        id = g.send('tools/call', {'name': 'quiet', 'arguments': {}})
        g.put(cancel % id)
        g.settle()
        check(b'quiet' in g.heard() and b'cancelled' in g.heard(), 'passed on', g.heard())
        check(g.end() == 0, 'exit status')


def test_stderr_is_whole_and_the_status_is_the_servers(box):
    settings(box)
    with Guard(box) as g:
        text = 'x' * 100000 + '\x1b[31m\nlast'
        g.call('stderr', {'text': text})
        g.send('tools/call', {'name': 'quiet', 'arguments': {}})
        g.settle()
        g.send('tools/call', {'name': 'exit', 'arguments': {'status': 7}})
        got = [g.line(), g.line()]
        for m in got:
            is_error(m, 'status 7')
        check(g.p.wait(20 * PATIENCE) == 7, 'exit status', g.p.returncode)
        g.thread.join()
        check(text.encode() in g.err, 'stderr')


def test_everything_ends(box):
    settings(box, [hook(box, 'wait', 'mcp__files__echo')])
    with Guard(box, 'deaf') as g:  # a server that stays, whatever it is told
        g.settle()
        check(g.end() == 0, 'exit status', g.p.returncode)
        check(not box.left(), 'processes')
    for sig in (signal.SIGTERM, signal.SIGKILL):
        with Guard(box) as g:
            g.settle()
            g.send('tools/call', {'name': 'quiet', 'arguments': {}})
            g.p.send_signal(sig)
            g.p.wait(20 * PATIENCE)
            check(g.p.returncode in (128 + sig, -sig), 'status', g.p.returncode)
            wait_until(lambda: not box.left(), 20, 'the server to end')
    with Guard(box) as g:
        g.send('tools/call', {'name': 'echo', 'arguments': {}})
        wait_until(lambda: asked(box), 20, 'the hook')
        g.p.send_signal(signal.SIGTERM)
        g.p.wait(20 * PATIENCE)
        wait_until(lambda: not box.left(), 20, 'the hook to end')
    with Guard(box) as g:  # the client is gone, with a call under way
        g.send('tools/call', {'name': 'quiet', 'arguments': {}})
        g.settle()
        g.p.stdin.close()
        g.p.stdout.close()
        g.p.wait(20 * PATIENCE)
        wait_until(lambda: not box.left(), 20, 'the server to end')


def test_answers_come_after_the_input_has_ended(box):
    settings(box, [hook(box, 'wait', 'mcp__files__echo')])
    with Guard(box) as g:
        g.send('tools/call', {'name': 'echo', 'arguments': {'key': 'z'}})
        g.p.stdin.close()
        wait_until(lambda: asked(box), 20, 'the hook')
        box.write('go-z', '')
        check('result' in g.line(), 'answer')
        check(g.p.wait(20 * PATIENCE) == 0, 'exit status')


# ---- servers on the web ----

class Web:
    """tests/mcp/http_server.py, and the way to it."""

    def __enter__(self):
        self.p = subprocess.Popen([sys.executable, os.path.join(ROOT, 'tests/mcp/http_server.py')],
                                  stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.url = 'http://127.0.0.1:%d' % int(self.p.stdout.readline())
        return self

    def __exit__(self, *_):
        self.p.stdin.close()
        self.p.wait()
        self.p.stdout.close()


def begin(g, version='2025-11-25'):
    m = g.ask('initialize', {'protocolVersion': version, 'capabilities': {},
                             'clientInfo': {'name': 'test', 'version': '1'}})
    check(m['result']['serverInfo']['name'] == 'test', 'initialize', m)
    g.put('{"jsonrpc":"2.0","method":"notifications/initialized"}')


def test_servers_on_the_web(box):
    settings(box, [hook(box, 'deny-bad', 'mcp__web__echo')], [hook(box, 'deny-secret', 'mcp__web__echo')])
    with Web() as web:
        for path in ('/mcp', '/json', '/sse', '/auth'):
            args = ('--name', 'web', '--url', web.url + path, '-H', 'Authorization: Bearer T')
            with Guard(box, args=args, command=()) as g:
                begin(g)
                check(g.call('echo', {'text': 'hello'})['result']['content'][0]['text'] == 'hello', path)
                is_denied(g.call('echo', {'text': 'bad'}), 'nothing bad')
                is_denied(g.call('echo', {'text': 'secret'}), 'that was secret')
                check(len(g.ask('tools/list')['result']['tools']) > 1, path)
                check(g.end() == 0, 'exit status', g.p.returncode, g.err)


def test_failures_of_servers_on_the_web(box):
    settings(box, after=[hook(box, 'deny-secret', 'mcp__web__.*')])
    with Web() as web:
        with Guard(box, args=('--name', 'web', '--url', web.url + '/broken'), command=()) as g:
            begin(g)
            for text in ('empty', '500', 'redirect', 'big', 'cut'):
                m = g.call('echo', {'text': text})
                is_error(m, 'trotline mcp guard')
            m = g.call('echo', {'text': 'garbage'})
            check('error' in m, 'garbage', m)
            check('result' in g.ask('tools/list'), 'the session goes on')
        with Guard(box, args=('--url', web.url + '/auth'), command=()) as g:
            is_error(g.ask('initialize', {'protocolVersion': '2025-11-25'}), '401')
        with Guard(box, args=('--url', web.url + '/nothing'), command=()) as g:
            is_error(g.ask('initialize', {'protocolVersion': '2025-11-25'}), 'trotline mcp guard')
    with Guard(box, args=('--url', web.url + '/mcp'), command=()) as g:
        is_error(g.ask('initialize', {'protocolVersion': '2025-11-25'}), 'trotline mcp guard')


# ---- servers of others (npm) ----

def npm(server):
    """The program of a published server; where npm cannot install it the test is skipped."""
    to = os.path.join(ROOT, '.cache/mcp')
    p = subprocess.run([os.path.join(ROOT, 'tools/npm-install'), os.path.join(ROOT, 'tests/mcp'), to],
                       stdout=subprocess.PIPE, text=True)
    if p.returncode:
        raise Skipped((p.stdout.splitlines() or ['npm failed'])[0])
    return ['node', '%s/node_modules/@modelcontextprotocol/%s/dist/index.js' % (to, server)]


def initialize(g):
    m = g.ask('initialize', {'protocolVersion': '2025-06-18', 'capabilities': {},
                             'clientInfo': {'name': 'test', 'version': '1'}})
    g.put('{"jsonrpc":"2.0","method":"notifications/initialized"}')
    return m


def answer_to(g, method, params):
    """Notifications come when they please."""
    id = g.send(method, params)
    while True:
        line = g.raw_line()
        if json.loads(line).get('id') == id:
            return line


def test_public_everything(box):
    """The same bytes as without the guard, also where hooks look at all of it."""
    command = npm('server-everything')
    settings(box, [hook(box, 'look')], [hook(box, 'look')])
    asks = [('tools/list', {}), ('resources/list', {}), ('prompts/list', {}), ('no/such', {}),
            ('tools/call', {'name': 'echo', 'arguments': {'message': 'caf\u00e9'}}),
            ('tools/call', {'name': 'no-such-tool', 'arguments': {}}),
            ('prompts/get', {'name': 'simple-prompt'})]
    got = []
    for alone in (True, False):
        with Guard(box, args=('--name', 'all'), command=['--', *command], alone=alone) as g:
            got.append([initialize(g)] + [answer_to(g, *a) for a in asks])
            g.end()
    check(got[0] == got[1], 'they differ', *[pair for pair in zip(*got) if pair[0] != pair[1]])
    check([e['hook_event_name'] for e in asked(box)].count('AfterTool') == 3, 'asked', asked(box))


def test_public_filesystem(box):
    command = npm('server-filesystem')
    box.write('project/a.txt', 'a secret')
    settings(box, [hook(box, 'deny-bad', 'mcp__files__write_file')],
             [hook(box, 'redact', 'mcp__files__read_text_file', dialect='claude')])
    with Guard(box, command=['--', *command, box.project]) as g:
        initialize(g)
        path = os.path.join(box.project, 'bad.txt')
        m = json.loads(answer_to(g, 'tools/call', {'name': 'write_file', 'arguments': {
            'path': path, 'content': 'x'}}))
        is_denied(m, 'nothing bad')
        check(not os.path.exists(path), 'it was written')
        m = json.loads(answer_to(g, 'tools/call', {'name': 'write_file', 'arguments': {
            'path': os.path.join(box.project, 'good.txt'), 'content': 'x'}}))
        check(os.path.exists(os.path.join(box.project, 'good.txt')), 'not written', m)
        m = json.loads(answer_to(g, 'tools/call', {'name': 'read_text_file', 'arguments': {
            'path': os.path.join(box.project, 'a.txt')}}))
        check('secret' not in json.dumps(m) and 'REDACTED' in json.dumps(m), 'redacted', m)
        check(g.end() == 0, 'exit status', g.err)


# ---- in front of the servers of other programs ----

def config_text(log, url):
    return ('{\n  // mine\n  "%%s": {\n    "files": { "command": "%s",\n       "args": ["%s",   "%s"], "env": {"A": "b"} },\n'
            '    "plain": {"command": "/bin/cat"}, "odd": 7,\n'
            '    "web": {"url": "%s/auth", "headers": {"Authorization": "Bearer T",  "X": "y"}, "z": 1},\n'
            '    "own": {"command": "trotline", "args": ["mcp", "serve"]}\n  },\n  "theme": "dark"\n}'
            % (sys.executable, RAW, log, url))


def test_wrapping(box):
    """hooks install puts the guard in front of servers that work, and uninstall takes it away again."""
    apps = (('claude-desktop', [], '.config/Claude/claude_desktop_config.json', 'mcpServers'),
            ('vscode', ['--mcp'], '.config/Code/User/mcp.json', 'servers'),
            ('cursor', ['--mcp'], '.cursor/mcp.json', 'mcpServers'),
            ('windsurf', ['--mcp'], '.codeium/windsurf/mcp_config.json', 'mcpServers'),
            ('claude', ['--mcp'], '.claude.json', 'mcpServers'))
    log = os.path.join(box.root, 'heard')
    settings(box, [hook(box, 'deny-bad')])
    with Web() as web:
        for app, flags, name, root in apps:
            text = config_text(log, web.url) % root
            if app == 'windsurf':
                text = text.replace('"url"', '"serverUrl"')
            path = box.write('home/' + name, text)

            def now():
                with open(path, encoding='utf-8') as f:
                    return f.read()

            def change(command):
                r = box.run('hooks', command, '--into', app, *flags)
                check(r.status == 0 and not r.err, command, r)
                return now()

            r = box.run('hooks', 'install', '--into', app, *flags, '--dry-run')
            check(r.status == 0 and 'guard' in r.out and now() == text, 'dry run', r)
            first = change('install')
            check(change('install') == first and 'Bearer T' not in first.split('env')[0], 'twice', first)
            entries = json.loads(first.replace('// mine', ''))[root]
            check(entries['odd'] == 7 and entries['own']['args'] == ['mcp', 'serve'], 'others', entries)
            for server, tool, args in (('files', 'echo', {'text': 'bad'}), ('web', 'echo', {'text': 'bad'})):
                e = entries[server]
                check(e['command'] == os.path.realpath(TROTLINE), 'program', e)
                box.env.update(e.get('env', {}))
                with Guard(box, command=['--', e['command'], *e['args']], alone=True) as g:
                    begin(g) if server == 'web' else initialize(g)
                    is_denied(g.call(tool, args), 'nothing bad')
                    check('result' in g.call(tool, {'text': 'good'}), 'the server works')
            check(change('uninstall') == text, 'bytes', now())
            check(change('uninstall') == text, 'twice')
            # Somebody has changed the file, and what was noted is lost: the servers are the same.
            change('install')
            box.write('home/' + name, now().replace('dark', 'light'))
            os.unlink(os.path.join(box.home, '.trotline/installed.json'))
            got, want = (json.loads(s.replace('// mine', ''))[root] for s in (change('uninstall'), text))
            check(got == want, 'the same servers', got)
    r = box.run('hooks', 'install', '--into', 'windsurf,nosuch', '--mcp')
    check(r.status == 1 and 'nosuch' in r.err, 'unknown', r)


def test_usage(box):
    for args in ([], ['--'], ['--url', 'http://127.0.0.1:1/', '--', 'x'], ['--url', 'foo'], ['-H', 'a: b', '--', 'x']):
        r = box.run('mcp', 'guard', *args)
        check(r.status == 1 and 'mcp guard' in r.err, 'usage', r)
    check('mcp__NAME__TOOL' in box.run('mcp', 'guard', '--help').out, 'help')


def main():
    tap = Tap()
    for name, test in list(globals().items()):
        if not name.startswith('test_') or (len(sys.argv) > 1 and name not in sys.argv[1:]):
            continue
        try:
            with Box() as box:
                test(box)
            tap.point(name[5:].replace('_', ' '))
        except Skipped as e:
            tap.point(name[5:].replace('_', ' '), skip=str(e))
        except Exception as e:
            tap.point(name[5:].replace('_', ' '), '%s: %s' % (type(e).__name__, e))
    tap.done()


if __name__ == '__main__':
    main()
