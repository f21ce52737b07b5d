/*
 * trotline mcp guard: sits between a client of MCP, on stdin and stdout, and its server, and asks
 * hooks about what goes from one to the other (docs/mcp-guard.md).  One thread polls both; hooks
 * have threads of their own.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#include "base/json_pack.h"
#include "base/path.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/interrupt.h"
#include "cli/mcp/mcp_guard_hooks.h"
#include "cli/mcp/mcp_guard_load.h"
#include "hosts/load.h"
#include "mcp/lines.h"
#include "mcp/link.h"
#include "mcp/rpc.h"
#include "mcp/transport.h"
#include "net/url.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/proc.h"
#include "settings/home.h"

enum {
	LEAVE_MS = 1000, /* of a server, once the client has ended and has all its answers */
	OUT_MAX = 8 << 20, /* a client that does not read is not read from, nor is its server */
	ENDS_MAX = 4 << 10, /* of a long message: its beginning and its end */
};

struct guard_args {
	const char *name, *url, *home;
	struct opt_list headers;
	bool no_record;
};

static const struct opt opts[] = {
	{ "name", 'n', "NAME", OPT_STR, offsetof(struct guard_args, name),
	  "what hooks call the server (default: its program, or its host)" },
	{ "url", 'u', "URL", OPT_STR, offsetof(struct guard_args, url),
	  "the server is on the web: streamable HTTP, or SSE" },
	{ "header", 'H', "NAME: VALUE", OPT_LIST, offsetof(struct guard_args, headers),
	  "a header for it" },
	{ "home", 0, "DIR", OPT_STR, offsetof(struct guard_args, home),
	  "the home directory whose settings count, whatever HOME says" },
	{ "no-record", 0, NULL, OPT_FLAG, offsetof(struct guard_args, no_record),
	  "do not add the firings to the records" },
};
const struct opt_set mcp_guard_opts = OPT_SET(opts, struct guard_args);

/* The beginning and the end of a line that is too long to be kept. */
struct ends {
	struct buf head, tail;
};

struct proxy {
	struct guard guard;
	struct guard_hooks hooks;
	struct guard_load load;
	char *home;
	const struct mcp_config *config;
	struct mcp_auth *auth; /* NULL = none */
	struct link *link; /* NULL = the server has ended */
	struct lines lines; /* of the client */
	struct ends from_client, from_server;
	const struct halt *halt;
	int out; /* the client; stdout itself is closed to all others */
	bool ended; /* the client will not say any more */
	bool gone; /* nor read */
	bool hung_up; /* the server knows that */
	int64_t leave_us; /* then it is ended; INT64_MAX = not yet */
	int status;
	struct arena arena;
};

/* ---- long lines ---- */

/* True when the line has ended: all is in the head then. */
static bool ends_take(struct ends *e, struct str bytes)
{
	if (bytes.p) {
		buf_adds(&e->head, str_sub(bytes, 0, ENDS_MAX - min_size(e->head.n, ENDS_MAX)));
		bytes = str_sub(bytes, bytes.n - min_size(bytes.n, ENDS_MAX), bytes.n);
		buf_adds(&e->tail, bytes);
		buf_drop(&e->tail, e->tail.n - min_size(e->tail.n, ENDS_MAX));
		return false;
	}
	buf_adds(&e->head, buf_str(&e->tail));
	buf_clear(&e->tail);
	return true;
}

static void ends_done(struct ends *e)
{
	buf_done(&e->head);
	buf_done(&e->tail);
}

/* ---- the guard's host ---- */

static bool changed(void *data)
{
	struct proxy *p = data;

	return guard_load_refresh(&p->load, &p->hooks);
}

static bool wants(void *data, const struct guard_call *c, bool after)
{
	return guard_hooks_wants(&((struct proxy *)data)->hooks, c, after);
}

static void fire(void *data, struct guard_call *c)
{
	guard_hooks_fire(&((struct proxy *)data)->hooks, c);
}

