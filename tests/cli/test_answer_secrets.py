#!/usr/bin/env python3
"""Secrets in what the model says (C9.10): a policy on AfterModel redacts or denies them wherever chunks are cut,
before anything of them is shown, kept or told.  Prints TAP."""

import binascii
import glob
import json
import os
import random
import re

from agentbox import Box, Server, Tap, call, check, chunk, say, sse

tap = Tap()
REDACT = '[[rule]]\nname = "said"\nevent = "AfterModel"\nsecrets = true\ndecision = "redact"\n'
DENY = REDACT.replace('redact', 'deny') + 'reason = "is not said"\n'
MARK = '[redacted: GitHub token]'


def github_token(seed):
    """With the checksum that its issuer puts in: six digits of base 62."""
    letters = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
    rnd = random.Random(seed)
    body = ''.join(rnd.choice(letters) for _ in range(30))
    n, digits = binascii.crc32(body.encode()), ''
    while n:
        n, digit = divmod(n, 62)
        digits = letters[digit] + digits
    return 'ghp_' + body + digits.rjust(6, '0')


TOKEN = github_token(3)
TEXT = 'The key is %s, so use it.' % TOKEN
CLEAN = TEXT.replace(TOKEN, MARK)
ASSIGNED = 'xK4vQ9zLw2' + 'TpB7mRy3Hd'  # a secret for what it is the value of


def pieces(text, size):
    return [text[i:i + size] for i in range(0, len(text), size)]


def stream(texts, **more):
    """An answer of these texts, a chunk each."""
    return [chunk({'text': t, **more}) for t in texts[:-1]] + [chunk({'text': texts[-1], **more}, finish='STOP')]


def box_with(policy):
    box = Box()
    if policy:
        box.write('home/.trotline/policies/mine.toml', policy)
    return box


def ask(box, *answers, args=(), prompt='hi'):
    return box.run('-p', prompt, '-m', 'gemini-2.5-flash', '--yolo', '--fake-responses', box.answers(*answers), *args)


def check_hidden(box, *texts, secret=TOKEN):
    """No part of the secret that tells more than its form is in these, nor in any file of a home."""
    found = [os.path.join(d, n) for top in (box.home, box.tmp) for d, _, names in os.walk(top) for n in names]
    for path in found:
        with open(path, encoding='utf-8', errors='replace') as f:
            texts += (f.read(),)
    for text in texts:
        for i in range(len(secret) - 5):
            check(secret[i:i + 6] not in text, 'a part of the secret is told: ' + secret[i:i + 6], text[-2000:])


def broken(connection):
    """A stream that ends in the middle, before its last chunk."""
    connection.stream(sse(chunk({'text': 'It is %s' % TOKEN[:-1]})), sse(chunk({'text': TOKEN[-1]})))
    connection.close()


def said(result):
    """The pieces of the answer in -o stream-json."""
    events = [json.loads(l) for l in result.out.splitlines()]
    return [e['content'] for e in events if e['type'] == 'message' and e['role'] == 'assistant']


with tap.case('C9.10 without a policy the answer is as it came'), box_with(None) as box:
    r = ask(box, stream(pieces(TEXT, 7)))
    check(r.status == 0 and TEXT in r.out, r)

with tap.case('C9.10 redacted in text, wherever it is cut'), box_with(REDACT) as box:
    cuts = [pieces(TEXT, n) for n in range(1, len(TEXT) + 1)] + \
           [[TEXT[:n], TEXT[n:]] for n in range(1, len(TEXT))]
    for texts in cuts:
        r = ask(box, stream(texts))
        check(r.status == 0 and r.out.strip() == CLEAN, texts, r)
        check_hidden(box, r.out, r.err)
    check(all(MARK in open(t, encoding='utf-8').read() for t in box.transcripts()), 'no mark in a transcript')

with tap.case('C9.10 redacted in json and stream-json'), box_with(REDACT) as box:
    for size in (1, 2, 3, 5, 8, 13, 21, 40, 80):
        r = ask(box, stream(pieces(TEXT, size)), args=('-o', 'json'))
        check(json.loads(r.out)['response'] == CLEAN, size, r)
        check_hidden(box, r.out, r.err)
        r = ask(box, stream(pieces(TEXT, size)), args=('-o', 'stream-json'))
        check(''.join(said(r)) == CLEAN, size, r)
        check_hidden(box, ''.join(said(r)), r.out, r.err)

