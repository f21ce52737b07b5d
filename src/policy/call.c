#include "policy/call.h"

#include <unistd.h>

#include "os/fs.h"
#include "policy/shape.h"
#include "secrets/secrets.h"

enum { FILE_READ_MAX = 256 << 10, SECRET_DEPTH_MAX = 32 };

bool call_read_file(void *data, struct str path, struct arena *a, struct str *ret_text)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)data;
	if (!path.n || memchr(path.p, '\0', path.n) ||
	    fs_read(arena_z(a, path), FILE_READ_MAX, &text, NULL) < 0)
		return false;
	*ret_text = arena_str(a, buf_str(&text));
	return true;
}

bool call_read_link(void *data, struct str path, struct arena *a, struct str *ret_target)
{
	char target[4096];
	ssize_t n;

	(void)data;
	if (!path.n || memchr(path.p, '\0', path.n))
		return false;
	n = readlink(arena_z(a, path), target, sizeof target);
	if (n <= 0)
		return false;
	*ret_target = arena_str(a, (struct str){ target, (size_t)n });
	return true;
}

static void add_path(struct policy_call *call, enum effect_kind kind, struct str path)
{
	const struct effect like = {
		.kind = kind,
		.words = arena_printf(call->arena, "%s %.*s", call->subject.name, STR_ARG(path)),
	};

	if (path.n)
		effects_add_path(call->effects, &like, path, call->world.cwd);
}

/* What was there is lost; a file that was not is made. */
static enum effect_kind kind_of(struct policy_call *call, struct str path)
{
	const struct policy_subject *s = &call->subject;

	if (s->kind != TOOL_EDIT)
		return EFFECT_READ;
	if (shape_edit_kind(call->called, EFFECT_WRITE) != EFFECT_WRITE)
		return shape_edit_kind(call->called, EFFECT_WRITE);
	if (!path.n || memchr(path.p, '\0', path.n) || strcmp(s->name, "write_file") != 0)
		return EFFECT_WRITE;
	AUTO(free) char *full =
		fs_absolute(arena_z(call->arena, call->world.cwd), arena_z(call->arena, path));

	return fs_exists(full) ? EFFECT_OVERWRITE : EFFECT_WRITE;
}

static void add_paths(struct policy_call *call)
{
	const struct policy_subject *s = &call->subject;
	struct str own = s->path_arg ? json_get_str(call->input, s->path_arg) : STR("");

	if (s->command_arg ||
	    (s->kind != TOOL_EDIT && s->kind != TOOL_READ && s->kind != TOOL_SEARCH))
		return;
	for (size_t i = 0; json_at(call->paths, i); i++) {
		struct str path = json_str(json_at(call->paths, i), STR(""));

		add_path(call, kind_of(call, path), path);
	}
	if (!json_at(call->paths, 0))
		add_path(call, kind_of(call, own), own);
}

const struct effects *call_effects(struct policy_call *call)
{
	const struct policy_subject *s = &call->subject;

	if (call->effects)
		return call->effects;
	call->effects = ARENA_NEW(call->arena, struct effects);
	*call->effects = (struct effects){ .arena = call->arena, .world = &call->world };
	if (!s->name)
		return call->effects;
	if (s->command_arg) {
		struct str dir = s->path_arg ? json_get_str(call->input, s->path_arg) : STR("");

		if (dir.n && !memchr(dir.p, '\0', dir.n)) {
			AUTO(free) char *at = fs_absolute(arena_z(call->arena, call->world.cwd),
							  arena_z(call->arena, dir));

			call->world.cwd = arena_str(call->arena, str_from(at));
		}
	}
	if (s->kind == TOOL_EXECUTE)
		shape_effects(call);
	/* A command that is nowhere cannot be told. */
	if (s->command_arg && !json_getz(call->input, s->command_arg) && !call->effects->n)
		effects_add(call->effects,
			    &(struct effect){ .kind = EFFECT_OPAQUE, .words = STR("") });
	add_paths(call);
	return call->effects;
}

