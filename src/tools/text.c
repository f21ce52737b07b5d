/* Texts as they lie in files: byte order marks, UTF-16, line endings, and what is no text. */
#include "base/utf8.h"
#include "tools/files.h"

enum { SNIFF_BYTES = 8 << 10, CONTROL_PERCENT = 30 };

enum text_encoding text_encoding(struct str bytes)
{
	size_t control = 0;

	if (str_starts(bytes, STR("\xff\xfe\0\0")) || str_starts(bytes, STR("\0\0\xfe\xff")))
		return TEXT_BINARY; /* UTF-32, which is not in use */
	if (str_starts(bytes, STR("\xef\xbb\xbf")))
		return TEXT_UTF8_BOM;
	if (str_starts(bytes, STR("\xff\xfe")))
		return TEXT_UTF16LE;
	if (str_starts(bytes, STR("\xfe\xff")))
		return TEXT_UTF16BE;
	bytes = str_sub(bytes, 0, SNIFF_BYTES);
	for (size_t i = 0; i < bytes.n; i++) {
		unsigned char c = (unsigned char)bytes.p[i];

		if (c == 0)
			return TEXT_BINARY;
		/* Backspace to carriage return and escape are in terminal recordings, too. */
		control += c < 8 || (c > 13 && c < 32 && c != 27);
	}
	return control * 100 > bytes.n * CONTROL_PERCENT ? TEXT_BINARY : TEXT_UTF8;
}

static uint32_t unit_at(struct str s, size_t i, bool big)
{
	uint32_t a = (unsigned char)s.p[i], b = (unsigned char)s.p[i + 1];

	return big ? a << 8 | b : b << 8 | a;
}

struct str text_decode(struct arena *a, struct str bytes, enum text_encoding e)
{
	bool big = e == TEXT_UTF16BE;
	size_t n = 0;
	char *out;

	if (e == TEXT_UTF8_BOM)
		return str_sub(bytes, 3, bytes.n);
	if (e != TEXT_UTF16LE && e != TEXT_UTF16BE)
		return bytes;
	bytes = str_sub(bytes, 2, bytes.n);
	out = arena_raw(a, bytes.n / 2 * 3 + 4);
	for (size_t i = 0; i + 1 < bytes.n; i += 2) {
		uint32_t c = unit_at(bytes, i, big);

		if (c >= 0xd800 && c < 0xdc00 && i + 3 < bytes.n) {
			uint32_t low = unit_at(bytes, i + 2, big);

			if (low >= 0xdc00 && low < 0xe000) {
				c = 0x10000 + ((c - 0xd800) << 10) + (low - 0xdc00);
				i += 2;
			}
		}
		n += utf8_encode(c, out + n);
	}
	return (struct str){ out, n };
}

static void add_unit(struct buf *out, uint32_t unit, bool big)
{
	buf_addc(out, (char)(big ? unit >> 8 : unit & 0xff));
	buf_addc(out, (char)(big ? unit & 0xff : unit >> 8));
}

void text_encode(struct buf *out, struct str text, enum text_encoding e)
{
	bool big = e == TEXT_UTF16BE;
	size_t len;

	if (e != TEXT_UTF16LE && e != TEXT_UTF16BE) {
		if (e == TEXT_UTF8_BOM)
			buf_addz(out, "\xef\xbb\xbf");
		buf_adds(out, text);
		return;
	}
	add_unit(out, 0xfeff, big);
	for (size_t i = 0; i < text.n; i += len) {
		uint32_t c = utf8_decode(text.p + i, text.n - i, true, &len);

		if (c >= 0x10000) {
			add_unit(out, 0xd7c0 + (c >> 10), big);
			c = 0xdc00 + (c & 0x3ff);
		}
		add_unit(out, c, big);
	}
}

bool text_is_crlf(struct str text)
{
	ptrdiff_t at = str_chr(text, '\n', 0);

	if (at < 0)
		return false;
	for (; at >= 0; at = str_chr(text, '\n', (size_t)at + 1))
		if (at == 0 || text.p[at - 1] != '\r')
			return false;
	return true;
}

struct str text_unix(struct arena *a, struct str text)
{
	char *out;
	size_t n = 0;

	if (str_find(text, STR("\r\n"), 0) < 0)
		return text;
	out = arena_raw(a, text.n + 1);
	for (size_t i = 0; i < text.n; i++)
		if (text.p[i] != '\r' || i + 1 == text.n || text.p[i + 1] != '\n')
			out[n++] = text.p[i];
	return (struct str){ out, n };
}

struct str text_dos(struct arena *a, struct str text)
{
	char *out = arena_raw(a, text.n * 2 + 1);
	size_t n = 0;

	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '\n' && (i == 0 || text.p[i - 1] != '\r'))
			out[n++] = '\r';
		out[n++] = text.p[i];
	}
	return (struct str){ out, n };
}

size_t text_lines(struct str text)
{
	size_t n = text.n > 0 && text.p[text.n - 1] != '\n';

	for (ptrdiff_t at = str_chr(text, '\n', 0); at >= 0;
	     at = str_chr(text, '\n', (size_t)at + 1))
		n++;
	return n;
}
