/*
 * JSON Schemas (draft 7) and the public event table, made from the tables that the engine works
 * with: events, dialects, and the fields and keys of keys.c.
 */
#include "hooks/handlers.h"
#include "hooks/keys.h"

#include "hooks/answers.h"
#include "hooks/api.h"
#include "hooks/dialects.h"

#define DRAFT "http://json-schema.org/draft-07/schema#"

/* ---- the event table ---- */

size_t tl_event_count(void)
{
	return EV_COUNT;
}

int tl_event_get(size_t i, struct tl_event_info *ret_info)
{
	if (i >= EV_COUNT)
		return -TL_E_NOTFOUND;
	const struct event *ev = &events[i];
	struct tl_event_info info = {
		.name = ev->name,
		.subject = ev->subject ? ev->subject : "",
		.summary = ev->summary,
		.can_block = event_can_block(ev),
		.advisory = ev->advisory,
		.input = ev->input,
		.output = ev->output ? ev->output : "",
		.subjects = ev->subjects ? ev->subjects : "",
	};
	api_copy_out(ret_info, &info, sizeof info);
	return 0;
}

/* ---- writing ---- */

static void write_words(struct jw *w, const char *key, const char *words)
{
	jw_key(w, key);
	jw_arr(w);
	for (struct str rest = str_from(words), word; str_split(&rest, ' ', &word);)
		jw_str(w, word);
	jw_end(w);
}

static void write_field(struct jw *w, const struct field *f, const char *values);

/* "properties" and "required" of an object. */
static void write_members(struct jw *w, const struct field *fields, size_t n)
{
	size_t required = 0;

	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < n; i++) {
		write_field(w, &fields[i], fields[i].values);
		required += !fields[i].optional;
	}
	jw_end(w);
	if (!required)
		return;
	jw_key(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < n; i++)
		if (!fields[i].optional)
			jw_z(w, fields[i].name);
	jw_end(w);
}

/* "string|object[]": the type or types, and the items when one is an array. */
static void write_type(struct jw *w, const struct field *f)
{
	struct str all = str_from(f->type), item = { 0 }, type;
	bool several = str_chr(all, '|', 0) >= 0;

	jw_key(w, "type");
	if (several)
		jw_arr(w);
	for (struct str rest = all; str_split(&rest, '|', &type);) {
		if (str_ends(type, STR("[]")))
			item = str_sub(type, 0, type.n - 2);
		jw_str(w, item.n && str_ends(type, STR("[]")) ? STR("array") : type);
	}
	if (several)
		jw_end(w);
	if (!item.n) {
		if (f->nmembers)
			write_members(w, f->members, f->nmembers);
		return;
	}
	jw_key(w, "items");
	jw_obj(w);
	jw_kv_str(w, "type", item);
	if (f->nmembers)
		write_members(w, f->members, f->nmembers);
	jw_end(w);
}

static void write_field(struct jw *w, const struct field *f, const char *values)
{
	jw_key(w, f->name);
	jw_obj(w);
	jw_kv_z(w, "description", f->text);
	if (f->type)
		write_type(w, f);
	if (values && *values)
		write_words(w, "enum", values);
	jw_end(w);
}

static void write_head(struct jw *w, const char *title, const char *description)
{
	jw_obj(w);
	jw_kv_z(w, "$schema", DRAFT);
	jw_kv_z(w, "title", title);
	jw_kv_z(w, "description", description);
	jw_kv_z(w, "type", "object");
}

/* ---- input EVENT ---- */

/* One name of struct event's `input`, without its mark; false when it is optional. */
static bool cut_mark(struct str *name)
{
	bool optional = str_ends(*name, STR("?"));

	name->n -= optional;
	return !optional;
}

