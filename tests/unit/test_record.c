/* Why a hook did or did not run, and that the record tells no secrets (contract 7.5). */
#include "engine_fixture.h"

#include "base/buf.h"

#define EVERY_STATE                                                                                \
	"{'hooksConfig':{'disabled':['off']},'hooks':{'BeforeTool':["                              \
	"{'matcher':'^x$','sequential':true,'hooks':["                                             \
	"{'type':'command','command':'true','name':'ran'},"                                        \
	"{'type':'command','command':'true','name':'off'},"                                        \
	"{'type':'command','command':'true','name':'ran'},"                                        \
	"{'type':'command','command':'exit 2','name':'no'},"                                       \
	"{'type':'command','command':'true','name':'late'}]},\n"                                   \
	"{'matcher':'^y$','hooks':[{'type':'command','command':'true','name':'other'}]}]}}"

static const char jpfork_text[] =
	"{\"hooks\":{\"PostToolUse\":[{\"hooks\":[{\"type\":\"command\",\"command\":\"true\"}]}]}}";

/* C7.5: each state is recorded, with a sentence and a place. */
static void c7_5_every_state(void **state)
{
	static const enum tl_state fired[] = { TL_STATE_UNTRUSTED, TL_STATE_RAN, TL_STATE_DISABLED,
					       TL_STATE_DUPLICATE, TL_STATE_RAN, TL_STATE_SKIPPED,
					       TL_STATE_NO_MATCH };
	const char *project = fx_settings("BeforeTool", "true", "'name':'project'");
	const char *user = fx_json(EVERY_STATE);
	struct tl_source s[] = {
		{ .size = sizeof *s,
		  .tier = TL_TIER_PROJECT,
		  .name = "p.json",
		  .text = project,
		  .length = strlen(project) },
		{ .size = sizeof *s,
		  .tier = TL_TIER_USER,
		  .name = "u.json",
		  .text = user,
		  .length = strlen(user) },
		{ .size = sizeof *s,
		  .tier = TL_TIER_USER,
		  .name = "j.json",
		  .dialect = "jpfork",
		  .text = jpfork_text,
		  .length = sizeof jpfork_text - 1 },
	};
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		FX_LOAD(.flags = TL_LOAD_NO_FILES, .sources = s, .nsources = ARRAY_LEN(s));
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "BeforeTool", .subject = "x", .session_id = "s-7",
			.turn_id = "t", .seq = 3);
	AUTO(free) char *record = tl_outcome_record(o);

	(void)state;
	assert_int_equal(tl_outcome_report_count(o), ARRAY_LEN(fired));
	for (size_t i = 0; i < ARRAY_LEN(fired); i++) {
		struct tl_report r = fx_report(o, i);

		assert_int_equal(r.state, fired[i]);
		assert_int_equal(r.why[0] != '\0', fired[i] != TL_STATE_RAN);
		assert_string_equal(r.hook->file, i ? "u.json" : "p.json");
		assert_int_equal(r.hook->line, i == 6 ? 2 : 1);
		fx_assert_has(record, fx_fmt("\"state\":\"%s\"", tl_state_name(fired[i])));
		if (fired[i] != TL_STATE_RAN && fired[i] != TL_STATE_WOULD_RUN)
			assert_int_equal(r.how, TL_CLASS_NOT_RUN);
		/* tl_why says the same without running anything. */
		enum tl_state before = fx_why(h, "x", i);
		assert_int_equal(before, fired[i] == TL_STATE_RAN || fired[i] == TL_STATE_SKIPPED
						 ? TL_STATE_WOULD_RUN
						 : fired[i]);
	}
	fx_assert_has(fx_report(o, 3).why, "u.json:1");
	fx_assert_has(fx_report(o, 5).why, "\"no\"");
	fx_assert_has(record, "\"file\":\"u.json\",\"line\":2");
	fx_assert_has(record, "\"session_id\":\"s-7\"");
	fx_assert_has(record, "\"seq\":3");
	fx_assert_has(record, "\"class\":\"blocked\"");
	assert_null(strchr(record, '\n'));
	AUTO(tl_outcome_free) struct tl_outcome *failed =
		FX_FIRE(h, .name = "AfterTool", .subject = "x", .failed = 1);
	assert_int_equal(fx_report(failed, 0).state, TL_STATE_NOT_HERE);
	assert_true(fx_report(failed, 0).why[0]);
}

