#!/usr/bin/env python3
"""The transcript that Claude's hooks read (C3.7): scripts as people write them for Claude Code, in
sessions whose model is replayed.  Prints TAP.

  test_claude_transcript.py [NAME...]      only these"""

import glob
import json
import os
import shutil
import sys

from agentbox import call, check, chunk, say, wait_until
from test_chat import run_tests

SCRIPTS = os.path.join(os.environ['TEST_SOURCE_ROOT'], 'tests/data/claude_scripts')
COPY = ('%s -c \'import json,os,shutil,sys; p=json.load(sys.stdin); e=p["hook_event_name"]; '
        'shutil.copy(p["transcript_path"], "%%s/"+e) if os.path.exists(p["transcript_path"]) else 0; '
        'open("%%s/payloads","a").write(json.dumps(p)+"\\n")\'' % sys.executable)


def hooks(c, more=(), **events):
    """Settings of Claude's with a command for each event; `more` are settings of ours."""
    c.env['GEMINI_API_KEY'] = 'dummy'
    c.write('home/.claude/settings.json', json.dumps({'hooks': {
        e: [{'hooks': [{'type': 'command', 'command': command}]}] for e, command in events.items()}}))
    c.settings(hooksConfig={'sources': ['claude']}, **dict(more))


def script(name):
    return os.path.join(SCRIPTS, name)


def copies(c, *events, **more):
    hooks(c, more, **{e: COPY % (c.root, c.root) for e in events})


def ask(c, *answers, args=('-p', 'do it')):
    r = c.run('-m', 'gemini-2.5-flash', '--approval-mode', 'yolo', '--fake-responses',
              c.answers(*answers), *args)
    check(r.status == 0, 'exit 0', r)
    return r


def used(answer, *tokens):
    keys = ('promptTokenCount', 'candidatesTokenCount', 'cachedContentTokenCount', 'thoughtsTokenCount')
    answer[-1]['usageMetadata'] = dict(zip(keys, tokens))
    return answer


def lines(path):
    with open(path, encoding='utf-8') as f:
        text = f.read()
    check(text.endswith('\n') or not text, 'whole lines', text[-300:])
    return [json.loads(line) for line in text.splitlines()]


def read(c, name):
    with open(os.path.join(c.project, name), encoding='utf-8') as f:
        return f.read()


def logs(c):
    return glob.glob(os.path.join(c.home, '.gemini/tmp/*/claude/**/*.jsonl'), recursive=True)


def payloads(c):
    return lines(os.path.join(c.root, 'payloads'))


def chained(all_lines):
    """Each line names the one before it."""
    last = None
    for line in all_lines:
        if line['type'] == 'summary':
            continue
        check(line['parentUuid'] == (None if line.get('subtype') == 'compact_boundary' else last),
              'the chain of uuids', line)
        last = line['uuid']
        for key in ('sessionId', 'cwd', 'timestamp', 'version', 'userType', 'isSidechain'):
            check(key in line, key, line)


def test_a_loop_reads_the_last_message(c):
    """Goes on until the promise; what the hook said is no prompt of the user"""
    hooks(c, Stop=script('loop.sh'))
    r = ask(c, [say('first try')], [say('second try')], [say('<promise>DONE</promise>')])
    check(read(c, 'rounds') == 'first try\nsecond try\n', 'rounds', read(c, 'rounds'), r)
    said = [(x.get('isMeta', False), x['message']['content']) for x in lines(logs(c)[0])
            if x['type'] == 'user']
    check(said == [(False, 'do it'), (True, 'Stop hook feedback:\ngo on: round 1'),
                   (True, 'Stop hook feedback:\ngo on: round 2')], 'the user', said)


def test_tokens_are_summed(c):
    """Also over a resume, with those of before"""
    hooks(c, Stop=script('tokens.py'))
    ask(c, used([chunk({'text': 'I look.'}, call('glob', {'pattern': '*'})['candidates'][0]['content']['parts'][0],
                       finish='STOP')], 1000, 10, 600), used([say('done')], 1100, 20, 0, 5))
    ask(c, used([say('more')], 2000, 30, 1500), args=('--resume', 'latest', '-p', 'again'))
    first, second = [json.loads(line) for line in read(c, 'tokens').splitlines()]
    check(first == [{'input_tokens': 1500, 'output_tokens': 35, 'cache_read_input_tokens': 600,
                     'cache_creation_input_tokens': 0}, 1100, 'gemini-2.5-flash'], 'first', first)
    check(second[0]['input_tokens'] == 2000 and second[0]['output_tokens'] == 65 and second[1] == 2000,
          'both', second)
    check(len(logs(c)) == 1, 'one file', logs(c))
    chained(lines(logs(c)[0]))


