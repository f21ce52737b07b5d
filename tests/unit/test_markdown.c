/* Markdown on a terminal: what blocks look like, streaming, hostile text, speed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <time.h>

#include <cmocka.h>

#include "base/utf8.h"
#include "ui/markdown.h"
#include "ui/width.h"

static const struct markdown_style plain = { .columns = 40 };
static const struct markdown_style colored = { .columns = 40, .color = true };
static const struct markdown_style linked = { .columns = 40, .color = true, .links = true };

static void render(const struct markdown_style *style, struct str text, size_t piece,
		   struct buf *out)
{
	AUTO(markdown_free) struct markdown *m = markdown_new(style);

	for (size_t at = 0; at < text.n; at += piece)
		markdown_add(m, str_sub(text, at, at + piece), out);
	markdown_end(m, out);
}

static void assert_shown(const struct markdown_style *style, const char *text, const char *shown)
{
	for (size_t piece = 1; piece < 8; piece += 3) {
		AUTO(buf_done) struct buf out = { 0 };

		render(style, str_from(text), piece, &out);
		assert_string_equal(buf_z(&out), shown);
	}
}

static void paragraphs(void **state)
{
	(void)state;
	assert_shown(&plain, "a\n\nb", "a\n\nb\n");
	assert_shown(&plain, "a\r\n\r\n\r\nb\r\n", "a\n\nb\n");
	assert_shown(&plain, "line one\nline two", "line one\nline two\n");
	assert_shown(&plain, "one two three four five six seven eight nine ten",
		     "one two three four five six seven eight\nnine ten\n");
	assert_shown(&plain, "*a* **b** `c` ~~d~~ ~e~", "*a* **b** `c` ~~d~~ ~e~\n");
	assert_shown(&colored, "*a* **b** `c` ~~d~~",
		     "\033[0;3ma\033[0m \033[0;1mb\033[0m \033[0;36mc\033[0m \033[0;9md\033[0m\n");
	assert_shown(&plain, "", "");
	assert_shown(&plain, "\n\n \n", "");
}

static void japanese(void **state)
{
	(void)state;
	/* Not before closing punctuation, not after opening punctuation. */
	assert_shown(&(struct markdown_style){ .columns = 10 }, "日本語の文章です。次の「文」も。",
		     "日本語の文\n章です。次\nの「文」\nも。\n");
	/* Emphasis next to brackets, where CommonMark's rules see none. */
	assert_shown(&colored, "日本語の**「強調」**です",
		     "日本語の\033[0;1m「強調」\033[0mです\n");
	assert_shown(&colored, "これは*（注意）*だ", "これは\033[0;3m（注意）\033[0mだ\n");
	assert_shown(&colored, "**強い。**次", "\033[0;1m強い。\033[0m次\n");
	assert_shown(&colored, "**\"강조\"**는", "\033[0;1m\"강조\"\033[0m는\n");
	/* A range is not struck through. */
	assert_shown(&colored, "5~10分、20~30分", "5~10分、20~30分\n");
	assert_shown(&colored, "は~~「x」~~で", "は\033[0;9m「x」\033[0mで\n");
	/* Marks of ours do not stay in code. */
	assert_shown(&plain, "`日**「本」**~語]:`", "`日**「本」**~語]:`\n");
	assert_shown(&plain, "2 * 3 * 4, snake_case_name, \\*no\\*",
		     "2 * 3 * 4, snake_case_name, *no*\n");
}

static void headings_and_rules(void **state)
{
	(void)state;
	assert_shown(&plain, "# A\ntext\n## B", "# A\n\ntext\n\n## B\n");
	assert_shown(&colored, "## B", "\033[0;1mB\033[0m\n");
	assert_shown(&plain, "A\n===\nb", "# A\n\nb\n");
	assert_shown(&(struct markdown_style){ .columns = 5 }, "a\n\n---\nb", "a\n\n─────\n\nb\n");
}

