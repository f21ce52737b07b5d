/*
 * Inside of src/effects: shell text is run without running it.
 *
 *	struct run r = { .e = e, ... };
 *	run_text(&r, text)		run.c: the tree, in the order of its running
 *	run_call(&r, words, n)		call.c: one program with its words
 *
 * A value is the text that a program would get, with a control character wherever a part of it is
 * not known (enum mark), so that what is known around it still counts: "/tmp/" MARK_ANY lies in
 * /tmp.  Values go through variables, pipes, substitutions and files that the text itself writes.
 */
#pragma once

#include "effects/address.h"
#include "effects/effects.h"
#include "shell/shell.h"

/* Characters of a value that are not text.  A command that has them itself is opaque. */
enum mark {
	MARK_ANY = 1, /* some text; set by somebody, so hardly empty */
	MARK_STAR = 2, /* a glob's star */
	MARK_ONE = 3, /* a glob's ? or [...] */
	MARK_FIELD = 4, /* between the elements of an array */
	MARK_UNSET = 5, /* a variable that nothing sets: likely empty */
	MARK_FETCHED = 6, /* text that came from the network */
	MARK_SECRET = 7, /* the environment, a token, what a file of secrets holds */
	MARK_HIDDEN = 8, /* text that was encoded, and cannot be told */
	MARK_OPEN =
		14, /* { , } of brace expansions, and of a variable with one of several values */
	MARK_COMMA = 15,
	MARK_CLOSE = 16,
	MARK_CUT = 17, /* what followed was too long to keep */
	MARK_WHOLE = 18, /* next to MARK_SECRET: not one of them, but all of the environment */
};

#define ANY ((struct str){ "\1", 1 })
#define FETCHED ((struct str){ "\6", 1 })
#define SECRET ((struct str){ "\7", 1 })
#define ENVIRONMENT ((struct str){ "\7\22", 2 })
#define HIDDEN ((struct str){ "\10", 1 })
#define CUT ((struct str){ "\1\21", 2 })

static inline bool char_is_mark(char c)
{
	return (c > 0 && c <= MARK_HIDDEN) || (c >= MARK_OPEN && c <= MARK_WHOLE);
}

/* One of a list, the latest first.  Lists grow at their heads and share what is behind. */
struct binding {
	const struct binding *next;
	uint64_t names; /* a bit for each name from here on: of one without its bit there is none */
	struct str name, value; /* of a file its path and text */
	const struct sh_node *body; /* of a function */
	const struct sh_script *script; /* whose text it is part of */
};

/* A function or a script that runs, the innermost first. */
struct frame {
	const struct frame *by;
	const struct sh_node *body; /* NULL: a script */
	struct str text, args; /* of a script; for either */
};

struct text {
	char *p;
	size_t n, cap;
	struct str file; /* it is all of this file, which cannot be read */
};

struct trap;

enum { LINKS_SLOTS = 64 };

/* `exec > file`: what is written from there on. */
struct open_file {
	struct open_file *next;
	struct str path;
	const struct text *text;
	size_t kept; /* of it, so far */
};

/* What is among the files that a search prints. */
#define FOUND_SOURCES "sources" /* all of an ending that people write */
#define FOUND_ALL "all" /* the whole project, with .git */

/* What all texts of one judgement share. */
struct effects_state {
	const struct frame *frame; /* of the code that starts what is read next */
	const struct binding *files, *links, *mounts; /* that the text makes */
	const struct binding *looked[LINKS_SLOTS]; /* paths of the disk; without a value: no link */
	size_t nlooked, nmade;
	const struct effects_world *real; /* links.h */
	const struct binding *loaded; /* project.h */
	size_t nloaded;
	const struct binding *copies; /* of files of the disk, under their new names */
	struct str dir; /* of the file whose code runs; "" = the current one */
	const struct binding *programs; /* copies and links of programs, under other names */
	const struct binding *remotes; /* of Git that the text itself names */
	const struct binding *containers; /* that the text starts, by their names */
	const struct binding *clusters; /* of this machine, by their files of settings */
	const struct binding *settings; /* of Git that the text itself makes */
	const struct binding *fetched; /* directories that came from the network */
	const struct binding *descriptors; /* open files by number, which are written */
	const struct binding *found; /* values that a search prints: FOUND_... */
	struct open_file *open;
	bool led; /* a remote of Git, or a setting, is another one than before */
	unsigned chains; /* a && b, so far */
	const struct trap *traps; /* of all shells that have not ended, the innermost first */
	bool elements; /* arrays have some that are known by their keys */
	bool connected; /* to another machine */
	bool secrets; /* a file of secrets was sourced: the environment has them */
	size_t work; /* done so far */
	unsigned substitutions; /* <(...) and temporary files have names of their own */
	unsigned calls; /* functions inside of each other */
	unsigned trials; /* of what may be a command (presume.c) */
};

