#!/usr/bin/env python3
"""What is shown, and when: an answer that a hook may still refuse (C3.4), and what hooks say that are not
waited for (C2.3, C2.6)."""

import contextlib
import json
import os
import select
import threading
import time

from agentbox import RUN_S, Box, Failed, Server, Tap, call, check, say, sse

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


# ---- what hooks say that are not waited for ----

def read_until(stream, text, what):
    """All that a pipe has shown when the text is there."""
    shown = b''
    until = time.monotonic() + RUN_S
    while text.encode() not in shown:
        ready, _, _ = select.select([stream], [], [], max(0, until - time.monotonic()))
        piece = os.read(stream.fileno(), 4096) if ready else b''
        check(piece, 'no end of waiting for ' + what, shown.decode())
        shown += piece
    return shown.decode()


def message(text, before=''):
    return command("%s printf '{\"systemMessage\":\"%s\"}'" % (before, text))


LONG = say('A long answer.')
LONG['usageMetadata'] = {'promptTokenCount': 90000}
SUMMARY = {'candidates': [{'content': {'parts': [{'text': '<state_snapshot>short</state_snapshot>'}]},
                           'finishReason': 'STOP'}]}


def a_compression():
    with Box() as box, point('C2.6 what PreCompress says is shown before the summary is there'):
        box.settings(model={'compressionThreshold': 0.00001}, hooks={'PreCompress': message('it is PreCompress')})
        shown = threading.Event()

        def summary(c):
            shown.wait(RUN_S)
            c.reply(200, json.dumps(SUMMARY), 'Content-Type: application/json')

        with Server(lambda c: c.answer(LONG)) as server:
            box.finish(start(box, server, '-p', 'first'), time.monotonic())
        with Server(summary, summary, lambda c: c.answer(say('fine'))) as server:
            p = start(box, server, '--resume', 'latest', '-p', 'again')
            err = read_until(p.stderr, 'it is PreCompress', 'the message')
            shown.set()
            r = box.finish(p, time.monotonic())
        check('compress' not in err.replace('PreCompress', ''), 'the compression was over', err)
        check('compressed from' in r.err and 'it is PreCompress' not in r.err, 'the message was shown again', r)
    with Box() as box, point('C2.6 what PreCompress says is first, also where the model answers at once'):
        os.mkfifo(box.root + '/gate')
        box.settings(model={'compressionThreshold': 0.00001},
                     hooks={'PreCompress': message('it is PreCompress', 'read x <../gate; seq 200000 | sort >/dev/null;')})

        def open_gate():
            with open(box.root + '/gate', 'w', encoding='utf-8') as gate:
                gate.write('go\n')

        def summary_then_hook(c):
            c.reply(200, json.dumps(SUMMARY), 'Content-Type: application/json')
            threading.Thread(target=open_gate).start()

        with Server(lambda c: c.answer(LONG)) as server:
            box.finish(start(box, server, '-p', 'first'), time.monotonic())
        with Server(lambda c: c.reply(200, json.dumps(SUMMARY), 'Content-Type: application/json'), summary_then_hook,
                    lambda c: c.answer(say('fine'))) as server:
            r = box.finish(start(box, server, '--resume', 'latest', '-p', 'again'), time.monotonic())
        check(0 <= r.err.find('it is PreCompress') < r.err.find('compressed from'), 'the message is not first', r)
    with Box() as box, point('C2.6 at the end of the session PreCompress is treated as SessionEnd'):
        os.mkfifo(box.root + '/gate')
        box.settings(model={'compressionThreshold': 0.00001},
                     hooks={'PreCompress': message('it is late', 'read x <../gate;'), 'SessionEnd': message('the end')})
        with Server(lambda c: c.answer(LONG)) as server:
            p = start(box, server, '-p', 'first')
            box.finish(p, time.monotonic())
        with Server(*[lambda c: c.reply(200, json.dumps(SUMMARY), 'Content-Type: application/json')] * 2,
                    lambda c: c.answer(say('fine'))) as server:
            p = start(box, server, '--resume', 'latest', '-p', 'again')
            err = read_until(p.stderr, 'the end', 'what SessionEnd says')
            check('it is late' not in err, 'it was shown already', err)
            with open(box.root + '/gate', 'w', encoding='utf-8') as gate:
                gate.write('go\n')
            r = box.finish(p, time.monotonic())
        check('it is late' in r.err and 'the end' not in r.err, 'its message is lost', r)


def an_end():
    with Box() as box, point('C2.3 what a quick SessionEnd hook says is not lost next to a slow one'):
        os.mkfifo(box.root + '/gate')
        box.settings(hooks={'SessionEnd': message('slow', 'read x <../gate;') + message('quick') + message('quick, too')})
        with Server(lambda c: c.answer(say('fine'))) as server:
            p = start(box, server, '-p', 'hi')
            err = read_until(p.stderr, 'quick, too', 'the message of the quick one')
            with open(box.root + '/gate', 'w', encoding='utf-8') as gate:
                gate.write('go\n')
            r = box.finish(p, time.monotonic())
        err += r.err
        check('message: slow' in r.err, 'the slow one is not heard', r)
        check(err.count('message: quick') == 2 and err.count('message: slow') == 1, 'a message is missing or twice', err)


# ---- what is said again ----

def failures():
    """How often three failures are said; what a hook that ends with a status says may be another thing each time."""
    ways = {'says the same': (command('echo odd >&2; exit 1'), 1),
            'says another thing each time': (command('echo x >>../n; wc -l <../n >&2; exit 1'), 3),
            'is killed': (command('kill -9 $$'), 1),
            'never ends': (command('sleep 900', timeout=50), 1),
            'is not there': (command('./nowhere.sh'), 1)}
    for what, (hooks, wanted) in ways.items():
        with Box() as box, point('C7.5 a hook that %s is named once a session, and each time with -d' % what):
            box.settings(hooks={'BeforeTool': hooks})
            touch = [call('run_shell_command', {'command': 'true %d' % n}) for n in range(3)]
            args = ('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--fake-responses',
                    box.answers(*[[c] for c in touch], [say('done')]), '-p', 'hi')
            for more, times in ((), wanted), (('-d',), 3):
                r = box.run(*args, *more)
                check(r.out == 'done\n', r)
                check(r.err.count('failed for event BeforeTool') == times, 'not said %d times' % times, r)
    with Box() as box, point('C7.5 a guard that fails says with each call why it denies'):
        box.settings(hooks={'BeforeTool': command('kill -9 $$', guard=True, name='the-guard')})
        r = box.run('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--fake-responses',
                    box.answers(*[[call('run_shell_command', {'command': 'true %d' % n})] for n in range(3)], [say('done')]),
                    '-p', 'hi')
        check(r.err.count('failed for event BeforeTool') == 1 and r.err.count('the-guard') >= 4, 'a reason is missing', r)


an_answer()
a_compression()
failures()
an_end()
tap.done()
