/*
 * Where file tools may go: the workspace's directories and the project's temporary directory.
 *
 * A path argument becomes a real path first (every link resolved, also in the part that exists of a
 * path that is yet to be made) and is judged by that.  It is opened later, and somebody may have
 * put a link into it by then; hence file_open() refuses links in every part (openat2, Linux 5.6),
 * or, where that call is missing, in the last part, and looks at where the descriptor has led to.
 * Writing goes through the descriptor of the directory.  What remains: between the last look at the
 * file's own name and the rename, a few microseconds, a link put in its place is followed.  A
 * process that can do that could write there itself.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#ifdef SYS_openat2
#include <linux/openat2.h>
#endif

#include "base/path.h"
#include "os/fd.h"
#include "os/fs.h"
#include "tools/files.h"
#include "tools/walk.h"

enum { READ_CHUNK = 256 << 10 };

/* ---- judging ---- */

bool workspace_has(const struct tool_env *env, const char *real_path)
{
	for (const char *const *root = env->roots; root && *root; root++)
		if (path_below(*root, real_path))
			return true;
	if (!env->temp_dir)
		return false;
	AUTO(free) char *temp = fs_real(env->temp_dir);
	return path_below(temp ? temp : env->temp_dir, real_path);
}

/* The directories of activated skills: for reading only, they need not be the project's. */
static bool may_read(const struct tool_call *call, const char *real_path)
{
	enum tool_kind kind = call->tool ? call->tool->kind : TOOL_EDIT;

	if (kind != TOOL_READ && kind != TOOL_SEARCH)
		return false;
	for (const char *const *dir = call->env->readable; dir && *dir; dir++)
		if (path_below(*dir, real_path))
			return true;
	return false;
}

const char *workspace_path(struct tool_call *call, struct tool_result *r, struct str path)
{
	AUTO(free) char *text = xstrndup(path.p ? path.p : "", path.n);
	AUTO(buf_done) struct buf dirs = { 0 };
	const struct tool_env *env = call->env;
	AUTO(free) char *absolute = NULL;
	AUTO(free) char *real = NULL;

	if (path.n == 0 || strlen(text) != path.n) {
		tool_fail(call, r, "invalid_tool_params",
			  "The path is empty or has a NUL character.");
		return NULL;
	}
	absolute = fs_absolute(call->env->cwd, text);
	real = fs_resolve(absolute);
	if (real && (workspace_has(env, real) || may_read(call, real)))
		return arena_z(call->arena, str_from(real));
	for (const char *const *root = env->roots; root && *root; root++)
		buf_addf(&dirs, "%s%s", dirs.n ? ", " : "", *root);
	tool_fail(call, r, "invalid_tool_params",
		  "Path not in workspace: Attempted path \"%s\" resolves outside the allowed "
		  "workspace directories: %s%s%s",
		  absolute, buf_z(&dirs), env->temp_dir ? " or the project temp directory: " : "",
		  env->temp_dir ? env->temp_dir : "");
	return NULL;
}

/* ---- opening ---- */

int file_open(const char *real_path, int flags, unsigned mode)
{
	flags |= O_CLOEXEC | O_NOCTTY | O_NONBLOCK; /* a FIFO would hold us in open() */
#ifdef SYS_openat2
	const struct open_how how = {
		.flags = (uint64_t)flags,
		.mode = flags & O_CREAT ? mode : 0,
		.resolve = RESOLVE_NO_SYMLINKS,
	};
	long fd = syscall(SYS_openat2, AT_FDCWD, real_path, &how, sizeof how);

	if (fd >= 0)
		return (int)fd;
	if (errno != ENOSYS &&
	    errno != EPERM) /* EPERM: a container's filter that does not know it */
		return -errno;
#endif
	char link[40], real[4096];
	AUTO(close) int file = open(real_path, flags | O_NOFOLLOW, mode);

	if (file < 0)
		return -errno;
	(void)snprintf(link, sizeof link, "/proc/self/fd/%d", file);
	ssize_t n = readlink(link, real, sizeof real);
	/* Without /proc this cannot be checked; the last part at least is no link. */
	if (n >= 0 && !str_eqz((struct str){ real, (size_t)n }, real_path))
		return -ELOOP;
	int ret = file;
	file = -1;
	return ret;
}

/* ---- reading ---- */

static const struct failure {
	int errnum;
	const char *type, *text;
} failures[] = {
	{ ENOENT, "file_not_found", "File not found" },
	{ ENOTDIR, "file_not_found", "File not found" },
	{ EISDIR, "target_is_directory", "Path is a directory, not a file" },
	{ EACCES, "permission_denied", "Permission denied" },
	{ EPERM, "permission_denied", "Permission denied" },
	{ ELOOP, "path_not_in_workspace", "A symbolic link appeared in the path" },
	{ EFBIG, "file_too_large", "File is larger than the limit of 20 MB" },
	{ EINVAL, "read_content_failure", "Not a regular file" },
};

