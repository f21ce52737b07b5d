/* Programs that code starts, and what it tells a shell. */
#include "base/words.h"
#include "effects/code_act.h"

#include "shell/calls.h"
#include "shell/shell.h"

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

static bool is_mail_program(struct str command)
{
	struct str word;

	if (!str_split(&command, ' ', &word))
		return false;
	while (word.n && strchr("'\"", word.p[0]))
		word = str_sub(word, 1, word.n - 1);
	return word_is_one_icase(sh_file_name(word),
				 "sendmail|mail|mailx|mutt|msmtp|swaks|s-nail|sendemail");
}

void act_run_shell(struct code *c, struct str text)
{
	struct effects *e = c->e;
	size_t n = e->n;
	bool remaining = !effects_too_deep(e);
	struct str exports;

	if (!remaining) {
		effects_unjudged(e, c->words);
		return;
	}
	e->depth++;
	exports = code_environ_exports(c);
	effects_of_shell(
		e, shell_safe(e->arena, exports.n ? arena_printf(e->arena, "%.*s%.*s",
								 STR_ARG(exports), STR_ARG(text))
						  : text));
	e->depth--;
	if (c->loop_level && is_mail_program(text)) /* to one after another */
		effects_add(e, &(struct effect){ .kind = EFFECT_ATTACK, .words = text });
	c->output = code_listed(c, text);
	if (str_eqz(text, "env") || str_eqz(text, "printenv"))
		c->output.flags |= VALUE_SECRET;
	for (size_t i = n; i < e->n; i++) {
		if (e->p[i].kind == EFFECT_FETCH && !(e->p[i].places & PLACE_LOCAL_HOST))
			c->output.flags |= VALUE_FETCHED;
		if (e->p[i].kind == EFFECT_READ && (e->p[i].places & PLACE_SECRET))
			c->output.flags |= VALUE_SECRET;
	}
	act_drop_repeated(e, n);
}

/* Of data, which a program reads; a shell would run it all the same. */
static bool is_data(struct str path, struct str words)
{
	static const char endings[] =
		"json jsonl ndjson geojson csv tsv txt xml html htm md pdf png jpg jpeg "
		"gif svg webp mp3 mp4 parquet xlsx sqlite db log ics yaml yml toml";
	size_t n = path.n;

	while (n && char_is_word(path.p[n - 1]))
		n--;
	return n > 1 && path.p[n - 1] == '.' && word_in_text(str_sub(path, n, path.n), endings) &&
	       !effects_is_shell(str_sub(
		       words, 0,
		       str_chr(words, 32, 0) < 0 ? words.n : (size_t)str_chr(words, 32, 0)));
}

/* Files that were fetched a moment ago are among the words. */
static void run_written(const struct act *x, struct str words)
{
	for (unsigned i = 0; i < x->c->nwritten; i++)
		if ((x->c->written[i].taints & VALUE_FETCHED) &&
		    !is_data(x->c->written[i].path, words) &&
		    str_find(words, x->c->written[i].path, 0) >= 0)
			act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED,
						    .target = x->c->written[i].path });
}

void act_shell(const struct act *x, const struct code_value *v)
{
	struct code *c = x->c;
	size_t n = c->e->n;

	if (v && v->kind == VALUE_LIST && (v->flags & VALUE_ANY)) {
		for (unsigned i = 0; i < v->n; i++)
			act_shell(x, &v->items[i]);
		return;
	}
	/* All of it comes from there, or a shell has a connection for its input. */
	if (v && (v->flags & VALUE_FETCHED) &&
	    (v->kind != VALUE_TEXT || v->text.p[0] == CODE_GAP ||
	     str_find(v->text, STR("sh -i <&\1"), 0) >= 0))
		act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	else if (v && (v->flags & VALUE_HIDDEN) && v->kind != VALUE_TEXT)
		act_add(x, (struct effect){ .kind = EFFECT_RUN_UNSEEN, .forced = true });
	else if (!v || v->kind != VALUE_TEXT || str_eqz(str_trim(v->text), "\1"))
		act_add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
	else {
		run_written(x, v->text);
		act_run_shell(c, v->text);
		for (size_t i = n; (v->flags & VALUE_SECRET) && i < c->e->n; i++)
			if (c->e->p[i].kind == EFFECT_SEND) /* "curl -d " + environment */
				c->e->p[i].places |= PLACE_SECRET;
	}
}

