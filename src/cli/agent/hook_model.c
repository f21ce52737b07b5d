/*
 * The model of hooks that ask one, where no session is: `trotline hooks run`, `test`, and the
 * reaper of a session's end.  It is set up as for `trotline -p`; what that would print is not
 * printed, and the reason why it cannot be is the hook's.
 */
#include "cli/agent/agent_run.h"

struct hook_model {
	struct run run;
	struct agent_options args;
	struct halt halt;
	FILE *nowhere;
	char failure[400];
};

static void keep_failure(struct output *o, const struct run_end *end, const struct stats *stats)
{
	struct hook_model *m =
		(struct hook_model *)((char *)o - offsetof(struct hook_model, run.out));

	(void)stats;
	(void)snprintf(m->failure, sizeof m->failure, "%s", end->message ? end->message : "");
}

static bool drop_note(struct output *o, enum note_kind kind, struct str text)
{
	(void)o;
	(void)kind;
	(void)text;
	return true;
}

static const struct output_form silent = { .note = drop_note, .end = keep_failure };

static int set_up(struct hook_model *m, struct err *err)
{
	static int (*const steps[])(struct run *) = { setup_configuration, setup_skills, setup_mode,
						      setup_model };
	struct run *r = &m->run;

	for (size_t i = 0; i < ARRAY_LEN(steps); i++)
		if (steps[i](r) != EXIT_OK)
			return err_set(err, E_NOTFOUND, "no model to ask: %s", m->failure);
	setup_roots(r);
	/* The hook's tools only read files. */
	r->settings = json_without(&r->arena, r->settings, STR("mcpServers"));
	r->policy = run_policy(r, r->mode, err);
	if (r->policy)
		r->session = run_make_session(r, output_sink(&r->out), &m->halt, err);
	return r->session ? 0 : -E_CONFIG;
}

struct session *hook_model_open(struct wb *wb, struct err *err)
{
	struct hook_model *m = xcalloc(1, sizeof *m);

	wb->model = m;
	m->args = (struct agent_options){ .model = wb->model_name,
					  .fake_responses_non_strict = wb->recorded_model,
					  .skip_trust = wb->load_flags & TL_LOAD_TRUST,
					  .no_project_hooks = wb->load_flags & TL_LOAD_NO_PROJECT };
	if (!halt_init(&m->halt) || !(m->nowhere = fopen("/dev/null", "we"))) {
		(void)err_set(err, E_LIMIT, "no model to ask: no file can be opened");
		hook_model_close(wb);
		return NULL;
	}
	run_begin(
		&m->run, &m->args, &m->halt,
		&(struct output_options){ .form = &silent, .out = m->nowhere, .err = m->nowhere });
	m->run.unrecorded = true;
	if (wb->dirs.cwd && wb->dirs.cwd[0] == '/')
		m->run.cwd = wb->dirs.cwd;
	if (set_up(m, err) == 0)
		return m->run.session;
	hook_model_close(wb);
	return NULL;
}

void hook_model_close(struct wb *wb)
{
	struct hook_model *m = MOVE(wb->model);

	if (!m)
		return;
	if (m->nowhere) {
		run_done(&m->run);
		(void)fclose(m->nowhere);
	}
	halt_done(&m->halt);
	free(m);
}
