/*
 * The command line: a tree of commands, each one row of a table with its options, help and
 * function.
 */
#pragma once

#include "workbench/show.h"
#include "workbench/wb.h"

/* Runs argv[0..argc) by the table; `path` is what leads to it ("trotline hooks"). */
int command_run(const char *path, const struct command *commands, size_t n, int argc, char **argv);

/* ---- output ---- */

/*
 * Text for people goes to stdout through these: what is not ours is made visible, colours appear on
 * a terminal only (NO_COLOR is honoured).
 */
void out_f(enum style style, const char *fmt, ...) PRINTF_LIKE(2, 3);
/* Foreign text: control characters become visible escapes; a line break is kept and indented. */
void out_text(enum style style, const char *text, int indent);
/* Width of the terminal, or 80. */
size_t out_columns(void);
/* A finished JSON text and a newline. */
void out_json(struct buf *json);
/* Is stdout for a program, so that questions go to stderr? */
bool out_is_json(void);
/* A line on stderr. */
void out_note(const char *text);
/* "trotline: " and the sentence, on stderr. */
void complain(const char *fmt, ...) PRINTF_LIKE(1, 2);
/* ---- runs of the workbench ---- */

/* This program as the watchdog of struct tl_options. */
extern const char *const cli_watchdog[];
/* In this process: its directory, its stdin, its signals. */
struct wb cli_wb(bool json);
/* command_call(), which also collects what commands say with out_f() and complain(). */
int cli_call(struct wb *wb, const char *path, const struct command *c, int argc, char **argv);
/* Prints what came of it; returns the exit status. */
int cli_show(struct wb *wb, int status);
/* wb_load() by itself, after which everything is said. */
int load_hooks(const struct load_args *args, bool quiet, struct tl_hooks **ret_hooks);
/* For programs, which read stdout: {"error": {"status", "code", "message"}}. */
void json_error(const char *message, int status);
