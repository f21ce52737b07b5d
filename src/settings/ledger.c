/* What was put into which settings file: ~/.trotline/installed.json. */
#include "settings/ledger.h"

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

static const struct json *list_of(struct arena *a, const struct json *obj, struct str key)
{
	const struct json *v = json_get(obj, key);

	return json_is(v, J_ARR) ? v : json_new_arr(a, NULL, 0);
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
		.containers = list_of(a, f, STR("containers")),
		.hooks = list_of(a, f, STR("hooks")),
		.servers = list_of(a, f, STR("servers")),
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

int receipt_store(struct arena *a, const char *home, const char *path, const struct receipt *r,
		  struct err *err)
{
	AUTO(free) char *file = ledger_path(home);
	AUTO(free) char *dir = fs_join(home, ".trotline");
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *doc = ledger_load(a, home), *files;
	int status;

	doc = json_is(doc, J_OBJ) ? doc : json_new_obj(a);
	files = json_getz(doc, "files");
	files = json_is(files, J_OBJ) ? files : json_new_obj(a);
	files = receipt_is_empty(r) ? json_without(a, files, str_from(path))
				    : json_set(a, files, str_from(path), receipt_json(a, r));
	if (files->n == 0) {
		(void)unlink(file);
		return 0;
	}
	status = fs_mkdirs(dir, 0700, err);
	if (status < 0)
		return status;
	(void)json_write(&out, json_set(a, doc, STR("files"), files), JSON_PRETTY);
	buf_addc(&out, '\n');
	return fs_replace(file, buf_str(&out), 0600, err);
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
