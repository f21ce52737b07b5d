#!/usr/bin/env python3
"""A resumed conversation is the one that was left: the first request after a resume
holds the same contents, byte for byte, as if the session had never been left; and its end is on the screen.
Prints TAP.

  test_resume.py [NAME...]      only these"""

import glob
import json
import os
import re
import shutil

from agentbox import Server, call, chunk, check, say, sse, wait_until
from test_chat import run_tests

LAST = 'and what now'
SIGNED = {'text': 'I think.', 'thoughtSignature': 'c2lnbmVk'}


def fc(name, args, **more):
    return {'functionCall': {'name': name, 'args': args, **more}}


def read(**more):
    return fc('read_file', {'file_path': 'a.txt'}, **more)


class Gemini:
    """Answers as the Gemini API gives them."""

    members = ('contents',)

    def __init__(self, c, server):
        c.env.update(GOOGLE_GEMINI_BASE_URL=server.url, GEMINI_API_KEY='k')

    @staticmethod
    def answer(*parts):
        chunks = [chunk(p) for p in parts]
        chunks[-1]['candidates'][0]['finishReason'] = 'STOP'
        return lambda c: c.answer(*chunks)

    @staticmethod
    def whole(text):
        return lambda c: c.reply(200, json.dumps(chunk({'text': text}, finish='STOP')),
                                 'Content-Type: application/json')


class OpenAI:
    """The same answers in the form of chat completions."""

    members = ('messages',)

    def __init__(self, c, server):
        c.env.update(OPENAI_BASE_URL=server.url + '/v1')

    @staticmethod
    def delta(i, part):
        call = part.get('functionCall')
        if not call:
            return {'content': part['text']}
        return {'tool_calls': [{'index': i, 'id': call.get('id', 'call-%d' % i), 'type': 'function',
                                'function': {'name': call['name'],
                                             'arguments': json.dumps(call['args'])}}]}

    @staticmethod
    def answer(*parts):
        calls = any('functionCall' in p for p in parts)
        chunks = [{'choices': [{'index': 0, 'delta': OpenAI.delta(i, p)}]}
                  for i, p in enumerate(parts) if 'text' in p or 'functionCall' in p]
        chunks.append({'choices': [{'index': 0, 'delta': {},
                                    'finish_reason': 'tool_calls' if calls else 'stop'}]})

        def reply(c):
            c.stream(sse(*chunks) + b'data: [DONE]\r\n\r\n')
            c.end()
        return reply

    @staticmethod
    def whole(text):
        return lambda c: c.reply(200, json.dumps({'choices': [{
            'index': 0, 'message': {'role': 'assistant', 'content': text},
            'finish_reason': 'stop'}]}), 'Content-Type: application/json')


def recording(c):
    paths = c.transcripts()
    check(len(paths) == 1, 'one recording', paths)
    return paths[0]


def contents(api, request):
    """As they were sent: the order of keys stays."""
    return json.dumps([request.json[m] for m in api.members])


def go_on(c, server, api, *args, command=None):
    """The contents of the request for the last prompt, in a new session."""
    n = len(server.requests)
    server.replies.append(api.answer({'text': 'This is the end.'}))
    c.dial('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', *args)
    c.ready()
    if command:
        c.type(command + '\r')
        c.wait('Resumed: ')
    c.type(LAST + '\r')
    c.wait('This is the end.')
    c.quit()
    return contents(api, server.requests[n])


def compare(c, kind, conversation, hooks=None):
    """conversation(api, prompt): prompts and their answers, in a session that goes on and in two
    that are left and resumed."""
    with Server() as server:
        api = kind(c, server)
        c.settings(hooks={event: [{'hooks': [{'type': 'command', 'command': command}]}]
                          for event, command in (hooks or {}).items()},
                   general={'sessionRetention': {'enabled': False}})
        c.write('project/a.txt', 'apples\n')
        c.write('project/b.txt', 'plums\n')
        c.dial('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo')
        c.ready()

        def prompt(text, *answers, shown):
            server.replies += answers
            since = len(c.read())
            c.type(text + '\r')
            c.wait(shown, since)
            wait_until(lambda: not server.replies, 8, 'all answers to be asked for')

        conversation(api, prompt)
        # What is written is there before the next step; the step that asks for the prompt is one.
        c.type('/about\r')
        c.wait('session: ')
        path, kept = recording(c), os.path.join(c.root, 'kept')
        shutil.copy(path, kept)
        server.replies.append(api.answer({'text': 'This is the end.'}))
        n = len(server.requests)
        c.type(LAST + '\r')
        c.wait('This is the end.')
        c.quit()
        want = contents(api, server.requests[n])
        check(LAST in want, 'the last prompt was sent', want)
        for args, command in ((['--resume'], None), ([], '/resume 1')):
            for old in glob.glob(os.path.dirname(path) + '/*'):
                os.unlink(old)
            shutil.copy(kept, path)
            got = go_on(c, server, api, *args, command=command)
            check(got == want, 'the same contents after %s' % (command or args), want, got)
        return json.loads(want)[0], kept


