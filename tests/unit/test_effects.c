/*
 * What commands do: every line of tests/data/effects/ says what a command must do, or must not.
 *
 *	delete home-whole recursive: rm -rf ~		one effect has all of that
 *	!delete: echo rm -rf ~				no effect is of that kind
 *	cloud; send: ...				both
 *	none: man rm					no effect at all
 *
 * A line end in a command is written as ⏎.  A line that begins with "@NAME " puts the text behind it
 * into the file NAME of the project, for the lines below.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "base/agent_dirs.h"
#include "base/vec.h"
#include "effects/code.h"
#include "effects/run.h"
#include "os/fs.h"

enum { FILES_MAX = 96 };

struct sample {
	struct str wanted, command, place;
	size_t line;
};

static struct {
	struct str name[FILES_MAX], text[FILES_MAX];
	size_t n;
} project;

static bool read_project(void *data, struct str path, struct arena *a, struct str *ret_text)
{
	(void)data;
	(void)a;
	for (size_t i = project.n; i > 0; i--)
		if (str_starts(path, STR("/home/user/project/")) &&
		    str_eq(str_sub(path, 19, path.n), project.name[i - 1])) {
			*ret_text = project.text[i - 1];
			return true;
		}
	return false;
}

static const struct str roots[] = { { "/home/user/project", 18 } };
/* C9.2: what a shell sets itself is no matter of ours, whatever is in our environment. */
static const char *const env[] = {
	"LANG=C", "TEMPLATE=/srv/templates", "PWD=/e", "HOME=/e", "IFS=/", "PPID=0", "BASH=/e", NULL
};
static const struct effects_world world = { .cwd = { "/home/user/project", 18 },
					    .home = { "/home/user", 10 },
					    .roots = roots,
					    .nroots = 1,
					    .env = env,
					    .read = read_project };

static struct effects effects_in(struct arena *a, struct str command)
{
	struct effects e = { .arena = a, .world = &world };

	effects_of_shell(&e, command);
	return e;
}

/* "delete home-whole recursive" */
static bool effect_is(const struct effect *e, struct str wanted)
{
	struct str word;

	for (struct str rest = str_trim(wanted); str_split(&rest, ' ', &word);) {
		enum effect_kind kind;
		unsigned place;
		bool flag = false;

		if (effect_find(word, &kind))
			flag = e->kind == kind;
		else if (effect_place_find(word, &place))
			flag = (e->places & place) != 0;
		else if (str_eqz(word, "recursive"))
			flag = e->recursive;
		else if (str_eqz(word, "forced"))
			flag = e->forced;
		else if (str_eqz(word, "remote"))
			flag = e->remote;
		else if (str_eqz(word, "local"))
			flag = !e->remote;
		else if (str_eqz(word, "maybe"))
			flag = e->maybe;
		else if (str_eqz(word, "certain"))
			flag = !e->maybe;
		else if (str_eqz(word, "presumed"))
			flag = e->presumed.n > 0;
		else if (str_eqz(word, "sure"))
			flag = !e->presumed.n;
		else if (str_starts(word, STR("=")))
			flag = str_eq(e->target, str_sub(word, 1, word.n));
		else
			fail_msg("%.*s is no kind, place or flag", STR_ARG(word));
		if (!flag)
			return false;
	}
	return true;
}

static bool any_is(const struct effects *e, struct str wanted)
{
	for (size_t i = 0; i < e->n; i++)
		if (effect_is(&e->p[i], wanted))
			return true;
	return false;
}

static struct str shown(struct arena *a, const struct effects *e)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < e->n; i++) {
		const struct effect *x = &e->p[i];

		buf_addf(&out, "\n#    %s", effect_name(x->kind));
		for (unsigned k = 0; effect_place_name(k); k++)
			if (x->places & 1u << k)
				buf_addf(&out, " %s", effect_place_name(k));
		buf_addf(&out, "%s%s%s%s%s =%.*s", x->recursive ? " recursive" : "",
			 x->forced ? " forced" : "", x->remote ? " remote" : "",
			 x->maybe ? " maybe" : "", x->presumed.n ? " presumed" : "",
			 STR_ARG(x->target));
	}
	return arena_str(a, buf_str(&out));
}

static bool has_all(const struct effects *e, struct str wanted)
{
	struct str one;

	for (struct str rest = wanted; str_split(&rest, ';', &one);) {
		one = str_trim(one);
		if (str_eqz(one, "none")        ? e->n > 0
		    : str_starts(one, STR("!")) ? any_is(e, str_sub(one, 1, one.n))
						: !any_is(e, one))
			return false;
	}
	return true;
}

