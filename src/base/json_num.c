/*
 * Numbers as JavaScript reads and prints them, whatever the locale of the program is.
 *
 * Printing finds the shortest decimal that reads back as the same double, and of several of that
 * length the nearest.  Why the search below is complete:
 *
 * - Distinct decimals of at most 15 digits are distinct doubles (normal ones).  So when the nearest
 *   15-digit decimal reads back, it is the only one of up to 15 digits that does, and without its
 *   trailing zeros it is the shortest.  Subnormal doubles have less precision: there the search
 *   begins with one digit.
 * - The decimals that read back as d form an interval around d.  So of all decimals with k digits
 *   only the next one below and the next one above d can matter.  printf gives the nearer of them.
 *   The interval reaches at least as far up as down (half as far down when d is a power of two), so
 *   the other one can be inside only when it is the upper one and the nearer one is below d.
 * - 17 digits always read back.
 */
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>

#include "base/json_impl.h"

enum { EXACT_DIGITS = 15, MAX_DIGITS = 17 };

/* All powers of ten that a double holds exactly. */
static const double powers[] = {
	1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
	1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
};

static locale_t c_locale;

static void c_locale_make(void)
{
	c_locale = newlocale(LC_ALL_MASK, "C", NULL);
}

/* In the C locale: the host's may have a comma where the point belongs. */
static locale_t numeric_locale(void)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;

	(void)pthread_once(&once, c_locale_make);
	return c_locale;
}

/*
 * Few digits and a small exponent: digits and power are exact doubles, so one multiplication or
 * division rounds correctly.  False when the number is not of that kind.
 */
static bool num_quick(const char *s, size_t n, double *ret_d)
{
	bool neg = s[0] == '-';
	uint64_t digits = 0;
	size_t i = neg, count = 0, after = 0;
	bool point = false;

	if (FLT_EVAL_METHOD != 0)
		return false;
	for (; i < n; i++) {
		if (s[i] == '.') {
			point = true;
			continue;
		}
		if (!char_is_digit(s[i]) || count == EXACT_DIGITS)
			return false;
		digits = digits * 10 + (unsigned)(s[i] - '0');
		count += digits != 0;
		after += point;
	}
	if (after >= ARRAY_LEN(powers))
		return false;
	*ret_d = (double)digits / powers[after];
	if (neg)
		*ret_d = -*ret_d;
	return true;
}

double json_num(const struct json *v, double dflt)
{
	char small[64];
	double d;

	if (!json_is(v, J_NUM))
		return dflt;
	if (num_quick(v->s, v->n, &d))
		return d;
	char *z = v->n < sizeof small ? small : xmalloc(v->n + 1);
	memcpy(z, v->s, v->n);
	z[v->n] = '\0';
	d = strtod_l(z, NULL, numeric_locale());
	if (z != small)
		free(z);
	return d;
}

int64_t json_int(const struct json *v, int64_t dflt)
{
	const double most = 9007199254740991.0;
	double d;

	if (!json_is(v, J_NUM))
		return dflt;
	d = json_num(v, 0);
	return (int64_t)(d > most ? most : d < -most ? -most : d);
}

double json_num_in_text(const struct json *v, double dflt)
{
	struct str s = str_trim(json_str(v, STR("")));
	char z[32], *end;
	double d;

	if (!json_is(v, J_STR))
		return json_num(v, dflt);
	if (!s.n || s.n >= sizeof z)
		return dflt;
	memcpy(z, s.p, s.n);
	z[s.n] = '\0';
	if (strspn(z, "+-.0123456789eE") != s.n)
		return dflt;
	d = strtod_l(z, &end, numeric_locale());
	return *end ? dflt : d;
}

/* A decimal: 0.DIGITS * 10^point. */
struct decimal {
	char digits[MAX_DIGITS + 1];
	int n;
	int point;
};

static bool reads_back(const struct decimal *x, double d)
{
	char z[MAX_DIGITS + 16];

	(void)snprintf(z, sizeof z, ".%.*se%d", x->n, x->digits, x->point);
	/* No point is printed but ours, and it is read in the C locale. */
	return strtod_l(z, NULL, numeric_locale()) == d;
}

/* The n-digit decimal nearest to d.  printf's point depends on the locale and is skipped. */
static void nearest(double d, int n, struct decimal *x)
{
	char z[64];
	const char *e;
	int used = 0;

	(void)snprintf(z, sizeof z, "%.*e", n - 1, d);
	e = strrchr(z, 'e');
	for (const char *p = z; p < e; p++)
		if (char_is_digit(*p))
			x->digits[used++] = *p;
	x->n = used;
	x->point = (int)strtol(e + 1, NULL, 10) + 1;
}

