/* Is a text random, or made of words, counted, or a placeholder? */

#include "base/words.h"
#include "secrets/formats.h"

/*
 * How surprising a letter is after another, in steps of 4/3 bits: a row for the first, a column for
 * the second.  Counted in the documentation and source of this project, of the C library and of
 * Python.
 */
static const char pairs[26][27] = {
	"84337648485232948232456548", /* a */
	"37562768337266368345268836", /* b */
	"37572782493356258452477868", /* c */
	"35631667278466368435467757", /* d */
	"36334357687342645223745358", /* e */
	"38644378198465248343398959", /* f */
	"46461752388443449325367775", /* g */
	"28761888298766289463597969", /* h */
	"44344349787341358422859594", /* i */
	"37661777577756247616373989", /* j */
	"36651656287473557625454878", /* k */
	"36642368297276369734367947", /* l */
	"24551788395545328745469879", /* m */
	"37322437485575369722457948", /* n */
	"54436358464332439243354778", /* o */
	"27452675397374236243387736", /* p */
	"88967789789186767557187994", /* q */
	"37441648295543358333356849", /* r */
	"47462664395566344531476858", /* s */
	"37552572297566359234385647", /* t */
	"54243459487332649222788798", /* u */
	"28771678298766279766885897", /* v */
	"24553772198573378347685789", /* w */
	"46263586399547529651878557", /* x */
	"46564667498444218222675777", /* y */
	"37670676399457478667587865", /* z */
};

/* Tenths of a bit of b after a, of which `run` capitals precede. */
static unsigned surprise_of(char a, char b, size_t run)
{
	if (char_is_digit(b)) {
		if (!char_is_digit(a))
			return char_is_letter(a) ? 50 : 40;
		return a == b || a + 1 == b ? 12 : 33;
	}
	if (!char_is_letter(b))
		return strchr("_-./ ", b) ? (char_is_letter(a) ? 20 : 35) : 60;
	if (!char_is_letter(a))
		return char_is_digit(a) ? 60 : 30;
	unsigned bits = (unsigned)(pairs[(a | 0x20) - 'a'][(b | 0x20) - 'a'] - '0') * 40 / 3;

	if (char_is_lower(a) && char_is_upper(b))
		return max_size(bits, 45) + 15;
	return bits + (char_is_upper(a) && char_is_lower(b) && run > 1 ? 15 : 0);
}

unsigned secret_surprise(struct str s)
{
	unsigned sum = s.n ? 40 : 0;
	size_t run = s.n && char_is_upper(s.p[0]);

	for (size_t i = 1; i < s.n; i++) {
		sum += surprise_of(s.p[i - 1], s.p[i], run);
		run = char_is_upper(s.p[i]) ? run + 1 : 0;
	}
	return sum / 10;
}

/* log2(n) in 1/256, right to 1/100 of a bit. */
static unsigned log2_of(unsigned n)
{
	unsigned whole = 31 - (unsigned)__builtin_clz(n);
	unsigned part = (unsigned)(((uint64_t)n << 8 >> whole) - 256);

	return whole * 256 + part + part * (256 - part) * 88 / 65536;
}

/* Of the first characters, in 1/256 of a bit for each. */
static unsigned entropy_of(struct str s)
{
	unsigned counts[256] = { 0 }, bits = 0;

	s = str_sub(s, 0, 512);
	for (size_t i = 0; i < s.n; i++)
		counts[(unsigned char)s.p[i]]++;
	for (size_t c = 0; c < 256; c++)
		if (counts[c])
			bits += counts[c] * (log2_of((unsigned)s.n) - log2_of(counts[c]));
	return s.n ? bits / (unsigned)s.n : 0;
}

bool secret_varies(const struct secret_format *f, struct str s)
{
	/* Sixteen digits of any kind have more than that in all but one of a thousand cases. */
	enum { USUAL = 26 };

	return entropy_of(s) * 10 >= (f->entropy ? f->entropy : USUAL) * 256u;
}

/* More than half of the characters repeat or continue the one that is `step` before them. */
static bool is_counted(struct str s, size_t step)
{
	size_t n = 0;

	for (size_t i = step; i < s.n; i++) {
		int d = s.p[i] - s.p[i - step];

		/* 9 is followed by 0, a or A. */
		n += (d >= -1 && d <= 1) || (s.p[i - step] == '9' && strchr("0aA", s.p[i])) ||
		     (s.p[i - step] == 'f' && s.p[i] == '0');
	}
	return s.n > step && n * 2 > s.n - step;
}

