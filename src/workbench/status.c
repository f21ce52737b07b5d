/* trotline hooks status: which agents are on this machine, and where trotline is their hook. */
#include "base/path.h"
#include "base/words.h"
#include "hosts/plugins.h"
#include "os/fs.h"
#include "settings/home.h"
#include "settings/read.h"
#include "workbench/commands.h"
#include "workbench/install_agents.h"
#include "workbench/records.h"
#include "workbench/roots.h"

enum { FILE_MAX_BYTES = 8 << 20, PARENTS_MAX = 4 };

struct status_args {
	const char *dir;
	bool all, json;
};

static const struct opt opts[] = {
	{ "all", 'a', NULL, OPT_FLAG, offsetof(struct status_args, all),
	  "also agents that are not on this machine" },
	{ "dir", 'C', "DIR", OPT_STR, offsetof(struct status_args, dir),
	  "work in this directory instead of the current one" },
	{ "json", 0, NULL, OPT_FLAG, offsetof(struct status_args, json), "print JSON" },
};
const struct opt_set status_opts = OPT_SET(opts, struct status_args);

/* One agent, and what was found. */
struct found {
	struct arena *a;
	const struct host *host;
	const struct settings_roots *roots;
	const char *program, *version; /* NULL = not found */
	bool used;
	const char *user, *project; /* files with our entry; NULL = not there */
	const struct json *doc; /* what is in the user's */
	bool user_changed, project_changed; /* not what would be installed now */
	struct str unapproved; /* unapproved events of the user's entry */
	bool untrusted; /* none is */
	const char *off; /* what says that its hooks do not run; NULL = nothing seen */
	const char *over; /* a hook that is asked in our place; NULL = none was seen */
	struct unasked unasked;
	const struct json *asked; /* the last record of it; NULL = there is none */
};

/* JSON or TOML; NULL = it is not there, or cannot be read. */
static const struct json *read_doc(struct arena *a, const char *path)
{
	const struct json *v;
	struct str text;

	return settings_read(a, path, &text, &v, NULL) > 0 ? v : NULL;
}

/* What its package says of it; the program is not started. */
static void find_program(struct found *f)
{
	AUTO(free) char *path = NULL;
	AUTO(free) char *dir = NULL;

	if (!f->host->program || !fs_find_program(f->host->program, getenv("PATH"), &path))
		return;
	f->program = arena_z(f->a, str_from(path));
	dir = fs_real(path);
	for (int i = 0; dir && i < PARENTS_MAX; i++) {
		char *up = path_parent(dir);
		AUTO(free) char *file = fs_join(up, "package.json");
		struct str version = json_get_str(read_doc(f->a, file), "version");

		free(dir);
		dir = up;
		if (version.n) {
			f->version = arena_z(f->a, version);
			return;
		}
	}
}

/* Droid follows the first of its hooks that decides, Qwen the last. */
static void look_at_order(struct found *f, const struct json *doc, const char *path)
{
	struct str rest = str_from(f->host->file.events), event;
	const struct json *list = json_pointer(doc, str_from(f->host->file.root));
	size_t n, at;

	(void)str_split(&rest, ' ', &event);
	if (f->host->file.shape != FILE_LIST)
		list = json_get(list, event);
	at = n = json_is(list, J_ARR) ? list->n : 0;
	for (size_t i = 0; i < n; i++)
		if (wb_is_ours(json_at(list, i), f->host))
			at = i;
	if (at < n && wb_is_overruled(f->host, at, n))
		f->over = path;
}

/* A file of the agent, below the home directory or the project. */
static char *at(const struct found *f, const char *top, const char *name)
{
	return top == f->roots->home ? home_file(top, (const char *const *)environ, name)
				     : fs_join(top, name);
}

/* The file when our entry is in it, else NULL. */
static const char *look(struct found *f, const char *top, const char *name)
{
	AUTO(free) char *path = name ? at(f, top, name) : NULL;
	const struct json *doc;

	if (!path)
		return NULL;
	if (f->host->file.shape == FILE_OWN) {
		const struct host_plugin *p = f->host->file.plugins;
		AUTO(free) char *first = at(f, top, top == f->roots->home ? p->user : p->project);
		AUTO(buf_done) struct buf text = { 0 };

		return fs_read(first, FILE_MAX_BYTES, &text, NULL) >= 0 &&
				       str_find(buf_str(&text), STR(PLUGIN_MARK), 0) >= 0
			       ? arena_z(f->a, str_from(path))
			       : NULL;
	}
	doc = read_doc(f->a, path);
	if (!doc || !wb_is_ours(doc, f->host))
		return NULL;
	look_at_order(f, doc, arena_z(f->a, str_from(path)));
	if (top == f->roots->home)
		f->doc = doc;
	return arena_z(f->a, str_from(path));
}

