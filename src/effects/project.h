/*
 * What programs run that lies in the project: files of tasks, tests, builds and packages.  Files
 * are looked at only where a program runs them, each once a judgement, and LOADED_MAX of them.
 *
 * A file that is run for what the call asks (a target, a script) counts as if it were typed.  One
 * that is loaded on the way (a module, tests, all tasks of a language) defines much that this call
 * never does: of that only what cannot be meant counts (is_grave() in project.c).
 */
#pragma once

#include "effects/run.h"

enum { LOADED_MAX = 24 };

/* Loads a file; false when it cannot be read. */
bool project_load(struct run *r, const struct call *c, enum code_language lang, struct str path);
/* The first of the names, by blanks, that is in a directory ("" = here). */
bool project_load_first(struct run *r, const struct call *c, enum code_language lang,
			struct str dir, const char *names);
/* Runs what Python or Node find for a module or a directory; false when that is no file. */
bool project_module(struct run *r, const struct call *c, enum code_language lang, struct str name);
/* Texts of builders: commands in them run, those of a task by its name where it has one. */
void project_yaml_task(struct run *r, const struct call *c, struct str text, struct str task);
void project_ini(struct run *r, const struct call *c, struct str text);
void project_ninja(struct run *r, const struct call *c, struct str text);
void project_cmake(struct run *r, const struct call *c, struct str text);
void project_compose(struct run *r, const struct call *c, struct str text);
/* What a text loads; texts that calls of a language without a reader are given (project_code.c). */
void project_imports(struct run *r, const struct call *c, enum code_language lang, struct str code);
void project_literals(struct run *r, const struct call *c, struct str code);
/* False when a file was looked at before, or too many were. */
bool project_is_new(struct run *r, struct str path);
/* A script of package.json by its name. */
bool project_script(struct run *r, const struct call *c, struct str name);
/* What a program that the tables know, or do not, runs of the project before all else. */
void project_runs(struct run *r, const struct call *c);
/* A program that was compiled in the text, by its source; false when it was not. */
bool project_source(struct run *r, const struct call *c, struct str path, struct str text);
/* Of what was added since `from`, keeps what a file that is loaded may not do. */
void project_keep(struct run *r, size_t from, bool opaque);
