#!/usr/bin/env python3
"""trotline mcp serve as its clients use it: lines on stdin and stdout.  Prints TAP."""

import json
import os
import select
import signal
import subprocess
import sys
import time

from agentbox import PATIENCE, TROTLINE, Box, Tap, check, wait_until

ROOT = os.environ.get('TEST_SOURCE_ROOT', '.')
DENY = ('import json, sys; json.load(sys.stdin); '
        'print(json.dumps({"decision": "deny", "reason": "not \\u001b[31mthis"}))')


class Server:
    """The program, and a client that reads line by line with a deadline."""

    def __init__(self, box, *args, **env):
        self.p = subprocess.Popen([TROTLINE, 'mcp', 'serve', *args], stdin=subprocess.PIPE,
                                  stdout=subprocess.PIPE, stderr=subprocess.PIPE, cwd=box.project,
                                  env={**box.env, **env})
        self.buf, self.id = b'', 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for f in (self.p.stdin, self.p.stdout, self.p.stderr):
            f.close()
        self.p.kill()
        self.p.wait()

    def put(self, data):
        self.p.stdin.write(data if isinstance(data, bytes) else data.encode() + b'\n')
        self.p.stdin.flush()

    def send(self, method, params=None, **more):
        """The id of a request."""
        self.id += 1
        m = {'jsonrpc': '2.0', 'id': self.id, 'method': method, **more}
        if params is not None:
            m['params'] = params
        self.put(json.dumps(m))
        return m['id']

    def tell(self, method, params):
        self.put(json.dumps({'jsonrpc': '2.0', 'method': method, 'params': params}))

    def line(self, seconds=20):
        until = time.monotonic() + seconds * PATIENCE
        while b'\n' not in self.buf:
            left = until - time.monotonic()
            check(left > 0 and select.select([self.p.stdout], [], [], left)[0], 'no answer')
            data = os.read(self.p.stdout.fileno(), 65536)
            check(data, 'stdout has ended')
            self.buf += data
        line, _, self.buf = self.buf.partition(b'\n')
        return json.loads(line)

    def ask(self, method, params=None):
        id = self.send(method, params)
        m = self.line()
        check(m['id'] == id, 'another answer', m)
        return m

    def call(self, name, **args):
        return self.ask('tools/call', {'name': name, 'arguments': args})['result']

    def error(self, method, params=None):
        return self.ask(method, params)['error']

    def end(self, seconds=20):
        """stdin is closed; the exit status."""
        self.p.stdin.close()
        return self.p.wait(seconds * PATIENCE)


def hello(s, version='2025-11-25'):
    return s.ask('initialize', {'protocolVersion': version, 'capabilities': {},
                                'clientInfo': {'name': 'test', 'version': '1'}})['result']


def deny_hook(box, where='home'):
    script = box.write('deny.py', DENY)
    box.write(where + '/.gemini/settings.json', json.dumps({'hooks': {'BeforeTool': [
        {'matcher': 'write_file', 'hooks': [
            {'type': 'command', 'name': 'no-writing',
             'command': '%s %s' % (sys.executable, script)}]}]}}))


def slow_hook(box, more=''):
    """Writes its process id where the test can see it, and stays."""
    script = box.write('slow.sh', more + 'echo $$ >%s/pid.new; mv %s/pid.new %s/pid\nwhile :; do '
                       'sleep 1000 & wait; done\n' % ((box.root,) * 3))
    box.settings(hooks={'BeforeTool': [{'hooks': [
        {'type': 'command', 'name': 'slow', 'timeout': 600000, 'command': 'sh ' + script}]}]})


def slow_pid(box):
    path = os.path.join(box.root, 'pid')
    wait_until(lambda: os.path.exists(path), 20, 'the slow hook')
    with open(path, encoding='ascii') as f:
        return int(f.read())


def is_alive(pid):
    """It runs; one that was not asked for yet does not."""
    try:
        with open('/proc/%d/stat' % pid, encoding='utf-8', errors='replace') as f:
            return f.read().rpartition(')')[2].split()[0] not in 'ZX'
    except (FileNotFoundError, ProcessLookupError):
        return False


def gone(pid):
    wait_until(lambda: not is_alive(pid), 20, 'the end of the hook')


