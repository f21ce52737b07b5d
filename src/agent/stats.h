/* Counters of a session, as `-o json` and stream-json report them. */
#pragma once

#include "base/json.h"

enum { ROLES_MAX = 6 };

/* What requests came to, and their tokens. */
struct api_stats {
	int requests, errors;
	double latency_ms;
	int64_t prompt, candidates, total, cached, thoughts, tool;
};

struct model_stats {
	char *model;
	struct api_stats all;
	struct {
		const char *role; /* "main", "utility_tool"...; static */
		struct api_stats of;
	} roles[ROLES_MAX];
	size_t nroles;
};

struct tool_stats {
	char *name;
	int calls, ok, failed;
	double ms;
	int accept, reject, modify, auto_accept;
};

struct stats {
	struct model_stats *models;
	size_t nmodels, models_cap;
	struct tool_stats *tools;
	size_t ntools, tools_cap;
	int lines_added, lines_removed;
	int64_t start_us;
};

/* The clock of duration_ms begins. */
void stats_start(struct stats *s);
struct model_stats *stats_model(struct stats *s, const char *model);
/* One request that is over; usage: its usageMetadata object or NULL. */
void stats_request(struct stats *s, const char *model, const char *role, double ms, bool failed,
		   const struct json *usage);
struct tool_stats *stats_tool(struct stats *s, const char *name);
/* "stats" of E5, and "stats" of E6's result. */
void stats_write(const struct stats *s, struct jw *w);
void stats_write_short(const struct stats *s, struct jw *w);
void stats_done(struct stats *s);
