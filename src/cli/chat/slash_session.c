/* Slash commands that need the session: its thread runs them, between two turns. */
#include <stdio.h>

#include "agent/transcript/transcript.h"
#include "base/meant.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"
#include "cli/chat/chat.h"
#include "os/fs.h"
#include "ui/marks.h"
#include "ui/width.h"

void slash_clear(struct worker *w, struct str args)
{
	(void)args;
	session_clear(w->session);
	worker_print(w, "Started a new session.");
}

void slash_compress(struct worker *w, struct str args)
{
	(void)args;
	session_compress_now(w->session);
}

/* ---- statistics ---- */

void stats_add_text(struct buf *out, const struct stats *stats)
{
	for (size_t i = 0; i < stats->nmodels; i++) {
		const struct api_stats *m = &stats->models[i].all;

		buf_addf(out, "%s: %d request%s, %lld tokens in, %lld out, %.1f s\n",
			 stats->models[i].model, m->requests, m->requests == 1 ? "" : "s",
			 (long long)m->prompt, (long long)m->candidates, m->latency_ms / 1000);
	}
	for (size_t i = 0; i < stats->ntools; i++) {
		const struct tool_stats *t = &stats->tools[i];

		buf_addf(out, "%s: %d call%s, %d failed, %.1f s\n", t->name, t->calls,
			 t->calls == 1 ? "" : "s", t->failed, t->ms / 1000);
	}
	buf_addf(out, "Lines: +%d -%d", stats->lines_added, stats->lines_removed);
}

void slash_stats(struct worker *w, struct str args)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)args;
	stats_add_text(&text, session_stats(w->session));
	if (!session_stats(w->session)->nmodels)
		worker_print(w, "The model has not been asked yet.");
	worker_print(w, "%s", buf_z(&text));
}

/* ---- what the model knows ---- */

void slash_tools(struct worker *w, struct str args)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *list = session_tools(w->session, &a);

	if (args.n && !str_starts(args, STR("desc")) && !str_eqz(args, "nodesc")) {
		slash_usage(w, args, NULL);
		return;
	}
	buf_addf(&out, "%zu tools:\n", list->n);
	for (size_t i = 0; i < list->n; i++) {
		const struct json *t = json_at(list, i);

		buf_addf(&out, "  %.*s\n", STR_ARG(json_get_str(t, "name")));
		if (str_starts(args, STR("desc")))
			buf_addf(&out, "      %.*s\n", STR_ARG(json_get_str(t, "description")));
	}
	worker_print(w, "%s", buf_z(&out));
}

/* ---- MCP servers ---- */

static const char *const server_states[] = { [MCP_CONNECTING] = "connecting",
					     [MCP_READY] = "ready",
					     [MCP_FAILED] = "failed",
					     [MCP_CLOSED] = "not used" };

/* One line of it, whatever a server wrote into its names and descriptions. */
static void add_foreign(struct buf *out, const char *lead, struct str text)
{
	if (!text.n)
		return;
	buf_addz(out, lead);
	(void)utf8_add_visible(out, text, false);
	buf_addc(out, '\n');
}

static void add_server(struct buf *out, const struct mcp_server_info *info)
{
	const struct {
		size_t n;
		const char *between, *what;
	} counts[] = { { info->ntools, " ", "tool" },
		       { info->nprompts, ", ", "prompt" },
		       { info->nresources, ", ", "resource" } };

	buf_addf(out, "%s [%s]", info->name, server_states[info->state]);
	for (size_t i = 0; info->state == MCP_READY && i < ARRAY_LEN(counts); i++)
		if (i == 0 || counts[i].n)
			buf_addf(out, "%s%zu %s%s", counts[i].between, counts[i].n, counts[i].what,
				 counts[i].n == 1 ? "" : "s");
	buf_addf(out, "%s%s%s\n", info->trust ? ", trusted" : "", *info->reason ? ": " : "",
		 info->reason);
}

enum mcp_detail { MCP_NAMES, MCP_DESCRIPTIONS, MCP_SCHEMAS };

