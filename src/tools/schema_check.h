/*
 * Checks a value against a JSON Schema (draft 7 subset; docs/tools.md names what is not covered).
 * Messages are those that people know from Ajv: "params must have required property 'x'",
 * "params/x must be string".
 */
#pragma once

#include "base/json.h"

/* 0, or -E_PARSE with the first violation. A schema that cannot be understood accepts. */
int schema_check(const struct json *schema, const struct json *value, const char *root,
		 struct err *err);
