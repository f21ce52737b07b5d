/*
 * trotline hooks install, uninstall: a hook, and trotline's own MCP server, in the settings of
 * Gemini CLI and its kin (AGENT_TARGETS; docs/mcp-settings.md, docs/editing.md).
 */
#include <limits.h>

#include "base/json_pack.h"
#include "base/words.h"
#include "os/fs.h"
#include "os/proc.h"
#include "workbench/commands.h"
#include "workbench/install_agents.h"
#include "workbench/products.h"
#include "workbench/registration.h"
#include "workbench/settings_args.h"
#include "workbench/show.h"
#include "workbench/wrap_servers.h"

#define SERVER_NAME "trotline"

struct install_args {
	struct settings_args in;
	const char *matcher, *program, *description, *command, *event;
	int64_t timeout;
	const char *on_failure;
	bool with_mcp, all, mcp, guard;
};

#define AGENTS "; without NAME any agents of trotline hook, separated by commas"

static const struct opt install_opt_rows[] = {
	{ "matcher", 'm', "MATCHER", OPT_STR, offsetof(struct install_args, matcher),
	  "which tools, in the words of the agent that it is for (default: all)" },
	{ "timeout", 't', "MS", OPT_INT, offsetof(struct install_args, timeout),
	  "milliseconds until the hook is ended; written in the agent's own unit" },
	{ "guard", 'g', NULL, OPT_FLAG, offsetof(struct install_args, guard),
	  "it guards: it runs last, and when it fails, what it guards does not happen" },
	{ "on-failure", 0, "WORD", OPT_STR, offsetof(struct install_args, on_failure),
	  "what its failure means: warn, ask or deny (default: deny for a guard, else warn)" },
	{ "description", 0, "TEXT", OPT_STR, offsetof(struct install_args, description),
	  "what it is for, for people" },
	{ "program", 0, "PATH", OPT_STR, offsetof(struct install_args, program),
	  "take entries without a name that run this program for the same hook" },
	{ "with-mcp", 0, NULL, OPT_FLAG, offsetof(struct install_args, with_mcp),
	  "also add trotline's own MCP server, which offers list, why, run and lint as tools" },
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct install_args, all),
	  "without NAME: every agent that is used here" },
	{ "mcp", 0, NULL, OPT_FLAG, offsetof(struct install_args, mcp),
	  "without NAME: trotline mcp guard in front of the agent's MCP servers" },
	SETTINGS_OPTS(struct install_args, AGENTS),
};
const struct opt_set install_opts = OPT_SET(install_opt_rows, struct install_args);

static const struct opt uninstall_opt_rows[] = {
	{ "event", 'e', "EVENT", OPT_STR, offsetof(struct install_args, event),
	  "only from this event (default: from all)" },
	{ "command", 0, "COMMAND", OPT_STR, offsetof(struct install_args, command),
	  "also entries without a name that have this command" },
	{ "program", 0, "PATH", OPT_STR, offsetof(struct install_args, program),
	  "also entries without a name that run this program" },
	{ "with-mcp", 0, NULL, OPT_FLAG, offsetof(struct install_args, with_mcp),
	  "also remove trotline's own MCP server, if it did not come with the hook" },
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct install_args, all),
	  "without NAME: every agent that is used here" },
	{ "mcp", 0, NULL, OPT_FLAG, offsetof(struct install_args, mcp),
	  "without NAME: take trotline mcp guard from the agent's MCP servers" },
	SETTINGS_OPTS(struct install_args, AGENTS),
};
const struct opt_set uninstall_opts = OPT_SET(uninstall_opt_rows, struct install_args);

/* One run of a command: the hook, the server, and what became of each. */
struct job {
	struct wb *wb;
	const struct install_args *args;
	struct settings_target t;
	struct arena arena;
	struct hook_reg hook;
	const struct json *server; /* NULL = none is wanted */
	bool removing, drop_server;
	enum reg_status hook_status, server_status;
	bool has_server; /* server_status says something */
	bool disabled; /* hooksConfig.disabled names the hook */
	struct buf diff;
};

static void job_done(struct job *j)
{
	settings_target_done(&j->t);
	arena_done(&j->arena);
	buf_done(&j->diff);
}
DEFINE_AUTO(struct job, job_done)

/* ---- trotline's own server ---- */

