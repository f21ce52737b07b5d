#include "agent/repeat.h"

enum {
	TAIL_BYTES = 4096,
	LOOK_EVERY = 512,
	PERIOD_MIN = 20, /* shorter ones are rules and tables */
	PERIOD_MAX = 320,
	TIMES = 12,
	LETTERS_MIN = 6, /* different bytes in a period */
};

static bool is_varied(const char *p, size_t n)
{
	bool seen[256] = { false };
	int different = 0;

	for (size_t i = 0; i < n; i++) {
		different += !seen[(unsigned char)p[i]];
		seen[(unsigned char)p[i]] = true;
	}
	return different >= LETTERS_MIN;
}

bool repeat_text(struct repeat *r, struct str more)
{
	buf_adds(&r->tail, more);
	r->since += more.n;
	if (r->tail.n > 2 * (size_t)TAIL_BYTES)
		buf_drop(&r->tail, r->tail.n - TAIL_BYTES);
	if (r->since < LOOK_EVERY)
		return false;
	r->since = 0;
	for (size_t period = PERIOD_MIN; period <= PERIOD_MAX; period++) {
		struct str s = buf_str(&r->tail);
		size_t n = period * (TIMES - 1);

		/* Does the text end with TIMES copies of something that long? */
		if (s.n >= n + period && memcmp(s.p + s.n - n, s.p + s.n - n - period, n) == 0 &&
		    is_varied(s.p + s.n - period, period))
			return true;
	}
	return false;
}

void repeat_done(struct repeat *r)
{
	buf_done(&r->tail);
}

static uint64_t nth_last(const struct repeat_calls *r, size_t back)
{
	return r->last[(r->n - 1 - back) % ARRAY_LEN(r->last)];
}

bool repeat_call(struct repeat_calls *r, struct str name, const struct json *args)
{
	AUTO(buf_done) struct buf text = { 0 };
	uint64_t hash;

	(void)json_write(&text, args, JSON_COMPACT);
	hash = str_hash(str_hash(STR_HASH, name), buf_str(&text));
	r->last[r->n++ % ARRAY_LEN(r->last)] = hash;
	for (size_t length = 1; length <= REPEAT_CYCLE_MAX; length++) {
		size_t needed = length * REPEAT_CALLS_MAX, back = 0;

		if (r->n < needed)
			return false;
		while (back + length < needed && nth_last(r, back) == nth_last(r, back + length))
			back++;
		if (back + length == needed)
			return true;
	}
	return false;
}
