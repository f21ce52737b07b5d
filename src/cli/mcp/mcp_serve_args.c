/* trotline mcp serve: from the arguments of a call to the command that answers it. */
#include "base/meant.h"
#include "cli/mcp/mcp_serve_tools.h"

#include <math.h>

#include "os/fs.h"
#include "workbench/show.h"

/* What a call becomes; argv has room for all that tools have, and for FILES_MAX files. */
struct maker {
	struct serve_call *call;
	const struct serve_tool *tool;
	struct serve_command *to;
	size_t n; /* of to->argv */
};

enum { FILES_MAX = 32 };

static const struct serve_tool *tool_find(const char *name, struct err *err)
{
	const char *names[SERVE_ARGS_MAX];

	for (size_t i = 0; i < serve_tools_n; i++) {
		if (strcmp(serve_tools[i].name, name) == 0)
			return &serve_tools[i];
		names[i] = serve_tools[i].name;
	}
	(void)err_set(err, E_NOTFOUND, "unknown tool \"%.100s\"%s", name,
		      meant_of(str_from(name), names, serve_tools_n).text);
	return NULL;
}

static bool is_text(const struct json *v)
{
	return json_is(v, J_STR) && !memchr(v->s, '\0', v->n);
}

static bool is_texts(const struct json *v)
{
	if (!json_is(v, J_ARR) || v->n > FILES_MAX)
		return false;
	for (size_t i = 0; i < v->n; i++)
		if (!is_text(json_at(v, i)) || !json_at(v, i)->n)
			return false;
	return true;
}

static int check_param(const struct serve_tool *t, const struct serve_param *p,
		       const struct json *v, struct err *err)
{
	static const char *const wanted[] = {
		[ARG_TEXT] = "a string without NUL",
		[ARG_EVENT] = "an event",
		[ARG_OBJECT] = "an object",
		[ARG_FLAG] = "true or false",
		[ARG_MS] = "a whole number of milliseconds, at most 3600000",
		[ARG_TEXTS] = "an array of at most 32 paths",
	};
	struct tl_event_info info = TL_EVENT_INFO_INIT();
	double ms = json_num(v, 0);
	bool good = p->kind == ARG_TEXT     ? is_text(v)
		    : p->kind == ARG_EVENT  ? event_info_find(json_str(v, STR("")), &info)
		    : p->kind == ARG_OBJECT ? json_is(v, J_OBJ)
		    : p->kind == ARG_FLAG   ? json_is(v, J_BOOL)
		    : p->kind == ARG_MS ? ms >= 1 && ms <= SERVE_TIMEOUT_MAX_MS && ms == floor(ms)
					: is_texts(v);

	if (good)
		return 0;
	if (p->kind == ARG_EVENT) {
		AUTO(buf_done) struct buf names = { 0 };

		for (size_t i = 0; i < tl_event_count(); i++)
			if (tl_event_get(i, &info) == 0)
				buf_addf(&names, "%s%s", names.n ? ", " : "", info.name);
		return err_set(err, E_INVAL, "%s: \"%s\" must be one of %s", t->name, p->name,
			       buf_z(&names));
	}
	return err_set(err, E_INVAL, "%s: \"%s\" must be %s", t->name, p->name, wanted[p->kind]);
}

static int check_args(const struct serve_tool *t, const struct json *args, struct err *err)
{
	for (size_t i = 0; i < t->nparams; i++) {
		const struct serve_param *p = &t->params[i];
		const struct json *v = json_get(args, str_from(p->name));
		int r = v ? check_param(t, p, v, err) : 0;

		if (r < 0)
			return r;
		if (!v && p->required)
			return err_set(err, E_INVAL, "%s needs \"%s\"", t->name, p->name);
	}
	for (size_t i = 0; i < args->n; i++) {
		size_t k = 0;

		while (k < t->nparams && !str_eqz(args->members[i].key, t->params[k].name))
			k++;
		if (k == t->nparams) {
			struct str name = args->members[i].key;
			const char *names[SERVE_ARGS_MAX];

			for (size_t m = 0; m < t->nparams; m++)
				names[m] = t->params[m].name;
			return err_set(err, E_INVAL, "%s has no argument \"%.*s\"%s", t->name,
				       STR_ARG(str_sub(name, 0, 100)),
				       meant_of(name, names, t->nparams).text);
		}
	}
	return 0;
}

