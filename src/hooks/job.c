/*
 * One firing from the plan to the outcome: starts the hooks, keeps them supervised, judges them and
 * merges.  Written as steps that never wait; tl_fire() is the loop around them.
 *
 * Stages: first all hooks that are no guards, then the guards, on the input as the others left it
 * (C3.6).  In each stage the hooks run all at once, or one after another when any matched
 * definition says `sequential` (C4.12).
 */
#include <errno.h>
#include <poll.h>

#include "base/path.h"
#include "hooks/away.h"
#include "hooks/claude.h"
#include "hooks/handlers.h"
#include "hooks/job.h"
#include "hooks/launch.h"
#include "hooks/once.h"
#include "hooks/outcome.h"
#include "hooks/payload.h"
#include "hooks/persistent.h"
#include "hooks/policies.h"
#include "hooks/question.h"
#include "hooks/trust.h"
#include "hooks/warm.h"
#include "os/fd.h"
#include "secrets/secrets.h"

enum {
	GUARD_ROUNDS = 3, /* how often guards may change what they judge */
	RESULT_ENTRIES = 2,
};

enum run_state { RUN_WAITING, RUN_RUNNING, RUN_ENDED, RUN_DONE };

/* One hook that runs. */
struct run {
	size_t report; /* its index in the outcome */
	const struct hook *hook;
	enum run_state state;
	bool retried; /* with a shell, after ENOEXEC */
	struct proc *proc; /* its own, or that of the peer */
	struct proc own;
	struct away *away; /* whose own process this is, as it may go on without us; or NULL */
	struct tl_ask *ask; /* of a hook that is no process */
	struct peer *peer; /* a persistent hook's, until its answer is judged */
	enum peer_fate fate;
	struct payload question; /* what the peer is asked */
	const char *misfit; /* why what it said is no answer, or NULL */
	bool heard; /* its first line was looked at */
	bool told; /* its message, by job_hear() */
	unsigned noted; /* kinds of its lines that a diagnostic was made of */
	int64_t start_us;
	struct proc_spec spec;
	bool has_proc, warm; /* warm: it had been started ahead of time */
	uint64_t stamp; /* of its files when it was started */
	size_t nfds; /* of the last tl_job_fds() */
	struct ending end;
	const struct reply *asked; /* a guard's question in an earlier round, or NULL */
};

struct tl_job {
	struct firing f;
	struct tl_outcome *o;
	const struct plan *plan;
	struct run *runs; /* those that are no guards first, each in run order */
	size_t n, nplain; /* runs in all; how many are no guards */
	size_t from, to; /* the runs of this stage */
	unsigned rounds; /* of the guards' stage */
	unsigned judged; /* version of the input that this stage or round began with */
	bool done, cancelled, failed_to_agree;
	int64_t start_us;
	struct payload payloads[DIALECT_COUNT][RESULT_ENTRIES];
	const struct dialect_event *payload_event[DIALECT_COUNT][RESULT_ENTRIES];
};

/* ---- starting a hook ---- */

/* A payload depends on the dialect and on how it calls the event; at most two per dialect at a
 * moment. */
static struct payload *payload_for(struct tl_job *job, const struct hook *hook)
{
	size_t d = hook->dialect->id, k = 0;

	while (k + 1 < RESULT_ENTRIES && job->payload_event[d][k] &&
	       job->payload_event[d][k] != hook->as)
		k++;
	struct payload *p = &job->payloads[d][k];
	if (job->payload_event[d][k] != hook->as || p->version != job->f.version) {
		payload_make(p, &job->f, hook);
		job->payload_event[d][k] = hook->as;
	}
	return p;
}

/* It never runs, and its onFailure decides. */
static void not_started(struct run *run, const char *why)
{
	run->end = (struct ending){ .end = PROC_NOT_STARTED,
				    .not_started = why,
				    .out = STR(""),
				    .err = STR(""),
				    .result = STR("") };
	run->state = RUN_ENDED;
}

/* C7.4: what is started is what was looked at when the hooks were loaded. */
static bool script_changed(struct tl_job *job, struct run *run)
{
	const char *path = trust_changed_script(run->hook, &run->stamp);

	if (!path)
		return false;
	not_started(
		run,
		arena_printf(job->f.arena,
			     "its script %s changed since the hooks were loaded; look at "
			     "it%s and load them again",
			     path_shown(job->f.h->dirs.project, path),
			     *run->hook->fingerprint ? ", approve it (trotline hooks trust)" : "")
			.p);
	return true;
}

