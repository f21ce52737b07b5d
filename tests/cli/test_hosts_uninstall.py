#!/usr/bin/env python3
"""C8.3 what trotline hooks install --into puts into an agent's files is taken out again, whatever was there:
each form of file that people have, in each agent, is byte for byte what it was."""

import itertools
import json
import os
import random

from agentbox import Box, Tap, check
from hostfiles import BEFORE, OURS, USER

tap = Tap()
SEED = int(os.environ.get('SEED', '12'))
FLAT = ('kiro', 'crush', 'copilot', 'cursor', 'windsurf')
MARK = b'trotline-hook'


def mine(agent, name):
    """A hook of somebody else, as the agent's file holds one."""
    if agent == 'kiro':
        return {'name': name, 'trigger': 'PreToolUse', 'action': {'type': 'command', 'command': name}}
    entry = {'type': 'command', 'command': name}
    return entry if agent in FLAT else {'matcher': 'x', 'hooks': [entry]}


def with_list(agent, value, doc=None):
    """A document whose list of hooks before a tool is `value`."""
    doc = json.loads(json.dumps(doc or {}))
    keys, target = BEFORE.get(agent, '/hooks/PreToolUse').split('/')[1:], doc
    for key in keys[:-1]:
        target = target.setdefault(key, {})
    target[keys[-1]] = value
    return doc


def contents(agent):
    """What is in a file: nothing of hooks, empty places for them, hooks of others."""
    other = {'other': [1, 2.50, {'a': 'b"}{'}], 'z': 'h\u00e9 \u20ac', 'e': {}, 'l': []}
    two = [mine(agent, 'mine'), mine(agent, 'yours')]
    return {
        'an empty object': {}, 'other members': other, 'an empty list': with_list(agent, []),
        'hooks of others': with_list(agent, two), 'hooks of others and more': with_list(agent, two, other),
    }


# How it is written.
LAYOUTS = {'one line': dict(separators=(', ', ': ')), 'no blanks': dict(separators=(',', ':')),
           'two blanks': dict(indent=2), 'three blanks': dict(indent=3), 'tabs': dict(indent='\t')}
NEWLINES = {'LF': '\n', 'CRLF': '\r\n'}
ENDS = {'a final newline': '\n', 'no final newline': '', 'blank lines at the end': '\n\n  \n'}
HEADS = {'': '', 'a BOM': '\ufeff', 'a comment': '// mine, with "hooks": { [\n', 'a long comment': '/* mine\n * } */ '}


def commented(text, newline):
    """A comment behind the first brace and before the last: what people write between members."""
    at, end = text.index('{') + 1, text.rindex('}')
    return text[:at] + ' // one' + newline + text[at:end] + '/* two */' + text[end:]


def forms(agent, some):
    yield 'no file', None
    for name, text in (('an empty file', ''), ('blanks', '  '), ('a newline', '\n'), ('an odd CRLF', '\r\n\r\n')):
        yield name, text
    every = list(itertools.product(contents(agent).items(), LAYOUTS.items(), NEWLINES.items(), ENDS.items(),
                                   HEADS.items(), (False, True)))
    for content, layout, newline, end, head, inner in some.sample(every, 24):
        text = json.dumps(content[1], ensure_ascii=False, **layout[1])
        text = commented(text, '\n') if inner else text
        name = ', '.join(filter(None, (content[0], layout[0], newline[0], end[0], head[0],
                                       'comments' if inner else '')))
        yield name, (head[1] + text + end[1]).replace('\n', newline[1])


def tree(top):
    """Every file with its bytes and mode, every link and every directory."""
    found = {}
    for where, dirs, files in os.walk(top):
        for name in dirs + files:
            path = os.path.join(where, name)
            what = os.readlink(path) if os.path.islink(path) else os.stat(path).st_mode
            if '/.trotline' not in path:
                found[path] = what
                if os.path.isfile(path):
                    with open(path, 'rb') as f:
                        found[path] = (what, f.read())
    return found


def differs(now, was):
    return {path: (now.get(path), was.get(path)) for path in set(now) | set(was) if now.get(path) != was.get(path)}


def there_and_back(box, agent, what, refused=False):
    """Installs and takes out; true when it was installed."""
    before = tree(box.home)
    r = box.run('hooks', 'install', '--into', agent)
    if r.status:
        check(refused and r.status == 52, what, 'not installed', r)
        check(tree(box.home) == before, what, 'refused, and changed', differs(tree(box.home), before))
        return False
    now = tree(box.home)
    check(any(MARK in v[1] for v in now.values() if isinstance(v, tuple)), what, 'not there', r)
    check(not box.run('hooks', 'install', '--into', agent).status and tree(box.home) == now, what, 'twice')
    r = box.run('hooks', 'uninstall', '--into', agent)
    check(r.status == 0 and tree(box.home) == before, what, differs(tree(box.home), before), r)
    return True


