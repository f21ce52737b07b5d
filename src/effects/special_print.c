/* Programs that print what is known: text, names, numbers. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

struct str text_unescaped(struct run *r, struct str s, bool octal_zero)
{
	struct text t = { 0 };

	for (size_t i = 0; i < s.n; i++) {
		static const char from[] = "ntrabfve\\\"'", to[] = "\n\t\r\a\b\f\v\033\\\"'";
		const char *at;
		char c = s.p[i];
		unsigned v = 0;
		size_t digits = 0;

		if (c != '\\' || i + 1 >= s.n) {
			text_add(r, &t, (struct str){ &c, 1 });
			continue;
		}
		c = s.p[++i];
		if (c == 'x' || c == 'u') {
			size_t max = c == 'x' ? 2 : 4;

			for (; digits < max && char_hex(str_at(s, i + 1)) >= 0; digits++)
				v = v * 16 + (unsigned)char_hex(s.p[++i]);
		} else if (c >= '0' && c <= '7') {
			size_t max = octal_zero && c == '0' ? 4 : 3;

			i--;
			while (digits < max && i + 1 < s.n && s.p[i + 1] >= '0' &&
			       s.p[i + 1] <= '7') {
				v = v * 8 + (unsigned)(s.p[++i] - '0');
				digits++;
			}
		}
		at = strchr(from, c);
		if (digits && !v)
			c = '\n'; /* it ends an item of xargs -0, and a command of a shell */
		else if (digits)
			c = v < 128 && !char_is_mark((char)v) ? (char)v : ' ';
		else if (at)
			c = to[at - from];
		else
			text_add(r, &t, STR("\\"));
		if (char_is_mark(c))
			c = ' ';
		text_add(r, &t, (struct str){ &c, 1 });
	}
	return text_str(&t);
}

static bool run_echo(struct run *r, const struct call *c)
{
	size_t i = 1;
	bool line = true, escapes = false;
	struct str s;

	for (size_t k = 1; k < c->n; k++)
		shown_on_screen(r, c, c->words[k]);
	if (!r->out)
		return true;
	for (; i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-' &&
	       str_is_of(str_sub(c->words[i], 1, c->words[i].n), "neE");
	     i++) {
		line &= str_chr(c->words[i], 'n', 0) < 0;
		escapes |= str_chr(c->words[i], 'e', 0) >= 0;
	}
	s = text_join(r, c->words + i, c->n - i, ' ');
	run_emit(r, escapes ? text_unescaped(r, s, true) : s);
	if (line)
		run_emit(r, STR("\n"));
	return true;
}

/* One round of a format; *at: the next argument. */
static void format(struct run *r, struct text *t, struct str f, const struct call *c, size_t *at)
{
	for (size_t i = 0; i < f.n; i++) {
		struct str arg, form;
		size_t from = i;
		int64_t v;

		if (f.p[i] != '%') {
			text_add(r, t, str_sub(f, i, i + 1));
			continue;
		}
		for (i++; i < f.n && strchr("-+ 0123456789.#*'", f.p[i]);)
			i++;
		if (i < f.n && f.p[i] == '%') {
			text_add(r, t, STR("%"));
			continue;
		}
		form = str_sub(f, from, i + 1);
		arg = *at < c->n ? c->words[(*at)++] : STR("");
		if (i < f.n && f.p[i] == 'b')
			arg = text_unescaped(r, arg, true);
		else if (i < f.n && (f.p[i] == 'o' || f.p[i] == 'x') && value_known(arg))
			/* In three digits of base 8 or two of base 16: what escapes are made of. */
			arg = !str_to_int(arg, &v) || v < 0 || v > 127 ? ANY
			      : f.p[i] == 'o' ? arena_printf(r->a, "%03o", (unsigned)v)
					      : arena_printf(r->a, "%02x", (unsigned)v);
		else if (i < f.n && f.p[i] == 'c') /* a character gives a secret away no more */
			arg = value_has(arg, MARK_SECRET) ? ANY : str_sub(arg, 0, 1);
		else if (form.n == 4 && form.p[1] == '.' && form.p[2] <= '4' && form.p[3] == 's')
			arg = ANY; /* %.4s: what tells one secret from another */
		else if (i >= f.n || !strchr("sqdiu", f.p[i]) || i - from > 1)
			arg = i < f.n && f.p[i] == 's' ? arg : value_changed(arg);
		text_add(r, t, arg);
	}
}

