#!/usr/bin/env python3
"""trotline hook AGENT (C8.1 to C8.8): what every agent's payload becomes, in which words every verdict
leaves, and that whatever goes wrong is a denial there."""

import json
import os
import resource
import shutil
import signal
import time

from agentbox import TROTLINE, Box, Tap, check, wait_until
from hostagents import (AGENTS, COMMAND, KINDS, WHY, Said, ask, block, call_of, check_denied, claude, filled, hook, named, output,
                        permission, seen, settings)

tap = Tap()
point = tap.case


def each(name, agents=AGENTS):
    """Runs the function for every agent, in a box of its own."""

    def run(body):
        for agent in agents:
            with point('%s: %s' % (name, agent.name)), Box() as box:
                body(box, agent)

    return run


# ---- C8.1: payloads and answers ----


@each('C8.1 a hook sees the call in its own words')
def payloads(box, agent):
    hook(box, 'BeforeTool', '{}', matcher='')
    said = ask(box, agent, agent.tool)
    check(said.status == 0 and said.json == agent.none, 'no opinion is %s' % agent.none, said.r)
    got = seen(box)
    check(got['tool_name'] == 'run_shell_command' and got['tool_input']['command'] == COMMAND,
          'not seen as a command', got)
    check(got['cwd'] == box.project and got['session_id'] == 's', 'base members', got)


@each('C8.5 a hook of Claude Code sees Bash')
def claude_payloads(box, agent):
    hook(box, 'PreToolUse', permission('deny'), dialect='claude')
    with open(os.path.join(box.home, '.trotline/settings.json'), encoding='utf-8') as f:
        s = json.load(f)
    s['hooks']['PreToolUse'][0]['matcher'] = 'Bash'
    settings(box, s['hooks'])
    check_denied(agent, 'tool', agent.deny, ask(box, agent, agent.tool))
    got = seen(box)
    check(got['tool_name'] == 'Bash' and got['tool_input']['command'] == COMMAND and
          got['hook_event_name'] == 'PreToolUse', 'not what Claude Code sends', got)


@each('C8.6 denials')
def denials(box, agent):
    for kind, event in KINDS.items():
        payload, expected = getattr(agent, kind), getattr(agent, 'deny_' + kind, None)
        if kind == 'tool':
            expected = agent.deny
        if payload is None or (expected is None and not agent.status_only) or kind == 'start':
            continue
        hook(box, event, {'decision': 'deny', 'reason': WHY})
        check_denied(agent, kind, expected, ask(box, agent, payload))
        hook(box, event, "", command='echo "%s" >&2; exit 2' % WHY)
        check_denied(agent, kind, expected, ask(box, agent, payload))


@each('C8.1 ask')
def asks(box, agent):
    hook(box, 'BeforeTool', {'decision': 'ask', 'reason': WHY})
    said = ask(box, agent, agent.tool)
    if agent.ask:
        check(said.status == 0 and said.json == agent.ask, 'asks with %s' % agent.ask, said.r)
    else:
        check_denied(agent, 'tool', None, said)
        check('lets no hook ask' in said.err, 'does not say why', said.r)


@each('C8.1 a rewrite')
def rewrites(box, agent):
    hook(box, 'BeforeTool', {'hookSpecificOutput': {'tool_input': {'command': 'echo SAFE'}}})
    said = ask(box, agent, agent.tool)
    if not agent.rewrite:
        check_denied(agent, 'tool', None, said, 'echo SAFE')
        return
    safe = json.loads(json.dumps(agent.args).replace(COMMAND, 'echo SAFE'))
    check(said.status == 0 and said.json == filled(agent.rewrite(safe), box),
          'rewrites with %s' % agent.rewrite(safe), said.r)


@each('C8.1 a rewrite in the words of Claude Code')
def claude_rewrites(box, agent):
    hook(box, 'PreToolUse', output('PreToolUse', updatedInput={'command': 'echo SAFE'}),
         dialect='claude')
    said = ask(box, agent, agent.tool)
    if not agent.rewrite:
        check_denied(agent, 'tool', None, said, 'echo SAFE')
    else:
        check('echo SAFE' in json.dumps(said.json) and COMMAND not in json.dumps(said.json),
              'not rewritten', said.r)


@each('C8.1 context')
def contexts(box, agent):
    hook(box, 'BeforeTool', {'hookSpecificOutput': {'additionalContext': 'CTX'}})
    said = ask(box, agent, agent.tool)
    check(said.status == 0 and said.json == (agent.context or agent.none), 'context', said.r)
    hook(box, 'BeforeTool', {'decision': 'deny', 'reason': WHY,
                             'hookSpecificOutput': {'additionalContext': 'CTX'}})
    said = ask(box, agent, agent.tool)
    check('CTX' in said.err, 'the context of a denial is not in its reason', said.r)
    if agent.start:
        hook(box, 'SessionStart', {'hookSpecificOutput': {'additionalContext': 'CTX'}})
        said = ask(box, agent, agent.start)
        check(said.status == 0 and said.json == agent.start_context, 'of a session', said.r)


@each('C8.9 an allowance')
def allowances(box, agent):
    hook(box, 'PreToolUse', permission('allow'), dialect='claude')
    said = ask(box, agent, agent.tool)
    check(said.status == 0 and said.json == (agent.allow or agent.none), 'allow', said.r)


@each('C8.1 a stop before a tool is a denial')
def stops(box, agent):
    hook(box, 'BeforeTool', {'continue': False, 'stopReason': WHY})
    said = ask(box, agent, agent.tool)
    check_denied(agent, 'tool', None, said)


EVENT_NAMES = ('hook_event_name', 'hookEventName', 'hookName', 'event', 'event_type', 'agent_action_name')


def named_in(payload):
    return any(name in payload for name in EVENT_NAMES)


@each('C8.4 unknown events and members pass')
def unknown(box, agent):
    hook(box, 'BeforeTool', '{}', guard=True)
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    said = ask(box, agent, (dict(payload, brand_new={'x': [1]}), *event))
    check(said.status == 0 and said.json == agent.none, 'a member', said.r)
    said = ask(box, agent, (payload, 'BrandNewEvent'))
    check(said.status == 0 and said.json == (agent.none if named_in(payload) else None), 'an event', said.r)
    said = ask(box, agent, ({k: v for k, v in payload.items() if k not in EVENT_NAMES}, 'BrandNewEvent'))
    check(said.status == 0 and said.json is None, 'an event that the payload does not name', said.r)


# ---- C8.2: whatever goes wrong is a denial ----

# The others are rows over the same code: two with words of their own are asked here.
FEW = [a for a in AGENTS if a.name in ('claude', 'codex', 'cline', 'windsurf')]
GUARD = {'type': 'command', 'name': 'g', 'guard': True}
BROKEN = {
    'no JSON': b'garbage', 'nothing': b'', 'an array': b'[]', 'cut off': b'{"tool_name": "Ba',
    'no tool': None, 'deep': b'[' * 100000,
}


@each('C8.2 a payload that cannot be read')
def broken_payloads(box, agent):
    hook(box, 'BeforeTool', '{}')
    for name, text in BROKEN.items():
        payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
        if text is None:
            text = json.dumps({k: v for k, v in payload.items() if 'vent' in k}).encode()
            if agent.name in ('windsurf', 'cline'):
                continue
        said = ask(box, agent, (text, *event))
        check(said.status == 2 and said.err, name, said.r)
        check(not agent.json_only or said.json['cancel'] is True, name, said.r)


@each('C8.2 settings that cannot be used', FEW)
def broken_settings(box, agent):
    for text in ('{', '', '[]', '{"hooks": {"BeforeTool": [{"hooks": 7}]}, "hooksConfig": 3'):
        box.write('home/.trotline/settings.json', text)
        said = ask(box, agent, agent.tool)
        check_denied(agent, 'tool', None, said, 'settings')
    shutil.rmtree(box.home)
    check_denied(agent, 'tool', None, ask(box, agent, agent.tool), 'settings')


FAILURES = {
    'killed': 'kill -9 $$', 'exit 1': 'exit 1', 'garbage': 'echo fine',
    'missing': '/nonexistent/guard', 'no interpreter': None, 'silent end': 'kill -SEGV $$',
}


@each('C8.2 a guard that fails', FEW)
def failing_guards(box, agent):
    script = box.write('guard', '#!/nonexistent/python\n')
    os.chmod(script, 0o755)
    for name, command in FAILURES.items():
        settings(box, {'BeforeTool': [{'hooks': [dict(GUARD, command=command or script)]}]})
        said = ask(box, agent, agent.tool)
        check(said.status == 2 and said.err, name, said.r)
        check(agent.status_only or said.json, name + ' has no JSON', said.r)


