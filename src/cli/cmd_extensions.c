/* trotline extensions: list, enable, disable, link, new, validate. */
#include "cli/cli.h"
