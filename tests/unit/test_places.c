/*
 * The table of places (C7.1), row by row: what every reader of settings makes of a file in each of
 * them, by its own path or by the variable that replaces it.
 */
#include "engine_fixture.h"

#include <pwd.h>
#include <stdio.h>
#include <unistd.h>

#include "agent/catalog/agent_defs.h"
#include "agent/catalog/skills.h"
#include "base/words.h"
#include "os/fs.h"
#include "policy/policy.h"
#include "settings/places.h"
#include "settings/settings.h"
#include "tools/registry.h"

/* Of no row: the user's own word to read the other dialects. */
static const char *const given =
	"{\"hooksConfig\":{\"sources\":[\"tabnine\",\"terminai\","
	"\"claude\",\"codex\"]},\"security\":{\"folderTrust\":{\"enabled\":false}}}";

static struct dirs dirs_here(void)
{
	return (struct dirs){
		.cwd = fx.project, .project = fx.project, .home = fx.home, .env = fx.env
	};
}

/* A row whose path is the system's and cannot be replaced is not this test's to write. */
static bool is_testable(const struct settings_place *p)
{
	return p->root != ROOT_SYSTEM || p->override;
}

static struct tl_hooks *load(void)
{
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "given",
						 .text = given, .length = strlen(given));

	return FX_LOAD(.sources = &source, .nsources = 1);
}

static bool has_hook(const char *file)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = load();
	bool some = false;

	for (size_t i = 0; i < tl_hooks_count(h); i++)
		some |= strcmp(fx_hook(h, i).file, file) == 0;
	return some;
}

static const struct json *settings(bool trusted)
{
	const struct settings_dirs from = { .dirs = dirs_here(), .trusted = trusted };
	const struct json *v;
	struct err err;

	if (settings_load(&fx.arena, &from, &v, &err) < 0)
		fail_msg("%s", err.text);
	return v;
}

static bool denies(const struct json *v)
{
	struct err err;
	AUTO(policy_free) struct policy *p =
		policy_new(&(struct policy_options){ .settings = v,
						     .mode = MODE_YOLO,
						     .home = fx.home,
						     .project = fx.project,
						     .trusted = true },
			   &err);

	assert_non_null(p);
	return policy_hides(p, tool_subject(tool_find(STR("write_file"))));
}

/* C7.1: the engine and the agent read the same files, each the whole of them. */
static void c7_1_every_settings_file_counts(void **state)
{
	static const char text[] =
		"{'model':{'name':'of-this-place'},'mcpServers':{'s':{'command':'true'}},"
		"'tools':{'exclude':['write_file']},"
		"'hooks':{'%s':[{'hooks':[{'type':'command','command':'true'}]}]}}";
	static const char toml[] = "model = { name = 'of-this-place' }\n"
				   "[mcpServers.s]\ncommand = 'true'\n"
				   "[tools]\nexclude = ['write_file']\n"
				   "[[hooks.PreToolUse]]\n[[hooks.PreToolUse.hooks]]\n"
				   "type = 'command'\ncommand = 'true'\n";
	size_t rows = 0;

	(void)state;
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_HOOKS));) {
		const struct dirs dirs = dirs_here();
		const char *path = place_path(p, &dirs, &fx.arena);
		bool theirs = word_in_text(str_from(p->dialect), "claude codex");
		bool agents = p->holds & PLACE_SETTINGS && p->use == PLACE_READ;

		if (!is_testable(p))
			continue;
		rows++;
		assert_non_null(path);
		assert_int_equal(strncmp(path, fx.dir, strlen(fx.dir)), 0);
		(void)fx_write(path, str_ends(str_from(path), STR(".toml"))
					     ? toml
					     : fx_json(text, theirs ? "PreToolUse" : "BeforeTool"));
		const struct json *v = settings(true);
		const struct json *name = json_pointer(v, STR("/model/name"));
		const struct json *server = json_pointer(v, STR("/mcpServers/s/command"));

		if (!has_hook(path) || !name != !agents || !server != !agents ||
		    denies(v) != agents)
			fail_msg("%s: hooks %d, model %d, servers %d, exclude %d", p->path,
				 has_hook(path), name != NULL, server != NULL, denies(v));
		/* What is somebody else's counts where the folder is trusted. */
		v = settings(false);
		assert_int_equal(json_pointer(v, STR("/model/name")) != NULL,
				 agents && !tiers[p->tier].foreign);
		assert_int_equal(unlink(path), 0);
	}
	assert_true(rows >= 18);
}

