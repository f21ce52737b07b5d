#!/usr/bin/env python3
"""Entries of mcpServers as projects and other agents write them: each starts unmodified and offers
its tools, or says why it does not.  Prints TAP."""

import json
import os
import subprocess
import sys

from agentbox import Box, Tap, check

ROOT = os.path.abspath(os.environ.get('TEST_SOURCE_ROOT', '.'))
SERVER = os.path.join(ROOT, 'tests/mcp/server.py')
# Does what npx -y PACKAGE and uvx PACKAGE do, once the package is there.
RUNNER = '#!/bin/sh\n[ "$1" != -y ] || shift\n[ "$1" = "@scope/server@latest" ] && shift\n' \
         'exec python3 "%s" "$@"\n' % SERVER

PROGRAMS = [
    '"command": "python3", "args": ["%(server)s"]',
    '"type": "stdio", "command": "python3", "args": ["%(server)s"], "env": {}',
    '"type": "local", "command": "python3", "args": ["%(server)s"], "tools": ["*"]',
    '"transport": "stdio", "command": "python3", "args": ["%(server)s"], "enabled": true',
    '"transportType": "stdio", "command": "python3", "args": ["%(server)s"], "timeout": 60000',
    '"command": "npx", "args": ["-y", "@scope/server@latest"]',
    '"command": "npx", "args": ["-y", "@scope/server@latest"], "disabled": false, "autoApprove": []',
    '"command": "uvx", "args": ["@scope/server@latest"], "alwaysAllow": ["echo"]',
    '"command": "${PY:-python3}", "args": ["${SERVER_DIR}/server.py"]',
    '"command": "python3", "args": ["${NOT_SET:-%(server)s}"]',
    '"command": "python3", "args": ["$SERVER_DIR/server.py"], "env": {"A": "${NOT_SET:-b}", "N": 5}',
    '"command": "python3", "args": ["here.py"], "cwd": "sub"',
    '"command": "python3", "args": ["here.py"], "cwd": "${NOT_SET:-./sub}"',
    '"command": "sh", "args": ["-c", "exec python3 \\"$SERVER_DIR\\"/server.py"]',
    '"command": "./sub/run.sh"',
]
ADDRESSES = [
    '"httpUrl": "%(base)s/mcp"',
    '"url": "%(base)s/mcp"',
    '"url": "%(base)s/mcp", "type": "http"',
    '"url": "%(base)s/mcp", "type": "streamable-http"',
    '"url": "%(base)s/mcp", "type": "streamableHttp"',
    '"url": "%(base)s/mcp", "type": "streamable_http"',
    '"url": "%(base)s/mcp", "transport": "streamable-http"',
    '"url": "%(base)s/mcp", "transportType": "http", "disabled": false',
    '"serverUrl": "%(base)s/mcp"',
    '"url": "%(base)s/sse", "type": "sse"',
    '"serverUrl": "%(base)s/sse", "transport": "sse"',
    '"url": "${BASE_URL}/mcp"',
    '"url": "${NOT_SET:-%(base)s}/mcp", "type": "http"',
    '"url": "%(base)s/auth", "type": "http", "headers": {"Authorization": "Bearer ${SERVER_TOKEN}"}',
    '"url": "%(base)s/auth", "headers": {"Authorization": "Bearer ${NOT_SET:-T}"}',
    '"url": "%(base)s/auth", "headers": {"Authorization": "$SERVER_HEADER", "X-Empty": "${NOT_SET:-}"}',
]
OFF = ['"command": "npx", "args": ["-y", "@scope/server@latest"], "disabled": true',
       '"url": "%(base)s/mcp", "enabled": false']


def main():
    tap = Tap()
    web = subprocess.Popen([sys.executable, os.path.join(ROOT, 'tests/mcp/http_server.py')],
                           stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    with Box() as box:
        values = {'server': SERVER, 'base': 'http://127.0.0.1:%d' % int(web.stdout.readline())}
        forms = {'s%d' % i: form % values for i, form in enumerate(PROGRAMS + ADDRESSES + OFF)}
        for path, text in (('bin/npx', RUNNER), ('bin/uvx', RUNNER), ('project/sub/run.sh', RUNNER),
                           ('project/sub/here.py', 'import runpy\nrunpy.run_path("%s", run_name="__main__")\n'
                            % SERVER)):
            os.chmod(box.write(path, text), 0o755)
        box.env['PATH'] = os.path.join(box.root, 'bin') + ':' + box.env['PATH']
        box.env.update(SERVER_DIR=os.path.dirname(SERVER), BASE_URL=values['base'], SERVER_TOKEN='T',
                       SERVER_HEADER='Bearer T')
        box.write('project/.gemini/settings.json', '{"mcpServers": {%s}}' % ', '.join(
            '"%s": {%s}' % form for form in forms.items()))
        run = box.run('mcp', 'test', '--json', '--skip-trust')
        found = {s['name']: s for s in json.loads(run.out)}
        for i, (name, form) in enumerate(forms.items()):
            with tap.case(form.replace(values['base'], 'BASE').replace(SERVER, 'SERVER')):
                s = found[name]
                if i < len(PROGRAMS + ADDRESSES):
                    check(s['state'] == 'ready' and any(t['tool'] == 'echo' for t in s['tools']), s)
                else:
                    check(s['state'] != 'ready' and 'its settings disable it' in json.dumps(s), s)
        with tap.case('what is understood is no finding'):
            lint = box.run('hooks', 'lint', '--skip-trust')
            for key in ('type', 'transport', 'transportType', 'serverUrl', 'disabled', 'enabled'):
                check('"%s"' % key not in lint.out, lint)
    web.stdin.close()
    web.wait()
    tap.done()


if __name__ == '__main__':
    main()
