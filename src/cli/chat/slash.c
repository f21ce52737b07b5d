/* Slash commands: one table gives parsing, help and completion. */
#include "base/meant.h"
#include "base/words.h"
#include "cli/chat/chat.h"

#include "agent/catalog/prompt_commands.h"
#include "os/fs.h"

const struct slash slash_commands[] = {
	{ "help", "?", "", "list the commands and keys", .on_terminal = slash_help },
	{ "quit", "exit", "", "end the session", .on_terminal = slash_quit },
	{ "clear", "new", "", "clear the conversation and start a new session",
	  .on_session = slash_clear },
	{ "compress", "summarize compact", "", "replace the conversation with a summary",
	  .on_session = slash_compress },
	{ "hooks", "hook", "[list|why|run|report|lint|reload|enable NAME|disable NAME]",
	  "show the hooks by event; run any `trotline hooks` command", .on_session = slash_hooks,
	  .complete = slash_hooks_complete },
	{ "mcp", "", "[list|desc|schema|reload|restart SERVER|log SERVER|auth SERVER]",
	  "list and restart MCP servers, show what they offer and log, sign in",
	  .on_session = slash_mcp },
	{ "commands", "", "[list|reload]", "list custom commands and MCP prompts",
	  .on_session = slash_custom },
	{ "skills", "", "[list|desc|enable NAME|disable NAME|reload]",
	  "list, switch or reload the skills", .on_session = slash_skills,
	  .complete = slash_skills_complete },
	{ "extensions", "extension", "[list|enable NAME|disable NAME|reload]",
	  "list, switch or reload the extensions", .on_session = slash_extensions,
	  .complete = slash_extensions_complete },
	{ "tools", "", "[desc]", "list the tools the model may call", .on_session = slash_tools },
	{ "memory", "", "[show|reload]", "show or reload the context files",
	  .on_session = slash_memory },
	{ "directory", "dir", "[add PATH,...|show]",
	  "show the directories of the workspace, or add one", .on_session = slash_directory },
	{ "model", "", "[NAME]", "show or change the model", .on_session = slash_model },
	{ "mode", "", "[default|auto_edit|plan|yolo]", "show or change the approval mode",
	  .on_session = slash_mode },
	{ "permissions", "permission", "[list|forget NUMBER]",
	  "show what you always allowed, and take it back", .on_session = slash_permissions },
	{ "trust", "", "[list|show|yes|revoke]",
	  "show what trusting this folder switches on, trust it, or take that back",
	  .on_session = slash_trust },
	{ "stats", "usage", "", "show requests, tokens and tool calls", .on_session = slash_stats },
	{ "resume", "chat", "[NUMBER|ID]", "list recorded sessions, or continue one",
	  .on_session = slash_resume },
	{ "export", "export-session", "[FILE]", "write the conversation to a JSON file",
	  .on_session = slash_export },
	{ "settings", "", "", "show the settings in force and their files",
	  .on_terminal = slash_settings },
	{ "about", "", "", "show version, model and directories", .on_terminal = slash_about },
};
const size_t slash_commands_n = ARRAY_LEN(slash_commands);

const struct slash *slash_find(struct str name)
{
	for (size_t i = 0; i < slash_commands_n; i++)
		if (str_eqz(name, slash_commands[i].name) ||
		    word_in_text(name, slash_commands[i].aliases))
			return &slash_commands[i];
	return NULL;
}

bool slash_run(struct chat *c, struct str line)
{
	const struct slash *s;
	struct order *order;
	struct str name, args;

	if (!prompt_command_split(line, &name, &args))
		return false;
	s = slash_find(name);
	if (!s) {
		chat_order(c, ORDER_CUSTOM, NULL, line);
	} else if (s->on_terminal) {
		/* The session hears of it before, because it may end the session. */
		order = xcalloc(1, sizeof *order);
		order->what = ORDER_TOLD;
		order->command = s;
		queue_push(c->worker.orders, &order->m);
		s->on_terminal(c, args);
	} else {
		chat_order(c, ORDER_COMMAND, s, args);
	}
	return true;
}

/* ---- custom commands and prompts of MCP servers ---- */

