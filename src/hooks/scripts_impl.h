/*
 * Inside of scripts*.c: the search for the files that run when a hook runs.  scripts.c begins it,
 * scripts_programs.c follows commands, scripts_known.c knows what is in variables,
 * scripts_modules.c finds what code imports, scripts_files.c looks into each file.
 */
#pragma once

#include "hooks/command.h"
#include "hooks/scripts.h"
#include "shell/calls.h"

enum {
	BASES_MAX = 8,
	DEPTH_MAX = 6,
	SCRIPT_TEXT_MAX = 256 << 10,
	WRITTEN_MAX = 512,
	PACKAGE_DIRS_MAX = 64
};

struct finder {
	struct tl_hooks *h;
	struct arena *a;
	const struct hook *hook;
	bool wide; /* not of the project alone: of a guard, or of one whose process waits */
	struct script_paths *out;
	struct vars vars;
	const char *const *env;
	/* Directories in which names are looked up: the project, the current one, those of cd. */
	const char *bases[BASES_MAX];
	size_t nbases;
	bool moved; /* after a cd to an unknown place */
	unsigned depth; /* 0: the command itself; else a text that it runs, or a file */
	const char *file; /* whose text is looked at, or NULL */
	enum { RUNS, NAMES, READS } use; /* what is done with the files that are added */
	struct str *written; /* files that its text writes, shared by all copies of the finder */
	size_t *nwritten;
};

/* ---- scripts_known.c ---- */

/* For the reader of shell text. */
struct sh_values finder_values(struct finder *f, bool split);
/* The directory that a word names, in the last base where there is one; NULL when nowhere. */
const char *finder_directory(struct finder *f, struct str word);

/* ---- scripts_files.c ---- */

/* Only the command says whether a hook is watched: files are looked through for literal names. */
void finder_give_up(struct finder *f, const char *why);
bool finder_of_project(const struct finder *f, const char *path);
/* Of a guard any file counts, but for those of the system, which this account cannot change. */
bool finder_counts(const struct finder *f, const char *path);
void finder_add(struct finder *f, const char *path, enum script_kind kind);
/* A file that counts and that the word names; false when there is none. */
bool finder_add_word(struct finder *f, struct str word);
/* What a guard reads: rules, say.  Files that it writes as well, such as a log, do not count. */
void finder_add_data(struct finder *f, struct str word);
/* What a program is given.  In a script data are none of ours; a hook's own notes never are. */
void finder_add_argument(struct finder *f, struct str word);
void finder_add_written(struct finder *f, struct str word);
/* What would be found first, if it were there. */
void finder_add_absent(struct finder *f, const char *base, const char *name);
/* What is run: one that is not there yet would be run as soon as it is. */
void finder_add_program(struct finder *f, struct str word);
/* python3 -c 'import x', node -e 'require("./x")' */
void look_at_code(struct finder *f, struct str code);
/* What the file names in its turn; its directory is one more place to look in. */
void look_at_file(struct finder *f, const char *path);

/* ---- scripts_modules.c ---- */

/* Names for what a word may mean as a module: "./x" is ./x.js, "a.b" is a/b.py. */
bool finder_add_module(struct finder *f, struct str name, bool dotted);
/* A package that a guard imports: all of it. */
void finder_add_package_dir(struct finder *f, const char *dir, size_t *left);
/* node_modules/x: whatever it loads is not followed. */
void look_at_package(struct finder *f, struct str name);
/* Where it looks: next to the script, or where it is started. */
void look_at_imports(struct finder *f, const struct sh_call *c, struct str script);
/* import a.b, from .a import b; of perl use A::B */
void look_at_import(struct finder *f, struct str line);
/*
 * sys.path.insert(0, os.path.join(os.path.dirname(__file__), "lib")): where python looks for modules
 * from here on.  The directories above the file's are taken along: how often dirname() is called is
 * not counted.  `use lib "lib"` is perl's.
 */
void look_at_sys_path(struct finder *f, struct str line);

/* ---- scripts_programs.c ---- */

void look_at_text(struct finder *f, struct str text);
void look_at_call(struct finder *f, const struct sh_calls *s, size_t at);
/* PATH=./bin, LD_PRELOAD=./x.so: files that run without being named as a program. */
void look_at_variable(struct finder *f, struct str name, struct str value, bool known);
bool is_build_file(struct str name);
