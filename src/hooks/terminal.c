/* What a hook may write to the user's terminal. */
#include "base/utf8.h"
#include "base/words.h"
#include "hooks/claude.h"

/* The length of the text of a sequence with its end; 0 when it has none, or holds a control. */
static size_t text_length(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if (c == '\a')
			return i + 1;
		if (c == 0x1b)
			return i + 1 < s.n && s.p[i + 1] == '\\' ? i + 2 : 0;
		if (c < 0x20 || c == 0x7f)
			return 0;
		/* C1 in UTF-8 */
		if (c == 0xc2 && i + 1 < s.n && (unsigned char)s.p[i + 1] < 0xa0)
			return 0;
	}
	return 0;
}

bool terminal_is_harmless(struct str s)
{
	if (s.n > TERMINAL_MAX || utf8_valid(s) != s.n)
		return false;
	for (size_t i = 0; i < s.n;) {
		size_t from = i + 2, end = from, n;

		if (s.p[i] == '\a') {
			i++;
			continue;
		}
		if (s.p[i] != 0x1b || from > s.n || s.p[i + 1] != ']')
			return false;
		while (end < s.n && char_is_digit(s.p[end]))
			end++;
		/* These set titles and show notices; others reach the clipboard, files, colours. */
		if (!word_in_text(str_sub(s, from, end), "0 1 2 9 99 777") || end == s.n ||
		    s.p[end] != ';')
			return false;
		n = text_length(str_sub(s, end, s.n));
		if (!n)
			return false;
		i = end + n;
	}
	return true;
}
