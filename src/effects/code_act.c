#include "effects/code_act.h"

#include "effects/address.h"
#include "effects/links.h"
#include "shell/shell.h"

enum { WORDS_MAX = 160, RECENT = 12 };

static struct str words_of(const struct act *x)
{
	struct str s = str_trim(str_sub(x->c->text, x->args->at, x->args->end));

	if (s.n == 0)
		return x->c->words;
	return s.n > WORDS_MAX ? arena_printf(x->c->e->arena, "%.*s...", WORDS_MAX, s.p) : s;
}

struct str act_cwd(const struct code *c)
{
	return c->e->cwd.n ? c->e->cwd : c->e->world->cwd;
}

static bool is_same(const struct effect *a, const struct effect *b)
{
	return a->kind == b->kind && a->recursive == b->recursive && a->maybe == b->maybe &&
	       a->places == b->places && (a->forced || !b->forced) && str_eq(a->target, b->target);
}

/* What was added after n goes again if it is there already. */
static void drop_repeated(struct effects *e, size_t n)
{
	size_t kept = n;

	for (size_t i = n; i < e->n; i++) {
		bool known = false;

		for (size_t k = kept > RECENT ? kept - RECENT : 0; k < kept; k++)
			known |= is_same(&e->p[k], &e->p[i]);
		if (!known)
			e->p[kept++] = e->p[i];
	}
	e->n = kept;
}

static void add(const struct act *x, struct effect effect)
{
	size_t n = x->c->e->n;

	effect.words = words_of(x);
	if (effect.kind == EFFECT_OPAQUE && x->c->uncalled)
		return;
	effects_add(x->c->e, &effect);
	drop_repeated(x->c->e, n);
}

/* ---- arguments ---- */

const struct code_value *act_positional(const struct code_args *args, unsigned want)
{
	for (unsigned i = 0; i < args->n; i++)
		if (!args->p[i].key.n && want-- == 0)
			return &args->p[i].value;
	return NULL;
}

const struct code_value *act_keyed(const struct code_args *args, const char *key)
{
	for (unsigned i = 0; i < args->n; i++) {
		if (str_eqz(args->p[i].key, key))
			return &args->p[i].value;
		/* An object of options. */
		if (!args->p[i].key.n && args->p[i].value.kind == VALUE_LIST) {
			const struct code_value *m = value_member(&args->p[i].value, str_from(key));

			if (m)
				return m;
		}
	}
	return NULL;
}

const struct code_value *act_argument(const struct act *x, int i)
{
	static const char *const keys[] = { "at",   "atPath", "fileURLWithPath",
					    "args", "cmd",    "command",
					    "path", "file",   "filename",
					    "url",  "src",    "source",
					    "name", "target", "fd" };
	const struct code_value *v;

	if (i < 0)
		return x->self;
	v = act_positional(x->args, (unsigned)i);
	for (size_t k = 0; !v && i == x->f->arg && k < ARRAY_LEN(keys); k++)
		v = act_keyed(x->args, keys[k]);
	if (!v && (x->f->flags & FN_DEFAULT))
		v = code_variable(x->c, STR("$_"));
	return v;
}

static bool is_true(const struct code_value *v)
{
	return v &&
	       !(v->kind == VALUE_NAME && (str_eqz(v->type, "False") || str_eqz(v->type, "false") ||
					   str_eqz(v->type, "None"))) &&
	       !(v->kind == VALUE_TEXT && str_eqz(v->text, "0"));
}

static bool is_flag(const struct act *x, const char *key)
{
	return is_true(act_keyed(x->args, key));
}

unsigned act_taints(const struct act *x)
{
	unsigned flags = x->self ? x->self->flags : 0;

	for (unsigned i = 0; i < x->args->n; i++)
		flags |= x->args->p[i].value.flags;
	return flags & VALUE_TAINTS;
}

/* ---- paths ---- */

static void path_effect(const struct act *x, struct effect effect, const struct code_value *v)
{
	struct code *c = x->c;
	struct str path;
	size_t n = c->e->n;

	if (v && v->kind == VALUE_LIST && !v->key.n) {
		for (unsigned i = 0; i < v->n; i++) {
			struct effect one = effect;

			if (v->items[i].key.n)
				continue; /* options */
			one.maybe |= (v->flags & VALUE_ANY) && effect.kind != EFFECT_DELETE;
			path_effect(x, one, &v->items[i]);
		}
		return;
	}
	effect.words = words_of(x);
	if (v && (v->flags & VALUE_NUMBER))
		return; /* a descriptor */
	if (!v || v->kind != VALUE_TEXT) {
		effect.places |= PLACE_UNKNOWN;
		effect.maybe = true;
		effects_add(c->e, &effect);
		drop_repeated(c->e, n);
		return;
	}
	path = v->text;
	if (str_starts(path, STR("file://")))
		path = str_sub(path, 7, path.n);
	effect.recursive |= (v->flags & VALUE_RECURSIVE) != 0;
	/* A condition chooses: some of it, and of a home directory that may be all. */
	if ((v->flags & VALUE_WALKED) && ((v->flags & VALUE_CHOSEN) || c->chosen_level) && path.n &&
	    path.p[path.n - 1] == '*') {
		unsigned places = effect_places(c->e->world, path);

		if (c->chosen_suffix.n)
			path = arena_printf(c->e->arena, "%.*s%.*s", STR_ARG(path),
					    STR_ARG(c->chosen_suffix));
		else if (!(places & (PLACE_HOME_WHOLE | PLACE_ROOT)))
			path = arena_printf(c->e->arena, "%.*s[...]", STR_ARG(path));
	}
	if (path.n == 0)
		return;
	effects_add_path(c->e, &effect, path, act_cwd(c));
	drop_repeated(c->e, n);
}

