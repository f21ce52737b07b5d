/*
 * The reader of shell text: what it makes of a text, where errors are, what words are worth; and
 * thousands of generated scripts about which the installed bash has to agree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "os/proc.h"
#include "shell/detach.h"
#include "shell/shell.h"

/* ---- a script as text, without positions and quotes ---- */

static void dump_list(struct buf *out, const struct sh_node *n);

static void dump_word(struct buf *out, const struct sh_word *w)
{
	for (size_t i = 0; i < w->n; i++) {
		const struct sh_piece *p = &w->p[i];

		if (p->script) {
			buf_addz(out, p->kind == SH_PROCESS ? "<(" : "$(");
			dump_list(out, p->script->first);
			buf_addz(out, ")");
		} else if (p->kind == SH_ARITH) {
			buf_addz(out, "$((");
			dump_word(out, p->operand);
			buf_addz(out, "))");
		} else if (p->kind == SH_VARIABLE) {
			buf_addf(out, "${%s%s%.*s%.*s", p->indirect ? "!" : "",
				 p->length ? "#" : "", STR_ARG(p->text), STR_ARG(p->op));
			if (p->operand)
				dump_word(out, p->operand);
			buf_addz(out, "}");
		} else {
			buf_adds(out, p->text);
		}
	}
}

static void dump_node(struct buf *out, const struct sh_node *n)
{
	static const char *const kinds[] = { "",     "sub", "group", "if",  "while", "for",
					     "case", "fn",  "test",  "let", "coproc" };

	buf_addf(out, "%s%s%s", n->negated ? "! " : "", n->timed ? "time " : "", kinds[n->kind]);
	if (n->kind != SH_SIMPLE)
		buf_addz(out, "{");
	buf_adds(out, n->name);
	for (size_t i = 0; i < n->nassigns; i++) {
		buf_addf(out, "%.*s=", STR_ARG(n->assigns[i].name));
		dump_word(out, &n->assigns[i].value);
		for (size_t k = 0; k < n->assigns[i].nitems; k++) {
			buf_addc(out, ',');
			dump_word(out, &n->assigns[i].items[k]);
		}
	}
	for (size_t i = 0; i < n->nwords; i++) {
		buf_addc(out, '[');
		dump_word(out, &n->words[i]);
		buf_addc(out, ']');
	}
	for (size_t i = 0; i < n->nredirects; i++) {
		buf_addf(out, "%.*s%.*s[", STR_ARG(n->redirects[i].fd),
			 STR_ARG(n->redirects[i].op));
		dump_word(out, &n->redirects[i].target);
		buf_addz(out, "]");
		dump_word(out, &n->redirects[i].body);
	}
	for (size_t i = 0; i < n->nbodies; i++) {
		buf_addc(out, ':');
		dump_list(out, n->bodies[i]);
	}
	if (n->kind != SH_SIMPLE)
		buf_addz(out, "}");
}

static void dump_list(struct buf *out, const struct sh_node *n)
{
	static const char *const ops[] = { "", " ; ", " & ", " && ", " || ", " | " };

	for (; n; n = n->next) {
		dump_node(out, n);
		if (n->next || n->op == SH_BACKGROUND)
			buf_addz(out, ops[n->op]);
	}
}

