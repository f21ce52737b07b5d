#!/usr/bin/env python3
"""What is shown, and when: an answer that a hook may still refuse (C3.4)."""

import contextlib
import os
import select
import threading
import time

from agentbox import RUN_S, Box, Failed, Server, Tap, check, say, sse

tap = Tap()


@contextlib.contextmanager
def point(name):
    try:
        yield
        tap.point(name)
    except Failed as e:
        tap.point(name, e)


def command(text, **more):
    return [{'hooks': [dict({'type': 'command', 'command': text}, **more)]}]


def start(box, server, *args, **popen):
    box.env.update(GEMINI_API_KEY='dummy', GOOGLE_GEMINI_BASE_URL=server.url)
    return box.start(('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo') + args, **popen)


def in_halves(shown, connection):
    """The model says the other half of its answer when the first one was shown."""
    connection.stream(sse(say('first ', finish=None)))
    shown.wait(RUN_S)
    connection.more(sse(say('second')))
    connection.end()


def an_answer():
    streams = {
        'without hooks': {},
        'with hooks of other events': {'BeforeAgent': command('true'), 'AfterModel': command('cat >/dev/null')},
        'with a hook of AfterAgent that is switched off': {'AfterAgent': command('exit 2', name='off')},
    }
    for what, hooks in streams.items():
        with Box() as box, point('C3.4 an answer streams ' + what):
            box.settings(hooks=hooks, hooksConfig={'disabled': ['off']})
            shown = threading.Event()
            with Server(lambda c, shown=shown: in_halves(shown, c)) as server:
                p = start(box, server, '-p', 'hi')
                ready, _, _ = select.select([p.stdout], [], [], RUN_S)
                said = os.read(p.stdout.fileno(), 100) if ready else 'nothing'
                shown.set()
                r = box.finish(p, time.monotonic())
            check(said == b'first ', 'the first half is not shown before the other:', said, r)
            check(r.out == 'second\n', 'not the other half', r)
    for event, more in {'AfterAgent': {}, 'Stop': {'dialect': 'claude'}}.items():
        with Box() as box, point('C3.4 an answer waits for %s' % event):
            # The hook sees what is on stdout while it runs.
            box.settings(hooks={event: command('stat -c %%s %s/out >>"$LOG"' % box.root, **more)})
            with Server(lambda c: c.answer(say('first ', finish=None), say('second'))) as server:
                r = box.finish(start(box, server, '-p', 'hi', before=('sh', '-c', 'exec "$@" >../out', 'sh')),
                               time.monotonic())
            check(r.status == 0, r)
            check(box.events() == ['0'], 'something was there when the hook ran', box.events())
            with open(box.root + '/out', encoding='utf-8') as f:
                check(f.read() == 'first second\n', 'the answer is not there')


an_answer()
tap.done()
