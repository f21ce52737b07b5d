/* The one table of programs that start others: wrappers, shells, interpreters. */
#pragma once

#include "base/str.h"

enum sh_starts {
	SH_STARTS_ARGS, /* its operands are a command: env, sudo, timeout */
	SH_STARTS_TEXT, /* its operands, joined by blanks, are shell text: eval, watch */
	SH_STARTS_SHELL, /* a shell: -c TEXT, or a script, or standard input */
	SH_STARTS_CODE, /* an interpreter: code in an option, or a script, or standard input */
	SH_STARTS_SOURCE, /* . and source */
	SH_STARTS_TRAP, /* its first operand is shell text */
	SH_STARTS_FIND,
	SH_STARTS_ODDLY, /* in ways that are not followed */
};

#define SHELLS                                                                                     \
	"sh bash dash zsh ksh ash mksh rbash fish csh tcsh yash posh nu elvish xonsh osh ysh oil " \
	"murex oksh loksh lksh pdksh hush"

struct sh_program {
	const char *names; /* all that are started alike, by blanks */
	enum sh_starts starts;
	const char *options; /* as for getopt(): a letter, ":" when a value follows */
	const char *const *flags; /* long options without a value; --name=value always is known */
	const char *const *subcommands; /* one of them comes first: docker run */
	const char *code; /* letters of options that take code */
	size_t operands; /* before the command */
	bool assigns; /* NAME=value may precede the command */
	bool more; /* adds arguments of its own */
	bool elsewhere; /* what runs is on another machine or from a package: not for policies */
};

/* By the last part of its path and without a version (python3.11); NULL = it starts nothing. */
const struct sh_program *sh_program_find(struct str path);
const struct sh_program *sh_program_at(size_t i); /* NULL behind the last one */
/*
 * Does any word of the text, however it is quoted, name a program that takes its arguments or
 * input as commands?  A value inside of a quoted text would be code there.
 */
bool sh_mentions_interpreter(struct str text);
