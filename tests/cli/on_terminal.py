"""Runs a command on a terminal of its own:  on_terminal.py [TEXT DO]... -- COMMAND...

Once TEXT has been shown, behind the one before, DO is done: made, if it is a path that begins with
../, else typed.  Prints what the command shows, control characters as \\xNN, and ends with its exit
status.  Gives up after 5 minutes."""

import os
import pty
import select
import sys
import time

split = sys.argv.index('--')
steps, command = list(zip(sys.argv[1:split:2], sys.argv[2:split:2])), sys.argv[split + 1:]
os.environ['TERM'] = 'xterm'
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown, at, end = b'', 0, time.monotonic() + 300
while True:
    late = time.monotonic() > end
    if select.select([terminal], [], [], 1)[0]:
        try:
            shown += os.read(terminal, 65536)
        except OSError:  # the other side is closed
            break
        while steps and (found := shown.find(steps[0][0].encode(), at)) >= 0:
            (text, do), *steps = steps
            at = found + len(text.encode())
            if do.startswith('../'):
                open(do, 'w').close()
            else:
                os.write(terminal, do.encode())
    elif late:
        os.kill(pid, 9)
        break
print(''.join(chr(c) if 32 <= c < 127 or c == 10 else '' if c == 13 else '\\x%02x' % c for c in shown))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
