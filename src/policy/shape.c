#include "policy/shape.h"

#include <stdio.h>

#include "base/words.h"
#include "os/fs.h"
#include "shell/shell.h"

enum { PATH_MAX_CHARS = 4096 };

/* ---- names ---- */

/* The next word of a name: "Write", "File" of "fs.WriteFile", "fs_write_file". */
static bool next_word(struct str name, size_t *at, struct str *ret_word)
{
	size_t i = *at, from;

	while (i < name.n && !char_is_alnum(name.p[i]))
		i++;
	for (from = i; i < name.n && char_is_alnum(name.p[i]); i++)
		if (i > from && char_is_upper(name.p[i]) && !char_is_upper(name.p[i - 1]))
			break;
	*ret_word = str_sub(name, from, i);
	*at = i;
	return i > from;
}

/* Is one of the words of a name among these? */
static bool name_has(struct str name, const char *words)
{
	struct str word;

	for (size_t at = 0; next_word(name, &at, &word);)
		if (word_like_in_text(word, words))
			return true;
	return word_like_in_text(name, words);
}

/* ---- members ---- */

enum role {
	ROLE_NONE,
	ROLE_COMMAND, /* shell text, or a list of words */
	ROLE_COMMANDS, /* a list of shell texts */
	ROLE_PROGRAM, /* the first word of a command */
	ROLE_ARGS, /* the words after it */
	ROLE_CODE, /* of a language that the tool or another member names */
	ROLE_SQL,
	ROLE_TEXT, /* anything; of a tool that runs something, that */
	ROLE_PATH,
	ROLE_TARGET, /* where something is moved or copied to */
};

static const char args_names[] = "args arguments arglist argumentlist cmdargs commandargs";

/* No name has two roles. */
static const struct {
	enum role role;
	const char *names;
} members[] = {
	{ ROLE_COMMAND, "command cmd commandline cmdline shellcommand bashcommand commandstring "
			"commandtext fullcommand argv exec" },
	{ ROLE_COMMANDS, "commands cmds commandlines" },
	{ ROLE_PROGRAM, "program executable binary exe" },
	{ ROLE_ARGS, args_names },
	{ ROLE_CODE, "code script snippet sourcecode codeblock scripts javascript python "
		     "expression function" },
	{ ROLE_SQL, "sql query statement queries statements sqlquery" },
	{ ROLE_TEXT, "input text data chars stdin keys line lines" },
	{ ROLE_TARGET, "destination destinationpath destinationfile dst dest destpath newpath to "
		       "target targetpath targetfile newname newfilepath" },
	{ ROLE_PATH, "path paths file files filepath filepaths filename filenames dir directory "
		     "folder dirpath directorypath folderpath targetdirectory targetnotebook "
		     "notebookpath absolutepath relativepath relativeworkspacepath searchpath "
		     "searchdirectory source sourcepath oldpath from src root rootpath uri fileuri "
		     "include" },
};

static enum role role_of(struct str name)
{
	struct str words, word;

	for (size_t i = 0; i < ARRAY_LEN(members); i++)
		if (word_like_in_text(name, members[i].names))
			return members[i].role;
	/* "outputPath", "local_file": by its last word. */
	words = STR("path paths file files dir directory folder filename filepath");
	while (str_split(&words, ' ', &word)) {
		size_t at = name.n - min_size(word.n, name.n);

		if (at && word_like(str_sub(name, at, name.n), word) &&
		    (char_is_upper(name.p[at]) || !char_is_alnum(name.p[at - 1])))
			return ROLE_PATH;
	}
	return ROLE_NONE;
}

bool shape_is_path(struct str name)
{
	enum role role = role_of(name);

	/* "target" may be an element of a page, "newName" a person's. */
	return role == ROLE_PATH ||
	       (role == ROLE_TARGET && !word_like_in_text(name, "target newname"));
}

/* ---- what the tool's name says ---- */

