/*
 * The C side of test_json.mjs.  Reads documents from stdin, each a 32-bit length (in this machine's
 * byte order) and its bytes; answers each with a byte (1 = accepted), a length and the text that
 * JSON.stringify would print.  With the argument "pretty" the text is that of
 * JSON.stringify(v, null, 2).
 */
#include <stdio.h>

#include "base/json.h"

static bool read_document(struct buf *text)
{
	uint32_t n;
	char *room;

	buf_clear(text);
	if (fread(&n, sizeof n, 1, stdin) != 1)
		return false;
	room = buf_reserve(text, n);
	if (fread(room, 1, n, stdin) != n)
		return false;
	text->n = n;
	return true;
}

static void answer(struct str text, unsigned style, unsigned flags)
{
	AUTO(arena_done) struct arena arena = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *v;
	bool accepted = json_parse(&arena, text, flags, &v, NULL) >= 0;
	uint32_t n;

	if (accepted)
		(void)json_write(&out, v, style | JSON_JS);
	n = (uint32_t)out.n;
	(void)putchar(accepted);
	(void)fwrite(&n, sizeof n, 1, stdout);
	(void)fwrite(buf_str(&out).p, 1, n, stdout);
}

int main(int argc, char **argv)
{
	unsigned style = argc > 1 && strcmp(argv[1], "pretty") == 0 ? JSON_PRETTY : 0;
	AUTO(buf_done) struct buf text = { 0 };

	/* Both ways of holding the text are compared with JavaScript, in turn. */
	for (unsigned i = 0; read_document(&text); i++)
		answer(buf_str(&text), style, i % 2 ? JSON_BORROW : 0);
	return fflush(stdout) == 0 ? 0 : 1;
}