static void fail_errno(struct tool_call *call, struct tool_result *r, const char *path, int errnum)
{
	for (size_t i = 0; i < ARRAY_LEN(failures); i++)
		if (failures[i].errnum == errnum) {
			tool_fail(call, r, failures[i].type, "%s: %s", failures[i].text, path);
			return;
		}
	tool_fail(call, r, "read_content_failure", "Error reading %s: %s", path, strerror(errnum));
}

static int check_kind(const struct stat *st)
{
	if (S_ISDIR(st->st_mode))
		return -EISDIR;
	return S_ISREG(st->st_mode) ? 0 : -EINVAL;
}

int file_open_regular(const char *real_path, struct stat *ret_st)
{
	struct stat st;
	int fd, r;

	r = lstat(real_path, &st) < 0 ? -errno : check_kind(&st);
	if (r < 0)
		return r;
	fd = file_open(real_path, O_RDONLY, 0);
	if (fd < 0)
		return fd;
	r = fstat(fd, &st) < 0 ? -errno : check_kind(&st);
	if (r < 0) {
		fd_close(&fd);
		return r;
	}
	*ret_st = st;
	return fd;
}

int workspace_read(const char *path, struct cancel *cancel, struct buf *out)
{
	struct stat st;
	AUTO(close) int fd = file_open_regular(path, &st);

	if (fd < 0)
		return -fd;
	if ((size_t)st.st_size > FILE_MAX_BYTES)
		return EFBIG;
	(void)buf_reserve(out, (size_t)st.st_size + 1);
	while (!cancel_fired(cancel)) {
		ssize_t n = fd_read(fd, out, buf_room(out, READ_CHUNK));

		if (n <= 0)
			return (int)-n;
		if (out->n > FILE_MAX_BYTES)
			return EFBIG;
	}
	return ECANCELED;
}

bool file_load(struct tool_call *call, struct tool_result *r, const char *real_path,
	       struct buf *out)
{
	int errnum = workspace_read(real_path, call->cancel, out);

	if (errnum)
		fail_errno(call, r, real_path, errnum);
	return errnum == 0;
}

/* ---- writing ---- */

/* The message of os/fs.h names the way through /proc, which helps no reader. */
static bool fail_store(struct tool_call *call, struct tool_result *r, const char *path,
		       const struct err *err)
{
	tool_fail(call, r,
		  err->errnum == ENOSPC                           ? "no_space_left"
		  : err->errnum == EACCES || err->errnum == EPERM ? "permission_denied"
								  : "file_write_failure",
		  "Error writing to file %s: %s", path, err_sentence(err));
	return false;
}

bool file_store(struct tool_call *call, struct tool_result *r, const char *real_path,
		struct str bytes)
{
	const char *name = strrchr(real_path, '/') + 1;
	size_t dir_n = (size_t)(name - real_path);
	AUTO(free) char *dir = xstrndup(real_path, dir_n > 1 ? dir_n - 1 : 1);
	AUTO(free) char *way = NULL;
	struct err err = { 0 };
	struct stat st;

	if (fs_mkdirs(dir, 0777, &err) < 0)
		return fail_store(call, r, real_path, &err);
	AUTO(close) int fd = file_open(dir, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0) {
		(void)err_errno(&err, -fd, "%s", dir);
		return fail_store(call, r, real_path, &err);
	}
	if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && !S_ISREG(st.st_mode)) {
		fail_errno(call, r, real_path,
			   S_ISDIR(st.st_mode)   ? EISDIR
			   : S_ISLNK(st.st_mode) ? ELOOP
						 : EINVAL);
		return false;
	}
	way = xasprintf("/proc/self/fd/%d", fd);
	char *target = fs_join(fs_is_dir(way) ? way : dir, name);
	free(way);
	way = target;
	if (fs_replace(way, bytes, 0666, &err) < 0)
		return fail_store(call, r, real_path, &err);
	return true;
}

/* ---- arguments ---- */

struct str file_shown(const struct tool_call *call, const char *real_path)
{
	AUTO(free) char *cwd = fs_real(call->env->cwd);
	const char *base = cwd ? cwd : call->env->cwd;
	const char *below = path_below(base, real_path);

	if (!below || strcmp(base, "/") == 0)
		return tool_clean(call->arena, str_from(real_path));
	return *below ? tool_clean(call->arena, str_from(below)) : STR(".");
}

struct str arg_str(const struct tool_call *call, const char *name)
{
	return json_get_str(call->args, name);
}

bool check_file_path(struct tool_call *call, struct tool_result *r)
{
	struct str path = arg_str(call, "file_path");

	if (path.n)
		return workspace_path(call, r, path) != NULL;
	tool_fail(call, r, "invalid_tool_params", "The 'file_path' parameter is empty.");
	return false;
}

