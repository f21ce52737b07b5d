#include "agent/catalog/skills.h"

#include "agent/catalog/front_hooks.h"
#include "agent/context/context_impl.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"

enum { ENTRIES_MAX = 5000 };

struct reader {
	struct catalog c;
	const struct catalog_options *o;
	struct {
		struct skill *p;
		size_t n, cap;
	} list;
	size_t bytes; /* of all bodies */
	bool full; /* which was said */
};

/* ---- names ---- */

/* Characters that no file name has on every system become a dash. */
static const char *clean_name(struct arena *a, struct str name)
{
	char *out = arena_z(a, name);

	for (char *c = out; *c; c++)
		if (strchr(":\\/<>*?\"|", *c))
			*c = '-';
	return out;
}

static bool is_disabled(const struct reader *r, const char *name)
{
	const struct json *off = json_pointer(r->o->settings, STR("/skills/disabled"));

	for (size_t i = 0; json_is(off, J_ARR) && i < off->n; i++) {
		AUTO(arena_done) struct arena tmp = { 0 };
		struct str word = str_trim(json_str(json_at(off, i), STR("")));

		if (str_eqz_icase(str_from(clean_name(&tmp, word)), name) ||
		    str_eqz_icase(word, name))
			return true;
	}
	return false;
}

/* ---- reading ---- */

/* The one that it overrides, or a new one. */
static struct skill *place_of(struct reader *r, const struct skill *s)
{
	for (size_t i = 0; i < r->list.n; i++) {
		struct skill *old = &r->list.p[i];

		if (!str_eqz_icase(str_from(old->name), s->name))
			continue;
		if (strcmp(old->file, s->file) != 0)
			catalog_overrides(&r->c, s->name, s->file, old->file);
		return old;
	}
	return VEC_ADD(&r->list);
}

/* Claude Code's need not say its name: its directory does. */
static int read_front(struct reader *r, const struct catalog_dir *at, const char *dir,
		      struct str text, struct front_matter *front, struct err *err)
{
	struct arena *a = r->c.a;
	int k;

	text = catalog_owners_text(a, at, text);
	if (!at->claude)
		return front_read(a, text, front, NULL, 0, err);
	k = front_read_claude(a, text, front, NULL, 0, err);
	if (k < 0)
		return k;
	if (!front->name.n)
		front->name = arena_str(a, str_from(path_name(dir)));
	/* Else the first line that is no heading. */
	for (struct str rest = front->body, line;
	     !front->description.n && str_split(&rest, '\n', &line);)
		if (str_trim(line).n && line.p[0] != '#')
			front->description = arena_str(a, str_trim(line));
	return front->description.n ? 0 : err_set_at(err, E_PARSE, "", 1, 1, "it is empty");
}

/* SKILL.md of a directory, when there is one. */
static void look_into(struct reader *r, const struct catalog_dir *at, const char *path)
{
	AUTO(free) char *inner = fs_join(path, "SKILL.md");
	const char *file = catalog_real(&r->c, at->fence, inner);
	const char *dir = file ? catalog_real(&r->c, at->fence, path) : NULL;
	struct arena *a = r->c.a;
	struct front_matter front;
	struct str text, head, hooks = { 0 };
	struct skill s;
	struct err err;

	if (!dir || !catalog_text(&r->c, file, SKILL_FILE_MAX, &text))
		return;
	if (read_front(r, at, dir, text, &front, &err) < 0 ||
	    front_hooks_read(a, text, &hooks, &err) < 0) {
		catalog_refuse_file(&r->c, file, err.text);
		return;
	}
	if (r->list.n >= SKILLS_MAX || r->bytes + front.body.n > SKILLS_BYTES_MAX) {
		if (!r->full)
			catalog_refuse(&r->c, "files after the first %d, or %d MiB of text",
				       SKILLS_MAX, SKILLS_BYTES_MAX >> 20);
		r->full = true;
		return;
	}
	r->bytes += front.body.n;
	head = utf8_prefix(front.description, SKILL_DESCRIPTION_MAX);
	s = (struct skill){
		.name = catalog_plugins_name(a, at->plugin, clean_name(a, front.name)),
		.description = head.n == front.description.n
				       ? front.description.p
				       : arena_printf(a, "%.*s…", STR_ARG(head)).p,
		.file = file,
		.dir = dir,
		.origin = at->origin,
		.extension = at->extension,
		.body = front.body,
		.hooks = hooks,
	};
	s.disabled = json_is_false(json_pointer(r->o->settings, STR("/skills/enabled"))) ||
		     is_disabled(r, s.name) || is_disabled(r, catalog_bare_name(s.name).p);
	*place_of(r, &s) = s;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct skill *)a)->name, ((const struct skill *)b)->name);
}

