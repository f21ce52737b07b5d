/* What both readers of front matter ask of an event of libyaml. */
#pragma once

#include <stdbool.h>
#include <yaml.h>

static inline bool yaml_begins(const yaml_event_t *e)
{
	return e->type == YAML_MAPPING_START_EVENT || e->type == YAML_SEQUENCE_START_EVENT;
}

static inline bool yaml_ends(const yaml_event_t *e)
{
	return e->type == YAML_MAPPING_END_EVENT || e->type == YAML_SEQUENCE_END_EVENT;
}

static inline bool yaml_has_anchor(const yaml_event_t *e)
{
	return (e->type == YAML_SCALAR_EVENT && e->data.scalar.anchor) ||
	       (e->type == YAML_SEQUENCE_START_EVENT && e->data.sequence_start.anchor) ||
	       (e->type == YAML_MAPPING_START_EVENT && e->data.mapping_start.anchor);
}
