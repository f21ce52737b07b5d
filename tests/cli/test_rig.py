#!/usr/bin/env python3
"""The agent driven as test suites of Gemini CLI drive theirs.  Prints TAP.

Settings with telemetry stand in the project and in the home (GEMINI_CLI_HOME) alike, recorded
answers take the place of the model, and what is judged is the text of a run, stdout and stderr
together, the telemetry file, and files.  The hooks are scripts with a path of their own."""

import json
import os
import re
import shlex
import subprocess
import sys

import scenarios
from agentbox import RUN_S, TROTLINE, Box, Failed, Tap, call, check, say, wait_until

PYTHON = shlex.quote(sys.executable)
ALLOW = '{"decision": "allow"}'
scn = scenarios.load()


class Rig(Box):
    def __init__(self, answers=(), settings=None, strict=True):
        super().__init__()
        self.env.update(HOME=self.root, GEMINI_CLI_HOME=self.home, GEMINI_API_KEY='fake',
                        GEMINI_CLI_INTEGRATION_TEST='true')
        del self.env['GEMINI_CLI_TRUST_WORKSPACE']
        self.telemetry = os.path.join(self.project, 'telemetry.log')
        self.fake = self.answers(*answers)
        self.flag = '--fake-responses' + ('' if strict else '-non-strict')
        self.configure(settings or {})

    def configure(self, settings):
        base = {
            'general': {'disableAutoUpdate': True, 'previewFeatures': False},
            'telemetry': {'enabled': True, 'target': 'local', 'otlpEndpoint': '',
                          'outfile': self.telemetry},
            'security': {'auth': {'selectedType': 'gemini-api-key'},
                         'folderTrust': {'enabled': False}},
            'ui': {'useAlternateBuffer': True},
            'model': {'name': 'gemini-2.5-flash'},
            'sandbox': False,
            'ide': {'enabled': False, 'hasSeenNudge': True},
        }
        text = json.dumps({**base, **settings}, indent=2)
        self.write('project/.gemini/settings.json', text)
        self.write('home/.gemini/settings.json', text)

    def script(self, name, body):
        """A hook's command: a Python script in the project; `event` is its input."""
        path = self.write('project/' + name, 'import json, os, sys\nevent = json.load(sys.stdin)\n' + body)
        return '%s "%s"' % (PYTHON, path)

    def go(self, *args, mode='yolo', stdin=None, status=0, **env):
        """The text of a run: stdout, and unless it is JSON, stderr."""
        self.env.update(env)
        words = [*(['--approval-mode=' + mode] if mode else []), self.flag, self.fake, *args]
        if '--prompt' not in args and '-p' not in args and stdin is None and len(args) == 1:
            words = words[:-1] + ['--prompt', args[0]]
        with scn.piped((stdin or '').encode()) as pipe:
            p = subprocess.run([TROTLINE, *words], cwd=self.project, env=self.env, stdin=pipe,
                               capture_output=True, encoding='utf-8', timeout=RUN_S, check=False)
        self.out, self.err = p.stdout, p.stderr
        check(p.returncode == status, 'exit %d, not %d' % (p.returncode, status), p.stdout, p.stderr)
        if 'json' in args or '--output-format=json' in args:
            return p.stdout
        return p.stdout + ('\n\nStdErr:\n' + p.stderr if p.stderr else '')

    # ---- telemetry ----

    def records(self):
        with open(self.telemetry, encoding='utf-8') as f:
            pieces = re.split(r'}\n{', f.read())
        texts = ['%s%s%s' % ('{' if i else '', p, '}' if i < len(pieces) - 1 else '')
                 for i, p in enumerate(pieces)]
        return [json.loads(t) for t in texts]

    def ready(self):
        def has_metrics():
            with open(self.telemetry, encoding='utf-8') as f:
                return '"scopeMetrics"' in f.read()
        wait_until(lambda: os.path.exists(self.telemetry) and has_metrics(), 5, 'metrics')

    def events_of(self, name):
        self.ready()
        return [r['attributes'] for r in self.records()
                if r.get('attributes', {}).get('event.name') == 'gemini_cli.' + name]

    def hook_calls(self, event=None):
        calls = self.events_of('hook_call')
        for c in calls:
            for key in ('hook_event_name', 'hook_name', 'hook_input', 'hook_output', 'stdout',
                        'stderr', 'duration_ms', 'success'):
                check(key in c, 'hook_call lacks ' + key, c)
            check(isinstance(json.loads(c['hook_input']), dict), 'hook_input is no object', c)
        return [c for c in calls if event in (None, c['hook_event_name'])]

    def tool_calls(self, name=None):
        calls = self.events_of('tool_call')
        for c in calls:
            c['args'] = json.loads(c['function_args'])
        return [c for c in calls if name in (None, c['function_name'])]

    def last_request(self):
        return self.events_of('api_request')[-1]['request_text']

    def metric(self, name):
        self.ready()
        return [m for r in self.records() for s in r.get('scopeMetrics', [])
                for m in s['metrics'] if m['descriptor']['name'] == 'gemini_cli.' + name]

    def has_file(self, name, text=None):
        path = os.path.join(self.project, name)
        if not os.path.exists(path):
            return False
        with open(path, encoding='utf-8') as f:
            return text is None or f.read() == text


