#!/usr/bin/env python3
"""What Claude Code's hooks are sent, event by event: the fields that they rely on.  Prints TAP."""

import json
import os
import subprocess

from agentbox import Box, PATIENCE, TROTLINE, Failed, Tap, check

COMMON = {'session_id': str, 'transcript_path': str, 'cwd': str, 'hook_event_name': str, 'permission_mode': str}
TOOL = {'tool_name': str, 'tool_input': dict}
SWITCH = {'from_model': str, 'to_model': str, 'requested_model': str, 'source': str, 'context_tokens': int,
          'prompt_cache_warm': bool, 'cache_ttl': str, 'estimated_cache_write_usd': int, 'pricing': str}
ASKED = {'mcp_server_name': str, 'mode': str}
# Event: what `hooks run` calls the moment, further arguments, the event's own fields.
EVENTS = {
    'PreToolUse': ('BeforeTool', [], dict(TOOL, tool_paths=list, tool_urls=list)),
    'PostToolUse': ('AfterTool', [], dict(TOOL, tool_response=dict)),
    'PostToolUseFailure': ('AfterTool', ['--failed'], dict(TOOL, error=str, is_interrupt=bool)),
    'PermissionRequest': (None, [], TOOL),
    'PermissionDenied': (None, [], dict(TOOL, reason=str)),
    'PostToolBatch': (None, [], {'tool_calls': list}),
    'UserPromptSubmit': ('BeforeAgent', [], {'prompt': str}),
    'UserPromptExpansion': (None, [], {'expansion_type': str, 'command_name': str, 'command_args': str,
                                       'command_source': str, 'prompt': str}),
    'Stop': ('AfterAgent', [], {'stop_hook_active': bool, 'last_assistant_message': str, 'background_tasks': list,
                                'session_crons': list}),
    'StopFailure': (None, [], {'error': str, 'error_details': str}),
    'SubagentStart': (None, [], {'agent_id': str, 'agent_type': str}),
    'SubagentStop': (None, [], {'agent_id': str, 'agent_type': str, 'agent_transcript_path': str,
                                'stop_hook_active': bool, 'last_assistant_message': str}),
    'SessionStart': (None, [], {'source': str, 'model': str}),
    'SessionEnd': (None, [], {'reason': str}),
    'Setup': (None, [], {'trigger': str}),
    'PreCompact': ('PreCompress', [], {'trigger': str, 'custom_instructions': str}),
    'PostCompact': (None, [], {'trigger': str, 'compact_summary': str}),
    'Notification': (None, [], {'message': str, 'title': str, 'notification_type': str}),
    'InstructionsLoaded': (None, [], {'file_path': str, 'memory_type': str, 'load_reason': str}),
    'Elicitation': (None, [], dict(ASKED, message=str, requested_schema=dict)),
    'ElicitationResult': (None, [], dict(ASKED, action=str, content=dict)),
    'PreModelSwitch': (None, [], SWITCH),
    'PostModelSwitch': (None, [], SWITCH),
    'TaskCreated': (None, [], {'task_id': str, 'task_subject': str}),
    'TaskCompleted': (None, [], {'task_id': str, 'task_subject': str}),
    'MessageDisplay': (None, [], {'message_id': str, 'index': int, 'final': bool, 'delta': str}),
    'ConfigChange': (None, [], {'source': str, 'file_path': str}),
    'FileChanged': (None, [], {'file_path': str, 'event': str}),
    'DirectoryAdded': (None, [], {'directory': str, 'source': str}),
}
NEVER = {'CwdChanged', 'TeammateIdle', 'WorktreeCreate', 'WorktreeRemove'}


def run(c, *args):
    return subprocess.run([TROTLINE, 'hooks', *args], cwd=c.project, env=c.env, stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60 * PATIENCE)


def one(c, event):
    moment, args, fields = EVENTS[event]
    seen = os.path.join(c.root, 'seen-' + event)
    c.write('home/.claude/settings.json',
            json.dumps({'hooks': {event: [{'hooks': [{'type': 'command', 'command': 'cat >"%s"' % seen}]}]}}))
    p = run(c, 'run', moment or event, *args, '--payload', '{"permission_mode":"auto_edit"}')
    check(p.returncode == 0 and os.path.exists(seen), 'it runs', p.stdout, p.stderr)
    with open(seen, encoding='utf-8') as f:
        sent = json.load(f)
    for name, kind in dict(COMMON, **fields).items():
        check(isinstance(sent.get(name), kind), '%s is a %s' % (name, kind.__name__), json.dumps(sent))
    check(sent['hook_event_name'] == event and sent['permission_mode'] == 'acceptEdits' and
          sent['cwd'] == os.path.realpath(c.project), 'the common fields', json.dumps(sent))


def all_are_here(c):
    c.write('home/.claude/settings.json', json.dumps(
        {'hooks': {e: [{'hooks': [{'type': 'command', 'command': 'true'}]}] for e in [*EVENTS, *NEVER]}}))
    listed = {h['event'] for h in json.loads(run(c, 'list', '--json').stdout)['hooks']}
    check(listed == set(EVENTS), 'events that fire', listed ^ set(EVENTS))
    said = run(c, 'lint').stdout
    check(all(e in said for e in NEVER), 'events that never fire are named', said)


def main():
    tap = Tap()
    for name in ['all events', *EVENTS]:
        with Box() as c:
            c.settings(hooksConfig={'sources': ['claude']})
            try:
                all_are_here(c) if name == 'all events' else one(c, name)
                tap.point('C2.4 ' + name)
            except Failed as e:
                tap.point('C2.4 ' + name, e)
    tap.done()


main()
