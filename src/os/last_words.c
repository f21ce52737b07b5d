#include "os/last_words.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <unistd.h>

enum { STACK_BYTES = 64 << 10, LIST_BYTES = 4096 };

static _Atomic(const struct last_words *) words;
static atomic_flag said = ATOMIC_FLAG_INIT;
static char stack[STACK_BYTES];

/*
 * Only what a signal handler may call.  Half an answer is none: where the agent's end of a pipe
 * does not block, we wait as if it did.  False when not all of it was written.
 */
static bool put(int fd, struct str bytes)
{
	struct pollfd room = { .fd = fd, .events = POLLOUT };

	for (size_t at = 0; at < bytes.n;) {
		ssize_t n = write(fd, bytes.p + at, bytes.n - at);

		if (n > 0)
			at += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			(void)poll(&room, 1, -1);
		else if (n == 0 || errno != EINTR)
			return false;
	}
	return true;
}

static _Noreturn void say(const struct last_words *w)
{
	struct stat st;
	bool unheard;

	/* A second signal must not speak into what the first one is saying. */
	if (atomic_flag_test_and_set(&said))
		for (;;)
			(void)pause();
	if (!w)
		_exit(1);
	/* /dev/null takes all, and tells nobody; fd_fill_standard() puts it for a closed stdout. */
	unheard = w->unheard.p && w->out.n && fstat(STDOUT_FILENO, &st) == 0 &&
		  S_ISCHR(st.st_mode) && st.st_rdev == makedev(1, 3);
	unheard |= !put(STDOUT_FILENO, w->out) && w->unheard.p;
	(void)put(STDERR_FILENO, unheard ? w->unheard : w->err);
	_exit(unheard ? w->unheard_status : w->status);
}

/*
 * Nothing would end our children after us: they lead groups of their own.  A longer list than this
 * is cut: so many hooks at once do not happen.
 */
static void on_signal(int sig)
{
	static char list[LIST_BYTES];
	int fd = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? 0 : read(fd, list, sizeof list);
	pid_t pid = 0;

	(void)sig;
	for (ssize_t i = 0; i < n; i++) {
		if (list[i] >= '0' && list[i] <= '9') {
			pid = pid * 10 + (list[i] - '0');
		} else if (pid) {
			(void)kill(-pid, SIGKILL);
			pid = 0;
		}
	}
	say(atomic_load(&words));
}

int last_words_arm(unsigned deadline_ms, struct err *err)
{
	/* All that end a process unless it says otherwise, but for those that nobody survives. */
	static const int signals[] = { SIGSEGV, SIGBUS,    SIGFPE,  SIGILL,  SIGABRT,
				       SIGSYS,  SIGXCPU,   SIGTERM, SIGHUP,  SIGINT,
				       SIGQUIT, SIGALRM,   SIGTRAP, SIGUSR1, SIGUSR2,
				       SIGIO,   SIGVTALRM, SIGPROF, SIGPWR,  SIGSTKFLT };
	const stack_t own = { .ss_sp = stack, .ss_size = sizeof stack };
	struct sigaction act = { .sa_handler = on_signal, .sa_flags = SA_ONSTACK };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	const struct itimerval timer = { .it_value = { deadline_ms / 1000,
						       (suseconds_t)(deadline_ms % 1000) * 1000 } };
	sigset_t all;

	if (sigaltstack(&own, NULL) < 0)
		return err_errno(err, errno, "an alternative stack");
	(void)sigfillset(&act.sa_mask);
	for (size_t i = 0; i < ARRAY_LEN(signals); i++)
		if (sigaction(signals[i], &act, NULL) < 0)
			return err_errno(err, errno, "a handler of signal %d", signals[i]);
	/* A reader that has gone, a file that may not grow: the calls fail, and we go on. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	/* What the agent had blocked would not arrive. */
	(void)sigemptyset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	if (setitimer(ITIMER_REAL, &timer, NULL) < 0)
		return err_errno(err, errno, "a timer");
	return 0;
}

void last_words_set(const struct last_words *w)
{
	atomic_store(&words, w);
}

_Noreturn void last_words_end(const struct last_words *w)
{
	sigset_t all;

	(void)sigfillset(&all);
	(void)sigprocmask(SIG_SETMASK, &all, NULL);
	say(w);
}
