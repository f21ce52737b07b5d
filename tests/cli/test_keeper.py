#!/usr/bin/env python3
"""The keeper (C6.14): warm hooks wait from call to call of other agents, and whatever becomes of it
changes no answer."""

import contextlib
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import threading
import time

from agentbox import TROTLINE, Box, Tap, check, wait_until

tap = Tap()
point = tap.case
HOOK = os.path.join(os.path.dirname(TROTLINE), 'trotline-hook')
# Notes that it has started, reads, and refuses a command that begins with "rm ".
GUARD = """#!/bin/sh
echo $$ >>"$LOG.started"
input=$(cat)
[ -n "$input" ] || echo $$ >>"$LOG.empty"
case $input in *'"rm '*) echo no >&2; exit 2 ;; esac
"""


# Lends a process that allows everything.  Arguments: the socket, and for one that hides behind the
# real program, which has listened and does not answer, its path and a home.
IMPOSTOR = """
import array, os, socket, struct, subprocess, sys
s = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
s.bind(sys.argv[1])
s.listen(8)
s.set_inheritable(True)
if len(sys.argv) > 2 and os.fork():
    os.execv(sys.argv[2], [sys.argv[2], '--keep-hooks', sys.argv[3]])
print('listens', flush=True)
while True:
    c, _ = s.accept()
    try:
        if not c.recv(4096):
            continue
        (i, o), (a, b), (d, e), (f, g) = [os.pipe() for _ in range(4)]
        p = subprocess.Popen(['sh', '-c', 'cat >&2'], stdin=i, stdout=b, stderr=subprocess.DEVNULL, start_new_session=True)
        fds = array.array('i', [o, i, a, d, f])
        c.sendmsg([struct.pack('=32si', b'trotline keeper 1', p.pid)],
                  [(socket.SOL_SOCKET, socket.SCM_RIGHTS, fds)])
        os.close(o), os.close(b), os.close(e), os.close(g)
        p.wait()
        c.send(struct.pack('=ii', 0, 0))
    except OSError:
        pass
"""


