#include "workbench/approved.h"

#include <stdio.h>

#include "base/diff.h"
#include "base/json.h"
#include "hooks/trust.h"
#include "os/fs.h"

enum {
	STORE_MAX_BYTES = 8 << 20,
	TEXT_MAX_BYTES = 1 << 20, /* of one hook */
	CONTEXT_LINES = 2,
	HEX = 64,
};

static char *copy_path(const struct tl_hooks *hooks, const char *fingerprint)
{
	return xasprintf("%s/.trotline/approved/%s", tl_hooks_home(hooks), fingerprint);
}

static bool is_fingerprint(struct str s)
{
	return s.n == HEX && strspn(s.p, "0123456789abcdef") >= HEX;
}

/* { "<fingerprint>": "<event> <name>" } of the project, or NULL. */
static const struct json *approved(const struct tl_hooks *hooks, struct arena *a)
{
	AUTO(free) char *path = fs_join(tl_hooks_home(hooks), ".trotline/trusted_hooks.json");
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *v;

	if (fs_read(path, STORE_MAX_BYTES, &text, NULL) < 0 ||
	    json_parse(a, arena_str(a, buf_str(&text)), JSON_C, &v, NULL) < 0)
		return NULL;
	v = json_get(v, str_from(tl_hooks_project_dir(hooks)));
	return json_is(v, J_OBJ) ? v : NULL;
}

/* The definition, then each file that is started. */
static void add_text(const struct tl_hooks *hooks, size_t i, struct buf *out)
{
	buf_addz(out, tl_hooks_definition(hooks, i));
	for (size_t k = 0; *tl_hooks_script_get(hooks, i, k); k++) {
		const char *path = tl_hooks_script_get(hooks, i, k);
		AUTO(buf_done) struct buf bytes = { 0 };
		struct err err;

		buf_addf(out, "script %s\n", path);
		if (trust_read_script(hooks->hooks[i], k, &bytes, &err) < 0)
			buf_addf(out, "(%s)\n", err.text);
		buf_adds(out, buf_str(&bytes));
		if (bytes.n && bytes.p[bytes.n - 1] != '\n')
			buf_addc(out, '\n');
	}
}

static bool is_current(const struct tl_hooks *hooks, struct str fingerprint)
{
	struct tl_hook h = TL_HOOK_INIT();

	for (size_t i = 0; i < tl_hooks_count(hooks); i++)
		if (tl_hooks_get(hooks, i, &h) == 0 && str_eqz(fingerprint, h.fingerprint))
			return true;
	return false;
}

static void remove_copies(const struct tl_hooks *hooks, bool of_current_hooks)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *known = approved(hooks, &a);

	for (size_t i = 0; known && i < known->n; i++) {
		struct str key = known->members[i].key;

		if (!is_fingerprint(key) || (!of_current_hooks && is_current(hooks, key)))
			continue;
		AUTO(free) char *path = copy_path(hooks, arena_z(&a, key));
		(void)remove(path);
	}
}

void approved_keep(const struct tl_hooks *hooks)
{
	AUTO(free) char *dir = fs_join(tl_hooks_home(hooks), ".trotline/approved");
	struct tl_hook h = TL_HOOK_INIT();

	if (!*tl_hooks_home(hooks) || fs_mkdirs(dir, 0700, NULL) < 0)
		return;
	remove_copies(hooks, false);
	for (size_t i = 0; i < tl_hooks_count(hooks); i++) {
		AUTO(buf_done) struct buf text = BUF_INIT(.max = TEXT_MAX_BYTES);

		if (tl_hooks_get(hooks, i, &h) < 0 || !is_fingerprint(str_from(h.fingerprint)))
			continue;
		AUTO(free) char *path = copy_path(hooks, h.fingerprint);
		add_text(hooks, i, &text);
		if (!text.full)
			(void)fs_replace(path, buf_str(&text), 0600, NULL);
	}
}

void approved_forget(const struct tl_hooks *hooks)
{
	remove_copies(hooks, true);
}

/* What was approved under the hook's event and name, and is not what another hook still is. */
static bool read_copy(const struct tl_hooks *hooks, const struct tl_hook *h, struct buf *out)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *known = approved(hooks, &a);
	AUTO(free) char *id = xasprintf("%s %s", h->event, h->name);

	for (size_t i = 0; known && i < known->n; i++) {
		const struct json_member *m = &known->members[i];

		if (!str_eqz(json_str(&m->v, STR("")), id) || !is_fingerprint(m->key) ||
		    is_current(hooks, m->key))
			continue;
		AUTO(free) char *path = copy_path(hooks, arena_z(&a, m->key));
		if (fs_read(path, TEXT_MAX_BYTES, out, NULL) == 0)
			return true;
	}
	return false;
}

bool approved_diff(const struct tl_hooks *hooks, size_t i, struct buf *out)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf before = { 0 };
	AUTO(buf_done) struct buf now = BUF_INIT(.max = TEXT_MAX_BYTES);
	struct tl_hook h = TL_HOOK_INIT();
	struct diff d;

	if (tl_hooks_trust(hooks, i) != TL_TRUST_CHANGED || tl_hooks_get(hooks, i, &h) < 0 ||
	    !read_copy(hooks, &h, &before))
		return false;
	add_text(hooks, i, &now);
	if (now.full)
		return false;
	diff_lines(&a, buf_str(&before), buf_str(&now), &d);
	return diff_add_hunks(out, &d, CONTEXT_LINES) == 0 && out->n > 0;
}
