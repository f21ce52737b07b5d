#include "hooks/scripts.h"

#include <fnmatch.h>

#include "hooks/command.h"
#include "hooks/scripts_impl.h"
#include "os/fs.h"
#include "shell/calls.h"

enum { WATCH_DIRS_MAX = 4096 };

static void watch_dir(struct finder *f, const char *pattern, const char *dir, size_t *left)
{
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (*left == 0 || fs_list(dir, &names, NULL) < 0)
		return;
	(*left)--;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (fs_is_dir(path)) {
			if (strcmp(names.p[i], ".git") != 0)
				watch_dir(f, pattern, path, left);
		} else if (fnmatch(pattern, path, 0) == 0) {
			finder_add(f, path, SCRIPT_FILE);
		}
	}
}

/* A path, or a pattern in which * covers slashes, too. */
static void watch(struct finder *f, const char *pattern)
{
	AUTO(free) char *path = fs_absolute(f->h->dirs.project, pattern);
	size_t left = WATCH_DIRS_MAX, n = strcspn(path, "*?[");

	if (!path[n] && !fs_is_dir(path)) {
		finder_add(f, path, fs_exists(path) ? SCRIPT_FILE : SCRIPT_ABSENT);
		return;
	}
	AUTO(free) char *all = path[n] ? xstrdup(path) : fs_join(path, "*");
	while (n > 0 && path[n - 1] != '/')
		n--;
	AUTO(free) char *dir =
		path[strcspn(path, "*?[")] ? xstrndup(path, max_size(n, 1)) : xstrdup(path);
	watch_dir(f, all, dir, &left);
	if (!left)
		f->out->unwatched = "\"watch\" names too many directories";
}

void scripts_find(struct tl_hooks *h, const struct hook *hook, struct script_paths *ret)
{
	struct finder f = { .h = h,
			    .a = &h->arena,
			    .hook = hook,
			    .wide = hook->guard || hook->stamps_only,
			    .out = ret };
	size_t n = 0;

	struct str written[WRITTEN_MAX];
	size_t nwritten = 0, kept = 0;

	f.written = written;
	f.nwritten = &nwritten;
	ret->n = 0;
	ret->unwatched = NULL;
	f.bases[f.nbases++] = h->dirs.project;
	if (strcmp(h->dirs.cwd, h->dirs.project) != 0)
		f.bases[f.nbases++] = h->dirs.cwd;
	struct str command = STR("");
	vars_fill(&f.vars, f.a, h, hook->dialect, h->dirs.cwd, "");
	if (!hook->args)
		command = command_for_shell(f.a, str_from(hook->command), &f.vars, hook);
	f.vars.v[f.vars.n++] = (struct env_pair){ "PWD", h->dirs.cwd };
	f.env = h->dirs.env;
	for (size_t i = 0; i < hook->nenv; i++)
		look_at_variable(&f, str_from(hook->env[i].name), str_from(hook->env[i].value),
				 true);
	if (!hook->args) {
		look_at_text(&f, command);
	} else {
		AUTO(sh_calls_done) struct sh_calls s = { .arena = f.a };

		while (hook->args[n])
			n++;
		struct sh_arg *words = ARENA_ARRAY(f.a, struct sh_arg, n + 1);
		for (size_t i = 0; i <= n; i++)
			words[i].text = command_argument(f.a, &f.vars, hook,
							 i ? hook->args[i - 1] : hook->command);
		sh_calls_program(&s, words, n + 1);
		for (size_t i = 0; i < s.n; i++)
			look_at_call(&f, &s, i);
	}
	/* Whoever names the files says that these are all, unless they are too many. */
	if (hook->watch && ret->n < SCRIPTS_MAX)
		ret->unwatched = NULL;
	for (size_t i = 0; hook->watch && hook->watch[i]; i++)
		watch(&f, hook->watch[i]);
	for (size_t i = 0; i < ret->n; i++) {
		bool own = false;

		for (size_t k = 0; ret->p[i].notes && k < nwritten && !own; k++)
			own = str_eqz(written[k], ret->p[i].path);
		if (!own)
			ret->p[kept++] = ret->p[i];
	}
	ret->n = kept;
}
