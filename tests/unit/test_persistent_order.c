/*
 * C6.8: what a persistent hook's answer is does not depend on when anybody looks.  Random scripts
 * are played by this program as the hook, with random pauses on both sides, and compared with a
 * model that knows nothing of time.  TROTLINE_ROUNDS=N plays more of them.
 */
#include "engine_fixture.h"

#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/util.h"

enum { ROUNDS = 150, THREADS = 3, SCRIPT_MAX = 64, QUESTIONS = 6 };

/*
 * The script, a letter a step:
 *	r	reads a question
 *	a d	allows, denies; A D in pieces
 *	e f	the same without the end of the line
 *	n N	allows, denies without "seq"
 *	o	answers the question before (or this one) again (denies it)
 *	t b	a line of text, a blank line
 *	g	leaves a process behind that keeps all pipes open
 *	i q	closes stdin, stdout
 *	0 1 2 k	exits, is killed
 */

/* ---- the hook ---- */

static _Thread_local unsigned seed;

static unsigned chance(unsigned n)
{
	seed = seed * 1103515245u + 12345u;
	return (seed >> 16) % n;
}

static void pause_some(void)
{
	const struct timespec ts = { .tv_nsec = (long)chance(300) * 1000 };

	if (chance(3) == 0)
		(void)nanosleep(&ts, NULL);
}

static void put(const char *text, bool in_pieces)
{
	size_t n = strlen(text);

	while (n) {
		size_t part = in_pieces ? 1 + chance((unsigned)n) : n;

		if (write(STDOUT_FILENO, text, part) != (ssize_t)part)
			_exit(99);
		text += part;
		n -= part;
		if (in_pieces)
			pause_some();
	}
}

static void answer(long seq, const char *decision, bool in_pieces, const char *end)
{
	char text[128];

	(void)snprintf(text, sizeof text, "{\"seq\":%ld,\"decision\":\"%s\"}%s", seq, decision,
		       end);
	put(text, in_pieces);
}

/* Byte by byte, as a shell does: what is not read stays in the pipe.  0 at the end of the input. */
static long read_question(void)
{
	char line[4096], *at;
	size_t n = 0;

	while (n < sizeof line - 1 && read(STDIN_FILENO, &line[n], 1) == 1)
		if (line[n++] == '\n')
			break;
	line[n] = '\0';
	at = strstr(line, "\"seq\":");
	return at ? strtol(at + 6, NULL, 10) : 0;
}

static void leave_one_behind(void)
{
	const char *const argv[] = { "sleep", "3", NULL };
	pid_t pid;

	if (posix_spawn(&pid, "/bin/sleep", NULL, NULL, (char *const *)argv, environ) != 0)
		_exit(98);
}

static int play(const char *script)
{
	long seq = 0, before = 0;

	for (; *script; script++) {
		pause_some();
		switch (*script) {
		case 'r':
			before = seq;
			seq = read_question();
			if (!seq)
				return 0;
			break;
		case 'a':
		case 'A':
			answer(seq, "allow", *script == 'A', "\n");
			break;
		case 'd':
		case 'D':
			answer(seq, "deny", *script == 'D', "\n");
			break;
		case 'e':
			answer(seq, "allow", false, "");
			break;
		case 'f':
			answer(seq, "deny", true, "");
			break;
		case 'o':
			answer(before ? before : seq, "deny", false, "\n");
			break;
		case 'n':
			put("{\"decision\":\"allow\"}\n", false);
			break;
		case 'N':
			put("{\"decision\":\"deny\"}\n", true);
			break;
		case 't':
			put("some text\n", true);
			break;
		case 'b':
			put(" \n", false);
			break;
		case 'g':
			leave_one_behind();
			break;
		case 'i':
			(void)close(STDIN_FILENO);
			break;
		case 'q':
			(void)close(STDOUT_FILENO);
			break;
		case 'k':
			(void)raise(SIGKILL);
			break;
		default:
			return *script - '0';
		}
	}
	return 0;
}

