/* trotline mcp serve: the contract of hooks as resources, and a prompt to write one. */
#include "cli/mcp/mcp_serve_tools.h"
#include "workbench/show.h"

#define SETTINGS_URI "trotline://hooks/settings"
#define CONTRACT_URI "trotline://hooks/contract"

enum { PURPOSE_MAX = 4000 };

/* ---- the contract ---- */

static const struct json *schema_of(struct arena *a, const char *kind, const char *event)
{
	const char *what = event ? arena_printf(a, "%s %s", kind, event).p : kind;
	AUTO(free) char *text = tl_schema(what);
	const struct json *doc = NULL;

	if (text && json_parse(a, arena_str(a, str_from(text)), 0, &doc, NULL) < 0)
		doc = NULL;
	return doc;
}

static const struct json *event_value(struct arena *a, const struct tl_event_info *info)
{
	return json_pack(a,
			 "event:z when:z ?matcherField:z ?matcherValues:z canBlock:b advisory:b "
			 "input:j output:j",
			 info->name, info->summary, info->subject, info->subjects, info->can_block,
			 info->advisory, schema_of(a, "input", info->name),
			 schema_of(a, "output", info->name));
}

static const struct json *contract(struct arena *a)
{
	struct tl_event_info info = TL_EVENT_INFO_INIT();
	struct json_list events = { 0 };

	for (size_t i = 0; i < tl_event_count(); i++) {
		(void)tl_event_get(i, &info);
		json_list_add(&events, event_value(a, &info));
	}
	return json_pack(
		a, "about:z events:j",
		"A hook is a command. It reads one JSON object on stdin (input) and may "
		"print one on stdout (output). Exit status 0: stdout counts; 2: it blocks, "
		"and stderr says why; others: a warning.",
		json_list_take(a, &events));
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

static const struct json *resources_list(struct arena *a, const struct json *params,
					 struct err *err)
{
	struct json_list list = { 0 };

	(void)params;
	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(resources); i++)
		json_list_add(&list,
			      json_pack(a, "uri:z name:z title:z description:z mimeType:z",
					resources[i].uri, resources[i].name, resources[i].title,
					resources[i].text, "application/json"));
	return json_pack(a, "resources:j", json_list_take(a, &list));
}

static const struct json *templates_list(struct arena *a, const struct json *params,
					 struct err *err)
{
	const struct json *one =
		json_pack(a, "uriTemplate:z name:z title:z description:z mimeType:z",
			  CONTRACT_URI "/{event}", "event", "The contract of one event",
			  "the same for one event, for example BeforeTool", "application/json");

	(void)params;
	(void)err;
	return json_pack(a, "resourceTemplates:j", json_new_arr(a, &one, 1));
}

static const struct json *resources_read(struct arena *a, const struct json *params,
					 struct err *err)
{
	const struct json *v = json_getz(params, "uri"), *doc = NULL;
	struct str prefix = STR(CONTRACT_URI "/"), uri = json_str(v, STR(""));
	struct tl_event_info info;

	if (!json_is(v, J_STR)) {
		(void)err_set(err, E_INVAL, "resources/read takes a uri (string)");
		return NULL;
	}
	if (str_eqz(uri, SETTINGS_URI))
		doc = schema_of(a, "settings", NULL);
	else if (str_eqz(uri, CONTRACT_URI))
		doc = contract(a);
	else if (str_starts(uri, prefix) && event_info_find(str_sub(uri, prefix.n, uri.n), &info))
		doc = event_value(a, &info);
	if (!doc) {
		(void)err_set(err, E_NOTFOUND, "unknown resource %.*s",
			      STR_ARG(str_sub(uri, 0, 200)));
		return NULL;
	}
	doc = json_pack(a, "uri:s mimeType:z text:s", uri, "application/json",
			json_text(a, doc, JSON_COMPACT));
	return json_pack(a, "contents:j", json_new_arr(a, &doc, 1));
}

/* ---- the prompt ---- */

static const struct {
	const char *name, *text;
	bool required;
} arguments[] = {
	{ "event", "when it runs, for example BeforeTool", true },
	{ "purpose", "what the hook should do", true },
	{ "language", "sh, python, node... (default: your choice)", false },
};

static const struct json *prompts_list(struct arena *a, const struct json *params, struct err *err)
{
	struct json_list args = { 0 };
	const struct json *one;

	(void)params;
	(void)err;
	for (size_t i = 0; i < ARRAY_LEN(arguments); i++)
		json_list_add(&args,
			      json_pack(a, "name:z description:z required:b", arguments[i].name,
					arguments[i].text, arguments[i].required));
	one = json_pack(a, "name:z title:z description:z arguments:j", "new_hook", "Write a hook",
			"Write a hook for an event, configure it and try it",
			json_list_take(a, &args));
	return json_pack(a, "prompts:j", json_new_arr(a, &one, 1));
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
	"works, and \"$GEMINI_PROJECT_DIR/.gemini/hooks/...\" as command. A hook whose failure "
	"must block gets \"guard\": true.\n"
	"4. Check: hooks_lint, then hooks_why with an event that the hook should match and one "
	"that it should not.\n"
	"5. Ask the user to look at it and approve it: trotline hooks trust. Then try it: "
	"hooks_run with an input that it should stop or change, and one that it should let "
	"pass.\n";

static const struct json *prompts_get(struct arena *a, const struct json *params, struct err *err)
{
	const struct json *args = json_getz(params, "arguments"), *message;
	struct str purpose = json_get_str(args, "purpose");
	struct str language = json_get_str(args, "language");
	AUTO(buf_done) struct buf text = { 0 };
	struct tl_event_info info;

	if (!str_eqz(json_get_str(params, "name"), "new_hook")) {
		(void)err_set(err, E_INVAL, "there is one prompt: new_hook");
		return NULL;
	}
	if (!event_info_find(json_get_str(args, "event"), &info) || !str_trim(purpose).n) {
		(void)err_set(err, E_INVAL,
			      "new_hook takes an event, for example BeforeTool, and a purpose");
		return NULL;
	}
	buf_addf(&text, "Write a hook for the event %s (%s).\nIts purpose: %.*s\n", info.name,
		 info.summary, STR_ARG(str_sub(purpose, 0, PURPOSE_MAX)));
	if (language.n)
		buf_addf(&text, "Language: %.*s\n", STR_ARG(str_sub(language, 0, 100)));
	buf_addf(&text, "%s\nThe event and its schemas:\n", steps);
	(void)json_write(&text, event_value(a, &info), JSON_COMPACT);
	buf_addc(&text, '\n');
	message = json_pack(a, "role:z content:j", "user",
			    json_pack(a, "type:z text:s", "text", buf_str(&text)));
	return json_pack(a, "description:z messages:j", "Write a hook, configure it and try it",
			 json_new_arr(a, &message, 1));
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
