/*
 * Skills: SKILL.md files whose YAML front matter has a name and a description.  The model is told
 * of these; it gets the body when it asks for it with activate_skill (host.md H3).
 */
#pragma once

#include "base/json.h"
#include "tools/tool.h"

enum skill_origin { SKILL_BUILT_IN, SKILL_EXTENSION, SKILL_USER, SKILL_PROJECT };

enum {
	SKILL_FILE_MAX = 1 << 20,
	SKILL_FRONT_MAX = 64 << 10,
	SKILL_NAME_MAX = 100, /* characters */
	SKILL_DESCRIPTION_MAX = 2000, /* characters; what is longer is cut */
	SKILLS_MAX = 500,
	SKILLS_BYTES_MAX = 16 << 20, /* of all bodies */
};

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
	const char *name; /* as the model says it: cleaned (H3.4), on one line */
	const char *description; /* on one line, valid UTF-8, without control characters */
	const char *file, *dir; /* absolute; file is real, dir is where it was found */
	enum skill_origin origin;
	bool disabled;
	struct str body; /* valid UTF-8 */
};

struct skills {
	struct skill *p; /* sorted by name */
	size_t n;
	bool off; /* skills.enabled is false: all of them are disabled */
};

/* Never NULL; in the arena. */
struct skills *skills_read(struct arena *a, const struct skills_options *o);
/* One directory of skills alone; without `links` nothing is read that is not really in it. */
struct skills *skills_read_dir(struct arena *a, const struct skills_options *o, const char *dir,
			       bool links);
/* Any case; NULL when there is none, or it is disabled. */
const struct skill *skill_find(const struct skills *all, struct str name);
/* Disabled ones, too. */
const struct skill *skill_find_any(const struct skills *all, struct str name);
bool skills_any(const struct skills *all); /* is one enabled?  NULL = no */
const char *skill_origin_name(enum skill_origin origin); /* "project" */
/* The part of the system instruction that lists them; "" when there are none (H3.5). */
struct str skills_instruction(struct arena *a, const struct skills *all);
/* The files beside SKILL.md as a tree, at most 200, safe for the model and a terminal. */
struct str skill_resources(struct arena *a, const struct skill *s);

/* skill_front.c: the front matter of a SKILL.md.  -E_PARSE with "LINE:COLUMN: why". */
struct skill_front {
	struct str name, description, body; /* on one line; name and description are not empty */
};
int skill_front_read(struct arena *a, struct str text, struct skill_front *ret_front,
		     struct err *err);
/* The same with further fields, which are texts, lists of texts, null, or (NULL) not there; what is
 * none of them is a mistake, and so is what is no YAML. */
enum { FRONT_LIST_MAX = 200 };
struct front_field {
	const char *name;
	const struct json *value;
};
int front_read(struct arena *a, struct str text, struct skill_front *ret_front,
	       struct front_field *fields, size_t nfields, struct err *err);
