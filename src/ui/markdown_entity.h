/* Entities of HTML: &amp; &#8212; &#x2014; */
#pragma once

#include "base/buf.h"

/* Appends what the entity (with & and ;) means, cleaned; as it is when it is not known. */
void entity_add(struct buf *out, struct str entity);
