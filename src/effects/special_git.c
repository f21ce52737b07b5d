/* git: what comes before its subcommand, and the commands that its words may hold. */
#include "base/wild.h"
#include "base/words.h"
#include "secrets/secrets.h"
#include "shell/calls.h"

#include "effects/git_settings.h"

/* An alias: "!text" for a shell, or words of git. */
static void run_git_alias(struct run *r, const struct call *c, struct str value,
			  const struct str *rest, size_t nrest)
{
	struct str all[2] = { value, text_join(r, rest, nrest, ' ') };

	if (str_starts(value, STR("!")))
		all[0] = str_sub(value, 1, value.n);
	else
		all[0] = arena_printf(r->a, "git %.*s", STR_ARG(value));
	call_shell(r, c, nrest ? text_join(r, all, 2, ' ') : all[0]);
}

/* Options of git itself; returns where the subcommand is. */
static size_t git_options(struct run *r, const struct call *c, struct git_settings *s)
{
	size_t i = 1;

	for (; i < c->n && c->words[i].n && c->words[i].p[0] == '-'; i++) {
		struct str w = c->words[i], next = i + 1 < c->n ? c->words[i + 1] : STR("");

		if (str_eqz(w, "-C")) {
			r->cwd = joined(r, next);
			i++;
		} else if (str_eqz(w, "-c")) {
			git_setting_take(r, s, next);
			i++;
		} else if (str_eqz(w, "--work-tree")) {
			r->cwd = joined(r, next);
			i++;
		} else if (str_starts(w, STR("--work-tree="))) {
			r->cwd = joined(r, str_sub(w, 12, w.n));
		} else if (str_starts(w, STR("--config-env"))) { /* =NAME=VARIABLE */
			struct str setting = w.n > 12 ? str_sub(w, 13, w.n) : next;
			ptrdiff_t eq = str_chr(setting, '=', 0);

			if (eq > 0)
				git_setting_add(
					r, s, str_sub(setting, 0, (size_t)eq),
					variable(r, str_sub(setting, (size_t)eq + 1, setting.n)));
			i += w.n == 12;
		} else if (str_starts(w, STR("--git-dir"))) {
			binding_set(r, &r->vars, STR("GIT_DIR"),
				    joined(r, w.n > 9 ? str_sub(w, 10, w.n) : next));
			i += w.n == 9;
		} else if (str_eqz(w, "--namespace") || str_eqz(w, "--super-prefix")) {
			i++;
		}
	}
	return min_size(i, c->n);
}

static const struct {
	const char *subs, *hooks;
} hooks[] = {
	{ "commit", "pre-commit prepare-commit-msg commit-msg post-commit" },
	{ "push", "pre-push" },
	{ "checkout switch clone", "post-checkout" },
	{ "merge pull", "pre-merge-commit post-merge" },
	{ "rebase", "pre-rebase post-rewrite" },
	{ "am", "applypatch-msg pre-applypatch post-applypatch" },
};

/*
 * Hooks that a subcommand runs.  Those in .git/hooks only where the text itself writes them, which
 * is stopped otherwise; core.hooksPath may be any directory of the project.
 */
static void run_git_hooks(struct run *r, const struct call *c, struct git_settings *s,
			  struct str sub)
{
	const struct str *dir;
	struct str hook, path, text;
	size_t i = 0;

	while (i < ARRAY_LEN(hooks) && !word_in_text(sub, hooks[i].subs))
		i++;
	if (i == ARRAY_LEN(hooks))
		return;
	git_settings_of_files(r, s);
	dir = git_setting(s, STR("core.hookspath"));
	for (struct str rest = str_from(hooks[i].hooks); str_split(&rest, ' ', &hook);) {
		path = arena_printf(r->a, ".git/hooks/%.*s", STR_ARG(hook));
		if (file_get(r, path, &text))
			call_script(r, c, CODE_SHELL, path);
		if (!dir || !dir->n)
			continue;
		path = arena_printf(r->a, "%.*s/%.*s", STR_ARG(*dir), STR_ARG(hook));
		if (file_read(r, path, &text))
			call_script(r, c, CODE_OTHER, path);
		/* husky's are in the directory above. */
		path = arena_printf(r->a, "%.*s%.*s", (int)dir->n - 1, dir->p, STR_ARG(hook));
		if (str_ends(*dir, STR("/_")) && file_read(r, path, &text))
			call_script(r, c, CODE_SHELL, path);
	}
}

