/* From nodes to calls, and from calls to those that they make. */
#include "shell/calls.h"

#include "base/vec.h"
#include "base/words.h"

/* Where in the text a call is. */
struct context {
	unsigned depth;
	bool certain; /* it runs, and once */
};

static void collect_list(struct sh_calls *s, const struct sh_script *script,
			 const struct sh_node *n, struct context c);

/* ---- small questions ---- */

struct str sh_file_name(struct str s)
{
	size_t i = s.n;

	while (i > 0 && s.p[i - 1] != '/')
		i--;
	return str_sub(s, i, s.n);
}

bool sh_call_is(const struct sh_call *c, size_t i, const char *text)
{
	return i < c->n && str_eqz(c->words[i].text, text);
}

bool sh_is_among(struct str s, const char *const *list)
{
	for (; list && *list; list++)
		if (str_eqz(s, *list))
			return true;
	return false;
}

bool sh_call_opaque(const struct sh_call *c, size_t from)
{
	for (size_t i = from; i < c->n; i++)
		if (c->words[i].opaque)
			return true;
	return false;
}

struct str sh_call_text(struct arena *a, const struct sh_call *c)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < c->n; i++) {
		buf_addz(&out, i ? " " : "");
		buf_adds(&out, c->words[i].text);
	}
	return arena_str(a, buf_str(&out));
}

bool sh_option_fits(struct str word, const char *option)
{
	struct str o = str_from(option);
	ptrdiff_t eq = str_chr(word, '=', 0);
	struct str name = eq < 0 ? word : str_sub(word, 0, (size_t)eq);

	if (o.n == 2 && o.p[0] == '-') /* alone, or somewhere in a bundle */
		return word.n > 1 && word.p[0] == '-' && word.p[1] != '-' &&
		       str_chr(word, o.p[1], 1) > 0;
	/* Long options may be shortened. */
	return str_starts(word, o) || (name.n > 2 && str_starts(o, name));
}

bool sh_is_code_variable(struct str name)
{
	static const char whole[] =
		"AWKLIBPATH AWKPATH BASHOPTS BASH_ALIASES BASH_CMDS BASH_ENV BROWSER "
		"CDPATH CURL_HOME DOTNET_STARTUP_HOOKS EDITOR ENV EXINIT FPATH "
		"GCONV_PATH GNUMAKEFLAGS HOME IFS JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS "
		"JULIA_LOAD_PATH LESSCLOSE LESSOPEN LUA_CPATH LUA_INIT LUA_PATH "
		"MAKEFILES MAKEFLAGS MANPAGER MYVIMRC NODE_OPTIONS NODE_PATH "
		"NODE_REPL_EXTERNAL_MODULE OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES "
		"PAGER PATH PERL5DB PERL5LIB PERL5OPT PERLLIB PHPRC PHP_INI_SCAN_DIR "
		"PROMPT_COMMAND PS0 PS1 PS2 PS4 PSQLRC PYTHONBREAKPOINT "
		"PYTHONEXECUTABLE PYTHONHOME PYTHONINSPECT PYTHONPATH PYTHONPLATLIBDIR "
		"PYTHONSTARTUP PYTHONUSERBASE RSYNC_RSH RUBYLIB RUBYOPT RUSTC "
		"RUSTC_WRAPPER R_PROFILE R_PROFILE_USER SHELL SHELLOPTS SSH_ASKPASS "
		"SUDO_ASKPASS SVN_SSH TAR_OPTIONS VIMINIT VISUAL WGETRC XDG_CONFIG_HOME "
		"ZDOTDIR _JAVA_OPTIONS";
	static const char *const starts[] = { "BASH_FUNC_", "DYLD_",       "GIT_",
					      "LD_",        "npm_config_", "NPM_CONFIG_" };

	if (str_starts(name, STR("GIT_AUTHOR_")) || str_starts(name, STR("GIT_COMMITTER_")))
		return false;
	return TEXT_BEGINS(name, starts) || word_in_text(name, whole);
}

/* What env and its kin take for a name: they also set BASH_FUNC_ls%%. */
static struct str env_name(struct str s)
{
	ptrdiff_t eq = str_chr(s, '=', 0);

	return str_sub(s, 0, eq < 0 ? 0 : (size_t)eq);
}

