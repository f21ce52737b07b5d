#include "agent/whole.h"

#include "base/json_pack.h"
#include "secrets/secrets.h"

/* Two texts go on from chunk to chunk: what is said, and what is thought. */
enum { SAID, THOUGHT, TEXTS };

struct whole {
	struct arena *arena;
	struct secret_window texts[TEXTS];
	const struct json *finish; /* finishReason of a chunk whose end waits; NULL = none */
	/* Of the chunk that was returned last: */
	struct json_list around;
	struct buf said;
	const struct json *said_before;
	size_t pieces; /* of what is said */
};

struct whole *whole_new(struct arena *a)
{
	struct whole *w = ARENA_NEW(a, struct whole);

	*w = (struct whole){ .arena = a };
	for (size_t i = 0; i < TEXTS; i++)
		w->texts[i].whole = true;
	return w;
}

void whole_done(struct whole *w)
{
	if (!w)
		return;
	for (size_t i = 0; i < TEXTS; i++)
		secret_window_done(&w->texts[i]);
	buf_done(&w->said);
	free(w->around.p);
}

/* ---- what is around ---- */

static void note_around(struct whole *w, struct arena *a, size_t which, const struct json *before,
			const struct json *text)
{
	const struct json *row[] = { before, text,
				     json_new_copy(a, secret_window_waiting(&w->texts[which])) };

	json_list_add(&w->around, json_new_arr(a, row, ARRAY_LEN(row)));
}

const struct json *whole_around(struct whole *w, struct arena *a)
{
	/* Hooks get the pieces of one chunk as a single text, too. */
	if (w->pieces > 1)
		note_around(w, a, SAID, w->said_before, json_new_copy(a, buf_str(&w->said)));
	return json_list_take(a, &w->around);
}

static void forget_around(struct whole *w)
{
	w->around.n = 0;
	buf_clear(&w->said);
	w->pieces = 0;
}

/* ---- pieces ---- */

/*
 * What is decided of a text, as a part: with more of it in `part`, or at its end.  A part that says
 * more than its text stays, also when all of that waits.
 */
static void give(struct whole *w, struct arena *a, size_t which, const struct json *part,
		 struct json_list *parts)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct secret_window *t = &w->texts[which];
	const struct json *before = json_new_copy(a, secret_window_before(t)), *text;

	if (part)
		secret_window_add(t, json_get_str(part, "text"), &out);
	else
		secret_window_end(t, &out);
	if (!out.n && (!part || part->n <= (which == THOUGHT ? 2u : 1u)))
		return;
	text = json_new_copy(a, buf_str(&out));
	if (!part && which == THOUGHT)
		part = json_set(a, NULL, STR("thought"), json_new_bool(a, true));
	json_list_add(parts, json_set(a, part, STR("text"), text));
	note_around(w, a, which, before, text);
	if (which != SAID)
		return;
	if (!w->pieces++)
		w->said_before = before;
	buf_adds(&w->said, buf_str(&out));
}

static void end_texts(struct whole *w, struct arena *a, struct json_list *parts)
{
	give(w, a, THOUGHT, NULL, parts);
	give(w, a, SAID, NULL, parts);
}

/* ---- chunks ---- */

/* The first candidate; members that could repeat the text (grounding, log probabilities) go. */
static const struct json *candidates_of(struct arena *a, const struct json *was,
					const struct json *parts, const struct json *finish)
{
	static const char *const kept[] = { "index", "safetyRatings", "tokenCount" };
	struct str role = json_str(json_getz(json_getz(was, "content"), "role"), STR("model"));
	const struct json *c =
		json_set(a, NULL, STR("content"), json_pack(a, "role:s parts:j", role, parts));

	if (finish)
		c = json_set(a, c, STR("finishReason"), finish);
	for (size_t i = 0; i < ARRAY_LEN(kept); i++)
		if (json_getz(was, kept[i]))
			c = json_set(a, c, str_from(kept[i]), json_getz(was, kept[i]));
	return json_new_arr(a, &c, 1);
}

const struct json *whole_take(struct whole *w, struct arena *a, const struct json *chunk)
{
	const struct json *was = json_at(json_getz(chunk, "candidates"), 0), *finish;
	const struct json *given = json_getz(json_getz(was, "content"), "parts"), *parts;
	struct json_list list = { 0 };

	forget_around(w);
	if (!was)
		return chunk;
	for (size_t i = 0; json_at(given, i); i++) {
		const struct json *part = json_at(given, i);
		bool thought = json_is_true(json_getz(part, "thought"));
		bool signs = json_getz(part, "thoughtSignature") && part->n == 1u + thought;

		if (json_is(json_getz(part, "text"), J_STR) && !json_getz(part, "functionCall")) {
			give(w, a, thought ? THOUGHT : SAID, part, &list);
		} else {
			/* What only signs ends no text. */
			if (!signs)
				end_texts(w, a, &list);
			json_list_add(&list, part);
		}
	}
	finish = json_getz(was, "finishReason");
	/* What ends the answer comes with its last word; a reason against it stays one. */
	if (finish && (secret_window_waiting(&w->texts[SAID]).n ||
		       secret_window_waiting(&w->texts[THOUGHT]).n)) {
		if (!w->finish || str_eqz(json_str(w->finish, STR("")), "STOP"))
			w->finish = json_dup(w->arena, finish);
		finish = NULL;
	}
	parts = json_list_take(a, &list);
	if (json_at(given, 0) && !parts->n && !finish && !json_getz(chunk, "usageMetadata") &&
	    !json_getz(chunk, "promptFeedback"))
		return NULL;
	return json_set(a, chunk, STR("candidates"), candidates_of(a, was, parts, finish));
}

const struct json *whole_rest(struct whole *w, struct arena *a)
{
	struct json_list list = { 0 };
	const struct json *finish = w->finish, *parts;

	forget_around(w);
	w->finish = NULL;
	end_texts(w, a, &list);
	parts = json_list_take(a, &list);
	if (!parts->n && !finish)
		return NULL;
	return json_set(a, NULL, STR("candidates"), candidates_of(a, NULL, parts, finish));
}
