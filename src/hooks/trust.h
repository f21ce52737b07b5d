/*
 * Trust (C7.4): project hooks run only in a trusted folder and only as they were approved.  What
 * was approved is remembered as fingerprints, in the user's home directory.
 */
#pragma once

#include "hooks/config.h"

/* Sets h->folder_trusted from flags, environment, settings and the list of trusted folders. */
void trust_folder(struct tl_hooks *h);
/*
 * Fingerprints the project's hooks and sets .trust, .state and .why of those that may not run;
 * finds the files behind guards of every tier.
 */
void trust_hooks(struct tl_hooks *h);
/* The same for a hook that is about to run, where they were not looked for yet.  Any thread. */
void trust_find_scripts(struct tl_hooks *h, struct hook *hook);
/*
 * For the moment before it is started: a file behind the hook that is not what it was when the
 * hooks were loaded, or NULL.  Costs a stat(2) a file; only one that may differ is read.
 * *ret_stamp is made of the status of all of them: another one when it has ended means that one was
 * changed, even if it was changed back.
 */
const char *trust_changed_script(const struct hook *hook, uint64_t *ret_stamp);
/* The k-th of the files behind its fingerprint, or NULL. */
const char *trust_script(const struct hook *hook, size_t k);
/* Its text, which is no other than the fingerprint's. */
int trust_read_script(const struct hook *hook, size_t k, struct buf *out, struct err *err);
/* What the user answered when asked whether the project's hooks run in a sandbox (C6.15). */
enum sandbox_project trust_sandbox(const struct tl_hooks *h);
int trust_keep_sandbox(const struct tl_hooks *h, bool yes, struct err *err);
int trust_approve(const struct tl_hooks *h, struct err *err);
/* `refuse`: and remembers that the folder is not trusted. */
int trust_revoke(const struct tl_hooks *h, bool refuse, struct err *err);
