/* Linked into every unit test: a directory of its own, and descriptors that must not stay open. */
#pragma once

enum { TEMP_SIZE = 64 };

/* A new directory; 0, or -1. */
int temp_make(char path[TEMP_SIZE]);
/* With all that is in it; links are not followed. */
int temp_remove(const char *path);
/* How many descriptors this process has open. */
int temp_fds(void);
