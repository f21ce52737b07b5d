/*
 * wslay reads frames and checks them; messages are put together here, not by it: it would keep a
 * list of all their fragments, and a server may send as many of one byte as it likes.
 */
#include "mcp/ws_frames.h"

#include <pthread.h>
#include <sys/random.h>
#include <wslay/wslay.h>

#include "base/utf8.h"
#include "os/library.h"

enum {
	NORMAL = WSLAY_CODE_NORMAL_CLOSURE,
	TOO_BIG = WSLAY_CODE_MESSAGE_TOO_BIG,
	CONTROL_MAX = 1 << 20, /* bytes of answers to pings that wait with messages */
};

static const char too_long[] = "the server's message is too long";
static const char not_the_protocol[] = "the server has broken the WebSocket protocol";

struct ws_frames {
	wslay_event_context_ptr ws;
	struct ws_events on;
	struct ws_limits limits;
	struct str in; /* what wslay has not read yet of what is fed */
	struct buf out;
	struct buf text; /* of the message that is coming */
	bool in_control; /* the frame that is coming is a control frame */
	struct err dead; /* .code: it has ended, other than by frames that say so */
	char closed[160]; /* what the server's close frame says */
};

static struct ws_frames *self(void *data)
{
	return data;
}

/* ---- the library ---- */

#define WSLAY_FUNCTIONS(X)                                                                         \
	X(config_set_no_buffering)                                                                 \
	X(context_client_init)                                                                     \
	X(context_free)                                                                            \
	X(get_close_received)                                                                      \
	X(get_queued_msg_length)                                                                   \
	X(get_status_code_sent)                                                                    \
	X(queue_close)                                                                             \
	X(queue_msg)                                                                               \
	X(recv)                                                                                    \
	X(send)                                                                                    \
	X(set_error)                                                                               \
	X(shutdown_read)                                                                           \
	X(want_read)                                                                               \
	X(want_write)

static struct {
#define WSLAY_FUNCTION(name) __typeof__(wslay_event_##name) *name;
	WSLAY_FUNCTIONS(WSLAY_FUNCTION)
#undef WSLAY_FUNCTION
} wslay;
static struct err not_loaded; /* .code is 0 when it is loaded */

static void load_wslay(void)
{
	static const struct library_function functions[] = {
#define WSLAY_FUNCTION(name) { "wslay_event_" #name, offsetof(__typeof__(wslay), name) },
		WSLAY_FUNCTIONS(WSLAY_FUNCTION)
#undef WSLAY_FUNCTION
	};

	(void)library_load(&(struct library){ "libwslay", "libwslay.so.1", "libwslay1", functions,
					      ARRAY_LEN(functions), &wslay },
			   &not_loaded);
}

static void die(struct ws_frames *f, int code, const char *why)
{
	if (!f->dead.code)
		(void)err_set(&f->dead, code, "%s", why);
	wslay.shutdown_read(f->ws);
}

/* ---- what wslay wants ---- */

static ssize_t on_recv(wslay_event_context_ptr ws, uint8_t *p, size_t n, int flags, void *data)
{
	struct ws_frames *f = self(data);
	size_t take = min_size(n, f->in.n);

	(void)flags;
	if (!take) {
		wslay.set_error(ws, WSLAY_ERR_WOULDBLOCK);
		return -1;
	}
	memcpy(p, f->in.p, take);
	f->in = str_sub(f->in, take, f->in.n);
	return (ssize_t)take;
}

static ssize_t on_send(wslay_event_context_ptr ws, const uint8_t *p, size_t n, int flags,
		       void *data)
{
	(void)ws;
	(void)flags;
	buf_add(&self(data)->out, p, n);
	return (ssize_t)n;
}

/* Frames of clients are masked, so that no server can choose the bytes on the wire. */
static int on_mask(wslay_event_context_ptr ws, uint8_t *p, size_t n, void *data)
{
	(void)ws;
	(void)data;
	return getrandom(p, n, 0) == (ssize_t)n ? 0 : -1;
}

/* ---- what comes ---- */

/* wslay limits messages only where it puts them together. */
static void on_frame(wslay_event_context_ptr ws,
		     const struct wslay_event_on_frame_recv_start_arg *frame, void *data)
{
	struct ws_frames *f = self(data);

	f->in_control = wslay_is_ctrl_frame(frame->opcode);
	if (f->in_control || frame->payload_length <= f->limits.text - f->text.n)
		return;
	(void)wslay.queue_close(ws, TOO_BIG, NULL, 0);
	die(f, E_LIMIT, too_long);
}

static void on_chunk(wslay_event_context_ptr ws,
		     const struct wslay_event_on_frame_recv_chunk_arg *chunk, void *data)
{
	struct ws_frames *f = self(data);

	(void)ws;
	if (!f->in_control && !f->dead.code)
		buf_add(&f->text, chunk->data, chunk->data_length);
}

