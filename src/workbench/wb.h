/*
 * One run of a command: where it runs, and what came of it.  A command changes nothing that belongs
 * to the process (its directory, its standard streams): the program, a session's slash commands and
 * `mcp serve` call the same functions, the latter several at once.
 *
 * What comes out is a value, which --json prints, and the same as text for people; complaints are
 * kept apart from it.
 */
#pragma once

#include "base/json_pack.h"
#include "base/options.h"
#include "settings/places.h"
#include "trotline.h"

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

/* ---- text for people ---- */

enum style { PLAIN, BOLD, DIM, RED, GREEN, YELLOW, CYAN };

/* Foreign characters that a terminal would obey become visible escapes. */
struct sheet {
	struct buf out;
	bool colour;
	size_t columns; /* sentences are wrapped at them; 0 = at none, for what is no terminal */
};

/* Sentences of our own, wrapped between words. */
void sheet_prose(struct sheet *p, enum style style, const char *text);
void sheet_f(struct sheet *p, enum style style, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* Foreign text on lines of its own, indented; what is too long for a person is cut. */
void sheet_text(struct sheet *p, enum style style, const char *text, int indent);
/* The same, wrapped between words; the further lines of a row begin `hang` columns later. */
void sheet_rows(struct sheet *p, enum style style, const char *text, int indent, int hang);

/* ---- a run ---- */

/* Why a command failed, for programs. */
struct wb_place {
	const char *code; /* stable short name, "unknown-hook" */
	const char *file; /* NULL = none */
	unsigned line, column;
	const char *hook; /* the name of the hook that it is about; NULL = none */
};

struct wb {
	/* Where it runs. */
	const char *cwd; /* absolute; relative names are below it; NULL = the process's */
	struct tl_hooks *hooks; /* those of a session that goes on; NULL = as the files say */
	struct tl_cancel *cancel; /* ends the hooks that it runs */
	struct tl_cancel *(*listen)(void); /* makes one, the first time that hooks are run */
	const struct str *input; /* what "-" means; NULL = stdin, where that may be read */
	bool reads_stdin;
	const char *const *watchdog; /* as in struct tl_options */
	bool trust, no_project; /* of the session, besides the options of the command */
	bool json, text; /* what is wanted */
	bool wrapped; /* --json of a command that has no value of its own: its text is one */
	size_t columns; /* for help; 0 = 80 */
	bool for_model; /* nothing is proposed that is for the user alone to decide */
	void (*flush)(struct wb *wb); /* what is on the page can be shown; NULL = later */
	/* Asks the user; false without an answer.  NULL = no user to ask. */
	bool (*ask)(struct wb *wb, const char *question, struct buf *answer);
	/* What came of it. */
	struct arena arena;
	const struct json *value; /* NULL = there is only text, or it failed */
	struct sheet sheet;
	struct buf said; /* complaints, a line each */
	struct str failure; /* why the command failed: the first sentence of it */
	bool printed; /* by itself: JSON */
	bool cancelled; /* because of wb->cancel */
	struct wb_place at; /* of the failure */
	/* What wb_load() leaves for hooks that are no processes. */
	struct hook_hosts *hosts; /* NULL = it did not load any */
	struct dirs dirs; /* where the hooks are from */
	bool dirs_trusted;
	const char *sources; /* the dialects that settings name */
	unsigned load_flags; /* TL_LOAD_TRUST, TL_LOAD_NO_PROJECT */
	/* The model of hooks that ask one; NULL = they have none, and have failed. */
	struct session *(*open_model)(struct wb *wb, struct err *err);
	void (*close_model)(struct wb *wb);
	const char *model_name; /* NULL = as a session would have it */
	const char *recorded_model; /* a file of recorded answers in its place; NULL = none */
	struct hook_model *model; /* what open_model() keeps */
};

void wb_done(struct wb *wb);
DEFINE_AUTO(struct wb, wb_done)

/* "trotline: " and the sentence. */
void wb_complain(struct wb *wb, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* A line as it is, for those that continue a complaint. */
void wb_note(struct wb *wb, const char *text);
/* The same as a complaint, and why the command fails; returns the status. */
int wb_fail(struct wb *wb, int status, const char *fmt, ...) PRINTF_LIKE(3, 4);
/* A word that is none of those that an option takes ("project or user"): EXIT_USAGE. */
int wb_fail_word(struct wb *wb, const char *option, const char *names, const char *word);
int wb_fail_err(struct wb *wb, int status, const struct err *err);
int wb_fail_tl(struct wb *wb, int status, const struct tl_err *err);
/* For a command that needs the home directory: why there is none. */
int wb_fail_home(struct wb *wb);
/* The same with its place, whose strings are copied. */
int wb_fail_at(struct wb *wb, int status, const struct wb_place *at, const char *fmt, ...)
	PRINTF_LIKE(4, 5);
/* --scope: project, which other agents call workspace, or user; NULL leaves *ret_user as it is. */
int wb_scope(struct wb *wb, const char *word, bool *ret_user);
/* What --json prints of a failure: {"error": {"status", "code", "message", and its place}}. */
const struct json *wb_error_value(struct wb *wb, int status);
/* What hooks are run with. */
struct tl_cancel *wb_cancel(struct wb *wb);
/* Shows what is on the page, where somebody looks on. */
void wb_flush(struct wb *wb);
/* The name as the command was given it, below wb->cwd; in the arena. */
const char *wb_path(struct wb *wb, const char *name);

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
		  "use the project's settings and hooks even if untrusted" },                      \
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
		  "load only these extensions; none = load no extension" },                        \
	{                                                                                          \
		"json", 0, NULL, OPT_FLAG, offsetof(type, load.json), "print JSON"                 \
	}

