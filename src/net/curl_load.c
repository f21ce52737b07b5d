#include "net/curl_load.h"

#include <pthread.h>

#include "os/library.h"

static struct curl_api loaded;
static struct err failure; /* .code is 0 when it is loaded */
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void load_once(void)
{
	static const struct library_function functions[] = {
#define CURL_FUNCTION(name) { "curl_" #name, offsetof(struct curl_api, name) },
		CURL_FUNCTIONS(CURL_FUNCTION)
#undef CURL_FUNCTION
	};
	const struct library lib = { "libcurl", "libcurl.so.4",       "libcurl4",
				     functions, ARRAY_LEN(functions), &loaded };

	if (library_load(&lib, &failure) < 0)
		return;
	CURLcode r = loaded.global_init(CURL_GLOBAL_DEFAULT);
	if (r != CURLE_OK)
		(void)err_set(&failure, E_IO, "libcurl does not start: %s",
			      loaded.easy_strerror(r));
	loaded.info = loaded.version_info(CURLVERSION_NOW);
}

int curl_load(const struct curl_api **ret_api, struct err *err)
{
	(void)pthread_once(&once, load_once);
	if (failure.code)
		return err_set(err, failure.code, "%s", failure.text);
	*ret_api = &loaded;
	return 0;
}

char *curl_url_part(const struct curl_api *api, CURLU *u, CURLUPart part)
{
	char *theirs = NULL, *ours;

	if (api->url_get(u, part, &theirs, CURLU_DEFAULT_PORT) != CURLUE_OK)
		return xstrdup("");
	ours = xstrdup(theirs);
	api->free(theirs);
	return ours;
}
