#!/usr/bin/env python3
"""SIGINT and SIGTERM at random moments of a session, replayed and over slow HTTP.  Prints TAP.

  test_agent_signals.py [-n RUNS] [SEED]

Whatever the agent is doing, one signal ends it, whatever does not want to end, with exit status 0
(within 4 s, here of a machine that may be very busy); SessionEnd
fires once (C2.3), the transcript is of whole lines and a conversation that can be continued, no process
and no temporary file is left.  A second signal ends it at once, with 130 (143 for SIGTERM)."""

import concurrent.futures
import fcntl
import json
import os
import pty
import random
import select
import signal
import subprocess
import sys
import termios
import threading
import time

import agentbox
from agentbox import (PATIENCE, Failed, Server, Tap, call, check, chunk, say, sse, wait_until)

JOBS = 4  # they mostly wait
RUNS = 100
SEED = 20250701
END_S = 4.0 * PATIENCE  # what the tests wait for goes on for ever
GRACE_S = 2.0  # then the first signal alone has ended what ignores it
EVENTS = ('SessionStart', 'BeforeAgent', 'BeforeModel', 'BeforeToolSelection', 'AfterModel',
          'BeforeTool', 'AfterTool', 'AfterAgent', 'SessionEnd')
# When to strike: the n-th line of that name is in the log, or the program has just been started.
MOMENTS = [('start', 1), ('SessionStart', 1), ('BeforeAgent', 1), ('BeforeModel', 1),
           ('BeforeToolSelection', 1), ('AfterModel', 1), ('AfterModel', 3), ('BeforeTool', 1),
           ('BeforeTool', 2), ('tool', 1), ('tool', 1), ('AfterTool', 1), ('AfterTool', 2),
           ('BeforeModel', 2), ('AfterModel', 6), ('AfterAgent', 1), ('SessionEnd', 1)]
ONCE = ('SessionStart', 'BeforeAgent', 'AfterAgent', 'SessionEnd')
SIGNALS = (signal.SIGINT, signal.SIGTERM)
MODEL = ['-m', 'gemini-2.5-flash', '--yolo']

# What the model says: text in pieces and two calls of which the second takes its time, then a text.
FIRST = [chunk({'text': 'I '}), chunk({'text': 'look '}), chunk({'text': 'around.\n'}),
         chunk({'functionCall': {'name': 'write_file', 'args': {'file_path': 'made',
                                                                'content': 'x' * 5000}}},
               {'functionCall': {'name': 'run_shell_command', 'args': {
                   'command': 'sleep 60 & echo tool >> "$LOG"; sleep 0.15'}}}, finish='STOP')]
SECOND = [chunk({'text': 'That '}), chunk({'text': 'was '}), say('all.')]


class Box(agentbox.Box):
    """Where the session's end waits for its hooks as long as people know it."""

    def __init__(self):
        super().__init__()
        del self.env['TROTLINE_END_WAIT_MS']


def hook(event, seconds=0.02):
    return 'echo %s >> "$LOG"; sleep %g' % (event, seconds)


def slowly(chunks):
    """A reply of the server, piece by piece, cut where no event ends."""
    def reply(c):
        data = sse(*chunks)
        c.stream()
        for i in range(0, len(data), 97):
            c.more(data[i:i + 97])
            c.server.pace.wait(0.004)
        c.end()
    return reply


def pause(seconds):
    """The random part of a moment."""
    threading.Event().wait(seconds)


def start(box, server):
    args = MODEL + ['-p', 'hi']
    if server:
        server.pace = threading.Event()
        box.env.update(GOOGLE_GEMINI_BASE_URL=server.url, GEMINI_API_KEY='k')
    else:
        args += ['--fake-responses', box.answers(FIRST, SECOND)]
        box.env['GEMINI_API_KEY'] = 'k'
    return box.start(args)


def wait_for_moment(box, p, name, n):
    if name != 'start':
        wait_until(lambda: p.poll() is not None or box.events().count(name) >= n, 10,
                   '%s number %d' % (name, n))