@each('C8.2 its own deadline', FEW)
def deadlines(box, agent):
    settings(box, {'BeforeTool': [{'hooks': [
        dict(GUARD, command='trap "" TERM; while :; do sleep 1; done', timeout=600000)]}]})
    said = ask(box, agent, agent.tool, '--timeout', '3000')
    check(said.status == 2 and said.err, 'no denial', said.r)
    check(agent.status_only or said.json, 'no JSON', said.r)
    box.check_nobody_left()


def limited(which, value):
    def set_it():
        resource.setrlimit(which, (value, value))
        if which == resource.RLIMIT_CORE:
            signal.signal(signal.SIGTERM, signal.SIG_IGN)

    return set_it


SAN = 'san' in os.path.basename(os.path.dirname(TROTLINE))
LIMITS = {
    'descriptors': (resource.RLIMIT_NOFILE, 3), 'few descriptors': (resource.RLIMIT_NOFILE, 6),
    'processes': (resource.RLIMIT_CPU, 1),
}
if not SAN:
    LIMITS['memory'] = (resource.RLIMIT_AS, 12 << 20)
    LIMITS['data'] = (resource.RLIMIT_DATA, 1 << 20)
    LIMITS['stack'] = (resource.RLIMIT_STACK, 48 << 10)


@each('C8.2 limits', FEW)
def limits(box, agent):
    """With each limit a guard that allows may run, or the call is denied; never anything else."""
    for name, (which, value) in LIMITS.items():
        settings(box, {'BeforeTool': [{'hooks': [dict(
            GUARD, command='while :; do :; done' if name == 'processes' else 'echo "{}"')]}]})
        said = ask(box, agent, agent.tool, '--timeout', '20000', preexec_fn=limited(which, value))
        good = said.status == 2 and said.err or (said.status == 0 and said.json == agent.none)
        if name in ('descriptors', 'processes'):
            good = said.status == 2
        # A program that cannot be started at all is denied by the command that was installed.
        check(good or said.status in (127, -11, -9), name, said.r)
    if SAN:  # their own start writes files
        return
    settings(box, {'BeforeTool': [{'hooks': [dict(GUARD, command='echo "{}"')]}]})
    said = ask(box, agent, agent.tool, preexec_fn=limited(resource.RLIMIT_FSIZE, 0))
    check(said.status in (0, 2), 'a full disk', said.r)


@each('C8.2 a signal', FEW)
def signals(box, agent):
    fifo = os.path.join(box.root, 'fifo')
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT, signal.SIGSEGV, signal.SIGABRT,
                   signal.SIGXCPU, signal.SIGALRM, signal.SIGBUS, signal.SIGUSR1, signal.SIGUSR2,
                   signal.SIGIO, signal.SIGVTALRM, signal.SIGPROF, signal.SIGPWR):
        os.mkfifo(fifo)
        settings(box, {'BeforeTool': [{'hooks': [dict(
            GUARD, command='echo here > %s; sleep 60' % fifo)]}]})
        payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
        path = box.write('payload', json.dumps(filled(payload, box)))
        with open(path, 'rb') as stdin:
            since = time.monotonic()
            p = box.start(['hook', agent.name, *event], stdin=stdin)
            with open(fifo, encoding='utf-8') as f:
                f.read()
            p.send_signal(number)
            r = box.finish(p, since)
        said = Said(r)
        check(said.status == 2 and 'trotline' in said.err, signal.Signals(number).name, r)
        check(agent.status_only or said.json, 'no JSON', r)
        os.remove(fifo)


with point("C8.2 the deadline of an event that gets less time"), Box() as box:
    hook(box, 'SessionEnd', '', command='sleep 60')
    said = ask(box, named('codex'), claude(hook_event_name='SessionEnd', reason='other'))
    check(said.status == 0 and said.r.ms < 2900, 'it ends before Codex ends it', said.r)

with point('C8.2 without a guard that could apply nothing is denied'), Box() as box:
    agent = AGENTS[0]
    hook(box, 'BeforeTool', '', command='sleep 60')
    said = ask(box, agent, agent.tool, '--timeout', '1500')
    check(said.status == 0 and said.json is None, 'an ordinary hook that hangs', said.r)
    settings(box, {'BeforeTool': [{'matcher': 'write_file', 'hooks': [dict(GUARD, command='exit 1')]}]})
    said = ask(box, agent, agent.tool)
    check(said.status == 0 and said.json is None, 'a guard of another tool', said.r)

with point('C8.2 the denial of one hook is not lost to another that hangs'), Box() as box:
    agent = AGENTS[0]
    settings(box, {'BeforeTool': [{'hooks': [
        {'type': 'command', 'command': 'sleep 60'},
        {'type': 'command', 'command': 'echo "%s" >&2; exit 2' % WHY}]}]})
    check_denied(agent, 'tool', agent.deny, ask(box, agent, agent.tool, '--timeout', '2000'))

with point('C8.7 nothing holds its stdout or stderr'), Box() as box:
    agent = AGENTS[1]
    hook(box, 'BeforeTool', '', command='sleep 60 & echo "{\\"decision\\":\\"deny\\",\\"reason\\":\\"%s\\"}"' % WHY)
    said = ask(box, agent, agent.tool)
    check_denied(agent, 'tool', agent.deny, said)
    check(said.r.ms < 30000, 'it waited for what the hook left behind', said.r)

with point('C8.6 a reason of any length is bounded on stderr'), Box() as box:
    agent = AGENTS[0]
    hook(box, 'BeforeTool', {'decision': 'deny', 'reason': '\u20ac' * 100000})
    said = ask(box, agent, agent.tool)
    check(said.status == 2 and 1000 < len(said.err.encode()) <= 65536, 'stderr', len(said.err))

with point('C8.5 which hooks run: ours, and those that sources names'), Box() as box:
    agent, deny = AGENTS[1], 'echo %s >&2; exit 2' % WHY
    entry = [{'hooks': [{'type': 'command', 'command': deny}]}]
    box.write('home/.claude/settings.json', json.dumps({'hooks': {'PreToolUse': entry}}))
    box.write('home/.gemini/settings.json', json.dumps({'hooks': {'BeforeTool': entry}}))
    said = ask(box, agent, agent.tool)
    check(said.status == 0, "other agents' hooks without sources", said.r)
    for source in ('claude', 'gemini'):
        settings(box, {}, hooksConfig={'sources': [source]})
        check_denied(agent, 'tool', agent.deny, ask(box, agent, agent.tool))
        own = [a for a in AGENTS if a.name == source][0]
        said = ask(box, own, own.tool)
        check(said.status == 0, 'the agent runs its own', said.r)

with point('C8.1 a patch of Codex shows the files that it touches'), Box() as box:
    agent = AGENTS[1]
    box.write('home/.trotline/settings.json', json.dumps({'hooks': {'PreToolUse': [
        {'matcher': 'Edit|Write', 'hooks': [{
            'type': 'command', 'dialect': 'claude',
            'command': 'python3 -I -c \'import json,sys; d=json.load(sys.stdin)["tool_input"]; '
                       'sys.exit("%s " + d["file_path"] if ".env" in d["file_path"] else 0)\' '
                       '2> err || { cat err >&2; exit 2; }' % WHY}]}]}}))
    patch = ('*** Begin Patch\n*** Add File: a.txt\n+x\n*** Update File: src/b.c\n@@\n-a\n+b\n'
             '%s*** End Patch\n')
    for extra, denied in (('', False), ('*** Delete File: .env\n', True),
                          ('*** Update File: c\n*** Move to: conf/.env\n@@\n-x\n+y\n', True),
                          ('*** Add File: .env\n+KEY=1\n', True)):
        said = ask(box, agent, claude(hook_event_name='PreToolUse', tool_name='apply_patch',
                                      tool_input={'command': patch % extra}))
        check(said.status == (2 if denied else 0), repr(extra), said.r)

with point('C8.1 a call of several commands is asked about one by one'), Box() as box:
    agent = [a for a in AGENTS if a.name == 'cline'][0]
    hook(box, 'BeforeTool', '', command='grep -q EVIL && { echo "%s" >&2; exit 2; } || true' % WHY)
    for commands, denied in ((['ls', 'pwd'], False), (['ls', 'EVIL'], True), (['EVIL', 'ls'], True)):
        said = ask(box, agent, {'hookName': 'tool_call', 'workspaceRoots': [box.project], 'tool_call': {
            'id': 'c', 'name': 'run_commands', 'input': {'commands': commands}}})
        check(said.json['cancel'] is denied, str(commands), said.r)

