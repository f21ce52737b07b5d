/* Programs that run the code which they are given: shells, and interpreters of other languages. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/project.h"

/* ---- shells ---- */

/* The file that a variable names is run first. */
static void run_startup(struct run *r, struct str name)
{
	const struct binding *b = binding_find(r->vars, name);
	struct str words[2] = { STR("."), b ? b->value : STR("") };

	if (words[1].n && !str_eqz(words[1], "/dev/null"))
		run_call(r, words, 2);
}

/* fish: (x) is what $(x) is elsewhere. */
static struct str fish_text(struct run *r, struct str text)
{
	struct text t = { 0 };
	char quote = '\0';

	for (size_t i = 0; i < text.n; i++) {
		char ch = text.p[i];

		if (ch == '\\' && i + 1 < text.n && quote != '\'') {
			text_add(r, &t, str_sub(text, i, i + 2));
			i++;
			continue;
		}
		if (quote ? ch == quote : ch == '"' || ch == '\'')
			quote = quote ? '\0' : ch;
		if (!quote && ch == '(' && (!i || text.p[i - 1] != '$'))
			text_add(r, &t, STR("$"));
		text_add(r, &t, str_sub(text, i, i + 1));
	}
	return text_str(&t);
}

static bool run_sh(struct run *r, const struct call *c)
{
	struct run inner = *r;
	bool text = false, input = false, reads = false, asks = false;
	size_t i = 1;

	for (; i < c->n && c->words[i].n > 1 && strchr("-+", c->words[i].p[0]); i++) {
		struct str w = c->words[i];

		if (str_eqz(w, "--")) {
			i++;
			break;
		}
		if (w.p[1] == '-') {
			if (str_eqz(w, "--command"))
				text = true;
			else if (str_starts(w, STR("--command="))) {
				call_shell(&inner, c, str_sub(w, 10, w.n));
				return true;
			}
			if (str_eqz(w, "--rcfile") || str_eqz(w, "--init-file"))
				call_script(&inner, c, CODE_SHELL,
					    c->words[min_size(++i, c->n - 1)]);
			continue;
		}
		reads |= w.p[0] == '-' &&
			 (str_chr(w, 'n', 0) > 0 ||
			  (str_eqz(w, "-o") && i + 1 < c->n && str_eqz(c->words[i + 1], "noexec")));
		asks |= w.p[0] == '-' && str_chr(w, 'i', 0) > 0;
		text |= w.p[0] == '-' && (str_chr(w, 'c', 0) >= 0 || str_eqz(w, "-C"));
		input |= w.p[0] == '-' && str_chr(w, 's', 0) >= 0;
		i += w.p[w.n - 1] == 'o' || w.p[w.n - 1] == 'O';
	}
	i = min_size(i, c->n);
	if (reads && !asks) /* bash -n: whether it can be read, and no more */
		return true;
	run_startup(&inner, asks ? STR("ENV") : STR("BASH_ENV"));
	if (text && i < c->n) {
		binding_set(&inner, &inner.vars, STR("0"),
			    i + 1 < c->n ? c->words[i + 1] : c->words[0]);
		inner.args = text_join(r, c->words + min_size(i + 2, c->n),
				       c->n - min_size(i + 2, c->n), MARK_FIELD);
		inner.fish = str_eqz(sh_file_name(c->words[0]), "fish");
		call_shell(&inner, c, inner.fish ? fish_text(r, c->words[i]) : c->words[i]);
		return true;
	}
	if (!input && i < c->n && !str_eqz(c->words[i], "-") &&
	    !str_eqz(c->words[i], "/dev/stdin")) {
		call_script(&inner, c, CODE_SHELL, c->words[i]);
		return true;
	}
	inner.args = text_join(r, c->words + i, c->n - i, MARK_FIELD); /* of -s */
	call_prompt(&inner, c);
	return true;
}

/* ---- interpreters ---- */