def test_blocks_have_a_line_each(c):
    """Of thoughts, a text and a call; the last line of the assistant begins with what it said last"""
    copies(c, 'Stop')
    ask(c, used([chunk({'text': 'Hm.', 'thought': True}, {'text': 'I look.'},
                       call('glob', {'pattern': '*'})['candidates'][0]['content']['parts'][0], finish='STOP')], 100, 10),
        used([chunk({'text': 'Aha.', 'thought': True}, {'text': 'done'}, finish='STOP')], 110, 20))
    got = [x for x in lines(os.path.join(c.root, 'Stop')) if x['type'] == 'assistant']
    check([[b['type'] for b in x['message']['content']] for x in got] ==
          [['thinking'], ['text'], ['tool_use'], ['thinking'], ['text']], 'blocks', got)
    check(len({x['message']['id'] for x in got}) == 2 and len({x['uuid'] for x in got}) == 5, 'ids', got)
    check([x['message']['usage']['input_tokens'] for x in got] == [0, 0, 100, 0, 110], 'usage', got)
    chained(lines(os.path.join(c.root, 'Stop')))


def test_a_resume_without_such_hooks_is_caught_up_with(c):
    copies(c, 'Stop')
    ask(c, [say('one')])
    c.settings()
    ask(c, [say('two')], args=('--resume', 'latest', '-p', 'again'))
    copies(c, 'Stop')
    ask(c, used([say('three')], 7, 1), args=('--resume', 'latest', '-p', 'last'))
    now = lines(os.path.join(c.root, 'Stop'))
    texts = [x['message']['content'] if x['type'] == 'user' else x['message']['content'][0]['text']
             for x in now]
    check(texts == ['do it', 'one', 'again', 'two', 'last', 'three'], 'all of it', texts)
    chained(now)


def test_tools_and_their_results(c):
    """Names, arguments and ids are those of the payloads; a command that fails is an error"""
    if not shutil.which('node'):
        return
    c.write('project/a.txt', 'AAA\n')
    hooks(c, Stop=script('tools.js'))
    ask(c, [call('run_shell_command', {'command': 'echo out; exit 3'}),
            call('write_file', {'file_path': 'new.txt', 'content': 'x'})],
        [call('run_shell_command', {'command': 'echo fine'}), call('read_file', {'file_path': 'a.txt'}),
         call('read_file', {'file_path': 'nosuch'})], [say('the end')])
    got = json.loads(read(c, 'tools'))
    names = [f[0] for f in got['found']]
    check(names == ['Bash', 'Write', 'Bash', 'Read', 'Read'], 'names', got)
    check(got['found'][1][1] == {'file_path': c.project + '/new.txt', 'content': 'x'}, 'input', got)
    check([f[3] for f in got['found']] == [True, False, False, False, True], 'errors', got)
    check(got['found'][0][2] == 'Exit code 3\nout' and got['found'][2][2].strip() == 'fine' and
          'AAA' in got['found'][3][2], 'results', got)
    check(got['last'] == 'the end' and got['open'] == 0, 'the end', got)


def test_a_call_stands_there_before_its_hook_runs(c):
    """And the results of calls before it, with the ids of the payload"""
    copies(c, 'PreToolUse')
    ask(c, [chunk({'text': 'Two steps.'}), call('run_shell_command', {'command': 'echo one'}),
            call('run_shell_command', {'command': 'echo two'})], [say('done')])
    got = lines(os.path.join(c.root, 'PreToolUse'))  # of the second
    uses = [b for x in got if x['type'] == 'assistant' for b in x['message']['content']]
    check([b['type'] for b in uses] == ['text', 'tool_use', 'tool_use'], 'the answer', got)
    check([b['id'] for b in uses[1:]] == [p['tool_use_id'] for p in payloads(c)], 'ids', uses)
    results = [x for x in got if 'toolUseResult' in x]
    check(len(results) == 1 and results[0]['toolUseResult']['stdout'].strip() == 'one' and
          results[0]['message']['content'][0]['tool_use_id'] == uses[1]['id'], 'a result', results)
    check(got[1]['message']['stop_reason'] == 'tool_use' and got[1]['message']['role'] == 'assistant',
          'stop_reason', got[1])


