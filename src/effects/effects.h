/*
 * What a command does: a list of effects, each with the words that cause it.
 *
 *	struct effects e = { .arena = &arena, .world = &world };
 *	effects_of_shell(&e, text);		e.p, e.n; e.opaque
 *
 * The reader of shell text (shell/calls.h) tells which programs run, with which words.  Tables say
 * what each of them does with its words (programs_*.c: a line each), readers of other languages
 * (code_*.c) find the same effects in the code that an interpreter is given.  Nothing here decides:
 * rules do (policy/).
 */
#pragma once

#include "base/arena.h"
#include "base/str.h"

enum effect_kind {
	EFFECT_READ,
	EFFECT_WRITE, /* makes a file, or adds to one */
	EFFECT_OVERWRITE, /* what the file held is lost */
	EFFECT_DELETE,
	EFFECT_MOVE,
	EFFECT_PERMISSIONS, /* and owners */
	EFFECT_SEND, /* data to another machine */
	EFFECT_FETCH,
	EFFECT_RUN_FETCHED, /* code that came from the network a moment ago */
	EFFECT_RUN_UNSEEN, /* code that could not be looked at */
	EFFECT_INSTALL, /* packages, from a registry or an address */
	EFFECT_PRIVILEGES,
	EFFECT_GIT_LOSS, /* commits, branches, stashes, or changes that are in no commit */
	EFFECT_DATABASE, /* tables, databases or all rows */
	EFFECT_DEVICE, /* a disk or a file system as a whole */
	EFFECT_KILL,
	EFFECT_SHUTDOWN,
	EFFECT_EXHAUST, /* all processes, memory or disk: a fork bomb */
	EFFECT_ATTACK, /* on others: floods, passwords that are tried, networks that are searched */
	EFFECT_PUBLISH, /* what others can see from then on */
	EFFECT_CLOUD, /* destroys resources that run elsewhere */
	EFFECT_CONTAINERS, /* destroys containers, images, volumes */
	EFFECT_PERSIST, /* what runs later: start-up files, cron, services, hooks, settings */
	EFFECT_GUARD_OFF, /* takes a guard away: history, audit, firewall, hooks, this program */
	EFFECT_OPAQUE, /* cannot be told */
	EFFECT_UNJUDGED, /* there is more than is looked at: longer, deeper, or more work */
	EFFECT_COUNT,
};

/* Where a path lies; several at once. */
enum effect_place {
	PLACE_PROJECT = 1 << 0, /* inside of a root */
	PLACE_PROJECT_WHOLE = 1 << 1, /* a root itself, or all that is in it */
	PLACE_OUTSIDE = 1 << 2, /* of every root, and not temporary */
	PLACE_HOME = 1 << 3, /* inside of the home directory */
	PLACE_HOME_WHOLE = 1 << 4, /* itself, a parent of it, or all that is in it; of any user */
	PLACE_SYSTEM = 1 << 5, /* /etc, /usr, /boot, ... */
	PLACE_ROOT = 1 << 6, /* "/" itself, or all that is in it */
	PLACE_TEMP = 1 << 7,
	PLACE_SECRET = 1 << 8, /* keys, tokens, .env */
	PLACE_STARTUP = 1 << 9, /* shell start-up files, cron, services */
	PLACE_AGENT = 1 << 10, /* settings and hooks of agents, and of this program */
	PLACE_GIT = 1 << 11, /* inside of .git */
	PLACE_DEVICE = 1 << 12, /* in /dev, without null, zero, tty and their kind */
	PLACE_LOCAL_HOST = 1 << 13, /* of an address: this machine */
	PLACE_UNKNOWN = 1 << 14, /* the path, or a part of it, is not known */
	PLACE_SOURCES =
		1 << 15, /* many files of the project, neither built nor logs, are emptied */
};

/* What a program does when the path that it is given is a link. */
enum effect_link {
	LINK_USUAL, /* deletes and moves the link, and does all else to what is behind it */
	LINK_ITSELF,
	LINK_BEHIND,
};

struct effect {
	enum effect_kind kind;
	unsigned places; /* enum effect_place; 0 = it is about no path or address */
	struct str words; /* the program and its words, for people */
	struct str
		target; /* a path (absolute where that is known), a host, a table; "" = unknown */
	bool recursive, forced;
	bool remote; /* on another machine, or in a container */
	bool maybe; /* as far as it can be told, but not for certain */
	bool own; /* a program that was built or installed gets a name of its own */
	bool cloned; /* a repository that the text itself has fetched */
	bool empty; /* a directory is made: nothing in it starts or says anything */
	enum effect_link link; /* when the path is a link */
	/* The program that may start it: its words read as a command; "" = it is one (presume.c). */
	struct str presumed;
};

/* The ID that a container gets which the text itself makes. */
#define CONTAINER_MADE "5f2b9c40d1e7"

/* Where a command runs.  All borrowed. */
struct effects_world {
	struct str cwd, home; /* absolute; home "" = unknown */
	const struct str *roots; /* of the project, absolute */
	size_t nroots;
	const char *const *env; /* NAME=value, for expansions; NULL = none is known */
	/*
	 * The text of a file that the command runs (a script, a Makefile, package.json), bounded;
	 * false = it cannot be had.  NULL = no file is looked at.
	 */
	bool (*read)(void *data, struct str path, struct arena *a, struct str *ret_text);
	/* Where the link at a path leads, as it is written; false = no link.  NULL: unknown. */
	bool (*link)(void *data, struct str path, struct arena *a, struct str *ret_target);
	void *data;
};

