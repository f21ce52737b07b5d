/* Programs that talk to other machines, where direction depends on their words. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/run.h"

static void add_address(struct run *r, const struct call *c, enum effect_kind kind,
			struct str address)
{
	struct str host = address_host(address);

	call_add(r, c,
		 (struct effect){ .kind = kind,
				  .target = value_shown(r->a, address),
				  .places = address_is_local(host) ? PLACE_LOCAL_HOST
					    : value_known(host)    ? 0
								   : PLACE_UNKNOWN });
}

/* Something was read before that lies there; 0: what programs tell of the machine and its user. */
static bool has_read(const struct run *r, unsigned places)
{
	for (size_t i = 0; i < r->e->n; i++) {
		const struct effect *e = &r->e->p[i];

		if (e->kind == EFFECT_READ && !e->remote &&
		    (places ? (e->places & places) != 0 : !e->target.n))
			return true;
	}
	return false;
}

/* $(whoami).example.com, ping $(hostname).x.org: a name that carries something away. */
static bool run_lookup(struct run *r, const struct call *c)
{
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		ptrdiff_t dot = str_chr(w, '.', 0);

		if (value_known(w) || dot <= 0 || str_chr(w, '.', (size_t)dot + 1) < 0 ||
		    !(has_read(r, 0) || has_read(r, PLACE_SYSTEM | PLACE_SECRET)))
			continue;
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_SEND,
					  .target = value_shown(r->a, w),
					  .forced = true });
	}
	return false;
}

/* ---- curl, wget ---- */

static const char curl_valued[] =
	"-o -d -H -X -u -A -e -b -c -F -T -x -K -m -w -r -C -E -y -Y -z -t -Q -P -D -U -h --output --data "
	"--data-raw --data-binary --data-urlencode --data-ascii --json --form --form-string --header "
	"--request --user --user-agent --referer --cookie --cookie-jar --upload-file --proxy --config "
	"--max-time --connect-timeout --write-out --range --cert --key --cacert --capath --retry "
	"--retry-delay --url --resolve --limit-rate --output-dir --interface --unix-socket --dump-header "
	"--proxy-user --oauth2-bearer --retry-max-time --ciphers --tls-max --url-query --connect-to "
	"--dns-servers --max-redirs --max-filesize --keepalive-time --aws-sigv4 --proto --proto-default "
	"--speed-limit --speed-time --trace --trace-ascii --stderr --netrc-file --local-port --pinnedpubkey";

static bool is_sent(struct str name, struct str value)
{
	static const char *const options[] = {
		"-d",           "--data",        "--data-raw", "--data-binary", "--data-urlencode",
		"--data-ascii", "--json",        "-F",         "--form",        "--form-string",
		"-T",           "--upload-file", NULL
	};
	static const char *const methods[] = { "POST", "PUT", "DELETE", "PATCH", NULL };

	if (str_eqz(name, "-X") || str_eqz(name, "--request"))
		return sh_is_among(value, methods);
	return sh_is_among(name, options) || (name.n > 5 && str_starts(STR("--data"), name));
}

/* -d @file, -F x=@file, -T file */
static void read_sent_file(struct run *r, const struct call *c, const struct option *o)
{
	ptrdiff_t at = str_chr(o->value, '@', 0);
	struct str path = { 0 };

	if (str_eqz(o->name, "-T") || str_eqz(o->name, "--upload-file"))
		path = o->value;
	else if (at >= 0 &&
		 (at == 0 || o->value.p[at - 1] == '=' || str_eqz(o->name, "--data-urlencode")))
		path = str_sub(o->value, (size_t)at + 1, o->value.n);
	if (path.n && str_chr(path, ';', 0) > 0)
		path = str_sub(path, 0, (size_t)str_chr(path, ';', 0));
	if (path.n && !str_eqz(path, "-") && !str_eqz(path, "."))
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, path);
}