/* The next n-digit decimal.  False for 99..9, whose next one has fewer digits and was tried. */
static bool next_up(struct decimal *x)
{
	int i = x->n - 1;

	while (i >= 0 && x->digits[i] == '9')
		x->digits[i--] = '0';
	if (i < 0)
		return false;
	x->digits[i]++;
	return true;
}

static void decimal_from(uint64_t digits, int power, struct decimal *x)
{
	char z[24];
	int n = 0;

	while (digits % 10 == 0) {
		digits /= 10;
		power++;
	}
	for (; digits; digits /= 10)
		z[n++] = (char)('0' + digits % 10);
	x->n = n;
	x->point = n + power;
	for (int i = 0; i < n; i++)
		x->digits[i] = z[n - 1 - i];
}

/*
 * Integers below 2^53 are their own digits, and decimals of at most 15 digits can be recognised by
 * dividing back: digits and power are exact, so the quotient is what reading the text would give.
 */
static bool shortest_quick(double d, struct decimal *x)
{
	if (FLT_EVAL_METHOD != 0)
		return false;
	if (d < 9007199254740992.0 && (double)(uint64_t)d == d) {
		decimal_from((uint64_t)d, 0, x);
		return true;
	}
	for (int k = 1; k < (int)ARRAY_LEN(powers); k++) {
		double scaled = d * powers[k] + 0.5;
		uint64_t digits;

		if (scaled >= 1e15)
			return false;
		digits = (uint64_t)scaled;
		if (digits && (double)digits / powers[k] == d) {
			decimal_from(digits, -k, x);
			return true;
		}
	}
	return false;
}

static char *put(char *to, const char *from, int n)
{
	memcpy(to, from, (size_t)n);
	return to + n;
}

static char *put_zeros(char *to, int n)
{
	memset(to, '0', (size_t)n);
	return to + n;
}

/* The layout of Number::toString (ECMA-262). */
static char *lay_out(char *to, const struct decimal *x)
{
	int k = x->n, n = x->point;
	char exponent[8];

	if (k <= n && n <= 21)
		return put_zeros(put(to, x->digits, k), n - k);
	if (0 < n && n <= 21) {
		to = put(to, x->digits, n);
		*to++ = '.';
		return put(to, x->digits + n, k - n);
	}
	if (-6 < n && n <= 0) {
		to = put_zeros(put(to, "0.", 2), -n);
		return put(to, x->digits, k);
	}
	*to++ = x->digits[0];
	if (k > 1) {
		*to++ = '.';
		to = put(to, x->digits + 1, k - 1);
	}
	return put(to, exponent, snprintf(exponent, sizeof exponent, "e%+d", n - 1));
}

size_t json_num_print(double d, char out[JSON_NUM_MAX])
{
	struct decimal x;
	char *to = out;

	if (!isfinite(d)) {
		memcpy(out, "null", 4);
		return 4;
	}
	if (d == 0) {
		out[0] = '0'; /* minus zero too */
		return 1;
	}
	if (d < 0) {
		*to++ = '-';
		d = -d;
	}
	if (!shortest_quick(d, &x)) {
		int n = d < DBL_MIN ? 1 : EXACT_DIGITS, power;
		uint64_t mantissa = double_mantissa(d, &power);
		bool power_of_two = !(mantissa & (mantissa - 1));

		for (;; n++) {
			nearest(d, n, &x);
			if (n >= MAX_DIGITS || reads_back(&x, d))
				break;
			if (power_of_two && next_up(&x) && reads_back(&x, d))
				break;
		}
		while (x.n > 1 && x.digits[x.n - 1] == '0')
			x.n--;
	}
	return (size_t)(lay_out(to, &x) - out);
}

/*
 * Up to 15 digits, no exponent, no useless zero, and not so small that an exponent would be
 * printed: by the first rule above such a text is its own shortest form.
 */
bool json_num_canonical(const char *s, size_t n)
{
	size_t i = s[0] == '-', first = i, point = n;

	if (n - i > EXACT_DIGITS + 1)
		return false;
	for (; i < n; i++) {
		if (s[i] == '.')
			point = i;
		else if (!char_is_digit(s[i]))
			return false;
	}
	if (point == n)
		return n - first <= EXACT_DIGITS && !(first && s[first] == '0');
	if (s[n - 1] == '0')
		return false;
	return s[first] != '0' || n - point < 7;
}
