#include "hooks/announce.h"

#include <fcntl.h>
#include <sha2.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/env.h"
#include "base/path.h"
#include "base/words.h"
#include "hooks/keeper.h"
#include "os/fs.h"

enum { WORDS_MAX = 64, LINE_MAX_BYTES = 256, PRELOAD_MAX = 16 << 10 };

/* What is to be started, taken apart: "python3 -u script.py --strict". */
struct start {
	const char *file;
	const char *words[WORDS_MAX];
	size_t n;
	const char *script; /* of a file that names its interpreter: one more that is read */
};

/* ---- interpreters ---- */

static const struct language {
	const char *names; /* of the program, without the digits and dots behind */
	const char *letters; /* of options that change nothing about an end */
	const char *words; /* the same, as word_is_one_icase() takes them */
	const char *variable; /* with more such words */
	const char *odd; /* a variable that changes what the end does */
	bool python;
} languages[] = {
	{ "python", "BEIOPSbsuq", "", NULL, "PYTHONINSPECT", true },
	{ "node nodejs", "",
	  "--no-warnings|--no-deprecation|--disable-warning=*|--enable-source-maps|"
	  "--max-old-space-size=*|--stack-trace-limit=*|--experimental-strip-types",
	  "NODE_OPTIONS", "NODE_CHANNEL_FD", false },
};

static const struct language *language_of(const char *file)
{
	struct str name = str_from(path_name(file));

	while (name.n && (char_is_digit(name.p[name.n - 1]) || name.p[name.n - 1] == '.'))
		name.n--;
	for (size_t i = 0; i < ARRAY_LEN(languages); i++)
		if (word_in_text(name, languages[i].names))
			return &languages[i];
	return NULL;
}

static bool is_harmless(const struct language *l, const char *option)
{
	if (option[1] != '-' && *l->letters)
		return option[1] && strspn(option + 1, l->letters) == strlen(option + 1);
	return *l->words && word_is_one_icase(str_from(option), l->words);
}

/* Where the script is among the words; 0 = there is none, or something is in front that we do not
 * know. */
static size_t find_script(const struct language *l, const struct start *s)
{
	for (size_t i = 1; i < s->n; i++) {
		if (s->words[i][0] != '-')
			return i;
		if (!is_harmless(l, s->words[i]))
			return 0;
	}
	return 0;
}

static bool variables_are_harmless(const struct language *l, const char *const *env)
{
	const char *more = l->variable ? env_get(env, l->variable) : NULL;
	struct str rest = str_from(more ? more : "");

	while (rest.n) {
		ptrdiff_t end = str_chr(rest, ' ', 0);
		struct str word = end < 0 ? rest : str_sub(rest, 0, (size_t)end);

		if (word.n && !word_is_one_icase(word, l->words))
			return false;
		rest = str_sub(rest, end < 0 ? rest.n : (size_t)end + 1, rest.n);
	}
	return !env_get(env, l->odd);
}

/* ---- files ---- */

/* The first bytes of a file, as text; "" when it cannot be read. */
static const char *beginning(struct arena *a, const struct proc_spec *spec, const char *file)
{
	struct proc_spec as = *spec;
	char bytes[LINE_MAX_BYTES];
	ssize_t n;

	as.file = file;
	AUTO(free) char *path = spawn_path(&as);
	AUTO(close) int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	n = fd < 0 ? 0 : read(fd, bytes, sizeof bytes);
	return arena_z(a, (struct str){ bytes, n > 0 ? (size_t)n : 0 });
}

static bool add(struct start *s, const char *word)
{
	if (s->n + 1 == WORDS_MAX)
		return false;
	s->words[s->n++] = word;
	return true;
}

/* "#!/usr/bin/env python3", "#!/usr/bin/python3 -u": as the kernel and env read it. */
static bool read_line(struct arena *a, const char *const *env, struct str line, struct start *ret)
{
	ptrdiff_t end = str_chr(line, '\n', 0);
	struct str rest;
	const char *file;

	if (end < 0)
		return false;
	line = str_trim(str_sub(line, 2, (size_t)end));
	end = str_chr(line, ' ', 0);
	rest = end < 0 ? STR("") : str_trim(str_sub(line, (size_t)end, line.n));
	file = arena_z(a, end < 0 ? line : str_sub(line, 0, (size_t)end));
	if (file[0] != '/' || str_chr(line, '\t', 0) >= 0 || str_chr(line, '\r', 0) >= 0)
		return false;
	if (strcmp(path_name(file), "env") == 0) {
		const char *path = env_get(env, "PATH");
		AUTO(free) char *found = NULL;

		for (size_t i = 0; i < rest.n; i++)
			if (!char_is_word(rest.p[i]) && rest.p[i] != '.')
				return false;
		file = arena_z(a, rest);
		if (!rest.n || !path || !fs_find_program(file, path, &found))
			return false;
		ret->file = arena_z(a, str_from(found));
		return add(ret, file);
	}
	ret->file = file;
	return add(ret, file) && (!rest.n || add(ret, arena_z(a, rest)));
}

