#include "base/base64.h"

void base64_add(struct buf *out, struct str bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.n; i += 3) {
		char four[4];
		uint32_t v = 0;

		for (size_t k = 0; k < 3; k++)
			v = v << 8 | (i + k < bytes.n ? (unsigned char)bytes.p[i + k] : 0);
		for (size_t k = 0; k < sizeof four; k++)
			four[k] = i + k <= bytes.n ? digits[v >> (18 - 6 * k) & 63] : '=';
		buf_add(out, four, sizeof four);
	}
}

int base64_digit(char c)
{
	if (c >= 'A' && c <= 'Z')
		return c - 'A';
	if (c >= 'a' && c <= 'z')
		return c - 'a' + 26;
	if (char_is_digit(c))
		return c - '0' + 52;
	return c == '+' || c == '-' ? 62 : c == '/' || c == '_' ? 63 : -1;
}

size_t base64_decode(struct str s, char *out, size_t max)
{
	uint32_t v = 0;
	size_t n = 0;

	for (size_t i = 0; i < s.n && n < max; i++) {
		int d = base64_digit(s.p[i]);

		if (d < 0)
			break;
		v = v << 6 | (uint32_t)d;
		if (i % 4)
			out[n++] = (char)(v >> (6 - i % 4 * 2));
	}
	return n;
}
