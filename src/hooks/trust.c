#include "hooks/trust.h"

#include <linux/magic.h>
#include <sha2.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/vfs.h>

#include "base/path.h"
#include "base/vec.h"
#include "base/words.h"
#include "hooks/handlers.h"
#include "hooks/scripts.h"
#include "os/clock.h"
#include "os/fs.h"

enum {
	SCRIPT_MAX_BYTES = 8 << 20,
	SCRIPTS_MAX_BYTES = 64 << 20, /* of all scripts of a project */
	STORE_MAX_BYTES = 8 << 20,
	WORDS_MAX = 512,
	BASES_MAX = 8,
	LOCK_MS = 5000,
	CTIME_GRAIN_S = 2, /* file systems whose times are whole seconds, or every second one */
};

/* ---- the folder ---- */

/*
 * How far below the directory of a rule the project lies, -1 when it does not.  TRUST_PARENT is
 * about the directory above.  A refusal holds through links too; trust is not given by one, as who
 * can change the link would give it.
 */
static ptrdiff_t distance(const char *project, struct str path, struct str rule)
{
	AUTO(free) char *text = xstrndup(path.p, path.n);
	bool yes = str_eqz(rule, "TRUST_FOLDER") || str_eqz(rule, "TRUST_PARENT");
	bool no = str_eqz(rule, "DO_NOT_TRUST");
	AUTO(free) char *whole = yes || no ? fs_absolute("/", text) : NULL;
	AUTO(free) char *above = str_eqz(rule, "TRUST_PARENT") ? path_parent(whole) : NULL;
	AUTO(free) char *real = no ? fs_resolve(text) : NULL;
	const char *below = path_below(above ? above : whole, project);

	if (path.n == 0 || path.p[0] != '/' || strlen(text) != path.n)
		return -1;
	if (!below)
		below = path_below(real, project);
	return below ? (ptrdiff_t)strlen(below) : -1;
}

/* A file of the home directory, which holds a JSON object; an empty one when there is none. */
static int home_read(const struct tl_hooks *h, struct arena *a, const char *name,
		     const struct json **ret_v, struct err *err)
{
	AUTO(buf_done) struct buf text = { 0 };
	AUTO(free) char *path = fs_join(h->dirs.home, name);
	const struct json *v;
	int r = -E_NOTFOUND;

	/* Without a home the name would be one of the project's own files. */
	if (*h->dirs.home)
		r = fs_read(path, STORE_MAX_BYTES, &text, err);
	if (r == -E_NOTFOUND) {
		*ret_v = json_new_obj(a);
		return 0;
	}
	if (r < 0)
		return r;
	if (json_parse(a, buf_str(&text), JSON_C, &v, err) < 0)
		return err_wrap(err, "%s", path);
	if (!json_is(v, J_OBJ))
		return err_set(err, E_CONFIG, "%s: holds %s instead of an object", path,
			       json_what(v));
	*ret_v = v;
	return 0;
}

/* The same for looking only: an unreadable file trusts nothing. */
static const struct json *home_json(const struct tl_hooks *h, struct arena *a, const char *name)
{
	const struct json *v;

	return home_read(h, a, name, &v, NULL) < 0 ? json_new_obj(a) : v;
}

/* The user vouches for whatever is here: no folder list and no fingerprints are asked. */
static bool is_vouched(const struct tl_hooks *h)
{
	const char *env = env_get(h->dirs.env, "GEMINI_CLI_TRUST_WORKSPACE");

	return (h->load_flags & TL_LOAD_TRUST) || !h->set.folder_trust ||
	       (env && strcmp(env, "true") == 0);
}

static bool is_refused(const struct tl_hooks *h)
{
	const char *env = env_get(h->dirs.env, "GEMINI_CLI_TRUST_WORKSPACE");

	return !(h->load_flags & TL_LOAD_TRUST) && env && strcmp(env, "false") == 0;
}

void trust_folder(struct tl_hooks *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *real = NULL;
	const struct json *list;
	const char *project;
	ptrdiff_t nearest = PTRDIFF_MAX;

	h->folder_trusted = !is_refused(h) && is_vouched(h);
	if (is_refused(h) || h->folder_trusted)
		return;
	list = home_json(h, &a, ".gemini/trustedFolders.json");
	real = fs_real(h->dirs.project);
	project = real ? real : h->dirs.project;
	for (size_t i = 0; i < list->n; i++) {
		const struct json_member *m = &list->members[i];
		struct str rule = json_str(&m->v, STR(""));
		bool yes = !str_eqz(rule, "DO_NOT_TRUST");
		ptrdiff_t far = distance(project, m->key, rule);

		if (far < 0 || far > nearest)
			continue;
		/* The nearest directory decides; of two rules for it the refusal. */
		h->folder_trusted = far == nearest ? h->folder_trusted && yes : yes;
		nearest = far;
	}
}

