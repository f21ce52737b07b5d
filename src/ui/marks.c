#include "ui/marks.h"

#include <stdlib.h>

static bool ascii;

void marks_choose(void)
{
	static const char *const names[] = { "LC_ALL", "LC_CTYPE", "LANG" };
	const char *locale = NULL, *term = getenv("TERM");

	for (size_t i = 0; i < ARRAY_LEN(names) && !(locale && *locale); i++)
		locale = getenv(names[i]);
	ascii = (locale && *locale && str_find_icase(str_from(locale), STR("utf-8"), 0) < 0 &&
		 str_find_icase(str_from(locale), STR("utf8"), 0) < 0) ||
		(term && strcmp(term, "vt100") == 0);
}

const char *mark(enum mark which)
{
	static const char *const marks[][2] = {
		[MARK_BEGUN] = { "•", "*" },     [MARK_OK] = { "✓", "+" },
		[MARK_FAILED] = { "✗", "x" },    [MARK_INFO] = { "ℹ", "i" },
		[MARK_WARNING] = { "⚠", "!" },   [MARK_MORE] = { "…", "..." },
		[MARK_TODO] = { "☐", "[ ]" },    [MARK_DOING] = { "▸", "[>]" },
		[MARK_DROPPED] = { "–", "[-]" }, [MARK_DOT] = { "·", "-" },
		[MARK_BULLET] = { "•", "*" },    [MARK_BAR] = { "│", "|" },
		[MARK_RULE] = { "─", "-" },      [MARK_CROSS] = { "┼", "+" },
	};

	return marks[which][ascii];
}

const char *mark_spinner(size_t i)
{
	static const char *const dots[] = { "⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏" };
	static const char *const lines[] = { "|", "/", "-", "\\" };

	return ascii ? lines[i % ARRAY_LEN(lines)] : dots[i % ARRAY_LEN(dots)];
}
