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
	bool hidden; /* the text was encoded */
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

/* ---- code_powershell_run.c: commands and methods ---- */

void ps_path(struct ps *p, const struct ps_command *c, struct effect effect,
	     const struct code_value *v);
struct code_value ps_run_command(struct ps *p, struct ps_command *c, struct code_value *in);
struct code_value ps_static(struct ps *p, struct str type, struct str member,
			    const struct code_value *args, size_t n);
struct code_value ps_method(struct ps *p, struct code_value self, struct str name, bool called,
			    const struct code_value *args, size_t n, struct str source);
struct code_value ps_replaced(struct ps *p, struct code_value x, struct code_value from,
			      struct code_value to);
