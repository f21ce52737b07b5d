/* What a line of Markdown can begin. */
#pragma once

#include "base/str.h"

enum line_kind {
	LINE_BLANK,
	LINE_TEXT,
	LINE_CODE, /* indented by four columns: code, or more of what is above */
	LINE_HEADING,
	LINE_UNDERLINE, /* --- or ===: makes a heading of the text above */
	LINE_RULE, /* --- is one, too, below what is no text */
	LINE_FENCE,
	LINE_QUOTE,
	LINE_ITEM,
};

struct line {
	enum line_kind kind;
	bool rule; /* LINE_UNDERLINE: as a rule, too */
	size_t indent; /* columns of white space */
	char mark; /* LINE_FENCE: ` or ~; LINE_ITEM: - * + . ) */
	size_t n; /* LINE_FENCE: length */
	struct str info; /* LINE_FENCE: the language, trimmed */
	unsigned number; /* LINE_ITEM with . ) */
	size_t content; /* LINE_ITEM: the column where its text begins */
	bool interrupts; /* LINE_ITEM: also in the midst of a paragraph */
};

struct line line_read(struct str s);
/* Does s end a block of code that `fence` began? */
bool line_ends_fence(struct str s, const struct line *fence);
