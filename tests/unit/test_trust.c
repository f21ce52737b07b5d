/* Trust (contract 7.4): folders, fingerprints, what a project can and cannot decide. */
#include "engine_fixture.h"

#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "os/fs.h"

#define HOOK "{'type':'command','command':'./guard.sh','name':'g'}"
#define ON(hooks) "{'hooks':{'BeforeTool':[{'matcher':'write_file','hooks':[" hooks "]}]}}"
#define SETTINGS "project/.gemini/settings.json"
#define FOLDERS "home/.gemini/trustedFolders.json"
#define STORE "home/.trotline/trusted_hooks.json"

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

#define TRUST_TEST(test)                                                                           \
	{                                                                                          \
#test, test, with_project, fx_teardown, NULL                                       \
	}

static void trust_folder(const char *rule)
{
	put(FOLDERS, fx_fmt("{'%s':'%s'}", fx.project, rule));
}

static enum tl_state first_state(unsigned flags)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = flags);

	return fx_hook(h, 0).state;
}

static void approve(void)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	struct tl_err err = { 0 };

	if (tl_trust_approve(h, &err) < 0)
		fail_msg("%s", err.text);
}

/* ---- the folder ---- */

/* C7.4: without a word about it a folder is not trusted, and its hooks do not run. */
static void c7_4_unknown_folder(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");

	(void)state;
	assert_false(tl_hooks_folder_trusted(h));
	assert_int_equal(fx_report(o, 0).state, TL_STATE_UNTRUSTED);
	fx_assert_has(fx_report(o, 0).why, "not trusted");
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_NONE);
}

/* C7.4: GEMINI_CLI_TRUST_WORKSPACE decides directly. */
static void c7_4_environment_decides(void **state)
{
	(void)state;
	fx_setenv("GEMINI_CLI_TRUST_WORKSPACE", "true");
	assert_int_equal(first_state(0), TL_STATE_WOULD_RUN);
	trust_folder("DO_NOT_TRUST");
	assert_int_equal(first_state(0), TL_STATE_WOULD_RUN);
	fx_setenv("GEMINI_CLI_TRUST_WORKSPACE", "false");
	trust_folder("TRUST_FOLDER");
	assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
	put("home/.gemini/settings.json", "{'security':{'folderTrust':{'enabled':false}}}");
	assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
	fx_setenv("GEMINI_CLI_TRUST_WORKSPACE", "1");
	put("home/.gemini/settings.json", "{}");
	put(FOLDERS, "{}");
	assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
}

/* C7.4: trustedFolders.json: %s is the project, %p the directory above it. */
static const struct folder_case {
	const char *rules;
	int trusted;
} folder_cases[] = {
	{ "{'%s':'TRUST_FOLDER'}", 1 },
	{ "{'%s':'DO_NOT_TRUST'}", 0 },
	{ "{'%s':'TRUST_PARENT'}", 1 },
	{ "{'%s':'TRUST_'}", 0 },
	{ "{'%s':'yes'}", 0 },
	{ "{'%s':true}", 0 },
	{ "{'%p':'TRUST_FOLDER'}", 1 },
	{ "{'%p/':'TRUST_FOLDER'}", 1 },
	{ "{'/':'TRUST_FOLDER'}", 1 },
	{ "{'':'TRUST_FOLDER'}", 0 },
	{ "{'%p/sibling':'TRUST_PARENT'}", 1 },
	{ "{'%p/sibling':'TRUST_FOLDER'}", 0 },
	{ "{'%p/proj':'TRUST_FOLDER'}", 0 },
	{ "{'%s/sub':'TRUST_FOLDER'}", 0 },
	{ "{'%sx':'TRUST_FOLDER'}", 0 },
	{ "{'%p':'TRUST_FOLDER','%s':'DO_NOT_TRUST'}", 0 },
	{ "{'%s':'DO_NOT_TRUST','%p':'TRUST_FOLDER'}", 0 },
	{ "{'%s':'TRUST_FOLDER','%p':'DO_NOT_TRUST'}", 1 },
	/* A rule for the folder itself is nearer than one for the folder above. */
	{ "{'%s':'DO_NOT_TRUST','%p/a_long_name_of_a_sibling':'TRUST_PARENT'}", 0 },
	{ "{'%s/':'DO_NOT_TRUST','%p':'TRUST_FOLDER'}", 0 },
	/* Spellings: the text of a trust counts, a refusal holds through links too. */
	{ "{'%p//project/.':'TRUST_FOLDER'}", 1 },
	{ "{'%s/../project':'TRUST_FOLDER'}", 1 },
	{ "{'%p/PROJECT':'TRUST_FOLDER'}", 0 },
	{ "{'%p/link':'TRUST_FOLDER'}", 0 },
	{ "{'%s/up':'TRUST_FOLDER'}", 0 },
	{ "{'%s/up/sibling':'TRUST_PARENT'}", 0 },
	{ "{'%p':'TRUST_FOLDER','%p/link':'DO_NOT_TRUST'}", 0 },
	{ "{'%p':'TRUST_FOLDER','%p//./project//':'DO_NOT_TRUST'}", 0 },
	{ "{'%p':'TRUST_FOLDER','%s/../link/.':'DO_NOT_TRUST'}", 0 },
	{ "{'/':'TRUST_FOLDER','%s/up':'DO_NOT_TRUST'}", 0 },
	{ "{'%p/link':'DO_NOT_TRUST','%s':'TRUST_FOLDER'}", 0 },
	{ "[]", 0 },
	{ "{", 0 },
	{ "", 0 },
};

