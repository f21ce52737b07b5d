/* trotline mcp serve: the contract of hooks as resources, and a prompt to write one. */
#include "cli/mcp/mcp_serve_tools.h"
#include "trotline.h"

#define SETTINGS_URI "trotline://hooks/settings"
#define CONTRACT_URI "trotline://hooks/contract"

enum { PURPOSE_MAX = 4000 };

/* ---- the contract ---- */

static bool event_find(struct str name, struct tl_event_info *ret_info)
{
	struct tl_event_info info = TL_EVENT_INFO_INIT();

	for (size_t i = 0; i < tl_event_count(); i++) {
		(void)tl_event_get(i, &info);
		if (!str_eqz(name, info.name))
			continue;
		*ret_info = info;
		return true;
	}
	return false;
}

/* The schema, compact: it is read by models. */
static struct str schema_of(struct arena *a, const char *kind, const char *event)
{
	const char *what = event ? arena_printf(a, "%s %s", kind, event).p : kind;
	AUTO(free) char *text = tl_schema(what);
	const struct json *doc;

	if (!text || json_parse(a, str_from(text), 0, &doc, NULL) < 0)
		return STR("null");
	return json_text(a, doc, JSON_COMPACT);
}

static void write_event(struct jw *w, struct arena *a, const struct tl_event_info *info)
{
	jw_obj(w);
	jw_kv_z(w, "event", info->name);
	jw_kv_z(w, "when", info->summary);
	if (*info->subject)
		jw_kv_z(w, "matcherField", info->subject);
	if (*info->subjects)
		jw_kv_z(w, "matcherValues", info->subjects);
	jw_kv_bool(w, "canBlock", info->can_block);
	jw_kv_bool(w, "advisory", info->advisory);
	jw_key(w, "input");
	jw_raw(w, schema_of(a, "input", info->name));
	jw_key(w, "output");
	jw_raw(w, schema_of(a, "output", info->name));
	jw_end(w);
}

static void write_contract(struct jw *w, struct arena *a)
{
	struct tl_event_info info = TL_EVENT_INFO_INIT();

	jw_obj(w);
	jw_kv_z(w, "about",
		"A hook is a command. It reads one JSON object on stdin (input) and may print one "
		"on stdout (output). Exit status 0: stdout counts; 2: it blocks, and stderr says "
		"why; others: a warning.");
	jw_key(w, "events");
	jw_arr(w);
	for (size_t i = 0; i < tl_event_count(); i++) {
		(void)tl_event_get(i, &info);
		write_event(w, a, &info);
	}
	jw_end(w);
	jw_end(w);
}

/* ---- resources ---- */

static const struct {
	const char *uri, *name, *title, *text;
} resources[] = {
	{ CONTRACT_URI, "contract", "The contract of hooks",
	  "every event: when it fires, what a hook reads and what it may answer, as JSON Schemas" },
	{ SETTINGS_URI, "settings", "JSON Schema of hook settings",
	  "the keys of settings files that concern hooks" },
};

static int resources_list(const struct json *params, struct jw *w, struct err *err)
{
	(void)params;
	(void)err;
	jw_obj(w);
	jw_key(w, "resources");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(resources); i++) {
		jw_obj(w);
		jw_kv_z(w, "uri", resources[i].uri);
		jw_kv_z(w, "name", resources[i].name);
		jw_kv_z(w, "title", resources[i].title);
		jw_kv_z(w, "description", resources[i].text);
		jw_kv_z(w, "mimeType", "application/json");
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
	return 0;
}

static int templates_list(const struct json *params, struct jw *w, struct err *err)
{
	(void)params;
	(void)err;
	jw_obj(w);
	jw_key(w, "resourceTemplates");
	jw_arr(w);
	jw_obj(w);
	jw_kv_z(w, "uriTemplate", CONTRACT_URI "/{event}");
	jw_kv_z(w, "name", "event");
	jw_kv_z(w, "title", "The contract of one event");
	jw_kv_z(w, "description", "the same for one event, for example BeforeTool");
	jw_kv_z(w, "mimeType", "application/json");
	jw_end(w);
	jw_end(w);
	jw_end(w);
	return 0;
}

/* False when there is no such resource. */
static bool write_resource(struct jw *w, struct arena *a, struct str uri)
{
	struct str prefix = STR(CONTRACT_URI "/");
	struct tl_event_info info;

	if (str_eqz(uri, SETTINGS_URI)) {
		jw_raw(w, schema_of(a, "settings", NULL));
		return true;
	}
	if (str_eqz(uri, CONTRACT_URI)) {
		write_contract(w, a);
		return true;
	}
	if (!str_starts(uri, prefix) || !event_find(str_sub(uri, prefix.n, uri.n), &info))
		return false;
	write_event(w, a, &info);
	return true;
}

