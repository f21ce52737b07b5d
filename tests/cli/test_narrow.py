#!/usr/bin/env python3
"""A narrow terminal: rows end between words, whatever prints them.  Prints TAP."""

import re

import pexpect

from agentbox import Box, Failed, Tap, TROTLINE, call, check, say
from command_table import leaves
from test_chat import ANSI, Chat

COLUMNS = 40
REASON = 'generated files are written by the generator alone, so change its templates instead'
PROMPT = 'please rewrite the introduction of the documentation in short sentences'


def on_terminal(box, *args):
    box.env['TERM'] = 'xterm-256color'
    child = pexpect.spawn(TROTLINE, list(args), cwd=box.project, env=box.env, encoding='utf-8',
                          dimensions=(24, COLUMNS), timeout=60)
    text = child.read()
    child.close()
    return ANSI.sub('', text).replace('\r', '')


def check_rows(text):
    for row in text.split('\n'):
        check(len(row) <= COLUMNS or ' ' not in row.strip(), 'too wide: %s' % row, text)


def check_words(text, whole):
    """No word of it is in two pieces, unless it is wider than any row."""
    check_rows(text)
    there, wanted = text.split(), whole.split()
    torn = [w for w in set(wanted) if len(w) <= COLUMNS // 2 and there.count(w) < wanted.count(w)]
    check(not torn and sorted(''.join(there)) == sorted(''.join(wanted)), 'torn: %s' % torn, text)


def commands(tap, box):
    box.hooks({'BeforeTool': "echo '%s' >&2; exit 2" % REASON})
    # trotline hook has no terminal: its program is made for other agents to start.
    lines = [['--help']] + [[*leaf, '--help'] for leaf in leaves(box) if leaf != ('hook',)] + [
        ['hooks', 'list'], ['hooks', 'why', 'BeforeTool'], ['guard', 'list'], ['hooks', 'lst'],
        ['hooks', 'run'], ['hooks', 'enable', 'nosuch'], ['hokks'], ['mcp', 'list'], ['--frob'],
        ['extensions', 'uninstall', 'nosuch'], ['guard', 'why', 'git push --force']]
    for line in lines:
        with tap.case(' '.join(line)):
            r = box.run(*line)
            check_words(on_terminal(box, *line), r.out + r.err)


def session(tap):
    with Chat() as c, tap.case('a session'):
        c.hooks({'BeforeTool': "echo '%s' >&2; exit 2" % REASON})
        c.open(answers=[[call('write_file', {'file_path': 'a', 'content': 'b'})], [say('so be it')]],
               mode='yolo', columns=COLUMNS)
        c.ready()
        c.type(PROMPT + '\r')
        c.wait('so be it')
        c.type('/help\r')
        c.wait('toggles yolo')
        c.quit()
        text = c.read()
        words = set(re.split(r'\s+', text))
        wanted = ('YOLO mode is enabled. All tool calls will be automatically approved. ' + REASON + ' ' +
                  PROMPT + ' replace the conversation with a summary completes commands and paths.')
        torn = [w for w in wanted.split() if w not in words]
        check(not torn, 'torn: %s' % torn, text)


def main():
    tap = Tap()
    with Box() as box:
        commands(tap, box)
    session(tap)
    tap.done()


main()