/*
 * C7.5: a firing in which nothing ran is recorded, too.  Its outcome is shared by all firings like
 * it, so it says what was asked for but not by which session.
 */
static void c7_5_record_when_nothing_ran(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_text(TL_TIER_USER, NULL,
			     "{'hooks':{'BeforeTool':[{'matcher':'^y$',"
			     "'hooks':[{'type':'command','command':'true'}]}]}}");
	AUTO(tl_outcome_free) struct tl_outcome *o =
		FX_FIRE(h, .name = "BeforeTool", .subject = "x", .session_id = "s-7",
			.turn_id = "t-1", .seq = 3);
	AUTO(free) char *record = tl_outcome_record(o);

	(void)state;
	fx_assert_has(record, "\"event\":\"BeforeTool\"");
	fx_assert_has(record, "\"state\":\"no-match\"");
	fx_assert_has(record, "\"subject\":\"x\"");
}

/* C7.5: what a hook prints may hold secrets; the record has none of them, whole or in part. */
static const char *const secrets[] = {
	"ghp_0123456789abcdef0123456789abcdef0123",
	"github_pat_11ABCDEFG0123456789_abcdefghijklmnop",
	"AIzaSyA0123456789abcdef0123456789abcdefg",
	"sk-proj-0123456789abcdef0123456789abcdef",
	"sk-ant-api03-0123456789abcdef0123456789abcdef",
	"xoxb-123456789012-abcdefghijkl",
	"AKIAIOSFODNN7EXAMPLE",
	"eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abc",
	"user:hunter2secret@",
};

/* How a hook may say it: @ is the secret, in a script. */
static const char *const sayings[] = {
	"echo '@'",
	"echo 'before @ after' >&2; exit 1",
	"echo 'token=@' >&2; exit 2",
	"echo '{\"decision\":\"deny\",\"reason\":\"key @\"}'",
	"echo '{\"systemMessage\":\"line\\n@\\nline\"}'",
	"echo '{\"systemMessage\":\"tab\\t@\"}'",
	"echo '{\"continue\":false,\"stopReason\":\"@\"}'",
	"head -c 4080 /dev/zero | tr '\\0' x; echo ' @'",
	"head -c 4090 /dev/zero | tr '\\0' x >&2; echo ' @' >&2; exit 1",
};

static const char *record_of(const char *script)
{
	(void)fx_script("project/say", fx_fmt("#!/bin/bash\n%s\n", script));
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_command("./say", "");
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "x");
	AUTO(free) char *record = tl_outcome_record(o);
	return arena_z(&fx.arena, str_from(record));
}

static void c7_5_no_secret_in_the_record(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(secrets) * ARRAY_LEN(sayings); i++) {
		const char *secret = secrets[i % ARRAY_LEN(secrets)];
		const char *saying = sayings[i / ARRAY_LEN(secrets)], *mark = strchr(saying, '@');
		/* Of a URL only the credentials are secret. */
		bool url = secret[strlen(secret) - 1] == '@';
		const char *said = url ? fx_fmt("https://%shost/", secret) : secret;
		const char *script =
			fx_fmt("%.*s%s%s", (int)(mark - saying), saying, said, mark + 1);

		if (!strstr(record_of(script), url ? "hunter2" : fx_fmt("%.12s", secret)))
			continue;
		print_error("%s\n", script);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C7.5: keys in PEM, also broken off and with escaped line ends. */
static void c7_5_no_pem_in_the_record(void **state)
{
#define BEGIN "-----BEGIN PRIVATE KEY-----\\nMIIEsecret\\n"
#define END "-----END PRIVATE KEY-----"
	static const char *const scripts[] = {
		"printf -- '" BEGIN END "\\n'",
		"printf -- '" BEGIN "' >&2; exit 1",
		"echo '{\"decision\":\"deny\",\"reason\":\"" BEGIN END "\"}'",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++)
		fx_assert_hasnt(record_of(scripts[i]), "MIIEsecret");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c7_5_every_state),
		ENGINE_TEST(c7_5_record_when_nothing_ran),
		ENGINE_TEST(c7_5_no_secret_in_the_record),
		ENGINE_TEST(c7_5_no_pem_in_the_record),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
