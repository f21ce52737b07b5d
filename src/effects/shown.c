/*
 * Of what a command reads, what reaches whoever reads the screen: `cut -d= -f1 .env` shows names,
 * `grep -c`, `wc` and a test show none of it.  A secret that is not shown was not read.
 */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

/* ---- programs ---- */

/* -d=, -d '=' */
static bool divides_at_equals(const struct call *c, const struct option *o)
{
	return o &&
	       (str_eqz(o->value, "=") || (!o->value.n && str_ends(c->words[o->at], STR("="))));
}

/* 4, 1-4: no more than a hint at which secret it is. */
static bool is_short(const struct option *o, const char *from)
{
	struct str n = o ? o->value : STR("");

	if (str_starts(n, str_from(from)))
		n = str_sub(n, strlen(from), n.n);
	return n.n == 1 && n.p[0] >= '0' && n.p[0] <= '4';
}

static enum shown cut_shows(const struct call *c, const struct args *a)
{
	const struct option *fields = args_option(a, "-f|--fields");

	if (is_short(args_option(a, "-c|-b|--characters|--bytes"), "1-") &&
	    !args_option(a, "--complement"))
		return SHOWN_NOTHING;
	return fields && str_eqz(fields->value, "1") &&
			       divides_at_equals(c, args_option(a, "-d|--delimiter")) &&
			       !args_option(a, "--complement")
		       ? SHOWN_NAMES
		       : SHOWN_ALL;
}

/* "[A-Z_]", "[^=]", "\w": what names are made of; 0: something else. */
static size_t name_class(struct str p, size_t i)
{
	ptrdiff_t end;

	if (i + 1 < p.n && p.p[i] == '\\')
		return p.p[i + 1] == 'w' || p.p[i + 1] == 's' ? 2 : 0;
	if (i >= p.n || p.p[i] != '[')
		return 0;
	end = str_chr(p, ']', i + 2);
	if (end < 0 || (p.p[i + 1] == '^') != (str_chr(str_sub(p, i, (size_t)end), '=', 0) >= 0))
		return 0;
	return (size_t)end + 1 - i;
}

/* A pattern that fits nothing but names, and the blanks and brackets around them. */
static bool is_of_names(struct str p)
{
	unsigned depth = 0;

	for (size_t i = 0, n; i < p.n; i += n) {
		depth += p.p[i] == '(';
		depth -= p.p[i] == ')' && depth;
		n = name_class(p, i);
		if (!n && p.p[i] == '|' && depth) /* what is bound is all of it */
			n = 1;
		if (!n && (char_is_word(p.p[i]) || strchr("*+?{},() ", p.p[i])))
			n = 1;
		if (!n && p.p[i] == '\\' && i + 1 < p.n && strchr("+?(){}", p.p[i + 1]))
			n = 2;
		if (!n)
			return false;
	}
	return true;
}

/* One that fits no more than what stands before "=": ^[A-Z_]+=, ^\w+(?==) */
static bool fits_names(struct str p)
{
	bool bound = str_starts(p, STR("^")), ends = str_ends(p, STR("(?==)"));

	if (ends)
		p.n -= 5;
	else if ((ends = str_ends(p, STR("="))))
		p.n--;
	return (bound || ends) && is_of_names(str_sub(p, bound, p.n));
}

/* ^\[, ^\[default\], ^\[.*\]$: lines that begin sections, and no others. */
static bool fits_sections(struct str p)
{
	return (str_starts(p, STR("^\\[")) || str_starts(p, STR("^[[]"))) &&
	       str_chr(p, '|', 0) < 0 && str_chr(p, '\n', 0) < 0;
}

/* Other lines, too, or other patterns. */
static const char grep_wider[] =
	"-v|--invert-match|-A|-B|-C|-f|-z|--after-context|--before-context|--context|--file|"
	"--null-data|--multiline|-U|--passthru";

static enum shown grep_shows(const struct call *c, const struct args *a)
{
	const struct option *pattern = args_option(a, "-e|--regexp");
	struct str text = pattern ? pattern->value : a->noperands ? a->operands[0] : STR("");
	size_t patterns = 0;