/* php -S ADDRESS -t DIR: a server like others. */
static void run_php_server(struct run *r, const struct call *c)
{
	struct args a;
	const struct option *address, *dir;
	struct str words[4] = { STR("http-server"), STR("."), STR("-a") };

	args_read(r, &a, c, "-S -t -d -c -f -r -z");
	address = args_option(&a, "-S");
	dir = args_option(&a, "-t");
	if (!address)
		return;
	words[1] = dir ? dir->value : words[1];
	words[3] = address->value;
	run_call(r, words, ARRAY_LEN(words));
}

struct interpreter {
	const char *names;
	enum code_language lang;
	const char *code; /* options whose value is code */
	const char *valued; /* others with a value */
	unsigned operand; /* which operand is code; 0 = the first one is a script */
	bool input; /* standard input is code */
};

static const struct interpreter interpreters[] = {
	{ "python python2 python3 pypy pypy3 ipython micropython", CODE_PYTHON, "-c", "-W -X -m -Q",
	  0, true },
	{ "node nodejs electron", CODE_JAVASCRIPT, "-e|--eval|-p|--print|-pe",
	  "-r -C --require --import --loader --env-file", 0, true },
	{ "ts-node tsx zx vite-node babel-node jiti esno", CODE_JAVASCRIPT, "-e|--eval|-p|--print",
	  "-r -P -O --require --project", 0, true },
	{ "perl", CODE_PERL, "-e|-E", "-I", 0, true },
	{ "ruby jruby irb pry", CODE_RUBY, "-e", "-I -r -C -E", 0, true },
	{ "php", CODE_PHP, "-r|-B|-E|-R", "-d -c -f -S -t -z", 0, true },
	{ "lua luajit lua5.1 lua5.3 lua5.4", CODE_LUA, "-e", "-l", 0, true },
	{ "awk gawk mawk nawk original-awk", CODE_AWK, "--source|-e",
	  "-F -v -f --file --assign --field-separator", 1, false },
	{ "groovy scala swift kotlin dart", CODE_COMPILED, "-e", "-P -s", 0, true },
	{ "Rscript R littler", CODE_R, "-e", "-g -f", 0, true },
	{ "julia", CODE_JULIA, "-e|--eval|-E|--print", "-t -p -J -L", 0, true },
	{ "elixir iex osascript tclsh expect ghc runghc guile racket clojure "
	  "jshell swipl octave erl gnuplot dc m4 sbcl ecl clisp maxima raku crystal nim wish "
	  "ocaml janet fennel csi gosh bb clj amm gforth",
	  CODE_OTHER, "-e|--eval|-eval|-c|-E|-g|--expr|--execute|-x|--batch-string", "-P -s -l", 0,
	  true },
	{ "pwsh powershell", CODE_POWERSHELL, "",
	  "-executionpolicy -ep -ex -exec -workingdirectory -wd -w -windowstyle -version -v -inputformat "
	  "-outputformat -configurationname -settingsfile",
	  0, true },
};

static const struct interpreter *interpreter_find(struct str name)
{
	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++)
		if (word_in_text(name, interpreters[i].names))
			return &interpreters[i];
	return NULL;
}

struct code_read {
	struct text code;
	bool has_code, in_place, encoded;
	size_t behind; /* the words behind the code */
	struct fields names, values; /* awk -v */
	struct str module, file;
	size_t *operand; /* their words */
	size_t noperands;
};

static void code_add(struct run *r, struct code_read *k, struct str code)
{
	if (k->has_code)
		text_add(r, &k->code, STR("\n"));
	text_add(r, &k->code, code);
	k->has_code = true;
}

/* NAME=value of awk. */
static void code_variable_add(struct run *r, struct code_read *k, struct str w)
{
	ptrdiff_t eq = str_chr(w, '=', 0);

	if (eq <= 0 || !sh_is_name(str_sub(w, 0, (size_t)eq)))
		return;
	field_add(r, &k->names, str_sub(w, 0, (size_t)eq));
	field_add(r, &k->values, value_known(w) ? str_sub(w, (size_t)eq + 1, w.n) : ANY);
}

