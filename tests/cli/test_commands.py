#!/usr/bin/env python3
"""Custom commands and prompts of MCP servers in the interactive session.  TAP.

  test_commands.py [NAME...]      only these"""

import os
import time

from agentbox import check, say, wait_until
from test_chat import SECONDS, Chat, run_tests

SERVER = os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'mcp', 'server.py')
TOYS = {'toys': {'command': 'python3', 'args': [SERVER]}}


def command(c, name, text):
    c.write('home/.gemini/commands/%s.toml' % name, text)


def prompts(c):
    return [p['prompt'] for p in c.payloads('BeforeAgent')]


def exists(c, name):
    return os.path.exists(os.path.join(c.project, name))


def test_command_becomes_the_prompt(c):
    c.listen('BeforeAgent')
    command(c, 'git/two', 'prompt = "Say {{args}}."')
    c.open(answers=[[say('done')]])
    c.ready()
    c.type('/git:two it now\r')
    c.wait('done')
    c.quit()
    check(prompts(c) == ['Say it now.'], 'the expansion', prompts(c))


def test_completion_and_help(c):
    command(c, 'twofold', 'prompt = "x"\ndescription = "doubles \\u001b[2J it"')
    c.write('project/.gemini/commands/twofold.toml', 'prompt = "y"\ndescription = "of the project"')
    c.open(answers=[[say('done')]])
    c.ready()
    c.type('/two')
    c.wait('of the project')
    c.type('\x15/user.two')
    c.wait('doubles \\x1b[2J it')
    c.type('\x15/help\r')
    at = c.wait('Custom commands, skills and prompts of MCP servers:')
    c.wait('/user.twofold doubles', at)
    c.wait('/workspace.twofold of the project', at)
    c.quit()
    check('\x1b[2J it' not in c.seen, 'no sequence of a description')


def test_completion_inserts(c):
    c.listen('BeforeAgent')
    command(c, 'twofold', 'prompt = "Twofold {{args}}"')
    c.open(answers=[[say('done')]])
    c.ready()
    c.type('/twof\t')
    c.wait('/twofold')
    c.type('x\r')
    c.wait('done')
    c.quit()
    check(prompts(c) == ['Twofold x'], 'completed', prompts(c))


def test_unknown_command(c):
    c.listen('BeforeAgent')
    command(c, 'deploy', 'prompt = "x"')
    c.open(answers=[[say('never')]])
    c.ready()
    c.type('/depoy now\r')
    c.wait('Unknown command /depoy; did you mean "/deploy"? /help lists them.')
    c.type('/plan\r')
    c.wait('/plan is a command of Gemini CLI; here: /mode plan.')
    c.type('/vim\r')
    c.wait('/vim is a command of Gemini CLI that trotline does not have.')
    c.quit()
    check(not prompts(c), 'nothing is sent', prompts(c))


def test_shell_asks(c):
    c.listen('BeforeTool', 'AfterTool', 'Notification', 'BeforeAgent')
    command(c, 'two', 'prompt = "See !{sh say.sh {{args}}}."')
    c.write('project/say.sh', 'echo "out $1"')
    c.open(answers=[[say('done')]])
    c.ready()
    c.type('/two a;b\r')
    at = c.wait("sh say.sh 'a;b'")
    c.wait('Allow execution of [sh]?')
    check(not prompts(c), 'nothing is sent before', prompts(c))
    c.type('1')
    c.wait('done', at)
    c.quit()
    check(prompts(c) == ['See out a;b.'], 'the output is in the prompt', prompts(c))
    before, after = c.payloads('BeforeTool'), c.payloads('AfterTool')
    check(len(before) == 1 and before[0]['tool_name'] == 'run_shell_command' and
          before[0]['tool_input'] == {'command': "sh say.sh 'a;b'"}, 'BeforeTool', before)
    check(len(after) == 1 and after[0]['tool_response']['llmContent'] == 'out a;b', 'AfterTool', after)
    check(c.payloads('Notification')[0]['details']['command'] == "sh say.sh 'a;b'", 'Notification')


