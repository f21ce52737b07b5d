/* Settings: files, order, what is wrong in them, tiers, switches, timeouts (contract 7.1-7.3, 6.7).
 */
#include "engine_fixture.h"

#include <errno.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "hooks/config.h"
#include "os/fs.h"

#define HOOK(name) "{'type':'command','command':'" name "','name':'" name "'}"
#define ON(event, hooks) "{'hooks':{'" event "':[{'hooks':[" hooks "]}]}}"

static void put(const char *path, const char *text)
{
	(void)fx_write(path, fx_json("%s", text));
}

static void assert_names(const struct tl_hooks *h, const char *const *names, size_t n)
{
	assert_int_equal(tl_hooks_count(h), n);
	for (size_t i = 0; i < n; i++)
		assert_string_equal(fx_hook(h, i).name, names[i]);
}

/* C7.1, C4.1: every file of every tier, .gemini before .trotline, project before user before
 * system. */
static void c7_1_files_and_run_order(void **state)
{
	static const char *const order[] = { "project1", "project2", "user1",   "user2",
					     "defaults", "system1",  "system2", "extension" };

	(void)state;
	put("system/settings.json", ON("BeforeTool", HOOK("system1")));
	put("system/trotline.json", ON("BeforeTool", HOOK("system2")));
	put("system/defaults.json", ON("BeforeTool", HOOK("defaults")));
	put("home/.trotline/settings.json", ON("BeforeTool", HOOK("user2")));
	put("home/.gemini/settings.json", ON("BeforeTool", HOOK("user1")));
	put("project/.trotline/settings.json", ON("BeforeTool", HOOK("project2")));
	put("project/.gemini/settings.json", ON("BeforeTool", HOOK("project1")));
	put("home/.gemini/extensions/e/gemini-extension.json", "{'name':'e'}");
	put("home/.gemini/extensions/e/hooks/hooks.json", ON("BeforeTool", HOOK("extension")));
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	assert_names(h, order, ARRAY_LEN(order));
	assert_int_equal(fx_hook(h, 0).tier, TL_TIER_PROJECT);
	assert_int_equal(fx_hook(h, 3).tier, TL_TIER_USER);
	assert_int_equal(fx_hook(h, 4).tier, TL_TIER_SYSTEM);
	assert_int_equal(fx_hook(h, 7).tier, TL_TIER_EXTENSION);
	assert_string_equal(fx_hook(h, 1).file, fx_path("project/.trotline/settings.json"));
	assert_string_equal(tl_hooks_project_dir(h), fx.project);
	assert_string_equal(tl_hooks_home(h), fx.home);
	assert_string_equal(tl_hooks_file_get(h, 99), "");
}

/* C7.1: other dialects' files are read when hooksConfig.sources names them, in their dialect. */
static void c7_1_sources_name_other_dialects(void **state)
{
	static const char *const names[] = { "user", "tabnine" };

	(void)state;
	put("home/.tabnine/agent/settings.json", ON("BeforeTool", HOOK("tabnine")));
	put("home/.terminai/settings.json", ON("BeforeTool", HOOK("terminai")));
	put("home/.gemini/settings.json", ON("BeforeTool", HOOK("user")));
	AUTO(tl_hooks_unref) struct tl_hooks *without = FX_LOAD(.flags = 0);
	assert_names(without, names, 1);
	put("home/.gemini/settings.json",
	    "{'hooksConfig':{'sources':['tabnine','nonsense']},'hooks':{'BeforeTool':[{'hooks':[" HOOK(
		    "user") "]}]}}");
	AUTO(tl_hooks_unref) struct tl_hooks *with = FX_LOAD(.flags = 0);
	assert_names(with, names, 2);
	assert_string_equal(fx_hook(with, 1).dialect, "tabnine");
	assert_non_null(fx_diag(with, "bad-value"));
	assert_string_equal(fx_diag(with, "bad-value")->path, "hooksConfig.sources[1]");
}

/* C7.1: comments, trailing commas, a byte order mark. */
static void c7_1_jsonc(void **state)
{
	static const char *const texts[] = {
		"// note\n{ 'hooks': { /* here */ 'BeforeTool': [ { 'hooks': [ " HOOK(
			"a") ", ], }, ], }, } // end",
		"\xef\xbb\xbf" ON("BeforeTool", HOOK("a")),
	};
	static const char *const name[] = { "a" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		put("home/.gemini/settings.json", texts[i]);
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
		assert_names(h, name, 1);
		assert_int_equal(tl_hooks_diagnostic_count(h), 0);
	}
}

/* C7.1: a syntax error says file:line:column. */
static void c7_1_syntax_error_has_its_place(void **state)
{
	static const struct {
		const char *text, *at;
	} cases[] = {
		{ "{\n  'hooks': {\n    'BeforeTool' []\n  }\n}", ":3:18: " },
		{ "{'hooks':", ":1:10: " },
		{ "{'a':1} x", ":1:9: " },
		{ "{'a':'\x01'}", ":1:7: " },
		{ "{a:1}", ":1:2: " },
	};
	static const char *const files[] = { "home/.gemini/settings.json",
					     "home/.trotline/settings.json",
					     "project/.gemini/settings.json",
					     "system/settings.json" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put("home/.gemini/settings.json", cases[i].text);
		struct tl_err err = FX_LOAD_ERR(.flags = TL_LOAD_TRUST);
		assert_int_equal(err.code, TL_E_PARSE);
		fx_assert_has(err.text,
			      fx_fmt("%s%s", fx_path("home/.gemini/settings.json"), cases[i].at));
		/* The place is there on its own, too. */
		assert_string_equal(err.file, fx_path("home/.gemini/settings.json"));
		assert_string_equal(fx_fmt(":%u:%u: ", err.line, err.column), cases[i].at);
		assert_string_equal(
			fx_fmt("%s%s%s", err.file, cases[i].at, err.text + err.sentence), err.text);
	}
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		put("home/.gemini/settings.json", "{}");
		put(files[i], "{'hooks' 1}");
		struct tl_err err = FX_LOAD_ERR(.flags = TL_LOAD_TRUST);
		assert_int_equal(err.code, TL_E_PARSE);
		fx_assert_has(err.text, fx_fmt("%s:1:10: ", fx_path(files[i])));
		put(files[i], "{}");
	}
}

