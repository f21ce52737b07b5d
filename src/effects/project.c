#include "effects/project.h"

#include "base/json.h"
#include "base/words.h"
#include "effects/links.h"

/* ---- loading ---- */

/* What no file that is loaded may do, whatever a call asks for. */
static bool is_grave(const struct effect *e)
{
	const unsigned far = PLACE_HOME_WHOLE | PLACE_ROOT | PLACE_SYSTEM | PLACE_PROJECT_WHOLE |
			     PLACE_DEVICE | PLACE_STARTUP | PLACE_AGENT;
	const struct {
		enum effect_kind kind;
		unsigned places; /* one of these; 0 = any */
		bool tree; /* or a known directory outside */
	} rows[] = {
		{ EFFECT_DELETE, far, true },
		{ EFFECT_OVERWRITE, far },
		{ EFFECT_MOVE, far, true },
		{ EFFECT_PERMISSIONS, far, true },
		{ EFFECT_PERSIST, far },
		{ EFFECT_GUARD_OFF, far },
		{ EFFECT_SEND, PLACE_SECRET },
		{ EFFECT_DEVICE, PLACE_DEVICE },
		{ EFFECT_RUN_FETCHED },
		{ EFFECT_EXHAUST },
		{ EFFECT_ATTACK },
		{ EFFECT_SHUTDOWN },
		{ EFFECT_UNJUDGED },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].kind == e->kind)
			return !rows[i].places || (e->places & rows[i].places) ||
			       (rows[i].tree && e->recursive && (e->places & PLACE_OUTSIDE) &&
				!(e->places & PLACE_UNKNOWN));
	return false;
}

void project_keep(struct run *r, size_t from, bool opaque)
{
	struct effects *e = r->e;
	size_t kept = from;

	for (size_t i = from; i < e->n; i++)
		if (is_grave(&e->p[i])) {
			opaque |= e->p[i].kind == EFFECT_UNJUDGED;
			e->p[kept++] = e->p[i];
		}
	e->n = kept;
	e->opaque = opaque;
}

bool project_is_new(struct run *r, struct str path)
{
	struct effects_state *s = r->e->state;
	struct str whole = joined(r, path);

	if (binding_find(s->loaded, whole) || s->nloaded >= LOADED_MAX)
		return false;
	s->nloaded++;
	binding_set(r, &s->loaded, whole, STR(""));
	return true;
}

bool project_load(struct run *r, const struct call *c, enum code_language lang, struct str path)
{
	struct run inner = *r;
	struct str text, was = r->e->state->dir;
	size_t from = r->e->n;
	bool opaque = r->e->opaque;

	path = links_normal(r->a, joined(r, path));
	if (!value_known(path) || !file_read(r, path, &text))
		return false;
	if (!project_is_new(r, path) || (text.n && memchr(text.p, '\0', min_size(text.n, 512))))
		return true;
	inner.out = NULL;
	inner.has_in = false;
	inner.args = STR("");
	r->e->state->dir = directory_of(joined(r, path));
	if (lang == CODE_OTHER)
		project_literals(&inner, c, text);
	else
		call_code(&inner, c, lang, text);
	r->e->state->dir = was;
	project_keep(r, from, opaque);
	return true;
}

static struct str in_dir(struct run *r, struct str dir, struct str name)
{
	return dir.n ? arena_printf(r->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name)) : name;
}

bool project_load_first(struct run *r, const struct call *c, enum code_language lang,
			struct str dir, const char *names)
{
	struct str name;

	for (struct str rest = str_from(names); str_split(&rest, ' ', &name);)
		if (project_load(r, c, lang, in_dir(r, dir, name)))
			return true;
	return false;
}

/* ---- modules ---- */

static bool run_first(struct run *r, const struct call *c, enum code_language lang, struct str base,
		      const char *ends)
{
	struct str end, path, text;

	for (struct str rest = str_from(ends); str_split(&rest, ' ', &end);) {
		path = links_normal(r->a, joined(r, arena_printf(r->a, "%.*s%.*s", STR_ARG(base),
								 STR_ARG(end))));
		if (file_read(r, path, &text)) {
			call_script(r, c, lang, path);
			return true;
		}
	}
	return false;
}

/* "main" of package.json */
static struct str main_of(struct run *r, struct str dir)
{
	struct str text;
	const struct json *doc;
	struct err err = { 0 };

	if (!file_read(r, in_dir(r, dir, STR("package.json")), &text) ||
	    json_parse(r->a, text, 0, &doc, &err) < 0)
		return STR("");
	return json_get_str(doc, "main");
}