static void delete (const struct act *x)
{
	struct effect effect = { .kind = EFFECT_DELETE, .recursive = x->f->flags & FN_RECURSIVE };

	if (x->f->flags & FN_KEYED)
		effect.recursive = is_flag(x, "recursive") || is_flag(x, "recurse");
	effect.forced = is_flag(x, "force");
	for (int i = x->f->arg;; i++) {
		const struct code_value *v = act_argument(x, i);

		if (i > x->f->arg && !act_positional(x->args, (unsigned)i))
			break;
		if (v && (v->kind == VALUE_FUNCTION || v->key.n))
			break;
		path_effect(x, effect, v);
		if (!(x->f->flags & FN_ALL) || i < 0)
			break;
	}
}

/* ---- the shell and programs ---- */

/* Control characters mean something in values of the shell's reader; here they are gaps. */
static struct str shell_safe(struct arena *a, struct str s)
{
	char *p;

	for (size_t i = 0; i < s.n; i++)
		if ((unsigned char)s.p[i] < ' ' && !strchr("\t\n\r\1", s.p[i])) {
			p = arena_z(a, s);
			for (; i < s.n; i++)
				if ((unsigned char)p[i] < ' ' && !strchr("\t\n\r\1", p[i]))
					p[i] = CODE_GAP;
			return (struct str){ p, s.n };
		}
	return s;
}

static void run_shell(struct code *c, struct str text)
{
	struct effects *e = c->e;
	size_t n = e->n;
	bool remaining = !effects_too_deep(e);

	if (!remaining) {
		effects_unjudged(e, c->words);
		return;
	}
	e->depth++;
	effects_of_shell(e, shell_safe(e->arena, text));
	e->depth--;
	c->output = code_listed(c, text);
	for (size_t i = n; i < e->n; i++) {
		if (e->p[i].kind == EFFECT_FETCH && !(e->p[i].places & PLACE_LOCAL_HOST))
			c->output.flags |= VALUE_FETCHED;
		if (e->p[i].kind == EFFECT_READ && (e->p[i].places & PLACE_SECRET))
			c->output.flags |= VALUE_SECRET;
	}
	drop_repeated(e, n);
}

static void shell_effect(const struct act *x, const struct code_value *v)
{
	struct code *c = x->c;

	if (v && v->kind == VALUE_LIST && (v->flags & VALUE_ANY)) {
		for (unsigned i = 0; i < v->n; i++)
			shell_effect(x, &v->items[i]);
		return;
	}
	/* All of it comes from there, or a shell has a connection for its input. */
	if (v && (v->flags & VALUE_FETCHED) &&
	    (v->kind != VALUE_TEXT || v->text.p[0] == CODE_GAP ||
	     str_find(v->text, STR("sh -i <&\1"), 0) >= 0))
		add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else if (!v || v->kind != VALUE_TEXT || str_eqz(str_trim(v->text), "\1"))
		add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
	else {
		for (unsigned i = 0; i < c->nfetched; i++)
			if (str_find(v->text, c->fetched[i], 0) >= 0)
				add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED,
							.target = c->fetched[i] });
		run_shell(c, v->text);
	}
}

void code_shell(struct code *c, const struct code_value *text)
{
	struct code_args args = { .at = c->i ? c->t[c->i - 1].at : 0,
				  .end = c->i ? c->t[c->i - 1].end : 0 };
	struct act x = { .c = c, .f = &(const struct code_function){ 0 }, .args = &args };

	shell_effect(&x, text);
}

static bool is_shell(struct str path)
{
	static const char *const shells[] = {
		"sh",   "bash",    "zsh", "dash",           "ksh",        "ash",
		"fish", "cmd.exe", "cmd", "powershell.exe", "powershell", "pwsh"
	};

	for (size_t i = path.n; i-- > 0;)
		if (path.p[i] == '/') {
			path = str_sub(path, i + 1, path.n);
			break;
		}
	for (size_t i = 0; i < ARRAY_LEN(shells); i++)
		if (str_eqz(path, shells[i]))
			return true;
	return false;
}

/* A shell whose input is a connection. */
static void remote_shell(const struct act *x)
{
	if (!x->c->connected || !x->c->shell)
		return;
	add(x, (struct effect){ .kind = EFFECT_SEND, .target = x->c->peer });
	add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED, .target = x->c->peer });
}