/* Servers whose API deletes what they keep, by their usual port; and paths that do, on any. */
static bool is_store(struct str url)
{
	static const char *const ports[] = { ":9200/",   ":9201/", ":5984/",   ":7700/",
					     ":6333/",   ":8983/", ":8086/",   ":15672/",
					     ":8500/v1", ":2379/", ":8200/v1", ":4646/v1",
					     ":2375/",   ":2376/" };
	static const char *const single[] = { "/_doc/", "/_search/scroll", "/_async_search" };

	for (size_t i = 0; i < ARRAY_LEN(single); i++)
		if (str_find(url, str_from(single[i]), 0) >= 0)
			return false;
	for (size_t i = 0; i < ARRAY_LEN(ports); i++)
		if (str_find(url, str_from(ports[i]), 0) >= 0)
			return true;
	return false;
}

/* What a store calls an index, a database or a bucket: the first part of the path. */
static struct str store_name(struct str url)
{
	ptrdiff_t at = str_find(url, STR("://"), 0), slash;

	slash = str_chr(url, '/', at < 0 ? 0 : (size_t)at + 3);
	if (slash < 0)
		return STR("");
	url = str_sub(url, (size_t)slash + 1, url.n);
	for (size_t i = 0; i < url.n; i++)
		if (strchr("/?#", url.p[i]))
			url.n = i;
	return str_chr(url, ',', 0) < 0 ? url : STR(""); /* not all of several */
}

/* A request that deletes: elsewhere, or in a store of this machine what is not of tests. */
static void see_deleting(struct run *r, const struct call *c, struct str method, struct str url)
{
	static const char *const paths[] = { "/_delete_by_query", "/tsdb/delete_series",
					     "/purge_cache",      "/delete_all",
					     "/deleteAll",        "/Actions/ComputerSystem.Reset" };
	bool local = address_is_local(address_host(url)), deletes = str_eqz_icase(method, "DELETE");

	if (local && effect_database_places(r->e->world, store_name(url)) & PLACE_TEMP)
		return;
	if ((deletes && (!local || is_store(url))) || TEXT_HAS(url, paths))
		call_add(r, c,
			 (struct effect){ .kind = EFFECT_CLOUD,
					  .places = local ? PLACE_LOCAL_HOST : 0,
					  .target = value_shown(r->a, url) });
}

/* ClickHouse takes SQL by HTTP. */
static void see_statements(struct run *r, const struct call *c, const struct args *a,
			   struct str text)
{
	for (size_t i = 0; i < a->noperands; i++)
		if (str_find(a->operands[i], STR(":8123"), 0) > 0)
			call_code(r, c, CODE_SQL, text);
}

static struct str url_name(struct str url)
{
	for (size_t i = 0; i < url.n; i++)
		if (strchr("?#", url.p[i]))
			url.n = i;
	return sh_file_name(url);
}

static void fetched_file(struct run *r, const struct call *c, struct str path)
{
	if (!path.n)
		return;
	call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, path);
	file_set(r, path, FETCHED);
}

static void curl_url(struct run *r, const struct call *c, const struct args *a, struct str url,
		     bool sends)
{
	const struct option *method = args_option(a, "-X|--request"),
			    *socket = args_option(a, "--unix-socket");
	struct str text;

	if (str_starts(url, STR("file://"))) {
		url = str_sub(url, 7, url.n);
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, url);
		run_emit(r, file_read(r, url, &text) ? text : ANY);
		return;
	}
	sends |= value_has(url, MARK_SECRET) || (!value_known(url) && has_read(r, PLACE_SYSTEM));
	add_address(r, c, sends ? EFFECT_SEND : EFFECT_FETCH, url);
	see_deleting(r, c, method ? method->value : STR("GET"),
		     socket && str_ends(socket->value, STR("docker.sock")) ? STR(":2375/") : url);
	if (args_option(a, "-O|--remote-name|--remote-name-all"))
		fetched_file(r, c, url_name(url));
	else if (!args_option(a, "-o|--output|-I|--head"))
		run_emit(r, address_is_local(address_host(url)) ? ANY : FETCHED);
}

