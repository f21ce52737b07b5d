#include "agent/context.h"