void code_shell(struct code *c, const struct code_value *text)
{
	struct code_args args = { .at = c->i ? c->t[c->i - 1].at : 0,
				  .end = c->i ? c->t[c->i - 1].end : 0 };
	struct act x = { .c = c, .f = &(const struct code_function){ 0 }, .args = &args };

	act_shell(&x, text);
}

static bool is_shell(struct str path)
{
	return effects_is_shell(path) ||
	       word_is_one_icase(sh_file_name(path), "cmd|cmd.exe|powershell|powershell.exe|pwsh");
}

/* A shell whose input is a connection. */
void act_remote_shell(const struct act *x)
{
	if (!x->c->connected || !x->c->shell)
		return;
	act_add(x, (struct effect){ .kind = EFFECT_SEND, .target = x->c->peer });
	act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED, .target = x->c->peer });
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
		act_remote_shell(x);
	}
}

/* bash -s: its code is its input */
static bool reads_input(struct str words)
{
	return str_ends(words, STR(" -s")) || str_ends(words, STR(" '-s'"));
}

static void add_word(const struct code *c, struct buf *out, const struct code_value *v)
{
	struct str s = value_flat(NULL, v);

	if (out->n)
		buf_addc(out, ' ');
	if (str_eqz(v->type, TYPE_PROCESSES) && str_starts(s, STR("$("))) {
		buf_adds(out, s);
		return;
	}
	if (str_eqz(v->type, TYPE_PROCESSES)) { /* all, or one that is not known */
		sh_quote(out, act_is_any_process(c, v) ? STR("-1") : STR("\1"));
		return;
	}
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

/* Which item of a list is one of several; n: none. */
static unsigned alternatives(const struct code_value *list)
{
	unsigned i = 0;

	while (i < list->n && !(list->items[i].kind == VALUE_LIST &&
				(list->items[i].flags & VALUE_ANY) && list->items[i].n))
		i++;
	return i;
}

static void argv_effect(const struct act *x, const struct code_value *first);

/* git.branch("x", D=True), repo.delete_head(x, force=True): options, as GitPython and sh do it. */
static void add_keyed(const struct act *x, struct buf *out)
{
	for (unsigned i = 0; x->c->g->language == CODE_PYTHON && i < x->args->n; i++) {
		const struct code_arg *arg = &x->args->p[i];
		bool on = act_is_true(&arg->value);

		if (!arg->key.n || (!on && !value_is_known(&arg->value)))
			continue;
		buf_addz(out, arg->key.n > 1 ? " --" : " -");
		for (size_t k = 0; k < arg->key.n; k++)
			buf_addc(out, arg->key.p[k] == '_' ? '-' : arg->key.p[k]);
		if (!on) {
			buf_addz(out, arg->key.n > 1 ? "=" : " ");
			sh_quote(out, arg->value.text);
		}
	}
}

static void each_alternative(const struct act *x, struct code_value list, unsigned at)
{
	const struct code_value any = list.items[at];
	unsigned more = 0; /* of others that are, one is tried as well */

	list = value_list(x->c->e->arena, list.items, list.n);
	for (unsigned i = at + 1; i < list.n; i++)
		if (list.items[i].kind == VALUE_LIST && (list.items[i].flags & VALUE_ANY) && more++)
			list.items[i] = value_unknown(list.items[i].flags);
	for (unsigned i = 0; i < any.n && i < CODE_ALTERNATIVES_MAX; i++) {
		struct code_value one = value_list(x->c->e->arena, list.items, list.n);

		one.items[at] = any.items[i];
		if (one.items[at].kind == VALUE_LIST && (one.items[at].flags & VALUE_ANY))
			one.items[at] = value_unknown(one.items[at].flags);
		argv_effect(x, &one);
	}
}

/* A program with its words: a list, or arguments. */
static void argv_effect(const struct act *x, const struct code_value *first)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	struct code_value own; /* git.push(...): its first words */
	const struct code_value *program = first;
	/* Lists among arguments are part of them. */
	bool flat = x->c->g->language == CODE_PERL || x->c->g->language == CODE_RUBY;
	const struct code_value *in = act_keyed(x->args, "input");
	unsigned n = 0;

	if (!first && (x->f->flags & FN_DEFAULT)) {
		buf_addz(&out, x->f->type);
		add_keyed(x, &out);
		act_run_shell(x->c, arena_str(x->c->e->arena, buf_str(&out)));
		return;
	}
	if (!first) {
		act_add(x, (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		return;
	}
	if (first->kind == VALUE_LIST && (first->flags & VALUE_ANY)) {
		for (unsigned i = 0; i < first->n; i++)
			argv_effect(x, &first->items[i]);
		return;
	}
	if (first->kind == VALUE_LIST && (n = alternatives(first)) < first->n) {
		each_alternative(x, *first, n);
		return;
	}
	n = 0;
	if (x->f->flags & FN_DEFAULT) {
		own = value_text(str_from(x->f->type));
		buf_addz(&out, x->f->type);
		program = &own;
		n = 1;
		if (first->kind != VALUE_LIST && first->kind != VALUE_FUNCTION)
			add_word(x->c, &out, first);
		for (unsigned i = 0; first->kind == VALUE_LIST && i < first->n; i++)
			if (!first->items[i].key.n)
				add_word(x->c, &out, &first->items[i]);
	} else if (first->kind == VALUE_LIST) {
		for (unsigned i = 0; i < first->n; i++, n++)
			add_word(x->c, &out, &first->items[i]);
		program = first->n ? &first->items[0] : NULL;
	} else {
		add_word(x->c, &out, first);
		n = 1;
	}
	for (int i = x->f->arg + 1; flat || first->kind != VALUE_LIST || i == x->f->arg + 1; i++) {
		const struct code_value *v = act_positional(x->args, (unsigned)i);

		if (!v && i == x->f->arg + 1 && x->c->g->language == CODE_R)
			v = act_keyed(x->args, "args");
		if (!v && i == x->f->arg + 1 && x->c->g->language == CODE_COMPILED)
			v = act_keyed(x->args, "arguments");
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
				add_word(x->c, &out, &v->items[k]);
		} else if (v->kind != VALUE_LIST &&
			   !((x->f->flags & FN_OTHER) && i == x->f->arg + 1)) {
			add_word(x->c, &out, v); /* execl(path, name, word...), too */
			n++;
		}
	}
	if (!program)
		return;
	if (x->f->flags & FN_DEFAULT)
		add_keyed(x, &out);
	if (program->kind != VALUE_TEXT || program->text.n == 0 || program->text.p[0] == CODE_GAP) {
		act_add(x, program->flags & VALUE_FETCHED
				   ? (struct effect){ .kind = EFFECT_RUN_FETCHED }
				   : (struct effect){ .kind = EFFECT_OPAQUE, .maybe = true });
		return;
	}
	if (is_shell(program->text) && n > 1 && (act_taints(x) & VALUE_FETCHED))
		act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	run_written(x, buf_str(&out));
	see_shell(x, n == 1 || reads_input(buf_str(&out))
			     ? program->text
			     : arena_printf(x->c->e->arena, "%.*s%s", STR_ARG(program->text),
					    str_ends(buf_str(&out), STR("-i")) ||
							    str_ends(buf_str(&out), STR("'-i'"))
						    ? " -i"
						    : " -c"));
	if (in && value_is_known(in))
		code_piped(x->c, in, arena_str(x->c->e->arena, buf_str(&out)));
	else
		act_run_shell(x->c, arena_str(x->c->e->arena, buf_str(&out)));
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
	act_run_shell(c, arena_str(c->e->arena, buf_str(&out)));
}

void act_shell_or_argv(const struct act *x)
{
	const struct code_value *v = act_argument(x, x->f->arg), *in = act_keyed(x->args, "input");
	const struct code_value *from = act_keyed(x->args, "stdin") ?: in;
	const struct code_value *program = v && v->kind == VALUE_LIST && v->n ? &v->items[0] : v;
	bool shell = program && program->kind == VALUE_TEXT && is_shell(program->text);

	if (shell && from && (from->flags & VALUE_FETCHED)) /* Popen(["bash"], stdin=curl.stdout) */
		act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (shell && in && in->kind == VALUE_TEXT) {
		code_piped(x->c, in, program->text);
		return;
	}
	if (is_argv(x, v)) {
		argv_effect(x, v);
		return;
	}
	if (v && v->kind == VALUE_TEXT)
		see_shell(x, v->text);
	act_shell(x, v);
}

/* p.stdin.write("rm -rf ~"), print $sh "rm -rf ~": line after line. */
void act_tell(const struct act *x, const struct code_value *v)
{
	struct code *c = x->c;

	if (c->shell && v && v->kind == VALUE_UNKNOWN && (v->flags & VALUE_FETCHED) &&
	    (x->f->flags & FN_OTHER))
		act_add(x, (struct effect){ .kind = EFFECT_RUN_FETCHED });
	if (x->self && str_eqz(x->self->type, TYPE_PIPE) && v && v->kind == VALUE_TEXT)
		code_piped(c, v, x->self->text);
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
		act_run_shell(c, text);
}

/* A call that goes on while the program runs. */
static bool does_not_wait(struct str call)
{
	static const char *const names[] = { "Popen(", "spawn(", "exec(", "execFile(", "Start(" };

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_find(call, str_from(names[i]), 0) >= 0)
			return true;
	return false;
}

