/* What of a chunk of a model's answer goes on when a policy redacts it (C9.10). */
#pragma once

#include "hooks/firing.h"

/*
 * llm_response as hooks left it, without secrets in its texts; NULL when there are none.  Calls
 * stay as they are: BeforeTool judges their arguments.
 */
const struct json *redact_answer(struct firing *f);
