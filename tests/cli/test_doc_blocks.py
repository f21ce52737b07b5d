#!/usr/bin/env python3
"""Every block of the documentation that is no command line is what its page says: settings, policies, skills and
code are given to the program that reads them, from their text.  Commands: test_doc_commands.py, and what they
print: doc_examples.py.  Prints TAP."""

import ast
import glob
import json
import os
import re
import shutil
import subprocess
import textwrap

from agentbox import Box, Tap, check

ROOT = os.environ['TEST_SOURCE_ROOT']
FENCE = re.compile(r'^```(\w+)\n(.*?)^```', re.M | re.S)
SETTINGS = {'hooks', 'hooksConfig', 'mcpServers', 'guard', 'tools', 'telemetry', 'general', 'mcp', 'security', 'sandbox'}
# What lint says of a machine on which nothing of this is installed.
ABSENT = {'program-not-found', 'missing-script', 'sandbox-path', 'unknown-server', 'no-sandbox'}
# The page shows what is wrong; test_lint.sh has every one of its codes.
WRONG = {'docs/linting.md'}


def blocks():
    """(page:line, language, text)"""
    for path in sorted(glob.glob(os.path.join(ROOT, 'docs', '*.md'))) + [os.path.join(ROOT, 'README.md')]:
        with open(path, encoding='utf-8') as f:
            text = f.read()
        for m in FENCE.finditer(text):
            yield '%s:%d' % (os.path.relpath(path, ROOT), text.count('\n', 0, m.start(2)) + 1), m[1], m[2]


def value_of(text):
    """JSON with comments and trailing commas, as settings are."""
    return json.loads(re.sub(r',(\s*[}\]])', r'\1', re.sub(r'(^|\s)//.*$', r'\1', text, flags=re.M)))


def lint(where, name, text):
    """No errors, and of warnings only that this machine has not what the page is about."""
    with Box() as box:
        box.write('home/' + name, text)
        r = box.run('hooks', 'lint', '--json')
        found = [d for d in json.loads(r.out)['diagnostics']
                 if d['severity'] != 'note' and d['code'] not in ABSENT]
        check(not found, where, json.dumps(found, indent=1))


def try_json(where, text):
    """Settings, or another value: a payload, an answer, a line of a file."""
    for one in re.split(r'\n(?=\{)', text.strip()) if not text.lstrip().startswith('{\n') else [text]:
        v = value_of(one)
        if isinstance(v, dict) and SETTINGS & {*v} and all(isinstance(v[k], dict) for k in SETTINGS & {*v}):
            lint(where, '.trotline/settings.json', one)


def try_toml(where, text):
    if '[[rule]]' in text:
        lint(where, '.trotline/policies/page.toml' if re.search(r'^(effect|secrets|event|\[\[rule\.when)', text, re.M)
             else '.gemini/policies/page.toml', text)


def try_python(where, text):
    check(ast.parse(textwrap.dedent(text)), where)


def try_js(where, text):
    with Box() as box:
        path = box.write('page.js', text)
        r = subprocess.run(['node', '--check', path], capture_output=True, text=True, check=False)
        check(r.returncode == 0, where, r.stderr)


def try_c(where, text):
    """Whole programs; others are parts of one, which examples/ has whole."""
    if '#include' in text and 'main(' in text:
        r = subprocess.run(['cc', '-fsyntax-only', '-Wall', '-Werror', '-I' + os.path.join(ROOT, 'include'), '-xc', '-'],
                           input=text, capture_output=True, text=True, check=False)
        check(r.returncode == 0, where, r.stderr)


def try_markdown(where, text):
    """Skills and sub-agents: their front matter is read."""
    name = re.search(r'^name: *(.*)$', text, re.M)
    check(name, where)
    with Box() as box:
        box.write('home/.gemini/skills/page/SKILL.md', text)
        r = box.run('skills', 'list')
        check(name[1] in r.out and 'Ignoring' not in r.err, where, r)


TRIES = {'json': try_json, 'jsonc': try_json, 'toml': try_toml, 'python': try_python, 'js': try_js, 'c': try_c,
         'markdown': try_markdown}
if not shutil.which('node'):
    del TRIES['js']


def main():
    tap = Tap()
    count = 0
    for where, language, text in blocks():
        if language not in TRIES or where.partition(':')[0] in WRONG:
            continue
        count += 1
        with tap.case('%s: %s' % (where, language)):
            try:
                TRIES[language](where, text)
            except (ValueError, SyntaxError) as e:
                check(False, where, e, text)
    with tap.case('there are blocks'):
        check(count > 40, count)
    tap.done()


main()
