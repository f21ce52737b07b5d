#include "ui/diff_view.h"
