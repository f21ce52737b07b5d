#!/usr/bin/env python3
"""Skills in a session on a terminal: the dialog, /skills.  Prints TAP.

  test_skills_chat.py [NAME...]      only these"""

import json
import os

import pexpect

from agentbox import PATIENCE, TROTLINE, Server, call, check, say, wait_until
from test_chat import LOG, SECONDS, Chat, run_tests

SKILL = '---\nname: %s\ndescription: What %s is for.\n---\nBODY\n'


def skill(c, name):
    c.write('home/.gemini/skills/%s/SKILL.md' % name, SKILL % (name, name))
    c.write('home/.gemini/skills/%s/notes.txt' % name, 'NOTES')


def notes(c, name):
    return os.path.join(c.home, '.gemini/skills', name, 'notes.txt')


def names_of(request):
    """The skills that the declaration of activate_skill names."""
    for f in request['tools'][0]['functionDeclarations']:
        if f['name'] == 'activate_skill':
            return f['parametersJsonSchema']['properties']['name']['enum']
    return []


def test_it_asks_and_shows_what_it_is(c):
    """name, description, directory."""
    skill(c, 'lasso')
    # Not in one file: the notification is not waited for.
    c.hooks({'Notification': LOG.replace('EVENT', 'Notification'), 'AfterTool': 'cat >> after'})
    c.open(answers=[[call('activate_skill', {'name': 'lasso'})],
                    [call('read_file', {'file_path': notes(c, 'lasso')})], [say('all done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('Do you want to proceed?')
    shown = c.read()
    for text in ('Activate Skill: lasso', 'the user skill', 'What lasso is for.',
                 '.gemini/skills/lasso/', 'notes.txt'):
        check(text in shown, 'shown: ' + text, shown[-2000:])
    c.type('1')
    c.wait('all done', at)
    c.quit()
    wait_until(lambda: c.payloads('Notification'), SECONDS, 'the notification')
    details = c.payloads('Notification')[0]['details']
    check(details['type'] == 'info' and details['title'] == 'Activate Skill: lasso', 'B10', details)
    with open(os.path.join(c.project, 'after'), encoding='utf-8') as f:
        results = [json.loads(line)['tool_response'] for line in f]
    check('BODY' in results[0]['llmContent'], 'the body', results[0])
    check('NOTES' in results[1]['llmContent'], 'the file next to it', results[1])


def test_no(c):
    skill(c, 'lasso')
    c.listen('AfterTool')
    c.open(answers=[[call('activate_skill', {'name': 'lasso'})], [say('never')]])
    c.ready()
    c.type('go\r')
    c.wait('Do you want to proceed?')
    c.type('\x1b')
    c.wait('Request cancelled.')
    c.quit()
    check(not c.payloads('AfterTool'), 'it did not run')


def test_it_asks_in_plan_mode(c):
    skill(c, 'lasso')
    c.open(answers=[[call('activate_skill', {'name': 'lasso'})], [say('all done')]], mode='plan')
    c.ready()
    c.type('go\r')
    at = c.wait('Do you want to proceed?')
    c.type('1')
    c.wait('all done', at)
    c.quit()


def test_slash_skills(c):
    skill(c, 'lasso')
    skill(c, 'rope')
    c.listen('BeforeModel')
    c.open(answers=[[say('first')], [say('second')], [say('third')]])
    c.ready()
    c.type('/skills\r')
    at = c.wait('rope [Enabled]')
    c.type('/skills desc\r')
    at = c.wait('.gemini/skills/lasso/SKILL.md', at)
    c.type('one\r')
    at = c.wait('first', at)
    c.type('/skills disable rope\r')
    at = c.wait('Skill "rope" disabled by adding it to the disabled list in workspace', at)
    c.type('/skills list\r')
    at = c.wait('rope [Disabled]', at)
    c.type('/skills enable rope\r')
    at = c.wait('Skill "rope" enabled by removing it from the disabled list in workspace', at)
    skill(c, 'saddle')
    c.type('/skills reload\r')
    at = c.wait('Reloaded 3 skills.', at)
    c.type('/skills dance\r')
    at = c.wait('Usage: /skills', at)
    c.type('/skills enable\r')
    c.wait('Usage: /skills enable NAME', at)
    c.quit()


def test_a_skill_is_a_command(c):
    """H6.3a: the user's own word: hooks and policy see it, without a question."""
    skill(c, 'lasso')
    outfile = os.path.join(c.home, 'telemetry.json')
    c.env.update(GEMINI_TELEMETRY_ENABLED='true', GEMINI_TELEMETRY_TARGET='local',
                 GEMINI_TELEMETRY_OUTFILE=outfile)
    c.listen('BeforeTool', 'BeforeAgent', 'BeforeModel')
    c.open(answers=[[call('read_file', {'file_path': notes(c, 'lasso')})], [say('caught')],
                    [say('second')], [say('third')]], mode='default')
    c.ready()
    c.type('/las')
    c.wait('What lasso is for. [skill]')
    c.type('so catch the bull\r')
    at = c.wait('Activate Skill')
    at = c.wait('caught', at)
    check('Do you want to proceed?' not in c.read(), 'a question')
    c.type('/lasso\r')
    at = c.wait('second', at)
    skill(c, 'saddle')
    c.type('/skills reload\r')
    at = c.wait('Reloaded 2 skills.', at)
    c.type('/saddle up\r')
    c.wait('third', at)
    c.quit()
    tools = [(p['tool_name'], p['tool_input']) for p in c.payloads('BeforeTool')]
    check(tools == [('activate_skill', {'name': 'lasso'}),
                    ('read_file', {'file_path': notes(c, 'lasso')}),
                    ('activate_skill', {'name': 'lasso'}), ('activate_skill', {'name': 'saddle'})],
          'the calls', tools)
    said = c.sent()
    check(said[0].startswith('catch the bull\n<activated_skill name="lasso">\n'), 'the prompt', said)
    check('\n    BODY\n' in said[0], 'the body', said)
    check(said[1].startswith('Use the skill lasso\n<activated_skill'), 'without words', said)
    check(said[2].startswith('up\n<activated_skill name="saddle">'), 'a new one', said)
    with open(outfile, encoding='utf-8') as f:
        told = f.read()
    for command in ('lasso', 'saddle', 'skills', 'quit'):
        check('Slash command: %s.' % command in told, 'telemetry of ' + command, told[-3000:])
    check('"subcommand": "reload"' in told, 'its subcommand', told[-3000:])
    check(told.count('Tool call: activate_skill.') == 3, 'telemetry of the calls')


def test_a_skill_that_may_not_be_activated(c):
    skill(c, 'lasso')
    c.listen('BeforeAgent')
    c.hooks({'BeforeTool': "echo not today >&2; exit 2"})
    c.open(answers=[[say('never')]])
    c.ready()
    c.type('/lasso up\r')
    c.wait('The skill lasso is not activated: Tool execution blocked: not today')
    c.quit()
    check(not c.payloads('BeforeAgent'), 'no prompt')


def test_after_clear_its_directory_is_still_readable(c):
    skill(c, 'lasso')
    c.listen('AfterTool')
    c.open(answers=[[call('activate_skill', {'name': 'lasso'})], [say('all done')],
                    [call('read_file', {'file_path': notes(c, 'lasso')})], [say('read it')]],
           mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('all done')
    c.type('/clear\r')
    c.type('again\r')
    c.wait('read it', at)
    c.quit()
    check('NOTES' in c.payloads('AfterTool')[1]['tool_response']['llmContent'], 'readable')


def test_what_is_disabled_is_gone_for_the_model(c):
    skill(c, 'lasso')
    skill(c, 'rope')
    c.open(answers=[[call('activate_skill', {'name': 'rope'})], [say('all done')]], mode='yolo')
    c.ready()
    c.type('/skills disable rope\r')
    c.wait('Skill "rope" disabled')
    c.type('go\r')
    c.wait('params/name must be equal to one of the allowed values')
    c.wait('all done')
    c.quit()


def test_the_model_is_told_of_what_there_is_now(c):
    skill(c, 'lasso')
    skill(c, 'rope')
    with Server(lambda k: k.answer(say('first')), lambda k: k.answer(say('second'))) as server:
        c.env.update(GOOGLE_GEMINI_BASE_URL=server.url, GEMINI_API_KEY='k', TERM='xterm-256color')
        c.seen = ''
        c.child = pexpect.spawn(TROTLINE, ['-m', 'gemini-2.5-flash', '--approval-mode', 'yolo'],
                                cwd=c.project, env=c.env, encoding='utf-8', timeout=SECONDS * PATIENCE,
                                dimensions=(24, 80))
        c.ready()
        c.type('one\r')
        at = c.wait('first')
        c.type('/skills disable rope\r')
        at = c.wait('Skill "rope" disabled', at)
        c.type('two\r')
        c.wait('second', at)
        c.quit()
    told = [names_of(r.json) for r in server.requests]
    check(told == [['lasso', 'rope'], ['lasso']], 'the declarations', told)
    systems = [json.dumps(r.json['systemInstruction']) for r in server.requests]
    check(['- rope: ' in s for s in systems] == [True, False], 'the system instruction')


if __name__ == '__main__':
    run_tests(globals(), 'skills on a terminal')
