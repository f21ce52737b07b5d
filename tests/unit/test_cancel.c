/* Cancel objects: the tree, the descriptor, many threads at once. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/cancel.h"

static bool is_readable(const struct cancel *c)
{
	struct pollfd fd = { .fd = cancel_fd(c), .events = POLLIN };

	return poll(&fd, 1, 0) == 1;
}

static void assert_fired(const struct cancel *c, bool fired)
{
	assert_int_equal(cancel_fired(c), fired);
	assert_int_equal(is_readable(c), fired);
}

static void fires_for_ever(void **state)
{
	AUTO(cancel_free) struct cancel *c = cancel_new(NULL);

	(void)state;
	assert_fired(c, false);
	cancel_fire(c);
	cancel_fire(c);
	assert_fired(c, true);
	assert_fired(c, true);
	assert_true(fcntl(cancel_fd(c), F_GETFD) & FD_CLOEXEC);
}

static void null_never_fires(void **state)
{
	(void)state;
	cancel_fire(NULL);
	cancel_free(NULL);
	assert_false(cancel_fired(NULL));
	assert_int_equal(cancel_fd(NULL), -1);
}

static void fires_down_not_up(void **state)
{
	struct cancel *root = cancel_new(NULL), *a = cancel_new(root), *b = cancel_new(root);
	struct cancel *under_a = cancel_new(a), *deep = cancel_new(under_a);

	(void)state;
	cancel_fire(a);
	assert_fired(a, true);
	assert_fired(under_a, true);
	assert_fired(deep, true);
	assert_fired(b, false);
	assert_fired(root, false);
	cancel_fire(root);
	assert_fired(b, true);
	cancel_free(deep);
	cancel_free(under_a);
	cancel_free(b);
	cancel_free(a);
	cancel_free(root);
}

static void child_of_a_fired_parent_is_born_fired(void **state)
{
	AUTO(cancel_free) struct cancel *root = cancel_new(NULL);

	(void)state;
	cancel_fire(root);
	struct cancel *child = cancel_new(root), *grandchild = cancel_new(child);
	assert_fired(child, true);
	assert_fired(grandchild, true);
	cancel_free(grandchild);
	cancel_free(child);
}

/* Taken from the front, the middle and the end of the list of children. */
static void freed_child_is_forgotten(void **state)
{
	AUTO(cancel_free) struct cancel *root = cancel_new(NULL);

	(void)state;
	for (size_t gone = 0; gone < 3; gone++) {
		struct cancel *c[3];

		for (size_t i = 0; i < 3; i++)
			c[i] = cancel_new(root);
		cancel_free(c[gone]);
		if (gone == 2)
			cancel_fire(root);
		for (size_t i = 0; i < 3; i++) {
			if (i == gone)
				continue;
			assert_fired(c[i], gone == 2);
			cancel_free(c[i]);
		}
	}
}

static void no_descriptor_left(void **state)
{
	struct rlimit old, low;

	(void)state;
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
	low = (struct rlimit){ .rlim_cur = 0, .rlim_max = old.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	struct cancel *c = cancel_new(NULL);
	int saved = errno;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
	assert_null(c);
	assert_int_equal(saved, EMFILE);
}

/* The number of a closed standard descriptor is the host's. */
static void keeps_away_from_standard_descriptors(void **state)
{
	int saved = fcntl(0, F_DUPFD_CLOEXEC, 100);

	(void)state;
	(void)close(0);
	AUTO(cancel_free) struct cancel *c = cancel_new(NULL);
	(void)dup2(saved, 0);
	(void)close(saved);
	assert_true(cancel_fd(c) > 2);
	assert_fired(c, false);
}

static _Atomic(struct cancel *) target;

static void fire_target(int sig)
{
	(void)sig;
	cancel_fire(atomic_load(&target));
}

static void fires_in_a_signal_handler(void **state)
{
	struct sigaction handler = { .sa_handler = fire_target }, old;
	AUTO(cancel_free) struct cancel *c = cancel_new(NULL);

	(void)state;
	atomic_store(&target, c);
	(void)sigaction(SIGUSR1, &handler, &old);
	(void)raise(SIGUSR1);
	(void)sigaction(SIGUSR1, &old, NULL);
	assert_fired(c, true);
}

/* Makes children and waits for the parent's firing through the last one. */
static void *make_children(void *arg)
{
	struct cancel *root = arg;

	for (int i = 0; i < 2000; i++) {
		struct cancel *child = cancel_new(root), *grandchild = cancel_new(child);

		if (cancel_fired(root) && !cancel_fired(grandchild))
			return NULL;
		cancel_free(grandchild);
		cancel_free(child);
	}
	struct cancel *last = cancel_new(root);
	struct pollfd fd = { .fd = cancel_fd(last), .events = POLLIN };
	int r = poll(&fd, 1, 60000);
	bool fired = cancel_fired(last);
	cancel_free(last);
	return r == 1 && fired ? arg : NULL;
}

static void threads_may_do_all_at_once(void **state)
{
	AUTO(cancel_free) struct cancel *root = cancel_new(NULL);
	struct cancel *middle = cancel_new(root);
	pthread_t threads[4];

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(threads); i++)
		assert_int_equal(pthread_create(&threads[i], NULL, make_children, middle), 0);
	for (int i = 0; i < 500; i++)
		cancel_free(cancel_new(middle));
	cancel_fire(root);
	for (size_t i = 0; i < ARRAY_LEN(threads); i++) {
		void *good = NULL;

		assert_int_equal(pthread_join(threads[i], &good), 0);
		assert_non_null(good);
	}
	cancel_free(middle);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(fires_for_ever),
		cmocka_unit_test(null_never_fires),
		cmocka_unit_test(fires_down_not_up),
		cmocka_unit_test(child_of_a_fired_parent_is_born_fired),
		cmocka_unit_test(freed_child_is_forgotten),
		cmocka_unit_test(no_descriptor_left),
		cmocka_unit_test(keeps_away_from_standard_descriptors),
		cmocka_unit_test(fires_in_a_signal_handler),
		cmocka_unit_test(threads_may_do_all_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