with point('C8.1 MCP tools of an agent are those of their server'), Box() as box:
    box.write('home/.trotline/settings.json', json.dumps({'hooks': {'PreToolUse': [
        {'matcher': 'mcp__stock__.*', 'hooks': [{'type': 'command', 'dialect': 'claude',
                                                 'command': 'echo "%s" >&2; exit 2' % WHY}]}]}}))
    for agent, payload in (
            (AGENTS[0], claude(hook_event_name='PreToolUse', tool_name='mcp__stock__buy', tool_input={})),
            (AGENTS[2], claude(hook_event_name='BeforeTool', tool_name='mcp_stock_buy', tool_input={},
                               mcp_context={'server_name': 'stock', 'tool_name': 'buy'}))):
        check_denied(agent, 'tool', None, ask(box, agent, payload))

SECRET = 'grep -q SECRET && { echo "%s" >&2; exit 2; } || true' % WHY


@each('C8.2 a directory that cannot be entered')
def directories(box, agent):
    """Neither a payload's directory nor a command's decides whether hooks can start."""
    hook(box, 'BeforeTool', '', command=SECRET)
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    for directory in ('/gone', '/' + 'x' * 5000, box.root + '/payload/x', 'relative', ''):
        text = json.dumps(filled(payload, box)).replace(COMMAND, 'SECRET')
        text = text.replace(json.dumps(box.project), json.dumps(directory)).encode()
        check_denied(agent, 'tool', None, ask(box, agent, (text, *event)))


@each('C8.5 the project is not chosen by a command', FEW)
def projects(box, agent):
    box.write('project/.trotline/settings.json', json.dumps({'hooks': {'BeforeTool': [{'hooks': [
        {'type': 'command', 'command': 'echo "%s" >&2; exit 2' % WHY}]}]}}))
    os.makedirs(box.project + '/sub/.git')
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    for directory in (box.project + '/sub', '/tmp', '/gone'):
        text = json.dumps(filled(payload, box)).replace(json.dumps(box.project), json.dumps(directory))
        check_denied(agent, 'tool', None, ask(box, agent, (text.encode(), *event)))


PATCHES = [
    '*** Begin Patch\n%s\n@@\n-a\n+b\n*** End Patch\n' % head
    for head in ('*** Update File: SECRET', ' *** Update File: SECRET', '\t*** Delete File: SECRET',
                 '\u00a0*** Add File: SECRET\n+x', '*** Delete File:SECRET', '***  Update File: SECRET  ',
                 '*** Add File: ok\n+x\n  *** Update File: SECRET', '*** Update File: ok\n*** Move to: SECRET',
                 '*** Update File: SECRET\r')]

with point('C8.1 all files of a patch are shown, however it is written'), Box() as box:
    hook(box, 'BeforeTool', '', command=SECRET)
    for agent, tool, key in ((named('codex'), 'apply_patch', 'command'), (named('droid'), 'ApplyPatch', 'input'),
                             (named('vscode'), 'apply_patch', 'input')):
        for patch in PATCHES:
            said = ask(box, agent, claude(hook_event_name='PreToolUse', tool_name=tool,
                                          tool_input={key: patch}))
            check_denied(agent, 'tool', None, said)
        for odd in ({key: 'nothing'}, {key: ''}, {}, {key: ['x']}, {'other': PATCHES[0]}, 'text', [], None):
            said = ask(box, agent, claude(hook_event_name='PreToolUse', tool_name=tool, tool_input=odd))
            check(said.status == 2, 'a patch without a file: %r' % odd, said.r)

with point('C8.2 what hooks cannot be asked about whole is denied'), Box() as box:
    hook(box, 'BeforeTool', '{}', guard=True)
    for n, denied in ((100, False), (1001, True)):
        patch = '*** Begin Patch\n' + ''.join('*** Delete File: f%d\n' % i for i in range(n))
        said = ask(box, named('codex'), claude(hook_event_name='PreToolUse', tool_name='apply_patch',
                                               tool_input={'command': patch}), '--timeout', '200000')
        check((said.status == 2) is denied, str(n), said.r)

with point('C8.1 two arguments for one thing are both asked about'), Box() as box:
    hook(box, 'BeforeTool', '', command=SECRET)
    for agent, payload in (
            (named('cursor'), {'hook_event_name': 'preToolUse', 'tool_name': 'Read',
                               'tool_input': {'file_path': 'SECRET', 'path': 'ok'}}),
            (named('cursor'), {'hook_event_name': 'preToolUse', 'tool_name': 'Read',
                               'tool_input': {'file_path': 'ok', 'path': 'SECRET'}}),
            (named('cursor'), {'hook_event_name': 'beforeReadFile', 'file_path': 'SECRET',
                               'tool_input': {'path': 'ok'}}),
            (named('kiro'), claude(hook_event_name='PreToolUse', tool_name='fs_read', tool_input={
                'operations': [{'path': 'SECRET'}], 'path': 'ok'})),
            (named('cline'), {'hookName': 'tool_call', 'tool_call': {'name': 'read_files', 'input': {
                'files': [{'path': 'SECRET'}], 'paths': ['ok']}}}),
            (named('kiro'), claude(hook_event_name='PreToolUse', tool_name='fs_read', tool_input={
                'operations': [{'path': 'ok'}, {'path': 'SECRET'}], 'path': 'ok'})),
            (named('windsurf'), {'agent_action_name': 'pre_run_command', 'tool_info': {
                'command_line': 'SECRET', 'mcp_tool_arguments': {'command_line': 'ok'}}})):
        check_denied(agent, 'tool', None, ask(box, agent, payload))

with point("C8.1 a server's tool is the server's, whatever it is called"), Box() as box:
    hook(box, 'BeforeTool', '', command='echo "%s" >&2; exit 2' % WHY)
    settings(box, {'BeforeTool': [{'matcher': 'mcp__.*', 'hooks': [
        {'type': 'command', 'command': 'echo "%s" >&2; exit 2' % WHY}]}]})
    for name in ('run_command', 'read_code', 'create_issue'):
        check_denied(named('windsurf'), 'tool', None, ask(box, named('windsurf'), {
            'agent_action_name': 'pre_mcp_tool_use', 'tool_info': {
                'mcp_server_name': 's', 'mcp_tool_name': name, 'mcp_tool_arguments': {}}}))
    for name in ('Read', 'Shell', 'x'):
        check_denied(named('cursor'), 'tool', None, ask(box, named('cursor'), {
            'hook_event_name': 'beforeMCPExecution', 'tool_name': name, 'tool_input': '{}'}))

with point('C8.1 a prompt that is no text is a prompt'), Box() as box:
    hook(box, 'BeforeAgent', '', command=SECRET)
    for prompt in ([{'type': 'text', 'text': 'SECRET'}], {'text': 'SECRET'}, 'SECRET'):
        for agent in (named('claude'), named('codex'), named('qwen')):
            check_denied(agent, 'prompt', None, ask(
                box, agent, claude(hook_event_name='UserPromptSubmit', prompt=prompt)))

with point('C8.2 a known denial is not lost to what comes later'), Box() as box:
    agent = named('codex')
    hook(box, 'BeforeTool', '', command='grep -q f0 && { echo "%s" >&2; exit 2; }; sleep 60' % WHY)
    patch = '*** Begin Patch\n' + ''.join('*** Delete File: f%d\n' % i for i in range(40))
    said = ask(box, agent, claude(hook_event_name='PreToolUse', tool_name='apply_patch',
                                  tool_input={'command': patch}), '--timeout', '3000')
    check_denied(agent, 'tool', None, said)

with point('C8.2 the event that the command line names'), Box() as box:
    hook(box, 'BeforeTool', '', command='echo "%s" >&2; exit 2' % WHY)
    said = ask(box, named('codex'), (named('codex').tool, 'Stop'))
    check(said.status == 2, 'the payload is of another event', said.r)
    said = ask(box, named('copilot'), (b'x', 'userPromptSubmitted'))
    check(said.json and said.json['decision'] == 'block', 'in the words of its event', said.r)

with point('C7.9 refusing an end makes no home directory'), Box() as box:
    shutil.rmtree(box.home)
    agent = named('claude')
    for _ in range(2):
        check(ask(box, agent, agent.stop).status in (0, 2), 'an end')
        check(ask(box, agent, agent.tool).status == 2, 'a call')
    check(not os.path.exists(box.home), 'made')

with point('C8.8 where refusals cannot be counted'), Box() as box:
    agent = named('codex')
    hook(box, 'AfterAgent', '', command='echo "%s" >&2; exit 2' % WHY)
    box.write('home/.trotline/stops', 'in the way')
    check(ask(box, agent, agent.stop).status == 2, 'the first')
    check(ask(box, agent, dict(agent.stop, stop_hook_active=True)).status == 0, 'the next')

