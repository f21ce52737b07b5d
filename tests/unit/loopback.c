#include "loopback.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <unistd.h>

#include "base/util.h"
#include "os/fs.h"
#include "os/proc.h"

enum { OPENSSL_MS = 60000 };

void loopback_start(struct loopback *s, const char *script, const char *const *args)
{
	AUTO(free) char *path = xasprintf("%s/tests/%s", getenv("TEST_SOURCE_ROOT"), script);
	const char *argv[8] = { "python3", path };
	posix_spawn_file_actions_t actions;
	int in[2], out[2];
	char line[16];

	for (size_t i = 0; args && args[i]; i++)
		argv[i + 2] = args[i];
	assert_int_equal(pipe2(in, O_CLOEXEC), 0);
	assert_int_equal(pipe2(out, O_CLOEXEC), 0);
	(void)posix_spawn_file_actions_init(&actions);
	(void)posix_spawn_file_actions_adddup2(&actions, in[0], 0);
	(void)posix_spawn_file_actions_adddup2(&actions, out[1], 1);
	assert_int_equal(posix_spawnp(&s->pid, "python3", &actions, NULL,
				      (char *const *)(uintptr_t)argv, environ),
			 0);
	(void)posix_spawn_file_actions_destroy(&actions);
	(void)close(in[0]);
	(void)close(out[1]);
	s->in = in[1];
	FILE *f = fdopen(out[0], "r");
	assert_non_null(fgets(line, sizeof line, f)); /* ends when the server does */
	(void)fclose(f);
	s->port = (int)strtol(line, NULL, 10);
	assert_in_range(s->port, 1, 65535);
}

void loopback_certificate(const char *cert, const char *key)
{
	AUTO(free) char *script =
		xasprintf("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes "
			  "-subj /CN=test -addext subjectAltName=IP:127.0.0.1 "
			  "-keyout '%s' -out '%s'",
			  key, cert);
	const char *const argv[] = { "sh", "-c", script, NULL };
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = "/bin/sh", .argv = argv, .timeout_ms = OPENSSL_MS };

	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	assert_int_equal(p.result.end, PROC_EXITED);
	assert_int_equal(p.result.code, 0);
}

bool loopback_has_openssl(void)
{
	AUTO(free) char *found = NULL;

	return fs_find_program("openssl", getenv("PATH"), &found);
}
