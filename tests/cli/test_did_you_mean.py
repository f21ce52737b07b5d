#!/usr/bin/env python3
"""One letter wrong, anywhere: the message asks whether the right word was meant.  The words are those of the
tables that the program prints, so that a new one is tried as well.  Prints TAP."""

import json
import random
import re

from agentbox import Box, Tap, check
from command_table import leaves

DICE = random.Random(20)
LETTERS = 'abcdefghijklmnopqrstuvwxyz'


def slip(word, table):
    """The word with one slip of the finger that is none of the table's words."""
    for _ in range(50):
        # Not the first letter of all, and no sign: both mean something.
        at = DICE.randrange(1, len(word))
        new = [word[:at] + word[at + 1:],
               word[:at] + DICE.choice(LETTERS) + word[at:],
               word[:at - 1] + word[at] + word[at - 1] + word[at + 1:],
               word[:at] + DICE.choice(LETTERS) + word[at + 1:]][DICE.randrange(4)]
        if new.lower() not in {t.lower() for t in table} and len(new) > 2 and new.isascii() and \
                re.findall(r'\W', word) == re.findall(r'\W', new) and new not in word:
            return new
    return None


def asked(r, word, new, table):
    """A message that names the word, or one that is as near."""
    meant = re.search(r'did you mean "(?:trotline |--|/)?([^"]*)"\?', r.out + r.err)
    check(meant, '%s for %s: nobody is asked' % (new, word), r)
    check(len(word) < 6 or {*meant[1].split()} & {*table}, word, new, r)


def each(tap, name, table, command):
    """command(box, word): runs the program with the word in some place."""
    with tap.case(name):
        table = sorted(set(table))
        check(table, 'the table is empty')
        with Box() as box:
            for word in table:
                new = slip(word, table) if len(word) > 2 else None
                if new:
                    asked(command(box, new), word, new, table)


def lint_of(text, name='.gemini/settings.json'):
    """A command for each(): text % word as settings."""
    def run(box, word):
        box.write('project/' + name, text.replace('%', word))
        return box.run('hooks', 'lint')
    return run


def line(*args):
    def run(box, word):
        return box.run(*(word if a == '%' else a.replace('%', word) for a in args))
    return run


def in_hook(member):
    return '{"hooks":{"BeforeTool":[{"hooks":[{"type":"command","command":"true",%s}]}]}}' % member


def commands(tap, box):
    found = list(leaves(box))
    groups = {leaf[0] for leaf in found}
    each(tap, 'groups of commands', groups, line('%', 'list'))
    for group in sorted(groups):
        names = {leaf[1] for leaf in found if leaf[0] == group and len(leaf) > 1}
        if names:
            each(tap, 'commands of ' + group, names, line(group, '%'))
    for leaf in found:
        options = re.findall(r'^ +(?:-\w, )?--([\w-]+)', box.run(*leaf, '--help').out, re.M)
        if leaf != ('hook',):
            each(tap, 'options of ' + ' '.join(leaf), options, line(*leaf, '--%'))
    options = re.findall(r'^ +(?:-\w, )?--([\w-]+)', box.run('--help').out, re.M)
    each(tap, 'options of the agent', options, line('--%', '-p', 'x'))


def events(tap, schema):
    ours = [e for e in schema['properties']['hooks']['properties']]
    for args in (['hooks', 'run', '%'], ['hooks', 'why', '%'], ['hooks', 'schema', '%'],
                 ['hooks', 'schema', 'input', '%'], ['hooks', 'schema', 'output', '%']):
        each(tap, 'events: ' + ' '.join(args), ours, line(*args))
    for into in ('gemini', 'trotline', 'tabnine', 'terminai', 'claude'):
        events_of = ['PreToolUse', 'PostToolUse', 'UserPromptSubmit'] if into == 'claude' else \
            ['BeforeTool', 'AfterModel', 'SessionStart']
        each(tap, 'events: hooks install --into ' + into, events_of,
             line('hooks', 'install', 'x', '%', 'true', '--into', into))
    each(tap, 'events: settings', ours, lint_of('{"hooks":{"%":[]}}'))


