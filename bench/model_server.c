#include "model_server.h"

#include <arpa/inet.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include "bench.h"

enum { CONNECTIONS = 64, READ = 256 << 10 };

struct connection {
	int fd; /* -1 = free */
	struct buf in;
	bool continued; /* "100 Continue" was sent */
};

struct model_server {
	int listener, stop, port;
	pthread_t thread;
	struct connection connections[CONNECTIONS];
	pthread_mutex_t lock; /* for what follows */
	const struct str *answers;
	size_t nanswers, nseen;
	struct model_request_seen seen[MODEL_REQUESTS];
	struct buf first;
};

/* ---- answers ---- */

void model_answer_begin(struct buf *out)
{
	buf_addz(out, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
		      "Transfer-Encoding: chunked\r\n\r\n");
}

static void piece(struct buf *out, const char *event)
{
	buf_addf(out, "%zx\r\n%s\r\n", strlen(event), event);
}

void model_answer_parts(struct buf *out, const char *parts)
{
	AUTO(free) char *event = xasprintf(
		"data: {\"candidates\": [{\"content\": {\"parts\": [%s],\"role\": \"model\"},"
		"\"index\": 0}],\"modelVersion\": \"gemini-2.5-flash\","
		"\"responseId\": \"bench\"}\r\n\r\n",
		parts);

	piece(out, event);
}

void model_answer_text(struct buf *out, const char *text)
{
	AUTO(free) char *part = xasprintf("{\"text\": \"%s\"}", text);

	model_answer_parts(out, part);
}

void model_answer_end(struct buf *out)
{
	piece(out, "data: {\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"\"}],"
		   "\"role\": \"model\"},\"finishReason\": \"STOP\",\"index\": 0}],"
		   "\"usageMetadata\": {\"promptTokenCount\": 10,\"candidatesTokenCount\": 5,"
		   "\"totalTokenCount\": 15},\"modelVersion\": \"gemini-2.5-flash\","
		   "\"responseId\": \"bench\"}\r\n\r\n");
	buf_addz(out, "0\r\n\r\n");
}

/* ---- serving ---- */

static void send_all(int fd, struct str s)
{
	while (s.n) {
		ssize_t r = send(fd, s.p, s.n, MSG_NOSIGNAL);

		if (r <= 0)
			return; /* the client went */
		s = str_sub(s, (size_t)r, s.n);
	}
}

/* countTokens and generateContent, which some clients ask for besides. */
static void send_other(int fd, struct str target)
{
	const char *body =
		str_find(target, STR("countTokens"), 0) >= 0
			? "{\"totalTokens\": 10}"
			: "{\"candidates\": [{\"content\": {\"parts\": [{\"text\": \"{}\"}],"
			  "\"role\": \"model\"}, \"finishReason\": \"STOP\"}]}";
	AUTO(free) char *answer = xasprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
					    "Content-Length: %zu\r\n\r\n%s",
					    strlen(body), body);

	send_all(fd, str_from(answer));
}

static void answer(struct model_server *m, int fd, struct str target, struct str body)
{
	struct model_request_seen seen = { .came_us = bench_now_us(), .bytes = body.n };
	struct str bytes = { 0 };

	if (str_find(target, STR("streamGenerateContent"), 0) < 0) {
		send_other(fd, target);
		return;
	}
	(void)pthread_mutex_lock(&m->lock);
	if (m->nanswers)
		bytes = m->answers[min_size(m->nseen, m->nanswers - 1)];
	if (m->nseen == 0) {
		buf_clear(&m->first);
		buf_adds(&m->first, body);
	}
	seen.answered_us = bench_now_us();
	if (m->nseen < MODEL_REQUESTS)
		m->seen[m->nseen++] = seen;
	(void)pthread_mutex_unlock(&m->lock);
	send_all(fd, bytes);
}

/* A header's value, "" when there is none. */
static struct str header(struct str head, const char *name)
{
	struct str line;

	for (struct str rest = head; str_split(&rest, '\n', &line);)
		if (str_starts_icase(line, str_from(name)))
			return str_trim(str_sub(line, strlen(name), line.n));
	return STR("");
}

