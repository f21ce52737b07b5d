#include "effects/links.h"

#include "effects/run.h"
#include "shell/calls.h"

enum { PATH_TEXT_MAX = 4096, FOLLOWED_MAX = 40 /* as the kernel does */ };

static struct effects_state *state_of(struct effects *e)
{
	if (!e->state)
		e->state = ARENA_NEW(e->arena, struct effects_state);
	return e->state;
}

static bool on_disk(struct effects *e, struct str path, struct str *ret_target)
{
	struct effects_state *s = state_of(e);
	const struct binding **slot = &s->looked[str_hash(STR_HASH, path) % LINKS_SLOTS];
	const struct binding *b = binding_find(*slot, path);

	/* In /proc they lead elsewhere for each process, and /dev has names of devices. */
	if (!e->world->link || e->remote || str_starts(path, STR("/proc")) ||
	    (str_starts(path, STR("/dev")) && !str_starts(path, STR("/dev/shm"))))
		return false;
	if (!b) {
		struct binding *new;

		if (s->nlooked++ >= LINKS_LOOKED_MAX) {
			effects_unjudged(e, STR("(too many paths)"));
			return false;
		}
		new = binding_add(e->arena, slot, arena_str(e->arena, path));
		if (!e->world->link(e->world->data, new->name, e->arena, &new->value))
			new->value = (struct str){ 0 };
		b = new;
	}
	*ret_target = b->value;
	return b->value.n > 0;
}

struct walk {
	char p[PATH_TEXT_MAX];
	size_t n;
	unsigned followed;
};

static bool walk_add(struct walk *w, struct str s)
{
	if (w->n + 1 + s.n > sizeof w->p)
		return false;
	w->p[w->n++] = '/';
	memcpy(w->p + w->n, s.p, s.n);
	w->n += s.n;
	return true;
}

static void walk_up(struct walk *w)
{
	while (w->n && w->p[--w->n] != '/')
		;
}

/* Does a pattern find a path, part by part?  *ret_rest: what follows of the pattern. */
static bool finds(struct str part, struct str rest, struct str path, struct str *ret_rest)
{
	struct str name;

	while (str_split(&path, '/', &name)) {
		if (value_has(part, MARK_ANY) || value_has(part, MARK_UNSET) ||
		    value_has(part, MARK_OPEN) || !value_fits(part, name))
			return false;
		if (path.p && !str_split(&rest, '/', &part))
			return false;
	}
	*ret_rest = rest;
	return true;
}

/*
 * A glob that may find a link which the text made, or what it mounted; what lies on the disk is not
 * listed.
 */
static bool link_among(struct effects *e, struct str dir, struct str part, struct str *rest,
		       bool last, struct str *ret_target)
{
	const struct binding *const lists[] = { state_of(e)->mounts, state_of(e)->links };
	struct str behind;

	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		for (const struct binding *b = lists[i]; b; b = b->next)
			if (b->value.n && str_starts(b->name, dir) && b->name.n > dir.n + 1 &&
			    b->name.p[dir.n] == '/' &&
			    finds(part, *rest, str_sub(b->name, dir.n + 1, b->name.n), &behind) &&
			    (i == 0 || behind.p || last)) {
				*ret_target = b->value;
				*rest = behind;
				return true;
			}
	return false;
}

static bool leads(struct effects *e, struct str path, struct str part, struct str *rest, bool last,
		  struct str *ret_target)
{
	const struct binding *made;

	if (!value_known(part))
		return link_among(e, directory_of(path), part, rest, last, ret_target);
	made = binding_find(state_of(e)->mounts, path);
	if (!made || !made->value.n) {
		if (!rest->p && !last)
			return false;
		made = binding_find(state_of(e)->links, path);
	}
	if (made)
		*ret_target = made->value;
	return made || on_disk(e, path, ret_target);
}

