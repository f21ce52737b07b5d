/* The prompt of a headless run: the flag or the words, and what is piped in (host.md E2). */
#include <unistd.h>

#include "base/utf8.h"
#include "cli/agent_run.h"
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
		output_say(&r->out, "[WARNING] stdin is larger than %d MiB; the rest is not read",
			   STDIN_MAX_BYTES >> 20);
	return EXIT_OK;
}

struct str prompt_make(struct run *r)
{
	const char *given = r->args->prompt ? r->args->prompt : r->args->words;
	struct str piped = buf_str(&r->input), bare = utf8_trim(piped);
	AUTO(buf_done) struct buf out = {0};

	if (!given || !*given)
		return bare;
	if (!bare.n)
		return str_from(given);
	(void)buf_adds(&out, piped);
	(void)buf_addz(&out, "\n\n");
	(void)buf_addz(&out, given);
	return arena_str(&r->arena, buf_str(&out));
}

bool prompt_is_command(struct str prompt)
{
	static const char *const names[] = {
		"?",
		"about",
		"agents",
		"auth",
		"background",
		"bg",
		"bug",
		"bug-memory",
		"chat",
		"clear",
		"commands",
		"compact",
		"compress",
		"copy",
		"corgi",
		"dir",
		"directory",
		"docs",
		"editor",
		"exit",
		"export-session",
		"extensions",
		"footer",
		"gemma",
		"help",
		"hooks",
		"ide",
		"init",
		"mcp",
		"memory",
		"model",
		"new",
		"permissions",
		"plan",
		"policies",
		"privacy",
		"profile",
		"quit",
		"restore",
		"resume",
		"rewind",
		"settings",
		"setup-github",
		"shortcuts",
		"skills",
		"stats",
		"statusline",
		"summarize",
		"tasks",
		"terminal-setup",
		"theme",
		"tools",
		"trust",
		"upgrade",
		"usage",
		"vim",
		"voice",
	};
	struct str word;
	size_t n = 1;

	if (!str_starts(prompt, STR("/")))
		return false;
	while (n < prompt.n && !strchr(" \t\r\n", prompt.p[n]))
		n++;
	word = str_sub(prompt, 1, n);
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (str_eqz(word, names[i]))
			return true;
	return false;
}
