#!/usr/bin/env python3
"""A denial is never lost in a session: odd answers of a guard of chunks (C3.9, C4.8), and every way in
which a denied call, a denied result or a denied request could come back (C2.1, C3.6, C4.9)."""

import glob
import itertools
import json
import os
import re

from agentbox import Box, Tap, call, check, chunk, say

GUARD = {'type': 'command', 'guard': True}
tap = Tap()
point = tap.case


def guard(command, **more):
    return {'hooks': [dict(GUARD, command=command, **more)]}


def run(box, *args):
    return box.run('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--fake-responses',
                   os.path.join(box.root, 'model.jsonl'), *args)


def kept(box):
    """All that the session wrote, but for the settings."""
    texts = []
    for path in glob.glob(box.home + '/.gemini/**', recursive=True):
        if os.path.isfile(path) and not path.endswith('settings.json'):
            with open(path, encoding='utf-8', errors='replace') as f:
                texts.append(path + '\n' + f.read())
    return '\n'.join(texts)


# ---- a guard of chunks ----

RUN = {'functionCall': {'name': 'run_shell_command', 'args': {'command': 'touch ran'}}}
CHUNKS = {
    'a call alone': [chunk(RUN, finish='STOP')],
    'text and a call': [chunk({'text': 'SECRET'}, RUN, finish='STOP')],
    'a call between texts': [chunk({'text': 'SECRET'}, RUN, {'text': 'SECRET'}, finish='STOP')],
    'text, then a call': [chunk({'text': 'SECRET'}), chunk(RUN, finish='STOP')],
    'two candidates': [{'candidates': [
        {'content': {'role': 'model', 'parts': [RUN]}, 'index': 0, 'finishReason': 'STOP'},
        {'content': {'role': 'model', 'parts': [{'text': 'SECRET'}]}, 'index': 1}]}],
}
ODD_PARTS = [[], [None], [''], ['', None], [{}], [{'inlineData': {}}], [{'text': None}], [[]], [7],
             ['fine'], [{'text': 'fine'}], [{'functionCall': RUN['functionCall']}], None, 'x', {}]
ODD_RESPONSES = [{'candidates': [{'content': {'role': 'model', 'parts': p}}]} for p in ODD_PARTS] + [
    {'candidates': [{'content': {'role': 'model', 'parts': []}, 'finishReason': 'STOP'}]},
    {'candidates': []}, {'candidates': [{}]}, {'candidates': [None]}, {'candidates': None}, {'candidates': {}},
    {'text': ''}, {'text': 'fine'}, {'text': None},
    {'text': '', 'candidates': []}, {'text': 'fine', 'candidates': None},
    {'candidates': [], 'usageMetadata': {'totalTokenCount': 1}}, {}, None, [], 'x']


def odd_answers():
    for (layout, answer), response in itertools.product(CHUNKS.items(), ODD_RESPONSES):
        said = json.dumps({'hookSpecificOutput': {'llm_response': response}})
        with Box() as box, point('C4.8 %s: a guard that answers %s' % (layout, said)):
            box.settings(hooks={'AfterModel': [guard('cat ' + box.write('odd.json', said))]})
            box.answers(*[answer] * 4)
            r = run(box, '-p', 'hi')
            check(not os.path.exists(box.project + '/ran'), 'the call was run', r)
            check('SECRET' not in r.out, 'the text is shown', r)
            check('SECRET' not in kept(box), 'the text is kept', r)
    for layout, answer in CHUNKS.items():
        with Box() as box, point('C4.8 %s: a guard that gives it back changes nothing' % layout):
            box.write('project/echo.py', 'import json, sys\nprint(json.dumps({"hookSpecificOutput": '
                      '{"llm_response": json.load(sys.stdin)["llm_response"]}}))\n')
            box.settings(hooks={'AfterModel': [guard('python3 echo.py')]})
            box.answers(answer, [say('done')])
            r = run(box, '-p', 'hi')
            check(os.path.exists(box.project + '/ran'), 'the call was not run', r)


def odd_members():
    with Box() as box, point('C3.9 what is odd is said once a session, and each time with -d'):
        box.settings(hooks={'AfterModel': [plain('echo \'{"foo": 1}\'')]})
        box.answers([chunk({'text': 'a'}), chunk({'text': 'b'}), say('c')])
        for more, times in ((), 1), (('-d',), 3):
            r = run(box, *more, '-p', 'hi')
            check(r.err.count('"foo" has no effect') == times, 'not %d times' % times, r)


# ---- a guard of requests ----

