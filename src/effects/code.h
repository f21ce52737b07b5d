/*
 * What the readers of code (code_*.c) share: a tolerant lexer, values that are known as far as
 * possible, a reader of expressions, and tables of functions with what they do.
 *
 * A script is read from top to bottom, once.  Names are followed through imports and assignments,
 * text is joined and decoded, and a call of a function that a table knows becomes an effect.
 * Functions that the code defines are read where they are called; those that it does not call are
 * read at the end, with unknown arguments.
 */
#pragma once

#include "base/buf.h"
#include "base/words.h"
#include "effects/effects.h"

enum { CODE_TEXT_MAX = 256 << 10, CODE_NESTING_MAX = 48, CODE_ITEMS_MAX = 4096 };
enum {
	CODE_ALTERNATIVES_MAX = 8,
	CODE_ELEMENTS_MAX = 64,
	CODE_ARGS_MAX = 16,
	CODE_LOOP_MAX = 16, /* items that are gone through one by one */
	CODE_TIMES_MAX = 1000000, /* how often a loop does the same, as far as it is counted */
	CODE_VALUE_MAX = 64 << 10
};

/* ---- tokens: code_lex.c ---- */

/* How a language is written. */
enum code_syntax {
	SYNTAX_HASH = 1 << 0, /* comments: # */
	SYNTAX_SLASHES = 1 << 1, /* // and, between slashes and stars, several lines */
	SYNTAX_DASHES = 1 << 2, /* -- and --[[ ]] */
	SYNTAX_TRIPLE = 1 << 3, /* three quotes */
	SYNTAX_TEMPLATE = 1 << 4, /* backquotes: text with ${} */
	SYNTAX_BACKQUOTE = 1 << 5, /* backquotes: a command */
	SYNTAX_RAW_SINGLE = 1 << 6, /* '...': only \\ and \' are escapes */
	SYNTAX_REGEX = 1 << 7, /* / / where an operand may begin */
	SYNTAX_HEREDOC = 1 << 8, /* <<X, <<"X", <<~X; <<<X */
	SYNTAX_SIGILS = 1 << 9, /* $x @x %x */
	SYNTAX_PERL_QUOTES = 1 << 10, /* q qq qw qx m s tr y */
	SYNTAX_PERCENT = 1 << 11, /* %w() %q() %x() */
	SYNTAX_LONG_BRACKETS = 1 << 12, /* [[ ]] */
	SYNTAX_LINES = 1 << 13, /* a statement ends where its line ends */
	SYNTAX_INDENT = 1 << 14, /* blocks are indented */
	SYNTAX_END = 1 << 15, /* blocks end with "end" */
	SYNTAX_DOT_JOINS = 1 << 16, /* "." joins text */
	SYNTAX_BARE_CALLS =
		1 << 17, /* calls without parentheses: every name, not only known ones */
	SYNTAX_KNOWN_BARE_CALLS = 1 << 18,
	SYNTAX_INTERPOLATES = 1 << 19, /* "..." has #{} or $x, after its sigils */
	SYNTAX_ADJACENT_JOINS = 1 << 20, /* two operands next to each other are joined */
};

enum code_token_kind {
	TOKEN_END,
	TOKEN_NAME, /* with its sigil */
	TOKEN_NUMBER,
	TOKEN_TEXT,
	TOKEN_COMMAND, /* text for the shell: backquotes, qx */
	TOKEN_WORDS, /* qw, %w */
	TOKEN_REGEX,
	TOKEN_OPERATOR,
};

enum code_escapes { ESCAPES_NONE, ESCAPES_SINGLE, ESCAPES_C };
enum code_parts {
	PARTS_NONE,
	PARTS_BRACES,
	PARTS_DOLLAR_BRACES,
	PARTS_HASH_BRACES,
	PARTS_SIGILS,
	PARTS_DOLLARS, /* $x, $(x) */
	PARTS_NAMES, /* ${x}, $x, {x}, \(x), where x is a variable */
};

struct code_token {
	unsigned char kind, escapes, parts;
	bool line; /* a new line begins here, and no bracket is open where that counts */
	bool space; /* white space is in front */
	unsigned indent; /* of its line */
	unsigned at, end; /* in the text */
	unsigned match; /* of an opening bracket or block: where it is closed; else 0 */
	unsigned loop; /* of an opening bracket: the "for" in it, or 0 */
	struct str text; /* a name, an operator; what quotes enclose, as it is written */
};

