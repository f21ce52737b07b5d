/*
 * Telemetry: switching it on, the outfile, log records.  A record is written at once with one
 * write(), so that nothing is lost with the process and records of two processes stay whole.
 */
#include "telemetry/telemetry_impl.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>

#include "base/env.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"

enum {
	ID_MAX = 128,
	RECORD_MAX = 64 << 20, /* a longer record is left out */
};

/* ---- settings ---- */

/* In the environment "true" and "1" are yes and everything else is no. */
static bool flag(const struct telemetry_options *o, const char *name, struct str key, bool dflt)
{
	const char *value = env_get(o->env, name);
	const struct json *v = json_get(json_getz(o->settings, "telemetry"), key);

	if (value)
		return strcmp(value, "true") == 0 || strcmp(value, "1") == 0;
	return json_is(v, J_BOOL) ? v->yes : dflt;
}

/* ---- installation id ---- */

static char *new_uuid(void)
{
	uint8_t r[16];

	if (getrandom(r, sizeof r, GRND_NONBLOCK) != sizeof r) {
		uint64_t now[2] = { (uint64_t)clock_us(), (uint64_t)clock_wall_ms() };

		memcpy(r, now, sizeof r);
	}
	r[6] = (uint8_t)(0x40 | (r[6] & 0x0f));
	r[8] = (uint8_t)(0x80 | (r[8] & 0x3f));
	return xasprintf("%02x%02x%02x%02x-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x",
			 r[0], r[1], r[2], r[3], r[4], r[5], r[6], r[7], r[8], r[9], r[10], r[11],
			 r[12], r[13], r[14], r[15]);
}

/* What cannot be kept is made anew for each run. */
static char *installation_id(const char *home)
{
	AUTO(free) char *dir = fs_join(home, ".gemini");
	AUTO(free) char *path = fs_join(dir, "installation_id");
	AUTO(buf_done) struct buf text = { 0 };
	struct str kept;
	size_t n;
	char *id;
	int r;

	r = fs_read(path, ID_MAX, &text, NULL);
	kept = str_trim(buf_str(&text));
	for (n = 0; n < kept.n && (char_is_word(kept.p[n]) || kept.p[n] == '-');)
		n++;
	if (n && n == kept.n)
		return xstrndup(kept.p, kept.n);
	id = new_uuid();
	/* Something else that is there is not ours to replace. */
	if (kept.n == 0 && (r >= 0 || r == -E_NOTFOUND) && fs_mkdirs(dir, 0700, NULL) >= 0)
		(void)fs_replace(path, str_from(id), 0600, NULL);
	return id;
}

/* ---- the outfile ---- */

/*
 * An existing file is appended to, also by way of a symbolic link; a new one is made private, and
 * not at the end of a link that leads nowhere, which somebody else may have laid.
 */
