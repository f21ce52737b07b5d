#!/usr/bin/env python3
"""Plan mode in a session on a terminal: its dialogs, and the mode on the screen.  Prints TAP.

  test_plan_chat.py [NAME...]      only these"""

import glob
import os

from agentbox import call, check, say
from test_chat import Chat, run_tests

PLAN = '# The plan\n\nMake **a.txt** new.\n'


def edit(name):
    return call('write_file', {'file_path': name, 'content': 'A\n'})


def plans(c):
    """Where they will be: the id of the session is ours."""
    return os.path.join(c.home, '.gemini/tmp/project/plan-one/plans')


def begin(c, *answers):
    """To the dialog about the plan."""
    c.open('--session-id', 'plan-one', answers=[
        [call('enter_plan_mode', {'reason': 'many files'})],
        [call('write_file', {'file_path': plans(c) + '/a.md', 'content': PLAN})],
        [call('exit_plan_mode', {'plan_filename': 'a.md'})], *answers])
    c.ready()
    c.type('go\r')
    at = c.wait('Do you want to proceed?')
    check('Enter Plan Mode' in c.read() and 'many files' in c.read(), 'why', c.read()[-2000:])
    c.type('1')
    at = c.wait('Carry out this plan?', at)
    shown = c.read()
    check('The plan' in shown and 'Make a.txt new.' in shown, 'the plan is shown', shown[-2000:])
    return at


def mode(c, at, name):
    c.type('/mode\r')
    c.wait('The approval mode is %s;' % name, at)


def test_yes_without_asking(c):
    at = begin(c, [edit('a.txt')], [say('all done')])
    c.type('1')
    at = c.wait('all done', at)
    mode(c, at, 'auto_edit')
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'a.txt')), 'written without a question')


def test_the_source_of_the_plan(c):
    """What Markdown does not show is there, too."""
    at = begin(c, [edit('a.txt')], [say('all done')])
    c.wait('d prints its source')
    c.type('d')
    at = c.wait('Make **a.txt** new.', at)
    c.type('\x1b')
    c.wait('cancelled', at)


def test_yes_and_ask(c):
    at = begin(c, [edit('a.txt')], [say('all done')])
    c.type('2')
    at = c.wait('Apply this change?', at)
    c.type('1')
    at = c.wait('all done', at)
    mode(c, at, 'default')
    c.quit()


def test_no(c):
    at = begin(c, [edit('a.txt')], [say('never')])
    c.type('3')
    at = c.wait('Request cancelled.', at)
    mode(c, at, 'plan')
    c.quit()
    check(not os.path.exists(os.path.join(c.project, 'a.txt')), 'nothing is written')


def test_stays_out(c):
    """No to enter_plan_mode: the mode is as it was."""
    c.open(answers=[[call('enter_plan_mode', {})], [say('never')]])
    c.ready()
    c.type('go\r')
    at = c.wait('Do you want to proceed?')
    c.type('\x1b')
    at = c.wait('Request cancelled.', at)
    mode(c, at, 'default')
    c.quit()


def test_clear_moves_the_plans(c):
    """Plans of the session before are none of the new one's."""
    c.open('--session-id', 'plan-one', answers=[
        [call('write_file', {'file_path': plans(c) + '/a.md', 'content': PLAN})], [say('all done')]],
        mode='plan')
    c.ready()
    c.type('/clear\r')
    at = c.wait('Started a new session.')
    c.type('go\r')
    c.wait('In plan mode only Markdown files in the plans directory', at)
    c.wait('all done', at)
    c.quit()
    check(not glob.glob(plans(c) + '/*'), 'not written')


if __name__ == '__main__':
    run_tests(globals(), 'plan mode on a terminal')