struct code_function;

struct code_grammar {
	enum code_language language;
	unsigned syntax; /* enum code_syntax */
	const struct code_function *functions; /* up to one without names */
	const char *const *openers; /* SYNTAX_END: what "end" closes */
};

struct code_tokens {
	struct arena *arena;
	struct code_token *p; /* the last one is a TOKEN_END */
	unsigned n, cap;
	struct str text;
};

void code_lex(struct code_tokens *t, const struct code_grammar *g, struct effects *e,
	      struct str text);
/* code_types.c: without the types of TypeScript; brackets do not match yet. */
void code_untype(struct code_tokens *t);

/* ---- values: code_value.c ---- */

enum code_value_kind {
	VALUE_UNKNOWN,
	VALUE_TEXT, /* an unknown part is a CODE_GAP */
	VALUE_LIST,
	VALUE_NAME, /* what a name means that has no value: a module, a function, a class */
	VALUE_FUNCTION, /* that the code defines */
	VALUE_CLASS, /* its items are the names of its fields: calling it gives a list with keys */
};

#define CODE_GAP '\1'

enum code_value_flags {
	VALUE_FETCHED = 1 << 0, /* it came from the network */
	VALUE_SECRET = 1 << 1,
	VALUE_RECURSIVE = 1 << 2, /* a walk through all folders */
	VALUE_ANY = 1 << 3, /* a list: one of these */
	VALUE_WALKED = 1 << 4, /* a glob means what a folder holds */
	VALUE_CHOSEN = 1 << 5, /* ... and a condition chooses among it */
	VALUE_NUMBER = 1 << 6,
	VALUE_SHELL = 1 << 7, /* the name of a shell */
	VALUE_PRIVATE = 1 << 8, /* what a database has about people, files of the home directory */
	VALUE_HIDDEN = 1 << 10, /* packed, encrypted or encoded */
	VALUE_KEY = 1 << 11, /* a password or token of the environment */
	VALUE_TRIED = 1 << 9, /* one password or address after another */
	VALUE_REMOTE = 1 << 12, /* a client of a service elsewhere, or what that gives */
	VALUE_HERE = 1 << 13, /* the same of a service of this machine */
	VALUE_MANY = 1 << 14, /* a list: there are more like these */
	VALUE_ITEM = 1 << 15, /* one text of n, of a list that a loop goes through */
	VALUE_TYPED = 1 << 16, /* a password that somebody has typed into a page */
	VALUE_KEPT = 1 << 17, /* what a service keeps for somebody: one thing or many */
	VALUE_ITSELF = 1 << 18, /* VALUE_KEY: it, or text with it; nothing derived from it */
};
enum {
	VALUE_CLIENT = VALUE_REMOTE | VALUE_HERE,
	VALUE_TAINTS = VALUE_FETCHED | VALUE_SECRET | VALUE_PRIVATE | VALUE_TRIED | VALUE_HIDDEN |
		       VALUE_KEY | VALUE_CLIENT | VALUE_TYPED
};

struct code_value {
	enum code_value_kind kind;
	unsigned flags;
	unsigned n; /* of items; of a function its number */
	struct str text;
	struct str type; /* the name of VALUE_NAME; of what the others are objects: "file" */
	struct str key; /* of an item */
	struct code_value *items;
};

static inline struct code_value value_unknown(unsigned flags)
{
	return (struct code_value){ .flags = flags & VALUE_TAINTS };
}

static inline struct code_value value_text(struct str text)
{
	return (struct code_value){ .kind = VALUE_TEXT, .text = text };
}

static inline struct code_value value_name(struct str name)
{
	return (struct code_value){ .kind = VALUE_NAME, .type = name };
}

