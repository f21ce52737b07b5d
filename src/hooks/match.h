/*
 * Matchers (contract section 5): does a hook concern this firing?  Never runs a process, always
 * comes back soon.  A matcher is immutable once made.
 */
#pragma once

#include "base/regex.h"
#include "hooks/diag.h"
#include "hooks/dialects.h"

enum matcher_kind {
	MATCHER_ALL,
	MATCHER_NEVER, /* it cannot match: reported at load */
	MATCHER_WORDS, /* one of a list of words, exactly */
	MATCHER_REGEX,
	MATCHER_LIMIT, /* a pattern that cannot be decided here (C5.4) */
};

/* What a test of most matchers looks at comes first, in one cache line (see struct hook). */
struct matcher {
	enum matcher_kind kind;
	bool invalid; /* the text is no regular expression */
	bool icase;
	bool their_names; /* compared with what its dialect calls the tool */
	unsigned naliases;
	const struct dialect
		*dialect; /* what it is written in: its definition's, not the hook's own */
	struct regex *re; /* owned */
	struct str text; /* trimmed */
	struct str *words;
	size_t nwords;
	/* Other names of tools that are in the text: "Edit" for "replace" (C5.3). */
	struct tool_alias *aliases;
};

enum match_result { MATCH_NO, MATCH_YES, MATCH_LIMIT };

/* What a firing is called: made once for a planning, tested against many matchers. */
struct match_subject {
	struct str name; /* as the host calls it; .p NULL when the event has no subject */
	struct str also; /* what the host calls it besides, a line each, or .p NULL */
	struct str other; /* the other spelling of an MCP tool's name (C5.2), or .p NULL */
	/* Of a server's tool whose name was cut or has other characters: both spellings, whole, and
	 * both as the server says them; .p NULL where that is the same. */
	struct str whole[4];
	struct str plugin[2]; /* both of a plugin's server, as Claude Code calls it; or .p NULL */
	/* Of a server whose name has characters that mean something in a pattern: both prefixes as
	 * the server says them, and the tool; .p NULL otherwise. */
	struct str server[2], tool;
	struct str theirs[TOOLS_COUNT]; /* what others call the tool, or .p NULL */
	struct regex_scratch *scratch;
	bool has_more; /* there are others than name and theirs */
};

/* Makes the matcher of one definition; what is odd about it goes to diags (C5.1). */
void matcher_init(struct matcher *m, struct arena *a, const struct event *ev,
		  const struct dialect *d, struct str text, const struct place *at,
		  struct diags *diags);
void matcher_done(struct matcher *m);
/* A tool of the agent itself as a subject. */
struct match_subject match_subject_of_tool(const char *name, struct regex_scratch *scratch);
/* The end of an alternative: the next | outside of every group and class. */
size_t match_alternative_end(struct str text, size_t i);
enum match_result matcher_test(const struct matcher *m, const struct match_subject *s);

/* "mcp__<server>__<tool>" or "mcp_<server>_<tool>" (C5.2). */
struct str mcp_name(struct arena *a, const char *server, const char *tool, bool single);
/* The same before it is cut. */
struct str mcp_whole_name(struct arena *a, const char *server, const char *tool, bool single);
