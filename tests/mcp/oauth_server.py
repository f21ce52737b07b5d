"""An MCP server that wants OAuth and the authorization server that it names, on two ports of
loopback.  What they do wrong is said by keyword: Rig(pkce=False, issuer='https://evil.example')."""

import base64
import hashlib
import json
import threading
import urllib.parse
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Quiet(BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def log_message(self, *args):
        pass

    def reply(self, status, body=None, **headers):
        data = body if isinstance(body, bytes) else json.dumps(body or {}).encode()
        self.send_response(status)
        self.send_header('Content-Type', 'application/json')
        self.send_header('Content-Length', str(len(data)))
        for name, value in headers.items():
            self.send_header(name.replace('_', '-'), value)
        self.end_headers()
        self.wfile.write(data)

    def read(self):
        return self.rfile.read(int(self.headers.get('Content-Length') or 0)).decode()


class Resource(Quiet):
    def do_GET(self):
        rig = self.server.rig
        rig.log.append(('resource', 'GET', self.path, {}))
        if self.path in rig.prm_paths:
            return self.reply(*rig.prm())
        self.reply(404)

    def do_DELETE(self):
        self.reply(200)

    def do_POST(self):
        rig = self.server.rig
        m = json.loads(self.read())
        bearer = (self.headers.get('Authorization') or '').replace('Bearer ', '')
        rig.log.append(('resource', m.get('method'), self.path, {'bearer': bearer}))
        scope = rig.tokens.get(bearer)
        if scope is None and m.get('method') not in rig.free:
            return self.reply(401, WWW_Authenticate=rig.challenge())
        needed = rig.needs.get(m.get('method'))
        if needed and not set(needed.split()) <= set((scope or '').split()):
            return self.reply(403, WWW_Authenticate='Bearer error="insufficient_scope", scope="%s"'
                              % needed)
        if 'id' not in m:
            return self.reply(202)
        self.reply(200, {'jsonrpc': '2.0', 'id': m['id'], 'result': rig.result(m, bearer)})


class Authority(Quiet):
    def do_GET(self):
        rig = self.server.rig
        url = urllib.parse.urlsplit(self.path)
        query = dict(urllib.parse.parse_qsl(url.query))
        rig.log.append(('authority', 'GET', url.path, query))
        if url.path in rig.metadata_paths:
            return self.reply(*rig.metadata())
        if url.path == '/authorize':
            rig.asked.append(query)
            back = dict(rig.answer, state=query.get('state', ''))
            return self.reply(302, Location='%s?%s' % (query['redirect_uri'], urllib.parse.urlencode(back)))
        self.reply(404)

    def do_POST(self):
        rig = self.server.rig
        text = self.read()
        if self.path == '/register':
            body = json.loads(text)
            rig.log.append(('authority', 'POST', self.path, body))
            return self.reply(201, dict(body, client_id='client-%d' % len(rig.log), **rig.registered))
        form = dict(urllib.parse.parse_qsl(text))
        auth = self.headers.get('Authorization') or ''
        if auth.startswith('Basic '):
            form['basic'] = base64.b64decode(auth[6:]).decode()
        rig.log.append(('authority', 'POST', self.path, form))
        self.reply(*rig.token(form))


class Rig:
    def __init__(self, **options):
        self.log, self.asked, self.tokens, self.n = [], [], {}, 0
        self.free, self.needs, self.answer = set(), {}, {'code': 'the-code'}
        self.registered, self.life, self.refresh, self.scopes = {}, 3600, True, None
        self.pkce, self.wrong, self.more = True, {}, {}
        self.grant = None  # what a token may do, whatever was asked for
        self.scope = ''  # of the 401
        self.prm_paths = {'/.well-known/oauth-protected-resource/mcp'}
        self.metadata_paths = {'/.well-known/oauth-authorization-server'}
        self.named = True  # resource_metadata in the challenge
        self.metadata_reply = self.prm_reply = None
        for name, value in options.items():
            getattr(self, name)
            setattr(self, name, value)
        self.servers = []
        for handler in Resource, Authority:
            server = ThreadingHTTPServer(('127.0.0.1', 0), handler)
            server.rig = self
            server.handle_error = lambda *args: None  # clients go when they like
            threading.Thread(target=server.serve_forever, daemon=True).start()
            self.servers.append(server)
        self.origin, self.authority = ('http://127.0.0.1:%d' % s.server_address[1] for s in self.servers)
        self.url = self.origin + '/mcp'

    def close(self):
        for server in self.servers:
            server.shutdown()
            server.server_close()

    def challenge(self):
        text = 'Basic realm="x", Bearer error="invalid_token"'
        if self.named:
            text += ', resource_metadata="%s/.well-known/oauth-protected-resource/mcp"' % self.origin
        return text + (', scope="%s"' % self.scope if self.scope else '')

    def prm(self):
        if self.prm_reply:
            return self.prm_reply
        v = {'resource': self.url, 'authorization_servers': [self.authority]}
        if self.scopes is not None:
            v['scopes_supported'] = self.scopes
        return 200, dict(v, **self.wrong.get('prm', {}))

    def metadata(self):
        if self.metadata_reply:
            return self.metadata_reply
        v = {'issuer': self.authority, 'authorization_endpoint': self.authority + '/authorize',
             'token_endpoint': self.authority + '/token',
             'registration_endpoint': self.authority + '/register',
             'response_types_supported': ['code'],
             'token_endpoint_auth_methods_supported': ['none']}
        if self.pkce:
            v['code_challenge_methods_supported'] = ['S256']
        v.update(self.more)
        return 200, {k: x for k, x in v.items() if x is not None}

    def token(self, form):
        if form['grant_type'] == 'authorization_code':
            digest = hashlib.sha256(form.get('code_verifier', '').encode()).digest()
            challenge = base64.urlsafe_b64encode(digest).decode().rstrip('=')
            if challenge != self.asked[-1].get('code_challenge') or form.get('code') != 'the-code':
                return 400, {'error': 'invalid_grant'}
            self.wanted = self.asked[-1].get('scope', '')
        elif form['grant_type'] == 'refresh_token' and form['refresh_token'] != 'refresh-%d-secret' % self.n:
            return 400, {'error': 'invalid_grant', 'error_description': 'used \x1b[31mtwice'}
        self.n += 1
        token = 'token-%d-secret' % self.n
        self.tokens[token] = self.grant if self.grant is not None else getattr(self, 'wanted', '')
        reply = {'access_token': token, 'token_type': 'Bearer', 'expires_in': self.life}
        if self.refresh and form['grant_type'] != 'client_credentials':
            reply['refresh_token'] = 'refresh-%d-secret' % self.n
        return 200, reply

    def result(self, m, bearer):
        if m['method'] == 'initialize':
            return {'protocolVersion': '2025-11-25', 'capabilities': {'tools': {}},
                    'serverInfo': {'name': 'oauth', 'version': '1'}}
        if m['method'] == 'tools/list':
            return {'tools': [{'name': 'whoami', 'inputSchema': {'type': 'object'}}]}
        return {'content': [{'type': 'text', 'text': 'you are ' + bearer}]}
