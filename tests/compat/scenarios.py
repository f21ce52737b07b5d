"""What tests/compat/run does with both programs: settings, hooks, a scripted model, a prompt.

A model is a list of answers, an answer a list of chunks.  `hooks` says what the hook of an event
prints, the first time, the second time, and so on: an object, or (exit status, stdout, stderr).
On all other events a hook that only records is registered too."""

import json
import os


def chunk(*parts, end=None):
    candidate = {'content': {'role': 'model', 'parts': list(parts)}, 'index': 0}
    if end:
        candidate['finishReason'] = end
    return {'candidates': [candidate], 'usageMetadata': {
        'promptTokenCount': 10, 'candidatesTokenCount': 5, 'totalTokenCount': 15}}


def text(*pieces):
    *first, last = pieces
    return [chunk({'text': piece}) for piece in first] + [chunk({'text': last}, end='STOP')]


def call(name, /, **args):
    return {'functionCall': {'name': name, 'args': args}}


def calls(*parts):
    return [chunk(*parts, end='STOP')]


def out(**fields):
    return {'hookSpecificOutput': fields}


with open(os.path.join(os.path.dirname(__file__), 'server.py'), encoding='utf-8') as source:
    SERVER_TEXT = source.read()
THOUGHT = {'text': 'a thought', 'thought': True}
YOLO = ['--approval-mode', 'yolo']
DONE = text('Done.')
READ = calls(call('read_file', file_path='notes.md'))
WRITE = calls(call('write_file', file_path='new.txt', content='one\n'))
SHELL = calls(call('run_shell_command', command='echo hi'))
PLUM = ('---\nname: plum\ndescription: Knows plums.\ntools: [read_file, write_file]\n'
        'model: gemini-2.5-pro\nmax_turns: 3\n---\nYou are a plum.\n')
DENY = {'decision': 'deny', 'reason': 'not today'}
STOP = {'continue': False, 'stopReason': 'enough now'}

