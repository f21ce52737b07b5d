/* Extensions: manifests, links, enablement, settings and what they bring. */
#include "engine_fixture.h"

#include <unistd.h>

#include "extensions/extension.h"

static void put(const char *path, const char *text)
{
	(void)fx_write(path, fx_json("%s", text));
}

static void put_manifest(const char *dir, const char *text)
{
	put(fx_fmt("home/.gemini/extensions/%s/gemini-extension.json", dir), text);
}

static struct extensions *read_with(const char *const *only, bool untrusted)
{
	struct extension_options o = { fx.home, fx.project, only, untrusted };

	return extensions_read(&fx.arena, &o);
}

static struct extensions *read_all(void)
{
	return read_with(NULL, false);
}

static const char *text_of(const struct json *v)
{
	return v ? json_text(&fx.arena, v, JSON_COMPACT).p : "";
}

static void test_manifests(void **state)
{
	(void)state;
	put_manifest("b", "{'name':'beta','version':'2.0','description':'second', /* note */ }");
	put_manifest("a", "{'name':'alpha'}");
	put("home/.gemini/extensions/notes/readme", "no extension");
	put("home/.gemini/extensions/.staging/gemini-extension.json", "{'name':'staged'}");
	put("home/.gemini/extensions/file", "no directory");
	struct extensions *all = read_all();
	assert_int_equal(all->n, 2);
	assert_null(all->problem);
	assert_string_equal(all->p[0].name, "alpha");
	assert_string_equal(all->p[0].version, "");
	assert_string_equal(all->p[1].version, "2.0");
	assert_string_equal(all->p[1].description, "second");
	assert_string_equal(all->p[1].root, fx_path("home/.gemini/extensions/b"));
	assert_true(extension_is_active(&all->p[1]));
	assert_ptr_equal(extension_find(all, STR("BETA")), &all->p[1]);
	assert_null(extension_find(all, STR("gamma")));
}

/* What makes one unusable says where it is, and the others go on. */
static void broken_manifests(void **state)
{
	static const struct {
		const char *text, *says;
	} cases[] = {
		{ "{'name':", ":1:9: " },
		{ "[]", "expected a JSON object" },
		{ "{}", "no \"name\"" },
		{ "{'name':7}", "no \"name\"" },
		{ "{'name':''}", "invalid extension name" },
		{ "{'name':'../../etc'}", "invalid extension name" },
		{ "{'name':'.hidden'}", "invalid extension name" },
		{ "{'name':'None'}", "invalid extension name" },
		{ "{'name':'a b'}", "invalid extension name" },
		{ "{'name':'${extensionPath}'}", "invalid extension name" },
		{ "{'name':'x','version':2}", "\"version\" must be a string, this is a number" },
		{ "{'name':'x','mcpServers':[]}", "\"mcpServers\" must be an object" },
		{ "{'name':'x','settings':{}}", "\"settings\" must be an array" },
		{ "{'name':'x','contextFileName':true}", "\"contextFileName\" must be" },
		{ "{'name':'x','excludeTools':'t'}", "\"excludeTools\" must be an array" },
		{ "{'name':'good'}", "also has the name \"good\"" },
	};

	(void)state;
	put_manifest("a", "{'name':'good'}");
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put_manifest("bad", cases[i].text);
		struct extensions *all = read_all();
		assert_int_equal(all->n, 2);
		assert_true(extension_is_active(&all->p[0]));
		assert_false(extension_is_active(&all->p[1]));
		assert_string_equal(all->p[1].name, strstr(cases[i].text, "good") ? "good" : "bad");
		fx_assert_has(all->p[1].problem, "extensions/bad/gemini-extension.json");
		fx_assert_has(all->p[1].problem, cases[i].says);
	}
}

