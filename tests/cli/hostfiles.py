"""Where hooks install --into writes in a user's home directory, for tests."""

USER = {
    'claude': '.claude/settings.json', 'codex': '.codex/hooks.json', 'qwen': '.qwen/settings.json',
    'droid': '.factory/hooks.json', 'auggie': '.augment/settings.json',
    'gemini': '.gemini/settings.json', 'devin': '.config/devin/config.json',
    'grok': '.grok/hooks/trotline.json', 'goose': '.agents/plugins/trotline/hooks/hooks.json',
    'crush': '.config/crush/crush.json', 'openhands': '.openhands/hooks.json',
    'kiro': '.kiro/hooks/trotline.json', 'windsurf': '.codeium/windsurf/hooks.json',
    'copilot': '.copilot/hooks/trotline.json', 'cursor': '.cursor/hooks.json',
    'antigravity': '.gemini/config/hooks.json',
}
# The event before a tool, and where its list is.
BEFORE = {'gemini': '/hooks/BeforeTool', 'droid': '/PreToolUse', 'copilot': '/hooks/preToolUse',
          'cursor': '/hooks/preToolUse', 'antigravity': '/trotline/PreToolUse', 'kiro': '/hooks',
          'windsurf': '/hooks/pre_run_command'}
# Agents with a plugin, or with files, of ours.
OURS = {
    'opencode': '.config/opencode/plugins/trotline.js', 'kilo': '.config/kilo/plugins/trotline.js',
    'pi': '.pi/agent/extensions/trotline.ts', 'openclaw': '.openclaw/plugins/trotline/index.js',
    'amp': '.config/amp/plugins/trotline.ts', 'cline': '.cline/hooks/PreToolUse',
}
