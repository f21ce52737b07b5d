/* trotline mcp serve: the answer of a command, and its JSON in a few lines for people. */
#include "base/utf8.h"
#include "cli/mcp/mcp_serve_tools.h"

enum { ROWS_MAX = 50, TEXT_MAX = 2000, WHY_MAX_BYTES = 8 << 10 };

static struct str text_at(const struct json *v, const char *key)
{
	return json_get_str(v, key);
}

static int64_t int_at(const struct json *v, const char *key)
{
	return json_int(json_getz(v, key), 0);
}

/* A foreign text: visible, not endless. */
static void add(struct buf *out, struct str text)
{
	(void)utf8_add_visible(out, utf8_prefix(text, TEXT_MAX), true);
}

static void add_line(struct buf *out, const char *before, struct str text)
{
	if (!text.n)
		return;
	buf_addz(out, before);
	add(out, text);
	buf_addc(out, '\n');
}

static void add_place(struct buf *out, const struct json *hook)
{
	if (!text_at(hook, "file").n)
		return;
	buf_addz(out, "  ");
	add(out, text_at(hook, "file"));
	if (int_at(hook, "line"))
		buf_addf(out, ":%lld", (long long)int_at(hook, "line"));
}

/* "- BeforeTool guard (matcher write_file)  FILE:LINE" */
static void add_hook(struct buf *out, const struct json *hook)
{
	struct str event = text_at(hook, "event");

	buf_addf(out, "- %.*s%s", STR_ARG(event), event.n ? " " : "");
	add(out, text_at(hook, "name"));
	if (text_at(hook, "matcher").n) {
		buf_addz(out, " (matcher ");
		add(out, text_at(hook, "matcher"));
		buf_addc(out, ')');
	}
	add_place(out, hook);
}

static const struct json *hooks_of(const struct json *doc)
{
	const struct json *hooks = json_getz(doc, "hooks");

	return json_is(hooks, J_ARR) ? hooks : NULL;
}

static size_t rows_of(const struct json *list)
{
	return list ? min_size(list->n, ROWS_MAX) : 0;
}

static void add_more(struct buf *out, const struct json *list)
{
	if (list && list->n > ROWS_MAX)
		buf_addf(out, "and %zu more\n", list->n - ROWS_MAX);
}

void serve_text_list(struct buf *out, const struct json *doc)
{
	const struct json *hooks = hooks_of(doc);
	size_t n = hooks ? hooks->n : 0;
	int64_t hidden, untrusted;

	buf_addf(out, "%zu hook%s in ", n, n == 1 ? "" : "s");
	add(out, text_at(doc, "project"));
	buf_addz(out, json_is_false(json_getz(doc, "folderTrusted"))
			      ? " (the folder is not trusted)\n"
			      : "\n");
	for (size_t i = 0; i < rows_of(hooks); i++) {
		const struct json *h = json_at(hooks, i);

		add_hook(out, h);
		if (text_at(h, "why").n) {
			buf_addz(out, "  not in force: ");
			add(out, text_at(h, "why"));
		}
		buf_addc(out, '\n');
	}
	add_more(out, hooks);
	/* A list that is empty because nobody approved the hooks must not look like one without
	 * hooks. */
	hidden = int_at(doc, "hidden");
	untrusted = int_at(doc, "untrusted");
	if (hidden)
		buf_addf(out, "%lld more %s not run; \"all\": true says why\n", (long long)hidden,
			 hidden == 1 ? "does" : "do");
	if (untrusted)
		buf_addf(out,
			 "%lld of the project's hooks %s for the user's approval: trotline "
			 "hooks trust\n",
			 (long long)untrusted, untrusted == 1 ? "waits" : "wait");
}

void serve_text_why(struct buf *out, const struct json *doc)
{
	const struct json *hooks = hooks_of(doc);

	if (!hooks || !hooks->n)
		buf_addz(out, "No hook is configured for this event.\n");
	for (size_t i = 0; i < rows_of(hooks); i++) {
		const struct json *h = json_at(hooks, i);
		bool runs = str_eqz(text_at(h, "state"), "would-run");

		add_hook(out, h);
		buf_addz(out, runs ? "  runs\n" : "  does not run: ");
		if (runs)
			continue;
		add(out, text_at(h, "why"));
		buf_addc(out, '\n');
	}
	add_more(out, hooks);
}

