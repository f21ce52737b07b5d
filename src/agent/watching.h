/* The files that a session watches for its hooks; only the session includes it. */
#pragma once

#include "base/vec.h"
#include "os/changes.h"

struct watching {
	struct changes *changes; /* NULL = nothing is watched */
	struct {
		char **p; /* absolute: what hooks asked for with watchPaths */
		size_t n, cap;
	} asked;
	struct {
		struct refused {
			char *path, *why;
		} * p;
		size_t n, cap;
	} refused; /* changes of the configuration that a hook did not let through */
};
