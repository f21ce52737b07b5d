#include "hooks/redact.h"

#include "base/json_pack.h"
#include "hooks/messages.h"
#include "policy/call.h"
#include "secrets/secrets.h"

enum { DEPTH_MAX = 16 };

struct redaction {
	struct arena *a;
	const struct json *around; /* FIELD_AROUND */
	const struct json *calls; /* of the chunk */
	bool found;
};

/* As the piece of a longer text, and by itself: what hooks made of it is a text of its own. */
static const struct json *clean_text(struct redaction *r, const struct json *v)
{
	AUTO(buf_done) struct buf part = { 0 }, out = { 0 };
	struct str text = json_str(v, STR("")), all;
	size_t found = 0, at;

	/* Parts show a call as a line, which must stay what it is. */
	if (message_is_call_of(r->a, r->calls, text))
		return v;
	all = call_around(r->around, r->a, text, &at);
	if (all.p)
		found = secrets_redact_part(&part, all, at, at + text.n, 0);
	else
		buf_adds(&part, text);
	found += secrets_redact(&out, buf_str(&part), 0);
	r->found |= found > 0;
	return found ? json_new_copy(r->a, buf_str(&out)) : v;
}

static const struct json *clean(struct redaction *r, const struct json *v, unsigned depth)
{
	struct json_list list = { 0 };
	const struct json *now = v;

	if (depth > DEPTH_MAX) {
		r->found = true;
		return json_new_str(r->a, STR("[redacted: nested too deeply]"));
	}
	if (json_is(v, J_STR))
		return clean_text(r, v);
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		json_list_add(&list, clean(r, json_at(v, i), depth + 1));
	if (list.n)
		return json_list_take(r->a, &list);
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++)
		now = json_set(r->a, now, v->members[i].key, clean(r, &v->members[i].v, depth + 1));
	return now;
}

const struct json *redact_answer(struct firing *f)
{
	static const char *const texts[] = { "text", "candidates" };
	struct str around = firing_field(f, FIELD_AROUND);
	const struct json *now = firing_current(f), *given = firing_original(f);
	struct redaction r = { .a = f->arena, .calls = json_getz(given, "calls") };

	if (around.p)
		(void)json_parse(f->arena, around, 0, &r.around, NULL);
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		const struct json *v = json_getz(now, texts[i]);

		if (v)
			now = json_set(f->arena, now, str_from(texts[i]), clean(&r, v, 0));
	}
	return r.found ? now : NULL;
}