/* C7.1: of single values the last row counts, and the system's defaults least of all. */
static void c7_1_later_rows_override(void **state)
{
	const struct dirs dirs = dirs_here();

	(void)state;
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_SETTINGS));) {
		const char *path = place_path(p, &dirs, &fx.arena);

		(void)fx_write(path, fx_json("{'model':{'name':'%s'}}", path));
		const struct json *v = settings(true);
		assert_string_equal(settings_str(&fx.arena, v, "/model/name", ""), path);
	}
}

/* A file that cannot be read is an error for whoever reads the place, never a missing one. */
static void c7_1_what_is_there_must_be_usable(void **state)
{
	(void)state;
	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_SETTINGS));) {
		const struct dirs dirs = dirs_here();
		const struct settings_dirs from = { .dirs = dirs, .trusted = true };
		const char *path = place_path(p, &dirs, &fx.arena);
		AUTO(free) char *dir = xstrndup(path, (size_t)(strrchr(path, '/') - path));
		const char *aside = fx_fmt("%s.aside", dir);
		const struct json *v;

		/* The directory that it is in: a link to nothing, a circle, a file; the file: a
		 * directory, a link to nothing. */
		for (int i = 0; i < 5; i++) {
			bool moved = fs_is_dir(dir) && rename(dir, aside) == 0;
			struct err err = { 0 };

			if (i == 0)
				assert_int_equal(symlink("/nonexistent/x", dir), 0);
			else if (i == 1)
				assert_int_equal(symlink(dir, dir), 0);
			else if (i == 2)
				(void)fx_write(dir, "a file");
			else if (i == 3)
				assert_int_equal(fs_mkdirs(path, 0755, NULL), 0);
			else
				assert_true(fs_mkdirs(dir, 0755, NULL) == 0 &&
					    symlink("/nonexistent/x", path) == 0);
			struct tl_err e = FX_LOAD_ERR(.flags = 0);
			assert_int_equal(e.code, TL_E_CONFIG);
			assert_true(settings_load(&fx.arena, &from, &v, &err) < 0);
			assert_int_equal(err.code, E_CONFIG);
			(void)rmdir(path);
			(void)unlink(path);
			if (unlink(dir) < 0)
				assert_int_equal(rmdir(dir), 0);
			if (moved)
				assert_int_equal(rename(aside, dir), 0);
		}
	}
}

/* Directories: a policy, a skill, a sub-agent in each place. */
static void c7_1_every_directory_counts(void **state)
{
	(void)state;
	for (const struct settings_place *p = NULL;
	     (p = place_next(p, NULL, PLACE_POLICIES | PLACE_SKILLS | PLACE_AGENTS));) {
		const struct dirs dirs = dirs_here();
		const char *dir = place_path(p, &dirs, &fx.arena), *file;
		bool counts[2] = { false, false };

		if (!is_testable(p))
			continue;
		file = fx_fmt("%s/%s", dir,
			      p->holds & PLACE_SKILLS   ? "one/SKILL.md"
			      : p->holds & PLACE_AGENTS ? "one.md"
							: "one.toml");
		(void)fx_write(file, p->holds & PLACE_POLICIES
					     ? "[[rule]]\ntoolName = \"write_file\"\ndecision = "
					       "\"deny\"\npriority = 10\n"
					     : "---\nname: one\ndescription: one\n---\ntext\n");
		for (int trusted = 0; trusted < 2; trusted++) {
			struct skills *skills = skills_read(
				&fx.arena, &(struct catalog_options){ .home = fx.home,
								      .project = fx.project,
								      .trusted = trusted });
			struct agents *agents = agents_read(
				&fx.arena, &(struct catalog_options){ .home = fx.home,
								      .project = fx.project,
								      .trusted = trusted });

			counts[trusted] = p->holds & PLACE_SKILLS ? skills->n == 1
					  : p->holds & PLACE_AGENTS
						  ? agent_find(agents, STR("one")) != NULL
					  : p->own ? trusted && has_hook(file)
						   : trusted && denies(NULL);
		}
		assert_true(counts[1]);
		if (!(p->holds & PLACE_POLICIES))
			assert_int_equal(counts[0], !tiers[p->tier].foreign);
		assert_int_equal(unlink(file), 0);
	}
}

/* ---- the home directory ---- */

static const char *registered;
int getpwuid_r(uid_t uid, struct passwd *entry, char *room, size_t n, struct passwd **ret)
{
	*entry = (struct passwd){ .pw_uid = uid, .pw_dir = room };
	(void)snprintf(room, n, "%s", registered ? registered : "");
	*ret = registered ? entry : NULL;
	return 0;
}

/*
 * C7.9: whatever HOME and GEMINI_CLI_HOME are, either the user's guard is there or nothing is
 * loaded.
 */
