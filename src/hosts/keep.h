/* The keeper (C6.14): hooks/keeper.h says what it is asked. */
#pragma once

#define KEEP_HOOKS "--keep-hooks"

/* Keeps the processes of a user's warm hooks until nothing asks for them any longer. */
_Noreturn void keep_hooks(const char *home);
