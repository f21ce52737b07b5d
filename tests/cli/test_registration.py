#!/usr/bin/env python3
"""Installing and uninstalling a hook, by bytes.  Prints TAP.

The layouts of tests/data/json/registration-vectors.json: install, install again, update and
uninstall give exactly the bytes and statuses that stand there, when the ledger knows no more than
which containers were made.  With the whole ledger, install followed by uninstall leaves every file
as it was, for each agent and each layout, also with an MCP server and in any order."""

import itertools
import json
import os
import stat
import subprocess
import sys
import tempfile

ROOT = os.environ['TEST_SOURCE_ROOT']
PROGRAM = os.environ['TROTLINE']
VECTORS = os.path.join(ROOT, 'tests/data/json/registration-vectors.json')
FILES = {'gemini': '.gemini/settings.json', 'tabnine': '.tabnine/agent/settings.json',
         'terminai': '.terminai/settings.json', 'claude': '.claude/settings.json'}
LAYOUTS = {
    'no file': None,
    'empty': '',
    'blank': ' \n\n',
    'braces': '{}',
    'open braces': '{\n}\n',
    'one line': '{"theme": "Dark"}',
    'close on line': '{\n  "theme": "Dark" }\n',
    'comments': '// head\n{\n  // a\n  "theme": "Dark", // b\n  /* c */\n}\n// tail',
    'crlf and tabs': '{\r\n\t"theme": "Dark",\r\n\t"hooks": {}\r\n}\r\n',
    'no final newline': '{\n    "hooks": {\n        "BeforeTool": []\n    },\n    "mcpServers": {}\n}',
    'byte order mark': '\ufeff{ "a": "\u00e9\u4e2d", }\n',
    'other hooks': '{"hooks": {"BeforeTool": [{"hooks": [{"type": "command", "command": "x"}]}],\n'
                   '"PreToolUse": [{"matcher": "Bash", "hooks": [{"type": "command", "command": "y"}]'
                   '}]}, "mcpServers": {"a": {"command": "b"}}}\n',
}
count = failed = 0


def ok(good, name, *why):
    global count, failed
    count += 1
    failed += not good
    print('%sok %d - %s' % ('' if good else 'not ', count, name.replace('#', '(hash)')))
    if not good:
        for line in why:
            print('\n'.join('# ' + part for part in str(line).split('\n')))


class Place:
    """A project and a home directory, for one case."""

    def __init__(self, top, path):
        self.home = os.path.join(top, 'home')
        self.project = os.path.join(top, 'project')
        os.makedirs(self.home)
        os.makedirs(os.path.join(self.project, '.git'))
        self.path = os.path.join(self.project, path)

    def write(self, text):
        os.makedirs(os.path.dirname(self.path), exist_ok=True)
        with open(self.path, 'w', encoding='utf-8', newline='') as f:
            f.write(text)

    def read(self):
        try:
            with open(self.path, encoding='utf-8', newline='') as f:
                return f.read()
        except FileNotFoundError:
            return None

    def run(self, *args):
        """What the command printed as JSON, or its text."""
        env = {'HOME': self.home, 'PATH': os.environ['PATH'],
               'GEMINI_CLI_SYSTEM_SETTINGS_PATH': '/nonexistent'}
        done = subprocess.run([PROGRAM, *args[:2], '--json', *args[2:]], cwd=self.project, env=env, text=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=600)
        if done.returncode:
            return {'status': 'failed', 'exit': done.returncode, 'error': done.stderr}
        return json.loads(done.stdout)

    def names(self):
        return sorted(os.path.join(base, f) for base, dirs, files in os.walk(self.project)
                      for f in files + dirs if '/.git' not in base)

    def forget_bytes(self):
        """Leaves of the ledger what the vectors' author had: which containers were made."""
        path = os.path.join(self.home, '.trotline/installed.json')
        if not os.path.exists(path):
            return
        with open(path, encoding='utf-8') as f:
            ledger = json.load(f)
        for receipt in ledger['files'].values():
            receipt.pop('undo', None)
            receipt.pop('madeFile', None)
        with open(path, 'w', encoding='utf-8') as f:
            json.dump(ledger, f)


def check_vector(top, vector):
    case = vector['case']
    p = Place(top, FILES['gemini'])

    def step(what, status, text, *args):
        got = p.run('hooks', *args)
        ok(got['status'].upper() == vector[status], '%s: %s: status' % (case, what), got)
        ok(p.read() == vector[text], '%s: %s: bytes' % (case, what), 'wanted', vector[text], 'got',
           p.read())

    install = ('install', 'guard', 'BeforeTool', '/opt/acme/hookd gate', '--matcher',
               'write_file|replace', '--timeout', '5000', '--program', '/opt/acme/hookd')
    p.write(vector['before'])
    step('install', 'install_status', 'after_install', *install)
    before = os.stat(p.path)
    step('again', 'reinstall_status', 'after_install', *install)
    ok(os.stat(p.path).st_mtime_ns == before.st_mtime_ns, case + ': again: not written')
    step('update', 'update_status', 'after_update', 'install', 'guard', 'BeforeTool',
         '/usr/local/bin/hookd gate', '--matcher', 'write_file|replace', '--timeout', '8000')
    p.forget_bytes()
    step('uninstall', 'uninstall_status', 'after_uninstall', 'uninstall', 'guard')


def check_restored(top, agent, layout, text):
    name = '%s, %s' % (agent, layout)
    p = Place(top, FILES[agent])
    if text is not None:
        p.write(text)
        os.chmod(p.path, 0o640)
    before = p.names()
    event = 'PreToolUse' if agent == 'claude' else 'BeforeTool'
    into = ('--into', agent)
    steps = [('hooks', 'install', 'one', event, '/bin/true 1', '--timeout', '1500', *into),
             ('hooks', 'install', 'two', event, '/bin/true 2', '--with-mcp', *into),
             ('mcp', 'add', 'other', *into, '--', '/bin/server', '--flag')]
    undo = [('hooks', 'uninstall', 'one', *into), ('hooks', 'uninstall', 'two', *into),
            ('mcp', 'remove', 'other', *into)]
    got = p.run(*steps[0])
    ok(got['status'] == 'installed', name + ': install', got)
    got = p.run(*undo[0])
    ok(got['status'] == 'removed', name + ': uninstall', got)
    ok(p.read() == text and p.names() == before, name + ': as it was', repr(p.read()), p.names())
    for order in list(itertools.permutations(undo))[::2]:
        for step in steps:
            got = p.run(*step)
            if got['status'] != 'installed':
                ok(False, name + ': ' + ' '.join(step), got)
        for step in order:
            got = p.run(*step)
            if got['status'] != 'removed':
                ok(False, name + ': ' + ' '.join(step), got)
        ok(p.read() == text and p.names() == before, name + ': as it was, order ' +
           ' '.join(step[2] for step in order), repr(p.read()), p.names())
    if text is not None:
        ok(stat.S_IMODE(os.stat(p.path).st_mode) == 0o640, name + ': the mode')
    ledger = os.path.join(p.home, '.trotline/installed.json')
    ok(not os.path.exists(ledger), name + ': nothing is noted any more')


def main():
    os.umask(0o022)
    with open(VECTORS, encoding='utf-8') as f:
        vectors = json.load(f)['vectors']
    for vector in vectors:
        with tempfile.TemporaryDirectory() as top:
            check_vector(top, vector)
    ok(len(vectors) == 22, 'all vectors')
    for agent in FILES:
        for layout, text in LAYOUTS.items():
            with tempfile.TemporaryDirectory() as top:
                check_restored(top, agent, layout, text)
    print('1..%d' % count)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
