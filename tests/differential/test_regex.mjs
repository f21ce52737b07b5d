// Compares src/base/regex.c with the RegExp of the Node that runs this file: which patterns are
// accepted, and what test() says, without flags and with i.
//
//	node test_regex.mjs DRIVER [random patterns, default 3000] [seed, default 1]
//
// DRIVER is the program made from drive_regex.c.  Exit 1 on any difference that is not listed below.
import { spawnSync } from 'node:child_process';

const [driver, countArg, seedArg] = process.argv.slice(2);
const randomCount = Number(countArg ?? 3000);
const seed = Number(seedArg ?? 1);
const raw = String.raw;

// Valid patterns that we refuse with E_LIMIT, and why.
const variable = 'PCRE2 10.42 has no lookbehind of variable length';
const reset = 'JavaScript resets the groups of a repeated part at each turn, PCRE2 does not';
const mirrored = 'JavaScript reads a lookbehind from right to left';
const big = 'PCRE2 repeats at most 65535 times';
const refused = new Map([
	[raw`(?<=a+)b`, variable],
	[raw`(?<=a*)b`, variable],
	[raw`(?<!a?)b`, variable],
	[raw`(?<=a{1,3})b`, variable],
	[raw`(?<=(?:ab|c)d)e`, variable],
	[raw`(?<=\$\d+\.)\d\d`, variable],
	[raw`(a)(?<=\1)b`, variable],
	[raw`(?<=(a)\1)b`, mirrored],
	[raw`(?<=\1(a))b`, mirrored],
	[raw`(?<=(a|b){2})\1`, reset],
	[raw`(?:(a)|b)*\1`, reset],
	[raw`^(?:(a)|(b)|c)+\1\2$`, reset],
	[raw`(?:(a)?b)*\1`, reset],
	[raw`^(a*)*x\1$`, reset],
	[raw`(z)((a+)?(b+)?(c))*\3`, reset],
	[raw`(?:(?=(a)))?\1b`, reset],
	[raw`(?:(?=(a)))*\1`, reset],
	[raw`a{70000}`, big],
	[raw`a{0,70000}`, big],
]);
// Where Node is wrong: V8 compares the low bytes of two alternatives of one unit in a Latin-1 subject.
const nodeErrs = new Map([[raw`^(k|\u212a)+$`, '/k|\u212a/i.test("*") is true in V8 11.3']]);
// What a random pattern may be refused for.
const refusals = [/variable-length lookbehind/, /repetition resets/, /within the lookbehind of its group/];

