/*
 * "sandbox" in settings (C6.12): of a hook, of an MCP server, of the agent's shell.  What is left
 * out or wrong allows nothing.
 */
#pragma once

#include "base/object.h"
#include "os/sandbox.h"

struct sandbox_rules {
	struct sandbox may; /* what a process gets */
	const char *const *env; /* names of variables, "AWS_*" too; NULL = all */
	const char *text; /* as configured, in one line of JSON */
};

struct sandbox_source {
	struct arena *arena;
	const char *project, *home; /* absolute; of relative paths and of ~ */
	/* The value of a variable in a path, or NULL; $PROJECT is known here. */
	const char *(*variable)(const void *data, struct str name);
	/* As of struct object_reader; paths begin with "sandbox.". */
	void (*odd)(void *data, const struct object_odd *odd);
	void *data;
};

/* The JSON schema of its members, as text. */
#define SANDBOX_SCHEMA                                                                             \
	"{\"read\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, "                    \
	"\"write\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}, "                    \
	"\"network\": {\"type\": \"boolean\"}, "                                                   \
	"\"env\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}}}"

/* False when something in it is wrong, which was said: then it is not to be used. */
bool sandbox_rules_read(const struct sandbox_source *from, const struct json *v,
			struct sandbox_rules *ret_rules);
/*
 * Of the member "sandbox" of an object with others, however it is misspelt: 1, 0 when there is none,
 * -1 as false above.  Paths of what is odd begin with "sandbox".
 */
int sandbox_rules_of(const struct sandbox_source *from, const struct json *object,
		     struct sandbox_rules *ret_rules);
/* Reads the project, unless a home directory is in it; writes nothing, no network. */
void sandbox_rules_default(const struct sandbox_source *from, struct sandbox_rules *ret_rules);
/* Does its process get this variable ("NAME=value")?  Rules may be NULL. */
bool sandbox_keeps(const struct sandbox_rules *rules, const char *entry);
/* The same list without what it does not get. */
const char *const *sandbox_env(struct arena *a, const struct sandbox_rules *rules,
			       const char *const *env);
/* "reads /home/u/p, writes nothing, no network": for people.  Paths in home begin with ~. */
const char *sandbox_words(struct arena *a, const struct sandbox *may, const char *home);
/* Adds paths to those that may be read, unless they lie in what is open. */
void sandbox_add_read(struct arena *a, struct sandbox *may, const char *const *paths, size_t n);
