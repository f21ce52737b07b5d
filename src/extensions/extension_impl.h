/* What the files of this module share; nobody else includes it. */
#pragma once

#include "extensions/extension.h"

/* The directory that holds them all; NULL without a home. */
const char *extensions_root(struct arena *a, const struct extension_options *o);
/* A file that holds a JSON object.  -E_NOTFOUND when there is none. */
int extension_json(struct arena *a, const char *path, const struct json **ret_v, struct err *err);