/* ---- the samples ---- */

typedef void sample_fn(const struct sample *s, size_t *failed);

static struct str with_lines(struct arena *a, struct str s)
{
	AUTO(buf_done) struct buf out = { 0 };
	ptrdiff_t at;

	while ((at = str_find(s, STR("⏎"), 0)) >= 0) {
		buf_adds(&out, str_sub(s, 0, (size_t)at));
		buf_addc(&out, '\n');
		s = str_sub(s, (size_t)at + 3, s.n);
	}
	buf_adds(&out, s);
	return arena_str(a, buf_str(&out));
}

static void each_line(struct arena *a, struct str name, struct str text, sample_fn *fn,
		      size_t *failed)
{
	struct str line;
	size_t n = 0;

	project.n = 0;
	for (struct str rest = text; str_split(&rest, '\n', &line);) {
		ptrdiff_t colon = str_find(line, STR(": "), 0);

		n++;
		if (!line.n || line.p[0] == '#')
			continue;
		if (line.p[0] == '@') {
			ptrdiff_t blank = str_chr(line, ' ', 0);

			assert_true(blank > 0 && project.n < FILES_MAX);
			project.name[project.n] = str_sub(line, 1, (size_t)blank);
			project.text[project.n++] =
				with_lines(a, str_sub(line, (size_t)blank + 1, line.n));
			continue;
		}
		if (colon < 0)
			fail_msg("%.*s:%zu: no \": \"", STR_ARG(name), n);
		fn(&(struct sample){ str_sub(line, 0, (size_t)colon),
				     with_lines(a, str_sub(line, (size_t)colon + 2, line.n)), name,
				     n },
		   failed);
	}
}

static void each_sample(sample_fn *fn)
{
	AUTO(arena_done) struct arena a = { 0 };
	const char *root = getenv("TEST_SOURCE_ROOT");
	AUTO(free) char *dir = fs_join(root ? root : ".", "tests/data/effects");
	AUTO(fs_names_done) struct fs_names names = { 0 };
	size_t failed = 0;

	assert_int_equal(fs_list(dir, &names, NULL), 0);
	assert_true(names.n > 0);
	for (size_t i = 0; i < names.n; i++) {
		AUTO(free) char *path = fs_join(dir, names.p[i]);
		AUTO(buf_done) struct buf text = { 0 };

		assert_int_equal(fs_read(path, 1 << 20, &text, NULL), 0);
		each_line(&a, str_from(names.p[i]), buf_str(&text), fn, &failed);
	}
	assert_int_equal(failed, 0);
}

static void check_sample(const struct sample *s, size_t *failed)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct effects e = effects_in(&a, s->command);

	if (has_all(&e, s->wanted))
		return;
	++*failed;
	print_message("# %.*s:%zu: %.*s: %.*s%.*s\n", STR_ARG(s->place), s->line,
		      STR_ARG(s->wanted), STR_ARG(s->command), STR_ARG(shown(&a, &e)));
}

static void samples(void **state)
{
	(void)state;
	each_sample(check_sample);
}

/* ---- wrappers take no effect away ---- */

static bool is_kept(const struct effects *in, const struct effect *wanted)
{
	for (size_t i = 0; i < in->n; i++)
		if (in->p[i].kind == wanted->kind &&
		    (in->p[i].places & wanted->places) == wanted->places &&
		    in->p[i].recursive >= wanted->recursive && in->p[i].remote == wanted->remote &&
		    !in->p[i].presumed.n >= !wanted->presumed.n)
			return true;
	return in->opaque;
}

