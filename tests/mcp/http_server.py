#!/usr/bin/env python3
"""MCP servers on loopback: each session is a tests/mcp/server.py behind HTTP.  Prints its port; ends
with its stdin.  What a path does is in the table of POSTs and GETs below."""

import itertools
import json
import os
import queue
import subprocess
import sys
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'server.py')
sessions = {}
numbers = itertools.count(1)
left = queue.Queue()  # sessions that clients have ended
news = queue.Queue()  # what has become of the case "never" of post_resume


class Session:
    def __init__(self):
        self.name = 'session-%d' % next(numbers)
        self.child = subprocess.Popen([sys.executable, SCRIPT], stdin=subprocess.PIPE,
                                      stdout=subprocess.PIPE)
        self.boxes, self.rest, self.lock = {}, queue.Queue(), threading.Lock()
        self.posts, self.resumed = 0, {}
        sessions[self.name] = self
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            try:
                m = json.loads(line)
            except ValueError:
                m = {}
            token = (m.get('params') or {}).get('progressToken') if isinstance(m, dict) else None
            id = m.get('id') if isinstance(m, dict) and 'method' not in m else token
            box = self.boxes.get(id) if isinstance(id, int) else None
            (box or self.rest).put(line.strip())

    def post(self, body):
        m = json.loads(body)
        box = None
        if 'method' in m and 'id' in m:
            box = self.boxes[m['id']] = queue.Queue()
        with self.lock:
            self.posts += 1
            self.child.stdin.write(body.strip() + b'\n')
            self.child.stdin.flush()
        return m, box

    def end(self):
        sessions.pop(self.name, None)
        self.child.kill()
        self.child.wait()


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def reply(self, status, body=b'', type='text/plain', **headers):
        self.send_response(status)
        self.send_header('Content-Type', type)
        self.send_header('Content-Length', str(len(body)))
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        self.wfile.write(body)

    def begin_stream(self, session=None):
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream; charset=utf-8')
        self.send_header('Transfer-Encoding', 'chunked')
        if session:
            self.send_header('mcp-session-id', session)
        self.end_headers()

    def chunk(self, data):
        self.wfile.write(b'%x\r\n%s\r\n' % (len(data), data))
        self.wfile.flush()

    def event(self, data, event='message'):
        self.chunk(b': hello\nevent: %s\ndata: %s\n\n' % (event.encode(), data))

    def body(self):
        return self.rfile.read(int(self.headers.get('Content-Length', 0)))

    def session(self, m):
        if m.get('method') == 'initialize':
            return Session()
        return sessions.get(self.headers.get('Mcp-Session-Id'))

    # streamable HTTP

    def post_mcp(self, body, stream=True):
        m = json.loads(body)
        s = self.session(m)
        if not s:
            return self.reply(404, b'no session')
        if m.get('method') != 'initialize' and self.headers.get('MCP-Protocol-Version') != '2025-11-25':
            return self.reply(400, b'no version')
        m, box = s.post(body)
        if not box:
            return self.reply(202)
        if not stream:
            return self.reply(200, box.get(), 'application/json', mcp_session_id=s.name)
        self.begin_stream(s.name)
        while True:
            line = box.get()
            self.event(line)
            if b'"result"' in line or b'"error"' in line:
                break
        # The stream of a server need not end with the answer.
        if m['method'] != 'initialize':
            self.chunk(b'')

    def post_json(self, body):
        self.post_mcp(body, False)

    def post_auth(self, body):
        if self.headers.get('Authorization') != 'Bearer T':
            return self.reply(401, b'who are you?')
        self.post_mcp(body)

    def post_forget(self, body):
        m = json.loads(body)
        s = self.session(m)
        if s and s.posts >= 10 and m.get('method') == 'tools/call':
            s.end()
        self.post_mcp(body)

    def post_broken(self, body):
        m = json.loads(body)
        if m.get('method') != 'tools/call':
            return self.post_mcp(body)
        text = m['params']['arguments'].get('text')
        if text == 'empty':
            return self.reply(200, b'', 'application/json')
        if text == 'garbage':
            return self.reply(200, b'<html>', 'application/json')
        if text == '500':
            return self.reply(500, b'I am \x1b[31mbroken')
        if text == 'redirect':
            return self.reply(307, b'', Location='http://127.0.0.1:9/')
        if text == 'big':
            return self.reply(200, b'x' * (40 << 20), 'application/json')
        if text == 'cut':
            self.begin_stream()
            self.chunk(b'data: {"half')
            self.close_connection = True
        return self.post_mcp(body) if text is None else None

    # Streams that end before the answer.  Ids are CASE/REQUEST/N; tests/unit/test_mcp_http.c has the cases.

    def post_resume(self, body):
        m = json.loads(body)
        case = (m.get('params', {}).get('arguments') or {}).get('text', '')
        if m.get('method') != 'tools/call' or case == '':
            return self.post_mcp(body)
        self.session(m).post(body)
        self.begin_stream()
        if case == 'no-id':
            self.chunk(b'retry: 1\ndata:\n\n')
        elif case == 'bad-id':
            self.chunk(b'id: a\x01b\ndata:\n\n')
        elif case == 'cut':
            self.chunk(b'id: cut/%d/0\nretry: 1\n\n' % m['id'])
            self.wfile.write(b'ffff\r\ndata: half')
            self.wfile.flush()
            self.close_connection = True
            return None
        elif case == 'late':
            self.chunk(b'id: late/%d/0\nretry: 300\ndata:\n\n' % m['id'])
        else:
            self.chunk(b'id: %s/%d/0\nretry: 1\ndata:\n\n' % (case.encode(), m['id']))
        return self.chunk(b'')

    def get_resume(self):
        case, request, n = (self.headers.get('Last-Event-ID', '') + '//').split('/')[:3]
        s = sessions.get(self.headers.get('Mcp-Session-Id'))
        if not s:
            return self.reply(404)
        if not case:
            return self.get_mcp()
        if self.headers.get('MCP-Protocol-Version') != '2025-11-25':
            return self.reply(400, b'no version')
        box, n = s.boxes[int(request)], int(n)
        s.resumed[case] = s.resumed.get(case, 0) + 1
        if case == 'refused':
            return self.reply(405, b'not here')
        if case == 'down' or case == 'flaky' and s.resumed[case] < 3:
            return self.reply(500, b'I am down')
        self.begin_stream()
        if case == 'thrice' and n < 2:
            self.chunk(b'id: thrice/%s/%d\n' % (request.encode(), n + 1) +
                       b'data: {"jsonrpc":"2.0","method":"notifications/progress",'
                       b'"params":{"progressToken":%s,"progress":%d}}\n\n' % (request.encode(), n + 1))
            return self.chunk(b'')
        if case == 'empty' and s.resumed[case] < 8:
            return self.chunk(b'')
        if case == 'never':
            news.put(case)
            self.rfile.read(1)  # until the client leaves
            return news.put('cut off')
        self.event(box.get())
        return self.chunk(b'')

    # SSE

    def post_messages(self, body):
        s = sessions.get(urllib.parse.parse_qs(self.path.partition('?')[2]).get('s', [''])[0])
        if not s:
            return self.reply(404)
        m = json.loads(body)
        with s.lock:
            s.child.stdin.write(json.dumps(m).encode() + b'\n')
            s.child.stdin.flush()
        self.reply(202, b'Accepted')

    def get_sse(self, endpoint='/messages?s=%s'):
        s = Session()
        self.begin_stream()
        self.event((endpoint % s.name).encode(), 'endpoint')
        try:
            while True:
                self.event(s.rest.get())
        finally:
            s.end()

    def get_evil(self):
        self.get_sse('http://127.0.0.2:9/%s')

    def get_mcp(self):
        s = sessions.get(self.headers.get('Mcp-Session-Id'))
        if not s:
            return self.reply(404)
        self.begin_stream()
        while True:
            self.event(s.rest.get())

    def get_left(self):
        self.reply(200, left.get(timeout=60).encode())

    def get_news(self):
        self.reply(200, news.get(timeout=60).encode())

    def silent(self, body=None):
        self.rfile.read(1)

    POSTS = {'mcp': post_mcp, 'json': post_json, 'auth': post_auth, 'forget': post_forget,
             'broken': post_broken, 'resume': post_resume, 'messages': post_messages, 'silent': silent}
    GETS = {'sse': get_sse, 'evil': get_evil, 'mcp': get_mcp, 'resume': get_resume, 'left': get_left, 'news': get_news,
            'silent': silent}

    def word(self):
        return self.path.partition('?')[0].strip('/')

    def do_POST(self):
        body = self.body()
        fn = self.POSTS.get(self.word())
        fn(self, body) if fn else self.reply(405)

    def do_GET(self):
        fn = self.GETS.get(self.word())
        fn(self) if fn else self.reply(405)

    def do_DELETE(self):
        s = sessions.get(self.headers.get('Mcp-Session-Id'))
        if s:
            s.end()
            left.put(s.name)
        self.reply(200 if s else 404)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # clients leave when they please


if __name__ == '__main__':
    server = Server(('127.0.0.1', 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    for s in list(sessions.values()):
        s.end()