def test_shell_refused(c):
    c.listen('BeforeAgent')
    command(c, 'two', 'prompt = "See !{touch ran}."')
    c.open(answers=[[say('fine')]])
    c.ready()
    c.type('/two\r')
    c.wait('Allow execution of [touch]?')
    c.type('\x1b')
    at = c.wait('Request cancelled.')
    c.type('hi\r')
    c.wait('fine', at)
    c.quit()
    check(prompts(c) == ['hi'] and not exists(c, 'ran'), 'neither run nor sent', prompts(c))


def test_shell_for_the_session(c):
    c.listen('BeforeAgent')
    command(c, 'two', 'prompt = "<!{touch a}!{touch b}>"')
    c.open(answers=[[say('done')]])
    c.ready()
    c.type('/two\r')
    c.wait('Allow execution of [touch]?')
    c.type('2')
    c.wait('done')
    c.quit()
    check(prompts(c) == ['<>'] and exists(c, 'b'), 'the second did not ask', prompts(c))


def test_guard_stops_it(c):
    c.hooks({'BeforeTool': 'echo not today >&2; exit 2', 'BeforeAgent': 'touch asked'})
    command(c, 'two', 'prompt = "!{touch ran}"')
    c.open(answers=[[say('never')]], mode='yolo', columns=200)
    c.ready()
    c.type('/two\r')
    c.wait('/two was not sent, because !{touch ran} may not run: Tool execution blocked: not today')
    c.quit()
    check(not exists(c, 'ran') and not exists(c, 'asked'), 'neither run nor sent')


def test_escape_ends_a_command(c):
    command(c, 'two', 'prompt = "!{echo begun; sleep 600}"')
    c.open(answers=[[say('fine')]], mode='yolo')
    c.ready()
    c.type('/two\r')
    c.wait('Shell  (esc to cancel')
    c.type('\x1b')
    at = c.wait('Request cancelled.')
    c.type('hi\r')
    c.wait('fine', at)
    c.quit()


def test_reload(c):
    c.listen('BeforeAgent')
    command(c, 'two', 'prompt = "old"')
    c.open(answers=[[say('first')], [say('second')]])
    c.ready()
    c.type('/two\r')
    c.wait('first')
    command(c, 'two', 'prompt = "new"')
    command(c, 'broken', 'prompt = ')
    c.type('/commands reload\r')
    c.wait('broken.toml:1:')
    c.wait('Reloaded 1 custom command.')
    c.type('/two\r')
    c.wait('second')
    c.type('/commands list\r')
    c.wait('/.gemini/commands/two.toml')
    c.quit()
    check(prompts(c) == ['old', 'new'], 'files are read again when told to', prompts(c))


def test_first_prompt(c):
    c.listen('BeforeAgent')
    command(c, 'two', 'prompt = "Say two."')
    c.open('-i', '/two', answers=[[say('done')]])
    c.wait('done')
    c.quit()
    check(prompts(c) == ['Say two.'], 'the expansion', prompts(c))


def test_prompt_of_a_server(c):
    c.listen('BeforeAgent', mcpServers=TOYS)
    c.open(answers=[[say('done')]])
    c.ready()
    c.type('/greet help\r')
    c.wait('--who (required)')
    c.type('/greet\r')
    c.wait('Missing required argument(s): --who')
    c.type('/greet --who="Ann B"\r')
    c.wait('done')
    c.quit()
    check(prompts(c) == ['Hello, Ann B'], 'the prompt', prompts(c))


def test_servers_ring(c):
    """What a server that is ready later offers is completed without anything being typed before."""
    c.listen('BeforeAgent', mcpServers=TOYS)
    c.open(answers=[[say('done')]])
    c.ready()

    def offered():
        c.type('\x15/gree')
        time.sleep(0.1)  # between two looks
        return 'Greets' in c.read()
    wait_until(offered, SECONDS, 'the prompt to be offered')
    c.type('\x15')
    c.quit()


if __name__ == '__main__':
    run_tests(globals(), 'commands')
