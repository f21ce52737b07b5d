/* The extensions of a run, as -e selects them, and the directories they bring. */
#include "cli/agent/agent_run.h"
#include "extensions/extension.h"
#include "os/fs.h"

void run_read_extensions(struct run *r)
{
	struct tl_settings set = TL_INIT(tl_settings);
	const struct json *plugins = NULL;

	tl_hooks_settings(r->hooks, &set);
	(void)json_parse(&r->arena, arena_str(&r->arena, str_from(set.plugins)), 0, &plugins, NULL);
	/* The engine reads the same files and has reported their faults. */
	r->extensions = extensions_read(&r->arena,
					&(struct extension_options){ .home = r->home,
								     .project = r->project,
								     .only = r->args->extensions.p,
								     .untrusted = !r->trusted,
								     .plugins = plugins,
								     .project_env = r->trusted });
	/* Servers of plugins may expect it, as their hooks may. */
	for (size_t i = 0; i < r->extensions->n; i++)
		if (extension_is_active(&r->extensions->p[i]) && r->extensions->p[i].data)
			(void)fs_mkdirs(r->extensions->p[i].data, 0700, NULL);
}

const char *run_extension_words(struct run *r)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (const char *const *name = r->args->extensions.p; name && *name; name++)
		buf_addf(&out, "%s%s", out.n ? "," : "", *name);
	return out.n ? arena_z(&r->arena, buf_str(&out)) : NULL;
}

int list_extensions(struct run *r)
{
	out_f(PLAIN, "Installed extensions:\n");
	for (size_t i = 0; i < r->extensions->n; i++)
		if (!r->extensions->p[i].problem)
			out_f(PLAIN, "- %s\n", r->extensions->p[i].name);
	return EXIT_OK;
}