/* C7.1: a settings file is an object. */
static void c7_1_not_an_object(void **state)
{
	static const char *const texts[] = { "[]", "'x'", "7", "null", "true" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		put("home/.gemini/settings.json", texts[i]);
		struct tl_err err = FX_LOAD_ERR(.flags = 0);
		assert_int_equal(err.code, TL_E_CONFIG);
		assert_string_equal(err.file, fx_path("home/.gemini/settings.json"));
	}
}

/* C7.1: an entry of the wrong type is named by its exact path and left out; the others stay. */
static void c7_1_wrong_types_are_skipped_with_their_path(void **state)
{
	static const struct {
		const char *text, *path;
		size_t left;
	} cases[] = {
		{ "{'hooks':7}", "hooks", 0 },
		{ "{'hooks':[]}", "hooks", 0 },
		{ "{'hooks':{'BeforeTool':{}}}", "hooks.BeforeTool", 0 },
		{ "{'hooks':{'BeforeTool':[7,"
		  "{'hooks':[" HOOK("a") "]}]}}",
		  "hooks.BeforeTool[0]", 1 },
		{ "{'hooks':{'BeforeTool':[{'hooks':{}}]}}", "hooks.BeforeTool[0]", 0 },
		{ "{'hooks':{'BeforeTool':[{}]}}", "hooks.BeforeTool[0]", 0 },
		{ ON("BeforeTool", "'x'," HOOK("a")), "hooks.BeforeTool[0].hooks[0]", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':7}"),
		  "hooks.BeforeTool[0].hooks[1].command", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','timeout':true}"),
		  "hooks.BeforeTool[0].hooks[1].timeout", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','name':[]}"),
		  "hooks.BeforeTool[0].hooks[1].name", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','env':'x'}"),
		  "hooks.BeforeTool[0].hooks[1].env", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','env':{'A':[]}}"),
		  "hooks.BeforeTool[0].hooks[1].env", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','env':{'A=B':'x'}}"),
		  "hooks.BeforeTool[0].hooks[1].env", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','guard':'no'}"),
		  "hooks.BeforeTool[0].hooks[1].guard", 2 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','onFailure':'x'}"),
		  "hooks.BeforeTool[0].hooks[1].onFailure", 2 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'b','mode':'x'}"),
		  "hooks.BeforeTool[0].hooks[1].mode", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'runtime','name':'b'}"),
		  "hooks.BeforeTool[0].hooks[1].type", 1 },
		{ ON("BeforeTool", HOOK("a") ",{'type':'command','command':'  '}"),
		  "hooks.BeforeTool[0].hooks[1].command", 1 },
		{ "{'hooks':{'BeforeTool':[{'matcher':7,'hooks':[" HOOK("a") "]}]}}",
		  "hooks.BeforeTool[0].matcher", 1 },
		{ "{'hooks':{'BeforeTool':[{'sequential':'yes','hooks':[" HOOK("a") "]}]}}",
		  "hooks.BeforeTool[0].sequential", 1 },
		{ "{'hooksConfig':7}", "hooksConfig", 0 },
		{ "{'hooksConfig':{'enabled':'no'}}", "hooksConfig.enabled", 0 },
		{ "{'hooksConfig':{'disabled':'a'}}", "hooksConfig.disabled", 0 },
		{ "{'hooksConfig':{'disabled':['a',7]}}", "hooksConfig.disabled[1]", 0 },
		{ "{'hooksConfig':{'onFailure':'x'}}", "hooksConfig.onFailure", 0 },
		{ "{'hooksConfig':{'onFailure':1}}", "hooksConfig.onFailure", 0 },
		{ "{'hooksConfig':{'maxRetries':-1}}", "hooksConfig.maxRetries", 0 },
		{ "{'hooksConfig':{'maxRetries':1e300}}", "hooksConfig.maxRetries", 0 },
		{ "{'hooksConfig':{'sources':[1]}}", "hooksConfig.sources[0]", 0 },
		{ "{'hooksConfig':{'dialect':'x'}}", "hooksConfig.dialect", 0 },
	};
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			fx_load_text(TL_TIER_USER, NULL, cases[i].text);
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();
		const char *found = "(none)";
		bool right = false;

		for (size_t k = 0; tl_hooks_diagnostic_get(h, k, &d) == 0; k++) {
			found = d.path;
			right |= strcmp(d.path, cases[i].path) == 0 &&
				 d.severity == TL_SEVERITY_ERROR && d.line == 1 && d.column > 0 &&
				 d.text[0];
		}
		if (right && tl_hooks_count(h) == cases[i].left)
			continue;
		print_error("%s\n  wanted %s, %zu left; got %s, %zu left\n", cases[i].text,
			    cases[i].path, cases[i].left, found, tl_hooks_count(h));
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* C7.1: one mistake, one message. */
static void c7_1_one_message_for_one_mistake(void **state)
{
	static const char *const texts[] = {
		ON("BeforeTool", "{'type':'command','command':'b','timeout':true}"),
		ON("BeforeTool", "{'type':'command','command':7}"),
		"{'hooksConfig':{'onFailure':'x'}}",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			fx_load_text(TL_TIER_USER, NULL, texts[i]);

		assert_int_equal(tl_hooks_diagnostic_count(h), 1);
	}
}

/* C7.1, C3.6: a broken entry that is a guard is not left out: it denies. */
static void c7_1_broken_guard_denies(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		fx_load_text(TL_TIER_USER, NULL,
			     ON("BeforeTool", "{'command':'true','guard':true,'timeout':0}"));
	AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "write_file");

	(void)state;
	assert_int_equal(tl_outcome_verdict(o), TL_VERDICT_DENY);
	assert_int_equal(fx_report(o, 0).how, TL_CLASS_NOT_STARTED);
	fx_assert_has(tl_outcome_reason(o), "hooks.BeforeTool[0].hooks[0].timeout");
}