/* What the server offers. */
static void add_offers(struct buf *out, struct mcp_servers *servers, const char *server,
		       enum mcp_detail detail)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct mcp_tool *tools;
	const struct mcp_prompt *prompts;
	const struct mcp_resource *resources;
	size_t n = mcp_servers_tools(servers, &tools);

	for (size_t i = 0; i < n; i++) {
		if (strcmp(tools[i].server, server) != 0)
			continue;
		add_foreign(out, "  ", str_from(tools[i].name));
		if (detail >= MCP_DESCRIPTIONS)
			add_foreign(out, "      ", str_from(tools[i].description));
		if (detail == MCP_SCHEMAS)
			add_foreign(out, "      ", json_text(&a, tools[i].schema, JSON_COMPACT));
	}
	if (detail < MCP_DESCRIPTIONS)
		return;
	n = mcp_servers_prompts(servers, &prompts);
	for (size_t i = 0; i < n; i++)
		if (strcmp(prompts[i].server, server) == 0) {
			add_foreign(out, "  prompt ", str_from(prompts[i].name));
			add_foreign(out, "      ", str_from(prompts[i].description));
		}
	n = mcp_servers_resources(servers, &resources);
	for (size_t i = 0; i < n; i++)
		if (strcmp(resources[i].server, server) == 0) {
			add_foreign(out, resources[i].is_template ? "  template " : "  resource ",
				    str_from(resources[i].uri));
			add_foreign(out, "      ", str_from(resources[i].description));
		}
}

static void list_servers(struct worker *w, const char *name, int detail)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct mcp_servers *servers = w->run->mcp;

	(void)name;
	for (size_t i = 0; i < mcp_servers_count(servers); i++) {
		struct mcp_server_info info;

		mcp_server_info(servers, i, &info);
		add_server(&out, &info);
		if (info.auth == MCP_AUTH_WANTED || info.auth == MCP_AUTH_MORE)
			buf_addf(&out, "  Sign in: /mcp auth %s\n", info.name);
		else if (info.state == MCP_FAILED && info.is_started)
			buf_addf(&out, "  Its output: /mcp log %s. Try again: /mcp restart %s\n",
				 info.name, info.name);
		else if (info.state == MCP_FAILED)
			buf_addz(&out,
				 "  Fix it in the settings and restart trotline; trotline mcp "
				 "list shows the place.\n");
		if (detail >= MCP_DESCRIPTIONS)
			add_foreign(&out, "  ", str_from(info.description));
		if (detail >= MCP_DESCRIPTIONS && info.state == MCP_READY)
			buf_addf(&out, "  %s %s, protocol %s\n", info.own_name, info.own_version,
				 info.protocol);
		add_offers(&out, servers, info.name, (enum mcp_detail)detail);
	}
	worker_print(w, "%s", buf_z(&out));
}

/* The outcome is reported when it is known. */
static void restart_servers(struct worker *w, const char *name, int how)
{
	size_t n = 0;

	(void)name;
	(void)how;
	for (size_t i = 0; i < mcp_servers_count(w->run->mcp); i++) {
		struct mcp_server_info info;

		mcp_server_info(w->run->mcp, i, &info);
		n += mcp_server_restart(w->run->mcp, info.name, NULL) == 0;
	}
	worker_print(w, "Restarting %zu MCP server%s.", n, n == 1 ? "" : "s");
}

/* Restarts one server, or shows its output. */
static void with_server(struct worker *w, const char *name, int restart)
{
	enum { NAMES_MAX = 100 };
	AUTO(buf_done) struct buf out = { 0 };
	struct err err;
	const char *names[NAMES_MAX];
	size_t k = 0;

	if (restart && mcp_server_restart(w->run->mcp, name, &err) == 0) {
		worker_print(w, "Restarting MCP server %s.", name);
		return;
	}
	if (!restart && mcp_server_log(w->run->mcp, name, &out) == 0) {
		worker_print(w, "%s", out.n ? buf_z(&out) : "No output.");
		return;
	}
	for (size_t i = 0; i < mcp_servers_count(w->run->mcp); i++) {
		struct mcp_server_info info;

		mcp_server_info(w->run->mcp, i, &info);
		if (strcmp(info.name, name) == 0) {
			worker_print(w, "%s", err.text); /* it cannot be restarted */
			return;
		}
		if (k < NAMES_MAX)
			names[k++] = info.name;
	}
	worker_print(w, "Unknown MCP server %s%s /mcp lists them.", name,
		     *meant_of(str_from(name), names, k).text
			     ? meant_of(str_from(name), names, k).text
			     : ";");
}

