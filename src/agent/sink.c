#include "agent/sink.h"

#include <stdarg.h>

#include "base/utf8.h"

const char *note_prefix(enum note_kind kind)
{
	static const char *const prefixes[] = {
		[NOTE_INFO] = "[INFO] ",       [NOTE_WARNING] = "[WARNING] ",
		[NOTE_ERROR] = "[ERROR] ",     [NOTE_HOOK_MESSAGE] = "Hook system message: ",
		[NOTE_BLOCKED] = "[WARNING] ", [NOTE_STOPPED] = "",
		[NOTE_TOOL_STOPPED] = "",
	};

	return prefixes[kind];
}

void note_say(const struct note_sink *to, enum note_kind kind, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 }, shown = { 0 };
	va_list ap;

	if (!to->say)
		return;
	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	(void)utf8_add_visible(&shown, buf_str(&text), false);
	to->say(to->data, kind, buf_z(&shown));
}

void note_add_line(void *out, enum note_kind kind, const char *text)
{
	buf_addf(out, "%s%s\n", note_prefix(kind), text);
}
