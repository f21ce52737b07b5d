/*
 * The short name of a project's directory: ~/.gemini/projects.json says it, and the
 * file .project_root in ~/.gemini/tmp/<name> says whose that directory is.  Both are shared with
 * Gemini CLI.  The marker decides: where projects.json is broken it is left as it is, since
 * somebody can repair it, and the markers are searched.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "agent/transcript/transcript.h"
#include "os/fs.h"

#define MARKER ".project_root"

enum {
	LOCK_MS = 10000,
	REGISTRY_MAX_BYTES = 8 << 20,
	MARKER_MAX_BYTES = 8 << 10,
	SLUG_MAX = 100, /* bytes of a name, without the number */
	SLUG_TRIES = 10000,
};

enum owner { OWNER_NONE, OWNER_US, OWNER_OTHER };

struct places {
	const char *project;
	char *registry, *lock, *tmp;
};

static void places_done(struct places *p)
{
	free(p->registry);
	free(p->lock);
	free(p->tmp);
}

DEFINE_AUTO(struct places, places_done)

/* A name that is one part of a path and neither hidden nor special. */
static bool is_slug(struct str s)
{
	if (s.n == 0 || s.n > 255 || s.p[0] == '.')
		return false;
	for (size_t i = 0; i < s.n; i++)
		if (!char_is_word(s.p[i]) && s.p[i] != '-' && s.p[i] != '.')
			return false;
	return true;
}

static char *in_tmp(const struct places *p, const char *slug, const char *name)
{
	AUTO(free) char *dir = fs_join(p->tmp, slug);

	return fs_join(dir, name);
}

/* Whose directory this is; one whose marker cannot be read is somebody else's. */
static enum owner owner_of(const struct places *p, const char *slug)
{
	AUTO(free) char *path = in_tmp(p, slug, MARKER);
	AUTO(free) char *dir = fs_join(p->tmp, slug);
	AUTO(buf_done) struct buf text = { 0 };
	struct stat st;

	if (lstat(dir, &st) == 0 && !S_ISDIR(st.st_mode))
		return OWNER_OTHER;
	if (lstat(path, &st) < 0)
		return errno == ENOENT ? OWNER_NONE : OWNER_OTHER;
	if (!S_ISREG(st.st_mode) || fs_read(path, MARKER_MAX_BYTES, &text, NULL) < 0)
		return OWNER_OTHER;
	return str_eqz(str_trim(buf_str(&text)), p->project) ? OWNER_US : OWNER_OTHER;
}

/* Makes the directory ours; fails when somebody was faster. */
static int claim(const struct places *p, const char *slug, struct err *err)
{
	AUTO(free) char *dir = fs_join(p->tmp, slug);
	AUTO(free) char *path = in_tmp(p, slug, MARKER);
	size_t n = strlen(p->project);
	int r = fs_mkdirs(dir, 0700, err);

	if (r < 0)
		return r;
	AUTO(close) int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);

	if (fd >= 0 && write(fd, p->project, n) == (ssize_t)n)
		return 0;
	r = err_errno(err, errno, fd < 0 ? "making %s" : "writing %s", path);
	if (fd >= 0)
		(void)unlink(path); /* an empty one would have no owner and stay taken for ever */
	(void)rmdir(dir); /* and so would the next ones: who looks for a name stops here */
	return r;
}

/* The registry; an empty one when there is none, false when it is broken. */
static bool read_registry(const struct places *p, struct arena *a, const struct json **ret_v)
{
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *v = json_new_obj(a), *projects;
	int r = fs_read(p->registry, REGISTRY_MAX_BYTES, &text, NULL);

	if (r < 0 && r != -E_NOTFOUND)
		return false;
	if (r >= 0 && str_trim(buf_str(&text)).n &&
	    json_parse(a, buf_str(&text), JSON_BOM, &v, NULL) < 0)
		return false;
	projects = json_getz(v, "projects");
	if (!json_is(v, J_OBJ) || (projects && !json_is(projects, J_OBJ)))
		return false;
	*ret_v = v;
	return true;
}

/* The registered name if the directory is ours or has no owner. */
static char *registered(const struct places *p, const struct json *registry, enum owner *ret_owner)
{
	const struct json *projects = json_getz(registry, "projects");
	struct str slug = json_str(json_get(projects, str_from(p->project)), STR(""));

	if (!is_slug(slug))
		return NULL;
	char *name = xstrndup(slug.p, slug.n);

	*ret_owner = owner_of(p, name);
	if (*ret_owner == OWNER_OTHER)
		free(MOVE(name));
	return name;
}