/* ---- fingerprints ---- */

static void hash_str(SHA2_CTX *ctx, struct str s)
{
	uint64_t n = s.n; /* lengths keep "ab","c" and "a","bc" apart */

	SHA256Update(ctx, (const uint8_t *)&n, sizeof n);
	SHA256Update(ctx, (const uint8_t *)s.p, s.n);
}

static void hash_count(SHA2_CTX *ctx, const char *what, size_t n)
{
	hash_str(ctx, str_from(what));
	hash_str(ctx, (struct str){ (const char *)&n, sizeof n });
}

/* A file or directory behind hooks, as it was when they were loaded; several may start it. */
struct script {
	struct script *next;
	const char *path;
	const char *shown;
	struct stat st; /* from before its bytes were read */
	enum script_kind kind;
	bool unread; /* too large, or not readable: its status replaces its bytes */
	bool timeless; /* a file system on which a file can change without a trace in its times */
	atomic_bool young; /* changed so lately that another change may leave the same times */
	char hex[SHA256_DIGEST_STRING_LENGTH];
};

/* The names in a directory that make it, or something in it, a module of python's. */
static void hash_modules(SHA2_CTX *ctx, const char *dir, bool package, bool deep)
{
	static const char *const ends[] = { ".py", ".pyc", ".so" };
	AUTO(fs_names_done) struct fs_names names = { 0 };

	if (fs_list(dir, &names, NULL) < 0)
		hash_str(ctx, STR("unreadable"));
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);
		struct str name = str_from(names.p[i]);

		if (TEXT_ENDS(name, ends) && (!package || str_starts(name, STR("__init__."))))
			hash_str(ctx, name);
		else if (!package && deep && strcmp(names.p[i], "__pycache__") != 0 &&
			 str_chr(name, '.', 0) < 0 && fs_is_dir(path))
			hash_modules(ctx, path, true, false);
	}
}

static int digest_bytes(const struct script *s, struct buf *bytes,
			char hex[SHA256_DIGEST_STRING_LENGTH], struct err *err)
{
	SHA2_CTX ctx;
	int r;

	SHA256Init(&ctx);
	hash_str(&ctx, str_from(s->path));
	if (s->kind == SCRIPT_MODULES || s->kind == SCRIPT_PACKAGE) {
		hash_modules(&ctx, s->path, s->kind == SCRIPT_PACKAGE, true);
	} else {
		r = fs_read(s->path, SCRIPT_MAX_BYTES, bytes, err);
		if (r < 0)
			return r;
		hash_str(&ctx, buf_str(bytes));
	}
	SHA256End(&ctx, hex);
	return 0;
}

/* Writing through a mapping leaves the times alone on others, such as tmpfs. */
static bool is_timeless(const char *path)
{
	static const unsigned long known[] = { EXT4_SUPER_MAGIC, XFS_SUPER_MAGIC, BTRFS_SUPER_MAGIC,
					       F2FS_SUPER_MAGIC, OVERLAYFS_SUPER_MAGIC };
	struct statfs fs;

	if (statfs(path, &fs) < 0)
		return true;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if ((unsigned long)fs.f_type == known[i])
			return false;
	return true;
}

static bool is_young(const struct stat *st)
{
	return st->st_ctim.tv_sec + CTIME_GRAIN_S >= clock_wall_ms() / 1000;
}

/* Its bytes; of one that is too large to be read each time, what changes with them. */
static void look_at(struct tl_hooks *h, struct script *s)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	SHA2_CTX ctx;

	if (s->kind == SCRIPT_ABSENT) {
		SHA256Init(&ctx);
		hash_str(&ctx, str_from(s->path));
		hash_str(&ctx, STR("absent"));
		SHA256End(&ctx, s->hex);
		return;
	}
	/* Whoever changes it from here on leaves other times, or is seen in the bytes. */
	(void)stat(s->path, &s->st);
	atomic_init(&s->young, is_young(&s->st));
	h->script_bytes += (size_t)s->st.st_size;
	s->timeless = S_ISREG(s->st.st_mode) && is_timeless(s->path);
	s->unread = s->kind == SCRIPT_PROGRAM || h->script_bytes > SCRIPTS_MAX_BYTES ||
		    digest_bytes(s, &bytes, s->hex, NULL) < 0;
	if (!s->unread)
		return;
	h->script_bytes -= (size_t)s->st.st_size;
	SHA256Init(&ctx);
	hash_str(&ctx, str_from(s->path));
	hash_count(&ctx, "size", (size_t)s->st.st_size);
	hash_count(&ctx, "changed", (size_t)s->st.st_ctim.tv_sec);
	hash_count(&ctx, "nanoseconds", (size_t)s->st.st_ctim.tv_nsec);
	SHA256End(&ctx, s->hex);
}

