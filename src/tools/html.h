/*
 * The readable text of an HTML page: what is in it, with headings ("## "), list items ("- "),
 * table cells (" | ") and the addresses of links in brackets; without scripts, styles and comments.
 * Takes anything for HTML, costs the length of the page.
 */
#pragma once

#include "base/buf.h"

/*
 * Appends the text of a page in UTF-8, until out is full.  origin: "https://host" for the addresses
 * of links that begin with a slash.
 */
void html_text(struct buf *out, struct str page, struct str origin);
/* The charset that a page says of itself in its first kilobytes, or "". */
struct str html_charset(struct str page);
