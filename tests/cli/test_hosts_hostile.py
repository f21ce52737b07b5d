#!/usr/bin/env python3
"""C8.2 as an attacker sees it: payloads, settings, environments and machines as no one expects them, made from rules.  A guard
denies the call; whatever was done to it, no answer may be one that the agent reads as "go on".  Prints TAP."""

import array
import copy
import errno
import fcntl
import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import termios

from agentbox import TROTLINE, Box, Tap, check, wait_until
from hostagents import AGENTS, COMMAND, ask, filled, named

tap = Tap()
SAN = 'san' in os.path.basename(os.path.dirname(TROTLINE))
EVENT = ('hook_event_name', 'hookEventName', 'hookName', 'event', 'event_type', 'agent_action_name')
POLICY = {'guard': {'packs': ['destructive']}}
HOOK = {'hooks': {'BeforeTool': [{'hooks': [{
    'type': 'command', 'name': 'g', 'guard': True, 'command': 'read -r line; case $line in *OUT*) echo NO >&2; exit 2 ;; esac'}]}]}}
ALWAYS = {'hooks': {event: [{'hooks': [{
    'type': 'command', 'name': 'g', 'guard': True, 'command': 'echo NO >&2; exit 2'}]}]
    for event in ('BeforeTool', 'BeforeAgent', 'AfterTool', 'AfterAgent')}}


def write_settings(box, value):
    box.write('home/.trotline/settings.json', value if isinstance(value, str) else json.dumps(value))


def run(box, agent, text, *, cwd=None, env=None, kind='tool', **how):
    """The agent's way to start it, without the shell around it: what a signal ends is denied there."""
    payload = getattr(agent, kind)
    _, *event = payload if isinstance(payload, tuple) else (payload,)
    path = os.path.join(box.root, 'payload')
    with open(path, 'wb') as f:
        f.write(text if isinstance(text, bytes) else text.encode('utf-8', 'surrogatepass'))
    with open(path, 'rb') as stdin:
        how = dict({'stdout': subprocess.PIPE, 'stderr': subprocess.PIPE}, **how)
        with subprocess.Popen([TROTLINE, 'hook', agent.name, *event], stdin=stdin, cwd=cwd or box.project,
                              env=dict(box.env, **(env or {})), **how) as p:
            out, err = p.communicate(timeout=60)
    return p.returncode, out, err


def is_denied(agent, said, kind='tool'):
    status, out, err = said
    if kind in agent.by_json and status == 0:
        return bool(out.strip() and err.strip())
    if status == 2 and err is not None and not err.strip():
        return False
    if agent.json_only and out and json.loads(out).get('cancel') is not True:
        return False
    return status == 2


# ---- payloads ----


def places(v, at=()):
    for k in v if isinstance(v, dict) else range(len(v)) if isinstance(v, list) else ():
        yield at + (k,)
        yield from places(v[k], at + (k,))


def changed(payload, at, change):
    whole = copy.deepcopy(payload)
    inner = whole
    for k in at[:-1]:
        inner = inner[k]
    change(inner, at[-1])
    return whole


VALUES = [None, 7, '', 'x', [], [[]], {}, {'a': {'b': 1}}, True, False, 'y' * 70000, 'a\0b', '\ud800']