def messages(path):
    """The messages of a recording as they are at the end."""
    found = {}
    with open(path, encoding='utf-8') as f:
        for record in map(json.loads, f):
            listed = record.get('$set', {}).get('messages')
            found = found if listed is None else {}
            for m in [record] if 'id' in record else listed or []:
                found[m['id']] = m
    return list(found.values())


def test_gemini_signatures_and_unknown_parts(c):
    def talk(api, prompt):
        prompt('one', api.answer({'text': 'Let me '}, {'text': 'see. '}, SIGNED,
                                 {'text': 'pondering', 'thought': True},
                                 {'executableCode': {'language': 'PYTHON', 'code': 'print(1)'}},
                                 {'codeExecutionResult': {'outcome': 'OUTCOME_OK'}},
                                 {'text': 'Nearly.'}, {'text': '', 'thoughtSignature': 'ZW5k'}),
               shown='Nearly.')
    sent, kept = compare(c, Gemini, talk)
    check('c2lnbmVk' in json.dumps(sent) and 'print(1)' in json.dumps(sent), 'all of it', sent)
    check('pondering' not in json.dumps(sent), 'no thought goes back', sent)
    check([type(m['content']) for m in messages(kept) if m['type'] == 'gemini'] == [list], 'parts')


def calls(api, prompt):
    prompt('one', api.answer({'text': 'I look.'}, read(),
                             dict(fc('read_file', {'file_path': 'b.txt'}), thoughtSignature='eA==')),
           api.answer(dict(SIGNED), dict(read(id='my-id'), thoughtSignature='eQ==')),
           api.answer(fc('no_such_tool', {'x': 1.50}), {'text': 'Behind the call.'},
                      {'functionCall': {'id': 'first', 'args': {'file_path': 'none'},
                                        'name': 'read_file'}}),
           api.answer({'text': 'Both were read.'}), shown='Both were read.')
    prompt('two', api.answer(read()), api.answer({'text': 'Read once more.'}),
           shown='Read once more.')


def test_gemini_calls(c):
    compare(c, Gemini, calls)


def test_openai_calls(c):
    compare(c, OpenAI, calls)


def test_gemini_calls_as_usual(c):
    """content stays a string where nothing would be lost."""
    def talk(api, prompt):
        prompt('one', api.answer({'text': 'I look.'}, dict(read(), thoughtSignature='eA==')),
               api.answer({'text': 'It was read.'}), shown='It was read.')
    _, kept = compare(c, Gemini, talk)
    check([m['content'] for m in messages(kept) if m['type'] == 'gemini'] ==
          ['I look.', 'It was read.'], 'strings', messages(kept))


TAIL = '''case $(cat) in *a.txt*) echo '{"hookSpecificOutput":{"tailToolCallRequest":
{"name":"read_file","args":{"file_path":"b.txt"}},"additionalContext":"a word of the hook"}}' ;; esac'''


def tail(api, prompt):
    prompt('one', api.answer(read()), api.answer({'text': 'The tail was read.'}),
           shown='The tail was read.')


def test_gemini_tail_calls(c):
    sent, _ = compare(c, Gemini, tail, {'AfterTool': TAIL})
    check('plums' in json.dumps(sent), 'the result of the tail', sent)


def test_openai_tail_calls(c):
    sent, _ = compare(c, OpenAI, tail, {'AfterTool': TAIL})
    check('plums' in json.dumps(sent), 'the result of the tail', sent)


REDACT = '''python3 -c "
import json, sys
text = json.load(sys.stdin)['llm_response'].get('text', '')
if 'sk-1' in text:
    print(json.dumps({'hookSpecificOutput': {'llm_response': {'candidates': [{'content': {
        'role': 'model', 'parts': [text.replace('sk-1', '[removed]')]}}]}}}))"'''


def secret(api, prompt):
    prompt('one', api.answer({'text': 'The key '}, {'text': 'is sk-1 ', 'thoughtSignature': 'eA=='},
                             {'text': 'now.'}), shown='[removed] now.')


def test_gemini_redaction(c):
    sent, kept = compare(c, Gemini, secret, {'AfterModel': REDACT})
    with open(kept, encoding='utf-8') as f:
        text = f.read()
    check('[removed]' in json.dumps(sent), 'redacted', sent)
    check('sk-1' not in text + json.dumps(sent), 'the secret is nowhere', text)


def test_openai_redaction(c):
    sent, kept = compare(c, OpenAI, secret, {'AfterModel': REDACT})
    with open(kept, encoding='utf-8') as f:
        check('sk-1' not in f.read() + json.dumps(sent), 'the secret is nowhere')


