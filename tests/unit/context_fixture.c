#include "context_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>

struct context_fixture cx;

static void complain(void *data, enum note_kind kind, const char *text)
{
	(void)data;
	buf_addf(&cx.complaints, "%s%s\n", note_prefix(kind), text);
}

int context_setup(void **state)
{
	static const char *const no_env[] = { NULL };

	(void)tools_setup(state);
	cx.complaints = (struct buf){ 0 };
	cx.arena = (struct arena){ 0 };
	(void)snprintf(cx.home, sizeof cx.home, "%s/home", fx.outside);
	cx.o = (struct context_options){
		.home = cx.home,
		.cwd = fx.dir,
		.project = fx.dir,
		.temp_dir = fx.temp,
		.roots = fx.roots,
		.env = no_env,
		.trusted = true,
		.notes = { complain, NULL },
	};
	assert_int_equal(fs_mkdirs(at(".git"), 0755, NULL), 0);
	return 0;
}

int context_teardown(void **state)
{
	context_seen_free(cx.o.seen);
	arena_done(&cx.arena);
	buf_done(&cx.complaints);
	return tools_teardown(state);
}

void settings(const char *text)
{
	AUTO(free) char *quoted = xstrdup(text);

	for (char *p = quoted; *p; p++)
		if (*p == '\'')
			*p = '"';
	assert_int_equal(json_parse(&cx.arena, arena_str(&cx.arena, str_from(quoted)), 0,
				    &cx.o.settings, NULL),
			 0);
}

void put_outside(const char *name, const char *text)
{
	AUTO(free) char *path = fs_join(fx.outside, name);
	AUTO(free) char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));

	assert_int_equal(fs_mkdirs(dir, 0755, NULL), 0);
	assert_int_equal(fs_replace(path, str_from(text), 0644, NULL), 0);
}

const char *complaints(void)
{
	return buf_z(&cx.complaints);
}

void assert_hasnt(const char *text, const char *part)
{
	if (strstr(text, part))
		fail_msg("\"%s\" is in: %s", part, text);
}

size_t count(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		n++;
	return n;
}
