"""A scripted model on loopback, in the protocols that agents speak.  It has no memory: a request without
a result of a tool gets the call, one with a result the final text, one without tools a short text."""

import http.server
import json
import threading

from tools import offered

FINAL = 'FINAL-TEXT'


def text_of(v):
    return v if isinstance(v, str) else json.dumps(v)


class Model:
    # What Auggie asks its service before it starts; hooks are behind a flag there.
    AUGGIE = {
        '/get-models': {'default_model': 'fake', 'models': [
            {'name': 'fake', 'internal_name': 'fake', 'suggested_prefix_char_count': 1,
             'suggested_suffix_char_count': 1}], 'feature_flags': {'enable_hooks': True}, 'languages': [],
                        'user': {'id': 'u', 'email': 'u@example.com'}},
        '/agents/list-remote-tools': {'tools': []},
        '/settings/get-mcp-tenant-configs': {'configs': []},
        '/settings/get-mcp-user-configs': {'configs': []},
    }

    def __init__(self, command, cwd='/'):
        self.command, self.cwd, self.requests, self.tools = command, cwd, [], {}
        model = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = 'HTTP/1.1'

            def log_message(self, *_):
                pass

            def send(self, body, kind='application/json'):
                body = body if isinstance(body, bytes) else body.encode()
                self.send_response(200)
                self.send_header('Content-Type', kind)
                self.send_header('Content-Length', str(len(body)))
                try:
                    self.end_headers()
                    self.wfile.write(body)
                except ConnectionError:
                    self.close_connection = True

            def do_HEAD(self):
                self.send('')

            def do_GET(self):
                self.send(json.dumps({'data': [], 'models': []}))

            def do_POST(self):
                raw = self.rfile.read(int(self.headers.get('Content-Length') or 0))
                path = self.path.split('?')[0]
                try:
                    body = json.loads(raw)
                except ValueError:
                    body = {}
                model.tools.update(offered(body.get('tools') or body.get('tool_definitions')))
                if path.endswith('/messages'):
                    self.send(*model.anthropic(body))
                elif path.endswith('/responses'):
                    self.send(*model.responses(body))
                elif path.endswith('/chat/completions'):
                    self.send(*model.chat(body))
                elif ':streamGenerateContent' in path or ':generateContent' in path:
                    self.send(*model.gemini(body, 'stream' in path))
                elif path in model.AUGGIE:
                    self.send(json.dumps(model.AUGGIE[path]))
                elif path == '/chat-stream':
                    self.send(*model.auggie(body))
                elif path.endswith('count_tokens'):
                    self.send('{"input_tokens":10}')
                else:
                    self.send('{}')

        self.server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
        self.server.daemon_threads = True
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()
        self.server.server_close()

    def results(self):
        """What the model was told after its calls."""
        return [r['result'] for r in self.requests if r['result'] is not None]

    def said(self):
        return '\n'.join(r['text'] for r in self.requests)

    def step(self, tools, result, text):
        """The call, or None for the final text; None, too, for a side job."""
        if not tools:
            return 'side'
        self.requests.append({'result': result, 'text': text})
        return 'call' if result is None else 'final'

    def pick(self, names):
        """Which of the tools that are offered runs a command, and how it takes it."""
        for name, arg in (('Bash', 'command'), ('bash', 'command'), ('exec_command', 'cmd'),
                          ('shell', 'command'), ('run_shell_command', 'command'), ('exec', 'command'),
                          ('Execute', 'command'), ('run_commands', 'commands'),
                          ('launch-process', 'command'), ('run_terminal_command', 'command')):
            if name in names:
                args = {arg: [self.command] if arg == 'commands' else self.command}
                if name == 'shell':
                    args[arg] = ['bash', '-lc', self.command]
                args['description' if name != 'Execute' else 'summary'] = 'run'
                if name in ('exec_command', 'exec', 'run_commands', 'launch-process'):
                    args.pop('description')
                if name == 'launch-process':
                    args.update(wait=True, max_wait_seconds=60, cwd=self.cwd)
                return name, args
        return None, None

    # ---- Anthropic Messages ----

    def anthropic(self, body):
        names = [t.get('name') for t in body.get('tools') or []]
        result = None
        for message in body.get('messages') or []:
            for part in message['content'] if isinstance(message['content'], list) else []:
                if part.get('type') == 'tool_result':
                    result = text_of(part.get('content'))
        step = self.step(names, result, json.dumps(body.get('messages')))
        name, args = self.pick(names)
        block = {'type': 'text', 'text': FINAL if step == 'final' else 'ok'}
        if step == 'call' and name:
            block = {'type': 'tool_use', 'id': 'toolu_1', 'name': name, 'input': args}
        stop = 'tool_use' if block['type'] == 'tool_use' else 'end_turn'
        usage = {'input_tokens': 10, 'output_tokens': 2}
        whole = {'id': 'm', 'type': 'message', 'role': 'assistant', 'model': 'm', 'content': [block],
                 'stop_reason': stop, 'stop_sequence': None, 'usage': usage}
        if not body.get('stream'):
            return json.dumps(whole), 'application/json'
        start = dict(block, input={}) if stop == 'tool_use' else dict(block, text='')
        delta = {'type': 'input_json_delta', 'partial_json': json.dumps(args)} \
            if stop == 'tool_use' else {'type': 'text_delta', 'text': block['text']}
        events = [
            {'type': 'message_start', 'message': dict(whole, content=[], stop_reason=None)},
            {'type': 'content_block_start', 'index': 0, 'content_block': start},
            {'type': 'content_block_delta', 'index': 0, 'delta': delta},
            {'type': 'content_block_stop', 'index': 0},
            {'type': 'message_delta', 'delta': {'stop_reason': stop, 'stop_sequence': None},
             'usage': usage},
            {'type': 'message_stop'}]
        return ''.join('event: %s\ndata: %s\n\n' % (e['type'], json.dumps(e))
                       for e in events), 'text/event-stream'

    # ---- OpenAI Responses ----

    def responses(self, body):
        names = [t.get('name') or t.get('type') for t in body.get('tools') or []]
        result = None
        for item in body.get('input') or []:
            if isinstance(item, dict) and item.get('type', '').endswith('call_output'):
                result = text_of(item.get('output'))
        step = self.step(names, result, json.dumps(body.get('input')))
        name, args = self.pick(names)
        item = {'type': 'message', 'id': 'm1', 'role': 'assistant', 'status': 'completed',
                'content': [{'type': 'output_text', 'annotations': [],
                             'text': FINAL if step == 'final' else 'ok'}]}
        if step == 'call' and name:
            item = {'type': 'function_call', 'id': 'f1', 'call_id': 'call_1', 'name': name,
                    'arguments': json.dumps(args), 'status': 'completed'}
        done = {'id': 'r', 'object': 'response', 'status': 'completed', 'output': [item],
                'usage': {'input_tokens': 10, 'output_tokens': 2, 'total_tokens': 12,
                          'input_tokens_details': {'cached_tokens': 0},
                          'output_tokens_details': {'reasoning_tokens': 0}}}
        events = [('response.created', {'response': dict(done, status='in_progress', output=[])}),
                  ('response.output_item.added', {'output_index': 0, 'item': item}),
                  ('response.output_item.done', {'output_index': 0, 'item': item}),
                  ('response.completed', {'response': done})]
        return ''.join('event: %s\ndata: %s\n\n' % (n, json.dumps(dict(v, type=n)))
                       for n, v in events), 'text/event-stream'

    # ---- OpenAI Chat ----

    def chat(self, body):
        names = [t.get('function', {}).get('name') for t in body.get('tools') or []]
        result = None
        for message in body.get('messages') or []:
            if message.get('role') == 'tool':
                result = text_of(message.get('content'))
        step = self.step(names, result, json.dumps(body.get('messages')))
        name, args = self.pick(names)
        message = {'role': 'assistant', 'content': FINAL if step == 'final' else 'ok'}
        if step == 'call' and name:
            message = {'role': 'assistant', 'content': None, 'tool_calls': [
                {'index': 0, 'id': 'call_1', 'type': 'function',
                 'function': {'name': name, 'arguments': json.dumps(args)}}]}
        end = 'tool_calls' if message.get('tool_calls') else 'stop'
        base = {'id': 'c', 'created': 1, 'model': 'fake'}
        usage = {'prompt_tokens': 10, 'completion_tokens': 2, 'total_tokens': 12}
        if not body.get('stream'):
            return json.dumps(dict(base, object='chat.completion', usage=usage, choices=[
                {'index': 0, 'message': message, 'finish_reason': end}])), 'application/json'
        chunks = [dict(base, object='chat.completion.chunk', choices=[
            {'index': 0, 'delta': message, 'finish_reason': None}]),
                  dict(base, object='chat.completion.chunk', usage=usage, choices=[
                      {'index': 0, 'delta': {}, 'finish_reason': end}])]
        return ''.join('data: %s\n\n' % json.dumps(c) for c in chunks) + 'data: [DONE]\n\n', \
            'text/event-stream'

    # ---- Gemini ----

    def gemini(self, body, stream):
        names = [f['name'] for t in body.get('tools') or [] for f in t.get('functionDeclarations') or []]
        result = None
        for content in body.get('contents') or []:
            for part in content.get('parts') or []:
                if 'functionResponse' in part:
                    result = text_of(part['functionResponse'].get('response'))
        step = self.step(names, result, json.dumps(body.get('contents')))
        name, args = self.pick(names)
        part = {'text': FINAL if step == 'final' else 'ok'}
        if step == 'call' and name:
            part = {'functionCall': {'name': name, 'args': args}}
        answer = {'candidates': [{'content': {'role': 'model', 'parts': [part]}, 'index': 0,
                                  'finishReason': 'STOP'}],
                  'usageMetadata': {'promptTokenCount': 10, 'candidatesTokenCount': 2,
                                    'totalTokenCount': 12}}
        if not stream:
            return json.dumps(answer), 'application/json'
        return 'data: %s\n\n' % json.dumps(answer), 'text/event-stream'

    # ---- Auggie ----

    def auggie(self, body):
        names = [t.get('name') for t in body.get('tool_definitions') or []]
        result = None
        for node in body.get('nodes') or []:
            if 'tool_result_node' in node:
                result = text_of(node['tool_result_node'].get('content'))
        step = self.step(names, result, json.dumps([body.get('message'), body.get('nodes'),
                                                    body.get('chat_history')]))
        name, args = self.pick(names)
        nodes = [{'id': 0, 'type': 0, 'content': FINAL if step == 'final' else 'ok'}]
        if step == 'call' and name:
            nodes = [{'id': 0, 'type': 5, 'content': '', 'tool_use': {
                'tool_use_id': 't1', 'tool_name': name, 'input_json': json.dumps(args)}}]
        rest = {'unknown_blob_names': [], 'checkpoint_not_found': False, 'workspace_file_chunks': []}
        lines = [dict(rest, text=nodes[0]['content'], nodes=nodes),
                 dict(rest, text='', nodes=[], stop_reason=3 if nodes[0]['type'] == 5 else 1)]
        return ''.join(json.dumps(line) + '\n' for line in lines), 'application/json'
