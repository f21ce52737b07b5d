/*
 * What an agent waits for is an answer, whatever happens to us: the words for the worst are set
 * before anything that can fail, and get better as more is known.
 */
#include "hosts/dispatch.h"
#include "base/meant.h"

#include <stdio.h>
#include <unistd.h>

#include "base/options.h"
#include "base/path.h"
#include "hosts/answer.h"
#include "hosts/concern.h"
#include "hosts/history.h"
#include "hosts/load.h"
#include "hosts/stops.h"
#include "os/clock.h"
#include "os/fd.h"
#include "os/last_words.h"
#include "settings/home.h"

enum {
	DEFAULT_TIMEOUT_MS = 60000, /* where the agent waits for ever */
	/* Between our end and the agent's: a busy machine starts us late. */
	LATE_MS = 500,
	/* Between the hooks' end and ours: some do not end when they are told to. */
	ENDING_MS = 2500,
	SMALLEST_MS = 100,
};
#define PAYLOAD_MAX ((size_t)64 << 20)

struct dispatch_args {
	int64_t timeout;
	const char *home;
	bool no_record, help;
};

static const struct opt opts[] = {
	{ "timeout", 't', "MS", OPT_INT, offsetof(struct dispatch_args, timeout),
	  "how long the agent waits, in milliseconds, if that is not its usual time" },
	{ "home", 0, "DIR", OPT_STR, offsetof(struct dispatch_args, home),
	  "the home directory whose settings count, whatever HOME says" },
	{ "no-record", 0, NULL, OPT_FLAG, offsetof(struct dispatch_args, no_record),
	  "do not add this firing to the records" },
	{ "help", 'h', NULL, OPT_FLAG, offsetof(struct dispatch_args, help), "show this text" },
};

/* The one call that this process is for.  It is never freed: the process ends with it. */
static struct {
	struct dispatch_args args;
	struct host_call call;
	const struct host *host;
	int64_t start_us;
	unsigned wait_ms; /* the agent's patience */
	char *home; /* NULL = not looked for, "" = none */
	char id[HISTORY_ID_SIZE];
	bool guarded; /* a guard might deny this call */
	struct tl_hooks
		*hooks[HOST_ROOTS_MAX]; /* of each folder of the workspace that has settings */
	struct tl_outcome **outcomes;
} d;

/* Two texts with their newlines, as the agent is to read them. */
static const struct last_words *words_of(const struct host_answer *answer)
{
	struct arena *a = &d.call.arena;
	struct last_words *w = ARENA_NEW(a, struct last_words);

	*w = (struct last_words){ .status = answer->status };
	if (answer->out.n)
		w->out = arena_printf(a, "%.*s\n", STR_ARG(answer->out));
	if (answer->err.n)
		w->err = arena_printf(a, "%.*s\n", STR_ARG(answer->err));
	/* An agent that hears nothing goes on as if there had been nothing to say. */
	if (answer->binding && !answer->status) {
		w->unheard = STR("trotline: the answer of the hooks could not be written\n");
		w->unheard_status = HOST_DENIED;
	}
	return w;
}

/* A denial, where there can be one. */
static const struct last_words *denial(const char *what, const char *why)
{
	struct host_answer answer;

	host_deny(&d.call,
		  arena_printf(&d.call.arena, "trotline %s%s%s", what, *why ? ": " : "", why),
		  &answer);
	return words_of(&answer);
}

/* ---- an end that is refused for ever (C8.8) ---- */

enum { STOPS_MAX = 8 };

/* The user's settings are there, and the counts of refused ends. */
static const char *home(void)
{
	if (!d.home && home_installed(d.args.home, (const char *const *)environ, &d.home, NULL) < 0)
		d.home = xstrdup("");
	return d.home;
}

/*
 * Is this one refusal too many?  A prompt, the session's end and an end that is not refused start
 * the count anew.
 */
