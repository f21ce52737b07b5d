#!/usr/bin/env python3
"""Servers, disks and models that fail, against the agent as its users run it.  Prints TAP.

What holds in every case (C2.3): a sentence on stderr and the exit status that belongs to it, SessionEnd
once, a transcript of whole lines, no process and no temporary file left."""

import concurrent.futures
import contextlib
import gzip
import json
import os
import resource
import signal
import socket
import subprocess
import sys
import time

from agentbox import PATIENCE, Box, Failed, Server, Tap, call, check, chunk, say, sse, wait_until

JOBS = 2
KEY = 'AIza' + 'Sy0123456789abcdefghijklmnopqrstuvw'  # in the form of a real one
END = 'echo SessionEnd >> "$LOG"'
TWO = (chunk({'text': 'first '}), say('second'))


class Case:
    """One run against a server (replies), or with a recording (answers)."""

    def __init__(self, name, replies=(), status=0, err=(), out=(), answers=None, api='gemini',
                 then=None, args=(), prepare=None, before=(), limit=None, requests=None,
                 ends=1):
        self.name, self.replies, self.status, self.answers, self.api = name, replies, status, answers, api
        self.err, self.out = ((x,) if isinstance(x, str) else x for x in (err, out))
        self.then, self.args, self.prepare, self.before = then, args, prepare, before
        self.limit, self.requests, self.ends = limit, requests, ends

    def environment(self, box, url):
        if self.api == 'openai':
            box.env.update(OPENAI_BASE_URL=url + '/v1', OPENAI_API_KEY=KEY)
        else:
            box.env.update(GOOGLE_GEMINI_BASE_URL=url, GEMINI_API_KEY=KEY)

    def run(self):
        with Box() as box, Server(*self.replies) as server:
            self.environment(box, server.url)
            box.hooks({'SessionEnd': END})
            if self.prepare:
                self.prepare(box)
            args = [*(() if '-p' in self.args else ('-p', 'hi')), '--yolo', *self.args]
            if self.answers is not None:
                args += ['-m', 'gemini-2.5-flash', '--fake-responses', box.answers(*self.answers)]
            result = box.run(*args, before=self.before, preexec_fn=self.limit)
            try:
                self.judge(box, server, result)
            except Failed as e:
                raise Failed('%s\n%s' % (e, result)) from None

    def judge(self, box, server, result):
        check(result.status == self.status, 'wanted exit %s' % self.status)
        for text in self.err:
            check(text in result.err, 'stderr lacks: ' + text)
        for text in self.out:
            check(text in result.out, 'stdout lacks: ' + text)
        check(KEY not in result.err, 'the key is on stderr')
        check('(null)' not in result.err and '\x1b' not in result.err, 'odd stderr')
        if self.requests is not None:
            with contextlib.suppress(Failed):  # who gave up on it may be gone before it has read
                wait_until(lambda: len(server.requests) >= self.requests, 5, 'the requests')
            check(len(server.requests) == self.requests,
                  'wanted %d requests, got %d' % (self.requests, len(server.requests)))
        if self.status:
            last = [l for l in result.err.splitlines() if l.strip()][-1]
            check(last[-1:] not in '{[(,:', 'the last line is no sentence: ' + last)
        if self.then:
            self.then(box, server, result)
        box.check_end(self.ends)


# ---- pieces of replies ----

def error(status, message, name, *headers):
    return lambda c: c.error(status, message, name, *headers)


def good(*chunks):
    return lambda c: c.answer(*(chunks or TWO))


def cut(after, reset=False):
    """The stream's bytes up to there, then the connection is gone."""
    def reply(c):
        c.stream(sse(*TWO)[:after])
        c.close(reset)
    return reply


def cut_without_length(c):
    """A reply whose end is the connection's, which is closed inside of an event."""
    c.send('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n')
    c.send(sse(*TWO)[:20])
    c.close()


def thought_and_cut(c):
    c.stream(sse(chunk({'text': 'hm', 'thought': True})))
    c.close()


def call_and_cut(c):
    c.stream(sse(call('write_file', {'file_path': 'made', 'content': 'x\n'}, None)))
    c.close()


def closes(c):
    c.close()


def resets(c):
    c.close(reset=True)


def raw(data):
    def reply(c):
        c.send(data)
        c.close()
    return reply


def page(status, body, kind='text/html'):
    return lambda c: c.reply(status, body, 'Content-Type: ' + kind)


def half_utf8(c):
    text = 'data: {"candidates":[{"content":{"parts":[{"text":"é€😀"}]},"finishReason":"STOP"}]}\n\n'
    data = text.encode()
    c.stream(*(data[i:i + 1] for i in range(len(data))))
    c.end()