/* node -p process.env.API_KEY */
static void see_printed(struct run *r, const struct call *c, struct str code)
{
	static const char env[] = "process.env.";
	ptrdiff_t at = str_find(code, str_from(env), 0);
	size_t from = (size_t)at + strlen(env), to = from;

	while (at >= 0 && to < code.n && char_is_word(code.p[to]))
		to++;
	if (at >= 0 && is_secret_name(str_sub(code, from, to)))
		call_add(r, c, (struct effect){ .kind = EFFECT_READ, .places = PLACE_SECRET });
}

/* One word of options; how many words it took. */
static size_t interpreter_option(struct run *r, const struct interpreter *p, const struct call *c,
				 size_t i, struct code_read *k)
{
	struct str w = c->words[i], one, next = i + 1 < c->n ? c->words[i + 1] : STR("");

	for (struct str rest = str_from(p->code); str_split(&rest, '|', &one);) {
		if (str_eq(w, one)) {
			/* node -p: what its text gives is printed. */
			bool prints = p->lang == CODE_JAVASCRIPT && str_chr(w, 'p', 0) > 0 &&
				      str_chr(next, ';', 0) < 0 && str_chr(next, '\n', 0) < 0;

			if (prints)
				see_printed(r, c, next);
			code_add(r, k,
				 prints ? arena_printf(r->a, "console.log(%.*s)", STR_ARG(next))
					: next);
			return 2;
		}
		if (one.n > 2 && str_starts(w, one) && w.p[one.n] == '=') {
			code_add(r, k, str_sub(w, one.n + 1, w.n));
			return 1;
		}
	}
	if (w.p[1] == '-')
		return str_chr(w, '=', 0) < 0 && word_in_text(w, p->valued) ? 2 : 1;
	if (p->lang == CODE_POWERSHELL) {
		enum code_language lang = powershell_option(w);
		char *low = arena_z(r->a, w);

		if (lang == CODE_POWERSHELL) { /* all that follows */
			code_add(r, k, text_join(r, c->words + i + 1, c->n - i - 1, ' '));
			return c->n - i;
		}
		if (lang == CODE_POWERSHELL_ENCODED) {
			code_add(r, k, next);
			k->encoded = true;
			return 2;
		}
		for (size_t at = 0; at < w.n; at++)
			low[at] = char_lower(low[at]);
		return word_in_text((struct str){ low, w.n }, p->valued) ? 2 : 1;
	}
	for (size_t at = 1; at < w.n; at++) {
		char z[2] = { '-', w.p[at] };
		struct str option = { z, 2 }, value = str_sub(w, at + 1, w.n);

		/* What is behind some letters belongs to them: -MLWP::Simple, -i.bak */
		if ((p->lang == CODE_PERL || p->lang == CODE_RUBY) && strchr("MmFxDi", w.p[at])) {
			k->in_place |= w.p[at] == 'i';
			return 1;
		}
		for (struct str rest = str_from(p->code); str_split(&rest, '|', &one);)
			if (str_eq(option, one)) {
				code_add(r, k, value.n ? value : next);
				return value.n ? 1 : 2;
			}
		if (word_in_text(option, p->valued)) {
			value = value.n ? value : next;
			if (w.p[at] == 'm' && p->lang == CODE_PYTHON)
				k->module = value;
			if (w.p[at] == 'f' || w.p[at] == 'i')
				k->file = value;
			if (w.p[at] == 'v' && p->lang == CODE_AWK)
				code_variable_add(r, k, value);
			return at + 1 < w.n ? 1 : 2;
		}
	}
	return 1;
}

static void code_read(struct run *r, const struct interpreter *p, const struct call *c,
		      struct code_read *k)
{
	size_t i = 1;

	k->operand = ARENA_ARRAY(r->a, size_t, c->n);
	while (i < c->n) {
		struct str w = c->words[i];

		if (w.n > 1 && w.p[0] == '-' && !str_eqz(w, "--") && !k->module.n &&
		    !(k->noperands && p->operand == 0)) {
			i += interpreter_option(r, p, c, i, k);
			if (p->lang == CODE_PYTHON && k->has_code) /* the rest are arguments */
				for (k->behind = i; i < c->n; i++)
					k->operand[k->noperands++] = i;
			continue;
		}
		if (!str_eqz(w, "--"))
			k->operand[k->noperands++] = i;
		i++;
	}
}

