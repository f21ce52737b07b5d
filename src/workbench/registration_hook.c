/* A hook of ours in somebody else's settings (docs/editing.md, "Whose entry it is"). */
#include "workbench/registration.h"

/* Where one hook is: hooks.EVENT[group].hooks[index]. */
struct spot {
	struct str event;
	size_t group, index;
	size_t companions; /* hooks of the same group, itself included */
};

const char *reg_status_name(enum reg_status s)
{
	static const char *const names[] = { "unchanged", "installed", "updated", "removed",
					     "absent" };

	return names[s];
}

/* ---- whose it is ---- */

/* The first word of a shell command, without its quotes. */
static bool runs_program(struct str command, struct str program)
{
	char quote = command.n && (command.p[0] == '"' || command.p[0] == '\'') ? command.p[0] : 0;
	struct str rest = str_sub(command, quote != 0, command.n);

	if (!str_starts(rest, program))
		return false;
	rest = str_sub(rest, program.n, rest.n);
	if (quote) {
		if (rest.n == 0 || rest.p[0] != quote)
			return false;
		rest = str_sub(rest, 1, rest.n);
	}
	return rest.n == 0 || rest.p[0] == ' ';
}

static bool is_ours(const struct settings_change *c, const struct hook_reg *reg, struct str event,
		    const struct json *hook)
{
	const struct json *name = json_getz(hook, "name");
	struct str command = json_get_str(hook, "command"), recorded = { 0 };

	if (!json_is(hook, J_OBJ))
		return false;
	/* Of any kind, to be taken out; only commands are put in. */
	if (reg->hook && !str_eqz(json_str(json_getz(hook, "type"), STR("command")), "command"))
		return false;
	if (name)
		return str_eqz(json_str(name, STR("")), reg->name);
	/* The name under which we installed this command for this event. */
	for (size_t i = 0; i < c->receipt.hooks->n && !recorded.n; i++) {
		const struct json *h = json_at(c->receipt.hooks, i);

		if (str_eq(json_get_str(h, "event"), event) &&
		    str_eq(json_get_str(h, "command"), command))
			recorded = json_get_str(h, "name");
	}
	if (recorded.n)
		return str_eqz(recorded, reg->name);
	return (reg->command && str_eqz(command, reg->command)) ||
	       (reg->program && runs_program(command, str_from(reg->program)));
}

/* The last hook of ours for the event; how many there are. */
static size_t find_last(const struct settings_change *c, const struct hook_reg *reg,
			struct str event, struct spot *first, struct spot *last)
{
	const struct json *groups = json_get(json_getz(c->e.doc, "hooks"), event);
	size_t n = 0;

	for (size_t g = 0; json_is(groups, J_ARR) && g < groups->n; g++) {
		const struct json *hooks = json_getz(json_at(groups, g), "hooks");

		for (size_t h = 0; json_is(hooks, J_ARR) && h < hooks->n; h++) {
			if (!is_ours(c, reg, event, json_at(hooks, h)))
				continue;
			*last = (struct spot){ event, g, h, hooks->n };
			if (n++ == 0)
				*first = *last;
		}
	}
	return n;
}

/* ---- editing ---- */

static struct str event_path(struct settings_change *c, struct str event)
{
	return pointer_join(&c->arena, STR("/hooks"), event);
}

static struct str group_path(struct settings_change *c, const struct spot *s)
{
	return pointer_item(&c->arena, event_path(c, s->event), s->group);
}

static struct str hook_path(struct settings_change *c, const struct spot *s)
{
	struct str hooks = pointer_join(&c->arena, group_path(c, s), STR("hooks"));

	return pointer_item(&c->arena, hooks, s->index);
}

/* A group that holds nothing else goes with it. */
static int drop(struct settings_change *c, const struct spot *s, struct err *err)
{
	return json_edit_remove(&c->e, s->companions > 1 ? hook_path(c, s) : group_path(c, s), err);
}

static int append_group(struct settings_change *c, const struct hook_reg *reg, struct err *err)
{
	struct arena *a = &c->arena;
	const struct json *group = json_new_obj(a);
	const char *matcher = reg->matcher ? reg->matcher : reg->star ? "*" : NULL;
	struct str path = event_path(c, str_from(reg->event));

	if (matcher)
		group = json_set(a, group, STR("matcher"), json_new_str(a, str_from(matcher)));
	group = json_set(a, group, STR("hooks"), json_new_arr(a, &reg->hook, 1));
	settings_note_containers(c, path);
	return json_edit_append(&c->e, path, group, err);
}

