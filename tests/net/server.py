#!/usr/bin/env python3
"""A server that does what servers should not, for tests of the HTTP client:  tests/net/server.py

Listens on 127.0.0.1, prints its port in one line and lives until its stdin ends.  It speaks HTTP by
hand, because most of what it says is wrong on purpose.  Behaviours are the functions named do_PATH;
with `--tls CERT KEY` it speaks them over TLS."""

import json
import socket
import ssl
import struct
import sys
import threading
import time

PACE_S = 0.002  # between the pieces of what is slow
DEADLINE_S = 60

state = threading.Condition()
counts = {'connections': 0}  # and how often each ?id= was asked for
left = set()  # each ?id= whose client was seen to close its connection


class Request:
    """One request as it was sent, its body not yet read."""

    def __init__(self, reader, sock):
        self.reader, self.sock = reader, sock
        line = reader.readline()
        self.alive = bool(line)
        if not self.alive:
            return
        self.method, self.target, _ = line.decode('latin-1').split(' ', 2)
        path, _, query = self.target.partition('?')
        self.path = path.rpartition('/')[2]
        self.query = dict(p.partition('=')[::2] for p in query.split('&') if p)
        self.headers = {}
        while (line := reader.readline().decode('latin-1').strip()):
            name, _, value = line.partition(':')
            self.headers[name.lower()] = value.strip()
        self.todo = int(self.headers.get('content-length', 0))

    def read_body(self, n=None):
        data = self.reader.read(self.todo if n is None else min(n, self.todo))
        self.todo -= len(data)
        return data

    def send(self, data):
        self.sock.sendall(data if isinstance(data, bytes) else data.encode())

    def reply(self, status, body=b'', headers=()):
        body = body if isinstance(body, bytes) else body.encode()
        lines = ['HTTP/1.1 %d Because' % status, 'Content-Length: %d' % len(body), *headers]
        self.send('\r\n'.join(lines) + '\r\n\r\n')
        if self.method != 'HEAD':
            self.send(body)

    def wait_for_close(self):
        """Until the client closes its end; whoever asks /left?id= is told."""
        self.sock.settimeout(DEADLINE_S)
        try:
            while self.reader.read(1):
                pass
        except ConnectionError:
            pass
        with state:
            left.add(self.query['id'])
            state.notify_all()


def do_echo(rq):
    body = rq.read_body()
    rq.reply(200, json.dumps({
        'method': rq.method, 'target': rq.target, 'headers': rq.headers, 'length': len(body),
        'sum': sum(body) % 65521, 'connections': counts['connections']}),
        ['Content-Type: application/json; charset=utf-8'])


def do_status(rq):
    """?code, n times (then 200), with Retry-After ?after and a body of ?size bytes."""
    rq.read_body()
    with state:
        seen = counts[rq.query.get('id', '')]
    if seen > int(rq.query.get('n', 1 << 30)):
        return rq.reply(200, 'good')
    after = rq.query.get('after')
    if after == 'date':
        after = time.strftime('%a, %d %b %Y %H:%M:%S GMT', time.gmtime(time.time() + 30))
    rq.reply(int(rq.query['code']), 'no' * (int(rq.query.get('size', 2)) // 2),
             ['Retry-After: ' + after] if after else [])


def do_reset(rq):
    """Closes without a reply ?n times; not the first connection's end, but a reset."""
    with state:
        seen = counts[rq.query.get('id', '')]
    if seen > int(rq.query['n']):
        return rq.reply(200, 'good')
    rq.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack('ii', 1, 0))
    return False


def do_empty(rq):
    return False


def do_cut(rq):
    rq.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n20\r\nhalf of')
    return False


def do_stall(rq):
    """Begins a reply and says no more; ?silent: not even that."""
    if 'silent' not in rq.query:
        rq.send('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n')
    rq.wait_for_close()
    return False


def do_alive(rq):
    """Comments without end."""
    rq.send('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n')
    try:
        while True:
            rq.send(': working\n\n')
            time.sleep(PACE_S)
    except ConnectionError:
        return False


def do_encoded(rq):
    """Of status ?code, in an encoding that was not asked for."""
    rq.reply(int(rq.query.get('code', 200)), b'\x1f\x8b\x08\x00nonsense',
             ['Content-encoding:  gzip'])


def do_seen(rq):
    """Was there a request for what ?of names?"""
    with state:
        seen = counts.get(rq.query['of'], 0) > 0
    rq.reply(200 if seen else 404)


def do_left(rq):
    """Answers once the client of ?id has closed its connection."""
    with state:
        seen = state.wait_for(lambda: rq.query['id'] in left, DEADLINE_S)
    rq.reply(200 if seen else 504)


def do_garbage(rq):
    rq.send(bytes(range(256)) * 4)
    return False


def do_slow(rq):
    """One byte at a time, ?times over."""
    body = 'data: 猫と🐡\r\n\r\n'.encode() * int(rq.query.get('times', 1))
    rq.send('HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n\r\n'
            % len(body))
    for i in range(len(body)):
        rq.send(body[i:i + 1])
        time.sleep(PACE_S)


def do_reader(rq):
    """Reads a large body slowly."""
    total = 0
    while rq.todo:
        total += sum(rq.read_body(1 << 16))
        time.sleep(PACE_S)
    rq.reply(200, str(total % 65521))


def do_headers(rq):
    """?lines of ?size bytes each; a client that has heard enough may go."""
    try:
        rq.send('HTTP/1.1 200 OK\r\n')
        for i in range(int(rq.query['lines'])):
            rq.send('X-%d: %s\r\n' % (i, 'x' * int(rq.query['size'])))
        rq.send('Content-Length: 4\r\n\r\ngood')
    except ConnectionError:
        return False


def do_big(rq):
    """?size bytes with the status ?code."""
    try:
        rq.reply(int(rq.query.get('code', 200)), b'x' * int(rq.query['size']))
    except ConnectionError:
        return False


def do_redirect(rq):
    """?n hops, then ?to or /echo; ?code instead of 302."""
    rq.read_body()
    n = int(rq.query.get('n', 1))
    to = '/redirect?n=%d' % (n - 1) if n > 1 else rq.query.get('to', '/echo')
    rq.reply(int(rq.query.get('code', 302)), 'gone', ['Location: ' + to])


def serve(sock, wrap):
    try:
        sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        sock = wrap(sock)
        reader = sock.makefile('rb')
        while (rq := Request(reader, sock)).alive:
            with state:
                key = rq.query.get('id', '')
                counts[key] = counts.get(key, 0) + 1
            if globals()['do_' + rq.path](rq) is False:
                break
        reader.close()
    except (OSError, ValueError):  # gone, or no HTTP
        pass
    finally:
        sock.close()


def accept_all(listener, wrap):
    while True:
        sock, _ = listener.accept()
        with state:
            counts['connections'] += 1
        threading.Thread(target=serve, args=(sock, wrap), daemon=True).start()


def main():
    wrap = lambda sock: sock
    if sys.argv[1:2] == ['--tls']:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(sys.argv[2], sys.argv[3])
        wrap = lambda sock: context.wrap_socket(sock, server_side=True)
    listener = socket.create_server(('127.0.0.1', 0), backlog=64)
    # What accepted sockets inherit: a client that uploads is to feel a slow reader.
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 32 << 10)
    threading.Thread(target=accept_all, args=(listener, wrap), daemon=True).start()
    print(listener.getsockname()[1], flush=True)
    sys.stdin.buffer.read()


if __name__ == '__main__':
    main()
