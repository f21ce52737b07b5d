/* Shell text in the order of its running: lists, pipelines, branches, loops, functions. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

enum {
	ROUNDS_MAX = 12, /* of a loop */
	BRANCH_VALUE_MAX = 32 << 10,
	CALLS_MAX = 64, /* functions in functions */
	AGAIN_MAX = 4, /* of one function in itself, with other arguments */
};

/* ---- branches ---- */

/* A variable after one of several branches: any of the values that it has at their ends. */
static void join_value(struct run *r, struct str name, const struct binding *const *ends, size_t n)
{
	struct text t = { 0 };
	struct str one = { 0 };

	for (size_t i = 0; i < n; i++) {
		const struct binding *b = binding_find(ends[i], name);
		struct str v = b ? b->value : (struct str){ "\5", 1 };
		bool known = one.p && str_eq(one, v);

		if (known)
			continue;
		text_add(r, &t, (struct str){ one.p ? "\17" : "\16", 1 });
		text_add(r, &t, v);
		one = v;
	}
	if (t.n == one.n + 1)
		binding_set(r, &r->vars, name, one);
	else if (t.n > BRANCH_VALUE_MAX)
		binding_set(r, &r->vars, name, CUT);
	else {
		text_add(r, &t, (struct str){ "\20", 1 });
		binding_set(r, &r->vars, name, text_str(&t));
	}
}

static void join_branches(struct run *r, const struct binding *before,
			  const struct binding *const *ends, size_t n)
{
	r->vars = before;
	for (size_t i = 0; i < n; i++)
		for (const struct binding *b = ends[i]; b && b != before; b = b->next) {
			if (!run_spend(r, 2))
				return;
			if (binding_find(r->vars, b->name) == binding_find(before, b->name))
				join_value(r, b->name, ends, n);
		}
}

/* Only one of the branches runs, or none: what is made there is there for its rest alone. */
static void branch_ends(struct run *r, const struct made *made, bool stops)
{
	r->made = made;
	r->stops &= stops;
}

/* ---- nodes ---- */

static void run_list(struct run *r, const struct sh_node *n);

enum { BRANCHES_MAX = 16 };

static void run_if(struct run *r, const struct sh_node *n)
{
	const struct binding *ends[BRANCHES_MAX + 1], *before = r->vars;
	size_t nends = 0;

	for (size_t i = 0; i < n->nbodies; i++) {
		bool condition = i % 2 == 0 && i + 1 < n->nbodies, caught = r->caught;

		r->caught |= condition;
		run_list(r, n->bodies[i]);
		r->caught = caught;
		if (condition) { /* what it sets is set in all branches behind it */
			before = r->vars;
			continue;
		}
		if (nends < BRANCHES_MAX)
			ends[nends++] = r->vars;
		r->vars = before;
	}
	if (n->nbodies % 2 == 0)
		ends[nends++] = before;
	join_branches(r, before, ends, nends);
}

static void run_case(struct run *r, const struct sh_node *n)
{
	const struct binding *ends[BRANCHES_MAX + 1], *before;
	size_t nends = 0;

	for (size_t i = 0; i < n->nwords; i++)
		(void)expand_text(r, &n->words[i]);
	before = r->vars;
	for (size_t i = 0; i < n->nbodies; i++) {
		r->vars = before;
		run_list(r, n->bodies[i]);
		if (nends < BRANCHES_MAX)
			ends[nends++] = r->vars;
	}
	ends[nends++] = before;
	join_branches(r, before, ends, nends);
}

/* Something goes on in the background. */
static bool goes_on(const struct sh_node *body)
{
	for (; body; body = body->next)
		if (body->op == SH_BACKGROUND)
			return true;
	return false;
}