def texts(payload):
    """Of a payload all that a broken, old or hostile program could send: (what, bytes, may it be another event)."""
    base = json.dumps(payload)
    raw = base.encode()
    for what, text in (('BOM and garbage', b'\xef\xbb\xbf' + raw + b'x'), ('UTF-16', base.encode('utf-16')),
                       ('NUL behind', raw + b'\0'), ('NUL before', b'\0' + raw), ('twice', raw + raw), ('two', raw + b'\n{}'),
                       ('nothing', b''), ('blanks', b' \n'), ('a list', b'[' + raw + b']'), ('null', b'null'),
                       ('a comment', b'/**/' + raw), ('a comma', raw[:-1] + b',}'), ('deep', b'[' * 100000),
                       ('deep inside', raw[:-1] + b',"z":' + b'[' * 5000 + b']' * 5000 + b'}')):
        yield what, text, False
    for n in range(0, len(raw), 17):
        yield 'cut at %d' % n, raw[:n], False
        for byte in (b'\0', b'\xff', b'\xc3'):
            yield 'byte %d' % n, raw[:n] + byte + raw[n + 1:], False
    for at in places(payload):
        for v in VALUES:
            yield '%s is %.9r' % (at, v), json.dumps(changed(payload, at, lambda o, k, v=v: o.__setitem__(k, v))), \
                at[-1] in EVENT and isinstance(v, str) and v.isalpha()
        yield '%s is gone' % (at,), json.dumps(changed(payload, at, lambda o, k: o.pop(k))), False
        if isinstance(at[-1], str):
            yield '%s in capitals' % (at,), json.dumps(changed(payload, at, lambda o, k: o.__setitem__(k.upper(), o.pop(k)))), False
            key = json.dumps(at[-1]) + ': '
            i = base.index(key)
            for twice in (base[:i] + key + '"zzz", ' + base[i:], base[:i] + key + base[i + len(key):].replace(
                    ',', ', %s"zzz",' % key, 1)):
                yield '%s twice' % (at,), twice, False
            nul = json.dumps(at[-1] + '\0') + ': "zzz"'
            yield '%s, and with a NUL' % (at,), base[:i] + nul + ', ' + base[i:], False


# The others are rows over the same code: each has its share.
WHOLE, SHARES = ('claude', 'copilot', 'cline'), 6
for nth, agent in enumerate(AGENTS):
    with tap.case('C8.2 no payload of a call passes a guard that denies it: ' + agent.name), Box() as box:
        write_settings(box, ALWAYS)
        payload = filled(agent.tool[0] if isinstance(agent.tool, tuple) else agent.tool, box)
        share = list(texts(payload))
        check(len(share) > 100, 'too few', len(share))
        for what, text, other in share if agent.name in WHOLE else share[nth % SHARES::SHARES]:
            said = run(box, agent, text)
            check(other or is_denied(agent, said), what, said, text[:300])

with tap.case('C8.2 arguments that programs read in different ways reach none'), Box() as box:
    write_settings(box, HOOK)
    for name, key in (('claude', 'command'), ('gemini', 'command'), ('crush', 'command'), ('codex', 'command')):
        payload = json.dumps(filled(dict(named(name).tool, tool_input={key: COMMAND}), box))
        for a, b in ((COMMAND, 'ls'), ('ls', COMMAND)):
            text = payload.replace(json.dumps({key: COMMAND}), '{"%s": "%s", "%s": "%s"}' % (key, a, key, b))
            check(text != payload and is_denied(named(name), run(box, named(name), text)), name, text)
    for inner in ('{"command": "%s", "command": "ls"}' % COMMAND, '{"command": "%s"}' % COMMAND):
        call = dict(named('copilot').tool[0], toolArgs=inner)
        said = run(box, named('copilot'), json.dumps(filled(call, box)))
        check(is_denied(named('copilot'), said), inner, said)
    said = run(box, named('gemini'), json.dumps(filled(dict(named('gemini').tool, tool_input=json.dumps(
        {'command': COMMAND})), box)))
    check(is_denied(named('gemini'), said), 'an object as its text', said)
    write_settings(box, dict(POLICY, hooks={}))
    for name in ('gemini', 'claude'):
        said = run(box, named(name), json.dumps(filled(dict(named(name).tool, tool_input=json.dumps(
            {'command': 'rm -rf ~'})), box)))
        check(is_denied(named(name), said), 'a policy', name, said)

with tap.case('C8.2 a call of any size is judged, or denied, in time'), Box() as box:
    write_settings(box, dict(POLICY, **HOOK))
    many = {'k%d' % i: i for i in range(50000)}
    for name, args, why in (('claude', dict(many, command='rm -rf ~'), b'destroys'), ('crush', dict(many, command=COMMAND), b'NO'),
                            ('cline', dict(many, commands=['ls'] * 999 + ['rm -rf ~']), b'in all'),
                            ('cline', {'commands': ['ls'] * 1001}, b'in all'), ('claude', {'command': 'true;' * 99999 + COMMAND}, b'')):
        call = named(name).tool
        call = dict(call, tool_call=dict(call['tool_call'], input=args), preToolUse={}) if name == 'cline' else dict(
            call, tool_input=args)
        said = run(box, named(name), json.dumps(filled(call, box)))
        check(is_denied(named(name), said) and why in said[2] and b'ran out of time' not in said[2], name, said)