bool check_dir_path(struct tool_call *call, struct tool_result *r)
{
	struct str path = arg_str(call, "dir_path");

	return path.n == 0 || workspace_path(call, r, path) != NULL;
}

bool arg_bool(const struct tool_call *call, const char *name, bool dflt)
{
	const struct json *v = json_getz(call->args, name);

	return json_is(v, J_BOOL) ? v->yes : dflt;
}

int64_t arg_int(const struct tool_call *call, const char *name, int64_t min, int64_t dflt)
{
	double d = json_num(json_getz(call->args, name), (double)dflt);

	if (!(d >= (double)min))
		return dflt;
	return d > 1e15 ? (int64_t)1e15 : (int64_t)d;
}

const char *arg_dir(struct tool_call *call, struct tool_result *r, struct str path)
{
	const char *dir = workspace_path(call, r, path.n ? path : STR("."));

	if (!dir || fs_is_dir(dir))
		return dir;
	if (fs_exists(dir))
		tool_fail(call, r, "path_is_not_a_directory", "Path is not a directory: %s", dir);
	else
		tool_fail(call, r, "file_not_found", "Directory not found: %s", dir);
	return NULL;
}

static bool filtering(const struct tool_call *call, const struct json *options, const char *arg,
		      const char *setting)
{
	const struct json *v = json_getz(options, arg);

	if (!json_is(v, J_BOOL))
		v = json_pointer(call->env->settings, str_from(setting));
	return !json_is_false(v);
}

unsigned arg_ignore_flags(const struct tool_call *call, const struct json *options)
{
	unsigned flags = 0;

	if (filtering(call, options, "respect_git_ignore",
		      "/context/fileFiltering/respectGitIgnore"))
		flags |= WALK_GITIGNORE;
	if (filtering(call, options, "respect_gemini_ignore",
		      "/context/fileFiltering/respectGeminiIgnore"))
		flags |= WALK_GEMINIIGNORE;
	return flags;
}

const char *ignore_top(struct tool_call *call, const char *real_path)
{
	AUTO(free) char *at = xstrdup(real_path);
	const char *top = NULL;

	for (const char *const *root = call->env->roots; root && *root; root++)
		if (path_below(*root, real_path) && (!top || strlen(*root) < strlen(top)))
			top = *root;
	/* A repository around the workspace has rules for it too. */
	for (char *slash = at + strlen(at); slash; slash = strrchr(at, '/')) {
		*slash = '\0';
		AUTO(free) char *git = fs_join(at[0] ? at : "/", ".git");
		if (!fs_exists(git))
			continue;
		if (!top || strlen(at) < strlen(top))
			top = arena_z(call->arena, str_from(at[0] ? at : "/"));
		break;
	}
	return top ? top : real_path;
}

struct str describe_path(const struct tool_call *call, const char *name)
{
	struct str path = arg_str(call, name);

	return path.n ? tool_clean(call->arena, path) : STR(".");
}

struct str describe_file_path(struct tool_call *call)
{
	return describe_path(call, "file_path");
}

struct str describe_dir_path(struct tool_call *call)
{
	return describe_path(call, "dir_path");
}

struct str describe_search(struct tool_call *call)
{
	struct str dir = arg_str(call, "dir_path");
	struct str pattern = tool_clean(call->arena, arg_str(call, "pattern"));

	if (dir.n == 0)
		return arena_printf(call->arena, "'%s'", pattern.p);
	return arena_printf(call->arena, "'%s' within %s", pattern.p,
			    tool_clean(call->arena, dir).p);
}

void tool_touches(struct tool_call *call, const struct json **ret_paths,
		  const struct json **ret_urls)
{
	const struct tool *tool = call->tool;
	const char *arg = tool->mcp_server ? NULL : tool->path_arg;
	struct str said = arg ? json_get_str(call->args, arg) : STR("");
	const char *const *roots = call->env->roots;
	struct json_list paths = { 0 }, urls = { 0 };
	struct tool_result nothing = { 0 };
	struct arena *a = call->arena;

	if (tool->touches) {
		tool->touches(call, &paths, &urls);
	} else if (said.n) {
		const char *path = workspace_path(call, &nothing, said);
		AUTO(free) char *z = xstrndup(said.p, said.n);
		AUTO(free) char *absolute = fs_absolute(call->env->cwd, z);
		AUTO(free) char *real = fs_resolve(absolute);

		json_list_add(&paths, json_pack_str(a, path ? path : real ? real : absolute));
	}
	for (size_t i = 0; arg && !said.n && tool->kind == TOOL_SEARCH && roots && roots[i]; i++)
		json_list_add(&paths, json_pack_str(a, roots[i]));
	*ret_paths = json_list_take(a, &paths);
	*ret_urls = json_list_take(a, &urls);
}
