#!/usr/bin/env python3
"""Sandboxes (C6.12, C6.13).  sandbox_probe.py tries to get out of one in every way that we know, as a hook
and with each thing that a sandbox may have; here is what it tries to reach, and whether it did.
Prints TAP; each point says what happened."""

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import stat
import subprocess
import sys
import tempfile
import threading

from agentbox import PATIENCE, TROTLINE, Box, Failed, Tap, call, check, say, wait_until

PROBE = os.path.join(os.path.dirname(os.path.abspath(__file__)), 'sandbox_probe.py')
PYTHON = os.path.realpath(sys.executable)
# Of these the probe cannot see itself whether they reached anybody: the host looks.
SEEN_OUTSIDE = ('a signal of a pipe',)


def abi():
    """The kernel's version of Landlock, 0 = none."""
    libc = ctypes.CDLL(None, use_errno=True)
    return max(0, libc.syscall(444, None, 0, 1))


class Outside:
    """A directory next to the project with everything that there is to reach, and a server."""

    def __init__(self, box):
        self.dir = os.path.join(box.root, 'outside')
        os.mkdir(self.dir)
        box.write('outside/secret', 'top secret\n')
        box.write('outside/program', '#!/bin/sh\necho ran\n')
        os.chmod(os.path.join(self.dir, 'program'), 0o755)
        os.mkdir(os.path.join(self.dir, 'empty'))
        os.symlink(self.dir, os.path.join(box.project, 'way'))
        self.reached = []
        self.listeners = [self.listen(socket.AF_UNIX, socket.SOCK_STREAM, os.path.join(self.dir, 'socket')),
                          self.listen(socket.AF_UNIX, socket.SOCK_DGRAM, os.path.join(self.dir, 'log')),
                          self.listen(socket.AF_INET, socket.SOCK_STREAM, ('127.0.0.1', 0))]
        self.port = self.listeners[2].getsockname()[1]
        self.listeners.append(self.listen(socket.AF_INET, socket.SOCK_DGRAM, ('127.0.0.1', self.port)))
        self.victim = subprocess.Popen(['sleep', '1000'], env={'SECRET': 'top secret'})
        self.before = self.snapshot()

    def listen(self, family, kind, address):
        s = socket.socket(family, kind)
        s.bind(address)
        if kind == socket.SOCK_STREAM:
            s.listen()
        threading.Thread(target=self.serve, args=(s, kind, address), daemon=True).start()
        return s

    def serve(self, s, kind, address):
        with contextlib.suppress(OSError):
            while True:
                if kind == socket.SOCK_STREAM:
                    s.accept()
                else:
                    s.recv(1)
                self.reached.append(address)

    def snapshot(self):
        """All that can be seen of it but the time at which it was read."""
        seen = {}
        for root, dirs, files in os.walk(self.dir):
            for path in [root, *(os.path.join(root, n) for n in dirs + files)]:
                st = os.lstat(path)
                seen[path] = (st.st_mode, st.st_uid, st.st_nlink, st.st_size, st.st_mtime_ns, st.st_ctime_ns)
                if stat.S_ISREG(st.st_mode):
                    with open(path, 'rb') as f:
                        seen[path] += (f.read(),)
        return seen

    def close(self):
        for s in self.listeners:
            s.close()
        self.victim.kill()
        self.victim.wait()


def sandbox(box, inside, **more):
    may = {'read': ['.', sys.base_prefix], **more}
    if inside:
        may['write'] = ['in/out']
        os.makedirs(os.path.join(box.project, 'in/out'), exist_ok=True)
    return may


