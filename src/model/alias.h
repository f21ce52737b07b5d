/* Short names of Gemini models: pro, flash, flash-lite, auto. */
#pragma once

/* The model that is meant; the name itself when it is no alias. */
const char *model_alias(const char *name);
