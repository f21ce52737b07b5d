/*
 * What the tests of os/proc.h share.  Each test runs twice, with pidfds and with the waiting
 * thread, and must leave neither a descriptor nor a child behind.
 */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "os/proc.h"

enum { GRACE_MS = 200, DEADLINE_MS = 60000 };

/* A shell script with more fields of struct proc_spec; DEADLINE_MS and GRACE_MS unless given. */
#define RUN_SH(p, script, ...) run_sh((p), (script), (struct proc_spec){ __VA_ARGS__ })
#define START_SH(p, script, ...) start_sh((p), (script), (struct proc_spec){ __VA_ARGS__ })
int run_sh(struct proc *p, const char *script, struct proc_spec spec);
int start_sh(struct proc *p, const char *script, struct proc_spec spec);
/* Text or a sized array as the input of struct proc_spec. */
#define INPUT(ptr, len) .input = &(struct iovec){ (void *)(uintptr_t)(ptr), (len) }, .ninput = 1

#define IN_MODE(test, mode)                                                                        \
	{                                                                                          \
#test ", " #mode, test, with_##mode, left_nothing, NULL                            \
	}
#define BOTH_MODES(test) IN_MODE(test, pidfd), IN_MODE(test, thread)

int with_pidfd(void **state);
int with_thread(void **state);
int left_nothing(void **state);

/* Steps until it has ended. */
void step_to_end(struct proc *p);
void assert_out(const struct proc *p, const char *text);
void assert_exit(const struct proc *p, int status);
/* A FIFO that a process opens for writing: readable end, and its path for scripts. */
int open_fifo(const char *path);
/* Waits until every process that held the FIFO open is gone. */
void assert_hung_up(int fifo);
/* The path of a new directory of this test program; removed at its exit. */
const char *scratch_dir(void);
const char *scratch_file(const char *name, const char *content, unsigned mode);
