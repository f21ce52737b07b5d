"""What the Python tests of the agent share: a sandbox to run it in, a model server that misbehaves,
and TAP.  The programs are test_agent_*.py."""

import contextlib
import glob
import json
import os
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid

TROTLINE = os.path.abspath(os.environ.get('TROTLINE', 'build/trotline'))
# Deadlines are for what never ends.  Nothing here is about speed: a busy machine may be 20 times
# slower than an idle one, and sanitizers make everything slower again.
PATIENCE = 15 if os.path.basename(os.path.dirname(TROTLINE)).find('san') >= 0 else 8
RUN_S = 20 * PATIENCE


# What explains a denial is named in the last line of its reason (C8.10); the id is another each time.
WHY_LINE = re.compile(r'(?:\n|\\n)Why: trotline hooks why ([0-9a-f]{10})')


class Failed(Exception):
    pass


def check(good, what, *facts):
    if not good:
        raise Failed('\n'.join([str(what)] + ['%s' % (f,) for f in facts]))


def wait_until(condition, seconds, what):
    """The value of condition() as soon as it is true; asks again and again until the deadline."""
    until = time.monotonic() + seconds * PATIENCE
    while True:
        late = time.monotonic() > until  # before it is asked: we may sleep at any place
        value = condition()
        if value:
            return value
        if late:
            raise Failed('waited %g s for %s' % (seconds * PATIENCE, what))
        time.sleep(0.002)


class Tap:
    def __init__(self):
        self.n, self.failed, self.lock = 0, 0, threading.Lock()

    def point(self, name, why=None, skip=None):
        with self.lock:
            self.n += 1
            self.failed += why is not None
            print('%sok %d - %s%s' % ('not ' if why is not None else '', self.n,
                                      name.replace('#', '(hash)'), ' # SKIP ' + skip if skip else ''))
            if why is not None:
                print('# ' + str(why).rstrip().replace('\n', '\n# '))
            sys.stdout.flush()

    @contextlib.contextmanager
    def case(self, name):
        """A point that fails with the first check() in it that does."""
        try:
            yield
            self.point(name)
        except Failed as e:
            self.point(name, e)

    def done(self):
        print('1..%d' % self.n)
        sys.exit(self.failed > 0)


class Result:
    def __init__(self, status, out, err, ms):
        self.status, self.out, self.err, self.ms = status, out, err, ms

    def __str__(self):
        return 'exit %s after %.0f ms, stdout:\n%s\nstderr:\n%s' % (
            self.status, self.ms, self.out[-3000:], self.err[-3000:])


