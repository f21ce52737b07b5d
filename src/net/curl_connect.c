/* The variables by which other tools are told of certificates: libcurl itself reads none. */
#include "net/http_impl.h"

#include "os/fs.h"

enum { PEM_MAX = 16 << 20 };

static const char *env(const char *name)
{
	const char *value = getenv(name);

	return value && *value ? value : NULL;
}

/* NULL when libcurl has only a directory, or is older than the member. */
static const char *default_file(const struct curl_api *api)
{
	return api->info->age >= CURLVERSION_SEVENTH ? api->info->cainfo : NULL;
}

/* libcurl takes one file or one text: with an extra file the text is both files. */
static int read_all(const char *file, const char *extra, struct buf *pem, struct err *err)
{
	if (file && fs_exists(file)) {
		if (fs_read(file, PEM_MAX, pem, err) < 0)
			return err_wrap(err, "certificates");
		(void)buf_addc(pem, '\n');
	}
	if (fs_read(extra, PEM_MAX, pem, err) < 0)
		return err_wrap(err, "NODE_EXTRA_CA_CERTS");
	return 0;
}

int tls_set_certificates(struct http *h, struct buf *pem, struct err *err)
{
	const char *file = env("SSL_CERT_FILE"), *dir = env("SSL_CERT_DIR");
	const char *extra = env("NODE_EXTRA_CA_CERTS");
	const struct curl_api *api = h->api;
	int r;

	if (dir)
		(void)api->easy_setopt(h->easy, CURLOPT_CAPATH, dir);
	if (file)
		(void)api->easy_setopt(h->easy, CURLOPT_CAINFO, file);
	if (!extra)
		return 0;
	r = read_all(file ? file : default_file(api), extra, pem, err);
	if (r < 0)
		return r;
	struct curl_blob blob = { .data = pem->p, .len = pem->n, .flags = CURL_BLOB_NOCOPY };
	if (api->easy_setopt(h->easy, CURLOPT_CAINFO_BLOB, &blob) != CURLE_OK)
		return err_set(err, E_CONFIG, "NODE_EXTRA_CA_CERTS: libcurl is too old for it");
	return 0;
}
