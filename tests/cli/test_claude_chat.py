#!/usr/bin/env python3
"""Claude's hooks in a session on a terminal: the question of trust, allow, ask, what people see.
Prints TAP.

  test_claude_chat.py [NAME...]      only these"""

import json
import os

from agentbox import call, check, say
from test_chat import Chat, shell, run_tests


def answer(**members):
    return "echo '%s'" % json.dumps({'hookSpecificOutput': {'hookEventName': 'PreToolUse', **members}})


def claude(c, where, matcher=None, **events):
    """A settings file of Claude's, and hooksConfig.sources next to it."""
    hooks = {event: [{'matcher': matcher or '', 'hooks': [{'type': 'command', 'command': command}]}]
             for event, command in events.items()}
    c.write(where + '/.claude/settings.json', json.dumps({'hooks': hooks}))
    c.write(where + '/.gemini/settings.json', json.dumps({'hooksConfig': {'sources': ['claude']}}))


def exists(c, name):
    return os.path.exists(os.path.join(c.project, name))


def test_trust_shows_claude_hooks(c):
    """C7.4"""
    del c.env['GEMINI_CLI_TRUST_WORKSPACE']
    claude(c, 'project', UserPromptSubmit='touch ran; echo CONTEXT')
    c.open(answers=[[say('hello')]])
    at = c.wait('touch ran; echo CONTEXT')
    c.wait('.claude/settings.json:1', 0)
    c.type('y\r')
    c.wait('Run them in a sandbox', at)
    c.type('n\r')
    c.ready()
    c.type('hi\r')
    at = c.wait('hello', at)
    c.quit()
    check(exists(c, 'ran'), 'the hook ran')
    check('<hook_context>' not in c.read(), 'its context is for the model')