static const char *fill_rules(const char *rules)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (; *rules; rules++) {
		bool mark = rules[0] == '%' && (rules[1] == 's' || rules[1] == 'p');

		if (!mark) {
			buf_addc(&out, *rules);
			continue;
		}
		buf_addz(&out, *++rules == 's' ? fx.project : fx.dir);
	}
	return arena_z(&fx.arena, buf_str(&out));
}

static void c7_4_trusted_folders(void **state)
{
	size_t failed = 0;

	(void)state;
	assert_int_equal(symlink("project", fx_path("link")), 0);
	assert_int_equal(symlink("..", fx_path("project/up")), 0);
	for (size_t i = 0; i < ARRAY_LEN(folder_cases); i++) {
		put(FOLDERS, fill_rules(folder_cases[i].rules));
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
		if (tl_hooks_folder_trusted(h) == folder_cases[i].trusted)
			continue;
		print_error("%s\n", folder_cases[i].rules);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C7.4: a link to a trusted folder is that folder; a trusted link does not trust what it hides. */
static void c7_4_links_are_resolved(void **state)
{
	(void)state;
	trust_folder("TRUST_FOLDER");
	assert_int_equal(symlink(fx.project, fx_path("link")), 0);
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		FX_LOAD(.cwd = fx_path("link"), .project_dir = fx_path("link"));
	assert_true(tl_hooks_folder_trusted(h));
}

/* What the password database says, in place of the C library's. */
static const char *registered;
int getpwuid_r(uid_t uid, struct passwd *entry, char *room, size_t n, struct passwd **ret)
{
	*entry = (struct passwd){ .pw_uid = uid, .pw_dir = room };
	(void)snprintf(room, n, "%s", registered ? registered : "");
	*ret = registered ? entry : NULL;
	return 0;
}

/*
 * C7.4: without a HOME that is an absolute path the password database says where the user's files
 * are, never the project; when it does not know either, nothing is loaded.
 */
static void c7_4_no_home(void **state)
{
	const char *const homes[] = { NULL, "", ".", "home", "../home" };
	AUTO(free) char *before = getcwd(NULL, 0);
	AUTO(tl_hooks_unref) struct tl_hooks *probe = FX_LOAD(.flags = 0);
	const char *fingerprint = fx_hook(probe, 0).fingerprint;

	(void)state;
	put("elsewhere/x", "");
	put("project/.gemini/trustedFolders.json", fx_fmt("{'%s':'TRUST_FOLDER'}", fx.project));
	put("project/.trotline/trusted_hooks.json",
	    fx_fmt("{'%s':{'%s':'BeforeTool g'}}", fx.project, fingerprint));
	assert_int_equal(chdir(fx.project), 0);
	for (size_t i = 0; i < ARRAY_LEN(homes); i++) {
		fx_setenv("HOME", homes[i]);
		registered = NULL;
		struct tl_err err = FX_LOAD_ERR(.flags = 0);
		assert_int_equal(err.code, TL_E_CONFIG);
		fx_assert_has(err.text, "home directory");
		registered = fx_path("elsewhere");
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
		assert_string_equal(tl_hooks_home(h), registered);
		assert_false(tl_hooks_folder_trusted(h));
		assert_int_equal(fx_hook(h, 0).state, TL_STATE_UNTRUSTED);
	}
	assert_int_equal(chdir(before), 0);
}

/* ---- flags ---- */

/* C7.4: the caller may vouch, or leave the project out. */
static void c7_4_load_flags(void **state)
{
	(void)state;
	assert_int_equal(first_state(TL_LOAD_TRUST), TL_STATE_WOULD_RUN);
	assert_int_equal(first_state(TL_LOAD_TRUST | TL_LOAD_REFUSE_UNTRUSTED), TL_STATE_WOULD_RUN);
	assert_int_equal(first_state(TL_LOAD_TRUST | TL_LOAD_NO_PROJECT), TL_STATE_UNTRUSTED);
	assert_int_equal(first_state(TL_LOAD_NO_PROJECT | TL_LOAD_REFUSE_UNTRUSTED),
			 TL_STATE_UNTRUSTED);
	approve();
	assert_int_equal(first_state(TL_LOAD_REFUSE_UNTRUSTED), TL_STATE_WOULD_RUN);
}

/* C7.4: a run without a user to ask refuses: the hooks are listed, and the way out. */
static void c7_4_headless_refuses(void **state)
{
	(void)state;
	struct tl_err err = FX_LOAD_ERR(.flags = TL_LOAD_REFUSE_UNTRUSTED);
	assert_int_equal(err.code, TL_E_UNTRUSTED);
	fx_assert_has(err.text, fx.project);
	fx_assert_has(err.text, "(g)");
	fx_assert_has(err.text, "trotline hooks trust");
	/* Trusted, but the hook is new. */
	trust_folder("TRUST_FOLDER");
	err = FX_LOAD_ERR(.flags = TL_LOAD_REFUSE_UNTRUSTED);
	assert_int_equal(err.code, TL_E_UNTRUSTED);
}

/* C7.4: a folder without hooks just runs. */
static void c7_4_headless_without_project_hooks(void **state)
{
	(void)state;
	put(SETTINGS, "{'theme':'dark'}");
	put("home/.gemini/settings.json", ON(HOOK));
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_REFUSE_UNTRUSTED);
	assert_int_equal(fx_hook(h, 0).state, TL_STATE_WOULD_RUN);
}

/* C7.4: user and system hooks never depend on folder trust. */
static void c7_4_other_tiers_do_not_depend_on_trust(void **state)
{
	(void)state;
	put("home/.gemini/settings.json", ON(HOOK));
	put("system/settings.json", ON(HOOK));
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_int_equal(fx_hook(h, 0).state, TL_STATE_UNTRUSTED);
	assert_int_equal(fx_hook(h, 1).state, TL_STATE_WOULD_RUN);
	assert_int_equal(fx_hook(h, 2).state, TL_STATE_WOULD_RUN);
	assert_int_equal(tl_hooks_trust(h, 1), TL_TRUST_NOT_PROJECT);
	assert_string_equal(fx_hook(h, 1).fingerprint, "");
	/* The copy that may not run does not take the place of one that may (C4.1). */
	assert_int_equal(fx_why(h, "write_file", 1), TL_STATE_DUPLICATE);
	assert_int_equal(fx_why(h, "write_file", 2), TL_STATE_WOULD_RUN);
}

/* ---- what a project cannot decide ---- */

/* C7.4: the settings of an untrusted folder do not steer other people's hooks. */
static void c7_4_untrusted_settings_do_not_count(void **state)
{
	static const char *const texts[] = {
		"{'hooksConfig':{'enabled':false}}", "{'hooksConfig':{'disabled':['g']}}",
		"{'hooks':{'enabled':false}}",       "{'hooks':{'disabled':['g']}}",
		"{'tools':{'enableHooks':false}}",   "{'hooksConfig':{'onFailure':'warn'}}",
	};

	(void)state;
	put("home/.gemini/settings.json",
	    "{'hooksConfig':{'onFailure':'deny'},'hooks':{'BeforeTool':[{'hooks':[" HOOK "]}]}}");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		put(SETTINGS, texts[i]);
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
		assert_int_equal(fx_hook(h, 0).state, TL_STATE_WOULD_RUN);
		assert_string_equal(fx_hook(h, 0).on_failure, "deny");
	}
}

