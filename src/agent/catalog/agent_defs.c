/*
 * The sub-agents that there are: built-in ones, and those of extensions, of the user and of the
 * project, of which later ones override earlier ones by name; a project's override none.  What an
 * agent does is judged by the hooks and the policy of the session, whatever its file says.
 */
#include "agent/catalog/agent_defs.h"

#include "agent/catalog/front_hooks.h"
#include "agent/catalog/front_matter.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"
#include "policy/policy.h"
#include "trotline.h"

enum {
	ENTRIES_MAX = 5000,
	DEPTH_MAX = 8,
	NAME_MAX_CHARS = 64,
	TURNS_MAX = 1000,
	MINUTES_MAX = 24 * 60
};

#define READING                                                                                    \
	((const char *const[]){ "glob", "grep_search", "list_directory", "read_file",              \
				"read_many_files", NULL })

static const struct agent_def built_in[] = {
	{ .name = "cli_help",
	  .description = "Answers questions about this program: its commands, settings, hooks, "
			 "tools and files.",
	  .body = STR(
		  "You answer questions about trotline, the program you run in: an agent for the "
		  "terminal whose every step hooks can watch, change and stop. Its settings are "
		  ".gemini/settings.json in the project and in the home directory, with hooks "
		  "under \"hooks\". \"trotline --help\" lists its commands, /help those of a "
		  "session; \"trotline hooks --help\" covers hooks, \"man trotline\" everything. "
		  "Look into the files of the project where that answers the question. Say "
		  "plainly what you do not know."),
	  .tools = READING,
	  .temperature = -1,
	  .max_turns = 10,
	  .max_minutes = AGENT_MINUTES },
	{ .name = "codebase_investigator",
	  .description = "Finds out how a code base works: where things are, what depends on what, "
			 "why something fails, what a change would affect. Read-only.",
	  .body = STR("You find out how code works. Search and read until you can answer with "
		      "certainty, and follow calls and data to their end. Do not guess, and do not "
		      "propose what was not asked for. Report what you found, in which files and "
		      "lines, what it means for the question, and what remains open."),
	  .tools = READING,
	  .temperature = -1,
	  .max_turns = AGENT_TURNS,
	  .max_minutes = AGENT_MINUTES },
	{ .name = "generalist",
	  .description = "Does any piece of work with the tools you have, and returns only the "
			 "result: for work with many steps or much output.",
	  .body = STR("You do one piece of work for another agent, with the tools that you have, "
		      "and report the result: what was done, which files were changed, what was "
		      "tested, what is left."),
	  .temperature = -1,
	  .max_turns = AGENT_TURNS,
	  .max_minutes = AGENT_MINUTES },
};

/* ---- one file ---- */

enum field {
	F_DISPLAY,
	F_HOOKS,
	F_KIND,
	F_MINUTES,
	F_MODEL,
	F_TEMPERATURE,
	F_TOOLS,
	F_TURNS,
	FIELDS
};

static const char *const field_names[FIELDS] = {
	[F_DISPLAY] = "display_name",    [F_HOOKS] = "hooks",     [F_KIND] = "kind",
	[F_MINUTES] = "timeout_mins",    [F_MODEL] = "model",     [F_TOOLS] = "tools",
	[F_TEMPERATURE] = "temperature", [F_TURNS] = "max_turns",
};

static int bad(struct err *err, enum field f, const char *why)
{
	return err_set_at(err, E_PARSE, "", 1, 1, "\"%s\" %s", field_names[f], why);
}

static int take_number(const struct json *v, enum field f, int max, int *ret, struct err *err)
{
	int64_t n;

	if (!v || json_is(v, J_NULL))
		return 0;
	if (!str_to_int(json_str(v, STR("")), &n) || n < 1 || n > max)
		return bad(err, f, "must be a whole number from 1");
	*ret = (int)n;
	return 0;
}

static int take_fields(struct arena *a, const struct front_field *fields, struct agent_def *def,
		       struct err *err)
{
	struct str kind = json_str(fields[F_KIND].value, STR(""));
	struct str model = json_str(fields[F_MODEL].value, STR(""));
	struct str heat = json_str(fields[F_TEMPERATURE].value, STR(""));
	const struct json *number = NULL, *tools = fields[F_TOOLS].value;
	const char **list;

