/*
 * /extensions: those of this session.  Switching one is `trotline extensions enable` or `disable`;
 * hooks, skills, commands and servers that run follow at once, the rest with the next session.
 */
#include "agent/catalog/skills.h"
#include "cli/chat/chat.h"
#include "cli/extensions/extension_brings.h"
#include "cli/extensions/extensions.h"

enum { WORDS_MAX = 4 };

/* ---- showing ---- */

static const char *state_of(const struct extension *e)
{
	if (e->problem)
		return "broken";
	if (e->untrusted)
		return "untrusted";
	return extension_is_active(e) ? "enabled" : "disabled";
}

static void add_kind(struct buf *out, const struct brings *b, enum bring_kind kind,
		     const char *word)
{
	const struct bring *one;
	size_t at = 0, n = 0;

	while ((one = brings_next(b, kind, &at)) != NULL)
		buf_addf(out, "%s%s", n++ ? ", " : word, one->title);
	if (n)
		buf_addc(out, '\n');
}

static void add_one(struct buf *out, const struct run *r, const struct extension *e)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(brings_done) struct brings b = { 0 };
	struct str from = json_str(json_getz(e->install, "source"), str_from(e->root));

	buf_addf(out, "\n  %s %s [%s]\n", e->name, e->version, state_of(e));
	if (e->problem) {
		buf_addf(out, "      %s\n", e->problem);
		return;
	}
	if (*e->description)
		buf_addf(out, "      %s\n", e->description);
	buf_addf(out, "      from %.*s\n", STR_ARG(from));
	brings_read(&a, e->dir, e->dir, r->project, &b);
	add_kind(out, &b, BRING_HOOK, "      hooks: ");
	add_kind(out, &b, BRING_SERVER, "      MCP servers: ");
	add_kind(out, &b, BRING_CONTEXT, "      context files: ");
	add_kind(out, &b, BRING_SKILL, "      skills: ");
	add_kind(out, &b, BRING_COMMAND, "      commands: ");
	add_kind(out, &b, BRING_EXCLUDED, "      excluded tools: ");
	add_kind(out, &b, BRING_POLICY, "      policy files: ");
}

static void print_list(struct worker *w)
{
	const struct extensions *all = w->run->extensions;
	AUTO(buf_done) struct buf out = { 0 };

	buf_addz(&out, all->n ? "Installed extensions:\n"
			      : "No extensions are installed; `trotline extensions install` "
				"does that.");
	for (size_t i = 0; i < all->n; i++)
		add_one(&out, w->run, &all->p[i]);
	worker_print(w, "%s", buf_z(&out));
}

/* ---- reading again ---- */

static void add_line(void *out, enum note_kind kind, const char *text)
{
	buf_addf(out, "%s%s\n", note_prefix(kind), text);
}

/* The extension that has brought this server; NULL for one of the settings. */
static const struct extension *owner(const struct run *r, const struct json *server)
{
	const struct json *of = json_getz(server, EXTENSION_OF_SERVER);

	return of ? extension_find(r->extensions, json_get_str(of, "extension_name")) : NULL;
}

/* Servers that this session knows end with their extension, and start with it again. */
static void switch_servers(struct worker *w)
{
	const struct json *all = json_getz(w->run->settings, "mcpServers");

	for (size_t i = 0; w->run->mcp && json_is(all, J_OBJ) && i < all->n; i++) {
		const struct json *server = &all->members[i].v;
		const struct extension *e = owner(w->run, server);
		AUTO(free) char *name = xstrndup(all->members[i].key.p, all->members[i].key.n);
		bool off =
			json_getz(server, EXTENSION_OF_SERVER) && (!e || !extension_is_active(e));

		if (mcp_server_switch(w->run->mcp, name,
				      off ? "its extension is disabled" : NULL) <= 0)
			continue;
		slash_mcp_forget(w, name);
		worker_print(w, "MCP server %s is %s.", name, off ? "ended" : "started again");
	}
}

static void reload(struct worker *w)
{
	struct run *r = w->run;
	AUTO(buf_done) struct buf said = { 0 };
	struct catalog_options o;
	struct tl_err err;

	run_read_extensions(r);
	o = run_catalog(r, &(struct note_sink){ add_line, &said });
	r->skills = skills_read(&r->arena, &o);
	session_set_skills(w->session, r->skills);
	worker_read_commands(w, false);
	if (said.n)
		worker_print(w, "%s", buf_z(&said));
	if (run_reload_hooks(r, w->session, &err) < 0)
		worker_print(w, "The hooks stay as they were: %s", err.text);
	else
		worker_hooks(w, tl_hooks_ref(r->hooks));
	switch_servers(w);
	worker_print(w, "Hooks, skills and commands of the extensions were read again. MCP servers "
			"that this session does not know yet, context files, policies and excluded "
			"tools follow with the next session.");
}

/* ---- switching ---- */

static void switch_it(struct worker *w, const char *verb, struct str rest)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *words[WORDS_MAX + 2] = { verb };
	AUTO(wb_done) struct wb wb = slash_wb(w);
	size_t n = 1;

	for (struct str word; n < WORDS_MAX && str_split(&rest, ' ', &word);)
		if (word.n)
			words[n++] = arena_z(&a, word);
	if (n == 1) {
		worker_print(w, "Usage: /extensions %s NAME [--scope user|workspace]", verb);
		return;
	}
	int status = slash_call(&wb, "trotline extensions", extensions_commands,
				extensions_commands_n, words);
	worker_print(w, "%s%s", buf_z(&wb.sheet.out), buf_z(&wb.said));
	if (status == EXIT_OK)
		reload(w);
}

/* ---- the command ---- */

void slash_extensions(struct worker *w, struct str args)
{
	struct str rest = args, verb = { 0 };

	(void)str_split(&rest, ' ', &verb);
	if (!verb.n || str_eqz(verb, "list"))
		print_list(w);
	else if (str_eqz(verb, "reload") || str_eqz(verb, "restart"))
		reload(w);
	else if (str_eqz(verb, "enable") || str_eqz(verb, "disable"))
		switch_it(w, str_eqz(verb, "enable") ? "enable" : "disable", rest);
	else
		worker_print(w, "Usage: /extensions [list|enable NAME|disable NAME|reload]; "
				"`trotline extensions` installs and updates them.");
}

/* On the terminal's thread, which does not know the session's: the files are looked at. */
static void complete_name(struct chat *c, struct str typed, struct buf *out)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct extensions *all =
		extensions_read(&a, &(struct extension_options){ .home = c->run->home,
								 .project = c->run->project });

	for (size_t i = 0; i < all->n; i++)
		if (str_starts(str_from(all->p[i].name), typed))
			buf_addf(out, "%s\t%s\n", all->p[i].name, state_of(&all->p[i]));
}

void slash_extensions_complete(struct chat *c, struct str args, struct buf *out)
{
	static const char *const verbs[] = { "list", "enable", "disable", "reload" };
	ptrdiff_t blank = str_chr(args, ' ', 0);

	if (blank >= 0) {
		complete_name(c, str_trim(str_sub(args, (size_t)blank, args.n)), out);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (str_starts(str_from(verbs[i]), args))
			buf_addf(out, "%s\t\n", verbs[i]);
}
