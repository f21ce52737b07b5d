/* Linked into every unit test: TEST_FILTER=name (with * and ?) runs only the tests of that name. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

__attribute__((constructor)) static void filter_from_env(void)
{
	const char *pattern = getenv("TEST_FILTER");

	if (pattern && *pattern)
		cmocka_set_test_filter(pattern);
}
