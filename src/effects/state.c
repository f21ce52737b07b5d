/*
 * What following a text has come to (struct effects_state): what was printed, what is in the files
 * that were written or fetched.
 */
#include "effects/links.h"
#include "effects/run.h"

static struct str file_key(struct run *r, struct str path)
{
	if (str_starts(path, STR("/proc/self/fd/")))
		return arena_printf(r->a, "/dev/fd/%.*s", STR_ARG(str_sub(path, 14, path.n)));
	if (str_starts(path, STR("./")))
		path = str_sub(path, 2, path.n);
	if (path.n && path.p[0] != '/' && r->cwd.n)
		path = arena_printf(r->a, "%.*s/%.*s", STR_ARG(r->cwd), STR_ARG(path));
	return path;
}

void file_set(struct run *r, struct str path, struct str text)
{
	if (path.n && value_known(path))
		binding_set(r, &r->e->state->files, file_key(r, path), text);
}

void file_opened(struct run *r, struct str path, const struct text *text)
{
	struct open_file *f;

	if (!path.n || !value_known(path))
		return;
	f = ARENA_NEW(r->a, struct open_file);
	*f = (struct open_file){ r->e->state->open, file_key(r, path), text, 0 };
	r->e->state->open = f;
}

bool file_get(struct run *r, struct str path, struct str *ret_text)
{
	const struct binding *b;

	if (r->e->state->open) {
		/* What was written since, by way of `exec > file`. */
		for (struct open_file *f = r->e->state->open; f; f = f->next)
			if (f->kept != f->text->n) {
				f->kept = f->text->n;
				binding_set(r, &r->e->state->files, f->path, text_str(f->text));
			}
	}
	if (!r->e->state->files)
		return false;
	b = binding_find(r->e->state->files, file_key(r, path));
	if (!b && r->e->state->links) {
		struct str led = links_followed(r->e, path, r->cwd, true);

		b = led.p ? binding_find(r->e->state->files, led) : NULL;
	}
	if (b)
		*ret_text = b->value;
	return b != NULL;
}

bool file_read(struct run *r, struct str path, struct str *ret_text)
{
	const struct effects_world *w = r->e->world;

	if (file_get(r, path, ret_text))
		return true;
	if (r->e->state->copies) {
		const struct binding *b = binding_find(r->e->state->copies, joined(r, path));

		if (b && file_get(r, b->value, ret_text))
			return true;
		path = b ? b->value : path;
	}
	return w->read && !r->e->remote && value_known(path) && value_known(r->cwd) && path.n &&
	       run_spend(r, 500) &&
	       w->read(w->data, arena_str(r->a, file_key(r, path)), r->a, ret_text);
}

void run_emit(struct run *r, struct str text)
{
	if (r->out)
		text_add(r, r->out, text);
}

void run_pass_on(struct run *r)
{
	static const enum mark kept[] = { MARK_FETCHED, MARK_SECRET, MARK_WHOLE, MARK_HIDDEN };
	char marks[ARRAY_LEN(kept)];
	size_t n = 0;

	if (!r->out)
		return;
	for (size_t i = 0; r->has_in && i < ARRAY_LEN(kept); i++)
		if (value_has(r->in, kept[i]))
			marks[n++] = (char)kept[i];
	run_emit(r, n ? (struct str){ marks, n } : ANY);
}

void fetched_add(struct run *r, struct str dir)
{
	struct str whole = file_key(r, dir);

	while (whole.n > 1 && (whole.p[whole.n - 1] == '/' || whole.p[whole.n - 1] == '.'))
		whole.n--;
	if (value_known(whole))
		binding_set(r, &r->e->state->fetched, whole, STR(""));
}

bool is_fetched(struct run *r, struct str path)
{
	struct str whole = r->e->state->fetched ? file_key(r, path) : STR("");

	for (const struct binding *b = r->e->state->fetched; b; b = b->next)
		if (str_starts(whole, b->name) && whole.n > b->name.n && whole.p[b->name.n] == '/')
			return true;
	return false;
}

/* It was not there before, and is not what the work is done in. */
static bool is_made(struct run *r, struct str dir)
{
	const struct effects_world *w = r->e->world;
	struct str text;

	for (size_t i = 0; i < w->nroots; i++)
		if (str_eq(dir, w->roots[i]))
			return false;
	return !str_eq(dir, w->cwd) &&
	       !file_read(r, arena_printf(r->a, "%.*s/.git/HEAD", STR_ARG(dir)), &text);
}

bool is_cloned(struct run *r, struct str path)
{
	struct str whole = r->e->state->fetched ? file_key(r, path) : STR("");

	if (!str_ends(whole, STR("/.git")) || str_find(whole, STR("/../"), 0) >= 0)
		return false;
	for (const struct binding *b = r->e->state->fetched; b; b = b->next)
		if (str_starts(whole, b->name) && whole.n > b->name.n &&
		    whole.p[b->name.n] == '/' && is_made(r, b->name))
			return true;
	return false;
}

struct str joined(struct run *r, struct str to)
{
	while (str_starts(to, STR("./")) && to.n > 2)
		to = str_sub(to, 2, to.n);
	if (to.n && to.p[0] == '/')
		return to;
	if (!to.n || to.p[0] == MARK_ANY || !r->cwd.n)
		return ANY;
	run_copied(r, r->cwd.n + to.n);
	return arena_printf(r->a, "%.*s/%.*s", STR_ARG(r->cwd), STR_ARG(to));
}
