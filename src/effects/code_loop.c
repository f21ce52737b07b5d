/* Loops, and the "for" and "if" that follow a statement. */
#include "base/words.h"
#include "effects/code_reader.h"

static bool never_ends(const struct code *c, unsigned from, unsigned to)
{
	while (from < to && token_is(&c->t[from], "("))
		from++;
	if (from >= to)
		return true;
	if (from + 1 < to && !token_is(&c->t[from + 1], ")"))
		return false;
	return token_is(&c->t[from], "True") || token_is(&c->t[from], "true") ||
	       token_is(&c->t[from], "TRUE") ||
	       (c->t[from].kind == TOKEN_NUMBER && !str_eqz(c->t[from].text, "0"));
}

/* `except OSError: break`: when something goes wrong; *ret_full: there is no more of it. */
static bool is_of_failure(const struct code_token *from, const struct code_token *t, bool *ret_full)
{
	static const char *const words[] = { "except", "rescue", "catch" };
	unsigned indent = t->line ? t->indent : ~0u;

	*ret_full = false;
	for (unsigned i = 0; i < 16 && t > from; i++) {
		t--;
		*ret_full |= token_is(t, "OSError") || token_is(t, "IOError") ||
			     token_is(t, "MemoryError") || token_is(t, "NoMemoryError") ||
			     token_is(t, "ENOSPC");
		if (TOKEN_IN(t, words))
			return !t->line || indent > t->indent; /* in its block */
		if (t->line)
			indent = min_size(indent, t->indent);
	}
	return false;
}

struct code_pauses code_waits(const struct code_token *from, const struct code_token *to)
{
	static const char *const sleeps[] = { "sleep", "Sleep", "After", "usleep" };
	static const char *const waits[] = { "accept", "wait",   "waitpid", "recv",
					     "input",  "select", "Accept",  "yield" };
	static const char *const ends[] = { "break", "exit",  "_exit", "return",
					    "last",  "raise", "die",   "throw" };
	/* These may wait, too, but not of what they send to another machine. */
	static const char *const reads[] = { "read", "get", "join", "poll" };
	bool full = false, input = false;
	struct code_pauses p = { 0 };
	const struct code_token *inner = NULL; /* a loop in it, that a "break" may be of */

	for (const struct code_token *t = from; t < to; t++) {
		if (t->line && inner && t->indent <= inner->indent)
			inner = NULL;
		if (t->line && t > from && t->indent &&
		    (token_is(t, "while") || token_is(t, "for")) && !inner)
			inner = t;
		p.waits |= TOKEN_IN(t, sleeps);
		p.ends |= TOKEN_IN(t, waits);
		for (size_t k = 0; k < ARRAY_LEN(ends); k++) {
			bool of_space = false;
			bool fails = t > from && (token_is(t - 1, "or") || token_is(t - 1, "||"));

			if (!token_is(t, ends[k]) || fails) /* open(...) or last */
				continue;
			if (inner && (token_is(t, "break") || token_is(t, "last")))
				continue;
			/* What fails ends it: no memory is filled, but others are asked on. */
			if (!is_of_failure(from, t, &of_space))
				p.ends = true;
			else
				p.reads |= !of_space;
			full |= of_space;
		}
		/* not: path.join(x, y) */
		p.reads |= TOKEN_IN(t, reads) && t + 2 < to && token_is(t + 2, ")");
		input |= token_is(t, "read") || token_is(t, "readline") || token_is(t, "get");
	}
	p.reads |= full && input; /* os.read(fd, 1024) of what has ended */
	p.waits |= p.ends;
	return p;
}

/* A loop without end, or with one that is far, that does not wait for anything. */
static void run_on(struct code *c, unsigned to, bool endless)
{
	bool was = c->forever, hammers = c->hammers, again = c->endless, fills = c->fills;
	struct code_pauses p = code_waits(&c->t[c->i], &c->t[to]);

	c->forever = endless && !p.waits && !p.reads;
	c->forever |= was && endless; /* what ends in it begins again */
	c->hammers = !p.waits;
	c->endless |= endless;
	c->fills |= endless && !p.ends && !p.reads;
	code_run_range(c, to);
	c->endless = again;
	c->fills = fills;
	c->forever = was;
	c->hammers = hammers;
}