/* What lies on the clipboard is printed. */
static bool reads_clipboard(struct str call)
{
	static const char *const names[] = { "pbpaste", "wl-paste", "Get-Clipboard" };
	bool asked = str_find(call, STR("-o"), 0) >= 0;
	bool reads = asked &&
		     (str_find(call, STR("xclip"), 0) >= 0 || str_find(call, STR("xsel"), 0) >= 0);

	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		reads |= str_find(call, str_from(names[i]), 0) >= 0;
	return reads;
}

/* A process that goes on: once more, or again and again? */
static void starts(struct code *c)
{
	c->e->many = c->starts++ || c->again || c->loop || c->loop_level || c->forever;
}

/* fork(__filename): a script of the same language */
void act_fork(const struct act *x, struct str script)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	bool many = x->c->e->many;

	buf_addf(&out, "%s ", x->f->type);
	sh_quote(&out, script);
	starts(x->c);
	act_run_shell(x->c, arena_str(x->c->e->arena, buf_str(&out)));
	x->c->e->many = many;
}

/* ResetType.HARD, :hard, &ResetOptions{Mode: HardReset}, working_tree=True */
static bool says_hard(const struct code_value *v, struct str key)
{
	for (unsigned i = 0; v->kind == VALUE_LIST && i < v->n; i++)
		if (v->items[i].kind != VALUE_LIST && says_hard(&v->items[i], v->items[i].key))
			return true;
	return (str_eqz(key, "working_tree") && act_is_true(v)) ||
	       (v->kind == VALUE_NAME && str_find_icase(v->type, STR("hard"), 0) >= 0) ||
	       (v->kind == VALUE_TEXT && str_find_icase(v->text, STR("hard"), 0) >= 0);
}

