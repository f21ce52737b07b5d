"""What tests/compat/run does with both programs: settings, hooks, a scripted model, a prompt.

A model is a list of answers, an answer a list of chunks.  `hooks` says what the hook of an event
prints, the first time, the second time, and so on: an object, or (exit status, stdout, stderr).
On all other events a hook that only records is registered too."""


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


THOUGHT = {'text': 'a thought', 'thought': True}
YOLO = ['--approval-mode', 'yolo']
DONE = text('Done.')
READ = calls(call('read_file', file_path='notes.md'))
WRITE = calls(call('write_file', file_path='new.txt', content='one\n'))
SHELL = calls(call('run_shell_command', command='echo hi'))
DENY = {'decision': 'deny', 'reason': 'not today'}
STOP = {'continue': False, 'stopReason': 'enough now'}

# name: what to do.  Keys: hooks, model, prompt, args, stdin, settings (of the user), files, env
# (None removes); `wire` = over HTTP, where the requests are compared; `then` = keys of a second
# run, whose end is compared.
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
