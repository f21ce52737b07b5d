/*
 * The schemas and the event table say what the engine does: what they list is honoured or accepted,
 * what they leave out is reported (C2.1, C2.2, C3.3, C7.1).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

#include "base/json.h"
#include "hooks/answers.h"
#include "hooks/keys.h"
#include "trotline.h"
#include "workbench/products.h"

static void free_hooks(struct tl_hooks *h)
{
	tl_hooks_unref(h);
}
DEFINE_AUTO_PTR(struct tl_hooks, free_hooks)

static const struct json *schema(struct arena *a, const char *what)
{
	AUTO(free) char *text = tl_schema(what);
	const struct json *v;
	struct err err;

	assert_non_null(text);
	if (json_parse(a, arena_str(a, str_from(text)), 0, &v, &err) < 0)
		fail_msg("%s: %s", what, err.text);
	assert_string_equal(arena_z(a, json_get_str(v, "$schema")),
			    "http://json-schema.org/draft-07/schema#");
	return v;
}

static const struct json *event_schema(struct arena *a, const char *kind, const char *event)
{
	return schema(a, arena_printf(a, "%s %s", kind, event).p);
}

static const struct json *specific(const struct json *output)
{
	return json_pointer(output, STR("/properties/hookSpecificOutput/properties"));
}

static struct tl_event_info info_of(size_t i)
{
	struct tl_event_info info = TL_EVENT_INFO_INIT();

	assert_int_equal(tl_event_get(i, &info), 0);
	return info;
}

static void tables_are_full(void **state)
{
	const struct {
		const struct object_key *keys;
		size_t n;
	} tables[] = { { config_keys, CONFIG_KEYS },
		       { definition_keys, DEFINITION_KEYS },
		       { hook_keys, HOOK_KEYS } };

	(void)state;
	for (size_t t = 0; t < ARRAY_LEN(tables); t++)
		for (size_t i = 0; i < tables[t].n; i++) {
			assert_non_null(tables[t].keys[i].name);
			assert_non_null(tables[t].keys[i].text);
		}
}

static void words_that_mean_nothing(void **state)
{
	static const char *const words[] = { "",
					     "setting",
					     "settings ",
					     "input",
					     "input ",
					     "input BeforeTol",
					     "output PreToolUse",
					     "BeforeTool",
					     "inputs BeforeTool" };
	struct tl_event_info info = TL_EVENT_INFO_INIT();

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		assert_null(tl_schema(words[i]));
	assert_int_equal(tl_event_get(tl_event_count(), &info), -TL_E_NOTFOUND);
}

/* An older caller knows fewer members: the others are left alone. */
static void info_honours_the_size(void **state)
{
	struct tl_event_info info = { .size = offsetof(struct tl_event_info, summary),
				      .summary = "mine" };

	(void)state;
	assert_int_equal(tl_event_get(0, &info), 0);
	assert_string_equal(info.name, "BeforeTool");
	assert_string_equal(info.subject, "tool_name");
	assert_string_equal(info.summary, "mine");
}

static void info_names_what_the_schemas_have(void **state)
{
	(void)state;
	for (size_t i = 0; i < tl_event_count(); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf names = { 0 };
		struct tl_event_info info = info_of(i);
		const struct json *in = event_schema(&a, "input", info.name);
		const struct json *out = event_schema(&a, "output", info.name);
		const struct json *members = specific(out);

		for (size_t k = 0; k < members->n; k++)
			buf_addf(&names, "%s%.*s", k ? " " : "", STR_ARG(members->members[k].key));
		assert_string_equal(info.output, buf_z(&names));
		assert_int_equal(info.can_block,
				 json_pointer(out, STR("/properties/decision")) != NULL);
		for (struct str rest = str_from(info.input), w; str_split(&rest, ' ', &w);) {
			w.n -= str_ends(w, STR("?"));
			assert_non_null(json_get(json_getz(in, "properties"), w));
		}
	}
}

/* ---- what a hook may print ---- */

static int answer(struct tl_call *call, void *data)
{
	call->output = data;
	return 0;
}

/* Does the engine say that a member of this answer means nothing on the event? */
static bool is_ignored(const struct tl_event_info *ev, char *output)
{
	static const struct tl_field fields[] = {
		{ "tool_input", "{}", 2 },
		{ "prompt", "\"x\"", 3 },
		{ "llm_request", "{\"model\":\"m\",\"messages\":[]}", 27 },
		{ "llm_response", "{\"candidates\":[]}", 17 },
	};
	AUTO(free_hooks) struct tl_hooks *h = NULL;
	struct tl_runtime_hook hook = TL_RUNTIME_HOOK_INIT(.event = ev->name, .name = "test",
							   .call = answer, .data = output);
	struct str rest = str_from(ev->subjects), word = STR("x");
	struct tl_outcome *o;
	struct tl_err err;
	bool ignored = false;

	assert_int_equal(
		tl_hooks_load(&(struct tl_options)TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES,
								  .home = "/nowhere",
								  .runtime = &hook, .nruntime = 1),
			      &h, &err),
		0);
	(void)str_split(&rest, ' ', &word);
	AUTO(free) char *subject = xstrndup(word.n ? word.p : "x", max_size(word.n, 1));
	if (tl_fire(h,
		    &(struct tl_event)TL_EVENT_INIT(.name = ev->name,
						    .subject = *ev->subject ? subject : NULL,
						    .fields = fields, .nfields = ARRAY_LEN(fields)),
		    NULL, &o, &err) < 0)
		fail_msg("%s: %s", ev->name, err.text);
	for (size_t i = 0; i < tl_outcome_diagnostic_count(o); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_outcome_diagnostic_get(o, i, &d);
		ignored |= strcmp(d.code, "ignored-field") == 0 ||
			   (ev->advisory && strcmp(d.code, "cannot-block") == 0);
	}
	tl_outcome_free(o);
	return ignored;
}

