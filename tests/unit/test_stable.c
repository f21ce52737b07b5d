/* The Stable Model API: what hooks see and change, and properties over random requests. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "model/stable.h"

/* Parses JSON; in these tests ' means ". */
static const struct json *value(struct arena *a, const char *text)
{
	char *quoted = text ? arena_z(a, str_from(text)) : NULL;
	const struct json *v = NULL;
	struct err err = { 0 };

	if (!text)
		return NULL;
	for (char *c = quoted; *c; c++)
		if (*c == '\'')
			*c = '"';
	if (json_parse(a, str_from(quoted), 0, &v, &err) < 0)
		fail_msg("%s: %s", quoted, err.text);
	return v;
}

static const char *text_of(struct arena *a, const struct json *v)
{
	return v ? json_text(a, v, JSON_COMPACT).p : "nothing";
}

static void assert_json(struct arena *a, const struct json *got, const char *expected)
{
	assert_string_equal(text_of(a, got), text_of(a, value(a, expected)));
}

/* {"contents", "config", "toolConfig"} as a request. */
static struct model_request request_of(const struct json *v)
{
	return (struct model_request){
		.model = "m",
		.contents = json_getz(v, "contents"),
		.config = json_getz(v, "config"),
		.tool_config = json_getz(v, "toolConfig"),
		.system = json_getz(v, "system"),
		.tools = json_getz(v, "tools"),
	};
}

static const char *request_text(struct arena *a, const struct model_request *rq)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };

	gemini_write_request(&w, rq);
	return arena_z(a, buf_str(&out));
}

/* What a hook sends back that repeats what it read: a trip through JSON. */
static const struct json *repeated(struct arena *a, const struct json *v, unsigned style)
{
	return value(a, json_text(a, v, style).p);
}

static void c1_request_as_hooks_see_it(void **state)
{
	static const struct {
		const char *request, *shown;
	} rows[] = {
		{ "{}", "{'model':'m','messages':[],'config':{}}" },
		{ "{'contents':[{'role':'user','parts':[{'text':'a'},{'text':'b'}]},"
		  "{'role':'model','parts':[{'text':'t','thought':true},{'text':'c'}]},"
		  "{'role':'model','parts':[{'functionCall':{'name':'f'}}]},"
		  "{'role':'function','parts':[{'text':'d'}]},"
		  "{'role':'system','parts':[{'text':'e'}]},'bare',7]}",
		  "{'model':'m','messages':[{'role':'user','content':'ab','parts':[{'type':'text',"
		  "'text':'a'},{'type':'text','text':'b'}]},{'role':'model','content':'tc','parts':["
		  "{'type':'text','text':'t','thought':true},{'type':'text','text':'c'}]},{'role':"
		  "'model','content':'[call 1: f {}]','parts':[{'type':'call','name':'f','args':{}}]},"
		  "{'role':'user','content':'d','parts':[{'type':'text','text':'d'}]},{'role':"
		  "'system','content':'e','parts':[{'type':'text','text':'e'}]},{'role':'user',"
		  "'content':'bare','parts':[{'type':'text','text':'bare'}]}],'config':{}}" },
		{ "{'contents':[{'role':'user','parts':[{'functionResponse':{'id':'7','name':'f',"
		  "'response':{'output':'o\\np'}}},{'functionResponse':{'name':'g','response':{'a':1}}},"
		  "{'inlineData':{'mimeType':'image/png','data':'AAEC'}},{'text':'t'},"
		  "{'functionResponse':{'name':'f','response':{'error':'no'}}},{'text':'u'},"
		  "{'fileData':{'fileUri':'x'}}]}]}",
		  "{'model':'m','messages':[{'role':'user','content':'[result 1: f]\\no\\np\\n"
		  "[result 2: g]\\n{\\'a\\':1}\\n[media 3: image/png, 3 bytes]\\nt\\n[result 4: f]\\n"
		  "no\\n[text 5]\\nu\\n[other 6: fileData]\\n{\\'fileUri\\':\\'x\\'}','parts':[{'type':"
		  "'result','id':'7','name':'f','output':'o\\np'},{'type':'result','name':'g','output':"
		  "'{\\'a\\':1}'},{'type':'media','mimeType':'image/png','size':3},{'type':'text',"
		  "'text':'t'},{'type':'result','name':'f','output':'no'},{'type':'text','text':'u'},"
		  "{'type':'other','name':'fileData','value':'{\\'fileUri\\':\\'x\\'}'}]}],"
		  "'config':{}}" },
		{ "{'config':{'topK':1.50,'temperature':0,'stopSequences':['x'],'topP':null}}",
		  "{'model':'m','messages':[],'config':{'temperature':0,'topK':1.50}}" },
		{ "{'toolConfig':{'functionCallingConfig':{'mode':'ANY',"
		  "'allowedFunctionNames':['f']}}}",
		  "{'model':'m','messages':[],'config':{},"
		  "'toolConfig':{'mode':'ANY','allowedFunctionNames':['f']}}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct model_request rq = request_of(value(&a, rows[i].request));

		assert_json(&a, stable_request(&a, &rq), rows[i].shown);
	}
}

#define USER(text) "{'role':'user','parts':[{'text':'" text "'}]}"
#define MODEL(text) "{'role':'model','parts':[{'text':'" text "'}]}"
#define CALL "{'functionCall':{'name':'f','args':{}}}"
#define TEXT(text) "{'text':'" text "'}"
#define RES(name, output)                                                                          \
	"{'functionResponse':{'name':'" name "','response':{'output':'" output "'}}}"
#define MSG(role, text) "{'role':'" role "','content':" text "}"

struct messages_row {
	const char *contents, *messages, *expected;
};

static void check_messages(const struct messages_row *rows, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct model_request rq = { .contents = value(&a, rows[i].contents) };
		const struct json *hook =
			json_set(&a, NULL, STR("messages"), value(&a, rows[i].messages));

		stable_apply_request(&a, &rq, hook);
		assert_json(&a, rq.contents, rows[i].expected);
	}
}