/* "/inet/tcp/0/HOST/PORT" of awk: what it sends and gets, and runs when a pipe comes from what it got. */
static void see_connection(struct run *r, const struct call *c, struct str code)
{
	ptrdiff_t at = str_find(code, STR("/inet"), 0), first, end;
	struct str part, rest, host = STR("");

	if (at < 0 || (first = str_find(code, STR("getline"), 0)) < 0)
		return;
	rest = str_sub(code, (size_t)at, code.n);
	end = str_chr(rest, '"', 0);
	rest = end < 0 ? rest : str_sub(rest, 0, (size_t)end);
	for (size_t i = 0; i < 5 && str_split(&rest, '/', &part);
	     i++) /* "", inet, tcp, port, host */
		host = part;
	call_add(r, c,
		 (struct effect){ .kind = EFFECT_SEND,
				  .target = value_shown(r->a, host),
				  .places = address_is_local(host) ? PLACE_LOCAL_HOST : 0 });
	if (str_find(code, STR("getline"), (size_t)first + 7) >= 0)
		call_add(r, c, (struct effect){ .kind = EFFECT_RUN_FETCHED, .target = host });
}

/* A script; of languages that have no reader the text, when its name says so. */
static void run_named(struct run *r, const struct call *c, enum code_language lang, struct str file,
		      const struct str *text)
{
	static const char compiled[] = "kt kts swift scala groovy dart";
	static const char others[] = "tcl exs ex hs clj rkt scm lisp el erl nim nims ml cr";
	struct str end = file;

	for (ptrdiff_t dot; (dot = str_chr(end, '.', 0)) >= 0;)
		end = str_sub(end, (size_t)dot + 1, end.n);
	if ((lang == CODE_OTHER || lang == CODE_COMPILED) && word_in_text(end, compiled)) {
		call_script(r, c, CODE_COMPILED, file);
		if (text->n && word_in_text(end, "groovy scala")) /* "...".execute(), "...".! */
			(void)presume_code(r, c, *text, false);
	} else if (lang == CODE_OTHER && text->n &&
		   (word_in_text(end, others) || str_starts(file, STR("/dev/fd/"))))
		call_code(r, c, CODE_OTHER, *text);
	else
		call_script(r, c, lang == CODE_OTHER ? CODE_SHELL : lang, file);
}

/* Of what a subcommand is given: nim e --hints:off FILE. */
static struct str second_operand(const struct call *c, const struct code_read *k)
{
	for (size_t i = 1; i < k->noperands; i++)
		if (c->words[k->operand[i]].n && c->words[k->operand[i]].p[0] != '-')
			return c->words[k->operand[i]];
	return STR("");
}

