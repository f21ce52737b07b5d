#include "hooks/policies.h"

#include <errno.h>
#include <sys/stat.h>

#include "base/json_pack.h"
#include "base/meant.h"
#include "base/path.h"
#include "base/toml.h"
#include "base/vec.h"
#include "hooks/hook_read.h"
#include "os/fs.h"
#include "policy/packs.h"

/* ---- hooks ---- */

struct opening {
	struct tl_hooks *h;
	struct place at;
	enum tl_tier tier;
	const char *off; /* why it does not count, or NULL */
	const char *code; /* of diagnostics */
};

static void complain(void *data, const char *text)
{
	const struct opening *o = data;

	diag_add(&o->h->diags, TL_SEVERITY_ERROR, o->code, &o->at, "%s", text);
}

/* What rules add and rewrite is there before the guards look; what they decide is a guard's word.
 */
static void add_stage(const struct opening *o, const char *name, const struct policy *policy,
		      bool comments)
{
	struct tl_hooks *h = o->h;
	const struct dialect *d = dialect_find(STR("gemini"));
	unsigned bits = policy_event_bits(policy, comments);

	for (unsigned i = 0; policy_event_name(i); i++) {
		struct hook *hook;

		if (!(bits & 1u << i))
			continue;
		hook = ARENA_NEW(&h->arena, struct hook);
		*hook = (struct hook){
			.event = event_find(str_from(policy_event_name(i))),
			.dialect = d,
			.tier = o->tier,
			.name = name,
			.id = name,
			.command = "",
			.description = arena_z(&h->arena, policy_about(policy)),
			.is_rule = true,
			.guard = !comments,
			.on_failure = comments ? FAIL_WARN : FAIL_DENY,
			.at = o->at,
			.matcher_at = o->at,
			.fingerprint = "",
			.script = "",
			.trust = TL_TRUST_NOT_PROJECT,
			.state = o->off ? TL_STATE_DISABLED : TL_STATE_WOULD_RUN,
			.why = o->off ? o->off : "",
			.policy = policy,
			.secrets = policy_looks_for_secrets(policy, i),
			.redacts = comments && policy_redacts(policy, i),
		};
		hook->as = dialect_event_of(d, hook->event->id);
		matcher_init(&hook->matcher, &h->arena, hook->event, d, STR(""), &o->at, &h->diags);
		hook_add(h, hook);
	}
}

/* The snapshot owns the policy.  A project's own files forbid and ask; what they would change or
 * add is not theirs to say. */
static void add_hooks(const struct opening *o, const char *name, struct policy *policy)
{
	*VEC_ADD(&o->h->policies) = policy;
	if (!tiers[o->tier].foreign && !tiers[o->tier].restricts)
		add_stage(o, name, policy, true);
	add_stage(o, name, policy, false);
}

static const char *why_off(const struct tl_hooks *h, enum tl_tier tier)
{
	if (tiers[tier].foreign && !h->folder_trusted)
		return "the folder is not trusted";
	if (tiers[tier].foreign && h->load_flags & TL_LOAD_NO_PROJECT)
		return "the project's hooks are left out";
	return NULL;
}

/* ---- policy files ---- */

static void read_file(struct tl_hooks *h, enum tl_tier tier, const char *path)
{
	struct opening o = {
		.h = h, .tier = tier, .off = why_off(h, tier), .code = "broken-policy"
	};
	AUTO(buf_done) struct buf text = { 0 };
	struct policy_source s = { .path = path, .tier = tier, .complain = complain, .data = &o };
	struct err err = { 0 };
	bool seen = fs_read(path, TOML_BYTES_MAX, &text, &err) >= 0;

	/* As of settings: whatever was in it is lost, or about to be written. */
	if (seen && !tiers[tier].foreign && str_trim(buf_str(&text)).n == 0)
		seen = err_set(&err, E_CONFIG, "it is empty; remove it if it has no rules") == 0;
	o.at = (struct place){ .file = path, .line = 1, .column = 1, .path = "" };
	s.text = buf_str(&text);
	add_hooks(&o, arena_z(&h->arena, str_from(path_name(path))),
		  seen ? policy_open(&s) : policy_open_unreadable(&s, err.text));
}

static void read_dir(struct tl_hooks *h, const struct settings_place *p)
{
	const char *dir = place_path(p, &h->dirs, &h->arena);
	AUTO(fs_names_done) struct fs_names names = { 0 };
	struct err err = { 0 };
	struct stat st;

	if (!dir || (lstat(dir, &st) < 0 && (errno == ENOENT || errno == ENOTDIR)))
		return;
	if (fs_list(dir, &names, &err) < 0) {
		read_file(h, p->tier, dir); /* which says why it cannot be read */
		return;
	}
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (str_ends(str_from(names.p[i]), STR(".toml")))
			read_file(h, p->tier, arena_z(&h->arena, str_from(path)));
	}
}

