/* Metrics: values are put together by name and attributes, and written as one record at the end. */
#include "base/vec.h"
#include "os/clock.h"
#include "telemetry/telemetry_impl.h"

/* As OpenTelemetry: what is beyond is put together in one point, so that memory has a limit. */
enum { POINTS_MAX = 2000 };

/* Numbers of OpenTelemetry's enumerations. */
enum {
	TEMPORALITY_CUMULATIVE = 1,
	POINT_HISTOGRAM = 0,
	POINT_SUM = 3,
	VALUE_INT = 0,
	VALUE_DOUBLE = 1
};

static const double boundaries[BOUNDARIES] = { 0,   5,   10,   25,   50,   75,   100,  250,
					       500, 750, 1000, 2500, 5000, 7500, 10000 };

static const struct {
	const char *name, *description;
} known[] = {
	{ "gemini_cli.session.count", "Sessions begun." },
	{ "gemini_cli.hook_call.count", "Hooks run, by event, name and success." },
	{ "gemini_cli.hook_call.latency", "How long hooks took, in milliseconds." },
	{ "gemini_cli.tool.call.count", "Tool calls, by tool, success and decision." },
	{ "gemini_cli.tool.call.latency", "How long tool calls took, in milliseconds." },
	{ "gemini_cli.api.request.count", "Requests to the model, by model and status." },
	{ "gemini_cli.api.request.latency", "How long requests took, in milliseconds." },
	{ "gemini_cli.token.usage", "Tokens, by model and kind." },
	{ "gemini_cli.file.operation.count", "Files created, read and updated." },
	{ "gemini_cli.lines.changed", "Lines added and removed by tools." },
	{ "gemini_cli.agent.run.count", "Sub-agents run, by name and why they ended." },
	{ "gemini_cli.agent.duration", "How long sub-agents took, in milliseconds." },
	{ "gemini_cli.agent.turns", "Requests that sub-agents made to the model." },
	{ "gemini_cli.chat_compression", "Compressions of the conversation." },
	{ "gemini_cli.model_routing.latency", "How long choosing a model took." },
	{ "gemini_cli.startup.duration", "How long the start took, in milliseconds." },
	{ "gen_ai.client.operation.duration", "How long operations of the model took." },
	{ "gen_ai.client.token.usage", "Tokens of operations of the model." },
};

static int by_key(const void *a, const void *b)
{
	const struct json_member *const *x = a, *const *y = b;

	return str_cmp((*x)->key, (*y)->key);
}

static struct point *find_point(struct metric *m, const struct sample *s)
{
	size_t n = json_is(s->attributes, J_OBJ) ? s->attributes->n : 0;
	AUTO(free) const struct json_member **sorted = xcalloc(n + 1, sizeof *sorted);
	AUTO(buf_done) struct buf text = { 0 };
	struct jw w = { .out = &text };
	struct point *p;
	uint64_t hash;

	/* The attributes as text that is equal for equal sets. */
	for (size_t i = 0; i < n; i++)
		sorted[i] = &s->attributes->members[i];
	qsort(sorted, n, sizeof *sorted, by_key);
	jw_obj(&w);
	jw_key(&w, "session.id");
	clean_put_str(&w, str_from(s->session_id));
	for (size_t i = 0; i < n; i++) {
		jw_keys(&w, sorted[i]->key);
		clean_put(&w, &sorted[i]->v);
	}
	jw_end(&w);
	for (bool full = false;; full = true) {
		hash = str_hash(STR_HASH, buf_str(&text));
		for (size_t i = 0; i < m->n; i++)
			if (m->p[i].hash == hash && str_eqz(buf_str(&text), m->p[i].attributes))
				return &m->p[i];
		if (full || m->n < POINTS_MAX - 1)
			break;
		buf_clear(&text);
		buf_addz(&text, "{\"otel.metric.overflow\":true}");
	}
	p = VEC_ADD(m);
	*p = (struct point){ .attributes = buf_take(&text), .hash = hash };
	return p;
}

void metrics_add(struct metrics *m, const struct sample *s)
{
	AUTO(free) char *name = record_name(s->metric);
	struct metric *metric;
	struct point *p;
	size_t bucket = 0, i = 0;

	while (i < m->n && (m->p[i].histogram != s->histogram || strcmp(m->p[i].name, name) != 0))
		i++;
	if (i == m->n)
		*VEC_ADD(m) = (struct metric){
			.name = MOVE(name),
			.unit = xstrdup(s->unit ? s->unit : ""),
			.histogram = s->histogram,
		};
	metric = &m->p[i];
	p = find_point(metric, s);

	while (bucket < BOUNDARIES && s->value > boundaries[bucket])
		bucket++;
	p->buckets[bucket]++;
	p->min = p->count == 0 || s->value < p->min ? s->value : p->min;
	p->max = p->count == 0 || s->value > p->max ? s->value : p->max;
	p->sum += s->value;
	p->count++;
	metric->fraction |= s->value < -1e15 || s->value > 1e15 ||
			    (double)(int64_t)s->value < s->value ||
			    (double)(int64_t)s->value > s->value;
}

