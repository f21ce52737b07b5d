/*
 * trotline skills install, link, uninstall: skills come from a directory, or from a repository that
 * is cloned for this, into ~/.gemini/skills or .gemini/skills.  A copy is made near its place and
 * takes it when it is whole.
 */
#include "base/path.h"
#include "cli/extensions/skill_commands.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/ask_line.h"
#include "cli/extensions/extension_source.h"
#include "cli/extensions/extension_tree.h"
#include "os/fs.h"

static const struct opt install_rows[] = {
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct skill_args, scope),
	  "where to: user (the default) or workspace" },
	{ "path", 0, "PATH", OPT_STR, offsetof(struct skill_args, path),
	  "the directory inside of SOURCE that has the skills" },
	{ "consent", 0, NULL, OPT_FLAG, offsetof(struct skill_args, consent),
	  "do not ask: you have looked at what is installed" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct skill_args, load.dir),
	  "work in this directory instead of the current one" },
};
const struct opt_set skill_install_opts = OPT_SET(install_rows, struct skill_args);

static const struct opt link_rows[] = {
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct skill_args, scope),
	  "where to: user (the default) or workspace" },
	{ "consent", 0, NULL, OPT_FLAG, offsetof(struct skill_args, consent),
	  "do not ask: you have looked at what is linked" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct skill_args, load.dir),
	  "work in this directory instead of the current one" },
};
const struct opt_set skill_link_opts = OPT_SET(link_rows, struct skill_args);

static const struct opt uninstall_rows[] = {
	{ "scope", 's', "SCOPE", OPT_STR, offsetof(struct skill_args, scope),
	  "where from: user (the default) or workspace" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct skill_args, load.dir),
	  "work in this directory instead of the current one" },
};
const struct opt_set skill_uninstall_opts = OPT_SET(uninstall_rows, struct skill_args);

/* One command at work. */
struct job {
	struct wb *wb;
	const struct skill_args *args;
	const char *source; /* as it was given */
	struct arena arena;
	struct skill_roots roots;
	bool user, link;
	char *from, *to; /* real; absolute */
	char *clone; /* a private directory with what was cloned; NULL = nothing was */
	struct skills *found;
	size_t broken; /* that cannot be used, which was said */
};

static void job_done(struct job *j)
{
	skill_roots_done(&j->roots);
	free(j->from);
	free(j->to);
	if (j->clone)
		(void)tree_remove(j->clone, NULL);
	free(j->clone);
	arena_done(&j->arena);
}
DEFINE_AUTO(struct job, job_done)

static const char *scope_name(const struct job *j)
{
	return tiers[tier_of_scope(j->user)].scope;
}

/* ---- what there is to install ---- */

static void say_broken(void *data, enum note_kind kind, const char *text)
{
	struct job *j = data;

	j->broken++;
	wb_complain(j->wb, "%s%s", note_prefix(kind), text);
}

/* The directory that the word means, real; NULL when there is none. */
static char *local_source(const struct job *j, const char *source)
{
	AUTO(free) char *cwd = fs_real(j->args->load.dir ? j->args->load.dir : ".");
	AUTO(free) char *path = NULL;

	if (source[0] == '~' && source[1] == '/')
		path = fs_join(j->roots.home, source + 2);
	else
		path = fs_absolute(cwd ? cwd : "/", source);
	return fs_is_dir(path) ? fs_real(path) : NULL;
}

/* (waits) */
static char *cloned_source(struct job *j, const char *source, struct err *err)
{
	const char *tmp = getenv("TMPDIR");
	struct extension_source from;

	if (source_parse(&j->arena, source, NULL, &from, err) < 0)
		return NULL;
	if (!from.git) {
		(void)err_set(err, E_NOTFOUND, "%s: no such directory", source);
		return NULL;
	}
	j->clone = xasprintf("%s/trotline-skill.XXXXXX", tmp && *tmp ? tmp : "/tmp");
	if (!mkdtemp(j->clone)) {
		(void)err_errno(err, errno, "%s", j->clone);
		free(MOVE(j->clone));
		return NULL;
	}
	AUTO(free) char *to = fs_join(j->clone, "source");
	return source_fetch(j->wb, &from, to, err) < 0 ? NULL : fs_real(to);
}

