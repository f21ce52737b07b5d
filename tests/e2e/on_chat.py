"""A session with a real model on a terminal:  on_chat.py COMMAND...

Asks the model two things it knows how to do, allows the tool that it asks for, and prints the screen."""

import os
import sys

import pexpect

# A CI machine has no user at a terminal, says trotline where these are set: here somebody does.
env = {k: v for k, v in os.environ.items() if k not in ('CI', 'GITHUB_ACTIONS')}
child = pexpect.spawn(sys.argv[1], sys.argv[2:], encoding='utf-8', codec_errors='replace', timeout=300,
                      dimensions=(30, 100), env=env)
child.logfile_read = sys.stdout
child.expect('Type your message')
child.send('read notes.md\r')
child.expect('✓ ReadFile')
child.send('run ls\r')
child.expect('Allow execution of .ls.')
child.send('1')
child.expect('✓ Shell')
child.expect('Type your message')
child.send('/quit\r')
child.expect('Goodbye')
child.expect(pexpect.EOF)
child.close()
sys.exit(child.exitstatus)
