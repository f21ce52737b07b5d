/* trotline hooks install --into AGENT, without NAME: trotline itself (docs/hosts.md). */
#include "workbench/install_agents.h"

#include "base/path.h"
#include "base/words.h"
#include "hosts/answer.h"
#include "hosts/load.h"
#include "hosts/plugins.h"
#include "os/fs.h"
#include "os/proc.h"
#include "settings/edit.h"
#include "settings/home.h"
#include "shell/calls.h"
#include "workbench/install_plugin.h"
#include "workbench/registration.h"
#include "workbench/roots.h"
#include "workbench/settings_args.h"
#include "workbench/show.h"

enum { AGENTS_MAX = 64 };

/* How our entries are known, wherever the program was when they were written. */
#define PROGRAM "trotline-hook"

/* One agent's file. */
struct job {
	struct wb *wb;
	const struct host *host;
	const char *home, *project; /* project NULL = the user's file */
	bool removing, dry_run;
	char *path;
	enum reg_status status;
	struct buf diff;
};

static void job_done(struct job *j)
{
	free(j->path);
	buf_done(&j->diff);
}
DEFINE_AUTO(struct job, job_done)

static char *path_of(const struct job *j)
{
	const struct host_file *f = &j->host->file;

	return j->project ? fs_join(j->project, f->project)
			  : home_file(j->home, (const char *const *)environ, f->user);
}

/* ---- the entry ---- */

/* Next to this program, where both were built or installed. */
static struct str program_path(struct arena *a)
{
	AUTO(free) char *self = fs_real(OWN_PROGRAM);
	AUTO(free) char *dir = path_parent(self ? self : "/usr/local/bin/trotline");
	AUTO(free) char *path = fs_join(dir, PROGRAM);

	return arena_str(a, str_from(path));
}

/* An entry whose program cannot run would deny every call of the agent. */
static int check_program(struct wb *wb)
{
	const char *path = program_path(&wb->arena).p;

	if (fs_is_program(path))
		return EXIT_OK;
	return wb_fail(wb, EXIT_USAGE,
		       "%s is missing or cannot be run; install it in the same "
		       "directory as trotline, or the agent would have every call denied",
		       path);
}

/*
 * What the command in the file does where the program cannot: it says so in the words that count
 * there.  It is read by whatever shell the agent starts.  fish has no "$?", which is an error only
 * once it is evaluated, and shows that line then; and it goes no further in a list with a program
 * that is not there, but has its "$status", which others have not.  That is in two pieces: Grok puts
 * in the values of variables by itself, and makes the call where there is none of that name.
 */
static struct str refusal(struct arena *a, const struct host *h, const struct host_event *e)
{
	struct str why = arena_printf(a,
				      "trotline-hook could not run: repair it, or remove it with: "
				      "trotline hooks uninstall --into %s",
				      h->name);
	struct host_call c = { .host = h, .event = e };
	struct host_answer answer;
	struct str text;

	if (!(h->by_json & host_on(e->kind)))
		return arena_printf(
			a,
			"eval '[ $? = 2 ] || echo \"%.*s\" >&2; exit 2' || exit 2; "
			"eval '[ \"$''status\" != 126 -a \"$''status\" != 127 ]' || exit 2",
			STR_ARG(why));
	host_deny(&c, why, &answer);
	text = arena_printf(a, "echo %.*s", STR_ARG(host_shell_quoted(a, answer.out)));
	arena_done(&c.arena);
	return text;
}

/*
 * Before something happens the command denies by itself where the program cannot; an end that was
 * denied so would never come.  A user's entry names the home directory: whoever starts the agent
 * with another HOME would leave the guards behind.
 */
static struct str command_for(struct arena *a, const struct host *h, const char *home,
			      struct str event)
{
	const struct host_event *e = host_event_find(h, event);
	struct str program = host_shell_quoted(a, program_path(a));
	struct str whose = home ? host_shell_quoted(a, str_from(home)) : STR("");
	struct str command =
		arena_printf(a, "%.*s %s%s%.*s%s%.*s", STR_ARG(program), h->name,
			     h->file.says_event ? " " : "", h->file.says_event ? (int)event.n : 0,
			     event.p, home ? " --home " : "", STR_ARG(whose));

