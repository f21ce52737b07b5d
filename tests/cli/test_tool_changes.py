#!/usr/bin/env python3
"""A server of tools changes what it offers, or ends, at every moment of a turn and of a sub-agent's
turn.  What the calls were begun with stays theirs until they are over: run it with AddressSanitizer.
Prints TAP."""

import concurrent.futures
import itertools
import json
import os

from agentbox import Box, Failed, TROTLINE, Tap, call, check, say

SERVER = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), 'mcp', 'scripted.py')
MOMENTS = ('BeforeModel', 'BeforeToolSelection', 'AfterModel', 'BeforeTool', 'AfterTool')
PLUM = """---
name: plum
description: Knows plums.
---
You are a plum.
"""
# What a firing does once: the server is told to change, and has listed its tools again, or is gone.
CHANGE = """in=$(cat)
case $in in *agent_id*) who=agent;; *) who=main;; esac
[ $who = %s ] && mkdir once 2>/dev/null || exit 0
: > change
until grep -q '%s' said; do sleep 0.01; done"""


def tool(name, **schema):
    return {'name': name, 'description': 'About ' + name, 'inputSchema': {'type': 'object', **schema}}


def many(name, n=40):
    return [tool('%s%d' % (name, i)) for i in range(n)]


OLD = [tool('look'), tool('work'), *many('old')]
CHANGES = {
    'other tools': {'change': {'tools': many('new')}},
    'no tools': {'change': {'tools': []}},
    'another schema': {'change': {'tools': [
        tool(t['name'], properties={'why': {'type': 'string'}}) for t in OLD]}},
    'its end': {'exit': True},
}
GUARD = {'matcher': 'mcp__toys__work', 'hooks': [
    {'type': 'command', 'guard': True, 'name': 'no work', 'command': 'echo no work >&2; exit 2'}]}


def play(box, event, who, change):
    script = {'tools': OLD, 'log': 'said', 'watch': {'for': 'change', **change}}
    until = 'exit' if change.get('exit') else 'tools/list 2'
    box.write('project/toys.json', json.dumps(script))
    box.write('project/said', '')
    box.write('home/.gemini/agents/plum.md', PLUM)
    hooks = {event: [{'hooks': [{'type': 'command', 'command': CHANGE % (who, until)}]}]}
    hooks.setdefault('BeforeTool', []).append(GUARD)
    box.settings(hooks=hooks,
                 mcpServers={'toys': {'command': 'python3', 'args': [SERVER, 'toys.json']}})
    # Calls before, during and after the sub-agent's, and the same inside of it.
    look, work = call('mcp__toys__look', {}, None), call('mcp__toys__work', {}, None)
    agent = call('invoke_agent', {'agent_name': 'plum', 'prompt': 'go'}, None)
    model = box.answers([look, work, agent, call('mcp_toys_look', {})],
                        [look, call('mcp__toys__work', {})],
                        [call('list_directory', {'dir_path': '.'})],
                        [call('complete_task', {'result': 'done'})],
                        [call('mcp__toys__look', {})],
                        [say('Done.')])
    return box.run('-p', 'hi', '--yolo', '-o', 'stream-json', '-m', 'gemini-2.5-flash',
                   '--fake-responses', model)


def one(event, who, name):
    with Box() as box:
        result = play(box, event, who, CHANGES[name])
        check(result.status == 0 and 'Sanitizer' not in result.err, 'wanted exit 0', result)
        check(os.path.isdir(os.path.join(box.project, 'once')), 'the server was never told', result)
        lines = [json.loads(line) for line in result.out.splitlines()]
        ends = {line['tool_id']: line for line in lines if line['type'] == 'tool_result'}
        uses = [line for line in lines if line['type'] == 'tool_use']
        check(len(uses) == 5 and len(ends) == 5, 'wanted five calls, each with its result', result)
        # The guard is asked as long as there is such a tool, and no call is made without it.
        for use in uses:
            if use['tool_name'] == 'mcp__toys__work':
                check(ends[use['tool_id']]['status'] == 'error', 'a guarded tool ran', result)
        box.check_transcripts()
        box.check_nobody_left()


def main():
    tap = Tap()
    cases = [(e, w, c) for (e, w), c in zip(itertools.product(MOMENTS, ('main', 'agent')),
                                            itertools.cycle(CHANGES))]
    # Each change at the moment at which the most is under way.
    cases += [('BeforeModel', 'agent', c) for c in CHANGES if ('BeforeModel', 'agent', c) not in cases]

    def run(case):
        try:
            one(*case)
            return case, None
        except Failed as e:
            return case, e

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for (event, who, name), why in pool.map(run, cases):
            tap.point('%s at %s of %s' % (name, event, 'a sub-agent' if who == 'agent' else
                                          'the session'), why)
    tap.done()


if __name__ == '__main__':
    main()
