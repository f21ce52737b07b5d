/* Responses in the form of the Stable Model API, and what hooks change in them. */
#include "base/json_pack.h"
#include "hooks/messages.h"
#include "model/stable_impl.h"

static const char *const counts[] = { "promptTokenCount", "candidatesTokenCount", "totalTokenCount",
				      NULL };

static const struct json *candidates_of(const struct json *response)
{
	return json_getz(response, "candidates");
}

static const struct json *parts_of(const struct json *candidate)
{
	return json_getz(json_getz(candidate, "content"), "parts");
}

static const struct json *new_candidate(struct arena *a, const struct json *parts)
{
	const struct json *c;

	c = json_set(a, NULL, STR("role"), json_new_str(a, STR("model")));
	c = json_set(a, c, STR("parts"), parts);
	return json_set(a, NULL, STR("content"), c);
}

/* The members of from that have this type and one of these names, over those of obj. */
static const struct json *pick(struct arena *a, const struct json *obj, const struct json *from,
			       enum json_type type, const char *const *names)
{
	for (size_t i = 0; names[i]; i++) {
		const struct json *v = json_getz(from, names[i]);

		if (json_is(v, type))
			obj = json_set(a, obj, str_from(names[i]), v);
	}
	return obj;
}

/* What a hook is shown of a candidate: a text or a call for each string. */
static void shown_pieces(struct arena *a, const struct json *candidate, struct stable_list *texts,
			 struct stable_list *parts)
{
	static const char *const flags[] = { "thought", NULL };
	static const char *const words[] = { "thoughtSignature", NULL };
	const struct json *part;
	size_t calls = 0;

	for (size_t i = 0; (part = json_at(parts_of(candidate), i)); i++) {
		const struct json *call = json_getz(part, "functionCall"), *alone;
		struct str text;

		if (stable_part_text(part, &text)) {
			alone = pick(a, stable_text_part(a, text), part, J_BOOL, flags);
			*VEC_ADD(texts) = json_new_str(a, text);
			*VEC_ADD(parts) = call ? alone : pick(a, alone, part, J_STR, words);
		}
		if (!json_is(call, J_OBJ))
			continue;
		*VEC_ADD(texts) =
			json_new_str(a, message_call_line(a, ++calls, json_get_str(call, "name"),
							  json_getz(call, "args")));
		*VEC_ADD(parts) = json_without(a, part, STR("text"));
	}
}

/* The documented set; what else there is, is OTHER. */
static const struct json *known_reason(struct arena *a, const struct json *reason)
{
	static const char *const known[] = { "STOP", "MAX_TOKENS", "SAFETY", "RECITATION" };

	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_eqz(json_str(reason, STR("")), known[i]))
			return reason;
	return json_new_str(a, STR("OTHER"));
}

static const struct json *shown_candidate(struct arena *a, const struct json *candidate)
{
	static const char *const numbers[] = { "index", NULL };
	static const char *const words[] = { "category", "probability", NULL };
	static const char *const flags[] = { "blocked", NULL };
	const struct json *ratings = json_getz(candidate, "safetyRatings"), *rating;
	const struct json *reason = json_getz(candidate, "finishReason");
	struct stable_list texts = { 0 }, parts = { 0 }, list = { 0 };
	const struct json *shown;

	shown_pieces(a, candidate, &texts, &parts);
	free(parts.p);
	shown = new_candidate(a, stable_array(a, &texts));
	if (json_is(reason, J_STR))
		shown = json_set(a, shown, STR("finishReason"), known_reason(a, reason));
	shown = pick(a, shown, candidate, J_NUM, numbers);
	if (!json_is(ratings, J_ARR))
		return shown;
	for (size_t i = 0; (rating = json_at(ratings, i)); i++)
		*VEC_ADD(&list) = pick(a, pick(a, json_new_obj(a), rating, J_STR, words), rating,
				       J_BOOL, flags);
	return json_set(a, shown, STR("safetyRatings"), stable_array(a, &list));
}

/* The text of the first candidate without its thoughts; NULL when it says nothing at all. */
static const struct json *shown_text(struct arena *a, const struct json *response)
{
	AUTO(buf_done) struct buf all = { 0 };
	const struct json *parts = parts_of(json_at(candidates_of(response), 0));
	struct str text;

	for (size_t i = 0; json_at(parts, i); i++) {
		if (json_is_true(json_getz(json_at(parts, i), "thought")) ||
		    !stable_part_text(json_at(parts, i), &text))
			continue;
		buf_adds(&all, text);
	}
	return json_at(parts, 0) ? json_new_copy(a, buf_str(&all)) : NULL;
}