def hook(command, **more):
    return {'type': 'command', 'command': command, 'timeout': 500000, **more}


def on(rig, **events):
    """Settings with these hooks: Event=[definition...]."""
    rig.configure({'hooksConfig': {'enabled': True}, 'hooks': events})


def define(*hooks, **more):
    return [{'hooks': list(hooks), **more}]


WRITE = [[call('write_file', {'file_path': 'test.txt', 'content': 'test content'})], [say('Done.')]]
READ = [[call('read_file', {'file_path': 'test.txt'})], [say('It says hello.')]]

# ---- the cases: a function each, its docstring is the name ----


def blocks_a_tool(rig):
    """M2 a hook's decision blocks a tool, and the run goes on"""
    cmd = rig.script('block.py', 'print(json.dumps({"decision": "block", "reason": "File writing blocked '
                     'by security policy", "hookSpecificOutput": {"hookEventName": "BeforeTool"}}))')
    on(rig, BeforeTool=define(hook(cmd), matcher='write_file', sequential=True))
    text = rig.go('Create a file called test.txt')
    check('File writing blocked by security policy' in text, 'no reason', text)
    check(not rig.has_file('test.txt'), 'it was written')
    calls = rig.hook_calls()
    check([c['hook_name'] for c in calls] == [cmd], 'hook_name', calls)
    check(not any(t['success'] for t in rig.tool_calls('write_file')), 'success', rig.tool_calls())


def exit_2(rig):
    """M2 exit 2 with JSON on stderr blocks"""
    cmd = rig.script('block.py', 'sys.stderr.write(json.dumps({"decision": "deny", "reason": "no writing '
                     'by exit code"}))\nsys.exit(2)')
    on(rig, BeforeTool=define(hook(cmd), matcher='write_file'))
    text = rig.go('Create a file')
    check('no writing by exit code' in text, 'no reason', text)
    call_ = rig.hook_calls('BeforeTool')[0]
    check(call_['exit_code'] == 2 and not call_['success'], 'exit code', call_)


def mixed_output(rig):
    """M3 text and JSON on stdout are a message, the tool runs"""
    cmd = rig.script('mixed.py', 'print("Pollution")\nprint(json.dumps({"decision": "deny", "reason": '
                     '"Should be ignored"}))')
    on(rig, BeforeTool=define(hook(cmd), matcher='write_file', sequential=True))
    text = rig.go('Create a file')
    check(rig.has_file('test.txt', 'test content'), 'not written', text)
    check('Pollution' in text and 'Should be ignored' in text, 'the text is not shown', text)


def after_tool(rig):
    """M4 AfterTool adds context to the next request"""
    cmd = rig.script('after.py', 'print(json.dumps({"decision": "allow", "hookSpecificOutput": {'
                     '"hookEventName": "AfterTool", "additionalContext": "Security scan: fine"}}))')
    rig.write('project/test.txt', 'hello')
    on(rig, AfterTool=define(hook(cmd), matcher='read_file', sequential=True))
    rig.go('Read the file')
    check('Security scan: fine' in rig.last_request(), 'no context', rig.last_request())