/* Every part is looked at but one that is not known: from there on the path stays as it is. */
static bool walk_path(struct effects *e, struct walk *w, struct str rest, bool last)
{
	struct str part, target;

	while (str_split(&rest, '/', &part)) {
		if (!part.n || str_eqz(part, "."))
			continue;
		if (str_eqz(part, "..")) {
			walk_up(w);
			continue;
		}
		if (!walk_add(w, part))
			return false;
		if (!leads(e, (struct str){ w->p, w->n }, part, &rest, last, &target)) {
			if (!value_known(part))
				return !rest.p || walk_add(w, rest);
			continue;
		}
		if (++w->followed > FOLLOWED_MAX)
			return false;
		if (char_is_mark(target.p[0])) { /* it may lead anywhere */
			w->n = 0;
			return walk_add(w, target) && (!rest.p || walk_add(w, rest));
		}
		if (target.p[0] == '/')
			w->n = 0;
		else
			walk_up(w);
		rest = rest.p ? arena_printf(e->arena, "%.*s/%.*s", STR_ARG(target), STR_ARG(rest))
			      : target;
	}
	return true;
}

static bool is_absolute(struct str path)
{
	return path.n && path.p[0] == '/';
}

struct str links_followed(struct effects *e, struct str path, struct str cwd, bool last)
{
	struct walk w;
	const struct str none = { 0 };
	bool linked = (e->state && (e->state->links || e->state->mounts)) ||
		      (e->world->link && !e->remote);

	w.n = w.followed = 0;
	if (!linked || !path.n || !is_absolute(is_absolute(path) ? path : cwd))
		return none;
	if (!is_absolute(path)) {
		if (!value_known(str_sub(path, 0, 1)) && path.p[0] != MARK_STAR &&
		    path.p[0] != MARK_ONE)
			return none; /* it may be absolute */
		if (!walk_path(e, &w, cwd, true) || !value_known(cwd))
			return none;
	}
	if (!walk_path(e, &w, path, last) || !w.followed)
		return none;
	if (w.n > 1 && char_is_mark(w.p[1]))
		return arena_str(e->arena, (struct str){ w.p + 1, w.n - 1 });
	return w.n ? arena_str(e->arena, (struct str){ w.p, w.n }) : STR("/");
}

struct str links_normal(struct arena *a, struct str path)
{
	struct walk w = { .n = 0 };
	struct str part;

	if (!is_absolute(path) || !value_known(path) || str_find(path, STR("/."), 0) < 0)
		return path;
	for (struct str rest = path; str_split(&rest, '/', &part);)
		if (str_eqz(part, ".."))
			walk_up(&w);
		else if (part.n && !str_eqz(part, ".") && !walk_add(&w, part))
			return path;
	return w.n ? arena_str(a, (struct str){ w.p, w.n }) : STR("/");
}

static void made(struct effects *e, const struct binding **list, struct str path, struct str cwd,
		 struct str target)
{
	struct walk w = { .n = 0 };

	if (!path.n || !is_absolute(is_absolute(path) ? path : cwd) ||
	    (!is_absolute(path) && !walk_path(e, &w, cwd, true)))
		return;
	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	/* The last part is the name itself, whatever is there. */
	if (!walk_path(e, &w, directory_of(path), true) || !walk_add(&w, sh_file_name(path)))
		return;
	if (state_of(e)->nmade++ >= LINKS_LOOKED_MAX) {
		effects_unjudged(e, STR("(too many paths)"));
		return;
	}
	binding_add(e->arena, list, arena_str(e->arena, (struct str){ w.p, w.n }))->value = target;
}

void links_made(struct effects *e, struct str path, struct str cwd, struct str target)
{
	if (target.n)
		made(e, &state_of(e)->links, path, cwd, target);
}

void mount_made(struct effects *e, struct str path, struct str cwd, struct str target)
{
	made(e, &state_of(e)->mounts, path, cwd, target);
}

const struct effects_world *links_world(struct effects *e)
{
	struct effects_state *s = state_of(e);
	struct effects_world *w;
	struct str *roots;

	if (s->real)
		return s->real;
	w = ARENA_NEW(e->arena, struct effects_world);
	*w = *e->world;
	roots = ARENA_ARRAY(e->arena, struct str, w->nroots + 1);
	for (size_t i = 0; i <= w->nroots; i++) {
		struct str dir = i < w->nroots ? w->roots[i] : w->home;
		struct str real = links_followed(e, dir, STR("/"), true);

		roots[i] = real.p ? real : dir;
	}
	w->roots = roots;
	w->home = roots[w->nroots];
	return s->real = w;
}
