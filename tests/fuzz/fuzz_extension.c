/*
 * An extension's manifest, the enablement rules and the file with its settings, as far as what they
 * bring.  The input is the three texts, with a line "--" between them.
 */
#include <stdio.h>
#include <unistd.h>

#include "extensions/extension.h"
#include "os/fs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

#define ROOT "/.gemini/extensions"

static const char *home(void);

static void clean(void)
{
	static const char *const names[] = { ROOT "/e/gemini-extension.json",
					     ROOT "/e/.env",
					     ROOT "/extension-enablement.json",
					     ROOT "/e",
					     ROOT,
					     "/.gemini",
					     "" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO(free) char *path = xasprintf("%s%s", home(), names[i]);

		(void)remove(path);
	}
}

/* Made with the first input, gone with the process. */
static const char *home(void)
{
	static char dir[] = "/tmp/fuzz-extension-XXXXXX";
	static bool made;

	if (!made && (!mkdtemp(dir) || atexit(clean) != 0))
		abort();
	made = true;
	return dir;
}

static void put(const char *name, struct str text)
{
	AUTO(free) char *path = xasprintf("%s" ROOT "/%s", home(), name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text.p, 1, text.n, f) != text.n || fclose(f) != 0)
		abort();
}

static struct str take_text(struct str *rest)
{
	ptrdiff_t end = str_find(*rest, STR("\n--\n"), 0);
	struct str text = str_sub(*rest, 0, end < 0 ? rest->n : (size_t)end);

	*rest = str_sub(*rest, end < 0 ? rest->n : (size_t)end + 4, rest->n);
	return text;
}

/* What is edited says what it was told to say, or is refused. */
static void edit(struct arena *a, struct str rules)
{
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *v;
	struct err err;

	if (enablement_set(rules, STR("e"), "/p", false, &out, &err) < 0)
		return;
	if (json_parse(a, arena_str(a, buf_str(&out)), JSON_C, &v, NULL) < 0 ||
	    enablement_is_on(v, STR("e"), STR("/p/q")))
		abort();
}

static void use(struct arena *a, const struct extensions *all)
{
	const struct json *servers = extensions_servers(a, all);

	for (size_t i = 0; i < all->n; i++)
		if (!all->p[i].problem &&
		    (!all->p[i].manifest || !extension_name_is_valid(str_from(all->p[i].name))))
			abort();
	for (size_t i = 0; servers && i < servers->n; i++)
		if (json_getz(&servers->members[i].v, "trust"))
			abort();
	(void)extensions_excluded_tools(a, all);
	for (const char *const *f = extensions_context_files(a, all); *f; f++)
		if (!str_starts(str_from(*f), str_from(home())))
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *dir = xasprintf("%s" ROOT "/e", home());
	struct str rest = { (const char *)data, n }, manifest = take_text(&rest),
		   rules = take_text(&rest);
	struct extension_options o = { .home = home(), .project = "/p" };

	if (fs_mkdirs(dir, 0700, NULL) < 0)
		abort();
	put("e/gemini-extension.json", manifest);
	put("extension-enablement.json", rules);
	put("e/.env", rest);
	use(&a, extensions_read(&a, &o));
	edit(&a, rules);
	return 0;
}
