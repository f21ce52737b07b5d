/* What `trotline hooks init` writes: the same guard in each language, and its settings. */
#pragma once

#include "base/util.h"

struct init_language {
	const char *name; /* "python" */
	const char *source; /* path below .gemini or ~/.trotline */
	const char *program; /* what the command starts; the same, unless compiled */
	const char *by; /* what starts the program, and a blank; NULL = it starts itself */
	bool compiled;
	const char *text;
};

extern const struct init_language init_languages[];
extern const size_t init_languages_n;

/* The settings: head, the list of events, body, the name, it again as a member, named, the program,
 * tail. */
extern const char init_settings_head[];
extern const char init_settings_body[];
extern const char init_settings_named[];
extern const char init_settings_tail[];
