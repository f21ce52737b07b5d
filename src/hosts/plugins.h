/* Files that are installed in agents without an editable list of hooks. */
#pragma once

#include "hosts/host.h"

/* How a file of ours is known, and how many folders were made for it. */
#define PLUGIN_MARK "made by trotline; folders: "

/* One file: where, below the home directory and the project, and its text in pieces. */
struct host_plugin {
	const char *user, *project; /* NULL = there is none */
	const char *text[4];
	const char *event; /* of a program that is started for one event; NULL = a plugin */
};

extern const struct host_plugin host_opencode_plugin[], host_kilo_plugin[], host_pi_plugin[],
	host_openclaw_plugin[], host_amp_plugin[], host_cline_hooks[];

/* program: the absolute path of trotline-hook; home: NULL = as the agent's environment says. */
struct str host_plugin_text(struct arena *a, const struct host *h, const struct host_plugin *p,
			    struct str program, const char *home, unsigned folders);
/* 'a path', whatever it contains, as a word of a shell. */
struct str host_shell_quoted(struct arena *a, struct str s);
