#include "tools_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <sys/stat.h>

#include "temp.h"
#include "tools/schema_check.h"

struct tools_fixture fx;

static void make_dir(char path[64])
{
	assert_int_equal(temp_make(path), 0);
	AUTO(free) char *real = fs_real(path);
	(void)snprintf(path, 64, "%s", real);
}

int tools_setup(void **state)
{
	static const char *const env[] = { NULL };

	(void)state;
	fx = (struct tools_fixture){ 0 };
	make_dir(fx.dir);
	make_dir(fx.outside);
	make_dir(fx.temp);
	fx.roots[0] = fx.dir;
	fx.env = (struct tool_env){
		.cwd = fx.dir,
		.roots = fx.roots,
		.temp_dir = fx.temp,
		.env = env,
	};
	return 0;
}

int tools_teardown(void **state)
{
	(void)state;
	arena_done(&fx.arena);
	(void)temp_remove(fx.dir);
	(void)temp_remove(fx.outside);
	(void)temp_remove(fx.temp);
	return 0;
}

void call(const char *name, const char *args)
{
	const struct tool *t = tool_find(str_from(name));
	struct tool_call c = { .env = &fx.env, .arena = &fx.arena, .cancel = fx.cancel };
	AUTO(free) char *text = xstrdup(args);
	const struct json *schema;
	struct err err;

	arena_done(&fx.arena);
	fx.result = (struct tool_result){ 0 };
	for (char *p = text; *p; p++)
		if (*p == '\'')
			*p = '"';
	assert_non_null(t);
	if (json_parse(&fx.arena, str_from(text), 0, &c.args, &err) < 0)
		fail_msg("%s: %s", text, err.text);
	assert_int_equal(json_parse(&fx.arena, str_from(t->parameters), 0, &schema, NULL), 0);
	if (schema_check(schema, c.args, "params", &err) < 0)
		tool_fail(&c, &fx.result, "invalid_tool_params", "%s", err.text);
	else
		t->run(&c, &fx.result);
	assert_non_null(fx.result.llm_content);
}

const char *content(void)
{
	const struct json *v = fx.result.llm_content;

	if (v->type == J_STR)
		return arena_z(&fx.arena, json_str(v, STR("")));
	return json_text(&fx.arena, v, JSON_COMPACT).p;
}

const char *error_type(void)
{
	return fx.result.error_type ? fx.result.error_type : "";
}

const char *display(const char *pointer)
{
	const struct json *v = json_pointer(fx.result.display, str_from(pointer));

	assert_non_null(v);
	if (v->type == J_STR)
		return arena_z(&fx.arena, json_str(v, STR("")));
	return json_text(&fx.arena, v, JSON_COMPACT).p;
}

void put_bytes(const char *name, struct str bytes)
{
	const char *path = at(name);
	AUTO(free) char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));

	assert_int_equal(fs_mkdirs(dir, 0755, NULL), 0);
	assert_int_equal(fs_replace(path, bytes, 0644, NULL), 0);
}

void put(const char *name, const char *text)
{
	put_bytes(name, str_from(text));
}

struct str get(const char *name)
{
	AUTO(buf_done) struct buf text = { 0 };

	assert_int_equal(fs_read(at(name), 1 << 26, &text, NULL), 0);
	return arena_str(&fx.arena, buf_str(&text));
}

const char *at(const char *name)
{
	static char paths[4][512];
	static size_t next;
	char *path = paths[next++ % 4];

	(void)snprintf(path, sizeof paths[0], "%s/%s", fx.dir, name);
	return path;
}

void assert_has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" is not in: %s", part, text);
}

void put_lines(const char *name, int n)
{
	AUTO(buf_done) struct buf text = { 0 };

	for (int i = 1; i <= n; i++)
		buf_addf(&text, "line %d\n", i);
	put_bytes(name, buf_str(&text));
}

const char *format(const char *fmt, ...)
{
	static char texts[4][4096];
	static size_t next;
	char *text = texts[next++ % 4];
	va_list ap;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof texts[0], fmt, ap);
	va_end(ap);
	return text;
}

void assert_content(const char *expected)
{
	assert_string_equal(content(), expected);
	assert_string_equal(error_type(), "");
}

void assert_fails(const char *type, const char *part)
{
	assert_string_equal(error_type(), type);
	assert_has(arena_z(&fx.arena, fx.result.error), part);
	assert_true(json_is(fx.result.llm_content, J_STR));
}

void assert_file(const char *name, const char *text)
{
	assert_string_equal(get(name).p, text);
}