const patterns = [
	...refused.keys(),
	// What authors of hooks write.
	'', '*', '.*', '.+', '.', 'replace', 'write_file', 'write_file|replace', raw`write_.*|replace`, raw`^mcp__.*__write.*$`,
	raw`^mcp_.*`, raw`mcp__memory__.*`, raw`^mcp_.*$`, raw`^(mcp_.*|a)$`, raw`(mcp_.*|.*a)`, raw`^(.*_file|a)$`, raw`.*_file$`, raw`^.*a`, raw`a.*$|.*b$`, raw`a.*.*`, raw`a.*?`, raw`.*.*a`, raw`mcp_(fs|git)_(read|write)_file`, raw`^(write_file|replace)$`, raw`^(?:write_file|replace)$`,
	raw`^write_file$|^replace$`, raw`^write_file|replace$`, raw`(?!read_).*`, raw`^(?!read_).*`, raw`^(?!.*(read|list)).*$`, raw`.*_file`,
	raw`run_shell_command`, raw`run_shell_command|.*_file$`, raw`\bgit\b`, raw`\bgit\s+push\b`, raw`^git (push|reset)`, raw`rm\s+-rf?\s+/`,
	raw`Bash`, 'Edit|Write|MultiEdit', 'Edit | Write', 'edit,write', raw`^[a-z_]+$`, raw`^[A-Za-z0-9_-]+$`, raw`[A-Z]`, raw`^\w+$`, raw`^\W+$`, raw`^\d+$`,
	raw`^\S+$`, raw`\s`, raw`\S`, raw`^\s*$`, raw`^\s+|\s+$`, raw`(read|write)_(file|many_files)`, raw`^.{4,8}$`, raw`^.{10}`, raw`_file$`, raw`^read`, raw`file`,
	raw`web_fetch|google_web_search`, raw`/etc/(passwd|shadow)`, raw`\.env(\..+)?$`, raw`\.(js|ts)x?$`, raw`^(?=.*a)(?=.*b).*$`, raw`(\w)\1`, raw`^(.+)_\1$`,
	raw`(?<tool>\w+)__(?<verb>\w+)`, raw`(?<q>['"]).*?\k<q>`, raw`^(?<a>.)(?<b>.).*\k<b>\k<a>$`, raw`secret|token|passw(or)?d`, raw`[^a-z_]`, raw`a|b|c|`, raw`|`, raw`||a`, raw`^$`, raw`^`, raw`$`, raw`$^`,
	raw`a\.b`, raw`a\-b`, raw`a\/b`, 'a/b', raw`(a)`, raw`(?:a)`, raw`(a|)`, raw`()`, raw`(?:)`, raw`^()$`, raw`^(?:|a)$`, raw`(a|b)$`, raw`^(a|b)`, raw`^^a`, raw`a$$`, raw`^a$|b`, raw`(^a|b$)`, raw`(?:^a$)`, raw`a(b|c)`, raw`(a|b)c`,
	// What does not compile.
	'[', '(', ')', '*foo', '+', '?', '+a', '?a', 'a**', 'a++', 'a+*', 'a?+', 'a*+', 'a???', 'a+??', 'a{1}{2}', 'a{1}+', 'a{2,1}', '{1}', '{1,}', '{1,2}', 'a|*', '(*a)', '(?:*)', '^*', '$+', '^{2}', raw`\b*`, raw`\B+`, raw`\b{1}`,
	'(?', '(?)', '(?a)', '(?i)a', '(?-i)a', '(?i:a)', '(?x)', '(?#c)', '(?>a)', '(?|a)', '(?P<n>a)', "(?'n'a)", '(?R)', '(?1)', '(?&n)', '(?(1)a)', '(*FAIL)', '(*UTF)a', '(?<', '(?<=', '(?<!', '(?=', '(?!', '(?:',
	'(?<>a)', '(?<1>a)', '(?<a', '(?<a>', '(?<a>b', '(?<a-b>c)', '(?<a>b)(?<a>c)', '(?<a>b)|(?<a>c)', raw`(?<a>b)\k`, raw`(?<a>b)\k<`, raw`(?<a>b)\k<a`, raw`(?<a>b)\k<b>`, raw`(?<a>b)\k{a}`, raw`(?<a>b)[\k]`, raw`\k<a>(?<b>c)`, '(?<=a)*', '(?<=a)+b', '(?<!a){2}', '(?<=a)?',
	'a\\', '\\', '[a', '[]', '[^]', '[]]', '[^]]', '[]a]', '[z-a]', '[a-', '[\\', '[a\\', '[a\\]', raw`[\d-z-a]`, raw`[b-a]`, raw`[\x62-a]`, '((a)', '(a))', 'a)', '(a', '((((', 'x{99999999999,1}', '[😀-😁]', '[あ-ん]', '[ん-あ]',
	// Annex B.
	']', '}', '{', 'a]', 'a}', 'a{', 'a{}', 'a{,}', 'a{,3}', 'a{1', 'a{1,', 'a{1,2', 'a{a}', 'a{ 1}', 'a{1, 2}', 'a{1 }', '{a', '{{', '}}', '{}', 'x{0}', 'x{0,0}', 'x{0}y', 'x{1}', 'x{2}', 'x{2,}', 'x{2,3}', 'x{2,3}?', 'x{2}?', 'x{0,1}?', 'ab{0,2}c', 'a{,3}b', 'a{01}', 'a{0,99999999999}', '(?:a{2}){2}', '^(?:ab){2,}$',
	raw`\a`, raw`\A`, raw`\c`, raw`\cA`, raw`\ca`, raw`\c1`, raw`\c_`, raw`\c*`, raw`[\c]`, raw`[\cA]`, raw`[\c1]`, raw`[\c_]`, raw`[\c*]`, raw`[\c-a]`, raw`\e`, raw`\E`, raw`\g`, raw`\g{1}`, raw`\G`, raw`\h`, raw`\H`, raw`\i`, raw`\k`, raw`\k<a>`, raw`\k{a}`, raw`[\k]`, raw`\K`, raw`\l`, raw`\L`, raw`\N`, raw`\N{U+41}`, raw`\o`, raw`\o{101}`, raw`\p`, raw`\p{L}`, raw`\pL`, raw`\P{L}`, raw`\Q.\E`, raw`\R`, raw`\C`, raw`\X`, raw`\z`, raw`\Z`, raw`\y`, raw`\_`, raw`\-`, raw`\ `, raw`\"`, raw`\あ`, raw`\😀`, raw`\8`, raw`\9`, raw`\89`, raw`[\8]`, raw`[\B]`, raw`[\b]`, raw`[\A-\Z]`,
	raw`\0`, raw`\00`, raw`\000`, raw`\0000`, raw`\01`, raw`\08`, raw`\1`, raw`\7`, raw`\10`, raw`\12`, raw`\18`, raw`\40`, raw`\101`, raw`\141`, raw`\377`, raw`\400`, raw`\477`, raw`\777`, raw`[\0]`, raw`[\1]`, raw`[\12]`, raw`[\101]`, raw`[\141-\143]`, raw`[\400]`, raw`[\08]`, raw`(a)\1`, raw`(a)\2`, raw`(a)\10`, raw`(a)\01`, raw`(a)[\1]`, raw`\1(a)`, raw`\2(a)(b)`, raw`(a\1)`, raw`(a\1)b`, raw`(?:\1(a))*b`, raw`^(?:\1(a)b)+$`, raw`(a)(b)(c)(d)(e)(f)(g)(h)(i)(j)\10`, raw`(a)\1*`, raw`(a)\1{2}`, raw`(a)?\1b`, raw`(a)|\1b`, raw`(?:(a)|b)\1`, raw`^(a|b)+\1$`, raw`^(?:(a|b)c?)+\1$`, raw`(?=(a+))a*b\1`, raw`(?!(a))\1b`, raw`(.*?)a(?!(a+)b\2c)\2(.*)`, raw`\k<x>(?<x>a)`, raw`(?<x>a)\k<x>`, raw`(?<x>a\k<x>)`, raw`(?<é>a)\k<é>`, raw`(?<\u0061>x)\k<a>`, raw`(?<\u{61}>x)\k<a>`, raw`(?<\u{110000}>x)`, raw`(?<\ud83d\ude00>x)`, raw`(?<𝒜>.)\k<𝒜>`, raw`(?<\ud835\udc9c>.)`, raw`(?<😀>x)`, raw`(?<$>a)\k<$>`, raw`(?<_1>a)`, raw`(?<あ>い)\k<あ>`, raw`(?<a1>x)\1`,
	raw`(?=a)*`, raw`(?=a)*b`, raw`(?=a)+`, raw`(?=a)?b`, raw`(?=a){2}`, raw`(?!a)*b`, raw`(?!a)+b`, raw`(?!a){0}a`, raw`(?=(a))?\1b`, raw`(?=(a))+\1`, raw`^(?=(a))*\1b`, raw`(?=a)*?b`, raw`(?=a){0,3}b`,
	raw`\u`, raw`\u0`, raw`\u006`, raw`\u0061`, raw`\u{61}`, raw`\u{2}`, raw`\x`, raw`\x6`, raw`\x61`, raw`\xg1`, raw`\x{61}`, raw`[\u0061-\u0063]`, raw`[\x61-\x63]`, raw`[\u]`, raw`[\x]`, raw`\ud83d`, raw`\ude00`, raw`\ud83d\ude00`, raw`\uD83D\uDE00`, raw`[\ud83d]`, raw`[\ud83d\ude00]`, raw`^[\ud83d\ude00]$`, raw`^[\ud83d\ude00]{2}$`, raw`^[^\ud83d]`, raw`[\ud800-\udbff][\udc00-\udfff]`, raw`^[\0-\uffff]+$`, raw`\ud83d+`, raw`\ufffd`, raw`[\ufffd]`,
	// Classes.
	'[a]', '[abc]', '[a-c]', '[a-a]', '[-]', '[--]', '[---]', '[-a]', '[a-]', '[^-]', '[^-a]', '[a-c-e]', '[a-c-]', '[+--]', '[.]', '[.*]', '[$^]', '[\\^a]', '[a^]', '[^^]', '[[]', '[[a]', '[[a]]', '[[:alpha:]]', '[[.a.]]', '[[=a=]]', '[a&&b]', '[a--b]', '[\\]]', '[\\\\]', '[\\/]', '[/]', '[(]', '[)]', '[|]', '[{}]', '[#]', '[ ]', '[\t]', '[\n]', raw`[\n\r]`, raw`[\t\v\f]`, raw`[\d]`, raw`[^\d]`, raw`[\D]`, raw`[\w]`, raw`[^\w]`, raw`[\W]`, raw`[\s]`, raw`[^\s]`, raw`[\S]`, raw`[\d\D]`, raw`[\w\W]`, raw`[\s\S]`, raw`[^\s\S]`, raw`^[\s\S]+$`, raw`[\w-a]`, raw`[a-\w]`, raw`[\d-z]`, raw`[a-\d]`, raw`[\w-\d]`, raw`[%-\d]`, raw`[\d-]`, raw`[-\d]`, raw`[^\d-]`, raw`[\s\d]`, raw`[^\W]`, raw`[^\W_]`, raw`[\W_]`, '[あいう]', '[^あ]', '[あ-ん]+', '[é]', '[à-ÿ]', '[😀]', '^[😀]$', '[^😀]', '^[^]$', '^[^]{2}$', 'a[]', 'a[]*b', '[]|a', '(?:[]|b)', '[^]*', 'a[^]c', '[A-z]', '[Z-a]', '[_-a]', '[@-Z]', '[^a-z]', '[^A-Z]', '[^k]', '[k]', '[K]', '[ſ]', '[ß]', '[\u212a]', '[^\u212a]', '[\u0130\u0131]', '[α-ω]', '[^σ]', '[ς]', '[а-я]+', '[ǅ]', '[\u1e9e]', '[\u03f4]', '[\u2126]',
	// Folding.
	'K', 'k', '\u212a', 's', 'ſ', 'ß', '\u1e9e', 'ss', 'µ', 'μ', 'Μ', 'ς', 'σ', 'Σ', 'é', 'É', 'ÿ', 'Ÿ', 'Å', '\u212b', 'Ω', '\u2126', 'İ', 'ı', 'i', 'I', 'ǆ', 'ǅ', 'Ǆ', 'θ', 'ϑ', 'ϴ', 'ж', 'Ж', 'ꭰ', 'Ꭰ', '𐐀', '𐐨', 'ａ', 'Ａ', 'straße', 'ΣΑΣ', raw`(σ)\1`, raw`(a)\1`, raw`^(k|\u212a)+$`, raw`\w\W`, raw`^\w$`, raw`^\W$`, raw`\bk\b`, raw`[\w\u212a]`, raw`[^\w\u017f]`, 'ŉ', 'ﬁ', 'ΐ', 'ᾳ', 'ᾼ',
	// Line ends, dots, anchors, boundaries.
	raw`^.$`, raw`^..$`, raw`^...$`, raw`^.+$`, raw`a.b`, raw`a.*b`, raw`a$`, raw`^b`, raw`\n$`, raw`\r\n`, raw`\r$`, raw`^.*$`, raw`(?:^|x)a`, raw`a(?:$|x)`, raw`\b`, raw`\B`, raw`^\b`, raw`\b$`, raw`\Ba`, raw`a\B`, raw`\bé`, raw`é\b`, raw`あ\b`, raw`\bあ`, raw`\b\b`, raw`(?:\b)a`, raw`(?:\b)*a`, raw`\v`, raw`\f`, raw`\t`, raw`\n`, raw`\r`, raw`[\b]`,
	// Lookaround.
	raw`(?=a)a`, raw`(?=ab)a`, raw`a(?=b)`, raw`a(?!b)`, raw`(?!)`, raw`(?=)`, raw`(?!a)`, raw`a(?=(?=b))`, raw`a(?!(?!b))`, raw`(?<=a)b`, raw`(?<!a)b`, raw`(?<=ab|c)d`, raw`(?<=^)a`, raw`(?<=a$)`, raw`(?<=\b)a`, raw`(?<=[ab]{2})c`, raw`(?<=(a)b)\1`, raw`(?<=a(?=b))b`, raw`(?<=(?<=a)b)c`, raw`(?<=(?<!a)b)c`, raw`(?<=.)b`, raw`(?<!^)a`, raw`(?<=)a`, raw`(?<!)a`, raw`(?<=a|)b`, raw`(?<=あ)い`, raw`(?<=😀)a`, raw`(?<=\ude00)a`, raw`(?<=[😀])a`, raw`(?<!😀)a`, raw`(a)(?=\1)`, raw`(?=.*b)a`, raw`(?<=\s)\S`, raw`(?<=a)(?=b)`, raw`(?:(?=a)b|a)`, raw`(?<=\1a)b(c)`, raw`(?<=(a))b\1`, raw`(?<=()a)b`,
	// Repetition.
	raw`a*`, raw`a+`, raw`a?`, raw`a*?`, raw`a+?`, raw`a??`, raw`^a*?$`, raw`^a+?b`, raw`(a*)*`, raw`(a*)+`, raw`(a+)+b`, raw`(?:a*)*b`, raw`(?:a?)*?b`, raw`(?:a?){3}b`, raw`(?:|a)+b`, raw`(?:a|)*b`, raw`^(?:a|ab)(?:c|bcd)(?:d*)$`, raw`(?:){3}`, raw`(?:)*`, raw`(?:){0}a`, raw`(a){0}b`, raw`(a){0}\1b`, raw`(?:a{0,2}){0,2}b`, raw`^(?:a{1,2}){2}$`, raw`x*y+$`, raw`^(?:(?:ab)+c?)+$`, raw`((a)(b)?)+`, raw`^(?:a(b)?)\1$`, raw`(?:(?!b).)*`, raw`^(?:(?!git).)+$`, raw`(ab)*\1`, raw`(\w+)\s\1`, raw`(?:(\w)\1)+`, raw`^((.)\2)+$`, raw`(((((a)))))\5`, raw`a{3}`, raw`a{2}b`, raw`😀+`, raw`^😀{2}$`, raw`^(?:😀){2}$`, raw`あ+`, raw`あ{2}`, raw`日本(語)?`, raw`絵文字|😀`, '日本語', '^日本語$', '^(日本語|あ)$', '😀', '^😀$', '\u{1f600}\u{1f601}', 'é', 'e\u0301', '\ufffd', '\ud83d', '\ude00', '\ud83d.', '^\ud83d', '\ude00$', '\0', 'a\0b', '\u2028', '\ufeff', ' ', '\t', '\n', '#', ' # c', '(?: a )', 'a#b', "it's", '"', '<', '>', '=', '!', ':', ',', '-', '~', '`', '@', '%', '&', ';', '\x7f', '\x80', '\xa0', '\x85',
];

