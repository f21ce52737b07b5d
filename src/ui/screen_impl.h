/* What the parts of the screen share. */
#pragma once

#include "ui/complete.h"
#include "ui/keys.h"
#include "ui/layout.h"
#include "ui/line.h"
#include "ui/screen.h"
#include "ui/screen_draw.h"

struct screen {
	struct screen_handler handler;
	char *prompt, *placeholder;
	size_t columns, rows;
	bool color, dumb, reflows;
	bool gone; /* the terminal is */
	bool suspended;

	struct buf above, live; /* printed and not drawn yet; the live lines */
	struct frame drawn, next;
	bool dirty, urgent; /* to be drawn; at once */
	int64_t drawn_us, resized_us;

	struct keys typed;
	size_t early; /* bytes that were typed before the dialog was drawn: they are for the line */
	bool unseen; /* what grabs the keys is not drawn yet */
	/* The last key that was for the line, or for the dialog before; and for this dialog. */
	struct held_key {
		char bytes[8];
		size_t n;
		int64_t at_us, within_us; /* it comes again sooner while it is held down */
	} held, given;
	void (*grab)(void *data, const char *key);
	void *grab_data;

	struct complete complete;
	struct layout layout; /* of the line, as drawn last */
	size_t top; /* its first row that is shown */
	int64_t escape_us;

	bool typing; /* completions are to be asked for */
	struct buf raw; /* written before the next frame */

	/* Dumb terminals: what has come of a line, the dialog that was shown, and whether the
	 * prompt is there. */
	struct buf line, shown;
	bool prompted;
};

/* Makes s->next of all that is shown (screen_compose.c). */
void screen_compose(struct screen *s);
/* Columns for the text of the line: one is left for the cursor. */
size_t screen_text_columns(const struct screen *s);
/* Appends the submitted text as it stays on the screen. */
void screen_echo(struct screen *s, struct str text, struct buf *out);
/*
 * Appends lines of others with nothing in them but text, line ends, CSI ... m and hyperlinks
 * (not even these when plain).  Everything was cleaned before; this is the last gate.
 */
void screen_gate(struct str lines, bool plain, struct buf *out);
/* Hands a submitted input over. */
void screen_submit(struct screen *s, struct str text);
/* Everything that is there now; -E_NOTFOUND when the terminal is gone. */
int screen_read_keys(struct screen *s);
/* Draws at the next chance, at once or when a frame is due. */
void screen_touch(struct screen *s, bool urgent);
void screen_write(struct screen *s, struct str bytes);
/* Nothing of what was drawn is where it was. */
void screen_forget_drawn(struct screen *s);
/* Looks how large the terminal is now. */
void screen_follow_size(struct screen *s);

/* A key for the line or the grabbing dialog (screen_keys.c). */
void screen_key(struct screen *s, const struct key *key);
bool screen_command(void *data, enum line_command command);
/* Asks for completions when that is due. */
void screen_offer(struct screen *s);

/* On a dumb terminal (screen_dumb.c). */
int screen_dumb_input(struct screen *s);
int screen_dumb_timeout_ms(const struct screen *s);
