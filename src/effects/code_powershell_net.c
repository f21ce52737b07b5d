/* What classes and methods of .NET do. */
#include "base/words.h"
#include "effects/code_powershell.h"

struct code_value ps_replaced(struct ps *p, struct code_value x, struct code_value from,
			      struct code_value to)
{
	AUTO(buf_done) struct buf out = BUF_INIT(.max = CODE_VALUE_MAX);

	if (!value_is_known(&x) || !value_is_known(&from) || !value_is_known(&to) || !from.text.n)
		return value_unknown(x.flags);
	for (size_t i = 0; i < x.text.n;)
		if (str_starts(str_sub(x.text, i, x.text.n), from.text)) {
			buf_adds(&out, to.text);
			i += from.text.n;
		} else {
			buf_addc(&out, x.text.p[i++]);
		}
	return value_text(arena_str(p->e->arena, buf_str(&out)));
}

struct code_value ps_static(struct ps *p, struct str type, struct str member,
			    const struct code_value *args, size_t n)
{
	struct ps_command c = { .source = str_trim(str_sub(p->s, p->start, p->i)) };
	const struct code_value *first = n ? &args[0] : NULL;
	struct code_value v = value_unknown(first ? first->flags : 0);

	if (word_is_one_icase(type, "IO.File|IO.Directory|IO.FileInfo|IO.DirectoryInfo")) {
		if (str_eqz_icase(member, "Delete"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_DELETE, .recursive = n > 1 },
				first);
		else if (word_is_one_icase(member, "Write*|Create"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_OVERWRITE }, first);
		else if (word_is_one_icase(member, "Append*"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_WRITE }, first);
		else if (word_is_one_icase(member, "Move|Replace"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_MOVE }, first);
		else if (word_is_one_icase(member, "Read*|Open*"))
			ps_path(p, &c, (struct effect){ .kind = EFFECT_READ }, first);
		else if (word_is_one_icase(member, "GetFiles|EnumerateFiles|GetDirectories") &&
			 first) {
			v = value_path(p->e->arena, *first, value_text(STR("*")));
			v.flags |= VALUE_WALKED;
		}
		return v;
	}
	if (str_eqz_icase(type, "Convert") && str_eqz_icase(member, "FromBase64String") && first &&
	    value_is_known(first)) {
		struct code_value text = value_text(STR(""));

		return code_unbase64(p->e->arena, first->text, &text.text) ? text : v;
	}
	if (text_has_one_icase(type, "Encoding") && first)
		return *first;
	if (str_eqz_icase(type, "Environment") && str_eqz_icase(member, "GetFolderPath") && first &&
	    first->kind == VALUE_TEXT)
		return value_text(str_eqz_icase(first->text, "UserProfile")
					  ? effects_home(p->e)
					  : arena_printf(p->e->arena, "%.*s/%.*s",
							 STR_ARG(effects_home(p->e)),
							 STR_ARG(first->text)));
	if (str_eqz_icase(type, "scriptblock") && first) {
		v = *first;
		v.type = STR("block");
		return v;
	}
	if (str_eqz_icase(type, "IO.Path") && str_eqz_icase(member, "GetTempPath"))
		return value_text(STR("/tmp"));
	if (str_eqz_icase(type, "IO.Path") &&
	    word_is_one_icase(member, "GetTempFileName|GetRandomFileName"))
		return value_text(str_eqz_icase(member, "GetTempFileName") ? STR("/tmp/\1")
									   : STR("\1"));
	if (str_eqz_icase(type, "guid") && str_eqz_icase(member, "NewGuid"))
		return value_text(STR("\1"));
	if (str_eqz_icase(type, "IO.Path") && str_eqz_icase(member, "Combine") && n > 1)
		return value_path(p->e->arena, args[0], args[1]);
	if (str_eqz_icase(type, "string") && str_eqz_icase(member, "Join") && n > 1 &&
	    first->kind == VALUE_TEXT)
		return value_join_all(p->e->arena, args[1], first->text);
	if (str_eqz_icase(type, "Diagnostics.Process") && str_eqz_icase(member, "Start") && first &&
	    first->kind == VALUE_TEXT)
		(void)ps_run_block(p,
				   n > 1 && args[1].kind == VALUE_TEXT
					   ? arena_printf(p->e->arena, "%.*s %.*s",
							  STR_ARG(first->text),
							  STR_ARG(args[1].text))
					   : first->text,
				   NULL);
	if (str_eqz_icase(member, "new")) {
		v.type = type;
		p->seen->connected |= text_has_one_icase(type, "TcpClient");
	}
	return v;
}

struct code_value ps_method(struct ps *p, struct code_value self, struct str name, bool called,
			    const struct code_value *args, size_t n, struct str source)
{
	struct ps_command c = { .source = str_trim(str_sub(p->s, p->start, p->i)) };

	(void)source;
	for (unsigned i = 0; !called && self.kind == VALUE_LIST && i < self.n; i++)
		if (self.items[i].key.n && str_eq_icase(self.items[i].key, name)) {
			struct code_value member = self.items[i];

			member.key = (struct str){ 0 };
			return member;
		}
	if (!called) /* .FullName, .Content: as good as the object */
		return word_is_one_icase(name, "Length|Count") ? value_unknown(0) : self;
	if (word_is_one_icase(name, "Delete|Kill") && self.kind == VALUE_TEXT &&
	    str_eqz_icase(name, "Delete")) {
		ps_path(p, &c, (struct effect){ .kind = EFFECT_DELETE, .recursive = n > 0 }, &self);
	} else if (word_is_one_icase(name, "DownloadString|DownloadData|OpenRead|GetStringAsync")) {
		return ps_network(p, c.source, n ? &args[0] : NULL, NULL, false, 0);
	} else if (str_eqz_icase(name, "DownloadFile")) {
		return ps_network(p, c.source, n ? &args[0] : NULL, n > 1 ? &args[1] : NULL, false,
				  0);
	} else if (word_is_one_icase(name, "UploadString|UploadFile|UploadData|UploadValues")) {
		return ps_network(p, c.source, n ? &args[0] : NULL, NULL, true,
				  n > 1 ? args[1].flags & VALUE_SECRET : 0);
	} else if (word_is_one_icase(name, "Invoke|InvokeReturnAsIs") &&
		   str_eqz(self.type, "block")) {
		ps_eval(p, c.source, &self);
		return value_unknown(0);
	} else if (str_eqz_icase(name, "InvokeScript") && n) {
		ps_eval(p, c.source, &args[0]);
	} else if (word_is_one_icase(name, "GetString|GetBytes") && n) {
		return args[0];
	} else if (str_eqz_icase(name, "Replace") && n == 2) {
		return ps_replaced(p, self, args[0], args[1]);
	} else if (str_eqz_icase(name, "Run") && n &&
		   text_has_one_icase(self.type, "WScript.Shell") && args[0].kind == VALUE_TEXT) {
		(void)ps_run_block(p, args[0].text, NULL);
	}
	return word_is_one_icase(name,
				 "ToString|Trim|ToLower|ToCharArray|Trim*|ReadToEnd|GetResponse*")
		       ? self
		       : value_unknown(self.flags);
}