/* What the kernel would start, through one line that names an interpreter. */
static bool take_apart(struct arena *a, const struct proc_spec *spec, struct start *ret)
{
	struct str text = str_from(beginning(a, spec, spec->file));
	size_t i = 0;

	*ret = (struct start){ .file = spec->file };
	if (str_starts(text, STR("#!"))) {
		AUTO(free) char *path = spawn_path(spec);

		if (!fs_is_program(path)) /* the kernel says why */
			return false;
		if (!read_line(a, spec->envp, text, ret) || !add(ret, spec->file))
			return false;
		ret->script = spec->file;
		i = 1;
	}
	for (; spec->argv[i]; i++)
		if (!add(ret, spec->argv[i]))
			return false;
	/* A script in its place may do anything first. */
	return str_starts(str_from(beginning(a, spec, ret->file)), STR("\177ELF"));
}

/* ---- what Node loads ---- */

static uint64_t stamp_of(const char *path)
{
	uint64_t h = 0xcbf29ce484222325;
	struct stat st;

	if (lstat(path, &st) < 0 || !S_ISREG(st.st_mode) || st.st_uid != geteuid() ||
	    st.st_mode & 022)
		return 0;
	const uint64_t parts[] = { (uint64_t)st.st_dev,          (uint64_t)st.st_ino,
				   (uint64_t)st.st_size,         (uint64_t)st.st_mtim.tv_sec,
				   (uint64_t)st.st_mtim.tv_nsec, (uint64_t)st.st_ctim.tv_sec,
				   (uint64_t)st.st_ctim.tv_nsec };
	for (size_t i = 0; i < ARRAY_LEN(parts); i++)
		h = (h ^ parts[i]) * 0x100000001b3;
	return h ? h : 1;
}

static bool holds(const char *path, const char *text)
{
	AUTO(buf_done) struct buf now = { 0 };

	return fs_read_nofollow(path, PRELOAD_MAX, &now, NULL) == 0 && str_eqz(buf_str(&now), text);
}

/* One for each version of the text: others may be at work. */
static bool write_preload(const char *home, struct announcer *ret)
{
	AUTO(free) char *real = fs_real(home), *dir = real ? fs_join(real, KEEPER_DIR) : NULL;
	AUTO(free) char *name = NULL, *path = NULL;
	uint8_t hash[SHA256_DIGEST_LENGTH];
	struct stat st;
	SHA2_CTX ctx;

	if (!dir || fs_mkdirs(dir, 0700, NULL) < 0 || lstat(dir, &st) < 0 ||
	    st.st_uid != geteuid() || !S_ISDIR(st.st_mode) || st.st_mode & 077)
		return false;
	SHA256Init(&ctx);
	SHA256Update(&ctx, (const uint8_t *)announce_cjs, strlen(announce_cjs));
	SHA256Final(hash, &ctx);
	name = xasprintf("announce-%02x%02x%02x%02x.cjs", hash[0], hash[1], hash[2], hash[3]);
	path = fs_join(dir, name);
	if (!holds(path, announce_cjs)) {
		(void)unlink(path);
		if (fs_replace(path, str_from(announce_cjs), 0600, NULL) < 0)
			return false;
	}
	/* Its status first: then what was read is what it belongs to. */
	ret->stamp = stamp_of(path);
	if (!ret->stamp || !holds(path, announce_cjs))
		return false;
	ret->file = MOVE(path);
	return true;
}

bool announce_is_intact(const struct announcer *by)
{
	return !by->file || stamp_of(by->file) == by->stamp;
}

void announce_done(struct announcer *by)
{
	free(by->file);
	*by = (struct announcer){ 0 };
}

/* ---- putting it together ---- */

static const char *const *with(struct arena *a, const char *const *list, const char *one,
			       const char *other)
{
	size_t n = 0, k = 0;

	while (list && list[n])
		n++;
	const char **all = ARENA_ARRAY(a, const char *, n + 3);
	for (; k < n; k++)
		all[k] = list[k];
	if (one)
		all[k++] = one;
	if (other)
		all[k++] = other;
	all[k] = NULL;
	return all;
}

void announce_prepare(struct arena *a, const char *home, struct proc_spec *spec,
		      struct announcer *ret)
{
	const struct language *l;
	struct start s;
	size_t at, n = 0;

	*ret = (struct announcer){ 0 };
	if (spec->host_reaps || !spec->result_pipe || !spec->envp || !take_apart(a, spec, &s))
		return;
	l = language_of(s.file);
	at = l && variables_are_harmless(l, spec->envp) ? find_script(l, &s) : 0;
	if (!at || (!l->python && !write_preload(home, ret)))
		return;
	const char **argv = ARENA_ARRAY(a, const char *, s.n + 3);
	for (; n < at; n++)
		argv[n] = s.words[n];
	argv[n++] = l->python ? "-c" : "--require";
	argv[n++] = l->python ? arena_printf(a, "exec('''%s''', {})", announce_py).p
			      : arena_z(a, str_from(ret->file));
	memcpy(&argv[n], &s.words[at], (s.n - at) * sizeof *argv);
	argv[n + s.n - at] = NULL;
	if (spec->sandbox) {
		struct sandbox *may = ARENA_NEW(a, struct sandbox);
		AUTO(free) char *script = s.script ? spawn_path(spec) : NULL;

		*may = *spec->sandbox;
		may->read = with(a, may->read, script ? arena_z(a, str_from(script)) : NULL,
				 ret->file ? argv[at + 1] : NULL);
		spec->sandbox = may;
	}
	spec->file = s.file;
	spec->argv = argv;
	spec->announces = true;
}
