"""The agents that can be driven without an account: how each is started against the scripted model, and
where it does otherwise than most."""

import json
import os
import subprocess
import threading


def codex_trust(run):
    """Approval as the app server tells its hash: what a user does with /hooks."""
    p = subprocess.Popen([run.program(), 'app-server'], stdin=subprocess.PIPE, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env=run.env, cwd=run.project)
    late = threading.Timer(30, p.kill)
    late.start()
    try:
        for message in ({'id': 1, 'method': 'initialize',
                         'params': {'clientInfo': {'name': 't', 'version': '1'}}},
                        {'method': 'initialized'},
                        {'id': 2, 'method': 'hooks/list', 'params': {'cwds': [run.project]}}):
            p.stdin.write(json.dumps(message) + '\n')
            p.stdin.flush()
        answer = next((a for a in map(json.loads, p.stdout) if a.get('id') == 2), None)
    finally:
        late.cancel()
        p.kill()
        p.wait()
    found = []

    def walk(v):
        if isinstance(v, dict):
            if 'currentHash' in v:
                found.append(v)
            for x in v.values():
                walk(x)
        elif isinstance(v, list):
            for x in v:
                walk(x)

    if not answer:
        raise OSError('Codex did not tell its hooks')
    walk(answer.get('result'))
    with open(run.home + '/.codex/config.toml', 'a', encoding='utf-8') as f:
        for hook in found:
            f.write('[hooks.state."%s"]\ntrusted_hash = "%s"\n' % (hook['key'], hook['currentHash']))


def codex_config(run):
    run.write('.codex/config.toml', 'model = "gpt-5.5"\nmodel_provider = "fake"\n'
              '[model_providers.fake]\nname = "fake"\nbase_url = "http://127.0.0.1:%d/v1"\n'
              'wire_api = "responses"\nenv_key = "FAKE_KEY"\nsupports_websockets = false\n'
              'request_max_retries = 0\n' % run.model.port)


def opencode_like(name, file, prefix, program=None):
    """OpenCode and what was made of it: slow, and with a proxy they do not reach their own server."""
    switches = ('DISABLE_AUTOUPDATE', 'DISABLE_MODELS_FETCH', 'DISABLE_LSP_DOWNLOAD', 'DISABLE_SHARE')
    return {
        'args': [name, 'run', '-m', 'fake/fake', '--auto', 'do it'], 'program': program,
        'env': {prefix + '_' + switch: '1' for switch in switches},
        'files': {file: {
            'autoupdate': False, 'share': 'disabled', 'permission': {'*': 'allow'}, 'model': 'fake/fake',
            'small_model': 'fake/fake', 'provider': {'fake': {
                'npm': '@ai-sdk/openai-compatible', 'name': 'fake',
                'options': {'baseURL': 'http://127.0.0.1:{port}/v1', 'apiKey': 'x'},
                'models': {'fake': {'name': 'fake', 'tool_call': True,
                                    'limit': {'context': 100000, 'output': 4000}}}}}}},
        'no_proxy': True,
        'want': {'session context': 'lost', 'stop with retry': 'ended'},
    }


