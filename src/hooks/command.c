#include "hooks/command.h"

#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"
#include "shell/calls.h"
#include "shell/detach.h"

/*
 * A reference to a variable at text[at] == '$': its name, and where it ends.  False for anything
 * else.
 */
static bool reference(struct str text, size_t at, struct str *ret_name, size_t *ret_end)
{
	bool brace = at + 1 < text.n && text.p[at + 1] == '{';
	size_t from = at + 1 + brace, to = from;

	while (to < text.n && char_is_word(text.p[to]))
		to++;
	if (to == from || char_is_digit(text.p[from]) ||
	    (brace && (to == text.n || text.p[to] != '}')))
		return false;
	*ret_name = str_sub(text, from, to);
	*ret_end = to + brace;
	return true;
}

/* ---- without a shell ---- */

/* The value of a reference to one of our variables, which is never split. */
static const char *our_value(const struct sh_piece *p, const struct vars *vars,
			     const struct hook *hook)
{
	if (p->kind != SH_VARIABLE || p->op.n || p->indirect || p->length || p->subscript ||
	    !vars_is_ours(vars, hook, p->text))
		return NULL;
	return vars_get(vars, hook, p->text);
}

/* Text that means the same without a shell; in single quotes a $ needs command_for_shell(). */
static bool is_literal(const struct sh_piece *p)
{
	if (p->kind != SH_TEXT || p->text.n != p->end - p->at)
		return false;
	if (p->quote == SH_SINGLE)
		return str_chr(p->text, '$', 0) < 0;
	if (p->quote == SH_DOUBLE)
		return str_chr(p->text, '!', 0) < 0 && str_chr(p->text, '$', 0) < 0;
	for (size_t i = 0; i < p->text.n; i++)
		if (!sh_is_plain(p->text.p[i]))
			return false;
	return p->quote == SH_BARE;
}

/* Can a value that becomes part of the text be nothing but itself, blanks aside? */
static bool is_tame(const char *value, bool blanks)
{
	for (; *value; value++)
		if (!sh_is_plain(*value) && !(blanks && *value == ' '))
			return false;
	return true;
}

/*
 * Claude Code puts the directories of a plugin in as text: in any quotes, in code for an
 * interpreter, in a here-document.  So do we, where that cannot make it another command (C6.6).
 */
static struct str with_plugin(struct arena *a, struct str text, const struct vars *vars,
			      const struct hook *hook)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str name;
	size_t end;

	if (!hook->extension || !hook->extension->is_plugin)
		return text;
	for (size_t i = 0; i < text.n;) {
		const char *value = NULL;

		if (str_starts(str_sub(text, i, text.n), STR("${")) &&
		    reference(text, i, &name, &end) && vars_is_plugins(name))
			value = vars_get(vars, hook, name);
		if (value && is_tame(value, false)) {
			buf_addz(&out, value);
			i = end;
		} else {
			buf_addc(&out, text.p[i++]);
		}
	}
	return arena_str(a, buf_str(&out));
}

bool command_words(struct arena *a, struct str text, const struct vars *vars,
		   const struct hook *hook, const char *const **ret_words, size_t *ret_n)
{
	struct sh_script s;
	const struct sh_node *n;
	const char **out;

	text = str_trim(with_plugin(a, text, vars, hook));
	if (!sh_read(&s, a, text) || s.dubious || !s.first)
		return false;
	n = s.first;
	/* One simple command, and nothing around it: no operator, no comment. */
	if (n->kind != SH_SIMPLE || n->next || n->op != SH_END || n->negated || n->timed ||
	    n->nassigns || n->nredirects || n->words[0].at || n->words[n->nwords - 1].end != text.n)
		return false;
	out = ARENA_ARRAY(a, const char *, n->nwords + 1);
	for (size_t i = 0; i < n->nwords; i++) {
		AUTO(buf_done) struct buf word = { 0 };

		for (size_t k = 0; k < n->words[i].n; k++) {
			const struct sh_piece *p = &n->words[i].p[k];
			const char *value = our_value(p, vars, hook);

			if (!value && !is_literal(p))
				return false;
			buf_adds(&word, value ? str_from(value) : p->text);
		}
		out[i] = arena_z(a, buf_str(&word));
	}
	*ret_words = out;
	*ret_n = n->nwords;
	return true;
}

