#!/usr/bin/env python3
"""C3.4: what a hook says of its denial or stop is shown, whichever event it is of, in every dialect, with
and without a systemMessage; that is shown once, and the line names the hook."""

import concurrent.futures
import itertools
import json

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


with concurrent.futures.ThreadPoolExecutor(2) as pool:
    list(pool.map(one, itertools.product(EVENTS, ANSWERS.items(), (False, True))))
tap.done()