CLEAR = '''case $(cat) in *'"stop_hook_active":true'*) ;; *) echo '{"decision":"deny",
"reason":"Say it again","hookSpecificOutput":{"hookEventName":"AfterAgent","clearContext":true}}'
;; esac'''


def cleared(api, prompt):
    prompt('one', api.answer({'text': 'Too long.'}), api.answer({'text': 'Shorter.'}, dict(SIGNED)),
           shown='I think.')


def test_gemini_cleared_context(c):
    sent, _ = compare(c, Gemini, cleared, {'AfterAgent': CLEAR})
    check('Too long' not in json.dumps(sent), 'it was cleared', sent)


def test_openai_cleared_context(c):
    sent, _ = compare(c, OpenAI, cleared, {'AfterAgent': CLEAR})
    check('Too long' not in json.dumps(sent), 'it was cleared', sent)


def compressed(api, prompt):
    prompt('one ' + 'x' * 3000, api.answer({'text': 'First. ' + 'y' * 3000}), shown='First.')
    prompt('two', api.answer(dict(SIGNED), dict(read(), thoughtSignature='eA==')),
           api.answer({'text': 'Second.'}), shown='Second.')
    prompt('/compress', api.whole('<state_snapshot>short</state_snapshot>'),
           api.whole('<state_snapshot>shorter</state_snapshot>'), shown='Chat history compressed')
    prompt('three', api.answer({'text': 'Third.'}), shown='Third.')


def test_gemini_compression(c):
    sent, _ = compare(c, Gemini, compressed)
    check('shorter' in json.dumps(sent) and 'First' not in json.dumps(sent), 'the summary', sent)


def test_openai_compression(c):
    sent, _ = compare(c, OpenAI, compressed)
    check('shorter' in json.dumps(sent) and 'First' not in json.dumps(sent), 'the summary', sent)


START = '''case $(cat) in *'"source":"startup"'*)
echo '{"hookSpecificOutput":{"additionalContext":"of the start"}}' ;; esac'''


def test_gemini_context_of_the_start(c):
    """at a terminal it is no part of the prompt, but comes before it."""
    def talk(api, prompt):
        prompt('one', api.answer({'text': 'First.'}), shown='First.')
    sent, kept = compare(c, Gemini, talk, {'SessionStart': START, 'BeforeAgent': 'cat >>"$LOG"'})
    check([p['text'] for p in sent[0]['parts']][1:] ==
          ['<hook_context>of the start</hook_context>', 'one'], 'parts of their own', sent[0])
    check([m['content'][0]['text'] for m in messages(kept) if m['type'] == 'user'] ==
          ['<hook_context>of the start</hook_context>', 'one'], 'messages of their own')
    with open(c.log, encoding='utf-8') as f:
        text = f.read()
    check('"prompt":"one"' in text and 'of the start' not in text, 'BeforeAgent: the prompt', text)


def test_gemini_an_answer_that_was_none(c):
    """What had no end is remembered by neither."""
    def talk(api, prompt):
        cut = chunk({'text': 'Half an ans'})
        prompt('one', *[lambda r: r.answer(cut)] * 4, shown='without a finish reason')
    sent, _ = compare(c, Gemini, talk)
    check('Half' not in json.dumps(sent), 'no answer', sent)


# ---- what is shown of it ----

SHOW = ['--resume']


def hold(c, *talk):
    """A session with these prompts and answers, left."""
    c.open(answers=[a for _, answers in talk for a in answers], mode='yolo')
    c.ready()
    for prompt, answers in talk:
        since = len(c.read())
        c.type(prompt + '\r')
        c.wait(answers[-1][-1]['candidates'][0]['content']['parts'][0]['text'], since)
    since = len(c.read())
    c.type('/about\r')  # is done when the turn is over: what is cancelled is not all recorded
    c.wait('session: ', since)
    c.quit()


def resumed(c, last, **size):
    """What follows the greeting, once the last of it is there."""
    c.open(*SHOW, **size)
    c.wait(last)
    c.type('/about\r')
    c.wait('session: ')
    text = c.read()
    text = text[:text.rindex('/about')]
    return text[text.index('/help lists the commands.'):].split('\n', 1)[1]


def test_the_last_exchanges_are_shown(c):
    c.write('project/a.txt', 'apples')
    hold(c, ('first', [[say('one')]]),
         ('second', [[chunk({'text': 'I **look**.'}), call('read_file', {'file_path': 'a.txt'}),
                      call('read_file', {'file_path': 'none'})], [say('two')]]))
    text = resumed(c, 'two')
    want = ['> first', 'one', '> second', 'I look.', '✓ ReadFile  a.txt', '✗ ReadFile  none', 'two']
    at = [text.find(w) for w in want]
    check(-1 not in at and at == sorted(at), 'in their order', want, text)
    check('earlier' not in text, 'all of it', text)
    c.quit()


