/* One message of a recording: its id, its time, its parts, and what people see of it. */
#include <stdio.h>
#include <sys/random.h>
#include <time.h>

#include "agent/transcript/transcript_impl.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/clock.h"

#define HOOK_CONTEXT_END "</hook_context>"

void transcript_id_new(char out[TRANSCRIPT_ID_SIZE])
{
	unsigned char b[16];

	if (getrandom(b, sizeof b, 0) != sizeof b)
		BUG();
	b[6] = (unsigned char)((b[6] & 0x0f) | 0x40);
	b[8] = (unsigned char)((b[8] & 0x3f) | 0x80);
	(void)snprintf(out, TRANSCRIPT_ID_SIZE,
		       "%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", b[0],
		       b[1], b[2], b[3], b[4], b[5], b[6], b[7], b[8], b[9], b[10], b[11], b[12],
		       b[13], b[14], b[15]);
}

bool recording_is_user(const struct json *message)
{
	return str_eqz(json_get_str(message, "type"), "user");
}

bool recording_is_model(const struct json *message)
{
	return str_eqz(json_get_str(message, "type"), "gemini");
}

/* A part that every request has anew, and one without anything in it. */
static bool is_idle(const struct json *part)
{
	const struct json *text = json_getz(part, "text");
	struct str s = str_trim(json_str(text, STR("")));

	if (!json_is(part, J_OBJ) || part->n == 0 || json_is_true(json_getz(part, "thought")))
		return true;
	if (!json_is(text, J_STR) || part->n > 1)
		return false;
	return text->n == 0 ||
	       (str_starts(s, STR("<session_context>")) && str_ends(s, STR("</session_context>")));
}

struct parts {
	const struct json **p;
	size_t n, cap;
};

static void add_part(struct arena *a, struct parts *out, const struct json *part)
{
	if (json_is(part, J_STR))
		part = json_set(a, NULL, STR("text"), part);
	if (!is_idle(part))
		*VEC_ADD(out) = part;
}

/* What Google calls a PartListUnion: a text, a part, or an array of both. */
const struct json *recording_part_list(struct arena *a, const struct json *v)
{
	struct parts out = { 0 };
	const struct json *list;

	if (!json_is(v, J_ARR))
		add_part(a, &out, v);
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		add_part(a, &out, &v->items[i]);
	list = json_new_arr(a, out.p, out.n);
	free(out.p);
	return list;
}

const struct json *recording_parts(struct arena *a, const struct json *message)
{
	return recording_part_list(a, json_getz(message, "content"));
}

struct str recording_now(struct arena *a)
{
	char now[CLOCK_ISO_SIZE];

	clock_iso(now);
	return arena_str(a, str_from(now));
}

int64_t recording_time(struct str iso)
{
	char text[32];
	struct tm tm = { 0 };
	int ms = 0;

	(void)snprintf(text, sizeof text, "%.*s", STR_ARG(iso));
	if (sscanf(text, "%4d-%2d-%2dT%2d:%2d:%2d.%3d", &tm.tm_year, &tm.tm_mon, &tm.tm_mday,
		   &tm.tm_hour, &tm.tm_min, &tm.tm_sec, &ms) < 6)
		return 0;
	tm.tm_year -= 1900;
	tm.tm_mon -= 1;
	return (int64_t)timegm(&tm) * 1000 + ms;
}

struct str recording_shown(struct arena *a, const struct json *message)
{
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *shown = json_getz(message, "displayContent"), *parts;
	struct str text;
	ptrdiff_t end;

	if (shown)
		message = json_set(a, message, STR("content"), shown);
	parts = recording_parts(a, message);
	for (size_t i = 0; i < parts->n && out.n < RECORDING_SHOWN_MAX * 4; i++)
		buf_adds(&out, json_get_str(&parts->items[i], "text"));
	text = buf_str(&out);
	end = str_starts(text, STR("<hook_context>")) ? str_find(text, STR(HOOK_CONTEXT_END), 0)
						      : -1;
	if (end >= 0)
		text = str_sub(text, (size_t)end + strlen(HOOK_CONTEXT_END), text.n);
	return arena_str(a, utf8_prefix(str_trim(text), RECORDING_SHOWN_MAX));
}
