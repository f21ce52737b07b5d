#!/usr/bin/env python3
"""Every event that is installed in an agent (C8.1, C8.2): the command that install writes into the agent's own file is
started as the agent does it, with hooks that deny, fail, stop or take something out of a result.  What the agent can be
told is told: a denial where it takes one, else words for the model or the user where it has such."""

import json
import os
import shutil
import subprocess

from agentbox import TROTLINE, WHY_LINE, Box, Failed, Tap, check
from hostagents import AGENTS, COMMAND, WHY, filled
from hostfiles import USER

tap = Tap()

# What each agent does with an answer, by its documentation or as it was seen (docs/hosts.md).
DENIES = {  # the event is refused, or the result withheld or commented
    'claude': 'PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop SubagentStop TeammateIdle PostToolBatch PermissionRequest '
              'UserPromptExpansion PreModelSwitch ConfigChange Elicitation ElicitationResult TaskCreated TaskCompleted '
              'PreCompact',
    'codex': 'PreToolUse PostToolUse PermissionRequest UserPromptSubmit Stop SubagentStop PreCompact',
    'gemini': 'BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel AfterModel',
    'qwen': 'PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop SubagentStop PermissionRequest '
            'UserPromptExpansion TodoCreated TodoCompleted',
    'copilot': 'preToolUse postToolUse userPromptSubmitted agentStop subagentStop permissionRequest',
    'droid': 'PreToolUse PostToolUse UserPromptSubmit Stop SubagentStop',
    'auggie': 'PreToolUse PostToolUse',
    'vscode': 'PreToolUse PostToolUse UserPromptSubmit Stop SubagentStop',
    'cursor': 'preToolUse beforeShellExecution beforeMCPExecution beforeReadFile beforeTabFileRead beforeSubmitPrompt '
              'stop subagentStart subagentStop',
    'antigravity': 'PreToolUse Stop',
    'windsurf': 'pre_read_code pre_write_code pre_run_command pre_mcp_tool_use pre_user_prompt',
    'devin': 'PreToolUse PostToolUse UserPromptSubmit Stop PermissionRequest',
    'grok': 'PreToolUse PostToolUse PostToolUseFailure UserPromptSubmit Stop SubagentStop',
    'goose': 'PreToolUse Stop', 'crush': 'PreToolUse', 'openhands': 'PreToolUse UserPromptSubmit Stop', 'kiro': 'PreToolUse',
}
TELLS = {  # what cannot be refused is told to the model
    'codex': 'SubagentStart', 'claude': 'SubagentStart', 'qwen': 'SubagentStart', 'vscode': 'SubagentStart',
    'copilot': 'postToolUseFailure subagentStart', 'cursor': 'postToolUse afterShellExecution afterMCPExecution '
    'afterFileEdit afterTabFileEdit', 'openhands': 'PostToolUse', 'kiro': 'UserPromptSubmit',
}
BY_JSON = {  # ... with exit status 0, as the agent reads nothing else
    'copilot': 'postToolUse userPromptSubmitted agentStop subagentStop permissionRequest', 'cursor': 'stop subagentStop',
    'qwen': 'PostToolUse PostToolUseFailure', 'codex': 'PreCompact', 'grok': 'PostToolUse PostToolUseFailure',
}
BEGINS = {  # what does something, or gives the model something to do
    agent: ' '.join(e for e in events.split() if e.lower().startswith(('pre', 'before', 'userprompt')) and
                    e not in ('PreModelSwitch', 'UserPromptExpansion', 'BeforeModel', 'PreCompact')) for agent, events in DENIES.items()}
REPLACES = {'claude': 'PostToolUse', 'copilot': 'postToolUse', 'grok': 'PostToolUse'}
RESULTS = {'claude': 'PostToolUse PostToolUseFailure', 'codex': 'PostToolUse', 'gemini': 'AfterTool',
           'qwen': 'PostToolUse PostToolUseFailure', 'copilot': 'postToolUse postToolUseFailure', 'droid': 'PostToolUse',
           'auggie': 'PostToolUse', 'vscode': 'PostToolUse', 'cursor': TELLS['cursor'], 'devin': 'PostToolUse',
           'openhands': 'PostToolUse', 'grok': 'PostToolUse PostToolUseFailure'}