	if (!e || (e->kind != KIND_TOOL && e->kind != KIND_PROMPT))
		return command;
	return arena_printf(a, "%.*s || %.*s", STR_ARG(command), STR_ARG(refusal(a, h, e)));
}

static const struct json *parsed(struct arena *a, const char *text)
{
	const struct json *v;

	if (!text || json_parse(a, str_from(text), 0, &v, NULL) < 0)
		return NULL;
	return v;
}

static const struct json *entry_for(struct arena *a, const struct host *h, const char *home,
				    struct str event)
{
	const struct json *command = json_new_str(a, command_for(a, h, home, event));
	const struct json *hook = NULL, *group = NULL;
	const struct host_event *e = host_event_find(h, event);
	const struct host_file *f = &h->file;

	if (f->shape == FILE_LIST) {
		hook = json_pack(a, "name:z trigger:s action:j", PROGRAM, event,
				 json_pack(a, "type:z command:j", "command", command));
	} else {
		hook = json_set(a, hook, STR("type"), json_new_str(a, STR("command")));
		hook = json_set(a, hook, str_from(f->command_key ? f->command_key : "command"),
				command);
	}
	if (f->timeout_unit_ms && host_timeout_ms(h, event))
		hook = json_set(a, hook, str_from(f->timeout_key ? f->timeout_key : "timeout"),
				json_new_int(a, host_timeout_ms(h, event) / f->timeout_unit_ms));
	if (f->extra)
		hook = json_overlay(a, hook, parsed(a, f->extra));
	if (f->shape != FILE_GROUPS || (f->flat_events && word_in_text(event, f->flat_events)))
		return hook;
	if (f->matcher && e && (ON_CALLS & host_on(e->kind)))
		group = json_set(a, NULL, STR("matcher"), json_new_str(a, str_from(f->matcher)));
	return json_set(a, group, STR("hooks"), json_new_arr(a, &hook, 1));
}

/* ---- whose it is ---- */

bool wb_is_overruled(const struct host *h, size_t at, size_t n)
{
	return (h->order == ORDER_FIRST && at > 0) || (h->order == ORDER_LAST && at + 1 < n);
}

/* Is it our program that the command starts, not another one that is told its name? */
static bool is_our_command(struct str text, const struct host *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(sh_calls_done) struct sh_calls s = { .arena = &a };

	if (str_find(text, STR(PROGRAM), 0) < 0)
		return false;
	sh_calls_read(&s, text);
	return s.n && s.p[0].n && str_eqz(sh_file_name(s.p[0].words[0].text), PROGRAM) &&
	       sh_call_is(&s.p[0], 1, h->name);
}

bool wb_is_ours(const struct json *v, const struct host *h)
{
	if (json_is(v, J_STR))
		return is_our_command(json_str(v, STR("")), h);
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		if (wb_is_ours(json_at(v, i), h))
			return true;
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++)
		if (wb_is_ours(&v->members[i].v, h))
			return true;
	return false;
}

/* The last entry of ours in a list; -1 = none.  *ret_n: how many there are. */
static ptrdiff_t find_ours(const struct json *list, const struct host *h, struct str trigger,
			   size_t *ret_n)
{
	ptrdiff_t found = -1;

	*ret_n = 0;
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		const struct json *entry = json_at(list, i);

		if (!wb_is_ours(entry, h) ||
		    (trigger.n && !str_eq(json_get_str(entry, "trigger"), trigger)))
			continue;
		found = (ptrdiff_t)i;
		++*ret_n;
	}
	return found;
}

/* ---- editing ---- */

static struct str list_path(struct settings_change *c, const struct host *h, struct str event)
{
	struct str root = str_from(h->file.root);

	return h->file.shape == FILE_LIST ? root : pointer_join(&c->arena, root, event);
}

/* Takes ours out of groups that have hooks of others, too: those groups are not ours. */
static int leave_groups(struct settings_change *c, const struct host *h, struct str path,
			struct err *err)
{
	for (size_t i = 0; json_at(json_pointer(c->e.doc, path), i); i++) {
		struct str at =
			pointer_join(&c->arena, pointer_item(&c->arena, path, i), STR("hooks"));
		const struct json *hooks = json_pointer(c->e.doc, at);
		size_t n = 0, ours = 0;

		for (; json_at(hooks, n); n++)
			ours += wb_is_ours(json_at(hooks, n), h);
		if (ours == n)
			continue;
		/* Each change reads the document anew. */
		for (size_t k = n; k-- > 0;)
			if (wb_is_ours(json_at(json_pointer(c->e.doc, at), k), h) &&
			    json_edit_remove(&c->e, pointer_item(&c->arena, at, k), err) < 0)
				return -err->code;
	}
	return 0;
}

