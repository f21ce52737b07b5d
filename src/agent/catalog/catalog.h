/*
 * Texts that users keep in directories: skills, sub-agents, custom commands.  Where they are, which
 * of them may be read, and what is said of those that cannot be used.
 *
 * A project or extension is somebody else's: nothing of it is read through a link that leads out of
 * it.  What users link into their own home directory is.
 */
#pragma once

#include "agent/sink.h"
#include "extensions/extension.h"
#include "settings/places.h"

enum catalog_origin {
	CATALOG_BUILT_IN,
	CATALOG_EXTENSION,
	CATALOG_USER,
	CATALOG_PROJECT,
	CATALOG_MCP, /* a prompt of a server */
	CATALOG_SKILL, /* a command that activates one */
};
const char *catalog_origin_name(enum catalog_origin origin); /* "project" */

struct catalog_options {
	const char *home, *project;
	bool trusted; /* what the project has is read */
	const struct extensions *extensions; /* NULL = none */
	const struct json *settings;
	struct note_sink notes; /* broken files and conflicts */
};

struct catalog_dir {
	const char *dir; /* real */
	const char *fence; /* real: nothing outside of it is read; NULL = everything may be */
	const char *extension; /* its name, else NULL */
	enum catalog_origin origin;
	const struct extension *owner; /* NULL = it is of none */
	const struct extension *plugin; /* the same, when it is one of Claude Code; else NULL */
	bool claude; /* files in Claude Code's formats */
	const char *project; /* that the session is in, or NULL */
	bool is_file; /* one of a plugin: dir is a file */
};

struct catalog_refused;

struct catalog {
	struct arena *a;
	const struct note_sink *notes;
	const char
		*what; /* "skill", "agent", "command"; extensions have directories of that name */
	struct catalog_refused *refused; /* not said yet */
};

/*
 * The directories that exist, in the order in which later ones override earlier ones: of
 * extensions, of the user, of the project.  kind: PLACE_SKILLS and the like.
 */
size_t catalog_dirs(const struct catalog *c, const struct catalog_options *o, unsigned kind,
		    const struct catalog_dir **ret_dirs);
/* The first max names in a directory, without hidden ones, sorted. */
size_t catalog_list(const struct catalog *c, const char *dir, size_t max,
		    const char *const **ret_names);
/* The real path of what may be read, in the arena; NULL when there is none, or it is outside. */
const char *catalog_real(const struct catalog *c, const char *fence, const char *path);
/* What belongs to a plugin says so in front of its name: "PLUGIN:NAME". */
const char *catalog_plugins_name(struct arena *a, const struct extension *plugin, const char *name);
/* A text of a plugin or an extension with the directories that their agents put into it. */
struct str catalog_owners_text(struct arena *a, const struct catalog_dir *at, struct str text);
/* NAME, or the NAME of a PLUGIN:NAME. */
struct str catalog_bare_name(const char *name);
/* The text of a file, without a byte order mark; false when it cannot be read. */
bool catalog_text(const struct catalog *c, const char *file, size_t max, struct str *ret_text);
/* "Ignoring skill FILE: why" */
void catalog_refuse(const struct catalog *c, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* The same of a file, at `why` ("LINE:COLUMN: text"): one line for all that have one mistake... */
void catalog_refuse_file(struct catalog *c, const char *file, const char *why);
/* ...which is said when all files are read. */
void catalog_say_refused(struct catalog *c);
/* Of two of one name that of `file` counts. */
void catalog_overrides(const struct catalog *c, const char *name, const char *file,
		       const char *old);
