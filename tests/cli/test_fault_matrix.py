#!/usr/bin/env python3
"""Faults of the machine times kinds of guards.  Prints TAP.

Each row is a fault, each column a guard that denies the same call: a hook, a rule of a policy, a pack.  The call goes through
`trotline hook claude`, as it is installed, and through a session.  Whatever is missing, the answer is a denial or a refusal to
run (C3.6, C7.9, C8.2, C9.2): what the agent reads as "go on" is the only thing that must not come out."""

import concurrent.futures
import contextlib
import glob
import itertools
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import tempfile

from agentbox import PATIENCE, TROTLINE, Box, Failed, Tap, call, check, say

JOBS = 2
END_S = 10 * PATIENCE
SAN = 'san' in os.path.basename(os.path.dirname(TROTLINE))
ROOT = os.geteuid() == 0
# Nobody's, another one for each box: a limit of processes counts all of a user's.
USERS = itertools.cycle(random.sample(range(60000, 65000), 1000))
COMMAND = 'echo made >"$BOX/mark/made"; git push --force'

RULE = '[[rule]]\ntoolName = "run_shell_command"\ncommandPrefix = "echo made"\ndecision = "deny"\npriority = 100\n'
SETTINGS, POLICY = 'home/.trotline/settings.json', 'home/.trotline/policies/rules.toml'
GUARDS = {
    'a hook': {SETTINGS: json.dumps({'hooks': {'BeforeTool': [{'hooks': [{
        'type': 'command', 'guard': True, 'command': 'echo no >&2; exit 2', 'timeout': 20000}]}]}})},
    'a policy': {POLICY: RULE},
    'a pack': {SETTINGS: json.dumps({'guard': {'packs': ['git']}})},
}


class Fault:
    """What is done to a run: `change` to the box before it, `limit` in the process that becomes it, `mounts` in a namespace of
    its own (a script of root's); a row of `only` is for the guards that it names.  Without `shell` the agent's own is ended."""

    def __init__(self, name, change=None, limit=None, mounts=None, env=None, only=None, skip=None, shell=True):
        self.name, self.change, self.limit, self.mounts = name, change, limit, mounts
        self.env, self.only, self.skip, self.shell = env or {}, only, skip, shell


def limited(which, value):
    return lambda: resource.setrlimit(which, (value, value))


def closed(*fds):
    def close():
        for fd in fds:
            os.close(fd)
    return close


def put_instead(name, make):
    """In the place of a file or directory of the box there is something else."""
    def change(box):
        path = os.path.join(box.root, name)
        if os.path.isdir(path):
            shutil.rmtree(path)
        elif os.path.exists(path):
            os.unlink(path)
        make(path)
    return change


def forbidden(name):
    return lambda box: os.chmod(os.path.join(box.root, name), 0)


def without_writing(name):
    return lambda box: os.chmod(os.path.join(box.root, name), 0o555)


def text(s):
    def make(path):
        with open(path, 'w', encoding='utf-8') as f:
            f.write(s)
    return make


def link(to):
    return lambda path: os.symlink(to, path)


ODD = {'a FIFO': os.mkfifo, 'a dangling link': link('/nonexistent/x'),
       'a link to itself': lambda path: os.symlink(os.path.basename(path), path)}


