/* One recording: what is written, what is read again, what survives. */
#include "transcript_fixture.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/clock.h"
#include "os/fs.h"

/* ---- writing ---- */

/* The name, the first line, and others may not read it. */
static void first_line(void **state)
{
	struct transcript *t = make(ID);
	const char *path = transcript_path(t), *name = strrchr(path, '/') + 1;
	const struct json *head = line_of(path, 0);
	struct stat st;
	int n = 0;

	(void)state;
	assert_int_equal(sscanf(name, "session-%*4d-%*2d-%*2dT%*2d-%*2d-11111111.jsonl%n", &n), 0);
	assert_int_equal(n, strlen(name));
	assert_str(head, "sessionId", ID);
	assert_str(head, "kind", "main");
	assert_str(head, "projectHash",
		   "a5c350a917e730fd793198a45702d3228725ecca292ca3189e23495cdaa8558f");
	assert_int_equal(head->n, 5);
	assert_int_equal(lstat(path, &st), 0);
	assert_int_equal(st.st_mode & 0777, 0600);
	assert_int_equal(lstat(in_dir("chats"), &st), 0);
	assert_int_equal(st.st_mode & 0777, 0700);
	transcript_free(t);
}

/* A user's message, what was typed with it, and the time of the change. */
static void user_message(void **state)
{
	struct transcript *t = make(ID);
	const struct json *m;

	(void)state;
	transcript_user(t,
			js("[{'text':'<session_context>today</session_context>'},{'text':'why'}]"),
			"typed", false);
	m = line_of(transcript_path(t), 1);
	assert_str(m, "type", "user");
	assert_int_equal(json_getz(m, "id")->n, 36);
	assert_int_equal(json_getz(m, "timestamp")->n, 24);
	assert_json(json_getz(m, "content"), "[{'text':'why'}]");
	assert_json(json_getz(m, "displayContent"), "[{'text':'typed'}]");
	m = line_of(transcript_path(t), 2);
	assert_int_equal(json_pointer(m, STR("/$set/lastUpdated"))->n, 24);
	assert_history(end(t), "user: why\n");
}

/* The model's text first, its calls with the same id afterwards. */
static void model_message(void **state)
{
	struct transcript *t = make(ID);
	const struct json *before, *after, *call;

	(void)state;
	user(t, "go");
	transcript_model(t,
			 js("[{'text':'I look.'},{'functionCall':{'id':'c1','name':'read_file',"
			    "'args':{}},'thoughtSignature':'sig'}]"),
			 js("[{'subject':'s','description':'d'}]"),
			 js("{'input':1,'output':2,'cached':0,'thoughts':3,'tool':0,'total':6}"),
			 "gemini-pro");
	before = line_of(transcript_path(t), 3);
	transcript_tool_calls(t,
			      js("[{'id':'c1','name':'read_file','args':{},'status':'success',"
				 "'thoughtSignature':'sig','result':[{'functionResponse':"
				 "{'id':'c1','name':'read_file','response':{'output':'x'}}}]}]"));
	after = line_of(transcript_path(t), 5);
	assert_str(before, "type", "gemini");
	assert_str(before, "content", "I look.");
	assert_str(after, "content", "I look.");
	assert_str(before, "model", "gemini-pro");
	assert_null(json_getz(before, "toolCalls"));
	assert_int_equal(json_pointer(before, STR("/thoughts/0/timestamp"))->n, 24);
	assert_int_equal(json_num(json_pointer(before, STR("/tokens/total")), 0), 6);
	assert_true(json_equal(json_getz(before, "id"), json_getz(after, "id")));
	call = json_pointer(after, STR("/toolCalls/0"));
	assert_str(call, "displayName", "read_file");
	assert_str(call, "description", "");
	assert_str(call, "status", "success");
	assert_history(end(t), "user: go\n"
			       "model: I look. | +c1 read_file ~sig\n"
			       "user: =c1 read_file x\n");
}

