#!/usr/bin/env python3
"""What MCP's conformance suite wants of a server, on stdio.  The suite speaks HTTP: front.py."""

import json
import sys
import threading
import time

PNG = ('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJg'
       'gg==')
WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEARKwAAIhYAQACABAAZGF0YQAAAAA='
IMAGE = {'type': 'image', 'data': PNG, 'mimeType': 'image/png'}
lock, answers, arrived = threading.Lock(), {}, threading.Condition()


def send(**message):
    with lock:
        sys.stdout.write(json.dumps({'jsonrpc': '2.0', **message}) + '\n')
        sys.stdout.flush()


def ask(method, **params):
    id = 'server-%s-%d' % (method, len(answers))
    with arrived:
        answers[id] = None
        send(id=id, method=method, params=params)
        arrived.wait_for(lambda: answers[id], 30)
        return answers[id]


def text(s):
    return {'type': 'text', 'text': s}


def resource(uri, mime, s):
    return {'type': 'resource', 'resource': {'uri': uri, 'mimeType': mime, 'text': s}}


def logging(p):
    for s in ('Tool execution started', 'Tool processing data', 'Tool execution completed'):
        send(method='notifications/message', params={'level': 'info', 'data': s})
        time.sleep(.05)
    return [text('logged')]


def progress(p):
    token = p.get('_meta', {}).get('progressToken')
    for n in (0, 50, 100):
        send(method='notifications/progress', params={'progressToken': token, 'progress': n, 'total': 100})
        time.sleep(.05)
    return [text('done')]


def sampling(p):
    m = ask('sampling/createMessage', maxTokens=100,
            messages=[{'role': 'user', 'content': text(p['arguments']['prompt'])}])
    return [text('LLM response: %s' % json.dumps(m.get('result')))]


def elicit(properties):
    def run(p):
        message = p.get('arguments', {}).get('message', 'Please tell')
        m = ask('elicitation/create', message=message,
                requestedSchema={'type': 'object', 'properties': properties, 'required': []})
        return [text('User response: %s' % json.dumps(m.get('result')))]
    return run


def titled(n, words):
    return [{'const': 'value%d' % (i + 1), 'title': w + ' Option'} for i, w in enumerate(words[:n])]


WORDS = ['First', 'Second', 'Third']
OPTIONS = ['option1', 'option2', 'option3']
DEFAULTS = {'name': {'type': 'string', 'default': 'John Doe'}, 'age': {'type': 'integer', 'default': 30},
            'score': {'type': 'number', 'default': 95.5}, 'verified': {'type': 'boolean', 'default': True},
            'status': {'type': 'string', 'enum': ['active', 'inactive', 'pending'], 'default': 'active'}}
ENUMS = {'untitledSingle': {'type': 'string', 'enum': OPTIONS},
         'titledSingle': {'type': 'string', 'oneOf': titled(3, WORDS)},
         'legacyEnum': {'type': 'string', 'enum': ['opt1', 'opt2', 'opt3'],
                        'enumNames': ['Option One', 'Option Two', 'Option Three']},
         'untitledMulti': {'type': 'array', 'items': {'type': 'string', 'enum': OPTIONS}},
         'titledMulti': {'type': 'array', 'items': {'anyOf': titled(3, WORDS)}}}
TOOLS = {
    'test_simple_text': lambda p: [text('This is a simple text response for testing.')],
    'test_image_content': lambda p: [IMAGE],
    'test_audio_content': lambda p: [{'type': 'audio', 'data': WAV, 'mimeType': 'audio/wav'}],
    'test_embedded_resource': lambda p: [resource('test://embedded-resource', 'text/plain', 'embedded')],
    'test_multiple_content_types': lambda p: [text('Multiple content types test:'), IMAGE, resource(
        'test://mixed-content-resource', 'application/json', '{"test":"data","value":123}')],
    'test_tool_with_logging': logging,
    'test_tool_with_progress': progress,
    'test_error_handling': None,
    'test_sampling': sampling,
    'test_elicitation': elicit({'username': {'type': 'string'}, 'email': {'type': 'string'}}),
    'test_elicitation_sep1034_defaults': elicit(DEFAULTS),
    'test_elicitation_sep1330_enums': elicit(ENUMS),
    'json_schema_2020_12_tool': lambda p: [text('ok')],
}
SCHEMA = {'$schema': 'https://json-schema.org/draft/2020-12/schema', 'type': 'object',
          '$defs': {'address': {'type': 'object', 'properties': {'street': {'type': 'string'},
                                                                 'city': {'type': 'string'}}}},
          'properties': {'name': {'type': 'string'}, 'address': {'$ref': '#/$defs/address'}},
          'additionalProperties': False}
