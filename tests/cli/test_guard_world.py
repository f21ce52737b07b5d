#!/usr/bin/env python3
"""The guard looks at the disk: links that lie there are followed, whatever does something behind them, and the
link itself is as harmless as any file.  Calls are made up from parts, in real directories.  Prints TAP."""

import json
import os
import random
import subprocess

from agentbox import TROTLINE, Box, Tap, check

tap = Tap()
PACKS = ['destructive', 'git', 'agents', 'secrets', 'supply']
SEED = 20261124


def judge(box, rows):
    """The verdict of each (cwd, call): a command, or a tool with its input."""
    home = os.path.dirname(box.project)
    lines = ''.join(json.dumps(dict({'cwd': cwd, 'project': box.project, 'home': home},
                                    **({'command': row} if isinstance(row, str) else row))) + '\n' for cwd, row in rows)
    r = subprocess.run([TROTLINE, 'guard', 'test', '--batch', *PACKS], input=lines, text=True, env=box.env,
                       cwd=box.project, capture_output=True, check=False)
    said = [json.loads(line) for line in r.stdout.splitlines()]
    check(len(said) == len(rows), 'an answer for each line', r.stdout[-500:], r.stderr)
    return said


def check_all(box, rows, stopped):
    for (cwd, row), said in zip(rows, judge(box, rows)):
        check((said['verdict'] != 'allow') == stopped, '%s: %s' % (row, said['verdict']), 'in ' + cwd, said)


def tree(box):
    """A project with links out of it and in it, and the ways to spell each from two directories."""
    home = os.path.dirname(box.project)
    for name in ('sub/deep', 'src', '../other'):
        os.makedirs(os.path.join(box.project, name), exist_ok=True)
    os.symlink(home, os.path.join(box.project, 'out'))
    os.symlink('../..', os.path.join(box.project, 'sub/up'))
    os.symlink('sub/up', os.path.join(box.project, 'twice'))
    os.symlink('src', os.path.join(box.project, 'in'))
    os.symlink('../in', os.path.join(box.project, 'sub/back'))
    os.symlink('circle', os.path.join(box.project, 'circle'))
    return ['out', 'sub/up', 'twice', 'sub/../out', './sub/./up', 'in/../out'], ['in', 'sub/back', 'twice/project/src']


BEHIND = ['rm -rf %s/*', 'rm -rf %s/', 'rm -rf %s/.', 'rm -rf %s/.[!.]* %s/*', 'cd %s && rm -rf *', 'cd %s; rm -fr ./*',
          'find %s/ -delete', 'find -L %s -delete', 'find %s/ -exec rm -rf {} +', 'chmod -R 777 %s', 'chmod -R 000 %s/',
          'mv %s/* /tmp/x', 'rsync -a --delete src/ %s', 'sh -c "rm -rf %s/*"', 'x=%s; rm -rf "$x"/*',
          'python3 -c \'import shutil; shutil.rmtree("%s/")\'', 'node -e \'fs.rmSync("%s/", {recursive: true})\'',
          '(cd %s && rm -rf -- *)', 'echo %s/* | xargs rm -rf', 'mv %s moved; rm -rf moved/*', 'cp -a %s c; rm -rf c/*',
          'rm -rf src/../%s/*', 'echo x > %s/.bashrc', 'tee -a %s/.profile < a', 'cp a %s/.ssh/authorized_keys',
          'ln -s %s again; rm -rf again/*']
ITSELF = ['rm %s', 'rm -rf %s', 'unlink %s', 'mv %s old', 'ls %s', 'ls -l %s/', 'find %s -delete', 'ln -sfn src %s', 'git rm %s']
INSIDE = ['rm -rf %s/*', 'rm -rf %s/x', 'chmod -R u+w %s', 'cd %s && rm -rf build', 'cp a.c %s/', 'echo x > %s/a.c',
          'cd %s && cd .. && rm -rf build', 'find %s/ -name "*.o" -delete', 'rsync -a --delete dist/ %s/x']


