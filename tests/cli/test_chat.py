#!/usr/bin/env python3
"""The interactive session on a terminal of its own.  Prints TAP.

  test_chat.py [NAME...]      only these"""

import json
import os
import random
import re
import signal
import sys
import time

import pexpect

from agentbox import PATIENCE, Box, Failed, Tap, TROTLINE, call, check, chunk, say, wait_until

ANSI = re.compile(r'\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(\x07|\x1b\\)|[()][A-Z0-9]|[=>78cM])')
CUT = re.compile(r'\x1b(\[[0-?]*[ -/]*|\][^\x07\x1b]*\x1b?|[()])?$')  # its end is still to be read
SECONDS = 8
# What a line that is typed too early is answered, and as long, but in words that no test looks for.
AHEAD, AHEAD_SEEN = '(when the agent is done)', '(when the agent is idle)'
# One write a line: hooks of two events may run at the same time.
LOG = '{ printf "%s " EVENT; cat; } >"$LOG.$$"; cat "$LOG.$$" >>"$LOG"; rm "$LOG.$$"'


def plain(text):
    return CUT.sub('', ANSI.sub('', text)).replace('\r', '').replace(AHEAD, AHEAD_SEEN)


def ended(child):
    """Its terminal is closed before it is gone, and close() would kill what is not."""
    wait_until(lambda: not child.isalive(), SECONDS, 'the end of the program')
    child.close()


class Chat(Box):
    """A box with a session on a pseudo-terminal in it."""

    term = 'xterm-256color'

    def open(self, *args, answers=(), mode='default', rows=24, columns=80):
        return self.dial('-m', 'gemini-2.5-flash', '--approval-mode', mode, '--fake-responses',
                         self.answers(*answers), *args, rows=rows, columns=columns)

    def dial(self, *args, rows=24, columns=80):
        """With the model that the environment names."""
        self.env['TERM'] = self.term
        self.child = pexpect.spawn(
            TROTLINE, list(args), cwd=self.project, env=self.env, encoding='utf-8',
            codec_errors='replace', dimensions=(rows, columns), timeout=SECONDS * PATIENCE)
        self.seen = ''
        return self

    def read(self):
        try:
            while not self.child.closed:
                self.seen += self.child.read_nonblocking(65536, 0)
        except (pexpect.TIMEOUT, pexpect.EOF):
            pass
        return plain(self.seen)

    def wait(self, text, since=0, *others):
        """Until the text, or one of the others, is on the screen; how much was shown by then."""
        end, over = time.monotonic() + SECONDS * PATIENCE, False
        while True:
            late = over or time.monotonic() > end  # what there is now is still looked at
            shown = self.read()
            found = [shown.find(t, since) + len(t) for t in (text, *others) if t in shown[since:]]
            if found:
                return min(found)
            if late:
                raise Failed('"%s" was never shown after:\n%s' % (text, shown[since:][-3000:]))
            try:
                self.seen += self.child.read_nonblocking(65536, 0.05)
            except pexpect.TIMEOUT:
                pass
            except pexpect.EOF:
                over = True

    def ready(self):
        return self.wait('Type your message')

    def running(self, command):
        wait_until(lambda: self.runs(command), SECONDS, command)

    def type(self, text):
        self.child.send(text)

    def end(self, status=0):
        while True:
            try:
                self.seen += self.child.read_nonblocking(65536, SECONDS * PATIENCE)
            except pexpect.EOF:
                break
        ended(self.child)
        check(self.child.exitstatus == status, 'exit %s' % status, self.child.exitstatus,
              self.child.signalstatus, plain(self.seen)[-2000:])
        self.check_nobody_left()  # hooks of the end may outlive it

    def quit(self):
        self.type('/quit\r')
        self.wait('Agent powering down. Goodbye!')
        self.end()

    def payloads(self, event):
        """What the hooks of the event got, from the log."""
        if not os.path.exists(self.log):
            return []
        with open(self.log, encoding='utf-8') as f:
            return [json.loads(line.split(' ', 1)[1]) for line in f
                    if line.startswith(event + ' ') and line.endswith('\n')]

    def sent(self):
        """What each prompt sends: what was typed, and the texts that go with it (C2.8)."""
        return ['\n'.join([p['prompt']] + [part['text'] for part in p['prompt_parts']])
                for p in self.payloads('BeforeAgent')]

    def listen(self, *events, **members):
        self.hooks({e: LOG.replace('EVENT', e) for e in events}, **members)


def shell(command):
    return [call('run_shell_command', {'command': command})]


