/* The rules of one directory's ignore files, as git reads them. */
#pragma once

#include "base/arena.h"

struct ignore_rule;

struct ignore {
	struct arena arena;
	struct ignore_rule *rules, **last; /* in the order of the file */
};

enum ignore_verdict { IGNORE_UNSAID, IGNORE_YES, IGNORE_NO };

/* Adds the rules of a file's text; all-zero is an empty set. */
void ignore_add(struct ignore *ig, struct str text);
/* Reads the file (relative to dir_fd) when there is one: no link, regular, of a sane size. */
void ignore_load(struct ignore *ig, int dir_fd, const char *name);
/* What the last rule that fits says; path is relative to the rules' directory. */
enum ignore_verdict ignore_check(const struct ignore *ig, struct str path, bool is_dir);
void ignore_done(struct ignore *ig);