/* C7.4: a project cannot switch folder trust off for itself, trusted or not. */
static void c7_4_project_cannot_switch_trust_off(void **state)
{
	(void)state;
	put(SETTINGS,
	    "{'security':{'folderTrust':{'enabled':false}},'hooks':{'BeforeTool':[{'hooks':[" HOOK
	    "]}]}}");
	assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
	trust_folder("TRUST_FOLDER");
	assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_int_equal(tl_hooks_trust(h, 0), TL_TRUST_NEW);
}

/* C7.4: where the user switched it off, a new hook is shown, and runs. */
static void c7_4_trust_switched_off(void **state)
{
	static const char *const files[] = { "home/.gemini/settings.json", "system/settings.json",
					     "system/defaults.json" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		put(files[i], "{'security':{'folderTrust':{'enabled':false}}}");
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			FX_LOAD(.flags = TL_LOAD_REFUSE_UNTRUSTED);
		const struct tl_diagnostic *d = fx_diag(h, "unapproved-hook");

		assert_int_equal(fx_hook(h, 0).state, TL_STATE_WOULD_RUN);
		assert_non_null(d);
		fx_assert_has(d->text, "\"g\"");
		assert_string_equal(d->file, fx_path(SETTINGS));
		assert_int_equal(unlink(fx_path(files[i])), 0);
	}
	approve();
	put("home/.gemini/settings.json", "{'security':{'folderTrust':{'enabled':false}}}");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_null(fx_diag(h, "unapproved-hook"));
}