static void run_note(struct tl_job *job, const struct run *run, const char *code, const char *what)
{
	diag_add(&job->o->diags, TL_SEVERITY_WARNING, code, &run->hook->at, "hook \"%s\" %s",
		 hook_label(job->f.arena, run->hook), what);
}

static void let_go(struct tl_job *job, struct run *run)
{
	question_free(MOVE(run->ask));
	if (run->peer)
		peers_give(job->f.h->peers, MOVE(run->peer), run->fate);
	else if (run->has_proc)
		warm_leave(job->f.h, run->proc);
	away_free(MOVE(run->away));
	run->proc = &run->own;
	run->has_proc = false;
}

/* It is not waited for any longer: for this firing it has said nothing. */
static void go_away(struct tl_job *job, struct run *run, const struct json *line)
{
	if (line && job->f.event->id == EV_BEFORE_TOOL)
		run_note(job, run, "async-answer",
			 "answers asynchronously before a tool: it decides nothing");
	aways_take(job->f.h->aways, MOVE(run->away), line);
	run->proc = &run->own;
	run->has_proc = false;
	run->end = (struct ending){
		.end = PROC_EXITED,
		.exited = true,
		.out = STR(""),
		.err = STR(""),
		.result = STR(""),
		.elapsed_us = clock_us() - run->start_us,
	};
	run->state = RUN_ENDED;
}

/* True when it has said by now that it answers later. */
static bool went_away(struct tl_job *job, struct run *run, bool ended)
{
	const struct json *line;

	if (!run->away || run->heard)
		return false;
	line = away_line(run->away, ended, &run->heard);
	if (line)
		go_away(job, run, line);
	return line != NULL;
}

/* An answered question stays answered; whoever wrote the hook may not know of such an end. */
static void note_end(struct tl_job *job, const struct run *run, bool exited, int code)
{
	if (code && !run->peer->end_noted)
		run_note(job, run, "end-after-answer",
			 arena_printf(job->f.arena, "had answered when it ended with %s %d",
				      exited ? "exit" : "signal", code)
				 .p);
	run->peer->end_noted = true;
}

/* What is left of the time that the hook has for this firing, and the firing for all hooks. */
static int64_t time_left_ms(const struct tl_job *job, const struct run *run)
{
	int64_t now = clock_us(), ms = run->hook->timeout_ms - (now - run->start_us) / 1000;
	int64_t whole = job->f.in.timeout_ms - (now - job->start_us) / 1000;

	if (job->f.in.timeout_ms && whole < ms)
		ms = whole;
	return ms > 0 ? ms : 1;
}

/*
 * A process for a persistent hook, that is there and was asked, or is to be started (false).  Also
 * true when the hook has to rest, or its script has changed.
 */
static bool ask_peer(struct tl_job *job, struct run *run)
{
	struct payload *q = &run->question;
	const char *why;

	if (run->peer) /* of the try before */
		return false;
	run->peer = peers_take(job->f.h->peers, run->hook, job->f.session_id, job->f.arena, &why);
	if (!run->peer) {
		not_started(run, why);
		return true;
	}
	run->proc = &run->peer->proc;
	run->has_proc = true;
	payload_question(q, &job->f, run->hook, peer_seq(run->peer, job->f.in.seq));
	if (script_changed(job, run))
		return true;
	if (!proc_again(run->proc, q->pieces, q->n, time_left_ms(job, run)))
		return false;
	run->state = RUN_RUNNING;
	return true;
}

/* True when a process that was started ahead of time has got the payload (C6.9). */
static bool ask_warm(struct tl_job *job, struct run *run)
{
	run->warm = false;
	while (!run->warm && warm_take(&job->f, run->hook, &run->spec, run->stamp, run->proc)) {
		run->warm = proc_ask(run->proc, run->spec.input, run->spec.ninput,
				     time_left_ms(job, run));
		if (!run->warm)
			proc_done(run->proc);
	}
	return run->warm;
}