/* Is a program, with all its words, a shell that reads what it is told? */
static void see_shell(const struct act *x, struct str command)
{
	size_t n = 0;

	command = str_trim(command);
	while (n < command.n && !strchr(" \t'\"", command.p[n]))
		n++;
	if (is_shell(str_sub(command, 0, n)) &&
	    (n == command.n || str_ends(command, STR(" -i")) || str_ends(command, STR("'-i'")))) {
		x->c->shell = true;
		remote_shell(x);
	}
}

static void add_word(struct buf *out, const struct code_value *v)
{
	struct str s = value_flat(NULL, v);

	if (out->n)
		buf_addc(out, ' ');
	if (v->kind == VALUE_TEXT && (v->flags & VALUE_WALKED)) {
		/* What a walk gives is what a glob gives. */
		for (struct str rest = s, part; rest.p && rest.n;) {
			ptrdiff_t star = str_chr(rest, '*', 0);

			part = str_sub(rest, 0, star < 0 ? rest.n : (size_t)star);
			if (part.n)
				sh_quote(out, part);
			if (star >= 0)
				buf_addc(out, '*');
			rest = str_sub(rest, part.n + (star >= 0), rest.n);
		}
		return;
	}
	sh_quote(out, s);
}

/* A program with its words: a list, or arguments. */
static void argv_effect(const struct act *x, const struct code_value *first)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct code_value own; /* git.push(...): its first words */
	const struct code_value *program = first;
	/* Lists among arguments are part of them. */
	bool flat = x->c->g->language == CODE_PERL || x->c->g->language == CODE_RUBY;
	unsigned n = 0;

	if (!first && (x->f->flags & FN_DEFAULT)) {
		run_shell(x->c, str_from(x->f->type));
		return;
	}
	if (!first) {
		add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		return;
	}
	if (first->kind == VALUE_LIST && (first->flags & VALUE_ANY)) {
		for (unsigned i = 0; i < first->n; i++)
			argv_effect(x, &first->items[i]);
		return;
	}
	if (x->f->flags & FN_DEFAULT) {
		own = value_text(str_from(x->f->type));
		buf_addz(&out, x->f->type);
		program = &own;
		n = 1;
		if (first->kind != VALUE_LIST && first->kind != VALUE_FUNCTION)
			add_word(&out, first);
		for (unsigned i = 0; first->kind == VALUE_LIST && i < first->n; i++)
			if (!first->items[i].key.n)
				add_word(&out, &first->items[i]);
	} else if (first->kind == VALUE_LIST) {
		for (unsigned i = 0; i < first->n; i++, n++)
			add_word(&out, &first->items[i]);
		program = first->n ? &first->items[0] : NULL;
	} else {
		add_word(&out, first);
		n = 1;
	}
	for (int i = x->f->arg + 1; flat || first->kind != VALUE_LIST || i == x->f->arg + 1; i++) {
		const struct code_value *v = act_positional(x->args, (unsigned)i);

		if (!v || v->kind == VALUE_FUNCTION ||
		    (!flat && first->kind == VALUE_LIST && v->kind != VALUE_LIST))
			break;
		if (v->kind == VALUE_LIST && v->n && v->items[0].key.n)
			v = value_member(v, STR("args"))
				    ?: v; /* Deno.Command("rm", { args: [] }) */
		if (v->kind == VALUE_LIST && !(v->n && v->items[0].key.n) &&
		    (flat || first->kind != VALUE_LIST)) {
			/* execv(path, [name, word...]) has the name twice */
			unsigned k = x->f->flags & FN_OTHER && v->n;

			for (; k < v->n; k++, n++)
				add_word(&out, &v->items[k]);
		} else if (v->kind != VALUE_LIST) {
			add_word(&out, v);
			n++;
		}
	}
	if (!program)
		return;
	if (program->kind != VALUE_TEXT || program->text.n == 0 || program->text.p[0] == CODE_GAP) {
		add(x, program->flags & VALUE_FETCHED
			       ? (struct effect){ .kind = EFFECT_RUN_FETCHED }
			       : (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		return;
	}
	if (is_shell(program->text) && n > 1 && (act_taints(x) & VALUE_FETCHED))
		add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	for (unsigned i = 0; i < x->c->nfetched; i++)
		if (str_find(buf_str(&out), x->c->fetched[i], 0) >= 0)
			add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED,
						.target = x->c->fetched[i] });
	see_shell(x, n == 1 ? program->text
			    : arena_printf(x->c->e->arena, "%.*s%s", STR_ARG(program->text),
					   str_ends(buf_str(&out), STR("-i")) ||
							   str_ends(buf_str(&out), STR("'-i'"))
						   ? " -i"
						   : " -c"));
	run_shell(x->c, arena_str(x->c->e->arena, buf_str(&out)));
}

static bool is_argv(const struct act *x, const struct code_value *v)
{
	const struct code_value *next = act_positional(x->args, (unsigned)x->f->arg + 1);

	if (v && v->kind == VALUE_LIST && !(v->flags & VALUE_ANY))
		return true;
	if (v && v->kind == VALUE_LIST && v->n && v->items[0].kind == VALUE_LIST)
		return true;
	if (x->f->flags & FN_KEYED) /* Python: one text is the shell's with shell=True only */
		return false;
	return next && next->kind != VALUE_FUNCTION &&
	       !(next->kind == VALUE_LIST && next->n && next->items[0].key.n);
}

