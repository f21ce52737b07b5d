/* /directory: what tools may work in. */
#include "cli/chat/chat.h"

void slash_directory(struct worker *w, struct str args)
{
	AUTO(buf_done) struct buf out = { 0 };
	const struct words *roots = &w->run->roots;
	struct str rest = args, verb = { 0 }, path;

	(void)str_split(&rest, ' ', &verb);
	if (!verb.n || str_eqz(verb, "show")) {
		buf_addz(&out, "The directories of the workspace:\n");
		for (size_t i = 0; i < roots->n; i++)
			buf_addf(&out, "  - %s\n", roots->p[i]);
		worker_print(w, "%s", buf_z(&out));
		return;
	}
	if (!str_eqz(verb, "add") || !str_trim(rest).n) {
		slash_usage(w, args, NULL);
		return;
	}
	while (str_split(&rest, ',', &path)) {
		AUTO(free) char *dir = xstrndup(str_trim(path).p, str_trim(path).n);
		struct err err;
		const char *added = *dir ? run_add_root(w->run, dir, &err) : NULL;

		if (added) {
			session_set_roots(w->session, roots->p, added);
			worker_print(w, "Added %s to the workspace.", added);
		} else if (*dir) {
			worker_print(w, "%s",
				     err.code ? err.text
					      : "That directory is in the workspace already.");
		}
	}
}
