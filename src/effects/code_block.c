/* Where the head and the body of a statement end, and what a condition says of a loop. */
#include "effects/code_act.h"
#include "effects/code_reader.h"

/*
 * 0, 1, /^\\d+$/, '[0-9]+', info["pid"]: of processes, all but the first are chosen that way.
 * "__main__" chooses nothing.
 */
static bool is_any_number(const struct code_token *t)
{
	if (t->kind == TOKEN_TEXT && (str_eqz(t->text, "pid") || str_eqz(t->text, "username") ||
				      str_eqz(t->text, "uids") || str_eqz(t->text, "__main__")))
		return true;
	if (t->kind == TOKEN_NUMBER)
		return str_eqz(t->text, "0") || str_eqz(t->text, "1");
	if (t->kind != TOKEN_TEXT && t->kind != TOKEN_REGEX)
		return false;
	return str_is_of(t->text, "^$\\d+*?()[]0-9/AzZ") &&
	       (str_find(t->text, STR("\\d"), 0) >= 0 || str_find(t->text, STR("0-9"), 0) >= 0);
}

/*
 * info["username"] == getuser(), user not in ("root",): all of a user.  What follows the operator at
 * the token, up to what it is joined with; else that token.
 */
static const struct code_token *behind_user(const struct code_token *from,
					    const struct code_token *t, const struct code_token *to)
{
	static const char *const users[] = { "username", "user", "uids" };
	static const char *const compares[] = { "==", "!=", "===", "!==", "in" };
	static const char *const joins[] = { "and", "or", "&&", "||", ":", "?", "{" };
	const struct code_token *left = t;
	bool compared = TOKEN_IN(t, compares), user = false, joined = false;

	for (unsigned i = 0; compared && i < 6 && left > from && !user; i++) {
		left--;
		user |= (left->kind == TOKEN_NAME || left->kind == TOKEN_TEXT) &&
			WORD_IN(left->text, users);
	}
	while (user && t + 1 < to && !joined) {
		joined = TOKEN_IN(t + 1, joins);
		t += !joined;
	}
	return t;
}

/* / \Q$me\E$/: all of a user, whatever its name is. */
static bool is_user_pattern(const struct code_token *t)
{
	ptrdiff_t at = t->kind == TOKEN_REGEX ? str_chr(t->text, '$', 0) : -1;
	size_t end = (size_t)at + 1;

	while (at >= 0 && end < t->text.n && char_is_word(t->text.p[end]))
		end++;
	return at >= 0 && word_in_text(str_sub(t->text, (size_t)at + 1, end),
				       "me user username login owner whoami uid");
}

/* name in ("bash", "node"): among them is a shell, which somebody works in. */
static bool names_shell(struct code *c, const struct code_token *t)
{
	const struct code_value *v = t->kind == TOKEN_NAME ? code_variable(c, t->text) : NULL;

	if (t->kind == TOKEN_TEXT)
		return effects_is_shell(t->text);
	for (unsigned i = 0; v && v->kind == VALUE_LIST && i < v->n; i++)
		if (v->items[i].kind == VALUE_TEXT && effects_is_shell(v->items[i].text))
			return true;
	return false;
}

/* "node", ("node", "python"), / (java|bash) /: among them is a name that much else has; *ret_texts: any is there. */
static bool names_broad(struct code *c, const struct code_token *t, bool *ret_texts)
{
	const struct code_value *v = t->kind == TOKEN_NAME ? code_variable(c, t->text) : NULL;
	bool broad = false;

	if (t->kind == TOKEN_TEXT || t->kind == TOKEN_REGEX) {
		for (size_t i = 0, end; i < t->text.n; i = end + 1) {
			for (end = i; end < t->text.n &&
				      (char_is_word(t->text.p[end]) || t->text.p[end] == '-');)
				end++;
			/* \b, and what stands alone */
			i += i && t->text.p[i - 1] == '\\';
			if (end <= i || (t->kind == TOKEN_TEXT && end - i < t->text.n))
				continue;
			*ret_texts = true;
			broad |= effects_is_broad_process(str_sub(t->text, i, end));
		}
		*ret_texts |= str_trim(t->text).n != 0;
	}
	for (unsigned i = 0; v && v->kind == VALUE_LIST && i < v->n; i++)
		if (v->items[i].kind == VALUE_TEXT) {
			*ret_texts = true;
			broad |= effects_is_broad_process(v->items[i].text);
		}
	return broad;
}