class Keep(Box):
    def __init__(self, resident=True, guard=GUARD, **more):
        super().__init__()
        self.guard = self.write('guard.sh', guard)
        os.chmod(self.guard, 0o755)
        self.hook = {'type': 'command', 'name': 'g', 'command': self.guard, 'guard': True, 'warm': 1}
        self.hook.update(more)
        self.configure('home/.trotline/settings.json', resident)

    def configure(self, file, resident):
        self.write(file, json.dumps({
            **({'hooksConfig': {'resident': resident}} if resident is not None else {}),
            'hooks': {'BeforeTool': [{'hooks': [self.hook]}]}}))

    def call(self, command='ls', program=(HOOK,), env=(), wait=True):
        payload = {'session_id': 's', 'hook_event_name': 'PreToolUse', 'cwd': self.project,
                   'tool_name': 'Bash', 'tool_input': {'command': command}}
        p = subprocess.Popen([*program, 'claude'], cwd=self.project, env={**self.env, **dict(env)},
                             stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        if not wait:
            return p, json.dumps(payload).encode()
        out, err = p.communicate(json.dumps(payload).encode(), timeout=120)
        check((p.returncode == 2) == ('rm' in command), 'the verdict', command, p.returncode, out, err)
        return p.returncode

    def keepers(self):
        return [p for p in self.left() if '--keep-hooks' in command_of(p)]

    def waiting(self):
        """Processes of the hook that have started and not ended."""
        return [p for p in self.left() if 'guard.sh' in command_of(p)]

    def was_warm(self):
        with open(os.path.join(self.home, '.trotline/records.jsonl'), encoding='utf-8') as f:
            return [json.loads(line)['hooks'][0].get('warm', False) for line in f]

    def until_warm(self):
        self.call()
        wait_until(self.keepers, 5, 'the keeper')
        wait_until(self.ready, 5, 'its socket')
        self.call()
        wait_until(self.waiting, 5, 'a process that waits')

    def ready(self):
        return os.path.exists(os.path.join(self.home, '.trotline/run/keeper'))


def command_of(pid):
    with contextlib.suppress(OSError), open('/proc/%d/cmdline' % pid, encoding='utf-8') as f:
        return f.read().replace('\0', ' ')
    return ''


with point('C6.14: after the first calls a process waits for each call'), Keep() as box:
    box.until_warm()
    for i in range(20):
        box.call(random.choice(['ls', 'rm x']))
        wait_until(box.waiting, 5, 'the next process')
    check(box.was_warm()[-20:] == [True] * 20, 'not all were warm', box.was_warm())
    check(len(box.keepers()) == 1, 'one keeper', box.keepers())
    mode = [oct(os.stat(os.path.join(box.home, '.trotline/run', f)).st_mode & 0o777)
            for f in ('', 'keeper', 'keeper.lock')]
    check(mode == ['0o700', '0o600', '0o600'], 'modes', mode)
    check(not os.path.exists(box.log + '.empty'), 'a process saw the end of an input that never came')

with point('C6.14: trotline hook and trotline-hook ask the same keeper'), Keep() as box:
    box.until_warm()
    box.call('rm x', [TROTLINE, 'hook'])
    check(box.was_warm()[-1], 'not warm', box.was_warm())

with point('C6.14: without "resident" there is none'), Keep(resident=False) as box:
    for _ in range(3):
        box.call()
    check(not box.left() and not any(box.was_warm()), 'something is left', box.left())

with point('C6.14: a project does not switch it on'), Keep(resident=None) as box:
    box.configure('project/.trotline/settings.json', True)
    for _ in range(3):
        box.call()
    check(not box.left(), 'something is left', box.left())

with point('C6.14: many calls at once, each with its own answer'), Keep(warm=4) as box:
    box.until_warm()
    calls = [(c, *box.call(c, wait=False)) for c in ['ls', 'rm x'] * 10]
    for p, payload in [c[1:] for c in calls]:
        threading.Thread(target=lambda p=p, b=payload: (p.stdin.write(b), p.stdin.close())).start()
    for c, p, _ in calls:
        check(p.wait(120) == (2 if 'rm' in c else 0), 'verdict', c, p.returncode)
        p.stdout.close()
        p.stderr.close()

with point('C6.14: it is killed at any moment, and no denial is lost'), Keep() as box:
    rng = random.Random(7)
    for _ in range(25):
        killer = threading.Timer(rng.uniform(0, 0.03), lambda: [
            os.kill(p, signal.SIGKILL) for p in box.keepers()])
        killer.start()
        with contextlib.suppress(ProcessLookupError):
            box.call('rm x')
        killer.join()

with point('C6.14: it hangs, and the call does not'), Keep() as box:
    box.until_warm()
    for pid in box.keepers():
        os.kill(pid, signal.SIGSTOP)
    for command in ('ls', 'rm x', 'ls'):
        box.call(command)
    check(box.was_warm()[-3:] == [False] * 3, 'answered by whom?', box.was_warm())

with point('C6.14: asked to end, it takes what waits with it'), Keep() as box:
    box.until_warm()
    for pid in box.keepers():
        os.kill(pid, signal.SIGTERM)
    wait_until(lambda: not box.left(), 5, 'the end of all')
    check(not os.path.exists(box.log + '.empty'), 'a hook saw the end of its input')
    box.call('rm x')

with point('C6.14: an update replaces it'), Keep() as box:
    copy = os.path.join(box.root, 'trotline-hook')
    shutil.copy(HOOK, copy)
    box.call(program=[copy])
    wait_until(box.ready, 5, 'the keeper')
    old = box.keepers()
    shutil.copy(HOOK, copy + '.new')
    os.rename(copy + '.new', copy)
    box.call('rm x', [copy])
    wait_until(lambda: not set(box.keepers()) & set(old), 5, 'its end')
    box.call('rm x', [copy])
    wait_until(box.keepers, 5, 'another one')

with point('C6.14: a changed guard is what decides, at once'), Keep() as box:
    box.until_warm()
    box.write('guard.sh', GUARD.replace('*)', '*|*\'"cp \'*)', 1))
    os.chmod(box.guard, 0o755)
    p, payload = box.call('cp a b', wait=False)
    p.communicate(payload)
    check(p.returncode == 2, 'the old guard answered', p.returncode)

with point('C6.14: another environment is another process'), Keep() as box:
    box.until_warm()
    box.call(env={'OTHER': '1'}.items())
    check(not box.was_warm()[-1], 'it was shared', box.was_warm())

with point('C6.9, C6.14: another directory of the same name is another process'), \
        Keep(guard=GUARD + '[ ! -e locked ] || exit 2\n') as box:
    box.until_warm()
    os.rename(box.project, box.project + '.old')
    box.write('project/locked', '')
    p, payload = box.call(wait=False)
    p.communicate(payload)
    check(p.returncode == 2, 'who was started in the other one answered', p.returncode)

def elsewhere(box, there):
    """Processes that are started here serve nothing there, and the other way round."""
    for first, then in (([HOOK], [*there, HOOK]), ([*there, HOOK], [HOOK])):
        box.call(program=first)
        wait_until(box.keepers, 5, 'the keeper')
        wait_until(box.ready, 5, 'its socket')
        box.call(program=first)
        wait_until(box.waiting, 5, 'a process that waits')
        for _ in range(3):
            box.call('rm x', program=then)
            check(not box.was_warm()[-1], 'it was shared', first, then, box.was_warm())
        for pid in box.keepers():
            os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not box.keepers() and not box.waiting(), 5, 'its end')