/* ---- fingerprints ---- */

static const char *fingerprint_of(const char *settings)
{
	put(SETTINGS, settings);
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	return fx_fmt("%s", fx_hook(h, 0).fingerprint);
}

#define PROG(event, matcher)                                                                       \
	"{'hooks':{'" event "':[{" matcher "'hooks':[{'type':'command','command':'prog'}]}]}}"
/* The text of one claude hook, with `more` members. */
#define CLAUDE(more)                                                                               \
	"{'hooksConfig':{'dialect':'claude'},'hooks':{'PreToolUse':[{'hooks':[{'type':'command',"  \
	"'command':'prog'" more "}]}]}}"

/* C7.4: event, matcher, command, args and env each change the fingerprint; no two are alike. */
static void c7_4_fingerprint_covers_everything(void **state)
{
	static const char *const texts[] = {
		ON("{'type':'command','command':'prog'}"),
		ON("{'type':'command','command':'prog2'}"),
		ON("{'type':'command','command':'prog','env':{'A':'b'}}"),
		ON("{'type':'command','command':'prog','env':{'A':'c'}}"),
		ON("{'type':'command','command':'prog','env':{'B':'b'}}"),
		ON("{'type':'command','command':'prog','env':{'A':'b','B':'b'}}"),
		PROG("AfterTool", "'matcher':'write_file',"),
		PROG("BeforeTool", "'matcher':'replace',"),
		PROG("BeforeTool", ""),
		CLAUDE(""),
		CLAUDE(",'args':[]"),
		CLAUDE(",'args':['A']"),
		CLAUDE(",'args':['A','b']"),
		CLAUDE(",'args':['Ab']"),
		CLAUDE(",'env':{'A':'b'}"),
	};
	const char *prints[ARRAY_LEN(texts)];
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		prints[i] = fingerprint_of(texts[i]);
		assert_int_equal(strlen(prints[i]), 64);
		for (size_t k = 0; k < i; k++) {
			if (strcmp(prints[i], prints[k]) != 0)
				continue;
			print_error("alike:\n  %s\n  %s\n", texts[k], texts[i]);
			failed++;
		}
	}
	assert_int_equal(failed, 0);
	/* What is only for people is not part of it. */
	assert_string_equal(
		fingerprint_of(ON("{'type':'command','command':'prog','description':'x'}")),
		prints[0]);
}