def faults():
    yield Fault('nothing')
    # the process
    for fds in (0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2):
        yield Fault('closed %s' % (fds,), limit=closed(*fds))
    for n in (3, 4, 6, 9, 14, 20):
        yield Fault('%d descriptors' % n, limit=limited(resource.RLIMIT_NOFILE, n))
    for n in (0, 1, 100, 4000):
        yield Fault('files of %d bytes' % n, limit=limited(resource.RLIMIT_FSIZE, n), skip=SAN)
    for n in (0, 1, 3):
        yield Fault('%d processes' % n, limit=limited(resource.RLIMIT_NPROC, n), skip=not ROOT or SAN)
    for mb in (4, 8, 12, 16, 24, 48):
        yield Fault('memory of %d MiB' % mb, limit=limited(resource.RLIMIT_AS, mb << 20), skip=SAN)
    for kb in (0, 256, 1024):
        yield Fault('data of %d KiB' % kb, limit=limited(resource.RLIMIT_DATA, kb << 10), skip=SAN)
    for kb in (16, 64, 96, 128, 256):
        yield Fault('a stack of %d KiB' % kb, limit=limited(resource.RLIMIT_STACK, kb << 10), skip=SAN)
    yield Fault('no processor time', limit=limited(resource.RLIMIT_CPU, 0), shell=False)
    yield Fault('all signals blocked', limit=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals()))
    yield Fault('a umask of 777', limit=lambda: os.umask(0o777))
    # the home
    yield Fault('no HOME', env={'HOME': None})
    yield Fault('an empty HOME', env={'HOME': ''})
    yield Fault('a HOME that is missing', env={'HOME': '/nonexistent'})
    yield Fault('a HOME that is a file', env={'HOME': '/etc/passwd'})
    yield Fault('a HOME that cannot be written', change=without_writing('home'))
    yield Fault('settings that cannot be written', change=without_writing('home/.trotline'))
    yield Fault('a HOME that is gone', change=lambda box: shutil.rmtree(box.home))
    # what is read
    for name in ('home', 'home/.trotline', SETTINGS, 'home/.trotline/policies', POLICY):
        only = ('a policy',) if name.startswith('home/.trotline/policies') else \
            ('a hook', 'a pack') if name == SETTINGS else None
        yield Fault('no permission for ' + name, change=forbidden(name), only=only, skip=not ROOT)
        for what, make in ODD.items():
            if name != 'home':
                yield Fault('%s in place of %s' % (what, name), change=put_instead(name, make), only=only)
    for what, s in ('empty', ''), ('half', '{"hooks": {"BeforeTool": ['), ('an array', '[]'), ('of NUL', '\0' * 4096):
        yield Fault('settings that are ' + what, change=put_instead(SETTINGS, text(s)), only=('a hook', 'a pack'))
    for what, s in ('empty', ''), ('half', RULE[:-2]), ('its beginning', RULE[:3]), ('of NUL', '\0' * 4096), \
            ('JSON', '{"rule": []}'):
        yield Fault('a policy that is ' + what, change=put_instead(POLICY, text(s)), only=('a policy',))
    yield Fault('a project that cannot be read', change=forbidden('project'), skip=not ROOT)
    # the system
    yield Fault('a TMPDIR that is missing', env={'TMPDIR': '/nonexistent'})
    yield Fault('an empty environment', env={k: None for k in ('PATH', 'HOME', 'TMPDIR', 'LANG')})
    for name in '/proc', '/dev', '/sys', '/etc', '/tmp', '/run':
        yield Fault('%s is empty' % name, mounts='mount -t tmpfs -o mode=0 none %s' % name)
    yield Fault('everything is read-only', mounts='mount --make-rprivate / && mount -o remount,bind,ro / && '
                'mount --bind "$BOX/mark" "$BOX/mark" && mount -o remount,bind,rw "$BOX/mark"')
    full = 'mount -t tmpfs -o size=64k none "$BOX/full" && chmod 777 "$BOX/full" && cp -a "$BOX/%s/." "$BOX/full" && ' \
        '{ cat /dev/zero >"$BOX/full/zero"; mount --bind "$BOX/full" "$BOX/%s"; } 2>/dev/null'
    for name in 'home', 'tmp', 'project':
        yield Fault('a full disk below ' + name, mounts=full % (name, name))


def can_mount():
    return ROOT and subprocess.run(['unshare', '-m', 'true'], stderr=subprocess.DEVNULL, check=False).returncode == 0


def give_away(box):
    for root, _, files in os.walk(box.root):
        for name in [root, *(os.path.join(root, f) for f in files)]:
            os.chown(name, box.user, box.user)


@contextlib.contextmanager
def machine(fault, guard):
    """A box with that guard, at which the fault has been done."""
    with Box() as box:
        box.user = next(USERS)
        os.makedirs(os.path.join(box.home, '.trotline/policies'))
        for name, content in GUARDS[guard].items() if guard else ():
            box.write(name, content)
        box.env.update(GEMINI_API_KEY='k', BOX=box.root)
        box.answers([call('run_shell_command', {'command': COMMAND})], [say('done')])
        box.write('payload', json.dumps({
            'session_id': 's', 'transcript_path': '/t.jsonl', 'cwd': box.project, 'hook_event_name': 'PreToolUse',
            'tool_name': 'Bash', 'tool_use_id': 't', 'tool_input': {'command': COMMAND}}))
        for name in 'full', 'mark':
            os.mkdir(os.path.join(box.root, name))
        if ROOT:
            give_away(box)
        if fault.change:
            fault.change(box)
        box.env.update({k: v for k, v in fault.env.items() if v is not None})
        for k, v in fault.env.items():
            if v is None:
                del box.env[k]
        yield box