def test_allow_skips_the_question(c):
    """The command runs without a question; without a hook's word there is one"""
    claude(c, 'home', 'Bash', PreToolUse='grep -q quietly && ' + answer(permissionDecision='allow'))
    c.open(answers=[shell('touch quietly'), shell('touch asked'), [say('done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('Allow execution of [touch]?')
    check(exists(c, 'quietly') and not exists(c, 'asked'), 'the first ran, the second waits')
    c.type('1')
    c.wait('done', at)
    c.quit()
    check(c.read().count('Allow execution of') >= 1 and exists(c, 'asked'), 'the second ran')


def test_a_permission_request_is_answered_by_a_hook(c):
    """C2.13: no dialog for what it allows, the dialog for the rest"""
    claude(c, 'home', 'Bash', PermissionRequest='grep -q quietly && echo \'%s\'' % json.dumps(
        {'hookSpecificOutput': {'hookEventName': 'PermissionRequest', 'decision': {'behavior': 'allow'}}}))
    c.open(answers=[shell('touch quietly'), shell('touch asked'), [say('done')]])
    c.ready()
    c.type('go\r')
    at = c.wait('Allow execution of [touch]?')
    check(exists(c, 'quietly') and not exists(c, 'asked'), 'the first ran, the second waits')
    c.type('1')
    c.wait('done', at)
    c.quit()
    check(exists(c, 'asked'), 'the second ran')


def test_slash_hooks_knows_that_they_ran(c):
    """The records name the moment, Claude's file its own event"""
    claude(c, 'home', 'Bash', PreToolUse='true')
    c.open(answers=[shell('echo hi'), [say('done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('done')
    c.type('/hooks\r')
    at = c.wait('BeforeTool', c.wait('Configured Hooks', at))
    c.wait('Ran 1 time', c.wait('claude PreToolUse', at))
    c.quit()


def test_clear_sets_up_the_shell_anew(c):
    """CLAUDE_ENV_FILE: what the next session's SessionStart writes, and no more"""
    claude(c, 'home', SessionStart='echo "WORD=$(grep -o "startup\\|clear")" >>"$CLAUDE_ENV_FILE"; '
           '[ -e once ] || { touch once; echo ONCE=1 >>"$CLAUDE_ENV_FILE"; }')
    c.open(answers=[shell('echo one:$WORD:$ONCE'), [say('first done')],
                    shell('echo two:$WORD:$ONCE'), [say('second done')]], mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('first done', c.wait('one:startup:1'))
    c.type('/clear\r')
    at = c.wait('Started a new session.', at)
    c.type('on\r')
    c.wait('second done', c.wait('two:clear:', at))
    c.quit()
    check('two:clear:1' not in c.read(), 'what was before is gone')


def test_ask_asks_in_yolo(c):
    claude(c, 'home', 'Write', PreToolUse=answer(permissionDecision='ask',
                                                 permissionDecisionReason='Is it really yours?'))
    c.open(answers=[[call('write_file', {'file_path': 'a.txt', 'content': 'A\n'})], [say('done')]],
           mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('Is it really yours?')
    c.wait('Allow once', at)
    c.type('y\r')
    c.wait('done', at)
    c.quit()
    check(exists(c, 'a.txt'), 'written')


def test_defer_and_deny_ask_nobody(c):
    """C3.7: a denied call is told to the model; a deferred one ends the turn, until the user goes on"""
    claude(c, 'home', 'Bash', PreToolUse='in=$(cat); case $in in *one*) %s;; *two*) %s;; esac' % (
        answer(permissionDecision='deny', permissionDecisionReason='not one'),
        answer(permissionDecision='defer', permissionDecisionReason='not now')))
    c.open(answers=[shell('touch one'), shell('touch two'), [say('went on')]])
    c.ready()
    c.type('go\r')
    at = c.wait('not now', c.wait('not one'))
    c.type('on\r')
    c.wait('went on', at)
    c.quit()
    check('Allow execution' not in c.read(), 'a question')
    check(not exists(c, 'one') and not exists(c, 'two'), 'a call was made')


def test_the_user_sees_messages_and_failures(c):
    claude(c, 'home', UserPromptSubmit="echo '{\"systemMessage\": \"from the hook\"}'",
           PostToolUse='echo eslint is missing >&2; exit 1')
    c.open(answers=[[call('write_file', {'file_path': 'a.txt', 'content': 'A\n'})], [say('done')]],
           mode='yolo')
    c.ready()
    c.type('go\r')
    at = c.wait('from the hook')
    c.wait('eslint is missing', at)
    c.wait('done', at)
    c.quit()


def test_a_title_reaches_the_terminal(c):
    """C3.7 terminalSequence; what is more than a title is not written"""
    claude(c, 'home', UserPromptSubmit='cat %s' % c.write('title', json.dumps(
        {'terminalSequence': '\x1b]0;Plum time\x07\x1b]9;done\x1b\\'})),
        SessionStart='cat %s' % c.write('clip', json.dumps({'terminalSequence': '\x1b]52;c;cGx1bQ==\x07'})))
    c.open(answers=[[say('hello')]])
    c.ready()
    c.type('hi\r')
    c.wait('hello')
    c.quit()
    check('\x1b]0;Plum time\x07\x1b]9;done\x1b\\' in c.seen, 'the title', repr(c.seen[-3000:]))
    check('\x1b]52' not in c.seen, 'the clipboard')


def test_a_status_message_is_shown(c):
    claude(c, 'home', UserPromptSubmit='until [ -e go ]; do sleep 0.05; done')
    path = c.home + '/.claude/settings.json'
    with open(path, encoding='utf-8') as f:
        settings = json.load(f)
    settings['hooks']['UserPromptSubmit'][0]['hooks'][0]['statusMessage'] = 'Counting plums'
    c.write('home/.claude/settings.json', json.dumps(settings))
    c.open(answers=[[say('hello')]])
    c.ready()
    c.type('hi\r')
    at = c.wait('Counting plums')
    c.write('project/go', '')
    c.wait('hello', at)
    c.quit()


def test_a_blocked_prompt_is_told_to_the_user(c):
    claude(c, 'home', UserPromptSubmit='echo no secrets please >&2; exit 2')
    c.open(answers=[[say('never')]])
    c.ready()
    c.type('my password is x\r')
    c.wait('no secrets please')
    c.quit()
    check('never' not in c.read(), 'the model is not asked')


if __name__ == '__main__':
    run_tests(globals(), 'claude chat')
