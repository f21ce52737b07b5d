"""The agents as tests speak for them: payloads as they were captured, answers as they were seen to work."""

import json
import os

from agentbox import WHY_LINE, check

COMMAND = 'echo OUT > mark'
WHY = 'because of the test'


def output(event, **members):
    return {'hookSpecificOutput': dict(members, hookEventName=event)}


def permission(word, event='PreToolUse', **more):
    return output(event, permissionDecision=word, permissionDecisionReason=WHY, **more)


def block(word='block'):
    return {'decision': word, 'reason': WHY}


class Agent:
    """tool, result, prompt and stop are payloads; a tuple is a payload and the event's name.  What is
    left out is what the agent cannot say: then ask and rewrite have to be denials."""

    def __init__(self, name, tool, args, deny, **more):
        self.name, self.tool, self.args, self.deny = name, tool, args, deny
        self.none = None
        self.ask = self.allow = self.context = self.rewrite = None
        self.result = self.prompt = self.stop = self.start = None
        self.deny_result = self.deny_prompt = self.deny_stop = self.start_context = None
        self.by_json, self.status_only, self.json_only = (), False, False
        self.__dict__.update(more)


def claude(**members):
    return dict({'session_id': 's', 'transcript_path': '/t.jsonl', 'cwd': '{project}'}, **members)


def shim(name, tool, key, **more):
    base = {'session': 's', 'cwd': '{project}'}
    more.setdefault('rewrite', lambda args: {'args': args})
    return Agent(name, dict(base, event='tool.before', tool=tool, args={key: COMMAND}, call='c'),
                 {key: COMMAND}, block('deny'), none={'decision': 'none'}, **more)


def grok(event, own, **members):
    """Both spellings, as it sends them."""
    return dict({'hookEventName': own, 'hook_event_name': event, 'sessionId': 's', 'session_id': 's', 'cwd': '{project}',
                 'workspaceRoot': '{project}/', 'transcriptPath': '/t.jsonl', 'permissionMode': 'bypassPermissions',
                 'permission_mode': 'bypassPermissions'}, **members)


GROK_CALL = {'toolName': 'run_terminal_command', 'toolUseId': 'call_1', 'toolInput': {'command': COMMAND, 'description': 'run'}}
GROK_RESULT = {'type': 'Bash', 'exit_code': 0, 'command': COMMAND, 'truncated': False, 'signal': None, 'timed_out': False}

