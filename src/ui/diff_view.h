/* A unified diff for people: line numbers, colours, a note for what is left out.  Pure. */
#pragma once

#include "base/buf.h"

/*
 * At most `rows` rows, with what is hidden said in the last; returns how many lines are.  Long
 * lines are wrapped, and nothing in them is dropped.
 */
size_t diff_view(struct str unified, size_t columns, size_t rows, bool color, struct buf *out);
