/* Shared libraries that are loaded when they are needed, and not by every start. */
#pragma once

#include "base/err.h"

struct library {
	const char *name, *file, *package; /* "libcurl", "libcurl.so.4", Debian's "libcurl4" */
	const struct library_function {
		const char *name;
		size_t at; /* of its pointer in *into */
	} * functions;
	size_t n;
	void *into;
};

/*
 * Loads the library and fills in its functions; -E_NOTFOUND where it is not there, or lacks one.
 * It is never unloaded.  The caller sees to it that this happens once.
 */
int library_load(const struct library *lib, struct err *err);