static const struct {
	const char *text, *want;
} scripts[] = {
	{ "", "" },
	{ "  # nothing\n", "" },
	{ "ls -l 'a b'\"c d\"e\\ f", "[ls][-l][a bc de f]" },
	{ "a;b&c&&d||e|f\ng", "[a] ; [b] & [c] && [d] || [e] | [f] ; [g]" },
	{ "a && \n\n b", "[a] && [b]" },
	{ "X=1 Y+=\"2 3\" ls X=4", "X=1Y=2 3[ls][X=4]" },
	{ "a=(1 'b c' $d)", "a=,1,b c,${d}" },
	{ "echo $x ${y} \"$z\" ${#x} ${!x} $1 $10 $@ $", "[echo][${x}][${y}][${z}][${#x}][${!x}]"
							 "[${1}][${1}0][${@}][$]" },
	{ "echo ${x:-a b} ${x%%/*} ${x//a/b} ${x:1:2} ${x^^}",
	  "[echo][${x:-a b}][${x%%/*}][${x//a/b}][${x:1:2}][${x^^}]" },
	{ "echo $(a; b) `c | d` <(e) $((1 + (2) * x)) \"$(f \"g\")\"",
	  "[echo][$([a] ; [b])][$([c] | [d])][<([e])][$((1 + (2) * x))][$([f][g])]" },
	{ "echo $((a); (b))", "[echo][$(sub{:[a]} ; sub{:[b]})]" },
	{ "echo `a \\`b\\``", "[echo][$([a][$([b])])]" },
	{ "echo $'a\\tb\\x41\\101\\u00e9\\''", "[echo][a\tbAA\xc3\xa9']" },
	{ "a\\\nb c\\\n d", "[ab][c][d]" },
	{ "a#b # c\nd", "[a#b] ; [d]" },
	{ "a >b 2>&1 <c 3>>d &>e {fd}<f >|g", "[a]>[b]2>&[1]<[c]3>>[d]&>[e]{fd}<[f]>|[g]" },
	{ "cat <<E; b\nx $y\nE\nc", "[cat]<<[E]x ${y}\n ; [b] ; [c]" },
	{ "cat <<'E' <<-F\n$x\nE\n\ty\n\tF\nc", "[cat]<<[E]$x\n<<[F]\ty\n ; [c]" },
	{ "(cat <<E\nx\nE\n)", "sub{:[cat]<<[E]x\n}" },
	{ "cat <<<\"a b\"", "[cat]<<<[a b]" },
	{ "(a; b) >c", "sub{>[c]:[a] ; [b]}" },
	{ "{ a; } | { b; }", "group{:[a]} | group{:[b]}" },
	{ "{a,b} {} }", "[{a,b}][{}][}]" },
	{ "if a; then b; elif c; then d; else e; fi", "if{:[a]:[b]:[c]:[d]:[e]}" },
	{ "while a; do b; done; until c\ndo d\ndone", "while{:[a]:[b]} ; while{:[c]:[d]}" },
	{ "for i in a $b; do c; done", "for{i[a][${b}]:[c]}" },
	{ "for i\ndo c; done", "for{i:[c]}" },
	{ "for ((i=0; i<3; i++)) { a; }", "let{[i=0; i<3; i++]:[a]}" },
	{ "select i in a; do b; done", "for{i[a]:[b]}" },
	{ "case $x in a|b) c;; (*) d; e;& f) ;; esac", "case{[${x}][a][b][*][f]:[c]:[d] ; [e]:}" },
	{ "case x in esac", "case{[x]}" },
	{ "f() { a; }; function g { b; }; h () ( c ) >d",
	  "fn{f:group{:[a]}} ; fn{g:group{:[b]}} ; fn{h:sub{>[d]:[c]}}" },
	{ "[[ -f $x && ( a == b* || ! c < d ) ]] && e", "test{[-f][${x}][a][b*][c][d]} && [e]" },
	{ "[[ $x =~ ^(a|b)$ ]]", "test{[${x}][^(a|b)$]}" },
	{ "((x+1)); ((a); (b))", "let{[x+1]} ; sub{:sub{:[a]} ; sub{:[b]}}" },
	{ "! a | b; time -p c", "! [a] | [b] ; time [c]" },
	{ "coproc a b; coproc N { c; }", "coproc{:[a][b]} ; coproc{N:group{:[c]}}" },
	{ "~/x ~u a~ *.c [ a ] x=~/y", "[~/x][~u][a~][*.c][[][a][]][x=~/y]" },
	{ "echo if then; x=~/y", "[echo][if][then] ; x=~/y" },
};

static void scripts_are_read(void **state)
{
	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(scripts); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf out = { 0 };
		struct sh_script s;

		if (!sh_read(&s, &a, str_from(scripts[i].text)))
			fail_msg("%s: %s at %zu", scripts[i].text, s.error, s.error_at);
		dump_list(&out, s.first);
		if (strcmp(buf_z(&out), scripts[i].want) != 0)
			fail_msg("%s\n is  %s\n not %s", scripts[i].text, buf_z(&out),
				 scripts[i].want);
	}
}

