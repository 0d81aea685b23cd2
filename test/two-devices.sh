#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Everything that only a machine with two devices can show, on its own driver: what it answers between them, recorded and
# compared with the facts; what cucopy promises there; the benchmark; the doctor. docs/two-devices.md says what becomes
# of the results. test/hardware.sh calls it where there are two devices.
# Usage: sh test/two-devices.sh <build folder> <folder for logs> [<seconds for each recording> [benchmark option]...]
set -u
build=$1
logs=$2
seconds=${3:-200}
shift $(($# < 3 ? $# : 3))
mkdir -p "$logs"
conformance=$build/test/conformance/cucopy-conformance
bench=$build/test/bench/cucopy-bench
status=0

# run <name> <log> <command>...: its result, which is also that of this script unless it is 0, and how long it took.
run() {
    name=$1 log=$2
    shift 2
    began=$(date +%s)
    "$@" >"$logs/$log" 2>"$logs/$log.err"
    result=$?
    [ "$result" -eq 0 ] || status=1
    [ -s "$logs/$log.err" ] || rm -f "$logs/$log.err"
    printf '%-26s exit status %d, %d s, see %s\n' "$name" "$result" $(($(date +%s) - began)) "$log"
}

# The recording first: it is what nobody has. A section that differs is a result, and the log names each difference.
run 'devices' devices.txt "$conformance" --record "$logs/facts" --jobs 16 --seconds "$seconds" \
    devices-pointers devices third-device devices-with-attributes
run 'unserved' unserved.tsv "$conformance" --unserved --answers "$logs/facts"
run 'bench devices' devices.json "$bench" devices --json "$@"
# What cucopy promises follows from what the driver answers raw: this one's own answers, if all of them are there.
own=$logs/own-facts
rm -rf "$own"
cp -r "$(dirname "$0")/conformance/facts" "$own"
grep -q 'no time for' "$logs/devices.txt" || cp "$logs/facts/"*.tsv "$own"
run 'safe-devices' safe-devices.txt "$conformance" --compare "$own" --jobs 16 --seconds "$seconds" safe-devices
rm -rf "$own"
run 'doctor' doctor-two-devices.txt "$build/src/tool/cucopy-doctor"
grep -h '^[a-z-]\{1,\}  *[0-9][0-9 .]*$' "$logs/devices.txt" "$logs/safe-devices.txt" |
    grep -v '^all '
grep -h 'no time for' "$logs/devices.txt" "$logs/safe-devices.txt"
exit $status
