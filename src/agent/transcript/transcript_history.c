/*
 * Messages of a recording to the contents of a conversation, and back.
 *
 * A message of the model holds its text in "content" and its calls, with their results, in
 * "toolCalls"; a conversation has a content with the calls and one with all the responses.  Where
 * that would lose something (a signature of a text, unknown parts, what follows a
 * call), "content" is the array of all parts, calls among them, as in checkpoints of Gemini CLI.
 * Other programs also put responses into a message of the user.
 */
#include "agent/transcript/transcript_impl.h"
#include "base/json_pack.h"
#include "base/vec.h"

#define CANCELLED "[Operation Cancelled] Reason: the session ended before this call had a result."

static struct json_member member(const char *key, const struct json *v)
{
	return (struct json_member){ .key = str_from(key), .v = *v };
}

/* One call of the message that is being read. */
struct call {
	struct str id, name;
	const struct json *part; /* with the functionCall */
	const struct json *result; /* of toolCalls; NULL = none */
	bool claimed; /* it is in the content, and its entry of toolCalls was seen */
	bool answered;
};

struct reading {
	struct arena *a;
	const struct recording *r;
	struct json_list contents;
	struct {
		struct call *p;
		size_t n, cap;
	} calls;
	struct json_list parts; /* of the content in progress */
};

static const struct json *call_of(const struct json *part)
{
	const struct json *call = json_getz(part, "functionCall");

	return json_is(call, J_OBJ) ? call : NULL;
}

static const struct json *response_of(const struct json *part)
{
	const struct json *response = json_getz(part, "functionResponse");

	return json_is(response, J_OBJ) ? response : NULL;
}

/* Ids decide where both have one. */
static bool is_same(struct str id, struct str name, struct str id2, struct str name2)
{
	return id.n && id2.n ? str_eq(id, id2) : str_eq(name, name2);
}

static bool answers(const struct call *c, const struct json *part)
{
	const struct json *r = response_of(part);

	return r && is_same(c->id, c->name, json_get_str(r, "id"), json_get_str(r, "name"));
}

static void end_content(struct reading *rd, const char *role)
{
	struct arena *a = rd->a;

	if (rd->parts.n == 0)
		return;
	for (size_t i = 0; i < rd->parts.n; i++) {
		/*
		 * Gemini CLI writes NAME__ before the id of a call to NAME; it does not go to the
		 * model.
		 */
		const struct json *part = rd->parts.p[i];
		static const char *const keys[] = { "functionCall", "functionResponse" };

		for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
			const struct json *v = json_getz(part, keys[k]);
			struct str id = json_get_str(v, "id"), name = json_get_str(v, "name");

			if (!name.n || id.n <= name.n + 2 || !str_starts(id, name) ||
			    !str_starts(str_sub(id, name.n, id.n), STR("__")))
				continue;
			v = json_set(a, v, STR("id"),
				     json_new_str(a, str_sub(id, name.n + 2, id.n)));
			part = json_set(a, part, str_from(keys[k]), v);
		}
		rd->parts.p[i] = part;
	}
	const struct json_member m[] = {
		member("role", json_new_str(a, str_from(role))),
		member("parts", json_list_take(a, &rd->parts)),
	};
	*VEC_ADD(&rd->contents) = json_new_members(a, m, ARRAY_LEN(m));
}

/* {functionResponse:{id,name,response:{key:text}}} */
static const struct json *response_part(struct arena *a, const struct call *c, const char *key,
					struct str text)
{
	const struct json_member body = member(key, json_new_str(a, text));
	struct json_member m[3];
	size_t n = 0;

	if (c->id.n)
		m[n++] = member("id", json_new_str(a, c->id));
	m[n++] = member("name", json_new_str(a, c->name));
	m[n++] = member("response", json_new_members(a, &body, 1));
	const struct json_member outer = member("functionResponse", json_new_members(a, m, n));

	return json_new_members(a, &outer, 1);
}

/* The members of a call and of the part that holds it, in the order in which they are in v. */
struct call_members {
	const struct json_member *p[4];
	size_t n;
};

static void find_members(const struct json *v, const char *const *keys, size_t n,
			 struct call_members *ret)
{
	for (size_t i = 0; i < n; i++) {
		const struct json_member *m = json_member(v, str_from(keys[i]));
		size_t at = ret->n;

		if (!m)
			continue;
		for (; at > 0 && ret->p[at - 1] > m; at--)
			ret->p[at] = ret->p[at - 1];
		ret->p[at] = m;
		ret->n++;
	}
}

