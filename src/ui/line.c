/*
 * Why nothing of readline reaches the terminal: its output stream is /dev/null, its functions for
 * the terminal's mode are empty, it reads keys from a buffer, the bell is off.  It asks the
 * environment for the locale, which may be C, and would then take UTF-8 for single bytes.
 */
#include "ui/line.h"

#include <locale.h>
#include <readline/history.h>
#include <readline/readline.h>
#include <stdio.h>

#include "base/vec.h"
#include "ui/line_history.h"

static struct {
	struct line_options options;
	char *history_path;
	FILE *nowhere;
	struct str feed;
	char *submitted;
	bool has_cut; /* something of this line is in the kill ring */
	bool searching;
	bool starved; /* readline wanted more of a key than there is */
	bool typing;
	bool started;
} line;

/* The locale that was found for UTF-8; NULL when readline must find its own. */
static const char *line_locale;

/*
 * How readline asks the environment, at the beginning and again for each line; a program may have
 * its own (bash does).  Weak, for static links, where readline's comes along.
 */
__attribute__((weak, visibility("default"))) char *sh_get_env_value(const char *name);
char *sh_get_env_value(const char *name)
{
	return strcmp(name, "LC_ALL") == 0 && line_locale ? (char *)line_locale : getenv(name);
}

/* ---- what readline gets instead of a terminal ---- */

static int next_byte(FILE *stream)
{
	(void)stream;
	if (line.feed.n == 0) {
		line.starved = true;
		return EOF;
	}
	unsigned char c = (unsigned char)line.feed.p[0];

	line.feed = str_sub(line.feed, 1, line.feed.n);
	return c;
}

static int has_bytes(void)
{
	return line.feed.n > 0;
}

static void prepare_nothing(int meta)
{
	(void)meta;
}

static void restore_nothing(void)
{
}

static void draw_nothing(void)
{
}

static void on_line(char *text)
{
	if (!text) /* end of file: of our buffer only */
		return;
	free(line.submitted);
	line.submitted = text;
}

/* ---- commands ---- */

static bool asked(enum line_command c)
{
	return line.options.command && line.options.command(line.options.data, c);
}

/*
 * Entries of the history that were edited keep undo lists, which readline 8.2 frees twice after a
 * search: some begin in the middle of others.  They are put away, not freed: a few bytes each.
 */
static void put_away(void *undo_list)
{
	static struct {
		void **p;
		size_t n, cap;
	} lists;

	if (undo_list)
		*VEC_ADD(&lists) = undo_list;
}

static bool forget_undo_of_history(void)
{
	HIST_ENTRY **list = history_list();
	bool any = false;

	for (size_t i = 0; list && list[i]; i++) {
		any |= list[i]->data != NULL;
		put_away(list[i]->data);
		list[i]->data = NULL;
	}
	return any;
}

static int newline(int count, int key)
{
	(void)count, (void)key;
	return rl_insert_text("\n") < 0;
}

static int enter(int count, int key)
{
	if (asked(LINE_ENTER))
		return 0;
	if (rl_point > 0 && rl_line_buffer[rl_point - 1] == '\\') {
		rl_begin_undo_group();
		rl_delete_text(rl_point - 1, rl_point);
		rl_point--;
		newline(1, key);
		rl_end_undo_group();
		return 0;
	}
	if (str_trim(line_text()).n == 0)
		return 0;
	(void)forget_undo_of_history();
	return rl_newline(count, key);
}

static int complete(int count, int key)
{
	(void)count, (void)key;
	return !asked(LINE_COMPLETE);
}

static int up(int count, int key)
{
	return asked(LINE_UP) ? 0 : rl_get_previous_history(count, key);
}

static int down(int count, int key)
{
	return asked(LINE_DOWN) ? 0 : rl_get_next_history(count, key);
}

static int clear(int count, int key)
{
	(void)count, (void)key;
	return !asked(LINE_CLEAR);
}

static int approve(int count, int key)
{
	return !line.has_cut && asked(LINE_APPROVE) ? 0 : rl_yank(count, key);
}

static int mode(int count, int key)
{
	(void)count, (void)key;
	return !asked(LINE_MODE);
}

static int unfold(int count, int key)
{
	(void)count, (void)key;
	return !asked(LINE_UNFOLD);
}