/* One answer with its call, written as the session writes it; the array of contents. */
static const struct json *answered(struct transcript *t, const char *parts)
{
	const struct json *said = js(parts), *rows[8];
	size_t n = 0;

	transcript_model(t, said, NULL, NULL, NULL);
	for (size_t i = 0; i < said->n; i++) {
		const struct json *row = transcript_call(&mem, json_at(said, i)), *result;

		if (!json_getz(row, "name"))
			continue;
		result = js("[{'functionResponse':{'name':'a','response':{'output':'x'}}}]");
		result = json_set(&mem, json_at(result, 0), STR("functionResponse"),
				  json_set(&mem, json_pointer(result, STR("/0/functionResponse")),
					   STR("id"), json_getz(row, "id")));
		rows[n++] = json_set(&mem, row, STR("result"), json_new_arr(&mem, &result, 1));
	}
	transcript_tool_calls(t, json_new_arr(&mem, rows, n));
	return end(t);
}

static void assert_same_bytes(const struct json *v, const struct json *want)
{
	assert_string_equal(arena_z(&mem, json_text(&mem, v, JSON_COMPACT)),
			    arena_z(&mem, json_text(&mem, want, JSON_COMPACT)));
}

/* What is signed, unknown, or in another order than usual comes back byte for byte. */
static void answers_come_back_whole(void **state)
{
	static const struct {
		const char *parts;
		bool is_text; /* content is a string, as in most recordings */
	} answers[] = {
		{ "[{'text':'t'}]", true },
		{ "[{'text':'t','thoughtSignature':'s'}]", false },
		{ "[{'thoughtSignature':'s','text':'t'}]", false },
		{ "[{'text':'','thoughtSignature':'s'}]", false },
		{ "[{'text':'a'},{'text':'b','thoughtSignature':'s'},{'text':'c'}]", false },
		{ "[{'executableCode':{'language':'PYTHON','code':'1'}},{'text':'t'}]", false },
		{ "[{'functionCall':{'name':'a','args':{'z':1,'b':2},'id':'1'}}]", true },
		{ "[{'functionCall':{'id':'1','name':'a','args':{}}},{'functionCall':"
		  "{'args':{'n':1e2},'name':'a','id':'2'}}]",
		  true },
		{ "[{'functionCall':{'name':'a','args':{},'id':'1'},'thoughtSignature':'s'}]",
		  true },
		{ "[{'thoughtSignature':'s','functionCall':{'name':'a','args':{},'id':'1'}}]",
		  true },
		{ "[{'functionCall':{'name':'a','id':'1'}}]", false },
		{ "[{'functionCall':{'name':'a','args':{},'id':'1','more':[1]},'x':null}]", false },
		{ "[{'functionCall':{'name':'a','args':{},'id':'1'}},{'text':'behind'}]", false },
		{ "[{'text':'t','thoughtSignature':'s'},{'functionCall':"
		  "{'name':'a','args':{},'id':'1'},'thoughtSignature':'q'},"
		  "{'functionCall':{'name':'a','args':{},'id':'1'}}]",
		  false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(answers); i++) {
		struct transcript *t = make(ID);
		const char *path = arena_z(&mem, str_from(transcript_path(t)));
		const struct json *history, *want = js(answers[i].parts), *m;
		bool calls = strstr(answers[i].parts, "functionCall") != NULL;

		user(t, "go");
		history = answered(t, answers[i].parts);
		assert_int_equal(history->n, calls ? 3 : 2);
		assert_same_bytes(json_pointer(history, STR("/1/parts")), want);
		m = line_of(path, calls ? 5 : 3);
		assert_int_equal(json_is(json_getz(m, "content"), J_STR), answers[i].is_text);
		/* Compression keeps as much. */
		t = make(ID);
		transcript_replace(t, history);
		assert_same_bytes(end(t), history);
	}
}

/* Calls of one message: updated by id, all responses in one content, in the order of the calls. */
static void calls_are_merged(void **state)
{
	struct transcript *t = make(ID);

	(void)state;
	user(t, "go");
	transcript_tool_calls(t, js("[{'id':'c1','name':'a','args':{},'result':null},"
				    "{'id':'c2','name':'b','args':{},'result':[{'functionResponse':"
				    "{'id':'c2','name':'b','response':{'output':'two'}}}]}]"));
	transcript_note(t, "info", STR("between"));
	transcript_tool_calls(t, js("[{'id':'c1','status':'success','result':[{'functionResponse':"
				    "{'id':'c1','name':'a','response':{'output':'one'}}},"
				    "{'inlineData':{}}]}]"));
	assert_history(end(t), "user: go\n"
			       "model: +c1 a | +c2 b\n"
			       "user: =c1 a one | {\"inlineData\":{}} | =c2 b two\n");
}

/* A call that never got its result is answered, else no model would take the conversation. */
static void call_without_result(void **state)
{
	struct transcript *t = make(ID);
	const struct json *history, *response;

	(void)state;
	user(t, "go");
	model(t, "");
	transcript_tool_calls(t, js("[{'id':'c1','name':'a','args':{},'status':'cancelled'}]"));
	user(t, "again");
	history = end(t);
	assert_int_equal(history->n, 4);
	response = json_pointer(history, STR("/2/parts/0/functionResponse"));
	assert_str(response, "id", "c1");
	assert_non_null(strstr(
		arena_z(&mem, json_str(json_pointer(response, STR("/response/error")), STR(""))),
		"Cancelled"));
	assert_str(json_pointer(history, STR("/3/parts/0")), "text", "again");
}

/* Notes are in the file and not in the conversation. */
static void notes(void **state)
{
	struct transcript *t = make(ID);

	(void)state;
	user(t, "go");
	transcript_note(t, "warning", STR("careful"));
	assert_str(line_of(transcript_path(t), 3), "type", "warning");
	assert_str(line_of(transcript_path(t), 3), "content", "careful");
	assert_int_equal(end(t)->n, 1);
}

/* A checkpoint replaces everything; what comes after it is added. */
static void replace_and_go_on(void **state)
{
	static const char contents[] =
		"[{'role':'user','parts':[{'text':'snapshot'}]},"
		"{'role':'model','parts':[{'text':'Got it.'}]},"
		"{'role':'user','parts':[{'text':'one'},{'text':'two'}]},"
		"{'role':'model','parts':[{'text':'x','thoughtSignature':'t'},"
		"{'functionCall':{'id':'c1','name':'a','args':{'a':1}},'thoughtSignature':'s'},"
		"{'functionCall':{'id':'c2','name':'b','args':{}}}]},"
		"{'role':'user','parts':["
		"{'functionResponse':{'id':'c1','name':'a','response':{'output':'1'}}},"
		"{'inlineData':{'data':''}},"
		"{'functionResponse':{'id':'c2','name':'b','response':{'output':'2'}}},"
		"{'text':'context'}]},"
		"{'role':'model','parts':[{'text':'before'},"
		"{'functionCall':{'name':'c','args':{}}},"
		"{'executableCode':{'code':'1'}}]},"
		"{'role':'user','parts':["
		"{'functionResponse':{'name':'c','response':{'error':'e'}}}]},"
		"{'role':'model','parts':[{'text':'end'}]}]";
	struct transcript *t = make(ID);
	const struct json *set, *history;

	(void)state;
	user(t, "old");
	transcript_replace(t, js(contents));
	set = json_pointer(line_of(transcript_path(t), 3), STR("/$set/messages"));
	assert_int_equal(set->n, 6);
	assert_str(json_at(set, 1), "content", "Got it.");
	assert_str(json_pointer(set, STR("/3/toolCalls/0")), "status", "success");
	assert_json(resume_at(transcript_path(t)), contents);
	user(t, "next");
	history = end(t);
	assert_int_equal(history->n, 9);
	assert_str(json_pointer(history, STR("/8/parts/0")), "text", "next");
}

/* The context that a hook added to an emptied conversation, too. */
static void replace_by_nothing(void **state)
{
	struct transcript *t = make(ID);

	(void)state;
	user(t, "old");
	transcript_replace(t, js("[]"));
	assert_int_equal(resume_at(transcript_path(t))->n, 0);
	user(t, "new");
	assert_history(end(t), "user: new\n");
}

/* The same file, the same id; and what is added is found the next time. */
static void resume_continues(void **state)
{
	struct transcript *t = make(ID);
	const char *path = arena_z(&mem, str_from(transcript_path(t)));
	const struct json *history = NULL;

	(void)state;
	user(t, "one");
	model(t, "two");
	transcript_free(t);
	t = transcript_resume(path, &mem, &history, NULL);
	assert_non_null(t);
	assert_string_equal(transcript_session_id(t), ID);
	assert_string_equal(transcript_path(t), path);
	assert_int_equal(history->n, 2);
	user(t, "three");
	assert_int_equal(end(t)->n, 3);
}

/* A session that was killed in the middle of a line loses that line and nothing else. */
static void torn_line(void **state)
{
	struct transcript *t = make(ID);
	const char *path = arena_z(&mem, str_from(transcript_path(t)));
	const struct json *history = NULL;
	size_t whole;

	(void)state;
	user(t, "one");
	whole = strlen(get(path));
	model(t, "this line will be torn");
	transcript_free(t);
	for (size_t cut = 1; cut < 60; cut += 7) {
		assert_int_equal(truncate(path, (off_t)(whole + cut)), 0);
		t = transcript_resume(path, &mem, &history, NULL);
		assert_int_equal(history->n, 1);
		user(t, "two");
		assert_history(end(t), "user: one\nuser: two\n");
	}
}

static void long_message(void **state)
{
	struct transcript *t = make(ID);
	size_t n = 10 << 20;
	char *text = arena_alloc(&mem, n + 1);

	(void)state;
	memset(text, '\n', n);
	user(t, text);
	model(t, text);
	assert_int_equal(json_pointer(end(t), STR("/1/parts/0/text"))->n, n);
}

/* ---- files that cannot be written ---- */

/* The disk is full: said once, no half line, and the session goes on. */
static void disk_full(void **state)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, old;
	struct rlimit was, limit;
	struct transcript *t = make(ID);
	const char *path = transcript_path(t), *before;
	char big[4000];

	(void)state;
	user(t, "kept");
	before = get(path);
	(void)sigaction(SIGXFSZ, &ignore, &old);
	(void)getrlimit(RLIMIT_FSIZE, &was);
	limit = was;
	limit.rlim_cur = strlen(before) + 1000;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
	memset(big, 'x', sizeof big);
	big[sizeof big - 1] = '\0';
	model(t, big);
	(void)setrlimit(RLIMIT_FSIZE, &was);
	(void)sigaction(SIGXFSZ, &old, NULL);
	assert_string_equal(get(path), before);
	const char *said = transcript_error(t);
	assert_non_null(said);
	assert_non_null(strstr(said, path));
	user(t, "not recorded");
	transcript_tool_calls(t, js("[{'id':'c','name':'n'}]"));
	transcript_replace(t, js("[]"));
	assert_null(transcript_error(t));
	assert_string_equal(get(path), before);
	transcript_free(t);
}

