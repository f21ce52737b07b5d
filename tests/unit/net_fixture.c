#include "net_fixture.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "os/clock.h"
#include "os/fd.h"

struct loopback server;

void server_stop(struct loopback *s)
{
	(void)kill(s->pid, SIGTERM);
	(void)close(s->in);
	assert_int_equal(waitpid(s->pid, NULL, 0), s->pid);
}

const char *server_url(const struct loopback *s, const char *path)
{
	static _Thread_local char urls[4][512];
	static _Thread_local unsigned turn;
	char *url = urls[turn++ % ARRAY_LEN(urls)];

	assert_in_range(snprintf(url, sizeof urls[0], "http://127.0.0.1:%d%s", s->port, path), 1,
			sizeof urls[0] - 1);
	return url;
}

static int ask_about(const struct loopback *s, const char *what, const char *id)
{
	AUTO(free) char *path = xasprintf("/%s=%s", what, id);
	AUTO(http_reply_done) struct http_reply reply = { 0 };
	AUTO(http_free) struct http *h = http_new();
	struct http_request rq = { .url = server_url(s, path) };
	struct err err = { 0 };

	return http_run(h, &rq, NULL, &reply, &err) < 0 ? -1 : reply.status;
}

bool server_has_seen(const struct loopback *s, const char *id)
{
	return ask_about(s, "seen?of", id) == 200;
}

void server_wait_seen(const struct loopback *s, const char *id)
{
	int64_t until = clock_us() + (int64_t)NET_DEADLINE_MS * 1000;

	while (!server_has_seen(s, id) && clock_us() < until)
		(void)fd_sleep(NULL, 5);
}

void server_assert_left(const struct loopback *s, const char *id)
{
	assert_int_equal(ask_about(s, "left?id", id), 200);
}

static struct sockaddr_in loopback(int port)
{
	return (struct sockaddr_in){ .sin_family = AF_INET,
				     .sin_port = htons((uint16_t)port),
				     .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
}

/* With a backlog of 0 the kernel completes one connection; the others only begin. */
void port_open(struct port *p, bool full)
{
	struct sockaddr_in address = loopback(0);
	socklen_t size = sizeof address;

	p->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_int_equal(bind(p->fd, (struct sockaddr *)&address, size), 0);
	assert_int_equal(getsockname(p->fd, (struct sockaddr *)&address, &size), 0);
	p->number = ntohs(address.sin_port);
	if (full)
		assert_int_equal(listen(p->fd, 0), 0);
	for (size_t i = 0; i < ARRAY_LEN(p->waiting); i++) {
		p->waiting[i] = -1;
		if (!full)
			continue;
		p->waiting[i] = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
		(void)connect(p->waiting[i], (struct sockaddr *)&address, size);
	}
}

void port_close(struct port *p)
{
	for (size_t i = 0; i < ARRAY_LEN(p->waiting); i++) {
		if (p->waiting[i] >= 0)
			(void)close(p->waiting[i]);
	}
	(void)close(p->fd);
}

int hear_data(void *data, struct str bytes, struct err *err)
{
	struct client *c = data;

	(void)err;
	c->pieces++;
	buf_adds(&c->data, bytes);
	return 0;
}

static void hear_retry(void *data, int attempt, int wait_ms, const char *why)
{
	struct client *c = data;

	c->last_wait_ms = wait_ms;
	buf_addf(&c->retries, "%d: %s; ", attempt, why);
	if (c->fire_on_retry)
		cancel_fire(c->cancel);
}

void client_done(struct client *c)
{
	http_reply_done(&c->reply);
	http_free(c->http);
	buf_done(&c->data);
	buf_done(&c->retries);
	cancel_free(c->cancel);
}

int ask(struct client *c, struct http_request rq)
{
	int64_t start = clock_us();
	int r;

	if (!c->http)
		c->http = http_new();
	rq.data = c;
	rq.on_retry = hear_retry;
	buf_clear(&c->data);
	buf_clear(&c->retries);
	c->err = (struct err){ 0 };
	r = http_run(c->http, &rq, c->cancel, &c->reply, &c->err);
	c->elapsed_ms = (clock_us() - start) / 1000;
	assert_int_equal(r < 0 ? -r : 0, c->err.code);
	return r;
}

void assert_says(const struct client *c, const char *part)
{
	if (!strstr(c->err.text, part))
		fail_msg("\"%s\" is not in \"%s\"", part, c->err.text);
}

struct str echoed(struct arena *a, struct client *c, const char *pointer)
{
	const struct json *doc = NULL;
	const struct json *v;

	assert_int_equal(json_parse(a, buf_str(&c->reply.body), 0, &doc, NULL), 0);
	v = json_pointer(doc, str_from(pointer));
	return v ? json_str(v, json_text(a, v, JSON_COMPACT)) : STR("(none)");
}

void assert_echoed(struct client *c, const char *pointer, const char *value)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str v = echoed(&a, c, pointer);

	assert_int_equal(c->reply.status, 200);
	assert_string_equal(arena_z(&a, v), value);
}

int net_set_up(void **state)
{
	static const char *const proxies[] = {
		"http_proxy", "https_proxy", "HTTPS_PROXY",   "all_proxy",    "ALL_PROXY",
		"no_proxy",   "NO_PROXY",    "SSL_CERT_FILE", "SSL_CERT_DIR", "NODE_EXTRA_CA_CERTS"
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(proxies); i++)
		(void)unsetenv(proxies[i]);
	(void)setenv("TROTLINE_RETRY_UNIT_MS", "10", 1);
	loopback_start(&server, "net/server.py", NULL);
	return 0;
}

int net_tear_down(void **state)
{
	(void)state;
	server_stop(&server);
	return 0;
}
