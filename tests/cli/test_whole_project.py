#!/usr/bin/env python3
"""One session of a project that has everything: hooks of a Claude file, of a Gemini file, of the user
and of an extension, two MCP servers.  All hooks run, on built-in and MCP tools; the list says where
each is from and whose dialect it speaks; install and uninstall leave no trace.  Prints TAP."""

import contextlib
import hashlib
import json
import os
import shlex
import sys
import tempfile

sys.dont_write_bytecode = True
import scenarios  # noqa: E402

ROOT = os.environ['TEST_SOURCE_ROOT']
NOTE = """#!/usr/bin/env python3
import json
import os
import sys

call = json.load(sys.stdin)
with open(os.path.join(os.environ['GEMINI_PROJECT_DIR'], 'log'), 'a') as log:
    log.write('%s %s %s\\n' % (sys.argv[1], call['hook_event_name'], call.get('tool_name', '-')))
print(*sys.argv[2:])
"""
REFUSE = {'hookSpecificOutput': {'hookEventName': 'PreToolUse', 'permissionDecision': 'deny',
                                 'permissionDecisionReason': 'the shop is closed'}}
ANSWERS = ['call run_shell_command {"command":"echo built-in"}', 'call mcp__toys__echo {"text":"hello"}',
           'call mcp_stock_price {}', 'call write_file {"file_path":"new.txt","content":"x"}', 'say done']
scn = scenarios.load()
count = failed = 0


def check(name, got, wanted):
    global count, failed
    count += 1
    failed += got != wanted
    print('%sok %d - %s' % ('' if got == wanted else 'not ', count, name), flush=True)
    if got != wanted:
        print('# got:    %r\n# wanted: %r' % (got, wanted))


def hook(who, *says, matcher='', script='"$GEMINI_PROJECT_DIR"/note.py', **more):
    command = ' '.join([script, who] + [shlex.quote(s) for s in says])
    return {'matcher': matcher, 'hooks': [dict(type='command', command=command, **more)]}


def server(*command):
    return {'command': sys.executable, 'args': [os.path.join(ROOT, name) for name in command[:1]] +
            list(command[1:])}


def lay_out(box):
    """The project, with a comment in each file, and what is in the home directory."""
    def settings(name, value):
        box.write(name, '', '// %s\n%s\n' % (name, json.dumps(value, indent=2)))

    box.write('note.py', '755', NOTE)
    settings('.gemini/settings.json', {
        'hooksConfig': {'sources': ['claude']},
        'mcpServers': {'toys': server('tests/mcp/server.py')},
        'hooks': {'BeforeTool': [hook('gemini', matcher='run_shell_command|mcp__.*')],
                  'SessionStart': [hook('gemini')]}})
    settings('.claude/settings.json', {
        'hooks': {'PreToolUse': [hook('claude', matcher='Bash|mcp__toys__.*|Write'),
                                 hook('closed', json.dumps(REFUSE), matcher='mcp__stock__price')],
                  'PostToolUse': [hook('claude', script='$CLAUDE_PROJECT_DIR/note.py', timeout=500)],
                  'Stop': [hook('claude')]}})
    settings('~/.gemini/settings.json', {
        'mcpServers': {'stock': server('tests/data/claude_scripts/mcp_server.py', 'price')},
        'hooks': {'AfterTool': [hook('user', matcher='^mcp_')]}})
    settings('~/.gemini/extensions/watch/gemini-extension.json', {'name': 'watch', 'version': '1.0.0'})
    settings('~/.gemini/extensions/watch/hooks/hooks.json', {
        'hooks': {'BeforeTool': [hook('extension', script='${extensionPath}/note.py',
                                      matcher='write_file|mcp__stock__price')]}})
    box.write('~/.gemini/extensions/watch/note.py', '755', NOTE)