/* while time.time() < end, while not stop.is_set(), while self.running: until somebody says so */
static bool goes_on(const struct code *c, unsigned from, unsigned to)
{
	static const char *const clocks[] = { "time", "monotonic",     "perf_counter", "microtime",
					      "now",  "clock_gettime", "timestamp" };
	static const char *const states[] = { "is_set",   "running", "_running", "alive",
					      "active",   "stop",    "stopped",  "attacking",
					      "shutdown", "$running" };
	bool compares = false, clock = false, state = false;

	for (unsigned i = from; i < to; i++) {
		compares |= token_is(&c->t[i], "<") || token_is(&c->t[i], ">") ||
			    token_is(&c->t[i], "<=") || token_is(&c->t[i], ">=");
		for (size_t k = 0; k < ARRAY_LEN(clocks); k++)
			clock |= token_is(&c->t[i], clocks[k]);
		for (size_t k = 0; k < ARRAY_LEN(states); k++)
			state |= token_is(&c->t[i], states[k]);
	}
	return (compares && clock) || (!compares && state);
}

static void in_loop(struct code *c, unsigned end)
{
	if (c->loop_level)
		return;
	c->loop_level = max_size(c->level, 1);
	c->loop_end = end;
}

/* while (<$handle>): the line is in $_ */
static void read_line(struct code *c, unsigned from, unsigned to)
{
	const struct code_value *handle;

	from += token_is(&c->t[from], "(");
	if (!is_language(c, CODE_PERL) || from + 2 >= to || !token_is(&c->t[from], "<") ||
	    !token_is(&c->t[from + 2], ">"))
		return;
	handle = code_variable(c, c->t[from + 1].text);
	if (handle && (handle->flags & VALUE_WALKED))
		code_set(c, STR("$_"), *handle);
	else if (handle && (handle->flags & VALUE_TAINTS))
		code_set(c, STR("$_"), value_unknown(handle->flags));
}

void code_loop_while(struct code *c, const struct code_token *opener)
{
	unsigned from = c->i, to = code_head_end(c, c->i);
	bool forever = never_ends(c, from, to) && !token_is(opener, "until");

	if (token_is(code_at(c, 0), "(") && !has(c, SYNTAX_INDENT | SYNTAX_END) && c->t[c->i].match)
		to = min_size(c->t[c->i].match + 1, c->end);
	forever = forever || (never_ends(c, from, to) && !token_is(opener, "until"));
	if (!forever) {
		bool on = goes_on(c, from, to);

		code_condition(c, to);
		read_line(c, from, to);
		in_loop(c, max_size(code_block_end(c, opener), c->i));
		if (on)
			run_on(c, max_size(code_block_end(c, opener), c->i), false);
		return;
	}
	c->i = to;
	run_on(c, code_block_end(c, opener), true);
}

/* ---- loops over lists ---- */

/* What a loop gives its values to. */
struct loop {
	unsigned from, to; /* the names; none: $_ */
	bool indexed; /* Go: the first of two names counts */
};

static void bind_item(struct code *c, const struct loop *l, struct code_value v)
{
	unsigned last = l->to;

	if (l->from == l->to) {
		code_set(c, STR("$_"), v);
		return;
	}
	if (!is_language(c, CODE_COMPILED) && !has(c, SYNTAX_SIGILS | SYNTAX_LONG_BRACKETS)) {
		code_bind(c, l->from, l->to, v);
		return;
	}
	if (strchr(")]}", c->t[l->to - 1].text.p[0]) && c->t[l->to - 1].kind == TOKEN_OPERATOR) {
		code_bind(c, l->from, l->to, v);
		return;
	}
	/* The last name is of the item; before it, an index, a key, a type. */
	while (last > l->from && c->t[last - 1].kind != TOKEN_NAME)
		last--;
	if (last == l->from)
		return;
	for (unsigned i = l->from; i + 1 < last && !is_language(c, CODE_COMPILED); i++)
		if (c->t[i].kind == TOKEN_NAME)
			code_set(c, c->t[i].text,
				 v.key.n ? value_text(v.key) : value_unknown(v.flags));
	if (l->indexed && last == l->from + 1)
		v = value_unknown(v.flags);
	code_set(c, c->t[last - 1].text, v);
}

/*
 * The body, from the cursor on, for each item of a list that is known, and short enough; false: it
 * is still to be read, once for all.
 */
