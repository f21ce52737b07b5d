"""BeforeTool: nobody reads or writes .env files."""
import json
import os
import sys

args = json.load(sys.stdin)['tool_input']
paths = [args.get('file_path', '')] + args.get('include', [])
if any(os.path.basename(path).startswith('.env') for path in paths):
    print('.env files hold secrets; ask the user for the value that you need.', file=sys.stderr)
    sys.exit(2)
print(json.dumps({'decision': 'allow'}))
