/*
 * ripgrep as a sieve: which of many files can have a match at all.  What is found in them is for
 * grep.c to say, so that results are the same with and without it.
 */
#pragma once

#include "base/buf.h"
#include "base/cancel.h"

struct ripgrep {
	char *program; /* NULL = do not use it */
	const char *const *env;
	const char *dir; /* names are relative to it */
	struct buf pattern; /* in its dialect */
	bool icase;
};

/*
 * Looks for the program on the PATH of env and translates the JavaScript pattern; leaves .program
 * NULL when there is none or its dialect cannot say the same.
 */
void ripgrep_init(struct ripgrep *rg, const char *const *env, const char *dir, struct str pattern,
		  bool icase);
void ripgrep_done(struct ripgrep *rg);
/* How many of the names fit one call. */
size_t ripgrep_batch(char *const *names, size_t n);
/* (waits) Clears maybe[i] for every file that has no match; may leave too many. */
void ripgrep_sieve(struct ripgrep *rg, char *const *names, size_t n, bool *maybe,
		   struct cancel *cancel);

DEFINE_AUTO(struct ripgrep, ripgrep_done)