with point('C8.1 a rewrite that an agent cannot express is a denial'), Box() as box:
    agent = named('claude')
    for change in ({'end_line': 2}, {'end_line': None}, {'start_line': 5}):
        hook(box, 'BeforeTool', {'hookSpecificOutput': {'tool_input': change}})
        said = ask(box, agent, claude(hook_event_name='PreToolUse', tool_name='Read', tool_input={
            'file_path': '/f', 'offset': 10, 'limit': 5}))
        check(said.status == 2, str(change), said.r)
    hook(box, 'BeforeTool', {'hookSpecificOutput': {'tool_input': {'command': 'safe'}}})
    for args in ('rm x', ['rm x']):
        said = ask(box, agent, claude(hook_event_name='PreToolUse', tool_name='Bash', tool_input=args))
        check(said.status == 2, str(args), said.r)

# ---- C2.11, C8.1: tools that no row names ----

FILES = [  # the agent's tool and arguments; all of them touch SECRET/f, with the names that agents have
    ('claude', 'NotebookEdit', {'notebook_path': 'SECRET/f', 'new_source': 'x'}),
    ('claude', 'MultiEdit', {'file_path': 'SECRET/f', 'edits': [{'old_string': 'a', 'new_string': 'b'}]}),
    ('claude', 'BrandNewTool', {'where': {'filePath': 'SECRET/f'}}),
    ('claude', 'mcp__disk__write', {'path': 'SECRET/f'}),
    ('claude', 'str_replace_based_edit_tool', {'command': 'create', 'path': 'SECRET/f', 'file_text': 'x'}),
    ('qwen', 'edit', {'file_path': 'SECRET/f', 'old_string': 'a', 'new_string': 'b'}),
    ('qwen', 'read_many_files', {'paths': ['ok', 'SECRET/f']}),
    ('qwen', 'read_file', {'absolute_path': 'SECRET/f'}),
    ('gemini', 'read_many_files', {'include': ['ok', 'SECRET/f']}),
    ('gemini', 'brand_new', {'file_path': 'SECRET/f'}),
    ('droid', 'MultiEdit', {'file_path': 'SECRET/f', 'changes': []}),
    ('auggie', 'remove-files', {'file_paths': ['ok', 'SECRET/f']}),
    ('auggie', 'str_replace_editor', {'command': 'view', 'path': 'SECRET/f'}),
    ('vscode', 'multi_replace_string_in_file', {'replacements': [
        {'filePath': 'ok', 'oldString': 'a', 'newString': 'b'},
        {'filePath': 'SECRET/f', 'oldString': 'a', 'newString': 'b'}]}),
    ('vscode', 'edit_notebook_file', {'filePath': 'SECRET/f', 'newCode': 'x'}),
    ('vscode', 'insert_edit_into_file', {'filePath': 'SECRET/f', 'code': 'x'}),
    ('vscode', 'create_directory', {'dirPath': 'SECRET/f'}),
    ('cursor', 'Delete', {'path': 'SECRET/f'}), ('cursor', 'EditNotebook', {'target_notebook': 'SECRET/f'}),
    ('copilot', 'Edit', {'path': 'SECRET/f', 'old_str': 'a', 'new_str': 'b'}),
    ('copilot', 'rename', {'from': 'ok', 'to': 'SECRET/f'}),
    ('antigravity', 'multi_replace_file_content', {'TargetFile': 'SECRET/f', 'ReplacementChunks': [
        {'TargetContent': 'a', 'ReplacementContent': 'b'}]}),
    ('antigravity', 'view_file_outline', {'AbsolutePath': 'SECRET/f'}),
    ('kiro', 'fs_append', {'path': 'SECRET/f', 'text': 'x'}), ('kiro', 'delete_file', {'path': 'SECRET/f'}),
    ('cline', 'read_multiple_files', {'paths': ['ok', 'SECRET/f']}),
    ('cline', 'apply_patch', {'input': '*** Begin Patch\n*** Delete File: SECRET/f\n*** End Patch\n'}),
    ('goose', 'developer__text_editor', {'command': 'write', 'path': 'SECRET/f', 'file_text': 'x'}),
    ('crush', 'multiedit', {'file_path': 'SECRET/f', 'edits': [{'old_string': 'a', 'new_string': 'b'}]}),
    ('openhands', 'str_replace_editor', {'command': 'create', 'path': 'SECRET/f'}),
    ('opencode', 'multiedit', {'filePath': 'SECRET/f', 'edits': [{'oldString': 'a', 'newString': 'b'}]}),
    ('opencode', 'disk_write_file', {'path': 'SECRET/f'}),
    ('devin', 'rename_file', {'old_path': 'SECRET/f', 'new_path': 'ok'}),
    ('grok', 'delete_file', {'target_file': 'SECRET/f'}), ('pi', 'view', {'path': 'file://{project}/SECRET/f'}),
    ('openclaw', 'create_file', {'filename': 'SECRET/f', 'content': 'x'}),
    ('amp', 'delete_file', {'path': 'SECRET/f'}),
]
SHELLS = [
    ('claude', 'PowerShell', 'command'), ('claude', 'Monitor', 'command'), ('codex', 'exec_command', 'cmd'),
    ('codex', 'shell', 'command'), ('copilot', 'powershell', 'command'), ('cursor', 'run_terminal_cmd', 'command'),
    ('vscode', 'my_new_terminal', 'commandLine'), ('antigravity', 'send_command_input', 'Input'),
    ('kiro', 'executePwsh', 'command'), ('openclaw', 'process', 'data'), ('opencode', 'shell', 'command'),
]


with point('C2.11 a guard of files sees every tool that names one'), Box() as box:
    os.makedirs(box.project + '/SECRET')
    os.symlink('SECRET/f', box.project + '/link')
    settings(box, {'BeforeTool': [{'hooks': [dict(GUARD, command=(
        'python3 -I -c \'import json, sys; d = json.load(sys.stdin); sys.exit('
        'any(p.endswith("/project/SECRET/f") for p in d["tool_paths"]) and "%s" or 0)\' '
        '2> err || { cat err >&2; exit 2; }' % WHY))]}]})
    for name, tool, args in FILES:
        text = json.dumps(args)
        for path, denied in (('SECRET/f', True), ('link', True), ('./x/../SECRET/f', True), ('fine', False)):
            if '*** ' in text and path == 'link':
                continue
            said = ask(box, named(name), call_of(named(name), tool, json.loads(text.replace('SECRET/f', path))))
            check((said.status == 2) is denied, name, tool, path, said.r)

with point('C2.11 a path in any spelling'), Box() as box:
    os.makedirs(box.project + '/SECRET')
    os.makedirs(box.root + '/else/deep')
    os.symlink(box.root + '/else/deep', box.project + '/aside')
    os.symlink(box.project + '/SECRET/f', box.root + '/else/f')
    settings(box, {'BeforeTool': [{'hooks': [dict(GUARD, command=(
        'python3 -I -c \'import json, sys; d = json.load(sys.stdin); sys.exit('
        'any(p.endswith("/project/SECRET/f") for p in d["tool_paths"]) and "%s" or 0)\' '
        '2> err || { cat err >&2; exit 2; }' % WHY))]}]})
    secret = box.project + '/SECRET/f'
    for path in ('a\n/../SECRET/f', './' * 3000 + 'SECRET/f', 'x://../SECRET/f', 'aside/../f', secret + '\0.txt',
                 'file://' + secret, 'FILE://' + secret, 'file://localhost' + secret,
                 'file://' + secret.replace('SECRET', '%53ECRET')):
        for tool, key in (('Write', 'file_path'), ('BrandNew', 'path'), ('BrandNew', 'outputPath'),
                          ('mcp__disk__send', 'local_file')):
            said = ask(box, named('claude'), call_of(named('claude'), tool, {key: path}))
            check(said.status == 2, tool, key, path[:50], said.r)
    for key, path in (('path', 'SECRET'), ('xpath', 'SECRET/f'), ('url', 'https://example.com/SECRET/f')):
        said = ask(box, named('claude'), call_of(named('claude'), 'BrandNew', {key: path}))
        check(said.status == 0, key, path, said.r)

with point('C7.9 a project in a project takes no guard away'), Box() as box:
    settings(box, {})
    box.write('project/.trotline/settings.json', json.dumps({'hooks': {'BeforeTool': [{'hooks': [
        dict(GUARD, command='echo "%s" >&2; exit 2' % WHY)]}]}}))
    check(box.run('hooks', 'trust', '--yes').status == 0, 'trusted')
    os.makedirs(box.project + '/sub/.git')
    box.write('project/sub/.trotline/settings.json', '{}')
    payload, = call_of(named('claude'), 'Write', {'file_path': 'x'})
    payload['cwd'] = box.project + '/sub'
    for where in ('', '/sub'):
        box.project += where
        said = ask(box, named('claude'), payload)
        check(said.status == 2 and WHY in said.err, where, said.r)