/* What bash refuses, and where. */
static void errors_have_a_place(void **state)
{
	static const struct {
		const char *text;
		size_t at;
	} cases[] = {
		{ "a 'b", 4 },
		{ "a \"b", 4 },
		{ "a $(b", 5 },
		{ "a `b", 4 },
		{ "a; )", 3 },
		{ ";a", 0 },
		{ "a ;; b", 2 },
		{ "a &&", 4 },
		{ "a | | b", 4 },
		{ "( )", 2 },
		{ "{ }", 2 },
		{ "if a; fi", 6 },
		{ "then", 0 },
		{ "while a; do done", 12 },
		{ "for 1 in a; do b; done", 5 },
		{ "case a b", 7 },
		{ "a (b", 3 },
		{ "f() a", 5 },
		{ "a >", 3 },
		{ "[[ a b ]]", 6 },
		{ "[[ a", 4 },
		{ "echo ${x", 8 },
		{ "echo ${}", 7 },
		{ "a=(b", 4 },
		{ "(a", 2 },
		{ "{ a;", 4 },
		{ "fi", 0 },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct sh_script s;

		if (sh_read(&s, &a, str_from(cases[i].text)))
			fail_msg("no error: %s", cases[i].text);
		if (s.error_at != cases[i].at)
			fail_msg("%s: %s at %zu, not %zu", cases[i].text, s.error, s.error_at,
				 cases[i].at);
	}
}

/* What not every shell reads in this way. */
static void doubts_are_told(void **state)
{
	static const char *const doubtful[] = {
		"echo $'\\''",       "echo $\"a\"",    "cat <<E\nx", "echo \"${x:-'a'}\"",
		"echo $[1]",         "echo $\\\n(id)", "a[1 + 2]=3", "cat <<E $(a\nb)\nE",
		"cat <<E\nE\\\n\nE", "((1<<'x'))",     "echo \\",    "echo $((id); (id))",
	};
	static const char *const clear[] = {
		"echo \"${x:-a}\" ${x:-'a'}", "cat <<E\nx\nE", "echo $((1 + 2))", "a[1]=3",
		"echo 'a' \"b\" $'c\\n'",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(doubtful) + ARRAY_LEN(clear); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		bool doubt = i < ARRAY_LEN(doubtful);
		const char *text = doubt ? doubtful[i] : clear[i - ARRAY_LEN(doubtful)];
		struct sh_script s;

		if ((!sh_read(&s, &a, str_from(text)) || s.dubious) != doubt)
			fail_msg("%s: %s", text, doubt ? "no doubt" : "a doubt");
	}
}

/* Depth and work are bounded, whatever the text is. */
static void bounds_hold(void **state)
{
	static const char *const openings[] = {
		"(",  "{ ",     "$(",    "\"$(",          "`",
		"((", "$((",    "${x:-", "[[ (",          "if ",
		"<(", "f() { ", "a=(",   "case x in x) ", "cat <<E\n$("
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(openings); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf text = { 0 };
		struct sh_script s;

		while (text.n < SH_TEXT_MAX / 2)
			buf_addz(&text, openings[i]);
		assert_true(!sh_read(&s, &a, buf_str(&text)) || openings[i][0] == '`');
		assert_true(a.used < (size_t)64 << 20);
	}
}

/* ---- values ---- */

static enum sh_known variable(void *data, struct str name, struct str *ret)
{
	static const struct {
		const char *name, *value;
	} known[] = { { "P", "/a/b.c" }, { "E", "" }, { "B", "x y" }, { "HOME", "/h" } };

	(void)data;
	for (size_t i = 0; i < ARRAY_LEN(known); i++)
		if (str_eqz(name, known[i].name)) {
			*ret = str_from(known[i].value);
			return SH_KNOWN;
		}
	return str_eqz(name, "U") ? SH_UNSET : SH_UNKNOWN;
}

static bool command(void *data, const struct sh_script *s, struct str *ret)
{
	(void)data;
	*ret = STR("/cwd");
	return str_find(s->text, STR("pwd"), 0) >= 0;
}

