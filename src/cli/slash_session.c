/* Slash commands that need the session: its own thread does them, between two turns. */
#include <stdio.h>

#include "cli/chat.h"
#include "os/fs.h"

void slash_clear(struct worker *w, struct str args)
{
	(void)args;
	session_clear(w->session);
	worker_print(w, "A new session begins.");
}

void slash_compress(struct worker *w, struct str args)
{
	(void)args;
	session_compress_now(w->session);
}

/* ---- statistics ---- */

static double num_at(const struct json *v, const char *pointer)
{
	return json_num(json_pointer(v, str_from(pointer)), 0);
}

struct str stats_text(struct arena *a, const struct json *stats)
{
	AUTO(buf_done) struct buf out = {0};
	const struct json *models = json_get(stats, STR("models"));
	const struct json *by_name = json_pointer(stats, STR("/tools/byName"));

	for (size_t i = 0; json_is(models, J_OBJ) && i < models->n; i++) {
		const struct json *m = &models->members[i].v;

		(void)buf_addf(&out, "%.*s: %.0f request%s, %.0f tokens in, %.0f out, %.1f s\n",
			       STR_ARG(models->members[i].key), num_at(m, "/api/totalRequests"),
			       num_at(m, "/api/totalRequests") > 1 ? "s" : "",
			       num_at(m, "/tokens/prompt"), num_at(m, "/tokens/candidates"),
			       num_at(m, "/api/totalLatencyMs") / 1000);
	}
	for (size_t i = 0; json_is(by_name, J_OBJ) && i < by_name->n; i++) {
		const struct json *t = &by_name->members[i].v;

		(void)buf_addf(&out, "%.*s: %.0f call%s, %.0f failed, %.1f s\n",
			       STR_ARG(by_name->members[i].key), num_at(t, "/count"),
			       num_at(t, "/count") > 1 ? "s" : "", num_at(t, "/fail"),
			       num_at(t, "/durationMs") / 1000);
	}
	(void)buf_addf(&out, "Lines: +%.0f -%.0f", num_at(stats, "/files/totalLinesAdded"),
		       num_at(stats, "/files/totalLinesRemoved"));
	return arena_str(a, buf_str(&out));
}

void slash_stats(struct worker *w, struct str args)
{
	AUTO(arena_done) struct arena a = {0};
	AUTO(buf_done) struct buf text = {0};
	struct jw jw = { .out = &text };
	const struct json *v = NULL;

	(void)args;
	stats_write(session_stats(w->session), &jw);
	if (json_parse(&a, buf_str(&text), 0, &v, NULL) == 0)
		worker_print(w, "%s", stats_text(&a, v).p);
}

/* ---- what the model knows ---- */

void slash_tools(struct worker *w, struct str args)
{
	AUTO(arena_done) struct arena a = {0};
	AUTO(buf_done) struct buf out = {0};
	const struct json *list = session_tools(w->session, &a);

	(void)buf_addf(&out, "%zu tools:\n", list->n);
	for (size_t i = 0; i < list->n; i++) {
		const struct json *t = json_at(list, i);

		(void)buf_addf(&out, "  %.*s\n",
			       STR_ARG(json_str(json_get(t, STR("name")), STR(""))));
		if (str_starts(args, STR("desc")))
			(void)buf_addf(&out, "      %.*s\n",
				       STR_ARG(json_str(json_get(t, STR("description")), STR(""))));
	}
	worker_print(w, "%s", buf_z(&out));
}

void slash_mcp(struct worker *w, struct str args)
{
	static const char *const states[] = { [MCP_CONNECTING] = "connecting",
					      [MCP_READY] = "ready",
					      [MCP_FAILED] = "failed",
					      [MCP_CLOSED] = "not used" };
	AUTO(buf_done) struct buf out = {0};
	size_t n = w->run->mcp ? mcp_servers_count(w->run->mcp) : 0;

	(void)args;
	for (size_t i = 0; i < n; i++) {
		struct mcp_server_info info;

		mcp_server_info(w->run->mcp, i, &info);
		(void)buf_addf(&out, "%s [%s] %zu tools%s%s\n", info.name, states[info.state],
			       info.ntools, *info.reason ? ": " : "", info.reason);
	}
	worker_print(w, "%s", n ? buf_z(&out) : "No MCP server is configured (mcpServers).");
}

