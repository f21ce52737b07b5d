/*
 * Any text, in chunks that its first bytes tell: what is found has bounds and an order, and the
 * window shows what the whole text shows, wherever it is cut.
 */
#include "secrets/paths.h"
#include "secrets/secrets.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static void check_list(struct str text, unsigned flags)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct secret *list;
	size_t n = secrets_find(&a, text, flags, &list), at = 0;

	for (size_t i = 0; i < n; at = list[i++].end)
		if (list[i].at < at || list[i].end <= list[i].at || list[i].end > text.n ||
		    !list[i].format || !list[i].format->name)
			abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(secret_window_done) struct secret_window w = { 0 };
	AUTO(buf_done) struct buf whole = { 0 }, cut = { 0 }, plain = { 0 };
	struct str text;

	if (n < 2)
		return 0;
	text = (struct str){ (const char *)data + 2, n - 2 };
	check_list(text, 0);
	check_list(text, SECRETS_DOUBT);
	check_list(text, SECRETS_AS_THEY_ARE);
	(void)secrets_redact(&whole, text, SECRETS_AS_THEY_ARE);
	for (size_t i = 0, k = 0; i < text.n; i += k) {
		k = 1 + (data[0] + i * data[1]) % 61;
		secret_window_add(&w, str_sub(text, i, i + k), &cut);
		/* What is out by now stays. */
		if (cut.n > whole.n || (cut.n && memcmp(cut.p, whole.p, cut.n) != 0) ||
		    w.text.n - w.shown > SECRET_WAITS_MAX)
			abort();
	}
	secret_window_end(&w, &cut);
	if (!str_eq(buf_str(&whole), buf_str(&cut)))
		abort();
	if (secrets_plain(text, &plain) && plain.n >= text.n)
		abort();
	(void)secret_path(text, STR("/home/me"));
	return 0;
}