def test_what_hooks_keep_back_is_not_in_it(c):
    """PostToolUse replaced a result, AfterModel a text: only what is left is written, 0600"""
    ours = {'hooks': {'AfterModel': [{'hooks': [{'type': 'command', 'command':
              'grep -q hunter2 && echo \'{"hookSpecificOutput":{"llm_response":{"candidates":[{"content":'
              '{"role":"model","parts":["it is [removed]"]},"finishReason":"STOP"}]}}}\' || true'}]}]}}
    hooks(c, ours, PostToolUse='echo \'{"hookSpecificOutput":{"hookEventName":"PostToolUse",'
          '"updatedToolOutput":{"stdout":"[removed]","stderr":"","interrupted":false,"isImage":false}}}\'')
    c.write('project/a.txt', 'hunter2\n')
    ask(c, [call('run_shell_command', {'command': 'cat a.txt'})], [say('it is hunter2')])
    with open(logs(c)[0], encoding='utf-8') as f:
        text = f.read()
    check('hunter2' not in text and text.count('[removed]') >= 2, 'redacted', text)
    check(os.stat(logs(c)[0]).st_mode & 0o777 == 0o600, 'mode')


REDACT = """
import json, sys
request = json.load(sys.stdin)['llm_request']
print(json.dumps({'hookSpecificOutput': {'llm_request': {'messages': [
    {**m, 'content': m['content'].replace('hunter2', '[removed]')} for m in request['messages']]}}}))
"""


def test_what_a_model_hook_takes_out_afterwards_is_not_in_it(c):
    """C4.6: BeforeModel redacts a result that was written already"""
    hooks(c, {'hooks': {'BeforeModel': [{'hooks': [{'type': 'command', 'command': '%s %s' % (
        sys.executable, c.write('redact.py', REDACT))}]}]}}, PostToolUse='true', Stop='true')
    c.write('project/a.txt', 'it is hunter2\n')
    ask(c, [call('run_shell_command', {'command': 'cat a.txt'})],
        [call('run_shell_command', {'command': 'echo more'})], [say('done')])
    with open(logs(c)[0], encoding='utf-8') as f:
        text = f.read()
    check('hunter2' not in text and '[removed]' in text and 'more' in text, 'redacted', text)
    chained(lines(logs(c)[0]))


def test_nothing_is_written_for_nobody(c):
    c.env['GEMINI_API_KEY'] = 'dummy'
    c.hooks({'BeforeTool': 'cat >>payload'})
    ask(c, [call('glob', {'pattern': '*'})], [say('done')])
    check(not logs(c), 'no file', logs(c))
    check('/chats/' in json.loads(read(c, 'payload'))['transcript_path'], 'ours', read(c, 'payload'))


def test_other_dialects_keep_theirs(c):
    hooks(c, {'hooks': {'AfterAgent': [{'hooks': [{'type': 'command', 'command': 'cat >ours'}]}]}}, Stop='cat >theirs')
    ask(c, [say('done')])
    ours, theirs = (json.loads(read(c, n)) for n in ('ours', 'theirs'))
    check('/chats/' in ours['transcript_path'], 'ours', ours)
    check(theirs['transcript_path'].endswith('/claude/%s.jsonl' % theirs['session_id']), 'theirs', theirs)


def test_end_and_deletion(c):
    """SessionEnd's hooks find it, too; it goes with its session"""
    copies(c, 'SessionEnd')
    ask(c, [say('done')])
    wait_until(lambda: os.path.exists(os.path.join(c.root, 'payloads')), 5, 'SessionEnd')
    check([x['type'] for x in lines(os.path.join(c.root, 'SessionEnd'))] == ['user', 'assistant'], 'end')
    r = c.run('--delete-session', '1')
    check(r.status == 0 and not logs(c), 'deleted', r, logs(c))


