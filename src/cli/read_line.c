#include "cli/read_line.h"

#include <errno.h>
#include <poll.h>
#include <termios.h>
#include <unistd.h>

#include "cli/interrupt.h"
#include "os/fd.h"

enum { SIGNAL_LOOK_MS = 100 };

/* Byte by byte: a buffer would swallow what answers the next question. */
static int read_bytes(struct buf *answer, struct err *err)
{
	for (;;) {
		struct pollfd fd = { .fd = STDIN_FILENO, .events = POLLIN };
		char c;
		ssize_t n;

		if (interrupt_signal())
			return err_set(err, E_CANCEL, "interrupted");
		if (fd_poll(&fd, 1, SIGNAL_LOOK_MS) == 0)
			continue;
		n = read(STDIN_FILENO, &c, 1);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return answer->n ? 1 : 0;
		if (c == '\n')
			return 1;
		if (answer->n == ASK_LINE_MAX)
			return err_set(err, E_LIMIT, "the answer is longer than %d bytes",
				       ASK_LINE_MAX);
		buf_addc(answer, c);
	}
}

int read_line(FILE *to, bool secret, struct buf *answer, struct err *err)
{
	struct termios old, now;
	bool hidden = secret && tcgetattr(STDIN_FILENO, &old) == 0;
	int r;

	(void)interrupt_cancel();
	(void)fflush(to);
	if (hidden) {
		now = old;
		now.c_lflag &= ~(tcflag_t)ECHO;
		(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &now);
	}
	r = read_bytes(answer, err);
	if (hidden)
		(void)tcsetattr(STDIN_FILENO, TCSAFLUSH, &old);
	if (hidden || r <= 0 || !isatty(STDIN_FILENO))
		(void)fputc('\n', to);
	(void)fflush(to); /* what is said on stderr about the answer comes behind it */
	return r;
}