/* NAME of NAME=value; .n 0 when it is none. */
static struct str assigned_name(struct str s)
{
	ptrdiff_t eq = str_chr(s, '=', 0);
	struct str name = str_sub(s, 0, eq < 0 ? 0 : (size_t)eq);

	if (str_ends(name, STR("+")))
		name.n--;
	return sh_is_name(name) ? name : STR("");
}

/* ---- the list ---- */

void sh_calls_add(struct sh_calls *s, const struct sh_call *c)
{
	if (s->n < SH_CALLS_MAX)
		*VEC_ADD(s) = *c;
	else
		s->p[s->n - 1] = (struct sh_call){ .unknown = true, .redirects = true };
}

void sh_calls_unknown(struct sh_calls *s, unsigned depth)
{
	sh_calls_add(s, &(struct sh_call){ .unknown = true, .depth = depth });
}

/* Something that the reader does not answer for: for a guard that is as bad as it gets. */
static void add_lost(struct sh_calls *s, unsigned depth)
{
	if (s->strict)
		sh_calls_add(
			s, &(struct sh_call){ .unknown = true, .redirects = true, .depth = depth });
}

static void add_inner(struct sh_calls *s, const struct sh_call *of, size_t from, size_t n,
		      bool more, bool assigned)
{
	struct sh_call *by = ARENA_NEW(s->arena, struct sh_call);

	*by = *of;
	sh_calls_add(s, &(struct sh_call){ .words = of->words + from,
					   .n = n,
					   .by = by,
					   .more = more || of->more,
					   .assigned = assigned,
					   .optional = of->optional,
					   .fed = of->fed,
					   .depth = of->depth });
}

/* ---- variables that the text sets ---- */

static enum sh_known track_variable(void *data, struct str name, struct str *ret)
{
	const struct sh_calls *s = data;
	const struct sh_variable *v = NULL;

	for (size_t i = s->variables.n; i > 0 && !v; i--)
		if (str_eq(s->variables.p[i - 1].name, name))
			v = &s->variables.p[i - 1];
	if (s->variables.lost || (v && !v->known))
		return SH_UNKNOWN;
	if (v) {
		*ret = v->value;
		return SH_KNOWN;
	}
	return s->values && s->values->variable ? s->values->variable(s->values->data, name, ret)
						: SH_UNKNOWN;
}

static bool track_command(void *data, const struct sh_script *script, struct str *ret)
{
	const struct sh_calls *s = data;

	return s->values && s->values->command && s->values->command(s->values->data, script, ret);
}

static bool value_of(struct sh_calls *s, const struct sh_word *w, bool split, struct str *ret)
{
	struct sh_values tracked = { track_variable, track_command, s, split };

	return sh_value(s->arena, w, s->track ? &tracked : s->values, ret);
}

static void set_variable(struct sh_calls *s, struct str name, struct str value, bool known)
{
	if (s->track && s->variables.n < SH_CALLS_MAX)
		*VEC_ADD(&s->variables) = (struct sh_variable){ name, value, known };
	else
		s->variables.lost = true;
}

/* Whatever it is set to: a variable that decides what programs are makes all of them unknown. */
static void set_oddly(struct sh_calls *s, struct str name, unsigned depth)
{
	set_variable(s, name, STR(""), false);
	if (sh_is_code_variable(name))
		add_lost(s, depth);
}

/* `export X=1`, `read x`: the arguments of a builtin that sets variables. */
static void set_by_builtin(struct sh_calls *s, const struct sh_call *call, bool certain)
{
	static const char *const setting[] = { "declare",  "export",    "getopts", "let",
					       "local",    "mapfile",   "printf",  "read",
					       "readonly", "readarray", "typeset", "unset",
					       NULL };

	if (!call->n)
		return;
	if (sh_call_is(call, 0, "eval") || sh_call_is(call, 0, "source") ||
	    sh_call_is(call, 0, "."))
		s->variables.lost = true;
	if (!sh_is_among(call->words[0].text, setting))
		return;
	for (size_t i = 1; i < call->n; i++) {
		struct str w = call->words[i].text, name = assigned_name(w);

		s->variables.lost |= call->words[i].opaque && !name.n;
		if (name.n)
			set_variable(s, name, str_sub(w, name.n + 1, w.n),
				     certain && !call->words[i].opaque && w.p[name.n] == '=');
		else if (sh_is_name(w) && !sh_call_is(call, 0, "export"))
			set_variable(s, w, STR(""), false);
	}
}