def test_no_more_than_a_screen(c):
    hold(c, *[('prompt %d' % i, [[say('answer %d' % i)]]) for i in range(9)])
    text = resumed(c, 'answer 8', rows=16)
    check('… 14 earlier messages' in text, 'how many there were', text)
    check('prompt 6' not in text and 'answer 7' in text and 'answer 8' in text, 'the last', text)
    check(len(text.split('… 14 ')[1].split('Type your')[0].split('\n')) <= 16, 'a screen', text)
    c.quit()


HIDE = """import json, sys
text = json.load(sys.stdin)["delta"]
deny = {"decision": "block", "reason": "withheld"} if "treasure" in text else {}
print(json.dumps({**deny, "hookSpecificOutput": {"hookEventName": "MessageDisplay",
                  "displayContent": text.replace("sesame", "[hidden]")}}))
"""


def test_what_was_kept_from_the_screen_is_not_there_again(c):
    """C2.15"""
    hold(c, ('one', [[say('open sesame')]]), ('two', [[say('the treasure is here')]]),
         ('three', [[say('and gone')]]))
    c.settings(hooksConfig={'sources': ['claude']})
    c.write('home/.claude/settings.json', json.dumps({'hooks': {'MessageDisplay': [{'hooks': [
        {'type': 'command', 'command': 'python3 ' + c.write('home/hide.py', HIDE),
         'guard': True}]}]}}))
    text = resumed(c, 'and gone', columns=150)
    check('open [hidden]' in text and '> two' in text, 'the conversation', text)
    check('sesame' not in text and 'treasure' not in text, 'as its hook leaves it', text)
    c.quit()


def test_the_end_of_a_long_answer(c):
    hold(c, ('go', [[say('\n\n'.join('line %d' % i for i in range(60)))]]))
    text = resumed(c, 'line 59', rows=12)
    check('line 59' in text and 'line 50' not in text, 'its last lines', text)
    check('… 1 earlier message' in text, 'the prompt is not there', text)
    c.quit()


def test_nothing_of_it_reaches_the_terminal_raw(c):
    hold(c, ('go', [[chunk({'text': '\x1b]0;title\x07\x1b[2Jsafe \u202eword'}), say(' end')]]))
    resumed(c, 'end')
    check('safe' in c.seen and ']0;title' not in c.seen and '\u202e' not in c.seen, 'clean', c.seen)
    c.quit()


def test_what_was_typed_and_no_more(c):
    """Not what a hook put in front of it, nor the file that it names."""
    c.hooks({'SessionStart': 'echo \'{"hookSpecificOutput":{"additionalContext":"of a hook"}}\''})
    c.write('project/a.txt', 'apples')
    hold(c, ('what is in @a.txt', [[say('one')]]))
    text = resumed(c, 'one')
    check('> what is in @a.txt' in text and 'apples' not in text and 'hook_context' not in text,
          'as it was typed', text)
    c.quit()


def test_a_prompt_for_a_resumed_session(c):
    """-i with --resume: the prompt follows what there was before."""
    hold(c, ('first', [[say('one')]]))
    c.open(*SHOW, '-i', 'and now', answers=[[say('two')]])
    c.ready()
    c.wait('two')
    text = c.read()
    check(-1 < text.find('> first') < text.find('> and now') < text.find('two'), 'in order', text)
    c.quit()


def test_the_list_of_sessions(c):
    hold(c, ('the oldest', [[say('one')]]))
    hold(c, ('in between', [[say('one')]]), ('more', [[say('two')]]))
    for path in c.transcripts():
        with open(path, encoding='utf-8') as f:
            text = f.read()
        if 'the oldest' in text:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(re.sub(r'\d{4}(-\d\d-\d\dT)', r'2020\1', text))
    c.open(answers=[[say('hello')]])
    c.ready()
    c.type('hi\r')
    c.wait('hello')
    c.type('/resume\r')
    c.wait('/resume NUMBER continues one.')
    rows = re.findall(r' +(\d)\. (.*?) +(\d+) messages? +(.*)', c.read())
    check([(r[0], r[2], r[3]) for r in rows] == [('2', '4', 'in between'), ('1', '2', 'the oldest')],
          'newest first, without this one', c.read())
    check(rows[0][1] == 'Just now' or 'minute' in rows[0][1], 'its age', rows)
    check(re.match(r'\d{4} days ago', rows[1][1]), 'its age', rows)
    since = len(c.read())
    c.type('/resume 1\r')
    c.wait('Resumed: the oldest', since)
    check('> the oldest' in c.read()[since:], 'it is shown', c.read())
    c.quit()


if __name__ == '__main__':
    run_tests(globals(), 'resume')
