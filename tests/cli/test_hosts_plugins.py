#!/usr/bin/env python3
"""Plugins and hook files that trotline hooks install --into puts into agents without a list of hooks
(C8.1, C8.2): each is loaded as the agent does it, with a small stand-in of the agent, and denies, lets
go and rewrites as the hooks say; without an answer it denies."""

import json
import os
import shutil
import subprocess

from agentbox import TROTLINE, WHY_LINE, Box, Tap, check
from hostfiles import OURS

tap = Tap()
point = tap.case
WHY = 'because of the test'
NODE = shutil.which('node')
PLUGINS = {agent: path for agent, path in OURS.items() if agent != 'cline'}
# Each prints {"denied": reason} or what the agent would run, be told and send: one object.
OPENCODE = '''
const hooks = await m.Trotline({ directory: process.cwd() })
if (want === 'prompt') {
  await hooks['chat.message']({ sessionID: 's' }, { parts: [{ type: 'text', text: 'do it' }] })
  return {}
}
const out = { args: { command: 'echo OUT' } }
await hooks['tool.execute.before']({ tool: 'bash', sessionID: 's', callID: 'c' }, out)
const done = { title: 't', output: 'OUT', metadata: {} }
await hooks['tool.execute.after']({ tool: 'bash', sessionID: 's', callID: 'c', args: out.args }, done)
await hooks.event({ event: { type: 'session.created', properties: { sessionID: 's' } } })
return { args: out.args, result: done.output }
'''
PI = '''
const on = {}
m.default({ on: (name, f) => { on[name] = f } })
const ctx = { cwd: process.cwd() }
if (want === 'prompt') {
  const r = await on.input({ text: 'do it' }, ctx)
  return r?.action === 'handled' ? { denied: 'blocked' } : {}
}
if (want === 'compress') return await on.session_before_compact({}, ctx)
await on.session_start({ reason: 'startup' }, ctx)
const isError = want === 'failure'
const e = { toolName: 'bash', toolCallId: 'c', input: { command: 'echo OUT' } }
const r = await on.tool_call(e, ctx)
if (r?.block) return { denied: r.reason }
const t = await on.tool_result({ ...e, content: [{ type: 'text', text: 'OUT' }], isError }, ctx)
return { args: e.input, result: (t?.content ?? [{ text: 'OUT' }]).map((p) => p.text).join('+') }
'''
OPENCLAW = '''
const on = {}
m.default.register({ on: (name, f) => { on[name] = f }, registerAgentToolResultMiddleware: (f) => { on.result = f } })
if (want === 'prompt') {
  const r = await on.before_agent_run({ prompt: 'do it' }, { sessionId: 's' })
  return r.outcome === 'pass' ? {} : { denied: r.message }
}
const e = { toolName: 'exec', toolCallId: 'c', params: { command: 'echo OUT' } }
const r = await on.before_tool_call(e, { sessionId: 's' })
if (r?.block) return { denied: r.blockReason }
const result = { content: [{ type: 'text', text: 'OUT' }], details: { aggregated: 'OUT' } }
const t = await on.result({ ...e, args: e.params, isError: want === 'failure', result }, { sessionId: 's' })
const input = { ...e.params, ...r?.params }  // as OpenClaw does it
return { args: input, result: (t?.result ?? result).content[0].text, ...(t ? { details: t.result.details } : {}) }
'''
AMP = '''
const on = {}
m.default({ on: (name, f) => { on[name] = f } })
const r = await on['tool.call']({ tool: 'Bash', toolUseID: 'c', input: { cmd: 'echo OUT' } }, {})
return r.action === 'allow' ? { args: { command: 'echo OUT' }, result: 'OUT' } : { denied: r.message }
'''
BODIES = {'opencode': OPENCODE, 'kilo': OPENCODE, 'pi': PI, 'openclaw': OPENCLAW, 'amp': AMP}
RESULTS = ('opencode', 'kilo', 'pi', 'openclaw')


def install(box, *args):
    r = box.run('hooks', *args)
    check(r.status == 0, args, r)
    return r


def settings(box, **hooks):
    box.write('home/.trotline/settings.json', json.dumps({'hooks': {
        event: [{'hooks': [{'type': 'command', 'command': command}]}] for event, command in hooks.items()}}))


def answer(value):
    return "printf '%s' '" + json.dumps(value) + "'"


DENY = {'decision': 'deny', 'reason': WHY}