struct code_value value_number(struct arena *a, int64_t n);
bool value_int(const struct code_value *v, int64_t *ret);
/* A number, and at most CODE_LOOP_MAX: 1..4, range(4). */
bool value_is_few(const struct code_value *v);
struct code_value value_list(struct arena *a, const struct code_value *items, size_t n);
/* As the code has it: of passwords that people choose, one after another is tried. */
struct code_value value_literal(struct arena *a, const struct code_value *items, size_t n);
/* With taints, as are its items, so many lists deep. */
struct code_value value_with(struct arena *a, struct code_value v, unsigned taints, unsigned depth);
/* Either of them. */
struct code_value value_either(struct arena *a, struct code_value x, struct code_value y);
/* The i-th; negative from the end. */
struct code_value value_item(const struct code_value *list, int64_t i);
const struct code_value *value_member(const struct code_value *list, struct str key);
/* The same of each alternative; false: none has it. */
bool value_attribute(struct arena *a, const struct code_value *of, struct str key,
		     struct code_value *ret);
/* The i-th of each alternative. */
struct code_value value_part(struct arena *a, const struct code_value *of, unsigned i);
/* [key, value] of each item. */
struct code_value value_pairs(struct arena *a, const struct code_value *of);
/* The keys of a list with keys; any other as it is. */
struct code_value value_keys(struct arena *a, const struct code_value *of);
/* The values of a list with keys. */
struct code_value value_values(struct arena *a, const struct code_value *of);
/* What a loop over it gives. */
struct code_value value_element(struct arena *a, const struct code_value *v);
/* Text after text; a list of alternatives gives one. */
struct code_value value_join(struct arena *a, struct code_value x, struct str between,
			     struct code_value y);
/* The items of a list with something between. */
struct code_value value_join_all(struct arena *a, struct code_value list, struct str between);
/* A path in a folder. */
struct code_value value_path(struct arena *a, struct code_value dir, struct code_value name);
/* One text, gaps included; an unknown value is a gap. */
struct str value_flat(struct arena *a, const struct code_value *v);
/* The host of an address (or of NULL): empty where a part of it is unknown. */
struct str value_host(const struct code_value *v);
bool value_is_known(const struct code_value *v);
/* How many functions it may be, and which; 0: it may be something else. */
unsigned value_functions(const struct code_value *v);
const struct code_value *value_function(const struct code_value *v, unsigned i);

bool code_unbase64(struct arena *a, struct str s, struct str *ret);
bool code_unhex(struct arena *a, struct str s, struct str *ret);
struct str code_unescape(struct arena *a, struct str s, enum code_escapes e);

/* ---- functions: a table for each language ---- */

