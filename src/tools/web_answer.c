/* Answers that name their sources: groundingMetadata and urlContextMetadata of the Gemini API. */
#include <stdlib.h>

#include "base/json_pack.h"
#include "base/vec.h"
#include "tools/web.h"

int web_ask(struct tool_call *call, struct str prompt, const char *tool,
	    const struct json **ret_response, struct err *err)
{
	const struct tool_env *env = call->env;
	struct arena *a = call->arena;
	const struct json *entry = json_set(a, NULL, str_from(tool), json_new_obj(a));
	const struct json *response = NULL, *request, *part, *content;
	int r;

	if (!env->ask_model)
		return err_set(err, E_NOTFOUND, "the model's service cannot be asked");
	part = json_pack(a, "text:s", prompt);
	content = json_pack(a, "role:z parts:j", "user", json_new_arr(a, &part, 1));
	request =
		json_pack(a, "contents:j tools:j generationConfig:j", json_new_arr(a, &content, 1),
			  json_new_arr(a, &entry, 1), json_pack(a, "temperature:i topP:i", 0, 1));
	r = env->ask_model(env->ask_data, request, a, &response, call->cancel, err);
	if (r < 0)
		return r;
	if (!json_is(json_pointer(response, STR("/candidates/0")), J_OBJ))
		return err_set(err, E_PARSE, "the service did not answer");
	*ret_response = response;
	return 0;
}

struct mark {
	size_t at;
	size_t order; /* in the answer */
	const struct json *sources; /* indices */
};

struct answer {
	struct buf text;
	struct {
		size_t *p, n, cap;
	} parts; /* where each part begins in the text */
	struct {
		struct mark *p;
		size_t n, cap;
	} marks;
	size_t nsources;
};

static void answer_done(struct answer *w)
{
	buf_done(&w->text);
	free(w->parts.p);
	free(w->marks.p);
}

DEFINE_AUTO(struct answer, answer_done)

static void read_text(struct answer *w, const struct json *candidate)
{
	const struct json *parts = json_pointer(candidate, STR("/content/parts"));

	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++) {
		const struct json *part = json_at(parts, i);

		*VEC_ADD(&w->parts) = w->text.n;
		if (!json_is_true(json_getz(part, "thought")))
			buf_adds(&w->text, json_get_str(part, "text"));
	}
}

static size_t whole(const struct json *v, size_t dflt)
{
	double d = json_num(v, -1);

	return d >= 0 && d < 1e9 ? (size_t)d : dflt;
}

/* Offsets are bytes of UTF-8 in a part; one inside of a character or a surrogate moves behind it.
 */
static bool find_place(const struct answer *w, const struct json *segment, size_t *ret_at)
{
	size_t part = whole(json_getz(segment, "partIndex"), 0);
	size_t at = whole(json_getz(segment, "endIndex"), SIZE_MAX);

	if (part >= w->parts.n || at > w->text.n - w->parts.p[part])
		return false;
	at += w->parts.p[part];
	while (at < w->text.n && ((unsigned char)w->text.p[at] & 0xc0) == 0x80)
		at++;
	*ret_at = at;
	return true;
}

static int compare_marks(const void *a, const void *b)
{
	const struct mark *x = a, *y = b;

	if (x->at != y->at)
		return x->at < y->at ? -1 : 1;
	return x->order < y->order ? -1 : x->order > y->order;
}

static void add_marked(struct answer *w, struct buf *out)
{
	struct str text = buf_str(&w->text);
	size_t from = 0;

	if (w->marks.n)
		qsort(w->marks.p, w->marks.n, sizeof *w->marks.p, compare_marks);
	for (size_t i = 0; i < w->marks.n; i++) {
		const struct mark *m = &w->marks.p[i];

		buf_adds(out, str_sub(text, from, m->at));
		from = m->at;
		for (size_t k = 0; k < m->sources->n; k++) {
			size_t source = whole(json_at(m->sources, k), SIZE_MAX);

			if (source < w->nsources)
				buf_addf(out, "[%zu]", source + 1);
		}
	}
	buf_adds(out, str_sub(text, from, text.n));
}

/* A title cannot look like another source. */
static void add_line(struct buf *out, struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		buf_addc(out, s.p[i] == '\n' || s.p[i] == '\r' ? ' ' : s.p[i]);
}

static void add_source(struct buf *out, size_t i, struct str title, struct str uri)
{
	buf_addf(out, "%s[%zu] ", i ? "\n" : "\n\nSources:\n", i + 1);
	if (title.n)
		add_line(out, title);
	if (title.n && uri.n)
		buf_addz(out, " (");
	add_line(out, uri);
	if (title.n && uri.n)
		buf_addc(out, ')');
}

struct str web_answer(struct arena *a, const struct json *response)
{
	const struct json *candidate = json_pointer(response, STR("/candidates/0"));
	const struct json *grounding = json_getz(candidate, "groundingMetadata");
	const struct json *chunks = json_getz(grounding, "groundingChunks");
	const struct json *pages = json_pointer(candidate, STR("/urlContextMetadata/urlMetadata"));
	AUTO(answer_done) struct answer w = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *supports;

	read_text(&w, candidate);
	if (str_trim(buf_str(&w.text)).n == 0)
		return STR("");
	w.nsources = json_is(chunks, J_ARR) ? chunks->n : 0;
	supports = json_getz(grounding, "groundingSupports");
	for (size_t i = 0; json_is(supports, J_ARR) && i < supports->n; i++) {
		const struct json *s = json_at(supports, i);
		struct mark m = { .order = i, .sources = json_getz(s, "groundingChunkIndices") };

		if (json_is(m.sources, J_ARR) && find_place(&w, json_getz(s, "segment"), &m.at))
			*VEC_ADD(&w.marks) = m;
	}
	add_marked(&w, &out);
	if (w.nsources) {
		for (size_t i = 0; i < chunks->n; i++) {
			const struct json *web = json_getz(json_at(chunks, i), "web");

			add_source(&out, i, json_str(json_getz(web, "title"), STR("Untitled")),
				   json_get_str(web, "uri"));
		}
	}
	/* What was read for an answer that does not say where each sentence is from. */
	for (size_t i = 0, n = 0; !w.nsources && json_is(pages, J_ARR) && i < pages->n; i++) {
		struct str url = json_get_str(json_at(pages, i), "retrievedUrl");

		if (url.n)
			add_source(&out, n++, STR(""), url);
	}
	return tool_clean(a, buf_str(&out));
}
