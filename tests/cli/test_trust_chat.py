#!/usr/bin/env python3
"""A folder is opened at a terminal: what it would switch on, and whether it may (C7.4).

  test_trust_chat.py [NAME...]      only these"""

import json
import os

from agentbox import call, check, say
from test_chat import run_tests

ASKED = 'Trust this folder? [y/N, never]'


def untrusted(c):
    del c.env['GEMINI_CLI_TRUST_WORKSPACE']
    return c


def write(path='a.txt'):
    return [call('write_file', {'file_path': path, 'content': 'x'})]


def test_a_folder_without_hooks_is_asked_about(c):
    untrusted(c).write('project/GEMINI.md', 'Hello.')
    c.write('project/.gemini/settings.json', '{"mcpServers": {}, "model": {"name": "gemini-2.5-pro"}}')
    c.open(answers=[write(), [say('done')]], mode='auto_edit')
    at = c.wait(ASKED)
    shown = c.read()[:at]
    check('GEMINI.md' in shown and 'settings.json: model' in shown, 'what it would switch on', shown)
    c.type('y\n')
    c.ready()
    c.type('go\r')  # the mode counts at once: nothing is asked
    c.wait('done')
    check(os.path.exists(os.path.join(c.project, 'a.txt')), 'written without a question')
    c.quit()
    c.open()
    c.ready()
    check(ASKED not in c.read(), 'asked once')
    c.quit()


def test_no_is_asked_again_and_never_is_not(c):
    untrusted(c).open(mode='auto_edit')
    c.wait(ASKED)
    c.type('n\n')
    c.wait('The approval mode is default')
    c.ready()
    c.quit()
    c.open()
    c.wait(ASKED)
    c.type('never\n')
    c.ready()
    c.quit()
    c.open()
    c.ready()
    check(ASKED not in c.read(), 'not asked again')
    with open(os.path.join(c.env['HOME'], '.gemini/trustedFolders.json'), encoding='utf-8') as f:
        check(list(json.load(f).values()) == ['DO_NOT_TRUST'], 'remembered')
    c.quit()


def test_one_ctrl_c_ends_each_question(c):
    untrusted(c).write('project/.gemini/settings.json', json.dumps({'hooks': {'BeforeTool': [
        {'hooks': [{'type': 'command', 'command': 'true'}]}]}}))
    for args in ('hooks', 'trust'), ('trust',), ('-m', 'x', '--fake-responses', c.answers()):
        for key, status in ('\x03', 130), ('\x04', 55):
            c.dial(*args)
            c.wait('Approve this hook?')
            c.type(key)
            c.wait('Nothing was approved.')
            if args[0] == '-m' and key == '\x04':
                c.ready()
                c.quit()
            else:
                c.end(status)


def test_a_stricter_mode_is_never_loosened(c):
    untrusted(c).open(mode='plan', answers=[write(), [say('refused')]])
    c.wait(ASKED)
    c.type('n\n')
    c.ready()
    c.type('/mode\r')
    c.wait('The approval mode is plan')
    c.type('go\r')
    c.wait('refused')
    check(not os.path.exists(os.path.join(c.project, 'a.txt')), 'nothing is written')
    c.quit()


def test_shift_tab_says_why_not_and_what_to_do(c):
    untrusted(c).open()
    c.wait(ASKED)
    c.type('\n')
    c.ready()
    c.type('\x1b[Z')
    at = c.wait('auto_edit needs a trusted folder; /trust')
    at = c.wait('The approval mode is now plan', at)
    c.type('\x1b[Z')
    at = c.wait('The approval mode is now default', at)
    c.type('/mode auto_edit\r')
    c.wait('The mode stays default: auto_edit needs a trusted folder; /trust', at)
    c.type('/mode plan\r')
    c.wait('The approval mode is now plan', at)
    c.type('/trust\r')
    c.wait('/trust yes trusts this folder', c.wait('would switch on'))
    c.type('/trust yes\r')
    at = c.wait('All approval modes')
    c.type('/mode yolo\r')
    at = c.wait('The approval mode is now yolo', at)
    c.type('/trust revoke\r')
    c.wait('The approval mode is now default', at)
    c.quit()


if __name__ == '__main__':
    run_tests(globals(), 'trust chat')
