/*
 * A JSON value, with the places of its parts, as bytes that are read again without parsing: what a
 * build has parsed.  They are for programs of the same build, and no format of files.
 */
#pragma once

#include "base/json.h"

void json_image_write(struct buf *out, const struct json *v);
/* Texts are borrowed from the bytes.  NULL when these are no image. */
const struct json *json_image_read(struct arena *a, struct str bytes);
