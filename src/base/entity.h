/* Character references of HTML: &amp; &#8212; &#x2014; */
#pragma once

#include "base/str.h"

/* The character that `name` (without & and ;) means; 0 when it is not known. */
uint32_t entity_char(struct str name);
