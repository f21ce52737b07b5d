/* pack_image FILE.toml: its value with the places of its parts, for src/policy/packs.h. */
#include <stdio.h>

#include "base/json_image.h"
#include "base/toml.h"

int main(int argc, char **argv)
{
	enum { BYTES_MAX = 1 << 20 };
	static char text[BYTES_MAX];
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	struct json_where where = { 0 };
	const struct json *doc;
	struct err err = { 0 };

	if (!f || ferror(f) || n == sizeof text || fclose(f) != 0) {
		(void)fprintf(stderr, "pack_image FILE.toml\n");
		return 1;
	}
	if (toml_parse(&a, (struct str){ text, n }, &doc, &where, &err) < 0) {
		(void)fprintf(stderr, "%s:%u:%u: %s\n", argv[1], where.line, where.column,
			      err.text);
		return 1;
	}
	json_image_write(&out, doc);
	return fwrite(out.p, 1, out.n, stdout) == out.n && fflush(stdout) == 0 ? 0 : 1;
}
