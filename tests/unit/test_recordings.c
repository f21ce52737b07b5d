/* The recordings of a project: listing, finding, clean-up, and where they are. */
#include "transcript_fixture.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/fs.h"

/* Two sessions of one minute whose ids begin alike: two files, both listed. */
static void same_prefix(void **state)
{
	struct transcript *a = make(ID), *b = make("11111111-other");
	struct transcript_info *list;
	size_t n;

	(void)state;
	assert_string_not_equal(transcript_path(a), transcript_path(b));
	user(a, "a");
	user(b, "b");
	assert_int_equal(transcript_list(in_dir("chats"), &list, &n, NULL), 0);
	assert_int_equal(n, 2);
	transcript_list_free(list, n);
	assert_true(transcript_id_exists(in_dir("chats"), ID));
	assert_true(transcript_id_exists(in_dir("chats"), "11111111-other"));
	assert_false(transcript_id_exists(in_dir("chats"), "11111111"));
	transcript_free(a);
	transcript_free(b);
}

/* ---- listing ---- */

static void recording(const char *name, const char *id, const char *started, const char *lines)
{
	put(in_dir(arena_printf(&mem, "chats/%s", name).p),
	    arena_printf(&mem, "{'sessionId':'%s','projectHash':'h','startTime':'%s'}\n%s", id,
			 started, lines)
		    .p);
}

#define SAYS(text) "{'id':'1','type':'user','content':'" text "'}\n"

/* Oldest first, with a user's message only, one line of it. */
static void list_and_find(void **state)
{
	const char *chats = in_dir("chats");
	struct transcript_info *list, found;
	struct err err = { 0 };
	size_t n;

	(void)state;
	assert_int_equal(transcript_list(chats, &list, &n, NULL), 0);
	assert_int_equal(n, 0);
	free(list);
	assert_int_equal(transcript_find(chats, "latest", &found, &err), -E_NOTFOUND);
	recording("session-b.jsonl", "late", "2026-02-01T00:00:00.000Z",
		  SAYS("  two\\n\\n lines\\u001b[31m  "));
	recording("session-c.jsonl", "1", "2026-01-01T00:00:00.000Z", SAYS("first"));
	recording("session-d.jsonl", "none", "2026-01-01T00:00:00.000Z",
		  "{'id':'1','type':'info','content':'x'}\n");
	recording("session-e.jsonl", "sub", "2026-01-01T00:00:00.000Z",
		  "{'$set':{'kind':'subagent'}}\n" SAYS("x"));
	recording("other.jsonl", "other", "2026-01-01T00:00:00.000Z", SAYS("x"));
	put(in_dir("chats/session-f.jsonl"), "junk");
	assert_int_equal(transcript_list(chats, &list, &n, NULL), 0);
	assert_int_equal(n, 2);
	assert_string_equal(list[0].title, "first");
	assert_string_equal(list[1].title, "two lines\\x1b[31m");
	transcript_list_free(list, n);
	static const char *const cases[][2] = {
		{ "latest", "late" }, { " late ", "late" }, { "2", "late" }, { "1", "1" }
	};
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		assert_int_equal(transcript_find(chats, cases[i][0], &found, NULL), 0);
		assert_string_equal(found.id, cases[i][1]);
		transcript_info_done(&found);
	}
	static const char *const bad[] = { "0", "3", "-1", "", "lat", "99999999999999999999" };
	for (size_t i = 0; i < ARRAY_LEN(bad); i++)
		assert_int_equal(transcript_find(chats, bad[i], &found, &err), -E_NOTFOUND);
}

/* The title is what began the session, though a checkpoint took it away. */
static void title_survives_compression(void **state)
{
	struct transcript *t = make(ID);
	struct transcript_info found;

	(void)state;
	user(t,
	     "the very beginning, and so much more that it is cut somewhere: 0123456789 0123456789 "
	     "0123456789 0123456789");
	transcript_replace(t, js("[{'role':'user','parts':[{'text':'snapshot'}]}]"));
	transcript_free(t);
	assert_int_equal(transcript_find(in_dir("chats"), "1", &found, NULL), 0);
	assert_int_equal(strlen(found.title), 100);
	assert_true(str_starts(str_from(found.title), STR("the very beginning")));
	assert_true(str_ends(str_from(found.title), STR("...")));
	transcript_info_done(&found);
}

/* ---- clean-up ---- */

#define OLD "2025-01-01T00:00:00.000Z"

static void age(const char *path, int days)
{
	struct timespec t[2] = { { .tv_sec = time(NULL) - (time_t)days * 86400 } };

	t[1] = t[0];
	assert_int_equal(utimensat(AT_FDCWD, path, t, 0), 0);
}

static const char *old_recording(const char *short_id, int days)
{
	const char *name = arena_printf(&mem, "session-2025-01-01T00-00-%s.jsonl", short_id).p;
	const char *path = in_dir(arena_printf(&mem, "chats/%s", name).p);

	recording(name, short_id, OLD, SAYS("x"));
	age(path, days);
	return path;
}

