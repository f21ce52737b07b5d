#include "cli/extensions/extension_source.h"

#include <stdio.h>
#include <unistd.h>

#include "base/vec.h"
#include "cli/agent/progress.h"
#include "cli/cli.h"
#include "cli/extensions/extension_tree.h"
#include "cli/interrupt.h"
#include "os/clock.h"
#include "os/fs.h"
#include "os/proc.h"

enum {
	CLONE_MS = 10 * 60 * 1000,
	COMMIT_HEX = 40,
	LOOK_MS = 200, /* between two looks at what git has written */
	LOOK_SHARE = 10, /* of the time goes into looking, at most one in so many */
};

extern char **environ;

/* ---- what was meant ---- */

static const struct {
	const char *prefix, *refusal; /* NULL = git may have it */
} schemes[] = {
	{ "https://", NULL },
	{ "ssh://", NULL },
	{ "file://", NULL },
	{ "git@", NULL },
	{ "http://", "http:// can be changed on its way; use https://" },
	{ "git://", "git:// can be changed on its way; use https://" },
	{ "sso://", "sso:// is not known here; use https:// or ssh://" },
};

/* 1 = git's, 0 = no URL. */
static int check_scheme(const char *text, struct err *err)
{
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++) {
		size_t n = strlen(schemes[i].prefix);

		if (strncmp(text, schemes[i].prefix, n) != 0)
			continue;
		if (schemes[i].refusal)
			return err_set(err, E_INVAL, "%s: %s", text, schemes[i].refusal);
		if (text[n] == '-' || !text[n])
			return err_set(err, E_INVAL, "%s is not the address of a repository", text);
		return 1;
	}
	return 0;
}

int source_parse(struct arena *a, const char *text, const char *ref,
		 struct extension_source *ret_source, struct err *err)
{
	AUTO(free) char *here = getcwd(NULL, 0);
	AUTO(free) char *path = fs_absolute(here ? here : "/", text);
	int git = check_scheme(text, err);

	if (git < 0)
		return git;
	if (git && ref &&
	    (!*ref || *ref == '-' || strpbrk(ref, "~^:?*[\\") || str_has_blank(str_from(ref))))
		return err_set(err, E_INVAL, "\"%s\" is not a branch, tag or commit", ref);
	if (git) {
		*ret_source = (struct extension_source){ true, text, ref };
		return 0;
	}
	if (!fs_is_dir(path))
		return err_set(err, E_NOTFOUND,
			       "%s: no such directory, and not an address that git may "
			       "clone (https://, ssh://, git@HOST:PATH, file://)",
			       text);
	AUTO(free) char *real = fs_real(path);
	*ret_source =
		(struct extension_source){ .where = arena_z(a, str_from(real ? real : path)) };
	return 0;
}

/* ---- git ---- */

struct words {
	const char **p;
	size_t n, cap;
};

static void git_env(struct words *env)
{
	static const char *const left_out[] = {
		/* Of a git that we were started by: they would lead into its repository. */
		"GIT_ALTERNATE_OBJECT_DIRECTORIES=",
		"GIT_COMMON_DIR=",
		"GIT_CONFIG=",
		"GIT_CONFIG_COUNT=",
		"GIT_CONFIG_PARAMETERS=",
		"GIT_DIR=",
		"GIT_GRAFT_FILE=",
		"GIT_INDEX_FILE=",
		"GIT_NAMESPACE=",
		"GIT_OBJECT_DIRECTORY=",
		"GIT_PREFIX=",
		"GIT_SHALLOW_FILE=",
		"GIT_TEMPLATE_DIR=",
		"GIT_WORK_TREE=",
		/* Set below. */
		"GIT_TERMINAL_PROMPT=",
		"GIT_ALLOW_PROTOCOL=",
	};

	for (char **v = environ; *v; v++) {
		bool kept = true;

		for (size_t i = 0; i < ARRAY_LEN(left_out); i++)
			kept &= strncmp(*v, left_out[i], strlen(left_out[i])) != 0;
		if (kept)
			*VEC_ADD(env) = *v;
	}
	*VEC_ADD(env) = "GIT_TERMINAL_PROMPT=0";
	*VEC_ADD(env) = "GIT_ALLOW_PROTOCOL=https:ssh:file";
	*VEC_ADD(env) = NULL;
}

static int git_result(const struct proc *p, const char *url, struct err *err)
{
	struct buf errors = p->result.err;
	const char *end;

	if (p->result.end == PROC_EXITED && p->result.code == 0)
		return 0;
	if (p->result.end == PROC_CANCELLED)
		return err_set(err, E_CANCEL, "interrupted");
	if (p->result.end == PROC_TIMED_OUT)
		return err_set(err, E_IO, "cloning %s took more than %d minutes", url,
			       CLONE_MS / 60000);
	struct str why = str_trim(buf_str(&errors));
	end = why.n ? ": " : "";
	return err_set(err, E_IO, "git could not clone %s%s%.*s", url, end, STR_ARG(why));
}