def drive(box, agent, want='tool', path=None, args=None, shows=None):
    path = path or os.path.join(box.home, PLUGINS[agent])
    body = BODIES[agent]
    if args:
        body = body.replace("{ command: 'echo OUT' }", args)
        body = body.replace('args: out.args, result', 'args: out.args.%s, result' % shows)
        body = body.replace('args: input, result', 'args: input.%s, result' % shows)
        body = body.replace('args: e.input, result', 'args: e.input.%s, result' % shows)
    # As JavaScript whatever it is called: the agents load both alike.
    module = os.path.join(box.root, 'plugin.mjs')
    shutil.copy(path, module)
    script = box.write('drive.mjs', 'const want = %s\nconst m = await import(%s)\nconst run = async () => {%s}\n'
                       'console.log(JSON.stringify(await run().catch((e) => ({ denied: e.message }))))\n' % (
                           json.dumps(want), json.dumps(module), body))
    p = subprocess.run([NODE, script], env=box.env, cwd=box.project, capture_output=True, text=True, check=False)
    check(p.returncode == 0 and p.stdout, agent, p)
    return json.loads(WHY_LINE.sub('', p.stdout))


def tree(top):
    return sorted(os.path.relpath(os.path.join(where, name), top) for where, dirs, files in os.walk(top)
                  for name in dirs + files if '/.trotline' not in os.path.join(where, name))


for agent, path in PLUGINS.items():
    with point('installed and taken out: ' + agent), Box() as box:
        os.mkdir(os.path.join(box.home, path.split('/')[0]))
        before, file = tree(box.home), os.path.join(box.home, path)
        dry = install(box, 'install', '--into', agent, '--dry-run')
        check('trotline-hook' in dry.out and tree(box.home) == before, 'a dry run', dry)
        install(box, 'install', '--into', agent)
        with open(file, encoding='utf-8') as f:
            text = f.read()
        check(text.count('\n') <= 60, 'long', text.count('\n'))
        r = install(box, 'install', '--into', agent, '--json')
        check(json.loads(r.out)[0]['status'] == 'unchanged', 'twice', r)
        with open(file, 'a', encoding='utf-8') as f:
            f.write('// older\n')
        r = install(box, 'install', '--into', agent, '--json')
        check(json.loads(r.out)[0]['status'] == 'updated', 'an older one', r)
        install(box, 'uninstall', '--into', agent)
        check(tree(box.home) == before, 'traces', tree(box.home))
        r = install(box, 'uninstall', '--into', agent, '--json')
        check(json.loads(r.out)[0]['status'] == 'absent', 'taken out twice', r)
        box.write('home/' + path, 'mine')
        r = box.run('hooks', 'install', '--into', agent)
        check(r.status != 0 and path in r.err, "another's file", r)
        install(box, 'uninstall', '--into', agent)
        with open(file, encoding='utf-8') as f:
            check(f.read() == 'mine', "another's file is kept")

    if not NODE:
        tap.point('C8.1 what the plugin does: ' + agent, skip='no node')
        continue

    with point('C8.1 what the plugin does: ' + agent), Box() as box:
        install(box, 'install', '--into', agent)
        settings(box)
        check(drive(box, agent) == {'args': {'command': 'echo OUT'}, 'result': 'OUT'}, 'no opinion')
        settings(box, BeforeTool=answer(DENY))
        check(drive(box, agent) == {'denied': WHY}, 'a denial', drive(box, agent))
        settings(box, BeforeTool=answer({'hookSpecificOutput': {'tool_input': {'command': 'echo SAFE'}}}))
        got = drive(box, agent)
        if agent in RESULTS:
            check(got['args'] == {'command': 'echo SAFE'}, 'a rewrite', got)
        else:
            check('echo SAFE' in got['denied'], 'a rewrite', got)
        if agent in RESULTS:
            out = "JSON.parse('{\"description\":\"x\",\"__proto__\":{\"command\":\"echo HIDDEN\"}}')"
            settings(box, BeforeTool=answer({'hookSpecificOutput': {'tool_input': {'timeout': 5}}}))
            got = drive(box, agent, args=out, shows='command')
            check('HIDDEN' not in json.dumps(got), 'arguments of a prototype', got)
        if agent in RESULTS:
            settings(box, AfterTool=answer(DENY))
            check(drive(box, agent)['result'] == WHY, 'a result', drive(box, agent))
            check('OUT' not in json.dumps(drive(box, agent)).replace('echo OUT', ''), 'what is left of a result')
            if agent in ('pi', 'openclaw'):
                check(drive(box, agent, 'failure')['result'] == WHY, 'the result of a call that failed')
            settings(box, AfterTool=answer({'hookSpecificOutput': {'additionalContext': 'CTX'}}))
            check('CTX' in drive(box, agent)['result'], 'context', drive(box, agent))
            settings(box, BeforeAgent=answer(DENY))
            check('denied' in drive(box, agent, 'prompt'), 'a prompt')
            settings(box)
            check(drive(box, agent, 'prompt') == {}, 'a prompt without an opinion')

    if agent == 'pi':
        with point('C8.1 its compression can be refused'), Box() as box:
            install(box, 'install', '--into', agent)
            for hook, refused in (('exit 2', True), ('exit 0', False)):
                box.write('home/.trotline/settings.json', json.dumps({'hooks': {'PreCompact': [{'matcher': 'auto', 'hooks': [
                    {'type': 'command', 'command': hook, 'dialect': 'claude'}]}]}}))
                check(drive(box, agent, 'compress') == {'cancel': refused}, hook)

    with point('C8.2 without an answer the plugin denies: ' + agent), Box() as box:
        bin_ = os.path.join(box.root, "it's here")
        os.mkdir(bin_)
        program = os.path.join(bin_, 'trotline-hook')
        shutil.copy(TROTLINE, bin_)
        shutil.copy(TROTLINE + '-hook', bin_)
        p = subprocess.run([os.path.join(bin_, 'trotline'), 'hooks', 'install', '--into', agent], env=box.env,
                           cwd=box.project, capture_output=True, text=True, check=False)
        check(p.returncode == 0, 'installed', p)
        settings(box)
        check('denied' not in drive(box, agent), 'next to the program')
        for name, text in (('killed', '#!/bin/sh\nkill -9 $$\n'), ('silent', '#!/bin/sh\n'),
                           ('nonsense', '#!/bin/sh\necho fine\n'), ('an array', '#!/bin/sh\necho "[]"\n'),
                           ('an empty object', '#!/bin/sh\necho "{}"\n'),
                           ('a failure', '#!/bin/sh\necho \'{"decision":"none"}\'; exit 1\n'),
                           ('no interpreter', '#!/nonexistent\n'), ('not executable', ''), ('missing', None)):
            os.remove(program)
            if text is not None:
                with open(program, 'w', encoding='utf-8') as f:
                    f.write(text)
                os.chmod(program, 0o755 if text else 0o644)
            got = drive(box, agent)
            check('trotline-hook' in got.get('denied', ''), name, got)
            if text is None:
                break
        with open(program, 'w', encoding='utf-8') as f:
            f.write('#!/bin/sh\nexec sleep 600\n')
        os.chmod(program, 0o755)
        with open(os.path.join(box.home, PLUGINS[agent]), encoding='utf-8') as f:
            quick = box.write('quick', f.read().replace('deadline = 61000', 'deadline = 200'))
        got = drive(box, agent, path=quick)
        check('in time' in got.get('denied', ''), 'slow', got)
        box.check_nobody_left()

