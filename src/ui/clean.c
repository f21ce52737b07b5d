#include "ui/clean.h"
