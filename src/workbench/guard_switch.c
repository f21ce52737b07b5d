/* trotline guard on, off and list: which packs settings switch on. */
#include "base/vec.h"
#include "base/words.h"
#include "hooks/config.h"
#include "os/fs.h"
#include "settings/edit.h"
#include "settings/places.h"
#include "workbench/commands.h"
#include "workbench/guard.h"
#include "workbench/install_agents.h"
#include "workbench/roots.h"
#include "workbench/show.h"

#define PACKS_PATH STR("/guard/packs")
/* How the receipt of a settings file calls what we put there. */
#define RECEIPT_NAME "trotline guard"

struct switch_args {
	bool user, project;
	struct settings_args in;
};

#define SCOPE_OPTS                                                                                 \
	{ "user",                                                                                  \
	  'u',                                                                                     \
	  NULL,                                                                                    \
	  OPT_FLAG,                                                                                \
	  offsetof(struct switch_args, user),                                                      \
	  "in ~/" OWN_SETTINGS " (the default)" },                                                 \
		{ "project",                                                                       \
		  'p',                                                                             \
		  NULL,                                                                            \
		  OPT_FLAG,                                                                        \
		  offsetof(struct switch_args, project),                                           \
		  "in " OWN_SETTINGS " of the project" },                                          \
		{ "dry-run",                                                                       \
		  'n',                                                                             \
		  NULL,                                                                            \
		  OPT_FLAG,                                                                        \
		  offsetof(struct switch_args, in.dry_run),                                        \
		  "write nothing, show what would change" },                                       \
		{ "dir",                                                                           \
		  'C',                                                                             \
		  "DIR",                                                                           \
		  OPT_STR,                                                                         \
		  offsetof(struct switch_args, in.dir),                                            \
		  "work in this directory instead of the current one" },                           \
	{                                                                                          \
		"json", 0, NULL, OPT_FLAG, offsetof(struct switch_args, in.json), "print JSON"     \
	}

static const struct opt on_opt_rows[] = {
	{ "into", 0, "AGENT,...", OPT_STR, offsetof(struct switch_args, in.into),
	  "also install trotline as the hook of these agents; all = those that you use" },
	SCOPE_OPTS,
};
const struct opt_set guard_on_opts = OPT_SET(on_opt_rows, struct switch_args);
static const struct opt off_opt_rows[] = { SCOPE_OPTS };
const struct opt_set guard_off_opts = OPT_SET(off_opt_rows, struct switch_args);

struct change {
	char **names; /* packs; none = all that are on, or the default ones */
	size_t n;
	bool removing;
	struct json_list done; /* packs that were switched */
};

static int add_packs(struct settings_change *s, struct change *c, struct err *err)
{
	int r = 0;

	for (size_t i = 0; r >= 0 && (c->n ? i < c->n : packs_default[i] != NULL); i++) {
		struct str name = str_from(c->n ? c->names[i] : packs_default[i]);

		if (json_holds(json_pointer(s->e.doc, PACKS_PATH), name, NULL))
			continue;
		settings_note_containers(s, PACKS_PATH);
		r = json_edit_append(&s->e, PACKS_PATH, json_new_str(&s->arena, name), err);
		if (r > 0)
			json_list_add(&c->done, json_new_str(&s->arena, name));
	}
	if (r >= 0 && c->done.n && !s->receipt.hooks)
		s->receipt.hooks = json_new_arr(&s->arena, NULL, 0);
	if (r >= 0 && c->done.n)
		s->receipt.hooks = list_add(&s->arena, s->receipt.hooks,
					    json_pack(&s->arena, "name:z event:z command:z",
						      RECEIPT_NAME, "guard", "on"));
	return r;
}

static int remove_packs(struct settings_change *s, struct change *c, struct err *err)
{
	const struct json *list = json_pointer(s->e.doc, PACKS_PATH);
	int r = 0;

	for (size_t i = json_is(list, J_ARR) ? list->n : 0; r >= 0 && i-- > 0;) {
		struct str name = json_str(json_at(list, i), STR(""));

		if (c->n && !word_in(name, (const char *const *)c->names, c->n))
			continue;
		json_list_add(&c->done, json_new_copy(&s->arena, name));
		r = json_edit_remove(&s->e, pointer_item(&s->arena, PACKS_PATH, i), err);
		list = json_pointer(s->e.doc, PACKS_PATH);
	}
	for (size_t i = s->receipt.hooks ? s->receipt.hooks->n : 0;
	     r >= 0 && list && list->n == 0 && i-- > 0;)
		if (str_eqz(json_get_str(json_at(s->receipt.hooks, i), "name"), RECEIPT_NAME))
			s->receipt.hooks = list_drop(&s->arena, s->receipt.hooks, i);
	return r < 0 ? r : settings_prune(s, err);
}

