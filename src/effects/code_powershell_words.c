/* The words of a command: parameters, switches, options of cmd.exe, and what is none of them. */
#include "base/words.h"
#include "effects/code_powershell.h"

static bool is_switch(struct str s)
{
	return word_is_one_icase(
		s,
		"-recurse|-r|-rec|-recur*|-s|-force|-f|-fo|-for*|-confirm|-whatif|-wi|-verbose|"
		"-file|-directory|-all|-wait|-passthru|-asjob|-append|-noclobber|-nonewline|"
		"-raw|-hidden|-usebasicparsing|-useb|-nologo|-noprofile|-nop|-noni*|-nonew*|-sta|"
		"-allowclobber|-asplaintext|-simplematch|-quiet|-debug|-delete*|-system|"
		"-enable|-disable|-skip*");
}

const struct code_value *ps_parameter(const struct ps_command *c, const char *names)
{
	for (size_t i = 0; i < c->n; i++) {
		if (!c->word[i].parameter.n || !word_is_one_icase(c->word[i].parameter, names))
			continue;
		if (c->word[i].has_value)
			return &c->word[i].value;
		if (i + 1 < c->n && !c->word[i + 1].parameter.n)
			return &c->word[i + 1].value;
	}
	return NULL;
}

bool ps_has(const struct ps_command *c, const char *names)
{
	for (size_t i = 0; i < c->n; i++)
		if (c->word[i].parameter.n && word_is_one_icase(c->word[i].parameter, names))
			return !(c->word[i].has_value && c->word[i].value.kind == VALUE_UNKNOWN &&
				 word_is_one_icase(c->word[i].parameter, "-whatif"));
	return false;
}

bool ps_has_slash(const struct ps_command *c, const char *option)
{
	for (size_t i = 0; i < c->n; i++)
		if (!c->word[i].parameter.n && c->word[i].value.kind == VALUE_TEXT &&
		    word_is_one_icase(c->word[i].value.text, option))
			return true;
	return false;
}

const struct code_value *ps_positional(const struct ps_command *c, size_t n)
{
	for (size_t i = 0; i < c->n; i++) {
		const struct code_value *v = &c->word[i].value;
		bool taken = i && c->word[i - 1].parameter.n && !c->word[i - 1].has_value &&
			     !is_switch(c->word[i - 1].parameter);
		bool option = v->kind == VALUE_TEXT && v->text.n >= 2 && v->text.n <= 3 &&
			      v->text.p[0] == '/' && char_is_word(v->text.p[1]); /* cmd.exe: /s */

		if (!c->word[i].parameter.n && !taken && !option && n-- == 0)
			return v;
	}
	return NULL;
}