/* The first row that has a word of the name counts: what destroys most comes first. */
static const struct verb {
	const char *words;
	enum effect_kind kind, target;
} verbs[] = {
	{ "delete remove rm rmdir rmtree unlink erase trash purge wipe destroy del", EFFECT_DELETE,
	  EFFECT_DELETE },
	{ "move mv rename", EFFECT_MOVE, EFFECT_OVERWRITE },
	{ "chmod chown chgrp permissions", EFFECT_PERMISSIONS, EFFECT_PERMISSIONS },
	{ "copy cp duplicate link symlink", EFFECT_READ, EFFECT_OVERWRITE },
	{ "edit append insert patch modify update replace apply", EFFECT_WRITE, EFFECT_WRITE },
	{ "write save create overwrite put truncate touch make mkdir download export dump",
	  EFFECT_OVERWRITE, EFFECT_OVERWRITE },
	{ "read get list ls search find grep glob view show cat head tail stat exists info tree "
	  "describe inspect fetch query count diff log status blame commit stage lookup",
	  EFFECT_READ, EFFECT_READ },
};

static const struct verb *verb_of(struct str tool)
{
	for (size_t i = 0; i < ARRAY_LEN(verbs); i++)
		if (name_has(tool, verbs[i].words))
			return &verbs[i];
	return NULL;
}

enum effect_kind shape_edit_kind(const char *name, enum effect_kind otherwise)
{
	const struct verb *v = name ? verb_of(str_from(name)) : NULL;

	return v && (v->kind == EFFECT_DELETE || v->kind == EFFECT_MOVE) ? v->kind : otherwise;
}

static const char runners[] = "run exec execute execution shell bash sh zsh terminal tty command "
			      "commands cmd process eval evaluate stdin console ssh repl sandbox "
			      "container powershell pwsh script code";
static const char databases[] = "sql postgres postgresql mysql mariadb sqlite mssql oracle db "
				"database databases duckdb clickhouse snowflake bigquery redshift "
				"supabase neon cockroach query execute run exec";

static const struct {
	enum code_language lang;
	const char *words;
} languages[] = {
	{ CODE_SHELL, "shell bash sh zsh terminal command cmd stdin ssh tty" },
	{ CODE_POWERSHELL, "powershell pwsh" },
	{ CODE_PYTHON, "python python3 py ipython jupyter notebook" },
	{ CODE_JAVASCRIPT, "javascript js node nodejs deno bun typescript ts browser playwright "
			   "puppeteer page" },
	{ CODE_RUBY, "ruby rb" },
	{ CODE_PERL, "perl" },
	{ CODE_PHP, "php" },
	{ CODE_LUA, "lua" },
	{ CODE_R, "r rscript" },
	{ CODE_JULIA, "julia" },
	{ CODE_SQL, "sql" },
};

static unsigned languages_in(struct str name)
{
	unsigned bits = 0;

	for (size_t i = 0; i < ARRAY_LEN(languages); i++)
		if (name_has(name, languages[i].words))
			bits |= 1u << languages[i].lang;
	return bits;
}

/* ---- the walk ---- */

struct shape {
	struct policy_call *call;
	struct effects *e;
	struct str tool, server; /* as they are called */
	const struct verb *verb; /* NULL = the name says nothing */
	bool runs; /* what it is given, whatever it is called */
	bool about_files; /* its paths count: nothing else has told what happens to them */
	unsigned languages; /* bits of enum code_language */
};

static void add_shell(struct shape *s, struct str text)
{
	if (s->call->powershell)
		effects_of_code(s->e, CODE_POWERSHELL, text, text);
	/* Of PowerShell's the strict reading: rm and curl are there, too. */
	if (!s->call->powershell || s->e->opaque)
		effects_of_shell(s->e, text);
}

/* Words that no shell splits again; other items are what they are as JSON. */
static void quote_words(struct shape *s, struct buf *out, const struct json *list)
{
	for (size_t i = 0; json_is(list, J_ARR) && i < list->n; i++) {
		const struct json *v = json_at(list, i);

		if (out->n)
			buf_addc(out, ' ');
		sh_quote(out, json_str(v, json_text(s->call->arena, v, JSON_COMPACT)));
	}
}

static bool has_blank(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (char_is_space(s.p[i]))
			return true;
	return false;
}

/* ["rm", "-rf", "x"], or ["make clean", "make"]: where the first has blanks, each is a command. */
static void add_list(struct shape *s, const struct json *list, bool each)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct str first = json_str(json_at(list, 0), STR(""));

	quote_words(s, &text, list);
	if (text.n && !each)
		add_shell(s, arena_str(s->call->arena, buf_str(&text)));
	for (size_t i = 0; (each || has_blank(first)) && i < list->n; i++)
		if (json_is(json_at(list, i), J_STR))
			add_shell(s, json_str(json_at(list, i), STR("")));
}