static bool ends_now(bool denied)
{
	struct tl_settings set = TL_SETTINGS_INIT(.max_retries = STOPS_MAX);
	enum host_kind kind = host_kind_of(&d.call);
	struct str session = host_session(&d.call);
	bool ending = kind == KIND_STOP || kind == KIND_AGENT_STOP;
	unsigned n;

	/* Each sub-agent's end is one of its own. */
	if (kind == KIND_AGENT_STOP && d.call.n && d.call.events->agent_id)
		session = arena_printf(&d.call.arena, "%.*s/%s", STR_ARG(session),
				       d.call.events->agent_id);
	if (!ending || !denied) {
		if (ending || kind == KIND_PROMPT || kind == KIND_END)
			stops_forget(home(), session);
		return false;
	}
	if (d.hooks[0])
		tl_hooks_settings(d.hooks[0], &set);
	n = stops_add(home(), session);
	/* Without a count only what the agent says tells the first refusal from the next. */
	if (n ? n <= (unsigned)set.max_retries : d.call.payload && !host_is_stopping_again(&d.call))
		return false;
	stops_forget(home(), session);
	return true;
}

/* The agent may end; its user learns why it was not to. */
static const struct last_words *ending(const struct last_words *denied)
{
	struct last_words *w = ARENA_NEW(&d.call.arena, struct last_words);

	*w = (struct last_words){
		.err = arena_printf(&d.call.arena,
				    "trotline: the end was refused too often in a row; it goes on: "
				    "%.*s",
				    STR_ARG(denied->err))
	};
	return w;
}

/* What cannot be kept is no reason for another answer. */
static bool is_recorded(void)
{
	return !d.args.no_record && *home();
}

static _Noreturn void fail(const char *what, const char *why)
{
	const struct last_words *w = denial(what, why);

	last_words_set(w);
	if (w->err.n && is_recorded() &&
	    history_keep_bare(&d.call, home(),
			      arena_printf(&d.call.arena, "trotline %s: %s", what, why), NULL) > 0)
		w = denial(what, why);
	last_words_end(w->err.n && ends_now(true) ? ending(w) : w);
}

static const char end_text[] =
	"was interrupted, crashed or ran out of time before the hooks had decided; to see why, run "
	"trotline hooks report";

/* ---- what is asked ---- */

static struct str read_payload(void)
{
	static struct buf all;
	ssize_t n;

	do
		n = fd_read(STDIN_FILENO, &all, buf_room(&all, 64 << 10));
	while (n > 0 && all.n <= PAYLOAD_MAX);
	if (n < 0)
		fail("cannot read the payload", strerror((int)-n));
	if (all.n > PAYLOAD_MAX)
		fail("cannot read the payload", "it is larger than 64 MiB");
	return buf_str(&all);
}

/*
 * The projects are those of the directories which are in one: as the agent's environment names it,
 * as the payload does, our own.  A command that changes its directory can add one, and takes none
 * away.
 */
static void load(void)
{
	struct err bad;
	const char *dirs[HOST_ROOTS_MAX + 1] = { NULL }, *dir;
	const struct host_load l = { .home = home(),
				     .cwd = d.call.cwd,
				     .dirs = dirs,
				     .once = true,
				     .reads = d.host->reads };
	struct tl_err err;
	size_t n = 0;
	int r;

	if (!*home() && d.args.home && home_installed(d.args.home, NULL, &d.home, &bad) < 0)
		fail("cannot use its settings", bad.text);
	dir = d.host->project_env ? getenv(d.host->project_env) : NULL;
	if (dir)
		dirs[n++] = dir;
	for (size_t i = 0; (dir = host_dir(&d.call, i)); i++) {
		if (n == HOST_ROOTS_MAX)
			fail("cannot use its settings", "the workspace has more than 16 folders");
		dirs[n++] = dir;
	}
	r = host_load_all(&l, d.hooks, &err);
	if (r < 0)
		fail("cannot use its settings", err.text);
	d.call.snapshots = (size_t)r;
}

/* For the user: what these hooks' diagnostics of one kind say. */
static void tell(const struct tl_hooks *hooks, const char *code)
{
	struct tl_diagnostic diag = TL_DIAGNOSTIC_INIT();
	struct arena *a = &d.call.arena;

	for (size_t i = 0; tl_hooks_diagnostic_get(hooks, i, &diag) == 0; i++)
		if (strcmp(diag.code, code) == 0)
			d.call.notice =
				arena_printf(a, "%.*s%strotline: %s", STR_ARG(d.call.notice),
					     d.call.notice.n ? "\n" : "", diag.text);
}

/* A hook that was approved and that a model may have taken out: told with the next prompt. */
static void look_for_gone(const struct tl_hooks *hooks)
{
	struct tl_options o = TL_OPTIONS_INIT(.home = tl_hooks_home(hooks),
					      .project_dir = tl_hooks_project_dir(hooks));
	struct tl_hooks *all;

	/* Of files that are nothing to us it does not matter what is wrong with them. */
	if (tl_hooks_load(&o, &all, NULL) < 0)
		return;
	tell(all, "approved-hook-gone");
	tl_hooks_unref(all);
}