SPELLINGS = [lambda s: s.upper(), lambda s: s.lower(), lambda s: ''.join('_' + c.lower() if c.isupper() else c for c in s),
             lambda s: s.replace('_', '-').replace('.', '-'), lambda s: ' ' + s, lambda s: s + '\0']
for agent in AGENTS:
    with tap.case('C8.2 an event in another spelling is the same: ' + agent.name), Box() as box:
        write_settings(box, ALWAYS)
        payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
        for spell in SPELLINGS:
            if event:
                said = ask(box, agent, (payload, spell(event[0]).replace('\0', '')))
                said = said.status, said.r.out.encode(), said.err.encode()
            else:
                said = run(box, agent, json.dumps(filled({k: spell(v) if k in EVENT else v for k, v in payload.items()}, box)))
            check(is_denied(agent, said), spell('PreToolUse'), said)
        if not event:
            said = ask(box, agent, (payload, 'BrandNewEvent'))
            check(said.status == 2, "the payload's name counts where the command line's is new", said.r)

for agent in AGENTS:
    with tap.case('C8.2 no payload of a prompt, a result or an end passes a guard that denies it: ' + agent.name), Box() as box:
        write_settings(box, ALWAYS)
        for kind in ('prompt', 'result', 'stop'):
            payload = getattr(agent, kind)
            payload = filled(payload[0] if isinstance(payload, tuple) else payload, box)
            for what, text, other in list(texts(payload))[::3 * SHARES] if payload else ():
                shutil.rmtree(os.path.join(box.home, '.trotline/stops'), ignore_errors=True)
                said = run(box, agent, text, kind=kind)
                check(other or is_denied(agent, said, kind), kind, what, said, text[:300])
        for name, text in (('prompt', None), ('prompt', [{'type': 'image'}]), ('tool_response', None), ('last_assistant_message', None)):
            kind = {'prompt': 'prompt', 'tool_response': 'result'}.get(name, 'stop')
            payload = getattr(agent, kind)
            payload = payload[0] if isinstance(payload, tuple) else payload
            if payload and name in payload:
                payload = {k: text if k == name else v for k, v in payload.items() if text or k != name}
                said = run(box, agent, json.dumps(filled(payload, box)), kind=kind)
                check(is_denied(agent, said, kind), name, text, said)

# ---- the machine ----


def limits(*pairs):
    def set_them():
        for which, value in pairs:
            resource.setrlimit(which, (value, value))

    return set_them


def closing(*fds):
    def close():
        for fd in fds:
            os.close(fd)

    return close