static void run_setting(struct run *r, const struct call *c, struct str key, struct str value)
{
	if (!git_setting_runs(key))
		return;
	if (str_eqz(key, "core.hookspath"))
		call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
	else
		call_shell(r, c, str_sub(value, str_starts(value, STR("!")), value.n));
}

/* "now" for what git keeps of commits that no branch has any more. */
static bool expires(const struct git_settings *s, struct str sub)
{
	for (size_t i = 0; i < s->key.n && word_in_text(sub, "gc reflog prune maintenance"); i++)
		if (str_starts(s->key.p[i], STR("gc.")) && str_ends(s->key.p[i], STR("expire")) &&
		    word_in_text(s->value.p[i], "now all 0"))
			return true;
	return false;
}

/* ---- git config ---- */

/* Values that name what people look at text with, or switch something. */
static bool is_ordinary(struct str value)
{
	struct str rest = value, word;
	bool first = true;

	while (rest.n && str_split(&rest, ' ', &word)) {
		if (first ? !word_in_text(word,
					  "true false cat less more most vim vi nvim nano emacs "
					  "hx delta bat diff-so-fancy code meld cache store "
					  "osxkeychain manager manager-core wincred libsecret")
			  : !word_in_text(word,
					  "--wait -w --nofork -nw -F -R -X -FR -FX -FRX --dark "
					  "--light") &&
				    !str_starts(word, STR("--timeout=")))
			return false;
		first = false;
	}
	return !first;
}

static void run_git_config(struct run *r, const struct call *c, const struct args *a)
{
	const struct option *file = args_option(a, "-f|--file");
	struct str key, value, path = file && file->has_value ? file->value : STR("");
	size_t i = 1;

	if (args_option(a, "--unset|--unset-all") && a->noperands > 1 &&
	    str_eqz(git_setting_key(r, a->operands[1]), "core.hookspath"))
		call_add(r, c, (struct effect){ .kind = EFFECT_GUARD_OFF });
	if (args_option(a, "--get|--list|-l|--unset|--get-all|--get-regexp|--get-urlmatch"))
		return;
	if (file && !path.n && i < a->noperands) /* as the tables know -f, it has no value */
		path = a->operands[i++];
	if (i < a->noperands && word_in_text(a->operands[i], "get list"))
		return;
	if (i < a->noperands && word_in_text(a->operands[i], "set add"))
		i++;
	if (path.n && (i + 1 < a->noperands || args_option(a, "--unset-all|--remove-section|-e")))
		call_path(r, c, (struct effect){ .kind = EFFECT_WRITE }, path);
	if (a->noperands < i + 2)
		return;
	key = git_setting_key(r, a->operands[i]);
	value = a->operands[i + 1];
	binding_set(r, &r->e->state->settings, key, value);
	if (str_starts(key, STR("alias."))) {
		if (str_starts(value, STR("!")))
			call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
		run_git_alias(r, c, value, NULL, 0);
		return;
	}
	if ((git_setting_runs(key) && !is_ordinary(value)) || git_setting_leads(key))
		call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
	if (str_eqz(key, "core.hookspath") || str_chr(value, ' ', 0) > 0)
		run_setting(r, c, key, value);
}

/* ---- options and operands ---- */

/* "sh -c rm% -rf% x" of ext:: */
static void run_ext(struct run *r, struct str text)
{
	struct fields words = { 0 };
	AUTO(buf_done) struct buf word = { 0 };

	for (size_t i = 0; i <= text.n; i++) {
		if (i == text.n || text.p[i] == ' ') {
			field_add(r, &words, arena_str(r->a, buf_str(&word)));
			word.n = 0;
		} else if (text.p[i] == '%' && i + 1 < text.n) {
			buf_addc(&word, text.p[++i]);
		} else {
			buf_addc(&word, text.p[i]);
		}
	}
	run_call(r, words.p, words.n);
}

/* `submodule foreach [--recursive] COMMAND`: one word is text, more are a program. */
static void run_foreach(struct run *r, const struct call *c)
{
	size_t i = 1;

	while (i < c->n && !str_eqz(c->words[i], "foreach"))
		i++;
	for (i++; i < c->n && c->words[i].n && c->words[i].p[0] == '-';)
		i++;
	if (i + 1 == c->n)
		call_shell(r, c, c->words[i]);
	else
		call_rest(r, c, i);
}