/* Is our entry noted, with a hash, and not switched off?  What the hash is of Codex alone knows. */
static bool is_noted(struct found *f, const struct json *notes, struct str event)
{
	const struct json *list =
		json_get(json_pointer(f->doc, str_from(f->host->file.root)), event);
	const struct json *note, *enabled;
	AUTO(buf_done) struct buf snake = { 0 };
	size_t i = 0;

	/* "PreToolUse" is pre_tool_use there. */
	for (size_t k = 0; k < event.n; k++) {
		if (k && char_is_upper(event.p[k]))
			buf_addc(&snake, '_');
		buf_addc(&snake, char_lower(event.p[k]));
	}
	while (json_at(list, i) && !wb_is_ours(json_at(list, i), f->host))
		i++;
	note = json_get(json_pointer(notes, STR("/hooks/state")),
			arena_printf(f->a, "%s:%s:%zu:0", f->user, buf_z(&snake), i));
	enabled = json_getz(note, "enabled");
	return json_get_str(note, "trusted_hash").n && (!enabled || json_is_true(enabled));
}

static void look_at_approval(struct found *f)
{
	struct str rest = str_from(f->host->file.events), event;
	const struct json *notes;
	AUTO(free) char *path = NULL;
	bool any = false;

	if (!f->host->approvals || !f->user)
		return;
	path = at(f, f->roots->home, f->host->approvals);
	notes = read_doc(f->a, path);
	while (rest.n && str_split(&rest, ' ', &event)) {
		if (is_noted(f, notes, event)) {
			any = true;
			continue;
		}
		f->unapproved = arena_printf(f->a, "%.*s%s%.*s", STR_ARG(f->unapproved),
					     f->unapproved.n ? ", " : "", STR_ARG(event));
	}
	f->untrusted = !any;
}

static void look_at_switch(struct found *f, const struct host_switch *s, const char *top)
{
	AUTO(free) char *path = *s->file == '/' ? xstrdup(s->file) : at(f, top, s->file);
	const struct json *v = json_pointer(read_doc(f->a, path), str_from(s->at));

	if (json_is(v, J_BOOL) && json_is_true(v) == s->off)
		f->off = arena_printf(f->a, "%s (%s)", path, s->at + 1).p;
}

static void find(struct wb *wb, struct found *f)
{
	AUTO(free) char *marker =
		f->host->file.marker ? at(f, f->roots->home, f->host->file.marker) : NULL;

	find_program(f);
	f->used = f->program || (marker && fs_exists(marker));
	f->user = look(f, f->roots->home, f->host->file.user);
	if (f->roots->project && !f->roots->at_home)
		f->project = look(f, f->roots->project, f->host->file.project);
	f->user_changed = f->user && !wb_install_is_current(wb, f->host, f->roots->home, NULL);
	f->project_changed = f->project &&
			     !wb_install_is_current(wb, f->host, f->roots->home, f->roots->project);
	look_at_approval(f);
	for (const struct host_switch *s = f->host->switches; s && s->file; s++) {
		look_at_switch(f, s, f->roots->home);
		if (f->roots->project && !f->roots->at_home)
			look_at_switch(f, s, f->roots->project);
	}
}

static bool is_proven(const struct found *f)
{
	return f->host->proven && f->version && strcmp(f->version, f->host->proven) == 0;
}

/* What a hook cannot refuse there, as far as the rows say. */
static struct str unguarded(const struct found *f)
{
	static const struct {
		enum host_kind kind;
		const char *text;
	} kinds[] = { { KIND_TOOL, "calls of tools" },
		      { KIND_PROMPT, "prompts" },
		      { KIND_STOP, "the end of a turn" } };
	struct str out = str_from(f->host->unseen ? f->host->unseen : "");

	for (size_t i = 0; i < ARRAY_LEN(kinds); i++)
		if (!host_can_deny(f->host, kinds[i].kind))
			out = arena_printf(f->a, "%.*s%s%s", STR_ARG(out), out.n ? ", " : "",
					   kinds[i].text);
	return out;
}

static const struct json *value(const struct found *f)
{
	const struct json *v = json_pack(
		f->a,
		"agent:z title:z found:b ?program:z ?version:z proven:b ?provenVersion:z "
		"?provenOn:z ?provenBy:z ?user:z ?project:z",
		f->host->name, f->host->title, f->used, f->program, f->version, is_proven(f),
		f->host->proven, f->host->proven ? f->host->proven_on : NULL,
		f->host->proven ? "make agents" : NULL, f->user, f->project);

	if (f->host->approvals && f->user)
		v = json_pack_more(f->a, v, "approved:b ?notApproved:s", !f->unapproved.n,
				   f->unapproved);
	if (f->user || f->project)
		v = json_pack_more(f->a, v, "changed:b", f->user_changed || f->project_changed);
	if (f->asked)
		v = json_pack_more(f->a, v, "lastAsked:j",
				   json_pack(f->a, "at:s event:s ?subject:s id:s",
					     json_get_str(f->asked, "timestamp"),
					     json_get_str(f->asked, "event"),
					     json_get_str(f->asked, "subject"),
					     json_get_str(f->asked, "id")));
	v = json_pack_more(f->a, v, "notGuarded:s ?switchedOffBy:z ?overruledBy:z ?unasked:j",
			   unguarded(f), f->off, f->over,
			   host_names_calls(f->host) ? unasked_value(f->a, &f->unasked) : NULL);
	return f->host->file.then ? json_pack_more(f->a, v, "then:z", f->host->file.then) : v;
}

