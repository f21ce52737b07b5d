/*
 * Writing a recording: each step is one write() of whole lines, so that what is in the file is what
 * has happened.  A write that fails takes its part of a line back and ends the recording; the
 * session goes on.
 *
 * An open recording holds a shared lock, by which clean-up in another process sees that it is in
 * use.
 */
#include "agent/transcript/transcript.h"

#include <errno.h>
#include <fcntl.h>
#include <sha2.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/transcript/claude_log.h"
#include "agent/transcript/transcript_impl.h"
#include "base/json_pack.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"

enum {
	NAME_TRIES = 1000,
};

struct transcript {
	int fd; /* -1: nothing is recorded any more */
	char *path, *session_id;
	int64_t tokens; /* see transcript_tokens() */
	int64_t answered_ms;
	struct arena last_arena;
	const struct json *last; /* the message of the model that calls are added to; NULL = none */
	const struct json *parts; /* of that answer; NULL = not known */
	struct claude_log *mirror; /* NULL = none */
	char *failure; /* NULL = none */
	bool told;
};

static void auto_transcript_free(struct transcript **t)
{
	transcript_free(*t);
}

static void give_up(struct transcript *t, const char *why)
{
	free(t->failure);
	t->failure = xasprintf("Recording of this session has stopped: %s: %s", t->path, why);
	(void)close(t->fd);
	t->fd = -1;
}

static void fail(struct transcript *t, int errnum)
{
	give_up(t, strerror(errnum));
}

/* What somebody took away, a tool for example, is not written on in silence. */
static void look_after(struct transcript *t)
{
	struct stat st;

	if (t->fd < 0 || fstat(t->fd, &st) < 0)
		return;
	if (st.st_nlink == 0)
		give_up(t, "the file was removed");
	else if (st.st_size < lseek(t->fd, 0, SEEK_CUR))
		give_up(t, "another process has cut the file short");
}

static void write_now(struct jw *w, const char *key)
{
	char now[CLOCK_ISO_SIZE];

	clock_iso(now);
	jw_kv_z(w, key, now);
}

static void end_line(struct jw *w)
{
	jw_end(w);
	buf_addc(w->out, '\n');
}

/* {"$set":{"messages":...,"lastUpdated":...}}; without messages it only tells the time. */
static void put_set(struct buf *out, const struct json *messages)
{
	struct jw w = { .out = out };

	jw_obj(&w);
	jw_key(&w, "$set");
	jw_obj(&w);
	if (messages) {
		jw_key(&w, "messages");
		jw_json(&w, messages);
	}
	write_now(&w, "lastUpdated");
	jw_end(&w);
	end_line(&w);
}

static void add_lines(struct transcript *t, struct str lines)
{
	int r;

	look_after(t);
	if (t->fd < 0)
		return;
	r = fd_append(t->fd, lines);
	if (r < 0)
		fail(t, -r);
}

/* A message and the line that says when; returns the bytes of both. */
static void add_message(struct transcript *t, const struct json *message)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (t->fd < 0)
		return;
	(void)json_write(&out, message, JSON_COMPACT);
	buf_addc(&out, '\n');
	put_set(&out, NULL);
	add_lines(t, buf_str(&out));
}

static struct transcript *make(int fd, const char *path, struct str session_id)
{
	struct transcript *t = xcalloc(1, sizeof *t);

	t->fd = fd;
	t->path = fs_absolute("/", path);
	t->session_id = xstrndup(session_id.p, session_id.n);
	(void)flock(fd, LOCK_SH | LOCK_NB);
	return t;
}

char *transcript_safe_id(const char *id, size_t max)
{
	size_t n = strnlen(id, max);
	char *name = xstrndup(id, n);

	for (size_t i = 0; i < n; i++)
		if (!char_is_word(name[i]) && name[i] != '-')
			name[i] = '_';
	return name;
}

static int make_dir(const char *dir, struct err *err)
{
	struct stat st;
	int r = fs_mkdirs(dir, 0700, err);

	if (r < 0)
		return r;
	if (lstat(dir, &st) < 0)
		return err_errno(err, errno, "%s", dir);
	if (!S_ISDIR(st.st_mode))
		return err_set(err, E_IO, "%s: is a symbolic link", dir);
	return 0;
}