static void write_input(struct jw *w, const struct event *ev)
{
	AUTO(free) char *title = xasprintf("What a %s hook reads on stdin", ev->name);
	struct str rest, name;

	write_head(w, title, ev->summary);
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < ARRAY_LEN(base_fields); i++) {
		const struct field *f = &base_fields[i];

		if (ev->subject && strcmp(f->name, ev->subject) == 0)
			continue;
		write_field(w, f, strcmp(f->name, "hook_event_name") == 0 ? ev->name : NULL);
	}
	for (rest = str_from(ev->input); str_split(&rest, ' ', &name);) {
		(void)cut_mark(&name);
		write_field(w, event_field(name),
			    ev->subject && str_eqz(name, ev->subject) ? ev->subjects : NULL);
	}
	jw_end(w);
	jw_key(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(base_fields); i++)
		if (!base_fields[i].optional)
			jw_z(w, base_fields[i].name);
	for (rest = str_from(ev->input); str_split(&rest, ' ', &name);)
		if (cut_mark(&name))
			jw_str(w, name);
	jw_end(w);
	jw_end(w);
}

/* ---- output EVENT ---- */

static void write_answer(struct jw *w, bool inner, enum words words, unsigned honours)
{
	const struct answer_member *m;

	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; (m = answer_member_at(i)); i++)
		if (m->words & words && m->inner == inner && m->parts & honours)
			write_field(w, &m->f, m->f.values);
}

/* ---- settings ---- */

/* What hooks are written in: Claude Code's events have more types of them, and more keys. */
struct style {
	const char *items; /* of a definition's hooks */
	unsigned have; /* KEY_... */
};
static const struct style ours = { "{\"$ref\": \"#/definitions/hook\"}", 0 },
			  claudes = { "{\"$ref\": \"#/definitions/claudeHook\"}", ~0u };

static void write_key(struct jw *w, const struct style *style, const struct object_key *k)
{
	jw_key(w, k->name);
	jw_obj(w);
	jw_kv_z(w, "description", k->text);
	jw_kv_z(w, "type", json_type_name(&(struct json){ .type = (uint8_t)k->type }));
	if (k->values)
		write_words(w, "enum", k->values);
	if (k->items) {
		jw_key(w, "items");
		jw_obj(w);
	}
	if (k == &hook_keys[K_TYPE]) {
		jw_key(w, "enum");
		jw_arr(w);
		jw_z(w, "command");
		for (size_t i = 0; style->have && handler_at(i); i++)
			jw_z(w, handler_at(i)->type);
		jw_end(w);
	} else if (k == &definition_keys[D_HOOKS]) {
		jw_key(w, "items");
		jw_raw(w, str_from(style->items));
	} else if (k->fits == dialect_is_name) {
		jw_key(w, "enum");
		jw_arr(w);
		for (size_t i = 0; i < DIALECT_COUNT; i++)
			jw_z(w, dialects[i].name);
		jw_end(w);
	} else if (k->items) {
		jw_kv_z(w, "type", json_type_name(&(struct json){ .type = (uint8_t)k->items }));
	}
	if (k->items)
		jw_end(w);
	if (k->max > k->min) {
		jw_key(w, "minimum");
		jw_num(w, k->min);
		jw_key(w, "maximum");
		jw_num(w, k->max);
	}
	if (k->rule) {
		jw_key(w, k->rule);
		jw_raw(w, str_from(k->rule_json));
	}
	jw_end(w);
}

/* An object that is left open. */
static void write_keys(struct jw *w, const struct style *style, const struct object_key *keys,
		       size_t n, const char *required)
{
	jw_obj(w);
	jw_kv_z(w, "type", "object");
	jw_key(w, "properties");
	jw_obj(w);
	for (size_t i = 0; i < n; i++)
		if (!keys[i].only || keys[i].only & style->have)
			write_key(w, style, &keys[i]);
	jw_end(w);
	if (required)
		write_words(w, "required", required);
}

