/*
 * What may be started by a program that no table knows, or by an option that no row names.
 *
 * Its words are tried as commands where somebody could mean them so: behind "--", as the value of
 * an option, as a text with blanks, or as the words from some place on.  What does nothing grave
 * counts as text; the rest is an effect of the call.  Where the place says that a command is meant
 * ("--", -c, --exec), it surely runs; elsewhere it is presumed (effect.presumed), and a rule that
 * would deny asks.
 */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

enum {
	TRIALS_MAX = 24, /* of one judgement: each costs what running it costs */
	HEADS_MAX = 64, /* words that are looked up, of one call */
};

/* Options whose NAME=VALUE is data for somebody else. */
static const char assigning[] =
	"-var --var --set --set-string --set-literal --build-arg --env --label --annotation "
	"--annotations --metadata --tag --tags --define --arg --argjson --vars --extra-vars "
	"--parameters --parameter --overrides --secret --data --form --header --property --param";
/* Subcommands whose operands are text. */
static const char talking[] =
	"commit comment note notes say message msg search grep explain ask log issue pr remember tell "
	"describe send notify chat translate help define lookup why check lint parse classify judge "
	"audit scan validate quote escape format tokenize annotate print echo match test simulate "
	"evaluate memo todo query find docs";

/* ---- what counts ---- */

bool is_known_program(struct str word)
{
	struct str name = sh_file_name(word);

	return name.n && value_known(name) &&
	       (programs_know(name) || special_find(name) || code_knows(name));
}

/* What no text of a program is likely to do; of words without quotes only what is worst. */
static bool is_grave(const struct effect *e, bool words)
{
	const unsigned worst = PLACE_ROOT | PLACE_HOME_WHOLE | PLACE_PROJECT_WHOLE | PLACE_DEVICE;
	const unsigned lesser = PLACE_SYSTEM | PLACE_AGENT | PLACE_STARTUP | PLACE_HOME;

	switch (e->kind) {
	case EFFECT_DELETE:
	case EFFECT_MOVE:
	case EFFECT_OVERWRITE:
	case EFFECT_PERMISSIONS:
		return e->places & worst ||
		       (!(e->places & (PLACE_PROJECT | PLACE_TEMP)) &&
			((e->places & lesser && (!words || e->recursive)) ||
			 (e->places & PLACE_OUTSIDE && e->recursive) ||
			 (e->places & PLACE_UNKNOWN && e->recursive && e->forced)));
	case EFFECT_DEVICE:
	case EFFECT_EXHAUST:
	case EFFECT_ATTACK:
	case EFFECT_DATABASE:
	case EFFECT_CLOUD:
	case EFFECT_GIT_LOSS:
	case EFFECT_PUBLISH:
	case EFFECT_UNJUDGED:
		return true;
	case EFFECT_SHUTDOWN:
	case EFFECT_RUN_FETCHED:
	case EFFECT_GUARD_OFF:
	case EFFECT_PERSIST:
		return !words;
	case EFFECT_KILL:
		return !words && e->recursive;
	case EFFECT_RUN_UNSEEN:
		return !words && !e->maybe;
	case EFFECT_SEND:
		return (e->places & PLACE_SECRET) != 0;
	case EFFECT_READ:
		return !words && (e->places & PLACE_SECRET) != 0;
	case EFFECT_WRITE:
	case EFFECT_FETCH:
	case EFFECT_INSTALL:
	case EFFECT_PRIVILEGES:
	case EFFECT_CONTAINERS:
	case EFFECT_OPAQUE:
	case EFFECT_COUNT:
		break;
	}
	return false;
}

/* ---- a trial ---- */

struct trial {
	struct run *r;
	const struct call *c;
	bool sure, words; /* it surely runs; it is written without quotes */
};

/* What destroys under its own name: never left out, whatever the limits are. */
static bool is_worst(struct str name)
{
	return str_starts(name, STR("mkfs")) ||
	       word_in_text(name, "rm dd shred wipefs rmdir unlink chmod chown find git mv rsync "
				  "terraform kubectl aws psql mysql sudo sh bash");
}

static bool has_worst(struct str text)
{
	struct str word;

	while (str_split(&text, ' ', &word))
		if (is_worst(sh_file_name(str_trim(word))))
			return true;
	return false;
}