/* C4.6: calls, results and media are blocks of the content; `parts` say the same. */
static void c4_6_blocks(void **state)
{
	static const struct messages_row rows[] = {
		/* what has no text takes a message, too, and keeps what it is */
		{ "[" USER("a") ",{'role':'model','parts':[" CALL "]}," USER("c") "]",
		  "[" MSG("user", "'a'") "," MSG("model", "'z'") "]",
		  "[" USER("a") ",{'role':'model','parts':[" CALL
				"," TEXT("z") "]}," USER("c") "]" },
		/* a call that is given back is none of the text; what follows it is */
		{ "[{'role':'model','parts':[" TEXT("a") "," CALL "]}]",
		  "[" MSG("model", "'b\\n[call 1: f {}]\\nc'") "]",
		  "[{'role':'model','parts':[" TEXT("b") "," CALL "," TEXT("c") "]}]" },
		/* results: one edited, one left, one whose line is gone */
		{ "[{'role':'user','parts':[" RES("f", "one") "," RES("g", "two") "," RES(
			  "h", "3") "]}]",
		  "[" MSG("user", "'[result 1: f]\\nred\\n[result 2: g]\\ntwo'") "]",
		  "[{'role':'user','parts':[" RES("f", "red") "," RES("g", "two") "," RES(
			  "h", "[removed by hook of the host]") "]}]" },
		/* a result that holds such a line itself */
		{ "[{'role':'user','parts':[" RES("f", "[result 2: g]\\nx") "," RES("g",
										    "two") "]}]",
		  "[" MSG("user",
			  "'[result 1: f]\\n[result 2: g]\\nred\\n[result 2: g]\\ntwo'") "]",
		  "[{'role':'user','parts':[" RES("f", "[result 2: g]\\nred") "," RES(
			  "g", "two") "]}]" },
		{ "[{'role':'user','parts':[" RES("f", "[result 2: g]\\nx") "," RES("g",
										    "two") "]}]",
		  "[" MSG("user", "'[result 1: f]\\nred\\n[result 2: g]\\ntwo'") "]",
		  "[{'role':'user','parts':[" RES("f", "[removed by hook of the host]") "," RES(
			  "g",
			  "[removed by hook of the host]") "," TEXT("[result 1: f]\\nred\\n[result 2: g]\\ntwo") "]}]" },
		/* a text behind a result has a line of its own */
		{ "[{'role':'user','parts':[" RES("f", "one") "," TEXT("t") "]}]",
		  "[" MSG("user", "'[result 1: f]\\none\\n[text 2]\\nu'") "]",
		  "[{'role':'user','parts':[" RES("f", "one") "," TEXT("u") "]}]" },
		/* parts, which count */
		{ "[{'role':'user','parts':[" RES("f", "one") "," TEXT("t") "]}]",
		  "[{'content':'x','parts':[{'type':'result','name':'f','output':'red'},'u','v']}]",
		  "[{'role':'user','parts':[" RES("f", "red") "," TEXT("u") "," TEXT("v") "]}]" },
		{ "[{'role':'user','parts':[" RES("f", "one") "," TEXT("t") "]}]",
		  "[{'parts':[{'text':'u'}]}]",
		  "[{'role':'user','parts':[" RES("f", "[removed by hook of the host]") "," TEXT(
			  "u") "]}]" },
	};

	(void)state;
	check_messages(rows, ARRAY_LEN(rows));
}