static bool run_code(struct run *r, const struct call *c, const struct interpreter *p,
		     const struct code_read *k)
{
	size_t first = p->operand;
	struct str file = k->file, second = second_operand(c, k);

	if (p->lang == CODE_POWERSHELL && k->has_code && str_eqz(text_str(&k->code), "-")) {
		call_input(r, c, p->lang);
		return true;
	}
	if (k->has_code && p->lang == CODE_COMPILED) /* texts that it runs in its own ways */
		call_code(r, c, CODE_OTHER, text_str(&k->code));
	if (k->has_code)
		call_code(r, c, k->encoded ? CODE_POWERSHELL_ENCODED : p->lang, text_str(&k->code));
	if (k->has_code || k->module.n)
		return true;
	if (first == 1 && k->noperands && !file.n) {
		if (p->lang == CODE_AWK)
			see_connection(r, c, c->words[k->operand[0]]);
		call_code(r, c, p->lang, c->words[k->operand[0]]);
		return true;
	}
	if (p->lang == CODE_OTHER && k->noperands > 1 &&
	    word_in_text(c->words[k->operand[0]], "eval e") &&
	    !(second.n && file_read(r, second, &(struct str){ 0 }))) { /* crystal eval CODE */
		call_code(r, c, p->lang, second.n ? second : c->words[k->operand[1]]);
		return true;
	}
	if (first == 0 && k->noperands && !file.n)
		file = c->words[k->operand[0]];
	if (second.n && word_in_text(file, "run r e c cpp") &&
	    (p->lang == CODE_OTHER || p->lang == CODE_COMPILED)) /* dart run FILE, nim r FILE */
		file = second;
	for (size_t i = 0; p->lang == CODE_MONGO && i < k->noperands; i++) {
		struct str text, name = c->words[k->operand[i]];

		if (str_ends(name, STR(".js")) && file_read(r, name, &text))
			call_code(r, c, p->lang, text);
	}
	if (file.n && !is_input_path(file)) {
		struct run inner = *r;

		if (p->lang == CODE_AWK) {
			struct str text;

			if (file_read(r, file, &text))
				call_code(&inner, c, p->lang, text);
			return true;
		}
		struct str text = { 0 };

		if (file_read(r, file, &text) || !project_module(&inner, c, p->lang, file))
			run_named(&inner, c, p->lang, file, &text);
		if (first == 0 && k->noperands)
			call_tables(r, c, k->operand[0]);
		return true;
	}
	if (p->input && r->has_in)
		call_input(r, c, p->lang);
	return true;
}

/* awk that takes every line: { print $2 } */
static bool only_prints(struct str code)
{
	static const char *const lines[] = { "NR>1", "NR > 1", "FNR>1", "NR!=1", "NR != 1" };

	code = str_trim(code);
	for (size_t i = 0; i < ARRAY_LEN(lines); i++)
		if (str_starts(code, str_from(lines[i])))
			code = str_trim(str_sub(code, strlen(lines[i]), code.n));
	return str_starts(code, STR("{")) && str_chr(code, '/', 0) < 0 &&
	       str_chr(code, '=', 0) < 0 && str_chr(code, '~', 0) < 0 &&
	       str_find(code, STR("if"), 0) < 0;
}

/* ruby -run -e rm -- -rf x: programs of its library, under their own names */
static bool run_ruby_library(struct run *r, const struct call *c)
{
	struct fields words = { 0 };
	size_t i = 1;

	while (i < c->n && !str_eqz(c->words[i], "-run"))
		i++;
	for (; i < c->n; i++)
		if (words.n && !str_eqz(c->words[i], "--"))
			field_add(r, &words, c->words[i]);
		else if (i + 1 < c->n && str_eqz(c->words[i], "-e"))
			field_add(r, &words, c->words[++i]);
	if (words.n)
		run_call(r, words.p, words.n);
	return words.n > 0;
}

/* What the code finds in sys.argv and its kin, and of awk in its variables. */
static void give_arguments(struct run *r, const struct call *c, const struct interpreter *p,
			   struct code_read *k)
{
	size_t skip = p->operand == 1 || !k->has_code, from = c->n;

	if (k->noperands > skip)
		from = k->operand[skip];
	if (k->behind)
		from = min_size(k->behind,
				c->n); /* an option whose value is missing is behind the end */
	r->args = text_join(r, c->words + from, c->n - from, MARK_FIELD);
	for (size_t i = 1; p->lang == CODE_AWK && i < k->noperands; i++)
		code_variable_add(r, k, c->words[k->operand[i]]);
	r->given_names = k->names;
	r->given_values = k->values;
	binding_set(r, &r->vars, STR("0"), STR(""));
}

