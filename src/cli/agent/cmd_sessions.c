/* The recorded sessions of a project: listing, deleting, continuing. */
#include "cli/agent/agent_run.h"

#include "agent/transcript/transcript.h"
#include "os/clock.h"
#include "os/fs.h"

void session_age(int64_t then_ms, char out[AGE_SIZE])
{
	static const struct {
		const char *unit;
		int64_t seconds;
	} units[] = { { "day", 86400 }, { "hour", 3600 }, { "minute", 60 } };
	int64_t s = (clock_wall_ms() - then_ms) / 1000;

	for (size_t i = 0; i < ARRAY_LEN(units); i++) {
		int64_t n = s / units[i].seconds;

		if (n < 1)
			continue;
		(void)snprintf(out, AGE_SIZE, "%lld %s%s ago", (long long)n, units[i].unit,
			       n == 1 ? "" : "s");
		return;
	}
	(void)snprintf(out, AGE_SIZE, "Just now");
}

static const char *sessions_dir(struct run *r)
{
	struct err err;
	AUTO(free) char *dir = transcript_dir(r->home, r->project, &err);

	if (dir)
		return arena_z(&r->arena, str_from(dir));
	(void)run_fail(r, EXIT_USAGE, "Error", "%s", err.text);
	return NULL;
}

int list_sessions(struct run *r)
{
	const char *dir = sessions_dir(r);
	struct transcript_info *list;
	struct err err;
	size_t n;

	if (!dir)
		return EXIT_USAGE;
	if (transcript_list(dir, &list, &n, &err) < 0)
		return run_fail(r, EXIT_USAGE, "Error", "%s", err.text);
	if (n)
		out_f(PLAIN, "\nAvailable sessions for this project (%zu):\n", n);
	else
		out_f(PLAIN, "No previous sessions found for this project.\n");
	for (size_t i = 0; i < n; i++) {
		AUTO(free) char *line = NULL;
		char age[AGE_SIZE];

		session_age(list[i].updated_ms, age);
		line = xasprintf("%zu. %s (%s) [%s]", i + 1, list[i].title, age, list[i].id);
		out_text(PLAIN, line, 2);
	}
	transcript_list_free(list, n);
	return EXIT_OK;
}

static int bad_identifier(struct run *r, bool resuming, const char *which, const char *dir)
{
	const char *option = resuming ? "--resume" : "--delete-session";

	return run_fail(r, EXIT_INPUT, "FatalInputError",
			"Error %s session: Invalid session identifier \"%s\".\n"
			"  Searched for sessions in %s.\n"
			"  Use --list-sessions to see available sessions, then %s {number}%s %s "
			"{uuid}%s.",
			resuming ? "resuming" : "deleting", which, dir, option,
			resuming ? "," : " or", option, resuming ? ", or --resume latest" : "");
}

int delete_session(struct run *r, const char *which)
{
	const char *dir = sessions_dir(r);
	struct transcript_info info, *list;
	AUTO(free) char *line = NULL;
	char age[AGE_SIZE];
	struct err err;
	size_t n, number = 0;
	int e;

	if (!dir)
		return EXIT_USAGE;
	if (transcript_find(dir, which, &info, &err) < 0)
		return bad_identifier(r, false, which, dir);
	/* Its number in the list. */
	if (transcript_list(dir, &list, &n, NULL) == 0) {
		for (size_t i = 0; i < n; i++)
			if (strcmp(list[i].id, info.id) == 0)
				number = i + 1;
		transcript_list_free(list, n);
	}
	session_age(info.updated_ms, age);
	line = xasprintf("Deleted session %zu: %s (%s)", number, info.title, age);
	e = transcript_delete(dir, &info, &err);
	transcript_info_done(&info);
	if (e < 0)
		return run_fail(r, EXIT_USAGE, "Error", "%s", err.text);
	out_text(PLAIN, line, 0);
	return EXIT_OK;
}

/* ---- the session of this run ---- */

static int resume(struct run *r, const char *dir, const char *which)
{
	struct transcript_info info, *list;
	struct err err;
	size_t n = 0;

	if (transcript_list(dir, &list, &n, &err) == 0)
		transcript_list_free(list, n);
	if (!n && strcmp(which, "latest") == 0) {
		output_warn(&r->out, "No previous sessions found for this project. A new "
				     "session is started.");
		return EXIT_OK;
	}
	if (transcript_find(dir, which, &info, &err) < 0)
		return bad_identifier(r, true, which, dir);
	r->resume_path = arena_z(&r->arena, str_from(info.path));
	r->id = arena_z(&r->arena, str_from(info.id));
	transcript_info_done(&info);
	return EXIT_OK;
}

int setup_session(struct run *r)
{
	const struct agent_options *args = r->args;
	AUTO(free) char *new_dir = NULL;
	const char *dir;

	if (args->session_file) {
		AUTO(free) char *path = fs_absolute(r->cwd, args->session_file);

		r->resume_path = arena_z(&r->arena, str_from(path));
		return EXIT_OK;
	}
	if (args->resume) {
		dir = sessions_dir(r);
		return dir ? resume(r, dir, *args->resume ? args->resume : "latest") : EXIT_USAGE;
	}
	/* Without the directory a new session goes on: it warns that it is not recorded. */
	new_dir = args->session_id ? transcript_dir(r->home, r->project, NULL) : NULL;
	if (new_dir && transcript_id_exists(new_dir, args->session_id))
		return run_fail(r, EXIT_INPUT, "FatalInputError",
				"Error starting session: Session ID \"%s\" already exists. Use "
				"--resume to resume it, or provide a different ID.",
				args->session_id);
	return EXIT_OK;
}