static void put_point(struct jw *w, const struct metric *m, const struct point *p,
		      const int64_t times[2])
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *attributes = NULL;

	/* Read again, because in the record it is indented. */
	(void)json_parse(&a, str_from(p->attributes), 0, &attributes, NULL);
	jw_obj(w);
	jw_key(w, "attributes");
	jw_json(w, attributes);
	jw_key(w, "startTime");
	record_put_time(w, times[0]);
	jw_key(w, "endTime");
	record_put_time(w, times[1]);
	jw_key(w, "value");
	if (!m->histogram) {
		jw_num(w, p->sum);
		jw_end(w);
		return;
	}
	jw_obj(w);
	jw_key(w, "min");
	jw_num(w, p->min);
	jw_key(w, "max");
	jw_num(w, p->max);
	jw_key(w, "sum");
	jw_num(w, p->sum);
	jw_key(w, "buckets");
	jw_obj(w);
	jw_key(w, "boundaries");
	jw_arr(w);
	for (size_t i = 0; i < BOUNDARIES; i++)
		jw_num(w, boundaries[i]);
	jw_end(w);
	jw_key(w, "counts");
	jw_arr(w);
	for (size_t i = 0; i < BUCKETS; i++)
		jw_int(w, (int64_t)p->buckets[i]);
	jw_end(w);
	jw_end(w);
	jw_kv_int(w, "count", (int64_t)p->count);
	jw_end(w);
	jw_end(w);
}

static void put_metric(struct jw *w, const struct metric *m, const int64_t times[2])
{
	const char *description = "";

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (strcmp(known[i].name, m->name) == 0)
			description = known[i].description;
	jw_obj(w);
	jw_key(w, "descriptor");
	jw_obj(w);
	jw_kv_z(w, "name", m->name);
	jw_kv_z(w, "type", m->histogram ? "HISTOGRAM" : "COUNTER");
	jw_kv_z(w, "description", description);
	jw_kv_z(w, "unit", m->unit);
	jw_kv_int(w, "valueType", m->fraction ? VALUE_DOUBLE : VALUE_INT);
	jw_key(w, "advice");
	jw_obj(w);
	jw_end(w);
	jw_end(w);
	jw_kv_int(w, "aggregationTemporality", TEMPORALITY_CUMULATIVE);
	jw_kv_int(w, "dataPointType", m->histogram ? POINT_HISTOGRAM : POINT_SUM);
	jw_key(w, "dataPoints");
	jw_arr(w);
	for (size_t i = 0; i < m->n; i++)
		put_point(w, m, &m->p[i], times);
	jw_end(w);
	if (!m->histogram)
		jw_kv_bool(w, "isMonotonic", true);
	jw_end(w);
}

void metrics_write(const struct metrics *m, struct buf *out, const struct telemetry *t)
{
	const int64_t times[2] = { t->start_ms, clock_wall_ms() };
	struct jw w = { .out = out, .pretty = true };

	jw_obj(&w);
	record_put_resource(&w, t->session_id);
	jw_key(&w, "scopeMetrics");
	jw_arr(&w);
	jw_obj(&w);
	jw_key(&w, "scope");
	jw_obj(&w);
	jw_kv_z(&w, "name", "gemini-cli");
	jw_kv_z(&w, "version", TL_VERSION);
	jw_end(&w);
	jw_key(&w, "metrics");
	jw_arr(&w);
	for (size_t i = 0; i < m->n; i++)
		put_metric(&w, &m->p[i], times);
	jw_end(&w);
	jw_end(&w);
	jw_end(&w);
	jw_end(&w);
	buf_addc(out, '\n');
}

void metrics_done(struct metrics *m)
{
	for (size_t i = 0; i < m->n; i++) {
		for (size_t k = 0; k < m->p[i].n; k++)
			free(m->p[i].p[k].attributes);
		free(m->p[i].p);
		free(m->p[i].name);
		free(m->p[i].unit);
	}
	free(m->p);
	*m = (struct metrics){ 0 };
}