/* C7.4: the bytes of the script, however the command names it. */
static const char *const script_commands[] = {
	"./tools/hook.sh",
	"tools/hook.sh",
	"$GEMINI_PROJECT_DIR/tools/hook.sh",
	"${GEMINI_PROJECT_DIR}/tools/hook.sh",
	"\\\"$GEMINI_PROJECT_DIR\\\"/tools/hook.sh",
	"\\\"$GEMINI_PROJECT_DIR/tools/hook.sh\\\"",
	"\\u0027$GEMINI_PROJECT_DIR/tools/hook.sh\\u0027",
	"$CLAUDE_PROJECT_DIR/tools/hook.sh",
	"$TROTLINE_PROJECT_DIR/tools/hook.sh arg",
	"$GEMINI_CWD/tools/hook.sh",
	"sh tools/hook.sh --flag",
	"sh -e ./tools/../tools/hook.sh",
	"true && ./tools/hook.sh",
	"true;tools/hook.sh;true",
	"exec ./tools/hook.sh >log",
	"bash -c \\u0027./tools/hook.sh\\u0027",
	"bash <tools/hook.sh",
	"cat tools/hook.sh | bash",
	"$(tools/hook.sh)",
	"`tools/hook.sh`",
	"FOO=bar tools/hook.sh",
	"\\\"./tools/my hook.sh\\\"",
	"\\u0027./tools/my hook.sh\\u0027",
	"./tools/my\\\\ hook.sh",
	"$PWD/tools/hook.sh",
	"{ ./tools/hook.sh; }",
	"{ cat; ./tools/hook.sh\\n}",
	"cd tools && ./hook.sh",
};

static void c7_4_script_bytes_are_part_of_it(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(script_commands); i++) {
		const char *text =
			fx_fmt(ON("{'type':'command','command':'%s'}"), script_commands[i]);
		const char *before, *after;

		(void)fx_script("project/tools/hook.sh", "#!/bin/sh\nexit 0\n");
		(void)fx_script("project/tools/my hook.sh", "#!/bin/sh\nexit 0\n");
		before = fingerprint_of(text);
		(void)fx_script("project/tools/hook.sh", "#!/bin/sh\nexit 1\n");
		(void)fx_script("project/tools/my hook.sh", "#!/bin/sh\nexit 1\n");
		after = fingerprint_of(text);
		if (strcmp(before, after) != 0)
			continue;
		print_error("not seen: %s\n", script_commands[i]);
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C7.4: a script's path is shown, and a project that is reached by a link is the same project. */
static void c7_4_script_is_named(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);

	(void)state;
	assert_string_equal(fx_hook(h, 0).script, fx_path("project/guard.sh"));
	put(SETTINGS, fx_fmt(ON("{'type':'command','command':'%s/guard.sh'}"), fx.project));
	assert_int_equal(symlink(fx.project, fx_path("link")), 0);
	AUTO(tl_hooks_unref) struct tl_hooks *l =
		FX_LOAD(.cwd = fx_path("link"), .project_dir = fx_path("link"));
	assert_string_not_equal(fx_hook(l, 0).script, "");
}

/* C7.4: a file that is too large to be looked at is not approved unseen. */
static void c7_4_big_script(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };
	const char *before;

	(void)state;
	buf_addz(&text, "#!/bin/sh\nexit 0\n");
	while (text.n < 9 << 20)
		buf_addz(&text, "################################\n");
	(void)fx_script("project/guard.sh", buf_z(&text));
	before = fingerprint_of(ON(HOOK));
	text.p[15] = '2';
	(void)fx_script("project/guard.sh", buf_z(&text));
	assert_string_not_equal(fingerprint_of(ON(HOOK)), before);
}