def cut_in_character(c):
    data = 'data: {"candidates":[{"content":{"parts":[{"text":"whole"}]}}]}\n\n'.encode()
    c.stream(data, 'data: {"candidates":[{"content":{"parts":[{"text":"é'.encode()[:-1])
    c.end()


def bad_utf8(c):
    c.stream(b'data: {"candidates":[{"content":{"parts":[{"text":"a\xff\xfeb"}]},'
             b'"finishReason":"STOP"}]}\n\n')
    c.end()


def zipped(c):
    c.reply(200, gzip.compress(sse(*TWO)), 'Content-Type: text/event-stream',
            'Content-Encoding: gzip')


def comments(c):
    c.head(200, 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked')
    try:
        while True:
            c.more(b': working\n\n')
            time.sleep(0.05)
    except OSError:
        pass


def error_in_stream(c):
    c.stream(sse(chunk({'text': 'first '})),
             b'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\n\n')
    c.end()


def overloaded(c):
    c.stream(sse(chunk({'text': 'hm', 'thought': True})),
             b'data: {"error":{"code":503,"message":"The model is overloaded.","status":"UNAVAILABLE"}}\n\n')
    c.end()


def forbidden_in_stream(c):
    c.stream(b'data: {"error":{"code":403,"message":"Not yours.","status":"PERMISSION_DENIED"}}\n\n')
    c.end()


def chunked_error(c):
    c.head(400, 'Content-Type: application/json', 'Transfer-Encoding: chunked')
    c.more(b'[{"error":{"code":400,', b'"message":"Bad\\nthing.","status":"INVALID_ARGUMENT"}}]')
    c.end()


def silent(c):
    c.wait_for_close()


def silent_in_stream(c):
    c.stream(sse(TWO[0])[:60])
    c.wait_for_close()


# ---- further checks ----

def reused_connection(_, server, __):
    check([r.connection for r in server.requests] == [1, 1, 1],
          'connections: %s' % [r.connection for r in server.requests])


def no_answer_twice(_, server, result):
    check(len(server.requests) == 1, 'it was asked again after a part of the answer was shown')
    check(result.out.count('first') == 1, 'the first part was shown again')


def at_once(_, __, result):
    check(result.ms < 2000 * PATIENCE, 'it did not give up at once: %d ms' % result.ms)


def nothing_made(box, _, __):
    check(not os.path.exists(os.path.join(box.project, 'made')), 'the tool ran')


def waited_for(ms):
    def then(_, __, result):
        check(result.ms >= ms, 'it did not wait %d ms' % ms)
    return then


def slow_unit(box):
    box.env['TROTLINE_RETRY_UNIT_MS'] = '20'


def impatient(box):
    box.hooks({'SessionEnd': END}, model={'idleTimeoutSeconds': 1})


def asked_four_times(_, server, __):
    check(len(server.requests) == 4, '%d requests' % len(server.requests))


def no_server(box):
    box.silent = socket.socket()  # bound, but not listening; and the port is not given away
    box.silent.bind(('127.0.0.1', 0))
    box.env['GOOGLE_GEMINI_BASE_URL'] = 'http://127.0.0.1:%d' % box.silent.getsockname()[1]


def no_http(box):
    box.env['GOOGLE_GEMINI_BASE_URL'] = 'gopher://127.0.0.1:1'


def json_error(kind, code, text):
    def then(_, __, result):
        check(not result.out, 'stdout is not empty')
        start, end = result.err.index('{'), result.err.rindex('}') + 1
        found = json.loads(result.err[start:end])['error']
        check(found['type'] == kind and found['code'] == code and text in found['message'],
              'the error object: %s' % found)
    return then


def prompt_is_recorded(box, _, __):
    lines = [json.loads(l) for p in box.transcripts() for l in open(p, encoding='utf-8')]
    check(any(l.get('type') == 'user' for l in lines), 'the prompt is in no transcript', lines)


HTTP = [
    Case('429 with Retry-After is waited for, and asked again',
         [error(429, 'Slow down.', 'RESOURCE_EXHAUSTED', 'Retry-After: 15'), good()],
         out='first second\n', err='Attempt 1 failed: the server answered 429', prepare=slow_unit,
         then=waited_for(300), requests=2),
    Case('500, 503 and a broken connection, then success',
         [error(500, 'x', 'INTERNAL'), error(503, 'x', 'UNAVAILABLE'), closes, resets, good()],
         out='first second\n', requests=5),
    Case('a server that answers nothing but 500',
         [error(500, 'An internal error.', 'INTERNAL')] * 9, 1, requests=6,
         err='the model\'s API refused: 500 INTERNAL: An internal error; the fault is the server\'s'),
    Case('429 without an end', [error(429, 'Quota is used up.', 'RESOURCE_EXHAUSTED')] * 9, 1,
         err='429 RESOURCE_EXHAUSTED: Quota is used up; try later or use another model'),
    Case('400 shows what the API says, and is not asked again',
         [error(400, 'contents.parts must not be empty.\nSee the docs.', 'INVALID_ARGUMENT')], 1,
         err='the model\'s API refused: 400 INVALID_ARGUMENT: contents.parts must not be empty. See the '
             'docs', then=prompt_is_recorded, requests=1),
    Case('400 in JSON', [error(400, 'No.', 'INVALID_ARGUMENT')], 1, args=['-o', 'json'],
         then=json_error('ApiError', 400, 'INVALID_ARGUMENT: No')),
    Case('400 in pieces, as an array', [chunked_error], 1, err='400 INVALID_ARGUMENT: Bad thing'),
    Case('401 says which variable holds the key', [error(401, 'Bad.', 'UNAUTHENTICATED')], 1,
         err='401 UNAUTHENTICATED: Bad; set GEMINI_API_KEY to a valid key', requests=1),
    Case('403', [error(403, 'Not yours.', 'PERMISSION_DENIED')], 1,
         err='403 PERMISSION_DENIED: Not yours; set GEMINI_API_KEY to a key that may', requests=1),
    Case('404', [error(404, 'models/x is not found.', 'NOT_FOUND')], 1,
         err='404 NOT_FOUND: models/x is not found; check the model\'s name', requests=1),
    Case('an error that holds the key does not show it',
         [error(400, 'key %s is bad' % KEY, 'INVALID_ARGUMENT')], 1, err='400 INVALID_ARGUMENT'),
    Case('an error page of a proxy', [page(403, '<html><body>Access denied</body></html>')], 1,
         err='403: <html>'),
    Case('an error without a body', [page(418, '')], 1, err='the model\'s API refused: 418'),
    Case('an error with control characters and a large body',
         [page(400, b'\x1b[2J\0\xff' + b'x' * (3 << 20), 'text/plain')], 1, err='400: \\x1b[2J'),
    Case('cut inside of an event', [cut(150)], 1, err='the reply was cut off by 127.0.0.1',
         out='first', then=no_answer_twice),
    Case('cut by a reset', [cut(150, reset=True)], 1, out='first', then=no_answer_twice,
         err='127.0.0.1'),
    Case('cut before the first event', [cut(10)] * 9, 1, err='the reply was cut off by 127.0.0.1',
         then=asked_four_times),
    Case('cut before anything was shown, then whole', [cut(10), thought_and_cut, good()],
         out='first second\n', err='Attempt 2 failed: the reply was cut off by', requests=3),
    Case('cut before anything was shown, where only the connection says where the reply ends',
         [cut_without_length, good()], out='first second\n', requests=2,
         err="Attempt 1 failed: the reply of the model's API was cut off inside of an event"),
    Case('cut after a call of a tool: it does not run, nothing is asked again', [call_and_cut], 1,
         requests=1, err='the reply was cut off by', then=nothing_made),
    Case('cut after a tool has run, before anything was shown: that request alone again',
         [good(call('write_file', {'file_path': 'made', 'content': 'x\n'})), cut(10), good()],
         out='first second\n', requests=3),
    Case('whole HTTP, half a stream: asked again until four answers were none',
         [good(chunk({'text': 'half'}))] * 9, err='[ERROR] The model\'s answer ended without a finish '
         'reason.', then=asked_four_times),
    Case('each byte in a piece of its own, in the middle of characters', [half_utf8], out='é€😀\n'),
    Case('an end inside of a character', [cut_in_character], 1, out='whole',
         err='was cut off inside of an event'),
    Case('bytes that are no UTF-8', [bad_utf8], out='a\ufffd\ufffdb\n'),
    Case('an event that is no JSON', [lambda c: (c.stream(sse(TWO[0]), b'data: {oops\n\n'), c.end())], 1,
         err='the model\'s API sent what cannot be understood: "{oops"', out='first'),
    Case('an event that is an array', [lambda c: (c.stream(b'data: [1]\n\n'), c.end())], 1,
         err='an object was expected'),
    Case('an error inside of a stream', [error_in_stream], 1, out='first',
         err='503 UNAVAILABLE: The model is overloaded'),
    Case('an error inside of a stream before anything was shown, then an answer',
         [overloaded, overloaded, good()], out='first second\n', requests=3,
         err='Attempt 2 failed: the model\'s API refused: 503 UNAVAILABLE: The model is overloaded'),
    Case('an error inside of a stream that will not pass', [forbidden_in_stream, good()], 1, requests=1,
         err='403 PERMISSION_DENIED: Not yours'),
    Case('HTML instead of a stream', [page(200, '<html>Welcome to the hotel</html>')], 1,
         err='sent text/html instead of a stream of events: "<html>Welcome'),
    Case('JSON instead of a stream', [page(200, '[{"a":1}]', 'application/json')], 1,
         err='sent application/json instead of a stream'),
    Case('nothing instead of a stream', [page(200, '', 'text/event-stream')] * 9,
         err=('[INFO] Attempt 1 failed: The model\'s answer ended without a finish reason. Retrying in',
              '[ERROR] The model\'s answer')),
    Case('a compressed stream that was not asked for', [zipped] * 9, 1, requests=1,
         err='replied with Content-Encoding: gzip, which was not requested'),
    Case('comments without end', [comments], 1, prepare=impatient, requests=1,
         err='the server sent nothing for 1 s'),
    Case('no HTTP', [raw(b'SSH-2.0-OpenSSH_9.2\r\n')] * 9, 1, err='127.0.0.1'),
    Case('half a head', [raw(b'HTTP/1.1 200 O')] * 9, 1, err='127.0.0.1'),
    Case('a head without an end', [raw(b'HTTP/1.1 200 OK\r\n' + b'X: ' + b'y' * 400000)], 1,
         err='headers are longer'),
    Case('a wrong length of a piece', [lambda c: (c.stream(sse(TWO[0])), c.send(b'zz\r\nx'), c.close())],
         1, out='first', err='127.0.0.1'),
    Case('one event of 20 MB', [good(say('x' * 20000000))], out='x' * 1000),
    Case('a redirect is not followed with a key',
         [lambda c: c.reply(307, '', 'Location: http://127.0.0.1:1/')], 1, err='refused: 307'),
    Case('a port without a listener', prepare=no_server, status=1, err=('could not connect to 127.0.0.1',
         'or change GOOGLE_GEMINI_BASE_URL'), then=at_once),
    Case('a Retry-After that is too long is not shortened: it is said',
         [error(429, 'Quota.', 'RESOURCE_EXHAUSTED', 'Retry-After: 900'), good()], 1, requests=1,
         err='the server asks for 900 s before the next request, longer than the 60 s that'),
    Case('an address that is none', prepare=no_http, status=1, ends=0, requests=0,
         err='GOOGLE_GEMINI_BASE_URL must begin with http:// or https://'),
    Case('a connection is used again after errors',
         [error(500, 'x', 'INTERNAL'), error(429, 'x', 'RESOURCE_EXHAUSTED'), good()],
         out='first second\n', then=reused_connection),
    Case('a server that falls silent is given up', [silent], 1, prepare=impatient, requests=1,
         err='the server sent nothing for '),
    Case('the same inside of an event', [silent_in_stream], 1, prepare=impatient, requests=1,
         err='the server sent nothing for '),
    Case('an error after a tool has run: the work stays in the transcript',
         [good(call('write_file', {'file_path': 'made', 'content': 'x\n'})),
          error(400, 'No.', 'INVALID_ARGUMENT')], 1, err='400 INVALID_ARGUMENT: No',
         then=lambda box, _, __: check('"toolCalls"' in open(box.transcripts()[0]).read(),
                                       'no tool call in the transcript')),
]


# ---- the other API ----

def piece(delta, finish=None):
    return {'choices': [{'index': 0, 'delta': delta, 'finish_reason': finish}]}


def openai(*pieces, done=True):
    def reply(c):
        c.stream(sse(*pieces))
        if done:
            c.more(b'data: [DONE]\n\n')
            c.end()
        c.close()
    return reply


def openai_call(name, args):
    return {'tool_calls': [{'index': 0, 'id': 'c1', 'type': 'function',
                            'function': {'name': name, 'arguments': args}}]}


def second_request(find):
    def then(_, server, __):
        text = json.dumps(server.requests[1].json)
        check(find in text, 'the second request lacks: ' + find, text[-2000:])
    return then


HELLO = (piece({'role': 'assistant', 'content': 'first '}), piece({'content': 'second'}, 'stop'))
OPENAI = [
    Case('500, then success', [error(500, 'x', 'e'), openai(*HELLO)], out='first second\n'),
    Case('429 with Retry-After', [error(429, 'x', 'e', 'Retry-After: 15'), openai(*HELLO)],
         out='first second\n', prepare=slow_unit, then=waited_for(300)),
    Case('400', [page(400, '{"error":{"message":"Too many words.","type":"invalid_request_error"}}')], 1,
         err='the model\'s API refused: 400 invalid_request_error: Too many words'),
    Case('an error in another form', [page(400, '{"detail":"Not here"}')], 1, err='400: Not here'),
    Case('401', [page(401, '{"error":"bad key"}')], 1,
         err='401: bad key; set OPENAI_API_KEY to a valid key'),
    Case('cut in the middle', [openai(HELLO[0], done=False)], 1, out='first',
         err='the reply was cut off by 127.0.0.1'),
    Case('garbage', [lambda c: (c.stream(b'data: {oops\n\n'), c.end())], 1,
         err='sent what cannot be understood: "{oops"'),
    Case('HTML', [page(200, '<html>x</html>')], 1, err='sent text/html instead of a stream'),
    Case('empty choices', [openai({'choices': []}, {'choices': None}, {}, *HELLO)],
         out='first second\n'),
    Case('arguments that are no JSON run nothing, and the model is told',
         [openai(piece(openai_call('run_shell_command', '{"command":"touch ran"')),
                 piece({}, 'tool_calls')), openai(*HELLO)], out='first second\n',
         then=second_request('The arguments of the call are not a JSON object'),
         err='The arguments of the call are not a JSON object: {"command":"touch ran"'),
    Case('an unknown tool', [openai(piece(openai_call('nope', '{}')), piece({}, 'tool_calls')),
                             openai(*HELLO)], out='first second\n',
         err='Tool "nope" not found'),
    *(Case('a call in an answer that ended with %s does not run' % reason,
           [openai(piece({'content': 'half'}),
                   piece(openai_call('run_shell_command', '{"command":"touch ran"}')),
                   piece({}, reason))], out='half', err='Its 1 tool call is not run',
           then=lambda box, _, __: check(not os.path.exists(box.project + '/ran'), 'it ran'))
      for reason in ('length', 'content_filter', 'from_the_future')),
    Case('[DONE] without a finish_reason is the end of a text', [openai(piece({'content': 'all'}))], out='all\n'),
    Case('[DONE] without a finish_reason is the end of a call',
         [openai(piece(openai_call('run_shell_command', '{"command":"touch ran"}'))), openai(*HELLO)],
         out='first second\n', then=lambda box, _, __: check(os.path.exists(box.project + '/ran'), 'it did not run')),
    *(Case('[DONE] without a finish_reason and with %s is a cut: the model is asked again' % what,
           [openai(*(piece(d) for d in deltas)), openai(*HELLO)], out='first second\n',
           then=lambda box, server, __: check(server.requests[1].json['messages'] == server.requests[0].json['messages'],
                                              'the model is told of half an answer'))
      for what, deltas in {'nothing': [{'role': 'assistant'}], 'thoughts alone': [{'reasoning_content': 'hm'}],
                           'half a call': [openai_call('run_shell_command', '{"command":"tou')],
                           'the name of a call': [openai_call('glob', '')]}.items()),
    Case('half a call, then the end of the connection',
         [openai(piece(openai_call('run_shell_command', '{"command":"touch ran"}')), done=False)], 1,
         err='cut off', then=lambda box, _, __: check(not os.path.exists(box.project + '/ran'),
                                                      'the call of half an answer ran')),
]
for case in OPENAI:
    case.api, case.name = 'openai', 'OPENAI_BASE_URL: ' + case.name


# ---- models that do too much ----

def deep(n):
    value = 'x'
    for _ in range(n):
        value = {'a': [value]}
    return value


def hundred_ran(box, _, __):
    found = len(os.listdir(box.project + '/many'))
    check(found == 100, '%d of 100 calls ran' % found)
    lines = [json.loads(l) for p in box.transcripts() for l in open(p, encoding='utf-8')]
    rows = max(len(l.get('toolCalls') or ()) for l in lines)
    check(rows == 100, '%d calls in the transcript' % rows)


def thousand_ran(box, server, _):
    found = len(os.listdir(box.project + '/many'))
    check(found == 1000, '%d of 1003 calls ran' % found)


def huge_is_recorded(box, _, __):
    check(any('y' * 5000000 in open(p, encoding='utf-8').read() for p in box.transcripts()),
          'the transcript has not all of the answer')


def all_hooks(box):
    box.write('hook.sh', 'cat > /dev/null\n')
    box.hooks({'SessionEnd': END, **{e: 'sh ../hook.sh' for e in
                                     ('BeforeModel', 'AfterModel', 'BeforeTool', 'AfterTool',
                                      'AfterAgent')}})


MODEL = [
    Case('100 calls in one answer all run', answers=[
        [chunk(*({'functionCall': {'name': 'write_file', 'args': {
            'file_path': 'many/%d' % i, 'content': '%d\n' % i}}} for i in range(100)),
            finish='STOP')], [say('done')]], out='done', then=hundred_ran),
    Case('1003 calls in one answer: the last ones are errors', answers=[
        [chunk(*({'functionCall': {'name': 'write_file', 'args': {
            'file_path': 'many/%d' % i, 'content': '%d\n' % i}}} for i in range(1003)),
            finish='STOP')], [say('done')]], out='done', then=thousand_ran,
         err='An answer may call at most 1000 tools'),
    Case('100 calls that read, at the same time', answers=[
        [chunk(*({'functionCall': {'name': 'glob', 'args': {'pattern': '*.%d' % i}}}
                 for i in range(100)), finish='STOP')], [say('done')]], out='done', prepare=all_hooks),
    Case('100 calls of tools that do not exist', answers=[
        [chunk(*({'functionCall': {'name': 'tool_%d' % i, 'args': {}}} for i in range(100)),
               finish='STOP')], [say('done')]], out='done', err='Tool "tool_99" not found'),
    Case('arguments nested 480 deep', prepare=all_hooks, answers=[
        [call('write_todos', {'todos': deep(240)}), call('read_file', deep(240))], [say('done')]],
         out='done'),
    Case('a name, an id and arguments of a million bytes', prepare=all_hooks, answers=[
        [chunk({'functionCall': {'name': 'n' * 1000000, 'id': 'i' * 1000000,
                                 'args': {'k' * 1000000: 'v' * 1000000}}},
               {'functionCall': {'name': 'read_file', 'args': {'file_path': 'p' * 1000000}}},
               {'functionCall': {'name': 'glob', 'args': {'pattern': '*' * 100000}}},
               {'functionCall': {'name': 'grep_search', 'args': {'pattern': '(' * 100000}}},
               {'functionCall': {'name': 'run_shell_command', 'args': {'command': ': ' + 'x' * 1000000}}},
               finish='STOP')], [say('done')]], out='done'),
    Case('an answer of 5 MB in 500 pieces', prepare=all_hooks, answers=[
        [chunk({'text': 'y' * 10000}) for _ in range(499)] + [say('y' * 10000)]],
         out='y' * 5000000, then=huge_is_recorded),
    Case('an answer of 100,000 words', answers=[
        [chunk({'text': 'w%d ' % i}) for i in range(99999)] + [say('end')]], out='w99998 end\n'),
]


# ---- disks and rights ----

def no_file_over(n):
    """A limit that a write meets as it meets a full disk, but for the errno."""
    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (n, n))
    return limit