def test_sub_agents_have_their_own(c):
    c.write('home/.gemini/agents/plum.md', '---\nname: plum\ndescription: Knows plums.\n---\nYou are a plum.\n')
    hooks(c, SubagentStop=script('agent.sh'))
    r = ask(c, [call('invoke_agent', {'agent_name': 'plum', 'prompt': 'eat it'})],
            [chunk({'text': 'I chew.'}), call('complete_task', {'result': 'eaten'})], [say('all done')])
    got = json.loads(read(c, 'agents'))
    check(got['asked'] == 'eat it' and got['said'] == ['I chew.'] and got['type'] == 'plum', 'agent', got, r)
    check(got['sidechain'] == [True, False] and got['session'] and got['ids'] == [got['id']], 'lines', got)
    main, agent = got['paths']
    check(agent.startswith(main[:-len('.jsonl')] + '/subagents/agent-'), 'path', got)
    c.run('--delete-session', '1')
    check(not logs(c), 'deleted', logs(c))


def test_a_summary_takes_the_place_of_what_was(c):
    """Lines of before stay, a boundary and the summary follow; also of a session that goes on"""
    copies(c, 'Stop', model={'compressionThreshold': 0.00001})
    ask(c, used([say('A long answer about plums, which are purple when ripe and grow on trees of the '
                     'genus Prunus, and on these only, as far as anybody knows.')], 90000, 10),
        args=('-p', 'tell me of plums'))
    path = c.write('model.jsonl', ''.join(json.dumps(a) + '\n' for a in (
        {'method': 'generateContent', 'response': say('<state_snapshot>first draft</state_snapshot>')},
        {'method': 'generateContent', 'response': say('<state_snapshot>the better one</state_snapshot>')},
        {'method': 'generateContentStream', 'response': used([say('fine')], 50, 1)})))
    r = c.run('-m', 'gemini-2.5-flash', '--resume', 'latest', '--fake-responses', path, '-p', 'again')
    check(r.status == 0, 'exit 0', r)
    got = lines(os.path.join(c.root, 'Stop'))
    check([x.get('subtype') or x['type'] for x in got] ==
          ['user', 'assistant', 'user', 'compact_boundary', 'user', 'summary', 'assistant'], 'lines', got)
    check(got[4]['isCompactSummary'] and 'the better one' in got[4]['message']['content'], 'summary', got[4])
    check('90000' in json.dumps(got[1]['message']['usage']), 'what was before', got[1])
    chained(got)


def test_clear_begins_another(c):
    def stops(n):
        path = os.path.join(c.root, 'payloads')
        return os.path.exists(path) and len(lines(path)) == n

    copies(c, 'Stop')
    c.open(answers=[[say('one')], [say('two')]])
    c.ready()
    c.type('hi\r')
    at = c.wait('one')
    wait_until(lambda: stops(1), 5, 'Stop')
    c.type('/clear\r')
    at = c.wait('Started a new session.', at)
    c.type('on\r')
    c.wait('two', at)
    wait_until(lambda: stops(2), 5, 'Stop')
    c.quit()
    seen = payloads(c)
    check(len(logs(c)) == 2 and seen[0]['transcript_path'] != seen[1]['transcript_path'], 'two', logs(c))
    check(len(lines(os.path.join(c.root, 'Stop'))) == 2, 'the second has its own alone')


def test_a_file_that_is_in_the_way(c):
    """A link there is not followed; a place that cannot be written is said once"""
    copies(c, 'Stop')
    victim = c.write('victim', 'keep me\n')
    ask(c, [say('one')])
    path = logs(c)[0]
    os.unlink(path)
    os.symlink(victim, path)
    ask(c, [say('two')], args=('--resume', 'latest', '-p', 'again'))
    with open(victim, encoding='utf-8') as f:
        check(f.read() == 'keep me\n', 'the victim is whole')
    shutil.rmtree(os.path.dirname(path))
    c.write(os.path.relpath(os.path.dirname(path), c.root), 'a file\n')
    r = ask(c, [say('three')], args=('--resume', 'latest', '-p', 'last'))
    check(r.err.count('Hooks of the claude dialect get no transcript') == 1, 'said once', r)


if __name__ == '__main__':
    run_tests(globals(), 'claude transcript')