const subjects = [
	'', 'a', 'b', 'c', 'A', 'B', 'k', 'K', 's', 'S', 'i', 'I', '\u212a', 'ſ', 'ß', '\u1e9e', 'ss', 'µ', 'μ', 'Μ', 'ς', 'σσ', 'Σσ', 'é', 'É', 'İ', 'ı', 'ǅ', 'Ǆ', 'θ', 'ϴ', 'ϑ', 'Ω', '\u2126', 'ÿ', 'Ÿ', 'ꭰ', 'Ꭰ', '𐐀', '𐐨', 'ａ', 'Ａ', 'ж', 'ЖЖ', 'ᾳ', 'ᾼ',
	'aa', 'aA', 'ab', 'aab', 'abab', 'abc', 'aaa', 'aaab', 'abcd', 'abd', 'acd', 'bcd', 'ba', 'bb', 'xyy', 'xx', 'xxx', 'abba', 'aax', 'x', 'xa', 'ax', 'cd', 'abe', 'aabb', 'abcde', 'abcdefghijj', 'zaacbbbcac', 'baaabac', 'bca',
	'write_file', 'WRITE_FILE', 'replace', 'Replace', 'read_file', 'read_many_files', 'run_shell_command', 'mcp__memory__write_graph', 'mcp_fs_read_file', 'mcp__git__push', 'git push', 'git  push --force', 'agit', 'rm -rf /', 'Bash', 'Edit', 'MultiEdit', 'edit,write', 'google_web_search', '/etc/passwd', 'x/.env.local', 'a.tsx', 'token', 'aa_aa', 'ab-ba', '"q"', "'q\"",
	'a.b', 'a-b', 'a/b', 'a b', 'a\nb', 'a\r\nb', 'a\n', '\n', '\r', '\r\n', '\u2028', '\u2029', 'a\u2028b', '\x85', '\t', '\v', '\f', ' ', '\u00a0', '\ufeff', '\u180e', '\u3000', '\u200b', '\0', '\b', '\x01', '\x1f', '\x11', '\x7f', '\x80', 'a\0b',
	'[', ']', '{', '}', '(', ')', '*', '+', '?', '\\', '\\c', '\\cc', '\\c1', '^', '$', '|', '.', '-', '_', '#', ':', '/', ',', '%', '&', '=', '!', '<', '>', '~', '`', '@', ';', "'", 'a{', 'a{}', 'a{,3}', 'a{,3}b', 'a{1', 'a{1,2', 'a{a}', 'a{ 1}', '{}', 'k<a>', 'kkk', 'u', 'uu', 'u0', 'u006', 'x6', 'xg1', 'x', 'uuuuu', 'p{L}', 'pL', 'Q.E', 'g{1}', 'N{U+41}', 'o{101}', '0', '1', '8', '9', '89', '18', '\x018', '\x008', 'a8', 'a\x02', ' 0', '\u00ff', '\u003f7',
	'あ', 'い', 'あい', 'ああ', '日本語', '日本', '絵文字', '😀', '😀😀', '😀a', '😁', '\u{1f600}\u{1f601}', '\ud83d', '\ude00', 'a\ud83d', '\ude00a', '\ud83d\ud83d', 'e\u0301', '\ufffd', '。', 'Straße', 'STRASSE', 'ΣΑΣ', 'ﬁ', 'ŉ', '𝒜𝒜', 'é a', 'あ a',
];