/* Variables that the call sets precede its command. */
static struct str exports_of(struct shape *s, const struct json *o)
{
	const struct json *env = json_getz(o, "env");
	AUTO(buf_done) struct buf out = { 0 };

	env = env ? env : json_getz(o, "environment");
	for (size_t i = 0; json_is(env, J_OBJ) && i < env->n; i++) {
		struct str key = env->members[i].key;
		bool is_name = key.n && !char_is_digit(key.p[0]);

		for (size_t k = 0; k < key.n; k++)
			is_name &= char_is_alnum(key.p[k]) || key.p[k] == '_';
		if (!is_name || env->members[i].v.type != J_STR)
			continue;
		buf_addf(&out, "export %.*s=", STR_ARG(key));
		sh_quote(&out, json_str(&env->members[i].v, STR("")));
		buf_addc(&out, '\n');
	}
	return arena_str(s->call->arena, buf_str(&out));
}

static const struct json *args_of(const struct json *o)
{
	for (size_t i = 0; i < o->n; i++)
		if (word_like_in_text(o->members[i].key, args_names))
			return &o->members[i].v;
	return NULL;
}

/* A command of one object: its text or its list, with the words and variables that others add. */
static void add_command(struct shape *s, const struct json *o, const struct json *command,
			bool is_program)
{
	struct arena *a = s->call->arena;
	const struct json *args = args_of(o);
	struct str exports = exports_of(s, o), more;
	AUTO(buf_done) struct buf text = { 0 };

	quote_words(s, &text, args);
	more = json_is(args, J_STR) ? json_str(args, STR("")) : arena_str(a, buf_str(&text));
	if (json_is(command, J_STR)) {
		struct str word = json_str(command, STR(""));
		AUTO(buf_done) struct buf whole = { 0 };

		buf_adds(&whole, exports);
		if (is_program)
			sh_quote(&whole, word);
		else
			buf_adds(&whole, word);
		if (more.n)
			buf_addf(&whole, " %.*s", STR_ARG(more));
		add_shell(s, arena_str(a, buf_str(&whole)));
	} else if (json_is(command, J_ARR)) {
		add_list(s, command, false);
	} else if (!command && more.n) {
		/* A tool that is a program: git with {"args": ["push"]}. */
		add_shell(s, more);
		add_shell(s, arena_printf(a, "%.*s %.*s", STR_ARG(s->tool), STR_ARG(more)));
		if (s->server.n)
			add_shell(s,
				  arena_printf(a, "%.*s %.*s", STR_ARG(s->server), STR_ARG(more)));
	}
}

/* ---- code ---- */

static void add_code_as(struct shape *s, enum code_language lang, struct str code, bool guessed)
{
	struct effects found = { .arena = s->e->arena, .world = s->e->world, .cwd = s->e->cwd };

	if (!guessed) {
		effects_of_code(s->e, lang, code, code);
		return;
	}
	effects_of_code(&found, lang, code, code);
	/* What is only a sign in a language that it may not be in is no file to be written. */
	for (size_t i = 0; i < found.n; i++) {
		const struct effect *e = &found.p[i];
		bool writes = e->kind == EFFECT_WRITE || e->kind == EFFECT_OVERWRITE;

		if (writes ? e->places & (PLACE_AGENT | PLACE_STARTUP)
			   : e->kind != EFFECT_OPAQUE && e->kind != EFFECT_READ)
			effects_add(s->e, e);
	}
}

/* Code that calls the agent's own tools says a command as a member does: {cmd: "rm -rf x"}. */
static void add_commands_in(struct shape *s, struct str code)
{
	static const char *const keys[] = { "cmd", "command" };

	for (size_t k = 0; k < ARRAY_LEN(keys); k++) {
		struct str key = str_from(keys[k]);
		ptrdiff_t at = -1;

		while ((at = str_find(code, key, (size_t)(at + 1))) >= 0) {
			size_t i = (size_t)at + key.n, from;
			AUTO(buf_done) struct buf text = { 0 };
			char quote;

			while (i < code.n && strchr(" \t\n\"':", code.p[i]) &&
			       !(i > 0 && strchr(": ", code.p[i - 1]) && strchr("\"'", code.p[i])))
				i++;
			if (i >= code.n || !strchr("\"'`", code.p[i]) ||
			    str_find(str_sub(code, (size_t)at, i), STR(":"), 0) < 0)
				continue;
			quote = code.p[i];
			for (from = ++i; i < code.n && code.p[i] != quote; i++) {
				i += code.p[i] == '\\' && i + 1 < code.n;
				buf_addc(&text,
					 code.p[i] == 'n' && code.p[i - 1] == '\\' && i > from
						 ? '\n'
						 : code.p[i]);
			}
			add_shell(s, arena_str(s->call->arena, buf_str(&text)));
		}
	}
}

