/* What a hook's dialect makes it expect of the session. */
#pragma once

#include "base/util.h"
#include "trotline.h"

static inline struct tl_dialect_info hook_dialect(const struct tl_hook *hook)
{
	struct tl_dialect_info d = TL_DIALECT_INFO_INIT(.name = "", .env_file = "");

	(void)tl_dialect_find(hook->dialect, &d);
	return d;
}