static void test_links(void **state)
{
	(void)state;
	put("elsewhere/gemini-extension.json",
	    "{'name':'linked','mcpServers':{'s':{'command':'${extensionPath}/s'}}}");
	put("home/.gemini/extensions/l/.gemini-extension-install.json",
	    fx_fmt("{'type':'link','source':'%s'}", fx_path("elsewhere")));
	put("home/.gemini/extensions/gone/.gemini-extension-install.json",
	    "{'type':'link','source':'/nowhere'}");
	put("home/.gemini/extensions/near/.gemini-extension-install.json",
	    "{'type':'link','source':'elsewhere'}");
	put("home/.gemini/extensions/odd/.gemini-extension-install.json", "{'type':'git'}");
	struct extensions *all = read_all();
	assert_int_equal(all->n, 4);
	fx_assert_has(extension_find(all, STR("gone"))->problem, "is gone");
	fx_assert_has(extension_find(all, STR("near"))->problem, "needs the path of its source");
	fx_assert_has(extension_find(all, STR("odd"))->problem, "no such file");
	const struct extension *e = extension_find(all, STR("linked"));
	assert_string_equal(e->dir, fx_path("elsewhere"));
	assert_string_equal(e->root, fx_path("home/.gemini/extensions/l"));
	fx_assert_has(text_of(extensions_servers(&fx.arena, all)), fx_path("elsewhere/s"));
	assert_string_not_equal(extension_id(&fx.arena, e),
				extension_id(&fx.arena, extension_find(all, STR("odd"))));
}

/* The last rule that fits decides; a rule without a star is about its directory only. */
static void test_enablement(void **state)
{
	static const struct {
		const char *rules, *path;
		bool on;
	} cases[] = {
		{ "[]", "/home/me/p", true },
		{ "7", "/home/me/p", true },
		{ "['!/home/me/*']", "/home/me/p", false },
		{ "['!/home/me/*']", "/home/me", false },
		{ "['!/home/me/*']", "/home/meme", true },
		{ "['!/home/me/']", "/home/me", false },
		{ "['!/home/me']", "/home/me", false },
		{ "['!/home/me/']", "/home/me/p", true },
		{ "['!/*']", "/", false },
		{ "['!/*','/home/me/p/']", "/home/me/p", true },
		{ "['/home/me/p/','!/*']", "/home/me/p", false },
		{ "['!/home/*/tmp/*']", "/home/me/tmp/x", false },
		{ "['!/home/*/tmp/*']", "/home/me/p", true },
		{ "['!','',7,null]", "/home/me/p", true },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str text = str_from(fx_json("{'e':{'overrides':%s}}", cases[i].rules));
		const struct json *v;

		assert_int_equal(json_parse(&fx.arena, text, 0, &v, NULL), 0);
		if (enablement_is_on(v, STR("e"), str_from(cases[i].path)) != cases[i].on)
			fail_msg("%s at %s", cases[i].rules, cases[i].path);
		assert_true(enablement_is_on(v, STR("other"), str_from(cases[i].path)));
	}
}

