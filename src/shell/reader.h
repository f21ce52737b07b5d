/*
 * What the files of the reader share: reader.c has the characters, words.c the words, here.c
 * redirections and here-documents, condition.c [[ ]], read.c commands and lists.
 */
#pragma once

#include "base/vec.h"
#include "shell/shell.h"

/* What encloses a piece of a word. */
enum context {
	IN_WORD,
	IN_DOUBLE, /* "..." */
	IN_BRACES, /* ${x...} */
	IN_QUOTED_BRACES, /* "${x...}" */
	IN_ARITH, /* ((...)) */
	IN_BRACKETS, /* $[...] */
	IN_BODY, /* a here-document */
	IN_REGEX, /* [[ x =~ ... ]] */
};

/* Where a list of commands ends. */
enum {
	END_PAREN = 1,
	END_BRACE = 2,
	END_THEN = 4,
	END_ELSE = 8, /* elif, else, fi */
	END_FI = 16,
	END_DO = 32,
	END_DONE = 64,
	END_CASE = 128, /* ;; ;& ;;& esac */
};

struct pieces {
	struct sh_piece *p;
	size_t n, cap;
};

struct words {
	struct sh_word *p;
	size_t n, cap;
};

struct bodies {
	const struct sh_node **p;
	size_t n, cap;
};

struct redirects {
	struct sh_redirect **p;
	size_t n, cap;
};

struct reader {
	/* of read.c: the commands of a substitution */
	const struct sh_node *(*list)(struct reader *r, unsigned ends, bool needed);
	struct arena *a;
	struct str text;
	size_t at, end;
	unsigned depth;
	size_t steps; /* left */
	const char *error;
	size_t error_at;
	bool limit, dubious;
	struct sh_redirect *pending[SH_HEREDOCS_MAX]; /* here-documents of this line */
	size_t npending;
};

/* reader.c */

/* The first reason counts, and nothing more is read. */
void sh_fail(struct reader *r, const char *why);
/* The same where the text may be right. */
void sh_fail_limit(struct reader *r, const char *why);
/* So many steps of the work that the text may cost. */
void sh_spend(struct reader *r, size_t n);
/* One level deeper, which `r->depth--` ends; false when it is too deep. */
bool sh_enter(struct reader *r);

static inline size_t sh_skip_joins(const struct reader *r, size_t i)
{
	while (i + 1 < r->end && r->text.p[i] == '\\' && r->text.p[i + 1] == '\n')
		i += 2;
	return i;
}

/* The character so many ahead; NUL at the end. */
static inline char sh_peek(const struct reader *r, size_t ahead)
{
	size_t i = sh_skip_joins(r, r->at);

	while (ahead-- && i < r->end)
		i = sh_skip_joins(r, i + 1);
	return i < r->end ? r->text.p[i] : '\0';
}

static inline bool sh_is_meta(char c)
{
	return c == '\0' || strchr(" \t\n;&|()<>", c) != NULL;
}

static inline void sh_step(struct reader *r, size_t n)
{
	for (; n && r->at < r->end; n--) {
		size_t i = sh_skip_joins(r, r->at);

		/* Older shells do not join an operator that is cut in two. */
		if (i > r->at && r->at > 0 && strchr("$(<>;{`", r->text.p[r->at - 1]))
			r->dubious = true;
		r->at = min_size(i + 1, r->end);
		sh_spend(r, 1);
	}
}

/* Is this text here, joins aside? */
bool sh_at_text(const struct reader *r, const char *text);
/* The same, with the end of a word behind it. */
bool sh_at_word(const struct reader *r, const char *word);
/* How many characters of this kind there are, so many ahead. */
size_t sh_span(const struct reader *r, size_t ahead, bool (*is)(char c));
bool sh_take_word_if(struct reader *r, const char *word);
/* Blanks and a comment. */
void sh_skip_blanks(struct reader *r);

/* words.c */

/* Everything up to what ends the context, which stays. */
void sh_take_pieces(struct reader *r, struct pieces *v, enum context c);
/* False when there is none. */
bool sh_take_word(struct reader *r, struct sh_word *ret, enum context c);
/* These pieces as a word that began at `at`. */
struct sh_word sh_word_of(struct reader *r, const struct pieces *v, size_t at);
/* The text from `at` to here, as it is. */
void sh_add_raw(struct reader *r, struct pieces *v, enum sh_piece_kind kind, enum sh_quote quote,
		size_t at);
/* The words become the node's. */
void sh_set_words(struct reader *r, struct sh_node *n, const struct words *v);
/* Behind "((": the arithmetic up to "))"; NULL for commands in brackets, and nothing was taken. */
const struct sh_word *sh_try_arith(struct reader *r);

/* here.c */

/* Line ends, with the here-documents that begin behind them. */
void sh_skip_newlines(struct reader *r);
/* Takes this word, which may be on a later line, or the text cannot be read. */
void sh_expect(struct reader *r, const char *word, const char *why);
/* Is a redirection here: [digits or {name}] and an operator? */
bool sh_at_redirection(const struct reader *r, size_t *ret_fd);
void sh_take_redirection(struct reader *r, struct redirects *list, size_t nfd);

/* condition.c: what is between [[ and ]] */

void sh_take_test(struct reader *r, struct sh_node *n);
