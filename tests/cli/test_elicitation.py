#!/usr/bin/env python3
"""MCP servers that ask the user: forms and addresses, at the terminal, by --answer, and headless.
Prints TAP.

  test_elicitation.py [NAME...]      only these"""

import json
import os
import subprocess
import sys

from agentbox import PATIENCE, TROTLINE, call, check, say
from test_chat import run_tests

TESTS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'mcp')
SERVER = {'command': sys.executable, 'args': [os.path.join(TESTS, 'asking.py')]}
SCHEMA = {'type': 'object', 'required': ['name', 'age'], 'properties': {
    'name': {'type': 'string', 'title': 'Your name', 'minLength': 2},
    'age': {'type': 'integer', 'minimum': 1, 'maximum': 150, 'default': 30},
    'mail': {'type': 'string', 'format': 'email'},
    'plan': {'type': 'string', 'oneOf': [{'const': 'a', 'title': 'The small one'},
                                         {'const': 'b', 'title': 'The big one'}], 'default': 'b'},
    'sure': {'type': 'boolean', 'default': True},
    'days': {'type': 'array', 'minItems': 1, 'items': {'type': 'string', 'enum': ['mon', 'tue', 'wed']}},
}}
FORM = {'mode': 'form', 'message': 'Who are you?', 'requestedSchema': SCHEMA}


def tried(c, params, *more, tool='ask'):
    """mcp test --call, without a terminal."""
    p = subprocess.run([TROTLINE, 'mcp', 'test', '--call', tool, '--args', json.dumps(params), *more, '--',
                        SERVER['command'], *SERVER['args']], env=c.env, cwd=c.project,
                       stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=30 * PATIENCE)
    return p, (json.loads(p.stdout) if p.returncode == 0 and p.stdout.startswith('{') else p.stdout)


def form(**properties):
    return {'message': 'm', 'requestedSchema': {'type': 'object', 'properties': properties}}


def test_defaults_and_answers(c):
    """--answer fills a form; defaults do the rest"""
    p, said = tried(c, FORM, '--answer', '{"name": "Ann"}')
    check(said == {'action': 'accept', 'content': {'name': 'Ann', 'age': 30, 'plan': 'b', 'sure': True}},
          'defaults', p.stdout, p.stderr)
    p, said = tried(c, FORM, '--answer', '{"name": "Ann", "days": ["tue"], "other": 1, "sure": false}')
    check(said['content']['days'] == ['tue'] and 'other' not in said['content'] and
          said['content']['sure'] is False, 'values', p.stdout, p.stderr)
    for answer, text in (({}, 'name is missing'), ({'name': 'A'}, 'name must be a text, at least 2 characters'),
                         ({'name': 'Ann', 'age': 1.5}, 'age must be a whole number, 1 to 150'),
                         ({'name': 'Ann', 'age': '7'}, 'age must be'),
                         ({'name': 'Ann', 'mail': 'ann'}, 'mail must be an e-mail address'),
                         ({'name': 'Ann', 'plan': 'The big one'}, 'plan must be one of'),
                         ({'name': 'Ann', 'days': []}, 'days must be some of the options, at least 1'),
                         ({'name': 'Ann', 'days': ['sun']}, 'days must be'),
                         ({'name': 'Ann', 'sure': 'yes'}, 'sure must be yes or no')):
        p, said = tried(c, FORM, '--answer', json.dumps(answer))
        check(said == {'action': 'cancel'} and text in p.stderr, text, p.stdout, p.stderr)


def test_what_is_asked_in_a_guarded_call(c):
    """C4.8 what a server asks nobody is not shown before a guard has judged its call"""
    guard = [{'hooks': [{'type': 'command', 'guard': True, 'command': 'if grep -q pl[u]ms; then exit 2; fi'}]}]
    for hooks in ({}, {'AfterTool': guard}):
        c.settings(mcpServers={'s': SERVER}, hooks=hooks)
        model = c.answers([call('mcp__s__ask', dict(FORM, message='plums?'))], [say('done')])
        r = c.run('-m', 'gemini-2.5-flash', '--yolo', '--fake-responses', model, '-p', 'go')
        check('done' in r.out and 'MCP server s asks the user something' in r.err, 'asked', r)
        check(('plums' in r.err) == (not hooks), 'shown', r)


def test_formats(c):
    cases = {'date': (['2024-02-29'], ['2023-02-29', '2024-13-01', '24-1-1', '2024-02-291']),
             'date-time': (['2024-02-29T23:59:60Z', '2024-01-01t00:00:00.5+02:00'],
                           ['2024-01-01', '2024-01-01T24:00:00Z', '2024-01-01T00:00:00', '2024-01-01T00:00:00.Z']),
             'uri': (['https://x', 'mailto:a@b'], ['x', '://x', 'http://a b', ':']),
             'email': (['a@b.c'], ['a@b', '@b.c', 'a@@b.c', 'a b@c.d', 'a@b.'])}
    for name, (good, bad) in cases.items():
        for value in good + bad:
            _, said = tried(c, form(x={'type': 'string', 'format': name}), '--answer', json.dumps({'x': value}))
            check(said == ({'action': 'accept', 'content': {'x': value}} if value in good
                           else {'action': 'cancel'}), name + ' ' + value, said)


