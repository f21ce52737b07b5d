/* Which files hold secrets, by their paths: one table for the judge of commands and for tools. */
#pragma once

#include "base/str.h"

/*
 * Does what is at the absolute path hold secrets: a file (~/.netrc, .env, id_ed25519) or a
 * directory of such (~/.ssh)?  home is the user's; "" when it is not known.  What is in the homes
 * of others counts as well.  "." and doubled slashes mean nothing.  Of "..", which leads where only
 * the file system knows, the strict reading wins: what is behind it counts as if it stood at home.
 */
bool secret_path(struct str path, struct str home);
