#!/usr/bin/env python3
"""Class 10 of what can go wrong around a hook: a host that is killed, limits of the system, a full
disk, closed standard streams.  Prints TAP.

Whatever is missing, a guard's denial holds: its call has no effect, `hooks run` never ends with 0, and
nothing stalls.  A hook outlives a killed host by no more than its deadline and the grace time."""

import concurrent.futures
import itertools
import os
import resource
import shutil
import subprocess
import tempfile
import time

from agentbox import PATIENCE, TROTLINE, Box, Failed, Tap, call, check, say, wait_until

GRACE_S = 2.0
TIMEOUT_S = 1.5
END_S = 10 * PATIENCE
MODEL = ['-m', 'gemini-2.5-flash', '--yolo']
CALL = call('run_shell_command', {'command': 'echo made >made'})


def settings(box, command, event='BeforeTool', **more):
    hook = {'type': 'command', 'name': 'h', 'command': command, **more}
    box.settings(hooks={event: [{'hooks': [hook]}]})


# ---- a host that is killed ----

KILLED = {
    'a program': ('exec sleep 60', {}),
    'a script and its child': ('sleep 60; true', {}),
    'what ignores SIGTERM': ("trap '' TERM; while :; do sleep 60; done", {}),
    'a persistent hook': ('read -r line; sleep 60; true', {'persistent': True}),
    'a persistent hook that waits': (
        """while read -r line; do echo '{"seq":1}'; done; sleep 60""", {'persistent': True}),
    'a warm hook': ('cat; sleep 60; true', {'warm': 2}),
}


def killed_host(script, more, agent):
    with Box() as box:
        settings(box, 'echo $$ >>"$LOG"; ' + script, timeout=int(TIMEOUT_S * 1000), **more)
        box.env['GEMINI_API_KEY'] = 'k'
        waits = 'while read' in script
        if waits:  # it has answered, and the tool runs
            box.answers([call('run_shell_command', {'command': 'echo tool >>"$LOG"; sleep 3'})])
        else:
            box.answers([CALL], [say('done')])
        args = ([*MODEL, '-p', 'hi', '--fake-responses', os.path.join(box.root, 'model.jsonl')]
                if agent or waits else ['hooks', 'run', '--skip-trust', 'BeforeTool'])
        p = box.start(args)
        wait_until(lambda: p.poll() is not None or ('tool' if waits else '') in ' '.join(box.events())
                   and box.events(), 10, 'the hook')
        check(p.poll() is None, 'it has ended before it was killed', box.events())
        since = time.monotonic()
        p.kill()
        p.wait()
        for stream in (p.stdout, p.stderr):
            stream.close()
        wait_until(lambda: not box.left(), TIMEOUT_S + GRACE_S + 4, 'the end of what it left')
        check(time.monotonic() - since < TIMEOUT_S + GRACE_S + 4 * PATIENCE, 'too late')


# ---- limits ----

USERS = itertools.count(50000 + os.getpid() % 10000)


def limit(which, n):
    return lambda user: resource.setrlimit(which, (n, n))


def processes(n):
    """Not root's, for whom there is no such limit."""
    def prepare(user):
        resource.setrlimit(resource.RLIMIT_NPROC, (n, n))
        os.setgid(user)
        os.setuid(user)
    return prepare


def closed(fds):
    def prepare(_):
        for fd in fds:
            os.close(fd)
    return prepare


ROWS = [('nothing', lambda user: None)]
ROWS += [('RLIMIT_FSIZE %d' % n, limit(resource.RLIMIT_FSIZE, n)) for n in (0, 1, 500, 5000)]
ROWS += [('RLIMIT_NOFILE %d' % n, limit(resource.RLIMIT_NOFILE, n)) for n in range(4, 40, 5)]
ROWS += [('RLIMIT_AS %d MiB' % n, limit(resource.RLIMIT_AS, n << 20)) for n in (8, 24, 96)]
if os.geteuid() == 0:
    ROWS += [('RLIMIT_NPROC %d' % n, processes(n)) for n in (1, 2, 4)]
ROWS += [('closed %s' % (fds,), closed(fds))
         for n in (1, 2, 3) for fds in itertools.combinations(range(3), n)]

GUARDS = {
    'exit 2': ('echo no >&2; exit 2', {}),
    'JSON': ("""echo '{"decision":"deny","reason":"no"}'""", {}),
    'warm': ('cat >/dev/null; echo no >&2; exit 2', {'warm': 2}),
    'much': ("""head -c 300000 /dev/zero | tr '\\0' ' '; echo '{"decision":"deny"}'; cat >/dev/null""", {}),
    'persistent': ("""while read -r l; do s=${l##*'"seq":'}; echo "{\\"seq\\":${s%%[,\\}]*},"""
                   """\\"decision\\":\\"deny\\"}"; done""", {'persistent': True}),
}