static bool run_printf(struct run *r, const struct call *c)
{
	size_t i = 1, at;
	struct text t = { 0 };
	struct str f, to = { 0 };

	if (i + 1 < c->n && str_eqz(c->words[i], "-v")) {
		to = c->words[i + 1];
		i += 2;
	}
	if (i < c->n && str_eqz(c->words[i], "--"))
		i++;
	if (i >= c->n)
		return true;
	f = text_unescaped(r, c->words[i], false);
	at = i + 1;
	for (size_t rounds = 0; rounds < 256; rounds++) {
		size_t before = at;

		format(r, &t, f, c, &at);
		if (at >= c->n || at == before)
			break;
	}
	if (to.n)
		variable_set(r, to, text_str(&t));
	else {
		shown_on_screen(r, c, text_str(&t));
		run_emit(r, text_str(&t));
	}
	return true;
}

static bool run_yes(struct run *r, const struct call *c)
{
	if (r->to_file)
		call_add(r, c, (struct effect){ .kind = EFFECT_EXHAUST });
	run_emit(r, c->n > 1 ? c->words[1] : STR("y"));
	return true;
}

/* What the tables say of a program whose output is known. */
static bool see_tables(struct run *r, const struct call *c)
{
	struct run inner = *r;

	inner.out = NULL;
	(void)programs_apply(&inner, c, c->words[0]);
	return true;
}

/* All processes: what kill would make of them. */
static bool run_ps(struct run *r, const struct call *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (str_starts(c->words[i], STR("-p")) || str_starts(c->words[i], STR("-C")) ||
		    str_starts(c->words[i], STR("--p")))
			return false;
	run_emit(r, STR("1\n"));
	return see_tables(r, c);
}

/* :3000, tcp:3000, app.db, 3000/tcp, -p 42, -c node: what is meant, and not all of a kind. */
static bool is_choice(struct str w)
{
	ptrdiff_t colon = str_chr(w, ':', 0), slash = str_chr(w, '/', 0);
	struct str port = str_sub(w, (size_t)(colon + 1), w.n);

	if (colon >= 0)
		return port.n && str_chr(port, '-', 0) < 0;
	return slash > 0 || (w.n && w.p[0] != '/' && w.p[0] != '-' &&
			     !word_in_text(w, "tcp udp TCP UDP 4 6 inet inet6"));
}

/*
 * Who has what open.  lsof without a choice lists the processes of everybody; so do ss and
 * netstat, whose lines filters choose from as they do from those of ps.
 */
static bool run_open_files(struct run *r, const struct call *c)
{
	static const char valued[] = "-p -c -g -d -s -u -n -N -F";
	bool lsof = str_eqz(sh_file_name(c->words[0]), "lsof"), chosen = false;

	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		ptrdiff_t at = str_starts(w, STR("--")) ? -1 : str_chr(w, 'i', 0);

		if (!lsof) {
			chosen |= is_choice(w) && str_chr(w, ':', 0) >= 0;
			continue;
		}
		if (w.n > 1 && w.p[0] == '-') {
			chosen |= (w.p[1] == 'p' || w.p[1] == 'c') ||
				  (at > 0 && is_choice(str_sub(w, (size_t)at + 1, w.n)) &&
				   str_chr(w, ':', 0) > 0);
			i += word_in_text(w, valued) && i + 1 < c->n;
		} else if (!str_starts(w, STR("+"))) {
			chosen |= is_choice(w);
		}
	}
	run_emit(r, chosen ? ANY : STR("1\n"));
	return see_tables(r, c);
}

struct str program_place(struct run *r, struct str name)
{
	return value_known(name) && name.n && str_chr(name, '/', 0) < 0
		       ? arena_printf(r->a, "/usr/bin/%.*s", STR_ARG(name))
		       : name;
}

/* which NAME..., type -P NAME */
static bool run_which(struct run *r, const struct call *c)
{
	bool type = str_eqz(sh_file_name(c->words[0]), "type");

	if (type &&
	    !(c->n > 2 && sh_is_among(c->words[1], (const char *const[]){ "-P", "-p", NULL }))) {
		run_emit(r, ANY);
		return true;
	}
	for (size_t i = 1 + type; i < c->n; i++) {
		if (str_starts(c->words[i], STR("-")))
			continue;
		run_emit(r, program_place(r, c->words[i]));
		run_emit(r, STR("\n"));
	}
	return true;
}

/* More numbers than somebody counts are any number. */
static bool run_seq(struct run *r, const struct call *c)
{
	int64_t first = 1, last = 0;

	if (c->n > 2)
		(void)str_to_int(c->words[1], &first);
	(void)str_to_int(c->words[c->n - 1], &last);
	run_emit(r, last - first > 4096 ? STR("\2\n") : ANY);
	return true;
}

