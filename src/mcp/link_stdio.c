/*
 * A server that is our child: a message a line on its stdin and stdout, what it likes on stderr.
 * It leads a group of its own, which ends with it.  Pipes are non-blocking: one that never reads
 * fills a buffer with a limit, one that never stops writing is read piece by piece.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/env.h"
#include "mcp/lines.h"
#include "mcp/link.h"
#include "mcp/rpc.h"
#include "os/child.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/proc.h"
#include "os/spawn.h"

enum {
	PIECE = 64 << 10, /* bytes of each stream that one round reads */
	LAST_PIECES = 64, /* pieces that are read once the server has ended */
	NOTE_MAX = 4 << 10, /* bytes of a line of stderr */
	LEAVE_MS = 500, /* to go by itself once stdin is closed */
	TERM_MS = 1500, /* and once it was asked to */
	KILL_MS = 5000, /* a busy machine may take long to end what was killed */
};

struct stdio_link {
	struct link link;
	struct child child;
	struct spawn_ends ends; /* -1 when closed */
	struct buf out; /* not yet written */
	size_t out_at;
	bool hangs_up; /* once that is done */
	struct lines messages, notes;
	char last_note[160]; /* what the server said last, for why it ended */
	char piece[PIECE];
};

static struct stdio_link *self(struct link *l)
{
	return (struct stdio_link *)l;
}

static void on_message(void *data, struct str line)
{
	struct stdio_link *s = data;

	if (s->link.on.exact || str_trim(line).n)
		s->link.on.message(s->link.on.data, line);
}

static void on_long_message(void *data)
{
	struct stdio_link *s = data;

	s->link.on.lost(s->link.on.data, 0, "the server's answer is longer than 32 MiB");
}

static void on_note(void *data, struct str line)
{
	struct stdio_link *s = data;

	if (!str_trim(line).n)
		return;
	(void)snprintf(s->last_note, sizeof s->last_note, "%.*s", STR_ARG(str_trim(line)));
	s->link.on.note(s->link.on.data, line);
}

static void on_long_note(void *data)
{
	struct stdio_link *s = data;

	s->link.on.note(s->link.on.data, STR("(a line that is too long)"));
}

static void on_skipped(void *data, struct str bytes)
{
	struct stdio_link *s = data;

	if (s->link.on.skipped)
		s->link.on.skipped(s->link.on.data, bytes);
}

/* ---- start ---- */

static int start(struct stdio_link *s, const struct mcp_config *c, struct err *err)
{
	AUTO(free) char *file = NULL;
	struct proc_spec spec = { .argv = c->argv,
				  .envp = c->env,
				  .cwd = c->dir,
				  .sandbox = c->sandbox ? &c->sandbox->may : NULL };
	char reason[128];
	pid_t pid = 0;
	int pidfd = -1;
	int r;

	/* As a shell would find it from the server's directory. */
	if (strchr(c->command, '/'))
		file = fs_absolute(c->dir, c->command);
	else if (!fs_find_program(c->command, env_get(c->env, "PATH"), &file))
		return err_set(err, E_NOTFOUND, "program not found: %s", c->command);
	spec.file = file;
	if (spec.sandbox && sandbox_check(sandbox_abi(), err) < 0) /* C6.13 */
		return err_wrap(err, "cannot start %s", c->command);
	r = spawn_pipes(&s->ends, 0);
	if (r == 0 && s->link.on.exact) {
		/* The child writes to our stderr itself: nothing of it can be lost or late. */
		struct spawn_ends *ends = &s->ends;

		fd_close(&ends->from[SPAWN_STDERR]);
		fd_close(&ends->child_to[SPAWN_STDERR]);
		ends->child_to[SPAWN_STDERR] =
			fcntl(STDERR_FILENO, F_DUPFD_CLOEXEC, PROC_RESULT_FD);
		r = ends->child_to[SPAWN_STDERR] < 0 ? -errno : 0;
	}
	if (r == 0)
		r = spawn_process(&spec, &s->ends, &pid, &pidfd);
	spawn_close_child_ends(&s->ends);
	if (r == 0)
		r = child_watch(&s->child, pid, pidfd);
	if (r == 0)
		return 0;
	spawn_close(&s->ends);
	return err_set(err, E_SPAWN, "cannot start %s%s: %s", c->command,
		       fs_is_dir(c->dir) ? "" : " (its cwd is not a directory)",
		       strerror_r(-r, reason, sizeof reason));
}

/* ---- run ---- */

static int stdio_send(struct link *l, struct str text, int64_t id, struct err *err)
{
	struct stdio_link *s = self(l);

	(void)id;
	if (s->out.n - s->out_at + text.n + 1 > LINK_OUT_MAX)
		return err_set(err, E_LIMIT, "the server does not read what it is sent");
	buf_drop(&s->out, s->out_at);
	s->out_at = 0;
	buf_adds(&s->out, text);
	buf_addc(&s->out, '\n');
	return 0;
}

static void write_out(struct stdio_link *s)
{
	struct iovec v = { s->out.p + s->out_at, s->out.n - s->out_at };
	ssize_t n;

	if (!v.iov_len && s->hangs_up)
		fd_close(&s->ends.in);
	if (s->ends.in < 0 || !v.iov_len)
		return;
	n = pipe_writev(s->ends.in, &v, 1);
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		fd_close(&s->ends.in); /* that it reads no longer shows when it ends */
	if (n > 0)
		s->out_at += (size_t)n;
	if (s->out_at == s->out.n) {
		buf_done(&s->out);
		s->out_at = 0;
	}
}