def tail_call(rig):
    """M5 a tail call replaces the result"""
    cmd = rig.script('tail.py', 'print(json.dumps({"decision": "allow", "hookSpecificOutput": {'
                     '"hookEventName": "AfterTool", "tailToolCallRequest": {"name": "write_file", '
                     '"args": {"file_path": "tail.txt", "content": "tail"}}}}) '
                     'if event["tool_name"] == "read_file" else "{}")')
    rig.write('project/test.txt', 'hello')
    on(rig, AfterTool=define(hook(cmd), matcher='read_file|write_file', sequential=True))
    rig.go('Read the file')
    check(rig.has_file('tail.txt', 'tail'), 'no tail call')
    inputs = [json.loads(c['hook_input']) for c in rig.hook_calls('AfterTool')]
    check([i.get('original_request_name') for i in inputs] == [None, 'read_file'], 'names', inputs)
    check('Successfully created' in rig.last_request() and 'hello' not in
          json.dumps([p for c in json.loads(rig.last_request()) for p in c['parts']
                      if 'functionResponse' in p]), 'result', rig.last_request())


def before_model(rig):
    """M6 BeforeModel changes the request"""
    cmd = rig.script('model.py', 'print(json.dumps({"decision": "allow", "hookSpecificOutput": {'
                     '"hookEventName": "BeforeModel", "llm_request": {"messages": [{"role": "user", '
                     '"content": "Please respond with exactly: OTHER"}]}}}))')
    on(rig, BeforeModel=define(hook(cmd)))
    rig.go('Tell me a story')
    check('Please respond with exactly: OTHER' in rig.last_request(), 'request', rig.last_request())


def before_model_denies(rig):
    """M6 BeforeModel denies: no request, the reason is seen, exit 0"""
    cmd = rig.script('model.py', 'print(json.dumps({"decision": "deny", "reason": "Model execution '
                     'blocked by policy"}))')
    on(rig, BeforeModel=define(hook(cmd)))
    text = rig.go('Hello')
    check('Model execution blocked by policy' in text, 'reason', text)
    check(not rig.events_of('api_request'), 'a request went out')


def before_model_stops(rig):
    """BeforeModel ends the run"""
    cmd = rig.script('model.py', 'print(json.dumps({"continue": False, "stopReason": "Emergency stop"}))')
    on(rig, BeforeModel=define(hook(cmd)))
    text = rig.go('Hello')
    check('Agent execution stopped: Emergency stop' in text, 'text', text)
    check(not rig.events_of('api_request'), 'a request went out')


def after_model(rig):
    """M7 AfterModel replaces what is shown"""
    cmd = rig.script('model.py', 'print(json.dumps({"hookSpecificOutput": {"hookEventName": "AfterModel", '
                     '"llm_response": {"candidates": [{"content": {"role": "model", "parts": '
                     '["[REDACTED]"]}, "finishReason": "STOP"}]}}}))')
    on(rig, AfterModel=define(hook(cmd)))
    text = rig.go('Hello')
    check('[REDACTED]' in text and 'Done.' not in text, 'text', text)


def tool_selection(rig):
    """M8 BeforeToolSelection"""
    cmd = rig.script('choose.py', 'print(json.dumps({"hookSpecificOutput": {"hookEventName": '
                     '"BeforeToolSelection", "toolConfig": {"mode": "ANY", "allowedFunctionNames": '
                     '["read_file", "run_shell_command"]}}}))')
    rig.write('project/test.txt', 'hello')
    on(rig, BeforeToolSelection=define(hook(cmd)))
    rig.go('Read it')
    calls = rig.hook_calls('BeforeToolSelection')
    check(calls and all(c['success'] for c in calls), 'success', calls)
    names = json.loads(calls[0]['hook_output'])['hookSpecificOutput']['toolConfig']
    check(names['allowedFunctionNames'] == ['read_file', 'run_shell_command'], 'names', names)


def before_agent(rig):
    """M9 BeforeAgent adds context; AfterAgent has prompt and answer"""
    before = rig.script('before.py', 'print(json.dumps({"decision": "allow", "hookSpecificOutput": {'
                        '"hookEventName": "BeforeAgent", "additionalContext": "SYSTEM: says BLUE"}}))')
    after = rig.script('after.py', 'open("seen.json", "w").write(json.dumps(event))\nprint("{}")')
    on(rig, BeforeAgent=define(hook(before)), AfterAgent=define(hook(after)))
    rig.go('What colour?')
    check('SYSTEM: says BLUE' in rig.last_request(), 'request', rig.last_request())
    check('SYSTEM: says BLUE' in rig.hook_calls('BeforeAgent')[0]['stdout'], 'stdout')
    with open(os.path.join(rig.project, 'seen.json'), encoding='utf-8') as f:
        seen = json.load(f)
    check(seen['prompt'] == 'What colour?' and seen['prompt_response'] == 'Done.' and
          seen['stop_hook_active'] is False, 'payload', seen)


