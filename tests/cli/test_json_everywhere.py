#!/usr/bin/env python3
"""What all commands share: --json, the program's name, one letter for one option.  The tables of commands
are walked as --help prints them.  Prints TAP."""

import glob
import json
import os
import re

from agentbox import Box, Tap, check
from command_table import leaves

NONSENSE = 'no such thing'
# Any text is a command that it explains.
TAKES_ANY_TEXT = {('guard', 'why')}


def one_object(r):
    """The object that stdout is."""
    try:
        v = json.loads(r.out)
    except ValueError:
        v = None
    check(isinstance(v, dict), 'stdout is no JSON object', r)
    return v


def has_error(r):
    error = one_object(r).get('error')
    check(isinstance(error, dict) and error.get('code') and error.get('message') and
          error.get('status') == r.status != 0, 'no error with a code', r)


# What is behind a command when its line is wrong.
WRONG = [[], ['nosuch'], ['nosuch', 'x', 'y', 'z'], ['--no-such-option', 'a'], ['a', 'b', '--no-such'],
         ['a', '/no/such/file'], ['-C', '/no/such/dir'], ['--scope', 'nosuch'], ['--into', 'nosuch'], ['']]
# Settings that cannot be used, and words that may need them.
UNREADABLE = ['{', '[]', '{"hooks": 3}', '{"mcpServers": []}']
FILES = ['.gemini/settings.json', '.trotline/settings.json', '.claude/settings.json', '.mcp.json']
# Without a client it ends; what it prints is the protocol's.
SERVERS = {('mcp', 'serve')}


def json_only(leaf, box, args):
    """Whatever is wrong, stdout is one JSON value, and a failure has an error."""
    r = box.run(*args)
    if leaf in SERVERS and r.status == 0:
        return
    try:
        v = json.loads(r.out)
    except ValueError:
        v = None
    told = isinstance(v, dict) and ('error' in v or 'diagnostics' in v)
    rows = leaf == ('mcp', 'test') and isinstance(v, list) and v
    check(v is not None and (r.status == 0 or told or rows), args, r)


def wrong_lines(leaf):
    with Box() as box:
        for args in WRONG:
            json_only(leaf, box, [*leaf, '--json', *args])
            json_only(leaf, box, [*leaf, *args, '--json'])
            json_only(leaf, box, [leaf[0], '--json', *leaf[1:], *args])
        for home in ('', 'relative', '/no/such'):
            box.env['HOME'] = home
            json_only(leaf, box, [*leaf, '--json'])


def wrong_settings(leaf):
    for text in UNREADABLE:
        with Box() as box:
            for name in FILES:
                box.write('home/' + name, text)
                box.write('project/' + name, text)
            for args in ([], ['a', 'b'], ['BeforeTool'], ['a', 'BeforeTool', 'true']):
                json_only(leaf, box, [*leaf, '--json', *args])


def groups_of_commands(box, found):
    """A group without its command, or with one that does not exist."""
    for group in sorted({leaf[0] for leaf in found if len(leaf) > 1}):
        for args in ([group, '--json'], ['--json', group], [group, 'nosuch', '--json'],
                     ['--json', group, 'nosuch'], [group, '--json', 'nosuch', 'x'],
                     [group, '--json', '--nosuch'], [group + 'x', '--json']):
            has_error(box.run(*args))


def told_before(box):
    """A word that is wrong is told before anything is written."""
    r = box.run('guard', 'on', '--into', 'clude', '--json')
    has_error(r)
    check('did you mean' in r.out and not os.path.exists(box.home + '/.trotline/settings.json'), r)
    # What was done before a failure is in the object.
    box.write('home/.codex/hooks.json', '{')
    r = box.run('hooks', 'install', '--into', 'claude,codex', '--json')
    has_error(r)
    check([d['agent'] for d in one_object(r)['done']] == ['claude'], r)


