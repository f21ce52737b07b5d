/* How hooks, diagnostics and paths are shown, as text and as JSON. */
#pragma once

#include "base/json_pack.h"
#include "base/meant.h"
#include "trotline.h"
#include "workbench/wb.h"

struct policy_rule;

/* The i-th hook of the snapshot, which it lives in; NULL past the end. */
const struct tl_hook *hook_at(const struct tl_hooks *hooks, size_t i);
/* The row of the event's table, in *ret_info when there is one. */
bool event_info_find(struct str name, struct tl_event_info *ret_info);
/* Where a failure that is about this hook is. */
struct wb_place place_of_hook(const char *code, const struct tl_hook *h);
/* "s", or "" for one. */
const char *plural(size_t n);
/* The same of the names of an object's members. */
const char *did_you_mean_key(struct arena *a, const char *word, const struct json *obj);
/* The path as people write it: relative inside of the project, with ~ in the home directory. */
const char *short_path(const struct tl_hooks *hooks, const char *path, struct arena *a);
/* FILE:LINE of a rule, or what else it is from; hooks NULL = the file as it is named. */
const char *rule_place(const struct tl_hooks *hooks, const struct policy_rule *r, struct arena *a);
/* A hook's name on one line: a command that serves as a name can be long. */
const char *short_name(const struct tl_hook *h, struct arena *a);
/* "3 hooks: BeforeTool, AfterAgent": those that would run, and when. */
struct str hooks_summary(struct arena *a, const struct tl_hooks *hooks);
/* The event as the hook's file calls it, and where it differs ours: "PreToolUse (BeforeTool)". */
const char *event_shown(const struct tl_hook *h, struct arena *a);

/* Appends one diagnostic to an empty buffer: file:line:column: severity: text. */
void add_diagnostic(struct buf *out, const struct tl_hooks *hooks, const struct tl_diagnostic *d);
/*
 * What is said at a start: those that are wanted, the first ones only, for a list that scrolls away
 * is not read.  Of many warnings of one kind in one file the first says how many there are.
 */
void diagnostics_say(const struct tl_hooks *hooks, bool (*wanted)(const struct tl_diagnostic *d),
		     void (*say)(void *data, const char *line), void *data);
/* "trusted", "new", "changed"; "" for a hook that is not the project's. */
const char *trust_word(enum tl_trust_state t);
const struct json *diagnostic_value(struct arena *a, const struct tl_diagnostic *d);
const struct json *hook_value(struct arena *a, const struct tl_hook *h);