static void add_code(struct shape *s, const struct json *o, struct str code)
{
	static const char *const said[] = { "language", "lang", "runtime", "interpreter", "shell" };
	unsigned bits = s->languages;

	for (size_t i = 0; i < ARRAY_LEN(said); i++)
		bits |= languages_in(json_get_str(o, said[i]));
	for (unsigned lang = 0; lang <= CODE_OTHER; lang++)
		if (bits & 1u << lang)
			add_code_as(s, lang, code, false);
	if (!bits) {
		add_code_as(s, CODE_SHELL, code, true);
		add_code_as(s, CODE_PYTHON, code, true);
		add_code_as(s, CODE_JAVASCRIPT, code, true);
	}
	add_commands_in(s, code);
}

/* ---- paths ---- */

static void add_one_path(struct shape *s, enum effect_kind kind, struct str path, bool recursive)
{
	enum { MEANS = PLACE_AGENT | PLACE_STARTUP };
	const char *full = arena_z(s->e->arena, path);
	/* A file that is there is lost; what is added to it, or where there is none, is only
	 * written. */
	bool spared = kind == EFFECT_OVERWRITE && (!fs_exists(full) || fs_is_dir(full));
	const struct effect like = {
		.kind = spared ? EFFECT_WRITE : kind,
		.words = arena_printf(s->e->arena, "%.*s %.*s", STR_ARG(s->tool), STR_ARG(path)),
		.recursive = recursive,
		.forced = recursive,
	};

	if (!s->verb && !(effect_places(s->e->world, path) & MEANS))
		return;
	effects_add_path(s->e, &like, path, s->e->world->cwd);
}

/* "/users/7" of a web service is no path of this machine: nothing of it is here. */
static bool is_elsewhere(struct shape *s, struct str path)
{
	ptrdiff_t slash = str_chr(path, '/', 1);
	unsigned here = PLACE_PROJECT | PLACE_PROJECT_WHOLE | PLACE_HOME | PLACE_HOME_WHOLE |
			PLACE_SYSTEM | PLACE_ROOT | PLACE_SECRET | PLACE_STARTUP | PLACE_AGENT |
			PLACE_DEVICE | PLACE_TEMP;

	if (effect_places(s->e->world, path) & here)
		return false;
	return !fs_is_dir(
		arena_z(s->e->arena, str_sub(path, 0, slash < 0 ? path.n : (size_t)slash)));
}

/* As programs read it: with "..", with links followed, below the home directory. */
static void add_path(struct shape *s, struct str path, bool target, bool recursive)
{
	struct arena *a = s->e->arena;
	const struct effects_world *w = s->e->world;
	enum effect_kind kind = !s->verb ? EFFECT_WRITE : target ? s->verb->target : s->verb->kind;
	AUTO(free) char *full = NULL, *real = NULL;

	if (!path.n || path.n > PATH_MAX_CHARS || memchr(path.p, '\0', path.n))
		return;
	/* Said once: where the links of the others lead changes nothing, and takes seconds. */
	if (s->e->n >= EFFECTS_MAX) {
		effects_unjudged(s->e, STR("(too many paths)"));
		return;
	}
	if (str_starts_icase(path, STR("file://"))) {
		ptrdiff_t slash = str_chr(path, '/', 7);

		path = str_sub(path, slash < 0 ? path.n : (size_t)slash, path.n);
	} else if (str_find(path, STR("://"), 0) > 0) {
		return;
	}
	if (w->home.n && (str_eqz(path, "~") || str_starts(path, STR("~/"))))
		path = arena_printf(a, "%.*s%.*s", STR_ARG(w->home),
				    STR_ARG(str_sub(path, 1, path.n)));
	if (!path.n)
		return;
	full = fs_absolute(arena_z(a, w->cwd), arena_z(a, path));
	if (is_elsewhere(s, str_from(full)))
		return;
	real = fs_resolve(full);
	recursive |= kind == EFFECT_DELETE && fs_is_dir(full);
	add_one_path(s, kind, arena_str(a, str_from(full)), recursive);
	if (real && strcmp(real, full) != 0)
		add_one_path(s, kind, arena_str(a, str_from(real)), recursive);
}

