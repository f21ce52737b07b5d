#!/usr/bin/env python3
"""C3.4 at a terminal: every line about a block, a stop or an answer that is sent back names the hook.
Prints TAP.

  test_said_chat.py [NAME...]      only these"""

import json

from agentbox import call, check, say
from test_chat import run_tests

TOOL, TEXT = call('list_directory', {'dir_path': '.'}), say('one')
EVENTS = {'BeforeTool': TOOL, 'AfterTool': TOOL, 'BeforeAgent': TEXT, 'AfterAgent': TEXT, 'BeforeModel': TEXT,
          'AfterModel': TEXT}
VERDICTS = {'denies': {'decision': 'deny', 'reason': 'the-reason'},
            'stops': {'continue': False, 'stopReason': 'the-reason'}}


def of(event, first, verdict):
    def test(c):
        c.settings(hooksConfig={'maxRetries': 1}, hooks={event: [{'hooks': [
            {'type': 'command', 'name': 'the-hook', 'guard': True, 'command': "echo '%s'" % json.dumps(verdict)}]}]})
        c.open(answers=[[first], [say('two')], [say('three')]])
        c.ready()
        c.type('hi\r')
        at = c.wait('the-reason')
        c.wait('[the-hook]', at)
        if event == 'AfterAgent' and 'decision' in verdict:
            c.wait('[the-hook]', c.wait('rejected the answer 2 times'))
        c.quit()
        check('the-reason' in c.read(), 'it is shown')
    return test


for _event, _first in EVENTS.items():
    for _name, _verdict in VERDICTS.items():
        globals()['test_%s_%s' % (_event, _name)] = of(_event, _first, _verdict)

if __name__ == '__main__':
    run_tests(globals(), 'said_chat')