// Random patterns: a grammar that knows every construct, and some noise.
let state = seed >>> 0;
function random(n) {
	state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
	return Math.floor((state / 2 ** 32) * n);
}
const pick = (list) => list[random(list.length)];
const letters = ['a', 'b', 'c', 'a', 'b', 'x', '_', 'A', 'k', '1', '-', ' ', 'é', 'あ', '😀', '\n', 'σ', 'ſ'];
const escapes = [raw`\d`, raw`\D`, raw`\w`, raw`\W`, raw`\s`, raw`\S`, raw`\n`, raw`\t`, raw`\.`, raw`\-`, raw`\x61`, raw`\u0062`, raw`\0`, raw`\101`, raw`\8`, raw`\cA`, raw`\c`, raw`\e`, raw`\p`, raw`\ud83d`, raw`\ude00`, raw`\]`, raw`\\`, raw`\u`, raw`\x`, raw`\k`];
const quantifiers = ['*', '+', '?', '*?', '+?', '??', '{0}', '{1}', '{2}', '{0,2}', '{1,2}?', '{1,}', '{,2}', '{2,1}', '++', '{'];
const noise = ['[', ']', '(', ')', '{', '}', '*', '?', '|', '\\', '^', '$', '(?', '(?<', '(?i)', '-', '.', ','];

