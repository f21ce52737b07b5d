/*
 * web_fetch: the model's service reads the pages and answers; when it cannot, they are fetched here
 * and given to the model as text.
 */
#include <iconv.h>
#include <stdio.h>

#include "base/json_pack.h"
#include "base/utf8.h"
#include "base/words.h"
#include "net/fetch.h"
#include "os/clock.h"
#include "tools/files.h"
#include "tools/html.h"
#include "tools/registry.h"
#include "tools/web.h"

enum {
	URLS_MAX = 20,
	URL_BYTES_MAX = 4096,
	PAGE_MS = 30000,
	ALL_MS = 90000,
	PAGE_BYTES = 10 << 20,
	TEXT_BYTES = 250000, /* of all pages */
};

/* ---- addresses in the prompt ---- */

struct urls {
	const char *p[URLS_MAX];
	size_t n;
	bool more;
};

/* Chinese and Japanese punctuation: U+3000 to U+303F, U+FF00 to U+FF0F. */
static bool is_wide_mark(struct str s, size_t at)
{
	const unsigned char *b = (const unsigned char *)s.p + at;

	if (at + 3 > s.n)
		return false;
	return (b[0] == 0xe3 && b[1] == 0x80) || (b[0] == 0xef && b[1] == 0xbc && b[2] < 0x90);
}

static size_t count_of(struct str s, char c)
{
	size_t n = 0;

	for (size_t i = 0; i < s.n; i++)
		n += s.p[i] == c;
	return n;
}

/* Up to white space, and without the punctuation after it: "(see https://example.org/a_(b))." */
static struct str url_at(struct str text, size_t at)
{
	struct str url;
	size_t end = at;

	while (end < text.n && (unsigned char)text.p[end] > ' ' && text.p[end] != 0x7f &&
	       !strchr("<>\"`{}|\\^", text.p[end]) && !is_wide_mark(text, end))
		end++;
	for (url = str_sub(text, at, end); url.n; url.n--) {
		char last = url.p[url.n - 1];
		bool closing = last == ')' && count_of(url, ')') > count_of(url, '(');

		if (!closing && !strchr(".,;:!?'*_]}", last))
			break;
	}
	return url;
}

/* github.com/OWNER/REPO/blob/REST shows a page around the file; this is the file. */
static struct str unwrap_github(struct arena *a, struct str url)
{
	static const char host[] = "https://github.com/";
	struct str rest = str_sub(url, sizeof host - 1, url.n);
	struct str tail = rest;
	struct str owner, repo, kind;

	if (!str_starts_icase(url, str_from(host)) || !str_split(&tail, '/', &owner) ||
	    !str_split(&tail, '/', &repo) || !str_split(&tail, '/', &kind) ||
	    !str_eqz(kind, "blob") || tail.n == 0)
		return url;
	return arena_printf(a, "https://raw.githubusercontent.com/%.*s/%.*s/%.*s", STR_ARG(owner),
			    STR_ARG(repo), STR_ARG(tail));
}

/* In the path letters of other alphabets go as %XX; in the host they are libcurl's business. */
static const char *encode_url(struct arena *a, struct str url)
{
	AUTO(buf_done) struct buf out = { 0 };
	unsigned slashes = 0;

	for (size_t i = 0; i < url.n && url.p[i] != '#'; i++) {
		slashes += url.p[i] == '/' || url.p[i] == '?';
		if (slashes > 2 && (unsigned char)url.p[i] >= 0x80)
			buf_addf(&out, "%%%02X", (unsigned char)url.p[i]);
		else
			buf_addc(&out, url.p[i]);
	}
	return arena_z(a, buf_str(&out));
}

static void find_urls(struct arena *a, struct str prompt, struct urls *urls)
{
	for (size_t at = 0; at < prompt.n && !urls->more;) {
		struct str rest = str_sub(prompt, at, prompt.n), url = STR("");
		size_t i = 0;

		if ((str_starts_icase(rest, STR("http://")) ||
		     str_starts_icase(rest, STR("https://"))) &&
		    (at == 0 || !char_is_word(prompt.p[at - 1])))
			url = url_at(prompt, at);
		at += max_size(url.n, 1);
		if (url.n <= strlen("https://") || url.n > URL_BYTES_MAX)
			continue;
		const char *z = encode_url(a, unwrap_github(a, url));
		while (i < urls->n && strcmp(urls->p[i], z) != 0)
			i++;
		urls->more = i == URLS_MAX;
		if (i == urls->n && !urls->more)
			urls->p[urls->n++] = z;
	}
}

/* ---- the model's service ---- */

enum asked { ASKED_WELL, ASKED_BLIND, ASKED_IN_VAIN, ASKED_DENIED };

