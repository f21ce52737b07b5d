#include "cli/agent/agent_options.h"

#include "base/meant.h"
#include "base/options.h"
#include "base/vec.h"
#include "settings/mode.h"

enum row_kind {
	ROW_FLAG, /* bool */
	ROW_STR, /* const char * */
	ROW_MAYBE, /* const char *, the value may be left out */
	ROW_WORD, /* const char *, a value may follow "="; without one it is the first choice */
	ROW_LIST, /* struct words */
};

struct row {
	const char *name;
	char letter; /* 0 = none */
	const char *arg;
	enum row_kind kind;
	size_t offset;
	const char *text; /* NULL = not in --help */
	const char *choices[6];
};

#define AT(member) offsetof(struct agent_options, member)

static const struct row rows[] = {
	{ "prompt", 'p', "TEXT", ROW_STR, AT(prompt), "the prompt; text on stdin is prepended" },
	{ "prompt-interactive", 'i', "TEXT", ROW_STR, AT(prompt_interactive),
	  "start an interactive session with this prompt" },
	{ "model", 'm', "NAME", ROW_STR, AT(model),
	  "the model, or pro, flash, flash-lite, auto (default: gemini-2.5-pro)" },
	{ "output-format",
	  'o',
	  "FORMAT",
	  ROW_STR,
	  AT(output_format),
	  "text, json (one object at the end), stream-json (one object a line)",
	  { "text", "json", "stream-json" } },
	{ "approval-mode",
	  0,
	  "MODE",
	  ROW_STR,
	  AT(approval_mode),
	  "default, auto_edit (edits run without asking), yolo (everything does), plan (read only)",
	  { "default", "auto_edit", "yolo", "plan" } },
	{ "yolo", 'y', NULL, ROW_FLAG, AT(yolo), "the same as --approval-mode=yolo" },
	{ "allowed-tools", 0, "TOOL,...", ROW_LIST, AT(allowed_tools),
	  "tools to allow without asking, such as \"run_shell_command(git status)\"" },
	{ "resume", 'r', "SESSION", ROW_MAYBE, AT(resume),
	  "continue a session: latest (the default), a number of --list-sessions, or an id" },
	{ "session-id", 0, "ID", ROW_STR, AT(session_id), "the id of the new session" },
	{ "session-file", 0, "FILE", ROW_STR, AT(session_file),
	  "continue the session in this file" },
	{ "list-sessions", 0, NULL, ROW_FLAG, AT(list_sessions), "list this project's sessions" },
	{ "delete-session", 0, "SESSION", ROW_STR, AT(delete_session),
	  "delete a session: a number of --list-sessions, or an id" },
	{ "include-directories", 0, "DIR,...", ROW_LIST, AT(include_directories),
	  "more directories in which tools may work" },
	{ "init", 0, NULL, ROW_FLAG, AT(init), "run the Setup hooks (init) before the session" },
	{ "init-only", 0, NULL, ROW_FLAG, AT(init_only),
	  "run the hooks of Setup (init) and SessionStart, and exit" },
	{ "maintenance", 0, NULL, ROW_FLAG, AT(maintenance),
	  "run the Setup hooks (maintenance) before the session" },
	{ "skip-trust", 0, NULL, ROW_FLAG, AT(skip_trust),
	  "trust this folder and its hooks for this run" },
	{ "no-project-hooks", 0, NULL, ROW_FLAG, AT(no_project_hooks),
	  "do not run the project's hooks" },
	{ "policy", 0, "FILE,...", ROW_LIST, AT(policy), "more policy files or directories" },
	{ "admin-policy", 0, "FILE,...", ROW_LIST, AT(admin_policy),
	  "the same, with the administrator's priority" },
	{ "sandbox",
	  's',
	  NULL,
	  ROW_WORD,
	  AT(sandbox),
	  "keep the model's commands in a sandbox: --sandbox=project, read-only or no-network",
	  { "project", "read-only", "no-network", "true", "false" } },
	{ "raw-output", 0, NULL, ROW_FLAG, AT(raw_output),
	  "keep control sequences in the model's text" },
	{ "debug", 'd', NULL, ROW_FLAG, AT(debug), "print details on stderr" },
	{ "version", 'v', NULL, ROW_FLAG, AT(version), "print the version" },
	{ "help", 'h', NULL, ROW_FLAG, AT(help), "print this help" },
	{ "accept-raw-output-risk", 0, NULL, ROW_FLAG, AT(accept_raw_output), NULL },
	{ "allowed-mcp-server-names", 0, "NAME,...", ROW_LIST, AT(allowed_mcp_servers),
	  "use only these MCP servers" },
	{ "extensions", 'e', "NAME,...", ROW_LIST, AT(extensions),
	  "load only these extensions; none = load no extension" },
	{ "list-extensions", 'l', NULL, ROW_FLAG, AT(list_extensions),
	  "list the installed extensions" },
	{ "worktree", 'w', "NAME", ROW_MAYBE, AT(worktree), NULL },
	{ "acp", 0, NULL, ROW_FLAG, AT(acp), NULL },
	{ "experimental-acp", 0, NULL, ROW_FLAG, AT(experimental_acp), NULL },
	{ "screen-reader", 0, NULL, ROW_FLAG, AT(screen_reader), NULL },
	{ "fake-responses", 0, "FILE", ROW_STR, AT(fake_responses), NULL },
	{ "fake-responses-non-strict", 0, "FILE", ROW_STR, AT(fake_responses_non_strict), NULL },
	{ "record-responses", 0, "FILE", ROW_STR, AT(record_responses), NULL },
};