	(void)c;
	if (args_option(a, "-c|-q|-l|-L|--count|--quiet|--silent|--files-with-matches"))
		return SHOWN_NOTHING;
	for (size_t i = 0; i < a->noptions; i++)
		patterns += word_in_text(a->options[i].name, "-e --regexp");
	if (fits_sections(text) && patterns < 2 && !args_option(a, grep_wider))
		return SHOWN_NAMES;
	return args_option(a, "-o|--only-matching") && fits_names(text) ? SHOWN_NAMES : SHOWN_ALL;
}

// s/=.*//, s/=.+$/=x/, s/^([^=]*)=.*$/\1/: what is behind the "=" goes.
static bool cuts_values(struct str command)
{
	static const char *const ends[] = { "=.*", "=.+", "=\\).*", "=).*" };
	ptrdiff_t middle, end;
	struct str pattern, by;
	char sep = command.n > 1 ? command.p[1] : '\0';

	if (command.n < 5 || command.p[0] != 's' || char_is_word(sep))
		return false;
	middle = str_chr(command, sep, 2);
	end = middle < 0 ? -1 : str_chr(command, sep, (size_t)middle + 1);
	if (end < 0)
		return false;
	pattern = str_sub(command, 2, (size_t)middle);
	by = str_sub(command, (size_t)middle + 1, (size_t)end);
	if (str_ends(pattern, STR("$")))
		pattern.n--;
	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(pattern, str_from(ends[i])))
			return is_of_names(str_sub(pattern, str_starts(pattern, STR("^")),
						   pattern.n - strlen(ends[i]))) &&
			       str_chr(by, '&', 0) < 0 && str_find(by, STR("\\2"), 0) < 0 &&
			       str_find(by, STR("\\0"), 0) < 0;
	return false;
}

/* Of sed -n: s/^\[\(.*\)\]$/\1/p, /^\[/p */
static bool prints_sections(struct str command)
{
	bool changes = str_starts(command, STR("s/")), lines = str_starts(command, STR("/"));

	return (changes || lines) && str_ends(command, STR("p")) &&
	       fits_sections(str_sub(command, 1 + changes, command.n));
}

static enum shown sed_shows(const struct call *c, const struct args *a)
{
	const struct option *script = args_option(a, "-e|--expression");
	struct str text = script ? script->value : a->noperands ? a->operands[0] : STR(""), one;
	bool cuts = false;

	(void)c;
	if (str_starts(text, STR("s/./")) && str_ends(text, STR("/g")) && text.n == 7)
		return SHOWN_NOTHING; /* s/./x/g: a mask */
	if (args_option(a, "-i|-f|--in-place|--file"))
		return SHOWN_ALL;
	if (args_option(a, "-n|--quiet|--silent") && a->noptions < 3 && prints_sections(text) &&
	    str_chr(text, ';', 0) < 0 && str_chr(text, '{', 0) < 0 && str_chr(text, ',', 0) < 0)
		return SHOWN_NAMES;
	for (struct str rest = text; str_split(&rest, ';', &one);) {
		one = str_trim(one);
		cuts |= cuts_values(one);
		/* Another command may show what was cut. */
		if (!cuts_values(one) && !(one.n && one.p[0] == '/' && str_ends(one, STR("/d"))))
			return SHOWN_ALL;
	}
	return cuts ? SHOWN_NAMES : SHOWN_ALL;
}

/* -F= '{ print $1 }', 'END { print NR }': one action, which prints no more than that. */
static enum shown awk_shows(const struct call *c, const struct args *a)
{
	const struct option *between = args_option(a, "-F|--field-separator");
	struct str code = a->noperands ? str_trim(a->operands[0]) : STR("");
	ptrdiff_t from = str_chr(code, '{', 0), at;
	bool names = false;

