/* A unified diff for people: line numbers, colours, a note for what is left out.  Pure. */
#pragma once

#include "base/buf.h"

/* At most `rows` lines; with what is hidden said in the last. */
void diff_view(struct str unified, size_t columns, size_t rows, bool color, struct buf *out);