def probe(tap, name, write, network):
    with Box() as box:
        box.write('project/in/file', 'own\n')
        shutil.copy(PROBE, os.path.join(box.project, 'probe.py'))
        outside = Outside(box)
        inside = os.path.join(box.project, 'in/out') if write else ''
        command = '%s probe.py %s "%s" %d %d' % (PYTHON, outside.dir, inside, outside.victim.pid, outside.port)
        box.env['PROBE_NETWORK'] = str(int(network))
        box.settings(hooks={'BeforeTool': [{'hooks': [
            {'type': 'command', 'name': 'probe', 'command': command, 'timeout': 120000,
             'sandbox': sandbox(box, write, network=network)}]}]})
        try:
            r = box.run('hooks', 'run', 'BeforeTool', '--json')
            ran = json.loads(r.out)['hooks'][0]
            lines = [json.loads(line) for line in ran['stdout'].splitlines() if line.startswith('[')]
        except (ValueError, KeyError, IndexError) as e:
            tap.point(name, '%r\n%s' % (e, r))
            return
        finally:
            died = outside.victim.poll()
            outside.close()
        for what, said in lines:
            good = said == 'works' if what.startswith('works:') else \
                said != 'reached' and said != 'killed' and 'broken' not in said
            tap.point('C6.12: %s: %s: %s' % (name, what, said), None if good else 'it got out, or was not tried')
        with tap.case('C6.12: %s: the probe came to its end, of %d attempts' % (name, len(lines))):
            check(ran['exitCode'] == 0, 'it did not', ran['stderr'])
            check(len(lines) > (400 if write else 100), 'there are too few attempts', lines)
        with tap.case('C6.12: %s: outside is as it was' % name):
            after = outside.snapshot()
            check(after == outside.before, 'changed:', set(after.items()) ^ set(outside.before.items()))
        with tap.case('C6.12: %s: nothing outside was called' % name):
            check(not outside.reached, 'reached:', outside.reached)
        with tap.case('C6.12: %s: the process outside lives' % name):
            check(died is None, 'it has ended with', died)


# ---- a deadline, a network, an environment ----

def hook(box, command, may, **more):
    box.settings(hooks={'BeforeTool': [{'hooks': [
        {'type': 'command', 'name': 'h', 'command': command, 'sandbox': may, **more}]}]})


def outlives(tap):
    """C6.3 holds for what would leave the group."""
    with tap.case('C6.12: nothing of a sandboxed hook outlives its deadline'), Box() as box:
        script = ('setsid sleep 1001 & (setsid -f sleep 1002) ; '
                  'perl -MPOSIX -e "setsid; exec qw(sleep 1003)" & sleep 1004')
        hook(box, script, {}, timeout=1000)
        r = box.run('hooks', 'run', 'BeforeTool')
        check('timed out' in r.out + r.err, 'it did not time out', r)
        wait_until(lambda: not box.left(), 4, 'its processes to end')


def network(tap):
    listener = socket.create_server(('127.0.0.1', 0))
    script = "%s -c 'import socket; socket.create_connection((\"127.0.0.1\", %d)); print(\"{}\")'" % (
        PYTHON, listener.getsockname()[1])
    for yes in (False, True):
        with tap.case('C6.12: network %s' % yes), Box() as box:
            hook(box, script, {'network': yes, 'read': [sys.base_prefix]})
            ran = json.loads(box.run('hooks', 'run', 'BeforeTool', '--json').out)['hooks'][0]
            check((ran['exitCode'] == 0) == yes, 'exit', ran)
            check(yes or 'no network' in ran['message'], 'the warning says so', ran)
    listener.close()


def environment(tap):
    with tap.case('C6.12: env keeps what it names, and what programs need'), Box() as box:
        box.env.update({'ONE_A': '1', 'TWO': '2', 'GEMINI_API_KEY': 'k'})
        hook(box, 'env', {'env': ['ONE_*']}, env={'OWN': '3'})
        ran = json.loads(box.run('hooks', 'run', 'BeforeTool', '--json').out)['hooks'][0]
        names = {line.split('=')[0] for line in ran['stdout'].splitlines()}
        check({'ONE_A', 'OWN', 'PATH', 'HOME', 'GEMINI_PROJECT_DIR'} <= names, 'lost', names)
        check(not names & {'TWO', 'GEMINI_API_KEY', 'LOG'}, 'kept', names)