/* Would a shell do something before or other than starting the program? */
static bool shell_is_special(const char *const *env)
{
	for (; *env; env++)
		if (strncmp(*env, "BASH_ENV=", 9) == 0 || strncmp(*env, "BASH_FUNC_", 10) == 0 ||
		    strncmp(*env, "SHELLOPTS=", 10) == 0 || strncmp(*env, "BASHOPTS=", 9) == 0)
			return true;
	return false;
}

static const char *find_program(struct arena *a, const struct launch_request *rq, const char *word)
{
	const char *path = env_get(rq->env, "PATH");

	if (!strchr(word, '/')) {
		AUTO(free) char *found = NULL;

		if (sh_is_builtin(str_from(word)) || !path || !fs_find_program(word, path, &found))
			return NULL;
		return arena_z(a, str_from(found));
	}
	/* As it is: it is looked up in the directory that the hook starts in, links and all. */
	AUTO(free) char *full = word[0] == '/' ? xstrdup(word) : fs_join(rq->cwd, word);
	return fs_is_program(full) ? arena_z(a, str_from(word)) : NULL;
}

/* Room for `before` words, the program of a hook with `args`, and what it is given. */
static const char **argument_words(struct arena *a, const struct launch_request *rq, size_t before)
{
	const char **argv;
	size_t n = 0;

	while (rq->hook->args[n])
		n++;
	argv = ARENA_ARRAY(a, const char *, before + n + 2);
	argv[before] = command_argument(a, rq->vars, rq->hook, rq->hook->command).p;
	for (size_t i = 0; i < n; i++)
		argv[before + 1 + i] = command_argument(a, rq->vars, rq->hook, rq->hook->args[i]).p;
	return argv;
}

void launch_prepare(struct launch *l, struct arena *a, const struct launch_request *rq)
{
	struct str command = str_from(rq->hook->command);
	const char *const *words;
	size_t n;

	/* Claude's args name a program without a shell: a path, or what is on PATH. */
	if (rq->hook->args && !rq->hook->detached) {
		AUTO(free) char *found = NULL;
		const char **argv = argument_words(a, rq, 0);
		const char *path = env_get(rq->env, "PATH");

		*l = (struct launch){ .file = argv[0], .argv = argv, .direct = true };
		if (!strchr(argv[0], '/'))
			l->file = path && fs_find_program(argv[0], path, &found)
					  ? arena_z(a, str_from(found))
					  : NULL;
		return;
	}
	if (!rq->hook->detached && !shell_is_special(rq->env) &&
	    command_words(a, command, rq->vars, rq->hook, &words, &n)) {
		const char *file = find_program(a, rq, words[0]);

		if (file) {
			*l = (struct launch){ .file = file, .argv = words, .direct = true };
			return;
		}
	}
	launch_with_shell(l, a, rq);
}

/* ---- with a shell ---- */

/* What takes the place of a part of the command. */
struct edit {
	size_t at, end;
	struct str name;
	bool single; /* in single quotes, which are closed around it */
};

struct edits {
	struct edit *p;
	size_t n, cap;
	struct str text;
	bool code; /* an interpreter is at work: single quotes are left alone */
	const struct vars *vars;
	const struct hook *hook;
};

static void add_edit(struct edits *e, struct edit edit)
{
	size_t i = e->n;

	*VEC_ADD(e) = edit;
	for (; i > 0 && e->p[i - 1].at > edit.at; i--)
		e->p[i] = e->p[i - 1];
	e->p[i] = edit;
}

/*
 * '...': in a path, references of the short form are taken out of the quotes, which would keep them
 * from working.  Any other text may be code for somebody, and is left alone; but for a plugin's
 * directories, which are there as text (see with_plugin()).
 */
static void see_single(struct edits *e, const struct sh_piece *p)
{
	bool path = !e->code, own, plugins;
	struct str name;
	size_t end;

	for (size_t i = 0; i < p->text.n; i++)
		path &= char_is_word(p->text.p[i]) || strchr("$./-{}", p->text.p[i]);
	for (size_t i = p->at; i < p->end; i++) {
		bool braced = i + 1 < p->end && e->text.p[i + 1] == '{';

		if (e->text.p[i] != '$' || !reference(e->text, i, &name, &end) || end > p->end ||
		    !vars_is_ours(e->vars, e->hook, name))
			continue;
		/* Names that are no shell's, which are written in braces. */
		plugins = vars_is_plugins(name);
		own = plugins || word_in_text(name, "extensionPath workspacePath");
		if ((path && (!braced || own)) ||
		    (braced && plugins && is_tame(vars_get(e->vars, e->hook, name), true)))
			add_edit(e, (struct edit){ i, end, name, true });
	}
}

