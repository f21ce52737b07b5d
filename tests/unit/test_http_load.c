/*
 * The HTTP client in its process: when libcurl is loaded, what children inherit, and what the
 * environment says of certificates.
 */
#include "net_fixture.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>

#include "os/proc.h"

/* A child gets neither the connections nor the descriptors that libcurl wakes itself with. */
static void children_inherit_nothing(void **state)
{
	const char *const argv[] = { "sh", "-c", "for i in /proc/self/fd/*; do echo ${i##*/}; done",
				     NULL };
	AUTO(client_done) struct client c = { 0 };
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = "/bin/sh", .argv = argv };

	(void)state;
	assert_int_equal(ASK(&c, "/echo"), 0);
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	for (struct str rest = buf_str(&p.result.out), fd; str_split(&rest, '\n', &fd);)
		assert_true(fd.n <= 1 && (!fd.n || *fd.p <= '3')); /* 3: the directory */
}

/* Runs this program again, with arguments and one more variable, and returns its exit status. */
static int run_self(const char *what, const char *value, const char *variable)
{
	const char *const argv[] = { "test_http", what, value, NULL };
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = "/proc/self/exe",
				  .argv = argv,
				  .timeout_ms = NET_DEADLINE_MS };

	if (variable)
		(void)setenv(variable, value, 1);
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	if (variable)
		(void)unsetenv(variable);
	assert_int_equal(p.result.end, PROC_EXITED);
	return p.result.code;
}

static bool libcurl_is_loaded(void)
{
	char line[4096];
	bool found = false;
	FILE *f = fopen("/proc/self/maps", "r");

	while (f && fgets(line, sizeof line, f))
		found = found || strstr(line, "libcurl");
	if (f)
		(void)fclose(f);
	return found;
}

/* In a process of its own: exit status 0 when all is as it should be. */
static int load_main(const char *url)
{
	AUTO(client_done) struct client c = { .http = http_new() };

	if (libcurl_is_loaded())
		return 2;
	if (ask(&c, (struct http_request){ .url = NULL }) != -E_INVAL || libcurl_is_loaded())
		return 3;
	return ask(&c, (struct http_request){ .url = url }) == 0 && libcurl_is_loaded() ? 0 : 4;
}

static int missing_main(void)
{
	static const char sentence[] = "libcurl is not installed: apt install libcurl4";
	AUTO(client_done) struct client c = { 0 };

	for (int i = 0; i < 2; i++) {
		if (ask(&c, (struct http_request){ .url = "http://127.0.0.1/" }) != -E_NOTFOUND)
			return 2;
		if (strncmp(c.err.text, sentence, sizeof sentence - 1) != 0)
			return 3;
	}
	return 0;
}

static void libcurl_is_loaded_by_the_first_request(void **state)
{
	(void)state;
	assert_int_equal(run_self("load", server_url(&server, "/echo"), NULL), 0);
}

/* A file in its place that is no library. */
static void libcurl_is_missing(void **state)
{
	char dir[] = "/tmp/trotline-XXXXXX";

	(void)state;
	assert_non_null(mkdtemp(dir));
	AUTO(free) char *path = xasprintf("%s/libcurl.so.4", dir);
	(void)close(open(path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	int status = run_self("missing", dir, "LD_LIBRARY_PATH");
	(void)unlink(path);
	(void)rmdir(dir);
	assert_int_equal(status, 0);
}

/* The program under test neither links libcurl nor loads it. */
static void trotline_does_not_need_libcurl(void **state)
{
	const char *trotline = getenv("TROTLINE");
	const char *const argv[] = { "trotline", "hooks", "list", NULL };
	const char *const env[] = { "LD_DEBUG=libs", "HOME=/nonexistent", NULL };
	AUTO(proc_done) struct proc p;
	struct proc_spec spec = { .file = trotline,
				  .argv = argv,
				  .envp = env,
				  .cwd = "/",
				  .max_stderr = 1 << 22,
				  .timeout_ms = NET_DEADLINE_MS };

	(void)state;
	assert_int_equal(proc_run(&p, &spec, NULL, NULL), 0);
	assert_int_equal(p.result.end, PROC_EXITED);
	assert_true(str_find(buf_str(&p.result.err), STR("libc.so"), 0) >= 0);
	assert_true(str_find(buf_str(&p.result.err), STR("libcurl"), 0) < 0);
}

static int ask_tls(struct client *c, const struct loopback *s, const char *variable,
		   const char *value)
{
	AUTO(free) char *url = xasprintf("https://127.0.0.1:%d/echo", s->port);

	if (variable)
		(void)setenv(variable, value, 1);
	int r = ask(c, (struct http_request){ .url = url, .retries = 2 });
	if (variable)
		(void)unsetenv(variable);
	return r;
}

static void check_tls(const struct loopback *s, const char *cert)
{
	static const char *const variables[] = { "SSL_CERT_FILE", "NODE_EXTRA_CA_CERTS" };
	char path[128];

	for (size_t i = 0; i < ARRAY_LEN(variables); i++) {
		AUTO(client_done) struct client c = { 0 };

		assert_int_equal(ask_tls(&c, s, variables[i], cert), 0);
		assert_echoed(&c, "/target", "/echo");
	}
	AUTO(client_done) struct client c = { 0 };
	assert_int_equal(ask_tls(&c, s, NULL, NULL), -E_IO);
	assert_says(&c, "the certificate of 127.0.0.1");
	assert_int_equal(c.reply.attempts, 1);
	assert_int_equal(ask_tls(&c, s, "NODE_EXTRA_CA_CERTS", "/nonexistent"), -E_NOTFOUND);
	assert_says(&c, "NODE_EXTRA_CA_CERTS: ");
	(void)setenv("SSL_CERT_FILE", cert, 1);
	(void)snprintf(path, sizeof path, "/redirect?to=%s", server_url(&server, "/echo"));
	AUTO(free) char *url = xasprintf("https://127.0.0.1:%d%s", s->port, path);
	int r = ask(&c, (struct http_request){ .url = url });
	(void)unsetenv("SSL_CERT_FILE");
	assert_int_equal(r, -E_IO);
	assert_says(&c, "redirects to http");
}

static void tls(void **state)
{
	char dir[] = "/tmp/trotline-XXXXXX";
	struct loopback s;

	(void)state;
	assert_non_null(mkdtemp(dir));
	AUTO(free) char *cert = xasprintf("%s/cert", dir);
	AUTO(free) char *key = xasprintf("%s/key", dir);
	loopback_certificate(cert, key);
	loopback_start(&s, "net/server.py", (const char *const[]){ "--tls", cert, key, NULL });
	check_tls(&s, cert);
	server_stop(&s);
	(void)unlink(cert);
	(void)unlink(key);
	(void)rmdir(dir);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(libcurl_is_loaded_by_the_first_request),
		cmocka_unit_test(libcurl_is_missing),
		cmocka_unit_test(trotline_does_not_need_libcurl),
		cmocka_unit_test(children_inherit_nothing),
		cmocka_unit_test(tls),
	};

	if (argc == 3 && strcmp(argv[1], "load") == 0)
		return load_main(argv[2]);
	if (argc == 3 && strcmp(argv[1], "missing") == 0)
		return missing_main();
	if (!loopback_has_openssl())
		cmocka_set_skip_filter("tls");
	return cmocka_run_group_tests(tests, net_set_up, net_tear_down);
}
