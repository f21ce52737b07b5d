/*
 * The Stable Model API: the form in which hooks see requests and responses of a model (C4.6 to
 * C4.9), and back.  Results share what they can with what is passed in,
 * which must live as long as they do.
 */
#pragma once

#include "model/provider.h"

/*
 * What BeforeModel, BeforeToolSelection and AfterModel get as llm_request: model,
 * messages (hooks/messages.h), config, and toolConfig when one is set.  An empty content is not
 * shown.
 */
const struct json *stable_request(struct arena *a, const struct model_request *rq);
/*
 * The request as a hook's llm_request wants it: *rq is changed in place, values in the
 * arena.  What the hook repeats as it was shown stays as it is, so that an identity leaves the
 * request byte-equal.
 *
 * Messages are aligned with the contents that are shown, in order; those left over are appended,
 * none are removed.  A text that is changed keeps its place and its thoughtSignature; a result that
 * is changed is the result; calls and media stay.  Roles: "model" and "assistant" are model, all
 * others user.  A message that cannot be
 * used leaves its content as it is.  config: the four numbers of the Stable Model API, key by key;
 * nothing is unset.
 */
void stable_apply_request(struct arena *a, struct model_request *rq,
			  const struct json *llm_request);
/* What AfterModel gets as llm_response for one chunk. */
const struct json *stable_response(struct arena *a, const struct json *chunk);
/*
 * The chunk as a hook's llm_response wants it.  NULL when there is nothing to use: the
 * chunk stays, also when the hook only repeats what it was shown.
 *
 * A candidate with other parts than those shown holds these as text, and the calls that they give
 * back; no other call, no grounding.  An empty list of parts empties a candidate.  `text` changes
 * the texts and keeps the calls
 * when the candidates say nothing new.  finishReason, index, safetyRatings and usageMetadata stay
 * when the hook leaves them out.
 *
 * chunk NULL makes a synthetic response (finishReason STOP when none is given).
 */
const struct json *stable_apply_response(struct arena *a, const struct json *chunk,
					 const struct json *llm_response);
/* How many calls the chunk's first candidate has. */
size_t stable_calls(const struct json *chunk);
/*
 * {"mode", "allowedFunctionNames"} to {"functionCallingConfig": {...}}; NONE has no
 * names.  NULL when neither member can be used.
 */
const struct json *stable_tool_config(struct arena *a, const struct json *tool_config);
