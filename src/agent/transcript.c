#include "agent/transcript.h"
