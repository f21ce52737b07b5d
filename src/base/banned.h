/* Functions whose safe use cannot be seen at the call: using one is a compile error. */
#pragma once

#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define BANNED(fn) sorry_##fn##_is_banned_see_base_banned_h

#undef strcpy
#define strcpy(d, s) BANNED(strcpy)
#undef strcat
#define strcat(d, s) BANNED(strcat)
#undef strncpy
#define strncpy(d, s, n) BANNED(strncpy)
#undef strncat
#define strncat(d, s, n) BANNED(strncat)
#undef sprintf
#define sprintf(...) BANNED(sprintf)
#undef vsprintf
#define vsprintf(...) BANNED(vsprintf)
#undef strtok
#define strtok(s, d) BANNED(strtok)
#undef atoi
#define atoi(s) BANNED(atoi)
#undef atol
#define atol(s) BANNED(atol)
#undef gets
#define gets(s) BANNED(gets)
#undef gmtime
#define gmtime(t) BANNED(gmtime)
#undef localtime
#define localtime(t) BANNED(localtime)
#undef ctime
#define ctime(t) BANNED(ctime)
#undef asctime
#define asctime(t) BANNED(asctime)
#undef system
#define system(c) BANNED(system)
#undef popen
#define popen(c, m) BANNED(popen)
#undef tmpnam
#define tmpnam(s) BANNED(tmpnam)
#undef mktemp
#define mktemp(s) BANNED(mktemp)
/* fork() costs by the host's memory (docs/performance.md) and copies locked locks: posix_spawn. */
#undef fork
#define fork() BANNED(fork)
#undef vfork
#define vfork() BANNED(vfork)
/* The disposition of a signal belongs to the program, see os/signal.h (agent only). */
#undef signal
#define signal(n, f) BANNED(signal)
/* What a letter is, and which is its capital, depends on a host's locale: base/str.h. */
#undef isalnum
#define isalnum(c) BANNED(isalnum)
#undef isalpha
#define isalpha(c) BANNED(isalpha)
#undef isdigit
#define isdigit(c) BANNED(isdigit)
#undef isxdigit
#define isxdigit(c) BANNED(isxdigit)
#undef islower
#define islower(c) BANNED(islower)
#undef isupper
#define isupper(c) BANNED(isupper)
#undef isspace
#define isspace(c) BANNED(isspace)
#undef isblank
#define isblank(c) BANNED(isblank)
#undef iscntrl
#define iscntrl(c) BANNED(iscntrl)
#undef isprint
#define isprint(c) BANNED(isprint)
#undef isgraph
#define isgraph(c) BANNED(isgraph)
#undef ispunct
#define ispunct(c) BANNED(ispunct)
#undef tolower
#define tolower(c) BANNED(tolower)
#undef toupper
#define toupper(c) BANNED(toupper)
#undef strcasecmp
#define strcasecmp(a, b) BANNED(strcasecmp)
#undef strncasecmp
#define strncasecmp(a, b, n) BANNED(strncasecmp)
#undef strcasestr
#define strcasestr(a, b) BANNED(strcasestr)