def same_letters(box, found):
    letters = {}  # of the commands: of an option, "" for none
    for leaf in found:
        rows = re.findall(r'^ +(?:-(\w), )?--([\w-]+)', box.run(*leaf, '--help').out, re.M)
        letters[' '.join(leaf)] = {name: letter for letter, name in rows}
    wanted = {name: letter for rows in letters.values() for name, letter in rows.items() if letter}
    check(wanted['scope'] == 's', wanted)
    wrong = ['%s: --%s has -%s elsewhere' % (command, name, wanted[name])
             for command, rows in letters.items() for name, letter in rows.items()
             if letter != wanted.get(name, '') and wanted[name] not in rows.values()]
    check(not wrong, '\n'.join(wrong))


def text_as_json(box):
    """Commands without a value of their own say their text in an object, and ask on stderr."""
    steps = [
        (['extensions', 'new', 'e1', 'hooks'], 'Made e1.'),
        (['extensions', 'link', 'e1', '--consent'], 'is linked and enabled'),
        (['extensions', 'disable', 'e1'], 'is disabled'),
        (['extensions', 'enable', 'e1'], 'is enabled'),
        (['extensions', 'uninstall', 'e1'], 'is uninstalled'),
        (['hooks', 'init'], 'wrote'),
    ]
    for args, part in steps:
        r = box.run(*args, '--json')
        v = one_object(r)
        check(r.status == 0 and v.get('status') == 0 and part in v.get('message', ''), args, r)
    r = box.run('extensions', 'install', './e1', '--json')
    has_error(r)
    check('[y/N]' in r.err, 'the question is on stderr', r)
    r = box.run('hooks', 'schema', '--json')
    check('$schema' in one_object(r), 'a schema is JSON as it is', r)


# No message of ours tells its reader to start another program.
CALLED_GEMINI = re.compile(r'\bgemini (?:hooks|mcp|skills|extensions|trust|policy|--?[a-z])|'
                           r'(?:[Rr]un|[Ss]tart|[Rr]estart|[Tt]ype) `?gemini\b')
STRINGS = re.compile(r'"((?:\\.|[^"\\\n])*)"')


def strings_of_source():
    """Every text of the program: string literals, joined where C joins them."""
    for path in glob.glob(os.path.join(os.environ['TEST_SOURCE_ROOT'], 'src', '**', '*.c'), recursive=True):
        with open(path, encoding='utf-8') as f:
            text = re.sub(r'"\s*\n\s*"', '', f.read())
        for m in STRINGS.finditer(text):
            yield path, m[1]


def main():
    tap = Tap()
    with tap.case('no message calls the program gemini'):
        # The tables of programs name other agents' commands.
        wrong = [found for found in strings_of_source()
                 if CALLED_GEMINI.search(found[1]) and '/src/effects/' not in found[0]]
        check(not wrong, wrong)
    with Box() as box:
        # What `trotline hook` prints is the agent's.
        found = [leaf for leaf in leaves(box) if leaf != ('hook',)]
        with tap.case('there are commands'):
            check(len(found) > 30 and ('policy', 'why') in found, found)
        for leaf in found:
            name = ' '.join(leaf)
            with tap.case('%s: --help has --json' % name):
                check(re.search(r'^ +--json ', box.run(*leaf, '--help').out, re.M), name)
            with tap.case('%s: --help calls the program by its name' % name):
                help_text = box.run(*leaf, '--help').out
                check('trotline' in help_text and not CALLED_GEMINI.search(help_text), help_text)
            with tap.case('%s: an unknown option, as JSON' % name):
                has_error(box.run(*leaf, '--json', '--no-such-option'))
            if leaf in TAKES_ANY_TEXT:
                continue
            with tap.case('%s: nonsense, as JSON' % name):
                r = box.run(*leaf, '--json', NONSENSE)
                if 'diagnostics' not in one_object(r):  # lint: it is a file that cannot be read
                    has_error(r)
            with tap.case('%s: lines that are wrong, as JSON' % name):
                wrong_lines(leaf)
            with tap.case('%s: settings that cannot be used, as JSON' % name):
                wrong_settings(leaf)
        with tap.case('groups of commands, as JSON'):
            groups_of_commands(box, found)
        with tap.case('a wrong word is told before anything is written'):
            told_before(box)
        with tap.case('an option has the same letter everywhere, where no other option has it'):
            same_letters(box, found)
        with tap.case('commands that have only text'):
            text_as_json(box)
    tap.done()


main()