void slash_memory(struct worker *w, struct str args)
{
	AUTO(arena_done) struct arena a = {0};

	if (str_starts(args, STR("reload")) || str_starts(args, STR("refresh"))) {
		session_reload_context(w->session);
		worker_print(w, "Context files were read again.");
		return;
	}
	worker_print(w, "%s", session_memory(w->session, &a).p);
}

void slash_model(struct worker *w, struct str args)
{
	if (args.n) {
		AUTO(free) char *name = xstrndup(args.p, args.n);

		session_set_model(w->session, name);
	}
	worker_print(w, "The model is %s%s", session_model(w->session),
		     args.n ? " now." : "; /model NAME changes it.");
}

void slash_mode(struct worker *w, struct str args)
{
	AUTO(free) char *name = xstrndup(args.p ? args.p : "", args.n);
	struct err err;
	enum approval_mode mode;

	if (args.n == 0) {
		worker_print(w,
			     "The approval mode is %s; /mode default, auto_edit, plan or yolo "
			     "changes it.",
			     mode_name(w->run->mode));
		return;
	}
	if (!mode_find(name, &mode)) {
		worker_print(w, "There is no mode %s: default, auto_edit, plan or yolo.", name);
		return;
	}
	if (run_set_mode(w->run, w->session, mode, &err) < 0) {
		worker_print(w, "%s", err.text);
		return;
	}
	worker_say(w, SAID_MODE, mode, (struct str){0}, (struct str){0});
	worker_print(w, "The approval mode is %s now.", name);
}

/* ---- other sessions ---- */

static void list(struct worker *w, const char *dir)
{
	AUTO(buf_done) struct buf out = {0};
	struct transcript_info *all;
	struct err err;
	size_t n;

	if (transcript_list(dir, &all, &n, &err) < 0) {
		worker_print(w, "%s", err.text);
		return;
	}
	for (size_t i = 0; i < n; i++)
		(void)buf_addf(&out, "  %zu. %s  [%s]\n", i + 1, all[i].title, all[i].id);
	transcript_list_free(all, n);
	worker_print(w, "%s",
		     out.n ? buf_z(&out) : "No previous sessions found for this project.");
	if (out.n)
		worker_print(w, "/resume NUMBER goes on with one.");
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
		worker_print(w, "There is no session %s; /resume lists them.", which);
		return;
	}
	if (strcmp(info.id, session_id(w->session)) == 0)
		worker_print(w, "That is this session.");
	else if (session_resume(w->session, info.path, &err) < 0)
		worker_print(w, "%s", err.text);
	else
		worker_print(w, "Going on with: %s", info.title);
	transcript_info_done(&info);
}

void slash_export(struct worker *w, struct str args)
{
	AUTO(arena_done) struct arena a = {0};
	AUTO(free) char *name = args.n ? xstrndup(args.p, args.n)
				       : xasprintf("session-%.8s.json", session_id(w->session));
	AUTO(free) char *path = fs_absolute(w->run->cwd, name);
	const struct json *v = json_set(&a, NULL, STR("sessionId"),
					json_new_str(&a, str_from(session_id(w->session))));
	struct str text;
	struct err err;

	if (fs_exists(path)) {
		worker_print(w, "%s exists already; nothing was written.", name);
		return;
	}
	v = json_set(&a, v, STR("model"), json_new_str(&a, str_from(session_model(w->session))));
	v = json_set(&a, v, STR("contents"), session_conversation(w->session, &a));
	text = json_text(&a, v, JSON_PRETTY);
	if (fs_replace(path, text, 0600, &err) < 0)
		worker_print(w, "%s", err.text);
	else
		worker_print(w, "The conversation is in %s.", name);
}
