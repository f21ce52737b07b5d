/* What people are told by a session, and what of it the transcript keeps. */
#include <stdarg.h>

#include "agent/session_impl.h"

void session_record_note(struct session *s, enum note_kind kind, struct str text)
{
	/* What goes into the transcript, and as which type of line. */
	static const char *const recorded_as[] = {
		[NOTE_INFO] = NULL,           [NOTE_WARNING] = "warning", [NOTE_ERROR] = "error",
		[NOTE_HOOK_MESSAGE] = "info", [NOTE_BLOCKED] = "warning", [NOTE_STOPPED] = "info",
		[NOTE_TOOL_STOPPED] = "info",
	};

	if (recorded_as[kind])
		transcript_note(s->transcript, recorded_as[kind], text);
}

void session_note(struct session *s, enum note_kind kind, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	s->o.sink.note(s->o.sink.data, kind, buf_str(&text));
	session_record_note(s, kind, buf_str(&text));
}

void session_waiting(struct session *s, const char *what)
{
	if (s->o.sink.waiting)
		s->o.sink.waiting(s->o.sink.data, what);
}
