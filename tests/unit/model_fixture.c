#include "model_fixture.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/wait.h>

#include "os/fs.h"
#include "temp.h"

static void spawn_server(struct fake_api *f, int in, int out)
{
	const char *root = getenv("TEST_SOURCE_ROOT");
	AUTO(free) char *path = xasprintf("%s/tests/model/server.py", root ? root : ".");
	const char *const argv[] = { "python3", path, f->dir, NULL };
	posix_spawn_file_actions_t actions;

	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, in, 0);
	(void)posix_spawn_file_actions_adddup2(&actions, out, 1);
	assert_int_equal(posix_spawnp(&f->pid, "python3", &actions, NULL,
				      (char *const *)(uintptr_t)argv, environ),
			 0);
	(void)posix_spawn_file_actions_destroy(&actions);
}

int fake_start(void **state)
{
	struct fake_api *f = xcalloc(1, sizeof *f);
	int in[2], out[2];
	char line[16];
	FILE *stream;

	assert_int_equal(temp_make(f->dir), 0);
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	spawn_server(f, in[0], out[1]);
	(void)close(in[0]);
	(void)close(out[1]);
	f->in = in[1];
	stream = fdopen(out[0], "r");
	assert_non_null(fgets(line, sizeof line, stream)); /* ends when the server does */
	(void)fclose(stream);
	f->port = (int)strtol(line, NULL, 10);
	assert_in_range(f->port, 1, 65535);
	*state = f;
	return 0;
}

int fake_stop(void **state)
{
	struct fake_api *f = *state;
	pid_t ended;

	(void)kill(f->pid, SIGTERM);
	do {
		ended = waitpid(f->pid, NULL, 0);
	} while (ended < 0 && errno == EINTR);
	(void)close(f->in);
	(void)temp_remove(f->dir);
	arena_done(&f->arena);
	buf_done(&f->chunks);
	free(f);
	return 0;
}

/* In the arena, with " for '. */
static char *quoted(struct arena *a, const char *json)
{
	char *text = arena_z(a, str_from(json));

	for (char *c = text; *c; c++)
		if (*c == '\'')
			*c = '"';
	return text;
}

void fake_answer(struct fake_api *f, int status, const char *type, const char *then,
		 const char *body)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(free) char *path = xasprintf("%s/%u", f->dir, f->answers++);

	buf_addf(&out,
		 "{\"status\":%d,\"headers\":{\"Content-Type\":\"%s\",\"Retry-After\":\"0\"},"
		 "\"then\":\"%s\"}\n",
		 status, type ? type : "text/event-stream", then);
	buf_addz(&out, quoted(&f->arena, body));
	assert_int_equal(fs_replace(path, buf_str(&out), 0600, NULL), 0);
}

const struct json *fake_json(struct arena *a, const char *json)
{
	const struct json *v = NULL;
	struct err err = { 0 };

	if (json_parse(a, str_from(quoted(a, json)), 0, &v, &err) < 0)
		fail_msg("%s: %s", json, err.text);
	return v;
}

const struct json *fake_asked(struct fake_api *f, unsigned n)
{
	AUTO(free) char *path = xasprintf("%s/requests", f->dir);
	AUTO(buf_done) struct buf text = { 0 };
	struct str rest, line;
	const struct json *v = NULL;

	assert_int_equal(fs_read(path, 1 << 20, &text, NULL), 0);
	rest = buf_str(&text);
	do
		assert_true(str_split(&rest, '\n', &line));
	while (n-- > 0);
	assert_int_equal(json_parse(&f->arena, line, 0, &v, NULL), 0);
	return v;
}

const char *fake_url(struct fake_api *f, const char *path)
{
	return arena_printf(&f->arena, "http://127.0.0.1:%d%s", f->port, path).p;
}

static int collect(void *data, const struct json *response, struct err *err)
{
	(void)err;
	(void)json_write(data, response, JSON_COMPACT);
	buf_addc(data, '\n');
	return 0;
}

int fake_stream(struct fake_api *f, struct provider *p, const struct model_request *rq,
		struct err *err)
{
	struct model_sink sink = { collect, &f->chunks };

	buf_clear(&f->chunks);
	return provider_stream(p, rq, &sink, NULL, err);
}

struct model_request fake_request(struct fake_api *f, const char *json)
{
	const struct json *v = fake_json(&f->arena, json);

	return (struct model_request){
		.model = "m",
		.contents = json_getz(v, "contents"),
		.system = json_getz(v, "system"),
		.tools = json_getz(v, "tools"),
		.config = json_getz(v, "config"),
		.tool_config = json_getz(v, "toolConfig"),
	};
}

void fake_assert_json(struct fake_api *f, const struct json *got, const char *expected)
{
	assert_non_null(got);
	assert_string_equal(json_text(&f->arena, got, 0).p,
			    json_text(&f->arena, fake_json(&f->arena, expected), 0).p);
}
