/*
 * A stream is lines that end with CR, LF or CR LF.  A line that lies whole in one piece is read in
 * place; only what a piece leaves unfinished is collected.  The text of an event ends with one
 * newline too many until it is delivered, so that no data differs from empty data.
 */
#include "net/sse.h"

#define DEFAULT_MAX_BYTES ((size_t)64 << 20)
#define BYTE_ORDER_MARK "\xef\xbb\xbf"

static size_t max_bytes(const struct sse *s)
{
	return s->max_bytes ? s->max_bytes : DEFAULT_MAX_BYTES;
}

static void add_data(struct sse *s, struct str value)
{
	buf_adds(&s->text, value);
	buf_addc(&s->text, '\n');
}

static void set_event(struct sse *s, struct str value)
{
	buf_clear(&s->event);
	buf_adds(&s->event, value);
}

static void set_id(struct sse *s, struct str value)
{
	if (str_chr(value, '\0', 0) >= 0)
		return;
	buf_clear(&s->id);
	buf_adds(&s->id, value);
}

/* Digits only. */
static void set_retry(struct sse *s, struct str value)
{
	int64_t ms = 0;

	for (size_t i = 0; i < value.n; i++) {
		if (value.p[i] < '0' || value.p[i] > '9')
			return;
		ms = ms * 10 + (value.p[i] - '0');
		if (ms > SSE_RETRY_MAX_MS)
			ms = SSE_RETRY_MAX_MS;
	}
	if (!value.n)
		return;
	s->has_retry = true;
	s->retry_ms = (int)ms;
}

/* The length of the line, 0 of a comment. */
static size_t field_bytes(struct str line)
{
	return line.n && line.p[0] != ':' ? line.n : 0;
}

size_t sse_said(const struct sse *s)
{
	return s->fields + field_bytes(buf_str(&s->line));
}

bool sse_is_open(const struct sse *s)
{
	return s->line.n > 0;
}

static int end_line(struct sse *s, struct str line, struct err *err)
{
	static const struct {
		struct str name;
		void (*set)(struct sse *s, struct str value);
	} fields[] = {
		{ { "data", 4 }, add_data },
		{ { "event", 5 }, set_event },
		{ { "id", 2 }, set_id },
		{ { "retry", 5 }, set_retry },
	};
	int r = 0;

	if (!s->started && str_starts(line, STR(BYTE_ORDER_MARK)))
		line = str_sub(line, 3, line.n);
	s->started = true;
	if (line.n) {
		s->fields += field_bytes(line);
		ptrdiff_t colon = str_chr(line, ':', 0);
		struct str name = str_sub(line, 0, colon < 0 ? line.n : (size_t)colon);
		struct str value = str_sub(line, name.n + 1, line.n);

		if (str_starts(value, STR(" ")))
			value = str_sub(value, 1, value.n);
		for (size_t i = 0; i < ARRAY_LEN(fields); i++)
			if (str_eq(name, fields[i].name))
				fields[i].set(s, value);
		return 0;
	}
	if (s->text.n) {
		struct sse_event event = {
			.event = s->event.n ? buf_str(&s->event) : STR("message"),
			.data = str_sub(buf_str(&s->text), 0, s->text.n - 1),
			.id = buf_str(&s->id),
		};

		r = s->on_event(s->data, &event, err);
	}
	buf_clear(&s->text);
	buf_clear(&s->event);
	return r;
}

int sse_feed(struct sse *s, struct str bytes, struct err *err)
{
	while (bytes.n) {
		size_t n = 0, held = s->text.n + s->event.n, max = max_bytes(s);

		if (s->after_cr && bytes.p[0] == '\n') /* the second half of CR LF */
			bytes = str_sub(bytes, 1, bytes.n);
		s->after_cr = false;
		while (n < bytes.n && bytes.p[n] != '\n' && bytes.p[n] != '\r')
			n++;
		if (held > max || s->line.n + n > max - held)
			return err_set(err, E_LIMIT,
				       "an event of the stream is longer than %zu bytes", max);
		if (n == bytes.n) {
			buf_adds(&s->line, bytes);
			return 0;
		}
		/* Only a line that came in pieces is copied. */
		struct str line = str_sub(bytes, 0, n);
		if (s->line.n) {
			buf_adds(&s->line, line);
			line = buf_str(&s->line);
		}
		int r = end_line(s, line, err);
		buf_clear(&s->line);
		if (r < 0)
			return r;
		s->after_cr = bytes.p[n] == '\r';
		bytes = str_sub(bytes, n + 1, bytes.n);
	}
	return 0;
}

void sse_done(struct sse *s)
{
	buf_done(&s->line);
	buf_done(&s->event);
	buf_done(&s->text);
	buf_done(&s->id);
	s->fields = 0;
	s->after_cr = s->started = s->has_retry = false;
	s->retry_ms = 0;
}
