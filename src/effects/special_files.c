/* Programs that work on files, where a row of a table cannot say which. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/links.h"
#include "effects/run.h"

/* ---- cp, mv, ln, install: sources, and a destination that may be a directory ---- */

static bool is_directory(struct run *r, struct str path)
{
	return path.n && (path.p[path.n - 1] == '/' || str_eqz(path, ".") || str_eqz(path, "..") ||
			  str_ends(path, STR("/.")) || str_ends(path, STR("/..")) ||
			  (effects_places(r->e, path, r->cwd) &
			   (PLACE_ROOT | PLACE_HOME_WHOLE | PLACE_PROJECT_WHOLE)));
}

static struct str in_directory(struct run *r, struct str dir, struct str source)
{
	struct str name;

	while (source.n > 1 && source.p[source.n - 1] == '/')
		source.n--;
	name = sh_file_name(source);
	/* All that a glob finds lands in there, and not the directory itself. */
	if (!name.n || value_has(name, MARK_STAR) || str_eqz(name, ".") || str_eqz(name, ".."))
		name = ANY;
	return arena_printf(r->a, "%.*s/%.*s", STR_ARG(dir), STR_ARG(name));
}

void copied(struct run *r, struct str from, struct str to)
{
	struct str text;

	if (is_input_path(from)) {
		file_set(r, to, r->has_in ? r->in : ANY);
		return;
	}
	if (str_find(from, STR("bin/"), 0) >= 0 ||
	    str_eq(programs_find(from), from)) /* which prints names only */
		binding_set(r, &r->e->state->programs, joined(r, to), sh_file_name(from));
	if (file_get(r, from, &text))
		file_set(r, to, text);
	else
		binding_set(r, &r->e->state->copies, joined(r, to), joined(r, from));
}

/*
 * Of the project or installed: neither fetched just now, nor from where anybody may write.  Its new
 * name, written or behind a link, is that of no program that we know.
 */
static bool is_own_file(struct run *r, struct str from, struct str to)
{
	struct str text, behind = links_followed(r->e, to, r->cwd, true);

	return !is_known_program(links_normal(r->a, joined(r, to))) && !is_known_program(behind) &&
	       value_known(from) && !is_fetched(r, from) &&
	       !(file_get(r, from, &text) && value_has(text, MARK_FETCHED)) &&
	       !(effects_places(r->e, from, r->cwd) & (PLACE_TEMP | PLACE_UNKNOWN | PLACE_DEVICE));
}

static void copy_one(struct run *r, const struct call *c, struct str from, struct str to,
		     bool moves, bool keeps_links, struct effect like)
{
	struct str text;
	bool null = str_eqz(to, "/dev/null");

	like.kind = !moves ? EFFECT_READ : null ? EFFECT_DELETE : EFFECT_MOVE;
	if (!file_get(r, from, &text))
		call_path(r, c, like, from);
	copied(r, from, to);
	like.kind = EFFECT_OVERWRITE;
	like.own = is_own_file(r, from, to);
	call_path(r, c, like, to);
	if (str_eqz(from, "/dev/null"))
		call_empties(r, c, to);
	/* A link that is moved, or copied with all else, is one under its new name, too. */
	if (keeps_links) {
		struct str behind = links_followed(r->e, from, r->cwd, true);

		if (behind.p && !str_eq(behind, links_followed(r->e, from, r->cwd, false)))
			links_made(r->e, to, r->cwd, behind);
	}
}

/* Setuid: who runs the file is its owner.  Setgid is what shared directories have. */
static bool gives_privileges(struct str mode)
{
	struct str digits = mode, rest = mode, clause;

	while (rest.n && str_split(&rest, ',', &clause)) {
		ptrdiff_t plus = str_chr(clause, '+', 0);

		if (plus < 0)
			plus = str_chr(clause, '=', 0);
		if (plus >= 0 && str_chr(clause, 's', (size_t)plus) > 0 &&
		    !(plus == 1 && clause.p[0] == 'g'))
			return true;
	}
	while (digits.n > 4 && digits.p[0] == '0')
		digits = str_sub(digits, 1, digits.n);
	return digits.n == 4 && digits.p[0] >= '4' && digits.p[0] <= '7';
}

