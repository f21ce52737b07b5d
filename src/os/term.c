/* What the signal handlers need is static and is set before they are installed. */
#include "os/term.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdatomic.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "os/fd.h"

/* Restored at these unless the host handles them; they then do what they always did. */
static const int fatal_signals[] = { SIGABRT, SIGBUS,  SIGFPE,  SIGHUP, SIGILL,
				     SIGINT,  SIGQUIT, SIGSEGV, SIGTERM };
static const int our_signals[] = { SIGWINCH, SIGTSTP, SIGCONT };

static struct {
	struct term_mode mode;
	struct termios before, ours;
	size_t enter_n, leave_n;
	int wake[2];
	bool started;
	atomic_bool taken; /* the terminal is in our mode */
	atomic_int events;
} term = { .wake = { -1, -1 } };

/* For stack overflows: the handlers run here. */
static char signal_stack[64 << 10];

/* ---- async-signal-safe ---- */

static bool in_foreground(void)
{
	return tcgetpgrp(TERM_IN) == getpgrp();
}

static void give_back(void)
{
	if (!atomic_exchange(&term.taken, false) || !in_foreground())
		return;
	(void)!write(TERM_OUT, term.mode.leave, term.leave_n);
	(void)tcsetattr(TERM_IN, TCSANOW, &term.before);
}

static void take(void)
{
	if (atomic_exchange(&term.taken, true))
		return;
	(void)tcsetattr(TERM_IN, TCSANOW, &term.ours);
	(void)!write(TERM_OUT, term.mode.enter, term.enter_n);
}

static void note(int event)
{
	atomic_fetch_or(&term.events, event);
	(void)!write(term.wake[1], "", 1);
}

static void on_fatal(int sig)
{
	give_back();
	(void)raise(sig); /* SA_RESETHAND: the default action now */
}

static void handle(int sig, void (*handler)(int), int flags)
{
	struct sigaction sa = { .sa_handler = handler, .sa_flags = flags };

	sigemptyset(&sa.sa_mask);
	sigaction(sig, &sa, NULL);
}

static void on_ours(int sig)
{
	int saved = errno;

	if (sig == SIGWINCH) {
		note(TERM_RESIZED);
	} else if (sig == SIGTSTP) {
		bool was_taken = atomic_load(&term.taken);
		sigset_t set, before;

		give_back();
		/* Stops here, and goes on from here. */
		handle(SIGTSTP, SIG_DFL, 0);
		sigemptyset(&set);
		sigaddset(&set, SIGTSTP);
		(void)raise(SIGTSTP);
		pthread_sigmask(SIG_UNBLOCK, &set, &before);
		pthread_sigmask(SIG_SETMASK, &before, NULL);
		handle(SIGTSTP, on_ours, SA_RESTART);
		if (was_taken)
			take();
		note(TERM_CONTINUED | TERM_RESIZED);
	} else if (atomic_load(&term.taken)) { /* SIGCONT after SIGSTOP: the shell had it */
		atomic_store(&term.taken, false);
		if (in_foreground())
			take();
		note(TERM_CONTINUED | TERM_RESIZED);
	}
	errno = saved;
}

/* ---- start and stop ---- */

bool term_present(void)
{
	return isatty(TERM_IN) && isatty(TERM_OUT);
}

/* Only where the host has no handler of its own, which is expected to exit or abort. */
static void handle_default(int sig, void (*handler)(int), int flags)
{
	struct sigaction now;

	if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == SIG_DFL)
		handle(sig, handler, flags);
}

static void unhandle(int sig, void (*handler)(int))
{
	struct sigaction now;

	if (sigaction(sig, NULL, &now) == 0 && now.sa_handler == handler)
		handle(sig, SIG_DFL, 0);
}

static struct termios mode_for(const struct termios *before, bool raw)
{
	struct termios t = *before;

	if (raw) {
		t.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INLCR | IGNCR | INPCK | ISTRIP | IXON);
		t.c_lflag &= ~(tcflag_t)(ECHO | ECHONL | ICANON | IEXTEN | ISIG);
		t.c_cc[VMIN] = 1;
		t.c_cc[VTIME] = 0;
	} else {
		t.c_cc[VINTR] = t.c_cc[VQUIT] = _POSIX_VDISABLE;
		t.c_cc[VEOL] = 'C' & 0x1f;
#ifdef VEOL2
		t.c_cc[VEOL2] = '\033';
#endif
	}
	return t;
}