def end_after_signal(box, p, sig, wanted=(0,)):
    since = time.monotonic()
    p.send_signal(sig)
    result = box.finish(p, since, END_S)
    check(result.status in wanted, 'wanted exit %s' % (wanted,), result)
    return result


def check_counts(box, result):
    events = box.events()
    for name in ONCE:
        check(events.count(name) <= 1, '%s fired %d times' % (name, events.count(name)), events)
    if events or box.transcripts():
        box.check_end()
    else:
        box.check_nobody_left()  # the signal came before there was a session
    check('anitizer' not in result.err, 'a sanitizer complains', result)


def contents_of_resumed(box):
    """What goes to the model when the session is continued."""
    box.settings()
    box.env.pop('GOOGLE_GEMINI_BASE_URL', None)
    result = box.run(*MODEL, '-p', 'again', '--resume', 'latest', '--fake-responses', box.answers())
    check(result.status == 1, 'resuming failed', result)
    _, _, text = result.err.partition('got request:\n')
    check(text, 'resuming failed', result)
    return json.JSONDecoder().raw_decode(text)[0]['contents']


def count(content, kind):
    return sum(kind in part for part in content['parts'])


def check_conversation(contents):
    """What the API accepts: roles in turns, each call with its response right behind it."""
    for i, c in enumerate(contents):
        check(c['role'] == ('user', 'model')[i % 2], 'roles do not take turns', json.dumps(contents))
        check(c['parts'], 'a content is empty', json.dumps(contents))
        calls = count(c, 'functionCall')
        after = contents[i + 1] if i + 1 < len(contents) else {'parts': []}
        check(calls == count(after, 'functionResponse') or not calls,
              'a call without its response', json.dumps(contents))
    check(contents[-1]['role'] == 'user', 'the prompt is not last', json.dumps(contents))


def strike(seed, number):
    """One signal at one random moment."""
    rng = random.Random('%s-%s' % (seed, number))
    name, n = MOMENTS[number % len(MOMENTS)]
    delay = rng.uniform(0, 0.03)
    strike_at(name, n, delay, rng.choice(SIGNALS), rng.random() < 0.5)


def strike_start():
    """Between the first handler and the first hook, here longer by a large file of settings."""
    for i in range(60):
        strike_at('start', 1, i * 0.001, SIGNALS[i % 2], False, notes=['read, and of no use'] * 50000)


def strike_at(name, n, delay, sig, http, **settings):
    title = '%s after %s %d, %s, +%.1f ms' % (sig.name, name, n, 'HTTP' if http else 'replayed',
                                              delay * 1000)
    with Box() as box, Server(slowly(FIRST), slowly(SECOND)) as server:
        box.hooks({event: hook(event) for event in EVENTS}, **settings)
        p = start(box, server if http else None)
        try:
            wait_for_moment(box, p, name, n)
            pause(delay)
            # Before the handlers stand there is nothing to clean up, and the signal does what it does.
            early = (-sig,) if name == 'start' else ()
            result = end_after_signal(box, p, sig, (0, *early))
            check_counts(box, result)
            check(result.status == 0 or not box.events(), 'a session died of the signal', result)
            if box.transcripts():
                check_conversation(contents_of_resumed(box))
        except Failed as e:
            raise Failed('%s\nlog: %s\n%s' % (title, box.events(), e)) from None
        finally:
            if p.poll() is None:
                p.kill()


# ---- what does not want to end ----

STUBBORN = "trap '' TERM INT; echo %s >> \"$LOG\"; while :; do sleep 1; done"


def check_guarded(box, where, result):
    """Hooks that were cancelled let nothing through: not the answer, not the call, not its result."""
    kept = ''.join(open(path, encoding='utf-8').read() for path in box.transcripts())
    if where in ('SessionStart', 'BeforeModel', 'AfterModel'):
        check('GUARDED' not in result.out + kept, 'the answer went through', result, kept)
    if where in ('SessionStart', 'BeforeModel', 'AfterModel', 'BeforeTool'):
        check('ran' not in box.events(), 'the call went through', result)
    check('Output: SECRET' not in kept, 'the result went through', kept)


