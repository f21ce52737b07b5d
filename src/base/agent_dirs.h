/*
 * Variables that move the folder of an agent: for who reads its settings (settings/home.c), and for
 * who judges a command that leads it away from them (effects/special_agents.c).
 */
#pragma once

#include <stddef.h>

/* Of several variables for a folder the first that is set counts. */
struct agent_dir {
	const char *folder; /* below the home directory; a file where only that is moved */
	const char *variable;
	const char *below; /* where the folder is in what the variable names; "" = it is that */
};
extern const struct agent_dir agent_dirs[];
extern const size_t agent_dirs_n;
