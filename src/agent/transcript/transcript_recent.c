/* What a person is shown of a recording: what was typed, what was said, which tools ran. */
#include <fcntl.h>
#include <unistd.h>

#include "agent/transcript/transcript_impl.h"
#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/vec.h"

static const struct json *item_new(struct arena *a, const char *type, struct str text)
{
	return json_pack(a, "type:z text:s", type, text);
}

static void add_calls(struct json_list *items, struct arena *a, const struct json *calls)
{
	for (size_t i = 0; json_is(calls, J_ARR) && i < calls->n; i++) {
		const struct json *call = json_at(calls, i), *v;
		struct str name = json_get_str(call, "name");
		struct str about = json_get_str(call, "description");
		bool ok = str_eqz(json_get_str(call, "status"), "success");

		name = json_str(json_getz(call, "displayName"), name);
		v = item_new(a, "tool", utf8_prefix(name, RECORDING_SHOWN_MAX));
		*VEC_ADD(items) = json_pack_more(a, v, "about:s ok:b",
						 utf8_prefix(about, RECORDING_SHOWN_MAX), ok);
	}
}

const struct json *transcript_recent(const char *path, size_t max, struct arena *a, struct err *err)
{
	AUTO(arena_done) struct arena scratch = { 0 };
	AUTO(buf_done) struct buf bytes = { 0 };
	AUTO(recording_done) struct recording r = { 0 };
	AUTO(close) int fd = recording_open(path, O_RDONLY, err);
	struct json_list items = { 0 };
	size_t first, from, earlier = 0;
	const struct json *v;

	if (fd < 0 || recording_read(fd, path, &bytes, err) < 0 ||
	    recording_parse(&scratch, buf_str(&bytes), &r, err) < 0)
		return NULL;
	/* Of the last messages only, so that a long conversation costs no more than a short one. */
	first = r.messages.n > max ? r.messages.n - max : 0;
	for (size_t i = 0; i < first; i++)
		earlier += recording_is_user(r.messages.p[i].message) ||
			   recording_is_model(r.messages.p[i].message);
	for (size_t i = first; i < r.messages.n; i++) {
		const struct json *m = r.messages.p[i].message;

		if (recording_is_user(m) || recording_is_model(m)) {
			bool user = recording_is_user(m);
			struct str text = recording_shown(&scratch, m);

			/* The summary of what was compressed has no author. */
			if (user && str_starts(text, STR("<state_snapshot")))
				text = STR("(a summary of what was before)");
			if (text.n)
				*VEC_ADD(&items) =
					item_new(&scratch, user ? "user" : "gemini", text);
		}
		if (recording_is_model(m))
			add_calls(&items, &scratch, json_getz(m, "toolCalls"));
	}
	from = items.n > max ? items.n - max : 0;
	for (size_t i = 0; i < from; i++)
		earlier += !str_eqz(json_get_str(items.p[i], "type"), "tool");
	v = json_pack(a, "earlier:n items:j", earlier,
		      json_dup(a, json_new_arr(&scratch, items.p + from, items.n - from)));
	free(items.p);
	return v;
}