/* The first line, on a descriptor that becomes the transcript's. */
static struct transcript *begin(int fd, const char *path, const char *project, const char *id,
				const char *kind, struct err *err)
{
	AUTO(transcript_free) struct transcript *t = make(fd, path, str_from(id));
	AUTO(buf_done) struct buf out = { 0 };
	int r;
	char hash[SHA256_DIGEST_STRING_LENGTH];
	struct jw w = { .out = &out };

	(void)SHA256Data((const uint8_t *)project, strlen(project), hash);
	jw_obj(&w);
	jw_kv_z(&w, "sessionId", id);
	jw_kv_z(&w, "projectHash", hash);
	write_now(&w, "startTime");
	write_now(&w, "lastUpdated");
	jw_kv_z(&w, "kind", kind);
	end_line(&w);
	r = fd_append(t->fd, buf_str(&out));
	if (r < 0) {
		(void)unlink(path);
		(void)err_errno(err, -r, "recording to %s", path);
		return NULL;
	}
	return MOVE(t);
}

struct transcript *transcript_new(const char *dir, const char *project, const char *session_id,
				  struct err *err)
{
	AUTO(free) char *id = transcript_safe_id(session_id, 8);
	char now[CLOCK_ISO_SIZE];

	if (make_dir(dir, err) < 0)
		return NULL;
	clock_iso(now);
	now[13] = '-';
	now[16] = '\0';
	/* Of two in a minute whose ids begin alike the second gets a number after the time. */
	for (int i = 0; i < NAME_TRIES; i++) {
		AUTO(free) char *name = i ? xasprintf("session-%s-%d-%s.jsonl", now, i, id)
					  : xasprintf("session-%s-%s.jsonl", now, id);
		AUTO(free) char *path = fs_join(dir, name);
		int fd = open(path, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW,
			      0600);

		if (fd >= 0)
			return begin(fd, path, project, session_id, "main", err);
		if (errno != EEXIST) {
			(void)err_errno(err, errno, "recording to %s", path);
			return NULL;
		}
	}
	(void)err_set(err, E_IO, "%s: too many recordings of this minute", dir);
	return NULL;
}

struct transcript *transcript_new_agent(const struct transcript *parent, const char *project,
					struct err *err)
{
	const char *id = transcript_session_id(parent), *path = transcript_path(parent);
	const char *slash = strrchr(path, '/');
	char own[TRANSCRIPT_ID_SIZE];
	int fd;

	if (!slash)
		return NULL;
	for (const char *p = id; *p; p++)
		if (!char_is_word(*p) && *p != '-')
			return NULL;
	AUTO(free) char *dir = xasprintf("%.*s/%s", (int)(slash - path), path, id);
	if (!*id || make_dir(dir, err) < 0)
		return NULL;
	transcript_id_new(own);
	AUTO(free) char *file = xasprintf("%s/%s.jsonl", dir, own);
	fd = open(file, O_RDWR | O_APPEND | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0) {
		(void)err_errno(err, errno, "recording to %s", file);
		return NULL;
	}
	return begin(fd, file, project, own, "subagent", err);
}

/* session.json is continued as session.jsonl, which is all there at once or not at all. */
static int migrate(const char *path, const struct recording *old, char **ret_path, struct err *err)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(free) char *to =
		xasprintf("%s%s", path, str_ends(str_from(path), STR(".json")) ? "l" : ".jsonl");
	struct stat st;

	if (lstat(to, &st) < 0) {
		struct jw w = { .out = &out };

		/* The facts of an old recording and its messages, as lines. */
		jw_obj(&w);
		jw_kv_str(&w, "sessionId", old->session_id);
		jw_kv_str(&w, "projectHash", old->project_hash);
		jw_kv_str(&w, "startTime", old->started);
		jw_kv_str(&w, "lastUpdated", old->updated);
		jw_kv_str(&w, "kind", old->kind.n ? old->kind : STR("main"));
		end_line(&w);
		for (size_t i = 0; i < old->messages.n; i++) {
			(void)json_write(&out, old->messages.p[i].message, JSON_COMPACT);
			buf_addc(&out, '\n');
		}
		int r = fs_replace(to, buf_str(&out), 0600, err);
		if (r < 0)
			return r;
	}
	*ret_path = MOVE(to);
	return 0;
}