/* Answers the first request of what came when it is there as a whole; false when it is not. */
static bool serve_one(struct model_server *m, struct connection *c)
{
	struct str all = buf_str(&c->in), head, target;
	ptrdiff_t end = str_find(all, STR("\r\n\r\n"), 0);
	int64_t length = 0;

	if (end < 0)
		return false;
	head = str_sub(all, 0, (size_t)end + 2);
	(void)str_to_int(header(head, "content-length:"), &length);
	all = str_sub(all, (size_t)end + 4, all.n);
	if (all.n < (size_t)length) {
		if (!c->continued && header(head, "expect:").n)
			send_all(c->fd, STR("HTTP/1.1 100 Continue\r\n\r\n"));
		c->continued = true;
		return false;
	}
	target = str_sub(head, 0, (size_t)max_size(0, (size_t)str_chr(head, '\n', 0)));
	answer(m, c->fd, target, str_sub(all, 0, (size_t)length));
	buf_drop(&c->in, (size_t)end + 4 + (size_t)length);
	c->continued = false;
	return true;
}

static void receive(struct model_server *m, struct connection *c)
{
	char *room = buf_reserve(&c->in, READ);
	ssize_t r = recv(c->fd, room, READ, 0);

	if (r <= 0) {
		(void)close(c->fd);
		buf_done(&c->in);
		*c = (struct connection){ .fd = -1 };
		return;
	}
	c->in.n += (size_t)r;
	while (serve_one(m, c))
		continue;
}

static void accept_one(struct model_server *m)
{
	int fd = accept4(m->listener, NULL, NULL, SOCK_CLOEXEC), one = 1;

	for (size_t i = 0; fd >= 0 && i < CONNECTIONS; i++) {
		if (m->connections[i].fd >= 0)
			continue;
		(void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
		m->connections[i] = (struct connection){ .fd = fd };
		return;
	}
	if (fd >= 0)
		(void)close(fd);
}

static void *serve(void *data)
{
	struct model_server *m = data;
	struct pollfd fds[CONNECTIONS + 2];

	for (;;) {
		fds[CONNECTIONS] = (struct pollfd){ .fd = m->listener, .events = POLLIN };
		fds[CONNECTIONS + 1] = (struct pollfd){ .fd = m->stop, .events = POLLIN };
		for (size_t i = 0; i < CONNECTIONS; i++)
			fds[i] = (struct pollfd){ .fd = m->connections[i].fd, .events = POLLIN };
		(void)poll(fds, ARRAY_LEN(fds), -1);
		if (fds[CONNECTIONS + 1].revents)
			return NULL;
		for (size_t i = 0; i < CONNECTIONS; i++)
			if (fds[i].revents)
				receive(m, &m->connections[i]);
		if (fds[CONNECTIONS].revents)
			accept_one(m);
	}
}

struct model_server *model_server_new(void)
{
	struct model_server *m = xcalloc(1, sizeof *m);
	struct sockaddr_in at = { .sin_family = AF_INET, .sin_addr = { htonl(INADDR_LOOPBACK) } };
	socklen_t size = sizeof at;

	for (size_t i = 0; i < CONNECTIONS; i++)
		m->connections[i].fd = -1;
	(void)pthread_mutex_init(&m->lock, NULL);
	m->stop = eventfd(0, EFD_CLOEXEC);
	m->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	bench_must(bind(m->listener, (struct sockaddr *)&at, size) == 0, "bind");
	bench_must(listen(m->listener, 64) == 0, "listen");
	bench_must(getsockname(m->listener, (struct sockaddr *)&at, &size) == 0, "getsockname");
	m->port = ntohs(at.sin_port);
	bench_must(pthread_create(&m->thread, NULL, serve, m) == 0, "pthread_create");
	return m;
}

void model_server_free(struct model_server *m)
{
	(void)!write(m->stop, &(uint64_t){ 1 }, sizeof(uint64_t));
	(void)pthread_join(m->thread, NULL);
	for (size_t i = 0; i < CONNECTIONS; i++) {
		if (m->connections[i].fd >= 0)
			(void)close(m->connections[i].fd);
		buf_done(&m->connections[i].in);
	}
	(void)close(m->listener);
	(void)close(m->stop);
	(void)pthread_mutex_destroy(&m->lock);
	buf_done(&m->first);
	free(m);
}

int model_server_port(const struct model_server *m)
{
	return m->port;
}

void model_server_script(struct model_server *m, const struct str *answers, size_t n)
{
	(void)pthread_mutex_lock(&m->lock);
	m->answers = answers;
	m->nanswers = n;
	m->nseen = 0;
	(void)pthread_mutex_unlock(&m->lock);
}

size_t model_server_seen(struct model_server *m, const struct model_request_seen **ret_seen)
{
	size_t n;

	(void)pthread_mutex_lock(&m->lock);
	*ret_seen = m->seen;
	n = m->nseen;
	(void)pthread_mutex_unlock(&m->lock);
	return n;
}

struct str model_server_first_body(struct model_server *m)
{
	return buf_str(&m->first);
}
