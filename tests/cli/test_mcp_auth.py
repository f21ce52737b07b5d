#!/usr/bin/env python3
"""Signing in to MCP servers (OAuth): trotline mcp auth, and what sessions do with the tokens.
Prints TAP.

  test_mcp_auth.py [NAME...]      only these"""

import json
import os
import shutil
import socket
import stat
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), '..', 'mcp'))
from agentbox import PATIENCE, TROTLINE, Failed, Tap, check  # noqa: E402
from oauth_server import Rig  # noqa: E402

# A browser that does what it is told; $VISITS notes where it was.
BROWSER = '''#!%s
import os, sys, urllib.error, urllib.request
open(os.environ['VISITS'], 'a').write(sys.argv[-1] + '\\n')
try:
    print(urllib.request.urlopen(sys.argv[-1]).read())
except urllib.error.HTTPError as e:
    print(e.read())
''' % sys.executable


class Home:
    def __init__(self, **options):
        self.dir = tempfile.mkdtemp()
        self.visits = os.path.join(self.dir, 'visits')
        self.rig = Rig(**options)
        self.env = {'HOME': self.path('home'), 'PATH': os.environ['PATH'], 'VISITS': self.visits,
                    'BROWSER': self.path('browser'), 'TROTLINE_RETRY_UNIT_MS': '10',
                    'GEMINI_CLI_SYSTEM_SETTINGS_PATH': self.path('none'),
                    'TROTLINE_SYSTEM_SETTINGS_PATH': self.path('none'),
                    'GEMINI_CLI_SYSTEM_DEFAULTS_PATH': self.path('none'), 'SECRET': 'of-the-client'}
        for name in 'ASAN_OPTIONS', 'UBSAN_OPTIONS', 'TSAN_OPTIONS', 'LSAN_OPTIONS':
            if name in os.environ:
                self.env[name] = os.environ[name]
        os.makedirs(self.path('home/.gemini'))
        os.makedirs(self.path('project/.git'))
        with open(self.path('browser'), 'w') as f:
            f.write(BROWSER)
        os.chmod(self.path('browser'), 0o755)
        self.settings()

    def path(self, name):
        return os.path.join(self.dir, name)

    def settings(self, **entry):
        entry.setdefault('httpUrl', self.rig.url)
        with open(self.path('home/.gemini/settings.json'), 'w') as f:
            json.dump({'mcpServers': {'docs': entry}}, f)

    def run(self, *args, status=None, **env):
        p = subprocess.run([TROTLINE, *args], cwd=self.path('project'), env=dict(self.env, **env),
                           stdin=subprocess.DEVNULL, capture_output=True, text=True,
                           timeout=30 * PATIENCE)
        said = p.stdout + p.stderr
        if status is not None:
            check(p.returncode == status, 'status of %s' % (args,), p.returncode, said, *self.rig.log)
        check('-secret' not in said or 'SHOWN' in args, 'no token is shown', said)
        self.out, self.err = p.stdout, p.stderr
        return said

    def auth(self, *more, status=0):
        return self.run('mcp', 'auth', 'docs', *more, status=status)

    def call(self, status=0):
        return self.run('mcp', 'test', 'docs', '--call', 'whoami', status=status)

    def forms(self, path):
        return [x[3] for x in self.rig.log if x[0] == 'authority' and x[2] == path]

    def store(self):
        with open(self.path('home/.trotline/mcp-oauth.json')) as f:
            return json.load(f)

    def done(self):
        self.rig.close()
        shutil.rmtree(self.dir, ignore_errors=True)


