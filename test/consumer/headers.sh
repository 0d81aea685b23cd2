#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# headers.sh <include folder> <cuda include folder> <compiler and flags>...
# Compiles each public header by itself and then all of them together, for both default streams.
set -eu
include=$1 cuda=$2
shift 2

if ! command -v "$1" >/dev/null; then
    echo "skipped: there is no $1 here"
    exit 77
fi
compile() {
    "$@" -fsyntax-only -Wall -Wextra -Wpedantic -Werror -I "$include" -isystem "$cuda" -
}
all=
for path in "$include"/cucopy/*.h; do
    line="#include <cucopy/${path##*/}>"
    all="$all$line
"
    echo "$line"
    printf '%s\nextern int unit;\n' "$line" | compile "$@"
    printf '%s\nextern int unit;\n' "$line" | compile "$@" -DCUDA_API_PER_THREAD_DEFAULT_STREAM
done
printf '%s' "$all" | compile "$@"