with point('Cline takes a program for each event'), Box() as box:
    where = os.path.join(box.home, '.cline/hooks')
    install(box, 'install', '--into', 'cline')
    check('PreToolUse' in os.listdir(where) and os.access(where + '/PreToolUse', os.X_OK), os.listdir(where))
    call = json.dumps({'hookName': 'tool_call', 'workspaceRoots': [box.project], 'tool_call': {
        'id': 'c', 'name': 'run_commands', 'input': {'commands': ['echo OUT']}}})

    def ask(event, payload, **env):
        p = subprocess.run([os.path.join(where, event)], input=payload, env=dict(box.env, **env), text=True,
                           capture_output=True, cwd=box.project, check=False)
        return json.loads(WHY_LINE.sub('', p.stdout))

    settings(box)
    check(ask('PreToolUse', call) == {'cancel': False}, 'no opinion')
    settings(box, BeforeTool=answer(DENY))
    check(ask('PreToolUse', call) == {'cancel': True, 'errorMessage': WHY}, 'a denial')
    check(ask('TaskStart', json.dumps({'hookName': 'agent_start', 'taskId': 's'})) == {'cancel': False}, 'a start')
    with open(where + '/PreToolUse', encoding='utf-8') as f:
        text = f.read()
    for make in ('kill -9 $$', 'echo fine', 'exit 3', None):
        script = box.write('program', '#!/bin/sh\n%s\n' % make)
        os.chmod(script, 0o755)
        if make is None:
            os.remove(script)
        with open(where + '/PreToolUse', 'w', encoding='utf-8') as f:
            f.write(text.replace(TROTLINE + '-hook', script))
        check(ask('PreToolUse', call)['cancel'] is True, make)
    box.write('home/.cline/hooks/Notification', 'mine')
    r = box.run('hooks', 'install', '--into', 'cline')
    check(r.status != 0 and 'Notification' in r.err, "another's program", r)
    os.remove(where + '/Notification')
    install(box, 'install', '--into', 'cline')
    install(box, 'uninstall', '--into', 'cline')
    check(tree(box.home) == [], 'traces', tree(box.home))

with point("a project's plugins"), Box() as box:
    install(box, 'install', '--into', 'opencode,pi,amp,kilo,cline', '--scope', 'project')
    check(os.path.exists(box.project + '/.opencode/plugins/trotline.js'), tree(box.project))
    install(box, 'uninstall', '--into', 'opencode,pi,amp,kilo,cline', '--scope', 'project')
    check(tree(box.project) == [], 'traces', tree(box.project))
    os.symlink(box.home, box.project + '/.opencode')
    r = box.run('hooks', 'install', '--into', 'opencode', '--scope', 'project')
    check(r.status == 52 and tree(box.home) == [], 'a link that leads out', r)

tap.done()