/* Commands of Gemini CLI that fingers know, and what is here instead. */
static const struct {
	const char *names, *instead;
} elsewhere[] = {
	{ "policies", "the rules are files in ~/.gemini/policies; trotline policy why TOOL says "
		      "which one decides" },
	{ "plan", "/mode plan" },
	{ "auth login logout", "keys come from the environment, such as GEMINI_API_KEY" },
	{ "agents agent", "sub-agents are files in ~/.gemini/agents and .gemini/agents" },
	{ "copy", "/export FILE writes the conversation to a file" },
	{ "restore rewind", "trotline keeps no copies of files: use Git; /resume goes on with an "
			    "earlier session" },
	{ "init", "ask for a GEMINI.md in a prompt" },
	{ "docs bug", "/help, and the folder docs of trotline" },
	{ "shortcuts", "/help" },
	{ "upgrade privacy corgi ide setup-github oncall voice gemma", NULL },
	{ "theme editor vim footer terminal-setup shells bashes tasks profile", NULL },
};

static void tell_unknown(struct worker *w, struct str name)
{
	const struct prompt_commands *all = w->run->commands;
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(free) const char **names = xcalloc(slash_commands_n + all->n, sizeof *names);
	const char *near;
	struct str text;
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_LEN(elsewhere); i++) {
		const char *instead = elsewhere[i].instead;

		if (!word_in_text(name, elsewhere[i].names))
			continue;
		text = arena_printf(&a, "/%.*s is a command of Gemini CLI%s%s.", STR_ARG(name),
				    instead ? "; here: " : " that trotline does not have",
				    instead ? instead : "");
		worker_say(w, SAID_NOTE, NOTE_ERROR, text, (struct str){ 0 });
		return;
	}
	for (size_t i = 0; i < slash_commands_n; i++)
		names[n++] = slash_commands[i].name;
	for (size_t i = 0; i < all->n; i++)
		names[n++] = all->p[i].name;
	near = str_nearest(name, names, n);
	text = arena_printf(&a, "Unknown command /%.*s%s /help lists them.", STR_ARG(name),
			    near ? meant_as("/", near).text : ";");
	worker_say(w, SAID_NOTE, NOTE_ERROR, text, (struct str){ 0 });
}

bool worker_prompt_command(struct worker *w, struct str line, enum end *ret_end, struct err *err)
{
	const struct prompt_command *c;
	struct str name, args;

	if (!prompt_command_split(line, &name, &args))
		return false;
	c = prompt_command_find(w->run->commands, name);
	/* A server that is still starting may have it. */
	if (!c && w->run->mcp) {
		worker_say(w, SAID_WAITING, 0, STR("MCP servers"), (struct str){ 0 });
		(void)mcp_servers_wait(w->run->mcp, w->halt->work);
		worker_say(w, SAID_WAITING, 0, (struct str){ 0 }, (struct str){ 0 });
	}
	if (!c) {
		worker_read_commands(w, false);
		c = prompt_command_find(w->run->commands, name);
	}
	if (!c) {
		tell_unknown(w, name);
		return false;
	}
	if (c->origin == CATALOG_MCP && str_eqz(args, "help")) {
		AUTO(arena_done) struct arena a = { 0 };

		worker_print(w, "%s", prompt_mcp_help(&a, c).p);
		return false;
	}
	*ret_end = session_prompt_command(w->session, c, STR(""), line, err);
	run_tell_slash(w->run, name, (struct str){ 0 }, *ret_end != END_FAILED);
	return true;
}

/* ---- completion ---- */

/* @path: the names in the directory that was typed so far; blanks are escaped. */
static void complete_path(struct chat *c, struct str typed, struct buf *out)
{
	ptrdiff_t slash = -1;
	AUTO(free) char *dir = NULL;
	AUTO(fs_names_done) struct fs_names names = { 0 };

	for (ptrdiff_t i = 0; (size_t)i < typed.n; i++)
		if (typed.p[i] == '/')
			slash = i;
	struct str head = str_sub(typed, 0, (size_t)(slash + 1));
	struct str tail = str_sub(typed, (size_t)(slash + 1), typed.n);
	AUTO(free) char *relative = xstrndup(head.p ? head.p : "", head.n);
	dir = fs_absolute(c->run->cwd, *relative ? relative : ".");
	slash_complete_resources(c, typed, out);
	if (fs_list(dir, &names, NULL) < 0)
		return;
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);

		if (str_starts(str_from(names.p[i]), tail) && (tail.n || names.p[i][0] != '.') &&
		    slash_can_offer(names.p[i])) {
			buf_addf(out, "@%.*s", STR_ARG(head));
			for (const char *p = names.p[i]; *p; p++)
				buf_addf(out, "%s%c", *p == ' ' ? "\\" : "", *p);
			buf_addf(out, "%s\t\n", fs_is_dir(path) ? "/" : "");
		}
	}
}