bool project_module(struct run *r, const struct call *c, enum code_language lang, struct str name)
{
	if (!name.n || !value_known(name))
		return false;
	if (lang == CODE_PYTHON) { /* pkg.part or a directory */
		char *p = arena_z(r->a, name);

		for (size_t i = 0; str_chr(name, '/', 0) < 0 && i < name.n; i++)
			p[i] = p[i] == '.' ? '/' : p[i];
		return run_first(r, c, lang, (struct str){ p, name.n }, ".py /__main__.py");
	}
	while (name.n > 1 && str_ends(name, STR("/")))
		name.n--;
	if (run_first(r, c, lang, name, ".js .mjs .cjs .ts"))
		return true;
	if (main_of(r, name).n) {
		struct str text,
			path = links_normal(r->a, joined(r, in_dir(r, name, main_of(r, name))));

		if (file_read(r, path, &text)) {
			call_script(r, c, lang, path);
			return true;
		}
		if (run_first(r, c, lang, path, ".js /index.js"))
			return true;
	}
	return run_first(r, c, lang, name, "/index.js /index.mjs /index.cjs /index.ts");
}

/* ---- Taskfile.yml: the commands of a task, behind those that it depends on ---- */

static size_t indent_of(struct str line)
{
	size_t n = 0;

	while (n < line.n && line.p[n] == ' ')
		n++;
	return n;
}

static bool is_blank(struct str line)
{
	line = str_trim(line);
	return !line.n || line.p[0] == '#';
}

static struct str unquoted(struct str s)
{
	s = str_trim(s);
	if (s.n > 1 && strchr("'\"", s.p[0]) && s.p[s.n - 1] == s.p[0])
		return str_sub(s, 1, s.n - 1);
	return s;
}

/* The value of "key: value" or "- key: value". */
static bool yaml_value(struct str line, const char *key, struct str *ret)
{
	line = str_trim(line);
	while (str_starts(line, STR("- ")))
		line = str_trim(str_sub(line, 2, line.n));
	if (!str_starts(line, str_from(key)) || line.n <= strlen(key) || line.p[strlen(key)] != ':')
		return false;
	*ret = unquoted(str_sub(line, strlen(key) + 1, line.n));
	return true;
}

/* What follows "|" or ">": all lines that are further in. */
static struct str yaml_block(struct str rest, size_t indent)
{
	struct str all = rest, line;
	size_t n = 0;

	while (rest.p && str_split(&rest, '\n', &line)) {
		if (!is_blank(line) && indent_of(line) <= indent)
			break;
		n = rest.p ? (size_t)(rest.p - all.p) : all.n;
	}
	return str_sub(all, 0, n);
}

static void yaml_command(struct run *r, const struct call *c, struct str value, struct str rest,
			 size_t indent)
{
	if (str_starts(value, STR("|")) || str_starts(value, STR(">")))
		value = yaml_block(rest, indent);
	if (value.n)
		call_shell(r, c, value);
}

enum { TASKS_MAX = 16 };

static void yaml_task(struct run *r, const struct call *c, struct str text, struct str task,
		      unsigned depth);

static void yaml_task_line(struct run *r, const struct call *c, struct str text, struct str line,
			   struct str rest, unsigned depth)
{
	static const char *const commands[] = { "cmd", "sh", "cmds", "defer", "run" };
	struct str value, one, plain = str_trim(line);

	if (yaml_value(line, "task", &value)) {
		yaml_task(r, c, text, value, depth + 1);
		return;
	}
	if (yaml_value(line, "deps", &value)) {
		value = str_starts(value, STR("[")) ? str_sub(value, 1, value.n - 1) : value;
		for (struct str list = value; value.n && str_split(&list, ',', &one);)
			yaml_task(r, c, text, unquoted(one), depth + 1);
		return;
	}
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		if (yaml_value(line, commands[i], &value)) {
			yaml_command(r, c, value, rest, indent_of(line));
			return;
		}
	if (str_starts(plain, STR("- ")))
		yaml_command(r, c, unquoted(str_sub(plain, 2, plain.n)), rest, indent_of(line));
}

static void yaml_task(struct run *r, const struct call *c, struct str text, struct str task,
		      unsigned depth)
{
	struct str line, rest = text;
	size_t indent = 0;
	bool tasks = false, found = false;

	if (depth >= TASKS_MAX) {
		effects_unjudged(r->e, STR("(tasks in tasks)"));
		return;
	}
	while (rest.p && str_split(&rest, '\n', &line) && run_spend(r, 1)) {
		struct str name = str_trim(line), value;

		if (is_blank(line))
			continue;
		if (!indent_of(line)) {
			tasks = str_starts(name, STR("tasks:"));
			found = false;
			continue;
		}
		if (tasks && (!indent || indent_of(line) == indent)) {
			ptrdiff_t colon = str_find(name, STR(": "), 0);

			indent = indent_of(line);
			found = false;
			if (colon > 0 && str_eq(unquoted(str_sub(name, 0, (size_t)colon)), task)) {
				value = unquoted(str_sub(name, (size_t)colon + 1, name.n));
				yaml_command(r, c, value, rest, indent);
			} else if (str_ends(name, STR(":"))) {
				found = str_eq(unquoted(str_sub(name, 0, name.n - 1)), task);
			}
			continue;
		}
		if (found)
			yaml_task_line(r, c, text, line, rest, depth);
	}
}