enum code_act {
	/* Effects. */
	ACT_SHELL, /* text for the shell; FN_OTHER: of another machine; DEFAULT: its type */
	/*
	 * A program and its words, in a list or as arguments.  FN_OTHER: its name twice;
	 * FN_DEFAULT: the row's type and the function's own name come first.
	 */
	ACT_ARGV,
	ACT_SHELL_OR_ARGV, /* text: the shell; a list, or with more arguments: a program */
	ACT_DELETE,
	ACT_READ, /* gives what the file holds */
	ACT_WRITE, /* FN_OTHER: to a file that is open */
	ACT_OVERWRITE, /* the file is the argument, what is written the next one */
	/* An archive, the object, into a folder; FN_OTHER: the argument, into the next. */
	ACT_EXTRACT,
	ACT_OPEN, /* the mode is the next argument; gives a file; FN_OTHER: as Perl does;
		  * FN_KEYED: it is made anew */
	ACT_MOVE,
	ACT_COPY,
	ACT_LINK, /* a link to the argument is the next one; FN_OTHER: is the object */
	ACT_PERMISSIONS,
	ACT_SEND, /* FN_OTHER: the method is DELETE; FN_KEYED: the arguments are files */
	ACT_MAIL, /* the same: to whoever is written to; one after another is an attack */
	ACT_ATTACK, /* FN_OTHER: on whoever has the address in the argument */
	ACT_LOOKUP, /* asks for a name: what it holds is sent */
	ACT_FETCH, /* gives what is fetched; FN_OTHER: a handle with what is sent, too */
	ACT_FETCH_FILE, /* to a file, the next argument */
	ACT_REQUEST, /* the method is an argument or a member */
	ACT_CONNECT, /* FN_OTHER: without an address, to this machine */
	ACT_KILL,
	ACT_FORK, /* FN_DEFAULT: the type runs the argument, a script */
	ACT_EVAL, /* text in the same language; FN_OTHER: again and again */
	ACT_JAVASCRIPT,
	ACT_SQL,
	/* Data is dropped; FN_KEYED: unless it is chosen, FN_RECURSIVE: with force or truncate. */
	ACT_DATABASE,
	/* What runs elsewhere is destroyed; FN_KEYED: if a flag says that it is deleted. */
	ACT_CLOUD,
	/*
	 * What is typed, said, shown or sent by others is read.  FN_OTHER: not of this machine's
	 * own traffic; FN_KEYED: if the argument is a device.  A type: if the text names it.
	 */
	ACT_LISTEN,
	ACT_SERVE, /* files of the folder; the address is the argument; FN_KEYED: the folder */
	ACT_CONTAINER, /* one is run: what docker's command line would do */
	ACT_OPAQUE,
	/* Runs what cannot be looked at, or is in a file; FN_KEYED: unless a safe loader does;
	 * FN_OTHER: what a registry of models brings with the model, if that is trusted. */
	ACT_UNSEEN,
	ACT_SHUTDOWN,
	ACT_PERSIST,
	ACT_PRIVILEGES,
	ACT_CHDIR,
	/* The type is a command line: %0 the first argument, quoted; %s the object; FN_OTHER: of
	 * another machine; FN_KEYED: if an argument forces it. */
	ACT_COMMAND,
	ACT_TELL, /* to a shell that was started, for its input; FN_OTHER: that is all */
	ACT_SHOW, /* prints all arguments: of secrets, the environment as a whole and keys of it */
	/* Values. */
	GIVES_SELF, /* FN_OTHER: a block in braces may follow */
	/* FN_OTHER: as text, so that a name is none any more; FN_KEYED: names of the environment;
	 * FN_ALL: a list with keys, when all are named */
	GIVES_ARG,
	GIVES_UNKNOWN,
	GIVES_OBJECT, /* of the type that the row names; its text is the arguments as a path */
	GIVES_PATH, /* all arguments joined */
	GIVES_JOINED, /* the object's text between the items of the argument */
	GIVES_JOINED_BY, /* the object's items with the argument between; FN_OTHER: arguments */
	GIVES_CONCAT, /* FN_OTHER: with blanks between */
	GIVES_PIPELINE, /* commands, and what the first is given */
	/* FN_OTHER: whatever HOME says; FN_ALL: in the list that getpwnam() gives; FN_KEYED: the
	 * type is a folder there. */
	GIVES_HOME,
	GIVES_CWD,
	GIVES_TEMP,
	GIVES_EXPANDED, /* ~ and $x */
	GIVES_ENV,
	GIVES_BASE64,
	GIVES_HEX,
	GIVES_PACKED, /* the argument, packed */
	GIVES_MEMORY, /* a piece of it, if the argument is a number that makes it big */
	GIVES_UNPACKED, /* what the argument hides: FN_OTHER: or the object, with a key */
	GIVES_DECODED, /* as the next argument says: base64, hex, rot13; numbers are characters */
	GIVES_ROT13,
	GIVES_REVERSED,
	GIVES_CHARS, /* chr(), fromCharCode() */
	GIVES_CODE, /* ord(), charCodeAt(0) */
	GIVES_REPLACED,
	GIVES_SPLIT,
	GIVES_LINES,
	GIVES_PARENT,
	GIVES_NAME, /* the last part of a path */
	GIVES_LISTING, /* names of what is in a folder */
	GIVES_ENTRIES, /* paths of what is in a folder */
	GIVES_WALK, /* (folder, folders, files) */
	GIVES_GLOB,
	GIVES_GLOB_BELOW, /* the object is a folder; its argument a pattern there */
	GIVES_MODULE,
	GIVES_ATTRIBUTE,
	/*
	 * A function made of another: type "call": the argument with those behind it
	 * (FN_OTHER: without the first of them); "method", "member": the one that the argument
	 * names, of what that function is given.
	 */
	GIVES_BOUND,
	GIVES_MEMBER, /* of the object, by its key; the next argument is its default */
	GIVES_MATCHED, /* what the argument, a pattern, finds in the object or the next argument */
	GIVES_JSON, /* what the text means */
	GIVES_CHOSEN, /* filter, select, grep */
	GIVES_LOWER,
	/* FN_OTHER: the first argument, not the object, is the pattern; FN_KEYED: $x in it */
	GIVES_FORMAT,
	GIVES_SPRINTF,
	GIVES_ITEMS,
	/* A list of the arguments; FN_OTHER: one without any; FN_KEYED: the argument, or one
	 * without any; FN_RECURSIVE: keys and values in turn. */
	GIVES_ITEMS_OF,
	GIVES_PAIRS, /* [key, value] of each item */
	GIVES_KEYS,
	GIVES_VALUES, /* of a list with keys */
	GIVES_CHAINED, /* the items of all arguments, one list after another */
	GIVES_PRODUCT, /* of lists: each item with each; many are tried one after another */
	GIVES_FIELD, /* default=x, default_factory=f */
	GIVES_APPENDED, /* the object is longer from now on; FN_OTHER: the first argument */
	GIVES_VIEW, /* what is given to it, the variable that is the first argument has */
	/* The variable that is the first argument holds what the others are; FN_OTHER: the
	 * object does. */
	GIVES_HELD,
	GIVES_SETTLED, /* a promise is settled with the argument */
	GIVES_FIELDS, /* a class whose fields are the arguments */
	GIVES_OPTION, /* an option of the command line, with its default */
	GIVES_OPTIONS, /* all of them; FN_KEYED: what the argument "default" says */
	GIVES_INPUT, /* standard input; FN_OTHER: a line of it; given a handle, only of that one */
	/* A function is replaced from there on; FN_ALL: a module; FN_DEFAULT: the type;
	 * FN_OTHER: the variable that is the argument is a stand-in for a client. */
	GIVES_MOCK,
	/* A variable of the environment, the argument, is the next one from there on; FN_ALL: all
	 * that the arguments name, in a list or by keys. */
	GIVES_EXPORTED,
	GIVES_NAMED, /* define_method(:x) { ... }: the argument is a function's name */
	GIVES_SPY, /* an object that may replace one; FN_OTHER: it does */
	GIVES_FACT, /* something about it that does not tell what it is: its length */
	GIVES_SECRET, /* FN_ALL: without end, it is listened to; FN_KEYED: if a flag says so */
	GIVES_TRIED, /* one after another */
	GIVES_FETCHED, /* what another machine sends */
	GIVES_SHIFT,
	GIVES_REST, /* what begins at the next argument */
	/* The row's type is the value; FN_OTHER: a path where the script is, without a call;
	 * FN_DEFAULT: a name; FN_ALL: the only item of a list; FN_RECURSIVE: unless there is an
	 * argument, which is it. */
	GIVES_CONST,
	CALLS_WITH_SELF, /* .then(f) */
	/* .forEach(f); FN_OTHER: gives what f gives; FN_KEYED: .reduce(f, first), from the end
	 * with FN_ALL */
	CALLS_WITH_ITEMS,
	CALLS_PROMISE, /* gives what its function settles it with */
	CALLS_INPUT, /* on("data", f): with standard input, or what another machine sends */
	CALLS_SERVER, /* createServer(f): with what another machine sends */
	/*
	 * map(f, list), call(f, x); FN_OTHER: the list comes first; FN_ALL: what is in it, or the
	 * list itself, are the arguments
	 */
	CALLS_ARG,
	CALLS_WALK, /* find(f, folder) */
	CALLS_FOREVER, /* loop { } */
};

