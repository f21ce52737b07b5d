/*
 * One loop over all that can happen: somebody asks, a process ends, a borrower is done, a time is
 * over.  Nothing here is waited for but by poll().
 */
#include "hosts/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/path.h"
#include "base/vec.h"
#include "hooks/announce.h"
#include "hooks/keeper.h"
#include "os/clock.h"
#include "os/family.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/pass.h"

enum {
	KEPT_MAX = 64, /* processes in all; the oldest makes room */
	WARM_MOST = 8,
	LIFE_MS = 86400000, /* the longest that anything is kept */
	CLIENTS_MAX = 128,
	/* Without anything to keep and anybody who asks. */
	LEAVES_AFTER_MS = 60000,
};

/* What is started again and again: one for each description. */
struct kind {
	uint8_t like[SHA256_DIGEST_LENGTH];
	struct arena arena;
	struct str text; /* the description */
	struct proc_spec spec;
	struct sandbox sandbox;
	uint32_t warm, seconds;
	size_t users;
};

struct kept {
	struct proc proc;
	struct kind *kind;
	struct announcer by;
	int64_t until_us; /* while it waits */
	int borrower; /* a socket; -1 = it waits */
	bool told; /* how it ended */
	bool left; /* by its borrower, to end by itself until then */
};

/* A client that has connected and not asked. */
struct client {
	int socket;
	int64_t until_us;
};

static struct keeper {
	int socket;
	const char *home;
	struct stat self; /* this program, as it was started */
	char own[PATH_MAX]; /* where it is */
	bool leaving; /* it was replaced: nothing is started any longer */
	int64_t idle_us; /* since then nothing is kept */
	struct {
		struct kept **p;
		size_t n, cap;
	} kept;
	struct {
		struct client *p;
		size_t n, cap;
	} clients;
} k;

/* ---- processes ---- */

static struct kind *kind_ref(struct kind *kind)
{
	kind->users++;
	return kind;
}

static void kind_unref(struct kind *kind)
{
	if (--kind->users > 0)
		return;
	arena_done(&kind->arena);
	free(kind);
}

static void kept_free(size_t i)
{
	struct kept *p = k.kept.p[i];

	k.kept.p[i] = k.kept.p[--k.kept.n];
	proc_done(&p->proc);
	announce_done(&p->by);
	fd_close(&p->borrower);
	kind_unref(p->kind);
	free(p);
}

static bool waits(const struct kept *p)
{
	return p->borrower < 0 && !p->left;
}

/* Of those that wait the one whose time is over first makes room. */
static bool make_room(void)
{
	size_t oldest = k.kept.n;

	if (k.kept.n < KEPT_MAX)
		return true;
	for (size_t i = 0; i < k.kept.n; i++)
		if (waits(k.kept.p[i]) &&
		    (oldest == k.kept.n || k.kept.p[i]->until_us < k.kept.p[oldest]->until_us))
			oldest = i;
	if (oldest == k.kept.n)
		return false;
	kept_free(oldest);
	return true;
}

static void fill(struct kind *kind)
{
	size_t n = 0;

	for (size_t i = 0; i < k.kept.n; i++)
		n += k.kept.p[i]->kind == kind && waits(k.kept.p[i]);
	while (n++ < kind->warm && !k.leaving && make_room()) {
		struct kept *p = xcalloc(1, sizeof *p);

		AUTO(arena_done) struct arena a = { 0 };
		struct proc_spec spec = kind->spec;

		announce_prepare(&a, k.home, &spec, &p->by);
		/* Looked at afterwards: then it was in that directory that it was started. */
		if (proc_start(&p->proc, &spec, NULL) < 0 || !keeper_is_here(kind->text)) {
			proc_done(&p->proc);
			announce_done(&p->by);
			free(p);
			break;
		}
		p->kind = kind_ref(kind);
		p->borrower = -1;
		p->until_us = clock_us() + (int64_t)kind->seconds * 1000000;
		*VEC_ADD(&k.kept) = p;
	}
}

/* ---- who asks ---- */

/* The oldest that waits, was started so, and is still there. */
static struct kept *waiting(const struct keeper_question *q)
{
	struct kept *found = NULL;
	enum child_end end;
	int code;

	for (size_t i = 0; i < k.kept.n; i++) {
		struct kept *p = k.kept.p[i];

		if (waits(p) && memcmp(p->kind->like, q->like, sizeof q->like) == 0 &&
		    announce_is_intact(&p->by) && (!found || p->until_us < found->until_us) &&
		    !child_peek(&p->proc.child, &end, &code))
			found = p;
	}
	return found;
}