/* What a library of Git is told to do, in the folder of its object. */
static void enter_repository(const struct act *x)
{
	const struct code_value *v = x->self;

	if (!v || v->kind != VALUE_TEXT || !v->text.n || str_eqz(v->text, ".") ||
	    !(str_eqz(v->type, TYPE_REPOSITORY) || str_starts(v->type, STR(TYPE_REPOSITORY "-"))))
		return;
	x->c->e->cwd = v->text.p[0] == '/'
			       ? v->text
			       : arena_printf(x->c->e->arena, "%.*s/%.*s",
					      STR_ARG(effects_cwd(x->c->e)), STR_ARG(v->text));
}

/* { Force: true }, force=True, setForced(true), "+refs/heads/main" */
static bool is_forced(const struct code_value *v, struct str key, unsigned depth)
{
	bool keyed = !key.n || word_in_text(key, "force Force forced");

	for (unsigned i = 0; v->kind == VALUE_LIST && depth && i < v->n; i++)
		if (is_forced(&v->items[i], v->items[i].key, depth - 1))
			return true;
	if (v->kind == VALUE_TEXT)
		return str_starts(v->text, STR("+refs/"));
	return keyed && act_is_true(v);
}

static bool any_forced(const struct act *x)
{
	for (unsigned i = 0; i < x->args->n; i++)
		if (is_forced(&x->args->p[i].value, x->args->p[i].key, 3))
			return true;
	return false;
}

