/*
 * Context files with their imports: "@other.md" outside of code is replaced by that file's text
 * between two comments, or, with context.importFormat "flat", follows as a file of
 * its own.
 *
 * A token counts when white space or nothing precedes the @.  When there is no such file, the
 * punctuation at its end is taken off ("see @notes.md."), and a name without a dot or slash
 * ("@alice", "@Override") is no import at all.  Imports never leave the fence (the project), by
 * ".." or by a link; how deep, how often and how much is imported is limited.
 */
#include "agent/context/context_impl.h"

#include <errno.h>

#include "base/json_pack.h"
#include "base/path.h"
#include "base/utf8.h"
#include "base/vec.h"
#include "base/words.h"
#include "os/fs.h"

enum { DEPTH_MAX = 5, IMPORTS_MAX = 500 };

static const struct str traversal = STR("Path traversal attempt");

struct imports {
	const struct context_options *o;
	const struct memory_file *file;
	struct arena arena;
	struct buf *out;
	bool flat;
	unsigned n;
	const char *chain[DEPTH_MAX + 1]; /* real paths of the files around this place */
	unsigned depth;
	struct {
		const char **p;
		size_t n, cap;
	} files; /* flat: all that are to be shown, in order */
};

/* ---- what is code ---- */

static size_t line_end(struct str s, size_t i)
{
	ptrdiff_t at = str_chr(s, '\n', i);

	return at < 0 ? s.n : (size_t)at + 1;
}

static size_t run_of(struct str s, size_t i, char c)
{
	size_t n = 0;

	while (i + n < s.n && s.p[i + n] == c)
		n++;
	return n;
}

/* After indentation and the marks of a quotation. */
static size_t skip_indent(struct str s, size_t i)
{
	while (i < s.n && (s.p[i] == ' ' || s.p[i] == '\t' || s.p[i] == '>'))
		i++;
	return i;
}

/* The end of the fenced block that begins in the line at i; i when none does. */
static size_t fenced_end(struct str s, size_t i)
{
	size_t mark = skip_indent(s, i), end = line_end(s, i), run, rest;
	char c = str_at(s, mark);

	run = c == '`' || c == '~' ? run_of(s, mark, c) : 0;
	if (run < 3 || (c == '`' && memchr(s.p + mark + run, '`', end - mark - run)))
		return i;
	while (end < s.n) {
		mark = skip_indent(s, end);
		end = line_end(s, end);
		rest = mark + run_of(s, mark, c);
		if (rest - mark >= run && str_trim(str_sub(s, rest, end)).n == 0)
			break;
	}
	return end;
}

/* The end of the code span that begins at i; of its mark alone when it does not end. */
static size_t span_end(struct str s, size_t i)
{
	size_t run = run_of(s, i, '`'), from = i + run;

	for (size_t at = from; at < s.n;) {
		if (s.p[at] == '`') {
			size_t n = run_of(s, at, '`');

			at += n;
			if (n == run)
				return at;
		} else if (s.p[at] == '\n' && at + 1 < s.n && s.p[at + 1] == '\n') {
			break;
		} else {
			at++;
		}
	}
	return from;
}

/* ---- tokens ---- */

static bool starts_token(struct str s, size_t i)
{
	char next = str_at(s, i + 1);

	return s.p[i] == '@' && (i == 0 || char_is_space(s.p[i - 1])) &&
	       (next == '.' || next == '/' || char_is_letter(next));
}

/* ---- finding ---- */

struct target {
	struct str token; /* what of the text is the import, without the @ */
	const char *real; /* NULL: there is none, and error says why */
	struct str error;
};

static const struct {
	int errnum;
	const char *text;
} failures[] = {
	{ ENOENT, "ENOENT: no such file or directory, access" },
	{ ENOTDIR, "ENOTDIR: not a directory, access" },
	{ EACCES, "EACCES: permission denied, access" },
	{ ELOOP, "ELOOP: too many symbolic links encountered, access" },
	{ ENAMETOOLONG, "ENAMETOOLONG: name too long, access" },
};

static struct str failure(struct imports *im, int errnum, const char *path)
{
	const char *shown = frame_name(&im->arena, path);

	if (errnum == EISDIR)
		return STR("EISDIR: illegal operation on a directory, read");
	if (errnum == EILSEQ)
		return STR("not a text file");
	for (size_t i = 0; i < ARRAY_LEN(failures); i++)
		if (failures[i].errnum == errnum)
			return arena_printf(&im->arena, "%s '%s'", failures[i].text, shown);
	return arena_printf(&im->arena, "%s '%s'", strerror(errnum), shown);
}

