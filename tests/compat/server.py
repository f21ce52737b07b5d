#!/usr/bin/env python3
"""An MCP server on stdio whose answers stand in its arguments:  server.py OFFER

OFFER is JSON: "tools" {name: result, or {"result", and what else its declaration says}}, "prompts"
[declaration with "messages"], "resources" {uri: contents}, "stderr" what it says first, "exit" the
status it ends with at once."""

import json
import os
import sys

offer = json.loads(sys.argv[1]) if len(sys.argv) > 1 else {}


def text(said):
    return {'content': [{'type': 'text', 'text': said}]}


def declaration(name, tool):
    more = {k: v for k, v in tool.items() if k != 'result'} if isinstance(tool, dict) else {}
    return {'name': name, 'description': 'Does ' + name, 'inputSchema': {
        'type': 'object', 'properties': {'text': {'type': 'string'}}}, **more}


def call(params):
    tool = offer['tools'][params['name']]
    result = tool.get('result', 'done') if isinstance(tool, dict) else tool
    if result == 'env':
        return text(json.dumps({k: v for k, v in os.environ.items() if k.startswith('PLUM')}))
    if result == 'echo':
        return text(json.dumps(params.get('arguments'), sort_keys=True))
    if result == 'cwd':
        return text(os.getcwd())
    return text(result) if isinstance(result, str) else result


def get_prompt(params):
    prompt = next(p for p in offer['prompts'] if p['name'] == params['name'])
    said = json.dumps(params.get('arguments', {}), sort_keys=True)
    return {'messages': prompt.get('messages') or [
        {'role': 'user', 'content': {'type': 'text', 'text': 'Say ' + said}}]}


def answer(method, params):
    if method == 'initialize':
        kinds = {kind: {} for kind in ('tools', 'prompts', 'resources') if kind in offer}
        return {'protocolVersion': params['protocolVersion'], 'capabilities': kinds,
                'serverInfo': {'name': 'offer', 'version': '1'}, **offer.get('initialize', {})}
    if method == 'tools/list':
        return {'tools': [declaration(n, t) for n, t in offer['tools'].items()]}
    if method == 'tools/call':
        return call(params)
    if method == 'prompts/list':
        return {'prompts': [{k: v for k, v in p.items() if k != 'messages'}
                            for p in offer['prompts']]}
    if method == 'prompts/get':
        return get_prompt(params)
    if method == 'resources/list':
        return {'resources': [{'uri': uri, 'name': uri.rsplit('/', 1)[-1], 'mimeType': 'text/plain'}
                              for uri in offer['resources']]}
    if method == 'resources/read':
        return {'contents': [{'uri': params['uri'], **c}
                             for c in offer['resources'][params['uri']]]}
    return {} if method == 'ping' else None


def serve():
    sys.stderr.write(offer.get('stderr', ''))
    sys.stderr.flush()
    if 'exit' in offer:
        sys.exit(offer['exit'])
    for line in sys.stdin:
        message = json.loads(line)
        if 'method' not in message or 'id' not in message:
            continue
        result = answer(message['method'], message.get('params', {}))
        reply = {'result': result} if result is not None else {
            'error': {'code': -32601, 'message': 'no ' + message['method']}}
        print(json.dumps({'jsonrpc': '2.0', 'id': message['id'], **reply}), flush=True)


if __name__ == '__main__':
    serve()
