/* Preloaded by tests: the program begins as one that has chosen the locale of its environment. */
#include <locale.h>
#include <stdio.h>

__attribute__((constructor)) static void choose(void)
{
	if (!setlocale(LC_ALL, ""))
		(void)fputs("no locale\n", stderr);
}
