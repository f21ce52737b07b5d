#!/usr/bin/env python3
"""A resumed conversation is the one that was left (host.md G2.1): the first request after a resume
holds the same contents, byte for byte, as if nobody had left.  Prints TAP.

  test_resume.py [NAME...]      only these"""

import glob
import json
import os
import shutil

from agentbox import Server, chunk, check, sse, wait_until
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
        c.wait('Going on with')
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
    """G1.7: content stays a string where nothing would be lost."""
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


def test_gemini_an_answer_that_was_none(c):
    """What had no end is remembered by neither."""
    def talk(api, prompt):
        cut = chunk({'text': 'Half an ans'})
        prompt('one', *[lambda r: r.answer(cut)] * 4, shown='without a finish reason')
    sent, _ = compare(c, Gemini, talk)
    check('Half' not in json.dumps(sent), 'no answer', sent)


if __name__ == '__main__':
    run_tests(globals(), 'resume')
