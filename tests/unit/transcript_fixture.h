/* What the tests of recordings share: a directory, sessions in it, and JSON in single quotes. */
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "agent/transcript/transcript.h"

#define ID "11111111-2222-4333-8444-555555555555"
#define PROJECT "/srv/Some Shop"

/* Of the test: freed after it. */
extern struct arena mem;

int tx_setup(void **state);
int tx_teardown(void **state);
#define TX_TEST(name) cmocka_unit_test_setup_teardown(name, tx_setup, tx_teardown)

/* A path in the test's directory; the directory itself for "". */
const char *in_dir(const char *name);
/* A text with single quotes as JSON. */
const struct json *js(const char *text);
/* Writes a file, ' becoming ", with its directories; and reads one. */
void put(const char *path, const char *text);
const char *get(const char *path);
/* The i-th line of a file. */
const struct json *line_of(const char *path, size_t i);
void assert_str(const struct json *obj, const char *key, const char *expected);
/* Equal as values, expected being written with single quotes. */
void assert_json(const struct json *v, const char *expected);

/* A new recording in chats/. */
struct transcript *make(const char *id);
/* The history in a file. */
const struct json *resume_at(const char *path);
/* Ends the session: its history. */
const struct json *end(struct transcript *t);
void user(struct transcript *t, const char *text);
void model(struct transcript *t, const char *text);
/*
 * A history in a few words: a line for each content, "role: part | part", where a part is its text,
 * "+id name" for a call, "=id name output" for a response, its JSON otherwise, each with
 * " ~signature" when it has one.
 */
void assert_history(const struct json *history, const char *expected);
