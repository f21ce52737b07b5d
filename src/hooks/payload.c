#include "hooks/payload.h"

#include "hooks/claude.h"
#include "hooks/codex.h"

enum {
	SPLICE_FROM = 2048, /* smaller fields are cheaper to copy than to point at */
	SCHEMA_VERSION = 1,
	GLUE_FIRST = 2000,
};

/* Pieces under construction: glue text, and fields of the host between it. */
struct builder {
	struct payload *p;
	struct arena *arena;
	struct buf glue;
};

static void add_piece(struct payload *p, struct arena *a, struct str s)
{
	ARENA_ROOM(a, p->pieces, p->n, p->cap);
	p->pieces[p->n++] = (struct iovec){ (void *)s.p, s.n };
}

static void flush(struct builder *b)
{
	if (b->glue.n)
		add_piece(b->p, b->arena, arena_str(b->arena, buf_str(&b->glue)));
	buf_clear(&b->glue);
}

/* What is in front of a value, of a name that is known: it is on the path of every question. */
#define FIRST(name) STR("{\"" name "\":")
#define NEXT(name) STR(",\"" name "\":")

static void key(struct builder *b, const char *name)
{
	buf_addc(&b->glue, ',');
	(void)json_write_str(&b->glue, str_from(name));
	buf_addc(&b->glue, ':');
}

static void str_value(struct builder *b, const char *value)
{
	(void)json_write_str(&b->glue, str_from(value));
}

static void str_member(struct builder *b, struct str before, const char *value)
{
	buf_adds(&b->glue, before);
	str_value(b, value);
}

static void raw_member(struct builder *b, const char *name, struct str json)
{
	key(b, name);
	if (json.n < SPLICE_FROM) {
		buf_adds(&b->glue, json);
		return;
	}
	flush(b);
	add_piece(b->p, b->arena, json);
}

static void event_members(struct builder *b, struct firing *f, const struct hook *hook)
{
	if (f->event->subject) {
		key(b, f->event->subject);
		str_value(b, f->in.subject);
	}
	if (f->current && !f->original.p)
		raw_member(b, f->event->chained, firing_changed_text(f));
	for (size_t i = 0; i < f->in.nfields; i++) {
		const struct tl_field *field = &f->in.fields[i];
		struct str json = { field->json, field->length };

		if (f->event->subject && strcmp(field->name, f->event->subject) == 0)
			continue;
		if (strcmp(field->name, FIELD_AROUND) == 0)
			continue;
		/* What the arguments meant before a hook changed them. */
		if (f->current && (strcmp(field->name, "tool_paths") == 0 ||
				   strcmp(field->name, "tool_urls") == 0))
			continue;
		if (f->current && strcmp(field->name, f->event->chained) == 0) {
			raw_member(b, field->name, firing_changed_text(f));
		} else if (hook->dialect->tool_response_text &&
			   strcmp(field->name, "tool_response") == 0) {
			const struct json *v = NULL, *shown, *content;

			/* jpfork documents tool_response as the text that the user saw. */
			(void)json_parse(b->arena, json, 0, &v, NULL);
			shown = json_getz(v, "returnDisplay");
			content = json_getz(v, "llmContent");
			if (!json_is(shown, J_STR))
				shown = json_is(content, J_STR) ? content : NULL;
			buf_adds(&b->glue, NEXT("tool_response"));
			(void)json_write_str(&b->glue, json_str(shown, json_str(v, json)));
		} else {
			raw_member(b, field->name, json);
		}
	}
}

/* One line with its newline, in the firing's arena. */
static struct str (*const forms[])(struct firing *f, const struct hook *hook) = {
	[PAYLOAD_CLAUDE] = claude_payload,
	[PAYLOAD_CODEX] = codex_payload,
};

void payload_make(struct payload *p, struct firing *f, const struct hook *hook)
{
	struct builder b = { .p = p, .arena = f->arena };

	*p = (struct payload){ .version = f->version };
	if (!f->timestamp[0])
		clock_iso(f->timestamp);
	if (hook->dialect->payload) {
		add_piece(p, f->arena, forms[hook->dialect->payload](f, hook));
		return;
	}
	(void)buf_reserve(&b.glue, GLUE_FIRST); /* usually all */
	str_member(&b, FIRST("session_id"), f->session_id);
	str_member(&b, NEXT("transcript_path"), f->in.transcript_path ? f->in.transcript_path : "");
	str_member(&b, NEXT("cwd"), f->cwd);
	str_member(&b, NEXT("hook_event_name"), hook->as->name);
	str_member(&b, NEXT("timestamp"), f->timestamp);
	event_members(&b, f, hook);
	/* What no seed has, after everything else (C2.4). */
	if (f->in.tool_call_id && f->event->subject_kind == SUBJECT_TOOL)
		str_member(&b, NEXT("tool_call_id"), f->in.tool_call_id);
	if (f->in.agent_id)
		str_member(&b, NEXT("agent_id"), f->in.agent_id);
	if (f->in.agent_type && f->in.agent_type != f->in.subject)
		str_member(&b, NEXT("agent_type"), f->in.agent_type);
	buf_adds(&b.glue, NEXT("schema_version"));
	json_write_uint(&b.glue, SCHEMA_VERSION);
	if (f->in.turn_id)
		str_member(&b, NEXT("turn_id"), f->in.turn_id);
	if (f->in.seq) {
		buf_adds(&b.glue, NEXT("seq"));
		json_write_uint(&b.glue, f->in.seq);
	}
	buf_add(&b.glue, "}\n", 2);
	flush(&b);
	buf_done(&b.glue);
}

struct str payload_flat(const struct payload *p, struct arena *a)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < p->n; i++)
		buf_add(&out, p->pieces[i].iov_base, p->pieces[i].iov_len);
	return arena_str(a, buf_str(&out));
}

/* Only the last byte is a line break. */
static bool is_one_line(const struct payload *p)
{
	for (size_t i = 0; i < p->n; i++) {
		const struct iovec *piece = &p->pieces[i];
		const char *at = memchr(piece->iov_base, '\n', piece->iov_len);

		if (at && (i + 1 < p->n || at + 1 < (char *)piece->iov_base + piece->iov_len))
			return false;
	}
	return true;
}

void payload_question(struct payload *p, struct firing *f, const struct hook *hook, uint64_t seq)
{
	uint64_t firing = f->in.seq;
	struct arena *a = f->arena;
	struct str flat;
	char *text;

	f->in.seq = seq;
	payload_make(p, f, hook);
	f->in.seq = firing;
	if (is_one_line(p))
		return;
	flat = payload_flat(p, a);
	text = arena_alloc(a, flat.n);
	for (size_t i = 0; i < flat.n; i++)
		text[i] = flat.p[i] == '\n' && i + 1 < flat.n ? ' ' : flat.p[i];
	p->n = p->cap = 0;
	add_piece(p, a, (struct str){ text, flat.n });
}