def settings(tap, schema):
    hook = schema['definitions']['hook']['properties']
    each(tap, 'keys of a definition', ['matcher', 'sequential', 'description', 'dialect'],
         lint_of('{"hooks":{"BeforeTool":[{"%":"x","hooks":[]}]}}'))
    each(tap, 'keys of a hook', {'name', 'timeout', 'guard', 'onFailure', 'mode', 'env', 'persistent', 'watch'} & {*hook},
         lint_of(in_hook('"%":"x"')))
    each(tap, 'keys of hooksConfig', schema['properties']['hooksConfig']['properties'],
         lint_of('{"hooksConfig":{"%":1}}'))
    each(tap, 'keys of the file', ['hooks', 'hooksConfig', 'mcpServers'], lint_of('{"%":{}}'))
    for key, rules in hook.items():
        if key != 'type' and 'enum' in rules:
            each(tap, 'words of ' + key, rules['enum'], lint_of(in_hook('"%s":"%%"' % key)))
    for key, rules in schema['properties']['hooksConfig']['properties'].items():
        words = rules.get('enum') or rules.get('items', {}).get('enum')
        if words:
            value = '["%"]' if rules['type'] == 'array' else '"%"'
            each(tap, 'words of hooksConfig.' + key, words, lint_of('{"hooksConfig":{"%s":%s}}' % (key, value)))
    claude = '{"hooks":{"PreToolUse":[{"hooks":[{"type":"%","command":"true"}]}]}}'
    each(tap, 'types of hooks', schema['definitions']['claudeHook']['properties']['type']['enum'], lint_of(claude, '.trotline/settings.json'))
    each(tap, 'names in hooksConfig.disabled', ['lookout', 'watcher'],
         lint_of('{"hooksConfig":{"disabled":["%"]},"hooks":{"BeforeTool":[{"hooks":[{"type":"command",'
                 '"name":"lookout","command":"true"},{"type":"command","name":"watcher","command":"true"}]}]}}'))


def packs(tap, box):
    names = [p['name'] for p in json.loads(box.run('guard', 'list', '--json').out)['packs']]
    own = '.trotline/settings.json'
    for args in (['guard', 'on', '%'], ['guard', 'off', '%'], ['guard', 'test', '%']):
        each(tap, 'packs: ' + ' '.join(args), names, line(*args))
    each(tap, 'packs: settings', names, lint_of('{"guard":{"packs":["%"]}}', own))
    each(tap, 'packs: exceptions', {*names} - {'agents'}, lint_of('{"guard":{"exceptions":[{"pack":"%","path":"x"}]}}', own))
    each(tap, 'members of guard', ['packs', 'exceptions'], lint_of('{"guard":{"%":[]}}', own))
    each(tap, 'members of an exception', ['rule', 'path', 'command', 'project'],
         lint_of('{"guard":{"exceptions":[{"pack":"git","%":"x"}]}}', own))


def agents(tap, box):
    names = re.findall(r'^  ([a-z]\w+)', box.run('hook', '--help').out.partition('\nAgents:\n')[2], re.M)
    check(len(names) > 15, names)
    for args in (['hook', '%'], ['hooks', 'install', '--into', '%'], ['hooks', 'uninstall', '--into', '%'],
                 ['guard', 'on', '--into', '%']):
        each(tap, 'agents: ' + ' '.join(args), names, line(*args))
    for args in (['hooks', 'install', 'x', 'BeforeTool', 'true', '--into', '%'], ['hooks', 'uninstall', 'x', '--into', '%'],
                 ['mcp', 'list', '--into', '%'], ['mcp', 'add', '--into', '%', 'a', 'b'], ['mcp', 'remove', '--into', '%', 'a']):
        each(tap, 'whose settings: ' + ' '.join(args), ['gemini', 'trotline', 'tabnine', 'terminai', 'claude'], line(*args))
    each(tap, 'agents: migrate', ['claude', 'codex', 'tabnine', 'terminai', 'jpfork'],
         line('hooks', 'migrate', '--from', '%'))
    each(tap, 'whose servers', ['claude-desktop', 'cursor', 'vscode', 'windsurf'],
         line('hooks', 'install', '--mcp', '--into', '%'))


def words(tap):
    for args, table in ((['hooks', 'init', '--scope', '%'], ['project', 'user']),
                        (['hooks', 'install', '--into', 'claude', '--scope', '%'], ['project', 'user']),
                        (['skills', 'enable', 'x', '--scope', '%'], ['user']),
                        (['extensions', 'enable', 'x', '--scope', '%'], ['user']),
                        (['extensions', 'list', '--output-format', '%'], ['text', 'json']),
                        (['hooks', 'init', '--language', '%'], ['python', 'node']),
                        (['mcp', 'add', '--transport', '%', 'a', 'http://x'], ['stdio', 'http', 'sse']),
                        (['hooks', 'install', 'x', 'BeforeTool', 'true', '--on-failure', '%'], ['warn', 'ask', 'deny'])):
        each(tap, 'words: ' + ' '.join(args), table, line(*args))
    tools = ['run_shell_command', 'write_file', 'read_file', 'replace', 'web_fetch', 'ask_user']
    for args in (['hooks', 'why', 'BeforeTool', '--tool', '%'], ['policy', 'why', '%', '{}']):
        each(tap, 'tools: ' + ' '.join(args), tools, line(*args))
    each(tap, 'tools: a matcher', tools,
         lint_of('{"hooks":{"BeforeTool":[{"matcher":"%","hooks":[{"type":"command","command":"true"}]}]}}'))


def main():
    tap = Tap()
    with Box() as box:
        schema = json.loads(box.run('hooks', 'schema').out)
        commands(tap, box)
        events(tap, schema)
        settings(tap, schema)
        packs(tap, box)
        agents(tap, box)
    words(tap)
    tap.done()


main()