/* ---- the command ---- */

static const struct json *arg(const struct maker *m, const char *name)
{
	return json_getz(m->call->args, name);
}

static void add_word(struct maker *m, const char *word)
{
	if (m->n + 1 == SERVE_ARGS_MAX)
		BUG();
	m->to->argv[m->n++] = word;
}

/* By stdin, where nothing can be taken for an option or a file, and length does not matter. */
static int add_event(struct maker *m, struct err *err)
{
	const struct json *payload = arg(m, "payload"), *input = arg(m, "input");
	struct arena *a = &m->call->arena;
	struct str event = json_str(arg(m, "event"), STR(""));
	struct tl_event_info info;

	if (input && !(event_info_find(event, &info) && strcmp(info.subject, "tool_name") == 0))
		return err_set(err, E_INVAL, "%s: \"input\" is for tool events; %.*s has a payload",
			       m->tool->name, STR_ARG(event));
	if (input)
		payload = json_set(a, payload, STR("tool_input"), input);
	if (payload) {
		add_word(m, "--payload=-");
		m->to->input = json_text(a, payload, JSON_COMPACT);
	}
	add_word(m, "--");
	add_word(m, arena_z(a, event));
	return 0;
}

/* What is said of a file that is none of settings would show pieces of it. */
static int add_files(struct maker *m, struct err *err)
{
	const struct json *files = arg(m, "files");

	for (size_t i = 0; files && i < files->n; i++) {
		struct str name = json_str(json_at(files, i), STR(""));

		if (!str_ends(name, STR(".json")))
			return err_set(err, E_INVAL, "%s: %.*s: settings files are called *.json",
				       m->tool->name, STR_ARG(str_sub(name, 0, 200)));
		if (i == 0)
			add_word(m, "--");
		add_word(m, arena_z(&m->call->arena, name));
	}
	return 0;
}

int serve_command_make(struct serve_call *c, struct serve_command *ret_command, struct err *err)
{
	struct serve_command made = { .timeout_ms = SERVE_TIMEOUT_MS };
	struct maker m = { .call = c, .to = &made, .tool = tool_find(c->tool, err) };
	int r;

	if (!m.tool)
		return -E_NOTFOUND;
	r = check_args(m.tool, c->args, err);
	if (r < 0)
		return r;
	if (arg(&m, "dir")) {
		made.dir = arena_z(&c->arena, json_str(arg(&m, "dir"), STR("")));
		if (made.dir[0] != '/')
			return err_set(err, E_INVAL, "%s: \"dir\" must be an absolute path",
				       m.tool->name);
		if (!fs_is_dir(made.dir))
			return err_set(err, E_INVAL, "%.200s: no such directory", made.dir);
	}
	made.row = command_find(hooks_commands, hooks_commands_n, m.tool->command);
	made.timeout_ms = json_int(arg(&m, "timeout_ms"), SERVE_TIMEOUT_MS);
	for (size_t i = 0; i < m.tool->nparams; i++) {
		const struct serve_param *p = &m.tool->params[i];
		const struct json *v = arg(&m, p->name);

		if (!v || !p->option)
			continue;
		if (p->kind == ARG_TEXT)
			add_word(&m, arena_printf(&m.call->arena, "%s%.*s", p->option,
						  STR_ARG(json_str(v, STR(""))))
					     .p);
		else if (json_is_true(v))
			add_word(&m, p->option);
	}
	r = add_files(&m, err);
	if (r >= 0 && arg(&m, "event"))
		r = add_event(&m, err);
	if (r < 0)
		return r;
	made.argc = (int)m.n;
	*ret_command = made;
	return 0;
}