void serve_text_run(struct buf *out, const struct json *doc)
{
	const struct json *hooks = hooks_of(doc), *o = json_getz(doc, "outcome");
	const struct json *changes = json_getz(o, "changes");
	size_t ran = 0;

	buf_addf(out, "%.*s", STR_ARG(text_at(doc, "event")));
	if (text_at(doc, "subject").n) {
		buf_addc(out, ' ');
		add(out, text_at(doc, "subject"));
	}
	buf_addf(out, ": %.*s\n", STR_ARG(text_at(o, "decision")));
	add_line(out, "reason: ", text_at(o, "reason"));
	add_line(out, "stop reason: ", text_at(o, "stopReason"));
	add_line(out, "message for the user: ", text_at(o, "systemMessage"));
	add_line(out, "context for the model: ", text_at(o, "additionalContext"));
	for (size_t i = 0; json_is(changes, J_OBJ) && i < changes->n; i++)
		add_line(out, "changed: ", changes->members[i].key);
	for (size_t i = 0; hooks && i < hooks->n; i++) {
		const struct json *h = json_at(hooks, i);

		if (!str_eqz(text_at(h, "state"), "ran"))
			continue;
		if (ran++ < ROWS_MAX) {
			add_hook(out, h);
			buf_addf(out, "  %.*s, %.*s, %.1f ms\n", STR_ARG(text_at(h, "class")),
				 STR_ARG(text_at(h, "verdict")), json_num(json_getz(h, "ms"), 0));
			add_line(out, "  reason: ", text_at(h, "reason"));
			add_line(out, "  message: ", text_at(h, "message"));
		}
	}
	buf_addf(out, "%zu hook%s ran\n", ran, ran == 1 ? "" : "s");
}

void serve_text_lint(struct buf *out, const struct json *doc)
{
	const struct json *found = json_getz(doc, "diagnostics");

	found = json_is(found, J_ARR) ? found : NULL;
	buf_addf(out, "%lld error%s, %lld warning%s\n", (long long)int_at(doc, "errors"),
		 int_at(doc, "errors") == 1 ? "" : "s", (long long)int_at(doc, "warnings"),
		 int_at(doc, "warnings") == 1 ? "" : "s");
	for (size_t i = 0; i < rows_of(found); i++) {
		const struct json *d = json_at(found, i);

		buf_addf(out, "- %.*s: ", STR_ARG(text_at(d, "severity")));
		add(out, text_at(d, "text"));
		add_place(out, d);
		buf_addf(out, " [%.*s]\n", STR_ARG(text_at(d, "code")));
	}
	add_more(out, found);
}

void serve_text_report(struct buf *out, const struct json *doc)
{
	static const char *const counts[] = { "denied", "stopped", "asked", "failed" };
	const struct json *hooks = hooks_of(doc);

	if (!hooks || !hooks->n) {
		buf_addz(out, "No record of hooks.\n");
		return;
	}
	buf_addz(out, "Session ");
	add(out, text_at(doc, "session_id"));
	buf_addc(out, '\n');
	for (size_t i = 0; i < rows_of(hooks); i++) {
		const struct json *h = json_at(hooks, i);

		add_hook(out, h);
		if (json_getz(h, "runs"))
			buf_addf(out, "  ran %lld time%s", (long long)int_at(h, "runs"),
				 int_at(h, "runs") == 1 ? "" : "s");
		for (size_t k = 0; k < ARRAY_LEN(counts); k++)
			if (int_at(h, counts[k]))
				buf_addf(out, ", %s %lld", counts[k],
					 (long long)int_at(h, counts[k]));
		buf_addc(out, '\n');
	}
	add_more(out, hooks);
}

/* ---- the result ---- */

static void write_text(struct jw *w, struct str text)
{
	jw_obj(w);
	jw_kv_z(w, "type", "text");
	jw_kv_str(w, "text", text);
	jw_end(w);
}

/* What went wrong, as the command has said it on stderr; without our own name before each line. */
static void add_why(struct buf *out, const struct serve_printed *p)
{
	AUTO(buf_done) struct buf clean = { 0 };
	struct str text = str_trim(p->err);

	if (p->failure)
		buf_addf(out, "%s\n", p->failure);
	(void)utf8_add_visible(&clean, str_sub(text, 0, WHY_MAX_BYTES), true);
	for (struct str rest = buf_str(&clean), line; str_split(&rest, '\n', &line);) {
		if (str_starts(line, STR("trotline: ")))
			line = str_sub(line, 10, line.n);
		/* Options that are for people, not for the agent that hooks watch over. */
		if (str_starts(line, STR("or, for this run only:")))
			continue;
		buf_addf(out, "%.*s\n", STR_ARG(line));
	}
	if (!str_trim(buf_str(out)).n)
		buf_addf(out, "the command has ended with status %d", p->status);
}

/* NULL when the command has printed no answer. */
static const struct json *answer_of(struct arena *a, const struct serve_printed *p)
{
	const struct json *doc;

	if (p->failure || json_parse(a, p->out, 0, &doc, NULL) < 0 || json_getz(doc, "error"))
		return NULL;
	return doc;
}

void serve_result(struct buf *out, const struct serve_command *command,
		  const struct serve_printed *printed)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *doc = answer_of(&a, printed);
	struct jw w = { .out = out };

	if (doc)
		command->tell(&text, doc);
	else
		add_why(&text, printed);
	jw_obj(&w);
	jw_key(&w, "content");
	jw_arr(&w);
	write_text(&w, str_trim(buf_str(&text)));
	/* The protocol wants the same as text, for clients that know no structured content. */
	if (json_is(doc, J_OBJ))
		write_text(&w, json_text(&a, doc, JSON_COMPACT));
	jw_end(&w);
	if (json_is(doc, J_OBJ)) {
		jw_key(&w, "structuredContent");
		jw_json(&w, doc);
	}
	jw_kv_bool(&w, "isError", !doc);
	jw_end(&w);
}