/* C4.6: messages are aligned with the contents that are shown. */
static void c4_6_messages(void **state)
{
	static const struct messages_row rows[] = {
		{ "[" USER("a") "," MODEL("b") "]", "[" MSG("user", "'x'") "]",
		  "[" USER("x") "," MODEL("b") "]" },
		{ "[" USER("a") "]", "[]", "[" USER("a") "]" },
		{ "[" USER("a") "]", "{}", "[" USER("a") "]" },
		/* more are appended; a system role is none inside the contents */
		{ "[" USER("a") "]",
		  "[" MSG("user", "'a'") "," MSG("system", "'s'") "," MSG(
			  "assistant", "'m'") "," MSG("user", "''") ",7,{'content':'n'}]",
		  "[" USER("a") "," USER("s") "," MODEL("m") "," USER("n") "]" },
		{ "[]", "[" MSG("user", "'a'") "]", "[" USER("a") "]" },
		/* ... or put where the hook has them, between messages that stay, ... */
		{ "[" USER("a") "," MODEL("b") "]",
		  "[" MSG("user", "'n'") "," MSG("user", "'a'") "," MSG("model", "'b'") "]",
		  "[" USER("n") "," USER("a") "," MODEL("b") "]" },
		{ "[" USER("a") "," MODEL("b") "," USER("c") "]",
		  "[" MSG("user", "'a'") "," MSG("model", "'x'") "," MSG("user", "'n'") "," MSG(
			  "user", "'c'") "]",
		  "[" USER("a") "," MODEL("x") "," USER("n") "," USER("c") "]" },
		/* ... but not between a call and its result; what is left out stays */
		{ "[" USER("a") ",{'role':'model','parts':[" CALL "]},{'role':'user','parts':["
				"{'functionResponse':{'name':'f','response':{'output':'o'}}}]}]",
		  "[" MSG("user", "'a'") "," MSG("model", "'[call 1: f {}]'") "," MSG(
			  "user", "'n'") "," MSG("user", "'[result 1: f]\\no'") "]",
		  "[" USER("a") "," USER(
			  "n") ",{'role':'model','parts':[" CALL "]},{'role':'user',"
			       "'parts':[{'functionResponse':{'name':'f','response':{'output':'o'}}}]}]" },
		{ "[" USER("a") "," MODEL("b") "," USER("c") "]",
		  "[" MSG("model", "'b'") "," MSG("user", "'c'") "]",
		  "[" USER("a") "," MODEL("b") "," USER("c") "]" },
		/* the new text is where the first one was */
		{ "[{'role':'model','parts':[" CALL ",{'text':'a'},"
		  "{'inlineData':{'data':''}},{'text':'b'},{'novel':1}],'kept':2}]",
		  "[" MSG("model", "'new'") "]",
		  "[{'role':'model','parts':[" CALL
		  ",{'text':'new'},{'inlineData':{'data':''}},{'novel':1}],'kept':2}]" },
		/* thoughts and signatures */
		{ "[{'role':'model','parts':[{'text':'hm','thought':true,"
		  "'thoughtSignature':'S'},{'text':'key','thoughtSignature':'T'}]}]",
		  "[" MSG("model", "'hm***'") "]",
		  "[{'role':'model','parts':[{'text':'hm','thought':true,"
		  "'thoughtSignature':'S'},{'text':'***','thoughtSignature':'T'}]}]" },
		{ "[{'role':'model','parts':[{'text':'hm','thought':true},"
		  "{'text':'key','thoughtSignature':'T'}]}]",
		  "[" MSG("model", "'no'") "]",
		  "[{'role':'model','parts':[{'text':'no'},"
		  "{'text':'','thoughtSignature':'T'}]}]" },
		{ "[{'role':'model','parts':[{'text':'hm','thought':true}]}]",
		  "[" MSG("model", "'hm, yes'") "]",
		  "[{'role':'model','parts':[{'text':'hm','thought':true},"
		  "{'text':', yes'}]}]" },
		/* emptied */
		{ "[{'role':'model','parts':[{'text':'a'}," CALL "]}," USER("b") "]",
		  "[" MSG("model", "''") "," MSG("user", "''") "]",
		  "[{'role':'model','parts':[" CALL "]}," USER("") "]" },
		/* content as an array; what cannot be used leaves the content alone */
		{ "[" USER("a") "," USER("b") "," USER("c") "," USER("d") "]",
		  "[" MSG("user", "[{'type':'text','text':'x'},'y',{'type':'image'}]") "," MSG(
			  "user", "[]") "," MSG("user", "7") ",null]",
		  "[" USER("xy") "," USER("b") "," USER("c") "," USER("d") "]" },
		/* roles alone */
		{ "[{'parts':[{'text':'a'}]}," MODEL("b") ",'bare']",
		  "[" MSG("user", "'a'") "," MSG("user", "'b'") "," MSG("user", "'x'") "]",
		  "[{'parts':[{'text':'a'}]}," USER("b") "," USER("x") "]" },
		{ "[{'role':'system','parts':[{'text':'a'}]}]", "[" MSG("system", "'b'") "]",
		  "[{'role':'system','parts':[{'text':'b'}]}]" },
	};

	(void)state;
	check_messages(rows, ARRAY_LEN(rows));
}

