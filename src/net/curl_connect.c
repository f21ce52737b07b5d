/*
 * Certificates come from the variables by which other tools are told of them: libcurl itself reads
 * none.
 */
#include "net/curl_connect.h"

#include <sys/socket.h>

#include "os/fd.h"
#include "os/fs.h"

enum { PEM_MAX = 16 << 20 };

static curl_socket_t open_socket(void *data, curlsocktype purpose, struct curl_sockaddr *address)
{
	int fd;

	(void)data;
	(void)purpose;
	fd = socket(address->family, address->socktype | SOCK_CLOEXEC, address->protocol);
	if (fd >= 0 && fd_lift(&fd, FD_LOWEST) < 0)
		fd_close(&fd);
	return fd < 0 ? CURL_SOCKET_BAD : fd;
}

/* What an old libcurl does not know is not missed: results are not looked at. */
void curl_set_connection(const struct curl_api *api, CURL *easy, int connect_timeout_ms)
{
	const struct {
		CURLoption option;
		long value;
	} options[] = {
		{ CURLOPT_NOSIGNAL, 1 },
#if LIBCURL_VERSION_NUM >= 0x075700
		/* A cancel during a look-up does not wait for the look-up's thread. */
		{ CURLOPT_QUICK_EXIT, 1 },
#endif
		{ CURLOPT_FOLLOWLOCATION, 0 },
		{ CURLOPT_TCP_KEEPALIVE, 1 },
		{ CURLOPT_SUPPRESS_CONNECT_HEADERS, 1 },
		{ CURLOPT_CONNECTTIMEOUT_MS, connect_timeout_ms },
	};

	for (size_t i = 0; i < ARRAY_LEN(options); i++)
		(void)api->easy_setopt(easy, options[i].option, options[i].value);
	(void)api->easy_setopt(easy, CURLOPT_OPENSOCKETFUNCTION, open_socket);
}

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

int curl_set_certificates(const struct curl_api *api, CURL *easy, struct buf *pem, struct err *err)
{
	const char *file = env("SSL_CERT_FILE"), *dir = env("SSL_CERT_DIR");
	const char *extra = env("NODE_EXTRA_CA_CERTS");

	if (dir)
		(void)api->easy_setopt(easy, CURLOPT_CAPATH, dir);
	if (file)
		(void)api->easy_setopt(easy, CURLOPT_CAINFO, file);
	if (!extra)
		return 0;
	/* libcurl takes one file or one text: with an extra file the text is both files.  It has no
	 * file where it knows a directory only, or is older than the member. */
	if (!file && api->info->age >= CURLVERSION_SEVENTH)
		file = api->info->cainfo;
	if (file && fs_exists(file)) {
		if (fs_read(file, PEM_MAX, pem, err) < 0)
			return err_wrap(err, "certificates");
		buf_addc(pem, '\n');
	}
	if (fs_read(extra, PEM_MAX, pem, err) < 0)
		return err_wrap(err, "NODE_EXTRA_CA_CERTS");
	struct curl_blob blob = { .data = pem->p, .len = pem->n, .flags = CURL_BLOB_NOCOPY };
	if (api->easy_setopt(easy, CURLOPT_CAINFO_BLOB, &blob) != CURLE_OK)
		return err_set(err, E_CONFIG, "NODE_EXTRA_CA_CERTS: libcurl is too old for it");
	return 0;
}