def machines():
    for fds in ((0,), (1,), (2,), (0, 1), (1, 2), (0, 1, 2)):
        yield 'closed %s' % (fds,), {'preexec_fn': closing(*fds)}
    for n in (0, 1, 2, 3, 4, 5, 6, 7, 8, 10, 12, 14):
        yield '%d descriptors' % n, {'preexec_fn': limits((resource.RLIMIT_NOFILE, n))}
    yield 'no processor time', {'preexec_fn': limits((resource.RLIMIT_CPU, 0))}
    yield 'no processes', {'preexec_fn': limits((resource.RLIMIT_NPROC, 0))}
    yield 'no signals, no locks', {'preexec_fn': limits((resource.RLIMIT_SIGPENDING, 0), (resource.RLIMIT_MEMLOCK, 0))}
    yield 'all signals blocked', {'preexec_fn': lambda: signal.pthread_sigmask(signal.SIG_SETMASK, signal.valid_signals())}
    if not SAN:
        yield 'a full disk', {'preexec_fn': limits((resource.RLIMIT_FSIZE, 0))}
        for kb in (1, 512, 2048, 4096, 8192, 10000, 12000, 14000, 20000, 32000):
            yield 'memory of %d KiB' % kb, {'preexec_fn': limits((resource.RLIMIT_AS, kb << 10))}
        for kb in (0, 64, 256, 512, 1024):
            yield 'data of %d KiB' % kb, {'preexec_fn': limits((resource.RLIMIT_DATA, kb << 10))}
        for kb in (4, 16, 32, 48, 64, 80, 96, 128, 192, 256):
            yield 'a stack of %d KiB' % kb, {'preexec_fn': limits((resource.RLIMIT_STACK, kb << 10))}
    for env in ({'PATH': ''}, {'TMPDIR': '/nonexistent'}, {'LC_ALL': 'tr_TR.UTF-8'}, {'TROTLINE_NO_PIDFD': '1'},
                {'TROTLINE_END_WAIT_MS': '-1'}, {'TROTLINE_END_WAIT_MS': '9' * 30}, {'GEMINI_CLI_TRUST_WORKSPACE': 'false'},
                {'GEMINI_CLI_SYSTEM_SETTINGS_PATH': '/nonexistent'}, {'GEMINI_CLI_SYSTEM_DEFAULTS_PATH': '/dev/zero'},
                {'CLAUDE_PROJECT_DIR': '/nonexistent'}, {'CLAUDE_PROJECT_DIR': 'relative'}, {'CLAUDE_PROJECT_DIR': 'x' * 5000},
                {'IFS': 'x'}, {'ENV': '/nonexistent'}, {'BASH_ENV': '/nonexistent'}, {'SHELL': '/bin/false'},
                {'POSIXLY_CORRECT': '1'}, {'MALLOC_PERTURB_': '255'}, {'X' * 9999: 'x'}, {'BIG': 'x' * 100000}):
        yield 'environment %.40s' % env, {'env': env}
    for name in ('stdout', 'stderr'):
        yield 'a full ' + name, {name: '/dev/full'}
    yield 'a directory that is gone', {'gone': True}


for name, settings in (('claude', POLICY), ('codex', HOOK), ('cline', HOOK)):
    with tap.case('C8.2 no state of the machine takes a denial away: ' + name), Box() as box:
        agent = named(name)
        write_settings(box, settings)
        text = json.dumps(filled(agent.tool[0] if isinstance(agent.tool, tuple) else agent.tool, box)).replace(
            COMMAND, 'rm -rf ~; OUT')
        for what, how in machines():
            where = None
            if how.pop('gone', False):
                where = os.path.join(box.root, 'gone')
                os.mkdir(where)
                how['preexec_fn'] = lambda where=where: os.rmdir(where)
            for stream in ('stdout', 'stderr'):
                if stream in how:
                    how[stream] = open(how[stream], 'wb')
            said = run(box, agent, text, cwd=where, **how)
            # What cannot even start is denied by the command in the agent's file (C8.2).
            check(is_denied(agent, said) if said[0] in (0, 1, 2) and said[2] is not None and 'closed' not in what
                  else said[0] not in (0, 1), what, said)

REDACTS = {'guard': {'packs': ['secrets']}}


def unheard(box, agent, kind, settings):
    write_settings(box, settings)
    payload = getattr(agent, kind)
    text = json.dumps(filled(payload[0] if isinstance(payload, tuple) else payload, box)).replace(
        'OUT', 'password = q7Zp2Lk9' + 'Xv4T')
    heard = run(box, agent, text, kind=kind)
    for where in '/dev/full', '/dev/null', 'closed':
        with open('/dev/null' if where == 'closed' else where, 'wb') as stdout:
            closed = {'preexec_fn': lambda: os.close(1)} if where == 'closed' else {}
            said = run(box, agent, text, kind=kind, stdout=stdout, **closed)
        # An agent that is told nothing on stdout hears the rest as it is.
        check(said[0] == 2 and said[2].strip() if heard[0] == 2 or heard[1] else said[::2] == heard[::2],
              kind, where, heard, said)


for agent in AGENTS:
    with tap.case('C8.2 what hooks deny or redact is not lost where nothing takes stdout: ' + agent.name), Box() as box:
        for kind, settings in ('tool', ALWAYS), ('result', ALWAYS), ('result', REDACTS), ('prompt', ALWAYS), ('stop', ALWAYS):
            if getattr(agent, kind):
                unheard(box, agent, kind, settings)

