/* What the files of telemetry share; no other file includes it. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "telemetry/telemetry.h"

/* Of OpenTelemetry: what a histogram's values are sorted into, and one for what is beyond. */
enum { BOUNDARIES = 15, BUCKETS = BOUNDARIES + 1 };

/* The values of one metric that came with equal attributes. */
struct point {
	char *attributes; /* JSON text, keys in order; what points are told apart by */
	uint64_t hash;
	double sum, min, max;
	uint64_t count, buckets[BUCKETS];
};

struct metric {
	char *name, *unit;
	bool histogram, fraction; /* a value was not whole */
	struct point *p;
	size_t n, cap;
};

struct metrics {
	struct metric *p;
	size_t n, cap;
};

struct telemetry {
	atomic_bool on;
	bool prompts, interactive;
	char *path, *installation_id, *auth_type;
	int64_t start_ms;
	void (*complain)(void *data, const char *text);
	void *data;
	pthread_mutex_t lock; /* for what follows */
	char *session_id;
	int fd;
	struct metrics metrics;
};

/* record.c: what the records of events and of metrics have in common. */

/* "gemini_cli." + name, or the name itself when it has a known prefix. */
char *record_name(const char *name);
/* [seconds, nanoseconds] */
void record_put_time(struct jw *w, int64_t ms);
void record_put_resource(struct jw *w, const char *session_id);

/* metrics.c; the caller holds the lock. */

struct sample {
	const char *metric, *unit;
	bool histogram;
	double value;
	const struct json *attributes;
	const char *session_id;
};

void metrics_add(struct metrics *m, const struct sample *s);
/* One record with every metric. */
void metrics_write(const struct metrics *m, struct buf *out, const struct telemetry *t);
void metrics_done(struct metrics *m);

/* clean.c: values without secrets. */

/* Secrets are replaced.  Of a string that holds JSON the strings inside are cleaned, so that it
 * stays JSON; all else of it keeps its bytes. */
void clean_put_str(struct jw *w, struct str s);
void clean_put(struct jw *w, const struct json *v);
