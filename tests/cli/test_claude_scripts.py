#!/usr/bin/env python3
"""Unmodified scripts for Claude Code in sessions of the agent.  Prints TAP.

The 16 acceptance checks of the dialect, each with the script of tests/data/claude_scripts in sh,
Python and Node; the settings file is in turn the project's, the project's local one and the
user's.  The model is replayed; hooks and tools really run."""

import concurrent.futures
import json
import os
import shlex
import shutil
import sys
import tempfile

sys.dont_write_bytecode = True
import scenarios  # noqa: E402

ROOT = os.environ['TEST_SOURCE_ROOT']
SCRIPTS = os.path.join(ROOT, 'tests/data/claude_scripts')
LANGUAGES = {'sh': 'sh', 'py': 'python3', 'js': 'node'}
FILES = ['.claude/settings.json', '.claude/settings.local.json', '~/.claude/settings.json']
RM = 'call run_shell_command {"command":"rm -rf /nonexistent/x"}'
WRITE = 'call write_file {"file_path":"new.txt","content":"hello\\n"}'
RESPONSE = '/contents/2/parts/0/functionResponse/response'

scn = scenarios.load()


class Box(scn.Sandbox):
    """A project, with a path that shells get wrong, and a home."""

    def __init__(self, root, language, settings):
        super().__init__(os.path.abspath(os.environ['TROTLINE']), root)
        os.rmdir(self.project)
        self.project = os.path.join(root, 'ana\'s "big" $project & co')
        os.makedirs(os.path.join(self.project, '.claude/hooks'))
        self.env.update(GEMINI_API_KEY='dummy', GEMINI_CLI_TRUST_WORKSPACE='true')
        self.language, self.settings, self.hooks, self.servers = language, settings, {}, {}

    def hook(self, event, script, matcher='', **more):
        name = '.claude/hooks/%s.%s' % (script, self.language)
        shutil.copy(os.path.join(SCRIPTS, os.path.basename(name)), self.path(name))
        entry = dict(type='command', command='"$CLAUDE_PROJECT_DIR"/' + name, **more)
        self.hooks.setdefault(event, []).append({'matcher': matcher, 'hooks': [entry]})
        return self

    def server(self, name, *tools):
        self.servers[name] = {'command': sys.executable,
                              'args': [os.path.join(SCRIPTS, 'mcp_server.py'), *tools]}
        return self

    def ask(self, *answers, args='-p hi'):
        self.write(self.settings, '', json.dumps({'hooks': self.hooks}, indent=2))
        # A project may ask for its own files; for the user's the user does.
        where = '~/.gemini/settings.json' if self.settings[0] == '~' else '.gemini/settings.json'
        self.write(where, '', json.dumps({'hooksConfig': {'sources': ['claude']},
                                          'mcpServers': self.servers}))
        self.write('../model.jsonl', '', ''.join(json.dumps(scn.answer(a.split('\n'))) + '\n'
                                                 for a in answers))
        self.execute('-m gemini-2.5-flash --approval-mode yolo --fake-responses %s %s' % (
            shlex.quote(self.path('../model.jsonl')), args), '')
        return self

    def wants(self, kind, args):
        """A step of a scenario: wants('request', '/contents ...')."""
        getattr(self, 'do_' + kind)(scn.Step(0, kind, args))
        return self

    def lines(self, name):
        return self.read(name).split() if os.path.exists(self.path(name)) else []

    def equal(self, got, wanted):
        if got != wanted:
            raise scn.Failed(repr(wanted), repr(got))
        return self


# ---- 3.10, a row each ----

def row_1(box):
    """exit 2 with stderr: denied, stderr to the model"""
    box.hook('PreToolUse', 'guard', 'Bash').ask(RM)
    box.wants('request', RESPONSE + '/error "Tool execution blocked: rm -rf is not allowed here"')


def row_2(box):
    """the same with noise on stdout: denied with stderr"""
    box.hook('PreToolUse', 'noisy', 'Bash').ask(RM)
    box.wants('request', RESPONSE + '/error "Tool execution blocked: rm -rf is not allowed here"')
    box.wants('stderr', 'hasnt checking')


def row_3(box):
    """exit 2 without a word: denied with a generic text"""
    box.hook('PreToolUse', 'silent').ask(WRITE)
    box.wants('request', RESPONSE + '/error has "blocked by hook"')
    box.wants('request', RESPONSE + '/error has "(exit 2, no message)"').wants('no_file', 'new.txt')


def row_4(box):
    """exit 1: allowed, a notice"""
    box.hook('PreToolUse', 'exit1').ask(WRITE)
    box.wants('stderr', 'has eslint: not found').wants('request', RESPONSE + '/error absent')
    box.equal(box.read('new.txt'), 'hello\n')


def row_5(box):
    """exit 3: allowed, a notice"""
    box.hook('PreToolUse', 'exit3').ask(WRITE)
    box.wants('stderr', 'has eslint: not found').wants('request', RESPONSE + '/error absent')
    box.equal(box.read('new.txt'), 'hello\n')


def row_6(box):
    """permissionDecision deny: denied with its reason"""
    box.hook('PreToolUse', 'deny', 'Write').ask(WRITE)
    box.wants('request', RESPONSE + '/error "Tool execution blocked: no"').wants('no_file', 'new.txt')


