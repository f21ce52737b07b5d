/* What is odd about a sandbox that can be read (docs/sandbox.md). */
#include "base/path.h"
#include "hooks/trust.h"
#include "os/fs.h"
#include "workbench/lint.h"

struct look {
	struct lint *l;
	const struct place *at;
	const char *home;
};

static void check_paths(const struct look *k, const char *const *paths, bool write)
{
	for (; paths && *paths; paths++) {
		/* Its root, a home directory or one above. */
		if (*k->home && path_below(*paths, k->home))
			lint_add(k->l, TL_SEVERITY_WARNING, "wide-sandbox", k->at,
				 "the sandbox opens all of %s for %s, ~/.ssh included", *paths,
				 write ? "writing" : "reading");
		else if (!fs_exists(*paths))
			lint_add(k->l, write ? TL_SEVERITY_WARNING : TL_SEVERITY_NOTE,
				 "sandbox-path", k->at,
				 "%s does not exist, and opens nothing until it does%s", *paths,
				 write ? "; to create it, name the directory above it" : "");
	}
}

void lint_sandbox(struct lint *l, const struct sandbox *may, const char *home,
		  const struct place *at, bool guard)
{
	const struct look k = { l, at, home };
	struct err err;

	if (sandbox_check(sandbox_abi(), &err) < 0)
		lint_add(l, guard ? TL_SEVERITY_ERROR : TL_SEVERITY_WARNING, "no-sandbox", at,
			 "it does not run on this machine: %s", err.text);
	check_paths(&k, may->read, false);
	check_paths(&k, may->write, true);
}

void lint_hook_sandbox(struct lint *l, const struct tl_hooks *hooks, const struct hook *hook)
{
	const char *script;

	if (!hook->sandbox || !hook->sandbox_own || hook->broken)
		return;
	lint_sandbox(l, &hook->sandbox->may, hooks->dirs.home, &hook->at, hook->guard);
	for (size_t i = 0; hook->guard && (script = trust_script(hook, i)); i++)
		for (const char *const *w = hook->sandbox->may.write; w && *w; w++)
			if (path_below(*w, script) && fs_exists(script)) {
				lint_add(l, TL_SEVERITY_WARNING, "sandbox-opens-guard", &hook->at,
					 "the guard may change itself: its sandbox opens %s for "
					 "writing, where %s is",
					 *w, script);
				return;
			}
}