enum { ARG_SELF = -1 };

enum code_function_flags {
	FN_RECURSIVE = 1 << 0,
	FN_ALL = 1 << 1, /* all arguments from there on */
	FN_KEYED = 1 << 2, /* recursive: true, or shell=True, decides */
	FN_APPEND = 1 << 3,
	FN_DEFAULT = 1 << 4, /* without arguments: $_ */
	FN_TEXT_ONLY = 1 << 5, /* what is no known text is no code */
	FN_NEVER_BARE = 1 << 6,
	FN_OTHER = 1 << 7, /* see the act */
};

struct code_function {
	const char *names; /* "os.remove|unlink"; ".unlink" = of any object */
	unsigned char act;
	signed char arg;
	unsigned char flags;
	const char *type; /* of the result */
};

/* Of Git, and with "-x" behind it what is in it: the text is its folder. */
#define TYPE_REPOSITORY "git"
#define TYPE_MEMORY "memory" /* a big piece of it */
enum { CODE_MEMORY_BIG = 1000000 };

static inline struct code_value code_memory(void)
{
	return (struct code_value){ .type = STR(TYPE_MEMORY) };
}

extern const struct code_grammar code_python, code_javascript, code_perl, code_ruby, code_php,
	code_lua, code_awk, code_mongo, code_compiled, code_r, code_julia;