def versions(box):
    for theirs, ours in (('2024-11-05', '2024-11-05'), ('2025-03-26', '2025-03-26'),
                         ('2025-06-18', '2025-06-18'), ('2025-11-25', '2025-11-25'),
                         ('2031-01-01', '2025-11-25')):
        with Server(box) as s:
            r = hello(s, theirs)
            check(r['protocolVersion'] == ours, 'version', r)
            check(r['serverInfo']['name'] == 'trotline', 'name', r)
            check(set(r['capabilities']) == {'tools', 'resources', 'prompts'}, 'capabilities', r)
            s.put('{"jsonrpc":"2.0","method":"notifications/initialized"}')
            check(s.ask('ping')['result'] == {}, 'ping')
            check(s.end() == 0, 'exit status')
            check(s.p.stderr.read() == b'', 'stderr')


def tool_list(box):
    with Server(box) as s:
        tools = {t['name']: t for t in s.ask('tools/list')['result']['tools']}
        check(sorted(tools) == ['hooks_lint', 'hooks_list', 'hooks_report', 'hooks_run',
                                'hooks_why'], 'names', tools)
        for name, t in tools.items():
            check(t['annotations']['readOnlyHint'] == (name != 'hooks_run'), 'read only', t)
            check(t['inputSchema']['type'] == 'object' and t['description'], 'schema', t)
            check(all(p['description'] for p in t['inputSchema']['properties'].values()), 'texts', t)
        check('BeforeTool' in tools['hooks_run']['inputSchema']['properties']['event']['enum'],
              'events')
        check('timeout_ms' not in tools['hooks_why']['inputSchema']['properties'], 'why')


def same_as_cli(box):
    """structuredContent is what the command prints with --json."""
    deny_hook(box)
    box.write('project/.git/HEAD', '')

    def cli(*args):
        p = subprocess.run([TROTLINE, 'hooks', *args, '--json'], capture_output=True, text=True,
                           cwd=box.project, env=box.env, check=False)
        return json.loads(p.stdout)

    with Server(box) as s:
        for name, args, command in (
                ('hooks_list', {}, ['list']), ('hooks_list', {'all': True}, ['list', '--all']),
                ('hooks_why', {'event': 'BeforeTool', 'tool': 'write_file'},
                 ['why', 'BeforeTool', '--tool', 'write_file']),
                ('hooks_lint', {}, ['lint'])):
            r = s.call(name, **args)
            check(not r['isError'] and r['structuredContent'] == cli(*command), name, r)
            check(json.loads(r['content'][1]['text']) == r['structuredContent'], 'as text', r)
            check('no-writing' in r['content'][0]['text'] or name == 'hooks_lint', 'for people', r)
        r = s.call('hooks_run', event='BeforeTool', tool='write_file', input={'file_path': 'x'})
        check(r['structuredContent']['outcome']['verdict'] == 'deny', 'run', r)
        check(not r['isError'], 'a denial is no error', r)
        check('denied' in r['content'][0]['text'] and '\x1b' not in r['content'][0]['text'],
              'for people', r)
        r = s.call('hooks_report')
        check(r['structuredContent']['hooks'][0]['denied'] == 1, 'report', r)
        r = s.call('hooks_report', last=True)
        check(r['structuredContent']['event'] == 'BeforeTool', 'last record', r)


def payloads(box):
    """What a hook reads is what was given; nothing in it is taken for an option or a file."""
    seen = os.path.join(box.root, 'seen')
    box.hooks({'BeforeTool': 'cat >%s' % seen, 'BeforeAgent': 'cat >%s' % seen})

    def run(s, **args):
        r = s.call('hooks_run', **args)
        check(not r['isError'], 'run', r)
        with open(seen, encoding='utf-8') as f:
            return json.load(f)

    with Server(box) as s:
        got = run(s, event='BeforeTool', tool='--skip-trust', input={'a': '@/etc/passwd', 'ü': '\ud800'})
        check(got['tool_name'] == '--skip-trust' and got['tool_input']['a'] == '@/etc/passwd',
              'options are texts', got)
        got = run(s, event='BeforeTool', tool='t', input={'x': 1}, payload={'session_id': 'S'})
        check(got['session_id'] == 'S' and got['tool_input'] == {'x': 1}, 'both', got)
        got = run(s, event='BeforeAgent', payload={'prompt': 'hello'})
        check(got['prompt'] == 'hello', 'payload', got)
        got = run(s, event='BeforeTool', tool='t', mcp_server='srv', mcp_tool='tl')
        check(got['tool_name'] == 't', 'mcp', got)
        got = run(s, event='BeforeTool', input={'big': 'x' * 3000000})
        check(len(got['tool_input']['big']) == 3000000, 'more than a pipe or argv takes')


