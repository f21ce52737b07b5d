#include "model/provider.h"

void provider_begin(struct provider *p)
{
	p->status = 0;
	p->cut = false;
	buf_clear(&p->message);
}

int provider_fail(struct provider *p, struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	buf_clear(&p->message);
	va_start(ap, fmt);
	buf_vaddf(&p->message, fmt, ap);
	va_end(ap);
	return err_set(err, code, "%s", buf_z(&p->message));
}

int provider_failed(struct provider *p, int result, const struct err *from, struct err *err)
{
	const char *text = from->code ? from->text : err_name(result);

	if (!p->message.n)
		buf_addz(&p->message, text);
	(void)err_set(err, -result, "%s", text);
	return result;
}

const char *provider_error(struct provider *p)
{
	return buf_z(&p->message);
}

void provider_free(struct provider *p)
{
	if (!p)
		return;
	buf_done(&p->message);
	p->ops->free(p);
}