struct fields {
	struct str *p;
	size_t n, cap;
};

/* What is shown of what is read. */
enum shown { SHOWN_ALL, SHOWN_NAMES, SHOWN_NOTHING };

/* Where something runs; a subshell is a copy. */
struct run {
	struct effects *e;
	struct arena *a;
	const struct sh_script *script;
	struct str cwd; /* a value */
	const struct binding *vars, *functions, *aliases;
	const struct binding *attributes; /* of variables: what -n names; MARK_FIELD: it has keys */
	const struct frame *frame;
	struct str args; /* $1 $2 ..., by MARK_FIELD */
	struct str in; /* what standard input holds */
	bool has_in; /* it is known where that comes from */
	struct str in_file; /* it is all of this file, which cannot be read */
	struct text *out, *err; /* where standard output and errors go, or NULL */
	struct fields given_names, given_values; /* variables of code that is started: awk -v */
	bool many; /* in a pipeline or in the background */
	bool to_file; /* standard output is a file */
	bool captured; /* what it prints goes into a value, or to a login: it is not read */
	bool fish; /* the shell is fish */
	bool trapped; /* a trap runs it: the shell ends, and what it has started may end with it */
	const struct made *made; /* made.c */
	unsigned chain; /* of commands joined by && that it is in */
	bool stops; /* `set -e` */
	bool caught; /* a command that fails may be passed over here */
	bool outside; /* a program starts the next one: neither a function nor an alias */
	enum shown shown; /* by the last program */
};

static inline void run_input(struct run *r, struct str text)
{
	r->in = text;
	r->has_in = true;
	r->in_file = (struct str){ 0 };
}

struct call {
	const struct str *words;
	size_t n;
};

/* ---- run.c ---- */

void run_text(struct run *r, struct str text);
/* In a shell of its own: nothing that it sets lasts. */
void run_inner(struct run *r, struct str text);
/* What it prints. */
struct str run_captured(struct run *r, const struct sh_script *s);
/* It runs already, with the same arguments or again and again: it is not followed once more. */
bool run_repeats(struct run *r, const struct call *c, const struct frame *f);
/* The command of a function. */
bool run_function(struct run *r, const struct call *c);

/* ---- windows.c ---- */

/* Does a pipeline start a program of Windows? */
bool windows_runs(const struct sh_node *n, const struct sh_node *last);
/* Is a whole text PowerShell by its looks?  is_read: this shell could read it, too. */
bool windows_typed(struct str text, bool is_read);

/* ---- redirect.c ---- */

struct redirected {
	struct written {
		struct text *text; /* goes to the file, or NULL */
		struct str file; /* where it is kept */
		bool adds;
	} out, err;
};

void redirect(struct run *r, const struct sh_node *n, struct redirected *ret);
/* `lasts`: for all that follows. */
void redirected_done(struct run *r, const struct sh_node *n, const struct redirected *to,
		     bool lasts);

/* ---- evaluated.c: text that runs though no command says so ---- */

/* x[$(...)]: the name of an element is expanded. */
void run_subscripts(struct run *r, struct str text);
void run_arithmetic(struct run *r, struct str text);
void run_prompt(struct run *r, struct str text);
void run_assign(struct run *r, const struct sh_assign *as);
/* NAME or NAME[KEY], and what the shell makes of some of them. */
void variable_set(struct run *r, struct str name, struct str value);
/* What it refers to, or itself. */
struct str variable_name(struct run *r, struct str name);
bool variable_has_keys(struct run *r, struct str name);
bool element_find(struct run *r, struct str name, struct str key, struct str *ret_value);
/* Runs when the shell ends, with the variables of then. */
void trap_set(struct run *r, struct str text);
void traps_run(struct run *r, const struct trap *before);

/* ---- value.c ---- */

