/*
 * What an extension brings, for the eyes of a person: what runs by itself, what is started, what
 * the model will read, what is taken away.  Nothing here trusts the extension.
 */
#pragma once

#include "workbench/wb.h"

#include "extensions/extension.h"

enum bring_kind {
	BRING_HOOK,
	BRING_SERVER,
	BRING_EXCLUDED,
	BRING_POLICY,
	BRING_CONTEXT,
	BRING_SKILL,
	BRING_AGENT,
	BRING_COMMAND,
	BRING_SETTING,
	BRING_KINDS,
};

struct bring {
	enum bring_kind kind;
	const char *title; /* one line */
	const char *text; /* more lines, "" = none */
	const char *identity; /* differs when what would run differs, also where it is not shown */
	const char *body; /* the texts of its files, for a comparison; "" = none */
};

struct brings {
	struct bring *p;
	size_t n, cap;
	bool full; /* there is more than a person can look at, and it is not here */
	bool guards; /* one of its hooks is a guard, or may be */
	const char **files; /* whose texts are in the bodies, from the extension's directory */
	size_t nfiles, files_cap;
};

/* Of its files where they are, as it will be once they are in `target`. */
void brings_read(struct arena *a, const struct extension *e, const char *target,
		 const char *project, struct brings *ret_brings);
void brings_done(struct brings *b);
DEFINE_AUTO(struct brings, brings_done)
size_t brings_count(const struct brings *b, enum bring_kind kind);
/* One thing of this kind and title, from the first `*at` on (which moves behind it); NULL. */
const struct bring *brings_next(const struct brings *b, enum bring_kind kind, size_t *at);

/* extension_consent.c: to stdout. */
void consent_show(struct sheet *p, const struct brings *b);
/* What an update changes in what runs by itself or is taken away; false = nothing of that. */
bool consent_differs(const struct brings *old, const struct brings *now);
void consent_show_changes(struct sheet *p, const struct brings *old, const struct brings *now);
