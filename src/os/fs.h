/*
 * Files: reading whole ones, replacing them safely, finding paths.  All descriptors are
 * close-on-exec, nothing depends on the umask but where it is said.
 */
#pragma once

#include <dirent.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/err.h"

/* One file or directory, whatever its names. */
static inline bool fs_is_same(const struct stat *a, const struct stat *b)
{
	return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/*
 * Appends the file's bytes; nothing on failure.  -E_NOTFOUND when there is none, -E_LIMIT over max
 * bytes (out->max is not used), -E_IO for what is not a regular file.
 */
int fs_read(const char *path, size_t max, struct buf *out, struct err *err);
/* The same of a file that others were given to write: a symbolic link is refused (-E_IO). */
int fs_read_nofollow(const char *path, size_t max, struct buf *out, struct err *err);
/* The last bytes of such a file, at most max: how many come before them. */
int64_t fs_read_end(const char *path, size_t max, struct buf *out, struct err *err);
/*
 * Replaces the file: temporary file in the same directory, fsync, rename.  A symbolic link is
 * resolved and its target replaced or made.  The mode of an existing file is kept (as root its
 * owner too); a new one gets `mode` without what the umask forbids.  On failure the old file is
 * whole.
 */
int fs_replace(const char *path, struct str bytes, unsigned mode, struct err *err);
/* Removes the temporary files in a directory that killed processes of ours have left. */
void fs_sweep(const char *dir);
/*
 * Appends one record to a file (created 0600; a symbolic link is refused), under an exclusive lock:
 * all of it or nothing.  Who keeps the lock for longer than FS_APPEND_WAIT_MS delays no caller (a
 * guard waits here): then it is appended without, and a disk that is full may cut it.
 */
enum { FS_APPEND_WAIT_MS = 200 };
int fs_append(const char *path, struct str bytes, struct err *err);
/* Makes the directory and its missing parents with `mode`. */
int fs_mkdirs(const char *path, unsigned mode, struct err *err);
bool fs_exists(const char *path);
/* Is there anything of this name in the directory? */
bool fs_has(const char *dir, const char *name);
bool fs_is_dir(const char *path);
/* DT_REG, DT_DIR, ... of an entry of a directory, links not followed. */
unsigned char fs_entry_type(int dir_fd, const struct dirent *entry);
/* A regular file that this process may execute. */
bool fs_is_program(const char *path);
/*
 * The program that execvp would run for `name` (without a slash) with this PATH: an absolute path
 * into *ret_path (free()).  False when there is none, when path_var is NULL, and when an empty or
 * relative entry comes before the one that has it (a shell must decide).
 */
bool fs_find_program(const char *name, const char *path_var, char **ret_path);
/*
 * Absolute, with . and .. and doubled slashes taken away by text alone; relative ones are joined to
 * base (absolute).
 */
char *fs_absolute(const char *base, const char *path) MUST_CHECK;
/* realpath(), or NULL. */
char *fs_real(const char *path) MUST_CHECK;
/*
 * realpath() of the part that exists, links to what does not exist followed too, and the rest as it
 * is; NULL for a circle of links and for a relative path.
 */
char *fs_resolve(const char *path) MUST_CHECK;
/*
 * Does path lie in the directory dir (or is it dir), links and ".." followed?  What does not exist
 * yet lies where it would be made.  False when dir does not exist or a path is relative.
 */
bool fs_is_in(const char *dir, const char *path);
/* dir + "/" + name, one slash; name alone when dir is empty. */
char *fs_join(const char *dir, const char *name) MUST_CHECK;

/* For AUTO(closedir). */
static inline void auto_closedir(DIR **dir)
{
	if (*dir)
		(void)closedir(*dir);
}

struct fs_names {
	char **p;
	size_t n, cap;
};
void fs_names_done(struct fs_names *names);
DEFINE_AUTO(struct fs_names, fs_names_done)

/* The names in a directory (without . and ..), sorted by bytes. */
int fs_list(const char *dir, struct fs_names *ret_names, struct err *err);
/*
 * (waits) Holds an exclusive lock on path (created 0600) for at most wait_ms; the descriptor, or
 * -E_BUSY.  close() releases; who removes the file does so before.
 */
int fs_lock(const char *path, int wait_ms, struct err *err);