static void words_have_values(void **state)
{
	static const struct {
		const char *word, *value; /* value NULL: not known */
	} cases[] = {
		{ "a'b'\"c\"\\d", "abcd" },
		{ "$P", "/a/b.c" },
		{ "\"${P}\"x", "/a/b.cx" },
		{ "${P%/*}/y", "/a/y" },
		{ "${P##*/}", "b.c" },
		{ "${P%.c}.h", "/a/b.h" },
		{ "${P#*/}", "a/b.c" },
		{ "${U:-.}/x", "./x" },
		{ "${U-$P}", "/a/b.c" },
		{ "\"${E:-z}\"", "z" },
		{ "\"${E-z}\"", "" },
		{ "x${U+y}${P:+z}", "xz" },
		{ "x$U", "x" },
		{ "~/x", "/h/x" },
		{ "$(pwd)/x", "/cwd/x" },
		{ "`pwd`", "/cwd" },
		{ "\"$B\"", "x y" },
		{ "$B", NULL },
		{ "$N", NULL },
		{ "${N:-x}", NULL },
		{ "$(id)", NULL },
		{ "*.c", NULL },
		{ "{a,b}", NULL },
		{ "$((1))", NULL },
		{ "${!P}", NULL },
		{ "${#P}", NULL },
		{ "${P:1:2}", NULL },
		{ "${P%%[a-z]}", NULL },
		{ "${P/a/b}", NULL },
		{ "~root/x", NULL },
		{ "<(id)", NULL },
		{ "[", "[" },
		{ "[a]", NULL },
	};
	static const struct sh_values values = { .variable = variable,
						 .command = command,
						 .split = true };

	(void)state;
	for (size_t i = 0; i < ARRAY_LEN(cases); i++) {
		AUTO(arena_done) struct arena a = { 0 };
		struct sh_script s;
		struct str got;

		assert_true(sh_read(&s, &a, str_from(cases[i].word)));
		bool known = sh_value(&a, &s.first->words[0], &values, &got);
		if (known != (cases[i].value != NULL) || (known && !str_eqz(got, cases[i].value)))
			fail_msg("%s: %s \"%s\"", cases[i].word, known ? "is" : "unknown", got.p);
	}
}

/* ---- against bash ---- */

static uint32_t seed;

static uint32_t below(uint32_t n)
{
	seed = seed * 1664525u + 1013904223u;
	return (seed >> 8) % n;
}

#define PICK(list) list[below((uint32_t)ARRAY_LEN(list))]

static void make_list(struct buf *out, unsigned depth);

/* bash prints here-documents inside of substitutions in a way that it cannot read itself. */
static unsigned substitutions;

static void make_substitution(struct buf *out, const char *before, const char *after,
			      unsigned depth)
{
	substitutions++;
	buf_addz(out, before);
	make_list(out, depth);
	buf_addz(out, after);
	substitutions--;
}

static void make_word(struct buf *out, unsigned depth)
{
	static const char *const plain[] = {
		"a",    "b.c",        "-x",    "'q r'", "\"d e\"",    "$v",        "\"$v\"",
		"${v}", "${v:-w}",    "*.c",   "\\;",   "''",         "x'y'\"z\"", "${v%/*}",
		"~/h",  "[",          "{}",    "{a,b}", "$((1+v))",   "$'n\\t'",   "a=b",
		"#",    "\"${v}$w\"", "${#v}", "if",    "\"a\\\"b\"", "'#'",       "1",
		"e#f",  "${v//a/b}",  "@",     "$1",    "\"$@\"",     "in",        "!"
	};

	switch (depth ? below(9) : 9) {
	case 0:
		make_substitution(out, "$( ", ")", depth - 1);
		break;
	case 1:
		make_substitution(out, "\"x $( ", ")\"", depth - 1);
		break;
	case 2:
		make_substitution(out, "<( ", ")", depth - 1);
		break;
	default:
		buf_addz(out, PICK(plain));
	}
}

static void make_simple(struct buf *out, unsigned depth)
{
	static const char *const redirections[] = {
		" >f", " 2>&1", " <f", " >>f", " <<<w", " 3<f"
	};

	if (below(6) == 0)
		buf_addz(out, below(2) ? "V=1 " : "V='a b' ");
	buf_addz(out, below(3) ? "cmd" : "'c'md");
	for (uint32_t i = below(4); i > 0; i--) {
		buf_addc(out, ' ');
		make_word(out, depth);
	}
	if (below(4) == 0)
		buf_addz(out, PICK(redirections));
}

