#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# pkg-config.sh <static|shared> <prefix> <cuda include folder> <source> <program> <compiler and flags>...
# Compiles and runs a user's program with nothing but a compiler and pkg-config.
set -eu
kind=$1 prefix=$2 cuda=$3 source=$4 program=$5
shift 5

if ! command -v pkg-config >/dev/null; then
    echo "skipped: there is no pkg-config here"
    exit 77
fi
PKG_CONFIG_PATH=$(dirname "$(find "$prefix" -name cucopy.pc)")
export PKG_CONFIG_PATH
libdir=$(pkg-config --variable=libdir cucopy)
if [ "$kind" = static ]; then
    libs="$libdir/libcucopy.a $(pkg-config --static --libs-only-l cucopy | sed 's/-lcucopy//')"
else
    libs="$(pkg-config --libs cucopy) -Wl,-rpath,$libdir"
fi
# shellcheck disable=SC2046,SC2086 # lists of flags
"$@" $(pkg-config --cflags cucopy) -isystem "$cuda" "$source" -o "$program" $libs
exec "$program"
