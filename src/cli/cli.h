/*
 * The command line: a tree of commands, each one row of a table with its options, help and
 * function. The commands reach the engine through trotline.h only, as any host does.
 */
#pragma once

#include "base/json.h"
#include "base/options.h"
#include "trotline.h"
#include "workbench/show.h"

/* Exit statuses (docs/headless.md; `hooks run` adds those of an outcome). */
enum exit_status {
	EXIT_OK = 0,
	EXIT_USAGE = 1, /* also general errors */
	EXIT_DENIED = 2,
	EXIT_STOPPED = 3,
	EXIT_ASKED = 4,
	EXIT_AUTH = 41,
	EXIT_INPUT = 42,
	EXIT_CONFIG = 52,
	EXIT_TURN_LIMIT = 53,
	EXIT_TOOL_FATAL = 54,
	EXIT_UNTRUSTED = 55,
};

/* The options of a command and the struct that they fill. */
struct opt_set {
	const struct opt *opts;
	size_t n;
	size_t size; /* of the struct */
};
#define OPT_SET(list, type)                                                                        \
	{                                                                                          \
		list, ARRAY_LEN(list), sizeof(type)                                                \
	}

struct command {
	const char *name;
	const char *args; /* "EVENT", for the usage line */
	const char *summary; /* one line */
	const char *text; /* what --help adds: paragraphs and examples */
	const struct opt_set *opts; /* NULL = none */
	int min_args, max_args; /* -1 = any number */
	int words; /* behind so many arguments nothing is an option any more; 0 = never */
	bool keeps_dashes; /* -- and what follows it are its last arguments, untouched */
	bool hidden; /* not listed in help */
	/* rest[0..n) are the arguments that are no options. Returns the exit status. */
	int (*run)(const void *args, int n, char **rest);
	const struct command *sub; /* instead of run: its own commands */
	size_t nsub;
};

extern const struct command hooks_commands[];
extern const size_t hooks_commands_n;

/* Runs argv[0..argc) by the table; `path` is what leads to it ("trotline hooks"). */
int command_run(const char *path, const struct command *commands, size_t n, int argc, char **argv);

/* ---- output ---- */

/*
 * Text for people goes to stdout through these: what is not ours is made visible, colours appear on
 * a terminal only (NO_COLOR is honoured).
 */
enum style { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN };

void out_f(enum style style, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Foreign text: control characters become visible escapes; a line break is kept and indented. */
void out_text(enum style style, const char *text, int indent);
/* Width of the terminal, or 80. */
size_t out_columns(void);
/* A finished JSON text and a newline. */
void out_json(struct buf *json);
/* "trotline: " and the sentence, on stderr. */
void complain(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* ---- loading ---- */

/* The options that every command over the configuration has. */
struct load_args {
	const char *dir;
	const char *extensions; /* names with commas; NULL = as enabled */
	bool trust, no_project, json;
};

#define LOAD_OPTS(type)                                                                            \
	{ "dir",                                                                                   \
	  'C',                                                                                     \
	  "DIR",                                                                                   \
	  OPT_STR,                                                                                 \
	  offsetof(type, load.dir),                                                                \
	  "work in this directory instead of the current one" },                                   \
		{ "skip-trust",                                                                    \
		  0,                                                                               \
		  NULL,                                                                            \
		  OPT_FLAG,                                                                        \
		  offsetof(type, load.trust),                                                      \
		  "run the project's hooks without asking whether they are trusted" },             \
		{ "no-project-hooks",                                                              \
		  0,                                                                               \
		  NULL,                                                                            \
		  OPT_FLAG,                                                                        \
		  offsetof(type, load.no_project),                                                 \
		  "leave the project's hooks out" },                                               \
		{ "extensions",                                                                    \
		  'e',                                                                             \
		  "NAME,...",                                                                      \
		  OPT_STR,                                                                         \
		  offsetof(type, load.extensions),                                                 \
		  "these extensions only; none = none of them" },                                  \
	{                                                                                          \
		"json", 0, NULL, OPT_FLAG, offsetof(type, load.json), "print JSON"                 \
	}

/*
 * Loads the configuration.  Returns EXIT_OK, or an exit status after having said why.  Problems in
 * single entries are reported on stderr, unless quiet.
 */
int load_hooks(const struct load_args *args, bool quiet, struct tl_hooks **ret_hooks);
/* For programs, which read stdout: {"error": {"status", "message"}}. */
void json_error(const char *message, int status);
/* C7.4: when project hooks may not run says so, lists them, and returns EXIT_UNTRUSTED. */
int check_trust(const struct tl_hooks *hooks);
/* Prints one diagnostic to stderr: file:line:column: severity: text. */
void print_diagnostic(const struct tl_hooks *hooks, const struct tl_diagnostic *d);
