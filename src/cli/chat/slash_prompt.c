/*
 * Slash commands that are prompts: custom commands and prompts of MCP servers.  The session's
 * thread has the list, since servers are asked on it; the terminal gets a copy of names and
 * descriptions, as lines of text, whenever they may have changed.
 */
#include <pthread.h>

#include "agent/catalog/prompt_commands.h"
#include "base/utf8.h"
#include "cli/chat/chat.h"

static const struct str none;

/* ---- what servers offer has changed ---- */

/* Rung in a server's thread, which may outlive the queue. */
struct bell {
	pthread_mutex_t lock;
	struct queue *orders; /* NULL = the chat is over */
	bool rung; /* the order is on its way */
};

struct bell *bell_new(struct arena *a, struct queue *orders)
{
	struct bell *b = ARENA_NEW(a, struct bell);

	if (pthread_mutex_init(&b->lock, NULL) != 0)
		BUG();
	b->orders = orders;
	return b;
}

void bell_ring(void *bell)
{
	struct bell *b = bell;
	struct order *order;

	(void)pthread_mutex_lock(&b->lock);
	if (b->orders && !b->rung) {
		order = xcalloc(1, sizeof *order);
		order->what = ORDER_SERVERS;
		queue_push(b->orders, &order->m);
		b->rung = true;
	}
	(void)pthread_mutex_unlock(&b->lock);
}

void bell_stop(struct bell *b)
{
	if (!b)
		return;
	(void)pthread_mutex_lock(&b->lock);
	b->orders = NULL;
	(void)pthread_mutex_unlock(&b->lock);
}

/* ---- the list ---- */

static void tell_broken(void *data, enum note_kind kind, const char *text)
{
	worker_say(data, SAID_NOTE, kind, str_from(text), none);
}

void worker_read_commands(struct worker *w, bool with_complaints)
{
	const struct prompt_commands *all;
	AUTO(buf_done) struct buf out = { 0 };

	run_read_commands(w->run, &(struct note_sink){ with_complaints ? tell_broken : NULL, w });
	/* "NAME\tDESCRIPTION [OWNER]\n" */
	all = w->run->commands;
	for (size_t i = 0; i < all->n; i++) {
		const struct prompt_command *c = &all->p[i];

		if (!slash_can_offer(c->name))
			continue;
		buf_addf(&out, "%s\t", c->name);
		(void)utf8_add_visible(&out, str_from(c->description), false);
		if (c->owner || c->skill)
			buf_addf(&out, "%s[%s]", *c->description ? " " : "",
				 c->owner ? c->owner : "skill");
		buf_addc(&out, '\n');
	}
	worker_say(w, SAID_COMMANDS, 0, buf_str(&out), none);
}

void worker_look_at_servers(struct worker *w)
{
	const struct mcp_resource *list;
	size_t n;
	AUTO(buf_done) struct buf out = { 0 };

	(void)pthread_mutex_lock(&w->bell->lock);
	w->bell->rung = false;
	(void)pthread_mutex_unlock(&w->bell->lock);
	worker_read_commands(w, false);
	/* Templates are nothing that could be referred to. */
	n = w->run->mcp ? mcp_servers_resources(w->run->mcp, &list) : 0;
	for (size_t i = 0; i < n; i++) {
		if (list[i].is_template || !slash_can_offer(list[i].uri))
			continue;
		buf_addf(&out, "%s:%s\t", list[i].server, list[i].uri);
		(void)utf8_add_visible(&out, str_from(list[i].name), false);
		buf_addc(&out, '\n');
	}
	worker_say(w, SAID_RESOURCES, 0, buf_str(&out), none);
}

/* ---- /commands ---- */

static void list(struct worker *w)
{
	const struct prompt_commands *all = w->run->commands;
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < all->n; i++) {
		const struct prompt_command *c = &all->p[i];
		bool served = c->origin == CATALOG_MCP;

		buf_addf(&out, "  /%-16s %s  (%s%s)\n", c->name, c->description,
			 served     ? "MCP server "
			 : c->skill ? "skill, "
				    : "",
			 served ? c->owner : short_path(w->run->hooks, c->file, &a));
	}
	worker_print(w, "%s",
		     all->n ? buf_z(&out)
			    : "No custom commands. Add files such as "
			      "~/.gemini/commands/NAME.toml or .gemini/commands/NAME.toml.");
}

void slash_custom(struct worker *w, struct str args)
{
	bool reload = str_eqz(args, "reload") || str_eqz(args, "refresh");

	if (args.n && !reload && !str_eqz(args, "list")) {
		slash_usage(w, args, NULL);
		return;
	}
	worker_read_commands(w, true);
	if (reload)
		worker_print(w, "Reloaded %zu custom command%s.", w->run->commands->n,
			     w->run->commands->n == 1 ? "" : "s");
	else
		list(w);
}

/* ---- on the terminal's thread ---- */

static bool next_line(struct str *rest, struct str *ret_name, struct str *ret_about)
{
	struct str line;

	if (!str_split(rest, '\n', &line) || !line.n)
		return false;
	*ret_about = line;
	return str_split(ret_about, '\t', ret_name);
}

void slash_complete_prompts(struct chat *c, struct str typed, struct buf *out)
{
	for (struct str rest = str_from(c->commands), name, about; next_line(&rest, &name, &about);)
		if (str_starts(name, typed))
			buf_addf(out, "/%.*s \t%.*s\n", STR_ARG(name), STR_ARG(about));
}

void slash_complete_resources(struct chat *c, struct str typed, struct buf *out)
{
	for (struct str rest = str_from(c->resources), uri, name; next_line(&rest, &uri, &name);) {
		if (!str_starts(uri, typed))
			continue;
		buf_addc(out, '@');
		for (size_t i = 0; i < uri.n; i++)
			buf_addf(out, "%s%c", uri.p[i] == ' ' ? "\\" : "", uri.p[i]);
		buf_addf(out, " \t%.*s\n", STR_ARG(name));
	}
}

void slash_help_prompts(struct chat *c, struct buf *out)
{
	struct str rest = str_from(c->commands), name, about;

	for (bool first = true; next_line(&rest, &name, &about); first = false)
		buf_addf(out, "%s  /%-11.*s %.*s\n",
			 first ? "\nCustom commands, skills and prompts of MCP servers:\n" : "",
			 STR_ARG(name), STR_ARG(about));
}
