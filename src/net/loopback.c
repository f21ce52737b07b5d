#include "net/loopback.h"

#include <arpa/inet.h>
#include <errno.h>
#include <poll.h>
#include <sys/socket.h>

#include "os/clock.h"
#include "os/fd.h"

enum { VISITORS_MAX = 8, REQUEST_MAX = 16 << 10, VISIT_MS = 10000, BACKLOG = 16 };

int loopback_open(struct loopback *l, int port, struct err *err)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)port),
				  .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof at;
	int on = 1;

	*l = (struct loopback){ .fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK,
					     0) };
	if (l->fd >= 0)
		(void)setsockopt(l->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
	if (l->fd >= 0 && bind(l->fd, (const struct sockaddr *)&at, sizeof at) == 0 &&
	    listen(l->fd, BACKLOG) == 0 && getsockname(l->fd, (struct sockaddr *)&at, &n) == 0) {
		l->port = ntohs(at.sin_port);
		return 0;
	}
	int why = errno;
	loopback_close(l);
	if (why == EADDRINUSE)
		return err_set(err, E_BUSY, "port %d of this machine is in use", port);
	return err_errno(err, why, "waiting for the browser on 127.0.0.1");
}

void loopback_close(struct loopback *l)
{
	fd_close(&l->fd);
}

/* ---- visitors ---- */

struct visitor {
	int fd; /* -1 = none */
	int64_t until_us;
	struct buf text;
};

static void leave(struct visitor *v)
{
	fd_close(&v->fd);
	buf_done(&v->text);
}

/* What does not fit into the socket's buffer is lost: these answers are short. */
static void answer(struct visitor *v, const char *status, const char *page)
{
	AUTO(buf_done) struct buf body = { 0 }, out = { 0 };

	buf_addf(&body,
		 "<!doctype html><meta charset=\"utf-8\"><title>trotline</title>"
		 "<p style=\"font-family:sans-serif;margin:3em\">%s</p>\n",
		 page);
	buf_addf(&out,
		 "HTTP/1.1 %s\r\nContent-Type: text/html; charset=utf-8\r\n"
		 "Content-Length: %zu\r\nCache-Control: no-store\r\n"
		 "Referrer-Policy: no-referrer\r\nConnection: close\r\n\r\n",
		 status, body.n);
	buf_adds(&out, buf_str(&body));
	(void)send(v->fd, out.p, out.n, MSG_NOSIGNAL);
	(void)shutdown(v->fd, SHUT_WR);
}

/* "GET /path?query HTTP/1.1" of a head that is whole; false when it is none. */
static bool target_of(struct str head, struct str *ret_path, struct str *ret_query)
{
	ptrdiff_t end = str_find(head, STR("\r\n"), 0), blank, mark;
	struct str line = str_sub(head, 0, end < 0 ? 0 : (size_t)end);

	if (!str_starts(line, STR("GET /")))
		return false;
	line = str_sub(line, 4, line.n);
	blank = str_chr(line, ' ', 0);
	if (blank < 0)
		return false;
	line = str_sub(line, 0, (size_t)blank);
	mark = str_chr(line, '?', 0);
	*ret_path = str_sub(line, 0, mark < 0 ? line.n : (size_t)mark);
	*ret_query = mark < 0 ? STR("") : str_sub(line, (size_t)mark + 1, line.n);
	return true;
}

/* Reads what has come; true when this is who was waited for. */
static bool serve(struct visitor *v, const struct loopback_wait *w)
{
	const char *page = "This is not what trotline waits for.";
	ssize_t n = fd_read(v->fd, &v->text, 4096);
	struct str head = buf_str(&v->text), path, query;

	if (n != -EAGAIN && (n <= 0 || v->text.n > REQUEST_MAX)) {
		leave(v);
		return false;
	}
	if (str_find(head, STR("\r\n\r\n"), 0) < 0)
		return false;
	if (!target_of(head, &path, &query) || !str_eqz(path, w->path)) {
		answer(v, "404 Not Found", "There is nothing here.");
	} else if (w->take(w->data, query, &page)) {
		answer(v, "200 OK", page);
		return true;
	} else {
		answer(v, "400 Bad Request", page);
	}
	leave(v);
	return false;
}

static void welcome(struct visitor *visitors, int fd)
{
	struct visitor *oldest = visitors;
	int client = accept4(fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (client < 0)
		return;
	for (size_t i = 1; i < VISITORS_MAX && oldest->fd >= 0; i++)
		if (visitors[i].fd < 0 || visitors[i].until_us < oldest->until_us)
			oldest = &visitors[i];
	leave(oldest);
	*oldest =
		(struct visitor){ .fd = client, .until_us = clock_us() + (int64_t)VISIT_MS * 1000 };
}

int loopback_wait(struct loopback *l, const struct loopback_wait *w, struct cancel *cancel,
		  struct err *err)
{
	int64_t until = clock_us() + (int64_t)w->timeout_ms * 1000;
	struct visitor visitors[VISITORS_MAX];
	bool found = false;

	for (size_t i = 0; i < VISITORS_MAX; i++)
		visitors[i] = (struct visitor){ .fd = -1 };
	while (!found && !cancel_fired(cancel) && clock_us() < until) {
		struct pollfd fds[VISITORS_MAX + 2] = { { l->fd, POLLIN, 0 },
							{ cancel_fd(cancel), POLLIN, 0 } };
		int64_t left_ms = (until - clock_us()) / 1000 + 1;

		for (size_t i = 0; i < VISITORS_MAX; i++)
			fds[i + 2] = (struct pollfd){ visitors[i].fd, POLLIN, 0 };
		(void)fd_poll(fds, ARRAY_LEN(fds), left_ms > VISIT_MS ? VISIT_MS : (int)left_ms);
		for (size_t i = 0; i < VISITORS_MAX && !found; i++) {
			struct visitor *v = &visitors[i];

			if (v->fd >= 0 && fds[i + 2].revents)
				found = serve(v, w);
			if (!found && v->fd >= 0 && clock_us() > v->until_us)
				leave(v);
		}
		if (!found && fds[0].revents)
			welcome(visitors, l->fd);
	}
	for (size_t i = 0; i < VISITORS_MAX; i++)
		leave(&visitors[i]);
	if (found)
		return 0;
	return cancel_fired(cancel) ? err_set(err, E_CANCEL, "cancelled")
				    : err_set(err, E_IO, "no answer from the browser within %d s",
					      w->timeout_ms / 1000);
}