for name, change in (('other limits', 'ulimit -n 200'), ('another umask', 'umask 7')):
    with point('C6.14: what was started with %s is another process' % name), Keep() as box:
        elsewhere(box, ['sh', '-c', change + '; exec "$@"', 'sh'])

for flag, name in (('-m', 'mounts'), ('-n', 'networks')):
    words = ['unshare', '-r', flag, 'sh', '-c', 'echo there; exec sleep 1000']
    if not shutil.which('unshare') or not shutil.which('nsenter') or \
            subprocess.call([*words[:3], 'true'], stderr=subprocess.DEVNULL):
        continue
    with point('C6.14: what was started in a namespace of %s is another process' % name), Keep() as box, \
            subprocess.Popen(words, stdout=subprocess.PIPE) as there:
        try:
            there.stdout.readline()
            elsewhere(box, ['nsenter', '-t', str(there.pid), '-U', flag, '--preserve-credentials'])
        finally:
            there.kill()

with point('C6.14: a directory that others can write is not trusted'), Keep() as box:
    os.makedirs(os.path.join(box.home, '.trotline/run'))
    os.chmod(os.path.join(box.home, '.trotline/run'), 0o777)
    for _ in range(3):
        box.call('rm x')
    check(not any(box.was_warm()), 'it was asked', box.was_warm())

for who, hides in (('another program', False), ('a child of what listened', True)):
    with point('C6.14: %s is no keeper, and is given no payload' % who), Keep() as box:
        run = os.path.join(box.home, '.trotline/run')
        other = os.path.join(box.root, 'other')
        os.makedirs(run, mode=0o700)
        os.makedirs(other)
        with subprocess.Popen([sys.executable, '-I', '-c', IMPOSTOR, os.path.join(run, 'keeper'),
                               *([HOOK, other] if hides else [])], stdout=subprocess.PIPE,
                              env=box.env) as impostor:
            try:
                impostor.stdout.readline()
                if hides:
                    wait_until(lambda: 'keep-hooks' in command_of(impostor.pid), 5, 'its disguise')
                for _ in range(3):
                    box.call('rm x')
                check(not any(box.was_warm()), 'it was believed', box.was_warm())
            finally:
                for pid in box.left():
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, signal.SIGKILL)