ENDS = ('Stop', 'SubagentStop', 'TeammateIdle', 'AfterAgent', 'agentStop', 'subagentStop', 'stop')
OURS = {  # events of hooks here, by dialect
    'gemini': 'BeforeTool AfterTool BeforeAgent AfterAgent BeforeModel AfterModel SubagentStart SubagentStop',
    'claude': 'PermissionRequest PostToolBatch UserPromptExpansion PreModelSwitch ConfigChange Elicitation ElicitationResult '
              'TaskCreated TaskCompleted PreCompact',
}
NAMES = ('hook_event_name', 'hookEventName', 'hookName', 'event', 'event_type', 'agent_action_name')
RESULT = 'SECRET and more'
# What the events have besides the call, in every agent's spelling: a member that it does not know is nothing to it.
MORE = {
    'prompt': 'do it', 'message': 'do it', 'prompt_response': 'FINAL', 'last_assistant_message': 'FINAL', 'source': 'startup',
    'error': RESULT, 'error_message': RESULT, 'reason': 'other', 'trigger': 'auto', 'agent_id': 'a', 'agent_type': 'worker',
    'tool_calls': [], 'command_name': 'c', 'expansion_type': 'slash_command', 'to_model': 'm', 'from_model': 'n',
    'mcp_server_name': 'server', 'task_id': '1', 'task_subject': 't', 'todo_id': '1', 'phase': 'validation',
    'llm_request': {'model': 'm', 'messages': [{'role': 'user', 'content': 'x'}]},
    'llm_response': {'candidates': [{'content': {'role': 'model', 'parts': ['x']}}]}, 'subagent_type': 'worker',
    'agentName': 'worker', 'agentId': 'a', 'command': COMMAND, 'file_path': '/x', 'content': 'x', 'is_final': True,
    'edits': [{'old_string': 'a', 'new_string': 'b'}], 'action': 'accept',
}
AFTER = {'tool_response': RESULT, 'tool_output': RESULT, 'result_json': RESULT, 'output': RESULT,
         'toolResult': {'resultType': 'success', 'textResultForLlm': RESULT}}
WINDSURF = {'file_path': '/x', 'edits': MORE['edits'], 'mcp_server_name': 's', 'mcp_tool_name': 'buy',
            'mcp_tool_arguments': {'n': 1}, 'user_prompt': 'do it', 'response': 'FINAL'}


def payload(agent, event):
    call, *_ = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    results = RESULTS.get(agent.name, '').split()
    v = dict(MORE, **call)
    if agent.name == 'windsurf':
        v['tool_info'] = dict(WINDSURF, **call['tool_info'])
    if event in results:
        v.update(AFTER)
        if agent.name == 'claude':
            v['tool_response'] = {'stdout': RESULT, 'stderr': '', 'interrupted': False}
    for name in NAMES:
        if name in call:
            v[name] = event
    if agent.name == 'cursor' and event == 'beforeMCPExecution':
        v['tool_input'] = json.dumps(v['tool_input'])
    return v


def entries(agent, box):
    """Each event of the agent's own file, with the command that is started for it."""
    if agent.name == 'vscode':
        r, path = box.run('hooks', 'install', '--into', 'vscode', '--scope', 'project'), os.path.join(
            box.project, '.github/hooks/trotline-vscode.json')
    else:
        r, path = box.run('hooks', 'install', '--into', agent.name), os.path.join(box.home, USER[agent.name])
    check(r.status == 0, 'installed', r)
    with open(path, encoding='utf-8') as f:
        doc = json.load(f)
    events = doc.get('hooks', doc.get('trotline', doc))
    if isinstance(events, list):
        return {e['trigger']: e['action']['command'] for e in events}
    return {event: (groups[0].get('hooks') or groups)[0]['command'] for event, groups in events.items()
            if isinstance(groups, list)}


def run(box, command, text):
    p = subprocess.run(['/bin/sh', '-c', command], input=text.encode(), capture_output=True, env=box.env, cwd=box.project,
                       check=False)
    return p.returncode, WHY_LINE.sub('', p.stdout.decode()), WHY_LINE.sub('', p.stderr.decode())


def settings(box, make):
    """The same hook on every event: make(dialect) gives its members."""
    hooks = {}
    for dialect, events in OURS.items():
        for event in events.split():
            hooks[event] = [{'hooks': [dict({'type': 'command', 'dialect': dialect, 'guard': True}, **make(dialect))]}]
    box.write('home/.trotline/settings.json', json.dumps({'hooks': hooks}))


def is_in(table, agent, event):
    return event in table.get(agent.name, '').split()


def look_denied(agent, event, said, why, strict, by_shell=False):
    status, out, err = said
    if is_in(DENIES, agent, event):
        json_only = is_in(BY_JSON, agent, event)
        check(status == (0 if json_only else 2) and why in (out + err if json_only else err) and err.strip() + out.strip(), 'no denial', said)
        if not agent.status_only and (json_only or not by_shell):
            check(json.loads(out) and (why in out or event in WORDLESS), 'not in JSON', said)
    elif is_in(TELLS, agent, event) and strict:
        check(status == 0 and why in out, 'the model is not told', said)
    else:
        check(status == 0, 'what cannot be refused', said)