/* Branches that others work on. */
static bool is_shared(struct str branch)
{
	static const char *const names[] = { "main", "master", "trunk", "develop", "production" };

	if (str_starts(branch, STR("refs/heads/")))
		branch = str_sub(branch, 11, branch.n);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (value_fits(branch, str_from(names[i])) || str_eqz(branch, "*"))
			return true;
	return false;
}

/* `fetch +x:y` sets the local branch y, and what was in it is lost. */
static void see_fetch(struct run *r, const struct call *c, const struct args *a)
{
	bool forced = args_option(a, "-f|--force") != NULL;

	for (size_t i = 2; i < a->noperands; i++) {
		struct str w = a->operands[i];
		ptrdiff_t colon = str_chr(w, ':', 0);
		bool plus = str_starts(w, STR("+"));

		if (colon > 0 && (plus || forced) && is_shared(str_sub(w, (size_t)colon + 1, w.n)))
			call_add(r, c, (struct effect){ .kind = EFFECT_GIT_LOSS });
	}
}

/* remote.NAME.END of the remote that is meant; without a name of any. */
static bool is_of_remote(struct str key, const struct args *a, const char *end)
{
	struct str name, to = a->noperands > 1 ? a->operands[1] : STR("");

	if (!str_starts(key, STR("remote.")) || !str_ends(key, str_from(end)))
		return false;
	name = str_sub(key, 7, max_size(7, key.n - strlen(end)));
	return !to.n || !value_known(to) || str_eq_icase(name, to);
}

/* Settings that make a push one of --force or --mirror, or let a fetch set local branches. */
static void see_forced(struct run *r, const struct call *c, const struct git_settings *s,
		       const struct args *a)
{
	bool push = str_eqz(a->operands[0], "push"), forced = false;

	if (args_option(a, "-n|--dry-run"))
		return;
	for (size_t i = 0; i < s->key.n; i++) {
		struct str key = s->key.p[i], value = s->value.p[i];

		if (push && is_of_remote(key, a, ".push")) /* +FROM:TO, :TO, or who knows */
			forced |= str_starts(value, STR("+")) || !value_known(value) ||
				  (value.n > 1 && value.p[0] == ':');
		else if (!push && is_of_remote(key, a, ".fetch"))
			forced |= str_starts(value, STR("+")) &&
				  (str_find(value, STR(":refs/heads/"), 0) > 0 ||
				   str_find(value, STR(":refs/*"), 0) > 0);
		else if (push && is_of_remote(key, a, ".mirror"))
			forced |= !word_in_text(value, "false no off 0");
	}
	if (forced)
		call_add(r, c, (struct effect){ .kind = EFFECT_GIT_LOSS, .forced = push });
}

/* clone URL [FOLDER]: the operand `at` is the address. */
static void see_clone(struct run *r, const struct args *a, size_t at)
{
	bool named = a->noperands > at + 1 && a->after > at + 1;
	struct str dir;

	if (a->noperands <= at)
		return;
	dir = named ? a->operands[at + 1] : sh_file_name(a->operands[at]);
	if (!named && str_ends(dir, STR(".git")))
		dir.n -= 4;
	fetched_add(r, dir);
}

bool repository_clone(struct run *r, const struct call *c)
{
	struct args a;

	args_of(r, &a, c, sh_file_name(c->words[0]));
	if (a.noperands > 1 && str_eqz(a.operands[0], "repo") && str_eqz(a.operands[1], "clone"))
		see_clone(r, &a, 2);
	else if (a.noperands && str_eqz(a.operands[0], "clone"))
		see_clone(r, &a, 1);
	return false;
}

/* clone -c KEY=VALUE: it counts while it clones, and in the new repository. */
static void run_clone_setting(struct run *r, const struct call *c, struct str setting)
{
	ptrdiff_t eq = str_chr(setting, '=', 0);
	struct str key = git_setting_key(r, str_sub(setting, 0, eq < 0 ? setting.n : (size_t)eq));

	if (git_setting_runs(key) || git_setting_leads(key))
		call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
	run_setting(r, c, key, str_sub(setting, eq < 0 ? setting.n : (size_t)eq + 1, setting.n));
}

static struct str remote_key(struct run *r, struct str dir, struct str name)
{
	return arena_printf(r->a, "%.*s %.*s", STR_ARG(dir), STR_ARG(name));
}