static bool run_items(struct code *c, const struct loop *l, struct code_value over, unsigned to)
{
	unsigned from = c->i, level = c->level, loop = c->loop, round = c->round;
	bool known = over.kind == VALUE_LIST && !(over.flags & VALUE_ANY);

	if (!known || over.n <= 1 || over.n > CODE_LOOP_MAX || c->nesting + 2 >= CODE_NESTING_MAX ||
	    c->budget <= over.n * (to - from + 8)) {
		bind_item(c, l, value_element(c->e->arena, &over));
		if (over.kind != VALUE_LIST || (over.flags & (VALUE_ANY | VALUE_MANY)))
			in_loop(c, to);
		return false;
	}
	c->loop = ++c->block;
	for (unsigned i = 0; i < over.n; i++) {
		struct code_value item = over.items[i];

		if (item.kind == VALUE_TEXT)
			item.flags |= VALUE_ITEM, item.n = over.n;
		bind_item(c, l, item);
		c->budget -= min_size(c->budget, to - from + 8);
		c->i = from;
		c->level = level;
		c->round = ++c->block;
		code_run_range(c, to);
	}
	c->loop = loop;
	c->round = round;
	return true;
}

/* Where the body ends that begins at the cursor. */
static unsigned body_end(struct code *c, const struct code_token *opener)
{
	unsigned from = c->i, end;

	if (has(c, SYNTAX_LINES) && !has(c, SYNTAX_INDENT | SYNTAX_END) &&
	    !token_is(code_at(c, 0), "{")) {
		for (end = from + 1; end < c->end && !c->t[end].line; end++)
			if (token_is(&c->t[end], ";") && !token_is(&c->t[end + 1], "else"))
				break;
			else if (c->t[end].match > end)
				end = min_size(c->t[end].match, c->end - 1);
		return min_size(end, c->end);
	}
	end = code_block_end(c, opener);
	return max_size(end, c->i);
}

/* PASSWORDS, open("rockyou.txt"): words that somebody lets himself in with. */
static bool names_passwords(const struct code *c, unsigned from, unsigned to)
{
	static const char *const words[] = { "passw", "wordlist", "rockyou", "credential",
					     "creds", "pwd",      "common",  "pins" };

	for (unsigned i = from; i < to; i++)
		for (size_t k = 0; k < ARRAY_LEN(words); k++)
			if ((c->t[i].kind == TOKEN_NAME || c->t[i].kind == TOKEN_TEXT) &&
			    str_find_icase(c->t[i].text, str_from(words[k]), 0) >= 0)
				return true;
	return false;
}

/* x in a, b: all of what is named. */
static struct code_value over_what(struct code *c, const struct loop *l)
{
	struct code_value items[CODE_LOOP_MAX], v;
	unsigned from = c->i;
	size_t n = 0;
	bool tried;

	do
		items[n++] = code_expression(c);
	while (n < ARRAY_LEN(items) && skip(c, ","));
	v = n == 1 ? items[0] : value_list(c->e->arena, items, n);
	if (str_eqz(v.type, "Map") && is_language(c, CODE_JAVASCRIPT))
		v = value_pairs(c->e->arena, &v);
	tried = names_passwords(c, from, c->i);
	for (unsigned i = l->from; i < l->to && !tried; i++) /* for pw in ... */
		tried = c->t[i].kind == TOKEN_NAME &&
			word_in_text(c->t[i].text,
				     "pw passwd password pwd passphrase $pw $password");
	return tried ? value_with(c->e->arena, v, VALUE_TRIED, 3) : v;
}

/* for name in names: for password in (...): the same few words for whoever is named. */
static bool sprays(const struct code *c, const struct loop *l)
{
	for (unsigned i = l->from; c->loop_level && i < l->to; i++)
		if (c->t[i].kind == TOKEN_NAME &&
		    str_find_icase(c->t[i].text, STR("passw"), 0) >= 0)
			return true;
	return false;
}

/* Which word comes between the names and what is walked through: 0, or where it is. */
static unsigned loop_word(const struct code *c, unsigned from, unsigned to, bool *ret_semicolon)
{
	unsigned word = 0;

	for (unsigned i = from; i < to; i++) {
		const struct code_token *t = &c->t[i];

		if (t->match > i) {
			i = t->match;
			continue;
		}
		*ret_semicolon |= token_is(t, ";");
		if (!word &&
		    (token_is(t, "in") || token_is(t, "of") || token_is(t, "as") ||
		     (is_language(c, CODE_COMPILED) && (token_is(t, "range") || token_is(t, ":")))))
			word = i;
	}
	return word;
}

/* for (i = 1; i < 255; i++): one number after another */
static void count(struct code *c, unsigned from, unsigned to)
{
	while (from < to && !token_is(&c->t[from], "=") && !token_is(&c->t[from], ":=") &&
	       !token_is(&c->t[from], ";"))
		from++;
	if (from < to && !token_is(&c->t[from], ";") && c->t[from - 1].kind == TOKEN_NAME)
		code_set(c, c->t[from - 1].text, value_unknown(VALUE_TRIED));
}