/* C4.6: config merges key by key and never unsets; the rest of the request stays. */
static void c4_6_config_and_tools(void **state)
{
	static const struct {
		const char *request, *hook, *expected; /* without contents */
	} rows[] = {
		{ "{'config':{'temperature':1,'seed':3}}", "{'config':{'topP':0.5}}",
		  "{'config':{'temperature':1,'seed':3,'topP':0.5}}" },
		{ "{'config':{'temperature':1.0}}",
		  "{'config':{'temperature':1,'topK':null,'topP':'1','seed':4,"
		  "'maxOutputTokens':1e999}}",
		  "{'config':{'temperature':1.0}}" },
		{ "{'config':{'topK':1}}", "{'config':[1]}", "{'config':{'topK':1}}" },
		{ "{}", "{'config':{}}", "{}" },
		{ "{}", "{'toolConfig':{'mode':'ANY','allowedFunctionNames':['f',1]}}",
		  "{'toolConfig':{'functionCallingConfig':{'mode':'ANY',"
		  "'allowedFunctionNames':['f']}}}" },
		{ "{'toolConfig':{'functionCallingConfig':{'mode':'ANY',"
		  "'allowedFunctionNames':['f']},'kept':1}}",
		  "{'toolConfig':{'mode':'NONE'}}",
		  "{'toolConfig':{'functionCallingConfig':{'mode':'NONE'},'kept':1}}" },
		{ "{'toolConfig':{'functionCallingConfig':{'mode':'ANY'}}}",
		  "{'toolConfig':{'mode':'any'}}",
		  "{'toolConfig':{'functionCallingConfig':{'mode':'ANY'}}}" },
		{ "{'system':{'parts':[]},'tools':[{'name':'f'}]}",
		  "{'system':1,'tools':[],'systemInstruction':2}",
		  "{'system':{'parts':[]},'tools':[{'name':'f'}]}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct model_request rq = request_of(value(&a, rows[i].request));
		struct model_request expected = request_of(value(&a, rows[i].expected));

		stable_apply_request(&a, &rq, value(&a, rows[i].hook));
		assert_string_equal(request_text(&a, &rq), request_text(&a, &expected));
	}
}

static void c2_model(void **state)
{
	static const struct {
		const char *hook, *expected;
	} rows[] = {
		{ "{'model':'other'}", "other" }, { "{'model':''}", "m" },
		{ "{'model':7}", "m" },           { "{}", "m" },
		{ "{'model':'a\\u0000b'}", "m" }, { "[]", "m" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct model_request rq = { .model = "m" };

		stable_apply_request(&a, &rq, value(&a, rows[i].hook));
		assert_string_equal(rq.model, rows[i].expected);
	}
}

static void c3_response_as_hooks_see_it(void **state)
{
	static const struct {
		const char *chunk, *shown;
	} rows[] = {
		{ "{}", "{'candidates':[]}" },
		{ "{'candidates':[{'content':{'role':'model','parts':[{'text':'hm',"
		  "'thought':true},{'text':'a'}," CALL ",{'text':'b'}]},'finishReason':"
		  "'STOP','index':0,'safetyRatings':[{'category':'C','probability':'LOW',"
		  "'blocked':true,'more':1}],'avgLogprobs':1}],'usageMetadata':"
		  "{'promptTokenCount':1,'totalTokenCount':3,'thoughtsTokenCount':2}}",
		  "{'text':'ab','candidates':[{'content':{'role':'model','parts':['hm',"
		  "'a','[call 1: f {}]','b']},'finishReason':'STOP','index':0,'safetyRatings':[{'category':"
		  "'C','probability':'LOW','blocked':true}]}],'calls':[{'name':'f','args':{}}],"
		  "'usageMetadata':{'promptTokenCount':1,'totalTokenCount':3}}" },
		{ "{'candidates':[{'content':{'parts':[" CALL "]}}]}",
		  "{'text':'','candidates':[{'content':{'role':'model','parts':['[call 1: f {}]']}}],"
		  "'calls':[{'name':'f','args':{}}]}" },
		{ "{'candidates':[{'finishReason':'SPII'}]}",
		  "{'candidates':[{'content':{'role':'model','parts':[]},'finishReason':'OTHER'}]}" },
		{ "{'candidates':[{'finishReason':'STOP'}]}",
		  "{'candidates':[{'content':{'role':'model','parts':[]},"
		  "'finishReason':'STOP'}]}" },
		{ "{'candidates':[{'content':{'parts':[{'text':''}]}}]}",
		  "{'text':'','candidates':[{'content':{'role':'model','parts':['']}}]}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };

		assert_json(&a, stable_response(&a, value(&a, rows[i].chunk)), rows[i].shown);
	}
}

#define CHUNK(parts, more)                                                                         \
	"{'candidates':[{'content':{'role':'model','parts':[" parts "]}" more "}]}"
#define HOOK(parts) "{'candidates':[{'content':{'parts':[" parts "]}}]}"

/* C4.8: llm_response of AfterModel replaces the chunk. */
static void c4_8_replaced_chunk(void **state)
{
	static const struct {
		const char *chunk, *hook, *expected; /* NULL = nothing to use */
	} rows[] = {
		{ CHUNK(TEXT("key"), ",'finishReason':'STOP','index':0"), HOOK("'***'"),
		  CHUNK(TEXT("***"), ",'finishReason':'STOP','index':0") },
		{ CHUNK(TEXT("key"), ""), HOOK(TEXT("***")), CHUNK(TEXT("***"), "") },
		{ CHUNK(TEXT("key"), ""), HOOK("7,'a',{},'b'"),
		  CHUNK(TEXT("a") "," TEXT("b"), "") },
		{ CHUNK(TEXT("key"), ""), "{'text':'***'}", CHUNK(TEXT("***"), "") },
		/* text counts where the candidates say nothing new, never against them */
		{ CHUNK(TEXT("key"), ""),
		  "{'text':'***','candidates':[{'content':{'parts':['key']}}]}",
		  CHUNK(TEXT("***"), "") },
		{ CHUNK(TEXT("key"), ""),
		  "{'text':'key','candidates':[{'content':{'parts':['***']}}]}",
		  CHUNK(TEXT("***"), "") },
		/* no function call in a chunk that is replaced; but a repeated one is not */
		{ CHUNK(TEXT("a") "," CALL, ""), HOOK("'b'"), CHUNK(TEXT("b"), "") },
		{ CHUNK("{'text':'a','functionCall':{}}", ""), HOOK("'b'"), CHUNK(TEXT("b"), "") },
		{ CHUNK(TEXT("a") "," CALL, ""), HOOK("'a'"), CHUNK(TEXT("a"), "") },
		{ CHUNK(TEXT("a") "," CALL, ""), HOOK("'a','[call 1: f {}]'"), NULL },
		{ CHUNK(TEXT("a") "," CALL, ""), HOOK("'[call 1: f {}]','b'"),
		  CHUNK(CALL "," TEXT("b"), "") },
		{ CHUNK(TEXT("a") "," CALL, ""), HOOK("'b','[call 1: f {\\'x\\':1}]'"),
		  CHUNK(TEXT("b") "," CALL, "") },
		{ CHUNK(TEXT("a") "," CALL, ""), "{'text':'b'}", CHUNK(TEXT("b") "," CALL, "") },
		{ CHUNK(CALL, ""), HOOK(""), CHUNK("", "") },
		{ CHUNK(CALL, ""), HOOK("'instead'"), CHUNK(TEXT("instead"), "") },
		/* all that was said about the old text goes with it */
		{ CHUNK(TEXT("a"), ",'groundingMetadata':{'q':'a'},'finishReason':'STOP'"),
		  HOOK("'b'"), CHUNK(TEXT("b"), ",'finishReason':'STOP'") },
		/* emptied, or nothing said */
		{ CHUNK(TEXT("a"), ""), HOOK("''"), CHUNK(TEXT(""), "") },
		{ CHUNK(TEXT("a"), ""), HOOK(""), CHUNK("", "") },
		{ CHUNK(TEXT("a"), ""), "{'candidates':[{'content':{}}]}", NULL },
		{ CHUNK(TEXT("a"), ""), "{'candidates':[]}", CHUNK("", "") },
		{ CHUNK(TEXT("a"), ""), "{'candidates':[],'text':'b'}", CHUNK(TEXT("b"), "") },
		{ CHUNK(CALL, ""), "{'candidates':[]}", CHUNK("", "") },
		{ CHUNK(TEXT("a"), ""), "{'candidates':[null]}", NULL },
		{ CHUNK(TEXT("a"), ""), HOOK("7"), CHUNK("", "") },
		{ CHUNK(TEXT("a"), ""), "{}", NULL },
		{ CHUNK(TEXT("a"), ""), "7", NULL },
		{ "{'usageMetadata':{}}", "{'candidates':[],'usageMetadata':{}}", NULL },
		/* a thought stays one, and signatures stay */
		{ CHUNK("{'text':'hm','thought':true},{'text':'a','thoughtSignature':'S'}", ""),
		  HOOK("'hm','b'"),
		  CHUNK("{'text':'hm','thought':true},{'text':'b','thoughtSignature':'S'}", "") },
		{ CHUNK("{'text':'hm','thought':true}," TEXT("a"), ""), HOOK("'hm'"),
		  CHUNK("{'text':'hm','thought':true}", "") },
		/* members of the candidate; usage */
		{ CHUNK(TEXT("a") "," CALL, ",'finishReason':'STOP'"),
		  "{'candidates':[{'finishReason':'SAFETY'}]}",
		  CHUNK(TEXT("a") "," CALL, ",'finishReason':'SAFETY'") },
		{ CHUNK(TEXT("a"), ",'finishReason':'STOP'"),
		  "{'candidates':[{'finishReason':'NEW'}]}",
		  CHUNK(TEXT("a"), ",'finishReason':'OTHER'") },
		{ CHUNK(TEXT("a"), ",'finishReason':'STOP'"),
		  "{'candidates':[{'content':{'parts':['a']},'finishReason':null}]}", NULL },
		{ "{'candidates':[],'usageMetadata':{'totalTokenCount':9,'more':1}}",
		  "{'usageMetadata':{'totalTokenCount':8,'promptTokenCount':'x'}}",
		  "{'candidates':[],'usageMetadata':{'totalTokenCount':8,'more':1}}" },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *got = stable_apply_response(&a, value(&a, rows[i].chunk),
							       value(&a, rows[i].hook));

		if (rows[i].expected)
			assert_json(&a, got, rows[i].expected);
		else
			assert_string_equal(text_of(&a, got), "nothing");
	}
}

/* C4.7: llm_response of BeforeModel is an answer by itself; `text` alone is accepted. */
static void c4_7_synthetic_response(void **state)
{
	static const struct {
		const char *hook, *expected;
	} rows[] = {
		{ "{'text':'hi'}", CHUNK(TEXT("hi"), ",'finishReason':'STOP'") },
		{ HOOK("'hi'"), CHUNK(TEXT("hi"), ",'finishReason':'STOP'") },
		{ "{'candidates':[{'content':{'parts':['a'," TEXT(
			  "b") "]},'finishReason':'MAX_TOKENS','index':0}],'text':'x',"
			       "'usageMetadata':{'totalTokenCount':3}}",
		  "{'candidates':[{'content':{'role':'model','parts':[" TEXT("a") "," TEXT(
			  "b") "]},'finishReason':'MAX_TOKENS','index':0}],"
			       "'usageMetadata':{'totalTokenCount':3}}" },
		{ "{'candidates':[],'text':''}", CHUNK(TEXT(""), ",'finishReason':'STOP'") },
		{ "{'candidates':[{'content':{'parts':[" CALL "]}}]}", NULL },
		{ "{'usageMetadata':{'totalTokenCount':3}}", NULL },
		{ "{'candidates':[]}", NULL },
		{ "'hi'", NULL },
		{ "{'text':7}", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *got = stable_apply_response(&a, NULL, value(&a, rows[i].hook));

		if (rows[i].expected)
			assert_json(&a, got, rows[i].expected);
		else
			assert_null(got);
	}
}

/* C4.9 */
static void c4_9_tool_config(void **state)
{
	static const struct {
		const char *given, *expected;
	} rows[] = {
		{ "{'mode':'AUTO'}", "{'functionCallingConfig':{'mode':'AUTO'}}" },
		{ "{'allowedFunctionNames':['a',7,'b']}",
		  "{'functionCallingConfig':{'allowedFunctionNames':['a','b']}}" },
		{ "{'mode':'NONE','allowedFunctionNames':['a']}",
		  "{'functionCallingConfig':{'mode':'NONE'}}" },
		{ "{'mode':'auto'}", NULL },
		{ "{}", NULL },
		{ "[]", NULL },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *got = stable_tool_config(&a, value(&a, rows[i].given));

		if (rows[i].expected)
			assert_json(&a, got, rows[i].expected);
		else
			assert_null(got);
	}
}

/* xorshift64: the same in every run. */
static uint64_t random_state;

static size_t pick(size_t n)
{
	random_state ^= random_state << 13;
	random_state ^= random_state >> 7;
	random_state ^= random_state << 17;
	return (size_t)(random_state >> 33) % n;
}

/* Texts with all that JSON escapes, halves of surrogate pairs that may meet, and bad UTF-8. */
static struct str random_text(struct arena *a)
{
	static const struct str pieces[] = {
		{ "", 0 },
		{ "word ", 5 },
		{ "\"\\\n\t", 4 },
		{ "\x00\x01", 2 },
		{ "\u00e9\u20ac", 5 },
		{ "\U0001f600", 4 },
		{ "\xed\xa0\xbd", 3 },
		{ "\xed\xb8\x80", 3 },
		{ "\xff\xc3", 2 },
		{ "\u2028", 3 },
		{ "</script>", 9 },
	};
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t n = pick(4); n > 0; n--)
		buf_adds(&out, pieces[pick(ARRAY_LEN(pieces))]);
	return arena_str(a, buf_str(&out));
}

static void random_part(struct arena *a, struct jw *w)
{
	static const char *const others[] = {
		"{'functionCall':{'name':'f','args':{'n':1.0,'big':12345678901234567890}}}",
		"{'functionResponse':{'name':'f','response':{'output':'text'}}}",
		"{'inlineData':{'mimeType':'image/png','data':'AA=='}}",
		"{'functionCall':{'name':'g'},'thoughtSignature':'c2ln'}",
		"{'fromTheFuture':[{'text':'inner'}]}",
		"{'text':7}",
		"{}",
		"null",
		"'bare'",
	};

	if (pick(2)) {
		jw_raw(w, str_from(others[pick(ARRAY_LEN(others))]));
		return;
	}
	jw_obj(w);
	if (!pick(4))
		jw_kv_bool(w, "thought", pick(4) > 0);
	jw_kv_str(w, "text", random_text(a));
	if (!pick(4))
		jw_kv_z(w, "thoughtSignature", "c2ln");
	jw_end(w);
}

static void random_parts(struct arena *a, struct jw *w)
{
	jw_key(w, "parts");
	jw_arr(w);
	for (size_t n = pick(5); n > 0; n--)
		random_part(a, w);
	jw_end(w);
}

static void random_content(struct arena *a, struct jw *w)
{
	static const char *const roles[] = { "user", "model", "system", "function", "" };

	if (!pick(12)) {
		jw_str(w, random_text(a));
		return;
	}
	jw_obj(w);
	if (pick(8))
		jw_kv_z(w, "role", roles[pick(ARRAY_LEN(roles))]);
	random_parts(a, w);
	if (!pick(8))
		jw_kv_int(w, "unknown", 1);
	jw_end(w);
}

static struct model_request random_request(struct arena *a)
{
	static const char *const configs[] = {
		NULL,
		"{}",
		"{'temperature':1.0,'topK':6.4e1,'topP':0.950}",
		"{'seed':1,'maxOutputTokens':99999999999999999999,'topP':'x'}",
	};
	static const char *const tool_configs[] = {
		NULL,
		"{'functionCallingConfig':{'mode':'NONE','allowedFunctionNames':['f']}}",
		"{'functionCallingConfig':{'mode':'VALIDATED','allowedFunctionNames':[1]}}",
		"{'functionCallingConfig':{}}",
	};
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };

	jw_arr(&w);
	for (size_t n = pick(6); n > 0; n--)
		random_content(a, &w);
	jw_end(&w);
	return (struct model_request){
		.model = "m",
		.contents = value(a, buf_z(&out)),
		.config = value(a, configs[pick(ARRAY_LEN(configs))]),
		.tool_config = value(a, tool_configs[pick(ARRAY_LEN(tool_configs))]),
	};
}

enum { ROUNDS = 20000 };

/* C4.6: an identity hook leaves the request byte-equal, also one that prints as JavaScript does. */
static void c4_6_identity_is_byte_equal(void **state)
{
	(void)state;
	random_state = 42;
	for (int i = 0; i < ROUNDS; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct model_request rq = random_request(&a);
		const char *before = request_text(&a, &rq);
		const struct json *shown = stable_request(&a, &rq);

		stable_apply_request(&a, &rq, repeated(&a, shown, i % 2 ? JSON_JS : 0));
		assert_string_equal(request_text(&a, &rq), before);
	}
}

/* An identity hook that edits one message and adds another. */
static const struct json *edited(struct arena *a, const struct json *shown, size_t which,
				 struct str text)
{
	const struct json *messages = json_getz(shown, "messages");
	const struct json *list[16];
	size_t n = messages->n;

	for (size_t i = 0; i < n; i++)
		list[i] = json_at(messages, i);
	if (which < n)
		list[which] = json_set(a, list[which], STR("content"), json_new_str(a, text));
	list[n] = value(a, "{'role':'user','content':'added'}");
	return json_set(a, shown, STR("messages"), json_new_arr(a, list, n + 1));
}

/* Everything in the contents besides text and what marks it as a thought, as text. */
static const char *without_text(struct arena *a, const struct json *contents)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_at(contents, i); i++) {
		const struct json *parts = json_getz(json_at(contents, i), "parts");

		for (size_t k = 0; json_at(parts, k); k++) {
			const struct json *part = json_at(parts, k);

			if (json_is(json_getz(part, "text"), J_STR))
				continue;
			/* Of a result, that it is one: without its line it is removed. */
			if (json_getz(part, "functionResponse"))
				part = json_new_str(a, STR("a result"));
			(void)json_write(&out, part, 0);
			buf_addc(&out, '\n');
		}
		buf_addz(&out, "--\n");
	}
	return arena_z(a, buf_str(&out));
}

