/* The system calls that a sandbox refuses, as a program for the kernel's filter (seccomp). */
#pragma once

#include <linux/filter.h>
#include <stdint.h>

/* What is refused besides what always is. */
enum {
	CALLS_NETWORK = 1 << 0, /* all sockets, but for pairs of one's own */
	CALLS_CHANGE = 1 << 1, /* owners, modes, times and attributes of files */
	CALLS_ROAM = 1 << 2, /* sessions and groups of one's own */
	CALLS_TRUNCATE = 1 << 3, /* what Landlock does not know before its third version */
	CALLS_CONNECTED = 1 << 4, /* where there is a network, what is none of TCP and UDP */
};

/* Writes it, and returns how many steps it has; at most CAGE_STEPS. */
unsigned short sandbox_calls(struct sock_filter *steps, uint32_t arch, unsigned refused);