/* One reference, the caller's, of what is kept already if anything is; NULL = no description. */
static struct kind *kind_of(const struct keeper_question *q, int memory)
{
	AUTO(buf_done) struct buf text = { 0 };
	uint8_t like[SHA256_DIGEST_LENGTH];
	struct kind *kind;
	SHA2_CTX ctx;

	for (size_t i = 0; i < k.kept.n; i++)
		if (memcmp(k.kept.p[i]->kind->like, q->like, sizeof q->like) == 0)
			return kind_ref(k.kept.p[i]->kind);
	(void)lseek(memory, 0, SEEK_SET); /* where its writer has left it */
	while (text.n <= KEEPER_TEXT_MAX && fd_read(memory, &text, 64 << 10) > 0)
		continue;
	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)text.p, text.n);
	SHA256Final(like, &ctx);
	kind = kind_ref(xcalloc(1, sizeof *kind));
	memcpy(kind->like, like, sizeof like);
	kind->warm = q->warm < WARM_MOST ? q->warm : WARM_MOST;
	kind->seconds = q->seconds < LIFE_MS / 1000 ? q->seconds : LIFE_MS / 1000;
	kind->text = arena_str(&kind->arena, buf_str(&text));
	if (text.n <= KEEPER_TEXT_MAX && memcmp(like, q->like, sizeof like) == 0 &&
	    keeper_read(&kind->arena, kind->text, &kind->spec, &kind->sandbox))
		return kind;
	kind_unref(kind);
	return NULL;
}

/* True when the socket is the borrower's from now on. */
static bool lend(int socket, const struct keeper_question *q, struct keeper_answer *answer)
{
	struct kept *p = waiting(q);
	struct proc_loan loan;

	if (!p || !proc_loan(&p->proc, &loan))
		return false;
	answer->pid = loan.pid;
	if (pass_send(socket, answer, sizeof *answer, loan.fds, loan.nfds) < 0)
		return false;
	proc_lent(&p->proc);
	p->borrower = socket;
	return true;
}

static void answer_client(int socket)
{
	struct keeper_answer answer = { .magic = KEEPER_MAGIC };
	struct keeper_question q;
	int fds[PASS_FDS_MAX];
	struct kind *kind;
	size_t n;
	bool lent = false;

	if (pass_receive(socket, &q, sizeof q, 0, fds, &n) < 0 || n != 1 ||
	    memcmp(q.magic, answer.magic, sizeof q.magic) != 0) {
		while (n > 0)
			fd_close(&fds[--n]);
		fd_close(&socket);
		return;
	}
	lent = lend(socket, &q, &answer);
	if (!lent) {
		answer.pid = 0;
		(void)pass_send(socket, &answer, sizeof answer, NULL, 0);
		fd_close(&socket);
		kind = kind_of(&q, fds[0]);
		if (kind) {
			fill(kind);
			kind_unref(kind);
		}
	}
	fd_close(&fds[0]);
}

