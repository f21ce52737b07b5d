#!/usr/bin/env python3
"""C8.3 a folder of an agent that its environment moves: trotline is installed there, found there by status and
taken out without a trace; hooks of Claude Code and Codex are read from there.  Prints TAP."""

import json
import os

from agentbox import Box, Tap, check
from hostfiles import OURS, USER

tap = Tap()
# Agent: the variable, and which folder below the home directory it moves where in what it names.
MOVED = {
    'claude': ('CLAUDE_CONFIG_DIR', '.claude', ''), 'codex': ('CODEX_HOME', '.codex', ''),
    'copilot': ('COPILOT_HOME', '.copilot', ''), 'qwen': ('QWEN_HOME', '.qwen', ''),
    'droid': ('FACTORY_HOME_OVERRIDE', '.factory', '.factory'), 'kiro': ('KIRO_HOME', '.kiro', ''),
    'cline': ('CLINE_DIR', '.cline', ''), 'pi': ('PI_CODING_AGENT_DIR', '.pi/agent', ''),
    'openclaw': ('OPENCLAW_STATE_DIR', '.openclaw', ''), 'crush': ('CRUSH_GLOBAL_CONFIG', '.config/crush', ''),
    'opencode': ('XDG_CONFIG_HOME', '.config/opencode', 'opencode'),
    'kilo': ('XDG_CONFIG_HOME', '.config/kilo', 'kilo'),
}
FILES = {**USER, **OURS}
CODEX_TOML = '[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\ntype = "command"\ncommand = "%s"\n'


def snapshot(*tops):
    found = {}
    for top in tops:
        for where, folders, files in os.walk(top):
            for name in folders:
                found[os.path.join(where, name)] = None
            for name in files:
                with open(os.path.join(where, name), 'rb') as f:
                    found[os.path.join(where, name)] = f.read()
    return {k: v for k, v in found.items() if '/.trotline' not in k}


def where(box, agent):
    """The path of the agent's file, with all variables set."""
    name = FILES[agent]
    if agent not in MOVED:
        return os.path.join(box.home, name)
    _, folder, below = MOVED[agent]
    check(name.startswith(folder + '/'), folder)
    return os.path.join(box.root, 'moved', agent if not below else 'shared', below, name[len(folder) + 1:])


def move_all(box):
    for agent, (variable, _, below) in MOVED.items():
        box.env[variable] = os.path.join(box.root, 'moved', agent if not below else 'shared')
        os.makedirs(os.path.join(box.env[variable], below), exist_ok=True)
    os.mkdir(os.path.join(box.env['XDG_CONFIG_HOME'], 'goose'))  # by which it is known; its hooks are elsewhere


def hooks(box, *args):
    r = box.run('hooks', *args)
    check(r.status == 0, args, r)
    return r


def state(box, agent):
    return next(v for v in json.loads(hooks(box, 'status', '--all', '--json').out) if v['agent'] == agent)


for agent in FILES:
    with tap.case('C8.3 installed, found and taken out where its environment says: ' + agent), Box() as box:
        move_all(box)
        os.makedirs(os.path.dirname(where(box, agent)), exist_ok=True)
        before = snapshot(box.root + '/moved', box.home)
        hooks(box, 'install', '--into', agent)
        made = set(snapshot(box.root + '/moved', box.home)) - set(before)
        check(where(box, agent) in made and
              {os.path.dirname(p) for p in made} == {os.path.dirname(where(box, agent))}, 'installed', made)
        v = state(box, agent)
        check(v['found'] and where(box, agent).startswith(v['user']) and v['changed'] is False, 'status', v)
        hooks(box, 'install', '--into', agent)
        check(set(snapshot(box.root + '/moved', box.home)) - set(before) == made, 'twice')
        hooks(box, 'uninstall', '--into', agent)
        check(snapshot(box.root + '/moved', box.home) == before, 'a trace', agent)
        check('user' not in state(box, agent), 'status after it')

for value in ('', 'relative', '~/x'):
    with tap.case('what is no absolute path moves nothing: "%s"' % value), Box() as box:
        box.env['CODEX_HOME'] = value
        hooks(box, 'install', '--into', 'codex')
        check(os.path.exists(box.home + '/.codex/hooks.json'), 'at home')
        check('user' in state(box, 'codex'), 'status')
        hooks(box, 'uninstall', '--into', 'codex')
        check(not os.path.exists(box.home + '/.codex/hooks.json'), 'gone')

with tap.case('--all knows an agent by the folder that was moved'), Box() as box:
    check(hooks(box, 'install', '--all').out.startswith('No agent'), 'none')
    move_all(box)
    got = {v['agent'] for v in json.loads(hooks(box, 'install', '--all', '--json').out)}
    check(got == {'goose', *MOVED}, 'all', got)

