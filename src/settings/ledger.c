/* What was put into which settings file: ~/.trotline/installed.json. */
#include "settings/ledger.h"

#include <errno.h>
#include <sha2.h>
#include <unistd.h>

#include "os/fs.h"

enum { LEDGER_MAX_BYTES = 32 << 20 };

static char *ledger_path(const char *home)
{
	AUTO(free) char *dir = fs_join(home, ".trotline");

	return fs_join(dir, "installed.json");
}

/* Whatever is wrong with the ledger, it is as good as none. */
static const struct json *ledger_load(struct arena *a, const char *home)
{
	AUTO(free) char *path = ledger_path(home);
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *doc;

	if (fs_read(path, LEDGER_MAX_BYTES, &text, NULL) < 0 ||
	    json_parse(a, arena_str(a, buf_str(&text)), 0, &doc, NULL) < 0)
		return NULL;
	return doc;
}

static const struct json *part_of(struct arena *a, const struct json *doc, const char *key,
				  enum json_type type)
{
	const struct json *v = json_getz(doc, key);

	if (json_is(v, type))
		return v;
	return type == J_ARR ? json_new_arr(a, NULL, 0) : json_new_obj(a);
}

void receipt_load(struct arena *a, const char *home, const char *path, struct receipt *ret_r)
{
	const struct json *doc = home ? ledger_load(a, home) : NULL;
	const struct json *f = json_getz(json_getz(doc, "files"), path);
	const struct json *undo = json_getz(f, "undo");

	*ret_r = (struct receipt){
		.made_file = json_is_true(json_getz(f, "madeFile")),
		.made_dirs = (int)json_int(json_getz(f, "madeDirs"), 0),
		.sha256 = json_get_str(f, "sha256"),
		.has_undo = json_is(undo, J_OBJ),
		.prefix = (size_t)json_int(json_getz(undo, "prefix"), 0),
		.suffix = (size_t)json_int(json_getz(undo, "suffix"), 0),
		.middle = json_get_str(undo, "text"),
		.containers = part_of(a, f, "containers", J_ARR),
		.hooks = part_of(a, f, "hooks", J_ARR),
		.servers = part_of(a, f, "servers", J_ARR),
	};
}

bool receipt_is_empty(const struct receipt *r)
{
	return r->hooks->n == 0 && r->servers->n == 0;
}

static const struct json *receipt_json(struct arena *a, const struct receipt *r)
{
	const struct json *f = json_new_obj(a), *undo;

	if (r->made_file)
		f = json_set(a, f, STR("madeFile"), json_new_bool(a, true));
	if (r->made_dirs)
		f = json_set(a, f, STR("madeDirs"), json_new_int(a, r->made_dirs));
	f = json_set(a, f, STR("sha256"), json_new_str(a, r->sha256));
	if (r->has_undo) {
		undo = json_set(a, NULL, STR("prefix"), json_new_int(a, (int64_t)r->prefix));
		undo = json_set(a, undo, STR("suffix"), json_new_int(a, (int64_t)r->suffix));
		undo = json_set(a, undo, STR("text"), json_new_str(a, r->middle));
		f = json_set(a, f, STR("undo"), undo);
	}
	f = json_set(a, f, STR("containers"), r->containers);
	f = json_set(a, f, STR("hooks"), r->hooks);
	return json_set(a, f, STR("servers"), r->servers);
}

/* A ledger in which nothing is noted is none. */
static int ledger_store(struct arena *a, const char *home, const struct json *files,
			const struct json *dirs, struct err *err)
{
	AUTO(free) char *file = ledger_path(home);
	AUTO(free) char *dir = fs_join(home, ".trotline");
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *doc = json_set(a, NULL, STR("files"), files);
	int status;

	if (files->n == 0 && dirs->n == 0) {
		(void)unlink(file);
		return 0;
	}
	status = fs_mkdirs(dir, 0700, err);
	if (status < 0)
		return status;
	if (dirs->n)
		doc = json_set(a, doc, STR("dirs"), dirs);
	(void)json_write(&out, doc, JSON_PRETTY);
	buf_addc(&out, '\n');
	return fs_replace(file, buf_str(&out), 0600, err);
}

