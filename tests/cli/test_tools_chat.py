#!/usr/bin/env python3
"""What a terminal shows of tools: their output, their changes, and what really ran.

  test_tools_chat.py [NAME...]      only these"""

import json
import os
import random
import signal

from agentbox import Server, call, check, say
from test_chat import run_tests, shell

REWRITE = ('#!/bin/sh\ncat >/dev/null\n'
           'echo \'{"hookSpecificOutput":{"tool_input":{"command":"echo really-ran"}}}\'\n')


def test_output_is_shown_while_it_arrives(c):
    c.open(answers=[shell('echo early; until [ -e go ]; do sleep 0.05; done; echo late'),
                    [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('    early')  # it cannot have ended
    c.write('project/go', '')
    c.wait('late', c.wait('✓ Shell', at))
    c.wait('done')
    c.quit()


def test_a_guard_of_the_result_comes_first(c):
    """C4.8"""
    c.settings(hooks={'AfterTool': [{'matcher': '^run_shell_command$', 'hooks': [
        {'type': 'command', 'name': 'g', 'guard': True, 'command': 'echo withheld >&2; exit 2'}]}]})
    c.open(answers=[shell('echo sec""ret; until [ -e go ]; do sleep 0.05; done'), [say('done')]],
           mode='yolo')
    c.ready()
    c.type('go\r')
    c.running('sleep 0.05')
    c.write('project/go', '')
    c.wait('done', c.wait('withheld'))
    check('    secret' not in c.read(), 'nothing is shown before the guard', c.read()[-500:])
    c.quit()


def test_a_redaction_of_the_result_comes_first(c):
    """C4.8"""
    c.write('home/.trotline/settings.json', '{"guard": {"packs": ["secrets"]}}')
    c.open(answers=[shell('echo pass""word=q7Zp2Lk""9Xv4T; until [ -e go ]; do sleep 0.05; done'),
                    [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.running('sleep 0.05')
    c.write('project/go', '')
    c.wait('done', c.wait('[redacted: password]'))
    check('q7Zp2Lk9Xv4T' not in c.read(), 'nothing is shown before it', c.read()[-500:])
    c.quit()


PROGRESS = '''
import json, os, sys, time
for line in sys.stdin:
    m = json.loads(line)
    r = {"initialize": {"protocolVersion": "2025-06-18", "capabilities": {"tools": {}},
                        "serverInfo": {"name": "s", "version": "1"}},
         "tools/list": {"tools": [{"name": "ask", "inputSchema": {"type": "object"}}]},
         "tools/call": {"content": [{"type": "text", "text": "sesame"}]}}.get(m["method"])
    if m["method"] == "tools/call":
        print(json.dumps({"jsonrpc": "2.0", "method": "notifications/progress", "params": {
            "progressToken": m["params"]["_meta"]["progressToken"], "progress": 1, "total": 3,
            "message": "sesame"}}), flush=True)
        while not os.path.exists("go"):
            time.sleep(0.05)
    if "id" in m:
        print(json.dumps({"jsonrpc": "2.0", "id": m["id"], "result": r or {}}), flush=True)
'''


def test_what_a_server_says_on_the_way_is_no_way_around_a_guard(c):
    """C4.8"""
    c.settings(hooks={'AfterTool': [{'hooks': [
        {'type': 'command', 'name': 'g', 'guard': True, 'command': 'echo withheld >&2; exit 2'}]}]},
        mcpServers={'s': {'command': 'python3', 'args': [c.write('home/server.py', PROGRESS)]}})
    c.open(answers=[[call('mcp__s__ask', {})], [say('done')]], mode='yolo')
    c.ready()
    c.wait('[ready]')
    c.type('go\r')
    c.wait('1/3 ask')
    c.write('project/go', '')
    c.wait('done', c.wait('withheld'))
    check('sesame' not in c.read(), 'nothing is shown before the guard', c.read()[-500:])
    c.quit()


def test_long_output_is_folded_and_ctrl_o_opens_it(c):
    c.open(answers=[shell('seq 101 130'), [say('done')], shell('seq 201 230'), [say('again')]],
           mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('25 more lines (Ctrl+O shows them)')
    c.wait('done', at)
    c.type('\x0f')
    c.wait('shown whole', c.wait('    130', at))
    at = len(c.read())
    c.type('go\r')
    c.wait('again', c.wait('    230', at))
    c.type('\x0f')
    c.wait('folded again', at)
    c.quit()


def test_a_change_stays_in_the_transcript(c):
    c.write('project/a.txt', 'one\ntwo\n')
    c.open(answers=[[call('replace', {'file_path': 'a.txt', 'old_string': 'two',
                                      'new_string': 'three', 'instruction': 'x'})], [say('done')]],
           mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('✓ Edit  a.txt')
    c.wait('+ three', c.wait('- two', at))
    c.wait('done')
    c.quit()


def test_todos_are_visible(c):
    todos = [{'description': 'look', 'status': 'completed'},
             {'description': 'write it', 'status': 'in_progress'},
             {'description': 'test it', 'status': 'pending'}]
    c.open(answers=[[call('write_todos', {'todos': todos})],
                    shell('until [ -e go ]; do sleep 0.05; done'), [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('✓ look')
    at = c.wait('☐ test it', c.wait('▸ write it', at))
    c.wait('▸ write it', at)  # while the agent works
    c.write('project/go', '')
    c.wait('done')
    c.quit()


def test_a_tool_names_its_file(c):
    c.write('project/a.txt', 'one\n')
    c.open(answers=[[call('read_file', {'file_path': 'a.txt'})],
                    [call('read_file', {'file_path': 'none.txt'})], [say('done')]])
    c.ready()
    c.type('go\r')
    c.wait('✗ ReadFile  none.txt', c.wait('✓ ReadFile  a.txt'))
    c.wait('done')
    c.quit()


def test_what_is_shown_and_recorded_is_what_ran(c):
    hook = c.write('hook.sh', REWRITE)
    os.chmod(hook, 0o755)
    c.hooks({'BeforeTool': hook})
    c.open(answers=[shell('echo was-asked'), [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.wait('done', c.wait('✓ Shell  echo really-ran'))
    check('was-asked' not in c.read(), 'what did not run is not shown')
    c.quit()
    record = [json.loads(line) for line in open(c.transcripts()[0], encoding='utf-8')]
    rows = [r for line in record for r in line.get('toolCalls', [])]
    check(rows[-1]['args'] == {'command': 'echo really-ran'}, 'the record', rows)
    check(rows[-1]['argsAsked'] == {'command': 'echo was-asked'}, 'and what was asked', rows)
    r = c.run('-p', 'x', '-y', '-o', 'stream-json', '--fake-responses',
              c.answers(shell('echo was-asked'), [say('done')]))
    uses = [json.loads(line) for line in r.out.splitlines() if '"tool_use"' in line]
    check([u['parameters'] for u in uses] == [{'command': 'echo really-ran'}], 'streamed', r.out)


def test_escape_never_joins_two_prompts(c):
    c.listen('BeforeAgent')
    c.open(answers=[shell('sleep 60'), [say('one')], [say('two')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.running('sleep 60')
    c.type('first\r')
    at = c.wait('(when the agent is idle)')
    c.type('second\r')
    at = c.wait('(when the agent is idle)', at)
    c.type('third')
    at = c.wait('third', at)
    c.type('\x1b')
    at = c.wait('Request cancelled.', at)
    shown = c.read()
    check('Not sent (Up recalls it): first' in shown and 'Not sent (Up recalls it): second' in shown,
          'both are named', shown[-800:])
    c.type('\r')
    c.wait('one', at)
    check(c.sent()[1:] == ['third'], 'the line is as it was', c.sent())
    c.quit()


def test_home_and_end_are_of_the_line(c):
    c.listen('BeforeAgent')
    c.open(answers=[[say('one')]])
    c.ready()
    c.type('ab\ncd\x1b[1~X\x1b[4~Y\x1b[A\x1b[HZ\x1bOFW\r')
    c.wait('one')
    check(c.sent() == ['ZabW\nXcdY'], 'where the keys go', c.sent())
    c.quit()


def test_words_are_not_broken(c):
    reason = ' '.join('word%d' % i for i in range(40))
    c.hooks({'BeforeTool': "echo '%s' >&2; exit 2" % reason})
    c.open(answers=[shell('true'), [say('done')]], mode='yolo', columns=50)
    c.ready()
    c.type('go\r')
    c.wait('done')
    at = len(c.read())
    for i in range(40):
        check('word%d' % i in c.read().replace('\n', ' ').split(), 'word%d is whole' % i, c.read())
    c.type('/help\r')
    c.wait('Ctrl+Y', at)
    lines = [l for l in c.read()[at:].split('\n') if 'continued' not in l]
    check(any(l.startswith('               ') for l in lines), 'continued below its text')
    c.quit()


def words_of(c, typed, end, at):
    c.type(typed)
    stop = c.wait(end, at)
    return [w for line in c.read()[at:stop].split('\n') if 'gemini-2.5' not in line
            for w in line.split()]


def test_words_are_whole_at_every_width(c):
    """/help and denials break between words only, from 30 to 120 columns"""
    made = random.Random(7)
    reason = ' '.join(''.join(made.choice('abcdefghij') for _ in range(made.randrange(1, 14)))
                      for _ in range(60))
    c.hooks({'BeforeTool': "echo '%s END' >&2; exit 2" % reason})
    c.open(columns=400, rows=60)
    c.ready()
    texts = (('/help\r', 'yolo.'), ('!true\r', 'END'))
    want = []
    for width in (400, *range(30, 121, 9)):
        c.child.setwinsize(60, width)
        os.kill(c.child.pid, signal.SIGWINCH)
        for i, (typed, end) in enumerate(texts):
            got = words_of(c, typed, end, len(c.read()))
            got = got[got.index('Commands:' if i == 0 else 'blocked:'):]
            if width == 400:
                want.append(got)
            else:
                check(got == want[i], 'whole at %d columns' % width,
                      [(a, b) for a, b in zip(got, want[i]) if a != b][:3])
    c.quit()


def test_marks_in_ascii(c):
    c.env.update(LC_ALL='C')
    c.write('project/a.txt', 'x')
    c.open(answers=[[call('read_file', {'file_path': 'a.txt'})],
                    [call('read_file', {'file_path': 'b.txt'})], [say('> q\n\n- a\n\ndone')]])
    c.ready()
    c.type('go\r')
    c.wait('done', c.wait('x ReadFile  b.txt', c.wait('+ ReadFile  a.txt')))
    c.quit()
    check(all(ord(ch) < 128 for ch in c.read()), 'only ASCII',
          [ch for ch in c.read() if ord(ch) >= 128])


def test_a_retry_counts_down_on_one_line(c):
    c.env.update(GEMINI_API_KEY='k', TROTLINE_RETRY_UNIT_MS='1000')
    def refused(n):
        n.error(503, 'busy', 'UNAVAILABLE')
    with Server(refused, lambda n: n.answer(say('finally'))) as server:
        c.env['GOOGLE_GEMINI_BASE_URL'] = server.url
        c.dial('-m', 'gemini-2.5-flash')
        c.ready()
        c.type('go\r')
        at = c.wait('attempt 1 failed', c.wait('asked again in 1 s'))
        c.wait('finally', at)
        check('[INFO]' not in c.read(), 'nothing is left of it')
        c.quit()


if __name__ == '__main__':
    run_tests(globals(), 'tools chat')
