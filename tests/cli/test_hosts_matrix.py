#!/usr/bin/env python3
"""One settings.json guards every agent (C8.1, C8.2, C8.5): three hooks, written for Claude Code, Gemini CLI and
Codex, in all of them at once; and each agent's every event before a tool with each way of writing a hook and
each thing that a hook can say or do."""

import glob
import json
import os
import re

from agentbox import Box, Tap, check
from hostagents import AGENTS, COMMAND, WHY, ask, block, check_denied, claude, named, output, permission, settings

tap = Tap()
SAFE = {'command': 'echo SAFE'}

# ---- three hooks, as people have them ----

SCRIPT = '''import json, sys
call = json.load(sys.stdin)
with open(%r, "a") as f:
    f.write(call["hook_event_name"] + " " + call["tool_name"] + "\\n")
if %r in call["tool_input"]["command"]:
    %s
'''
HOOKS = {  # event, matcher, the tool that it knows, what it does to deny
    'CLAUDE-NO': ('PreToolUse', 'Bash', 'Bash', 'sys.exit("%s")' % WHY, ' || exit 2'),
    'GEMINI-NO': ('BeforeTool', 'run_shell_command', 'run_shell_command',
                  'print(json.dumps({"decision": "deny", "reason": "%s"}))' % WHY, ''),
    'CODEX-NO': ('PreToolUse', '^Bash$', 'Bash',
                 'print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": '
                 '"deny", "permissionDecisionReason": "%s"}}))' % WHY, ''),
}


def three(box):
    """The one settings.json; each hook notes what it saw."""
    hooks = {}
    for word, (event, matcher, _, deny, more) in HOOKS.items():
        script = box.write(word + '.py', SCRIPT % (os.path.join(box.root, 'saw-' + word), word, deny))
        hooks.setdefault(event, []).append({'matcher': matcher, 'hooks': [
            {'type': 'command', 'command': 'python3 -I %s%s' % (script, more),
             'dialect': word.split('-')[0].lower()}]})
    settings(box, hooks)


def with_command(agent, text):
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    return (json.loads(json.dumps(payload).replace(COMMAND, text)), *event)


for agent in AGENTS:
    with tap.case('C8.5 three hooks of three agents guard: ' + agent.name), Box() as box:
        three(box)
        said = ask(box, agent, with_command(agent, 'echo fine'))
        check(said.status == 0 and said.json == agent.none, 'no hook minds', said.r)
        for word, (event, _, tool, _, _) in HOOKS.items():
            saw = os.path.join(box.root, 'saw-' + word)
            with open(saw, encoding='utf-8') as f:
                got = f.read().splitlines()
            check(got and set(got) == {'%s %s' % (event, tool)}, word, 'does not see what its own agent shows', got)
            check_denied(agent, 'tool', agent.deny, ask(box, agent, with_command(agent, 'echo ' + word)))


# ---- a guard of files as Codex has them: patches ----

PATCH = '*** Begin Patch\n*** Add File: %s\n+TEXT\n*** End Patch\n'
WRITES = {  # how each agent writes a file
    'claude': ('Write', {'file_path': '%s', 'content': 'TEXT'}), 'codex': ('apply_patch', {'command': PATCH}),
    'gemini': ('write_file', {'file_path': '%s', 'content': 'TEXT'}),
    'qwen': ('write_file', {'file_path': '%s', 'content': 'TEXT'}),
    'droid': ('Create', {'file_path': '%s', 'content': 'TEXT'}),
    'auggie': ('save-file', {'path': '%s', 'file_content': 'TEXT'}),
    'vscode': ('create_file', {'filePath': '%s', 'content': 'TEXT'}),
    'copilot': ('create', {'path': '%s', 'file_text': 'TEXT'}), 'cursor': ('Write', {'path': '%s', 'contents': 'TEXT'}),
    'antigravity': ('write_to_file', {'TargetFile': '%s', 'CodeContent': 'TEXT'}),
    'cline': ('write_to_file', {'path': '%s', 'content': 'TEXT'}), 'devin': ('write', {'file_path': '%s', 'content': 'TEXT'}),
    'kiro': ('fs_write', {'path': '%s', 'file_text': 'TEXT'}), 'grok': ('write', {'path': '%s', 'content': 'TEXT'}),
    'goose': ('developer__write', {'path': '%s', 'content': 'TEXT'}),
    'crush': ('write', {'file_path': '%s', 'content': 'TEXT'}),
    'openhands': ('file_editor', {'path': '%s', 'file_text': 'TEXT'}),
    'opencode': ('write', {'filePath': '%s', 'content': 'TEXT'}), 'kilo': ('write', {'filePath': '%s', 'content': 'TEXT'}),
    'pi': ('write', {'path': '%s', 'content': 'TEXT'}), 'openclaw': ('write', {'path': '%s', 'content': 'TEXT'}),
    'amp': ('create_file', {'path': '%s', 'content': 'TEXT'}),
    'windsurf': (None, {'file_path': '%s', 'edits': [{'old_string': 'OLD', 'new_string': 'TEXT'}]}),
}
FILES = r'''import json, sys
call = json.load(sys.stdin)
assert call["tool_name"] == "apply_patch", call
patch = call["tool_input"]["command"]
assert patch.startswith("*** Begin Patch\n*** ") and patch.rstrip().endswith("\n*** End Patch"), patch
assert "+TEXT\n" in patch, patch
if ".env" in [line.split(": ")[-1].split("/")[-1] for line in patch.splitlines() if line.startswith("*** ")]:
    print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "deny",
                                             "permissionDecisionReason": "%s"}}))
''' % WHY


