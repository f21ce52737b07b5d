/* Files for a moment: private, in the directory for temporary files. */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Writes the bytes into a new file (0600) in a new directory (0700); its name ends with `name`.
 * *ret_path: free(). */
int temp_write(struct str name, struct str bytes, char **ret_path, struct err *err);
/* Removes the file and its directory. */
void temp_remove(const char *path);