static int put_event(struct settings_change *c, const struct host *h, struct str event,
		     struct err *err)
{
	struct str path = list_path(c, h, event);
	struct str trigger = h->file.shape == FILE_LIST ? event : STR("");
	const struct json *want = entry_for(&c->arena, h, c->project ? NULL : c->home, event);
	size_t n;
	ptrdiff_t at;

	if (leave_groups(c, h, path, err) < 0)
		return -err->code;
	at = find_ours(json_pointer(c->e.doc, path), h, trigger, &n);
	for (; n > 1; at = find_ours(json_pointer(c->e.doc, path), h, trigger, &n))
		if (json_edit_remove(&c->e, pointer_item(&c->arena, path, (size_t)at), err) < 0)
			return -err->code;
	/* C8.9: where one hook decides for all, ours has to be that one. */
	if (at >= 0 && wb_is_overruled(h, (size_t)at, json_pointer(c->e.doc, path)->n)) {
		if (json_edit_remove(&c->e, pointer_item(&c->arena, path, (size_t)at), err) < 0)
			return -err->code;
		at = -1;
	}
	if (at >= 0)
		return json_edit_set(&c->e, pointer_item(&c->arena, path, (size_t)at), want, err);
	settings_note_containers(c, path);
	return h->order == ORDER_FIRST ? json_edit_prepend(&c->e, path, want, err)
				       : json_edit_append(&c->e, path, want, err);
}

static int take_out(struct settings_change *c, void *data, struct err *err)
{
	struct job *j = data;
	struct str rest = str_from(j->host->file.events), event;
	const struct json *head = parsed(&c->arena, j->host->file.head), *made = NULL;

	while (str_split(&rest, ' ', &event)) {
		struct str path = list_path(c, j->host, event);
		ptrdiff_t at;
		size_t n;

		if (leave_groups(c, j->host, path, err) < 0)
			return -err->code;
		while ((at = find_ours(json_pointer(c->e.doc, path), j->host, STR(""), &n)) >= 0)
			if (json_edit_remove(&c->e, pointer_item(&c->arena, path, (size_t)at),
					     err) < 0)
				return -err->code;
	}
	j->status = c->e.changed ? REG_REMOVED : REG_ABSENT;
	if (settings_prune(c, err) < 0)
		return -err->code;
	/* What was noted at installation is forgotten. */
	for (size_t i = c->receipt.hooks->n; i-- > 0;) {
		const struct json *noted = json_at(c->receipt.hooks, i);

		if (!str_eqz(json_get_str(noted, "name"), PROGRAM))
			continue;
		made = json_getz(noted, "head");
		c->receipt.hooks = list_drop(&c->arena, c->receipt.hooks, i);
	}
	/* What the file has to begin with, unless somebody has made something else of it. */
	for (size_t i = 0; json_at(made, i); i++) {
		struct str key = json_str(json_at(made, i), STR(""));
		const struct json *was = json_get(head, key), *is = json_get(c->e.doc, key);

		if (was && is && json_equal(was, is) &&
		    json_edit_remove(&c->e, pointer_join(&c->arena, STR(""), key), err) < 0)
			return -err->code;
	}
	return 0;
}

static int put_in(struct settings_change *c, void *data, struct err *err)
{
	struct job *j = data;
	struct str rest = str_from(j->host->file.events), event;
	bool known = wb_is_ours(c->e.doc, j->host), noted = false;
	const struct json *head = parsed(&c->arena, j->host->file.head);
	const struct json *made = json_new_arr(&c->arena, NULL, 0);

	/* What the file has to begin with, where it has no such member yet; we note what we add. */
	for (size_t i = 0; head && i < head->n; i++) {
		struct str key = head->members[i].key;

		if (json_get(c->e.doc, key))
			continue;
		if (json_edit_set(&c->e, pointer_join(&c->arena, STR(""), key), &head->members[i].v,
				  err) < 0)
			return -err->code;
		made = json_append(&c->arena, made, json_new_str(&c->arena, key));
	}
	while (str_split(&rest, ' ', &event))
		if (put_event(c, j->host, event, err) < 0)
			return -err->code;
	j->status = !known ? REG_INSTALLED : c->e.changed ? REG_UPDATED : REG_UNCHANGED;
	/* An entry may have come with the file, from another machine. */
	for (size_t i = 0; i < c->receipt.hooks->n; i++)
		noted |= str_eqz(json_get_str(json_at(c->receipt.hooks, i), "name"), PROGRAM);
	if (!noted && c->e.changed)
		c->receipt.hooks = list_add(&c->arena, c->receipt.hooks,
					    json_pack(&c->arena, "name:z head:j", PROGRAM, made));
	return 0;
}

