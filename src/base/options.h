/*
 * Command-line options from a table: parsing, "did you mean" and help all read the same rows.
 *
 *	struct run_args { const char *tool; bool json; };
 *	static const struct opt opts[] = {
 *		{ "tool", 0, "NAME", OPT_STR, offsetof(struct run_args, tool), "its name" },
 *		{ "json", 0, NULL, OPT_FLAG, offsetof(struct run_args, json), "print JSON" },
 *	};
 *
 * --name value, --name=value, -n value, -nvalue; -- ends the options; options may be anywhere.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

enum opt_kind {
	OPT_FLAG /* bool */,
	OPT_STR /* const char * */,
	OPT_INT /* int64_t */,
	OPT_LIST /* struct opt_list: may be given several times */
};

enum { OPT_LIST_MAX = 64 };

struct opt_list {
	const char *p[OPT_LIST_MAX];
	size_t n;
};

struct opt {
	const char *name;
	char letter; /* 0 = none */
	const char *arg; /* name of the value in help; NULL for flags */
	enum opt_kind kind;
	size_t offset; /* in the struct that is filled */
	const char *text;
};

/*
 * Fills *into; the other arguments stay in argv, in order, from index 0; *ret_n is how many.
 * -E_INVAL with a sentence for what is wrong.
 */
int opt_parse(const struct opt *opts, size_t n, void *into, int argc, char **argv, int *ret_n,
	      struct err *err);
/*
 * The same for a command that is followed by another one: behind so many words that are no options
 * everything stays as it is.
 */
int opt_parse_until(const struct opt *opts, size_t n, void *into, int words, int argc, char **argv,
		    int *ret_n, struct err *err);
/* One line an option, aligned, wrapped at `columns`. */
void opt_help(struct buf *out, const struct opt *opts, size_t n, size_t columns);