static size_t count_signatures(const struct json *contents)
{
	size_t count = 0;

	for (size_t i = 0; json_at(contents, i); i++) {
		const struct json *parts = json_getz(json_at(contents, i), "parts");

		for (size_t k = 0; json_at(parts, k); k++)
			count += json_getz(json_at(parts, k), "thoughtSignature") != NULL;
	}
	return count;
}

/* C4.6: an edit is seen as it was made, and loses nothing but text. */
static void c4_6_edits_keep_what_is_not_text(void **state)
{
	(void)state;
	random_state = 7;
	for (int i = 0; i < ROUNDS; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct model_request rq = random_request(&a);
		const struct json *shown = stable_request(&a, &rq), *now, *messages;
		size_t n = json_getz(shown, "messages")->n, which = pick(n + 1);
		struct str text = arena_printf(&a, "new %zu", pick(9));
		const char *others = arena_printf(&a, "%s--\n", without_text(&a, rq.contents)).p;
		size_t signatures = count_signatures(rq.contents);

		stable_apply_request(&a, &rq, edited(&a, shown, which, text));
		assert_string_equal(without_text(&a, rq.contents), others);
		assert_int_equal(count_signatures(rq.contents), signatures);
		now = stable_request(&a, &rq);
		messages = json_getz(now, "messages");
		assert_int_equal(messages->n, n + 1);
		if (which < n)
			assert_true(str_find(json_get_str(json_at(messages, which), "content"),
					     text, 0) >= 0);
	}
}

