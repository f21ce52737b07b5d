#!/usr/bin/env python3
"""Every command line of the documentation is run, from its text: it must be one that the program knows.

Looked at: fenced and indented blocks of README.md, docs/ and examples/, and the text of --help.  Each runs
in a project of its own, without a network, a model or a person, so what it does is not compared (what
```console blocks print is: doc_examples.py); but no option, command or argument in it may be unknown.
Prints TAP."""

import glob
import os
import re
import shlex
import shutil

from agentbox import Box, Tap, check
from command_table import leaves

ROOT = os.environ['TEST_SOURCE_ROOT']
# What cannot run here, and why.
CANNOT = [
    (r'https?://(?!127\.|localhost)', 'needs a network'),
    (r'\btrotline mcp guard\b', 'stays in front of a server'),
    (r'\btrotline hooks log .*--follow\b', 'goes on until Ctrl-C'),
    (r'\btrotline (mcp )?(COMMAND|hook AGENT)\b|\.\.\.', 'a pattern, no command'),
    (r'<<', 'goes on in the next lines'),
]
WRONG = re.compile(r'--help explains it|--help lists them|unknown option|Unknown argument|is no option of|'
                   r'no option of "trotline')
FENCE = re.compile(r'^```(\w*)\n(.*?)^```', re.M | re.S)


def lines_of(text):
    """(line number, command line) of blocks; a backslash at the end joins lines."""
    joined, at = [], {}
    blocks = [(m.group(2), text.count('\n', 0, m.start(2)) + 1) for m in FENCE.finditer(text)
              if m.group(1) in ('', 'sh', 'console', 'bash', 'yaml')]
    plain = FENCE.sub(lambda m: '\n' * m.group().count('\n'), text)
    blocks += [(line[4:], n) for n, line in enumerate(plain.splitlines(), 1)
               if re.match(r'    \S', line)]
    for block, first in blocks:
        rest = ''
        for n, line in enumerate(block.splitlines(), first):
            line = rest + re.sub(r'^\$ ', '', line.strip())
            rest = line[:-1] if line.endswith('\\') else ''
            if not rest:
                yield n, line


def commands_of(line):
    """The words of each trotline in a line of shell."""
    line = re.sub(r'\s{2,}(#.*|[a-z][^\'"]*)$', '', line)
    try:
        lexer = shlex.shlex(line, posix=True, punctuation_chars='|&;<>()')
        lexer.whitespace_split = True
        words = list(lexer)
    except ValueError:
        return
    part = []
    for word in words + [';']:
        if word and not set(word) <= set('|&;<>()'):
            part.append(word)
            continue
        while part and re.match(r'\w+=', part[0]):
            part = part[1:]
        if part and part[0] == 'trotline':
            yield part[1:]
        if word[:1] in '<>':
            part = []  # what is behind it is a file
        else:
            part = []


def pages():
    for pattern in ('README.md', 'docs/*.md', 'examples/*/README.md'):
        for path in sorted(glob.glob(os.path.join(ROOT, pattern))):
            with open(path, encoding='utf-8') as f:
                yield os.path.relpath(path, ROOT), f.read()


def attempt(box, words):
    r = box.run(*words)
    check(not WRONG.search(r.err) and not WRONG.search(r.out), ' '.join(['trotline'] + words), r)


def main():
    tap = Tap()
    count = 0
    with Box() as box:
        shutil.rmtree(box.project)
        shutil.copytree(os.path.join(ROOT, 'examples', 'guarded-project'), box.project)
        texts = list(pages()) + [(' '.join(leaf) + ' --help', box.run(*leaf, '--help').out.replace('\n  ', '\n    '))
                                 for leaf in leaves(box)]
        for page, text in texts:
            found = []
            for n, line in lines_of(text):
                if any(re.search(pattern, line) for pattern, _ in CANNOT):
                    continue
                found += [(n, words) for words in commands_of(line)]
            if not found:
                continue
            count += len(found)
            with tap.case('%s: %d commands' % (page, len(found))):
                for n, words in found:
                    attempt(box, words)
    with tap.case('there are commands'):
        check(count > 100, count)
    tap.done()


main()