function classAtom() {
	return random(3) ? pick(letters) : pick([...escapes, raw`\b`, raw`\B`]);
}
function charClass() {
	let text = pick(['[', '[', '[^']);
	for (let i = random(4); i > 0; i--) {
		const at = random(4);
		text += at === 0 ? pick(['a-c', 'A-z', 'あ-ん', '0-9', '_-a', 'α-ω', '\\0-\\x7f']) : at === 1 ? classAtom() + '-' + classAtom() : classAtom();
	}
	return text + ']';
}
function atom(depth) {
	const at = random(depth > 0 ? 18 : 8);
	if (at < 4) return pick(letters);
	if (at < 5) return pick(escapes);
	if (at < 6) return charClass();
	if (at < 7) return pick(['.', '^', '$', raw`\b`, raw`\B`, raw`\1`, raw`\2`, raw`\k<n>`]);
	if (at < 8) return pick(letters) + pick(letters);
	if (at < 11) return `(${disjunction(depth - 1)})`;
	if (at < 13) return `(?:${disjunction(depth - 1)})`;
	if (at < 14) return `(?=${disjunction(depth - 1)})`;
	if (at < 15) return `(?!${disjunction(depth - 1)})`;
	if (at < 16) return `(?<=${disjunction(random(2))})`;
	if (at < 17) return `(?<!${disjunction(0)})`;
	return `(?<n>${disjunction(depth - 1)})`;
}
function alternative(depth) {
	let text = '';
	for (let i = random(4); i >= 0; i--) {
		text += atom(depth);
		if (random(3) === 0) text += random(8) ? pick(quantifiers.slice(0, 12)) : pick(quantifiers);
	}
	return random(12) ? text : '';
}
function disjunction(depth) {
	let text = alternative(depth);
	while (random(4) === 0) text += '|' + alternative(depth);
	return text;
}
function randomPattern() {
	let text = disjunction(2);
	if (random(12) === 0) {
		const at = random(text.length + 1);
		text = text.slice(0, at) + pick(noise) + text.slice(at);
	}
	return text;
}

