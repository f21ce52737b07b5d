/*
 * One process a user that keeps warm hooks' processes for all that fire once and end (C6.14): the
 * dispatchers of other agents.  It is asked for a process, and lends one that was started as the
 * very same; when that has ended it starts the next.
 *
 *	firing:  connect ─► question and a description ─► pid and descriptors ─► ... ─► how it ended
 *
 * Whoever asks waits KEEPER_PATIENCE_MS at most, and does the work itself where no answer comes.
 */
#pragma once

#include <sha2.h>

#include "hooks/firing.h"
#include "os/proc.h"

#define KEEPER_DIR ".trotline/run"
#define KEEPER_SOCKET "keeper"
#define KEEPER_MAGIC "trotline keeper 1"

enum { KEEPER_PATIENCE_MS = 50 };
#define KEEPER_TEXT_MAX ((size_t)4 << 20)

struct keeper_question {
	char magic[32];
	uint8_t like[SHA256_DIGEST_LENGTH]; /* what it was started as */
	uint32_t warm, seconds; /* as the hook says */
};

struct keeper_answer {
	char magic[32];
	int32_t pid; /* 0 = none waits; else the descriptors of struct proc_loan come with it */
};

/* The description of a process as bytes, and back; strings of the second are the text's. */
void keeper_write(struct buf *out, const struct proc_spec *spec, uint64_t stamp);
bool keeper_read(struct arena *a, struct str text, struct proc_spec *ret,
		 struct sandbox *ret_sandbox);
/*
 * Whether what such a text describes is started here as it would be where the text was written:
 * the directory is the same one, and so are root, namespaces, limits and rights.
 */
bool keeper_is_here(struct str text);
/* A process for this firing, that waits; false = it is to be started. */
bool keeper_take(const struct firing *f, const struct hook *hook, const struct proc_spec *spec,
		 uint64_t stamp, struct proc *ret);