def test_one_line_and_then_signed_in(options={'scope': 'read'}):
    h = Home(**options)
    said = h.run('mcp', 'test', status=1)
    check('run "trotline mcp auth docs"' in said, 'it says what to do', said)
    check(not os.path.exists(h.visits), 'no browser opens by itself')
    said = h.auth()
    check('docs: you are signed in, and it is ready.' in h.out, 'signed in', said)
    check(h.rig.authority + '/authorize?' in h.err, 'the address is shown', said)
    asked = h.rig.asked[0]
    check(asked['scope'] == 'read' and asked['resource'] == h.rig.url, 'what is asked for', asked)
    check(asked['code_challenge_method'] == 'S256' and len(asked['state']) >= 40, 'PKCE, state', asked)
    host = urllib.parse.urlsplit(asked['redirect_uri'])
    check(host.hostname == '127.0.0.1', 'it comes back to this machine', asked)
    check(h.forms('/token')[0]['resource'] == h.rig.url, 'the token is for this server')
    registered = h.forms('/register')[0]
    check(registered['redirect_uris'] == [asked['redirect_uri']], 'the redirect is registered')
    check('refresh_token' in registered['grant_types'], 'with refresh tokens', registered)
    file = h.path('home/.trotline/mcp-oauth.json')
    check(stat.S_IMODE(os.stat(file).st_mode) == 0o600, 'the file is the user\'s alone')
    check('you are ***' in h.call(), 'a token that the server says is hidden', h.out)
    for command in (['mcp', 'list'], ['mcp', 'list', '--json'], ['mcp', 'test', '--json'],
                    ['hooks', 'lint']):
        h.run(*command)
    check(all(x[3]['bearer'] in ('', 'token-1-secret') for x in h.rig.log if x[0] == 'resource' and x[1] != 'GET'),
          'one token', *h.rig.log)
    return h


def test_again_without_registering_again():
    h = test_one_line_and_then_signed_in()
    h.auth()
    check(len(h.forms('/register')) == 1, 'one client', *h.rig.log)
    check(h.forms('/authorize')[0]['client_id'] == h.forms('/authorize')[1]['client_id'], 'the same')
    return h


def test_another_server_of_that_name_gets_no_token():
    h = test_one_line_and_then_signed_in()
    other = Rig()
    h.settings(httpUrl=other.url)
    h.run('mcp', 'test', status=1)
    check(all(not x[3].get('bearer') for x in other.log), 'no token', *other.log)
    h.settings(httpUrl=h.rig.origin + '/other')
    h.run('mcp', 'test', status=1)
    check(all(not x[3].get('bearer') for x in h.rig.log if x[2] == '/other'), 'nor another path',
          *h.rig.log)
    other.close()
    return h


def test_tokens_are_renewed_before_they_end():
    h = Home(life=0.002)
    h.auth()
    h.call()
    forms = h.forms('/token')
    check([f['grant_type'] for f in forms][:2] == ['authorization_code', 'refresh_token'], 'renewed', forms)
    check(forms[1]['refresh_token'] == 'refresh-1-secret' and forms[1]['resource'] == h.rig.url,
          'with what it has', forms)
    tokens = [f['refresh_token'] for f in forms[1:]]
    check(len(set(tokens)) == len(tokens), 'each refresh token is used once', forms)
    return h


def test_a_refused_token_is_renewed():
    h = Home()
    h.auth()
    h.rig.tokens = {}
    check('you are ***' in h.call(), 'it goes on', h.out)
    check([f['grant_type'] for f in h.forms('/token')] == ['authorization_code', 'refresh_token'],
          'renewed once', *h.rig.log)
    return h


def test_what_cannot_be_renewed_is_said():
    h = Home()
    h.auth()
    h.rig.tokens, h.rig.n = {}, 7
    said = h.run('mcp', 'test', status=1)
    check('no longer accepts your authorization' in said and '"trotline mcp auth docs"' in said, 'said', said)
    h.run('mcp', 'test', status=1)
    check(len(h.forms('/token')) == 2, 'what was refused is not tried again', *h.forms('/token'))
    h.auth()
    h.call()
    return h


def test_more_is_asked_for_step_by_step():
    h = Home(scope='read', needs={'tools/call': 'read write'}, scopes=['read'])
    h.auth()
    said = h.call(status=1)
    check('allow more (read write)' in said and '"trotline mcp auth docs"' in said, 'said', said)
    h.auth()
    check(sorted(h.rig.asked[1]['scope'].split()) == ['read', 'write'], 'both', h.rig.asked)
    h.call()
    return h


def test_more_that_is_never_enough():
    h = Home(scope='read', needs={'tools/call': 'write'}, grant='read')
    h.auth()
    h.call(status=1)
    h.auth()
    said = h.call(status=1)
    check('what you have allowed already (write)' in said, 'no loop', said)
    check(len(h.rig.asked) == 2, 'a question by itself')
    return h