# ---- settings ----

WRONG = {
    'a number': 1,
    'true': True,
    'null': None,
    'read is a text': {'read': '.'},
    'write holds a number': {'write': [1]},
    'network is a text': {'network': 'no'},
    'an unknown member': {'raed': []},
    'a variable without a value': {'read': ['$NOT_SET_ANYWHERE/x']},
    "another user's home": {'read': ['~root']},
    'an empty path': {'write': ['']},
    'a name that is none': {'env': ['A=B']},
}


def wrong(tap):
    """What is wrong about a sandbox never runs without one: a guard denies, another hook is left out."""
    for name, may in WRONG.items():
        for guard in (True, False):
            with tap.case('C6.12: %s: %s' % ('a guard' if guard else 'a hook', name)), Box() as box:
                hook(box, 'echo ran >"$LOG"', may, guard=guard)
                r = box.run('hooks', 'run', 'BeforeTool')
                check(not os.path.exists(box.log), 'it ran', r)
                check((r.status == 0) != guard, 'the call', r)
                r = box.run('hooks', 'lint')
                check('sandbox' in r.out + r.err and r.status != 0, 'lint', r)


def spelled(tap):
    """A misspelt "sandbox" is none that can be left out."""
    with tap.case('C6.12: a misspelt sandbox keeps the hook from running'), Box() as box:
        box.settings(hooks={'BeforeTool': [{'hooks': [
            {'type': 'command', 'command': 'echo ran >"$LOG"', 'sandbx': {}}]}]})
        r = box.run('hooks', 'run', 'BeforeTool')
        check(not os.path.exists(box.log), 'it ran', r)
        check('did you mean "sandbox"' in r.out + r.err, 'what was meant', r)


def links(tap):
    """What a project puts in the place of a directory opens nothing else."""
    with tap.case('C6.12: a link of the project does not widen a sandbox'), Box() as box:
        box.write('outside/secret', 'top secret')
        os.symlink(os.path.join(box.root, 'outside'), os.path.join(box.project, 'cache'))
        hook(box, 'cat cache/secret; echo x >cache/new', {'write': ['cache', '$PROJECT/cache']})
        r = box.run('hooks', 'run', 'BeforeTool', '--json')
        check('top secret' not in r.out, 'read', r)
        check(not os.path.exists(os.path.join(box.root, 'outside/new')), 'written', r)


def home_is_no_project(tap):
    """Started in it, "the project" would be ~/.ssh, too."""
    for may, expected in (({}, False), ({'read': ['.']}, True)):
        with tap.case('C6.12: the home directory as the project, %s' % may), Box() as box:
            box.write('home/.ssh/id', 'top secret')
            hook(box, 'cat ~/.ssh/id', may)
            box.project = box.home
            r = box.run('hooks', 'run', 'BeforeTool', '--json')
            check(('top secret' in r.out) == expected, 'read', r)


def own_files(tap):
    """The user's own hooks need not name the scripts that their commands name."""
    with tap.case("C6.12: the user's hook reads its own script, and nothing next to it"), Box() as box:
        box.write('home/hooks/h.sh', 'cat ~/hooks/other; echo ran >&2; exit 1\n')
        box.write('home/hooks/other', 'top secret')
        hook(box, 'sh ~/hooks/h.sh', {})
        ran = json.loads(box.run('hooks', 'run', 'BeforeTool', '--json').out)['hooks'][0]
        check('ran' in ran['stderr'] and 'top secret' not in ran['stdout'], 'it said', ran)
        check(ran['sandbox'].startswith('reads %s, ~/hooks/h.sh (and' % box.project), 'shown', ran['sandbox'])
        box.write('project/own.sh', 'exit 0\n')
        hook(box, 'sh own.sh', {})
        ran = json.loads(box.run('hooks', 'run', 'BeforeTool', '--json').out)['hooks'][0]
        check(ran['sandbox'].startswith('reads %s (and' % box.project), 'shown once', ran['sandbox'])


