/*
 * Reading a recording: one JSON object a line, applied one after another.
 *
 *	{"sessionId":...}                what it is of
 *	{"id":...,"type":...}            a message; written again it takes its old place
 *	{"$set":{"messages":[...]}}      all messages from here
 *	{"$set":{...}}                   other facts
 *	{"$rewindTo":id}                 this message and all after it are gone
 *
 * Old recordings are one object with all of that and "messages".
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/transcript/transcript_impl.h"
#include "base/vec.h"
#include "os/fd.h"

enum { READ_BLOCK = 64 << 10 };

int recording_open(const char *path, int flags, struct err *err)
{
	/* Without O_NONBLOCK a FIFO would hold us until somebody opens its other end. */
	const int always = O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY;
	AUTO(close) int fd = open(path, flags | always, 0600);
	struct stat st;

	if (fd < 0 && errno == ELOOP)
		return err_set(err, E_IO, "%s: is a symbolic link", path);
	if (fd < 0)
		return err_errno(err, errno, "opening %s", path);
	if (fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", path);
	if (!S_ISREG(st.st_mode))
		return err_set_at(err, E_IO, path, 0, 0, "not a regular file");
	int ret = fd;
	fd = -1;
	return ret;
}

int recording_read(int fd, const char *path, struct buf *out, struct err *err)
{
	struct stat st = { 0 };

	(void)fstat(fd, &st);
	if (st.st_size > 0 && (size_t)st.st_size <= RECORDING_MAX_BYTES)
		(void)buf_reserve(out, (size_t)st.st_size + 1);
	for (;;) {
		size_t want = max_size(READ_BLOCK, out->cap - out->n);
		ssize_t r = fd_read(fd, out, want);

		if (r < 0)
			return err_errno(err, (int)-r, "reading %s", path);
		if (out->n > RECORDING_MAX_BYTES)
			return err_set(err, E_LIMIT, "%s: more than %zu bytes", path,
				       RECORDING_MAX_BYTES);
		if (r == 0)
			return 0;
	}
}

/* The slot of this id, or the free one where it belongs. */
static struct recorded_slot *slot_of(struct recording *r, struct str id)
{
	uint64_t hash = str_hash(STR_HASH, id);
	size_t mask = r->ids.cap - 1, i = (size_t)(hash ^ hash >> 32) & mask;

	while (r->ids.p[i].at && !str_eq(r->ids.p[i].id, id))
		i = (i + 1) & mask;
	return &r->ids.p[i];
}

/* Slots outlive the messages that a rewind removed, so that what they say is looked at twice. */
static bool find_message(struct recording *r, struct str id, size_t *ret_at)
{
	const struct recorded_slot *slot = r->ids.cap ? slot_of(r, id) : NULL;

	if (!slot || !slot->at || slot->at > r->messages.n ||
	    !str_eq(r->messages.p[slot->at - 1].id, id))
		return false;
	*ret_at = slot->at - 1;
	return true;
}

static void add_message(struct recording *r, const struct json *message)
{
	AUTO(arena_done) struct arena scratch = { 0 };
	const struct json *id = json_getz(message, "id");
	struct recorded_slot *old = r->ids.p;
	size_t at, cap = r->ids.cap;

	if (!json_is(id, J_STR) || r->messages.n >= UINT32_MAX)
		return;
	if (find_message(r, json_str(id, STR("")), &at)) {
		r->messages.p[at].message = message;
		return;
	}
	if (r->ids.n * 2 >= cap) {
		r->ids.cap = cap ? cap * 2 : 64;
		r->ids.p = xcalloc(r->ids.cap, sizeof *r->ids.p);
		for (size_t i = 0; i < cap; i++)
			if (old[i].at)
				*slot_of(r, old[i].id) = old[i];
		free(old);
	}
	struct recorded_slot *slot = slot_of(r, json_str(id, STR("")));

	r->ids.n += slot->at == 0;
	*VEC_ADD(&r->messages) = (struct recorded){ json_str(id, STR("")), message };
	*slot = (struct recorded_slot){ json_str(id, STR("")), (uint32_t)r->messages.n };
	if (!r->first_user && recording_is_user(message) &&
	    recording_shown(&scratch, message).n > 0) {
		r->first_user = message;
		r->first_user_at = r->messages.n - 1;
	}
}

static void set_str(struct str *to, const struct json *from, struct str key)
{
	*to = json_str(json_get(from, key), *to);
}

static void set_facts(struct recording *r, const struct json *facts)
{
	const struct json *messages;

	set_str(&r->session_id, facts, STR("sessionId"));
	set_str(&r->project_hash, facts, STR("projectHash"));
	set_str(&r->kind, facts, STR("kind"));
	set_str(&r->started, facts, STR("startTime"));
	set_str(&r->updated, facts, STR("lastUpdated"));
	messages = json_getz(facts, "messages");
	if (!json_is(messages, J_ARR))
		return;
	r->messages.n = 0;
	r->first_user_at = 0; /* what began the session stays so when its place is compressed */
	for (size_t i = 0; i < messages->n; i++)
		add_message(r, &messages->items[i]);
}

static void apply(struct recording *r, const struct json *record)
{
	const struct json *to = json_getz(record, "$rewindTo");
	const struct json *set = json_getz(record, "$set");

	if (json_is(to, J_STR)) {
		size_t at = 0;

		/* An unknown message: all of them, as Gemini CLI does. */
		(void)find_message(r, json_str(to, STR("")), &at);
		r->messages.n = at;
		if (r->first_user && r->first_user_at >= at)
			r->first_user = NULL;
	} else if (json_is(json_getz(record, "id"), J_STR)) {
		add_message(r, record);
	} else if (json_is(set, J_OBJ)) {
		set_facts(r, set);
	} else if (json_is(json_getz(record, "sessionId"), J_STR)) {
		set_facts(r, record);
	}
}

int recording_parse(struct arena *a, struct str text, struct recording *ret, struct err *err)
{
	struct recording r = { 0 };
	const struct json *record;
	struct str line;

	for (struct str rest = text; str_split(&rest, '\n', &line);) {
		/* A torn line is passed over. */
		if (str_trim(line).n && json_parse(a, line, JSON_BORROW, &record, NULL) >= 0)
			apply(&r, record);
	}
	if (r.session_id.n == 0 &&
	    json_parse(a, text, JSON_BORROW | JSON_BOM, &record, NULL) >= 0 &&
	    json_is(json_getz(record, "sessionId"), J_STR)) {
		recording_done(&r);
		r = (struct recording){ .legacy = true };
		set_facts(&r, record);
	}
	if (r.session_id.n == 0) {
		recording_done(&r);
		return err_set(err, E_PARSE, "not the recording of a session");
	}
	*ret = r;
	return 0;
}

void recording_done(struct recording *r)
{
	free(r->messages.p);
	free(r->ids.p);
	*r = (struct recording){ 0 };
}