static void check_wrapped(const struct sample *s, size_t *failed)
{
	static const char *const wrappers[][2] = {
		{ "{ ", "\n}" },
		{ "true && {\n", "\n}" },
		{ "(", "\n)" },
		{ "if true; then\n", "\nfi" },
		{ "f_of_test() {\n", "\n}; f_of_test" },
		{ "eval \"$(cat <<'EOF_OF_TEST'\n", "\nEOF_OF_TEST\n)\"" },
		{ "bash <<'EOF_OF_TEST'\n", "\nEOF_OF_TEST\n" },
		{ "cat > x.sh <<'EOF_OF_TEST'\n", "\nEOF_OF_TEST\nsh x.sh" },
	};
	static const char *const starters[] = { "sh -c ",
						"env sh -c ",
						"nohup bash -c ",
						"timeout 5 sh -c ",
						"sudo -u x bash -lc ",
						"eval ",
						"xargs -0 sh -c ",
						"echo x | xargs -I@@@ sh -c ",
						"find . -maxdepth 0 -exec sh -c " };
	AUTO(arena_done) struct arena a = { 0 };
	struct effects plain = effects_in(&a, s->command);

	for (size_t i = 0; i < ARRAY_LEN(wrappers) + ARRAY_LEN(starters); i++) {
		AUTO(buf_done) struct buf text = { 0 };
		struct effects wrapped;

		/* find puts a name into every {}. */
		if (i == ARRAY_LEN(wrappers) + ARRAY_LEN(starters) - 1 &&
		    str_find(s->command, STR("{}"), 0) >= 0)
			continue;
		if (i < ARRAY_LEN(wrappers)) {
			buf_addf(&text, "%s%.*s%s", wrappers[i][0], STR_ARG(s->command),
				 wrappers[i][1]);
		} else {
			buf_addz(&text, starters[i - ARRAY_LEN(wrappers)]);
			sh_quote(&text, s->command);
			buf_addz(&text,
				 strstr(starters[i - ARRAY_LEN(wrappers)], "-exec") ? " \\;" : "");
		}
		wrapped = effects_in(&a, buf_str(&text));
		for (size_t k = 0; k < plain.n; k++) {
			if (is_kept(&wrapped, &plain.p[k]))
				continue;
			++*failed;
			print_message("# %.*s:%zu: %s is lost in: %.*s%.*s\n", STR_ARG(s->place),
				      s->line, effect_name(plain.p[k].kind),
				      STR_ARG(buf_str(&text)), STR_ARG(shown(&a, &wrapped)));
		}
	}
}

static void wrapping(void **state)
{
	(void)state;
	each_sample(check_wrapped);
}

/* ---- what an unknown program may start ---- */

static void presuming(void **state)
{
	static const char *const programs[] = {
		"unknown",
		"unknown --verbose",
		"unknown -j 4 run",
		"/opt/bin/tool",
		"node_modules/.bin/unknown",
		"X=1 unknown",
		"nice unknown",
		"sudo unknown",
		"npx unknown",
	};
	/* Where a command may be: its words, or its text; then where text is. */
	static const char *const of_words[] = { " -- ", " ", " --exec ", " -x ", " a b " };
	static const char *const of_text[] = {
		" ",         " -c ",         " --exec ",    " --exec=",        " -x ",
		" -e ",      " --command ",  " --run-cmd ", " --pre-hook ",    " a b ",
		" --shell ", " -o OnStart=", " build.cmd=", " -oPostCommand=",
	};
	static const char *const of_notes[] = {
		" --note ",
		" --message ",
		" --message=",
		" -m ",
		" --query ",
		" --title=",
		" comment ",
		" search ",
		" --pattern ",
		" body=",
		" --command-description ",
	};
	static const char *const commands[] = {
		"rm -rf ~",
		"rm -rf /",
		"/bin/rm -r --force $HOME",
		"\\rm -rf ~",
		"sudo rm -rf /",
		"env X=1 rm -rf ~",
		"timeout 5 nice rm -rf ~",
		"sh -c 'rm -rf ~'",
		"busybox rm -rf ~",
		"find ~ -delete",
		"/usr/bin/env rm -rf ~",
	};
	static const char *const texts[] = {
		"cd / && rm -rf *",
		"true; rm -rf ~",
		"x=rm; $x -rf ~",
		"r''m -rf ~",
		"$(echo rm) -rf ~",
		"(rm -rf ~)",
		"if true; then rm -rf ~; fi",
		"eval 'rm -rf ~'",
		"X=1 rm -rf ~",
		"echo a | xargs rm -rf ~",
		"bash <<< 'rm -rf ~'",
	};
	AUTO(arena_done) struct arena a = { 0 };
	const size_t ntexts = ARRAY_LEN(commands) + ARRAY_LEN(texts);
	size_t failed = 0;

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(programs); i++)
		for (size_t k = 0; k < ntexts; k++) {
			const char *command = k < ARRAY_LEN(commands)
						      ? commands[k]
						      : texts[k - ARRAY_LEN(commands)];
			size_t nwords = k < ARRAY_LEN(commands) ? ARRAY_LEN(of_words) : 0;
			size_t nforms = nwords + ARRAY_LEN(of_text);

			for (size_t f = 0; f < nforms + ARRAY_LEN(of_notes); f++) {
				AUTO(buf_done) struct buf text = { 0 };
				bool harms = f < nforms, found;
				struct effects e;

				buf_addf(&text, "%s%s", programs[i],
					 f < nwords   ? of_words[f]
					 : f < nforms ? of_text[f - nwords]
						      : of_notes[f - nforms]);
				if (f < nwords)
					buf_addz(&text, command);
				else
					sh_quote(&text, str_from(command));
				e = effects_in(&a, buf_str(&text));
				found = any_is(&e, STR("delete home-whole")) ||
					any_is(&e, STR("delete root"));
				if (found == harms)
					continue;
				failed++;
				print_message("# %s: %.*s%.*s\n", harms ? "missed" : "wrong",
					      STR_ARG(buf_str(&text)), STR_ARG(shown(&a, &e)));
			}
		}
	assert_int_equal(failed, 0);
}

