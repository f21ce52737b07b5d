#!/usr/bin/env python3
"""MCP servers in a session on a terminal: the dialog, /mcp, progress, what is told of servers.
Prints TAP.

  test_mcp_chat.py [NAME...]      only these"""

import json
import os
import re
import subprocess
import sys
import time

import pexpect

from agentbox import PATIENCE, TROTLINE, call, check, say
from test_chat import SECONDS, Chat, Skipped, ended, run_tests

TESTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'mcp')


ROOT = os.path.dirname(os.path.dirname(TESTS))


def server(script, *args):
    return {'command': sys.executable, 'args': [os.path.join(TESTS, script), *args]}


def touch(c, name):
    c.write('project/' + name, '')


def test_all_tools_of_a_server_for_the_session(c):
    """All tools of a server are allowed for the session"""
    c.listen('Notification', mcpServers={'one': server('server.py'), 'two': server('server.py')})
    c.open(answers=[[call('mcp__one__echo', {'text': 'plums'})],
                    [call('mcp__one__echo', {'text': 'more'}), call('mcp__one__roots', {})],
                    [call('mcp__two__echo', {'text': 'other'})], [say('all done')]])
    c.ready()
    for name in ('one', 'two'):  # in any order
        c.wait('MCP server %s [ready]' % name)
    c.type('go\r')
    at = c.wait('Allow execution of MCP tool "echo" from server "one"?')
    check('"text": "plums"' in c.read()[:at], 'the arguments are shown', c.read()[-2000:])
    for text in ('1. Allow once', '2. Allow tool for this session',
                 '3. Allow all server tools for this session',
                 '4. Always allow in every project: echo of the MCP server one', '5. No, suggest changes (esc)'):
        c.wait(text)
    c.type('3')
    at = c.wait('from server "two"?')
    check(c.read()[:at].count('from server "one"?') >= 1, 'asked')
    c.wait('5. No', at)
    c.type('1')
    c.wait('all done')
    c.quit()
    details = [p['details'] for p in c.payloads('Notification')]
    check([d['serverName'] for d in details] == ['one', 'two'], 'one question a server', details)
    check('toolArgs' not in details[0], 'the notification is what it was', details)


def test_one_tool_for_the_session(c):
    c.listen('Notification', mcpServers={'one': server('server.py')})
    c.open(answers=[[call('mcp__one__echo', {'text': 'plums'})],
                    [call('mcp__one__echo', {'text': 'more'})],
                    [call('mcp__one__roots', {})], [say('all done')]])
    c.ready()
    c.wait('MCP server one [ready]')
    c.type('go\r')
    c.wait('MCP tool "echo"')
    c.type('2')
    c.wait('MCP tool "roots"')
    c.type('1')
    c.wait('all done')
    c.quit()
    check([p['details']['toolName'] for p in c.payloads('Notification')] == ['echo', 'roots'], 'asked')


def test_a_long_call_is_seen_whole(c):
    c.settings(mcpServers={'one': server('server.py')})
    c.open(answers=[[call('mcp__one__echo', {'text': 'x' * 300 + 'the end of it'})], [say('all done')]])
    c.ready()
    c.wait('MCP server one [ready]')
    c.type('go\r')
    c.wait('from server "one"?')
    check('the end of it' in c.read().replace('\n', ''), 'its end is shown', c.read()[-3000:])
    c.type('1')
    c.wait('all done')
    c.quit()


def test_slash_mcp(c):
    c.settings(mcpServers={'toys': server('offers.py', 'slow', 'die-later'), 'gone': {'command': 'false'},
                           'bare': {}, 'barred': server('offers.py')}, mcp={'excluded': ['barred']})
    c.open()
    c.ready()
    at = c.wait('MCP server gone [failed]: ')
    c.type('/mcp\r')
    at = c.wait('toys [connecting]', at)
    at = c.wait('gone [failed]: ', at)
    at = c.wait('Its output: /mcp log gone. Try again: /mcp restart gone', at)
    at = c.wait('bare [failed]: it has no command', at)
    at = c.wait('trotline mcp list shows the', at)
    at = c.wait('barred [not used]: mcp.excluded names it', at)
    c.type('look at @toys:test://plain\r')
    at = c.wait('@toys:test://plain stays plain text: MCP server toys is not ready', at)
    touch(c, 'go')
    at = c.wait('MCP server toys [ready] 1 tool, 1 prompt, 14 resources', at)
    c.type('/mcp list\r')
    at = c.wait('  mcp__toys__work', c.wait('toys [ready] 1 tool', at))
    c.type('/mcp desc\r')
    at = c.wait('Works \\x1b[31mhard', at)
    at = c.wait('template test://{name}', c.wait('about plain', c.wait('prompt greet', at)))
    c.type('/mcp schema\r')
    at = c.wait('"what":{"type":"string"}', at)
    c.type('/mcp log toys\r')
    at = c.wait('warning: low on \\x1b[31mplums', at)
    c.type('/mcp log nobody\r')
    at = c.wait('Unknown MCP server nobody', at)
    c.type('/mcp restart barred\r')
    at = c.wait('mcp.excluded names it', at)
    c.type('/mcp nonsense\r')
    at = c.wait('Usage: /mcp [list|desc|schema|reload|restart SERVER|log SERVER|auth SERVER]', at)
    c.type('/mcp restart toys\r')
    at = c.wait('Restarting MCP server toys.', at)
    at = c.wait('MCP server toys [ready]', at)
    c.type('/mcp reload\r')
    at = c.wait('Restarting 2 MCP servers.', at)
    at = c.wait('MCP server toys [ready]', at)
    touch(c, 'die')
    # It is started again and dies again; who looks late sees only that it was given up.
    c.wait('MCP server toys [connecting]: ', at, 'MCP server toys [failed]: ')
    c.quit()


