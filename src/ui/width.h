/*
 * Text on a terminal: how wide it is and where it may be broken.  By grapheme clusters of Unicode
 * (utf8proc), whatever the locale.  Text is valid UTF-8 without control characters (ui/clean.h).
 */
#pragma once

#include "base/str.h"

/* Columns that s takes; escape sequences of ours (CSI ... m) take none. */
size_t text_width(struct str s);
/* The longest beginning of s that takes at most `columns`, whole clusters only. */
struct str text_fit(struct str s, size_t columns);
/* The first cluster of s; empty when s is. */
struct str text_cluster(struct str s);
