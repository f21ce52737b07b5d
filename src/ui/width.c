#include "ui/width.h"