static bool run_copy(struct run *r, const struct call *c)
{
	struct args a;
	struct str name = sh_file_name(c->words[0]), to;
	bool moves = str_eqz(name, "mv") || str_eqz(name, "gmv"), into, links;
	const struct option *dir, *mode;
	size_t n;
	struct effect like = { 0 };

	args_read(r, &a, c, "-t -S -m -o -g --target-directory --suffix --mode --owner --group");
	dir = args_option(&a, "-t|--target-directory");
	n = a.noperands;
	if (args_option(&a, "--help|--version") || (!dir && n < 2))
		return true;
	mode = str_eqz(name, "install") ? args_option(&a, "-m|--mode") : NULL;
	if (mode && gives_privileges(mode->value))
		call_add(r, c, (struct effect){ .kind = EFFECT_PRIVILEGES });
	like.recursive = args_option(&a, "-r|-R|-a|--recursive|--archive") || moves;
	like.forced = args_option(&a, "-f|--force") != NULL;
	if (str_eqz(name, "install") && args_option(&a, "-d|--directory"))
		return true;
	to = dir ? dir->value : a.operands[--n];
	into = dir || n > 1 || is_directory(r, to);
	links = like.recursive || args_option(&a, "-P|-d|--no-dereference");
	for (size_t i = 0; i < n; i++)
		copy_one(r, c, a.operands[i], into ? in_directory(r, to, a.operands[i]) : to, moves,
			 links, like);
	return true;
}

static bool run_ln(struct run *r, const struct call *c)
{
	struct args a;
	struct str link;
	const struct option *dir;
	bool forced, symbolic;

	args_read(r, &a, c, "-t -S --target-directory --suffix");
	dir = args_option(&a, "-t|--target-directory");
	forced = args_option(&a, "-f|--force") != NULL;
	symbolic = args_option(&a, "-s|--symbolic") != NULL;
	if (a.noperands < 1)
		return true;
	link = dir               ? dir->value
	       : a.noperands > 1 ? a.operands[a.noperands - 1]
				 : sh_file_name(a.operands[0]);
	if (dir || a.noperands > 2 ||
	    (!args_option(&a, "-n|-T|--no-dereference|--no-target-directory") &&
	     is_directory(r, link)))
		link = in_directory(r, link, a.operands[0]);
	call_path(r, c,
		  (struct effect){ .kind = forced ? EFFECT_OVERWRITE : EFFECT_WRITE,
				   .forced = forced,
				   .own = is_own_file(r, a.operands[0], link),
				   .link = LINK_ITSELF },
		  link);
	if (str_find(a.operands[0], STR("bin/"), 0) >= 0)
		binding_set(r, &r->e->state->programs, joined(r, link),
			    sh_file_name(a.operands[0]));
	/* What it is called when the last word turns out to be a directory, too. */
	for (size_t i = 0; i < a.noperands - (a.noperands > 1 && !dir); i++) {
		struct str target = symbolic ? a.operands[i] : joined(r, a.operands[i]);

		links_made(r->e, link, r->cwd, target);
		if (a.noperands > 1)
			links_made(r->e,
				   in_directory(r, dir ? dir->value : a.operands[a.noperands - 1],
						a.operands[i]),
				   r->cwd, target);
	}
	return true;
}

/* ---- dd ---- */