static int find_source(struct job *j)
{
	const char *source = j->source;
	AUTO(free) char *whole = local_source(j, source);
	struct err err = { 0 };
	struct note_sink notes = { say_broken, j };
	AUTO(free) char *inner = NULL;

	if (!whole && j->link)
		(void)err_set(&err, E_NOTFOUND, "%s: no such directory", source);
	else if (!whole)
		whole = cloned_source(j, source, &err);
	if (whole && j->args->path) {
		AUTO(free) char *below = fs_join(whole, j->args->path);
		AUTO(free) char *real = fs_real(below);

		/* It stays inside of the source, which is somebody else's. */
		if (path_below(whole, real) && fs_is_dir(real))
			j->from = MOVE(real);
		else
			(void)err_set(&err, E_NOTFOUND, "the source has no directory %s",
				      j->args->path);
	} else if (whole) {
		j->from = MOVE(whole);
	}
	if (!j->from)
		return wb_fail_err(j->wb, EXIT_USAGE, &err);
	inner = fs_join(j->from, "skills");
	j->found = skills_read_dir(&j->arena, &notes, j->from, false);
	if (j->found->n == 0 && fs_is_dir(inner))
		j->found = skills_read_dir(&j->arena, &notes, inner, false);
	if (j->found->n)
		return EXIT_OK;
	return wb_fail(j->wb, EXIT_USAGE, "no %sskill in %s: neither SKILL.md nor */SKILL.md",
		       j->broken ? "usable " : "", j->clone ? source : j->from);
}

static bool is_in_project(const struct job *j, const char *dir)
{
	AUTO(free) char *project = fs_real(j->roots.project);
	const char *below = path_below(project, dir);

	return below && *below;
}

/* Names of directories, and links that a project's readers would follow. */
static int check_skills(struct job *j)
{
	for (size_t i = 0; i < j->found->n; i++) {
		const struct skill *s = &j->found->p[i];

		/* A hidden directory would not be looked into. */
		if (s->name[0] == '.' || strlen(s->name) > 200)
			return wb_fail(j->wb, EXIT_USAGE, "%s cannot be the name of a directory",
				       s->name);
		if (j->link && !j->user && !is_in_project(j, s->dir))
			return wb_fail(j->wb, EXIT_USAGE,
				       "%s is outside of the project: a project's link to it would "
				       "not be followed; use --scope user, or install it",
				       s->dir);
	}
	return EXIT_OK;
}

/* ---- consent ---- */

static int ask_consent(struct job *j)
{
	struct sheet *p = &j->wb->sheet;
	struct arena *a = &j->wb->arena;
	const char *done = j->link ? "linked" : "installed";

	sheet_f(p, PLAIN, "These skills would be %s:\n", done);
	for (size_t i = 0; i < j->found->n; i++) {
		const struct skill *s = &j->found->p[i];

		sheet_text(p, PLAIN, arena_printf(a, "%s: %s", s->name, s->description).p, 2);
		sheet_text(p, DIM, skill_resources(a, s).p, 2);
	}
	sheet_f(p, PLAIN, "into\n");
	sheet_text(p, PLAIN, j->to, 2);
	sheet_f(p, PLAIN,
		"A skill gives the model instructions, and the scripts next to it may be run.  "
		"Look at\nwhat others wrote before you go on.\n");
	wb_flush(j->wb);
	if (j->args->consent || ask_yes("Do you want to continue? [y/N] "))
		return EXIT_OK;
	return wb_fail(j->wb, EXIT_USAGE, "nothing was %s; --consent goes on without asking", done);
}

/* ---- putting it there ---- */

/* What is at `to` gives way to what is at `made`, all or nothing. */
static int take_place(const char *made, const char *to, struct err *err)
{
	AUTO(free) char *old = xasprintf("%s.old", made);
	bool there = rename(to, old) == 0;

	if (rename(made, to) < 0) {
		int errnum = errno;

		if (there)
			(void)rename(old, to);
		return err_errno(err, errnum, "%s", to);
	}
	return there ? tree_remove(old, err) : 0;
}

static int put(const struct job *j, const struct skill *s, struct err *err)
{
	AUTO(free) char *to = fs_join(j->to, s->name);
	AUTO(free) char *made = xasprintf("%s/.%s.%ld", j->to, s->name, (long)getpid());
	AUTO(free) char *real = fs_real(to);
	int r = 0;

	if (real && strcmp(real, s->dir) == 0 && !j->link)
		return err_set(err, E_INVAL, "%s is installed from there already", s->name);
	if (j->link && symlink(s->dir, made) < 0)
		r = err_errno(err, errno, "%s", made);
	else if (!j->link)
		r = source_copy(j->wb, s->dir, s->dir, made, err);
	if (r >= 0 && fs_exists(to))
		sheet_f(&j->wb->sheet, PLAIN,
			"Skill \"%s\" already exists at destination. Overwriting...\n", s->name);
	r = r < 0 ? r : take_place(made, to, err);
	if (r < 0)
		(void)tree_remove(made, NULL);
	else
		sheet_f(&j->wb->sheet, PLAIN,
			"Successfully %s skill: %s (scope: %s, location: %s)\n",
			j->link ? "linked" : "installed", s->name, scope_name(j), to);
	return r;
}