/* Of a text of several lines that in which the cursor is. */
static int to_begin(int count, int key)
{
	(void)count, (void)key;
	while (rl_point > 0 && rl_line_buffer[rl_point - 1] != '\n')
		rl_point--;
	return 0;
}

static int to_end(int count, int key)
{
	(void)count, (void)key;
	while (rl_point < rl_end && rl_line_buffer[rl_point] != '\n')
		rl_point++;
	return 0;
}

static const struct {
	const char *name;
	rl_command_func_t *run;
} commands[] = {
	{ "trotline-approve", approve },
	{ "trotline-clear", clear },
	{ "trotline-complete", complete },
	{ "trotline-down", down },
	{ "trotline-enter", enter },
	{ "trotline-mode", mode },
	{ "trotline-newline", newline },
	{ "trotline-unfold", unfold },
	{ "trotline-up", up },
};

/* Bound where inputrc has left what readline binds by itself (NULL: nothing). */
static const struct {
	const char *key;
	rl_command_func_t *before, *run;
} bindings[] = {
	{ "\r", rl_newline, enter },
	{ "\n", rl_newline, newline },
	{ "\n", rl_vi_movement_mode, newline },
	{ "\t", rl_complete, complete },
	{ "\f", rl_clear_screen, clear },
	{ "\031", rl_yank, approve },
	{ "\033\r", rl_vi_editing_mode, newline },
	{ "\033\r", NULL, newline },
	{ "\033\n", rl_vi_editing_mode, newline },
	{ "\033[A", rl_get_previous_history, up },
	{ "\033OA", rl_get_previous_history, up },
	{ "\033[B", rl_get_next_history, down },
	{ "\033OB", rl_get_next_history, down },
	{ "\020", rl_get_previous_history, up },
	{ "\016", rl_get_next_history, down },
	{ "\033[Z", NULL, mode },
	{ "\033[1;5C", NULL, rl_forward_word },
	{ "\033[1;5D", NULL, rl_backward_word },
	{ "\033[1;3C", NULL, rl_forward_word },
	{ "\033[1;3D", NULL, rl_backward_word },
	{ "\033[3~", NULL, rl_delete },
	{ "\001", rl_beg_of_line, to_begin },
	{ "\005", rl_end_of_line, to_end },
	{ "\033[H", rl_beg_of_line, to_begin },
	{ "\033[F", rl_end_of_line, to_end },
	{ "\033OH", rl_beg_of_line, to_begin },
	{ "\033OF", rl_end_of_line, to_end },
	{ "\033[1~", rl_beg_of_line, to_begin },
	{ "\033[4~", rl_end_of_line, to_end },
	{ "\033[7~", rl_beg_of_line, to_begin },
	{ "\033[8~", rl_end_of_line, to_end },
	{ "\033[H", NULL, to_begin },
	{ "\033[F", NULL, to_end },
	{ "\033OH", NULL, to_begin },
	{ "\033OF", NULL, to_end },
	{ "\033[1~", NULL, to_begin },
	{ "\033[4~", NULL, to_end },
	{ "\033[7~", NULL, to_begin },
	{ "\033[8~", NULL, to_end },
	{ "\017", rl_operate_and_get_next, unfold },
	{ "\017", rl_insert, unfold },
	{ "\017", NULL, unfold },
	{ "\033[A", NULL, up },
	{ "\033[B", NULL, down },
	{ "\033[C", NULL, rl_forward_char },
	{ "\033[D", NULL, rl_backward_char },
	{ "\033OA", NULL, up },
	{ "\033OB", NULL, down },
	{ "/", rl_vi_search, rl_reverse_search_history },
	{ "?", rl_vi_search, rl_forward_search_history },
};

static const char *const keymaps[] = { "emacs-standard", "vi-insert", "vi-command" };

/* A macro, or a key that begins others. */
static int something(int count, int key)
{
	return count + key;
}

static rl_command_func_t *bound(const char *key, Keymap map)
{
	int type = ISFUNC;
	rl_command_func_t *f = rl_function_of_keyseq(key, map, &type);

	return type == ISFUNC ? f : something;
}

/*
 * Not offered: macros that are recorded while typing may run themselves, and then never end; after
 * a search that is not incremental readline 8.2 frees lines twice (vi's / and ? search
 * incrementally).
 */
