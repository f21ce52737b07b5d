#include "base/json_pack.h"

#include "base/vec.h"

struct packed {
	struct json_member *p;
	size_t n, cap;
};

/* The value of the next argument; *ret_empty: there is nothing in it. */
static const struct json *next(struct arena *a, char type, va_list *ap, bool *ret_empty)
{
	const struct json *v = NULL;
	const char *z;
	struct str s;
	double d;

	switch (type) {
	case 'z':
		z = va_arg(*ap, const char *);
		*ret_empty = !z || !*z;
		return z ? json_new_copy(a, str_from(z)) : json_new_null(a);
	case 's':
		s = va_arg(*ap, struct str);
		*ret_empty = s.n == 0;
		return json_new_copy(a, s);
	case 'i':
		v = json_new_int(a, va_arg(*ap, int));
		break;
	case 'u':
		v = json_new_int(a, va_arg(*ap, unsigned));
		break;
	case 'l':
		v = json_new_int(a, va_arg(*ap, int64_t));
		break;
	case 'n':
		v = json_new_int(a, (int64_t)va_arg(*ap, size_t));
		break;
	case 'f':
		d = va_arg(*ap, double);
		*ret_empty = d == 0;
		return json_new_num(a, d);
	case 'b':
		v = json_new_bool(a, va_arg(*ap, int));
		*ret_empty = !v->yes;
		return v;
	case 'j':
		v = va_arg(*ap, const struct json *);
		*ret_empty = !v;
		return v ? v : json_new_null(a);
	default:
		BUG();
	}
	*ret_empty = v->n == 1 && v->s[0] == '0';
	return v;
}

static const struct json *pack(struct arena *a, const struct json *obj, const char *format,
			       va_list *ap)
{
	struct packed list = { 0 };
	const struct json *v;
	struct str word, key;

	for (size_t i = 0; json_is(obj, J_OBJ) && i < obj->n; i++)
		*VEC_ADD(&list) = obj->members[i];
	for (struct str rest = str_from(format); str_split(&rest, ' ', &word);) {
		bool may_miss = word.n && word.p[0] == '?', empty = false;

		if (word.n < 3 || word.p[word.n - 2] != ':')
			BUG();
		key = str_sub(word, may_miss, word.n - 2);
		v = next(a, word.p[word.n - 1], ap, &empty);
		if (!may_miss || !empty)
			*VEC_ADD(&list) = (struct json_member){ .key = key, .v = *v };
	}
	v = json_new_members(a, list.p, list.n);
	free(list.p);
	return v;
}

const struct json *json_pack(struct arena *a, const char *format, ...)
{
	const struct json *v;
	va_list ap;

	va_start(ap, format);
	v = pack(a, NULL, format, &ap);
	va_end(ap);
	return v;
}

const struct json *json_pack_more(struct arena *a, const struct json *obj, const char *format, ...)
{
	const struct json *v;
	va_list ap;

	va_start(ap, format);
	v = pack(a, obj, format, &ap);
	va_end(ap);
	return v;
}

const struct json *json_pack_str(struct arena *a, const char *z)
{
	return json_new_copy(a, str_from(z));
}

void json_list_add(struct json_list *list, const struct json *v)
{
	*VEC_ADD(list) = v;
}

const struct json *json_list_take(struct arena *a, struct json_list *list)
{
	const struct json *v = json_new_arr(a, list->p, list->n);

	free(list->p);
	*list = (struct json_list){ 0 };
	return v;
}
