/*
 * Where skills are: the directories in their order, of which later ones override earlier ones by
 * name (host.md H3.1).  A project or extension is somebody else's, so that nothing of it is read
 * through a link that leads out of it; what the user has linked into the own home directory is.
 */
#include "agent/catalog/skills.h"

#include <strings.h>

#include "agent/context/context_impl.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "os/fs.h"
#include "settings/places.h"

enum { ENTRIES_MAX = 5000 };

struct reader {
	struct arena *a;
	const struct skills_options *o;
	struct {
		struct skill *p;
		size_t n, cap;
	} list;
	size_t bytes; /* of all bodies */
	bool full; /* which was said */
};

static void complain(const struct reader *r, const char *fmt, ...) PRINTF_LIKE(2, 3);
static void complain(const struct reader *r, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(buf_done) struct buf line = { 0 };
	va_list ap;

	if (!r->o->complain)
		return;
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	(void)utf8_add_visible(&line, buf_str(&text), false);
	r->o->complain(r->o->data, buf_z(&line));
}

/* ---- names ---- */

/* H3.4 */
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

		if (strcasecmp(clean_name(&tmp, word), name) == 0)
			return true;
	}
	return false;
}

static struct str shortened(struct arena *a, struct str text)
{
	struct str head = utf8_prefix(text, SKILL_DESCRIPTION_MAX);

	return head.n == text.n ? text : arena_printf(a, "%.*s…", STR_ARG(head));
}

/* ---- one file ---- */

static bool has_room(struct reader *r, struct str body)
{
	if (r->list.n < SKILLS_MAX && r->bytes + body.n <= SKILLS_BYTES_MAX)
		return true;
	if (!r->full)
		complain(r,
			 "[WARNING] There are more than %d skills, or their texts are longer than "
			 "%d MiB; the rest is left out.",
			 SKILLS_MAX, SKILLS_BYTES_MAX >> 20);
	r->full = true;
	return false;
}

/* The one that it overrides, or a new one. */
static struct skill *place_of(struct reader *r, const struct skill *s)
{
	for (size_t i = 0; i < r->list.n; i++) {
		struct skill *old = &r->list.p[i];

		if (strcasecmp(old->name, s->name) != 0)
			continue;
		if (strcmp(old->file, s->file) != 0)
			complain(r,
				 "Skill conflict detected: \"%s\" from \"%s\" is overriding the "
				 "same skill from \"%s\".",
				 s->name, s->file, old->file);
		return old;
	}
	return VEC_ADD(&r->list);
}

static void add_skill(struct reader *r, const char *file, const char *dir, enum skill_origin origin)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct skill_front front;
	struct skill s = { .origin = origin };
	struct err err;

	if (fs_read(file, SKILL_FILE_MAX, &text, &err) < 0) {
		complain(r, "[WARNING] A skill is left out: %s", err.text);
		return;
	}
	if (skill_front_read(r->a, arena_str(r->a, buf_str(&text)), &front, &err) < 0) {
		complain(r, "[WARNING] A skill is left out: %s:%s", file, err.text);
		return;
	}
	if (!has_room(r, front.body))
		return;
	r->bytes += front.body.n;
	s.name = clean_name(r->a, front.name);
	s.description = shortened(r->a, front.description).p;
	s.file = arena_z(r->a, str_from(file));
	s.dir = arena_z(r->a, str_from(dir));
	s.body = front.body;
	s.disabled = json_is_false(json_pointer(r->o->settings, STR("/skills/enabled"))) ||
		     is_disabled(r, s.name);
	*place_of(r, &s) = s;
}

/* ---- directories ---- */

struct place {
	const char *dir;
	enum skill_origin origin;
	const char *fence; /* real; nothing outside of it is read; NULL = everything may be */
};

static bool is_outside(const struct reader *r, const struct place *p, const char *real,
		       const char *shown)
{
	if (!p->fence || path_below(p->fence, real))
		return false;
	complain(r, "[WARNING] %s is not read: it is a link that leads out of %s", shown, p->fence);
	return true;
}

