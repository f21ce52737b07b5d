#!/usr/bin/env python3
"""
Whatever a project calls its hooks, files, servers and skills, and whatever a model, a tool or a hook
says: nothing that is printed makes a terminal obey it or shows text in another order, and with --json
it is JSON, failures included.  Prints TAP.
"""

import json
import os
import random
import re
import shutil

import pexpect

from agentbox import PATIENCE, Box, Tap, TROTLINE, call, check, say

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


# ---- the agent ----

ALL = [c for c in map(chr, [*range(1, 0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f,
                            *range(0x202a, 0x202f), *range(0x2066, 0x206a)]) if c not in '\n\t']
# Each on a line of its own: a line break ends every control sequence.
LINES = ''.join('<%02x|%s|>\n' % (ord(c), c) for c in ALL)
ANSI = re.compile(r'\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78cM])')


def agent(box):
    """A project whose files, hooks and model say every one of them."""
    shutil.rmtree(os.path.join(box.project, '.gemini'), ignore_errors=True)
    box.write('project/all.txt', LINES)
    for c in ALL:
        box.write('project/names/a%sz' % c, '')
    message, denial = (json.dumps(d, ensure_ascii=False) for d in (
        {'systemMessage': LINES}, {'decision': 'deny', 'reason': LINES, 'systemMessage': LINES}))
    script = box.write('say.sh', 'cat >/dev/null; cat "$1"\n')
    hook = {e: [{'matcher': m, 'hooks': [{'type': 'command', 'command': 'sh %s %s' % (
        script, box.write(e + '.json', text))}]}]
        for e, m, text in (('BeforeAgent', '', message), ('AfterTool', '', message),
                           ('BeforeTool', 'glob', denial), ('AfterAgent', '', message))}
    box.settings(hooks=hook)
    return box.answers([call('read_file', {'file_path': 'all.txt'})],
                       [call('list_directory', {'dir_path': 'names'})],
                       [call('glob', {'pattern': LINES})], [call(LINES, {LINES: LINES})],
                       [call('read_file', {'file_path': LINES})], [say(LINES + 'end')])


def agent_is_safe(box, form):
    answers = agent(box)
    r = box.run('-p', LINES, '-y', '-o', form, '--fake-responses', answers)
    check(r.status == 0, 'status', r)
    for stream, text in (('stdout', r.out), ('stderr', r.err)):
        found = HIDDEN.search(text)
        check(not found and '\ufffd' not in (text if form != 'text' else ''),
              '%s: %r' % (stream, text[max(0, found.start() - 40):][:90] if found else text))
    if form == 'json':
        check(json.loads(r.out)['response'].endswith('end'), 'the answer', r)
    if form != 'stream-json':
        return
    lines = [json.loads(line) for line in r.out.splitlines()]
    said = ''.join(e['content'] for e in lines if e['type'] == 'message' and e['role'] == 'assistant')
    # A program gets what was said: directions as data, tools' output whole.
    check(all('|%s|' % c in said for c in ALL if ord(c) > 0xff), 'the text', said)
    check([e for e in lines if e['type'] == 'message'][0]['content'].count('|>') == len(ALL), 'the prompt')
    check(any(all('|%s|' % c in e.get('output', '') for c in ALL if c != '\r') for e in lines
              if e['type'] == 'tool_result') or not any('|>' in e.get('output', '') for e in lines), 'a file', r)


def chat_is_safe(box):
    answers = agent(box)
    box.env['TERM'] = 'xterm-256color'
    child = pexpect.spawn(TROTLINE, ['-m', 'm', '--approval-mode', 'yolo', '--fake-responses', answers],
                          cwd=box.project, env=box.env, encoding='utf-8', dimensions=(40, 100),
                          timeout=5 * PATIENCE, codec_errors='strict')
    seen = ''

    def wait(text):
        nonlocal seen
        child.expect_exact(text)
        seen += child.before + child.after

    wait('Type your message')
    child.send('@names/a')
    wait('a\\x82z')  # the list names what it offers
    child.send('\t\x15go\r')
    wait('end')
    child.send('/hooks\r')
    wait('Configured Hooks')
    child.send('/quit\r')
    child.expect(pexpect.EOF)
    seen += child.before
    found = HIDDEN.search(ANSI.sub('', seen).replace('\r', '').replace('\x07', ''))
    check(not found, 'the screen: %r' % (found and ANSI.sub('', seen)[found.start() - 60:][:120]))


def main():
    tap = Tap()
    for title, test, args in (
            ('what commands print is text and JSON, whatever things are called', holds, ()),
            ('text of the agent', agent_is_safe, ('text',)),
            ('JSON of the agent', agent_is_safe, ('json',)),
            ('stream-json of the agent', agent_is_safe, ('stream-json',)),
            ('a session on a terminal', chat_is_safe, ())):
        why = None
        with Box() as box:
            try:
                test(box, *args)
            except Exception as e:  # pylint: disable=broad-except  # one point
                why = '%s: %s' % (type(e).__name__, e)
        tap.point(title, why)
    tap.done()


main()