def no_files_over(n):
    return lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (n, n))


CAN_MOUNT = subprocess.run(['unshare', '-rm', 'sh', '-c', 'mount -t tmpfs none /mnt'], check=False,
                           capture_output=True).returncode == 0
# Root may write everywhere unless it gives that up.
POWERLESS = (['setpriv', '--bounding-set=-dac_override,-dac_read_search']
             if os.getuid() == 0 else [])


def read_only_project(box):
    os.chmod(box.project, 0o555)


def read_only_home(box):
    for folder in ('.gemini', ''):
        os.chmod(os.path.join(box.home, folder), 0o555)


def closed(descriptors):
    """The program starts without them; what it opens must not get their numbers."""
    ends = ' '.join('%d%s&-' % (d, '<' if d == 0 else '>') for d in descriptors)
    return ['sh', '-c', 'exec "$@" ' + ends, 'sh']


def answer_is_recorded(box, _, __):
    with open(box.transcripts()[0], encoding='utf-8') as f:
        lines = [json.loads(l) for l in f]
    check('sessionId' in lines[0], 'something else comes before the transcript', lines)
    check(any('hello' in json.dumps(l.get('content', '')) for l in lines), 'the answer is lost', lines)


def once(text):
    return lambda _, __, result: check(result.err.count(text) == 1, 'not once on stderr: ' + text)