with point('C8.1 a guard of a kind of tools sees those that no row names'), Box() as box:
    for name, tool, args in FILES:
        if tool in ('BrandNewTool', 'brand_new', 'mcp__disk__write', 'disk_write_file'):
            continue
        settings(box, {'PreToolUse': [{'matcher': 'Read|Write|Edit|LS', 'hooks': [
            {'type': 'command', 'dialect': 'claude', 'command': SECRET}]}]})
        said = ask(box, named(name), call_of(named(name), tool, args))
        check(said.status == 2, name, tool, said.r)
    for name, tool, key in SHELLS:
        settings(box, {'BeforeTool': [{'matcher': 'run_shell_command', 'hooks': [
            {'type': 'command', 'command': SECRET}]}]})
        said = ask(box, named(name), call_of(named(name), tool, {key: 'cat SECRET'}))
        check(said.status == 2, name, tool, said.r)

with point('C5.1 a matcher may call a tool that no row names as the agent does'), Box() as box:
    for dialect, event in (('claude', 'PreToolUse'), ('gemini', 'BeforeTool')):
        for matcher in ('NotebookEdit', '^Notebook.*$', 'MultiEdit|NotebookEdit'):
            settings(box, {event: [{'matcher': matcher, 'hooks': [
                {'type': 'command', 'dialect': dialect, 'command': SECRET}]}]})
            for tool, denied in (('NotebookEdit', True), ('Edit', False)):
                said = ask(box, named('claude'), call_of(named('claude'), tool, {'notebook_path': 'SECRET'}))
                check((said.status == 2) is denied, dialect, matcher, tool, said.r)

with point("C8.1 the names of servers' tools, however an agent spells them"), Box() as box:
    for name, tool in (('copilot', 'my-stock-buy'), ('copilot', 'my-stock-buy-now'), ('droid', 'my-stock___buy'),
                       ('droid', 'mcp__my-stock__buy'), ('grok', 'my-stock___buy'), ('goose', 'my-stock__buy'),
                       ('grok', 'my-stock__buy'), ('copilot', 'my-stock/buy'), ('codex', 'mcp__my_stock__buy'),
                       ('kiro', '@my-stock/buy'), ('vscode', 'mcp_my-stock_buy'), ('crush', 'mcp_my-stock_buy'),
                       ('opencode', 'my-stock_buy'), ('kilo', 'my-stock_buy'), ('cline', 'my-stock__buy'),
                       ('antigravity', 'mcp_my-stock_buy'), ('amp', 'mcp__my-stock__buy')):
        for matcher, denied in (('mcp__my-stock__buy.*', True), ('mcp__other__.*', False)):
            settings(box, {'PreToolUse': [{'matcher': matcher, 'hooks': [
                {'type': 'command', 'dialect': 'claude', 'command': 'echo "%s" >&2; exit 2' % WHY}]}]})
            said = ask(box, named(name), call_of(named(name), tool, {'n': 1}))
            check((said.status == 2) is denied, name, tool, matcher, said.r)
    for payload in ({'tool_call': {'name': 'use_mcp_tool', 'input': {
            'server_name': 'my-stock', 'tool_name': 'buy', 'arguments': {}}}},
                    {'preToolUse': {'toolName': 'use_mcp_tool', 'parameters': {
                        'server_name': 'my-stock', 'tool_name': 'buy', 'arguments': '{}'}}}):
        settings(box, {'PreToolUse': [{'matcher': 'mcp__my-stock__buy', 'hooks': [
            {'type': 'command', 'dialect': 'claude', 'command': 'echo "%s" >&2; exit 2' % WHY}]}]})
        check_denied(named('cline'), 'tool', None, ask(box, named('cline'), dict(payload, hookName='PreToolUse')))

with point('C2.11 every address of a call is asked about'), Box() as box:
    settings(box, {'PreToolUse': [{'matcher': 'WebFetch', 'hooks': [
        {'type': 'command', 'dialect': 'claude', 'command': 'python3 -I -c \'import json, sys; sys.exit('
         '"evil" in json.load(sys.stdin)["tool_input"].get("url", "") and "%s" or 0)\' '
         '2> err || { cat err >&2; exit 2; }' % WHY}]}]})
    for name, tool, args, denied in (
            ('gemini', 'web_fetch', {'prompt': 'of https://good.com and https://evil.com'}, True),
            ('gemini', 'web_fetch', {'prompt': 'of https://good.com'}, False),
            ('claude', 'WebFetch', {'url': 'https://evil.com', 'prompt': 'as on https://good.com'}, True),
            ('vscode', 'fetch_webpage', {'urls': ['https://good.com', 'https://evil.com']}, True),
            ('copilot', 'fetch', {'url': 'https://evil.com'}, True)):
        said = ask(box, named(name), call_of(named(name), tool, args))
        check((said.status == 2) is denied, name, args, said.r)

with point("C8.1 Copilot with Claude Code's names of events"), Box() as box:
    call = claude(hook_event_name='PreToolUse', tool_name='Bash', tool_input={'command': COMMAND})
    hook(box, 'BeforeTool', {'decision': 'deny', 'reason': WHY})
    said = ask(box, named('copilot'), call)
    check_denied(named('copilot'), 'tool', dict(named('copilot').deny, **permission('deny')), said)
    hook(box, 'BeforeTool', {'hookSpecificOutput': {'tool_input': {'command': 'echo SAFE'}}})
    said = ask(box, named('copilot'), call)
    check(said.json == dict(output('PreToolUse', updatedInput={'command': 'echo SAFE'}),
                            modifiedArgs={'command': 'echo SAFE'}), 'a rewrite', said.r)
    hook(box, 'AfterAgent', '', command='echo "%s" >&2; exit 2' % WHY)
    said = ask(box, named('copilot'), claude(hook_event_name='Stop', stop_hook_active=False))
    check(said.json == block(), 'an end', said.r)

# ---- the other events ----

AGENT = {'agent_id': 'a1', 'agent_type': 'worker'}
REQUEST = claude(hook_event_name='PermissionRequest', tool_name='Bash', tool_input={'command': COMMAND},
                 permission_suggestions=[])
EVENTS = [  # agent, payload, the hook's event, what a denial is; None = it cannot be refused there
    ('claude', claude(hook_event_name='SubagentStop', stop_hook_active=False, **AGENT), 'SubagentStop', block()),
    ('claude', claude(hook_event_name='TeammateIdle', teammate_name='worker', team_name='t', agent_id='a1'), 'SubagentStop', block()),
    ('codex', claude(hook_event_name='SubagentStop', stop_hook_active=False, **AGENT), 'SubagentStop', block()),
    ('droid', claude(hook_event_name='SubagentStop', task_name='worker', agent_id='a1'), 'SubagentStop', block()),
    ('copilot', ({'sessionId': 's', 'agentName': 'worker', 'agentId': 'a1'}, 'subagentStop'), 'SubagentStop',
     block()),
    ('cursor', {'hook_event_name': 'subagentStop', 'conversation_id': 's', 'subagent_type': 'worker'},
     'SubagentStop', {'followup_message': WHY}),
    ('cursor', {'hook_event_name': 'subagentStart', 'conversation_id': 's', 'subagent_type': 'worker'},
     'SubagentStart', {'permission': 'deny', 'user_message': WHY}),
    ('claude', claude(hook_event_name='SubagentStart', **AGENT), 'SubagentStart', None),
    ('claude', REQUEST, 'PermissionRequest', output('PermissionRequest', decision={
        'behavior': 'deny', 'message': WHY})),
    ('codex', REQUEST, 'PermissionRequest', output('PermissionRequest', decision={
        'behavior': 'deny', 'message': WHY})),
    ('copilot', ({'sessionId': 's', 'toolName': 'bash', 'toolInput': {'command': COMMAND}}, 'permissionRequest'),
     'PermissionRequest', {'behavior': 'deny', 'message': WHY}),
    ('claude', claude(hook_event_name='PostToolBatch', tool_calls=[
        {'tool_name': 'Bash', 'tool_input': {'command': COMMAND}, 'tool_use_id': 't', 'tool_response': 'x'}]),
     'PostToolBatch', block()),
    ('claude', claude(hook_event_name='UserPromptExpansion', expansion_type='slash_command', command_name='x',
                      command_args='', prompt='/x'), 'UserPromptExpansion', block()),
    ('claude', claude(hook_event_name='PostCompact', trigger='auto', compact_summary='x'), 'PostCompact', None),
    ('claude', claude(hook_event_name='StopFailure', error='rate_limit'), 'StopFailure', None),
    ('claude', claude(hook_event_name='InstructionsLoaded', load_reason='include', file_path='/x',
                      memory_type='User'), 'InstructionsLoaded', None),
    ('claude', claude(hook_event_name='Setup', trigger='init'), 'Setup', None),
    ('claude', dict(REQUEST, hook_event_name='PermissionDenied', reason='policy'), 'PermissionDenied', None),
    ('devin', claude(hook_event_name='PostCompaction'), 'PostCompact', None),
    ('claude', claude(hook_event_name='PreModelSwitch', to_model='a', from_model='b', requested_model='a',
                      source='command', context_tokens=1), 'PreModelSwitch', permission('deny', 'PreModelSwitch')),
    ('claude', claude(hook_event_name='PostModelSwitch', to_model='a', from_model='b', requested_model='a',
                      source='auto', context_tokens=1), 'PostModelSwitch', None),
    ('claude', claude(hook_event_name='ConfigChange', source='project_settings'), 'ConfigChange', block()),
    ('claude', claude(hook_event_name='Elicitation', mcp_server_name='s', message='m', mode='form'), 'Elicitation',
     output('Elicitation', action='decline')),
    ('claude', claude(hook_event_name='ElicitationResult', mcp_server_name='s', mode='form', action='accept',
                      content={'a': 'b'}), 'ElicitationResult', output('ElicitationResult', action='decline')),
    ('claude', claude(hook_event_name='TaskCreated', task_id='1', task_subject='x'), 'TaskCreated', block()),
    ('claude', claude(hook_event_name='TaskCompleted', task_id='1', task_subject='x'), 'TaskCompleted', block()),
    ('claude', claude(hook_event_name='DirectoryAdded', source='slash_command', directory='/srv'), 'DirectoryAdded',
     None),
    ('claude', claude(hook_event_name='FileChanged', file_path='{project}/.env', event='change'), 'FileChanged', None),
    ('qwen', claude(hook_event_name='TodoCreated', todo_id='1', todo_content='x', todo_status='pending', all_todos=[],
                    phase='validation'), 'TaskCreated', block()),
    ('qwen', claude(hook_event_name='TodoCompleted', todo_id='1', todo_content='x', previous_status='pending',
                    all_todos=[]), 'TaskCompleted', block()),
    ('qwen', claude(hook_event_name='MessageDisplay', message_id='m', displayed_text='all of it', is_final=True),
     'MessageDisplay', None),
]

