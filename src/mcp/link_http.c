/* Servers on the web. */
#include "mcp/link.h"

int link_http_open(const struct mcp_config *config, const struct link_events *on,
		   struct link **ret_link, struct err *err)
{
	(void)config;
	(void)on;
	(void)ret_link;
	return err_set(err, E_INVAL, "this transport is not supported");
}
