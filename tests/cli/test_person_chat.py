#!/usr/bin/env python3
"""What the person at the terminal is asked by the model, and runs themselves.

  test_person_chat.py [NAME...]      only these"""

import json
import os

from agentbox import call, check, say
from test_chat import run_tests

QUESTIONS = [
    {'question': 'Which one?', 'header': 'One', 'type': 'choice',
     'options': [{'label': 'Left', 'description': 'to the left'},
                 {'label': 'Right', 'description': 'to the right'}]},
    {'question': 'Which ones?', 'header': 'Many', 'type': 'choice', 'multiSelect': True,
     'options': [{'label': 'A', 'description': 'a'}, {'label': 'B', 'description': 'b'},
                 {'label': 'C', 'description': 'c'}]},
    {'question': 'What is it called?', 'header': 'Name', 'type': 'text', 'placeholder': 'a name'},
    {'question': 'Go on?', 'header': 'Go', 'type': 'yesno'},
]


def responses(c):
    with open(c.transcripts()[0], encoding='utf-8') as f:
        rows = [r for line in f for r in json.loads(line).get('toolCalls', [])]
    return [r['result'][0]['functionResponse']['response'] for r in rows]


def test_questions_of_every_kind(c):
    c.open(answers=[[call('ask_user', {'questions': QUESTIONS})], [say('done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('2. Right: to the right', c.wait('Which one?'))
    c.type('2')
    at = c.wait('Done', c.wait('Which ones?', at))
    c.type('1')
    at = c.wait('[x] A', at)
    c.type('3')
    at = c.wait('[x] C', at)
    c.type('4')
    at = c.wait('Answer', c.wait('What is it called?', at))
    c.type('my name\r')
    at = c.wait('2. No', c.wait('Go on?', at))
    c.type('1')
    c.wait('done', at)
    c.quit()
    answers = json.loads(responses(c)[0]['output'])['answers']
    check(answers == {'0': 'Right', '1': 'A, C', '2': 'my name', '3': 'Yes'}, 'answers', answers)


def test_another_answer_can_be_typed(c):
    c.open(answers=[[call('ask_user', {'questions': QUESTIONS[:1]})], [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.wait('3. Something else')
    c.type('3neither\r')
    c.wait('done')
    c.quit()
    answers = json.loads(responses(c)[0]['output'])['answers']
    check(answers == {'0': 'neither'}, 'answers', answers)


def test_escape_answers_nothing(c):
    c.open(answers=[[call('ask_user', {'questions': QUESTIONS[:1]})], [say('done')]])
    c.ready()
    c.type('go\r')
    c.wait('3. Something else')
    c.type('\x1b')
    c.wait('done')
    c.quit()
    check('without an answer' in str(responses(c)), 'the model is told', responses(c))


def test_a_command_of_the_user(c):
    c.listen('BeforeTool', 'BeforeAgent')
    c.open(answers=[[say('seen')]])
    c.ready()
    c.type('!echo it is $(echo me)\r')
    at = c.wait('✓ Shell  echo it is')
    at = c.wait('it is me', at)
    c.type('!!echo hidden\r')
    at = c.wait('✓ Shell  echo hidden', at)
    c.type('hello\r')
    c.wait('seen', at)
    sent = c.payloads('BeforeAgent')[0]
    parts = [p['text'] for p in sent['prompt_parts'] if p['type'] == 'shell']
    check(sent['prompt'] == 'hello', 'the prompt is what was typed (C2.8)', sent)
    check(len(parts) == 1 and 'it is me' in parts[0] and 'hidden' not in str(sent), 'told', sent)
    check([p['tool_input']['command'] for p in c.payloads('BeforeTool')] ==
          ['echo it is $(echo me)', 'echo hidden'], 'hooks see it')
    c.quit()


def test_shell_mode(c):
    c.open(answers=[[say('a prompt')]])
    c.ready()
    c.type('!\r')
    c.wait('Lines are commands of the shell now')
    c.type('echo one$((1 + 1))\r')
    at = c.wait('one2', c.wait('✓ Shell'))
    c.type('!\r')
    at = c.wait('Lines are prompts again', at)
    c.type('hi\r')
    c.wait('a prompt', at)
    c.quit()


def test_a_guard_refuses_a_command_of_the_user(c):
    c.hooks({'BeforeTool': 'echo not that >&2; exit 2'})
    c.open()
    c.ready()
    c.type('!touch made\r')
    c.wait('not that', c.wait('✗ Shell  touch made'))
    c.quit()
    check(not os.path.exists(os.path.join(c.project, 'made')), 'it did not run')


if __name__ == '__main__':
    run_tests(globals(), 'person chat')