/* The files that these hooks' matchers of FileChanged name: names in the current directory. */
static void look_for_watched(const struct tl_hooks *hooks)
{
	struct arena *a = &d.call.arena;

	for (size_t i = 0; d.call.cwd && i < tl_hooks_count(hooks); i++) {
		struct tl_hook h = TL_HOOK_INIT();
		struct str rest, name;

		(void)tl_hooks_get(hooks, i, &h);
		if (h.state != TL_STATE_WOULD_RUN || strcmp(h.moment, "FileChanged") != 0)
			continue;
		rest = str_from(h.matcher);
		while (path_next_name(&rest, &name))
			d.call.watched =
				json_append(a, d.call.watched,
					    json_new_str(a, arena_printf(a, "%s/%.*s", d.call.cwd,
									 STR_ARG(name))));
	}
}

static bool is_listened_to(const char *moment)
{
	for (size_t i = 0; i < d.call.snapshots; i++)
		for (size_t k = 0; k < tl_hooks_count(d.hooks[i]); k++) {
			struct tl_hook h = TL_HOOK_INIT();

			(void)tl_hooks_get(d.hooks[i], k, &h);
			if (strcmp(h.moment, moment) == 0)
				return true;
		}
	return false;
}

/* Calls that ran although nothing here was asked about them: of sub-agents, while we were away. */
static void look_for_unasked(void)
{
	struct host_named call;

	if (!host_names_calls(d.host) || !is_recorded() || !is_listened_to("BeforeTool"))
		return;
	for (size_t i = 0; host_ended(&d.call, i, &call); i++)
		if (call.id.n && !history_knows_call(&d.call, home(), call.id))
			(void)history_keep_unasked(&d.call, home(), &call, NULL);
}

/* A hook that does not run is not passed over in silence. */
static void look_at_hooks(void)
{
	host_kinds on = host_on(host_kind_of(&d.call));

	for (size_t i = 0; i < d.call.snapshots; i++) {
		if (on & ON(START))
			tell(d.hooks[i], "handler-not-run");
		if (on & (ON(START) | ON(PROMPT)))
			look_for_gone(d.hooks[i]);
		if (on & (ON(START) | ON(FILE)))
			look_for_watched(d.hooks[i]);
	}
}

/* ---- the hooks ---- */

static unsigned left_ms(void)
{
	int64_t used = (clock_us() - d.start_us) / 1000 + ENDING_MS + LATE_MS;
	int64_t left = (int64_t)d.wait_ms - used;

	/* An agent that waits only so long has half of it for the hooks. */
	if (left < (int64_t)d.wait_ms / 2)
		left = (int64_t)d.wait_ms / 2 - (clock_us() - d.start_us) / 1000;
	return left > SMALLEST_MS ? (unsigned)left : SMALLEST_MS;
}

static size_t fire(void)
{
	size_t n = 0, all = d.call.n * d.call.snapshots;
	bool denied = false;

	d.outcomes = ARENA_ARRAY(&d.call.arena, struct tl_outcome *, all + 1);
	while (n < all && !denied) {
		struct tl_hooks *hooks = d.hooks[n % d.call.snapshots];
		struct tl_event *e = &d.call.events[n / d.call.snapshots];
		struct tl_outcome *o;
		struct host_answer *answer;
		struct tl_err err;

		e->timeout_ms = left_ms();
		if (tl_fire(hooks, e, NULL, &o, &err) < 0)
			fail("cannot ask the hooks", err.text);
		d.outcomes[n++] = o;
		/* What is known is said whatever happens next, unless a guard has to be asked. */
		answer = ARENA_NEW(&d.call.arena, struct host_answer);
		host_answer(&d.call, d.outcomes, n, answer);
		denied = answer->denied;
		if (denied || !d.guarded || n == all)
			last_words_set(words_of(answer));
		if (is_recorded() && tl_outcome_report_count(o))
			(void)history_keep_call(&d.call, tl_hooks_home(hooks), o, NULL);
	}
	return n;
}

/* ---- the program ---- */

