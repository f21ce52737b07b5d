/* Recordings of sessions: what is written, what is read again, what survives (host.md G1, G2, E7).
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "agent/transcript.h"
#include "os/clock.h"
#include "os/fs.h"

#define ID "11111111-2222-4333-8444-555555555555"
#define PROJECT "/srv/Some Shop"

static char dir[64];
static struct arena mem;

static void remove_tree(const char *path)
{
	char **names;
	size_t n;

	if (unlink(path) == 0 || fs_list(path, &names, &n, NULL) < 0)
		return;
	for (size_t i = 0; i < n; i++) {
		AUTO(free) char *below = fs_join(path, names[i]);

		remove_tree(below);
		free(names[i]);
	}
	free(names);
	(void)rmdir(path);
}

static int setup(void **state)
{
	(void)state;
	(void)snprintf(dir, sizeof dir, "/tmp/trotline-test-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int teardown(void **state)
{
	(void)state;
	remove_tree(dir);
	arena_done(&mem);
	return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

/* A path in the directory of the test. */
static const char *in_dir(const char *name)
{
	return arena_printf(&mem, "%s/%s", dir, name).p;
}

/* JSON written with single quotes. */
static const struct json *js(const char *text)
{
	char *copy = arena_z(&mem, str_from(text));
	const struct json *v = NULL;
	struct err err = { 0 };

	for (char *p = copy; *p; p++)
		if (*p == '\'')
			*p = '"';
	if (json_parse(&mem, str_from(copy), 0, &v, &err) < 0)
		fail_msg("%s: %s", copy, err.text);
	return v;
}

static void put(const char *path, const char *text)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(free) char *parent = xstrndup(path, (size_t)(strrchr(path, '/') - path));

	for (; *text; text++)
		(void)buf_addc(&out, *text == '\'' ? '"' : *text);
	assert_int_equal(fs_mkdirs(parent, 0700, NULL), 0);
	assert_int_equal(fs_replace(path, buf_str(&out), 0600, NULL), 0);
}

static const char *get(const char *path)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct err err = { 0 };

	if (fs_read(path, (size_t)1 << 30, &out, &err) < 0)
		fail_msg("%s", err.text);
	return arena_z(&mem, buf_str(&out));
}

static const struct json *line_of(const char *path, size_t i)
{
	struct str rest = str_from(get(path)), line = { 0 };
	const struct json *v = NULL;

	for (size_t k = 0; k <= i; k++)
		assert_true(str_split(&rest, '\n', &line));
	assert_true(json_parse(&mem, line, 0, &v, NULL) >= 0);
	return v;
}

static void assert_str(const struct json *obj, const char *key, const char *expected)
{
	struct str s = json_str(json_get(obj, str_from(key)), STR("(none)"));

	assert_string_equal(arena_z(&mem, s), expected);
}

static void assert_json(const struct json *v, const char *expected)
{
	if (!json_equal(v, js(expected)))
		fail_msg("%s\nis not\n%s", v ? json_text(&mem, v, 0).p : "nothing", expected);
}

static struct transcript *make(const char *id)
{
	struct err err = { 0 };
	struct transcript *t = transcript_new(in_dir("chats"), PROJECT, id, &err);

	if (!t)
		fail_msg("%s", err.text);
	return t;
}

static const struct json *resume_at(const char *path)
{
	const struct json *history = NULL;
	struct err err = { 0 };
	struct transcript *t = transcript_resume(path, &mem, &history, &err);

	if (!t)
		fail_msg("%s", err.text);
	transcript_free(t);
	return history;
}

/* The history after the session is over. */
static const struct json *end(struct transcript *t)
{
	const char *path = arena_z(&mem, str_from(transcript_path(t)));

	assert_null(transcript_error(t));
	transcript_free(t);
	return resume_at(path);
}

static void user(struct transcript *t, const char *text)
{
	const struct json *part =
		json_set(&mem, NULL, STR("text"), json_new_str(&mem, str_from(text)));

	transcript_user(t, json_new_arr(&mem, &part, 1), NULL);
}

static void model(struct transcript *t, const char *text)
{
	transcript_model(t, str_from(text), NULL, NULL, "gemini-pro");
}

#define CALL(id, name) "{'id':'" id "','name':'" name "','args':{'a':1},'status':'success',"
#define RESPONSE(id, name, text)                                                                   \
	"{'functionResponse':{'id':'" id "','name':'" name "','response':{'output':'" text "'}}}"
