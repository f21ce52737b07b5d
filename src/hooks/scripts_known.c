/* What is known about variables and substitutions before a hook runs. */
#include "base/path.h"
#include "hooks/scripts_impl.h"
#include "os/fs.h"
#include "shell/calls.h"

static enum sh_known variable(void *data, struct str name, struct str *ret)
{
	/* The shell's own, and what is different each time. */
	static const char *const varying[] = { "DIRSTACK", "EUID",     "FUNCNAME", "GROUPS",
					       "HOSTNAME", "HOSTTYPE", "LINENO",   "MACHTYPE",
					       "OLDPWD",   "OPTARG",   "OPTIND",   "OSTYPE",
					       "PPID",     "RANDOM",   "REPLY",    "SECONDS",
					       "SHLVL",    "UID",      "_",        NULL };
	const struct finder *f = data;
	const char *value;

	if (f->file && (str_eqz(name, "0") || str_eqz(name, "BASH_SOURCE"))) {
		*ret = str_from(f->file);
		return SH_KNOWN;
	}
	if (!sh_is_name(name) || sh_is_among(name, varying) || str_starts(name, STR("BASH")) ||
	    str_starts(name, STR("EPOCH")) || str_starts(name, STR("TROTLINE_RESULT")) ||
	    str_ends(name, STR("SESSION_ID")))
		return SH_UNKNOWN;
	value = vars_get(&f->vars, f->hook, name);
	if (!value && f->hook->extension && f->hook->extension->env)
		value = env_get(f->hook->extension->env, arena_z(f->a, name));
	if (!value)
		value = env_get(f->env, arena_z(f->a, name));
	if (!value)
		return f->file ? SH_UNKNOWN : SH_UNSET;
	*ret = str_from(value);
	return SH_KNOWN;
}

const char *finder_directory(struct finder *f, struct str word)
{
	for (size_t i = f->nbases; i > 0; i--) {
		AUTO(free) char *path = fs_absolute(f->bases[i - 1], arena_z(f->a, word));

		if (fs_is_dir(path))
			return arena_z(f->a, str_from(path));
	}
	return NULL;
}

/* The directory above `from` that holds .git. */
static const char *git_top(struct finder *f, const char *from)
{
	for (AUTO(free) char *dir = xstrdup(from); dir[0] == '/';) {
		AUTO(free) char *mark = fs_join(dir, ".git");

		if (fs_exists(mark))
			return arena_z(f->a, str_from(dir));
		if (!dir[1])
			break;
		path_climb(&dir);
	}
	return NULL;
}

static bool program_output(struct finder *f, const struct sh_call *c, struct str *ret)
{
	const char *here = f->bases[f->nbases - 1], *out = NULL;
	struct str last = c->n ? c->words[c->n - 1].text : STR("");

	if (sh_call_opaque(c, 0) || c->more || c->unknown || f->moved)
		return false;
	if (sh_call_is(c, 0, "pwd")) {
		out = here;
	} else if (sh_call_is(c, 0, "git") && c->n == 3 && sh_call_is(c, 1, "rev-parse") &&
		   sh_call_is(c, 2, "--show-toplevel")) {
		out = git_top(f, here);
	} else if (sh_call_is(c, 0, "dirname") && last.n && c->n <= 3) {
		AUTO(free) char *dir = path_parent(arena_z(f->a, last));

		out = arena_z(f->a, str_from(dir));
	} else if (sh_call_is(c, 0, "basename") && c->n == 2) {
		out = path_name(arena_z(f->a, last));
	} else if (sh_call_is(c, 0, "realpath") || sh_call_is(c, 0, "readlink")) {
		AUTO(free) char *path = fs_absolute(here, arena_z(f->a, last));

		out = arena_z(f->a, str_from(path));
	} else if (sh_call_is(c, 0, "echo") && c->n == 2 && last.n && last.p[0] != '-') {
		out = arena_z(f->a, last);
	}
	*ret = str_from(out);
	return out != NULL;
}

static bool output_of(void *data, const struct sh_script *s, struct str *ret);

struct sh_values finder_values(struct finder *f, bool split)
{
	return (struct sh_values){ variable, output_of, f, split };
}

/* $(pwd), $(git rev-parse --show-toplevel), $(dirname "$0"), $(cd x && pwd) */
static bool output_of(void *data, const struct sh_script *s, struct str *ret)
{
	struct finder *f = data, in = *f;
	const struct sh_values values = finder_values(&in, true);
	bool known = false;

	for (const struct sh_node *n = s->first; n; n = n->next) {
		struct sh_arg *words = ARENA_ARRAY(f->a, struct sh_arg, n->nwords + 1);
		struct sh_call call = { .words = words, .n = n->nwords };

		for (size_t i = 0; i < n->nwords; i++)
			words[i].opaque = !sh_value(f->a, &n->words[i], &values, &words[i].text);
		/* 2>/dev/null changes nothing of the output, and what `cd` prints is none. */
		if (n->kind != SH_SIMPLE || n->nassigns || n->op == SH_PIPE || n->op == SH_OR ||
		    (n->nredirects && !sh_call_is(&call, 0, "cd") &&
		     !str_eqz(n->redirects[0].fd, "2")))
			return false;
		if (!sh_call_is(&call, 0, "cd")) {
			known = program_output(&in, &call, ret);
			if (n->next)
				return false;
			continue;
		}
		const char *dir = call.n > 1 && !sh_call_opaque(&call, 0)
					  ? finder_directory(&in, words[call.n - 1].text)
					  : NULL;
		if (!dir)
			return false;
		in.bases[in.nbases - 1] = dir;
	}
	return known;
}
