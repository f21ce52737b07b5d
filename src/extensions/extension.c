#include "extensions/extension.h"

struct extensions *extensions_read(struct arena *a, const struct extension_options *o)
{
	(void)o;
	return ARENA_NEW(a, struct extensions);
}
