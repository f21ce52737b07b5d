#include "cli/interrupt.h"

#include <signal.h>
#include <unistd.h>

#include "base/util.h"
#include "os/family.h"
#include "os/term.h"

static struct tl_cancel *cancel;
static const struct halt *halt;
static volatile sig_atomic_t arrived;

/* Firing objects without children is all that a handler may do (base/cancel.h). */
static void on_signal(int number)
{
	/* A terminal that closes says so twice, and whoever ends a session with it sends more: that
	 * is no impatience, and does not cost the session its end. */
	if (arrived && (number == SIGHUP || arrived == SIGHUP))
		return;
	if (arrived) {
		family_kill();
		term_pause();
		_exit(128 + number);
	}
	arrived = number;
	if (cancel)
		tl_cancel_fire(cancel);
	if (halt)
		halt_fire(halt);
}

static void listen_for_signals(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal, .sa_flags = SA_RESTART };

	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		(void)sigaction(numbers[i], &action, NULL);
}

struct tl_cancel *interrupt_cancel(void)
{
	if (!cancel)
		cancel = tl_cancel_new(NULL);
	if (cancel)
		listen_for_signals();
	return cancel;
}

void interrupt_halt(const struct halt *h)
{
	halt = h;
	listen_for_signals();
}

int interrupt_signal(void)
{
	return (int)arrived;
}

int interrupt_status(void)
{
	return arrived ? 128 + (int)arrived : 1;
}