const struct json *stable_response(struct arena *a, const struct json *chunk)
{
	const struct json *usage = json_getz(chunk, "usageMetadata");
	const struct json *text = shown_text(a, chunk), *v = NULL;
	const struct json *candidates, *part;
	struct stable_list list = { 0 }, calls = { 0 };

	if (text)
		v = json_set(a, v, STR("text"), text);
	candidates = candidates_of(chunk);
	for (size_t i = 0; json_at(candidates, i); i++)
		*VEC_ADD(&list) = shown_candidate(a, json_at(candidates, i));
	v = json_set(a, v, STR("candidates"), stable_array(a, &list));
	/* Those of the first candidate. */
	for (size_t i = 0; (part = json_at(parts_of(json_at(candidates, 0)), i)); i++) {
		const struct json *call = json_getz(part, "functionCall");

		if (json_is(call, J_OBJ))
			*VEC_ADD(&calls) =
				json_pack(a, "?id:s name:s args:j", json_get_str(call, "id"),
					  json_get_str(call, "name"),
					  json_getz(call, "args") ? json_getz(call, "args")
								  : json_new_obj(a));
	}
	if (calls.n)
		v = json_set(a, v, STR("calls"), stable_array(a, &calls));
	if (!json_is(usage, J_OBJ))
		return v;
	return json_set(a, v, STR("usageMetadata"), pick(a, json_new_obj(a), usage, J_NUM, counts));
}

/*
 * The parts that a hook has given, as an array of strings; NULL when it gave none.  What is no text
 * is left out, and when nothing is left, nothing is what it gave: the old text does not come back.
 */
static const struct json *given_parts(struct arena *a, const struct json *candidate)
{
	const struct json *parts = parts_of(candidate);
	struct stable_list list = { 0 };
	struct str text;

	if (!json_is(parts, J_ARR))
		return NULL;
	for (size_t i = 0; i < parts->n; i++) {
		if (json_is(json_at(parts, i), J_STR))
			*VEC_ADD(&list) = json_at(parts, i);
		else if (stable_part_text(json_at(parts, i), &text))
			*VEC_ADD(&list) = json_new_str(a, text);
	}
	return stable_array(a, &list);
}

static bool same_item(struct arena *a, const struct json *shown, const struct json *given, size_t i)
{
	const struct json *was = json_at(shown, i), *is = json_at(given, i);

	return was && is && message_same_text(a, json_str(was, STR("")), json_str(is, STR("")));
}

/* The call that a string is, which is then taken; NULL when it is a text. */
static const struct json *take_call(const struct stable_list *shown, struct stable_list *parts,
				    struct str given)
{
	for (size_t i = 0; i < shown->n; i++) {
		struct str line = json_str(shown->p[i], STR(""));
		const struct json *call = parts->p[i];

		if (!json_getz(call, "functionCall") ||
		    !(str_eq(line, given) || message_is_other_call(line, given)))
			continue;
		parts->p[i] = NULL;
		return call;
	}
	return NULL;
}

/*
 * The parts that take the place of the candidate's, NULL when the hook wants those it was shown.
 * Where it gives as many, a thought stays a thought.  A call that it gives back stays, as it was.
 */
static const struct json *new_parts(struct arena *a, const struct json *candidate,
				    const struct json *wanted)
{
	const struct json *given = given_parts(a, wanted), *shown;
	struct stable_list texts = { 0 }, was = { 0 }, list = { 0 };
	bool same;

	if (!given)
		return NULL;
	shown_pieces(a, candidate, &texts, &was);
	shown = json_new_arr(a, texts.p, texts.n);
	same = shown->n == given->n;
	for (size_t i = 0; same && i < given->n; i++)
		same = same_item(a, shown, given, i);
	for (size_t i = 0; !same && i < given->n; i++) {
		const struct json *old = NULL,
				  *call = take_call(&texts, &was,
						    json_str(json_at(given, i), STR("")));

		if (i < was.n && (shown->n == given->n || same_item(a, shown, given, i)))
			old = was.p[i];
		if (call)
			*VEC_ADD(&list) = call;
		else
			*VEC_ADD(&list) = json_set(a, json_getz(old, "functionCall") ? NULL : old,
						   STR("text"), json_at(given, i));
	}
	free(texts.p);
	free(was.p);
	return same ? NULL : stable_array(a, &list);
}

/*
 * A candidate with what the hook wants; the same pointer when that is what it was shown.  Other
 * parts take away what else was said about the old ones.
 */
