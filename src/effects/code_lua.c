#include "effects/code.h"

static const struct code_function functions[] = {
	{ "os.execute", ACT_SHELL, 0, 0, NULL },
	{ "io.popen", ACT_SHELL, 0, 0, NULL },
	{ "vim.fn.system|systemlist|jobstart|termopen", ACT_SHELL_OR_ARGV, 0, 0, NULL },
	{ "vim.system", ACT_ARGV, 0, 0, NULL },
	{ "os.remove", ACT_DELETE, 0, 0, NULL },
	{ "lfs.rmdir", ACT_DELETE, 0, 0, NULL },
	{ "vim.fn.delete", ACT_DELETE, 0, FN_RECURSIVE, NULL },
	{ "vim.fs.rm", ACT_DELETE, 0, FN_KEYED, NULL },
	{ "os.rename", ACT_MOVE, 0, 0, NULL },
	{ "io.open", ACT_OPEN, 0, 0, NULL },
	{ "io.lines|input", ACT_READ, 0, 0, NULL },
	{ "io.output", ACT_OVERWRITE, 0, 0, NULL },
	{ "file.read|lines", ACT_READ, ARG_SELF, 0, NULL },
	{ "file.write", ACT_WRITE, ARG_SELF, FN_OTHER, NULL },
	{ "lfs.mkdir", ACT_WRITE, 0, 0, NULL },
	{ "lfs.chdir", ACT_CHDIR, 0, 0, NULL },
	{ "http.request|https.request", ACT_REQUEST, 0, 0, NULL },
	{ "socket.http.request", ACT_REQUEST, 0, 0, NULL },
	{ "ssl.https.request", ACT_REQUEST, 0, 0, NULL },
	{ "socket.tcp|connect", ACT_CONNECT, 0, 0, "socket" },
	{ "load|loadstring|dostring", ACT_EVAL, 0, 0, NULL },
	{ "dofile|loadfile", ACT_UNSEEN, 0, 0, NULL },
	{ "require", GIVES_MODULE, 0, 0, NULL },
	{ "io.read", GIVES_INPUT, 9, 0, NULL },
	{ "os.getenv", GIVES_ENV, 0, 0, NULL },
	{ "os.tmpname", GIVES_TEMP, 0, 0, NULL },
	{ "lfs.dir", GIVES_LISTING, 0, 0, NULL },
	{ "lfs.currentdir", GIVES_CWD, 0, 0, NULL },
	{ "string.rep", GIVES_MEMORY, 1, 0, NULL },
	{ "string.char", GIVES_CHARS, 0, 0, NULL },
	{ "string.format", GIVES_SPRINTF, 0, 0, NULL },
	{ ".format", GIVES_SPRINTF, ARG_SELF, 0, NULL },
	{ "setmetatable|assert", GIVES_ARG, 0, 0, NULL },
	{ ".lines", GIVES_SELF, 0, 0, NULL },
	{ "string.reverse", GIVES_REVERSED, 0, 0, NULL },
	{ "string.lower", GIVES_LOWER, 0, 0, NULL },
	{ "table.concat", GIVES_JOINED_BY, 0, FN_OTHER, NULL },
	{ ".reverse", GIVES_REVERSED, ARG_SELF, 0, NULL },
	{ ".lower", GIVES_LOWER, ARG_SELF, 0, NULL },
	{ "ipairs|pairs|tostring", GIVES_ARG, 0, 0, NULL },
	{ NULL, 0, 0, 0, NULL },
};

static const char *const openers[] = { "function", "if", NULL };

const struct code_grammar code_lua = {
	.language = CODE_LUA,
	.syntax = SYNTAX_DASHES | SYNTAX_LONG_BRACKETS | SYNTAX_END,
	.functions = functions,
	.openers = openers,
};

/* awk, whose system(), pipes and redirections are read with its print statements. */
static const struct code_function awk_functions[] = {
	{ "system", ACT_SHELL, 0, FN_NEVER_BARE, NULL },
	{ "ENVIRON", GIVES_ENV, 0, FN_NEVER_BARE, NULL },
	{ "sprintf", GIVES_SPRINTF, 0, FN_NEVER_BARE, NULL },
	{ "tolower", GIVES_LOWER, 0, FN_NEVER_BARE, NULL },
	{ NULL, 0, 0, 0, NULL },
};

const struct code_grammar code_awk = {
	.language = CODE_AWK,
	.syntax = SYNTAX_HASH | SYNTAX_REGEX | SYNTAX_LINES | SYNTAX_ADJACENT_JOINS,
	.functions = awk_functions,
};