def writing(agent, path):
    """The agent's call, of the tool that writes a file."""
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    tool, args = WRITES[agent.name]
    args = json.loads(json.dumps(args).replace('%s', path))
    if agent.name == 'windsurf':
        return dict(payload, agent_action_name='pre_write_code', tool_info=args)
    if agent.name == 'cline':
        return dict(payload, tool_call={'id': 'c', 'name': tool, 'input': args}, preToolUse={
            'toolName': tool, 'parameters': args})

    def changed(v):
        if v == agent.args:
            return args
        return {k: tool if k in ('tool_name', 'toolName', 'tool', 'name') else changed(x) for k, x in v.items()
                } if isinstance(v, dict) else v
    return (changed(payload), *event)


for agent in AGENTS:
    with tap.case("C8.5 Codex's hook for patches guards a write: " + agent.name), Box() as box:
        script = box.write('files.py', FILES)
        for matcher in ('apply_patch', 'Edit|Write', '^Write$', 'Edit', '^apply_(patch)$', '*'):
            settings(box, {'PreToolUse': [{'matcher': matcher, 'dialect': 'codex', 'hooks': [
                {'type': 'command', 'command': 'python3 -I %s || exit 2' % script}]}]})
            said = ask(box, agent, writing(agent, 'src/fine.c'))
            check(said.status == 0 and said.json == agent.none, matcher, 'a file that it does not mind', said.r)
            check_denied(agent, 'tool', agent.deny, ask(box, agent, writing(agent, 'src/.env')))
        for matcher in ('Bash', '^Read$', 'apply'):
            settings(box, {'PreToolUse': [{'matcher': matcher, 'dialect': 'codex', 'hooks': [
                {'type': 'command', 'command': 'exit 2'}]}]})
            said = ask(box, agent, writing(agent, 'src/.env'))
            check(said.status == 0, matcher, 'is no matcher of it', said.r)


# ---- every event, every way of writing, every answer ----

# Further events before a tool, besides the one that the agent's row in hostagents.py has.
CURSOR = {'conversation_id': 's', 'workspace_roots': ['{project}']}
MORE = {
    'copilot': {'PreToolUse': claude(hook_event_name='PreToolUse', tool_name='Bash', tool_input={'command': COMMAND})},
    'cursor': {
        'beforeShellExecution': dict(CURSOR, hook_event_name='beforeShellExecution', command=COMMAND, cwd=''),
        'beforeMCPExecution': dict(CURSOR, hook_event_name='beforeMCPExecution', tool_name='buy',
                                   tool_input=json.dumps({'command': COMMAND})),
        'beforeReadFile': dict(CURSOR, hook_event_name='beforeReadFile', file_path='/x', content='x'),
        'beforeTabFileRead': dict(CURSOR, hook_event_name='beforeTabFileRead', file_path='/x', content='x')},
    'windsurf': {event: {'agent_action_name': event, 'trajectory_id': 's', 'tool_info': info} for event, info in (
        ('pre_read_code', {'file_path': '/x'}),
        ('pre_write_code', {'file_path': '/x', 'edits': [{'old_string': 'a', 'new_string': 'b'}]}),
        ('pre_mcp_tool_use', {'mcp_server_name': 's', 'mcp_tool_name': 'buy', 'mcp_tool_arguments': {'n': 1}}))},
    'cline': {'PreToolUse': {'hookName': 'PreToolUse', 'taskId': 's', 'workspaceRoots': ['{project}'], 'preToolUse': {
        'toolName': 'execute_command', 'parameters': {'command': COMMAND}}}},
    'openhands': {'pre_tool_use': {'event_type': 'pre_tool_use', 'session_id': 's', 'working_dir': '{project}',
                                   'tool_name': 'terminal', 'tool_input': {'command': COMMAND}}},
    'gemini': {}, 'kiro': {},
}