/* One typo after the other; NULL after the last. */
static const char *misspelt(const char *name, size_t i)
{
	size_t n = strlen(name), k = i / 5;
	char *out = arena_z(&fx.arena, str_from(name));

	if (i == 0)
		return fx_fmt("%s%s", (char[]){ (char)(name[0] ^ 32), 0 }, name + 1);
	if (i == 1 || i == 2) {
		for (size_t c = 0; c < n; c++)
			out[c] = i == 1 ? char_upper(out[c]) : char_lower(out[c]);
		return out;
	}
	if (i == 3)
		return fx_fmt("%s ", name);
	if (i == 4)
		return fx_fmt("_%s", name);
	if (k > n)
		return NULL;
	k--;
	switch (i % 5) {
	case 0: /* left out */
		return fx_fmt("%.*s%s", (int)k, name, name + k + 1);
	case 1: /* twice */
		return fx_fmt("%.*s%s", (int)k + 1, name, name + k);
	case 2: /* another */
		out[k] = 'x';
		return out;
	case 3: /* swapped */
		if (k + 1 < n) {
			out[k] = name[k + 1];
			out[k + 1] = name[k];
		}
		return out;
	default: /* cut in two */
		return fx_fmt("%.*s_%s", (int)k, name, name + k);
	}
}

/* Every value that a member can have; the last one does not make anything stricter. */
static const char *const guard_values[] = {
	"true", "'true'", "'yes'", "'false'", "''", "1", "0", "null", "[]", "{}", "[true]", "false"
};
static const char *const failure_values[] = { "'deny'", "'DENY'", "'blocks'", "'denny'",
					      "''",     "true",   "1",        "null",
					      "[]",     "{}",     "['deny']", "'warn'" };
static const char *const closed_values[] = { "true", "'true'", "1", "null", "[]", "false" };

/* What may surround the member: in a hook, next to it, in hooksConfig, among the events. */
static const char *const around[] = {
	"{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':'exit 1',%s}]}]}}",
	"{'hooks':{'BeforeTool':[{%s,'hooks':[{'type':'command','command':'exit 1'}]}]}}",
	"{'hooksConfig':{%s},'hooks':{'BeforeTool':[{'hooks':[{'type':'command',"
	"'command':'exit 1'}]}]}}",
	"{'hooks':{%s,'BeforeTool':[{'hooks':[{'type':'command','command':'exit 1'}]}]}}",
	"{'hooksConfig':[{%s}],'hooks':{'BeforeTool':[{'hooks':[{'type':'command',"
	"'command':'exit 1'}]}]}}",
};

/* Where a guard does not belong, and what it can be wrapped in there. */
static const char *const wrong_places[] = {
	"{'hooks':%s}",
	"{'hooks':{'BeforeTool':%s}}",
	"{'hooks':{'BeforeTool':[%s]}}",
	"{'hooks':{'BeforeTool':[[%s]]}}",
	"{'hooks':{'BeforeTool':[{'hooks':%s}]}}",
	"{'hooks':{'BeforeTool':[{'hooks':[[%s]]}]}}",
	"{'hooks':{'BeforeTool':[{'hooks':[null,%s,[]]}]}}",
	"{'hooks':{'BeforeTool':[{'hooks':[],'guards':%s}]}}",
	"{'hooks':{'BeforeTool':[{'hooks':[],'matcher':%s}]}}",
	"{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':'true','x':%s}]}]}}",
	"{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':%s}]}]}}",
	"{'hooks':{'Nothing':[{'hooks':[%s]}]}}",
	"{'hooks':{'enabled':%s}}",
	"{'hooks':{'disabled':[%s]}}",
	"{'hooksConfig':{'disabled':[%s]}}",
	"{'hooksConfig':{'hooks':{'BeforeTool':[{'hooks':[%s]}]}}}",
	"{'hook':{'BeforeTool':[{'hooks':[%s]}]}}",
	"{'BeforeTool':[{'hooks':[%s]}]}",
};
static const char *const wraps[] = { "{'x':%s}", "{'hooks':%s}", "{'0':%s}", "[[%s]]",
				     "{'x':[{'y':%s}]}" };

static const char *with_member(const char *text, const char *name, const char *value)
{
	const char *at = strstr(text, "%s");

	return fx_fmt("%.*s'%s':%s%s", (int)(at - text), text, name, value, at + 2);
}

/* The firing is denied, or the settings are refused, with an error of the place. */
static bool is_strict(const char *text)
{
	struct tl_source source = TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "given");
	struct tl_hooks *h = NULL;
	struct tl_err err;
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES | TL_LOAD_TRUST, .cwd = fx.project,
				.project_dir = fx.project, .home = fx.home, .env = fx.env,
				.sources = &source, .nsources = 1);

	source.text = fx_json("%s", text);
	source.length = strlen(source.text);
	if (tl_hooks_load(&o, &h, &err) < 0)
		return err.line > 0;
	AUTO(tl_outcome_free) struct tl_outcome *out = fx_fire_tool(h, "write_file");
	bool error = false, denies = tl_outcome_verdict(out) == TL_VERDICT_DENY;
	for (size_t i = 0; i < tl_hooks_diagnostic_count(h); i++) {
		struct tl_diagnostic d = TL_DIAGNOSTIC_INIT();

		(void)tl_hooks_diagnostic_get(h, i, &d);
		error |= d.severity == TL_SEVERITY_ERROR && d.line > 0;
	}
	tl_hooks_unref(h);
	return denies && error;
}

/* C3.5, C3.6: a member that makes hooks stricter does, however it is spelled, typed and placed. */
static void c3_6_strictness_is_never_lost(void **state)
{
	static const struct {
		const char *name;
		const char *const *values;
		size_t n;
	} members[] = {
		{ "guard", guard_values, ARRAY_LEN(guard_values) },
		{ "onFailure", failure_values, ARRAY_LEN(failure_values) },
		{ "failClosed", closed_values, ARRAY_LEN(closed_values) },
	};

	(void)state;
	for (size_t m = 0; m < ARRAY_LEN(members); m++) {
		for (size_t i = 0; i < 200; i++) {
			const char *name = misspelt(members[m].name, i), *value;

			if (!name)
				break;
			/* All values, or all spellings with one of them. */
			for (size_t a = 0; a < ARRAY_LEN(around); a++) {
				value = members[m].values[(i + a) % (members[m].n - 1)];
				const char *text = with_member(around[a], name, value);

				if (!is_strict(text))
					fail_msg("%s", text);
				value = members[m].values[members[m].n - 1];
				text = with_member(around[a], name, value);
				if (is_strict(text))
					fail_msg("too strict: %s", text);
			}
		}
		for (size_t v = 0; v < members[m].n - 1; v++)
			for (size_t a = 0; a < ARRAY_LEN(around); a++) {
				const char *text = with_member(around[a], members[m].name,
							       members[m].values[v]);
				bool right = (a == 0 || (a == 2 && m == 1)) && v == 0 && m < 2;

				if (!right && !is_strict(text))
					fail_msg("%s", text);
			}
	}
}

