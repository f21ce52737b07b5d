#include "hosts/history.h"

#include <stdio.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "hooks/outcome.h"
#include "os/clock.h"
#include "os/fs.h"
#include "secrets/secrets.h"

enum {
	ROTATE_AT_BYTES = 8 << 20,
	UNREAD_MAX = 20,
	WORD_MAX_CHARS = 200,
	LATELY_BYTES = 64 << 10,
	WIDER = 16, /* times, where it is not among the last */
};

void history_id(char ret_id[HISTORY_ID_SIZE])
{
	uint64_t r = 0;

	/* Where there is no randomness yet the time is enough: it only has to differ. */
	(void)!getrandom(&r, sizeof r, GRND_NONBLOCK);
	r ^= (uint64_t)clock_us();
	(void)snprintf(ret_id, HISTORY_ID_SIZE, "%010llx",
		       (unsigned long long)(r & (((uint64_t)1 << 40) - 1)));
}

bool history_is_id(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!strchr("0123456789abcdef", s.p[i]))
			return false;
	return s.n == HISTORY_ID_SIZE - 1;
}

static int append(const char *home, struct str line, struct err *err)
{
	AUTO(free) char *dir = fs_join(home, ".trotline");
	AUTO(free) char *path = fs_join(dir, "records.jsonl");
	int r = fs_mkdirs(dir, 0700, err);

	if (r >= 0) {
		AUTO(free) char *old = xasprintf("%s.1", path);
		struct stat st;

		/* One older file is kept: what is asked about is what happened lately. */
		if (lstat(path, &st) == 0 && st.st_size > ROTATE_AT_BYTES)
			(void)rename(path, old);
		r = fs_append(path, line, err);
	}
	return r < 0 ? err_wrap(err, "the record of this firing is lost") : 1;
}

/* The engine's record, behind what it does not know: two objects become one. */
static int append_of(struct arena *a, const char *home, const struct json *first, struct str record,
		     struct err *err)
{
	struct str text = json_text(a, first, JSON_COMPACT);
	AUTO(buf_done) struct buf line = { 0 };

	if (!*home)
		return 0;
	buf_addf(&line, "%.*s%s%.*s\n", (int)text.n - 1, text.p, record.n > 2 ? "," : "",
		 (int)record.n - 1, record.p + 1);
	return append(home, buf_str(&line), err);
}

int history_keep(const struct tl_hooks *hooks, const char *id, const char *host,
		 const struct tl_outcome *o, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *record = tl_outcome_record(o);
	char own[HISTORY_ID_SIZE];

	if (!id)
		history_id(own);
	return append_of(&a, tl_hooks_home(hooks),
			 json_pack(&a, "id:z ?host:z", id ? id : own, host), str_from(record), err);
}

/* A word as records have it. */
static struct str redacted(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf clean = { 0 }, valid = { 0 };

	(void)secrets_redact(&clean, s, SECRETS_DOUBT);
	(void)utf8_add_clean(&valid, buf_str(&clean));
	return arena_str(a, buf_str(&valid));
}

static struct str call_id(struct arena *a, struct str id)
{
	return redacted(a, utf8_prefix(id, WORD_MAX_CHARS));
}

static struct str session_id(struct host_call *c)
{
	return redacted(&c->arena, str_from(c->n ? c->events->session_id : NULL));
}

static const struct json *first_of(struct host_call *c)
{
	const struct tl_event *e = c->n ? c->events : NULL;
	const struct json *more = NULL;
	size_t n = 0;

	/* What the payload said that no row reads, in bounds and without secrets (C8.4). */
	for (size_t i = 0; c->payload && i < c->payload->n && n < UNREAD_MAX; i++) {
		const struct json_member *m = &c->payload->members[i];
		AUTO(buf_done) struct buf clean = { 0 };

		if (host_reads(c->host, m->key))
			continue;
		(void)secrets_redact(&clean, json_text(&c->arena, &m->v, JSON_COMPACT),
				     SECRETS_DOUBT);
		more = json_set(
			&c->arena, more, utf8_prefix(m->key, WORD_MAX_CHARS),
			json_new_str(&c->arena, arena_str(&c->arena, utf8_prefix(buf_str(&clean),
										 WORD_MAX_CHARS))));
		n++;
	}
	return json_pack(&c->arena, "id:z host:z ?agent_id:z ?tool_call_id:s ?unread:j", c->id,
			 c->host->name, e ? e->agent_id : NULL,
			 call_id(&c->arena, str_from(e ? e->tool_call_id : NULL)), more);
}

