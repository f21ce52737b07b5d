/* The terminal is taken, and the side of the loop: descriptors, patience, what was typed. */
#include "os/clock.h"
#include "os/term.h"
#include "ui/marks.h"
#include "ui/screen_impl.h"

enum { HISTORY_DEFAULT = 1000, SETTLE_MS = 300 };

/* Brackets around pastes; Shift+Enter told from Enter where terminals can. */
#define ENTER "\033[?2004h"
#define ENTER_KEYS "\033[>4;1m"
/* Also what a frame that was cut off may have left, and what is below the cursor. */
#define LEAVE "\033[?2026l\033[?25h\033[?2004l\033[0m\r\033[J"
#define LEAVE_KEYS "\033[>4m"

/* By the beginning of TERM; the first that fits. */
static const struct {
	const char *term;
	bool reflows; /* long rows are broken anew when the width changes */
	bool keys; /* takes CSI > 4 m */
} terminals[] = {
	{ "linux", false, false }, { "vt", false, false },  { "screen", false, false },
	{ "tmux", true, true },    { "xterm", true, true }, { "alacritty", true, true },
	{ "foot", true, true },    { "", true, false },
};

static bool env_is_set(const char *name)
{
	const char *value = getenv(name);

	return value && *value;
}

static int take_terminal(struct screen *s, struct err *err)
{
	struct str term = str_from(getenv("TERM"));
	size_t i = 0;

	if (s->dumb)
		return term_start(&(struct term_mode){ .enter = "", .leave = "" }, err);
	while (!str_starts(term, str_from(terminals[i].term)))
		i++;
	s->reflows = (terminals[i].reflows || env_is_set("TMUX")) && !env_is_set("XTERM_VERSION");
	return term_start(
		&(struct term_mode){
			.raw = true,
			.enter = terminals[i].keys ? ENTER ENTER_KEYS : ENTER,
			.leave = terminals[i].keys ? LEAVE_KEYS LEAVE : LEAVE,
		},
		err);
}

struct screen *screen_new(const struct screen_options *o, struct err *err)
{
	struct screen *s = xcalloc(1, sizeof *s);
	struct line_options line = {
		.history_path = o->history_path,
		.history_max = o->history_max ? o->history_max : HISTORY_DEFAULT,
		.command = screen_command,
		.data = s,
	};
	const char *term;

	marks_choose();
	s->handler = o->handler;
	term = getenv("TERM");
	s->dumb = !term || !*term || strcmp(term, "dumb") == 0 || strcmp(term, "unknown") == 0;
	s->color = !s->dumb && !env_is_set("NO_COLOR");
	s->prompt = xstrdup(o->prompt ? o->prompt : "> ");
	s->placeholder = xstrdup(o->placeholder ? o->placeholder : "");
	/* readline first: what it says about inputrc is written to a terminal in order. */
	if (!term_present()) {
		(void)err_set(err, E_INVAL, "standard input and output are not both a terminal");
	} else if ((s->dumb || line_start(&line, err) >= 0) && take_terminal(s, err) >= 0) {
		term_size(&s->columns, &s->rows);
		screen_touch(s, true);
		return s;
	}
	screen_free(s);
	return NULL;
}

int screen_fd(const struct screen *s)
{
	return s->gone || s->suspended ? -1 : TERM_IN;
}

int screen_signal_fd(const struct screen *s)
{
	return s->gone || s->suspended ? -1 : term_event_fd();
}

/*
 * While a window is being dragged, terminals (tmux: for 250 ms) break their rows anew before they
 * tell us; what is drawn in between lands in wrong rows.  So after a change only what is typed is
 * drawn.
 */
static int64_t frame_due_us(const struct screen *s)
{
	int64_t frame = s->drawn_us + 1000 * SCREEN_FRAME_MS;
	int64_t settled = s->resized_us + (s->resized_us ? 1000 * SETTLE_MS : 0);

	return s->urgent ? 0 : (settled > frame ? settled : frame) - clock_us();
}

int screen_timeout_ms(const struct screen *s)
{
	int keys = keys_timeout_ms(&s->typed, clock_us());
	int64_t due = frame_due_us(s);

	if (s->gone || s->suspended)
		return -1;
	if (s->dumb)
		return screen_dumb_timeout_ms(s);
	if (!s->dirty)
		return keys;
	int frame = due <= 0 ? 0 : (int)((due + 999) / 1000);

	return keys >= 0 && keys < frame ? keys : frame;
}

int screen_input(struct screen *s)
{
	struct key key;
	int events;

	if (s->gone)
		return -E_NOTFOUND;
	if (s->suspended)
		return 0;
	if (s->dumb)
		return screen_dumb_input(s);
	events = term_events();
	if (events & TERM_CONTINUED) {
		buf_addz(&s->raw, "\r\033[J");
		screen_forget_drawn(s);
	}
	if (events & TERM_RESIZED)
		screen_follow_size(s);
	/* Patience with half a key is over only when nothing was there to read after its end. */
	int64_t now = clock_us();

	(void)screen_read_keys(s);
	while (!s->suspended && keys_next(&s->typed, now, &key)) {
		screen_key(s, &key);
		s->early = min_size(s->early, keys_waiting(&s->typed));
		screen_touch(s, true);
	}
	if (s->suspended)
		return 0;
	screen_offer(s);
	if (s->dirty && frame_due_us(s) <= 0)
		screen_flush(s);
	return s->gone ? -E_NOTFOUND : 0;
}

void screen_grab(struct screen *s, void (*keys)(void *data, const char *key), void *data)
{
	if (keys && !s->grab && s->given.n && s->given.at_us >= s->held.at_us)
		s->held = s->given;
	s->unseen = keys && (!s->grab || s->unseen);
	s->grab = keys;
	s->grab_data = data;
	buf_clear(&s->shown);
	screen_touch(s, true);
}