/* Again and again, without a pause: what another machine is asked for is a flood. */
static void see_flood(struct run *r, struct str source, size_t from)
{
	static const char *const waits[] = { "sleep",  "wait", "break",   "exit",
					     "return", "read", "timeout " };

	if (TEXT_HAS(source, waits))
		return;
	for (size_t i = from; i < r->e->n; i++)
		if ((r->e->p[i].kind == EFFECT_FETCH || r->e->p[i].kind == EFFECT_SEND) &&
		    !(r->e->p[i].places & PLACE_LOCAL_HOST)) {
			call_add(r, &(struct call){ &source, 1 },
				 (struct effect){ .kind = EFFECT_ATTACK,
						  .target = r->e->p[i].target });
			return;
		}
}

/* Mail to one after another of a list. */
static void see_mailing(struct run *r, struct str source, size_t from)
{
	static const char mailers[] = "mail mailx mutt neomutt sendmail msmtp swaks sendemail";
	struct str program, words;

	for (size_t i = from; i < r->e->n; i++) {
		words = r->e->p[i].words;
		if (r->e->p[i].kind == EFFECT_SEND && str_split(&words, ' ', &program) &&
		    word_in_text(sh_file_name(program), mailers) &&
		    (r->e->p[i].places & PLACE_UNKNOWN)) {
			call_add(r, &(struct call){ &source, 1 },
				 (struct effect){ .kind = EFFECT_ATTACK,
						  .target = r->e->p[i].target });
			return;
		}
	}
}

enum { OPTION_MAX = 40 }; /* of what precedes a value */

/* sshpass -p "$x", curl -u "admin:$x", -d "password=$x": that variable is the password. */
static bool is_password(struct str source, struct str name)
{
	static const char *const options[] = { "sshpass -p", " -u ",   " --user",  "password",
					       "passwd=",    " -U ",   " pass=",   "pwd=",
					       "PASSWORD=",  "--pass", "SSHPASS=", "login=" };

	for (size_t i = 0; i + name.n < source.n; i++) {
		size_t from = i > OPTION_MAX ? i - OPTION_MAX : 0,
		       at = i + 1 + (source.p[i + 1] == '{');
		struct str before = str_sub(source, from, i);

		if (source.p[i] != '$' || !str_starts(str_sub(source, at, source.n), name) ||
		    char_is_word(str_at(source, at + name.n)))
			continue;
		for (size_t k = before.n; k-- > 0;)
			if (strchr("\n;|&", before.p[k])) {
				before = str_sub(before, k + 1, before.n);
				break;
			}
		for (size_t k = 0; k < ARRAY_LEN(options); k++) {
			ptrdiff_t option = str_find(before, str_from(options[k]), 0);
			size_t value = (size_t)option + strlen(options[k]);

			if (option >= 0 &&
			    str_chr(str_trim(str_sub(before, value, before.n)), ' ', 0) < 0)
				return true;
		}
	}
	return false;
}

/* One password after another, to the same machine. */
static void see_guessing(struct run *r, struct str source, struct str name)
{
	static const char *const clients[] = { "sshpass",  "curl",  "wget",      "smbclient",
					       "lftp",     "ftp",   "redis-cli", "ldapsearch",
					       "xfreerdp", "mysql", "psql" };
	bool asks = false;

	for (size_t i = 0; i < ARRAY_LEN(clients); i++)
		asks |= str_find(source, str_from(clients[i]), 0) >= 0;
	if (asks && name.n && is_password(source, name) &&
	    str_find(source, STR("localhost"), 0) < 0 && str_find(source, STR("127.0.0.1"), 0) < 0)
		call_add(r, &(struct call){ &source, 1 }, (struct effect){ .kind = EFFECT_ATTACK });
}

/* `while read -r x`: the only name; of several, another one may be the machine. */
static struct str read_name(struct str source)
{
	ptrdiff_t at = str_find(source, STR("read "), 0), end = str_chr(source, '\n', 0),
		  semicolon = str_chr(source, ';', 0);
	struct str words, word, name = { 0 };

	end = end < 0 || (semicolon >= 0 && semicolon < end) ? semicolon : end;
	if (at < 0 || end < at)
		return name;
	for (words = str_sub(source, (size_t)at + 5, (size_t)end); str_split(&words, ' ', &word);) {
		if (!word.n || word.p[0] == '-')
			continue;
		if (name.n)
			return (struct str){ 0 };
		name = word;
	}
	return name;
}