/* Bounds all work: false when it is used up, which is said. */
bool run_spend(struct run *r, size_t n);
bool value_known(struct str value);
bool value_has(struct str value, enum mark m);
/* Does a name fit a value with globs or unknown parts? */
bool value_fits(struct str value, struct str name);
/* A value without marks, as it is shown. */
struct str value_shown(struct arena *a, struct str value);
/* Written in another way: it cannot be told, but is as secret as it was. */
struct str value_changed(struct str value);
/* As $(...) leaves them out. */
struct str without_line_ends(struct str value);
void text_add(struct run *r, struct text *t, struct str s);
void text_addc(struct run *r, struct text *t, char c);
struct str text_join(struct run *r, const struct str *p, size_t n, char between);
static inline struct str text_str(const struct text *t)
{
	return (struct str){ t->p ? t->p : "", t->n };
}
void field_add(struct run *r, struct fields *to, struct str s);
/* The words of a call from one on. */
void fields_add(struct run *r, struct fields *to, const struct call *c, size_t from);
const struct binding *binding_find(const struct binding *b, struct str name);
/* The new head, which the caller goes on filling in. */
struct binding *binding_add(struct arena *a, const struct binding **list, struct str name);
void binding_set(struct run *r, const struct binding **list, struct str name, struct str value);
/* "a/b" of "a/b/c". */
struct str directory_of(struct str path);

/* ---- state.c ---- */

/* The same for bytes of values: what grows with each line would take the square of the text. */
void run_copied(struct run *r, size_t bytes);
/* What is printed. */
void run_emit(struct run *r, struct str text);
/* Unknown text, made of the input: what came from the network still does. */
void run_pass_on(struct run *r);
/* Files that the text writes; a path as it is written there. */
void file_set(struct run *r, struct str path, struct str text);
bool file_get(struct run *r, struct str path, struct str *ret_text);
/* All that will be written to a text is in the file. */
void file_opened(struct run *r, struct str path, const struct text *text);
/* All that is in a directory came from the network. */
void fetched_add(struct run *r, struct str dir);
bool is_fetched(struct run *r, struct str path);
/* The .git of a repository that was not there before, or of one in it. */
bool is_cloned(struct run *r, struct str path);
/* The same, or a file of the project. */
bool file_read(struct run *r, struct str path, struct str *ret_text);

/* A path from the current directory. */
struct str joined(struct run *r, struct str path);

/* ---- made.c: what the text itself has made, and may destroy again ---- */

enum made_kind {
	MADE_DATABASE,
	MADE_PORT,
	MADE_REMOTE,
	MADE_WORKTREE,
	MADE_CLUSTER,
	MADE_NAMESPACE
};

/* Kept only where what follows would not run if it had been there before. */
void made_add(struct run *r, enum made_kind kind, struct str name, struct str value);
/* Its value, or .p NULL. */
struct str made_find(struct run *r, enum made_kind kind, struct str name);
/* What a program makes with its words. */
void made_see(struct run *r, const struct call *c);
struct args;
/* PLACE_TEMP of a server or database that the text has made, which a client names. */
unsigned made_places(struct run *r, const struct args *a, struct str program, struct str database);
/* Are kubectl and its kin told to change a cluster, or a namespace, that the text has made? */
bool made_cluster(struct run *r, const struct args *a);

/* ---- expand.c ---- */

void expand_word(struct run *r, const struct sh_word *w, struct fields *to);
/* At blanks, or what IFS says. */
void split_value(struct run *r, struct str value, struct fields *to);
/* As in an assignment: one text. */
struct str expand_text(struct run *r, const struct sh_word *w);
/* The value of NAME. */
struct str variable(struct run *r, struct str name);
/* special_lists.c: a pattern of find or git as a value. */
struct str glob_value(struct run *r, struct str s);
/* special_print.c: \x72, \162, \n and their kin. */
struct str text_unescaped(struct run *r, struct str s, bool octal_zero);

/* ---- special_files.c ---- */

/* A file that is made of another one: a program under a new name is still that program. */
void copied(struct run *r, struct str from, struct str to);

/* ---- call_add.c ---- */

void call_add(struct run *r, const struct call *c, struct effect effect);
void call_path(struct run *r, const struct call *c, struct effect effect, struct str path);
/* A file that is emptied: what one of a list of them held is lost. */
void call_empties(struct run *r, const struct call *c, struct str path);
/* All variables are printed: names and values that do no harm, unless secrets were sourced. */
void call_environment(struct run *r, const struct call *c);
/* The program and its words, for people. */
struct str call_shown(struct run *r, const struct call *c);

/* ---- call.c ---- */

