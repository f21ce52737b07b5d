/*
 * /skills: those of this session.  Switching one is `trotline skills enable` or `disable`; then the
 * files are read again and the model gets the new list.
 */
#include "cli/chat/chat.h"
#include "cli/extensions/skill_commands.h"

#include "agent/catalog/skills.h"
#include "settings/settings.h"

static bool reload(struct worker *w)
{
	struct run *r = w->run;
	struct settings_dirs from = { .dirs = run_dirs(r), .trusted = r->trusted };
	AUTO(buf_done) struct buf said = { 0 };
	const struct json *settings;
	struct catalog_options o;
	struct err err;

	if (!worker_may_reload(w))
		return false;
	if (settings_load(&r->arena, &from, &settings, &err) < 0) {
		worker_print(w, "The skills are unchanged: %s", err.text);
		return false;
	}
	o = run_catalog(r, &(struct note_sink){ note_add_line, &said });
	o.settings = settings;
	r->skills = skills_read(&r->arena, &o);
	session_set_skills(w->session, r->skills);
	worker_read_commands(w, false);
	if (said.n)
		worker_print(w, "%s", buf_z(&said));
	return true;
}

void slash_skills(struct worker *w, struct str args)
{
	struct str rest = args, verb = { 0 };

	(void)str_split(&rest, ' ', &verb);
	if (!verb.n || str_eqz(verb, "list") || str_eqz(verb, "desc")) {
		const struct skills *all = w->run->skills;
		AUTO(buf_done) struct buf out = { 0 };

		if (all->off)
			buf_addz(&out, "Skills are switched off: skills.enabled is false in the "
				       "settings.\n");
		buf_addz(&out, all->n ? "Available Agent Skills:\n" : "No skills discovered.");
		for (size_t i = 0; i < all->n; i++) {
			const struct skill *s = &all->p[i];

			buf_addf(&out, "\n  %s [%s]\n      %s\n", s->name,
				 s->disabled ? "Disabled" : "Enabled", s->description);
			if (str_eqz(verb, "desc"))
				buf_addf(&out, "      %s, %s\n", catalog_origin_name(s->origin),
					 s->file);
		}
		worker_print(w, "%s", buf_z(&out));
	} else if (str_eqz(verb, "reload") || str_eqz(verb, "refresh")) {
		if (reload(w))
			worker_print(w, "Reloaded %zu skill%s.", w->run->skills->n,
				     w->run->skills->n == 1 ? "" : "s");
	} else if (str_eqz(verb, "enable") || str_eqz(verb, "disable")) {
		const char *word = str_eqz(verb, "enable") ? "enable" : "disable";
		/* The rest of the line is the name: it may hold blanks. */
		AUTO(free) char *name = xstrndup(str_trim(rest).p, str_trim(rest).n);
		const char *const words[] = { word, "--", name, NULL };

		if (!*name) {
			worker_print(w, "Usage: /skills %s NAME", word);
			return;
		}
		(void)slash_call(w, "trotline skills", skills_commands, skills_commands_n, words);
		(void)reload(w);
	} else {
		slash_usage(w, args, "`trotline skills` installs and links them.");
	}
}

/* The terminal's thread does not know the session's skills: it looks at the files. */
void slash_skills_complete(struct chat *c, struct str args, struct buf *out)
{
	static const char *const verbs[] = { "list", "desc", "enable", "disable", "reload" };
	const struct catalog_options o = { .home = c->run->home,
					   .project = c->run->project,
					   .trusted = c->run->trusted };
	struct str rest = args, verb = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	const struct skills *all;

	(void)str_split(&rest, ' ', &verb);
	if (!rest.p || !(str_eqz(verb, "enable") || str_eqz(verb, "disable"))) {
		slash_complete_words(verbs, ARRAY_LEN(verbs), args, out);
		return;
	}
	all = skills_read(&a, &o);
	for (size_t i = 0; i < all->n; i++)
		if (str_starts(str_from(all->p[i].name), str_trim(rest)))
			buf_addf(out, "%s\t%s\n", all->p[i].name, all->p[i].description);
}