// Lone surrogates survive, unlike with Buffer.from(text).
function hex(text) {
	let out = '';
	for (const c of text) {
		const cp = c.codePointAt(0);
		if (cp >= 0xd800 && cp <= 0xdfff)
			out += [0xe0 | (cp >> 12), 0x80 | ((cp >> 6) & 63), 0x80 | (cp & 63)].map((b) => b.toString(16)).join('');
		else out += Buffer.from(c).toString('hex');
	}
	return out;
}

function answer(pattern, flags) {
	let re;
	try {
		re = new RegExp(pattern, flags);
	} catch {
		return null;
	}
	return subjects.map((s) => (re.test(s) ? '1' : '0')).join('');
}

const quoted = (text) => JSON.stringify(text).replace(/[\ud800-\udfff]/g, (c) => '\\u' + c.charCodeAt(0).toString(16));
let differences = 0;
function differ(text) {
	if (++differences <= 40) console.log('# ' + text);
}

const hand = [...new Set(patterns)];
const all = [...hand];
for (let i = 0; i < randomCount; i++) all.push(randomPattern());

const lines = subjects.map((s) => 'S ' + hex(s));
const jobs = [];
all.forEach((pattern, i) => {
	for (const flags of ['', 'i']) {
		lines.push(`P ${flags || '-'} ${hex(pattern)}`);
		jobs.push({ pattern, flags, hand: i < hand.length });
	}
});
for (let i = 0; i < 65536; i++) lines.push('F ' + hex(String.fromCharCode(i)));

