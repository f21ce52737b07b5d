/*
 * Linked into every unit test: what fail_msg() says is in the TAP stream, at the test point
 * that failed.  cmocka's own print_error() writes it to stderr, where it is lost between what
 * sanitizers report; calls from the test programs find this one first.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/buf.h"

void print_error(const char *const format, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	struct str rest, line;
	va_list ap;

	va_start(ap, format);
	buf_vaddf(&text, format, ap);
	va_end(ap);
	rest = buf_str(&text);
	while (str_split(&rest, '\n', &line))
		if (line.n || rest.n)
			(void)printf("# %.*s\n", STR_ARG(line));
	(void)fflush(stdout);
}
