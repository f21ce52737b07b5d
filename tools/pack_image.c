/* pack_image FILE.toml: its rules, for src/policy/packs.h. */
#include <stdio.h>

#include "policy/image.h"
#include "policy/judge.h"
#include "policy/packs.h"

/* The packs are made of what this prints. */
const struct pack packs[] = { { 0 } };
const size_t packs_n = 0;

static void complain(void *data, const char *text)
{
	*(bool *)data = true;
	(void)fprintf(stderr, "%s\n", text);
}

int main(int argc, char **argv)
{
	enum { BYTES_MAX = 1 << 20 };
	static char text[BYTES_MAX];
	AUTO(buf_done) struct buf out = { 0 };
	FILE *f = argc == 2 ? fopen(argv[1], "rb") : NULL;
	size_t n = f ? fread(text, 1, sizeof text, f) : 0;
	bool bad = false;
	AUTO(policy_free) struct policy *p = NULL;

	if (!f || ferror(f) || n == sizeof text || fclose(f) != 0) {
		(void)fprintf(stderr, "pack_image FILE.toml\n");
		return 1;
	}
	p = policy_open(&(struct policy_source){ .path = argv[1],
						 .text = { text, n },
						 .lasting = true,
						 .tier = TL_TIER_USER,
						 .complain = complain,
						 .data = &bad });
	if (!bad && !policy_image_write(&out, p))
		complain(&bad, "a pack has no commandPrefix");
	return !bad && fwrite(out.p, 1, out.n, stdout) == out.n && fflush(stdout) == 0 ? 0 : 1;
}
