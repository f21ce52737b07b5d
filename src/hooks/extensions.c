/* Extensions: directories whose hooks/hooks.json adds hooks (host.md A15, H4). */
#include "hooks/config.h"
#include "os/fs.h"

enum { FILE_MAX_BYTES = 8 << 20 };

static const struct json *read_object(struct tl_hooks *h, const char *path, struct str *ret_text)
{
	AUTO(buf_done) struct buf text = {0};
	const struct json *v = NULL;

	if (fs_read(path, FILE_MAX_BYTES, &text, NULL) < 0)
		return NULL;
	*ret_text = arena_str(&h->arena, buf_str(&text));
	return json_parse(&h->arena, *ret_text, JSON_C, &v, NULL) < 0 || !json_is(v, J_OBJ) ? NULL
											   : v;
}

/* A rule of the enablement file: "/path/" followed by "*" means the directory and all below it. */
static bool rule_applies(struct str rule, struct str project)
{
	if (str_ends(rule, STR("*")))
		rule = str_sub(rule, 0, rule.n - 1);
	while (rule.n > 1 && rule.p[rule.n - 1] == '/')
		rule.n--;
	return str_starts(project, rule) &&
	       (project.n == rule.n || str_eqz(rule, "/") || project.p[rule.n] == '/');
}

/* The last rule that applies wins; without one the extension is on. */
static bool is_enabled(const struct json *enablement, struct str name, struct str project)
{
	const struct json *rules = json_get(json_get(enablement, name), STR("overrides"));
	bool on = true;

	for (size_t i = 0; json_is(rules, J_ARR) && i < rules->n; i++) {
		struct str rule = json_str(json_at(rules, i), STR(""));
		bool off = str_starts(rule, STR("!"));

		if (rule_applies(str_sub(rule, off, rule.n), project))
			on = !off;
	}
	return on;
}

static void read_extension(struct tl_hooks *h, const char *dir, const struct json *enablement)
{
	AUTO(free) char *manifest_path = fs_join(dir, "gemini-extension.json");
	AUTO(free) char *hooks_path = fs_join(dir, "hooks/hooks.json");
	const struct json *manifest;
	struct source s = { .tier = TL_TIER_EXTENSION, .dialect = &dialects[DIALECT_GEMINI] };
	struct str text;
	struct err err;

	manifest = read_object(h, manifest_path, &text);
	if (!fs_exists(hooks_path))
		return;
	if (!manifest && fs_exists(manifest_path)) {
		struct place where = { .file = arena_z(&h->arena, str_from(manifest_path)) };

		diag_add(&h->diags, TL_ERROR, "broken-extension", &where,
			 "the extension's manifest is not a JSON object; its hooks are left out");
	}
	if (!manifest)
		return;
	struct str name =
		json_str(json_get(manifest, STR("name")), str_from(strrchr(dir, '/') + 1));
	if (!is_enabled(enablement, name, str_from(h->dirs.project)))
		return;
	AUTO(buf_done) struct buf bytes = {0};
	s.path = arena_z(&h->arena, str_from(hooks_path));
	struct place at = { .file = s.path };
	if (fs_read(hooks_path, FILE_MAX_BYTES, &bytes, &err) == 0) {
		s.text = arena_str(&h->arena, buf_str(&bytes));
		s.extension_dir = arena_z(&h->arena, str_from(dir));
		/* A broken extension does not stop the program: its author is somebody else. */
		if (source_add(h, s, &err) == 0)
			return;
	}
	diag_add(&h->diags, TL_ERROR, "broken-extension", &at,
		 "the hooks of the extension \"%.*s\" are left out: %s", STR_ARG(name), err.text);
}

void hooks_add_extensions(struct tl_hooks *h)
{
	AUTO(free) char *root = fs_join(h->dirs.home, ".gemini/extensions");
	AUTO(free) char *rules_path = fs_join(root, "extension-enablement.json");
	struct str text;
	char **names;
	size_t n;

	if (!*h->dirs.home || !fs_is_dir(root) || fs_list(root, &names, &n, NULL) < 0)
		return;
	const struct json *enablement = read_object(h, rules_path, &text);
	for (size_t i = 0; i < n; i++) {
		AUTO(free) char *dir = fs_join(root, names[i]);

		if (fs_is_dir(dir))
			read_extension(h, dir, enablement);
		free(names[i]);
	}
	free(names);
}