static const struct json *apply_candidate(struct arena *a, const struct json *candidate,
					  const struct json *wanted, const struct json *parts)
{
	static const struct {
		const char *key;
		enum json_type type;
	} members[] = {
		{ "finishReason", J_STR },
		{ "index", J_NUM },
		{ "safetyRatings", J_ARR },
	};
	const struct json *shown = shown_candidate(a, candidate), *now = candidate, *v;

	if (parts || !candidate)
		now = new_candidate(a, parts ? parts : json_new_arr(a, NULL, 0));
	for (size_t i = 0; i < ARRAY_LEN(members); i++) {
		struct str key = str_from(members[i].key);

		v = json_get(wanted, key);
		/* Not what it was shown. */
		if (!json_is(v, members[i].type) || json_equal(v, json_get(shown, key)))
			v = NULL;
		if (v && i == 0)
			v = known_reason(a, v);
		if (!v && now != candidate)
			v = json_get(candidate, key);
		if (v)
			now = json_set(a, now, key, v);
	}
	return now;
}

/* What the top-level text makes of the first candidate, NULL when it says nothing new. */
static const struct json *parts_from_text(struct arena *a, const struct json *chunk,
					  const struct json *llm_response)
{
	const struct json *given = json_getz(llm_response, "text");
	const struct json *shown = shown_text(a, chunk), *part;
	struct str text = json_str(given, STR(""));
	struct stable_list list = { 0 };

	if (!json_is(given, J_STR) ||
	    (chunk && message_same_text(a, json_str(shown, STR("")), text)))
		return NULL;
	*VEC_ADD(&list) = stable_text_part(a, text);
	/* New candidates, and none of them: then it has no calls either. */
	for (size_t i = 0; !candidates_of(llm_response) &&
			   (part = json_at(parts_of(json_at(candidates_of(chunk), 0)), i));
	     i++)
		if (json_is(json_getz(part, "functionCall"), J_OBJ))
			*VEC_ADD(&list) = json_without(a, part, STR("text"));
	return stable_array(a, &list);
}

/* NULL when nothing is new. */
static const struct json *apply_candidates(struct arena *a, const struct json *chunk,
					   const struct json *llm_response)
{
	const struct json *old = candidates_of(chunk), *wanted = candidates_of(llm_response);
	size_t old_n = json_is(old, J_ARR) ? old->n : 0;
	size_t n = json_is(wanted, J_ARR) && wanted->n ? wanted->n : max_size(old_n, 1);
	bool emptied = json_is(wanted, J_ARR) && wanted->n == 0;
	const struct json *nothing = new_candidate(a, json_new_arr(a, NULL, 0));
	struct stable_list list = { 0 };
	bool changed = n != old_n, content = false;

	for (size_t i = 0; i < n; i++) {
		const struct json *candidate = json_at(old, i);
		const struct json *given = emptied ? nothing : json_at(wanted, i), *parts = NULL;

		if (emptied && i == 0)
			parts = parts_from_text(a, chunk, llm_response);
		if (!parts)
			parts = new_parts(a, candidate, given);
		if (!parts && i == 0)
			parts = parts_from_text(a, chunk, llm_response);
		*VEC_ADD(&list) = apply_candidate(a, candidate, given, parts);
		changed |= list.p[i] != candidate;
		content |= parts != NULL;
	}
	/* Without a chunk, or where it had no candidates, only text makes an answer. */
	if (changed && (old_n || content))
		return stable_array(a, &list);
	free(list.p);
	return NULL;
}

const struct json *stable_apply_response(struct arena *a, const struct json *chunk,
					 const struct json *llm_response)
{
	const struct json *candidates = apply_candidates(a, chunk, llm_response), *v = chunk;
	const struct json *old_usage = json_getz(chunk, "usageMetadata");
	const struct json *given = json_getz(llm_response, "usageMetadata"), *usage = old_usage;

	for (size_t i = 0; i < ARRAY_LEN(counts) - 1; i++)
		if (json_is(json_getz(given, counts[i]), J_NUM))
			usage = stable_set(a, usage, str_from(counts[i]),
					   json_getz(given, counts[i]));
	if (!candidates && (!chunk || usage == old_usage))
		return NULL;
	if (candidates && !chunk) {
		struct stable_list list = { 0 };

		for (size_t i = 0; json_at(candidates, i); i++) {
			const struct json *c = json_at(candidates, i);

			if (!json_getz(c, "finishReason"))
				c = json_set(a, c, STR("finishReason"),
					     json_new_str(a, STR("STOP")));
			*VEC_ADD(&list) = c;
		}
		candidates = stable_array(a, &list);
	}
	if (candidates)
		v = json_set(a, v, STR("candidates"), candidates);
	return usage == old_usage ? v : json_set(a, v, STR("usageMetadata"), usage);
}

size_t stable_calls(const struct json *chunk)
{
	const struct json *parts = parts_of(json_at(candidates_of(chunk), 0));
	size_t n = 0;

	for (size_t i = 0; json_at(parts, i); i++)
		n += json_is(json_getz(json_at(parts, i), "functionCall"), J_OBJ);
	return n;
}
