/*
 * The members of an object: what happens to repeated keys, and the index of large objects.
 *
 * The index is a hash table with open addressing.  Its hash is SipHash-1-3 with a key drawn once a
 * process, so that nobody can write a document whose keys all fall into one slot.  In memory it is
 * uint32_t slots[mask + 1] (number of the member + 1, or 0), struct json_index, the members.
 */
#include <pthread.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/json_impl.h"

struct json_index {
	uint32_t mask;
	uint32_t unused; /* keeps the members aligned */
};

static uint64_t hash_key[2];

static void hash_key_draw(void)
{
	struct timespec now;

	if (getrandom(hash_key, sizeof hash_key, 0) == (ssize_t)sizeof hash_key)
		return;
	/* A kernel without getrandom(): not secret, but different in every process. */
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	hash_key[0] = (uint64_t)now.tv_nsec << 32 ^ (uint64_t)now.tv_sec ^ (uint64_t)getpid() << 20;
	hash_key[1] = (uint64_t)(uintptr_t)&now * 0x9e3779b97f4a7c15u;
}

static uint64_t rotl(uint64_t x, int by)
{
	return x << by | x >> (64 - by);
}

static void sip_round(uint64_t v[4])
{
	v[0] += v[1];
	v[1] = rotl(v[1], 13) ^ v[0];
	v[0] = rotl(v[0], 32);
	v[2] += v[3];
	v[3] = rotl(v[3], 16) ^ v[2];
	v[0] += v[3];
	v[3] = rotl(v[3], 21) ^ v[0];
	v[2] += v[1];
	v[1] = rotl(v[1], 17) ^ v[2];
	v[2] = rotl(v[2], 32);
}

static uint64_t sip_hash(struct str s)
{
	uint64_t v[4] = {
		hash_key[0] ^ 0x736f6d6570736575u,
		hash_key[1] ^ 0x646f72616e646f6du,
		hash_key[0] ^ 0x6c7967656e657261u,
		hash_key[1] ^ 0x7465646279746573u,
	};
	uint64_t w;
	size_t i = 0;

	for (; s.n - i >= 8; i += 8) {
		memcpy(&w, s.p + i, sizeof w);
		v[3] ^= w;
		sip_round(v);
		v[0] ^= w;
	}
	w = (uint64_t)s.n << 56;
	if (s.n > i)
		memcpy(&w, s.p + i, s.n - i);
	w ^= (uint64_t)s.n << 56;
	v[3] ^= w;
	sip_round(v);
	v[0] ^= w;
	v[2] ^= 0xff;
	for (int k = 0; k < 3; k++)
		sip_round(v);
	return v[0] ^ v[1] ^ v[2] ^ v[3];
}

/* The slot of key: that of the member with this key, or the free one where it belongs. */
static uint32_t *index_slot(struct json_index *index, const struct json_member *members,
			    struct str key)
{
	uint32_t *slots = (uint32_t *)(void *)index - ((size_t)index->mask + 1);
	uint32_t at = (uint32_t)sip_hash(key) & index->mask;

	while (slots[at] && !str_eq(members[slots[at] - 1].key, key))
		at = (at + 1) & index->mask;
	return &slots[at];
}

static void finish_wide(struct arena *a, const struct json_member *from, size_t n, struct json *v)
{
	static pthread_once_t once = PTHREAD_ONCE_INIT;
	size_t n_slots = 128, count = 0;

	(void)pthread_once(&once, hash_key_draw);
	if (n > UINT32_MAX / 4)
		BUG(); /* the limit of bytes forbids it */
	while (n_slots < n * 2)
		n_slots *= 2;

	size_t head = n_slots * sizeof(uint32_t) + sizeof(struct json_index);
	char *block = arena_raw(a, head + n * sizeof *from);
	struct json_index *index = (void *)(block + head - sizeof *index);
	struct json_member *members = (void *)(block + head);

	memset(block, 0, head);
	index->mask = (uint32_t)(n_slots - 1);
	for (size_t i = 0; i < n; i++) {
		uint32_t *slot = index_slot(index, members, from[i].key);

		if (*slot) {
			members[*slot - 1] = from[i];
		} else {
			members[count++] = from[i];
			*slot = (uint32_t)count;
		}
	}
	v->wide = true;
	v->n = count;
	v->members = members;
}

/* Returns how many members remain. */
static size_t drop_repeated(struct json_member *m, size_t n)
{
	uint64_t seen = 0;
	size_t count = 0;

	for (size_t i = 0; i < n; i++) {
		struct str key = m[i].key;
		unsigned x = (unsigned)key.n * 7;
		size_t at = count;

		if (key.n)
			x += (unsigned char)key.p[0] * 5 + (unsigned char)key.p[key.n - 1];
		/* Keys of different bits differ. */
		uint64_t bit = (uint64_t)1 << (x & 63);

		if (seen & bit)
			for (at = 0; at < count && !str_eq(m[at].key, key);)
				at++;
		seen |= bit;
		if (at != i)
			m[at] = m[i];
		count += at == count;
	}
	return count;
}

void json_finish_object(struct arena *a, struct json_member *members, size_t n, struct json *v)
{
	v->type = J_OBJ;
	v->yes = false;
	v->wide = false;
	v->written = false;
	if (n > JSON_NARROW) {
		finish_wide(a, members, n, v);
		return;
	}
	n = drop_repeated(members, n);
	v->n = n;
	v->members = NULL;
	if (n) {
		struct json_member *own = arena_raw(a, n * sizeof *own);

		memcpy(own, members, n * sizeof *own);
		v->members = own;
	}
}

const struct json_member *json_member(const struct json *obj, struct str key)
{
	if (!json_is(obj, J_OBJ))
		return NULL;
	if (obj->wide) {
		struct json_index *index = (struct json_index *)(uintptr_t)obj->members - 1;
		uint32_t at = *index_slot(index, obj->members, key);

		return at ? &obj->members[at - 1] : NULL;
	}
	for (size_t i = 0; i < obj->n; i++)
		if (str_eq(obj->members[i].key, key))
			return &obj->members[i];
	return NULL;
}

const struct json *json_get(const struct json *obj, struct str key)
{
	const struct json_member *m = json_member(obj, key);

	return m ? &m->v : NULL;
}

const struct json *json_getz(const struct json *obj, const char *key)
{
	return json_is(obj, J_OBJ) && obj->n ? json_get(obj, str_from(key)) : NULL;
}

struct str json_get_str(const struct json *obj, const char *key)
{
	return json_str(json_getz(obj, key), STR(""));
}

const struct json *json_at(const struct json *arr, size_t i)
{
	return json_is(arr, J_ARR) && i < arr->n ? &arr->items[i] : NULL;
}

bool json_has_nul_name(const struct json *v)
{
	for (size_t i = 0; json_is(v, J_OBJ) && i < v->n; i++)
		if (str_chr(v->members[i].key, '\0', 0) >= 0)
			return true;
	return false;
}

bool json_has_repeats(const struct json *v)
{
	if (json_is(v, J_OBJ) && v->yes)
		return true;
	for (size_t i = 0; (json_is(v, J_OBJ) || json_is(v, J_ARR)) && i < v->n; i++)
		if (json_has_repeats(v->type == J_OBJ ? &v->members[i].v : json_at(v, i)))
			return true;
	return false;
}