static void lists(void **state)
{
	(void)state;
	assert_shown(&plain, "- a\n- b\n  - c\n- d", "- a\n- b\n  - c\n- d\n");
	assert_shown(&colored, "* a\n* b", "• a\n• b\n");
	assert_shown(&plain, "1. a\n1. b\n1. c", "1. a\n2. b\n3. c\n");
	assert_shown(&plain, "9) a\n10) b", "9) a\n10) b\n");
	assert_shown(&plain, "1. a\n\n2. b\n\ntext", "1. a\n\n2. b\n\ntext\n");
	assert_shown(&plain, "1. a\n\n   more\n2. b", "1. a\n\n   more\n2. b\n");
	assert_shown(&plain, "- [ ] a\n- [x] b", "[ ] a\n[x] b\n");
	assert_shown(&(struct markdown_style){ .columns = 12 }, "- one two three",
		     "- one two\n  three\n");
	assert_shown(&plain, "1. a\n   ```sh\n   ls\n   ```\n2. b",
		     "1. a\n     ```sh\n     ls\n     ```\n2. b\n");
	assert_shown(&plain, "- a\nlazy\n- ", "- a\n  lazy\n-\n");
}

static void quotes(void **state)
{
	(void)state;
	assert_shown(&plain, "> a\n> > b\n>\n> - c", "> a\n>\n> > b\n>\n> - c\n");
	assert_shown(&colored, "> a\n\nb", "\033[0;2m│ \033[0ma\n\nb\n");
}

static void code(void **state)
{
	(void)state;
	assert_shown(&plain, "```c\nint a;\n\n\tb **c**\n```\nx",
		     "  ```c\n  int a;\n\n          b **c**\n  ```\n\nx\n");
	assert_shown(&colored, "~~~ js x\na\n~~~", "\033[0;2m  js\033[0m\n  a\n");
	assert_shown(&colored, "    a\n      b", "  a\n    b\n");
	assert_shown(&(struct markdown_style){ .columns = 21, .color = true },
		     "```\n0123456789abcdefghijk日\n```", "  0123456789abcdefghi\n  jk日\n");
	/* A longer fence holds a shorter one; one that never ends holds all. */
	assert_shown(&colored, "````\n```\n````\na", "  ```\n\na\n");
	assert_shown(&colored, "```\n# a\n- b", "  # a\n  - b\n");
}

static void tables(void **state)
{
	(void)state;
	assert_shown(&plain, "|a|値|c|\n|:-|-:|:-:|\n|日本|1|xyz|\n|b|22|y|",
		     "a    │ 値 │  c\n"
		     "─────┼────┼────\n"
		     "日本 │  1 │ xyz\n"
		     "b    │ 22 │  y\n");
	assert_shown(&(struct markdown_style){ .columns = 20 },
		     "|k|v|\n|-|-|\n|a|one two three four|\n|😀|b|",
		     "k  │ v\n"
		     "───┼────────────────\n"
		     "a  │ one two three\n"
		     "   │ four\n"
		     "😀 │ b\n");
	/* No room for columns: rows become lists. */
	assert_shown(&(struct markdown_style){ .columns = 16 },
		     "|key|val|c|\n|-|-|-|\n|first|second|third|\n|d|||",
		     "key: first\nval: second\nc: third\n──\nkey: d\n");
	assert_shown(&plain, "|a|\n|-|\n|x<br>`p\\|q`|\n\nb", "a\n─────\nx\n`p|q`\n\nb\n");
}

static void links(void **state)
{
	(void)state;
	assert_shown(&plain, "[a](http://x.y) <http://b.c>", "a (http://x.y) http://b.c\n");
	assert_shown(&plain, "[a](javascript:x) ![i](p.png) ![](q.png)",
		     "a (javascript:x) i (p.png) q.png\n");
	assert_shown(&linked, "[a](http://x.y)",
		     "\033[0;4m\033]8;;http://x.y\033\\a\033]8;;\033\\\033[0m\n");
	/* No link to what is no address, nor one behind another address. */
	assert_shown(&linked, "[a](javascript:x)", "\033[0;4ma\033[0;2m (javascript:x)\033[0m\n");
	assert_shown(&linked, "[http://a.b](http://e.f)",
		     "\033[0;4mhttp://a.b\033[0;2m (http://e.f)\033[0m\n");
	assert_shown(&linked, "[a](<http://x/ \033\x07日>)",
		     "\033[0;4m\033]8;;http://x/%20%E2%90%9B%E2%90%87%E6%97%A5\033\\a"
		     "\033]8;;\033\\\033[0m\n");
	assert_shown(&linked, "http://x.yを見て",
		     "\033[0;4m\033]8;;http://x.y\033\\http://x.y\033[0m\033]8;;\033\\を見て\n");
	/* A definition is shown: the text that uses it may have been printed long ago. */
	assert_shown(&plain, "[a]: http://x.y\n[a]", "[a]: http://x.y\n[a]\n");
}