static struct script *script_at(struct tl_hooks *h, const struct script_path *p)
{
	struct script *s = h->scripts;

	while (s && (strcmp(s->path, p->path) != 0 || s->kind != p->kind))
		s = s->next;
	if (s)
		return s;
	s = ARENA_NEW(&h->arena, struct script);
	s->path = s->shown = p->path;
	s->kind = p->kind;
	if (p->kind == SCRIPT_MODULES || p->kind == SCRIPT_PACKAGE)
		s->shown = arena_printf(&h->arena, "%s/%s.py", p->path,
					p->kind == SCRIPT_PACKAGE ? "__init__" : "*")
				   .p;
	s->next = h->scripts;
	h->scripts = s;
	look_at(h, s);
	return s;
}

static bool same_time(struct timespec a, struct timespec b)
{
	return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

static void stamp_add(uint64_t *stamp, uint64_t v)
{
	*stamp = (*stamp ^ v) * 0x100000001b3;
}

static bool has_status(const struct script *s, const struct stat *now)
{
	return fs_is_same(&s->st, now) && s->st.st_size == now->st_size &&
	       same_time(s->st.st_mtim, now->st_mtim) && same_time(s->st.st_ctim, now->st_ctim);
}

static bool is_as_loaded(struct script *s, bool guard, uint64_t *stamp)
{
	AUTO(buf_done) struct buf bytes = { 0 };
	char hex[SHA256_DIGEST_STRING_LENGTH];
	struct stat now;
	bool same;

	if (stat(s->path, &now) < 0)
		return s->kind == SCRIPT_ABSENT;
	if (s->kind == SCRIPT_ABSENT)
		return false;
	if (!S_ISDIR(now.st_mode)) { /* files that are no module come and go in directories */
		stamp_add(stamp, now.st_dev);
		stamp_add(stamp, now.st_ino);
		stamp_add(stamp, (uint64_t)now.st_ctim.tv_sec);
		stamp_add(stamp, (uint64_t)now.st_ctim.tv_nsec);
	}
	same = has_status(s, &now);
	if (s->unread || (same && !atomic_load(&s->young) && !(guard && s->timeless)))
		return same;
	if (digest_bytes(s, &bytes, hex, NULL) < 0 || strcmp(hex, s->hex) != 0)
		return false;
	if (same && !is_young(&now))
		atomic_store(&s->young, false);
	return true;
}

const char *trust_changed_script(const struct hook *hook, uint64_t *ret_stamp)
{
	*ret_stamp = 0;
	for (size_t i = 0; i < hook->nscripts; i++)
		if (!is_as_loaded(hook->scripts[i], hook->guard, ret_stamp) && !hook->stamps_only)
			return hook->scripts[i]->shown;
	return NULL;
}

const char *trust_script(const struct hook *hook, size_t k)
{
	return k < hook->nscripts ? hook->scripts[k]->path : NULL;
}

int trust_read_script(const struct hook *hook, size_t k, struct buf *out, struct err *err)
{
	const struct script *s = hook->scripts[k];
	char hex[SHA256_DIGEST_STRING_LENGTH];
	struct stat now;
	bool same;
	int r;

	if (s->unread) {
		r = fs_read(s->path, SCRIPT_MAX_BYTES, out, err);
		same = stat(s->path, &now) == 0 && has_status(s, &now);
	} else {
		r = digest_bytes(s, out, hex, err);
		same = r == 0 && strcmp(hex, s->hex) == 0;
	}
	if (r < 0 || same)
		return r;
	buf_clear(out);
	return err_set(err, E_UNTRUSTED,
		       "%s changed after the hooks were read: its text is not the one that an "
		       "approval would be of; start again",
		       s->shown);
}

/* The files behind the command: of a project's hook their bytes are part of what is approved. */
static void find_scripts(struct tl_hooks *h, struct hook *hook)
{
	bool of_project = is_of_project(hook->tier, hook->extension);
	struct script_paths found;

	if (hook->handler || hook->policy)
		return;
	scripts_find(h, hook, &found);
	hook->scripts = ARENA_ARRAY(&h->arena, struct script *, found.n + 1);
	hook->nscripts = found.n;
	for (size_t i = 0; i < found.n; i++)
		hook->scripts[i] = script_at(h, &found.p[i]);
	for (size_t i = 0; i < found.n && of_project && !*hook->script; i++)
		if (found.p[i].kind == SCRIPT_FILE)
			hook->script = found.p[i].path;
	hook->unwatched = found.unwatched ? found.unwatched : "";
	if (found.unwatched && !(h->load_flags & TL_LOAD_ONE_CALL && hook->scripts_later))
		diag_add(&h->diags, hook->guard ? TL_SEVERITY_WARNING : TL_SEVERITY_NOTE,
			 "unwatched-hook", &hook->at,
			 "the hook \"%s\" is unwatched: %s; a change of its files goes unnoticed "
			 "unless \"watch\" names them",
			 hook_label(&h->arena, hook), hook->unwatched);
}

void trust_find_scripts(struct tl_hooks *h, struct hook *hook)
{
	(void)pthread_mutex_lock(&h->scripts_lock);
	if (hook->scripts_later)
		find_scripts(h, hook);
	hook->scripts_later = false;
	(void)pthread_mutex_unlock(&h->scripts_lock);
}

static void fingerprint(struct tl_hooks *h, struct hook *hook)
{
	char hex[SHA256_DIGEST_STRING_LENGTH];
	size_t nargs = 0;
	SHA2_CTX ctx;

	while (hook->args && hook->args[nargs])
		nargs++;
	SHA256Init(&ctx);
	hash_str(&ctx, STR("trotline hook 2"));
	hash_str(&ctx, str_from(hook->as->name));
	hash_str(&ctx, str_from(hook->dialect->name));
	hash_str(&ctx, hook->matcher.text);
	hash_str(&ctx, str_from(hook->command));
	hash_count(&ctx, hook->args ? "args" : "no args", nargs);
	for (size_t i = 0; i < nargs; i++)
		hash_str(&ctx, str_from(hook->args[i]));
	hash_count(&ctx, "env", hook->nenv);
	for (size_t i = 0; i < hook->nenv; i++) {
		hash_str(&ctx, str_from(hook->env[i].name));
		hash_str(&ctx, str_from(hook->env[i].value));
	}
	if (hook->if_rule) { /* else approvals stay what they were before it counted */
		hash_str(&ctx, STR("if"));
		hash_str(&ctx, str_from(hook->if_rule));
	}
	if (hook->handler) {
		hash_str(&ctx, str_from(hook->handler->type));
		hash_str(&ctx, str_from(hook->own_text));
	}
	if (hook->granted) {
		hash_str(&ctx, STR(HTTP_URLS_KEY));
		hash_str(&ctx, str_from(hook->granted));
	}
	if (hook->agent || hook->skill) {
		hash_str(&ctx, hook->agent ? STR("agent") : STR("skill"));
		hash_str(&ctx, str_from(hook->agent ? hook->agent : hook->skill));
	}
	for (size_t i = 0; hook->watch && hook->watch[i]; i++) {
		hash_str(&ctx, STR("watch"));
		hash_str(&ctx, str_from(hook->watch[i]));
	}
	if (hook->sandbox_own) {
		hash_str(&ctx, STR("sandbox"));
		hash_str(&ctx, str_from(hook->sandbox->text));
	}
	find_scripts(h, hook);
	for (size_t i = 0; i < hook->nscripts; i++)
		hash_str(&ctx, str_from(hook->scripts[i]->hex));
	SHA256End(&ctx, hex);
	hook->fingerprint = arena_z(&h->arena, str_from(hex));
}

/* What fingerprint() covers, but for the files, as people read it. */
static void define(struct tl_hooks *h, struct hook *hook)
{
	AUTO(buf_done) struct buf out = { 0 };

	buf_addf(&out, "event %s\ndialect %s\nmatcher %.*s\n%s %s\n", hook->as->name,
		 hook->dialect->name, STR_ARG(hook->matcher.text),
		 hook->handler ? hook->handler->type : "command",
		 hook->handler ? hook->own_text : hook->command);
	if (hook->granted)
		buf_addf(&out, "leads to addresses that are not public, by " HTTP_URLS_KEY " %s\n",
			 hook->granted);
	for (size_t i = 0; hook->args && hook->args[i]; i++)
		buf_addf(&out, "argument %s\n", hook->args[i]);
	for (size_t i = 0; i < hook->nenv; i++)
		buf_addf(&out, "variable %s=%s\n", hook->env[i].name, hook->env[i].value);
	if (hook->if_rule)
		buf_addf(&out, "if %s\n", hook->if_rule);
	if (hook->agent || hook->skill)
		buf_addf(&out,
			 hook->agent ? "while the agent %s runs\n"
				     : "once the skill %s is active\n",
			 hook->agent ? hook->agent : hook->skill);
	for (size_t i = 0; hook->watch && hook->watch[i]; i++)
		buf_addf(&out, "watch %s\n", hook->watch[i]);
	if (hook->sandbox_own)
		buf_addf(&out, "sandbox %s\n", hook->sandbox->text);
	hook->definition = arena_z(&h->arena, buf_str(&out));
}

/* ---- what was approved ---- */

#define STORE ".trotline/trusted_hooks.json"

/* { "<project>": { "<fingerprint>": "<event> <id>" } } */
static const struct json *approved(const struct tl_hooks *h, struct arena *a)
{
	return json_get(home_json(h, a, STORE), str_from(h->dirs.project));
}

static char *identity(const struct hook *hook)
{
	return xasprintf("%s %s", hook->as->name, hook->id);
}

static void hold_back(struct hook *hook, const char *why)
{
	if (hook->state != TL_STATE_WOULD_RUN)
		return;
	hook->state = TL_STATE_UNTRUSTED;
	hook->why = why;
}

static void trust_hook(struct tl_hooks *h, struct hook *hook, const struct json *known)
{
	AUTO(free) char *id = identity(hook);

	fingerprint(h, hook);
	define(h, hook);
	hook->trust =
		json_get(known, str_from(hook->fingerprint)) ? TL_TRUST_APPROVED : TL_TRUST_NEW;
	for (size_t i = 0; hook->trust == TL_TRUST_NEW && json_is(known, J_OBJ) && i < known->n;
	     i++)
		if (str_eqz(json_str(&known->members[i].v, STR("")), id))
			hook->trust = TL_TRUST_CHANGED;
	if (h->load_flags & TL_LOAD_NO_PROJECT) {
		hold_back(hook, "project hooks are left out of this run");
	} else if (is_refused(h) || !h->folder_trusted) {
		hold_back(hook, "the folder is not trusted; see: trotline hooks trust");
	} else if (!is_vouched(h) && hook->trust == TL_TRUST_NEW) {
		hold_back(hook, "new, not approved yet; see: trotline hooks trust");
	} else if (!is_vouched(h) && hook->trust == TL_TRUST_CHANGED) {
		hold_back(hook, "changed since it was approved; see: trotline hooks trust");
	} else if (hook->trust != TL_TRUST_APPROVED) {
		diag_add(&h->diags, TL_SEVERITY_NOTE, "unapproved-hook", &hook->at,
			 "the project's hook \"%s\" is %s and runs, because folder trust is off "
			 "or was given for this run",
			 hook_label(&h->arena, hook),
			 hook->trust == TL_TRUST_NEW ? "new" : "changed");
	}
}

/* What was approved and is there no more: whoever took it out may not have been the user. */
static void say_gone(struct tl_hooks *h, const struct json *known)
{
	for (size_t i = 0; json_is(known, J_OBJ) && i < known->n; i++) {
		struct str id = json_str(&known->members[i].v, STR(""));
		bool there = false;

		for (size_t k = 0; k < h->nhooks && !there; k++) {
			AUTO(free) char *own = identity(h->hooks[k]);

			there = str_eqz(id, own);
		}
		if (!there)
			diag_add(
				&h->diags, TL_SEVERITY_WARNING, "approved-hook-gone", NULL,
				"the approved hook \"%.*s\" is no longer in the project's settings; "
				"trotline hooks trust approves what is there now, --revoke forgets it",
				STR_ARG(id));
	}
}

void trust_hooks(struct tl_hooks *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *known = NULL;
	bool looked = false;

	for (size_t i = 0; i < h->nhooks; i++) {
		struct hook *hook = h->hooks[i];

		if (h->load_flags & TL_LOAD_ONLY_PROJECT &&
		    !is_of_project(hook->tier, hook->extension) &&
		    hook->state == TL_STATE_WOULD_RUN) {
			hook->state = TL_STATE_DISABLED;
			hook->why = "it runs with the first folder of the workspace";
		}
		if (hook->is_rule || !is_of_project(hook->tier, hook->extension)) {
			hook->stamps_only = !hook->guard && hook->warm;
			hook->scripts_later = (hook->guard && !hook->runtime && !hook->policy) ||
					      hook->stamps_only;
			if (!(h->load_flags & TL_LOAD_ONE_CALL))
				trust_find_scripts(h, hook);
			continue;
		}
		if (!looked)
			known = approved(h, &a);
		looked = true;
		trust_hook(h, hook, known);
	}
	/* Another agent's hook does not read all files. */
	if (!h->agent_reads && !(h->load_flags & (TL_LOAD_NO_FILES | TL_LOAD_NO_PROJECT)))
		say_gone(h, looked ? known : approved(h, &a));
}

/* Rewrites one JSON object file of the home directory: key gets v, or is removed when v is NULL. */
static int home_json_set(const struct tl_hooks *h, const char *name, struct str key,
			 const struct json *v, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *path = fs_join(h->dirs.home, name);
	AUTO(free) char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
	AUTO(free) char *lock_path = xasprintf("%s.lock", path);
	AUTO(buf_done) struct buf out = { 0 };
	int r;

	if (!*h->dirs.home)
		return err_set(err, E_NOTFOUND, "no home directory to remember it in: set HOME");
	r = fs_mkdirs(dir, 0700, err);
	if (r < 0)
		return r;
	AUTO(close) int lock = fs_lock(lock_path, LOCK_MS, err);
	if (lock < 0)
		return lock;
	const struct json *old;
	r = home_read(h, &a, name, &old, err);
	if (r < 0)
		return r;
	const struct json *new = v ? json_set(&a, old, key, v) : json_without(&a, old, key);
	(void)json_write(&out, new, JSON_PRETTY);
	buf_addc(&out, '\n');
	return fs_replace(path, buf_str(&out), 0600, err);
}

/* { "<project>": true } */
#define SANDBOX_STORE ".trotline/sandboxed_projects.json"

enum sandbox_project trust_sandbox(const struct tl_hooks *h)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *said =
		json_get(home_json(h, &a, SANDBOX_STORE), str_from(h->dirs.project));

	if (json_is(said, J_BOOL))
		return said->yes ? SANDBOX_ON : SANDBOX_OFF;
	return said ? SANDBOX_ON : SANDBOX_UNSAID;
}