/* How to start this program from elsewhere: by its name where PATH finds it, else by its path. */
static const char *own_program(struct arena *a)
{
	AUTO(free) char *self = fs_real(OWN_PROGRAM);
	AUTO(free) char *found = NULL;
	AUTO(free) char *real = NULL;

	if (fs_find_program(SERVER_NAME, getenv("PATH"), &found))
		real = fs_real(found);
	if (!self || (real && strcmp(real, self) == 0))
		return SERVER_NAME;
	return arena_z(a, str_from(self));
}

/* A trotline that has moved since is still trotline. */
static bool is_own_server(const struct json *server)
{
	struct str command = json_get_str(server, "command");
	const struct json *args = json_getz(server, "args");

	return (str_eqz(command, SERVER_NAME) || str_ends(command, STR("/" SERVER_NAME))) &&
	       json_is(args, J_ARR) && args->n == 2 &&
	       str_eqz(json_str(json_at(args, 0), STR("")), "mcp") &&
	       str_eqz(json_str(json_at(args, 1), STR("")), "serve");
}

/* ---- the hook ---- */

static int unknown_event(struct job *j, const char *event)
{
	const struct agent *agent = j->t.agent;
	const char **names = ARENA_ARRAY(&j->arena, const char *, agent->dialect->nevents + 1);
	AUTO(buf_done) struct buf all = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < agent->dialect->nevents; i++)
		if (agent->dialect->events[i].when != CASE_NEVER)
			names[n++] = agent->dialect->events[i].name;
	for (size_t i = 0; i < n; i++)
		buf_addf(&all, "%s%s", i ? ", " : "; it has ", names[i]);
	const char *meant = did_you_mean(&j->arena, event, names, n);
	return wb_fail_at(j->wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-event" },
			  "%s has no event \"%s\"%s", agent->title, event,
			  *meant ? meant : buf_z(&all));
}

static int job_fill(struct job *j, const char *name, const char *event, const char *command)
{
	const struct install_args *args = j->args;
	const struct agent *agent = j->t.agent;
	struct agent_event e;

	if (!*name || (command && str_trim(str_from(command)).n == 0))
		return wb_fail(j->wb, EXIT_USAGE, "%s is empty", *name ? "COMMAND" : "NAME");
	/* Any other word would deny. */
	if (args->on_failure && strcmp(on_failure_name(on_failure_find(str_from(args->on_failure))),
				       args->on_failure) != 0)
		return wb_fail_word(j->wb, "--on-failure", "warn, ask or deny", args->on_failure);
	if (args->timeout < 0 || args->timeout > INT_MAX)
		return wb_fail(j->wb, EXIT_USAGE, "--timeout takes milliseconds, for example 5000");
	j->hook = (struct hook_reg){ .name = name,
				     .matcher = args->matcher,
				     .command = command,
				     .program = args->program,
				     .with_server = args->with_mcp };
	if (event) {
		j->hook.event = agent_event_name(agent, event);
		if (!j->hook.event)
			return unknown_event(j, event);
		(void)agent_event_find(agent, str_from(j->hook.event), &e);
		j->hook.star =
			agent->dialect->claude_keys && e.to && e.to->subject_kind == SUBJECT_TOOL;
	}
	return EXIT_OK;
}

enum { NAMES_MAX = 200 };

/* Adds the names of the hooks of a file to n others; one that cannot be read has none. */
static size_t names_of(struct job *j, const char *path, const char **names, size_t n)
{
	const struct json *doc = NULL, *hooks;

	if (path)
		(void)settings_read(&j->arena, path, NULL, &doc, NULL);
	hooks = json_getz(doc, "hooks");
	for (size_t e = 0; json_is(hooks, J_OBJ) && e < hooks->n; e++)
		for (size_t i = 0; json_at(&hooks->members[e].v, i); i++) {
			const struct json *own =
				json_getz(json_at(&hooks->members[e].v, i), "hooks");

			for (size_t k = 0; json_at(own, k) && n < NAMES_MAX; k++) {
				struct str name = json_get_str(json_at(own, k), "name");

				if (name.n)
					names[n++] = arena_z(&j->arena, name);
			}
		}
	return n;
}

static bool has_hook(struct job *j, const char *path)
{
	const char *names[NAMES_MAX];
	size_t n = names_of(j, path, names, 0);

	return word_in(str_from(j->hook.name), names, n);
}

/* ---- editing ---- */

static int edit_server(struct settings_change *c, void *data, struct err *err)
{
	struct job *j = data;

	if (j->removing)
		return server_uninstall(c, SERVER_NAME, &j->server_status, err);
	return server_install(c,
			      &(struct server_reg){ .name = SERVER_NAME,
						    .value = j->server,
						    .is_ours = is_own_server },
			      &j->server_status, err);
}