static const char *const call_keys[] = { "id", "name", "args", "thoughtSignature" };
static const char *const part_keys[] = { "functionCall", "thoughtSignature" };

static bool is_key(const struct json_member *m, const char *key)
{
	return str_eqz(m->key, key);
}

const struct json *transcript_call(struct arena *a, const struct json *part)
{
	struct call_members outer = { 0 }, inner = { 0 };
	const struct json *v = json_new_obj(a);

	find_members(part, part_keys, ARRAY_LEN(part_keys), &outer);
	find_members(json_getz(part, "functionCall"), call_keys, 3, &inner);
	for (size_t i = 0; i < outer.n; i++) {
		if (!is_key(outer.p[i], "functionCall"))
			v = json_set(a, v, outer.p[i]->key, &outer.p[i]->v);
		for (size_t k = 0; k < inner.n && is_key(outer.p[i], "functionCall"); k++)
			v = json_set(a, v, inner.p[k]->key, &inner.p[k]->v);
	}
	return v;
}

/* The part of an entry of toolCalls. */
static const struct json *call_part(struct arena *a, const struct json *entry)
{
	const struct json *call = json_new_obj(a), *signature = NULL;
	const struct json *part = NULL;
	struct call_members all = { 0 };

	find_members(entry, call_keys, ARRAY_LEN(call_keys), &all);
	for (size_t i = 0; i < all.n; i++) {
		const struct json_member *m = all.p[i];

		if (is_key(m, "thoughtSignature"))
			signature = json_is(&m->v, J_STR) ? &m->v : NULL;
		else if (!is_key(m, "id") || json_str(&m->v, STR("")).n)
			call = json_set(a, call, m->key, &m->v);
	}
	/* What a hook or the user made of them is not what the model said. */
	if (json_is(json_getz(entry, "argsAsked"), J_OBJ))
		call = json_set(a, call, STR("args"), json_getz(entry, "argsAsked"));
	if (!json_is(json_getz(call, "args"), J_OBJ))
		call = json_set(a, call, STR("args"), json_new_obj(a));
	if (signature && is_key(all.p[0], "thoughtSignature"))
		part = json_set(a, NULL, STR("thoughtSignature"), signature);
	part = json_set(a, part, STR("functionCall"), call);
	return signature ? json_set(a, part, STR("thoughtSignature"), signature) : part;
}

/* What the model said; calls in the text are noted, nameless ones are dropped. */
static void read_content(struct reading *rd, const struct json *message)
{
	const struct json *parts = recording_parts(rd->a, message);

	for (size_t i = 0; i < parts->n; i++) {
		const struct json *part = &parts->items[i], *call = call_of(part);
		bool foreign = json_getz(part, "functionResponse") ||
			       (!call && json_getz(part, "functionCall"));

		if (foreign || (call && json_get_str(call, "name").n == 0))
			continue;
		if (call)
			*VEC_ADD(&rd->calls) = (struct call){ .id = json_get_str(call, "id"),
							      .name = json_get_str(call, "name"),
							      .part = part };
		*VEC_ADD(&rd->parts) = part;
	}
}

static void read_calls(struct reading *rd, const struct json *entries)
{
	size_t in_content = rd->calls.n;

	for (size_t i = 0; json_is(entries, J_ARR) && i < entries->n; i++) {
		const struct json *entry = &entries->items[i];
		struct str id = json_get_str(entry, "id"), name = json_get_str(entry, "name");
		struct call *c = NULL;

		if (name.n == 0)
			continue;
		for (size_t k = 0; !c && k < in_content; k++)
			if (!rd->calls.p[k].claimed &&
			    is_same(rd->calls.p[k].id, rd->calls.p[k].name, id, name))
				c = &rd->calls.p[k];
		if (!c) {
			c = VEC_ADD(&rd->calls);
			*c = (struct call){ .id = id, .name = name };
			c->part = call_part(rd->a, entry);
			*VEC_ADD(&rd->parts) = c->part;
		}
		c->claimed = true;
		c->result = json_getz(entry, "result");
	}
}

/* From a response up to the next: it, and what belongs to it (images). */
static void take_response(struct reading *rd, const struct json *parts, size_t at, bool *used)
{
	do {
		*VEC_ADD(&rd->parts) = &parts->items[at];
		if (used)
			used[at] = true;
		at++;
	} while (at < parts->n && !json_getz(&parts->items[at], "functionResponse"));
}

static struct str joined_text(struct arena *a, const struct json *parts)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < parts->n; i++)
		buf_adds(&out, json_get_str(&parts->items[i], "text"));
	return arena_str(a, buf_str(&out));
}