def tool(command):
    return [[call('run_shell_command', {'command': command})], [say('hello')]]


PLACES = [
    Case('without descriptors %s' % ', '.join(map(str, fds)), answers=[
        [call('write_file', {'file_path': 'f', 'content': 'x'})], [say('hello')]],
        before=closed(fds), then=answer_is_recorded)
    for fds in ((0,), (1,), (2,), (0, 1, 2))] + [
    Case('a prompt that is no UTF-8', answers=[[say('hello')]], out='hello',
         args=['-p', b'\xff\xfe x'.decode('utf-8', 'surrogateescape')], then=answer_is_recorded),
    Case('a directory that is gone', answers=[[say('never')]], status=1, ends=0,
         before=['sh', '-c', 'mkdir d && cd d && rmdir ../d && exec "$@"', 'sh'],
         err='Cannot find the current directory: No such file or directory'),
    Case('a tool ends the agent', answers=tool('kill -TERM $PPID; sleep 60'),
         err='Operation cancelled.'),
    Case('a tool takes the project away', answers=tool('rm -rf "$PWD"'), out='hello', ends=0,
         err='failed for event SessionEnd'),
    Case('a tool breaks the settings', answers=tool('echo "{" > ~/.gemini/settings.json'), out='hello'),
    Case('a tool takes the place of the sessions away',
         answers=tool('rm -rf ~/.gemini/tmp; echo x > ~/.gemini/tmp; seq 20000'), out='hello',
         then=once('the file was removed')),
    Case('a tool cuts the transcript short', answers=tool('cd ~/.gemini/tmp/*/chats; head -n 1 *.jsonl > first; cat first > *.jsonl'),
         out='hello', then=once('another process has cut the file short')),
]

