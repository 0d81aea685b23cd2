#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The batch kernel as PTX in a C header, so that building cucopy takes no CUDA compiler.
#   sh cmake/batch_kernel.sh write    make src/copy/batch_kernel_ptx.h from src/copy/batch_kernel.cu
#   sh cmake/batch_kernel.sh check    fail unless it is what the source gives; 77, and a reason, if that cannot be said
# NVCC names the compiler; otherwise the one in PATH or in /usr/local/cuda.
set -eu

source=$(cd "$(dirname "$0")/../src/copy" && pwd)
header=$source/batch_kernel_ptx.h

nvcc=${NVCC:-$(command -v nvcc || echo /usr/local/cuda/bin/nvcc)}
if ! [ -x "$nvcc" ]; then
    echo "skipped: there is no nvcc to make the kernel with"
    exit 77
fi
release=$("$nvcc" --version | sed -n 's/.*release \(.*\)/\1/p')
if [ "$1" = check ] && ! grep -q "nvcc $release" "$header"; then
    echo "skipped: nvcc is release $release, and another made $header"
    exit 77
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# nvcc marks its output for the newest PTX and for the oldest device that it still knows. Nothing in it needs those, as
# ptxas confirms: 6.0 and sm_50 load on every driver with cuLibraryLoadData, 8.1 and sm_70 are what large parameters need.
image() { # <name> <PTX version> <target> <option>...
    name=$1 version=$2 target=$3
    shift 3
    "$nvcc" "$@" -ptx -arch=compute_75 -o "$work/$name.raw" "$source/batch_kernel.cu"
    sed -e '/^[[:space:]]*\/\//d' -e '/^[[:space:]]*$/d' -e 's/[[:space:]][[:space:]]*/ /g' -e 's/^ //' \
        -e "s/^\.version .*/.version $version/" -e "s/^\.target .*/.target $target/" "$work/$name.raw" >"$work/$name.ptx"
    for code in $("$nvcc" --list-gpu-code); do
        "$(dirname "$nvcc")/ptxas" -arch="$code" -o "$work/cubin" "$work/$name.ptx"
    done
    printf '\nstatic const char cucopyBatch%s[] =\n' "$name"
    sed -e 's/.*/    "&\\n"/' -e '$s/$/;/' "$work/$name.ptx"
}

{
    cat <<END
/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The batch kernel as PTX. Not to be edited: cmake/batch_kernel.sh made it from batch_kernel.cu,
 * with nvcc $release.
 */
/* clang-format off */
#ifndef CUCOPY_COPY_BATCH_KERNEL_PTX_H
#define CUCOPY_COPY_BATCH_KERNEL_PTX_H

#if defined(__GNUC__)
#pragma GCC diagnostic ignored "-Woverlength-strings"
#endif
END
    image PtxSmall 6.0 sm_50 -DCUCOPY_SMALL_IMAGE
    image PtxLarge 8.1 sm_70
    printf '\n#endif\n'
} >"$work/header"

if [ "$1" = write ]; then
    cp "$work/header" "$header"
elif ! cmp "$work/header" "$header"; then
    echo "$header is not what batch_kernel.cu gives: run sh cmake/batch_kernel.sh write"
    exit 1
fi