# m is a message that the guard was shown, the session's context and then the prompt.
ODD_MESSAGES = [
    '{"role": m["role"], "content": "red"}', '{"role": m["role"], "content": ""}', '{"content": ["red"]}',
    '{"role": m["role"], "content": [{"text": "red"}]}', '{"role": m["role"], "parts": [{"text": "red"}]}',
    '{**m, "parts": ["red"]}', '{**m, "content": []}', '{**m, "content": [None]}', '{**m, "content": [{"text": 5}]}',
    '{**m, "content": [{"type": "image"}]}', '{**m, "content": ["red", {}]}', '{**m, "content": None}',
    '{**m, "content": {"text": "red"}}', '{**m, "text": "red"}', '{"role": "user"}', 'None', '"red"', '[]']
# What the guard makes of all of them.
ODD_LISTS = ['[]', 'seen[:-1]', 'seen[1:]', 'None', '{}', '[red(m) for m in seen] + [{"role": "user"}]',
             '[red(m) for m in seen] + [{"role": "user", "content": ""}]', '[red(m) for m in seen]']


def odd_requests():
    for expr in ['[%s for m in seen]' % x for x in ODD_MESSAGES] + ODD_LISTS:
        with Box() as box, point('C4.6 a guard that answers messages as %s' % expr):
            box.write('project/guard.py', 'import json, sys\nseen = json.load(sys.stdin)["llm_request"]["messages"]\n'
                      'def red(m): return {**m, "content": "red"}\n'
                      'print(json.dumps({"hookSpecificOutput": {"llm_request": {"messages": %s}}}))\n' % expr)
            box.settings(hooks={'BeforeModel': [guard('python3 guard.py')],
                                'AfterModel': [plain('cat >> "$LOG"')]})
            box.answers([say('told')])
            r = run(box, '-p', 'the SECRET')
            sent = open(box.log, encoding='utf-8').read() if os.path.exists(box.log) else ''
            check('SECRET' not in sent, 'it was sent', r)
            check(('told' in r.out) == bool(sent), 'it was sent and not shown', r)
            check(sent or 'failed for event' in r.err, 'nothing is said', r)
    for response in ODD_RESPONSES:
        said = json.dumps({'hookSpecificOutput': {'llm_response': response}})
        with Box() as box, point('C4.7 a guard that answers %s for the model' % said):
            box.settings(hooks={'BeforeModel': [guard('cat ' + box.write('odd.json', said))]})
            box.answers([say('told')])
            r = run(box, '-p', 'hi')
            check('told' not in r.out, 'the model was asked', r)
            # One empty text is an empty answer.
            check('fine' in r.out or 'failed for event' in r.err or '[""]' in said, 'nothing is said', r)
    with Box() as box, point('C4.8 the text alone of a guard replaces a whole chunk'):
        said = json.dumps({'hookSpecificOutput': {'llm_response': {'text': 'fine'}}})
        box.settings(hooks={'AfterModel': [guard('cat ' + box.write('odd.json', said))]})
        box.answers(*[CHUNKS['text and a call']] * 2)
        r = run(box, '-p', 'hi')
        check(not os.path.exists(box.project + '/ran'), 'the call was run', r)
        check('fine' in r.out and 'SECRET' not in r.out, 'the text is not the guard\'s', r)
        check('calls are not run' in r.err, 'nothing is said', r)


# ---- a denied call ----

def tool_guard(more=None):
    """No command with "ran" in it."""
    hooks = {'BeforeTool': [guard('if grep -q \'"tool_input":{[^}]*touch ran\'; then echo no >&2; exit 2; fi')]}
    for event, entry in (more or {}).items():
        hooks.setdefault(event, []).insert(0, entry)
    return hooks


def plain(command, **more):
    return dict({'hooks': [{'type': 'command', 'command': command}]}, **more)


TAIL = json.dumps({'hookSpecificOutput': {'tailToolCallRequest': {
    'name': 'run_shell_command', 'args': {'command': 'touch ran'}}}})
