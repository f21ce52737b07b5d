/* The machine that an address leads to. */
#pragma once

#include "base/str.h"

/*
 * "https://user@host:80/x", "user@host:path" to "host".  What programs read in two ways is not this
 * machine in one of them: then that one counts.
 */
struct str address_host(struct str address);
/* Is that this machine? */
bool address_is_local(struct str host);