# name: what to do.  Keys: hooks, model, prompt, args, stdin, settings (of the user), files, env
# (None removes); `wire` = over HTTP, where the requests are compared; `then` = keys of a second
# run, whose end is compared.  `run` = command lines, of which exit status, files and the words of
# `says` are compared.  In files, settings and commands %project% and %home% are the folders.
SCENARIOS = {
    # What goes over the wire.
    'plain': dict(model=[text('Hel', 'lo ', 'world')], wire=True),
    'json': dict(model=[text('Hello')], args=['-o', 'json']),
    'stream-json': dict(model=[READ, DONE], args=['-o', 'stream-json']),
    'stdin': dict(model=[DONE], stdin='from a pipe\n', wire=True),
    'at-file': dict(model=[DONE], prompt='what says @notes.md here?', wire=True),
    'context-files': dict(model=[DONE], wire=True, files={
        'GEMINI.md': 'Speak plainly.\n', '~/.gemini/GEMINI.md': 'Speak softly.\n'}),
    'tools': dict(wire=True, model=[
        [chunk({'text': 'Looking. '}), chunk(
            {**call('read_file', file_path='notes.md'), 'thoughtSignature': 'c2ln'},
            {'functionCall': {'name': 'list_directory', 'args': {'dir_path': '.'}, 'id': 'own-7'}},
            end='STOP')],
        calls(call('run_shell_command', command='echo hi; exit 3'), call('nope'),
              call('read_file', file_path='none.md'), call('read_file')),
        [chunk(THOUGHT, {'text': 'Done'}), chunk({'text': '.'}, end='STOP')]]),
    'files': dict(wire=True, model=[
        WRITE, calls(call('replace', file_path='new.txt', instruction='count on', old_string='one',
                          new_string='two')),
        calls(call('replace', file_path='new.txt', instruction='count on', old_string='one',
                   new_string='two')),
        calls(call('write_file', file_path='new.txt', content='three\n'),
              call('write_file', file_path='/etc/new.txt', content='no\n')), DONE]),
    'searches': dict(wire=True, files={'src/a.c': 'int needle;\n', 'src/b.c': 'int hay;\n'}, model=[
        calls(call('glob', pattern='**/*.c'), call('grep_search', pattern='needle'),
              call('grep_search', pattern='absent'), call('list_directory', dir_path='src')),
        calls(call('glob', pattern='*.none'), call('read_file', file_path='src'),
              call('list_directory', dir_path='nowhere')), DONE]),
    'old-name': dict(wire=True, model=[calls(call('search_file_content', pattern='plum')), DONE]),
    'plan-mode': dict(wire=True, args=['--approval-mode', 'default'], model=[
        calls(call('enter_plan_mode', reason='to think')), WRITE, DONE]),
    'agent': dict(wire=True, files={'~/.gemini/agents/plum.md': PLUM}, model=[
        calls(call('invoke_agent', agent_name='plum', prompt='eat it')), READ,
        calls(call('complete_task', result='eaten')), DONE]),
    'agent-unknown': dict(wire=True, model=[
        calls(call('invoke_agent', agent_name='nobody', prompt='eat it')), DONE]),
    'default-mode': dict(model=[SHELL, WRITE, READ, DONE], args=[], wire=True),
    'skills': dict(wire=True, files={
        '~/.gemini/skills/lasso/SKILL.md': '---\nname: lasso\ndescription: For cows.\n---\nThrow it.\n',
        '~/.gemini/skills/lasso/knots.txt': 'a knot\n'}, model=[
            calls(call('activate_skill', name='lasso'), call('activate_skill', name='rope')),
            calls(call('read_file', file_path='../home/.gemini/skills/lasso/knots.txt')), DONE]),
    'web-search': dict(wire=True, model=[
        calls(call('google_web_search', query='plums')), text('Plums are purple.'), DONE]),
    'todos': dict(wire=True, model=[calls(call('write_todos', todos=[
        {'description': 'begin', 'status': 'in_progress'},
        {'description': 'end', 'status': 'pending'}])), DONE]),

    'history': dict(wire=True, hooks={'AfterAgent': [DENY]}, model=[
        [chunk(THOUGHT), chunk({'text': 'One', 'thoughtSignature': 'c2ln'}),
         chunk({'text': ' and '}), chunk({'text': 'two.'}), chunk(end='STOP')], DONE]),
    'history-gemini-3': dict(wire=True, model=[READ, DONE],
                             args=['-m', 'gemini-3-pro-preview'] + YOLO),
    'web-fetch': dict(wire=True, model=[
        calls(call('web_fetch', prompt='sum up http://127.0.0.1:9/none')), text('No.'), DONE]),
    'shell': dict(wire=True, model=[calls(
        call('run_shell_command', command='echo out; echo err >&2'),
        call('run_shell_command', command='true'),
        call('run_shell_command', command='kill -9 $$'),
        call('run_shell_command', command='echo $(id)'),
        call('run_shell_command', command='sleep 1 & echo started')), DONE]),

    'resume': dict(wire=True, model=[READ, text('One.'), DONE], then=dict(
        args=['--resume', 'latest'] + YOLO, prompt='and now?')),
    'list-sessions': dict(model=[DONE], then=dict(args=['--list-sessions'], prompt=None)),

    # Ends.
    'no-key': dict(model=[DONE], env={'GEMINI_API_KEY': None}, settings={'security': {}}),
    'bad-settings': dict(model=[DONE], files={'.gemini/settings.json': '{ "model": '}),
    'api-error': dict(model=[], wire=True),
    'api-error-json': dict(model=[], wire=True, args=['-o', 'json']),
    'api-error-stream': dict(model=[], wire=True, args=['-o', 'stream-json']),
    'cut-stream': dict(model=[[chunk({'text': 'Hel'})]] * 4, wire=True),
    'no-input': dict(model=[DONE], prompt=None),
    'no-more-answers': dict(model=[READ]),
    'bad-flag': dict(model=[DONE], args=['--nope']),
    'bad-format': dict(model=[DONE], args=['-o', 'xml']),
    'turn-limit': dict(model=[READ, READ, READ], settings={'model': {'maxSessionTurns': 2}}),
    'turn-limit-json': dict(model=[READ, READ], settings={'model': {'maxSessionTurns': 1}},
                            args=['-o', 'json', '--approval-mode', 'yolo']),
    'unknown-command': dict(model=[DONE], prompt='/nothing here'),

    # Hooks.
    'session-context': dict(hooks={'SessionStart': [out(additionalContext='It is <Monday>.')]},
                            model=[DONE], wire=True),
    'session-message': dict(hooks={'SessionStart': [{'systemMessage': 'welcome'}],
                                   'SessionEnd': [{'systemMessage': 'goodbye'}]}, model=[DONE]),
    'compress-message': dict(hooks={'PreCompress': [{'systemMessage': 'tidy'}]}, model=[DONE]),
    'agent-context': dict(hooks={'BeforeAgent': [out(additionalContext='Be <brief>.')]},
                          model=[READ, DONE], wire=True),
    'agent-deny': dict(hooks={'BeforeAgent': [DENY]}, model=[DONE]),
    'agent-stop': dict(hooks={'BeforeAgent': [STOP]}, model=[DONE]),
    'agent-deny-json': dict(hooks={'BeforeAgent': [DENY]}, model=[DONE], args=['-o', 'json']),
    'agent-deny-stream': dict(hooks={'BeforeAgent': [DENY]}, model=[DONE],
                              args=['-o', 'stream-json']),
    'after-agent-deny': dict(wire=True, hooks={'AfterAgent': [DENY]},
                             model=[text('One.'), text('Two.')]),
    'after-agent-clear': dict(hooks={'AfterAgent': [{**DENY, **out(clearContext=True)}]},
                              model=[text('One.'), text('Two.')], wire=True),
    'after-agent-stop': dict(hooks={'AfterAgent': [STOP]}, model=[DONE]),
    'model-deny': dict(hooks={'BeforeModel': [DENY]}, model=[DONE]),
    'model-stop': dict(hooks={'BeforeModel': [STOP]}, model=[DONE]),
    'model-answer': dict(model=[DONE], hooks={'BeforeModel': [{**DENY, **out(llm_response={
        'candidates': [{'content': {'role': 'model', 'parts': ['made up']}}]})}]}),
    'model-rewrite': dict(wire=True, model=[DONE], hooks={'BeforeModel': [out(llm_request={
        'model': 'gemini-2.5-pro', 'messages': [{'role': 'user', 'content': 'say plum'}],
        'config': {'temperature': 0.5, 'topP': 0.9, 'topK': 10, 'maxOutputTokens': 99}})]}),
    'tool-choice': dict(wire=True, model=[DONE], hooks={'BeforeToolSelection': [out(toolConfig={
        'mode': 'ANY', 'allowedFunctionNames': ['read_file', 'glob']})]}),
    'tool-choice-none': dict(wire=True, model=[DONE], hooks={
        'BeforeToolSelection': [out(toolConfig={'mode': 'NONE'})]}),
    'redaction': dict(model=[text('the secret ', 'is out')], hooks={'AfterModel': [out(
        llm_response={'candidates': [{'content': {'role': 'model', 'parts': ['[gone] ']}}]})]}),
    'after-model-deny': dict(hooks={'AfterModel': [DENY]}, model=[text('One ', 'two')]),
    'after-model-stop': dict(hooks={'AfterModel': [STOP]}, model=[text('One ', 'two')]),
    'tool-deny': dict(hooks={'BeforeTool': [DENY]}, model=[READ, DONE], wire=True),
    'tool-deny-exit-2': dict(wire=True, hooks={'BeforeTool': [(2, '', 'go away')]},
                             model=[READ, DONE]),
    'tool-stop': dict(hooks={'BeforeTool': [STOP]}, model=[READ, DONE]),
    'tool-rewrite': dict(wire=True, model=[WRITE, DONE], hooks={'BeforeTool': [out(tool_input={
        'file_path': 'other.txt', 'content': 'two\n'})]}),
    'tool-text': dict(hooks={'BeforeTool': [(0, 'no JSON here', '')]}, model=[READ, DONE]),
    'tool-fails': dict(hooks={'BeforeTool': [(1, '', 'broken hook')]}, model=[READ, DONE]),
    'tool-message': dict(hooks={'BeforeTool': [{'systemMessage': 'I saw that'}]},
                         model=[READ, DONE]),
    'result-context': dict(hooks={'AfterTool': [out(additionalContext='It is <old>.')]},
                           model=[READ, DONE], wire=True),
    'result-deny': dict(hooks={'AfterTool': [DENY]}, model=[READ, DONE], wire=True),
    'result-stop': dict(hooks={'AfterTool': [STOP]}, model=[READ, DONE]),
    'tail-call': dict(wire=True, model=[READ, DONE], hooks={'AfterTool': [out(tailToolCallRequest={
        'name': 'list_directory', 'args': {'dir_path': '.'}})]}),
}