def stubborn(where, sig, twice):
    """A tool or a hook that ignores signals; a second one ends the wait."""
    for _ in range(20):
        if strike_stubborn(where, sig, twice):
            return
    raise Failed('the second signal was twenty times too late')


def strike_stubborn(where, sig, twice):
    """False when it was over before the second signal came."""
    with Box() as box:
        hooks = {event: hook(event, 0) for event in EVENTS}
        command = 'echo ran >> "$LOG"; echo SECRET'
        if where == 'tool':
            command = STUBBORN % 'stubborn'
        else:
            hooks[where] = STUBBORN % 'stubborn'
        box.hooks(hooks)
        box.env['GEMINI_API_KEY'] = 'k'
        p = box.start([*MODEL, '-p', 'hi', '--fake-responses', box.answers(
            [chunk({'text': 'GUARDED'}), call('run_shell_command', {'command': command})],
            [say('never')])])
        try:
            wait_until(lambda: 'stubborn' in box.events(), 10, 'the stubborn one')
            if twice:
                # The first has arrived when it was taken: a signal that waits is not doubled.
                since = time.monotonic()
                p.send_signal(sig)
                wait_until(lambda: not pending(p.pid), 5, 'the first signal')
                p.send_signal(sig)
                late = time.monotonic() - since > GRACE_S / 2
                result = box.finish(p, since, END_S)
                if late and result.status == 0:
                    return False
                check(result.status == 128 + sig, 'wanted exit %d' % (128 + sig), result)
                check(box.events().count('SessionEnd') <= 1, 'SessionEnd fired twice')
                box.check_nobody_left()
                box.check_transcripts()
            else:
                result = end_after_signal(box, p, sig)
                check('never' not in result.out, 'it went on', result)
                check_counts(box, result)
            box.check_temp()
            check_guarded(box, where, result)
            return True
        finally:
            if p.poll() is None:
                p.kill()


def pending(pid):
    """Signals that the process has not taken yet."""
    with open('/proc/%d/status' % pid, encoding='utf-8') as f:
        fields = dict(line.split(':', 1) for line in f)
    return int(fields['ShdPnd'], 16) or int(fields['SigPnd'], 16)


def terminal_group():
    """Ctrl+C of a terminal goes to the whole group: the agent alone decides about its children."""
    with Box() as box:
        box.hooks({event: hook(event) for event in EVENTS})
        box.env['GEMINI_API_KEY'] = 'k'
        since = time.monotonic()
        p = box.start([*MODEL, '-p', 'hi', '--fake-responses', box.answers(FIRST, SECOND)],
                      start_new_session=True)
        wait_for_moment(box, p, 'tool', 1)
        os.killpg(p.pid, signal.SIGINT)
        result = box.finish(p, since)
        check(result.status == 0 and 'Operation cancelled.' in result.err, 'no clean end', result)
        check_counts(box, result)


# ---- a terminal that closes ----

def closed_terminal(at, *more):
    """A real one, which says so with SIGHUP; then whoever ends the session says it again."""
    slow = "trap '' HUP TERM; echo begun >> \"$LOG\"; sleep 0.3; echo SessionEnd >> \"$LOG\""
    with Box() as box:
        box.hooks({'SessionStart': hook('SessionStart', 0), 'BeforeAgent': hook('BeforeAgent', 0),
                   'BeforeModel': hook('BeforeModel', 60 if at == 'BeforeModel' else 0),
                   'SessionEnd': slow})
        box.env.update(GEMINI_API_KEY='k', TERM='xterm')
        args = [*MODEL, '--fake-responses', box.answers([say('done')])]
        terminal, side = pty.openpty()
        p = subprocess.Popen([agentbox.TROTLINE, *args, *(['-i', 'hi'] if at == 'BeforeModel' else [])],
                             cwd=box.project, env=box.env, stdin=side, stdout=side, stderr=side,
                             start_new_session=True,
                             preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0))
        os.close(side)
        reader = threading.Thread(target=read_until, args=(terminal, box, at))
        reader.start()
        try:
            reader.join(30 * PATIENCE)
            os.close(terminal)
            for sig in more:
                wait_until(lambda: p.poll() is not None or not pending(p.pid), 5, 'the signal before')
                if p.poll() is None:
                    p.send_signal(sig)
            p.wait(30 * PATIENCE)
            wait_until(lambda: 'SessionEnd' in box.events(), 10, 'SessionEnd')
            check(box.events().count('begun') == 1, 'SessionEnd twice', box.events())
            wait_until(lambda: '"SessionEnd"' in records(box), 10, 'the record of SessionEnd')
            wait_until(lambda: not box.left(), 10, 'the end of all')
        finally:
            if p.poll() is None:
                p.kill()


