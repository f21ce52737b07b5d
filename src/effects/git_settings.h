/*
 * git's settings: from its words (-c, --config-env), from variables (GIT_CONFIG_COUNT and its kin,
 * GIT_SSH_COMMAND, ...) and from files.  Names are kept in small letters, as git compares them.
 */
#pragma once

#include "effects/run.h"

struct git_settings {
	struct fields key, value;
};

/* "section.name=value"; without "=" it is "true". */
void git_setting_take(struct run *r, struct git_settings *s, struct str setting);
void git_setting_add(struct run *r, struct git_settings *s, struct str key, struct str value);
/* What variables of the shell set. */
void git_settings_of_variables(struct run *r, struct git_settings *s);
/* The files of the repository and of the user: for what may be in them alone. */
void git_settings_of_files(struct run *r, struct git_settings *s);
/* The last value; NULL = it is not set. */
const struct str *git_setting(const struct git_settings *s, struct str key);
/* A setting whose value is a command. */
bool git_setting_runs(struct str key);
/* A setting that leads git to other files, addresses or checks. */
bool git_setting_leads(struct str key);
/* "Alias.X" as it is kept. */
struct str git_setting_key(struct run *r, struct str key);