/* Files that options load before the code: node -r x --import=y, ruby -r./x; node --run SCRIPT. */
static void interpreter_loads(struct run *r, const struct call *c, enum code_language lang)
{
	static const char options[] =
		"-r --require --import --loader --experimental-loader --preload";
	struct str value;

	for (size_t i = 1; i < c->n && (lang == CODE_JAVASCRIPT || lang == CODE_RUBY); i++) {
		struct str w = c->words[i];
		ptrdiff_t eq = str_chr(w, '=', 0);

		if (str_eqz(w, "--run") && i + 1 < c->n && lang == CODE_JAVASCRIPT)
			(void)project_script(r, c, c->words[i + 1]);
		if (word_in_text(w, options) && i + 1 < c->n)
			value = c->words[i + 1];
		else if (eq > 0 && word_in_text(str_sub(w, 0, (size_t)eq), options))
			value = str_sub(w, (size_t)eq + 1, w.n);
		else if (lang == CODE_RUBY && str_starts(w, STR("-r")))
			value = str_sub(w, 2, w.n);
		else
			continue;
		if (value.n && strchr("./", value.p[0]))
			(void)(project_load(r, c, lang, value) ||
			       project_load_first(
				       r, c, lang, STR(""),
				       arena_z(r->a,
					       arena_printf(r->a, "%.*s.js %.*s.rb", STR_ARG(value),
							    STR_ARG(value)))));
	}
}

/* perl -ne, ruby -pe: operands are files that are read line by line. */
static bool reads_lines(const struct interpreter *p, const struct call *c)
{
	if (p->lang != CODE_PERL && p->lang != CODE_RUBY)
		return false;
	for (size_t i = 1; i < c->n && c->words[i].n > 1 && c->words[i].p[0] == '-'; i++)
		if (c->words[i].p[1] != '-' &&
		    (str_chr(c->words[i], 'n', 0) > 0 || str_chr(c->words[i], 'p', 0) > 0))
			return true;
	return false;
}

static bool run_interpreter(struct run *r, const struct call *c)
{
	struct str name = sh_file_name(c->words[0]);
	const struct interpreter *p = interpreter_find(name);
	struct code_read k = { 0 };
	struct run inner = *r;

	while (!p && name.n && (char_is_digit(name.p[name.n - 1]) || name.p[name.n - 1] == '.')) {
		name.n--;
		p = interpreter_find(name);
	}
	if (!p)
		return false;
	if (p->lang == CODE_RUBY && run_ruby_library(r, c))
		return true;
	if (p->lang == CODE_PHP)
		run_php_server(r, c);
	code_read(r, p, c, &k);
	if (k.module.n) {
		struct fields words = { 0 };

		field_add(r, &words, k.module);
		for (size_t i = 0; i < k.noperands; i++)
			field_add(r, &words, c->words[k.operand[i]]);
		run_call(r, words.p, words.n);
		(void)project_module(&inner, c, p->lang, k.module);
	}
	if (str_eqz(name, "ipython") && k.has_code && str_starts(text_str(&k.code), STR("!")))
		call_shell(&inner, c, str_sub(text_str(&k.code), 1, k.code.n));
	give_arguments(&inner, c, p, &k);
	interpreter_loads(&inner, c, p->lang);
	(void)run_code(&inner, c, p, &k);
	for (size_t i = 0; k.in_place && i < k.noperands; i++)
		call_path(r, c, (struct effect){ .kind = EFFECT_OVERWRITE },
			  c->words[k.operand[i]]);
	for (size_t i = 0; reads_lines(p, c) && i < k.noperands; i++)
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, c->words[k.operand[i]]);
	for (size_t i = 1; p->lang == CODE_AWK && i < k.noperands; i++)
		call_path(r, c, (struct effect){ .kind = EFFECT_READ }, c->words[k.operand[i]]);
	if (p->lang == CODE_AWK && k.noperands == 1 && only_prints(c->words[k.operand[0]]))
		run_emit(r, r->in);
	else
		run_pass_on(r);
	return p->lang < CODE_SQL;
}

const struct special special_interpreters[] = {
	{ SHELLS, run_sh },
	{ NULL, NULL },
};

void interpreters_each(void (*each)(const char *names, special_fn *run))
{
	for (size_t i = 0; i < ARRAY_LEN(interpreters); i++)
		each(interpreters[i].names, run_interpreter);
}
