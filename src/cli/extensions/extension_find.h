/*
 * Which directory is the extension that somebody asked for: what a source is itself, or a plugin
 * that its marketplace lists.
 */
#pragma once

#include "cli/extensions/extension_source.h"
#include "extensions/marketplace.h"

/* Where it is, and what makes a plugin of it whose directory does not say so. */
struct found {
	const char *dir; /* absolute */
	const struct json *plugin; /* for the file of the installation; NULL = nothing to add */
	const char *marketplace; /* its name; NULL = it was not looked for in one */
	const struct marketplace_plugin *elsewhere; /* in this repository; NULL = it is in dir */
};

/*
 * In a directory, which messages call `given`; plugin: its name, NULL = whatever there is one of.
 * -E_NOTFOUND and -E_INVAL name those that there are.
 */
int found_in(struct arena *a, const char *dir, const char *plugin, const char *given,
	     struct found *ret_found, struct err *err);
/*
 * (waits) Makes the directory `to` with the files of that plugin or extension; `work` is a
 * directory for what is needed on the way.  ret_found->dir: as messages name it.
 */
int found_fetch(struct wb *wb, struct arena *a, const struct extension_source *s,
		const char *plugin, const char *work, const char *to, struct found *ret_found,
		struct err *err);
/* NAME@SOURCE: true when that is what it says, and not a path or an address. */
bool found_split(struct arena *a, const char *home, const char *text, const char **ret_plugin,
		 const char **ret_source);
