#!/usr/bin/env python3
"""Streamable HTTP in front of a server on stdio, for the suite:  front.py COMMAND [ARG...]
Prints its port; ends with its stdin.  A POST's answer is an event stream; what the server says before
the answer goes into the stream of a call that waits, the last that came."""

import json
import queue
import subprocess
import sys
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

sessions = {}


class Session:
    def __init__(self):
        self.name = uuid.uuid4().hex
        self.child = subprocess.Popen(sys.argv[1:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.boxes, self.lock, self.rest = {}, threading.Lock(), queue.Queue()
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        for line in self.child.stdout:
            m = json.loads(line)
            with self.lock:
                calls = list(self.boxes.values())
                box = (self.boxes.get(m.get('id')) if 'method' not in m else calls[-1] if calls else None)
            (box or self.rest).put(line.strip())

    def send(self, m, body):
        box = queue.Queue() if 'method' in m and 'id' in m else None
        with self.lock:
            if box:
                self.boxes[m['id']] = box
            self.child.stdin.write(body.replace(b'\n', b' ') + b'\n')
            self.child.stdin.flush()
        return box

    def forget(self, m):
        with self.lock:
            self.boxes.pop(m['id'], None)

    def end(self):
        self.child.stdin.close()
        self.child.wait()


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def reply(self, status):
        self.send_response(status)
        self.send_header('Content-Length', '0')
        self.end_headers()

    def stream(self, session):
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream')
        self.send_header('Mcp-Session-Id', session.name)
        self.send_header('Connection', 'close')
        self.end_headers()
        self.close_connection = True

    def event(self, line):
        self.wfile.write(b'event: message\ndata: ' + line + b'\n\n')
        self.wfile.flush()

    def do_POST(self):
        body = self.rfile.read(int(self.headers['Content-Length']))
        host = self.headers.get('Host', '').rsplit(':', 1)[0]
        if host not in ('127.0.0.1', 'localhost'):
            return self.reply(403)
        m = json.loads(body)
        session = sessions.get(self.headers.get('Mcp-Session-Id'))
        if m.get('method') == 'initialize':
            session = Session()
            sessions[session.name] = session
        if not session:
            return self.reply(404)
        box = session.send(m, body)
        if not box:
            return self.reply(202)
        self.stream(session)
        while True:
            line = box.get()
            self.event(line)
            got = json.loads(line)
            if 'method' not in got and got.get('id') == m['id']:
                return session.forget(m)

    def do_GET(self):
        self.reply(405)

    def do_DELETE(self):
        session = sessions.pop(self.headers.get('Mcp-Session-Id'), None)
        if session:
            session.end()
        self.reply(200)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, address):
        pass  # clients leave when they please


if __name__ == '__main__':
    server = Server(('127.0.0.1', 0), Handler)
    print(server.server_address[1], flush=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    sys.stdin.read()
    for each in list(sessions.values()):
        each.end()
