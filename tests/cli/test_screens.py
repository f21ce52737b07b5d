#!/usr/bin/env python3
"""The main views of an interactive session on a terminal of 80 x 24, as people see them.  Prints TAP.

  test_screens.py --update    writes tests/screens anew

docs/interactive.md shows the same screens; tests/screens keeps them.  tmux is the terminal."""

import os
import re
import shutil
import subprocess
import sys
import time

from agentbox import PATIENCE, Box, Failed, Tap, TROTLINE, call, check, chunk, say

SOURCE = os.environ.get('TEST_SOURCE_ROOT', os.getcwd())
SCREENS = os.path.join(SOURCE, 'tests', 'screens')
EXAMPLE = os.path.join(SOURCE, 'examples', 'guarded-session')
SECONDS = 10 * PATIENCE
VARIES = [(r'\d+\.\d ms', '0.0 ms'), (r', \d+s\)', ', 0s)'), ('[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏]', '⠋')]

ANSWER = ('# Plan\n\nI write **two** files:\n\n1. `notes.md` with a table\n2. nothing else\n\n'
          '| name | count |\n|---|--:|\n| apples | 12 |\n| 日本語 | 3 |\n')


class Terminal(Box):
    def open(self, *answers):
        shutil.copytree(EXAMPLE + '/.gemini', self.project + '/.gemini')
        self.begin('--fake-responses', self.answers(*answers))

    def begin(self, *args):
        self.tmux('new-session', '-d', '-s', 't', '-x', '80', '-y', '24',
                  ' '.join([TROTLINE, '-m', 'gemini-2.5-pro', *args]))
        self.wait('gemini-2.5-pro')
        self.wait('Type your message')

    def tmux(self, *args):
        env = dict(self.env, GEMINI_CLI_HOME=self.home, TERM='xterm-256color')
        env.pop('TMUX', None)
        return subprocess.run(['tmux', '-S', self.root + '/tmux', '-f', '/dev/null', *args], env=env,
                              cwd=self.project, capture_output=True, encoding='utf-8').stdout

    def shown(self):
        text = self.tmux('capture-pane', '-p', '-t', 't')
        for pattern, fixed in VARIES:
            text = re.sub(pattern, fixed, text)
        text = text.replace(self.project, '~/project').replace(self.home, '~')
        return '\n'.join(line.rstrip() for line in text.split('\n')).strip('\n') + '\n'

    def wait(self, text):
        until = time.monotonic() + SECONDS
        while True:
            late, shown = time.monotonic() > until, self.shown()
            if text in shown:
                return shown
            if late:
                raise Failed('"%s" was never shown:\n%s' % (text, shown))
            time.sleep(0.02)

    def settled(self, name):
        """The screen as it is kept, or what it is when it does not become that."""
        kept, until = read_kept(name), time.monotonic() + SECONDS
        while True:
            late, shown = time.monotonic() > until, self.shown()
            if late or shown == kept:
                return shown
            time.sleep(0.02)

    def wait_for_end(self):
        until = time.monotonic() + SECONDS
        while self.tmux('list-sessions'):
            if time.monotonic() > until:
                raise Failed('the session goes on:\n%s' % self.shown())
            time.sleep(0.02)

    def type(self, *keys):
        self.tmux('send-keys', '-t', 't', *keys)

    def __exit__(self, *args):
        self.tmux('kill-server')
        super().__exit__(*args)


def read_kept(name):
    if not os.path.exists(os.path.join(SCREENS, name + '.txt')):
        return ''
    with open(os.path.join(SCREENS, name + '.txt'), encoding='utf-8') as f:
        return f.read()


def screens(t):
    """The name of each view once its last words are there, in the order of a session."""
    t.open([say(ANSWER)],
           [chunk({'text': 'I begin.\n'}), call('write_file', {'file_path': 'notes.md',
                                                               'content': '# Notes\n\n12 apples\n'})],
           [say('Done.\n')])
    yield 'welcome'
    t.type('make a plan', 'Enter')
    t.wait('日本語')
    t.wait('Type your message')
    yield 'answer'
    t.type('go on', 'Enter')
    t.wait('4. No, suggest changes')
    yield 'edit'
    t.type('1')
    t.wait('Done.')
    t.type('/h')
    t.wait('/hooks')
    yield 'completion'
    t.type('ooks', 'Enter')
    t.wait('/hooks report sums up')
    yield 'hooks'
    t.type('/quit', 'Enter')
    t.wait_for_end()
    t.begin('--resume', '--fake-responses', t.answers())
    t.wait('Done.')
    t.wait('Type your message')
    yield 'resumed'
    t.type('/quit', 'Enter')


def suspended(t):
    """Ctrl+Z and fg: the status line is there once."""
    t.tmux('new-session', '-d', '-s', 't', '-x', '80', '-y', '24', 'env PS1="SH> " sh -i')
    t.wait('SH>')
    t.type(' '.join([TROTLINE, '-m', 'gemini-2.5-pro', '--fake-responses', t.answers()]), 'Enter')
    t.wait('Type your message')
    t.type('abc')
    t.wait('> abc')
    t.type('C-z')
    t.wait('Stopped')
    t.type('fg', 'Enter')
    t.wait('> abc')
    t.type('d')
    shown = t.wait('> abcd')
    lines = shown[shown.rindex('SH> fg'):].split('\n')
    check(sum(line.strip() == 'gemini-2.5-pro' for line in lines) == 1, shown)


def main():
    tap, update = Tap(), '--update' in sys.argv
    if not shutil.which('tmux'):
        tap.point('screens', skip='tmux is not installed')
        tap.done()
    with open(os.path.join(SOURCE, 'docs', 'interactive.md'), encoding='utf-8') as f:
        docs = f.read()
    with tap.case('suspended and continued'), Terminal() as t:
        suspended(t)
    try:
        with Terminal() as t:
            for name in screens(t):
                screen = t.settled(name)
                if update:
                    with open(os.path.join(SCREENS, name + '.txt'), 'w', encoding='utf-8') as f:
                        f.write(screen)
                kept = read_kept(name)
                tap.point('screen: ' + name, why=None if screen == kept else
                          'is:\n%s\nwas:\n%s' % (screen, kept))
                tap.point('docs/interactive.md shows it: ' + name,
                          why=None if kept in docs else 'it does not')
    except Failed as e:
        tap.point('screens', why=e)
    tap.done()


if __name__ == '__main__':
    main()