/* ---- nodes ---- */

/* Text that is run where it is evaluated as arithmetic, or as the name of a variable. */
static bool has_command(struct str s, size_t from)
{
	return str_find(s, STR("$("), from) >= 0 || str_chr(s, '`', from) >= 0;
}

/* The names in arithmetic; true when it says more than names, numbers and operators. */
static bool evaluate(struct sh_calls *s, struct str text, unsigned depth)
{
	static const char plain[] = " \t+-*/%<>=!&|^~?:,()";
	bool strange = false;

	for (size_t i = 0, n; i < text.n; i += max_size(n, 1)) {
		struct str name;

		for (n = 0; i + n < text.n && char_is_word(text.p[i + n]);)
			n++;
		name = str_sub(text, i, i + n);
		if (!n)
			strange |= !strchr(plain, text.p[i]);
		else if (sh_is_name(name))
			*VEC_ADD(&s->evaluated) = name;
		/* It may be set in there. */
		if (sh_is_code_variable(name))
			add_lost(s, depth);
	}
	return strange;
}

static bool evaluate_word(struct sh_calls *s, const struct sh_word *w, unsigned depth)
{
	bool strange = false;

	/* A subscript in there may hold a command. */
	for (size_t i = 0; w && i < w->n; i++)
		strange |= w->p[i].kind != SH_TEXT || evaluate(s, w->p[i].text, depth);
	return strange;
}

/* What a part of a word says beyond being opaque. */
static bool is_strange(struct sh_calls *s, const struct sh_piece *p, unsigned depth)
{
	if (p->kind == SH_TEXT) { /* x[$(...)] */
		ptrdiff_t at = str_chr(p->text, '[', 1);

		while (at > 0 && !char_is_word(p->text.p[at - 1]))
			at = str_chr(p->text, '[', (size_t)at + 1);
		return at > 0 && has_command(p->text, (size_t)at);
	}
	if (p->kind == SH_ARITH)
		return evaluate_word(s, p->operand, depth);
	if (p->kind != SH_VARIABLE)
		return false;
	if (p->subscript > 2) {
		struct str index = { p->text.p + p->text.n + 1, p->subscript - 2 };

		if (!str_eqz(index, "@") && !str_eqz(index, "*") && evaluate(s, index, depth))
			return true;
	}
	if (str_eqz(p->op, ":") && evaluate_word(s, p->operand, depth))
		return true;
	return p->indirect || str_eqz(p->op, "@") || (p->op.n && p->operand && p->operand->quoted);
}

static void collect_word(struct sh_calls *s, const struct sh_word *w, struct context c)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct sh_piece *p = &w->p[i];

		if (is_strange(s, p, c.depth))
			add_lost(s, c.depth);
		if (p->kind == SH_VARIABLE && str_ends(p->op, STR("="))) { /* ${x:=y} */
			set_oddly(s, p->text, c.depth);
			*VEC_ADD(&s->loose) = p->text;
		}
		if (p->operand)
			collect_word(s, p->operand, c);
		if (p->script)
			collect_list(s, p->script, p->script->first,
				     (struct context){ .depth = c.depth + 1 });
	}
}

static struct sh_arg arg_of(struct sh_calls *s, const struct sh_word *w)
{
	struct sh_arg arg = { 0 };

	arg.opaque = !value_of(s, w, true, &arg.text);
	/* Escapes of $'...' mean something in bash only. */
	for (size_t i = 0; s->strict && i < w->n; i++)
		arg.opaque |=
			w->p[i].quote == SH_ANSI && w->p[i].end - w->p[i].at != w->p[i].text.n + 3;
	return arg;
}

static bool is_descriptor(struct str s)
{
	struct str number = str_sub(s, 0, s.n - str_ends(s, STR("-")));

	return str_eqz(s, "-") || (number.n && str_is_of(number, "0123456789"));
}