#define FCALL(id, name) "{'functionCall':{'id':'" id "','name':'" name "','args':{'a':1}}}"

/* ---- writing ---- */

/* G1.1, G1.3: the name, the first line, and nobody else may read it. */
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

/* G1.6: a user's message, what was typed beside it, and the time of the change. */
static void user_message(void **state)
{
	struct transcript *t = make(ID);
	const struct json *m;

	(void)state;
	transcript_user(t,
			js("[{'text':'<session_context>today</session_context>'},{'text':'why'}]"),
			"typed");
	m = line_of(transcript_path(t), 1);
	assert_str(m, "type", "user");
	assert_int_equal(json_get(m, STR("id"))->n, 36);
	assert_int_equal(json_get(m, STR("timestamp"))->n, 24);
	assert_json(json_get(m, STR("content")), "[{'text':'why'}]");
	assert_json(json_get(m, STR("displayContent")), "[{'text':'typed'}]");
	m = line_of(transcript_path(t), 2);
	assert_int_equal(json_pointer(m, STR("/$set/lastUpdated"))->n, 24);
	assert_json(end(t), "[{'role':'user','parts':[{'text':'why'}]}]");
}

/* G1.7, G1.9: the model's text first, its calls with the same id afterwards. */
static void model_message(void **state)
{
	struct transcript *t = make(ID);
	const struct json *before, *after, *call;

	(void)state;
	user(t, "go");
	transcript_model(t, STR("I look."), js("[{'subject':'s','description':'d'}]"),
			 js("{'input':1,'output':2,'cached':0,'thoughts':3,'tool':0,'total':6}"),
			 "gemini-pro");
	before = line_of(transcript_path(t), 3);
	transcript_tool_calls(
		t, js("[" CALL("c1", "read_file") "'thoughtSignature':'sig','result':[" RESPONSE(
			   "c1", "read_file", "x") "]}]"));
	after = line_of(transcript_path(t), 5);
	assert_str(before, "type", "gemini");
	assert_str(before, "content", "I look.");
	assert_str(before, "model", "gemini-pro");
	assert_null(json_get(before, STR("toolCalls")));
	assert_int_equal(json_pointer(before, STR("/thoughts/0/timestamp"))->n, 24);
	assert_int_equal(json_num(json_pointer(before, STR("/tokens/total")), 0), 6);
	assert_true(json_equal(json_get(before, STR("id")), json_get(after, STR("id"))));
	call = json_pointer(after, STR("/toolCalls/0"));
	assert_str(call, "displayName", "read_file");
	assert_str(call, "description", "");
	assert_str(call, "status", "success");
	assert_json(end(t),
		    "[{'role':'user','parts':[{'text':'go'}]},"
		    "{'role':'model','parts':[{'text':'I look.'},{'functionCall':{'id':'c1',"
		    "'name':'read_file','args':{'a':1}},'thoughtSignature':'sig'}]},"
		    "{'role':'user','parts':[" RESPONSE("c1", "read_file", "x") "]}]");
}

/* Calls of one message: updated by id, all responses in one content, in the order of the calls. */
static void calls_are_merged(void **state)
{
	struct transcript *t = make(ID);

	(void)state;
	user(t, "go");
	transcript_tool_calls(t, js("[" CALL("c1", "a") "'result':null}," CALL(
					 "c2", "b") "'result':[" RESPONSE("c2", "b", "two") "]}]"));
	transcript_note(t, "info", STR("between"));
	transcript_tool_calls(t, js("[{'id':'c1','status':'error','result':[" RESPONSE(
					 "c1", "a", "one") ",{'inlineData':{}}]}]"));
	assert_json(end(t),
		    "[{'role':'user','parts':[{'text':'go'}]},"
		    "{'role':'model','parts':[" FCALL("c1", "a") "," FCALL(
			    "c2", "b") "]},"
				       "{'role':'user','parts':[" RESPONSE(
					       "c1", "a",
					       "one") ",{'inlineData':{}}," RESPONSE("c2", "b",
										     "two") "]}]");
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
	assert_json(json_at(history, 3), "{'role':'user','parts':[{'text':'again'}]}");
}

/* G1: notes are in the file and not in the conversation. */
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