/* ---- the model ---- */

struct model {
	const char *script, *at; /* NULL = no process */
	bool guard, answered; /* a process that has answered is asked again */
	unsigned failures; /* in a row */
};

struct expected {
	enum tl_class how;
	enum tl_verdict verdict;
};

static struct expected over(struct model *m, enum tl_class how, enum tl_verdict said, bool fails)
{
	m->at = NULL;
	m->failures = fails ? m->failures + 1 : 0;
	return (struct expected){ how, fails && m->guard ? TL_VERDICT_DENY : said };
}

static struct expected by_status(struct model *m, char status)
{
	if (status == '2')
		return over(m, TL_CLASS_BLOCKED, TL_VERDICT_DENY, false);
	return over(m,
		    status == '0'   ? TL_CLASS_BAD_OUTPUT
		    : status == '1' ? TL_CLASS_WARNED
				    : TL_CLASS_SIGNALLED,
		    TL_VERDICT_NONE, true);
}

static struct expected answered(struct model *m, enum tl_verdict verdict)
{
	m->answered = true;
	m->failures = 0;
	return (struct expected){ TL_CLASS_OK, verdict };
}

static struct expected ask_model(struct model *m)
{
	bool read = false;

	if (!m->at) {
		m->at = m->script;
		m->answered = false;
	}
	for (;;) {
		char c = *m->at ? *m->at++ : '0';

		if (strchr("aAe", c))
			return answered(m, TL_VERDICT_ALLOW);
		if (strchr("dDf", c))
			return answered(m, TL_VERDICT_DENY);
		if (c == 'n' || c == 'N') {
			if (!m->guard)
				return answered(m, c == 'n' ? TL_VERDICT_ALLOW : TL_VERDICT_DENY);
			return over(m, TL_CLASS_BAD_OUTPUT, TL_VERDICT_DENY, true);
		}
		if (c == 't' && m->guard)
			return over(m, TL_CLASS_BAD_OUTPUT, TL_VERDICT_DENY, true);
		if (c == 'r')
			read = true;
		if (!strchr("012kiq", c))
			continue;
		if (!read && m->answered) { /* as if it had been over before */
			m->at = m->script;
			m->answered = false;
		} else if (!strchr("iq", c)) {
			return by_status(m, c);
		}
	}
}

/* ---- scripts ---- */

static void add(char *script, const char *choices)
{
	size_t n = strlen(script);

	script[n] = choices[chance((unsigned)strlen(choices))];
	script[n + 1] = '\0';
}

/*
 * What a hook that is no guard says without "seq" counts by the time it comes at, so that it says
 * such things only as its answer; and nothing is said once stdin is closed.
 */
static void make_script(char script[SCRIPT_MAX], bool guard)
{
	unsigned turns = 1 + chance(4);
	bool asked = false;

	script[0] = '\0';
	for (unsigned i = 0; i < turns; i++) {
		if (chance(6) == 0)
			add(script, guard ? "tb" : "tbg");
		add(script, "r");
		while (chance(4) == 0)
			add(script, i ? (guard ? "btoo" : "bto") : "b");
		asked = chance(12) == 0;
		if (asked)
			break;
		add(script, guard ? "aaaAdDnN" : "aAdDnN");
		while (guard && chance(6) == 0)
			add(script, "tboN");
		while (!guard && chance(6) == 0)
			add(script, "tb");
	}
	if (asked && chance(2))
		add(script, "ef");
	if (chance(4) == 0)
		add(script, "iq");
	add(script, "00112k");
}

/* ---- the comparison ---- */

static const char *self;

struct player {
	pthread_t id;
	unsigned rounds, seed;
	char failure[512]; /* "" = none */
};