static void collect_outside(struct sh_calls *s, const struct sh_node *n, struct context c,
			    struct sh_call *call)
{
	for (size_t i = 0; i < n->nredirects; i++) {
		bool dup;
		struct sh_arg target;
		struct str fd = n->redirects[i].fd;

		if (fd.n > 2 && fd.p[0] == '{') /* {name}>file: the number is its value */
			set_oddly(s, str_sub(fd, 1, fd.n - 1), c.depth);
		collect_word(s, &n->redirects[i].target, c);
		if (!n->redirects[i].literal)
			collect_word(s, &n->redirects[i].body, c);
		/* To or from a file other than /dev/null? */
		dup = str_eqz(n->redirects[i].op, ">&") || str_eqz(n->redirects[i].op, "<&");
		target = arg_of(s, &n->redirects[i].target);
		call->redirects |=
			str_starts(n->redirects[i].op, STR("<<")) || target.opaque ||
			!(str_eqz(target.text, "/dev/null") || (dup && is_descriptor(target.text)));
	}
}

static void collect_simple(struct sh_calls *s, const struct sh_script *script,
			   const struct sh_node *n, struct context c, struct sh_call *call)
{
	struct sh_arg *words = ARENA_ARRAY(s->arena, struct sh_arg, n->nwords + 1);

	for (size_t i = 0; i < n->nassigns; i++) {
		const struct sh_assign *as = &n->assigns[i];
		struct str value = { 0 };
		bool known = !as->array && !as->append && !as->subscript;

		collect_word(s, &as->value, c);
		for (size_t k = 0; k < as->nitems; k++)
			collect_word(s, &as->items[k], c);
		known = value_of(s, &as->value, false, &value) && known;
		call->assigned = true;
		if (str_chr(value, '[', 0) >= 0)
			*VEC_ADD(&s->loose) = as->name;
		if (sh_is_code_variable(as->name) || has_command(value, 0))
			add_lost(s, c.depth);
		/* Before a program it counts for that only. */
		if (!n->nwords)
			set_variable(s, as->name, value, known && c.certain);
	}
	for (size_t i = 0; i < n->nwords; i++) {
		collect_word(s, &n->words[i], c);
		words[i] = arg_of(s, &n->words[i]);
	}
	collect_outside(s, n, c, call);
	call->words = words;
	call->n = n->nwords;
	call->source = str_trim(str_sub(script->text, n->at, n->end));
	if (n->nwords)
		call->plain = str_trim(str_sub(script->text, n->words[0].at, n->end));
	set_by_builtin(s, call, c.certain);
	if (call->n || call->assigned || call->redirects)
		sh_calls_add(s, call);
}

static void collect_node(struct sh_calls *s, const struct sh_script *script,
			 const struct sh_node *n, struct context c, struct sh_call call)
{
	if (n->kind == SH_SIMPLE) {
		collect_simple(s, script, n, c, &call);
		return;
	}
	s->compound = true;
	if (n->kind == SH_FOR) {
		/* Its variable goes over words, or over all that the script was given. */
		bool loose = !n->nwords;

		set_oddly(s, n->name, c.depth);
		for (size_t i = 0; i < n->nwords && !loose; i++) {
			struct sh_arg w = arg_of(s, &n->words[i]);

			for (size_t k = 0; k < w.text.n && !loose; k++)
				loose = !char_is_digit(w.text.p[k]) &&
					!strchr("+-{}.,", w.text.p[k]);
			loose |= w.opaque && n->words[i].p[0].kind != SH_BRACE;
		}
		if (loose)
			*VEC_ADD(&s->loose) = n->name;
	}
	if (n->kind == SH_TEST || n->kind == SH_LET || n->kind == SH_COPROC)
		add_lost(s, c.depth);
	for (size_t i = 0; i < n->nwords; i++)
		collect_word(s, &n->words[i], c);
	for (size_t i = 0; i < n->nbodies; i++)
		collect_list(s, script, n->bodies[i],
			     (struct context){ .depth = c.depth,
					       .certain = c.certain && n->kind == SH_GROUP });
	collect_outside(s, n, c, &call);
	if (call.redirects)
		sh_calls_add(s, &call);
}