for agent in AGENTS:
    with tap.case('C8.2 a long answer arrives whole where a pipe is full and does not block: ' + agent.name), Box() as box:
        write_settings(box, {'hooks': {'BeforeTool': [{'hooks': [{
            'type': 'command', 'guard': True, 'command': "head -c 50000 /dev/zero | tr '\\0' x >&2; exit 2"}]}]}})
        _, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
        payload = box.write('payload', json.dumps(filled(agent.tool[0] if event else agent.tool, box)))
        ours, theirs = os.pipe()
        fcntl.fcntl(theirs, 1031, 4096)  # F_SETPIPE_SZ
        os.set_blocking(theirs, False)
        with open(payload, 'rb') as stdin, subprocess.Popen(
                [TROTLINE, 'hook', agent.name, *event], stdin=stdin, cwd=box.project, env=box.env, stdout=theirs,
                stderr=theirs) as p, open(ours, 'rb') as answer:
            os.close(theirs)
            wait_until(lambda: p.poll() is not None or array.array('i', fcntl.ioctl(ours, termios.FIONREAD, b'0000'))[0] >= 4096,
                       5, 'the pipe to fill')
            told = answer.read()
        check(p.returncode == 2 and told.count(b'x') > 15000, 'the answer', p.returncode, len(told))

# ---- files ----


def a_socket(path):
    with socket.socket(socket.AF_UNIX) as s:
        os.chdir(os.path.dirname(path))  # a name may have 108 bytes
        s.bind(os.path.basename(path))
        os.chdir('/')


def text_of(text):
    def write(path):
        with open(path, 'wb') as f:
            f.write(text)

    return write


ODD = {'a FIFO': os.mkfifo, 'a directory': os.mkdir, 'a loop': lambda path: os.symlink(path, path), 'a socket': a_socket,
       'no end': lambda path: os.symlink('/dev/zero', path), 'a link to nothing': lambda path: os.symlink('/nonexistent', path)}
GUARD = json.dumps(POLICY).encode()
NO_SETTINGS = dict(ODD, **{what: text_of(text) for what, text in {
    'empty': b'', 'NUL': b'\0', 'a BOM': b'\xef\xbb\xbf', 'UTF-16': json.dumps(POLICY).encode('utf-16'), 'NUL behind': GUARD + b'\0',
    'cut': GUARD[:-2], 'two': GUARD * 2, 'an open comment': GUARD + b'/*', 'huge': b' ' * (70 << 20), 'deep': b'[' * 100000,
    'a list': b'[]', 'null': b'null', 'guard is a word': b'{"guard": "on"}', 'Guard': GUARD.replace(b'guard', b'Guard'),
    'guards': GUARD.replace(b'guard', b'guards'), 'packs is a word': b'{"guard": {"packs": "destructive"}}',
    'packs is null': b'{"guard": {"packs": null}}', 'no such pack': b'{"guard": {"packs": ["nosuch"]}}',
    'twice': b'{"guard": {"packs": []}, "guard": {"packs": ["destructive"]}}',
    'a list of hooks': b'{"hooks": [%s]}' % json.dumps(ALWAYS['hooks']).encode()}.items()})


def put(path, make):
    if os.path.isdir(path) and not os.path.islink(path):
        shutil.rmtree(path)
    elif os.path.lexists(path):
        os.remove(path)
    make(path)


with tap.case('C8.2 settings that are no settings deny'), Box() as box:
    agent = named('claude')
    text = json.dumps(filled(agent.tool, box))
    write_settings(box, POLICY)
    for what, make in NO_SETTINGS.items():
        put(os.path.join(box.home, '.trotline/settings.json'), make)
        said = run(box, agent, text)
        check(is_denied(agent, said), what, said)

