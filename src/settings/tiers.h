/* Whose configuration it is: one row a tier.  Hooks, settings and policies go by the same rows. */
#pragma once

#include "base/util.h"
#include "trotline.h"

enum { TIERS = TL_TIER_EXTENSION + 1 };

struct tier {
	const char *name;
	const char *scope; /* what messages call it where one is chosen; NULL = none may be */
	int authority; /* of two that disagree the larger one's word counts */
	int order; /* its hooks run after those of smaller ones */
	int weight; /* its single values override those of smaller ones */
	int policies; /* of its policies' priorities, in thousandths; 0 = it has none */
	/* Somebody else's: it counts where the folder is trusted, and grants itself nothing. */
	bool foreign;
	bool restricts; /* its policies forbid and ask, but permit nothing */
	bool own_switch; /* lower tiers do not switch its hooks off with hooksConfig.enabled */
	bool own_names; /* nor by name with hooksConfig.disabled */
	bool guarded_file; /* its files must not be writable by everybody */
	bool loosens; /* its approval mode counts even where it asks for less than others do */
	bool keeps_answers; /* what the user answered for good is a policy here */
	const char *change_source; /* ConfigChange's word for its files; NULL = it has none */
};

extern const struct tier tiers[TIERS];

/* Below a tier's own weight: what the system proposes and everybody may override. */
enum { TIER_DEFAULTS_WEIGHT = 2 };

static inline int tier_authority(enum tl_tier t)
{
	return tiers[t].authority;
}

/* Whose files --scope chooses: the user's, or the project's. */
static inline enum tl_tier tier_of_scope(bool user)
{
	return user ? TL_TIER_USER : TL_TIER_PROJECT;
}

/* May settings of this tier switch off guards of that one?  A project may not do so with guards of
 * extensions: the user agreed to those. */
static inline bool tier_switches_guards(enum tl_tier t, enum tl_tier guards)
{
	return tiers[t].foreign ? t == guards : tier_authority(t) >= tier_authority(guards);
}
