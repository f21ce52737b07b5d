/*
 * trotline extensions: what its commands share.  Everything is kept as Gemini CLI keeps it in
 * ~/.gemini/extensions, so that both programs can use one directory.
 */
#pragma once

#include "cli/cli.h"
#include "cli/extensions/extension_find.h"
#include "cli/extensions/extension_source.h"
#include "extensions/extension.h"
#include "settings/edit.h"
#include "workbench/roots.h"

/* One command's view of what is installed. */
struct ext {
	struct wb *wb;
	struct arena arena;
	struct settings_roots roots;
	struct extension_options options;
	const struct extensions *all;
	const char *root; /* ~/.gemini/extensions */
};

/* An exit status, after having said why. */
int ext_open(struct ext *x, struct wb *wb, const char *dir);
void ext_done(struct ext *x);
DEFINE_AUTO(struct ext, ext_done)
/* Reads what is installed again. */
void ext_read(struct ext *x);
/* By its name, or by where it was installed from; NULL. */
const struct extension *ext_find(struct ext *x, const char *name);
/* Says that there is none, and which there are; EXIT_USAGE. */
int ext_unknown(struct ext *x, const char *name);
/* Says what went wrong; the exit status. */
int ext_failed(struct ext *x, const struct err *err);

/* ---- extension_state.c: the directory of all, and the enablement file ---- */

/*
 * A private directory next to the extensions in which one is made ready: what becomes of it is one
 * rename.  It is gone at the end, however that comes.
 */
struct stage {
	struct wb *wb;
	char *dir; /* "" = none */
	char *fresh; /* dir/new: what is made ready */
	char *root, *gemini;
	bool made_root, made_gemini; /* to be taken away when nothing came into them */
};

int stage_open(struct stage *s, struct ext *x, struct err *err);
void stage_done(struct stage *s);
DEFINE_AUTO(struct stage, stage_done)
/* Under the lock: s->fresh becomes the extension of this name, which is new; or takes the place of
 * the old one, which is in s->fresh then. */
int stage_place(struct stage *s, const char *name, struct err *err);
int stage_exchange(struct stage *s, const char *root, struct err *err);

/* Switches it on or off at the path (and below). */
int enablement_change(struct ext *x, const char *name, const char *path, bool on, struct err *err);
int enablement_drop(struct ext *x, const char *name, struct err *err);
bool enablement_says(struct ext *x, const char *name, const char *path);

/* ---- extension_install.c ---- */

struct install_args {
	const char *ref;
	bool auto_update, pre_release, consent, skip_settings, json;
};

/* (waits) Exit statuses.  plugin: of the marketplace that the source is; NULL = none is named. */
int ext_install(struct ext *x, const char *source, const char *plugin,
		const struct install_args *args);
int ext_link(struct ext *x, const char *path, const char *plugin, bool consent);
int ext_uninstall(struct ext *x, const struct extension *e);
/* extension_update.c */
int ext_update(struct ext *x, const struct extension *e, bool consent);
/* What .gemini-extension-install.json says of a plugin, and whether a guard would be lost. */
const struct json *install_found(struct arena *a, const struct json *install,
				 const struct found *f);
const struct json *install_guards(struct arena *a, const struct json *install, bool guards);
int install_write(struct arena *a, const char *dir, const struct json *install, struct err *err);
/*
 * The extension of the files in `dir`; messages name them as they are in `shown`.  -E_CONFIG when
 * it cannot be installed, or has another name than `old` (NULL = it is new).
 */
int ext_examine(struct ext *x, const char *dir, const char *shown, const struct extension *old,
		struct extension *ret_e, struct err *err);

/* ---- extension_settings.c ---- */

/* Which settings are asked for, and where their values go. */
struct settings_wanted {
	const char *dir; /* whose .env is written */
	bool project; /* that is a project: others read it, secrets do not go there */
	bool again; /* those that have a value, too */
	const char *only; /* one of them, by its name or its variable; NULL = all */
};

/* (waits) */
int settings_ask(struct wb *wb, const struct extension *e, const struct settings_wanted *wanted,
		 struct err *err);
/* How many of its settings have no value. */
size_t settings_missing(const struct extension *e);

/* ---- extension_check.c, extension_new.c ---- */

struct validate_args {
	bool json;
};
int cmd_extension_validate(struct wb *wb, const void *args, int n, char **rest);
int cmd_extension_new(struct wb *wb, const void *args, int n, char **rest);

/* The group of commands. */
extern const struct command extensions_commands[];
extern const size_t extensions_commands_n;