static int edit_hook(struct settings_change *c, void *data, struct err *err)
{
	struct job *j = data;
	bool same_file = strcmp(j->t.hooks_path, j->t.mcp_path) == 0;
	int r;

	if (j->removing)
		r = hook_uninstall(c, &j->hook, &j->hook_status, &j->drop_server, err);
	else
		r = hook_install(c, &j->hook, &j->hook_status, err);
	j->disabled = json_holds(json_pointer(c->e.doc, STR("/hooksConfig/disabled")),
				 str_from(j->hook.name), NULL);
	j->drop_server |= j->args->with_mcp;
	j->has_server = j->removing ? j->drop_server : j->server != NULL;
	if (r < 0 || !j->has_server || !same_file)
		return r;
	return edit_server(c, j, err);
}

static int apply(struct job *j, const char *path, settings_edit_fn *edit, struct err *err)
{
	AUTO(settings_change_done) struct settings_change c = settings_target_change(&j->t, path);
	int r = settings_apply(&c, edit, j, err);

	buf_adds(&j->diff, buf_str(&c.diff));
	return r;
}

/* The server first: what is then refused leaves no half of it behind. */
static int job_run(struct job *j, struct err *err)
{
	AUTO(settings_unlock) int lock = settings_lock(j->t.roots.home, err);
	char *path = j->t.hooks_path;
	bool same_file;
	int r;

	if (lock < 0)
		return lock;
	/* An existing hook is edited where it is: trotline has two files. */
	if (j->t.hooks_other && !has_hook(j, path) && has_hook(j, j->t.hooks_other)) {
		j->t.hooks_path = j->t.hooks_other;
		j->t.hooks_other = path;
	}
	same_file = strcmp(j->t.hooks_path, j->t.mcp_path) == 0;
	if (j->server && !same_file) {
		r = apply(j, j->t.mcp_path, edit_server, err);
		if (r < 0)
			return r;
	}
	r = apply(j, j->t.hooks_path, edit_hook, err);
	if (r >= 0 && j->removing && j->has_server && !same_file)
		r = apply(j, j->t.mcp_path, edit_server, err);
	return r;
}

/* ---- saying it ---- */

static const struct json *value(const struct job *j)
{
	struct arena *a = &j->wb->arena;
	const struct json *mcp = NULL, *v;

	if (j->has_server)
		mcp = json_pack(a, "name:z status:z file:z", SERVER_NAME,
				reg_status_name(j->server_status), j->t.mcp_path);
	v = json_pack(a,
		      "name:z status:z into:z scope:z ?event:z file:z ?mcp:j disabled:b dryRun:b",
		      j->hook.name, reg_status_name(j->hook_status), j->t.agent->name,
		      j->t.user ? "user" : "project", j->hook.event, j->t.hooks_path, mcp,
		      j->disabled && !j->removing, j->args->in.dry_run);
	return j->args->in.dry_run ? json_pack_more(a, v, "diff:s", buf_str(&j->diff)) : v;
}

static void show_status(struct sheet *p, const char *what, const char *name, enum reg_status status,
			const char *path)
{
	static const char *const words[] = {
		[REG_UNCHANGED] = "is already as wanted in",
		[REG_INSTALLED] = "installed in",
		[REG_UPDATED] = "updated in",
		[REG_REMOVED] = "removed from",
		[REG_ABSENT] = "is not in",
	};

	sheet_f(p, PLAIN, "%s \"%s\" %s ", what, name, words[status]);
	sheet_text(p, PLAIN, path, 0);
}

static void next_steps(const struct job *j)
{
	bool reads = agent_is_read(j->t.agent);

	if (j->disabled)
		sheet_f(&j->wb->sheet, YELLOW,
			"It does not run: hooksConfig.disabled names it; see: trotline hooks "
			"enable %s\n",
			j->hook.name);
	if (j->hook_status == REG_UNCHANGED)
		return;
	if (!reads)
		sheet_f(&j->wb->sheet, PLAIN,
			"Next: start %s again and look at its list of hooks.\n", j->t.agent->title);
	else
		sheet_f(&j->wb->sheet, PLAIN,
			"Next:\n%s  trotline hooks run %s    try it\n"
			"  trotline hooks uninstall %s%s    take it out again\n",
			j->t.user ? "" : "  trotline hooks trust    look at it and approve it\n",
			j->hook.event, j->hook.name, j->t.user ? " --scope user" : "");
}

