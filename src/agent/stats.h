/* Counters of a session, as `-o json` and stream-json report them (host.md E5, E6). */
#pragma once

#include "base/json.h"

struct model_stats {
	char *model;
	int requests, errors;
	double latency_ms;
	int64_t prompt, candidates, total, cached, thoughts, tool;
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
struct tool_stats *stats_tool(struct stats *s, const char *name);
/* Adds a usageMetadata object. */
void stats_usage(struct stats *s, const char *model, const struct json *usage);
/* "stats" of E5, and "stats" of E6's result. */
void stats_write(const struct stats *s, struct jw *w);
void stats_write_short(const struct stats *s, struct jw *w);
void stats_done(struct stats *s);