/* A directory that cannot be made: the caller is told, and NULL is a transcript like any other. */
static void no_directory(void **state)
{
	struct err err = { 0 };
	struct transcript *t;

	(void)state;
	put(in_dir("file"), "x");
	t = transcript_new(in_dir("file/chats"), PROJECT, ID, &err);
	assert_null(t);
	assert_true(err.text[0] != '\0');
	user(t, "x");
	model(t, "x");
	transcript_tool_calls(t, js("[]"));
	transcript_note(t, "info", STR("x"));
	transcript_replace(t, js("[]"));
	assert_string_equal(transcript_path(t), "");
	assert_null(transcript_error(t));
	transcript_free(t);
}

static void symlinks_are_refused(void **state)
{
	struct transcript *t = make(ID);
	const struct json *history = NULL;
	struct transcript_info *list;
	struct err err = { 0 };
	size_t n;

	(void)state;
	user(t, "x");
	assert_int_equal(rename(transcript_path(t), in_dir("elsewhere")), 0);
	assert_int_equal(symlink(in_dir("elsewhere"), transcript_path(t)), 0);
	assert_null(transcript_resume(transcript_path(t), &mem, &history, &err));
	assert_non_null(strstr(err.text, "symbolic link"));
	assert_int_equal(transcript_list(in_dir("chats"), &list, &n, NULL), 0);
	assert_int_equal(n, 0);
	transcript_list_free(list, n);
	transcript_free(t);
	assert_int_equal(symlink(in_dir("chats"), in_dir("link")), 0);
	assert_null(transcript_new(in_dir("link"), PROJECT, ID, &err));
}

