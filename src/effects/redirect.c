/* Redirections: where input comes from, where output goes, descriptors that stay open. */
#include "effects/run.h"

static bool is_standard(struct str fd)
{
	return fd.n == 1 && fd.p[0] >= '0' && fd.p[0] <= '2';
}

static bool is_descriptor(struct str s)
{
	for (size_t i = 0; i < s.n; i++)
		if (!char_is_digit(s.p[i]) && s.p[i] != '-')
			return false;
	return s.n > 0;
}

/* What a descriptor reads is a file to those that run it: /dev/fd/3. */
static struct str descriptor(struct run *r, struct str fd)
{
	if (fd.n > 2 && fd.p[0] == '{') {
		struct str n = arena_printf(r->a, "%u", 100 + r->e->state->substitutions++);

		variable_set(r, str_sub(fd, 1, fd.n - 1), n);
		fd = n;
	}
	return arena_printf(r->a, "/dev/fd/%.*s", STR_ARG(fd));
}

static bool is_other_input(struct str fd)
{
	return fd.n && !str_eqz(fd, "0");
}

/* /dev/tcp/HOST/PORT */
static bool redirect_network(struct run *r, const struct call *c, struct str fd, struct str target)
{
	struct str host;

	if (!str_starts(target, STR("/dev/tcp/")) && !str_starts(target, STR("/dev/udp/")))
		return false;
	host = str_sub(target, 9, target.n);
	call_add(r, c,
		 (struct effect){ .kind = EFFECT_SEND,
				  .target = value_shown(r->a, host),
				  .places = address_is_local(address_host(host)) ? PLACE_LOCAL_HOST
										 : 0 });
	r->e->state->connected = true;
	if (fd.n && !is_standard(fd))
		file_set(r, descriptor(r, fd), FETCHED);
	else
		run_input(r, FETCHED);
	return true;
}

static void redirect_in(struct run *r, const struct call *c, struct str fd, struct str target)
{
	struct str text = ANY;
	bool unread = false;

	if (redirect_network(r, c, fd, target))
		return;
	if (str_eqz(target, "/dev/null")) {
		text = STR("");
	} else if (!file_get(r, target, &text)) {
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, target);
		if (effects_places(r->e, target, r->cwd) & PLACE_SECRET)
			text = SECRET;
		else if (!file_read(r, target, &text) || text.n >= (16 << 10))
			text = ANY, unread = true;
	}
	if (is_other_input(fd)) {
		file_set(r, descriptor(r, fd), text);
		return;
	}
	run_input(r, text);
	if (unread)
		r->in_file = joined(r, target);
}

/* <&3, 0<&3, 4<&3 */
static void redirect_from(struct run *r, struct str fd, struct str from)
{
	struct str text = r->e->state->connected ? FETCHED : ANY;
	bool closed = str_eqz(from, "-");

	if (str_ends(from, STR("-")))
		from.n--;
	if (str_eqz(from, "0") || is_standard(from)) {
		if (is_other_input(fd) && r->has_in)
			file_set(r, descriptor(r, fd), r->in);
		return;
	}
	if (closed)
		text = STR("");
	else
		(void)file_get(r, descriptor(r, from), &text);
	if (is_other_input(fd))
		file_set(r, descriptor(r, fd), text);
	else
		run_input(r, text);
}

/* Where a descriptor goes is where text goes that is written to it. */
static struct text **stream_of(struct run *r, struct str fd)
{
	return !fd.n || str_eqz(fd, "1") ? &r->out : str_eqz(fd, "2") ? &r->err : NULL;
}

static struct written *written_of(struct redirected *to, struct str fd)
{
	return str_eqz(fd, "2") ? &to->err : &to->out;
}

/* 2>&1, >&2; >&3: more for the file that was opened with this number. */
static void redirect_to(struct run *r, struct str fd, struct str number, struct redirected *ret)
{
	const struct binding *b = binding_find(r->e->state->descriptors, number);
	struct text **from = stream_of(r, number), **stream = stream_of(r, fd);
	struct written *to = written_of(ret, fd);
	struct str before;

	if (from && stream) {
		*stream = *from;
		return;
	}
	if (b && fd.n && !is_standard(fd)) { /* 4>&3 */
		struct str path = descriptor(r, fd);

		binding_set(r, &r->e->state->descriptors, str_sub(path, 8, path.n), b->value);
	}
	if (!b || !stream)
		return;
	*to = (struct written){ ARENA_NEW(r->a, struct text), b->value, true };
	if (file_get(r, b->value, &before))
		text_add(r, to->text, before);
	*stream = to->text;
	r->to_file |= stream == &r->out;
}

