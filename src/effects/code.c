#include "effects/effects.h"

void effects_of_code(struct effects *e, enum code_language lang, struct str code, struct str words)
{
	if (lang == CODE_SHELL)
		effects_of_shell(e, code);
	else
		effects_add(e, &(struct effect){ .kind = EFFECT_OPAQUE, .words = words });
}
