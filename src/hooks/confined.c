#include "hooks/confined.h"

#include "base/env.h"
#include "hooks/env.h"
#include "hooks/scripts.h"
#include "hooks/trust.h"

const char *confined_variable(const struct tl_hooks *h, struct str name)
{
	static const char *const project[] = { "GEMINI_PROJECT_DIR", "CLAUDE_PROJECT_DIR",
					       "TROTLINE_PROJECT_DIR" };

	for (size_t i = 0; i < ARRAY_LEN(project); i++)
		if (str_eqz(name, project[i]))
			return h->dirs.project;
	return env_find(h->dirs.env, name);
}

/*
 * The user's own commands name files that they need.  What a project's names is no reason to open
 * it: its files are in the project.
 */
static void add_files(struct tl_hooks *h, const struct hook *hook, struct sandbox *may)
{
	struct hook as_guard = *hook; /* of which all files are looked for */
	struct script_paths found;
	const char *paths[SCRIPTS_MAX + 1];
	size_t n = 0;

	if (hook->extension)
		paths[n++] = hook->extension->dir;
	as_guard.guard = true;
	scripts_find(h, &as_guard, &found);
	for (size_t i = 0; i < found.n && n < ARRAY_LEN(paths); i++)
		if (found.p[i].kind != SCRIPT_ABSENT && !found.p[i].data)
			paths[n++] = found.p[i].path;
	sandbox_add_read(&h->arena, may, paths, n);
}

bool confined_by_default(const struct hook *hook)
{
	return is_of_project(hook->tier, hook->extension) && !hook->sandbox_own && !hook->runtime &&
	       !hook->handler && !hook->is_rule && !hook->broken;
}

void confine_hooks(struct tl_hooks *h)
{
	bool asked = h->set.sandbox_project != SANDBOX_UNSAID;

	const struct sandbox_source from = { .arena = &h->arena,
					     .project = h->dirs.project,
					     .home = h->dirs.home };

	for (size_t i = 0; i < h->nhooks; i++) {
		struct hook *hook = h->hooks[i];
		bool by_default = confined_by_default(hook);
		struct sandbox_rules *rules;

		if (by_default && !asked) {
			h->set.sandbox_project = trust_sandbox(h);
			h->set.sandbox_asked = true;
			asked = true;
		}
		if (hook->broken ||
		    (!hook->sandbox_own && (!by_default || h->set.sandbox_project != SANDBOX_ON)))
			continue;
		rules = ARENA_NEW(&h->arena, struct sandbox_rules);
		if (hook->sandbox_own)
			*rules = *hook->sandbox;
		else
			sandbox_rules_default(&from, rules);
		if (!is_of_project(hook->tier, hook->extension))
			add_files(h, hook, &rules->may);
		hook->sandbox = rules;
	}
}

const char *confined_refusal(const struct hook *hook, struct arena *a)
{
	struct err err;

	if (!hook->sandbox || sandbox_check(sandbox_abi(), &err) == 0)
		return NULL;
	return arena_printf(a, "%s; it does not run without its sandbox", err.text).p;
}

const char *confined_words(const struct hook *hook, const struct tl_hooks *h, struct arena *a)
{
	if (!hook->sandbox || confined_refusal(hook, a))
		return "";
	return arena_printf(a, ", in a sandbox: %s",
			    sandbox_words(a, &hook->sandbox->may, h->dirs.home))
		.p;
}

bool confined_alike(const struct hook *a, const struct hook *b)
{
	if (!a->sandbox || !b->sandbox)
		return a->sandbox == b->sandbox;
	return strcmp(a->sandbox->text, b->sandbox->text) == 0;
}
