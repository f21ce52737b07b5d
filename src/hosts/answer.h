/* Answers in the words of an agent. */
#pragma once

#include "hosts/host.h"

enum { HOST_DENIED = 2 };

struct host_answer {
	struct str out; /* for stdout, without the newline; "" = nothing */
	struct str err; /* for stderr */
	int status;
	bool denied;
	bool binding; /* it keeps something from happening as it would: it must be heard */
};

/* What the outcomes of the call's events come to.  The texts are in the call's arena. */
void host_answer(struct host_call *c, struct tl_outcome *const *outcomes, size_t n,
		 struct host_answer *ret);
/* A denial of our own, for an event that can be denied; else nothing. */
void host_deny(struct host_call *c, struct str reason, struct host_answer *ret);
