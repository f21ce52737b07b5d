/* Inside of code_powershell*.c: the reader of PowerShell, and what its commands do. */
#pragma once

#include "effects/code.h"

enum { PS_DEPTH_MAX = 40, PS_VARIABLES_MAX = 200, PS_WORDS_MAX = 24 };

struct ps_variable {
	struct ps_variable *next;
	struct str name;
	struct code_value value;
};

/* What a whole text has done so far. */
struct ps_seen {
	bool connected;
	struct str fetched[4]; /* files */
	unsigned nfetched;
};

struct ps {
	struct effects *e;
	struct str s;
	size_t i, start; /* where a command begins */
	struct ps_variable **vars; /* and functions: blocks */
	unsigned *nvars;
	size_t *work;
	struct ps_seen *seen;
	unsigned depth;
	bool argument; /* of a method: the next expression ends at a comma */
	struct str words;
};

struct ps_word {
	struct str parameter; /* "-Path"; "" for a value */
	struct code_value value;
	bool has_value;
};

struct ps_command {
	struct code_value name, redirect;
	struct ps_word word[PS_WORDS_MAX];
	size_t n, at;
	bool append;
	struct str source;
};

/* ---- code_powershell.c: reading ---- */

struct code_value ps_statements(struct ps *p);
struct code_value ps_pipeline(struct ps *p);
struct code_value ps_expression(struct ps *p, bool word);
struct code_value ps_operand(struct ps *p);
struct code_value ps_run_block(struct ps *p, struct str block, const struct code_value *item);
/* A block, for each of a list; no name: $_. */
void ps_each(struct ps *p, struct str name, const struct code_value *over, struct str block);
struct code_value *ps_variable(const struct ps *p, struct str name);
void ps_set(struct ps *p, struct str name, struct code_value value);

/* ---- code_powershell_words.c ---- */

/* The value behind a parameter whose name may be shortened. */
const struct code_value *ps_parameter(const struct ps_command *c, const char *names);
bool ps_has(const struct ps_command *c, const char *names);
bool ps_has_slash(const struct ps_command *c, const char *option);
/* The n-th word that is no parameter and no value of one. */
const struct code_value *ps_positional(const struct ps_command *c, size_t n);

/* ---- code_powershell_effects.c ---- */

void ps_add(struct ps *p, struct str source, struct effect effect);
/* C:\Users\x, ~\x, %USERPROFILE%\x, \x as an absolute path with slashes. */
struct str ps_unix_path(struct ps *p, struct str s);
void ps_path(struct ps *p, const struct ps_command *c, struct effect effect,
	     const struct code_value *v);
/* What comes from an address, or goes to it; `to`: the file in which it is kept, or NULL. */
struct code_value ps_network(struct ps *p, struct str source, const struct code_value *url,
			     const struct code_value *to, bool sends, unsigned taints);

/* ---- code_powershell_windows.c ---- */

/* False when it is no program of Windows. */
bool ps_windows_program(struct ps *p, struct ps_command *c, struct str name);

/* ---- code_powershell_run.c: commands ---- */

struct code_value ps_run_command(struct ps *p, struct ps_command *c, struct code_value *in);
/* Text that runs. */
void ps_eval(struct ps *p, struct str source, const struct code_value *v);

/* ---- code_powershell_net.c: methods ---- */

struct code_value ps_static(struct ps *p, struct str type, struct str member,
			    const struct code_value *args, size_t n);
struct code_value ps_method(struct ps *p, struct code_value self, struct str name, bool called,
			    const struct code_value *args, size_t n, struct str source);
struct code_value ps_replaced(struct ps *p, struct code_value x, struct code_value from,
			      struct code_value to);
