/* What is read by functions: the text that each of them is found by, and its row in the table. */
#include "secrets/formats.h"

/* One line each. */
/* clang-format off */
const struct secret_reading secret_readings[] = {
	{ "--BEGIN ",       true,  read_private_key, "private-key" },
	{ "Private-Lines:", true,  read_putty_key,   "private-key" },
	{ "LS0tLS1CRUdJTi", true,  read_base64_key,  "private-key" },
	{ "eyJ",            true,  read_jwt,         "jwt" },
	{ "\"kty\"",        true,  read_jwk,         "jwk" },
	{ "://",            true,  read_address,     "address-password" },
	{ "bearer ",        false, read_bearer,      "authorization" },
	{ "machine ",       true,  read_netrc,       "netrc" },
	{ ":5432:",         true,  read_pgpass,      "pgpass" },
	{ "-u ",            true,  read_user,        "password-argument" },
	{ "--user ",        true,  read_user,        "password-argument" },
	{ "sshpass ",       true,  read_argument,    "password-argument" },
	{ "mysql",          true,  read_argument,    "password-argument" },
	{ "mariadb",        true,  read_argument,    "password-argument" },
	{ "redis-cli ",     true,  read_argument,    "password-argument" },
	{ "ldapsearch ",    true,  read_argument,    "password-argument" },
	{ "docker login ",  true,  read_argument,    "password-argument" },
	{ "podman login ",  true,  read_argument,    "password-argument" },
	{ "az login ",      true,  read_argument,    "password-argument" },
	{ "oc login ",      true,  read_argument,    "password-argument" },
	{ "mongosh ",       true,  read_argument,    "password-argument" },
	{ "ConvertTo-SecureString ", true, read_argument, "password-argument" },
	{ "pass",           false, read_assigned,    "password" },
	{ "pwd",            false, read_assigned,    "password" },
	{ "psk",            false, read_assigned,    "password" },
	{ "secret",         false, read_assigned,    "token" },
	{ "token",          false, read_assigned,    "token" },
	{ "key",            false, read_assigned,    "token" },
	{ "auth",           false, read_assigned,    "token" },
	{ "cred",           false, read_assigned,    "token" },
	{ "_pat=",          false, read_assigned,    "token" },
	{ "_pat:",          false, read_assigned,    "token" },
	{ "_pat\"",         false, read_assigned,    "token" },
	{ "_pat ",          false, read_assigned,    "token" },
	{ "Pat\"",          true,  read_assigned,    "token" },
	{ "Pat =",          true,  read_assigned,    "token" },
	{ "Pat:",           true,  read_assigned,    "token" },
};
/* clang-format on */

const size_t secret_readings_n = ARRAY_LEN(secret_readings);