const struct json *call_member(struct policy_call *call, struct str pointer)
{
	struct str rest = pointer, name;
	const struct json *v;

	if (!str_starts(pointer, STR("/")))
		return NULL;
	rest = str_sub(rest, 1, rest.n);
	if (!str_split(&rest, '/', &name))
		return NULL;
	if (str_eqz(name, "tool_input"))
		v = call->input;
	else if (str_eqz(name, "tool_name") && call->subject.name)
		v = json_new_str(call->arena, str_from(call->subject.name));
	else
		v = call->member ? call->member(call->data, name) : NULL;
	return v && rest.p ? json_pointer(v, str_sub(pointer, name.n + 1, pointer.n)) : v;
}

/* ---- secrets ---- */

struct str call_around(const struct json *around, struct arena *a, struct str text, size_t *ret_at)
{
	AUTO(buf_done) struct buf all = { 0 };
	const struct json *row;

	for (size_t i = 0; (row = json_at(around, i)); i++) {
		if (!str_eq(json_str(json_at(row, 1), STR("")), text))
			continue;
		*ret_at = json_str(json_at(row, 0), STR("")).n;
		for (size_t k = 0; k < 3; k++)
			buf_adds(&all, json_str(json_at(row, k), STR("")));
		return arena_str(a, buf_str(&all));
	}
	return (struct str){ 0 };
}

static void add_names_of(struct policy_call *call, struct str text, size_t at, size_t end)
{
	const struct secret *list;
	size_t n = secrets_find_part(call->arena, text, at, end, 0, &list);

	for (size_t i = 0; i < n; i++)
		if (!call->secrets.names[list[i].format->class])
			call->secrets.names[list[i].format->class] = list[i].format->name;
}

/* By itself, without its encoding, and as the piece of a longer text: "password: " before its value. */
static void add_names(struct policy_call *call, struct str text)
{
	AUTO(buf_done) struct buf plain = { 0 };
	size_t at;
	struct str all = call_around(call->around, call->arena, text, &at);

	add_names_of(call, text, 0, text.n);
	if (secrets_plain(text, &plain))
		add_names_of(call, buf_str(&plain), 0, plain.n);
	if (all.p)
		add_names_of(call, all, at, at + text.n);
}

static void add_texts(struct policy_call *call, const struct json *v, unsigned depth)
{
	if (json_is(v, J_STR))
		add_names(call, json_str(v, STR("")));
	for (size_t i = 0; depth < SECRET_DEPTH_MAX && json_is(v, J_ARR) && i < v->n; i++)
		add_texts(call, json_at(v, i), depth + 1);
	for (size_t i = 0; depth < SECRET_DEPTH_MAX && json_is(v, J_OBJ) && i < v->n; i++)
		add_texts(call, &v->members[i].v, depth + 1);
}

const char *call_secret(struct policy_call *call, unsigned classes)
{
	/* What the event is about, not what it answers. */
	static const struct {
		const char *event;
		struct str member;
	} rows[] = {
		{ "BeforeTool", STR("/tool_input") },   { "AfterTool", STR("/tool_response") },
		{ "BeforeAgent", STR("/prompt") },      { "AfterAgent", STR("/prompt_response") },
		{ "BeforeModel", STR("/llm_request") }, { "AfterModel", STR("/llm_response") },
		{ "Notification", STR("/message") },
	};
	const struct json *v = NULL;

	for (size_t i = 0; !call->secrets.known && i < ARRAY_LEN(rows); i++)
		if (strcmp(call->event, rows[i].event) == 0)
			v = call_member(call, rows[i].member);
	call->secrets.known = true;
	add_texts(call, v, 0);
	/* In its JSON a name precedes its value: {"password": "..."}. */
	if (json_is(v, J_OBJ) || json_is(v, J_ARR))
		add_names(call, json_text(call->arena, v, JSON_COMPACT));
	for (unsigned i = 0; i < SECRET_CLASSES; i++)
		if (classes & 1u << i && call->secrets.names[i])
			return call->secrets.names[i];
	return "";
}