/* ---- limits ---- */

static struct str repeated(struct arena *a, const char *part, size_t n)
{
	AUTO(buf_done) struct buf out = { 0 };

	for (size_t i = 0; i < n; i++)
		buf_addz(&out, part);
	return arena_str(a, buf_str(&out));
}

static void limits(void **state)
{
	AUTO(arena_done) struct arena a = { 0 };
	struct effects e = effects_in(&a, repeated(&a, "rm /etc/x;", EFFECTS_MAX - 1));

	(void)state;
	assert_int_equal(e.n, EFFECTS_MAX - 1);
	assert_false(e.opaque);
	e = effects_in(&a, repeated(&a, "rm /etc/x;", EFFECTS_MAX + 1));
	assert_int_equal(e.n, EFFECTS_MAX);
	assert_true(e.opaque && e.p[EFFECTS_MAX - 1].kind == EFFECT_UNJUDGED);
	/* Work is bounded, and what is not followed is not harmless. */
	e = effects_in(&a, repeated(&a, "true;", 1000));
	assert_false(e.opaque);
	e = effects_in(&a, repeated(&a, "true;", EFFECTS_WORK_MAX));
	assert_true(e.opaque);
	e = effects_in(&a, STR("f() { g; g; g; g; }; g() { h; h; h; h; }; h() { i; i; i; i; }; "
			       "i() { j; j; j; j; }; j() { k; k; k; k; }; k() { l; l; l; l; }; "
			       "l() { m; m; m; m; }; m() { n; n; n; n; }; n() { o; o; o; o; }; "
			       "o() { p; p; p; p; }; f"));
	assert_true(e.opaque);
	e = effects_in(&a, STR("eval \"$(echo eval eval eval eval rm -rf /)\""));
	assert_true(any_is(&e, STR("delete root")));
	e = effects_in(&a, STR("eval eval eval eval eval eval eval eval eval eval eval rm -rf /"));
	assert_true(any_is(&e, STR("delete root")));
	/* Characters that have a meaning of their own in here. */
	e = effects_in(&a, STR("rm -rf \001/x"));
	assert_true(e.opaque);
}

/*
 * No length, depth or number hides what is behind it: it is found, or the result says that there
 * was more than is judged.  %d is a number of its own in each repetition.
 */