/* What a hook of one type must have. */
static void write_needs(struct jw *w, const char *type, const int *needs, size_t n)
{
	jw_obj(w);
	jw_key(w, "if");
	jw_obj(w);
	jw_key(w, "properties");
	jw_obj(w);
	jw_key(w, "type");
	jw_obj(w);
	write_words(w, "enum", type);
	jw_end(w);
	jw_end(w);
	jw_end(w);
	jw_key(w, "then");
	jw_obj(w);
	jw_key(w, "required");
	jw_arr(w);
	for (size_t i = 0; i < n && needs[i]; i++)
		jw_z(w, hook_keys[needs[i]].name);
	jw_end(w);
	jw_end(w);
	jw_end(w);
}

static void write_hook(struct jw *w, const struct style *style)
{
	static const int command[] = { K_COMMAND };
	const struct handler *row;

	write_keys(w, style, hook_keys, HOOK_KEYS, "type");
	jw_key(w, "allOf");
	jw_arr(w);
	write_needs(w, "command", command, ARRAY_LEN(command));
	for (size_t i = 0; style->have && (row = handler_at(i)); i++)
		write_needs(w, row->type, row->needs, ARRAY_LEN(row->needs));
	jw_end(w);
	jw_end(w);
}

static void write_event(struct jw *w, const char *name, const char *summary, const char *items)
{
	jw_key(w, name);
	jw_obj(w);
	jw_kv_z(w, "description", summary);
	jw_kv_z(w, "type", "array");
	jw_key(w, "items");
	jw_raw(w, str_from(items));
	jw_end(w);
}

/* Ours, and what Claude Code calls them: either can be written. */
static void write_events(struct jw *w)
{
	static const char own[] = "{\"$ref\": \"#/definitions/definition\"}",
			  claude[] = "{\"$ref\": \"#/definitions/claudeDefinition\"}";
	const struct dialect *d = &dialects[DIALECT_CLAUDE];

	for (size_t i = 0; i < EV_COUNT; i++) {
		const struct dialect *whose = dialect_of_runtime(str_from(events[i].name));

		if (whose)
			write_event(w, events[i].name, events[i].summary,
				    whose == d ? claude : own);
	}
	for (size_t i = 0; i < d->nevents; i++) {
		const struct dialect_event *e = &d->events[i];

		if (e->when != CASE_NEVER && !dialect_of_runtime(str_from(e->name)))
			write_event(w, e->name, events[e->moment].summary, claude);
	}
}

static void write_settings(struct jw *w)
{
	write_head(w, "Hooks in a settings file",
		   "The keys of a settings file that concern hooks; others are not looked at.");
	jw_key(w, "properties");
	jw_obj(w);
	jw_key(w, "hooks");
	jw_obj(w);
	jw_kv_z(w, "description", "what is run, by event");
	jw_kv_z(w, "type", "object");
	jw_key(w, "properties");
	jw_obj(w);
	write_events(w);
	jw_end(w);
	jw_end(w);
	jw_key(w, "hooksConfig");
	write_keys(w, &ours, config_keys, CONFIG_KEYS, NULL);
	jw_end(w);
	jw_end(w);
	jw_key(w, "definitions");
	jw_obj(w);
	jw_key(w, "definition");
	write_keys(w, &ours, definition_keys, DEFINITION_KEYS, "hooks");
	jw_end(w);
	jw_key(w, "hook");
	write_hook(w, &ours);
	jw_key(w, "claudeDefinition");
	write_keys(w, &claudes, definition_keys, DEFINITION_KEYS, "hooks");
	jw_end(w);
	jw_key(w, "claudeHook");
	write_hook(w, &claudes);
	jw_end(w);
	jw_end(w);
}

/* ---- the reference of answers ---- */

