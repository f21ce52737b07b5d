/* What the benchmarks share: the clock, medians, and the line that tools/bench reads. */
#pragma once

#include <ftw.h>
#include <stdio.h>
#include <time.h>

#include "base/util.h"

static inline double bench_now_us(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec * 1e6 + (double)t.tv_nsec / 1e3;
}

static inline int bench_by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

/* Sorts the values. */
static inline double bench_median(double *values, size_t n)
{
	qsort(values, n, sizeof *values, bench_by_value);
	return values[n / 2];
}

/* For what other programs disturb: the lower decile is near to what it costs alone. */
static inline double bench_quiet(double *values, size_t n)
{
	(void)bench_median(values, n);
	return values[n / 10];
}

static inline void bench_must(bool ok, const char *what)
{
	if (ok)
		return;
	perror(what);
	exit(1);
}

static inline int bench_remove_one(const char *path, const struct stat *st, int type,
				   struct FTW *at)
{
	(void)st;
	(void)type;
	(void)at;
	return remove(path);
}

/* A directory with all that is in it. */
static inline bool bench_remove(const char *dir)
{
	return nftw(dir, bench_remove_one, 16, FTW_DEPTH | FTW_PHYS) == 0;
}

static inline void bench_print(const char *name, const char *unit, double ours, const char *peer,
			       double theirs)
{
	(void)printf("{\"name\": \"%s\", \"unit\": \"%s\", \"ours\": %.3f, \"peer\": \"%s\", "
		     "\"theirs\": %.3f}\n",
		     name, unit, ours, peer, theirs);
	(void)fflush(stdout);
}

/* For what has no peer: a number of its own, such as bytes or calls. */
static inline void bench_print_alone(const char *name, const char *unit, double ours)
{
	(void)printf("{\"name\": \"%s\", \"unit\": \"%s\", \"ours\": %.3f}\n", name, unit, ours);
	(void)fflush(stdout);
}

/* Two ways to do a thing, in turn, each first in every other round. */
struct bench_pair {
	const char *name, *peer;
	void (*ours)(void *data), (*theirs)(void *data);
	void *our_data, *their_data;
	size_t rounds;
};

static inline double bench_timed(void (*run)(void *), void *data)
{
	double start = bench_now_us();

	run(data);
	return bench_now_us() - start;
}

static inline void bench_compare(const struct bench_pair *p)
{
	AUTO(free) double *ours = xcalloc(p->rounds, sizeof *ours);
	AUTO(free) double *theirs = xcalloc(p->rounds, sizeof *theirs);

	p->ours(p->our_data);
	p->theirs(p->their_data);
	for (size_t i = 0; i < p->rounds; i++) {
		if (i % 2 == 0)
			ours[i] = bench_timed(p->ours, p->our_data);
		theirs[i] = bench_timed(p->theirs, p->their_data);
		if (i % 2 != 0)
			ours[i] = bench_timed(p->ours, p->our_data);
	}
	bench_print(p->name, "us", bench_quiet(ours, p->rounds), p->peer,
		    bench_quiet(theirs, p->rounds));
}