/* Did the service look at a page at all? */
static enum asked pages_read(const struct json *response)
{
	const struct json *candidate = json_pointer(response, STR("/candidates/0"));
	const struct json *pages = json_pointer(candidate, STR("/urlContextMetadata/urlMetadata"));
	bool grounded =
		json_is(json_pointer(candidate, STR("/groundingMetadata/groundingChunks")), J_ARR);

	if (!json_is(pages, J_ARR) || pages->n == 0)
		return grounded ? ASKED_WELL : ASKED_BLIND;
	for (size_t i = 0; i < pages->n; i++)
		if (str_eqz(json_str(json_getz(json_at(pages, i), "urlRetrievalStatus"),
				     STR("URL_RETRIEVAL_STATUS_SUCCESS")),
			    "URL_RETRIEVAL_STATUS_SUCCESS"))
			return ASKED_WELL;
	return ASKED_IN_VAIN;
}

/*
 * *ret_answer: also of a service that does not say it read a page; "" = none.  Of a request that
 * was denied it is the reason.
 */
static enum asked ask(struct tool_call *call, struct str prompt, struct str *ret_answer)
{
	const struct json *response;
	struct err err = { 0 };
	enum asked asked;
	int r;

	*ret_answer = STR("");
	r = web_ask(call, prompt, "urlContext", &response, &err);
	if (r == -E_UNTRUSTED)
		*ret_answer = arena_str(call->arena, str_from(err.text));
	if (r < 0)
		return r == -E_UNTRUSTED ? ASKED_DENIED : ASKED_IN_VAIN;
	asked = pages_read(response);
	if (asked != ASKED_IN_VAIN)
		*ret_answer = web_answer(call->arena, response);
	return ret_answer->n ? asked : ASKED_IN_VAIN;
}

/* ---- pages ---- */

/*
 * The user's own servers: setting tools.webFetch.privateHosts, an array of "host" and "host:port"
 * without brackets; "*" is all.
 */
static bool may_enter(void *data, const char *host, int port)
{
	const struct tool_call *call = data;
	const struct json *hosts =
		json_pointer(call->env->settings, STR("/tools/webFetch/privateHosts"));
	AUTO(free) char *with_port = xasprintf("%s:%d", host, port);

	for (size_t i = 0; json_is(hosts, J_ARR) && i < hosts->n; i++) {
		struct str s = json_str(json_at(hosts, i), STR(""));

		if (str_eqz(s, "*"))
			return true;
		if (str_eqz_icase(s, host) || str_eqz_icase(s, with_port))
			return true;
	}
	return false;
}

static struct str decode(struct arena *a, const struct fetch_reply *reply)
{
	/* Old encodings of pages.  Not every name that iconv() knows: some of its converters were
	 * attacked before. */
	static const char known[] =
		"big5|euc-jp|euc-kr|gb18030|gb2312|gbk|shift_jis|us-ascii|latin1|"
		"iso-8859-*|windows-125*|koi8-*|cp125*";
	struct str bytes = buf_str(&reply->http.body);
	enum text_encoding e = text_encoding(bytes);
	struct str type = str_from(reply->http.content_type);
	ptrdiff_t at = str_find(type, STR("charset="), 0);
	struct str named = html_charset(at < 0 ? bytes : str_sub(type, (size_t)at, type.n));
	const char *charset = arena_z(a, named);
	AUTO(buf_done) struct buf out = { 0 };
	iconv_t cd;
	char *in;
	size_t left;
	char piece[4096];

	if (e != TEXT_UTF8)
		return text_decode(a, bytes, e);
	/* Of others the bytes are taken for UTF-8. */
	if (!word_is_one_icase(str_from(charset), known) || strlen(charset) >= 16 ||
	    strchr(charset, '/'))
		return bytes;
	/* Browsers read Latin-1 as this. */
	if (str_eqz_icase(str_from(charset), "iso-8859-1") ||
	    str_eqz_icase(str_from(charset), "latin1"))
		charset = "windows-1252";
	cd = iconv_open("UTF-8", charset);
	if (cd == (iconv_t)(intptr_t)-1)
		return bytes;
	in = (char *)(uintptr_t)bytes.p;
	left = bytes.n;
	while (left) {
		char *to = piece;
		size_t room = sizeof piece;
		size_t r = iconv(cd, &in, &left, &to, &room);

		buf_add(&out, piece, sizeof piece - room);
		if (r == (size_t)-1 && room > sizeof piece / 2 && left) {
			buf_addz(&out, "\xef\xbf\xbd");
			in++;
			left--;
		}
	}
	(void)iconv_close(cd);
	return arena_str(a, buf_str(&out));
}