def settings(**members):
    return lambda box: box.hooks({'SessionEnd': END, 'AfterModel': 'true'}, **members)


def telemetry_to(path):
    return settings(telemetry={'enabled': True, 'target': 'local', 'outfile': path})


def no_records(box):
    settings()(box)
    box.write('home/.trotline/records.jsonl/x', '')


def binary_context(box):
    with open(box.project + '/GEMINI.md', 'wb') as f:
        f.write(b'\0\xff' * 5000)


PLACES += [
    Case('an outfile of telemetry that cannot be written', answers=[[say('hello')]], out='hello',
         prepare=telemetry_to('/dev/null/x'), err='[WARNING] telemetry is off: '),
    Case('records that cannot be kept are complained of once', out='first second',
         answers=[list(TWO)], prepare=no_records, then=once('the record of this firing is lost')),
    Case('a context file that is no text', answers=[[say('hello')]], out='hello',
         prepare=binary_context, err='\n[WARNING] Context file '),
]

BIG = 'z' * 200000
WRITE = [[call('write_file', {'file_path': 'sub/big', 'content': BIG})], [say('never')]]
DISK = [
    Case('a project without the right to write: the model is told, and goes on',
         answers=[[call('write_file', {'file_path': 'a', 'content': 'x'})],
                  [call('run_shell_command', {'command': 'echo x > b'})], [say('so be it')]],
         prepare=read_only_project, before=POWERLESS, out='so be it', err='Permission denied'),
    Case('a home without the right to write: not recorded, and it goes on',
         answers=[[say('hello')]], prepare=read_only_home, before=POWERLESS, out='hello',
         err='[WARNING] This session is not recorded: '),
    Case('files over a limit: the transcript is lost with a warning, the answer is not',
         answers=[[say('hello ' * 20000)]], limit=no_file_over(50000), out='hello hello',
         err='[WARNING] This session is no longer recorded: '),
    Case('few descriptors', answers=[[call('glob', {'pattern': '*'})], [say('done')]],
         limit=no_files_over(32), out='done'),
]