static void unbind_what_breaks(Keymap map)
{
	rl_command_func_t *const functions[] = {
		rl_start_kbd_macro,
		rl_end_kbd_macro,
		rl_call_last_kbd_macro,
		rl_noninc_forward_search,
		rl_noninc_reverse_search,
		rl_noninc_forward_search_again,
		rl_noninc_reverse_search_again,
		rl_vi_search_again,
	};
	static const char *const keys[] = { "\030(", "\030)", "\030e", "\033n",
					    "\033p", "\033N", "\033P" };

	for (size_t i = 0; i < ARRAY_LEN(functions); i++)
		(void)rl_unbind_function_in_map(functions[i], map);
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		for (size_t k = 0; k < ARRAY_LEN(functions); k++)
			if (bound(keys[i], map) == functions[k])
				(void)rl_bind_keyseq_in_map(keys[i], NULL, map);
}

static void bind_keys(void)
{
	for (size_t i = 0; i < ARRAY_LEN(commands); i++)
		(void)rl_add_funmap_entry(commands[i].name, commands[i].run);
	for (size_t m = 0; m < ARRAY_LEN(keymaps); m++) {
		Keymap map = rl_get_keymap_by_name(keymaps[m]);

		if (!map)
			continue;
		unbind_what_breaks(map);
		for (size_t i = 0; i < ARRAY_LEN(bindings); i++)
			if (bound(bindings[i].key, map) == bindings[i].before)
				(void)rl_bind_keyseq_in_map(bindings[i].key, bindings[i].run, map);
	}
}

/* ---- start and stop ---- */

int line_start(const struct line_options *o, struct err *err)
{
	static const char *const locales[] = { "C.UTF-8", "C.utf8", "en_US.UTF-8" };
	static const char *const settings[][2] = {
		{ "bell-style", "none" },
		{ "blink-matching-paren", "off" },
		{ "input-meta", "on" },
		{ "output-meta", "on" },
		{ "convert-meta", "off" },
		{ "enable-bracketed-paste", "off" },
		{ "horizontal-scroll-mode", "off" },
	};

	line.options = *o;
	line.history_path = o->history_path ? xstrdup(o->history_path) : NULL;
	line.nowhere = fopen("/dev/null", "we");
	if (!line.nowhere)
		return err_set(err, E_IO, "/dev/null cannot be opened");
	rl_readline_name = "trotline";
	rl_outstream = line.nowhere;
	rl_catch_signals = 0;
	rl_catch_sigwinch = 0;
	rl_change_environment = 0;
	rl_getc_function = next_byte;
	rl_input_available_hook = has_bytes;
	rl_prep_term_function = prepare_nothing;
	rl_deprep_term_function = restore_nothing;
	rl_redisplay_function = draw_nothing;
	for (size_t i = 0; i < ARRAY_LEN(commands); i++) /* inputrc may name them */
		(void)rl_add_funmap_entry(commands[i].name, commands[i].run);
	for (size_t i = 0; i < ARRAY_LEN(locales) && !line_locale; i++)
		if (setlocale(LC_CTYPE, locales[i]))
			line_locale = locales[i];
	(void)rl_initialize();
	for (size_t i = 0; i < ARRAY_LEN(settings); i++)
		(void)rl_variable_bind(settings[i][0], settings[i][1]);
	bind_keys();
	using_history();
	if (o->history_path)
		line_history_load(o->history_path, o->history_max);
	rl_callback_handler_install("", on_line);
	line.started = true;
	return 0;
}

void line_stop(void)
{
	if (!line.started)
		return;
	rl_callback_handler_remove();
	clear_history();
	rl_outstream = NULL;
	(void)fclose(line.nowhere);
	free(line.submitted);
	free(line.history_path);
	memset(&line, 0, sizeof line);
}

/* ---- keys ---- */

static bool is_cut(rl_command_func_t *f)
{
	static rl_command_func_t *const cuts[] = {
		rl_kill_line,           rl_backward_kill_line,   rl_kill_full_line,
		rl_kill_word,           rl_backward_kill_word,   rl_unix_word_rubout,
		rl_unix_line_discard,   rl_unix_filename_rubout, rl_kill_region,
		rl_copy_region_to_kill, rl_copy_forward_word,    rl_copy_backward_word,
	};

	for (size_t i = 0; i < ARRAY_LEN(cuts); i++)
		if (cuts[i] == f)
			return true;
	return false;
}

