#include "cli/agent/plain.h"

#include "base/utf8.h"

enum { TEXT, ESCAPE, ESCAPE_MIDDLE, CSI, STRING, STRING_ESCAPE };

/*
 * A sequence that never ends must not swallow the answer: none that is meant to be one is longer,
 * and none has a line break in it.
 */
enum { SEQUENCE_MAX_BYTES = 4096 };

enum { ESC = 0x1b, BEL = 0x07, DEL = 0x7f, C1_FIRST = 0x80, C1_LAST = 0x9f };

static void begin(struct plain *p, unsigned char state)
{
	p->state = state;
	p->skipped = 0;
}

/* The control character that begins a sequence in this form: ESC [ and U+009B are the same. */
static unsigned char after_introducer(uint32_t c)
{
	switch (c) {
	case '[':
		return CSI;
	case ']': /* operating system command */
	case 'P': /* device control, start of string, privacy message, application command */
	case 'X':
	case '^':
	case '_':
		return STRING;
	default:
		return c >= 0x20 && c <= 0x2f ? ESCAPE_MIDDLE : TEXT;
	}
}

static void add(struct plain *p, uint32_t c, struct buf *out)
{
	char bytes[4];

	if (p->state != TEXT && (c == '\n' || ++p->skipped > SEQUENCE_MAX_BYTES))
		p->state = TEXT;
	switch (p->state) {
	case ESCAPE:
		begin(p, c == ESC ? ESCAPE : after_introducer(c));
		break;
	case ESCAPE_MIDDLE:
		if (c >= 0x30)
			p->state = TEXT;
		break;
	case CSI:
		if (c == ESC)
			begin(p, ESCAPE);
		else if (c >= 0x40)
			p->state = TEXT;
		break;
	case STRING:
		if (c == BEL || c == 0x9c)
			p->state = TEXT;
		else if (c == ESC)
			p->state = STRING_ESCAPE;
		break;
	case STRING_ESCAPE: /* ESC \ ends it, and every other sequence as well */
		begin(p, c == '\\' ? TEXT : c == ESC ? ESCAPE : after_introducer(c));
		break;
	default:
		if (p->was_return && c == '\n')
			buf_addc(out, '\r');
		p->was_return = c == '\r';
		if (c == ESC)
			begin(p, ESCAPE);
		else if (c >= C1_FIRST && c <= C1_LAST)
			begin(p, after_introducer(c - 0x40));
		else if (c == '\n' || c == '\t' || (c >= 0x20 && c != DEL))
			buf_add(out, bytes, utf8_encode(c, bytes));
		break;
	}
}

/* How many bytes at the end of s are the beginning of a character; 0 = none. */
static size_t cut_tail(struct str s)
{
	for (size_t n = 1; n <= 3 && n <= s.n; n++) {
		unsigned char c = (unsigned char)s.p[s.n - n];
		size_t whole = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : c >= 0xc2 ? 2 : 1;

		if (c >= 0xc0)
			return n < whole ? n : 0;
		if (c < 0x80)
			return 0;
	}
	return 0;
}

void plain_add(struct plain *p, struct str piece, struct buf *out)
{
	AUTO(buf_done) struct buf joined = { 0 };
	size_t tail;

	if (p->part_n) {
		buf_add(&joined, p->part, p->part_n);
		buf_adds(&joined, piece);
		piece = buf_str(&joined);
		p->part_n = 0;
	}
	tail = cut_tail(piece);
	if (tail) {
		memcpy(p->part, piece.p + piece.n - tail, tail);
		p->part_n = (unsigned char)tail;
	}
	for (size_t i = 0, len; i + tail < piece.n; i += len)
		add(p, utf8_decode(piece.p + i, piece.n - tail - i, false, &len), out);
}