/* Old ones go, with what belongs to them; nothing else does. */
static void retention_by_age(void **state)
{
	const char *chats = in_dir("chats");
	const char *old = old_recording("aaaaaaaa", 31), *young = old_recording("bbbbbbbb", 29);
	const char *ours = old_recording("cccccccc", 99), *open = old_recording("dddddddd", 99);
	const char *torn = in_dir("chats/session-2025-01-01T00-00-eeeeeeee.jsonl");
	const char *empty = in_dir("chats/session-2025-01-01T00-00-ffffffff.jsonl");
	const char *theirs = in_dir("chats/session-notes.jsonl"), *real = in_dir("precious");
	const char *link = in_dir("chats/session-2025-01-01T00-00-gggggggg.jsonl");
	const struct json *history = NULL;
	struct transcript *t = transcript_resume(open, &mem, &history, NULL);

	(void)state;
	age(open, 99);
	put(torn, "{'sessionI");
	put(empty, "");
	put(theirs, "junk");
	put(real, "junk");
	age(real, 99);
	assert_int_equal(symlink(real, link), 0);
	put(in_dir("chats/aaaaaaaa/sub.jsonl"), "x");
	put(in_dir("tool-outputs/session-aaaaaaaa/1.txt"), "x");
	transcript_retention(chats, js("{'general':{'sessionRetention':{'enabled':false}}}"), "");
	assert_true(fs_exists(old) && fs_exists(torn));
	transcript_retention(chats, NULL, "cccccccc");
	assert_false(fs_exists(old) || fs_exists(torn));
	assert_false(fs_exists(in_dir("chats/aaaaaaaa")));
	assert_false(fs_exists(in_dir("tool-outputs/session-aaaaaaaa")));
	assert_true(fs_exists(young) && fs_exists(ours) && fs_exists(open) && fs_exists(empty));
	assert_true(fs_exists(theirs) && fs_exists(real) && fs_exists(link));
	transcript_free(t);
}

/* A file that was touched or continued is not old, whatever one of both says. */
static void retention_needs_both_times(void **state)
{
	const char *touched = old_recording("aaaaaaaa", 0), *copied = old_recording("bbbbbbbb", 99);
	char now[CLOCK_ISO_SIZE];

	(void)state;
	clock_iso(now);
	recording("session-2025-01-01T00-00-bbbbbbbb.jsonl", "bbbbbbbb", now, SAYS("x"));
	age(copied, 99);
	transcript_retention(in_dir("chats"), NULL, NULL);
	assert_true(fs_exists(touched) && fs_exists(copied));
}

static void retention_settings(void **state)
{
	static const struct {
		const char *rule;
		bool stays;
	} cases[] = {
		{ "{'maxAge':'1w'}", false },
		{ "{'maxAge':'24h'}", false },
		{ "{'maxAge':'1m'}", true },
		{ "{'maxAge':'0d'}", true },
		{ "{'maxAge':'d'}", true },
		{ "{'maxAge':'-1d'}", true },
		{ "{'maxAge':7}", true },
		{ "{'maxAge':'12h'}", true },
		{ "{'maxAge':'99999999999w'}", true },
		{ "{'maxAge':'9999999999999999d'}", true },
		{ "{'maxAge':'12h','minRetention':'1h'}", false },
		{ "{'maxAge':'1w','maxCount':0}", true },
		{ "[]", true },
		{ "{'maxAge':'1w','enabled':'yes'}", true },
	};
	const char *rule;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *path = old_recording("aaaaaaaa", 10);

		rule = arena_printf(&mem, "{'general':{'sessionRetention':%s}}", cases[i].rule).p;
		transcript_retention(in_dir("chats"), js(rule), "");
		if (fs_exists(path) != cases[i].stays)
			fail_msg("%s", cases[i].rule);
	}
}

static void retention_by_number(void **state)
{
	const char *paths[4];

	(void)state;
	for (int i = 0; i < 4; i++)
		paths[i] = old_recording(arena_printf(&mem, "%08d", i).p, i + 1);
	transcript_retention(in_dir("chats"), js("{'general':{'sessionRetention':{'maxCount':2}}}"),
			     "00000003");
	assert_true(fs_exists(paths[0]) && fs_exists(paths[1]) && fs_exists(paths[3]));
	assert_false(fs_exists(paths[2]));
}

/* ---- the project's directory ---- */

static const char *temp_dir(const char *project)
{
	struct err err = { 0 };
	char *path = project_temp_dir(in_dir("home"), project, &err);

	if (!path)
		fail_msg("%s", err.text);
	const char *name = arena_z(&mem, str_from(strrchr(path, '/') + 1));
	free(path);
	return name;
}

#define REGISTRY "home/.gemini/projects.json"