/* ---- packs ---- */

#define GUARD_KEY "guard"
#define EXCEPTIONS_NAME "guard.exceptions"

/* What was to be on and cannot be is no pack less: every call is denied until somebody looks. */
static void add_unknown(struct opening *o, const char *name, const char *why)
{
	const struct policy_source s = {
		.path = o->at.file, .tier = o->tier, .complain = complain, .data = o
	};

	add_hooks(o, name, policy_open_unreadable(&s, why));
}

static void add_pack(struct opening *o, const struct json *v)
{
	struct arena *a = &o->h->arena;
	struct str name = json_str(v, STR(""));
	const struct pack *pack = pack_find(name);
	const struct policy_source s = { .path = pack ? pack->path : "",
					 .text = pack ? pack->text : STR(""),
					 .image = pack ? pack->image : STR(""),
					 .lasting = true,
					 .tier = o->tier,
					 .complain = complain,
					 .data = o };

	for (size_t i = 0; pack && i < o->h->nhooks; i++) {
		const struct hook *on = o->h->hooks[i];

		if (on->policy && on->tier == o->tier && str_eqz(name, on->name))
			return;
	}
	if (pack)
		add_hooks(o, pack->name, policy_open(&s));
	else
		add_unknown(o, arena_z(a, name.n ? name : STR("guard")),
			    arena_printf(a, "guard.packs names \"%.*s\": no such pack%s",
					 STR_ARG(name), meant_as("", pack_nearest(name)).text)
				    .p);
}

/*
 * A typo must not leave the guard off without a word.  NULL, or what is wrong with how
 * the file switches packs on.
 */
static const char *misspelt(struct arena *a, const struct json *doc)
{
	static const char *const right[] = { GUARD_KEY };

	for (uint32_t i = 0; i < doc->n; i++) {
		struct str key = doc->members[i].key;

		if (str_eqz(key, GUARD_KEY))
			continue;
		if (str_nearest(key, right, 1) || str_eqz_icase(key, GUARD_KEY) ||
		    json_getz(&doc->members[i].v, "packs"))
			return arena_printf(a, "\"%.*s\" is written \"guard\"", STR_ARG(key)).p;
		if (str_eqz_icase(key, "packs"))
			return "\"packs\" is a member of \"guard\"";
	}
	if (doc->yes && json_getz(doc, GUARD_KEY))
		return "a key is in this file more than once, and one of them may switch packs on";
	doc = json_getz(doc, GUARD_KEY);
	for (uint32_t i = 0; json_is(doc, J_OBJ) && i < doc->n; i++)
		if (!str_eqz(doc->members[i].key, "packs") &&
		    !str_eqz(doc->members[i].key, "exceptions"))
			return arena_printf(
				       a,
				       "\"guard\" has no member \"%.*s\", only \"packs\" and "
				       "\"exceptions\"%s",
				       STR_ARG(doc->members[i].key),
				       meant_among(doc->members[i].key, "packs exceptions").text)
				.p;
	return NULL;
}

static void read_packs(struct tl_hooks *h, const struct source *s)
{
	const struct json *guard = json_getz(s->doc, GUARD_KEY), *list = json_getz(guard, "packs");
	struct opening o = {
		.h = h, .tier = s->tier, .off = why_off(h, s->tier), .code = "unknown-pack"
	};

	const char *odd = s->own ? misspelt(&h->arena, s->doc) : NULL;

	if (odd) {
		o.at = source_place(s, &h->arena, guard ? guard->pos : 0, GUARD_KEY);
		add_unknown(&o, GUARD_KEY, odd);
	}
	if (!guard || !s->own)
		return;
	o.at = source_place(s, &h->arena, list ? list->pos : guard->pos, "guard.packs");
	if (!json_is(guard, J_OBJ) || (list && !json_is(list, J_ARR)))
		add_unknown(&o, "guard", "\"guard\" is an object with an array \"packs\"");
	else if (guard->yes)
		add_unknown(&o, "guard", "\"guard\" has a member more than once");
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		o.at = source_place(s, &h->arena, json_at(list, i)->pos, "guard.packs[%zu]", i);
		add_pack(&o, json_at(list, i));
	}
}

/* ---- exceptions ---- */

/*
 * Each member narrows an exception, so that one which cannot be read, or that is unknown, makes it
 * wider than it was meant: then the whole of it does not count.  NULL = all is well.
 */
