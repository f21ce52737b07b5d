#include "agent/stream.h"

#include "base/vec.h"
#include "os/clock.h"

#define ANSWER_MAX ((size_t)64 << 20)

static void flush_text(struct stream *st)
{
	struct arena *a = &st->t->arena;

	if (st->run.n)
		*VEC_ADD(&st->parts) = text_part(a, arena_str(a, buf_str(&st->run)));
	buf_clear(&st->run);
}

/* Thoughts are neither shown nor sent back; only what signs them is kept. */
bool part_is_thought(const struct json *part)
{
	return json_is_true(json_getz(part, "thought"));
}

/*
 * The call with what an API accepts when it goes back: a name, an object of args, and an id, which
 * goes back with its response, too, and tells calls of one name apart.
 */
static const struct json *mend_call(struct stream *st, const struct json *call)
{
	struct arena *a = &st->t->arena;
	struct session *s = st->t->s;
	int64_t now = clock_wall_ms();
	struct str name = json_get_str(call, "name");
	struct str id = json_get_str(call, "id");
	const struct json *args = json_getz(call, "args");

	if (!name.n) {
		name = STR("undefined_tool_name");
		call = json_set(a, call, STR("name"), json_new_str(a, name));
	}
	if (!id.n) {
		/* Two answers of one millisecond. */
		s->last_call_ms = now > s->last_call_ms ? now : s->last_call_ms + 1;
		id = arena_printf(a, "%.*s_%lld_%zu", STR_ARG(name), (long long)s->last_call_ms,
				  st->calls.n);
		call = json_set(a, call, STR("id"), json_new_str(a, id));
	}
	if (args && !json_is(args, J_OBJ))
		call = json_set(a, call, STR("args"), json_new_obj(a));
	return json_without(a, call, STR("invalidArguments"));
}

/* Parts that we do not know are kept; what cannot be a part is not. */
static bool is_part(const struct json *part)
{
	const struct json *call = json_getz(part, "functionCall");

	return json_is(part, J_OBJ) && part->n > 0 && (!call || json_is(call, J_OBJ));
}

static void take_part(struct stream *st, const struct json *part)
{
	struct arena *a = &st->t->arena;
	const struct json *text = json_getz(part, "text"), *came, *call, *args, *bad;
	struct str said = json_str(text, STR(""));

	if (!is_part(part))
		return;
	if (part_is_thought(part)) {
		*VEC_ADD(&st->thoughts) = json_dup(a, part);
		return;
	}
	if (json_is(text, J_STR)) {
		if (said.n) {
			buf_adds(&st->text, said);
			display_text(st, said);
			if (repeat_text(&st->repeat, said))
				st->end = END_LOOP;
		}
		if (part->n == 1) {
			buf_adds(&st->run, said);
			return;
		}
	}
	flush_text(st);
	part = json_dup(a, part);
	came = json_getz(part, "functionCall");
	if (!came) {
		*VEC_ADD(&st->parts) = part;
		return;
	}
	call = mend_call(st, came);
	*VEC_ADD(&st->parts) = json_set(a, part, STR("functionCall"), call);
	/* Arguments that are none stay with the call (model/provider.h), and go into no history. */
	args = json_getz(came, "args");
	bad = json_getz(came, "invalidArguments");
	if (!bad && args && !json_is(args, J_OBJ) && !json_is(args, J_NULL))
		bad = json_new_str(a, json_text(a, args, JSON_COMPACT));
	*VEC_ADD(&st->calls) =
		json_set(a, part, STR("functionCall"),
			 bad ? json_set(a, call, STR("invalidArguments"), bad) : call);
}

const struct json *chunk_parts(const struct json *chunk)
{
	const struct json *candidate = json_at(json_getz(chunk, "candidates"), 0);

	return json_getz(json_getz(candidate, "content"), "parts");
}

