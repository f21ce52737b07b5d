#include "hosts/history.h"

#include <stdio.h>
#include <sys/stat.h>

#include "base/json_pack.h"
#include "base/redact.h"
#include "base/utf8.h"
#include "os/clock.h"
#include "os/fs.h"

enum { ROTATE_AT_BYTES = 8 << 20, UNREAD_MAX = 20, WORD_MAX_CHARS = 200 };

/* What a payload said that no row reads, in bounds and without secrets (C8.4). */
static const struct json *unread(struct host_call *c)
{
	const struct json *o = NULL;
	size_t n = 0;

	for (size_t i = 0; c->payload && i < c->payload->n && n < UNREAD_MAX; i++) {
		const struct json_member *m = &c->payload->members[i];
		AUTO(buf_done) struct buf clean = { 0 };

		if (host_reads(c->host, m->key))
			continue;
		(void)redact_add(&clean, json_text(&c->arena, &m->v, JSON_COMPACT));
		o = json_set(&c->arena, o, utf8_prefix(m->key, WORD_MAX_CHARS),
			     json_new_str(&c->arena,
					  arena_str(&c->arena,
						    utf8_prefix(buf_str(&clean), WORD_MAX_CHARS))));
		n++;
	}
	return o;
}

static int append(const char *home, struct str record, struct err *err)
{
	AUTO(free) char *dir = fs_join(home, ".trotline");
	AUTO(free) char *path = fs_join(dir, "records.jsonl");
	AUTO(buf_done) struct buf line = { 0 };
	int r;

	if (!*home)
		return 0;
	buf_addf(&line, "%.*s\n", STR_ARG(record));
	r = fs_mkdirs(dir, 0700, err);
	if (r >= 0) {
		AUTO(free) char *old = xasprintf("%s.1", path);
		struct stat st;

		/* One older file is kept: what is asked about is what happened lately. */
		if (lstat(path, &st) == 0 && st.st_size > ROTATE_AT_BYTES)
			(void)rename(path, old);
		r = fs_append(path, buf_str(&line), err);
	}
	return r < 0 ? err_wrap(err, "the record of this firing is lost") : 0;
}

static int append_of(struct host_call *c, const char *home, const struct json *record,
		     struct err *err)
{
	const struct json *more = unread(c);

	record = json_pack_more(&c->arena, record, "host:z ?agent_id:z", c->host->name,
				c->n ? c->events->agent_id : NULL);
	if (more)
		record = json_set(&c->arena, record, STR("unread"), more);
	return append(home, json_text(&c->arena, record, JSON_COMPACT), err);
}

int history_keep(const struct tl_hooks *hooks, const struct tl_outcome *o, struct err *err)
{
	AUTO(free) char *record = tl_outcome_record(o);

	return append(tl_hooks_home(hooks), str_from(record), err);
}

int history_keep_call(struct host_call *c, const char *home, const struct tl_outcome *o,
		      struct err *err)
{
	AUTO(free) char *text = tl_outcome_record(o);
	const struct json *record;

	if (json_parse(&c->arena, str_from(text), 0, &record, NULL) < 0)
		return append(home, str_from(text), err);
	return append_of(c, home, record, err);
}

int history_keep_unknown(struct host_call *c, const char *home, struct err *err)
{
	struct arena *a = &c->arena;
	struct str session = host_session(c);
	char now[CLOCK_ISO_SIZE];

	/* Reading never makes a home directory (C7.9). */
	if (!*home || !fs_exists(home))
		return 0;
	clock_iso(now);
	return append_of(c, home,
			 json_pack(a, "version:u event:s session_id:s timestamp:z hooks:j", 1u,
				   utf8_prefix(c->called, WORD_MAX_CHARS),
				   utf8_prefix(session, WORD_MAX_CHARS), now,
				   json_new_arr(a, NULL, 0)),
			 err);
}
