/* A hook that is an address: the payload goes there, and what comes back is its answer. */

#include "agent/hook_work.h"
#include "net/fetch.h"
#include "os/clock.h"

static bool may_enter(void *private_ok, const char *host, int port)
{
	(void)host;
	(void)port;
	return *(const bool *)private_ok;
}

int hook_run_http(struct hook_work *work, struct err *err)
{
	AUTO(fetch_reply_done) struct fetch_reply reply = { 0 };
	bool private_ok = json_is_true(json_getz(work->request, "private"));
	int left_ms = (int)((work->until_us - clock_us()) / 1000) + 1;
	const struct json *theirs = json_getz(work->request, "headers");
	const char **headers = ARENA_ARRAY(work->a, const char *, theirs->n + 2);
	struct fetch f = {
		.url = arena_z(work->a, json_get_str(work->request, "url")),
		.headers = headers,
		.body = { work->question->payload, work->question->payload_length },
		.stays = true,
		.max_bytes = HOOK_ANSWER_MAX,
		.timeout_ms = left_ms,
		.idle_timeout_ms = left_ms,
		.may_enter = may_enter,
		.data = &private_ok,
	};
	int r;

	for (size_t i = 0; i < theirs->n; i++)
		headers[i] = arena_printf(work->a, "%.*s: %.*s", STR_ARG(theirs->members[i].key),
					  STR_ARG(json_str(&theirs->members[i].v, STR(""))))
				     .p;
	/* JSON is what we send, whatever the hook says besides. */
	if (!http_has_header(headers, "Content-Type"))
		headers[theirs->n] = "Content-Type: application/json";
	r = fetch_run(&f, work->cancel, &reply, err);
	if (r == -E_UNTRUSTED)
		return err_set(err, E_UNTRUSTED,
			       "%s; allowedHttpHookUrls in the settings can let a hook lead there",
			       arena_z(work->a, str_from(err->text)));
	if (r < 0)
		return r;
	if (reply.http.status < 200 || reply.http.status > 299)
		return err_set(err, E_IO, "the server answered %d", reply.http.status);
	if (reply.cut)
		return err_set(err, E_LIMIT, "the answer is longer than %d bytes", HOOK_ANSWER_MAX);
	work->answer = arena_str(work->a, buf_str(&reply.http.body));
	return 0;
}
