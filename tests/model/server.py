#!/usr/bin/env python3
"""The API of a model that says what a test has written down:  tests/model/server.py FOLDER

Listens on 127.0.0.1 and prints its port in one line.  The n-th request (from 0) gets the answer in
FOLDER/n: a line of JSON {"status", "headers", "then"}, and after it the body.  "then" is what follows
the body: nothing, "stall" (until the client goes) or "cut" (the connection, in the middle of the
reply).  What was asked is appended to FOLDER/requests, one object a line, before it is answered.
A body goes out in pieces of a few bytes.  Ends with its stdin, or when it is killed."""

import json
import os
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

PIECE = 7
DEADLINE_S = 60

lock = threading.Lock()
count = 0


class Handler(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def take_number(self, body):
        global count
        with lock:
            with open(os.path.join(sys.argv[1], 'requests'), 'a', encoding='utf-8') as f:
                f.write(json.dumps({'path': self.path, 'body': json.loads(body), 'headers': {
                    k.lower(): v for k, v in self.headers.items()}}) + '\n')
            count += 1
            return count - 1

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get('content-length', 0)))
        with open(os.path.join(sys.argv[1], str(self.take_number(body))), 'rb') as f:
            how = json.loads(f.readline())
            reply = f.read()
        self.send_response(how['status'])
        for name, value in how['headers'].items():
            self.send_header(name, value)
        self.send_header('Transfer-Encoding', 'chunked')
        self.end_headers()
        for i in range(0, len(reply), PIECE):
            piece = reply[i:i + PIECE]
            self.wfile.write(b'%x\r\n%s\r\n' % (len(piece), piece))
        then = how.get('then')
        if then == 'stall':
            self.connection.settimeout(DEADLINE_S)
            self.connection.recv(1)
        if then in ('stall', 'cut'):
            self.close_connection = True
            self.connection.shutdown(socket.SHUT_RDWR)
            return
        self.wfile.write(b'0\r\n\r\n')


def end_with_stdin():
    sys.stdin.read()
    os._exit(0)


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, request, client_address):
        if not isinstance(sys.exc_info()[1], (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


server = Server(('127.0.0.1', 0), Handler)
print(server.server_address[1], flush=True)
threading.Thread(target=end_with_stdin, daemon=True).start()
server.serve_forever()