/* C3.6, C7.1: a guard that is where nothing is read is not passed over. */
static void c3_6_guards_in_wrong_shapes(void **state)
{
	static const char guard[] = "{'type':'command','command':'true','guard':true}";

	(void)state;
	for (size_t p = 0; p < ARRAY_LEN(wrong_places); p++)
		for (size_t w = 0; w < ARRAY_LEN(wraps); w++) {
			const char *at = strstr(wrong_places[p], "%s"),
				   *in = strstr(wraps[w], "%s");
			const char *text = fx_fmt("%.*s%.*s%s%s%s", (int)(at - wrong_places[p]),
						  wrong_places[p], (int)(in - wraps[w]), wraps[w],
						  guard, in + 2, at + 2);

			if (!is_strict(text))
				fail_msg("%s", text);
		}
}

/* C7.1: unknown keys and events get "did you mean". */
static void c7_1_unknown_keys(void **state)
{
	static const struct {
		const char *text, *path, *hint;
	} cases[] = {
		{ "{'hooks':{'BeforeTols':[]}}", "hooks.BeforeTols", "\"BeforeTool\"" },
		{ "{'hooks':{'beforeTool':[]}}", "hooks.beforeTool", "\"BeforeTool\"" },
		{ "{'hooks':{'BeforeTool':[{'macher':'x','hooks':[]}]}}",
		  "hooks.BeforeTool[0].macher", "\"matcher\"" },
		{ ON("BeforeTool", "{'type':'command','command':'x','timout':5000}"),
		  "hooks.BeforeTool[0].hooks[0].timout", "\"timeout\"" },
		{ ON("BeforeTool", "{'type':'command','command':'x','gaurd':true}"),
		  "hooks.BeforeTool[0].hooks[0].gaurd", "\"guard\"" },
		{ "{'hooksConfig':{'disabeld':[]}}", "hooksConfig.disabeld", "\"disabled\"" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			fx_load_text(TL_TIER_USER, NULL, cases[i].text);
		const struct tl_diagnostic *d = fx_diag(h, "unknown-key");

		d = d ? d : fx_diag(h, "unknown-event");
		assert_non_null(d);
		assert_string_equal(d->path, cases[i].path);
		fx_assert_has(d->text, "did you mean");
		fx_assert_has(d->text, cases[i].hint);
	}
	AUTO(tl_hooks_unref) struct tl_hooks *far =
		fx_load_text(TL_TIER_USER, NULL, "{'hooksConfig':{'zebra':1},'theme':'dark'}");
	assert_int_equal(tl_hooks_diagnostic_count(far), 1);
	fx_assert_hasnt(fx_diag(far, "unknown-key")->text, "did you mean");
}

/* C7.1: huge and deep files, files that are none, unreadable files. */
static void c7_1_files_that_cannot_be_used(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct tl_err err;

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		buf_addz(&text, "{\"a\":");
	(void)fx_write("home/.gemini/settings.json", buf_z(&text));
	err = FX_LOAD_ERR(.flags = 0);
	fx_assert_has(err.text, ".gemini/settings.json");
	buf_clear(&text);
	buf_addz(&text, "{\"a\":\"");
	while (text.n < 9 << 20)
		buf_addz(&text, "0123456789abcdef0123456789abcdef");
	buf_addz(&text, "\"}");
	(void)fx_write("home/.gemini/settings.json", buf_z(&text));
	err = FX_LOAD_ERR(.flags = 0);
	assert_int_equal(err.code, TL_E_CONFIG);
	fx_assert_has(err.text, ".gemini/settings.json");
	assert_int_equal(unlink(fx_path("home/.gemini/settings.json")), 0);
	assert_int_equal(fs_mkdirs(fx_path("home/.gemini/settings.json"), 0755, NULL), 0);
	err = FX_LOAD_ERR(.flags = 0);
	assert_int_equal(err.code, TL_E_CONFIG);
	fx_assert_has(err.text, ".gemini/settings.json");
}

/* In a process of its own: what does somebody without rights get for this file? */
static int load_as_nobody(char **dirs)
{
	const char *env[] = { fx_fmt("HOME=%s", dirs[0]), "PATH=/usr/bin:/bin", NULL };
	struct tl_options o = TL_OPTIONS_INIT(.cwd = dirs[1], .env = env);
	struct tl_hooks *h = NULL;
	struct tl_err err = { 0 };
	int r;

	if (getuid() == 0 && setuid(65534) < 0)
		return 9;
	r = tl_hooks_load(&o, &h, &err);
	tl_hooks_unref(h);
	arena_done(&fx.arena);
	return r == -TL_E_CONFIG && strstr(err.text, ".gemini/settings.json") ? 0 : 1;
}

/* C7.1: a file without permission is an error and not an empty one. */
static void c7_1_unreadable_file(void **state)
{
	const char *args[] = { "nobody", fx.home, fx.project, NULL };

	(void)state;
	put("home/.gemini/settings.json", "{}");
	assert_int_equal(chmod(fx_path("home/.gemini/settings.json"), 0), 0);
	assert_int_equal(chmod(fx.dir, 0755), 0);
	assert_int_equal(fx_wait(fx_spawn_self(args)), 0);
}

/* Whoever may write the system's settings may run commands as every user. */
static void c7_1_writable_system_file(void **state)
{
	(void)state;
	put("system/settings.json", ON("BeforeTool", HOOK("a")));
	assert_int_equal(chmod(fx_path("system/settings.json"), 0646), 0);
	struct tl_err err = FX_LOAD_ERR(.flags = 0);
	assert_int_equal(err.code, TL_E_CONFIG);
	assert_int_equal(chmod(fx_path("system/settings.json"), 0664), 0);
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_non_null(fx_diag(h, "writable-system-file"));
}

/* C7.1: the project is found from a directory inside of it, but never outside of its work tree. */
static void c7_1_project_is_found(void **state)
{
	(void)state;
	put("project/.gemini/settings.json", ON("BeforeTool", HOOK("a")));
	assert_int_equal(fs_mkdirs(fx_path("project/.git"), 0755, NULL), 0);
	assert_int_equal(fs_mkdirs(fx_path("project/a/b"), 0755, NULL), 0);
	struct tl_options o = TL_OPTIONS_INIT(.cwd = fx_path("project/a/b"), .env = fx.env);
	AUTO(tl_hooks_unref) struct tl_hooks *h = NULL;
	assert_int_equal(tl_hooks_load(&o, &h, NULL), 0);
	assert_string_equal(tl_hooks_project_dir(h), fx.project);
	/* Without a work tree a parent's settings are somebody else's. */
	AUTO(tl_hooks_unref) struct tl_hooks *other = NULL;
	assert_int_equal(rmdir(fx_path("project/.git")), 0);
	assert_int_equal(tl_hooks_load(&o, &other, NULL), 0);
	assert_string_equal(tl_hooks_project_dir(other), fx_path("project/a/b"));
	assert_int_equal(tl_hooks_count(other), 0);
}

/* In the home directory the user's file is not also the project's. */
static void c7_1_home_is_no_project(void **state)
{
	(void)state;
	put("home/.gemini/settings.json", ON("BeforeTool", HOOK("a")));
	AUTO(tl_hooks_unref) struct tl_hooks *h =
		FX_LOAD(.flags = TL_LOAD_TRUST, .cwd = fx.home, .project_dir = fx.home);
	assert_int_equal(tl_hooks_count(h), 1);
	assert_int_equal(fx_hook(h, 0).tier, TL_TIER_USER);
}

/* ---- C7.2: tiers ---- */

static enum tl_state state_of(const struct tl_hooks *h, const char *name)
{
	for (size_t i = 0; i < tl_hooks_count(h); i++)
		if (strcmp(fx_hook(h, i).name, name) == 0)
			return fx_hook(h, i).state;
	fail_msg("no hook %s", name);
	return TL_STATE_RAN;
}

/* C7.2: neither names nor commands nor enabled:false of another tier touch the system's hooks. */
static void c7_2_system_cannot_be_disabled(void **state)
{
	static const char *const files[] = { "home/.gemini/settings.json",
					     "project/.gemini/settings.json",
					     "project/.trotline/settings.json" };
	static const char *const texts[] = {
		"{'hooksConfig':{'disabled':['system','./system.sh','user']}}",
		"{'hooksConfig':{'enabled':false}}",
		"{'hooks':{'enabled':false}}",
		"{'hooks':{'disabled':['system','user']}}",
		"{'tools':{'enableHooks':false}}",
	};

	(void)state;
	put("system/settings.json",
	    ON("BeforeTool", "{'type':'command','command':'./system.sh','name':'system'}"));
	put("home/.trotline/settings.json", ON("BeforeTool", HOOK("user")));
	for (size_t i = 0; i < ARRAY_LEN(files); i++)
		for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
			put(files[i], texts[k]);
			AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
			assert_int_equal(state_of(h, "system"), TL_STATE_WOULD_RUN);
			assert_int_equal(state_of(h, "user"), TL_STATE_DISABLED);
			assert_int_equal(unlink(fx_path(files[i])), 0);
		}
}

