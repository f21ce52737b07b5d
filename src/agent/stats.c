#include "agent/stats.h"

#include "base/vec.h"
#include "os/clock.h"

void stats_start(struct stats *s)
{
	*s = (struct stats){ .start_us = clock_us() };
}

struct model_stats *stats_model(struct stats *s, const char *model)
{
	for (size_t i = 0; i < s->nmodels; i++)
		if (strcmp(s->models[i].model, model) == 0)
			return &s->models[i];
	VEC_ROOM(s->models, s->nmodels, s->models_cap);
	s->models[s->nmodels] = (struct model_stats){ .model = xstrdup(model) };
	return &s->models[s->nmodels++];
}

struct tool_stats *stats_tool(struct stats *s, const char *name)
{
	for (size_t i = 0; i < s->ntools; i++)
		if (strcmp(s->tools[i].name, name) == 0)
			return &s->tools[i];
	VEC_ROOM(s->tools, s->ntools, s->tools_cap);
	s->tools[s->ntools] = (struct tool_stats){ .name = xstrdup(name) };
	return &s->tools[s->ntools++];
}

static int64_t count(const struct json *usage, const char *key)
{
	return json_int(json_getz(usage, key), 0);
}

static void add_request(struct api_stats *to, double ms, bool failed, const struct json *usage)
{
	to->requests++;
	to->errors += failed;
	to->latency_ms += ms;
	to->prompt += count(usage, "promptTokenCount");
	to->candidates += count(usage, "candidatesTokenCount");
	to->total += count(usage, "totalTokenCount");
	to->cached += count(usage, "cachedContentTokenCount");
	to->thoughts += count(usage, "thoughtsTokenCount");
	to->tool += count(usage, "toolUsePromptTokenCount");
}

void stats_request(struct stats *s, const char *model, const char *role, double ms, bool failed,
		   const struct json *usage)
{
	struct model_stats *m = stats_model(s, model);
	size_t i = 0;

	while (i < m->nroles && strcmp(m->roles[i].role, role) != 0)
		i++;
	if (i == ROLES_MAX)
		BUG();
	if (i == m->nroles)
		m->roles[m->nroles++].role = role;
	add_request(&m->all, ms, failed, usage);
	add_request(&m->roles[i].of, ms, failed, usage);
}

static void write_tokens(const struct api_stats *m, struct jw *w)
{
	jw_key(w, "tokens");
	jw_obj(w);
	jw_kv_int(w, "input", m->prompt - m->cached);
	jw_kv_int(w, "prompt", m->prompt);
	jw_kv_int(w, "candidates", m->candidates);
	jw_kv_int(w, "total", m->total);
	jw_kv_int(w, "cached", m->cached);
	jw_kv_int(w, "thoughts", m->thoughts);
	jw_kv_int(w, "tool", m->tool);
	jw_end(w);
}

static void write_requests(const struct api_stats *m, struct jw *w)
{
	jw_kv_int(w, "totalRequests", m->requests);
	jw_kv_int(w, "totalErrors", m->errors);
	jw_kv_int(w, "totalLatencyMs", (int64_t)m->latency_ms);
}

static void write_model(const struct model_stats *m, struct jw *w)
{
	jw_key(w, m->model);
	jw_obj(w);
	jw_key(w, "api");
	jw_obj(w);
	write_requests(&m->all, w);
	jw_key(w, "errorsByType");
	jw_obj(w);
	jw_end(w);
	jw_end(w);
	write_tokens(&m->all, w);
	jw_key(w, "roles");
	jw_obj(w);
	for (size_t i = 0; i < m->nroles; i++) {
		jw_key(w, m->roles[i].role);
		jw_obj(w);
		write_requests(&m->roles[i].of, w);
		write_tokens(&m->roles[i].of, w);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}

static void write_decisions(const struct tool_stats *t, struct jw *w, const char *key)
{
	jw_key(w, key);
	jw_obj(w);
	jw_kv_int(w, "accept", t->accept);
	jw_kv_int(w, "reject", t->reject);
	jw_kv_int(w, "modify", t->modify);
	jw_kv_int(w, "auto_accept", t->auto_accept);
	jw_end(w);
}

static struct tool_stats tools_sum(const struct stats *s)
{
	struct tool_stats sum = { 0 };

	for (size_t i = 0; i < s->ntools; i++) {
		const struct tool_stats *t = &s->tools[i];

		sum.calls += t->calls;
		sum.ok += t->ok;
		sum.failed += t->failed;
		sum.ms += t->ms;
		sum.accept += t->accept;
		sum.reject += t->reject;
		sum.modify += t->modify;
		sum.auto_accept += t->auto_accept;
	}
	return sum;
}

void stats_write(const struct stats *s, struct jw *w)
{
	struct tool_stats sum;

	jw_obj(w);
	jw_key(w, "models");
	jw_obj(w);
	for (size_t i = 0; i < s->nmodels; i++)
		write_model(&s->models[i], w);
	jw_end(w);
	sum = tools_sum(s);
	jw_key(w, "tools");
	jw_obj(w);
	jw_kv_int(w, "totalCalls", sum.calls);
	jw_kv_int(w, "totalSuccess", sum.ok);
	jw_kv_int(w, "totalFail", sum.failed);
	jw_kv_int(w, "totalDurationMs", (int64_t)sum.ms);
	write_decisions(&sum, w, "totalDecisions");
	jw_key(w, "byName");
	jw_obj(w);
	for (size_t i = 0; i < s->ntools; i++) {
		const struct tool_stats *t = &s->tools[i];

		jw_key(w, t->name);
		jw_obj(w);
		jw_kv_int(w, "count", t->calls);
		jw_kv_int(w, "success", t->ok);
		jw_kv_int(w, "fail", t->failed);
		jw_kv_int(w, "durationMs", (int64_t)t->ms);
		write_decisions(t, w, "decisions");
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
	jw_key(w, "files");
	jw_obj(w);
	jw_kv_int(w, "totalLinesAdded", s->lines_added);
	jw_kv_int(w, "totalLinesRemoved", s->lines_removed);
	jw_end(w);
	jw_end(w);
}

static void write_short_tokens(const struct api_stats *m, struct jw *w)
{
	jw_kv_int(w, "total_tokens", m->total);
	jw_kv_int(w, "input_tokens", m->prompt);
	jw_kv_int(w, "output_tokens", m->candidates);
	jw_kv_int(w, "cached", m->cached);
	jw_kv_int(w, "input", m->prompt - m->cached);
}

void stats_write_short(const struct stats *s, struct jw *w)
{
	struct api_stats sum = { 0 };

	for (size_t i = 0; i < s->nmodels; i++) {
		const struct api_stats *m = &s->models[i].all;

		sum.total += m->total;
		sum.prompt += m->prompt;
		sum.candidates += m->candidates;
		sum.cached += m->cached;
	}
	jw_obj(w);
	write_short_tokens(&sum, w);
	jw_kv_int(w, "duration_ms", (clock_us() - s->start_us) / 1000);
	jw_kv_int(w, "tool_calls", tools_sum(s).calls);
	jw_key(w, "models");
	jw_obj(w);
	for (size_t i = 0; i < s->nmodels; i++) {
		jw_key(w, s->models[i].model);
		jw_obj(w);
		write_short_tokens(&s->models[i].all, w);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
}

void stats_done(struct stats *s)
{
	for (size_t i = 0; i < s->nmodels; i++)
		free(s->models[i].model);
	for (size_t i = 0; i < s->ntools; i++)
		free(s->tools[i].name);
	free(s->models);
	free(s->tools);
	*s = (struct stats){ 0 };
}