static void make_command(struct buf *out, unsigned depth)
{
	static const struct {
		const char *parts[4]; /* a list between each and the next */
	} compounds[] = {
		{ { "( ", " )" } },
		{ { "{ ", "; }" } },
		{ { "if ", "; then ", "; fi" } },
		{ { "if ", "\nthen ", "; else ", "\nfi" } },
		{ { "while ", "; do ", "; done" } },
		{ { "until ", "\ndo ", "\ndone" } },
		{ { "for i in a 'b c' $d; do ", "; done" } },
		{ { "for ((i=0; i<3; i++)); do ", "; done" } },
		{ { "case $x in a|'b c') ", ";; *) ", " ;; esac" } },
		{ { "case x in (a*) ", "\n;; esac" } },
		{ { "g() { ", "; }" } },
		{ { "! cmd && { ", "\n}" } },
		{ { "[[ -f $x && ( a == b* || ! c < d ) ]] && { ", "; }" } },
		{ { "((v + 1)) || { ", "; }" } },
		{ { "a=(1 'b c' $v); { ", "; } >f 2>&1" } },
		{ { "# it's a comment\n{ ", "; }" } },
		{ { "(cat <<'E'\nit's $(x\nE\n) && { ", "; }" } },
	};
	size_t k = below(ARRAY_LEN(compounds) - (substitutions > 0));

	if (!depth || below(2)) {
		make_simple(out, depth);
		return;
	}
	buf_addz(out, compounds[k].parts[0]);
	for (size_t i = 1; i < 4 && compounds[k].parts[i]; i++) {
		make_list(out, depth - 1);
		buf_addz(out, compounds[k].parts[i]);
	}
}

static void make_list(struct buf *out, unsigned depth)
{
	static const char *const ops[] = { "; ", " && ", " || ", " | ", " & " };

	make_command(out, depth);
	for (uint32_t i = below(3); i > 0; i--) {
		buf_addz(out, PICK(ops));
		make_command(out, depth);
	}
}

/* Makes an error of a text, mostly. */
static void spoil(struct buf *text)
{
	static const char *const bits[] = { ")",      "(",    " ; ; ", "'", "\"",   " fi ",
					    " done ", " do ", "}",     "`", " && ", "|",
					    " then ", "$(",   "{ ",    "<", "\n",   "" };
	AUTO(buf_done) struct buf out = { 0 };
	size_t at = below((uint32_t)text->n), drop = below(3);

	buf_adds(&out, str_sub(buf_str(text), 0, at));
	buf_addz(&out, PICK(bits));
	buf_adds(&out, str_sub(buf_str(text), at + drop, text->n));
	buf_clear(text);
	buf_adds(text, buf_str(&out));
}

enum { SCRIPTS = 3000 };

/* What bash says of each text: "" for an error, else the function as it prints it. */
static void ask_bash(struct proc *p, struct str texts)
{
	static const char *const argv[] = {
		"bash", "--norc", "-c",
		/* What follows "set -n" is read and not run. */
		"while IFS= read -r -d '' t; do k=${t%%f*}; t=${t#?}; "
		"if (eval \"set -n\n$t\") 2>/dev/null; then "
		"if [ \"$k\" = 1 ]; then echo good; else eval \"$t\"; declare -f f; fi; fi; "
		"printf '\\0'; done",
		NULL
	};
	struct iovec input = { (void *)texts.p, texts.n };
	static const char *const env[] = { "PATH=/nowhere", "LC_ALL=C.UTF-8", NULL };
	struct err err;

	(void)proc_run(p,
		       &(struct proc_spec){ .file = "/bin/bash",
					    .argv = argv,
					    .envp = env,
					    .input = &input,
					    .ninput = 1,
					    .timeout_ms = 60000 },
		       NULL, &err);
	assert_int_equal(p->result.end, PROC_EXITED);
}

static void make_texts(struct buf *texts)
{
	AUTO(buf_done) struct buf body = { 0 };

	seed = 20261122;
	for (size_t i = 0; i < SCRIPTS; i++) {
		buf_clear(&body);
		make_list(&body, 1 + below(3));
		if (i % 2)
			spoil(&body);
		buf_addf(texts, "%zuf() {\n%s\n}", i % 2, buf_z(&body));
		buf_addc(texts, '\0');
	}
}