/* A short name, the same each time, another for another project. */
static void slug(void **state)
{
	struct stat st;

	(void)state;
	assert_string_equal(temp_dir("/srv/My  Shop_2!"), "my-shop-2");
	assert_string_equal(temp_dir("/srv/My  Shop_2!/"), "my-shop-2");
	assert_string_equal(temp_dir("/other/my-shop-2"), "my-shop-2-1");
	assert_string_equal(temp_dir("/"), "project");
	assert_string_equal(temp_dir("/x/\xc3\xa9"), "project-1");
	assert_string_equal(temp_dir("/srv/My  Shop_2!"), "my-shop-2");
	assert_string_equal(get(in_dir("home/.gemini/tmp/my-shop-2/.project_root")),
			    "/srv/My  Shop_2!");
	assert_json(js(get(in_dir(REGISTRY))),
		    "{'projects':{'/srv/My  Shop_2!':'my-shop-2','/other/my-shop-2':'my-shop-2-1',"
		    "'/':'project','/x/\xc3\xa9':'project-1'}}");
	assert_int_equal(stat(in_dir("home/.gemini/tmp/my-shop-2"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	char *chats = transcript_dir(in_dir("home"), "/", NULL);
	assert_string_equal(chats, in_dir("home/.gemini/tmp/project/chats"));
	free(chats);
	assert_null(project_temp_dir("", "/x", NULL));
}

/* What Gemini CLI registered is used, and what it wrote besides stays. */
static void slug_is_shared(void **state)
{
	(void)state;
	put(in_dir(REGISTRY), "{'version':1.50,'projects':{'/a':'name-of-a','/b':'shop','/c':7}}");
	assert_string_equal(temp_dir("/a"), "name-of-a");
	assert_string_equal(temp_dir("/srv/shop"), "shop-1");
	assert_json(js(get(in_dir(REGISTRY))), "{'version':1.50,'projects':{'/a':'name-of-a',"
					       "'/b':'shop','/c':7,'/srv/shop':'shop-1'}}");
}

/* A registry that cannot be understood stays as it is, and the project keeps its name. */
static void slug_broken_registry(void **state)
{
	static const char *const texts[] = { "{'projects':{'/a':'b'", "[]", "{'projects':[]}",
					     "\x80" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		put(in_dir(REGISTRY), texts[i]);
		const char *before = get(in_dir(REGISTRY));

		assert_string_equal(temp_dir("/srv/shop"), "shop");
		assert_string_equal(temp_dir("/other/shop"), "shop-1");
		assert_string_equal(get(in_dir(REGISTRY)), before);
	}
	put(in_dir(REGISTRY), " ");
	assert_string_equal(temp_dir("/srv/shop"), "shop");
	assert_json(js(get(in_dir(REGISTRY))), "{'projects':{'/srv/shop':'shop'}}");
}

/* Names that lead out of the directory, or belong to another project, are not followed. */
static void slug_hostile_registry(void **state)
{
	static const char *const slugs[] = { "../../evil", "/etc", "..",    ".",
					     "",           "a/b",  "taken", "link" };

	(void)state;
	put(in_dir("home/.gemini/tmp/taken/.project_root"), "/somebody/else");
	assert_int_equal(symlink("/tmp", in_dir("home/.gemini/tmp/link")), 0);
	for (size_t i = 0; i < ARRAY_LEN(slugs); i++) {
		put(in_dir(REGISTRY),
		    arena_printf(&mem, "{'projects':{'/srv/shop':'%s','/k':'k'}}", slugs[i]).p);
		assert_string_equal(temp_dir("/srv/shop"), "shop");
		assert_json(js(get(in_dir(REGISTRY))),
			    "{'projects':{'/srv/shop':'shop','/k':'k'}}");
	}
}

struct starter {
	pthread_t thread;
	char *home, project[32], *dir;
};

static void *start(void *data)
{
	struct starter *s = data;

	s->dir = project_temp_dir(s->home, s->project, NULL);
	return NULL;
}

/* Several sessions start at once in projects of the same name: no entry is lost. */
static void slug_under_contention(void **state)
{
	struct starter s[8];
	const struct json *projects;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(s); i++) {
		s[i].home = xstrdup(in_dir("home"));
		(void)snprintf(s[i].project, sizeof s[i].project, "/%zu/shop", i);
		assert_int_equal(pthread_create(&s[i].thread, NULL, start, &s[i]), 0);
	}
	for (size_t i = 0; i < ARRAY_LEN(s); i++)
		assert_int_equal(pthread_join(s[i].thread, NULL), 0);
	projects = json_getz(js(get(in_dir(REGISTRY))), "projects");
	assert_int_equal(projects->n, ARRAY_LEN(s));
	for (size_t i = 0; i < ARRAY_LEN(s); i++) {
		assert_non_null(s[i].dir);
		assert_str(projects, s[i].project, strrchr(s[i].dir, '/') + 1);
		for (size_t k = 0; k < i; k++)
			assert_string_not_equal(s[i].dir, s[k].dir);
	}
	for (size_t i = 0; i < ARRAY_LEN(s); i++) {
		free(s[i].home);
		free(s[i].dir);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TX_TEST(same_prefix),
		TX_TEST(list_and_find),
		TX_TEST(title_survives_compression),
		TX_TEST(retention_by_age),
		TX_TEST(retention_needs_both_times),
		TX_TEST(retention_settings),
		TX_TEST(retention_by_number),
		TX_TEST(slug),
		TX_TEST(slug_is_shared),
		TX_TEST(slug_broken_registry),
		TX_TEST(slug_hostile_registry),
		TX_TEST(slug_under_contention),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