/* C4.8 for prompts: what a hook denied is in no line of the file; what else was said stays. */
static void drop_user_leaves_nothing(void **state)
{
	struct transcript *t = make(ID);
	const char *text;

	(void)state;
	user(t, "first");
	model(t, "answer");
	user(t, "my secret");
	transcript_note(t, "info", STR("denied by a hook"));
	transcript_drop_user(t);
	transcript_drop_user(t);
	user(t, "third");
	text = get(transcript_path(t));
	assert_null(strstr(text, "my secret"));
	assert_non_null(strstr(text, "denied by a hook"));
	assert_json(end(t), "[{'role':'user','parts':[{'text':'first'}]},"
			    "{'role':'model','parts':[{'text':'answer'}]},"
			    "{'role':'user','parts':[{'text':'third'}]}]");
}

/* G1: a checkpoint replaces everything; what comes after it is added. */
static void replace_and_go_on(void **state)
{
	static const char contents[] =
		"[{'role':'user','parts':[{'text':'<state_snapshot>s</state_snapshot>'}]},"
		"{'role':'model','parts':[{'text':'Got it.'}]},"
		"{'role':'user','parts':[{'text':'one'},{'text':'two'}]},"
		"{'role':'model','parts':[{'text':'x','thoughtSignature':'t'},"
		"{'functionCall':{'id':'c1','name':'a','args':{'a':1}},'thoughtSignature':'sig'}," FCALL(
			"c2",
			"b") "]},"
			     "{'role':'user','parts':[" RESPONSE("c1", "a", "one") ",{'inlineData':{'data':''}}," RESPONSE(
				     "c2", "b",
				     "two") ",{'text':'context'}]},"
					    "{'role':'model','parts':[{'text':'before'},{'functionCall':{'name':'c','args':{}}},"
					    "{'executableCode':{'code':'1'}}]},"
					    "{'role':'user','parts':[{'functionResponse':{'name':'c','response':{'error':'e'}}}]},"
					    "{'role':'model','parts':[{'text':'end'}]}]";
	struct transcript *t = make(ID);
	const struct json *set, *history;

	(void)state;
	user(t, "old");
	transcript_replace(t, js(contents));
	set = json_pointer(line_of(transcript_path(t), 3), STR("/$set/messages"));
	assert_int_equal(set->n, 7);
	assert_str(json_at(set, 1), "content", "Got it.");
	assert_str(json_pointer(set, STR("/3/toolCalls/0")), "status", "success");
	history = resume_at(transcript_path(t));
	assert_json(history, contents);
	user(t, "next");
	history = end(t);
	assert_int_equal(history->n, 9);
	assert_json(json_at(history, 8), "{'role':'user','parts':[{'text':'next'}]}");
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
	assert_json(end(t), "[{'role':'user','parts':[{'text':'new'}]}]");
}

/* G2.1: the same file, the same id; and what is added is found the next time. */
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
		assert_json(end(t), "[{'role':'user','parts':[{'text':'one'}]},"
				    "{'role':'user','parts':[{'text':'two'}]}]");
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
	transcript_model(t, (struct str){ text, n }, NULL, NULL, NULL);
	assert_int_equal(json_pointer(end(t), STR("/1/parts/0/text"))->n, n);
}

/* ---- files that cannot be written ---- */

/* G1.10: the disk is full: said once, no half line, and the session goes on. */
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
	transcript_model(t, (struct str){ big, sizeof big }, NULL, NULL, NULL);
	(void)setrlimit(RLIMIT_FSIZE, &was);
	(void)sigaction(SIGXFSZ, &old, NULL);
	assert_string_equal(get(path), before);
	const char *said = transcript_error(t);
	assert_non_null(said);
	assert_non_null(strstr(said, path));
	user(t, "not recorded");
	transcript_tool_calls(t, js("[{'id':'c','name':'n'}]"));
	transcript_drop_user(t);
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
	transcript_drop_user(t);
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
	(void)state;
	assert_json(read_lines(HEAD
			       "{'$set':{'messages':[{'id':'0','type':'user','content':[{'text':"
			       "'<session_context>\\nx\\n</session_context>'}]}]}}\n"
			       "{'id':'1','type':'user','content':'plain'}\n"
			       "not json\n\n42\n{'id':5,'type':'user','content':'no id'}\n"
			       "{'id':'2','type':'gemini','content':[{'text':'a'},'b']}\n"
			       "{'id':'3','type':'user','content':{'text':'gone'}}\n"
			       "{'id':'4','type':'gemini','content':'gone, too'}\n"
			       "{'$rewindTo':'3'}\n"
			       "{'id':'1','type':'user','content':'changed'}\n"
			       "{'id':'4','type':'user','content':'new'}"),
		    "[{'role':'user','parts':[{'text':'changed'}]},"
		    "{'role':'model','parts':[{'text':'a'},{'text':'b'}]},"
		    "{'role':'user','parts':[{'text':'new'}]}]");
}

