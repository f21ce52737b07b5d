/* The prompt of a headless run: the flag or words, and what is piped in. */
#include <unistd.h>

#include "agent/catalog/prompt_commands.h"
#include "base/meant.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"
#include "cli/agent/agent_run.h"
#include "extensions/extension.h"
#include "os/fs.h"
#include "os/input.h"

enum { STDIN_MAX_BYTES = 8 << 20, STDIN_FIRST_MS = 500 };

int prompt_read_stdin(struct run *r)
{
	const struct input_limits limits = { .max_bytes = STDIN_MAX_BYTES,
					     .first_ms = STDIN_FIRST_MS };
	struct err err;
	bool cut;

	if (isatty(STDIN_FILENO))
		return EXIT_OK;
	if (input_read(STDIN_FILENO, &limits, r->halt->work, &r->input, &cut, &err) < 0) {
		if (err.code == E_CANCEL)
			return EXIT_OK;
		return run_fail(r, EXIT_INPUT, "FatalInputError", "%s", err.text);
	}
	if (cut)
		output_warn(&r->out, "stdin is larger than %d MiB; the rest is ignored",
			    STDIN_MAX_BYTES >> 20);
	return EXIT_OK;
}

struct str prompt_make(struct run *r)
{
	const char *given = r->args->prompt ? r->args->prompt : r->args->words;
	struct str piped = buf_str(&r->input), bare = utf8_trim(piped);
	AUTO(buf_done) struct buf out = { 0 };

	if (!given || !*given)
		return bare;
	if (!bare.n)
		return str_from(given);
	buf_adds(&out, piped);
	buf_addz(&out, "\n\n");
	buf_addz(&out, given);
	return arena_str(&r->arena, buf_str(&out));
}

bool prompt_names_command(struct str word)
{
	/* clang-format off */
	static const char *const names[] = {
		"agents", "auth", "background", "bg", "bug", "bug-memory", "copy", "corgi",
		"docs", "editor", "footer", "gemma", "ide", "init", "plan", "policies",
		"privacy", "profile", "restore", "rewind", "setup-github", "shortcuts",
		"statusline", "tasks", "terminal-setup", "theme", "upgrade", "vim", "voice"
	};
	/* clang-format on */

	return WORD_IN(word, names);
}

bool prompt_is_command(const struct run *r, struct str prompt, struct str *ret_command)
{
	size_t n = 0;

	while (n < prompt.n && !strchr(" \t\r\n", prompt.p[n]))
		n++;
	*ret_command = str_sub(prompt, 0, n);
	return str_starts(prompt, STR("/")) && r->is_taken(NULL, str_sub(prompt, 1, n));
}

/* ---- custom commands ---- */

void run_read_commands(struct run *r, const struct note_sink *notes)
{
	arena_done(&r->commands_arena);
	r->commands = prompt_commands_read(
		&r->commands_arena,
		&(struct prompt_commands_options){ .files = run_catalog(r, notes),
						   .skills = r->interactive ? r->skills : NULL,
						   .mcp = r->mcp,
						   .is_taken = r->is_taken });
}

static bool project_has_commands(struct run *r)
{
	const struct dirs dirs = { .project = r->project, .home = "" };

	for (const struct settings_place *p = NULL; (p = place_next(p, NULL, PLACE_COMMANDS));) {
		const char *dir = place_path(p, &dirs, &r->commands_arena);

		if (tiers[p->tier].foreign && dir && fs_is_dir(dir))
			return true;
	}
	return false;
}

/* Piped text is prepended to what a command becomes; alone it may be the command. */
enum end prompt_send(struct run *r, struct str prompt, struct err *err)
{
	const char *given = r->args->prompt ? r->args->prompt : r->args->words;
	struct str piped = buf_str(&r->input), bare = utf8_trim(piped);
	struct str line = given && *given ? str_from(given) : bare, name, args;
	const struct prompt_command *c;

	if (!prompt_command_split(line, &name, &args))
		return session_prompt(r->session, prompt, err);
	run_read_commands(r, &(struct note_sink){ output_note, &r->out });
	c = prompt_command_find(r->commands, name);
	if (!c) {
		/*
		 * A prompt may begin with a slash; a misspelt name and an untrusted folder are
		 * pointed out.
		 */
		AUTO(free) const char **names = xcalloc(r->commands->n + 1, sizeof *names);
		const char *near;

		for (size_t i = 0; i < r->commands->n; i++)
			names[i] = r->commands->p[i].name;
		near = str_nearest(name, names, r->commands->n);
		if (near)
			output_warn(&r->out, "Unknown command /%.*s is sent to the model as text%s",
				    STR_ARG(name), meant_as("/", near).text);
		else if (!r->trusted && project_has_commands(r))
			output_warn(
				&r->out,
				"Unknown command /%.*s is sent to the model as text. "
				"Commands of this folder are not read, because it is not trusted: "
				"trotline hooks trust",
				STR_ARG(name));
		return session_prompt(r->session, prompt, err);
	}
	/* Help is no answer for a headless run, as with slash commands. */
	if (c->origin == CATALOG_MCP && str_eqz(args, "help")) {
		(void)err_set(err, E_INVAL, "%s", prompt_mcp_help(&r->arena, c).p);
		return END_FAILED;
	}
	return session_prompt_command(r->session, c, bare.n && given && *given ? piped : STR(""),
				      line, err);
}
