#!/usr/bin/env python3
"""
Whatever a project calls its hooks, files, servers and skills: nothing that a command prints makes a
terminal obey it or shows text in another order, and with --json it is JSON, failures included.
Prints TAP.
"""

import json
import os
import random
import re

from agentbox import Box, Tap, check

# What a terminal obeys or what reorders text: C0 but newline and tab, DEL, C1, bidirectional controls.
HIDDEN = re.compile('[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]')
EVIL = ['\x1b[2J\x1b]0;owned\x07', '\x9b31m', '\u202egpj.exe', '\u2066x\u2069', '\u200f\u061c', '\x7f\x08\x08',
        '\r\x1b[K', '\x90q\x9c']
ROUNDS = 4


def name(rng):
    """A name with something hidden in it; the last part keeps it a single readable word."""
    parts = [rng.choice(EVIL) for _ in range(rng.randint(1, 3))]
    return 'a'.join(parts) + 'z%d' % rng.randint(0, 9)


def commands(n, fixture, skill):
    """Command lines, each run with and without --json."""
    return [
        ['hooks', 'list', '--all'], ['hooks', 'why', 'BeforeTool', '--tool', n],
        ['hooks', 'why', 'Nope' + n], ['hooks', 'run', 'BeforeTool', '--tool', n],
        ['hooks', 'run', 'BeforeAgent', '--payload', '{"prompt": ' + json.dumps(n, ensure_ascii=False) + '}'],
        ['hooks', 'run', 'BeforeTool', '--input', n], ['hooks', 'run', 'BeforeTool', '--input', '@' + n],
        ['hooks', 'lint'], ['hooks', 'lint', n], ['hooks', 'lint', '--' + n], ['hooks', 'report'],
        ['hooks', 'report', '--session', n], ['hooks', 'report', '--last'], ['hooks', 'trust', '--list'],
        ['hooks', 'trust', '--show'], ['hooks', 'test', fixture], ['hooks', 'test', n],
        ['hooks', 'disable', n], ['hooks', 'enable', n], ['hooks', 'disable', 'none' + n],
        ['hooks', 'install', n, 'BeforeTool', n, '--dry-run'], ['hooks', 'install', n, n, 'true'],
        ['hooks', 'uninstall', n], ['hooks', 'migrate', '--from-claude', '--dry-run'],
        ['hooks', 'migrate', '--from', n], ['hooks', 'list', '--dir', n], ['hooks', 'list', n],
        ['mcp', 'list'], ['mcp', 'add', n, n, '--dry-run'], ['mcp', 'add', n, 'http://x/' + n, '-H', n],
        ['mcp', 'remove', n], ['mcp', 'list', '--into', n], ['skills', 'list', '--all'],
        ['skills', 'disable', skill], ['skills', 'enable', n], ['extensions', 'list'],
        ['extensions', 'validate', n],
    ]


def project(box, rng):
    n = name(rng)
    script = box.write('hook.sh', 'cat >/dev/null; printf \'%s\' "$ANSWER"\n')
    box.env['ANSWER'] = json.dumps({'reason': n, 'systemMessage': n,
                                    'hookSpecificOutput': {'additionalContext': n}}, ensure_ascii=False)
    hook = {'type': 'command', 'name': n, 'description': n, 'command': 'sh %s # %s' % (script, n)}
    settings = {'hooks': {'BeforeTool': [{'matcher': '*', 'hooks': [hook]}], n: [],
                          'BeforeAgent': [{'hooks': [hook]}]},
                'mcpServers': {n: {'command': n, 'args': [n]}, 'bad' + n: {'comand': n}}, n: 1}
    text = json.dumps(settings, ensure_ascii=rng.random() < 0.3)
    box.write('project/.gemini/settings.json', text)
    box.write('project/.claude/settings.json', text.replace('BeforeTool', 'PreToolUse'))
    box.write('project/.gemini/skills/s/SKILL.md', '---\nname: skill\ndescription: "d %s"\n---\nx\n' %
              n.replace('\x1b', '').replace('\x07', '').replace('\r', '').replace('\x08', '').replace('\x7f', ''))
    box.write('fixture.json', json.dumps({'name': n, 'event': 'BeforeTool', 'tool': n,
                                          'expect': {'verdict': 'deny'}}, ensure_ascii=False))
    return n


def holds(box):
    rng = random.Random(20261122)
    for _ in range(ROUNDS):
        n = project(box, rng)
        for line in commands(n, os.path.join(box.root, 'fixture.json'), 'skill'):
            for words in (line, line[:2] + ['--json'] + line[2:]):
                r = box.run(*words)
                for stream, text in (('stdout', r.out), ('stderr', r.err)):
                    text = text if isinstance(text, str) else text.decode('utf-8', 'replace')
                    found = HIDDEN.search(text)
                    check(not found, '%s of %s: %r' % (stream, words, text[max(0, found.start() - 40):][:90]
                                                       if found else ''))
                if '--json' in words and 'no option' not in str(r.err):
                    try:
                        doc = json.loads(r.out)
                    except ValueError:
                        check(False, 'no JSON of %s' % (words,), r)
                    if 'error' in doc:
                        e = doc['error']
                        check(r.status != 0 and e['status'] and e['code'] and e['message'], 'error', words, doc)


def main():
    tap = Tap()
    why = None
    with Box() as box:
        try:
            holds(box)
        except Exception as e:  # pylint: disable=broad-except  # one point
            why = '%s: %s' % (type(e).__name__, e)
    tap.point('what commands print is text and JSON, whatever things are called', why)
    tap.done()


main()