/* What is set is read back; rules that the new one makes pointless go, comments stay. */
static void enablement_is_edited(void **state)
{
	static const struct {
		const char *before, *path;
		bool on;
		const char *after;
	} cases[] = {
		{ "", NULL, false, "'!/*'" },
		{ "{'e':{'overrides':['!/a/*','/a/b/','/c/*']}} // note", "/a", true,
		  "'/c/*','/a/*'" },
		{ "{'e':{'overrides':['!/a/*','/a/b/*']}}", NULL, true, "'/*'" },
		{ "{'e':{'overrides':['!/a/*']}}", "/ab", false, "'!/a/*','!/ab/*'" },
		{ "{'e':{'overrides':['!/a']}}", "/a/", true, "'/a/*'" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf out = { 0 };
		struct str before = str_from(fx_json("%s", cases[i].before));
		const struct json *v;
		struct err err;

		assert_int_equal(
			enablement_set(before, STR("e"), cases[i].path, cases[i].on, &out, &err),
			0);
		assert_int_equal(json_parse(&fx.arena, arena_str(&fx.arena, buf_str(&out)), JSON_C,
					    &v, NULL),
				 0);
		assert_string_equal(text_of(json_pointer(v, STR("/e/overrides"))),
				    fx_json("[%s]", cases[i].after));
		if (strstr(cases[i].before, "note"))
			fx_assert_has(buf_z(&out), "// note");
	}
	AUTO(buf_done) struct buf out = { 0 };
	struct err err;
	struct str two = str_from(fx_json("{'e':{'overrides':[]},'f':{'overrides':['!/*']}}"));
	assert_int_equal(enablement_forget(two, STR("e"), &out, &err), 0);
	assert_string_equal(buf_z(&out), fx_json("{'f':{'overrides':['!/*']}}"));
	assert_int_equal(enablement_set(STR("{"), STR("e"), NULL, true, &out, &err), -E_PARSE);
	assert_int_equal(enablement_set(STR("{}"), STR("../e"), NULL, true, &out, &err), -E_INVAL);
}

/* Without its file, or with one that is broken, all are on. */
static void broken_enablement(void **state)
{
	(void)state;
	put_manifest("e", "{'name':'e'}");
	put("home/.gemini/extensions/extension-enablement.json", "{'e':");
	struct extensions *all = read_all();
	assert_true(extension_is_active(&all->p[0]));
	fx_assert_has(all->problem, "extension-enablement.json:1:");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_int_equal(fx_count_diags(h, "broken-extension"), 1);
}

static void test_only(void **state)
{
	static const char *const none[] = { "none", NULL }, *const one[] = { "BETA", NULL },
				 *const wrong[] = { "alpha", "delta", NULL };

	(void)state;
	put_manifest("a", "{'name':'alpha'}");
	put_manifest("b", "{'name':'beta'}");
	put("home/.gemini/extensions/extension-enablement.json", "{'beta':{'overrides':['!/*']}}");
	struct extensions *all = read_all();
	assert_true(extension_is_active(&all->p[0]));
	assert_false(extension_is_active(&all->p[1]));
	all = read_with(none, false);
	assert_false(extension_is_active(&all->p[0]) || extension_is_active(&all->p[1]));
	assert_null(extensions_unknown(&fx.arena, all, none));
	all = read_with(one, false);
	assert_false(extension_is_active(&all->p[0]));
	assert_true(extension_is_active(&all->p[1]));
	assert_false(all->p[1].enabled);
	assert_string_equal(extensions_unknown(&fx.arena, all, wrong),
			    "Extension not found: delta; there are: alpha, beta");
	struct tl_err err = FX_LOAD_ERR(.extensions = wrong);
	assert_int_equal(err.code, TL_E_NOTFOUND);
	fx_assert_has(err.text, "Extension not found: delta");
}

static void test_variables(void **state)
{
	static const struct {
		const char *text, *means;
	} cases[] = {
		{ "${extensionPath}${/}x", "D/x" },
		{ "${workspacePath}${pathSeparator}y", "W/y" },
		{ "${TOKEN} and $TOKEN", "a b and a b" },
		{ "${UNKNOWN} $UNKNOWN $ ${ ${} $$ ${TOKEN",
		  "${UNKNOWN} $UNKNOWN $ ${ ${} $$ ${TOKEN" },
		{ "$extensionPath", "$extensionPath" },
		{ "${TOKENS}", "${TOKENS}" },
		{ "", "" },
	};

	(void)state;
	put_manifest("e", "{'name':'e','settings':[{'name':'T','envVar':'TOKEN'}]}");
	put("home/.gemini/extensions/e/.env", "TOKEN=a b\n");
	const struct extension *e = &read_all()->p[0];
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		struct str got = extension_expand(&fx.arena, e, "W", str_from(cases[i].text));
		const char *want = cases[i].means;

		if (str_starts(str_from(want), STR("D/")))
			want = fx_fmt("%s%s", e->dir, want + 1);
		assert_string_equal(arena_z(&fx.arena, got), want);
	}
}

/* Declared settings only, from the installation's own .env. */
static void test_settings(void **state)
{
	(void)state;
	put_manifest("e", "{'name':'e','settings':[{'envVar':'TOKEN'},{'envVar':'A=B'},7,"
			  "{'envVar':'9X'},{'envVar':'ABSENT'}],"
			  "'mcpServers':{'s':{'command':'x','env':{'P':'q','TOKEN':'own'}},"
			  "'t':{'command':'x'},'u':{'url':'http://h/'}}}");
	put("home/.gemini/extensions/e/.env",
	    "# c\nexport TOKEN=first\nOTHER=no\n9X=no\nTOKEN='second # value'\nbroken\n");
	struct extensions *all = read_all();
	assert_string_equal(all->p[0].env[0], "TOKEN=second # value");
	assert_null(all->p[0].env[1]);
	const struct json *v = extensions_servers(&fx.arena, all);
	assert_string_equal(text_of(json_pointer(v, STR("/s/env"))),
			    fx_json("{'TOKEN':'own','P':'q'}"));
	assert_string_equal(text_of(json_pointer(v, STR("/t/env"))),
			    fx_json("{'TOKEN':'second # value'}"));
	assert_null(json_pointer(v, STR("/u/env")));
}

