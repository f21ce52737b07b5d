/*
 * Processes that outlive the call that started them: those that the model put there, and those that
 * a command left behind.  Each has a thread (os/task.h) that writes its output to a file, of which
 * the oldest half is thrown away when it has become too long.
 */
#include "tools/background.h"

#include <errno.h>
#include <pthread.h>
#include <sys/stat.h>

#include "base/vec.h"
#include "os/clock.h"
#include "os/fd.h"
#include "tools/files.h"
#include "tools/registry.h"

enum {
	ENTRIES_MAX = 256,
	LINES = 100, /* shown unless asked otherwise */
	SHOWN_MAX = 64 << 10, /* bytes */
	LOG_MAX = 16 << 20,
	LOG_KEEP = LOG_MAX / 2,
};

struct entry {
	struct task *task;
	struct task_status status; /* when it was last looked at */
	bool over; /* the status is the last one */
	char *command, *path;
	bool keep_file; /* the model knows its path */
	pthread_mutex_t lock; /* of the file */
	int fd;
	size_t size;
};

struct background {
	pthread_mutex_t lock;
	struct {
		struct entry **p;
		size_t n, cap;
	} entries; /* in the order of their beginnings */
	struct cancel *cancel;
};

struct background *background_new(void)
{
	struct background *b = xcalloc(1, sizeof *b);

	(void)pthread_mutex_init(&b->lock, NULL);
	b->cancel = cancel_new(NULL);
	return b;
}

static void entry_free(struct entry *e)
{
	task_free(e->task);
	if (e->path && !e->keep_file)
		(void)unlink(e->path);
	if (e->fd >= 0)
		(void)close(e->fd);
	(void)pthread_mutex_destroy(&e->lock);
	free(e->command);
	free(e->path);
	free(e);
}

void background_free(struct background *b)
{
	if (!b)
		return;
	if (b->cancel)
		cancel_fire(b->cancel); /* all of them begin to end at the same time */
	for (size_t i = 0; i < b->entries.n; i++)
		entry_free(b->entries.p[i]);
	free(b->entries.p);
	cancel_free(b->cancel);
	(void)pthread_mutex_destroy(&b->lock);
	free(b);
}

/* ---- the file ---- */

/* Up to n bytes of the end. */
static void read_end(int fd, size_t size, size_t n, struct buf *out)
{
	off_t at = (off_t)(size - min_size(size, n));

	while ((size_t)at < size) {
		size_t want = min_size(size - (size_t)at, TASK_PIECE);
		ssize_t r = pread(fd, buf_reserve(out, want), want, at);

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return;
		out->n += (size_t)r;
		at += r;
	}
}

static void write_log(struct entry *e, struct str bytes)
{
	size_t n;

	/* On a full disk what comes now is lost; the process goes on. */
	(void)fd_write(e->fd, bytes, &n);
	e->size += n;
}

static void log_output(void *data, struct str bytes)
{
	AUTO(buf_done) struct buf end = { 0 };
	struct entry *e = data;

	pthread_mutex_lock(&e->lock);
	write_log(e, bytes);
	if (e->size > LOG_MAX) {
		read_end(e->fd, e->size, LOG_KEEP, &end);
		if (ftruncate(e->fd, 0) == 0) {
			e->size = 0;
			write_log(e, buf_str(&end));
		}
	}
	pthread_mutex_unlock(&e->lock);
}

/* ---- entries; the caller has the lock ---- */

static void look_at(struct entry *e)
{
	struct task_status now;

	if (e->over)
		return;
	now = task_status(e->task);
	e->over = now.state != TASK_RUNNING && now.nmembers == 0;
	if (e->over) { /* by these the model may still ask for it */
		now.nmembers = e->status.nmembers;
		memcpy(now.members, e->status.members, sizeof now.members);
	}
	e->status = now;
}

static void take_out(struct background *b, size_t i)
{
	b->entries.n--;
	memmove(b->entries.p + i, b->entries.p + i + 1,
		(b->entries.n - i) * sizeof(struct entry *));
}

static int add(struct background *b, struct entry *e, struct err *err)
{
	if (!b || !b->cancel)
		return err_set(err, E_INVAL, "this session cannot keep it");
	if (e->fd < 0)
		return err_set(err, E_IO, "its output cannot be saved");
	/* Room for one more, if need be by forgetting the oldest that is over. */
	for (size_t i = 0; b->entries.n >= ENTRIES_MAX && i < b->entries.n; i++) {
		look_at(b->entries.p[i]);
		if (!b->entries.p[i]->over)
			continue;
		entry_free(b->entries.p[i]);
		take_out(b, i);
	}
	if (b->entries.n >= ENTRIES_MAX)
		return err_set(err, E_LIMIT, "%d processes are running already", ENTRIES_MAX);
	return task_detach(e->task, b->cancel, log_output, e, err);
}

bool background_add(struct background *b, struct task *take_task, struct spool *spool,
		    struct str command, struct err *err)
{
	struct entry *e = xcalloc(1, sizeof *e);
	int r;

	(void)spool_save(spool);
	(void)pthread_mutex_init(&e->lock, NULL);
	e->task = take_task;
	e->status = task_status(take_task);
	e->command = xstrndup(command.p, command.n);
	e->keep_file = spool->named;
	e->size = spool->total;
	e->path = MOVE(spool->path);
	e->fd = spool->fd;
	spool->fd = -1;
	if (b)
		pthread_mutex_lock(&b->lock);
	r = add(b, e, err);
	if (r == 0)
		*VEC_ADD(&b->entries) = e;
	if (b)
		pthread_mutex_unlock(&b->lock);
	if (r < 0)
		entry_free(e);
	return r == 0;
}