/* C2.1, C2.2: the output schema of an event has exactly the members that the event honours. */
static void output_schema_is_what_is_honoured(void **state)
{
	static const struct {
		const char *name, *value;
		bool top;
	} members[] = {
		{ "decision", "\"deny\"", true },
		{ "continue", "false", true },
		{ "systemMessage", "\"x\"", true },
		{ "clearContext", "true", true },
		{ "additionalContext", "\"x\"", false },
		{ "tool_input", "{\"a\":1}", false },
		{ "tailToolCallRequest", "{\"name\":\"x\",\"args\":{}}", false },
		{ "clearContext", "true", false },
		{ "llm_request", "{\"model\":\"n\"}", false },
		{ "llm_response", "{\"text\":\"x\"}", false },
		{ "toolConfig", "{\"mode\":\"NONE\"}", false },
	};

	(void)state;
	for (size_t i = 0; i < tl_event_count(); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct tl_event_info ev = info_of(i);
		const struct json *out = event_schema(&a, "output", ev.name);

		if (strcmp(ev.name, "Stop") == 0)
			continue; /* has no name in the dialect of runtime hooks */
		bool claude = dialect_of_runtime(str_from(ev.name))->id == DIALECT_CLAUDE;

		for (size_t k = 0; k < ARRAY_LEN(members); k++) {
			/* Members of another dialect are not merely without effect. */
			if (claude && !answer_member_find(WORDS_CLAUDE, !members[k].top,
							  str_from(members[k].name)))
				continue;
			const struct json *in =
				members[k].top ? json_getz(out, "properties") : specific(out);
			/* C4.10: clearContext alone is without effect everywhere. */
			bool with = strcmp(members[k].name, "clearContext") == 0;
			AUTO(free) char *text = xasprintf(
				"{%s%s\"%s\":%s}%s", with ? "\"decision\":\"deny\"," : "",
				members[k].top ? "" : "\"hookSpecificOutput\":{", members[k].name,
				members[k].value, members[k].top ? "" : "}");

			if (!json_get(in, str_from(members[k].name)) != is_ignored(&ev, text))
				fail_msg("%s: %s", ev.name, text);
		}
		assert_non_null(json_pointer(out, STR("/properties/suppressOutput")));
	}
}

/* ---- what may stand in settings ---- */

static struct tl_hooks *load(const char *dialect, struct str text)
{
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .dialect = dialect,
						 .name = "test", .text = text.p, .length = text.n);
	struct tl_hooks *h;
	struct tl_err err;

	if (tl_hooks_load(&(struct tl_options)TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES,
							      .home = "/nowhere",
							      .sources = &source, .nsources = 1),
			  &h, &err) < 0)
		fail_msg("%s", err.text);
	return h;
}

/* The first complaint about a key or its value, or NULL. */
static const char *complaint(const struct tl_hooks *h, struct arena *a)
{
	static const char *const codes[] = { "unknown-key",   "wrong-type",  "bad-value",
					     "unknown-type",  "bad-timeout", "bad-env",
					     "unknown-event", "no-command",  "bad-definition" };

	for (size_t i = 0; i < tl_hooks_diagnostic_count(h); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_hooks_diagnostic_get(h, i, &d);
		for (size_t k = 0; k < ARRAY_LEN(codes); k++)
			if (strcmp(d.code, codes[k]) == 0)
				return arena_printf(a, "%s: %s", d.path, d.text).p;
	}
	return NULL;
}

static void write_members(struct jw *w, const struct json *properties, size_t which);

/* A value that the schema of a key allows; `which` counts through the words of an enum. */
static void write_value(struct jw *w, const struct json *s, size_t which)
{
	struct str type = json_get_str(s, "type");
	const struct json *words = json_getz(s, "enum");
	const struct json *items = json_pointer(s, STR("/items/enum"));

	if (words)
		jw_json(w, json_at(words, which % words->n));
	else if (str_eqz(type, "boolean"))
		jw_bool(w, which % 2);
	else if (str_eqz(type, "number"))
		jw_int(w, (int64_t)json_num(json_getz(s, "maximum"), 500));
	else if (json_getz(s, "properties"))
		write_members(w, json_getz(s, "properties"), which);
	else if (str_eqz(type, "object"))
		jw_raw(w, STR("{\"A\":\"x\",\"B\":1}"));
	else if (str_eqz(type, "array") && items)
		jw_json(w, items);
	else if (str_eqz(type, "array"))
		jw_raw(w, STR("[\"x\"]"));
	else
		jw_z(w, "x");
}