/* SKILL.md of a directory, when there is one. */
static void look_into(struct reader *r, const struct place *p, const char *dir)
{
	AUTO(free) char *path = fs_join(dir, "SKILL.md");
	AUTO(free) char *real_dir = fs_real(dir);
	AUTO(free) char *real = fs_real(path);

	if (real && real_dir && !is_outside(r, p, real, path) && !is_outside(r, p, real_dir, dir))
		add_skill(r, real, real_dir, p->origin);
}

static void read_place(struct reader *r, const struct place *p)
{
	AUTO(free) char *real = fs_real(p->dir);
	char **names;
	size_t n;

	if (!real || is_outside(r, p, real, p->dir))
		return;
	look_into(r, p, real);
	if (fs_list(real, &names, &n, NULL) < 0)
		return;
	if (n > ENTRIES_MAX)
		complain(r, "[WARNING] %s has more than %d entries; the rest is not looked at",
			 real, ENTRIES_MAX);
	for (size_t i = 0; i < n; i++) {
		AUTO(free) char *dir = fs_join(real, names[i]);

		if (i < ENTRIES_MAX && names[i][0] != '.' && fs_is_dir(dir))
			look_into(r, p, dir);
		free(names[i]);
	}
	free(names);
}

static void read_places(struct reader *r, const char *home, const char *project)
{
	const struct dirs dirs = { .home = home ? home : "", .project = project ? project : "" };

	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_SKILLS));) {
		const char *dir = place_path(p, &dirs, r->a);
		bool foreign = tiers[p->tier].foreign;

		if (dir && (r->o->trusted || !foreign))
			read_place(r,
				   &(struct place){ .dir = dir,
						    .origin = foreign ? SKILL_PROJECT : SKILL_USER,
						    .fence = foreign ? project : NULL });
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct skill *)a)->name, ((const struct skill *)b)->name);
}

static struct skills *finish(struct reader *r)
{
	struct skills *all = ARENA_NEW(r->a, struct skills);

	all->n = r->list.n;
	all->p = ARENA_ARRAY(r->a, struct skill, r->list.n + 1);
	if (all->n)
		memcpy(all->p, r->list.p, all->n * sizeof *all->p);
	free(r->list.p);
	qsort(all->p, all->n, sizeof *all->p, by_name);
	all->off = json_is_false(json_pointer(r->o->settings, STR("/skills/enabled")));
	return all;
}

struct skills *skills_read(struct arena *a, const struct skills_options *o)
{
	struct reader r = { .a = a, .o = o };
	AUTO(free) char *home = o->home && *o->home ? fs_real(o->home) : NULL;
	AUTO(free) char *project = o->project ? fs_real(o->project) : NULL;

	for (const char *const *dir = o->extension_dirs; dir && *dir; dir++) {
		AUTO(free) char *real = fs_real(*dir);

		read_place(&r, &(struct place){ *dir, SKILL_EXTENSION, real });
	}
	read_places(&r, home, project);
	return finish(&r);
}

struct skills *skills_read_dir(struct arena *a, const struct skills_options *o, const char *dir,
			       bool links)
{
	struct reader r = { .a = a, .o = o };
	AUTO(free) char *real = fs_real(dir);

	read_place(&r, &(struct place){ dir, SKILL_USER, links ? NULL : real });
	return finish(&r);
}

/* ---- looking ---- */

const struct skill *skill_find_any(const struct skills *all, struct str name)
{
	for (size_t i = 0; all && i < all->n; i++)
		if (strlen(all->p[i].name) == name.n &&
		    strncasecmp(all->p[i].name, name.p, name.n) == 0)
			return &all->p[i];
	return NULL;
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

const char *skill_origin_name(enum skill_origin origin)
{
	static const char *const names[] = { [SKILL_BUILT_IN] = "built-in",
					     [SKILL_EXTENSION] = "extension",
					     [SKILL_USER] = "user",
					     [SKILL_PROJECT] = "project" };

	return names[origin];
}

/* ---- for the model ---- */

static const char intro[] =
	"# Skills\n"
	"\n"
	"Skills are instructions for certain kinds of tasks, written by the developer or for this "
	"project. Listed below is what each of them is for. When a task is of that kind, call "
	"activate_skill with the name of the skill before you begin: the result has its "
	"instructions and names the files beside them, which you may then read. Follow them for "
	"that task, below what the developer says and within what is said under Care. Do not "
	"activate a skill twice, and none that the task does not need.\n"
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
