/*
 * The recordings of a directory: listing, finding, deleting, and the clean-up by age and number.
 * Only regular files named session-*.json or .jsonl count, and the clean-up removes only those with
 * a time in their name, as we and Gemini CLI give it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/transcript/transcript_impl.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/clock.h"
#include "os/fs.h"

enum {
	TITLE_MAX = 100, /* characters */
	TITLE_READ = 2000,
	SHORT_BYTES = 400, /* of a recording with little more than its first line */
	SHORT_ID = 8,
};

#define DAY_MS ((int64_t)24 * 60 * 60 * 1000)
/* A recording that was just made may still be empty. */
#define FRESH_MS ((int64_t)60 * 60 * 1000)

struct infos {
	struct transcript_info *p;
	size_t n, cap;
};

void transcript_info_done(struct transcript_info *i)
{
	free(i->path);
	free(i->id);
	free(i->title);
	*i = (struct transcript_info){ 0 };
}

DEFINE_AUTO(struct transcript_info, transcript_info_done)

void transcript_list_free(struct transcript_info *list, size_t n)
{
	for (size_t i = 0; i < n; i++)
		transcript_info_done(&list[i]);
	free(list);
}

static void infos_done(struct infos *v)
{
	transcript_list_free(v->p, v->n);
}

DEFINE_AUTO(struct infos, infos_done)

static bool is_recording_name(const char *name)
{
	struct str s = str_from(name);

	return str_starts(s, STR("session-")) &&
	       (str_ends(s, STR(".json")) || str_ends(s, STR(".jsonl")));
}

/* session-2026-01-27T10-00-...: no user picks such a name by chance. */
static bool is_dated_name(const char *name)
{
	static const char form[] = "session-0000-00-00T00-00-";

	if (!is_recording_name(name) || strlen(name) < sizeof form)
		return false;
	for (size_t i = 0; form[i]; i++)
		if (form[i] == '0' ? !char_is_digit(name[i]) : form[i] != name[i])
			return false;
	return true;
}

static char *title_of(struct arena *a, const struct json *message)
{
	AUTO(buf_done) struct buf line = { 0 }, out = { 0 };
	struct str text = str_trim(utf8_prefix(recording_shown(a, message), TITLE_READ));

	for (size_t i = 0; i < text.n; i++) {
		if (str_trim((struct str){ text.p + i, 1 }).n)
			buf_addc(&line, text.p[i]);
		else if (line.n && line.p[line.n - 1] != ' ')
			buf_addc(&line, ' ');
	}
	(void)utf8_add_visible(&out, buf_str(&line), false);
	if (utf8_count(buf_str(&out)) > TITLE_MAX) {
		out.n = utf8_prefix(buf_str(&out), TITLE_MAX - 3).n;
		buf_addz(&out, "...");
	}
	return buf_take(&out);
}

enum scan { SCAN_LISTED, SCAN_HIDDEN };

/* What a file says; -E_PARSE when it is no recording. */
static int scan(const char *path, struct transcript_info *ret, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(recording_done) struct recording r = { 0 };
	struct stat st = { 0 };
	AUTO(close) int fd = recording_open(path, O_RDONLY, err);
	int rc = fd < 0 ? fd : recording_read(fd, path, &text, err);

	if (rc < 0)
		return rc;
	rc = recording_parse(&a, buf_str(&text), &r, err);
	if (rc < 0)
		return rc;
	(void)lstat(path, &st);
	int64_t changed = (int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000;
	int64_t started = recording_time(r.started), updated = recording_time(r.updated);
	size_t messages = 0;
	bool listed = false;

	for (size_t i = 0; i < r.messages.n; i++) {
		const struct json *m = r.messages.p[i].message;
		bool user = recording_is_user(m);

		messages += user || recording_is_model(m);
		listed = listed || (user && recording_parts(&a, m)->n);
	}

	*ret = (struct transcript_info){
		.path = xstrdup(path),
		.id = xstrndup(r.session_id.p, r.session_id.n),
		.messages = messages,
		.title = r.first_user ? title_of(&a, r.first_user) : xstrdup("(no text)"),
		.started_ms = started   ? started
			      : updated ? updated
					: changed,
		.updated_ms = updated   ? updated
			      : started ? started
					: changed,
	};
	/* There is a message of the user, and it is no sub-agent's. */
	return listed && !str_eqz(r.kind, "subagent") ? SCAN_LISTED : SCAN_HIDDEN;
}

static int by_start(const void *a, const void *b)
{
	const struct transcript_info *x = a, *y = b;

	if (x->started_ms != y->started_ms)
		return x->started_ms < y->started_ms ? -1 : 1;
	return strcmp(x->path, y->path);
}

static int list_names(const char *dir, struct fs_names *ret, struct err *err)
{
	int r = fs_list(dir, ret, err);

	return r == -E_NOTFOUND ? 0 : r;
}

int transcript_list(const char *dir, struct transcript_info **ret_list, size_t *ret_n,
		    struct err *err)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	AUTO(infos_done) struct infos list = { 0 };
	int r = list_names(dir, &names, err);

	if (r < 0)
		return r;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);
		AUTO(transcript_info_done) struct transcript_info info = { 0 };
		size_t at = 0;

		if (!is_recording_name(names.p[i]) || scan(path, &info, NULL) != SCAN_LISTED)
			continue;
		/* One that was migrated is in two files: the one that was continued counts. */
		while (at < list.n && strcmp(list.p[at].id, info.id) != 0)
			at++;
		if (at == list.n) {
			*VEC_ADD(&list) = info;
		} else if (info.updated_ms >= list.p[at].updated_ms) {
			transcript_info_done(&list.p[at]);
			list.p[at] = info;
		} else {
			continue;
		}
		info = (struct transcript_info){ 0 };
	}
	if (list.n)
		qsort(list.p, list.n, sizeof *list.p, by_start);
	*ret_list = list.p;
	*ret_n = list.n;
	list = (struct infos){ 0 };
	return 0;
}