static const struct json *random_chunk(struct arena *a)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };

	jw_obj(&w);
	jw_key(&w, "candidates");
	jw_arr(&w);
	for (size_t n = pick(3); n > 0; n--) {
		jw_obj(&w);
		if (pick(5)) {
			jw_key(&w, "content");
			jw_obj(&w);
			random_parts(a, &w);
			jw_end(&w);
		}
		if (pick(2))
			jw_kv_z(&w, "finishReason", "STOP");
		if (pick(2)) {
			jw_key(&w, "index");
			jw_raw(&w, STR("1.0"));
		}
		if (!pick(3)) {
			jw_key(&w, "safetyRatings");
			jw_raw(&w, STR("[{'category':'C','score':1},7]"));
		}
		jw_end(&w);
	}
	jw_end(&w);
	if (pick(2)) {
		jw_key(&w, "usageMetadata");
		jw_raw(&w, STR("{'totalTokenCount':1e1,'thoughtsTokenCount':2}"));
	}
	jw_end(&w);
	return value(a, buf_z(&out));
}

/* C4.8: a hook that repeats the chunk leaves it alone, with its calls. */
static void c4_8_identity_changes_nothing(void **state)
{
	(void)state;
	random_state = 99;
	for (int i = 0; i < ROUNDS; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *chunk = random_chunk(&a);
		const struct json *shown = stable_response(&a, chunk);

		assert_null(
			stable_apply_response(&a, chunk, repeated(&a, shown, i % 2 ? JSON_JS : 0)));
	}
}