static bool is_html(const struct fetch_reply *reply, struct str text)
{
	struct str type = str_from(reply->http.content_type);
	struct str start = str_trim(str_sub(text, 0, 1024));

	if (str_starts_icase(type, STR("text/html")) ||
	    str_starts_icase(type, STR("application/xhtml")))
		return true;
	return type.n == 0 && (str_starts_icase(start, STR("<!doctype html")) ||
			       str_starts_icase(start, STR("<html")));
}

struct fetching {
	struct tool_call *call;
	int64_t until_us;
	size_t share; /* of TEXT_BYTES */
	struct buf out;
	struct buf failures;
	size_t done;
	bool tried; /* some address was not refused outright */
};

static int load(struct fetching *f, const char *url, struct fetch_reply *reply, struct err *err)
{
	static const char *const headers[] = {
		"Accept: text/html, text/markdown, text/plain;q=0.9, */*;q=0.5", NULL
	};
	int left_ms = clock_ms_until(f->until_us);
	struct fetch rq = { .url = url,
			    .headers = headers,
			    .max_bytes = PAGE_BYTES,
			    .timeout_ms = left_ms < PAGE_MS ? left_ms : PAGE_MS,
			    .may_enter = may_enter,
			    .data = f->call };
	const struct http_reply *http = &reply->http;
	int r;

	if (left_ms <= 0)
		return err_set(err, E_IO, "the pages before it used up the time");
	r = fetch_run(&rq, f->call->cancel, reply, err);
	if (r < 0)
		return r;
	if (http->status < 200 || http->status >= 300)
		return err_set(err, E_IO, "the server answered %d", http->status);
	if (text_encoding(buf_str(&http->body)) == TEXT_BINARY)
		return err_set(err, E_INVAL, "not a text (%s)",
			       http->content_type[0] ? http->content_type : "of unknown type");
	return 0;
}

static void fetch_one(struct fetching *f, const char *url)
{
	struct arena *a = f->call->arena;
	AUTO(fetch_reply_done) struct fetch_reply reply = { 0 };
	AUTO(buf_done) struct buf page = BUF_INIT(.max = f->share);
	struct str text, from;
	struct err err = { 0 };
	bool full;

	if (load(f, url, &reply, &err) < 0) {
		bool blocked = err.code == E_UNTRUSTED;

		f->tried |= !blocked;
		buf_addf(&f->failures, "%s%s %s: %s", f->failures.n ? "\n" : "",
			 blocked ? "[Blocked Host]" : "Could not fetch", url, err.text);
		return;
	}
	text = decode(a, &reply);
	full = text.n > f->share;
	if (is_html(&reply, text)) {
		from = str_from(reply.url ? reply.url : url);
		ptrdiff_t slashes = str_find(from, STR("://"), 0);
		size_t end = slashes < 0 ? from.n : (size_t)slashes + 3;

		while (end < from.n && !strchr("/?#", from.p[end]))
			end++;
		html_text(&page, text, str_sub(from, 0, end));
		text = buf_str(&page);
		full = page.full;
	}
	buf_addf(&f->out, "%sContent of %s", f->done++ ? "\n\n" : "", url);
	if (reply.url)
		buf_addf(&f->out, " (redirected to %s)", reply.url);
	buf_addf(&f->out, ":\n\n");
	buf_adds(&f->out, str_trim(str_sub(text, 0, f->share)));
	if (full || reply.cut)
		buf_addz(&f->out, "\n[The page goes on; this is its beginning.]");
}

/* ---- the tool ---- */

static const struct str shown = STR("Content processed from prompt.");

/* Without the model's service, or where it does not say what it read. */
static void fetch_here(struct tool_call *call, struct tool_result *r, const struct urls *urls,
		       struct str answer)
{
	struct fetching f = { .call = call,
			      .until_us = clock_us() + ALL_MS * 1000LL,
			      .share = TEXT_BYTES / urls->n };

	for (size_t i = 0; i < urls->n && !cancel_fired(call->cancel); i++)
		fetch_one(&f, urls->p[i]);
	if (f.done && f.failures.n)
		buf_addf(&f.out, "\n\n%s", buf_z(&f.failures));
	if (answer.n)
		answer = arena_printf(call->arena,
				      "%s\n\n[The service that wrote this did not say that it "
				      "read a page. %s]",
				      answer.p, buf_z(&f.failures));
	if (cancel_fired(call->cancel))
		tool_fail(call, r, "web_fetch_processing_error", "Fetching was cancelled.");
	else if (f.done)
		tool_ok(call, r, tool_untrusted(call->arena, buf_str(&f.out)), shown);
	else if (answer.n)
		tool_ok(call, r, tool_untrusted(call->arena, answer), shown);
	else
		tool_fail(call, r, "web_fetch_fallback_failed", "%s%s",
			  f.tried ? "" : "All requested URLs were skipped: ", buf_z(&f.failures));
	buf_done(&f.out);
	buf_done(&f.failures);
}