def events(agent):
    """Each event before a tool, with a payload."""
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    said = [v for v in payload.values() if isinstance(v, str)]
    yield (event or [v for v in said if v in KNOWN])[0], agent.tool
    yield from MORE.get(agent.name, {}).items()


def names_in_rows():
    found = set()
    for path in glob.glob(os.path.join(os.environ['TEST_SOURCE_ROOT'], 'src/hosts/*.c')):
        with open(path, encoding='utf-8') as f:
            found.update(re.findall(r'\{ "([\w.]+)",\s*KIND_TOOL\b', f.read()))
    return found


KNOWN = names_in_rows()
# How hooks are written: their event, a denial, a question, other arguments, the unit of a timeout.
DIALECTS = {
    'claude': ('PreToolUse', permission('deny'), permission('ask'), output('PreToolUse', updatedInput=SAFE), 1),
    'codex': ('PreToolUse', permission('deny'), permission('ask'),
              output('PreToolUse', permissionDecision='allow', updatedInput=SAFE), 1),
    'gemini': ('BeforeTool', block('deny'), {'decision': 'ask', 'reason': WHY},
               {'hookSpecificOutput': {'tool_input': SAFE}}, 300),
    'jpfork': ('PreToolUse', block(), {'decision': 'ask', 'reason': WHY},
               {'hookSpecificOutput': {'tool_input': SAFE}}, 300),
}


def one_hook(box, written, **members):
    settings(box, {DIALECTS[written][0]: [{'hooks': [dict({'type': 'command', 'dialect': written}, **members)]}]})


def prints(v):
    return "printf '%%s' '%s'" % json.dumps(v)


def look_denied(agent, main, said, why=WHY):
    check_denied(agent, 'tool', agent.deny if main and why == WHY else None, said, why)
    check(agent.status_only or said.json, 'no JSON', said.r)


def look_asked(agent, main, said):
    if said.status == 2:
        look_denied(agent, False, said)
    else:
        check(said.status == 0 and agent.ask and WHY in said.r.out and (not main or said.json == agent.ask), said.r)


def look_rewritten(_, __, said):
    check(COMMAND not in said.r.out, 'the old arguments', said.r)
    check('echo SAFE' in (said.r.out if said.status == 0 else said.err), 'neither rewritten nor told', said.r)


SAYS = {  # what the hook is, and how it is looked at
    'exit 2': (lambda d: {'command': 'echo "%s" >&2; exit 2' % WHY}, look_denied),
    'a denial in JSON': (lambda d: {'command': prints(d[1])}, look_denied),
    'ask': (lambda d: {'command': prints(d[2])}, look_asked),
    'a rewrite': (lambda d: {'command': prints(d[3])}, look_rewritten),
    'a crash': (lambda d: {'command': 'kill -SEGV $$', 'guard': True}, lambda *a: look_denied(*a, why='')),
    'a timeout': (lambda d: {'command': 'sleep 60', 'timeout': d[4], 'guard': True},
                  lambda *a: look_denied(*a, why='')),
    'a missing program': (lambda d: {'command': '/nonexistent/guard', 'guard': True},
                          lambda *a: look_denied(*a, why='')),
}
seen = set()
for agent in AGENTS:
    for n, (event, payload) in enumerate(events(agent)):
        seen.add(event)
        with tap.case('C8.1 C8.2 %s, %s: each dialect, each answer' % (agent.name, event)), Box() as box:
            for written, row in DIALECTS.items():
                for name, (make, look) in SAYS.items():
                    one_hook(box, written, **make(row))
                    said = ask(box, agent, payload)
                    try:
                        look(agent, n == 0, said)
                    except Exception as e:
                        check(False, written, name, e)

with tap.case('every event before a tool that a row has was asked about'):
    check(KNOWN and KNOWN == seen, KNOWN ^ seen)

tap.done()