static void cancel(void *data, struct guard_call *c)
{
	guard_hooks_cancel(&((struct proxy *)data)->hooks, c);
}

static int send_on(void *data, struct str text, int64_t number, struct err *err)
{
	struct proxy *p = data;

	/* A blank line is nothing to post. */
	if (!p->link || (p->config->transport != MCP_STDIO && !str_trim(text).n))
		return 0;
	return link_send(p->link, text, number, err);
}

static void agreed(void *data, struct str version)
{
	struct proxy *p = data;

	if (p->link)
		link_agreed(p->link, arena_z(&p->arena, version));
}

static void note(void *data, const char *text)
{
	(void)data;
	complain("mcp guard: %s", text);
}

static const struct guard_host guard_host = { changed, wants, fire, cancel, send_on, agreed, note };

/* ---- the link's events ---- */

static void on_message(void *data, struct str text)
{
	struct proxy *p = data;
	AUTO(buf_done) struct buf line = { 0 };

	/* JSON from the web may have line breaks, between its values only. */
	if (p->config->transport != MCP_STDIO) {
		buf_adds(&line, text);
		for (size_t i = 0; i < line.n; i++)
			if (line.p[i] == '\n' || line.p[i] == '\r')
				line.p[i] = ' ';
		text = buf_str(&line);
	}
	guard_server(&p->guard, text);
}

static void on_lost(void *data, int64_t id, const char *why)
{
	struct proxy *p = data;
	AUTO(free) char *text = xasprintf("trotline mcp guard: %s", why);

	if (id)
		guard_lost(&p->guard, id, text);
}

static void on_note(void *data, struct str line)
{
	AUTO(free) char *text = xstrndup(line.p, line.n);

	note(data, text);
}

static bool waits(void *data, int64_t id)
{
	return guard_waits(&((struct proxy *)data)->guard, id);
}

static void on_skipped(void *data, struct str bytes)
{
	struct proxy *p = data;

	if (!ends_take(&p->from_server, bytes))
		return;
	guard_server_long(&p->guard, buf_str(&p->from_server.head));
	buf_clear(&p->from_server.head);
}

/* ---- the client ---- */

static void on_line(void *data, struct str line)
{
	guard_client(&((struct proxy *)data)->guard, line);
}

static void on_long(void *data)
{
	(void)data;
}

static void on_client_skipped(void *data, struct str bytes)
{
	struct proxy *p = data;

	if (!ends_take(&p->from_client, bytes))
		return;
	guard_client_long(&p->guard, buf_str(&p->from_client.head));
	buf_clear(&p->from_client.head);
}

/* ---- the loop ---- */

static bool is_over(const struct proxy *p)
{
	return p->gone || cancel_fired(p->halt->work);
}

static void link_end(struct proxy *p)
{
	link_close(p->link);
	p->link = NULL;
}

static void server_gone(struct proxy *p, const char *why)
{
	bool ended = p->link->why == MCP_WHY_ENDED;
	AUTO(free) char *text = xasprintf("trotline mcp guard: %s", why);

	p->status = ended ? p->link->status : EXIT_USAGE;
	if (p->status && !p->hung_up)
		complain("mcp guard: %s", why);
	guard_gone(&p->guard, text);
	link_end(p);
}

enum { FD_HALT, FD_DONE, FD_IN, FD_OUT, FDS };

