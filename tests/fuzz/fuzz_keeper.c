/* Any bytes: a description of a process is refused, or says the same when it is written again. */
#include "hooks/keeper.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t n)
{
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf once = { 0 }, twice = { 0 };
	struct str text = arena_str(&a, (struct str){ (const char *)data, n });
	struct proc_spec spec, again;
	struct sandbox sandbox, sandbox_again;

	if (!keeper_read(&a, text, &spec, &sandbox))
		return 0;
	keeper_write(&once, &spec, 1);
	if (!keeper_read(&a, arena_str(&a, buf_str(&once)), &again, &sandbox_again))
		abort();
	keeper_write(&twice, &again, 1);
	if (!str_eq(buf_str(&once), buf_str(&twice)))
		abort();
	return 0;
}
