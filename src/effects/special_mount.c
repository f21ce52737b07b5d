/* Mounts: what lies under a second name is gone when that is emptied. */
#include "base/words.h"
#include "shell/calls.h"

#include "effects/links.h"
#include "effects/run.h"

/* File systems that begin empty, or show what the kernel knows. */
static const char made_here[] =
	"tmpfs ramfs proc sysfs devpts devtmpfs cgroup cgroup2 debugfs tracefs securityfs mqueue "
	"hugetlbfs configfs binfmt_misc fuse.portal";

/* Programs that show what is on other machines: the word that names it, and the one where. */
static const struct remote_mount {
	const char *names, *subcommands;
	const char *valued;
} remote_mounts[] = {
	{ "sshfs", NULL, "-o -p -F -s" },
	{ "rclone", "mount nfsmount cmount", "--config --vfs-cache-mode --dir-cache-time" },
	{ "s3fs goofys gcsfuse blobfuse2 geesefs", NULL, "-o -d_ --endpoint --profile" },
	{ "curlftpfs davfs2 mount.davfs mount.cifs mount.nfs mount.nfs4 mount.fuse ntfs-3g", NULL,
	  "-o -t" },
	{ "juicefs", "mount", "-o" },
	{ "borg restic", "mount", "-o -r" },
	{ "google-drive-ocamlfuse encfs gocryptfs cryfs mergerfs unionfs", NULL, "-o -label" },
};

/* The value of a name in "a=1,b=2". */
static struct str listed(struct str list, const char *name)
{
	struct str one;

	while (list.n && str_split(&list, ',', &one))
		if (str_starts(one, str_from(name)) && one.n > strlen(name) &&
		    one.p[strlen(name)] == '=')
			return str_sub(one, strlen(name) + 1, one.n);
	return STR("");
}

/* What comes from a disk, or from another machine, is no temporary file. */
static void mount_foreign(struct run *r, struct str at)
{
	mount_made(r->e, at, r->cwd, STR("/media/\1"));
}

/* An image that lies in the project or is temporary. */
static bool is_own_image(struct run *r, struct str from)
{
	return str_starts(from, STR("/dev/loop")) ||
	       (str_chr(from, ':', 0) < 0 &&
		!(effects_places(r->e, from, r->cwd) &
		  (PLACE_DEVICE | PLACE_OUTSIDE | PLACE_UNKNOWN | PLACE_SYSTEM)));
}

static bool run_mount(struct run *r, const struct call *c)
{
	const unsigned grave = PLACE_ROOT | PLACE_HOME_WHOLE | PLACE_SYSTEM | PLACE_PROJECT_WHOLE;
	const struct option *o, *type;
	struct str options, from, at;
	struct args a;

	args_read(r, &a, c, "-o -t -L -U --options --types --source --target");
	o = args_option(&a, "-o|--options");
	type = args_option(&a, "-t|--types");
	options = o ? o->value : STR("");
	if (!a.noperands || str_find(options, STR("remount"), 0) >= 0)
		return false;
	from = a.operands[0];
	at = a.operands[a.noperands - 1];
	(void)programs_apply(r, c, c->words[0]);
	if (a.noperands > 1 && (str_eqz(sh_file_name(c->words[0]), "bindfs") ||
				args_option(&a, "-B|-R|-M|--bind|--rbind|--move") ||
				str_find(options, STR("bind"), 0) >= 0)) {
		if (effects_places(r->e, from, r->cwd) & grave &&
		    !(effects_places(r->e, at, r->cwd) & grave))
			call_add(r, c, (struct effect){ .kind = EFFECT_PRIVILEGES });
		mount_made(r->e, at, r->cwd, joined(r, from));
	} else if (type && (str_eqz(type->value, "overlay") ||
			    str_find(options, STR("upperdir"), 0) >= 0)) {
		struct str upper = listed(options, "upperdir"), lower = listed(options, "lowerdir");

		/* What is deleted in an overlay is noted as deleted in its upper directory. */
		if (upper.n || lower.n)
			mount_made(r->e, at, r->cwd, joined(r, upper.n ? upper : lower));
	} else if (a.noperands > 1 && !(type && word_in_text(type->value, made_here)) &&
		   !is_own_image(r, from))
		mount_foreign(r, at);
	return true;
}

static bool run_remote_mount(struct run *r, const struct call *c)
{
	struct args a;

	for (size_t i = 0; i < ARRAY_LEN(remote_mounts); i++) {
		const struct remote_mount *m = &remote_mounts[i];

		if (!word_in_text(c->words[0], m->names))
			continue;
		args_read(r, &a, c, m->valued);
		if (m->subcommands &&
		    (!a.noperands || !word_in_text(a.operands[0], m->subcommands)))
			return false;
		if (a.noperands > (m->subcommands ? 2 : 1))
			mount_foreign(r, a.operands[a.noperands - 1]);
	}
	return false;
}

/* From here on the directory is again what it was. */
static bool run_unmount(struct run *r, const struct call *c)
{
	for (size_t i = 1; i < c->n; i++)
		if (c->words[i].n && c->words[i].p[0] != '-')
			mount_made(r->e, c->words[i], r->cwd, STR(""));
	return false;
}

const struct special special_mount[] = {
	{ "mount bindfs", run_mount },
	{ "sshfs rclone s3fs goofys gcsfuse blobfuse2 geesefs curlftpfs davfs2 mount.davfs mount.cifs "
	  "mount.nfs mount.nfs4 mount.fuse ntfs-3g juicefs borg restic google-drive-ocamlfuse encfs gocryptfs "
	  "cryfs mergerfs unionfs",
	  run_remote_mount },
	{ "umount fusermount fusermount3", run_unmount },
	{ NULL, NULL },
};
