#include "workbench/records.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/meant.h"
#include "base/path.h"
#include "base/utf8.h"
#include "hosts/host.h"
#include "os/fd.h"
#include "os/fs.h"

enum { RECORDS_MAX_BYTES = 64 << 20, READ_BYTES = 64 << 10 };

static int read_on(struct records *r, struct err *err)
{
	ssize_t n = 1;

	while (r->fd >= 0 && n > 0 && r->text.n <= 2 * (size_t)RECORDS_MAX_BYTES)
		n = fd_read(r->fd, &r->text, READ_BYTES);
	return n < 0 ? err_errno(err, (int)-n, "reading %s", r->path) : 0;
}

static void open_file(struct records *r)
{
	r->fd = open(r->path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	if (r->fd >= 0)
		(void)fd_lift(&r->fd, FD_LOWEST);
}

/* Opened first: what is moved away meanwhile is in what is open, or in the older file. */
int records_open(struct records *r, const char *home, struct err *err)
{
	AUTO(free) char *dir = fs_join(home, ".trotline");
	AUTO(free) char *path = fs_join(dir, "records.jsonl");
	AUTO(free) char *old = xasprintf("%s.1", path);
	struct stat mine, older;
	int n;

	*r = (struct records){ .fd = -1 };
	r->path = MOVE(path);
	open_file(r);
	if (r->fd < 0 || fstat(r->fd, &mine) < 0 || stat(old, &older) < 0 ||
	    !fs_is_same(&mine, &older)) {
		n = fs_read(old, RECORDS_MAX_BYTES, &r->text, err);
		if (n < 0 && n != -E_NOTFOUND)
			return n;
	}
	return read_on(r, err);
}

int records_more(struct records *r, struct err *err)
{
	size_t whole = r->text.n;
	struct stat mine, now;
	/* Asked before it is read: whoever moves the file away has written all. */
	bool moved = r->fd < 0 || fstat(r->fd, &mine) < 0 || stat(r->path, &now) < 0 ||
		     !fs_is_same(&mine, &now);
	int n;

	while (whole && r->text.p[whole - 1] != '\n')
		whole--;
	buf_drop(&r->text, whole);
	n = read_on(r, err);
	if (n < 0 || !moved)
		return n;
	fd_close(&r->fd);
	open_file(r);
	return read_on(r, err);
}

void records_done(struct records *r)
{
	fd_close(&r->fd);
	free((char *)r->path);
	buf_done(&r->text);
}

bool records_next(struct str *rest, struct arena *a, const struct json **ret_record)
{
	ptrdiff_t end;

	while ((end = str_chr(*rest, '\n', 0)) >= 0) {
		struct str line = str_sub(*rest, 0, (size_t)end);

		*rest = str_sub(*rest, (size_t)end + 1, rest->n);
		if (line.n && json_parse(a, line, JSON_BORROW, ret_record, NULL) == 0 &&
		    json_is(*ret_record, J_OBJ))
			return true;
	}
	return false;
}

bool record_ran(const struct json *record)
{
	const struct json *hooks = json_getz(record, "hooks");

	for (size_t i = 0; json_at(hooks, i); i++)
		if (str_eqz(json_get_str(json_at(hooks, i), "state"), "ran"))
			return true;
	return false;
}

bool record_is_unasked(const struct json *record)
{
	return json_is(json_getz(record, "asked"), J_BOOL) &&
	       !json_is_true(json_getz(record, "asked"));
}

struct str record_host(const struct json *record)
{
	struct str host = json_get_str(record, "host");

	return host.n ? host : STR("trotline");
}

int records_check_host(const struct records *r, const char *name, struct err *err)
{
	static const char *const ours[] = { "trotline", "mcp-guard" };
	struct str word = str_from(name ? name : ours[0]), text = buf_str(&r->text);
	const char *near = host_nearest(word);
	const struct json *v;

	for (size_t i = 0; i < ARRAY_LEN(ours); i++)
		if (str_eqz(word, ours[i]))
			return 0;
	if (host_find(word))
		return 0;
	while (text.n) {
		AUTO(arena_done) struct arena a = { 0 };

		if (!records_next(&text, &a, &v))
			break;
		if (str_eq(record_host(v), word))
			return 0;
	}
	return err_set(err, E_INVAL, "no agent is called \"%s\"%s", name,
		       near ? meant_as("", near).text : meant_of(word, ours, ARRAY_LEN(ours)).text);
}

bool record_denied(const struct json *record)
{
	const struct json *outcome = json_getz(record, "outcome");

	return str_eqz(json_get_str(outcome, "verdict"), "deny") ||
	       json_is_true(json_getz(outcome, "stop"));
}

/* ---- for people ---- */

const char *record_in_line(struct arena *a, struct str text)
{
	AUTO(buf_done) struct buf out = { 0 };

	(void)utf8_add_visible(&out, text, false);
	return arena_z(a, buf_str(&out));
}

const char *record_time(struct arena *a, struct str timestamp)
{
	struct str day = str_sub(timestamp, 0, 10), time = str_sub(timestamp, 11, 19);

	if (time.n < 8)
		return "(no time)";
	return record_in_line(a, arena_printf(a, "%.*s %.*sZ", STR_ARG(day), STR_ARG(time)));
}

const char *record_what(struct arena *a, const struct json *record)
{
	struct str event = json_get_str(record, "event"), subject = json_get_str(record, "subject");

	if (!event.n)
		return "what could not be read";
	return arena_printf(a, "%s%s%s", record_in_line(a, event), subject.n ? " " : "",
			    record_in_line(a, subject))
		.p;
}

static const struct {
	const char *verdict, *word;
	enum style style;
} words[] = {
	{ "deny", "denied", RED },
	{ "ask", "asked the user", YELLOW },
	{ "allow", "allowed", GREEN },
	{ "none", "no opinion", PLAIN },
};

/* A hook's own, or what all came to. */
static const char *decided(const struct json *v, enum style *ret_style)
{
	struct str verdict = json_get_str(v, "verdict");
	bool stop = json_is_true(json_getz(v, "stop"));
	size_t i = 0;

	while (i + 1 < ARRAY_LEN(words) && !str_eqz(verdict, words[i].verdict))
		i++;
	*ret_style = stop ? RED : words[i].style;
	return stop ? "stopped the agent" : words[i].word;
}

const char *record_word(const struct json *record, enum style *ret_style)
{
	const struct json *outcome = json_getz(record, "outcome");

	*ret_style = YELLOW;
	if (record_is_unasked(record))
		return "ended, and trotline has no record of being asked";
	return outcome ? decided(outcome, ret_style) : "an event that trotline does not know";
}

const struct json *records_last_of(struct arena *a, struct str text, struct str host)
{
	struct str mark = arena_printf(a, "\"host\":\"%.*s\"", STR_ARG(host));

	while (text.n) {
		AUTO(arena_done) struct arena own = { 0 };
		size_t from = --text.n; /* the end of a line */
		const struct json *v;
		struct str line;

		while (from > 0 && text.p[from - 1] != '\n')
			from--;
		line = str_sub(text, from, text.n);
		text.n = from;
		if (str_find(line, mark, 0) >= 0 &&
		    json_parse(&own, line, JSON_BORROW, &v, NULL) >= 0 && !record_is_unasked(v) &&
		    str_eq(record_host(v), host))
			return json_dup(a, v);
	}
	return NULL;
}

bool unasked_can_be_seen(struct str host)
{
	const struct host *h = host_find(host);

	return h && host_names_calls(h);
}

void unasked_add(struct unasked *u, struct arena *a, const struct json *record)
{
	u->calls++;
	u->last = json_dup(a, record);
}

/* Few lines are of that kind, and reading all of them takes time. */
void unasked_find(struct unasked *u, struct arena *a, struct str text, struct str host)
{
	struct str line;

	while (str_split(&text, '\n', &line)) {
		AUTO(arena_done) struct arena own = { 0 };
		const struct json *v;

		if (str_find(line, STR("\"asked\":false"), 0) >= 0 &&
		    json_parse(&own, line, JSON_BORROW, &v, NULL) >= 0 && record_is_unasked(v) &&
		    str_eq(record_host(v), host))
			unasked_add(u, a, v);
	}
}

const struct json *unasked_value(struct arena *a, const struct unasked *u)
{
	return json_pack(a, "calls:i ?tool:s ?last:s ?id:s", u->calls,
			 json_get_str(u->last, "subject"), json_get_str(u->last, "timestamp"),
			 json_get_str(u->last, "id"));
}

void unasked_show(struct sheet *p, struct arena *a, const struct unasked *u)
{
	if (!u->calls)
		return;
	sheet_f(p, RED,
		u->calls == 1
			? "%d call ended that trotline has no record of being asked about: %s"
			: "%d calls ended that trotline has no record of being asked about; the "
			  "last: %s",
		u->calls, arena_z(a, json_get_str(u->last, "subject")));
	sheet_f(p, PLAIN, ", %s (trotline hooks why %s)\n",
		arena_z(a, json_get_str(u->last, "timestamp")),
		arena_z(a, json_get_str(u->last, "id")));
}

static const struct {
	const char *key, *head;
	enum style style;
	bool repeats; /* mostly it is the reason once more */
} texts[] = {
	{ "why", "", DIM, false },           { "reason", "", PLAIN, false },
	{ "warning", "", YELLOW, false },    { "message", "", PLAIN, true },
	{ "stderr", "stderr: ", DIM, true },
};

static void show_hook(struct sheet *p, struct arena *a, const char *home, const struct json *hook)
{
	const char *file = arena_z(a, json_get_str(hook, "file")), *below = path_below(home, file);
	bool ran = str_eqz(json_get_str(hook, "state"), "ran");
	struct str how = json_get_str(hook, "class");
	const char *what = "did not run";
	struct str reason = str_trim(json_get_str(hook, "reason"));
	enum style style = DIM;

	if (ran)
		what = decided(hook, &style);
	if (ran && !str_eqz(how, "ok") && !str_eqz(how, "blocked"))
		what = arena_printf(a, "%s (failed: %.*s)", what, STR_ARG(how)).p;
	sheet_f(p, style, "  %s", what);
	sheet_f(p, ran ? BOLD : PLAIN, "  %s", arena_z(a, json_get_str(hook, "name")));
	if (ran)
		sheet_f(p, PLAIN, "  %.1f ms", json_num(json_getz(hook, "us"), 0) / 1000);
	if (json_getz(hook, "exit"))
		sheet_f(p, PLAIN, "  exit %.0f", json_num(json_getz(hook, "exit"), 0));
	if (json_getz(hook, "signal"))
		sheet_f(p, PLAIN, "  signal %.0f", json_num(json_getz(hook, "signal"), 0));
	sheet_f(p, DIM, "  %s%s:%.0f\n", below && *below ? "~/" : "",
		below && *below ? below : file, json_num(json_getz(hook, "line"), 0));
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct str text = str_trim(json_get_str(hook, texts[i].key));

		if (text.n && !(texts[i].repeats && str_eq(text, reason)))
			sheet_text(p, texts[i].style,
				   arena_printf(a, "%s%.*s", texts[i].head, STR_ARG(text)).p, 4);
	}
}

