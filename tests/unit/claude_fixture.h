/* Hooks of the claude dialect, fired one at a time as a host does it. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "hooks/claude.h"
#include "os/fs.h"
#include "trotline.h"

/* One firing of one hook. */
struct shot {
	struct tl_hooks *hooks;
	struct tl_outcome *o;
	struct tl_report r; /* of the hook */
};

void shot_done(struct shot *s);
DEFINE_AUTO(struct shot, shot_done)

/* What the hook is, and members of its definition and of itself ("\"matcher\":\"Edit\""). */
struct setup {
	const char *event, *command, *def, *extra;
};

enum { FIELDS_MAX = 4 };

/* What the host does: a tool call with its arguments, or whatever the fields say. */
struct moment {
	const char *event, *subject;
	const char *fields[FIELDS_MAX][2];
	const char *server, *tool;
	int failed;
};

/* A snapshot of this settings text alone, with /home/ana as home and / as working directory. */
struct tl_hooks *load(const char *text);
struct tl_hooks *load_hook(const struct setup *c);
struct shot fire(const struct setup *c, const struct moment *m);
/* A script of tests/data/claude; the test is skipped where its language is missing. */
struct shot fire_script(const char *event, const char *script, const struct moment *m);
struct moment shell_call(const char *args);
/* A PreToolUse hook on a shell call that says this JSON. */
struct shot said(const char *json);
bool has_diagnostic(const struct shot *s, const char *code);

#define PRE(members) "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\"," members "}}"