/* (waits) Until something is to be done, at most until the server is to leave. */
static void turn(struct proxy *p)
{
	bool full = p->guard.out.n >= OUT_MAX, stdio = p->config->transport == MCP_STDIO;
	struct pollfd fds[FDS];
	size_t n = 0, in = FDS, out = FDS;
	int timeout = p->leave_us == INT64_MAX ? -1 : clock_ms_until(p->leave_us);
	struct err err;

	fds[n++] = (struct pollfd){ cancel_fd(p->halt->work), POLLIN, 0 };
	fds[n++] = (struct pollfd){ queue_fd(p->hooks.done), POLLIN, 0 };
	if (!p->ended && !full) {
		in = n;
		fds[n++] = (struct pollfd){ STDIN_FILENO, POLLIN, 0 };
	}
	/* Without anything to write: to hear that the reader is gone. */
	if (p->guard.out.n || stdio) {
		out = n;
		fds[n++] = (struct pollfd){ p->out, p->guard.out.n ? POLLOUT : 0, 0 };
	}
	if (!p->link || full)
		(void)fd_poll(fds, n, timeout);
	else if (link_wait(p->link, fds, n, timeout, &err) < 0)
		server_gone(p, err.text);
	if (out < n && fds[out].revents & (POLLERR | POLLHUP | POLLNVAL) && !p->guard.out.n)
		p->gone = true;
	if (out < n && fds[out].revents)
		p->gone |= !pipe_drain(p->out, &p->guard.out);
	if (in < n && fds[in].revents) {
		char chunk[64 << 10];
		ssize_t got = read(STDIN_FILENO, chunk, sizeof chunk);

		if (got < 0 && (errno == EINTR || errno == EAGAIN))
			return;
		if (got > 0) {
			lines_feed(&p->lines, (struct str){ chunk, (size_t)got });
			return;
		}
		lines_end(&p->lines);
		p->ended = true;
	}
}

/* The client has said all: the server hears of it when it has heard that. */
static void hang_up(struct proxy *p)
{
	if (!p->ended || !p->link || guard_count(&p->guard, GUARD_BEFORE))
		return;
	if (!p->hung_up)
		link_hang_up(p->link);
	p->hung_up = true;
	if (p->guard.out.n || guard_count(&p->guard, GUARD_SENT) ||
	    guard_count(&p->guard, GUARD_AFTER))
		p->leave_us = INT64_MAX;
	else if (p->leave_us == INT64_MAX)
		p->leave_us = clock_us() + LEAVE_MS * 1000LL;
	/* A server on the web has not to be waited for once it was told. */
	if (p->leave_us != INT64_MAX && p->config->transport != MCP_STDIO &&
	    !link_is_sending(p->link))
		p->leave_us = 0;
	if (clock_us() >= p->leave_us)
		link_end(p);
}

/* (waits) Until client or server have ended, and all was said that can be. */
static void loop(struct proxy *p)
{
	struct guard_word word;
	struct guard_call *c;
	bool told = false;

	for (;;) {
		while ((c = guard_hooks_take(&p->hooks, &word)))
			guard_said(&p->guard, c, &word);
		if (is_over(p) && !told) {
			guard_gone(&p->guard, "the guard was ended");
			for (size_t i = 0; i < p->guard.calls.n; i++)
				cancel(p, p->guard.calls.p[i]);
			told = true;
		}
		if (is_over(p) && p->link)
			link_end(p);
		if (is_over(p) && !p->hooks.firings.n)
			return;
		hang_up(p);
		if (!p->link && !p->hooks.firings.n && !p->guard.out.n)
			return;
		if (is_over(p)) {
			struct pollfd done = { queue_fd(p->hooks.done), POLLIN, 0 };

			(void)fd_poll(&done, 1, -1);
		} else {
			turn(p);
		}
	}
}

/* ---- a guard that cannot start ---- */

struct refusal {
	const char *why;
	bool done;
};

static void refuse_line(void *data, struct str line)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	struct refusal *r = data;
	const struct json *doc;

	if (r->done || !str_trim(line).n)
		return;
	if (rpc_parse(&a, line, &doc, NULL) < 0 || json_is(doc, J_ARR))
		doc = NULL;
	if (doc && !json_getz(doc, "id"))
		return;
	rpc_add_error(&out, json_getz(doc, "id"), GUARD_DENIED, r->why);
	buf_addc(&out, '\n');
	(void)fd_write(STDOUT_FILENO, buf_str(&out), NULL);
	r->done = true;
}

