/*
 * How deep recursion may go.  The threads of a host may have stacks of 64 KiB, and what is nested
 * is foreign: who goes down a level more for each bracket of it asks here, and takes the input for
 * one that is nested too deeply.
 */
#pragma once

#include <stddef.h>

/* Bytes of this thread's stack that are left; SIZE_MAX where they cannot be told, or are many. */
size_t stack_left(void);
