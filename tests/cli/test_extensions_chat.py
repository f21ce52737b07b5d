#!/usr/bin/env python3
"""Extensions on a terminal: the questions of `trotline extensions`, and /extensions in a session.
Prints TAP.

  test_extensions_chat.py [NAME...]      only these"""

import json
import os
import shutil
import sys

import pexpect

from agentbox import PATIENCE, TROTLINE, call, check, say
from test_chat import SECONDS, Chat, ended, plain, run_tests

ROOT = os.environ.get('TEST_SOURCE_ROOT') or os.path.dirname(os.path.dirname(os.path.dirname(
    os.path.abspath(__file__))))
GUARDS = os.path.join(ROOT, 'tests/data/extensions/guards')


def copy(c):
    to = os.path.join(c.root, 'guards')
    shutil.copytree(GUARDS, to)
    return to


def installed(c, name=''):
    return os.path.join(c.home, '.gemini/extensions', name)


def spawn(c, *args):
    return pexpect.spawn(TROTLINE, ['extensions', *args], cwd=c.project, env=c.env, encoding='utf-8',
                         timeout=SECONDS * PATIENCE)


def end(child, status):
    child.expect(pexpect.EOF)
    ended(child)
    check(child.exitstatus == status, 'exit %d' % status, child.exitstatus, child.before)


def test_a_secret_is_not_shown(c):
    child = spawn(c, 'install', copy(c))
    child.expect(r'Install "guards"\? \[y/N\] ')
    child.sendline('y')
    child.expect('API Key .*value, empty for none: ')
    child.waitnoecho(SECONDS * PATIENCE)
    child.sendline('s3cret-word')
    child.expect('Address .*value, empty for none: ')
    check('s3cret' not in child.before + child.after, 'the secret is not echoed', child.before)
    child.sendline('https://x')
    child.expect('is installed and enabled')
    end(child, 0)
    env = installed(c, 'guards/.env')
    with open(env, encoding='utf-8') as f:
        text = f.read()
    check(text == 'GUARDS_KEY=s3cret-word\nGUARDS_URL=https://x\n', 'the values', text)
    check(os.stat(env).st_mode & 0o777 == 0o600, 'others cannot read them')


def test_enter_is_no(c):
    child = spawn(c, 'install', copy(c))
    child.expect(r'\[y/N\] ')
    child.sendline('')
    end(child, 1)
    check(not os.path.exists(installed(c)), 'nothing is left')


def test_ctrl_c_at_the_question(c):
    for answers in ((), ('y',)):
        child = spawn(c, 'install', os.path.join(c.root, 'guards') if answers else copy(c))
        child.expect(r'\[y/N\] ')
        for line in answers:
            child.sendline(line)
            child.expect('empty for none: ')
        child.sendcontrol('c')
        child.expect(pexpect.EOF)
        ended(child)
        check(child.exitstatus in (1, 130), 'an exit status', child.exitstatus, child.signalstatus)
        check(not os.path.exists(installed(c)), 'nothing is left', os.listdir(c.home))


def install(c):
    r = c.run('extensions', 'install', copy(c), '--consent', '--skip-settings')
    check(r.status == 0, 'installed', r)


def test_extensions_in_a_session(c):
    install(c)
    c.open(answers=[[call('write_file', {'file_path': 'one', 'content': '1'})], [say('first done')],
                    [call('write_file', {'file_path': 'two', 'content': '2'})], [say('second done')],
                    [call('write_file', {'file_path': 'three', 'content': '3'})],
                    [say('third done')]], mode='yolo')
    c.ready()
    c.type('/extensions\r')
    at = c.wait('guards 1.0.0 [enabled]')
    for text in ('hooks: BeforeTool no-writing', 'MCP servers: notes, web', 'skills: review',
                 'commands: /git:last'):
        at = c.wait(text, at)
    c.type('write\r')
    c.wait('first done')
    check(not os.path.exists(os.path.join(c.project, 'one')), 'its hook denies')
    c.type('/extensions disable guards --scope workspace\r')
    at = c.wait('is disabled in')
    at = c.wait('Reloaded the extensions', at)
    c.type('write\r')
    c.wait('second done')
    check(os.path.exists(os.path.join(c.project, 'two')), 'its hook is gone at once')
    c.type('/extensions list\r')
    c.wait('guards 1.0.0 [disabled]', at)
    c.type('/extensions enable guards\r')
    at = c.wait('is enabled for the user', at)
    c.wait('Reloaded the extensions', at)
    c.type('write\r')
    c.wait('third done')
    check(not os.path.exists(os.path.join(c.project, 'three')), 'and is back')
    c.type('/extensions enable nope\r')
    c.wait('no extension is called "nope"')
    c.type('/extensions explore\r')
    c.wait('Usage: /extensions')
    c.quit()
    with open(installed(c, 'extension-enablement.json'), encoding='utf-8') as f:
        check('guards' in json.load(f), 'the rules are in the file')


