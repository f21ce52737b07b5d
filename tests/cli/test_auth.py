#!/usr/bin/env python3
"""Which service is asked, where, and with what key: by the environment and by the settings, as release
0.61.0 of Gemini CLI does, whose requests these were compared with.  Prints TAP."""

import json

from agentbox import Box, Failed, Server, Tap, check, say

VERTEX = {'GOOGLE_GENAI_USE_VERTEXAI': 'true', 'GOOGLE_API_KEY': 'key-of-google'}
EXPRESS = '/v1beta1/publishers/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse'
GEMINI = '/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse'
PLACE = {'GOOGLE_CLOUD_PROJECT': 'p', 'GOOGLE_CLOUD_LOCATION': 'europe-west4'}
KEY = {'GEMINI_API_KEY': 'key-of-gemini'}

# What is set; security.auth.selectedType; the path that is asked, the key that goes with it.
ASKED = [
    ('Vertex AI by its key', VERTEX, None, EXPRESS, 'key-of-google'),
    ('Vertex AI, a project and a place', {**VERTEX, **PLACE}, None, EXPRESS, 'key-of-google'),
    ('Vertex AI, both keys', {**VERTEX, **KEY}, None, EXPRESS, 'key-of-google'),
    ('Vertex AI, another version', {**VERTEX, 'GOOGLE_GENAI_API_VERSION': 'v1'}, None,
     EXPRESS.replace('v1beta1', 'v1'), 'key-of-google'),
    ('Vertex AI, selected', {'GOOGLE_API_KEY': 'key-of-google', **KEY}, 'vertex-ai', EXPRESS,
     'key-of-google'),
    ('Vertex AI, a model of somebody else', {**VERTEX, 'GEMINI_MODEL': 'meta/llama-4'}, None,
     EXPRESS.replace('google', 'meta').replace('gemini-2.5-flash', 'llama-4'), 'key-of-google'),
    ('Vertex AI, the whole name of a model',
     {**VERTEX, 'GEMINI_MODEL': 'publishers/google/models/gemini-2.5-flash'}, None, EXPRESS,
     'key-of-google'),
    ('Vertex AI, a name with odd characters', {**VERTEX, 'GEMINI_MODEL': 'a?b'}, None,
     EXPRESS.replace('gemini-2.5-flash', 'a%3Fb'), 'key-of-google'),
    ('the Gemini API, selected', {**VERTEX, **KEY}, 'gemini-api-key', GEMINI, 'key-of-gemini'),
    ('the Gemini API by its key', KEY, None, GEMINI, 'key-of-gemini'),
    ('the Gemini API, another version', {**KEY, 'GOOGLE_GENAI_API_VERSION': 'v1'}, None,
     GEMINI.replace('v1beta', 'v1'), 'key-of-gemini'),
    ('GOOGLE_GENAI_USE_VERTEXAI that is not true', {**KEY, 'GOOGLE_GENAI_USE_VERTEXAI': '1'}, None,
     GEMINI, 'key-of-gemini'),
    ('GOOGLE_GENAI_USE_GCA with a key', {'GOOGLE_GENAI_USE_GCA': 'true', **KEY}, None, GEMINI,
     'key-of-gemini'),
    ('oauth-personal with a key', KEY, 'oauth-personal', GEMINI, 'key-of-gemini'),
    ('cloud-shell with a key of Google', {'GOOGLE_API_KEY': 'key-of-google'}, 'cloud-shell',
     GEMINI, 'key-of-google'),
]
SETTING = 'which needs security.auth.selectedType to be "gemini-api-key" in '
SIGN_IN = 'Signing in with a Google account is not supported: set GEMINI_API_KEY'
# What is set, selectedType, what is said of it.
REFUSED = [
    ('Vertex AI without its key', {'GOOGLE_GENAI_USE_VERTEXAI': 'true', **KEY, **PLACE}, None,
     ['Vertex AI is used with an API key (express mode): set GOOGLE_API_KEY',
      'which needs GOOGLE_GENAI_USE_VERTEXAI to be unset']),
    ('Vertex AI, selected, without its key', KEY, 'vertex-ai', ['set GOOGLE_API_KEY', SETTING]),
    ('GOOGLE_GENAI_USE_GCA', {'GOOGLE_GENAI_USE_GCA': 'true'}, None, [SIGN_IN]),
    ('oauth-personal', {}, 'oauth-personal', [SIGN_IN]),
    ('compute-default-credentials', {}, 'compute-default-credentials',
     ['Application default credentials are not supported']),
    ('cloud-shell', {}, 'cloud-shell', ['Cloud Shell']),
    ('nonsense', {}, 'nonsense', ["The authentication type 'nonsense' is not supported"]),
    ('gemini-api-key without a key', {}, 'gemini-api-key', ['set GEMINI_API_KEY']),
    ('nothing', {}, None, ['Please set an Auth method']),
]


