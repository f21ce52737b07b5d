#!/usr/bin/env python3
"""C8.1, C8.5 the tools that the real programs offer to their models (tests/agents/tools.jsonl), with all the arguments
that each can have: a hook sees every file, directory, command and text of them under the names that it knows."""

import json
import os
import sys

from agentbox import Box, Tap, check
from hostagents import ask, call_of, claude, grok, named, settings

sys.path.insert(0, os.path.join(os.environ['TEST_SOURCE_ROOT'], 'tests/agents'))
import tools  # noqa: E402

tap = Tap()
SEARCHES = ('glob', 'grep_search', 'list_directory')
# Names of arguments, and what hooks find them as.
MEANS = {
    'file_path': 'file_path filePath path target_file notebook_path file paths file_paths',
    'dir_path': 'directory target_directory folder dir_path workdir cwd working_directory',
    'command': 'command cmd commands input_text chars data text literal',
    'url': 'url',
    'new_string': 'new_string newString new_str new_text newText new_source',
    'old_string': 'old_string oldString old_str old_text oldText',
    'content': 'content contents file_text file_content',
}
# Where such a name is not that: words for people and for other agents, words that choose what the tool does.
OTHERS = {
    ('auggie', 'str-replace-editor'): 'command', ('cline', 'team_attach_outcome_fragment'): 'content',
    ('kilo', 'task'): 'command', ('kilo', 'link_pr'): 'url', ('opencode', 'task'): 'command',
    ('claude', 'ReportFindings'): 'file', ('grok', 'use_tool'): 'file', ('grok', 'spawn_subagent'): 'cwd',
    ('grok', 'todo_write'): 'content', ('kilo', 'todowrite'): 'content', ('opencode', 'todowrite'): 'content',
}


def meaning(name):
    return next((ours for ours, names in MEANS.items() if name in names.split()), None)


def filled_in(v, name, others, found):
    """The arguments with words of their own; found: what each is to be found as."""
    if isinstance(v, dict):
        return {k: filled_in(x, k, others, found) for k, x in v.items()}
    if isinstance(v, list):
        return [filled_in(x, name, others, found) for x in v]
    if v != 's' or name in others or not meaning(name):
        return v
    word = 'word-%d' % len(found)
    found[word] = meaning(name)
    return word


def asked(box, agent, payload):
    """What hooks were asked about, call by call."""
    path = os.path.join(box.root, 'calls')
    settings(box, {'BeforeTool': [{'hooks': [{'type': 'command', 'command': 'cat >> %s; echo >> %s; echo {}' % (path, path)}]}]})
    if os.path.exists(path):
        os.remove(path)
    said = ask(box, agent, payload)
    check(said.status == 0, 'asked', said.r)
    with open(path, encoding='utf-8') as f:
        return [json.loads(line) for line in f if line.strip()]


every = tools.rows()
for name in sorted({row[0] for row in every}):
    with tap.case('C8.1, C8.5 hooks see what the tools of %s are given' % name), Box() as box:
        for agent, tool, args in every:
            found = {}
            args = filled_in(args, '', OTHERS.get((agent, tool), '').split(), found)
            if agent != name or not found:
                continue
            calls = asked(box, named(agent), call_of(named(agent), tool, args))
            for word, ours in found.items():
                kinds = {call['tool_name'] for call in calls}
                if ours == 'file_path' and kinds & set(SEARCHES):
                    ours = 'dir_path'
                check(any(call['tool_input'].get(ours) == word for call in calls), tool, args, word, 'is no', ours, calls)
                if ours == 'command':
                    check('run_shell_command' in kinds, tool, kinds)
        check(any(row[0] == name and set(row[2]) & {'command', 'cmd', 'commands'} for row in every) or name == 'gemini', 'a command')

# ---- a tool of a server whose name says that it runs commands ----

CALL = {'command': 'ls', 'n': 1}
with tap.case("C8.1 a server's tool that runs commands is asked about as both"), Box() as box:
    for name, tool in (('claude', 'mcp__disk__exec'), ('codex', 'mcp__disk__run_command'), ('cline', 'disk__exec_command'),
                       ('grok', 'disk__exec'), ('goose', 'disk__shell'), ('qwen', 'mcp__disk__bash'), ('droid', 'disk___exec'),
                       ('kiro', '@disk/exec'), ('copilot', 'disk-exec'), ('opencode', 'disk_exec')):
        kinds = [call['tool_name'] for call in asked(box, named(name), call_of(named(name), tool, CALL))]
        check(kinds[0] == 'run_shell_command' and 'mcp__disk__' in kinds[-1], name, tool, kinds)

# ---- Codex turns each "-" in the names of servers and their tools into "_" ----

with tap.case("C8.1 a server's tool in Codex is known by the names that its server has"), Box() as box:
    for event, dialect, other in (('PreToolUse', 'claude', 'mcp__my-shop__buy-on'), ('BeforeTool', 'gemini', 'mcp_my-shop_buy-on')):
        for server in ('my-shop', 'my_shop'):
            for tool in ('buy-it', 'buy_it', 'buy.*', '.*'):
                matcher = ('mcp__%s__%s' if dialect == 'claude' else 'mcp_%s_%s') % (server, tool)
                for matcher, denied in ((matcher, True), (other, False)):
                    settings(box, {event: [{'matcher': matcher, 'hooks': [
                        {'type': 'command', 'dialect': dialect, 'command': 'echo NO >&2; exit 2'}]}]})
                    said = ask(box, named('codex'), call_of(named('codex'), 'mcp__my_shop__buy_it', {'n': 1}))
                    check((said.status == 2) is denied, matcher, said.r)
    settings(box, {'BeforeTool': [{'hooks': [{'type': 'command', 'command': "printf '%s' '%s'" % ('%s', json.dumps(
        {'hookSpecificOutput': {'tool_input': {'n': 2}}}))}]}]})
    said = ask(box, named('codex'), call_of(named('codex'), 'mcp__my_shop__buy_it', {'n': 1}))
    check(said.status == 0 and said.json['hookSpecificOutput']['updatedInput'] == {'n': 2}, 'arguments can be changed', said.r)

