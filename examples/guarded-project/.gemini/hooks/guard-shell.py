#!/usr/bin/env python3
"""BeforeTool guard: denies shell commands that destroy things.

The command is split into words as a shell would (shlex), so that quotes, sudo, sh -c, pipes and
$(...) do not hide anything.  What cannot be split is left to the user ("ask").  Whatever goes wrong
in here ends with status 1, and because this is a guard the tool call is then denied.

This stops accidents and careless plans.  It is no sandbox: a program can do what no word says."""

import json
import os
import re
import shlex
import sys

HOME = os.path.expanduser('~')
ROOTS = {'/', '/bin', '/boot', '/dev', '/etc', '/home', '/lib', '/lib64', '/opt', '/proc', '/root',
         '/sbin', '/srv', '/sys', '/usr', '/var'}
# Words that start another program: every word after them may be that program.
WRAPPERS = {'sudo', 'doas', 'env', 'nohup', 'time', 'nice', 'ionice', 'timeout', 'setsid', 'stdbuf',
            'exec', 'command', 'builtin', 'xargs', 'busybox', 'then', 'do', 'else', 'if', 'while',
            'until', '!', '{'}
SHELLS = {'sh', 'bash', 'dash', 'zsh', 'ksh', 'fish'}
INTERPRETERS = {'python', 'python3', 'perl', 'ruby', 'node'}
DOWNLOADERS = {'curl', 'wget'}
PROTECTED = {'main', 'master'}
DISKS = re.compile(r'/dev/(sd|hd|vd|xvd|nvme|mmcblk|disk|mapper|dm-|loop|md)')
FORK_BOMB = re.compile(r'(?<![\w:.])([\w:.]{1,50})\s*\(\s*\)\s*\{[^}]*\1\s*\|\s*\1\s*&')
PUNCTUATION = ';&|()<>\n'
BACKTICKS = re.compile(r'`([^`]*)`')
DEPTH_MAX = 5


class Denied(Exception):
    pass


class Unclear(Exception):
    pass


def tokens(text):
    lexer = shlex.shlex(text.replace('\\\n', ''), posix=True, punctuation_chars=PUNCTUATION)
    lexer.whitespace = ' \t\r'
    lexer.whitespace_split = True
    lexer.commenters = ''
    try:
        return list(lexer)
    except ValueError as error:
        raise Unclear('this command cannot be read: %s' % error)


def commands(text):
    """Yields (operator before it, words, files that are written to) for each simple command."""
    operator, words, targets, to_file = '', [], [], False
    for token in tokens(text):
        if not all(c in PUNCTUATION for c in token):
            (targets if to_file else words).append(token)
            to_file = False
        elif token in '&|' or token.strip('<>') not in ('', '&', '|'):
            if words or targets:
                yield operator, words, targets
                operator, words, targets = '', [], []
            operator += token
            to_file = False
        else:
            to_file = '>' in token
    yield operator, words, targets


def options(words):
    """The letters of short options, and long options."""
    found = set()
    for word in words:
        if word.startswith('--'):
            found.add(word.split('=')[0])
        elif word.startswith('-'):
            found.update(word[1:])
    return found


def operands(words):
    return [word for word in words if not word.startswith('-')]


def full_path(word, cwd):
    word = os.path.expanduser(re.sub(r'^(\$HOME|\$\{HOME\})(?=/|$)', '~', word))
    return os.path.normpath(os.path.join('/', cwd, re.sub(r'(?<=/)[*.]+$|^\*$', '', word)))


def is_root(word, cwd):
    path = re.sub('^/+', '/', full_path(word, cwd))
    return path in ROOTS or (HOME + '/').startswith(path.rstrip('/') + '/')


def current_branch(cwd):
    while True:
        try:
            with open(os.path.join(cwd, '.git', 'HEAD')) as head:
                return head.read().strip().replace('ref: refs/heads/', '')
        except OSError:
            if os.path.dirname(cwd) == cwd:
                return ''
            cwd = os.path.dirname(cwd)


def check_push(words, cwd):
    rest = words[words.index('push') + 1:]
    flags = options(rest)
    refs = operands(rest)[1:] or [current_branch(cwd)]
    names = {ref.lstrip('+').split(':')[-1].replace('refs/heads/', '') for ref in refs}
    forced = (flags & {'f', '--force', '--force-with-lease'} or any(r.startswith('+') for r in refs))
    deletes = flags & {'d', '--delete'} or any(r.startswith(':') for r in refs)
    if '--mirror' in flags or (forced or deletes) and names & PROTECTED:
        raise Denied('this overwrites or deletes the branch that everybody works from (%s)' %
                     ', '.join(sorted(names & PROTECTED) or ['--mirror']))