/* ---- recordings of others ---- */

#define HEAD "{'sessionId':'s','projectHash':'h','startTime':'2026-01-02T03:04:05.006Z'}\n"

static const struct json *read_lines(const char *lines)
{
	put(in_dir("chats/session-x.jsonl"), lines);
	return resume_at(in_dir("chats/session-x.jsonl"));
}

/* What Gemini CLI writes: the context as a checkpoint, strings for parts, rewinds, junk. */
static void foreign_lines(void **state)
{
	static const char lines[] =
		HEAD "{'$set':{'messages':[{'id':'0','type':'user','content':[{'text':"
		     "'<session_context>\\nx\\n</session_context>'}]}]}}\n"
		     "{'id':'1','type':'user','content':'plain'}\n"
		     "not json\n\n42\n{'id':5,'type':'user','content':'no id'}\n"
		     "{'id':'2','type':'gemini','content':[{'text':'a'},'b']}\n"
		     "{'id':'3','type':'user','content':{'text':'gone'}}\n"
		     "{'id':'4','type':'gemini','content':'gone, too'}\n"
		     "{'$rewindTo':'3'}\n"
		     "{'id':'1','type':'user','content':'changed'}\n"
		     "{'id':'4','type':'user','content':'new'}";

	(void)state;
	assert_history(read_lines(lines), "user: changed\nmodel: a | b\nuser: new\n");
}