with tap.case('of two variables for a folder the agent\'s own counts'), Box() as box:
    box.env.update(XDG_CONFIG_HOME=box.root + '/xdg', CRUSH_GLOBAL_CONFIG=box.root + '/own')
    hooks(box, 'install', '--into', 'crush')
    check(os.path.exists(box.root + '/own/crush.json') and not os.path.exists(box.root + '/xdg'), 'its own')
    del box.env['CRUSH_GLOBAL_CONFIG']
    hooks(box, 'install', '--into', 'crush')
    check(os.path.exists(box.root + '/xdg/crush/crush.json'), 'the general one')

with tap.case('C8.5 sources, lint and migrate read the folder that was moved'), Box() as box:
    box.write('home/.trotline/settings.json', '{"hooksConfig": {"sources": ["claude", "codex"]}}')
    box.write('home/.codex/config.toml', CODEX_TOML % 'true codex-home')
    box.write('home/.claude/settings.json', json.dumps({'hooks': {'PreToolUse': [{'hooks': [
        {'type': 'command', 'command': 'true claude-home'}]}]}}))
    moved = box.write('moved/config.toml', CODEX_TOML % 'true codex-moved')
    box.write('moved/settings.json', json.dumps({'hooks': {'PreToolUse': [{'hooks': [
        {'type': 'command', 'command': 'true claude-moved'}]}]}}))
    for name in ('home', 'moved'):
        out = hooks(box, 'list').out
        check('codex-' + name in out and 'claude-' + name in out and out.count('codex-') == out.count('claude-') == 1,
              name, out)
        r = box.run('hooks', 'migrate', '--from', 'codex', '--scope', 'user', '--dry-run')
        check('codex-' + name in r.out, 'migrate', r)
        box.env.update(CODEX_HOME=box.root + '/moved', CLAUDE_CONFIG_DIR=box.root + '/moved')
    check('1 hook in 1 file' in hooks(box, 'lint', moved).out, 'lint')

with tap.case('a hook and servers of Claude Code go where its folder is'), Box() as box:
    box.env['CLAUDE_CONFIG_DIR'] = box.root + '/moved'
    box.write('moved/.claude.json', '{"mcpServers": {"s": {"command": "true"}}}')
    hooks(box, 'install', 'g', 'PreToolUse', 'true', '--into', 'claude', '--scope', 'user')
    hooks(box, 'install', '--mcp', '--into', 'claude')
    with open(box.root + '/moved/settings.json', encoding='utf-8') as f:
        check('PreToolUse' in json.load(f)['hooks'], 'the hook')
    with open(box.root + '/moved/.claude.json', encoding='utf-8') as f:
        check('guard' in json.load(f)['mcpServers']['s']['args'], 'the server')
    check(not os.path.exists(box.home + '/.claude') and not os.path.exists(box.home + '/.claude.json'), 'at home')

# What switches all hooks off there: where, what it says, and what it says when it does not.
SWITCHES = {
    'claude': ('.claude/settings.json', '"disableAllHooks": true', '"disableAllHooks": false'),
    'qwen': ('.qwen/settings.json', '"disableAllHooks": true', '"disableAllHooks": "no"'),
    'gemini': ('.gemini/settings.json', '"hooksConfig": {"enabled": false}', '"hooksConfig": {"enabled": true}'),
    'codex': ('.codex/config.toml', '[features]\nhooks = false\n', '[features]\nhooks = true\n'),
}
for agent, (name, off, on) in SWITCHES.items():
    for top in ('home', 'project'):
        with tap.case('status tells that hooks are switched off: %s, %s' % (agent, top)), Box() as box:
            for text, want in ((off, True), (on, False)):
                path = box.write(top + '/' + name, text if name.endswith('toml') else '{%s}' % text)
                hooks(box, 'install', '--into', agent)
                v, said = state(box, agent), hooks(box, 'status').out
                check(v.get('switchedOffBy', '').startswith(path) == want and
                      ('does not run: by' in said) == want, text, v, said)
                hooks(box, 'uninstall', '--into', agent)

with tap.case('an approval is read where Codex has moved to, in any way of writing TOML'), Box() as box:
    box.env['CODEX_HOME'] = box.root + '/moved'
    hooks(box, 'install', '--into', 'codex')
    check(state(box, 'codex')['approved'] is False, 'not yet')
    with open(box.root + '/moved/hooks.json', encoding='utf-8') as f:
        events = [''.join('_' + c.lower() if c.isupper() else c for c in e)[1:] for e in json.load(f)['hooks']]
    keys = ["'%s/moved/hooks.json:%s:0:0'" % (box.root, e) for e in events]
    for text in (''.join('[ hooks . state . %s ]\n"trusted_hash"=\'sha256:0\' # x\n' % k for k in keys),
                 '[hooks.state]\n' + ''.join('%s = { enabled = true, trusted_hash = "sha256:0" }\n' % k for k in keys)):
        box.write('moved/config.toml', text)
        check(state(box, 'codex')['approved'] is True, 'approved', text)
    box.write('moved/config.toml', text.replace('enabled = true', 'enabled = false', 1))
    check(state(box, 'codex')['notApproved'], 'switched off')
    box.write('moved/config.toml', text + '[broken')
    check(state(box, 'codex')['approved'] is False, 'what cannot be read approves nothing')

tap.done()