	for (int f = 0; f < FIELDS; f++)
		if (f != F_TOOLS && json_is(fields[f].value, J_ARR))
			return bad(err, (enum field)f, "must be a text, not a list");
	if (kind.n && !str_eqz(kind, "local"))
		return bad(err, F_KIND, "can only be \"local\"");
	if (model.n && !str_eqz(model, "inherit"))
		def->model = arena_z(a, model);
	if (heat.n && (json_parse(a, heat, 0, &number, NULL) < 0 || !json_is(number, J_NUM) ||
		       json_num(number, -1) < 0 || json_num(number, -1) > 2))
		return bad(err, F_TEMPERATURE, "must be a number from 0 to 2");
	def->temperature = json_num(number, -1);
	if (take_number(fields[F_TURNS].value, F_TURNS, TURNS_MAX, &def->max_turns, err) < 0 ||
	    take_number(fields[F_MINUTES].value, F_MINUTES, MINUTES_MAX, &def->max_minutes, err) <
		    0)
		return -E_PARSE;
	if (!tools || json_is(tools, J_NULL))
		return 0;
	if (!json_is(tools, J_ARR))
		return bad(err, F_TOOLS, "must be a list");
	list = ARENA_ARRAY(a, const char *, tools->n + 1);
	for (size_t i = 0; i < tools->n; i++) {
		struct str name = json_str(json_at(tools, i), STR(""));

		if (!name.n)
			return bad(err, F_TOOLS, "has an entry that is not a name");
		list[i] = arena_z(a, name);
	}
	def->tools = list;
	return 0;
}

int agent_read(struct arena *a, struct str text, struct agent_def *ret_def, struct err *err)
{
	static const char name_chars[] = "abcdefghijklmnopqrstuvwxyz0123456789-_";
	struct agent_def def = { .max_turns = AGENT_TURNS, .max_minutes = AGENT_MINUTES };
	struct front_field fields[FIELDS] = { 0 };
	struct front_matter front;
	int r;

	for (int f = 0; f < FIELDS; f++)
		fields[f].name = field_names[f];
	fields[F_HOOKS].passed_over = true;
	r = front_read(a, text, &front, fields, FIELDS, err);
	if (r < 0)
		return r;
	def.name = arena_z(a, front.name);
	if (front.name.n > NAME_MAX_CHARS || def.name[strspn(def.name, name_chars)])
		return err_set_at(err, E_PARSE, "", 1, 1,
				  "the name may have small letters, digits, - and _, %d at most",
				  NAME_MAX_CHARS);
	if (!front.body.n)
		return err_set_at(err, E_PARSE, "", 1, 1,
				  "the front matter is not followed by an instruction");
	def.description = arena_z(a, utf8_prefix(front.description, AGENT_DESCRIPTION_MAX));
	def.body = front.body;
	r = take_fields(a, fields, &def, err);
	if (r == 0)
		*ret_def = def;
	return r;
}

/* ---- one file of Claude Code ---- */

/* "Read, Bash(git:*)" or a list, in Claude's words; "*" is what the session has. */
static const char *const *claude_tools(struct arena *a, const struct json *v)
{
	struct str all = json_str(v, STR(""));
	size_t n = 0, max = json_is(v, J_ARR) ? v->n : 1;
	const char **list;

	for (size_t i = 0; i < all.n; i++)
		max += all.p[i] == ',';
	list = ARENA_ARRAY(a, const char *, 2 * max + 1);
	for (size_t i = 0; json_is(v, J_ARR) ? i < v->n : all.p != NULL; i++) {
		struct str word = json_is(v, J_ARR) ? json_str(json_at(v, i), STR("")) : all;
		ptrdiff_t end = str_chr(word, '(', 0);
		const char *name, *ours;

		if (!json_is(v, J_ARR) && !str_split(&all, ',', &word))
			break;
		end = str_chr(word, '(', 0);
		word = str_trim(str_sub(word, 0, end < 0 ? word.n : (size_t)end));
		if (!word.n)
			continue;
		if (str_eqz(word, "*"))
			return NULL;
		name = arena_z(a, word);
		ours = tl_tool_called(name);
		list[n++] = ours ? ours : name;
		/* Claude has one for what are two here. */
		if (ours && strcmp(ours, "read_file") == 0)
			list[n++] = "read_many_files";
	}
	return list;
}

/* "External Reviewer (Codex)" is external-reviewer-codex: Claude Code takes any name. */
static const char *claude_name(struct arena *a, struct str name)
{
	char *out = arena_z(a, name);
	size_t n = 0;

	for (size_t i = 0; i < name.n; i++) {
		char c = char_lower(name.p[i]);

		if (char_is_word(c) || c == '-')
			out[n++] = c;
		else if (n && out[n - 1] != '-')
			out[n++] = '-';
	}
	while (n && out[n - 1] == '-')
		n--;
	out[n] = '\0';
	return out;
}