int transcript_find(const char *dir, const char *which, struct transcript_info *ret,
		    struct err *err)
{
	AUTO(infos_done) struct infos list = { 0 };
	struct str s = str_trim(str_from(which));
	size_t i = 0;
	int64_t index;
	int r = transcript_list(dir, &list.p, &list.n, err);

	if (r < 0)
		return r;
	while (i < list.n && !str_eqz(s, list.p[i].id))
		i++;
	if (list.n && str_eqz(s, "latest"))
		i = list.n - 1;
	else if (i == list.n && str_to_int(s, &index) && index > 0 && (uint64_t)index <= list.n)
		i = (size_t)index - 1;
	if (i == list.n)
		return err_set(err, E_NOTFOUND, "no session \"%s\" in %s", which, dir);
	*ret = list.p[i];
	list.p[i] = (struct transcript_info){ 0 };
	return 0;
}

/* Calls use_file for each recording of this id until it returns false. */
static void each_of_id(const char *dir, const char *id, bool (*use_file)(const char *, void *),
		       void *data)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	AUTO(free) char *end = transcript_safe_id(id, SHORT_ID);

	if (list_names(dir, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);
		AUTO(transcript_info_done) struct transcript_info info = { 0 };
		struct str name = str_from(names.p[i]);

		if (!is_recording_name(names.p[i]))
			continue;
		name.n -= str_ends(name, STR(".json")) ? 5 : 6;
		if (str_ends(name, str_from(end)) && scan(path, &info, NULL) >= 0 &&
		    strcmp(info.id, id) == 0 && !use_file(path, data))
			return;
	}
}

static bool note_file(const char *path, void *data)
{
	(void)path;
	*(bool *)data = true;
	return false;
}

bool transcript_id_exists(const char *dir, const char *id)
{
	bool found = false;

	each_of_id(dir, id, note_file, &found);
	return found;
}

/* A directory of plain files goes; anything else in it stays, and so does it then. */
static void remove_flat_dir(const char *dir, const char *suffix)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };
	struct stat st;

	if (lstat(dir, &st) < 0 || !S_ISDIR(st.st_mode) || list_names(dir, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (str_ends(str_from(names.p[i]), str_from(suffix)) && lstat(path, &st) == 0 &&
		    S_ISREG(st.st_mode))
			(void)unlink(path);
	}
	(void)rmdir(dir);
}

/* What belongs to a session besides its recording; an id that is no name has nothing. */
static void remove_belongings(const char *dir, const char *id)
{
	for (const char *p = id; *p; p++)
		if (!char_is_word(*p) && *p != '-')
			return;
	if (!*id)
		return;
	AUTO(free) char *agents = fs_join(dir, id);
	AUTO(free) char *outputs = xasprintf("%s/../tool-outputs/session-%s", dir, id);
	AUTO(free) char *log = xasprintf("%s/../logs/session-%s.jsonl", dir, id);

	AUTO(free) char *claude = xasprintf("%s/../claude/%s", dir, id);
	AUTO(free) char *claude_log = xasprintf("%s.jsonl", claude);
	AUTO(free) char *claude_agents = xasprintf("%s/subagents", claude);

	remove_flat_dir(agents, ".jsonl");
	remove_flat_dir(claude_agents, ".jsonl");
	(void)rmdir(claude);
	(void)unlink(claude_log);
	remove_flat_dir(outputs, "");
	(void)unlink(log);
}

static bool remove_file(const char *path, void *data)
{
	(void)data;
	(void)unlink(path);
	return true;
}

int transcript_delete(const char *dir, const struct transcript_info *i, struct err *err)
{
	if (unlink(i->path) < 0 && errno != ENOENT)
		return err_errno(err, errno, "deleting %s", i->path);
	each_of_id(dir, i->id, remove_file, NULL);
	remove_belongings(dir, i->id);
	return 0;
}

/* general.sessionRetention, understood. */
struct retention {
	int64_t max_age_ms, max_count; /* 0 = no limit of the number */
};