/* 0 or an errno; EXDEV for what is outside of the fence. */
static int find(struct imports *im, const char *dir, struct str token, struct target *t)
{
	AUTO(free) char *path = xmalloc(token.n + 1);
	char *p = path;

	for (size_t i = 0; i < token.n; i++)
		if (token.p[i] != '\\' || i + 1 == token.n || token.p[i + 1] != ' ')
			*p++ = token.p[i];
	*p = '\0';
	AUTO(free) char *absolute = fs_absolute(dir, path);
	AUTO(free) char *real = NULL;
	int errnum;

	t->token = token;
	t->real = NULL;
	t->error = traversal;
	if (strstr(path, "://") || !path_below(im->file->fence, absolute))
		return EXDEV;
	real = fs_real(absolute);
	errnum = real ? 0 : errno;
	if (real && !path_below(im->file->fence, real))
		return EXDEV;
	if (real && fs_is_dir(real))
		errnum = EISDIR;
	if (errnum)
		t->error = failure(im, errnum, absolute);
	else
		t->real = arena_z(&im->arena, str_from(real));
	return errnum;
}

/* False when the token is no import. */
static bool resolve(struct imports *im, const char *dir, struct str token, struct target *t)
{
	struct str bare = token;
	struct target whole;
	int errnum = find(im, dir, token, t);

	if (errnum == 0)
		return true;
	/* The punctuation behind it may be the sentence's. */
	while (bare.n && strchr(".,;:!?)]}>'\"*_", bare.p[bare.n - 1]))
		bare.n--;
	whole = *t;
	if (errnum != EXDEV && bare.n && bare.n < token.n && find(im, dir, bare, t) == 0)
		return true;
	*t = whole;
	return str_chr(bare, '/', 0) >= 0 || str_chr(bare, '.', 0) >= 0;
}

/* ---- replacing ---- */

static void expand(struct imports *im, struct str text, const char *dir);

/* The text in a comment, which it cannot end. */
static void add_in_comment(struct buf *out, struct str text)
{
	AUTO(buf_done) struct buf shown = { 0 };
	struct str s;

	frame_add_name(&shown, text);
	s = buf_str(&shown);
	for (size_t i = 0; i < s.n; i++)
		if (s.p[i] == '>' && i > 0 && s.p[i - 1] == '-')
			buf_addz(out, "&gt;");
		else
			buf_addc(out, s.p[i]);
}

static void add_comment(struct imports *im, const char *what, struct str name)
{
	buf_addf(im->out, "<!-- %s: ", what);
	add_in_comment(im->out, name);
	buf_addz(im->out, " -->");
}

static void complain(struct imports *im, const struct target *t)
{
	note_say(&im->o->notes, NOTE_ERROR, "[ImportProcessor] Failed to import %.*s: %.*s",
		 STR_ARG(t->token), STR_ARG(t->error));
}

static void refuse(struct imports *im, const struct target *t)
{
	complain(im, t);
	buf_addz(im->out, "<!-- Import failed: ");
	add_in_comment(im->out, t->token);
	buf_addz(im->out, " - ");
	add_in_comment(im->out, t->error);
	buf_addz(im->out, " -->");
}

static void add_cut_mark(struct imports *im, const char *path, bool cut)
{
	if (!cut)
		return;
	note_say(&im->o->notes, NOTE_WARNING,
		 "Only the first %zu KiB of %s were loaded as context.", MEMORY_FILE_MAX >> 10,
		 path);
	buf_addz(im->out, "\n[The file is longer; the rest was left out.]");
}

/* (waits) Reads the text of the target; false with its error set when that does not work. */
static bool load(struct imports *im, struct target *t, struct str *ret_text, bool *ret_cut)
{
	struct brought file = { .tool = "read_file",
				.args = json_pack(&im->arena, "file_path:z", t->real) };
	const char *why = context_withheld(im->o, &im->arena, &file);
	int errnum;

	if (why) {
		t->error = str_from(why);
		return false;
	}

	if (im->n++ >= IMPORTS_MAX) {
		t->error = STR("too many imports");
		return false;
	}
	if (im->out->n >= MEMORY_TOTAL_MAX) {
		t->error = STR("the context files are too large");
		return false;
	}
	errnum = context_read(&im->arena, t->real, MEMORY_FILE_MAX, ret_text, ret_cut);
	if (errnum)
		t->error = failure(im, errnum, t->real);
	else if ((why = context_left(im->o, &im->arena, t->real, ret_text)) != NULL)
		t->error = str_from(why);
	return !errnum && !why;
}