static struct transcript *resume(const char *path, struct arena *a, const struct json **ret_history,
				 bool migrated, struct err *err)
{
	AUTO(arena_done) struct arena scratch = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(recording_done) struct recording r = { 0 };
	AUTO(free) char *to = NULL;
	int fd = recording_open(path, O_RDWR | O_APPEND, NULL), why = fd < 0 ? errno : 0;

	if (fd < 0) /* for reading, if nothing else is allowed */
		fd = recording_open(path, O_RDONLY, err);
	if (fd < 0)
		return NULL;
	AUTO(transcript_free) struct transcript *t = make(fd, path, STR(""));

	if (recording_read(fd, path, &text, err) < 0)
		return NULL;
	if (recording_parse(&scratch, buf_str(&text), &r, err) < 0) {
		(void)err_wrap(err, "%s", path);
		return NULL;
	}
	AUTO(free) char *safe = transcript_safe_id(r.session_id.p, r.session_id.n);

	/* Directories are named after it: it must not lead out of where they are. */
	if (!r.session_id.n || !str_eqz(r.session_id, safe)) {
		(void)err_set(err, E_PARSE, "%s: contains an invalid session id", path);
		return NULL;
	}
	if (r.legacy && !migrated && migrate(path, &r, &to, NULL) >= 0)
		return resume(to, a, ret_history, true, err);
	free(t->session_id);
	t->session_id = xstrndup(r.session_id.p, r.session_id.n);
	if (why || r.legacy)
		fail(t, why ? why : EACCES);
	else if (text.n && text.p[text.n - 1] != '\n')
		add_lines(t, STR("\n")); /* a torn line ends here */
	for (size_t i = r.messages.n; i > 0; i--) {
		const struct json *m = r.messages.p[i - 1].message;

		if (!str_eqz(json_get_str(m, "type"), "gemini"))
			continue;
		t->tokens = json_int(json_pointer(m, STR("/tokens/input")), 0);
		t->answered_ms = recording_time(json_get_str(m, "timestamp"));
		break;
	}
	*ret_history = json_dup(a, recording_history(&scratch, &r));
	return MOVE(t);
}

struct transcript *transcript_resume(const char *path, struct arena *a,
				     const struct json **ret_history, struct err *err)
{
	return resume(path, a, ret_history, false, err);
}

void transcript_free(struct transcript *t)
{
	if (!t)
		return;
	if (t->fd >= 0)
		(void)close(t->fd);
	claude_log_free(t->mirror);
	arena_done(&t->last_arena);
	free(t->path);
	free(t->session_id);
	free(t->failure);
	free(t);
}

const char *transcript_path(const struct transcript *t)
{
	return t ? t->path : "";
}

const char *transcript_session_id(const struct transcript *t)
{
	return t ? t->session_id : "";
}

int64_t transcript_tokens(const struct transcript *t)
{
	return t ? t->tokens : 0;
}

int64_t transcript_answered_ms(const struct transcript *t)
{
	return t ? t->answered_ms : 0;
}

const char *transcript_error(struct transcript *t)
{
	if (!t)
		return NULL;
	look_after(t);
	if (!t->failure || t->told)
		return claude_log_error(t->mirror);
	t->told = true;
	return t->failure;
}

/* ---- the same as Claude Code writes it ---- */

/* What the recording holds by now. */
static int read_back(const struct transcript *t, struct arena *a, struct buf *text,
		     struct recording *r, struct err *err)
{
	AUTO(close) int fd = recording_open(t->path, O_RDONLY, err);
	int rc = fd < 0 ? fd : recording_read(fd, t->path, text, err);

	return rc < 0 ? rc : recording_parse(a, buf_str(text), r, err);
}

int transcript_mirror(struct transcript *t, const struct claude_log_options *o, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(recording_done) struct recording r = { 0 };
	const struct claude_log_open open = { .message = t ? t->last : NULL,
					      .parts = t ? t->parts : NULL };

	if (!t || t->fd < 0 || t->mirror)
		return 0;
	if (read_back(t, &a, &text, &r, err) < 0)
		return -err->code;
	t->mirror = claude_log_new(o, &r, &open, err);
	return t->mirror ? 0 : -err->code;
}

/* What it has already is no longer what happened: nothing of that may stay. */
static void mirror_anew(struct transcript *t)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(recording_done) struct recording r = { 0 };

	if (!t->mirror)
		return;
	if (t->fd < 0 || read_back(t, &a, &text, &r, NULL) < 0) {
		recording_done(&r);
		r = (struct recording){ 0 };
	}
	claude_log_rewrite(t->mirror, &r);
}

const char *transcript_claude_path(const struct transcript *t)
{
	return claude_log_path(t ? t->mirror : NULL);
}