def server(offer, **more):
    """Settings of a server that offers this: tests/compat/server.py."""
    return {'command': 'python3', 'args': ['%server%', json.dumps(offer)], **more}


def servers(settings=None, **named):
    return {'settings': {'mcpServers': {name.replace('_', '-'): s for name, s in named.items()},
                         **(settings or {})}}


def mcp(*parts, **more):
    return {'wire': True, 'model': [calls(*parts), DONE], **more}


PICTURE = {'type': 'image', 'data': 'iVBORw0KGgo=', 'mimeType': 'image/png'}
TEXT = {'type': 'text', 'text': 'a text'}
ONE = {'tools': {'one': 'result of one', 'two': 'result of two'}}
ASK = ['--approval-mode', 'default']
TOML = 'description = "A command"\nprompt = """%s"""\n'


def command(prompt):
    return 'description = "A command"\nprompt = \'\'\'%s\'\'\'\n' % prompt


def skill(name, body='Do it.\n', said='Does it.'):
    return '---\nname: %s\ndescription: %s\n---\n%s' % (name, said, body)


def extension(name='plum', **manifest):
    return {'name': name, 'version': '1.0.0', **manifest}


SINGLE = {'mcp': {'toolNaming': 'single'}}
EXT = '~/.gemini/extensions/plum/'

