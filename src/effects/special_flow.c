/* Programs whose output matters: text that others read, run or take as names. */
#include "base/words.h"
#include "shell/calls.h"

#include "base/base64.h"
#include "effects/run.h"

enum { ITEMS_MAX = 1000, CALLBACKS_MAX = 64, FOUND_MAX = 256 };

/* ---- echo, printf ---- */

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

			while (digits < max && i + 1 < s.n &&
			       strchr("0123456789abcdefABCDEF", s.p[i + 1])) {
				char d = s.p[++i];

				v = v * 16 + (unsigned)(d <= '9' ? d - '0' : (d | 32) - 'a' + 10);
				digits++;
			}
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
		if (digits)
			c = v && v < 128 && !char_is_mark((char)v) ? (char)v : ' ';
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

/* A secret on the screen is read by whoever reads the screen. */
static void see_secret(struct run *r, const struct call *c)
{
	for (size_t i = 1; !r->out && i < c->n; i++)
		if (value_has(c->words[i], MARK_SECRET)) {
			call_add(r, c,
				 (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
			return;
		}
}

static bool run_echo(struct run *r, const struct call *c)
{
	size_t i = 1;
	bool line = true, escapes = false;
	struct str s;

	see_secret(r, c);
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

/* A number, in three digits of base 8 or two of base 16: what escapes are made of. */
static struct str based(struct run *r, struct str number, unsigned base)
{
	int64_t v;

	if (!str_to_int(number, &v) || v < 0 || v > 127)
		return ANY;
	return base == 8 ? arena_printf(r->a, "%03o", (unsigned)v)
			 : arena_printf(r->a, "%02x", (unsigned)v);
}

/* One round of a format; *at: the next argument. */
static void format(struct run *r, struct text *t, struct str f, const struct call *c, size_t *at)
{
	for (size_t i = 0; i < f.n; i++) {
		struct str arg;
		size_t from = i;

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
		arg = *at < c->n ? c->words[(*at)++] : STR("");
		if (i < f.n && f.p[i] == 'b')
			arg = text_unescaped(r, arg, true);
		else if (i < f.n && (f.p[i] == 'o' || f.p[i] == 'x') && value_known(arg))
			arg = based(r, arg, f.p[i] == 'o' ? 8 : 16);
		else if (i >= f.n || !strchr("sqdiu", f.p[i]) || i - from > 1)
			arg = i < f.n && f.p[i] == 'c'   ? str_sub(arg, 0, 1)
			      : i < f.n && f.p[i] == 's' ? arg
							 : ANY;
		text_add(r, t, arg);
	}
}

static bool run_printf(struct run *r, const struct call *c)
{
	size_t i = 1, at;
	struct text t = { 0 };
	struct str f, to = { 0 };

	see_secret(r, c);
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
	else
		run_emit(r, text_str(&t));
	return true;
}

/* ---- what reads files or its input, and writes it again ---- */

static struct str input(struct run *r)
{
	return r->has_in ? r->in : STR("");
}

/* The text of the operands from `from` on, or of the input; *ret_file: one that has no text. */
static struct str content(struct run *r, const struct call *c, const struct args *a, size_t from,
			  struct str *ret_file)
{
	struct text t = { 0 };

	if (from >= a->noperands)
		return input(r);
	for (size_t i = from; i < a->noperands; i++) {
		struct str path = a->operands[i], text;

		if (str_eqz(path, "-") || str_eqz(path, "/dev/stdin")) {
			text_add(r, &t, input(r));
			continue;
		}
		if (str_eqz(path, "/dev/null"))
			continue;
		if (file_get(r, path, &text)) {
			text_add(r, &t, text);
			continue;
		}
		if (str_eqz(path, "/dev/null"))
			continue;
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, path);
		if (effects_places(r->e, path, r->cwd) & PLACE_SECRET)
			text_add(r, &t, SECRET);
		else if (r->out && file_read(r, path, &text) && text.n < (32 << 10))
			text_add(r, &t, text);
		else {
			text_add(r, &t, ANY);
			if (ret_file)
				*ret_file = joined(r, path);
		}
	}
	return text_str(&t);
}

/* More than a disk has left: from 100 GiB on. */
static bool is_too_large(struct str size)
{
	int64_t n;
	char unit = size.n ? size.p[size.n - 1] : '\0';

	while (size.n && !char_is_digit(size.p[size.n - 1]))
		size.n--;
	if (!str_to_int(size, &n))
		return false;
	return (unit == 'G' && n >= 100) || strchr("TPE", unit ? unit : ' ') ||
	       (char_is_digit(unit) && n >= 100 * ((int64_t)1 << 30));
}

/* What never ends, into a file or into memory. */
static void see_endless(struct run *r, const struct call *c, const struct args *a)
{
	const struct option *bytes = args_option(a, "-c|--bytes");
	struct str size =
		bytes && r->to_file && str_eqz(c->words[0], "head") ? bytes->value : STR("");
	struct str name = c->words[0];
	bool holds = str_eqz(name, "tail") || str_eqz(name, "sort") || str_eqz(name, "tac");

	for (size_t i = 0; i < a->noperands; i++) {
		struct str path = a->operands[i];

		if ((str_eqz(path, "/dev/zero") || str_eqz(path, "/dev/urandom") ||
		     str_eqz(path, "/dev/random")) &&
		    (holds || (r->to_file && str_eqz(name, "cat")) || is_too_large(size)))
			call_add(r, c, (struct effect){ .kind = EFFECT_EXHAUST });
	}
}

/* What was packed: not what it looks like. */
static bool run_unpack(struct run *r, const struct call *c)
{
	struct args a;
	struct str text;

	args_read(r, &a, c, NULL);
	text = content(r, c, &a, 0, NULL);
	if (value_has(text, MARK_FETCHED) || value_has(text, MARK_SECRET))
		run_emit(r, text);
	else
		run_emit(r, r->has_in && !a.noperands ? HIDDEN : ANY);
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

static bool run_cat(struct run *r, const struct call *c)
{
	struct args a;
	struct str file = { 0 };

	args_read(r, &a, c, "-n -c --lines --bytes -k -t -S");
	if (!str_eqz(sh_file_name(c->words[0]), "head") &&
	    !str_eqz(sh_file_name(c->words[0]), "tail") &&
	    !str_eqz(sh_file_name(c->words[0]), "sort"))
		args_read(r, &a, c, NULL);
	for (size_t i = 0; i < a.noperands; i++) /* less '+!command' */
		if (str_starts(a.operands[i], STR("+!")))
			call_shell(r, c, str_sub(a.operands[i], 2, a.operands[i].n));
	see_endless(r, c, &a);
	run_emit(r, content(r, c, &a, 0, &file));
	if (r->out && file.n && c->n == 2 && r->out->n == 1)
		r->out->file = file;
	return true;
}

static bool run_tee(struct run *r, const struct call *c)
{
	struct args a;
	bool adds;

	args_read(r, &a, c, NULL);
	adds = args_option(&a, "-a|--append") != NULL;
	for (size_t i = 0; i < a.noperands; i++) {
		call_path(r, c, (struct effect){ .kind = adds ? EFFECT_WRITE : EFFECT_OVERWRITE },
			  a.operands[i]);
		if (r->has_in && !r->in.n && !adds)
			call_empties(r, c, a.operands[i]);
		file_set(r, a.operands[i], input(r));
	}
	run_emit(r, input(r));
	return true;
}

static int digit_32(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a';
	return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

static int digit_16(char c)
{
	return char_is_digit(c)       ? c - '0'
	       : c >= 'a' && c <= 'f' ? c - 'a' + 10
	       : c >= 'A' && c <= 'F' ? c - 'A' + 10
				      : -1;
}

/* Written in another way: it cannot be told, but is as secret as it was. */
static struct str encoded(struct str text)
{
	return value_has(text, MARK_WHOLE)    ? ENVIRONMENT
	       : value_has(text, MARK_SECRET) ? SECRET
					      : ANY;
}

static struct str decoded(struct run *r, struct str s, int (*digit)(char c), unsigned bits)
{
	struct text t = { 0 };
	unsigned value = 0, have = 0;

	if (!value_known(s))
		return value_has(s, MARK_FETCHED) ? FETCHED : HIDDEN;
	for (size_t i = 0; i < s.n; i++) {
		int d = digit(s.p[i]);
		char c;

		if (d < 0)
			continue;
		value = ((value << bits) | (unsigned)d) & 0xffff;
		have += bits;
		if (have < 8)
			continue;
		have -= 8;
		c = (char)((value >> have) & 0xff);
		if (char_is_mark(c) || !c) /* no text: packed or encrypted */
			return HIDDEN;
		text_add(r, &t, (struct str){ &c, 1 });
	}
	return text_str(&t);
}

static bool run_decode(struct run *r, const struct call *c)
{
	struct args a;
	struct str name = sh_file_name(c->words[0]), text;
	bool six = str_eqz(name, "base64") || str_eqz(name, "gbase64") || str_eqz(name, "openssl");

	args_read(r, &a, c, str_eqz(name, "openssl") ? "= -in -out -k -pass" : "-w -i -c -s -l");
	if (str_eqz(name, "openssl")) {
		if (!a.noperands ||
		    (!str_eqz(a.operands[0], "enc") && !str_eqz(a.operands[0], "base64")))
			return false;
		if (args_option(&a, "-in"))
			call_path(r, c, (struct effect){ .kind = EFFECT_READ },
				  args_option(&a, "-in")->value);
		text = input(r);
		run_emit(r, args_option(&a, "-d") && (args_option(&a, "-base64|-a") ||
						      str_eqz(a.operands[0], "base64"))
				    ? decoded(r, text, base64_digit, 6)
			    : args_option(&a, "-d") ? HIDDEN
						    : encoded(text));
		return true;
	}
	text = content(r, c, &a, 0, NULL);
	if (str_eqz(name, "xxd"))
		run_emit(r, args_option(&a, "-r") ? decoded(r, text, digit_16, 4) : encoded(text));
	else if (str_eqz(name, "unhex") || str_eqz(name, "basenc"))
		run_emit(r, args_option(&a, "--base16")   ? decoded(r, text, digit_16, 4)
			    : args_option(&a, "--base32") ? decoded(r, text, digit_32, 5)
							  : decoded(r, text, base64_digit, 6));
	else if (args_option(&a, "-d|-D|--decode"))
		run_emit(r, decoded(r, text, six ? base64_digit : digit_32, six ? 6 : 5));
	else
		run_emit(r, encoded(text));
	return true;
}

static bool run_rev(struct run *r, const struct call *c)
{
	struct args a;
	struct str s;
	char *p;

	args_read(r, &a, c, NULL);
	s = content(r, c, &a, 0, NULL);
	while (s.n && s.p[s.n - 1] == '\n')
		s.n--;
	p = arena_raw(r->a, s.n + 1);
	for (size_t i = 0; i < s.n; i++)
		p[i] = s.p[s.n - 1 - i];
	run_emit(r, (struct str){ p, s.n });
	return true;
}

/* The characters of a set of tr: a-z and escapes. */
static struct str tr_set(struct run *r, struct str set)
{
	struct text t = { 0 };

	set = text_unescaped(r, set, false);
	for (size_t i = 0; i < set.n; i++) {
		char from = set.p[i];

		if (i + 2 < set.n && set.p[i + 1] == '-') {
			for (int v = (unsigned char)from; v <= (unsigned char)set.p[i + 2]; v++) {
				char c = (char)v;

				text_add(r, &t, (struct str){ &c, 1 });
			}
			i += 2;
		} else if (from != '[' && from != ']') {
			text_add(r, &t, (struct str){ &from, 1 });
		}
	}
	return text_str(&t);
}

static bool run_tr(struct run *r, const struct call *c)
{
	struct args a;
	struct str in = input(r), from, to;
	struct text t = { 0 };

	args_read(r, &a, c, NULL);
	if (!a.noperands || !r->out)
		return true;
	from = tr_set(r, a.operands[0]);
	to = a.noperands > 1 ? tr_set(r, a.operands[1]) : STR("");
	if (args_option(&a, "-c|-C|-s") || !value_known(from) || !value_known(to) ||
	    str_find(from, STR(":"), 0) >= 0) {
		if (args_option(&a, "-s"))
			run_emit(r, in);
		else
			run_pass_on(r);
		return true;
	}
	for (size_t i = 0; i < in.n; i++) {
		ptrdiff_t at = str_chr(from, in.p[i], 0);

		if (at >= 0 && args_option(&a, "-d"))
			continue;
		text_add(r, &t,
			 at < 0 || !to.n || char_is_mark(in.p[i])
				 ? str_sub(in, i, i + 1)
				 : str_sub(to, min_size((size_t)at, to.n - 1),
					   min_size((size_t)at, to.n - 1) + 1));
	}
	run_emit(r, text_str(&t));
	return true;
}

/* ---- names ---- */

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
	else if (str_eqz(name, "mktemp"))
		run_emit(r, temporary(r, c));
	else if (str_eqz(name, "whoami") || str_eqz(name, "logname")) {
		call_add(r, c, (struct effect){ .kind = EFFECT_READ });
		run_emit(r, ANY);
	} else if (c->n > 1) /* which, realpath, readlink: of the last word */
		run_emit(r, c->words[c->n - 1]);
	return true;
}

/* Commands that print what a shell shall evaluate, and are known for it. */
static bool run_for_shells(struct run *r, const struct call *c)
{
	(void)c;
	(void)r;
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

/* ---- read ---- */

/* The next line of *in, which goes on behind it.  What is not known may have more lines. */
static struct str next_line(struct str *in, char end_of_line)
{
	struct str all = *in, line;
	ptrdiff_t end = str_chr(all, end_of_line, 0);

	if (end < 0)
		end = str_chr(all, '\0', 0);
	line = str_sub(all, 0, end < 0 ? all.n : (size_t)end);
	*in = end >= 0 ? str_sub(all, (size_t)end + 1, all.n) : value_known(all) ? STR("") : all;
	return line;
}

/* mapfile -C CALLBACK: gets each line's number and text. */
static void call_back(struct run *r, struct str command, struct str lines)
{
	struct str line;

	for (size_t i = 0; i < CALLBACKS_MAX && str_split(&lines, MARK_FIELD, &line); i++) {
		AUTO(buf_done) struct buf quoted = { 0 };

		sh_quote(&quoted, line);
		run_inner(r, arena_printf(r->a, "%.*s %zu %.*s", STR_ARG(command), i,
					  STR_ARG(buf_str(&quoted))));
	}
	if (lines.n)
		effects_unjudged(r->e, STR("(too many lines for a callback)"));
}

static bool run_mapfile(struct run *r, const struct call *c)
{
	struct args a;
	struct str in = r->in, line;
	struct text t = { 0 };
	const struct option *fd, *callback, *end;

	args_read(r, &a, c, "-d -n -O -s -u -C -c");
	fd = args_option(&a, "-u");
	callback = args_option(&a, "-C");
	end = args_option(&a, "-d");
	if (fd ? !file_get(r, arena_printf(r->a, "/dev/fd/%.*s", STR_ARG(fd->value)), &in)
	       : !r->has_in)
		in = ANY;
	if (str_ends(in, STR("\n")))
		in.n--;
	for (bool more = true; more; more = in.n && value_known(in)) {
		line = next_line(&in, end && end->value.n ? end->value.p[0] : '\n');
		if (t.n)
			text_add(r, &t, (struct str){ "\4", 1 });
		text_add(r, &t, line);
	}
	if (!fd && r->has_in)
		run_input(r, in);
	variable_set(r, a.noperands ? a.operands[0] : STR("MAPFILE"), text_str(&t));
	if (callback)
		call_back(r, callback->value, text_str(&t));
	return true;
}

static bool run_read(struct run *r, const struct call *c)
{
	struct args a;
	struct str line = ANY, in;
	const struct option *fd, *end, *array;

	args_read(r, &a, c, "-d -i -n -N -p -t -u -a");
	fd = args_option(&a, "-u");
	end = args_option(&a, "-d");
	array = args_option(&a, "-a");
	if (fd) {
		struct str path = arena_printf(r->a, "/dev/fd/%.*s", STR_ARG(fd->value));

		if (file_get(r, path, &in)) {
			line = next_line(&in, '\n');
			file_set(r, path, in);
		}
	} else if (r->has_in) {
		in = r->in;
		line = next_line(&in, end && end->value.n ? end->value.p[0] : '\n');
		run_input(r, in);
	}
	if (array) {
		struct fields words = { 0 };

		split_value(r, line, &words);
		variable_set(r, array->value, text_join(r, words.p, words.n, MARK_FIELD));
		return true;
	}
	if (!a.noperands)
		variable_set(r, STR("REPLY"), line);
	for (size_t i = 0; i < a.noperands; i++) {
		struct str word = line;
		ptrdiff_t blank = str_chr(line, ' ', 0);

		if (i + 1 < a.noperands && blank >= 0) {
			word = str_sub(line, 0, (size_t)blank);
			line = str_sub(line, (size_t)blank + 1, line.n);
		} else if (i + 1 < a.noperands && value_known(line)) {
			line = STR("");
		}
		variable_set(r, a.operands[i], word);
	}
	return true;
}

/* ---- find and xargs ---- */

static bool narrows(struct str option)
{
	static const char *const names[] = {
		"-name",     "-iname", "-path", "-ipath",  "-wholename", "-regex",      "-iregex",
		"-size",     "-empty", "-user", "-group",  "-perm",      "-newer",      "-mtime",
		"-atime",    "-ctime", "-mmin", "-amin",   "-cmin",      "-links",      "-inum",
		"-samefile", "-lname", "-used", "-nouser", "-newermt",   "-executable", "-xtype",
	};

	return sh_is_among(option, (const char *const[]){ "-delete", NULL }) ? false : ({
		bool found = false;

		for (size_t i = 0; i < ARRAY_LEN(names) && !found; i++)
			found = str_eqz(option, names[i]);
		found;
	});
}

struct str glob_value(struct run *r, struct str s)
{
	char *p = arena_z(r->a, s);

	for (size_t i = 0; i < s.n; i++)
		p[i] = p[i] == '*' ? MARK_STAR : p[i] == '?' ? MARK_ONE : p[i];
	return (struct str){ p, s.n };
}

struct found {
	struct fields starts, values; /* what it begins with, what it finds */
	bool narrowed;
	struct str name; /* of -name */
};

static size_t find_read(struct run *r, const struct call *c, struct found *f)
{
	size_t i = 1, from;

	bool follows = false;

	while (i < c->n && (str_eqz(c->words[i], "-L") || str_eqz(c->words[i], "-H") ||
			    str_eqz(c->words[i], "-P") || str_eqz(c->words[i], "-E") ||
			    str_eqz(c->words[i], "-x")))
		follows |= str_chr(STR("LH"), c->words[i++].p[1], 0) >= 0;
	for (; i < c->n && c->words[i].n && !strchr("-(!,", c->words[i].p[0]); i++)
		field_add(r, &f->starts,
			  follows ? arena_printf(r->a, "%.*s/", STR_ARG(c->words[i]))
				  : c->words[i]);
	from = i;
	if (!f->starts.n)
		field_add(r, &f->starts, STR("."));
	for (; i < c->n; i++) {
		bool leaves_out = str_eqz(c->words[i - 1], "!") || str_eqz(c->words[i - 1], "-not");

		f->narrowed |= narrows(c->words[i]) && !leaves_out &&
			       !(i + 1 < c->n && str_eqz(c->words[i + 1], "*"));
		if (i + 1 < c->n &&
		    (str_eqz(c->words[i], "-name") || str_eqz(c->words[i], "-iname")) &&
		    (!i || !(str_eqz(c->words[i - 1], "!") || str_eqz(c->words[i - 1], "-not"))))
			f->name = glob_value(r, c->words[i + 1]);
	}
	for (i = 0; i < f->starts.n; i++) {
		struct text t = { 0 };

		text_add(r, &t, f->starts.p[i]);
		text_add(r, &t, f->narrowed ? STR("/\1") : STR("/\2"));
		if (f->narrowed && f->name.n) {
			text_add(r, &t, STR("/"));
			text_add(r, &t, f->name);
		}
		field_add(r, &f->values, text_str(&t));
	}
	return from;
}

static struct str with_text(struct run *r, struct str word, struct str mark, struct str value)
{
	struct text t = { 0 };
	size_t at = 0;
	ptrdiff_t hit;

	while (mark.n && (hit = str_find(word, mark, at)) >= 0) {
		text_add(r, &t, str_sub(word, at, (size_t)hit));
		text_add(r, &t, value);
		at = (size_t)hit + mark.n;
	}
	if (!at)
		return word;
	text_add(r, &t, str_sub(word, at, word.n));
	return text_str(&t);
}

/* A command with one item in the place of a mark; without a mark it comes last. */
static void run_with(struct run *r, const struct str *words, size_t n, struct str mark,
		     const struct str *items, size_t nitems, bool append)
{
	struct fields all = { 0 };

	for (size_t i = 0; i < n; i++)
		field_add(r, &all, nitems ? with_text(r, words[i], mark, items[0]) : words[i]);
	for (size_t i = 0; append && i < nitems; i++)
		field_add(r, &all, items[i]);
	run_call(r, all.p, all.n);
}

/* Only what is empty: nothing is lost with it. */
static bool finds_empty(const struct call *c)
{
	static const char *const others[] = { "-o", "-or", "!", "-not", ",", NULL };
	bool empty = false;

	for (size_t i = 1; i < c->n; i++) {
		empty |= str_eqz(c->words[i], "-empty");
		if (sh_is_among(c->words[i], others))
			return false;
	}
	return empty;
}

/* *.py, *.ts: what people write, and no build makes again. */
static bool names_sources(struct str extension)
{
	return word_in_text(extension,
			    "py ts tsx jsx java kt go rs c cc cpp cxx h hpp cs rb php swift scala "
			    "ex exs hs ml dart vue svelte sql");
}

/* find . -name '*.py' -delete, and nothing else that chooses. */
static bool finds_sources(const struct call *c, const struct found *f)
{
	size_t choices = 0;

	for (size_t i = 1; i < c->n; i++)
		choices += narrows(c->words[i]) || str_eqz(c->words[i], "-prune") ||
			   str_eqz(c->words[i], "-maxdepth");
	return choices == 1 && f->name.n > 2 && f->name.p[0] == MARK_STAR && f->name.p[1] == '.' &&
	       names_sources(str_sub(f->name, 2, f->name.n));
}

/* find . -type f: .git is among it, unless something is said of it. */
static bool finds_git(const struct call *c, const struct found *f)
{
	for (size_t i = 1; i < c->n; i++)
		if (str_find(c->words[i], STR(".git"), 0) >= 0 || str_eqz(c->words[i], "-prune") ||
		    str_eqz(c->words[i], "-maxdepth"))
			return false;
	return !f->narrowed;
}

static void see_found(struct run *r, const struct call *c, const struct found *f)
{
	bool sources = finds_sources(c, f), all = !sources && finds_git(c, f);

	for (size_t k = 0; (sources || all) && k < f->values.n; k++) {
		if (sources && k == FOUND_MAX) {
			effects_unjudged(r->e, STR("(a search in too many places)"));
			break;
		}
		if (sources || (effects_places(r->e, f->starts.p[k], r->cwd) & PLACE_PROJECT_WHOLE))
			binding_set(r, &r->e->state->found, f->values.p[k],
				    sources ? STR(FOUND_SOURCES) : STR(FOUND_ALL));
	}
}

static size_t find_action(struct run *r, const struct call *c, size_t i, const struct found *f)
{
	static const char *const execs[] = { "-exec", "-execdir", "-ok", "-okdir", NULL };
	static const char *const files[] = { "-fprint", "-fprintf", "-fls", "-fprint0", NULL };
	size_t end = i + 1;

	if (str_eqz(c->words[i], "-delete"))
		for (size_t k = 0; k < f->starts.n; k++)
			call_path(r, c,
				  (struct effect){ .kind = EFFECT_DELETE,
						   .recursive = !finds_empty(c) },
				  f->narrowed ? f->values.p[k] : f->starts.p[k]);
	if (sh_is_among(c->words[i], files) && i + 1 < c->n)
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, c->words[i + 1]);
	if (!sh_is_among(c->words[i], execs))
		return i;
	while (end < c->n && !str_eqz(c->words[end], ";") && !str_eqz(c->words[end], "+"))
		end++;
	for (size_t k = 0; k < f->values.n; k++)
		run_with(r, c->words + i + 1, end - i - 1, STR("{}"), &f->values.p[k], 1, false);
	return end;
}

static bool run_find(struct run *r, const struct call *c)
{
	struct found f = { 0 };
	size_t i = find_read(r, c, &f);

	see_found(r, c, &f);
	for (; i < c->n; i++)
		i = find_action(r, c, i, &f);
	for (i = 0; r->out && i < f.values.n; i++) {
		run_emit(r, f.values.p[i]);
		run_emit(r, STR("\n"));
	}
	return true;
}

static bool run_fd(struct run *r, const struct call *c)
{
	static const char *const execs[] = { "-x", "-X", "--exec", "--exec-batch", NULL };
	struct str found = STR("./\2");
	const struct option *ending;
	struct args a;

	args_read(r, &a, c,
		  "-e -E -t -d -x -X -S -o --extension --exclude --type --max-depth --exec");
	if ((a.noperands && !str_eqz(a.operands[0], ".")) || args_option(&a, "-e|--extension|-S"))
		found = STR("./\1");
	ending = args_option(&a, "-e|--extension");
	ending = ending && names_sources(ending->value) ? ending : NULL;
	for (size_t i = 1; i < c->n; i++)
		if (sh_is_among(c->words[i], execs)) {
			bool marked = false;

			for (size_t k = i + 1; k < c->n; k++)
				marked |= str_find(c->words[k], STR("{"), 0) >= 0;
			if (ending && (!a.noperands || a.at[0] > i))
				binding_set(r, &r->e->state->found, found, STR(FOUND_SOURCES));
			run_with(r, c->words + i + 1, c->n - i - 1, STR("{}"), &found, 1, !marked);
			return true;
		}
	if (ending && !a.noperands)
		binding_set(r, &r->e->state->found, found, STR(FOUND_SOURCES));
	run_emit(r, found);
	return true;
}

/* The items of an input for xargs.  `lines`: quotes are text, and blanks part of items. */
static void items_of(struct run *r, struct str in, bool lines, struct fields *to)
{
	struct text one = { 0 };
	bool begun = false;
	char quote = '\0';

	for (size_t i = 0; i <= in.n && to->n < ITEMS_MAX; i++) {
		char c = i < in.n ? in.p[i] : '\n';
		bool ends = c == '\n' || c == '\0' || (!lines && (c == ' ' || c == '\t'));

		if (quote && c != '\n') {
			if (c == quote)
				quote = '\0';
			else
				text_add(r, &one, (struct str){ &c, 1 });
		} else if (!lines && (c == '"' || c == '\'')) {
			quote = c;
			begun = true;
		} else if (!lines && c == '\\' && i + 1 < in.n) {
			text_add(r, &one, str_sub(in, i + 1, i + 2));
			begun = true;
			i++;
		} else if (ends) {
			if (begun)
				field_add(r, to, text_str(&one));
			one = (struct text){ 0 };
			begun = false;
			quote = '\0';
		} else {
			text_add(r, &one, (struct str){ &c, 1 });
			begun = true;
		}
	}
	if (to->n >= ITEMS_MAX)
		field_add(r, to, ANY);
}

struct xargs {
	struct str mark, file;
	bool lines; /* items are whole lines, or end with NUL */
	bool none; /* without items nothing runs */
};

/* The options of xargs; where its command begins. */
static size_t xargs_read(const struct call *c, struct xargs *x)
{
	static const char *const valued[] = { "--delimiter", "--max-args",  "--max-lines",
					      "--max-procs", "--max-chars", "--eof",
					      "--arg-file",  NULL };
	size_t i = 1;

	for (; i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-'; i++) {
		struct str w = c->words[i], next = i + 1 < c->n ? c->words[i + 1] : STR("");
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (str_eqz(w, "--"))
			return i + 1;
		if (w.p[1] == '-') {
			bool taken = eq < 0 && sh_is_among(w, valued);
			struct str value = eq < 0 ? next : str_sub(w, (size_t)eq + 1, w.n);

			x->lines |= str_starts(w, STR("--null")) || str_starts(w, STR("--delim"));
			x->none |= str_starts(w, STR("--no-run"));
			if (str_starts(w, STR("--replace")))
				x->mark = eq < 0 ? STR("{}") : value;
			if (str_starts(w, STR("--arg-file")))
				x->file = value;
			i += taken;
			continue;
		}
		for (size_t k = 1; k < w.n; k++) {
			struct str rest = str_sub(w, k + 1, w.n);

			x->lines |= w.p[k] == '0' || w.p[k] == 'd';
			x->none |= w.p[k] == 'r';
			if (w.p[k] == 'i')
				x->mark = rest.n ? rest : STR("{}");
			if (strchr("il", w.p[k]))
				break;
			if (!strchr("IJadELnPsRS", w.p[k]))
				continue;
			if (w.p[k] == 'I' || w.p[k] == 'J')
				x->mark = rest.n ? rest : next;
			if (w.p[k] == 'a')
				x->file = rest.n ? rest : next;
			i += !rest.n;
			break;
		}
	}
	return min_size(i, c->n);
}

static bool run_xargs(struct run *r, const struct call *c)
{
	struct fields items = { 0 };
	struct xargs x = { 0 };
	struct run inner = *r;
	size_t i = xargs_read(c, &x);
	struct str in = r->has_in ? r->in : ANY;

	if (str_eqz(x.file, "/dev/null"))
		in = STR("");
	else if (x.file.n && !is_input_path(x.file) && !file_read(r, x.file, &in))
		in = ANY;
	if (x.file.n && (effects_places(r->e, x.file, r->cwd) & PLACE_SECRET)) {
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, x.file);
		in = SECRET;
	}
	items_of(r, in, x.lines || x.mark.n > 0, &items);
	inner.has_in = false;
	if (i >= c->n) {
		run_emit(r, r->in);
		return true;
	}
	if (!x.mark.n) {
		if (items.n || !x.none)
			run_with(&inner, c->words + i, c->n - i, x.mark, items.p, items.n, true);
		return true;
	}
	for (size_t k = 0; k < items.n; k++)
		run_with(&inner, c->words + i, c->n - i, x.mark, &items.p[k], 1, false);
	return true;
}

static bool run_parallel(struct run *r, const struct call *c)
{
	struct fields items = { 0 };
	size_t i = 1, end;
	struct run inner = *r;

	while (i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-')
		i += str_eqz(c->words[i], "-j") || str_eqz(c->words[i], "-N") ||
				     str_eqz(c->words[i], "-a") || str_eqz(c->words[i], "-P") ||
				     str_eqz(c->words[i], "--jobs")
			     ? 2
			     : 1;
	for (end = i; end < c->n && !str_starts(c->words[end], STR(":::"));)
		end++;
	for (size_t k = end + 1; k < c->n; k++)
		field_add(r, &items, c->words[k]);
	if (end >= c->n)
		items_of(r, r->has_in ? r->in : ANY, true, &items);
	inner.has_in = false;
	for (size_t k = 0; k < items.n; k++) {
		struct str text =
			text_join(r, c->words + min_size(i, c->n), end - min_size(i, end), ' ');
		struct str with = with_text(r, text, STR("{}"), items.p[k]);

		if (str_eq(with, text) && text.n) {
			struct str both[2] = { text, items.p[k] };

			with = text_join(r, both, 2, ' ');
		}
		call_shell(&inner, c, text.n ? with : items.p[k]);
	}
	return true;
}

static bool run_sed(struct run *r, const struct call *c);

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

const struct special special_flow[] = {
	{ "echo", run_echo },
	{ "printf", run_printf },
	{ "cat head tail sort uniq tac nl bat batcat fold shuf "
	  "less more",
	  run_cat },
	{ "printenv", run_printenv },
	{ "zcat gunzip bzcat bunzip2 xzcat unxz zstdcat unzstd lz4cat", run_unpack },
	{ "yes", run_yes },
	{ "ps", run_ps },
	{ "seq gseq", run_seq },
	{ "tee sponge", run_tee },
	{ "base64 base32 gbase64 basenc xxd openssl", run_decode },
	{ "rev", run_rev },
	{ "tr", run_tr },
	{ "sed gsed", run_sed },
	{ "dirname basename", run_dirname },
	{ "pwd mktemp whoami logname which realpath readlink", run_names },
	{ "ssh-agent starship zoxide fnm dircolors lesspipe thefuck", run_for_shells },
	{ "ls dir exa eza", run_ls },
	{ "read", run_read },
	{ "mapfile readarray", run_mapfile },
	{ "find gfind", run_find },
	{ "fd fdfind", run_fd },
	{ "xargs gxargs", run_xargs },
	{ "parallel", run_parallel },
	{ NULL, NULL },
};

/* ---- sed ---- */

/* s/a/b/ of plain text on a known input. */
static struct str substituted(struct run *r, struct str in, struct str script)
{
	struct str part[3] = { STR(""), STR(""), STR("") };
	struct str rest;
	char sep;
	struct text t = { 0 };
	size_t at = 0;

	if (script.n < 4 || script.p[0] != 's')
		return ANY;
	sep = script.p[1];
	rest = str_sub(script, 2, script.n);
	for (size_t i = 0; i < 3 && str_split(&rest, sep, &part[i]);)
		i++;
	if (!part[0].n || strpbrk(arena_z(r->a, part[0]), "\\.*[]^$+?&|()") ||
	    str_chr(part[1], '\\', 0) >= 0)
		return ANY;
	for (ptrdiff_t hit; (hit = str_find(in, part[0], at)) >= 0;) {
		text_add(r, &t, str_sub(in, at, (size_t)hit));
		text_add(r, &t, part[1]);
		at = (size_t)hit + part[0].n;
		if (str_chr(part[2], 'g', 0) < 0)
			break;
	}
	text_add(r, &t, str_sub(in, at, in.n));
	return text_str(&t);
}

/* Up to the next separator that no backslash protects. */
static bool sed_split(struct run *r, struct str *rest, char sep, struct str *ret_part)
{
	struct text t = { 0 };
	size_t i = 0;

	if (!rest->p)
		return false;
	for (; i < rest->n && rest->p[i] != sep; i++) {
		i += rest->p[i] == '\\' && i + 1 < rest->n && rest->p[i + 1] == sep;
		text_add(r, &t, str_sub(*rest, i, i + 1));
	}
	*ret_part = text_str(&t);
	*rest = i < rest->n ? str_sub(*rest, i + 1, rest->n) : (struct str){ 0 };
	return true;
}

/* GNU sed runs commands: `e command`, s/a/b/e; w FILE writes. */
static void sed_script(struct run *r, const struct call *c, struct str script)
{
	struct str one;
	struct str text = script;

	for (struct str rest = text; str_split(&rest, '\n', &one);) {
		struct str s = str_trim(one);
		size_t i = 0;

		while (i < s.n && (char_is_digit(s.p[i]) || strchr("$,! \t", s.p[i])))
			i++;
		while (i + 1 < s.n && strchr("dDpPqnNhHgGx", s.p[i]) && s.p[i + 1] == ';')
			i += 2;
		if (i < s.n && s.p[i] == 'e' && (i + 1 == s.n || s.p[i + 1] == ';'))
			call_shell(r, c, r->has_in ? r->in : ANY); /* each line */
		else if (i + 1 < s.n && s.p[i] == 'e' && s.p[i + 1] == ' ')
			call_shell(r, c, str_sub(s, i + 2, s.n));
		else if (i < s.n && s.p[i] == '/' && str_find(s, STR("/e "), i) > 0)
			call_shell(r, c, str_sub(s, (size_t)str_find(s, STR("/e "), i) + 3, s.n));
		else if (i + 1 < s.n && (s.p[i] == 'w' || s.p[i] == 'W') && s.p[i + 1] == ' ')
			call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE },
				  str_trim(str_sub(s, i + 2, s.n)));
		else if (i + 4 < s.n && s.p[i] == 's') {
			struct str part[4] = { STR(""), STR(""), STR(""), STR("") };
			struct str sub = str_sub(s, i + 2, s.n);

			for (size_t k = 0; k < 3 && sed_split(r, &sub, s.p[i + 1], &part[k]);)
				k++;
			if (part[2].n && part[2].n < 4 && str_chr(part[2], 'e', 0) >= 0)
				call_shell(r, c, part[1]);
		}
	}
}

static bool run_sed(struct run *r, const struct call *c)
{
	struct args a;
	bool in_place, has_script = false;
	size_t from = 0;
	struct str script = { 0 };

	args_read(r, &a, c, "-e -f -l --expression --file --line-length");
	in_place = args_option(&a, "-i|--in-place|-I") != NULL;
	for (size_t i = 0; i < a.noptions; i++) {
		bool code = str_eqz(a.options[i].name, "-e") ||
			    str_starts(a.options[i].name, STR("--expr"));

		if (!code && !str_eqz(a.options[i].name, "-f") &&
		    !str_eqz(a.options[i].name, "--file"))
			continue;
		has_script = true;
		script = a.options[i].value;
		if (code)
			sed_script(r, c, script);
	}
	if (!has_script && a.noperands) {
		script = a.operands[0];
		sed_script(r, c, script);
		from = 1;
	}
	for (size_t i = from; i < a.noperands; i++)
		call_path(r, c,
			  (struct effect){ .kind = in_place ? EFFECT_OVERWRITE : EFFECT_READ },
			  a.operands[i]);
	if (!r->out)
		return true;
	if (!value_known(r->in))
		run_pass_on(r);
	else
		run_emit(r, from < a.noperands || !r->has_in ? ANY : substituted(r, r->in, script));
	return true;
}
