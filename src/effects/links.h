/*
 * Links: where a path leads to, through those that lie on the disk and those that the text itself
 * has made.  Nothing is looked up twice, and not more than LINKS_LOOKED_MAX paths a judgement, nor
 * are more made: what lies behind that is EFFECT_UNJUDGED.
 */
#pragma once

#include "effects/effects.h"

enum { LINKS_LOOKED_MAX = 1024 };

/*
 * The path that the kernel would reach; .p NULL when no link is on its way.  `last`: what happens
 * to the path happens behind a link that is its last part.
 */
struct str links_followed(struct effects *e, struct str path, struct str cwd, bool last);
/* A link that the text makes; a relative target starts where the link is. */
void links_made(struct effects *e, struct str path, struct str cwd, struct str target);
/*
 * What is mounted at a path, from here on; "" = nothing any more.  Unlike a link it is in the way of whoever
 * deletes or moves the path itself, too.
 */
void mount_made(struct effects *e, struct str path, struct str cwd, struct str target);
/* Roots and home as the kernel calls them. */
const struct effects_world *links_world(struct effects *e);
/* "/a/./b/../c" is "/a/c", as a shell's `cd` takes it; unchanged where a part is not known. */
struct str links_normal(struct arena *a, struct str path);
