#include "agent/skills.h"

int skill_front_read(struct arena *a, struct str text, struct skill_front *ret_front,
		     struct err *err)
{
	(void)a, (void)text, (void)ret_front;
	return err_set(err, E_PARSE, "there is no front matter");
}
