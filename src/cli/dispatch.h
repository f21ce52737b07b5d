/* What a command line means. */
#pragma once

/* (waits) Does what the words behind the program's name say; returns the exit status. */
int dispatch(int argc, char **argv);