static void nothing_is_dropped(void **state)
{
	static const struct {
		const char *before, *repeated, *then, *closing;
		size_t found; /* so many times at least */
	} rows[] = {
		{ "rm -rf ", "src/a%d ", "/", "", 4000 },
		{ "rm ", "-v ", "-rf /", "", 2000 },
		{ "rm -", "v", "rf /", "", 2000 },
		{ "unlink -- ", "a%d ", "/", "", 4000 },
		{ "git ", "-c a.b%d=c ", "-c alias.x='!rm -rf /' x", "", 4000 },
		{ "perl -e 'unlink ", "\"a\",", "\"/etc/x\"'", "", 10 },
		{ "python3 -c 'import os\nfor f in [", "\"a\",", "\"/etc/x\"]: os.remove(f)'", "",
		  0 },
		{ "find . -name x ", "-o -name a%d ", "; rm -rf /", "", 1000 },
		{ "docker run ", "-v /a%d:/b%d ", "-v /:/host x rm -rf /host", "", 16 },
		{ "", "env ", "rm -rf /", "", 64 },
		{ "", "nice ", "rm -rf /", "", 64 },
		{ "", "command ", "rm -rf /", "", 64 },
		{ "", "eval ", "rm -rf /", "", 60 },
		{ "", "! ", "rm -rf /", "", 64 },
		{ "", "true;", "rm -rf /", "", 20000 },
		{ "", "a%d=1;", "rm -rf /", "", 20000 },
		{ "", "\n", "rm -rf /", "", 4000 },
		{ "echo ", "$(", "$(rm -rf /)", ")", 60 },
		{ "", "( ", "rm -rf /", ")", 64 },
		{ "", "{ ", "rm -rf /", "; }", 64 },
		{ "", "if true; then ", "rm -rf /", "; fi", 64 },
		{ "", "while true; do ", "rm -rf /", "; done", 40 },
		{ "for d in ", "a%d ", "/; do rm -rf $d; done", "", 1000 },
		{ "rm -rf {b,", "a%d,", "/}", "", 1000 },
		{ "case x in ", "a%d) ;; ", "x) rm -rf /;; esac", "", 1000 },
		{ "", "true |", "rm -rf /", "", 4000 },
		{ "g0() { rm -rf /; }; ", "g() { true; }; ", "g0", "", 1000 },
		{ "a=(", "x ", "rm); ${a[-1]} -rf /", "", 1000 },
		{ "rm -rf ", "a/", "../", "../", 500 },
		{ "x='", "a b ", "'; rm -rf $x /", "", 1000 },
		{ "find ", "a%d ", "/ -exec rm -rf {} +", "", 1000 },
		{ "echo ", "a%d ", "/ | xargs rm -rf", "", 900 },
		{ "parallel rm -rf {} ::: ", "a%d ", "/", "", 1000 },
		{ "unknown ", "a%d ", "rm -rf /", "", 1000 },
		{ "unknown ", "nice ", "rm -rf /", "", 64 },
		{ "unknown ", "ls ", "rm -rf /", "", 12 },
		{ "unknown ", "unknown nice ", "rm -rf /", "", 12 },
		{ "unknown ", "'ls -l' ", "'rm -rf /'", "", 12 },
		{ "unknown ", "--exec 'ls -l' ", "--exec 'rm -rf /'", "", 12 },
		{ "unknown 'f(", "\"a\", ", "system(\"rm -rf /\")'", "", 12 },
		{ "elixir -e '", "f(\"ls -l\"); ", "system(\"rm -rf /\")'", "", 12 },
		{ "bash -c \"$(cat <<'E'\n", "true\n", "rm -rf /\nE\n)\"", "", 1000 },
	};
	static const size_t counts[] = { 0,    1,    7,    8,    12,   40,   60,  64,
					 94,   95,   96,   128,  129,  160,  200, 256,
					 1000, 4000, 4095, 4096, 4097, 20000 };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(rows); i++)
		for (size_t k = 0; k < ARRAY_LEN(counts); k++) {
			AUTO(arena_done) struct arena a = { 0 };
			AUTO(buf_done) struct buf text = { 0 };
			bool found = false, unjudged = false;

			if (counts[k] * (strlen(rows[i].repeated) + strlen(rows[i].closing)) >
			    (1 << 20))
				continue;
			buf_addz(&text, rows[i].before);
			for (size_t n = 0; n < counts[k]; n++) {
				struct str rest = str_from(rows[i].repeated), part;

				while (str_split(&rest, '%', &part)) {
					buf_adds(&text, part);
					if (rest.p) {
						buf_addf(&text, "%zu", n);
						rest = str_sub(rest, 1, rest.n);
					}
				}
			}
			buf_addz(&text, rows[i].then);
			for (size_t n = 0; n < counts[k]; n++)
				buf_addz(&text, rows[i].closing);
			struct effects e = effects_in(&a, buf_str(&text));
			for (size_t n = 0; n < e.n; n++) {
				found |= e.p[n].kind == EFFECT_DELETE &&
					 (e.p[n].places &
					  (PLACE_SYSTEM | PLACE_PROJECT_WHOLE | PLACE_UNKNOWN));
				unjudged |= e.p[n].kind == EFFECT_UNJUDGED;
			}
			if (!found && !unjudged)
				fail_msg("%s%zu x %s%s: dropped", rows[i].before, counts[k],
					 rows[i].repeated, rows[i].then);
			if (unjudged && counts[k] <= rows[i].found)
				fail_msg("%s%zu x %s%s: not judged", rows[i].before, counts[k],
					 rows[i].repeated, rows[i].then);
		}
}