class Box:
    """A project, a home and a directory for temporary files; gone at the end of `with`.

    Every process that is started here inherits a marker, by which left() finds what still runs."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix='agentbox-')
        self.project, self.home, self.tmp = (os.path.join(self.root, d)
                                             for d in ('project', 'home', 'tmp'))
        for d in (self.project, self.home, self.tmp):
            os.mkdir(d)
        self.log = os.path.join(self.root, 'log')
        self.mark = 'AGENTBOX_MARK=' + uuid.uuid4().hex
        keep = ('PATH', 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS', 'LSAN_OPTIONS')
        self.env = {k: os.environ[k] for k in keep if k in os.environ}
        name, _, value = self.mark.partition('=')
        self.env.update({name: value, 'HOME': self.home, 'TMPDIR': self.tmp, 'LANG': 'C.UTF-8',
                         'LOG': self.log, 'GEMINI_CLI_TRUST_WORKSPACE': 'true',
                         'TROTLINE_RETRY_UNIT_MS': '1', 'TROTLINE_END_WAIT_MS': '600000'})
        for name in ('GEMINI_CLI_SYSTEM_SETTINGS_PATH', 'GEMINI_CLI_SYSTEM_DEFAULTS_PATH',
                     'TROTLINE_SYSTEM_SETTINGS_PATH'):
            self.env[name] = os.path.join(self.root, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for pid in self.left():  # a test that failed; ours by their marker
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, 9)
        shutil.rmtree(self.root, ignore_errors=True)

    def write(self, name, text):
        path = os.path.join(self.root, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, 'w', encoding='utf-8') as f:
            f.write(text)
        return path

    def settings(self, **members):
        self.write('home/.gemini/settings.json', json.dumps(members))

    def hooks(self, commands, **members):
        """Event to shell command."""
        self.settings(hooks={event: [{'hooks': [{'type': 'command', 'command': command}]}]
                             for event, command in commands.items()}, **members)

    def answers(self, *answers):
        """A recording; an answer is a list of chunks."""
        return self.write('model.jsonl', ''.join(
            json.dumps({'method': 'generateContentStream', 'response': a}) + '\n' for a in answers))

    def start(self, args, before=(), **popen):
        popen.setdefault('stdin', subprocess.DEVNULL)
        return subprocess.Popen([*before, TROTLINE, *args], cwd=self.project, env=self.env,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, **popen)

    def finish(self, p, since, seconds=RUN_S):
        try:
            out, err = p.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            p.kill()
            out, err = p.communicate()
            raise Failed('no end within %g s\n%s' % (seconds, err.decode(errors='replace'))) from None
        return Result(p.returncode, out.decode(errors='replace'), err.decode(errors='replace'),
                      (time.monotonic() - since) * 1000)

    def run(self, *args, **how):
        since = time.monotonic()
        return self.finish(self.start(args, **how), since)

    # ---- what is to hold after every run ----

    def events(self):
        """The lines of the hooks' log."""
        try:
            with open(self.log, encoding='utf-8') as f:
                return f.read().split()
        except FileNotFoundError:
            return []

    def left(self):
        """The processes of ours, but for the watchdog of a session, which ends with it."""
        found = []
        for path in glob.glob('/proc/[0-9]*'):
            with contextlib.suppress(OSError):
                with open(path + '/environ', 'rb') as f, open(path + '/cmdline', 'rb') as words:
                    if self.mark.encode() in f.read().split(b'\0') and \
                            b'--watch-hooks' not in words.read().split(b'\0'):
                        found.append(int(path.split('/')[2]))
        return found

    def runs(self, command):
        """Whether a process of ours is this command, its words joined by spaces."""
        for pid in self.left():
            with contextlib.suppress(OSError):
                with open('/proc/%d/cmdline' % pid, 'rb') as f:
                    if f.read().rstrip(b'\0').replace(b'\0', b' ') == command.encode():
                        return True
        return False

    def describe(self, pids):
        lines = []
        for pid in pids:
            with contextlib.suppress(OSError):
                with open('/proc/%d/cmdline' % pid, 'rb') as f:
                    lines.append('%d %s' % (pid, f.read().replace(b'\0', b' ').decode(errors='replace')))
        return '\n'.join(lines)

    def check_nobody_left(self):
        with contextlib.suppress(Failed):
            wait_until(lambda: not self.left(), 2, 'processes to end')
        pids = self.left()
        check(not pids, 'processes are left:', self.describe(pids))

    def transcripts(self):
        return glob.glob(os.path.join(self.home, '.gemini/tmp/*/chats/*.jsonl'))

    def check_transcripts(self):
        """Every line is whole."""
        for path in self.transcripts():
            with open(path, encoding='utf-8') as f:
                text = f.read()
            check(text.endswith('\n'), 'the last line of the transcript is torn:', text[-300:])
            for line in text.splitlines():
                check(isinstance(json.loads(line), dict), 'no object in the transcript:', line[:300])

    def check_temp(self):
        # ThreadSanitizer has a file of its own there while a program starts.
        left = [n for n in os.listdir(self.tmp) if not n.startswith('tsan.')]
        check(not left, 'temporary files are left:', left)
        for folder, _, names in os.walk(self.project):
            odd = [n for n in names if '.tmp' in n or n.startswith('.trotline')]
            check(not odd, 'temporary files are left in the project:', folder, odd)

    def check_end(self, starts=1):
        """SessionEnd exactly once for each session, nothing left of it."""
        with contextlib.suppress(Failed):
            wait_until(lambda: self.events().count('SessionEnd') >= starts, 3, 'SessionEnd')
        n = self.events().count('SessionEnd')
        check(n == starts, 'SessionEnd fired %d times, not %d' % (n, starts), self.events())
        self.check_nobody_left()
        self.check_transcripts()
        self.check_temp()


# ---- answers of a model ----