with point('C2.12 every event of an agent that the engine has'), Box() as box:
    for name, payload, event, denial in EVENTS:
        hook(box, event, '', dialect='claude', guard=event == 'SubagentStart' and denial is not None, command='cat > %s/seen; echo "%s" >&2; exit 2' % (box.root, WHY))
        said, agent = ask(box, named(name), payload), named(name)
        got = seen(box)
        check(got['hook_event_name'] == event, name, got)
        if event in ('SubagentStart', 'SubagentStop'):
            check(got['agent_type'] == 'worker' and (name == 'cursor' or got['agent_id'] == 'a1'), name, got)
        if event in ('PermissionRequest', 'PermissionDenied'):
            check(got['tool_name'] == 'Bash' and got['tool_input']['command'] == COMMAND, name, got)
        if event == 'PostToolBatch':
            check(got['tool_calls'][0]['tool_name'] == 'Bash', got)
        if event in ('TaskCreated', 'TaskCompleted'):
            check(got['task_id'] == '1' and got['task_subject'] == 'x', name, got)
        if event == 'FileChanged':
            check(got['file_path'].endswith('/.env') and got['event'] == 'change', name, got)
        if event == 'MessageDisplay':
            check(got['delta'] == 'all of it' and got['final'] is True and got['index'] == 0, name, got)
        if denial is None:
            check(said.status == 0, 'cannot be refused', name, event, said.r)
            continue
        check(said.json == denial and WHY in said.err, name, event, said.r)
    # A sub-agent's id is in the record of what it does.
    hook(box, 'BeforeTool', '{}')
    ask(box, named('claude'), dict(named('claude').tool, **AGENT))
    with open(box.home + '/.trotline/records.jsonl', encoding='utf-8') as f:
        record = json.loads(f.readlines()[-1])
    check(record['host'] == 'claude' and record['agent_id'] == 'a1' and record['agent'] == 'worker', record)
    check(seen(box)['agent_id'] == 'a1', 'the payload', seen(box))

with point('C8.6 what Qwen Code is told of the result of a command that failed'), Box() as box:
    failed = claude(hook_event_name='PostToolUseFailure', tool_name='run_shell_command', error='it failed',
                    tool_input={'command': COMMAND})
    hook(box, 'AfterTool', dict(block('deny'), hookSpecificOutput={'additionalContext': 'CTX'}))
    said = ask(box, named('qwen'), failed)
    check(said.status == 0 and said.json == output('PostToolUseFailure', additionalContext=WHY + '\nCTX'), said.r)

with point('C2.12 what an agent tells more than once is asked about once'), Box() as box:
    for event, payload in (
            ('TaskCreated', claude(hook_event_name='TodoCreated', todo_id='1', todo_content='x', phase='postWrite')),
            ('MessageDisplay', claude(hook_event_name='MessageDisplay', message_id='m', displayed_text='al',
                                      is_final=False))):
        hook(box, event, '', dialect='claude', command='echo "%s" >&2; exit 2' % WHY)
        said = ask(box, named('qwen'), payload)
        check(said.status == 0 and said.json is None, event, said.r)

with point('C2.12 what is shown of an answer'), Box() as box:
    shown = claude(hook_event_name='MessageDisplay', turn_id='t', message_id='m', index=3, final=False, delta='abc')
    hook(box, 'MessageDisplay', output('MessageDisplay', displayContent='***'), dialect='claude')
    said = ask(box, named('claude'), shown)
    check(said.status == 0 and said.json == output('MessageDisplay', displayContent='***'), 'changed', said.r)
    check(seen(box)['delta'] == 'abc' and seen(box)['index'] == 3, 'the payload', seen(box))
    hook(box, 'MessageDisplay', '', dialect='claude', guard=True, command='echo "%s" >&2; exit 1' % WHY)
    said = ask(box, named('claude'), shown)
    check(said.status == 0 and list(said.json) == ['hookSpecificOutput'] and
          'abc' not in said.r.out and WHY in said.json['hookSpecificOutput']['displayContent'], 'withheld', said.r)

with point('C2.16 the files that FileChanged is about'), Box() as box:
    def entry(matcher, answer):
        path = box.write('answer-' + matcher.strip('.'), json.dumps(answer))
        return {'matcher': matcher, 'hooks': [{'type': 'command', 'dialect': 'claude', 'command': 'cat ' + path}]}

    start = claude(hook_event_name='SessionStart', source='startup')
    change = claude(hook_event_name='FileChanged', file_path=box.project + '/.env', event='change')
    names = [box.project + '/.env', box.project + '/.envrc']
    settings(box, {'FileChanged': [entry('.env| .envrc|*|a/b', {})]})
    check(ask(box, named('claude'), start).json == output('SessionStart', watchPaths=names), 'names')
    check(ask(box, named('claude'), change).json is None, 'no list, no change')
    settings(box, {'FileChanged': [entry('.env', output('FileChanged', watchPaths=['/x']))],
                   'SessionStart': [entry('startup', output('SessionStart', watchPaths=['/y']))]})
    for payload, event, path in ((start, 'SessionStart', '/y'), (change, 'FileChanged', '/x')):
        said = ask(box, named('claude'), payload)
        check(said.json == output(event, watchPaths=[names[0], path]), event, said.r)
    settings(box, {})
    check(ask(box, named('claude'), start).json is None, 'without such a hook')

with point("C2.4 only a sub-agent has an agent_id, and it is the sub-agent's own"), Box() as box:
    hook(box, 'BeforeTool', '{}')
    for name, main, sub in (
            ('claude', {}, AGENT), ('codex', {}, AGENT), ('qwen', {}, {'agent_id': 'a1'}),
            ('copilot', {}, {'agentId': 'a1', 'agentType': 'task', 'parentAgentId': 'p1'}),
            ('copilot', {}, {'agent_id': 'a1', 'agent_type': 'task', 'parent_agent_id': 'p1'}),
            ('cline', {'agent_id': 'p1', 'parent_agent_id': None}, {'agent_id': 'a1', 'parent_agent_id': 'p1'}),
            ('grok', {}, AGENT), ('devin', {}, AGENT)):
        for more, want in ((main, None), (sub, 'a1')):
            payload, *event = named(name).tool if isinstance(named(name).tool, tuple) else (named(name).tool,)
            ask(box, named(name), (dict(payload, **more), *event))
            with open(box.home + '/.trotline/records.jsonl', encoding='utf-8') as f:
                record = json.loads(f.readlines()[-1])
            check(record.get('agent_id') == want and seen(box).get('agent_id') == want, name, more, record)

