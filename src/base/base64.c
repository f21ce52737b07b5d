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