static void show_file(struct sheet *p, const char *path, bool changed)
{
	if (!path)
		return;
	sheet_text(p, PLAIN, path, 2);
	if (changed)
		sheet_text(
			p, RED,
			"changed since it was installed, or of another version: install it again",
			4);
}

static void show(struct sheet *p, const struct found *f)
{
	bool on = f->user || f->project;
	struct str not_there = unguarded(f);
	enum style style;

	sheet_f(p, on ? GREEN : PLAIN, "%s", f->host->title);
	if (f->version)
		sheet_f(p, PLAIN, " %s", f->version);
	if (is_proven(f))
		sheet_f(p, PLAIN, " (proven %s by make agents)", f->host->proven_on);
	else if (f->host->proven)
		sheet_f(p, YELLOW, " (unproven: last tested with %s)", f->host->proven);
	else
		sheet_f(p, YELLOW, " (unproven)");
	sheet_f(p, on ? PLAIN : YELLOW, on ? ": installed in\n" : ": not installed\n");
	show_file(p, f->user, f->user_changed);
	show_file(p, f->project, f->project_changed);
	if (f->off && on) {
		sheet_f(p, RED, "  its hooks are switched off, so it does not run: by\n");
		sheet_text(p, RED, f->off, 4);
	}
	if (f->untrusted)
		sheet_f(p, RED, "  not approved: it does not run. %s.\n", f->host->file.then);
	else if (f->unapproved.n)
		sheet_f(p, RED, "  not approved for %.*s: there it does not run. %s.\n",
			STR_ARG(f->unapproved), f->host->file.then);
	else if (on && f->host->file.then)
		sheet_f(p, PLAIN, "  %s.\n", f->host->file.then);
	if (f->over) {
		sheet_f(p, RED, "  another hook can overrule it (%s one that decides counts), in\n",
			f->host->order == ORDER_FIRST ? "the first" : "the last");
		sheet_text(p, PLAIN, f->over, 4);
	}
	/* What was seen to work elsewhere is one thing, that it does here another. */
	if (f->asked)
		sheet_f(p, PLAIN, "  last asked %s: %s: %s (trotline hooks why %s)\n",
			arena_z(f->a, json_get_str(f->asked, "timestamp")),
			record_what(f->a, f->asked), record_word(f->asked, &style),
			arena_z(f->a, json_get_str(f->asked, "id")));
	else if (on)
		sheet_f(p, YELLOW,
			"  no record yet: with a guard on, let it run a command, and look "
			"here again\n");
	if (f->unasked.calls) {
		sheet_f(p, PLAIN, "  ");
		unasked_show(p, f->a, &f->unasked);
	}
	if (on && not_there.n)
		sheet_f(p, DIM, "  not guarded: %.*s\n", STR_ARG(not_there));
	if (on && !host_names_calls(f->host))
		sheet_f(p, DIM,
			"  not known: calls that no hook was asked about, as its events do not name "
			"the call\n");
}

int wb_status(struct wb *wb, const void *data, int n, char **rest)
{
	AUTO(settings_roots_done) struct settings_roots roots = { 0 };
	const struct json *list = json_new_arr(&wb->arena, NULL, 0);
	const struct status_args *args = data;
	AUTO(records_done) struct records records = RECORDS_INIT;
	struct err err;
	size_t shown = 0;

	(void)n;
	(void)rest;
	if (settings_roots_find(args->dir ? wb_path(wb, args->dir) : wb->cwd, &roots, &err) < 0)
		return wb_fail_err(wb, EXIT_USAGE, &err);
	/* Records that cannot be read are no reason to keep the rest back. */
	(void)records_open(&records, roots.home, NULL);
	for (size_t i = 0; i < hosts_n; i++) {
		struct found f = { .a = &wb->arena, .host = hosts[i], .roots = &roots };

		find(wb, &f);
		f.asked = records_last_of(f.a, buf_str(&records.text), str_from(f.host->name));
		unasked_find(&f.unasked, f.a, buf_str(&records.text), str_from(f.host->name));
		if (!args->all && !f.used && !f.user && !f.project)
			continue;
		list = json_append(&wb->arena, list, value(&f));
		show(&wb->sheet, &f);
		shown++;
	}
	if (!shown)
		sheet_f(&wb->sheet, PLAIN, NO_AGENT "; --all shows those that trotline knows\n");
	wb->value = list;
	return EXIT_OK;
}
