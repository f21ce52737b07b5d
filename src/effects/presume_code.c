/*
 * Code in a language without a reader of its own (Lisp, Erlang, Tcl, Elixir, ...): what is quoted
 * in it, or follows a word that starts programs, and begins with the name of one.
 */

#include "base/words.h"

#include "effects/run.h"

/* Parts of the names of functions that start programs, print, and delete. */
static const char calling[] =
	"system exec execute shell sh command cmd spawn popen process proc run subprocess os syscmd "
	"esyscmd bash call pipe eval launch qx start async shellout script";
static const char printing[] =
	"print println printf puts put cat echo message write writeln format log display displayln show "
	"insert user "
	"say info warn error debug output cout assert equal expect test describe it raise throw";
static const char deleting[] = "delete unlink rmdir rmtree remove rm erase rf deltree";
/* Words whose operands need no quotes. */
static const char commanding[] = "spawn exec shell system syscmd esyscmd";

enum { LITERALS_MAX = 64 };

struct reading {
	struct run *r;
	const struct call *c;
	struct str code;
	bool known; /* it is code for certain: any text in it may be run */
	struct str callee; /* the last name */
	bool called; /* where a function's name is */
	size_t name_end;
	struct fields literals; /* from the name of a program on */
	bool found;
};

/* "\\"x\\"" has the quotes that its own text has escaped. */
static struct str unescaped(struct run *r, struct str s)
{
	struct text t = { 0 };

	if (str_chr(s, '\\', 0) < 0)
		return s;
	for (size_t i = 0; i < s.n; i++) {
		i += s.p[i] == '\\' && i + 1 < s.n && strchr("\"'\\`", s.p[i + 1]);
		text_add(r, &t, str_sub(s, i, i + 1));
	}
	return text_str(&t);
}

static ptrdiff_t literal_end(struct str code, size_t from, char quote)
{
	for (size_t i = from; i < code.n; i++) {
		if (code.p[i] == '\\' && quote != '`')
			i++;
		else if (code.p[i] == quote)
			return (ptrdiff_t)i;
	}
	return quote == '`' ? str_chr(code, '\'', from) : -1; /* of m4 */
}

/* A function starts it, its result is run ("..." execute), or the text is known to be code. */
static void read_literal(struct reading *k, struct str text, struct str behind)
{
	bool starts = k->called && name_has_part(k->callee, calling);
	bool runs = str_starts(behind, STR(".execute")) || str_starts(behind, STR(".!"));

	if (!k->found && k->known && k->called && name_has_part(k->callee, deleting)) {
		bool tree = str_find(k->code, STR("ecurs"), 0) >= 0 ||
			    name_has_part(k->callee, "rf rmtree tree directory dir deltree");

		if (text.n && strchr("/~.", text.p[0]) && str_chr(text, ' ', 0) < 0)
			call_path(k->r, k->c,
				  (struct effect){
					  .kind = EFFECT_DELETE, .recursive = tree, .maybe = true },
				  text.p[0] == '~'
					  ? arena_printf(k->r->a, "%.*s%.*s",
							 STR_ARG(variable(k->r, STR("HOME"))),
							 STR_ARG(str_sub(text, 1, text.n)))
					  : text);
	}
	if (name_has_part(k->callee, printing) && !starts)
		return;
	if (!starts && !runs && !k->known)
		return;
	if (str_chr(text, ' ', 0) >= 0)
		k->found |= presume_text(k->r, k->c, text, k->known && (starts || runs));
	else if (k->literals.n ? k->literals.n < LITERALS_MAX : is_known_program(text))
		field_add(k->r, &k->literals, text);
}

/* exec rm -rf x, !rm -rf x: to the end of the command. */
static size_t read_bare(struct reading *k, size_t from)
{
	size_t end = from;

	while (end < k->code.n && !strchr(";\n])", k->code.p[end]))
		end++;
	k->found |= presume_text(k->r, k->c, str_sub(k->code, from, end), k->known);
	return k->found ? end : from; /* "do shell script ..." has the command in quotes */
}