/* curl -K: a line each option, `url = "https://..."`; *to gets words as a command would have them. */
static void curl_settings(struct run *r, struct str text, struct fields *to)
{
	struct str line;

	while (str_split(&text, '\n', &line)) {
		struct str s = str_trim(line), value;
		size_t at = 0;

		while (at < s.n && !strchr(" \t=:", s.p[at]))
			at++;
		if (!at || s.p[0] == '#')
			continue;
		value = str_sub(s, at, s.n);
		while (value.n && strchr(" \t=:", value.p[0]))
			value = str_sub(value, 1, value.n);
		if (value.n > 1 && value.p[0] == '"' && value.p[value.n - 1] == '"')
			value = str_sub(value, 1, value.n - 1);
		field_add(r, to,
			  s.p[0] == '-' ? str_sub(s, 0, at)
					: arena_printf(r->a, "--%.*s", (int)at, s.p));
		if (value.n)
			field_add(r, to, value);
	}
}

/* Words that a file of settings, or the input, adds; false = none can be read. */
static bool run_curl_settings(struct run *r, const struct call *c, const struct args *a)
{
	const struct option *file = args_option(a, "-K|--config");
	struct fields words = { 0 };
	struct str text = r->has_in ? r->in : STR("");

	if (!file || (!is_input_path(file->value) && !file_read(r, file->value, &text)) || !text.n)
		return false;
	for (size_t i = 0; i < c->n; i++)
		if (i != file->at && !(i == file->at + 1 && str_eq(c->words[i], file->value)))
			field_add(r, &words, c->words[i]);
	curl_settings(r, text, &words);
	run_call(r, words.p, words.n);
	return true;
}

/* curl -k -u "$USER:$PASS" URL: a password or token, to whoever answers. */
static void see_unverified(struct run *r, const struct call *c, const struct args *a)
{
	bool secret = false;

	if (!args_option(a, "-k|--insecure"))
		return;
	for (size_t i = 0; i < a->noptions; i++)
		secret |= value_has(a->options[i].value, MARK_SECRET);
	for (size_t i = 0; secret && i < a->noperands; i++)
		if (!address_is_local(address_host(a->operands[i])))
			call_add(r, c,
				 (struct effect){ .kind = EFFECT_SEND,
						  .places = PLACE_SECRET,
						  .target = value_shown(r->a, a->operands[i]) });
}

static bool run_curl(struct run *r, const struct call *c)
{
	struct args a;
	bool sends = false;

	args_read(r, &a, c, curl_valued);
	see_unverified(r, c, &a);
	if (run_curl_settings(r, c, &a))
		return true;
	for (size_t i = 0; i < a.noptions; i++) {
		const struct option *o = &a.options[i];

		/* A secret goes out wherever it is put, but for headers that are made for it. */
		sends |= value_has(o->value, MARK_WHOLE);
		sends |= value_has(o->value, MARK_SECRET) &&
			 sh_is_among(o->name,
				     (const char *const[]){ "-A", "-e", "--user-agent", "--referer",
							    "--url-query", NULL });
		if (is_sent(o->name, o->value)) {
			sends = true;
			read_sent_file(r, c, o);
			see_statements(r, c, &a, o->value);
		}
		if ((str_eqz(o->name, "-o") || str_eqz(o->name, "--output")) &&
		    !str_eqz(o->value, "-"))
			fetched_file(r, c, o->value);
		else if (str_eqz(o->name, "-o") || str_eqz(o->name, "--output"))
			run_emit(r, FETCHED);
		if (str_eqz(o->name, "-K") || str_eqz(o->name, "--config") ||
		    str_eqz(o->name, "-b") || str_eqz(o->name, "--netrc-file"))
			if (str_chr(o->value, '=', 0) < 0)
				call_path(r, c, (struct effect){ .kind = EFFECT_READ }, o->value);
		if (str_eqz(o->name, "-c") || str_eqz(o->name, "--cookie-jar") ||
		    str_eqz(o->name, "-D"))
			call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, o->value);
	}
	if (args_option(&a, "-G|--get"))
		sends = true;
	if (args_option(&a, "--url"))
		curl_url(r, c, &a, args_option(&a, "--url")->value, sends);
	for (size_t i = 0; i < a.noperands; i++)
		curl_url(r, c, &a, a.operands[i], sends);
	return true;
}