def give_to(box, user):
    for root, dirs, files in os.walk(box.root):
        for name in [root, *(os.path.join(root, f) for f in files)]:
            os.chown(name, user, user)


def denial_holds(program, prepare, command, more):
    user = next(USERS)
    with Box() as box:
        settings(box, command, guard=True, timeout=20000, **more)
        box.env['GEMINI_API_KEY'] = 'k'
        box.answers([CALL], [say('done')])
        if os.geteuid() == 0:
            give_to(box, user)
        for args in (['hooks', 'run', '--skip-trust', 'BeforeTool'],
                     [*MODEL, '-p', 'hi', '--fake-responses', os.path.join(box.root, 'model.jsonl')]):
            p = subprocess.Popen([program, *args], cwd=box.project, env=box.env,
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL, preexec_fn=lambda: prepare(user))
            try:
                p.wait(END_S)
            except subprocess.TimeoutExpired:
                p.kill()
                raise Failed('it stalls: %s' % args) from None
            check(not os.path.exists(os.path.join(box.project, 'made')), 'the call went through')
            check(args[0] != 'hooks' or p.returncode != 0, 'allowed')
        wait_until(lambda: not box.left(), 10, 'the end of all')


def full_disk(command, more):
    """The home is a file system of some pages, of which none is left."""
    with Box() as box:
        box.env['GEMINI_API_KEY'] = 'k'
        settings(box, command, guard=True, timeout=20000, **more)
        box.answers([CALL], [say('done')])
        shell = ('mount -t tmpfs -o size=64k none "$HOME" && mkdir "$HOME/.gemini" && '
                 'cat "$1" >"$HOME/.gemini/settings.json" && '
                 '{ cat /dev/zero >"$HOME/full"; mount --bind "$HOME" "$TMPDIR"; shift; "$@"; }')
        keep = box.write('settings', open(os.path.join(box.home, '.gemini/settings.json')).read())
        for args in (['hooks', 'run', '--skip-trust', 'BeforeTool'],
                     [*MODEL, '-p', 'hi', '--fake-responses', os.path.join(box.root, 'model.jsonl')]):
            p = subprocess.run(['unshare', '-m', 'sh', '-c', shell, 'sh', keep, TROTLINE, *args],
                               cwd=box.project, env=box.env, stdin=subprocess.DEVNULL,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=END_S)
            check(not os.path.exists(os.path.join(box.project, 'made')), 'the call went through')
            check(args[0] != 'hooks' or p.returncode != 0, 'allowed')


def allowed():
    """The same without a denial, so that the rest proves something."""
    with Box() as box:
        settings(box, 'exit 0', guard=True)
        box.env['GEMINI_API_KEY'] = 'k'
        box.answers([CALL], [say('done')])
        box.run(*MODEL, '-p', 'hi', '--fake-responses', os.path.join(box.root, 'model.jsonl'))
        check(os.path.exists(os.path.join(box.project, 'made')), 'the call was not made')


def attempt(work, *args):
    try:
        work(*args)
    except Failed as e:
        return e
    except Exception as e:
        return repr(e)
    return None


def can_mount():
    return subprocess.run(['unshare', '-m', 'true'], stderr=subprocess.DEVNULL, check=False).returncode == 0


def main():
    # The users of these rows may not be allowed into the directory of the build (below /root).
    with tempfile.TemporaryDirectory() as place:
        os.chmod(place, 0o755)
        run(shutil.copy(TROTLINE, place))


def run(program):
    tap = Tap()
    works = [('an allowed call is made', allowed)]
    for name, (script, more) in KILLED.items():
        for agent in (False, True):
            works.append(('%s outlives a killed %s by its deadline' % (
                name, 'agent' if agent else 'hooks run'), killed_host, script, more, agent))
    for name, (command, more) in GUARDS.items():
        for row, prepare in ROWS:
            works.append(('C3.6: a denial by %s holds with %s' % (name, row), denial_holds, program,
                          prepare, command, more))
        if os.geteuid() == 0 and can_mount():
            works.append(('C3.6: a denial by %s holds on a full disk' % name, full_disk, command, more))
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for (name, *_), why in zip(works, pool.map(lambda w: attempt(*w[1:]), works)):
            tap.point(name, why)
    tap.done()


main()
