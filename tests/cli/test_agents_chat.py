#!/usr/bin/env python3
"""Sub-agents in a session on a terminal: what is shown, asked, and cancelled.  Prints TAP.

  test_agents_chat.py [NAME...]      only these"""

import json
import os
import threading

import pexpect

from agentbox import PATIENCE, TROTLINE, Server, call, check, say, wait_until
from test_chat import SECONDS, Chat, run_tests

PLUM = '---\nname: plum\ndescription: Knows plums.\n---\nYou are a plum.\n'
START = [call('invoke_agent', {'agent_name': 'plum', 'prompt': 'eat it'})]
DONE = [call('complete_task', {'result': 'RESULT'})]


def shell(command):
    return [call('run_shell_command', {'command': command})]


def begin(c, *answers, mode='default'):
    c.write('home/.gemini/agents/plum.md', PLUM)
    c.open(answers=[START, *answers], mode=mode)
    c.ready()
    c.type('go\r')


def test_what_is_shown(c):
    c.write('project/notes.md', 'SECRET WORDS\n')
    begin(c, [say('HIDDEN', finish=None), call('read_file', {'file_path': 'notes.md'})], DONE,
          [say('all done')])
    at = c.wait('plum: ReadFile notes.md')
    c.wait('all done', at)
    c.quit()
    shown = c.read()
    check('RESULT' in shown, 'the result', shown[-2000:])
    check('HIDDEN' not in shown and 'SECRET' not in shown, 'what it said and read', shown[-2000:])


def test_it_asks(c):
    begin(c, shell('touch ran'), DONE, [say('all done')])
    at = c.wait('Allow execution of [touch]?')
    check('The agent plum asks.' in c.read(), 'who asks', c.read()[-2000:])
    c.type('1')
    c.wait('all done', at)
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'ran')), 'it ran')


def test_no_ends_the_turn(c):
    begin(c, shell('touch ran'), [say('never')], [say('never')])
    at = c.wait('Allow execution of [touch]?')
    c.type('\x1b')
    c.wait('Request cancelled.', at)
    c.type('/mode\r')
    c.wait('The approval mode is default;', at)
    c.quit()
    check(not os.path.exists(os.path.join(c.project, 'ran')), 'it did not run')
    check('never' not in c.read(), 'no model is asked again')


def test_escape_ends_a_command_of_an_agent(c):
    begin(c, shell('echo $$ > pid; exec sleep 600'), [say('never')], [say('never')], mode='yolo')
    pid = os.path.join(c.project, 'pid')
    wait_until(lambda: os.path.exists(pid) and os.path.getsize(pid), SECONDS, 'the command')
    at = len(c.read())
    c.type('\x1b')
    c.wait('Request cancelled.', at)
    c.quit()
    check('never' not in c.read(), 'no model is asked again')


def test_escape_ends_a_request_of_an_agent(c):
    """And the session's conversation goes on without what the agent said."""
    c.write('home/.gemini/agents/plum.md', PLUM)
    asked, over = threading.Event(), threading.Event()

    def hang(k):
        asked.set()
        over.wait(SECONDS * PATIENCE)

    with Server(lambda k: k.answer(*START), hang, lambda k: k.answer(say('all done'))) as server:
        c.env.update(GOOGLE_GEMINI_BASE_URL=server.url, GEMINI_API_KEY='k', TERM='xterm-256color')
        c.seen = ''
        c.child = pexpect.spawn(TROTLINE, ['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo'],
                                cwd=c.project, env=c.env, encoding='utf-8', timeout=SECONDS,
                                dimensions=(24, 80))
        c.ready()
        c.type('go\r')
        check(asked.wait(SECONDS * PATIENCE), 'the agent asks its model')
        at = len(c.read())
        c.type('\x1b')
        c.wait('Request cancelled.', at)
        over.set()
        c.type('go on\r')
        c.wait('all done', at)
        c.quit()
        told = json.dumps([r.json for r in server.requests[1:]])
        agents, after = [json.dumps(r.json) for r in server.requests[1:]]
        check('You are a plum' in agents and 'You are a plum' not in after, 'two conversations', told)
        check('go on' in after and 'invoke_agent' in after, 'the session\'s goes on', after[:3000])


if __name__ == '__main__':
    run_tests(globals(), 'agents on a terminal')
