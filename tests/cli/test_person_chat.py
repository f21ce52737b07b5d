#!/usr/bin/env python3
"""What the person at the terminal is asked by the model, and runs themselves.

  test_person_chat.py [NAME...]      only these"""

import json
import os

from agentbox import call, check, say, wait_until
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


def test_how_a_command_ended(c):
    """The user's and the model's: a mark that does not say it went well, and the status."""
    c.open(answers=[[call('run_shell_command', {'command': 'echo out; exit 4'})], [say('seen')]], mode='yolo')
    c.ready()
    at = 0
    for command, end in (('exit 3', ' (exit status 3)'), ('echo a; false', ' (exit status 1)'),
                         ('kill -9 $$', ' (signal 9)')):
        c.type('!%s\r' % command)
        at = c.wait('✗ Shell%s  %s' % (end, command), at)
    c.type('!true\r')
    at = c.wait('✓ Shell  true', at)
    c.type('go\r')
    c.wait('seen', c.wait('✗ Shell (exit status 4)  echo out', at))
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


SAVED = 'home/.gemini/policies/auto-saved.toml'


def saved(c):
    with open(os.path.join(c.root, SAVED), encoding='utf-8') as f:
        return f.read()


def test_always_is_kept_and_taken_back(c):
    """Always allow: the beginning of the command that the dialog names, in every session"""
    touch = [[call('run_shell_command', {'command': 'touch one ' + name})] for name in 'abc']
    c.open(answers=[touch[0], [say('first')], touch[1], [say('second')],
                    [call('run_shell_command', {'command': 'touch two'})], [say('third')]])
    c.ready()
    c.type('go\r')
    c.wait('3. Always allow in every project: shell commands that begin with "touch one a"')
    c.type('3')
    at = c.wait('Always allowed: shell commands that begin with "touch one a".')
    at = c.wait('first', at)
    c.type('go\r')
    c.wait('3. Always allow in every project: shell commands that begin with "touch one b"', at)
    c.type('1')
    at = c.wait('second', at)
    c.type('/permissions\r')
    at = c.wait('1. shell commands that begin with "touch one a"', c.wait('In every session', at))
    c.quit()
    path = os.path.join(c.root, SAVED)
    check(os.stat(path).st_mode & 0o777 == 0o600, 'mode', oct(os.stat(path).st_mode))
    check('commandPrefix = "touch one a"' in saved(c), 'saved', saved(c))
    # Without a terminal, too, and in another session it is taken back.
    run = c.run('-p', 'go', '-m', 'gemini-2.5-flash', '--fake-responses',
                c.answers([call('run_shell_command', {'command': 'touch one a x'})], [say('fine')]))
    check(run.status == 0 and os.path.exists(os.path.join(c.project, 'x')), 'headless', run)
    c.open(answers=[touch[0], [say('asked')]])
    c.ready()
    c.type('/permissions forget 1\r')
    at = c.wait('No longer allowed: shell commands that begin with "touch one a".')
    c.type('go\r')
    c.wait('Allow execution of [touch]?', at)
    c.type('1')
    c.wait('asked', at)
    c.quit()
    check('touch' not in saved(c), 'taken back', saved(c))


