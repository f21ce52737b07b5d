/* What the session's thread and the terminal's say to each other. */
#include <stdarg.h>

#include "agent/transcript/transcript.h"
#include "base/utf8.h"
#include "cli/chat/chat.h"

void said_free(struct message *m)
{
	struct said *said = (struct said *)m;

	free(said->text);
	free(said->more);
	free(said->id);
	free(said->about);
	free(said->details);
	tl_hooks_unref(said->hooks);
	free(said);
}

void order_free(struct message *m)
{
	struct order *order = (struct order *)m;

	free(order->text);
	free(order);
}

void confirm_free(struct message *m)
{
	free(((struct confirm_message *)m)->changed);
	free(m);
}

static char *copy(struct str s)
{
	return s.p ? xstrndup(s.p, s.n) : NULL;
}

void worker_say(struct worker *w, enum said_what what, int64_t number, struct str text,
		struct str more)
{
	struct said *said = xcalloc(1, sizeof *said);

	said->what = what;
	said->number = number;
	said->text = copy(text);
	said->more = copy(more);
	queue_push(w->said, &said->m);
}

void worker_say_call(struct worker *w, enum said_what what, const struct said_call *call)
{
	struct said *said = xcalloc(1, sizeof *said);

	said->what = what;
	said->number = call->ok;
	said->text = copy(call->name);
	said->more = copy(call->text);
	said->id = copy(str_from(call->id));
	said->about = copy(call->about);
	said->details = copy(call->details);
	queue_push(w->said, &said->m);
}

void worker_hooks(struct worker *w, struct tl_hooks *take_hooks)
{
	struct said *said = xcalloc(1, sizeof *said);

	said->what = SAID_HOOKS;
	said->hooks = take_hooks;
	queue_push(w->said, &said->m);
}

void worker_print(struct worker *w, const char *fmt, ...)
{
	AUTO(buf_done) struct buf text = { 0 };
	va_list ap;

	va_start(ap, fmt);
	buf_vaddf(&text, fmt, ap);
	va_end(ap);
	worker_say(w, SAID_PRINT, 0, buf_str(&text), (struct str){ 0 });
}

void worker_state(struct worker *w)
{
	worker_say(w, SAID_STATE, session_tokens(w->session), str_from(session_model(w->session)),
		   str_from(session_id(w->session)));
}

enum { RECENT_ITEMS = 100 }; /* more than there are rows on most screens */

void worker_show_recent(struct worker *w, const char *path)
{
	AUTO(arena_done) struct arena a = { 0 };
	const struct json *recent = transcript_recent(path, RECENT_ITEMS, &a, NULL);

	if (recent)
		worker_say(
			w, SAID_RECENT, 0,
			json_text(&a, session_display_again(w->session, recent, &a), JSON_COMPACT),
			(struct str){ 0 });
}

bool slash_can_offer(const char *name)
{
	for (const char *p = name; *p; p++)
		if ((unsigned char)*p < ' ' || *p == 0x7f)
			return false;
	return utf8_valid(str_from(name)) == strlen(name);
}

void slash_complete_words(const char *const *words, size_t n, struct str typed, struct buf *out)
{
	for (size_t i = 0; i < n; i++)
		if (str_starts(str_from(words[i]), typed))
			buf_addf(out, "%s\t\n", words[i]);
}

bool worker_may_reload(struct worker *w)
{
	struct err err;

	if (session_may_reload(w->session, &err) == 0)
		return true;
	worker_print(w, "%s", err.text);
	return false;
}
