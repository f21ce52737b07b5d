/* What a folder brings along, and which folders are trusted: for whoever decides about it. */
#pragma once

#include "workbench/show.h"

/*
 * [{"what": "MCP servers", "names": "files, docs"}]: what the folder's files switch on once it is
 * trusted, besides hooks.  Nothing of it is run.
 */
const struct json *folder_brings(struct arena *a, const struct tl_hooks *hooks);
/* [{"path", "rule"}]: the folders of trustedFolders.json. */
const struct json *folder_rules(struct arena *a, const struct tl_hooks *hooks);
/* The user has said that the folder is not to be trusted, and need not be asked. */
bool folder_is_refused(const struct tl_hooks *hooks);