void line_feed(struct str key)
{
	/* Esc, Ctrl+X and their like: readline 8.2 dereferences NULL when one ends a search. */
	if (RL_ISSTATE(RL_STATE_ISEARCH) && key.n > 0) {
		char first[2] = { key.p[0], '\0' };
		int type = ISFUNC;

		(void)rl_function_of_keyseq(first, rl_get_keymap(), &type);
		if (type == ISKMAP)
			(void)line_leave();
	}
	line.feed = key;
	line.starved = false;
	line.typing = false;
	while (line.feed.n > 0 && !line.starved) {
		rl_callback_read_char();
		line.has_cut |= is_cut(rl_last_func);
		line.typing = rl_last_func == rl_insert || rl_last_func == rl_rubout ||
			      rl_last_func == rl_delete || rl_last_func == rl_backward_kill_word ||
			      rl_last_func == rl_unix_word_rubout;
	}
	line.feed = STR("");
}

void line_insert(struct str text)
{
	AUTO(free) char *z = xstrndup(text.p, text.n);

	(void)line_leave();
	rl_begin_undo_group();
	(void)rl_insert_text(z);
	rl_end_undo_group();
	line.typing = false;
}

void line_replace(size_t from, size_t to, struct str by)
{
	AUTO(free) char *z = xstrndup(by.p, by.n);

	rl_begin_undo_group();
	rl_delete_text((int)from, (int)to);
	rl_point = (int)from;
	(void)rl_insert_text(z);
	rl_end_undo_group();
}

void line_move(size_t cursor)
{
	rl_point = (int)min_size(cursor, (size_t)rl_end);
}

bool line_leave(void)
{
	const unsigned long states = RL_STATE_ISEARCH | RL_STATE_NSEARCH | RL_STATE_NUMERICARG |
				     RL_STATE_MULTIKEY | RL_STATE_VIMOTION | RL_STATE_CHARSEARCH;
	bool busy = RL_ISSTATE(states) != 0;

	if (RL_ISSTATE(RL_STATE_NSEARCH)) { /* only its own end brings the line back */
		line.feed = STR("\a");
		rl_callback_read_char();
	}
	/* They nest (half a key in a search), and one call ends one of them. */
	for (int i = 0; i < 8 && RL_ISSTATE(states); i++)
		rl_callback_sigcleanup();
	RL_UNSETSTATE(states | RL_STATE_METANEXT);
	if (busy)
		rl_clear_message();
	return busy;
}

void line_reset(void)
{
	(void)line_leave();
	/* The line, and one that was left for an entry of the history. */
	if (forget_undo_of_history() || current_history()) {
		put_away(rl_undo_list); /* whose it is cannot be known */
		rl_undo_list = NULL;
	}
	rl_free_undo_list();
	using_history();
	(void)rl_maybe_unsave_line();
	put_away(rl_undo_list);
	rl_undo_list = NULL;
	rl_replace_line("", 0);
	rl_point = rl_mark = 0;
	line.has_cut = false;
	rl_callback_handler_install("", on_line);
}

bool line_wants_escape(void)
{
	return rl_editing_mode == 0 && rl_get_keymap() == rl_get_keymap_by_name("vi-insert");
}

bool line_binds(struct str key)
{
	AUTO(free) char *z = xstrndup(key.p, key.n);

	return bound(z, rl_get_keymap()) != NULL;
}

struct str line_text(void)
{
	return (struct str){ rl_line_buffer ? rl_line_buffer : "", (size_t)rl_end };
}

size_t line_cursor(void)
{
	return (size_t)rl_point;
}

const char *line_message(void)
{
	return rl_display_prompt && rl_display_prompt != rl_prompt && *rl_display_prompt
		       ? rl_display_prompt
		       : NULL;
}

bool line_was_typing(void)
{
	return line.typing;
}

char *line_take(void)
{
	char *text = MOVE(line.submitted);

	if (!text)
		return NULL;
	line.has_cut = false;
	if (line_history_wants(text)) {
		add_history(text);
		if (line.history_path)
			line_history_append(line.history_path, text);
	}
	using_history();
	return text;
}