with tap.case('C9.10 a value whose name came in an earlier chunk'), box_with(REDACT) as box:
    text = 'Set "db_password": "%s" there, and go on with the work.' % ASSIGNED
    whole = ask(box, stream([text])).out
    check(ASSIGNED not in whole and '[redacted: ' in whole, whole)
    for texts in [[text[:n], text[n:]] for n in range(1, len(text))] + [pieces(text, n) for n in (1, 2, 3, 7)]:
        r = ask(box, stream(texts))
        check(r.out == whole, texts, r)
    check_hidden(box, secret=ASSIGNED)

with tap.case('C9.10 text without secrets waits for its last word only'), box_with(REDACT) as box:
    words = ['word%d ' % i for i in range(200)]
    r = ask(box, stream(words), args=('-o', 'stream-json'))
    got = said(r)
    check(''.join(got) == ''.join(words), r)
    check(len(got) >= 190 and max(map(len, got)) <= 26 + 16, 'pieces', len(got), max(map(len, got)))

with tap.case('C9.10 a private key in lines'), box_with(REDACT) as box:
    rnd = random.Random(5)
    body = [''.join(rnd.choice('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/') for _ in range(64))
            for _ in range(24)]
    key = '-----BEGIN RSA ' + 'PRIVATE KEY-----\n%s\n-----END RSA PRIVATE KEY-----' % '\n'.join(body)
    r = ask(box, stream(pieces('Here:\n%s\nThat was it.' % key, 11)))
    check(r.out.startswith('Here:\n[redacted: ') and r.out.rstrip().endswith('That was it.'), r)
    check_hidden(box, r.out, r.err, secret=body[3] + body[4])

with tap.case('C9.10 a finish reason in every chunk, texts in one chunk, and no end at all'), box_with(REDACT) as box:
    r = ask(box, [say(t) for t in pieces(TEXT, 3)])
    check(r.out.strip() == CLEAN, r)
    r = ask(box, [chunk(*({'text': t} for t in pieces(TEXT, 3)), finish='STOP')])
    check(r.out.strip() == CLEAN, r)
    r = ask(box, *[[chunk({'text': t}) for t in pieces(TEXT, 3)]] * 4)
    check(CLEAN in r.out and 'without a finish reason' in r.err, r)
    check_hidden(box, r.out, r.err)

with tap.case('C9.10 a signature between two pieces ends no text'), box_with(REDACT) as box:
    signs = {'thoughtSignature': 'c2lnbmF0dXJl'}
    r = ask(box, [chunk({'text': TEXT[:25]}), chunk(signs), chunk({'text': TEXT[25:30], **signs}, {'text': TEXT[30:35]}),
                  chunk({'text': TEXT[35:]}, finish='STOP')])
    check(r.out.strip() == CLEAN, r)
    check_hidden(box, r.out, r.err)

with tap.case('C9.10 what waits comes before a tool call, whose arguments stay'), box_with(REDACT) as box:
    box.write('project/%s.txt' % TOKEN, 'plum')
    r = ask(box, [chunk({'text': 'I read ' + TOKEN[:20]}), chunk({'text': TOKEN[20:]}),
                  call('read_file', {'file_path': TOKEN + '.txt'})], [say('done')], args=('-o', 'stream-json'))
    events = [json.loads(l) for l in r.out.splitlines()]
    kinds = [e['type'] for e in events]
    check('tool_use' in kinds and ''.join(said(r)) == 'I read ' + MARK + 'done', r)
    uses = [e for e in events if e['type'] == 'tool_use']
    check(uses[0]['parameters']['file_path'] == TOKEN + '.txt', uses)
    results = [e for e in events if e['type'] == 'tool_result']
    check(results[0]['status'] == 'success', results)

with tap.case('C9.10 thoughts in the transcript are redacted, too'), box_with(REDACT) as box:
    r = ask(box, stream(pieces('**Keys** ' + TEXT, 9), thought=True)[:-1] + [chunk({'text': 'done'}, finish='STOP')])
    check(r.status == 0 and r.out.strip() == 'done', r)
    check_hidden(box, r.out, r.err)

with tap.case('C9.10 the stream breaks off: what waits is judged like the rest'), box_with(REDACT) as box, \
        Server(*[broken] * 4) as server:
    box.env.update(GOOGLE_GEMINI_BASE_URL=server.url, GEMINI_API_KEY='dummy')
    r = box.run('-p', 'hi', '--yolo')
    check_hidden(box, r.out, r.err)
    check('It is ' in r.out, r)