for agent, path in USER.items():
    with tap.case('C8.3 byte for byte: ' + agent), Box() as box:
        some, n = random.Random('%d %s' % (SEED, agent)), 0
        for name, text in forms(agent, some):
            file = os.path.join(box.home, path)
            if os.path.exists(file):
                os.remove(file)
            if text is not None:
                box.write('home/' + path, '')
                with open(file, 'w', encoding='utf-8', newline='') as f:
                    f.write(text)
                os.chmod(file, some.choice((0o600, 0o644, 0o640)))
            n += there_and_back(box, agent, '%s (SEED=%d)' % (name, SEED))
        check(n == 29, 'so many forms were installed', n)

    with tap.case('C8.3 ours in the middle of others, moved, and edited around: ' + agent), Box() as box:
        file = os.path.join(box.home, path)
        for layout in LAYOUTS.values():
            for first, last in ((1, 1), (0, 2), (2, 0), (0, 0)):
                hooks = [mine(agent, 'a%d' % i) for i in range(first)] + [mine(agent, 'z%d' % i) for i in range(last)]
                os.makedirs(os.path.dirname(file), exist_ok=True)
                with open(file, 'w', encoding='utf-8') as f:
                    json.dump(with_list(agent, hooks, {'other': 1}), f, **layout)
                before = tree(box.home)
                check(not box.run('hooks', 'install', '--into', agent).status, 'install')
                with open(file, encoding='utf-8') as f:
                    doc = json.load(f)
                entries = doc
                for key in BEFORE.get(agent, '/hooks/PreToolUse').split('/')[1:]:
                    entries = entries[key]
                # Somebody sorts the list and writes the file anew.
                ours = [e for e in entries if 'trotline-hook' in json.dumps(e)]
                others = [e for e in entries if 'trotline-hook' not in json.dumps(e)]
                check(others == hooks and ours, 'the others are as they were', entries)
                entries[:] = others[:first] + ours + others[first:]
                with open(file, 'w', encoding='utf-8') as f:
                    json.dump(doc, f, **layout)
                r = box.run('hooks', 'uninstall', '--into', agent)
                check(r.status == 0 and tree(box.home) == before, layout, first, last,
                      differs(tree(box.home), before), r)

    with tap.case('C8.3 a command of somebody else that names ours is theirs: ' + agent), Box() as box:
        file = os.path.join(box.home, path)
        for command in ("mine --also 'trotline-hook %s'" % agent, 'echo trotline-hook %s' % agent, 'not-trotline-hook %s' % agent,
                        'trotline-hook %s-other' % agent, "timeout 5 '/x/trotline-hook' %s" % agent):
            box.write('home/' + path, json.dumps(with_list(agent, [mine(agent, command)])))
            before = tree(box.home)
            there_and_back(box, agent, command)
            check(not box.run('hooks', 'uninstall', '--into', agent).status and tree(box.home) == before, 'taken out', command)

    with tap.case('C8.3 ours is ours however a shell spells it: ' + agent), Box() as box:
        file = os.path.join(box.home, path)
        for command in ('"/x y/trotline-hook" %s', "/x\\ y/trotline-hook %s", "'/x'\\''y/trotline-hook' %s --home /y", 'X=1 trotline-hook %s'):
            box.write('home/' + path, json.dumps(with_list(agent, [mine(agent, command % agent)])))
            check(not box.run('hooks', 'uninstall', '--into', agent).status, 'uninstall', command)
            with open(file, encoding='utf-8') as f:
                check('trotline-hook' not in f.read(), 'left', command)

    with tap.case('C8.3 an entry that came with the file goes with what was added: ' + agent), Box() as box:
        file = os.path.join(box.home, path)
        check(not box.run('hooks', 'install', '--into', agent).status, 'install')
        with open(file, encoding='utf-8') as f:
            doc = json.load(f)
        before = BEFORE.get(agent, '/hooks/PreToolUse').split('/')[1:]
        hooks = doc
        for key in before[:-1]:
            hooks = hooks[key]
        for event in list(hooks) if isinstance(hooks, dict) else ():
            if event != before[-1] and isinstance(hooks[event], list):
                del hooks[event]
        os.remove(os.path.join(box.home, '.trotline/installed.json'))
        with open(file, 'w', encoding='utf-8') as f:
            json.dump(doc, f)
        for what in ('install', 'uninstall'):
            check(not box.run('hooks', what, '--into', agent).status, what)
        with open(file, encoding='utf-8') as f:
            text = f.read()
        check('trotline-hook' not in text and text.count('[]') <= 1, 'what was added is left', text)

    if agent not in (*FLAT, 'vscode'):
        with tap.case('C8.3 a hook that somebody put beside ours stays: ' + agent), Box() as box:
            file = os.path.join(box.home, path)

            def group(change=None):
                with open(file, encoding='utf-8') as f:
                    doc = json.load(f)
                found = doc
                for key in BEFORE.get(agent, '/hooks/PreToolUse').split('/')[1:]:
                    found = found[key]
                if change:
                    change(found[0]['hooks'])
                    with open(file, 'w', encoding='utf-8') as f:
                        json.dump(doc, f, indent=2)
                return found

            other = {'type': 'command', 'command': 'mine'}
            for change in (lambda hooks: hooks.append(other), lambda hooks: hooks.insert(0, other),
                           lambda hooks: hooks.extend([other, dict(hooks[0])])):
                box.write('home/' + path, '{}')
                for what in (None, 'install', 'uninstall'):
                    if what:
                        r = box.run('hooks', what, '--into', agent)
                        check(not r.status, what, r)
                    else:
                        check(not box.run('hooks', 'install', '--into', agent).status, 'install')
                        group(change)
                    commands = [h['command'] for g in group() for h in g['hooks']]
                    check(commands.count('mine') == 1, what, commands)
                    check(what is None or sum('trotline-hook' in c for c in commands) == (what == 'install'), what, commands)

    with tap.case('C8.3 a link to a file that is not there leaves none: ' + agent), Box() as box:
        os.makedirs(os.path.dirname(os.path.join(box.home, path)), exist_ok=True)
        os.makedirs(box.root + '/dotfiles')
        os.symlink(box.root + '/dotfiles/agent.json', os.path.join(box.home, path))
        there_and_back(box, agent, 'a link to nothing')
        check(not os.listdir(box.root + '/dotfiles'), 'left behind', os.listdir(box.root + '/dotfiles'))

    with tap.case('C8.3 a link to a file elsewhere stays one: ' + agent), Box() as box:
        os.makedirs(box.root + '/dotfiles')
        os.makedirs(os.path.dirname(os.path.join(box.home, path)), exist_ok=True)
        target = os.path.join(box.root, 'dotfiles/agent.json')
        with open(target, 'w', encoding='utf-8') as f:
            json.dump(with_list(agent, [mine(agent, 'mine')]), f, indent=2)
        os.symlink(target, os.path.join(box.home, path))
        before = tree(box.root + '/dotfiles')
        there_and_back(box, agent, 'a link')
        check(tree(box.root + '/dotfiles') == before, differs(tree(box.root + '/dotfiles'), before))

    with tap.case('C8.3 what cannot be edited is left as it is: ' + agent), Box() as box:
        for text in ('{', '[]', 'nonsense', '{"a": 1} {"b": 2}', json.dumps(with_list(agent, 7)),
                     json.dumps(with_list(agent, {})), '\x00'):
            box.write('home/' + path, text)
            check(not there_and_back(box, agent, repr(text), refused=True), 'installed', repr(text))