/* Calls in the content and in toolCalls, responses in the next message: each once. */
static void foreign_calls(void **state)
{
	(void)state;
	assert_json(
		read_lines(HEAD "{'id':'1','type':'gemini','content':[{'text':'t','thought':true}," FCALL("c1", "a") "," FCALL("c2", "b") "],'toolCalls':[" CALL("c1", "a") "'result':'done'}," CALL(
			"c3",
			"d") "'result':[" RESPONSE("c3", "d",
						   "3") "]}]}\n"
							"{'id':'i','type':'info','content':'x'}\n"
							"{'id':'2','type':'user','content':[" RESPONSE("c2", "b", "2") "," RESPONSE(
								"c3", "d",
								"twice") "," RESPONSE("c9", "x",
										      "whose") ",{'text':'and'}]}\n"
											       "{'id':'3','type':'user','content':[" RESPONSE(
												       "c1",
												       "a",
												       "late") "]}\n"),
		"[{'role':'model','parts':[" FCALL("c1", "a") "," FCALL("c2", "b") "," FCALL("c3", "d") "]},{'role':'user','parts':[" RESPONSE(
			"c1", "a",
			"done") "," RESPONSE("c2", "b",
					     "2") "," RESPONSE("c3", "d",
							       "3") ",{'text':'and'}]}]");
}

/* G1.11: one document; it is continued as .jsonl, and listed once. */
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
	assert_null(transcript_resume(dir, &mem, &history, NULL));
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

/* E7.1, G2.5: oldest first, with a user's message only, one line of it. */
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

/* G2.4: old ones go, with what belongs to them; nothing else does. */
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

/* G1.2: a short name, the same each time, another for another project. */
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

/* ---- speed ---- */

/* 5,000 messages, each answer written twice, with its calls. */
static void resume_is_fast(void **state)
{
	struct transcript *t = make(ID);
	const char *path = arena_z(&mem, str_from(transcript_path(t)));
	const struct json *calls = js("[" CALL("c1", "read_file") "'result':[" RESPONSE(
		"c1", "read_file", "some lines of a file") "]}]");
	const struct json *history = NULL;
	int64_t start, best = INT64_MAX;
	char text[500];

	(void)state;
	memset(text, 'm', sizeof text);
	text[sizeof text - 1] = '\0';
	for (int i = 0; i < 2500; i++) {
		user(t, text);
		model(t, text);
		transcript_tool_calls(t, calls);
	}
	transcript_free(t);
	for (int i = 0; i < 3; i++) {
		AUTO(arena_done) struct arena a = { 0 };

		start = clock_us();
		t = transcript_resume(path, &a, &history, NULL);
		if (clock_us() - start < best)
			best = clock_us() - start;
		assert_int_equal(history->n, 7500);
		transcript_free(t);
	}
	printf("# 5,000 messages, %zu bytes: %.1f ms\n", strlen(get(path)), (double)best / 1000);
	assert_true(best < 100000 * (getenv("ASAN_OPTIONS") ? 10 : 3));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(first_line),
		TEST(user_message),
		TEST(model_message),
		TEST(calls_are_merged),
		TEST(call_without_result),
		TEST(notes),
		TEST(drop_user_leaves_nothing),
		TEST(replace_and_go_on),
		TEST(replace_by_nothing),
		TEST(resume_continues),
		TEST(torn_line),
		TEST(long_message),
		TEST(disk_full),
		TEST(no_directory),
		TEST(symlinks_are_refused),
		TEST(same_prefix),
		TEST(foreign_lines),
		TEST(foreign_calls),
		TEST(legacy_document),
		TEST(not_a_recording),
		TEST(list_and_find),
		TEST(title_survives_compression),
		TEST(retention_by_age),
		TEST(retention_needs_both_times),
		TEST(retention_settings),
		TEST(retention_by_number),
		TEST(slug),
		TEST(slug_is_shared),
		TEST(slug_broken_registry),
		TEST(slug_hostile_registry),
		TEST(resume_is_fast),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