def test_a_prompt_and_its_answer(c):
    c.listen('SessionStart', 'BeforeAgent', 'SessionEnd')
    c.open(answers=[[say('Hello **world**.')]])
    c.ready()
    c.type('hi there\r')
    c.wait('Hello world.')
    c.quit()
    check([p['source'] for p in c.payloads('SessionStart')] == ['startup'], 'one SessionStart')
    check([p['prompt'] for p in c.payloads('BeforeAgent')] == ['hi there'], 'the prompt')
    check([p['reason'] for p in c.payloads('SessionEnd')] == ['exit'], 'SessionEnd(exit), once')


def press_twice(c, key, asked):
    """The second within 2 s ends the session; one that is later than that is a first one again."""
    pressed, at = time.monotonic(), len(c.read())
    c.type(key)
    at = c.wait(asked, at)
    for _ in range(20):
        before, pressed = pressed, time.monotonic()
        c.type(key)
        at = c.wait('Agent powering down. Goodbye!', at, asked)
        if not c.read()[:at].endswith(asked):
            return
        check(time.monotonic() - before >= 2, 'asked again, although it was at once')
    raise Failed('twenty times too late')


def test_ctrl_c_twice(c):
    c.listen('SessionEnd')
    c.open()
    c.ready()
    press_twice(c, '\x03', 'Press Ctrl+C again to exit')
    c.end()
    check([p['reason'] for p in c.payloads('SessionEnd')] == ['prompt_input_exit'], 'its reason')


def test_ctrl_d_twice(c):
    c.listen('SessionEnd')
    c.open()
    c.ready()
    press_twice(c, '\x04', 'Press Ctrl+D again to exit')
    c.end()
    check([p['reason'] for p in c.payloads('SessionEnd')] == ['prompt_input_exit'], 'its reason')


def test_typing_ahead(c):
    c.open(answers=[shell('until [ -e go ]; do sleep 0.05; done'), [say('first done')],
                    [say('second done')]], mode='yolo')
    c.ready()
    c.type('one\r')
    at = c.wait('until [ -e go ]')
    c.type('two\r')
    at = c.wait(AHEAD_SEEN, at)
    c.write('project/go', '')
    c.wait('second done', c.wait('first done', at))
    c.quit()


def test_an_answer_that_breaks_off(c):
    """It is not glued to the one that follows"""
    c.open(answers=[[chunk({'text': 'Half an '})], [say('Half an answer.')]])
    c.ready()
    c.type('go\r')
    at = c.wait('This answer broke off and is asked for again.', c.wait('Half an'))
    c.wait('Half an answer.', at)
    c.quit()


def test_escape_cancels(c):
    c.open(answers=[shell('sleep 60')], mode='yolo')
    c.ready()
    c.type('go\r')
    c.wait('esc to cancel')
    c.running('sleep 60')
    c.type('\x1b')
    c.wait('Request cancelled.')
    c.quit()