static int open_outfile(const char *path, struct err *err)
{
	/* A FIFO without a reader would hold us. */
	const int flags = O_WRONLY | O_APPEND | O_CLOEXEC | O_NOCTTY | O_NONBLOCK;
	AUTO(close) int fd = open(path, flags);
	struct stat st = { 0 };
	int ret;

	if (fd < 0 && errno == ENOENT)
		fd = open(path, flags | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
	if (fd < 0 && errno == EEXIST) /* another process has just made it */
		fd = open(path, flags);
	if (fd < 0 || fstat(fd, &st) < 0)
		return err_errno(err, errno, "%s", path);
	/* A reader that is slow must not hold the agent. */
	if (!S_ISREG(st.st_mode) && !S_ISCHR(st.st_mode))
		return err_set(err, E_IO, "%s: neither a regular file nor a device", path);
	if (fcntl(fd, F_SETFL, O_APPEND) < 0)
		return err_errno(err, errno, "%s", path);
	ret = fd_lift(&fd, FD_LOWEST);
	if (ret < 0)
		return err_errno(err, -ret, "%s", path);
	ret = fd;
	fd = -1;
	return ret;
}

static void complain(struct telemetry *t, const char *why)
{
	if (t->complain)
		t->complain(t->data, why);
}

static void write_record(struct telemetry *t, const struct buf *record)
{
	int r = 0;

	if (record->full)
		return;
	(void)pthread_mutex_lock(&t->lock);
	if (telemetry_on(t))
		r = fd_append(t->fd, buf_str(record));
	if (r < 0)
		atomic_store(&t->on, false);
	(void)pthread_mutex_unlock(&t->lock);
	if (r < 0) {
		struct err err;

		(void)err_errno(&err, -r, "telemetry is off: writing %s", t->path);
		complain(t, err.text);
	}
}

/* ---- the object ---- */

struct telemetry *telemetry_new(const struct telemetry_options *o)
{
	struct telemetry *t = xcalloc(1, sizeof *t);
	const char *value;
	const struct json *v;
	struct str path;
	struct err err;

	t->fd = -1;
	t->start_ms = clock_wall_ms();
	t->complain = o->complain;
	t->data = o->data;
	t->interactive = o->interactive;
	t->session_id = xstrdup(o->session_id ? o->session_id : "");
	t->auth_type = o->auth_type ? xstrdup(o->auth_type) : NULL;
	(void)pthread_mutex_init(&t->lock, NULL);
	if (!flag(o, "GEMINI_TELEMETRY_ENABLED", STR("enabled"), false))
		return t;
	t->prompts = flag(o, "GEMINI_TELEMETRY_LOG_PROMPTS", STR("logPrompts"), true);
	/* The outfile's path, NULL when there is none. */
	value = env_get(o->env, "GEMINI_TELEMETRY_OUTFILE");
	v = json_getz(json_getz(o->settings, "telemetry"), "outfile");
	path = value ? str_from(value) : json_str(v, STR(""));
	t->path = path.n && !memchr(path.p, '\0', path.n) ? xstrndup(path.p, path.n) : NULL;
	if (!t->path)
		return t;
	t->fd = open_outfile(t->path, &err);
	if (t->fd < 0) {
		(void)err_wrap(&err, "telemetry is off");
		complain(t, err.text);
		return t;
	}
	t->installation_id = o->home ? installation_id(o->home) : new_uuid();
	atomic_store(&t->on, true);
	telemetry_count(t, "session.count", 1, NULL);
	return t;
}

void telemetry_free(struct telemetry *t)
{
	AUTO(buf_done) struct buf record = BUF_INIT(.max = RECORD_MAX);

	if (!t)
		return;
	if (telemetry_on(t)) {
		metrics_write(&t->metrics, &record, t);
		write_record(t, &record);
	}
	fd_close(&t->fd);
	metrics_done(&t->metrics);
	(void)pthread_mutex_destroy(&t->lock);
	free(t->session_id);
	free(t->auth_type);
	free(t->installation_id);
	free(t->path);
	free(t);
}

bool telemetry_on(const struct telemetry *t)
{
	return t && atomic_load_explicit(&t->on, memory_order_relaxed);
}

bool telemetry_prompts(const struct telemetry *t)
{
	return telemetry_on(t) && t->prompts;
}

void telemetry_session(struct telemetry *t, const char *session_id)
{
	char *old;

	if (!t)
		return;
	(void)pthread_mutex_lock(&t->lock);
	old = t->session_id;
	t->session_id = xstrdup(session_id);
	(void)pthread_mutex_unlock(&t->lock);
	free(old);
}

/* ---- log records ---- */

/* Returns how many there are. */
static size_t put_attributes(struct jw *w, const struct telemetry *t, const char *name,
			     const char *session_id, int64_t now, const struct json *attributes)
{
	AUTO(free) char *full_name = record_name(name);
	size_t n = json_is(attributes, J_OBJ) ? attributes->n : 0;
	char iso[CLOCK_ISO_SIZE];

	clock_iso_at(now, iso);
	jw_key(w, "attributes");
	jw_obj(w);
	jw_kv_z(w, "session.id", session_id);
	jw_kv_z(w, "installation.id", t->installation_id);
	jw_kv_bool(w, "interactive", t->interactive);
	if (t->auth_type)
		jw_kv_z(w, "auth_type", t->auth_type);
	jw_kv_z(w, "event.name", full_name);
	jw_kv_z(w, "event.timestamp", iso);
	for (size_t i = 0; i < n; i++) {
		jw_keys(w, attributes->members[i].key);
		clean_put(w, &attributes->members[i].v);
	}
	jw_end(w);
	return n + 5 + (t->auth_type != NULL);
}

void telemetry_event(struct telemetry *t, const char *name, const char *body,
		     const struct json *attributes)
{
	AUTO(buf_done) struct buf record = BUF_INIT(.max = RECORD_MAX);
	AUTO(free) char *session_id = NULL;
	struct jw w = { .out = &record, .pretty = true };
	int64_t now = clock_wall_ms();
	size_t n;

	if (!telemetry_on(t))
		return;
	(void)pthread_mutex_lock(&t->lock);
	session_id = xstrdup(t->session_id);
	(void)pthread_mutex_unlock(&t->lock);

	jw_obj(&w);
	jw_key(&w, "hrTime");
	record_put_time(&w, now);
	jw_key(&w, "hrTimeObserved");
	record_put_time(&w, now);
	record_put_resource(&w, session_id);
	jw_key(&w, "instrumentationScope");
	jw_obj(&w);
	jw_kv_z(&w, "name", "gemini-cli");
	jw_end(&w);
	n = put_attributes(&w, t, name, session_id, now, attributes);
	jw_key(&w, "_body");
	clean_put_str(&w, str_from(body));
	jw_kv_int(&w, "_attributesCount", (int64_t)n);
	jw_kv_int(&w, "_droppedAttributesCount", 0);
	jw_end(&w);
	buf_addc(&record, '\n');
	write_record(t, &record);
}

/* ---- metrics ---- */

static void add_sample(struct telemetry *t, struct sample s)
{
	(void)pthread_mutex_lock(&t->lock);
	s.session_id = t->session_id;
	metrics_add(&t->metrics, &s);
	(void)pthread_mutex_unlock(&t->lock);
}

void telemetry_count(struct telemetry *t, const char *metric, double by,
		     const struct json *attributes)
{
	if (telemetry_on(t))
		add_sample(t, (struct sample){
				      .metric = metric, .value = by, .attributes = attributes });
}

void telemetry_measure(struct telemetry *t, const char *metric, double value, const char *unit,
		       const struct json *attributes)
{
	if (telemetry_on(t))
		add_sample(t, (struct sample){ .metric = metric,
					       .unit = unit,
					       .histogram = true,
					       .value = value,
					       .attributes = attributes });
}

struct str telemetry_hook_name(struct str command)
{
	struct str rest = str_trim(command), word;
	size_t from, to;

	for (;;) {
		char quote = 0;
		size_t n = 0;

		/* The length of the first word of a command, with what is in its quotes. */
		for (; n < rest.n && (quote || rest.p[n] > ' '); n++) {
			if (quote && rest.p[n] == quote)
				quote = 0;
			else if (!quote && (rest.p[n] == '"' || rest.p[n] == '\''))
				quote = rest.p[n];
		}
		word = str_sub(rest, 0, n);
		/* FOO=bar before the command may be a secret. */
		for (n = 0; n < word.n && char_is_word(word.p[n]);)
			n++;
		if (!(n > 0 && n < word.n && word.p[n] == '='))
			break;
		rest = str_trim(str_sub(rest, word.n, rest.n));
	}
	for (to = word.n; to > 0 && strchr("\"'", word.p[to - 1]);)
		to--;
	for (from = to; from > 0 && !strchr("/\\\"'", word.p[from - 1]);)
		from--;
	return from < to ? str_sub(word, from, to) : STR("unknown-command");
}