def after_agent_retries(rig):
    """M9 AfterAgent asks again and clears the context"""
    cmd = rig.script('again.py', 'print(json.dumps({"decision": "allow"} if event["stop_hook_active"] else '
                     '{"decision": "block", "reason": "Say it differently", "hookSpecificOutput": {'
                     '"hookEventName": "AfterAgent", "clearContext": True}}))')
    count = rig.script('count.py', 'open("counts", "a").write("%d\\n" % len(event["llm_request"]'
                       '["messages"]))\nprint("{}")')
    on(rig, BeforeModel=define(hook(count)), AfterAgent=define(hook(cmd)))
    text = rig.go('FIRSTPROMPT')
    check('Say it differently' in text, 'reason', text)
    inputs = [json.loads(c['hook_input'])['stop_hook_active'] for c in rig.hook_calls('AfterAgent')]
    check(inputs == [False, True], 'stop_hook_active', inputs)
    check('FIRSTPROMPT' not in rig.last_request(), 'not cleared', rig.last_request())
    check(rig.has_file('counts', '1\n1\n'), 'messages')


def once_a_turn(rig):
    """M10 agent hooks fire once around a loop of tools"""
    cmd = rig.script('hook.py', 'print(%r)' % ALLOW)
    rig.write('project/test.txt', 'hello')
    on(rig, BeforeAgent=define(hook(cmd)), AfterAgent=define(hook(cmd)))
    text = rig.go('Read three times')
    check('It says hello.' in text, 'text', text)
    check([c['hook_event_name'] for c in rig.hook_calls()] == ['BeforeAgent', 'AfterAgent'], 'calls')
    check(len(rig.tool_calls('read_file')) == 3, 'tools', rig.tool_calls())


def session_hooks(rig):
    """SessionStart and SessionEnd are in the telemetry"""
    start = rig.script('start.py', 'print(json.dumps({"systemMessage": "Session starting", '
                       '"hookSpecificOutput": {"hookEventName": "SessionStart", "additionalContext": '
                       '"Be brief"}}))')
    end = rig.script('end.py', 'print(%r)' % ALLOW)
    on(rig, SessionStart=define(hook(start), matcher='startup'),
       SessionEnd=define(hook(end), matcher='exit'))
    text = rig.go('Hello')
    check('Session starting' in text, 'message', text)
    check('Be brief' in rig.last_request(), 'context', rig.last_request())
    calls = {c['hook_event_name']: json.loads(c['hook_input']) for c in rig.hook_calls()}
    check(calls['SessionStart']['source'] == 'startup', 'source', calls)
    check(calls['SessionEnd']['reason'] == 'exit', 'reason', calls)


def compression(rig):
    """M12 PreCompress of one short prompt over a small target"""
    cmd = rig.script('compress.py', 'print(json.dumps({"systemMessage": "PreCompress ran"}))')
    rig.configure({'hooks': {'PreCompress': define(hook(cmd), matcher='auto')},
                   'contextCompression': {'enabled': True, 'targetTokenCount': 10}})
    rig.go('Say hello in exactly five words')
    calls = rig.hook_calls('PreCompress')
    check(len(calls) == 1 and json.loads(calls[0]['hook_input'])['trigger'] == 'auto', 'calls', calls)


def disabled(rig):
    """M15 one of two hooks is disabled by its command"""
    one = rig.script('one.py', 'print(json.dumps({"decision": "allow", "systemMessage": "ONE RAN"}))')
    two = rig.script('two.py', 'print(json.dumps({"decision": "block", "reason": "TWO RAN"}))')
    rig.configure({'hooksConfig': {'enabled': True, 'disabled': [two]},
                   'hooks': {'BeforeTool': define(hook(one), hook(two), matcher='write_file')}})
    text = rig.go('Create a file')
    check('ONE RAN' in text and 'TWO RAN' not in text, 'text', text)
    check([c['hook_name'] for c in rig.hook_calls()] == [one], 'calls', rig.hook_calls())
    check(rig.has_file('test.txt'), 'not written')