static const char *read_exception(struct tl_hooks *h, const struct json *v,
				  struct policy_exception *ret)
{
	const struct {
		const char *key, **ret;
	} members[] = {
		{ "pack", &ret->pack },       { "rule", &ret->rule },       { "path", &ret->path },
		{ "project", &ret->project }, { "command", &ret->command },
	};

	if (!json_is(v, J_OBJ))
		return "an exception is an object with a \"pack\" (ignored)";
	if (v->yes)
		return "a member is in this exception more than once (ignored)";
	for (uint32_t i = 0; i < v->n; i++) {
		const struct json_member *m = &v->members[i];
		struct str text = json_str(&m->v, STR(""));
		size_t k = 0;

		while (k < ARRAY_LEN(members) && !str_eqz(m->key, members[k].key))
			k++;
		if (k == ARRAY_LEN(members)) {
			const char *names[ARRAY_LEN(members)];

			for (k = 0; k < ARRAY_LEN(members); k++)
				names[k] = members[k].key;
			return arena_printf(&h->arena,
					    "an exception has no member \"%.*s\" (ignored)%s",
					    STR_ARG(m->key), meant_of(m->key, names, k).text)
				.p;
		}
		if (!text.n || memchr(text.p, 0, text.n))
			return arena_printf(&h->arena, "\"%s\" of an exception is a text (ignored)",
					    members[k].key)
				.p;
		*members[k].ret = arena_z(&h->arena, text);
	}
	if (!ret->pack)
		return "an exception needs a \"pack\" (ignored)";
	return strcmp(ret->pack, "agents") == 0 ? "the pack \"agents\" has no exceptions (ignored)"
						: NULL;
}

static const struct json *exceptions_of(const struct source *s)
{
	const struct json *list =
		s->own ? json_pointer(s->doc, STR("/" GUARD_KEY "/exceptions")) : NULL;

	return json_is(list, J_ARR) && list->n ? list : NULL;
}

/* A project's are approved like a hook of its own, by what they say: they take from the user's
 * guards. */
static void ask_for_exceptions(struct tl_hooks *h, const struct source *s)
{
	const struct json *list = exceptions_of(s);
	const struct dialect *d = dialect_find(STR("gemini"));
	const struct policy_source none = { .path = s->path, .text = STR(""), .tier = s->tier };
	struct hook *hook = ARENA_NEW(&h->arena, struct hook);

	*VEC_ADD(&h->policies) = policy_open(&none);
	*hook = (struct hook){
		.event = &events[EV_BEFORE_TOOL],
		.as = dialect_event_of(d, EV_BEFORE_TOOL),
		.dialect = d,
		.tier = s->tier,
		.name = EXCEPTIONS_NAME,
		.id = EXCEPTIONS_NAME,
		.command = json_text(&h->arena, list, JSON_COMPACT).p, /* shown, and approved */
		.description = "lets through what guards stop",
		.on_failure = FAIL_WARN,
		.at = source_place(s, &h->arena, list->pos, "guard.exceptions"),
		.fingerprint = "",
		.script = "",
		.state = TL_STATE_WOULD_RUN,
		.why = "",
		.policy = h->policies.p[h->policies.n - 1],
	};
	hook->matcher_at = hook->at;
	matcher_init(&hook->matcher, &h->arena, hook->event, d, STR(""), &hook->at, &h->diags);
	hook_add(h, hook);
}

static bool are_approved(const struct tl_hooks *h, const struct source *s)
{
	for (size_t i = 0; i < h->nhooks; i++)
		if (strcmp(h->hooks[i]->id, EXCEPTIONS_NAME) == 0 && h->hooks[i]->tier == s->tier &&
		    h->hooks[i]->policy && strcmp(h->hooks[i]->at.file, s->path) == 0)
			return h->hooks[i]->state == TL_STATE_WOULD_RUN;
	return false;
}

void policies_settle(struct tl_hooks *h)
{
	for (size_t i = 0; i < h->sources.n; i++) {
		const struct source *s = &h->sources.p[i];
		const struct json *list = exceptions_of(s);

		for (size_t k = 0;
		     list && (!tiers[s->tier].foreign || are_approved(h, s)) && k < list->n; k++) {
			const struct json *v = json_at(list, k);
			struct place at =
				source_place(s, &h->arena, v->pos, "guard.exceptions[%zu]", k);
			struct policy_exception x = { 0 };
			const char *wrong = read_exception(h, v, &x);

			if (wrong) {
				diag_add(&h->diags, TL_SEVERITY_ERROR, "bad-exception", &at, "%s",
					 wrong);
				continue;
			}
			/* It may name a policy file, too. */
			if (!pack_find(str_from(x.pack)) && pack_nearest(str_from(x.pack)))
				diag_add(&h->diags, TL_SEVERITY_WARNING, "unknown-pack", &at,
					 "no pack is called \"%s\"%s", x.pack,
					 meant_as("", pack_nearest(str_from(x.pack))).text);
			if (!x.project || strcmp(x.project, h->dirs.project) == 0)
				*VEC_ADD(&h->exceptions) = x;
		}
	}
	*VEC_ADD(&h->exceptions) = (struct policy_exception){ 0 };
}