static void refuse_long(void *data)
{
	refuse_line(data, STR("?"));
}

/* (waits) The client learns why: the first that it asks is answered with it. */
static int refuse_all(const char *why, int status)
{
	AUTO(free) char *text = xasprintf("trotline mcp guard cannot start: %s", why);
	struct refusal r = { .why = text };
	AUTO(buf_done) struct buf chunk = { 0 };
	struct lines lines = {
		.max = GUARD_LINE_MAX, .on_line = refuse_line, .on_long = refuse_long, .data = &r
	};

	complain("mcp guard cannot start: %s", why);
	while (!r.done && fd_read(STDIN_FILENO, &chunk, 64 << 10) > 0) {
		lines_feed(&lines, buf_str(&chunk));
		buf_clear(&chunk);
	}
	lines_end(&lines);
	lines_done(&lines);
	return status;
}

/* ---- the start ---- */

/* A program gets what the client has given us: its directory, all of its environment. */
static const struct mcp_config *command_config(struct proxy *p, const char *name, int n,
					       char **words)
{
	struct mcp_config *c = ARENA_NEW(&p->arena, struct mcp_config);
	const char **argv = ARENA_ARRAY(&p->arena, const char *, (size_t)n + 1);
	AUTO(free) char *here = getcwd(NULL, 0);
	const char *program = *path_name(words[0]) ? path_name(words[0]) : words[0];

	for (int i = 0; i < n; i++)
		argv[i] = words[i];
	*c = (struct mcp_config){ .name = name ? name : program,
				  .transport = MCP_STDIO,
				  .command = words[0],
				  .argv = argv,
				  .dir = arena_z(&p->arena, str_from(here ? here : "/")),
				  .env = (const char *const *)environ };
	return c;
}

static const struct mcp_config *url_config(struct proxy *p, const struct guard_args *args,
					   const char *home)
{
	struct arena *a = &p->arena;
	struct str host = str_from(args->url);
	ptrdiff_t scheme = str_find(host, STR("://"), 0);
	const char *name = args->name, *odd;
	const struct json *entry =
		mcp_entry_of_url(a, args->url, args->headers.p, args->headers.n, &odd);
	struct mcp_options o = {
		.env = (const char *const *)environ, .cwd = "/", .home = home, .unnamed = true
	};
	size_t n = 0;

	if (!entry)
		return NULL;
	/* Without a name it is called as its host. */
	host = str_sub(host, scheme < 0 ? 0 : (size_t)scheme + 3, host.n);
	while (n < host.n && !strchr("/:?#", host.p[n]))
		n++;
	if (!name)
		name = n ? arena_z(a, str_sub(host, 0, n)) : "server";
	o.settings = json_set(a, NULL, STR("mcpServers"), json_set(a, NULL, str_from(name), entry));
	return mcp_config_read(a, &o, &n);
}

static int open_link(struct proxy *p, const char *home, struct err *err)
{
	const struct mcp_config *c = p->config;
	struct link_events on = { .message = on_message,
				  .lost = on_lost,
				  .note = on_note,
				  .waits = waits,
				  .exact = true,
				  .skipped = on_skipped,
				  .data = p,
				  .stop = p->halt->work };

	if (c->problem)
		return err_set(err, E_CONFIG, "%s", c->problem);
	if (c->transport == MCP_STDIO)
		return link_stdio_open(c, &on, &p->link, err);
	if (c->transport == MCP_TCP)
		return err_set(err, E_INVAL, "--url takes an address of http or https");
	p->auth = on.auth = mcp_auth_new(c, home, (const char *const *)environ);
	return link_http_open(c, &on, &p->link, err);
}