/* In a temporary folder nothing was there before: other shells of the same text know it, too. */
static void add_remote(struct run *r, struct str dir, struct str name, struct str to)
{
	struct str key = remote_key(r, dir, name);

	made_add(r, MADE_REMOTE, key, to);
	if (str_starts(dir, STR("/")) && (effects_places(r->e, dir, r->cwd) & PLACE_TEMP))
		binding_set(r, &r->e->state->remotes, key, to);
}

static struct str find_remote(struct run *r, struct str name)
{
	struct str key = remote_key(r, r->cwd, name), to = made_find(r, MADE_REMOTE, key);
	const struct binding *b = to.p ? NULL : binding_find(r->e->state->remotes, key);

	return b ? b->value : to;
}

/* A clone of a folder pushes there. */
static void see_origin(struct run *r, const struct args *a)
{
	struct str from = a->noperands > 1 ? a->operands[1] : STR(""), dir;

	if (!from.n || str_chr(from, ':', 0) >= 0 || args_option(a, "-c|--config|-o|--origin"))
		return;
	dir = a->noperands > 2 ? a->operands[2] : sh_file_name(from);
	if (a->noperands < 3 && str_ends(dir, STR(".git")))
		dir.n -= 4;
	add_remote(r, joined(r, dir), STR("origin"), joined(r, from));
}

/* git worktree add|remove PATH */
static bool is_worktree(const struct args *a, const char *does)
{
	return a->noperands > 2 && str_eqz(a->operands[0], "worktree") &&
	       str_eqz(a->operands[1], does);
}

/* Where the history lies that a command changes; of a push that of the remote. */
static unsigned history_places(struct run *r, const struct git_settings *s, const struct args *a)
{
	const struct binding *dir = binding_find(r->vars, STR("GIT_DIR"));
	struct str at = dir ? dir->value : r->cwd, to;

	if (is_worktree(a, "remove") && made_find(r, MADE_WORKTREE, joined(r, a->operands[2])).p)
		return PLACE_TEMP;
	if (str_eqz(a->operands[0], "push")) {
		for (size_t i = 0; i < s->key.n; i++)
			if (str_starts(s->key.p[i], STR("url.")) ||
			    str_starts(s->key.p[i], STR("remote.")))
				return 0;
		if (r->e->state->led)
			return 0;
		to = a->noperands > 1 ? a->operands[1] : STR("origin");
		at = find_remote(r, to);
		if (!at.p)
			at = to;
	}
	if (str_starts(at, STR("file://")))
		at = str_sub(at, 7, at.n);
	return str_starts(at, STR("/")) ? effects_places(r->e, at, r->cwd) : 0;
}

/* What a repository that is temporary loses is no loss: nor what was there only for the text. */
static void see_history(struct run *r, const struct git_settings *s, const struct args *a,
			size_t from)
{
	unsigned places = r->e->n > from ? history_places(r, s, a) : 0;

	if (!(places & PLACE_TEMP) || (places & (PLACE_PROJECT | PLACE_PROJECT_WHOLE)))
		return;
	for (size_t i = from; i < r->e->n; i++)
		if (r->e->p[i].kind == EFFECT_GIT_LOSS &&
		    (!r->e->p[i].places || is_worktree(a, "remove")))
			r->e->p[i].places |= places;
}

/* git remote set-url|rename, git config remote.x.pushurl: from there on it is another one. */
static bool leads_on(const struct args *a)
{
	if (str_eqz(a->operands[0], "remote"))
		return a->noperands > 2 && !word_in_text(a->operands[1], "get-url show update");
	for (size_t i = 1; i < a->noperands; i++)
		if (word_in_text(a->operands[i], "rename-section edit") ||
		    str_starts_icase(a->operands[i], STR("remote.")) ||
		    str_starts_icase(a->operands[i], STR("url.")) ||
		    str_starts_icase(a->operands[i], STR("include")))
			return true;
	return args_option(a, "-e|--edit|--rename-section") != NULL;
}