def test_places_of_metadata():
    for resource, authority, suffix in (
            ('/.well-known/oauth-protected-resource', '/.well-known/openid-configuration', ''),
            ('/.well-known/oauth-protected-resource/mcp',
             '/.well-known/oauth-authorization-server/tenant', '/tenant'),
            ('/.well-known/oauth-protected-resource/mcp',
             '/.well-known/openid-configuration/tenant', '/tenant'),
            ('/.well-known/oauth-protected-resource/mcp',
             '/tenant/.well-known/openid-configuration', '/tenant')):
        h = Home(named=False, prm_paths={resource}, metadata_paths={authority})
        issuer = h.rig.authority + suffix
        h.rig.wrong['prm'] = {'authorization_servers': [issuer]}
        h.rig.more['issuer'] = issuer
        if resource.endswith('resource'):
            h.rig.wrong['prm']['resource'] = h.rig.origin
        h.auth()
        check(h.rig.asked[0]['resource'] == (h.rig.origin if resource.endswith('resource') else h.rig.url),
              'the resource as it names itself', h.rig.asked)
        h.done()


# What the servers do wrong, and what is said then; the browser is not opened, or nothing is kept.
WRONG = [
    ('no PKCE', dict(pkce=False), 'does not say that it supports PKCE'),
    ('a resource elsewhere', dict(wrong={'prm': {'resource': 'https://evil.example/mcp'}}),
     'is of another server (https://evil.example/mcp)'),
    ('a longer path', dict(wrong={'prm': {'resource': 'ORIGIN/mcp2'}}), 'is of another server'),
    ('no resource', dict(wrong={'prm': {'resource': None}}), 'does not say of which resource'),
    ('another issuer', dict(more={'issuer': 'https://evil.example'}), 'is of another issuer'),
    ('http elsewhere', dict(wrong={'prm': {'authorization_servers': ['http://192.0.2.1']}}),
     'neither https nor on this machine'),
    ('http token endpoint', dict(more={'token_endpoint': 'http://evil.example/token'}),
     'the token endpoint is neither https nor on this machine'),
    ('a file', dict(more={'authorization_endpoint': 'file:///etc/passwd'}), 'only http and https'),
    ('a script', dict(more={'authorization_endpoint': 'javascript:alert(1)'}), 'authorization endpoint'),
    ('a name', dict(more={'token_endpoint': 'https://user@evil.example/'}), 'has a user name'),
    ('a redirect', dict(metadata_reply=(302, b'', )), 'publishes no metadata'),
    ('no JSON', dict(metadata_reply=(200, b'<html>')), 'its metadata'),
    ('deep JSON', dict(metadata_reply=(200, b'[' * 100 + b']' * 100)), 'its metadata'),
    ('too long', dict(metadata_reply=(200, b' ' * 300000)), 'longer than 256 KiB'),
    ('a broken authority', dict(metadata_reply=(503, b'')), 'answers 503'),
    ('no metadata', dict(metadata_paths=set()), 'publishes no metadata'),
    ('no registration', dict(more={'registration_endpoint': None}), '"oauth": { "clientId"'),
]


def test_what_is_refused():
    for name, options, text in WRONG:
        h = Home(**options)
        resource = (h.rig.wrong.get('prm') or {}).get('resource') or ''
        if resource.startswith('ORIGIN'):
            h.rig.wrong['prm']['resource'] = h.rig.origin + resource[6:]
        said = h.auth(status=1)
        check(text in said, name, said, *h.rig.log)
        check(not os.path.exists(h.visits), name + ': no browser', said)
        check(not os.path.exists(h.path('home/.trotline/mcp-oauth.json')), name + ': nothing kept')
        h.done()


def test_answers_of_the_browser():
    for name, answer, more, text in (
            ('no', {'error': 'access_denied', 'error_description': 'not \x1b[31mtoday'}, {},
             'refused: access_denied, not'),
            ('no code', {}, {}, 'was refused'),
            ('another issuer', {'code': 'the-code', 'iss': 'https://evil.example'}, {}, 'not from the auth'),
            ('no issuer', {'code': 'the-code'}, {'authorization_response_iss_parameter_supported': True},
             'not from the auth'),
            ('another code', {'code': 'evil'}, {}, 'the authorization server refuses: invalid_grant')):
        h = Home(answer=answer, more=more)
        said = h.auth(status=1)
        check(text in said and '\x1b' not in said, name, repr(said))
        check(not os.path.exists(h.path('home/.trotline/mcp-oauth.json')), name + ': nothing kept')
        h.done()
    h = Home(more={'authorization_response_iss_parameter_supported': True})
    h.rig.answer = {'code': 'the-code', 'iss': h.rig.authority}
    h.auth()
    return h