/* The members that every message has. */
static const struct json *message_new(struct arena *a, const char *type, const struct json *content)
{
	char id[TRANSCRIPT_ID_SIZE];
	const struct json *m;

	transcript_id_new(id);
	m = json_set(a, NULL, STR("id"), json_new_copy(a, str_from(id)));
	m = json_set(a, m, STR("timestamp"), json_new_str(a, recording_now(a)));
	m = json_set(a, m, STR("type"), json_new_str(a, str_from(type)));
	return json_set(a, m, STR("content"), content);
}

void transcript_user(struct transcript *t, const struct json *parts, const char *display_text,
		     bool by_hook)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *m;

	if (!t)
		return;
	t->last = NULL;
	m = json_set(&a, NULL, STR("content"), parts ? parts : json_new_null(&a));
	parts = recording_parts(&a, m);
	if (parts->n == 0)
		return;
	m = message_new(&a, "user", parts);
	if (display_text) {
		const struct json *part =
			json_set(&a, NULL, STR("text"), json_new_str(&a, str_from(display_text)));

		m = json_set(&a, m, STR("displayContent"), json_new_arr(&a, &part, 1));
	}
	if (by_hook)
		m = json_set(&a, m, STR("byHook"), json_new_bool(&a, true));
	add_message(t, m);
	if (t->mirror)
		claude_log_message(t->mirror, m, NULL);
}

/* Makes m the message that calls are added to; both may hold parts of the ones before. */
static void keep_last(struct transcript *t, const struct json *m, const struct json *parts)
{
	struct arena fresh = { 0 };

	t->last = json_dup(&fresh, m);
	t->parts = parts ? json_dup(&fresh, parts) : NULL;
	arena_done(&t->last_arena);
	t->last_arena = fresh;
}

void transcript_model(struct transcript *t, const struct json *parts, const struct json *thoughts,
		      const struct json *tokens, const char *model)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct json_list kept = { 0 }, timed = { 0 };
	const struct json *m, *v, *now;

	if (!t || t->fd < 0)
		return;
	m = message_new(&a, "gemini", json_new_str(&a, STR("")));
	/* What there is of an answer before its calls have run. */
	for (size_t i = 0; (v = json_at(parts, i)); i++)
		if (!json_getz(v, "functionCall"))
			json_list_add(&kept, v);
	m = recording_model(&a, m, json_list_take(&a, &kept));
	now = json_new_str(&a, recording_now(&a));
	for (size_t i = 0; (v = json_at(thoughts, i)); i++)
		json_list_add(&timed, json_is(v, J_OBJ) && !json_getz(v, "timestamp")
					      ? json_set(&a, v, STR("timestamp"), now)
					      : v);
	m = json_set(&a, m, STR("thoughts"), json_list_take(&a, &timed));
	m = json_set(&a, m, STR("tokens"), tokens ? tokens : json_new_null(&a));
	if (model)
		m = json_set(&a, m, STR("model"), json_new_str(&a, str_from(model)));
	add_message(t, m);
	keep_last(t, m, parts);
	if (t->mirror)
		claude_log_message(t->mirror, t->last, t->parts);
}

void transcript_some_results(struct transcript *t, const struct json *calls)
{
	if (t && t->mirror && t->last && !claude_log_results(t->mirror, calls))
		mirror_anew(t);
}

void transcript_tool_calls(struct transcript *t, const struct json *calls)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct json_list all = { 0 };
	const struct json *m, *v;
	struct str now;
	size_t had;

	if (!t || t->fd < 0 || !json_is(calls, J_ARR) || calls->n == 0)
		return;
	if (!t->last) /* calls that no text of the model came before */
		transcript_model(t, NULL, NULL, NULL, NULL);
	if (!t->last)
		return;
	/* The calls of before, updated, and those that are new. */
	for (size_t i = 0; (v = json_at(json_getz(t->last, "toolCalls"), i)); i++)
		json_list_add(&all, v);
	had = all.n;
	now = recording_now(&a);
	for (size_t i = 0; (v = json_at(calls, i)); i++) {
		const struct json *id = json_getz(v, "id");
		size_t at = 0;

		while (at < had && (!id || !json_equal(json_getz(all.p[at], "id"), id)))
			at++;
		if (at < had)
			all.p[at] = json_overlay(&a, all.p[at], v);
		else
			json_list_add(&all, recording_call(&a, v, now));
	}
	m = json_set(&a, t->last, STR("toolCalls"), json_list_take(&a, &all));
	if (t->parts)
		m = recording_model(&a, m, t->parts);
	add_message(t, m);
	keep_last(t, m, t->parts);
	transcript_some_results(t, calls);
}