class FullDisk(Case):
    """A project on a file system of 64 KiB, in a mount namespace of its own."""

    def run(self):
        with Box() as box:
            box.env['GEMINI_API_KEY'] = 'k'
            box.hooks({'SessionEnd': END, 'AfterTool': 'echo AfterTool >> "$LOG"'})
            script = 'mount -t tmpfs -o size=64k,mode=777 none "$0" && cd "$0" && exec "$@"'
            p = box.start(['-p', 'hi', '--yolo', '-m', 'gemini-2.5-flash', *self.args,
                           '--fake-responses', box.answers(*self.answers)],
                          before=['unshare', '-rm', 'sh', '-c', script, box.project])
            result = box.finish(p, time.monotonic())
            try:
                self.judge(box, None, result)
            except Failed as e:
                raise Failed('%s\n%s' % (e, result)) from None


FULL = [
    FullDisk('no space left is exit 54', answers=WRITE, status=54, err='No space left on device',
             then=lambda box, _, __: check('AfterTool' in box.events(), 'AfterTool did not fire')),
    FullDisk('and in JSON', answers=WRITE, status=54, args=['-o', 'json'],
             then=json_error('FatalToolExecutionError', 54, 'No space left')),
    FullDisk('replace without space keeps the file', status=54, err='No space left', answers=[
        [call('write_file', {'file_path': 'f', 'content': 'one'})],
        [call('replace', {'file_path': 'f', 'old_string': 'one', 'new_string': BIG,
                          'instruction': 'x'})],
        [say('never')]]),
    FullDisk('a command without space is no fatal error', status=0, out='so be it', answers=[
        [call('run_shell_command', {'command': 'head -c 200000 /dev/zero > big'})], [say('so be it')]]),
]