void run_call(struct run *r, const struct str *words, size_t n);
/* Where `which` finds a program. */
struct str program_place(struct run *r, struct str name);
/* Text that a shell is given: runs it when it is known, else says what it may be. */
void call_shell(struct run *r, const struct call *c, struct str text);
void call_code(struct run *r, const struct call *c, enum code_language lang, struct str code);
/* A file that is run as a program, or by one. */
void call_script(struct run *r, const struct call *c, enum code_language lang, struct str path);
/* What standard input holds is run. */
void call_input(struct run *r, const struct call *c, enum code_language lang);
/* "-", /dev/stdin: standard input. */
bool is_input_path(struct str path);
/* What the tables know of a script that a word names: python manage.py flush. */
void call_tables(struct run *r, const struct call *c, size_t from);
/* A program of the same words without the first ones. */
void call_rest(struct run *r, const struct call *c, size_t from);

/* ---- shown.c ---- */

/* What a program shows of what it reads; SHOWN_NAMES: of NAME=value the names. */
enum shown call_shows(struct run *r, const struct call *c);
/* Text that a program prints: a secret on the screen is read by whoever reads the screen. */
void shown_on_screen(struct run *r, const struct call *c, struct str text);
/* A filter has run: what it shows of its input is as secret as that was.  emitted: printed
 * before. */
void shown_passes(struct run *r, const struct call *c, size_t emitted);
/*
 * Takes back that secrets were read, from effect `before` on, when none of them is shown.  What
 * writes files keeps them, unless that effect is one of the last program itself: from `own` on.
 */
void shown_settle(struct run *r, enum shown shown, struct str source, size_t before, size_t own);

/* ---- presume.c, presume_code.c: what may be started by what no row says ---- */

/* All words of a program without rows; of one that has some, options that say that they start
 * something, and, if no row fits, what is behind -c and "--". */
void presume_words(struct run *r, const struct call *c, bool has_rows, bool fits);
/* A text, if it reads as a command; `sure`: it is one.  True when it does something grave. */
bool presume_text(struct run *r, const struct call *c, struct str text, bool sure);
/* The words of a list: "rm", "-rf", "/x". */
bool presume_list(struct run *r, const struct call *c, const struct fields *words, bool sure);
/* Code in a language that is not read; `known`: it surely is code. */
bool presume_code(struct run *r, const struct call *c, struct str code, bool known);
bool is_known_program(struct str word);
/* presume_verbs.c: "x delete --force", of which no row knows what it does.  `remote`: a client of
 * what runs elsewhere, where the verb alone says enough. */
void presume_verbs(struct run *r, const struct call *c, bool remote);

/* ---- presume_names.c ---- */

enum says { SAYS_NOTHING, SAYS_TEXT, SAYS_START };

/* "ProxyCommand" and --proxy-command have the parts "proxy" and "command". */
bool name_has_part(struct str name, const char *parts);
/* Of an option, or of what is in front of "="; `has_rows`: of a program that a table knows. */
enum says name_says(struct str name, bool has_rows);
/* A program that shows, searches, sends or checks text. */
bool takes_text(struct str name);

/* ---- args.c: the words of a call, read as options and operands ---- */

enum { OPTIONS_MAX = 4096 };

struct option {
	struct str name; /* "-f", "--force" as written, without a value */
	struct str value;
	bool has_value;
	size_t at; /* its word */
};

struct args {
	struct option *options;
	struct str *operands;
	size_t *at; /* the words of operands */
	size_t noptions, noperands, cap; /* cap: of options */
	size_t subcommands; /* operands that name one */
	size_t after; /* operands before "--"; SIZE_MAX without one */
	bool words; /* "-word" is one option */
};

/* `valued`: names of options that take a value, by blanks; a leading "=": -word is one option. */
void args_read(struct run *r, struct args *a, const struct call *c, const char *valued);
/* Those that the tables know of a program; a "?" at the end: only in the same word (-pSECRET). */
const char *program_valued(struct str name);
/* args_read() with them. */
void args_of(struct run *r, struct args *a, const struct call *c, struct str name);
/* One of "-f|--force"; abbreviations count. */
const struct option *args_option(const struct args *a, const char *names);

/* Does an option as written mean this name?  Long ones may be shortened. */
bool option_fits(const struct args *a, struct str written, struct str name);
/* Is one of the words behind the program among these, which blanks separate? */
bool call_has(const struct call *c, const char *words);
/* --help or --version: nothing else happens. */
bool args_ask_for_help(const struct args *a);

/* ---- programs.c ---- */