/* reg add %0 /v x: what a command line would do; %s is the object, --%h a reset's --hard */
static struct code_value command_line(const struct act *x)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);
	bool remote = x->c->e->remote;

	if ((x->f->flags & FN_KEYED) && !any_forced(x))
		return x->self ? *x->self : value_unknown(act_taints(x));
	for (const char *p = x->f->type; *p; p++) {
		const struct code_value *v;

		if (*p != '%' || !p[1]) {
			buf_addc(&out, *p);
			continue;
		}
		p++;
		if (*p == 'h') {
			bool hard = false;

			for (unsigned i = 0; i < x->args->n; i++)
				hard |= says_hard(&x->args->p[i].value, x->args->p[i].key);
			buf_addz(&out, hard ? "hard" : "mixed");
			continue;
		}
		v = *p == 's' ? x->self : act_positional(x->args, (unsigned)(*p - '0'));
		sh_quote(&out, v ? value_flat(NULL, v) : STR(""));
	}
	x->c->e->remote |= (x->f->flags & FN_OTHER) != 0;
	act_run_shell(x->c, arena_str(x->c->e->arena, buf_str(&out)));
	x->c->e->remote = remote;
	return value_unknown(act_taints(x));
}

/* What runs, and what it prints. */
/* What a name that is asked for holds, servers of others see: no service wants its keys there. */
static void asks_for_key(const struct act *x, size_t from)
{
	static const char *const programs[] = { "dig", "host", "nslookup", "drill", "kdig" };
	struct effects *e = x->c->e;
	/* An effect like one before was not added again. */
	size_t recent = from > ACT_RECENT ? from - ACT_RECENT : 0;

	for (size_t i = recent; (act_taints(x) & VALUE_KEY) && i < e->n; i++)
		for (size_t k = 0; k < ARRAY_LEN(programs); k++)
			if (e->p[i].kind == EFFECT_SEND &&
			    str_starts(e->p[i].words, str_from(programs[k])) &&
			    (i >= from || str_find(act_words(x), str_from(programs[k]), 0) >= 0))
				e->p[i].places |= PLACE_SECRET;
}

/* An object that was told what to start, word by word, starts it. */
void act_start_program(struct code *c)
{
	struct str program = c->program;

	if (program.n && !c->program_ran)
		code_shell(c, &(struct code_value){ .kind = VALUE_TEXT, .text = program });
	c->program_ran = true;
}

/* start.ArgumentList.Add(word) */
void act_add_word(struct code *c, const struct code_args *args)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);

	if (!c->program.n || args->n != 1)
		return;
	buf_adds(&out, c->program);
	buf_addc(&out, ' ');
	sh_quote(&out, value_flat(c->e->arena, &args->p[0].value));
	c->program = arena_str(c->e->arena, buf_str(&out));
	c->program_ran = false;
}

/* cmd.Dir = x, behind exec.Command() of Go: unknown when nothing says so soon. */
static struct code_value told_later(struct code *c, const char *member)
{
	struct str lvalue = c->lvalue, holder = c->holder;
	struct code_value v = value_unknown(0);
	unsigned was = c->i, end = min_size(c->end, c->i + 60);