static int run(struct job *j, struct err *err)
{
	/* Nothing is written in a dry run, and looking makes no file. */
	AUTO(settings_unlock) int lock = j->dry_run ? -1 : settings_lock(j->home, err);

	if (lock < 0 && !j->dry_run)
		return lock;
	if (j->host->file.shape == FILE_OWN) {
		struct plugin_job p = { .arena = &j->wb->arena,
					.host = j->host,
					.top = j->project ? j->project : j->home,
					.program = program_path(&j->wb->arena),
					.home = j->project ? NULL : j->home,
					.ledger = j->home,
					.in_project = j->project != NULL,
					.removing = j->removing,
					.dry_run = j->dry_run };
		int made = wb_install_plugin(&p, err);

		j->status = p.status;
		buf_adds(&j->diff, buf_str(&p.diff));
		buf_done(&p.diff);
		return made;
	}
	AUTO(settings_change_done)
	struct settings_change c = {
		.path = j->path, .project = j->project, .home = j->home, .dry_run = j->dry_run
	};
	int r = settings_apply(&c, j->removing ? take_out : put_in, j, err);

	buf_adds(&j->diff, buf_str(&c.diff));
	return r;
}

bool wb_install_is_current(struct wb *wb, const struct host *h, const char *home,
			   const char *project)
{
	AUTO(job_done) struct job j = {
		.wb = wb, .host = h, .home = home, .project = project, .dry_run = true
	};
	struct err err;

	j.path = path_of(&j);
	return run(&j, &err) >= 0 && j.status == REG_UNCHANGED;
}

/* Who has installed a guard without a hook would believe that it guards. */
static void say_what_runs(struct wb *wb, const char *cwd, const char *home)
{
	const struct host_load load = { .home = home, .cwd = cwd };
	struct tl_hooks *hooks[HOST_ROOTS_MAX];
	struct tl_err why;
	size_t found = 0;

	sheet_f(&wb->sheet, DIM,
		"It runs the hooks and packs of ~/.trotline/settings.json and of the project's "
		".trotline/settings.json.\n");
	int n = host_load_all(&load, hooks, &why);
	if (n < 0) {
		sheet_f(&wb->sheet, YELLOW,
			"They cannot be read, so it denies; see: trotline hooks lint\n");
		return;
	}
	for (int i = 0; i < n; i++) {
		found += tl_hooks_count(hooks[i]);
		tl_hooks_unref(hooks[i]);
	}
	if (!found)
		sheet_f(&wb->sheet, YELLOW,
			"They have none yet; this switches the guard on: trotline guard on, and this "
			"writes a hook: trotline hooks init --scope user\n");
}

/* ---- which agents ---- */

/* Those that --into names, separated by commas; NULL = those that are used here. */
static int choose(struct wb *wb, const char *into, const char *home, const struct host **ret,
		  size_t *ret_n)
{
	struct str rest = str_from(into ? into : "");

	*ret_n = 0;
	for (size_t i = 0; !into && i < hosts_n; i++) {
		const struct host_file *f = &hosts[i]->file;
		AUTO(free) char *used = NULL;

		if (f->marker)
			used = home_file(home, (const char *const *)environ, f->marker);
		if (f->shape && used && fs_exists(used))
			ret[(*ret_n)++] = hosts[i];
	}
	while (rest.n) {
		ptrdiff_t comma = str_chr(rest, ',', 0);
		struct str word = str_trim(str_sub(rest, 0, comma < 0 ? rest.n : (size_t)comma));
		const struct host *h = host_find(word);

		rest = str_sub(rest, comma < 0 ? rest.n : (size_t)comma + 1, rest.n);
		if (!h) {
			const char *meant = host_nearest(word);

			return wb_fail(
				wb, EXIT_USAGE, "no agent is called \"%.*s\"%s", STR_ARG(word),
				meant ? meant_as("", meant).text : "; see: trotline hook --help");
		}
		if (!h->file.shape)
			return wb_fail(wb, EXIT_USAGE,
				       "%s has no file of hooks that could be edited; "
				       "docs/hosts.md says what to do",
				       h->title);
		for (size_t i = 0; i < *ret_n; i++)
			if (ret[i] == h)
				h = NULL;
		if (h)
			ret[(*ret_n)++] = h;
	}
	return EXIT_OK;
}