def check_words(words, cwd, depth):
    name, flags = os.path.basename(words[0]), options(words[1:])
    where = [word for word in operands(words[1:]) if is_root(word, cwd)]
    recursive = flags & {'r', 'R', '--recursive'}
    if name == 'rm' and (recursive and where or '--no-preserve-root' in flags):
        raise Denied('rm would delete %s and everything below' % ' '.join(where or ['/']))
    if name in ('chmod', 'chown', 'chgrp') and recursive and where:
        raise Denied('%s would change every file below %s' % (name, ' '.join(where)))
    if name == 'find' and where and ('-delete' in words or 'rm' in words):
        raise Denied('find would delete what is below %s' % ' '.join(where))
    if name.startswith('mkfs') or name in ('mke2fs', 'wipefs'):
        raise Denied('%s erases a file system' % name)
    if name == 'dd' and any(word.startswith('of=') and DISKS.match(word[3:]) for word in words):
        raise Denied('dd would write over a disk')
    if name == 'git' and 'push' in words:
        check_push(words, cwd)
    if name in SHELLS | {'su'}:
        for option, text in zip(words, words[1:]):
            if re.match(r'-\w*c$', option):
                check(text, cwd, depth + 1)
    if name == 'eval':
        check(' '.join(words[1:]), cwd, depth + 1)
    if name in WRAPPERS or re.match(r'\w+=', words[0]):
        for i in range(1, len(words)):
            check_words(words[i:], cwd, depth)


def programs(words):
    """The names of the programs that a command starts, wrappers and all."""
    for i, word in enumerate(words):
        yield os.path.basename(word), words[i + 1:]
        if os.path.basename(word) not in WRAPPERS and '=' not in word and not word.startswith('-'):
            return


def reads_program(name, rest):
    """Would this run what it is given on stdin, or what it downloads?"""
    if name in SHELLS:
        return not operands(rest) or bool(options(rest) & {'c', 's'})
    return name == 'eval' or name in INTERPRETERS and rest[:1] in ([], ['-'])


def check(text, cwd, depth=0):
    downloads = runs_input = False
    if depth > DEPTH_MAX:
        raise Unclear('this command is nested too deeply to be read')
    if FORK_BOMB.search(text):
        raise Denied('a fork bomb')
    text = BACKTICKS.sub(r'$(\1)', text)
    for operator, words, targets in commands(text):
        if re.search(r'[;\n]|&&|\|\||(^|[^|])&$', operator):
            downloads = False
        if re.search(r'[;\n&|]', operator):
            runs_input = False
        names = list(programs(words))
        downloads |= any(name in DOWNLOADERS for name, _ in names)
        runs_input |= any(reads_program(name, rest) for name, rest in names)
        # sh -c "$(curl ...)": in double quotes it is one word
        inner = [part for word in words if '$(' in word for part in re.split(r'\$\(|\)', word)]
        if any(name in SHELLS | {'eval'} for name, _ in names):
            downloads |= any(part.split()[:1] and part.split()[0] in DOWNLOADERS for part in inner)
        if downloads and runs_input:
            raise Denied('this runs a program from the network that nobody has read')
        for part in inner:
            check(part, cwd, depth + 1)
        if any(DISKS.match(target) for target in targets):
            raise Denied('this would write over a disk')
        if words:
            check_words(words, cwd, depth)
        if words[:1] == ['cd']:
            cwd = full_path((words[1:] or ['~'])[0], cwd)


def main():
    event = json.load(sys.stdin)
    command = event['tool_input']['command']
    if not isinstance(command, str):
        raise TypeError('tool_input.command is not a string')
    try:
        check(command, event.get('cwd') or os.getcwd())
    except Denied as denied:
        print(json.dumps({'decision': 'deny', 'reason': 'Dangerous: %s.' % denied}))
    except Unclear as unclear:
        print(json.dumps({'decision': 'ask', 'reason': str(unclear)}))


try:
    main()
except Exception as error:
    sys.exit('guard-shell: %s: %s' % (type(error).__name__, error))