AGENTS = [
    Agent('claude',
          claude(hook_event_name='PreToolUse', tool_name='Bash', tool_use_id='toolu_1', prompt_id='p',
                 permission_mode='bypassPermissions',
                 tool_input={'command': COMMAND, 'description': 'run', 'timeout': 5000}),
          {'command': COMMAND, 'description': 'run', 'timeout': 5000}, permission('deny'),
          ask=permission('ask'), allow=output('PreToolUse', permissionDecision='allow'),
          context=output('PreToolUse', additionalContext='CTX'),
          rewrite=lambda args: output('PreToolUse', updatedInput=args),
          result=claude(hook_event_name='PostToolUse', tool_name='Bash', tool_input={'command': COMMAND},
                        tool_response={'stdout': 'OUT', 'stderr': '', 'interrupted': False}),
          deny_result=dict(block(), **output('PostToolUse', updatedToolOutput={
              'stdout': WHY, 'stderr': '', 'interrupted': False})),
          prompt=claude(hook_event_name='UserPromptSubmit', prompt='do it'), deny_prompt=block(),
          stop=claude(hook_event_name='Stop', stop_hook_active=False, last_assistant_message='FINAL'),
          deny_stop=block(), start=claude(hook_event_name='SessionStart', source='startup'),
          start_context=output('SessionStart', additionalContext='CTX')),
    Agent('codex',
          claude(hook_event_name='PreToolUse', turn_id='t', model='gpt-5.5', tool_name='Bash',
                 tool_input={'command': COMMAND}, tool_use_id='call_1', permission_mode='default'),
          {'command': COMMAND}, permission('deny'),
          context=output('PreToolUse', additionalContext='CTX'),
          rewrite=lambda args: output('PreToolUse', permissionDecision='allow', updatedInput=args),
          result=claude(hook_event_name='PostToolUse', tool_name='Bash', tool_input={'command': COMMAND},
                        tool_response='OUT\n'),
          deny_result=block(), prompt=claude(hook_event_name='UserPromptSubmit', prompt='do it'),
          deny_prompt=block(),
          stop=claude(hook_event_name='Stop', stop_hook_active=False, last_assistant_message='FINAL'),
          deny_stop=block(), start=claude(hook_event_name='SessionStart', source='startup'),
          start_context=output('SessionStart', additionalContext='CTX')),
    Agent('gemini',
          claude(hook_event_name='BeforeTool', tool_name='run_shell_command',
                 tool_input={'command': COMMAND, 'description': 'run'}),
          {'command': COMMAND, 'description': 'run'}, block('deny'),
          ask={'decision': 'ask', 'systemMessage': WHY}, allow={'decision': 'allow'},
          rewrite=lambda args: output('BeforeTool', tool_input=args),
          result=claude(hook_event_name='AfterTool', tool_name='run_shell_command',
                        tool_input={'command': COMMAND},
                        tool_response={'llmContent': 'Output: OUT', 'returnDisplay': 'OUT'}),
          deny_result=block('deny'), prompt=claude(hook_event_name='BeforeAgent', prompt='do it'),
          deny_prompt=block('deny'),
          stop=claude(hook_event_name='AfterAgent', prompt='do it', prompt_response='FINAL',
                      stop_hook_active=False), deny_stop=block('deny'),
          start=claude(hook_event_name='SessionStart', source='startup'),
          start_context=output('SessionStart', additionalContext='CTX')),
    Agent('qwen',
          claude(hook_event_name='PreToolUse', tool_name='run_shell_command', permission_mode='yolo',
                 tool_input={'command': COMMAND, 'description': 'run'}, tool_call_id='call_1'),
          {'command': COMMAND, 'description': 'run'}, permission('deny'), ask=permission('ask'),
          allow=output('PreToolUse', permissionDecision='allow'),
          result=claude(hook_event_name='PostToolUse', tool_name='run_shell_command',
                        tool_input={'command': COMMAND},
                        tool_response={'llmContent': 'Output: OUT', 'returnDisplay': 'OUT'}),
          deny_result={'continue': False, 'stopReason': WHY}, by_json=('result',),
          prompt=claude(hook_event_name='UserPromptSubmit', prompt='do it', submitted_prompt='do it'),
          deny_prompt=block(),
          stop=claude(hook_event_name='Stop', stop_hook_active=False, last_assistant_message='FINAL'),
          deny_stop=block()),
    Agent('droid',
          claude(hook_event_name='PreToolUse', tool_name='Execute', permission_mode='auto-low',
                 tool_input={'command': COMMAND, 'summary': 'run', 'timeout': 30}),
          {'command': COMMAND, 'summary': 'run', 'timeout': 30}, permission('deny'),
          allow=output('PreToolUse', permissionDecision='allow'),
          rewrite=lambda args: output('PreToolUse', updatedInput=args),
          result=claude(hook_event_name='PostToolUse', tool_name='Execute',
                        tool_input={'command': COMMAND}, tool_response='OUT\n'),
          deny_result=block(),
          stop=claude(hook_event_name='Stop', stop_hook_active=False), deny_stop=block()),
    Agent('auggie',
          {'conversation_id': 's', 'workspace_roots': ['{project}'], 'hook_event_name': 'PreToolUse',
           'tool_name': 'launch-process', 'tool_input': {'command': COMMAND, 'wait': True, 'cwd': '.'},
           'tool_output': '[undefined]', 'tool_error': None, 'is_mcp_tool': False},
          {'command': COMMAND, 'wait': True, 'cwd': '.'}, permission('deny'),
          allow=output('PreToolUse', permissionDecision='allow'),
          rewrite=lambda args: output('PreToolUse', updatedInput=args)),
    Agent('vscode',
          claude(hook_event_name='PreToolUse', tool_name='run_in_terminal', tool_use_id='t',
                 tool_input={'command': COMMAND, 'isBackground': False}),
          {'command': COMMAND, 'isBackground': False}, permission('deny'), ask=permission('ask'),
          allow=output('PreToolUse', permissionDecision='allow'),
          context=output('PreToolUse', additionalContext='CTX'),
          rewrite=lambda args: output('PreToolUse', updatedInput=args),
          stop=claude(hook_event_name='Stop', stop_hook_active=False), deny_stop=block()),
    Agent('copilot',
          ({'sessionId': 's', 'timestamp': 1, 'cwd': '{project}', 'toolName': 'bash',
            'toolArgs': {'command': COMMAND, 'mode': 'sync'}}, 'preToolUse'),
          {'command': COMMAND, 'mode': 'sync'},
          {'permissionDecision': 'deny', 'permissionDecisionReason': WHY},
          ask={'permissionDecision': 'ask', 'permissionDecisionReason': WHY},
          allow={'permissionDecision': 'allow'}, context={'additionalContext': 'CTX'},
          rewrite=lambda args: {'modifiedArgs': args},
          result=({'sessionId': 's', 'cwd': '{project}', 'toolName': 'bash',
                   'toolArgs': json.dumps({'command': COMMAND}),
                   'toolResult': {'resultType': 'success', 'textResultForLlm': 'OUT'}}, 'postToolUse'),
          deny_result=block(),
          prompt=({'sessionId': 's', 'cwd': '{project}', 'prompt': 'do it'}, 'userPromptSubmitted'),
          deny_prompt=block(),
          stop=({'sessionId': 's', 'cwd': '{project}', 'stopReason': 'end_turn',
                 'stop_hook_active': False}, 'agentStop'), deny_stop=block(),
          by_json=('result', 'prompt', 'stop')),
    Agent('cursor',
          {'conversation_id': 's', 'generation_id': 'g', 'hook_event_name': 'preToolUse',
           'workspace_roots': ['{project}'], 'tool_name': 'Shell', 'cwd': '',
           'tool_input': {'command': COMMAND, 'working_directory': ''}},
          {'command': COMMAND, 'working_directory': ''},
          {'permission': 'deny', 'user_message': WHY, 'agent_message': WHY},
          rewrite=lambda args: {'updated_input': args},
          prompt={'conversation_id': 's', 'hook_event_name': 'beforeSubmitPrompt', 'prompt': 'do it',
                  'workspace_roots': ['{project}']},
          deny_prompt={'continue': False, 'user_message': WHY},
          stop={'conversation_id': 's', 'hook_event_name': 'stop', 'status': 'completed',
                'workspace_roots': ['{project}']}, deny_stop={'followup_message': WHY},
          by_json=('stop',)),
    Agent('antigravity',
          ({'toolCall': {'name': 'run_command', 'args': {'CommandLine': COMMAND, 'Cwd': '{project}'}},
            'conversationId': 's', 'stepIdx': 3, 'workspacePaths': ['{project}']}, 'PreToolUse'),
          {'CommandLine': COMMAND, 'Cwd': '{project}'}, block('deny'),
          ask={'decision': 'force_ask', 'reason': WHY}, none={'decision': 'ask'}),
    Agent('windsurf',
          {'agent_action_name': 'pre_run_command', 'trajectory_id': 's', 'execution_id': 'e',
           'tool_info': {'command_line': COMMAND, 'cwd': '{project}'}},
          {'command_line': COMMAND, 'cwd': '{project}'}, None, status_only=True,
          prompt={'agent_action_name': 'pre_user_prompt', 'trajectory_id': 's',
                  'tool_info': {'user_prompt': 'do it'}}),
    Agent('cline',
          {'hookName': 'tool_call', 'taskId': 's', 'workspaceRoots': ['{project}'], 'agent_id': 'a',
           'tool_call': {'id': 'c', 'name': 'run_commands', 'input': {'commands': [COMMAND]}},
           'preToolUse': {'toolName': 'run_commands',
                          'parameters': {'commands': json.dumps([COMMAND])}}},
          {'commands': [COMMAND]}, {'cancel': True, 'errorMessage': WHY},
          rewrite=lambda args: {'overrideInput': args}, context={'contextModification': 'CTX'},
          none={'cancel': False}, json_only=True),
    Agent('devin',
          claude(hook_event_name='PreToolUse', tool_name='exec', tool_input={'command': COMMAND}),
          {'command': COMMAND}, block()),
    Agent('kiro',
          claude(hook_event_name='PreToolUse', tool_name='execute_bash', tool_input={'command': COMMAND}),
          {'command': COMMAND}, None, status_only=True),
    Agent('grok', grok('PreToolUse', 'pre_tool_use', **GROK_CALL), GROK_CALL['toolInput'], block('deny'),
          context=output('PreToolUse', additionalContext='CTX'),
          rewrite=lambda args: output('PreToolUse', updatedInput=args),
          result=grok('PostToolUse', 'post_tool_use', toolResult=dict(
              GROK_RESULT, output=[79, 85, 84, 10], output_for_prompt='exit: 0\nOUT\n'), **GROK_CALL),
          deny_result=dict(block(), **output('PostToolUse', updatedToolOutput=dict(
              GROK_RESULT, output=[], output_for_prompt=WHY))),
          prompt=grok('UserPromptSubmit', 'user_prompt_submit', prompt='do it'), deny_prompt=block(),
          stop=grok('Stop', 'stop', reason='end_turn', stopHookActive=False, lastAssistantMessage='FINAL'),
          deny_stop=block(), by_json=('result',)),
    Agent('goose',
          {'event': 'PreToolUse', 'session_id': 's', 'working_dir': '{project}',
           'tool_name': 'developer__shell', 'tool_input': {'command': COMMAND}},
          {'command': COMMAND}, block()),
    Agent('crush',
          {'event': 'PreToolUse', 'session_id': 's', 'cwd': '{project}', 'tool_name': 'bash',
           'tool_input': {'command': COMMAND, 'description': 'run'}},
          {'command': COMMAND, 'description': 'run'}, block('deny'), allow={'decision': 'allow'},
          context={'context': 'CTX'}, rewrite=lambda args: {'updated_input': args}),
    Agent('openhands',
          {'event_type': 'PreToolUse', 'session_id': 's', 'working_dir': '{project}',
           'tool_name': 'terminal', 'tool_input': {'command': COMMAND}, 'metadata': {}},
          {'command': COMMAND}, block('deny')),
    shim('opencode', 'bash', 'command'),
    shim('kilo', 'bash', 'command'),
    shim('pi', 'bash', 'command', context={'context': 'CTX'}),
    shim('openclaw', 'exec', 'command'),
    shim('amp', 'Bash', 'cmd', rewrite=None),
]
KINDS = {'tool': 'BeforeTool', 'result': 'AfterTool', 'prompt': 'BeforeAgent', 'stop': 'AfterAgent',
         'start': 'SessionStart'}