int receipt_store(struct arena *a, const char *home, const char *path, const struct receipt *r,
		  struct err *err)
{
	const struct json *doc = ledger_load(a, home);
	const struct json *files = part_of(a, doc, "files", J_OBJ);

	files = receipt_is_empty(r) ? json_without(a, files, str_from(path))
				    : json_set(a, files, str_from(path), receipt_json(a, r));
	return ledger_store(a, home, files, part_of(a, doc, "dirs", J_ARR), err);
}

/* ---- directories that others use, too ---- */

void dirs_leave(const char *home, const char *dir, int n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *at = xstrdup(dir);
	const struct json *doc = home ? ledger_load(&a, home) : NULL;
	const struct json *dirs = part_of(&a, doc, "dirs", J_ARR), *left;
	size_t noted = dirs->n, before;

	for (; n > 0 && *at; n--) {
		dirs = list_add(&a, dirs, json_new_copy(&a, str_from(at)));
		*strrchr(at, '/') = '\0';
	}
	/* Again when one has gone: they were noted for several files, in any order. */
	do {
		before = dirs->n;
		left = json_new_arr(&a, NULL, 0);
		for (size_t i = 0; i < before; i++) {
			const char *one = arena_z(&a, json_str(json_at(dirs, i), STR("")));

			if (rmdir(one) < 0 && (errno == ENOTEMPTY || errno == EEXIST))
				left = list_add(&a, left, json_at(dirs, i));
		}
		dirs = left;
	} while (dirs->n < before);
	if (home && (noted || dirs->n))
		(void)ledger_store(&a, home, part_of(&a, doc, "files", J_OBJ), dirs, NULL);
}

/* ---- the bytes ---- */

static struct str sha256(struct arena *a, struct str bytes)
{
	char hex[SHA256_DIGEST_STRING_LENGTH];
	SHA2_CTX ctx;

	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)bytes.p, bytes.n);
	SHA256End(&ctx, hex);
	return arena_str(a, str_from(hex));
}

bool receipt_undo(const struct receipt *r, struct str now, struct arena *a, struct str *ret_before)
{
	if (!r->has_undo || !str_eq(sha256(a, now), r->sha256) || r->prefix > now.n ||
	    r->suffix > now.n - r->prefix)
		return false;
	*ret_before =
		arena_printf(a, "%.*s%.*s%.*s", STR_ARG(str_sub(now, 0, r->prefix)),
			     STR_ARG(r->middle), STR_ARG(str_sub(now, now.n - r->suffix, now.n)));
	return true;
}

static bool is_inside_character(struct str s, size_t at)
{
	return at < s.n && ((unsigned char)s.p[at] & 0xc0) == 0x80;
}

void receipt_note_text(struct receipt *r, struct arena *a, struct str now, const struct str *before)
{
	size_t p = 0, s = 0, most;

	r->sha256 = sha256(a, now);
	r->has_undo = before != NULL;
	if (!before)
		return;
	most = min_size(now.n, before->n);
	while (p < most && now.p[p] == before->p[p])
		p++;
	while (is_inside_character(now, p) || is_inside_character(*before, p))
		p--; /* the middle is a JSON string: whole characters */
	while (s < most - p && now.p[now.n - 1 - s] == before->p[before->n - 1 - s])
		s++;
	while (s && is_inside_character(*before, before->n - s))
		s--;
	r->prefix = p;
	r->suffix = s;
	r->middle = arena_str(a, str_sub(*before, p, before->n - s));
}

/* ---- lists ---- */

const struct json *list_add(struct arena *a, const struct json *list, const struct json *item)
{
	const struct json **items = ARENA_ARRAY(a, const struct json *, list->n + 1);

	for (size_t i = 0; i < list->n; i++)
		items[i] = json_at(list, i);
	items[list->n] = item;
	return json_new_arr(a, items, list->n + 1);
}

const struct json *list_drop(struct arena *a, const struct json *list, size_t i)
{
	const struct json **items = ARENA_ARRAY(a, const struct json *, list->n);
	size_t n = 0;

	for (size_t k = 0; k < list->n; k++)
		if (k != i)
			items[n++] = json_at(list, k);
	return json_new_arr(a, items, n);
}