with tap.case('C9.10 hooks see the answer as it came, no secret cut; what comes later is redacted'), \
        box_with(REDACT) as box:
    box.hooks({'AfterModel': 'cat >> "%s/after-model"' % box.root, 'AfterAgent': 'cat >> "%s/after-agent"' % box.root})
    r = ask(box, stream(pieces(TEXT, 4)), args=('-o', 'json'))
    check(json.loads(r.out)['response'] == CLEAN, r)
    with open(os.path.join(box.root, 'after-model'), encoding='utf-8') as f:
        seen = [json.loads(l) for l in f]
    check([s for s in seen if TOKEN in s['llm_response']['text']], 'the token is whole in one chunk', seen)
    check(''.join(s['llm_response']['text'] for s in seen) == TEXT, 'nothing is lost', seen)
    check(not any('llm_around' in s for s in seen), 'llm_around is told', seen[0])
    with open(os.path.join(box.root, 'after-agent'), encoding='utf-8') as f:
        check(json.load(f)['prompt_response'] == CLEAN, 'AfterAgent')
    check_hidden(box, r.out, r.err)

with tap.case("C9.10 Claude's transcript has the redacted answer"), box_with(REDACT) as box:
    box.write('home/.claude/settings.json', json.dumps({'hooks': {
        'Stop': [{'hooks': [{'type': 'command', 'command': 'cat > "%s/stop"' % box.home}]}]}}))
    box.settings(hooksConfig={'sources': ['claude']})
    r = ask(box, stream(pieces(TEXT, 6)))
    check(r.out.strip() == CLEAN, r)
    logs = glob.glob(os.path.join(box.home, '.gemini/tmp/*/claude/**/*.jsonl'), recursive=True)
    check(logs and MARK in open(logs[0], encoding='utf-8').read(), 'the transcript', logs)
    check_hidden(box, r.out, r.err)

with tap.case('C9.10 telemetry has the redacted answer'), box_with(REDACT) as box:
    out = os.path.join(box.home, 'telemetry.log')
    box.settings(telemetry={'enabled': True, 'target': 'local', 'outfile': out, 'logPrompts': True},
                 hooks={'AfterModel': [{'hooks': [{'type': 'command', 'command': 'cat >/dev/null'}]}]})
    for size in (1, 4, 30):
        r = ask(box, stream(pieces(TEXT, size)))
        check(r.out.strip() == CLEAN, r)
    with open(out, encoding='utf-8') as f:
        check(re.search('redacted', f.read()), 'nothing is told')
    check_hidden(box)

with tap.case('C9.10 deny: the chunk with the secret is withheld, and the answer ends'), box_with(DENY) as box:
    for size in (1, 3, 7, 19, 41, len(TEXT)):
        r = ask(box, stream(pieces(TEXT, size)))
        check('GitHub token' in r.err and 'is not said' in r.err and 'mine.toml' in r.err, size, r)
        check('so use it' not in r.out, size, r)
        check_hidden(box, r.out, r.err)
    r = ask(box, stream(pieces('Nothing to see here.', 3)))
    check(r.status == 0 and r.out.strip() == 'Nothing to see here.', r)

with tap.case("C9.10 a hook's own answer is redacted as well"), box_with(REDACT) as box:
    answer = {'decision': 'allow', 'hookSpecificOutput': {'llm_response': {'text': TEXT}}}
    path = box.write('answer.json', json.dumps(answer))
    box.hooks({'BeforeModel': 'cat "%s"' % path})
    r = ask(box, [say('never asked')])
    check(r.out.strip() == CLEAN, r)
    check_hidden(box, r.out, r.err)

with tap.case('C9.10 in another agent each chunk is judged by itself'), box_with(REDACT) as box:
    payload = {'session_id': 's', 'transcript_path': '/t', 'cwd': box.project, 'hook_event_name': 'AfterModel',
               'timestamp': '2026-01-01T00:00:00Z', 'llm_request': {'model': 'm', 'messages': []},
               'llm_response': {'text': TEXT, 'candidates': [
                   {'content': {'role': 'model', 'parts': [TEXT]}, 'finishReason': 'STOP'}]}}
    path = box.write('payload.json', json.dumps(payload))
    with open(path, 'rb') as f:
        r = box.run('hook', 'gemini', stdin=f)
    given = json.loads(r.out)['hookSpecificOutput']['llm_response']
    check(given['text'] == CLEAN and given['candidates'][0]['content']['parts'] == [CLEAN], r)

tap.done()
