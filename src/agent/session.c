#include "agent/session.h"

#include "agent/session_impl.h"
#include "agent/tell.h"
#include "base/env.h"
#include "base/json_pack.h"
#include "base/vec.h"
#include "model/alias.h"
#include "os/clock.h"
#include "os/fd.h"

/* ---- from the tools and the context, back to the session ---- */

/* Tools may run at the same time, and a provider answers one request at a time. */
static int ask_for_tool(void *data, const struct json *request, struct arena *a,
			const struct json **ret_response, struct cancel *cancel, struct err *err)
{
	struct session *s = data;
	struct model_request rq = {
		.model = s->o.model,
		.contents = json_getz(request, "contents"),
		.system = json_getz(request, "systemInstruction"),
		.tools = json_getz(request, "tools"),
		.config = json_getz(request, "generationConfig"),
	};
	int r;

	(void)cancel;
	(void)pthread_mutex_lock(&s->asking);
	r = session_ask_model(s, "utility_tool", &rq, a, ret_response, err);
	(void)pthread_mutex_unlock(&s->asking);
	return r;
}

static void note_of_context(void *data, enum note_kind kind, const char *text)
{
	session_note(data, kind, "%s", text);
}

/* Hooks are told when the session can fire. */
static void note_loaded(void *data, const char *path, const char *parent)
{
	struct session *s = data;

	*VEC_ADD(&s->loaded) = (struct loaded){ xstrdup(path), parent ? xstrdup(parent) : NULL };
}

/* ---- birth ---- */

static void note_problem(struct session *s, const char *what, const struct err *err)
{
	session_note(s, NOTE_WARNING, "%s: %s", what, err->text);
}

/* Fails only when there is nothing to go on from. */
static int open_transcript(struct session *s, struct err *ret_err)
{
	struct err err;
	AUTO(free) char *dir =
		s->o.unrecorded ? NULL : transcript_dir(s->o.home, s->o.project, &err);
	const struct json *history = NULL;

	if (s->o.unrecorded)
		return 0;

	if (s->o.resume_path) {
		s->transcript = transcript_resume(s->o.resume_path, &s->arena, &history, &err);
		for (size_t i = 0; history && i < history->n; i++)
			(void)history_add(s, json_at(history, i));
		s->prompt_tokens = transcript_tokens(s->transcript);
	} else {
		if (dir)
			s->transcript = transcript_new(dir, s->o.project, s->id, &err);
	}
	session_activate_again(s);
	if (s->transcript) {
		transcript_retention(dir, s->o.settings, s->id);
		return 0;
	}
	if (s->o.resume_path)
		return err_set(ret_err, err.code, "%s", err.text);
	note_problem(s, "This session is not recorded", &err);
	return 0;
}

/* What the user refers to needs no tool, but a server that is denied stays so. */
static bool may_read(void *data, const char *server)
{
	const struct session *s = data;

	return !policy_denies_server(s->o.policy, server);
}

static void tell_model_about(struct session *s)
{
	s->context = (struct context_options){
		.home = s->o.home,
		.cwd = s->o.cwd,
		.project = s->o.project,
		.temp_dir = s->temp_dir,
		.roots = s->o.roots,
		.env = s->o.env,
		.settings = s->o.settings,
		.seen = s->seen,
		.extension_files = s->o.extension_files,
		/* What the policy does not let the model activate is of no use to it. */
		.skills = tool_offered(s, session_tool(s, STR("activate_skill"))) ? s->o.skills
										  : NULL,
		.trusted = s->o.trusted,
		.interactive = s->o.interactive,
		.notes = { note_of_context, s },
		.loaded = note_loaded,
		.mcp = s->o.mcp,
		.cancel = s->halt->work,
		.may_read = may_read,
		.withheld = session_withheld,
	};
	s->instruction = context_system(&s->arena, &s->context);
	session_set_system(s);
	s->context_part = text_part(&s->arena, context_session(&s->arena, &s->context));
	s->context_part = json_with_text(&s->arena, s->context_part);
}

/* Plans belong to a session: another id, another directory. */
static void name_plans(struct session *s)
{
	free(s->plans_dir);
	s->plans_dir = s->temp_dir ? xasprintf("%s/%s/plans", s->temp_dir, s->id) : NULL;
	s->tools.plans_dir = s->plans_dir;
}