	for (unsigned i = c->i; c->g->language == CODE_COMPILED && i + 3 < end; i++) {
		if (token_is(&c->t[i], "}") || token_is(&c->t[i], "Command"))
			break;
		if (!token_is(&c->t[i], ".") || !token_is(&c->t[i + 1], member) ||
		    !token_is(&c->t[i + 2], "="))
			continue;
		c->i = i + 3;
		v = code_expression(c);
		break;
	}
	c->i = was;
	c->lvalue = lvalue;
	c->holder = holder;
	return v;
}

struct code_value act_program(const struct act *x, const struct code_value *v)
{
	struct code *c = x->c;
	size_t effects = c->e->n;
	bool remote = c->e->remote, many = c->e->many;
	struct str cwd = c->e->cwd;
	const struct code_value *dir;
	struct code_value later;
	struct code_value out;

	enter_repository(x);
	if (x->f->act == ACT_COMMAND) {
		out = command_line(x);
		c->e->cwd = cwd;
		return out;
	}
	c->output = value_unknown(0);
	c->child = act_keyed(x->args, "env");
	if (!c->child && c->g->language == CODE_RUBY) /* system({ "A" => "b" }, "x") */
		c->child = act_positional(x->args, 0);
	dir = act_keyed(x->args, "cwd");
	if (!dir) {
		later = told_later(c, "Dir");
		dir = &later;
	}
	if (dir->kind == VALUE_TEXT && dir->text.n && dir->text.p[0] == '/')
		c->e->cwd = dir->text;
	if (does_not_wait(act_words(x))) {
		if (c->forever)
			act_add(x, (struct effect){ .kind = EFFECT_EXHAUST });
		starts(c);
	}
	if (x->f->act == ACT_SHELL && (x->f->flags & FN_DEFAULT)) {
		act_run_shell(c, str_from(x->f->type));
	} else if (x->f->act == ACT_SHELL) {
		c->e->remote |= (x->f->flags & FN_OTHER) != 0;
		const struct code_value *words =
			x->f->flags & FN_ALL ? act_positional(x->args, (unsigned)(x->f->arg + 1))
					     : NULL;

		if (words && v && v->kind == VALUE_TEXT && words->kind == VALUE_LIST) {
			argv_effect(x, v);
			return act_typed(x, c->output);
		}
		if (words && v &&
		    v->kind == VALUE_TEXT) { /* the program, and a text with its words */
			out = value_join(c->e->arena, *v, STR(" "), *words);
			v = &out;
		} else if ((x->f->flags & FN_ALL) && v && v->kind == VALUE_TEXT) {
			c->program = v->text; /* its words may follow */
			c->program_ran = true;
		} else if ((x->f->flags & FN_ALL) && v) {
			act_start_program(c);
		}
		if (v && v->kind == VALUE_TEXT)
			see_shell(x, v->text);
		act_shell(x, v);
		c->e->remote = remote;
	} else if (x->f->act == ACT_ARGV) {
		const struct code_value *line = act_positional(x->args, 1);

		if ((x->f->flags & FN_KEYED) && v && v->kind != VALUE_TEXT && line &&
		    line->kind == VALUE_TEXT) /* cmd!(shell, "git push") */
			act_run_shell(c, line->text);
		else
			argv_effect(x, v);
	} else {
		act_shell_or_argv(x);
	}
	asks_for_key(x, effects);
	c->e->many = many;
	c->e->cwd = cwd;
	c->child = NULL;
	out = c->output;
	if (x->f->type && !strcmp(x->f->type, TYPE_PIPE) && out.kind == VALUE_UNKNOWN && v)
		out.text = value_flat(c->e->arena, v);
	if (reads_clipboard(act_words(x))) {
		out.flags |= VALUE_SECRET;
		if (c->again || c->endless)
			act_listen(x);
	}
	out.flags |= act_taints_but(x, "env");
	return x->f->flags & FN_DEFAULT || str_eqz(out.type, TYPE_PROCESSES) ? out
									     : act_typed(x, out);
}
