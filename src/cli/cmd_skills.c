/* trotline skills: list, enable, disable, install, uninstall. */
#include "cli/cli.h"
