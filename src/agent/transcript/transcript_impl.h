/* What transcript*.c and recordings.c share: recordings as they are read. */
#pragma once

#include "agent/transcript/transcript.h"

#define RECORDING_MAX_BYTES ((size_t)1 << 30)

struct recorded {
	struct str id;
	const struct json *message;
};

/* Where a message is, by its id. */
struct recorded_slot {
	struct str id;
	uint32_t at; /* index + 1; 0 = free */
};

/* All borrowed from the text and the arena that it was parsed with. */
struct recording {
	struct str session_id, project_hash, kind, started, updated;
	struct {
		struct recorded *p;
		size_t n, cap;
	} messages; /* those that count, in order */
	struct {
		struct recorded_slot *p;
		size_t n, cap; /* cap is a power of two */
	} ids;
	const struct json *first_user; /* the first with a text, though a checkpoint took it away */
	size_t first_user_at;
	bool legacy; /* one document of the old kind */
};

/* ---- transcript_read.c ---- */

/* A regular file and no symbolic link, close-on-exec; the descriptor. */
int recording_open(const char *path, int flags, struct err *err);
int recording_read(int fd, const char *path, struct buf *out, struct err *err);
/* Lines that are no JSON are passed over; -E_PARSE when nothing says that it is a recording.  The
 * text must outlive the arena. */
int recording_parse(struct arena *a, struct str text, struct recording *ret, struct err *err);
void recording_done(struct recording *r);
DEFINE_AUTO(struct recording, recording_done)

/* ---- message.c ---- */

/* What Google calls a PartListUnion (a text, a part, or an array of both) as an array of parts,
 * without the session context. */
const struct json *recording_part_list(struct arena *a, const struct json *v);
/* A message's content as an array of parts, without the session context. */
const struct json *recording_parts(struct arena *a, const struct json *message);
bool recording_is_user(const struct json *message);
bool recording_is_model(const struct json *message);
enum { RECORDING_SHOWN_MAX = 8000 }; /* bytes of a text */
/* What was typed, or said: without what hooks put in front, and cut. */
struct str recording_shown(struct arena *a, const struct json *message);
/* The time, as recordings write it. */
struct str recording_now(struct arena *a);
/* In milliseconds, of "2026-01-27T10:00:00.000Z"; 0 when it is none. */
int64_t recording_time(struct str iso);

/* ---- transcript_history.c ---- */

/* The conversation, an array of contents. */
const struct json *recording_history(struct arena *a, const struct recording *r);
/* The parts of one message of the model, its calls among them; NULL = it has none. */
const struct json *recording_answer(struct arena *a, const struct json *message);
/* The other direction: contents as an array of messages. */
const struct json *recording_messages(struct arena *a, const struct json *contents);
/* A message of the model with such a content that it is read back as these parts, byte for byte: a
 * text if that will do, else the parts themselves. */
const struct json *recording_model(struct arena *a, const struct json *message,
				   const struct json *parts);
/* A call with the members that readers expect. */
const struct json *recording_call(struct arena *a, const struct json *call, struct str now);
