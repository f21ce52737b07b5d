/* What a text says that is written for something else: %2F, \u002d, \x2d, UTF-16 with its NULs. */
#include "base/str.h"
#include "secrets/secrets.h"

/* ASCII alone: all that a format is made of. */
static bool take_code(struct str s, size_t *at, size_t head, size_t digits, struct buf *out)
{
	unsigned code = 0;

	if (*at + head + digits > s.n)
		return false;
	for (size_t i = *at + head; i < *at + head + digits; i++) {
		int v = char_hex(s.p[i]);

		if (v < 0)
			return false;
		code = code << 4 | (unsigned)v;
	}
	if (code > 0x7e || (code < 0x20 && code != '\n' && code != '\t'))
		return false;
	buf_addc(out, (char)code);
	*at += head + digits;
	return true;
}

static bool take_escape(struct str s, size_t *at, struct buf *out)
{
	char next = *at + 1 < s.n ? s.p[*at + 1] : '\0';

	if (s.p[*at] == '%')
		return take_code(s, at, 1, 2, out);
	if (s.p[*at] != '\\')
		return false;
	if (next == 'u' || next == 'U')
		return take_code(s, at, 2, next == 'u' ? 4 : 8, out);
	if (next == 'x')
		return take_code(s, at, 2, 2, out);
	if (next != '/')
		return false;
	buf_addc(out, '/');
	*at += 2;
	return true;
}

bool secrets_plain(struct str text, struct buf *out)
{
	size_t nuls = 0;
	bool escaped = false;

	for (size_t i = 0; i < text.n; i++)
		nuls += text.p[i] == '\0';
	if (nuls < text.n / 4)
		nuls = 0; /* some bytes, and no encoding */
	if (!nuls && str_chr(text, '%', 0) < 0 && str_chr(text, '\\', 0) < 0)
		return false;
	for (size_t i = 0; i < text.n;) {
		if (nuls && text.p[i] == '\0') {
			i++;
		} else if (take_escape(text, &i, out)) {
			escaped = true;
		} else {
			buf_addc(out, text.p[i++]);
		}
	}
	return nuls || escaped;
}