static bool run_wget(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *out;
	bool sends;

	args_read(r, &a, c,
		  "-O -o -a -i -P -U -t -T -e -w -Q -l -A -R -D --output-document --output-file "
		  "--post-data --post-file --body-data --body-file --method --header --user "
		  "--password --directory-prefix --execute --input-file --tries --timeout "
		  "--user-agent --referer --load-cookies --save-cookies");
	out = args_option(&a, "-O|--output-document");
	sends = args_option(&a, "--post-data|--post-file|--body-data|--body-file") != NULL;
	for (size_t i = 0; i < a.noptions; i++)
		sends |= value_has(a.options[i].value, MARK_WHOLE);
	if (args_option(&a, "--post-file|--body-file"))
		call_path(r, c, (struct effect){ .kind = EFFECT_READ },
			  args_option(&a, "--post-file|--body-file")->value);
	for (size_t i = 0; i < a.noperands && args_option(&a, "--method"); i++)
		see_deleting(r, c, args_option(&a, "--method")->value, a.operands[i]);
	if (args_option(&a, "--use-askpass"))
		call_shell(r, c, args_option(&a, "--use-askpass")->value);
	for (size_t i = 0; i < a.noperands; i++) {
		add_address(r, c,
			    sends || value_has(a.operands[i], MARK_SECRET) ? EFFECT_SEND
									   : EFFECT_FETCH,
			    a.operands[i]);
		if (!out && !args_option(&a, "--spider"))
			fetched_file(r, c, url_name(a.operands[i]));
	}
	if (out && !str_eqz(out->value, "-"))
		fetched_file(r, c, out->value);
	else if (out)
		run_emit(r, FETCHED);
	return true;
}

/* http DELETE example.com/x; xh delete x.  What goes to whom is in the tables. */
static bool run_http(struct run *r, const struct call *c)
{
	struct args a;

	args_read(r, &a, c,
		  "-a -A -s -p -o --auth --auth-type --style --print --output --session -H");
	if (a.noperands > 1)
		see_deleting(r, c, a.operands[0], a.operands[1]);
	return false;
}

/* ---- scp, rsync ---- */

static bool is_remote(struct str path)
{
	ptrdiff_t colon = str_chr(path, ':', 0), slash = str_chr(path, '/', 0);

	return str_find(path, STR("://"), 0) > 0 || (colon > 1 && (slash < 0 || colon < slash));
}

/* HOST:/path, as a file of that machine.  A home directory gets files, and stays what it is. */
static void remote_file(struct run *r, const struct call *c, enum effect_kind kind, struct str to)
{
	ptrdiff_t colon = str_chr(to, ':', 0);
	struct str path;
	bool was = r->e->remote;

	if (colon <= 0 || str_chr(to, '/', 0) != colon + 1 || str_starts(to, STR("rsync:")))
		return;
	path = str_sub(to, (size_t)colon + 1, to.n);
	if ((effect_places(r->e->world, path) & (PLACE_HOME_WHOLE | PLACE_ROOT)) ==
	    PLACE_HOME_WHOLE)
		path = arena_printf(r->a, "%.*s/\1", STR_ARG(path));
	r->e->remote = true;
	call_path(r, c, (struct effect){ .kind = kind }, path);
	r->e->remote = was;
}

