/*
 * Skills: SKILL.md files whose YAML front matter has a name and a description.  The model is told
 * of these; it gets the body when it asks for it with activate_skill (host.md H3).
 */
#pragma once

#include "base/json.h"
#include "tools/tool.h"

enum skill_origin { SKILL_BUILT_IN, SKILL_EXTENSION, SKILL_USER, SKILL_PROJECT };

enum { SKILL_FILE_MAX = 1 << 20, SKILL_FRONT_MAX = 64 << 10, SKILLS_MAX = 500 };

struct skills_options {
	const char *home, *project;
	bool trusted; /* those of the project are read */
	const char *const *extension_dirs; /* skills/ of active extensions, NULL-terminated; NULL */
	const struct json *settings; /* skills.enabled, skills.disabled */
	/* Broken files and conflicts (H3.8), a line safe for a terminal.  NULL allowed. */
	void (*complain)(void *data, const char *text);
	void *data;
};

struct skill {
	const char *name; /* as the model says it: cleaned (H3.4) */
	const char *description; /* one line */
	const char *file, *dir; /* absolute and real */
	enum skill_origin origin;
	bool disabled;
	struct str body;
};

struct skills {
	struct skill *p; /* sorted by name */
	size_t n;
};

/* Never NULL; in the arena. */
struct skills *skills_read(struct arena *a, const struct skills_options *o);
/* Any case; NULL when there is none, or it is disabled. */
const struct skill *skill_find(const struct skills *all, struct str name);
/* The part of the system instruction that lists them; "" when there are none (H3.5). */
struct str skills_instruction(struct arena *a, const struct skills *all);

/* skill_front.c: the front matter of a SKILL.md.  -E_PARSE with line:column of the file. */
struct skill_front {
	struct str name, description, body;
};
int skill_front_read(struct arena *a, struct str text, struct skill_front *ret_front,
		     struct err *err);