/* A remote that the text itself adds or leads elsewhere; `origin` is what a new repository gets. */
static void see_remote(struct run *r, const struct args *a)
{
	struct str key = a->noperands > 2 ? a->operands[1] : STR("");
	bool adds = a->noperands > 3 && str_eqz(a->operands[1], "add");

	if (adds)
		add_remote(r, r->cwd, a->operands[2], a->operands[3]);
	else
		r->e->state->led |= leads_on(a);
	if ((adds && !word_in_text(a->operands[2], "origin upstream")) ||
	    (a->noperands > 3 && str_eqz(a->operands[1], "set-url")))
		binding_set(r, &r->e->state->remotes, a->operands[2], a->operands[3]);
	else if (str_starts(key, STR("remote.")) && str_ends(key, STR("url")))
		binding_set(r, &r->e->state->remotes, str_sub(key, 7, (size_t)str_chr(key, '.', 7)),
			    a->operands[2]);
}

/* To an address, or to such a remote: where nothing of the repository has gone before. */
static void see_push(struct run *r, const struct call *c, const struct args *a)
{
	struct str to = a->noperands > 1 ? a->operands[1] : STR("origin");
	const struct binding *b = binding_find(r->e->state->remotes, to);
	bool address = str_find(to, STR("://"), 0) > 0 ||
		       (str_chr(to, '@', 0) > 0 && str_chr(to, ':', 0) > 0);

	if ((!b && !address) || args_option(a, "-n|--dry-run") || str_starts(to, STR("file:")))
		return;
	to = b ? b->value : to;
	call_add(r, c,
		 (struct effect){ .kind = EFFECT_SEND,
				  .target = value_shown(r->a, to),
				  .forced = true,
				  .places = address_is_local(address_host(to)) ? PLACE_LOCAL_HOST
									       : 0 });
}

/* What a file of .gitignore says of a name, after what others said. */
static bool ignores(struct run *r, struct str file, struct str name, bool before)
{
	struct str text, line;

	if (!file_read(r, file, &text))
		return before;
	while (str_split(&text, '\n', &line)) {
		struct str pattern = str_trim(line);
		bool again = str_starts(pattern, STR("!"));

		pattern = again ? str_sub(pattern, 1, pattern.n) : pattern;
		if (str_starts(pattern, STR("**")))
			pattern = str_sub(pattern, 2, pattern.n);
		if (str_starts(pattern, STR("/")))
			pattern = str_sub(pattern, 1, pattern.n);
		if (pattern.n && pattern.p[0] != '#' && wild_fits(pattern, name))
			before = !again;
	}
	return before;
}

/* Git ignores it, or has it already: then it is no news. */
static bool is_settled(struct run *r, struct str name)
{
	static const char *const files[] = { "~/.config/git/ignore", "~/.gitignore_global",
					     "~/.gitignore", "/.git/info/exclude", "/.gitignore" };
	struct str root = r->e->world->nroots ? r->e->world->roots[0] : r->cwd, index;
	bool ignored = false;

	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		struct str dir = files[i][0] == '~' ? r->e->world->home : root;

		ignored = ignores(
			r,
			arena_printf(r->a, "%.*s%s", STR_ARG(dir), files[i] + (files[i][0] == '~')),
			name, ignored);
	}
	ignored = ignores(r, STR(".gitignore"), name, ignored);
	if (ignored || !file_read(r, arena_printf(r->a, "%.*s/.git/index", STR_ARG(root)), &index))
		return ignored;
	/* In the index a name ends with NUL, and its length is in front of it. */
	for (size_t at = 0; at + name.n < index.n; at++) {
		ptrdiff_t hit = str_find(index, name, at);

		if (hit < 1)
			break;
		at = (size_t)hit;
		if (index.p[at - 1] == (char)name.n && !index.p[at + name.n])
			return true;
	}
	return false;
}

/* git add . takes what is there, a .env among it: it is in the history from then on. */
static void see_added(struct run *r, const struct call *c, const struct args *a)
{
	static const char *const names[] = { ".env", ".env.local", ".env.production" };
	bool all = args_option(a, "-A|--all") && a->noperands == 1;
	struct str text;

	if (args_option(a, "-n|--dry-run|-f|--force|-p|--patch"))
		return;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		struct str name = str_from(names[i]);
		bool added = all;

		for (size_t k = 1; k < a->noperands; k++)
			added |= str_eqz(a->operands[k], ".") || str_eqz(a->operands[k], "*") ||
				 str_eqz(a->operands[k], ":/") || str_eq(a->operands[k], name) ||
				 value_fits(a->operands[k], name);
		if (added && file_read(r, name, &text) && secret_in(text, 0) &&
		    !is_settled(r, name))
			call_path(r, c, (struct effect){ .kind = EFFECT_READ }, name);
	}
}

