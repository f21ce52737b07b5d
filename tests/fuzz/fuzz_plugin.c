/*
 * A plugin of Claude Code: plugin.json, marketplace.json, the record of an installation, .mcp.json.
 * The input is the four texts, with a line "--" between them.
 */
#include <stdio.h>
#include <unistd.h>

#include "base/path.h"
#include "extensions/extension.h"
#include "extensions/marketplace.h"
#include "os/fs.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static char dir[] = "/tmp/fuzz-plugin-XXXXXX";

static const char *const names[] = { "/.claude-plugin/plugin.json",
				     "/.claude-plugin/marketplace.json",
				     ("/" EXTENSION_INSTALL_FILE), "/.mcp.json" };

static void clean(void)
{
	static const char *const more[] = { "/commands/a.md", "/commands", "/.claude-plugin", "" };

	for (size_t i = 0; i < ARRAY_LEN(names) + ARRAY_LEN(more); i++) {
		AUTO(free) char *path = xasprintf(
			"%s%s", dir, i < ARRAY_LEN(names) ? names[i] : more[i - ARRAY_LEN(names)]);

		(void)remove(path);
	}
}

static void put(const char *name, struct str text)
{
	AUTO(free) char *path = xasprintf("%s%s", dir, name);
	FILE *f = fopen(path, "w");

	if (!f || fwrite(text.p, 1, text.n, f) != text.n || fclose(f) != 0)
		abort();
}

/* Made with the first input, gone with the process. */
static void make(void)
{
	static const char *const dirs[] = { "/.claude-plugin", "/commands" };
	static bool made;

	if (made)
		return;
	if (!mkdtemp(dir) || atexit(clean) != 0)
		abort();
	for (size_t i = 0; i < ARRAY_LEN(dirs); i++) {
		AUTO(free) char *path = xasprintf("%s%s", dir, dirs[i]);

		if (fs_mkdirs(path, 0700, NULL) < 0)
			abort();
	}
	put("/commands/a.md", STR("a"));
	made = true;
}

static struct str take_text(struct str *rest)
{
	ptrdiff_t end = str_find(*rest, STR("\n--\n"), 0);
	struct str text = str_sub(*rest, 0, end < 0 ? rest->n : (size_t)end);

	*rest = str_sub(*rest, end < 0 ? rest->n : (size_t)end + 4, rest->n);
	return text;
}

/* No part of it is elsewhere. */
static void check_parts(struct arena *a, const struct extension *e)
{
	static const char *const kinds[] = { "commands", "skills", "agents" };
	const struct extension_hooks *files;
	size_t n = extension_hook_files(a, e, &files);

	for (size_t i = 0; i < n; i++)
		if (files[i].file[0] != '/' || (*files[i].pointer && files[i].pointer[0] != '/'))
			abort();
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		for (const char *const *p = extension_places(a, e, kinds[i]); *p; p++)
			if (!path_below(e->dir, *p))
				abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct str rest = { (const char *)data, n };
	struct extension_options o = { .home = dir, .project = "/p" };
	struct marketplace m = { 0 };

	make();
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		put(names[i], take_text(&rest));
	struct extension e = extension_read(&a, &o, dir);
	const struct extensions all = { .p = &e, .n = 1 };
	if (!e.problem && (!e.manifest || !extension_name_is_valid(str_from(e.name))))
		abort();
	if (strcmp(e.dir, dir) == 0)
		check_parts(&a, &e);
	(void)extensions_servers(&a, &all);
	if (marketplace_read(&a, dir, &m, NULL) < 0)
		return 0;
	for (size_t i = 0; i < m.n; i++)
		if (!*m.p[i].name || (m.p[i].dir && !path_below(m.dir, m.p[i].dir)) ||
		    !(m.p[i].dir || m.p[i].url || m.p[i].problem))
			abort();
	return 0;
}