/* The words of argv while they are looked at. */
struct scan {
	struct agent_options *o;
	int argc, i;
	char **argv;
	struct err *err;
};

static const struct row *find_name(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (str_eqz(name, rows[i].name))
			return &rows[i];
	return NULL;
}

static const struct row *find_letter(char letter)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].letter && rows[i].letter == letter)
			return &rows[i];
	return NULL;
}

/* Options of other agents, and what is here in their place. */
static const struct {
	const char *name, *here;
} foreign[] = {
	{ "add-dir", "include-directories" },
	{ "c", "resume" },
	{ "continue", "resume" },
	{ "dangerously-skip-permissions", "yolo" },
	{ "full-auto", "approval-mode=auto_edit" },
	{ "json", "output-format=json" },
	{ "permission-mode", "approval-mode" },
	{ "print", "prompt" },
	{ "verbose", "debug" },
};

static int fail_unknown(struct scan *s, struct str name)
{
	const char *names[ARRAY_LEN(rows)], *near = NULL;

	for (size_t i = 0; i < ARRAY_LEN(foreign) && !near; i++)
		if (str_eqz(name, foreign[i].name))
			near = foreign[i].here;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		names[i] = rows[i].name;
	near = near ? near : str_nearest(name, names, ARRAY_LEN(names));
	return err_set(s->err, E_INVAL, "Unknown argument: %.*s%s", STR_ARG(name),
		       near ? meant_as("--", near).text : "; trotline --help lists the options");
}

static int check_choice(struct scan *s, const struct row *row, const char *value)
{
	AUTO(buf_done) struct buf list = { 0 };
	enum approval_mode mode;
	const char *near;
	size_t n = 0;

	if (!row->choices[0])
		return 0;
	for (; row->choices[n]; n++) {
		if (strcmp(row->choices[n], value) == 0)
			return 0;
		buf_addf(&list, "%s\"%s\"", n ? ", " : "", row->choices[n]);
	}
	/* A mode may also have another agent's name. */
	near = row->offset == AT(approval_mode) && mode_find(str_from(value), &mode)
		       ? mode_name(mode)
		       : str_nearest(str_from(value), row->choices, n);
	return err_set(s->err, E_INVAL,
		       "Invalid values:\n  Argument: %s, Given: \"%s\", Choices: %s%s", row->name,
		       value, buf_z(&list), meant_as("", near).text);
}

void words_add(struct words *w, const char *word)
{
	*VEC_ADD(w) = word;
	*VEC_ADD(w) = NULL;
	w->n--;
}

void words_done(struct words *w)
{
	free(w->p);
	*w = (struct words){ 0 };
}

/* Commas inside of parentheses belong to a tool's argument: run_shell_command(a, b). */
static void add_list(struct scan *s, struct words *w, struct str list)
{
	size_t from = 0;
	int depth = 0;

	for (size_t i = 0; i <= list.n; i++) {
		char c = i < list.n ? list.p[i] : ',';

		depth += (c == '(') - (c == ')');
		if (c != ',' || (depth > 0 && i < list.n))
			continue;
		struct str word = str_trim(str_sub(list, from, i));
		if (word.n)
			words_add(w, arena_z(&s->o->arena, word));
		from = i + 1;
	}
}

static int store(struct scan *s, const struct row *row, const char *value)
{
	char *at = (char *)s->o + row->offset;

	switch (row->kind) {
	case ROW_FLAG:
		if (value && strcmp(value, "true") != 0 && strcmp(value, "false") != 0)
			return err_set(s->err, E_INVAL, "--%s takes no value, not \"%s\"",
				       row->name, value);
		*(bool *)at = !value || strcmp(value, "true") == 0;
		return 0;
	case ROW_WORD:
		value = value ? value : row->choices[0];
		*(const char **)at = value;
		return check_choice(s, row, value);
	case ROW_STR:
	case ROW_MAYBE:
		*(const char **)at = value;
		return check_choice(s, row, value);
	case ROW_LIST:
		add_list(s, (struct words *)at, str_from(value));
		return 0;
	}
	return 0;
}