/* Calls in the content and in toolCalls, responses in the next message: each once. */
static void foreign_calls(void **state)
{
	static const char lines[] =
		HEAD "{'id':'1','type':'gemini','content':[{'text':'t','thought':true},"
		     "{'functionCall':{'id':'c1','name':'a','args':{}}},"
		     "{'functionCall':{'id':'c2','name':'b','args':{}}}],"
		     "'toolCalls':[{'id':'c1','name':'a','result':'done'},"
		     "{'id':'c3','name':'d','args':{},'result':["
		     "{'functionResponse':{'id':'c3','name':'d','response':{'output':'3'}}}]}]}\n"
		     "{'id':'i','type':'info','content':'x'}\n"
		     "{'id':'2','type':'user','content':["
		     "{'functionResponse':{'id':'c2','name':'b','response':{'output':'2'}}},"
		     "{'functionResponse':{'id':'c3','name':'d','response':{'output':'twice'}}},"
		     "{'functionResponse':{'id':'c9','name':'x','response':{'output':'whose'}}},"
		     "{'text':'and'}]}\n"
		     "{'id':'3','type':'user','content':["
		     "{'functionResponse':{'id':'c1','name':'a','response':{'output':'late'}}}]}\n";

	(void)state;
	assert_history(read_lines(lines), "model: +c1 a | +c2 b | +c3 d\n"
					  "user: =c1 a done | =c2 b 2 | =c3 d 3 | and\n");
}

/* One document; it is continued as .jsonl, and listed once. */
static void legacy_document(void **state)
{
	static const char old[] =
		"{\n  'sessionId': 's1',\n  'projectHash': 'h',\n"
		"  'startTime': '2026-01-02T03:04:05.006Z',\n"
		"  'lastUpdated': '2026-01-02T03:05:00.000Z',\n"
		"  'messages': [\n    {'id':'1','type':'user','content':'hello\\nthere'},\n"
		"    {'id':'2','type':'gemini','content':'hi','toolCalls':[]}\n  ]\n}\n";
	const char *path = in_dir("chats/session-2026-01-02T03-04-s1.json");
	const struct json *history = NULL;
	struct transcript_info *list;
	struct transcript *t;
	size_t n;

	(void)state;
	put(path, old);
	t = transcript_resume(path, &mem, &history, NULL);
	assert_non_null(t);
	assert_int_equal(history->n, 2);
	assert_true(str_ends(str_from(transcript_path(t)), STR("s1.jsonl")));
	user(t, "more");
	assert_int_equal(end(t)->n, 3);
	assert_int_equal(transcript_list(in_dir("chats"), &list, &n, NULL), 0);
	assert_int_equal(n, 1);
	assert_string_equal(list[0].id, "s1");
	assert_string_equal(list[0].title, "hello there");
	assert_int_equal(list[0].started_ms, 1767323045006);
	assert_true(str_ends(str_from(list[0].path), STR(".jsonl")));
	assert_int_equal(transcript_delete(in_dir("chats"), &list[0], NULL), 0);
	assert_false(fs_exists(path));
	transcript_list_free(list, n);
}