void project_yaml_task(struct run *r, const struct call *c, struct str text, struct str task)
{
	yaml_task(r, c, text, task.n ? task : STR("default"), 0);
}

/* ---- compose.yaml: commands where a part of the host is mounted ---- */

enum { VOLUMES_MAX = 16 };

static struct str home_in(struct run *r, struct str s)
{
	static const char *const homes[] = { "${HOME}", "$HOME", "~" };

	for (size_t i = 0; i < ARRAY_LEN(homes); i++)
		if (str_starts(s, str_from(homes[i])))
			return arena_printf(r->a, "%.*s%.*s", STR_ARG(r->e->world->home),
					    STR_ARG(str_sub(s, strlen(homes[i]), s.n)));
	return s;
}

/* As `docker run -v FROM:TO image COMMAND` would. */
static void compose_command(struct run *r, const struct fields *mounts, struct str value,
			    struct str block)
{
	static const char *const start[] = { "docker", "run" };
	struct fields words = { 0 };
	const struct json *list;
	struct err err = { 0 };
	size_t from = r->e->n;

	for (size_t i = 0; i < ARRAY_LEN(start); i++)
		field_add(r, &words, str_from(start[i]));
	for (size_t i = 0; i < min_size(mounts->n, VOLUMES_MAX); i++) {
		field_add(r, &words, STR("-v"));
		field_add(r, &words, mounts->p[i]);
	}
	field_add(r, &words, STR("image"));
	if (str_starts(value, STR("[")) && json_parse(r->a, value, 0, &list, &err) >= 0) {
		for (size_t i = 0; json_at(list, i); i++)
			field_add(r, &words, json_str(json_at(list, i), STR("")));
	} else {
		field_add(r, &words, STR("sh"));
		field_add(r, &words, STR("-c"));
		field_add(r, &words,
			  str_starts(value, STR("|")) || str_starts(value, STR(">")) ? block
										     : value);
	}
	run_call(r, words.p, words.n);
	/* What it does in the container is no matter of this machine. */
	for (size_t i = from; i < r->e->n; i++)
		if (!r->e->p[i].remote)
			r->e->p[from++] = r->e->p[i];
	r->e->n = from;
}

void project_compose(struct run *r, const struct call *c, struct str text)
{
	static const char *const runs[] = { "command", "entrypoint" };
	struct str line, value, source = { 0 }, rest = text;
	struct fields mounts = { 0 };
	bool volumes = false;

	(void)c;
	while (rest.p && str_split(&rest, '\n', &line) && run_spend(r, 1)) {
		struct str item = str_trim(line);

		if (yaml_value(line, "source", &value))
			source = value;
		else if (yaml_value(line, "target", &value) && source.n)
			field_add(r, &mounts,
				  arena_printf(r->a, "%.*s:%.*s", STR_ARG(source), STR_ARG(value)));
		else if (volumes && str_starts(item, STR("-")))
			field_add(r, &mounts, home_in(r, unquoted(str_sub(item, 1, item.n))));
		else if (!is_blank(line))
			volumes = yaml_value(line, "volumes", &value);
	}
	for (rest = text; mounts.n && rest.p && str_split(&rest, '\n', &line) && run_spend(r, 1);)
		for (size_t i = 0; i < ARRAY_LEN(runs); i++)
			if (yaml_value(line, runs[i], &value))
				compose_command(r, &mounts, value,
						yaml_block(rest, indent_of(line)));
}

/* ---- tox.ini: what follows "commands" ---- */

void project_ini(struct run *r, const struct call *c, struct str text)
{
	struct str line, rest = text;
	bool commands = false;

	while (rest.p && str_split(&rest, '\n', &line) && run_spend(r, 1)) {
		ptrdiff_t eq = str_chr(line, '=', 0);

		if (is_blank(line))
			continue;
		if (line.p[0] != ' ' && line.p[0] != '\t') {
			commands = str_starts(line, STR("commands")) && eq > 0;
			line = commands ? str_sub(line, (size_t)eq + 1, line.n) : STR("");
		}
		line = str_trim(line);
		if (str_starts(line, STR("- ")))
			line = str_sub(line, 2, line.n);
		if (commands && line.n)
			call_shell(r, c, line);
	}
}