static bool run_dd(struct run *r, const struct call *c)
{
	struct str in = { 0 }, out = { 0 };
	bool count = false;

	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];

		if (str_starts(w, STR("if=")))
			in = str_sub(w, 3, w.n);
		else if (str_starts(w, STR("of=")))
			out = str_sub(w, 3, w.n);
		count |= str_starts(w, STR("count="));
	}
	if (in.n)
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, in);
	if (out.n)
		copied(r, in.n ? in : STR("-"), out);
	if (out.n) {
		size_t before = r->e->n;

		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, out);
		if (!count &&
		    (str_eqz(in, "/dev/zero") || str_eqz(in, "/dev/urandom") ||
		     str_eqz(in, "/dev/random")) &&
		    r->e->n > before && r->e->p[r->e->n - 1].kind == EFFECT_OVERWRITE)
			call_add(r, c, (struct effect){ .kind = EFFECT_EXHAUST });
	} else {
		run_emit(r, r->has_in && !in.n ? r->in : ANY);
	}
	return true;
}

/* ---- tar, unzip ---- */

static bool run_tar(struct run *r, const struct call *c)
{
	struct args a;
	struct fields words = { 0 };
	struct call dashed = *c;
	bool extracts, creates, secrets = false;
	const struct option *file, *dir;

	/* `tar xzf x`: letters without a dash. */
	if (c->n > 1 && c->words[1].n && c->words[1].p[0] != '-') {
		field_add(r, &words, c->words[0]);
		field_add(r, &words, arena_printf(r->a, "-%.*s", STR_ARG(c->words[1])));
		fields_add(r, &words, c, 2);
		dashed.words = words.p;
	}
	args_read(
		r, &a, &dashed,
		"-f -C -T -X -I -F -b -g -K -L -N -V --file --directory --files-from --exclude "
		"--exclude-from --use-compress-program --to-command --checkpoint-action "
		"--info-script --new-volume-script --rsh-command --transform --xform --owner --group");
	extracts = args_option(&a, "-x|--extract|--get") != NULL;
	creates = args_option(&a, "-c|--create|-r|--append|-u|--update") != NULL;
	file = args_option(&a, "-f|--file");
	dir = args_option(&a, "-C|--directory");
	for (size_t i = 0; i < a.noptions; i++) {
		struct str v = a.options[i].value;

		if (str_eqz(a.options[i].name, "--checkpoint-action") &&
		    str_starts(v, STR("exec=")))
			call_shell(r, c, str_sub(v, 5, v.n));
		else if (sh_is_among(a.options[i].name,
				     (const char *const[]){ "--to-command", "-I", "-F",
							    "--use-compress-program",
							    "--info-script", "--rsh-command",
							    "--new-volume-script", NULL }))
			call_shell(r, c, v);
	}
	if (creates) {
		struct run inner = *r;

		if (dir)
			inner.cwd = joined(r, dir->value);
		if (file && !str_eqz(file->value, "-"))
			call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE }, file->value);
		for (size_t i = 0; i < a.noperands; i++) {
			call_path(&inner, c,
				  (struct effect){ .kind = EFFECT_READ, .recursive = true },
				  a.operands[i]);
			secrets |= (effects_places(r->e, a.operands[i], inner.cwd) &
				    (PLACE_SECRET | PLACE_HOME_WHOLE | PLACE_ROOT)) != 0;
			if (args_option(&a, "--remove-files"))
				call_path(
					&inner, c,
					(struct effect){ .kind = EFFECT_DELETE, .recursive = true },
					a.operands[i]);
		}
	}
	if (extracts) {
		struct str to = dir ? dir->value : STR(".");

		struct str archive;

		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE },
			  arena_printf(r->a, "%.*s/\1", STR_ARG(to)));
		if (!file || str_eqz(file->value, "-"))
			archive = r->has_in ? r->in : STR("");
		else if (!file_get(r, file->value, &archive))
			archive = STR("");
		if (value_has(archive, MARK_FETCHED))
			fetched_add(r, to);
	}
	if (creates && secrets)
		run_emit(r, SECRET);
	else
		run_pass_on(r);
	return true;
}