def bad_params(box):
    with Server(box) as s:
        for args, part in (({'event': 'BeforeTol'}, 'one of BeforeTool, '), ({}, 'needs "event"'),
                           ({'event': 5}, 'event'), ({'event': 'BeforeTool', 'input': 'x'}, 'object'),
                           ({'event': 'BeforeTool', 'tol': 'x'}, 'did you mean "tool"'),
                           ({'event': 'BeforeTool', 'tool': 'a\0b'}, 'NUL'),
                           ({'event': 'BeforeAgent', 'input': {}}, 'tool events'),
                           ({'event': 'BeforeTool', 'dir': 'x'}, 'absolute'),
                           ({'event': 'BeforeTool', 'dir': '/no/such'}, 'no such directory'),
                           ({'event': 'BeforeTool', 'timeout_ms': 0}, 'milliseconds'),
                           ({'event': 'BeforeTool', 'timeout_ms': 1.5}, 'milliseconds')):
            r = s.call('hooks_run', **args)
            check(r['isError'] and part in r['content'][0]['text'], 'the model is told of %s' % args, r)
        r = s.call('hooks_lint', files=['x'] * 33)
        check(r['isError'] and '32' in r['content'][0]['text'], 'files', r)
        for params, part in (({'name': 'hooks_lst'}, 'hooks_list'), ({'name': 5}, 'name'), (None, 'name'),
                             ({'name': 'hooks_list', 'arguments': []}, 'object'),
                             ([1], 'object')):
            e = s.error('tools/call', params)
            check(e['code'] == -32602 and part in e['message'], 'error of %s' % (params,), e)
        check(s.error('initialize', {})['code'] == -32602, 'initialize')
        check(s.error('nope')['code'] == -32601, 'method')
        check(s.error('resources/read', {'uri': 'trotline://x'})['code'] == -32002, 'resource')
        check(s.error('resources/read', {})['code'] == -32602, 'resource without uri')
        check(s.error('prompts/get', {'name': 'x'})['code'] == -32602, 'prompt')


