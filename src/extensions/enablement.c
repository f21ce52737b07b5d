#include "extensions/extension.h"

bool enablement_is_on(const struct json *enablement, struct str name, struct str path)
{
	(void)enablement, (void)name, (void)path;
	return true;
}
