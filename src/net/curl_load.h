/*
 * libcurl, loaded on demand: some 30 shared libraries that a program without requests never sees.
 * Its headers are needed to build, the library itself only to send.
 */
#pragma once

/* Options are set through function pointers, which the checks of the header's macros cannot see. */
#define CURL_DISABLE_TYPECHECK
/* PROTOCOLS, not PROTOCOLS_STR, which libcurl before 7.85 does not know. */
#define CURL_DISABLE_DEPRECATION
#include <curl/curl.h>

#include "base/err.h"

#define CURL_FUNCTIONS(X)                                                                          \
	X(global_init)                                                                             \
	X(version_info)                                                                            \
	X(free)                                                                                    \
	X(easy_init)                                                                               \
	X(easy_setopt)                                                                             \
	X(easy_getinfo)                                                                            \
	X(easy_strerror)                                                                           \
	X(easy_reset)                                                                              \
	X(easy_send)                                                                               \
	X(easy_recv)                                                                               \
	X(easy_cleanup)                                                                            \
	X(multi_init)                                                                              \
	X(multi_add_handle)                                                                        \
	X(multi_remove_handle)                                                                     \
	X(multi_perform)                                                                           \
	X(multi_poll)                                                                              \
	X(multi_info_read)                                                                         \
	X(multi_strerror)                                                                          \
	X(multi_cleanup)                                                                           \
	X(url)                                                                                     \
	X(url_set)                                                                                 \
	X(url_get)                                                                                 \
	X(url_cleanup)

struct curl_api {
#define CURL_FUNCTION(name) __typeof__(curl_##name) *name;
	CURL_FUNCTIONS(CURL_FUNCTION)
#undef CURL_FUNCTION
	const curl_version_info_data *info;
};

/*
 * Loads and initialises libcurl the first time; any number of threads may ask.  -E_NOTFOUND when it
 * is not there.  It is never unloaded: a thread that looks a name up may outlive its request.
 */
int curl_load(const struct curl_api **ret_api, struct err *err);
/* A part of an address, "" when it has none; default ports are filled in.  The caller frees it. */
char *curl_url_part(const struct curl_api *api, CURLU *u, CURLUPart part);