/* What a command reads: text, piped into it. */
void code_piped(struct code *c, const struct code_value *text, struct str command)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);

	buf_addz(&out, "printf %s ");
	sh_quote(&out, value_flat(c->e->arena, text));
	buf_addz(&out, " | ");
	buf_adds(&out, command);
	run_shell(c, arena_str(c->e->arena, buf_str(&out)));
}

/* Popen(["bash"], stdin=curl.stdout) */
static bool is_fed(const struct act *x, const struct code_value *v)
{
	const struct code_value *from = act_keyed(x->args, "stdin") ?: act_keyed(x->args, "input");

	if (v && v->kind == VALUE_LIST && v->n)
		v = &v->items[0];
	return from && (from->flags & VALUE_FETCHED) && v && v->kind == VALUE_TEXT &&
	       is_shell(v->text);
}

static void shell_or_argv(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg), *in = act_keyed(x->args, "input");

	if (is_fed(x, v))
		add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (v && in && in->kind == VALUE_TEXT) {
		if (v->kind == VALUE_LIST && v->n)
			v = &v->items[0];
		if (v->kind == VALUE_TEXT && is_shell(v->text)) {
			code_piped(x->c, in, v->text);
			return;
		}
		v = act_argument(x, x->f->arg);
	}

	if (is_argv(x, v)) {
		argv_effect(x, v);
		return;
	}
	if (v && v->kind == VALUE_TEXT)
		see_shell(x, v->text);
	shell_effect(x, v);
}

/* ---- files ---- */

static struct code_value fetch(const struct act *x);

/* What comes out of a file is a secret when the file is one. */
static struct code_value file_read(const struct act *x, const struct code_value *path)
{
	size_t n = x->c->e->n;
	struct code_value v = value_unknown(path ? path->flags : 0);

	if (path && path->kind == VALUE_TEXT && str_eqz(path->text, "php://input"))
		return value_unknown(VALUE_FETCHED); /* what a request brings */
	if (path && path->kind == VALUE_TEXT &&
	    (code_is_input(path->text) ||
	     ((path->flags & VALUE_NUMBER) && str_eqz(path->text, "0"))))
		return code_input(x->c, false);
	if (path && path->kind == VALUE_TEXT && str_find(path->text, STR("://"), 0) > 0 &&
	    !str_starts(path->text, STR("file:")) && !str_starts(path->text, STR("php:")))
		return fetch(x);
	if (path && path->kind == VALUE_TEXT && str_starts(path->text, STR("|")) &&
	    x->c->g->language == CODE_RUBY) {
		struct code_value command = value_text(str_sub(path->text, 1, path->text.n));

		shell_effect(x, &command);
		return v;
	}
	if (path && path->kind != VALUE_UNKNOWN && path->kind != VALUE_NAME)
		path_effect(x, (struct effect){ .kind = EFFECT_READ }, path);
	for (size_t i = 0; i < x->c->e->n; i++)
		if ((i >= n || (path && path->kind == VALUE_TEXT)) &&
		    x->c->e->p[i].kind == EFFECT_READ && (x->c->e->p[i].places & PLACE_SECRET) &&
		    i + RECENT >= n)
			v.flags |= VALUE_SECRET;
	if (x->f->type && str_eqz(str_from(x->f->type), "archive"))
		x->c->archived |= (v.flags & VALUE_SECRET) != 0;
	v.type = STR("content");
	if (path && path->kind == VALUE_TEXT)
		v.text = path->text;
	return v;
}

static void remember_fetched(struct code *c, const struct code_value *path)
{
	if (path && path->kind == VALUE_TEXT && path->text.n > 2 &&
	    c->nfetched < ARRAY_LEN(c->fetched))
		c->fetched[c->nfetched++] = path->text;
}

static void write_file(const struct act *x, const struct code_value *path,
		       const struct code_value *data, bool append)
{
	if (x->f->act != ACT_WRITE || !(x->f->flags & FN_OTHER)) /* opening it was the effect */
		path_effect(x, (struct effect){ .kind = append ? EFFECT_WRITE : EFFECT_OVERWRITE },
			    path);
	if (x->f->flags & FN_OTHER && x->f->act == ACT_WRITE)
		append = false; /* an open file: nothing is written into one to append nothing */
	if (data && data->kind == VALUE_TEXT && !data->text.n && !append && path &&
	    path->kind == VALUE_TEXT &&
	    ((path->flags & VALUE_WALKED) || str_chr(path->text, '*', 0) >= 0))
		path_effect(x, (struct effect){ .kind = EFFECT_DELETE, .places = PLACE_SOURCES },
			    path);
	if (data && (data->flags & VALUE_FETCHED))
		remember_fetched(x->c, path);
}

/* open(FH, "> x"), open(my $f, '<', x), open(FH, "cmd |"), open($f, '-|', cmd, ...) */
static struct code_value open_perl(const struct act *x)
{
	const struct code_value *mode = act_positional(x->args, 1),
				*path = act_positional(x->args, 2);
	struct code_value v = value_unknown(0), rest;
	struct str m;