void record_show(struct sheet *p, struct arena *a, const char *home, const struct json *record)
{
	const struct json *hooks = json_getz(record, "hooks");
	struct str session = json_get_str(record, "session_id"), cwd = json_get_str(record, "cwd"),
		   agent = json_get_str(record, "agent_id");
	enum style style;
	const char *word = record_word(record, &style);

	sheet_f(p, BOLD, "%s", record_what(a, record));
	sheet_f(p, PLAIN, ": ");
	sheet_f(p, style, "%s\n", word);
	sheet_f(p, PLAIN, "  %s, %s", arena_z(a, record_host(record)),
		arena_z(a, json_get_str(record, "timestamp")));
	sheet_f(p, PLAIN, session.n ? ", session %s" : "%s", arena_z(a, session));
	sheet_f(p, PLAIN, agent.n ? ", sub-agent %s" : "%s", arena_z(a, agent));
	sheet_f(p, PLAIN, cwd.n ? ", in %s\n" : "%s\n", arena_z(a, cwd));
	if (!json_is(hooks, J_ARR) || !hooks->n)
		sheet_text(p, PLAIN,
			   arena_z(a, json_get_str(json_getz(record, "outcome"), "reason")), 2);
	for (size_t i = 0; json_at(hooks, i); i++)
		show_hook(p, a, home, json_at(hooks, i));
}
