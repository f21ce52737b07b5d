/* What the files of this module share; nobody else includes it. */
#pragma once

#include "extensions/extension.h"

/* A file that holds a JSON object.  -E_NOTFOUND when there is none. */
int extension_json(struct arena *a, const char *path, const struct json **ret_v, struct err *err);