#define EXTENSION "home/.gemini/extensions/a"
#define GUARD "{'type':'command','command':'exit 2','name':'g','guard':true}"

static void put_broken(const char *hooks)
{
	put(EXTENSION "/gemini-extension.json", "{'name':'a','version':'1'}");
	put(EXTENSION "/hooks/hooks.json", hooks);
}

/* C7.2, C4.1: a project switches off no guard of an extension, and the attempt is told. */
static void c7_2_project_does_not_disable_guards_of_extensions(void **state)
{
	static const char *const texts[] = {
		"{'hooksConfig':{'disabled':['g','exit 2']}}",
		"{'hooksConfig':{'enabled':false}}",
		"{'hooks':{'enabled':false}}",
		"{'hooks':{'disabled':['g']}}",
		"{'tools':{'enableHooks':false}}",
	};

	(void)state;
	put_broken(ON("BeforeTool", GUARD));
	for (size_t k = 0; k < ARRAY_LEN(texts); k++) {
		put("project/.gemini/settings.json", texts[k]);
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
		assert_int_equal(state_of(h, "g"), TL_STATE_WOULD_RUN);
		assert_non_null(fx_diag(h, "not-disabled"));
	}
	put("project/.gemini/settings.json", "{}");
	put("home/.gemini/settings.json", texts[0]);
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	assert_int_equal(state_of(h, "g"), TL_STATE_DISABLED);
}

static bool fails_to_load(void)
{
	struct tl_hooks *h = NULL;
	struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_TRUST, .cwd = fx.project,
				.project_dir = fx.project, .home = fx.home, .env = fx.env);
	int r = tl_hooks_load(&o, &h, NULL);

	tl_hooks_unref(h);
	return r < 0;
}

/* Every way to lose the end, the words or the shape of a file with a guard. */
static const char *broken_text(size_t i)
{
	static const char whole[] = ON("BeforeTool", GUARD);
	static const char *const others[] = {
		"",
		" ",
		"\n\t ",
		"{{{",
		"null",
		"7",
		"[]",
		("{'hooks':{'BeforeTool':[{'hooks':[{'type':'command','command':'exit 2',"
		 "'gu\\u0061rd':true}]}]}"),
		"{'hooks':'{\\'hooks\\':{}}'}",
		"{'hooks':{'BeforeTool':'[{\\'guard\\':true}]'}}",
		"{'hooks':{'BeforeTool':['{\\'guard\\':true}']}}",
		"\xff\xfe{",
	};

	if (i < ARRAY_LEN(others))
		return others[i];
	i = (i - ARRAY_LEN(others)) * 7 + 1;
	return i < sizeof whole - 1 ? fx_fmt("%.*s", (int)i, whole) : NULL;
}