static bool run_dirname(struct run *r, const struct call *c)
{
	struct str p = c->n > 1 ? c->words[c->n > 2 && c->words[1].p[0] == '-' ? 2 : 1] : STR("");
	struct str name;

	while (p.n > 1 && p.p[p.n - 1] == '/')
		p.n--;
	name = sh_file_name(p);
	if (str_eqz(sh_file_name(c->words[0]), "basename")) {
		if (c->n > 2 && str_ends(name, c->words[c->n - 1]) && c->words[c->n - 1].n < name.n)
			name.n -= c->words[c->n - 1].n;
		run_emit(r, name);
		return true;
	}
	if (name.n == p.n)
		run_emit(r, value_known(p) ? STR(".") : ANY);
	else
		run_emit(r, str_sub(p, 0, max_size(1, p.n - name.n - 1)));
	return true;
}

/* A file of its own, by a name that is known from here on: mktemp [-d] [-p DIR] [TEMPLATE]. */
static struct str temporary(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *in;
	struct str name = STR("tmp."), dir = { 0 };

	args_read(r, &a, c, "-p --suffix");
	in = args_option(&a, "-p|--tmpdir");
	if (a.noperands)
		name = a.operands[0];
	if (in && in->value.n)
		dir = in->value;
	else if (in || args_option(&a, "-t") || !a.noperands)
		dir = variable(r, STR("TMPDIR"));
	while (str_ends(name, STR("X")))
		name.n--;
	return arena_printf(r->a, "%.*s%s%.*s%u", STR_ARG(dir), dir.n ? "/" : "", STR_ARG(name),
			    1000000 + r->e->state->substitutions++);
}

static bool run_names(struct run *r, const struct call *c)
{
	struct str name = sh_file_name(c->words[0]);

	if (str_eqz(name, "pwd"))
		run_emit(r, r->cwd.n ? r->cwd : ANY);
	else if (str_eqz(name, "xdg-user-dir")) {
		/* DOCUMENTS: ~/Documents, as it is unless somebody has moved it */
		struct str home = variable(r, STR("HOME"));
		char *folder = arena_z(r->a, c->n > 1 ? c->words[1] : STR(""));

		for (size_t i = 1; *folder && folder[i]; i++)
			folder[i] = char_lower(folder[i]);
		run_emit(r, *folder ? arena_printf(r->a, "%.*s/%s", STR_ARG(home), folder) : home);
	} else if (str_eqz(name, "mktemp"))
		run_emit(r, temporary(r, c));
	else if (str_eqz(name, "whoami") || str_eqz(name, "logname")) {
		call_add(r, c, (struct effect){ .kind = EFFECT_READ });
		run_emit(r, ANY);
	} else if (c->n > 1) /* which, realpath, readlink: of the last word */
		run_emit(r, c->words[c->n - 1]);
	return true;
}

/* Commands that print what a shell shall evaluate, and are known for it; some start a program. */
static bool run_for_shells(struct run *r, const struct call *c)
{
	special_fn *wrapper = wrapper_special(sh_file_name(c->words[0]));

	if (wrapper)
		(void)wrapper(r, c);
	return true;
}

static bool run_ls(struct run *r, const struct call *c)
{
	struct args a;
	bool all = true;

	args_read(r, &a, c, "-I -T -w");
	for (size_t i = 0; i < a.noperands; i++) {
		run_emit(r, a.operands[i]);
		run_emit(r, STR("\n"));
		all = false;
	}
	if (all)
		run_emit(r, STR("\2"));
	return true;
}

static bool run_printenv(struct run *r, const struct call *c)
{
	bool secret = c->n < 2;

	for (size_t i = 1; i < c->n; i++)
		if (is_secret_name(c->words[i])) {
			secret = true;
			if (!r->out)
				call_add(r, c,
					 (struct effect){ .kind = EFFECT_READ,
							  .places = PLACE_SECRET });
		}
	if (c->n < 2)
		call_environment(r, c);
	else
		run_emit(r, secret ? SECRET : ANY);
	return true;
}

const struct special special_print[] = {
	{ "echo", run_echo },
	{ "printf", run_printf },
	{ "printenv", run_printenv },
	{ "yes", run_yes },
	{ "ps", run_ps },
	{ "lsof ss netstat", run_open_files },
	{ "which type", run_which },
	{ "seq gseq", run_seq },
	{ "dirname basename", run_dirname },
	{ "pwd mktemp xdg-user-dir whoami logname which realpath readlink", run_names },
	{ "ssh-agent starship zoxide fnm dircolors lesspipe thefuck", run_for_shells },
	{ "ls dir exa eza", run_ls },
	{ NULL, NULL },
};