/* A project may not make us write elsewhere by a symbolic link. */
static int check_place(const struct job *j, struct err *err)
{
	AUTO(free) char *outer = fs_join(j->roots.project, ".gemini");
	const char *const dirs[] = { outer, j->to };

	for (size_t i = 0; !j->user && i < ARRAY_LEN(dirs); i++) {
		AUTO(free) char *real = fs_real(dirs[i]);

		if (real && !is_in_project(j, real))
			return err_set(err, E_UNTRUSTED,
				       "%s is a symbolic link that leaves the project; not "
				       "followed",
				       dirs[i]);
	}
	return 0;
}

static int job_start(struct job *j)
{
	int status = skill_roots_find(j->wb, j->args, &j->roots);

	status = status == EXIT_OK ? skill_scope(j->wb, j->args, &j->roots, "user", &j->user)
				   : status;
	if (status == EXIT_OK)
		j->to = fs_join(j->user ? j->roots.home : j->roots.project,
				place_find(tier_of_scope(j->user), "gemini", PLACE_SKILLS)->path);
	return status;
}

static int job_run(struct job *j)
{
	static int (*const steps[])(struct job * j) = { job_start, find_source, check_skills,
							ask_consent };
	struct err err;
	int status = EXIT_OK, r;

	for (size_t i = 0; status == EXIT_OK && i < ARRAY_LEN(steps); i++)
		status = steps[i](j);
	if (status != EXIT_OK)
		return status;
	r = check_place(j, &err);
	r = r < 0 ? r : fs_mkdirs(j->to, 0755, &err);
	for (size_t i = 0; r >= 0 && i < j->found->n; i++)
		r = put(j, &j->found->p[i], &err);
	if (r < 0)
		return wb_fail_err(j->wb, EXIT_USAGE, &err);
	if (!j->user && !j->roots.trusted)
		wb_complain(j->wb,
			    "this folder is not trusted: its skills are not read until it is "
			    "(trotline hooks trust)");
	return EXIT_OK;
}

int cmd_skills_install(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(job_done) struct job j = { .wb = wb, .args = args, .source = rest[0] };

	(void)n;
	return job_run(&j);
}

int cmd_skills_link(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(job_done) struct job j = { .wb = wb, .args = args, .source = rest[0], .link = true };

	(void)n;
	return job_run(&j);
}

/* ---- uninstall ---- */

/* The entry of the directory that is, or leads to, the skill; NULL when there is none. */
static char *entry_of(struct job *j, const char *name)
{
	const struct skill *s;
	AUTO(fs_names_done) struct fs_names names = { 0 };
	char *found = NULL;

	s = skill_find_any(skills_read_dir(&j->arena, &(struct note_sink){ 0 }, j->to, true),
			   str_from(name));
	if (!s || fs_list(j->to, &names, NULL) < 0)
		return NULL;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(j->to, names.p[i]);
		AUTO(free) char *real = fs_real(path);

		if (!found && real && strcmp(real, s->dir) == 0)
			found = MOVE(path);
	}
	return found;
}

int cmd_skills_uninstall(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(job_done) struct job j = { .wb = wb, .args = args };
	AUTO(free) char *path = NULL;
	struct err err;
	int status = job_start(&j);

	(void)n;
	if (status != EXIT_OK)
		return status;
	path = check_place(&j, &err) < 0 ? NULL : entry_of(&j, rest[0]);
	if (!path) {
		const struct skills *all =
			skills_read_dir(&j.arena, &(struct note_sink){ 0 }, j.to, true);
		const char **names = ARENA_ARRAY(&j.arena, const char *, all->n + 1);
		const char *meant;

		for (size_t i = 0; i < all->n; i++)
			names[i] = all->p[i].name;
		meant = did_you_mean(&j.arena, rest[0], names, all->n);

		return wb_fail_at(wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-skill" },
				  "skill \"%s\" is not installed in the %s scope%s", rest[0],
				  scope_name(&j), meant);
	}
	if (tree_remove(path, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	sheet_f(&wb->sheet, PLAIN, "Successfully uninstalled skill: %s (scope: %s, location: %s)\n",
		rest[0], scope_name(&j), path);
	return EXIT_OK;
}
