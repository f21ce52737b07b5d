/*
 * A policy that has been read, as bytes: what the program has of each pack (C9.7), so that no start
 * parses one.  Made by tools/pack_image.c when the program is built, with the layout of that build;
 * it is never read from a file.
 */
#pragma once

#include "base/buf.h"
#include "policy/judge.h"

/* False if the policy has what no pack has: command prefixes, rules of this program. */
bool policy_image_write(struct buf *out, const struct policy *p);
/* Adds the rules; texts stay in the image, which outlives the policy.  path is for messages. */
void policy_image_read(struct policy *p, struct str image, const char *path, enum tl_tier tier);