static bool names_processes(struct code *c, const struct code_token *from,
			    const struct code_token *to)
{
	for (const struct code_token *t = from; t < to; t++) {
		const struct code_value *v =
			t->kind == TOKEN_NAME ? code_variable(c, t->text) : NULL;

		if (v && str_eqz(v->type, TYPE_PROCESSES))
			return true;
	}
	return false;
}

/* if p.name() in ("node", "python"): all of a name that the work of others has, too. */
static bool chooses_broadly(struct code *c, const struct code_token *from,
			    const struct code_token *to, bool refused)
{
	static const char *const negations[] = { "not", "!", "!=", "!==", "ne", "!~" };
	static const char *const ands[] = { "and", "&&" };
	static const char *const compares[] = { "==", "!=", "===", "!==", "in", "<",
						">",  "<=", ">=",  "eq",  "ne" };
	bool any = false, broad = false, texts = false, compared = false, pid = false;

	if (!names_processes(c, from, to))
		return false;
	for (const struct code_token *t = from; t <= to; t++) {
		if (t == to || TOKEN_IN(t, ands)) {
			if ((texts && !broad) || (!texts && compared && !pid))
				return false; /* something else is asked as well */
			any |= broad;
			broad = texts = compared = pid = false;
			continue;
		}
		if (t->kind == TOKEN_NUMBER)
			return false;
		refused &= !TOKEN_IN(t, negations);
		compared |= TOKEN_IN(t, compares);
		pid |= t->kind == TOKEN_NAME && word_in_text(t->text, "pid $pid $$ Id Pid getpid");
		if (!(t > from && token_is(t - 1, "["))) /* info["name"] */
			broad |= names_broad(c, t, &texts);
	}
	return any && !refused;
}

/* memory_percent > 2 and name not in KEEP: whatever is big or busy, not what is called so. */
static bool only_measures(const struct code_token *from, const struct code_token *to)
{
	static const char *const measures[] = { "memory_percent", "cpu_percent", "memory_info",
						"cpu_times" };
	bool measures_it = false;

	for (const struct code_token *t = from; t < to; t++) {
		if (token_is(t, "==") ||
		    (token_is(t, "in") && !(t > from && token_is(t - 1, "not"))))
			return false;
		for (size_t i = 0; i < ARRAY_LEN(measures); i++)
			measures_it |= (t->kind == TOKEN_NAME || t->kind == TOKEN_TEXT) &&
				       str_eqz(t->text, measures[i]);
	}
	return measures_it;
}

/* getpid(), or {getpid(), getppid()} */
static bool is_own_process(const struct code_value *v)
{
	bool own = v->kind == VALUE_LIST && v->n;

	for (unsigned i = 0; own && i < v->n; i++)
		own = str_eqz(v->items[i].type, TYPE_OWN_PROCESS);
	return own || str_eqz(v->type, TYPE_OWN_PROCESS);
}

/* ---- all but a few ---- */

enum { KEPT_FEW = 8, ATOM_MAX = 24 };

bool code_are_few_names(const struct code_value *v)
{
	bool list = v->kind == VALUE_LIST && !(v->flags & VALUE_ANY);

	for (unsigned i = 0; list && i < v->n; i++)
		if (!str_eqz(v->items[i].type, TYPE_OWN_PROCESS) &&
		    (!value_is_known(&v->items[i]) || str_eqz(v->items[i].text, ".git")))
			return false;
	return list ? v->n && v->n <= KEPT_FEW : value_is_known(v) && !str_eqz(v->text, ".git");
}

/* KEEP, "a", ["a", "b"]: what begins at the token. */
static bool names_few(struct code *c, const struct code_token *t, const struct code_token *to)
{
	const struct code_value *v = t->kind == TOKEN_NAME ? code_variable(c, t->text) : NULL;
	unsigned n = 0;

	if (v)
		return code_are_few_names(v);
	if (t->kind == TOKEN_TEXT)
		return !str_eqz(t->text, ".git");
	if (t->kind != TOKEN_OPERATOR || !strchr("[({", t->text.p[0]))
		return false;
	for (t++; t < to && !(t->kind == TOKEN_OPERATOR && strchr("])}", t->text.p[0])); t++)
		if (t->kind == TOKEN_TEXT && !str_eqz(t->text, ".git"))
			n++;
		else if (!token_is(t, ","))
			return false;
	return n && n <= KEPT_FEW;
}

/* What tells names apart by less than all of them, or by something else. */
static const char parts_of_names[] = "suffix extname ext extension split slice substr type kind "
				     "status state user username owner size mode level";

