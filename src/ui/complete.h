/* The list of completions below the line: what the owner offers, which one is chosen.  Pure. */
#pragma once

#include "base/buf.h"
#include "ui/screen_draw.h"

struct complete {
	struct buf text; /* replacement, tab, help; a line each */
	size_t n; /* how many; 0 = not shown */
	size_t at; /* the chosen one */
	bool moved; /* chosen with the arrows */
	size_t from; /* where in the line the word begins */
};

/* Where the word before the cursor begins: after a blank that no backslash is before. */
size_t complete_word(struct str line, size_t cursor);
/* While typing, commands and paths are offered without being asked for. */
bool complete_offers_itself(struct str line, size_t cursor);
void complete_close(struct complete *c);
/* c->text was filled. */
void complete_open(struct complete *c, size_t from);
void complete_move(struct complete *c, int step);
struct str complete_replacement(const struct complete *c, size_t i);
/* The word is one of those offered. */
bool complete_has(const struct complete *c, struct str word);
/* At most `rows` rows, the chosen one among them. */
void complete_draw(const struct complete *c, size_t columns, size_t rows, bool color,
		   struct frame *out);
