/*
 * Trust at the launch (contract 7.4): a script of the project that is not what it was when the
 * hooks were loaded is not run.
 */
#include "engine_fixture.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define HOOK "{'type':'command','command':'./guard.sh','name':'g'}"
#define ON(hooks) "{'hooks':{'BeforeTool':[{'matcher':'write_file','hooks':[" hooks "]}]}}"
#define SETTINGS "project/.gemini/settings.json"

static void put(const char *path, const char *text)
{
	(void)fx_write(path, fx_json("%s", text));
}

/* A project with one hook, which starts a script of the project. */
static int with_project(void **state)
{
	(void)fx_setup(state);
	put(SETTINGS, ON(HOOK));
	(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 2\n");
	return 0;
}

#define LAUNCH_TEST(test)                                                                          \
	{                                                                                          \
#test, test, with_project, fx_teardown, NULL                                       \
	}

static void approve(void)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);

	assert_int_equal(tl_trust_approve(h, NULL), 0);
}

static enum tl_class first_class(struct tl_hooks *h)
{
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
	struct tl_report r = fx_report(o, 0);

	if (r.how == TL_CLASS_NOT_STARTED) {
		fx_assert_has(r.message, "its script guard.sh changed");
		fx_assert_has(r.message, "trotline hooks trust");
	}
	return r.how;
}

static void age(const char *path)
{
	const struct timespec old[2] = { { .tv_sec = 1000000000 }, { .tv_sec = 1000000000 } };

	assert_int_equal(utimensat(AT_FDCWD, fx_path(path), old, 0), 0);
}

/* Another file of the same size and times in its place, as `mv` leaves it. */
static void swap_in(const char *text)
{
	(void)fx_script("project/other.sh", text);
	age("project/other.sh");
	assert_int_equal(rename(fx_path("project/other.sh"), fx_path("project/guard.sh")), 0);
}