/* Runs it, and keeps what is grave. */
static bool try(const struct trial *t, const struct str *words, size_t n)
{
	struct effects *e = t->r->e;
	struct effects_state *s = e->state, kept = *s;
	struct str presumed = e->presumed;
	size_t before = e->n, to = before;
	bool opaque = e->opaque, all;
	struct run inner = *t->r;

	/* Beyond the limit a word that destroys cannot be judged any more, the rest is text. */
	if (s->trials++ >= TRIALS_MAX) {
		if (t->sure || has_worst(words[0]))
			effects_unjudged(e, call_shown(t->r, t->c));
		return false;
	}
	all = t->sure && is_known_program(words[0]);
	inner.out = NULL;
	if (!t->sure) {
		e->presumed = sh_file_name(t->c->words[0]);
		inner.has_in = false;
	}
	if (n > 1 || !value_has(words[0], ' '))
		run_call(&inner, words, n);
	else
		run_inner(&inner, words[0]);
	e->presumed = presumed;
	for (size_t i = before; i < e->n; i++)
		if (all || is_grave(&e->p[i], t->words))
			e->p[to++] = e->p[i];
	e->n = to;
	if (all)
		return to > before;
	e->opaque = opaque || (to > before && e->p[to - 1].kind == EFFECT_UNJUDGED);
	kept.work = s->work;
	kept.trials = s->trials;
	*s = kept;
	return to > before;
}

/* ---- where a command may be ---- */

struct walk {
	struct run *r;
	const struct call *c;
	bool has_rows; /* only options that say so are looked at */
	bool starts; /* ... and -c and "--", because no row fits */
	bool talks; /* a subcommand said that text follows */
	bool text_only; /* operands are text */
	size_t heads; /* words that were looked up */
};

/* The first word of a text as a shell would read it, near enough. */
static struct str head_of(struct str text)
{
	size_t i = 0, from;

	for (;;) {
		while (i < text.n && strchr(" \t\n({!;'\"\\", text.p[i]))
			i++;
		from = i;
		while (i < text.n && !strchr(" \t\n;|&<>()'\"", text.p[i]))
			i++;
		if (str_chr(str_sub(text, from, i), '=', 0) <= 0 || i >= text.n)
			return str_sub(text, from, i);
	}
}

/* "r\\m", "r''m" and what starts with a substitution may be any program. */
static bool may_be_program(struct str text)
{
	struct str head = head_of(text);
	const char *end = head.p + head.n;

	if (str_starts(head, STR("$")) || str_chr(head, '\\', 0) >= 0 || strchr("'\"\\", text.p[0]))
		return true;
	if (word_in_text(head, "if while until for case"))
		return str_find(text, STR("then"), 0) > 0 || str_find(text, STR("do"), 0) > 0 ||
		       str_find(text, STR("esac"), 0) > 0;
	return (end < text.p + text.n && strchr("'\"", *end)) || is_known_program(head);
}

/* A sentence that begins with the name of a program has a substitution only as an example. */
static struct str without_examples(struct run *r, struct str text)
{
	ptrdiff_t end = str_chr(text, '\n', 0);
	struct str *parts = ARENA_ARRAY(r->a, struct str, 1);
	struct text t = { 0 };

	if (end >= 0)
		text.n = (size_t)end;
	if (str_chr(text, '`', 0) < 0)
		return text;
	*parts = text;
	for (struct str part; str_split(parts, '`', &part);) {
		text_add(r, &t, part);
		text_add(r, &t, STR(" "));
	}
	return text_str(&t);
}

bool presume_text(struct run *r, const struct call *c, struct str text, bool sure)
{
	/* Words of English that are programs, too: what follows them may be a sentence. */
	static const char prose[] = "make find test kill set read sort cut time watch at install "
				    "split join link type help wait history command source exec "
				    "script who date head patch view look more less expect go node "
				    "which rename apply use add run start stop";
	struct trial t = { r, c, .sure = sure };

	text = str_trim(text);
	if (!text.n || (!sure && r->e->state->trials > TRIALS_MAX && !has_worst(text)))
		return false;
	if (!sure && (r->e->presumed.n || !may_be_program(text)))
		return false;
	if (!sure && word_in_text(head_of(text), prose))
		text = without_examples(r, text);
	return try(&t, &text, 1);
}

bool presume_list(struct run *r, const struct call *c, const struct fields *words, bool sure)
{
	struct trial t = { r, c, .sure = sure };

	return words->n > 1 && is_known_program(words->p[0]) && (sure || !r->e->presumed.n) &&
	       try(&t, words->p, words->n);
}

/* rm,-rf,/x of gcc -wrapper; ["rm", "-rf", "/x"] */
static bool presume_commas(struct walk *w, struct str value)
{
	struct fields words = { 0 };
	struct str one;

	for (struct str rest = value; str_split(&rest, ',', &one);) {
		while (one.n && strchr("[]\"' ", one.p[0]))
			one = str_sub(one, 1, one.n);
		while (one.n && strchr("[]\"' ", one.p[one.n - 1]))
			one.n--;
		field_add(w->r, &words, one);
	}
	return presume_list(w->r, w->c, &words, true);
}