SCENARIOS.update({
    # Servers.
    'mcp-calls': mcp(call('mcp_plum_one', text='x'), call('mcp_plum_echo', text='y', n=[1, {'a': None}]),
                     **servers(plum=server({'tools': {'one': 'result of one', 'echo': 'echo'}}))),
    'mcp-stream': {**mcp(call('mcp_plum_one', text='x'), call('mcp_plum_bad'), **servers(
        plum=server({'tools': {'one': 'result of one', 'bad': {'result': {
            'content': [TEXT], 'isError': True}}}}))), 'args': ['-o', 'stream-json']},
    'mcp-naming': mcp(call('mcp_plum_one', text='x'), **servers({'mcp': {'toolNaming': 'double'}},
                                                               plum=server(ONE))),
    'mcp-results': mcp(*(call('mcp_plum_' + n) for n in ('bad', 'picture', 'mixed', 'empty', 'none', 'link', 'inside', 'blob', 'sound', 'lines', 'structured', 'refuse')), **servers(
        plum=server({'tools': {
            'bad': {'result': {'content': [{'type': 'text', 'text': 'it went wrong'}], 'isError': True}},
            'picture': {'result': {'content': [PICTURE]}},
            'mixed': {'result': {'content': [TEXT, PICTURE, {'type': 'text', 'text': 'more'}]}},
            'empty': {'result': {'content': []}},
            'none': {'result': {}},
            'link': {'result': {'content': [{'type': 'resource_link', 'uri': 'test://a', 'name': 'a', 'title': 'A'}]}},
            'inside': {'result': {'content': [{'type': 'resource', 'resource': {'uri': 'test://a', 'text': 'inside'}}]}},
            'blob': {'result': {'content': [{'type': 'resource', 'resource': {
                'uri': 'test://a', 'blob': 'AAAA', 'mimeType': 'application/pdf'}}]}},
            'sound': {'result': {'content': [{'type': 'audio', 'data': 'AAAA', 'mimeType': 'audio/wav'}]}},
            'lines': {'result': {'content': [TEXT, TEXT]}},
            'structured': {'result': {'content': [TEXT], 'structuredContent': {'a': 1}}},
        }}))),
    'mcp-declarations': {**mcp(**servers(plum=server({'tools': {
        'titled': {'title': 'A title', 'annotations': {'readOnlyHint': True}},
        'bare': {'inputSchema': {'type': 'object'}, 'description': ''},
        'odd name/with+signs': {}, 'x' * 80: {},
        'deep': {'inputSchema': {'type': 'object', '$defs': {'n': {'properties': {'next': {'$ref': '#/$defs/n'}}}},
                                 'properties': {'root': {'$ref': '#/$defs/n'}}, 'required': ['root']}},
        'spaced.name:x': {'inputSchema': {'type': 'object', 'additionalProperties': False, '$schema': 'x'}}}}))),
        'model': [DONE]},
    'mcp-odd-names': mcp(call('mcp_plum_odd_name_with_signs'), call('mcp_plum_' + 'x' * 21 + '...' + 'x' * 30),
                         call('mcp_a_b_one'), call('mcp_a_b_two'), **servers(
        plum=server({'tools': {'odd name/with+signs': 'odd', 'x' * 80: 'long'}}), a_b=server(ONE))),
    'mcp-same-tool': mcp(call('mcp_plum_one'), call('mcp_pear_one'), **servers(
        plum=server(ONE), pear=server({'tools': {'one': 'of the pear'}}))),
    'mcp-include': mcp(call('mcp_plum_one'), call('mcp_plum_two'), call('mcp_pear_two'), **servers(
        plum=server(ONE, includeTools=['one']), pear=server(ONE, excludeTools=['one'], includeTools=['one', 'two(x)']))),
    'mcp-default': mcp(call('mcp_plum_one'), call('mcp_pear_one'), args=ASK, **servers(
        plum=server(ONE, trust=True), pear=server(ONE))),
    'mcp-allowed': mcp(call('mcp_plum_one'), call('mcp_pear_one'), args=ASK, **servers(
        {'mcp': {'allowed': ['plum']}}, plum=server(ONE), pear=server(ONE))),
    'mcp-excluded': mcp(call('mcp_plum_one'), call('mcp_pear_one'), **servers(
        {'mcp': {'excluded': ['plum']}}, plum=server(ONE), pear=server(ONE))),
    'mcp-allowed-tools': mcp(call('mcp_plum_one'), call('mcp_plum_two'), args=ASK, **servers(
        {'tools': {'allowed': ['mcp_plum_one']}}, plum=server(ONE))),
    'mcp-flag': mcp(call('mcp_plum_one'), call('mcp_pear_one'),
                    args=['--allowed-mcp-server-names', 'plum'] + YOLO,
                    **servers(plum=server(ONE), pear=server(ONE))),
    'mcp-flag-none': mcp(call('mcp_plum_one'), args=['--allowed-mcp-server-names', 'nope'] + YOLO,
                         **servers(plum=server(ONE))),
    'mcp-flag-over-settings': mcp(call('mcp_plum_one'), call('mcp_pear_one'),
                    args=['--allowed-mcp-server-names', 'plum,pear'] + YOLO,
                    **servers({'mcp': {'allowed': ['pear'], 'excluded': ['pear']}}, plum=server(ONE), pear=server(ONE))),
    'mcp-env': mcp(call('mcp_plum_env'), env={'PLUM_SET': 'set', 'PLUM_OTHER': 'other', 'PLUM_TOKEN': 'tok'}, **servers(
        plum=server({'tools': {'env': 'env'}}, env={'PLUM_A': '$PLUM_SET', 'PLUM_B': '${PLUM_SET}-b', 'PLUM_C': '$PLUM_NONE',
                                                    'PLUM_D': '${PLUM_NONE:-def}', 'PLUM_E': 'plain'}))),
    'mcp-args-env': mcp(call('mcp_plum_one'), env={'PLUM_OFFER': json.dumps(ONE)}, **servers(
        plum={'command': 'python3', 'args': ['%server%', '$PLUM_OFFER']})),
    'mcp-cwd': mcp(call('mcp_plum_cwd'), call('mcp_pear_cwd'), files={'sub/x': ''}, **servers(
        plum=server({'tools': {'cwd': 'cwd'}}, cwd='sub'), pear=server({'tools': {'cwd': 'cwd'}}))),
    'mcp-project': mcp(call('mcp_plum_one'), call('mcp_pear_one'), files={'.gemini/settings.json': {
        'mcpServers': {'plum': server({'tools': {'one': 'of the project'}})}}},
        **servers(plum=server(ONE), pear=server(ONE))),
    'mcp-hooks': mcp(call('mcp_plum_one', text='x'), hooks={
        'BeforeTool': [out(tool_input={'text': 'changed'})],
        'AfterTool': [out(additionalContext='Mind that.')]},
        **servers(plum=server({'tools': {'one': 'echo'}}))),
    'mcp-deny': mcp(call('mcp_plum_one', text='x'), hooks={'BeforeTool': [DENY]},
                    **servers(plum=server({'tools': {'one': 'echo'}}))),
    'mcp-tail-call': mcp(call('read_file', file_path='notes.md'), hooks={'AfterTool': [
        out(tailToolCallRequest={'name': 'mcp_plum_one', 'args': {'text': 'tail'}})]},
        **servers(plum=server({'tools': {'one': 'echo'}}))),
    'mcp-flag-comma': mcp(call('mcp_plum_one'), call('mcp_pear_one'), call('mcp_fig_one'),
                          args=['--allowed-mcp-server-names', 'plum,pear'] + YOLO,
                          **servers(plum=server(ONE), pear=server(ONE), fig=server(ONE))),
    'mcp-flag-default': mcp(call('mcp_plum_one'), args=['--allowed-mcp-server-names', 'plum'] + ASK,
                            **servers(plum=server(ONE), pear=server(ONE))),
    'tool-error-stream': dict(model=[calls(call('read_file', file_path='none.md')), DONE],
                              args=['-o', 'stream-json']),
    'tool-error-json': dict(model=[calls(call('read_file', file_path='none.md')), DONE],
                            args=['-o', 'json']),
    'mcp-matchers': {**mcp(call('mcp_plum_one', text='x')), **servers(plum=server(ONE)), 'files': {
        '.gemini/settings.json': {'hooks': {'BeforeTool': [
            {'matcher': m, 'hooks': [{'type': 'command', 'command': 'cat >/dev/null; echo >ran.%d' % i}]}
            for i, m in enumerate(('mcp_plum_one', 'mcp_plum_.*', 'mcp__plum__.*', 'plum', 'one', 'mcp_.*', '*'))]}}}},
    'mcp-fails': dict(wire=True, model=[DONE], **servers(
        plum=server({'stderr': 'I cannot\n', 'exit': 3}), pear={'command': 'no-such-program-here'}, fig=server(ONE))),
    'mcp-fails-json': dict(model=[DONE], args=['-o', 'json'], **servers(
        plum=server({'stderr': 'I cannot\n', 'exit': 3}), fig=server(ONE))),
    'mcp-talks': mcp(call('mcp_plum_one'), **servers(plum=server({'stderr': 'I am here\n', **ONE}))),
    'mcp-instructions': dict(wire=True, model=[DONE], **servers(plum=server({
        'initialize': {'instructions': 'Use it well.'}, **ONE}))),
    'mcp-nothing': dict(wire=True, model=[DONE], **servers(plum=server({'tools': {}}))),
    'mcp-remote-fails': dict(wire=True, model=[DONE], **servers(plum={'httpUrl': 'http://127.0.0.1:9/mcp'}, pear={'url': 'http://127.0.0.1:9/sse'})),
    'mcp-resources': mcp(call('list_mcp_resources'), call('list_mcp_resources', serverName='plum'), call('list_mcp_resources', serverName='nope'), call('read_mcp_resource', uri='test://one'),
                         call('read_mcp_resource', uri='test://none'), call('read_mcp_resource'), **servers(
        plum=server({'resources': {'test://one': [{'text': 'first'}], 'test://two': [{'text': 'second'}]}, **ONE}))),
    'mcp-no-resources': mcp(call('list_mcp_resources'), call('read_mcp_resource', uri='test://one'),
                            **servers(plum=server(ONE))),
    'mcp-at-resource': dict(wire=True, model=[DONE], prompt='what says @plum:test://one here?', **servers(
        plum=server({'resources': {'test://one': [{'text': 'first'}]}}))),
    'mcp-prompt': dict(wire=True, model=[DONE], prompt='/greet --who="the \\"world\\"" --how=loudly', **servers(
        plum=server({'prompts': [{'name': 'greet', 'arguments': [{'name': 'who', 'required': True}, {'name': 'how'}]}]}))),
    'mcp-prompt-words': dict(wire=True, model=[DONE], prompt='/greet world loudly', **servers(
        plum=server({'prompts': [{'name': 'greet', 'arguments': [{'name': 'who', 'required': True}, {'name': 'how'}]}]}))),
    'mcp-prompt-plain': dict(wire=True, model=[DONE], prompt='/greet', **servers(
        plum=server({'prompts': [{'name': 'greet'}]}))),
    'mcp-prompt-missing': dict(wire=True, model=[DONE], prompt='/greet', **servers(
        plum=server({'prompts': [{'name': 'greet', 'arguments': [{'name': 'who', 'required': True}]}]}))),
    'mcp-prompt-messages': dict(wire=True, model=[DONE], prompt='/greet', **servers(
        plum=server({'prompts': [{'name': 'greet', 'messages': [{'role': 'user', 'content': TEXT}]}]}))),
    'mcp-prompt-help': dict(wire=True, model=[DONE], prompt='/greet help', **servers(
        plum=server({'prompts': [{'name': 'greet', 'arguments': [{'name': 'who', 'required': True}]}]}))),

    # Commands.
    'command': dict(wire=True, model=[DONE], prompt='/go', files={'.gemini/commands/go.toml': command('Just go.')}),
    'command-args': dict(wire=True, model=[DONE], prompt='/go  to   the "sea" ', files={
        '.gemini/commands/go.toml': command('Go {{args}}, {{args}}; {{ args }}.')}),
    'command-no-args': dict(wire=True, model=[DONE], prompt='/go', files={
        '.gemini/commands/go.toml': command('Go {{args}}.')}),
    'command-appended': dict(wire=True, model=[DONE], prompt='/go far  away', files={
        '~/.gemini/commands/go.toml': command('Go.')}),
    'command-nested': dict(wire=True, model=[DONE], prompt='/a:b:go', files={
        '~/.gemini/commands/a/b/go.toml': command('Nested.')}),
    'command-file': dict(wire=True, model=[DONE], prompt='/go', files={
        '~/.gemini/commands/go.toml': command('Read @{notes.md} now.')}),
    'command-folder': dict(wire=True, model=[DONE], prompt='/go', files={
        'sub/a.txt': 'aaa\n', '~/.gemini/commands/go.toml': command('Read @{sub}.')}),
    'command-no-file': dict(wire=True, model=[DONE], prompt='/go', files={
        '~/.gemini/commands/go.toml': command('Read @{none.md}.')}),
    'command-shell': dict(wire=True, model=[DONE], prompt='/go "it\'s me"', files={
        '~/.gemini/commands/go.toml': command('It is !{echo {{args}}; echo err >&2} for {{args}}.')}),
    'command-shell-fails': dict(wire=True, model=[DONE], prompt='/go', files={
        '~/.gemini/commands/go.toml': command('It is !{echo out; exit 3}!')}),
    'command-shell-default': dict(wire=True, model=[DONE], prompt='/go', args=ASK, files={
        '~/.gemini/commands/go.toml': command('It is !{touch here}!')}),
    'command-shell-allowed': dict(wire=True, model=[DONE], prompt='/go', args=ASK + ['--allowed-tools', 'run_shell_command(echo)'], files={
        '~/.gemini/commands/go.toml': command('It is !{echo this}!')}),
    'command-both-scopes': dict(wire=True, model=[DONE], prompt='/go', files={
        '~/.gemini/commands/go.toml': command('Of the user.'), '.gemini/commands/go.toml': command('Of the project.')}),
    'command-user-scope': dict(wire=True, model=[DONE], prompt='/user.go', files={
        '~/.gemini/commands/go.toml': command('Of the user.'), '.gemini/commands/go.toml': command('Of the project.')}),
    'command-workspace-scope': dict(wire=True, model=[DONE], prompt='/workspace.go', files={
        '~/.gemini/commands/go.toml': command('Of the user.'), '.gemini/commands/go.toml': command('Of the project.')}),
    'command-broken': dict(wire=True, model=[DONE], prompt='/go', files={
        '~/.gemini/commands/go.toml': 'prompt = "no end\n', '~/.gemini/commands/went.toml': 'description = "none"\n'}),
    'command-unknown': dict(wire=True, model=[DONE], prompt='/gone away', files={
        '~/.gemini/commands/go.toml': command('Go.')}),
    'command-at': dict(wire=True, model=[DONE], prompt='/go @notes.md', files={
        '~/.gemini/commands/go.toml': command('Go.')}),
    'command-builtin': dict(wire=True, model=[DONE], prompt='/help me', files={
        '~/.gemini/commands/help.toml': command('Help me.')}),
    'command-deny': dict(wire=True, model=[DONE], prompt='/go', hooks={'BeforeAgent': [DENY]}, files={
        '~/.gemini/commands/go.toml': command('Go.')}),
    'command-json': dict(model=[DONE], prompt='/go', args=['-o', 'json'], files={
        '~/.gemini/commands/go.toml': command('Go.')}),

    # Skills.
    'skill-folder': dict(wire=True, files={
        '~/.gemini/skills/lasso/SKILL.md': skill('lasso', 'Throw it.\n\nTwice.\n', 'For cows'),
        '~/.gemini/skills/lasso/scripts/a.sh': 'echo\n', '~/.gemini/skills/lasso/scripts/deep/er/b.sh': 'echo\n',
        '~/.gemini/skills/lasso/.hidden': 'x', '~/.gemini/skills/lasso/z.md': 'z',
        '~/.gemini/skills/lasso/node_modules/x/y.js': 'y'}, model=[
            calls(call('activate_skill', name='lasso')), calls(call('activate_skill', name='lasso')), calls(call('activate_skill')), DONE]),
    'skill-scopes': dict(wire=True, model=[calls(call('activate_skill', name='a'), call('activate_skill', name='b'), call('activate_skill', name='c')), DONE], files={
        '~/.gemini/skills/a/SKILL.md': skill('a', 'user a'), '.gemini/skills/a/SKILL.md': skill('a', 'project a'),
        '~/.agents/skills/b/SKILL.md': skill('b', 'user agents b'), '~/.gemini/skills/b/SKILL.md': skill('b', 'user b'),
        '.agents/skills/c/SKILL.md': skill('c', 'project agents c'), '.gemini/skills/c/SKILL.md': skill('c', 'project c')}),
    'skill-disabled': dict(wire=True, model=[calls(call('activate_skill', name='lasso')), DONE], settings={
        'skills': {'disabled': ['lasso']}}, files={'~/.gemini/skills/lasso/SKILL.md': skill('lasso'),
                                                   '~/.gemini/skills/rope/SKILL.md': skill('rope')}),
    'skills-off': dict(wire=True, model=[calls(call('activate_skill', name='lasso')), DONE], settings={
        'skills': {'enabled': False}}, files={'~/.gemini/skills/lasso/SKILL.md': skill('lasso')}),
    'skill-default': dict(wire=True, model=[calls(call('activate_skill', name='lasso')), DONE], args=ASK, files={
        '~/.gemini/skills/lasso/SKILL.md': skill('lasso')}),
    'skill-odd': dict(wire=True, model=[calls(call('activate_skill', name='a-b'), call('activate_skill', name='colon'), call('activate_skill', name='folded')), DONE], files={
        '~/.gemini/skills/x/SKILL.md': skill('a:b'), '~/.gemini/skills/none/SKILL.md': '---\nname: none\n---\nx\n',
        '~/.gemini/skills/bare/SKILL.md': 'no front matter\n',
        '~/.gemini/skills/colon/SKILL.md': skill('colon', said='Use it: when needed: always'),
        '~/.gemini/skills/folded/SKILL.md': '---\nname: folded\ndescription: >\n  one\n  two\n---\nFolded.\n',
        '~/.gemini/skills/SKILL.md': skill('top')}),

    # Extensions.
    'extension-context': dict(wire=True, model=[DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'GEMINI.md': 'Of the extension.\n', 'GEMINI.md': 'Of the project.\n'}),
    'extension-context-name': dict(wire=True, model=[DONE], files={
        EXT + 'gemini-extension.json': extension(contextFileName=['A.md', 'none.md', 'B.md']), EXT + 'GEMINI.md': 'Not me.\n',
        EXT + 'A.md': 'I am A.\n', EXT + 'B.md': 'I am B.\n'}),
    'extension-mcp': mcp(call('mcp_plum_one'), call('mcp_plum_cwd'), settings=SINGLE, files={
        EXT + 'gemini-extension.json': extension(mcpServers={'plum': {
            'command': 'python3', 'args': ['${extensionPath}${/}server.py', '{"tools": {"one": "one of ${extensionPath} ${workspacePath}", "cwd": "cwd"}}'],
            'cwd': '${extensionPath}', 'trust': True}}), EXT + 'server.py': SERVER_TEXT}),
    'extension-mcp-default': mcp(call('mcp_plum_one'), args=ASK, settings=SINGLE, files={
        EXT + 'gemini-extension.json': extension(mcpServers={'plum': server(ONE, trust=True)})}),
    'extension-mcp-override': mcp(call('mcp_plum_one'), files={
        EXT + 'gemini-extension.json': extension(mcpServers={'plum': server({'tools': {'one': 'of the extension'}})})},
        **servers(plum=server(ONE))),
    'extension-hooks': dict(wire=True, model=[READ, DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'hooks/hooks.json': {'hooks': {
            'BeforeTool': [{'matcher': 'read_file', 'hooks': [{'type': 'command', 'command': 'cat >/dev/null; echo "$0 ${extensionPath} $PWD" >"${workspacePath}/ran"', 'name': 'of-plum'}]}],
            'SessionStart': [{'hooks': [{'type': 'command', 'command': 'printf "{\\"hookSpecificOutput\\":{\\"additionalContext\\":\\"plums\\"}}"'}]}]}}}),
    'extension-bad-hooks': dict(wire=True, model=[DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'hooks/hooks.json': '{ "hooks": []}', EXT + 'GEMINI.md': 'Of the extension.\n'}),
    'extension-broken-hooks': dict(wire=True, model=[DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'hooks/hooks.json': '{ "hooks": ', EXT + 'GEMINI.md': 'Of the extension.\n'}),
    'extension-exclude': mcp(call('run_shell_command', command='echo hi'), call('list_directory', dir_path='.'), files={
        EXT + 'gemini-extension.json': extension(excludeTools=['list_directory', 'run_shell_command(rm)'])}),
    'extension-disabled': dict(wire=True, model=[DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'GEMINI.md': 'Of the extension.\n',
        '~/.gemini/extensions/extension-enablement.json': {'plum': {'overrides': ['!%home%/*', '!%project%/*']}}}),
    'extension-enabled-again': dict(wire=True, model=[DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'GEMINI.md': 'Of the extension.\n',
        '~/.gemini/extensions/extension-enablement.json': {'plum': {'overrides': ['!/*', '%project%/*']}}}),
    'extension-flag': dict(wire=True, model=[DONE], args=['-e', 'Plum', '--approval-mode', 'yolo'], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'GEMINI.md': 'Of plum.\n',
        '~/.gemini/extensions/pear/gemini-extension.json': extension('pear'), '~/.gemini/extensions/pear/GEMINI.md': 'Of pear.\n'}),
    'extension-none': dict(wire=True, model=[DONE], args=['-e', 'none', '--approval-mode', 'yolo'], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'GEMINI.md': 'Of plum.\n'}),
    'extension-commands': dict(wire=True, model=[DONE], prompt='/go', files={
        EXT + 'gemini-extension.json': extension(), EXT + 'commands/go.toml': command('Go.')}),
    'extension-command-conflict': dict(wire=True, model=[DONE], prompt='/plum.go', files={
        EXT + 'gemini-extension.json': extension(), EXT + 'commands/go.toml': command('Of the extension.'),
        '.gemini/commands/go.toml': command('Of the project.')}),
    'extension-command-lost': dict(wire=True, model=[DONE], prompt='/go', files={
        EXT + 'gemini-extension.json': extension(), EXT + 'commands/go.toml': command('Of the extension.'),
        '.gemini/commands/go.toml': command('Of the project.')}),
    'extension-skill': dict(wire=True, model=[calls(call('activate_skill', name='lasso')), DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'skills/lasso/SKILL.md': skill('lasso')}),
    'extension-policy': dict(wire=True, model=[SHELL, DONE], files={
        EXT + 'gemini-extension.json': extension(), EXT + 'policies/a.toml': '[[rule]]\ntoolName = "run_shell_command"\ndecision = "deny"\npriority = 100\n'}),
    'extension-bad': dict(wire=True, model=[DONE], files={
        EXT + 'gemini-extension.json': '{ "name": ', '~/.gemini/extensions/pear/GEMINI.md': 'x\n',
        '~/.gemini/extensions/fig/gemini-extension.json': {'name': 'fig'}, '~/.gemini/extensions/fig/GEMINI.md': 'Of fig.\n',
        '~/.gemini/extensions/odd/gemini-extension.json': extension('o d d'), '~/.gemini/extensions/odd/GEMINI.md': 'Of odd.\n'}),
    'extension-list': dict(model=[DONE], args=['-l'], prompt=None, files={
        EXT + 'gemini-extension.json': extension(), '~/.gemini/extensions/pear/gemini-extension.json': extension('pear')}),
    'extension-link': dict(wire=True, model=[DONE], files={
        'src/plum/gemini-extension.json': extension(), 'src/plum/GEMINI.md': 'Linked.\n',
        EXT + '.gemini-extension-install.json': {'source': '%project%/src/plum', 'type': 'link'}}),

    # Commands of the shell.
    'cli-mcp': dict(model=[], run=[
        ['mcp', 'list'], ['mcp', 'add', 'plum', 'node', 'server.js', '--flag'],
        ['mcp', 'add', '-e', 'A=1', '-s', 'user', '--timeout', '5', '--trust', '--description', 'a plum',
         'pear', '/bin/true', 'word'],
        ['mcp', 'add', 'kiwi', '--scope', 'user', '/bin/true'],
        ['mcp', 'add', 'lime', 'http://127.0.0.1:9/mcp', '-t', 'http', '-s', 'user'],
        ['mcp', 'add', '-t', 'http', '-H', 'X-A: b', 'fig', 'http://127.0.0.1:9/mcp'],
        ['mcp', 'add', '-t', 'sse', 'date', 'http://127.0.0.1:9/sse'],
        ['mcp', 'add', 'plum', 'node', 'other.js'],
        ['mcp', 'remove', 'fig'], ['mcp', 'remove', 'fig'], ['mcp', 'remove', '-s', 'user', 'none'],
        ['mcp', 'add', 'only-a-name'], ['mcp', 'add', '-t', 'nope', 'a', 'b'], ['mcp'], ['mcp', 'nope'],
        {'args': ['mcp', 'list'], 'says': ['plum', 'pear', 'date', 'node other.js']}]),
    'cli-mcp-enable': dict(model=[], settings={'mcpServers': {'Plum': {'command': 'true'}}}, run=[
        ['mcp', 'disable', 'Plum'], {'args': ['mcp', 'list'], 'says': ['Plum']},
        ['mcp', 'disable', 'none']]),
    'cli-mcp-enable-again': dict(model=[], settings={'mcpServers': {'Plum': {'command': 'true'}}}, run=[
        ['mcp', 'disable', 'Plum'], ['mcp', 'enable', 'Plum'], ['mcp', 'enable', 'Plum']]),
    'mcp-disabled': mcp(call('mcp_plum_one'), call('mcp_pear_one'), files={
        '~/.gemini/mcp-server-enablement.json': {'plum': {'enabled': False}}},
        **servers(plum=server(ONE), pear=server(ONE))),
    'cli-extensions': dict(model=[], files={'src/plum/gemini-extension.json': extension(), 'src/plum/GEMINI.md': 'Of plum.\n',
                                            'src/plum/commands/a.toml': command('x')}, run=[
        {'args': ['extensions', 'list']},
        {'args': ['extensions', 'install', 'src/plum'], 'stdin': 'y\n', 'says': ['plum']},
        {'args': ['extensions', 'list'], 'says': ['plum', '1.0.0']},
        ['extensions', 'install', 'src/plum', '--consent'],
        {'args': ['extensions', 'update', 'plum']},
        ['extensions', 'disable', 'plum', '--scope', 'workspace'], ['extensions', 'enable', 'plum', '--scope', 'workspace'],
        ['extensions', 'disable', 'none'], ['extensions', 'uninstall', 'none'], ['extensions', 'validate', 'src/plum'],
        ['extensions', 'validate', 'src'], ['extensions', 'install', 'nowhere', '--consent'], ['extensions', 'nope'], ['extensions']]),
    'cli-extensions-update': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        ['extensions', 'install', 'src/plum', '--consent'],
        {'args': ['extensions', 'update', 'plum'], 'write': {'src/plum/gemini-extension.json': extension(version='2.0.0')}, 'stdin': 'y\n', 'says': ['2.0.0']},
        {'args': ['extensions', 'list'], 'says': ['2.0.0']}]),
    'cli-extensions-update-all': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        ['extensions', 'install', 'src/plum', '--consent'],
        {'args': ['extensions', 'update', '--all'], 'write': {'src/plum/gemini-extension.json': extension(version='2.0.0')}, 'stdin': 'y\n', 'says': ['2.0.0']}]),
    'cli-extensions-disable': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        ['extensions', 'install', 'src/plum', '--consent'], ['extensions', 'disable', 'plum'], {'args': ['extensions', 'list'], 'says': ['plum']}]),
    'cli-extensions-enable': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        ['extensions', 'install', 'src/plum', '--consent'], ['extensions', 'disable', 'plum'], ['extensions', 'enable', 'plum']]),
    'cli-extensions-workspace': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        ['extensions', 'install', 'src/plum', '--consent'], ['extensions', 'disable', 'plum', '--scope', 'Workspace'], ['extensions', 'disable', 'plum', '--scope', 'nope']]),
    'cli-extensions-link': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        {'args': ['extensions', 'link', 'src/plum'], 'stdin': 'y\n'}, {'args': ['extensions', 'list'], 'says': ['plum', '1.0.0']}]),
    'cli-extensions-uninstall': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        ['extensions', 'install', 'src/plum', '--consent'], ['extensions', 'disable', 'plum'], {'args': ['extensions', 'uninstall', 'plum'], 'says': ['plum']}]),
    'cli-extensions-refuse': dict(model=[], files={'src/plum/gemini-extension.json': extension()}, run=[
        {'args': ['extensions', 'install', 'src/plum'], 'stdin': 'n\n'}]),
    'cli-extensions-bad': dict(model=[], files={'src/a/gemini-extension.json': '{', 'src/b/x': '', 'src/c/gemini-extension.json': {'name': 'c'},
                                                'src/d/gemini-extension.json': extension('d d'), 'src/e/gemini-extension.json': extension('e', version='x')}, run=[
        ['extensions', 'install', 'src/' + n, '--consent'] for n in 'abcde'] + [['extensions', 'validate', 'src/' + n] for n in 'abcde']),
    'cli-extensions-new': dict(model=[], run=[
        ['extensions', 'new', 'mine'], ['extensions', 'new', 'mine'], ['extensions', 'new', 'other', 'context'], ['extensions', 'new', 'third', 'nope']]),
    'cli-extensions-settings': dict(model=[], files={'src/plum/gemini-extension.json': extension(settings=[
        {'name': 'Key', 'description': 'a key', 'envVar': 'PLUM_KEY'}])}, run=[
        {'args': ['extensions', 'install', 'src/plum', '--consent', '--skip-settings']}, {'args': ['extensions', 'config', 'plum', 'PLUM_KEY'], 'stdin': 'v\n'}]),
    'cli-skills': dict(model=[], files={'~/.gemini/skills/lasso/SKILL.md': skill('lasso'), 'rope/SKILL.md': skill('rope'), 'bad/x': ''}, run=[
        {'args': ['skills', 'list'], 'says': ['lasso', 'Does it.']}, ['skills', 'disable', 'lasso'], {'args': ['skills', 'list'], 'says': ['lasso']},
        ['skills', 'enable', 'lasso'], ['skills', 'disable', 'lasso', '--scope', 'workspace'], ['skills', 'enable', 'none'],
        {'args': ['skills', 'install', 'rope', '--consent'], 'says': ['rope']}, ['skills', 'install', 'bad', '--consent'], ['skills', 'install', 'none', '--consent']]),
    'cli-skills-install': dict(model=[], files={'rope/SKILL.md': skill('rope'), 'rope/a/b.txt': 'x'}, run=[
        ['skills', 'install', 'rope', '--consent', '--scope', 'workspace'], {'args': ['skills', 'install', 'rope'], 'stdin': 'n\n'},
        {'args': ['skills', 'link', 'rope', '--consent']}, ['skills', 'list', '--all'], ['skills', 'nope'], ['skills']]),
    'cli-skills-uninstall': dict(model=[], files={'~/.gemini/skills/lasso/SKILL.md': skill('lasso'), '.gemini/skills/rope/SKILL.md': skill('rope')}, run=[
        ['skills', 'uninstall', 'lasso'], ['skills', 'uninstall', 'lasso'], ['skills', 'uninstall', 'rope', '--scope', 'workspace']]),
    'cli-migrate': dict(model=[], files={'.claude/settings.json': {'hooks': {
        'PreToolUse': [{'matcher': 'Bash|Edit', 'hooks': [{'type': 'command', 'command': '$CLAUDE_PROJECT_DIR/guard.sh', 'timeout': 5}]}],
        'UserPromptSubmit': [{'hooks': [{'type': 'command', 'command': 'echo hi'}]}], 'Stop': [{'hooks': [{'type': 'command', 'command': 'true'}]}]}},
        '.gemini/settings.json': {'ui': {'theme': 'x'}}}, run=[['hooks', 'migrate', '--from-claude'], ['hooks'], ['hooks', 'nope']]),
    'cli-migrate-none': dict(model=[], run=[['hooks', 'migrate', '--from-claude'], ['hooks', 'migrate']]),
})