def input_override(rig):
    """M16 a hook changes path and content"""
    cmd = rig.script('change.py', 'print(json.dumps({"decision": "allow", "hookSpecificOutput": {'
                     '"hookEventName": "BeforeTool", "tool_input": {"file_path": "modified.txt", '
                     '"content": "modified content"}}}))')
    on(rig, BeforeTool=define(hook(cmd), matcher='write_file', sequential=True))
    rig.go('Create a file')
    check(rig.has_file('modified.txt', 'modified content') and not rig.has_file('test.txt'), 'files')
    calls = rig.tool_calls('write_file')
    check([c['args']['file_path'] for c in calls] == ['modified.txt'], 'tool log', calls)
    check(len(rig.hook_calls()) == 1, 'calls', rig.hook_calls())


def stops(rig):
    """M17 continue:false of BeforeTool ends the run"""
    cmd = rig.script('stop.py', 'print(json.dumps({"continue": False, "stopReason": "Emergency stop '
                     'triggered by hook"}))')
    on(rig, BeforeTool=define(hook(cmd), matcher='write_file'))
    text = rig.go('Create a file')
    check('Agent execution stopped by hook: Emergency stop triggered by hook' in text, 'text', text)
    check('Done.' not in text and not rig.has_file('test.txt'), 'went on', text)


def timeout(rig):
    """M18 a hook that hangs, and its children"""
    cmd = rig.script('hang.py', 'import subprocess\nsubprocess.run(["sleep", "900"])')
    on(rig, BeforeTool=define(hook(cmd, timeout=500), matcher='write_file'))
    rig.go('Create a file')  # waits RUN_S at most
    calls = rig.hook_calls('BeforeTool')
    check(not calls[0]['success'] and 'timed out' in calls[0]['error'], 'call', calls)
    check(rig.has_file('test.txt'), 'not written')
    rig.check_nobody_left()


def sequential(rig):
    """The second hook sees what the first changed"""
    one = rig.script('one.py', 'print(json.dumps({"decision": "allow", "hookSpecificOutput": {'
                     '"hookEventName": "BeforeAgent", "additionalContext": "Step 1: validated"}}))')
    two = rig.script('two.py', 'print(json.dumps({"decision": "allow", "hookSpecificOutput": {'
                     '"hookEventName": "BeforeAgent", "additionalContext": "Step 2: processed"}}))')
    on(rig, BeforeAgent=define(hook(one), hook(two), sequential=True))
    rig.go('Hello')
    calls = rig.hook_calls('BeforeAgent')
    check([c['hook_name'] for c in calls] == [one, two], 'order', calls)
    check('Step 1: validated' in json.loads(calls[1]['hook_input'])['prompt_parts'][0]['text'], 'input', calls[1])
    request = rig.last_request()
    check('Step 1: validated' in request and 'Step 2: processed' in request, 'request', request)


def failing_hook(rig):
    """A hook that fails stops nothing"""
    bad = rig.script('bad.py', 'sys.exit(1)')
    good = rig.script('good.py', 'print(json.dumps({"decision": "allow", "reason": "fine"}))')
    on(rig, BeforeTool=define(hook(bad), hook(good), matcher='write_file'))
    text = rig.go('Create a file')
    check(rig.has_file('test.txt'), 'not written', text)
    check('failed for event BeforeTool' in text, 'no warning', text)
    calls = {c['hook_name']: c['success'] for c in rig.hook_calls()}
    check(calls == {bad: False, good: True}, 'success', calls)


def hook_input(rig):
    """The fields of a payload and their order"""
    cmd = rig.script('fields.py', 'need = ["session_id", "transcript_path", "cwd", "hook_event_name", '
                     '"timestamp", "tool_name", "tool_input"]\n'
                     'good = list(event)[:7] == need and event["tool_input"]["file_path"] == "test.txt"\n'
                     'print(json.dumps({"decision": "allow" if good else "block", "reason": '
                     'str(list(event))}))')
    on(rig, BeforeTool=define(hook(cmd), matcher='write_file', sequential=True))
    text = rig.go('Create a file')
    check(rig.has_file('test.txt'), 'fields', text)