static void c7_9_no_home_loses_the_guard(void **state)
{
	size_t found = 0, refused = 0;

	(void)state;
	(void)fx_write(
		"home/.gemini/settings.json",
		fx_json("{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':'false',"
			"'name':'g','guard':true}]}]}}"));
	(void)fx_write("a-file", "");
	assert_int_equal(symlink("nowhere", fx_path("to-nothing")), 0);
	assert_int_equal(symlink("circle", fx_path("circle")), 0);
	assert_int_equal(symlink("home", fx_path("to-home")), 0);
	const char *const odd[] = {
		NULL,
		"",
		".",
		"..",
		"~",
		"home",
		"../home",
		"./home/",
		"\n",
		fx.home,
		fx_path("to-home"),
		fx_fmt("%s/", fx.home),
		fx_fmt("%s/../home/.", fx.project),
		fx_fmt("//%s", fx.home),
		"/nonexistent",
		"/dev/null",
		"/dev/null/home",
		fx_path("a-file"),
		fx_path("a-file/x"),
		fx_path("to-nothing"),
		fx_path("circle"),
	};
	const char *const entries[] = { fx.home, NULL, "", "relative", "/nonexistent" };
	AUTO(free) char *before = getcwd(NULL, 0);

	assert_int_equal(chdir(fx.project), 0);
	for (size_t i = 0; i < ARRAY_LEN(odd) * ARRAY_LEN(odd) * ARRAY_LEN(entries); i++) {
		const char *home = odd[i % ARRAY_LEN(odd)];
		const char *cli = odd[i / ARRAY_LEN(odd) % ARRAY_LEN(odd)];
		struct tl_options o = TL_OPTIONS_INIT(.cwd = fx.project, .env = fx.env);
		struct tl_hooks *h = NULL;
		struct tl_err err;

		registered = entries[i / ARRAY_LEN(odd) / ARRAY_LEN(odd)];
		fx_setenv("HOME", home);
		fx_setenv("GEMINI_CLI_HOME", cli);
		if (tl_hooks_load(&o, &h, &err) < 0) {
			assert_int_equal(err.code, TL_E_CONFIG);
			fx_assert_has(err.text, "home directory");
			refused++;
			continue;
		}
		if (tl_hooks_count(h) != 1 || strcmp(fx_hook(h, 0).name, "g") != 0)
			fail_msg("HOME=%s GEMINI_CLI_HOME=%s: home is %s, without the guard",
				 home ? home : "(unset)", cli ? cli : "(unset)", tl_hooks_home(h));
		tl_hooks_unref(h);
		found++;
	}
	assert_int_equal(chdir(before), 0);
	assert_true(found > 100 && refused > 100);
	assert_int_equal(access("/nonexistent", F_OK), -1);
}

/* ---- whose file it is ---- */

static void paths_tell_the_dialect(void **state)
{
	static const struct {
		const char *path, *dialect;
		size_t root;
	} cases[] = {
		{ "/p/.gemini/settings.json", "gemini", 2 },
		{ "/p/.claude/settings.local.json", "claude", 2 },
		{ "/p/.claude/other/x.json", "claude", 2 },
		{ "/p/.tabnine/agent/settings.json", "tabnine", 2 },
		{ "/p/.mcp.json", "claude", 2 },
		{ "/p/.codex/config.toml", "codex", 2 },
		{ "/.terminai/settings.json", "terminai", 1 },
		{ "/etc/claude-code/managed-settings.json", "claude", 0 },
		{ "/etc/codex/requirements.toml", "codex", 0 },
		{ "/p/x.claude/settings.json", NULL, 0 },
		{ "/p/settings.json", NULL, 0 },
		{ "/moved/settings.json", "claude", 0 },
		{ "/moved/config.toml", NULL, 0 },
		{ "/p/moved/settings.json", NULL, 0 },
	};
	static const char *const env[] = { "CLAUDE_CONFIG_DIR=/moved", "CODEX_HOME=moved", NULL };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		size_t n = 99;
		const struct settings_place *p = place_by_path(cases[i].path, env, &n);

		assert_int_equal(p != NULL, cases[i].dialect != NULL);
		if (p)
			assert_string_equal(p->dialect, cases[i].dialect);
		assert_int_equal(n, cases[i].root);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c7_1_every_settings_file_counts),
		ENGINE_TEST(c7_1_later_rows_override),
		ENGINE_TEST(c7_1_what_is_there_must_be_usable),
		ENGINE_TEST(c7_1_every_directory_counts),
		ENGINE_TEST(c7_9_no_home_loses_the_guard),
		ENGINE_TEST(paths_tell_the_dialect),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
