/*
 * Skills: SKILL.md files whose YAML front matter has a name and a description.  The model is told
 * of these; it gets the body when it asks for it with activate_skill.
 */
#pragma once

#include "agent/catalog/catalog.h"
#include "agent/catalog/front_matter.h"
#include "tools/tool.h"

enum {
	SKILL_FILE_MAX = 1 << 20,
	SKILL_DESCRIPTION_MAX = 2000, /* characters; what is longer is cut */
	SKILLS_MAX = 500,
	SKILLS_BYTES_MAX = 16 << 20, /* of all bodies */
};

/* What its name follows where a conversation says that it is active. */
#define ACTIVATED_SKILL "<activated_skill name=\""

struct skill {
	const char *name; /* as the model says it: cleaned, on one line */
	const char *description; /* on one line, valid UTF-8, without control characters */
	const char *file, *dir; /* absolute; file is real, dir is where it was found */
	enum catalog_origin origin;
	const char *extension; /* that has it, or NULL */
	bool disabled;
	struct str body; /* valid UTF-8 */
	struct str hooks; /* of its front matter, as front_hooks_read(); .p NULL = none */
};

struct skills {
	struct skill *p; /* sorted by name */
	size_t n;
	bool off; /* skills.enabled is false: all of them are disabled */
};

/* Never NULL; in the arena. */
struct skills *skills_read(struct arena *a, const struct catalog_options *o);
/* One directory of skills alone; without `links` nothing is read that is not really in it. */
struct skills *skills_read_dir(struct arena *a, const struct note_sink *notes, const char *dir,
			       bool links);
/* Any case; NULL when there is none, or it is disabled. */
const struct skill *skill_find(const struct skills *all, struct str name);
/* Disabled ones, too. */
const struct skill *skill_find_any(const struct skills *all, struct str name);
bool skills_any(const struct skills *all); /* is one enabled?  NULL = no */
/* The part of the system instruction that lists them; "" when there are none. */
struct str skills_instruction(struct arena *a, const struct skills *all);
/* The files next to SKILL.md as a tree, at most 200, safe for the model and a terminal. */
struct str skill_resources(struct arena *a, const struct skill *s);