static void html_is_text(void **state)
{
	(void)state;
	assert_shown(&plain, "<div a=b>x</div> &lt;b&gt; &#65; &nope;",
		     "<div a=b>x</div> <b> A &nope;\n");
	assert_shown(&plain, "a<br>b<br/>c", "a\nb\nc\n");
}

static void nothing_acts_on_the_terminal(void **state)
{
	(void)state;
	assert_shown(&plain, "a\033[31mb\033]0;t\ac\xc2\x9b", "abc\ufffd\n");
	assert_shown(&plain, "&#27;[31m &#x9b; &#x202e; &#0; &#xd800;",
		     "␛[31m › \ufffd \ufffd \ufffd\n"); /* &#x9b; is Windows' */
	assert_shown(&plain, "```\033]0;t\a\n\033[2Jx\n```", "  ```\n  x\n  ```\n");
	assert_shown(&plain, "`a\u202eb` **\u200bc**", "`a\ufffdb` **c**\n");
	assert_shown(&plain, "x\ufdd0y\ufdd1z\xff", "x\ufffdy\ufffdz\ufffd\n");
}

/* What is open is shown as if it ended, again and again, and nothing of it is printed yet. */
static void open_blocks(void **state)
{
	AUTO(markdown_free) struct markdown *m = markdown_new(&colored);
	AUTO(buf_done) struct buf out = { 0 }, open = { 0 };

	(void)state;
	markdown_add(m, STR("first\n\nsecond **bo"), &out);
	assert_string_equal(buf_z(&out), "first\n");
	markdown_open(m, &open);
	assert_string_equal(buf_z(&open), "\nsecond **bo\n");
	markdown_add(m, STR("ld**\n- a\n- b\xe6\x97"), &out);
	assert_string_equal(buf_z(&out), "first\n\nsecond \033[0;1mbold\033[0m\n");
	for (int i = 0; i < 2; i++) {
		buf_clear(&open);
		markdown_open(m, &open);
		assert_string_equal(buf_z(&open), "\n• a\n• b\n");
	}
	buf_clear(&out);
	markdown_add(m, STR("\xa5\n\n```py\nx = 1\ny"), &out);
	assert_string_equal(buf_z(&out), "\n• a\n• b日\n\n\033[0;2m  py\033[0m\n  x = 1\n");
	buf_clear(&open);
	markdown_open(m, &open);
	assert_string_equal(buf_z(&open), "  y\n");
	buf_clear(&out);
	markdown_end(m, &out);
	assert_string_equal(buf_z(&out), "  y\n");
	buf_clear(&out);
	markdown_add(m, STR("1. again\n"), &out);
	markdown_end(m, &out);
	assert_string_equal(buf_z(&out), "1. again\n");
}

static void a_new_width_is_for_later_blocks(void **state)
{
	AUTO(markdown_free) struct markdown *m = markdown_new(&plain);
	AUTO(buf_done) struct buf out = { 0 };

	(void)state;
	markdown_add(m, STR("one two three\n"), &out);
	markdown_resize(m, 8);
	markdown_add(m, STR("\none two three\n\n"), &out);
	assert_string_equal(buf_z(&out), "one two three\n\none two\nthree\n");
}

static int64_t now_ms(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
	return t.tv_sec * 1000 + t.tv_nsec / 1000000;
}

/* Output is bounded, clean, and no line is too wide; the time is far below what a quadratic way
 * would need (sanitizers included). */
static void assert_bounded(const struct markdown_style *style, struct str text)
{
	AUTO(buf_done) struct buf out = { 0 };
	int64_t start = now_ms();
	struct str rest;

	render(style, text, 64, &out);
	assert_true(now_ms() - start < 10000);
	assert_true(out.n <= 40 * text.n);
	assert_int_equal(utf8_valid(buf_str(&out)), out.n);
	rest = buf_str(&out);
	for (struct str line; str_split(&rest, '\n', &line);)
		assert_true(text_width(line) <= style->columns);
}