enum { EFFECTS_MAX = 4096, EFFECTS_WORK_MAX = 500000 };
/* Of calls and texts in each other; of code of other languages among them. */
enum { EFFECTS_DEPTH_MAX = 136, EFFECTS_CODES_MAX = 10 };

/* What code of another language is given when it starts.  Unknown parts are \1. */
struct effects_given {
	const struct str *args;
	size_t nargs;
	bool has_args; /* they are known */
	struct str script; /* its path, "" = text of an option */
	struct str in; /* what standard input holds */
	bool has_in, fetched, secret; /* it is known; it came from the network; it is secret */
	const struct str *names, *values; /* variables of its own that are set before: awk -v */
	size_t nset;
	/* A variable of the environment. */
	bool (*variable)(void *data, struct str name, struct str *ret_value);
	void *data;
};

struct effects {
	/* Set before. */
	struct arena *arena;
	const struct effects_world *world;
	/* Results.  At EFFECTS_MAX the last one is EFFECT_UNJUDGED. */
	struct effect *p;
	size_t n, cap;
	bool opaque; /* some of what runs could not be told */
	unsigned depth; /* of code in code */
	unsigned codes; /* of other languages than sh */
	/* Where code in code runs: what is added now has these, too. */
	bool remote, maybe, privileged; /* what runs now: as root by sudo and its kind */
	bool many; /* what code starts runs several times at once */
	struct str presumed;
	unsigned places; /* of databases */
	bool own_server; /* ... all of which the text itself has made */
	struct str cwd; /* "" = the world's */
	const struct effects_given *given; /* NULL: nothing is known */
	struct effects_state *state; /* run.h */
};

/* The languages of code that other programs are given. */
enum code_language {
	CODE_SHELL,
	CODE_PYTHON,
	CODE_JAVASCRIPT,
	CODE_PERL,
	CODE_RUBY,
	CODE_PHP,
	CODE_AWK,
	CODE_LUA,
	CODE_R,
	CODE_JULIA,
	CODE_SQL,
	CODE_MONGO,
	CODE_REDIS,
	CODE_POWERSHELL,
	CODE_POWERSHELL_ENCODED, /* base64 of it */
	CODE_MAKEFILE,
	CODE_DOCKERFILE,
	CODE_COMPILED, /* Go, Rust, Java and their kin */
	CODE_OTHER,
};

/* Text for sh, as a user would type it.  May be called again with further text. */
void effects_of_shell(struct effects *e, struct str text);
/*
 * Code of another language; `words` is how it is started, for people.  What it starts (os.system)
 * comes back as shell text.
 */
void effects_of_code(struct effects *e, enum code_language lang, struct str code, struct str words);
/* The language of what follows an option of PowerShell itself; CODE_OTHER: no code. */
enum code_language powershell_option(struct str word);
/*
 * What happens to a path: classifies it, and adds the effect.  Relative ones start at `cwd`.  Links
 * are followed, one at the end of the path as `like->link` says.
 */
void effects_add_path(struct effects *e, const struct effect *like, struct str path,
		      struct str cwd);
/* What was added from there on, of these kinds (1u << kind), does not last. */
void effects_undo(struct effects *e, size_t from, unsigned which);
void effects_add(struct effects *e, const struct effect *effect);
/* Whether code in code is not to be followed any deeper: EFFECTS_DEPTH_MAX, or the stack's end. */
bool effects_too_deep(const struct effects *e);
/* The latter alone. */
bool effects_no_stack(void);
/* A limit is reached: what lies behind it has not been looked at.  Said once. */
void effects_unjudged(struct effects *e, struct str words);

/* A shell of Unix (SHELLS)?  A path counts by its last part. */
bool effects_is_shell(struct str path);
/* The name of a variable that holds a secret. */
bool is_secret_name(struct str name);
/* A name of processes that nobody means to end all together: sessions, shells, the system. */
bool effects_is_broad_process(struct str name);
/* Of a process: does it watch over the machine? */
bool effects_is_watch(struct str process);

/* Where it runs now. */
struct str effects_cwd(const struct effects *e);
/* Some home directory when the world's is not known. */
struct str effects_home(const struct effects *e);

/* enum effect_place of a path (absolute, normal form or not, with a glob at its end or not). */
unsigned effect_places(const struct effects_world *w, struct str path);
/* The same behind links. */
unsigned effects_places(struct effects *e, struct str path, struct str cwd);

/* Where the script is whose code is read, as far as that is known. */
struct str effects_script_folder(const struct effects *e);
/* What an option of `git rev-parse` tells of where the repository is; "" = it tells something else. */
struct str effects_git_place(const struct effects *e, struct str option, struct str next);

/* Does a Kubernetes context of that name stand for a cluster on this machine? */
bool effect_cluster_is_here(struct str context);
/* Is it the kubeconfig of a cluster that the text has made? */
bool effects_made_cluster(const struct effects *e, struct str file);

/* Of a database by its name, file or address: PLACE_TEMP when it is of tests, or in memory. */
bool effect_database_in_memory(struct str database);
unsigned effect_database_places(const struct effects_world *w, struct str database);

/* "delete", "run-fetched": as rules and reports name them. */
const char *effect_name(enum effect_kind kind);
bool effect_find(struct str name, enum effect_kind *ret_kind);
/* "project", "home-whole"; i counts bits; NULL = no more. */
const char *effect_place_name(unsigned i);
bool effect_place_find(struct str name, unsigned *ret_place);