with tap.case('C8.2 records that cannot be kept change no answer'), Box() as box:
    agent = named('claude')
    write_settings(box, HOOK)
    after = filled(dict(agent.tool, hook_event_name='PostToolUse', tool_response='x'), box)
    path = os.path.join(box.home, '.trotline/records.jsonl')
    for what, make in dict(ODD, **{'a full device': lambda p: os.symlink('/dev/full', p), 'garbage': text_of(b'\xff\0{' * 9999)}).items():
        for place in (path, path + '.1'):
            put(place, make)
            said = run(box, agent, json.dumps(filled(agent.tool, box)))
            check(is_denied(agent, said), what, place, said)
            said = run(box, agent, json.dumps(after))
            check(said == (0, b'', b''), what, 'after the call', place, said)
            put(place, text_of(b''))
    with open(path, 'a', encoding='utf-8') as f:
        fcntl.flock(f, fcntl.LOCK_EX)
        seen = os.path.getsize(path)
        check(is_denied(agent, run(box, agent, json.dumps(filled(agent.tool, box)))), 'somebody has it locked')
        with open(path, encoding='utf-8') as g:
            g.seek(seen)
            check(json.loads(g.read())['outcome']['verdict'] == 'deny', 'the record is kept')

# ---- memory ----

if 'ALLOC_SHIM' in os.environ and not SAN:
    for name, settings in (('claude', POLICY), ('codex', HOOK)):
        with tap.case('C8.2 whichever allocation fails, the call is denied: ' + name), Box() as box:
            agent = named(name)
            write_settings(box, settings)
            text = json.dumps(filled(agent.tool, box)).replace(COMMAND, 'rm -rf ~; OUT')
            count = os.path.join(box.root, 'count')
            env = {'LD_PRELOAD': os.environ['ALLOC_SHIM'], 'ALLOC_COUNT': count}
            check(is_denied(agent, run(box, agent, text, env=dict(env, ALLOC_FAILS='0'))), 'none fails')
            with open(count, encoding='ascii') as f:
                all_of_them = int(f.read())
            check(all_of_them > 100, 'counted', all_of_them)
            for n in range(1, all_of_them + 1):
                said = run(box, agent, text, env=dict(env, ALLOC_FAILS=str(n)))
                # Before it knows what to say it ends by a signal: the command in the agent's file denies.
                check(is_denied(agent, said) or said[0] == -signal.SIGABRT, 'the allocation', n, said)

# ---- the kernel ----

# A pipe of the hook's that cannot be written for want of memory, a disk that fails: what could not be asked is denied, and so
# is what was asked when the answer could not be read.
PERSISTENT = """import json, sys
for line in sys.stdin:
    print(json.dumps({'seq': json.loads(line)['seq'], 'decision': 'deny', 'reason': 'NO'}), flush=True)
"""
READS = """if grep -q OUT; then echo '{"decision": "deny", "reason": "NO"}'; else echo '{}'; fi"""


def hook(command, **more):
    return {'hooks': {'BeforeTool': [{'hooks': [dict({'type': 'command', 'name': 'g', 'guard': True, 'command': command}, **more)]}]}}


if 'FAULT_SHIM' in os.environ and not SAN:
    for name, errnum, settings in (
            ('an error, a guard', errno.EIO, hook(READS)), ('nothing, a guard', 0, hook('echo NO >&2; exit 2')),
            ('a signal, a guard', errno.EINTR, hook(READS)), ('an error, a policy', errno.EIO, POLICY),
            ('an error, a persistent guard', errno.EIO, hook("python3 -I -c '%s'" % PERSISTENT.replace("'", '"'), persistent=True, timeout=1000))):
        with tap.case('C8.2, C6.5 whichever call of the system fails, the call is denied: ' + name), Box() as box:
            agent = named('claude')
            write_settings(box, settings)
            # More than a pipe holds.
            text = json.dumps(filled(agent.tool, box)).replace(COMMAND, 'rm -rf ~; OUT ' + 'x' * 100000)
            count = os.path.join(box.root, 'count')
            env = {'LD_PRELOAD': os.environ['FAULT_SHIM'], 'FAULT_COUNT': count, 'FAULT_ERRNO': str(errnum)}
            check(is_denied(agent, run(box, agent, text, env=dict(env, FAULT_AT='0'))), 'none fails')
            with open(count, encoding='ascii') as f:
                all_of_them = int(f.read())
            check(all_of_them > 5, 'counted', all_of_them)
            for n in range(1, all_of_them + 1):
                said = run(box, agent, text, env=dict(env, FAULT_AT=str(n)))
                check(said[0] == 2, 'the call', n, said)

tap.done()