static void run_while(struct run *r, const struct sh_node *n)
{
	struct str source = str_sub(r->script->text, n->at, n->end);
	const struct sh_node *head = n->nbodies > 1 ? n->bodies[0] : NULL;
	bool endless = head && !head->next && head->kind == SH_SIMPLE && head->nwords &&
		       head->words[0].n == 1 && /* `while true` */
		       word_in_text(head->words[0].p[0].text, "true : false 1");
	size_t left, from = r->e->n;

	if (endless && goes_on(n->bodies[1]))
		call_add(r, &(struct call){ &source, 1 },
			 (struct effect){ .kind = EFFECT_EXHAUST });

	for (size_t i = 0; i < ROUNDS_MAX; i++) {
		bool caught = r->caught;

		left = r->in.n;
		for (size_t k = 0; k < n->nbodies; k++) {
			r->caught = caught || k + 1 < n->nbodies;
			run_list(r, n->bodies[k]);
		}
		/* Another round only while it reads. */
		if (i == 0 && endless)
			see_flood(r, source, from);
		if (i == 0) {
			see_mailing(r, source, from);
			see_guessing(r, source, read_name(source));
		}
		if (!r->has_in || !r->in.n || r->in.n >= left || !run_spend(r, 10))
			return;
		if (i + 2 == ROUNDS_MAX)
			run_input(r, ANY);
	}
}

static void run_for(struct run *r, const struct sh_node *n)
{
	struct str source = str_sub(r->script->text, n->at, n->end);
	struct fields over = { 0 };
	struct text rest = { 0 };
	size_t from = r->e->n;

	for (size_t i = 0; i < n->nwords; i++)
		expand_word(r, &n->words[i], &over);
	if (!over.n && !n->nwords) {
		struct str part;

		for (struct str args = r->args; str_split(&args, MARK_FIELD, &part);)
			field_add(r, &over, part);
	}
	if (!over.n)
		field_add(r, &over, ANY);
	for (size_t i = 0; i < min_size(over.n, ROUNDS_MAX); i++) {
		variable_set(r, n->name, over.p[i]);
		run_list(r, n->nbodies ? n->bodies[n->nbodies - 1] : NULL);
		if (!run_spend(r, 10))
			return;
	}
	see_mailing(r, source, from);
	if (over.n > 2 || !value_known(over.p[0]))
		see_guessing(r, source, n->name);
	if (over.n <= ROUNDS_MAX)
		return;
	/* All others at once; one needs no braces. */
	if (over.n == ROUNDS_MAX + 1) {
		binding_set(r, &r->vars, n->name, over.p[ROUNDS_MAX]);
		run_list(r, n->nbodies ? n->bodies[n->nbodies - 1] : NULL);
		return;
	}
	for (size_t i = ROUNDS_MAX; i < over.n && rest.n < BRANCH_VALUE_MAX; i++) {
		text_add(r, &rest, (struct str){ i > ROUNDS_MAX ? "\17" : "\16", 1 });
		text_add(r, &rest, over.p[i]);
	}
	text_add(r, &rest, (struct str){ "\20", 1 });
	binding_set(r, &r->vars, n->name, rest.n > BRANCH_VALUE_MAX ? CUT : text_str(&rest));
	run_list(r, n->nbodies ? n->bodies[n->nbodies - 1] : NULL);
}

/* `[ -n "$x" ]`, `[[ -d $x ]]`: from here on somebody cares that it is set. */
static void see_tested(struct run *r, const struct sh_node *n)
{
	for (size_t i = 0; i < n->nwords; i++)
		for (size_t k = 0; k < n->words[i].n; k++) {
			const struct sh_piece *p = &n->words[i].p[k];

			if (p->kind == SH_VARIABLE && sh_is_name(p->text) &&
			    value_has(variable(r, p->text), MARK_UNSET))
				binding_set(r, &r->vars, p->text, ANY);
		}
}