/*
 * One thing that a program does with certain words.
 *
 * pattern: the program, then in any order
 *	destroy			the next operand; alternatives by |, * for any text
 *	-f|--force		one of these options, bundled, shortened or with a value
 *	-X=DELETE		an option with a value that fits
 *	~+*			any operand that fits
 *	~<many>			any operand that is a pattern, a group, or not known
 *	~<unpackaged>		any operand that is no service or source that many machines have
 *	~<unknown>		any operand that is what something prints: a list, likely
 *	--			something behind "--"
 *	$			no operand behind those that it names
 *	!-n|--dry-run		not when one of these is there
 * target: "1.." all operands behind those that the pattern names, "1" one, "-1" the last, "..-1" all but the
 *	last, "-o|--output" the value of an option, "." the directory, "--" what is behind "--"; NULL
 * recursive, forced: options that make it so; recursive "*": it always is
 */
struct program_row {
	const char *pattern;
	enum effect_kind kind;
	const char *target, *recursive, *forced;
	unsigned places; /* besides those of the target */
};

/* Options of a program, or of a subcommand, that take a value. */
struct program_options {
	const char *name, *valued;
};

/* The tables of programs_*.c; the program itself only has packed_rows, made of them. */
struct program_rows {
	const struct program_row *p;
	size_t n;
};
extern const struct program_rows programs_files, programs_git, programs_containers, programs_cloud,
	programs_system, programs_network, programs_database, programs_packages, programs_agents;

/*
 * All of them, sorted by the name of the program, with places in packed_texts for texts (0: NULL):
 * made by tools/pack_programs.c.
 */
extern const struct packed_row {
	uint32_t pattern, target, recursive, forced, places;
	uint8_t kind;
	uint8_t table; /* programs_files is 0 */
	bool remote; /* of a table of what runs elsewhere */
} packed_rows[];
extern const size_t packed_rows_n;
extern const char packed_texts[];

/* The first word of a row's pattern. */
static inline struct str row_name(const char *pattern)
{
	return (struct str){ pattern, strcspn(pattern, " ") };
}

extern const struct program_options program_options[];
extern const size_t nprogram_options;

/* programs_code.c: statements and code that clients are given.  True when it knows the program. */
bool code_apply(struct run *r, const struct call *c, struct str name);
/* Its program that fits a value with globs, or "". */
bool code_knows(struct str name);
struct str code_find(struct str value);
/* What the tables say of a call.  True when they know the program. */
bool programs_apply(struct run *r, const struct call *c, struct str name);
/* Some table has rows of it. */
bool programs_know(struct str name);
/* It works on what runs elsewhere: a client of a cloud, a cluster, a registry. */
bool programs_are_remote(struct str name);
/* The names of all programs that fit a value with globs; the first, or "". */
struct str programs_find(struct str value);

/* ---- patterns.c ---- */

/* Do the words behind the program fit a pattern?  *ret_next: how many operands it names. */
bool args_fit(const struct args *a, struct str pattern, size_t *ret_next);
/* The values that a target names. */
void args_targets(struct run *r, const struct args *a, size_t next, const char *target,
		  struct fields *to);
/* A dry run or a plan. */
bool args_only_show(const struct args *a);

/* ---- special_*.c: programs that take more than a row ---- */

/* special_network.c: what the commands of sftp and its kin send. */
bool run_transfer(struct run *r, const struct call *c);
/* True: all is said, the tables are not asked. */
typedef bool special_fn(struct run *r, const struct call *c);
struct special {
	const char *names; /* by blanks */
	special_fn *run;
};
extern const struct special special_agents[], special_containers[], special_editors[],
	special_files[], special_filters[], special_lists[], special_print[], special_read[],
	special_git[], special_interpreters[], special_json[], special_later[], special_launch[],
	special_mount[], special_network[], special_options[], special_patch[], special_project[],
	special_shell[];
/* What `git apply` and `git am` write; a has the words behind git. */
void git_patch(struct run *r, const struct call *c, const struct args *a);
/* gh repo clone OWNER/NAME [FOLDER] [-- OPTIONS OF GIT]: which folder is new; always false. */
bool repository_clone(struct run *r, const struct call *c);
special_fn *special_find(struct str name);
/* special_agents.c: of an agent, whether its environment leads away from its hooks. */
bool agent_run(struct run *r, const struct call *c);
/* special_options.c: options of a program whose value is a command. */
void options_run(struct run *r, const struct call *c);
/* Those of wrappers and interpreters, which have tables of their own. */
special_fn *wrapper_special(struct str name);
void wrappers_each(void (*each)(const char *names, special_fn *run));
void interpreters_each(void (*each)(const char *names, special_fn *run));
/* special_wrappers.c: a shell that waits for what is typed. */
void call_prompt(struct run *r, const struct call *c);
