/* trotline hooks log: the firings of all agents, a line each, also as they happen. */
#include <poll.h>
#include <unistd.h>

#include "base/utf8.h"
#include "os/changes.h"
#include "os/fd.h"
#include "settings/home.h"
#include "workbench/commands.h"
#include "workbench/records.h"

enum { LINES_DEFAULT = 20, REASON_CHARS = 160, LOOK_AGAIN_MS = 1000, NEWS_MS = 30000 };

struct log_args {
	const char *session, *agent;
	int64_t lines;
	bool follow, denied, all, json;
};

static const struct opt opts[] = {
	{ "follow", 'f', NULL, OPT_FLAG, offsetof(struct log_args, follow),
	  "show new firings as they happen, until Ctrl-C" },
	{ "lines", 'n', "N", OPT_INT, offsetof(struct log_args, lines),
	  "this many of those that there are (default: 20)" },
	{ "session", 's', "ID", OPT_STR, offsetof(struct log_args, session),
	  "firings of this session only" },
	{ "agent", 'a', "AGENT", OPT_STR, offsetof(struct log_args, agent),
	  "of this agent only: codex, trotline, mcp-guard ..." },
	{ "denied", 0, NULL, OPT_FLAG, offsetof(struct log_args, denied),
	  "only those that denied or stopped something" },
	{ "all", 0, NULL, OPT_FLAG, offsetof(struct log_args, all),
	  "also those in which no hook ran" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct log_args, json), "print JSON" },
};
const struct opt_set log_opts = OPT_SET(opts, struct log_args);

static bool is_wanted(const struct log_args *args, const struct json *record)
{
	if (args->session && !str_eqz(json_get_str(record, "session_id"), args->session))
		return false;
	if (args->agent && !str_eqz(record_host(record), args->agent))
		return false;
	if (args->denied)
		return record_denied(record);
	/* Without a list of hooks: an unknown event, a denial of our own. */
	return args->all || record_ran(record) || !json_at(json_getz(record, "hooks"), 0);
}

static void show(struct sheet *p, struct arena *a, const struct json *record)
{
	const struct json *outcome = json_getz(record, "outcome");
	struct str agent = json_get_str(record, "agent_id");
	struct str reason = json_get_str(outcome, "reason"), line = { 0 };
	enum style style;
	const char *word = record_word(record, &style);

	if (!reason.n)
		reason = json_get_str(outcome, "stop_reason");
	/* Its first line: the rest is for `why`. */
	(void)str_split(&reason, '\n', &line);
	reason = utf8_without_middle(a, line, REASON_CHARS, REASON_CHARS);
	sheet_f(p, DIM, "%s", record_time(a, json_get_str(record, "timestamp")));
	sheet_f(p, CYAN, "  %s", record_in_line(a, record_host(record)));
	sheet_f(p, DIM, agent.n ? "/%s" : "%s", record_in_line(a, agent));
	sheet_f(p, PLAIN, "  %s: ", record_what(a, record));
	sheet_f(p, style, "%s", word);
	sheet_f(p, PLAIN, reason.n ? ": %s" : "%s", arena_z(a, reason));
	sheet_f(p, DIM, "  %s\n", record_in_line(a, json_get_str(record, "id")));
}

/* The last of them; ret_list NULL = they are shown a line each. */
static void show_text(struct wb *wb, const struct log_args *args, struct str text, size_t skip,
		      struct json_list *ret_list)
{
	AUTO(arena_done) struct arena own = { 0 };
	struct arena *a = ret_list ? &wb->arena : &own;
	const struct json *v;

	for (; records_next(&text, a, &v);) {
		if (!is_wanted(args, v) || (skip && skip--))
			continue;
		if (ret_list) {
			json_list_add(ret_list, json_dup(a, v));
		} else if (args->json) {
			json_visible(&wb->sheet.out, json_text(a, v, JSON_COMPACT));
			buf_addc(&wb->sheet.out, '\n');
		} else {
			show(&wb->sheet, a, v);
		}
	}
}

/* How many come before the last that are wanted. */
static size_t before(const struct log_args *args, struct str text)
{
	AUTO(arena_done) struct arena a = { 0 };
	size_t wanted = 0, last = args->lines ? (size_t)args->lines : LINES_DEFAULT;
	const struct json *v;

	while (records_next(&text, &a, &v))
		wanted += is_wanted(args, v);
	return wanted > last ? wanted - last : 0;
}

/* (waits) Until the reader is gone. */
static int follow(struct wb *wb, const struct log_args *args, struct records *records)
{
	const char *const watched[] = { records->path, NULL };
	struct changes *c = changes_new();
	struct err err;
	int r;

	changes_set(c, 0, watched);
	wb->text = wb->printed = true;
	show_text(wb, args, buf_str(&records->text), before(args, buf_str(&records->text)), NULL);
	/* A directory that is new is watched before its file is read: later news wait. */
	for (;;) {
		struct pollfd fds[] = { { .fd = STDOUT_FILENO }, { changes_fd(c), POLLIN, 0 } };
		struct change seen;

		while (changes_next(c, &seen))
			continue;
		r = records_more(records, &err);
		show_text(wb, args, buf_str(&records->text), 0, NULL);
		wb_flush(wb);
		if (r < 0)
			break;
		(void)fd_poll(fds, ARRAY_LEN(fds), fds[1].fd < 0 ? LOOK_AGAIN_MS : NEWS_MS);
		(void)changes_heard(c);
		if (fds[0].revents & (POLLERR | POLLHUP | POLLNVAL)) /* the reader is gone */
			break;
	}
	changes_free(c);
	return r < 0 ? wb_fail_err(wb, EXIT_USAGE, &err) : EXIT_OK;
}

int wb_log(struct wb *wb, const void *args_, int n, char **rest)
{
	AUTO(records_done) struct records records = RECORDS_INIT;
	const struct log_args *args = args_;
	AUTO(free) char *home = NULL;
	struct json_list list = { 0 };
	struct str text;
	struct err err;

	(void)n;
	(void)rest;
	if (args->lines < 0)
		return wb_fail(wb, EXIT_USAGE, "--lines is a number of lines");
	if (args->follow && (wb->hooks || !wb->flush))
		return wb_fail(wb, EXIT_USAGE, "--follow is for a terminal of its own");
	if (home_find((const char *const *)environ, &home, &err) < 0 ||
	    records_open(&records, home, &err) < 0 ||
	    records_check_host(&records, args->agent, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (args->follow)
		return follow(wb, args, &records);
	text = buf_str(&records.text);
	show_text(wb, args, text, before(args, text), args->json ? &list : NULL);
	if (!args->json && !wb->sheet.out.n)
		sheet_f(&wb->sheet, PLAIN, "%s",
			records.text.n ? "No record of hooks fits.\n"
				       : "No record of hooks: none has run yet.\n");
	wb->value = json_pack(&wb->arena, "records:j", json_list_take(&wb->arena, &list));
	return EXIT_OK;
}