static int fail_absent(struct job *j)
{
	const char *names[NAMES_MAX];
	size_t n = names_of(j, j->t.hooks_other, names, names_of(j, j->t.hooks_path, names, 0));
	const char *meant = did_you_mean(&j->arena, j->hook.name, names, n);
	const char *todo =
		*meant ? meant
		: j->t.agent->dialect->claude_keys
			? "; trotline hooks list --all says what is where; other places: --into, "
			  "--scope, --command"
			: "; trotline hooks list --all says what is where; other places: --into, "
			  "--scope";

	return wb_fail_at(j->wb, EXIT_USAGE, &(struct wb_place){ .code = "unknown-hook" },
			  "hook \"%s\" is not in %s%s", j->hook.name, j->t.hooks_path, todo);
}

static int finish(struct job *j)
{
	struct sheet *p = &j->wb->sheet;
	struct err err;

	if (job_run(j, &err) < 0)
		return settings_failed(j->wb, &err);
	/* What it came with is taken out all the same. */
	if (j->removing && j->hook_status == REG_ABSENT &&
	    !(j->has_server && j->server_status != REG_ABSENT))
		return fail_absent(j);
	j->wb->value = value(j);
	if (j->args->in.dry_run) {
		if (j->diff.n)
			sheet_text(p, PLAIN, buf_z(&j->diff), 0);
		else
			sheet_f(p, PLAIN, "Nothing would change.\n");
		return EXIT_OK;
	}
	show_status(p, "Hook", j->hook.name, j->hook_status, j->t.hooks_path);
	if (j->has_server)
		show_status(p, "MCP server", SERVER_NAME, j->server_status, j->t.mcp_path);
	if (!j->removing)
		next_steps(j);
	return EXIT_OK;
}

/* As the agent's hook; as the guard of its servers, where that is wanted or all that there is. */
static int install_trotline(struct wb *wb, const struct install_args *args, bool removing)
{
	if (args->mcp || (!args->all && wrap_is_meant(args->in.into)))
		return wb_wrap_servers(wb, &args->in, removing);
	return wb_install_agents(wb, &args->in, args->all, removing);
}

int wb_install(struct wb *wb, const void *args, int n, char **rest)
{
	AUTO(job_done) struct job j = { .wb = wb, .args = args };
	int status, unit;
	bool named;

	if (n == 0)
		return install_trotline(wb, j.args, false);
	/* An event that does not exist is told first. */
	if (n == 2) {
		status = settings_target_find(wb, &j.args->in, &j.t);
		if (status == EXIT_OK)
			status = job_fill(&j, rest[0], rest[1], NULL);
		if (status != EXIT_OK)
			return status;
	}
	if (n < 3)
		return wb_fail(
			wb, EXIT_USAGE,
			"a hook has NAME, EVENT and COMMAND; without all three trotline itself "
			"is installed");
	status = settings_target_find(wb, &j.args->in, &j.t);
	if (status == EXIT_OK)
		status = job_fill(&j, rest[0], rest[1], rest[2]);
	if (status != EXIT_OK)
		return status;
	named = !j.t.agent->dialect->claude_keys;
	unit = j.t.agent->dialect->timeout_unit_ms;
	/* A timeout is never shorter than was asked for. */
	j.hook.hook = json_pack(
		&j.arena,
		"?name:z type:z command:z ?timeout:l ?guard:b ?onFailure:z ?description:z",
		named ? j.hook.name : NULL, "command", rest[2],
		((int64_t)j.args->timeout + unit - 1) / unit, j.args->guard, j.args->on_failure,
		named ? j.args->description : NULL);
	if (j.args->with_mcp) {
		struct arena *a = &j.arena;
		const struct json *words[] = { json_new_str(a, STR("mcp")),
					       json_new_str(a, STR("serve")) };

		j.server = json_pack(a, "command:z args:j", own_program(a),
				     json_new_arr(a, words, ARRAY_LEN(words)));
	}
	return finish(&j);
}

int wb_uninstall(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct install_args *args = args_;
	AUTO(job_done) struct job j = { .wb = wb, .args = args, .removing = true };
	int status;

	if (n == 0)
		return install_trotline(wb, args, true);
	status = settings_target_find(wb, &args->in, &j.t);
	if (status == EXIT_OK)
		status = job_fill(&j, rest[0], args->event, args->command);
	return status == EXIT_OK ? finish(&j) : status;
}