	v.type = STR("file");
	if (!mode || mode->kind != VALUE_TEXT)
		return v;
	m = str_trim(mode->text);
	if (!path && m.n && (m.p[0] == '|' || m.p[m.n - 1] == '|')) {
		rest = value_text(m.p[0] == '|' ? str_sub(m, 1, m.n) : str_sub(m, 0, m.n - 1));
		shell_effect(x, &rest);
		return v;
	}
	if (path && str_chr(m, '|', 0) >= 0) {
		struct code_function f = { .act = ACT_SHELL_OR_ARGV, .arg = 2 };
		struct act y = *x;

		y.f = &f;
		shell_or_argv(&y);
		return v;
	}
	if (!path) {
		size_t n = 0;

		if (str_find(m, STR("&"), 0) >= 0)
			return v; /* an open one again */
		while (n < m.n && strchr("<>+ ", m.p[n]))
			n++;
		rest = value_text(str_sub(m, n, m.n));
		path = &rest;
		m = str_sub(m, 0, n);
	}
	if (str_chr(m, '>', 0) >= 0)
		write_file(x, path, NULL, str_find(m, STR(">>"), 0) >= 0);
	else
		v.flags |= file_read(x, path).flags & VALUE_TAINTS;
	return v;
}

static struct code_value open_file(const struct act *x)
{
	const struct code_value *path = act_argument(x, x->f->arg);
	const struct code_value *mode = x->f->arg < 0
						? act_positional(x->args, 0)
						: act_positional(x->args, (unsigned)x->f->arg + 1);
	struct code_value v = path && path->kind == VALUE_TEXT ? *path : value_unknown(0);
	struct str m = STR("r");

	if (!mode || mode->kind != VALUE_TEXT)
		mode = act_keyed(x->args, "mode") ?: mode;
	if (mode && mode->kind == VALUE_TEXT)
		m = mode->text;
	else if (mode && (str_find(words_of(x), STR("O_WRONLY"), 0) >= 0 ||
			  str_find(words_of(x), STR("O_RDWR"), 0) >= 0))
		m = str_find(words_of(x), STR("O_TRUNC"), 0) >= 0 ? STR("w") : STR("r+");
	v.flags &= VALUE_WALKED | VALUE_RECURSIVE | VALUE_NUMBER;
	if (str_chr(m, 'w', 0) >= 0 || str_chr(m, 'a', 0) >= 0 || str_chr(m, 'x', 0) >= 0 ||
	    str_chr(m, '+', 0) >= 0 || str_chr(m, '>', 0) >= 0)
		write_file(x, path, NULL,
			   str_chr(m, 'a', 0) >= 0 || str_chr(m, 'x', 0) >= 0 ||
				   str_chr(m, 'r', 0) >= 0);
	else
		v.flags |= file_read(x, path).flags & VALUE_TAINTS;
	v.type = STR("file");
	return v;
}

static void move(const struct act *x, bool copy)
{
	bool method = x->f->arg < 0;
	const struct code_value *from = act_argument(x, x->f->arg);
	const struct code_value *to = act_positional(x->args, method ? 0 : (unsigned)x->f->arg + 1);

	if (!to)
		to = act_keyed(x->args, "dst");
	path_effect(x, (struct effect){ .kind = copy ? EFFECT_READ : EFFECT_MOVE }, from);
	path_effect(x, (struct effect){ .kind = EFFECT_OVERWRITE }, to);
}

/* ---- the network ---- */

static struct str host_of(struct str url)
{
	struct str host = address_host(url);

	return str_chr(host, CODE_GAP, 0) >= 0 ? (struct str){ 0 } : host;
}

static unsigned host_places(struct str host)
{
	return address_is_local(host) ? PLACE_LOCAL_HOST : 0;
}

static struct str url_host(const struct act *x, const struct code_value *url)
{
	if (url && url->kind == VALUE_LIST && url->n) {
		const struct code_value *m = value_member(url, STR("url"));

		m = m ? m : value_member(url, STR("hostname"));
		m = m ? m : value_member(url, STR("host"));
		url = m ? m : &url->items[0];
	}
	(void)x;
	return url && url->kind == VALUE_TEXT ? host_of(url->text) : (struct str){ 0 };
}

/* The path of a file with secrets, among what is sent: [file => [$path]] */
static bool names_secret(const struct code *c, const struct code_value *v, unsigned depth)
{
	for (unsigned i = 0; v->kind == VALUE_LIST && depth && i < v->n; i++)
		if (names_secret(c, &v->items[i], depth - 1))
			return true;
	return value_is_known(v) && v->text.n && v->text.p[0] == '/' &&
	       (effect_places(c->e->world, v->text) & PLACE_SECRET);
}

static void send(const struct act *x, struct str host)
{
	struct effect effect = { .kind = EFFECT_SEND, .target = host, .places = host_places(host) };
	bool secret = (act_taints(x) & VALUE_SECRET) || x->c->archived;

	for (unsigned i = 0; i < x->args->n; i++)
		secret |= names_secret(x->c, &x->args->p[i].value, 4);
	if (secret)
		effect.places |= PLACE_SECRET;
	add(x, effect);
	/* What a service's API deletes is gone there; its address may be from what it said. */
	if ((x->f->flags & FN_OTHER) &&
	    ((!host.n && (act_taints(x) & VALUE_FETCHED)) || str_starts(host, STR("api.")) ||
	     str_starts(host, STR("gitlab."))))
		add(x, (struct effect){ .kind = EFFECT_CLOUD, .target = host });
}