# ---- a kernel without it ----

# socket filter: landlock_create_ruleset() is ENOSYS, everything else as it is
NO_LANDLOCK = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
steps = [(0x20, 0, 0, 0), (0x15, 0, 1, 444), (0x06, 0, 0, 0x00050000 | 38), (0x06, 0, 0, 0x7fff0000)]
code = ctypes.create_string_buffer(b''.join(struct.pack('HBBI', *s) for s in steps))
prog = struct.pack('HxxxxxxQ', len(steps), ctypes.addressof(code))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, prog, 0, 0) == 0
os.execvp(sys.argv[1], sys.argv[1:])
"""


def without(tap):
    """C6.13: a guard denies, another hook warns, and neither runs."""
    for guard in (True, False):
        with tap.case('C6.13: a kernel without Landlock, %s' % ('a guard' if guard else 'a hook')), Box() as box:
            hook(box, 'echo ran >"$LOG"', {'write': [box.root]}, guard=guard)
            r = box.run('hooks', 'run', 'BeforeTool', '--json', before=[sys.executable, '-c', NO_LANDLOCK])
            ran = json.loads(r.out)['hooks'][0]
            check(not os.path.exists(box.log), 'it ran', r)
            check(ran['class'] == 'not-started', 'class', ran)
            check('this kernel has no sandbox' in ran['message'], 'message', ran)
            check((r.status == 0) != guard, 'the call', r)


# ---- servers ----

SERVER = """
import errno, json, os, socket, sys
def tried(f):
    try:
        f()
        return 'reached'
    except OSError as e:
        return errno.errorcode[e.errno]
said = ', '.join([tried(lambda: open('%s')), tried(lambda: open('new', 'w')), tried(os.setsid),
                  tried(lambda: socket.create_connection(('127.0.0.1', 9))),
                  'SECRET' if 'SECRET' in os.environ else 'no variable', os.environ.get('OWN', '')])
for line in sys.stdin:
    m = json.loads(line)
    r = {'protocolVersion': '2025-03-26', 'capabilities': {}, 'serverInfo': {'name': said[:70], 'version': '1'}}
    if 'id' in m:
        print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': r}), flush=True)
