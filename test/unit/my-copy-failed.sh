#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# my-copy-failed.sh <test_explain> [update]
# In docs/my-copy-failed.md the block behind each `<!-- <scene> -->` is what the library says of that scene of test_explain,
# with addresses and folders shortened. Compare, or with update rewrite. The driver has to be the simulated one.
set -eu
program=$1 mode=${2:-check}
page=$(dirname "$0")/../../docs/my-copy-failed.md
made=$(mktemp)
trap 'rm -f "$made"' EXIT

explain() {
    "$program" --scene "$1" |
        sed 's|0x[0-9a-f]*|0x…|g; s|caller   .*|caller   ./program+0x…|; s|/[^ :]*/stub/|/…/stubs/|'
}

state=text # then marker, behind a marker, and block, in the block behind it
while IFS= read -r line; do
    case $state:$line in
    marker:'```'*) state=block ;;
    block:'```') state=text ;;
    block:*) ;;
    *:'<!-- '*_*' -->')
        state=marker scene=${line#<!-- }
        # shellcheck disable=SC2016 # the backquotes are Markdown's
        printf '%s\n```text\n%s\n```\n' "$line" "$(explain "${scene% -->}")"
        ;;
    *) state=text && printf '%s\n' "$line" ;;
    esac
done <"$page" >"$made"

if [ "$mode" = update ]; then
    cat "$made" >"$page"
elif ! diff -u "$page" "$made"; then
    echo "The page does not say what the library says. To rewrite it: sh test/unit/my-copy-failed.sh $program update"
    exit 1
fi