const run = spawnSync(driver, { input: lines.join('\n') + '\n', encoding: 'latin1', maxBuffer: 1 << 28 });
if (run.status !== 0) {
	console.log(`Bail out! driver: ${run.error ?? run.signal ?? run.status} ${run.stderr}`);
	process.exit(1);
}
const answers = run.stdout.split('\n');

let refusedCount = 0, nodeErrCount = 0, gaveUp = 0;
const seen = new Set();
jobs.forEach((job, i) => {
	const at = answers[i].indexOf(' ');
	const status = answers[i].slice(0, at), ours = answers[i].slice(at + 1);
	const theirs = answer(job.pattern, job.flags);
	const name = `/${quoted(job.pattern)}/${job.flags}`;

	if (status === 'limit' && theirs !== null) {
		if (job.hand ? !refused.has(job.pattern) : !refusals.some((re) => re.test(ours))) differ(`${name}: refused: ${ours}`);
		refusedCount++;
		seen.add(job.pattern);
	} else if (status === 'parse' || status === 'limit') {
		if (theirs !== null) differ(`${name}: Node accepts, we do not: ${ours}`);
	} else if (theirs === null) {
		differ(`${name}: we accept, Node does not`);
	} else if (!job.hand && ours.includes('L') && [...ours].every((c, n) => c === 'L' || c === theirs[n])) {
		gaveUp++; // a random pattern may well be exponential
	} else if (ours !== theirs && nodeErrs.has(job.pattern)) {
		nodeErrCount++;
	} else if (ours !== theirs) {
		const k = [...theirs].findIndex((c, n) => c !== ours[n]);
		differ(`${name} on ${quoted(subjects[k])}: Node ${theirs[k]}, ours ${ours[k]}`);
	}
});
for (const pattern of refused.keys())
	if (!seen.has(pattern)) differ(`/${quoted(pattern)}/: listed as refused, but is not`);

// The table of foldings: two units are equal under the i flag exactly when they fold to the same.
const folds = answers.slice(jobs.length, jobs.length + 65536);
for (let i = 0; i < 65536; i++) {
	const c = String.fromCharCode(i);
	for (const d of new Set([c.toUpperCase(), c.toLowerCase(), c.toUpperCase().toLowerCase(), c.toLowerCase().toUpperCase()])) {
		if (d.length !== 1 || d === c) continue;
		const node = new RegExp('^\\u' + i.toString(16).padStart(4, '0') + '$', 'i').test(d);
		if (node !== (folds[i] === folds[d.charCodeAt(0)])) differ(`folding of U+${i.toString(16)} and U+${d.charCodeAt(0).toString(16)}: Node ${node}`);
	}
}

console.log(`# ${refused.size} listed refusals; ${refusedCount} of ${jobs.length} compilations refused (E_LIMIT); ${gaveUp} gave up on a subject; ${nodeErrCount} errors of Node`);
console.log(`1..1\n${differences ? 'not ' : ''}ok 1 - ${all.length} patterns (${hand.length} by hand), ${subjects.length} subjects, ${differences} differences`);
process.exit(differences ? 1 : 0);