# ---- a run ----


def named(name):
    return [a for a in AGENTS if a.name == name][0]


def filled(v, box):
    if isinstance(v, dict):
        return {k: filled(x, box) for k, x in v.items()}
    if isinstance(v, list):
        return [filled(x, box) for x in v]
    return v.replace('{project}', box.project) if isinstance(v, str) else v


class Said:
    def __init__(self, r):
        self.r, self.status, self.json = r, r.status, None
        self.why = WHY_LINE.findall(r.err)
        self.err = WHY_LINE.sub('', r.err)
        if r.out:
            check(r.out.endswith('\n') and r.out.count('\n') == 1, 'not one line on stdout', r)
            named = WHY_LINE.findall(r.out)
            check(not named or not self.why or set(named) == set(self.why), 'two ids', r)
            self.json = json.loads(WHY_LINE.sub('', r.out))


def ask(box, agent, payload, *options, **how):
    """The payload goes in, the answer comes out."""
    payload, *event = payload if isinstance(payload, tuple) else (payload,)
    text = payload if isinstance(payload, bytes) else json.dumps(filled(payload, box)).encode()
    path = os.path.join(box.root, 'payload')
    with open(path, 'wb') as f:
        f.write(text)
    with open(path, 'rb') as stdin:
        return Said(box.run('hook', agent.name, *event, *options, stdin=stdin, **how))