REWRITE = json.dumps({'hookSpecificOutput': {'tool_input': {'command': 'touch ran'}}})
REJECT = json.dumps({'decision': 'deny', 'reason': 'again'})
SHELL = {'command': 'touch ran'}
AGENT = [call('invoke_agent', {'agent_name': 'generalist', 'prompt': 'do it'})]
WAYS = {
    'alone': ({}, [[call('run_shell_command', SHELL)]]),
    'by an old name': ({}, [[call('ShellTool', SHELL)], [call('shell', SHELL)]]),
    'behind calls that read': ({}, [[call('list_directory', {'dir_path': '.'}, None),
                                     call('glob', {'pattern': '*'}, None), call('run_shell_command', SHELL)]]),
    'twice in one answer': ({}, [[call('run_shell_command', SHELL, None), call('run_shell_command', SHELL)]]),
    'in a thought': ({}, [[chunk(dict(RUN, thought=True)), chunk(RUN, finish='STOP')]]),
    'with a text in its part': ({}, [[chunk(dict(RUN, text='x'), finish='STOP')]]),
    'in a sub-agent': ({}, [AGENT, [call('run_shell_command', SHELL)], [call('complete_task', {'result': 'x'})]]),
    'as a tail call': ({'AfterTool': plain("echo '%s'" % TAIL, matcher='glob')}, [[call('glob', {'pattern': '*'})]]),
    'as a tail call in a sub-agent': ({'AfterTool': plain("echo '%s'" % TAIL, matcher='glob')},
                                      [AGENT, [call('glob', {'pattern': '*'})],
                                       [call('complete_task', {'result': 'x'})]]),
    'rewritten by another hook': ({'BeforeTool': plain("echo '%s'" % REWRITE)},
                                  [[call('run_shell_command', {'command': 'true'})]]),
    'after a rejected answer': ({'AfterAgent': plain("test -e once || { touch once; echo '%s'; }" % REJECT)},
                                [[say('no')], [call('run_shell_command', SHELL)]]),
    'in the background': ({}, [[call('run_shell_command', dict(SHELL, is_background=True))]]),
}


def denied_calls():
    for name, (hooks, answers) in WAYS.items():
        with Box() as box, point('C3.6 a denied call is not run %s' % name):
            box.settings(hooks=tool_guard(hooks))
            box.answers(*answers, *[[say('done')]] * 3)
            r = run(box, '-p', 'hi')
            check(not os.path.exists(box.project + '/ran'), 'it was run', r)
            check(r.err.find('no') >= 0, 'nothing is said of the denial', r)
    with Box() as box, point('C3.6 a denied call is not run by a command of the user'):
        box.settings(hooks=tool_guard())
        box.write('project/.gemini/commands/go.toml', 'prompt = "!{touch ran}"')
        box.answers([say('done')])
        r = run(box, '-p', '/go')
        check(not os.path.exists(box.project + '/ran'), 'it was run', r)
        check('done' not in r.out, 'the prompt was sent', r)
    with Box() as box, point('C3.6 a call of which the recording has no result is not run by resuming'):
        box.settings(hooks=tool_guard())
        box.answers([call('run_shell_command', SHELL)], [say('one')])
        run(box, '-p', 'hi')
        path, = box.transcripts()
        lines = [x for x in open(path, encoding='utf-8').read().splitlines(True) if '"toolCalls"' not in x]
        lines = [re.sub(r'"content":""', '"content":%s' % json.dumps([RUN]).replace('\\', r'\\'), x)
                 for x in lines]
        with open(path, 'w', encoding='utf-8') as f:
            f.writelines(lines)
        box.answers([say('two')])
        r = run(box, '--resume', 'latest', '-p', 'go on')
        check('two' in r.out, 'it was not resumed', r)
        check(not os.path.exists(box.project + '/ran'), 'it was run', r)


# ---- a denied result ----

HIDE = 'if grep -q SECR[E]T; then echo hidden >&2; exit 2; fi'
READ = call('read_file', {'file_path': 'a.txt'})
READS = {
    'read_file': [[READ]],
    'two reads': [[call('read_file', {'file_path': 'a.txt'}, None), READ]],
    'read_many_files': [[call('read_many_files', {'include': ['a.txt']})]],
    'grep_search': [[call('grep_search', {'pattern': 'SECR'})]],
    'a command': [[call('run_shell_command', {'command': 'cat a.txt'})]],
    'a command that fails': [[call('run_shell_command', {'command': 'cat a.txt; exit 3'})]],
    'a sub-agent': [AGENT, [READ], [call('complete_task', {'result': 'I read nothing'})]],
    'what a sub-agent says': [AGENT, [call('complete_task', {'result': 'SECRET'})], [say('no')]],
}