/* The newest, since a number may be used again. */
static struct entry *find(struct background *b, int64_t pid)
{
	for (size_t i = b->entries.n; i > 0; i--) {
		struct entry *e = b->entries.p[i - 1];

		if (e->status.pid == pid)
			return e;
		for (size_t k = 0; k < e->status.nmembers; k++)
			if (e->status.members[k] == pid)
				return e;
	}
	return NULL;
}

void background_end(struct background *b, int pid)
{
	struct entry *e;

	pthread_mutex_lock(&b->lock);
	e = find(b, pid);
	for (size_t i = 0; e && i < b->entries.n; i++)
		if (b->entries.p[i] == e)
			take_out(b, i);
	pthread_mutex_unlock(&b->lock);
	if (!e)
		return;
	e->keep_file = false;
	entry_free(e);
}

/* ---- the tools ---- */

static void list(struct tool_call *call, struct tool_result *r)
{
	struct background *b = call->env->background;
	AUTO(buf_done) struct buf out = { 0 };

	if (b)
		pthread_mutex_lock(&b->lock);
	for (size_t i = 0; b && i < b->entries.n; i++) {
		struct entry *e = b->entries.p[i];

		look_at(e);
		buf_addf(&out, "%s- [PID %d] %s: `", i ? "\n" : "", (int)e->status.pid,
			 e->over ? "EXITED" : "RUNNING");
		for (const char *c = e->command; *c; c++)
			buf_addc(&out, *c == '\n' ? ' ' : *c);
		buf_addc(&out, '`');
		if (e->status.state == TASK_EXITED)
			buf_addf(&out, " (Exit Code: %d)", e->status.code);
		else if (e->status.state == TASK_SIGNALLED)
			buf_addf(&out, " (Signal: %d)", e->status.code);
	}
	if (b)
		pthread_mutex_unlock(&b->lock);
	if (out.n == 0)
		buf_addz(&out, "No background processes found.");
	tool_ok(call, r, buf_str(&out), buf_str(&out));
}

/* The end of what it has written; false without such a process. */
static bool read_log(struct background *b, int64_t pid, struct buf *out, bool *ret_cut)
{
	struct entry *e;

	if (!b)
		return false;
	pthread_mutex_lock(&b->lock);
	e = find(b, pid);
	if (e) {
		pthread_mutex_lock(&e->lock);
		read_end(e->fd, e->size, SHOWN_MAX, out);
		*ret_cut = e->size > out->n;
		pthread_mutex_unlock(&e->lock);
	}
	pthread_mutex_unlock(&b->lock);
	return e != NULL;
}

static void read_output(struct tool_call *call, struct tool_result *r)
{
	struct background *b = call->env->background;
	int64_t pid = arg_int(call, "pid", 1, 0), lines = arg_int(call, "lines", 1, LINES);
	AUTO(buf_done) struct buf bytes = { 0 };
	struct str text;
	bool cut = false;
	size_t at;

	(void)fd_sleep(call->cancel, arg_int(call, "delay_ms", 0, 0));
	if (!read_log(b, pid, &bytes, &cut)) {
		tool_fail(call, r, "invalid_tool_params",
			  "No background process with PID %lld was started in this session.",
			  (long long)pid);
		return;
	}
	text = spool_clean(call->arena, buf_str(&bytes));
	at = text.n - str_ends(text, STR("\n"));
	while (at > 0 && !(text.p[at - 1] == '\n' && --lines == 0))
		at--;
	text = str_sub(text, at, text.n);
	if (text.n == 0) {
		tool_ok(call, r, STR("Log is empty."), STR("Log is empty."));
		return;
	}
	if (cut || at > 0)
		text = arena_printf(call->arena, "[earlier output is left out]\n%.*s",
				    STR_ARG(text));
	tool_ok(call, r, tool_untrusted(call->arena, text), text);
}

static struct str describe_list(struct tool_call *call)
{
	(void)call;
	return STR("background processes");
}

static struct str describe_read(struct tool_call *call)
{
	return arena_printf(call->arena, "output of PID %lld",
			    (long long)arg_int(call, "pid", 1, 0));
}

const struct tool tool_list_background_processes = {
	.name = "list_background_processes",
	.display_name = "List Background Processes",
	.description = "Lists the processes that run_shell_command left running in this "
		       "session, with PID, state and command.",
	.parameters = "{\"type\":\"object\",\"properties\":{" WAIT_PARAMETER "}}",
	.kind = TOOL_READ,
	.read_only = true,
	.run = list,
	.describe = describe_list,
};

const struct tool tool_read_background_output = {
	.name = "read_background_output",
	.display_name = "Read Background Output",
	.description = "Shows the last lines of what a background process has written so far.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{"
		"\"pid\":{\"type\":\"integer\",\"description\":\"PID of the process, as "
		"run_shell_command or list_background_processes gave it.\"},"
		"\"lines\":{\"type\":\"integer\",\"minimum\":1,\"description\":\"How many lines of "
		"the end (default 100).\"},"
		"\"delay_ms\":{\"type\":\"integer\",\"description\":\"Milliseconds "
		"to wait before reading.\"}," WAIT_PARAMETER "},"
		"\"required\":[\"pid\"]}",
	.kind = TOOL_READ,
	.read_only = true,
	.run = read_output,
	.describe = describe_read,
};