static void collect_list(struct sh_calls *s, const struct sh_script *script,
			 const struct sh_node *n, struct context c)
{
	enum sh_op before = SH_END;

	for (; n; n = n->next) {
		struct context here = c;
		struct sh_call call = { .node = n,
					.depth = c.depth,
					.optional = before == SH_OR || n->op == SH_OR,
					.piped = n->op == SH_PIPE,
					.fed = before == SH_PIPE };
		const struct sh_node *last = n;

		s->compound |= n->op != SH_END;
		here.certain &= before != SH_OR && before != SH_PIPE && n->op != SH_PIPE &&
				n->op != SH_BACKGROUND;
		/* What a failure before it leaves out: is it left out with all that follows? */
		while (last->op == SH_AND && last->next)
			last = last->next;
		here.certain &= before != SH_AND || !last->next;
		collect_node(s, script, n, here, call);
		before = n->op;
	}
}

void sh_calls_text(struct sh_calls *s, struct str text, unsigned depth)
{
	struct sh_script script;
	bool ok = depth < SH_DEPTH_MAX && sh_read(&script, s->arena, text);

	if (depth < SH_DEPTH_MAX)
		collect_list(s, &script, script.first, (struct context){ depth, depth == 0 });
	if (depth == 0)
		s->script = script;
	if (!ok || (s->strict && script.dubious))
		sh_calls_add(s, &(struct sh_call){ .source = text,
						   .unknown = true,
						   .redirects = true,
						   .depth = depth });
}

/* ---- calls that make others ---- */

/* A bundle of short options: how many words it takes, 0 when a letter is unknown. */
static size_t short_options(const char *known, struct str word)
{
	for (size_t i = 1; i < word.n; i++) {
		const char *at = word.p[i] == ':' ? NULL : strchr(known, word.p[i]);

		if (!at)
			return 0;
		if (at[1] == ':')
			return i + 1 < word.n ? 1 : 2;
	}
	return 1;
}

/* Where the operands begin; c->n when there are none, SIZE_MAX when it cannot be told. */
static size_t operands_of(const struct sh_program *r, const struct sh_call *c, size_t i)
{
	while (i < c->n) {
		struct str w = c->words[i].text;
		size_t step = 1;

		if (c->words[i].opaque)
			return SIZE_MAX;
		if (str_eqz(w, "--"))
			return i + 1;
		if (w.n == 0 || w.p[0] != '-' || (w.n == 1 && !word_in_text(STR("env"), r->names)))
			break;
		if (w.n > 1 && w.p[1] != '-')
			step = word_in_text(STR("nice"), r->names) && char_is_digit(w.p[1])
				       ? 1
				       : short_options(r->options, w);
		else if (w.n > 1 && !sh_is_among(w, r->flags))
			step = str_chr(w, '=', 0) > 0 &&
			       !(str_starts(w, STR("--sp")) || str_starts(w, STR("--re")) ||
				 str_starts(w, STR("--s=")));
		if (!step)
			return SIZE_MAX;
		i += step;
	}
	return i;
}

/* The operands before the command; SIZE_MAX when one of them may be several. */
static size_t skip_operands(const struct sh_program *r, const struct sh_call *c, size_t i)
{
	for (size_t n = r->operands; n && i < c->n; i++, n--)
		if (c->words[i].opaque)
			return SIZE_MAX;
	return min_size(i, c->n);
}

static void unwrap_args(struct sh_calls *s, const struct sh_program *r, const struct sh_call *c)
{
	bool assigned = false;
	size_t i = 1;

	if (r->subcommands) {
		if (c->n < 2 || !sh_is_among(c->words[1].text, r->subcommands))
			return;
		i = 2;
	}
	i = operands_of(r, c, i);
	for (; r->assigns && i < c->n && env_name(c->words[i].text).n; i++) {
		assigned = true;
		if (sh_is_code_variable(env_name(c->words[i].text)))
			add_lost(s, c->depth);
	}
	if (i != SIZE_MAX)
		i = skip_operands(r, c, i);
	/* `xargs env`: the command comes from the input. */
	if (i == SIZE_MAX || (i >= c->n && c->more))
		sh_calls_unknown(s, c->depth);
	else if (i < c->n)
		add_inner(s, c, i, c->n - i, r->more, assigned);
}

static void parse_word(struct sh_calls *s, const struct sh_call *c, size_t i)
{
	if (c->words[i].opaque)
		sh_calls_unknown(s, c->depth);
	else
		sh_calls_text(s, c->words[i].text, c->depth + 1);
}

