/*
 * The one reader of shell text.
 *
 *	struct sh_script s;
 *	sh_read(&s, &arena, text);		words, expansions, lists, compound commands
 *	sh_visit(s, ...)			every node and every piece of a word
 *	sh_value(...)				what a word is when its variables are known
 *	sh_calls (shell/calls.h)		every program that would be started
 *
 * It reads bash's grammar, of which sh's is a part, and keeps the byte positions of everything.
 * What bash refuses has .error; what shells (or versions of one) read differently is .dubious: a
 * guard must not believe the reading of either.  Text is bounded by SH_TEXT_MAX, nesting by
 * SH_DEPTH_MAX, work by the length of the text.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"

enum { SH_TEXT_MAX = 256 << 10, SH_DEPTH_MAX = 160, SH_HEREDOCS_MAX = 64 };

/* How a piece of a word is quoted. */
enum sh_quote { SH_BARE, SH_ESCAPED, SH_SINGLE, SH_DOUBLE, SH_ANSI };

enum sh_piece_kind {
	SH_TEXT, /* means .text */
	SH_VARIABLE, /* $x, ${x...} */
	SH_COMMAND, /* $(...), `...` */
	SH_PROCESS, /* <(...), >(...) */
	SH_ARITH, /* $((...)), $[...] */
	SH_GLOB, /* an unquoted *, ? or [ */
	SH_BRACE, /* an unquoted { that may begin {a,b} */
	SH_TILDE, /* ~ or ~user */
};

struct sh_piece {
	enum sh_piece_kind kind;
	enum sh_quote quote; /* SH_DOUBLE inside of "..." and of here-documents */
	size_t at, end; /* in the script's text, a backslash or $ included, quotes not */
	struct str text; /* without quotes; of a variable its name; else as it is written */
	/* Of a variable. */
	bool braces, indirect, length;
	unsigned subscript; /* so long, brackets included; behind .text */
	const struct sh_word *index; /* of a subscript with expansions, else NULL */
	struct str op; /* "", ":-", "%%", ... */
	const struct sh_word *operand; /* also of arithmetic */
	const struct sh_script *script; /* of SH_COMMAND and SH_PROCESS */
};

struct sh_word {
	const struct sh_piece *p;
	size_t n, at, end;
	bool quoted; /* any part of it */
};

struct sh_assign {
	struct str name;
	struct sh_word index; /* of NAME[...]=value: all in front of the "]" */
	struct sh_word value; /* .n 0 for an array */
	const struct sh_word *items; /* NAME=(...) */
	size_t nitems;
	bool append, subscript, array;
};

struct sh_redirect {
	size_t at, end;
	struct str fd; /* "", digits, "{name}" */
	struct str op; /* "<", ">>", "<<", "<<<", "&>", ... */
	struct sh_word target; /* of a here-document its delimiter */
	struct sh_word body; /* of a here-document */
	bool literal, tabs; /* the delimiter is quoted; <<- */
};

enum sh_node_kind {
	SH_SIMPLE,
	SH_SUBSHELL, /* ( ) */
	SH_GROUP, /* { } */
	SH_IF, /* bodies: condition, then, condition, then, ... [else] */
	SH_WHILE, /* and until: condition, body */
	SH_FOR, /* and select: .words are what it goes over */
	SH_CASE, /* .words: the subject, all patterns; a body each branch */
	SH_FUNCTION,
	SH_TEST, /* [[ ]] */
	SH_LET, /* (( )), for (( )): one word */
	SH_COPROC,
};

/* What is between a node and the next one. */
enum sh_op { SH_END, SH_THEN, SH_BACKGROUND, SH_AND, SH_OR, SH_PIPE };

struct sh_node {
	enum sh_node_kind kind;
	size_t at, end;
	const struct sh_node *next;
	enum sh_op op;
	bool negated, timed;
	struct str name; /* of a function; the variable of a loop */
	const struct sh_assign *assigns;
	const struct sh_assign *arrays; /* that `declare` and its kin set; "NAME=" is a word, too */
	const struct sh_word *words;
	const struct sh_redirect *redirects;
	const struct sh_node *const *bodies; /* NULL for an empty one */
	unsigned nassigns, narrays, nwords, nredirects, nbodies;
};

struct sh_script {
	struct str text; /* what positions are about */
	const struct sh_node *first;
	bool copied; /* inside of `...` with escapes: .text is not part of the outer text */
	const char *error; /* NULL, or what is wrong at .error_at; nodes before it are there */
	size_t error_at;
	bool limit; /* the error is a bound of this reader: the text may be right */
	bool dubious;
};

/* False when there is an error. */
bool sh_read(struct sh_script *ret, struct arena *a, struct str text);

/* Called for everything in the order of the text; either may be NULL. */
struct sh_visitor {
	void (*node)(void *data, const struct sh_script *s, const struct sh_node *n);
	/* nested: how many substitutions, operands and here-documents it is in */
	void (*piece)(void *data, const struct sh_script *s, const struct sh_piece *p,
		      unsigned nested);
	void *data;
};

void sh_visit(const struct sh_script *s, const struct sh_visitor *v);
/* Does it run commands inside of its words?  Unclear text counts when it looks like that. */
bool sh_substitutes(struct str text);

/* ---- values ---- */

enum sh_known { SH_UNKNOWN, SH_UNSET, SH_KNOWN };

/* What is known where a word is.  Either function may be NULL. */
struct sh_values {
	enum sh_known (*variable)(void *data, struct str name, struct str *ret);
	/* The output of a substitution without its last line end; false = not known. */
	bool (*command)(void *data, const struct sh_script *s, struct str *ret);
	void *data;
	bool split; /* a value may be split: unquoted, one with blanks or globs is not known */
};

/*
 * The word without quotes.  True when that is what a program gets; else *ret leaves out what is
 * not known.
 */
bool sh_value(struct arena *a, const struct sh_word *w, const struct sh_values *v, struct str *ret);
/* The text as one word for any shell, in single quotes. */
void sh_quote(struct buf *out, struct str s);
/* A character that means itself wherever it is in a word. */
bool sh_is_plain(char c);
bool sh_is_name(struct str s);
/* Builtins and keywords, for which no program is started. */
bool sh_is_builtin(struct str name);
