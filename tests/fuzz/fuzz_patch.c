/*
 * A patch of Codex to calls, each of them to a patch and back: whatever is in names and texts, it
 * is about that one file.
 */
#include "base/utf8.h"
#include "hooks/patch.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

static bool is_plain(struct str name)
{
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20 || (unsigned char)name.p[i] > 0x7e)
			return false;
	return name.n > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf clean = { 0 };
	size_t files, again;

	utf8_add_clean(&clean, (struct str){ (const char *)data, n });
	const struct json **all = patch_files(&a, buf_str(&clean), &files);
	for (size_t i = 0; i < files; i++) {
		struct str name = json_get_str(all[i], "file_path");
		const struct json **one = patch_files(&a, patch_of(&a, all[i]), &again);

		if (again > 1)
			abort();
		if (is_plain(name) && (!again || !str_eq(json_get_str(one[0], "file_path"), name)))
			abort();
	}
	return 0;
}