static void redirect_out(struct run *r, const struct call *c, const struct sh_redirect *redirect,
			 struct str target, struct redirected *ret)
{
	bool adds = str_ends(redirect->op, STR(">>")), both = redirect->op.p[0] == '&';
	struct str fd = both ? STR("") : redirect->fd, before;
	struct text **stream = stream_of(r, fd);
	struct written *to = written_of(ret, fd);

	if (redirect_network(r, c, redirect->fd, target))
		return;
	call_path(r, c,
		  (struct effect){ .kind = adds ? EFFECT_WRITE : EFFECT_OVERWRITE,
				   .forced = str_ends(redirect->op, STR("|")) },
		  target);
	if (fd.n && !is_standard(fd) && value_known(target)) {
		struct str path = descriptor(r, fd);

		binding_set(r, &r->e->state->descriptors, str_sub(path, 8, path.n),
			    joined(r, target));
		if (!adds)
			file_set(r, target, STR(""));
	}
	if (str_eqz(redirect->op, "<>") || !stream)
		return;
	if ((stream == &r->err && str_starts(target, STR("/dev/"))) ||
	    str_eqz(target, "/dev/tty") || str_eqz(target, "/dev/stderr")) {
		*stream = NULL;
		return;
	}
	*to = (struct written){ ARENA_NEW(r->a, struct text), target, adds };
	if (adds && file_get(r, target, &before))
		text_add(r, to->text, before);
	*stream = to->text;
	if (both)
		r->err = r->out;
	if (stream == &r->out)
		r->to_file = !str_starts(target, STR("/dev/"));
}

static void redirect_text(struct run *r, struct str fd, struct str text)
{
	if (is_other_input(fd))
		file_set(r, descriptor(r, fd), text);
	else
		run_input(r, text);
}

/* /dev/fd/3 and /proc/self/fd/3 are &3; what is no such name is "". */
static struct str descriptor_of(struct str target)
{
	static const char *const dirs[] = { "/dev/fd/", "/proc/self/fd/" };

	for (size_t i = 0; i < ARRAY_LEN(dirs); i++)
		if (str_starts(target, str_from(dirs[i])))
			return str_sub(target, strlen(dirs[i]), target.n);
	return STR("");
}

void redirect(struct run *r, const struct sh_node *n, struct redirected *ret)
{
	struct str source = r->script ? str_trim(str_sub(r->script->text, n->at, n->end)) : STR("");
	struct call c = { &source, 1 };

	for (size_t i = 0; i < n->nredirects; i++) {
		const struct sh_redirect *to = &n->redirects[i];
		struct str target;

		if (str_eqz(to->op, "<<") || str_eqz(to->op, "<<-")) {
			struct text body = { 0 };

			text_add(r, &body, expand_text(r, &to->body));
			redirect_text(r, to->fd, text_str(&body));
			continue;
		}
		target = expand_text(r, &to->target);
		if (str_eqz(to->op, "<<<")) {
			redirect_text(r, to->fd, target);
		} else if (str_eqz(to->op, "<&") && is_descriptor(target)) {
			redirect_from(r, to->fd, target);
		} else if (str_eqz(to->op, ">&") && is_descriptor(target)) {
			redirect_to(r, to->fd, target, ret);
		} else if (to->op.p[0] == '>' && is_descriptor(descriptor_of(target))) {
			redirect_to(r, to->fd, descriptor_of(target), ret);
		} else if (to->op.p[0] == '<' && !str_eqz(to->op, "<>")) {
			redirect_in(r, &c, to->fd, target);
		} else {
			redirect_out(r, &c, to, target, ret);
		}
	}
}

void redirected_done(struct run *r, const struct sh_node *n, const struct redirected *to,
		     bool lasts)
{
	struct str source = r->script ? str_trim(str_sub(r->script->text, n->at, n->end)) : STR("");
	const struct written *const all[] = { &to->out, &to->err };

	for (size_t i = 0; i < ARRAY_LEN(all); i++) {
		const struct written *w = all[i];

		if (!w->text)
			continue;
		if (!w->text->n && !w->adds && w == &to->out)
			call_empties(r, &(struct call){ &source, 1 }, w->file);
		if (w->text->file.n)
			copied(r, w->text->file, w->file);
		if (lasts)
			file_opened(r, w->file, w->text);
		/* What programs say of errors is not known; it may be nothing. */
		if (w == &to->out || w->text->n)
			file_set(r, w->file, text_str(w->text));
	}
}