/* ---- approving ---- */

/* C7.4: new, approved, changed, approved again, revoked. */
static void c7_4_approve_and_revoke(void **state)
{
	struct tl_err err = { 0 };

	(void)state;
	AUTO(tl_hooks_unref) struct tl_hooks *fresh = FX_LOAD(.flags = 0);
	assert_int_equal(tl_hooks_trust(fresh, 0), TL_TRUST_NEW);
	approve();
	AUTO(tl_hooks_unref) struct tl_hooks *known = FX_LOAD(.flags = 0);
	assert_int_equal(tl_hooks_trust(known, 0), TL_TRUST_APPROVED);
	assert_true(tl_hooks_folder_trusted(known));
	assert_int_equal(fx_hook(known, 0).state, TL_STATE_WOULD_RUN);
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(known, "write_file");
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);

	(void)fx_script("project/guard.sh", "#!/bin/sh\nexit 0\n");
	AUTO(tl_hooks_unref) struct tl_hooks *changed = FX_LOAD(.flags = 0);
	assert_int_equal(tl_hooks_trust(changed, 0), TL_TRUST_CHANGED);
	assert_int_equal(fx_hook(changed, 0).state, TL_STATE_UNTRUSTED);
	fx_assert_has(fx_hook(changed, 0).why, "changed");
	approve();
	assert_int_equal(first_state(0), TL_STATE_WOULD_RUN);

	AUTO(tl_hooks_unref) struct tl_hooks *last = FX_LOAD(.flags = 0);
	assert_int_equal(tl_trust_revoke(last, &err), 1);
	assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
	AUTO(tl_hooks_unref) struct tl_hooks *gone = FX_LOAD(.flags = 0);
	assert_int_equal(tl_hooks_trust(gone, 0), TL_TRUST_NEW);
	assert_false(tl_hooks_folder_trusted(gone));
	assert_int_equal(tl_trust_revoke(gone, &err), 0);
}

/* C7.4: what is approved is what was loaded, not what is there by now. */
static void c7_4_approves_what_was_shown(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *shown = FX_LOAD(.flags = 0);

	(void)state;
	(void)fx_script("project/guard.sh", "#!/bin/sh\necho evil\n");
	assert_int_equal(tl_trust_approve(shown, NULL), 0);
	assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
}

/* C7.4: the store is the user's own, and other people's entries stay. */
static void c7_4_store(void **state)
{
	(void)state;
	put(FOLDERS, "{ // mine\n '/other':'DO_NOT_TRUST' }");
	assert_int_equal(chmod(fx_path(FOLDERS), 0600), 0);
	put(STORE, "{'/other':{'abc':'BeforeTool x'}}");
	assert_int_equal(chmod(fx_path(STORE), 0600), 0);
	approve();
	fx_assert_has(fx_read(FOLDERS), "\"/other\": \"DO_NOT_TRUST\"");
	fx_assert_has(fx_read(FOLDERS), fx_fmt("\"%s\": \"TRUST_FOLDER\"", fx.project));
	fx_assert_has(fx_read(STORE), "\"abc\": \"BeforeTool x\"");
	fx_assert_has(fx_read(STORE), fx_fmt("\"%s\"", fx.project));
}

/* C7.4: new files are for their owner only. */
static void c7_4_modes(void **state)
{
	mode_t before = umask(0);

	(void)state;
	approve();
	(void)umask(before);
	assert_int_equal(fx_mode(FOLDERS), 0600);
	assert_int_equal(fx_mode(STORE), 0600);
	assert_int_equal(fx_mode("home/.gemini"), 0700);
	assert_int_equal(fx_mode("home/.trotline"), 0700);
}

