/*
 * Secrets in text (docs/secrets.md): which are found, what is refused, and that a text in chunks
 * shows none of them.  No value here is one: what issuers would take is put together when the test
 * runs.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "os/fs.h"
#include "secrets/formats.h"
#include "secrets/paths.h"

/* xorshift: the same values in every run. */
static uint64_t seed;

static unsigned pick(unsigned n)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (unsigned)(seed >> 33) % n;
}

static void add_of(struct buf *out, char alphabet, size_t n)
{
	while (n > 0) {
		char c = (char)(33 + pick(94));

		if (!shape_has(alphabet, c))
			continue;
		buf_addc(out, c);
		n--;
	}
}

/* A text of the shape, with runs as short as they may be. */
static void add_shape(struct buf *out, const char *shape)
{
	while (*shape) {
		char *end;
		size_t n;

		if (*shape != '%') {
			buf_addc(out, *shape++);
			continue;
		}
		n = strtoul(shape + 3, &end, 10);
		add_of(out, shape[1], n);
		shape = strchr(end, '}') + 1;
	}
}

/* The last six characters become the sum of those before. */
static void add_crc(struct buf *out, size_t body)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	uint32_t crc = 0xffffffff;

	for (size_t i = body; i < out->n - 6; i++) {
		crc ^= (unsigned char)out->p[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	crc = ~crc;
	for (int k = 0; k < 6; k++, crc /= 62)
		out->p[out->n - 1 - (size_t)k] = digits[crc % 62];
}

/* A secret of the row that is random enough. */
static void make(const struct secret_format *f, struct buf *out)
{
	size_t body;

	do {
		buf_clear(out);
		if (f->before && f->anchor)
			add_shape(out, f->before);
		buf_addz(out, f->anchor ? f->anchor : "");
		body = out->n;
		add_shape(out, f->after);
		if (f->check == check_crc)
			add_crc(out, body);
	} while (!secret_varies(f, str_sub(buf_str(out), body, out->n)) ||
		 secret_made_up(str_sub(buf_str(out), body, out->n)) ||
		 (f->check && !f->check(str_sub(buf_str(out), body, out->n))));
}

static void every_row_finds_what_it_says(void **state)
{
	static const char *const around[][2] = {
		{ "", "" },        { "x = \"", "\"\n" },      { "so it is ", ", they say" },
		{ "a\\n", "\\n" }, { "\x1b[31m", "\x1b[0m" }, { "?q%3D", "&x" },
		{ "(", ")." },
	};
	size_t failed = 0;

	(void)state;
	seed = 7;
	for (size_t i = 0; i < secret_formats_n * ARRAY_LEN(around); i++) {
		const struct secret_format *f = &secret_formats[i % secret_formats_n];
		const char *const *a = around[i / secret_formats_n];
		AUTO(buf_done) struct buf text = { 0 }, value = { 0 };
		AUTO(arena_done) struct arena arena = { 0 };
		const struct secret *list;
		struct str word = f->before ? str_from(f->before) : STR("");

		if (!f->after)
			continue;
		make(f, &value);
		(void)str_split(&word, ' ', &word);
		if (secret_format_is_keyed(f))
			buf_addf(&text, "%s\n%.*s_secret_key: ", a[0], (int)strcspn(f->before, " "),
				 f->before);
		else
			buf_addz(&text, a[0]);
		buf_adds(&text, buf_str(&value));
		buf_addz(&text, a[1]);
		if (secrets_find(&arena, buf_str(&text), 0, &list) == 1 &&
		    strcmp(list->format->id, f->id) == 0 && list->end - list->at == value.n)
			continue;
		print_error("%s: %s\n", f->id, buf_z(&text));
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* The rows that are found have bounds that the window keeps. */
static void the_table_is_sound(void **state)
{
	(void)state;
	for (size_t i = 0; i < secret_formats_n; i++) {
		const struct secret_format *f = &secret_formats[i];
		size_t before = 0;

		assert_non_null(f->id);
		assert_non_null(f->name);
		assert_null(strchr(f->name, ']'));
		if (f->anchor && f->before) {
			const char *max = strchr(f->before, ',');

			before = strtoul(max ? max + 1 : f->before + 3, NULL, 10);
		}
		assert_true(before + 3 <= LOOK_BACK);
		assert_ptr_equal(secret_format_get(i), f);
	}
	assert_null(secret_format_get(secret_formats_n));
}

#define R32 "q7Zp2Lk9Xv4Tn8Wb3Rf6Yd1Hs5Gm0JcA"
#define HEX32 "3f9a1c7e5b2d8064f1e7a9c3b5d20864"
#define LINE "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj"

/* text with the secret between « and »; none: nothing is found. */
static const struct {
	const char *text, *id;
} cases[] = {
	/* Checksums: GitHub's and npm's. */
	{ "«gh"
	  "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq17»",
	  "github-token" },
	{ "gh"
	  "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18",
	  NULL },
	{ "TOKEN=gh"
	  "p_zQWBuTSOoRi4A9spHcVY5ncnsDkxkJ0mLq18",
	  NULL },
	/* A longer word is something else. */
	{ "AK"
	  "IAQ7ZP2LK9XV4TN8WB3",
	  NULL },
	{ "xAK"
	  "IAQ7ZP2LK9XV4TN8WB",
	  NULL },
	{ "AK"
	  "IAIOSFODNN7EXAMPLE",
	  NULL },
	{ "id «AK"
	  "IAQ7ZP2LK9XV4TN8WB».",
	  "aws-key" },
	/* Keys. */
	{ "«-----BEGIN RSA PRIVATE KEY-----\n" LINE "\n" LINE "\n-----END RSA PRIVATE KEY-----»\n",
	  "private-key" },
	{ "\"«-----BEGIN PRIVATE KEY-----\\n" LINE "\\n-----END PRIVATE KEY-----»\\n\"",
	  "private-key" },
	{ "«-----BEGIN ENCRYPTED PRIVATE KEY-----\n" LINE "»", "private-key" },
	{ "«-----BEGIN EC PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC," HEX32
	  "\n\n" LINE "\n-----END EC PRIVATE KEY-----»",
	  "private-key" },
	{ "+«-----BEGIN OPENSSH PRIVATE KEY-----\n+" LINE "\n+-----END OPENSSH PRIVATE KEY-----»",
	  "private-key" },
	{ "«-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n" LINE "\n=aB3x\n-----END PGP PRIVATE KEY "
	  "BLOCK-----»",
	  "private-key" },
	{ "-----BEGIN CERTIFICATE-----\n" LINE "\n-----END CERTIFICATE-----", NULL },
	{ "-----BEGIN PUBLIC KEY-----\n" LINE "\n-----END PUBLIC KEY-----", NULL },
	{ "-----BEGIN PRIVATE KEY-----\n...\n-----END PRIVATE KEY-----", NULL },
	{ "grep -r 'BEGIN PRIVATE KEY' and -----BEGIN PRIVATE KEY----- are words of a sentence",
	  NULL },
	/* Web tokens. */
	{ "«eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiI0MiIsIm4iOiJxN1pwMkxrOSJ9." R32 "»",
	  "jwt" },
	{ "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIiwibmFtZSI6IkpvaG4gRG9lIi"
	  "wiaWF0IjoxNTE2MjM5MDIyfQ.SflKxwRJSMeKKF2QT4fwpMeJf36POk6yJV_adQssw5c",
	  NULL },
	{ "eyJhbGciOiJIUzI1NiIsInR5cCI6IkpXVCJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0."
	  "fake-signature-for-tests",
	  NULL },
	{ "eyJ0eXAiOiJKV1QiLCJ4IjoxfQ." R32 "." R32, NULL },
	/* Addresses. */
	{ "postgres://app:«q7Zp2Lk9Xv»@db.internal:5432/x", "address-password" },
	{ "mysql://root:«Falcon4711»@10.0.0.5", "address-password" },
	{ "https://«q7Zp2Lk9Xv4Tn8Wb3Rf6»@git.corp/x.git", "address-password" },
	{ "redis://:«q7Zp2Lk9Xv4T»@cache:6379", "address-password" },
	{ "postgres://user:password@localhost:5432/x", NULL },
	{ "postgres://postgres:postgres@db/x", NULL },
	{ "https://user:${PASSWORD}@host/", NULL },
	{ "https://user:$PASSWORD@host/ https://u:<password>@h/ https://u:%s@h/", NULL },
	{ "http://[USER[:PASSWORD]@]HOST", NULL },
	{ "see https://example.com/@user: it is not", NULL },
	/* Headers and commands. */
	{ "Authorization: Bearer «" R32 "»", "token" },
	{ "curl -H 'Authorization: token «" HEX32 "»'", "token" },
	{ "use Bearer «" R32 "» for it", "authorization" },
	{ "Authorization: Basic «c3ZjOnE3WnAyTGs5WHY0VA==»", "token" },
	{ "Authorization: Bearer $TOKEN", NULL },
	{ "Authorization: Bearer <your token>", NULL },
	{ "curl -u svc:«q7Zp2Lk9Xv4T» https://h/", "password-argument" },
	{ "curl -u \"$USER:$PASS\" https://h/", NULL },
	{ "sudo -u postgres:x1y2z3a4 ls", NULL },
	{ "machine h.net login bob password «q7Zp2Lk9»", "netrc" },
	{ "machine h.net\n\tlogin bob\n\tpassword «q7Zp2Lk9»\n", "netrc" },
	{ "machine learning login password", NULL },
	{ "bob:«$2y$10$"
	  "N9qo8uLOickgx2ZMRZoMyeIjZAgcfl7p92ldGxad68LJZdL17lhWy»",
	  "bcrypt" },
	{ "mysql -u root -p«q7Zp2Lk9Xv» app", "password-argument" },
	{ "sshpass -p '«q7Zp2Lk9Xv»' ssh h", "password-argument" },
	{ "docker login -u bob -p «q7Zp2Lk9Xv» r.example", "password-argument" },
	{ "ConvertTo-SecureString \"«q7Zp2Lk9Xv»\" -AsPlainText -Force", "password-argument" },
	{ "docker login -u bob -p $PW; az login -p -x; ConvertTo-SecureString $q7Zp2Lk9Xv", NULL },
	{ "arn:aws:secretsmanager:eu-west-1:123456789012:secret:prod/db-q7Zp2Lk9Xv", NULL },
	{ "mysql -u root -p$PW app; mysqldump -p db; mysql.py | x -pq7Zp2Lk9Xv", NULL },
	{ "db.h:5432:app:app:«q7Zp2Lk9Xv»\n", "pgpass" },
	{ "h:5432:app:app:password and 127.0.0.1:5432: refused", NULL },
	{ "Private-Lines: 1«\n" LINE "»", "private-key" },
	{ "https://api.telegram.org«/bot"
	  "4962125112:AAq7Zp2Lk9Xv4Tn8Wb3Rf6Yd1Hs5Gm0JcAe»/getMe",
	  "telegram" },
	{ "Authorization: Basic dXNlcjpwYXNz", NULL },
	/* Assignments. */
	{ "DB_PASSWORD=«q7Zp2Lk9Xv»", "password" },
	{ "password: '«Tr0ub4dor&3x»'", "password" },
	{ "{\\\"password\\\": \\\"«q7Zp2Lk9Xv»\\\"}", "password" },
	{ "<password>«q7Zp2Lk9Xv»</password>", "password" },
	{ "<add key=\"ApiKey\" value=\"«" R32 "»\"/>", "token" },
	{ "- name: API_TOKEN\n  value: \"«" R32 "»\"", "token" },
	{ "os.putenv(\"API_TOKEN\", \"«" R32 "»\")", "token" },
	{ "let api_token: &str = \"«" R32 "»\";", "token" },
	{ "CREATE USER x WITH PASSWORD '«q7Zp2Lk9Xv»'", "password" },
	{ "deploy --token «" R32 "» --force", "token" },
	{ "client_secret := `«" HEX32 "»`", "token" },
	{ "?a=1&api_key=«" HEX32 "»&b=2", "token" },
	{ "AWS_SECRET_ACCESS_KEY=«q7Zp2Lk9Xv4Tn8Wb3Rf6Yd1Hs5Gm0JcA/x+T4vUe»", "aws-secret" },
	{ "HEROKU_API_KEY=«9d3a7c1e-5b2f-4806-a1e7-c3b5d20864f9»", "heroku" },
	{ "aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", NULL },
	{ "password = \"changeme\" password: <password> password=$PW password: ${{ secrets.PW }}",
	  NULL },
	{ "for x in (\"password\", \"Tr0ub4dor&3x\", \"correct horse\"):", NULL },
	{ "hset(\"password\", \"«Tr0ub4dor&3x»\", \"b\")", "password" },
	{ "password: {{ db_password }} token: !vault | secret: xxxxxxxxxxxxxxxxxxxx", NULL },
	{ "api_key = os.environ[\"API_KEY_2\"] token = get_token2(user1) password = user.password2",
	  NULL },
	{ "token: 9d3a7c1e-5b2f-4806-a1e7-c3b5d20864f9", NULL },
	{ "\"integrity\": \"sha512-" R32 R32 "q7Zp2Lk9Xv4Tn8Wb3Rf6Y==\"", NULL },
	{ "commit " HEX32 "b5d20864 sha256:" HEX32 HEX32, NULL },
	{ "public_key = \"" R32 "\" cache_key: \"" R32 "\" csrf_token=\"" R32 "\"", NULL },
	{ "password_file: /run/secrets/db1 token_url=" R32 " max_tokens: 4096", NULL },
	{ "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAI" R32 " me@host", NULL },
	{ "data:image/png;base64,iVBORw0KGgo" R32 R32, NULL },
	/* Lines of configurations, names of two words, objects of their own. */
	{ "maxmemory 2gb\nrequirepass «q7Zp2Lk9Xv»\n", "password" },
	{ "  password «q7Zp2Lk9Xv4T»\n", "password" },
	{ "password reset q7Zp2Lk9Xv4T for bob\nthe password q7Zp2Lk9Xv4T\n", NULL },
	{ "[x]\npassword = «q^7Z)Dp*Bo2%k»\n", "password" },
	{ "token = get(\"a7Zp2\")\npassword = self.q7Zp2(x)\n", NULL },
	{ "Secret Key: «" R32 "»\nExpires: never", "token" },
	{ "Sort Key: " R32 "\nA Key: " R32, NULL },
	{ "\"db_password\": {\n  \"type\": \"string\",\n  \"value\": \"«q7Zp2Lk9Xv»\"\n}",
	  "password" },
	{ "\"db_password\": { \"type\": \"string\" }, \"value\": \"q7Zp2Lk9Xv\"", NULL },
	{ "\"AzureDevopsPat\": \"«" R32 "»\"", "token" },
	{ "IPV4_PAT = \"(?:[0-9]{1,3}\\.){3}[0-9]{1,3}\" URL_PAT=\"a/b/" R32 "\"", NULL },
	{ "OWNER_PRIVATE_KEY=«0x" HEX32 HEX32 "»", "token" },
	{ "API_KEY=\"encrypted:" R32 R32 "\" password: Y2hhbmdlbWU=", NULL },
	/* Keys and objects, encoded. */
	{ "{\"kty\": \"OKP\", \"x\": \"" R32 "q7Zp2Lk9Xv4\", \"d\": \"«" R32 "q7Zp2Lk9Xv4»\"}",
	  "jwk" },
	{ "{\"kty\": \"OKP\", \"x\": \"" R32 "q7Zp2Lk9Xv4\"}, {\"d\": \"" R32 "q7Zp2Lk9Xv4\"}",
	  NULL },
	{ "data:\n  c: «eyJ1c2VyIjogImJvdCIsICJwYXNzd29yZCI6ICJxN1pwMkxrOVh2NFRuOFdiM1JmNiJ9»\n",
	  "encoded" },
	{ "c: eyJ1c2VyIjogImJvdCIsICJwYXNzd29yZCI6ICJjaGFuZ2VtZSIsICJuIjogIjEyMzQifQ==", NULL },
	{ "primary_key: user_profile_v2_id monkey=" R32 " turkey: " R32, NULL },
};

/* Takes « and » out; returns where they were. */
static void unmark(const char *marked, struct buf *text, size_t *at, size_t *end)
{
	*at = *end = 0;
	for (; *marked; marked++) {
		if (strncmp(marked, "«", 2) == 0)
			*at = text->n, marked++;
		else if (strncmp(marked, "»", 2) == 0)
			*end = text->n, marked++;
		else
			buf_addc(text, *marked);
	}
}

static void found_and_refused(void **state)
{
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf text = { 0 };
		const struct secret *list;
		size_t at, end, n;

		unmark(cases[i].text, &text, &at, &end);
		n = secrets_find(&a, buf_str(&text), 0, &list);
		if (cases[i].id ? n == 1 && strcmp(list->format->id, cases[i].id) == 0 &&
					  list->at == at && list->end == end
				: n == 0)
			continue;
		print_error("%s\n  %s: %zu", cases[i].text, cases[i].id ? cases[i].id : "none", n);
		for (size_t k = 0; k < n; k++)
			print_error(" %s '%.*s'", list[k].format->id,
				    (int)(list[k].end - list[k].at), text.p + list[k].at);
		print_error("\n");
		failed++;
	}
	assert_int_equal(failed, 0);
}

/* Pieces of a literal, each between « and »; what is put together must be the whole of it. */
static void pieces_are_one(void **state)
{
	static const char *const between[] = {
		"\" + \"",  "\" +\n    \"", "\"\n\t+ \"", "\"\n    \"", "' . '",
		"\" & \"",  "\" \\\n \"",   "\" || \"",   "\"\n  b\"",  "\\\n",
		"\" <> \"", "` + `",        "\"+\"",      "' .. '",
	};
	static const char halves[][20] = { "q7Zp2Lk9Xv4Tn8Wb", "3Rf6Yd1Hs5Gm0JcA" };
	static const char *const not [] = { "\", \"", "\" \"", "\"\nx = \"", "\";\n\"", "\\\\\n" };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(between); i++) {
		AUTO(buf_done) struct buf text = { 0 }, out = { 0 }, want = { 0 };
		char quote[2] = { between[i][0] == '\\' ? '"' : between[i][0], '\0' };

		buf_addf(&text, "a\nkey = %shf_%sab%s%scd%s\nend", quote, halves[0], between[i],
			 halves[1], quote);
		assert_int_equal(secrets_redact(&out, buf_str(&text), 0), 2);
		buf_addf(
			&want,
			"a\nkey = %s[redacted: Hugging Face token]%s[redacted: Hugging Face token]%s\nend",
			quote, between[i], quote);
		assert_string_equal(buf_z(&out), buf_z(&want));
		assert_true(secret_in(buf_str(&text), 0));
	}
	for (size_t i = 0; i < ARRAY_LEN(not ); i++) {
		AUTO(buf_done) struct buf text = { 0 };

		buf_addf(&text, "x = \"hf_%sab%s%scd\"\n", halves[0], not [i], halves[1]);
		assert_false(secret_in(buf_str(&text), 0));
	}
}

static void several_in_a_text(void **state)
{
	AUTO(buf_done) struct buf out = { 0 };
	struct str text = STR("a AK"
			      "IAQ7ZP2LK9XV4TN8WB and postgres://u:q7Zp2Lk9Xv@h\n"
			      "PASSWORD=q7Zp2Lk9Xv; gl"
			      "pat-q7Zp2Lk9Xv4Tn8Wb3Rf6!");

	(void)state;
	assert_int_equal(secrets_redact(&out, text, 0), 4);
	assert_string_equal(buf_z(&out), "a [redacted: AWS access key] and "
					 "postgres://u:[redacted: password in a URL]@h\n"
					 "PASSWORD=[redacted: password]; "
					 "[redacted: GitLab token]!");
	assert_true(secret_in(text, 0));
	assert_false(secret_in(STR("nothing of the kind"), 0));
	assert_false(secret_in(STR(""), 0));
}

/* Gives the text in chunks of at most `most` bytes; most == 0: of one byte each. */
static void in_chunks(struct str text, unsigned most, struct buf *out)
{
	AUTO(secret_window_done) struct secret_window w = { 0 };

	for (size_t i = 0, n; i < text.n; i += n) {
		size_t before = out->n;

		n = most ? 1 + pick(most) : 1;
		secret_window_add(&w, str_sub(text, i, i + n), out);
		assert_true(w.text.n - w.shown <= SECRET_WAITS_MAX);
		assert_true(out->n >= before);
	}
	secret_window_end(&w, out);
}

/* A text of the corpus: `before`, the value in one of three forms, `after`. */
static void add_line(struct buf *out, const struct json *line)
{
	const struct json *parts = json_getz(line, "parts");
	struct str hex = json_get_str(line, "hex");

	buf_adds(out, json_get_str(line, "before"));
	for (size_t i = 0; json_is(parts, J_ARR) && i < parts->n; i++)
		buf_adds(out, json_str(json_at(parts, i), STR("")));
	for (size_t i = 0; i + 1 < hex.n; i += 2) {
		char digits[3] = { hex.p[i], hex.p[i + 1], 0 };

		buf_addc(out, (char)strtoul(digits, NULL, 16));
	}
	buf_adds(out, json_get_str(line, "text"));
	buf_adds(out, json_get_str(line, "after"));
}

/* The corpus, which was written without a look at the table: found, and wrongly found. */
static void the_corpus_is_told_apart(void **state)
{
	static const char *const files[] = { "tests/corpus/secrets.jsonl",
					     "tests/corpus/secrets5.jsonl" };
	AUTO(arena_done) struct arena a = { 0 };
	AUTO(buf_done) struct buf file = { 0 };
	size_t secrets = 0, found = 0, clean = 0, wrong = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		AUTO(free) char *path = fs_join(getenv("TEST_SOURCE_ROOT"), files[i]);

		assert_int_equal(fs_read(path, 8 << 20, &file, NULL), 0);
	}
	for (struct str rest = buf_str(&file), row; str_split(&rest, '\n', &row);) {
		AUTO(buf_done) struct buf text = { 0 }, whole = { 0 }, cut = { 0 };
		const struct json *line;
		bool is, yes;

		if (!row.n)
			continue;
		assert_int_equal(json_parse(&a, row, 0, &line, NULL), 0);
		add_line(&text, line);
		is = str_eqz(json_get_str(line, "label"), "secret");
		yes = secret_in(buf_str(&text), 0);
		*(is ? &secrets : &clean) += 1;
		*(is ? &found : &wrong) += yes;
		if (is != yes)
			print_message("# %.*s is %s\n", STR_ARG(json_get_str(line, "id")),
				      is ? "missed" : "no secret");
		(void)secrets_redact(&whole, buf_str(&text), SECRETS_AS_THEY_ARE);
		in_chunks(buf_str(&text), 9, &cut);
		assert_string_equal(buf_z(&cut), buf_z(&whole));
	}
	print_message("# %zu of %zu secrets found, %zu of %zu others wrongly\n", found, secrets,
		      wrong, clean);
	assert_true(found * 100 >= secrets * 99);
	assert_true(wrong * 1000 <= clean * 4);
}