with tap.case("C8.1 Auggie says which tools are a server's"), Box() as box:
    settings(box, {'PreToolUse': [{'matcher': 'mcp__.*', 'hooks': [
        {'type': 'command', 'dialect': 'claude', 'command': 'echo NO >&2; exit 2'}]}]})
    for mcp, denied in ((True, True), (False, False), (None, True)):
        payload, = call_of(named('auggie'), 'buy-it_my-shop', {'n': 1})
        payload['is_mcp_tool'] = mcp
        check((ask(box, named('auggie'), payload).status == 2) is denied, mcp)

# ---- what Grok calls a server's tool with, and what it cuts off ----

INNER = {'tool_name': 'disk__move', 'tool_input': {'n': 1}}
GROK = {'toolName': 'disk__move', 'toolUseId': 'c', 'toolInput': INNER}

with tap.case("C8.1 a server's tool behind Grok's use_tool has its own arguments, and gets others"), Box() as box:
    call, = asked(box, named('grok'), grok('PreToolUse', 'pre_tool_use', **GROK))
    check(call['tool_input'] == {'n': 1} and call['tool_name'] == 'mcp__disk__move' and call['mcp_context'] == {
        'server_name': 'disk', 'tool_name': 'move'}, call)
    settings(box, {'PreToolUse': [{'matcher': 'mcp__disk__move', 'hooks': [{
        'type': 'command', 'dialect': 'claude', 'command': "echo '%s'" % json.dumps({'hookSpecificOutput': {
            'hookEventName': 'PreToolUse', 'updatedInput': {'n': 2}}})}]}]})
    said = ask(box, named('grok'), grok('PreToolUse', 'pre_tool_use', **GROK))
    check(said.json == {'hookSpecificOutput': {'updatedInput': dict(INNER, tool_input={'n': 2}), 'hookEventName': 'PreToolUse'}}, said.r)
    for inner in (dict(INNER, tool_name='other'), {'tool_input': {'n': 1}}):
        call, = asked(box, named('grok'), grok('PreToolUse', 'pre_tool_use', **dict(GROK, toolInput=inner)))
        check(call['tool_input'] == inner, 'it is another argument of that name', call)

CUT = dict(GROK, toolName='run_terminal_command', toolInput='{"command":"' + '\\n' * 9000 + ' [truncated]')
with tap.case('C8.2 of a call that the agent has cut off every hook that it concerns denies'), Box() as box:
    for hook, denied in (({}, False), ({'matcher': 'run_shell_command'}, True), ({'matcher': 'write_file'}, False),
                         ({'mode': 'observe'}, False), ({'guard': True}, True)):
        entry = dict({'type': 'command', 'command': 'exit 0'}, **{k: v for k, v in hook.items() if k != 'matcher'})
        settings(box, {'BeforeTool': [dict({'matcher': hook.get('matcher', '*')}, hooks=[entry])]} if hook else {})
        said = ask(box, named('grok'), grok('PreToolUse', 'pre_tool_use', toolInputTruncated=True, **CUT))
        check((said.status == 2) is denied and ('only a part' in said.err) is denied, hook, said.r)
        said = ask(box, named('grok'), grok('PreToolUse', 'pre_tool_use', toolInputTruncated=False, **GROK))
        check(said.status == 0, 'a whole one', hook, said.r)
    box.write('home/.trotline/settings.json', json.dumps({'guard': {'packs': ['destructive']}}))
    said = ask(box, named('grok'), grok('PreToolUse', 'pre_tool_use', toolInputTruncated=True, **CUT))
    check(said.status == 2, 'a policy', said.r)
    for hook, denied in (({}, False), ({'guard': True}, True)):
        settings(box, {'AfterTool': [{'hooks': [dict({'type': 'command', 'command': 'exit 0'}, **hook)]}]})
        said = ask(box, named('grok'), grok('PostToolUse', 'post_tool_use', toolResultTruncated=True, toolResult='x', **CUT))
        check(('only a part' in said.err) is denied, 'a result', hook, said.r)

# ---- edits, however they are given ----

WRITES = {'dialect': 'claude', 'type': 'command', 'command': "grep -q SECRET && { echo NO >&2; exit 2; }; exit 0"}
with tap.case('C8.5 an edit and a new file are what hooks know them as, in tools that do both'), Box() as box:
    new, edit = {'path': 'f', 'file_text': 'SECRET'}, {'path': 'f', 'old_str': 'a', 'new_str': 'SECRET'}
    for name, tool in (('cline', 'editor'), ('openhands', 'file_editor'), ('goose', 'developer__text_editor'), ('kiro', 'fs_write')):
        for args, kind, other in ((new, 'Write', 'Edit'), (edit, 'Edit', 'Write')):
            for matcher, denied in ((kind, True), (other, False)):
                settings(box, {'PreToolUse': [{'matcher': matcher, 'hooks': [WRITES]}]})
                said = ask(box, named(name), call_of(named(name), tool, args))
                check((said.status == 2) is denied, name, tool, args, matcher, said.r)

tap.done()