/* C7.4: a broken store trusts nothing, and approving does not write over it. */
static void c7_4_broken_store(void **state)
{
	static const char *const texts[] = { "{", "[]", "\xff", "{'a':1" };
	struct tl_err err;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		approve();
		put(STORE, texts[i]);
		assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
		err = (struct tl_err){ 0 };
		assert_true(tl_trust_approve(h, &err) < 0);
		fx_assert_has(err.text, fx_path(STORE));
		assert_true(tl_trust_revoke(h, &err) < 0);
		assert_string_equal(fx_read(STORE), fx_json("%s", texts[i]));
		assert_int_equal(unlink(fx_path(STORE)), 0);
	}
}

/* C7.4: entries of the wrong type in the store approve nothing. */
static void c7_4_odd_store(void **state)
{
	static const char *const values[] = { "7", "[]", "'x'", "{}", "null" };

	(void)state;
	trust_folder("TRUST_FOLDER");
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		put(STORE, fx_fmt("{'%s':%s}", fx.project, values[i]));
		assert_int_equal(first_state(0), TL_STATE_UNTRUSTED);
	}
}

/* In a process of its own: approves the project in argv. */
static int approve_as_process(char **dirs)
{
	const char *env[] = { fx_fmt("HOME=%s", dirs[0]), "PATH=/usr/bin:/bin", NULL };
	struct tl_options o = TL_OPTIONS_INIT(.cwd = dirs[1], .project_dir = dirs[1], .env = env);
	struct tl_hooks *h = NULL;
	struct tl_err err = { 0 };
	int r = tl_hooks_load(&o, &h, &err);

	if (r == 0)
		r = tl_trust_approve(h, &err);
	tl_hooks_unref(h);
	arena_done(&fx.arena);
	return r == 0 ? 0 : 1;
}

/* C7.4: processes that approve at the same moment lose nothing of each other. */
static void c7_4_concurrent_approvals(void **state)
{
	enum { PROCESSES = 8 };
	pid_t pids[PROCESSES];

	(void)state;
	for (size_t i = 0; i < PROCESSES; i++) {
		const char *project = fx_fmt("%s/p%zu", fx.dir, i);
		const char *args[] = { "approve", fx.home, project, NULL };

		put(fx_fmt("p%zu/.gemini/settings.json", i), ON(HOOK));
		pids[i] = fx_spawn_self(args);
	}
	for (size_t i = 0; i < PROCESSES; i++)
		assert_int_equal(fx_wait(pids[i]), 0);
	for (size_t i = 0; i < PROCESSES; i++) {
		fx_assert_has(fx_read(STORE), fx_fmt("\"%s/p%zu\"", fx.dir, i));
		fx_assert_has(fx_read(FOLDERS), fx_fmt("\"%s/p%zu\"", fx.dir, i));
	}
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		TRUST_TEST(c7_4_unknown_folder),
		TRUST_TEST(c7_4_environment_decides),
		TRUST_TEST(c7_4_trusted_folders),
		TRUST_TEST(c7_4_links_are_resolved),
		TRUST_TEST(c7_4_no_home),
		TRUST_TEST(c7_4_load_flags),
		TRUST_TEST(c7_4_headless_refuses),
		TRUST_TEST(c7_4_headless_without_project_hooks),
		TRUST_TEST(c7_4_other_tiers_do_not_depend_on_trust),
		TRUST_TEST(c7_4_untrusted_settings_do_not_count),
		TRUST_TEST(c7_4_project_cannot_switch_trust_off),
		TRUST_TEST(c7_4_trust_switched_off),
		TRUST_TEST(c7_4_fingerprint_covers_everything),
		TRUST_TEST(c7_4_script_bytes_are_part_of_it),
		TRUST_TEST(c7_4_script_is_named),
		TRUST_TEST(c7_4_big_script),
		TRUST_TEST(c7_4_approve_and_revoke),
		TRUST_TEST(c7_4_approves_what_was_shown),
		TRUST_TEST(c7_4_store),
		TRUST_TEST(c7_4_modes),
		TRUST_TEST(c7_4_broken_store),
		TRUST_TEST(c7_4_odd_store),
		TRUST_TEST(c7_4_concurrent_approvals),
	};

	if (argc == 4 && strcmp(argv[1], "approve") == 0)
		return approve_as_process(argv + 2);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