/*
 * name != "x", name not in KEEP, !keep.has(name): all but what is named.  With `refused`, what
 * fits is left out: name == "x".  What follows it; or the token, when it is none.
 */
static const struct code_token *behind_exclusion(struct code *c, const struct code_token *t,
						 const struct code_token *to, bool refused)
{
	static const char *const joins[] = { "and", "or", "&&", "||", "?", ";" };
	static const char *const equals[] = { "==", "===", "eq" };
	static const char *const differs[] = { "!=", "!==", "ne", "~=" };
	static const char *const has[] = { "has",     "includes", "include?",   "contains",
					   "member?", "Contains", "containsKey" };
	const struct code_token *start = t, *end = t, *names = NULL, *from;
	bool negative = refused, parts = false;
	int depth = 0;

	while (t < to && (token_is(t, "!") || token_is(t, "not") || token_is(t, "("))) {
		negative ^= !token_is(t, "(");
		depth -= token_is(t, "(");
		t++;
	}
	for (from = end = t; end < to && end < from + ATOM_MAX; end++) {
		if (end->kind == TOKEN_OPERATOR && strchr("([{", end->text.p[0]))
			depth++;
		if (end->kind == TOKEN_OPERATOR && strchr(")]}", end->text.p[0]))
			depth--;
		if (depth <= 0 && TOKEN_IN(end, joins))
			break;
		parts |= end->kind == TOKEN_NAME && word_in_text(end->text, parts_of_names);
		if (end == from || end + 1 >= to)
			continue;
		if (TOKEN_IN(end, differs) || TOKEN_IN(end, equals)) {
			negative ^= TOKEN_IN(end, differs);
			parts |= token_is(end - 1, "]");
			names = names ?: end + 1;
		} else if (token_is(end, "in")) {
			negative ^= token_is(end - 1, "not");
			names = names ?: end + 1;
		} else if (TOKEN_IN(end, has) && token_is(end - 1, ".") && end > from + 1) {
			names = names ?: end - 2;
		} else if (token_is(end, "equals") && token_is(end - 1, ".") && end > from + 1 &&
			   end + 2 < to) {
			names = end[-2].kind == TOKEN_TEXT ? end - 2 : end + 2;
		} else if (token_is(end, ",") && token_is(from, "in_array") && depth == 1) {
			names = names ?: end + 1;
		}
	}
	if (end == from + ATOM_MAX || !names || !negative || parts)
		return start;
	return names_few(c, names, end) ? end : start;
}

/* if x in KEEP: continue; next if x == "a"; unless x == "a": what fits is left out. */
static bool is_refusal(const struct code *c, unsigned from, unsigned to)
{
	static const char *const skips[] = { "continue", "next", "return" };
	static const char *const opens[] = { ":", "{", "then", ")" };
	bool unless = from && token_is(&c->t[from - 1], "unless");

	if (from > 1 && !c->t[from - 1].line && TOKEN_IN(&c->t[from - 2], skips))
		return !unless;
	while (to < c->end && TOKEN_IN(&c->t[to], opens))
		to++;
	return unless != (to < c->end && TOKEN_IN(&c->t[to], skips));
}