/* The policy of plan mode, and what the model is told of it, name the directory. */
static void move_plans(struct session *s)
{
	struct err err;

	name_plans(s);
	if (s->o.mode == MODE_PLAN && s->o.change_mode &&
	    s->o.change_mode(s->o.change_data, s, mode_name(s->o.mode), &err) < 0)
		session_note(s, NOTE_WARNING, "No plans can be written: %s", err.text);
}

static void show_progress(void *data, const char *line)
{
	const struct agent_sink *sink = &((struct session *)data)->o.sink;

	if (sink->progress)
		sink->progress(sink->data, line);
}

static void show_output(void *data, const char *id, struct str piece)
{
	const struct session *s = data;
	const struct agent_sink *sink = &s->o.sink;

	if (sink->output && !s->tools.guarded)
		sink->output(sink->data, id, piece);
}

/* What tools may use, and those that are this session's own. */
static void set_tools(struct session *s)
{
	session_make_toolbox(s);
	s->tools = (struct tool_env){
		.cwd = s->o.cwd,
		.roots = s->o.roots,
		.temp_dir = s->temp_dir,
		.sandbox = s->o.sandbox,
		.plans_dir = s->plans_dir,
		.home = s->o.home,
		.env = s->o.tool_env ? s->o.tool_env : s->o.env,
		.settings = s->o.settings,
		.background = background_new(),
		.interactive = s->o.interactive,
		.skills = s->o.skills,
		.agents = s->o.agents,
		.run_agent = session_run_agent,
		.agent_data = s,
		.mcp = s->o.mcp,
		.progress = show_progress,
		.output = show_output,
		.ask_user = s->o.sink.questions,
		.ask_user_data = s->o.sink.data,
		.progress_data = s,
		.elicit = session_elicit,
		.elicit_data = s,
		/* Only Gemini searches the web and reads pages by itself. */
		.ask_model = s->o.take_provider->foreign ? NULL : ask_for_tool,
		.ask_data = s,
	};
}

struct session *session_new(const struct session_options *o, struct err *err)
{
	struct session *s = xcalloc(1, sizeof *s);
	char id[TRANSCRIPT_ID_SIZE];
	struct err why;

	s->o = *o;
	s->halt = o->halt;
	s->late = o->sink;
	if (pthread_mutex_init(&s->asking, NULL) || pthread_mutex_init(&s->telling, NULL))
		BUG();
	transcript_id_new(id);
	s->id = xstrdup(o->session_id ? o->session_id : id);
	s->memory = &s->arena;
	s->seen = context_seen_new();
	s->loops_allowed =
		json_is_true(json_pointer(o->settings, STR("/model/disableLoopDetection")));
	stats_start(&s->stats);
	/* Its directory is also where tools keep what is too long for the model. */
	s->temp_dir = project_temp_dir(s->o.home, s->o.project, &why);
	if (!s->temp_dir)
		note_problem(s, "No temporary directory can be made", &why);
	if (open_transcript(s, err) < 0) {
		session_free(s);
		return NULL;
	}
	if (o->resume_path) {
		free(s->id);
		s->id = xstrdup(transcript_session_id(s->transcript));
	}
	s->trace = trace_new(env_get(o->env, "GEMINI_CONTEXT_TRACE_DIR"), s->id);
	name_plans(s);
	s->mode_since_us = clock_us();
	hook_hosts_session(s->o.hosts, s);
	set_tools(s);
	tell_model_about(s);
	if (o->session_id && strcmp(s->id, o->session_id) != 0)
		move_plans(s);
	return s;
}

void session_free(struct session *s)
{
	if (!s)
		return;
	(void)asides_finish(&s->asides, 0);
	hook_hosts_session(s->o.hosts, NULL);
	background_free(s->tools.background);
	if (s->tools.shell_setup > 0)
		fd_close(&s->tools.shell_setup);
	hook_env_done(&s->hook_env);
	toolbox_unref(s->toolbox);
	transcript_free(s->transcript);
	trace_free(s->trace);
	context_seen_free(s->seen);
	stats_done(&s->stats);
	provider_free(s->o.take_provider);
	(void)pthread_mutex_destroy(&s->asking);
	buf_done(&s->start_context);
	buf_done(&s->error);
	(void)pthread_mutex_destroy(&s->telling);
	buf_done(&s->told);
	free(s->history.p);
	free(s->opened.p);
	free(s->active.p);
	session_forget_loaded(s);
	todos_done(&s->todos);
	watching_done(&s->watching);
	buf_done(&s->woken.text);
	buf_done(&s->woken.wrapped);
	free(s->loaded.p);
	free(s->shells.p);
	free(s->temp_dir);
	free(s->plans_dir);
	free(s->id);
	arena_done(&s->arena);
	free(s);
}

