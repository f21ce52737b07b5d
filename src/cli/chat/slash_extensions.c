/*
 * /extensions: those of this session.  Switching one is `trotline extensions enable` or `disable`;
 * hooks, skills, commands and known servers follow at once, the rest with the next session.
 */
#include "agent/catalog/skills.h"
#include "cli/chat/chat.h"
#include "cli/extensions/extension_brings.h"
#include "cli/extensions/extensions.h"

enum { WORDS_MAX = 4 };

static const char *state_of(const struct extension *e)
{
	if (e->problem)
		return "broken";
	if (e->untrusted)
		return "untrusted";
	return extension_is_active(e) ? "enabled" : "disabled";
}

static void add_extension(struct buf *out, const struct run *r, const struct extension *e)
{
	static const struct {
		enum bring_kind kind;
		const char *head;
	} kinds[] = {
		{ BRING_HOOK, "hooks" },
		{ BRING_SERVER, "MCP servers" },
		{ BRING_CONTEXT, "context files" },
		{ BRING_SKILL, "skills" },
		{ BRING_COMMAND, "commands" },
		{ BRING_EXCLUDED, "excluded tools" },
		{ BRING_POLICY, "policy files" },
	};
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(brings_done) struct brings b = { 0 };
	struct str from = json_str(json_getz(e->install, "source"), str_from(e->root));
	const struct bring *one;

	buf_addf(out, "\n  %s %s [%s]\n", e->name, e->version, state_of(e));
	if (e->problem) {
		buf_addf(out, "      %s\n", e->problem);
		return;
	}
	if (*e->description)
		buf_addf(out, "      %s\n", e->description);
	buf_addf(out, "      from %.*s\n", STR_ARG(from));
	brings_read(&a, e, e->dir, r->project, &b);
	for (size_t i = 0; i < ARRAY_LEN(kinds); i++) {
		size_t at = 0, n = 0;

		while ((one = brings_next(&b, kinds[i].kind, &at)) != NULL)
			if (n++)
				buf_addf(out, ", %s", one->title);
			else
				buf_addf(out, "      %s: %s", kinds[i].head, one->title);
		buf_addz(out, n ? "\n" : "");
	}
}

static void reload(struct worker *w)
{
	struct run *r = w->run;
	const struct json *servers = json_getz(r->settings, "mcpServers");
	AUTO(buf_done) struct buf said = { 0 };
	struct catalog_options o;
	struct tl_err err;

	if (!worker_may_reload(w))
		return;
	run_read_extensions(r);
	o = run_catalog(r, &(struct note_sink){ note_add_line, &said });
	r->skills = skills_read(&r->arena, &o);
	session_set_skills(w->session, r->skills);
	worker_read_commands(w, false);
	if (said.n)
		worker_print(w, "%s", buf_z(&said));
	if (run_reload_hooks(r, w->session, &err) < 0)
		worker_print(w, "The hooks are unchanged: %s", err.text);
	else
		worker_hooks(w, tl_hooks_ref(r->hooks));
	/* Servers that this session knows end with their extension, and start with it again. */
	for (size_t i = 0; r->mcp && json_is(servers, J_OBJ) && i < servers->n; i++) {
		const struct json *of = json_getz(&servers->members[i].v, EXTENSION_OF_SERVER);
		const struct extension *e =
			of ? extension_find(r->extensions, json_get_str(of, "extension_name"))
			   : NULL;
		AUTO(free) char *name =
			xstrndup(servers->members[i].key.p, servers->members[i].key.n);
		bool off = of && (!e || !extension_is_active(e));

		if (mcp_server_switch(r->mcp, name, off ? "its extension is disabled" : NULL) <= 0)
			continue;
		slash_mcp_forget(w, name);
		worker_print(w, "MCP server %s is %s.", name, off ? "stopped" : "starting again");
	}
	worker_print(w, "Reloaded the extensions' hooks, skills and commands. New MCP servers, "
			"context files, policies and excluded tools follow with the next session.");
}

void slash_extensions(struct worker *w, struct str args)
{
	const struct extensions *all = w->run->extensions;
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(arena_done) struct arena a = { 0 };
	const char *words[WORDS_MAX + 1] = { 0 };
	size_t n = 0;

	for (struct str rest = args, word; n < WORDS_MAX && str_split(&rest, ' ', &word);)
		if (word.n)
			words[n++] = arena_z(&a, word);
	if (!n || strcmp(words[0], "list") == 0) {
		buf_addz(&out, all->n ? "Installed extensions:\n"
				      : "No extensions are installed; `trotline extensions "
					"install` installs one.");
		for (size_t i = 0; i < all->n; i++)
			add_extension(&out, w->run, &all->p[i]);
		worker_print(w, "%s", buf_z(&out));
	} else if (strcmp(words[0], "reload") == 0 || strcmp(words[0], "restart") == 0) {
		reload(w);
	} else if (strcmp(words[0], "enable") != 0 && strcmp(words[0], "disable") != 0) {
		slash_usage(w, args, "`trotline extensions` installs and updates them.");
	} else if (n == 1) {
		worker_print(w, "Usage: /extensions %s NAME [--scope user|workspace]", words[0]);
	} else if (slash_call(w, "trotline extensions", extensions_commands, extensions_commands_n,
			      words) == EXIT_OK) {
		reload(w);
	}
}

/* The terminal's thread does not know the session's extensions: it looks at the files. */
void slash_extensions_complete(struct chat *c, struct str args, struct buf *out)
{
	static const char *const verbs[] = { "list", "enable", "disable", "reload" };
	const struct extension_options o = { .home = c->run->home, .project = c->run->project };
	AUTO(arena_done) struct arena a = { 0 };
	ptrdiff_t blank = str_chr(args, ' ', 0);
	const struct extensions *all;
	struct str typed;

	if (blank < 0) {
		slash_complete_words(verbs, ARRAY_LEN(verbs), args, out);
		return;
	}
	typed = str_trim(str_sub(args, (size_t)blank, args.n));
	all = extensions_read(&a, &o);
	for (size_t i = 0; i < all->n; i++)
		if (str_starts(str_from(all->p[i].name), typed))
			buf_addf(out, "%s\t%s\n", all->p[i].name, state_of(&all->p[i]));
}