/* The id is named once there is something that it leads to. */
static int kept(struct host_call *c, int r)
{
	c->is_kept |= r > 0;
	return r;
}

int history_keep_call(struct host_call *c, const char *home, const struct tl_outcome *o,
		      struct err *err)
{
	AUTO(free) char *record = tl_outcome_record(o);
	const struct json *first = first_of(c);

	/* What all firings share in which no hook ran is of no session. */
	if (!*o->session_id)
		first = json_pack_more(&c->arena, first, "?session_id:s ?cwd:z", session_id(c),
				       c->cwd);
	return kept(c, append_of(&c->arena, home, first, str_from(record), err));
}

int history_keep_bare(struct host_call *c, const char *home, struct str denied, struct err *err)
{
	struct arena *a = &c->arena;
	struct str session = host_session(c);
	const struct json *outcome = NULL;
	AUTO(buf_done) struct buf clean = { 0 };
	char now[CLOCK_ISO_SIZE];

	/* Reading never makes a home directory (C7.9). */
	if (!*home || !fs_exists(home))
		return 0;
	(void)secrets_redact(&clean, denied, SECRETS_DOUBT);
	if (denied.n)
		outcome = json_pack(a, "verdict:z stop:b reason:s changed:j", "deny", false,
				    arena_str(a, buf_str(&clean)), json_new_arr(a, NULL, 0));
	clock_iso(now);
	return kept(c, append_of(a, home, first_of(c),
				 json_text(a,
					   json_pack(a,
						     "version:u event:s session_id:s timestamp:z "
						     "?outcome:j hooks:j",
						     1u, utf8_prefix(c->called, WORD_MAX_CHARS),
						     utf8_prefix(session, WORD_MAX_CHARS), now,
						     outcome, json_new_arr(a, NULL, 0)),
					   JSON_COMPACT),
				 err));
}

/* ---- calls that hooks were not asked about ---- */

/* Is one of these lines a record of the agent's session that has this text? */
static bool is_in(struct host_call *c, struct str lines, struct str member)
{
	struct str session = session_id(c);

	for (ptrdiff_t at = 0; (at = str_find(lines, member, (size_t)at)) >= 0; at++) {
		AUTO(arena_done) struct arena a = { 0 };
		size_t from = (size_t)at;
		ptrdiff_t end = str_chr(lines, '\n', from);
		const struct json *v;

		while (from > 0 && lines.p[from - 1] != '\n')
			from--;
		if (json_parse(&a, str_sub(lines, from, end < 0 ? lines.n : (size_t)end), 0, &v,
			       NULL) >= 0 &&
		    str_eqz(json_get_str(v, "host"), c->host->name) &&
		    str_eq(json_get_str(v, "session_id"), session))
			return true;
	}
	return false;
}

/* Mostly it is among the last. */
static bool is_in_file(struct host_call *c, const char *path, struct str member)
{
	int64_t before = 1;

	for (size_t max = LATELY_BYTES; before > 0; max *= WIDER) {
		AUTO(buf_done) struct buf lines = { 0 };

		before = fs_read_end(path, max, &lines, NULL);
		if (is_in(c, buf_str(&lines), member))
			return true;
	}
	return false;
}

bool history_knows_call(struct host_call *c, const char *home, struct str id)
{
	struct arena *a = &c->arena;
	struct str member =
		arena_printf(a, "\"tool_call_id\":%.*s",
			     STR_ARG(json_text(a, json_new_str(a, call_id(a, id)), JSON_COMPACT)));
	AUTO(free) char *path = fs_join(home, ".trotline/records.jsonl");
	AUTO(free) char *old = xasprintf("%s.1", path);

	return is_in_file(c, path, member) || is_in_file(c, old, member);
}

int history_keep_unasked(struct host_call *c, const char *home, const struct host_named *call,
			 struct err *err)
{
	struct arena *a = &c->arena;
	char now[CLOCK_ISO_SIZE];

	clock_iso(now);
	return kept(
		c, append(home,
			  arena_printf(a, "%.*s\n",
				       STR_ARG(json_text(
					       a,
					       json_pack(a,
							 "id:z host:z ?agent_id:z tool_call_id:s "
							 "version:u event:z subject:s session_id:s "
							 "timestamp:z ?cwd:z asked:b hooks:j",
							 c->id, c->host->name,
							 c->n ? c->events->agent_id : NULL,
							 call_id(a, call->id), 1u,
							 host_moment(host_kind_of(c)),
							 redacted(a, str_from(call->tool)),
							 session_id(c), now, c->cwd, false,
							 json_new_arr(a, NULL, 0)),
					       JSON_COMPACT))),
			  err));
}