/* The result in toolCalls.  It may hold the responses of other calls, too; those are theirs. */
static void answer_from_result(struct reading *rd, struct call *c)
{
	const struct json *parts = recording_part_list(rd->a, c->result);
	bool any = false;

	for (size_t i = 0; i < parts->n; i++) {
		any = any || response_of(&parts->items[i]);
		if (!answers(c, &parts->items[i]))
			continue;
		take_response(rd, parts, i, NULL);
		c->answered = true;
		return;
	}
	if (any || parts->n == 0)
		return;
	*VEC_ADD(&rd->parts) = response_part(rd->a, c, "output", joined_text(rd->a, parts));
	c->answered = true;
}

/* Responses to calls that are not there would make the model refuse the whole conversation. */
static void add_others(struct reading *rd, const struct json *parts, const bool *used)
{
	for (size_t i = 0; parts && i < parts->n; i++) {
		const struct json *part = &parts->items[i];

		if ((used && used[i]) || json_getz(part, "functionResponse") ||
		    json_getz(part, "functionCall"))
			continue;
		*VEC_ADD(&rd->parts) = part;
	}
}

/* One content with a response to each call; user: parts of the next message if it holds some. */
static void answer_calls(struct reading *rd, const struct json *user)
{
	AUTO(free) bool *used = user ? xcalloc(user->n + 1, sizeof *used) : NULL;

	for (size_t i = 0; i < rd->calls.n; i++) {
		struct call *c = &rd->calls.p[i];

		answer_from_result(rd, c);
		for (size_t k = 0; !c->answered && user && k < user->n; k++)
			if (!used[k] && answers(c, &user->items[k])) {
				take_response(rd, user, k, used);
				c->answered = true;
			}
		if (!c->answered)
			*VEC_ADD(&rd->parts) = response_part(rd->a, c, "error", STR(CANCELLED));
	}
	add_others(rd, user, used);
	end_content(rd, "user");
}

/* The parts of the next message when they hold responses; *at moves on to it. */
static const struct json *next_responses(struct reading *rd, size_t *at)
{
	for (size_t i = *at + 1; i < rd->r->messages.n; i++) {
		const struct json *message = rd->r->messages.p[i].message;

		if (recording_is_model(message))
			return NULL;
		if (!recording_is_user(message))
			continue;
		const struct json *parts = recording_parts(rd->a, message);

		for (size_t k = 0; k < parts->n; k++) {
			if (!response_of(&parts->items[k]))
				continue;
			*at = i;
			return parts;
		}
		return NULL;
	}
	return NULL;
}

const struct json *recording_history(struct arena *a, const struct recording *r)
{
	struct reading rd = { .a = a, .r = r };

	for (size_t i = 0; i < r->messages.n; i++) {
		const struct json *message = r->messages.p[i].message;

		if (recording_is_user(message)) {
			add_others(&rd, recording_parts(a, message), NULL);
			end_content(&rd, "user");
		}
		if (!recording_is_model(message))
			continue;
		rd.calls.n = 0;
		read_content(&rd, message);
		read_calls(&rd, json_getz(message, "toolCalls"));
		end_content(&rd, "model");
		if (rd.calls.n)
			answer_calls(&rd, next_responses(&rd, &i));
	}
	const struct json *history = json_list_take(a, &rd.contents);

	free(rd.calls.p);
	free(rd.parts.p);
	return history;
}

const struct json *recording_answer(struct arena *a, const struct json *message)
{
	struct recorded one = { .message = message };
	const struct recording r = { .messages = { .p = &one, .n = 1 } };

	return json_getz(json_at(recording_history(a, &r), 0), "parts");
}

const struct json *recording_call(struct arena *a, const struct json *call, struct str now)
{
	const struct json *name = json_getz(call, "name");
	const struct json *fill[] = { json_new_str(a, now), json_new_str(a, STR("")),
				      name ? name : json_new_str(a, STR("")) };
	static const char *const keys[] = { "timestamp", "description", "displayName" };

	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (!json_getz(call, keys[i]))
			call = json_set(a, call, str_from(keys[i]), fill[i]);
	return call;
}

const struct json *recording_model(struct arena *a, const struct json *message,
				   const struct json *parts)
{
	const struct json *text = json_new_str(a, joined_text(a, parts));
	const struct json *plain = json_set(a, message, STR("content"), text);
	const struct json *read = recording_answer(a, plain);
	bool same =
		read ? str_eq(json_text(a, read, JSON_COMPACT), json_text(a, parts, JSON_COMPACT))
		     : parts->n == 0;

	return same ? plain : json_set(a, message, STR("content"), parts);
}