static void spawn(struct tl_job *job, struct run *run, bool with_shell)
{
	bool stays = run->hook->persistent;
	const char *why;

	if (stays && ask_peer(job, run))
		return;
	const struct payload *p = stays ? &run->question : payload_for(job, run->hook);
	why = launch_process(&job->f, run->hook, with_shell, &run->spec);
	if (why) {
		not_started(run, why);
		return;
	}
	run->spec.input = p->pieces;
	run->spec.ninput = p->n;
	run->spec.timeout_ms = time_left_ms(job, run);
	if (run->has_proc)
		proc_done(run->proc);
	run->has_proc = false;
	/* The words of a guard are waited for, whatever they are. */
	run->spec.may_stay = hook_goes_on(run->hook);
	if (!run->away && !stays &&
	    (run->spec.may_stay || (run->hook->dialect->words == WORDS_CLAUDE &&
				    !run->hook->guard && run->hook->on_failure <= FAIL_WARN)))
		run->away = away_new(run->hook, job->f.session_id);
	if (run->away)
		run->proc = away_proc(run->away);
	if (script_changed(job, run)) /* last, so that little time is left to change it */
		return;
	run->has_proc = true;
	if (!ask_warm(job, run))
		(void)proc_start(run->proc, &run->spec, NULL);
	run->state = RUN_RUNNING;
	if (run->spec.may_stay && run->proc->result.end == PROC_RUNNING)
		go_away(job, run, NULL);
}

static bool is_redacted(const struct tl_job *job)
{
	for (size_t i = 0; i < job->plan->n; i++)
		if (job->plan->states[i] == TL_STATE_WOULD_RUN && job->plan->hooks[i]->redacts)
			return true;
	return false;
}

/* What is no process is the host's business (C6.11): a question to it, or a function of it. */
static void ask_host(struct tl_job *job, struct run *run)
{
	struct str payload = payload_flat(payload_for(job, run->hook), job->f.arena);
	const struct handler *handler = run->hook->handler;
	AUTO(buf_done) struct buf left = { 0 };
	const char *why = NULL;

	/* A model is asked, and what a policy keeps from one it keeps from each (C9.8). */
	if (handler && handler->key == KEY_PROMPT && is_redacted(job)) {
		(void)secrets_redact(&left, payload, 0);
		payload = buf_str(&left);
	}
	if (run->hook->runtime) {
		run->end = runtime_call(run->hook, payload, job->f.arena);
		run->state = RUN_ENDED;
		return;
	}
	run->ask = question_ask(run->hook, &job->f, payload, &why);
	run->state = RUN_RUNNING;
	if (!run->ask)
		not_started(run, why);
}

static void run_start(struct tl_job *job, struct run *run)
{
	const struct hook *hook = run->hook;

	run->retried = false;
	run->fate = PEER_DROPPED;
	run->misfit = NULL;
	run->noted = 0;
	run->heard = false;
	run->start_us = clock_us();
	job->o->reports[run->report].saw = firing_changed_text(&job->f);
	if (hook->broken) {
		not_started(run, hook->broken);
	} else if ((hook->dialect->payload || hook->policy) && !firing_is_readable(&job->f)) {
		not_started(run, "its input cannot be read: no JSON, or nested too deeply");
	} else if (hook->if_rule && !claude_if_matches(hook, &job->f)) {
		job->o->reports[run->report].state = TL_STATE_NO_MATCH;
		job->o->reports[run->report].why = "its \"if\" rule does not match";
		run->state = RUN_DONE;
	} else if (hook->once && !once_take(job->f.h->once, hook, job->f.session_id)) {
		job->o->reports[run->report].state = TL_STATE_DISABLED;
		job->o->reports[run->report].why = "it runs once a session, and has run";
		run->state = RUN_DONE;
	} else if (hook->policy) {
		run->end = policy_ending(hook, &job->f);
		run->state = RUN_ENDED;
	} else if (hook->runtime || hook->handler) {
		ask_host(job, run);
	} else {
		spawn(job, run, false);
	}
}

static struct str keep(struct arena *a, const struct buf *b)
{
	return arena_str(a, buf_str(b));
}

/*
 * Reads on until there is the answer of a persistent hook, or its end; false: neither is there yet.
 * Whatever else a guard says makes its word worthless.
 */