/* "30d": hours, days, weeks, months of 30 days. */
static bool parse_age(const struct json *v, const char *dflt, int64_t *ret_ms)
{
	static const struct {
		char unit;
		int64_t ms;
	} units[] = {
		{ 'h', DAY_MS / 24 }, { 'd', DAY_MS }, { 'w', 7 * DAY_MS }, { 'm', 30 * DAY_MS }
	};
	struct str s = v ? json_str(v, STR("")) : str_from(dflt);
	int64_t n;

	if (s.n < 2 || !char_is_digit(s.p[0]) || !str_to_int(str_sub(s, 0, s.n - 1), &n) || n <= 0)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		if (s.p[s.n - 1] != units[i].unit)
			continue;
		/* An age beyond all recordings is one that never comes. */
		if (__builtin_mul_overflow(n, units[i].ms, ret_ms) || *ret_ms > clock_wall_ms())
			*ret_ms = clock_wall_ms();
		return true;
	}
	return false;
}

/* False when nothing is to be removed: settings that cannot be understood remove nothing. */
static bool read_retention(const struct json *settings, struct retention *ret)
{
	const struct json *s = json_pointer(settings, STR("/general/sessionRetention"));
	const struct json *enabled = json_getz(s, "enabled");
	const struct json *count = json_getz(s, "maxCount");
	int64_t least;

	if ((s && !json_is(s, J_OBJ)) || (enabled && !json_is_true(enabled)))
		return false;
	if (!parse_age(json_getz(s, "maxAge"), "30d", &ret->max_age_ms))
		return false;
	if (!parse_age(json_getz(s, "minRetention"), "1d", &least))
		least = DAY_MS;
	if (ret->max_age_ms < least)
		return false;
	if (!count || json_is(count, J_NULL))
		return true;
	double n = json_num(count, 0);

	if (!(n >= 1))
		return false;
	ret->max_count = n < 1e9 ? (int64_t)n : 0;
	return true;
}

/* A file that clean-up may remove. */
struct candidate {
	char *path;
	int64_t changed_ms;
	off_t size;
};

struct candidates {
	struct candidate *p;
	size_t n, cap;
};

static void candidates_done(struct candidates *v)
{
	for (size_t i = 0; i < v->n; i++)
		free(v->p[i].path);
	free(v->p);
}

DEFINE_AUTO(struct candidates, candidates_done)

static int newest_first(const void *a, const void *b)
{
	const struct candidate *x = a, *y = b;

	if (x->changed_ms != y->changed_ms)
		return x->changed_ms > y->changed_ms ? -1 : 1;
	return strcmp(x->path, y->path);
}

/*
 * A start that was torn is short; longer files are looked at when they are old, so that the usual
 * start opens none.
 */
static bool is_corrupt(const struct candidate *c, bool old, int64_t now)
{
	AUTO(transcript_info_done) struct transcript_info info = { 0 };

	if (c->size == 0)
		return now - c->changed_ms > FRESH_MS;
	return (old || c->size < SHORT_BYTES) && scan(c->path, &info, NULL) == -E_PARSE;
}

/* The time of the file and the time in it must both be past. */
static bool is_expired(const struct candidate *c, int64_t limit_ms, const char *keep_id,
		       char **ret_id)
{
	AUTO(transcript_info_done) struct transcript_info info = { 0 };

	if (c->changed_ms >= limit_ms || scan(c->path, &info, NULL) < 0 ||
	    info.updated_ms >= limit_ms || strcmp(info.id, keep_id) == 0)
		return false;
	*ret_id = MOVE(info.id);
	return true;
}

void transcript_retention(const char *dir, const struct json *settings, const char *keep_id)
{
	AUTO(candidates_done) struct candidates files = { 0 };
	AUTO(fs_names_done) struct fs_names names = { 0 };
	struct retention rule = { 0 };
	int64_t now = clock_wall_ms(), kept = 0;

	if (!read_retention(settings, &rule) || list_names(dir, &names, NULL) < 0)
		return;
	keep_id = keep_id ? keep_id : "";
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);
		struct stat st;

		if (!is_dated_name(names.p[i]) || lstat(path, &st) < 0 || !S_ISREG(st.st_mode))
			continue;
		*VEC_ADD(&files) = (struct candidate){
			.path = MOVE(path),
			.changed_ms =
				(int64_t)st.st_mtim.tv_sec * 1000 + st.st_mtim.tv_nsec / 1000000,
			.size = st.st_size,
		};
	}
	if (files.n)
		qsort(files.p, files.n, sizeof *files.p, newest_first);
	for (size_t i = 0; i < files.n; i++) {
		const struct candidate *c = &files.p[i];
		AUTO(free) char *id = NULL;
		bool too_many = rule.max_count && kept >= rule.max_count;
		int64_t limit_ms = too_many ? INT64_MAX : now - rule.max_age_ms;
		AUTO(close) int fd = -1;

		if (!is_corrupt(c, c->changed_ms < limit_ms, now) &&
		    !is_expired(c, limit_ms, keep_id, &id)) {
			kept++;
			continue;
		}
		fd = recording_open(c->path, O_RDONLY, NULL);
		if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 || unlink(c->path) < 0)
			continue;
		if (id)
			remove_belongings(dir, id);
	}
}