static bool run_rsync(struct run *r, const struct call *c)
{
	struct args a;
	bool rsync = str_eqz(sh_file_name(c->words[0]), "rsync"), dry;
	struct str to;

	args_read(
		r, &a, c,
		rsync ? "-e -f -T -B -M --rsh --exclude --include --exclude-from --include-from "
			"--files-from --filter --rsync-path --bwlimit --backup-dir --suffix --chmod "
			"--chown --port --password-file --log-file --max-size --min-size --partial-dir "
			"--compare-dest --copy-dest --link-dest --temp-dir --timeout --out-format --info"
		      : "-i -P -l -o -F -S -c -J -D -X");
	dry = args_option(&a, "-n|--dry-run|--list-only") && rsync;
	if (rsync && args_option(&a, "-e|--rsh"))
		run_inner(r, args_option(&a, "-e|--rsh")->value);
	if (rsync && args_option(&a, "--rsync-path")) {
		bool was = r->e->remote;

		r->e->remote = true;
		run_inner(r, args_option(&a, "--rsync-path")->value);
		r->e->remote = was;
	}
	if (!rsync && args_option(&a, "-S"))
		run_inner(r, args_option(&a, "-S")->value);
	if (a.noperands < 2 || dry)
		return true;
	to = a.operands[a.noperands - 1];
	for (size_t i = 0; i + 1 < a.noperands; i++) {
		if (is_remote(a.operands[i])) {
			fetched_add(r, to);
			add_address(r, c, EFFECT_FETCH, a.operands[i]);
		} else {
			call_path(r, c,
				  (struct effect){
					  .kind = rsync && args_option(&a, "--remove-source-files")
							  ? EFFECT_DELETE
							  : EFFECT_READ,
					  .recursive = true },
				  a.operands[i]);
		}
	}
	if (is_remote(to)) {
		add_address(r, c, EFFECT_SEND, to);
		remote_file(r, c, EFFECT_OVERWRITE, to);
	} else {
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE, .recursive = true },
			  arena_printf(r->a, "%.*s/\1", STR_ARG(to)));
	}
	if (rsync && args_option(&a, "--delete|--delete-before|--delete-during|--delete-delay|"
				     "--delete-after|--delete-excluded|--del")) {
		bool was = r->e->remote;
		ptrdiff_t colon = str_chr(to, ':', 0);

		r->e->remote |= is_remote(to);
		call_path(r, c,
			  (struct effect){
				  .kind = EFFECT_DELETE, .recursive = true, .link = LINK_BEHIND },
			  is_remote(to) && colon > 0 ? str_sub(to, (size_t)colon + 1, to.n) : to);
		r->e->remote = was;
	}
	return true;
}

/* ---- nc, socat ---- */

static bool run_nc(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *exec;

	args_read(r, &a, c,
		  "-e -c -p -s -w -q -x -X -i -I -O -P -T -V -b_ --exec --sh-exec --source-port");
	exec = args_option(&a, "-e|-c|--exec|--sh-exec");
	if (args_option(&a, "-z"))
		return true;
	/* A socket among files: one that listens is made, or takes another's place. */
	if (args_option(&a, "-U|--unixsock") && a.noperands)
		call_path(r, c, (struct effect){ .kind = EFFECT_WRITE }, a.operands[0]);
	else if (!args_option(&a, "-l|--listen") && a.noperands)
		add_address(r, c, EFFECT_SEND, a.operands[0]);
	/* What is told a store by its own protocol, at its usual port. */
	if (r->has_in && a.noperands > 1 && str_eqz(a.operands[1], "6379"))
		call_code(r, c, CODE_REDIS, r->in);
	else if (r->has_in && a.noperands > 1 && str_eqz(a.operands[1], "11211") &&
		 str_find(r->in, STR("flush_all"), 0) >= 0)
		call_add(r, c, (struct effect){ .kind = EFFECT_DATABASE });
	run_emit(r, FETCHED);
	if (exec) {
		struct run inner = *r;

		run_input(&inner, FETCHED);
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_FETCHED });
		run_inner(&inner, exec->value);
	}
	return true;
}

