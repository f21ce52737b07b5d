/* What a call does, wherever it happens: the effect with the words of the call. */
#include "effects/run.h"
#include "shell/calls.h"

enum { WORDS_SHOWN = 240 };

struct str call_shown(struct run *r, const struct call *c)
{
	struct text t = { 0 };

	for (size_t i = 0; i < c->n && t.n < WORDS_SHOWN; i++) {
		if (i)
			text_add(r, &t, STR(" "));
		text_add(r, &t, str_sub(c->words[i], 0, WORDS_SHOWN));
	}
	return value_shown(r->a, text_str(&t));
}

/* In what it reads, or in its words.  Headers are for one token, not for the environment. */
static bool sends_secret(struct run *r, const struct call *c)
{
	static const char *const headers[] = {
		"-H",       "--header",        "-u",           "--user", "-b",
		"--cookie", "--oauth2-bearer", "--proxy-user", NULL
	};

	if (r->has_in && value_has(r->in, MARK_SECRET))
		return true;
	/* A file that the text itself wrote a secret into: x, @x, f=@x. */
	for (size_t i = 1; i < c->n; i++) {
		struct str word = c->words[i], text;
		ptrdiff_t at = str_chr(word, '@', 0);

		if ((file_get(r, word, &text) && value_has(text, MARK_SECRET)) ||
		    (at >= 0 && file_get(r, str_sub(word, (size_t)at + 1, word.n), &text) &&
		     value_has(text, MARK_SECRET)))
			return true;
	}
	for (size_t i = 1; i < c->n; i++)
		if (value_has(c->words[i], MARK_WHOLE) ||
		    (value_has(c->words[i], MARK_SECRET) &&
		     !sh_is_among(c->words[i - 1], headers) &&
		     !str_starts(c->words[i], STR("-H")) &&
		     str_find(c->words[i], STR("Authorization"), 0) < 0))
			return true;
	return false;
}

void call_add(struct run *r, const struct call *c, struct effect effect)
{
	if (!effect.words.n)
		effect.words = call_shown(r, c);
	/* One of many: what cannot be looked at any more is not judged. */
	if (effect.kind == EFFECT_SEND && run_spend(r, c->n / 4) && sends_secret(r, c))
		effect.places |= PLACE_SECRET;
	effects_add(r->e, &effect);
}

void call_environment(struct run *r, const struct call *c)
{
	if (r->e->state->secrets && !r->out)
		call_add(r, c, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
	run_emit(r, ENVIRONMENT);
}

void call_path(struct run *r, const struct call *c, struct effect effect, struct str path)
{
	const struct binding *found = binding_find(r->e->state->found, path);

	if (!path.n)
		return;
	if (found && effect.kind == EFFECT_DELETE && str_eqz(found->value, FOUND_SOURCES))
		effect.places |= PLACE_SOURCES;
	if (found && effect.kind == EFFECT_OVERWRITE && str_eqz(found->value, FOUND_ALL))
		effect.places |= PLACE_GIT;
	effect.cloned = effect.kind == EFFECT_DELETE && is_cloned(r, path);
	if (effect.kind != EFFECT_READ && value_has(path, MARK_CUT))
		effects_unjudged(r->e, call_shown(r, c));
	if (!effect.words.n)
		effect.words = call_shown(r, c);
	effects_add_path(r->e, &effect, path, r->cwd);
}

void call_empties(struct run *r, const struct call *c, struct str path)
{
	if (!value_known(path))
		call_path(r, c, (struct effect){ .kind = EFFECT_DELETE, .places = PLACE_SOURCES },
			  path);
}