/* Code of each language is read up to CODE_TEXT_MAX; what is longer says so. */
static void code_limits(void **state)
{
	static const enum code_language languages[] = {
		CODE_PYTHON, CODE_JAVASCRIPT, CODE_PERL, CODE_RUBY,  CODE_PHP,        CODE_AWK,
		CODE_LUA,    CODE_MONGO,      CODE_SQL,  CODE_REDIS, CODE_POWERSHELL, CODE_COMPILED,
	};
	AUTO(arena_done) struct arena a = { 0 };
	struct str text = repeated(&a, "\n", CODE_TEXT_MAX + 1);

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(languages); i++) {
		struct effects e = { .arena = &a, .world = &world };

		effects_of_code(&e, languages[i], str_sub(text, 0, CODE_TEXT_MAX), STR("x"));
		assert_int_equal(e.n, 0);
		effects_of_code(&e, languages[i], text, STR("x"));
		assert_int_equal(e.n, 1);
		assert_int_equal(e.p[0].kind, EFFECT_UNJUDGED);
	}
}

static void names(void **state)
{
	(void)state;
	for (unsigned i = 0; i < EFFECT_COUNT; i++) {
		enum effect_kind kind;

		assert_true(effect_find(str_from(effect_name(i)), &kind) && kind == i);
	}
	for (unsigned i = 0; effect_place_name(i); i++) {
		unsigned place;

		assert_true(effect_place_find(str_from(effect_place_name(i)), &place));
		assert_int_equal(place, 1u << i);
	}
}

/* Tables are searched by halves. */
static void sorted(void **state)
{
	(void)state;
	for (size_t i = 1; i < packed_rows_n; i++) {
		const char *a = packed_texts + packed_rows[i - 1].pattern;
		const char *b = packed_texts + packed_rows[i].pattern;

		if (str_cmp(row_name(a), row_name(b)) > 0)
			fail_msg("\"%s\" comes before \"%s\"", a, b);
	}
	for (size_t i = 1; i < nprogram_options; i++)
		if (strcmp(program_options[i - 1].name, program_options[i].name) >= 0)
			fail_msg("%s comes before %s", program_options[i - 1].name,
				 program_options[i].name);
}

/* "a.b|c" is a.b and a.c: a row that earlier ones have, or whose "|" begins a module, is never found. */
static void rows_of_functions_are_found(void **state)
{
	static const struct code_grammar *const grammars[] = {
		&code_python, &code_javascript, &code_perl,     &code_ruby, &code_php,   &code_lua,
		&code_awk,    &code_mongo,      &code_compiled, &code_r,    &code_julia,
	};
	AUTO(arena_done) struct arena a = { 0 };
	struct {
		struct str *p;
		size_t n, cap;
	} all = { 0 };

	(void)state;
	for (size_t g = 0; g < ARRAY_LEN(grammars); g++) {
		all.n = 0;
		for (const struct code_function *f = grammars[g]->functions; f->names; f++) {
			struct str rest = str_from(f->names), one, module = { f->names, 0 };

			for (bool first = true; str_split(&rest, '|', &one); first = false) {
				for (size_t i = 0; first && i < one.n; i++)
					module.n = strchr(".:", one.p[i]) ? i + 1 : module.n;
				if (!first &&
				    (str_chr(one, '.', 0) >= 0 || str_chr(one, ':', 0) >= 0))
					fail_msg("%s: %.*s", f->names, STR_ARG(one));
				one = arena_printf(
					&a, "%.*s%.*s", STR_ARG(module),
					STR_ARG(str_sub(one, first ? module.n : 0, one.n)));
				for (size_t i = 0; i < all.n; i++)
					if (str_eq(all.p[i], one))
						fail_msg("%s: twice %.*s", f->names, STR_ARG(one));
				*VEC_ADD(&all) = one;
			}
		}
	}
	free(all.p);
}

/* Each variable that moves an agent's folder, set before the agent, is judged. */
static void moved_folders(void **state)
{
	(void)state;
	for (size_t i = 0; i < agent_dirs_n; i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct str command =
			arena_printf(&a, "%s=/tmp/x claude -p hi", agent_dirs[i].variable);
		struct effects e = effects_in(&a, command);

		if (!any_is(&e, STR("guard-off")))
			fail_msg("%s", command.p);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(samples),
		cmocka_unit_test(wrapping),
		cmocka_unit_test(presuming),
		cmocka_unit_test(limits),
		cmocka_unit_test(nothing_is_dropped),
		cmocka_unit_test(code_limits),
		cmocka_unit_test(names),
		cmocka_unit_test(sorted),
		cmocka_unit_test(rows_of_functions_are_found),
		cmocka_unit_test(moved_folders),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