static int edit(struct settings_change *s, void *data, struct err *err)
{
	struct change *c = data;

	free(c->done.p);
	c->done = (struct json_list){ 0 };
	return (c->removing ? remove_packs : add_packs)(s, c, err);
}

static int check_names(struct wb *wb, const struct change *c)
{
	for (size_t i = 0; i < c->n; i++) {
		const char *near = pack_nearest(str_from(c->names[i]));

		if (!pack_find(str_from(c->names[i])))
			return wb_fail_at(wb, EXIT_USAGE,
					  &(struct wb_place){ .code = "unknown-pack" },
					  "no pack is called \"%s\"%s", c->names[i],
					  near ? meant_as("", near).text
					       : "; trotline guard list shows them");
	}
	return EXIT_OK;
}

static void say(struct wb *wb, const struct change *c, const char *path, bool dry_run,
		const struct settings_change *s)
{
	struct sheet *p = &wb->sheet;

	if (dry_run && s->diff.n) {
		sheet_text(p, PLAIN, buf_z(&((struct settings_change *)s)->diff), 0);
		return;
	}
	if (!c->done.n) {
		sheet_f(p, PLAIN,
			"Nothing to do, %s: ", c->removing ? "off already" : "on already");
		sheet_text(p, PLAIN, path, 0);
		return;
	}
	sheet_f(p, GREEN, "%s: ", c->removing ? "Off" : "On");
	for (size_t i = 0; i < c->done.n; i++)
		sheet_f(p, PLAIN, "%s%.*s", i ? ", " : "",
			STR_ARG(json_str(c->done.p[i], STR(""))));
	sheet_f(p, PLAIN, "  (%s)\n", path);
}

static bool is_all(const char *into)
{
	return into && strcmp(into, "all") == 0;
}

/* The guard does nothing in an agent that does not ask it. */
static int offer_agents(struct wb *wb, const struct switch_args *args)
{
	const struct json *own = wb->value;
	struct settings_args in = { .dir = args->in.dir,
				    .into = args->in.into,
				    .scope = args->project ? "project" : NULL,
				    .dry_run = args->in.dry_run };
	bool all = is_all(in.into);
	AUTO(buf_done) struct buf answer = { 0 };
	int status;

	if (!in.into) {
		if (in.dry_run || in.scope)
			return EXIT_OK;
		if (!wb->ask ||
		    !wb->ask(wb, "Install it in the agents that you use? [Y/n] ", &answer) ||
		    str_starts(str_trim(buf_str(&answer)), STR("n")) ||
		    str_starts(str_trim(buf_str(&answer)), STR("N"))) {
			sheet_f(&wb->sheet, PLAIN,
				"To install it in the agents that you use: trotline hooks install "
				"--all; trotline hooks status shows which of them ask it\n");
			return EXIT_OK;
		}
		all = true;
	}
	wb->value = NULL;
	status = wb_install_agents(wb, &in, all, false);
	wb->value = json_pack_more(&wb->arena, own, "?agents:j", wb->value);
	return status;
}