static void show_address(void *data, const char *url, bool opened)
{
	worker_print(data,
		     "%s\n  %s\nWaiting up to 5 minutes for the browser's answer; Esc gives up.",
		     opened ? "The browser opens this address; if it does not, open it yourself:"
			    : "Open this address in a browser on this machine:",
		     url);
}

/* (waits) For the user in the browser. */
static void sign_in(struct worker *w, const char *name, int how)
{
	const struct mcp_sign_in way = { .show = show_address, .data = w };
	struct err err;

	(void)how;
	if (mcp_server_sign_in(w->run->mcp, name, &way, w->halt->work, &err) < 0)
		worker_print(w, "%s", err.text);
	else
		worker_print(w, "You are signed in to MCP server %s, which connects anew.", name);
}

void slash_mcp(struct worker *w, struct str args)
{
	static const struct {
		const char *word;
		bool named; /* it takes the name of a server */
		void (*run)(struct worker *w, const char *name, int how);
		int how;
	} verbs[] = {
		{ "list", false, list_servers, MCP_NAMES },
		{ "desc", false, list_servers, MCP_DESCRIPTIONS },
		{ "schema", false, list_servers, MCP_SCHEMAS },
		{ "reload", false, restart_servers, 0 },
		{ "refresh", false, restart_servers, 0 },
		{ "restart", true, with_server, true },
		{ "log", true, with_server, false },
		{ "auth", true, sign_in, 0 },
	};
	struct str rest = str_trim(args), word = { 0 };
	size_t i = 0;

	(void)str_split(&rest, ' ', &word);
	AUTO(free) char *name = xstrndup(rest.p ? str_trim(rest).p : "", str_trim(rest).n);
	word = word.n ? word : STR("list");
	while (i < ARRAY_LEN(verbs) &&
	       (!str_eqz(word, verbs[i].word) || (verbs[i].named && !*name)))
		i++;
	if (i == ARRAY_LEN(verbs))
		slash_usage(w, str_trim(args), NULL);
	else if (!w->run->mcp || !mcp_servers_count(w->run->mcp))
		worker_print(w, "No MCP server is configured; `trotline mcp add` adds one.");
	else
		verbs[i].run(w, name, verbs[i].how);
}

void slash_mcp_forget(struct worker *w, const char *name)
{
	for (size_t i = 0; i < w->servers.n; i++) {
		struct mcp_server_info info;

		mcp_server_info(w->run->mcp, i, &info);
		if (strcmp(info.name, name) == 0)
			w->servers.p[i] = MCP_CLOSED;
	}
}

void slash_mcp_news(struct worker *w)
{
	size_t n = w->run->mcp ? mcp_servers_count(w->run->mcp) : 0;

	for (size_t i = 0; i < n; i++) {
		AUTO(buf_done) struct buf line = { 0 };
		struct mcp_server_info info;

		mcp_server_info(w->run->mcp, i, &info);
		while (w->servers.n <= i)
			*VEC_ADD(&w->servers) = MCP_CONNECTING;
		/* Connecting again is worth a line when something had happened. */
		if (info.state != w->servers.p[i] && info.state != MCP_CLOSED &&
		    (info.state != MCP_CONNECTING || *info.reason)) {
			buf_addz(&line, "MCP server ");
			add_server(&line, &info);
			line.n--;
			worker_say(w, SAID_NOTE, info.state == MCP_READY ? NOTE_INFO : NOTE_WARNING,
				   buf_str(&line), (struct str){ 0 });
		}
		w->servers.p[i] = info.state;
	}
}

void slash_memory(struct worker *w, struct str args)
{
	static const char *const words[] = { "show", "list", "reload", "refresh" };
	AUTO(arena_done) struct arena a = { 0 };

	if (args.n && !WORD_IN(args, words)) {
		slash_usage(w, args, NULL);
		return;
	}
	if (str_eqz(args, "reload") || str_eqz(args, "refresh")) {
		session_reload_context(w->session);
		worker_print(w, "Reloaded the context files.");
		return;
	}
	worker_print(w, "%s", session_memory(w->session, &a).p);
}

void slash_model(struct worker *w, struct str args)
{
	if (args.n) {
		AUTO(free) char *name = xstrndup(args.p, args.n);
		struct err err;

		if (session_switch_model(w->session, name, &err) < 0) {
			worker_print(w, "%s", err.text);
			return;
		}
	}
	worker_print(w,
		     args.n ? "The model is now %s." : "The model is %s; /model NAME changes it.",
		     session_model(w->session));
}