/* itertools.cycle(x), itertools.count(): there is always one more */
static bool is_endless(const struct code *c, unsigned from, unsigned to)
{
	const struct code_value *v;

	for (unsigned i = from; i + 1 < to; i++) {
		if (c->t[i].kind != TOKEN_NAME || !token_is(&c->t[i + 1], "("))
			continue;
		v = code_variable((struct code *)c, c->t[i].text);
		if ((i > from + 1 && token_is(&c->t[i - 2], "itertools")) ||
		    (v && v->kind == VALUE_NAME && str_starts(v->type, STR("itertools."))))
			if (token_is(&c->t[i], "cycle") || token_is(&c->t[i], "count") ||
			    (token_is(&c->t[i], "repeat") && c->t[i + 1].match == i + 3))
				return true;
	}
	return false;
}

unsigned code_times(struct code *c, unsigned names_from, unsigned names_to, unsigned from,
		    unsigned to, unsigned body, unsigned end)
{
	int64_t most = 1, n;

	for (unsigned i = from; i < to; i++) {
		const struct code_value *v =
			c->t[i].kind == TOKEN_NAME ? code_variable(c, c->t[i].text) : NULL;
		struct code_value number = value_text(c->t[i].text);

		if (c->t[i].kind == TOKEN_NUMBER)
			v = &number;
		if (v && v->kind == VALUE_TEXT && value_int(v, &n) && n > most)
			most = n;
	}
	for (unsigned i = body; i < end && most > 1; i++) {
		const struct code_token *t = &c->t[i];
		bool holed = t->kind == TOKEN_TEXT && t->parts != PARTS_NONE; /* f"{x}" */

		for (unsigned k = names_from; k < names_to; k++)
			if (c->t[k].kind == TOKEN_NAME &&
			    (holed ? str_find(t->text, c->t[k].text, 0) >= 0
				   : t->kind == TOKEN_NAME && str_eq(t->text, c->t[k].text)))
				most = 1;
	}
	if (most == 1 || code_waits(&c->t[body], &c->t[end]).waits)
		return c->times;
	return (unsigned)min_size((size_t)c->times * (size_t)most, CODE_TIMES_MAX);
}

/* The body of a loop: as often as that, when it does the same each time. */
static void run_times(struct code *c, const struct code_token *opener, unsigned times,
		      const struct loop *l, struct code_value over)
{
	unsigned was = c->times, to;
	bool counted = times > was;

	if (!counted && !l)
		return;
	to = body_end(c, opener);
	c->times = times;
	if (l && run_items(c, l, over, to))
		counted = false;
	if (counted)
		code_run_range(c, to);
	c->times = was;
}

/* for x in self: what its class says that it gives */
static struct code_value iterated(struct code *c, unsigned at, struct code_value v)
{
	const struct code_value *f = code_variable(c, STR("__iter__"));
	struct code_args none = { .at = c->t[at].at, .end = c->t[at].end };

	return token_is(&c->t[at], "self") && token_is(&c->t[at + 1], ":") && f &&
			       value_functions(f)
		       ? code_call(c, *f, &v, &none)
		       : v;
}