/* C7.4, C3.6: a script that changed after the hooks were loaded is not run, however it changed. */
static void c7_4_changed_while_loaded(void **state)
{
	age("project/guard.sh");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);

	(void)state;
	assert_int_equal(first_class(h), TL_CLASS_BLOCKED);
	/* In place, size and date as before. */
	(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 0\n");
	age("project/guard.sh");
	assert_int_equal(first_class(h), TL_CLASS_NOT_STARTED);
	/* The old bytes, in another file. */
	swap_in("#!/bin/sh\nexit 2\n");
	assert_int_equal(first_class(h), TL_CLASS_BLOCKED);
	swap_in("#!/bin/sh\nexit 0\n");
	assert_int_equal(first_class(h), TL_CLASS_NOT_STARTED);
	assert_int_equal(unlink(fx_path("project/guard.sh")), 0);
	assert_int_equal(first_class(h), TL_CLASS_NOT_STARTED);
	assert_int_equal(mkfifo(fx_path("project/guard.sh"), 0755), 0);
	assert_int_equal(first_class(h), TL_CLASS_NOT_STARTED);
	assert_int_equal(unlink(fx_path("project/guard.sh")), 0);
	assert_int_equal(mkdir(fx_path("project/guard.sh"), 0755), 0);
	assert_int_equal(first_class(h), TL_CLASS_NOT_STARTED);
	assert_int_equal(rmdir(fx_path("project/guard.sh")), 0);
	/* Loaded again it is the new one that counts. */
	(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 0\n");
	AUTO(tl_hooks_unref) struct tl_hooks *again = FX_LOAD(.flags = TL_LOAD_TRUST);
	assert_int_equal(first_class(again), TL_CLASS_OK);
}

/* C7.4: touched, copied over with the same bytes, or with another mode it is still the same. */
static void c7_4_touched_while_loaded(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);

	(void)state;
	age("project/guard.sh");
	assert_int_equal(first_class(h), TL_CLASS_BLOCKED);
	assert_int_equal(chmod(fx_path("project/guard.sh"), 0700), 0);
	assert_int_equal(first_class(h), TL_CLASS_BLOCKED);
	(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 2\n");
	assert_int_equal(first_class(h), TL_CLASS_BLOCKED);
}

/* C7.4: a link is what it points to; a file that is old is told by its status. */
static void c7_4_link_while_loaded(void **state)
{
	(void)state;
	assert_int_equal(unlink(fx_path("project/guard.sh")), 0);
	assert_int_equal(symlink("/bin/false", fx_path("project/guard.sh")), 0);
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	assert_int_equal(first_class(h), TL_CLASS_WARNED);
	assert_int_equal(first_class(h), TL_CLASS_WARNED);
	assert_int_equal(unlink(fx_path("project/guard.sh")), 0);
	assert_int_equal(symlink("/bin/true", fx_path("project/guard.sh")), 0);
	assert_int_equal(first_class(h), TL_CLASS_NOT_STARTED);
}

/* C7.4, C3.5: what that means is onFailure's to say, with trust on, off or given. */
static void c7_4_changed_means_failed(void **state)
{
	static const struct {
		const char *more;
		enum tl_verdict verdict;
	} cases[] = { { "", TL_VERDICT_NONE },
		      { ",'onFailure':'ask'", TL_VERDICT_ASK },
		      { ",'onFailure':'deny'", TL_VERDICT_DENY },
		      { ",'guard':true", TL_VERDICT_DENY } };
	static const char *const trust[] = { "true", "off", "given", "approved" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases) * ARRAY_LEN(trust); i++) {
		size_t k = i % ARRAY_LEN(cases), how = i / ARRAY_LEN(cases);

		(void)fx_script("project/guard.sh", "#!/bin/sh\n");
		put(SETTINGS,
		    fx_fmt(ON("{'type':'command','command':'sh guard.sh'%s}"), cases[k].more));
		fx_setenv("GEMINI_CLI_TRUST_WORKSPACE", how == 0 ? "true" : NULL);
		put("home/.gemini/settings.json",
		    how == 1 ? "{'security':{'folderTrust':{'enabled':false}}}" : "{}");
		if (how == 3)
			approve();
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			FX_LOAD(.flags = how == 2 ? TL_LOAD_TRUST : 0);
		assert_int_equal(first_class(h), TL_CLASS_OK);
		(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 0\n");
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
		assert_int_equal(fx_report(o, 0).how, TL_CLASS_NOT_STARTED);
		assert_int_equal(tl_outcome_verdict(o), cases[k].verdict);
	}
}

/* C7.4: every file of the fingerprint, of commands with arguments and with a shell. */
static void c7_4_every_file_of_the_fingerprint(void **state)
{
	static const char *const commands[] = {
		"'sh guard.sh more.sh'",
		"'./guard.sh && sh tools/more.sh'",
		"'cat guard.sh more.sh | sh'",
		"'cd tools && sh more.sh'",
		"'sh','args':['guard.sh','more.sh']",
	};
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) {
		(void)fx_script("project/more.sh", "true\n");
		(void)fx_script("project/tools/more.sh", "true\n");
		put(SETTINGS, fx_fmt("{'hooksConfig':{'dialect':'claude'},'hooks':{'PreToolUse':"
				     "[{'hooks':[{'type':'command','command':%s}]}]}}",
				     commands[i]));
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
		(void)fx_script("project/more.sh", "false\n");
		(void)fx_script("project/tools/more.sh", "false\n");
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
		if (fx_report(o, 0).how == TL_CLASS_NOT_STARTED &&
		    strstr(fx_report(o, 0).message, "more.sh changed"))
			continue;
		print_error("%s: %s\n", commands[i], fx_report(o, 0).message);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C7.4: one that is too large to be read is told by its status. */
static void c7_4_big_script_while_loaded(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)state;
	buf_addz(&text, "#!/bin/sh\nexit 2\n");
	while (text.n < 9 << 20)
		buf_addz(&text, "################################\n");
	(void)fx_script("project/guard.sh", buf_z(&text));
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	assert_int_equal(first_class(h), TL_CLASS_BLOCKED);
	swap_in(buf_z(&text));
	assert_int_equal(first_class(h), TL_CLASS_NOT_STARTED);
}

/* C7.4: user and system hooks that are no guards start what is there. */
static void c7_4_other_tiers_start_anything(void **state)
{
	put(SETTINGS, "{}");
	put("home/.gemini/settings.json", ON(HOOK));
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);

	(void)state;
	(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 0\n");
	assert_int_equal(first_class(h), TL_CLASS_OK);
}

/*
 * C7.4: a host of one call looks for the files behind a user's guard when it is about to run, still
 * before any other hook of the call; a guard that is not asked costs nothing.
 */
static void c7_4_one_call(void **state)
{
	(void)state;
	put(SETTINGS, "{}");
	put("home/.gemini/settings.json",
	    fx_fmt(ON("{'type':'command','command':'cp /dev/null %s','name':'plain'},"
		      "{'type':'command','command':'%s','name':'g','guard':true}"),
		   fx_path("project/guard.sh"), fx_path("project/guard.sh")));
	for (unsigned flags = 0; flags <= TL_LOAD_ONE_CALL; flags += TL_LOAD_ONE_CALL) {
		(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 2\n");
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = flags);
		assert_int_equal(tl_hooks_script_count(h, 1), !flags);
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");
		assert_int_equal(fx_report(o, 1).how, TL_CLASS_NOT_STARTED);
		assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		LAUNCH_TEST(c7_4_changed_while_loaded),
		LAUNCH_TEST(c7_4_touched_while_loaded),
		LAUNCH_TEST(c7_4_link_while_loaded),
		LAUNCH_TEST(c7_4_changed_means_failed),
		LAUNCH_TEST(c7_4_every_file_of_the_fingerprint),
		LAUNCH_TEST(c7_4_big_script_while_loaded),
		LAUNCH_TEST(c7_4_other_tiers_start_anything),
		LAUNCH_TEST(c7_4_one_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
