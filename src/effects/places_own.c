/* What is lost with a path: sources, or what is made again; and what a user added. */
#include "base/wild.h"
#include "base/words.h"
#include "effects/parts.h"
#include "effects/run.h"

bool path_is_repository(const struct path *p)
{
	static const char *const parts[] = { "objects", "refs", "logs", "HEAD", "packed-refs" };

	if (p->n && str_eqz(p->part[p->n - 1], ".git"))
		return true;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		if (p->n > 1 && str_eqz(p->part[p->n - 2], ".git") &&
		    str_eqz(p->part[p->n - 1], parts[i]))
			return true;
	return false;
}

bool path_is_sources(const struct effects_world *w, const struct path *p)
{
	/* Made by a build, a test or a run, and made again. */
	static const char *const made[] = {
		"build*",        "dist",    "out",     "target",  "bin",         "obj",
		"node_modules",  "logs",    "log",     "tmp",     "temp",        "coverage",
		"cache",         ".cache",  ".next",   ".nuxt",   "__pycache__", "vendor",
		"*.log",         "*.log.*", "*.tmp",   "*.o",     "*.out",       "*.pid",
		"*.pyc",         "*.cache", "*.lock",  "*.bak",   "*.orig",      "snapshots",
		"__snapshots__", "results", "reports", "*.trace",
	};
	bool many = p->all;
	size_t from = SIZE_MAX;

	for (size_t i = 0; i < w->nroots; i++)
		if (parts_relate(p, w->roots[i], false) != APART)
			from = parts_read(w->roots[i], STR("/")).n;
	for (size_t i = from; i < p->n; i++) {
		many |= !value_known(p->part[i]) || str_chr(p->part[i], '*', 0) >= 0;
		if (WILD_IN(p->part[i], made))
			return false;
	}
	return from <= p->n && many;
}

bool path_is_cache(const struct path *p, size_t home)
{
	static const char *const caches[] = {
		".cache/Cypress",
		".cache/bazel",
		".cache/bazelisk",
		".cache/ccache",
		".cache/clangd",
		".cache/composer",
		".cache/deno",
		".cache/electron",
		".cache/electron-builder",
		".cache/fontconfig",
		".cache/gatsby",
		".cache/go-build",
		".cache/golangci-lint",
		".cache/helm",
		".cache/ms-playwright",
		".cache/mypy",
		".cache/node",
		".cache/node-gyp",
		".cache/nvim",
		".cache/pip",
		".cache/pip-tools",
		".cache/pnpm",
		".cache/pre-commit",
		".cache/prisma",
		".cache/puppeteer",
		".cache/pypoetry",
		".cache/ruff",
		".cache/sccache",
		".cache/thumbnails",
		".cache/turbo",
		".cache/typescript",
		".cache/uv",
		".cache/vcpkg",
		".cache/yarn",
		".cache/zig",
		".android/cache",
		".android/build-cache",
		".bun/install/cache",
		".cargo/git/checkouts",
		".cargo/registry/cache",
		".cargo/registry/src",
		".ccache",
		".composer/cache",
		".gradle/caches",
		".gradle/daemon",
		".ivy2/cache",
		".node-gyp",
		".npm/_cacache",
		".npm/_logs",
		".npm/_npx",
		".nuget/packages",
		".terraform.d/plugin-cache",
		".yarn/berry/cache",
		".yarn/cache",
		"AppData/Local/npm-cache",
		"AppData/Local/pip/cache",
		"Library/Caches/CocoaPods",
		"Library/Caches/Cypress",
		"Library/Caches/Homebrew",
		"Library/Caches/Yarn",
		"Library/Caches/com.apple.dt.Xcode",
		"Library/Caches/go-build",
		"Library/Caches/ms-playwright",
		"Library/Caches/org.swift.swiftpm",
		"Library/Caches/pip",
		"Library/Caches/pypoetry",
		"Library/Caches/typescript",
		"Library/Developer/Xcode/DerivedData",
	};

	for (size_t i = 0; home && i < ARRAY_LEN(caches); i++)
		if (parts_fit(p, home, caches[i]))
			return true;
	return false;
}

bool path_is_own_program(const struct path *p, size_t home)
{
	static const char *const dirs[] = { "bin/*", ".local/bin/*", ".cargo/bin/*", "go/bin/*" };
	/* Those without a row. */
	static const char others[] =
		"apt arch as ar base64 bat brew cat clang cc clear cmp code comm cut date df diff dir "
		"dirname basename du echo egrep emacs env expand expr false file fmt fold free g++ gcc "
		"gpg groups head host htop info join ld less ll ln locale ls lsof lsblk man md5sum mkdir "
		"mktemp more nano nl nproc od paste pgrep ping pip pip3 pipx poetry pr printenv printf ps pwd "
		"python python2 python3 readelf readlink realpath ruby rustc seq sha256sum sleep sort split "
		"ss stat strings stty sum sync tac tail tee test time top touch tr true tty uname uniq "
		"uptime uv vi vim w watch wc whereis which who whoami xz yes zcat";
	struct str name = p->n ? p->part[p->n - 1] : STR("");

	if (p->all || p->unknown || p->relative || !value_known(name) || word_in_text(name, others))
		return false;
	for (size_t i = 0; home && i < ARRAY_LEN(dirs); i++)
		if (p->n == home + (dirs[i][0] == 'b' ? 2 : 3) && parts_fit(p, home, dirs[i]))
			return true;
	return false;
}