enum {
	WB_QUIET = 1, /* problems in single entries are not complained of */
	WB_FILES = 2, /* as the files say, not what a session has */
};
/* EXIT_OK, or the status of the failure. */
int wb_load(struct wb *wb, const struct load_args *args, unsigned flags,
	    struct tl_hooks **ret_hooks);
/* servers.c: what runs hooks that are no processes, into the options; wb_done() ends it. */
void wb_give_handlers(struct wb *wb, struct tl_options *o);
/* Where these hooks are from; cwd may be NULL. */
struct dirs hooks_dirs(const struct tl_hooks *hooks, const char *cwd);
/* C7.4: when project hooks may not run says so, lists them, and returns EXIT_UNTRUSTED. */
int wb_check_trust(struct wb *wb, const struct tl_hooks *hooks);
void wb_diagnostic(struct wb *wb, const struct tl_hooks *hooks, const struct tl_diagnostic *d);
/* The value of an --input or --payload: JSON, @file, or - for stdin. */
int wb_json_arg(struct wb *wb, const char *arg, const char *what, struct arena *a,
		const struct json **ret_v, struct err *err);

/* ---- commands ---- */

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

enum { HELP_COLUMNS = 80 }; /* of what is no terminal */

struct command {
	const char *name;
	const char *args; /* "EVENT", for the usage line */
	const char *summary; /* one line */
	const char *text; /* what --help adds: paragraphs and examples */
	const char *(*facts)(struct arena *a); /* more of it, from a table; NULL = nothing */
	const struct opt_set *opts; /* NULL = none */
	int min_args, max_args; /* -1 = any number */
	int words; /* behind so many arguments nothing is an option any more; 0 = never */
	bool keeps_dashes; /* -- and what follows it are its last arguments, untouched */
	bool hidden; /* not listed in help */
	bool raw; /* what it prints is no text for people: --json is about errors only */
	/* rest[0..n) are the arguments that are no options.  Each returns the exit status. */
	int (*work)(struct wb *wb, const void *args, int n, char **rest);
	int (*run)(const void *args, int n, char **rest); /* instead: prints by itself */
	const struct command *sub; /* or: its own commands */
	size_t nsub;
};

const struct command *command_find(const struct command *commands, size_t n, const char *name);
bool command_is_help(const char *word);
void command_help(struct wb *wb, const char *path, const struct command *c);
void command_help_list(struct wb *wb, const char *path, const struct command *commands, size_t n);
/* The name of the command that a word means, by another name or misspelt; NULL = of none. */
const char *command_meant(const struct command *commands, size_t n, const char *word);
/* Complains of a command that does not exist; name NULL: of one that is missing. */
int command_unknown(struct wb *wb, const char *path, const struct command *commands, size_t n,
		    const char *name);
/* Parses argv behind the command's name and does its work, or shows its help. */
int command_call(struct wb *wb, const char *path, const struct command *c, int argc, char **argv);

extern const struct command hooks_commands[];
extern const size_t hooks_commands_n;
extern const struct command policy_commands[];
extern const size_t policy_commands_n;
extern const struct command guard_commands[];
extern const size_t guard_commands_n;