static bool hear(struct tl_job *job, struct run *run)
{
	static const struct {
		const char *code, *note, *misfit;
	} odd[] = {
		[LINE_ANSWER] = { NULL, NULL, NULL },
		[LINE_UNSURE] = { NULL, NULL,
				  "its answer does not give back the \"seq\" that it was asked "
				  "with" },
		[LINE_TEXT] = { "stray-output",
				"printed a line that is not a JSON object; a persistent hook prints "
				"its answers and nothing else",
				"it printed a line that is not a JSON object" },
		[LINE_OTHER] = { "stray-answer", "gave an answer without a question (ignored)",
				 NULL },
		[LINE_BLANK] = { NULL, NULL, NULL },
	};

	while (run->proc->result.end == PROC_ANSWERED) {
		enum peer_line line = peer_line(run->peer, job->f.arena);

		run->misfit = run->hook->guard || line == LINE_UNSURE ? odd[line].misfit : NULL;
		if (run->misfit || line == LINE_ANSWER)
			return true;
		if (odd[line].code && !(run->noted & 1u << line))
			run_note(job, run, odd[line].code, odd[line].note);
		run->noted |= 1u << line;
		if (!proc_next(run->proc))
			return false;
	}
	if (run->proc->result.end == PROC_EXITED && run->proc->result.code == 0)
		run->misfit = "it ended without an answer; a persistent hook answers each line of "
			      "its input with a line, until the input ends";
	return true;
}

/* Exit 2 denies without a word. */
static enum peer_fate fate(struct tl_job *job, struct run *run)
{
	const struct ending *e = &run->end;

	if (e->end == PROC_CANCELLED)
		return PEER_DROPPED;
	if (e->end == PROC_ANSWERED && !e->misfit) {
		enum child_end end;
		int code;

		if (proc_spoke_last(run->proc, &end, &code))
			note_end(job, run, end == CHILD_EXITED, code);
		return PEER_ANSWERED;
	}
	return e->end == PROC_EXITED && e->code == 2 ? PEER_SPENT : PEER_FAILED;
}

static size_t running(const struct tl_job *job)
{
	size_t n = 0;

	for (size_t i = job->from; i < job->to; i++)
		n += job->runs[i].state == RUN_RUNNING;
	return n;
}

/* Lines of a persistent hook that are no answer say nothing; of a denial they are the reason. */
static struct str answer_of(struct tl_job *job, const struct run *run)
{
	const struct proc_result *r = &run->proc->result;

	if (r->end == PROC_ANSWERED)
		return arena_str(job->f.arena, r->line);
	return run->peer && r->code != 2 ? STR("") : keep(job->f.arena, &r->out);
}

/* The process has ended or spoken: take what it left, or try again where that helps. */
static void run_ended(struct tl_job *job, struct run *run)
{
	const struct proc_result *r = &run->proc->result;
	/* A script without #!, which a shell runs itself, or with one that is not there (C6.1). */
	bool for_shell = r->end == PROC_NOT_STARTED &&
			 (r->code == ENOEXEC || r->code == ENOENT || r->code == EACCES);
	/* No more descriptors or processes just now: another hook's end will free some. */
	bool shortage = r->end == PROC_NOT_STARTED &&
			(r->code == EMFILE || r->code == ENFILE || r->code == EAGAIN);

	if (run->peer && !hear(job, run))
		return;
	if (r->end == PROC_EXITED && went_away(job, run, true))
		return;
	if (r->end == PROC_UNHEARD) { /* as if it had been seen before it was asked */
		if (run->peer)
			note_end(job, run, r->exited, r->code);
		let_go(job, run);
		spawn(job, run, false);
		return;
	}
	if (for_shell && !run->retried && !run->hook->args) {
		run->retried = true;
		spawn(job, run, true);
		return;
	}
	if (shortage && running(job) > 1 && !job->cancelled) {
		run->state = RUN_WAITING;
		return;
	}
	/* It may have denied what it was not given, and its denial may be what was not read. */
	if (r->pipe_errno && r->end == PROC_EXITED && r->code != 2 && !run->misfit)
		run->misfit =
			arena_printf(job->f.arena, "its input or output could not be passed on: %s",
				     strerror(r->pipe_errno))
				.p;
	run->end = (struct ending){
		.end = r->end,
		.code = r->code,
		.exited = r->exited,
		.out = answer_of(job, run),
		.err = keep(job->f.arena, &r->err),
		.result = keep(job->f.arena, &r->result),
		.elapsed_us = r->elapsed_us,
		.warm = run->warm,
		.misfit = run->misfit,
	};
	if (r->end == PROC_NOT_STARTED) {
		run->end.not_started =
			arena_printf(job->f.arena, "%s: %s", run->spec.file, strerror(r->code)).p;
	}
	/* C7.4: what was changed under a guard at work has nothing to say. */
	if (run->hook->guard && r->end == PROC_EXITED) {
		uint64_t started = run->stamp;

		if (!script_changed(job, run) && run->stamp != started)
			not_started(run, "one of its scripts was changed while it ran");
	}
	run->state = RUN_ENDED;
	if (run->peer)
		run->fate = fate(job, run);
	else
		let_go(job, run);
}