void stream_take(struct stream *st, const struct json *chunk)
{
	struct telemetry *tel = st->t->s->o.telemetry;
	const struct json *parts = chunk_parts(chunk);

	if (telemetry_on(tel) && telemetry_prompts(tel))
		*VEC_ADD(&st->chunks) = json_dup(&st->t->arena, chunk);
	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++)
		take_part(st, json_at(parts, i));
}

/* About how much memory it takes. */
static size_t weight(const struct json *v)
{
	size_t n = sizeof *v + (v->type == J_STR ? v->n : 0);

	for (size_t i = 0; v->type == J_ARR && i < v->n; i++)
		n += weight(&v->items[i]);
	for (size_t i = 0; v->type == J_OBJ && i < v->n; i++)
		n += v->members[i].key.n + weight(&v->members[i].v);
	return n;
}

int stream_note(struct stream *st, const struct json *chunk, struct err *err)
{
	const struct json *parts = chunk_parts(chunk);

	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++) {
		const struct json *p = json_at(parts, i);

		if (!is_part(p))
			continue;
		st->had_call |= json_is(json_getz(p, "functionCall"), J_OBJ);
		st->had_text |= !part_is_thought(p) && json_get_str(p, "text").n;
		/* Code that ran at the model's side, pictures: an answer, too. */
		st->had_text |= !json_getz(p, "text") && !json_getz(p, "functionCall") &&
				!json_getz(p, "thoughtSignature");
	}
	st->weight += weight(chunk);
	if (st->weight <= ANSWER_MAX)
		return 0;
	return err_set(err, E_LIMIT, "the model's answer is longer than %zu MiB", ANSWER_MAX >> 20);
}

/* ---- how it ended ---- */

/* A row a finishReason that is not STOP. */
static const struct {
	const char *finish;
	const char *type; /* of telemetry, for an answer that is none; NULL = by what it held */
	const char *cut; /* told of one that is, but not all that the model had to say */
} finishes[] = {
	{ "MAX_TOKENS", "MAX_TOKENS_EXCEEDED",
	  "The answer was cut off at the model's token limit." },
	{ "SAFETY", "SAFETY_BLOCKED",
	  "The model's service cut the answer off for reasons of safety." },
	{ "RECITATION", "RECITATION_BLOCKED",
	  "The model's service cut the answer off: it repeated a source." },
	{ "PROHIBITED_CONTENT", NULL,
	  "The model's service cut the answer off: prohibited content." },
	{ "BLOCKLIST", NULL, "The model's service cut the answer off: forbidden words." },
	{ "SPII", NULL, "The model's service cut the answer off: personal data." },
	{ "MALFORMED_FUNCTION_CALL", "MALFORMED_FUNCTION_CALL", NULL },
	{ "UNEXPECTED_TOOL_CALL", "UNEXPECTED_TOOL_CALL", NULL },
	{ "OTHER", "OTHER_BLOCKED", NULL },
};

static bool is_stop(const char *finish)
{
	return !finish || strcmp(finish, "STOP") == 0;
}

/* A reason against the answer stays one, whatever comes after it. */
void stream_note_end(struct stream *st, const struct json *chunk)
{
	struct arena *a = &st->t->arena;
	const struct json *usage = json_getz(chunk, "usageMetadata");
	const struct json *candidate = json_at(json_getz(chunk, "candidates"), 0);
	const struct json *finish = json_getz(candidate, "finishReason");
	const struct json *block = json_pointer(chunk, STR("/promptFeedback/blockReason"));

	if (json_is(usage, J_OBJ))
		st->usage = json_dup(a, usage);
	if (json_is(finish, J_STR) && is_stop(st->finish))
		st->finish = arena_z(a, json_str(finish, STR("")));
	if (json_is(block, J_STR))
		st->refused = arena_z(a, json_str(block, STR("")));
}

/* Calls of an answer that was blocked or cut off are not what the model meant to do. */
static bool calls_count(const struct stream *st)
{
	return is_stop(st->finish) && !st->refused;
}