static void see_piece(void *data, const struct sh_script *s, const struct sh_piece *p,
		      unsigned nested)
{
	struct edits *e = data;

	(void)nested;
	if (s->text.p != e->text.p) /* inside of `...` with escapes */
		return;
	if (p->quote == SH_BARE && our_value(p, e->vars, e->hook))
		add_edit(e, (struct edit){ p->at, p->end, p->text, false });
	else if (p->kind == SH_TEXT && p->quote == SH_SINGLE)
		see_single(e, p);
}

static void see_node(void *data, const struct sh_script *s, const struct sh_node *n)
{
	struct edits *e = data;

	(void)s;
	for (size_t i = 0; i < n->nassigns; i++)
		e->code |= sh_is_code_variable(n->assigns[i].name);
}

struct str command_for_shell(struct arena *a, struct str text, const struct vars *vars,
			     const struct hook *hook)
{
	AUTO(buf_done) struct buf out = { 0 };

	text = with_plugin(a, text, vars, hook);
	struct edits e = {
		.text = text, .vars = vars, .hook = hook, .code = sh_mentions_interpreter(text)
	};
	struct sh_script s;
	size_t from = 0;

	if (!sh_read(&s, a, text))
		return arena_str(a, text);
	sh_visit(&s, &(struct sh_visitor){ .node = see_node, .data = &e });
	sh_visit(&s, &(struct sh_visitor){ .piece = see_piece, .data = &e });
	for (size_t i = 0; i < e.n; i++) {
		const char *quote = e.p[i].single ? "'" : "";

		buf_adds(&out, str_sub(text, from, e.p[i].at));
		buf_addf(&out, "%s\"${%.*s}\"%s", quote, STR_ARG(e.p[i].name), quote);
		from = e.p[i].end;
	}
	free(e.p);
	buf_adds(&out, str_sub(text, from, text.n));
	return arena_str(a, buf_str(&out));
}

void launch_with_shell(struct launch *l, struct arena *a, const struct launch_request *rq)
{
	bool has_args = rq->hook->args != NULL;
	const char **argv = has_args ? argument_words(a, rq, 4) : ARENA_ARRAY(a, const char *, 4);
	struct str command =
		has_args ? STR("\"$@\"")
			 : command_for_shell(a, str_from(rq->hook->command), rq->vars, rq->hook);
	const char *name = strrchr(rq->shell, '/');

	/*
	 * It is not waited for, and may stay when we end: what it prints is gathered until then, so
	 * that it is never held up or ended by a pipe that is not read.  64 KiB fit into one.
	 */
	if (rq->hook->detached)
		command =
			arena_printf(a,
				     "{ %s\n} 2>/dev/null | (said=$(head -c 65536; cat >/dev/null "
				     "|| while read -r rest; do :; done)\n"
				     "printf %%s \"$said\") 2>/dev/null",
				     command.p);
	argv[0] = name ? name + 1 : rq->shell;
	argv[1] = "-c";
	argv[2] = command.p;
	if (has_args)
		argv[3] = argv[0];
	*l = (struct launch){ .file = rq->shell, .argv = argv };
}

/* Claude's `args`: no shell; ${NAME} of our variables is replaced in every element. */
struct str command_argument(struct arena *a, const struct vars *vars, const struct hook *hook,
			    const char *s)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str text = str_from(s), name;
	size_t end;

	for (size_t i = 0; i < text.n;) {
		const char *value = NULL;

		if (text.p[i] == '$' && reference(text, i, &name, &end) && text.p[i + 1] == '{')
			value = vars_get(vars, hook, name);
		if (value) {
			buf_addz(&out, value);
			i = end;
		} else {
			buf_addc(&out, text.p[i++]);
		}
	}
	return arena_str(a, buf_str(&out));
}

bool command_detaches(const struct hook *hook)
{
	AUTO(buf_done) struct buf text = { 0 };

	if (hook->persistent || hook->runtime || hook->policy)
		return false;
	if (!hook->args)
		return sh_detaches(str_from(hook->command));
	sh_quote(&text, str_from(hook->command));
	for (size_t i = 0; hook->args[i]; i++) {
		buf_addc(&text, ' ');
		sh_quote(&text, str_from(hook->args[i]));
	}
	return sh_detaches(buf_str(&text));
}