def test_escape_gives_back_what_was_typed_ahead(c):
    c.listen('BeforeAgent')
    c.open(answers=[shell('sleep 60'), [say('answered: other')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.running('sleep 60')
    at = len(c.read())
    c.type('next\r')
    c.wait(AHEAD_SEEN, at)
    c.type('\x1b')
    c.wait('Request cancelled.')
    c.type(' please\r')
    c.wait('answered: other')
    check(c.payloads('BeforeAgent')[-1]['prompt'].strip() == 'next please', 'what was sent')
    c.quit()


def test_a_no_gives_back_what_was_typed_ahead(c):
    """Esc in a dialog, and an option that says the same, as Esc elsewhere."""
    hold = 'until [ -e go ]; do sleep 0.05; done'
    asks = [call('ask_user', {'questions': [{'question': 'Which?', 'header': 'H', 'type': 'text'}]})], [say('no answer')]
    for key, question, answers in (('\x1b', 'Allow execution of [touch]?', [shell('touch ran')]),
                                   ('4', 'Allow execution of [touch]?', [shell('touch ran')]),
                                   ('\x1b', 'Which?', asks)):
        c.hooks({'BeforeAgent': LOG.replace('EVENT', 'BeforeAgent'), 'BeforeModel': hold})
        c.open(answers=[*answers, [say('answered: other')]])
        c.ready()
        c.type('go\r')
        c.type('next\r')
        at = c.wait(AHEAD_SEEN)
        c.write('project/go', '')
        c.wait(question, at)
        c.type(key)
        c.wait('Request cancelled.' if answers is not asks else 'no answer', at)
        c.type(' please\r')
        c.wait('answered: other', at)
        check(c.payloads('BeforeAgent')[-1]['prompt'].strip() == 'next please', key, question, c.payloads('BeforeAgent')[-1])
        c.quit()
        os.unlink(os.path.join(c.project, 'go'))


def test_ctrl_c_cancels(c):
    c.open(answers=[shell('sleep 60'), [say('next')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.running('sleep 60')
    c.type('\x03')
    c.wait('Request cancelled.')
    c.type('again\r')
    c.wait('next')
    c.quit()


def test_hooks_are_cancelled(c):
    """Whichever event's: the prompt ends, and the session goes on."""
    for event in 'BeforeAgent', 'BeforeModel', 'BeforeToolSelection', 'AfterModel', 'BeforeTool', 'AfterTool', 'AfterAgent':
        c.hooks({event: 'sleep 60'})
        c.open(answers=[shell('true') if event.endswith('Tool') else [say('done')], [say('done')]], mode='yolo')
        c.ready()
        c.type('go\r')
        c.running('sleep 60')
        c.type('\x1b')
        c.wait('Request cancelled.')
        c.quit()


def test_exec_dialog_once(c):
    c.listen('Notification')
    c.open(answers=[shell('touch ran'), shell('touch ran2'), [say('done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('Allow execution of [touch]?')
    c.wait('4. No, suggest changes (esc)', at)
    c.type('1')
    at = c.wait('Allow execution of [touch]?', at)
    check(os.path.exists(os.path.join(c.project, 'ran')), 'it ran')
    c.type('\r')
    c.wait('done', at)
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'ran2')), 'Enter is the first option')
    p = c.payloads('Notification')[0]
    check(p['notification_type'] == 'ToolPermission' and p['details']['type'] == 'exec' and
          p['details']['command'] == 'touch ran' and
          p['details']['title'] == 'Confirm Shell Command', 'the notification', p)


def test_exec_dialog_for_the_session(c):
    c.open(answers=[shell('touch ran'), shell('touch ran2'), [say('done')]])
    c.ready()
    c.type('go\r')
    c.wait('Allow execution of [touch]?')
    c.type('\x1b[B')
    c.type('\r')
    c.wait('done')
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'ran2')), 'the second did not ask')


def test_dialog_no(c):
    c.open(answers=[shell('touch ran'), [say('never')]])
    c.ready()
    c.type('go\r')
    c.wait('Allow execution of [touch]?')
    c.type('\x1b')
    c.wait('Request cancelled.')
    c.quit()
    check(not os.path.exists(os.path.join(c.project, 'ran')), 'it did not run')
    check('never' not in c.read(), 'the model is not asked again')


def test_hook_asks_in_yolo(c):
    c.hooks({'BeforeTool': 'echo \'{"decision":"ask","systemMessage":"Are you sure about that?"}\''})
    c.open(answers=[[call('write_file', {'file_path': 'a.txt', 'content': 'A\n'})], [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('Are you sure about that?')
    c.wait('Allow once', at)
    c.type('y\r')
    c.wait('done', at)
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'a.txt')), 'written')


def test_hook_asks_and_is_refused(c):
    c.hooks({'BeforeTool': 'echo \'{"decision":"ask","systemMessage":"Are you sure about that?"}\''})
    c.open(answers=[[call('write_file', {'file_path': 'a.txt', 'content': 'A\n'})], [say('never')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.wait('Are you sure about that?')
    c.type('4\r')
    c.wait('cancelled')
    c.quit()
    check(not os.path.exists(os.path.join(c.project, 'a.txt')), 'not written')


def test_dialog_shows_all_of_a_command(c):
    c.open(answers=[shell('echo ' + 'a' * 150 + ' ' * 200 + '; touch FAR # \x1b[8mDIM\u202eODD\u200bEND'),
                    [say('never')]], rows=40)
    c.ready()
    c.type('go\r')
    at = c.wait('Allow execution of')
    c.wait('No, suggest changes', at)
    shown = c.read()
    for part in ('; touch FAR', '\\x1b[8mDIM', '\\u{202e}ODD', '\\u{200b}END', 'a' * 70):
        check(part in shown.replace('\n', '') or part in shown, 'not shown: ' + part, shown[-2000:])
    c.type('\x1b')
    c.wait('cancelled')
    c.quit()


def test_dialog_opens_a_pager(c):
    c.write('project/pager.sh', 'cp "$1" paged')
    c.env['PAGER'] = 'sh pager.sh'
    c.open(answers=[shell('\n'.join('echo %d' % i for i in range(300))), [say('never')]])
    c.ready()
    c.type('go\r')
    c.wait('lines hidden: d prints all of it above, v opens it in a pager')
    c.type('v')
    paged = os.path.join(c.project, 'paged')
    wait_until(lambda: os.path.exists(paged) and 'echo 299' in open(paged).read(), SECONDS, 'the pager')
    check('echo 150' in open(paged).read(), 'all of it')
    at = len(c.read())
    c.type('\x1b')
    c.wait('cancelled', at)
    c.quit()


def early(c, what):
    """A dialog that comes while `what` is being typed; how much was shown by then."""
    c.hooks({'BeforeTool': 'touch asked; until [ -e go ]; do sleep 0.01; done'})
    c.open(answers=[shell('touch ran'), [say('never')]])
    c.ready()
    c.type('go\r')
    wait_until(lambda: os.path.exists(os.path.join(c.project, 'asked')), SECONDS, 'the hook')
    what()
    at = c.wait('Allow execution of [touch]?')
    c.wait('No, suggest changes', at)
    return at


def refuse(c):
    c.type('\x1b')
    c.wait('cancelled')
    check(not os.path.exists(os.path.join(c.project, 'ran')), 'it ran')


def test_keys_before_the_dialog_do_not_answer_it(c):
    def type_ahead():
        c.type('1\r1\r1')
        c.write('project/go', '')
    early(c, type_ahead)
    refuse(c)


def hold(c, key, times, seconds, at_20=lambda: None):
    """The key, held down; the longest gap, by which a busy machine has pressed it again and again."""
    gaps, last = [], time.monotonic()
    c.child.delaybeforesend = None
    for i in range(times):
        c.type(key)
        gaps.append(time.monotonic() - last)
        last += gaps[-1]
        if i == 20:
            at_20()
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            try:
                c.seen += c.child.read_nonblocking(65536, 0.005)
            except pexpect.TIMEOUT:
                pass
    return max(gaps)


def test_enter_held_down_does_not_answer(c):
    gaps = []
    early(c, lambda: gaps.append(hold(c, '\r', 100, 0.02, lambda: c.write('project/go', ''))))
    if gaps[0] < 0.1:
        refuse(c)


def test_a_key_held_down_answers_one_dialog(c):
    c.open(answers=[shell('touch ran%d' % i) for i in range(4)] + [[say('never')]])
    c.ready()
    c.type('go\r')
    c.wait('No, suggest changes')
    gap = hold(c, '1', 100, 0.01)
    at = c.wait('Allow execution of [touch]?', c.wait('✓ Shell'))
    c.type('\x1b')
    if gap < 0.03:
        c.wait('cancelled', at)
        check(not os.path.exists(os.path.join(c.project, 'ran1')), 'one answer, two calls')


def test_a_paste_does_not_answer(c):
    early(c, lambda: c.write('project/go', ''))
    c.type('\x1b[200~1\r\n1\r\n\x1b[201~')
    c.type('k')  # was read behind it
    c.wait('> 4. No')
    check(not os.path.exists(os.path.join(c.project, 'ran')), 'it ran')
    c.type('\x1b')
    c.wait('cancelled')


def test_mcp_dialog(c):
    source = os.environ.get('TEST_SOURCE_ROOT', os.getcwd())
    c.settings(mcpServers={'toys': {'command': 'python3', 'args': [source + '/tests/mcp/server.py']}})
    c.open(answers=[[call('mcp__toys__echo', {'text': 'PLUM'})], [say('done')]])
    c.ready()
    at = c.wait('MCP server toys [ready]')  # the prompt does not wait for it
    c.type('/mcp\r')
    c.wait('toys [ready]', at)
    c.type('go\r')
    at = c.wait('Allow execution of MCP tool "echo" from server "toys"?')
    c.type('1')
    c.wait('PLUM', at)
    c.wait('done', at)
    c.quit()


def test_edit_dialog_shows_the_diff(c):
    c.write('project/a.txt', 'one\ntwo\nthree\n')
    c.open(answers=[[call('replace', {'file_path': 'a.txt', 'instruction': 'x', 'old_string': 'two',
                                       'new_string': 'zwei'})], [say('done')]])
    c.ready()
    c.type('go\r')
    c.wait('Apply this change?')
    check('two' in c.read() and 'zwei' in c.read(), 'the diff')
    c.type('1')
    c.wait('done')
    c.quit()
    with open(os.path.join(c.project, 'a.txt'), encoding='utf-8') as f:
        check(f.read() == 'one\nzwei\nthree\n', 'changed')


def test_a_long_diff_can_be_seen(c):
    content = ''.join('line %d\n' % i for i in range(200))
    c.open(answers=[[call('write_file', {'file_path': 'a.txt', 'content': content})], [say('done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('d prints the whole change above')
    c.type('d')
    for i in range(200):
        at = c.wait('line %d' % i, at)
    c.type('1')
    c.wait('done')
    c.quit()


def test_modify_with_an_editor(c):
    c.listen('BeforeTool')
    c.write('editor.sh', 'printf "mine\\n" > "$1"\n')
    c.env['EDITOR'] = 'sh %s/editor.sh' % c.root
    c.open(answers=[[call('write_file', {'file_path': 'a.txt', 'content': 'theirs\n'})], [say('done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('Apply this change?')
    c.type('3')
    at = c.wait('Apply this change?', at)
    c.type('1')
    c.wait('done', at)
    c.quit()
    with open(os.path.join(c.project, 'a.txt'), encoding='utf-8') as f:
        check(f.read() == 'mine\n', 'the user\'s text')
    check([p['tool_input']['content'] for p in c.payloads('BeforeTool')] == ['theirs\n', 'mine\n'],
          'what the user edits is judged, too')


def test_notification_is_heard_over_the_dialog(c):
    """C2.6"""
    c.settings(hooks={'Notification': [{'hooks': [
        {'type': 'command', 'name': 'bell', 'command': 'echo \'{"systemMessage": "the bell rang"}\''}]}]})
    c.open(answers=[[call('run_shell_command', {'command': 'touch ran'})], [say('done')]])
    c.ready()
    c.type('go\r')
    c.wait('4. No, suggest changes (esc)', c.wait('Allow execution of [touch]?'))
    c.wait('the bell rang')
    check(not os.path.exists(c.project + '/ran'), 'the dialog was answered')
    c.type('1')
    c.wait('done')
    c.quit()
    check(c.read().count('the bell rang') == 1, 'shown twice', c.read())


def test_notification_is_heard_in_an_idle_session(c):
    """C2.6"""
    os.mkfifo(c.root + '/gate')
    c.settings(hooks={'Notification': [{'hooks': [
        {'type': 'command', 'command': 'read x <../gate; echo \'{"systemMessage": "the bell rang"}\''}]}]})
    c.open(answers=[[call('run_shell_command', {'command': 'touch ran'})], [say('all is done')]])
    c.ready()
    c.type('go\r')
    c.wait('4. No, suggest changes (esc)', c.wait('Allow execution of [touch]?'))
    c.type('1')
    c.wait('all is done')
    c.ready()
    check('the bell rang' not in c.read(), 'too early')
    with open(c.root + '/gate', 'w', encoding='utf-8') as gate:
        gate.write('go\n')
    c.wait('the bell rang')
    c.quit()


def test_clear(c):
    c.listen('SessionStart', 'SessionEnd')
    c.open(answers=[[say('one')]])
    c.ready()
    c.type('hi\r')
    c.wait('one')
    c.type('/clear\r')
    c.wait('Started a new session.')
    c.quit()
    starts, ends = c.payloads('SessionStart'), c.payloads('SessionEnd')
    check([p['source'] for p in starts] == ['startup', 'clear'], 'starts', starts)
    check([p['reason'] for p in ends] == ['clear', 'exit'], 'ends', ends)
    check(ends[0]['session_id'] == starts[0]['session_id'] != starts[1]['session_id'], 'the ids')


def test_compress(c):
    c.listen('PreCompress')
    c.open()
    c.ready()
    c.type('/compress\r')
    c.wait('Nothing to compress.')
    c.quit()
    check([p['trigger'] for p in c.payloads('PreCompress')] == ['manual'], 'PreCompress(manual)')


def test_hooks_panel(c):
    c.settings(hooks={'BeforeTool': [{'matcher': 'write_file', 'hooks': [
        {'type': 'command', 'name': 'first', 'command': 'true', 'description': 'looks at writes'},
        {'type': 'command', 'name': 'second', 'command': 'exit 3'}]}]})
    c.open(answers=[[call('write_file', {'file_path': 'a', 'content': 'A'})], [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.wait('done')
    c.type('/hooks\r')
    at = c.wait('Configured Hooks')
    at = c.wait('first [enabled]', at)
    c.wait('Ran 1 time, 1 failed', at)
    c.type('/hooks disable first\r')
    at = c.wait('disabled', c.wait('/hooks disable first', at))
    c.type('/hooks\r')
    c.wait('first [disabled]', at)
    c.type('/hooks why BeforeTool --tool write_file\r')
    c.wait('second', c.wait('/hooks why BeforeTool', at))
    c.type('/hooks last\r')
    c.wait('"subject": "write_file"', at)
    c.type('/hooks enable first\r')
    c.wait('enabled', c.wait('/hooks enable first', at))
    c.quit()


def test_mute(c):
    c.settings(hooks={'BeforeAgent': [{'hooks': [
        {'type': 'command', 'name': 'loud', 'command': 'echo x >> heard'}]}]})
    c.open(answers=[[say('one')], [say('two')], [say('three')]])
    c.ready()
    c.type('/hooks mute loud 5\r')
    c.wait('muted for 5 minutes')
    c.type('first\r')
    c.wait('one')
    check(not os.path.exists(os.path.join(c.project, 'heard')), 'it is muted')
    c.type('/hooks\r')
    c.wait('muted: /hooks unmute')
    c.type('/hooks unmute\r')
    c.wait('All hooks are unmuted')
    c.type('second\r')
    c.wait('two')
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'heard')), 'it is heard again')


def test_a_muted_guard_is_heard_in_time(c):
    """C7.4 in the middle of a turn, whatever another mute and the files say"""
    def ahead(minutes):
        c.write('ahead', str(60 * minutes))

    def guarded(*names):
        c.settings(hooks={'BeforeTool': [{'hooks': [
            {'type': 'command', 'name': n, 'guard': True, 'command': 'exit 2'} for n in names]}]})

    if 'CLOCK_SHIM' not in os.environ or TROTLINE.find('san') >= 0:
        raise Skipped('no clock to set')
    c.env.update(LD_PRELOAD=os.environ['CLOCK_SHIM'], CLOCK_AHEAD=c.write('ahead', '0'))
    guarded('one')
    long = 'touch began; until test -e go; do sleep 0.01; done'
    c.open(answers=[[call('run_shell_command', {'command': long})],
                    [call('run_shell_command', {'command': 'touch late'})], [say('all done')],
                    [call('run_shell_command', {'command': 'touch later'})], [say('done again')]], mode='yolo')
    c.ready()
    c.type('/hooks mute one 2\r')
    c.wait('muted for 2 minutes')
    c.type('go\r')
    wait_until(lambda: os.path.exists(os.path.join(c.project, 'began')), SECONDS, 'the first call')
    ahead(3)
    c.write('project/go', '')
    c.wait('All hooks are unmuted', c.wait('all done'))
    check(not os.path.exists(os.path.join(c.project, 'late')), 'it was not asked', c.read())
    guarded('one', 'two')
    c.type('/hooks reload\r')
    at = c.wait('Reloaded the hooks')
    c.type('/hooks mute one 2\r')
    c.wait('muted for 2 minutes')
    c.type('/hooks mute two 60\r')
    c.wait('muted for 60 minutes, or until another one is heard again')
    c.write('home/.gemini/settings.json', '{ "hooks": ')
    ahead(6)
    at = c.wait('All hooks are unmuted', at)
    c.type('again\r')
    c.wait('done again', at)
    check(not os.path.exists(os.path.join(c.project, 'later')), 'they were not asked', c.read())
    c.type('/hooks mute one 2\r')
    c.wait('The hooks are unchanged', at)
    c.quit()


def test_commands_say_something(c):
    c.open(answers=[[say('one')]])
    c.ready()
    for line, wanted in (('/help', '/compress'), ('/about', 'trotline'), ('/tools', 'read_file'),
                         ('/model', 'The model is'), ('/model flash-lite', 'The model is'),
                         ('/mode auto_edit', 'is now auto_edit'), ('/stats', 'Lines:'),
                         ('/memory reload', 'Reloaded the context'), ('/settings', '{'), ('/mcp', 'MCP'),
                         ('/resume', 'No previous sessions'), ('/export out.json', 'out.json'),
                         ('/hlep', 'did you mean "/help"?')):
        c.type(line + '\r')
        c.wait(wanted)
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'out.json')), 'exported')


def test_words_that_a_command_does_not_know(c):
    """Each says what was meant, and what it takes: from its row in the table."""
    c.open()
    c.ready()
    for line, wanted in (('/mcp rstart x', '/mcp has no "rstart"; did you mean "restart"?'),
                         ('/mode plam', '/mode has no "plam"; did you mean "plan"?'),
                         ('/memory relaod', '/memory has no "relaod"; did you mean "reload"?'),
                         ('/tools xyz', '/tools has no "xyz".'),
                         ('/trust rvoke', 'did you mean "revoke"?'),
                         ('/directory ad x', 'did you mean "add"?'),
                         ('/skills lst', 'did you mean "list"?'),
                         ('/commands lst', 'did you mean "list"?'),
                         ('/extensions lst', 'did you mean "list"?'),
                         ('/permissions forgt 1', 'did you mean "forget"?'),
                         ('/permissions forget x', 'Usage: /permissions [list|forget NUMBER]')):
        at = c.type(line + '\r')
        c.wait(wanted, at)
    c.quit()


def test_resume(c):
    c.listen('SessionStart')
    c.open(answers=[[say('the word is plum')]])
    c.ready()
    c.type('remember\r')
    c.wait('the word is plum')
    c.quit()
    c.open(answers=[[say('yes')]])
    c.ready()
    c.type('/resume 1\r')
    c.wait('Resumed: remember')
    c.type('still there?\r')
    c.wait('yes')
    c.quit()
    check([p['source'] for p in c.payloads('SessionStart')] == ['startup', 'startup', 'resume'], 'starts')


def test_idle_stop(c):
    c.write('project/.gemini/settings.json', json.dumps({'hooks': {'Stop': [{'hooks': [
        {'type': 'command', 'dialect': 'jpfork', 'command': 'echo x >> stops'}]}]}}))
    stops = os.path.join(c.project, 'stops')

    def fired():
        if not os.path.exists(stops):
            return 0
        with open(stops, encoding='utf-8') as f:
            return len(f.readlines())

    c.open(answers=[[say('one')], [say('two')], [say('three')]])
    c.ready()
    c.type('hi\r')
    c.wait('one')
    wait_until(lambda: fired() == 1, 5, 'the idle moment')
    c.type('hi again\r')
    c.wait('two')
    wait_until(lambda: fired() == 2, 5, 'the idle moment of the second answer')
    c.type('and again\r')
    since = time.monotonic()
    c.wait('three')
    c.quit()  # at once: no idle moment, unless that took as long as one
    quick = time.monotonic() - since < 1
    check(fired() == 2 or (fired() == 3 and not quick), 'once an answer, not on quit', fired())


def test_a_long_paste(c):
    c.listen('BeforeAgent')
    c.open(answers=[[say('got it')]])
    c.ready()
    text = '\n'.join('line %d' % i for i in range(5000))
    c.type('\x1b[200~' + text + '\x1b[201~')
    c.type('\r')
    c.wait('got it')
    c.quit()
    check(c.payloads('BeforeAgent')[0]['prompt'].split() == text.split(), 'all of it arrived')


def test_several_lines(c):
    c.listen('BeforeAgent')
    c.open(answers=[[say('got it')]])
    c.ready()
    c.type('one\\\rtwo\nthree\r')
    c.wait('got it')
    c.quit()
    check(c.payloads('BeforeAgent')[0]['prompt'] == 'one\ntwo\nthree', 'the lines',
          c.payloads('BeforeAgent')[0]['prompt'])


def test_completion_of_paths(c):
    c.listen('BeforeAgent')
    c.write('project/notes.md', 'plum\n')
    c.open(answers=[[say('got it')]])
    c.ready()
    c.type('read @no\t')
    c.wait('@notes.md')
    c.type('\r')
    c.wait('got it')
    c.quit()
    check('read @notes.md' in c.sent()[0] and 'plum' in c.sent()[0], 'the file is there', c.sent())


def test_inputs_of_earlier_sessions(c):
    c.listen('BeforeAgent')
    c.open(answers=[[say('one')]])
    c.ready()
    c.type('remember this line\r')
    c.wait('one')
    c.quit()
    c.open(answers=[[say('two')]])
    c.ready()
    c.type('\x1b[A')
    c.wait('/quit')
    c.type('\x1b[A')
    c.wait('remember this line')
    c.type('\r')
    c.wait('two')
    c.quit()
    check([p['prompt'] for p in c.payloads('BeforeAgent')] == ['remember this line'] * 2, 'the prompts')


def test_no_color(c):
    c.env['NO_COLOR'] = '1'
    c.open(answers=[[say('# Head\n\n**bold** and `code`')]])
    c.ready()
    c.type('go\r')
    c.wait('code')
    c.quit()
    check(not re.search('\x1b\\[[0-9;]*[1-9][0-9;]*m', c.seen), 'no colour',
          repr(re.findall('\x1b\\[[0-9;]*m', c.seen)[:5]))


def test_messages_name_their_hooks(c):
    c.settings(hooks={'BeforeAgent': [{'hooks': [
        {'type': 'command', 'name': n, 'command': 'echo \'{"systemMessage":"I am %s"}\'' % n}
        for n in ('first', 'second')]}]})
    c.open(answers=[[say('one')]])
    c.ready()
    c.type('go\r')
    c.wait('I am second [second]', c.wait('I am first [first]'))
    c.quit()


def test_utf8_between_bytes(c):
    c.listen('BeforeAgent')
    c.open(answers=[[say('日本語の答え')]])
    c.ready()
    for _ in range(50):
        since = time.monotonic()
        for byte in '日本語 é'.encode():
            os.write(c.child.fileno(), bytes([byte]))
        if time.monotonic() - since < 0.4:  # the rest of a character is waited for for 500 ms
            break
        c.type('\x15')
    c.type('\r')
    c.wait('日本語の答え')
    c.quit()
    check(c.payloads('BeforeAgent')[0]['prompt'] == '日本語 é', 'the prompt')


def test_resize_while_streaming(c):
    c.hooks({'AfterModel': 'sleep 0.02'})
    c.open(answers=[[chunk({'text': 'word%d ' % i}) for i in range(60)] + [say('end')]])
    c.ready()
    c.type('go\r')
    c.wait('word1')
    for columns in (40, 120, 20, 80):
        c.child.setwinsize(24, columns)
        wait_until(lambda: c.read() is not None, 1, 'output')
    c.wait('end')
    c.quit()
    for i in range(60):
        check('word%d' % i in c.read(), 'word%d is there' % i)


def test_foreign_bytes(c):
    c.hooks({'BeforeTool': 'printf \'{"systemMessage":"\\\\u001b]0;evil\\\\u0007x"}\''})
    c.open(answers=[[chunk({'text': 'a\x1b]0;evil\x07b\x1b[2Jc\n'})] +
                    [call('run_shell_command', {'command': "printf '\\033]0;evil\\007'"})],
                    [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    c.wait('done')
    c.quit()
    check('\x1b]0;evil' not in c.seen, 'no title was set')
    check('\x1b[2Jc' not in c.seen, 'the screen was not cleared')


def test_a_hook_that_floods_stderr(c):
    c.hooks({'BeforeAgent': 'head -c 3000000 /dev/zero | tr "\\0" "e" >&2'})
    c.open(answers=[[say('fine')]])
    c.ready()
    c.type('go\r')
    c.wait('fine')
    c.quit()


def test_the_terminal_goes_away(c):
    c.listen('SessionEnd')
    c.open(answers=[shell('sleep 60')], mode='yolo')
    c.ready()
    c.type('go\r')
    c.running('sleep 60')
    os.close(c.child.fileno())
    c.child.closed = True
    wait_until(lambda: not c.left(), SECONDS, 'all processes to end')
    check([p['reason'] for p in c.payloads('SessionEnd')] == ['other'], 'SessionEnd(other)')


def test_sigterm(c):
    c.listen('SessionEnd')
    c.open()
    c.ready()
    c.child.kill(signal.SIGTERM)
    c.end()
    check([p['reason'] for p in c.payloads('SessionEnd')] == ['other'], 'SessionEnd(other)')


def test_random_cancels(c):
    c.hooks({'BeforeTool': 'sleep 0.05', 'AfterModel': 'sleep 0.02'})
    answers = []
    for _ in range(200):
        answers.append([chunk({'text': 'I work. '}), call('run_shell_command', {'command': 'sleep 5'})])
    c.open(answers=answers, mode='yolo')
    c.ready()
    moments = random.Random(7)
    for i in range(50):
        at = len(c.read())
        c.type('go %d\r' % i)
        c.wait('go %d' % i, at)
        pause = moments.uniform(0, 0.3)
        until = time.monotonic() + pause
        wait_until(lambda: time.monotonic() > until, SECONDS, 'the moment')
        c.type('\x1b')
        c.wait('Request cancelled.', at)
    wait_until(lambda: len(c.left()) == 1, SECONDS, 'only the program')
    c.quit()


def test_prompt_interactive(c):
    c.open('-i', 'the first one', answers=[[say('one')], [say('two')]])
    c.wait('one')
    c.type('next\r')
    c.wait('two')
    c.quit()


def test_trust_is_asked(c):
    del c.env['GEMINI_CLI_TRUST_WORKSPACE']
    c.settings(security={'folderTrust': {'enabled': True}})
    c.write('project/.gemini/settings.json', json.dumps({'hooks': {'BeforeAgent': [{'hooks': [
        {'type': 'command', 'name': 'of-the-project', 'command': 'touch ran'}]}]}}))
    c.open(answers=[[say('hello')]])
    c.wait('of-the-project')
    c.type('y\r')
    c.wait('Run them in a sandbox')
    c.type('n\r')
    c.ready()
    c.type('hi\r')
    c.wait('hello')
    c.quit()
    check(os.path.exists(os.path.join(c.project, 'ran')), 'the hook ran')


def test_no_trust_no_hook(c):
    del c.env['GEMINI_CLI_TRUST_WORKSPACE']
    c.settings(security={'folderTrust': {'enabled': True}})
    c.write('project/.gemini/settings.json', json.dumps({'hooks': {'BeforeAgent': [{'hooks': [
        {'type': 'command', 'name': 'of-the-project', 'command': 'touch ran'}]}]}}))
    c.open(answers=[[say('hello')]])
    c.wait('of-the-project')
    c.type('n\r')
    c.ready()
    c.type('hi\r')
    c.wait('hello')
    c.quit()
    check(not os.path.exists(os.path.join(c.project, 'ran')), 'the hook did not run')


class Skipped(Exception):
    pass


def run_tests(where, title):
    """Each test_NAME of the module `where` in a Chat of its own; arguments are names of some."""
    tap = Tap()
    for name, test in sorted(where.items()):
        if not name.startswith('test_') or (sys.argv[1:] and name[5:] not in sys.argv[1:]):
            continue
        point = '%s: %s' % (title, name[5:].replace('_', ' '))
        try:
            with Chat() as c:
                test(c)
            tap.point(point)
        except Skipped as e:
            tap.point(point, skip=str(e))
        except Exception as e:  # the others run all the same
            tap.point(point, why='%s: %s' % (type(e).__name__, e))
    tap.done()


if __name__ == '__main__':
    run_tests(globals(), 'chat')