def row_7(box):
    """matcher Edit|Write: replace and write_file, not read_file"""
    box.write('a.txt', '', 'one\n')
    box.hook('PreToolUse', 'log', 'Edit|Write')
    box.ask('call read_file {"file_path":"a.txt"}', WRITE, 'call replace {"file_path":"a.txt",'
            '"instruction":"count","old_string":"one","new_string":"two"}')
    box.equal(box.lines('fired'), ['Write', 'Edit']).equal(box.read('a.txt'), 'two\n')


def notebook(box, matcher):
    box.hook('PreToolUse', 'log', matcher).server('nb', 'NotebookEdit')
    box.ask('call mcp__nb__NotebookEdit {}')
    box.wants('request', RESPONSE + '/output has "called"')
    fired = box.lines('fired')
    box.execute('hooks run BeforeTool --tool NotebookEdit --json', '')
    return fired, [r['state'] for r in json.loads(box.stdout)['hooks']]


def row_8(box):
    """matcher Edit: not a tool called NotebookEdit"""
    box.equal(notebook(box, 'Edit'), ([], ['no-match']))


def row_9(box):
    """matcher Edit.*: a tool called NotebookEdit, too"""
    box.equal(notebook(box, 'Edit.*'), (['mcp__nb__NotebookEdit'], ['ran']))


def row_10(box):
    """matcher mcp__stock__.*: a tool of that server"""
    box.hook('PreToolUse', 'log', 'mcp__stock__.*').server('stock', 'price').server('other', 'price')
    box.ask('call mcp__stock__price {}', 'call mcp__other__price {}', 'call mcp_stock_price {}')
    box.equal(box.lines('fired'), ['mcp__stock__price'] * 2)


def row_11(box):
    """matcher mcp__stock: no tool"""
    box.hook('PreToolUse', 'log', 'mcp__stock').server('stock', 'price')
    box.ask('call mcp__stock__price {}').wants('request', RESPONSE + '/output has "called"')
    box.equal(box.lines('fired'), [])


def row_12(box):
    """text of UserPromptSubmit: context for the model, nothing is shown"""
    box.hook('UserPromptSubmit', 'branch').ask()
    box.wants('request', '/contents/*/parts/*/text has "<hook_context>branch: main</hook_context>"')
    box.ask('say done')
    box.equal(box.stdout.strip(), 'done').wants('stderr', 'hasnt main')


def row_13(box):
    """Stop blocks nine times: the ninth does not count"""
    box.hook('Stop', 'go_on').ask(*['say %d' % n for n in range(12)])
    box.equal(box.status, 0).equal(len(box.lines('stops')), 9).wants('stdout', 'has 8')
    box.wants('stdout', 'hasnt 9')


def row_14(box):
    """PostToolUse exit 2: the result is kept, the text appended"""
    box.hook('PostToolUse', 'lint', 'Write').ask(WRITE)
    box.wants('request', RESPONSE + '/output has "new.txt"').wants('request', RESPONSE + '/error absent')
    box.wants('request', RESPONSE + '/output has "<hook_context>lint failed</hook_context>"')
    box.equal(box.read('new.txt'), 'hello\n')


def row_15(box):
    """updatedInput without dir_path: runs in the same directory"""
    box.write('sub/inside', '', '')
    box.hook('PreToolUse', 'ls', 'Bash')
    box.ask('call run_shell_command {"command":"rm inside","dir_path":"sub"}')
    box.wants('request', RESPONSE + '/output has "Output: inside"').read('sub/inside')


def row_16(box):
    """timeout 900 is seconds: three of them are no timeout"""
    box.hook('PreToolUse', 'slow', 'Write', timeout=900).ask(WRITE)
    box.equal(box.read('slow.done'), 'done\n').wants('took', 'more than 3000')
    box.equal(box.read('new.txt'), 'hello\n')


ROWS = [row_1, row_2, row_3, row_4, row_5, row_6, row_7, row_8, row_9, row_10, row_11, row_12, row_13,
        row_14, row_15, row_16]


def run(case):
    """(name, None or why it failed, or the language that is missing)."""
    row, language, settings = case
    name = '3.10 row %d, %s, %s: %s' % (ROWS.index(row) + 1, LANGUAGES[language], settings, row.__doc__)
    if not shutil.which(LANGUAGES[language]):
        return name, None, LANGUAGES[language]
    with tempfile.TemporaryDirectory(prefix='claude-', ignore_cleanup_errors=True) as root:
        box = None
        try:
            box = Box(root, language, settings)
            row(box)
        except Exception as e:  # whatever goes wrong, the other cases run
            return name, '%r\nexit %s, stdout:\n%s\nstderr:\n%s' % (
                e, box and box.status, box and box.stdout, box and box.stderr), None
    return name, None, None


def cases():
    for n, row in enumerate(ROWS):
        for k, language in enumerate(LANGUAGES):
            for settings in FILES if row is row_1 else [FILES[(n + k) % 3]]:
                yield row, language, settings


def main():
    wanted = [c for c in cases() if len(sys.argv) < 2 or c[0].__name__ in sys.argv[1:]]
    print('1..%d' % len(wanted))
    failed = 0
    with concurrent.futures.ThreadPoolExecutor(4) as pool:
        for n, (name, why, missing) in enumerate(pool.map(run, wanted), 1):
            print('%sok %d - %s%s' % ('not ' if why else '', n, name,
                                      ' # SKIP no ' + missing if missing else ''), flush=True)
            if why:
                failed += 1
                print('# ' + why.rstrip().replace('\n', '\n# '))
    return failed > 0


if __name__ == '__main__':
    sys.exit(main())
