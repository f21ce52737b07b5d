#!/usr/bin/env python3
"""Events of the claude dialect that need a terminal.  Prints TAP.

  test_claude_moments.py [NAME...]      only these"""

import json
import os

from agentbox import call, check, say
from test_chat import LOG, run_tests


def claude_hooks(c, **events):
    """Event to (matcher, command), in Claude's own file; each also writes what it got to the log."""
    c.listen('BeforeModel', hooksConfig={'sources': ['claude']})
    hooks = {event: [{'matcher': matcher, 'hooks': [
        {'type': 'command', 'command': LOG.replace('EVENT', event) + '; ' + command}]}]
        for event, (matcher, command) in events.items()}
    c.write('home/.claude/settings.json', json.dumps({'hooks': hooks}))


def answer(event, **members):
    return "echo '%s'" % json.dumps({'hookSpecificOutput': dict(members, hookEventName=event)})


def test_the_model_is_changed(c):
    """C2.15 PreModelSwitch denies or asks, PostModelSwitch adds context"""
    claude_hooks(c, PreModelSwitch=('gemini-2.5-pro', 'cat "$HOME/answer"'),
                 PostModelSwitch=('', 'echo mind the cache'))
    c.write('home/answer', json.dumps({'hookSpecificOutput': {
        'permissionDecision': 'deny', 'permissionDecisionReason': 'not today'}}))
    c.open(answers=[[say('all done')]])
    c.ready()
    c.type('/model gemini-2.5-pro\r')
    at = c.wait('The model stays gemini-2.5-flash: not today')
    c.write('home/answer', json.dumps({'hookSpecificOutput': {
        'permissionDecision': 'ask', 'permissionDecisionReason': 'it costs'}}))
    c.type('/model gemini-2.5-pro\r')
    at = c.wait('Change the model to gemini-2.5-pro?', at)
    c.wait('it costs')
    c.type('2')
    at = c.wait('The model stays gemini-2.5-flash', at)
    c.type('/model gemini-2.5-pro\r')
    at = c.wait('Change the model to gemini-2.5-pro?', at)
    c.type('1')
    at = c.wait('The model is now gemini-2.5-pro', at)
    c.type('hi\r')
    c.wait('all done', at)
    c.quit()
    told = c.payloads('PreModelSwitch')
    check([(p['from_model'], p['to_model'], p['source']) for p in told] ==
          [('gemini-2.5-flash', 'gemini-2.5-pro', 'command')] * 3, 'PreModelSwitch', told)
    check([p['to_model'] for p in c.payloads('PostModelSwitch')] == ['gemini-2.5-pro'], 'once')
    sent = c.payloads('BeforeModel')[0]['llm_request']
    check('mind the cache' in json.dumps(sent), 'the context goes with the prompt', sent)


def test_pieces_of_an_answer(c):
    """C2.15 At a terminal MessageDisplay has each piece, and the last one says so"""
    claude_hooks(c, MessageDisplay=('', 'sed -n s/x/x/p; ' + answer('MessageDisplay', displayContent='a fruit ')))
    c.open(answers=[[say('the plum '), say('is blue')]])
    c.ready()
    c.type('hi\r')
    c.wait('a fruit a fruit')
    c.quit()
    check('plum' not in c.read(), 'nothing of the answer is shown', c.read()[-1500:])
    told = c.payloads('MessageDisplay')
    check([(p['delta'], p['index'], p['final']) for p in told] ==
          [('the plum ', 0, False), ('is blue', 1, False), ('', 2, True)], 'the pieces', told)
    check(len({p['message_id'] for p in told}) == 1, 'of one answer', told)