/* In doubt a beginning is enough, made up or not. */
static void in_doubt(void **state)
{
	static const char *const texts[] = {
		"gh"
		"p_0123456789abcdef",
		"AK"
		"IAIOSFODNN7EXAMPLE",
		"sk-abcdefghijklmnopqrst",
		"-----BEGIN X-----",
		"https://me:password@localhost/",
		"xoxb-12345678",
		"eyJhbGciOiJIUzI1NiJ9.eyJzdWIi",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(texts); i++) {
		assert_true(secret_in(str_from(texts[i]), SECRETS_DOUBT));
		assert_false(secret_in(str_from(texts[i]), 0));
	}
	assert_false(secret_in(STR("gh"
				   "p_012345678 sk-learn npm_config_cache eyJhbGci"),
			       SECRETS_DOUBT));
}

/* However a text is cut, the same is shown; and what is shown early is part of the whole. */
static void chunks_change_nothing(void **state)
{
	AUTO(buf_done) struct buf all = { 0 };

	(void)state;
	seed = 11;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(buf_done) struct buf text = { 0 }, whole = { 0 };
		size_t at, end;

		unmark(cases[i].text, &text, &at, &end);
		buf_adds(&all, buf_str(&text));
		buf_addz(&all, i % 3 ? "\n" : " ");
		(void)secrets_redact(&whole, buf_str(&text), SECRETS_AS_THEY_ARE);
		for (unsigned k = 0; k < 12; k++) {
			AUTO(buf_done) struct buf cut = { 0 };

			in_chunks(buf_str(&text), k * k, &cut);
			assert_string_equal(buf_z(&cut), buf_z(&whole));
		}
	}
	for (unsigned k = 0; k < 40; k++) {
		AUTO(buf_done) struct buf cut = { 0 }, whole = { 0 };

		(void)secrets_redact(&whole, buf_str(&all), SECRETS_AS_THEY_ARE);
		in_chunks(buf_str(&all), k * 3, &cut);
		assert_string_equal(buf_z(&cut), buf_z(&whole));
	}
}