def garbage(box):
    with Server(box) as s:
        for line, code in (('this is no JSON', -32700), ('{"jsonrpc":"2.0"', -32700), ('[]', -32600),
                           ('[' * 5000, -32700), ('17', -32600), ('null', -32600), ('{}', -32600),
                           ('{"jsonrpc":"1.0","id":1,"method":"ping"}', -32600),
                           ('{"jsonrpc":"2.0","id":null,"method":"ping"}', -32600),
                           ('{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600),
                           ('{"jsonrpc":"2.0","id":1}', -32600), ('\0\x1b', -32700)):
            s.put(line)
            check(s.line()['error']['code'] == code, 'error of %r' % line[:60])
        s.put(b'\xff\xfe\x80\n')
        check(s.line()['error']['code'] == -32700, 'bytes')
        s.put(b'\n  \r\n')  # nothing
        s.put('{"jsonrpc":"2.0","id":9,"result":{}}')  # an answer to no request
        s.put('{"jsonrpc":"2.0","method":"notifications/whatever"}')
        s.tell('notifications/cancelled', {'requestId': 'nobody'})
        s.tell('notifications/cancelled', {})
        s.put(b'{"jsonrpc":"2.0","id":"r","method":"ping"}\r\n')
        check(s.line() == {'jsonrpc': '2.0', 'id': 'r', 'result': {}}, 'ping after all that')


def long_line(box):
    with Server(box) as s:
        for _ in range(20):
            s.put(b'x' * (1 << 20))
        s.put(b'\n')
        check(s.line()['error']['code'] == -32600, 'too long')
        check(s.ask('ping')['result'] == {}, 'ping')


def batches(box):
    with Server(box) as s:
        hello(s, '2025-03-26')
        ping = {'jsonrpc': '2.0', 'id': 'p', 'method': 'ping'}
        call = {'jsonrpc': '2.0', 'id': 'c', 'method': 'tools/call', 'params': {'name': 'hooks_list'}}
        note = {'jsonrpc': '2.0', 'method': 'notifications/x'}
        s.put(json.dumps([ping, note, call, 1, [ping]]))
        answers = s.line()
        check(sorted(str(a['id']) for a in answers) == ['None', 'None', 'c', 'p'], 'ids', answers)
        s.put(json.dumps([note]))
        s.put(json.dumps([ping] * 101))
        check(s.line()['error']['code'] == -32600, 'too many')
        check(s.ask('ping')['result'] == {}, 'nothing for notifications')


def c7_4_untrusted(box):
    """C7.4: unapproved hooks of the project are not run, and are shown."""
    del box.env['GEMINI_CLI_TRUST_WORKSPACE']
    ran = os.path.join(box.root, 'ran')
    box.write('project/.git/HEAD', '')
    box.write('project/.gemini/settings.json', json.dumps({'hooks': {'BeforeTool': [
        {'hooks': [{'type': 'command', 'name': 'mine', 'command': 'touch ' + ran}]}]}}))
    with Server(box) as s:
        r = s.call('hooks_run', event='BeforeTool')
        check(r['isError'] and 'structuredContent' not in r, 'refused', r)
        check('unapproved' in r['content'][0]['text'] and 'mine' in r['content'][0]['text'] and
              'trotline hooks trust' in r['content'][0]['text'], 'says why', r)
        check('--skip-trust' not in r['content'][0]['text'], 'no way around it is shown', r)
        check(not os.path.exists(ran), 'it ran')
        r = s.call('hooks_list', all=True)
        check(r['structuredContent']['hooks'][0]['state'] == 'untrusted', 'listed', r)
        r = s.call('hooks_list')
        check(r['structuredContent']['untrusted'] == 1 and
              'waits for the user' in r['content'][0]['text'], 'hidden, not absent', r)
        subprocess.run([TROTLINE, 'hooks', 'trust', '--yes'], cwd=box.project, env=box.env,
                       stdout=subprocess.DEVNULL, check=True)
        r = s.call('hooks_run', event='BeforeTool')
        check(not r['isError'] and os.path.exists(ran), 'approved, it runs: nothing is remembered', r)


def fresh(box):
    """Files are read for every call."""
    with Server(box) as s:
        check(s.call('hooks_list')['structuredContent']['hooks'] == [], 'none')
        deny_hook(box)
        check(len(s.call('hooks_list')['structuredContent']['hooks']) == 1, 'one')
        box.write('home/.gemini/settings.json', '{"hooks": nonsense}')
        r = s.call('hooks_list')
        check(r['isError'] and 'settings.json:1' in r['content'][0]['text'], 'broken', r)
        r = s.call('hooks_lint')
        check(not r['isError'] and r['structuredContent']['errors'] == 1, 'lint', r)


def directories(box):
    other = os.path.join(box.root, 'other')
    box.write('other/.git/HEAD', '')
    box.write('other/bad.json', '{"hooks": {"BeforeTol": []}}')
    with Server(box, '--dir', other) as s:
        check(s.call('hooks_list')['structuredContent']['project'] == other, '--dir')
        check(s.call('hooks_list', dir=box.home)['structuredContent']['project'] == box.home, 'dir')
        r = s.call('hooks_lint', files=['bad.json', '-x.json'], dialect='gemini')
        check(any(d['code'] == 'unknown-event' for d in r['structuredContent']['diagnostics']), 'files', r)
    p = subprocess.run([TROTLINE, 'mcp', 'serve', '--dir', '/no/such'], stdin=subprocess.DEVNULL,
                       capture_output=True, text=True, env=box.env, check=False)
    check(p.returncode == 1 and 'no such directory' in p.stderr and not p.stdout, 'none', p)


def at_once(box):
    """While hooks run everything else is answered, and a cancelled call ends with its hooks."""
    slow_hook(box)
    with Server(box) as s:
        id = s.send('tools/call', {'name': 'hooks_run', 'arguments': {'event': 'BeforeTool'}})
        pid = slow_pid(box)
        check(s.ask('ping')['result'] == {}, 'ping')
        check(not s.call('hooks_list')['isError'], 'another tool')
        s.put(json.dumps({'jsonrpc': '2.0', 'id': id, 'method': 'tools/call',
                          'params': {'name': 'hooks_list'}}))
        check(s.line()['error']['code'] == -32600, 'the same id')
        s.tell('notifications/cancelled', {'requestId': id, 'reason': 'test'})
        gone(pid)
        check(s.ask('ping')['result'] == {}, 'no answer to the cancelled call')
        check(s.end() == 0, 'exit status')


def many(box):
    """More calls than run at once: those that wait can be cancelled, and the others are answered."""
    slow_hook(box)
    with Server(box) as s:
        run = {'name': 'hooks_run', 'arguments': {'event': 'BeforeTool'}}
        slow = [s.send('tools/call', run) for _ in range(4)]
        waiting = [s.send('tools/call', {'name': 'hooks_list'}) for _ in range(60)]
        check(s.error('tools/call', run)['code'] == -32000, 'no more')
        # The waiting ones first: a place that a slow one leaves is taken at once.
        for id in waiting[:50] + slow:
            s.tell('notifications/cancelled', {'requestId': id})
        got = sorted(s.line()['id'] for _ in range(10))
        check(got == waiting[50:], 'answers', got)
        check(s.ask('ping')['result'] == {}, 'ping')
        check(s.end() == 0, 'exit status')


def time_limit(box):
    slow_hook(box)
    with Server(box) as s:
        r = s.call('hooks_run', event='BeforeTool', timeout_ms=300)
        check(r['isError'] and 'longer than 300 ms' in r['content'][0]['text'], 'told', r)
        pid = os.path.join(box.root, 'pid')
        if os.path.exists(pid):
            gone(slow_pid(box))


def end_of_input(box):
    """What was asked before is answered, but without a long wait."""
    for _ in range(20):
        with Server(box) as s:
            s.send('tools/call', {'name': 'hooks_list'})
            s.put(b'{"jsonrpc":"2.0","id":"last","method":"ping"}')  # without a newline
            since = time.monotonic()
            check(s.end() == 0, 'exit status')
            ids = [json.loads(line)['id'] for line in s.p.stdout.read().splitlines()]
            if sorted(map(str, ids)) == ['1', 'last']:
                break
            # A second, and the time that the call's process takes to go.
            check(time.monotonic() - since >= 1 and ids == ['last'], 'answers', ids)
    slow_hook(box, "trap '' TERM\n")
    with Server(box) as s:
        s.send('tools/call', {'name': 'hooks_run', 'arguments': {'event': 'BeforeTool'}})
        pid = slow_pid(box)
        check(s.end() == 0, 'exit status')
        check(not is_alive(pid), 'the hook is gone before the server is')


def terminated(box):
    slow_hook(box)
    with Server(box) as s:
        s.send('tools/call', {'name': 'hooks_run', 'arguments': {'event': 'BeforeTool'}})
        pid = slow_pid(box)
        s.p.send_signal(signal.SIGTERM)
        check(s.p.wait(20 * PATIENCE) == 128 + signal.SIGTERM, 'exit status')
        check(not is_alive(pid), 'the hook')


def reader_gone(box):
    with Server(box) as s:
        s.p.stdout.close()
        s.send('ping')
        check(s.p.wait(20 * PATIENCE) == 0, 'exit status')
        s.p.stdout = open(os.devnull, 'rb')


def slow_reader(box):
    """Answers pile up for a client that does not read; all of them arrive, whole."""
    with Server(box) as s:
        ids = [s.send('resources/read', {'uri': 'trotline://hooks/contract'}) for _ in range(40)]
        got = [s.line() for _ in ids]
        check([m['id'] for m in got] == ids, 'in order')
        check(all(len(json.loads(m['result']['contents'][0]['text'])['events']) > 10 for m in got),
              'whole')


def docs(box):
    with Server(box) as s:
        for r in s.ask('resources/list')['result']['resources']:
            text = s.ask('resources/read', {'uri': r['uri']})['result']['contents'][0]['text']
            check(json.loads(text), 'JSON', r)
        t = s.ask('resources/templates/list')['result']['resourceTemplates'][0]['uriTemplate']
        one = s.ask('resources/read', {'uri': t.replace('{event}', 'BeforeTool')})['result']
        one = json.loads(one['contents'][0]['text'])
        check(one['canBlock'] and 'tool_input' in one['input']['properties'], 'an event', one)
        check(s.ask('prompts/list')['result']['prompts'][0]['name'] == 'new_hook', 'prompts')
        p = s.ask('prompts/get', {'name': 'new_hook', 'arguments': {
            'event': 'BeforeTool', 'purpose': 'no rm -rf', 'language': 'sh'}})['result']
        text = p['messages'][0]['content']['text']
        check('no rm -rf' in text and 'Language: sh' in text and '"tool_name"' in text, 'prompt', text)


def environment_is_no_way_in(box):
    """An argument that looks like an option stays an argument."""
    with Server(box) as s:
        r = s.call('hooks_report', session='--last')
        check(not r['isError'] and r['structuredContent']['session_id'] == '--last', 'session', r)
        r = s.call('hooks_lint', files=['--help.json'])
        check(r['structuredContent']['errors'] == 1, 'a file', r)


def own_client(box):
    """trotline mcp test with trotline mcp serve."""
    p = subprocess.run([TROTLINE, 'mcp', 'test', '--json', '--', TROTLINE, 'mcp', 'serve'], env=box.env,
                       cwd=box.project, capture_output=True, text=True, check=False)
    got = json.loads(p.stdout)[0]
    check(p.returncode == 0 and len(got['tools']) == 5 and not got['log'], 'tested', p)
    check([t['tool'] for t in got['tools'] if not t['readOnly']] == ['hooks_run'], 'marks', got)


def sdk_client(box):
    """The client of the MCP SDK from npm; None, or why there is none."""
    to = os.path.join(ROOT, '.cache', 'mcp')
    p = subprocess.run([os.path.join(ROOT, 'tools', 'npm-install'), os.path.join(ROOT, 'tests', 'mcp'), to],
                       capture_output=True, text=True, check=False)
    if p.returncode == 77:
        return p.stdout.strip()
    check(p.returncode == 0, 'npm-install', p)
    deny_hook(box)
    client = os.path.join(ROOT, 'tests', 'mcp', 'sdk_client.cjs')
    p = subprocess.run(['node', client, to, TROTLINE], env=box.env, cwd=box.project, text=True,
                       capture_output=True, timeout=60 * PATIENCE, check=False)
    check(p.returncode == 0, 'sdk_client.cjs', p.stdout, p.stderr)
    return None


TESTS = [
    ('versions of the protocol', versions),
    ('the list of tools', tool_list),
    ('answers are those of the commands', same_as_cli),
    ('what hooks get to read', payloads),
    ('arguments that are refused', bad_params),
    ('garbage', garbage),
    ('a line without an end', long_line),
    ('batches', batches),
    ('C7.4 unapproved hooks', c7_4_untrusted),
    ('files are read for every call', fresh),
    ('directories and files', directories),
    ('answers while hooks run, and cancellation', at_once),
    ('more calls than run at once', many),
    ('a limit of time', time_limit),
    ('the end of the input', end_of_input),
    ('SIGTERM', terminated),
    ('the reader has gone', reader_gone),
    ('a slow reader', slow_reader),
    ('resources and the prompt', docs),
    ('arguments are no options', environment_is_no_way_in),
    ('our own client', own_client),
    ('the client of the MCP SDK', sdk_client),
]


def main():
    tap = Tap()
    only = sys.argv[1:]
    for name, test in TESTS:
        if only and test.__name__ not in only:
            continue
        why = skip = None
        with Box() as box:
            try:
                skip = test(box)
                wait_until(lambda: not box.left(), 10, 'the end of all processes')
            except Exception as e:  # each test is one point
                why = '%s: %s' % (type(e).__name__, e)
        tap.point(name, why, skip)
    tap.done()


main()
