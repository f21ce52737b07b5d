/* What is not a message of JSON-RPC is RPC_NONE, whatever it is: servers print all sorts of things.
 */
#include "mcp/rpc.h"

#define NUMBER_MAX 9007199254740991.0

/* They differ in nothing that is said here but in what may come. */
const char *rpc_version(struct str name)
{
	static const char *const versions[] = { RPC_VERSION, "2025-06-18", "2025-03-26",
						"2024-11-05" };

	for (size_t i = 0; i < ARRAY_LEN(versions); i++)
		if (str_eqz(name, versions[i]))
			return versions[i];
	return NULL;
}

int rpc_parse(struct arena *a, struct str text, const struct json **ret_doc, struct err *err)
{
	static const struct json_limits limits = { RPC_MAX_BYTES, RPC_MAX_DEPTH };

	return json_parse_at(a, text, 0, &limits, ret_doc, NULL, err);
}

size_t rpc_count(const struct json *doc)
{
	return json_is(doc, J_ARR) ? doc->n : 1;
}

int64_t rpc_number(const struct json *v)
{
	double d = json_num(v, 0);

	if (!json_is(v, J_NUM) || !(d >= 1 && d <= NUMBER_MAX) || d != (double)(int64_t)d)
		return 0;
	return (int64_t)d;
}

struct rpc_message rpc_at(const struct json *doc, size_t i)
{
	const struct json *v = json_is(doc, J_ARR) ? json_at(doc, i) : doc;
	const struct json *method = json_getz(v, "method");
	struct rpc_message m = { .id = json_getz(v, "id") };

	if (!json_is(m.id, J_STR) && !json_is(m.id, J_NUM))
		m.id = NULL;
	m.number = rpc_number(m.id);
	if (json_is(method, J_STR)) {
		m.kind = m.id ? RPC_REQUEST : RPC_NOTIFICATION;
		m.method = json_str(method, STR(""));
		m.body = json_getz(v, "params");
		return m;
	}
	if (!m.id)
		return m;
	m.body = json_getz(v, "error");
	m.kind = RPC_ERROR;
	if (m.body && m.body->type != J_NULL)
		return m;
	m.body = json_getz(v, "result");
	m.kind = m.body ? RPC_RESULT : RPC_NONE;
	return m;
}

void rpc_begin(struct jw *w, int64_t id, const char *method, bool with_params)
{
	jw_obj(w);
	jw_kv_z(w, "jsonrpc", "2.0");
	if (id)
		jw_kv_int(w, "id", id);
	jw_kv_z(w, "method", method);
	if (with_params)
		jw_key(w, "params");
}

static void begin_answer(struct jw *w, const struct json *id)
{
	jw_obj(w);
	jw_kv_z(w, "jsonrpc", "2.0");
	jw_key(w, "id");
	jw_json(w, id);
}

void rpc_add_result(struct buf *out, const struct json *id, const char *result_json)
{
	struct jw w = { .out = out };

	begin_answer(&w, id);
	jw_key(&w, "result");
	jw_raw(&w, str_from(result_json));
	jw_end(&w);
}

void rpc_add_error(struct buf *out, const struct json *id, int code, const char *text)
{
	struct jw w = { .out = out };

	begin_answer(&w, id);
	jw_key(&w, "error");
	jw_obj(&w);
	jw_kv_int(&w, "code", code);
	jw_kv_z(&w, "message", text);
	jw_end(&w);
	jw_end(&w);
}