static void make_link(const struct act *x)
{
	const struct code_value *target = act_argument(x, x->f->arg),
				*link = x->f->flags & FN_OTHER ? x->self
							       : act_argument(x, x->f->arg + 1);

	path_effect(x, (struct effect){ .kind = EFFECT_WRITE, .link = LINK_ITSELF }, link);
	if (target && link && target->kind == VALUE_TEXT && link->kind == VALUE_TEXT)
		links_made(x->c->e, link->text, act_cwd(x->c), target->text);
}

static struct code_value fetch(const struct act *x)
{
	struct str host = url_host(x, act_argument(x, x->f->arg));
	const struct code_value *url = act_argument(x, x->f->arg);
	struct code_value v = value_unknown(VALUE_FETCHED);

	if (act_taints(x) & VALUE_SECRET) {
		send(x, host);
		return v;
	}
	if (url && url->kind == VALUE_TEXT && str_starts(url->text, STR("file:")))
		return file_read(x, url);
	add(x,
	    (struct effect){ .kind = EFFECT_FETCH, .target = host, .places = host_places(host) });
	if (host_places(host))
		v.flags = 0;
	return v;
}

static bool is_sending(const struct act *x)
{
	static const char *const methods[] = { "POST", "PUT", "PATCH", "DELETE", "post", "put" };
	static const char *const keys[] = { "body", "data", "json", "files" };
	const struct code_value *m = act_keyed(x->args, "method");

	for (unsigned i = 0; i <= x->args->n; i++) {
		const struct code_value *v = i < x->args->n ? &x->args->p[i].value : m;

		for (size_t k = 0; v && v->kind == VALUE_TEXT && k < ARRAY_LEN(methods); k++)
			if (str_eqz(v->text, methods[k]))
				return true;
	}
	for (size_t k = 0; k < ARRAY_LEN(keys); k++)
		if (is_true(act_keyed(x->args, keys[k])))
			return true;
	return false;
}

static bool is_deleting(const struct act *x)
{
	const struct code_value *m = act_keyed(x->args, "method");

	m = m ? m : act_positional(x->args, 0);
	return m && m->kind == VALUE_TEXT &&
	       (str_eqz(m->text, "DELETE") || str_eqz(m->text, "delete"));
}

static struct code_value request(const struct act *x)
{
	struct act y = *x;
	struct code_function f = *x->f;
	const struct code_value *first = act_argument(x, f.arg);

	/* request("POST", url) */
	if (first && first->kind == VALUE_TEXT && first->text.n < 8 &&
	    str_find(first->text, STR("://"), 0) < 0 &&
	    act_positional(x->args, (unsigned)f.arg + 1))
		f.arg++;
	y.f = &f;
	if (!is_sending(x))
		return fetch(&y);
	if (is_deleting(x))
		f.flags |= FN_OTHER;
	send(&y, url_host(x, act_argument(&y, f.arg)));
	return value_unknown(VALUE_FETCHED);
}

static struct code_value connect(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct code_value s = value_unknown(VALUE_FETCHED); /* what it reads */
	struct str host;

	if (v && v->kind == VALUE_TEXT && (v->flags & VALUE_NUMBER)) /* (port, host) */
		v = act_positional(x->args, (unsigned)x->f->arg + 1);
	if (v && v->kind == VALUE_LIST && v->n) {
		const struct code_value *m = value_member(v, STR("host"));

		v = m ? m : &v->items[0];
	}
	host = v && v->kind == VALUE_TEXT ? host_of(v->text) : (struct str){ 0 };
	x->c->connected = true;
	x->c->peer = host;
	remote_shell(x);
	s.type = STR("socket");
	s.text = host;
	return s;
}

/* ---- code ---- */

static void eval_value(const struct act *x, const struct code_value *v)
{
	struct str text;

	if (!v || v->kind == VALUE_FUNCTION)
		return;
	if (v->kind == VALUE_LIST && (v->flags & VALUE_ANY)) {
		for (unsigned i = 0; i < v->n; i++)
			eval_value(x, &v->items[i]);
		return;
	}
	if (value_is_known(v))
		code_run_text(x->c, v->text);
	else if (v->flags & VALUE_FETCHED)
		add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else if (x->f->flags & FN_TEXT_ONLY)
		return;
	else if (str_eqz(v->type, "content") && x->c->e->world->read && v->text.n &&
		 x->c->e->world->read(x->c->e->world->data, v->text, x->c->e->arena, &text))
		code_run_text(x->c, str_sub(text, 0, CODE_TEXT_MAX));
	else if (v->kind == VALUE_TEXT && !str_eqz(str_trim(v->text), "\1"))
		code_run_text(x->c, v->text);
	else
		add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
}

static void eval(const struct act *x)
{
	eval_value(x, act_argument(x, x->f->arg));
	for (unsigned i = (unsigned)x->f->arg + 1; (x->f->flags & FN_ALL) && i < x->args->n; i++)
		eval_value(x, act_positional(x->args, i));
}

