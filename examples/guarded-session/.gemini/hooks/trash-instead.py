"""BeforeTool: turns `rm FILE...` into a move to .trash; every other command stays as it is."""
import json
import shlex
import sys

command = json.load(sys.stdin)['tool_input'].get('command', '')
words = shlex.split(command)
plain = not any(c in command for c in ';&|<>$`\n*?')
if plain and len(words) > 1 and words[0] == 'rm' and not any(w.startswith('-') for w in words[1:]):
    instead = 'mkdir -p .trash && mv -- %s .trash/' % shlex.join(words[1:])
    print(json.dumps({'systemMessage': 'rm became a move to .trash',
                      'hookSpecificOutput': {'tool_input': {'command': instead}}}))
