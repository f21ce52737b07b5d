#!/usr/bin/env python3
"""MCP servers by WebSocket, each a tests/mcp/server.py behind frames made by hand, because many are
wrong on purpose:  ws_server.py [--tls CERT KEY]

Prints its port; ends with its stdin.  What a path does is in the table near the end.  /closes?id=ID
(plain HTTP) waits for the end of the next connection with this query, and answers the code of the
client's close frame, 0 for none.  CONNECT makes it a proxy; /tunnels says how often."""

import base64
import collections
import hashlib
import json
import os
import queue
import socket
import ssl
import struct
import subprocess
import sys
import threading

SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'server.py')
SALT = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'
CONT, TEXT, BINARY, CLOSE, PING, PONG = 0, 1, 2, 8, 9, 10
closes = collections.defaultdict(queue.Queue)  # by query
tunnels = []
running = set()


class Gone(Exception):
    pass


class Socket:
    """The server's side of one WebSocket."""

    def __init__(self, sock, target, headers):
        self.sock, self.headers = sock, headers
        self.path, _, self.query = target.strip('/').partition('?')
        self.lock, self.pongs, self.code = threading.Lock(), [], 0

    def exactly(self, n):
        data = b''
        while len(data) < n:
            piece = self.sock.recv(n - len(data))
            if not piece:
                raise Gone
            data += piece
        return data

    def put(self, data):
        with self.lock:
            self.sock.sendall(data)

    def upgrade(self, accept=None, **more):
        key = self.headers['sec-websocket-key']
        assert len(base64.b64decode(key)) == 16
        accept = accept or base64.b64encode(hashlib.sha1((key + SALT).encode()).digest()).decode()
        fields = {'upgrade': 'WebSocket', 'CONNECTION': 'keep-alive, Upgrade',
                  'Sec-WebSocket-Accept': accept, 'Sec-WebSocket-Protocol': 'mcp', **more}
        lines = ['HTTP/1.1 101 Go on'] + ['%s: %s' % f for f in fields.items() if f[1]]
        self.put(('\r\n'.join(lines) + '\r\n\r\n').encode())

    def reply(self, status, body='', *lines):
        head = ['HTTP/1.1 %d Because' % status, 'Content-Length: %d' % len(body), *lines]
        self.put(('\r\n'.join(head) + '\r\n\r\n' + body).encode())

    def frame(self, opcode, data=b'', fin=True, length=None, mask=False, rsv=0):
        n = len(data) if length is None else length
        short = n if n < 126 else 126 if n < 1 << 16 else 127
        head = bytes([fin << 7 | rsv << 4 | opcode, mask << 7 | short])
        head += {126: struct.pack('>H', n & 0xffff), 127: struct.pack('>Q', n)}.get(short, b'')
        self.put(head + (b'\0\0\0\0' if mask else b'') + data)

    def close(self, code, reason=b''):
        self.frame(CLOSE, struct.pack('>H', code) + reason)

    def read(self):
        """The next frame; control frames are taken care of."""
        while True:
            first, second = self.exactly(2)
            n = second & 127
            if n > 125:
                n = int.from_bytes(self.exactly(2 if n == 126 else 8), 'big')
            assert second & 128, 'a frame that is not masked'
            mask, data = self.exactly(4), self.exactly(n)
            whole = int.from_bytes(data, 'big') ^ int.from_bytes((mask * (n // 4 + 1))[:n], 'big')
            data, opcode = whole.to_bytes(n, 'big'), first & 15
            if opcode == CLOSE:
                self.code = struct.unpack('>H', data[:2])[0] if n else 1005
                raise Gone
            if opcode == PING:
                self.frame(PONG, data)
            elif opcode == PONG:
                self.pongs.append(data)
            else:
                assert first == 128 | TEXT
                return data

    def until_gone(self):
        while True:
            self.read()


def text_out(ws, line):
    ws.frame(TEXT, line)


def fragments_out(ws, line):
    """Pieces that cut characters, with pings between them and some that are empty."""
    for i in range(0, min(len(line), 700), 7):
        ws.frame(TEXT if i == 0 else CONT, line[i:i + 7], fin=False)
        ws.frame(PING, b'p%d' % i)
        ws.frame(CONT, fin=False)
    ws.frame(CONT, line[700:])


def binary_out(ws, line):
    ws.frame(BINARY, b'\0\1\2')
    ws.frame(TEXT, line)


def masked_out(ws, line):
    ws.frame(TEXT, line, mask=True)


def utf8_out(ws, line):
    ws.frame(TEXT, b'{"text":"\xff\xfe"}')


def huge_out(ws, line):
    ws.frame(TEXT, b'{', length=1 << 40)


def sum_out(ws, line):
    ws.frame(TEXT, b'{', fin=False)
    ws.frame(CONT, b' ' * (20 << 20), fin=False)
    ws.frame(CONT, b' ' * (20 << 20))


def garbage_out(ws, line):
    ws.frame(7, line, rsv=5)


def control_out(ws, line):
    ws.frame(PING, b'x' * 126)


def half_out(ws, line):
    ws.frame(TEXT, line[:10], length=len(line))
    ws.sock.shutdown(socket.SHUT_RDWR)


def bye_out(ws, line):
    ws.close(1001, 'gone \x1b[31mfishing'.encode())


def badclose_out(ws, line):
    ws.close(1005)


def pings_out(ws, line):
    """The answer comes once every ping has had its own."""
    for i in range(50):
        ws.frame(PING, b'%d' % i)
    threading.Thread(target=wait_pongs, args=(ws, line), daemon=True).start()


def wait_pongs(ws, line):
    while ws.pongs[-50:] != [b'%d' % i for i in range(50)]:
        threading.Event().wait(0.005)
    ws.frame(TEXT, line)


def serve(ws, out=text_out, only_calls=False):
    """out: how a line goes out; only_calls: only answers to tools/call go out like that."""
    child = subprocess.Popen([sys.executable, SCRIPT], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    running.add(child)
    calls = set()

    def read():
        try:
            for line in child.stdout:
                odd = not only_calls or any(b'"id": %d,' % id in line for id in calls)
                (out if odd else text_out)(ws, line.rstrip(b'\n'))
        except OSError:
            pass
        try:
            ws.close(1011, b'it has died')
        except OSError:
            pass

    threading.Thread(target=read, daemon=True).start()
    try:
        while True:
            data = ws.read()
            m = json.loads(data)
            if m.get('method') == 'tools/call':
                calls.add(m['id'])
            child.stdin.write(data + b'\n')
            child.stdin.flush()
    except BrokenPipeError:
        ws.until_gone()
    finally:
        running.discard(child)
        child.kill()
        child.wait()


def good(ws):
    ws.upgrade()
    serve(ws)


def plain(ws):
    ws.upgrade(**{'Sec-WebSocket-Protocol': None})
    serve(ws)


def auth(ws):
    if ws.headers.get('authorization') != 'Bearer T':
        return ws.reply(401, 'who are you?')
    assert ws.headers['sec-websocket-protocol'] == 'mcp' and ws.headers['upgrade'] == 'websocket'
    return good(ws)


def silent(ws):
    ws.until_gone()


def endless(ws):
    while True:
        ws.put(b'HTTP/1.1 101 x\r\n' + b'X-Field: ' + b'y' * 50000)


def deaf(ws):
    """Reads nothing more, and asks for answers as fast as it can."""
    ws.upgrade()
    while True:
        ws.frame(PING, b'z' * 125)


def with_frames(ws):
    """The first frames come together with the head."""
    accept = base64.b64encode(hashlib.sha1((ws.headers['sec-websocket-key'] + SALT).encode()).digest())
    note = json.dumps({'jsonrpc': '2.0', 'method': 'notifications/message',
                       'params': {'level': 'info', 'data': 'early'}}).encode()
    ws.put(b'HTTP/1.1 101\r\nUpgrade: websocket\r\nConnection: upgrade\r\nSec-WebSocket-Accept: ' +
           accept + b'\r\n\r\n' + bytes([128 | TEXT, len(note)]) + note)
    serve(ws)


def answers(status, *lines):
    return lambda ws: ws.reply(status, 'x', *lines)


def upgrades(**fields):
    def fn(ws):
        ws.upgrade(**{name.replace('_', '-'): value for name, value in fields.items()})
        ws.until_gone()
    return fn


def calls(out):
    def fn(ws):
        ws.upgrade()
        serve(ws, out, True)
    return fn


def always(out):
    def fn(ws):
        ws.upgrade()
        serve(ws, out)
    return fn


PATHS = {
    'mcp': good, 'plain': plain, 'auth': auth, 'silent': silent, 'endless': endless, 'deaf': deaf,
    'early': with_frames, 'fragments': always(fragments_out), 'binary': always(binary_out),
    'pings': calls(pings_out), 'masked': calls(masked_out), 'utf8': calls(utf8_out),
    'huge': calls(huge_out), 'sum': calls(sum_out), 'garbage': calls(garbage_out),
    'control': calls(control_out), 'half': calls(half_out), 'bye': calls(bye_out),
    'badclose': calls(badclose_out), 'shut': lambda ws: None, 'http': answers(200), '404': answers(404),
    'redirect': answers(301, 'Location: /mcp'), 'accept': upgrades(accept='AAAAAAAAAAAAAAAAAAAAAAAAAAA='),
    'protocol': upgrades(Sec_WebSocket_Protocol='chat'), 'upgrade': upgrades(upgrade='h2c'),
    'extension': upgrades(Sec_WebSocket_Extensions='permessage-deflate'),
    'noise': lambda ws: ws.put(b'\x15\x03\x01\x00\x02\x02\x46' * 100),
    'closes': lambda ws: ws.reply(200, str(closes[ws.query].get(timeout=60))),
    'tunnels': lambda ws: ws.reply(200, str(len(tunnels))),
}


def read_head(sock):
    head = b''
    while not head.endswith(b'\r\n\r\n'):
        piece = sock.recv(1)
        if not piece:
            raise Gone
        head += piece
    first, *rest = head.decode('latin-1').strip().split('\r\n')
    fields = (line.partition(':') for line in rest)
    return first.split(' '), {name.lower(): value.strip() for name, _, value in fields}


def pump(a, b):
    try:
        while (data := a.recv(65536)):
            b.sendall(data)
        b.shutdown(socket.SHUT_WR)
    except OSError:
        pass


def tunnel(sock, address):
    host, _, port = address.rpartition(':')
    other = socket.create_connection((host, int(port)))
    sock.sendall(b'HTTP/1.1 200 Connected\r\n\r\n')
    tunnels.append(address)
    back = threading.Thread(target=pump, args=(other, sock), daemon=True)
    back.start()
    pump(sock, other)
    back.join()
    other.close()


def handle(sock):
    ws = None
    try:
        (method, target, _), headers = read_head(sock)
        if method == 'CONNECT':
            tunnel(sock, target)
            return
        ws = Socket(sock, target, headers)
        PATHS[ws.path](ws)
    except (Gone, OSError):
        pass
    finally:
        if ws and ws.path != 'closes':
            closes[ws.query].put(ws.code)
        sock.close()


def take(sock, context):
    try:
        sock = context.wrap_socket(sock, server_side=True) if context else sock
    except OSError:
        return
    handle(sock)


def main():
    context = None
    if '--tls' in sys.argv:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(*sys.argv[2:4])
    server = socket.create_server(('127.0.0.1', 0))
    print(server.getsockname()[1], flush=True)

    def accept():
        while True:
            sock, _ = server.accept()
            threading.Thread(target=take, args=(sock, context), daemon=True).start()

    threading.Thread(target=accept, daemon=True).start()
    sys.stdin.read()
    for child in list(running):
        child.kill()


if __name__ == '__main__':
    main()