def test_progress_in_the_status_line(c):
    c.settings(mcpServers={'toys': server('offers.py')})
    c.open(answers=[[call('mcp__toys__work', {})], [say('all done')]], mode='yolo')
    c.ready()
    c.wait('MCP server toys [ready]')
    since = time.monotonic()
    c.type('go\r')
    at = c.wait('2/3 work: half \\x1b[31mway\\x07')
    shown = len(set(re.findall(r'hurry \d+', c.read())))
    most = 2 + (time.monotonic() - since) / 0.1  # one in 100 ms
    check(shown <= most, 'not every line is shown', shown, most)
    touch(c, 'go')
    c.wait('all done', at)
    c.quit()


def test_progress_of_a_headless_run(c):
    c.settings(mcpServers={'toys': server('offers.py')})
    model = c.answers([call('mcp__toys__work', {})], [say('all done')])
    c.env['TERM'] = 'xterm-256color'
    child = pexpect.spawn(TROTLINE, ['-m', 'gemini-2.5-flash', '-p', 'go', '--yolo', '--fake-responses', model],
                          cwd=c.project, env=c.env, encoding='utf-8', timeout=SECONDS * PATIENCE)
    child.expect_exact('2/3 work: half \\x1b[31mway\\x07')
    touch(c, 'go')
    child.expect_exact('all done')
    child.expect(pexpect.EOF)
    ended(child)


def test_a_read_is_cancelled(c):
    """Esc while a server is silent about a resource."""
    c.settings(mcpServers={'toys': server('offers.py')})
    c.open(answers=[[say('never asked')], [say('here I am')]])
    c.ready()
    c.wait('MCP server toys [ready]')
    c.type('look at @toys:test://silent\r')
    c.wait('esc to cancel')
    check('h ' not in re.findall(r'esc to cancel, ([^)]*)', c.read())[-1], 'for how long', c.read())
    c.type('\x1b')
    at = c.wait('Request cancelled.')
    c.type('hello\r')
    c.wait('never asked', at)
    c.quit()


def test_instructions_come_with_the_server(c):
    """The model is told from the first request after the server is there."""
    c.listen('BeforeModel', mcpServers={'toys': server('server.py', 'instructions')})
    c.open(answers=[[say('one')]])
    c.ready()
    c.wait('MCP server toys [ready]')
    c.type('hi\r')
    at = c.wait('one')
    c.type('/mcp desc\r')
    c.wait('test 1, protocol 2025-11-25', at)
    c.quit()
    told = json.dumps(c.payloads('BeforeModel')[0]['llm_request'])
    check('Instructions of the MCP server toys' in told and 'Call echo' in told, 'told', told[:2000])


def test_resources_are_completed(c):
    c.listen('BeforeAgent', mcpServers={'toys': server('offers.py')})
    c.open(answers=[[call('read_mcp_resource', {'uri': 'test://plain'})], [say('all done')]], mode='yolo')
    c.ready()
    c.wait('MCP server toys [ready]')
    c.type('see @toys:test://pl\t\r')
    at = c.wait('Read MCP Resource')
    c.wait('all done', at)
    c.quit()
    said = c.sent()[0]
    check(said.startswith('see @toys:test://plain') and 'PLUM' in said, 'completed and read', said)


def test_server_everything(c):
    """A server that others have written, from npm."""
    to = os.path.join(ROOT, '.cache', 'mcp')
    made = subprocess.run([os.path.join(ROOT, 'tools', 'npm-install'), TESTS, to], capture_output=True,
                          encoding='utf-8', check=False)
    if made.returncode:
        raise Skipped(made.stdout.strip())
    program = os.path.join(to, 'node_modules/@modelcontextprotocol/server-everything/dist/index.js')
    c.listen('BeforeAgent', 'AfterTool', mcpServers={'every': {'command': 'node', 'args': [program]}})
    c.open(answers=[[call('mcp__every__trigger-long-running-operation', {'duration': 8, 'steps': 16}),
                     call('read_mcp_resource', {'uri': 'demo://resource/static/document/startup.md'})],
                    [say('all done')]], mode='yolo')
    c.ready()
    c.wait('MCP server every [ready]')
    c.type('see @every:demo://resource/static/document/features.md\r')
    c.wait('/16 trigger-long-running')
    c.wait('all done')
    c.quit()
    prompt = c.sent()[0]
    check('\n# Everything Server - Features\n' in prompt, 'read', prompt)
    after = c.payloads('AfterTool')
    check([p['mcp_context']['server_name'] for p in after] == ['every', 'every'], 'context', after)
    check('<untrusted_context>' in after[1]['tool_response']['llmContent'], 'the text', after[1])


if __name__ == '__main__':
    run_tests(globals(), 'mcp on a terminal')