def start(box, fault, words):
    """Its exit status and stdout, as root only of its mounts."""
    as_user = ['setpriv', '--reuid=%d' % box.user, '--regid=%d' % box.user, '--clear-groups', '--'] if ROOT else []
    if fault.mounts:
        words = ['unshare', '-m', 'sh', '-c', fault.mounts + ' && cd "$BOX/project" && exec "$@"', 'sh', *as_user, *words]

    def prepare():
        if ROOT and not fault.mounts:
            os.setgroups([])
            if fault.limit:
                fault.limit()
            os.setgid(box.user)
            os.setuid(box.user)
        elif fault.limit:
            fault.limit()

    with open(os.path.join(box.root, 'payload'), 'rb') as payload, open(os.path.join(box.root, 'out'), 'wb+') as out:
        try:
            with subprocess.Popen(words, cwd=box.project, env=box.env, stdin=payload, stdout=out,
                                  stderr=subprocess.DEVNULL, preexec_fn=prepare) as p:
                try:
                    p.wait(END_S)
                except subprocess.TimeoutExpired:
                    p.kill()
                    raise Failed('it stalls: %s' % words) from None
        except (OSError, subprocess.SubprocessError):
            return 127, b''  # nothing starts on such a machine
        out.seek(0)
        return p.returncode, out.read()


class Programs:
    """Copies of the programs, as everybody may start them: those of the build may be in a directory of root's."""

    def __init__(self, place):
        os.chmod(place, 0o755)
        self.trotline, self.hook = (shutil.copy(os.path.join(os.path.dirname(TROTLINE), name), place)
                                    for name in ('trotline', 'trotline-hook'))

    def installed(self, box):
        """The command that an agent's settings get, for another home."""
        with Box() as other:
            subprocess.run([self.trotline, 'hooks', 'install', '--into', 'claude', '--scope', 'user'], env=other.env,
                           cwd=other.project, stdout=subprocess.DEVNULL, check=True)
            with open(os.path.join(other.home, '.claude/settings.json'), encoding='utf-8') as f:
                hooks = json.load(f)['hooks']['PreToolUse']
            return hooks[0]['hooks'][0]['command'].replace(other.home, box.home)


def goes_on(status, out):
    """Whether Claude Code makes the call: after 0 without a denial, and after any status but 2."""
    if status != 0:
        return status != 2
    return b'"permissionDecision":"deny"' not in out.replace(b' ', b'')


def hold(programs, fault, guard):
    with machine(fault, guard) as box:
        # No shell on this machine, no call: the agent could not start what the model asks for.
        if fault.shell and start(box, fault, ['sh', '-c', 'exit 7'])[0] == 7:
            said = start(box, fault, ['sh', '-c', programs.installed(box)])
            check(not goes_on(*said), 'what was installed lets it through', said)
        said = start(box, fault, [programs.hook, 'claude'])
        check(said[0] not in (0, 1) or not goes_on(*said), 'the program lets it through', said)
        check(not made(box, programs, fault), 'the session made the call')
        names = glob.glob(os.path.join(glob.escape(box.home), '.gemini/tmp/*/'))
        check(len(names) <= 1, 'the session made a directory and one more', len(names))


def made(box, programs, fault):
    start(box, fault, [programs.trotline, '-m', 'gemini-2.5-flash', '--yolo', '-p', 'hi', '--fake-responses',
                       os.path.join(box.root, 'model.jsonl')])
    return os.path.exists(os.path.join(box.root, 'mark/made'))


def unguarded(programs, rows):
    """The same faults without a guard: where the call is made, the rows prove something."""
    def one(fault):
        with machine(fault, None) as box:
            return made(box, programs, fault)
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        free = [f.name for f, was in zip(rows, pool.map(one, rows)) if was]
    check(len(free) > len(rows) / 3, 'of %d rows only these:' % len(rows), *free)


def attempt(*args):
    try:
        hold(*args)
    except Failed as e:
        return e
    except Exception as e:
        return repr(e)
    return None


def main():
    tap, mounts = Tap(), can_mount()
    with tempfile.TemporaryDirectory() as place, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        programs = Programs(place)
        rows = [f for f in faults() if not f.skip and (mounts or not f.mounts)]
        points = [(f, guard) for f in rows for guard in f.only or GUARDS]
        for (f, guard), why in zip(points, pool.map(lambda p: attempt(programs, *p), points)):
            tap.point('C3.6, C8.2, C9.2 a denial by %s holds: %s' % (guard, f.name), why)
        with tap.case('without a guard the call is made in many of these rows'):
            unguarded(programs, [f for f in rows if not f.only])
    tap.done()


main()