/* The words from i on, joined, are shell text. */
static void unwrap_text(struct sh_calls *s, const struct sh_program *r, const struct sh_call *c)
{
	size_t i = operands_of(r, c, 1);

	if (i != SIZE_MAX)
		i = skip_operands(r, c, i);
	if (i == SIZE_MAX || sh_call_opaque(c, i) || c->more) {
		sh_calls_unknown(s, c->depth);
		return;
	}
	struct sh_call rest = { .words = c->words + i, .n = c->n - i };
	if (rest.n)
		sh_calls_text(s, sh_call_text(s->arena, &rest), c->depth + 1);
}

/*
 * The word of a shell that is its script, or the text of -c (*ret_text); c->n = it reads its
 * input, SIZE_MAX when it cannot be told.
 */
static size_t shell_operand(const struct sh_call *c, bool *ret_text)
{
	static const char *const flags[] = { "--login", "--norc",    "--noprofile",
					     "--posix", "--verbose", NULL };
	bool text = false, input = false;
	size_t i = 1;

	for (; i < c->n && !c->words[i].opaque; i++) {
		struct str w = c->words[i].text;

		if (w.n < 2 || (w.p[0] != '-' && w.p[0] != '+'))
			break;
		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (w.p[1] == '-') {
			if (sh_is_among(w, flags))
				continue;
			return SIZE_MAX;
		}
		text |= w.p[0] == '-' && str_chr(w, 'c', 0) >= 0;
		input |= w.p[0] == '-' && str_chr(w, 's', 0) >= 0;
		i += w.p[w.n - 1] == 'o' || w.p[w.n - 1] == 'O';
	}
	*ret_text = text;
	return input && !text ? c->n : min_size(i, c->n);
}

static bool is_input(const struct sh_call *c, size_t i)
{
	return sh_call_is(c, i, "-") || str_starts(c->words[i].text, STR("/dev/"));
}

/* A script is a program like others, but what comes from standard input may be anything. */
static void unwrap_shell(struct sh_calls *s, const struct sh_call *c)
{
	bool text = false;
	size_t i = shell_operand(c, &text);

	if (i == SIZE_MAX ||
	    (s->strict && (i >= c->n || (!text && (c->words[i].opaque || is_input(c, i))))))
		sh_calls_unknown(s, c->depth);
	else if (text && i < c->n)
		parse_word(s, c, i);
}

static void unwrap_find(struct sh_calls *s, const struct sh_call *c)
{
	static const char *const actions[] = { "-exec", "-execdir", "-ok", "-okdir", NULL };
	struct sh_arg *words = ARENA_ARRAY(s->arena, struct sh_arg, c->n + 1);
	struct sh_call named = *c;

	/* `xargs find`: the input may hold an action. */
	if (c->more)
		sh_calls_unknown(s, c->depth);
	/* {} is an unknown name, also in the middle of a word. */
	named.words = words;
	for (size_t i = 0; i < c->n; i++)
		words[i] = (struct sh_arg){ c->words[i].text,
					    c->words[i].opaque ||
						    str_find(c->words[i].text, STR("{}"), 0) >= 0 };
	for (size_t i = 1; i < c->n; i++) {
		size_t end = i + 1;

		if (c->words[i].opaque) {
			sh_calls_unknown(s, c->depth);
			return;
		}
		if (!sh_is_among(c->words[i].text, actions))
			continue;
		while (end < c->n && !sh_call_is(c, end, ";") && !sh_call_is(c, end, "+"))
			end++;
		add_inner(s, &named, i + 1, end - i - 1, false, false);
		i = end;
	}
}