static bool run_socat(struct run *r, const struct call *c)
{
	/* What is told a load balancer by its socket. */
	static const char *const ends[] = { "disable ", "shutdown ", "set server ",  "del ",
					    "clear ",   "set map ",  "set maxconn ", "kill " };
	struct run inner = *r;
	bool network = false;

	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		bool connects = str_starts(w, STR("TCP")) || str_starts(w, STR("tcp")) ||
				str_starts(w, STR("UDP")) || str_starts(w, STR("udp")) ||
				str_starts(w, STR("OPENSSL")) || str_starts(w, STR("openssl")) ||
				str_starts(w, STR("ws")) || str_eqz(w, "-s");

		network |= connects;
		if (connects && str_find(w, STR("LISTEN"), 0) < 0 &&
		    str_find(w, STR("listen"), 0) < 0 && str_chr(w, ':', 0) > 0)
			add_address(r, c, EFFECT_SEND,
				    str_sub(w, (size_t)str_chr(w, ':', 0) + 1, w.n));
	}
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		bool made = str_starts(w, STR("UNIX-")) || str_starts(w, STR("unix-"));
		ptrdiff_t colon = str_chr(w, ':', 0), comma = str_chr(w, ',', 0);
		struct str kind = str_sub(w, 0, (size_t)(colon + 1));

		if (str_find(w, STR("haproxy"), 0) >= 0 && r->has_in &&
		    TEXT_BEGINS(str_trim(r->in), ends))
			call_add(r, c, (struct effect){ .kind = EFFECT_CLOUD });
		if (made && colon > 0)
			call_path(r, c, (struct effect){ .kind = EFFECT_WRITE },
				  str_sub(w, (size_t)colon + 1, comma < 0 ? w.n : (size_t)comma));
		else if (word_in_text(kind, "FILE: OPEN: GOPEN: file: open: gopen:"))
			call_path(r, c, (struct effect){ .kind = EFFECT_READ },
				  str_sub(w, (size_t)colon + 1, comma < 0 ? w.n : (size_t)comma));
	}
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];
		struct str kind = str_sub(w, 0, (size_t)(str_chr(w, ':', 0) + 1));
		ptrdiff_t comma = str_chr(w, ',', 0);

		if (!word_in_text(kind, "EXEC: SYSTEM: SHELL: exec: system: shell: cmd: sh-c:"))
			continue;
		if (network) {
			run_input(&inner, FETCHED);
		}
		run_inner(&inner, str_sub(w, (size_t)str_chr(w, ':', 0) + 1,
					  comma < 0 ? w.n : (size_t)comma));
	}
	run_emit(r, FETCHED);
	return true;
}

/* ---- servers that show a directory to whoever asks ---- */

static const struct server {
	const char *names, *subcommand;
	const char *valued;
	const char *dir; /* the option that names the directory; "" = an operand does */
	const char *bind;
} servers[] = {
	{ "serve", NULL, "-l -p -c -L_ --listen --port --config", "", "-l|--listen" },
	{ "http-server", NULL, "-p -a -c -S_ -C -K -P -t --port --proxy", "", "-a" },
	{ "live-server sirv darkhttpd miniserve static-web-server", NULL,
	  "-p -a -H --port --host --addr --entry-file --mount --proxy", "", "--host|--addr|-H" },
	{ "http.server", NULL, "-b -d -p --bind --directory --protocol", "-d|--directory",
	  "-b|--bind" },
	{ "httpd", NULL, "-h -p -u -r -c --bind-address", "-h", "-p|--bind-address" },
	{ "pyftpdlib", NULL, "-d -p -i -u -P --directory --port --interface", "-d|--directory",
	  "-i|--interface" },
	{ "caddy", "file-server", "--root --listen --domain -r -l", "-r|--root", "-l|--listen" },
};

static bool run_server(struct run *r, const struct call *c)
{
	const struct server *s = servers;
	const struct option *dir, *bind;
	struct args a;
	size_t first;

	while (!word_in_text(c->words[0], s->names))
		s++;
	args_read(r, &a, c, s->valued);
	first = s->subcommand != NULL;
	if (first && !(a.noperands && str_eqz(a.operands[0], s->subcommand)))
		return false;
	dir = *s->dir ? args_option(&a, s->dir) : NULL;
	bind = args_option(&a, s->bind);
	if (bind && address_is_local(address_host(bind->value)) &&
	    !str_starts(bind->value, STR("0.0.0.0")))
		return true;
	call_path(r, c, (struct effect){ .kind = EFFECT_READ, .recursive = true },
		  dir                                                           ? dir->value
		  : a.noperands > first && !str_eqz(c->words[0], "http.server") ? a.operands[first]
										: STR("."));
	call_add(r, c, (struct effect){ .kind = EFFECT_SEND });
	return true;
}

/* ---- sftp, ftp, lftp, smbclient: commands of their own ---- */