/* An agent of Claude Code: its tools and models, what else it says is passed over. */
static int agent_read_claude(struct arena *a, struct str text, struct agent_def *ret_def,
			     struct err *err)
{
	/* Models of Claude's have no counterpart: the session's is taken. */
	static const char *const models[] = { "inherit", "default", "sonnet",   "opus",
					      "haiku",   "fable",   "opusplan", "best" };
	struct agent_def def = { .temperature = -1,
				 .max_turns = AGENT_TURNS,
				 .max_minutes = AGENT_MINUTES };
	struct front_field fields[] = { { "tools", NULL },
					{ "model", NULL },
					{ "maxTurns", NULL } };
	struct front_matter front;
	struct str model;
	int64_t turns;

	if (front_read_claude(a, text, &front, fields, ARRAY_LEN(fields), err) < 0)
		return -E_PARSE;
	if (!front.name.n || !front.description.n || !front.body.n)
		return err_set_at(err, E_PARSE, "", 1, 1,
				  "an agent needs a name, a description and an instruction");
	def.name = claude_name(a, front.name);
	if (!*def.name || strlen(def.name) > NAME_MAX_CHARS)
		return err_set_at(err, E_PARSE, "", 1, 1,
				  "the name needs letters or digits, %d at most", NAME_MAX_CHARS);
	def.description = arena_z(a, utf8_prefix(front.description, AGENT_DESCRIPTION_MAX));
	def.body = front.body;
	if (fields[0].value && !json_is(fields[0].value, J_NULL))
		def.tools = claude_tools(a, fields[0].value);
	model = json_str(fields[1].value, STR(""));
	if (model.n && !WORD_IN(model, models) && !str_starts(model, STR("claude")) &&
	    str_chr(model, '[', 0) < 0)
		def.model = arena_z(a, model);
	if (str_to_int(json_str(fields[2].value, STR("")), &turns) && turns > 0 &&
	    turns <= TURNS_MAX)
		def.max_turns = (int)turns;
	*ret_def = def;
	return 0;
}

/* ---- all of them ---- */

struct reader {
	struct catalog c;
	struct {
		struct agent_def *p;
		size_t n, cap;
	} list;
	const char
		*kept_out; /* what is said of the first that may not replace another; NULL = none */
	struct buf also; /* the names of the others */
};

/* One agent in two places, as installers leave it: no conflict. */
static bool are_one(const char *file, const char *other)
{
	AUTO(buf_done) struct buf a = { 0 }, b = { 0 };

	return fs_read(file, AGENT_FILE_MAX, &a, NULL) == 0 &&
	       fs_read(other, AGENT_FILE_MAX, &b, NULL) == 0 && str_eq(buf_str(&a), buf_str(&b));
}

static void add(struct reader *r, const struct agent_def *def)
{
	/* What is said of them, and the rules about them, must stay true. */
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++)
		if (strcmp(built_in[i].name, def->name) == 0) {
			catalog_refuse(&r->c, "%s: %s is the name of a built-in agent", def->file,
				       def->name);
			return;
		}
	for (size_t i = 0; i < r->list.n; i++) {
		struct agent_def *old = &r->list.p[i];

		if (strcmp(old->name, def->name) != 0)
			continue;
		if (strcmp(old->file, def->file) == 0 ||
		    (old->origin == CATALOG_USER && are_one(old->file, def->file)))
			return;
		/* The user's rules about a name are meant for what the user knows by it. */
		if (def->origin == CATALOG_PROJECT && old->origin != CATALOG_PROJECT) {
			if (r->kept_out)
				buf_addf(&r->also, "%s%s", r->also.n ? ", " : "", def->name);
			else
				r->kept_out = arena_printf(r->c.a,
							   "%s: a project does not replace the "
							   "agent %s of %s",
							   def->file, def->name, old->file)
						      .p;
			return;
		}
		catalog_overrides(&r->c, def->name, def->file, old->file);
		*old = *def;
		return;
	}
	*VEC_ADD(&r->list) = *def;
}

static void read_file(struct reader *r, const struct catalog_dir *at, const char *path)
{
	const char *file = catalog_real(&r->c, at->fence, path);
	struct arena *a = r->c.a;
	struct agent_def def;
	struct str text;
	struct err err;
	int k;

	if (!file || !catalog_text(&r->c, file, AGENT_FILE_MAX, &text))
		return;
	k = (at->claude ? agent_read_claude : agent_read)(a, catalog_owners_text(a, at, text), &def,
							  &err);
	k = k < 0 ? k : front_hooks_read(a, text, &def.hooks, &err);
	if (k < 0) {
		catalog_refuse_file(&r->c, file, err.text);
		return;
	}
	if (at->plugin) {
		/* Of a plugin's own server: "mcp__plugin_PLUGIN_SERVER__TOOL" is the SERVER's. */
		const char *const *tools = def.tools;

		struct str before = arena_printf(a, "mcp__plugin_%s_", at->plugin->name);
		const char **out;
		size_t n = 0;

		while (tools && tools[n])
			n++;
		out = ARENA_ARRAY(a, const char *, n + 1);
		for (size_t i = 0; i < n; i++)
			out[i] = str_starts(str_from(tools[i]), before)
					 ? arena_printf(a, "mcp__%s", tools[i] + before.n).p
					 : tools[i];
		def.tools = tools ? out : NULL;
	}
	def.name = catalog_plugins_name(a, at->plugin, def.name);
	def.origin = at->origin;
	def.extension = at->extension;
	def.file = file;
	add(r, &def);
}