def test_always_loses_to_what_denies(c):
    """Always allow: a rule that denies and a guard count more; not offered where it would not help"""
    c.write(SAVED, '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch"\n'
                   'decision = "allow"\npriority = 999\n')
    c.write('project/.gemini/policies/no.toml',
            '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch b"\n'
            'decision = "deny"\npriority = 0\ndenyMessage = "not b"\n')
    c.hooks({'BeforeTool': 'grep -q "touch c" && { echo not c >&2; exit 2; }; exit 0'})
    c.open(answers=[[call('run_shell_command', {'command': 'touch ' + name}) for name in 'abc'] +
                    [call('run_shell_command', {'command': 'rm -rf x'})], [say('all done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('Allow execution of [rm]?')
    c.wait('3. No', at)
    check('Always allow' not in c.read(), 'it would be asked again', c.read()[-2000:])
    c.type('1')
    c.wait('all done', at)
    c.quit()
    names = [n for n in 'abc' if os.path.exists(os.path.join(c.project, n))]
    check(names == ['a'] and 'not b' in c.read() and 'not c' in c.read(), 'made', names)


def test_a_broken_file_loses_nothing(c):
    """Always allow: a file that is broken stays as it is, and one line says so"""
    c.open(answers=[[call('run_shell_command', {'command': 'make'})], [say('all done')]])
    c.ready()
    c.write(SAVED, '[[rule\n')
    c.type('go\r')
    c.wait('3. Always allow in every project: shell commands that begin with "make"')
    c.type('3')
    at = c.wait('auto-saved.toml:1:')
    c.wait('it is allowed for this session only', at)
    c.wait('all done', at)
    c.quit()
    check(saved(c) == '[[rule\n', 'as it was', saved(c))


def test_a_command_of_the_user_in_plan_mode(c):
    """!command in plan mode: runs, because the user typed it; guards and rules that deny count"""
    c.write('home/.gemini/policies/no.toml',
            '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "touch b"\n'
            'decision = "deny"\npriority = 0\ndenyMessage = "not b"\n')
    c.hooks({'BeforeTool': 'grep -q "touch c" && { echo not c >&2; exit 2; }; exit 0'})
    c.open(mode='plan')
    c.ready()
    for name, shown in (('a', '✓ Shell  touch a'), ('b', 'not b'), ('c', 'not c')):
        c.type('!touch %s\r' % name)
        c.wait(shown)
    c.quit()
    names = [n for n in 'abc' if os.path.exists(os.path.join(c.project, n))]
    check(names == ['a'], 'made', names)


def test_a_dumb_terminal_is_asked_once(c):
    """TERM=dumb: a question is printed once, however long the answer takes"""
    c.term = 'dumb'
    c.hooks({'Notification': 'sleep 0.6; : >"$LOG"'})  # some ticks later
    c.open(answers=[[call('run_shell_command', {'command': 'touch a'})], [say('all done')]])
    c.wait('/help lists the commands')
    c.type('go\r')
    at = c.wait('4. No, suggest changes (esc)')
    wait_until(lambda: os.path.exists(c.log), 20, 'the hook')
    check('Allow execution' not in c.read()[at:], 'asked once', c.read()[at:][-500:])
    c.type('1\r')
    c.wait('all done', at)
    c.type('/quit\r')
    c.end()


WRITE = call('write_file', {'file_path': 'link', 'content': 'new\n'})
EDIT = call('replace', {'file_path': 'link', 'instruction': 'i', 'old_string': 'one', 'new_string': 'two'})
AGAIN = 'changed while you were asked'


def other_text(c):
    c.write('project/a.txt', 'one, and more\n')


def other_file(c):
    os.unlink(c.project + '/link')
    os.symlink('b.txt', c.project + '/link')


def ask_about_link(c, asked, **how):
    c.write('project/a.txt', 'one\n')
    c.write('project/b.txt', 'one of others\n')
    os.symlink('a.txt', c.project + '/link')
    c.open(answers=[[asked], [say('all done')]], rows=40, **how)
    c.ready()
    c.type('go\r')
    return c.wait('No, suggest changes', c.wait('Apply this change?'))


def read_all(c):
    return [open(os.path.join(c.project, n), encoding='utf-8').read() for n in ('a.txt', 'b.txt')]


def each_change(c, then):
    """Of each call whose question shows what is in a file, and each way that becomes another file."""
    for asked in WRITE, EDIT:
        for change in other_text, other_file:
            at = ask_about_link(c, asked)
            change(c)
            before = read_all(c)
            c.type('1')
            at = c.wait('No, suggest changes', c.wait(AGAIN, at))
            check(read_all(c) == before, 'nothing is written that was not shown', read_all(c))
            then(c, at, change)
            c.quit()
            os.unlink(c.project + '/link')


def test_what_is_done_is_what_was_shown(c):
    def yes(c, at, change):
        c.type('1')
        c.wait('all done', at)
        check(('one' in read_all(c)[0]) == (change is other_file), 'the file that was shown last', read_all(c))

    each_change(c, yes)


def test_a_guard_is_asked_about_the_file_that_it_became(c):
    c.settings(hooks={'BeforeTool': [{'hooks': [{
        'type': 'command', 'guard': True, 'command': "grep -q 'tool_paths.:..[^]]*b[.]txt' && { echo not b >&2; exit 2; }; exit 0"}]}]})
    at = ask_about_link(c, WRITE)
    other_file(c)
    c.type('1')
    c.wait('all done', c.wait('not b', at))
    check('one of others' in read_all(c)[1], 'not written')
    c.quit()


def test_what_changes_again_and_again_is_not_done(c):
    at = ask_about_link(c, WRITE)
    for n in range(3):
        c.write('project/a.txt', 'one %d\n' % n)
        c.type('1')
        at = c.wait(AGAIN, at)
        if n < 2:
            at = c.wait('No, suggest changes', at)
    c.wait('all done', at)
    check(read_all(c)[0] == 'one 2\n', 'not written')
    c.quit()


if __name__ == '__main__':
    run_tests(globals(), 'person chat')