/* Variables that would make gigabytes of a small manifest. */
static void growth_has_a_limit(void **state)
{
	AUTO(buf_done) struct buf text = { 0 }, value = { 0 };

	(void)state;
	buf_addz(&text, "{\"name\":\"e\",\"settings\":[{\"envVar\":\"T\"}],\"x\":[");
	for (size_t i = 0; i < 2000; i++)
		buf_addf(&text, "%s\"${T}\"", i ? "," : "");
	buf_addz(&text, "]}");
	buf_addz(&value, "T=");
	for (size_t i = 0; i < 60000; i++)
		buf_addc(&value, 'v');
	(void)fx_write("home/.gemini/extensions/e/gemini-extension.json", buf_z(&text));
	(void)fx_write("home/.gemini/extensions/e/.env", buf_z(&value));
	fx_assert_has(read_all()->p[0].problem, "its variables make it larger");
}

/* `trust` is taken out; of two servers of one name the first stays. */
static void test_servers(void **state)
{
	(void)state;
	put_manifest("a",
		     "{'name':'a','mcpServers':{'s':{'command':'first','trust':true},'bad':7}}");
	put_manifest("b", "{'name':'b','mcpServers':{'s':{'command':'second'},'t':{'url':'u'}},"
			  "'excludeTools':['one',7,'run_shell_command(rm -rf)']}");
	put_manifest("c", "{'name':'c','mcpServers':{'no':{'command':'c'}},'excludeTools':['no']}");
	put("home/.gemini/extensions/extension-enablement.json", "{'c':{'overrides':['!/*']}}");
	struct extensions *all = read_all();
	const struct json *servers = extensions_servers(&fx.arena, all);
	assert_int_equal(servers->n, 2);
	const struct json *first = json_getz(servers, "s");
	assert_string_equal(text_of(json_getz(first, "command")), "\"first\"");
	assert_null(json_getz(first, "trust"));
	assert_string_equal(
		text_of(json_get(json_getz(first, EXTENSION_OF_SERVER), STR("extension_name"))),
		"\"a\"");
	assert_string_equal(text_of(json_getz(json_getz(servers, "t"), "url")), "\"u\"");
	assert_string_equal(text_of(extensions_excluded_tools(&fx.arena, all)),
			    fx_json("['one','run_shell_command(rm -rf)']"));
	unlink(fx_path("home/.gemini/extensions/a/gemini-extension.json"));
	unlink(fx_path("home/.gemini/extensions/b/gemini-extension.json"));
	all = read_all();
	assert_null(extensions_servers(&fx.arena, all));
	assert_null(extensions_excluded_tools(&fx.arena, all));
}

/* Content stays inside: no way up, no link out. */
static void context_files(void **state)
{
	(void)state;
	put("home/secret.md", "secret");
	put_manifest("a", "{'name':'a'}");
	put("home/.gemini/extensions/a/GEMINI.md", "a");
	put_manifest("b",
		     "{'name':'b','contextFileName':['x.md','sub','../a/GEMINI.md','y.md','/etc/"
		     "passwd','absent.md','out.md','']}");
	put("home/.gemini/extensions/b/x.md", "x");
	put("home/.gemini/extensions/b/sub/y.md", "y");
	assert_int_equal(symlink("sub/y.md", fx_path("home/.gemini/extensions/b/y.md")), 0);
	assert_int_equal(
		symlink(fx_path("home/secret.md"), fx_path("home/.gemini/extensions/b/out.md")), 0);
	const char *const *files = extensions_context_files(&fx.arena, read_all());
	assert_string_equal(files[0], fx_path("home/.gemini/extensions/a/GEMINI.md"));
	assert_string_equal(files[1], fx_path("home/.gemini/extensions/b/x.md"));
	assert_string_equal(files[2], fx_path("home/.gemini/extensions/b/sub/y.md"));
	assert_null(files[3]);
}