static void other_code(const struct act *x, enum code_language lang)
{
	const struct code_value *v = act_argument(x, x->f->arg);
	struct effects *e = x->c->e;

	if (v && v->kind == VALUE_LIST && v->n)
		v = &v->items[0];
	if (!v || v->kind != VALUE_TEXT)
		return;
	e->depth++;
	effects_of_code(e, lang, v->text, words_of(x));
	e->depth--;
}

static void kill_effect(const struct act *x)
{
	/* Each process that an iterator gives. */
	if (x->f->arg < 0 && x->self && (x->self->flags & VALUE_WALKED) && !x->c->chosen_level)
		add(x,
		    (struct effect){ .kind = EFFECT_KILL, .target = STR("-1"), .recursive = true });
	/* The two that matter: all processes, and the first. Perl has the signal in front. */
	for (unsigned i = 0; i < x->args->n; i++) {
		const struct code_value *v = &x->args->p[i].value;
		/* What a walk through /proc finds. */
		bool any = v->kind == VALUE_TEXT && (v->flags & VALUE_WALKED) &&
			   !((v->flags & VALUE_CHOSEN) && str_eqz(v->type, "processes"));

		if (v->kind == VALUE_TEXT &&
		    (any || str_eqz(v->text, "-1") ||
		     (str_eqz(v->text, "1") && i == (unsigned)x->f->arg))) {
			add(x, (struct effect){ .kind = EFFECT_KILL,
						.target = any ? STR("-1") : v->text,
						.recursive = true });
			return;
		}
	}
}

static void chdir_effect(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);

	struct code_value expanded;

	if (v && v->kind == VALUE_TEXT && v->text.n && v->text.p[0] == '~') { /* of shelljs */
		expanded = code_home_expanded(x->c, *v);
		v = &expanded;
	}
	if (!v || v->kind != VALUE_TEXT || v->text.n == 0)
		return;
	x->c->e->cwd = v->text.p[0] == '/' ? v->text
					   : arena_printf(x->c->e->arena, "%.*s/%.*s",
							  STR_ARG(act_cwd(x->c)), STR_ARG(v->text));
}

/* {}, { where: {} }: a condition that chooses nothing. */
static bool is_everything(const struct code_value *v)
{
	const struct code_value *where = value_member(v, STR("where"));

	return v->kind == VALUE_LIST &&
	       (!v->n || (where && where->kind == VALUE_LIST && !where->n));
}

/* p.stdin.write("rm -rf ~"), print $sh "rm -rf ~": line after line. */
static void tell(const struct act *x, const struct code_value *v)
{
	struct code *c = x->c;

	if (!c->shell || !v || v->kind != VALUE_TEXT || c->told.n > CODE_VALUE_MAX)
		return;
	c->told = arena_printf(c->e->arena, "%.*s%.*s", STR_ARG(c->told), STR_ARG(v->text));
	if (x->f->flags & FN_OTHER)
		code_told(c);
}

void code_told(struct code *c)
{
	struct str text = c->told;

	c->told = (struct str){ 0 };
	if (text.n)
		run_shell(c, text);
}

bool act_is_environment(struct code *c, const struct code_value *v)
{
	const struct code_function *f =
		v && v->kind == VALUE_NAME ? code_function_find(c, v->type, false) : NULL;

	if (f) /* os.getenv is a function */
		return f->act == GIVES_ENV && str_find_icase(v->type, STR("get"), 0) < 0;
	return v && str_eqz(v->type, TYPE_ENVIRONMENT);
}