/* ---- all of them ---- */

void policies_read(struct tl_hooks *h)
{
	for (size_t i = 0; i < h->sources.n; i++) {
		read_packs(h, &h->sources.p[i]);
		if (tiers[h->sources.p[i].tier].foreign && exceptions_of(&h->sources.p[i]))
			ask_for_exceptions(h, &h->sources.p[i]);
	}
	if (h->load_flags & TL_LOAD_NO_FILES)
		return;
	/* Another agent has its own files; our agent judges those of Gemini CLI itself. */
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_POLICIES));)
		if (p->own || !(h->agent_reads || h->load_flags & TL_LOAD_HOST_POLICIES))
			read_dir(h, p);
}

void policies_done(struct tl_hooks *h)
{
	for (size_t i = 0; i < h->policies.n; i++)
		policy_free(h->policies.p[i]);
	free(h->policies.p);
	free(h->exceptions.p);
}

/* ---- a firing ---- */

static const struct json *member(void *data, struct str name)
{
	struct firing *f = data;
	const struct json *v = NULL;
	struct str text;

	if (f->event->chained && str_eqz(name, f->event->chained))
		return firing_current(f);
	text = firing_field(f, arena_z(f->arena, name));
	if (text.p)
		(void)json_parse(f->arena, text, 0, &v, NULL);
	return v;
}

/* Made once for all policies, until the input changes. */
static struct policy_call *call_of(struct firing *f)
{
	struct policy_call *c = f->call;
	struct str *root;

	if (c && f->call_version == f->version)
		return c;
	c = f->call = ARENA_NEW(f->arena, struct policy_call);
	f->call_version = f->version;
	root = ARENA_NEW(f->arena, struct str);
	*root = str_from(f->h->dirs.project);
	*c = (struct policy_call){ .event = f->event->name,
				   .mode = f->in.permission_mode,
				   .agent = f->in.agent_type,
				   .member = member,
				   .data = f,
				   .world = { .cwd = str_from(f->cwd),
					      .home = str_from(f->h->dirs.home),
					      .roots = root,
					      .nroots = 1,
					      .env = f->h->env,
					      .read = call_read_file,
					      .link = call_read_link },
				   .arena = f->arena };
	if (f->event->id == EV_AFTER_MODEL)
		c->around = member(f, STR(FIELD_AROUND));
	if (f->event->subject_kind != SUBJECT_TOOL)
		return c;
	c->subject = policy_subject_of(f->in.subject, f->in.mcp_server, f->in.mcp_tool);
	c->powershell = f->in.subject_also &&
			str_find_icase(str_from(f->in.subject_also), STR("powershell"), 0) >= 0;
	if (f->in.subject_also)
		c->called = arena_printf(f->arena, "%.*s", (int)strcspn(f->in.subject_also, "\n"),
					 f->in.subject_also)
				    .p;
	c->input = member(f, STR("tool_input"));
	c->paths = f->current ? NULL : member(f, STR("tool_paths"));
	return c;
}

struct ending policy_ending(const struct hook *hook, struct firing *f)
{
	int64_t start = clock_us();
	const struct json *said = json_new_obj(f->arena), *own;
	struct policy_verdict v;

	if (hook->guard)
		policy_judge(hook->policy, call_of(f), f->h->exceptions.p, &v);
	else
		policy_comment(hook->policy, call_of(f), &v);
	/* As a hook of our own dialect would print it. */
	if (v.decided && (v.decision != POLICY_ALLOW || !tiers[hook->tier].foreign))
		said = json_pack(f->arena, "decision:z ?reason:s", policy_decision_name(v.decision),
				 v.reason);
	own = json_pack(f->arena, "?additionalContext:s ?tool_input:j", v.context, v.rewrite);
	if (own->n)
		said = json_pack_more(f->arena, said, "hookSpecificOutput:j", own);
	return (struct ending){ .end = PROC_EXITED,
				.exited = true,
				.out = said->n ? json_text(f->arena, said, JSON_COMPACT) : STR(""),
				.err = STR(""),
				.result = STR(""),
				.redact = v.redact,
				.elapsed_us = clock_us() - start };
}