def cline_config(run):
    subprocess.run([run.program(), 'auth', '-p', 'openai-compatible', '-k', 'x', '-m', 'fake', '-b',
                    'http://127.0.0.1:%d/v1' % run.model.port], env=run.env, cwd=run.project, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def grok_config(run):
    run.write('.grok/config.toml', '[models]\ndefault = "fake"\n[model.fake]\nmodel = "fake"\nname = "fake"\n'
              'base_url = "http://127.0.0.1:%d/v1"\napi_key = "x"\napi_backend = "chat_completions"\n'
              'context_window = 200000\n' % run.model.port)


AGENTS = {
    'grok': {
        'args': ['grok', '-p', 'do it', '-m', 'fake', '--always-approve'],
        'config': grok_config,
        'want': {'session context': 'lost'},
    },
    'claude': {
        'args': ['claude', '-p', 'do it', '--model', 'claude-sonnet-4-5',
                 '--dangerously-skip-permissions'],
        'env': {'ANTHROPIC_BASE_URL': 'http://127.0.0.1:{port}', 'ANTHROPIC_API_KEY': 'sk-ant-dummy',
                'CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC': '1', 'DISABLE_AUTOUPDATER': '1',
                'IS_SANDBOX': '1'},
    },
    'codex': {
        'args': ['codex', 'exec', '--skip-git-repo-check', '--dangerously-bypass-approvals-and-sandbox',
                 'do it'],
        'env': {'FAKE_KEY': 'x'}, 'config': codex_config, 'trust': codex_trust,
    },
    'gemini': {
        'args': ['gemini', '-m', 'gemini-2.5-flash', '--approval-mode=yolo', '-p', 'do it'],
        'env': {'GEMINI_API_KEY': 'x', 'GOOGLE_GEMINI_BASE_URL': 'http://127.0.0.1:{port}',
                'GEMINI_CLI_TRUST_WORKSPACE': 'true', 'GEMINI_CLI_NO_RELAUNCH': 'true'},
        'files': {'.gemini/settings.json': {
            'security': {'auth': {'selectedType': 'gemini-api-key'}, 'folderTrust': {'enabled': False}},
            'general': {'enableAutoUpdate': False}}},
    },
    'copilot': {
        'args': ['copilot', '-p', 'do it', '--allow-all-tools'],
        'env': {'COPILOT_OFFLINE': 'true', 'COPILOT_PROVIDER_BASE_URL': 'http://127.0.0.1:{port}/v1',
                'COPILOT_PROVIDER_API_KEY': 'x', 'COPILOT_MODEL': 'gpt-4.1',
                'COPILOT_AUTO_UPDATE': 'false'},
    },
    'droid': {
        'args': ['droid', 'exec', '-m', 'custom:fake', '--skip-permissions-unsafe', 'do it'],
        'env': {'FACTORY_API_KEY': 'fk-dummy', 'FACTORY_AIRGAP_ENABLED': 'true',
                'FACTORY_API_BASE_URL': 'http://127.0.0.1:{port}'},
        'files': {'.factory/settings.json': {
            'customModels': [{'model': 'fake', 'id': 'custom:fake', 'displayName': 'fake',
                              'baseUrl': 'http://127.0.0.1:{port}/v1', 'apiKey': 'x',
                              'provider': 'generic-chat-completion-api', 'maxOutputTokens': 4096}],
            'enableDroidShield': False, 'cloudSessionSync': False}},
        'want': {'prompt': None, 'result': 'told', 'another result': 'told'},
    },
    'qwen': {
        'args': ['qwen', '-y', '-p', 'do it'],
        'env': {'OPENAI_API_KEY': 'x', 'OPENAI_BASE_URL': 'http://127.0.0.1:{port}/v1',
                'OPENAI_MODEL': 'fake'},
        'files': {'.qwen/settings.json': {
            'security': {'auth': {'selectedType': 'openai'}, 'folderTrust': {'enabled': False}},
            'memory': {'enableManagedAutoMemory': False, 'enableManagedAutoDream': False}}},
        'no_proxy': True,
        'want': {'rewrite': 'denied'},
    },
    'opencode': opencode_like('opencode', '.config/opencode/opencode.json', 'OPENCODE'),
    'kilo': opencode_like('kilo', '.config/kilo/kilo.json', 'KILO',
                          program='node_modules/@kilocode/cli-linux-x64/bin/kilo'),
    'pi': {
        'args': ['pi', '-p', '--provider', 'fake', '--model', 'fake', 'do it'],
        'env': {'PI_OFFLINE': '1', 'PI_SKIP_VERSION_CHECK': '1'},
        'files': {'.pi/agent/models.json': {'providers': {'fake': {
            'baseUrl': 'http://127.0.0.1:{port}/v1', 'api': 'openai-completions', 'apiKey': 'x',
            'models': [{'id': 'fake'}]}}}},
        'want': {'session context': 'lost', 'stop with retry': 'ended'},
    },
    'cline': {
        'args': ['cline', '-P', 'openai-compatible', '-m', 'fake', '--auto-approve', 'true', 'do it'],
        'config': cline_config,
        'want': {'prompt': None, 'session context': 'lost', 'stop with retry': 'ended', 'result': 'told', 'another result': 'told'},
    },
    'auggie': {
        'args': ['auggie', '-p', 'do it'],
        'env': {'AUGMENT_SESSION_AUTH': '{"accessToken":"x","tenantURL":"http://127.0.0.1:{port}/",'
                                        '"scopes":["read","write"]}', 'AUGMENT_DISABLE_AUTO_UPDATE': '1'},
        'want': {'prompt': None, 'session context': 'lost', 'stop with retry': 'ended', 'result': 'told', 'another result': 'told'},
    },
    'openclaw': {
        'args': ['openclaw', 'agent', '--local', '--agent', 'main', '--message', 'do it'],
        'files': {'.openclaw/openclaw.json': {
            'models': {'mode': 'merge', 'providers': {'fake': {
                'baseUrl': 'http://127.0.0.1:{port}/v1', 'apiKey': 'x', 'api': 'openai-completions',
                'models': [{'id': 'fake', 'name': 'fake', 'reasoning': False, 'input': ['text'],
                            'cost': {'input': 0, 'output': 0, 'cacheRead': 0, 'cacheWrite': 0},
                            'contextWindow': 200000, 'maxTokens': 4000}]}}},
            'agents': {'defaults': {'model': {'primary': 'fake/fake'}, 'workspace': '{project}',
                                    'skipBootstrap': True}},
            'tools': {'exec': {'security': 'full', 'ask': 'off'}},
            'plugins': {'enabled': True, 'load': {'paths': ['{home}/.openclaw/plugins/trotline']},
                        'entries': {'trotline': {'enabled': True, 'hooks': {'allowConversationAccess': True}}}}}},
        'want': {'session context': 'lost', 'stop with retry': 'ended'},
    },
}
