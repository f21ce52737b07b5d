#!/usr/bin/env python3
"""An MCP server on stdio that says what a file says:  scripted.py FILE

FILE is JSON: "tools", "prompts" and "resources" are listed as they stand there; "instructions" come
with the handshake; "say" is what goes out first, before anything was asked; "calls", "reads" and
"gets" have for a tool, a URI and a prompt the results, or in an array several messages, the last
being the result.  Of messages that have a method, PROGRESS means the token of the call.
"change" in a message is what the lists are from then on.  "log" is a file to which each method is
added once it was answered, with how often that was.  "watch": {"for": FILE, "change": ...} makes the
change as soon as the file is there, whatever else goes on; "exit" in it ends the server instead."""

import json
import os
import sys
import threading
import time

with open(sys.argv[1], encoding='utf-8') as f:
    script = json.load(f)


lock = threading.Lock()


def send(message):
    with lock:
        sys.stdout.write(json.dumps({'jsonrpc': '2.0', **message}) + '\n')
        sys.stdout.flush()


def change(to):
    script.update(to)
    send({'method': 'notifications/tools/list_changed'})


def watch(how):
    while not os.path.exists(how['for']):
        time.sleep(0.005)
    if how.get('exit'):
        log('exit')
        os._exit(0)
    change(how['change'])


def play(id, said, token=None):
    *before, result = said if isinstance(said, list) else [said]
    for message in before:
        if 'change' in message:
            change(message['change'])
            continue
        send(json.loads(json.dumps(message).replace('"PROGRESS"', json.dumps(token))))
    send({'id': id, **(result if 'error' in result else {'result': result})})


def answer(method, id, p):
    if method == 'initialize':
        play(id, {'protocolVersion': p['protocolVersion'], 'capabilities': {
            'tools': {'listChanged': True}, 'prompts': {}, 'resources': {}},
            'serverInfo': {'name': 'scripted', 'version': '1'},
            'instructions': script.get('instructions', '')})
    elif method.endswith('/list'):
        kind = {'resources/templates/list': 'resourceTemplates'}.get(method, method.split('/')[0])
        play(id, {kind: script.get(kind, [])})
    elif method == 'tools/call':
        play(id, script.get('calls', {}).get(p['name'], {'content': [{'type': 'text', 'text': 'did it'}]}),
             p.get('_meta', {}).get('progressToken'))
    elif method == 'resources/read':
        play(id, script.get('reads', {}).get(p['uri'], {'contents': [{'uri': p['uri'], 'text': 'read'}]}))
    elif method == 'prompts/get':
        play(id, script['gets'][p['name']])
    elif method == 'ping':
        play(id, {})
    else:
        send({'id': id, 'error': {'code': -32601, 'message': 'no ' + method}})


def log(method):
    counts[method] = counts.get(method, 0) + 1
    if 'log' in script:
        with open(script['log'], 'a', encoding='utf-8') as f:
            f.write('%s %d\n' % (method, counts[method]))


counts = {}
if 'watch' in script:
    threading.Thread(target=watch, args=(script['watch'],), daemon=True).start()
for message in script.get('say', []):
    send(message)
for line in sys.stdin:
    m = json.loads(line)
    if m.get('method') and m.get('id') is not None:
        answer(m['method'], m['id'], m.get('params', {}))
        log(m['method'])