static bool run_unzip(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *dir;
	struct str archive;

	args_read(r, &a, c, "-d -x -P");
	if (args_option(&a, "-l|-t|-p|-Z|-v"))
		return true;
	dir = args_option(&a, "-d");
	call_path(r, c,
		  (struct effect){ .kind = EFFECT_OVERWRITE,
				   .forced = args_option(&a, "-o") != NULL },
		  dir ? arena_printf(r->a, "%.*s/\1", STR_ARG(dir->value)) : STR("./\1"));
	if (a.noperands && file_get(r, a.operands[0], &archive) && value_has(archive, MARK_FETCHED))
		fetched_add(r, dir ? dir->value : STR("."));
	return true;
}

/* 7z a ARCHIVE FILE...; -sdel deletes what went in */
static bool run_7z(struct run *r, const struct call *c)
{
	size_t operands = 0;
	bool deletes = call_has(c, "-sdel");

	if (c->n < 2 || !word_in_text(c->words[1], "a u d"))
		return run_unzip(r, c);
	for (size_t i = 1; i < c->n; i++) {
		struct str w = c->words[i];

		if (!w.n || w.p[0] == '-' || operands++ == 0)
			continue;
		call_path(r, c,
			  (struct effect){ .kind = operands == 2 ? EFFECT_OVERWRITE
						   : deletes     ? EFFECT_DELETE
								 : EFFECT_READ,
					   .recursive = operands > 2 },
			  w);
	}
	return true;
}

/* ---- chmod ---- */

static bool run_chmod(struct run *r, const struct call *c)
{
	struct str mode = { 0 };
	bool recursive = false, done = false;
	size_t i = 1;

	for (; i < c->n; i++) {
		struct str w = c->words[i];

		if (!done && str_eqz(w, "--")) {
			done = true;
			continue;
		}
		if (!done && w.n > 1 && w.p[0] == '-' &&
		    (w.p[1] == '-' || str_is_of(str_sub(w, 1, w.n), "RfvcHLPh"))) {
			recursive |= str_chr(w, 'R', 0) > 0 || str_starts(w, STR("--rec"));
			if (str_starts(w, STR("--reference")))
				mode = w;
			continue;
		}
		if (!mode.n) {
			mode = w;
			if (gives_privileges(mode))
				call_add(r, c, (struct effect){ .kind = EFFECT_PRIVILEGES });
			continue;
		}
		call_path(r, c,
			  (struct effect){
				  .kind = EFFECT_PERMISSIONS,
				  .recursive = recursive,
				  .forced = str_eqz(mode, "777") || str_eqz(mode, "0777") ||
					    str_eqz(mode, "a+rwx") || str_eqz(mode, "000") ||
					    str_eqz(mode, "0") || str_eqz(mode, "o+w") ||
					    str_eqz(mode, "a+w") || str_eqz(mode, "666") ||
					    str_eqz(mode, "ugo+rwx") || str_eqz(mode, "+rwx") },
			  w);
	}
	return true;
}

static bool looks_for_secrets(struct str pattern)
{
	static const char *const words[] = {
		"token", "secret", "key", "pass", "cred", "aws", "auth"
	};
	struct buf lower = { 0 };
	bool found = false;

	for (size_t i = 0; i < pattern.n; i++)
		buf_addc(&lower, char_lower(pattern.p[i]));
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		found |= str_find(buf_str(&lower), str_from(words[i]), 0) >= 0;
	buf_done(&lower);
	return found;
}

/* "[n]ode" finds what "node" finds. */
static struct str plain_pattern(struct run *r, struct str pattern)
{
	struct text t = { 0 };

	for (size_t i = 0; i < pattern.n; i++)
		if (pattern.p[i] != '[' && pattern.p[i] != ']')
			text_add(r, &t, str_sub(pattern, i, i + 1));
	return text_str(&t);
}

/* The names of files in which something is found. */
static void emit_found(struct run *r, const struct args *a, size_t from, bool recursive)
{
	recursive |= args_option(a, "-r|-R|--recursive") != NULL;
	if (recursive && from >= a->noperands)
		run_emit(r, STR("./\1\n"));
	for (size_t i = from; i < a->noperands; i++) {
		run_emit(r, a->operands[i]);
		run_emit(r, recursive && str_chr(sh_file_name(a->operands[i]), '.', 1) < 0
				    ? STR("/\1\n")
				    : STR("\n"));
	}
}