/* (waits) True when it was ended, because what it makes is too large. */
static bool watch(struct proc *p, const char *to)
{
	struct cancel *cancel = (struct cancel *)interrupt_cancel();
	int64_t wait_us = LOOK_MS * 1000;
	bool over = false;

	while (!proc_wait(p, cancel, clock_us() + wait_us)) {
		int64_t from = clock_us();

		if (!over && tree_is_over(to)) {
			over = true;
			proc_cancel(p);
		}
		wait_us = (clock_us() - from) * LOOK_SHARE;
		if (wait_us < LOOK_MS * 1000)
			wait_us = LOOK_MS * 1000;
	}
	return over;
}

/* (waits) Neither a shell nor hooks nor templates; nothing is asked. */
static int git(const char *dir, const char *to, const char *url, const char *const *words,
	       struct err *err)
{
	static const char *const first[] = { "git",
					     "-c",
					     "core.hooksPath=/dev/null",
					     "-c",
					     "core.fsmonitor=false",
					     "-c",
					     "advice.detachedHead=false",
					     "-c",
					     "submodule.recurse=false" };
	const char *argv[ARRAY_LEN(first) + 16] = { 0 };
	AUTO(free) char *program = NULL;
	AUTO(proc_done) struct proc p = { 0 };
	struct words env = { 0 };
	size_t n = 0;
	int r;

	if (!fs_find_program("git", getenv("PATH"), &program))
		return err_set(err, E_NOTFOUND, "git is needed for this, and is not on PATH");
	for (size_t i = 0; i < ARRAY_LEN(first); i++)
		argv[n++] = first[i];
	for (; *words && n + 1 < ARRAY_LEN(argv); words++)
		argv[n++] = *words;
	if (cancel_fired((struct cancel *)interrupt_cancel()))
		return err_set(err, E_CANCEL, "interrupted");
	git_env(&env);
	r = proc_start(&p,
		       &(struct proc_spec){ .file = program,
					    .argv = argv,
					    .envp = env.p,
					    .cwd = dir,
					    .timeout_ms = CLONE_MS },
		       err);
	free(env.p);
	if (r < 0)
		return r;
	if (watch(&p, to))
		return err_set(err, E_LIMIT,
			       "%s is larger than %d MiB: it was not cloned to its end", url,
			       (int)(TREE_CLONE_MAX >> 20));
	return git_result(&p, url, err);
}

static int clone_repository(const struct extension_source *s, const char *to, struct err *err)
{
	const char *const plain[] = { "clone", "--quiet",     "--depth",
				      "1",     "--template=", "--no-recurse-submodules",
				      "--",    s->where,      to,
				      NULL };
	const char *const at[] = { "clone",
				   "--quiet",
				   "--depth",
				   "1",
				   "--template=",
				   "--no-recurse-submodules",
				   "--branch",
				   s->ref,
				   "--",
				   s->where,
				   to,
				   NULL };

	if (s->ref && strlen(s->ref) == COMMIT_HEX &&
	    strspn(s->ref, "0123456789abcdefABCDEF") == COMMIT_HEX) {
		const char *const init[] = { "init", "--quiet", "--template=", ".", NULL };
		const char *const remote[] = { "remote", "add", "--", "origin", s->where, NULL };
		const char *const fetch[] = { "fetch", "--quiet", "--depth", "1",
					      "--",    "origin",  s->ref,    NULL };
		const char *const checkout[] = { "checkout", "--quiet", "FETCH_HEAD", NULL };
		int r = fs_mkdirs(to, 0700, err);

		/* A commit cannot be cloned by its name, only fetched. */
		r = r < 0 ? r : git(to, to, s->where, init, err);
		r = r < 0 ? r : git(to, to, s->where, remote, err);
		r = r < 0 ? r : git(to, to, s->where, fetch, err);
		return r < 0 ? r : git(to, to, s->where, checkout, err);
	}
	return git("/", to, s->where, s->ref ? at : plain, err);
}

static void say_left_out(struct wb *wb, const struct buf *names)
{
	for (struct str rest = buf_str(names), name; str_split(&rest, '\n', &name);)
		if (name.n)
			wb_complain(wb,
				    "%.*s is left out: it is a symbolic link that leads out of the "
				    "source",
				    STR_ARG(name));
}

int source_copy(struct wb *wb, const char *from, const char *fence, const char *to, struct err *err)
{
	AUTO(buf_done) struct buf left_out = { 0 };
	int r = tree_copy(from, fence, to, &left_out, err);

	if (r == 0)
		say_left_out(wb, &left_out);
	return r;
}

int source_fetch(struct wb *wb, const struct extension_source *s, const char *to, struct err *err)
{
	AUTO(buf_done) struct buf left_out = { 0 };
	struct progress *p;
	int r;

	(void)interrupt_cancel();
	if (!s->git)
		return source_copy(wb, s->where, s->where, to, err);
	AUTO(free) char *what = xasprintf("cloning %s", s->where);
	p = progress_new(stderr);
	if (p)
		progress_set(p, what);
	else
		wb_complain(wb, "%s", what);
	r = clone_repository(s, to, err);
	progress_free(p);
	r = r < 0 ? r : tree_tidy(to, &left_out, err);
	if (r == 0)
		say_left_out(wb, &left_out);
	return r;
}
