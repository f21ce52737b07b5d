#include "base/err.h"

#include <errno.h>
#include <stdio.h>

/* The text of the arguments behind fmt.  They may be parts of the error that it is for. */
#define FORMAT(text, fmt)                                                                          \
	va_list ap_##text;                                                                         \
	va_start(ap_##text, fmt);                                                                  \
	AUTO(free) char *text = xvasprintf(fmt, ap_##text);                                        \
	va_end(ap_##text)

static void set_text(struct err *err, const char *text)
{
	size_t n = strlen(text);

	if (n < sizeof err->text) {
		memcpy(err->text, text, n + 1);
		return;
	}
	n = sizeof err->text - sizeof "...";
	while (n && ((unsigned char)text[n] & 0xc0) == 0x80)
		n--; /* never cut inside a character */
	memcpy(err->text, text, n);
	memcpy(err->text + n, "...", sizeof "...");
}

int err_set(struct err *err, int code, const char *fmt, ...)
{
	if (!err)
		return -code;
	FORMAT(text, fmt);
	*err = (struct err){ .code = code };
	set_text(err, text);
	return -code;
}

int err_set_at(struct err *err, int code, const char *file, unsigned line, unsigned column,
	       const char *fmt, ...)
{
	if (!err)
		return -code;
	FORMAT(text, fmt);
	AUTO(free) char *place =
		line ? xasprintf("%s%s%u:%u", file, *file ? ":" : "", line, column) : xstrdup(file);
	AUTO(free) char *both = xasprintf("%s: %s", place, text);
	*err = (struct err){ .code = code,
			     .line = line,
			     .column = column,
			     .sentence = (unsigned)strlen(place) + 2 };
	set_text(err, both);
	if (strlen(file) < sizeof err->file)
		memcpy(err->file, file, strlen(file) + 1);
	return -code;
}

int err_locate(struct err *err, const char *file, unsigned line, unsigned column)
{
	return err ? err_set_at(err, err->code, file, line, column, "%s", err->text) : -E_INVAL;
}

int err_errno(struct err *err, int errnum, const char *fmt, ...)
{
	int code = errnum == ENOENT ? E_NOTFOUND : E_IO;

	if (!err)
		return -code;
	FORMAT(what, fmt);
	(void)err_set(err, code, "%s: %s", what, strerror(errnum));
	err->sentence = (unsigned)strlen(what) + 2;
	err->errnum = errnum;
	return -code;
}

int err_wrap(struct err *err, const char *fmt, ...)
{
	if (!err)
		return -E_INVAL;
	FORMAT(context, fmt);
	AUTO(free) char *both = xasprintf("%s: %s", context, err->text);
	set_text(err, both);
	err->sentence += (unsigned)strlen(context) + 2;
	return -err->code;
}

const char *err_sentence(const struct err *err)
{
	return err->sentence < strlen(err->text) ? err->text + err->sentence : err->text;
}

const char *err_name(int code)
{
	static const char *const names[] = {
#define ERR_NAME(name, n, text) [n] = text,
		ERR_CODES(ERR_NAME)
#undef ERR_NAME
	};
	size_t i = (size_t)(code < 0 ? -code : code);

	return i < ARRAY_LEN(names) && names[i] ? names[i] : "unknown error";
}