/* Where programs keep their settings, tokens among them. */
static bool keeps_settings(struct run *r, struct str path)
{
	static const char *const ends[] = { "/.config", "/.local",   "/.local/share",
					    "/.cache",  "/.mozilla", "/Library" };

	while (path.n > 1 && path.p[path.n - 1] == '/')
		path.n--;
	return TEXT_ENDS(path, ends) && (effects_places(r->e, path, r->cwd) & PLACE_HOME);
}

/* "secret/...": each line is known in part, so that any of them may be among those chosen. */
static bool lines_are_alike(struct str s)
{
	struct str line;
	bool alike = true, known = false;

	while (alike && str_split(&s, '\n', &line)) {
		alike = !line.n || value_has(line, MARK_ANY);
		known |= line.n > 1;
	}
	return alike && known;
}

/* grep's pattern is no file. */
static bool run_grep(struct run *r, const struct call *c)
{
	struct args a;
	size_t from;

	args_read(r, &a, c,
		  "-e -f -m -A -B -C -g -t -T -j -M --regexp --file --include --exclude "
		  "--exclude-dir --pre --max-count --glob --type --context --color");
	if (args_option(&a, "--files") && !args_option(&a, "-g|-t|--glob|--type")) {
		run_emit(r, STR("./\2\n"));
		return true;
	}
	from = !args_option(&a, "-e|-f|--regexp|--file");
	if (args_option(&a, "--pre"))
		call_shell(r, c, args_option(&a, "--pre")->value);
	if (args_option(&a, "-l|-L|--files-with-matches|--files-without-match"))
		emit_found(r, &a, from, !str_ends(c->words[0], STR("grep")));
	/* How often, whether, and where shows nothing of it. */
	if (args_option(&a, "-c|-q|-l|-L|--count|--quiet|--files-with-matches"))
		return true;
	if (from >= a.noperands && r->has_in && lines_are_alike(r->in) &&
	    !args_option(&a, "-o|--only-matching")) {
		run_emit(r, r->in);
		return true;
	}
	for (size_t i = from; i < a.noperands; i++) {
		bool recursive = args_option(&a, "-r|-R|--recursive") != NULL;

		call_path(r, c,
			  (struct effect){
				  .kind = EFFECT_READ,
				  .recursive = recursive,
				  .places = recursive && from && looks_for_secrets(a.operands[0]) &&
							    keeps_settings(r, a.operands[i])
						    ? PLACE_SECRET
						    : 0 },
			  a.operands[i]);
		for (size_t k = 0; recursive && k < a.noptions; k++) /* --include=.env */
			if (str_eqz(a.options[k].name, "--include"))
				call_path(r, c, (struct effect){ .kind = EFFECT_READ },
					  arena_printf(r->a, "%.*s/%.*s", STR_ARG(a.operands[i]),
						       STR_ARG(a.options[k].value)));
	}
	if (from && a.noperands && !r->out && r->has_in && value_has(r->in, MARK_SECRET) &&
	    !args_option(&a, "-v|--invert-match") && looks_for_secrets(a.operands[0]))
		call_add(r, c, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
	/* Passwords that are looked for where those of the system and of others are. */
	for (size_t i = from; r->out && i < a.noperands && looks_for_secrets(a.operands[0]); i++)
		if (args_option(&a, "-r|-R|--recursive") &&
		    (effects_places(r->e, a.operands[i], r->cwd) &
		     (PLACE_SYSTEM | PLACE_HOME_WHOLE | PLACE_ROOT)))
			run_emit(r, SECRET);
	/* Processes by their name: what ps lists, and kill ends. */
	if (r->has_in && str_eqz(str_trim(r->in), "1") && from && a.noperands)
		run_emit(r, args_option(&a, "-v|--invert-match") ? r->in
								 : plain_pattern(r, a.operands[0]));
	else
		run_pass_on(r);
	return true;
}

/* What comes out of a pipe with a name is what another process writes. */
static bool run_mkfifo(struct run *r, const struct call *c)
{
	struct args a;
	bool node = str_eqz(c->words[0], "mknod");

	args_read(r, &a, c, "-m --mode");
	if (node && (a.noperands < 2 || !str_eqz(a.operands[1], "p")))
		return false;
	for (size_t i = 0; i < (node ? 1 : a.noperands); i++)
		file_set(r, a.operands[i], FETCHED);
	return false;
}

/* What lies on the clipboard: often a password, and never meant for another machine. */
static bool run_clipboard(struct run *r, const struct call *c)
{
	struct args a;
	struct str name = c->words[0];
	bool asks;

	args_read(r, &a, c, "= -selection -sel -display -loops -t -target -l -n -d");
	asks = args_option(&a, "-o|-out|--output|--clipboard-get|-ob|-bo");
	if (str_eqz(name, "xsel"))
		asks |= !r->has_in && !args_option(&a, "-i|--input|-c|--clear|-ib|-bi");
	if (asks || word_in_text(name, "pbpaste wl-paste termux-clipboard-get"))
		run_emit(r, ENVIRONMENT);
	return true;
}

/* A picture of the screen shows whatever is on it, and a recording whatever is said. */
static bool run_screenshot(struct run *r, const struct call *c)
{
	struct args a;

	args_read(r, &a, c, "-R -l -T -D -s -d -q -g -o -t -f -window -quality");
	for (size_t i = 0; i < a.noptions; i++)
		if (word_in_text(a.options[i].name, "-f --file -o --output"))
			file_set(r, a.options[i].value, SECRET);
	if (a.noperands)
		file_set(r, a.operands[a.noperands - 1], SECRET);
	return false;
}

/* -f v4l2: a camera, the microphone, the screen */
static bool run_ffmpeg(struct run *r, const struct call *c)
{
	for (size_t i = 1; i + 1 < c->n; i++)
		if (str_eqz(c->words[i], "-f") &&
		    word_in_text(c->words[i + 1],
				 "v4l2 alsa pulse avfoundation x11grab gdigrab dshow kmsgrab"))
			file_set(r, c->words[c->n - 1], SECRET);
	return false;
}

/* A key under a name that is there: it asks, and without an answer leaves that as it is. */
static bool run_keygen(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *file;

	args_of(r, &a, c, STR("ssh-keygen"));
	file = args_option(&a, "-f");
	if (!file || r->has_in ||
	    args_option(&a, "-A|-B|-c|-D|-e|-F|-H|-i|-I|-k|-K|-l|-L|-M|-p|-Q|-R|-r|-s|-u|-Y|-y"))
		return false;
	call_path(r, c, (struct effect){ .kind = EFFECT_WRITE }, file->value);
	return true;
}

const struct special special_files[] = {
	{ "ssh-keygen", run_keygen },
	{ "pbpaste wl-paste xclip xsel termux-clipboard-get", run_clipboard },
	{ "screencapture scrot grim maim gnome-screenshot spectacle arecord parecord pw-record rec "
	  "imagesnap fswebcam streamer",
	  run_screenshot },
	{ "ffmpeg", run_ffmpeg },
	{ "mkfifo mknod", run_mkfifo },
	{ "cp mv gcp gmv install", run_copy },
	{ "ln gln", run_ln },
	{ "dd gdd dcfldd", run_dd },
	{ "tar gtar bsdtar", run_tar },
	{ "unzip unar unrar", run_unzip },
	{ "7z 7za 7zr 7zz", run_7z },
	{ "chmod gchmod", run_chmod },
	{ "grep egrep fgrep rg ag ack zgrep ggrep", run_grep },
	{ NULL, NULL },
};
