/*
 * Marketplaces of Claude Code: .claude-plugin/marketplace.json lists plugins and where each one is.
 * The file is somebody else's; what is wrong with an entry is said by that entry.
 */
#pragma once

#include "base/json.h"

enum { MARKETPLACE_PLUGINS_MAX = 2000 };

struct marketplace_plugin {
	const char *name, *description;
	const struct json *entry; /* as it is written, an object */
	/* Where it is: a directory of the marketplace, else a repository. */
	const char *dir; /* absolute; NULL = in a repository */
	const char *url, *ref, *below; /* ref, below (a directory in it): NULL = none */
	const char *problem; /* why it cannot be installed; NULL = it can */
};

struct marketplace {
	const char *name, *dir; /* dir: real */
	struct marketplace_plugin *p; /* in their order */
	size_t n;
};

/* -E_NOTFOUND when the directory has none; in the arena. */
int marketplace_read(struct arena *a, const char *dir, struct marketplace *ret_m, struct err *err);
/* NULL when there is none of this name. */
const struct marketplace_plugin *marketplace_find(const struct marketplace *m, const char *name);
/* The one whose files are in this directory (real), or NULL. */
const struct marketplace_plugin *marketplace_at(const struct marketplace *m, const char *dir);
