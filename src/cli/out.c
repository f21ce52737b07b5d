/* What people see: colours, escapes, places. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/utf8.h"

/* What fits a person's eye; the rest is for --json. */
enum { LINES_MAX = 400, LINE_MAX_CHARS = 4000 };

static bool has_colour(void)
{
	static int known = -1;
	const char *term = getenv("TERM"), *no = getenv("NO_COLOR");

	if (known < 0)
		known = isatty(STDOUT_FILENO) && !(no && *no) && term && strcmp(term, "dumb") != 0;
	return known;
}

static void styled(enum style style, const char *text, size_t n)
{
	static const char *const codes[] = {
		[PLAIN] = "",   [BOLD] = "1",    [DIM] = "2",  [RED] = "31",
		[GREEN] = "32", [YELLOW] = "33", [CYAN] = "36"
	};
	bool on = style != PLAIN && has_colour();

	if (on)
		(void)printf("\033[%sm", codes[style]);
	(void)fwrite(text, 1, n, stdout);
	if (on)
		(void)fputs("\033[0m", stdout);
}

void out_f(enum style style, const char *fmt, ...)
{
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	styled(style, text, strlen(text));
}

void out_text(enum style style, const char *text, int indent)
{
	size_t lines = 0;

	for (struct str rest = str_from(text), line; str_split(&rest, '\n', &line); lines++) {
		AUTO(buf_done) struct buf clean = { 0 };

		if (lines == LINES_MAX) {
			(void)printf("%*s... and more; --json has all of it\n", indent, "");
			return;
		}
		/* Tabs stay: they show nothing else than they are. */
		(void)utf8_add_visible(&clean, utf8_prefix(line, LINE_MAX_CHARS), true);
		(void)printf("%*s", indent, "");
		styled(style, buf_z(&clean), clean.n);
		(void)putchar('\n');
	}
}

size_t out_columns(void)
{
	struct winsize size;

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= 40)
		return size.ws_col;
	return 80;
}

void out_json(struct buf *json)
{
	(void)fwrite(buf_z(json), 1, json->n, stdout);
	(void)putchar('\n');
}

void complain(const char *fmt, ...)
{
	AUTO(buf_done) struct buf clean = { 0 };
	AUTO(free) char *text = NULL;
	va_list ap;

	va_start(ap, fmt);
	text = xvasprintf(fmt, ap);
	va_end(ap);
	(void)utf8_add_visible(&clean, str_from(text), true);
	(void)fprintf(stderr, "trotline: %s\n", buf_z(&clean));
}
