/* The words of a call as options and operands. */
#include "base/words.h"

#include "effects/run.h"

static bool takes_value(const char *valued, struct str name)
{
	return valued && word_in_text(name, valued);
}

static void add_option(struct run *r, struct args *a, struct option o)
{
	if (a->noptions == OPTIONS_MAX) {
		effects_unjudged(r->e, STR("(too many options)"));
		return;
	}
	ARENA_ROOM(r->a, a->options, a->noptions, a->cap);
	a->options[a->noptions++] = o;
}

/* -abc, where one of them may take the rest as its value. */
static bool read_bundle(struct run *r, struct args *a, struct str word, size_t at,
			const char *valued)
{
	for (size_t i = 1; i < word.n; i++) {
		char z[2] = { '-', word.p[i] };
		struct option o = { .name = { word.p + i - 1, 2 }, .at = at };

		/* The name of a bundled letter lies in the word only for the first one. */
		if (i > 1) {
			static const char letters[] =
				"-a-b-c-d-e-f-g-h-i-j-k-l-m-n-o-p-q-r-s-t-u-v-w-x-y-z"
				"-A-B-C-D-E-F-G-H-I-J-K-L-M-N-O-P-Q-R-S-T-U-V-W-X-Y-Z"
				"-0-1-2-3-4-5-6-7-8-9";
			ptrdiff_t k = str_chr(STR("abcdefghijklmnopqrstuvwxyz"
						  "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"),
					      word.p[i], 0);

			if (k < 0)
				continue;
			o.name = (struct str){ letters + 2 * k, 2 };
		}
		if (takes_value(valued, (struct str){ z, 2 })) {
			o.has_value = i + 1 < word.n;
			o.value = str_sub(word, i + 1, word.n);
			if (str_starts(o.value, STR("=")))
				o.value = str_sub(o.value, 1, o.value.n);
			add_option(r, a, o);
			return !o.has_value;
		}
		if (i + 1 < word.n &&
		    takes_value(valued, (struct str){ (char[]){ '-', word.p[i], '?' }, 3 })) {
			o.value = str_sub(word, i + 1, word.n);
			o.has_value = true;
			add_option(r, a, o);
			return false;
		}
		add_option(r, a, o);
	}
	return false;
}

enum { OPTIONS_LEFT = 16 }; /* of a call that is not judged any more */

void args_read(struct run *r, struct args *a, const struct call *c, const char *valued)
{
	bool only_operands = false;

	a->noptions = a->noperands = a->subcommands = 0;
	a->cap = 2 * c->n;
	a->options = ARENA_ARRAY(r->a, struct option, a->cap);
	a->operands = ARENA_ARRAY(r->a, struct str, c->n);
	a->at = ARENA_ARRAY(r->a, size_t, c->n);
	a->after = SIZE_MAX;
	a->words = valued && valued[0] == '=';
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		bool wants = false;
		ptrdiff_t eq;

		if (only_operands || w.n < 2 || w.p[0] != '-') {
			a->at[a->noperands] = i;
			a->operands[a->noperands++] = w;
			continue;
		}
		if (w.n == 2 && w.p[1] == '-') {
			only_operands = true;
			a->after = a->noperands;
			continue;
		}
		eq = str_chr(w, '=', 0);
		if (w.p[1] != '-' && !a->words) {
			wants = read_bundle(r, a, w, i, valued);
		} else {
			struct str name = str_sub(w, 0, eq < 0 ? w.n : (size_t)eq);

			add_option(
				r, a,
				(struct option){ .name = name,
						 .value = eq < 0 ? STR("")
								 : str_sub(w, (size_t)eq + 1, w.n),
						 .has_value = eq >= 0,
						 .at = i });
			wants = eq < 0 && takes_value(valued, name);
		}
		if (wants && i + 1 < c->n && a->noptions) {
			a->options[a->noptions - 1].value = c->words[++i];
			a->options[a->noptions - 1].has_value = true;
		}
	}
	/* What is asked of each operand looks through all options. */
	if (!run_spend(r, a->noptions * a->noperands / 16))
		a->noptions = min_size(a->noptions, OPTIONS_LEFT);
}

const char *program_valued(struct str name)
{
	for (size_t lo = 0, hi = nprogram_options; lo < hi;) {
		size_t mid = (lo + hi) / 2;
		struct str row = str_from(program_options[mid].name);
		int order = str_cmp(row, name);

		if (order == 0)
			return program_options[mid].valued;
		if (order < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return NULL;
}

void args_of(struct run *r, struct args *a, const struct call *c, struct str name)
{
	args_read(r, a, c, program_valued(name));
}

/* Does an option as written mean this name?  Long ones may be shortened. */
bool option_fits(const struct args *a, struct str written, struct str name)
{
	if (str_eq(written, name))
		return true;
	if (a->words || name.n < 4 || name.p[1] != '-')
		return false;
	return written.n > 3 && written.p[1] == '-' && str_starts(name, written);
}

const struct option *args_option(const struct args *a, const char *names)
{
	struct str one;

	for (struct str rest = str_from(names); str_split(&rest, '|', &one);)
		for (size_t i = 0; i < a->noptions; i++)
			if (option_fits(a, a->options[i].name, one))
				return &a->options[i];
	return NULL;
}

bool call_has(const struct call *c, const char *words)
{
	for (size_t i = 1; i < c->n; i++)
		if (word_in_text(c->words[i], words))
			return true;
	return false;
}

/* An option of that name which has a value says which version, and asks for nothing. */
bool args_ask_for_help(const struct args *a)
{
	for (size_t i = 0; i < a->noptions; i++)
		if (!a->options[i].has_value &&
		    (str_eqz(a->options[i].name, "--help") ||
		     (a->words && str_eqz(a->options[i].name, "-help")) ||
		     str_eqz(a->options[i].name, "--version")))
			return true;
	return false;
}