bool secret_made_up(struct str s)
{
	static const char *const words[] = {
		"xxxx",      "****",       "....",        "example",    "your_",    "your-",
		"yourtoken", "yourkey",    "mytoken",     "my_token",   "my-token", "changeme",
		"change_me", "change-me",  "placeholder", "dummy",      "redacted", "replace",
		"insert",    "sample",     "fake",        "not-a-real", "notareal", "notreal",
		"foobar",    "1234567890", "deadbeef",    "secret",     "goeshere", "todo",
		"lorem",     "signature",
	};
	/* What vendors print in their documentation. */
	static const char *const published[] = {
		"IOSFODNN7", /* Amazon's */
		"4eC39HqLyjWDarjtT1zdp7dc", /* Stripe's */
		"Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1", /* of Azure's emulator */
		"C2y6yDjf5/R+ob0N8A7Cgv30VRDJIWEHLM", /* of the emulator of Cosmos DB */
		"BQokikJOvBiI2HlWgH4olfQ2", /* Stripe's, the older one */
		"6LeIxAcTAAAAA", /* Google's for tests of reCAPTCHA */
		"GEZDGNBVGY3TQOJQ", /* of RFC 6238 */
		"JBSWY3DPEHPK3PXP", /* of otpauth: addresses */
		"MTk4NjIyNDgzNDcxOTI1MjQ4", /* Discord's */
	};

	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		struct str word = str_from(words[i]);

		/* Short words are in long random texts, too. */
		if (s.n <= (word.n < 5 ? 40 : 256) && str_find_icase(s, word, 0) >= 0)
			return true;
	}
	return TEXT_HAS(s, published) || is_counted(s, 1) || is_counted(s, 2) ||
	       entropy_of(s) < 2 * 256;
}

/* $NAME, ${NAME}, <name>, {{ name }}, %NAME%, %s: something else is meant to be there. */
static bool is_reference(struct str s)
{
	static const char *const parts[] = { "${", "{{", "}}", "$(", "#{", "%(", "@{", "&lt;" };
	char first = s.p[0], last = s.p[s.n - 1];
	size_t n = 1;

	if (TEXT_HAS(s, parts))
		return true;
	while (n < s.n && char_is_word(s.p[n]))
		n++;
	if (first == '$')
		return n == s.n;
	return (first == '<' && last == '>') || (first == '{' && last == '}') ||
	       (first == '[' && last == ']') || (first == '(' && last == ')') ||
	       (first == '%' && (last == '%' || s.n < 4));
}

bool secret_stand_in(struct str user, struct str password)
{
	static const char *const words[] = {
		"password",
		"passwd",
		"pass",
		"pwd",
		"pw",
		"secret",
		"token",
		"hunter2",
		"test",
		"testing",
		"admin",
		"root",
		"postgres",
		"guest",
		"mysql",
		"user",
		"username",
		"mypassword",
		"my-password",
		"dbpass",
		"p",
		"mysecretpassword",
		"yourpassword",
		"p4ssw0rd",
		"p@ssw0rd",
		"passw0rd",
		"xxx",
		"x",
		"foo",
		"bar",
		"baz",
		"abc",
		"abc123",
		"123",
		"1234",
		"12345",
		"123456",
		"pass123",
		"password123",
		"password1",
		"s3cr3t",
		"s3cret",
		"redis",
		"minio",
		"minioadmin",
		"rabbitmq",
		"mongo",
		"null",
		"none",
		"x-oauth-basic",
		"anoncvs",
		"anonymous",
		"oauth2",
		"letmein",
		"qwerty",
		"demo",
		"default",
		"user_password",
		"db_password",
		"db-password",
		"apikey",
		"api_key",
		"key",
		"userpass",
		"supersecret",
		"topsecret",
		"hidden",
		"masked",
		"...",
	};

	if (!password.n || str_eq(user, password) || is_reference(password))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		if (str_eqz_icase(password, words[i]))
			return true;
	return str_find(password, STR("..."), 0) >= 0 ||
	       (password.n >= 6 && secret_made_up(password));
}

bool check_random(struct str body)
{
	return secret_surprise(body) * 10 >= body.n * 48;
}

bool check_crc(struct str body)
{
	static const char digits[] =
		"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
	uint32_t crc = 0xffffffff;

	for (size_t i = 0; i + 6 < body.n; i++) {
		crc ^= (unsigned char)body.p[i];
		for (int k = 0; k < 8; k++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320 : 0);
	}
	crc = ~crc;
	for (size_t i = body.n; i > body.n - 6; crc /= 62)
		if (body.p[--i] != digits[crc % 62])
			return false;
	return true;
}