def each(agent, box, commands, name, look, secret='SECRET'):
    for event, command in commands.items():
        # An end that is refused again and again is let go (C8.8).
        shutil.rmtree(os.path.join(box.home, '.trotline/stops'), ignore_errors=True)
        said = run(box, command, json.dumps(filled(payload(agent, event), box)).replace('SECRET', secret))
        try:
            look(event, said)
        except (Failed, ValueError) as e:
            check(False, name, event, e)


PRINTS = "printf '%%s' '%s'"
MODES = {  # what the hook does; the words that are to arrive; whether what cannot be refused is told
    'exit 2': (lambda d: {'command': 'echo "%s" >&2; exit 2' % WHY}, WHY, True),
    'a denial in JSON': (lambda d: {'command': PRINTS % json.dumps({
        'decision': 'deny' if d == 'gemini' else 'block', 'reason': WHY})}, WHY, False),
    'a stop': (lambda d: {'command': PRINTS % json.dumps({'continue': False, 'stopReason': WHY})}, WHY, False),
    'a crash': (lambda d: {'command': 'kill -SEGV $$'}, '', True),
    'a missing program': (lambda d: {'command': '/nonexistent/guard'}, '', True),
}
WORDLESS = ('Elicitation', 'ElicitationResult')  # their answer has no reason
OWN_WORDS = ('PermissionRequest', 'permissionRequest', 'PreModelSwitch', *WORDLESS)  # and no "decision": "block"
NO_STOP = (*ENDS, 'Stop', 'PreModelSwitch', 'ConfigChange', 'TaskCreated', 'TaskCompleted', 'TodoCreated', 'TodoCompleted',
           *WORDLESS)
by_file = [a for a in AGENTS if a.name in USER or a.name == 'vscode']

for agent in by_file:
    with tap.case('C8.1 C8.2 no event loses a denial: ' + agent.name), Box() as box:
        commands = entries(agent, box)
        known = set(DENIES[agent.name].split()) - set(commands)
        check(not known, 'an event that can be refused is not installed', known)
        for mode, (make, why, strict) in MODES.items():
            settings(box, make)
            some = {e: c for e, c in commands.items() if not ('JSON' in mode and e in OWN_WORDS) and
                    not ('stop' in mode and e in NO_STOP)}

            def look(event, said, mode=mode, why=why, strict=strict):
                if 'stop' not in mode or said[0] == 2 or '"continue":false' not in said[1]:
                    look_denied(agent, event, said, why, strict)
                else:
                    check(why in said[1], 'stopped without the reason', said)

            each(agent, box, some, mode, look)
        # The program is gone, or ends without a word: what begins something is refused by the command itself.
        settings(box, lambda d: {'command': 'exit 0'})
        killed = box.write('trotline-hook', '#!/bin/sh\nkill -9 $$\n')
        os.chmod(killed, 0o755)
        for program in ('/nonexistent/trotline-hook', killed):
            each(agent, box, {e: c.replace(TROTLINE + '-hook', program) for e, c in commands.items() if is_in(BEGINS, agent, e)},
                 program, lambda event, said: look_denied(agent, event, said, 'trotline hooks uninstall --into', True, True))
        box.write('home/.trotline/settings.json', '{')
        each(agent, box, commands, 'settings that cannot be read',
             lambda event, said: look_denied(agent, event, said, 'settings', False))

# ---- what a hook takes out of a result ----

CLEAN = {'PostToolUse': [{'hooks': [{'type': 'command', 'dialect': 'claude', 'command': PRINTS % json.dumps({
    'hookSpecificOutput': {'hookEventName': 'PostToolUse', 'updatedToolOutput': 'CLEAN and more'}})}]}]}
KEY = 'AKIA' 'Q7ZP2LK9XV4TN8WB'

for agent in by_file:
    if agent.name not in RESULTS:
        continue
    with tap.case('C8.1 what a hook or a policy takes out of a result does not stay in it: ' + agent.name), Box() as box:
        commands = {e: c for e, c in entries(agent, box).items() if is_in(RESULTS, agent, e)}
        check(commands, 'no event for results')

        def look(event, said, left='CLEAN and more', gone='SECRET'):
            check(gone not in said[1] + said[2], 'what was taken out', said)
            check(left in said[1], 'what is left is not told', said)
            if not is_in(REPLACES, agent, event):
                look_denied(agent, event, said, left, True)
            else:
                check(said[0] == 0, 'it is replaced', said)

        box.write('home/.trotline/settings.json', json.dumps({'hooks': CLEAN}))
        each(agent, box, {e: c for e, c in commands.items() if 'ailure' not in e}, 'a hook', look)
        box.write('home/.trotline/settings.json', json.dumps({'guard': {'packs': ['secrets']}}))
        each(agent, box, commands, 'a policy', lambda event, said: look(event, said, '[redacted', KEY), secret=KEY)

tap.done()