def test_a_hook_wakes_an_idle_session(c):
    """asyncRewake: what ends with 2 in an idle session makes the model go on"""
    fifo = c.root + '/go'
    os.mkfifo(fifo)
    claude_hooks(c, UserPromptSubmit=('', ':'))
    c.write('home/.claude/settings.json', json.dumps({'hooks': {'Stop': [{'hooks': [{
        'type': 'command', 'asyncRewake': True, 'rewakeMessage': 'The build:',
        'command': '[ -e "%s" ] || exit 0; read x <"%s"; rm "%s"; echo "$x" >&2; exit 2' % ((fifo,) * 3)}]}]}}))
    c.open(answers=[[say('first')], [say('mended')]])
    c.ready()
    c.type('hi\r')
    at = c.wait('first')
    with open(fifo, 'w') as f:
        f.write('it is broken\n')
    at = c.wait('wants the model to go on', at)
    c.wait('mended', at)
    c.quit()
    sent = c.payloads('BeforeModel')[1]['llm_request']
    check('The build:\\n\\nit is broken' in json.dumps(sent), 'it is told why', sent)


def test_a_file_changes_while_nothing_happens(c):
    """C2.16 FileChanged fires in an idle session, and only for the files that are watched"""
    claude_hooks(c, FileChanged=('.env', 'echo \'{"systemMessage":"the variables are new"}\''))
    c.open(answers=[[say('first')]])
    c.ready()
    c.type('hi\r')
    at = c.wait('first')
    c.write('project/other', 'x')
    os.rename(c.write('project/new', 'A=1'), os.path.join(c.project, '.env'))  # whole at once
    c.wait('the variables are new', at)
    c.quit()
    check([(os.path.basename(p['file_path']), p['event']) for p in c.payloads('FileChanged')] == [('.env', 'add')],
          'one file', c.payloads('FileChanged'))


def test_a_directory_is_added(c):
    """C2.17 /directory add fires DirectoryAdded once, and tools and the model know the directory"""
    claude_hooks(c, DirectoryAdded=('slash_command', 'echo \'{"systemMessage":"one more"}\''), CwdChanged=('', ':'))
    c.write('other/word', 'the word is fig')
    c.open(answers=[[call('read_file', {'file_path': '../other/word'})], [say('all done')]])
    c.wait('CwdChanged never fires here; its hooks')
    c.ready()
    c.type('/directory add ../nowhere, ../other\r')
    at = c.wait('../nowhere: no such directory')
    at = c.wait('one more', at)
    at = c.wait('/other to the workspace', at)
    c.type('/dir add ../other\r')
    at = c.wait('in the workspace already', at)
    c.type('/dir show\r')
    at = c.wait('/other', at)
    c.type('hi\r')
    c.wait('all done', at)
    c.quit()
    other = os.path.realpath(os.path.join(c.root, 'other'))
    check([(p['source'], p['directory']) for p in c.payloads('DirectoryAdded')] == [('slash_command', other)],
          'the event', c.payloads('DirectoryAdded'))
    first, second = [p['llm_request'] for p in c.payloads('BeforeModel')]
    check('the word is fig' in json.dumps(second), 'it can be read', second)


def test_a_change_of_the_configuration_is_refused(c):
    """C2.16 ConfigChange keeps the session from taking it over; what is put right may be reloaded"""
    claude_hooks(c, ConfigChange=('project_settings', 'grep -q allowed .gemini/settings.json || '
                                                      '{ echo not this one >&2; exit 2; }'))
    c.open(answers=[[say('first')]])
    c.ready()
    c.type('hi\r')
    at = c.wait('first')
    c.write('project/.gemini/settings.json', '{}')
    at = c.wait('A hook refuses the change of', at)
    c.wait('not this one')
    c.type('/hooks reload\r')
    at = c.wait('The configuration stays as it is', at)
    c.type('/skills reload\r')
    at = c.wait('The configuration stays as it is', at)
    c.write('project/.gemini/settings.json', '{"general": {"allowed": 1}}')
    c.type('/hooks reload\r')
    c.wait('Reloaded the hooks.', at)
    c.quit()


if __name__ == '__main__':
    run_tests(globals(), 'claude_moments')