/* A process that was tried again may have failed at once. */
static void run_settle(struct tl_job *job, struct run *run)
{
	if (run->ask && question_step(run->ask)) {
		run->end = question_ending(run->ask, run->hook, job->f.arena);
		run->state = RUN_ENDED;
		let_go(job, run);
	}
	while (!run->ask && run->state == RUN_RUNNING && run->proc->result.end != PROC_RUNNING)
		run_ended(job, run);
}

/* ---- stages ---- */

static void judge(struct tl_job *job, struct run *run)
{
	struct report *r = &job->o->reports[run->report];

	if (run->state != RUN_ENDED)
		return;
	r->state = TL_STATE_RAN;
	r->why = "";
	reply_judge(&r->reply, run->hook, &job->f, &run->end, &job->o->diags);
	let_go(job, run);
	run->state = RUN_DONE;
}

static void hear_ended(struct tl_job *job, const struct job_listener *listener)
{
	for (size_t i = job->from; i < job->to; i++) {
		struct diags quiet = { .arena = job->f.arena };
		struct run *run = &job->runs[i];
		struct reply r;

		if (run->state != RUN_ENDED || run->told || run->hook->observe)
			continue;
		run->told = true;
		reply_judge(&r, run->hook, &job->f, &run->end, &quiet);
		diags_done(&quiet);
		if (r.message.n && !r.suppress && r.how <= TL_CLASS_BLOCKED)
			listener->hear(
				listener->data,
				&(struct job_heard){ run->report, run->hook->id, r.message });
	}
}

static void skip_from(struct tl_job *job, size_t from, const struct hook *because)
{
	for (size_t i = from; i < job->n; i++) {
		struct run *run = &job->runs[i];
		struct report *r = &job->o->reports[run->report];

		if (run->state != RUN_WAITING)
			continue;
		r->state = TL_STATE_SKIPPED;
		r->why = arena_printf(&job->o->arena, "\"%s\" had already decided", because->id).p;
		run->state = RUN_DONE;
	}
}

/* The first run before `to` whose word is final, or NULL. */
static const struct hook *settled_by(const struct tl_job *job, size_t to)
{
	for (size_t i = 0; i < to; i++)
		if (report_settles(&job->o->reports[job->runs[i].report]))
			return job->runs[i].hook;
	return NULL;
}

static void merge_runs(struct tl_job *job, size_t from, size_t to)
{
	AUTO(free) size_t *which = xcalloc(to - from, sizeof *which);

	/* A guard's context is added to the prompt, but does not make the guards look again. */
	if (from >= job->nplain && job->f.event->id == EV_BEFORE_AGENT)
		return;
	for (size_t i = from; i < to; i++)
		which[i - from] = job->runs[i].report;
	merge_chained(job->o, &job->f, which, to - from);
}

/* Guards judge the final input; when one of them changed it, all of them look again. */
static bool guards_again(struct tl_job *job)
{
	if (job->from < job->nplain || job->f.version == job->judged || settled_by(job, job->to))
		return false;
	job->judged = job->f.version;
	if (++job->rounds == GUARD_ROUNDS) {
		job->failed_to_agree = true;
		return false;
	}
	for (size_t i = job->from; i < job->to; i++) {
		struct run *run = &job->runs[i];
		const struct reply *said = &job->o->reports[run->report].reply;

		if (said->verdict == TL_VERDICT_ASK && !run->asked) {
			struct reply *kept = ARENA_ARRAY(&job->o->arena, struct reply, 1);

			*kept = *said;
			run->asked = kept;
		}
		run->state = RUN_WAITING;
	}
	return true;
}