for agent, paths in OURS.items():
    with tap.case('C8.3 files of ours leave no trace: ' + agent), Box() as box:
        for there in ('', os.path.dirname(paths), os.path.dirname(paths) + '/mine.txt'):
            if there.endswith('.txt'):
                box.write('home/' + there, 'mine')
            elif there:
                os.makedirs(os.path.join(box.home, there))
            there_and_back(box, agent, there)
        box.write('home/' + paths, 'not ours')
        before = tree(box.home)
        r = box.run('hooks', 'install', '--into', agent)
        check(r.status and tree(box.home) == before, 'a file that is there is overwritten', r)
        box.run('hooks', 'uninstall', '--into', agent)
        check(tree(box.home) == before, 'a file that is not ours is taken out')

for scope in ('user', 'project'):
    with tap.case('C8.3 folders that several agents use go with the last of them: ' + scope), Box() as box:
        some = random.Random(SEED)
        agents = [a for a in [*USER, *OURS, 'vscode'] if a != ('vscode' if scope == 'user' else 'openclaw')]
        top = box.home if scope == 'user' else box.project
        for kept in ('', '.config/mine', '.github/mine', '.agents/mine'):
            if kept:
                box.write(os.path.join(top, kept), 'mine')
            before = tree(top)
            for what in ('install', 'uninstall'):
                some.shuffle(agents)
                for agent in agents:
                    r = box.run('hooks', what, '--into', agent, '--scope', scope)
                    check(not r.status, what, agent, r)
            check(tree(top) == before, kept, SEED, differs(tree(top), before))
            noted = os.path.join(box.home, '.trotline/installed.json')
            check(not os.path.exists(noted) or kept, 'something is noted')

tap.done()
