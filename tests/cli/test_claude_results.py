#!/usr/bin/env python3
"""Results of tools in the shapes of Claude Code: to hooks, to transcripts, and from hooks back to the
model.  Prints TAP.

A row is a call, what PostToolUse's tool_response is (members that are given must be equal; a type is
any value of it), and, where a hook puts X for each "plum", what the model is told."""

import json
import os
import shlex

from agentbox import Box, Failed, Tap, check
import scenarios

scn = scenarios.load()
PNG = bytes.fromhex('89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c489')
ROWS = [
    ('run_shell_command', {'command': 'echo plum; echo fig >&2'}, 'Bash',
     {'stdout': 'plum\nfig', 'stderr': '', 'interrupted': False, 'isImage': False}, 'X\nfig'),
    ('read_file', {'file_path': 'a.txt'}, 'Read',
     {'type': 'text', 'file': {'filePath': 'P/a.txt', 'content': 'plum\nfig\n', 'numLines': 2, 'startLine': 1,
                               'totalLines': 2}}, 'X\nfig\n'),
    ('read_file', {'file_path': 'long.txt', 'start_line': 3, 'end_line': 4}, 'Read',
     {'type': 'text', 'file': {'filePath': 'P/long.txt', 'content': 'plum 3\nplum 4\n', 'numLines': 2,
                               'startLine': 3, 'totalLines': 9}}, 'X 3\nX 4\n'),
    ('read_file', {'file_path': 'dot.png'}, 'Read',
     {'type': 'image', 'file': {'base64': str, 'type': 'image/png', 'originalSize': int}}, None),
    ('read_many_files', {'include': ['a.txt']}, 'Read', {'type': 'text', 'file': dict}, None),
    ('write_file', {'file_path': 'new.txt', 'content': 'plum\n'}, 'Write',
     {'type': 'create', 'filePath': 'P/new.txt', 'content': 'plum\n', 'originalFile': None, 'structuredPatch': [],
      'userModified': False, 'success': True}, 'X\n'),
    ('write_file', {'file_path': 'a.txt', 'content': 'plum\npear\n'}, 'Write',
     {'type': 'update', 'originalFile': 'plum\nfig\n', 'content': 'plum\npear\n', 'structuredPatch': [
         {'oldStart': 1, 'oldLines': 2, 'newStart': 1, 'newLines': 2, 'lines': [' plum', '-fig', '+pear']}]}, None),
    ('replace', {'file_path': 'long.txt', 'instruction': 'x', 'old_string': 'plum 5', 'new_string': 'kiwi'}, 'Edit',
     {'filePath': 'P/long.txt', 'oldString': 'plum 5', 'newString': 'kiwi', 'replaceAll': False, 'userModified': False,
      'originalFile': ''.join('plum %d\n' % i for i in range(1, 10)), 'structuredPatch': [
          {'oldStart': 2, 'oldLines': 7, 'newStart': 2, 'newLines': 7,
           'lines': [' plum 2', ' plum 3', ' plum 4', '-plum 5', '+kiwi', ' plum 6', ' plum 7', ' plum 8']}]}, None),
    ('glob', {'pattern': '*.txt'}, 'Glob',
     {'filenames': {'P/a.txt', 'P/long.txt', 'P/new.txt'}, 'numFiles': 3, 'truncated': False, 'durationMs': object}, None),
    ('glob', {'pattern': '*.none'}, 'Glob', {'filenames': [], 'numFiles': 0, 'truncated': False}, None),
    ('grep_search', {'pattern': 'kiwi|L1: pear', 'context': 1}, 'Grep',
     {'mode': 'content', 'filenames': ['long.txt'], 'numFiles': 1, 'numLines': 3,
      'content': 'long.txt-4-plum 4\nlong.txt:5:kiwi\nlong.txt-6-plum 6'},
     'long.txt-4-X 4\nlong.txt:5:kiwi\nlong.txt-6-X 6'),
    ('grep_search', {'pattern': 'pear|kiwi', 'names_only': True}, 'Grep',
     {'mode': 'files_with_matches', 'filenames': ['a.txt', 'long.txt'], 'numFiles': 2}, None),
    ('grep_search', {'pattern': 'no such word', 'include_pattern': '*.txt'}, 'Grep',
     {'mode': 'content', 'filenames': [], 'numFiles': 0, 'content': '', 'numLines': 0}, None),
    ('list_directory', {'dir_path': '.'}, 'LS', {'content': str}, None),
    ('write_todos', {'todos': [{'description': 'plum', 'status': 'pending'}]}, 'TodoWrite',
     {'oldTodos': [], 'newTodos': [{'status': 'pending', 'content': 'plum', 'activeForm': 'plum'}]}, None),
]
FAILED = [
    ('run_shell_command', {'command': 'echo plum; exit 3'}, 'Exit code 3\nplum'),
    ('read_file', {'file_path': 'none.txt'}, None),
]
HOOK = r"""
import json, sys
v = json.load(sys.stdin)
with open(sys.argv[1], 'a') as f:
    f.write(json.dumps(v) + '\n')
def x(v):
    return v.replace('plum', 'X') if isinstance(v, str) else [x(i) for i in v] if isinstance(v, list) else \
        {k: x(i) for k, i in v.items()} if isinstance(v, dict) else v
if 'tool_response' in v:
    print(json.dumps({'hookSpecificOutput': {'hookEventName': v['hook_event_name'],
                                             'updatedToolOutput': x(v['tool_response'])}}))
"""