/* Options of subcommands whose value is a command. */
static void run_git_commands(struct run *r, const struct call *c, const struct args *a)
{
	static const char commands[] =
		"--exec|--extcmd|--tree-filter|--index-filter|--msg-filter|"
		"--parent-filter|--commit-filter|--env-filter|--tag-name-filter|"
		"--upload-pack|--receive-pack|--open-files-in-pager|--to-cmd|--cc-cmd|--header-cmd|"
		"--browser";
	struct str sub = a->operands[0], one;

	for (size_t i = 0; i < a->noptions; i++)
		for (struct str rest = str_from(commands); str_split(&rest, '|', &one);)
			if (str_eq(a->options[i].name, one) && a->options[i].has_value)
				call_shell(r, c, a->options[i].value);
	for (size_t i = 1; i + 1 < c->n; i++)
		if ((word_in_text(sub, "rebase difftool") && str_eqz(c->words[i], "-x")) ||
		    (str_eqz(sub, "clone") && str_eqz(c->words[i], "-u")))
			call_shell(r, c, c->words[i + 1]);
		else if (str_eqz(sub, "grep") && str_starts(c->words[i], STR("-O")))
			call_shell(r, c, str_sub(c->words[i], 2, c->words[i].n));
		else if (str_eqz(sub, "rebase") && str_starts(c->words[i], STR("-x")))
			call_shell(r, c, str_sub(c->words[i], 2, c->words[i].n));
	if (str_eqz(sub, "bisect") && a->noperands > 2 && str_eqz(a->operands[1], "run"))
		call_rest(r, c, a->at[2]);
	if (str_eqz(sub, "submodule") && a->noperands > 2 && str_eqz(a->operands[1], "foreach"))
		run_foreach(r, c);
	if (str_eqz(sub, "fetch"))
		see_fetch(r, c, a);
	if (word_in_text(sub, "remote config"))
		see_remote(r, a);
	if (is_worktree(a, "add"))
		made_add(r, MADE_WORKTREE, joined(r, a->operands[2]), sub);
	if (str_eqz(sub, "push"))
		see_push(r, c, a);
	if (word_in_text(sub, "add stage"))
		see_added(r, c, a);
	if (args_option(a, "--template") || binding_find(r->vars, STR("GIT_TEMPLATE_DIR")))
		if (word_in_text(sub, "clone init")) /* with the hooks that are in there */
			call_add(r, c, (struct effect){ .kind = EFFECT_PERSIST });
	if (str_eqz(sub, "clone")) {
		see_clone(r, a, 1);
		see_origin(r, a);
	}
	for (size_t i = 2; str_eqz(sub, "clone") && i < c->n; i++)
		if (str_eqz(c->words[i - 1], "-c") || str_eqz(c->words[i - 1], "--config"))
			run_clone_setting(r, c, c->words[i]);
	if (str_eqz(sub, "config"))
		run_git_config(r, c, a);
	if (str_eqz(sub, "apply") || str_eqz(sub, "am"))
		git_patch(r, c, a);
	for (size_t i = 1; i < a->noperands; i++)
		if (str_starts(a->operands[i], STR("ext::")))
			run_ext(r, str_sub(a->operands[i], 5, a->operands[i].n));
}

/* The files of the project, all of them or those below its operands; not those that Git ignores. */
static void emit_files(struct run *r, const struct args *a)
{
	if (args_option(a, "-i|--ignored|-d|--deleted|-m|--modified|-u|--unmerged")) {
		run_emit(r, ANY);
		return;
	}
	if (a->noperands < 2)
		run_emit(r, STR("./\2\n"));
	for (size_t i = 1; i < a->noperands; i++) {
		struct str path = glob_value(r, a->operands[i]);
		bool file = str_chr(sh_file_name(path), '.', 0) > 0;

		run_emit(r, file || !value_known(path)
				    ? path
				    : arena_printf(r->a, "%.*s/\2", STR_ARG(path)));
		run_emit(r, STR("\n"));
	}
}

static void git_output(struct run *r, const struct args *a)
{
	struct str place = { 0 };

	if (a->noperands && str_eqz(a->operands[0], "ls-files")) {
		emit_files(r, a);
		return;
	}
	if (a->noperands && str_eqz(a->operands[0], "rev-parse"))
		for (size_t i = 0; i < a->noptions && !place.n; i++)
			place = effects_git_place(r->e, a->options[i].name,
						  a->noperands > 1 ? a->operands[1] : STR(""));
	run_emit(r, place.n ? place : ANY);
}

