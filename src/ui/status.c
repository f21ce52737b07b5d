#include "ui/status.h"
