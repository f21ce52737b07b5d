/* Base64 with padding (RFC 4648). */
#pragma once

#include "base/buf.h"

void base64_add(struct buf *out, struct str bytes);