/* ---- its events ---- */

void session_clear(struct session *s)
{
	char id[TRANSCRIPT_ID_SIZE];

	session_fire_last(s, "clear");
	transcript_id_new(id);
	free(s->id);
	s->id = xstrdup(id);
	transcript_free(s->transcript);
	s->transcript = NULL;
	s->o.resume_path = NULL;
	history_clear(s);
	buf_clear(&s->start_context);
	s->shells.n = 0;
	todos_done(&s->todos);
	s->requests = 0;
	telemetry_session(s->o.telemetry, s->id);
	(void)open_transcript(s, NULL);
	move_plans(s);
	session_start(s, "clear");
}

int session_resume(struct session *s, const char *path, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *history = NULL;
	struct transcript *t = transcript_resume(path, &a, &history, err);

	if (!t)
		return -E_IO;
	session_fire_last(s, "other");
	transcript_free(s->transcript);
	s->transcript = t;
	free(s->id);
	s->id = xstrdup(transcript_session_id(t));
	history_clear(s);
	buf_clear(&s->start_context);
	s->shells.n = 0;
	todos_done(&s->todos);
	for (size_t i = 0; history && i < history->n; i++)
		(void)history_add(s, json_at(history, i));
	session_activate_again(s);
	s->prompt_tokens = transcript_tokens(t);
	s->compress_failed_at = 0;
	telemetry_session(s->o.telemetry, s->id);
	move_plans(s);
	session_start(s, "resume");
	return 0;
}

/* ---- a prompt ---- */

void turn_begin(struct turn *t, struct session *s)
{
	*t = (struct turn){ .s = s };
	t->added = json_new_arr(&t->arena, NULL, 0);
	s->prompts++;
	buf_clear(&s->error);
	t->prompt_id = s->o.interactive
			       ? arena_printf(&t->arena, "%s########%u", s->id, s->prompts).p
			       : s->id;
	(void)snprintf(t->id, sizeof t->id, "%.60s########%u", s->id, s->prompts);
	s->turn = t;
}

static void add_part(struct turn *t, const char *type, const char *source, struct str text,
		     struct buf *out)
{
	t->added = json_append(&t->arena, t->added,
			       json_pack(&t->arena, "type:z source:z text:s", type, source, text));
	buf_addf(out, "%s%.*s", out->n ? "\n\n" : "", STR_ARG(text));
}

struct str turn_typed(struct turn *t, struct str prompt)
{
	struct arena *a = &t->arena;
	struct session *s = t->s;
	AUTO(buf_done) struct buf out = { 0 };
	struct str context;

	t->typed = tool_clean(a, prompt);
	session_hear_late(s);
	context = session_context_once(s, a);
	if (context.n)
		add_part(t, "hook_context", "SessionStart", context, &out);
	for (size_t i = 0; i < s->shells.n; i++)
		add_part(t, "shell", "!", s->shells.p[i], &out);
	s->shells.n = 0;
	if (out.n && t->typed.n)
		buf_addz(&out, "\n\n");
	return arena_str(a, buf_str(&out));
}

enum end turn_prompt(struct turn *t, const struct json *parts, struct err *err)
{
	struct session *s = t->s;
	struct tl_settings hooks = TL_SETTINGS_INIT();
	struct str text;
	enum end end;

	s->o.sink.user(s->o.sink.data, parts_text(&t->arena, parts));
	tell_prompt(t, json_get_str(json_at(parts, 0), "text"));
	/* Somebody may have ended the waiting for a server. */
	if (halt_fired(s->halt))
		return END_CANCELLED;
	end = turn_run(t, parts, err);
	tl_hooks_settings(session_hooks(s), &hooks);
	for (int i = 0;
	     i < hooks.max_retries && end == END_DONE && session_is_woken(s, &t->arena, &text); i++)
		end = turn_go_on(t, text, err);
	s->woken.left = hooks.max_retries;
	return end;
}