static void accept_client(void)
{
	int fd = accept4(k.socket, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

	if (fd < 0)
		return;
	if (fd_lift(&fd, FD_LOWEST) < 0 || !pass_is_own(fd) || k.clients.n == CLIENTS_MAX) {
		fd_close(&fd);
		return;
	}
	*VEC_ADD(&k.clients) = (struct client){ fd, clock_us() + 1000000 };
}

/* ---- what has happened ---- */

/* An update has put another program in its place. */
static bool is_replaced(void)
{
	struct stat now;

	return stat(k.own, &now) < 0 || !fs_is_same(&now, &k.self) || now.st_nlink == 0;
}

/* Whether the borrower has gone; what it may have said before. */
static bool has_left(struct kept *p)
{
	struct child_bequest bequest;
	ssize_t n = recv(p->borrower, &bequest, sizeof bequest, MSG_DONTWAIT);

	if (n == sizeof bequest && bequest.ms > 0) {
		p->left = true;
		p->until_us = clock_us() + 1000 * (bequest.ms < LIFE_MS ? bequest.ms : LIFE_MS);
		n = recv(p->borrower, &bequest, sizeof bequest, MSG_DONTWAIT);
	}
	return n == 0;
}

/*
 * What its borrower has left is done, whether or not it has ended, and the next one is started; but
 * for one that has announced its end.  What ends while it waits is not: it might do so for ever.
 */
static void look_at(size_t i)
{
	struct kept *p = k.kept.p[i];
	struct kind *kind;
	enum child_end end;
	int code;
	bool ended = !p->told && child_peek(&p->proc.child, &end, &code);

	if (waits(p)) {
		if (ended || clock_us() >= p->until_us)
			kept_free(i);
		return;
	}
	if (p->borrower >= 0 && ended) {
		const struct child_end_message m = { (int32_t)end, code };

		p->told = true;
		(void)pass_send(p->borrower, &m, sizeof m, NULL, 0);
	}
	if (p->borrower >= 0 && !has_left(p))
		return;
	if (p->left && !p->told && !ended && clock_us() < p->until_us) {
		fd_close(&p->borrower);
		return;
	}
	kind = kind_ref(p->kind);
	kept_free(i);
	fill(kind);
	kind_unref(kind);
}

static size_t fill_fds(struct pollfd *fds, int64_t *ret_until_us)
{
	size_t n = 0;

	*ret_until_us =
		k.kept.n || k.clients.n ? INT64_MAX : k.idle_us + (int64_t)LEAVES_AFTER_MS * 1000;
	fds[n++] = (struct pollfd){ .fd = k.leaving ? -1 : k.socket, .events = POLLIN };
	for (size_t i = 0; i < k.clients.n; i++) {
		fds[n++] = (struct pollfd){ .fd = k.clients.p[i].socket, .events = POLLIN };
		if (k.clients.p[i].until_us < *ret_until_us)
			*ret_until_us = k.clients.p[i].until_us;
	}
	for (size_t i = 0; i < k.kept.n; i++) {
		const struct kept *p = k.kept.p[i];

		fds[n++] =
			(struct pollfd){ .fd = p->told ? -1 : p->proc.child.fd, .events = POLLIN };
		fds[n++] = (struct pollfd){ .fd = p->borrower, .events = POLLIN };
		if (p->borrower < 0 && p->until_us < *ret_until_us)
			*ret_until_us = p->until_us;
	}
	return n;
}

static void step(const struct pollfd *fds, size_t clients)
{
	/* From the last to the first: what goes is replaced by what was looked at. */
	for (size_t i = k.kept.n; i-- > 0;)
		if (i < k.kept.n) /* one that makes room may go, too */
			look_at(i);
	for (size_t i = clients; i-- > 0;) {
		struct client c = k.clients.p[i];

		if (!fds[1 + i].revents && clock_us() < c.until_us)
			continue;
		k.clients.p[i] = k.clients.p[--k.clients.n];
		if (fds[1 + i].revents)
			answer_client(c.socket);
		else
			fd_close(&c.socket);
	}
	if (fds[0].revents)
		accept_client();
}

/* ---- the program ---- */

/* The only one of its user: who comes second leaves. */
static bool take_place(const char *home)
{
	AUTO(free) char *dir = fs_join(home, KEEPER_DIR);
	AUTO(free) char *lock = fs_join(dir, "keeper.lock");
	ssize_t n = readlink("/proc/self/exe", k.own, sizeof k.own - 1);
	int fd;

	if (n < 0 || stat("/proc/self/exe", &k.self) < 0)
		return false;
	if ((size_t)n >= sizeof k.own - 1) /* too long to be looked up by name */
		(void)snprintf(k.own, sizeof k.own, "/proc/self/exe");
	if (!fs_exists(home) || fs_mkdirs(dir, 0700, NULL) < 0)
		return false;
	fd = open(lock, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	if (fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	k.socket = pass_listen(dir, KEEPER_SOCKET);
	return k.socket >= 0;
}

/* What waits is not to take our end for its input. */
static void on_end(int sig)
{
	(void)sig;
	family_kill();
	_exit(0);
}

static void leave_terminal(void)
{
	const struct sigaction end = { .sa_handler = on_end };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	for (int fd = 0; fd <= 2 && null >= 0; fd++)
		(void)dup2(null, fd);
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGHUP, &ignore, NULL);
	(void)sigaction(SIGTERM, &end, NULL);
	(void)sigaction(SIGINT, &end, NULL);
}

_Noreturn void keep_hooks(const char *home)
{
	struct pollfd fds[1 + CLIENTS_MAX + 2 * KEPT_MAX];
	size_t clients, n;
	int64_t until_us;

	leave_terminal();
	k.home = home;
	if (!take_place(home))
		exit(1);
	k.idle_us = clock_us();
	for (;;) {
		clients = k.clients.n;
		n = fill_fds(fds, &until_us);
		(void)fd_poll_until(fds, n, until_us);
		k.leaving = k.leaving || is_replaced();
		step(fds, clients);
		/* What waits goes at once, what is lent when it is done. */
		for (size_t i = k.kept.n; k.leaving && i-- > 0;)
			if (waits(k.kept.p[i]))
				kept_free(i);
		if (k.kept.n || k.clients.n)
			k.idle_us = clock_us();
		else if (k.leaving || clock_us() >= k.idle_us + (int64_t)LEAVES_AFTER_MS * 1000)
			exit(0);
	}
}