static void read_dir(struct reader *r, const struct catalog_dir *at, const char *dir, int depth)
{
	const char *const *names;
	size_t n;

	if (at->is_file) {
		read_file(r, at, at->dir);
		return;
	}
	n = catalog_list(&r->c, dir, ENTRIES_MAX, &names);
	for (size_t i = 0; i < n; i++) {
		AUTO(free) char *path = fs_join(dir, names[i]);
		AUTO(free) char *real = fs_is_dir(path) ? fs_real(path) : NULL;

		/* Claude Code's may be sorted into directories, which mean nothing. */
		if (at->claude && depth < DEPTH_MAX && real && strcmp(real, path) == 0)
			read_dir(r, at, path, depth + 1);
		if (names[i][0] == '_' || !str_ends(str_from(names[i]), STR(".md")) ||
		    !fs_exists(path))
			continue;
		if (r->list.n >= AGENTS_MAX) {
			catalog_refuse(&r->c, "%s and all that follow: the limit is %d", path,
				       AGENTS_MAX);
			return;
		}
		read_file(r, at, path);
	}
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct agent_def *)a)->name, ((const struct agent_def *)b)->name);
}

struct agents *agents_read(struct arena *a, const struct catalog_options *o)
{
	const struct json *overrides = json_pointer(o->settings, STR("/agents/overrides"));
	struct reader r = { .c = { a, &o->notes, "agent" } };
	struct agents *all = ARENA_NEW(a, struct agents);
	const struct catalog_dir *dirs;
	size_t n;

	if (json_is_false(json_pointer(o->settings, STR("/experimental/enableAgents"))))
		return NULL;
	n = catalog_dirs(&r.c, o, PLACE_AGENTS, &dirs);
	for (size_t i = 0; i < n; i++)
		read_dir(&r, &dirs[i], dirs[i].dir, 0);
	catalog_say_refused(&r.c);
	if (r.kept_out)
		catalog_refuse(&r.c, "%s%s%s", r.kept_out, r.also.n ? "; nor " : "",
			       buf_z(&r.also));
	buf_done(&r.also);
	for (size_t i = 0; i < ARRAY_LEN(built_in); i++)
		*VEC_ADD(&r.list) = built_in[i];
	all->p = ARENA_ARRAY(a, struct agent_def, r.list.n);
	for (size_t i = 0; i < r.list.n; i++) {
		struct agent_def *def = &r.list.p[i];
		const struct json *own = json_get(overrides, str_from(def->name));
		const struct json *run = json_getz(own, "runConfig");
		double turns = json_num(json_getz(run, "maxTurns"), def->max_turns);
		double minutes = json_num(json_getz(run, "maxTimeMinutes"), def->max_minutes);
		struct str model = json_str(json_pointer(own, STR("/modelConfig/model")), STR(""));

		if (turns >= 1 && turns <= TURNS_MAX)
			def->max_turns = (int)turns;
		if (minutes >= 1 && minutes <= MINUTES_MAX)
			def->max_minutes = (int)minutes;
		if (model.n && !memchr(model.p, '\0', model.n))
			def->model = arena_z(a, model);
		if (!json_is_false(json_getz(own, "enabled")))
			all->p[all->n++] = *def;
	}
	free(r.list.p);
	qsort(all->p, all->n, sizeof *all->p, by_name);
	return all;
}

/* ---- looking ---- */

const struct agent_def *agent_find(const struct agents *all, struct str name)
{
	const struct agent_def *bare = NULL;
	size_t n = 0;

	for (size_t i = 0; all && i < all->n; i++) {
		if (str_eqz(name, all->p[i].name))
			return &all->p[i];
		if (str_eq(name, catalog_bare_name(all->p[i].name))) {
			bare = &all->p[i];
			n++;
		}
	}
	return n == 1 ? bare : NULL;
}

bool agent_may_use(const struct agent_def *def, const struct tool *t)
{
	/* Agents start no agents, ask nothing and change no mode; the topic is the session's. */
	static const char *const never[] = { "ask_user", "enter_plan_mode", "exit_plan_mode",
					     "invoke_agent", "update_topic" };
	bool any = !def->tools;

	if (WORD_IN(str_from(t->name), never))
		return false;
	for (const char *const *p = def->tools; !any && *p; p++)
		any = policy_name_fits(*p, tool_subject(t));
	return any;
}