/* The calls of a content. */
struct calls_at {
	const struct json **p; /* parts */
	size_t n;
};

/*
 * Do these parts of the user answer exactly these calls, in order?  Then the results can be with
 * the calls.
 */
static bool answers_all(const struct calls_at *at, const struct json *parts)
{
	size_t n = 0;

	if (!json_is(parts, J_ARR) || !response_of(json_at(parts, 0)))
		return false;
	for (size_t i = 0; i < parts->n; i++) {
		const struct json *part = &parts->items[i];

		if (!json_getz(part, "functionResponse"))
			continue;
		if (!response_of(part) || n == at->n)
			return false;
		const struct json *call = call_of(at->p[n++]);
		struct call c = { json_get_str(call, "id"),
				  json_get_str(call, "name"),
				  NULL,
				  NULL,
				  false,
				  false };
		if (!answers(&c, part))
			return false;
	}
	return n == at->n;
}

struct writing {
	struct arena *a;
	struct json_list messages;
	struct str now;
};

static const struct json *message_new(struct writing *w, const char *type,
				      const struct json *content)
{
	struct arena *a = w->a;
	char id[TRANSCRIPT_ID_SIZE];
	struct json_member m[4];
	size_t n = 0;

	transcript_id_new(id);
	m[n++] = member("id", json_new_copy(a, str_from(id)));
	m[n++] = member("timestamp", json_new_str(a, w->now));
	m[n++] = member("type", json_new_str(a, str_from(type)));
	m[n++] = member("content", content);
	return json_new_members(a, m, n);
}

/* The i-th response and what follows it up to the next. */
static const struct json *nth_result(struct arena *a, const struct json *parts, size_t i)
{
	size_t at = 0, end;

	for (size_t n = 0; n <= i; at++)
		n += response_of(&parts->items[at]) != NULL;
	end = at;
	while (end < parts->n && !response_of(&parts->items[end]))
		end++;
	struct json *v = ARENA_NEW(a, struct json);

	*v = (struct json){ .type = J_ARR, .n = end - at + 1, .items = &parts->items[at - 1] };
	return v;
}

/* Returns whether the next content went into this message's calls. */
static bool write_model(struct writing *w, const struct json *parts, const struct json *next)
{
	struct calls_at at = { .p = ARENA_ARRAY(w->a, const struct json *, parts->n + 1) };
	struct json_list calls = { 0 };
	const struct json *results = json_getz(next, "parts"), *m;
	const struct json *text = json_getz(json_at(parts, 0), "text");
	/* A lone text is a string, as in messages that are written as they come. */
	const struct json *content =
		parts->n == 1 && json_is(text, J_STR) && parts->items[0].n == 1 ? text : parts;
	bool answered;

	for (size_t i = 0; i < parts->n; i++)
		if (call_of(&parts->items[i]))
			at.p[at.n++] = &parts->items[i];
	answered = at.n && str_eqz(json_get_str(next, "role"), "user") && answers_all(&at, results);
	m = message_new(w, "gemini", answered || !parts->n ? json_new_str(w->a, STR("")) : content);
	for (size_t i = 0; answered && i < at.n; i++) {
		const struct json *result = nth_result(w->a, results, i);
		const struct json *entry = transcript_call(w->a, at.p[i]);
		const struct json *response;

		entry = json_set(w->a, entry, STR("result"), result);
		response = json_getz(response_of(json_at(result, 0)), "response");
		entry = json_set(w->a, entry, STR("status"),
				 json_new_str(w->a, json_getz(response, "error") ? STR("error")
										 : STR("success")));
		json_list_add(&calls, recording_call(w->a, entry, w->now));
	}
	if (answered) {
		m = json_set(w->a, m, STR("toolCalls"), json_list_take(w->a, &calls));
		m = recording_model(w->a, m, parts);
	}
	*VEC_ADD(&w->messages) = m;
	return answered;
}

const struct json *recording_messages(struct arena *a, const struct json *contents)
{
	struct writing w = { .a = a, .now = recording_now(a) };

	for (size_t i = 0; json_is(contents, J_ARR) && i < contents->n; i++) {
		const struct json *content = &contents->items[i];
		const struct json *parts = recording_part_list(a, json_getz(content, "parts"));

		if (parts->n == 0)
			continue;
		if (!str_eqz(json_get_str(content, "role"), "model"))
			*VEC_ADD(&w.messages) = message_new(&w, "user", parts);
		else if (write_model(&w, parts, json_at(contents, i + 1)))
			i++;
	}
	return json_list_take(a, &w.messages);
}