# ---- compression ----

def compression(name, reply, then):
    """The second run finds a conversation that is too long, and the model does not help."""
    def run():
        with Box() as box, Server(reply, good()) as server:
            Case('').environment(box, server.url)
            box.hooks({'SessionEnd': END, 'PreCompress': 'echo PreCompress >> "$LOG"'},
                      contextCompression={'targetTokenCount': 10})
            long = ' '.join('word%d' % i for i in range(3000))
            box.run('-p', long, '--fake-responses', box.answers([say(long)]))
            since = time.monotonic()
            p = box.start(['-p', 'again', '--resume'])
            wait_until(lambda: server.requests, 5, 'the request for a summary')
            check(server.requests[0].path.endswith(':generateContent'), server.requests[0].path)
            then(box, p, since)
            # Once a try (C2.7); the first run's has nothing to compress.
            check(box.events().count('PreCompress') == 2, 'PreCompress: %s' % box.events())
            box.check_end(2)
    run.name = name
    return run


def goes_on(box, p, since):
    result = box.finish(p, since)
    check(result.status == 0 and 'first second' in result.out, 'no answer', result)
    check('[WARNING] ' in result.err and 'ompress' in result.err, 'no warning', result)


def is_cancelled(box, p, since):
    p.send_signal(signal.SIGINT)
    result = box.finish(p, since)
    check(result.status == 0 and result.err == 'Operation cancelled.\n', 'no clean end', result)