with point('C8.1 what hooks make of the answer to a server is what it gets'), Box() as box:
    for event, more in (('Elicitation', {'message': 'm'}), ('ElicitationResult', {'action': 'accept', 'content': {'k': 'SECRET'}})):
        for answer, status, want in (
                ({'action': 'accept', 'content': {'k': '***'}}, 0, {'action': 'accept', 'content': {'k': '***'}}),
                ({'action': 'cancel'}, 2, {'action': 'decline'}), ({'action': 'decline'}, 2, {'action': 'decline'})):
            hook(box, event, output(event, **answer), dialect='claude')
            said = ask(box, named('claude'), claude(hook_event_name=event, mcp_server_name='s', mode='form', **more))
            check(said.status == status and said.json == output(event, **want), (event, answer), said.r)

with point('C2.13 an answer in place of the user'), Box() as box:
    def answers(**decision):
        hook(box, 'PermissionRequest', output('PermissionRequest', decision=decision), dialect='claude')

    for name in ('claude', 'codex'):
        answers(behavior='allow')
        said = ask(box, named(name), REQUEST)
        check(said.json == output('PermissionRequest', decision={'behavior': 'allow'}), name, said.r)
        answers(behavior='allow', updatedInput={'command': 'echo SAFE'})
        said = ask(box, named(name), REQUEST)
        if name == 'codex':
            check(said.status == 2 and 'echo SAFE' in said.err, name, said.r)
        else:
            check(said.json == output('PermissionRequest', decision={
                'behavior': 'allow', 'updatedInput': {'command': 'echo SAFE'}}), name, said.r)
        hook(box, 'PermissionRequest', '{}', dialect='claude')
        check(ask(box, named(name), REQUEST).json is None, 'no opinion')

with point('C8.1 whatever else a hook may change reaches the agent that takes it'), Box() as box:
    rules = [{'type': 'addRules', 'behavior': 'allow', 'destination': 'session', 'rules': [{'toolName': 'Bash', 'ruleContent': 'ls:*'}]}]
    tail = {'name': 'read_file', 'args': {'file_path': 'x'}}
    refused = claude(hook_event_name='PermissionDenied', tool_name='Bash', tool_input={'command': 'ls'}, reason='r')
    for name, ours, payload, answer, want in (
            ('claude', 'PermissionRequest', REQUEST, output('PermissionRequest', decision={'behavior': 'allow', 'updatedPermissions': rules}), None),
            ('claude', 'PermissionDenied', refused, output('PermissionDenied', retry=True), None),
            ('claude', 'PreToolUse', named('claude').tool, {'terminalSequence': '\a'}, None),
            ('claude', 'PostModelSwitch', claude(hook_event_name='PostModelSwitch', to_model='m', from_model='n'),
             output('PostModelSwitch', additionalContext='CTX'), None),
            ('gemini', 'AfterTool', named('gemini').result, {'hookSpecificOutput': {'tailToolCallRequest': tail}},
             output('AfterTool', tailToolCallRequest=tail)),
            ('gemini', 'AfterAgent', named('gemini').stop, dict(block('deny'), hookSpecificOutput={'clearContext': True}),
             dict(block('deny'), **output('AfterAgent', clearContext=True)))):
        hook(box, ours, answer, dialect='claude' if name == 'claude' else 'gemini')
        said = ask(box, named(name), payload)
        check(said.json == (want or answer), name, ours, said.r)
    hook(box, 'PermissionRequest', output('PermissionRequest', decision={'behavior': 'allow', 'updatedPermissions': rules}), dialect='claude')
    check('updatedPermissions' not in ask(box, named('codex'), REQUEST).r.out, 'what Codex does not take')

with point('C8.1 what Cursor takes no arguments from is denied with those to use'), Box() as box:
    hook(box, 'BeforeTool', {'hookSpecificOutput': {'tool_input': {'command': 'echo SAFE'}}})
    for event, more in (('beforeShellExecution', {'command': COMMAND}),
                        ('beforeMCPExecution', {'tool_name': 'buy', 'tool_input': json.dumps({'command': COMMAND})})):
        said = ask(box, named('cursor'), dict(more, conversation_id='s', hook_event_name=event, workspace_roots=['{project}']))
        check_denied(named('cursor'), 'tool', None, said, 'echo SAFE')

with point('C8.4 VS Code, as older versions call its members'), Box() as box:
    call = {'hookEventName': 'PreToolUse', 'sessionId': 's', 'timestamp': 't', 'tool_name': 'run_in_terminal', 'tool_input': {'command': COMMAND}}
    hook(box, 'BeforeTool', block('deny'))
    check_denied(named('vscode'), 'tool', permission('deny'), ask(box, named('vscode'), call))
    check(seen(box)['session_id'] == 's', seen(box))

with point("C8.8 a sub-agent's end is counted by itself"), Box() as box:
    hook(box, 'SubagentStop', '', dialect='claude', command='echo "%s" >&2; exit 2' % WHY)
    stop = claude(hook_event_name='SubagentStop', stop_hook_active=False, **AGENT)
    denied = [ask(box, named('codex'), stop).status for _ in range(8)]
    other = ask(box, named('codex'), dict(stop, agent_id='a2')).status
    check(denied == [2] * 8 and other == 2 and ask(box, named('codex'), stop).status == 0, denied, other)

with point('C8.4 what nothing here knows is in the record'), Box() as box:
    hook(box, 'BeforeTool', '{}')
    secret = 'ghp_' + '0123456789' * 4
    ask(box, named('claude'), claude(hook_event_name='BrandNewEvent', plans={'token': secret}))
    ask(box, named('claude'), dict(named('claude').tool, brand_new={'x': [1]}))
    ask(box, named('claude'), claude(hook_event_name='BrandNewEvent'), '--no-record')
    with open(box.home + '/.trotline/records.jsonl', encoding='utf-8') as f:
        records = [json.loads(line) for line in f]
    check(len(records) == 2 and records[0]['event'] == 'BrandNewEvent' and records[0]['session_id'] == 's' and
          'token' in records[0]['unread']['plans'] and secret not in json.dumps(records), records)
    check(records[1]['unread'] == {'brand_new': '{"x":[1]}'}, records[1])
    check(box.run('hooks', 'report').status == 0, 'the report reads them')

with point('C8.5 each folder of a workspace has its own settings'), Box() as box:
    folders = [os.path.join(box.root, name) for name in ('one', 'two', 'three')]
    settings(box, {'BeforeTool': [{'hooks': [{'type': 'command', 'command': 'echo run >> %s/user' % box.root}]}]})
    for folder in folders[:2]:
        box.write(os.path.basename(folder) + '/.trotline/settings.json', json.dumps({'hooks': {'BeforeTool': [
            {'hooks': [{'type': 'command', 'name': folder, 'command': 'grep -q EVIL-%s && { echo "%s" >&2; exit 2; } '
                        '|| true' % (os.path.basename(folder), WHY)}]}]}}))
        r = box.run('hooks', 'trust', '--yes', '-C', folder)
        check(r.status == 0, 'approved', r)
    for command, denied in (('EVIL-one', True), ('EVIL-two', True), ('fine', False)):
        said = ask(box, named('cursor'), {'conversation_id': 's', 'hook_event_name': 'preToolUse',
                                          'workspace_roots': folders, 'tool_name': 'Shell',
                                          'tool_input': {'command': command}})
        check((said.status == 2) is denied, command, said.r)
    with open(box.root + '/user', encoding='utf-8') as f:
        check(f.read() == 'run\n' * 3, "the user's own run once")
    box.write('two/.trotline/settings.json', '{')
    said = ask(box, named('cursor'), {'conversation_id': 's', 'hook_event_name': 'preToolUse',
                                      'workspace_roots': folders, 'tool_name': 'Shell',
                                      'tool_input': {'command': 'fine'}})
    check(said.status == 2, "one that cannot be used", said.r)

with point('C8.1 what two projects redact of a result is not shown as either left it'), Box() as box:
    output = {'stdout': 'RED and BLUE', 'stderr': '', 'interrupted': False, 'isImage': False}
    for folder, word in (('project', 'RED'), ('project/sub', 'BLUE')):
        box.write(folder + '/.trotline/settings.json', json.dumps({'hooks': {'PostToolUse': [{'hooks': [{
            'type': 'command', 'dialect': 'claude', 'name': word, 'command': 'cat >/dev/null; cat ../%s.json %s.json 2>/dev/null' % (word, word)}]}]}}))
        answer = json.dumps({'hookSpecificOutput': {'hookEventName': 'PostToolUse', 'updatedToolOutput': dict(
            output, stdout=output['stdout'].replace(word, '***'))}})
        box.write('project/%s.json' % word, answer)
    for folder, words in (('', ['*** and BLUE']), ('/sub', ['withheld'])):
        said = ask(box, named('claude'), {
            'session_id': 's', 'hook_event_name': 'PostToolUse', 'cwd': box.project + folder, 'tool_name': 'Bash',
            'tool_input': {'command': 'x'}, 'tool_response': output})
        check(all(w in said.r.out for w in words) and 'RED' not in said.r.out, folder, said.r)