/* Of a secret nothing is shown before it is whole; a text without any waits for a word at most. */
static void nothing_is_shown_too_early(void **state)
{
	AUTO(secret_window_done) struct secret_window w = { 0 };
	AUTO(buf_done) struct buf out = { 0 };
	static const char *const parts[] = { "the key is AK", "IAQ7ZP2", "LK9XV4TN8WB", " and" };
	static const char *const shown[] = {
		"the key is ",
		"the key is ",
		"the key is ",
		"the key is [redacted: AWS access key] ",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		secret_window_add(&w, str_from(parts[i]), &out);
		assert_string_equal(buf_z(&out), shown[i]);
	}
	secret_window_end(&w, &out);
	assert_string_equal(buf_z(&out), "the key is [redacted: AWS access key] and");
	assert_int_equal(w.found, 1);
	assert_string_equal(w.first->id, "aws-key");
}

/* Whole: nothing is lost, and a secret is in one piece, wherever the text is cut. */
static void a_window_cuts_no_secret(void **state)
{
	static const char key[] = "AKIAQ7ZP2LK9XV4TN8WB";
	AUTO(buf_done) struct buf text = { 0 };

	(void)state;
	buf_addf(&text, "one %s, two %s\nthree", key, key);
	for (size_t n = 1; n <= text.n; n++) {
		AUTO(secret_window_done) struct secret_window w = { .whole = true };
		AUTO(buf_done) struct buf all = { 0 };
		size_t keys = 0;

		for (size_t i = 0; i <= text.n; i += n) {
			AUTO(buf_done) struct buf out = { 0 };

			secret_window_add(&w, str_sub(buf_str(&text), i, min_size(i + n, text.n)),
					  &out);
			if (i + n > text.n)
				secret_window_end(&w, &out);
			for (ptrdiff_t at = 0;
			     (at = str_find(buf_str(&out), str_from(key), (size_t)at)) >= 0; at++)
				keys++;
			buf_adds(&all, buf_str(&out));
			assert_true(w.text.n - w.shown <= 26 + n);
		}
		assert_int_equal(keys, 2);
		assert_int_equal(w.found, 2);
		assert_string_equal(buf_z(&all), buf_z(&text));
	}
}