void slash_complete(struct chat *c, struct str line, struct buf *out)
{
	bool names = str_starts(line, STR("/")) && str_chr(line, ' ', 0) < 0;
	struct str name, args, typed = str_sub(line, 1, line.n);
	ptrdiff_t at = -1;

	for (size_t i = 0; names && i < slash_commands_n; i++) {
		const struct slash *s = &slash_commands[i];

		if (str_starts(str_from(s->name), typed))
			buf_addf(out, "/%s%s\t%s\n", s->name, *s->args ? " " : "", s->help);
	}
	for (size_t i = 0; i < line.n; i++)
		if (line.p[i] == '@' && (i == 0 || line.p[i - 1] == ' ' || line.p[i - 1] == '\n'))
			at = (ptrdiff_t)i;
	if (names) {
		slash_complete_prompts(c, typed, out);
	} else if (at >= 0) {
		complete_path(c, str_sub(line, (size_t)at + 1, line.n), out);
	} else if (prompt_command_split(line, &name, &args)) {
		const struct slash *s = slash_find(name);

		if (s && s->complete)
			s->complete(c, args, out);
	}
}

/* ---- commands that only show something ---- */

void slash_help(struct chat *c, struct str args)
{
	AUTO(buf_done) struct buf out = { 0 };

	size_t width = 0;

	(void)args;
	for (size_t i = 0; i < slash_commands_n; i++)
		width = max_size(width, strlen(slash_commands[i].name));
	buf_addz(&out, "Commands:\n");
	for (size_t i = 0; i < slash_commands_n; i++) {
		const struct slash *s = &slash_commands[i];

		buf_addf(&out, "  /%-*s  %s\n", (int)width, s->name, s->help);
	}
	slash_help_prompts(c, &out);
	buf_addz(&out,
		 "\n@path in a prompt adds the file; Tab completes commands and paths.\n"
		 "!command runs a command of the shell, and the model is told of it; !!command "
		 "does not tell it; ! alone switches.\n"
		 "Ctrl+O shows the output of tools whole.\n"
		 "Enter sends; \\ and Enter, Ctrl+J or Alt+Enter start a new line.\n"
		 "Esc or Ctrl+C cancels the current request; Ctrl+C or Ctrl+D twice exits.\n"
		 "Shift+Tab cycles through the approval modes, Ctrl+Y toggles yolo.");
	chat_print(c, NULL, buf_str(&out));
}

void slash_about(struct chat *c, struct str args)
{
	(void)args;
	chat_printf(c, NULL,
		    "trotline %s\nmodel: %s (%s)\nproject: %s\nhome: %s\nsession: %s\n"
		    "hooks: %zu",
		    tl_version(), c->model ? c->model : c->run->model,
		    c->run->auth ? c->run->auth : "replayed answers", c->run->project, c->run->home,
		    c->session_id ? c->session_id : "-", tl_hooks_count(c->hooks));
}

void slash_settings(struct chat *c, struct str args)
{
	AUTO(buf_done) struct buf out = { 0 };
	AUTO(arena_done) struct arena a = { 0 };

	(void)args;
	for (size_t i = 0; *tl_hooks_file_get(c->hooks, i); i++)
		buf_addf(&out, "%s\n", tl_hooks_file_get(c->hooks, i));
	if (!out.n)
		buf_addz(&out, "No settings file was read.\n");
	buf_adds(&out, json_text(&a, c->run->settings, JSON_PRETTY));
	chat_print(c, NULL, buf_str(&out));
}

void slash_quit(struct chat *c, struct str args)
{
	(void)args;
	chat_quit(c, "exit");
}
