/* R: "." in a name is "_" here, and the package in front of "::" means nothing. */
#include "effects/code_act.h"
#include "effects/code_cloud.h"

static const struct code_function functions[] = {
	/* programs */
	{ "system|shell|pipe|shell_exec", ACT_SHELL, 0, 0, NULL },
	{ "system2|run|exec_wait|exec_background|exec_internal", ACT_ARGV, 0, 0, NULL },
	/* files */
	{ "unlink", ACT_DELETE, 0, FN_KEYED, NULL },
	{ "file_remove", ACT_DELETE, 0, FN_ALL, NULL },
	{ "file_delete|link_delete", ACT_DELETE, 0, 0, NULL },
	{ "dir_delete", ACT_DELETE, 0, FN_RECURSIVE, NULL },
	{ "file_rename|file_move", ACT_MOVE, 0, 0, NULL },
	{ "file_copy|dir_copy", ACT_COPY, 0, 0, NULL },
	{ "file_symlink|file_link", ACT_LINK, 0, 0, NULL },
	{ "writeLines|write|write_csv|write_table|write_file|write_lines|saveRDS|writeBin|writeChar|"
	  "dput|fwrite",
	  ACT_OVERWRITE, 1, 0, NULL },
	{ "file_create|sink|save_image", ACT_OVERWRITE, 0, 0, NULL },
	{ "dir_create", ACT_WRITE, 0, 0, NULL },
	{ "file|gzfile|bzfile", ACT_OPEN, 0, 0, NULL },
	{ "readLines|readRDS|readChar|readBin|scan|read_csv|read_table|read_delim|readRenviron|fread|"
	  "read_file|read_lines|read_json|read_yaml|upload_file|form_file",
	  ACT_READ, 0, 0, NULL },
	{ "Sys_chmod", ACT_PERMISSIONS, 0, 0, NULL },
	{ "setwd", ACT_CHDIR, 0, 0, NULL },
	/* the network */
	{ "download_file|curl_download", ACT_FETCH_FILE, 0, 0, NULL },
	{ "url|curl|request", GIVES_ARG, 0, 0, NULL },
	{ "GET|getURL|curl_fetch_memory|req_perform", ACT_FETCH, 0, 0, NULL },
	{ "POST|PUT|PATCH|postForm|req_body_json|req_body_raw|req_body_form|req_body_multipart|"
	  "req_body_file",
	  ACT_SEND, 0, 0, NULL },
	{ "DELETE", ACT_SEND, 0, FN_OTHER, NULL },
	{ "curl_upload", ACT_SEND, 1, 0, NULL },
	{ "socketConnection", ACT_CONNECT, 0, 0, "socket" },
	{ "send_mail|smtp_send|gm_send_message", ACT_MAIL, 9, 0, NULL },
	/* databases */
	{ "dbConnect", GIVES_ARG, 1, 0, NULL },
	{ "dbExecute|dbSendQuery|dbSendStatement|dbGetQuery|sqlQuery", ACT_SQL, 1, 0, NULL },
	{ "dbRemoveTable|sqlDrop|sqlClear", ACT_DATABASE, 9, 0, NULL },
	{ ".drop|FLUSHALL|FLUSHDB", ACT_DATABASE, 9, 0, NULL },
	/* code */
	{ "source|sys_source|source_url|source_gist|dyn_load|load", ACT_UNSEEN, 0, 0, NULL },
	{ "eval|evalq|eval_tidy", ACT_EVAL, 0, FN_TEXT_ONLY, NULL },
	{ "parse|str2lang|str2expression|parse_expr", GIVES_ARG, 0, 0, NULL },
	{ "get|match_fun|getFunction", GIVES_MODULE, 0, 0, NULL },
	{ "do_call", CALLS_ARG, 0, 0, NULL },
	{ "lapply|sapply|vapply|map|walk|mclapply", CALLS_ARG, 0, FN_OTHER, NULL },
	{ "pskill", ACT_KILL, 0, 0, NULL },
	{ "Sys_getpid", GIVES_FACT, 0, 0, "own-process" },
	{ "mcfork", ACT_FORK, 0, 0, NULL },
	/* what a test has instead */
	{ "mock", GIVES_OBJECT, 9, FN_NEVER_BARE, TYPE_EMULATOR },
	/* values */
	{ "print|cat|message|str", ACT_SHOW, 0, FN_ALL, NULL },
	{ "Sys_getenv", GIVES_ENV, 0, 0, NULL },
	{ "readline", GIVES_INPUT, 9, FN_OTHER, NULL },
	{ "glue|str_glue", GIVES_FORMAT, 0, FN_OTHER, NULL },
	{ "file_path|path", GIVES_PATH, 0, 0, NULL },
	{ "path_expand|normalizePath", GIVES_EXPANDED, 0, 0, NULL },
	{ "path_home", GIVES_HOME, 0, 0, NULL },
	{ "list_files|list_dirs|dir|dir_ls", GIVES_ENTRIES, 0, FN_KEYED, NULL },
	{ "Sys_glob", GIVES_GLOB, 0, 0, NULL },
	{ "tempdir|tempfile|path_temp|local_tempdir|local_tempfile", GIVES_TEMP, 0, 0, NULL },
	{ "getwd", GIVES_CWD, 0, 0, NULL },
	{ "basename", GIVES_NAME, 0, 0, NULL },
	{ "dirname", GIVES_PARENT, 0, 0, NULL },
	{ "paste0", GIVES_CONCAT, 0, 0, NULL },
	{ "paste", GIVES_CONCAT, 0, FN_OTHER, NULL },
	{ "sprintf", GIVES_SPRINTF, 0, 0, NULL },
	{ "c|list", GIVES_ITEMS_OF, 0, 0, NULL },
	{ "strsplit", GIVES_SPLIT, 0, FN_KEYED, NULL },
	{ "rev", GIVES_REVERSED, 0, 0, NULL },
	{ "tolower", GIVES_LOWER, 0, 0, NULL },
	{ "intToUtf8", GIVES_DECODED, 0, 0, NULL },
	{ "base64_dec|base64decode", GIVES_BASE64, 0, 0, NULL },
	{ "names", GIVES_KEYS, 0, 0, NULL },
	{ "length|nchar|nrow|file_exists|dir_exists|file_size|is_null", GIVES_FACT, 0, 0, NULL },
	{ "invisible|as_character|toString|trimws|unlist|unique|sort|shQuote|suppressWarnings|"
	  "suppressMessages|toJSON|as_list|try|identity|noquote|content|resp_body_string|rawToChar|"
	  "charToRaw|memDecompress",
	  GIVES_ARG, 0, 0, NULL },
	{ NULL, 0, 0, 0, NULL },
};

const struct code_grammar code_r = {
	.language = CODE_R,
	.syntax = SYNTAX_HASH | SYNTAX_LINES,
	.functions = functions,
};