static void finish(struct tl_job *job)
{
	struct tl_outcome *o = job->o;

	/* C3.6: a question stays one, whatever another guard made of the input afterwards. */
	for (size_t i = 0; i < job->n; i++) {
		const struct run *run = &job->runs[i];
		struct reply *said = &o->reports[run->report].reply;

		if (run->asked && said->verdict < TL_VERDICT_ASK) {
			said->verdict = TL_VERDICT_ASK;
			said->reason = run->asked->reason;
			said->approved = false;
		}
	}
	merge_outcome(o, &job->f);
	if (job->failed_to_agree && o->verdict < TL_VERDICT_DENY) {
		o->verdict = TL_VERDICT_DENY;
		o->reason =
			STR("the guards do not agree on the input: each changes what the other has "
			    "approved");
		diag_add(&o->diags, TL_SEVERITY_WARNING, "guards-disagree", NULL, "%s",
			 o->reason.p);
	}
	memcpy(o->timestamp, job->f.timestamp, sizeof o->timestamp);
	o->elapsed_us = clock_us() - job->start_us;
	job->done = true;
}

/* Starts what may start now; in sequential firings that is one at a time. */
static void start_some(struct tl_job *job)
{
	for (size_t i = job->from; i < job->to; i++) {
		struct run *run = &job->runs[i];

		if (run->state != RUN_WAITING)
			continue;
		if (job->plan->sequential && running(job))
			return;
		run_start(job, run);
		run_settle(job, run);
		if (run->state == RUN_WAITING)
			return; /* a shortage: later */
		if (job->plan->sequential)
			return;
	}
}

static bool all(const struct tl_job *job, enum run_state at_least)
{
	for (size_t i = job->from; i < job->to; i++)
		if (job->runs[i].state < at_least)
			return false;
	return true;
}

static void cancel_waiting(struct tl_job *job)
{
	for (size_t i = 0; i < job->n; i++) {
		struct run *run = &job->runs[i];

		if (run->state != RUN_WAITING)
			continue;
		run->end = (struct ending){
			.end = PROC_CANCELLED, .out = STR(""), .err = STR(""), .result = STR("")
		};
		run->state = RUN_ENDED;
		judge(job, run);
	}
}

/* Moves on until something must be waited for. */
static void advance(struct tl_job *job)
{
	while (!job->done) {
		const struct hook *settled;

		if (job->cancelled)
			cancel_waiting(job);
		if (job->plan->sequential) {
			/* Judge what has ended; the next one sees what it changed. */
			for (size_t i = job->from; i < job->to; i++) {
				if (job->runs[i].state != RUN_ENDED)
					continue;
				judge(job, &job->runs[i]);
				merge_runs(job, i, i + 1);
				if (report_settles(&job->o->reports[job->runs[i].report]))
					skip_from(job, i + 1, job->runs[i].hook);
			}
		}
		start_some(job);
		if (!job->plan->sequential && all(job, RUN_ENDED)) {
			/* All at once: judged and merged in run order (section 4). */
			for (size_t i = job->from; i < job->to; i++)
				judge(job, &job->runs[i]);
			merge_runs(job, job->from, job->to);
		}
		if (!all(job, RUN_DONE)) {
			if (running(job))
				return;
			continue;
		}
		if (guards_again(job))
			continue;
		settled = settled_by(job, job->to);
		if (settled)
			skip_from(job, job->to, settled);
		if (job->to == job->n || settled) {
			finish(job);
			return;
		}
		job->from = job->to;
		job->to = job->n;
		job->judged = job->f.version;
	}
}

/* ---- the public face ---- */

struct tl_job *job_start(struct tl_hooks *h, const struct tl_event *event, const struct plan *plan)
{
	struct tl_job *job = xcalloc(1, sizeof *job);

	job->plan = plan;
	job->o = outcome_new(h, plan);
	job->start_us = clock_us();
	if (firing_init(&job->f, h, event, &job->o->arena, NULL) < 0)
		BUG(); /* the plan was made from the same event */
	clock_iso(job->f.timestamp);
	outcome_describe(job->o, &job->f);
	job->runs = xcalloc(plan->nrun, sizeof *job->runs);
	for (int guards = 0; guards <= 1; guards++) {
		for (size_t i = 0; i < plan->n; i++) {
			const struct hook *hook = plan->hooks[i];

			if (plan->states[i] != TL_STATE_WOULD_RUN || hook->guard != guards)
				continue;
			job->runs[job->n] = (struct run){ .report = i, .hook = hook };
			job->runs[job->n].proc = &job->runs[job->n].own;
			job->n++;
		}
		if (!guards)
			job->nplain = job->n;
	}
	job->to = job->nplain ? job->nplain : job->n;
	advance(job);
	return job;
}

static int64_t run_deadline_us(const struct run *run)
{
	return run->ask ? question_deadline_us(run->ask) : proc_deadline_us(run->proc);
}