def test_servers_end_and_start_with_their_extension(c):
    """at once, in the same session."""
    server = {'command': sys.executable, 'args': [os.path.join(ROOT, 'tests/mcp/server.py')]}
    c.settings(mcpServers={'own': server})
    c.write('home/.gemini/extensions/ranch/gemini-extension.json',
            json.dumps({'name': 'ranch', 'version': '1', 'mcpServers': {'cows': server}}))
    c.open(answers=[[call('mcp__cows__echo', {'text': 'moo'})], [say('first done')],
                    [call('mcp__cows__echo', {'text': 'muh'})], [say('second done')]], mode='yolo')
    c.ready()
    c.wait('MCP server cows [ready]')
    c.wait('MCP server own [ready]')
    c.type('/extensions disable ranch --scope workspace\r')
    at = c.wait('MCP server cows is stopped.')
    check('MCP server own is' not in c.read(), 'no other')
    c.type('/mcp restart cows\r')
    at = c.wait('MCP server cows: its extension is disabled', at)
    c.type('call it\r')
    at = c.wait('first done', at)
    c.type('/mcp\r')
    at = c.wait('cows [not used]: its extension is disabled', at)
    c.type('/extensions enable ranch\r')
    at = c.wait('MCP server cows is starting again.', at)
    at = c.wait('MCP server cows [ready]', at)
    c.type('call it\r')
    c.wait('second done', at)
    c.quit()


def test_hostile_words(c):
    install(c)
    path = installed(c, 'guards/gemini-extension.json')
    with open(path, encoding='utf-8') as f:
        manifest = json.load(f)
    manifest['description'] = 'nice\x1b]0;owned\x07\x1b[2J'
    manifest['contextFileName'] = ['\x1b[31mred']
    with open(path, 'w', encoding='utf-8') as f:
        json.dump(manifest, f)
    c.open(answers=[])
    c.ready()
    c.type('/extensions\r')
    c.wait('guards 1.0.0 [enabled]')
    c.wait('excluded tools')
    c.quit()
    check('\x1b]0;owned' not in c.seen, 'no escape gets through', plain(c.seen)[-500:])


def test_reload_brings_commands_and_skills(c):
    """At once, in the same session."""
    c.listen('BeforeAgent')
    c.open(answers=[[say('first')], [say('second')]])
    c.ready()
    c.write('home/.gemini/extensions/ranch/gemini-extension.json', '{"name": "ranch", "version": "1"}')
    c.write('home/.gemini/extensions/ranch/commands/ride.toml', 'prompt = "Ride {{args}}"')
    c.write('home/.gemini/extensions/ranch/skills/lasso/SKILL.md',
            '---\nname: lasso\ndescription: Catches.\n---\nBODY\n')
    c.type('/extensions reload\r')
    at = c.wait('Reloaded the extensions')
    c.type('/ride on\r')
    at = c.wait('first', at)
    c.type('/ranch:lasso it\r')
    at = c.wait('second', at)
    c.type('/lasso it\r')
    c.wait('Unknown command /lasso', at)
    c.quit()
    said = c.sent()
    check(said[0] == 'Ride on' and said[1].startswith('it\n') and
          '<activated_skill name="lasso">' in said[1], 'both', said)


if __name__ == '__main__':
    run_tests(globals(), 'extensions')
