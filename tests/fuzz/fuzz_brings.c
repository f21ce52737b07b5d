/*
 * What an extension is said to bring.  The input is its manifest and its hooks.json, with a
 * line "--" between them.  Reading it twice gives the same, and no directory of the moment gets
 * into what is compared at an update.
 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/extensions/extension_brings.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static const char *const names[] = { "/gemini-extension.json", "/hooks/hooks.json", "/hooks", "" };
static char dir[] = "/tmp/fuzz-brings-XXXXXX";

static void clean(void)
{
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		AUTO(free) char *path = xasprintf("%s%s", dir, names[i]);

		(void)remove(path);
	}
}

static void make(void)
{
	static bool made;
	AUTO(free) char *hooks = NULL;

	if (made)
		return;
	if (!mkdtemp(dir) || atexit(clean) != 0)
		abort();
	hooks = xasprintf("%s/hooks", dir);
	if (mkdir(hooks, 0700) < 0)
		abort();
	made = true;
}

static void put(const char *name, struct str text)
{
	AUTO(free) char *path = xasprintf("%s%s", dir, name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text.p, 1, text.n, f) != text.n || fclose(f) != 0)
		abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(brings_done) struct brings one = { 0 }, two = { 0 };
	struct str text = { (const char *)data, n };
	ptrdiff_t end = str_find(text, STR("\n--\n"), 0);

	make();
	put(names[0], str_sub(text, 0, end < 0 ? n : (size_t)end));
	put(names[1], str_sub(text, end < 0 ? n : (size_t)end + 4, n));
	const struct extension e = extension_read(&a, &(struct extension_options){ 0 }, dir);
	brings_read(&a, &e, "/target", "/project", &one);
	brings_read(&a, &e, "/target", "/project", &two);
	if (one.n != two.n || one.full != two.full)
		abort();
	for (size_t i = 0; i < one.n; i++)
		if (one.p[i].kind != two.p[i].kind || strcmp(one.p[i].title, two.p[i].title) != 0 ||
		    strcmp(one.p[i].text, two.p[i].text) != 0 ||
		    strcmp(one.p[i].identity, two.p[i].identity) != 0 ||
		    strstr(one.p[i].identity, dir))
			abort();
	return 0;
}
