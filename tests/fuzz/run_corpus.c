/*
 * A main() for a fuzz target without libFuzzer: runs it on every file below the folders given, and
 * on each file's first half, which is where decoders that read past the end are found.
 */
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static size_t files_run;

/* A copy of exactly n bytes, so that AddressSanitizer sees the first byte too many. */
static void run_on(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	if (!copy)
		abort();
	if (n)
		memcpy(copy, data, n);
	(void)LLVMFuzzerTestOneInput(copy, n);
	free(copy);
}

static int run_file(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	size_t n = (size_t)st->st_size;
	uint8_t *data;
	FILE *f;

	(void)ftw;
	if (type != FTW_F)
		return 0;
	f = fopen(path, "rb");
	data = malloc(n ? n : 1);
	if (!f || !data || fread(data, 1, n, f) != n) {
		fprintf(stderr, "%s: cannot be read\n", path);
		exit(2);
	}
	(void)fclose(f);
	run_on(data, n);
	run_on(data, n / 2);
	free(data);
	files_run++;
	return 0;
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		if (nftw(argv[i], run_file, 16, FTW_PHYS) < 0) {
			perror(argv[i]);
			return 2;
		}
	}
	printf("%zu inputs\n", files_run);
	return files_run == 0;
}