def run(env, selected, *replies):
    with Box() as box, Server(*replies) as server:
        box.env.update(env, GOOGLE_VERTEX_BASE_URL=server.url, GOOGLE_GEMINI_BASE_URL=server.url)
        box.settings(security={'auth': {'selectedType': selected} if selected else {}})
        box.env.setdefault('GEMINI_MODEL', 'gemini-2.5-flash')
        return box.run('-p', 'hi', '-o', 'json'), server.requests


def asked(env, selected, path, key):
    result, requests = run(env, selected, lambda c: c.answer(say('hello')))
    check(result.status == 0 and json.loads(result.out)['response'] == 'hello', 'an answer', result)
    check([r.path for r in requests] == [path], path, [r.path for r in requests])
    check(requests[0].headers['x-goog-api-key'] == key, key, requests[0].headers)
    check('authorization' not in requests[0].headers, 'no other key', requests[0].headers)
    other = selected not in (None, 'vertex-ai', 'gemini-api-key') or 'GOOGLE_GENAI_USE_GCA' in env
    check(('is not supported;' in result.err) == other, 'a warning', result)


def refused(env, selected, words):
    result, requests = run(env, selected)
    check(result.status == 41 and not requests, 'it is refused', result, requests)
    for w in words:
        check(w in result.err.replace('\\"', '"'), w, result)


def hint():
    """People are told what the variables of that sentence need here."""
    with Box() as box:
        result = box.run('-p', 'hi')
        for w in ('also needs GOOGLE_API_KEY', 'is not supported', 'set OPENAI_BASE_URL'):
            check(result.status == 41 and w in result.err, w, result)


def env_file():
    """~/.gemini/.env counts; a project does not say where keys go."""
    with Box() as box, Server(lambda c: c.answer(say('hello'))) as server, Server() as other:
        box.write('home/.gemini/.env', 'GOOGLE_GENAI_USE_VERTEXAI=true\nGOOGLE_VERTEX_BASE_URL=%s\n'
                  % server.url)
        box.write('project/.gemini/.env', 'GOOGLE_API_KEY=k\nGOOGLE_VERTEX_BASE_URL=%s\n' % other.url)
        result = box.run('-m', 'gemini-2.5-flash', '-p', 'hi')
        check(result.status == 0 and not other.requests, 'an answer', result)
        check([r.path for r in server.requests] == [EXPRESS], 'of Vertex AI')


def openai_all_the_same():
    """Who has a server of his own is not stopped by what Gemini CLI's settings select."""
    with Server(lambda c: c.reply(418, '{}')) as server:
        _, requests = run({'OPENAI_BASE_URL': server.url}, 'oauth-personal')
        check(not requests and server.requests, 'the server is asked')


def same_body():
    """What is sent does not depend on the service."""
    _, gemini = run(KEY, None, lambda c: c.answer(say('hello')))
    _, vertex = run(VERTEX, None, lambda c: c.answer(say('hello')))
    check(set(gemini[0].json) == set(vertex[0].json), 'the members', vertex[0].json)
    check(gemini[0].json['tools'] == vertex[0].json['tools'], 'the tools')
    check(gemini[0].json['generationConfig'] == vertex[0].json['generationConfig'], 'config')


def main():
    tap = Tap()
    cases = [(c[0], asked, c[1:]) for c in ASKED] + [('refused: ' + c[0], refused, c[1:])
                                                     for c in REFUSED]
    cases += [('OPENAI_BASE_URL with a way that there is not', openai_all_the_same, ()),
              ('the same body', same_body, ()), ('refused: what to do', hint, ()),
              ('in files', env_file, ())]
    for name, test, args in cases:
        try:
            test(*args)
            tap.point('auth: ' + name)
        except (Failed, OSError, ValueError, KeyError) as e:
            tap.point('auth: ' + name, why=repr(e) if not isinstance(e, Failed) else e)
    tap.done()


if __name__ == '__main__':
    main()