with point('C7.4 an approved hook that somebody took out of the project is told of'), Box() as box:
    path = 'project/.trotline/settings.json'
    box.write(path, json.dumps({'hooks': {'BeforeTool': [{'hooks': [
        {'type': 'command', 'name': 'my-guard', 'command': 'exit 0'}]}]}}))
    del box.env['GEMINI_CLI_TRUST_WORKSPACE']
    check(box.run('hooks', 'trust', '--yes').status == 0, 'approved')
    for name in ('claude', 'gemini', 'cursor'):
        said = ask(box, named(name), named(name).prompt)
        check('my-guard' not in said.r.out + said.err, 'it is there', said.r)
    os.remove(os.path.join(box.root, path))
    os.mkdir(box.project + '/.git')
    for name in ('claude', 'gemini', 'cursor'):
        said = ask(box, named(name), named(name).prompt)
        check(said.status == 0 and (said.r.out + said.err).count('my-guard') == 1, name, said.r)
        said = ask(box, named(name), named(name).tool)
        check('my-guard' not in said.r.out + said.err, 'not with every call', said.r)
    r = box.run('hooks', 'list')
    check('my-guard' in r.out + r.err, 'the list says so, too', r)
    check(box.run('hooks', 'trust', '--revoke').status == 0, 'forgotten')
    said = ask(box, named('claude'), named('claude').prompt)
    check('my-guard' not in said.r.out + said.err, 'approved again', said.r)

with point('C8.1 what was changed of one of several calls is not lost to the next'), Box() as box:
    hook(box, 'BeforeTool', '', command="grep -q MEANT && printf '%s' '" + json.dumps(
        {'hookSpecificOutput': {'tool_input': {'command': 'echo SAFE'}}}) + "' || true")
    for commands in (['MEANT', 'ls'], ['ls', 'MEANT']):
        said = ask(box, named('cline'), {'hookName': 'tool_call', 'tool_call': {
            'id': 'c', 'name': 'run_commands', 'input': {'commands': commands}}})
        check_denied(named('cline'), 'tool', None, said, 'echo SAFE')


def interrupted(box, agent, payload):
    """What is answered when it is ended in the middle of a hook that writes to the FIFO."""
    payload, *event = payload if isinstance(payload, tuple) else (payload,)
    fifo = os.path.join(box.root, 'fifo')
    with open(box.write('payload', json.dumps(filled(payload, box))), 'rb') as stdin:
        since = time.monotonic()
        p = box.start(['hook', agent.name, *event], stdin=stdin)
        with open(fifo, encoding='utf-8') as f:
            f.read()
        p.send_signal(signal.SIGTERM)
        return Said(box.finish(p, since))


with point('C8.2 without a guard what is known so far is said, whatever happens next'), Box() as box:
    os.mkfifo(os.path.join(box.root, 'fifo'))
    answers = {word: "printf '%s' '" + json.dumps({'decision': word, 'reason': WHY}) + "'"
               for word in ('ask', 'allow')}
    patch = '*** Begin Patch\n*** Delete File: first\n*** Delete File: second\n*** End Patch\n'
    call = (dict(named('copilot').tool[0], toolName='apply_patch', toolArgs={'input': patch}), 'preToolUse')
    for word, guard, expected in (('ask', False, named('copilot').ask), ('allow', False, None),
                                  ('ask', True, 'denied')):
        hook(box, 'BeforeTool', '', guard=guard, command='grep -q first && { %s; exit 0; }; echo > %s/fifo; '
             'sleep 60' % (answers[word], box.root))
        said = interrupted(box, named('copilot'), call)
        if expected == 'denied':
            check(said.status == 2 and said.json['permissionDecision'] == 'deny', word, said.r)
        else:
            check(said.status == 0 and said.json == expected, word, said.r)

with point('C8.2 the shortest of deadlines is one'), Box() as box:
    reading, writing = os.pipe()  # a payload that never ends
    since = time.monotonic()
    with os.fdopen(reading, 'rb') as stdin:
        p = box.start(['hook', 'claude', '--timeout', '1'], stdin=stdin)
    r = box.finish(p, since)
    os.close(writing)
    check(r.status == 2 and 'trotline' in r.err, 'no denial', r)

with point('C7.9 a relative HOME does not lose the guards, nor get a count of refusals'), Box() as box:
    agent = named('claude')
    hook(box, 'BeforeTool', '', command='echo "%s" >&2; exit 2' % WHY)
    if 'PWD_SHIM' in os.environ and not SAN:  # a sanitizer's runtime has to be the first
        box.env.update(HOME='relative', PWD_HOME=box.home, LD_PRELOAD=os.environ['PWD_SHIM'])
        check_denied(agent, 'tool', agent.deny, ask(box, agent, agent.tool))
        hook(box, 'AfterAgent', '', command='echo "%s" >&2; exit 2' % WHY)
        denied = [ask(box, agent, agent.stop).status for _ in range(9)]
        check(denied == [2] * 8 + [0], 'not counted', denied)
    box.env.update(GEMINI_CLI_HOME='relative')
    check(ask(box, agent, agent.tool).status == 2, 'a home that is none')
    check(not os.path.exists(box.project + '/relative'), 'made')

with point('C8.5 the project that the environment of another agent names is not ours'), Box() as box:
    other = os.path.join(box.root, 'other')
    box.write('other/.trotline/settings.json', '{')
    box.env.update(CLAUDE_PROJECT_DIR=other)
    check(ask(box, named('claude'), named('claude').tool).status == 2, 'its own')
    check(ask(box, named('codex'), named('codex').tool).status == 0, "another's")

with point('a typo'), Box() as box:
    r = box.run('hook', 'claud')
    check(r.status == 2 and 'did you mean "claude"?' in r.err, 'hook', r)
    r = box.run('hooks', 'install', '--into', 'vscod')
    check(r.status == 1 and 'did you mean "vscode"?' in r.err, 'install', r)

with point('C8.8 an end that is refused again and again'), Box() as box:
    for agent in AGENTS[:3]:
        hook(box, 'AfterAgent', '', command='echo "%s" >&2; exit 2' % WHY)
        denied = [ask(box, agent, agent.stop).status for _ in range(9)]
        check(denied == [2] * 8 + [0], agent.name + ': eight times', denied)
        check(ask(box, agent, agent.stop).status == 2, 'then anew')
        check(ask(box, agent, agent.prompt).status == 0, 'a prompt')
        denied = [ask(box, agent, agent.stop).status for _ in range(9)]
        check(denied == [2] * 8 + [0], agent.name + ': eight after a prompt', denied)
        ask(box, agent, agent.stop)
        hook(box, 'AfterAgent', '{}')
        check(ask(box, agent, agent.stop).status == 0, 'not refused')
        # What cannot be used would be an end that never comes, too.
        box.write('home/.trotline/settings.json', '{')
        denied = [ask(box, agent, agent.stop).status for _ in range(9)]
        check(denied == [2] * 8 + [0], agent.name + ': broken settings', denied)
    settings(box, {'AfterAgent': [{'hooks': [{'type': 'command', 'command': 'exit 2'}]}]},
             hooksConfig={'maxRetries': 2})
    denied = [ask(box, AGENTS[0], AGENTS[0].stop).status for _ in range(3)]
    check(denied == [2, 2, 0], 'maxRetries', denied)
    for where, _, files in os.walk(box.home + '/.trotline/stops'):
        check(os.stat(where).st_mode & 0o777 == 0o700, where)
        for name in files:
            check(os.stat(os.path.join(where, name)).st_mode & 0o777 == 0o600, name)

with point('C6.11 hooks that are no processes: a guard denies, others are named at the start'), Box() as box:
    for kind, key in (('http', 'url'), ('prompt', 'prompt'), ('agent', 'prompt'), ('mcp_tool', 'tool')):
        for guard in (True, False):
            settings(box, {'PreToolUse': [{'hooks': [{'type': kind, key: 'http://127.0.0.1:9/', 'server': 's',
                                                      'dialect': 'claude', 'guard': guard}]}]})
            for agent in AGENTS[:2]:
                check(ask(box, agent, agent.tool).status == (2 if guard else 0), kind + ': a call')
                said = ask(box, agent, agent.start)
                check(guard or 'hooks are not run here' in said.json['systemMessage'], kind + ': the start', said.r)

with point('C8.2 bad usage denies, too'), Box() as box:
    for args in (['nosuch'], [], ['claude', '--nosuch'], ['claude', 'PreToolUse', 'x']):
        r = box.run('hook', *args)
        check(r.status == 2 and r.err, str(args), r)
    check(box.run('hook', '--help').status == 0, 'help')

tap.done()