def fits(got, wanted, where):
    if isinstance(wanted, dict):
        check(isinstance(got, dict), where, json.dumps(got))
        for key, value in wanted.items():
            check(key in got, '%s: %s' % (where, key), json.dumps(got))
            fits(got[key], value, '%s: %s' % (where, key))
    elif isinstance(wanted, set):
        check(set(got) == wanted, where, json.dumps(got), wanted)
    else:
        check(isinstance(got, wanted) if isinstance(wanted, type) else got == wanted, where, json.dumps(got), wanted)


def placed(v, project):
    """With the project's directory for "P"."""
    if isinstance(v, str):
        return project + v[1:] if v.startswith('P/') else v
    if isinstance(v, dict):
        return {k: placed(i, project) for k, i in v.items()}
    return {placed(i, project) for i in v} if isinstance(v, set) else v


def session(box, calls):
    """The hooks' payloads, and what the model was told of each call."""
    lines = ['call %s %s' % (name, json.dumps(args)) for name, args in calls]
    path = box.write('model.jsonl', ''.join(json.dumps(scn.answer([a])) + '\n' for a in [*lines, 'say done']))
    wire = os.path.join(box.root, 'wire')
    seen = box.write('seen', '')
    hook = [{'hooks': [{'type': 'command', 'command': 'python3 -I %s %s' % (
        shlex.quote(box.write('hook.py', HOOK)), shlex.quote(seen))}]}]
    box.write('home/.claude/settings.json', json.dumps(
        {'hooks': {'PostToolUse': hook, 'PostToolUseFailure': hook, 'PostToolBatch': hook}}))
    box.settings(hooksConfig={'sources': ['claude']}, hooks={'BeforeModel': [{'hooks': [
        {'type': 'command', 'command': 'cat >%s' % shlex.quote(wire)}]}]})
    r = box.run('-p', 'hi', '-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--fake-responses', path)
    check(r.status == 0, 'the session', r)
    with open(seen, encoding='utf-8') as f:
        sent = [json.loads(line) for line in f]
    with open(wire, encoding='utf-8') as f:
        told = [part['output'] for m in json.load(f)['llm_request']['messages'] for part in m['parts']
                if part['type'] == 'result']
    return [v for v in sent if 'tool_calls' not in v], told, [v for v in sent if 'tool_calls' in v]


def results(box):
    """C2.4 results have Claude Code's shapes, in payloads and transcripts; what a hook makes of one is what the model is told"""
    box.write('project/a.txt', 'plum\nfig\n')
    box.write('project/long.txt', ''.join('plum %d\n' % i for i in range(1, 10)))
    with open(os.path.join(box.project, 'dot.png'), 'wb') as f:
        f.write(PNG)
    sent, told, _ = session(box, [row[:2] for row in ROWS])
    check(len(sent) == len(told) == len(ROWS), 'as many', len(sent), len(told))
    with open(sent[0]['transcript_path'], encoding='utf-8') as f:
        logged = [v['toolUseResult'] for v in map(json.loads, f) if 'toolUseResult' in v]
    check(len(logged) == len(ROWS), 'as many in the transcript', len(logged))
    for (name, args, claudes, wanted, answer), payload, text in zip(ROWS, sent, told):
        where = '%s %s' % (name, json.dumps(args))
        check(payload['tool_name'] == claudes, where, payload['tool_name'])
        fits(payload['tool_response'], placed(wanted, box.project), where)
        check(answer is None or text == answer, where + ': the model', repr(text), repr(answer))


def failures(box):
    """C2.10 what failed has an error without the marks of the model's text"""
    sent, _, batches = session(box, [row[:2] for row in FAILED])
    for (name, args, wanted), payload in zip(FAILED, sent):
        check(payload['hook_event_name'] == 'PostToolUseFailure', name, payload)
        check(wanted is None or payload['error'] == wanted, name, repr(payload['error']))
    check('untrusted_context' not in json.dumps([sent, batches]), 'marks', json.dumps([sent, batches]))


def main():
    tap = Tap()
    for test in results, failures:
        with Box() as box:
            try:
                test(box)
                tap.point(test.__doc__)
            except Failed as e:
                tap.point(test.__doc__, e)
    tap.done()


main()