/* print(os.environ): what the model sees then. */
static void show(const struct act *x)
{
	for (unsigned i = 0; i < x->args->n; i++)
		if (act_is_environment(x->c, &x->args->p[i].value)) {
			add(x, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
			return;
		}
}

/* The network, code, databases, processes. */
static const struct code_function itself = { .act = ACT_SHELL_OR_ARGV, .arg = ARG_SELF };

static struct code_value program_act(const struct act *x, const struct code_value *v);

static struct code_value other_act(const struct act *x, const struct code_value *v)
{
	switch ((unsigned)x->f->act) {
	case ACT_SEND:
		send(x, x->f->arg < 0 && x->self ? x->self->text : url_host(x, v));
		return value_unknown(VALUE_FETCHED);
	case ACT_FETCH:
		return fetch(x);
	case ACT_FETCH_FILE:
		(void)fetch(x);
		v = act_positional(x->args, (unsigned)x->f->arg + 1);
		if (v)
			path_effect(x, (struct effect){ .kind = EFFECT_OVERWRITE }, v);
		remember_fetched(x->c, v);
		return v ? *v : value_unknown(0);
	case ACT_REQUEST:
		return request(x);
	case ACT_CONNECT:
		return connect(x);
	case ACT_KILL:
		kill_effect(x);
		break;
	case ACT_FORK:
		if (x->c->forever)
			add(x, (struct effect){ .kind = EFFECT_EXHAUST });
		break;
	case ACT_EVAL:
		eval(x);
		break;
	case ACT_JAVASCRIPT:
		other_code(x, CODE_JAVASCRIPT);
		break;
	case ACT_SQL:
		if (x->self && x->self->kind == VALUE_TEXT && str_eqz(x->self->text, ":memory:"))
			break;
		/* "git push".execute() of Groovy */
		if (!x->args->n && x->self && x->c->g->language == CODE_COMPILED)
			(void)program_act(&(struct act){ x->c, &itself, x->self, x->args },
					  x->self);
		else
			other_code(x, CODE_SQL);
		break;
	case ACT_DATABASE:
		if ((x->f->flags & FN_KEYED) && v && !is_everything(v))
			break;
		if ((x->f->flags & FN_RECURSIVE) && !is_flag(x, "force") && !is_flag(x, "truncate"))
			break;
		add(x, (struct effect){ .kind = EFFECT_DATABASE,
					.target = x->self && x->self->kind == VALUE_NAME
							  ? x->self->type
							  : (struct str){ 0 } });
		break;
	case ACT_CLOUD:
		add(x, (struct effect){ .kind = EFFECT_CLOUD });
		break;
	case ACT_OPAQUE:
		add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		break;
	case ACT_UNSEEN:
		if (act_taints(x) & VALUE_FETCHED)
			add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
		break;
	case ACT_SHUTDOWN:
		add(x, (struct effect){ .kind = EFFECT_SHUTDOWN });
		break;
	case ACT_PERSIST:
		path_effect(x, (struct effect){ .kind = EFFECT_PERSIST }, v);
		break;
	case ACT_PRIVILEGES:
		if (v && v->kind == VALUE_TEXT && str_eqz(v->text, "0"))
			add(x, (struct effect){ .kind = EFFECT_PRIVILEGES });
		break;
	case ACT_CHDIR:
		chdir_effect(x);
		break;
	case ACT_TELL:
		tell(x, v);
		break;
	case ACT_SHOW:
		show(x);
		break;
	default:
		break;
	}
	return act_typed(x, value_unknown(act_taints(x)));
}

/* What runs, and what it prints. */
static struct code_value program_act(const struct act *x, const struct code_value *v)
{
	struct code *c = x->c;
	bool remote = c->e->remote;
	struct code_value out;

	c->output = value_unknown(0);
	if (x->f->act == ACT_SHELL && (x->f->flags & FN_DEFAULT)) {
		run_shell(c, str_from(x->f->type));
	} else if (x->f->act == ACT_SHELL) {
		c->e->remote |= (x->f->flags & FN_OTHER) != 0;
		if ((x->f->flags & FN_ALL) && v && v->kind == VALUE_TEXT &&
		    act_positional(x->args, 1)) { /* the program, and a text with its words */
			out = value_join(c->e->arena, *v, STR(" "), *act_positional(x->args, 1));
			v = &out;
		}
		if (v && v->kind == VALUE_TEXT)
			see_shell(x, v->text);
		shell_effect(x, v);
		c->e->remote = remote;
	} else if (x->f->act == ACT_ARGV) {
		argv_effect(x, v);
	} else {
		shell_or_argv(x);
	}
	out = c->output;
	out.flags |= act_taints(x);
	return x->f->flags & FN_DEFAULT ? out : act_typed(x, out);
}

static struct code_value effect_act(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg);

	switch ((unsigned)x->f->act) {
	case ACT_SHELL:
	case ACT_ARGV:
	case ACT_SHELL_OR_ARGV:
		return program_act(x, v);
	case ACT_DELETE:
		delete (x);
		break;
	case ACT_READ:
		return file_read(x, v);
	case ACT_WRITE:
	case ACT_OVERWRITE:
		write_file(x, v,
			   act_positional(x->args, x->f->arg < 0 ? 0 : (unsigned)x->f->arg + 1),
			   x->f->act == ACT_WRITE || is_flag(x, "append"));
		break;
	case ACT_OPEN:
		return x->f->flags & FN_OTHER ? open_perl(x) : open_file(x);
	case ACT_MOVE:
		move(x, false);
		break;
	case ACT_COPY:
		move(x, true);
		break;
	case ACT_LINK:
		make_link(x);
		break;
	case ACT_PERMISSIONS:
		path_effect(x,
			    (struct effect){ .kind = EFFECT_PERMISSIONS,
					     .recursive = x->f->flags & FN_RECURSIVE },
			    v);
		break;
	default:
		return other_act(x, v);
	}
	return act_typed(x, value_unknown(act_taints(x)));
}

struct code_value code_act(struct code *c, const struct code_function *f, struct code_value *self,
			   struct code_args *args)
{
	struct act x = { .c = c, .f = f, .self = self, .args = args };
	struct code_value v;

	if (f->act >= GIVES_SELF)
		v = act_gives(&x);
	else {
		v = effect_act(&x);
		if (args->more && f->act != ACT_SHOW)
			effects_unjudged(c->e, words_of(&x));
	}
	if (f->act == CALLS_FOREVER) {
		bool was = c->forever;

		c->forever = true;
		for (unsigned i = 0; i < args->n; i++)
			if (args->p[i].value.kind == VALUE_FUNCTION)
				(void)code_call_defined(c, &args->p[i].value, NULL, 0);
		c->forever = was;
	}
	return v;
}
