/* Installing, updating and removing extensions, with consent. */
#include "cli/cli.h"