/* rm -r x; mirror -R --delete x y: of the other machine. */
static void transfer_deletes(struct run *r, const struct call *c, struct str verb, struct str line)
{
	static const char *const deletes[] = { "rm",      "rmdir", "mrm",     "del", "delete",
					       "mdelete", "glob",  "deltree", "-rm", NULL };
	bool mirrors = str_eqz(verb, "mirror") && str_find(line, STR("--delete"), 0) >= 0 &&
		       (str_find(line, STR("-R"), 0) >= 0 || str_find(line, STR("--rev"), 0) >= 0);
	bool was = r->e->remote, tree = mirrors || word_in_text(verb, "rmdir mrm mdelete deltree");
	struct str path;

	if (!mirrors && !sh_is_among(verb, deletes))
		return;
	r->e->remote = true;
	while (str_split(&line, ' ', &path)) {
		tree |= path.n > 1 && path.p[0] == '-' && str_chr(path, 'r', 0) > 0;
		if (!path.n || path.p[0] == '-' || (mirrors && line.n))
			continue;
		tree |= str_chr(path, '*', 0) >= 0;
		path = glob_value(r, path);
		if (path.p[0] != '/') /* where it starts is not known */
			path = arena_printf(r->a, "\1/%.*s", STR_ARG(path));
		call_path(
			r, c,
			(struct effect){ .kind = EFFECT_DELETE, .recursive = tree, .forced = tree },
			path);
	}
	r->e->remote = was;
}

/* put x y; mput *.c; mirror -R dir */
static void transfer_line(struct run *r, const struct call *c, struct str line)
{
	static const char *const puts[] = { "put",  "mput", "reput",  "send", "append",
					    "-put", "@put", "mirror", NULL };
	struct str verb, path;
	bool mirrors, tree = false;

	line = str_trim(line);
	if (str_starts(line, STR("!"))) {
		call_shell(r, c, str_sub(line, 1, line.n));
		return;
	}
	if (!str_split(&line, ' ', &verb))
		return;
	if (str_eqz(verb, "local"))
		call_shell(r, c, line);
	transfer_deletes(r, c, verb, line);
	if (!sh_is_among(verb, puts))
		return;
	mirrors = str_eqz(verb, "mirror");
	if (mirrors && str_find(line, STR("-R"), 0) < 0)
		return;
	while (str_split(&line, ' ', &path)) {
		tree |= str_eqz(path, "-r");
		if (!path.n || path.p[0] == '-')
			continue;
		call_path(r, c,
			  (struct effect){ .kind = EFFECT_READ, .recursive = mirrors || tree },
			  path);
		if (str_eqz(verb, "mput"))
			continue;
		line = str_trim(line);
		if (line.n && line.p[0] == '/')
			remote_file(r, c, EFFECT_OVERWRITE,
				    arena_printf(r->a, "h:%.*s", STR_ARG(line)));
		return;
	}
}

bool run_transfer(struct run *r, const struct call *c)
{
	struct str text = r->has_in ? r->in : STR(""), line, part;
	struct args a;

	args_read(r, &a, c, "-b -o -P -i -F -J -l -R -S -c -e -u -p -U -W");
	if (args_option(&a, "-b"))
		(void)file_read(r, args_option(&a, "-b")->value, &text);
	if (args_option(&a, "-c|-e"))
		text = args_option(&a, "-c|-e")->value;
	while (str_split(&text, '\n', &line))
		while (str_split(&line, ';', &part))
			transfer_line(r, c, part);
	return false;
}

const struct special special_network[] = {
	{ "dig host nslookup drill kdig ping ping6", run_lookup },
	{ "http https xh xhs", run_http },
	{ "ftp lftp ncftp smbclient tnftp", run_transfer },
	{ "curl", run_curl },
	{ "wget wget2", run_wget },
	{ "scp rsync pscp", run_rsync },
	{ "nc ncat netcat", run_nc },
	{ "socat websocat", run_socat },
	{ "serve http-server live-server sirv darkhttpd miniserve static-web-server http.server httpd "
	  "caddy pyftpdlib",
	  run_server },
	{ NULL, NULL },
};
