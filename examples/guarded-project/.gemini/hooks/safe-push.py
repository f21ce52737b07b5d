#!/usr/bin/env python3
"""BeforeTool: turns git push --force into --force-with-lease, which refuses to overwrite commits
that were not fetched.  Commands with quotes and other shell syntax are left as they are."""

import json
import re
import sys

PUSH = re.compile(r'(?:^|(?<=[;&|\s]))git\s+push\b[^;&|\n]*')
FORCE = re.compile(r'(?<=\s)(--force|-f)(?=\s|$)')


def main():
    tool_input = json.load(sys.stdin)['tool_input']
    command = str(tool_input.get('command'))
    if re.search(r'[\'"\\`$#<]', command):
        return
    safer = PUSH.sub(lambda m: FORCE.sub('--force-with-lease', m.group()), command)
    if safer != command:
        print(json.dumps({
            'systemMessage': 'git push --force became --force-with-lease',
            'hookSpecificOutput': {'hookEventName': 'BeforeTool',
                                   'tool_input': dict(tool_input, command=safer)},
        }))


main()
