#include "transcript_fixture.h"

#include <stdio.h>
#include <unistd.h>

#include "os/fs.h"
#include "temp.h"

struct arena mem;

static char dir[TEMP_SIZE];

int tx_setup(void **state)
{
	(void)state;
	return temp_make(dir);
}

int tx_teardown(void **state)
{
	(void)state;
	(void)temp_remove(dir);
	arena_done(&mem);
	return 0;
}

const char *in_dir(const char *name)
{
	return *name ? arena_printf(&mem, "%s/%s", dir, name).p : dir;
}

const struct json *js(const char *text)
{
	char *copy = arena_z(&mem, str_from(text));
	const struct json *v = NULL;
	struct err err = { 0 };

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	if (json_parse(&mem, str_from(copy), 0, &v, &err) < 0)
		fail_msg("%s: %s", copy, err.text);
	return v;
}

void put(const char *path, const char *text)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(free) char *parent = xstrndup(path, (size_t)(strrchr(path, '/') - path));

	for (; *text; text++)
		buf_addc(&out, *text == '\'' ? '"' : *text);
	assert_int_equal(fs_mkdirs(parent, 0700, NULL), 0);
	assert_int_equal(fs_replace(path, buf_str(&out), 0600, NULL), 0);
}

const char *get(const char *path)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct err err = { 0 };

	if (fs_read(path, (size_t)1 << 30, &out, &err) < 0)
		fail_msg("%s", err.text);
	return arena_z(&mem, buf_str(&out));
}

const struct json *line_of(const char *path, size_t i)
{
	struct str rest = str_from(get(path)), line = { 0 };
	const struct json *v = NULL;

	for (size_t k = 0; k <= i; k++)
		assert_true(str_split(&rest, '\n', &line));
	assert_true(json_parse(&mem, line, 0, &v, NULL) >= 0);
	return v;
}

void assert_str(const struct json *obj, const char *key, const char *expected)
{
	struct str s = json_str(json_getz(obj, key), STR("(none)"));

	assert_string_equal(arena_z(&mem, s), expected);
}

void assert_json(const struct json *v, const char *expected)
{
	if (!json_equal(v, js(expected)))
		fail_msg("%s\nis not\n%s", v ? json_text(&mem, v, 0).p : "nothing", expected);
}

static void put_str(struct buf *out, const char *before, const struct json *obj, const char *key)
{
	buf_addz(out, before);
	buf_adds(out, json_get_str(obj, key));
}

static void put_part(struct buf *out, const struct json *part)
{
	const struct json *call = json_getz(part, "functionCall");
	const struct json *response = json_getz(part, "functionResponse");

	if (call) {
		put_str(out, "+", call, "id");
		put_str(out, " ", call, "name");
	} else if (response) {
		put_str(out, "=", response, "id");
		put_str(out, " ", response, "name");
		put_str(out, " ", json_getz(response, "response"), "output");
	} else if (json_getz(part, "text")) {
		put_str(out, "", part, "text");
	} else {
		(void)json_write(out, part, 0);
	}
	if (json_getz(part, "thoughtSignature"))
		put_str(out, " ~", part, "thoughtSignature");
}

void assert_history(const struct json *history, const char *expected)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < history->n; i++) {
		const struct json *parts = json_getz(&history->items[i], "parts");

		put_str(&out, "", &history->items[i], "role");
		for (size_t k = 0; k < parts->n; k++) {
			buf_addz(&out, k ? " | " : ": ");
			put_part(&out, &parts->items[k]);
		}
		buf_addc(&out, '\n');
	}
	assert_string_equal(buf_z(&out), expected);
}

struct transcript *make(const char *id)
{
	struct err err = { 0 };
	struct transcript *t = transcript_new(in_dir("chats"), PROJECT, id, &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

const struct json *resume_at(const char *path)
{
	const struct json *history = NULL;
	struct err err = { 0 };
	struct transcript *t = transcript_resume(path, &mem, &history, &err);

	if (!t)
		fail_msg("%s", err.text);
	transcript_free(t);
	return history;
}

const struct json *end(struct transcript *t)
{
	const char *path = arena_z(&mem, str_from(transcript_path(t)));

	assert_null(transcript_error(t));
	transcript_free(t);
	return resume_at(path);
}

void user(struct transcript *t, const char *text)
{
	const struct json *part = json_new_str(&mem, str_from(text));

	part = json_set(&mem, NULL, STR("text"), part);
	transcript_user(t, json_new_arr(&mem, &part, 1), NULL, false);
}

void model(struct transcript *t, const char *text)
{
	const struct json *part = json_new_str(&mem, str_from(text));

	part = json_set(&mem, NULL, STR("text"), part);
	transcript_model(t, json_new_arr(&mem, &part, *text != '\0'), NULL, NULL, "gemini-pro");
}