def settings(box, hooks, **more):
    box.write('home/.trotline/settings.json', json.dumps(dict(more, hooks=hooks)))


def hook(box, event, answer, **members):
    """One hook of an event; it keeps its payload and gives this answer."""
    path = box.write('answer', answer if isinstance(answer, str) else json.dumps(answer))
    entry = dict({'type': 'command', 'name': 'test', 'command': 'cat > %s/seen; cat %s' % (
        box.root, path)}, **members)
    settings(box, {event: [{'hooks': [entry]}]})


def seen(box):
    with open(os.path.join(box.root, 'seen'), encoding='utf-8') as f:
        return json.load(f)


def check_denied(agent, kind, expected, said, why=WHY):
    by_json = kind in agent.by_json
    check(said.status == (0 if by_json else 2), 'the exit status is no denial', said.r)
    check(why in said.err, 'the reason is not on stderr', said.r)
    if agent.status_only:
        check(said.json is None, 'something on stdout', said.r)
    elif expected is not None:
        check(said.json == expected, 'the denial is not the one that works: %s' % expected, said.r)


def call_of(agent, tool, args):
    """The agent's own payload for another tool."""
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    payload = json.loads(json.dumps(payload))
    where = payload.get('tool_call') or payload.get('toolCall') or payload
    for name in ('tool_name', 'toolName', 'tool', 'name'):
        if name in where:
            where[name] = tool
    for name in ('tool_input', 'toolInput', 'toolArgs', 'args', 'input'):
        if name in where:
            where[name] = args
    payload.pop('preToolUse', None)
    return (payload, *event)