/* C7.1, C7.7: where a guard may have been lost, nothing is loaded. */
static void c7_7_lost_guards_end_the_program(void **state)
{
	const char *text;

	(void)state;
	for (size_t i = 0; (text = broken_text(i)); i++) {
		put("home/.gemini/settings.json", text);
		assert_true(fails_to_load());
		put("home/.gemini/settings.json", "{}");
		put_broken(text);
		/* "null", "7", "[]" are no settings, but whole. */
		if (!fails_to_load())
			fail_msg("hooks.json: %s", text);
		put_broken("{}");
		assert_false(fails_to_load());
	}
	/* A manifest that is broken hides no hooks.json without a guard, but one that has it. */
	put_broken(ON("BeforeTool", HOOK("x")));
	put(EXTENSION "/gemini-extension.json", "{");
	assert_false(fails_to_load());
	put(EXTENSION "/hooks/hooks.json",
	    "{'hooks':{'BeforeTool':[{'hooks':[{'gu\\u0061rd':1}]}]}}");
	assert_true(fails_to_load());
	put_broken("{}");
	/* A directory that is gone. */
	put(EXTENSION "/.gemini-extension-install.json",
	    "{'type':'link','source':'/nonexistent/source'}");
	assert_int_equal(unlink(fx_path(EXTENSION "/hooks/hooks.json")), 0);
	assert_true(fails_to_load());
	put(EXTENSION "/.gemini-extension-install.json", "{'type':'local','source':'/x'}");
	assert_false(fails_to_load());
	assert_int_equal(symlink("/nonexistent", fx_path("home/.gemini/extensions/b")), 0);
	assert_true(fails_to_load());
}

/* C7.2: the system may disable its own and, with `enabled`, everybody's. */
static void c7_2_system_disables(void **state)
{
	(void)state;
	put("home/.gemini/settings.json",
	    "{'hooksConfig':{'enabled':true},'hooks':{'BeforeTool':[{'hooks':[" HOOK(
		    "user") "]}]}}");
	put("system/settings.json",
	    "{'hooksConfig':{'enabled':false},'hooks':{'BeforeTool':[{'hooks':[" HOOK(
		    "system") "]}]}}");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_int_equal(state_of(h, "system"), TL_STATE_DISABLED);
	assert_int_equal(state_of(h, "user"), TL_STATE_DISABLED);
	put("system/settings.json",
	    "{'hooksConfig':{'disabled':['system','user']},'hooks':{'BeforeTool':[{'hooks':[" HOOK(
		    "system") "]}]}}");
	AUTO(tl_hooks_unref) struct tl_hooks *names = FX_LOAD(.flags = 0);
	assert_int_equal(state_of(names, "system"), TL_STATE_DISABLED);
	assert_int_equal(state_of(names, "user"), TL_STATE_DISABLED);
	fx_assert_has(fx_hook(names, 0).why, fx_path("system/settings.json"));
}

/* C7.2: what a failure means for the system's hooks is not for others to say. */
static void c7_2_on_failure_of_the_system(void **state)
{
	(void)state;
	put("system/settings.json",
	    "{'hooksConfig':{'onFailure':'deny'},'hooks':{'BeforeTool':[{'hooks':[" HOOK(
		    "system") "]}]}}");
	put("project/.gemini/settings.json", "{'hooksConfig':{'onFailure':'warn'}}");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	assert_string_equal(fx_hook(h, 0).on_failure, "deny");
}

/*
 * C7.2, C4.1: a project's copy of the system's hook (same name and command) that is handled in
 * another way does not take its place; an equal copy may.
 */
static void c7_2_copy_does_not_replace_the_systems(void **state)
{
	static const struct {
		const char *more;
		enum tl_state copy;
	} cases[] = {
		{ "", TL_STATE_DUPLICATE },
		{ ",'description':'x'", TL_STATE_DUPLICATE },
		{ ",'mode':'observe'", TL_STATE_DUPLICATE },
		{ ",'timeout':1", TL_STATE_DUPLICATE },
		{ ",'env':{'PATH':'/nowhere'}", TL_STATE_WOULD_RUN }, /* another hook */
		{ ",'onFailure':'warn'", TL_STATE_DUPLICATE },
		{ ",'guard':false", TL_STATE_DUPLICATE },
	};

	(void)state;
	put("system/settings.json",
	    ON("BeforeTool", "{'type':'command','command':'true','name':'g','guard':true}"));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		const char *guard = strstr(cases[i].more, "guard") ? "" : ",'guard':true";

		put("project/.gemini/settings.json",
		    fx_fmt(ON("BeforeTool", "{'type':'command','command':'true','name':'g'%s%s}"),
			   cases[i].more, guard));
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
		assert_int_equal(fx_why(h, "write_file", 0), cases[i].copy);
		assert_int_equal(fx_why(h, "write_file", 1), TL_STATE_WOULD_RUN);
	}
}

/* The same in the claude dialect, whose hooks can also be filtered and let go. */
static void c7_2_claude_copy_does_not_replace_the_systems(void **state)
{
	static const char *const more[] = { ",'if':'Bash(nothing *)'", ",'async':true",
					    ",'asyncRewake':true" };
	const char *system = fx_json(ON("PreToolUse", "{'type':'command','command':'exit 2'}"));

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(more); i++) {
		const char *project = fx_json(
			ON("PreToolUse", "{'type':'command','command':'exit 2'%s}"), more[i]);
		struct tl_source s[] = {
			{ .size = sizeof *s,
			  .tier = TL_TIER_PROJECT,
			  .dialect = "claude",
			  .text = project,
			  .length = strlen(project) },
			{ .size = sizeof *s,
			  .tier = TL_TIER_SYSTEM,
			  .dialect = "claude",
			  .text = system,
			  .length = strlen(system) },
		};
		AUTO(tl_hooks_unref) struct tl_hooks *h =
			FX_LOAD(.flags = TL_LOAD_NO_FILES | TL_LOAD_TRUST, .sources = s,
				.nsources = 2);
		AUTO(tl_outcome_free) struct tl_outcome *o = fx_fire_tool(h, "run_shell_command");

		if (tl_outcome_verdict(o) != TL_VERDICT_DENY)
			fail_msg("the system's hook is gone: %s", more[i]);
	}
	/* An async hook that still ran was left to the host (trotline.h). */
	while (waitpid(-1, NULL, 0) > 0 || errno == EINTR)
		;
}

/* ---- C7.3: switches ---- */

