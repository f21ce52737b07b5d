/* For fuzz targets: may a text be shown on a terminal?  Written independently of ui/clean.c. */
#pragma once

#include "base/utf8.h"

/* The length of an escape sequence of ours, or 0. */
static inline size_t shown_sequence(struct str s)
{
	size_t i = 2;

	if (str_starts(s, STR("\033]8;;"))) {
		for (i = 5; i < s.n && s.p[i] > ' ' && s.p[i] < 0x7f;)
			i++;
		return str_starts(str_sub(s, i, s.n), STR("\033\\")) ? i + 2 : 0;
	}
	while (i < s.n && (char_is_digit(s.p[i]) || s.p[i] == ';'))
		i++;
	return str_starts(s, STR("\033[")) && i < s.n && s.p[i] == 'm' ? i + 1 : 0;
}

static inline bool shown_char(uint32_t cp)
{
	return !(cp < ' ' || (cp >= 0x7f && cp < 0xa0) || (cp >= 0x200e && cp <= 0x200f) ||
		 cp == 0x200b || (cp >= 0x2028 && cp <= 0x202e) || (cp >= 0x2060 && cp <= 0x206f) ||
		 cp == 0xfeff || (cp >= 0xd800 && cp <= 0xdfff) || (cp >= 0xfdd0 && cp <= 0xfdef) ||
		 (cp >= 0xe0000 && cp <= 0xe00ff));
}

/* Valid UTF-8 without anything that acts on the terminal but line breaks, and our sequences if
 * allowed. */
static inline bool shown_well(struct str s, bool sequences)
{
	size_t len;

	if (utf8_valid(s) != s.n)
		return false;
	while (s.n) {
		uint32_t cp = utf8_decode(s.p, s.n, false, &len);

		if (sequences && cp == 033)
			len = shown_sequence(s);
		else if (cp != '\n' && !shown_char(cp))
			return false;
		if (!len)
			return false;
		s = str_sub(s, len, s.n);
	}
	return true;
}