int term_start(const struct term_mode *mode, struct err *err)
{
	static bool at_exit;
	stack_t stack, now;

	if (term.started)
		return err_set(err, E_BUSY, "the terminal is in use");
	if (!term_present())
		return err_set(err, E_INVAL, "standard input and output are not both a terminal");
	if (tcgetattr(TERM_IN, &term.before) < 0)
		return err_errno(err, errno, "the terminal");
	if (term.wake[0] < 0 && pipe2(term.wake, O_CLOEXEC | O_NONBLOCK) < 0)
		return err_errno(err, errno, "a pipe for the terminal");
	term.mode = *mode;
	term.enter_n = strlen(mode->enter);
	term.leave_n = strlen(mode->leave);
	term.ours = mode_for(&term.before, mode->raw);
	term.started = true;
	stack = (stack_t){ .ss_sp = signal_stack, .ss_size = sizeof signal_stack };
	if (sigaltstack(NULL, &now) == 0 && now.ss_flags == SS_DISABLE)
		(void)sigaltstack(&stack, NULL);
	for (size_t i = 0; i < ARRAY_LEN(fatal_signals); i++)
		handle_default(fatal_signals[i], on_fatal, SA_RESETHAND | SA_NODEFER | SA_ONSTACK);
	for (size_t i = 0; i < ARRAY_LEN(our_signals); i++)
		handle_default(our_signals[i], on_ours, SA_RESTART);
	take();
	if (!at_exit)
		(void)atexit(give_back);
	at_exit = true;
	return 0;
}

void term_stop(void)
{
	if (!term.started)
		return;
	give_back();
	for (size_t i = 0; i < ARRAY_LEN(fatal_signals); i++)
		unhandle(fatal_signals[i], on_fatal);
	for (size_t i = 0; i < ARRAY_LEN(our_signals); i++)
		unhandle(our_signals[i], on_ours);
	fd_close(&term.wake[0]);
	fd_close(&term.wake[1]);
	term.started = false;
	atomic_store(&term.events, 0);
}

void term_pause(void)
{
	if (term.started)
		give_back();
}

void term_resume(void)
{
	if (term.started)
		take();
}

void term_stop_process(void)
{
	(void)kill(0, SIGTSTP); /* the shell waits for all of the group */
}

/* ---- use ---- */

int term_events(void)
{
	char sink[64];

	if (!atomic_load(&term.events))
		return 0;
	while (read(term.wake[0], sink, sizeof sink) > 0)
		;
	int events = atomic_exchange(&term.events, 0);

	if (events & TERM_CONTINUED)
		take(); /* in the background this stops us, as it should */
	return events;
}

int term_event_fd(void)
{
	return term.wake[0];
}

size_t term_columns(int fd)
{
	enum { LEAST = 20, DEFAULT = 80 };
	struct winsize size;

	return ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col ? max_size(size.ws_col, LEAST)
								: DEFAULT;
}

void term_size(size_t *ret_columns, size_t *ret_rows)
{
	struct winsize size = { 0 };

	(void)ioctl(TERM_OUT, TIOCGWINSZ, &size);
	*ret_columns = size.ws_col ? size.ws_col : 80;
	*ret_rows = size.ws_row ? size.ws_row : 24;
}

int term_read(char *p, size_t n, bool *ret_end)
{
	struct pollfd fd = { .fd = TERM_IN, .events = POLLIN };
	ssize_t r = fd_poll(&fd, 1, 0);

	if (r <= 0)
		return 0;
	if (!(fd.revents & POLLIN))
		return -E_NOTFOUND;
	r = read(TERM_IN, p, n);
	if (r > 0)
		return (int)r;
	if (r < 0)
		return errno == EINTR || errno == EAGAIN ? 0 : -E_NOTFOUND;
	if (ret_end && !(fd.revents & POLLHUP) && !term.mode.raw) {
		*ret_end = true;
		return 0;
	}
	return -E_NOTFOUND;
}

void term_drop_input(void)
{
	(void)tcflush(TERM_IN, TCIFLUSH);
}

int term_write(struct str bytes)
{
	while (bytes.n > 0) {
		ssize_t r = write(TERM_OUT, bytes.p, bytes.n);

		if (r >= 0) {
			bytes = str_sub(bytes, (size_t)r, bytes.n);
			continue;
		}
		if (errno == EAGAIN) { /* somebody made it non-blocking for all who share it */
			struct pollfd fd = { .fd = TERM_OUT, .events = POLLOUT };

			(void)fd_poll(&fd, 1, -1);
		} else if (errno != EINTR) {
			return -E_NOTFOUND;
		}
	}
	return 0;
}
