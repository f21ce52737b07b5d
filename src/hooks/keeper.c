#include "hooks/keeper.h"

#include <errno.h>
#include <unistd.h>

#include "base/path.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/fs.h"
#include "os/pass.h"
#include "os/world.h"

/* ---- descriptions: a letter for what it is, the text, NUL ---- */

static void add(struct buf *out, char what, const char *z)
{
	buf_addc(out, what);
	buf_add(out, z, strlen(z) + 1);
}

static void add_list(struct buf *out, char what, const char *const *list)
{
	for (; list && *list; list++)
		add(out, what, *list);
}

enum { SANDBOXED = 1, NETWORK = 2, ROAMS = 4 };

void keeper_write(struct buf *out, const struct proc_spec *spec, uint64_t stamp)
{
	const struct sandbox *s = spec->sandbox;
	AUTO(free) char *flags = xasprintf(
		"%d", s ? SANDBOXED | (s->network ? NETWORK : 0) | (s->roams ? ROAMS : 0) : 0);
	AUTO(free) char *stamped = xasprintf("%llx", (unsigned long long)stamp);
	AUTO(buf_done) struct buf world = { 0 };

	add(out, 'f', spec->file);
	add(out, 'd', spec->cwd);
	add(out, 's', stamped);
	world_add(&world, spec->cwd);
	add(out, 'n', buf_z(&world));
	add(out, 'b', flags);
	add_list(out, 'a', spec->argv);
	add_list(out, 'e', spec->envp);
	if (!s)
		return;
	add_list(out, 'r', s->read);
	add_list(out, 'w', s->write);
	if (s->inside)
		add(out, 'i', s->inside);
	if (s->program)
		add(out, 'p', s->program);
}

/* All texts of one kind, in their order. */
static const char *const *list_of(struct arena *a, struct str text, char what)
{
	size_t n = 0, k = 0;

	for (size_t i = 0; i < text.n; i += strlen(text.p + i) + 1)
		n += text.p[i] == what;
	const char **list = ARENA_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < text.n; i += strlen(text.p + i) + 1)
		if (text.p[i] == what)
			list[k++] = text.p + i + 1;
	list[n] = NULL;
	return list;
}

bool keeper_read(struct arena *a, struct str text, struct proc_spec *ret,
		 struct sandbox *ret_sandbox)
{
	const char *const *file, *const *cwd, *const *flags, *const *inside, *const *program;
	int64_t n;

	if (!text.n || text.p[text.n - 1])
		return false;
	file = list_of(a, text, 'f');
	cwd = list_of(a, text, 'd');
	flags = list_of(a, text, 'b');
	inside = list_of(a, text, 'i');
	program = list_of(a, text, 'p');
	*ret = (struct proc_spec){
		.file = file[0],
		.cwd = cwd[0],
		.argv = list_of(a, text, 'a'),
		.envp = list_of(a, text, 'e'),
		.result_pipe = true,
		.waits = true,
	};
	if (!file[0] || !cwd[0] || !ret->argv[0] || !flags[0] ||
	    !str_to_int(str_from(flags[0]), &n))
		return false;
	*ret_sandbox = (struct sandbox){
		.read = list_of(a, text, 'r'),
		.write = list_of(a, text, 'w'),
		.inside = inside[0],
		.program = program[0],
		.network = n & NETWORK,
		.roams = n & ROAMS,
	};
	if (n & SANDBOXED)
		ret->sandbox = ret_sandbox;
	return true;
}

bool keeper_is_here(struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf world = { 0 };
	const char *const *cwd = list_of(&a, text, 'd'), *const *there = list_of(&a, text, 'n');

	if (!cwd[0] || !there[0])
		return false;
	world_add(&world, cwd[0]);
	return strcmp(buf_z(&world), there[0]) == 0;
}

/* ---- asking ---- */

/* It goes on without us, and nothing waits for it. */
static void start_keeper(const struct tl_hooks *h)
{
	const char *argv[] = { h->keeper[0], h->keeper[1], h->dirs.home, NULL };
	const struct proc_spec spec = { .file = argv[0], .argv = argv, .envp = h->env, .cwd = "/" };
	struct proc p;

	(void)proc_start(&p, &spec, NULL);
	proc_release(&p);
}

/*
 * Who binds the socket's name can be any process of the user, and would hand out a hook that denies
 * nothing.  What counts is a keeper of this installation, in either of its programs.
 */
static bool is_keeper(int socket, const char *program)
{
	static const char *const names[] = { "trotline-hook", "trotline" };
	AUTO(free) char *file = fs_real(program);
	AUTO(free) char *dir = file ? path_parent(file) : NULL;
	bool is = file && pass_runs(socket, file);

	for (size_t i = 0; i < ARRAY_LEN(names) && dir && !is; i++) {
		AUTO(free) char *other = fs_join(dir, names[i]);

		is = pass_runs(socket, other);
	}
	return is;
}

static bool ask(int socket, const struct keeper_question *q, struct str text, struct proc_loan *ret)
{
	struct keeper_answer answer = { .pid = 0 };
	int memory = fd_sealed("trotline", text.p, text.n);
	size_t n = 0;
	bool whole;
	int r = memory < 0 ? memory : pass_send(socket, q, sizeof *q, &memory, 1);

	fd_close(&memory);
	if (r == 0)
		r = pass_receive(socket, &answer, sizeof answer,
				 clock_us() + KEEPER_PATIENCE_MS * 1000, ret->fds, &n);
	ret->pid = answer.pid;
	ret->nfds = n;
	whole = n == ARRAY_LEN(ret->fds) || n + 1 == ARRAY_LEN(ret->fds);
	if (r == 0 && whole && answer.pid > 1 && /* -1 is everybody */
	    memcmp(answer.magic, q->magic, sizeof q->magic) == 0)
		return true;
	while (n > 0)
		fd_close(&ret->fds[--n]);
	return false;
}

bool keeper_take(const struct firing *f, const struct hook *hook, const struct proc_spec *spec,
		 uint64_t stamp, struct proc *ret)
{
	struct tl_hooks *h = f->h;
	struct keeper_question q = { .magic = KEEPER_MAGIC,
				     .warm = (uint32_t)hook->warm,
				     .seconds = (uint32_t)hook->warm_seconds };
	AUTO(free) char *dir = fs_join(h->dirs.home, KEEPER_DIR);
	AUTO(buf_done) struct buf text = { 0 };
	struct proc_loan loan;
	SHA2_CTX ctx;
	int socket;

	if (!h->set.resident || !h->keeper || spec->lines || spec->host_reaps)
		return false;
	socket = pass_connect(dir, KEEPER_SOCKET);
	if (socket < 0) {
		if (socket != -EAGAIN && !h->keeper_started)
			start_keeper(h);
		h->keeper_started = true;
		return false;
	}
	keeper_write(&text, spec, stamp);
	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)text.p, text.n);
	SHA256Final(q.like, &ctx);
	if (text.n > KEEPER_TEXT_MAX || !is_keeper(socket, h->keeper[0]) ||
	    !ask(socket, &q, buf_str(&text), &loan)) {
		fd_close(&socket);
		return false;
	}
	proc_borrow(ret, spec, &loan, socket);
	return true;
}
