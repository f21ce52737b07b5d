/* The packs: policy files of packs/, which every program has in it. */
#pragma once

#include "base/str.h"

struct pack {
	const char *name, *path; /* "git", "packs/git.toml" */
	struct str text;
	struct str image; /* its rules: policy/image.h */
};

/* Sorted by name; made by tools/embed. */
extern const struct pack packs[];
extern const size_t packs_n;

/* What `trotline guard on` switches on without names; NULL-terminated. */
extern const char *const packs_default[];
const struct pack *pack_find(struct str name);
/* The name that is near enough to the word, or NULL. */
const char *pack_nearest(struct str word);