/* The value is what follows = or the letter (NULL = nothing does), else the next word. */
static int read_value(struct scan *s, const struct row *row, const char *value)
{
	bool next = s->i + 1 < s->argc;

	if (row->kind == ROW_FLAG || row->kind == ROW_WORD || value)
		return store(s, row, value);
	if (row->kind == ROW_MAYBE)
		return store(s, row, next && s->argv[s->i + 1][0] != '-' ? s->argv[++s->i] : "");
	if (!next)
		return err_set(s->err, E_INVAL, "Not enough arguments following: %s", row->name);
	return store(s, row, s->argv[++s->i]);
}

static int read_long(struct scan *s, const char *word)
{
	const char *eq = strchr(word, '=');
	struct str name = { word, eq ? (size_t)(eq - word) : strlen(word) };
	const struct row *row = find_name(name);

	if (row)
		return read_value(s, row, eq ? eq + 1 : NULL);
	if (str_starts(name, STR("no-")) && !eq) {
		row = find_name(str_sub(name, 3, name.n));
		if (row && (row->kind == ROW_FLAG || row->kind == ROW_WORD))
			return store(s, row, "false");
	}
	return fail_unknown(s, name);
}

static int read_letters(struct scan *s, const char *letters)
{
	for (size_t i = 0; letters[i]; i++) {
		const struct row *row = find_letter(letters[i]);
		const char *rest = letters + i + 1;
		int r;

		if (!row)
			return fail_unknown(s, (struct str){ letters + i, 1 });
		if (row->kind != ROW_FLAG && (row->kind != ROW_WORD || *rest == '='))
			return read_value(s, row, *rest ? rest + (*rest == '=') : NULL);
		r = store(s, row, NULL);
		if (r < 0)
			return r;
	}
	return 0;
}

/* Flags that exclude each other. */
static int check_pairs(const struct agent_options *o, struct err *err)
{
	bool resume = o->resume, id = o->session_id, file = o->session_file;
	const struct {
		bool both;
		const char *text;
	} pairs[] = {
		{ o->prompt && o->words, "Cannot use both a positional prompt and the --prompt "
					 "(-p) flag together" },
		{ o->prompt && o->prompt_interactive,
		  "Cannot use both --prompt (-p) and --prompt-interactive (-i) together" },
		{ o->yolo && o->approval_mode,
		  "Cannot use both --yolo (-y) and --approval-mode together. Use "
		  "--approval-mode=yolo instead." },
		{ resume && id, "Cannot use both --resume (-r) and --session-id together" },
		{ resume && file, "Cannot use both --resume (-r) and --session-file together" },
		{ id && file, "Cannot use both --session-id and --session-file together" },
		{ o->fake_responses && o->fake_responses_non_strict,
		  "Cannot use both --fake-responses and --fake-responses-non-strict together" },
	};

	for (size_t i = 0; i < ARRAY_LEN(pairs); i++)
		if (pairs[i].both)
			return err_set(err, E_INVAL, "%s", pairs[i].text);
	return 0;
}

int agent_options_parse(struct agent_options *o, int argc, char **argv, struct err *err)
{
	struct scan s = { .o = o, .argc = argc, .argv = argv, .err = err };
	AUTO(buf_done) struct buf words = { 0 };
	bool ended = false, some = false;
	size_t good = 0;
	const char *id;
	int r = 0;

	*o = (struct agent_options){ 0 };
	for (; s.i < argc && r == 0; s.i++) {
		const char *word = argv[s.i];

		if (ended || word[0] != '-' || !word[1]) {
			buf_addf(&words, "%s%s", some ? " " : "", word);
			some = true;
		} else if (strcmp(word, "--") == 0) {
			ended = true;
		} else {
			r = word[1] == '-' ? read_long(&s, word + 2) : read_letters(&s, word + 1);
		}
	}
	if (r < 0)
		return r;
	if (some)
		o->words = arena_z(&o->arena, buf_str(&words));
	id = o->session_id;
	while (id && (char_is_word(id[good]) || id[good] == '-'))
		good++;
	if (id && (good == 0 || id[good]))
		return err_set(err, E_INVAL,
			       "Invalid session ID \"%s\": use letters, digits, - and _", id);
	return check_pairs(o, err);
}

void agent_options_done(struct agent_options *o)
{
	free(o->include_directories.p);
	free(o->allowed_tools.p);
	free(o->allowed_mcp_servers.p);
	free(o->extensions.p);
	free(o->policy.p);
	free(o->admin_policy.p);
	arena_done(&o->arena);
	*o = (struct agent_options){ 0 };
}

