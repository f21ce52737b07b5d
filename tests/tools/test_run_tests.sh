#!/bin/sh
# tools/run-tests counts what meson's log says; a meson of our own writes that log.
. "$TEST_SOURCE_ROOT/tests/lib.sh"

mkdir -p bin build/meson-logs
: >second
cat >bin/meson <<'END'
#!/bin/sh
case $* in
*--quiet) cp log build/meson-logs/testlog.json ;;
*) # one program, again
	echo "${*##* }" >>again
	grep -h " / ${*##* }\"" second log | head -1 >build/meson-logs/testlog.json
	;;
esac
END
chmod +x bin/meson
PATH=$tmp/bin:$PATH

# log NAME RESULT STATUS STDOUT: adds one line as meson writes it; \n in STDOUT is a line's end.
log() {
	printf '{"name": "trotline:%s", "result": "%s", "returncode": %s, "stdout": "%s"}\n' \
		"$1" "$2" "$3" "$(printf %s "$4" | sed 's/$/\\n/' | tr -d '\n')" >>log
}
count() {
	run "$TEST_SOURCE_ROOT/tools/run-tests" build
	last=$(printf '%s\n' "$out" | tail -1)
}

log 'unit / good' OK 0 '1..2
ok 1 - one
ok 2 - two'
log 'tools / status' OK 0 ''
log 'cli / skips' SKIP 0 '1..0 # SKIP node is not installed'
log 'unit / cmocka-skips' FAIL 0 '1..2
ok 1 - one
not ok 2 # SKIP two'
count
is "test points and programs add up" "$last" "4 passed, 0 failed"
is "exit status without a failure" "$status" 0
has "skipped ones are counted apart" "$out" "2 skipped"

log 'unit / bad' ERROR 1 '1..2
ok 1 - one
not ok 2 - two'
count
is "one point fails" "$last" "5 passed, 1 failed"
is "exit status with a failure" "$status" 1
has "how to run only that" "$out" "TEST_FILTER=two meson test -C build -v bad"

log 'unit / crash' ERROR -11 '1..3
ok 1 - one'
log 'cli / short' OK 0 '1..3
ok 1 - one'
log 'tools / fails' FAIL 1 ''
log 'cli / hangs' TIMEOUT -15 'ok 1 - one'
count
is "crash, end before the plan's, status and timeout fail" "$last" "8 passed, 5 failed"

: >log
: >again
log 'unit / shaky' ERROR 1 '1..2
ok 1 - one
not ok 2 - two'
log 'unit / bad' ERROR 1 'not ok 1 - one
1..1'
log 'unit / race' ERROR 66 '1..1
ok 1 - one
WARNING: ThreadSanitizer: data race'
mv log first
log 'unit / shaky' OK 0 '1..2
ok 1 - one
ok 2 - two'
log 'unit / race' OK 0 '1..1
ok 1 - one'
mv log second
mv first log
count
is "what passes when it runs again counts" "$last" "3 passed, 2 failed"
has "and is named" "$out" "UNSTABLE, passed when run again: unit / shaky (error)"
is "what a sanitizer found is not asked again" "$(sort again | tr '\n' ' ')" "bad shaky "

: >log
: >again
log 'unit / long' FAIL 1 "1..201
# ERROR: the reason
not ok 1 - first
$(seq -f 'ok %g - good' 2 201)"
count
has "the reason is shown, however much follows" "$out" "# ERROR: the reason"

: >log
count
is "no test at all is a failure" "$status" 1
done_testing
