/*
 * The stepping form, for hosts with a loop of their own: one poll() waits for the hooks and for
 * what else the host has, here a clock that ticks every 10 ms and the user's Ctrl+D on stdin.
 *
 *	./poll 'make -j8'
 *
 * Ctrl+D cancels.  Exit status as that of fire.c.
 */
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/timerfd.h>
#include <trotline.h>
#include <unistd.h>

enum { FDS_MAX = 64, TIMER = 0, INPUT = 1, OURS = 2 };

static int timer_new(void)
{
	struct itimerspec every = { { 0, 10000000 }, { 0, 10000000 } };
	int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd >= 0)
		(void)timerfd_settime(fd, 0, &every, NULL);
	return fd;
}

/* True when the user has closed stdin. */
static int is_closed(const struct pollfd *in)
{
	char bytes[256];

	return in->revents && read(in->fd, bytes, sizeof bytes) <= 0;
}

/* The loop: our two descriptors first, behind them those of the hooks. */
static void run(struct tl_job *job, int timer)
{
	struct pollfd fds[OURS + FDS_MAX] = { { timer, POLLIN, 0 }, { STDIN_FILENO, POLLIN, 0 } };
	struct pollfd *theirs = fds + OURS;
	size_t n = 0;
	int timeout_ms;
	uint64_t ticks, sum = 0;

	while (!tl_job_step(job, n ? theirs : NULL, n)) {
		n = tl_job_fds(job, theirs, FDS_MAX, &timeout_ms);
		if (n > FDS_MAX) /* nothing was filled: a real host makes room */
			n = 0;
		if (poll(fds, OURS + n, timeout_ms) < 0)
			n = 0;
		if (fds[TIMER].revents && read(timer, &ticks, sizeof ticks) == sizeof ticks)
			sum += ticks;
		if (is_closed(&fds[INPUT])) {
			tl_job_cancel(job); /* asks the hooks to end; go on until they have */
			fds[INPUT].fd = -1;
		}
	}
	fprintf(stderr, "%llu ticks while the hooks ran\n", (unsigned long long)sum);
}

static int report(struct tl_job *job)
{
	struct tl_outcome *o;
	struct tl_err err;
	int allowed;

	if (tl_job_finish(job, &o, &err) < 0) {
		fprintf(stderr, "poll: %s\n", err.text);
		return 2;
	}
	allowed = !tl_outcome_stopped(o) && tl_outcome_verdict(o) <= TL_VERDICT_ALLOW;
	printf("%s\n", allowed ? "go ahead" : "no");
	for (size_t i = 0; i < tl_outcome_report_count(o); i++) {
		struct tl_report r = TL_REPORT_INIT();

		(void)tl_outcome_report_get(o, i, &r);
		printf("  %s: %s\n", r.hook->name,
		       r.state == TL_STATE_RAN ? tl_verdict_name(r.verdict)
					       : tl_state_name(r.state));
	}
	tl_outcome_free(o);
	return !allowed;
}

int main(int argc, char **argv)
{
	char input[4096];
	struct tl_options options = TL_OPTIONS_INIT(.flags = TL_LOAD_REFUSE_UNTRUSTED);
	struct tl_field field = { "tool_input", input, 0 };
	struct tl_event event = TL_EVENT_INIT(.name = "BeforeTool", .subject = "run_shell_command",
					      .fields = &field, .nfields = 1);
	struct tl_hooks *hooks;
	struct tl_job *job;
	struct tl_err err;
	int timer = timer_new(), status = 2;

	/* A real host has a JSON library; this takes commands without ", \ and control characters.
	 */
	(void)snprintf(input, sizeof input, "{\"command\":\"%s\"}", argc > 1 ? argv[1] : "ls");
	field.length = strlen(input);
	if (tl_hooks_load(&options, &hooks, &err) < 0) {
		fprintf(stderr, "poll: %s\n", err.text);
		return 2;
	}
	job = tl_job_new(hooks, &event, &err);
	if (job) {
		run(job, timer);
		status = report(job);
	} else {
		fprintf(stderr, "poll: %s\n", err.text);
	}
	tl_hooks_unref(hooks);
	(void)close(timer);
	return status;
}
