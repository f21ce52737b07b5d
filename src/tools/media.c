/* Images, sound, film and PDF, which models take as bytes. */

#include "base/base64.h"
#include "base/json_pack.h"
#include "tools/files.h"

/* The first bytes at an offset; an empty magic accepts everything. */
static const struct media {
	const char *ending, *mime;
	size_t at;
	struct str magic;
} medias[] = {
	{ ".aac", "audio/aac", 0, { "\xff", 1 } },
	{ ".aif", "audio/aiff", 0, { "FORM", 4 } },
	{ ".aiff", "audio/aiff", 0, { "FORM", 4 } },
	{ ".avif", "image/avif", 4, { "ftyp", 4 } },
	{ ".bmp", "image/bmp", 0, { "BM", 2 } },
	{ ".flac", "audio/flac", 0, { "fLaC", 4 } },
	{ ".gif", "image/gif", 0, { "GIF8", 4 } },
	{ ".heic", "image/heic", 4, { "ftyp", 4 } },
	{ ".jpeg", "image/jpeg", 0, { "\xff\xd8\xff", 3 } },
	{ ".jpg", "image/jpeg", 0, { "\xff\xd8\xff", 3 } },
	{ ".mov", "video/quicktime", 4, { "ftyp", 4 } },
	{ ".mp3", "audio/mp3", 0, { "ID3", 3 } },
	{ ".mp3", "audio/mp3", 0, { "\xff", 1 } },
	{ ".mp4", "video/mp4", 4, { "ftyp", 4 } },
	{ ".ogg", "audio/ogg", 0, { "OggS", 4 } },
	{ ".pdf", "application/pdf", 0, { "%PDF-", 5 } },
	{ ".png", "image/png", 0, { "\x89PNG\r\n\x1a\n", 8 } },
	{ ".wav", "audio/wav", 0, { "RIFF", 4 } },
	{ ".webm", "video/webm", 0, { "\x1a\x45\xdf\xa3", 4 } },
	{ ".webp", "image/webp", 0, { "RIFF", 4 } },
};

const char *media_type(const char *path, struct str bytes)
{
	for (size_t i = 0; i < ARRAY_LEN(medias); i++) {
		const struct media *m = &medias[i];

		if (str_ends_icase(str_from(path), str_from(m->ending)) && bytes.n > m->at &&
		    str_starts(str_sub(bytes, m->at, bytes.n), m->magic))
			return m->mime;
	}
	return NULL;
}

const struct json *media_part(struct arena *a, const char *mime, struct str bytes)
{
	AUTO(buf_done) struct buf data = { 0 };

	base64_add(&data, bytes);
	return json_pack(a, "inlineData:j",
			 json_pack(a, "mimeType:z data:s", mime, buf_str(&data)));
}
