#!/usr/bin/env python3
"""What `hooks run` sends is what the agent sends: the same members of the same types, for each event
that a session fires.  Prints TAP."""

import json
import re
import os
import shlex
import sys

from agentbox import Box, Tap, call, check, say

# A hook that keeps what it was sent, a line each.
KEEP = '%s -c %s' % (shlex.quote(sys.executable), shlex.quote(
    'import json, os, sys\n'
    'line = json.dumps(json.load(sys.stdin)) + "\\n"\n'
    'fd = os.open(os.environ["LOG"], os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)\n'
    'os.write(fd, line.encode())\n'))
# What only some sessions have.
SOMETIMES = {'agent_id', 'agent_type', 'permission_mode', 'mcp_context', 'signal'}
GEMINI = ['SessionStart', 'BeforeAgent', 'BeforeModel', 'BeforeToolSelection', 'AfterModel', 'BeforeTool',
          'AfterTool', 'AfterAgent', 'SessionEnd']
CLAUDE = ['SessionStart', 'UserPromptSubmit', 'PreToolUse', 'PostToolUse', 'PostToolUseFailure',
          'PostToolBatch', 'Stop', 'SessionEnd']
# Claude's events as `hooks run` calls them.
MOMENT = {'UserPromptSubmit': ['BeforeAgent'], 'PreToolUse': ['BeforeTool'], 'PostToolUse': ['AfterTool'],
          'PostToolUseFailure': ['AfterTool', '--failed'], 'Stop': ['AfterAgent']}


def shape(v, depth=2):
    """The members and types; what is deeper than `depth` is data."""
    if isinstance(v, dict) and depth:
        return {k: shape(x, depth - 1) for k, x in v.items() if k not in SOMETIMES}
    if isinstance(v, bool) or v is None:
        return 'boolean'
    return {'str': 'string', 'int': 'number', 'float': 'number'}.get(type(v).__name__, type(v).__name__)


def payloads(box):
    with open(box.log, encoding='utf-8') as f:
        lines = [json.loads(line) for line in f]
    os.unlink(box.log)
    return lines


def only(lines, event, tool=None, failed=None):
    found = [p for p in lines if p['hook_event_name'] == event and (not tool or p['tool_name'] == tool) and
             (failed is None or ('tool_error' in p) == failed)]
    check(found, 'no %s %s' % (event, tool or ''), lines)
    return found[0]


def same(event, session, run, data=()):
    """Members whose content is the host's own are compared as one."""
    for name in data:
        check((name in session) == (name in run), '%s: %s' % (event, name), session, run)
        session.pop(name, None)
        run.pop(name, None)
    a, b = shape(session), shape(run)
    check(a == b, '%s: the session sends other members' % event, 'session: %s' % json.dumps(a, sort_keys=True),
          'hooks run: %s' % json.dumps(b, sort_keys=True))


def run(box, *args):
    r = box.run('hooks', 'run', *args, '--no-record')
    check(r.status == 0, r)
    return payloads(box)


def session(box):
    box.write('project/a', 'text\n')
    recording = box.answers([call('read_file', {'file_path': 'a'})], [call('run_shell_command', {'command': 'true'})],
                            [call('run_shell_command', {'command': 'exit 3'})],
                            [call('read_file', {'file_path': 'none'})], [say('done')])
    r = box.run('-p', 'hi', '--approval-mode=yolo', '--fake-responses', recording)
    check(r.status == 0, r)
    return payloads(box)


def gemini(tap):
    with Box() as box:
        box.hooks({event: KEEP for event in GEMINI})
        seen = session(box)
        for event in GEMINI:
            if event.endswith('Tool'):
                continue
            with tap.case('%s: as in a session' % event):
                same(event, only(seen, event), only(run(box, event), event), data=['llm_request', 'llm_response'])
        for event, tool, failed, args in [
                ('BeforeTool', 'run_shell_command', None, []),
                ('BeforeTool', 'read_file', None, []),
                ('AfterTool', 'run_shell_command', False, []),
                ('AfterTool', 'read_file', False, []),
                ('AfterTool', 'read_file', True, ['--failed'])]:
            with tap.case('%s of %s%s: as in a session' % (event, tool, ', failed' if failed else '')):
                mine = only(run(box, event, '--tool', tool, *args), event, tool, failed)
                same(event, only(seen, event, tool, failed), mine, data=['tool_input'])


def words_of_a_result(tap):
    """What a hook looks for in llmContent is worded as a session words it."""
    with Box() as box, tap.case('the text of a command that ended: as in a session'):
        box.hooks({'AfterTool': KEEP})
        recording = box.answers([call('run_shell_command', {'command': 'echo hello'})], [say('done')])
        r = box.run('-p', 'hi', '--approval-mode=yolo', '--fake-responses', recording)
        check(r.status == 0, r)
        said = [re.sub('PGID: [0-9]+', 'PGID: N', json.dumps(p['tool_response']))
                for p in payloads(box) + run(box, 'AfterTool', '--tool', 'run_shell_command')]
        check(len(said) == 2 and said[0] == said[1], said)


def claude(tap):
    with Box() as box:
        box.settings(hooksConfig={'sources': ['claude']})
        box.write('home/.claude/settings.json', json.dumps({'hooks': {
            event: [{'hooks': [{'type': 'command', 'command': KEEP}]}] for event in CLAUDE}}))
        seen = session(box)
        for event in CLAUDE:
            with tap.case('%s of the claude dialect: as in a session' % event):
                tool = {'PreToolUse': 'Read', 'PostToolUse': 'Read', 'PostToolUseFailure': 'Read'}.get(event)
                moment = MOMENT.get(event, [event])
                args = ['--tool', 'read_file'] if tool else []
                mine = only(run(box, moment[0], *args, *moment[1:]), event, tool)
                same(event, only(seen, event, tool), mine, data=['tool_input', 'tool_calls', 'tool_response'])


def main():
    tap = Tap()
    gemini(tap)
    words_of_a_result(tap)
    claude(tap)
    tap.done()


main()
