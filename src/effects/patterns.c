/* Patterns of the tables of programs against the words of a call. */
#include "base/wild.h"
#include "base/words.h"

#include "effects/run.h"

/* A pattern, a group or what is not known, where one name is expected. */
static bool names_many(struct str value)
{
	if (!value.n || !value_known(value) || value.p[0] == '@' || value.p[0] == '~')
		return true;
	for (size_t k = 0; k < value.n; k++)
		if (strchr("*?^$[\\", value.p[k]))
			return true;
	return false;
}

/* A unit, or a source of packages, that is not one of those which many machines have. */
static bool is_unpackaged(struct str value)
{
	static const char names[] =
		"enable reenable "
		"apache2 avahi-daemon bluetooth caddy chrony chronyd clickhouse-server colord containerd "
		"couchdb cron crond cups cups-browsed docker elasticsearch fail2ban firewalld fstrim "
		"gitlab-runner gdm gdm3 grafana-server haproxy httpd influxdb jenkins k3s kibana kubelet "
		"libvirtd lightdm logrotate logstash mariadb memcached mongod mongodb mosquitto mysql mysqld "
		"nfs-server nginx node_exporter ntp ntpd ntpsec php-fpm pipewire plexmediaserver podman "
		"postfix postgresql power-profiles-daemon prometheus pulseaudio qemu-guest-agent "
		"rabbitmq-server redis redis-server rsyslog sddm smartd smartmontools snapd "
		"supervisor syncthing sysstat systemd-networkd systemd-resolved systemd-timesyncd thermald "
		"tlp tomcat tor traefik ufw unattended-upgrades unbound uuidd varnish vsftpd wireplumber "
		"zabbix-agent zabbix-server zookeeper unit service_name {{unit}} {{service}} "
		"universe multiverse restricted main contrib non-free non-free-firmware "
		"ppa:deadsnakes/ppa ppa:deadsnakes/nightly ppa:git-core/ppa ppa:graphics-drivers/ppa "
		"ppa:inkscape.dev/stable ppa:kicad/kicad-8.0-releases ppa:libreoffice/ppa "
		"ppa:mozillateam/ppa ppa:neovim-ppa/stable ppa:neovim-ppa/unstable ppa:obsproject/obs-studio "
		"ppa:ondrej/apache2 ppa:ondrej/nginx ppa:ondrej/php ppa:openjdk-r/ppa "
		"ppa:ubuntu-toolchain-r/test ppa:wireshark-dev/stable ppa:ansible/ansible";
	static const char *const ends[] = { ".service", ".socket", ".timer" };
	ptrdiff_t at;

	for (size_t i = 0; i < ARRAY_LEN(ends); i++)
		if (str_ends(value, str_from(ends[i])))
			value = str_sub(value, 0, value.n - strlen(ends[i]));
	at = str_chr(value, '@', 1); /* postgresql@16-main */
	if (at > 0)
		value = str_sub(value, 0, (size_t)at);
	return !value_known(value) || !word_in_text(value, names);
}

/* What is not known may be anything. */
static bool operand_fits(struct str pattern, struct str value)
{
	size_t i = 0;

	if (str_eqz(pattern, "*"))
		return true;
	if (str_eqz(pattern, "<many>"))
		return names_many(value);
	if (str_eqz(pattern, "<unpackaged>"))
		return is_unpackaged(value);
	if (str_eqz(pattern, "<unknown>"))
		return value_has(value, MARK_ANY) || value_has(value, MARK_STAR);
	if (value.n && value.p[0] == MARK_ANY)
		return false;
	if (str_chr(pattern, '*', 0) >= 0)
		return wild_fits(pattern, value);
	if (!value_known(value))
		return value_fits(value, pattern);
	while (i < pattern.n && i < value.n && char_lower(pattern.p[i]) == char_lower(value.p[i]))
		i++;
	return i == pattern.n && i == value.n;
}

/* --dry-run=false, --dry-run=none, or --no-dry-run somewhere behind it: as if it were not there. */
static bool is_taken_back(const struct args *a, const struct option *o)
{
	if (!str_starts(o->name, STR("--")))
		return false;
	if (str_eqz(o->value, "false") || str_eqz(o->value, "none"))
		return true;
	for (size_t i = 0; i < a->noptions; i++)
		if (str_starts(a->options[i].name, STR("--no-")) &&
		    str_eq(str_sub(a->options[i].name, 5, a->options[i].name.n),
			   str_sub(o->name, 2, o->name.n)))
			return true;
	return false;
}