def chunk(*parts, finish=None):
    candidate = {'content': {'role': 'model', 'parts': list(parts)}, 'index': 0}
    if finish:
        candidate['finishReason'] = finish
    return {'candidates': [candidate]}


def say(text, finish='STOP'):
    return chunk({'text': text}, finish=finish)


def call(name, args, finish='STOP'):
    return chunk({'functionCall': {'name': name, 'args': args}}, finish=finish)


def sse(*chunks):
    return b''.join(b'data: ' + json.dumps(c).encode() + b'\r\n\r\n' for c in chunks)


# ---- a server ----

class Connection:
    """What a reply has to do with.  Its methods end the test's reply, not the connection."""

    def __init__(self, server, sock, number):
        self.server, self.sock, self.number = server, sock, number
        self.reader = sock.makefile('rb')
        self.open = True

    def send(self, data):
        with contextlib.suppress(OSError):
            self.sock.sendall(data if isinstance(data, bytes) else data.encode())

    def close(self, reset=False):
        if reset:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b'\1\0\0\0\0\0\0\0')
        self.open = False

    def wait_for_close(self):
        """Until the client has gone."""
        self.sock.settimeout(RUN_S)
        with contextlib.suppress(OSError):
            self.sock.recv(1)
        self.open = False

    def head(self, status=200, *headers):
        self.send('HTTP/1.1 %d X\r\n%s\r\n' % (status, ''.join(h + '\r\n' for h in headers)))

    def reply(self, status, body, *headers):
        body = body if isinstance(body, bytes) else body.encode()
        self.head(status, 'Content-Length: %d' % len(body), *headers)
        self.send(body)

    def error(self, status, message, name='INVALID_ARGUMENT', *headers):
        self.reply(status, json.dumps({'error': {'code': status, 'message': message, 'status': name}}),
                   'Content-Type: application/json; charset=UTF-8', *headers)

    def stream(self, *pieces):
        """An answer in pieces of HTTP's own, each sent at once; end() says that it is whole."""
        self.head(200, 'Content-Type: text/event-stream', 'Transfer-Encoding: chunked')
        self.more(*pieces)

    def more(self, *pieces):
        for p in pieces:
            self.send(b'%x\r\n%s\r\n' % (len(p), p))

    def end(self):
        self.send(b'0\r\n\r\n')

    def answer(self, *chunks):
        self.stream(sse(*chunks))
        self.end()


class Request:
    def __init__(self, connection, path, headers, body):
        self.connection, self.path, self.headers, self.body = connection, path, headers, body

    @property
    def json(self):
        return json.loads(self.body)


class Server:
    """Answers the n-th request with the n-th reply: a function that gets the Connection.  After the
    last one it refuses with a status that ends a run."""

    def __init__(self, *replies):
        self.replies, self.requests, self.connections = list(replies), [], 0
        self.lock, self.closing = threading.Lock(), False
        self.sock = socket.create_server(('127.0.0.1', 0))
        self.port = self.sock.getsockname()[1]
        self.url = 'http://127.0.0.1:%d' % self.port
        threading.Thread(target=self.accept, daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.sock.shutdown(socket.SHUT_RDWR)  # wakes accept(), which would go on else
        self.sock.close()

    def accept(self):
        while True:
            try:
                sock, _ = self.sock.accept()
            except OSError:
                return
            self.connections += 1
            threading.Thread(target=self.serve, args=(sock, self.connections), daemon=True).start()

    def serve(self, sock, number):
        connection = Connection(self, sock, number)
        with contextlib.suppress(OSError), contextlib.closing(sock):
            while connection.open and self.serve_one(connection):
                pass

    def serve_one(self, connection):
        line = connection.reader.readline().decode('latin-1')
        if not line:
            return False
        headers = {}
        while (header := connection.reader.readline().decode('latin-1').strip()):
            name, _, value = header.partition(':')
            headers[name.lower()] = value.strip()
        body = connection.reader.read(int(headers.get('content-length', 0)))
        with self.lock:
            self.requests.append(Request(connection.number, line.split()[1], headers, body))
            reply = self.replies.pop(0) if self.replies else lambda c: c.error(418, 'no reply left')
        reply(connection)
        return True
