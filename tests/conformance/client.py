#!/usr/bin/env python3
"""The client that MCP's conformance suite drives: a user of trotline, with a browser that says yes.

  client.py URL       the scenario is in $MCP_CONFORMANCE_SCENARIO, its facts in ..._CONTEXT"""

import json
import os
import subprocess
import sys
import tempfile

TROTLINE = os.environ['TROTLINE']
BROWSER = '#!%s\nimport sys, urllib.request\nurllib.request.urlopen(sys.argv[1]).read()\n' % sys.executable
# The tool that a scenario waits for; the others have test-tool.
CALLS = {
    'initialize': None,
    'tools_call': ('add_numbers', {'a': 5, 'b': 3}),
    'sse-retry': ('test_reconnection', {}),
    'elicitation-sep1034-client-defaults': ('test_client_elicitation_defaults', {}),
}


def main(url, scenario, context, home):
    oauth = {key: context[name] for key, name in
             (('clientId', 'client_id'), ('clientSecret', 'client_secret')) if name in context}
    if scenario == 'auth/basic-cimd':
        oauth['clientId'] = 'https://conformance-test.local/client-metadata.json'
    os.makedirs(home + '/.gemini')
    with open(home + '/.gemini/settings.json', 'w') as f:
        json.dump({'mcpServers': {'s': {'httpUrl': url, 'oauth': oauth}}}, f)
    with open(home + '/browser', 'w') as f:
        f.write(BROWSER)
    os.chmod(home + '/browser', 0o755)
    env = dict(os.environ, HOME=home, BROWSER=home + '/browser')
    env.pop('GEMINI_CLI_HOME', None)

    def run(*args):
        p = subprocess.run([TROTLINE, 'mcp', *args], cwd=home, env=env, stdin=subprocess.DEVNULL,
                           capture_output=True, text=True)
        print('trotline mcp %s: %d\n%s%s' % (' '.join(args), p.returncode, p.stdout, p.stderr))
        return p.returncode

    call = CALLS.get(scenario, ('test-tool', {}))
    if not call:
        return run('test', 's')
    call = ['test', 's', '--call', call[0], '--args', json.dumps(call[1]), '--answer', '{}']
    if not scenario.startswith('auth/'):
        return run(*call)
    # As somebody does who reads what is said: sign in, and once more where more is wanted.
    return run('auth', 's') or (run(*call) and (run('auth', 's') or run(*call)))


with tempfile.TemporaryDirectory() as folder:
    sys.exit(main(sys.argv[1], os.environ['MCP_CONFORMANCE_SCENARIO'],
                  json.loads(os.environ.get('MCP_CONFORMANCE_CONTEXT', '{}')), folder))