def mode_in_telemetry(rig):
    """The permission mode is in the input of hooks whose dialect sends it, and of no other"""
    cmd = rig.script('mode.py', 'open("mode", "w").write(str(event.get("permission_mode")))')
    for dialect, event, mode in (('codex', 'PreToolUse', 'bypassPermissions'),
                                 ('claude', 'PreToolUse', 'bypassPermissions'), ('gemini', 'BeforeTool', None)):
        rig.configure({'hooksConfig': {'dialect': dialect}, 'hooks': {event: define(hook(cmd))}})
        rig.go('Create a file')
        seen = json.loads(rig.hook_calls()[-1]['hook_input'])
        check(seen.get('permission_mode') == ('yolo' if mode else None), 'telemetry', dialect, seen)
        check(rig.has_file('mode', str(mode)), 'payload', dialect)


def several_events(rig):
    """Hooks of several events, each seen once"""
    cmds = {n: rig.script(n + '.py', 'print(json.dumps({"decision": "allow", "systemMessage": "%s ran"}))' % n)
            for n in ('BeforeAgent', 'BeforeTool', 'AfterTool')}
    on(rig, **{n: define(hook(c)) for n, c in cmds.items()})
    text = rig.go('Create a file')
    for n, c in cmds.items():
        check('%s ran' % n in text, 'message', n, text)
        check([x['hook_name'] for x in rig.hook_calls(n)] == [c], 'calls', n)


def json_output(rig):
    """JSON from a positional prompt"""
    answer = json.loads(rig.go('What is the capital of France?', '--output-format', 'json', mode=None))
    check(answer['response'] == 'Done.' and answer['session_id'] and answer['stats'], 'answer', answer)


def json_auth_error(rig):
    """JSON: an authentication that is not the enforced one"""
    rig.configure({'security': {'auth': {'enforcedType': 'gemini-api-key', 'selectedType': ''}}})
    rig.go('Hello', '--output-format', 'json', mode=None, status=41, GOOGLE_GENAI_USE_GCA='true')
    begin = re.search(r'\{\s*"', rig.err).start()
    error = json.loads(rig.err[begin:rig.err.rindex('}') + 1])
    check(error['session_id'] and error['error']['type'] == 'Error' and error['error']['code'] == 41,
          'error', error)
    message = error['error']['message']
    check("enforced authentication type is 'gemini-api-key'" in message and
          "current type is 'oauth-personal'" in message, 'message', message)


def json_tool_error(rig):
    """JSON: a tool's error is none of the run's"""
    answer = json.loads(rig.go('Read test.txt', '--output-format', 'json', mode=None))
    check('error' not in answer and answer['stats']['tools']['byName']['read_file']['fail'] == 1,
          'answer', answer)
    check(answer['response'] == 'It says hello.' and 'files' in answer['stats'], 'answer', answer)


def streams(rig):
    """The answer on stdout, a tool's error on stderr"""
    rig.go('Read it')
    check(re.search(r'^Error executing tool read_file: File not found:', rig.err, re.M), 'stderr', rig.err)
    check(not re.search(r'^\[(ERROR|INFO)\]', rig.out, re.M) and 'It says hello.' in rig.out, 'stdout', rig.out)


def stdin_context(rig):
    """Stdin comes before the prompt"""
    rig.go('-p', 'What is it?', stdin='the secret is plum', mode=None)
    request = rig.last_request()
    check(0 < request.find('the secret is plum') < request.find('What is it?'), 'order', request)
    rig.go(stdin='only from stdin', mode=None)
    check('only from stdin' in rig.last_request(), 'request', rig.last_request())


def metrics(rig):
    """The metric and the event of any run"""
    rig.go('just saying hi')
    check(rig.metric('session.count'), 'no session.count')
    check(rig.events_of('user_prompt')[0]['prompt'] == 'just saying hi', 'prompt')


def parallel(rig):
    """Reads, a write, reads"""
    rig.write('project/test.txt', 'hello')
    rig.go('Read, write, read')
    calls = [(c['function_name'], c['success']) for c in rig.tool_calls()]
    check(len(calls) == 5 and all(ok for _, ok in calls), 'calls', calls)
    check(rig.has_file('out.txt', 'wave'), 'out.txt')