/* What is between two words of a condition: "==", or "" for an option and its text. */
static struct str between(const struct run *r, const struct sh_node *n, size_t i)
{
	return i + 1 < n->nwords
		       ? str_trim(str_sub(r->script->text, n->words[i].end, n->words[i + 1].at))
		       : STR("");
}

/* A word of [[ ]]: arithmetic, unless it is compared as text. */
static void run_condition(struct run *r, const struct sh_node *n, size_t i)
{
	static const char *const texts[] = { "=", "==", "!=", "=~", "<", ">", NULL };
	struct str value = expand_text(r, &n->words[i]);

	if (!sh_is_among(between(r, n, i), texts) &&
	    !(i && sh_is_among(between(r, n, i - 1), texts)))
		run_arithmetic(r, value);
}

static bool is_test(const struct sh_node *n)
{
	const struct sh_word *w = n->nwords ? &n->words[0] : NULL;

	return w && w->n == 1 && (str_eqz(w->p[0].text, "[") || str_eqz(w->p[0].text, "test"));
}

/* ---- simple commands ---- */

/* A program name that is a variable with one of several values: all of them. */
static void run_words(struct run *r, const struct sh_node *n)
{
	struct fields words = { 0 };
	size_t first;

	expand_word(r, &n->words[0], &words);
	first = words.n;
	for (size_t i = 1; i < n->nwords; i++)
		expand_word(r, &n->words[i], &words);
	if (first > 1 && n->words[0].p[0].kind == SH_VARIABLE &&
	    value_has(variable(r, n->words[0].p[0].text), MARK_OPEN)) {
		for (size_t i = 0; i + 1 < first; i++) {
			struct fields one = { 0 };

			field_add(r, &one, words.p[i]);
			for (size_t k = first; k < words.n; k++)
				field_add(r, &one, words.p[k]);
			run_call(r, one.p, one.n);
		}
		words.p += first - 1;
		words.n -= first - 1;
	}
	if (words.n)
		run_call(r, words.p, words.n);
}

static void run_simple(struct run *r, const struct sh_node *n)
{
	const struct binding *vars = r->vars, *assigned;

	for (size_t i = 0; i < n->nassigns; i++)
		run_assign(r, &n->assigns[i]);
	if (!n->nwords) {
		if (n->nredirects && r->has_in) /* $(<file) */
			run_emit(r, r->in);
		return;
	}
	assigned = r->vars;
	run_words(r, n);
	for (size_t i = 0; i < n->narrays; i++)
		run_assign(r, &n->arrays[i]);
	if (is_test(n))
		see_tested(r, n);
	if (r->vars == assigned) /* before a program they count for that only */
		r->vars = vars;
}

/* exec < x: from here on. */
static bool is_lasting(const struct sh_node *n)
{
	return n->kind == SH_SIMPLE && n->nwords == 1 && n->words[0].n == 1 &&
	       str_eqz(n->words[0].p[0].text, "exec");
}

/* `((rm x))` is arithmetic in bash; to dash, which has none, it is brackets in brackets. */
static void run_as_brackets(struct run *r, const struct sh_node *n)
{
	struct str whole = r->script ? str_trim(str_sub(r->script->text, n->at, n->end)) : STR("");

	if (str_starts(whole, STR("((")) && whole.n > 4)
		(void)presume_text(r, &(struct call){ &whole, 1 }, str_sub(whole, 2, whole.n - 2),
				   true);
}

static bool goes_nowhere(const struct sh_node *n)
{
	for (size_t i = 0; i < n->nredirects; i++) {
		const struct sh_redirect *to = &n->redirects[i];

		if (to->target.n == 1 && str_eqz(to->target.p[0].text, "/dev/null") &&
		    (str_eqz(to->op, "&>") ||
		     (to->op.p[0] == '>' && (!to->fd.n || str_eqz(to->fd, "1")))))
			return true;
	}
	return false;
}

/* Where a part of the text stands in it; without one nobody knows where output goes. */
static struct str source_of(const struct run *r, size_t at, size_t end)
{
	return r->script ? str_sub(r->script->text, at, end) : STR(">&2");
}

