#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# symbols.sh <libcucopy.a> <libcucopy.so>
# The archive defines and the shared library exports nothing but cudrv* and cucopy*; neither wants anything of CUDA's.
set -eu
archive=$1 shared=$2
status=0

fail() {
    printf '%s\n%s\n' "$1" "$2"
    status=1
}

exports=$(nm -D --defined-only "$shared" | sed -n 's/.* [TDBRVW] \([^@]*\).*/\1/p')
foreign=$({ nm -g --defined-only "$archive" | sed -n 's/.* [A-Z] //p'; echo "$exports"; } | grep -Ev '^(cudrv|cucopy)[A-Z]' || :)
[ -z "$foreign" ] || fail "global names that are not ours:" "$foreign"
[ "$(echo "$exports" | wc -l)" -gt 250 ] || fail "few exports:" "$exports"

driver=$(nm -u "$archive" "$shared" | grep -E '\<cu[A-Z]' || :)
[ -z "$driver" ] || fail "names of the driver's that are not looked up:" "$driver"

needed=$(readelf -d "$shared" | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -Ev '^(libc|libdl|ld-linux.*)\.so' || :)
[ -z "$needed" ] || fail "libraries that are needed beside libc:" "$needed"
exit $status
