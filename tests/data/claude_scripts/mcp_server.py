#!/usr/bin/env python3
"""An MCP server whose tools have the names that its arguments say."""
import json
import sys

TOOLS = [{'name': name, 'description': name,
          'inputSchema': {'type': 'object', 'properties': {'text': {'type': 'string'}}}}
         for name in sys.argv[1:]]

for line in sys.stdin:
    m = json.loads(line)
    if 'id' not in m:
        continue
    result = {'initialize': {'protocolVersion': '2025-06-18', 'capabilities': {'tools': {}},
                             'serverInfo': {'name': 'named', 'version': '1'}},
              'tools/list': {'tools': TOOLS},
              'tools/call': {'content': [{'type': 'text', 'text': 'called'}]}}.get(m['method'], {})
    print(json.dumps({'jsonrpc': '2.0', 'id': m['id'], 'result': result}), flush=True)
