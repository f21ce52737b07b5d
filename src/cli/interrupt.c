#include "cli/interrupt.h"

#include <signal.h>

#include "base/util.h"

static struct tl_cancel *cancel;
static volatile sig_atomic_t arrived;

/* Firing an object without children is all that a handler may do (base/cancel.h). */
static void on_signal(int number)
{
	arrived = number;
	tl_cancel_fire(cancel);
}

struct tl_cancel *interrupt_cancel(void)
{
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	struct sigaction action = { .sa_handler = on_signal };

	if (!cancel)
		cancel = tl_cancel_new(NULL);
	for (size_t i = 0; cancel && i < ARRAY_LEN(numbers); i++)
		(void)sigaction(numbers[i], &action, NULL);
	return cancel;
}

int interrupt_status(void)
{
	return arrived ? 128 + (int)arrived : 1;
}