/* ---- reading: code_reader.h says which file reads what ---- */

struct code_variable {
	struct str name;
	struct code_value value;
	unsigned level, block; /* where it was assigned */
	unsigned born; /* the block where it was assigned first */
};

struct code_arg {
	struct str key;
	struct code_value value;
};

/* A function that is made of another, or of a method. */
struct code_bound {
	struct code_value of; /* what is called, or whose method */
	struct str name; /* of the method or member; "" = `of` itself is called */
	bool of_argument; /* the object is the first argument */
	bool member; /* no call: what is in the object */
	struct code_arg *given; /* come before other arguments */
	unsigned ngiven;
};

struct code_defined {
	const struct code_token *t; /* its tokens: parameters and body are in there */
	struct str text;
	unsigned params, nparams_end, body, end;
	struct str name;
	struct str self; /* what its object is called: Go's receiver */
	struct str mocks[4]; /* that its decorators replace */
	unsigned nmocks;
	struct str class; /* the one that it is in, as far as that is known */
	const struct code_bound *bound; /* or NULL; it has no text of its own then */
	/* What the function that has made this one was given, and had then. */
	struct code_variable *captured;
	unsigned ncaptured;
	bool called, running, expression, types_first, property, decorated, routed, registered;
};

/* A class of the text, and those of them that it is made from. */
struct code_class {
	struct str name, bases[3];
	unsigned nbases;
};

struct code_args {
	struct code_arg p[CODE_ARGS_MAX];
	unsigned n;
	struct str of; /* the variable whose method is called */
	bool more; /* than are kept */
	unsigned at, end; /* of the whole call, in the text */
};

/* A name that the tables were searched for, and what was there. */
struct code_found {
	struct str name;
	bool method;
	const struct code_function *row; /* NULL = nothing */
};

/* A variable of the environment that the code has set. */
struct code_setting {
	struct str name, value;
	unsigned level; /* where: it counts up to the end of the block */
	bool known;
};

enum { CODE_FOUND = 256 };
#define CODE_NO_END (~0u)

/* A file whose text came from the network, or is secret. */
struct code_written {
	struct str path;
	unsigned taints;
};