	if (from < 0 && str_starts(code, STR("/")) && str_ends(code, STR("/")) &&
	    fits_sections(str_sub(code, 1, code.n - 1)))
		return SHOWN_NAMES;
	if (from < 0 || !str_ends(code, STR("}")) || str_chr(code, '{', (size_t)from + 1) >= 0 ||
	    str_find(code, STR("getline"), 0) >= 0 || args_option(a, "-f|--file"))
		return SHOWN_ALL;
	if (from > 2 && str_starts(code, STR("/")) &&
	    fits_sections(str_sub(code, 1, (size_t)from)) && str_chr(code, ',', 0) < 0)
		return SHOWN_NAMES; /* /^\[/ { print $2 } */
	code = str_sub(code, (size_t)from + 1, code.n - 1);
	for (size_t i = 0; (at = str_chr(code, '$', i)) >= 0; i = (size_t)at + 1) {
		struct str rest = str_sub(code, (size_t)at, code.n);

		if (str_ends(str_sub(code, 0, (size_t)at), STR("length(")) &&
		    (str_starts(rest, STR("$0)")) || str_starts(rest, STR("$1)"))))
			continue;
		if (!str_starts(rest, STR("$1")) || (rest.n > 2 && char_is_word(rest.p[2])))
			return SHOWN_ALL;
		names = true;
	}
	for (size_t i = 0; (at = str_find(code, STR("print"), i)) >= 0; i = (size_t)at + 5) {
		struct str rest = str_trim(str_sub(code, (size_t)at + 5, code.n));

		if (!rest.n || strchr(";}|>&", rest.p[0])) /* the whole line */
			return SHOWN_ALL;
	}
	return !names ? SHOWN_NOTHING : divides_at_equals(c, between) ? SHOWN_NAMES : SHOWN_ALL;
}

/* Up to the next `end` that no bracket and no quotes enclose; false: that was the last part. */
static bool jq_split(struct str *rest, char end, struct str *ret)
{
	struct str s = *rest;
	int depth = 0;
	size_t i = 0;

	for (bool quoted = false; i < s.n; i++) {
		if (s.p[i] == '\\')
			i++;
		else if (s.p[i] == '"')
			quoted = !quoted;
		else if (quoted)
			continue;
		else if (strchr("([{", s.p[i]))
			depth++;
		else if (strchr(")]}", s.p[i]))
			depth--;
		else if (s.p[i] == end && depth == 0)
			break;
	}
	i = min_size(i, s.n);
	*ret = str_trim(str_sub(s, 0, i));
	*rest = str_sub(s, min_size(i + 1, s.n), s.n);
	return i < s.n;
}

/* .metadata.name, .items[].type: what says nothing of what is kept. */
static bool jq_path_tells_names(struct str path)
{
	static const char *const ends[] = { ".metadata.name",
					    ".metadata.namespace",
					    ".metadata.creationTimestamp",
					    ".metadata.labels",
					    ".metadata.uid",
					    ".type",
					    ".kind" };

	if (str_find(path, STR(".data"), 0) >= 0 || str_find(path, STR("stringData"), 0) >= 0)
		return false;
	for (size_t i = 0; i < path.n; i++)
		if (!char_is_word(path.p[i]) && !strchr(".[]?", path.p[i]))
			return false;
	return TEXT_ENDS(path, ends);
}

enum { JQ_DEPTH_MAX = 8 };

static bool jq_tells_names(struct str filter, int depth);

/* Up to the bracket that is closed there. */
static struct str jq_inside(struct str *rest)
{
	struct str s = *rest;
	size_t n = 0;

	for (int open = 1; n < s.n; n++)
		if (!(open += (s.p[n] == '(') - (s.p[n] == ')')))
			break;
	*rest = str_sub(s, min_size(n + 1, s.n), s.n);
	return str_trim(str_sub(s, 0, n));
}

/* .key of what to_entries[] gives */
static bool jq_is_key(struct str filter, struct str of)
{
	return str_eqz(filter, ".key") && word_in_text(of, "to_entries[] .[]");
}

/* "\(.): \($name)": what is put into the text, of what `of` gives; `variables`: so do these. */
static bool jq_text_tells_names(struct str text, struct str of, bool variables, int depth)
{
	struct str one;

	for (ptrdiff_t at; (at = str_find(text, STR("\\("), 0)) >= 0;) {
		text = str_sub(text, (size_t)at + 2, text.n);
		one = jq_inside(&text);
		if (one.n && one.p[0] == '$' ? !variables || str_eqz(one, "$ENV") ||
						       !str_is_word(str_sub(one, 1, one.n), "")
		    : jq_is_key(one, of) ? false
					 : !jq_tells_names(str_eqz(one, ".") ? of : one, depth))
			return false;
	}
	return true;
}