/* Secrets that a command has read and does not show. */
static void node_settle(struct run *r, const struct sh_node *n, size_t before)
{
	static const char *const numbers[] = {
		" -eq ", " -ne ", " -lt ", " -le ", " -gt ", " -ge "
	};
	struct str source;
	bool tests = n->kind == SH_TEST || (n->kind == SH_SIMPLE && is_test(n));

	if (n->kind != SH_SIMPLE)
		r->shown = SHOWN_ALL;
	if (r->e->n == before)
		return;
	source = source_of(r, n->at, n->end);
	if (r->shown != SHOWN_ALL)
		shown_settle(r, r->shown, source, before, before);
	/* `[ -n "$(cat x)" ]` says yes or no; of what is no number an error would show it. */
	else if ((tests && !TEXT_HAS(source, numbers)) || goes_nowhere(n))
		shown_settle(r, SHOWN_NOTHING, source, before, r->e->n);
}

static void run_node(struct run *r, const struct sh_node *n)
{
	struct str in = r->in;
	struct text *out = r->out, *err = r->err;
	struct str in_file = r->in_file;
	bool has_in = r->has_in, to_file = r->to_file, caught = r->caught, stops = r->stops;
	const struct made *made = r->made;
	const struct trap *traps = r->e->state->traps;
	struct redirected to = { 0 };
	struct run inner;
	size_t before = r->e->n;

	if (!run_spend(r, 1 + n->nwords))
		return;
	r->shown = SHOWN_ALL;
	if (n->nredirects)
		redirect(r, n, &to);
	r->caught |= n->negated;
	switch (n->kind) {
	case SH_SIMPLE:
		run_simple(r, n);
		break;
	case SH_SUBSHELL:
		inner = *r;
		run_list(&inner, n->nbodies ? n->bodies[0] : NULL);
		traps_run(&inner, traps);
		break;
	case SH_GROUP:
		run_list(r, n->nbodies ? n->bodies[0] : NULL);
		break;
	case SH_IF:
		run_if(r, n);
		break;
	case SH_WHILE:
		run_while(r, n);
		break;
	case SH_FOR:
		run_for(r, n);
		break;
	case SH_CASE:
		run_case(r, n);
		break;
	case SH_FUNCTION: {
		struct binding *b = binding_add(r->a, &r->functions, n->name);

		b->body = n->nbodies ? n->bodies[0] : NULL;
		b->script = r->script;
		break;
	}
	case SH_TEST:
		for (size_t i = 0; i < n->nwords; i++)
			run_condition(r, n, i);
		see_tested(r, n);
		break;
	case SH_LET: /* (( )), and the loop whose head it is */
		for (size_t i = 0; i < n->nwords; i++)
			run_arithmetic(r, expand_text(r, &n->words[i]));
		if (!n->nbodies)
			run_as_brackets(r, n);
		for (size_t i = 0; i < n->nbodies; i++)
			run_list(r, n->bodies[i]);
		break;
	case SH_COPROC:
		inner = *r;
		inner.many = true;
		run_input(&inner, ANY); /* what is written to it later */
		run_list(&inner, n->nbodies ? n->bodies[0] : NULL);
		break;
	}
	r->caught = caught;
	if (n->kind != SH_SIMPLE && n->kind != SH_GROUP)
		branch_ends(r, made, stops);
	redirected_done(r, n, &to, n->nredirects && is_lasting(n));
	node_settle(r, n, before);
	if (n->nredirects && !is_lasting(n)) {
		r->in = in;
		r->has_in = has_in;
		r->in_file = in_file;
	}
	if (n->nredirects && is_lasting(n))
		return;
	r->out = out;
	r->err = err;
	r->to_file = to_file;
}

/* ---- pipelines and lists ---- */

/* docker login --password-stdin */
static bool takes_password(const struct sh_node *n)
{
	for (size_t i = 0; i < n->nwords; i++)
		if (n->words[i].n && str_eqz(n->words[i].p[0].text, "--password-stdin"))
			return true;
	return false;
}