static void write_members(struct jw *w, const struct json *properties, size_t which)
{
	jw_obj(w);
	for (size_t i = 0; i < properties->n; i++) {
		jw_keys(w, properties->members[i].key);
		write_value(w, &properties->members[i].v, which);
	}
	jw_end(w);
}

static void write_object(struct jw *w, const struct json *s, size_t which, const char *but)
{
	const struct json *keys = json_getz(s, "properties");

	for (size_t i = 0; i < keys->n; i++) {
		if (str_eqz(keys->members[i].key, but))
			continue;
		jw_keys(w, keys->members[i].key);
		write_value(w, &keys->members[i].v, which);
	}
}

/* C7.1: every event, key and word of the settings schema is one that the reader knows. */
static void settings_schema_is_what_is_read(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *s = schema(&a, "settings");
	const struct json *all = json_pointer(s, STR("/properties/hooks/properties"));

	(void)state;
	assert_true(all->n > tl_event_count()); /* also in Claude Code's words */
	for (size_t which = 0; which < 6; which++) {
		AUTO(buf_done) struct buf out = { 0 };
		struct jw w = { .out = &out };

		jw_obj(&w);
		jw_key(&w, "hooksConfig");
		jw_obj(&w);
		write_object(&w, json_pointer(s, STR("/properties/hooksConfig")), which, "");
		jw_end(&w);
		jw_key(&w, "hooks");
		jw_obj(&w);
		for (size_t i = 0; i < all->n; i++) {
			jw_keys(&w, all->members[i].key);
			jw_arr(&w);
			jw_obj(&w);
			write_object(&w, json_pointer(s, STR("/definitions/definition")), which,
				     "hooks");
			jw_key(&w, "hooks");
			jw_arr(&w);
			jw_obj(&w);
			write_object(&w, json_pointer(s, STR("/definitions/hook")), which, "");
			for (size_t k = 0; k < 4; k++)
				jw_end(&w);
		}
		jw_end(&w);
		jw_end(&w);
		AUTO(free_hooks) struct tl_hooks *h = load("gemini", buf_str(&out));
		if (complaint(h, &a))
			fail_msg("%s in %s", complaint(h, &a), buf_z(&out));
		assert_int_equal(tl_hooks_count(h), all->n);
	}
}

/* The keys of the table that only the claude dialect has: known there, unknown elsewhere. */
static void claude_keys(void **state)
{
	(void)state;
	for (size_t i = 0; i < HOOK_KEYS; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct object_key *k = &hook_keys[i];
		const char *value = k->type == J_ARR ? "[]" : k->type == J_BOOL ? "true" : "\"\"";

		/* Those of other types than commands: test_handlers.c. */
		if (!(k->only & (KEY_CLAUDE_FILE | KEY_CLAUDE_HOOK)))
			continue;
		for (int claude = 0; claude < 2; claude++) {
			struct str text = arena_printf(
				&a,
				"{\"hooks\":{\"%s\":[{\"hooks\":[{"
				"\"type\":\"command\",\"command\":\"x\",\"%s\":%s}]}]}}",
				claude ? "PreToolUse" : "BeforeTool", k->name, value);
			AUTO(free_hooks) struct tl_hooks *h =
				load(claude ? "claude" : "gemini", text);

			if (claude != (complaint(h, &a) == NULL))
				fail_msg("%s", text.p);
		}
	}
}

static void names_are(const char *text, const struct agent *(*has)(const char *name))
{
	AUTO(buf_done) struct buf padded = { 0 };

	/* "a, b or c" between blanks, so that whole words are looked for. */
	buf_addf(&padded, " %s ", text);
	for (size_t i = 0; i < padded.n; i++)
		if (padded.p[i] == ',')
			padded.p[i] = ' ';
	for (size_t i = 0; i < DIALECT_COUNT; i++) {
		AUTO(free) char *word = xasprintf(" %s ", dialects[i].name);
		bool named = strstr(buf_z(&padded), word) != NULL;

		if (named != (!has || has(dialects[i].name)))
			fail_msg("\"%s\" and%s", text, word);
	}
}

static void lists_in_words_are_the_tables(void **state)
{
	(void)state;
	names_are(DIALECT_NAMES, NULL);
	names_are(AGENT_TARGETS, agent_target);
	names_are(AGENT_SOURCES, agent_source);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_are_full),
		cmocka_unit_test(words_that_mean_nothing),
		cmocka_unit_test(info_honours_the_size),
		cmocka_unit_test(info_names_what_the_schemas_have),
		cmocka_unit_test(output_schema_is_what_is_honoured),
		cmocka_unit_test(settings_schema_is_what_is_read),
		cmocka_unit_test(claude_keys),
		cmocka_unit_test(lists_in_words_are_the_tables),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