static void unwrap(struct sh_calls *s, size_t at)
{
	const struct sh_call call = s->p[at], *c = &call; /* s->p moves when calls are added */
	const struct sh_program *r;
	size_t text;

	if (!c->n || c->unknown || c->words[0].opaque)
		return;
	r = sh_program_find(c->words[0].text);
	if (!r || (s->strict && r->elsewhere && !s->elsewhere))
		return;
	if (r->subcommands && r->starts == SH_STARTS_ODDLY &&
	    (c->n < 2 || (!c->words[1].opaque && !sh_is_among(c->words[1].text, r->subcommands))))
		return;
	switch (r->starts) {
	case SH_STARTS_ARGS:
		unwrap_args(s, r, c);
		break;
	case SH_STARTS_TEXT:
		unwrap_text(s, r, c);
		break;
	case SH_STARTS_SHELL:
		unwrap_shell(s, c);
		break;
	case SH_STARTS_SOURCE:
		if (c->n > 1 && (c->words[1].opaque || str_starts(c->words[1].text, STR("/dev/"))))
			sh_calls_unknown(s, c->depth);
		break;
	case SH_STARTS_TRAP: /* `trap -- TEXT SIGNAL` */
		text = sh_call_is(c, 1, "--") ? 2 : 1;
		if (text + 1 < c->n)
			parse_word(s, c, text);
		break;
	case SH_STARTS_FIND:
		unwrap_find(s, c);
		break;
	case SH_STARTS_ODDLY:
		if (s->strict || sh_call_opaque(c, 1))
			sh_calls_unknown(s, c->depth);
		break;
	case SH_STARTS_CODE:
		break;
	}
}

size_t sh_call_script(const struct sh_call *c, const struct sh_program *p, bool *ret_code)
{
	size_t i = 1;

	*ret_code = false;
	if (p->starts == SH_STARTS_SOURCE)
		return c->n < 2 ? 0 : c->words[1].opaque ? SIZE_MAX : 1;
	if (p->starts == SH_STARTS_SHELL) {
		i = shell_operand(c, ret_code);
		*ret_code |= i == c->n || (i < c->n && is_input(c, i));
		return i == SIZE_MAX || (i < c->n && c->words[i].opaque) ? SIZE_MAX
		       : *ret_code                                       ? 0
									 : i;
	}
	if (p->starts != SH_STARTS_CODE)
		return 0;
	if (p->subcommands && c->n > 1 && sh_is_among(c->words[1].text, p->subcommands))
		i = 2;
	for (; i < c->n && !c->words[i].opaque; i++) {
		struct str w = c->words[i].text;

		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (w.n < 2 || w.p[0] != '-')
			break;
		if (w.p[1] == '-') {
			*ret_code |= str_eqz(w, "--eval") || str_eqz(w, "--print");
			/* --require ./x: the next word is its value, or the script. */
			i += sh_is_among(w, (const char *const[]){ "--require", "--import",
								   "--loader", "--eval", "--print",
								   "--file", NULL });
			continue;
		}
		for (size_t k = 1; k < w.n; k++) {
			const char *at = p->options ? strchr(p->options, w.p[k]) : NULL;

			if (strchr(p->code, w.p[k]) || w.p[k] == 'm') {
				*ret_code = true; /* or a module */
				return 0;
			}
			if (at && at[1] == ':') {
				i += k + 1 == w.n;
				break;
			}
		}
	}
	if (i < c->n && c->words[i].opaque)
		return SIZE_MAX;
	*ret_code |= i >= c->n || is_input(c, i) || (p->code[0] == '\0' && !p->subcommands);
	return *ret_code ? 0 : i;
}

/* ---- whole texts ---- */

static void unwrap_all(struct sh_calls *s)
{
	bool lost = false;

	for (size_t i = 0; i < s->n; i++) {
		unwrap(s, i);
		if (s->unwrap && s->p[i].n && !s->p[i].unknown && !s->p[i].words[0].opaque)
			s->unwrap(s, i);
	}
	/* In any order: a loop may set what it has evaluated before. */
	for (size_t i = 0; i < s->evaluated.n; i++)
		for (size_t k = 0; k < s->loose.n; k++)
			lost |= str_eq(s->evaluated.p[i], s->loose.p[k]);
	if (lost)
		add_lost(s, 0);
}

void sh_calls_read(struct sh_calls *s, struct str text)
{
	sh_calls_text(s, text, 0);
	unwrap_all(s);
}

void sh_calls_program(struct sh_calls *s, const struct sh_arg *words, size_t n)
{
	sh_calls_add(s, &(struct sh_call){ .words = words, .n = n });
	unwrap_all(s);
}

void sh_calls_done(struct sh_calls *s)
{
	free(s->p);
	free(s->variables.p);
	free(s->evaluated.p);
	free(s->loose.p);
	s->evaluated = s->loose = (struct sh_names){ 0 };
	s->p = NULL;
	s->n = s->cap = 0;
	s->variables.p = NULL;
	s->variables.n = s->variables.cap = 0;
}