/* C4.8: whatever the chunk was, after a replacement it says that and nothing else. */
static void c4_8_replacement_says_only_that(void **state)
{
	(void)state;
	random_state = 3;
	for (int i = 0; i < ROUNDS; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		const struct json *chunk = random_chunk(&a), *now, *parts;
		const struct json *hook = value(&a, i % 2 ? "{'text':'mine'}" : HOOK("'mine'"));

		now = stable_apply_response(&a, chunk, hook);
		assert_non_null(now);
		parts = json_pointer(now, STR("/candidates/0/content/parts"));
		assert_true(str_eqz(json_get_str(json_at(parts, 0), "text"), "mine"));
		assert_int_equal(parts->n, i % 2 ? 1 + stable_calls(chunk) : 1);
		for (size_t k = 0; k < parts->n; k++)
			assert_true((json_getz(json_at(parts, k), "functionCall") == NULL) == !k);
		assert_true(json_equal(json_getz(now, "usageMetadata"),
				       json_getz(chunk, "usageMetadata")));
		assert_true(json_equal(json_pointer(now, STR("/candidates/0/finishReason")),
				       json_pointer(chunk, STR("/candidates/0/finishReason"))));
	}
}

/* Contents of a model that calls, and of a user's program that answers. */
#define CALLS(name, more)                                                                          \
	"{'role':'model','parts':[{'text':'so'},{'functionCall':{'name':'" name                    \
	"','args':{'a':1.0}}" more "},{'functionCall':{'name':'another'}}]}"