/* for (a of b), for a in b, foreach (a as b), for my $a (b), for (;;) */
void code_loop_for(struct code *c, const struct code_token *opener)
{
	unsigned from, to, word, end = c->end, after;
	struct code_value v = value_unknown(0);
	struct loop l = { 0 };
	bool semicolon = false, as, over = true;

	skip(c, "await");
	while (token_is(code_at(c, 0), "my") || token_is(code_at(c, 0), "our"))
		c->i++;
	from = c->i;
	to = code_head_end(c, c->i);
	after = to;
	if (is_language(c, CODE_PERL) && code_at(c, 0)->kind == TOKEN_NAME &&
	    token_is(code_at(c, 1), "(")) {
		c->i++;
		l = (struct loop){ from, from + 1, false };
		v = code_assignable(c, 8);
		run_times(c, opener,
			  code_times(c, l.from, l.to, from, to, c->i, body_end(c, opener)), &l, v);
		return;
	}
	if (token_is(code_at(c, 0), "(") && !has(c, SYNTAX_INDENT | SYNTAX_END) &&
	    c->t[c->i].match && !token_is(&c->t[c->t[c->i].match + 1], "in")) {
		to = min_size(c->t[c->i].match, end);
		after = min_size(to + 1, end);
		from++;
	}
	word = loop_word(c, from, to, &semicolon);
	as = word && token_is(&c->t[word], "as");
	if (!word &&
	    ((semicolon && to - from == 2) || (to == from && is_language(c, CODE_COMPILED)))) {
		c->i = after;
		run_on(c, code_block_end(c, opener), true);
		return;
	}
	/* Go has no parentheses around its three parts. */
	semicolon |= is_language(c, CODE_COMPILED) && to < end && token_is(&c->t[to], ";");
	c->end = to;
	if (word) {
		l = as ? (struct loop){ word + 1, to, false }
		       : (struct loop){ from, word, token_is(&c->t[word], "range") };
		c->i = as ? from : word + 1;
		c->end = as ? word : to;
		v = over_what(c, &l);
		if (sprays(c, &l))
			v = value_with(c->e->arena, v, VALUE_TRIED, 3);
		if (is_language(c, CODE_PYTHON))
			v = iterated(c, word + 1, v);
		if (is_language(c, CODE_PYTHON) || is_language(c, CODE_JULIA) ||
		    (is_language(c, CODE_COMPILED) && !token_is(&c->t[word], "range")) ||
		    (is_language(c, CODE_JAVASCRIPT) && token_is(&c->t[word], "in")))
			v = code_walked_keys(c, &v);
	} else {
		over = is_language(c, CODE_PERL) && !semicolon;
		c->i = from;
		while (c->i < to) {
			unsigned at = c->i;

			v = over ? over_what(c, &l) : code_expression(c);
			if (c->i == at)
				c->i++;
		}
		if (semicolon)
			count(c, from, to);
	}
	c->end = end;
	c->i = after;
	if (word && is_endless(c, word + 1, to)) {
		bind_item(c, &l, value_element(c->e->arena, &v));
		run_on(c, code_block_end(c, opener), true);
		return;
	}
	run_times(c, opener, code_times(c, l.from, l.to, from, to, c->i, body_end(c, opener)),
		  over ? &l : NULL, v);
}

/* ---- behind a statement ---- */

/* `statement if condition`, `statement for list`: 0, or where that word is. */
static unsigned modifier(const struct code *c, unsigned *ret_end)
{
	unsigned word = 0, block = 0, i;

	for (i = c->i; i < c->end; i++) {
		const struct code_token *t = &c->t[i];

		if (token_is(t, ";") || token_is(t, "}") ||
		    (i > c->i && t->line && has(c, SYNTAX_LINES)))
			break;
		if (i > c->i && !word && t->kind == TOKEN_NAME &&
		    (token_is(t, "if") || token_is(t, "unless") || token_is(t, "for") ||
		     token_is(t, "foreach") || token_is(t, "while") || token_is(t, "until")) &&
		    !t->match && !token_is(&c->t[i - 1], "->") && !token_is(&c->t[i - 1], "{") &&
		    !token_is(&c->t[i - 1], ".")) /* File.foreach */
			word = i;
		if (!block && token_is(t, "{"))
			block = i;
		if (t->match > i)
			i = min_size(t->match, c->end - 1);
	}
	*ret_end = !word && block ? block : i; /* statements in a block may have their own */
	return word;
}

bool code_modified(struct code *c)
{
	unsigned end, at = c->i, word, whole = c->end;
	bool forever = c->forever, done = false;
	struct code_value v;

	if (!has(c, SYNTAX_KNOWN_BARE_CALLS | SYNTAX_BARE_CALLS) || is_language(c, CODE_PHP))
		return false;
	if (c->plain > &c->t[c->i] && c->plain <= &c->t[c->end])
		return false; /* seen before */
	word = modifier(c, &end);
	if (!word)
		c->plain = &c->t[end];
	if (!word || c->nesting >= CODE_NESTING_MAX)
		return false;
	c->end = end;
	c->i = word + 1;
	if (token_is(&c->t[word], "for") || token_is(&c->t[word], "foreach")) {
		v = over_what(c, &(struct loop){ 0 });
		c->i = at;
		c->plain = &c->t[word];
		done = run_items(c, &(struct loop){ 0 }, v, word);
	} else {
		bool loop = token_is(&c->t[word], "while");

		c->forever |=
			loop && (never_ends(c, word + 1, end) || token_is(&c->t[word + 1], "fork"));
		code_condition(c, end);
	}
	c->i = at;
	c->plain = &c->t[word];
	if (!done) {
		bool deeper = c->chosen_level > c->level; /* as in a block of its own */

		c->level += deeper;
		code_run_range(c, word);
		c->level -= deeper;
	}
	c->forever = forever;
	c->end = whole;
	c->i = end;
	return true;
}