/* map_values("*"), map(length), with_entries(.value = "*") */
static bool jq_masks(struct str filter, int depth)
{
	static const char *const all[] = { "map_values(", "map(", "with_entries(.value =" };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		struct str rest = filter, one = str_from(all[i]);

		if (!str_starts(rest, one))
			continue;
		rest = str_sub(rest, one.n, rest.n);
		one = jq_inside(&rest);
		if (one.n > 1 && one.p[0] == '"' && one.p[one.n - 1] == '"')
			return jq_text_tells_names(one, STR(""), false, depth);
		return jq_tells_names(one, depth);
	}
	return false;
}

/* .data | keys, to_entries[].key, [.metadata.name, (.data | keys)] | @tsv, keys[] | "- \(.)" */
static bool jq_tells_names(struct str filter, int depth)
{
	struct str last = { 0 }, part, one, name;
	bool is_object, more, variables = depth > 0;

	filter = str_trim(filter);
	do { /* what forms a text of it, or chooses, tells no more */
		ptrdiff_t as;

		more = jq_split(&filter, '|', &part);
		as = str_find(part, STR(" as $"), 0);
		if (as >= 0 && depth > 0)
			variables &= jq_tells_names(str_sub(part, 0, (size_t)as), depth - 1);
		if (as >= 0 || (last.n && part.n &&
				(part.p[0] == '@' || str_starts(part, STR("join(")) ||
				 str_starts(part, STR("select(")) ||
				 word_in_text(part, "add sort unique tostring"))))
			continue;
		if (depth > 0 && last.n && part.n > 1 && part.p[0] == '"' &&
		    part.p[part.n - 1] == '"' &&
		    jq_text_tells_names(part, last, variables, depth - 1))
			part = STR("keys");
		last = jq_is_key(part, last) ? STR("keys") : part;
	} while (more);
	if (word_in_text(last, "keys keys[] keys_unsorted keys_unsorted[] length "
			       ".[].key to_entries[].key type") ||
	    str_starts(last, STR("has(\"")) || jq_path_tells_names(last) ||
	    (depth > 0 && jq_masks(last, depth - 1)))
		return true;
	if (depth == 0 || last.n < 2)
		return false;
	is_object = last.p[0] == '{' && last.p[last.n - 1] == '}';
	part = str_sub(last, 1, last.n - 1);
	if (!is_object && !(last.p[0] == '[' && last.p[last.n - 1] == ']') &&
	    !(last.p[0] == '(' && last.p[last.n - 1] == ')')) {
		part = last;
		if (!jq_split(&part, ',', &one))
			return false;
		part = last;
	}
	do {
		more = jq_split(&part, ',', &one);
		if (is_object && !jq_split(&one, ':', &name))
			return false; /* {data}: the member itself */
		if (!jq_tells_names(one, depth - 1))
			return false;
	} while (more);
	return true;
}

static enum shown jq_shows(const struct call *c, const struct args *a)
{
	struct str filter = a->noperands ? str_trim(a->operands[0]) : STR("");

	(void)c;
	if (str_eqz(filter, "e") || str_eqz(filter, "eval")) /* yq */
		filter = a->noperands > 1 ? a->operands[1] : STR("");
	return jq_tells_names(filter, JQ_DEPTH_MAX) ? SHOWN_NOTHING : SHOWN_ALL;
}

/* {{range $k, $v := .data}}{{$k}} {{len $v}}{{end}}: names, and how long the values are */
static bool template_shows_names(struct str form)
{
	ptrdiff_t at = str_find(form, STR(":= .data"), 0);
	size_t end = at < 0 ? 0 : (size_t)at, from;
	struct str value;

	while (end && form.p[end - 1] == ' ')
		end--;
	for (from = end; from && char_is_word(form.p[from - 1]);)
		from--;
	if (at < 0 || !from || form.p[from - 1] != '$' || from == end)
		return false;
	value = str_sub(form, from - 1, end);
	for (size_t i = (size_t)at; (at = str_find(form, value, i)) >= 0; i = (size_t)at + value.n)
		if (!str_ends(str_sub(form, 0, (size_t)at), STR("len ")))
			return false;
	return str_find(form, STR("{{."), 0) < 0 && str_find(form, STR("{{ ."), 0) < 0;
}