size_t tl_job_fds(const struct tl_job *job, struct pollfd *fds, size_t max, int *ret_timeout_ms)
{
	struct pollfd some[PROC_FDS_MAX];
	int64_t deadline = INT64_MAX;
	size_t n = 0, filled = 0;

	for (size_t i = job->from; i < job->to; i++) {
		struct run *run = &job->runs[i];

		/* Written in place while there is room: this is on the path of every wake-up. */
		struct pollfd *to = n + PROC_FDS_MAX <= max ? fds + n : some;

		run->nfds = 0;
		if (run->state != RUN_RUNNING)
			continue;
		if (run->ask)
			to[run->nfds++] = question_fd(run->ask);
		else
			run->nfds = proc_fds(run->proc, to);
		if (n + PROC_FDS_MAX > max && n + run->nfds <= max)
			memcpy(fds + n, some, run->nfds * sizeof *fds);
		n += run->nfds;
		filled = n <= max ? n : filled;
		if (run_deadline_us(run) < deadline)
			deadline = run_deadline_us(run);
	}
	for (; n > max && filled < max; filled++)
		fds[filled] = (struct pollfd){ .fd = -1 };
	if (ret_timeout_ms)
		*ret_timeout_ms = job->done ? 0 : clock_ms_until(deadline);
	return n;
}

int tl_job_step(struct tl_job *job, const struct pollfd *fds, size_t n)
{
	API_WHOLE;
	size_t at = 0;
	bool some = false;

	for (size_t i = job->from; i < job->to; i++) {
		struct run *run = &job->runs[i];
		bool given = fds && at + run->nfds <= n;

		if (run->state != RUN_RUNNING)
			continue;
		if (run->ask ? question_step(run->ask)
			     : proc_step(run->proc, given ? fds + at : NULL, run->nfds)) {
			run_settle(job, run);
			some = true;
		} else if (went_away(job, run, false)) {
			some = true;
		}
		at += run->nfds;
	}
	if (some || job->cancelled)
		advance(job);
	return job->done;
}

void tl_job_cancel(struct tl_job *job)
{
	API_WHOLE;
	job->cancelled = true;
	for (size_t i = 0; i < job->n; i++)
		if (job->runs[i].state == RUN_RUNNING && job->runs[i].ask)
			question_cancel(job->runs[i].ask);
		else if (job->runs[i].state == RUN_RUNNING)
			proc_cancel(job->runs[i].proc);
}

void job_run(struct tl_job *job, struct cancel *cancel, const struct job_listener *listener)
{
	size_t max = job->n * PROC_FDS_MAX + 1, n;
	AUTO(free) struct pollfd *fds = xcalloc(max, sizeof *fds);
	int timeout_ms;
	bool asked = job->cancelled;

	if (asked)
		(void)tl_job_step(job, NULL, 0);
	while (!job->done) {
		if (listener)
			hear_ended(job, listener);
		n = tl_job_fds(job, fds, max - 1, &timeout_ms);
		if (cancel && !asked)
			fds[n] = (struct pollfd){ .fd = cancel_fd(cancel), .events = POLLIN };
		(void)fd_poll(fds, n + (cancel && !asked), timeout_ms);
		if (cancel && !asked && fds[n].revents) {
			tl_job_cancel(job);
			asked = true;
		}
		(void)tl_job_step(job, fds, n);
	}
}

int tl_job_finish(struct tl_job *job, struct tl_outcome **ret_outcome, struct tl_err *err)
{
	API_WHOLE;
	struct tl_outcome *o = job->o;
	bool complete = job->done && !job->cancelled;
	struct err why;

	if (!job->done) {
		tl_job_cancel(job);
		job_run(job, NULL, NULL);
	}

	for (size_t i = 0; i < job->n; i++)
		let_go(job, &job->runs[i]);
	/* Processes for the firings to come (C6.9). */
	if (complete && job->f.event->id == EV_SESSION_START)
		warm_fill_all(&job->f);
	for (size_t i = 0; complete && i < job->n; i++)
		warm_fill(&job->f, job->runs[i].hook);
	plan_release(job->plan);
	free(job->runs);
	free(job);
	if (!complete) {
		tl_outcome_free(o);
		return api_err(err, &why, err_set(&why, E_CANCEL, "the firing was cancelled"));
	}
	if (ret_outcome)
		*ret_outcome = o;
	else
		tl_outcome_free(o);
	return 0;
}