static bool alternative_fits(const struct args *a, struct str one, size_t next)
{
	if (one.n && one.p[0] == '-') {
		ptrdiff_t eq = str_chr(one, '=', 0);
		struct str name = str_sub(one, 0, eq < 0 ? one.n : (size_t)eq);
		struct str want = eq < 0 ? STR("*") : str_sub(one, (size_t)eq + 1, one.n);

		if (str_eqz(one, "--"))
			return a->after != SIZE_MAX && a->noperands > a->after;
		for (size_t i = 0; i < a->noptions; i++)
			if (option_fits(a, a->options[i].name, name) &&
			    (eq < 0 ? !is_taken_back(a, &a->options[i])
				    : operand_fits(want, a->options[i].value)))
				return true;
		return false;
	}
	if (one.n && one.p[0] == '~') {
		for (size_t i = 0; i < a->noperands; i++)
			if (operand_fits(str_sub(one, 1, one.n), a->operands[i]))
				return true;
		return false;
	}
	if (str_eqz(one, "$"))
		return next >= a->noperands;
	return next < a->noperands && operand_fits(one, a->operands[next]);
}

static bool is_positional(struct str word)
{
	return word.n && !strchr("-~!$", word.p[0]);
}

static bool word_fits(const struct args *a, struct str word, size_t next)
{
	bool not = str_starts(word, STR("!"));
	struct str one;

	if (not )
		word = str_sub(word, 1, word.n);
	for (struct str rest = word; str_split(&rest, '|', &one);)
		if (alternative_fits(a, one, next))
			return !not ;
	return not ;
}

bool args_fit(const struct args *a, struct str pattern, size_t *ret_next)
{
	size_t next = 0, named = 0; /* operands seen; those that the pattern names */
	bool any = false;
	struct str word;

	for (struct str rest = pattern; rest.n && str_split(&rest, ' ', &word);) {
		if (!word_fits(a, word, next))
			return false;
		any |= str_eqz(word, "*");
		next += is_positional(word);
		named += is_positional(word) && !any;
	}
	*ret_next = named;
	return true;
}

/* Dry runs and plans. */
bool args_only_show(const struct args *a)
{
	const struct option *o = args_option(a, "--dry-run"); /* of kubectl, which takes the last */

	for (size_t i = 0; o && i < a->noptions; i++)
		if (str_eq(a->options[i].name, o->name) && is_taken_back(a, &a->options[i]))
			return false;
	return word_fits(
		a,
		STR("--dry-run|--dryrun|--what-if|--whatif|--noop|--check|--plan|--preview|"
		    "-dry-run|--dry_run|--pretend|--simulate|--just-print|--no-act|--dump-sql|"
		    "--validate-only|--print-only|--preview-only"),
		0);
}

/* The operands of one target: "1..", "2", "-1", "..-1", "--", "@". */
static void operand_targets(struct run *r, const struct args *a, size_t next, struct str target,
			    struct fields *to)
{
	size_t from = next, end = a->noperands;
	bool marked = str_eqz(target, "@");

	if (str_eqz(target, "--"))
		from = a->after == SIZE_MAX ? end : a->after;
	else if (str_eqz(target, "-1"))
		from = end ? end - 1 : end;
	else if (str_eqz(target, "..-1"))
		end = end > next ? end - 1 : end;
	else if (!marked) {
		from = next + (size_t)(target.p[0] - '1');
		if (target.n == 1)
			end = min_size(end, from + 1);
	}
	for (size_t i = from; i < end; i++)
		if (!marked || str_starts(a->operands[i], target))
			field_add(r, to, a->operands[i]);
}

void args_targets(struct run *r, const struct args *a, size_t next, const char *target,
		  struct fields *to)
{
	struct str one;

	for (struct str rest = str_from(target ? target : ""); str_split(&rest, '|', &one);) {
		bool option =
			one.n > 1 && one.p[0] == '-' && !str_eqz(one, "-1") && !str_eqz(one, "--");

		if (one.n && !option)
			operand_targets(r, a, next, one, to);
		for (size_t i = 0; option && i < a->noptions; i++)
			if (option_fits(a, a->options[i].name, one))
				field_add(r, to, a->options[i].value);
	}
}
