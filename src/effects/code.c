#include "effects/code.h"

void effects_of_code(struct effects *e, enum code_language lang, struct str code, struct str words)
{
	static const struct code_grammar *const grammars[] = {
		[CODE_PYTHON] = &code_python,     [CODE_JAVASCRIPT] = &code_javascript,
		[CODE_PERL] = &code_perl,         [CODE_RUBY] = &code_ruby,
		[CODE_PHP] = &code_php,           [CODE_AWK] = &code_awk,
		[CODE_LUA] = &code_lua,           [CODE_MONGO] = &code_mongo,
		[CODE_COMPILED] = &code_compiled, [CODE_R] = &code_r,
		[CODE_JULIA] = &code_julia,
	};
	static void (*const readers[])(struct effects *, struct str, struct str) = {
		[CODE_SQL] = code_read_sql,
		[CODE_REDIS] = code_read_redis,
		[CODE_POWERSHELL] = code_read_powershell,
		[CODE_POWERSHELL_ENCODED] = code_read_powershell_encoded,
		[CODE_MAKEFILE] = code_read_make,
	};

	if (e->codes >= EFFECTS_CODES_MAX) {
		effects_unjudged(e, words);
		return;
	}
	e->codes++;
	if (lang == CODE_SHELL)
		effects_of_shell(e, code);
	else if ((size_t)lang < ARRAY_LEN(grammars) && grammars[lang])
		code_read(e, grammars[lang], code, words);
	else if ((size_t)lang < ARRAY_LEN(readers) && readers[lang])
		readers[lang](e, code, words);
	else
		effects_add(e, &(struct effect){
				       .kind = EFFECT_OPAQUE, .words = words, .maybe = true });
	e->codes--;
}