/* An extension in the project is the project's to trust. */
static void c7_4_in_project(void **state)
{
	(void)state;
	put("project/ext/gemini-extension.json", "{'name':'near'}");
	put("project/ext/hooks/hooks.json",
	    "{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':'true'}]}]}}");
	put("home/.gemini/extensions/near/.gemini-extension-install.json",
	    fx_fmt("{'type':'link','source':'%s'}", fx_path("project/ext")));
	put_manifest("far", "{'name':'far'}");
	struct extensions *all = read_with(NULL, true);
	assert_true(extension_is_active(extension_find(all, STR("far"))));
	assert_false(extension_is_active(extension_find(all, STR("near"))));
	assert_true(extension_find(all, STR("near"))->in_project);
	assert_true(extension_is_active(extension_find(read_all(), STR("near"))));
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_int_equal(fx_hook(h, 0).state, TL_STATE_UNTRUSTED);
	assert_string_equal(fx_hook(h, 0).extension, "near");
	assert_int_equal(tl_hooks_trust(h, 0), TL_TRUST_NEW);
	assert_int_equal(tl_trust_approve(h, NULL), 0);
	AUTO(tl_hooks_unref) struct tl_hooks *again = FX_LOAD(.flags = 0);
	assert_int_equal(fx_hook(again, 0).state, TL_STATE_WOULD_RUN);
}

/* Whoever works in the home directory has not made all extensions the project's. */
static void c7_4_home_as_project(void **state)
{
	(void)state;
	put_manifest("e", "{'name':'e'}");
	struct extension_options o = { fx.home, fx.home, NULL, true };
	assert_false(extensions_read(&fx.arena, &o)->p[0].in_project);
}

static struct tl_err load_with_hooks(const char *text)
{
	put("home/.gemini/extensions/e/hooks/hooks.json", text);
	return FX_LOAD_ERR(.flags = 0);
}

/* C3.6: whatever is wrong with its file, no guard is lost in silence. */
static void c3_6_guards_of_broken_extensions(void **state)
{
	static const char *const texts[] = {
		"{'hooks':{'BeforeTool':[{'hooks':[{'guard':true,",
		"{'hooks':{'BeforeTool':[{'hooks':[{'onFailure':'deny','command':'x'}]}]}",
		"{'hooks':[{'guard':true}]}",
		"{'BeforeTool':[{'hooks':[{'guard':true,'command':'x'}]}]}",
		"[{'guard':true}]",
	};

	(void)state;
	put_manifest("e", "{'name':'e'}");
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct tl_err err = load_with_hooks(texts[i]);

		assert_int_equal(err.code, TL_E_CONFIG);
		fx_assert_has(err.text, "guard");
	}
	unlink(fx_path("home/.gemini/extensions/e/hooks/hooks.json"));
	assert_int_equal(symlink("/nowhere", fx_path("home/.gemini/extensions/e/hooks/hooks.json")),
			 0);
	struct tl_err err = FX_LOAD_ERR(.flags = 0);
	assert_int_equal(err.code, TL_E_CONFIG);
	fx_assert_has(err.text, "it may contain a guard");
}

/* A caller that was built before there was tl_options.extensions. */
static void abi_older_options(void **state)
{
	struct tl_options o = { .size = offsetof(struct tl_options, extensions),
				.cwd = fx.project,
				.home = fx.home,
				.env = fx.env,
				.extensions = (const char *const *)(uintptr_t)1 };
	struct tl_hooks *h;

	(void)state;
	assert_int_equal(tl_hooks_load(&o, &h, NULL), 0);
	tl_hooks_unref(h);
	o.size--;
	assert_int_equal(tl_hooks_load(&o, &h, NULL), -TL_E_INVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(test_manifests),
		ENGINE_TEST(broken_manifests),
		ENGINE_TEST(test_links),
		ENGINE_TEST(test_enablement),
		ENGINE_TEST(enablement_is_edited),
		ENGINE_TEST(broken_enablement),
		ENGINE_TEST(test_only),
		ENGINE_TEST(test_variables),
		ENGINE_TEST(test_settings),
		ENGINE_TEST(growth_has_a_limit),
		ENGINE_TEST(test_servers),
		ENGINE_TEST(context_files),
		ENGINE_TEST(c7_4_in_project),
		ENGINE_TEST(c7_4_home_as_project),
		ENGINE_TEST(c3_6_guards_of_broken_extensions),
		ENGINE_TEST(abi_older_options),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