/* The dialect's events that honour the member; a row an event would say no more. */
static void add_events(struct buf *out, const struct dialect *d, const struct answer_member *m)
{
	size_t n = 0, all = 0, some = out->n;

	for (size_t i = 0; i < d->nevents; i++) {
		const struct dialect_event *e = &d->events[i];
		unsigned honours = e->honours ? e->honours : events[e->moment].honours;

		if (e->when == CASE_NEVER)
			continue;
		all++;
		if (!(honours & m->parts))
			continue;
		buf_addf(out, "%s`%s`", n++ ? ", " : "", e->name);
	}
	if (m->parts & PART_ALWAYS || n == all || !m->parts) {
		out->n = some;
		buf_addz(out, "all");
	}
}

static void add_answers(struct buf *out, const struct dialect *d)
{
	const struct answer_member *m;
	size_t n = 0, last = DIALECT_COUNT;

	for (size_t i = 0; i < DIALECT_COUNT; i++)
		if (dialects[i].words == d->words)
			last = i;
	for (size_t i = 0; i <= last; i++)
		if (dialects[i].words == d->words)
			buf_addf(out, "%s%s",
				 !n++       ? "\n## The "
				 : i < last ? ", "
					    : " and ",
				 dialects[i].name);
	buf_addf(out,
		 " dialect%s\n\n| member | type | events | what it does |\n"
		 "|---|---|---|---|\n",
		 n > 1 ? "s" : "");
	for (size_t i = 0; (m = answer_member_at(i)); i++) {
		AUTO(buf_done) struct buf values = { 0 };
		struct str rest = str_from(m->f.values), word;

		if (!(m->words & d->words))
			continue;
		while (m->f.values && str_split(&rest, ' ', &word))
			buf_addf(&values, "%s`%.*s`", values.n ? ", " : ": ", STR_ARG(word));
		buf_addf(out, "| `%s%s` | %s%s | ", m->inner ? "hookSpecificOutput." : "",
			 m->f.name, m->f.type ? m->f.type : "anything", buf_z(&values));
		add_events(out, d, m);
		buf_addf(out, " | %s |\n", m->f.text);
	}
}

/* docs/answers.md */
static const char reference_head[] =
	"# What a hook may answer\n\n"
	"Printed by `trotline hooks schema answers`, from the table that judges answers (C3.9).\n"
	"A member that is not listed for an event has no effect there; in the answer of a guard it "
	"is\n"
	"`bad-output`. `trotline hooks schema output EVENT` prints the shapes.\n";

char *tl_schema(const char *what)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out, .pretty = true };
	struct str rest = str_from(what), kind;

	if (str_eqz(rest, "settings")) {
		write_settings(&w);
		return buf_take(&out);
	}
	if (str_eqz(rest, "answers")) {
		buf_addz(&out, reference_head);
		for (unsigned seen = 0, i = 0; i < DIALECT_COUNT; seen |= dialects[i++].words)
			if (!(seen & dialects[i].words))
				add_answers(&out, &dialects[i]);
		return buf_take(&out);
	}
	if (!str_split(&rest, ' ', &kind))
		return NULL;
	const struct event *ev = event_find(rest);
	if (!ev)
		return NULL;
	if (str_eqz(kind, "input")) {
		write_input(&w, ev);
	} else if (str_eqz(kind, "output")) {
		AUTO(free) char *title = xasprintf("What a %s hook may print on stdout", ev->name);
		const struct dialect *d = dialect_of_runtime(str_from(ev->name));
		const struct dialect_event *as = d ? dialect_event_of(d, ev->id) : NULL;
		enum words words = d ? d->words : WORDS_GEMINI;
		unsigned honours = as && as->honours ? as->honours : ev->honours;

		write_head(&w, title, ev->summary);
		write_answer(&w, false, words, honours | PART_ALWAYS);
		jw_key(&w, "hookSpecificOutput");
		jw_obj(&w);
		jw_kv_z(&w, "description", "what only this event has");
		jw_kv_z(&w, "type", "object");
		write_answer(&w, true, words, honours);
		jw_end(&w);
		jw_end(&w);
		jw_end(&w);
		jw_end(&w);
	} else {
		return NULL;
	}
	return buf_take(&out);
}
