#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Builds everything and runs on this machine's own GPU and driver what makes sense there: the doctor, and the unit tests,
# which skip by themselves what needs the simulated driver; where there are two devices, what only they can show as well.
# Usage: sh test/hardware.sh <folder for logs> [cmake argument]...
set -u
cd "$(dirname "$0")/.." || exit
logs=$1
shift
mkdir -p "$logs"
build=build/hardware

if ! { cmake -S . -B "$build" -DCMAKE_BUILD_TYPE=RelWithDebInfo "$@" && cmake --build "$build" --parallel; } \
    >"$logs/build.log" 2>&1; then
    tail -n 30 "$logs/build.log"
    exit 1
fi
nvidia-smi --query-gpu=name,driver_version --format=csv,noheader | tee "$logs/machine.txt"

status=0
export CUCOPY_TEST_STUB="$PWD/$build/test/sim/stub/libcuda.so.1"
"$build/src/tool/cucopy-doctor" >"$logs/doctor.txt" 2>&1 || status=1
"$build/src/tool/cucopy-doctor" --json >"$logs/doctor.json" 2>/dev/null || status=1
echo "doctor: exit status $status"

devices=$(grep -c '"compute_capability_major"' "$logs/doctor.json")
if [ "$devices" -ge 2 ]; then
    sh test/two-devices.sh "$build" "$logs/two-devices" || status=1
else
    echo "two devices: skipped: there is $devices"
fi

# count <what> <log>: tests, of which some are named once more in the end.
count() {
    grep "^\[$1\] [a-z]" "$2" | sort -u | wc -l
}

for test in test_raw test_copy test_guard test_per_thread test_override test_override_per_thread test_failure \
    test_failure_report test_explain test_owner test_owner_batch test_batch test_batch3d \
    test_batch_capture test_batch_order test_batch_random; do
    "$build/test/unit/$test" >"$logs/$test.log" 2>&1
    result=$?
    printf '%-26s exit status %d, %s passed, %s skipped, %s failed\n' "$test" "$result" \
        "$(count '       OK ' "$logs/$test.log")" "$(count '  SKIPPED ' "$logs/$test.log")" \
        "$(count '  FAILED  ' "$logs/$test.log")"
    [ "$result" -eq 0 ] || status=1
    grep -A3 'ERROR' "$logs/$test.log" | head -n 20
done
exit $status
