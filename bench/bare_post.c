/*
 * The least that a client of a model does, the yardstick of bench_agent.c:
 *
 *	bare_post URL FILE [SIZES]
 *
 * POSTs the file's bytes and prints the text of the answer.  With SIZES, a file of one number a
 * line, it POSTs so many bytes of the file for each number, one after the other on one connection.
 */
#include <curl/curl.h>
#include <stdio.h>

#include "base/buf.h"
#include "os/fs.h"

enum { MAX = 64 << 20 };

static size_t keep(char *bytes, size_t size, size_t n, void *data)
{
	buf_add(data, bytes, size * n);
	return size * n;
}

static void print_texts(struct str s)
{
	const struct str mark = STR("\"text\": \"");

	for (ptrdiff_t at = 0; (at = str_find(s, mark, (size_t)at)) >= 0;) {
		ptrdiff_t end = str_chr(s, '"', (size_t)at + mark.n);

		if (end < 0)
			return;
		(void)fwrite(s.p + at + mark.n, 1, (size_t)end - (size_t)at - mark.n, stdout);
		at = end;
	}
}

static int post(CURL *curl, struct str body)
{
	AUTO(buf_done) struct buf answer = { 0 };

	(void)curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body.p);
	(void)curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)body.n);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, keep);
	(void)curl_easy_setopt(curl, CURLOPT_WRITEDATA, &answer);
	if (curl_easy_perform(curl) != CURLE_OK)
		return 1;
	print_texts(buf_str(&answer));
	return 0;
}

int main(int argc, char **argv)
{
	AUTO(buf_done) struct buf body = { 0 }, sizes = { 0 };
	struct curl_slist *headers = NULL;
	struct err err;
	struct str line;
	CURL *curl;
	int64_t n;
	int r = 0;

	if (argc < 3 || fs_read(argv[2], MAX, &body, &err) < 0 ||
	    (argc > 3 && fs_read(argv[3], MAX, &sizes, &err) < 0))
		return 2;
	curl = curl_easy_init();
	headers = curl_slist_append(headers, "Content-Type: application/json");
	headers = curl_slist_append(headers, "x-goog-api-key: dummy");
	headers = curl_slist_append(headers, "Expect:");
	(void)curl_easy_setopt(curl, CURLOPT_URL, argv[1]);
	(void)curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
	if (argc == 3)
		r = post(curl, buf_str(&body));
	for (struct str rest = buf_str(&sizes); argc > 3 && !r && str_split(&rest, '\n', &line);)
		if (str_to_int(line, &n))
			r = post(curl, str_sub(buf_str(&body), 0, (size_t)n));
	curl_slist_free_all(headers);
	curl_easy_cleanup(curl);
	return r;
}