static const char *fault_text(const struct stream *st)
{
	struct arena *a = &st->t->arena;

	if (st->finish && strcmp(st->finish, "MALFORMED_FUNCTION_CALL") == 0)
		return "The model's answer held a function call that cannot be read.";
	if (st->had_call && calls_count(st))
		return NULL;
	if (st->refused && !st->had_text)
		return arena_printf(a, "The model's service blocked the prompt: %.60s.",
				    st->refused)
			.p;
	if (!st->finish)
		return "The model's answer ended without a finish reason.";
	if (st->had_text)
		return NULL;
	return is_stop(st->finish)
		       ? "The model's answer was empty."
		       : arena_printf(a, "The model's answer %s; its finish reason is %.60s.",
				      st->had_call ? "held only calls, which are not run"
						   : "was empty",
				      st->finish)
				 .p;
}

struct fault stream_fault(const struct stream *st)
{
	struct fault f = { .text = fault_text(st), .is_final = st->refused != NULL };

	for (size_t i = 0; st->finish && i < ARRAY_LEN(finishes); i++)
		if (strcmp(st->finish, finishes[i].finish) == 0)
			f.type = finishes[i].type;
	if (!f.type)
		f.type = !st->finish      ? "NO_FINISH_REASON"
			 : st->thoughts.n ? "THINKING_ONLY_RESPONSE"
					  : "NO_RESPONSE_TEXT";
	return f;
}

void stream_tell_cut(const struct stream *st)
{
	struct session *s = st->t->s;

	for (size_t i = 0; st->finish && i < ARRAY_LEN(finishes); i++)
		if (finishes[i].cut && strcmp(st->finish, finishes[i].finish) == 0)
			session_note(s, NOTE_WARNING, "%s", finishes[i].cut);
	if (st->calls.n && !calls_count(st))
		session_note(s, NOTE_WARNING, "Its %zu tool call%s not run (%s).", st->calls.n,
			     st->calls.n == 1 ? " is" : "s are",
			     st->refused ? st->refused : st->finish);
}

void stream_forget(struct stream *st)
{
	st->parts.n = 0;
	buf_clear(&st->run);
}

void stream_finish(struct stream *st, enum end end, struct answer *ans)
{
	struct arena *a = &st->t->arena;
	struct contents kept = { 0 };
	bool run = end == END_DONE && calls_count(st);

	flush_text(st);
	for (size_t i = 0; i < st->parts.n; i++)
		if (run || !json_getz(st->parts.p[i], "functionCall"))
			*VEC_ADD(&kept) = st->parts.p[i];
	ans->parts = json_new_arr(a, kept.p, kept.n);
	ans->calls = json_new_arr(a, st->calls.p, run ? st->calls.n : 0);
	ans->text = arena_str(a, buf_str(&st->text));
	free(kept.p);
}

const struct json *stream_thoughts(const struct stream *st, struct arena *a)
{
	const struct json **out = ARENA_ARRAY(a, const struct json *, st->thoughts.n + 1);
	size_t n = 0;

	for (size_t i = 0; i < st->thoughts.n; i++) {
		struct str text = json_get_str(st->thoughts.p[i], "text");
		struct str subject = STR(""), rest = str_trim(text);
		/* A summary begins with its **subject**. */
		ptrdiff_t from = str_find(text, STR("**"), 0);
		ptrdiff_t to = from < 0 ? -1 : str_find(text, STR("**"), (size_t)from + 2);

		if (!rest.n)
			continue;
		if (to >= 0) {
			subject = str_trim(str_sub(text, (size_t)from + 2, (size_t)to));
			rest = str_trim(
				arena_printf(a, "%.*s%.*s", (int)from, text.p,
					     STR_ARG(str_sub(text, (size_t)to + 2, text.n))));
		}
		out[n++] = json_pack(a, "subject:s description:s", subject, rest);
	}
	return json_new_arr(a, out, n);
}

void stream_done(struct stream *st)
{
	whole_done(st->whole);
	free(st->thoughts.p);
	free(st->parts.p);
	free(st->calls.p);
	free(st->chunks.p);
	repeat_done(&st->repeat);
	buf_done(&st->run);
	buf_done(&st->text);
}