static void hostile_repeats(void **state)
{
	static const char *const parts[] = {
		"[",    "![",      "[a](",    "*a **", "_a __",     "> ",      "`a",
		"`a``", "<a",      "&a",      "a@",    "www.",      "http://", "~~a ",
		"|",    "- ",      "1. ",     "[[a]",  " ",         "\t",      "*a\n",
		"[\n",  "-\n",     "> a\n",   "|a\n",  "**「a」**", "```\n",   "a\\",
		"\xf0", "a\u0301", "👨\u200d", "# ",    "a: [b]: ",  "日本",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		AUTO(buf_done) struct buf text = { 0 };

		while (text.n < 300000)
			buf_addz(&text, parts[i]);
		assert_bounded(&linked, buf_str(&text));
	}
}

static void repeat(struct buf *b, const char *z, size_t n)
{
	while (n-- > 0)
		buf_addz(b, z);
}

static void hostile_tables(void **state)
{
	AUTO(buf_done) struct buf wide = { 0 }, sparse = { 0 };

	(void)state;
	repeat(&wide, "|a", 10000);
	repeat(&wide, "\n", 1);
	repeat(&wide, "|-", 10000);
	repeat(&wide, "\n|x|y\n", 1);
	assert_bounded(&plain, buf_str(&wide));
	repeat(&wide, "|\n", 10000);
	assert_bounded(&plain, buf_str(&wide));
	/* Few bytes, 2 million cells. */
	repeat(&sparse, "|a", 200);
	repeat(&sparse, "\n", 1);
	repeat(&sparse, "|-", 200);
	repeat(&sparse, "\n", 1);
	repeat(&sparse, "|\n", 10000);
	assert_bounded(&plain, buf_str(&sparse));
}

static void hostile_nesting(void **state)
{
	AUTO(buf_done) struct buf text = { 0 };

	(void)state;
	for (size_t depth = 0; depth < 200; depth++) {
		repeat(&text, "  ", depth);
		repeat(&text, "- a\n", 1);
	}
	repeat(&text, "\n", 1);
	repeat(&text, "> ", 1000);
	repeat(&text, "1. ", 1000);
	repeat(&text, "deep\n", 1);
	assert_bounded(&linked, buf_str(&text));
	assert_bounded(&(struct markdown_style){ .columns = 8 }, buf_str(&text));
}

/* Lines of a megabyte lose nothing but the places where they are cut. */
static void long_lines(void **state)
{
	AUTO(buf_done) struct buf text = { 0 }, out = { 0 };
	size_t shown = 0;

	(void)state;
	repeat(&text, "日", 1 << 18);
	render(&plain, buf_str(&text), 1000, &out);
	for (size_t at = 0; at + 3 <= out.n; at++)
		shown += memcmp(out.p + at, "日", 3) == 0;
	assert_int_equal(shown, 1 << 18);
	assert_bounded(&plain, buf_str(&text));
	buf_clear(&text);
	repeat(&text, "```\n", 1);
	repeat(&text, "0123456789", 100000);
	assert_bounded(&plain, buf_str(&text));
}

static void narrow_terminals(void **state)
{
	static const char text[] =
		"# T\n\n- one two\n  - three four\n    1. five\n\n> quoted text\n\n"
		"|a|b|\n|-|-|\n|long word|x|\n\n```c\nint main(void);\n```\n"
		"日本語 [x](http://example.org)\n";

	(void)state;
	for (size_t columns = 4; columns <= 24; columns++)
		assert_bounded(&(struct markdown_style){ .columns = columns }, str_from(text));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(paragraphs),
		cmocka_unit_test(japanese),
		cmocka_unit_test(headings_and_rules),
		cmocka_unit_test(lists),
		cmocka_unit_test(quotes),
		cmocka_unit_test(code),
		cmocka_unit_test(tables),
		cmocka_unit_test(links),
		cmocka_unit_test(html_is_text),
		cmocka_unit_test(nothing_acts_on_the_terminal),
		cmocka_unit_test(open_blocks),
		cmocka_unit_test(a_new_width_is_for_later_blocks),
		cmocka_unit_test(hostile_repeats),
		cmocka_unit_test(hostile_tables),
		cmocka_unit_test(hostile_nesting),
		cmocka_unit_test(long_lines),
		cmocka_unit_test(narrow_terminals),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