with point('C6.14: a hook that is killed at its deadline is gone, and a guard denies'), \
        Keep(guard=GUARD + 'sleep 1000\n', timeout=500) as box:
    box.hook['timeout'] = 500
    for _ in range(4):
        p, payload = box.call('ls', wait=False)
        p.communicate(payload)
        check(p.returncode == 2, 'verdict', p.returncode)
        time.sleep(0)
    check(len(box.waiting()) <= 2, 'they pile up', box.waiting())

with point('C6.14: "warmSeconds" ends what nothing asks for'), Keep(warmSeconds=1) as box:
    box.call()
    wait_until(box.keepers, 5, 'the keeper')
    wait_until(box.ready, 5, 'its socket')
    box.call()
    wait_until(lambda: not box.waiting(), 5, 'its end')
    check(not os.path.exists(box.log + '.empty'), 'a hook saw the end of its input')

ANNOUNCES = """#!/usr/bin/python3
import atexit, os, sys
def note(what):
    with open(os.environ['LOG'] + '.' + what, 'a') as f:
        f.write('%d\\n' % os.getpid())
note('started')
if '"rm ' in sys.stdin.read():
    print('no', file=sys.stderr)
    sys.exit(2)
"""
# What it announces by itself, and what it does when it was let go.
GOES_ON = ANNOUNCES + """try:
    os.write(4, b'exit 0' + chr(10).encode())
except OSError:
    sys.exit()  # nothing waits for it
os.read(4, 1)
"""

if os.path.exists('/usr/bin/python3'):
    with point('C6.14: a hook that announces its end answers as any other'), Keep(guard=ANNOUNCES) as box:
        box.until_warm()
        for i in range(10):
            before = set(box.waiting())  # one of them answers, and may be there for a while
            box.call(random.choice(['ls', 'rm x']))
            wait_until(lambda before=before: set(box.waiting()) - before, 5, 'the next process')
        check(box.was_warm()[-10:] == [True] * 10, 'not all were warm', box.was_warm())

    with point('C6.14: what has announced its end goes on without its borrower'), \
            Keep(guard=GOES_ON + "import time\ntime.sleep(0.3)\nnote('went')\n") as box:
        box.until_warm()
        box.call()
        wait_until(lambda: os.path.exists(box.log + '.went'), 5, 'the rest of it')
        wait_until(lambda: len(box.waiting()) == 1, 5, 'the next process alone')

    with point('C6.14: what has announced its end is ended at its deadline'), \
            Keep(guard=GOES_ON + 'import time\ntime.sleep(1000)\n', timeout=1500) as box:
        box.until_warm()
        box.call()
        check(box.was_warm()[-1], 'not warm')
        wait_until(lambda: len(box.waiting()) == 1, 8, 'the next process alone')

    with point('C6.14: its end comes when the keeper is killed, too'), \
            Keep(guard=GOES_ON + "import time\ntime.sleep(0.3)\nnote('went')\n") as box:
        box.until_warm()
        box.call()
        for pid in box.keepers():
            os.kill(pid, signal.SIGKILL)
        wait_until(lambda: os.path.exists(box.log + '.went'), 5, 'the rest of it')
        box.call('rm x')

SANDBOXED = """#!/bin/sh
cat "$SECRET" >>"$LOG.reached" 2>/dev/null
grep NoNewPrivs /proc/self/status >>"$LOG.started"
input=$(cat)
case $input in *'"rm '*) echo no >&2; exit 2 ;; esac
"""

with point('C6.12, C6.14: a process that waits waits in its sandbox'), \
        Keep(guard=SANDBOXED, sandbox={'write': ['$LOGS']}) as box:
    logs = os.path.join(box.root, 'logs')
    os.mkdir(logs)
    box.env.update(LOGS=logs, LOG=os.path.join(logs, 'log'), SECRET=box.write('secret', 'top secret'))
    box.until_warm()
    box.call('rm x')
    check(box.was_warm()[-1], 'not warm', box.was_warm())
    with open(box.log.replace(box.root, logs) + '.started', encoding='utf-8') as f:
        check(set(f.read().split()) == {'NoNewPrivs:', '1'}, 'without a sandbox')
    check(os.path.getsize(box.env['LOG'] + '.reached') == 0, 'it read the secret')

tap.done()