static void not_a_recording(void **state)
{
	static const char *const texts[] = {
		"", "{}", "[]", "{'messages':[]}", "\x01\xff", "null\n"
	};
	const struct json *history = NULL;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		struct err err = { 0 };

		put(in_dir("session-x.jsonl"), texts[i]);
		assert_null(transcript_resume(in_dir("session-x.jsonl"), &mem, &history, &err));
		assert_int_equal(err.code, E_PARSE);
	}
	assert_null(transcript_resume(in_dir("none.jsonl"), &mem, &history, NULL));
	assert_null(transcript_resume(in_dir(""), &mem, &history, NULL));
}

/* ---- speed ---- */

#ifdef __has_feature
#define SLOW (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#elif defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SLOW 1
#else
#define SLOW 0
#endif
/* Ten to twenty milliseconds of a good machine, less than a quadratic way would take. */
#define MAX_US (SLOW ? 20000000 : 1000000)

/* 5,000 messages, each answer written twice, with its calls. */
static void resume_is_fast(void **state)
{
	struct transcript *t = make(ID);
	const char *path = arena_z(&mem, str_from(transcript_path(t)));
	const struct json *said =
		js("[{'text':'mmm'},{'functionCall':{'id':'c1','name':'read_file',"
		   "'args':{'file_path':'a'}}}]");
	const struct json *calls =
		js("[{'id':'c1','name':'read_file','args':{'file_path':'a'},'status':'success',"
		   "'result':[{'functionResponse':{'id':'c1','name':'read_file',"
		   "'response':{'output':'some lines of a file'}}}]}]");
	const struct json *history = NULL;
	int64_t start, best = INT64_MAX;
	char text[500];

	(void)state;
	memset(text, 'm', sizeof text);
	text[sizeof text - 1] = '\0';
	for (int i = 0; i < 2500; i++) {
		user(t, text);
		transcript_model(t, said, NULL, NULL, "gemini-pro");
		transcript_tool_calls(t, calls);
	}
	transcript_free(t);
	for (int i = 0; i < 3; i++) {
		AUTO(arena_done) struct arena a = { 0 };

		start = clock_cpu_us();
		t = transcript_resume(path, &a, &history, NULL);
		if (clock_cpu_us() - start < best)
			best = clock_cpu_us() - start;
		assert_int_equal(history->n, 7500);
		transcript_free(t);
	}
	printf("# 5,000 messages, %zu bytes: %.1f ms\n", strlen(get(path)), (double)best / 1000);
	assert_true(best < MAX_US);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TX_TEST(first_line),
		TX_TEST(user_message),
		TX_TEST(model_message),
		TX_TEST(answers_come_back_whole),
		TX_TEST(calls_are_merged),
		TX_TEST(call_without_result),
		TX_TEST(notes),
		TX_TEST(replace_and_go_on),
		TX_TEST(replace_by_nothing),
		TX_TEST(resume_continues),
		TX_TEST(torn_line),
		TX_TEST(long_message),
		TX_TEST(disk_full),
		TX_TEST(no_directory),
		TX_TEST(symlinks_are_refused),
		TX_TEST(foreign_lines),
		TX_TEST(foreign_calls),
		TX_TEST(legacy_document),
		TX_TEST(not_a_recording),
		TX_TEST(resume_is_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