/* An alias of the command, of a variable, or of a file. */
static bool run_named(struct run *r, const struct call *c, struct git_settings *s, size_t sub)
{
	/* Subcommands of git's own: an alias cannot have their names. */
	static const char own[] =
		"add am annotate apply archive bisect blame branch bundle cat-file check-attr "
		"check-ignore check-ref-format checkout checkout-index cherry cherry-pick clean clone "
		"commit commit-graph commit-tree config count-objects credential describe diff "
		"diff-files diff-index diff-tree difftool fast-export fast-import fetch filter-branch "
		"for-each-ref format-patch fsck gc grep hash-object help init log ls-files ls-remote "
		"ls-tree maintenance merge merge-base merge-file mergetool mv name-rev notes pull push "
		"range-diff read-tree rebase reflog remote repack replace request-pull rerere reset "
		"restore rev-list rev-parse revert rm send-email shortlog show show-branch show-ref "
		"sparse-checkout stash status submodule switch symbolic-ref tag update-index update-ref "
		"verify-commit verify-tag version whatchanged worktree write-tree lfs flow";
	struct str name = c->words[sub];
	const struct str *alias;

	if (word_in_text(name, own) || !value_known(name))
		return false;
	name = git_setting_key(r, arena_printf(r->a, "alias.%.*s", STR_ARG(name)));
	alias = git_setting(s, name);
	if (!alias) {
		git_settings_of_files(r, s);
		alias = git_setting(s, name);
	}
	if (alias)
		run_git_alias(r, c, *alias, c->words + sub + 1, c->n - sub - 1);
	return alias != NULL;
}

static bool run_git(struct run *r, const struct call *c)
{
	struct git_settings settings = { 0 };
	struct run inner = *r;
	size_t sub = git_options(&inner, c, &settings);
	const struct binding *tree = binding_find(r->vars, STR("GIT_WORK_TREE"));
	size_t before = r->e->n;
	const struct str *set;
	struct fields words = { 0 };
	struct call plain;
	struct args a;

	if (tree)
		inner.cwd = joined(&inner, tree->value);
	git_settings_of_variables(&inner, &settings);
	for (size_t i = 0; i < settings.key.n; i++)
		run_setting(&inner, c, settings.key.p[i], settings.value.p[i]);
	/* After those of the command: what `git config` of the same text made. */
	for (const struct binding *b = r->e->state->settings; b; b = b->next)
		if (!git_setting(&settings, b->name))
			git_setting_add(&inner, &settings, b->name, b->value);
	if (sub >= c->n || run_named(&inner, c, &settings, sub))
		return true;
	if ((set = git_setting(&settings, STR("core.worktree"))))
		inner.cwd = joined(&inner, *set);
	if (str_eqz(c->words[sub], "clean")) { /* on the disk it may be said for good */
		if (!git_setting(&settings, STR("clean.requireforce")))
			git_settings_of_files(&inner, &settings);
		set = git_setting(&settings, STR("clean.requireforce"));
	}
	field_add(r, &words, STR("git"));
	fields_add(r, &words, c, sub);
	if (set && str_eqz(c->words[sub], "clean") && word_in_text(*set, "false no off 0"))
		field_add(r, &words, STR("-f"));
	plain = (struct call){ words.p, words.n };
	args_of(r, &a, &plain, STR("git"));
	if (!a.noperands)
		return true;
	if (word_in_text(a.operands[0], "push fetch pull"))
		see_forced(&inner, c, &settings, &a);
	if (expires(&settings, a.operands[0]))
		call_add(r, c, (struct effect){ .kind = EFFECT_GIT_LOSS });
	if (!args_option(&a, "--no-verify"))
		run_git_hooks(&inner, c, &settings, a.operands[0]);
	run_git_commands(&inner, &plain, &a);
	git_output(r, &a);
	inner.out = NULL;
	(void)programs_apply(&inner, &plain, STR("git"));
	see_history(&inner, &settings, &a, before);
	r->made = inner.made;
	return true;
}

const struct special special_git[] = {
	{ "git", run_git },
	{ "glab hub hg", repository_clone },
	{ NULL, NULL },
};