/* C7.3: lists of names and commands are united over the tiers. */
static void c7_3_disabled_lists_are_united(void **state)
{
	(void)state;
	put("home/.gemini/settings.json",
	    "{'hooksConfig':{'disabled':['a']},'hooks':{'BeforeTool':[{'hooks':[" HOOK("a") "," HOOK(
		    "b") "," HOOK("c") ",{'type':'command','command':'x y'},"
				       "{'type':'command','command':'z','name':'named'}]}]}}");
	put("home/.trotline/settings.json", "{'hooksConfig':{'disabled':['x y']}}");
	put("project/.gemini/settings.json", "{'hooksConfig':{'disabled':['b','z']}}");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = TL_LOAD_TRUST);
	assert_int_equal(state_of(h, "a"), TL_STATE_DISABLED);
	assert_int_equal(state_of(h, "b"), TL_STATE_DISABLED);
	assert_int_equal(state_of(h, "c"), TL_STATE_WOULD_RUN);
	assert_int_equal(state_of(h, "x y"), TL_STATE_DISABLED);
	/* A hook that has a name is disabled by it, not by its command. */
	assert_int_equal(state_of(h, "named"), TL_STATE_WOULD_RUN);
	assert_int_equal(fx_why(h, "write_file", 0), TL_STATE_DISABLED);
}

/* C7.3: older spellings: an explicit false disables, true changes nothing, a list is united. */
static void c7_3_legacy_keys(void **state)
{
	static const struct {
		const char *text;
		enum tl_state a;
	} cases[] = {
		{ "{'hooks':{'enabled':false}}", TL_STATE_DISABLED },
		{ "{'hooks':{'enabled':true}}", TL_STATE_WOULD_RUN },
		{ "{'tools':{'enableHooks':false}}", TL_STATE_DISABLED },
		{ "{'tools':{'enableHooks':true}}", TL_STATE_WOULD_RUN },
		{ "{'hooks':{'disabled':['a']}}", TL_STATE_DISABLED },
		{ "{'hooks':{'disabled':['b']}}", TL_STATE_WOULD_RUN },
	};

	(void)state;
	put("home/.gemini/settings.json", ON("BeforeTool", HOOK("a")));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		put("home/.trotline/settings.json", cases[i].text);
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
		const struct tl_diagnostic *d = fx_diag(h, "legacy-key");

		assert_int_equal(state_of(h, "a"), cases[i].a);
		assert_non_null(d);
		assert_string_equal(d->file, fx_path("home/.trotline/settings.json"));
		assert_int_equal(fx_count_diags(h, "legacy-key"), 1);
		assert_int_equal(fx_count_diags(h, "unknown-event"), 0);
	}
	put("home/.trotline/settings.json",
	    "{'hooks':{'enabled':true},'hooksConfig':{'enabled':false}}");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_int_equal(state_of(h, "a"), TL_STATE_DISABLED);
}

/* C7.3: notifications is read, and is true by default. */
static void c7_3_notifications(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *on = fx_load_text(TL_TIER_USER, NULL, "{}");
	AUTO(tl_hooks_unref) struct tl_hooks *off =
		fx_load_text(TL_TIER_USER, NULL, "{'hooksConfig':{'notifications':false}}");

	(void)state;
	assert_true(on->set.notifications);
	assert_false(off->set.notifications);
}

/* ---- C6.7: timeouts ---- */

static const struct timeout_case {
	const char *dialect, *event, *timeout;
	int64_t ms; /* 0 = refused */
	const char *diag;
} timeouts[] = {
	{ "gemini", "BeforeTool", "", 60000, NULL },
	{ "gemini", "BeforeTool", "null", 60000, NULL },
	{ "gemini", "BeforeTool", "5000", 5000, NULL },
	{ "gemini", "BeforeTool", "'5000'", 5000, NULL },
	{ "gemini", "BeforeTool", "50", 50, NULL },
	{ "gemini", "BeforeTool", "49", 49, "short-timeout" },
	{ "gemini", "BeforeTool", "0.2", 1, "short-timeout" },
	{ "gemini", "BeforeTool", "30", 30, "short-timeout" },
	{ "gemini", "BeforeTool", "60", 60, "timeout-unit" },
	{ "gemini", "BeforeTool", "0", 0, "bad-timeout" },
	{ "gemini", "BeforeTool", "-1", 0, "bad-timeout" },
	{ "gemini", "BeforeTool", "'0'", 0, "bad-timeout" },
	{ "gemini", "BeforeTool", "'soon'", 0, "bad-timeout" },
	{ "gemini", "BeforeTool", "''", 0, "bad-timeout" },
	{ "gemini", "BeforeTool", "1e300", INT32_MAX, NULL },
	{ "tabnine", "BeforeTool", "5000", 5000, NULL },
	{ "terminai", "BeforeTool", "", 60000, NULL },
	{ "jpfork", "PreToolUse", "5000", 5000, NULL },
	{ "claude", "PreToolUse", "", 600000, NULL },
	{ "claude", "PreToolUse", "5", 5000, NULL },
	{ "claude", "PreToolUse", "0.5", 500, NULL },
	{ "claude", "PreToolUse", "0.01", 10, "short-timeout" },
	{ "claude", "PreToolUse", "999", 999000, NULL },
	{ "claude", "PreToolUse", "1000", 1000000, "timeout-unit" },
	{ "claude", "PreToolUse", "60000", 60000000, "timeout-unit" },
	{ "claude", "UserPromptSubmit", "", 30000, NULL },
	{ "claude", "PreToolUse", "0", 0, "bad-timeout" },
};

/* C6.7, C7.6: milliseconds, seconds in the claude dialect, 0 and below refused, odd ones noted. */
static void c6_7_timeout_units(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(timeouts); i++) {
		const struct timeout_case *t = &timeouts[i];
		AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_text(
			TL_TIER_USER, t->dialect,
			fx_fmt(ON("%s", "{'type':'command','command':'true'%s%s}"), t->event,
			       *t->timeout ? ",'timeout':" : "", t->timeout));
		int64_t ms = tl_hooks_count(h) ? fx_hook(h, 0).timeout_ms : 0;

		if (ms != t->ms)
			fail_msg("%s %s: %lld ms", t->dialect, t->timeout, (long long)ms);
		if (t->diag ? !fx_diag(h, t->diag) : tl_hooks_diagnostic_count(h) > 0)
			fail_msg("%s %s: diagnostics", t->dialect, t->timeout);
	}
}

/* C6.7: a refused timeout is a config error with its place. */
static void c6_7_bad_timeout_has_its_place(void **state)
{
	AUTO(tl_hooks_unref) struct tl_hooks *h = fx_load_text(
		TL_TIER_USER, NULL,
		"{'hooks':{'BeforeTool':[{'hooks':[\n" HOOK(
			"a") ",\n"
			     "{'type':'command','command':'b',\n  'timeout': -5}]}]}}");
	const struct tl_diagnostic *d = fx_diag(h, "bad-timeout");

	(void)state;
	assert_non_null(d);
	assert_int_equal(d->severity, TL_SEVERITY_ERROR);
	assert_string_equal(d->path, "hooks.BeforeTool[0].hooks[1].timeout");
	assert_int_equal(d->line, 4);
	assert_int_equal(d->column, 14);
	assert_int_equal(tl_hooks_count(h), 1);
}