"""


def server(box, may, **more):
    secret = box.write('outside/secret', 'top secret')
    box.write('project/server.py', SERVER % secret)
    box.env['SECRET'] = 's'
    box.settings(mcpServers={'s': {'command': PYTHON, 'args': ['server.py'], 'sandbox': may, 'env': {'OWN': '1'},
                                   **more}}, security={'environmentVariableRedaction': {'allowed': ['SECRET']}})
    return box.run('mcp', 'test', 's', '--json')


def servers(tap):
    read = {'read': ['.', sys.base_prefix]}
    with tap.case('C6.12: a server reaches what its sandbox opens'), Box() as box:
        r = server(box, {**read, 'env': []})
        check('EACCES, EACCES, EPERM, EACCES, no variable, 1' in r.out, 'it said', r)
        check(not os.path.exists(os.path.join(box.project, 'new')), 'it wrote', r)
    with tap.case('C6.12: a server may write and connect where it is said'), Box() as box:
        r = server(box, {**read, 'write': ['.'], 'network': True})
        check('EACCES, reached, EPERM, ECONNREFUSED, SECRET, 1' in r.out, 'it said', r)
    for name, may in WRONG.items():
        if may is None:  # as any member of a server that is null: it is not there
            continue
        with tap.case('C6.12: a server does not start: ' + name), Box() as box:
            r = server(box, may)
            check(r.status != 0 and 'sandbox' in r.out, 'started', r)
            r = box.run('hooks', 'lint')
            check('sandbox' in r.out + r.err and r.status != 0, 'lint', r)
    with tap.case('C6.12: a server whose sandbox is misspelt does not start'), Box() as box:
        r = server(box, {}, sandbx={})
        check(r.status != 0 and 'did you mean' in r.out, 'started, as it has another one that is right', r)
        box.settings(mcpServers={'s': {'command': PYTHON, 'args': ['server.py'], 'sandbx': {}}})
        r = box.run('mcp', 'test', 's', '--json')
        check(r.status != 0 and 'did you mean' in r.out, 'started', r)


def server_without(tap):
    with tap.case('C6.13: a server on a kernel without Landlock'), Box() as box:
        server(box, {})
        r = box.run('mcp', 'test', 's', '--json', before=[sys.executable, '-c', NO_LANDLOCK])
        check(r.status != 0 and 'this kernel has no sandbox' in r.out, 'started', r)


# ---- the commands of our own agent ----

def agent(box, command, *args, **settings):
    """What the model is told about the command."""
    box.env['GEMINI_API_KEY'] = 'k'
    box.settings(hooks={'AfterTool': [{'hooks': [{'type': 'command', 'command': 'cat >"$LOG"'}]}]}, **settings)
    box.answers([call('run_shell_command', {'command': command})], [say('done')])
    r = box.run('-m', 'gemini-2.5-flash', '--yolo', '-p', 'hi', *args,
                '--fake-responses', os.path.join(box.root, 'model.jsonl'))
    with contextlib.suppress(FileNotFoundError), open(box.log, encoding='utf-8') as f:
        return r, json.dumps(json.load(f)['tool_response']).replace('\\n', '\n')
    return r, ''


# what it may: read outside, write the project, write temporary files, write outside, connect
PROFILES = {
    'project': (0, 1, 1, 0, 0), 'read-only': (0, 0, 0, 0, 0), 'no-network': (1, 1, 1, 1, 0),
    'false': (1, 1, 1, 1, 1), 'true': (0, 1, 1, 0, 0)}
WISHES = [('--sandbox=' + name, ['--sandbox=' + name], {}, None, may) for name, may in PROFILES.items()]
WISHES += [('tools.sandbox ' + name, [], {'tools': {'sandbox': name}}, None, may)
           for name, may in PROFILES.items()]
WISHES += [('GEMINI_SANDBOX=' + name, [], {}, name, may) for name, may in PROFILES.items()]
WISHES += [
    ('nothing', [], {}, None, PROFILES['false']),
    ('--sandbox', ['--sandbox'], {}, None, PROFILES['project']),
    ('-s', ['-s'], {}, None, PROFILES['project']),
    ('--no-sandbox', ['--no-sandbox'], {'tools': {'sandbox': True}}, None, PROFILES['false']),
    ('true', [], {'tools': {'sandbox': True}}, None, PROFILES['project']),
    ('docker', [], {'tools': {'sandbox': 'docker'}}, None, PROFILES['project']),
    ('its form of an object', [], {'tools': {'sandbox': {'enabled': True, 'networkAccess': True}}}, None,
     (0, 1, 1, 0, 1)),
    ('and off', [], {'tools': {'sandbox': {'enabled': False}}}, None, PROFILES['false']),
    ('with the network', [], {'tools': {'sandbox': True, 'sandboxNetworkAccess': True}}, None, (0, 1, 1, 0, 1)),
    ('with another path', [], {'tools': {'sandbox': True, 'sandboxAllowedPaths': ['../outside']}}, None,
     (1, 1, 1, 1, 0)),
    ('its own rules', [], {'tools': {'sandbox': {'write': ['$TMPDIR'], 'network': True}}}, None,
     (0, 0, 1, 0, 1)),
]


def agents(tap):
    listener = socket.create_server(('127.0.0.1', 0))
    connect = "perl -MIO::Socket::INET -e 'exit !IO::Socket::INET->new(\"127.0.0.1:%d\")'" % listener.getsockname()[1]
    for name, args, settings, env, may in WISHES:
        with tap.case('C6.12: the shell, ' + name), Box() as box:
            box.write('outside/secret', 'top secret')
            box.env.update({'GEMINI_SANDBOX': env} if env else {})
            r, told = agent(box, '; '.join([
                'cat ../outside/secret >/dev/null && echo did1', 'echo x >made && echo did2',
                'echo x >$TMPDIR/made && echo did3', 'echo x >../outside/made && echo did4', connect + ' && echo did5',
                'exit 3']), *args, **settings)
            got = tuple(int('did%d' % i in told) for i in range(1, 6))
            check(got == may, 'it may %s, not %s' % (got, may), told, r)
            check(('Sandbox: reads' in told) == (may != PROFILES['false']), 'what the model is told', told)
    listener.close()
    with tap.case('C6.12: what is wrong in tools.sandbox ends the program'), Box() as box:
        r, _ = agent(box, 'echo x >made', tools={'sandbox': {'raed': []}})
        check(r.status == 52 and 'raed' in r.err + r.out, 'status', r)
    with tap.case('C6.12: a project takes no sandbox away'), Box() as box:
        box.write('project/.gemini/settings.json', json.dumps(
            {'tools': {'sandbox': False, 'sandboxNetworkAccess': True, 'sandboxAllowedPaths': ['/']}}))
        box.write('outside/secret', 'top secret')
        _, told = agent(box, 'cat ../outside/secret', tools={'sandbox': 'project'})
        check('Sandbox: reads' in told and 'top secret' not in told and 'no network' in told, 'told', told)


def agent_without(tap):
    with tap.case('C6.13: a command of the model on a kernel without Landlock'), Box() as box:
        box.settings()
        box.env['GEMINI_API_KEY'] = 'k'
        box.answers([call('run_shell_command', {'command': 'echo x >made'})], [say('done')])
        r = box.run('-m', 'gemini-2.5-flash', '--yolo', '-p', 'hi', '--sandbox', '--fake-responses',
                    os.path.join(box.root, 'model.jsonl'), before=[sys.executable, '-c', NO_LANDLOCK])
        check(not os.path.exists(os.path.join(box.project, 'made')), 'it ran', r)
        check('this kernel has no sandbox' in r.err, 'the warning', r)


# ---- a project's hooks ----

def project_hooks(tap):
    """C6.15: in the default sandbox where somebody who may say so does"""
    unset = object()
    rows = [  # of the user's settings, of the project's, answered; in a sandbox?
        (unset, unset, None, False), (unset, unset, '--sandbox', True), (unset, unset, '--no-sandbox', False),
        (True, unset, None, True), (True, unset, '--no-sandbox', True), (False, unset, '--sandbox', False),
        (unset, True, None, True), (unset, False, '--sandbox', True), (True, False, None, True),
        (False, True, None, True), ('no', unset, None, True), (unset, True, '--no-sandbox', True)]
    for user, project, answer, expected in rows:
        name = ', '.join('%s %s' % (n, v) for n, v in (('user', user), ('project', project), ('answer', answer))
                         if v is not unset and v is not None) or 'nothing is said'
        with tap.case('C6.15: ' + name), Box() as box:
            del box.env['GEMINI_CLI_TRUST_WORKSPACE']

            def config(value):
                return {} if value is unset else {'hooksConfig': {'sandboxProjectHooks': value}}
            box.settings(**config(user))
            box.write('project/.gemini/settings.json', json.dumps({**config(project), 'hooks': {'BeforeTool': [
                {'hooks': [{'type': 'command', 'command': 'echo ran >made'},
                           {'type': 'command', 'command': 'echo ran >own', 'sandbox': {'write': ['.']}}]}]}}))
            r = box.run('hooks', 'trust', '--yes', *([answer] if answer else []))
            check(r.status == 0, 'approved', r)
            r = box.run('hooks', 'run', 'BeforeTool', '--json')
            ran = json.loads(r.out)['hooks']
            check(('sandbox' in ran[0]) == expected, 'shown', ran[0])
            check(os.path.exists(os.path.join(box.project, 'made')) != expected, 'it ran', r)
            check(os.path.exists(os.path.join(box.project, 'own')), 'one that says more has more', r)
            r = box.run('hooks', 'trust', '--list')
            check(('In a sandbox' in r.out) == expected, 'trust --list', r)
            # The answer can be changed, and goes with the approval.
            r = box.run('hooks', 'trust', '--sandbox')
            check(r.status == 0, 'changed', r)
            said = os.path.join(box.home, '.trotline/sandboxed_projects.json')
            with open(said, encoding='utf-8') as f:
                check(list(json.load(f).values()) == [True], 'kept')
            check(box.run('hooks', 'trust', '--revoke').status == 0, 'revoked')
            with open(said, encoding='utf-8') as f:
                check(json.load(f) == {}, 'forgotten')


# ---- lint ----

LINT = [  # the sandbox, of a guard?, the code, how severe
    ({'read': ['~']}, False, 'wide-sandbox', 'warning'), ({'write': ['/']}, False, 'wide-sandbox', 'warning'),
    ({'read': ['$HOME/..']}, False, 'wide-sandbox', 'warning'),
    ({'write': ['not-there']}, False, 'sandbox-path', 'warning'),
    ({'read': ['not-there']}, False, 'sandbox-path', 'note'),
    ({'write': ['~/hooks']}, True, 'sandbox-opens-guard', 'warning'),
    ({'write': ['~/hooks']}, False, None, None), ({'read': ['.'], 'write': ['$PROJECT']}, True, None, None)]


def lint(tap):
    for may, guard, code, severity in LINT:
        with tap.case('C6.12: lint: %s, %s' % (may, code)), Box() as box:
            box.write('home/hooks/h.sh', 'exit 0\n')
            hook(box, 'sh ~/hooks/h.sh', may, guard=guard)
            found = {d['code']: d for d in json.loads(box.run('hooks', 'lint', '--json').out)['diagnostics']
                     if 'sandbox' in d['code']}
            check(list(found) == ([code] if code else []), 'found', found)
            check(not code or found[code]['severity'] == severity, 'severity', found)


def lint_without(tap):
    for guard, severity in ((True, 'error'), (False, 'warning')):
        with tap.case('C6.13: lint says that this kernel has no sandbox: ' + severity), Box() as box:
            hook(box, 'true', {}, guard=guard)
            r = box.run('hooks', 'lint', '--json', before=[sys.executable, '-c', NO_LANDLOCK])
            found = [d for d in json.loads(r.out)['diagnostics'] if d['code'] == 'no-sandbox']
            check([d['severity'] for d in found] == [severity], 'found', r)


def approved(tap):
    """C7.4: another sandbox is another hook, and the question shows it."""
    with tap.case('C7.4: a changed sandbox of a project must be approved again'), Box() as box:
        del box.env['GEMINI_CLI_TRUST_WORKSPACE']

        def project(may):
            box.write('project/.gemini/settings.json', json.dumps({'hooks': {'BeforeTool': [{'hooks': [
                {'type': 'command', 'command': 'echo "{}"', 'sandbox': may}]}]}}))
        project({})
        r = box.run('hooks', 'trust', '--yes')
        check(r.status == 0, 'approved', r)
        check(box.run('hooks', 'run', 'BeforeTool').status == 0, 'it runs')
        project({'network': True})
        r = box.run('hooks', 'run', 'BeforeTool')
        check(r.status == 55, 'held back', r)
        r = box.run('hooks', 'trust', '--list')
        check('sandbox {"network":true}' in r.out, 'shown', r)


def main():
    tap = Tap()
    if abi() == 0:
        tap.point('sandboxes', skip='this kernel has none')
    else:
        probe(tap, 'it may write', True, False)
        probe(tap, 'it may read', False, False)
        probe(tap, 'it has the network', False, True)
        for test in (outlives, network, environment, spelled, links, own_files, home_is_no_project, approved, servers, agents, project_hooks, lint):
            test(tap)
    wrong(tap)
    without(tap)
    server_without(tap)
    agent_without(tap)
    lint_without(tap)
    tap.done()


main()