void slash_mode(struct worker *w, struct str args)
{
	struct err err;
	enum approval_mode mode;

	if (args.n == 0) {
		worker_print(w,
			     "The approval mode is %s; /mode default, auto_edit, plan or yolo "
			     "changes it.",
			     mode_name(w->run->mode));
		return;
	}
	if (!mode_find(args, &mode)) {
		slash_usage(w, args, NULL);
		return;
	}
	if (run_set_mode(w->run, w->session, mode, &err) < 0) {
		worker_print(w, "%s", err.text);
		return;
	}
	worker_print(w, "The approval mode is now %s.", mode_name(mode));
}

/* ---- other sessions ---- */

enum { LISTED_MAX = 20, TITLE_COLUMNS = 44 };

/* Newest first, each with the number that --resume and --list-sessions give it. */
static void list(struct worker *w, const char *dir)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct transcript_info *all;
	size_t n, shown = 0, more = 0;
	struct err err;

	if (transcript_list(dir, &all, &n, &err) < 0) {
		worker_print(w, "%s", err.text);
		return;
	}
	for (size_t i = n; i > 0; i--) {
		if (strcmp(all[i - 1].id, session_id(w->session)) == 0)
			continue;
		if (shown++ < LISTED_MAX) {
			const struct transcript_info *info = &all[i - 1];
			struct str title = text_fit(str_from(info->title), TITLE_COLUMNS);
			char age[AGE_SIZE];

			session_age(info->updated_ms, age);
			buf_addf(&out, "%3zu. %-14s %4zu message%s %.*s%s\n", i, age,
				 info->messages, info->messages == 1 ? " " : "s", STR_ARG(title),
				 info->title[title.n] ? mark(MARK_MORE) : "");
		} else {
			more++;
		}
	}
	transcript_list_free(all, n);
	if (more)
		buf_addf(&out, "     ... %zu more: trotline --list-sessions\n", more);
	worker_print(w, "%s", out.n ? buf_z(&out) : "No previous sessions found for this project.");
	if (out.n)
		worker_print(w, "/resume NUMBER continues one.");
}

void slash_resume(struct worker *w, struct str args)
{
	struct err err;
	AUTO(free) char *dir = transcript_dir(w->run->home, w->run->project, &err);
	AUTO(free) char *which = xstrndup(args.p ? args.p : "", args.n);
	struct transcript_info info;

	if (!dir) {
		worker_print(w, "%s", err.text);
		return;
	}
	if (!args.n || str_eqz(args, "list")) {
		list(w, dir);
		return;
	}
	if (transcript_find(dir, which, &info, &err) < 0) {
		worker_print(w, "Unknown session %s; /resume lists them.", which);
		return;
	}
	if (strcmp(info.id, session_id(w->session)) == 0) {
		worker_print(w, "That is this session.");
	} else if (session_resume(w->session, info.path, &err) < 0) {
		worker_print(w, "%s", err.text);
	} else {
		char age[AGE_SIZE];

		session_age(info.updated_ms, age);
		worker_show_recent(w, session_transcript(w->session));
		worker_print(w, "Resumed: %s (%s)", info.title, age);
	}
	transcript_info_done(&info);
}

void slash_export(struct worker *w, struct str args)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *name = args.n ? xstrndup(args.p, args.n)
				       : xasprintf("session-%.8s.json", session_id(w->session));
	AUTO(free) char *path = fs_absolute(w->run->cwd, name);
	const struct json *v = json_set(&a, NULL, STR("sessionId"),
					json_new_str(&a, str_from(session_id(w->session))));
	struct str text;
	struct err err;

	if (fs_exists(path)) {
		worker_print(w, "%s already exists; nothing was written.", name);
		return;
	}
	v = json_set(&a, v, STR("model"), json_new_str(&a, str_from(session_model(w->session))));
	v = json_set(&a, v, STR("contents"), session_conversation(w->session, &a));
	text = json_text(&a, v, JSON_PRETTY);
	if (fs_replace(path, text, 0600, &err) < 0)
		worker_print(w, "%s", err.text);
	else
		worker_print(w, "Wrote the conversation to %s.", name);
}
