/* Showing the user a page. */
#pragma once

#include "base/err.h"

/*
 * (waits, shortly) Opens the address in $BROWSER (the first of several between colons; %s is the
 * address, which is the last argument where there is none), else with xdg-open where there is a
 * display.  No shell ever reads the address.  -E_NOTFOUND when there is no browser.
 */
int browser_open(const char *url, const char *const *env, struct err *err);
