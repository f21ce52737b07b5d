/*
 * .env files, where people keep their keys.  Only what concerns the model is read, for this program
 * alone: hooks and tools do not get it.
 */
#pragma once

#include "cli/agent/agent_run.h"

/*
 * Reads the nearest .gemini/.env or .env of a trusted project, then ~/.gemini/.env, else ~/.env.
 * What the environment or an earlier file says stays.  A project's file may bring keys and model
 * names, but not the address that they are sent to.
 */
void env_files_read(struct run *r);