static void proxy_done(struct proxy *p)
{
	if (p->link)
		link_end(p);
	guard_done(&p->guard);
	guard_hooks_done(&p->hooks);
	queue_free(p->hooks.done, NULL);
	mcp_auth_free(p->auth);
	for (size_t i = 0; i < p->hooks.snapshots; i++)
		tl_hooks_unref(p->hooks.hooks[i]);
	guard_load_done(&p->load);
	free(p->home);
	lines_done(&p->lines);
	ends_done(&p->from_client);
	ends_done(&p->from_server);
	arena_done(&p->arena);
}

DEFINE_AUTO(struct proxy, proxy_done)

static int usage(const char *why)
{
	complain("mcp guard: %s; trotline mcp guard --help shows how", why);
	return EXIT_USAGE;
}

/* Starts the server, and is between it and its client until both have ended. */
static int run(struct proxy *p, const struct guard_args *args, int n, char **words)
{
	char now[CLOCK_ISO_SIZE];
	struct tl_err tl_err;
	const char *home;
	struct err err;

	if (home_installed(args->home, (const char *const *)environ, &p->home, &err) < 0)
		return refuse_all(err.text, EXIT_CONFIG);
	home = p->home;
	if (guard_load_open(&p->load, home, &p->hooks, &tl_err) < 0)
		return refuse_all(tl_err.text, EXIT_CONFIG);
	p->config = args->url ? url_config(p, args, home) : command_config(p, args->name, n, words);
	if (!p->config)
		return usage("--header takes a name and a value with \":\" between them");
	p->hooks.config = p->config;
	p->hooks.no_record = args->no_record;
	/* What records are found by. */
	clock_iso(now);
	p->hooks.session =
		arena_printf(&p->arena, "mcp-guard-%s-%s-%ld", p->config->name, now, (long)getpid())
			.p;
	p->hooks.done = queue_new();
	if (!p->hooks.done)
		return refuse_all("out of file descriptors", EXIT_USAGE);
	guard_init(&p->guard, &guard_host, p);
	p->lines = (struct lines){ .max = GUARD_LINE_MAX,
				   .on_line = on_line,
				   .on_long = on_long,
				   .on_skipped = on_client_skipped,
				   .exact = true,
				   .data = p };
	if (open_link(p, home, &err) < 0)
		return refuse_all(err.text, EXIT_USAGE);
	/* Text that is printed on stdout from now on is no message. */
	AUTO(close) int out = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, FD_LOWEST);
	if (out >= 0)
		(void)dup2(STDERR_FILENO, STDOUT_FILENO);
	p->out = out;
	loop(p);
	for (size_t i = 0; i < p->hooks.snapshots; i++)
		tl_hooks_end_session(p->hooks.hooks[i], p->hooks.session);
	return cancel_fired(p->halt->work) ? interrupt_status() : p->status;
}

int cmd_mcp_guard(const void *args_, int n, char **rest)
{
	const struct guard_args *args = args_;
	AUTO(proxy_done) struct proxy p = { .out = -1, .leave_us = INT64_MAX };
	static struct halt halt; /* of the signal handlers */
	struct url url;
	struct err err;
	bool dashes = n > 0 && strcmp(rest[0], "--") == 0;

	n -= dashes;
	rest += dashes;
	if (args->url ? n > 0 : n == 0 || !*rest[0])
		return usage(args->url ? "--url takes no command"
				       : "it needs --url or a server's command");
	if (args->headers.n && !args->url)
		return usage("--header is for --url");
	if (args->name && (!*args->name || utf8_valid(str_from(args->name)) != strlen(args->name)))
		return usage("--name takes a name");
	if (args->url && url_read(&p.arena, args->url, &url, &err) < 0)
		return usage(arena_printf(&p.arena, "--url %s: %s", args->url, err.text).p);
	if (!halt_init(&halt))
		return refuse_all("out of file descriptors", EXIT_USAGE);
	p.halt = &halt;
	interrupt_halt(&halt);
	return run(&p, args, n, rest);
}
