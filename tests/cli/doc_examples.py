"""Runs the examples of the documentation, in the current directory:  doc_examples.py ROOT

An example is a line "$ trotline ..." in a ```console block; the lines behind it are its output.
"..." means any text, a line "..." for any lines, times are not compared, and a last line
"[exit 55]" is the exit status.  Prints what differs."""

import glob
import os
import re
import shlex
import subprocess
import sys

BLOCK = re.compile(r'^```console\n(.*?)^```', re.M | re.S)
TIME = re.compile(r'\b\d+(\.\d+)? ms\b')


def examples(path):
    """(line number, command, expected lines) of each command in the page."""
    with open(path, encoding='utf-8') as f:
        text = f.read()
    for block in BLOCK.finditer(text):
        first = text.count('\n', 0, block.start(1)) + 1
        found = []
        for n, line in enumerate(block.group(1).splitlines(), first):
            if line.startswith('$ '):
                found.append((n, line[2:], []))
            elif found:
                found[-1][2].append(line)
        yield from found


def pattern(lines):
    out = ''
    for line in lines:
        if line == '...':
            out += r'(?:.*\n)*?'
        else:
            out += '.*'.join(map(re.escape, TIME.sub('0 ms', line).split('...'))) + r'\n'
    return re.compile(out)


def run(command):
    done = subprocess.run([os.environ['TROTLINE']] + shlex.split(command)[1:],
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True, timeout=600)
    return TIME.sub('0 ms', done.stdout), done.returncode


def check(command, lines):
    """What is wrong, or ''."""
    while lines and not lines[-1]:
        lines = lines[:-1]
    status = re.fullmatch(r'\[exit (\d+)\]', lines[-1]) if lines else None
    if status:
        lines = lines[:-1]
    output, code = run(command)
    if not pattern(lines).fullmatch(output.rstrip('\n') + '\n'):
        return 'prints:\n' + output
    if status and code != int(status.group(1)):
        return 'exits with %d' % code
    return ''


def main():
    root, count, failed = sys.argv[1], 0, 0
    pages = sorted(glob.glob(root + '/docs/*.md') + glob.glob(root + '/examples/*/README.md'))
    for page in pages:
        for line, command, lines in examples(page):
            if not command.startswith('trotline '):
                continue
            count += 1
            wrong = check(command, lines)
            if wrong:
                failed += 1
                print('%s:%d: %s %s' % (os.path.relpath(page, root), line, command, wrong))
    print('%d examples, %d wrong' % (count, failed))
    return failed > 0 or count == 0


sys.exit(main())
