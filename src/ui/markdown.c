#include "ui/markdown.h"