/* ---- results that are changed afterwards ---- */

struct exchange {
	struct arena *a;
	const struct json *old, *now; /* arrays of parts, pairwise */
};

static const struct json *exchanged(const struct exchange *x, const struct json *v);

/* v with the new results in it; the same pointer when it has none of the old ones. */
static const struct json *exchanged(const struct exchange *x, const struct json *v)
{
	const struct json **items;
	bool changed = false;

	for (size_t i = 0; json_getz(v, "functionResponse") && json_at(x->old, i); i++)
		if (json_equal(json_getz(json_at(x->old, i), "functionResponse"),
			       json_getz(v, "functionResponse")))
			return json_at(x->now, i);
	if (json_is(v, J_OBJ)) {
		const struct json *now = v;

		for (size_t k = 0; k < v->n; k++) {
			const struct json *m = exchanged(x, &v->members[k].v);
			const struct json *part = json_at(m, 0);
			struct str output = json_str(
				json_pointer(part, STR("/functionResponse/response/output")),
				STR(""));

			if (m == &v->members[k].v)
				continue;
			now = json_set(x->a, now, v->members[k].key, m);
			if (str_eqz(v->members[k].key, "result") && json_getz(v, "resultDisplay"))
				now = json_set(x->a, now, STR("resultDisplay"),
					       json_new_str(x->a, output));
		}
		return now;
	}
	if (!json_is(v, J_ARR))
		return v;
	items = ARENA_ARRAY(x->a, const struct json *, v->n + 1);
	for (size_t i = 0; i < v->n; i++) {
		items[i] = exchanged(x, json_at(v, i));
		changed |= items[i] != json_at(v, i);
	}
	return changed ? json_new_arr(x->a, items, v->n) : v;
}

/* The file in other words; the lock is on the new one from its first moment. */
static void write_anew(struct transcript *t, struct str text)
{
	struct err err;
	int fd;

	if (fs_replace(t->path, text, 0600, &err) < 0) {
		give_up(t, err.text);
		return;
	}
	fd = open(t->path, O_RDWR | O_APPEND | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0) {
		fail(t, errno);
		return;
	}
	(void)flock(fd, LOCK_SH | LOCK_NB);
	(void)close(t->fd);
	t->fd = fd;
	(void)lseek(fd, 0, SEEK_END);
}

void transcript_results(struct transcript *t, const struct json *old, const struct json *now)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct exchange x = { &a, old, now };
	struct str rest, line;
	struct err err;

	if (!t || t->fd < 0)
		return;
	if (t->last)
		keep_last(t, exchanged(&x, t->last), t->parts);
	(void)lseek(t->fd, 0, SEEK_SET);
	if (recording_read(t->fd, t->path, &text, &err) < 0) {
		give_up(t, err.text);
		mirror_anew(t);
		return;
	}
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line)) {
		const struct json *v = NULL, *is;

		if (str_find(line, STR("\"functionResponse\""), 0) < 0 ||
		    json_parse(&a, line, JSON_BORROW, &v, NULL) < 0 || (is = exchanged(&x, v)) == v)
			buf_adds(&out, line);
		else
			(void)json_write(&out, is, JSON_COMPACT);
		if (rest.n || text.p[text.n - 1] == '\n')
			buf_addc(&out, '\n');
	}
	write_anew(t, buf_str(&out));
	mirror_anew(t);
}

void transcript_note(struct transcript *t, const char *type, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (t)
		add_message(t, message_new(&a, type, json_new_str(&a, text)));
}

/* The messages that stand for the conversation now; NULL when nothing is recorded. */
static const struct json *replace(struct transcript *t, struct arena *a,
				  const struct json *contents)
{
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *messages;

	if (!t || t->fd < 0)
		return NULL;
	t->last = NULL;
	messages = recording_messages(a, contents);
	put_set(&out, messages);
	add_lines(t, buf_str(&out));
	return messages;
}

void transcript_replace(struct transcript *t, const struct json *contents)
{
	AUTO(arena_done) struct arena a = { 0 };

	if (replace(t, &a, contents))
		mirror_anew(t);
}

void transcript_compressed(struct transcript *t, const struct json *contents)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *messages = replace(t, &a, contents);

	if (messages && t->mirror)
		claude_log_compacted(t->mirror, messages);
}