/* Long runs of what secrets are made of wait in bounds; characters are not cut. */
static void a_window_is_bounded(void **state)
{
	static const char *const runs[] = {
		("-----BEGIN PRIVATE KEY-----\n" LINE),
		"eyJ",
		"password=\"",
		"\xc3\xa4",
		"://a:b",
		"sk-",
	};

	(void)state;
	seed = 5;
	for (size_t i = 0; i < ARRAY_LEN(runs); i++) {
		AUTO(buf_done) struct buf text = { 0 }, whole = { 0 }, cut = { 0 };

		buf_addz(&text, runs[i]);
		while (text.n < 200 << 10)
			buf_addz(&text, i < 3 ? R32 : runs[i]);
		(void)secrets_redact(&whole, buf_str(&text), SECRETS_AS_THEY_ARE);
		in_chunks(buf_str(&text), 4000, &cut);
		assert_true(str_eq(buf_str(&whole), buf_str(&cut)));
	}
}

static void a_character_is_given_whole(void **state)
{
	AUTO(secret_window_done) struct secret_window w = { 0 };
	struct str text =
		STR("\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87"
		    "\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87\xe4\xb8\xad\xe6\x96\x87");

	(void)state;
	for (size_t i = 0; i < text.n; i += 3) {
		AUTO(buf_done) struct buf out = { 0 };

		secret_window_add(&w, str_sub(text, i, i + 3), &out);
		assert_int_equal(out.n % 3, 0);
	}
}