static void print_help(void)
{
	AUTO(buf_done) struct buf text = { 0 };

	buf_addz(&text,
		 "Usage: trotline hook [OPTIONS] AGENT [EVENT] <PAYLOAD\n\n"
		 "The hook that is installed in other agents: reads the agent's payload on "
		 "stdin, runs\nthe hooks of trotline's settings (and of those that "
		 "\"sources\" names), and answers in\nthe agent's words.  EVENT is for agents "
		 "whose payload does not name it.\nTo install it: trotline hooks install "
		 "--into AGENT.  By hand:\n\n"
		 "  echo '{\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Bash\",\n"
		 "    \"tool_input\":{\"command\":\"rm -rf ~\"}}' | trotline hook claude\n"
		 "\nAgents:\n");
	for (size_t i = 0; i < hosts_n; i++)
		buf_addf(&text, "  %-12s %s\n", hosts[i]->name, hosts[i]->title);
	buf_addc(&text, '\n');
	opt_help(&text, opts, ARRAY_LEN(opts), 80);
	(void)fputs(buf_z(&text), stdout);
}

/* An agent that passes what it does not understand must hear this, too. */
static _Noreturn void bad_usage(const char *text)
{
	(void)fprintf(stderr, "trotline hook: %s\ntrotline hook --help lists the agents.\n", text);
	exit(HOST_DENIED);
}

static const char *read_args(int argc, char **argv)
{
	struct err err;
	int n;

	if (opt_parse(opts, ARRAY_LEN(opts), &d.args, argc, argv, &n, &err) < 0)
		bad_usage(err.text);
	if (d.args.help) {
		print_help();
		exit(0);
	}
	d.host = n ? host_find(str_from(argv[0])) : NULL;
	if (!n)
		bad_usage("it needs the name of an agent");
	if (!d.host) {
		const char *meant = host_nearest(str_from(argv[0]));

		bad_usage(arena_printf(&d.call.arena, "no agent is called \"%s\"%s", argv[0],
				       meant_as("", meant).text)
				  .p);
	}
	if (n > 2)
		bad_usage("too many arguments");
	return n > 1 ? argv[1] : NULL;
}

static void keep_deadline(struct str event)
{
	unsigned wait = host_timeout_ms(d.host, event);
	struct err err;

	wait = wait ? wait : DEFAULT_TIMEOUT_MS;
	d.wait_ms =
		d.args.timeout > 0 && d.args.timeout < 86400000 ? (unsigned)d.args.timeout : wait;
	/* 0 would be no deadline. */
	if (last_words_arm(d.wait_ms > 2 * LATE_MS ? d.wait_ms - LATE_MS : d.wait_ms / 2 + 1,
			   &err) < 0)
		fail("cannot keep its own deadline", err.text);
}

_Noreturn void host_dispatch(int argc, char **argv)
{
	static const struct host_answer nothing;
	const char *event = read_args(argc, argv);
	struct host_answer answer;
	struct err err;

	d.call.event = event ? host_event_find(d.host, str_from(event)) : NULL;
	d.start_us = clock_us();
	d.call.host = d.host;
	d.call.env = (const char *const *)environ;
	history_id(d.id);
	d.call.id = d.id;
	last_words_set(denial(end_text, ""));
	keep_deadline(STR(""));
	if (host_call_read(&d.call, d.host, event, read_payload(), &err) < 0)
		fail("cannot read the payload", err.text);
	last_words_set(denial(end_text, ""));
	if (host_timeout_ms(d.host, d.call.called) != d.host->timeout_ms)
		keep_deadline(d.call.called);
	if (!d.call.n) {
		if (!d.call.event && is_recorded())
			(void)history_keep_bare(&d.call, home(), STR(""), NULL);
		host_answer(&d.call, NULL, 0, &answer);
		last_words_end(words_of(&answer));
	}
	load();
	look_at_hooks();
	look_for_unasked();
	for (size_t i = 0; i < d.call.snapshots; i++)
		if (host_check_whole(&d.call, d.hooks[i], &err) < 0)
			fail("cannot judge this", err.text);
	for (size_t i = 0; i < d.call.snapshots; i++)
		d.guarded |= host_has_guard(&d.call, d.hooks[i]);
	if (!d.guarded)
		last_words_set(words_of(&nothing));
	host_answer(&d.call, d.outcomes, fire(), &answer);
	last_words_end(ends_now(answer.denied) ? ending(words_of(&answer)) : words_of(&answer));
}
