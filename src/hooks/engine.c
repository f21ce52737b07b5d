/* The public face of the engine: snapshots, firing, trust. */
#include "base/cancel.h"
#include "hooks/answers.h"
#include "hooks/api.h"
#include "hooks/away.h"
#include "hooks/handlers.h"
#include "hooks/job.h"
#include "hooks/once.h"
#include "hooks/outcome.h"
#include "hooks/persistent.h"
#include "hooks/trust.h"
#include "hooks/warm.h"

/* ---- snapshots ---- */

static void hooks_free(struct tl_hooks *h)
{
	peers_free(h->peers);
	warms_free(h->warms);
	once_free(h->once);
	aways_free(h->aways);
	watch_free(h->watch);
	plan_cache_free(h->plans);
	config_done(h);
	(void)pthread_mutex_destroy(&h->scripts_lock);
	free(h);
}

/* C7.4: a run without somebody to ask does not go on without its guards. */
static int refuse_untrusted(const struct tl_hooks *h, struct err *err)
{
	AUTO(buf_done) struct buf names = { 0 };
	size_t n = 0;

	for (size_t i = 0; i < h->nhooks; i++) {
		if (h->hooks[i]->state != TL_STATE_UNTRUSTED)
			continue;
		buf_addf(&names, "%s%s", n++ ? ", " : "", h->hooks[i]->id);
	}
	if (n == 0)
		return 0;
	return err_set(err, E_UNTRUSTED,
		       "%s has %zu unapproved hook%s (%s); look at them and run: trotline "
		       "hooks trust",
		       h->dirs.project, n, n == 1 ? "" : "s", buf_z(&names));
}

static struct tl_hook hook_info(struct tl_hooks *h, const struct hook *k)
{
	return (struct tl_hook){
		.size = sizeof(struct tl_hook),
		.event = k->as->name,
		.moment = k->event->name,
		.dialect = k->dialect->name,
		.tier = k->tier,
		.name = k->id,
		.command = k->command,
		.description = k->description,
		.matcher = k->matcher.text.p,
		.file = k->at.file,
		.line = k->at.line,
		.column = k->at.column,
		.path = k->at.path,
		.timeout_ms = k->timeout_ms,
		.sequential = k->sequential,
		.guard = k->guard,
		.observe = k->observe,
		.on_failure = on_failure_name(k->on_failure),
		.state = k->state,
		.why = k->why,
		.fingerprint = k->fingerprint,
		.script = k->script,
		.extension = k->extension ? k->extension->name : "",
		.if_rule = k->if_rule ? k->if_rule : "",
		.persistent = k->persistent,
		.status_message = k->status ? k->status : "",
		.agent = k->agent ? k->agent : "",
		.skill = k->skill ? k->skill : "",
		.sandbox =
			k->sandbox ? sandbox_words(&h->arena, &k->sandbox->may, h->dirs.home) : "",
		.warm = k->warm,
		.secrets = k->secrets,
		.can_refuse = answer_can_deny(k) || k->as->honours & PART_STOP,
		.unwatched = k->unwatched ? k->unwatched : "",
		.listed_under = k->listed_under ? k->listed_under : k->as->name,
		.type = k->policy    ? "policy"
			: k->runtime ? "runtime"
			: k->handler ? k->handler->type
				     : "command",
	};
}

static const char *const *copy_list(struct arena *a, const char *const *list)
{
	size_t n = 0;

	while (list && list[n])
		n++;
	const char **copy = ARENA_ARRAY(a, const char *, n + 1);
	for (size_t i = 0; i < n; i++)
		copy[i] = arena_z(a, str_from(list[i]));
	copy[n] = NULL;
	return list ? copy : NULL;
}

int tl_hooks_load(const struct tl_options *options, struct tl_hooks **ret_hooks,
		  struct tl_err *ret_err)
{
	API_WHOLE;
	struct tl_options o;
	struct tl_hooks *h;
	struct err err = { 0 };
	int r;

