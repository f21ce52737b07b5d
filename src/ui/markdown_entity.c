#include "ui/markdown_entity.h"

#include "base/entity.h"
#include "base/utf8.h"
#include "ui/clean.h"

void entity_add(struct buf *out, struct str entity)
{
	uint32_t c = entity_char(str_sub(entity, 1, entity.n - 1));
	char utf8[4];

	if (c == 0)
		buf_adds(out, entity);
	else if (c >= 0x2002 && c <= 0x200a) /* spaces of other widths */
		buf_addc(out, ' ');
	else if (c != 0x200c && c != 0x200d && c != 0xad)
		clean_add_line(out, (struct str){ utf8, utf8_encode(c, utf8) });
}