static bool presume_value(struct walk *w, struct str value, enum says says)
{
	if (says == SAYS_TEXT || !value.n)
		return false;
	/* runner="rm -rf x" of TOML */
	if (value.n > 1 && strchr("\"'", value.p[0]) && value.p[value.n - 1] == value.p[0])
		value = str_sub(value, 1, value.n - 1);
	if (says == SAYS_START && str_chr(value, ',', 0) > 0 && presume_commas(w, value))
		return true;
	if (!value_has(value, ' ') && !value_has(value, '\t') && !value_has(value, '\n'))
		return false;
	if (presume_text(w->r, w->c, value, says == SAYS_START))
		return true;
	return !w->has_rows && presume_code(w->r, w->c, value, false);
}

/* The words from here on. */
static bool presume_rest(struct walk *w, size_t i, bool sure)
{
	static const char builtins[] =
		"cd pushd popd export declare local typeset readonly unset set "
		"shift eval source . alias trap hash type kill history true false "
		": [ test [[ wait return exit break continue read let exec jobs "
		"command builtin";
	struct str word = w->c->words[i];
	struct trial t = { w->r, w->c, sure, true };
	bool path = str_chr(word, '/', 0) >= 0 && str_find(word, STR("bin/"), 0) < 0;

	if ((!sure && i + 1 >= w->c->n) || path || !word.n || word.p[0] == '-')
		return false;
	if (w->heads++ >= HEADS_MAX && !is_worst(sh_file_name(word)))
		return false;
	if (!sure && (w->r->e->presumed.n || word_in_text(word, builtins)))
		return false;
	return is_known_program(word) && try(&t, w->c->words + i, w->c->n - i);
}

/* "-x", "--exec=rm -rf ~", "-oProxyCommand=rm -rf ~", "-c'rm -rf ~'"; true: something was found */
static bool walk_option(struct walk *w, size_t *i)
{
	struct str word = w->c->words[*i], next = *i + 1 < w->c->n ? w->c->words[*i + 1] : STR("");
	ptrdiff_t eq = str_chr(word, '=', 0), blank = str_chr(word, ' ', 0);
	enum says says;

	if (eq > 0 && (blank < 0 || eq < blank))
		return presume_value(
			w, str_sub(word, (size_t)eq + 1, word.n),
			name_says(str_sub(word, 0, (size_t)eq), w->has_rows && !w->starts));
	if (blank > 0)
		return !w->has_rows && presume_value(w, str_sub(word, 2, word.n),
						     name_says(str_sub(word, 0, 2), false));
	if (word_in_text(word, assigning) && str_chr(next, '=', 0) > 0) {
		++*i;
		return false;
	}
	says = name_says(word, w->has_rows && !w->starts);
	if (says == SAYS_START && next.n && next.p[0] != '-') {
		if (presume_value(w, next, says) || presume_rest(w, *i + 1, true))
			return true;
		*i += str_chr(next, ' ', 0) >= 0;
	} else if (says == SAYS_TEXT && str_chr(next, ' ', 0) >= 0) {
		++*i;
	}
	return false;
}

static bool walk_operand(struct walk *w, size_t i)
{
	struct str word = w->c->words[i];
	ptrdiff_t eq = str_chr(word, '=', 0);
	struct str name = str_sub(word, 0, eq < 0 ? 0 : (size_t)eq);

	if (name.n && str_chr(name, ' ', 0) < 0) {
		enum says says = name_says(name, w->has_rows);

		if ((says == SAYS_START || (!w->has_rows && !w->talks)) &&
		    presume_value(w, str_sub(word, (size_t)eq + 1, word.n), says))
			return true;
		if (says == SAYS_TEXT)
			return false;
	}
	if (w->has_rows || w->talks)
		return false;
	if (presume_value(w, word, SAYS_NOTHING) || presume_rest(w, i, false))
		return true;
	w->talks = word_in_text(word, talking);
	return false;
}

void presume_words(struct run *r, const struct call *c, bool has_rows, bool fits)
{
	struct str name = sh_file_name(c->words[0]);
	struct walk w = { .r = r, .c = c };
	bool remote = r->e->remote;

	if (c->n < 2)
		return;
	/* Of what takes text only an option that says so starts something. */
	w.text_only = takes_text(name);
	w.has_rows = has_rows || w.text_only;
	w.starts = has_rows && !fits && !w.text_only;
	/* What these start runs in a cloud, in a cluster, in an image. */
	r->e->remote |=
		programs_are_remote(name) ||
		word_in_text(name, "virt-customize virt-builder virt-sysprep guestfish packer "
				   "nerdctl buildah");
	for (size_t i = 1; i < c->n; i++) {
		struct str word = c->words[i];
		bool found;

		if ((!w.has_rows || w.starts) && str_eqz(word, "--") && i + 1 < c->n)
			found = presume_rest(&w, i + 1, true);
		else if (word.n > 1 && word.p[0] == '-')
			found = walk_option(&w, &i);
		else
			found = !w.text_only && walk_operand(&w, i);
		if (found)
			break;
	}
	r->e->remote = remote;
}