bool code_chooses(struct code *c, const struct code_token *from, const struct code_token *to,
		  bool refused, struct str *ret_suffix)
{
	static const char plain[] =
		"exists isfile isdir is_file is_dir islink existsSync path fs os not lstatSync "
		"statSync isDirectory isFile File file? directory? exist? is_symlink len length "
		"err error is_link file_exists access self and or defined null None undefined "
		"True true if __name__ nil e f p pid getpid ppid getppid $$ Process process "
		"isdigit isNaN Number int isnumeric isInteger parseInt match match? test re "
		"is_numeric to_i pids info Name IsDir in user username uids getuser getuid $_ "
		"Getpid Getppid getmypid posix_getpid Pid int32 uid isAlive equals Optional "
		"readlink ProcessHandle getpwuid me "
		"my readdir shift current Id Environment ProcessId it return";
	static const char *const ends[] = { "endswith", "endsWith", "end_with?", "suffix",
					    "extname",  "fnmatch",  "match" };
	bool test = false, ending = false, negated = false, shell = false;

	if (only_measures(from, to) || chooses_broadly(c, from, to, refused))
		return false;
	for (const struct code_token *t = from; t < to; t++) {
		const struct code_token *behind;
		const struct code_value *v;
		bool known;

		if (t == from || token_is(t - 1, "and") || token_is(t - 1, "or") ||
		    token_is(t - 1, "&&") || token_is(t - 1, "||") || token_is(t - 1, "return")) {
			behind = behind_exclusion(c, t, to, refused);
			if (behind > t) {
				t = behind - 1;
				continue;
			}
		}
		behind = behind_user(from, t, to);
		if (behind > t || is_any_number(t) || is_user_pattern(t)) {
			t = behind;
			continue;
		}
		shell |= names_shell(c, t);
		if (t->kind == TOKEN_TEXT && ending && !ret_suffix->n &&
		    str_chr(t->text, '/', 0) < 0)
			*ret_suffix = t->text;
		if (t->kind == TOKEN_TEXT || t->kind == TOKEN_REGEX || t->kind == TOKEN_NUMBER)
			test = true;
		if (token_is(t, "!") || token_is(t, "not"))
			negated = true; /* what ends otherwise */
		else if (t->kind == TOKEN_OPERATOR && !token_is(t, ".") && !token_is(t, "("))
			negated = false;
		if (t->kind != TOKEN_NAME)
			continue;
		known = word_in_text(t->text, plain) ||
			(strchr("$@%", t->text.p[0]) &&
			 (t->text.n == 2 ||
			  word_in_text(str_sub(t->text, 1, t->text.n), "pid pids proc uid")));
		ending |= !negated && TOKEN_IN(t, ends);
		known |= t->text.n == 1; /* what a loop or a function is given */
		v = known ? NULL : code_variable(c, t->text);
		if (!known && !(v && (v->kind == VALUE_TEXT || is_own_process(v))))
			test = true;
	}
	return test && !shell;
}

/* A condition up to `to`. */
void code_condition(struct code *c, unsigned to)
{
	unsigned from = c->i, end = c->end;
	bool test;

	c->end = to;
	while (c->i < to) {
		unsigned at = c->i;

		(void)code_expression(c);
		if (c->i == at)
			c->i++;
	}
	c->end = end;
	test = code_chooses(c, &c->t[from], &c->t[to], is_refusal(c, from, to), &c->chosen_suffix);
	if (test && !c->chosen_level)
		c->chosen_level = max_size(c->level, 1);
	else if (!test)
		c->chosen_suffix = (struct str){ 0 };
}

/* Where a loop's or a condition's head ends: at "{", ":", "do", "then", or with its line. */
enum { HEAD_MAX = 1000 }; /* tokens */

unsigned code_head_end(const struct code *c, unsigned i)
{
	for (unsigned end = min_size(c->end, i + HEAD_MAX); i < end; i++) {
		const struct code_token *t = &c->t[i];

		if (i > c->i && t->line && has(c, SYNTAX_LINES))
			return i;
		if (token_is(t, ":") && is_language(c, CODE_PYTHON))
			return i;
		if (token_is(t, ";") ||
		    ((token_is(t, "do") || token_is(t, "then")) && !(i && token_is(t - 1, "."))))
			return i;
		if (token_is(t, "{") && is_language(c, CODE_COMPILED) && !t->space && i > c->i) {
			i = min_size(max_size(t->match, i), c->end - 1); /* []string{"a"} */
			continue;
		}
		if (token_is(t, "{") && !has(c, SYNTAX_END | SYNTAX_INDENT))
			return i;
		if (t->match > i && t->kind == TOKEN_OPERATOR)
			i = min_size(t->match, c->end - 1);
	}
	return min_size(i, c->end);
}

/* The end of the block behind a head; the cursor is at what opens it, `opener` at its keyword. */
unsigned code_block_end(struct code *c, const struct code_token *opener)
{
	unsigned i;

	if (token_is(code_at(c, 0), "{"))
		return min_size(max_size(c->t[c->i].match, c->i), c->end);
	if (has(c, SYNTAX_END)) {
		unsigned m = opener->match;

		if (token_is(code_at(c, 0), "do") && c->t[c->i].match)
			m = c->t[c->i].match;
		return m > c->i && m < c->end ? m : c->end;
	}
	if (!has(c, SYNTAX_INDENT)) {
		for (i = c->i; i < c->end && !token_is(&c->t[i], ";"); i++)
			if (c->t[i].match > i)
				i = min_size(c->t[i].match, c->end - 1);
		return i;
	}
	skip(c, ":");
	i = c->i;
	if (!code_at(c, 0)->line) { /* on the same line */
		while (i < c->end && !c->t[i].line)
			i++;
		return i;
	}
	while (i < c->end && !(c->t[i].line && c->t[i].indent <= opener->indent))
		i++;
	return i;
}
