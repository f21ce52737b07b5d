/*
 * TOML, as far as configuration files of the agent need it, as JSON values: tables, arrays of
 * tables, inline tables, dotted keys, strings of all four kinds, arrays, booleans, integers and
 * comments.  Dates, times, inf and nan become texts; what TOML 1.0 forbids is an error.
 */
#pragma once

#include "base/json.h"

enum { TOML_BYTES_MAX = 256 << 10, TOML_KEYS_MAX = 4096, TOML_DEPTH_MAX = 32 };

/*
 * The document as an object; a value's .pos is its place in the text.  -E_PARSE or -E_LIMIT with
 * the place in *ret_where (NULL allowed), which the error's text does not say.
 */
int toml_parse(struct arena *a, struct str text, const struct json **ret_v,
	       struct json_where *ret_where, struct err *err);