int trust_keep_sandbox(const struct tl_hooks *h, bool yes, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };

	return home_json_set(h, SANDBOX_STORE, str_from(h->dirs.project), json_new_bool(&a, yes),
			     err);
}

int trust_approve(const struct tl_hooks *h, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *real = fs_real(h->dirs.project);
	const struct json *known = json_new_obj(&a);
	int r;

	for (size_t i = 0; i < h->nhooks; i++) {
		const struct hook *hook = h->hooks[i];
		AUTO(free) char *id = identity(hook);

		if (!hook->is_rule && is_of_project(hook->tier, hook->extension))
			known = json_set(&a, known, str_from(hook->fingerprint),
					 json_new_copy(&a, str_from(id)));
	}
	r = home_json_set(h, STORE, str_from(h->dirs.project), known, err);
	if (r < 0)
		return r;
	return home_json_set(h, ".gemini/trustedFolders.json",
			     str_from(real ? real : h->dirs.project),
			     json_new_str(&a, STR("TRUST_FOLDER")), err);
}

int trust_revoke(const struct tl_hooks *h, bool refuse, struct err *err)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) char *real = fs_real(h->dirs.project);
	const struct json *known = approved(h, &a);
	int forgotten = json_is(known, J_OBJ) ? (int)known->n : 0;
	int r;

	r = home_json_set(h, STORE, str_from(h->dirs.project), NULL, err);
	if (r == 0 && trust_sandbox(h) != SANDBOX_UNSAID)
		r = home_json_set(h, SANDBOX_STORE, str_from(h->dirs.project), NULL, err);
	if (r < 0)
		return r;
	r = home_json_set(h, ".gemini/trustedFolders.json", str_from(real ? real : h->dirs.project),
			  refuse ? json_new_str(&a, STR("DO_NOT_TRUST")) : NULL, err);
	return r < 0 ? r : forgotten;
}