/* Where a statement begins: nothing, or what ends the one before it. */
static bool begins(struct str code, size_t i)
{
	while (i > 0 && (code.p[i - 1] == ' ' || code.p[i - 1] == '\t'))
		i--;
	return i == 0 || strchr(";\n([{|+:=", code.p[i - 1]);
}

static size_t read_name(struct reading *k, size_t i)
{
	size_t from = i, next;
	bool follows;

	while (i < k->code.n &&
	       (char_is_alnum(k->code.p[i]) || (k->code.p[i] && strchr("_-:.!?>/", k->code.p[i]))))
		i++;
	if (from && k->code.p[from - 1] == '-') /* an option */
		return i;
	/* "file delete" of Tcl, "platform shell": the second word says what the first one does. */
	follows = k->known && k->called && k->name_end &&
		  !str_trim(str_sub(k->code, k->name_end, from)).n;
	k->callee = str_sub(k->code, from, i);
	k->name_end = i;
	for (next = i; next < k->code.n && strchr(" \t(", k->code.p[next]);)
		next++;
	k->called = (i < k->code.n && k->code.p[i] == '(') || begins(k->code, from) || follows;
	if (next > i && next < k->code.n && k->called && word_in_text(k->callee, commanding) &&
	    !strchr("\"'`({[", k->code.p[next]))
		return read_bare(k, next);
	return i;
}

static size_t read_quoted(struct reading *k, size_t i)
{
	char quote = k->code.p[i];
	bool apostrophe = quote == '\'' && i && char_is_alnum(k->code.p[i - 1]);
	ptrdiff_t end = apostrophe ? -1 : literal_end(k->code, i + 1, quote);

	if (end < 0)
		return i + 1;
	read_literal(k, unescaped(k->r, str_sub(k->code, i + 1, (size_t)end)),
		     str_sub(k->code, (size_t)end + 1, k->code.n));
	/* In Lisp it may be none: what follows is looked at again. */
	return quote == '\'' && k->known ? i + 1 : (size_t)end + 1;
}

/* What languages that are not read call the home directory, and removing; as a shell does. */
static struct str in_words_of_shell(struct run *r, struct str code)
{
	static const struct {
		const char *is, *as;
	} words[] = {
		{ "$env(HOME)", "~" },
		{ "$::env(HOME)", "~" },
		{ "$(homedir())", "~" },
		{ "getHomeDir()", "\"~\"" },
		{ "file delete -force --", "exec rm -rf" },
		{ "file delete -force", "exec rm -rf" },
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		ptrdiff_t at = str_find(code, str_from(words[i].is), 0);

		if (at >= 0)
			code = arena_printf(
				r->a, "%.*s%s%.*s", (int)at, code.p, words[i].as,
				STR_ARG(str_sub(code, (size_t)at + strlen(words[i].is), code.n)));
	}
	return code;
}

bool presume_code(struct run *r, const struct call *c, struct str code, bool known)
{
	struct reading k = { .r = r, .c = c, .code = code, .known = known, .callee = STR("") };
	char first = code.n ? code.p[0] : '\0';
	bool maybe = r->e->maybe;

	k.code = code = known ? in_words_of_shell(r, code) : code;
	if (!known && (first == '{' || first == '[')) /* JSON and its kind */
		return false;
	r->e->maybe = true; /* conditions are not decided */
	for (size_t i = 0; i < code.n && !k.found && run_spend(r, 1);) {
		char ch = code.p[i];

		if (ch == '"' || ch == '\'' || ch == '`')
			i = read_quoted(&k, i);
		else if (ch == '!' && begins(code, i) && i + 1 < code.n && code.p[i + 1] != '=')
			i = read_bare(&k, i + 1);
		else if (char_is_alnum(ch) || ch == '_')
			i = read_name(&k, i);
		else
			i++;
	}
	if (!k.found && k.literals.n > 1)
		k.found = presume_list(r, c, &k.literals, false);
	r->e->maybe = maybe;
	return k.found;
}