PROMPTS = {
    'test_simple_prompt': lambda a: [text('This is a simple prompt for testing.')],
    'test_prompt_with_arguments': lambda a: [text("Prompt with arguments: arg1='%s', arg2='%s'"
                                                  % (a.get('arg1'), a.get('arg2')))],
    'test_prompt_with_embedded_resource': lambda a: [
        resource(a.get('resourceUri', ''), 'text/plain', 'Embedded resource content for testing.'),
        text('Please process the embedded resource above.')],
    'test_prompt_with_image': lambda a: [IMAGE, text('Please analyze the image above.')],
}
RESOURCES = {'test://static-text': {'mimeType': 'text/plain', 'text': 'This is the content of the static text resource.'},
             'test://static-binary': {'mimeType': 'image/png', 'blob': PNG},
             'test://watched-resource': {'mimeType': 'text/plain', 'text': 'watched'}}


def read(uri):
    if uri.startswith('test://template/'):
        id = uri.split('/')[3]
        return {'uri': uri, 'mimeType': 'application/json', 'text': json.dumps(
            {'id': id, 'templateTest': True, 'data': 'Data for ID: ' + id})}
    return {'uri': uri, **RESOURCES[uri]}


def answer(method, p):
    if method == 'initialize':
        return {'protocolVersion': p['protocolVersion'], 'serverInfo': {'name': 'reference', 'version': '1'},
                'capabilities': {'tools': {}, 'prompts': {}, 'resources': {'subscribe': True},
                                 'logging': {}, 'completions': {}}}
    if method == 'tools/list':
        return {'tools': [{'name': name, 'description': name, 'inputSchema': SCHEMA if '2020' in name else
                           {'type': 'object', 'properties': {}}} for name in TOOLS]}
    if method == 'tools/call':
        if not TOOLS[p['name']]:
            return {'content': [text('This tool intentionally returns an error for testing')], 'isError': True}
        return {'content': TOOLS[p['name']](p)}
    if method == 'prompts/list':
        return {'prompts': [{'name': name, 'description': name, 'arguments': []} for name in PROMPTS]}
    if method == 'prompts/get':
        return {'messages': [{'role': 'user', 'content': c}
                             for c in PROMPTS[p['name']](p.get('arguments', {}))]}
    if method == 'resources/list':
        return {'resources': [{'uri': uri, 'name': uri, 'description': uri, 'mimeType': r['mimeType']}
                              for uri, r in RESOURCES.items()]}
    if method == 'resources/templates/list':
        return {'resourceTemplates': [{'uriTemplate': 'test://template/{id}/data', 'name': 'template'}]}
    if method == 'resources/read':
        return {'contents': [read(p['uri'])]}
    if method == 'completion/complete':
        return {'completion': {'values': ['paris', 'park', 'party'], 'total': 150, 'hasMore': False}}
    return {}


def run(m):
    try:
        send(id=m['id'], result=answer(m['method'], m.get('params', {})))
    except KeyError as e:
        send(id=m['id'], error={'code': -32602, 'message': 'unknown: %s' % e})


for line in sys.stdin:
    message = json.loads(line)
    if 'method' in message and 'id' in message:
        threading.Thread(target=run, args=(message,)).start()
    elif 'id' in message:
        with arrived:
            answers[message['id']] = message
            arrived.notify_all()