/* bash -n: both know the same texts for shell; declare -f: both find the same commands in them. */
static void bash_agrees(void **state)
{
	AUTO(buf_done) struct buf texts = { 0 };
	AUTO(proc_done) struct proc p;
	struct str rest, text, answers, answer;
	size_t good = 0, bad = 0, failed = 0;

	(void)state;
	make_texts(&texts);
	ask_bash(&p, buf_str(&texts));
	rest = buf_str(&texts);
	answers = buf_str(&p.result.out);
	while (str_split(&rest, '\0', &text) && text.n && str_split(&answers, '\0', &answer)) {
		AUTO(arena_done) struct arena a = { 0 };
		AUTO(buf_done) struct buf ours = { 0 }, theirs = { 0 };
		struct sh_script s, printed;
		bool spoilt = text.p[0] == '1', known;

		text = str_sub(text, 1, text.n);
		known = sh_read(&s, &a, text);

		/* What bash finds out when it runs it. */
		if (s.dubious || (s.error && strcmp(s.error, "bad substitution") == 0))
			continue;
		if (known != (answer.n > 0)) {
			print_error("%s\n  we: %s\n", arena_z(&a, text), known ? "good" : s.error);
			failed++;
			continue;
		}
		good += known;
		bad += !known;
		if (!known || spoilt)
			continue;
		dump_list(&ours, s.first);
		if (!sh_read(&printed, &a, answer))
			fail_msg("%.*s\n  %s", STR_ARG(answer), printed.error);
		dump_list(&theirs, printed.first);
		if (!str_eq(buf_str(&ours), buf_str(&theirs))) {
			print_error("%s\n  ours   %s\n  theirs %s\n", arena_z(&a, text),
				    buf_z(&ours), buf_z(&theirs));
			failed++;
		}
	}
	print_message("%zu good, %zu bad\n", good, bad);
	assert_int_equal(failed, 0);
	assert_true(good > SCRIPTS / 3 && bad > SCRIPTS / 5);
}

/* Ways to leave a program behind or to wait for it, in every frame around them. */
static void what_detaches_is_told(void **state)
{
	static const char *const behind[] = {
		"guard.sh &",
		"nohup guard.sh >/dev/null 2>&1 &",
		"nohup setsid guard.sh",
		"setsid guard.sh",
		"setsid -f -- guard.sh",
		"systemd-run --user guard.sh",
		"daemonize /usr/bin/guard",
		"start-stop-daemon --start --background --exec guard.sh",
		"/usr/bin/setsid env A=1 guard.sh",
		"coproc guard.sh",
		"{ guard.sh; echo done; } &",
		"(guard.sh && exit 2) &",
		"cat | guard.sh &",
		"bash -c 'guard.sh &'",
		"exec setsid guard.sh",
		"guard.sh & disown",
		"echo guard.sh | at now",
	};
	static const char *const waits[] = {
		"guard.sh",
		"setsid -w guard.sh",
		"setsid --wait guard.sh",
		"systemd-run --wait --user guard.sh",
		"guard.sh & wait $!",
		"logger x & guard.sh",
		"guard.sh; logger x &",
		"guard.sh >&2",
		"guard.sh 2>&1",
		"guard.sh | setsid logger",
		"guard.sh && true",
		"jq -e .x || exit 2; logger x &",
		"guard.sh & exit 2",
		"echo '{}'; sleep 5 &",
		"sh -c 'guard.sh & guard2.sh'",
		". ./guard.sh &  . ./other.sh",
		"[ -e 'a&b' ] || guard.sh",
		"true",
		"",
		"guard.sh 'unfinished &",
	};
	static const char *const frames[] = {
		"%s",
		"cd /tmp\n%s",
		"cat >input; %s",
		"(%s\n)",
		"{ %s\n}",
		"if [ -t 0 ]; then\n%s\nfi",
		"set -e; in=$(cat); export in; %s",
		"%s\nexit 0",
		"%s\ntrue",
	};

	(void)state;
	for (size_t f = 0; f < ARRAY_LEN(frames); f++) {
		for (size_t i = 0; i < ARRAY_LEN(behind) + ARRAY_LEN(waits); i++) {
			bool want = i < ARRAY_LEN(behind);
			const char *text = want ? behind[i] : waits[i - ARRAY_LEN(behind)];
			const char *at = strstr(frames[f], "%s");
			AUTO(free) char *all = xasprintf("%.*s%s%s", (int)(at - frames[f]),
							 frames[f], text, at + 2);

			if (sh_detaches(str_from(all)) != want)
				fail_msg("%s: want %d", all, want);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(scripts_are_read),      cmocka_unit_test(errors_have_a_place),
		cmocka_unit_test(doubts_are_told),       cmocka_unit_test(bounds_hold),
		cmocka_unit_test(words_have_values),     cmocka_unit_test(bash_agrees),
		cmocka_unit_test(what_detaches_is_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