struct code {
	struct effects *e;
	const struct code_grammar *g;
	struct str words;
	struct str text; /* what t is about */
	const struct code_token *t;
	unsigned i, end;
	/* Names. */
	struct code_variable *vars;
	unsigned nvars, capvars; /* a hash table */
	struct code_defined *fns;
	unsigned nfns, capfns;
	struct code_class *classes;
	unsigned nclasses, capclasses;
	struct code_found *found; /* CODE_FOUND of them, by hash */
	struct str stars[4]; /* modules of which all names were imported */
	unsigned nstars;
	struct str class; /* the last one that began */
	/* Where it is. */
	unsigned nesting, level, base, block, budget;
	unsigned calls; /* functions of the code that are being read */
	unsigned loop, round; /* the blocks where a loop began, and this round of it; or 0 */
	const struct code_token *plain; /* no modifier of a statement precedes it */
	bool uncalled, statement, in_print;
	unsigned starts; /* of processes that go on */
	bool again; /* an interval calls it */
	bool forever; /* in a loop without end that waits for nothing */
	bool hammers; /* ... but for what another machine answers */
	bool endless; /* ... whether it waits or not */
	bool fills; /* ... and is never left: it may pause */
	unsigned times; /* how often loops around do the same without a pause */
	bool bare; /* in arguments without parentheses, which "and" and "or" end */
	struct code_value returned, last;
	const struct code_value *piped; /* what the next call is given first */
	struct code_value settled; /* what the promise that is being made becomes */
	struct str lvalue; /* the name of what was read last, "" = it has none */
	struct str holder, holder_key; /* x and k of an x[k] that was read last, or "" */
	struct str of; /* of the object whose method is called next */
	unsigned loop_level; /* in a loop over what is not known, from here on down; 0 = in none */
	unsigned loop_end; /* the token where it ends; of another text or function: none */
	unsigned chosen_level; /* a condition chooses from here on down; 0 = none does */
	struct str chosen_suffix;
	/* What has been seen. */
	struct code_written written[8];
	unsigned nwritten;
	struct str peer;
	bool connected, shell; /* a connection, a shell that reads what it is told */
	unsigned archived; /* the taints of what is in archives */
	struct str mocks[8]; /* functions that a test replaces here; "x.": a module */
	unsigned nmocks;
	unsigned mocks_before; /* how many there were before decorators */
	struct code_value decorators[4]; /* @x: takes the next function */
	unsigned ndecorators;
	bool routes; /* @app.get("/x"): requests reach the next function */
	bool registers; /* @x: a function of the code itself takes the next one */
	bool decorates; /* @x: what it replaces, the next function does without */
	bool watches_sought; /* once: names of what watches over the machine */
	bool simulated; /* clouds are, by a test */
	bool containers; /* a test has started some */
	const struct code_token *clients_sought; /* once: the tokens of a text */
	bool clients_made; /* ... which makes clients of the application itself */
	struct str endpoint; /* of AWS: where what follows is sent instead; or "" */
	bool cluster_here; /* of Kubernetes: settings of one of this machine were loaded */
	bool unverified; /* nobody checks who is at the other end of a connection */
	struct str keyed; /* a module that was given a key: its functions ask a service */
	bool sdk; /* all names of an SDK's module were imported */
	bool emulated; /* the database is, which a test has connected to */
	bool elsewhere; /* another one is none of these */
	bool names_told,
		secret_used; /* of a file of secrets: names are taken, more than names is used */
	bool serves; /* a class answers with files */
	bool handles; /* a class answers requests: what they bring is in its objects */
	struct code_value output; /* of the command that ran last */
	struct str told; /* what a shell is told to run, so far */
	struct str program; /* an object is told to start it */
	bool program_ran;
	struct code_value options; /* of the command line: their defaults */
	struct code_setting environ[8]; /* code_environ.c */
	unsigned nenviron;
	const struct code_value *child; /* the environment of a program that is started, or NULL */
};

/* A whole text of a language with a grammar. */
void code_read(struct effects *e, const struct code_grammar *g, struct str text, struct str words);
void code_run(struct code *c);
/* Other code in the same language, with the names of this one. */
void code_run_text(struct code *c, struct str text);
/* Whether no deeper level is to be read; what is left out counts as not judged. */
bool code_too_deep(struct code *c);
struct code_value code_expression(struct code *c);
struct code_value code_assignable(struct code *c, int lowest);
/* The arguments up to a closing bracket, or to the end of a call without. */
void code_arguments(struct code *c, struct code_args *args, const char *closer);
struct code_value code_call(struct code *c, struct code_value function, struct code_value *self,
			    struct code_args *args);
/* A function that is defined in a block keeps what that was given. */
void code_capture_around(struct code *c, const struct code_value *f);
struct code_value code_call_defined(struct code *c, const struct code_value *f,
				    const struct code_value *args, size_t n);
const struct code_function *code_function_find(const struct code *c, struct str name, bool method);
struct code_value code_act(struct code *c, const struct code_function *f, struct code_value *self,
			   struct code_args *args);
/* Reads a literal or a block of parameters and body as a function; the cursor is at its start. */
struct code_value code_define(struct code *c, struct str name, unsigned params, unsigned params_end,
			      unsigned body, unsigned end, bool expression);

