/*
 * Bytes from a terminal made into keys.  Pure: time is an argument.  Pieces may end anywhere: in a
 * character, in an escape sequence, in a paste.
 *
 *	\e alone, for KEYS_ESC_MS      the Esc key
 *	\e[A \eOA \e[1;5C \e[3~        sequences of function keys, ended by a byte from @ to ~
 *	\ex                            Alt+x
 *	\e[13;2u \e[27;5;105~          the same keys, as terminals with modifyOtherKeys send them:
 *	                               made into what they are elsewhere
 *	\e[200~ ... \e[201~            a paste
 *	\e[?1;2c \e]...\a \eP...\e\    answers of the terminal: dropped
 */
#pragma once

#include "base/buf.h"

enum {
	KEYS_ESC_MS = 40,
	KEYS_SEQUENCE_MS = 500, /* for the rest of a sequence that has begun */
	KEYS_PASTE_MS = 3000, /* nothing more of a paste: its end was lost */
	KEYS_PASTE_MAX = 16 << 20,
	KEYS_NAME_SIZE = 16,
};

enum key_kind {
	KEY_TEXT, /* a whole character, or a control character */
	KEY_SEQUENCE,
	KEY_ESC,
	KEY_PASTE, /* cleaned: lines end in \n, no other control characters but tabs */
};

struct key {
	enum key_kind kind;
	struct str bytes; /* valid until the next call for the same keys */
};

struct keys {
	struct buf in, paste, clean;
	size_t at; /* what was used of in */
	bool pasting;
	int64_t since_us; /* when the newest bytes came */
	char made[8];
};

void keys_done(struct keys *k);
void keys_add(struct keys *k, struct str bytes, int64_t now_us);
/* The next key; false when there is none (yet). */
bool keys_next(struct keys *k, int64_t now_us, struct key *ret_key);
/* How many bytes wait to become keys. */
size_t keys_waiting(const struct keys *k);
/* When keys_next() may have one without more bytes; -1 = never. */
int keys_timeout_ms(const struct keys *k, int64_t now_us);
/* "enter", "up", "ctrl-c", "shift-tab", or the character itself; "" for what has no name. */
void key_name(const struct key *key, char out[KEYS_NAME_SIZE]);
