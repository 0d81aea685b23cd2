#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What `cucopy-conformance --unserved` makes of a few facts, and that the page shows what it makes of those that are
# committed. Usage: sh unserved.sh <cucopy-conformance> <page>
set -u
facts=$(mktemp -d) || exit 1
trap 'rm -rf "$facts"' EXIT

# On sP0: pool1 is for device 1, vmm0-for-1 for device 1 though it is device 0's, and plain1 is for all.
tr ' ' '\t' >"$facts/devices.tsv" <<END
copy stream dst src peers current answer
Async NULL pinned0 pool1 peers P0 INVALID_VALUE
Async NULL pinned0 pool1 peers P1 copied
Async sP0 pinned0 pinned0 peers P0 copied
Async sP0 pinned0 plain1 peers P0 copied
Async sP0 pinned0 plain1 peers P1 copied
Async sP0 pool1 pinned0 peers P0 INVALID_VALUE
Async sP0 pool1 pinned0 peers P1 copied
Async sP0 pinned0 pool1 peers P0 INVALID_VALUE
Async sP0 pinned0 pool1 peers P1 copied
DtoH sP0 pinned0 pool1 peers P0 INVALID_VALUE
DtoH sP0 pinned0 pool1 peers P1 copied
Async sP0 pool0 pinned0 peers P0 copied
Async sP0 pool0 pool1 peers P0 INVALID_VALUE
Async sP0 pool0 pool1 peers P1 INVALID_VALUE
Async sP0 vmm0-for-1 pinned0 peers P0 INVALID_VALUE
Async sP0 vmm0-for-1 pinned0 peers P1 copied
END
tr ' ' '\t' >"$facts/expected" <<END
copy stream dst src peers works_with CUCOPY_CONTEXT_OWNER
Async sP0 pool1 pinned0 peers P1 served
Async sP0 pinned0 pool1 peers P1 served
DtoH sP0 pinned0 pool1 peers P1 no_such_option
Async sP0 vmm0-for-1 pinned0 peers P1 not_served
END
sed -i 's/_with/ with/; s/_such_/ such /; s/not_/not /' "$facts/expected"
"$1" --unserved --answers "$facts" >"$facts/list" || exit 1
diff "$facts/expected" "$facts/list" || exit 1

if "$1" --unserved --answers "$facts/nowhere" >"$facts/list" 2>&1; then
    echo 'a folder without facts has a list'
    exit 1
fi

# The page's list is a fenced block behind a comment that says how it came about.
sed -n '/^<!-- cucopy-conformance --unserved -->$/,/^```$/p' "$2" | sed '1,2d;$d' >"$facts/page"
"$1" --unserved >"$facts/list" || exit 1
diff "$facts/page" "$facts/list" || {
    echo "$2 shows another list than cucopy-conformance --unserved"
    exit 1
}
