/* A conversation in Gemini's form as messages of chat completions. */
#include "model_fixture.h"

#include "model/openai_impl.h"
#include "os/fs.h"

static int setup(void **state)
{
	*state = xcalloc(1, sizeof(struct fake_api));
	return 0;
}

static int teardown(void **state)
{
	struct fake_api *f = *state;

	arena_done(&f->arena);
	free(f);
	return 0;
}

static const struct json *translated(struct fake_api *f, const char *request)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct jw w = { .out = &out };
	struct model_request rq = fake_request(f, request);
	const struct json *v = NULL;

	openai_write_request(&w, &rq, false);
	assert_int_equal(json_parse(&f->arena, buf_str(&out), 0, &v, NULL), 0);
	return v;
}

#define USER(parts) "{'role':'user','parts':[" parts "]}"
#define MODEL(parts) "{'role':'model','parts':[" parts "]}"
#define CALL "{'functionCall':{'name':'f'}}"

/* tests/data/model/messages.json: conversations, and the messages that they become. */
static void messages(void **state)
{
	struct fake_api *f = *state;
	const char *root = getenv("TEST_SOURCE_ROOT");
	AUTO(free) char *path = fs_join(root ? root : ".", "tests/data/model/messages.json");
	AUTO(buf_done) struct buf text = { 0 };
	const struct json *rows = NULL, *row;

	assert_int_equal(fs_read(path, 1 << 20, &text, NULL), 0);
	assert_int_equal(json_parse(&f->arena, buf_str(&text), 0, &rows, NULL), 0);
	assert_true(rows->n > 10);
	for (size_t i = 0; (row = json_at(rows, i)) != NULL; i++) {
		const char *request = json_text(&f->arena, row, 0).p;
		const struct json *got = json_getz(translated(f, request), "messages");
		const struct json *expected = json_getz(row, "messages");

		if (!json_equal(got, expected))
			fail_msg("%s: got %s", json_text(&f->arena, json_getz(row, "case"), 0).p,
				 json_text(&f->arena, got, 0).p);
	}
}

/* The ids that are made up do not change when the conversation goes on. */
static void made_up_ids_are_stable(void **state)
{
	struct fake_api *f = *state;
	const struct json *now =
		translated(f, "{'contents':[" USER("{'text':'a'}") "," MODEL(CALL) "]}");
	const struct json *later = translated(
		f, "{'contents':[" USER("{'text':'a'}") "," MODEL(
			   CALL) ","
				 "{'parts':[{'functionResponse':{'name':'f'}}]}," MODEL(CALL) "]}");
	const struct str id = STR("/messages/1/tool_calls/0/id");

	assert_non_null(json_pointer(now, id));
	assert_true(json_equal(json_pointer(now, id), json_pointer(later, id)));
	assert_false(json_equal(json_pointer(later, id),
				json_pointer(later, STR("/messages/3/tool_calls/0/id"))));
}

static void the_rest_of_the_request(void **state)
{
	static const struct {
		const char *request, *expected; /* without model and messages */
	} rows[] = {
		{ "{'config':{'temperature':0.50,'topP':1,'topK':3,'maxOutputTokens':9,"
		  "'stopSequences':['x'],'seed':null,'responseMimeType':'application/json'}}",
		  "{'temperature':0.50,'top_p':1,'max_tokens':9,'stop':['x'],"
		  "'response_format':{'type':'json_object'}}" },
		{ "{'tools':[{'name':'f','description':'d','parametersJsonSchema':{'type':'object',"
		  "'x':1.0}},{'googleSearch':{}},{'name':'g'}],"
		  "'toolConfig':{'functionCallingConfig':{'mode':'AUTO'}}}",
		  "{'tools':[{'type':'function','function':{'name':'f','description':'d',"
		  "'parameters':{'type':'object','x':1.0}}},"
		  "{'type':'function','function':{'name':'g','description':'',"
		  "'parameters':{'type':'object','properties':{}}}}],"
		  "'tool_choice':'auto'}" },
		/* no choice without tools */
		{ "{'tools':[{'googleSearch':{}}],'toolConfig':{'functionCallingConfig':"
		  "{'mode':'ANY'}}}",
		  "{}" },
	};
	static const struct {
		const char *calling, *choice;
	} choices[] = {
		{ "{'mode':'NONE','allowedFunctionNames':['f']}", "'none'" },
		{ "{'mode':'ANY'}", "'required'" },
		{ "{'mode':'ANY','allowedFunctionNames':['f','g']}", "'required'" },
		{ "{'mode':'ANY','allowedFunctionNames':['f']}",
		  "{'type':'function','function':{'name':'f'}}" },
	};
	struct fake_api *f = *state;

	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct json *v = translated(f, rows[i].request);

		v = json_without(&f->arena, json_without(&f->arena, v, STR("model")),
				 STR("messages"));
		fake_assert_json(f, v, rows[i].expected);
	}
	for (size_t i = 0; i < ARRAY_LEN(choices); i++) {
		const char *request = arena_printf(&f->arena,
						   "{'tools':[{'name':'f'}],'toolConfig':"
						   "{'functionCallingConfig':%s}}",
						   choices[i].calling)
					      .p;

		fake_assert_json(f, json_getz(translated(f, request), "tool_choice"),
				 choices[i].choice);
	}
	fake_assert_json(f, translated(f, "{'system':{'parts':[{'text':'be '},{'text':'kind'}]}}"),
			 "{'model':'m','messages':[{'role':'system','content':'be kind'}]}");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(messages),
		TEST(made_up_ids_are_stable),
		TEST(the_rest_of_the_request),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