/* ---- all members ---- */

static void take_text(struct shape *s, const struct json *o, enum role role, struct str name,
		      struct str text)
{
	if (!text.n)
		return;
	if (role == ROLE_COMMANDS)
		add_shell(s, text);
	else if (role == ROLE_CODE || (role == ROLE_TEXT && s->runs && s->languages))
		add_code(s, o, text);
	else if (role == ROLE_TEXT && s->runs)
		add_shell(s, text);
	else if (role == ROLE_SQL &&
		 (name_has(s->tool, databases) || name_has(s->server, databases) ||
		  word_like_in_text(name, "sql sqlquery")))
		effects_of_code(s->e, CODE_SQL, text, text);
	if (!s->about_files)
		return;
	if (role == ROLE_PATH || role == ROLE_TARGET)
		add_path(s, text, role == ROLE_TARGET,
			 json_is_true(json_getz(o, "recursive")) ||
				 name_has(s->tool,
					  "directory dir folder tree recursive rmtree all"));
	else if ((role == ROLE_NONE || role == ROLE_TEXT) && !has_blank(text) &&
		 (text.p[0] == '/' || str_starts(text, STR("~/")))) {
		struct shape like = *s;

		/* Of a name that says nothing only what agents and sessions start with counts. */
		like.verb = NULL;
		if (!s->verb || s->verb->kind != EFFECT_READ)
			add_path(&like, text, false, false);
	}
}

static void take(struct shape *s, const struct json *v, const struct json *of, enum role role,
		 struct str name);

/* As deep as the parser of JSON goes. */
static void take_members(struct shape *s, const struct json *o)
{
	bool told = false;

	for (size_t i = 0; i < o->n; i++) {
		const struct json_member *m = &o->members[i];
		enum role role = role_of(m->key);

		if (role == ROLE_COMMAND || role == ROLE_PROGRAM) {
			add_command(s, o, &m->v, role == ROLE_PROGRAM);
			told = true;
		}
		if (!(role == ROLE_COMMAND && m->v.type == J_STR) && role != ROLE_ARGS &&
		    role != ROLE_PROGRAM)
			take(s, &m->v, o, role, m->key);
		else if (m->v.type == J_OBJ)
			take_members(s, &m->v);
	}
	if (!told && args_of(o))
		add_command(s, o, NULL, false);
}

static void take(struct shape *s, const struct json *v, const struct json *of, enum role role,
		 struct str name)
{
	if (json_is(v, J_STR) && role != ROLE_COMMAND)
		take_text(s, of, role, name, json_str(v, STR("")));
	for (size_t i = 0; json_is(v, J_ARR) && i < v->n; i++)
		take(s, json_at(v, i), of, role, name);
	if (json_is(v, J_OBJ))
		take_members(s, v);
}

/* "mcp__fs__write_file" without its server. */
static struct str own_name(struct str name)
{
	ptrdiff_t at, last = -1;

	if (!str_starts(name, STR("mcp_")))
		return name;
	for (at = 3; (at = str_find(name, STR("__"), (size_t)at + 1)) >= 0;)
		last = at;
	return last > 0 ? str_sub(name, (size_t)last + 2, name.n) : name;
}

void shape_effects(struct policy_call *call)
{
	const struct policy_subject *t = &call->subject;
	struct str called = str_from(call->called ? call->called : t->name);
	struct str tool = t->mcp_tool ? str_from(t->mcp_tool) : own_name(called);
	struct shape s = {
		.call = call,
		.e = call->effects,
		.tool = tool,
		.server = str_from(t->mcp_server ? t->mcp_server : ""),
		.verb = t->command_arg ? NULL : verb_of(tool),
		.runs = t->command_arg || name_has(tool, runners),
		.about_files = !t->command_arg,
	};

	if (t->command_arg)
		s.languages = call->powershell ? 1u << CODE_POWERSHELL : 1u << CODE_SHELL;
	else
		s.languages = languages_in(tool) ?: languages_in(s.server);
	if (json_is(call->input, J_OBJ))
		take_members(&s, call->input);
}