def denied_results():
    for name, answers in READS.items():
        with Box() as box, point('C3.6 a denied result goes nowhere: %s' % name):
            box.settings(hooks={'AfterTool': [guard(HIDE)],
                                'BeforeModel': [plain('cat >> "$LOG"; echo >> "$LOG"')]})
            box.write('project/a.txt', 'SECRET\n')
            box.answers(*answers, *[[say('done')]] * 3)
            r = run(box, '-p', 'hi')
            with open(box.log, encoding='utf-8') as f:
                asked = f.read()
            spoken = name == 'what a sub-agent says'  # the model's own words were not denied in its talk
            check('SECRET' not in r.out, 'it is shown', r)
            check(spoken or 'SECRET' not in asked, 'the model is told', asked, r)
            check(spoken or 'SECRET' not in kept(box), 'it is kept', kept(box), r)
            if spoken:
                check('SECRET' not in ''.join(open(p, encoding='utf-8').read() for p in box.transcripts()),
                      'the session keeps it', r)
            box.answers([say('two')])
            r = run(box, '--resume', 'latest', '-p', 'again')
            check('two' in r.out, 'it is not resumed', r)
            with open(box.log, encoding='utf-8') as f:
                check(spoken or 'SECRET' not in f.read(), 'the model is told when it is resumed', r)


# ---- a denied request ----

def denied_requests():
    """What must not go out does not go out: in a prompt, for a summary, from a sub-agent, resumed."""
    block = 'if grep -q SECR[E]T; then echo hidden >&2; exit 2; fi'
    with Box() as box, point('C2.1 a denied request goes out nowhere'):
        box.settings(hooks={'BeforeModel': [guard(block)]})
        box.answers([say('told')])
        r = run(box, '-p', 'the SECRET')
        check('told' not in r.out, 'it went out', r)
        r = run(box, '--resume', 'latest', '-p', 'again')
        check('told' not in r.out, 'it went out, resumed', r)
    with Box() as box, point('C2.1 a denied request of a sub-agent ends the sub-agent'):
        box.settings(hooks={'BeforeModel': [guard(
            'if grep -q \'"agent_type"\'; then echo hidden >&2; exit 2; fi')]})
        box.answers(AGENT, [say('told')])
        r = run(box, '-p', 'hi')
        check(r.out.count('told') == 1, 'the answer is not that of the session', r)
        check('hidden' in r.err, 'the reason is not said', r)
    with Box() as box, point('C2.1 a denied request for a summary'):
        box.settings(model={'compressionThreshold': 0.00001},
                     hooks={'BeforeModel': [guard('if grep -q state_snapshot; then echo hidden >&2; exit 2; fi')]})
        long = say('A long answer.')
        long['usageMetadata'] = {'promptTokenCount': 90000}
        box.answers([long])
        run(box, '-p', 'hi')
        box.answers([say('fine')])
        r = run(box, '--resume', 'latest', '-p', 'again')
        check('fine' in r.out and 'hidden' in r.err, 'the denial is not said', r)
    for how, said in {'denied': 'echo hidden >&2; exit 2',
                      'stopped': "echo '{\"continue\": false, \"stopReason\": \"hidden\"}'; exit"}.items():
        with Box() as box, point('C4.7 a summary of which the second request is %s' % how):
            box.settings(model={'compressionThreshold': 0.00001}, hooks={'BeforeModel': [guard(
                'cat >asked; if grep -q SECR[E]T asked; then %s; fi' % said)]})
            long = say('A long answer. ' * 100)
            long['usageMetadata'] = {'promptTokenCount': 90000}
            box.answers([long])
            run(box, '-p', 'hi')
            box.write('model.jsonl', ''.join(json.dumps(x) + '\n' for x in (
                {'method': 'generateContent', 'response': say('<state_snapshot>SECRET</state_snapshot>')},
                {'method': 'generateContentStream', 'response': [say('fine')]})))
            r = run(box, '--resume', 'latest', '-p', 'again')
            check(('fine' in r.out) == (how == 'denied'), 'the turn goes on', r)
            check('The chat history was not compressed' in r.err and 'hidden' in r.err, 'nothing is said', r)
            check('SECRET' not in ''.join(open(p, encoding='utf-8').read() for p in box.transcripts()),
                  'the summary is kept', r)
    with Box() as box, point('C2.1 a denied prompt is in no history and no recording'):
        box.settings(hooks={'BeforeAgent': [guard(block)],
                            'BeforeModel': [plain('cat >> "$LOG"; echo >> "$LOG"')]})
        box.answers([say('one')])
        run(box, '-p', 'fine')
        box.answers([say('told')])
        r = run(box, '--resume', 'latest', '-p', 'the SECRET')
        check('told' not in r.out, 'it went out', r)
        r = run(box, '--resume', 'latest', '-p', 'again')
        with open(box.log, encoding='utf-8') as f:
            check('SECRET' not in f.read(), 'the model is told later', r)


for part in (odd_answers, odd_members, odd_requests, denied_calls, denied_results, denied_requests):
    part()
tap.done()