static void import_nested(struct imports *im, struct target *t)
{
	AUTO(free) char *dir = path_parent(t->real);
	struct str text;
	bool cut;

	if (word_in(str_from(t->real), im->chain, im->depth + 1)) {
		add_comment(im, "File already processed", t->token);
		return;
	}
	if (!load(im, t, &text, &cut)) {
		refuse(im, t);
		return;
	}
	if (im->o->loaded)
		im->o->loaded(im->o->notes.data, t->real, im->chain[im->depth]);
	add_comment(im, "Imported from", t->token);
	buf_addc(im->out, '\n');
	im->chain[++im->depth] = t->real;
	expand(im, text, dir);
	im->depth--;
	add_cut_mark(im, t->real, cut);
	buf_addc(im->out, '\n');
	add_comment(im, "End of import from", t->token);
}

/* One token at its place; returns where the text goes on. */
static size_t import(struct imports *im, struct str text, size_t at, const char *dir)
{
	size_t end = at + 1;
	struct target t;

	while (end < text.n && !char_is_space(text.p[end]))
		end += text.p[end] == '\\' && end + 1 < text.n && text.p[end + 1] == ' ' ? 2 : 1;
	if (!resolve(im, dir, str_sub(text, at + 1, end), &t))
		return at;
	end = at + 1 + t.token.n;
	if (im->flat) {
		buf_adds(im->out, str_sub(text, at, end));
		if (!t.real)
			complain(im, &t);
		else if (!word_in(str_from(t.real), im->files.p, im->files.n))
			*VEC_ADD(&im->files) = t.real;
	} else if (im->depth == DEPTH_MAX) {
		t.error = arena_printf(&im->arena, "imports nest deeper than %d", DEPTH_MAX);
		complain(im, &t);
		return at;
	} else if (t.real) {
		import_nested(im, &t);
	} else {
		refuse(im, &t);
	}
	return end;
}

static void expand(struct imports *im, struct str text, const char *dir)
{
	AUTO(buf_done) struct buf guarded = { 0 };
	struct str s;
	size_t from = 0, end;

	frame_add(&guarded, text, FRAME_CONTEXT);
	s = buf_str(&guarded);
	for (size_t i = 0; i < s.n;) {
		if (i == 0 || s.p[i - 1] == '\n') {
			end = fenced_end(s, i);
			if (end > i) {
				i = end;
				continue;
			}
		}
		if (s.p[i] == '`') {
			i = span_end(s, i);
		} else if (!starts_token(s, i)) {
			i++;
		} else {
			buf_adds(im->out, str_sub(s, from, i));
			from = import(im, s, i, dir);
			i = from == i ? i + 1 : from;
		}
	}
	buf_adds(im->out, str_sub(s, from, s.n));
}

static void expand_flat(struct imports *im, struct str first)
{
	*VEC_ADD(&im->files) = im->file->real;
	for (size_t i = 0; i < im->files.n; i++) {
		const char *real = im->files.p[i];
		struct target t = { .token = str_from(real), .real = real };
		AUTO(free) char *dir = path_parent(real);
		struct str text = first;
		bool cut = false;

		if (i > 0 && !load(im, &t, &text, &cut)) {
			complain(im, &t);
			continue;
		}
		buf_addz(im->out, i ? "\n\n--- File: " : "--- File: ");
		frame_add_name(im->out, str_from(real));
		buf_addz(im->out, " ---\n");
		expand(im, utf8_trim(text), dir);
		add_cut_mark(im, real, cut);
		buf_addz(im->out, "\n--- End of File: ");
		frame_add_name(im->out, str_from(real));
		buf_addz(im->out, " ---");
	}
	free(im->files.p);
}

void memory_expand(struct buf *out, const struct context_options *o, const struct memory_file *f,
		   struct str text)
{
	const struct json *format = json_pointer(o->settings, STR("/context/importFormat"));
	AUTO(free) char *dir = path_parent(f->real);
	struct imports im = {
		.o = o,
		.file = f,
		.out = out,
		.flat = str_eqz(json_str(format, STR("tree")), "flat"),
		.chain = { f->real },
	};

	if (im.flat)
		expand_flat(&im, text);
	else
		expand(&im, utf8_trim(text), dir);
	arena_done(&im.arena);
}
