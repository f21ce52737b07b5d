/*
 * A shell command as the policy sees it (host.md F6.8): every program that bash would start, also
 * inside of substitutions, compound commands and the arguments of programs that start others.
 *
 * A guard never fails open: what is not understood becomes a part with .unknown, which no rule
 * about a command's beginning allows and which every such rule that denies takes for its own.
 */
#pragma once

#include "base/arena.h"

struct shell_word {
	struct str text; /* without quotes */
	bool opaque; /* a variable, a substitution, a glob: the text is not what the program gets */
};

struct shell_part {
	const struct shell_word
		*words; /* the program and its arguments; assignments are left out */
	size_t n;
	struct str source; /* as it was written; "" for what another part starts */
	bool assigned; /* variables are set, for this program or by themselves */
	bool redirects; /* to or from a file other than /dev/null */
	bool more; /* further arguments are added when it runs */
	bool unknown; /* nothing is known about what is run here */
	unsigned depth;
};

enum { SHELL_PARTS_MAX = 256, SHELL_DEPTH_MAX = 16, SHELL_TEXT_MAX = 64 << 10 };

struct shell_split {
	struct arena *arena; /* set before; holds the words */
	struct shell_part *p;
	size_t n, cap;
	bool compound; /* more than one simple command stands there */
};

void shell_split(struct shell_split *s, struct str command);
void shell_split_done(struct shell_split *s);
/*
 * The beginning of a command, as rules and settings name it ("git log"), as words; false when it is
 * not the beginning of one simple command.
 */
bool shell_prefix(struct arena *a, struct str text, const struct shell_word **ret_words,
		  size_t *ret_n);
/* The last part of a path. */
struct str shell_file_name(struct str path);
/* The words joined by blanks. */
struct str shell_part_text(struct arena *a, const struct shell_part *part);
/* The programs of a command joined by ", ", for a question to the user (host.md B10). */
struct str shell_roots(struct arena *a, struct str command);

/* F6.9: one program that only reads, with arguments that keep it so. */
bool shell_is_safe(const struct shell_split *s);
/* F6.11: somebody should look at it, whatever allows it. */
bool shell_is_dangerous(const struct shell_part *part);

DEFINE_AUTO(struct shell_split, shell_split_done)
