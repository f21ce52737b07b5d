/* Starting a program and waiting for it. */
#pragma once

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "bench.h"

/*
 * Runs it in `dir` with this file as input (NULL = nothing) and its output thrown away; it must end
 * well.  Returns microseconds.
 */
static inline double bench_run(const char *dir, const char *const *argv, const char *in,
			       char *const *env, long *max_kb)
{
	posix_spawn_file_actions_t fa;
	struct rusage usage;
	int status;
	pid_t pid;
	double start = bench_now_us();

	(void)posix_spawn_file_actions_init(&fa);
	(void)posix_spawn_file_actions_addchdir_np(&fa, dir);
	(void)posix_spawn_file_actions_addopen(&fa, 0, in ? in : "/dev/null", O_RDONLY, 0);
	(void)posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	bench_must(!posix_spawn(&pid, argv[0], &fa, NULL, (char *const *)argv, env), argv[0]);
	(void)posix_spawn_file_actions_destroy(&fa);
	bench_must(wait4(pid, &status, 0, &usage) == pid, "wait4");
	start = bench_now_us() - start;
	bench_must(status == 0, argv[0]);
	*max_kb = usage.ru_maxrss > *max_kb ? usage.ru_maxrss : *max_kb;
	return start;
}