static struct skills *read_dirs(struct arena *a, const struct catalog_options *o,
				const struct catalog_dir *dirs, size_t n)
{
	struct reader r = { .c = { a, &o->notes, "skill" }, .o = o };
	struct skills *all = ARENA_NEW(a, struct skills);

	if (!dirs)
		n = catalog_dirs(&r.c, o, PLACE_SKILLS, &dirs);
	for (size_t i = 0; i < n; i++) {
		const char *const *names;
		size_t nnames;

		if (dirs[i].is_file)
			continue;
		look_into(&r, &dirs[i], dirs[i].dir);
		nnames = catalog_list(&r.c, dirs[i].dir, ENTRIES_MAX, &names);
		for (size_t k = 0; k < nnames; k++) {
			AUTO(free) char *dir = fs_join(dirs[i].dir, names[k]);

			if (fs_is_dir(dir))
				look_into(&r, &dirs[i], dir);
		}
	}
	catalog_say_refused(&r.c);
	all->n = r.list.n;
	all->p = ARENA_ARRAY(a, struct skill, r.list.n + 1);
	if (all->n)
		memcpy(all->p, r.list.p, all->n * sizeof *all->p);
	free(r.list.p);
	qsort(all->p, all->n, sizeof *all->p, by_name);
	all->off = json_is_false(json_pointer(o->settings, STR("/skills/enabled")));
	return all;
}

struct skills *skills_read(struct arena *a, const struct catalog_options *o)
{
	return read_dirs(a, o, NULL, 0);
}

struct skills *skills_read_dir(struct arena *a, const struct note_sink *notes, const char *dir,
			       bool links)
{
	const struct catalog_options o = { .notes = *notes };
	AUTO(free) char *real = fs_real(dir);
	const struct catalog_dir at = { .dir = real,
					.fence = links ? NULL : real,
					.origin = CATALOG_USER };

	return read_dirs(a, &o, &at, real != NULL);
}

/* ---- looking ---- */

const struct skill *skill_find_any(const struct skills *all, struct str name)
{
	const struct skill *found = NULL;

	for (size_t i = 0; all && i < all->n; i++)
		if (str_eqz_icase(name, all->p[i].name))
			return &all->p[i];
	/* A plugin's without the plugin's name, when only one is called so. */
	for (size_t i = 0; all && i < all->n; i++) {
		struct str bare = catalog_bare_name(all->p[i].name);

		if (!str_eq_icase(bare, name))
			continue;
		if (found)
			return NULL;
		found = &all->p[i];
	}
	return found;
}

const struct skill *skill_find(const struct skills *all, struct str name)
{
	const struct skill *s = skill_find_any(all, name);

	return s && !s->disabled ? s : NULL;
}

bool skills_any(const struct skills *all)
{
	for (size_t i = 0; all && i < all->n; i++)
		if (!all->p[i].disabled)
			return true;
	return false;
}

/* ---- for the model ---- */

static const char intro[] =
	"# Skills\n"
	"\n"
	"Skills are instructions for certain kinds of tasks, written by the developer or for this "
	"project. The list below says what each is for. When a task matches, call activate_skill "
	"with the name of the skill before you begin: the result contains its instructions and "
	"lists the files that come with them, which you may then read. Follow them for that task "
	"unless the developer says otherwise, and within the section Care. Do not activate a skill "
	"twice, or one that the task does not need.\n"
	"\n"
	"<available_skills>\n";

struct str skills_instruction(struct arena *a, const struct skills *all)
{
	AUTO(buf_done) struct buf out = { 0 };

	if (!skills_any(all))
		return STR("");
	buf_addz(&out, intro);
	for (size_t i = 0; i < all->n; i++) {
		if (all->p[i].disabled)
			continue;
		buf_addz(&out, "- ");
		frame_add_name(&out, str_from(all->p[i].name));
		buf_addz(&out, ": ");
		frame_add_name(&out, str_from(all->p[i].description));
		buf_addc(&out, '\n');
	}
	buf_addz(&out, "</available_skills>\n");
	return arena_str(a, buf_str(&out));
}

/* All of them: what git ignores may be what the skill needs. */
static const char unfiltered[] = "{\"context\":{\"fileFiltering\":{\"respectGitIgnore\":false,"
				 "\"respectGeminiIgnore\":false}}}";

struct str skill_resources(struct arena *a, const struct skill *s)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct context_options o = { 0 };

	if (json_parse(a, str_from(unfiltered), 0, &o.settings, NULL) < 0)
		BUG();
	tree_add(&out, &o, s->dir);
	return arena_str(a, str_trim(buf_str(&out)));
}
