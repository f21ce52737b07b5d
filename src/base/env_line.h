/* Lines of .env files. */
#pragma once

#include "base/buf.h"

/* The value of one line, "NAME=value" with export, quotes and comments as usual; false when it is
 * none. */
bool env_line(struct str line, struct str *ret_name, struct buf *ret_value);