#define LET_PASS ",'thoughtSignature':'skip_thought_signature_validator'"
#define RESULT "{'role':'user','parts':[{'functionResponse':{'name':'f'}}]}"
#define PROMPT "{'role':'user','parts':[{'text':'go'}]}"

/* The contents as a session keeps them: their parts know their texts. */
static const struct json *kept_contents(struct arena *a, const struct json *contents)
{
	const struct json **all = ARENA_ARRAY(a, const struct json *, contents->n);

	for (size_t i = 0; i < contents->n; i++) {
		const struct json *parts = json_getz(json_at(contents, i), "parts");
		const struct json *known[4];

		for (size_t k = 0; k < parts->n; k++)
			known[k] = json_with_text(a, json_at(parts, k));
		all[i] = json_set(a, json_at(contents, i), STR("parts"),
				  json_new_arr(a, known, parts->n));
	}
	return json_new_arr(a, all, contents->n);
}

/* The first call of each content of the running turn, when it came without a signature. */
static void calls_of_the_running_turn_are_signed(void **state)
{
	static const char contents[] =
		"[" PROMPT "," CALLS("f", "") "," RESULT "," PROMPT "," CALLS(
			"g", "") "," RESULT "," CALLS("h", ",'thoughtSignature':'S'") "," RESULT
										      "]";
	static const char sent[] =
		"{'contents':[" PROMPT "," CALLS("f", "") "," RESULT "," PROMPT "," CALLS(
			"g", LET_PASS) "," RESULT
				       "," CALLS("h", ",'thoughtSignature':'S'") "," RESULT "]}";
	AUTO(arena_done) struct arena a = { 0 };
	struct model_request rq = { .contents = value(&a, contents) };
	char *want = arena_z(&a, str_from(sent));

	(void)state;
	for (char *c = want; *c; c++)
		if (*c == '\'')
			*c = '"';
	assert_string_equal(request_text(&a, &rq), want);
	rq.contents = kept_contents(&a, rq.contents);
	assert_string_equal(request_text(&a, &rq), want);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c1_request_as_hooks_see_it),
		cmocka_unit_test(calls_of_the_running_turn_are_signed),
		cmocka_unit_test(c4_6_messages),
		cmocka_unit_test(c4_6_blocks),
		cmocka_unit_test(c4_6_config_and_tools),
		cmocka_unit_test(c2_model),
		cmocka_unit_test(c3_response_as_hooks_see_it),
		cmocka_unit_test(c4_8_replaced_chunk),
		cmocka_unit_test(c4_7_synthetic_response),
		cmocka_unit_test(c4_9_tool_config),
		cmocka_unit_test(c4_6_identity_is_byte_equal),
		cmocka_unit_test(c4_6_edits_keep_what_is_not_text),
		cmocka_unit_test(c4_8_identity_changes_nothing),
		cmocka_unit_test(c4_8_replacement_says_only_that),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