static void on_message(wslay_event_context_ptr ws, const struct wslay_event_on_msg_recv_arg *m,
		       void *data)
{
	struct ws_frames *f = self(data);

	(void)ws;
	if (m->opcode == WSLAY_CONNECTION_CLOSE) {
		struct str reason = { (const char *)m->msg, m->msg_length };
		AUTO(buf_done) struct buf text = { 0 };

		/* wslay 1.1.1 checks only reasons in one piece, and rejects some good ones. */
		reason = str_sub(reason, 2, reason.n); /* behind the code */
		if (m->status_code && m->status_code != NORMAL)
			buf_addf(&text, " (%d)", m->status_code);
		if (reason.n)
			buf_addf(&text, ": %.*s", STR_ARG(reason));
		text.n = min_size(text.n, sizeof f->closed - 1);
		text.n = utf8_valid(buf_str(&text));
		memcpy(f->closed, buf_z(&text), text.n + 1);
	}
	if (wslay_is_ctrl_frame(m->opcode) || f->dead.code)
		return;
	if (m->opcode == WSLAY_TEXT_FRAME) {
		f->on.text(f->on.data, buf_str(&f->text));
	} else {
		AUTO(free) char *line = xasprintf(
			"a binary message of %zu bytes, which MCP does not have", f->text.n);

		f->on.note(f->on.data, str_from(line));
	}
	buf_done(&f->text);
}

/* ---- life ---- */

int ws_frames_new(const struct ws_events *on, const struct ws_limits *limits,
		  struct ws_frames **ret, struct err *err)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	static const struct wslay_event_callbacks callbacks = {
		.recv_callback = on_recv,
		.send_callback = on_send,
		.genmask_callback = on_mask,
		.on_frame_recv_start_callback = on_frame,
		.on_frame_recv_chunk_callback = on_chunk,
		.on_msg_recv_callback = on_message,
	};
	struct ws_frames *f;

	(void)pthread_once(&once, load_wslay);
	if (not_loaded.code)
		return err_set(err, not_loaded.code, "%s", not_loaded.text);
	f = xcalloc(1, sizeof *f);
	f->on = *on;
	f->limits = *limits;
	if (wslay.context_client_init(&f->ws, &callbacks, f) < 0) {
		free(f);
		return err_set(err, E_IO, "wslay does not start");
	}
	wslay.config_set_no_buffering(f->ws, 1);
	*ret = f;
	return 0;
}

void ws_frames_free(struct ws_frames *f)
{
	if (!f)
		return;
	wslay.context_free(f->ws);
	buf_done(&f->out);
	buf_done(&f->text);
	free(f);
}

void ws_frames_feed(struct ws_frames *f, struct str bytes)
{
	f->in = bytes;
	if (wslay.recv(f->ws) < 0)
		die(f, E_IO, not_the_protocol);
	f->in = (struct str){ 0 };
	/* Pings ask for answers. */
	if (ws_frames_out(f)->n > f->limits.out + CONTROL_MAX)
		die(f, E_LIMIT, "the server does not read what it is sent");
}

int ws_frames_send(struct ws_frames *f, struct str text, struct err *err)
{
	const struct wslay_event_msg m = {
		.opcode = WSLAY_TEXT_FRAME,
		.msg = (const uint8_t *)text.p,
		.msg_length = text.n,
	};
	size_t waiting = f->out.n + wslay.get_queued_msg_length(f->ws);

	if (waiting > f->limits.out || text.n > f->limits.out - waiting)
		return err_set(err, E_LIMIT, "the server does not read what it is sent");
	if (wslay.queue_msg(f->ws, &m) < 0)
		return err_set(err, E_IO, "the connection has been closed");
	return 0;
}

void ws_frames_leave(struct ws_frames *f)
{
	(void)wslay.queue_close(f->ws, NORMAL, NULL, 0);
}

struct buf *ws_frames_out(struct ws_frames *f)
{
	if (wslay.want_write(f->ws) && wslay.send(f->ws) < 0)
		die(f, E_IO, "wslay does not work");
	return &f->out;
}

bool ws_frames_ended(struct ws_frames *f, struct err *err)
{
	uint16_t code;

	if (wslay.want_read(f->ws))
		return false;
	(void)ws_frames_out(f); /* what it says is known once it is written */
	code = wslay.get_status_code_sent(f->ws);
	if (f->dead.code)
		(void)err_set(err, f->dead.code, "%s", f->dead.text);
	else if (wslay.get_close_received(f->ws))
		(void)err_set(err, E_IO, "the server has closed the connection%s", f->closed);
	else
		(void)err_set(err, E_IO, "%s",
			      code == TOO_BIG ? too_long
			      : code == WSLAY_CODE_INVALID_FRAME_PAYLOAD_DATA
				      ? "the server has sent text that is no UTF-8"
				      : not_the_protocol);
	return true;
}
