/* ask_user: questions to the person at the terminal, when there is one. */
#include "base/json_pack.h"
#include "tools/files.h"
#include "tools/registry.h"

static bool check(struct tool_call *call, struct tool_result *r, const struct json *questions)
{
	for (size_t i = 0; i < questions->n; i++) {
		const struct json *q = json_at(questions, i);

		if (str_trim(json_get_str(q, "question")).n == 0) {
			tool_fail(call, r, "invalid_tool_params", "Question %zu is empty.", i + 1);
			return false;
		}
		if (str_eqz(json_str(json_getz(q, "type"), STR("choice")), "choice") &&
		    !json_getz(q, "options")) {
			tool_fail(call, r, "invalid_tool_params",
				  "Question %zu is a choice and has no 'options'.", i + 1);
			return false;
		}
	}
	return true;
}

static void ask_user(struct tool_call *call, struct tool_result *r)
{
	const struct tool_env *env = call->env;
	const struct json *questions = json_getz(call->args, "questions");
	const struct json *answers = NULL;
	struct arena *a = call->arena;
	AUTO(buf_done) struct buf list = { 0 };
	int code;

	if (!check(call, r, questions))
		return;
	if (!env->ask_user) {
		tool_fail(call, r, "unhandled_exception",
			  "Tool execution for \"%s\" requires user confirmation, which is not "
			  "supported in non-interactive mode.",
			  tool_ask_user.display_name);
		return;
	}
	code = env->ask_user(env->ask_user_data, questions, a, &answers, call->cancel);
	if (code < 0 || !json_is(answers, J_OBJ)) {
		tool_ok(call, r, STR("The user closed the questions without an answer."),
			STR("The user closed the questions without an answer."));
		return;
	}
	/* Answers are under the questions' numbers ("0"). */
	for (size_t i = 0; i < answers->n; i++) {
		const struct json_member *m = &answers->members[i];
		const struct json *v = &m->v;
		struct str header = m->key;
		int64_t number;

		if (str_to_int(m->key, &number) && number >= 0)
			header = json_str(json_getz(json_at(questions, (size_t)number), "header"),
					  m->key);
		buf_addf(&list, "%s%.*s: %.*s", i ? "\n" : "", STR_ARG(header),
			 STR_ARG(json_str(v, json_text(a, v, JSON_COMPACT))));
	}
	tool_ok(call, r, json_text(a, json_pack(a, "answers:j", answers), JSON_COMPACT),
		tool_clean(a, buf_str(&list)));
}

static const struct json *confirm(struct tool_call *call)
{
	const struct json *questions = json_getz(call->args, "questions");

	return json_pack(call->arena, "type:z title:z ?questions:j", "ask_user", "Ask User",
			 questions ? json_dup(call->arena, questions) : NULL);
}

static struct str describe(struct tool_call *call)
{
	const struct json *questions = json_getz(call->args, "questions");
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; json_is(questions, J_ARR) && i < questions->n; i++) {
		const struct json *q = json_at(questions, i);

		buf_addf(&out, "%s%.*s", i ? ", " : "", STR_ARG(json_get_str(q, "question")));
	}
	return tool_clean(call->arena, buf_str(&out));
}

const struct tool tool_ask_user = {
	.name = "ask_user",
	.display_name = "Ask User",
	.description =
		"Asks the user one to four questions and waits for the answers: to choose between "
		"options, to supply what you cannot find out, or to say yes or no. Not for "
		"permission to call a tool: that is asked for automatically.",
	.parameters =
		"{\"type\":\"object\",\"properties\":{\"questions\":{\"type\":\"array\","
		"\"minItems\":1,\"maxItems\":4,\"items\":{\"type\":\"object\",\"properties\":{"
		"\"question\":{\"type\":\"string\",\"description\":\"The whole question.\"},"
		"\"header\":{\"type\":\"string\",\"description\":\"A word or two that name "
		"it.\"},"
		"\"type\":{\"type\":\"string\",\"enum\":[\"choice\",\"text\",\"yesno\"]},"
		"\"options\":{\"type\":\"array\",\"minItems\":2,\"maxItems\":4,"
		"\"description\":\"Of a choice.\",\"items\":{\"type\":\"object\",\"properties\":{"
		"\"label\":{\"type\":\"string\",\"description\":\"One to five words.\"},"
		"\"description\":{\"type\":\"string\",\"description\":\"What it means to choose "
		"it.\"}},\"required\":[\"label\",\"description\"]}},"
		"\"multiSelect\":{\"type\":\"boolean\",\"description\":\"More than one option may "
		"be chosen.\"},"
		"\"placeholder\":{\"type\":\"string\",\"description\":\"A hint in the empty input "
		"of a text.\"}},\"required\":[\"question\",\"header\",\"type\"]}}},"
		"\"required\":[\"questions\"]}",
	.need = NEED_PERSON,
	.kind = TOOL_ASK,
	.run = ask_user,
	.confirm = confirm,
	.describe = describe,
};