def test_without_a_browser_and_a_terminal_it_says_what_to_do():
    """Nobody would see the address that it waits for"""
    h = Home()
    del h.env['BROWSER']
    said = h.auth(status=1)
    check('$BROWSER names none' in said and '--no-browser' in said and 'Waiting' not in said, 'what to do', said)
    said = h.run('mcp', 'auth', 'docs', '--json', status=1)
    check('--no-browser' in json.loads(h.out)['error']['message'], 'the same as JSON', said)
    with subprocess.Popen([TROTLINE, 'mcp', 'auth', 'docs', '--no-browser'], cwd=h.path('project'), env=h.env,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as p:
        lines = [p.stderr.readline() for _ in range(3)]
        urllib.request.urlopen(lines[2].strip()).read()
        said = p.communicate(timeout=30 * PATIENCE)
        check(p.returncode == 0 and 'you are signed in' in said[0], 'who opens the address is signed in', lines, said)
    return h


def test_an_answer_to_another_request_is_not_taken():
    h = Home()
    with open(h.path('browser'), 'w') as f:  # three strangers come first
        f.write(BROWSER.replace('try:', '''
import urllib.parse, socket
q = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(sys.argv[-1]).query))
back = q['redirect_uri']
keep = socket.create_connection(('127.0.0.1', urllib.parse.urlsplit(back).port))
for url in (back + '?code=evil&state=evil', back + '?code=evil', back.replace('/callback', '/x') +
            '?code=evil&state=' + q['state']):
    try:
        urllib.request.urlopen(url)
        open(os.environ['VISITS'], 'a').write('TAKEN\\n')
    except urllib.error.HTTPError as e:
        pass
try:''', 1))
    h.auth()
    with open(h.visits) as f:
        check('TAKEN' not in f.read(), 'strangers get no 200')
    return h


def test_the_clients_of_the_settings():
    basic = {'token_endpoint_auth_methods_supported': ['client_secret_basic'], 'registration_endpoint': None}
    h = Home(more=basic)
    h.settings(oauth={'clientId': 'me', 'clientSecret': '$SECRET', 'scopes': ['a', 'b']})
    h.auth()
    check(h.rig.asked[0]['client_id'] == 'me' and h.rig.asked[0]['scope'] == 'a b', 'asked', h.rig.asked)
    check(h.forms('/token')[0]['basic'] == 'me:of-the-client', 'basic', *h.forms('/token'))
    h.rig.more = dict(basic, token_endpoint_auth_methods_supported=['client_secret_post'])
    h.auth()
    check(h.forms('/token')[-1]['client_secret'] == 'of-the-client', 'post', *h.forms('/token'))
    h.done()
    document = 'https://client.example/me.json'
    h = Home(more={'client_id_metadata_document_supported': True})
    h.settings(oauth={'clientId': document})
    h.auth()
    check(h.rig.asked[0]['client_id'] == document and not h.forms('/register'), 'a document', h.rig.asked)
    h.rig.more = {}
    h.auth()
    check(h.forms('/register') and h.rig.asked[1]['client_id'] != document, 'where it is no client')
    return h


def test_registrations_with_a_secret():
    for method in 'client_secret_basic', 'client_secret_post':
        h = Home(more={'token_endpoint_auth_methods_supported': [method]},
                 registered={'client_secret': 'given-to-us'})
        h.auth()
        check(h.forms('/register')[0]['token_endpoint_auth_method'] == method, method)
        form = h.forms('/token')[0]
        check('given-to-us' in (form.get('basic') or form.get('client_secret')), method, form)
        h.done()


def test_a_client_without_a_user():
    h = Home(more={'grant_types_supported': ['client_credentials'],
                   'token_endpoint_auth_methods_supported': ['client_secret_basic']})
    said = h.auth(status=1)
    check('knows programs only' in said, 'without a secret', said)
    h.settings(oauth={'clientId': 'me', 'clientSecret': '$SECRET'})
    h.auth()
    h.rig.tokens = {}
    h.call()
    check([f['grant_type'] for f in h.forms('/token')] == ['client_credentials'] * 2, 'renewed', h.forms('/token'))
    check(not os.path.exists(h.visits), 'a question')
    return h


def free_port():
    with socket.socket() as s:
        s.bind(('127.0.0.1', 0))
        return s.getsockname()[1]


def test_addresses_of_the_settings():
    h = Home(prm_paths=set(), metadata_paths=set(), named=False)
    port = free_port()
    redirect = 'http://localhost:%d/back' % port
    h.settings(oauth={'enabled': True, 'clientId': 'me', 'authorizationUrl': h.rig.authority + '/authorize',
                      'tokenUrl': h.rig.authority + '/token', 'redirectUri': redirect,
                      'audiences': ['x', 'y']}, authProviderType='dynamic_discovery')
    h.auth()
    check(h.rig.asked[0]['redirect_uri'] == redirect and h.rig.asked[0]['audience'] == 'x y', 'asked', h.rig.asked)
    h.settings(oauth={'redirectUri': 'https://elsewhere.example/back', 'tokenUrl': 'http://127.0.0.1/t',
                      'authorizationUrl': 'http://127.0.0.1/a', 'clientId': 'me'})
    check('oauth.redirectUri: it must be http and on this machine' in h.auth(status=1), 'redirect', h.err)
    h.settings(oauth={'enabled': False})
    check('switch OAuth off' in h.auth(status=1), 'off', h.err)
    said = h.run('mcp', 'test', status=1)
    check('put a token into its settings' in said and 'mcp auth' not in said, 'off', said)
    h.settings(authProviderType='google_credentials')
    check('authProviderType google_credentials is not supported' in h.run('mcp', 'test', status=1), 'said', h.out)
    h.settings(headers={'Authorization': 'Bearer x'})
    check('Authorization header of their own' in h.auth(status=1), 'own', h.err)
    h.settings(httpUrl=h.rig.url, oauth={'authServerMetadataUrl': h.rig.authority + '/here', 'callbackPort': port})
    h.rig.metadata_paths = {'/here'}
    h.auth()
    check(h.rig.asked[-1]['redirect_uri'].startswith('http://localhost:%d/' % port), 'callbackPort', h.rig.asked)
    return h


def test_servers_of_2025_03_26():
    h = Home(prm_paths=set(), named=False)
    h.rig.prm_paths = {'/.well-known/oauth-authorization-server'}
    status, v = h.rig.metadata()
    h.rig.prm_reply = (status, dict(v, issuer=h.rig.origin + '/x'))
    h.auth()
    check(len(h.rig.asked) == 1, 'metadata of the server itself')
    return h


def test_a_server_that_asks_for_nothing():
    h = Home(free={'initialize', 'tools/list', 'notifications/initialized', 'ping'}, prm_paths=set(),
             metadata_paths=set())
    check('asks for no authorization' in h.auth(), 'said', h.out)
    h.auth('--json')
    check(json.loads(h.out) == {'name': 'docs', 'status': 'not-needed'}, 'json', h.out)
    return h


def test_json_urls_and_forgetting():
    h = Home()
    h.run('mcp', 'auth', h.rig.url, '--json', status=0)
    check(json.loads(h.out) == {'name': h.rig.url, 'status': 'authorized'}, 'a URL', h.out)
    h.run('mcp', 'test', status=0)  # the settings' server of that address
    h.auth('--forget', '--json')
    check(json.loads(h.out)['status'] == 'forgotten' and h.store() == {}, 'forgotten', h.out)
    h.auth('--forget')
    check('not authorized' in h.out, 'nothing to forget', h.out)
    said = h.run('mcp', 'test', h.rig.url, status=1)
    check('"trotline mcp auth %s"' % h.rig.url in said, 'by its address', said)
    h.rig.pkce = False
    h.auth('--json', status=1)
    check(json.loads(h.out)['error']['status'] == 1, 'an error is JSON', h.out)
    h.settings(httpUrl=None, command='true')
    check('only servers with a URL' in h.auth(status=1), 'a program', h.err)
    h.run('mcp', 'auth', 'doc', status=1)
    check('did you mean "docs"' in h.err, 'a typing error', h.err)
    return h


def main():
    tap = Tap()
    tests = [(n, f) for n, f in globals().items() if n.startswith('test_')]
    for name, test in tests:
        if sys.argv[1:] and not any(word in name for word in sys.argv[1:]):
            continue
        why, h = None, None
        try:
            h = test()
        except (Failed, subprocess.TimeoutExpired) as e:
            why = e
        if h:
            h.done()
        tap.point(name[5:].replace('_', ' '), why)
    tap.done()


main()
