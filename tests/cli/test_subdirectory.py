#!/usr/bin/env python3
"""A session that begins below the project's directory: context files, tools, hooks and settings of the
root count there as well (C7.1), with the root's trust (C7.4)."""

import contextlib
import json
import os
import time

from agentbox import Box, Failed, Server, Tap, call, check, say

tap = Tap()
DENY = {'hooks': {'BeforeTool': [{'matcher': 'write_file', 'hooks': [
    {'type': 'command', 'name': 'guard', 'guard': True, 'command': 'echo not here >&2; exit 2'}]}]}}


@contextlib.contextmanager
def tree(name, settings=None):
    """root/sub/deep and root/other, each with a context file that has its name in it."""
    with Box() as box:
        for path in ('', 'sub', 'sub/deep', 'other', 'other/in'):
            box.write('project/%s/GEMINI.md' % path, 'rule-of-%s' % (path or 'root').replace('/', '-'))
        box.write('project/other/in/notes.txt', 'a needle')
        os.mkdir(box.project + '/.git')
        if settings:
            box.write('project/.gemini/settings.json', json.dumps(settings))
        try:
            yield box
            tap.point(name)
        except Failed as e:
            tap.point(name, e)


def run(box, *answers, args=(), where='sub/deep'):
    """The result, and what the model was sent at the end."""
    with Server(*[lambda c, a=a: c.answer(a) for a in answers], lambda c: c.answer(say('done'))) as server:
        box.env.update(GEMINI_API_KEY='dummy', GOOGLE_GEMINI_BASE_URL=server.url)
        r = box.finish(box.start(('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '-p', 'hi', *args),
                                 before=('sh', '-c', 'cd %s && exec "$@"' % where, 'sh')), time.monotonic())
        return r, server.requests[-1].body.decode() if server.requests else ''


with tree('C7.1 context files from the root down to where the session began') as box:
    r, sent = run(box)
    for rule in ('root', 'sub', 'sub-deep'):
        check(sent.count('rule-of-%s\\n' % rule) == 1, 'the rule of %s is not there once' % rule, r)
    check('rule-of-other' not in sent, 'that of another directory is there', r)

with tree('C7.1 directories that the settings of the root name are below the root',
          {'context': {'includeDirectories': ['other']}}) as box:
    r, _ = run(box)
    check('no such directory' not in r.err, 'it is looked for below the working directory', r)

TOUCH = {'read_file': {'file_path': '../../other/in/notes.txt'},
         'read_many_files': {'include': ['ROOT/other/in/*.txt']},
         'glob': {'pattern': '**/notes.txt', 'dir_path': '../..'},
         'grep_search': {'pattern': 'needle', 'dir_path': '../..'},
         'list_directory': {'dir_path': '../../other/in'}}
for tool, args in TOUCH.items():
    with tree('C7.1 %s brings the context files of what it touches, once' % tool) as box:
        args = json.loads(json.dumps(args).replace('ROOT', os.path.realpath(box.project)))
        r, sent = run(box, call(tool, args), call(tool, args))
        for rule in ('other', 'other-in'):
            check(sent.count('rule-of-%s\\n' % rule) == 1, 'the rule of %s is not there once' % rule, r, sent[-3000:])
        check(sent.count('rule-of-sub-deep\\n') == 1, 'that of its own directory is there again', r)

for pattern in '../../other/in/notes.txt', '../../other/in', '../../other/*/n*.txt', '../../../project/other/**':
    with tree('C7.1 read_many_files finds %s, once' % pattern) as box:
        r, sent = run(box, call('read_many_files', {'include': [pattern, '../deep/GEMINI.md']}))
        check(sent.count('a needle') == 1 and sent.count('deep/GEMINI.md ---\\n\\nrule-of-sub-deep') == 1, 'they are not read once', sent[-2500:])
with tree('C7.1 what leads out of the root is not read') as box:
    box.write('outside/notes.txt', 'a needle')
    r, sent = run(box, call('read_many_files', {'include': ['../../../outside/*', '../../../outside/notes.txt']}))
    check('a needle' not in sent and 'No files matching' in sent, 'it is read', sent[-2500:])
with tree('glob says where another directory is named') as box:
    r, sent = run(box, call('glob', {'pattern': '../../other/**'}))
    check('name another one in dir_path' in sent, 'it does not', sent[-1500:])

with tree('C7.1 tools work in the whole root') as box:
    r, sent = run(box, call('write_file', {'file_path': '../../other/new', 'content': 'x'}))
    check(os.path.exists(box.project + '/other/new'), 'nothing was written', r)

with tree('C7.1 a guard of the root denies', DENY) as box:
    r, sent = run(box, call('write_file', {'file_path': 'new', 'content': 'x'}))
    check('not here' in r.err and not os.path.exists(box.project + '/sub/deep/new'), 'the denial is lost', r)

with tree('C7.4 hooks and context files of a root that is not trusted do not count', DENY) as box:
    del box.env['GEMINI_CLI_TRUST_WORKSPACE']
    r, sent = run(box)
    check(r.status == 55 and not sent, 'hooks that wait for approval let the run begin', r)
    r, sent = run(box, args=['--no-project-hooks'])
    check('rule-of' not in sent, 'context files of a folder that is not trusted', r)

with tree('C7.1 where a directory below has its own settings, a line says what does not apply', DENY) as box:
    box.write('project/sub/.gemini/settings.json', '{}')
    r, sent = run(box)
    check('the settings and hooks of %s do not apply here' % os.path.realpath(box.project) in r.err, 'not a word', r)
    r, sent = run(box, where='.')
    check('do not apply here' not in r.err, 'it is said at the root', r)
tap.done()