# ---- a server that falls silent ----

def stall(name, reply, api='gemini', unit_ms=1):
    """Nothing comes any more; a signal ends it at once (what a limit of silence does is tested with
    the HTTP client)."""
    def run():
        with Box() as box, Server(reply) as server:
            Case('', api=api).environment(box, server.url)
            box.env['TROTLINE_RETRY_UNIT_MS'] = str(unit_ms)
            box.hooks({'SessionEnd': END})
            since = time.monotonic()
            p = box.start(['-p', 'hi'])
            wait_until(lambda: server.requests, 5, 'the request')
            p.send_signal(signal.SIGINT)
            result = box.finish(p, since)
            check(result.status == 0, 'wanted exit 0', result)
            check('Operation cancelled.' in result.err, 'no message', result)
            box.check_end()
    run.name = name
    return run


def half_an_answer(c):
    c.answer(chunk({'text': 'half'}))


def silent_before_retry(c):
    c.error(429, 'x', 'RESOURCE_EXHAUSTED', 'Retry-After: 60')


COMPRESSION = [
    compression('no summary, because the API refuses', error(400, 'No.', 'INVALID_ARGUMENT'), goes_on),
    compression('an empty summary', page(200, '{"candidates":[]}', 'application/json'), goes_on),
    compression('a summary that is no JSON', page(200, '<html>', 'text/html'), goes_on),
    compression('a signal while the summary is made', silent, is_cancelled),
]

STALLS = [stall('a server that never answers', silent),
          stall('a server that stops inside of an event', silent_in_stream),
          stall('OPENAI_BASE_URL: the same', silent_in_stream, 'openai'),
          stall('half an answer that is asked for again', half_an_answer, unit_ms=1000),
          stall('a server that wants to be asked in a minute', silent_before_retry, unit_ms=1000)]


def main():
    tap = Tap()
    cases = HTTP + OPENAI + MODEL + DISK + PLACES + (FULL if CAN_MOUNT else []) + COMPRESSION + STALLS
    only = sys.argv[1:]
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        def run(case):
            name = case.name
            if only and not any(o in name for o in only):
                return name, None, 'not asked for'
            try:
                (case if callable(case) else case.run)()
                return name, None, None
            except Exception as e:  # the others run all the same
                return name, e if isinstance(e, Failed) else repr(e), None
        for name, why, skip in pool.map(run, cases):
            if not skip:
                tap.point(name, why)
    if not CAN_MOUNT:
        tap.point('a full disk', skip='no mount namespaces here')
    tap.done()


main()
