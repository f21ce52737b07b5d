#!/usr/bin/env python3
"""The guard says the same of a call whoever asks it, and whenever: a sample of tests/corpus through the judge alone and
through the hook of each agent, in other environments.  Prints TAP."""

import concurrent.futures
import importlib.machinery
import importlib.util
import json
import os
import random
import resource
import subprocess
import sys

from agentbox import TROTLINE, WHY_LINE, Box, Tap, check
from hostagents import AGENTS, COMMAND, ask, named

tap = Tap()
PACKS = ['agents', 'destructive', 'git', 'outside', 'publish', 'secrets', 'supply']
ROOT = os.environ['TEST_SOURCE_ROOT']
SEED = 20261128
EACH = 12  # commands for each agent
ENVIRONMENTS = 12


def load_corpus():
    loader = importlib.machinery.SourceFileLoader('corpus', os.path.join(ROOT, 'tools/corpus'))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader('corpus', loader))
    written, sys.dont_write_bytecode = sys.dont_write_bytecode, True
    loader.exec_module(module)
    sys.dont_write_bytecode = written
    return module


corpus = load_corpus()


def sample(n):
    """Rows whose call a shell of the project makes."""
    files, problems = corpus.read(sorted(os.path.join(where, name) for where, _, names in
                                         os.walk(os.path.join(ROOT, 'tests/corpus'))
                                         for name in names if name.endswith('.jsonl')))
    check(not problems, 'the corpus can be read', problems[:3])
    rows = [row for rows in files.values() for row in rows
            if not corpus.is_secret(row) and not {'shell', 'cwd'} & set(row)]
    return random.Random(SEED).sample(rows, n)


def command_in(box, row):
    return corpus.command_of(row).replace(corpus.CWD, box.project).replace(corpus.HOME, box.root)


def judge(box, lines, **how):
    how.setdefault('env', box.env)
    r = subprocess.run([TROTLINE, 'guard', 'test', '--batch', *PACKS], input=lines, text=True, capture_output=True,
                       check=False, **{'cwd': box.project, **how})
    check(r.returncode == 0 and not r.stderr, 'the judge ends well', r.returncode, r.stderr, how)
    said = [json.loads(line) for line in r.stdout.splitlines()]
    for v in said:
        del v['us']
    return said


def lines_of(box, commands):
    return ''.join(json.dumps({'command': c, 'cwd': box.project, 'project': box.project, 'home': box.root}) + '\n'
                   for c in commands)


def with_command(v, text):
    """The payload, with another command, also where it is JSON in a string."""
    if isinstance(v, dict):
        return {k: with_command(x, text) for k, x in v.items()}
    if isinstance(v, list):
        return [with_command(x, text) for x in v]
    if isinstance(v, str) and v != COMMAND:
        return v.replace(COMMAND, json.dumps(text)[1:-1])
    return text if v == COMMAND else v


def check_agrees(box, agent, command, said):
    payload, *event = agent.tool if isinstance(agent.tool, tuple) else (agent.tool,)
    answer = ask(box, agent, (with_command(payload, command), *event))
    shown = WHY_LINE.sub('', answer.r.out) + answer.err
    if said['verdict'] == 'allow':
        check(answer.status == 0 and answer.json == agent.none, agent.name + ' is not let pass', command, said, answer.r)
        return
    check(answer.status != 0 or answer.json != agent.none, agent.name + ' is let pass', command, said, answer.r)
    check(any(said['reason'] in x for x in (shown, shown.replace('\\n', '\n').replace('\\"', '"').replace('\\\\', '\\'))) or
          json.dumps(said['reason'])[1:-1] in shown or said['rule'] in shown,
          agent.name + ' has another reason', command, said, answer.r)


def setup(box):
    """A project below its home, with all packs on."""
    box.env['HOME'] = box.root
    del box.env['TMPDIR']  # in that home
    box.write('project/.git/HEAD', 'ref: refs/heads/main\n')
    box.write('.trotline/settings.json', json.dumps({'guard': {'packs': PACKS}}))


with Box() as box:
    setup(box)
    commands = [command_in(box, row) for row in sample(EACH * len(AGENTS))]
    verdicts = judge(box, lines_of(box, commands))
    for i, agent in enumerate(AGENTS):
        with tap.case('C9.6 the hook says what the judge says: ' + agent.name):
            # What the shell of the agent sets is no matter of the hook's environment.
            box.env.update({'PWD': '/e', 'IFS': '/', 'OLDPWD': '/'} if i % 2 else {'PWD': box.project})
            for command, said in list(zip(commands, verdicts))[i * EACH:(i + 1) * EACH]:
                check_agrees(box, agent, command, said)


