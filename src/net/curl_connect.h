/* What all connections have in common, whatever is sent by them: sockets, limits, certificates. */
#pragma once

#include "base/buf.h"
#include "net/curl_load.h"

/* Sockets are close-on-exec and never get the number of a standard descriptor. */
void curl_set_connection(const struct curl_api *api, CURL *easy, int connect_timeout_ms);
/*
 * Sets what the environment says about certificates.  *pem keeps their text, until the handle is
 * reset or gone.
 */
int curl_set_certificates(const struct curl_api *api, CURL *easy, struct buf *pem, struct err *err);
