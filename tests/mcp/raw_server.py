#!/usr/bin/env python3
"""An MCP server on stdio that says what it is told to, byte for byte:  raw_server.py LOG [SAY]

Each line that comes is added to LOG as it came.  SAY is a file whose bytes go out first.  Tools:

  echo    a text block of its arguments as JSON, in a task where one is asked for
  say     {"lines": [...]} go out as they stand, nothing else; "ID" in them is the call's id as JSON
  result  {"result": ...} is the result
  fail    an error of JSON-RPC
  wait    {"for": FILE, "result": ...} is the result as soon as the file is there
  quiet   no answer
  stderr  {"text": ...} goes to stderr
  exit    {"status": n}: it ends at once

It ends with its input; `deaf` as another argument makes it stay."""

import json
import os
import signal
import sys
import time

log = open(sys.argv[1], 'ab', buffering=0)
out = sys.stdout.buffer


def put(data):
    out.write(data)
    out.flush()


def send(id, **message):
    put(json.dumps({'jsonrpc': '2.0', 'id': id, **message}).encode() + b'\n')


def text(s):
    return {'content': [{'type': 'text', 'text': s}]}


def call(id, p):
    name, args = p.get('name'), p.get('arguments') or {}
    if name == 'say':
        for line in args['lines']:
            put(line.replace('ID', json.dumps(id)).encode('utf-8', 'surrogatepass') + b'\n')
    elif name == 'result':
        send(id, result=args['result'])
    elif name == 'wait':
        while not os.path.exists(args['for']):
            time.sleep(0.005)
        send(id, result=args['result'])
    elif name == 'fail':
        send(id, error={'code': -32001, 'message': 'it failed with a secret', 'data': 'secret'})
    elif name == 'stderr':
        sys.stderr.buffer.write(args['text'].encode())
        sys.stderr.buffer.flush()
        send(id, result=text('written'))
    elif name == 'exit':
        os._exit(args['status'])
    elif name == 'long':
        put(b'{"jsonrpc":"2.0","result":{"content":[{"type":"text","text":"' + b'x' * (33 << 20)
            + b'"}]},"id":' + json.dumps(id).encode() + b'}\n')
    elif name != 'quiet':
        if 'task' in p:
            send(id, result={'task': {'taskId': 'task-%s' % id, 'status': 'working'}})
        else:
            send(id, result=text(json.dumps(args, sort_keys=True)))


def answer(m):
    method, id, p = m.get('method'), m.get('id'), m.get('params') or {}
    if id is None or not isinstance(method, str):
        return
    if method == 'initialize':
        send(id, result={'protocolVersion': p.get('protocolVersion', '2025-06-18'),
                         'capabilities': {'tools': {}}, 'serverInfo': {'name': 'raw', 'version': '1'}})
    elif method == 'tools/call' and isinstance(p, dict):
        call(id, p)
    elif method == 'resources/read':
        send(id, result={'contents': [{'uri': p['uri'], 'text': 'the secret of ' + p['uri']}]})
    elif method == 'prompts/get':
        send(id, result={'messages': [{'role': 'user', 'content': {
            'type': 'text', 'text': 'prompt %s %s' % (p['name'], json.dumps(p.get('arguments')))}}]})
    elif method == 'tasks/result':
        send(id, result=text('the secret of ' + p['taskId']))
    else:
        send(id, result={})


if 'deaf' in sys.argv[2:]:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
elif len(sys.argv) > 2:
    with open(sys.argv[2], 'rb') as f:
        put(f.read())
for line in sys.stdin.buffer:
    log.write(line)
    try:
        m = json.loads(line)
    except ValueError:
        continue
    for one in m if isinstance(m, list) else [m]:
        if isinstance(one, dict):
            answer(one)
while 'deaf' in sys.argv[2:]:
    time.sleep(3600)
