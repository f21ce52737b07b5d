#!/usr/bin/env python3
"""An MCP server on stdio that asks the user: the tool `ask` takes the params of elicitation/create
and returns the answer, `visit` wants an address visited first (-32042), `late` asks outside of a
call."""

import json
import sys

visits = []


def send(m):
    sys.stdout.write(json.dumps(dict(m, jsonrpc='2.0')) + '\n')
    sys.stdout.flush()


def receive():
    line = sys.stdin.readline()
    if not line:
        sys.exit(0)
    return json.loads(line)


def text(id, value):
    send({'id': id, 'result': {'content': [{'type': 'text', 'text': json.dumps(value, sort_keys=True)}]}})


def call(m):
    name, args = m['params']['name'], m['params'].get('arguments') or {}
    if name == 'visit' and not visits:
        visits.append(args['url'])
        return send({'id': m['id'], 'error': {
            'code': -32042, 'message': 'visit it first', 'data': {'elicitations': [
                {'mode': 'url', 'elicitationId': 'e1', 'url': args['url'], 'message': 'Say yes there.'}]}}})
    if name == 'visit':
        return text(m['id'], 'visited')
    send({'id': 'question-1', 'method': 'elicitation/create', 'params': args})
    while True:
        answer = receive()
        if answer.get('id') == 'question-1':
            return text(m['id'], answer.get('result') or answer.get('error'))


while True:
    m = receive()
    if m.get('method') == 'initialize':
        assert m['params']['capabilities']['elicitation'] == {'form': {}, 'url': {}}
        send({'id': m['id'], 'result': {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}},
                                        'serverInfo': {'name': 'asking', 'version': '1'}}})
    elif m.get('method') == 'tools/list':
        tools = [{'name': n, 'inputSchema': {'type': 'object'}} for n in ('ask', 'visit')]
        send({'id': m['id'], 'result': {'tools': tools}})
    elif m.get('method') == 'tools/call':
        call(m)
    elif 'id' in m and 'method' in m:
        send({'id': m['id'], 'result': {}})