/* -o jsonpath='{.items[*].metadata.name}', custom-columns=TYPE:.type: nothing below .data */
static enum shown kubectl_shows(const struct call *c, const struct args *a)
{
	static const char *const harmless[] = { ".name",   ".namespace", ".creationTimestamp",
						".labels", ".uid",       ".resourceVersion" };
	const struct option *o = args_option(a, "-o|--output|--template");
	struct str form = o ? o->value : STR("");
	bool shows = str_find(form, STR(".type"), 0) < 0;
	ptrdiff_t at;

	(void)c;
	if (!str_starts(form, STR("jsonpath")) && !str_starts(form, STR("custom-columns")) &&
	    !str_starts(form, STR("go-template")))
		return SHOWN_ALL;
	if (template_shows_names(form))
		return SHOWN_NOTHING;
	for (size_t i = 0; (at = str_find(form, STR("data"), i)) >= 0; i = (size_t)at + 4) {
		struct str rest = str_sub(form, (size_t)at + 4, form.n);
		bool meta = at >= 4 && str_eqz(str_sub(form, (size_t)at - 4, (size_t)at), "meta");
		bool fits = false;

		for (size_t k = 0; k < ARRAY_LEN(harmless); k++)
			fits |= str_starts(rest, str_from(harmless[k]));
		if (!meta || !fits)
			return SHOWN_ALL;
		shows = false;
	}
	return shows || str_find(form, STR("{@}"), 0) >= 0 || str_find(form, STR("{.}"), 0) >= 0
		       ? SHOWN_ALL
		       : SHOWN_NOTHING;
}

static enum shown nothing(const struct call *c, const struct args *a)
{
	(void)c;
	(void)a;
	return SHOWN_NOTHING;
}

/* head -c 4 */
static enum shown end_shows(const struct call *c, const struct args *a)
{
	(void)c;
	return is_short(args_option(a, "-c|--bytes"), "") ? SHOWN_NOTHING : SHOWN_ALL;
}

/* tr '[:print:]' '*', tr -c '' '*': all of it becomes one character. */
static enum shown tr_shows(const struct call *c, const struct args *a)
{
	static const char *const all[] = { "[:print:]", "[:graph:]", "[:alnum:]", "!-~" };
	bool masks;

	(void)c;
	if (a->noperands != 2 || a->operands[1].n != 1)
		return SHOWN_ALL;
	masks = args_option(a, "-c|-C|--complement") && !a->operands[0].n;
	for (size_t i = 0; i < ARRAY_LEN(all); i++)
		masks |= str_eqz(a->operands[0], all[i]);
	return masks ? SHOWN_NOTHING : SHOWN_ALL;
}

static enum shown openssl_shows(const struct call *c, const struct args *a)
{
	(void)c;
	return a->noperands && str_eqz(a->operands[0], "dgst") ? SHOWN_NOTHING : SHOWN_ALL;
}

static enum shown cmp_shows(const struct call *c, const struct args *a)
{
	(void)c;
	return args_option(a, "-q|--brief|-s|--silent|--quiet") ? SHOWN_NOTHING : SHOWN_ALL;
}

static const struct {
	const char *names, *valued;
	enum shown (*shows)(const struct call *c, const struct args *a);
} programs[] = {
	{ "cut gcut", "-d -f -c -b --delimiter --fields", cut_shows },
	{ "grep egrep fgrep ggrep rg", "-e -f -m -A -B -C -g -t --regexp --file --max-count",
	  grep_shows },
	{ "sed gsed", "-e -f --expression --file", sed_shows },
	{ "awk gawk mawk nawk", "-F -v -f --field-separator --assign --file", awk_shows },
	{ "jq gojq jaq yq", "--arg_ --argjson_ --indent", jq_shows },
	{ "wc gwc cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum shasum",
	  "-a", nothing },
	{ "cmp diff", "", cmp_shows },
	{ "head tail", "-n -c --lines --bytes", end_shows },
	{ "tr", NULL, tr_shows },
	{ "openssl", "= -k -K -kfile -pass -in -out", openssl_shows },
	{ "kubectl k oc", "-o -n -l --output --template --namespace --selector --context",
	  kubectl_shows },
};

enum shown call_shows(struct run *r, const struct call *c)
{
	struct str name = sh_file_name(c->words[0]);
	struct args a;

	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		if (word_in_text(name, programs[i].names)) {
			args_read(r, &a, c, programs[i].valued);
			return programs[i].shows(c, &a);
		}
	return SHOWN_ALL;
}