def test_forms_that_cannot_be_asked(c):
    for params in ({'message': 'm'}, {'message': 'm', 'mode': 'odd', 'requestedSchema': SCHEMA},
                   form(x={'type': 'object'}), form(x={'type': 'array'}), form(x={'enum': [1]}),
                   form(x={'type': 'string', 'enum': []}), {'mode': 'url', 'message': 'm'},
                   form(**{'f%d' % i: {'type': 'string'} for i in range(51)})):
        _, said = tried(c, params, '--answer', '{}')
        check(said.get('code') == -32602, 'refused', params, said)
    # A default that does not fit is none.
    _, said = tried(c, form(x={'type': 'string', 'default': 7}), '--answer', '{}')
    check(said == {'action': 'accept', 'content': {}}, 'no default', said)


def test_nobody_at_a_terminal(c):
    """Headless, it is declined with a reason"""
    p, said = tried(c, FORM)
    check(said == {'action': 'decline'} and '--answer JSON answers it' in p.stderr, 'mcp test', p.stderr)
    p, said = tried(c, {'url': 'https://example.com/'}, tool='visit')
    check(p.returncode == 1 and 'no terminal to ask at' in p.stderr, 'an address', p.stderr)
    c.listen('Notification', mcpServers={'s': dict(SERVER, trust=True)})
    p = subprocess.run([TROTLINE, '-p', 'go', '--fake-responses', c.answers([call('mcp__s__ask', FORM)], [say('all done')])], env=c.env,
                       cwd=c.project, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                       timeout=30 * PATIENCE)
    check(p.returncode == 0 and 'all done' in p.stdout, 'it goes on', p.stdout, p.stderr)
    check('MCP server s asks the user something (Who are you?); no terminal to ask at' in p.stderr,
          'the reason', p.stderr)
    told = [x for x in c.payloads('Notification') if x['notification_type'] == 'Elicitation']
    check(len(told) == 1 and told[0]['details']['serverName'] == 's', 'Notification', told)


def chat(c, tool, params):
    c.listen('Notification', 'AfterTool', mcpServers={'s': dict(SERVER, trust=True)})
    c.open(answers=[[call('mcp__s__' + tool, params)], [say('all done')]])
    c.ready()
    c.wait('MCP server s [ready]')
    c.type('go\r')


def test_a_form_on_a_terminal(c):
    """A form is asked field by field, and shown before it is sent"""
    chat(c, 'ask', FORM)
    at = c.wait('Your name (a text, at least 2 characters)')
    c.wait('MCP server s asks: Who are you?')
    c.type('A\r')
    at = c.wait('That does not fit: name must be', at)
    c.wait('Type it', at)
    c.type('Ann\r')
    at = c.wait('age (a whole number, 1 to 150', at)
    c.wait('Take 30', at)
    c.type('\r')
    at = c.wait('mail (an e-mail address, optional)', at)
    c.wait('Leave it out', at)
    c.type('\r')
    at = c.wait('plan (one of the options', at)
    c.wait('> 2. The big one', at)
    c.type('1')
    at = c.wait('sure (yes or no', at)
    c.type('2')
    at = c.wait('days (some of the options', at)
    check('3. wed' in c.read(), 'the options', c.read()[-2000:])
    c.wait('3. Type it', at)
    c.type('3')
    c.type('1,tue\r')
    at = c.wait('Send this to MCP server s?', at)
    c.wait('2. Decline to answer', at)
    c.type('1')
    c.wait('all done', at)
    check('"mon"' in c.read() and 'The small one' in c.read(), 'what is sent is shown', c.read()[-3000:])
    c.quit()
    given = {'name': 'Ann', 'age': 30, 'plan': 'a', 'sure': False, 'days': ['mon', 'tue']}
    told = ''.join(x['text'] for x in c.payloads('AfterTool')[0]['tool_response']['llmContent'])
    said = json.loads([line for line in told.split('\n') if line.startswith('{')][0])
    check(said == {'action': 'accept', 'content': given}, 'the server has it', said)


def test_escape_and_decline(c):
    chat(c, 'ask', form(x={'type': 'boolean'}))
    c.wait('x (yes or no, optional)')
    c.type('\x1b')
    c.wait('all done')
    c.quit()


def test_an_address_is_shown_and_opened(c):
    """An address is shown whole, and opened after a yes; then the call is made again"""
    c.write('browser', '#!/bin/sh\nprintf "%s" "$1" >"$HOME/visited.new" && mv "$HOME/visited.new" "$HOME/visited"\n')
    os.chmod(os.path.join(c.root, 'browser'), 0o755)
    c.env['BROWSER'] = os.path.join(c.root, 'browser')
    url = 'https://login.example.com/consent?code=abc'
    chat(c, 'visit', {'url': url})
    at = c.wait('Open this address of login.example.com for MCP server s?')
    check(url in c.read(), 'the whole address', c.read()[-2000:])
    c.type('1')
    at = c.wait('Go on when you have answered there.', at)
    c.type('1')
    c.wait('all done', at)
    check('visited' in c.read()[at:], 'called again', c.read()[at:])
    c.quit()
    with open(os.path.join(c.env['HOME'], 'visited')) as f:
        check(f.read() == url, 'the browser was there')


def test_addresses_that_are_not_opened(c):
    for url in 'http://example.com/', 'file:///etc/passwd', 'javascript:alert(1)':
        p, said = tried(c, {'mode': 'url', 'message': 'm', 'elicitationId': 'x', 'url': url})
        check(said == {'action': 'decline'}, url, p.stdout, p.stderr)
    chat(c, 'visit', {'url': 'http://example.com/x'})
    c.wait('declined:')
    c.wait('all done')
    c.quit()


if __name__ == '__main__':
    run_tests(globals(), 'elicitation')