static void run_pipeline(struct run *r, const struct sh_node *n, const struct sh_node *last)
{
	struct str in = r->in, in_file = r->in_file;
	bool has_in = r->has_in, simple = true;
	size_t at = n->at, before = r->e->n;

	for (;; n = n->next) {
		const struct trap *traps = r->e->state->traps;
		struct run one = *r;
		struct text out = { 0 };
		size_t own = r->e->n;

		one.in = in;
		one.has_in = has_in;
		one.in_file = in_file;
		one.many = true;
		if (n != last) {
			one.out = &out;
			one.to_file = false;
			if (r->script && n->end < n->next->at &&
			    str_find(str_sub(r->script->text, n->end, n->next->at), STR("|&"), 0) >=
				    0)
				one.err = &out;
			one.captured |= takes_password(n->next);
		}
		run_node(&one, n);
		traps_run(&one, traps);
		simple &= n->kind == SH_SIMPLE;
		if (simple)
			shown_settle(r, one.shown, source_of(r, at, n->end), before, own);
		if (n == last)
			return;
		in = text_str(&out);
		in_file = out.file;
		has_in = true;
	}
}

/* What somebody typed, that is: code means the shell that it starts. */
static void read_as_powershell(struct run *r, struct str text)
{
	if (r->e->codes == 0)
		call_code(r, &(struct call){ &text, 1 }, CODE_POWERSHELL, text);
}

static bool goes_on_with(const struct sh_node *n)
{
	return n->op == SH_AND || n->op == SH_OR;
}

/* A command, or several with && and ||, begins: what one makes is there for those behind &&. */
static void chain_begins(struct run *r, const struct sh_node *n)
{
	r->chain = ++r->e->state->chains;
	for (; n && (goes_on_with(n) || n->op == SH_PIPE); n = n->next)
		if (n->op != SH_AND)
			r->chain = 0;
}

static void run_list(struct run *r, const struct sh_node *n)
{
	const struct made *made = r->made;
	unsigned chain = r->chain;
	bool caught = r->caught, stops = r->stops, goes_on = false, several;

	if (effects_no_stack()) {
		effects_unjudged(r->e, STR("(commands in commands, too deeply)"));
		return;
	}
	while (n) {
		const struct sh_node *last = n;

		if (!goes_on) {
			chain_begins(r, n);
			made = r->made;
			stops = r->stops;
		}
		while (last->op == SH_PIPE && last->next)
			last = last->next;
		several = goes_on || goes_on_with(last);
		goes_on = goes_on_with(last);
		r->caught = caught || goes_on;
		if (r->script && windows_runs(n, last))
			read_as_powershell(r, str_trim(str_sub(r->script->text, n->at, last->end)));
		if (last != n) {
			run_pipeline(r, n, last);
		} else if (n->op == SH_BACKGROUND) {
			struct run inner = *r;

			inner.many = true;
			run_node(&inner, n);
		} else {
			run_node(r, n);
		}
		if (several && !goes_on)
			branch_ends(r, made, stops);
		n = last->next;
	}
	r->chain = chain;
	r->caught = caught;
}

bool run_repeats(struct run *r, const struct call *c, const struct frame *f)
{
	size_t again = 0;

	for (const struct frame *by = f->by; by && again < AGAIN_MAX; by = by->by)
		if (by->body == f->body && str_eq(by->text, f->text))
			again = str_eq(by->args, f->args) ? AGAIN_MAX : again + 1;
	if (again == AGAIN_MAX && r->many) /* once more, and twice at once */
		call_add(r, c, (struct effect){ .kind = EFFECT_EXHAUST });
	return again == AGAIN_MAX;
}

bool run_function(struct run *r, const struct call *c)
{
	const struct binding *b = binding_find(r->functions, c->words[0]);
	struct frame here = { r->frame, b ? b->body : NULL, { 0 }, { 0 } };
	struct str args = r->args;
	const struct sh_script *script = r->script;

	if (!b)
		return false;
	here.args = text_join(r, c->words + 1, c->n - 1, MARK_FIELD);
	if (run_repeats(r, c, &here))
		return true;
	if (++r->e->state->calls < CALLS_MAX) {
		const struct made *made = r->made;
		bool many = r->many;

		r->frame = &here;
		r->script = b->script;
		r->args = here.args;
		r->many = false;
		if (b->body)
			run_list(r, b->body);
		r->made = made; /* it may have come back before */
		r->many = many;
		r->frame = here.by;
		r->script = script;
		r->args = args;
	} else {
		effects_unjudged(r->e, STR("(functions that call each other too deeply)"));
	}
	r->e->state->calls--;
	return true;
}