/* ---- what filters pass on ---- */

/* They print what they read, in another form: `programs` has what shows less than all. */
static const char filters[] =
	"cat head tail sort uniq tac nl bat batcat fold fmt pr shuf less more rev tr cut sed gsed "
	"awk gawk mawk nawk grep egrep fgrep ggrep rg base64 base32 gbase64 basenc xxd od hexdump "
	"hd hexyl column paste expand unexpand iconv strings pv dd sponge tee colrm uuencode "
	"zcat gunzip perl ruby xargs jq yq openssl figlet cowsay qrencode";

void shown_on_screen(struct run *r, const struct call *c, struct str text)
{
	if (!r->out && value_has(text, MARK_SECRET))
		call_add(r, c, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
}

/* What it reads: the input, and files that the text has written. */
static bool reads_secret(struct run *r, const struct call *c)
{
	struct str text;

	if (r->has_in && value_has(r->in, MARK_SECRET) && !value_has(r->in, MARK_WHOLE))
		return true;
	for (size_t i = 1; r->e->state->files && i < c->n; i++)
		if (file_get(r, c->words[i], &text) && value_has(text, MARK_SECRET) &&
		    !value_has(text, MARK_WHOLE))
			return true;
	return false;
}

void shown_passes(struct run *r, const struct call *c, size_t emitted)
{
	struct run screen = *r;

	/* What is not shown is no secret to what reads the output either. */
	for (size_t i = emitted; r->shown != SHOWN_ALL && r->out && i < r->out->n; i++)
		if (r->out->p[i] == MARK_SECRET)
			r->out->p[i] = MARK_ANY;
	if ((!r->has_in && !r->e->state->files) || !reads_secret(r, c))
		return;
	if (r->shown != SHOWN_ALL || !word_in_text(sh_file_name(c->words[0]), filters))
		return;
	/* tee /dev/tty | wc: the screen, whatever reads the rest. */
	screen.out = call_has(c, "/dev/tty /dev/stderr /dev/fd/2 /proc/self/fd/2") ? NULL : r->out;
	shown_on_screen(&screen, c, SECRET);
	if (r->out && !value_has(str_sub(text_str(r->out), emitted, r->out->n), MARK_SECRET))
		run_emit(r, SECRET);
}

/* ---- what was read ---- */

/* NAME=value, line by line: what is no name of it is a value. */
static bool holds_assignments(struct str path)
{
	static const char *const ends[] = { ".env", ".properties", ".tfvars", ".ini" };
	struct str name = sh_file_name(path);

	return TEXT_ENDS(name, ends) || str_starts(name, STR(".env")) ||
	       word_in_text(name, "credentials .npmrc .pypirc .my.cnf .s3cfg");
}

void shown_settle(struct run *r, enum shown shown, struct str source, size_t before, size_t own)
{
	struct effects *e = r->e;
	/* Another way to the screen than standard output. */
	static const char *const ways[] = { "stderr", "/dev/tty", "/dev/fd", "/proc/", ">(" };
	size_t kept = before;
	bool secret = false;

	for (size_t i = before; i < e->n && !secret; i++)
		secret = e->p[i].kind == EFFECT_READ && (e->p[i].places & PLACE_SECRET);
	if (shown == SHOWN_ALL || !secret)
		return;
	run_copied(r, source.n);
	if (TEXT_HAS(source, ways))
		return;
	for (size_t i = 0; i + 2 < source.n; i++)
		if (source.p[i] == '>' && source.p[i + 1] == '&' && source.p[i + 2] != '1')
			return;
	for (size_t i = before; i < e->n; i++)
		if (e->p[i].kind != EFFECT_READ &&
		    (i < own || (e->p[i].kind != EFFECT_WRITE && e->p[i].kind != EFFECT_OVERWRITE)))
			return;
	for (size_t i = before; i < e->n; i++)
		if (e->p[i].kind != EFFECT_READ || !(e->p[i].places & PLACE_SECRET) ||
		    (shown == SHOWN_NAMES && !holds_assignments(e->p[i].target)))
			e->p[kept++] = e->p[i];
	e->n = kept;
}