	if (!api_has(options, offsetof(struct tl_options, extensions)))
		return api_err(ret_err, &err,
			       err_set(&err, E_INVAL, "struct tl_options whose size is not set"));
	h = xcalloc(1, sizeof *h);
	api_copy_in(&o, sizeof o, options);
	atomic_init(&h->refs, 1);
	h->destroy = hooks_free;
	h->plans = plan_cache_new();
	(void)pthread_mutex_init(&h->scripts_lock, NULL);
	h->load_flags = o.flags;
	h->agent_reads = o.agent_reads ? arena_z(&h->arena, str_from(o.agent_reads)) : NULL;
	r = config_load(h, &o, &err);
	h->peers = peers_new(h->nhooks);
	for (size_t i = 0; i < h->nhooks && o.flags & TL_LOAD_WARM && !h->warms; i++)
		h->warms = h->hooks[i]->warm ? warms_new(h->dirs.home) : NULL;
	h->once = once_new();
	h->aways = aways_new();
	h->keeper = copy_list(&h->arena, o.keeper);
	h->watch = o.watchdog ? watch_new(o.watchdog, h->env) : NULL;
	h->infos = ARENA_ARRAY(&h->arena, struct tl_hook, h->nhooks + 1);
	for (size_t i = 0; i < h->nhooks; i++)
		h->infos[i] = hook_info(h, h->hooks[i]);
	if (r == 0 && o.flags & TL_LOAD_REFUSE_UNTRUSTED && !(o.flags & TL_LOAD_NO_PROJECT))
		r = refuse_untrusted(h, &err);
	if (r < 0) {
		hooks_free(h);
		return api_err(ret_err, &err, r);
	}
	*ret_hooks = h;
	return 0;
}

struct tl_hooks *tl_hooks_ref(struct tl_hooks *h)
{
	return hooks_ref(h);
}

void tl_hooks_unref(struct tl_hooks *h)
{
	API_WHOLE;
	hooks_unref(h);
}

void tl_hooks_end_session(struct tl_hooks *h, const char *session_id)
{
	API_WHOLE;
	peers_hang_up(h->peers, session_id ? session_id : "");
	if (h->warms)
		warms_end(h->warms, session_id ? session_id : "");
}

size_t tl_hooks_diagnostic_count(const struct tl_hooks *h)
{
	return h->diags.n;
}

int tl_hooks_diagnostic_get(const struct tl_hooks *h, size_t i, struct tl_diagnostic *d)
{
	return diag_get(&h->diags, i, d);
}

size_t tl_hooks_count(const struct tl_hooks *h)
{
	return h->nhooks;
}

int tl_hooks_get(const struct tl_hooks *h, size_t i, struct tl_hook *ret)
{
	if (i >= h->nhooks)
		return -TL_E_NOTFOUND;
	api_copy_out(ret, &h->infos[i], sizeof h->infos[i]);
	return 0;
}

const char *tl_hooks_project_dir(const struct tl_hooks *h)
{
	return h->dirs.project;
}

const char *tl_hooks_home(const struct tl_hooks *h)
{
	return h->dirs.home;
}

size_t tl_hooks_file_count(const struct tl_hooks *h)
{
	return h->sources.n;
}

const char *tl_hooks_file_get(const struct tl_hooks *h, size_t i)
{
	return i < h->sources.n ? h->sources.p[i].path : "";
}

void tl_hooks_settings(const struct tl_hooks *h, struct tl_settings *ret)
{
	static const char *const none[] = { NULL };
	struct tl_settings full = {
		.enabled = h->set.enabled,
		.notifications = h->set.notifications,
		.max_retries = h->set.max_retries,
		.single_mcp_names = h->set.mcp_single,
		.plugins = h->set.plugins_text,
		.env = h->set.own_env.p ? h->set.own_env.p : none,
		.project_env = h->set.project_env.p ? h->set.project_env.p : none,
		.sources = h->wanted_names ? h->wanted_names : "",
	};

	api_copy_out(ret, &full, sizeof full);
}

/* ---- firing ---- */

/*
 * The plan of an event; nothing is allocated when it is known already.  Who only asks whether hooks
 * want it has not made its fields yet.
 */
static const struct plan *plan_for(struct tl_hooks *h, const struct tl_event *event, bool asks,
				   struct err *err)
{
	struct plan_key key;
	struct firing f;

	if (firing_init(&f, h, event, NULL, err) < 0 || (!asks && firing_check_fields(&f, err) < 0))
		return NULL;
	firing_key(&f, &key);
	return plan_get(h, &key);
}

int tl_wants(struct tl_hooks *h, const struct tl_event *event)
{
	API_WHOLE;
	const struct plan *p = plan_for(h, event, true, NULL);
	int wants = !p || p->nrun; /* what is wrong is said by the firing */

	plan_release(p);
	return wants;
}