@tap.case('C9.2 what happens behind a link of the disk happens where it leads; the link itself is a file')
def links():
    pick = random.Random(SEED)
    with Box() as box:
        out, inside = tree(box)
        spelled = lambda p, f: p if '../%s' in f else pick.choice(
            [p, './' + p, os.path.join(box.project, p)] + ["$PWD/" + p] * ("'" not in f))
        rows = [[(box.project, form.replace('%s', spelled(to, form))) for form in forms for to in links]
                for forms, links in ((BEHIND, out), (ITSELF, out[:3] + inside[:2]), (INSIDE, inside))]
        check_all(box, rows[0], True)
        check_all(box, rows[1], False)
        check_all(box, rows[2], False)
        check_all(box, [(os.path.join(box.project, 'sub'), form.replace('%s', 'up')) for form in BEHIND if 'src' not in form], True)
        check_all(box, [(box.project, 'cat circle/x'), (box.project, 'rm -rf circle circle/x')], False)


@tap.case('C9.2 so does what happens behind a link that the same command makes, in any language')
def made():
    with Box() as box:
        tree(box)
        home = os.path.dirname(box.project)
        makes = ['ln -s ~ x', 'ln -sf "$HOME" ./x', 'ln -sfn ~ x', 'mkdir d; ln -st . ~; mv %s x' % os.path.basename(home),
                 'cd src; ln -s ../.. ../x; cd ..', 'cp -s ~ x; ln -s ~ x', "python3 -c 'import os; os.symlink(\"%s\", \"x\")'" % home,
                 "python3 -c 'import pathlib; pathlib.Path(\"x\").symlink_to(\"%s\")'" % home,
                 "node -e 'require(\"fs\").symlinkSync(\"%s\", \"x\")'" % home, "perl -e 'symlink(\"%s\", \"x\")'" % home,
                 "ruby -e 'File.symlink(\"%s\", \"x\")'" % home, 'ln -s ~ y; ln -s y x']
        check_all(box, [(box.project, '%s; %s' % (m, d)) for m in makes
                        for d in ('rm -rf x/*', 'rm -rf ./x/', 'cd x && rm -rf *', 'chmod -R 777 x')], True)
        check_all(box, [(box.project, m + '; rm -f x') for m in makes if 'cp' not in m and 'mv' not in m], False)
        check_all(box, [(box.project, 'ln -s src x; ' + d) for d in ('rm -rf x/*', 'rm -rf x', 'cp a x/')], False)


@tap.case('C9.9 tools of files follow them, too')
def tools():
    with Box() as box:
        tree(box)
        os.symlink('../.claude/settings.json', os.path.join(box.project, 'notes.md'))
        rows = [{'tool': t, 'input': {'file_path': p, 'content': 'x', 'old_string': 'a', 'new_string': 'b'}}
                for t in ('write_file', 'replace') for p in ('notes.md', 'out/.bashrc', 'sub/up/.ssh/authorized_keys')]
        rows += [{'tool': 'mcp__fs__delete_directory', 'input': {'path': p}} for p in ('out/', 'sub/up/', 'twice/.')]
        check_all(box, [(box.project, row) for row in rows], True)
        rows = [{'tool': t, 'input': {'file_path': p, 'content': 'x', 'old_string': 'a', 'new_string': 'b'}}
                for t in ('write_file', 'replace') for p in ('in/a.c', 'sub/back/a.c', 'sub/deep/a.c')]
        check_all(box, [(box.project, row) for row in rows], False)


@tap.case('C9.2 a project that is itself behind a link is a project')
def moved():
    with Box() as box:
        tree(box)
        os.rename(box.project, box.project + '.real')
        os.symlink(box.project + '.real', box.project)
        check_all(box, [(box.project, 'rm -rf build'), (box.project, 'rm -rf "$PWD"/build ./in/*'),
                        (os.path.join(box.project, 'sub'), 'rm -rf ../build')], False)
        check_all(box, [(box.project, 'rm -rf ./*'), (box.project, 'rm -rf in/../*'), (box.project, 'rm -rf out/*')], True)


@tap.case('C9.2 looking at links has a limit, and what lies behind it is not judged')
def limit():
    with Box() as box:
        check_all(box, [(box.project, 'cat ' + ' '.join('d%d' % i for i in range(900)))], False)
        said = judge(box, [(box.project, 'cat ' + ' '.join('d%d/f' % i for i in range(1100)))])[0]
        check(said['verdict'] == 'deny' and said['rule'] == 'destructive/unjudged', 'over the limit', said)


for case in (links, made, tools, moved, limit):
    case()
tap.done()