struct code_value *code_variable(struct code *c, struct str name);
void code_assign(struct code *c, struct str name, struct code_value v);
/* Without regard to what it was. */
void code_set(struct code *c, struct str name, struct code_value v);
/* An object that is given something has it from then on. */
void code_hold(struct code *c, struct str name, unsigned taints);
/* name[key] = v; key "" = it is not known. */
void code_put(struct code *c, struct str name, struct str key, struct code_value v);
/* A module by the name that it is required by. */
struct str code_module(struct str name);
/* Does the text have one of these names anywhere? */
bool code_has_name(const struct code *c, const char *names);
void code_bind(struct code *c, unsigned from, unsigned to, struct code_value v);
/* {a, b: c}, {a as b}: the cursor is at "{". */
void code_bind_members(struct code *c, struct code_value of);
struct code_value code_text_value(struct code *c, const struct code_token *t);
void code_shell(struct code *c, const struct code_value *text);
void code_piped(struct code *c, const struct code_value *text, struct str command);
/* The folder that a path is in. */
struct str code_parent(struct str path);
/* ~ and ~/x */
struct code_value code_home_expanded(const struct code *c, struct code_value v);
/* "%s/%s" % (x, y), and what sprintf() gives of a list. */
struct code_value code_percent(struct code *c, struct code_value format, struct code_value arg);
/* What a shell has been told runs. */
void code_told(struct code *c);
/* ---- code_bound.c ---- */

struct code_value code_bind_function(struct code *c, struct code_bound bound);
struct code_value code_call_bound(struct code *c, const struct code_bound *b,
				  const struct code_args *args);
struct code_value code_call_method(struct code *c, struct code_value self, struct str name,
				   struct code_args *args);
/* Does an object that is not known have a method of that name which does something? */
bool code_is_method(struct code *c, const struct code_value *of, struct str name);
/* getattr(of, name): a member, what a name means, or a method that is called later. */
struct code_value code_attribute(struct code *c, const struct code_value *of,
				 const struct code_value *name);

/* What a loop of Python or Object.keys() gives: names where it has some. */
struct code_value code_walked_keys(struct code *c, const struct code_value *of);
/* Which files a command lists: git ls-files, find, ls; unknown when it is none of them. */
struct code_value code_listed(const struct code *c, struct str command);

/* Languages of their own kind. */
void code_read_sql(struct effects *e, struct str text, struct str words);
void code_read_redis(struct effects *e, struct str text, struct str words);
/* What the targets of a make command run: `words` is the command. */
void code_read_make(struct effects *e, struct str text, struct str words);
void code_read_powershell(struct effects *e, struct str text, struct str words);
void code_read_powershell_encoded(struct effects *e, struct str text, struct str words);

/* ---- code_environ.c ---- */

void code_environ_set(struct code *c, struct str name, const struct code_value *v);
/* The items that have keys. */
void code_environ_set_all(struct code *c, const struct code_value *items);
bool code_environ_find(const struct code *c, struct str name, struct str *ret_value);
/* A block has ended. */
void code_environ_leave(struct code *c);
/* A function has ended, which was called at that level. */
void code_environ_return(struct code *c, unsigned level);
/* What HOME says, for what asks it. */
struct str code_home(const struct code *c);
/* For a shell: what programs that the code starts find in their environment. */
struct str code_environ_exports(const struct code *c);

/* ---- what it is given: code_given.c ---- */

void code_given(struct code *c);
/* Standard input: all of it, or one of its lines. */
struct code_value code_input(const struct code *c, bool lines);
/* A name or path that means standard input. */
bool code_is_input(struct str name);
bool code_environment(const struct code *c, struct str name, struct str *ret_value);
struct code_value code_field(const struct code *c, const struct code_value *index);

/* Behind the end comes one more, and so on; how many tokens around one may be looked at. */
enum { CODE_AROUND_MAX = 8 };

static inline const struct code_token *code_at(const struct code *c, unsigned ahead)
{
	/* In the middle: whoever looks around it finds no other. */
	static const struct code_token ends[] = {
		[0 ... 2 * CODE_AROUND_MAX] = { .kind = TOKEN_END, .line = true },
	};
	unsigned i = c->i + ahead;

	return i < c->end ? &c->t[i] : &ends[CODE_AROUND_MAX];
}

static inline bool token_is(const struct code_token *t, const char *text)
{
	return (t->kind == TOKEN_OPERATOR || t->kind == TOKEN_NAME) && str_eqz(t->text, text);
}

/* One of the texts of an array. */
#define TOKEN_IN(t, list) token_in(t, list, ARRAY_LEN(list))
static inline bool token_in(const struct code_token *t, const char *const *list, size_t n)
{
	return (t->kind == TOKEN_OPERATOR || t->kind == TOKEN_NAME) && word_in(t->text, list, n);
}