struct tl_job *tl_job_new(struct tl_hooks *h, const struct tl_event *event, struct tl_err *ret_err)
{
	API_WHOLE;
	struct err err;
	const struct plan *p = plan_for(h, event, false, &err);

	if (!p) {
		(void)api_err(ret_err, &err, -err.code);
		return NULL;
	}
	return job_start(h, event, p);
}

int tl_fire(struct tl_hooks *h, const struct tl_event *event, struct tl_cancel *cancel,
	    struct tl_outcome **ret_outcome, struct tl_err *ret_err)
{
	API_WHOLE;
	struct err err;
	const struct plan *p = plan_for(h, event, false, &err);

	if (!p)
		return api_err(ret_err, &err, -err.code);
	if (p->nothing && p->cached) {
		/* With no hook of its own; else the firing sees to it. */
		if (h->warms) {
			AUTO(arena_done) struct arena a = { 0 };
			struct firing f;

			if (firing_init(&f, h, event, &a, NULL) == 0 &&
			    f.event->id == EV_SESSION_START)
				warm_fill_all(&f);
		}
		if (ret_outcome)
			*ret_outcome = tl_hooks_ref(h) ? p->nothing : NULL;
		return 0;
	}
	/* What was cancelled before it began starts nothing, however fast its hooks would be. */
	if (cancel && tl_cancel_fired(cancel)) {
		plan_release(p);
		return api_err(ret_err, &err, err_set(&err, E_CANCEL, "the firing was cancelled"));
	}
	struct tl_job *job = job_start(h, event, p);
	job_run(job, (struct cancel *)cancel, NULL);
	return tl_job_finish(job, ret_outcome, ret_err);
}

int tl_why(struct tl_hooks *h, const struct tl_event *event, struct tl_outcome **ret_outcome,
	   struct tl_err *ret_err)
{
	API_WHOLE;
	struct err err;
	const struct plan *p = plan_for(h, event, false, &err);
	struct tl_outcome *o;
	struct firing f;

	if (!p)
		return api_err(ret_err, &err, -err.code);
	o = outcome_new(h, p);
	(void)firing_init(&f, h, event, &o->arena, NULL);
	outcome_describe(o, &f);
	plan_release(p);
	if (ret_outcome)
		*ret_outcome = o;
	else
		tl_outcome_free(o);
	return 0;
}

struct tl_cancel *tl_cancel_new(struct tl_cancel *parent)
{
	return (struct tl_cancel *)cancel_new((struct cancel *)parent);
}

void tl_cancel_fire(struct tl_cancel *c)
{
	cancel_fire((struct cancel *)c);
}

int tl_cancel_fired(struct tl_cancel *c)
{
	return cancel_fired((struct cancel *)c);
}

void tl_cancel_free(struct tl_cancel *c)
{
	cancel_free((struct cancel *)c);
}

/* ---- trust ---- */

enum tl_trust_state tl_hooks_trust(const struct tl_hooks *h, size_t i)
{
	return i < h->nhooks ? h->hooks[i]->trust : TL_TRUST_NOT_PROJECT;
}

const char *tl_hooks_definition(const struct tl_hooks *h, size_t i)
{
	return i < h->nhooks && h->hooks[i]->definition ? h->hooks[i]->definition : "";
}

size_t tl_hooks_script_count(const struct tl_hooks *h, size_t i)
{
	size_t n = 0;

	while (i < h->nhooks && trust_script(h->hooks[i], n))
		n++;
	return n;
}

const char *tl_hooks_script_get(const struct tl_hooks *h, size_t i, size_t k)
{
	const char *path = i < h->nhooks ? trust_script(h->hooks[i], k) : NULL;

	return path ? path : "";
}

int tl_hooks_folder_trusted(const struct tl_hooks *h)
{
	return h->folder_trusted;
}

int tl_trust_approve(const struct tl_hooks *h, struct tl_err *ret_err)
{
	API_WHOLE;
	struct err err;

	return api_err(ret_err, &err, trust_approve(h, &err));
}

int tl_trust_revoke(const struct tl_hooks *h, struct tl_err *ret_err)
{
	API_WHOLE;
	struct err err;

	return api_err(ret_err, &err, trust_revoke(h, false, &err));
}

int tl_trust_refuse(const struct tl_hooks *h, struct tl_err *ret_err)
{
	API_WHOLE;
	struct err err;

	return api_err(ret_err, &err, trust_revoke(h, true, &err));
}