static bool is_taken(const struct json *registry, const char *slug)
{
	const struct json *projects = json_getz(registry, "projects");

	for (size_t i = 0; projects && i < projects->n; i++)
		if (str_eqz(json_str(&projects->members[i].v, STR("")), slug))
			return true;
	return false;
}

static char *make_slug(const struct places *p, const struct json *registry, struct err *err)
{
	AUTO(buf_done) struct buf base = { 0 };
	const char *name = strrchr(p->project, '/');

	/* The last part of the path: small letters and digits, and one dash for whatever else. */
	for (name = name ? name + 1 : p->project; *name && base.n < SLUG_MAX; name++) {
		char c = char_lower(*name);

		if (char_is_digit(c) || char_is_lower(c))
			buf_addc(&base, c);
		else if (base.n && base.p[base.n - 1] != '-')
			buf_addc(&base, '-');
	}
	while (base.n && base.p[base.n - 1] == '-')
		base.n--;
	if (base.n == 0)
		buf_addz(&base, "project");
	for (int i = 0; i < SLUG_TRIES; i++) {
		AUTO(free) char *slug =
			i ? xasprintf("%s-%d", buf_z(&base), i) : xstrdup(buf_z(&base));
		AUTO(free) char *dir = fs_join(p->tmp, slug);

		if (is_taken(registry, slug) || owner_of(p, slug) != OWNER_NONE)
			continue;
		if (claim(p, slug, err) >= 0)
			return MOVE(slug);
		if (!fs_is_dir(dir))
			return NULL; /* no room or no right: the next name would not do better */
	}
	(void)err_set(err, E_IO, "%s: no free name for %s", p->tmp, p->project);
	return NULL;
}

static char *look_up(const struct places *p, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	/* Without the lock the worst is that both of two new projects look for a name again. */
	AUTO(close) int lock = fs_lock(p->lock, LOCK_MS, NULL);
	AUTO(fs_names_done) struct fs_names names = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *registry = NULL, *projects;
	enum owner owner = OWNER_NONE;

	(void)lock;
	bool sound = read_registry(p, &a, &registry);
	char *slug = registered(p, registry, &owner);

	if (slug &&
	    (owner == OWNER_US || owner_of(p, slug) == OWNER_US || claim(p, slug, err) >= 0))
		return slug;
	free(MOVE(slug));
	/* A directory that has been ours, though the registry does not know it. */
	if (fs_list(p->tmp, &names, NULL) >= 0)
		for (size_t i = 0; i < names.n && !slug; i++)
			if (is_slug(str_from(names.p[i])) && owner_of(p, names.p[i]) == OWNER_US)
				slug = MOVE(names.p[i]);
	if (!slug)
		slug = make_slug(p, registry, err);
	if (slug && sound) {
		projects = json_set(&a, json_getz(registry, "projects"), str_from(p->project),
				    json_new_str(&a, str_from(slug)));
		registry = json_set(&a, registry, STR("projects"), projects);
		(void)json_write(&out, registry, JSON_PRETTY);
		/* The marker finds the directory again if this fails. */
		(void)fs_replace(p->registry, buf_str(&out), 0600, NULL);
	}
	return slug;
}

char *project_temp_dir(const char *home, const char *project, struct err *err)
{
	AUTO(free) char *gemini = fs_join(home, ".gemini");
	AUTO(free) char *path = fs_absolute("/", project);
	AUTO(places_done) struct places p = {
		.project = path,
		.registry = fs_join(gemini, "projects.json"),
		.lock = fs_join(gemini, ".projects.lock"),
		.tmp = fs_join(gemini, "tmp"),
	};

	AUTO(arena_done) struct arena a = { 0 };
	const struct json *registry = NULL;
	enum owner owner = OWNER_NONE;

	if (!*home) {
		(void)err_set(err, E_NOTFOUND, "no home directory to keep sessions in: set HOME");
		return NULL;
	}
	/* What nearly every start finds: no lock, nothing to write. */
	(void)read_registry(&p, &a, &registry);
	AUTO(free) char *slug = registered(&p, registry, &owner);

	if (slug && owner != OWNER_US)
		free(MOVE(slug));
	if (!slug && fs_mkdirs(p.tmp, 0700, err) >= 0)
		slug = look_up(&p, err);
	return slug ? fs_join(p.tmp, slug) : NULL;
}

char *transcript_dir(const char *home, const char *project, struct err *err)
{
	AUTO(free) char *dir = project_temp_dir(home, project, err);

	return dir ? fs_join(dir, "chats") : NULL;
}