def records(box):
    try:
        with open(os.path.join(box.home, '.trotline', 'records.jsonl'), encoding='utf-8') as f:
            return f.read()
    except FileNotFoundError:
        return ''


def read_until(terminal, box, event):
    """Takes what is shown until the hook of that event has run."""
    end = time.monotonic() + 20 * PATIENCE
    while event not in box.events() and time.monotonic() < end:
        if select.select([terminal], [], [], 0.02)[0]:
            os.read(terminal, 65536)


def without_signal():
    """The session that all of this interrupts."""
    with Box() as box, Server(slowly(FIRST), slowly(SECOND)) as server:
        box.hooks({event: hook(event) for event in EVENTS})
        p = start(box, server)
        result = box.finish(p, time.monotonic())
        check(result.status == 0 and result.out == 'I look around.\nThat was all.\n', 'no answer', result)
        events = box.events()
        wanted = {'SessionStart': 1, 'BeforeAgent': 1, 'BeforeModel': 2, 'AfterModel': 7,
                  'BeforeTool': 2, 'AfterTool': 2, 'AfterAgent': 1, 'SessionEnd': 1, 'tool': 1}
        check(all(events.count(k) == v for k, v in wanted.items()), 'other events', events)
        box.check_end()
        check_conversation(contents_of_resumed(box))


def attempt(work, *args):
    """None, or why it failed."""
    try:
        work(*args)
    except Failed as e:
        return e
    except Exception as e:  # the others run all the same
        return repr(e)
    return None


def main():
    args = sys.argv[1:]
    runs = int(args.pop(args.index('-n') + 1)) if '-n' in args else RUNS
    seeds = [a for a in args if a != '-n']
    seed = int(seeds[0]) if seeds else SEED
    tap = Tap()
    tap.point('a session without a signal', attempt(without_signal))
    special = [('Ctrl+C of a terminal, in a tool', terminal_group),
               ('C2.3: a signal at any moment of the start', strike_start)]
    for at in ('SessionStart', 'BeforeModel'):
        for more in ((), (signal.SIGHUP,), (signal.SIGTERM,), (signal.SIGHUP, signal.SIGTERM)):
            special.append(('C2.3: the terminal closes after %s%s' % (
                at, ''.join(', ' + sig.name for sig in more)), closed_terminal, at, *more))
    for where in ('tool', 'SessionStart', 'BeforeModel', 'AfterModel', 'BeforeTool', 'AfterTool'):
        for sig in SIGNALS:
            special.append(('%s, ignored in %s' % (sig.name, where),
                            stubborn, where, sig, False))
            special.append(('%s twice, ignored in %s' % (sig.name, where),
                            stubborn, where, sig, True))
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        found = [(s[0], pool.submit(attempt, *s[1:])) for s in special]
        struck = [pool.submit(attempt, strike, seed, i) for i in range(runs)]
        for name, future in found:
            tap.point(name, future.result())
        bad = [(i, f.result()) for i, f in enumerate(struck) if f.result() is not None]
        tap.point('C2.3: one signal at %d random moments (seed %d)' % (runs, seed),
                  '\n'.join('moment %d: %s' % b for b in bad) if bad else None)
    tap.done()


main()