/* False when there was nothing to read; the descriptor is closed at the end. */
static bool read_piece(struct stdio_link *s, enum spawn_stream stream, struct lines *lines)
{
	int *fd = &s->ends.from[stream];
	ssize_t n;

	if (*fd < 0)
		return false;
	do {
		n = read(*fd, s->piece, sizeof s->piece);
	} while (n < 0 && errno == EINTR);
	if (n > 0) {
		lines_feed(lines, (struct str){ s->piece, (size_t)n });
		return true;
	}
	if (n == 0 || errno != EAGAIN) {
		fd_close(fd);
		lines_end(lines);
	}
	return false;
}

/* Reaps it, its group first. */
static enum child_end reap(struct stdio_link *s, int *ret_code)
{
	child_signal(&s->child, SIGKILL);
	return child_reap(&s->child, ret_code);
}

static int ended(struct stdio_link *s, struct err *err)
{
	const char *colon = "", *said = "";
	enum child_end end;
	int code = 0;

	for (int i = 0; i < LAST_PIECES && read_piece(s, SPAWN_STDOUT, &s->messages); i++)
		;
	for (int i = 0; i < LAST_PIECES && read_piece(s, SPAWN_STDERR, &s->notes); i++)
		;
	end = reap(s, &code);
	s->link.why = MCP_WHY_ENDED;
	s->link.status = end == CHILD_SIGNALLED ? 128 + code : code;
	if (s->last_note[0]) {
		colon = ": ";
		said = s->last_note;
	}
	if (end == CHILD_EXITED)
		return err_set(err, E_IO, "the server has ended with status %d%s%s", code, colon,
			       said);
	if (end == CHILD_SIGNALLED)
		return err_set(err, E_IO, "the server was ended by signal %d%s%s", code, colon,
			       said);
	return err_set(err, E_IO, "the server has ended%s%s", colon, said);
}

enum { FD_CHILD, FD_IN, FD_OUT, FD_ERR, FDS };

static int stdio_wait(struct link *l, struct pollfd *extra, size_t n, int timeout_ms,
		      struct err *err)
{
	struct stdio_link *s = self(l);
	struct pollfd fds[FDS + LINK_EXTRA_MAX];

	write_out(s);
	fds[FD_CHILD] = (struct pollfd){ .fd = s->child.fd, .events = POLLIN };
	fds[FD_IN] = (struct pollfd){ .fd = s->out.n ? s->ends.in : -1, .events = POLLOUT };
	fds[FD_OUT] = (struct pollfd){ .fd = s->ends.from[SPAWN_STDOUT], .events = POLLIN };
	fds[FD_ERR] = (struct pollfd){ .fd = s->ends.from[SPAWN_STDERR], .events = POLLIN };
	memcpy(fds + FDS, extra, n * sizeof *extra);
	(void)fd_poll(fds, FDS + n, timeout_ms);
	memcpy(extra, fds + FDS, n * sizeof *extra);
	if (fds[FD_CHILD].revents)
		return ended(s, err);
	if (fds[FD_IN].revents)
		write_out(s);
	if (fds[FD_OUT].revents)
		(void)read_piece(s, SPAWN_STDOUT, &s->messages);
	if (fds[FD_ERR].revents)
		(void)read_piece(s, SPAWN_STDERR, &s->notes);
	if (s->ends.from[SPAWN_STDOUT] < 0)
		return child_wait(&s->child, LEAVE_MS)
			       ? ended(s, err)
			       : err_set(err, E_IO, "the server has closed its output");
	return 0;
}

static void stdio_hang_up(struct link *l)
{
	self(l)->hangs_up = true;
	write_out(self(l));
}

static void stdio_close(struct link *l)
{
	struct stdio_link *s = self(l);
	int code;

	/* A closed stdin is the protocol's way of saying that it is over. */
	spawn_close(&s->ends);
	if (s->child.fd >= 0 && !child_wait(&s->child, LEAVE_MS)) {
		child_signal(&s->child, SIGTERM);
		if (!child_wait(&s->child, TERM_MS))
			child_signal(&s->child, SIGKILL);
	}
	if (s->child.fd >= 0 && child_wait(&s->child, KILL_MS))
		(void)reap(s, &code);
	else if (s->child.fd >= 0)
		child_abandon(&s->child);
	buf_done(&s->out);
	lines_done(&s->messages);
	lines_done(&s->notes);
	free(s);
}

int link_stdio_open(const struct mcp_config *config, const struct link_events *on,
		    struct link **ret_link, struct err *err)
{
	static const struct link_ops ops = {
		.send = stdio_send,
		.wait = stdio_wait,
		.hang_up = stdio_hang_up,
		.close = stdio_close,
	};
	struct stdio_link *s = xcalloc(1, sizeof *s);
	int r;

	s->link = (struct link){ .ops = &ops, .on = *on };
	s->child.fd = -1;
	s->messages = (struct lines){ .max = RPC_MAX_BYTES,
				      .on_line = on_message,
				      .on_long = on_long_message,
				      .on_skipped = on_skipped,
				      .exact = on->exact,
				      .data = s };
	s->notes = (struct lines){
		.max = NOTE_MAX, .on_line = on_note, .on_long = on_long_note, .data = s
	};
	r = start(s, config, err);
	if (r < 0) {
		free(s);
		return r;
	}
	*ret_link = &s->link;
	return 0;
}
