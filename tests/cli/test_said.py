#!/usr/bin/env python3
"""C3.4: what a hook says of its denial or stop is shown, whichever event it is of, in every dialect, with
and without a systemMessage; that is shown once, and the line names the hook."""

import concurrent.futures
import itertools
import json
import re

from agentbox import Box, Failed, Tap, call, check, say

tap = Tap()
# What can be denied: the dialect, its event, and what the model says.
EVENTS = [
    ('gemini', 'BeforeTool', 'tool'), ('gemini', 'AfterTool', 'tool'), ('gemini', 'BeforeAgent', 'text'),
    ('gemini', 'AfterAgent', 'text'), ('gemini', 'BeforeModel', 'text'), ('gemini', 'AfterModel', 'text'),
    ('tabnine', 'BeforeTool', 'tool'), ('tabnine', 'AfterAgent', 'text'),
    ('terminai', 'BeforeTool', 'tool'), ('terminai', 'BeforeModel', 'text'),
    ('jpfork', 'PreToolUse', 'tool'),
    ('claude', 'PreToolUse', 'tool'), ('claude', 'PostToolUse', 'tool'), ('claude', 'UserPromptSubmit', 'text'),
    ('claude', 'Stop', 'text'), ('claude', 'PostToolBatch', 'tool'),
]
DENIAL = {'decision': 'block', 'reason': 'the-reason'}
STOP = {'continue': False, 'stopReason': 'the-stop-reason'}
ANSWERS = {'reason': DENIAL, 'stopReason': STOP, 'reason and stopReason': {**DENIAL, **STOP},
           'a denial with a stopReason': {**DENIAL, 'stopReason': 'the-stop-reason'}}
SENT_BACK = ('AfterAgent', 'Stop')


def shown(dialect, event, model, answer, message):
    said = json.dumps({**answer, **({'systemMessage': 'the-message'} if message else {})})
    with Box() as box:
        # A second attempt is accepted.
        once = 'if mkdir ../asked 2>/dev/null; then cat ../said; fi' if event in SENT_BACK else 'cat ../said'
        box.write('said', said)
        box.settings(hooks={event: [{'hooks': [{'type': 'command', 'name': 'the-hook', 'command': once,
                                                'dialect': dialect}]}]})
        box.answers([call('list_directory', {'dir_path': '.'}) if model == 'tool' else say('one')],
                    *[[say('two')]] * 3)
        r = box.run('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--fake-responses',
                    box.root + '/model.jsonl', '-p', 'hi')
    for text in ('the-reason', 'the-stop-reason'):
        if text in answer.values():
            check(text in r.err, text + ' is not shown', r)
    check(r.err.count('the-message') == message, 'the message is shown %d times' % r.err.count('the-message'), r)
    check('[the-hook]' in r.err, 'the hook is not named', r)
    if event in SENT_BACK and 'continue' not in answer:
        check('(the answer is sent back to the model)' in r.err, 'it does not say what comes of it', r)


def one(case):
    (dialect, event, model), (name, answer), message = case
    title = 'C3.4 %s of %s: %s%s' % (event, dialect, name, ', with a systemMessage' if message else '')
    try:
        shown(dialect, event, model, answer, message)
        tap.point(title)
    except Failed as e:
        tap.point(title, e)


# ---- every line about a block, a stop, a retry, a withheld answer names the hook ----

# Every way to say no, and whether the hook is a guard.
VERDICTS = {
    'exit 2': ('echo the-reason >&2; exit 2', False),
    'a denial': ("echo '%s'" % json.dumps(DENIAL), False),
    'a stop': ("echo '%s'" % json.dumps(STOP), False),
    'a guard that denies': ("echo '%s'" % json.dumps(DENIAL), True),
    'a guard that fails': ('echo the-reason >&2; exit 1', True),
    'a guard that is killed': ('kill -9 $$', True),
    'a guard that says nothing sensible': ('echo the-reason', True),
}
AGENT = '---\nname: plum\ndescription: x\n---\nYou are a plum.\n'
MORE = [
    ('gemini', 'BeforeToolSelection', 'text'), ('claude', 'SubagentStart', 'agent'), ('claude', 'SubagentStop', 'agent'),
    ('claude', 'PermissionRequest', 'asked'), ('claude', 'TaskCreated', 'todo'), ('claude', 'MessageDisplay', 'text'),
]
TALK = re.compile(r'block|stopp|withh|reject|sent back|denie|refuse|failed|kept from', re.I)
FIRST = {
    'tool': call('list_directory', {'dir_path': '.'}), 'text': say('one'),
    'agent': call('invoke_agent', {'agent_name': 'plum', 'prompt': 'x'}),
    'asked': call('run_shell_command', {'command': 'touch x'}),
    'todo': call('write_todos', {'todos': [{'description': 'a', 'status': 'pending'}]}),
}


def named(dialect, event, model, command, guard):
    with Box() as box:
        box.settings(hooks={event: [{'hooks': [{'type': 'command', 'name': 'the-hook', 'command': command,
                                                'dialect': dialect, 'guard': guard}]}]}, hooksConfig={'maxRetries': 1})
        box.write('home/.gemini/agents/plum.md', AGENT)
        box.answers([FIRST[model]], *[[say('two')]] * 6)
        mode = 'default' if model == 'asked' else 'yolo'
        r = box.run('-m', 'gemini-2.5-flash', '--approval-mode', mode, '--fake-responses-non-strict',
                    box.root + '/model.jsonl', '-p', 'hi')
    lines = [line for line in r.err.splitlines() if TALK.search(line) or 'the-reason' in line or 'the-stop' in line]
    lines = [line for line in lines if 'YOLO' not in line and 'approval mode' not in line]
    unnamed = [line for line in lines if 'the-hook' not in line]
    check(not unnamed, 'a line that names no hook', '\n'.join(unnamed), r)


def one_named(case):
    (dialect, event, model), (name, (command, guard)) = case
    title = 'C3.4 %s of %s: %s: every line names the hook' % (event, dialect, name)
    try:
        named(dialect, event, model, command, guard)
        tap.point(title)
    except Failed as e:
        tap.point(title, e)


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    list(pool.map(one, itertools.product(EVENTS, ANSWERS.items(), (False, True))))
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    list(pool.map(one_named, itertools.product(EVENTS + MORE, VERDICTS.items())))
tap.done()