enum end turn_go_on(struct turn *t, struct str text, struct err *err)
{
	if (t->s->o.sink.verdict)
		t->s->o.sink.verdict(t->s->o.sink.data, ANSWER_FOLLOWS);
	t->retry = true;
	t->added = json_append(
		&t->arena, NULL,
		json_pack(&t->arena, "type:z source:z text:s", "feedback", "async", text));
	return turn_run(t, text_parts(&t->arena, text), err);
}

void turn_end(struct turn *t)
{
	t->s->turn = NULL;
	session_check(t->s);
	session_look_at_files(t->s);
	arena_done(&t->arena);
}

enum end session_prompt(struct session *s, struct str prompt, struct err *err)
{
	const struct json *parts;
	struct str before;
	enum end end;
	struct turn t;

	session_look_at_files(s);
	turn_begin(&t, s);
	before = turn_typed(&t, prompt);
	parts = context_prompt_parts(&t.arena, &s->context, before, t.typed, &t.added);
	session_tell_loaded(s, "nested_traversal", NULL);
	end = turn_prompt(&t, parts, err);
	turn_end(&t);
	return end;
}

bool session_wake(struct session *s, enum end *ret_end, struct err *err)
{
	struct turn t;
	struct str text;

	session_look_at_files(s);
	if (!s->woken.text.n)
		return false;
	turn_begin(&t, s);
	text = arena_str(&t.arena, buf_str(&s->woken.text));
	buf_clear(&s->woken.text);
	buf_clear(&s->woken.wrapped);
	s->woken.left--;
	t.typed = STR("");
	session_note(s, NOTE_INFO, "A hook that ran in the background wants the model to go on.");
	*ret_end = turn_go_on(&t, text, err);
	turn_end(&t);
	return true;
}

/* ---- small questions ---- */

const char *session_error(const struct session *s)
{
	return buf_z((struct buf *)&s->error);
}

void session_set_halt(struct session *s, const struct halt *halt)
{
	s->halt = halt;
	s->context.cancel = halt->work;
}

const char *session_id(const struct session *s)
{
	return s->id;
}

const char *session_transcript(const struct session *s)
{
	return transcript_path(s->transcript);
}

const char *session_model(const struct session *s)
{
	return s->o.model;
}

struct stats *session_stats(struct session *s)
{
	return &s->stats;
}

/* ---- for commands of the user ---- */

void session_set_model(struct session *s, const char *model)
{
	const char *name = s->o.take_provider->foreign ? model : model_alias(model);

	s->o.model = arena_z(&s->arena, str_from(name));
	s->prompt_tokens = 0;
}

void session_set_hooks(struct session *s, struct tl_hooks *hooks, const char *const *reaper)
{
	s->o.hooks = hooks;
	s->o.reaper = reaper;
	session_watch(s);
}

void session_set_unmuted(struct session *s, struct tl_hooks *unmuted, int64_t at_us)
{
	s->o.unmuted = unmuted;
	s->o.unmute_at_us = at_us;
}

void session_set_skills(struct session *s, const struct skills *skills)
{
	s->o.skills = s->tools.skills = skills;
	session_watch(s);
	session_make_toolbox(s);
	session_reload_context(s);
}

void session_reload_context(struct session *s)
{
	context_seen_free(s->seen);
	s->seen = context_seen_new();
	tell_model_about(s);
	session_tell_loaded(s, "session_start", NULL);
}

void session_set_roots(struct session *s, const char *const *roots, const char *added)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct tl_field field = field_str(&a, "directory", str_from(added));

	s->o.roots = s->tools.roots = roots;
	session_reload_context(s);
	tl_outcome_free(session_fire(s, &(struct fire_args){ .event = "DirectoryAdded",
							     .subject = "slash_command",
							     .fields = &field,
							     .nfields = 1 }));
}

const struct json *session_conversation(const struct session *s, struct arena *a)
{
	return json_dup(a, json_new_arr(a, s->history.p, s->history.n));
}

int64_t session_tokens(const struct session *s)
{
	return s->prompt_tokens;
}

struct str session_memory(struct session *s, struct arena *a)
{
	return arena_printf(a, "%.*s\n%.*s", STR_ARG(parts_text(a, json_getz(s->system, "parts"))),
			    STR_ARG(json_get_str(s->context_part, "text")));
}