/* ---- extensions ---- */

static void put_extension(const char *name, const char *hooks)
{
	put(fx_fmt("home/.gemini/extensions/%s/gemini-extension.json", name),
	    fx_fmt("{'name':'%s'}", name));
	put(fx_fmt("home/.gemini/extensions/%s/hooks/hooks.json", name), hooks);
}

/* A broken extension is left out and named; the others and the program go on. */
static void extensions_that_are_broken(void **state)
{
	(void)state;
	put_extension("bad", "{'hooks': []}");
	put_extension("worse", "{'hooks': 7}");
	put_extension("good", ON("BeforeTool", HOOK("good")));
	put("home/.gemini/extensions/none/readme", "no manifest");
	AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
	assert_int_equal(tl_hooks_count(h), 1);
	assert_int_equal(fx_count_diags(h, "broken-extension"), 2);
	fx_assert_has(fx_diag(h, "broken-extension")->text, "/bad/");
}

/* Enablement rules: the last one that applies decides. */
static void extensions_enablement(void **state)
{
	static const struct {
		const char *rules;
		size_t n;
	} cases[] = {
		{ "[]", 1 },
		{ "['!%s/*']", 0 },
		{ "['!/*']", 0 },
		{ "['!/*','%s/*']", 1 },
		{ "['%s/*','!/*']", 0 },
		{ "['!/nowhere/*']", 1 },
		{ "['!%s']", 0 },
		{ "['!%sx/*']", 1 },
		{ "7", 1 },
	};

	(void)state;
	put_extension("e", ON("BeforeTool", HOOK("e")));
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf text = { 0 };
		const char *mark = strstr(cases[i].rules, "%s");
		int n = mark ? (int)(mark - cases[i].rules) : (int)strlen(cases[i].rules);

		buf_addf(&text, "{'e':{'overrides':%.*s%s%s}}", n, cases[i].rules,
			 mark ? fx.project : "", mark ? mark + 2 : "");
		put("home/.gemini/extensions/extension-enablement.json", buf_z(&text));
		AUTO(tl_hooks_unref) struct tl_hooks *h = FX_LOAD(.flags = 0);
		if (tl_hooks_count(h) != cases[i].n)
			fail_msg("%s", cases[i].rules);
	}
}

/* C6.6: an extension's variables work with any path, in any quoting, and are never code. */
static void c6_6_extension_variables(void **state)
{
	static const char *const forms[] = {
		"${extensionPath}/run.sh",
		"\\\"${extensionPath}/run.sh\\\"",
		"\\u0027${extensionPath}/run.sh\\u0027",
		"${extensionPath}${/}run.sh",
		"true; ${extensionPath}/run.sh",
		"true && \\u0027${extensionPath}\\u0027/run.sh",
	};
	const char *home = fx_path("h o'm\"e$(touch pwned);x");
	size_t failed = 0;

	(void)state;
	fx_setenv("HOME", home);
	put(fx_fmt("%s/.gemini/extensions/e/gemini-extension.json", home), "{'name':'e'}");
	(void)fx_script(fx_fmt("%s/.gemini/extensions/e/run.sh", home),
			"#!/bin/sh\necho 'it ran'\n");
	for (size_t i = 0; i < ARRAY_LEN(forms); i++) {
		put(fx_fmt("%s/.gemini/extensions/e/hooks/hooks.json", home),
		    fx_fmt(ON("BeforeTool", "{'type':'command','command':'%s'}"), forms[i]));
		const char *out = fx_output(FX_LOAD(.flags = 0));
		if (strcmp(out, "it ran\n") != 0) {
			print_error("%s: %s\n", forms[i], out);
			failed++;
		}
		assert_int_equal(access(fx_path("project/pwned"), F_OK), -1);
	}
	assert_int_equal(failed, 0);
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = {
		ENGINE_TEST(c7_1_files_and_run_order),
		ENGINE_TEST(c7_1_sources_name_other_dialects),
		ENGINE_TEST(c7_1_jsonc),
		ENGINE_TEST(c7_1_syntax_error_has_its_place),
		ENGINE_TEST(c7_1_not_an_object),
		ENGINE_TEST(c7_1_wrong_types_are_skipped_with_their_path),
		ENGINE_TEST(c7_1_one_message_for_one_mistake),
		ENGINE_TEST(c7_1_broken_guard_denies),
		ENGINE_TEST(c3_6_strictness_is_never_lost),
		ENGINE_TEST(c3_6_guards_in_wrong_shapes),
		ENGINE_TEST(c7_1_unknown_keys),
		ENGINE_TEST(c7_1_files_that_cannot_be_used),
		ENGINE_TEST(c7_1_unreadable_file),
		ENGINE_TEST(c7_1_writable_system_file),
		ENGINE_TEST(c7_1_project_is_found),
		ENGINE_TEST(c7_1_home_is_no_project),
		ENGINE_TEST(c7_2_system_cannot_be_disabled),
		ENGINE_TEST(c7_2_project_does_not_disable_guards_of_extensions),
		ENGINE_TEST(c7_7_lost_guards_end_the_program),
		ENGINE_TEST(c7_2_system_disables),
		ENGINE_TEST(c7_2_on_failure_of_the_system),
		ENGINE_TEST(c7_2_copy_does_not_replace_the_systems),
		ENGINE_TEST(c7_2_claude_copy_does_not_replace_the_systems),
		ENGINE_TEST(c7_3_disabled_lists_are_united),
		ENGINE_TEST(c7_3_legacy_keys),
		ENGINE_TEST(c7_3_notifications),
		ENGINE_TEST(c6_7_timeout_units),
		ENGINE_TEST(c6_7_bad_timeout_has_its_place),
		ENGINE_TEST(extensions_that_are_broken),
		ENGINE_TEST(extensions_enablement),
		ENGINE_TEST(c6_6_extension_variables),
	};

	if (argc == 4 && strcmp(argv[1], "nobody") == 0)
		return load_as_nobody(argv + 2);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
