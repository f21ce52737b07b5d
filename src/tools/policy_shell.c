#include "tools/policy.h"
