/*
 * What the file tools share: opening inside of the workspace, texts in their encodings, the objects
 * that edits show.  See workspace.c for what is safe and what is not.
 */
#pragma once

#include <sys/stat.h>

#include "base/err.h"
#include "tools/tool.h"

/* A member of "properties", for tools that may run in parallel with others. */
#define WAIT_PARAMETER                                                                             \
	"\"wait_for_previous\":{\"type\":\"boolean\",\"description\":\"Run only after the "        \
	"calls before it have ended.\"}"

#define FILE_MAX_BYTES ((size_t)20 << 20)

/* ---- workspace.c ---- */

/*
 * Opens a real path (from workspace_path()) without following any symbolic link, one that was put
 * there meanwhile included.  The descriptor (close-on-exec, never blocks in open), or a negative
 * errno.
 */
int file_open(const char *real_path, int flags, unsigned mode);
/*
 * The same for reading a regular file, which is looked at before it is opened, since opening a
 * device can do things.  The descriptor, or a negative errno: -EISDIR, -EINVAL for what is no file.
 */
int file_open_regular(const char *real_path, struct stat *ret_st);
/* Appends the bytes of a regular file up to FILE_MAX_BYTES.  0 or an errno: EISDIR, EFBIG, EINVAL
 * for what is no file, ECANCELED. */
int workspace_read(const char *real_path, struct cancel *cancel, struct buf *out);
/* The same; false after tool_fail(). */
bool file_load(struct tool_call *call, struct tool_result *r, const char *real_path,
	       struct buf *out);
/* Replaces or makes it, with its missing directories; false after tool_fail(). */
bool file_store(struct tool_call *call, struct tool_result *r, const char *real_path,
		struct str bytes);
/* As people see it: relative to the working directory when inside of it. */
struct str file_shown(const struct tool_call *call, const char *real_path);
/* For struct tool's check: "file_path" is given and leads into the workspace; so does "dir_path",
 * when it is given. */
bool check_file_path(struct tool_call *call, struct tool_result *r);
bool check_dir_path(struct tool_call *call, struct tool_result *r);
/* The string argument, or "". */
struct str arg_str(const struct tool_call *call, const char *name);
bool arg_bool(const struct tool_call *call, const char *name, bool dflt);
/* An integer argument within min..max, or dflt. */
int64_t arg_int(const struct tool_call *call, const char *name, int64_t min, int64_t dflt);
/* The directory argument (default: the working directory), which must be one; NULL after
 * tool_fail(). */
const char *arg_dir(struct tool_call *call, struct tool_result *r, struct str path);
/* respect_git_ignore and respect_gemini_ignore, from options or settings, as walk flags. */
unsigned arg_ignore_flags(const struct tool_call *call, const struct json *options);
/* Where the ignore files that matter for this path begin: its repository or workspace root. */
const char *ignore_top(struct tool_call *call, const char *real_path);
/* For describe(): the argument as it was given, or "." */
struct str describe_path(const struct tool_call *call, const char *name);
struct str describe_file_path(struct tool_call *call);
struct str describe_dir_path(struct tool_call *call);
/* The line about a search: its pattern and, when given, its directory. */
struct str describe_search(struct tool_call *call);

/* ---- text.c ---- */

enum text_encoding { TEXT_UTF8, TEXT_UTF8_BOM, TEXT_UTF16LE, TEXT_UTF16BE, TEXT_BINARY };

/* By the mark at the start, else by what the first kilobytes look like. */
enum text_encoding text_encoding(struct str bytes);
/* Without the mark; UTF-16 as UTF-8 (lone surrogates in three bytes).  Borrows UTF-8. */
struct str text_decode(struct arena *a, struct str bytes, enum text_encoding e);
/* Appends the text in that encoding, with its mark. */
void text_encode(struct buf *out, struct str text, enum text_encoding e);
/* Do all lines end with \r\n (and is there one)? */
bool text_is_crlf(struct str text);
/* \r\n as \n; borrows when there is none. */
struct str text_unix(struct arena *a, struct str text);
/* \n as \r\n, where it is not already. */
struct str text_dos(struct arena *a, struct str text);
/* Lines; a newline at the end begins no other. */
size_t text_lines(struct str text);

/* ---- media.c ---- */

/* "image/png" when the name's ending and the first bytes say so, else NULL. */
const char *media_type(const char *path, struct str bytes);
/* {inlineData: {mimeType, data}} */
const struct json *media_part(struct arena *a, const char *mime, struct str bytes);

/* ---- change.c ---- */

struct file_change {
	const char *path;
	struct str before, after; /* without marks, line endings as in the file */
	bool is_new;
	const char *label_before, *label_after; /* "Current", "Proposed" */
};

/*
 * The file that file_path names, as it is now; before stays empty when it is new or binary.  False
 * after tool_fail(), with the path as far as it is known.
 */
bool change_load(struct tool_call *call, struct tool_result *r, struct file_change *ret_c,
		 enum text_encoding *ret_encoding);
/* The FileDiff object of a result; sets the result's line counts. */
const struct json *change_display(struct tool_call *call, const struct file_change *c,
				  struct tool_result *r);
/* What a confirmation shows; title: "Confirm Write". */
const struct json *change_confirm(struct tool_call *call, const struct file_change *c,
				  const char *title);
/* The changed places of the new text with some lines around them. */
struct str change_snippet(struct tool_call *call, const struct file_change *c);