def session(box):
    box.write('../model.jsonl', '', ''.join(json.dumps(scn.answer([a])) + '\n' for a in ANSWERS))
    ask = '-m gemini-2.5-flash --approval-mode yolo --fake-responses %s -p hi' % shlex.quote(
        box.path('../model.jsonl'))
    box.execute(ask, '')
    check('C7.4 without approval nothing is run', (box.status, os.path.exists(box.path('log'))),
          (55, False))
    box.execute('hooks trust --yes', '')
    box.execute(ask + ' -o stream-json', '')
    check('the session ends well', box.status, 0)
    lines = box.read('log').splitlines()
    wanted = {
        '-': ['claude Stop', 'gemini SessionStart'],
        'run_shell_command Bash': ['claude PostToolUse', 'claude PreToolUse', 'gemini BeforeTool'],
        'mcp__toys__echo': ['claude PostToolUse', 'claude PreToolUse', 'gemini BeforeTool',
                            'user AfterTool'],
        'mcp__stock__price': ['closed PreToolUse', 'extension BeforeTool', 'gemini BeforeTool'],
        'write_file Write': ['claude PostToolUse', 'claude PreToolUse', 'extension BeforeTool'],
    }
    for names, hooks in wanted.items():
        check('hooks of ' + names, sorted(' '.join(line.split()[:2]) for line in lines
                                          if line.split()[2] in names.split()), hooks)
    results = [json.loads(line) for line in box.stdout.splitlines()]
    results = [r for r in results if r['type'] == 'tool_result']
    check('the tools really ran', [r['status'] for r in results],
          ['success', 'success', 'error', 'success'])
    check('a Claude hook denies a tool of an MCP server', 'the shop is closed' in json.dumps(results[2]),
          True)


def origins(box):
    box.execute('hooks list --json', '')
    hooks = json.loads(box.stdout)['hooks']
    claude, gemini = box.path('.claude/settings.json'), box.path('.gemini/settings.json')
    extension = box.path('~/.gemini/extensions/watch/hooks/hooks.json')
    check('list: dialect and origin of each',
          sorted((h['event'], h['moment'] if 'moment' in h else h['event'], h['dialect'], h['tier'],
                  h['file'], h.get('extension', '')) for h in hooks),
          sorted([('SessionStart', 'SessionStart', 'gemini', 'project', gemini, ''),
                  ('BeforeTool', 'BeforeTool', 'gemini', 'project', gemini, ''),
                  ('PreToolUse', 'BeforeTool', 'claude', 'project', claude, ''),
                  ('PreToolUse', 'BeforeTool', 'claude', 'project', claude, ''),
                  ('PostToolUse', 'AfterTool', 'claude', 'project', claude, ''),
                  ('Stop', 'AfterAgent', 'claude', 'project', claude, ''),
                  ('BeforeTool', 'BeforeTool', 'gemini', 'extension', extension, 'watch'),
                  ('AfterTool', 'AfterTool', 'gemini', 'user',
                   box.path('~/.gemini/settings.json'), '')]))

    def line_of(h):
        with open(h['file'], encoding='utf-8') as f:
            return f.read().splitlines()[h['line'] - 1]
    check('list: the lines are those of the hooks', {line_of(h).strip() for h in hooks}, {'{'})
    box.execute('hooks list', '')
    for part in ('.claude/settings.json:', 'claude PreToolUse', 'gemini  of watch', '  gemini'):
        check('list, as text: ' + part, part in box.stdout, True)


def digests(box):
    found = {}
    for top in (box.project, box.home):
        for folder, _, files in os.walk(top):
            for name in files:
                path = os.path.join(folder, name)
                with open(path, 'rb') as f:
                    found[os.path.relpath(path, os.path.dirname(top))] = (
                        hashlib.sha256(f.read()).hexdigest(), os.stat(path).st_mode)
    return found


def install_and_uninstall(box):
    ways = [('gemini', 'BeforeTool', 'project'), ('gemini', 'SessionStart', 'user'),
            ('claude', 'PreToolUse', 'project'), ('claude', 'Stop', 'user'),
            ('tabnine', 'AfterTool', 'user'), ('terminai', 'BeforeTool', 'project')]
    before = digests(box)
    for into, event, scope in ways:
        box.execute('hooks install visitor %s "./visit --now" --with-mcp --into %s --scope %s' % (
            event, into, scope), '')
        check('install into %s, %s' % (into, scope), box.status, 0)
    during = digests(box)
    check('it is there', [name for name in before if before[name] != during[name]] != [], True)
    for into, _, scope in ways:
        box.execute('hooks uninstall visitor --into %s --scope %s --with-mcp' % (into, scope), '')
        check('uninstall from %s, %s' % (into, scope), box.status, 0)
    after = digests(box)
    check('every file is as it was, byte for byte',
          {name: after.get(name) for name in before if after.get(name) != before[name]}, {})
    check('there is no other', sorted(set(after) - set(before)), [])


def main():
    with contextlib.ExitStack() as stack:
        box = scn.Sandbox(os.path.abspath(os.environ['TROTLINE']),
                          stack.enter_context(tempfile.TemporaryDirectory(prefix='whole-')))
        box.env['GEMINI_API_KEY'] = 'dummy'
        lay_out(box)
        session(box)
        origins(box)
        install_and_uninstall(box)
    print('1..%d' % count)
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
