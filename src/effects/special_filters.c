/* What reads files or its input, and writes it again. */
#include "base/base64.h"
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

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

static bool run_cat(struct run *r, const struct call *c)
{
	/* Their options that take a value, which is no file. */
	static const struct {
		const char *names, *valued;
	} rows[] = {
		{ "head tail sort", "-n -c --lines --bytes -k -t -S" },
		{ "fold", "-w --width" },
		{ "shuf", "-n -i --head-count --input-range" },
		{ "uniq", "-f -s -w --skip-fields --skip-chars --check-chars" },
		{ "nl", "-b -d -f -h -i -l -n -s -v -w" },
	};
	const char *valued = NULL;
	struct args a;
	struct str file = { 0 };

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (word_in_text(sh_file_name(c->words[0]), rows[i].names))
			valued = rows[i].valued;
	args_read(r, &a, c, valued);
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
	if (char_is_letter(c))
		return char_lower(c) - 'a';
	return c >= '2' && c <= '7' ? c - '2' + 26 : -1;
}

static struct str decoded(struct run *r, struct str s, int (*digit)(char c), unsigned bits)
{
	struct text t = { 0 };
	unsigned value = 0, have = 0;

	if (!value_known(s))
		return value_has(s, MARK_FETCHED)  ? FETCHED
		       : value_has(s, MARK_SECRET) ? (struct str){ "\10\7", 2 }
						   : HIDDEN;
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
						    : value_changed(text));
		return true;
	}
	text = content(r, c, &a, 0, NULL);
	if (str_eqz(name, "xxd"))
		run_emit(r, args_option(&a, "-r") ? decoded(r, text, char_hex, 4)
						  : value_changed(text));
	else if (str_eqz(name, "unhex") || str_eqz(name, "basenc"))
		run_emit(r, args_option(&a, "--base16")   ? decoded(r, text, char_hex, 4)
			    : args_option(&a, "--base32") ? decoded(r, text, digit_32, 5)
							  : decoded(r, text, base64_digit, 6));
	else if (args_option(&a, "-d|-D|--decode"))
		run_emit(r, decoded(r, text, six ? base64_digit : digit_32, six ? 6 : 5));
	else
		run_emit(r, value_changed(text));
	return true;
}

static bool run_rev(struct run *r, const struct call *c)
{
	struct args a;
	struct str s;
	char *p;

	args_read(r, &a, c, NULL);
	s = without_line_ends(content(r, c, &a, 0, NULL));
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

const struct special special_filters[] = {
	{ "cat head tail sort uniq tac nl bat batcat fold shuf less more", run_cat },
	{ "zcat gunzip bzcat bunzip2 xzcat unxz zstdcat unzstd lz4cat", run_unpack },
	{ "tee sponge", run_tee },
	{ "base64 base32 gbase64 basenc xxd openssl", run_decode },
	{ "rev", run_rev },
	{ "tr", run_tr },
	{ "sed gsed", run_sed },
	{ NULL, NULL },
};