static int resources_read(const struct json *params, struct jw *w, struct err *err)
{
	const struct json *uri = json_getz(params, "uri");
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf text = { 0 };
	struct jw inner = { .out = &text };

	if (!json_is(uri, J_STR))
		return err_set(err, E_INVAL, "resources/read takes a uri (string)");
	if (!write_resource(&inner, &a, json_str(uri, STR(""))))
		return err_set(err, E_NOTFOUND, "there is no resource %.*s",
			       STR_ARG(str_sub(json_str(uri, STR("")), 0, 200)));
	jw_obj(w);
	jw_key(w, "contents");
	jw_arr(w);
	jw_obj(w);
	jw_kv_str(w, "uri", json_str(uri, STR("")));
	jw_kv_z(w, "mimeType", "application/json");
	jw_kv_str(w, "text", buf_str(&text));
	jw_end(w);
	jw_end(w);
	jw_end(w);
	return 0;
}

/* ---- the prompt ---- */

static const struct {
	const char *name, *text;
	bool required;
} arguments[] = {
	{ "event", "when it runs, for example BeforeTool", true },
	{ "purpose", "what it is to do", true },
	{ "language", "sh, python, node... (default: whatever fits)", false },
};

static int prompts_list(const struct json *params, struct jw *w, struct err *err)
{
	(void)params;
	(void)err;
	jw_obj(w);
	jw_key(w, "prompts");
	jw_arr(w);
	jw_obj(w);
	jw_kv_z(w, "name", "new_hook");
	jw_kv_z(w, "title", "Write a hook");
	jw_kv_z(w, "description", "Write a hook for an event, configure it and try it");
	jw_key(w, "arguments");
	jw_arr(w);
	for (size_t i = 0; i < ARRAY_LEN(arguments); i++) {
		jw_obj(w);
		jw_kv_z(w, "name", arguments[i].name);
		jw_kv_z(w, "description", arguments[i].text);
		jw_kv_bool(w, "required", arguments[i].required);
		jw_end(w);
	}
	jw_end(w);
	jw_end(w);
	jw_end(w);
	jw_end(w);
	return 0;
}

static const char steps[] =
	"\nSteps:\n"
	"1. Look at what is there: hooks_list.\n"
	"2. Write the program below .gemini/hooks/ of the project and make it executable. It "
	"reads one JSON object on stdin (the input schema below), writes nothing but its answer "
	"on stdout (the output schema below) or nothing at all, and logs on stderr. Exit status "
	"0: stdout counts; 2: it blocks, and stderr says why; anything else is a warning. Be "
	"fast and quote what you get: the input is not trusted.\n"
	"3. Add it to \"hooks\" in .gemini/settings.json, with a name, the narrowest matcher that "
	"does it, and \"$GEMINI_PROJECT_DIR/.gemini/hooks/...\" as command. A hook that must not "
	"be passed by when it fails gets \"guard\": true.\n"
	"4. Check: hooks_lint, then hooks_why with an event that it is for and one that it is "
	"not for.\n"
	"5. Ask the user to look at it and approve it: trotline hooks trust. Then try it: "
	"hooks_run with an input that it should stop or change, and one that it should let "
	"pass.\n";

static void write_prompt(struct buf *out, const struct tl_event_info *info, struct str purpose,
			 struct str language)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf schemas = { 0 };
	struct jw w = { .out = &schemas };

	buf_addf(out, "Write a hook for the event %s (%s).\nWhat it is to do: %.*s\n", info->name,
		 info->summary, STR_ARG(str_sub(purpose, 0, PURPOSE_MAX)));
	if (language.n)
		buf_addf(out, "Language: %.*s\n", STR_ARG(str_sub(language, 0, 100)));
	buf_addz(out, steps);
	write_event(&w, &a, info);
	buf_addz(out, "\nThe event and its schemas:\n");
	buf_adds(out, buf_str(&schemas));
	buf_addc(out, '\n');
}

static int prompts_get(const struct json *params, struct jw *w, struct err *err)
{
	const struct json *args = json_getz(params, "arguments");
	struct str event = json_get_str(args, "event");
	struct str purpose = json_get_str(args, "purpose");
	AUTO(buf_done) struct buf text = { 0 };
	struct tl_event_info info;

	if (!str_eqz(json_get_str(params, "name"), "new_hook"))
		return err_set(err, E_INVAL, "there is one prompt: new_hook");
	if (!event_find(event, &info) || !str_trim(purpose).n)
		return err_set(err, E_INVAL,
			       "new_hook takes an event, for example BeforeTool, and a purpose");
	write_prompt(&text, &info, purpose, json_get_str(args, "language"));
	jw_obj(w);
	jw_kv_z(w, "description", "Write a hook, configure it and try it");
	jw_key(w, "messages");
	jw_arr(w);
	jw_obj(w);
	jw_kv_z(w, "role", "user");
	jw_key(w, "content");
	jw_obj(w);
	jw_kv_z(w, "type", "text");
	jw_kv_str(w, "text", buf_str(&text));
	jw_end(w);
	jw_end(w);
	jw_end(w);
	jw_end(w);
	return 0;
}

const struct serve_method serve_methods[] = {
	{ "tools/list", serve_tools_list },
	{ "resources/list", resources_list },
	{ "resources/templates/list", templates_list },
	{ "resources/read", resources_read },
	{ "prompts/list", prompts_list },
	{ "prompts/get", prompts_get },
};
const size_t serve_methods_n = ARRAY_LEN(serve_methods);
