/* Inside of code_*.c: clouds and containers that code reaches through an SDK. */
#pragma once

#include "effects/code_act.h"

#define TYPE_AWS_CLIENT "aws-client" /* its text is the service */
#define TYPE_CLOUD_CLIENT "cloud-client" /* of what others run: its deletions destroy */
#define TYPE_EMULATOR "emulator" /* nothing of it is real */

/* The name of a method says that it destroys what runs or is kept elsewhere. */
bool cloud_destroys(struct arena *a, struct str method);
/* The same of a client that is known to ask a service: fewer words are enough. */
bool cloud_destroys_there(const struct code *c, struct str method, const struct code_args *args);
/* The same of one thing that it keeps, or of what has many of these. */
bool cloud_removes(struct arena *a, struct str method);
/* VALUE_KEPT, if a method or member of that name gives what a service keeps; else 0. */
unsigned cloud_kept(struct arena *a, struct str name, unsigned flags);
/* A module of an SDK. */
bool cloud_is_sdk(struct str name);
/* A method whose name says that it sends is given a secret: it goes to that service. */
void cloud_sends(struct code *c, struct str method, const struct code_args *args);
/*
 * Is what is called, or what it is given, a service: its address, a key for it?  VALUE_REMOTE, or
 * VALUE_HERE of this machine; 0: it is none.
 */
unsigned cloud_client(const struct code *c, struct str name, const struct code_args *args);

/* A call of a client of AWS, or of what only plays one; false: it is neither. */
bool cloud_call(struct code *c, struct str name, const struct code_value *self,
		const struct code_args *args, struct code_value *ret);
/* A client that is made is one of an emulator, or of a test that simulates all of them. */
bool cloud_is_emulated(const struct act *x);
void cloud_run_container(const struct act *x);