static struct tl_hooks *load(const char *script, bool guard, unsigned hook_seed)
{
	AUTO(free) char *settings = xasprintf(
		"{\"hooks\":{\"BeforeTool\":[{\"hooks\":[{\"type\":\"command\",\"name\":\"h\","
		"\"persistent\":true,\"guard\":%s,\"command\":\"%s play %s %u\"}]}]}}",
		guard ? "true" : "false", self, script, hook_seed);
	const struct tl_source source =
		TL_SOURCE_INIT(.tier = TL_TIER_USER, .name = "test", .text = settings,
			       .length = strlen(settings));
	const struct tl_options o =
		TL_OPTIONS_INIT(.flags = TL_LOAD_NO_FILES, .cwd = "/", .project_dir = "/",
				.home = "/", .sources = &source, .nsources = 1);
	struct tl_hooks *h = NULL;

	(void)tl_hooks_load(&o, &h, NULL);
	return h;
}

static bool compare(struct player *p, struct tl_hooks *h, struct model *m, unsigned question)
{
	const struct tl_event event =
		TL_EVENT_INIT(.name = "BeforeTool", .subject = "shell", .session_id = "s");
	struct expected want = ask_model(m);
	struct tl_report r = TL_REPORT_INIT();
	struct tl_outcome *o = NULL;
	bool ok;

	if (tl_fire(h, &event, NULL, &o, NULL) < 0 || tl_outcome_report_get(o, 0, &r) < 0) {
		(void)snprintf(p->failure, sizeof p->failure, "%s: no outcome", m->script);
		return false;
	}
	ok = r.how == want.how && r.verdict == want.verdict;
	if (!ok)
		(void)snprintf(p->failure, sizeof p->failure,
			       "%s %s, question %u: %s %s instead of %s %s: %.200s",
			       m->guard ? "guard" : "plain", m->script, question,
			       tl_class_name(r.how), tl_verdict_name(r.verdict),
			       tl_class_name(want.how), tl_verdict_name(want.verdict),
			       tl_outcome_reason(o));
	tl_outcome_free(o);
	return ok;
}

static bool play_round(struct player *p)
{
	char script[SCRIPT_MAX];
	struct model m = { .script = script, .guard = chance(2) };
	struct tl_hooks *h;
	bool ok = true;

	make_script(script, m.guard);
	h = load(script, m.guard, chance(1000000));
	/* After two failures in a row it rests. */
	for (unsigned i = 0; ok && i < QUESTIONS && m.failures < 2; i++) {
		ok = compare(p, h, &m, i + 1);
		pause_some();
	}
	tl_hooks_unref(h);
	return ok;
}

static void *play_rounds(void *data)
{
	struct player *p = data;

	seed = p->seed;
	for (unsigned i = 0; i < p->rounds && play_round(p); i++)
		continue;
	return NULL;
}

static void c6_8_time_changes_no_answer(void **state)
{
	const char *rounds = getenv("TROTLINE_ROUNDS");
	struct player players[THREADS] = { 0 };

	(void)state;
	for (size_t i = 0; i < THREADS; i++) {
		players[i].seed = (unsigned)time(NULL) * THREADS + (unsigned)i;
		players[i].rounds = rounds ? (unsigned)strtoul(rounds, NULL, 10) : ROUNDS;
		assert_int_equal(pthread_create(&players[i].id, NULL, play_rounds, &players[i]), 0);
	}
	for (size_t i = 0; i < THREADS; i++)
		(void)pthread_join(players[i].id, NULL);
	for (size_t i = 0; i < THREADS; i++)
		if (players[i].failure[0])
			fail_msg("%s", players[i].failure);
}

int main(int argc, char **argv)
{
	char path[4096];
	ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);

	if (argc == 4 && strcmp(argv[1], "play") == 0) {
		seed = (unsigned)strtoul(argv[3], NULL, 10);
		return play(argv[2]);
	}
	if (n < 0)
		return 1;
	path[n] = '\0';
	self = path;
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(c6_8_time_changes_no_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
