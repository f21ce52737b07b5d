/* Policy files of extensions: what a session would say of them, in its words. */
#include "tools/policy.h"
#include "workbench/lint.h"

static void complain(void *data, const char *text)
{
	lint_add(data, TL_SEVERITY_WARNING, "broken-policy", &(struct place){ 0 }, "%s", text);
}

void lint_policies(struct lint *l, const char *const *dirs)
{
	struct err err;
	struct policy_options o = { .extension_policies = dirs, .complain = complain, .data = l };
	struct policy *p = policy_new(&o, &err);

	if (!p)
		lint_add(l, TL_SEVERITY_ERROR, "unusable", &(struct place){ 0 }, "%s", err.text);
	policy_free(p);
}

void lint_extension_policies(struct lint *l, const struct tl_hooks *hooks)
{
	struct arena *a = &l->arena;
	const struct extensions *all = extensions_read(
		a, &(struct extension_options){ .home = tl_hooks_home(hooks),
						.project = tl_hooks_project_dir(hooks),
						.plugins = hooks->set.plugins });
	const char **dirs = ARENA_ARRAY(a, const char *, all->n + 1);
	size_t n = 0;

	for (size_t i = 0; i < all->n; i++) {
		const struct extension *e = &all->p[i];
		const char *dir = extension_is_active(e) ? extension_path(a, e, "policies") : NULL;

		if (dir)
			dirs[n++] = dir;
	}
	lint_policies(l, dirs);
}
