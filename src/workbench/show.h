/* How hooks, diagnostics and paths are shown, as text and as JSON. */
#pragma once

#include "base/json.h"
#include "trotline.h"

/* Of what there is, what a slip of the pen meant: "; did you mean "NAME"?", or "". */
const char *did_you_mean(struct arena *a, const char *word, const char *const *names, size_t n);
/* The same of the names of an object's members. */
const char *did_you_mean_key(struct arena *a, const char *word, const struct json *obj);
/* The path as people write it: relative inside of the project, with ~ in the home directory. */
const char *short_path(const struct tl_hooks *hooks, const char *path, struct arena *a);
/* A hook's name on one line: a command that serves as a name can be long. */
const char *short_name(const struct tl_hook *h, struct arena *a);
/* What the hook's file calls its event: a migrated hook may speak of another one to its script. */
const char *event_configured(const struct tl_hook *h, struct arena *a);
/* The same, and where it differs our event: "PreToolUse (BeforeTool)". */
const char *event_shown(const struct tl_hook *h, struct arena *a);

/* "note", "warning", "error". */
const char *severity_word(enum tl_severity s);
/* Appends one diagnostic to an empty buffer: file:line:column: severity: text. */
void add_diagnostic(struct buf *out, const struct tl_hooks *hooks, const struct tl_diagnostic *d);
/* One as a member of a JSON array. */
void json_diagnostic(struct jw *w, const struct tl_diagnostic *d);
/* Members of a hook, into the object that is open. */
void json_hook(struct jw *w, const struct tl_hook *h);

/* The value of an --input or --payload: JSON, @file, or - for stdin. -E_... with the reason. */
int read_json_arg(const char *arg, const char *what, struct arena *a, const struct json **ret_v,
		  struct err *err);