static void paths_of_secrets(void **state)
{
	static const struct {
		const char *path;
		bool yes;
	} rows[] = {
		{ "/srv/a/.env", true },
		{ "/srv/a/.env.local", true },
		{ "/srv/a/.env.example", false },
		{ "/srv/a/.env.local.sample", false },
		{ "/srv/a/environment.md", false },
		{ "/home/me/.ssh", true },
		{ "/home/me/.ssh/id_ed25519", true },
		{ "/home/me/.ssh/deploy_key", true },
		{ "/home/me/.ssh/id_ed25519.pub", false },
		{ "/home/me/.ssh/known_hosts", false },
		{ "/home/me//.ssh/./id_rsa", true },
		{ "/home/me/.ssh/../.ssh/work", true },
		{ "/home/me/x/../.ssh/work", true },
		{ "/srv/a/../../home/me/.netrc", true },
		{ "/home/other/.aws/credentials", true },
		{ "/root/.docker/config.json", true },
		{ "/home/me/.aws/config", false },
		{ "/home/me/.docker", false },
		{ "/home/me/.config/gh/hosts.yml", true },
		{ "/home/me/.config/gh/config.yml", false },
		{ "/home/me/.kube/config", true },
		{ "/home/me/.bash_history", true },
		{ "/home/me/.mozilla/firefox/x.default/logins.json", true },
		{ "/srv/a/.aws/README", false },
		{ "/etc/shadow", true },
		{ "/etc/passwd", false },
		{ "/proc/self/environ", true },
		{ "/srv/tls/server.key", true },
		{ "/srv/tls/server.pem", true },
		{ "/srv/tls/fullchain.pem", false },
		{ "/etc/ssl/certs/x.pem", false },
		{ "/srv/a/src/key.c", false },
		{ "/srv/a/credentials.json", true },
		{ "/srv/a/secrets.yaml", true },
		{ "/srv/a/src/secrets.c", false },
		{ "/", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		if (secret_path(str_from(rows[i].path), STR("/home/me")) != rows[i].yes)
			fail_msg("%s: not %d", rows[i].path, rows[i].yes);
	assert_true(secret_path(STR("/srv/home/.ssh/x"), STR("/srv/home")));
	assert_false(secret_path(STR("/srv/home/.ssh/x"), STR("")));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_row_finds_what_it_says),
		cmocka_unit_test(the_table_is_sound),
		cmocka_unit_test(found_and_refused),
		cmocka_unit_test(pieces_are_one),
		cmocka_unit_test(several_in_a_text),
		cmocka_unit_test(the_corpus_is_told_apart),
		cmocka_unit_test(in_doubt),
		cmocka_unit_test(chunks_change_nothing),
		cmocka_unit_test(nothing_is_shown_too_early),
		cmocka_unit_test(a_window_cuts_no_secret),
		cmocka_unit_test(a_window_is_bounded),
		cmocka_unit_test(a_character_is_given_whole),
		cmocka_unit_test(paths_of_secrets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
