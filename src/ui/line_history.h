/*
 * The file of what was typed in all sessions: an input a line, with \n and \\ for line ends and
 * backslashes.  Programs that run at once add whole lines under a lock; reading may shorten it.
 * A history that cannot be read or written is no reason to stop anybody.
 */
#pragma once

#include "base/util.h"

enum { HISTORY_ENTRY_MAX = 64 << 10, HISTORY_FILE_MAX = 8 << 20 };

/* Into readline's list, the newest `max` ones. */
void line_history_load(const char *path, size_t max);
void line_history_append(const char *path, const char *text);
/* Not blank, and not what was typed last. */
bool line_history_wants(const char *text);
