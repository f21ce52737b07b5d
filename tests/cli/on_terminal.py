"""Runs a command on a terminal of its own:  on_terminal.py TEXT FILE COMMAND...

Prints what the command shows, control characters as \\xNN, and ends with its exit status.  Once TEXT
has been shown, FILE is made.  Gives up after 300 seconds."""

import os
import pty
import select
import sys
import time

text, made, command = sys.argv[1].encode(), sys.argv[2], sys.argv[3:]
os.environ['TERM'] = 'xterm'
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(command[0], command)
shown, end = b'', time.monotonic() + 300
while time.monotonic() < end:
    if not select.select([terminal], [], [], 1)[0]:
        continue
    try:
        shown += os.read(terminal, 65536)
    except OSError:  # the other side is closed
        break
    if text in shown and not os.path.exists(made):
        open(made, 'w').close()
else:
    os.kill(pid, 9)
print(''.join(chr(c) if 32 <= c < 127 or c == 10 else '' if c == 13 else '\\x%02x' % c for c in shown))
sys.exit(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))