struct str run_captured(struct run *r, const struct sh_script *s)
{
	const struct trap *traps = r->e->state->traps;
	struct text out = { 0 };
	struct run inner = *r;

	inner.out = &out;
	inner.captured = true;
	inner.stops = false;
	inner.script = s;
	if (run_spend(r, 4))
		run_list(&inner, s->first);
	traps_run(&inner, traps);
	return text_str(&out);
}

/* ---- texts ---- */

void run_text(struct run *r, struct str text)
{
	struct sh_script *s = ARENA_NEW(r->a, struct sh_script);
	const struct sh_script *by = r->script;
	bool ok;

	if (effects_too_deep(r->e) || !run_spend(r, 1 + text.n / 64)) {
		effects_unjudged(r->e, STR("(code in code, too deeply)"));
		return;
	}
	if (value_has(text, MARK_CUT))
		effects_unjudged(r->e, STR("(code that is too long)"));
	r->e->depth++;
	ok = sh_read(s, r->a, text);
	if (r->e->depth == 1 && windows_typed(text, ok))
		read_as_powershell(r, text);
	r->script = s;
	run_list(r, s->first);
	/* "C:\" of Windows: the backslash is meant, and no quote is. */
	if (!ok && r->e->depth == 1 && str_ends(text, STR("\\\"")))
		run_text(r, arena_printf(r->a, "%.*s\\\"", (int)text.n - 1, text.p));
	if (!ok) {
		if (s->limit)
			effects_unjudged(r->e, str_from(s->error));
		effects_add(r->e,
			    &(struct effect){ .kind = EFFECT_OPAQUE,
					      .words = value_shown(r->a, str_sub(text, 0, 200)),
					      .maybe = true });
		/* What cannot be read further: each line behind it may be a command of its own. */
		struct str rest = str_sub(text, s->error_at, text.n);
		struct str line;

		(void)str_split(&rest, '\n', &line);
		while (rest.p && str_split(&rest, '\n', &line) && run_spend(r, 4)) {
			struct sh_script *one = ARENA_NEW(r->a, struct sh_script);

			(void)sh_read(one, r->a, line);
			r->script = one;
			run_list(r, one->first);
		}
	}
	r->script = by;
	r->e->depth--;
}

void run_inner(struct run *r, struct str text)
{
	const struct trap *traps = r->e->state->traps;
	struct run inner = *r;

	inner.stops = inner.caught = false; /* of another shell */
	run_text(&inner, text);
	traps_run(&inner, traps);
}

void effects_of_shell(struct effects *e, struct str text)
{
	struct run r = { .e = e, .a = e->arena, .cwd = effects_cwd(e) };
	const struct trap *traps;

	if (!e->state)
		e->state = ARENA_NEW(e->arena, struct effects_state);
	if (e->depth == 0)
		e->state->work = 0;
	r.frame = e->state->frame;
	r.many = e->many;
	/* What reads it as a text of C ends there, and bash on its input reads on. */
	if (text.n && memchr(text.p, '\0', text.n))
		effects_unjudged(e, STR("(a NUL)"));
	for (size_t i = 0; i < text.n && e->depth == 0; i++)
		if (char_is_mark(text.p[i])) { /* they mean something else here */
			char *clean = arena_raw(e->arena, text.n);

			effects_add(e, &(struct effect){ .kind = EFFECT_OPAQUE });
			for (size_t k = 0; k < text.n; k++)
				clean[k] = char_is_mark(text.p[k]) ? MARK_ANY : text.p[k];
			text.p = clean;
			break;
		}
	traps = e->state->traps;
	run_text(&r, text);
	traps_run(&r, traps);
}