static int switch_packs(struct wb *wb, const struct switch_args *args, struct change *c)
{
	AUTO(settings_roots_done) struct settings_roots roots = { 0 };
	AUTO(settings_change_done) struct settings_change s = { 0 };
	AUTO(free) char *path = NULL;
	struct json_list names = { 0 };
	struct err err;
	int status = c->removing ? EXIT_OK : check_names(wb, c), r;

	if (status != EXIT_OK)
		return status;
	if (args->user && args->project)
		return wb_fail(wb, EXIT_USAGE, "--user or --project, not both");
	if (settings_roots_find(args->in.dir ? wb_path(wb, args->in.dir) : wb->cwd, &roots, &err) <
	    0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	if (!*roots.home)
		return wb_fail_home(wb);
	if (args->project && roots.at_home)
		return wb_fail(wb, EXIT_USAGE, "the home directory is not a project: use --user");
	path = fs_join(args->project ? roots.project : roots.home, OWN_SETTINGS);
	s = (struct settings_change){ .path = path,
				      .project = args->project ? roots.project : NULL,
				      .home = roots.home,
				      .dry_run = args->in.dry_run };
	AUTO(settings_unlock) int lock = settings_lock(roots.home, &err);
	r = lock < 0 ? lock : settings_apply(&s, edit, c, &err);
	if (r < 0) {
		free(c->done.p);
		return settings_failed(wb, &err);
	}
	settings_unlock(&lock);
	/* A name that settings have can be taken out, whatever it is. */
	if (c->removing && !c->done.n && (status = check_names(wb, c)) != EXIT_OK)
		return status;
	for (size_t i = 0; i < c->done.n; i++)
		json_list_add(&names, json_new_copy(&wb->arena, json_str(c->done.p[i], STR(""))));
	say(wb, c, path, args->in.dry_run, &s);
	free(c->done.p);
	wb->value = json_pack(&wb->arena, "file:z scope:z packs:j changed:b", path,
			      args->project ? "project" : "user",
			      json_list_take(&wb->arena, &names), r > 0);
	return EXIT_OK;
}

int wb_guard_on(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct switch_args *args = args_;
	struct change c = { .names = rest, .n = (size_t)n };
	int status = is_all(args->in.into) ? EXIT_OK : wb_check_agents(wb, args->in.into);

	/* Words that are wrong are told before anything changes. */
	if (status == EXIT_OK)
		status = switch_packs(wb, args, &c);
	return status == EXIT_OK ? offer_agents(wb, args) : status;
}

int wb_guard_off(struct wb *wb, const void *args_, int n, char **rest)
{
	struct change c = { .names = rest, .n = (size_t)n, .removing = true };

	return switch_packs(wb, args_, &c);
}

/* ---- list ---- */

struct list_args {
	struct load_args load;
};

static const struct opt list_opt_rows[] = { LOAD_OPTS(struct list_args) };
const struct opt_set guard_list_opts = OPT_SET(list_opt_rows, struct list_args);

/* Where settings switch the pack on: hooks of one pack differ by their event alone. */
static const struct json *places_of(struct wb *wb, const struct tl_hooks *hooks, const char *pack)
{
	struct json_list list = { 0 };
	const struct tl_hook *h, *last = NULL;

	for (size_t i = 0; (h = hook_at(hooks, i)); i++) {
		if (strcmp(h->type, "policy") != 0 || strcmp(h->name, pack) != 0 ||
		    (last && last->line == h->line && strcmp(last->file, h->file) == 0))
			continue;
		json_list_add(&list, json_pack(&wb->arena, "file:z line:u tier:z state:z ?why:z",
					       h->file, h->line, tl_tier_name(h->tier),
					       tl_state_name(h->state), h->why));
		last = h;
	}
	return json_list_take(&wb->arena, &list);
}

static const struct json *exceptions(struct wb *wb, const struct tl_hooks *hooks)
{
	struct json_list list = { 0 };

	for (const struct policy_exception *x = hooks->exceptions.p; x && x->pack; x++) {
		json_list_add(&list,
			      json_pack(&wb->arena, "pack:z ?rule:z ?path:z ?command:z ?project:z",
					x->pack, x->rule, x->path, x->command, x->project));
		sheet_f(&wb->sheet, YELLOW, "exception: ");
		sheet_f(&wb->sheet, PLAIN, "%s%s%s%s%s%s%s%s%s\n", x->pack, x->rule ? "/" : "",
			x->rule ? x->rule : "", x->path ? "  path " : "", x->path ? x->path : "",
			x->command ? "  command " : "", x->command ? x->command : "",
			x->project ? "  project " : "", x->project ? x->project : "");
	}
	return json_list_take(&wb->arena, &list);
}

int wb_guard_list(struct wb *wb, const void *args_, int n, char **rest)
{
	const struct list_args *args = args_;
	struct arena *a = &wb->arena;
	struct json_list rows = { 0 };
	struct tl_hooks *hooks;
	int status = wb_load(wb, &args->load, 0, &hooks);

	(void)n;
	(void)rest;
	if (status != EXIT_OK)
		return status;
	for (size_t i = 0; i < packs_n; i++) {
		const struct pack *pack = &packs[i];
		AUTO(policy_free) struct policy *p = guard_pack_open(pack, NULL, NULL);
		const struct json *places = places_of(wb, hooks, pack->name);

		sheet_f(&wb->sheet, places->n ? GREEN : DIM, "%-4s", places->n ? "on" : "off");
		sheet_f(&wb->sheet, BOLD, "%-12s", pack->name);
		sheet_f(&wb->sheet, PLAIN, "%-7.*s %.*s\n", STR_ARG(policy_version(p)),
			STR_ARG(policy_about(p)));
		for (size_t k = 0; k < places->n; k++) {
			const struct json *at = json_at(places, k);

			sheet_f(&wb->sheet, DIM, "      %.*s  %s:%.0f\n",
				STR_ARG(json_get_str(at, "tier")),
				short_path(hooks, arena_z(a, json_get_str(at, "file")), a),
				json_num(json_getz(at, "line"), 0));
		}
		json_list_add(&rows,
			      json_pack(a, "name:z version:s about:s file:z on:j", pack->name,
					policy_version(p), policy_about(p), pack->path, places));
	}
	wb->value = json_pack(a, "packs:j exceptions:j", json_list_take(a, &rows),
			      exceptions(wb, hooks));
	tl_hooks_unref(hooks);
	return EXIT_OK;
}