def resume(rig):
    """A second run goes on with the latest session"""
    rig.go('first prompt')
    text = rig.go('-p', 'second prompt', '--resume', 'latest')
    check('Done.' in text, 'text', text)
    check('first prompt' in rig.last_request() and 'second prompt' in rig.last_request(), 'request')


def user_policy(rig):
    """A rule of the user lets a command run; without it the tool is not there"""
    rig.write('home/.gemini/policies/user.toml', '[[rule]]\ntoolName = "run_shell_command"\n'
              'commandPrefix = "ls"\ndecision = "allow"\npriority = 100\n')
    rig.go('Run ls', mode='default')
    check(rig.tool_calls('run_shell_command')[0]['success'], 'denied', rig.err)
    os.unlink(os.path.join(rig.home, '.gemini/policies/user.toml'))
    os.unlink(rig.telemetry)
    rig.go('Run ls', mode='default')
    check('not found' in rig.tool_calls('run_shell_command')[0]['error'], 'allowed')


def odd_chunks(rig):
    """Chunks without content, parts, candidates"""
    text = rig.go('Hello')
    check('It works.' in text, 'text', text)


def quiet(rig):
    """Usual settings raise no complaint"""
    rig.go('Hello')
    check(rig.err == 'YOLO mode is enabled. All tool calls will be automatically approved.\n', 'stderr',
          rig.err)


def debug_and_flags(rig):
    """--debug, --yolo, --skip-trust, -o stream-json"""
    rig.configure({})
    rig.go('--yolo', '--debug', '--skip-trust', '-p', 'Hello', '-o', 'stream-json', mode=None)
    types = [json.loads(line)['type'] for line in rig.out.splitlines()]
    check(types == ['init', 'message', 'message', 'result'], 'types', rig.out)


DONE = [[say('Done.')]]
MISSING = READ
THRICE = [[call('read_file', {'file_path': 'test.txt'})], [call('list_directory', {'dir_path': '.'}),
          call('read_file', {'file_path': 'test.txt', 'start_line': 1})],
          [call('read_file', {'file_path': 'test.txt', 'end_line': 1})], [say('It says hello.')]]
WAVES = [[call('read_file', {'file_path': 'test.txt'}), call('read_file', {'file_path': 'test.txt'}),
          call('write_file', {'file_path': 'out.txt', 'content': 'wave'}),
          call('read_file', {'file_path': 'out.txt'}), call('read_file', {'file_path': 'test.txt'})],
         [say('All done.')]]
ODD = [[{'candidates': [{'index': 0}]}, {'candidates': [{'content': {'role': 'model', 'parts': []}}]},
        {'usageMetadata': {'promptTokenCount': 1}}, {'candidates': []},
        {'candidates': [{'content': {'parts': [{'text': ''}]}}]}, say('It works.')]]

CASES = [
    (blocks_a_tool, WRITE), (exit_2, WRITE), (mixed_output, WRITE), (after_tool, READ),
    (tail_call, READ), (before_model, DONE), (before_model_denies, DONE), (before_model_stops, DONE),
    (after_model, DONE), (tool_selection, READ), (before_agent, DONE),
    (after_agent_retries, DONE + DONE), (once_a_turn, THRICE), (session_hooks, DONE),
    (compression, DONE), (disabled, WRITE), (input_override, WRITE), (stops, WRITE), (timeout, WRITE),
    (sequential, DONE), (failing_hook, WRITE), (hook_input, WRITE),
    (mode_in_telemetry, WRITE), (several_events, WRITE),
    (json_output, DONE), (json_auth_error, DONE), (json_tool_error, MISSING), (streams, MISSING),
    (stdin_context, DONE), (metrics, DONE), (parallel, WAVES), (resume, DONE),
    (user_policy, [[call('run_shell_command', {'command': 'ls'})], [say('Listed.')]]),
    (odd_chunks, ODD), (quiet, DONE), (debug_and_flags, DONE),
]


def main():
    tap = Tap()
    for case, answers in CASES:
        why = None
        with Rig(answers) as rig:
            try:
                case(rig)
            except (Failed, OSError, ValueError, LookupError, subprocess.TimeoutExpired) as e:
                why = '%s: %s\nstderr:\n%s' % (type(e).__name__, e, getattr(rig, 'err', ''))
        tap.point(case.__doc__, why)
    tap.done()


if __name__ == '__main__':
    main()
