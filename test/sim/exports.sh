#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# exports.sh <library> <include folder> <compiler>...: the library exports every function that cuda.h declares, in every
# version and variant, and nothing else that begins with cu, cusim's own apart.
set -eu
library=$1
include=$2
shift 2
exported=$(nm -D --defined-only "$library" | awk '$2 == "T" && $3 ~ /^cu[A-Z]/ {print $3}' | sort)
declared=$(printf '#define __CUDA_API_VERSION_INTERNAL\n#include <cuda.h>\n' |
    "$@" -E -P -I"$include" -x c - | grep -oE '\bcu[A-Z][A-Za-z0-9_]*\(' | tr -d '(' | sort -u)
version=$(sed -n 's/^#define CUDA_VERSION *//p' "$include/cuda.h")
missing=$(printf '%s\n%s\n%s\n' "$exported" "$exported" "$declared" | sort | uniq -u)
if [ "$version" -le 13000 ] && [ -n "$missing" ]; then
    echo "cuda.h of $version declares what is not exported:" "$missing"
    exit 1
fi
# Older headers declare fewer; the two of 13.2 apart, one of 13.0 or later declares them all.
extra=$(printf '%s\n%s\n%s\n' "$declared" "$declared" "$exported" | sort | uniq -u | grep -v WithAttributesAsync || true)
if [ "$version" -ge 13000 ] && [ -n "$extra" ]; then
    echo "exported, but not declared by cuda.h of $version:" "$extra"
    exit 1
fi
echo "$(echo "$exported" | wc -l) functions"
