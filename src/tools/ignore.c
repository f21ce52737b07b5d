#include "tools/ignore.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/wild.h"

enum { IGNORE_FILE_MAX = 1 << 20 };

struct ignore_rule {
	struct ignore_rule *next;
	const struct wild *pattern;
	bool negated, only_dirs;
	bool anchored; /* the path as a whole; else the name alone */
};

static void add_rule(struct ignore *ig, struct str line)
{
	struct ignore_rule rule = { 0 };

	if (str_ends(line, STR("\r")))
		line.n--;
	/* Spaces at the end count only after a backslash. */
	while (line.n && line.p[line.n - 1] == ' ' && !(line.n > 1 && line.p[line.n - 2] == '\\'))
		line.n--;
	if (line.n == 0 || line.p[0] == '#')
		return;
	if (line.p[0] == '!') {
		rule.negated = true;
		line = str_sub(line, 1, line.n);
	}
	if (str_ends(line, STR("/"))) {
		rule.only_dirs = true;
		line.n--;
	}
	rule.anchored = wild_has_slash(line);
	if (str_starts(line, STR("/")))
		line = str_sub(line, 1, line.n);
	if (line.n == 0 || wild_compile(&ig->arena, line, WILD_GIT, &rule.pattern, NULL) < 0)
		return;
	struct ignore_rule *kept = ARENA_NEW(&ig->arena, struct ignore_rule);
	*kept = rule;
	*(ig->last ? ig->last : &ig->rules) = kept;
	ig->last = &kept->next;
}

void ignore_add(struct ignore *ig, struct str text)
{
	if (str_starts(text, STR("\xef\xbb\xbf")))
		text = str_sub(text, 3, text.n);
	for (struct str rest = text, line; str_split(&rest, '\n', &line);)
		add_rule(ig, line);
}

void ignore_load(struct ignore *ig, int dir_fd, const char *name)
{
	AUTO(buf_done) struct buf text = BUF_INIT(.max = IGNORE_FILE_MAX);
	AUTO(close) int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode))
		return;
	for (;;) {
		char *room = buf_reserve(&text, 4096);
		ssize_t n = room ? read(fd, room, 4096) : -1;

		if (n <= 0)
			break;
		text.n += (size_t)n;
	}
	ignore_add(ig, buf_str(&text));
}

enum ignore_verdict ignore_check(const struct ignore *ig, struct str path, bool is_dir)
{
	enum ignore_verdict verdict = IGNORE_UNSAID;
	struct str name = path;

	for (ptrdiff_t at = str_chr(path, '/', 0); at >= 0; at = str_chr(name, '/', 0))
		name = str_sub(name, (size_t)at + 1, name.n);
	for (const struct ignore_rule *rule = ig->rules; rule; rule = rule->next)
		if ((is_dir || !rule->only_dirs) &&
		    wild_match(rule->pattern, rule->anchored ? path : name))
			verdict = rule->negated ? IGNORE_NO : IGNORE_YES;
	return verdict;
}

void ignore_done(struct ignore *ig)
{
	arena_done(&ig->arena);
	*ig = (struct ignore){ 0 };
}