/* Brings the hook up to date where it is; 0 when it had to leave its group, else 1. */
static int refresh(struct settings_change *c, const struct hook_reg *reg, const struct spot *s,
		   struct err *err)
{
	struct arena *a = &c->arena;
	struct str group = group_path(c, s), hook = hook_path(c, s);
	struct str have = json_get_str(json_pointer(c->e.doc, group), "matcher");
	struct str want = str_from(reg->matcher);

	if (str_eqz(have, "*"))
		have = STR("");
	if (!str_eq(have, str_eqz(want, "*") ? STR("") : want)) {
		struct str path = pointer_join(a, group, STR("matcher"));
		const char *matcher = reg->matcher ? reg->matcher : "*";

		if (s->companions > 1)
			return drop(c, s, err) < 0 ? -err->code : 0;
		if (json_edit_set(&c->e, path, json_new_str(a, str_from(matcher)), err) < 0)
			return -err->code;
	}
	for (size_t i = 0; i < reg->hook->n; i++) {
		const struct json_member *m = &reg->hook->members[i];

		if (json_edit_set(&c->e, pointer_join(a, hook, m->key), &m->v, err) < 0)
			return -err->code;
	}
	return 1;
}

/* ---- the receipt ---- */

/* Forgets what was noted; event "" = of all events.  True when a server came along with one. */
static bool forget(struct settings_change *c, const char *name, struct str event)
{
	bool server = false;

	for (size_t i = c->receipt.hooks->n; i-- > 0;) {
		const struct json *h = json_at(c->receipt.hooks, i);

		if (!str_eqz(json_get_str(h, "name"), name) ||
		    (event.n && !str_eq(json_get_str(h, "event"), event)))
			continue;
		server |= json_is_true(json_getz(h, "mcp"));
		c->receipt.hooks = list_drop(&c->arena, c->receipt.hooks, i);
	}
	return server;
}

static bool brings_server(const struct settings_change *c)
{
	for (size_t i = 0; i < c->receipt.hooks->n; i++)
		if (json_is_true(json_getz(json_at(c->receipt.hooks, i), "mcp")))
			return true;
	return false;
}

/* ---- install, uninstall ---- */

int hook_install(struct settings_change *c, const struct hook_reg *reg, enum reg_status *ret_status,
		 struct err *err)
{
	struct str event = str_from(reg->event);
	struct spot first = { 0 }, last = { 0 };
	size_t n = find_last(c, reg, event, &first, &last);
	bool known = n > 0;
	int r = 0;

	for (; n > 1 && r >= 0; n = find_last(c, reg, event, &first, &last))
		r = drop(c, &last, err);
	if (r >= 0 && n)
		r = refresh(c, reg, &first, err);
	if (r == 0)
		r = append_group(c, reg, err);
	if (r < 0)
		return r;
	*ret_status = !known ? REG_INSTALLED : c->e.changed ? REG_UPDATED : REG_UNCHANGED;
	if (c->e.changed || (reg->with_server && !brings_server(c))) {
		struct arena *a = &c->arena;
		const struct json *h =
			json_set(a, NULL, STR("name"), json_new_str(a, str_from(reg->name)));
		bool server = forget(c, reg->name, str_from(reg->event)) || reg->with_server;

		h = json_set(a, h, STR("event"), json_new_str(a, str_from(reg->event)));
		h = json_set(a, h, STR("command"), json_getz(reg->hook, "command"));
		if (server)
			h = json_set(a, h, STR("mcp"), json_new_bool(a, true));
		c->receipt.hooks = list_add(a, c->receipt.hooks, h);
	}
	return 0;
}

int hook_uninstall(struct settings_change *c, const struct hook_reg *reg,
		   enum reg_status *ret_status, bool *ret_server, struct err *err)
{
	const struct json *hooks = json_getz(c->e.doc, "hooks");
	struct arena *a = &c->arena;
	size_t n = json_is(hooks, J_OBJ) ? hooks->n : 0;
	struct str *events = ARENA_ARRAY(a, struct str, n + 1);
	struct spot first, last;
	bool server;

	/* The document is made anew by each change. */
	for (size_t i = 0; i < n; i++)
		events[i] = arena_str(a, hooks->members[i].key);
	for (size_t i = 0; i < n; i++) {
		if (reg->event && !str_eqz(events[i], reg->event))
			continue;
		while (find_last(c, reg, events[i], &first, &last) > 0)
			if (drop(c, &last, err) < 0)
				return -err->code;
	}
	*ret_status = c->e.changed ? REG_REMOVED : REG_ABSENT;
	server = forget(c, reg->name, str_from(reg->event));
	*ret_server = server && !brings_server(c);
	return settings_prune(c, err);
}
