#include "model/alias.h"

#include "base/util.h"

const char *model_alias(const char *name)
{
	static const struct {
		const char *alias, *model;
	} rows[] = {
		{ "pro", "gemini-2.5-pro" },
		{ "flash", "gemini-2.5-flash" },
		{ "flash-lite", "gemini-2.5-flash-lite" },
		{ "auto", "gemini-2.5-pro" },
	};

	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (strcmp(rows[i].alias, name) == 0)
			return rows[i].model;
	return name;
}