/* ---- build.ninja: the commands of rules, with outputs as files of the project ---- */

void project_ninja(struct run *r, const struct call *c, struct str text)
{
	struct str line, rest = text;

	while (rest.p && str_split(&rest, '\n', &line) && run_spend(r, 1)) {
		AUTO(buf_done) struct buf out = { 0 };
		ptrdiff_t eq = str_chr(line, '=', 0);

		line = str_trim(line);
		if (!str_starts(line, STR("command")) || (eq = str_chr(line, '=', 0)) < 0)
			continue;
		line = str_trim(str_sub(line, (size_t)eq + 1, line.n));
		for (size_t i = 0; i < line.n; i++)
			if (line.p[i] != '$' || i + 1 == line.n)
				buf_addc(&out, line.p[i]);
			else if (strchr("$ :", line.p[i + 1]))
				buf_addc(&out, line.p[++i]);
			else
				buf_addz(&out, line.p[i + 1] == '{' ? "" : "_");
		call_shell(r, c, arena_str(r->a, buf_str(&out)));
	}
}

/* ---- CMake: programs that a script starts, files that it removes ---- */

/* Its words: variables of CMake name places of the project. */
static struct str cmake_word(struct run *r, struct str w)
{
	AUTO(buf_done) struct buf out = { 0 };

	w = unquoted(w);
	for (size_t i = 0; i < w.n; i++) {
		ptrdiff_t end = w.p[i] == '$' ? str_chr(w, '}', i) : -1;

		if (end < 0)
			buf_addc(&out, w.p[i]);
		else if (str_starts(str_sub(w, i, w.n), STR("$ENV{HOME}")))
			buf_adds(&out, r->e->world->home);
		else
			buf_addc(&out, '.');
		i = end < 0 ? i : (size_t)end;
	}
	return arena_str(r->a, buf_str(&out));
}

static void cmake_words(struct run *r, struct str s, struct fields *to)
{
	for (size_t i = 0; i < s.n;) {
		size_t from = i;

		if (strchr(" \t\r\n", s.p[i])) {
			i++;
			continue;
		}
		if (s.p[i] == '"')
			for (i++; i < s.n && s.p[i] != '"'; i++)
				i += s.p[i] == '\\';
		while (i < s.n && !strchr(" \t\r\n", s.p[i]))
			i++;
		i = min_size(i, s.n);
		field_add(r, to, cmake_word(r, str_sub(s, from, i)));
	}
}

static void cmake_call(struct run *r, const struct call *c, struct str name, struct str inside)
{
	static const char ends[] = "WORKING_DIRECTORY TIMEOUT RESULT_VARIABLE OUTPUT_VARIABLE "
				   "ERROR_VARIABLE OUTPUT_QUIET ERROR_QUIET COMMAND_ECHO COMMAND "
				   "COMMAND_ERROR_IS_FATAL DEPENDS COMMENT VERBATIM";
	struct fields words = { 0 };
	size_t i = 0, from;

	cmake_words(r, inside, &words);
	if (str_eqz(name, "file") && words.n > 1 &&
	    word_in_text(words.p[0], "REMOVE REMOVE_RECURSE"))
		for (i = 1; i < words.n; i++)
			call_path(r, c,
				  (struct effect){ .kind = EFFECT_DELETE,
						   .recursive = words.p[0].n > 6 },
				  words.p[i]);
	if (!word_in_text(name, "execute_process exec_program"))
		return;
	for (i = 0; i < words.n; i++) {
		if (!str_eqz(words.p[i], "COMMAND") && !(i == 0 && str_eqz(name, "exec_program")))
			continue;
		from = i += str_eqz(words.p[i], "COMMAND");
		while (i < words.n && !word_in_text(words.p[i], ends))
			i++;
		if (i > from)
			run_call(r, words.p + from, i - from);
		i -= i < words.n;
	}
}

void project_cmake(struct run *r, const struct call *c, struct str text)
{
	for (size_t i = 0; i < text.n && run_spend(r, 1);) {
		size_t from = i, depth = 1;
		struct str name;

		if (text.p[i] == '#') {
			while (i < text.n && text.p[i] != '\n')
				i++;
			continue;
		}
		while (i < text.n && char_is_word(text.p[i]))
			i++;
		name = str_sub(text, from, i);
		while (name.n && i < text.n && text.p[i] == ' ')
			i++;
		if (!name.n || i >= text.n || text.p[i] != '(') {
			i += !name.n;
			continue;
		}
		for (from = ++i; i < text.n && depth; i++)
			depth += text.p[i] == '(' ? 1 : text.p[i] == ')' ? (size_t)-1 : 0;
		cmake_call(r, c, name, str_sub(text, from, i - (depth == 0)));
	}
}