static bool find_all(struct tool_call *call, struct tool_result *r, struct urls *urls)
{
	struct str prompt = tool_clean(call->arena, arg_str(call, "prompt"));

	find_urls(call->arena, prompt, urls);
	if (str_trim(prompt).n == 0)
		tool_fail(call, r, "invalid_tool_params", "The 'prompt' parameter is empty.");
	else if (urls->n == 0)
		tool_fail(call, r, "web_fetch_no_url_in_prompt",
			  "The 'prompt' contains no address (http:// or https://).");
	else if (urls->more)
		tool_fail(call, r, "invalid_tool_params",
			  "The 'prompt' contains more than %d addresses.", URLS_MAX);
	else
		return true;
	return false;
}

static bool check(struct tool_call *call, struct tool_result *r)
{
	struct urls urls = { 0 };

	return find_all(call, r, &urls);
}

/* The model's service is not asked about what lies in the user's networks, either. */
static bool all_blocked(struct tool_call *call, struct tool_result *r, const struct urls *urls)
{
	AUTO(buf_done) struct buf text = { 0 };

	for (size_t i = 0; i < urls->n; i++) {
		struct fetch f = { .url = urls->p[i], .may_enter = may_enter, .data = call };

		if (!fetch_is_blocked(&f))
			return false;
		buf_addf(&text, "%s[Blocked Host] %s", i ? ", " : "", urls->p[i]);
	}
	tool_fail(call, r, "web_fetch_processing_error", "All requested URLs were skipped: %s",
		  buf_z(&text));
	text.n = 0;
	buf_addf(&text, "Error: %.*s", STR_ARG(r->error));
	tool_fail_as(call, r, buf_str(&text), buf_str(&text));
	return true;
}

static void web_fetch(struct tool_call *call, struct tool_result *r)
{
	struct str prompt = tool_clean(call->arena, arg_str(call, "prompt"));
	struct urls urls = { 0 };
	struct str answer;
	enum asked asked;

	if (!find_all(call, r, &urls) || all_blocked(call, r, &urls))
		return;
	if (cancel_fired(call->cancel)) {
		tool_fail(call, r, "web_fetch_processing_error", "Fetching was cancelled.");
		return;
	}
	asked = ask(call, prompt, &answer);
	if (asked == ASKED_WELL)
		tool_ok(call, r, tool_untrusted(call->arena, answer), shown);
	else if (asked == ASKED_DENIED)
		tool_fail(call, r, "web_fetch_processing_error", "Nothing was fetched: %.*s",
			  STR_ARG(answer));
	else
		fetch_here(call, r, &urls, answer);
}

static const struct json *confirm(struct tool_call *call)
{
	struct arena *a = call->arena;
	struct str prompt = tool_clean(a, arg_str(call, "prompt"));
	const struct json *items[URLS_MAX];
	struct urls urls = { 0 };

	find_urls(a, prompt, &urls);
	for (size_t i = 0; i < urls.n; i++)
		items[i] = json_new_str(a, str_from(urls.p[i]));
	return json_pack(a, "type:z title:z prompt:s urls:j", "info", "Confirm Web Fetch", prompt,
			 json_new_arr(a, items, urls.n));
}

static struct str describe(struct tool_call *call)
{
	struct str prompt = tool_clean(call->arena, arg_str(call, "prompt"));

	return arena_printf(call->arena, "Processing URLs and instructions from prompt: \"%s%s\"",
			    arena_z(call->arena, utf8_prefix(prompt, 100)),
			    utf8_count(prompt) > 100 ? "..." : "");
}

static void touches(struct tool_call *call, struct json_list *paths, struct json_list *list)
{
	struct urls urls = { 0 };

	(void)paths;
	find_urls(call->arena, tool_clean(call->arena, arg_str(call, "prompt")), &urls);
	for (size_t i = 0; i < urls.n; i++)
		json_list_add(list, json_pack_str(call->arena, urls.p[i]));
}

const struct tool tool_web_fetch = {
	.name = "web_fetch",
	.display_name = "WebFetch",
	.description =
		"Reads web pages and answers about them. The prompt holds up to 20 addresses "
		"(http:// or https://) and says what to do with their content. Addresses in the "
		"user's own network are refused unless the user has allowed them.",
	.parameters = "{\"type\":\"object\",\"properties\":{"
		      "\"prompt\":{\"type\":\"string\",\"description\":\"The addresses (up to 20) "
		      "and what to do with their content, in one text.\"}},"
		      "\"required\":[\"prompt\"]}",
	.kind = TOOL_FETCH,
	/* Not read_only, although it changes nothing: a provider answers one request at a time. */
	.example = "{\"prompt\":\"Summarise https://example.org\"}",
	.check = check,
	.touches = touches,
	.run = web_fetch,
	.confirm = confirm,
	.describe = describe,
};