/* Is no word behind it its value? */
static bool has_no_word(const struct row *row)
{
	return row->kind == ROW_FLAG || row->kind == ROW_WORD;
}

enum option_next agent_option_next(const char *word)
{
	const char *eq = strchr(word, '='), *last = word + 1;
	const struct row *row;

	if (word[1] == '-') {
		row = find_name(
			(struct str){ word + 2, eq ? (size_t)(eq - word) - 2 : strlen(word + 2) });
		if (!row && strncmp(word, "--no-", 5) == 0)
			row = find_name(str_from(word + 5));
	} else {
		while ((row = find_letter(*last)) && has_no_word(row) && last[1] && last[1] != '=')
			last++;
		eq = row && !has_no_word(row) && last[1] ? last + 1 : NULL;
	}
	if (!row)
		return OPTION_UNKNOWN;
	if (row->offset == AT(prompt) || row->offset == AT(prompt_interactive))
		return OPTION_PROMPT;
	if (eq)
		return OPTION_ALONE;
	if (row->kind == ROW_MAYBE)
		return OPTION_MAYBE;
	return row->kind == ROW_STR || row->kind == ROW_LIST ? OPTION_VALUE : OPTION_ALONE;
}

void agent_options_words(struct agent_options *o, bool (*has)(const void *data, const char *name),
			 const void *data, struct words *out, struct buf *ret_ignored)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct row *row = &rows[i];
		const char *at = (const char *)o + row->offset;
		const struct words *list = (const struct words *)at;
		const char *value = NULL, *name = row->name;
		AUTO(buf_done) struct buf text = { 0 };
		bool given = row->kind == ROW_FLAG   ? *(const bool *)at
			     : row->kind == ROW_LIST ? list->n > 0
						     : *(const char *const *)at != NULL;

		/* Options for debugging are never an error. */
		if (!given || row->offset == AT(debug))
			continue;
		for (size_t k = 0; row->kind == ROW_LIST && k < list->n; k++)
			buf_addf(&text, "%s%s", k ? "," : "", list->p[k]);
		value = row->kind == ROW_LIST   ? buf_z(&text)
			: row->kind == ROW_FLAG ? NULL
						: *(const char *const *)at;
		if (row->offset == AT(output_format)) {
			name = strcmp(value, "text") == 0 ? NULL : "json";
			value = NULL;
		}
		if (!name)
			continue;
		if (has(data, name))
			words_add(out, arena_printf(&o->arena, "--%s%s%s", name, value ? "=" : "",
						    value ? value : "")
					       .p);
		else
			buf_addf(ret_ignored, "%s--%s", ret_ignored->n ? ", " : "", row->name);
	}
}

enum output_format agent_options_format(const struct agent_options *o)
{
	const char *f = o->output_format ? o->output_format : "text";

	return strcmp(f, "json") == 0          ? OUTPUT_JSON
	       : strcmp(f, "stream-json") == 0 ? OUTPUT_STREAM
					       : OUTPUT_TEXT;
}

void agent_options_help(struct buf *out, size_t columns)
{
	struct opt shown[ARRAY_LEN(rows)];
	size_t n = 0;

	buf_addz(out,
		 "Usage: trotline [OPTIONS]               a session on this terminal\n"
		 "       trotline [OPTIONS] -p PROMPT     one prompt, one answer\n"
		 "       trotline hooks COMMAND ...       run, explain, check and manage hooks\n"
		 "       trotline hook AGENT              be a hook of Claude Code, Codex, ...\n"
		 "       trotline mcp COMMAND ...         add, list, test and guard MCP servers\n"
		 "       trotline guard COMMAND ...       stop what cannot be undone\n"
		 "       trotline policy COMMAND ...      explain what the policy decides\n"
		 "       trotline skills COMMAND ...      list, install and switch skills\n"
		 "       trotline extensions COMMAND ...  install, update and switch extensions\n"
		 "       trotline trust                   trust a folder and approve its hooks\n"
		 "\n"
		 "The agent works with a model and tools, and runs this project's hooks:\n"
		 "\n"
		 "  trotline -p \"Explain src/main.c\"\n"
		 "  git diff | trotline -p \"Review this change\"\n"
		 "  trotline -y -o json -p \"Fix the failing test\"\n"
		 "  trotline hooks --help                 everything about hooks\n"
		 "  trotline guard on --into all          stop rm -rf ~ in every agent you use\n"
		 "\n"
		 "It needs GEMINI_API_KEY, or the OPENAI_BASE_URL of an OpenAI-compatible server.\n"
		 "\nOptions:\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (rows[i].text)
			shown[n++] = (struct opt){ .name = rows[i].name,
						   .letter = rows[i].letter,
						   .arg = rows[i].arg,
						   .text = rows[i].text };
	opt_help(out, shown, n, columns);
}