@tap.case('C9.6 verdict, reason, rule and effects do not depend on environment, memory, place, rights or stack')
def same_anywhere():
    with Box() as box:
        setup(box)
        lines = lines_of(box, [command_in(box, row) for row in sample(EACH * len(AGENTS))])
        first = judge(box, lines)

        def again(n):
            rnd = random.Random(n)
            env = dict(box.env, LC_ALL=rnd.choice(['C', 'tr_TR.UTF-8', 'ja_JP.eucJP']), MALLOC_PERTURB_=str(n * 17 % 256),
                       PWD='/e', IFS='/', RANDOM='3', PAGER='sh', GIT_DIR='/e', BASH_ENV='/e', PADDING='x' * rnd.randrange(5000),
                       HOME=rnd.choice([box.root, '/', '/nowhere']), TMPDIR=rnd.choice(['/', box.tmp]))
            mask = rnd.choice([0, 0o77, 0o777])

            def child():
                os.umask(mask)
                if n % 2 and 'san' not in TROTLINE:
                    resource.setrlimit(resource.RLIMIT_STACK, (512 * 1024, 512 * 1024))

            return judge(box, lines, env=env, cwd=rnd.choice(['/', box.tmp]), preexec_fn=child)

        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for n, said in enumerate(pool.map(again, range(ENVIRONMENTS))):
                for a, b in zip(first, said):
                    check(a == b, 'in environment %d' % n, a, b)


BEHIND = {  # scripts whose second statement is none of the first one's business
    'PowerShell': "pwsh -Command 'Stop-Computer -Force; Write-Host MARK'",
    'decoded': 'powershell -enc UgBlAG0AbwB2AGUALQBJAHQAZQBtACAAQwA6AFwAIAAtAFIAZQBjAHUAcgBzAGUA',
    'PowerShell in lines': "pwsh - <<'E'\nforeach ($s in $list) { Stop-Computer -ComputerName $s }\nWrite-Host MARK\nE",
    'Python': "python3 - <<'E'\nimport shutil\nshutil.rmtree('/')\nprint('MARK')\nE",
    'Node': "node - <<'E'\nconst k8s = require('@kubernetes/client-node');\napi.deleteNamespace(name);\nconsole.log('MARK');\nE",
    'SQL': "psql <<'E'\nDROP DATABASE a;\nSELECT MARK;\nE",
    'a shell': 'rm -rf /\necho MARK',
}


@tap.case('C9.6 a reason has the words that do it and nothing that stands behind them')
def words_alone():
    with Box() as box:
        setup(box)
        for name, said in zip(BEHIND, judge(box, lines_of(box, BEHIND.values()),
                                            env=dict(box.env, MALLOC_PERTURB_='165'))):
            check(said['verdict'] == 'deny' and 'MARK' not in said['reason'], name, said)
            check(said['reason'].isascii() and said['reason'].count('`') % 2 == 0, name, said)


SECRETS = {'issued': 'AKIA' + 'Q7ZP2LK9XV4TN8WB', 'password': 'postgres://app:' + 'q7Zp2Lk9Xv' + '@db.internal:5432/x',
           'private key': '-----BEGIN RSA ' + 'PRIVATE KEY-----\n' + 3 * (
               'MIIEowIBAAKCAQEA7bq3Zk9xWm2c8nJtQxv5yF1uGhR4sPpLkDzVeYwTnCoXiUaB\n') + '-----END RSA ' + 'PRIVATE KEY-----'}
SPECIAL = ':/@-='
ENCODINGS = {
    'as it is': str, 'in a JSON string': json.dumps, 'in one in one': lambda s: json.dumps(json.dumps({'a': s})),
    'CRLF': lambda s: s.replace('\n', '\r\n'), 'with a BOM': lambda s: '\ufeff' + s,
    'in an address': lambda s: ''.join(c if c.isalnum() else '%%%02X' % ord(c) for c in s),
    'with small digits': lambda s: ''.join(c if c.isalnum() else '%%%02x' % ord(c) for c in s),
    'with \\u': lambda s: ''.join('\\u%04x' % ord(c) if c in SPECIAL + 'A' else c for c in s),
    'with \\x': lambda s: ''.join('\\x%02x' % ord(c) if c in SPECIAL + 'A' else c for c in s),
    'with \\/': lambda s: s.replace('/', '\\/'),
    'UTF-16LE': lambda s: '\ufeff' + ''.join(c + '\0' for c in s), 'UTF-16BE': lambda s: ''.join('\0' + c for c in s),
}
AROUND = [('', ''), ('x = "', '"'), ('é ', ' é'), ('a\n' * 40000, '\nb'), ('- ' * 32763, '\n' + 'b ' * 32768)]


@tap.case('C9.8 a secret is found in each encoding, whatever stands before and behind')
def encoded():
    with Box() as box:
        setup(box)
        cases = [(name, how, before + encode(secret) + after) for name, secret in SECRETS.items()
                 for how, encode in ENCODINGS.items() for before, after in (AROUND if 'UTF' not in how else AROUND[:1])]
        lines = ''.join(json.dumps({'tool': 'write_file', 'cwd': box.project, 'project': box.project, 'home': box.root,
                                    'input': {'file_path': 'a.txt', 'content': text}}) + '\n' for _, _, text in cases)
        for (name, how, text), said in zip(cases, judge(box, lines)):
            check(said['verdict'] == 'deny', '%s, %s: %s' % (name, how, text[:60]), said)
        for name, secret in SECRETS.items():  # of a result nothing is passed on that cannot be taken out
            result = json.loads(json.dumps(named('claude').result))
            hidden = ''.join(c if c.isalnum() else '%%%02X' % ord(c) for c in secret) if name != 'issued' else \
                secret.replace('A', '\\u0041')
            result['tool_response']['stdout'] = 'see ' + hidden
            answer = ask(box, named('claude'), result)
            check(hidden not in answer.r.out and 'redacted' in answer.r.out, name + ' is shown', answer.r)


same_anywhere()
words_alone()
encoded()
tap.done()