int wb_check_agents(struct wb *wb, const char *into)
{
	const struct host *chosen[AGENTS_MAX];
	size_t n;

	return choose(wb, into ? into : "", NULL, chosen, &n);
}

/* ---- saying it ---- */

static const struct json *value(struct arena *a, const struct job *j)
{
	const struct json *v =
		json_pack(a, "agent:z status:z file:z scope:z", j->host->name,
			  reg_status_name(j->status), j->path, j->project ? "project" : "user");

	if (j->host->file.then && !j->removing)
		v = json_pack_more(a, v, "then:z", j->host->file.then);
	return j->dry_run ? json_pack_more(a, v, "diff:s", buf_str(&j->diff)) : v;
}

static void show(const struct job *j)
{
	static const char *const words[] = {
		[REG_UNCHANGED] = "already in", [REG_INSTALLED] = "installed in",
		[REG_UPDATED] = "updated in",   [REG_REMOVED] = "removed from",
		[REG_ABSENT] = "not in",
	};
	struct sheet *p = &j->wb->sheet;

	if (j->dry_run && j->diff.n) {
		sheet_f(p, BOLD, "%s: ", j->host->title);
		sheet_text(p, PLAIN, j->path, 0);
		sheet_text(p, PLAIN, buf_z(&((struct job *)j)->diff), 0);
		return;
	}
	sheet_f(p, PLAIN, "%s: %s ", j->host->title,
		j->dry_run ? "would not change" : words[j->status]);
	sheet_text(p, PLAIN, j->path, 0);
	if (j->host->file.then && !j->removing && !j->dry_run)
		sheet_f(p, YELLOW, "  %s.\n", j->host->file.then);
}

int wb_install_agents(struct wb *wb, const struct settings_args *args, bool all, bool removing)
{
	AUTO(settings_roots_done) struct settings_roots roots = { 0 };
	const struct host *chosen[AGENTS_MAX];
	const struct json *list = json_new_arr(&wb->arena, NULL, 0);
	struct err err;
	size_t n;
	bool user;
	int status;

	if (!args->into && !all)
		return wb_fail(
			wb, EXIT_USAGE,
			"into which agents? --into claude,codex, or --all for those that are "
			"used here");
	status = settings_roots_of_agents(wb, args, &roots, &user);
	if (status != EXIT_OK)
		return status;
	status = choose(wb, all ? NULL : args->into, roots.home, chosen, &n);
	if (status == EXIT_OK && n && !removing)
		status = check_program(wb);
	for (size_t i = 0; status == EXIT_OK && i < n; i++) {
		const struct host_file *f = &chosen[i]->file;
		const char *name = user ? f->user : f->project;
		AUTO(job_done) struct job j = { .wb = wb,
						.host = chosen[i],
						.home = roots.home,
						.project = user ? NULL : roots.project,
						.removing = removing,
						.dry_run = args->dry_run };

		if (!name) {
			if (all)
				continue;
			return wb_fail(wb, EXIT_USAGE, "%s has no such file for %s; try --scope %s",
				       chosen[i]->title, user ? "a user" : "a project",
				       user ? "project" : "user");
		}
		j.path = path_of(&j);
		if (run(&j, &err) < 0)
			return settings_failed(wb, &err);
		wb->value = list = json_append(&wb->arena, list, value(&wb->arena, &j));
		show(&j);
	}
	wb->value = list;
	if (status == EXIT_OK && !n)
		sheet_f(&wb->sheet, PLAIN, NO_AGENT "%s\n",
			removing ? ""
				 : "; name one all the same with --into, such as --into claude");
	if (status == EXIT_OK && n && !removing)
		say_what_runs(wb, args->dir ? wb_path(wb, args->dir) : wb->cwd, roots.home);
	return status;
}
