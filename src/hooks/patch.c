#include "hooks/patch.h"

#include "base/utf8.h"
#include "base/vec.h"

struct patch {
	struct arena *a;
	struct {
		const struct json **p;
		size_t n, cap;
	} files;
	struct str path;
	bool adding, removing;
	struct buf was, is;
	size_t hunks; /* of this file */
};

static const struct json *text(struct arena *a, const struct buf *b)
{
	return json_new_copy(a, buf_str(b));
}

/* What was read of this file since the last time becomes one object. */
static void flush(struct patch *p, bool end)
{
	bool some = p->was.n || p->is.n || p->adding || (end && !p->hunks);
	const struct json *o;

	if (p->path.n && some) {
		o = json_set(p->a, NULL, STR("file_path"), json_new_str(p->a, p->path));
		if (p->adding) {
			o = json_set(p->a, o, STR("content"), text(p->a, &p->is));
		} else if (!p->removing) {
			o = json_set(p->a, o, STR("old_string"), text(p->a, &p->was));
			o = json_set(p->a, o, STR("new_string"), text(p->a, &p->is));
		}
		*VEC_ADD(&p->files) = o;
		p->hunks++;
	}
	buf_clear(&p->was);
	buf_clear(&p->is);
}

/* The name behind "*** Add File:" and its kind, however many blanks somebody has put in between. */
static bool take_head(struct patch *p, struct str line)
{
	static const struct {
		struct str word;
		bool adding, removing;
	} heads[] = {
		{ { "Add File:", 9 }, true, false },
		{ { "Update File:", 12 }, false, false },
		{ { "Delete File:", 12 }, false, true },
		{ { "Move to:", 8 }, false, false },
	};
	struct str rest = utf8_trim(line);

	if (!str_starts(rest, STR("***")))
		return false;
	rest = utf8_trim(str_sub(rest, 3, rest.n));
	for (size_t i = 0; i < ARRAY_LEN(heads); i++)
		if (str_starts(rest, heads[i].word)) {
			flush(p, true);
			p->path = utf8_trim(str_sub(rest, heads[i].word.n, rest.n));
			p->adding = heads[i].adding;
			p->removing = heads[i].removing;
			p->hunks = 0;
			return true;
		}
	return false;
}

static void take_line(struct patch *p, struct str line)
{
	struct str rest = str_sub(line, 1, line.n);

	if (take_head(p, line))
		return;
	if (str_starts(line, STR("@@"))) {
		flush(p, false);
		return;
	}
	if (!line.n || !p->path.n || str_starts(line, STR("*** ")))
		return;
	if (line.p[0] != '+')
		buf_addf(&p->was, "%.*s\n", STR_ARG(rest));
	if (line.p[0] != '-')
		buf_addf(&p->is, "%.*s\n", STR_ARG(rest));
}

const struct json **patch_files(struct arena *a, struct str patch, size_t *ret_n)
{
	struct patch p = { .a = a };
	const struct json **files;

	for (size_t at = 0; at < patch.n;) {
		ptrdiff_t end = str_chr(patch, '\n', at);
		size_t stop = end < 0 ? patch.n : (size_t)end;
		struct str line = str_sub(patch, at, stop);

		if (line.n && line.p[line.n - 1] == '\r')
			line.n--;
		take_line(&p, line);
		at = stop + 1;
	}
	flush(&p, true);
	*ret_n = p.files.n;
	files = ARENA_ARRAY(a, const struct json *, p.files.n + 1);
	for (size_t i = 0; i < p.files.n; i++)
		files[i] = p.files.p[i];
	free(p.files.p);
	buf_done(&p.was);
	buf_done(&p.is);
	return files;
}

/* ---- the other way ---- */

/* Each line of the text with a mark before it; a line break at the end begins no further line. */
static void add_lines(struct buf *out, char mark, struct str text)
{
	for (size_t at = 0; at < text.n;) {
		ptrdiff_t end = str_chr(text, '\n', at);
		size_t stop = end < 0 ? text.n : (size_t)end;

		buf_addc(out, mark);
		buf_adds(out, str_sub(text, at, stop));
		buf_addc(out, '\n');
		at = stop + 1;
	}
}

struct str patch_of(struct arena *a, const struct json *args)
{
	AUTO(buf_done) struct buf out = { 0 };
	const struct json *content = json_getz(args, "content");
	const struct json *was = json_getz(args, "old_string"), *is = json_getz(args, "new_string");
	bool whole = content && !was, known = content || was || is;
	/* A tool that has only a name to do something with. */
	bool removed = !known && json_is(args, J_OBJ) && args->n <= 1;
	struct str name;

	buf_addf(&out, "*** Begin Patch\n*** %s File: ",
		 whole     ? "Add"
		 : removed ? "Delete"
			   : "Update");
	name = json_get_str(args, "file_path");
	for (size_t i = 0, n; i < name.n; i += n) {
		uint32_t c = utf8_decode(name.p + i, name.n - i, true, &n);

		/* Scripts have more ideas of where a line ends than the format has. */
		if (c < 0x20 || c == 0x7f || c == 0x85 || c == 0x2028 || c == 0x2029)
			buf_addc(&out, ' ');
		else
			buf_adds(&out, str_sub(name, i, i + n));
	}
	buf_addc(&out, '\n');
	if (!whole && !removed)
		buf_addz(&out, "@@\n");
	add_lines(&out, '-', json_str(was, STR("")));
	add_lines(&out, '+', json_str(is, STR("")));
	add_lines(&out, '+', json_str(content, STR("")));
	if (!known && !removed)
		add_lines(&out, '+', json_text(a, args, JSON_COMPACT));
	buf_addz(&out, "*** End Patch\n");
	return arena_str(a, buf_str(&out));
}
