/* Any page: its text is valid UTF-8 without control characters, and within its limit. */
#include <stdint.h>
#include <stdlib.h>

#include "base/utf8.h"
#include "tools/html.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool is_clean(struct str s)
{
	for (size_t i = 0; i < s.n; i++) {
		unsigned char c = (unsigned char)s.p[i];

		if ((c < ' ' && c != '\n' && c != '\t') || c == 0x7f)
			return false;
	}
	return utf8_valid(s) == s.n;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(buf_done) struct buf whole = BUF_INIT(.max = 1 << 20);
	AUTO(buf_done) struct buf part = BUF_INIT(.max = 16);
	struct str page = { (const char *)data, n };
	struct str charset = html_charset(page);

	if (charset.n > n)
		abort();
	html_text(&whole, page, STR("https://example.org"));
	if (!is_clean(buf_str(&whole)))
		abort();
	html_text(&part, page, STR(""));
	if (part.n > 16)
		abort();
	return 0;
}
