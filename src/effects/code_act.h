/* Inside of code_*.c: what a row of a table does, and what it gives. */
#pragma once

#include "effects/code.h"

enum { ACT_RECENT = 12 }; /* effects among which a repeated one is looked for */

/* What is being done: a row of the table with its arguments. */
struct act {
	struct code *c;
	const struct code_function *f;
	struct code_value *self;
	struct code_args *args;
};

/* The environment as a whole: a name of it, or what is made of that. */
#define TYPE_ENVIRONMENT "environment"
bool act_is_environment(struct code *c, const struct code_value *v);
/* [name, value] of each: the values are secret. */
struct code_value act_environment_pairs(struct arena *a);
/* What somebody types, copies or sees is read, as it comes. */
void act_listen(const struct act *x);
/* GIVES_BOUND: code_bound.c */
struct code_value act_bound(const struct act *x);
/* Rows from GIVES_SELF on. */
struct code_value act_gives(const struct act *x);
/* Of those: what is made of texts, and which files it names. */
struct code_value act_gives_text(const struct act *x);
struct code_value act_gives_path(const struct act *x);

/* Where the name ends in a line of NAME=value. */
#define TYPE_EQUALS "equals"
/* Text as a packer gives it. */
#define TYPE_PACKED "packed"
/* A command that was started to be told something; its text is the command. */
#define TYPE_PIPE "pipe"
/* Numbers of processes: of all, or as a command lists them, "$(pgrep x)". */
#define TYPE_PROCESSES "processes"
#define TYPE_MATCH "match" /* what a pattern has found: all of it, then its groups */
/* What ps, an iterator or a walk through /proc gives, and no condition chooses. */
bool act_is_any_process(const struct code *c, const struct code_value *v);

/* The call in the text, for people. */
struct str act_words(const struct act *x);
void act_add(const struct act *x, struct effect effect);
/* What was added after n goes again if it is there already. */
void act_drop_repeated(struct effects *e, size_t n);

/* ---- code_argument.c ---- */

/* An argument without a name; NULL = there are not so many. */
const struct code_value *act_positional(const struct code_args *args, unsigned want);
/* One with a name, or a member of an object of options. */
const struct code_value *act_keyed(const struct code_args *args, const char *key);
bool act_is_true(const struct code_value *v);
bool act_is_flag(const struct act *x, const char *key);
/* The i-th, ARG_SELF, or what replaces the one that the row is about. */
const struct code_value *act_argument(const struct act *x, int i);
unsigned act_taints(const struct act *x);
/* Without arguments and members of these names. */
unsigned act_taints_but(const struct act *x, const char *names);
/* With the type that the row names. */
struct code_value act_typed(const struct act *x, struct code_value v);

/* ---- code_files.c ---- */

void act_path(const struct act *x, struct effect effect, const struct code_value *v);
void act_delete(const struct act *x);
/* What comes out of a file is a secret when the file is one. */
struct code_value act_read(const struct act *x, const struct code_value *path);
/* Whatever files of the home directory are found. */
bool act_is_of_home(const struct code *c, const struct code_value *path);
void act_write(const struct act *x, const struct code_value *path, const struct code_value *data,
	       bool append);
struct code_value act_open(const struct act *x);
struct code_value act_open_perl(const struct act *x);
void act_move(const struct act *x, bool copy);
void act_link(const struct act *x);
/* A file that is written: where its text came from. */
void act_remember(struct code *c, const struct code_value *path, unsigned taints);
/* What a path, or text with one in it, leads to. */
unsigned act_written(const struct code *c, struct str text);
bool act_was_fetched(const struct code *c, const struct code_value *path);

/* ---- code_start.c ---- */

void act_run_shell(struct code *c, struct str text);
void act_shell(const struct act *x, const struct code_value *v);
void act_shell_or_argv(const struct act *x);
void act_start_program(struct code *c);
void act_add_word(struct code *c, const struct code_args *args);
void act_remote_shell(const struct act *x);
/* ACT_SHELL and its kin, and what the program prints. */
struct code_value act_program(const struct act *x, const struct code_value *v);
void act_fork(const struct act *x, struct str script);
void act_tell(const struct act *x, const struct code_value *v);

/* ---- code_mocks.c ---- */

void mocks_add(const struct act *x);
struct code_value mocks_spy(const struct act *x);
void mocks_replace(const struct act *x);
/* A function of another module gets a body. */
void mocks_assign(struct code *c, struct str name);
void mocks_add_host(struct code *c, struct str url);
bool mocks_hold_host(const struct code *c, struct str host);
bool mocks_hold(const struct code *c, struct str name);
/* Of a module that is replaced as a whole. */
bool mocks_hold_module(const struct code *c, struct str name);
bool mocks_is_way_back(const struct code *c, const struct code_defined *d);
bool mocks_may_raise(struct code *c, struct str name);

/* ---- code_network.c ---- */

/* On a machine of somebody else. */
void act_attack(const struct act *x, struct str host);
/* One password after another is among the arguments. */
bool act_tries_passwords(const struct code_args *args);
struct str act_url_host(const struct act *x, const struct code_value *url);
void act_send(const struct act *x, struct str host);
struct code_value act_fetch(const struct act *x);
struct code_value act_request(const struct act *x);
struct code_value act_connect(const struct act *x);
